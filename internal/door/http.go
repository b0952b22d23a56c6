package door

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/internal/strictjson"
	"github.com/stoplog/stoplog/internal/webhook"
	"github.com/stoplog/stoplog/pkg/classify"
)

// Hook is how one source's webhooks are authenticated.
type Hook struct {
	Scheme  webhook.Scheme
	Secrets []webhook.Secret // newest first; two during a rotation
}

// Hooks reads the secrets of every source that signs. resolve turns a reference
// (env:NAME, file:PATH) into its value. The error names the source and never a value.
func Hooks(sources []classify.Source, resolve func(ref string) (string, error)) (map[string]Hook, error) {
	out := map[string]Hook{}
	for _, s := range sources {
		if s.Signature == nil {
			continue
		}
		h := Hook{Scheme: webhook.Scheme(s.Signature.Scheme)}
		for i, ref := range s.Signature.Secrets {
			text, err := resolve(ref)
			if err != nil {
				return nil, fmt.Errorf("source %s: signature.secrets[%d]: %w", s.ID, i, err)
			}
			secret, err := webhook.ParseSecret(h.Scheme, text)
			if err != nil {
				return nil, fmt.Errorf("source %s: signature.secrets[%d] (%s): %w", s.ID, i, ref, err)
			}
			h.Secrets = append(h.Secrets, secret)
		}
		out[s.ID] = h
	}
	return out, nil
}

// HTTPConfig is what the HTTP side of the door needs.
type HTTPConfig struct {
	Tenant string          // of signed webhooks
	Hooks  map[string]Hook // by source id; a source without one takes tokens only

	// Authenticate says who a request with a bearer token speaks for. Any error is
	// answered 401 and is not shown. Nil: there are no tokens.
	Authenticate func(*http.Request) (Principal, error)
}

// Register puts the door's handlers into a mux: POST /v1/hooks/{source} and POST
// /v1/events. They expect [problem.RequestID] around the mux.
func (d *Door) Register(mux *http.ServeMux, cfg HTTPConfig) {
	mux.Handle("POST /v1/hooks/{source}", d.HookHandler(cfg))
	mux.Handle("POST /v1/events", d.EventsHandler(cfg))
}

// HookHandler takes webhooks, POST /v1/hooks/{source}: signed as the source's scheme
// says, or with a token that is granted the source. The answer is 202 with a
// [Receipt], the same for every repetition of the event.
//
// With a token, the event id is taken from the header Webhook-Id or Idempotency-Key,
// and Stoplog-Run may name the run. A signature covers neither, so a signed request
// with Stoplog-Run is refused.
func (d *Door) HookHandler(cfg HTTPConfig) http.Handler {
	decoy := decoyHook()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		source := r.PathValue("source")
		registered, _ := d.policy.Load().classifier.Source(source)
		if scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
			d.tokenHook(w, r, cfg, source, registered)
			return
		}
		body, release, err := d.readBody(w, r, d.bodyLimit(registered))
		defer release()
		if err != nil {
			d.metrics.refuse(err)
			problem.Write(w, Problem(err))
			return
		}
		hook, known := cfg.Hooks[source]
		if !known || registered == nil {
			// Work and answer as for a registered source with a wrong signature, so
			// that nobody without a credential learns which sources exist.
			hook, known = decoy, false
		}
		delivery, err := webhook.Verify(hook.Scheme, r.Header, body, hook.Secrets, d.cfg.Clock())
		ev := Event{
			Tenant: cfg.Tenant, Source: source, SenderID: delivery.ID, MediaType: r.Header.Get("Content-Type"), Body: body,
			Traceparent: r.Header.Get("Traceparent"), Actor: "hook:" + source,
		}
		switch {
		case errors.Is(err, webhook.ErrStale) && known:
			err = d.Refuse(r.Context(), ev, ErrStale)
		case errors.Is(err, webhook.ErrFuture) && known:
			err = d.Refuse(r.Context(), ev, ErrFuture)
		case err != nil || !known:
			err = ErrSignatureMissing
			if webhook.Signed(r.Header) {
				err = ErrSignatureInvalid
			}
			d.metrics.refuse(err)
		case r.Header.Get("Stoplog-Run") != "":
			err = d.Refuse(r.Context(), ev, ErrRunNotAllowed)
		case encoded(r):
			err = d.Refuse(r.Context(), ev, ErrEncoding)
		}
		if err != nil {
			problem.Write(w, Problem(err))
			return
		}
		if hook.Scheme == webhook.Slack && answerSlack(w, body) {
			return
		}
		if !delivery.IDSigned {
			// The sender's id header is outside the signature: where the operator says
			// that the payload holds an id, that one counts. Elsewhere whoever got hold of
			// one delivery could send it again under ever new ids; so its bytes count too.
			ev.IDUnsigned = ev.SenderID != "" && registered.EventIDPath == ""
			if !ev.IDUnsigned {
				ev.SenderID = ""
			}
		}
		receipt, err := d.Accept(r.Context(), ev)
		answer(w, receipt, err)
	})
}

