package api

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/internal/strictjson"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/guard"
)

var (
	errUnauthenticated = errors.New("api: unauthenticated")
	errForbidden       = errors.New("api: forbidden")
	errNotFound        = errors.New("api: not found")
)

// refusal is an error that brings its answer along.
type refusal struct{ problem.Problem }

func (r refusal) Error() string { return "api: " + r.Code }

const soon = 2 * time.Second

// table maps what happened inside to what a client gets. Its order matters: the
// first that fits is answered.
var table = []struct {
	err    error
	answer problem.Problem
}{
	{errUnauthenticated, problem.Problem{Status: 401, Code: "unauthenticated", Detail: "Send a token that is known here: Authorization: Bearer TOKEN.",
		Header: map[string]string{"WWW-Authenticate": "Bearer"}}},
	{errForbidden, problem.Problem{Status: 403, Code: "forbidden", Detail: "The token's roles do not cover this."}},
	{errNotFound, problem.Problem{Status: 404, Code: "not-found", Detail: "There is nothing of that name here."}},
	{review.ErrNotFound, problem.Problem{Status: 404, Code: "not-found", Detail: "There is nothing of that name here."}},
	{review.ErrClaimed, problem.Problem{Status: 409, Code: "gate-claimed", Detail: "Another reviewer holds the gate until their lease ends.", Retryable: true}},
	{review.ErrDecided, problem.Problem{Status: 409, Code: "gate-decided", Detail: "The gate was decided before; the first decision stands and comes with this answer."}},
	{review.ErrDecision, problem.Problem{Status: 422, Code: "decision-invalid", Detail: "That cannot be decided here; the gate lists its decisions."}},
	{review.ErrReason, problem.Problem{Status: 422, Code: "reason-required", Detail: "Give one of the reason codes."}},
	{review.ErrForbidden, problem.Problem{Status: 403, Code: "forbidden", Detail: "Your role does not allow that, or it is your own request."}},
	{review.ErrNoCitations, noCitations},
	{review.ErrTooLarge, problem.Problem{Status: 413, Code: "body-too-large", Detail: "A part of the request is longer than allowed."}},
	{review.ErrErased, problem.Problem{Status: 410, Code: string(chunk.FailErased), Detail: "The content has been erased; what the ledger says of it remains."}},
	{review.ErrState, problem.Problem{Status: 503, Code: string(chunk.FailState), Detail: "The run's state cannot be known just now, so nothing is allowed. Try again.", Retryable: true, RetryAfter: soon}},
	{review.ErrLedger, problem.Problem{Status: 503, Code: string(chunk.FailLedger), Detail: "The ledger is away, so nothing can be recorded and nothing is allowed. Try again.", Retryable: true, RetryAfter: soon}},
	{review.ErrEvidence, problem.Problem{Status: 503, Code: string(chunk.FailEvidence), Detail: "The vault is away, so nothing is allowed. Try again.", Retryable: true, RetryAfter: soon}},
	{review.ErrIntegrity, problem.Problem{Status: 500, Code: string(chunk.FailIntegrity), Detail: "Stored content does not match its seal. An operator has to look at it."}},
	{context.DeadlineExceeded, problem.Problem{Status: 503, Code: "timeout", Detail: "It took too long. Try again.", Retryable: true, RetryAfter: soon}},
}

// fail answers an error with a problem document.
func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	var own refusal
	var bad *strictjson.Error
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &own):
		problem.Write(w, own.Problem)
		return
	case errors.As(err, &large):
		problem.Write(w, problem.Problem{Status: 413, Code: "body-too-large", Detail: "The request is larger than allowed."})
		return
	case errors.As(err, &bad):
		offset := bad.Offset
		p := problem.Problem{Status: 400, Code: string(bad.Code), Detail: jsonDetails[bad.Code], Offset: &offset}
		if bad.Field != "" {
			p.Fields = []problem.Field{{Path: bad.Field, Code: string(bad.Code), Detail: "of another type"}}
		}
		problem.Write(w, p)
		return
	}
	for _, row := range table {
		if errors.Is(err, row.err) {
			if row.answer.Status >= 500 {
				a.metrics.failClosed(row.answer.Code)
				a.cfg.Log.Warn("refused", slog.String("code", row.answer.Code), slog.String("route", route(r)), slog.String("request", problem.ID(r.Context())))
			}
			problem.Write(w, row.answer)
			return
		}
	}
	if r.Context().Err() != nil {
		problem.Write(w, problem.Problem{Status: 503, Code: "timeout", Detail: "It took too long. Try again.", Retryable: true, RetryAfter: soon})
		return
	}
	a.metrics.failClosed("internal")
	a.cfg.Log.Error("fault", slog.String("route", route(r)), slog.String("request", problem.ID(r.Context())))
	problem.Write(w, problem.Problem{Status: 500, Code: "internal", Detail: "This is a fault of the service; its log has the request id."})
}

