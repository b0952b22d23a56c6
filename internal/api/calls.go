package api

import (
	"encoding/json"
	"net/http"
	"unicode/utf8"

	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/guard"
)

// toolCall decides a tool call (SPEC EGR-1, EGR-2): 200 allowed, 202 waits for a
// person, 403, 409 or 422 refused, 503 nothing can be known.
func (a *API) toolCall(w http.ResponseWriter, r *http.Request, p Principal) error {
	run := chunk.ID(r.PathValue("run"))
	if err := a.Gatekeeper.Own(r.Context(), p.Tenant, run); err != nil {
		return err
	}
	var in struct {
		ID        string          `json:"id"`
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
		Sink      string          `json:"sink"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if in.Tool == "" {
		return invalid("tool", "missing", "required")
	}
	d, err := a.Gatekeeper.Ask(r.Context(), review.Request{
		Tenant: p.Tenant, Actor: p.Actor(), Run: run, ID: in.ID, Tool: in.Tool, Arguments: in.Arguments, Sink: in.Sink,
	})
	if err != nil {
		return err
	}
	a.metrics.egress.WithLabelValues("tool-call", d.Decision, string(d.Rule)).Inc()
	switch d.Outcome {
	case guard.Allow:
		problem.OK(w, d)
	case guard.Gated:
		problem.Respond(w, http.StatusAccepted, d)
	default:
		denied(w, d.Failure, d.Fields, d)
	}
	return nil
}

// toolCallState says where a call stands: after a person decided, the same id says so.
func (a *API) toolCallState(w http.ResponseWriter, r *http.Request, p Principal) error {
	d, err := a.Gatekeeper.Call(r.Context(), p.Tenant, chunk.ID(r.PathValue("run")), chunk.ID(r.PathValue("call")))
	if err != nil {
		return err
	}
	problem.OK(w, d)
	return nil
}

// output checks what a model wants to say (SPEC EGR-5, QUA-3).
func (a *API) output(w http.ResponseWriter, r *http.Request, p Principal) error {
	run := chunk.ID(r.PathValue("run"))
	if err := a.Gatekeeper.Own(r.Context(), p.Tenant, run); err != nil {
		return err
	}
	var in review.Output
	if err := read(r, &in); err != nil {
		return err
	}
	if in.Role == "" {
		return invalid("recipient_role", "missing", "required")
	}
	in.Tenant, in.Actor, in.Run = p.Tenant, p.Actor(), run
	d, err := a.Gatekeeper.Deliver(r.Context(), in)
	if err != nil {
		return err
	}
	a.metrics.egress.WithLabelValues("output", d.Decision, string(d.Rule)).Inc()
	switch d.Outcome {
	case guard.Allow:
		problem.OK(w, d)
	case guard.Gated:
		problem.Respond(w, http.StatusAccepted, d)
	default:
		denied(w, d.Failure, nil, d)
	}
	return nil
}

func (a *API) outputState(w http.ResponseWriter, r *http.Request, p Principal) error {
	d, err := a.Gatekeeper.Delivered(r.Context(), p.Tenant, chunk.ID(r.PathValue("run")), chunk.ID(r.PathValue("output")), p.Actor())
	if err != nil {
		return err
	}
	problem.OK(w, d)
	return nil
}

// memory decides whether a text may be remembered (SPEC EGR-4). It stores nothing.
func (a *API) memory(w http.ResponseWriter, r *http.Request, p Principal) error {
	run := chunk.ID(r.PathValue("run"))
	if err := a.Gatekeeper.Own(r.Context(), p.Tenant, run); err != nil {
		return err
	}
	var in struct {
		Space string `json:"space"`
		Text  string `json:"text"`
		Sink  string `json:"sink"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if in.Space != guard.Scratchpad && in.Space != guard.CrossRun {
		return invalid("space", "unknown", "want scratchpad or cross-run")
	}
	d, err := a.Gatekeeper.Remember(r.Context(), p.Tenant, p.Actor(), run, in.Space, in.Text, in.Sink)
	if err != nil {
		return err
	}
	a.metrics.egress.WithLabelValues("memory", d.Outcome.String(), string(d.Rule)).Inc()
	data := map[string]any{"run_id": run, "decision": d.Outcome, "failure_id": d.Failure, "rule": d.Rule, "data_class": d.DataClass, "sink": d.Sink}
	if d.Outcome != guard.Allow {
		denied(w, d.Failure, nil, data)
		return nil
	}
	problem.OK(w, data)
	return nil
}

// declarationsPerMinute is the quota of one session (SPEC DEC-4).
const declarationsPerMinute = 10

// declare decides a declaration (SPEC DEC-1 … DEC-3).
func (a *API) declare(w http.ResponseWriter, r *http.Request, p Principal) error {
	var in struct {
		Run chunk.ID `json:"run_id"`
		guard.Declaration
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if in.Run == "" {
		return invalid("run_id", "missing", "required")
	}
	if err := a.Gatekeeper.Own(r.Context(), p.Tenant, in.Run); err != nil {
		return err
	}
	by := guard.Standing{Operations: []string{"*"}, Trusted: a.cfg.TrustedHosts}
	// The session's name is the agent's text: the key of its quota is made from it, so
	// that it cannot be another key.
	session := chunk.NewID("ses", p.Tenant, p.Name, in.SessionID)
	ok, err := a.cfg.Runs.Allow(r.Context(), "declare:"+string(session), declarationsPerMinute)
	if err != nil {
		return review.ErrState
	}
	if ok {
		by.Left = 1
	}
	d, err := a.Gatekeeper.Declare(r.Context(), p.Tenant, p.Actor(), in.Run, in.Declaration, by)
	if err != nil {
		return err
	}
	a.metrics.egress.WithLabelValues("declaration", d.Decision, string(d.Rule)).Inc()
	switch {
	case d.Outcome == guard.Allow:
		problem.OK(w, d)
	case d.Outcome == guard.Gated:
		problem.Respond(w, http.StatusAccepted, d)
	case d.Rule == guard.RuleQuota:
		problem.Write(w, problem.Problem{Status: http.StatusTooManyRequests, Code: "quota-exceeded", Detail: "The session has declared as much as it may in a minute.", Retryable: true, RetryAfter: 15 * soon, Data: d})
	default:
		denied(w, d.Failure, d.Fields, d)
	}
	return nil
}

func (a *API) declaration(w http.ResponseWriter, r *http.Request, p Principal) error {
	d, err := a.Gatekeeper.Declaration(r.Context(), p.Tenant, chunk.ID(r.PathValue("declaration")))
	if err != nil {
		return err
	}
	problem.OK(w, d)
	return nil
}

// resolve gives a connector the values behind stubs, for an authorised sink of a
// call that is allowed (SPEC RED-4).
func (a *API) resolve(w http.ResponseWriter, r *http.Request, p Principal) error {
	in := review.Resolution{}
	if err := read(r, &in); err != nil {
		return err
	}
	in.Tenant, in.Actor = p.Tenant, p.Actor()
	values, err := a.Gatekeeper.Resolve(r.Context(), in)
	if err != nil {
		return err
	}
	out := map[string]string{}
	for stub, v := range values {
		if !utf8.Valid(v) {
			return review.ErrIntegrity // JSON would alter it in silence
		}
		out[stub] = string(v)
	}
	return external(w, map[string]any{"run_id": in.Run, "tool": in.Tool, "sink": in.Sink, "values": out}, "values")
}
