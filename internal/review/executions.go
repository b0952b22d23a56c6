package review

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/guard"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Execution is a declared operation that has begun: its start is recorded, and whoever
// holds it must complete it.
type Execution struct {
	ID, Run    chunk.ID // ID is the declaration's: it is carried out once
	Tenant     string
	Actor      string
	Session    string // keyed, as in records
	Operation  string
	Parameters json.RawMessage
	Names      []string // of the parameters
	Person     bool     // a person approved it; else it was of low risk

	quota string // what its requests are counted under
}

// Ended is how an execution came out.
type Ended struct {
	Failure  chunk.FailureID // none: it was done
	Bytes    int             // of the result, as it came
	Event    chunk.ID        // under which the result came in; empty: there is none to be read
	Evidence string          // of the result
	Source   string          // where the result came from; sealed, for it may be anything
}

// Executed says where an execution stands.
type Executed struct {
	ID        chunk.ID
	Run       chunk.ID
	Operation string
	Started   time.Time
	Completed time.Time // zero: it runs
	Ended
}

// RequestsPerRun bounds what all sessions of one run ask for in a minute: a session's
// name is the agent's own, so a limit for each alone would be none.
const RequestsPerRun = 60

// prefixExecution names the sealed matter of a result.
const prefixExecution = "exec"

func startID(id chunk.ID) chunk.ID { return provenance.RecordID(provenance.KindExecutionStarted, id) }
func endID(id chunk.ID) chunk.ID   { return provenance.RecordID(provenance.KindExecutionEnded, id) }

// Begin decides whether a declaration may be carried out now and, if so, records its
// start (SPEC DEC-5). The caller who gets an [Execution] is the only one, of however
// many that ask in however many processes; it must call [Gatekeeper.Complete]. Without
// one and without an error: Outcome Allow means that it began before, and anything else
// says why it may not.
//
// An approval counts for what was approved, for as long as a gate may wait, and under
// the registry of today. The run's state and class, and what the parameters hold, are
// judged again: the run goes on meanwhile. A refusal is recorded, once a minute.
func (k *Gatekeeper) Begin(ctx context.Context, tenant, actor string, id chunk.ID, by guard.Standing, perMinute int) (*Execution, Declared, error) {
	rec, p, err := k.declared(ctx, tenant, id)
	if err != nil {
		return nil, Declared{}, err
	}
	if rec.Actor != actor { // nobody carries out what another asked for
		return nil, Declared{}, ErrForbidden
	}
	d, err := k.Declaration(ctx, tenant, id)
	if err != nil {
		return nil, Declared{}, err
	}
	switch _, err := k.store.Record(ctx, startID(id)); {
	case err == nil:
		d.Outcome, d.Failure = guard.Allow, chunk.FailNone
		return nil, d, nil
	case !errors.Is(err, ledger.ErrNotFound):
		return nil, Declared{}, fromLedger(err)
	}
	if d.Outcome == guard.Gated {
		return nil, d, nil
	}
	x := Execution{ID: id, Run: p.RunID, Tenant: tenant, Actor: actor, Session: p.SessionID, Operation: p.Operation, Person: d.Gate != ""}
	state, err := k.State(ctx, x.Run)
	if err != nil {
		return nil, Declared{}, err
	}
	if d.Outcome == guard.Allow {
		if d.Rule, d.Failure, d.Fields, err = k.mayBegin(ctx, rec, &x, d, by, state); err != nil {
			return nil, Declared{}, err
		}
	}
	if d.Failure == chunk.FailNone && d.Outcome == guard.Allow {
		if err := k.Count(ctx, x, perMinute); errors.Is(err, ErrQuota) {
			d.Rule, d.Failure = guard.RuleExecutionQuota, chunk.FailQuota
		} else if err != nil {
			return nil, Declared{}, err
		}
	}
	if d.Failure != chunk.FailNone || d.Outcome != guard.Allow {
		d.Outcome, d.Decision = guard.Deny, decisionName(guard.Deny)
		if d.Rule == "" {
			d.Rule = guard.RuleState
		}
		return nil, d, k.blockExecution(ctx, x, state, d)
	}
	pointer, err := k.vault.Put(ctx, tenant, x.Run, x.Parameters)
	if err != nil {
		return nil, Declared{}, fromVault(err)
	}
	start, err := k.record(provenance.KindExecutionStarted, startID(id), tenant, x.Run, id, actor, chunk.FailNone, x.payload(guard.Allow, 0))
	if err != nil {
		return nil, Declared{}, err
	}
	start.Evidence = pointer
	out, err := k.append(ctx, ledger.Batch{Records: []provenance.Record{start}})
	if err != nil {
		return nil, Declared{}, err
	}
	if !out.Inserted[0] { // another process was first
		return nil, d, nil
	}
	return &x, d, nil
}

