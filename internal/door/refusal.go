package door

import (
	"errors"
	"net/http"
	"time"

	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/strictjson"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Why an event did not come in. Errors of [Door.Accept] wrap one of these;
// [Problem] gives the answer that belongs to it.
var (
	ErrSourceUnregistered = errors.New("door: the source is not registered")
	ErrSourceNotGranted   = errors.New("door: the credential does not cover the source")
	ErrOperatorRequired   = errors.New("door: the source takes operator input and the sender is no operator")
	ErrMediaType          = errors.New("door: the media type is not one the source takes")
	ErrEncoding           = errors.New("door: the content is compressed or not UTF-8 by declaration")
	ErrMalformed          = errors.New("door: the payload is malformed")
	ErrEvent              = errors.New("door: not a valid event")
	ErrTooLarge           = errors.New("door: the document is too large")
	ErrEncrypted          = errors.New("door: the document is encrypted")
	ErrNoText             = errors.New("door: the document holds no text")
	ErrComplex            = errors.New("door: the document has too many values")
	ErrBodyChanged        = errors.New("door: a known event id came with another body")
	ErrRunUnknown         = errors.New("door: no such run")
	ErrRunEnded           = errors.New("door: the run has ended")
	ErrRunNotAllowed      = errors.New("door: a signed webhook cannot name its run in a header")
	ErrRunPath            = errors.New("door: the payload does not name its run where the source says")
	ErrErased             = errors.New("door: the key of the run has been destroyed")
	ErrClassification     = errors.New("door: the payload could not be classified")
	ErrStale              = errors.New("door: the signed timestamp is too old")
	ErrFuture             = errors.New("door: the signed timestamp lies in the future")
	ErrSignatureMissing   = errors.New("door: no signature and no token")
	ErrSignatureInvalid   = errors.New("door: the signature does not match")
	ErrToken              = errors.New("door: no token, or not a valid one")
	ErrLedger             = errors.New("door: the ledger is away")
	ErrEvidence           = errors.New("door: the vault is away")
	ErrState              = errors.New("door: the run cache is away")
	ErrBusy               = errors.New("door: too many bodies are being read")
)

// refusal is one row of the table: what the record of an authenticated sender's
// refusal says, and what the sender is told. Without a failure nothing is recorded.
type refusal struct {
	err     error
	failure chunk.FailureID
	answer  problem.Problem
}

const retrySoon = 5 * time.Second

// refusals maps every sentinel. Details are for the person who reads the sender's
// log: what to do, never what was sent.
var refusals = []refusal{
	{ErrSourceUnregistered, chunk.FailSourceUnregistered, problem.Problem{Status: 422, Code: "source-unregistered",
		Detail: "No source of this name is registered. Register it under `sources` in the configuration, or correct the name in the URL or the event. The attempt is in the ledger."}},
	{ErrSourceNotGranted, chunk.FailSourceNotGranted, problem.Problem{Status: 403, Code: "source-not-granted",
		Detail: "The token is valid but not granted this source. Add the source to the token's `sources`, or use another token."}},
	{ErrOperatorRequired, chunk.FailOperatorRequired, problem.Problem{Status: 403, Code: "operator-required",
		Detail: "This source speaks for an operator. Send with the token of a person with an operator's role; webhooks and connectors cannot."}},
	{ErrMediaType, chunk.FailMediaType, problem.Problem{Status: 415, Code: "media-type-unsupported",
		Detail: "Send one of application/json, text/plain, text/markdown, text/html, text/csv, application/x-www-form-urlencoded, message/rfc822, application/pdf or a DOCX document, as the source's `format` says."}},
	{ErrEncoding, chunk.FailMediaType, problem.Problem{Status: 415, Code: "content-encoding-unsupported",
		Detail: "Send the body uncompressed (no Content-Encoding) and in UTF-8."}},
	{ErrMalformed, chunk.FailMalformed, problem.Problem{Status: 400, Code: "payload-malformed",
		Detail: "The body is not what its media type promises. Check how the sender encodes it."}},
	{ErrEncrypted, chunk.FailMediaType, problem.Problem{Status: 422, Code: "document-encrypted",
		Detail: "The document has a password or forbids what a reader may do with it, so nobody here can tell what it says. Send it without protection, or send its text."}},
	{ErrNoText, chunk.FailMediaType, problem.Problem{Status: 422, Code: "document-without-text",
		Detail: "The document holds no text that can be read: a scan, or fonts without characters. Send what a text recognition makes of it."}},
	{ErrEvent, chunk.FailMalformed, problem.Problem{Status: 400, Code: "event-invalid",
		Detail: "This is not a CloudEvents 1.0 event with data. It needs specversion 1.0, id, source, type, and data; attribute names are lower-case letters and digits."}},
	{ErrTooLarge, chunk.FailTooLarge, problem.Problem{Status: 413, Code: "body-too-large",
		Detail: "The document is larger than this source takes. Send less in one event, or raise `max_bytes` (at most 768 KiB after encoding: one document travels as one message)."}},
	{ErrComplex, chunk.FailTooLarge, problem.Problem{Status: 413, Code: "payload-too-complex",
		Detail: "The payload holds more values than one document may. Send less in one event."}},
	{ErrBodyChanged, chunk.FailBodyChanged, problem.Problem{Status: 409, Code: "event-body-changed",
		Detail: "This event id was accepted before with another body, and the source is strict. Send new content under a new event id."}},
	{ErrRunUnknown, chunk.FailRunUnknown, problem.Problem{Status: 422, Code: "run-unknown",
		Detail: "There is no such run. Send the event without a run, or with a run id that an earlier receipt gave, or with a name of your own that does not look like a run id."}},
	{ErrRunEnded, chunk.FailRunEnded, problem.Problem{Status: 409, Code: "run-ended",
		Detail: "The run has ended and takes nothing more. Send the event to another run."}},
	{ErrRunNotAllowed, chunk.FailRunUnknown, problem.Problem{Status: 400, Code: "run-not-allowed",
		Detail: "A webhook's signature does not cover the Stoplog-Run header, so it is not believed. Let the source name the run (`run_by`), or send with a token."}},
	{ErrRunPath, chunk.FailMalformed, problem.Problem{Status: 422, Code: "run-path-missing",
		Detail: "The source's `run_by` path leads to no single value in this payload, so the event belongs to no run. Send the value, or correct `run_by`."}},
	{ErrErased, chunk.FailErased, problem.Problem{Status: 409, Code: "run-erased",
		Detail: "The key of this run has been destroyed on request, and nothing more can be stored under it. Send the event to another run."}},
	{ErrClassification, chunk.FailClassification, problem.Problem{Status: 422, Code: "classification-failed",
		Detail: "The payload could not be classified, so it does not go on. Its raw bytes are kept in the vault and the ledger points to them; send it again once the source's registration or the program is mended."}},
	{ErrStale, chunk.FailStale, problem.Problem{Status: 400, Code: "timestamp-stale",
		Detail: "The signature is good but was made more than 5 minutes ago. Sign each attempt anew, and check both clocks."}},
	{ErrFuture, chunk.FailStale, problem.Problem{Status: 400, Code: "timestamp-future",
		Detail: "The signature is good but its timestamp lies more than 5 minutes ahead. Check both clocks."}},
	{ErrSignatureMissing, "", problem.Problem{Status: 401, Code: "signature-missing", Header: bearer,
		Detail: "Sign the request as the source's scheme says (Standard Webhooks, GitHub, Stripe or Slack headers), or send a token in the Authorization header."}},
	{ErrSignatureInvalid, "", problem.Problem{Status: 401, Code: "signature-invalid", Header: bearer,
		Detail: "The signature does not match. Check the secret, sign the exact bytes that are sent, and send each signature header once."}},
	{ErrToken, "", problem.Problem{Status: 401, Code: "unauthenticated", Header: bearer,
		Detail: "Send a valid token in the header Authorization: Bearer."}},
	{ErrLedger, "", problem.Problem{Status: 503, Code: "ledger-unavailable", Retryable: true, RetryAfter: retrySoon,
		Detail: "The ledger cannot be written just now and nothing was accepted. Send the same event again."}},
	{ErrEvidence, "", problem.Problem{Status: 503, Code: "evidence-unavailable", Retryable: true, RetryAfter: retrySoon,
		Detail: "The evidence vault cannot be written just now and nothing was accepted. Send the same event again."}},
	{ErrState, "", problem.Problem{Status: 503, Code: "state-unavailable", Retryable: true, RetryAfter: retrySoon,
		Detail: "The event is stored, but the run state could not be brought up to date. Send the same event again; it will be answered as a duplicate."}},
	{ErrBusy, "", problem.Problem{Status: 503, Code: "busy", Retryable: true, RetryAfter: retrySoon,
		Detail: "Too many requests are being read at the same time. Send the same event again."}},
}

var bearer = map[string]string{"WWW-Authenticate": "Bearer"}

// jsonDetails are the answers about JSON, by code; the offset goes beside them.
var jsonDetails = map[strictjson.Code]string{
	strictjson.Syntax:    "The body is not valid JSON (RFC 8259) at this byte offset.",
	strictjson.UTF8:      "The body holds bytes that are not UTF-8 at this byte offset.",
	strictjson.Duplicate: "An object has the same key twice; the second one begins at this byte offset. Two readers could take different values.",
	strictjson.TooDeep:   "The body is nested deeper than 64 levels at this byte offset.",
	strictjson.TooLarge:  "The body is larger than allowed.",
	strictjson.Unknown:   "The body has a member that is not known here.",
	strictjson.WrongType: "A member has the wrong type at this byte offset.",
}

// lookup finds the row of an error. What has no row is a fault of ours.
func lookup(err error) refusal {
	var bad *strictjson.Error
	if errors.As(err, &bad) {
		offset := bad.Offset
		return refusal{err, chunk.FailMalformed, problem.Problem{Status: 400, Code: string(bad.Code), Detail: jsonDetails[bad.Code], Offset: &offset}}
	}
	var answered Answered
	if errors.As(err, &answered) {
		return refusal{err, "", answered.Problem}
	}
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			return r
		}
	}
	return refusal{err, "", problem.Problem{Status: http.StatusInternalServerError, Code: "internal",
		Detail: "The event could not be processed. Nothing was accepted; the service's log has the request id."}}
}

// Problem gives the answer that belongs to an error of this package.
func Problem(err error) problem.Problem { return lookup(err).answer }

// Failure gives the failure id under which an error of this package is recorded;
// empty for one that is not recorded.
func Failure(err error) chunk.FailureID { return lookup(err).failure }

// fromLedger and fromVault sort the stores' errors.
func fromLedger(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, provenance.ErrMalformed):
		return err // a record of ours that cannot be written: no repetition helps
	default:
		return ErrLedger
	}
}

func fromVault(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, evidence.ErrErased):
		return ErrErased
	case errors.Is(err, evidence.ErrTooLarge):
		return ErrTooLarge
	default:
		// Whatever the vault's trouble is, nothing may go on without it.
		return ErrEvidence
	}
}

func fromClassifier(err error) error {
	var path *classify.PathError
	switch {
	case errors.Is(err, classify.ErrUnregistered):
		return ErrSourceUnregistered // the registry changed under way
	case errors.Is(err, classify.ErrMalformed):
		return ErrMalformed
	case errors.Is(err, classify.ErrBounds):
		return ErrComplex
	case errors.As(err, &path):
		return ErrRunPath
	default:
		return ErrClassification
	}
}
