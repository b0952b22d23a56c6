package review

import (
	"context"

	"github.com/stoplog/stoplog/internal/citations"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/cite"
	"github.com/stoplog/stoplog/pkg/guard"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Citations checks the citations of a text that somebody asks about (SPEC QUA-8). Without
// a run nothing is known of where the text comes from, so no host that the text itself
// chose is asked. The records are written before the answer is given.
func (k *Gatekeeper) Citations(ctx context.Context, tenant, actor string, run chunk.ID, text string) (citations.Report, chunk.FailureID, error) {
	if k.cfg.Citations == nil {
		return citations.Report{}, chunk.FailNone, ErrNoCitations
	}
	if len(text) > guard.MaxArgumentBytes {
		return citations.Report{}, chunk.FailNone, ErrTooLarge
	}
	r := citations.Request{Tenant: tenant, Place: citations.Asked, Texts: []string{text}, Judge: k.guard.Judge(nil)}
	subject := run
	if run == "" {
		subject = chunk.NewID("cit", tenant, nonce())
	} else {
		if err := k.Own(ctx, tenant, run); err != nil {
			return citations.Report{}, chunk.FailNone, err
		}
		state, err := k.State(ctx, run)
		if err != nil {
			return citations.Report{}, chunk.FailNone, err
		}
		if f := state.Refusal(); f != chunk.FailNone { // a halted run gets nothing looked up
			return citations.Report{}, f, nil
		}
		if r.Class, r.Judge, err = k.standing(ctx, run, state); err != nil {
			return citations.Report{}, chunk.FailNone, err
		}
	}
	report := k.cfg.Citations.Check(ctx, r)[0]
	recs, err := k.citationRecords(tenant, actor, run, subject, report)
	if err != nil {
		return citations.Report{}, chunk.FailNone, err
	}
	if len(recs) > 0 {
		if _, err := k.append(ctx, ledger.Batch{Records: recs}); err != nil {
			return citations.Report{}, chunk.FailNone, err
		}
	}
	return report, chunk.FailNone, nil
}

// RetrievedCitations checks the citations of chunks of collections on their way into a
// run: a report and its records for each. What joins the run is not in its class yet, so
// class is the highest of the run's and theirs.
func (k *Gatekeeper) RetrievedCitations(ctx context.Context, tenant, actor string, run chunk.ID, class chunk.Class, chunks []chunk.ID, texts []string) ([]citations.Report, []provenance.Record, error) {
	if k.cfg.Citations == nil || len(texts) == 0 {
		return make([]citations.Report, len(texts)), nil, nil
	}
	_, judge, err := k.standing(ctx, run, guard.RunState{Class: class})
	if err != nil {
		return nil, nil, err
	}
	reports := k.cfg.Citations.Check(ctx, citations.Request{Tenant: tenant, Place: citations.Retrieved, Texts: texts, Class: class, Judge: judge})
	var recs []provenance.Record
	for i, r := range reports {
		more, err := k.citationRecords(tenant, actor, run, chunks[i], r)
		if err != nil {
			return nil, nil, err
		}
		recs = append(recs, more...)
	}
	return reports, recs, nil
}

// outputCitations checks an output that the guard would let on. What the citations say is
// left out of the report: an answer repeats nothing of an output that is not delivered.
//
// local: it waits for a person already, so nobody is asked before they decided (SPEC QUA-3).
func (k *Gatekeeper) outputCitations(ctx context.Context, o Output, class chunk.Class, stubs []guard.Stub, local bool) citations.Report {
	r := k.cfg.Citations.Check(ctx, citations.Request{
		Tenant: o.Tenant, Place: citations.Output, Texts: []string{o.Text}, Class: class, Judge: k.guard.Judge(stubs), Local: local,
	})[0]
	for i := range r.Citations {
		r.Citations[i].Value = ""
	}
	return r
}

// standing is what a lookup may say of a run.
func (k *Gatekeeper) standing(ctx context.Context, run chunk.ID, state guard.RunState) (chunk.Class, func(string) (chunk.Class, bool), error) {
	stubs, all, err := k.stubs(ctx, run)
	if err != nil {
		return chunk.Unclassified, nil, err
	}
	if !all { // nobody could say that a lookup tells none of them
		return state.Class, func(string) (chunk.Class, bool) { return chunk.Unclassified, false }, nil
	}
	return state.Class, k.guard.Judge(stubs), nil
}

// citationRecords says how many citations of which kind came to what, and never what they
// say (SPEC PRV-2).
func (k *Gatekeeper) citationRecords(tenant, actor string, run, subject chunk.ID, report citations.Report) ([]provenance.Record, error) {
	var out []provenance.Record
	once := nonce()
	for _, n := range report.Counts() {
		f := n.State.Failure()
		rec, err := k.record(provenance.KindCitation, provenance.RecordID(provenance.KindCitation, subject, n.Kind, n.State.String(), once), tenant, run, subject, actor, f,
			provenance.Citation{RunID: run, Type: n.Kind, Count: n.N, Resolved: n.State == cite.Resolved, FailureID: f})
		if err != nil {
			return nil, err
		}
		out = append(out, rec)
	}
	return out, nil
}

// citationType is what stands in the place of a citation that was taken out.
const citationType = "CITATION"

// citedFamily marks the findings of a card that are citations.
const citedFamily = "citation"

// cited are the findings that a card shows of a report: the citations that are not
// resolved.
func cited(report citations.Report) []chunk.Finding {
	var out []chunk.Finding
	for _, c := range report.Citations {
		if c.State != cite.Resolved {
			out = append(out, chunk.Finding{Rule: c.Kind + "/" + string(c.Reason), Family: citedFamily, Span: c.Span, Score: 1})
		}
	}
	return out
}

// withoutCitations adds to what is replaced in an output the citations that a person did
// not let pass.
func withoutCitations(redact []chunk.Entity, findings []chunk.Finding, size int) []chunk.Entity {
	for _, f := range inside(findings, size) {
		redact = append(redact, chunk.Entity{Type: citationType, Span: f.Span, Score: 1})
	}
	return guard.Merge(redact)
}

// citationRules are the rules of a gate over a report: which kinds are not resolved.
func citationRules(report citations.Report) []string {
	var out []string
	for _, n := range report.Counts() {
		if n.State != cite.Resolved {
			out = append(out, string(guard.RuleCitation)+":"+n.Kind)
		}
	}
	return out
}
