package ledger

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// How projections lie in tables: one scan and one row function each.

const eventColumns = "id, run, scope, tenant, source, evidence, commitment, chunks, collection, received"

type scanner interface{ Scan(...any) error }

func scanEvent(r scanner) (Event, error) {
	var e Event
	var received int64
	err := r.Scan(&e.ID, &e.Run, &e.Scope, &e.Tenant, &e.Source, &e.Evidence, &e.Commitment, &e.Chunks, &e.Collection, &received)
	e.Received = fromMicros(received)
	return e, err
}

const runColumns = "id, tenant, class, halts, ended, incomplete, opened"

func scanRun(r scanner) (chunk.ID, runState, error) {
	var id chunk.ID
	var st runState
	var halts string
	var opened int64
	err := r.Scan(&id, &st.tenant, &st.rank, &halts, &st.ended, &st.incomplete, &opened)
	st.halts, st.opened = strings.Fields(halts), fromMicros(opened)
	return id, st, err
}

const chunkColumns = "id, event, run, tenant, ordinal, verdict, band, score, gate, disposition, accepted"

func scanChunk(r scanner) (Chunk, error) {
	var c Chunk
	var band, disposition string
	var accepted int64
	err := r.Scan(&c.ID, &c.Event, &c.Run, &c.Tenant, &c.Ordinal, &c.Verdict, &band, &c.Score, &c.Gate, &disposition, &accepted)
	if err != nil {
		return c, err
	}
	c.Accepted = fromMicros(accepted)
	if err := c.Band.UnmarshalText([]byte(band)); err != nil {
		return c, err
	}
	return c, c.Disposition.UnmarshalText([]byte(disposition))
}

const gateColumns = `id, tenant, type, state, source, tool, run, about, class, rules, score, failure, opened, expires,
	reviewer, lease_until, decision, origin, reason, note, decided, effect, applied`

func scanGate(r scanner) (Gate, error) {
	var g Gate
	var class, rules string
	var opened, expires, lease, decided, applied int64
	err := r.Scan(&g.ID, &g.Tenant, &g.Type, &g.State, &g.Source, &g.ToolID, &g.Run, &g.About, &class, &rules, &g.Score, &g.Failure, &opened, &expires,
		&g.Reviewer, &lease, &g.Decision, &g.DecisionOrigin, &g.ReasonCode, &g.Note, &decided, &g.Effect, &applied)
	if err != nil {
		return g, err
	}
	g.Opened, g.Expires, g.LeaseUntil = fromMicros(opened), fromMicros(expires), fromMicros(lease)
	g.DecidedAt, g.AppliedAt = fromMicros(decided), fromMicros(applied)
	if err := json.Unmarshal([]byte(rules), &g.Rules); err != nil {
		return g, err
	}
	return g, g.Class.UnmarshalText([]byte(class))
}

var (
	lockRuns        = byKeys("SELECT " + runColumns + " FROM run WHERE id {in}{lock}")
	lockChunks      = byKeys("SELECT " + chunkColumns + " FROM chunk WHERE id {in}{lock}")
	lockEventChunks = byKeys("SELECT " + chunkColumns + " FROM chunk WHERE event {in}{lock}")
	lockGates       = byKeys("SELECT " + gateColumns + " FROM gate WHERE id {in}{lock}")
)

// The writes. Beyond the row locks, the statements themselves never let a fact
// fall back: class, ended and incomplete only rise, a disposition is only given to
// a chunk that has none, a gate is only moved forward.
var (
	insertRuns = many("id text, tenant text, opened bigint",
		`WITH {v} INSERT INTO run (id, tenant, class, halts, ended, incomplete, opened)
		 SELECT id, tenant, 0, '', false, false, opened FROM v WHERE true ORDER BY id ON CONFLICT DO NOTHING`)
	updateRuns = many("id text, class bigint, halts text, ended boolean, incomplete boolean, opened bigint",
		`WITH {v} UPDATE run SET class = {max}(run.class, v.class), halts = v.halts, ended = run.ended OR v.ended,
		   incomplete = run.incomplete OR v.incomplete, opened = v.opened
		 FROM v WHERE run.id = v.id`)
	insertChunks = many("id text, event text, run text, tenant text, ordinal bigint, accepted bigint",
		`WITH {v} INSERT INTO chunk (id, event, run, tenant, ordinal, verdict, band, score, gate, disposition, accepted)
		 SELECT id, event, run, tenant, ordinal, '', 'unknown', 0, '', 'pending', accepted FROM v WHERE true ON CONFLICT DO NOTHING`)
	updateChunks = many("id text, verdict text, band text, score double, gate text, disposition text",
		`WITH {v} UPDATE chunk SET verdict = v.verdict, band = v.band, score = v.score, gate = v.gate, disposition = v.disposition
		 FROM v WHERE chunk.id = v.id AND (chunk.disposition = 'pending' OR chunk.disposition = v.disposition)`)
	insertGates = many("id text, tenant text, type text, source text, tool text, run text, about text, class text, rules text, score double, failure text, opened bigint, expires bigint",
		`WITH {v} INSERT INTO gate (id, tenant, type, state, source, tool, run, about, class, rules, score, failure, opened, expires,
		   reviewer, lease_until, decision, origin, reason, note, decided, effect, applied)
		 SELECT id, tenant, type, 'open', source, tool, run, about, class, rules, score, failure, opened, expires,
		   '', 0, '', '', '', '', 0, '', 0 FROM v WHERE true ORDER BY ord ON CONFLICT DO NOTHING`)
	updateGates = many("id text, state text, reviewer text, lease_until bigint, decision text, origin text, reason text, note text, decided bigint, effect text, applied bigint",
		`WITH {v} UPDATE gate SET state = v.state, reviewer = v.reviewer, lease_until = v.lease_until, decision = v.decision, origin = v.origin,
		   reason = v.reason, note = v.note, decided = v.decided, effect = v.effect, applied = v.applied
		 FROM v WHERE gate.id = v.id AND (gate.decision = '' OR gate.decision = v.decision)`)
)

