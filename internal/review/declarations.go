package review

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/guard"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Declared says where a declaration stands.
type Declared struct {
	ID         chunk.ID           `json:"declaration_id"`
	Run        chunk.ID           `json:"run_id"`
	Operation  string             `json:"operation,omitempty"`
	Decision   string             `json:"decision"`
	Outcome    guard.Outcome      `json:"-"`
	Failure    chunk.FailureID    `json:"failure_id,omitempty"`
	Rule       guard.Rule         `json:"rule,omitempty"`
	Risk       guard.Risk         `json:"risk,omitempty"`
	Fields     []guard.FieldError `json:"fields,omitempty"`
	Found      []guard.Found      `json:"found,omitempty"` // what stopped it: where and what kind, never what
	Gate       chunk.ID           `json:"gate_id,omitempty"`
	GateState  string             `json:"gate_state,omitempty"`
	ReasonCode string             `json:"reason_code,omitempty"`
}

// Declare decides a declaration (SPEC DEC-1 … DEC-3) and records it. Session and
// phase are recorded only in their proper form, for they are the agent's text.
func (k *Gatekeeper) Declare(ctx context.Context, tenant, actor string, run chunk.ID, d guard.Declaration, by guard.Standing) (Declared, error) {
	if err := k.Own(ctx, tenant, run); err != nil {
		return Declared{}, err
	}
	state, err := k.State(ctx, run)
	if err != nil {
		return Declared{}, err
	}
	id := chunk.NewID(prefixDeclaration, tenant, string(run), nonce())
	v := k.guard.Declare(d, by)
	if f := state.Refusal(); f != chunk.FailNone {
		v.Outcome, v.Failure, v.Rule, v.Gate = guard.Deny, f, guard.RuleState, ""
	}
	var b ledger.Batch
	var stopped judged
	if v.Outcome != guard.Deny {
		// What the parameters hold is judged as a tool call's arguments are: an address can
		// carry as much out of a run as a mail.
		judged, err := k.judgeOperation(ctx, tenant, actor, run, id, d, state)
		if err != nil {
			return Declared{}, err
		}
		b = judged.batch
		switch {
		case judged.Outcome == guard.Deny:
			stopped = judged
			v.Outcome, v.Failure, v.Rule, v.Gate = guard.Deny, judged.Failure, judged.Rule, ""
		case judged.Outcome == guard.Gated && v.Outcome == guard.Allow:
			v.Outcome, v.Failure, v.Rule, v.Gate, v.Risk = guard.Gated, judged.Failure, judged.Rule, guard.GateDeclaration, guard.RiskHigh
		}
	}
	out := Declared{ID: id, Run: run, Operation: v.Operation, Decision: decisionName(v.Outcome), Outcome: v.Outcome, Failure: v.Failure, Rule: v.Rule, Risk: v.Risk, Fields: v.Fields, Found: stopped.Found, Gate: stopped.gate}
	if out.Gate != "" {
		out.GateState = ledger.GateOpen
	}
	payload := provenance.Declaration{RunID: run, Operation: v.Operation, Decision: out.Decision}
	if payload.Operation == "" {
		payload.Operation = unregistered
	}
	if d.Phase == guard.PhasePlanning || d.Phase == guard.PhaseExecution {
		payload.Phase = d.Phase
	} else {
		payload.Phase = "unknown"
	}
	if key, err := k.vault.StubKey(ctx, run); err != nil {
		return Declared{}, fromVault(err)
	} else if d.SessionID != "" {
		payload.SessionID = string(chunk.KeyedID(key, "ses", d.SessionID))
	}
	rec, err := k.record(provenance.KindDeclaration, provenance.RecordID(provenance.KindDeclaration, id), tenant, run, id, actor, v.Failure, payload)
	if err != nil {
		return Declared{}, err
	}
	b.Records = append([]provenance.Record{rec}, b.Records...)
	if v.Gate != "" {
		out.Gate, out.GateState = chunk.GateID(id), ledger.GateOpen
		opened, err := k.record(provenance.KindGateOpened, provenance.RecordID(provenance.KindGateOpened, out.Gate), tenant, run, out.Gate, actor, v.Failure,
			provenance.GateOpened{
				GateID: out.Gate, Type: TypeDeclaration, RunID: run, About: id, ToolID: v.Operation, Class: state.Class, Rules: []string{string(v.Rule)},
				Failure: v.Failure, Expires: k.now().UTC().Add(k.cfg.Expires),
			})
		if err != nil {
			return Declared{}, err
		}
		b.Records = append(b.Records, opened)
	}
	if v.Outcome != guard.Deny { // for who decides, and for who carries it out
		text, err := json.Marshal(d)
		if err != nil {
			return Declared{}, ErrDecision
		}
		h, err := k.sealMatter(ctx, run, id, matter{Declaration: text})
		if err != nil {
			return Declared{}, err
		}
		b.Held = append(b.Held, h)
	}
	if _, err := k.append(ctx, b); err != nil {
		return Declared{}, err
	}
	return out, nil
}

