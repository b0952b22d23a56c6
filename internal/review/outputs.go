package review

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/stoplog/stoplog/internal/citations"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/cite"
	"github.com/stoplog/stoplog/pkg/guard"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Output is a model's output on its way to a receiver (SPEC EGR-5).
type Output struct {
	Tenant      string   `json:"-"`
	Actor       string   `json:"-"`
	Run         chunk.ID `json:"-"`
	Text        string   `json:"text"`
	Role        string   `json:"recipient_role"`
	Destination string   `json:"destination,omitempty"` // a sink's id, for the record of a block
	ID          string   `json:"id,omitempty"`
}

// Delivery says where an output stands. Text is there only when it may be delivered.
type Delivery struct {
	Output    chunk.ID        `json:"output_id"`
	Run       chunk.ID        `json:"run_id"`
	Decision  string          `json:"decision"` // allow, deny, pending
	Outcome   guard.Outcome   `json:"-"`
	Failure   chunk.FailureID `json:"failure_id,omitempty"`
	Rule      guard.Rule      `json:"rule,omitempty"`
	Class     chunk.Class     `json:"output_class"`
	Role      string          `json:"recipient_role"`
	Redacted  bool            `json:"redaction_applied"`
	Types     []string        `json:"redacted_types,omitempty"`
	Text      *string         `json:"text,omitempty"`
	Gate      chunk.ID        `json:"gate_id,omitempty"`
	GateState string          `json:"gate_state,omitempty"`
	// Citations are those of the text; none where none are looked for.
	Citations *citations.Report `json:"citations,omitempty"`
}

// Deliver checks an output and gives what may be delivered of it. The record of SPEC
// PRV-7 (or, for what waits or is refused, of PRV-6) is written before the answer.
func (k *Gatekeeper) Deliver(ctx context.Context, o Output) (Delivery, error) {
	if err := k.Own(ctx, o.Tenant, o.Run); err != nil {
		return Delivery{}, err
	}
	if len(o.ID) > maxClientID || len(o.Role) > maxClientID || len(o.Destination) > maxClientID {
		return Delivery{}, ErrTooLarge
	}
	state, err := k.State(ctx, o.Run)
	if err != nil {
		return Delivery{}, err
	}
	key, err := k.vault.StubKey(ctx, o.Run)
	if err != nil {
		return Delivery{}, fromVault(err)
	}
	id, asked, err := k.outputID(ctx, key, o)
	if err != nil {
		return Delivery{}, err
	}
	if asked {
		return k.Delivered(ctx, o.Tenant, o.Run, id, o.Actor)
	}
	stubs, all, err := k.stubs(ctx, o.Run)
	if err != nil {
		return Delivery{}, err
	}
	d := k.guard.DecideOutput(guard.Output{Text: []byte(o.Text), RecipientRole: o.Role, Stubs: stubs, Unknown: !all}, state)
	rules := []string{string(d.Rule)}
	var report *citations.Report
	if k.cfg.Citations != nil && d.Outcome != guard.Deny { // for what is refused nobody is asked
		r := k.outputCitations(ctx, o, state.Class, stubs, d.Gate != "")
		report = &r
		if f := r.Worst(cite.Gate); f != chunk.FailNone {
			if d.Gate == "" {
				d.Outcome, d.Failure, d.Rule, d.Gate = guard.Gated, f, guard.RuleCitation, guard.GateCitation
				rules = nil
			}
			rules = append(rules, citationRules(r)...)
		}
	}
	about := id
	if d.Gate != "" {
		many, err := k.manyWait(ctx, o.Tenant, o.Run)
		if err != nil {
			return Delivery{}, err
		}
		if many {
			d.Outcome, about = guard.Deny, chunk.NewID(prefixCall, "outputs", o.Tenant, string(o.Run))
		}
	}
	out := Delivery{
		Output: id, Run: o.Run, Decision: decisionName(d.Outcome), Outcome: d.Outcome, Failure: d.Failure, Rule: d.Rule, Class: d.OutputClass,
		Redacted: d.Outcome == guard.Allow && len(d.Redact) > 0, Types: foundTypes(d.Found), Citations: report,
	}
	role := "unknown"
	if _, ok := k.guard.Clearance(o.Role); ok {
		role = o.Role
	}
	out.Role = role
	var b ledger.Batch
	add := func(kind provenance.Kind, rid, subject chunk.ID, payload any) {
		if err != nil {
			return
		}
		var rec provenance.Record
		rec, err = k.record(kind, rid, o.Tenant, o.Run, subject, o.Actor, d.Failure, payload)
		b.Records = append(b.Records, rec)
	}
	var findings []chunk.Finding
	if report != nil {
		findings = cited(*report)
		recs, rerr := k.citationRecords(o.Tenant, o.Actor, o.Run, id, *report)
		if rerr != nil {
			return Delivery{}, rerr
		}
		b.Records = append(b.Records, recs...)
	}
	if d.Outcome == guard.Allow {
		text := string(guard.Replace([]byte(o.Text), d.Redact))
		out.Text = &text
		add(provenance.KindOutputDelivery, provenance.RecordID(provenance.KindOutputDelivery, id, nonce()), id, provenance.OutputDelivery{
			RunID: o.Run, OutputClass: d.OutputClass, RecipientRole: role, RedactionApplied: out.Redacted,
		})
	} else {
		out.Class = d.DataClass
		destination := "role:" + role
		if _, known := k.guard.Sink(o.Destination); known {
			destination = o.Destination
		}
		add(provenance.KindEgressBlock, provenance.RecordID(provenance.KindEgressBlock, id, nonce()), id, provenance.EgressBlock{
			RunID: o.Run, DataClass: d.DataClass, Destination: destination, BlockingRule: string(d.Rule), FailureID: d.Failure,
		})
	}
	if d.Gate != "" {
		out.Gate, out.GateState = chunk.GateID(about), ledger.GateOpen
		add(provenance.KindGateOpened, provenance.RecordID(provenance.KindGateOpened, out.Gate), out.Gate, provenance.GateOpened{
			GateID: out.Gate, Type: d.Gate, RunID: o.Run, About: about, Class: d.DataClass, Rules: rules, Failure: d.Failure,
			Expires: k.now().UTC().Add(k.cfg.Expires),
		})
		found, merr := json.Marshal(d.Found)
		if merr != nil {
			return Delivery{}, errors.New("review: findings cannot be encoded")
		}
		h, herr := k.sealMatter(ctx, o.Run, about, matter{Text: o.Text, Role: o.Role, Destination: o.Destination, Found: found, Cited: findings, Client: o.ID})
		if herr != nil {
			return Delivery{}, herr
		}
		b.Held = append(b.Held, h)
	}
	if err != nil {
		return Delivery{}, err
	}
	if _, err := k.append(ctx, b); err != nil {
		return Delivery{}, err
	}
	return out, nil
}