// project brings the projections to what the new records say. Rows are made
// first, then locked in the order of their ids, so that concurrent processes wait
// for each other and never in a circle.
func (t *tx) project(entries []provenance.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	var on touched
	var chunkRows, gateRows, runRows [][]any
	for _, e := range entries {
		on.add(e)
		r := e.Record
		switch p := e.Payload.(type) {
		case *provenance.Accepted:
			for i := range p.ChunkCount {
				chunkRows = append(chunkRows, []any{
					string(chunk.ChunkID(p.EventID, i)), string(p.EventID), string(r.Run), r.Tenant, int64(i), micros(r.Time),
				})
			}
		case *provenance.GateOpened:
			fresh := newProjection()
			fresh.gateOpened(r, p)
			g := fresh.gates[p.GateID]
			rules, err := json.Marshal(g.Rules)
			if err != nil {
				return err
			}
			gateRows = append(gateRows, []any{
				string(g.ID), g.Tenant, g.Type, g.Source, g.ToolID, string(g.Run), string(g.About), g.Class.String(), string(rules),
				g.Score, string(g.Failure), micros(g.Opened), micros(g.Expires),
			})
		}
	}
	// What the records do not name yet by a row is made by apply; runs are made
	// here so that they can be locked.
	opened := newProjection()
	for _, e := range entries {
		opened.apply(e)
	}
	for id, st := range opened.runs {
		runRows = append(runRows, []any{string(id), st.tenant, micros(st.opened)})
	}
	for _, w := range []struct {
		st   *statement
		rows [][]any
	}{{insertRuns, runRows}, {insertChunks, chunkRows}, {insertGates, gateRows}} {
		if _, err := t.many(w.st, w.rows); err != nil {
			return err
		}
	}

	p := newProjection()
	beforeRuns, beforeChunks, beforeGates := map[chunk.ID]runState{}, map[chunk.ID]Chunk{}, map[chunk.ID]Gate{}
	loadChunk := func(rows *sql.Rows) error {
		c, err := scanChunk(rows)
		beforeChunks[c.ID], p.chunks[c.ID] = c, &c
		return err
	}
	if err := t.lookup(lockRuns, keys(on.runs), func(rows *sql.Rows) error {
		id, st, err := scanRun(rows)
		before := st
		before.halts = slices.Clone(st.halts)
		beforeRuns[id], p.runs[id] = before, &st
		return err
	}); err != nil {
		return err
	}
	if err := t.lookup(lockChunks, keys(on.chunks), loadChunk); err != nil {
		return err
	}
	if err := t.lookup(lockEventChunks, keys(on.events), loadChunk); err != nil {
		return err
	}
	if err := t.lookup(lockGates, keys(on.gates), func(rows *sql.Rows) error {
		g, err := scanGate(rows)
		beforeGates[g.ID], p.gates[g.ID] = g, &g
		return err
	}); err != nil {
		return err
	}
	for _, e := range entries {
		if r := p.runs[e.Record.Run]; r != nil && r.tenant != e.Record.Tenant {
			return ErrTenant
		}
		p.apply(e)
	}

	runRows, chunkRows, gateRows = nil, nil, nil
	for id, st := range p.runs {
		if b := beforeRuns[id]; !st.equal(b) {
			runRows = append(runRows, []any{string(id), int64(st.rank), strings.Join(st.halts, " "), st.ended, st.incomplete, micros(st.opened)})
		}
	}
	for id, c := range p.chunks {
		if *c != beforeChunks[id] {
			chunkRows = append(chunkRows, []any{string(id), c.Verdict, c.Band.String(), c.Score, string(c.Gate), c.Disposition.String()})
		}
	}
	for id, g := range p.gates {
		if !g.equal(beforeGates[id]) {
			gateRows = append(gateRows, []any{
				string(id), g.State, g.Reviewer, micros(g.LeaseUntil), g.Decision, g.DecisionOrigin, g.ReasonCode, g.Note, micros(g.DecidedAt),
				g.Effect, micros(g.AppliedAt),
			})
		}
	}
	for _, w := range []struct {
		st   *statement
		rows [][]any
	}{{updateRuns, runRows}, {updateChunks, chunkRows}, {updateGates, gateRows}} {
		n, err := t.many(w.st, w.rows)
		if err != nil {
			return err
		}
		if n != len(w.rows) {
			return errRace
		}
	}
	return nil
}

func (r runState) equal(o runState) bool {
	return r.tenant == o.tenant && r.rank == o.rank && slices.Equal(r.halts, o.halts) && r.ended == o.ended && r.incomplete == o.incomplete &&
		r.opened.Equal(o.opened)
}

func (g *Gate) equal(o Gate) bool {
	return g.State == o.State && g.Reviewer == o.Reviewer && g.Decision == o.Decision && g.DecisionOrigin == o.DecisionOrigin &&
		g.ReasonCode == o.ReasonCode && g.Note == o.Note && g.Effect == o.Effect && g.LeaseUntil.Equal(o.LeaseUntil) &&
		g.DecidedAt.Equal(o.DecidedAt) && g.AppliedAt.Equal(o.AppliedAt)
}

// keys gives the distinct ids that are not empty.
func keys(ids []chunk.ID) []string {
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if id != "" {
			out = append(out, string(id))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
