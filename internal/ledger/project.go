package ledger

import (
	"slices"
	"time"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// runState is a run as the records say it is. Rank is chunk.Class.Rank of the
// highest class that entered, 0 while none is known; it never falls. Halts are
// the gates that halt the run still.
type runState struct {
	tenant            string
	rank              int
	halts             []string
	ended, incomplete bool
	opened            time.Time
}

// anonymousHalt stands for a halt that names no gate.
const anonymousHalt = "-"

// class turns the rank back. A run of which nothing is known is Unclassified,
// which exceeds every ceiling.
func (r runState) class() chunk.Class {
	for _, c := range chunk.Classes {
		if c.Rank() == r.rank {
			return c
		}
	}
	return chunk.Unclassified
}

// projection holds what records say about runs, chunks and gates. [projection.apply]
// is the only place that knows: the store applies it to the rows it has loaded,
// audit applies it to nothing and compares.
type projection struct {
	runs   map[chunk.ID]*runState
	chunks map[chunk.ID]*Chunk
	gates  map[chunk.ID]*Gate

	// A rebuild begins with nothing and sees every record. only narrows it to a part
	// of the ids, so that it fits in memory; fault is told what the records themselves
	// get wrong; dead holds the events that a dead letter ended, for [projection.end]
	// to carry out.
	only  func(chunk.ID) bool
	fault func(provenance.Problem)
	dead  map[chunk.ID]bool
}

func newProjection() *projection {
	return &projection{runs: map[chunk.ID]*runState{}, chunks: map[chunk.ID]*Chunk{}, gates: map[chunk.ID]*Gate{}}
}

// newRebuild gives a projection for all records, narrowed to the ids that only
// accepts.
func newRebuild(only func(chunk.ID) bool, fault func(provenance.Problem)) *projection {
	p := newProjection()
	p.only, p.fault, p.dead = only, fault, map[chunk.ID]bool{}
	return p
}

// end ends the chunks that dead letters left without a disposition.
func (p *projection) end() {
	for _, c := range p.chunks {
		if p.dead[c.Event] && !c.Disposition.Final() {
			c.Disposition = chunk.DeadLettered
		}
	}
}

// wrong reports, in a rebuild, a record that does not fit the others.
func (p *projection) wrong(code provenance.Code, e provenance.Entry, about chunk.ID, detail string) {
	if p.fault != nil && p.mine(about) {
		p.fault(provenance.Problem{Code: code, Seq: -1, ID: about, Detail: detail + " (" + string(e.Record.ID) + ")"})
	}
}

// touched lists what a record bears on, so that its rows can be loaded and
// locked. events are those all of whose chunks it bears on.
type touched struct{ runs, chunks, gates, events []chunk.ID }

func (t *touched) add(e provenance.Entry) {
	switch p := e.Payload.(type) {
	case *provenance.Accepted:
		t.runs = append(t.runs, e.Record.Run)
		for i := range p.ChunkCount {
			t.chunks = append(t.chunks, chunk.ChunkID(p.EventID, i))
		}
	case *provenance.Classified, *provenance.CeilingExceeded:
		t.runs = append(t.runs, e.Record.Run)
	case *provenance.RunClass, *provenance.RunChanged:
		t.runs = append(t.runs, e.Record.Run)
	case *provenance.Scanned:
		t.chunks = append(t.chunks, p.ChunkID)
	case *provenance.InjectionHit:
		t.chunks = append(t.chunks, p.ChunkID)
	case *provenance.ChunkEnded:
		t.chunks = append(t.chunks, p.ChunkID)
	case *provenance.GateOpened:
		t.gates = append(t.gates, p.GateID)
		if p.About.Prefix() == "chk" {
			t.chunks = append(t.chunks, p.About)
		}
	case *provenance.GateClaimed:
		t.gates = append(t.gates, p.GateID)
	case *provenance.GateDecided:
		t.gates = append(t.gates, p.GateID)
	case *provenance.GateApplied:
		t.gates = append(t.gates, p.GateID)
	case *provenance.DeadLetter:
		t.runs = append(t.runs, e.Record.Run)
		t.events = append(t.events, p.EventID)
	}
}

// run gives the state of a run, which this record opens if nothing is known of it.
func (p *projection) run(e provenance.Entry) *runState {
	id := e.Record.Run
	if id == "" || !p.mine(id) {
		return &runState{} // nobody's: what is written to it is dropped
	}
	r := p.runs[id]
	if r == nil {
		r = &runState{tenant: e.Record.Tenant, opened: e.Record.Time}
		p.runs[id] = r
	}
	if r.tenant != e.Record.Tenant {
		p.wrong(TenantMismatch, e, id, "a record of another tenant")
	}
	if e.Record.Time.Before(r.opened) {
		r.opened = e.Record.Time
	}
	return r
}

// stored is a time as a table keeps it.
func stored(t time.Time) time.Time { return fromMicros(micros(t)) }

func (p *projection) mine(id chunk.ID) bool { return p.only == nil || p.only(id) }

// apply takes one record into account. Apart from what it decides about chunks
// that a dead letter and another disposition race for, it gives the same states
// in whatever order the records come, as concurrent transactions may commit in
// another order than they are sealed in.
func (p *projection) apply(e provenance.Entry) {
	rec := e.Record
	switch v := e.Payload.(type) {
	case *provenance.Accepted:
		p.run(e)
		for i := range v.ChunkCount {
			id := chunk.ChunkID(v.EventID, i)
			if p.mine(id) && p.chunks[id] == nil {
				p.chunks[id] = &Chunk{ID: id, Event: v.EventID, Run: rec.Run, Tenant: rec.Tenant, Ordinal: i, Accepted: rec.Time}
			}
		}
	case *provenance.Classified:
		r := p.run(e)
		r.rank = max(r.rank, v.DataClass.Rank())
	case *provenance.CeilingExceeded:
		r := p.run(e)
		r.rank = max(r.rank, v.Found.Rank())
	case *provenance.RunClass:
		r := p.run(e)
		r.rank = max(r.rank, v.DataClass.Rank())
	case *provenance.RunChanged:
		p.runChanged(e, v)
	case *provenance.DeadLetter:
		if rec.Run != "" {
			p.run(e).incomplete = true
		}
		if v.EventID == "" {
			return
		}
		if p.dead != nil {
			p.dead[v.EventID] = true
			return
		}
		for _, c := range p.chunks {
			if c.Event == v.EventID && !c.Disposition.Final() {
				c.Disposition = chunk.DeadLettered
			}
		}
	case *provenance.Scanned:
		if c := p.chunks[v.ChunkID]; c != nil {
			c.Verdict, c.Band, c.Score = chunk.Clean.String(), v.ConfidenceBand, v.ConfidenceScore
		}
	case *provenance.InjectionHit:
		p.hit(rec, v)
	case *provenance.ChunkEnded:
		c := p.chunks[v.ChunkID]
		switch {
		case c == nil:
			p.wrong(ChunkUnknown, e, v.ChunkID, "ended, and no accepted record has it")
		case c.Disposition.Final() || p.dead[c.Event]:
			p.wrong(DispositionDoubled, e, v.ChunkID, v.Disposition.String()+" after "+c.Disposition.String())
		default:
			c.Disposition = v.Disposition
			if c.Gate == "" {
				c.Gate = v.GateID
			}
		}
	case *provenance.GateOpened:
		p.gateOpened(rec, v)
	case *provenance.GateClaimed:
		g := p.gates[v.GateID]
		if g == nil {
			p.wrong(GateUnknown, e, v.GateID, "claimed, and never opened")
		} else if until := stored(v.Until); until.After(g.LeaseUntil) {
			g.LeaseUntil = until
			if g.State == GateOpen || g.State == GateClaimed {
				g.State, g.Reviewer = GateClaimed, v.Reviewer
			}
		}
	case *provenance.GateDecided:
		g := p.gates[v.GateID]
		if g == nil {
			p.wrong(GateUnknown, e, v.GateID, "decided, and never opened")
		} else if g.State == GateOpen || g.State == GateClaimed {
			g.State = GateDecided
			if v.Decision == "expire" {
				g.State = GateExpired
			}
			g.Decision, g.DecisionOrigin, g.Reviewer = v.Decision, v.DecisionOrigin, v.Reviewer
			g.ReasonCode, g.Note, g.DecidedAt = v.ReasonCode, v.Note, rec.Time
		}
	case *provenance.GateApplied:
		g := p.gates[v.GateID]
		switch {
		case g == nil:
			p.wrong(GateUnknown, e, v.GateID, "applied, and never opened")
		case g.State == GateOpen || g.State == GateClaimed:
			p.wrong(GateUndecided, e, v.GateID, "applied, and never decided")
		case g.AppliedAt.IsZero():
			if g.State == GateDecided {
				g.State = GateApplied
			}
			g.Effect, g.AppliedAt = v.Effect, rec.Time
		}
	}
}

// runChanged: a halt names the gate it waits for, and a resumption of that gate
// lifts it and no other. A resumption that names no gate lifts all.
func (p *projection) runChanged(e provenance.Entry, v *provenance.RunChanged) {
	r := p.run(e)
	gate := string(v.GateID)
	switch e.Record.Kind {
	case provenance.KindRunHalted:
		if gate == "" {
			gate = anonymousHalt
		}
		if i, found := slices.BinarySearch(r.halts, gate); !found {
			r.halts = slices.Insert(r.halts, i, gate)
		}
	case provenance.KindRunResumed:
		r.halts = slices.DeleteFunc(r.halts, func(h string) bool { return gate == "" || h == gate || h == anonymousHalt })
	case provenance.KindRunEnded:
		r.ended = true
	case provenance.KindRunIncomplete:
		r.incomplete = true
	}
}

func (p *projection) hit(rec provenance.Record, v *provenance.InjectionHit) {
	c := p.chunks[v.ChunkID]
	if c == nil || c.Verdict != "" {
		return
	}
	c.Score = v.ConfidenceScore
	switch {
	case v.Disposition == "allow":
		c.Verdict, c.Band = chunk.Clean.String(), chunk.BandMedium
	case rec.Failure == chunk.FailPromptInjection:
		c.Verdict = chunk.Quarantine.String()
	case rec.Failure == chunk.FailInjectionSuspected:
		c.Verdict, c.Band = chunk.Suspect.String(), chunk.BandLow
	default:
		c.Verdict = chunk.Hold.String()
	}
}

func (p *projection) gateOpened(rec provenance.Record, v *provenance.GateOpened) {
	if p.mine(v.GateID) && p.gates[v.GateID] == nil {
		run := v.RunID
		if run == "" {
			run = rec.Run
		}
		p.gates[v.GateID] = &Gate{
			ID: v.GateID, Tenant: rec.Tenant, Type: v.Type, State: GateOpen, Source: v.Source, ToolID: v.ToolID, Run: run, About: v.About,
			Class: v.Class, Rules: v.Rules, Score: v.Score, Failure: v.Failure, Opened: rec.Time, Expires: stored(v.Expires),
		}
	}
	// These hold the chunk they are about. Others ask about it while it goes on: a
	// ceiling, a look at raw evidence.
	switch v.Type {
	case "injection", "suspect", "hold":
		if c := p.chunks[v.About]; c != nil && c.Gate == "" {
			c.Gate = v.GateID
		}
	}
}
