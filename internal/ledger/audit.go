package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// What an audit can find.
const (
	ChunkUnfinished     provenance.Code = "chunk-unfinished"     // accepted, older than the grace, neither ended nor at an open gate
	ChunkUnknown        provenance.Code = "chunk-unknown"        // ended, and never accepted
	DispositionDoubled  provenance.Code = "disposition-doubled"  // ended twice
	DispositionRefused  provenance.Code = "disposition-refused"  // a second, different end was asked for and refused
	GateUnknown         provenance.Code = "gate-unknown"         // claimed, decided or applied, and never opened
	GateUndecided       provenance.Code = "gate-undecided"       // applied, and never decided
	TenantMismatch      provenance.Code = "tenant-mismatch"      // a record about a run of another tenant
	ExecutionUnfinished provenance.Code = "execution-unfinished" // begun, older than the grace and the longest execution, and never completed
	RecordUnsealed      provenance.Code = "record-unsealed"      // older than the grace and not in the tree
	EventMismatch       provenance.Code = "event-mismatch"       // the event table says something else than the accepted record
	RunMismatch         provenance.Code = "run-mismatch"         // a projection says something else than the records
	ChunkMismatch       provenance.Code = "chunk-mismatch"
	GateMismatch        provenance.Code = "gate-mismatch"
)

// executionTime is how long an execution may take and how long until another process
// has completed it as interrupted.
const executionTime = 12 * time.Minute

// AuditReport says what became of everything that was accepted (SPEC PRV-9).
type AuditReport struct {
	Records   int64            `json:"records"`
	Documents int64            `json:"documents"`
	Chunks    int64            `json:"chunks"`
	Final     map[string]int64 `json:"final"`     // chunks by final disposition
	Pending   int64            `json:"pending"`   // chunks at an open gate
	InFlight  int64            `json:"in_flight"` // chunks under way, younger than the grace
	Refused   map[string]int64 `json:"refused"`   // records that were not written because another one stood, by kind
	Problems  int64            `json:"problems"`
}

// auditShare is about how many chunks, gates, runs and events one pass over the
// records holds in memory: some 300 bytes each.
const auditShare = 400_000

