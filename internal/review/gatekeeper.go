package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/runstate"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/internal/strictjson"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/guard"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Gatekeeper is the guard with its memory. Each answer is recorded before it is
// given; a store that is away means that there is no answer, which callers turn
// into a denial.
type Gatekeeper struct {
	stores
	cfg   Config
	guard *guard.Guard

	mu     sync.Mutex
	owners map[chunk.ID]string // tenant of a run; it never changes
}

// NewGatekeeper makes a gatekeeper.
func NewGatekeeper(g *guard.Guard, cfg Config) (*Gatekeeper, error) {
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, errors.New("review: no guard given")
	}
	return &Gatekeeper{stores: cfg.stores(), cfg: cfg, guard: g, owners: map[chunk.ID]string{}}, nil
}

const maxOwners = 1 << 16

// Own reports whether a run is the tenant's. [ErrNotFound] covers a run that is not
// there and one of another tenant alike.
func (k *Gatekeeper) Own(ctx context.Context, tenant string, run chunk.ID) error {
	if tenant == "" || !chunk.ValidID(string(run), "run") {
		return ErrNotFound
	}
	k.mu.Lock()
	owner, ok := k.owners[run]
	k.mu.Unlock()
	if !ok {
		r, err := k.store.Run(ctx, run)
		if err != nil {
			return fromLedger(err)
		}
		owner = r.Tenant
		k.mu.Lock()
		if len(k.owners) >= maxOwners {
			clear(k.owners)
		}
		k.owners[run] = owner
		k.mu.Unlock()
	}
	if owner != tenant {
		return ErrNotFound
	}
	return nil
}

// State gives what the guard must know of a run. What the cache says can deny at once;
// before anything is allowed the run's row is read from the ledger, so no invalidation
// that was lost, and no cache that came back empty, lets a halted run act
// (docs/adr/0004). The cache being away is a denial: its limits would not hold.
func (k *Gatekeeper) State(ctx context.Context, run chunk.ID) (guard.RunState, error) {
	s, err := k.runs.Get(ctx, run)
	switch {
	case errors.Is(err, runstate.ErrUnavailable):
		return guard.RunState{}, fmt.Errorf("%w (%w)", ErrState, ErrUnavailable)
	case err != nil:
		return guard.RunState{}, fromLedger(err)
	}
	cached := guard.RunState{Class: s.Class, Halted: s.Halted, Ended: s.Ended, Incomplete: s.Incomplete, Pending: s.Pending}
	if cached.Halted || cached.Ended || cached.Incomplete {
		return cached, nil
	}
	r, err := k.store.Run(ctx, run)
	if err != nil {
		return guard.RunState{}, fromLedger(err)
	}
	return guard.RunState{Class: r.Class, Halted: r.Halted, Ended: r.Ended, Incomplete: r.Incomplete, Pending: r.Pending}, nil
}

const (
	// maxStubs bounds the stubs of a run whose values are opened for one decision. A run
	// with more gets no call and no output through: nobody could say that it leaks none.
	maxStubs = 1 << 14
	// maxResolved bounds the stubs of one resolution.
	maxResolved = 512
)

