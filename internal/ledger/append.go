package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

const (
	groupBatches = 500     // at most so many batches in one transaction
	groupBytes   = 8 << 20 // and about so many bytes of sealed values
	raceRetries  = 10
)

// errRace means that another process wrote first what this transaction was about
// to write. The transaction is rolled back and tried again; it then sees it.
var errRace = errors.New("ledger: another process was first")

// unit is one batch on its way through the committer.
type unit struct {
	batch   Batch
	entries []provenance.Entry
	once    []string
	bytes   int

	out Appended
	err error
}

type request struct {
	units []*unit
	done  chan struct{}
}

// Append writes batches, each of them whole or not at all, and says what is
// stored. Concurrent callers share transactions.
//
// The result has a place for each batch. If a batch fails, its place is empty and
// the error says why; the others are written. When the context ends while a
// transaction is under way, it is not known whether the batches were written;
// appending them again is safe. Errors: [ErrUnavailable], [ErrClosed],
// provenance.ErrMalformed.
func (s *Store) Append(ctx context.Context, batches ...Batch) ([]Appended, error) {
	if s.readOnly {
		return nil, ErrReadOnly
	}
	units := make([]*unit, len(batches))
	good := make([]*unit, 0, len(batches))
	for i, b := range batches {
		units[i] = newUnit(b)
		if units[i].err == nil {
			good = append(good, units[i])
		}
	}
	if len(good) > 0 {
		req := &request{units: good, done: make(chan struct{})}
		select {
		case <-s.stop:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		case s.queue <- req:
		}
		select {
		case <-req.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.done:
			// The committer drains its queue before it ends; what it did not take was
			// not written.
			select {
			case <-req.done:
			default:
				return nil, ErrClosed
			}
		}
	}
	out := make([]Appended, len(units))
	var errs []error
	for i, u := range units {
		if u.err != nil {
			errs = append(errs, u.err)
			continue
		}
		out[i] = u.out
	}
	return out, errors.Join(errs...)
}

func newUnit(b Batch) *unit {
	u := &unit{batch: b, entries: make([]provenance.Entry, len(b.Records)), once: make([]string, len(b.Records))}
	said := make(map[string]bool, 2*len(b.Records))
	for i, r := range b.Records {
		e, err := provenance.Encode(r)
		if err != nil {
			u.err = err
			return u
		}
		if r.Kind == provenance.KindGateClaimed {
			u.err = fmt.Errorf("%w: a claim is made with ClaimGate", provenance.ErrMalformed)
			return u
		}
		u.entries[i], u.once[i] = e, provenance.Once(e)
		if said[string(e.Record.ID)] || said[u.once[i]] {
			u.err = fmt.Errorf("%w: the batch says the same thing twice", provenance.ErrMalformed)
			return u
		}
		said[string(e.Record.ID)] = true
		if u.once[i] != "" {
			said[u.once[i]] = true
		}
		u.bytes += len(e.Canon)
	}
	if ev := b.Event; ev != nil && (!chunk.ValidID(string(ev.ID), "evt") || ev.Tenant == "") {
		u.err = provenance.ErrMalformed
	}
	for _, o := range b.Outbox {
		u.bytes += len(o.Value)
	}
	for _, h := range b.Held {
		u.bytes += len(h.Sealed)
	}
	for _, c := range b.Context {
		u.bytes += len(c.Sealed)
	}
	return u
}

// committer writes batches. It takes what waits and commits it together, so that
// one fsync serves many callers. On Postgres there are two: one works while the
// other waits for the disk.
func (s *Store) committer() {
	for {
		var req *request
		select {
		case req = <-s.queue:
		case <-s.stop:
			for {
				select {
				case req = <-s.queue:
					s.commit([]*request{req})
				default:
					return
				}
			}
		}
		reqs := []*request{req}
		units, bytes := len(req.units), weight(req)
	gather:
		for units < groupBatches && bytes < groupBytes {
			select {
			case r := <-s.queue:
				reqs = append(reqs, r)
				units += len(r.units)
				bytes += weight(r)
			default:
				break gather
			}
		}
		s.commit(reqs)
	}
}

func weight(r *request) int {
	n := 0
	for _, u := range r.units {
		n += u.bytes
	}
	return n
}

func (s *Store) commit(reqs []*request) {
	if s.d.pg {
		// Processes that were sent the same documents insert them in the same order,
		// and so wait for each other rather than in a circle. Calls that wait at the
		// same time have no order among them; the batches of one call keep theirs.
		slices.SortStableFunc(reqs, func(a, b *request) int { return strings.Compare(a.units[0].key(), b.units[0].key()) })
	}
	var units []*unit
	for _, r := range reqs {
		units = append(units, r.units...)
	}
	for len(units) > 0 {
		var group []*unit
		group, units = split(units)
		s.commitGroup(group)
	}
	for _, r := range reqs {
		close(r.done)
	}
}