var jsonDetails = map[strictjson.Code]string{
	strictjson.Syntax:    "The body is not JSON.",
	strictjson.UTF8:      "The body is not UTF-8.",
	strictjson.Duplicate: "A key stands twice in one object; two readers would take it differently.",
	strictjson.TooDeep:   "The body is nested too deep.",
	strictjson.TooLarge:  "The body is larger than allowed.",
	strictjson.Unknown:   "The body has a member that is not known here.",
	strictjson.WrongType: "A member is of another type.",
}

// read reads a request's JSON strictly.
func read(r *http.Request, v any) error {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return err
		}
		return refusal{problem.Problem{Status: 400, Code: "body-unreadable", Detail: "The request's body ended early.", Retryable: true}}
	}
	return strictjson.Decode(b, v, strictjson.Limits{})
}

func invalid(path, code, detail string) error {
	return refusal{problem.Problem{Status: 422, Code: "request-invalid", Detail: "A part of the request is wrong; fields says which.", Fields: []problem.Field{{Path: path, Code: code, Detail: detail}}}}
}

// statusOf maps a refusal of the guard to a status.
func statusOf(f chunk.FailureID) int {
	switch f {
	case chunk.FailRunHalted, chunk.FailRunEnded, chunk.FailRunIncomplete, chunk.FailContextIncomplete:
		return http.StatusConflict
	case chunk.FailState, chunk.FailLedger, chunk.FailEvidence:
		return http.StatusServiceUnavailable
	case chunk.FailToolArguments, chunk.FailDeclaration:
		return http.StatusUnprocessableEntity
	case chunk.FailErased:
		return http.StatusGone
	case chunk.FailQuota:
		return http.StatusTooManyRequests
	case chunk.FailFileMissing:
		return http.StatusNotFound
	case chunk.FailUpstream, chunk.FailResultSize, chunk.FailMediaType, chunk.FailMalformed, chunk.FailClassification:
		return http.StatusBadGateway // what came back is no result
	case chunk.FailTimeout:
		return http.StatusGatewayTimeout
	case chunk.FailExecution, chunk.FailInterrupted:
		return http.StatusInternalServerError
	}
	return http.StatusForbidden
}

var failureDetails = map[chunk.FailureID]string{
	chunk.FailRunHalted:         "The run is halted until a reviewer resumes it.",
	chunk.FailRunEnded:          "The run has ended.",
	chunk.FailRunIncomplete:     "A part of the run's content was lost to processing; it never reads as clean again.",
	chunk.FailContextIncomplete: "Not all of the run's content is decided yet. Wait, or try again.",
	chunk.FailState:             "The run's state cannot be known just now, so nothing is allowed.",
	chunk.FailToolUnregistered:  "The tool is not registered.",
	chunk.FailToolBlocked:       "The tool, or the operation, may not run here.",
	chunk.FailToolArguments:     "The arguments do not fit the tool's declaration.",
	chunk.FailApprovalRequired:  "A reviewer did not approve it.",
	chunk.FailPIILeakRisk:       "Something above the allowed class would have left. It is blocked, and a reviewer has it.",
	chunk.FailSinkUnauthorised:  "The data may not go there.",
	chunk.FailUndecided:         "It could not be judged within the bounds, so it is refused.",
	chunk.FailCitation:          "It cites something that its source of record does not have.",
	chunk.FailPhase:             "The operation is not allowed in this phase.",
	chunk.FailDeclaration:       "The declaration is incomplete or malformed; fields says where.",
	chunk.FailQuota:             "The session has asked for as much as it may in a minute.",
	chunk.FailDestination:       "The address, or one that it led to, may not be asked: https, a public host, and the operator's lists.",
	chunk.FailUpstream:          "No usable answer came from there. Nothing of it was kept.",
	chunk.FailTimeout:           "It took longer than it may. Nothing of it was kept.",
	chunk.FailResultSize:        "The result is larger than allowed. Nothing of it was kept.",
	chunk.FailPath:              "The path leads out of the workspace, or to no regular file.",
	chunk.FailFileMissing:       "The workspace has no such file.",
	chunk.FailExecution:         "It could not be carried out: nothing here does that, or a fault of the service.",
	chunk.FailInterrupted:       "The service ended while it was carried out; what became of it is not known. Declare it again.",
	chunk.FailMediaType:         "The result is of a kind that cannot be read here.",
	chunk.FailMalformed:         "The result is not what its media type promises.",
	chunk.FailClassification:    "The result could not be classified, so it does not go on.",
	chunk.FailIntegrity:         "Something else lies where the result belongs. An operator has to look at it.",
	chunk.FailErased:            "The content has been erased; what the ledger says of it remains.",
}

// denied answers a decision that refuses, with the decision beside the problem.
func denied(w http.ResponseWriter, f chunk.FailureID, fields []guard.FieldError, data any) {
	p := problem.Problem{Status: statusOf(f), Code: string(f), Detail: failureDetails[f], Data: data}
	if p.Code == "" {
		p.Code = "denied"
	}
	if f == chunk.FailContextIncomplete || p.Status == http.StatusServiceUnavailable {
		p.Retryable, p.RetryAfter = true, soon
	}
	for _, e := range fields {
		p.Fields = append(p.Fields, problem.Field{Path: e.Field, Code: e.Code, Detail: e.Detail})
	}
	problem.Write(w, p)
}
