package ledger

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/pkg/provenance"
)

// ErrTree means that what the tables hold does not give the tree that the last
// checkpoint signed. The sealer does not sign over it: a ledger never signs two
// trees that contradict each other. Run verify.
var ErrTree = errors.New("ledger: the stored tree does not match its last checkpoint")

// sealBatch bounds the records that one transaction seals.
const sealBatch = 20_000

// sealState is the right edge of the tree as of the last seal of this process, and
// the copy that goes ahead of each seal, where there is one.
type sealState struct {
	mu    sync.Mutex
	b     *provenance.Builder
	copy  string
	short func(ctx context.Context, from, to int64)
}

// KeepCheckpoints makes every seal write its checkpoint to a file before it commits
// (SPEC PRV-1). So the file lacks no checkpoint that the database has, whatever crash
// there was, and [Store.VerifyCopy] needs no tolerance; what a crash left in the file
// alone is sealed first thing by the next seal, to the same root. A file that saw more
// than the database can give makes sealing fail with [ErrTree]: the database was set
// back.
//
// Where the file ends before the database does, somebody cut it: it is filled up from
// the database, and short is told the size that the file ended at and the one it ought
// to have ended at. One process at a time may seal such a ledger.
func (s *Store) KeepCheckpoints(path string, short func(ctx context.Context, from, to int64)) {
	s.seal.mu.Lock()
	defer s.seal.mu.Unlock()
	s.seal.copy, s.seal.short = path, short
}

// cursor is where the last seal ended: the last record's number, and on Postgres
// its transaction too.
type cursor struct {
	size    int64
	root    provenance.Hash
	n, tx   int64
	floor   int64 // records up to this number are sealed, whatever transaction wrote them
	current provenance.Checkpoint
}

var (
	insertLeaves = many("seq bigint, record_id text, hash bytea",
		`WITH {v} INSERT INTO leaf (seq, record_id, hash) SELECT seq, record_id, hash FROM v WHERE true ORDER BY ord`)
	insertTiles = many("level bigint, n bigint, root bytea, data bytea",
		`WITH {v} INSERT INTO tile (level, n, root, data) SELECT level, n, root, data FROM v WHERE true ORDER BY ord`)
)

// Seal gives sequence numbers to the records that have none, adds them to the tree
// and signs a checkpoint, all in one transaction. It reports whether there was
// anything to seal; the checkpoint is the newest one either way, and empty when
// nothing was ever sealed. Another process that seals just now is waited for by
// nobody: then there was nothing to do.
func (s *Store) Seal(ctx context.Context, signer note.Signer) (provenance.Checkpoint, bool, error) {
	c, n, err := s.sealSome(ctx, signer)
	return c, n > 0, err
}

// sealSome is Seal, and says how many records it sealed: at most sealBatch.
func (s *Store) sealSome(ctx context.Context, signer note.Signer) (provenance.Checkpoint, int, error) {
	s.seal.mu.Lock()
	defer s.seal.mu.Unlock()
	var made provenance.Checkpoint
	sealed := 0
	var cut, cutTo int64 // where the copy was found to end, and where it ought to
	b := s.seal.b
	s.seal.b = nil // taken back only after the commit
	err := s.write(ctx, "seal", func(t *tx) error {
		if ok, err := t.beginSeal(); err != nil || !ok {
			return err
		}
		last, err := t.lastSeal()
		if err != nil {
			return err
		}
		made = last.current
		if b == nil || b.Size() != last.size {
			if b, err = loadBuilder(t.ctx, t.Tx, last.size); err != nil {
				return err
			}
		}
		if last.size > 0 && b.Root() != last.root {
			return ErrTree
		}
		most := int64(sealBatch)
		var ahead provenance.Checkpoint // signed and copied by a seal that did not get to its commit
		if s.seal.copy != "" {
			if ahead, err = lastCopy(s.seal.copy); err != nil {
				return err
			}
			switch {
			case ahead.Size > last.size+sealBatch, ahead.Size == last.size && ahead.Root != last.root:
				return ErrTree
			case ahead.Size > last.size:
				most = ahead.Size - last.size
			case ahead.Size < last.size:
				if err := t.fillCopy(s.seal.copy, ahead.Size); err != nil {
					return err
				}
				cut, cutTo = ahead.Size, last.size
			}
		}
		var leaves, tiles [][]any
		err = t.unsealed(&last, most, func(id string, canon []byte) {
			h := provenance.LeafHash(canon)
			leaves = append(leaves, []any{b.Size(), id, h[:]})
			b.Append(h, func(tile provenance.Tile, data []byte, root provenance.Hash) {
				tiles = append(tiles, []any{int64(tile.L), tile.N, root[:], data})
			})
		})
		if err != nil {
			return err
		}
		if ahead.Size > b.Size() || ahead.Size == b.Size() && ahead.Size > 0 && ahead.Root != b.Root() {
			return ErrTree // the database was set back since that checkpoint was signed
		}
		if len(leaves) == 0 {
			return nil
		}
		if _, err := t.many(insertLeaves, leaves); err != nil {
			return err
		}
		if _, err := t.many(insertTiles, tiles); err != nil {
			return err
		}
		if made, err = provenance.SignCheckpoint(b.Size(), b.Root(), signer); err != nil {
			return err
		}
		last.size = b.Size()
		sealed = len(leaves)
		if err := t.insertCheckpoint(last, made.Note, time.Now()); err != nil || s.seal.copy == "" || ahead.Size == last.size {
			return err
		}
		return appendCheckpoints(s.seal.copy, made.Note)
	})
	if cutTo > 0 && s.seal.short != nil {
		s.seal.short(ctx, cut, cutTo)
	}
	if err != nil {
		return provenance.Checkpoint{}, 0, err
	}
	s.seal.b = b
	return made, sealed, nil
}

