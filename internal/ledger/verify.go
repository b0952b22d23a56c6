package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// page is how many rows a long read takes at a time.
const page = 4000

// snapshot reads the database as it is at one moment, beside those who write it.
func (s *Store) snapshot(ctx context.Context, op string, f func(q *sql.Tx) error) error {
	opts := &sql.TxOptions{ReadOnly: true}
	if s.d.pg {
		opts.Isolation = sql.LevelRepeatableRead
	}
	t, err := s.r.BeginTx(ctx, opts)
	if err != nil {
		return wrap(op, err)
	}
	defer t.Rollback() //nolint:errcheck // nothing was written
	if s.d.pg {
		if _, err := t.ExecContext(ctx, "SET LOCAL enable_seqscan = on"); err != nil { // these reads are of whole tables
			return wrap(op, err)
		}
	}
	err = f(t)
	if s.still != nil { // also when f failed: what it read may have been half of a change
		if changed := s.still(); changed != nil {
			return changed
		}
	}
	return wrap(op, err)
}

// Verification is what verify looked at and what it found.
type Verification struct {
	provenance.Verified
	Unsealed int64 `json:"unsealed"` // records that wait for the sealer
}

// Verify computes the tree again from the records and checks everything stored
// against it and against the checkpoints that were kept outside (SPEC PRV-1). It
// reads a snapshot, beside a live writer. Read the outside copies before calling
// it, or they may be newer than the snapshot.
//
// Each problem goes to report as it is found. Without outside copies, a verification
// cannot show that somebody who holds the signing key rewrote the whole history.
func (s *Store) Verify(ctx context.Context, outside [][]byte, keys []note.Verifier, report func(provenance.Problem)) (Verification, error) {
	var out Verification
	err := s.snapshot(ctx, "verify", func(q *sql.Tx) error {
		stored := provenance.Stored{
			Leaves:      leaves(ctx, q),
			Checkpoints: checkpoints(ctx, q, -1),
			Next:        s.next(ctx, q),
			Tile: func(t provenance.Tile) ([]byte, *provenance.Hash, error) {
				var data, root []byte
				err := q.QueryRowContext(ctx, "SELECT data, root FROM tile WHERE level = $1 AND n = $2", t.L, t.N).Scan(&data, &root)
				if errors.Is(err, sql.ErrNoRows) {
					return nil, nil, nil
				}
				if err != nil {
					return nil, nil, err
				}
				var h provenance.Hash
				copy(h[:], root)
				return data, &h, nil
			},
		}
		var err error
		if out.Verified, err = provenance.Verify(stored, outside, keys, report); err != nil {
			return err
		}
		return s.verifyCounts(ctx, q, &out, report)
	})
	return out, err
}

// verifyCounts finds what nothing in the tree points to: tiles too many, and
// records that stand among sealed ones without having been sealed.
func (s *Store) verifyCounts(ctx context.Context, q *sql.Tx, out *Verification, report func(provenance.Problem)) error {
	var tiles int64
	if err := q.QueryRowContext(ctx, "SELECT count(*) FROM tile").Scan(&tiles); err != nil {
		return err
	}
	if tiles > out.Tiles {
		out.Problems++
		report(provenance.Problem{Code: provenance.TileExtra, Seq: -1, Detail: fmt.Sprintf("%d tiles, and the tree has %d", tiles, out.Tiles)})
	}
	behind := "n <= (SELECT coalesce(max(last_n), 0) FROM checkpoint)"
	if s.d.pg {
		// A record of this cluster is not behind a cursor that was restored from another.
		behind = `coalesce((SELECT (r.tx, r.n) <= (last_tx, last_n) AND NOT (r.tx < pg_snapshot_xmax(pg_current_snapshot()) AND last_tx >= pg_snapshot_xmax(pg_current_snapshot()))
			FROM checkpoint ORDER BY size DESC LIMIT 1), false)`
	}
	rows, err := q.QueryContext(ctx, `SELECT record_id, `+behind+` FROM record r WHERE NOT EXISTS (SELECT 1 FROM leaf l WHERE l.record_id = r.record_id) ORDER BY n`)
	if err != nil {
		return err
	}
	return each(rows, func(r *sql.Rows) error {
		var id chunk.ID
		var behind bool
		if err := r.Scan(&id, &behind); err != nil {
			return err
		}
		out.Unsealed++
		if behind {
			out.Problems++
			report(provenance.Problem{Code: provenance.RecordNotInTree, Seq: -1, ID: id})
		}
		return nil
	})
}