// Audit proves that each chunk of each accepted document has exactly one final
// disposition, waits at an open gate, or is under way for less than the grace, and
// names each one of which that is not so. It rebuilds runs, chunks, gates and
// events from the records and compares them with the tables. It reads a snapshot,
// beside a live writer; a large ledger is read in several passes.
//
// Whether the records themselves are the ones that were written is what
// [Store.Verify] shows; an audit means little without it.
func (s *Store) Audit(ctx context.Context, grace time.Duration, report func(provenance.Problem)) (AuditReport, error) {
	out := AuditReport{Final: map[string]int64{}}
	err := s.snapshot(ctx, "audit", func(q *sql.Tx) error {
		var load int64
		if err := q.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM chunk) + (SELECT count(*) FROM gate) + (SELECT count(*) FROM run) + (SELECT count(*) FROM event)`).
			Scan(&load); err != nil {
			return err
		}
		a := &audit{s: s, ctx: ctx, q: q, since: time.Now().Add(-grace), out: &out, report: report}
		passes := uint32(load/auditShare + 1)
		for pass := range passes {
			if err := a.pass(pass, passes); err != nil {
				return err
			}
		}
		return a.bookkeeping()
	})
	return out, err
}

type audit struct {
	s      *Store
	ctx    context.Context
	q      *sql.Tx
	since  time.Time // what is older ought to be finished
	out    *AuditReport
	report func(provenance.Problem)
}

func (a *audit) problem(p provenance.Problem) {
	a.out.Problems++
	a.report(p)
}

// pass rebuilds the ids of one share and compares them.
func (a *audit) pass(pass, passes uint32) error {
	mine := func(id chunk.ID) bool {
		if passes == 1 {
			return true
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(id))
		return h.Sum32()%passes == pass
	}
	p := newRebuild(mine, a.problem)
	events := map[chunk.ID]Event{}
	begun, completed := map[chunk.ID]time.Time{}, map[chunk.ID]bool{}
	err := a.records(func(canon []byte, id chunk.ID) {
		e, err := provenance.Decode(canon)
		if err != nil {
			if mine(id) {
				a.problem(provenance.Problem{Code: provenance.RecordMalformed, Seq: -1, ID: id, Detail: err.Error()})
			}
			return
		}
		if pass == 0 {
			a.out.Records++
		}
		if v, ok := e.Payload.(*provenance.Accepted); ok && mine(v.EventID) {
			events[v.EventID] = Event{
				ID: v.EventID, Run: e.Record.Run, Tenant: e.Record.Tenant, Source: v.SourceID, Evidence: e.Record.Evidence,
				Commitment: v.Commitment, Chunks: v.ChunkCount, Collection: v.Collection,
			}
		}
		if id := e.Record.Subject; mine(id) {
			switch e.Record.Kind {
			case provenance.KindExecutionStarted:
				begun[id] = e.Record.Time
			case provenance.KindExecutionEnded:
				completed[id] = true
			}
		}
		p.apply(e)
	})
	if err != nil {
		return err
	}
	p.end()
	for _, id := range slices.Sorted(maps.Keys(begun)) {
		if !completed[id] && begun[id].Before(a.since.Add(-executionTime)) {
			a.problem(provenance.Problem{Code: ExecutionUnfinished, Seq: -1, ID: id, Detail: "begun " + begun[id].Format(time.RFC3339) + ", no completion"})
		}
	}
	for _, compare := range []func() error{
		func() error { return a.events(mine, events) },
		func() error { return a.runs(mine, p.runs) },
		func() error { return a.gates(mine, p.gates) },
		func() error { return a.chunks(mine, p.chunks) },
	} {
		if err := compare(); err != nil {
			return err
		}
	}
	return nil
}

// records reads all records in the order of their numbers.
func (a *audit) records(f func(canon []byte, id chunk.ID)) error {
	var from int64
	for {
		rows, err := a.q.QueryContext(a.ctx, "SELECT n, record_id, canon FROM record WHERE n > $1 ORDER BY n LIMIT $2", from, page)
		if err != nil {
			return err
		}
		got := 0
		if err := each(rows, func(r *sql.Rows) error {
			var id chunk.ID
			var canon sql.RawBytes
			if err := r.Scan(&from, &id, &canon); err != nil {
				return err
			}
			got++
			f(canon, id)
			return nil
		}); err != nil {
			return err
		}
		if got < page {
			return nil
		}
	}
}

// compare walks a table in the order of its ids and takes from want what it
// finds; what remains has no row. same tells whether a row says what the records
// say.
func compare[T any, W any](a *audit, table, columns string, mine func(chunk.ID) bool, want map[chunk.ID]W, code provenance.Code,
	scan func(scanner) (chunk.ID, T, error), same func(T, W) bool) error {
	from := ""
	for {
		rows, err := a.q.QueryContext(a.ctx, "SELECT "+columns+" FROM "+table+" WHERE id > $1 ORDER BY id LIMIT $2", from, page)
		if err != nil {
			return err
		}
		got := 0
		if err := each(rows, func(r *sql.Rows) error {
			id, row, err := scan(r)
			if err != nil {
				return err
			}
			got++
			from = string(id)
			if !mine(id) {
				return nil
			}
			w, ok := want[id]
			delete(want, id)
			switch {
			case !ok:
				a.problem(provenance.Problem{Code: code, Seq: -1, ID: id, Detail: "the table has it, and no record does"})
			case !same(row, w):
				a.problem(provenance.Problem{Code: code, Seq: -1, ID: id, Detail: "the table says something else than the records"})
			}
			return nil
		}); err != nil {
			return err
		}
		if got < page {
			break
		}
	}
	left := make([]chunk.ID, 0, len(want))
	for id := range want {
		left = append(left, id)
	}
	slices.Sort(left)
	for _, id := range left {
		a.problem(provenance.Problem{Code: code, Seq: -1, ID: id, Detail: "the records have it, and the table does not"})
	}
	return nil
}

func (a *audit) events(mine func(chunk.ID) bool, want map[chunk.ID]Event) error {
	a.out.Documents += int64(len(want))
	return compare(a, "event", eventColumns, mine, want, EventMismatch,
		func(r scanner) (chunk.ID, Event, error) { e, err := scanEvent(r); return e.ID, e, err },
		func(row, w Event) bool {
			// The scope and the time of reception stand in no record.
			row.Scope, row.Received = "", time.Time{}
			return row == w
		})
}

func (a *audit) runs(mine func(chunk.ID) bool, want map[chunk.ID]*runState) error {
	return compare(a, "run", runColumns, mine, want, RunMismatch, scanRun, func(row runState, w *runState) bool { return row.equal(*w) })
}

func (a *audit) gates(mine func(chunk.ID) bool, want map[chunk.ID]*Gate) error {
	return compare(a, "gate", gateColumns, mine, want, GateMismatch,
		func(r scanner) (chunk.ID, Gate, error) { g, err := scanGate(r); return g.ID, g, err },
		func(row Gate, w *Gate) bool { return row.equal(*w) && row.opens(*w) })
}

// opens compares what a gate was opened with.
func (g Gate) opens(o Gate) bool {
	return g.Tenant == o.Tenant && g.Type == o.Type && g.Source == o.Source && g.ToolID == o.ToolID && g.Run == o.Run && g.About == o.About &&
		g.Class == o.Class && slices.Equal(g.Rules, o.Rules) && g.Score == o.Score && g.Failure == o.Failure && g.Opened.Equal(o.Opened) &&
		micros(g.Expires) == micros(o.Expires)
}

// chunks compares the rows, and accounts for every chunk the records know.
func (a *audit) chunks(mine func(chunk.ID) bool, want map[chunk.ID]*Chunk) error {
	a.out.Chunks += int64(len(want))
	var waiting []*Chunk
	for _, c := range want {
		if c.Disposition.Final() {
			a.out.Final[c.Disposition.String()]++
		} else {
			waiting = append(waiting, c)
		}
	}
	slices.SortFunc(waiting, func(x, y *Chunk) int {
		if x.ID < y.ID {
			return -1
		}
		return 1
	})
	for part := range slices.Chunk(waiting, page) {
		if err := a.unfinished(part); err != nil {
			return err
		}
	}
	return compare(a, "chunk", chunkColumns, mine, want, ChunkMismatch,
		func(r scanner) (chunk.ID, Chunk, error) { c, err := scanChunk(r); return c.ID, c, err },
		func(row Chunk, w *Chunk) bool { return row == *w })
}

// unfinished tells chunks that wait at an open gate or are under way from those
// that nobody will finish.
func (a *audit) unfinished(chunks []*Chunk) error {
	var ids []chunk.ID
	for _, c := range chunks {
		ids = append(ids, c.Gate)
	}
	gates := map[chunk.ID]Gate{}
	rows, err := a.q.QueryContext(a.ctx, expand(a.s.d, "SELECT "+gateColumns+" FROM gate WHERE id {in}"), a.s.d.keysArg(keys(ids)))
	if err != nil {
		return err
	}
	if err := each(rows, func(r *sql.Rows) error {
		g, err := scanGate(r)
		gates[g.ID] = g
		return err
	}); err != nil {
		return err
	}
	for _, c := range chunks {
		g, gated := gates[c.Gate]
		last := c.Accepted
		if gated && g.DecidedAt.After(last) {
			last = g.DecidedAt
		}
		switch {
		case gated && (g.State == GateOpen || g.State == GateClaimed):
			a.out.Pending++
		case last.After(a.since):
			a.out.InFlight++
		default:
			detail := "no scan"
			if c.Verdict != "" {
				detail = "scanned " + c.Verdict
			}
			if gated {
				detail += ", gate " + g.State
			} else {
				detail += ", no gate"
			}
			a.problem(provenance.Problem{Code: ChunkUnfinished, Seq: -1, ID: c.ID, Detail: detail + ", document " + string(c.Event)})
		}
	}
	return nil
}

// bookkeeping reports ends that were refused and records nobody seals.
func (a *audit) bookkeeping() error {
	rows, err := a.q.QueryContext(a.ctx, "SELECT record_id, kind, once, said, stands FROM refused ORDER BY n")
	if err != nil {
		return err
	}
	a.out.Refused = map[string]int64{}
	if err := each(rows, func(r *sql.Rows) error {
		var id chunk.ID
		var kind, once, said, stands string
		if err := r.Scan(&id, &kind, &once, &said, &stands); err != nil {
			return err
		}
		a.out.Refused[kind]++
		if about, ok := strings.CutPrefix(once, "end "); ok && said != stands {
			a.problem(provenance.Problem{Code: DispositionRefused, Seq: -1, ID: chunk.ID(about), Detail: fmt.Sprintf("%s stands; %s was refused (%s)", stands, said, id)})
		}
		return nil
	}); err != nil {
		return err
	}
	rows, err = a.q.QueryContext(a.ctx, `SELECT record_id FROM record r WHERE at < $1 AND NOT EXISTS (SELECT 1 FROM leaf l WHERE l.record_id = r.record_id) ORDER BY n`, micros(a.since))
	if err != nil {
		return err
	}
	return each(rows, func(r *sql.Rows) error {
		var id chunk.ID
		if err := r.Scan(&id); err != nil {
			return err
		}
		a.problem(provenance.Problem{Code: RecordUnsealed, Seq: -1, ID: id})
		return nil
	})
}
