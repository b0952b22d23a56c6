package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// one maps a row that is not there to ErrNotFound.
func one[T any](op string, v T, err error) (T, error) {
	if errors.Is(err, sql.ErrNoRows) {
		var zero T
		return zero, ErrNotFound
	}
	if err != nil {
		var zero T
		return zero, wrap(op, err)
	}
	return v, nil
}

// rows reads all rows of a query.
func list[T any](ctx context.Context, s *Store, op string, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := s.r.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, wrap(op, err)
	}
	var out []T
	err = each(rows, func(r *sql.Rows) error {
		v, err := scan(r)
		out = append(out, v)
		return err
	})
	if err != nil {
		return nil, wrap(op, err)
	}
	return out, nil
}

// Run gives what is known of a run. [ErrNotFound]: nothing is, and a caller must
// deny.
func (s *Store) Run(ctx context.Context, id chunk.ID) (Run, error) {
	var r Run
	row := s.r.QueryRowContext(ctx, `SELECT `+runColumns+`,
		  (SELECT count(*) FROM event WHERE event.run = run.id AND event.run <> ''),
		  (SELECT count(*) FROM chunk WHERE chunk.run = run.id AND disposition = 'pending' AND gate = ''),
		  (SELECT count(*) FROM chunk WHERE chunk.run = run.id AND disposition = 'pending' AND gate <> '')
		FROM run WHERE id = $1`, string(id))
	_, st, err := scanRun(scannerFunc(func(dst ...any) error {
		return row.Scan(append(dst, &r.Documents, &r.Pending, &r.Gated)...)
	}))
	r.ID, r.Tenant, r.Class, r.Halted, r.Ended = id, st.tenant, st.class(), len(st.halts) > 0, st.ended
	r.Incomplete, r.Opened = st.incomplete, st.opened
	return one("run", r, err)
}

type scannerFunc func(...any) error

func (f scannerFunc) Scan(dst ...any) error { return f(dst...) }

// LastEvent gives the newest event of a run.
func (s *Store) LastEvent(ctx context.Context, run chunk.ID) (Event, error) {
	e, err := scanEvent(s.r.QueryRowContext(ctx, "SELECT "+eventColumns+" FROM event WHERE run = $1 AND run <> '' ORDER BY n DESC LIMIT 1", string(run)))
	return one("last event", e, err)
}

// EventByID gives an accepted event.
func (s *Store) EventByID(ctx context.Context, id chunk.ID) (Event, error) {
	e, err := scanEvent(s.r.QueryRowContext(ctx, "SELECT "+eventColumns+" FROM event WHERE id = $1", string(id)))
	return one("event", e, err)
}

// EventByAlias gives the accepted event that has an alias.
func (s *Store) EventByAlias(ctx context.Context, alias chunk.ID) (Event, error) {
	e, err := scanEvent(s.r.QueryRowContext(ctx, "SELECT "+prefixed("e", eventColumns)+" FROM event_alias a JOIN event e ON e.id = a.event WHERE a.alias = $1", string(alias)))
	return one("event by alias", e, err)
}

// RunEvents gives the events of a run in the order in which they were accepted.
func (s *Store) RunEvents(ctx context.Context, run chunk.ID) ([]Event, error) {
	return list(ctx, s, "run events", scanEvent, "SELECT "+eventColumns+" FROM event WHERE run = $1 AND run <> '' ORDER BY n", string(run))
}

// RunChunks gives the chunks of a run's own documents, in accept order.
func (s *Store) RunChunks(ctx context.Context, run chunk.ID) ([]Chunk, error) {
	return list(ctx, s, "run chunks", scanChunk,
		"SELECT "+prefixed("c", chunkColumns)+` FROM chunk c LEFT JOIN event e ON e.id = c.event
		 WHERE c.run = $1 AND c.run <> '' ORDER BY e.n, c.event, c.ordinal`, string(run))
}

// EventChunks gives the chunks of one document, in order.
func (s *Store) EventChunks(ctx context.Context, event chunk.ID) ([]Chunk, error) {
	return list(ctx, s, "event chunks", scanChunk, "SELECT "+chunkColumns+" FROM chunk WHERE event = $1 ORDER BY ordinal", string(event))
}