// beginSeal lets one process seal at a time.
func (t *tx) beginSeal() (bool, error) {
	if !t.s.d.pg {
		return true, nil // the writing transaction is the lock
	}
	return t.beginSealPostgres()
}

func (t *tx) lastSeal() (cursor, error) {
	var c cursor
	var text []byte
	q := "SELECT size, note, last_n, 0, 0 FROM checkpoint ORDER BY size DESC LIMIT 1"
	if t.s.d.pg {
		q = lastSealPostgres
	}
	err := t.QueryRowContext(t.ctx, q).Scan(&c.size, &text, &c.n, &c.tx, &c.floor)
	if errors.Is(err, sql.ErrNoRows) {
		return cursor{}, nil
	}
	if err != nil {
		return cursor{}, err
	}
	cp, err := provenance.UnverifiedCheckpoint(text)
	if err != nil || cp.Size != c.size {
		return cursor{}, ErrTree
	}
	c.root, c.current = cp.Root, cp
	return c, nil
}

// unsealed reads the records that follow the cursor, in order and at most so many,
// and moves it.
func (t *tx) unsealed(c *cursor, most int64, f func(id string, canon []byte)) error {
	if t.s.d.pg {
		return t.unsealedPostgres(c, most, f)
	}
	rows, err := t.QueryContext(t.ctx, "SELECT record_id, n, canon FROM record WHERE n > $1 ORDER BY n LIMIT $2", c.n, most)
	if err != nil {
		return err
	}
	return each(rows, func(r *sql.Rows) error {
		var id string
		var canon sql.RawBytes
		if err := r.Scan(&id, &c.n, &canon); err != nil {
			return err
		}
		f(id, canon)
		return nil
	})
}

func (t *tx) insertCheckpoint(c cursor, text []byte, at time.Time) error {
	if t.s.d.pg {
		return t.insertCheckpointPostgres(c, text, at)
	}
	_, err := t.ExecContext(t.ctx, "INSERT INTO checkpoint (size, note, at, last_n) VALUES ($1, $2, $3, $4)", c.size, text, micros(at), c.n)
	return err
}

// querier is a transaction or a database.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// loadBuilder rebuilds the right edge of the tree of a size from the tables.
func loadBuilder(ctx context.Context, q querier, size int64) (*provenance.Builder, error) {
	var edge [][]provenance.Hash
	for l, n := 0, size; n > 0; l, n = l+1, n/provenance.TileWidth {
		from := n / provenance.TileWidth * provenance.TileWidth
		var rows *sql.Rows
		var err error
		if l == 0 {
			rows, err = q.QueryContext(ctx, "SELECT hash FROM leaf WHERE seq >= $1 AND seq < $2 ORDER BY seq", from, n)
		} else {
			rows, err = q.QueryContext(ctx, "SELECT root FROM tile WHERE level = $1 AND n >= $2 AND n < $3 ORDER BY n", l-1, from, n)
		}
		if err != nil {
			return nil, err
		}
		var level []provenance.Hash
		err = each(rows, func(r *sql.Rows) error {
			var b []byte
			if err := r.Scan(&b); err != nil {
				return err
			}
			hs, err := provenance.TileHashes(b)
			if err != nil || len(hs) != 1 {
				return ErrTree
			}
			level = append(level, hs[0])
			return nil
		})
		if err != nil {
			return nil, err
		}
		edge = append(edge, level)
	}
	b, err := provenance.NewBuilder(size, edge)
	if err != nil {
		return nil, ErrTree
	}
	return b, nil
}

// maxUnpublished bounds the checkpoints that wait for their copy. The newest ones
// are kept: each of them commits to all that came before.
const maxUnpublished = 1024

// RunSealer seals every so often until the context ends, and hands each checkpoint
// to publish, in order, which copies it outside the database. What publish refuses
// is handed over again. The newest checkpoint is handed over once at the start, in
// case the process before this one ended between sealing and publishing: publish
// must bear seeing one twice. Faults go to report, which may be nil; the sealer
// goes on.
func (s *Store) RunSealer(ctx context.Context, signer note.Signer, every time.Duration, publish func(context.Context, []byte) error) error {
	report := func(msg string, err error) { slog.ErrorContext(ctx, msg, "error", err) }
	tick := time.NewTicker(every)
	defer tick.Stop()
	var waiting [][]byte
	var lastSize int64 = -1
	for {
		c, sealed, err := s.sealSome(ctx, signer)
		if err != nil && ctx.Err() == nil {
			report("sealing the ledger failed", err)
		}
		if err == nil && c.Size != lastSize && len(c.Note) > 0 {
			waiting = append(waiting, c.Note)
			lastSize = c.Size
			if len(waiting) > maxUnpublished {
				waiting = waiting[len(waiting)-maxUnpublished:]
			}
		}
		for len(waiting) > 0 && publish != nil {
			if err := publish(ctx, waiting[0]); err != nil {
				if ctx.Err() == nil {
					report("copying a checkpoint outside the database failed", err)
				}
				break
			}
			waiting = waiting[1:]
		}
		if sealed == sealBatch && ctx.Err() == nil {
			continue // there is more
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Unsealed counts the records that wait for the sealer.
func (s *Store) Unsealed(ctx context.Context) (n int64, err error) {
	if s.d.pg {
		n, err = s.countUnsealedPostgres(ctx)
	} else {
		err = s.r.QueryRowContext(ctx, "SELECT count(*) FROM record WHERE n > (SELECT coalesce(max(last_n), 0) FROM checkpoint)").Scan(&n)
	}
	return n, wrap("unsealed", err)
}
