package guard

import (
	"slices"
	"sort"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Recipient is a role that a model's output may go to (SPEC EGR-5).
type Recipient struct {
	Role      string      `yaml:"role" json:"role"`
	Clearance chunk.Class `yaml:"clearance" json:"clearance"` // the highest class it may see
	// Automatic is a receiver that is no person: a connector, another agent. What
	// exceeds its clearance is not redacted and passed on, it waits for a person.
	Automatic bool `yaml:"automatic,omitempty" json:"automatic,omitempty"`
}

// DefaultRecipients are the roles a deployment has when it names none.
var DefaultRecipients = []Recipient{
	{Role: "public", Clearance: chunk.Public},
	{Role: "user", Clearance: chunk.Internal},
	{Role: "human-operator", Clearance: chunk.Restricted},
	{Role: "pii-authorized-reviewer", Clearance: chunk.PII},
	{Role: "system", Clearance: chunk.Internal, Automatic: true},
}

// Clearance gives the highest class that a role may see.
func (g *Guard) Clearance(role string) (chunk.Class, bool) {
	r, ok := g.recipients[role]
	return r.Clearance, ok
}

// Output is a model's output on its way to a receiver.
type Output struct {
	Text          []byte
	RecipientRole string
	Stubs         []Stub // the run's, with values where the caller could open them
	Unknown       bool   // the run has more than Stubs holds
}

// OutputDecision is the answer to an [Output].
type OutputDecision struct {
	Decision
	Redact      []chunk.Entity // what must be replaced before delivery, in order, not overlapping
	OutputClass chunk.Class    // class of what is delivered: no higher than the receiver's clearance
}

// DecideOutput answers whether an output may go on, and what of it must be replaced
// first (SPEC EGR-5, QUA-3). A person gets it redacted to their role's clearance; an
// automatic receiver gets nothing until a person decided, and raw pii reaches nobody
// before that, whatever the role that the agent named may see. Secrets go to nobody.
func (g *Guard) DecideOutput(o Output, s RunState) OutputDecision {
	d := OutputDecision{Decision: Decision{DataClass: s.Class}}
	refuse := func(f chunk.FailureID, r Rule) OutputDecision {
		d.Decision = d.Decision.deny(f, r)
		return d
	}
	if f := s.Refusal(); f != chunk.FailNone {
		return refuse(f, RuleState)
	}
	to, ok := g.recipients[o.RecipientRole]
	if !ok {
		return refuse(chunk.FailSinkUnauthorised, RuleRecipient)
	}
	if len(o.Text) > MaxArgumentBytes || !g.judges() || o.Unknown {
		return refuse(chunk.FailUndecided, RuleUnreadable)
	}
	d.SinkVerified = true

	values := hidden(o.Stubs)
	class := chunk.Public
	var redact []chunk.Entity
	own := surrogatesOf(o.Stubs).spans(o.Text)
	kept := slices.Clone(own)
	for _, e := range g.opts.Recognise(o.Text) {
		if slices.ContainsFunc(own, func(s chunk.Entity) bool { return s.Start <= e.Start && e.End <= s.End }) {
			continue // nobody's
		}
		found := g.opts.ClassOf([]chunk.Entity{e})
		if e.Type == "SECRET" || found.Exceeds(to.Clearance) {
			redact = append(redact, e)
			d.Found = append(d.Found, Found{Type: e.Type, Class: found})
			continue
		}
		class, kept = class.Max(found), append(kept, e)
	}
	values.spans(o.Text, func(span chunk.Span, own chunk.Class) {
		if own.Exceeds(to.Clearance) {
			redact = append(redact, chunk.Entity{Type: typeValue, Span: span, Score: 1})
			d.Found = append(d.Found, Found{Type: typeValue, Class: own})
			return
		}
		class, kept = class.Max(own), append(kept, chunk.Entity{Type: typeValue, Span: span, Score: 1})
	})
	d.Redact = Merge(redact)

	// What is left after redaction must be clean behind its encodings too. What is
	// found there has no place in the text that could be replaced.
	hiddenAway := false
	budget := peelBudget
	readable := peel(Replace(o.Text, Merge(append(kept, redact...))), &budget, func(text []byte, views []string) {
		if len(views) == 0 {
			return
		}
		see := func(typ string, own chunk.Class) {
			if typ != "SECRET" && !own.Exceeds(to.Clearance) && !own.Exceeds(chunk.Restricted) {
				return
			}
			hiddenAway = true
			if len(d.Found) < maxFound {
				d.Found = append(d.Found, Found{Type: typ, Class: own, Views: views})
			}
		}
		g.recognise(text, views, see)
		values.find(text, func(own chunk.Class) { see(typeValue, own) })
	})
	for _, f := range d.Found {
		d.DataClass = d.DataClass.Max(f.Class)
	}
	d.OutputClass = class
	switch {
	case !readable:
		return refuse(chunk.FailUndecided, RuleUnreadable)
	case hiddenAway:
		d.Outcome, d.Failure, d.Rule, d.Gate = Gated, chunk.FailPIILeakRisk, RuleOutputHidden, GatePIILeak
	case len(d.Redact) > 0 && to.Automatic:
		d.Outcome, d.Failure, d.Rule, d.Gate = Gated, chunk.FailPIILeakRisk, RuleOutput, GatePIILeak
	case class.Exceeds(chunk.Restricted):
		// The agent names its receiver. Raw pii goes to nobody on its word alone, not to a
		// role that may see it either: a person decides (SPEC QUA-3).
		d.Outcome, d.Failure, d.Rule, d.Gate = Gated, chunk.FailPIILeakRisk, RuleOutput, GatePIILeak
	case len(d.Redact) > 0:
		d.Outcome, d.Rule = Allow, RuleOutput
	default:
		d.Outcome, d.Rule = Allow, RuleOutputClean
	}
	return d
}

// Judge gives a function that says which class a text has by what it holds: what
// recognisers find and values that stubs of the run stand for, behind its encodings too.
// ok is false where that could not be read within the bounds. It may be used by several
// goroutines at once.
func (g *Guard) Judge(stubs []Stub) func(text string) (class chunk.Class, ok bool) {
	values := hidden(stubs)
	return func(text string) (chunk.Class, bool) {
		if !g.judges() || len(text) > MaxArgumentBytes {
			return chunk.Unclassified, false
		}
		class := chunk.Public
		budget := peelBudget
		ok := peel([]byte(text), &budget, func(t []byte, views []string) {
			g.recognise(t, views, func(_ string, found chunk.Class) { class = class.Max(found) })
			values.find(t, func(found chunk.Class) { class = class.Max(found) })
		})
		return class, ok
	}
}

// Replace gives text with each of the entities, which are in order and do not
// overlap, replaced by its type in braces.
func Replace(text []byte, entities []chunk.Entity) []byte {
	out := make([]byte, 0, len(text))
	at := 0
	for _, e := range entities {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			continue
		}
		out = append(out, text[at:e.Start]...)
		out = append(out, '{')
		out = append(out, e.Type...)
		out = append(out, '}')
		at = e.End
	}
	return append(out, text[at:]...)
}