// tokenHook is the webhook handler for a sender with a token.
func (d *Door) tokenHook(w http.ResponseWriter, r *http.Request, cfg HTTPConfig, source string, registered *classify.Source) {
	p, err := authenticate(cfg, r)
	if err != nil {
		d.metrics.refuse(err)
		problem.Write(w, Problem(err))
		return
	}
	body, release, err := d.readBody(w, r, d.bodyLimit(registered))
	defer release()
	ev := Event{
		Tenant: p.Tenant, Source: source, SenderID: r.Header.Get("Webhook-Id"), MediaType: r.Header.Get("Content-Type"), Body: body,
		RunHint: r.Header.Get("Stoplog-Run"), Session: p.Session, Traceparent: r.Header.Get("Traceparent"), Actor: p.Actor, Operator: p.Operator,
	}
	if ev.SenderID == "" {
		ev.SenderID = r.Header.Get("Idempotency-Key")
	}
	if err == nil && encoded(r) {
		err = ErrEncoding
	}
	if err != nil {
		err = d.Refuse(r.Context(), ev, err)
		problem.Write(w, Problem(err))
		return
	}
	receipt, err := d.admitAs(r.Context(), p, ev)
	answer(w, receipt, err)
}

// authenticate asks who a request speaks for. Why it failed is not told: the reason
// would help to guess.
func authenticate(cfg HTTPConfig, r *http.Request) (Principal, error) {
	if cfg.Authenticate == nil {
		return Principal{}, ErrToken
	}
	p, err := cfg.Authenticate(r)
	if err != nil || p.Tenant == "" || p.Actor == "" {
		return Principal{}, ErrToken
	}
	return p, nil
}

// EventsHandler takes CloudEvents 1.0 over HTTP, POST /v1/events, with a token that
// is granted the events' sources: binary mode, structured JSON, and JSON batches.
//
// One event is answered 202 with a [Receipt]. A batch is answered with a
// [BatchResult]: 202 when every event was accepted, 207 when some were not; each event
// stands or falls alone, so a sender repeats the whole batch or only what failed.
func (d *Door) EventsHandler(cfg HTTPConfig) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := authenticate(cfg, r)
		if err != nil {
			d.metrics.refuse(err)
			problem.Write(w, Problem(err))
			return
		}
		batch := isBatch(r.Header.Get("Content-Type"))
		limit := d.cfg.Limits.DocumentBytes + 64<<10 // the source's own limit follows once the event names it
		if batch {
			limit = d.cfg.Limits.BatchBytes
		}
		body, release, err := d.readBody(w, r, limit)
		defer release()
		anonymous := Event{Tenant: p.Tenant, Actor: p.Actor, Body: body}
		if err == nil && encoded(r) {
			err = ErrEncoding
		}
		if err != nil {
			err = d.Refuse(r.Context(), anonymous, err)
			problem.Write(w, Problem(err))
			return
		}
		if batch {
			d.batchOf(w, r, p, anonymous)
			return
		}
		m, err := httpMessage(r.Header, body)
		var e stage.Event
		var data []byte
		if err == nil {
			e, data, err = parseEvent(m)
		}
		if err != nil {
			err = d.Refuse(r.Context(), anonymous, err)
			problem.Write(w, Problem(err))
			return
		}
		receipt, err := d.admitAs(r.Context(), p, fromCloudEvent(p, e, data, r.Header.Get("Traceparent")))
		answer(w, receipt, err)
	})
}

// BatchResult is the answer to a batch of CloudEvents.
type BatchResult struct {
	Accepted   int          `json:"accepted"` // duplicates included
	Duplicates int          `json:"duplicates"`
	Refused    int          `json:"refused"`
	Results    []ItemResult `json:"results"` // one for each event, in order
}

// ItemResult is what became of one event of a batch.
type ItemResult struct {
	Index   int            `json:"index"`
	Status  int            `json:"status"` // as it would have been for this event alone
	Receipt *Receipt       `json:"receipt,omitempty"`
	Error   *problem.Error `json:"error,omitempty"`
	Offset  *int           `json:"offset,omitempty"` // of what is wrong, in the event's data
}