// stubRows gives the stubs that may occur in a run's context: its own and those of
// documents that were retrieved into it.
func (k *Gatekeeper) stubRows(ctx context.Context, run chunk.ID) ([]ledger.Stub, error) {
	scopes, err := k.scopes(ctx, run)
	if err != nil {
		return nil, err
	}
	var out []ledger.Stub
	for _, scope := range scopes {
		rows, err := k.store.Stubs(ctx, scope)
		if err != nil {
			return nil, fromLedger(err)
		}
		for _, r := range rows {
			if !strings.HasPrefix(r.Name, "~") { // a typed value for the door's search, no stub
				r.Run = scope
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// stubs gives the run's stubs with their values. all is false where there are more than
// can be looked for.
func (k *Gatekeeper) stubs(ctx context.Context, run chunk.ID) (out []guard.Stub, all bool, err error) {
	rows, err := k.stubRows(ctx, run)
	if err != nil {
		return nil, false, err
	}
	all = len(rows) <= maxStubs
	rows = rows[:min(len(rows), maxStubs)]
	shown, err := k.surrogates(ctx, rows)
	if err != nil {
		return nil, false, err
	}
	for i, r := range rows {
		s := guard.Stub{Name: r.Name, Class: r.Class, Sinks: r.Sinks, Surrogate: shown[i]}
		v, err := k.vault.Open(ctx, r.Run, r.Sealed, chunk.StubAD(r.Run, r.Name))
		switch e := fromVault(err); {
		case e == nil:
			s.Value = v
		case errors.Is(e, ErrUnavailable), errors.Is(e, ErrIntegrity):
			return nil, false, e
		}
		out = append(out, s)
	}
	return out, all, nil
}

// surrogates tells how stubs are shown to an agent, where that is a surrogate; else the
// text is empty.
func (k *Gatekeeper) surrogates(ctx context.Context, rows []ledger.Stub) ([]string, error) {
	out := make([]string, len(rows))
	keys := map[chunk.ID][]byte{}
	for i, r := range rows {
		if !classify.IsSurrogate(r.Name) {
			continue
		}
		key, ok := keys[r.Run]
		if !ok {
			var err error
			key, err = k.vault.StubKey(ctx, r.Run)
			if err = fromVault(err); errors.Is(err, ErrUnavailable) || errors.Is(err, ErrIntegrity) {
				return nil, err
			}
			keys[r.Run] = key // none where the scope is erased: then nothing resolves
		}
		out[i], _ = classify.Surrogate(key, r.Name)
	}
	return out, nil
}

// Surrogates gives those of a run's stubs that agents see as surrogates, without their
// values.
func (k *Gatekeeper) Surrogates(ctx context.Context, run chunk.ID) ([]guard.Stub, error) {
	rows, err := k.stubRows(ctx, run)
	if err != nil {
		return nil, err
	}
	shown, err := k.surrogates(ctx, rows)
	if err != nil {
		return nil, err
	}
	var out []guard.Stub
	for i, r := range rows {
		if shown[i] != "" {
			out = append(out, guard.Stub{Name: r.Name, Class: r.Class, Surrogate: shown[i]})
		}
	}
	return out, nil
}

// scopes lists the keys that a run's context is sealed under, its own first.
func (k *Gatekeeper) scopes(ctx context.Context, run chunk.ID) ([]chunk.ID, error) {
	items, err := k.store.RunContext(ctx, run)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return nil, fromLedger(err)
	}
	out := []chunk.ID{run}
	for _, it := range items {
		if !slices.Contains(out, it.Scope) {
			out = append(out, it.Scope)
		}
	}
	return out, nil
}

// Request is a tool call that somebody asks for.
type Request struct {
	Tenant    string          `json:"-"`
	Actor     string          `json:"-"`            // token:NAME, topic:NAME
	Run       chunk.ID        `json:"run_id"`       //
	ID        string          `json:"id,omitempty"` // the caller's id: the same call again gets the same answer
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Sink      string          `json:"sink,omitempty"`
}

// ParseRequest reads a request strictly, as it comes on stoplog.tool.requested.
func ParseRequest(b []byte) (Request, error) {
	var r Request
	if err := strictjson.Decode(b, &r, strictjson.Limits{MaxBytes: guard.MaxArgumentBytes + 8<<10}); err != nil {
		return Request{}, err
	}
	if len(r.ID) > maxClientID {
		return Request{}, ErrTooLarge
	}
	return r, nil
}

const maxClientID = 256

// Answer says where a call stands.
type Answer struct {
	Call       chunk.ID           `json:"call_id"`
	Run        chunk.ID           `json:"run_id"`
	Tool       string             `json:"tool_id,omitempty"` // empty for one that is not registered
	Decision   string             `json:"decision"`          // allow, deny, pending
	Outcome    guard.Outcome      `json:"-"`
	Failure    chunk.FailureID    `json:"failure_id,omitempty"`
	Rule       guard.Rule         `json:"rule,omitempty"`
	Class      chunk.Class        `json:"data_class"`
	Arguments  []string           `json:"argument_field_names"`
	Sink       string             `json:"sink,omitempty"`
	Verified   bool               `json:"authorized_sink_verified"`
	Gate       chunk.ID           `json:"gate_id,omitempty"`
	GateState  string             `json:"gate_state,omitempty"`
	ReasonCode string             `json:"reason_code,omitempty"` // the reviewer's, for the agent
	Stubs      []string           `json:"resolvable_stubs,omitempty"`
	Fields     []guard.FieldError `json:"fields,omitempty"`
	Found      []guard.Found      `json:"found,omitempty"`
}

func decisionName(o guard.Outcome) string {
	if o == guard.Gated {
		return "pending"
	}
	return o.String()
}

// callID names one call. It is keyed and covers everything that was asked for: the
// same id with another argument is another call, and no approval passes to it.
func (k *Gatekeeper) callID(ctx context.Context, r Request) (chunk.ID, error) {
	key, err := k.vault.StubKey(ctx, r.Run)
	if err != nil {
		return "", fromVault(err)
	}
	id := "id:" + r.ID
	if r.ID == "" {
		id = "nonce:" + nonce()
	}
	return chunk.KeyedID(key, prefixCall, r.Tenant, string(r.Run), id, r.Tool, r.Sink, string(r.Arguments)), nil
}

// Decide decides a call and gives the records of the decision, for the caller to
// append. Nobody may act on the answer before they are stored. A call that was
// decided before gets the stored decision and an empty batch.
func (k *Gatekeeper) Decide(ctx context.Context, r Request) (Answer, ledger.Batch, error) {
	if err := k.Own(ctx, r.Tenant, r.Run); err != nil {
		return Answer{}, ledger.Batch{}, err
	}
	if len(r.ID) > maxClientID || len(r.Sink) > maxClientID || len(r.Tool) > maxClientID || len(r.Arguments) > guard.MaxArgumentBytes {
		return Answer{}, ledger.Batch{}, ErrTooLarge
	}
	state, err := k.State(ctx, r.Run)
	if err != nil {
		return Answer{}, ledger.Batch{}, err
	}
	id, err := k.callID(ctx, r)
	if err != nil {
		return Answer{}, ledger.Batch{}, err
	}
	if r.ID != "" {
		a, err := k.Call(ctx, r.Tenant, r.Run, id)
		if err == nil || !errors.Is(err, ErrNotFound) {
			return a, ledger.Batch{}, err
		}
	}
	stubs, all, err := k.stubs(ctx, r.Run)
	if err != nil {
		return Answer{}, ledger.Batch{}, err
	}
	d := k.guard.Decide(guard.Call{Tool: r.Tool, Arguments: r.Arguments, Sink: r.Sink, Stubs: stubs, Unknown: !all}, state)
	a := Answer{
		Call: id, Run: r.Run, Decision: decisionName(d.Outcome), Outcome: d.Outcome, Failure: d.Failure, Rule: d.Rule, Class: d.DataClass,
		Arguments: d.ArgumentNames, Sink: d.Sink, Verified: d.SinkVerified, Stubs: d.Stubs, Fields: d.Fields, Found: d.Found,
	}
	if a.Arguments == nil {
		a.Arguments = []string{}
	}
	if _, registered := k.guard.Tool(r.Tool); registered {
		a.Tool = r.Tool
	}
	b, err := k.callRecords(ctx, r, d, &a)
	return a, b, err
}

// unregistered stands in a record for the name of a tool that is not registered:
// that name is the agent's text, and may be anything.
const unregistered = "unregistered"

// callRecords makes what a decision leaves: the record of SPEC PRV-4 always, that of
// PRV-6 when something was stopped on its way out, the gate the guard asks for, and,
// where somebody needs it later, the call itself, sealed.
func (k *Gatekeeper) callRecords(ctx context.Context, r Request, d guard.Decision, a *Answer) (ledger.Batch, error) {
	var b ledger.Batch
	tool := a.Tool
	if tool == "" {
		tool = unregistered
	}
	add := func(kind provenance.Kind, id, subject chunk.ID, payload any) error {
		rec, err := k.record(kind, id, r.Tenant, r.Run, subject, r.Actor, d.Failure, payload)
		b.Records = append(b.Records, rec)
		return err
	}
	if err := add(provenance.KindToolArgument, provenance.RecordID(provenance.KindToolArgument, a.Call), a.Call, provenance.ToolArgument{
		RunID: r.Run, ToolID: tool, DataClass: d.DataClass, ArgumentFieldNames: a.Arguments, AuthorizedSinkVerified: d.SinkVerified,
	}); err != nil {
		return b, err
	}
	if d.Failure == chunk.FailPIILeakRisk {
		destination := tool
		if d.Sink != "" {
			destination = d.Sink
		}
		if err := add(provenance.KindEgressBlock, provenance.RecordID(provenance.KindEgressBlock, a.Call), a.Call, provenance.EgressBlock{
			RunID: r.Run, DataClass: d.DataClass, Destination: destination, BlockingRule: string(d.Rule), FailureID: d.Failure,
		}); err != nil {
			return b, err
		}
	}
	about := a.Call
	if d.Gate != "" {
		if d.Outcome == guard.Deny {
			// No decision lets a stopped call through, so one gate tells of all that were
			// stopped for the same reason: a person's attention is the scarcest thing, and an
			// agent in a loop would use it up.
			about = chunk.NewID(prefixCall, append([]string{"stopped", r.Tenant, string(r.Run), tool, string(d.Rule)}, slices.Sorted(slices.Values(foundTypes(d.Found)))...)...)
		}
		a.Gate, a.GateState = chunk.GateID(about), ledger.GateOpen
		if err := add(provenance.KindGateOpened, provenance.RecordID(provenance.KindGateOpened, a.Gate), a.Gate, provenance.GateOpened{
			GateID: a.Gate, Type: d.Gate, RunID: r.Run, About: about, ToolID: tool, Class: d.DataClass, Rules: []string{string(d.Rule)},
			Failure: d.Failure, Expires: k.now().UTC().Add(k.cfg.Expires),
		}); err != nil {
			return b, err
		}
	}
	if d.Gate != "" || d.Outcome == guard.Allow && len(d.Stubs) > 0 {
		found, err := json.Marshal(d.Found)
		if err != nil {
			return b, errors.New("review: findings cannot be encoded")
		}
		args := r.Arguments
		if !json.Valid(args) {
			args = json.RawMessage("{}")
		}
		h, err := k.sealMatter(ctx, r.Run, about, matter{Tool: tool, Sink: d.Sink, Arguments: args, Stubs: d.Stubs, Found: found, Client: r.ID})
		if err != nil {
			return b, err
		}
		b.Held = append(b.Held, h)
	}
	return b, nil
}

// Ask decides a call and records it, for callers that answer at once (SPEC EGR-7).
func (k *Gatekeeper) Ask(ctx context.Context, r Request) (Answer, error) {
	a, b, err := k.Decide(ctx, r)
	if err != nil || len(b.Records) == 0 {
		return a, err
	}
	out, err := k.append(ctx, b)
	if err != nil {
		return Answer{}, err
	}
	if r.ID != "" && !out.Inserted[0] { // another worker was first with this very call
		return k.Call(ctx, r.Tenant, r.Run, a.Call)
	}
	return a, nil
}

// Call says where a call stands now: what was decided, or what a person decided
// since. An approval is good only while the run's state would allow the call.
func (k *Gatekeeper) Call(ctx context.Context, tenant string, run, id chunk.ID) (Answer, error) {
	if err := k.Own(ctx, tenant, run); err != nil {
		return Answer{}, err
	}
	if !chunk.ValidID(string(id), prefixCall) {
		return Answer{}, ErrNotFound
	}
	rec, err := k.store.Record(ctx, provenance.RecordID(provenance.KindToolArgument, id))
	if err != nil {
		return Answer{}, fromLedger(err)
	}
	payload, err := provenance.DecodePayload(rec.Record.Kind, rec.Record.Payload)
	p, ok := payload.(*provenance.ToolArgument)
	if err != nil || !ok || rec.Record.Tenant != tenant || rec.Record.Run != run {
		return Answer{}, ErrNotFound
	}
	a := Answer{
		Call: id, Run: run, Tool: p.ToolID, Failure: rec.Record.Failure, Class: p.DataClass, Arguments: p.ArgumentFieldNames, Verified: p.AuthorizedSinkVerified,
	}
	if a.Tool == unregistered {
		a.Tool = ""
	}
	if a.Arguments == nil {
		a.Arguments = []string{}
	}
	g, err := k.store.Gate(ctx, chunk.GateID(id))
	switch {
	case err == nil:
		a.Gate, a.GateState = g.ID, g.State
	case !errors.Is(err, ledger.ErrNotFound):
		return Answer{}, fromLedger(err)
	}
	switch {
	case a.Failure == chunk.FailNone:
		a.Outcome, a.Rule = guard.Allow, guard.RuleAutonomous
	case a.Failure == chunk.FailApprovalRequired && a.Gate != "":
		switch {
		case waiting(g):
			a.Outcome = guard.Gated
		case g.Decision == Approve:
			a.Outcome, a.Failure, a.Rule, a.ReasonCode = guard.Allow, chunk.FailNone, guard.RuleApproved, g.ReasonCode
		default:
			a.Outcome, a.ReasonCode = guard.Deny, g.ReasonCode
		}
	}
	if a.Outcome != guard.Deny {
		state, err := k.State(ctx, run)
		if err != nil {
			return Answer{}, err
		}
		if f := state.Refusal(); f != chunk.FailNone {
			a.Outcome, a.Failure, a.Rule = guard.Deny, f, guard.RuleState
		} else if t, ok := k.guard.Tool(a.Tool); !ok || t.Control != guard.HumanApproval && t.Control != guard.Autonomous {
			// The registry has changed since: what is blocked now does not run on an old word.
			a.Outcome, a.Failure, a.Rule = guard.Deny, chunk.FailToolBlocked, guard.RuleBlocked
		}
	}
	if a.Outcome == guard.Allow {
		m, err := k.matter(ctx, id)
		switch {
		case err == nil:
			a.Sink, a.Stubs = m.Sink, m.Stubs
		case !errors.Is(err, ErrNotFound):
			return Answer{}, err
		}
	}
	a.Decision = decisionName(a.Outcome)
	return a, nil
}

// decidedCall is the message that tells whoever asked over the stream what a person
// decided.
func (s *stores) decidedCall(_ context.Context, g ledger.Gate, decision string) (ledger.Outgoing, error) {
	a := Answer{Call: g.About, Run: g.Run, Tool: g.ToolID, Decision: "deny", Failure: chunk.FailApprovalRequired, Class: g.Class, Gate: g.ID, GateState: ledger.GateDecided, Arguments: []string{}}
	if decision == Approve {
		a.Decision, a.Failure = "allow", chunk.FailNone
	}
	return DecidedEvent(g.Tenant, a, s.now())
}

// DecidedEvent is the message of stoplog.tool.decided: ids, labels and the decision.
func DecidedEvent(tenant string, a Answer, at time.Time) (ledger.Outgoing, error) {
	a.Found, a.Fields = nil, nil
	data, err := json.Marshal(a)
	if err != nil {
		return ledger.Outgoing{}, errors.New("review: decision cannot be encoded")
	}
	id := string(a.Call) + "-" + a.Decision
	h, err := stage.Event{
		ID: id, Source: "stoplog://" + tenant + "/guard", Type: stage.TypeToolDecided, Subject: string(a.Call), Time: at.UTC().Truncate(time.Millisecond),
		ContentType: "application/json",
		Extensions:  map[string]string{stage.ExtTenant: tenant, stage.ExtRun: string(a.Run), stage.ExtClass: a.Class.String(), stage.ExtVerdict: a.Decision},
	}.Headers()
	if err != nil {
		return ledger.Outgoing{}, fmt.Errorf("review: %w", err)
	}
	return ledger.Outgoing{Topic: stage.TopicToolDecided, Key: string(a.Run), Headers: h, Value: data}, nil
}

// Resolution asks for the values behind stubs, for one sink of one allowed call.
type Resolution struct {
	Tenant string   `json:"-"`
	Actor  string   `json:"-"`
	Run    chunk.ID `json:"run"`
	Call   chunk.ID `json:"tool_call"`
	Tool   string   `json:"tool"`
	Sink   string   `json:"sink"`
	Stubs  []string `json:"stubs"`
}

// Resolve turns stubs back into their values (SPEC RED-4): only those that the
// decision of this very call names, only for the sink that it names, and only while
// the call is allowed. The record is written before a value is given; a refusal is
// recorded too, for somebody who tries stubs is somebody to know of.
func (k *Gatekeeper) Resolve(ctx context.Context, r Resolution) (map[string]chunk.Content, error) {
	if err := k.Own(ctx, r.Tenant, r.Run); err != nil {
		return nil, err
	}
	out, why, refusal := k.resolve(ctx, r)
	if refusal != nil && why == chunk.FailNone {
		return nil, refusal // nothing was decided: a store is away
	}
	payload := provenance.StubResolved{RunID: r.Run, ToolID: unregistered, Stubs: []string{}}
	// What was asked for is the caller's text: it is repeated only where it is known.
	if _, ok := k.guard.Tool(r.Tool); ok {
		payload.ToolID = r.Tool
	}
	if _, ok := k.guard.Sink(r.Sink); ok {
		payload.Sink = r.Sink
	}
	rows, err := k.stubRows(ctx, r.Run)
	if err != nil {
		return nil, err
	}
	shown, err := k.surrogates(ctx, rows)
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		if slices.ContainsFunc(r.Stubs, func(text string) bool { return stubNamed(text) == row.Name || shown[i] != "" && text == shown[i] }) {
			payload.Stubs = append(payload.Stubs, row.Name)
		}
	}
	slices.Sort(payload.Stubs)
	payload.Stubs = slices.Compact(payload.Stubs)
	subject := r.Call
	if errors.Is(refusal, ErrNotFound) { // no call of this run: its id is the caller's text
		subject = r.Run
	}
	rec, err := k.record(provenance.KindStubResolved, provenance.RecordID(provenance.KindStubResolved, subject, nonce()), r.Tenant, r.Run, subject, r.Actor, why, payload)
	if err != nil {
		return nil, err
	}
	if _, err := k.append(ctx, ledger.Batch{Records: []provenance.Record{rec}}); err != nil {
		return nil, err
	}
	return out, refusal
}

// stubNamed is a stub's name without its braces.
func stubNamed(text string) string { return strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}") }

// resolve decides a resolution and opens the values. The failure is what the record of a
// refusal says; none beside an error means that nothing could be decided.
func (k *Gatekeeper) resolve(ctx context.Context, r Resolution) (map[string]chunk.Content, chunk.FailureID, error) {
	a, err := k.Call(ctx, r.Tenant, r.Run, r.Call)
	if errors.Is(err, ErrNotFound) {
		return nil, chunk.FailSinkUnauthorised, err
	}
	if err != nil {
		return nil, chunk.FailNone, err
	}
	if a.Outcome != guard.Allow || a.Tool != r.Tool || a.Sink == "" || a.Sink != r.Sink || !a.Verified || len(r.Stubs) == 0 || len(r.Stubs) > maxResolved {
		return nil, chunk.FailSinkUnauthorised, ErrForbidden
	}
	rows, err := k.stubRows(ctx, r.Run)
	if err != nil {
		return nil, chunk.FailNone, err
	}
	out := map[string]chunk.Content{}
	shown, err := k.surrogates(ctx, rows)
	if err != nil {
		return nil, chunk.FailNone, err
	}
	for _, text := range r.Stubs {
		name := stubNamed(text)
		if i := slices.Index(shown, text); i >= 0 && text != "" {
			name = rows[i].Name
		}
		if !slices.Contains(a.Stubs, name) {
			return nil, chunk.FailSinkUnauthorised, ErrForbidden
		}
		n := 0
		for _, row := range rows {
			if row.Name != name {
				continue
			}
			if !k.guard.MayResolve(r.Tool, r.Sink, guard.Stub{Name: row.Name, Class: row.Class, Sinks: row.Sinks}) {
				return nil, chunk.FailSinkUnauthorised, ErrForbidden
			}
			value, err := k.vault.Open(ctx, row.Run, row.Sealed, chunk.StubAD(row.Run, row.Name))
			switch err = fromVault(err); {
			case errors.Is(err, ErrUnavailable):
				return nil, chunk.FailNone, err
			case err != nil:
				return nil, chunk.FailUndecided, err
			}
			out[text] = value
			n++
		}
		if n != 1 { // gone, or one name for two things: nobody can say which was meant
			return nil, chunk.FailUndecided, ErrForbidden
		}
	}
	return out, chunk.FailNone, nil
}