// outputID names an output. While a text waits, it is the same output whatever the agent
// calls it: a person is not asked a second time. Once it is decided, the decision holds
// for the caller's id, and another id asks anew. asked: a person was asked already.
func (k *Gatekeeper) outputID(ctx context.Context, key []byte, o Output) (id chunk.ID, asked bool, err error) {
	for round := 0; ; round++ {
		id = chunk.KeyedID(key, prefixOutput, o.Tenant, string(o.Run), o.Role, o.Destination, o.Text, strconv.Itoa(round))
		g, err := k.store.Gate(ctx, chunk.GateID(id))
		switch {
		case errors.Is(err, ledger.ErrNotFound):
			return id, false, nil
		case err != nil:
			return "", false, fromLedger(err)
		case waiting(g):
			return id, true, nil
		case o.ID == "":
			continue
		}
		if m, err := k.matter(ctx, id); err != nil {
			return "", false, err
		} else if m.Client == o.ID {
			return id, true, nil
		}
	}
}

// maxWaiting bounds the outputs of one run that wait for a person. An agent that goes on
// to make others is refused, and one gate says so.
const maxWaiting = 32

func (k *Gatekeeper) manyWait(ctx context.Context, tenant string, run chunk.ID) (bool, error) {
	n := 0
	for _, state := range []string{ledger.GateOpen, ledger.GateClaimed} {
		for _, kind := range []string{TypePIILeak, TypeCitation} {
			gates, err := k.store.Gates(ctx, ledger.GateFilter{Tenant: tenant, Run: run, Type: kind, State: state, Limit: maxWaiting + 1})
			if err != nil {
				return false, fromLedger(err)
			}
			for _, g := range gates {
				if g.About.Prefix() == prefixOutput {
					n++
				}
			}
		}
	}
	return n >= maxWaiting, nil
}

func foundTypes(found []guard.Found) []string {
	var out []string
	for _, f := range found {
		if !strings.Contains(strings.Join(out, " ")+" ", f.Type+" ") {
			out = append(out, f.Type)
		}
	}
	return out
}