func (x Execution) payload(o guard.Outcome, size int) provenance.Execution {
	return provenance.Execution{
		RunID: x.Run, SessionID: x.Session, Operation: x.Operation, ParameterNames: x.Names, Decision: o.String(), ResultSizeBytes: size,
	}
}

// mayBegin judges an approved declaration again, and fills in what it asks for.
func (k *Gatekeeper) mayBegin(ctx context.Context, rec provenance.Record, x *Execution, d Declared, by guard.Standing, state guard.RunState) (guard.Rule, chunk.FailureID, []guard.FieldError, error) {
	approved := rec.Time
	if d.Gate != "" {
		g, err := k.store.Gate(ctx, d.Gate)
		if err != nil {
			return "", "", nil, fromLedger(err)
		}
		approved = g.DecidedAt
	}
	if k.now().After(approved.Add(k.cfg.Expires)) {
		return guard.RuleLapsed, chunk.FailApprovalRequired, nil, nil
	}
	m, err := k.matter(ctx, x.ID)
	if err != nil {
		return "", "", nil, err
	}
	var decl guard.Declaration
	if json.Unmarshal(m.Declaration, &decl) != nil || decl.Operation != x.Operation {
		return "", "", nil, ErrIntegrity
	}
	x.Parameters = decl.Parameters
	x.quota = string(chunk.NewID("ses", x.Tenant, x.Actor, decl.SessionID))
	by.Left = 1 // counted when it was declared
	v := k.guard.Declare(decl, by)
	x.Names = v.Parameters
	if x.Names == nil {
		x.Names = []string{}
	}
	switch {
	case v.Outcome == guard.Deny:
		return v.Rule, v.Failure, v.Fields, nil
	case v.Outcome == guard.Gated && !x.Person:
		return guard.RuleLapsed, chunk.FailApprovalRequired, nil, nil
	}
	stubs, all, err := k.stubs(ctx, x.Run)
	if err != nil {
		return "", "", nil, err
	}
	j := k.guard.DecideOperation(guard.Call{Tool: decl.Operation, Arguments: decl.Parameters, Stubs: stubs, Unknown: !all, Approved: x.Person}, state)
	if j.Outcome != guard.Allow {
		return j.Rule, j.Failure, j.Fields, nil
	}
	return "", chunk.FailNone, nil, nil
}

// blockExecution records that a declaration was not carried out. An agent that asks
// again and again leaves one record a minute.
func (k *Gatekeeper) blockExecution(ctx context.Context, x Execution, state guard.RunState, d Declared) error {
	minute := strconv.FormatInt(k.now().Unix()/60, 10)
	rec, err := k.record(provenance.KindEgressBlock, provenance.RecordID(provenance.KindEgressBlock, x.ID, "execution", string(d.Rule), minute), x.Tenant, x.Run, x.ID, x.Actor, d.Failure,
		provenance.EgressBlock{RunID: x.Run, DataClass: state.Class, Destination: x.Operation, BlockingRule: string(d.Rule), FailureID: d.Failure})
	if err != nil {
		return err
	}
	_, err = k.append(ctx, ledger.Batch{Records: []provenance.Record{rec}})
	return err
}

// Count counts one request of an execution. [ErrQuota]: its session, or its run, has
// had as many as a minute has.
func (k *Gatekeeper) Count(ctx context.Context, x Execution, perMinute int) error {
	for _, l := range []struct {
		key string
		n   int
	}{{"execute:" + x.quota, perMinute}, {"execute:" + string(x.Run), RequestsPerRun}} {
		ok, err := k.runs.Allow(ctx, l.key, l.n)
		if err != nil {
			return ErrState
		}
		if !ok {
			return ErrQuota
		}
	}
	return nil
}