// commitGroup writes units in one transaction. When it fails for a reason that
// lies with a unit, each is tried alone, so that a bad one fails alone.
func (s *Store) commitGroup(group []*unit) {
	err := s.commitTx(group)
	if err == nil {
		return
	}
	if len(group) > 1 && (!errors.Is(err, ErrUnavailable) || errors.Is(err, errContention)) {
		for _, u := range group {
			u.err = s.commitTx([]*unit{u})
		}
		return
	}
	for _, u := range group {
		u.err = err
	}
}

// split takes from the front the units that can share a transaction: at most so
// many, and no two that write the same event, record or once-only fact. What
// follows keeps its order.
func split(units []*unit) (group, rest []*unit) {
	seen := map[string]bool{}
	bytes := 0
	for _, u := range units {
		clash := len(group) >= groupBatches || (bytes > 0 && bytes+u.bytes > groupBytes)
		keys := u.keys()
		for _, k := range keys {
			clash = clash || seen[k]
		}
		for _, k := range keys {
			seen[k] = true
		}
		if clash {
			rest = append(rest, u)
			continue
		}
		bytes += u.bytes
		group = append(group, u)
	}
	return group, rest
}

// key is what units are put in order by: units that say the same have the same.
func (u *unit) key() string {
	switch {
	case u.batch.Event != nil:
		return string(u.batch.Event.ID)
	case len(u.entries) > 0:
		return string(u.entries[0].Record.ID)
	}
	return ""
}

func (u *unit) keys() []string {
	keys := make([]string, 0, 2*len(u.entries)+1)
	if u.batch.Event != nil {
		keys = append(keys, "event "+string(u.batch.Event.ID))
		if u.batch.Event.Alias != "" {
			keys = append(keys, "alias "+string(u.batch.Event.Alias))
		}
	}
	for i, e := range u.entries {
		keys = append(keys, string(e.Record.ID))
		if u.once[i] != "" {
			keys = append(keys, u.once[i])
		}
	}
	return keys
}

// commitTx writes units in one transaction, again when another process was first.
func (s *Store) commitTx(group []*unit) error {
	tries := raceRetries
	if len(group) > 1 {
		tries = 2 // then each alone: the more there are, the more there is to race for
	}
	for try := range tries {
		if try > 0 {
			time.Sleep(time.Duration(rand.Int64N(int64(try) * int64(4*time.Millisecond))))
		}
		wake := false
		err := s.writeTx(context.Background(), "append", func(t *tx) error {
			w, err := t.append(group)
			wake = w
			return err
		})
		if errors.Is(err, errRace) || deadlocked(err) {
			continue
		}
		if err == nil && wake {
			select {
			case s.wake <- struct{}{}:
			default:
			}
		}
		return err
	}
	return errContention
}

// errContention: other processes wrote the same again and again.
var errContention error = &dbError{op: "append", code: "contention", away: true}

// deadlocked: Postgres chose this transaction as the victim of a deadlock.
func deadlocked(err error) bool {
	var e *dbError
	return errors.As(err, &e) && strings.HasPrefix(e.code, "40")
}

// storedRecord is what the database has under a record id or a once-only fact.
type storedRecord struct {
	id   string
	once string
	e    provenance.Entry
}

var (
	insertEvents = many(
		"id text, run text, scope text, tenant text, source text, evidence text, commitment text, chunks bigint, collection boolean, received bigint",
		`WITH {v} INSERT INTO event (id, run, scope, tenant, source, evidence, commitment, chunks, collection, received)
		 SELECT id, run, scope, tenant, source, evidence, commitment, chunks, collection, received FROM v WHERE true ORDER BY ord
		 ON CONFLICT DO NOTHING`)
	insertAliases = many("alias text, event text",
		`WITH {v} INSERT INTO event_alias (alias, event) SELECT alias, event FROM v WHERE true ON CONFLICT DO NOTHING`)
	insertWithheld = many("run text, chunk text",
		`WITH {v} INSERT INTO withheld (run, chunk) SELECT run, chunk FROM v WHERE true ON CONFLICT DO NOTHING`)
	insertRecords = many(
		"record_id text, once text, tenant text, run text, subject text, kind text, at bigint, canon bytea, leaf bytea",
		`WITH {v} INSERT INTO record (record_id, once, tenant, run, subject, kind, at, canon, leaf)
		 SELECT record_id, once, tenant, run, subject, kind, at, canon, leaf FROM v WHERE true ORDER BY ord
		 ON CONFLICT DO NOTHING`)
	insertOutbox = many("topic text, key text, headers text, value bytea",
		`WITH {v} INSERT INTO outbox (topic, key, headers, value) SELECT topic, key, headers, value FROM v WHERE true ORDER BY ord`)
	insertHeld = many("chunk text, event text, run text, scope text, sealed bytea",
		`WITH {v} INSERT INTO held (chunk, event, run, scope, sealed) SELECT chunk, event, run, scope, sealed FROM v WHERE true
		 ON CONFLICT DO NOTHING`)
	insertContext = many(
		"run text, chunk text, event text, scope text, ordinal bigint, source text, class text, band text, redacted boolean, sealed bytea",
		`WITH {v} INSERT INTO context_item (run, chunk, event, scope, ordinal, source, class, band, redacted, sealed)
		 SELECT run, chunk, event, scope, ordinal, source, class, band, redacted, sealed FROM v WHERE true ORDER BY ord
		 ON CONFLICT DO NOTHING`)
	insertStubs = many("run text, name text, commitment text, class text, sinks text, sealed bytea",
		`WITH {v} INSERT INTO stub (run, name, commitment, class, sinks, sealed)
		 SELECT run, name, commitment, class, sinks, sealed FROM v WHERE true ON CONFLICT DO NOTHING`)
	insertRefused = many("record_id text, stored_id text, kind text, once text, said text, stands text, at bigint",
		`WITH {v} INSERT INTO refused (record_id, stored_id, kind, once, said, stands, at)
		 SELECT record_id, stored_id, kind, once, said, stands, at FROM v WHERE true ON CONFLICT DO NOTHING`)
)