// Delivered says where an output stands that had to wait. Once it is released it is
// delivered, which is recorded each time.
func (k *Gatekeeper) Delivered(ctx context.Context, tenant string, run, id chunk.ID, actor string) (Delivery, error) {
	if err := k.Own(ctx, tenant, run); err != nil {
		return Delivery{}, err
	}
	if !chunk.ValidID(string(id), prefixOutput) {
		return Delivery{}, ErrNotFound
	}
	g, err := k.store.Gate(ctx, chunk.GateID(id))
	if err != nil {
		return Delivery{}, fromLedger(err)
	}
	if g.Tenant != tenant || g.Run != run {
		return Delivery{}, ErrNotFound
	}
	m, err := k.matter(ctx, id)
	if err != nil {
		return Delivery{}, err
	}
	out := Delivery{Output: id, Run: run, Failure: g.Failure, Class: g.Class, Gate: g.ID, GateState: g.State, Role: m.Role, Decision: decisionName(guard.Deny)}
	if waiting(g) {
		out.Outcome, out.Decision = guard.Gated, decisionName(guard.Gated)
		return out, nil
	}
	if g.Decision != Release && g.Decision != ReleaseRedacted {
		return out, nil
	}
	state, err := k.State(ctx, run)
	if err != nil {
		return Delivery{}, err
	}
	if f := state.Refusal(); f != chunk.FailNone {
		out.Failure = f
		return out, nil
	}
	text := m.Text
	out.Failure = chunk.FailNone
	// Who lets a citation pass says nothing of what else the text holds: that is redacted
	// as it would have been.
	if g.Decision == ReleaseRedacted || g.Type == TypeCitation {
		stubs, all, err := k.stubs(ctx, run)
		if err != nil {
			return Delivery{}, err
		}
		d := k.guard.DecideOutput(guard.Output{Text: []byte(m.Text), RecipientRole: m.Role, Stubs: stubs, Unknown: !all}, state)
		if g.Type == TypeCitation && d.Outcome != guard.Allow {
			out.Failure = d.Failure
			return out, nil
		}
		redact := d.Redact
		if g.Decision == ReleaseRedacted {
			redact = withoutCitations(redact, m.Cited, len(m.Text))
		}
		if d.Rule == guard.RuleOutputHidden || d.Rule == guard.RuleUnreadable {
			// What lies behind an encoding cannot be replaced in place: nothing is left to
			// deliver but the fact.
			text = "{REDACTED}"
		} else {
			text = string(guard.Replace([]byte(m.Text), redact))
		}
		out.Redacted, out.Class = g.Decision == ReleaseRedacted || len(redact) > 0, d.OutputClass
	}
	rec, err := k.record(provenance.KindOutputDelivery, provenance.RecordID(provenance.KindOutputDelivery, id, nonce()), tenant, run, id, actor, chunk.FailNone,
		provenance.OutputDelivery{RunID: run, OutputClass: out.Class, RecipientRole: m.Role, RedactionApplied: out.Redacted})
	if err != nil {
		return Delivery{}, err
	}
	if _, err := k.append(ctx, ledger.Batch{Records: []provenance.Record{rec}}); err != nil {
		return Delivery{}, err
	}
	out.Outcome, out.Decision, out.Text = guard.Allow, decisionName(guard.Allow), &text
	return out, nil
}

// Remember decides a write to memory (SPEC EGR-4) and records it.
func (k *Gatekeeper) Remember(ctx context.Context, tenant, actor string, run chunk.ID, space, text, sink string) (guard.Decision, error) {
	if err := k.Own(ctx, tenant, run); err != nil {
		return guard.Decision{}, err
	}
	state, err := k.State(ctx, run)
	if err != nil {
		return guard.Decision{}, err
	}
	if len(text) > guard.MaxArgumentBytes {
		return guard.Decision{}, ErrTooLarge
	}
	if space != guard.Scratchpad && space != guard.CrossRun {
		return guard.Decision{}, ErrDecision
	}
	d := k.guard.DecideMemory(space, []byte(text), sink, state)
	rec, err := k.record(provenance.KindMemory, provenance.RecordID(provenance.KindMemory, run, nonce()), tenant, run, run, actor, d.Failure,
		provenance.Memory{RunID: run, Space: space, DataClass: d.DataClass, Decision: d.Outcome.String()})
	if err != nil {
		return guard.Decision{}, err
	}
	if _, err := k.append(ctx, ledger.Batch{Records: []provenance.Record{rec}}); err != nil {
		return guard.Decision{}, err
	}
	return d, nil
}