// judged is a declaration's parameters, judged, and what is to be recorded of it.
type judged struct {
	guard.Decision
	batch ledger.Batch
	gate  chunk.ID // about what was stopped
}

// judgeOperation judges what a declaration would take out of its run, with the records
// that the construction of a call leaves (SPEC PRV-4, PRV-6).
func (k *Gatekeeper) judgeOperation(ctx context.Context, tenant, actor string, run, id chunk.ID, d guard.Declaration, state guard.RunState) (judged, error) {
	stubs, all, err := k.stubs(ctx, run)
	if err != nil {
		return judged{}, err
	}
	out := judged{Decision: k.guard.DecideOperation(guard.Call{Tool: d.Operation, Arguments: d.Parameters, Stubs: stubs, Unknown: !all}, state)}
	recorded := out.Decision
	if recorded.Outcome == guard.Gated { // its gate is the declaration's own
		recorded.Gate, recorded.Failure = "", chunk.FailNone
	}
	a := Answer{Call: id, Tool: d.Operation, Arguments: recorded.ArgumentNames}
	if a.Arguments == nil {
		a.Arguments = []string{}
	}
	out.batch, err = k.callRecords(ctx, Request{Tenant: tenant, Actor: actor, Run: run, Tool: d.Operation, Arguments: d.Parameters}, recorded, &a)
	out.gate = a.Gate
	return out, err
}

// declared reads the record of a declaration.
func (k *Gatekeeper) declared(ctx context.Context, tenant string, id chunk.ID) (provenance.Record, *provenance.Declaration, error) {
	if !chunk.ValidID(string(id), prefixDeclaration) {
		return provenance.Record{}, nil, ErrNotFound
	}
	rec, err := k.store.Record(ctx, provenance.RecordID(provenance.KindDeclaration, id))
	if err != nil {
		return provenance.Record{}, nil, fromLedger(err)
	}
	payload, err := provenance.DecodePayload(rec.Record.Kind, rec.Record.Payload)
	p, ok := payload.(*provenance.Declaration)
	if err != nil || !ok || rec.Record.Tenant != tenant {
		return provenance.Record{}, nil, ErrNotFound
	}
	return rec.Record, p, nil
}

// Declaration says where a declaration stands now.
func (k *Gatekeeper) Declaration(ctx context.Context, tenant string, id chunk.ID) (Declared, error) {
	rec, p, err := k.declared(ctx, tenant, id)
	if err != nil {
		return Declared{}, err
	}
	out := Declared{ID: id, Run: p.RunID, Operation: p.Operation, Decision: p.Decision, Failure: rec.Failure}
	g, err := k.store.Gate(ctx, chunk.GateID(id))
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		if p.Decision == guard.Allow.String() {
			out.Outcome = guard.Allow
		}
	case err != nil:
		return Declared{}, fromLedger(err)
	default:
		out.Gate, out.GateState, out.ReasonCode = g.ID, g.State, g.ReasonCode
		switch {
		case waiting(g):
			out.Outcome = guard.Gated
		case g.Decision == Approve:
			out.Outcome, out.Failure = guard.Allow, chunk.FailNone
		}
	}
	if out.Outcome != guard.Deny {
		state, err := k.State(ctx, p.RunID)
		if err != nil {
			return Declared{}, err
		}
		if f := state.Refusal(); f != chunk.FailNone {
			out.Outcome, out.Failure = guard.Deny, f
		}
	}
	out.Decision = decisionName(out.Outcome)
	return out, nil
}