// Chunk gives one chunk.
func (s *Store) Chunk(ctx context.Context, id chunk.ID) (Chunk, error) {
	c, err := scanChunk(s.r.QueryRowContext(ctx, "SELECT "+chunkColumns+" FROM chunk WHERE id = $1", string(id)))
	return one("chunk", c, err)
}

func prefixed(table, columns string) string {
	cs := strings.Split(columns, ",")
	for i, c := range cs {
		cs[i] = table + "." + strings.TrimSpace(c)
	}
	return strings.Join(cs, ", ")
}

const contextColumns = "run, chunk, event, scope, ordinal, source, class, band, redacted, sealed"

func scanContext(r scanner) (ContextItem, error) {
	var c ContextItem
	var class, band string
	if err := r.Scan(&c.Run, &c.Chunk, &c.Event, &c.Scope, &c.Ordinal, &c.Source, &class, &band, &c.Redacted, &c.Sealed); err != nil {
		return c, err
	}
	if err := c.Class.UnmarshalText([]byte(class)); err != nil {
		return c, err
	}
	return c, c.Band.UnmarshalText([]byte(band))
}

// RunContext gives what a run's context may hold: its own documents' chunks in
// accept order, then what was retrieved into it. A chunk is given only when its
// final disposition lets it through, whatever the item says.
func (s *Store) RunContext(ctx context.Context, run chunk.ID) ([]ContextItem, error) {
	if run == "" {
		return nil, ErrNotFound
	}
	return list(ctx, s, "run context", scanContext, "SELECT "+prefixed("i", contextColumns)+`
		FROM context_item i JOIN chunk c ON c.id = i.chunk LEFT JOIN event e ON e.id = i.event
		WHERE i.run = $1 AND c.disposition IN ('cleared', 'released')
		ORDER BY CASE WHEN c.run = i.run THEN 0 ELSE 1 END, e.n, i.ordinal, i.n`, string(run))
}

// CollectionContext gives the items of a collection's chunks that belong to no
// run yet, for those that were let through, in the order of the ids asked for.
func (s *Store) CollectionContext(ctx context.Context, tenant string, chunks []chunk.ID) ([]ContextItem, error) {
	items, err := list(ctx, s, "collection context", scanContext, expand(s.d, "SELECT "+prefixed("i", contextColumns)+`
		FROM context_item i JOIN chunk c ON c.id = i.chunk
		WHERE i.run = '' AND c.disposition IN ('cleared', 'released') AND c.tenant = $2 AND i.chunk {in}`), s.d.keysArg(keys(chunks)), tenant)
	if err != nil {
		return nil, err
	}
	at := map[chunk.ID]ContextItem{}
	for _, it := range items {
		at[it.Chunk] = it
	}
	out := make([]ContextItem, 0, len(items))
	for _, id := range chunks {
		if it, ok := at[id]; ok {
			out = append(out, it)
			delete(at, id)
		}
	}
	return out, nil
}

// NotLetThrough gives those of a collection's chunks that exist, and that nobody gets as
// they stand, with the source of each.
func (s *Store) NotLetThrough(ctx context.Context, tenant string, chunks []chunk.ID) (map[chunk.ID]string, error) {
	type row struct {
		id     chunk.ID
		source string
	}
	rows, err := list(ctx, s, "not let through", func(r scanner) (row, error) {
		var x row
		err := r.Scan(&x.id, &x.source)
		return x, err
	}, expand(s.d, `SELECT c.id, e.source FROM chunk c JOIN event e ON e.id = c.event
		WHERE c.run = '' AND c.disposition NOT IN ('cleared', 'released') AND c.tenant = $2 AND c.id {in}`), s.d.keysArg(keys(chunks)), tenant)
	if err != nil {
		return nil, err
	}
	out := make(map[chunk.ID]string, len(rows))
	for _, x := range rows {
		out[x.id] = x.source
	}
	return out, nil
}

// Withheld counts the chunks of collections that a run asked for, did not get, and has
// not got since.
func (s *Store) Withheld(ctx context.Context, run chunk.ID) (int, error) {
	var n int
	err := s.r.QueryRowContext(ctx, `SELECT count(*) FROM withheld w WHERE w.run = $1
		AND NOT EXISTS (SELECT 1 FROM context_item i WHERE i.run = w.run AND i.chunk = w.chunk)`, string(run)).Scan(&n)
	return n, wrap("withheld", err)
}