// Merge sorts entities and joins those that overlap, so that no fragment of a found
// value stays behind.
func Merge(in []chunk.Entity) []chunk.Entity {
	sort.SliceStable(in, func(i, j int) bool { return in[i].Start < in[j].Start })
	var out []chunk.Entity
	for _, e := range in {
		if n := len(out); n > 0 && e.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, e.End)
			if out[n-1].Type == typeValue {
				out[n-1].Type, out[n-1].Rule = e.Type, e.Rule
			}
			continue
		}
		out = append(out, e)
	}
	return out
}

// DecideMemory answers whether text may be written to memory (SPEC EGR-4). The
// scratchpad belongs to one run and is governed by its class; memory that outlives
// the run takes restricted and pii only into a sink that is designated for it.
func (g *Guard) DecideMemory(space string, text []byte, sink string, s RunState) Decision {
	d := Decision{DataClass: s.Class}
	if f := s.Refusal(); f != chunk.FailNone {
		return d.deny(f, RuleState)
	}
	if !g.judges() {
		return d.deny(chunk.FailUndecided, RuleUnreadable)
	}
	budget := peelBudget
	readable := peel(text, &budget, func(t []byte, views []string) {
		g.recognise(t, views, func(_ string, class chunk.Class) { d.DataClass = d.DataClass.Max(class) })
	})
	if !readable {
		return d.deny(chunk.FailUndecided, RuleUnreadable)
	}
	own, designated := g.sinks[sink]
	switch {
	case sink != "" && (!designated || d.DataClass.Exceeds(own.Ceiling)):
		return d.deny(chunk.FailSinkUnauthorised, RuleSink)
	case sink == "" && space != Scratchpad && d.DataClass.Exceeds(chunk.Internal):
		return d.deny(chunk.FailPIILeakRisk, RuleMemory)
	case sink == "" && space == Scratchpad && d.DataClass.Exceeds(chunk.Restricted):
		return d.deny(chunk.FailPIILeakRisk, RuleMemory) // a pii run's scratchpad is never kept outside an authorised sink
	}
	if sink != "" {
		d.Sink, d.SinkVerified = sink, true
	}
	d.Outcome, d.Rule = Allow, RuleMemory
	return d
}

// The memory spaces.
const (
	Scratchpad = "scratchpad" // of one run, gone with it
	CrossRun   = "cross-run"
)

// Sink gives a sink of the registry: one with a ceiling of its own, or one that a
// tool is authorised for.
func (g *Guard) Sink(id string) (Sink, bool) {
	if s, ok := g.sinks[id]; ok {
		return s, true
	}
	for _, t := range g.tools {
		if slices.Contains(t.Sinks, id) {
			return Sink{ID: id, Ceiling: t.Ceiling}, true
		}
	}
	return Sink{}, false
}