// leaves reads the leaves with their records, in order, a page at a time: other
// reads go on between the pages.
func leaves(ctx context.Context, q querier) iter.Seq2[provenance.StoredLeaf, error] {
	return func(yield func(provenance.StoredLeaf, error) bool) {
		from := int64(-1 << 62)
		for {
			rows, err := q.QueryContext(ctx, `SELECT l.seq, l.record_id, l.hash, r.record_id, coalesce(r.once, ''), r.tenant, r.run, r.subject, r.kind, r.at, r.leaf, r.canon
				FROM leaf l LEFT JOIN record r ON r.record_id = l.record_id WHERE l.seq >= $1 ORDER BY l.seq LIMIT $2`, from, page)
			if err != nil {
				yield(provenance.StoredLeaf{}, err)
				return
			}
			var batch []provenance.StoredLeaf
			if err := each(rows, func(r *sql.Rows) error {
				l, err := scanLeaf(r)
				batch = append(batch, l)
				return err
			}); err != nil {
				yield(provenance.StoredLeaf{}, err)
				return
			}
			for _, l := range batch {
				if !yield(l, nil) {
					return
				}
				from = l.Seq + 1
			}
			if len(batch) < page {
				return
			}
		}
	}
}

// next gives the leaves that the next seal will add, in its order: a copy that goes
// ahead of the database may have them already. On Postgres no copy goes ahead.
func (s *Store) next(ctx context.Context, q querier) iter.Seq2[provenance.Hash, error] {
	if s.d.pg {
		return nil
	}
	return func(yield func(provenance.Hash, error) bool) {
		rows, err := q.QueryContext(ctx, "SELECT canon FROM record WHERE n > (SELECT coalesce(max(last_n), 0) FROM checkpoint) ORDER BY n LIMIT $1", sealBatch)
		if err != nil {
			yield(provenance.Hash{}, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			var canon sql.RawBytes
			err := rows.Scan(&canon)
			if !yield(provenance.LeafHash(canon), err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(provenance.Hash{}, err)
		}
	}
}

func scanLeaf(r scanner) (provenance.StoredLeaf, error) {
	var l provenance.StoredLeaf
	var hash, leaf []byte
	var c provenance.Columns
	var id, tenant, run, subject, kind sql.NullString
	var at sql.NullInt64
	if err := r.Scan(&l.Seq, &l.ID, &hash, &id, &c.Once, &tenant, &run, &subject, &kind, &at, &leaf, &l.Canon); err != nil {
		return l, err
	}
	copy(l.Hash[:], hash)
	if !id.Valid {
		l.Canon = nil
		return l, nil
	}
	if l.Canon == nil {
		l.Canon = []byte{}
	}
	c.ID, c.Tenant, c.Run, c.Subject, c.Kind, c.At = id.String, tenant.String, run.String, subject.String, kind.String, at.Int64
	copy(c.Leaf[:], leaf)
	l.Columns = &c
	return l, nil
}

// checkpoints reads the stored checkpoints of more than from records by size, a page
// at a time.
func checkpoints(ctx context.Context, q querier, from int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		from := from
		for {
			rows, err := q.QueryContext(ctx, "SELECT size, note FROM checkpoint WHERE size > $1 ORDER BY size LIMIT $2", from, page)
			if err != nil {
				yield(nil, err)
				return
			}
			var notes [][]byte
			if err := each(rows, func(r *sql.Rows) error {
				var b []byte
				err := r.Scan(&from, &b)
				notes = append(notes, b)
				return err
			}); err != nil {
				yield(nil, err)
				return
			}
			for _, n := range notes {
				if !yield(n, nil) {
					return
				}
			}
			if len(notes) < page {
				return
			}
		}
	}
}

// LastCheckpoint gives the newest signed checkpoint. [ErrNotFound]: nothing is
// sealed yet.
func (s *Store) LastCheckpoint(ctx context.Context) (provenance.Checkpoint, error) {
	var text []byte
	err := s.r.QueryRowContext(ctx, "SELECT note FROM checkpoint ORDER BY size DESC LIMIT 1").Scan(&text)
	if _, err := one("checkpoint", 0, err); err != nil {
		return provenance.Checkpoint{}, err
	}
	return provenance.UnverifiedCheckpoint(text)
}

// Prove gives a record and the proof that it is in the tree of the newest
// checkpoint. [ErrNotFound] when there is no such record or it is not sealed yet.
func (s *Store) Prove(ctx context.Context, id chunk.ID) (Sealed, provenance.Proof, error) {
	var rec Sealed
	var proof provenance.Proof
	err := s.snapshot(ctx, "prove", func(q *sql.Tx) error {
		var err error
		rec, err = scanSealed(q.QueryRowContext(ctx, "SELECT "+sealedColumns+" FROM record r JOIN leaf l ON l.record_id = r.record_id WHERE r.record_id = $1", string(id)))
		if rec, err = one("prove", rec, err); err != nil {
			return err
		}
		var text []byte
		err = q.QueryRowContext(ctx, "SELECT note FROM checkpoint WHERE size > $1 ORDER BY size DESC LIMIT 1", rec.Seq).Scan(&text)
		if text, err = one("prove", text, err); err != nil {
			return err
		}
		c, err := provenance.UnverifiedCheckpoint(text)
		if err != nil {
			return err
		}
		proof, err = provenance.Prove(c, rec.Seq, nodes(ctx, q))
		return err
	})
	return rec, proof, err
}

// ProveConsistency gives the proof that the tree of one size begins that of a
// greater one.
func (s *Store) ProveConsistency(ctx context.Context, older, newer int64) ([]provenance.Hash, error) {
	var hs []provenance.Hash
	err := s.snapshot(ctx, "prove", func(q *sql.Tx) error {
		var err error
		hs, err = provenance.ProveConsistency(older, newer, nodes(ctx, q))
		return err
	})
	return hs, err
}

// nodes reads tree nodes: leaves, or the roots of tiles, and what lies between
// them by hashing.
func nodes(ctx context.Context, q querier) provenance.Nodes {
	return func(level int, n int64) (provenance.Hash, error) {
		l, s := level/provenance.TileHeight, level%provenance.TileHeight
		from, to := n<<s, (n+1)<<s
		var rows *sql.Rows
		var err error
		if l == 0 {
			rows, err = q.QueryContext(ctx, "SELECT hash FROM leaf WHERE seq >= $1 AND seq < $2 ORDER BY seq", from, to)
		} else {
			rows, err = q.QueryContext(ctx, "SELECT root FROM tile WHERE level = $1 AND n >= $2 AND n < $3 ORDER BY n", l-1, from, to)
		}
		if err != nil {
			return provenance.Hash{}, err
		}
		var hs []provenance.Hash
		if err := each(rows, func(r *sql.Rows) error {
			var b []byte
			var h provenance.Hash
			err := r.Scan(&b)
			copy(h[:], b)
			hs = append(hs, h)
			return err
		}); err != nil {
			return provenance.Hash{}, err
		}
		if int64(len(hs)) != to-from {
			return provenance.Hash{}, ErrTree
		}
		return provenance.NodeOf(hs)
	}
}

// ReadCheckpoints reads a file of checkpoints as [CheckpointFile] writes it. The
// remains of a write that a crash cut off are passed over.
func ReadCheckpoints(path string) ([][]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("ledger: cannot read checkpoints: %w", err)
	}
	notes, rest := provenance.SplitCheckpoints(b)
	if len(notes) == 0 && len(rest) > 0 {
		notes = [][]byte{rest} // a single checkpoint, as a log serves it
	}
	return notes, nil
}