func (d *Door) batchOf(w http.ResponseWriter, r *http.Request, p Principal, anonymous Event) {
	events, err := splitBatch(anonymous.Body, d.cfg.Limits.BatchEvents)
	if err != nil {
		err = d.Refuse(r.Context(), anonymous, err)
		problem.Write(w, Problem(err))
		return
	}
	out := BatchResult{Results: make([]ItemResult, len(events))}
	var away error // a store that was away for one event is not asked for the next
	for i, raw := range events {
		var receipt Receipt
		err := away
		if err == nil {
			receipt, err = d.batchItem(r, p, raw)
		}
		item := ItemResult{Index: i, Status: http.StatusAccepted, Receipt: &receipt}
		if err != nil {
			a := Problem(err)
			if a.Retryable {
				away = err
			}
			item = ItemResult{Index: i, Status: a.Status, Error: &problem.Error{Code: a.Code, Message: a.Detail, Retryable: a.Retryable}, Offset: a.Offset}
			out.Refused++
		} else {
			out.Accepted++
			if receipt.Duplicate {
				out.Duplicates++
			}
		}
		out.Results[i] = item
	}
	switch {
	case out.Refused == 0:
		problem.Respond(w, http.StatusAccepted, out)
	case out.Accepted == 0 && away != nil:
		a := Problem(away)
		a.Data = out
		problem.Write(w, a)
	default:
		problem.Respond(w, http.StatusMultiStatus, out, fmt.Sprintf("%d of %d events were not accepted; see results", out.Refused, len(events)))
	}
}

func (d *Door) batchItem(r *http.Request, p Principal, raw []byte) (Receipt, error) {
	e, data, err := parseEvent(stage.Message{Headers: map[string]string{"content-type": "application/cloudevents+json"}, Value: raw})
	if err != nil {
		return Receipt{}, d.Refuse(r.Context(), Event{Tenant: p.Tenant, Actor: p.Actor, Body: raw}, err)
	}
	return d.admitAs(r.Context(), p, fromCloudEvent(p, e, data, r.Header.Get("Traceparent")))
}

// readBody reads a body up to limit bytes. What is read at the same time by all
// requests together is bounded too; release gives the reservation back. With
// [ErrTooLarge] the body holds what was read of it, so that the refusal can be named.
func (d *Door) readBody(w http.ResponseWriter, r *http.Request, limit int) (body []byte, release func(), err error) {
	m := &meter{r: http.MaxBytesReader(w, r.Body, int64(limit)), d: d}
	release = func() { d.reading.Add(-m.read) }
	body, err = io.ReadAll(m)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, ErrBusy):
		return nil, release, ErrBusy
	case errors.As(err, &tooLarge):
		return body, release, ErrTooLarge
	case err != nil:
		return body, release, errRead
	}
	return body, release, nil
}

// meter counts the bytes that have come in, over all requests. What a sender announces
// counts for nothing: nobody is authenticated yet, and an announcement costs nothing.
type meter struct {
	r    io.Reader
	d    *Door
	read int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.read += int64(n)
	if m.d.reading.Add(int64(n)) > m.d.cfg.Limits.InFlightBytes {
		return n, ErrBusy
	}
	return n, err
}

// errRead: the connection broke while the body was read; there is nobody to answer.
var errRead = errors.New("door: the body could not be read")

// encoded reports whether the body is compressed. It is refused: what unpacks to a
// thousand times its size must not be unpacked at the door, and a signature covers
// the packed bytes.
func encoded(r *http.Request) bool {
	v := strings.TrimSpace(r.Header.Get("Content-Encoding"))
	return v != "" && !strings.EqualFold(v, "identity")
}

// decoyHook has a secret that nobody knows.
func decoyHook() Hook {
	s, err := webhook.ParseSecret(webhook.Standard, webhook.NewSecret(webhook.Standard))
	if err != nil {
		panic("door: a fresh secret does not parse") // a programming error
	}
	return Hook{Scheme: webhook.Standard, Secrets: []webhook.Secret{s}}
}

// answerSlack answers Slack's check of a new endpoint. It comes after the signature
// check, so that nobody else can have a text of theirs sent back.
func answerSlack(w http.ResponseWriter, body []byte) bool {
	if strictjson.Check(body, strictjson.Limits{}) != nil {
		return false
	}
	if kind, _ := strictjson.Lookup(body, "type"); kind != "url_verification" {
		return false
	}
	challenge, ok := strictjson.Lookup(body, "challenge")
	if !ok || len(challenge) > 256 {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_ = json.NewEncoder(w).Encode(map[string]string{"challenge": challenge})
	return true
}

// answer writes what became of one event.
func answer(w http.ResponseWriter, receipt Receipt, err error) {
	if err != nil {
		problem.Write(w, Problem(err))
		return
	}
	if receipt.Run != "" {
		w.Header().Set("Location", "/v1/runs/"+string(receipt.Run))
	}
	var warnings []string
	if receipt.Changed {
		warnings = []string{"This event id was accepted before with another body. The first body stands; the change is recorded."}
	}
	if receipt.Renamed {
		warnings = []string{"This body was accepted before under another id, and the signature does not cover the id. It counts as a repetition; that is recorded."}
	}
	problem.Respond(w, http.StatusAccepted, receipt, warnings...)
}
