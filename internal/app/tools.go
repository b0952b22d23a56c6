package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// toolCalls is the stage.Func of the guard on Kafka (SPEC EGR-7): a request on
// stoplog.tool.requested, its decision on stoplog.tool.decided. The tenant comes from
// the event's extension; a run of another tenant does not exist for it. Whoever may
// write to the topic speaks for the tenants' agents: its ACL is the credential.
//
// The request's data is JSON as in POST /v1/runs/{run}/tool-calls with run_id; its
// values are not sealed, since an agent has no key, so they should be stubs.
func (s *system) toolCalls(k *review.Gatekeeper) stage.Func {
	return func(ctx context.Context, m stage.Message) (stage.Step, error) {
		ev, data, err := stage.ParseEvent(m)
		if err != nil {
			return stage.Step{}, stage.PoisonAs(chunk.FailToolArguments)
		}
		req, err := review.ParseRequest(data)
		if err != nil {
			return stage.Step{}, stage.PoisonAs(chunk.FailToolArguments)
		}
		req.Tenant, req.Actor = ev.Extensions[stage.ExtTenant], "topic:"+stage.TopicToolRequested
		if req.Tenant == "" {
			req.Tenant = s.cfg.Tenant
		}
		if req.ID == "" { // the same event again is the same call
			req.ID = ev.ID
		}
		answer, batch, err := k.Decide(ctx, req)
		switch {
		case errors.Is(err, review.ErrUnavailable):
			return stage.Step{}, fmt.Errorf("guard: %w", stage.Transient)
		case errors.Is(err, review.ErrNotFound):
			answer = review.Answer{Decision: "deny", Failure: chunk.FailState, Arguments: []string{}}
			if chunk.ValidID(string(req.Run), "run") {
				answer.Run = req.Run
			}
		case err != nil:
			return stage.Step{}, stage.PoisonAs(chunk.FailToolArguments)
		}
		return stage.Step{Batch: batch, Emit: func(ledger.Appended) ([]ledger.Outgoing, error) {
			out, err := review.DecidedEvent(req.Tenant, answer, s.now())
			if err != nil {
				return nil, stage.PoisonAs(chunk.FailToolArguments)
			}
			out.Headers["ce_"+stage.ExtCorrelation] = ev.ID
			if out.Key == "" {
				out.Key = m.Key
			}
			return []ledger.Outgoing{out}, nil
		}}, nil
	}
}