// CheckpointFile gives a publish function for [Store.RunSealer] that appends each
// checkpoint to a file and syncs it. What a crash cut off at the end is cut away
// first; the checkpoint that stands last is not written twice. Keep the file where
// those who can write the database cannot.
func CheckpointFile(path string) func(context.Context, []byte) error {
	return func(_ context.Context, text []byte) error { return appendCheckpoints(path, text) }
}

// appendCheckpoints appends to a file of checkpoints and syncs it. [ErrCopy].
func appendCheckpoints(path string, texts ...[]byte) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrCopy, err)
		}
	}()
	fresh := false
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		fresh = true
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	notes, rest, end, err := tailOf(f)
	if err != nil {
		return err
	}
	if n := len(notes); n > 0 && len(texts) > 0 && len(rest) == 0 && bytes.Equal(notes[n-1], texts[0]) {
		texts = texts[1:]
	}
	if len(texts) == 0 {
		return nil
	}
	var all []byte
	for _, text := range texts {
		all = append(all, provenance.FileCheckpoint(text)...)
	}
	end -= int64(len(rest))
	if err := f.Truncate(end); err != nil {
		return err
	}
	if _, err := f.WriteAt(all, end); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if fresh {
		return syncDir(filepath.Dir(path))
	}
	return nil
}