// append writes units and fills in what is stored for them. wake tells that the
// outbox has grown.
func (t *tx) append(group []*unit) (wake bool, err error) {
	events, err := t.storedEvents(group)
	if err != nil {
		return false, err
	}
	byID, byOnce, err := t.storedRecords(group)
	if err != nil {
		return false, err
	}
	var (
		eventRows, aliasRows, recordRows, outboxRows, heldRows, contextRows, stubRows, withheldRows, refusedRows [][]any

		fresh []provenance.Entry
		now   = time.Now()
	)
	for _, u := range group {
		u.out = Appended{Records: make([]provenance.Record, len(u.entries)), Inserted: make([]bool, len(u.entries))}
		if ev := u.batch.Event; ev != nil {
			u.out.Event = *ev
			u.out.Event.Received = fromMicros(micros(ev.Received))
			if old, ok := events[ev.ID]; ok {
				u.out.Event, u.out.Duplicate = old, true
			} else if old, ok := events[ev.Alias]; ok && ev.Alias != "" {
				u.out.Event, u.out.Duplicate = old, true
			}
		}
		u.out.Duplicate = u.out.Duplicate || u.decidedBefore(byID, byOnce)
		inserted := 0
		for i, e := range u.entries {
			old, known := byID[string(e.Record.ID)]
			if !known && u.once[i] != "" {
				old, known = byOnce[u.once[i]]
			}
			switch {
			case known:
				u.out.Records[i] = old.e.Record
				if !provenance.SameDecision(old.e.Record, e.Record) {
					refusedRows = append(refusedRows, []any{string(e.Record.ID), old.id, string(e.Record.Kind), u.once[i], inAWord(e), inAWord(old.e), micros(now)})
				}
			case u.out.Duplicate:
			default:
				u.out.Records[i], u.out.Inserted[i] = e.Record, true
				fresh = append(fresh, e)
				recordRows = append(recordRows, recordRow(e))
				inserted++
			}
		}
		if u.out.Duplicate {
			continue
		}
		b := u.batch
		if b.Event != nil {
			eventRows = append(eventRows, eventRow(*b.Event))
			if b.Event.Alias != "" {
				aliasRows = append(aliasRows, []any{string(b.Event.Alias), string(b.Event.ID)})
			}
		}
		if inserted > 0 || len(u.entries) == 0 {
			for _, o := range b.Outbox {
				headers, err := json.Marshal(o.Headers)
				if err != nil {
					return false, err
				}
				outboxRows = append(outboxRows, []any{o.Topic, o.Key, string(headers), notNil(o.Value)})
			}
		}
		for _, h := range b.Held {
			heldRows = append(heldRows, []any{string(h.Chunk), string(h.Event), string(h.Run), string(h.Scope), notNil(h.Sealed)})
		}
		for _, c := range b.Context {
			contextRows = append(contextRows, []any{
				string(c.Run), string(c.Chunk), string(c.Event), string(c.Scope), int64(c.Ordinal), c.Source, c.Class.String(), c.Band.String(), c.Redacted, notNil(c.Sealed),
			})
		}
		for _, w := range b.Withheld {
			withheldRows = append(withheldRows, []any{string(w.Run), string(w.Chunk)})
		}
		for _, st := range b.Stubs {
			sinks, err := json.Marshal(st.Sinks)
			if err != nil {
				return false, err
			}
			stubRows = append(stubRows, []any{string(st.Run), st.Name, st.Commitment, st.Class.String(), string(sinks), notNil(st.Sealed)})
		}
	}
	for _, w := range []struct {
		st    *statement
		rows  [][]any
		exact bool // fewer rows written than given means that another process was first
	}{
		{insertEvents, eventRows, true},
		{insertAliases, aliasRows, true},
		{insertRecords, recordRows, true},
		{insertOutbox, outboxRows, true},
		{insertHeld, heldRows, false},
		{insertContext, contextRows, false},
		{insertStubs, stubRows, false},
		{insertWithheld, withheldRows, false},
		{insertRefused, refusedRows, false},
	} {
		n, err := t.many(w.st, w.rows)
		if err != nil {
			return false, err
		}
		if w.exact && n != len(w.rows) {
			return false, errRace
		}
	}
	return len(outboxRows) > 0, t.project(fresh)
}