// Complete records how an execution ended. The first completion stands: [ErrDecided]
// means that another was written, because this one took longer than any may, and that
// nothing of the result may be handed on.
func (k *Gatekeeper) Complete(ctx context.Context, x Execution, e Ended) error {
	outcome := guard.Allow
	if e.Failure != chunk.FailNone {
		outcome = guard.Deny
	}
	rec, err := k.record(provenance.KindExecutionEnded, endID(x.ID), x.Tenant, x.Run, x.ID, x.Actor, e.Failure, x.payload(outcome, e.Bytes))
	if err != nil {
		return err
	}
	rec.Evidence = e.Evidence
	b := ledger.Batch{Records: []provenance.Record{rec}}
	if e.Failure == chunk.FailNone {
		h, err := k.sealMatter(ctx, x.Run, chunk.NewID(prefixExecution, string(x.ID)), matter{Result: e.Event, Source: e.Source})
		if err != nil {
			return err
		}
		b.Held = append(b.Held, h)
	}
	out, err := k.append(ctx, b)
	if err != nil {
		return err
	}
	if !out.Inserted[0] && !provenance.SameDecision(out.Records[0], rec) {
		return ErrDecided
	}
	return nil
}

// Executed says where an execution stands. [ErrNotFound]: it has not begun.
func (k *Gatekeeper) Executed(ctx context.Context, tenant, actor string, id chunk.ID) (Executed, error) {
	rec, p, err := k.declared(ctx, tenant, id)
	if err != nil {
		return Executed{}, err
	}
	if rec.Actor != actor {
		return Executed{}, ErrForbidden
	}
	start, err := k.store.Record(ctx, startID(id))
	if err != nil {
		return Executed{}, fromLedger(err)
	}
	out := Executed{ID: id, Run: p.RunID, Operation: p.Operation, Started: start.Record.Time}
	end, err := k.store.Record(ctx, endID(id))
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return out, nil
	case err != nil:
		return Executed{}, fromLedger(err)
	}
	payload, err := provenance.DecodePayload(end.Record.Kind, end.Record.Payload)
	ended, ok := payload.(*provenance.Execution)
	if err != nil || !ok {
		return Executed{}, ErrIntegrity
	}
	out.Completed, out.Failure, out.Bytes, out.Evidence = end.Record.Time, end.Record.Failure, ended.ResultSizeBytes, end.Record.Evidence
	if out.Failure != chunk.FailNone {
		return out, nil
	}
	m, err := k.matter(ctx, chunk.NewID(prefixExecution, string(id)))
	if err != nil {
		return Executed{}, err
	}
	out.Event, out.Source = m.Result, m.Source
	return out, nil
}

// Interrupt completes, as interrupted, executions that began before a time and have no
// completion: their process ended under way. It looks at records behind the number
// after.
func (k *Gatekeeper) Interrupt(ctx context.Context, before time.Time, after int64) error {
	for {
		rows, err := k.store.Records(ctx, ledger.RecordFilter{Kind: provenance.KindExecutionStarted, After: after, Limit: 500})
		if err != nil {
			return fromLedger(err)
		}
		for _, row := range rows {
			after = row.N
			rec := row.Record
			if !rec.Time.Before(before) {
				continue
			}
			payload, err := provenance.DecodePayload(rec.Kind, rec.Payload)
			p, ok := payload.(*provenance.Execution)
			if err != nil || !ok {
				return ErrIntegrity
			}
			_, err = k.store.Record(ctx, endID(rec.Subject))
			if errors.Is(err, ledger.ErrNotFound) {
				x := Execution{ID: rec.Subject, Run: rec.Run, Tenant: rec.Tenant, Actor: "stage:egress", Session: p.SessionID, Operation: p.Operation, Names: p.ParameterNames}
				if err := k.Complete(ctx, x, Ended{Failure: chunk.FailInterrupted}); err != nil && !errors.Is(err, ErrDecided) {
					return err
				}
			} else if err != nil {
				return fromLedger(err)
			}
		}
		if len(rows) == 0 {
			return nil
		}
	}
}