// tailOf reads the last checkpoints of a file, what a crash cut off behind them, and
// where the file ends.
func tailOf(f *os.File) (notes [][]byte, rest []byte, end int64, err error) {
	if end, err = f.Seek(0, io.SeekEnd); err != nil {
		return nil, nil, 0, err
	}
	// The tail holds the last checkpoint whole: one is under 4 KiB.
	tail := make([]byte, min(end, 64<<10))
	if _, err := f.ReadAt(tail, end-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, 0, err
	}
	if int64(len(tail)) < end {
		tail = fromCheckpoint(tail)
	}
	notes, rest = provenance.SplitCheckpoints(tail)
	return notes, rest, end, nil
}

// lastCopy gives the last checkpoint of a file; the empty one where there is none that
// can be read.
func lastCopy(path string) (provenance.Checkpoint, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return provenance.Checkpoint{}, nil
	}
	if err != nil {
		return provenance.Checkpoint{}, fmt.Errorf("%w: %w", ErrCopy, err)
	}
	defer f.Close()
	notes, _, _, err := tailOf(f)
	if err != nil {
		return provenance.Checkpoint{}, fmt.Errorf("%w: %w", ErrCopy, err)
	}
	if len(notes) == 0 {
		return provenance.Checkpoint{}, nil
	}
	c, err := provenance.UnverifiedCheckpoint(notes[len(notes)-1])
	if err != nil {
		return provenance.Checkpoint{}, nil //nolint:nilerr // what is no checkpoint is no copy of one: it is written again
	}
	return c, nil
}

// fillCopy writes the checkpoints of more than size records to the copy again.
func (t *tx) fillCopy(path string, size int64) error {
	var texts [][]byte
	for text, err := range checkpoints(t.ctx, t.Tx, size) {
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	return appendCheckpoints(path, texts...)
}

// VerifyCopy finds out whether a file that [Store.KeepCheckpoints] keeps was cut: each
// checkpoint of the database stands in it, for it was written there first. It reads
// beside a live writer. Whether the file contradicts the tree is what [Store.Verify]
// says, given what it holds.
func (s *Store) VerifyCopy(ctx context.Context, path string, report func(provenance.Problem)) error {
	var sizes []int64
	err := s.snapshot(ctx, "verify copy", func(q *sql.Tx) error {
		rows, err := q.QueryContext(ctx, "SELECT size FROM checkpoint WHERE size > 0 ORDER BY size")
		if err != nil {
			return err
		}
		return each(rows, func(r *sql.Rows) error {
			var n int64
			err := r.Scan(&n)
			sizes = append(sizes, n)
			return err
		})
	})
	if err != nil || len(sizes) == 0 {
		return err
	}
	last := sizes[len(sizes)-1]
	notes, err := ReadCheckpoints(path) // after the database: the file is ahead of it, never behind
	if errors.Is(err, os.ErrNotExist) || err == nil && len(notes) == 0 {
		report(provenance.Problem{Code: provenance.CopyMissing, Seq: -1,
			Detail: fmt.Sprintf("%s is gone or empty, and %d checkpoints up to %d records were written to it", path, len(sizes), last)})
		return nil
	}
	if err != nil {
		return err
	}
	have := make(map[int64]bool, len(notes))
	var end int64
	for _, n := range notes {
		if c, err := provenance.UnverifiedCheckpoint(n); err == nil {
			have[c.Size] = true
			end = max(end, c.Size)
		}
	}
	var lost, first int64
	for _, n := range sizes {
		if !have[n] {
			if lost++; lost == 1 {
				first = n
			}
		}
	}
	if lost > 0 {
		report(provenance.Problem{Code: provenance.CopyCut, Seq: first - 1,
			Detail: fmt.Sprintf("%s lacks %d of %d checkpoints, the first one of %d records; it ends at %d records, and the database at %d", path, lost, len(sizes), first, end, last)})
	}
	return nil
}

// fromCheckpoint drops what stands before the first whole checkpoint: a block that
// follows an empty line and is not one of signatures.
func fromCheckpoint(b []byte) []byte {
	for {
		i := bytes.Index(b, []byte("\n\n"))
		if i < 0 {
			return nil
		}
		if b = b[i+2:]; !bytes.HasPrefix(b, []byte("\u2014 ")) {
			return b
		}
	}
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