// inAWord says what a record decided, without who and when.
func inAWord(e provenance.Entry) string {
	switch p := e.Payload.(type) {
	case *provenance.ChunkEnded:
		return p.Disposition.String()
	case *provenance.GateDecided:
		return p.Decision
	}
	return string(e.Record.Kind)
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func eventRow(e Event) []any {
	return []any{
		string(e.ID), string(e.Run), string(e.Scope), e.Tenant, e.Source, e.Evidence, e.Commitment, int64(e.Chunks), e.Collection, micros(e.Received),
	}
}

func recordRow(e provenance.Entry) []any {
	c := provenance.ColumnsOf(e)
	var once any
	if c.Once != "" {
		once = c.Once
	}
	return []any{c.ID, once, c.Tenant, c.Run, c.Subject, c.Kind, c.At, e.Canon, c.Leaf[:]}
}

// decidedBefore reports whether the unit's gate is decided already, or another
// record already says what one of its scan records says. Then nothing of the unit
// may take effect: its other records follow from a decision that does not stand.
func (u *unit) decidedBefore(byID, byOnce map[string]storedRecord) bool {
	for i, e := range u.entries {
		old, ok := byOnce[u.once[i]]
		if u.once[i] == "" || !ok {
			continue
		}
		switch e.Record.Kind {
		case provenance.KindGateDecided:
			return true
		case provenance.KindScanned, provenance.KindInjectionHit:
			if old.id != string(e.Record.ID) || !provenance.SameDecision(old.e.Record, e.Record) {
				return true
			}
		}
	}
	return false
}

var (
	eventsByID    = byKeys("SELECT id, " + eventColumns + " FROM event WHERE id {in}")
	eventsByAlias = byKeys("SELECT a.alias, " + prefixed("e", eventColumns) + " FROM event_alias a JOIN event e ON e.id = a.event WHERE a.alias {in}")
	recordsByID   = byKeys("SELECT record_id, coalesce(once, ''), canon FROM record WHERE record_id {in}")
	recordsByOnce = byKeys("SELECT record_id, coalesce(once, ''), canon FROM record WHERE once {in}")
)

// storedEvents gives the stored events by the id or the alias that the units have.
func (t *tx) storedEvents(group []*unit) (map[chunk.ID]Event, error) {
	var ids, aliases []string
	for _, u := range group {
		if ev := u.batch.Event; ev != nil {
			ids = append(ids, string(ev.ID))
			if ev.Alias != "" {
				aliases = append(aliases, string(ev.Alias))
			}
		}
	}
	found := map[chunk.ID]Event{}
	scan := func(rows *sql.Rows) error {
		var name chunk.ID
		e, err := scanEvent(scannerFunc(func(dst ...any) error { return rows.Scan(append([]any{&name}, dst...)...) }))
		found[name] = e
		return err
	}
	if err := t.lookup(eventsByID, ids, scan); err != nil {
		return nil, err
	}
	return found, t.lookup(eventsByAlias, aliases, scan)
}

func (t *tx) storedRecords(group []*unit) (byID, byOnce map[string]storedRecord, err error) {
	var ids, once []string
	for _, u := range group {
		for i, e := range u.entries {
			ids = append(ids, string(e.Record.ID))
			if u.once[i] != "" {
				once = append(once, u.once[i])
			}
		}
	}
	byID, byOnce = map[string]storedRecord{}, map[string]storedRecord{}
	scan := func(rows *sql.Rows) error {
		var st storedRecord
		var canon []byte
		if err := rows.Scan(&st.id, &st.once, &canon); err != nil {
			return err
		}
		if st.e, err = provenance.Decode(canon); err != nil {
			return err
		}
		byID[st.id] = st
		if st.once != "" {
			byOnce[st.once] = st
		}
		return nil
	}
	if err = t.lookup(recordsByID, ids, scan); err != nil {
		return nil, nil, err
	}
	err = t.lookup(recordsByOnce, once, scan)
	return byID, byOnce, err
}