// Held gives the sealed chunk that waits for a person.
func (s *Store) Held(ctx context.Context, chunkID chunk.ID) (Held, error) {
	var h Held
	err := s.r.QueryRowContext(ctx, "SELECT chunk, event, run, scope, sealed FROM held WHERE chunk = $1", string(chunkID)).
		Scan(&h.Chunk, &h.Event, &h.Run, &h.Scope, &h.Sealed)
	return one("held", h, err)
}

// Stubs gives a run's stubs by name.
func (s *Store) Stubs(ctx context.Context, run chunk.ID) ([]Stub, error) {
	return list(ctx, s, "stubs", func(r scanner) (Stub, error) {
		var st Stub
		var class, sinks string
		if err := r.Scan(&st.Run, &st.Name, &st.Commitment, &class, &sinks, &st.Sealed); err != nil {
			return st, err
		}
		if err := json.Unmarshal([]byte(sinks), &st.Sinks); err != nil {
			return st, err
		}
		return st, st.Class.UnmarshalText([]byte(class))
	}, "SELECT run, name, commitment, class, sinks, sealed FROM stub WHERE run = $1 ORDER BY name", string(run))
}

// where collects conditions.
type where struct {
	conds []string
	args  []any
}

func (w *where) and(cond string, args ...any) {
	for _, a := range args {
		w.args = append(w.args, a)
		cond = strings.Replace(cond, "?", "$"+strconv.Itoa(len(w.args)), 1)
	}
	w.conds = append(w.conds, cond)
}

func (w *where) equal(column, value string) {
	if value != "" {
		w.and(column+" = ?", value)
	}
}

// present is equal for a column whose index leaves the empty value out. SQLite uses such an
// index only for a statement that says so itself.
func (w *where) present(column, value string) {
	if value != "" {
		w.and(column+" = ? AND "+column+" <> ''", value)
	}
}

func (w *where) sql() string {
	if len(w.conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conds, " AND ")
}

func limit(n int) string {
	if n <= 0 {
		n = 100
	}
	return " LIMIT " + strconv.Itoa(min(n, 10_000))
}

// Records gives stored records, sealed or not, in the order in which they were
// written.
func (s *Store) Records(ctx context.Context, f RecordFilter) ([]Sealed, error) {
	q, args := recordsQuery(f)
	return list(ctx, s, "records", scanSealed, q, args...)
}

func recordsQuery(f RecordFilter) (string, []any) {
	var w where
	w.equal("r.tenant", f.Tenant)
	w.present("r.run", string(f.Run))
	w.present("r.subject", string(f.Subject))
	w.equal("r.kind", string(f.Kind))
	if f.After > 0 {
		w.and("r.n > ?", f.After)
	}
	return "SELECT " + sealedColumns + " FROM record r LEFT JOIN leaf l ON l.record_id = r.record_id" + w.sql() + " ORDER BY r.n" + limit(f.Limit), w.args
}

// Newest gives the number of the newest record; 0 where there is none.
func (s *Store) Newest(ctx context.Context) (int64, error) {
	var n int64
	err := s.r.QueryRowContext(ctx, "SELECT coalesce(max(n), 0) FROM record").Scan(&n)
	return one("newest", n, err)
}

// Record gives one record by its id.
func (s *Store) Record(ctx context.Context, id chunk.ID) (Sealed, error) {
	r, err := scanSealed(s.r.QueryRowContext(ctx, "SELECT "+sealedColumns+
		" FROM record r LEFT JOIN leaf l ON l.record_id = r.record_id WHERE r.record_id = $1", string(id)))
	return one("record", r, err)
}

// RecordAt gives the record at a place of the tree.
func (s *Store) RecordAt(ctx context.Context, seq int64) (Sealed, error) {
	r, err := scanSealed(s.r.QueryRowContext(ctx, "SELECT "+sealedColumns+
		" FROM leaf l JOIN record r ON l.record_id = r.record_id WHERE l.seq = $1", seq))
	return one("record", r, err)
}

const sealedColumns = "r.canon, r.n, coalesce(l.seq, -1)"

func scanSealed(r scanner) (Sealed, error) {
	var x Sealed
	if err := r.Scan(&x.Canon, &x.N, &x.Seq); err != nil {
		return x, err
	}
	e, err := provenance.Decode(x.Canon)
	x.Record = e.Record
	return x, err
}

// Gates gives gates in the order in which they were opened.
func (s *Store) Gates(ctx context.Context, f GateFilter) ([]Gate, error) {
	q, args := gatesQuery(f)
	return list(ctx, s, "gates", scanGate, q, args...)
}

func gatesQuery(f GateFilter) (string, []any) {
	var w where
	w.equal("tenant", f.Tenant)
	w.equal("type", f.Type)
	w.equal("source", f.Source)
	w.present("run", string(f.Run))
	w.present("about", string(f.About))
	lapsed := !f.Now.IsZero()
	switch {
	case f.State == GateOpen && lapsed:
		w.and("(state = 'open' OR (state = 'claimed' AND lease_until <= ?))", micros(f.Now))
	case f.State == GateClaimed && lapsed:
		w.and("state = 'claimed' AND lease_until > ?", micros(f.Now))
	default:
		w.equal("state", f.State)
	}
	if !f.ExpiresBefore.IsZero() {
		w.and("state IN ('open', 'claimed') AND expires > 0 AND expires < ?", micros(f.ExpiresBefore))
	}
	if f.After != "" {
		w.and("n > coalesce((SELECT n FROM gate WHERE id = ?), 0)", string(f.After))
	}
	return "SELECT " + gateColumns + " FROM gate" + w.sql() + " ORDER BY n" + limit(f.Limit), w.args
}

// Gate gives one gate.
func (s *Store) Gate(ctx context.Context, id chunk.ID) (Gate, error) {
	g, err := scanGate(s.r.QueryRowContext(ctx, "SELECT "+gateColumns+" FROM gate WHERE id = $1", string(id)))
	return one("gate", g, err)
}

// ClaimGate gives a reviewer a gate until a time, and writes the record of it in
// the same transaction. A reviewer may renew a claim of their own; a lease that has
// run out can be taken by anyone. [ErrClaimed], [ErrDecided], [ErrNotFound].
func (s *Store) ClaimGate(ctx context.Context, id chunk.ID, reviewer string, now, until time.Time, rec provenance.Record) (Gate, error) {
	e, err := provenance.Encode(rec)
	if err != nil {
		return Gate{}, err
	}
	p, ok := e.Payload.(*provenance.GateClaimed)
	if !ok || p.GateID != id || p.Reviewer != reviewer || reviewer == "" || micros(p.Until) != micros(until) || !until.After(now) {
		return Gate{}, provenance.ErrMalformed // the record would not say what happens
	}
	var g Gate
	err = s.write(ctx, "claim gate", func(t *tx) error {
		res, err := t.ExecContext(t.ctx, `UPDATE gate SET state = 'claimed', reviewer = $2, lease_until = $3
			WHERE id = $1 AND (state = 'open' OR (state = 'claimed' AND (lease_until <= $4 OR reviewer = $2))) AND lease_until < $3`,
			string(id), reviewer, micros(until), micros(now))
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		g, err = scanGate(t.QueryRowContext(t.ctx, "SELECT "+gateColumns+" FROM gate WHERE id = $1", string(id)))
		g, err = one("claim gate", g, err)
		switch {
		case err != nil:
			return err
		case n == 1:
			var old int
			err := t.QueryRowContext(t.ctx, "SELECT count(*) FROM record WHERE record_id = $1", string(e.Record.ID)).Scan(&old)
			if err == nil && old > 0 {
				return ErrClaimed // this very claim was made before, and its lease has run out
			}
			if err != nil {
				return err
			}
			_, err = t.many(insertRecords, [][]any{recordRow(e)})
			return err
		case g.State == GateOpen || g.State == GateClaimed && g.Reviewer != reviewer:
			return ErrClaimed
		case g.State == GateClaimed:
			return nil // claimed by this reviewer for at least as long
		default:
			return ErrDecided
		}
	})
	if err != nil {
		return Gate{}, err
	}
	return g, nil
}
