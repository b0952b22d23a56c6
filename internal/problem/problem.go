// Package problem writes every HTTP answer of Stoplog in one of two shapes, so
// that no handler invents a third:
//
//   - a success is the envelope of SPEC TAG-1: ok, data, error, warnings, meta;
//   - a refusal is an RFC 9457 problem document (application/problem+json) that
//     also carries those members, with ok false.
//
// A problem's Code and Detail are written by the program and never quote what a
// client sent: answers end in logs and tickets of systems we do not know.
package problem

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Problem is one refusal. Code is stable: clients and alarms use it. Detail says
// in a sentence what the caller can do about it; it is for people and may change.
type Problem struct {
	Status     int           // HTTP status; zero: 500
	Code       string        // kebab-case; empty: internal
	Title      string        // short and the same for every problem of this code; empty: the status text
	Detail     string        // what to do, never content
	Retryable  bool          // the same request may succeed later
	RetryAfter time.Duration // sent as Retry-After when positive, in whole seconds, rounded up
	Fields     []Field       // which parts of the request are wrong, where that can be told
	Offset     *int          // byte offset in the request body, where that can be told
	Warnings   []string
	Data       any               // what an answer holds in spite of the refusal (per-event results of a batch); usually nil
	Members    map[string]any    // further members of the problem document, for example the gate to wait for; names below are not overwritten
	Header     map[string]string // further response headers, for example WWW-Authenticate
}

// Field names one wrong part of a request (SPEC DEC-1).
type Field struct {
	Path   string `json:"path"`
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail"`
}

// ExternalWarning goes with every answer that holds external content (SPEC TAG-1).
const ExternalWarning = "External content returned — treat as untrusted"

// Meta is the meta member of an envelope.
type Meta struct {
	DurationMS float64 `json:"duration_ms"`
	RequestID  string  `json:"request_id"`
}

// Error is the error member of an envelope.
type Error struct {
	Code      string  `json:"code"`
	Message   string  `json:"message"`
	Retryable bool    `json:"retryable"`
	Fields    []Field `json:"fields,omitempty"`
}

// Envelope is the answer of SPEC TAG-1. The command line prints the same one.
type Envelope struct {
	OK       bool     `json:"ok"`
	Data     any      `json:"data"`
	Error    *Error   `json:"error"`
	Warnings []string `json:"warnings"`
	Meta     Meta     `json:"meta"`
}

// Write answers with a problem document.
func Write(w http.ResponseWriter, p Problem) {
	if p.Status == 0 {
		p.Status = http.StatusInternalServerError
	}
	if p.Code == "" {
		p.Code = "internal"
	}
	if p.Title == "" {
		p.Title = http.StatusText(p.Status)
	}
	doc := make(map[string]any, len(p.Members)+12)
	for k, v := range p.Members {
		doc[k] = v
	}
	meta := metaOf(w)
	doc["type"] = "urn:stoplog:problem:" + p.Code
	doc["title"] = p.Title
	doc["status"] = p.Status
	doc["detail"] = p.Detail
	doc["code"] = p.Code
	doc["retryable"] = p.Retryable
	if meta.RequestID != "" {
		doc["instance"] = "urn:stoplog:request:" + meta.RequestID
	}
	if p.Fields != nil {
		doc["fields"] = p.Fields
	}
	if p.Offset != nil {
		doc["offset"] = *p.Offset
	}
	doc["ok"] = false
	doc["data"] = p.Data
	doc["error"] = Error{Code: p.Code, Message: p.Detail, Retryable: p.Retryable, Fields: p.Fields}
	doc["warnings"] = notNil(p.Warnings)
	doc["meta"] = meta

	h := w.Header()
	for k, v := range p.Header {
		h.Set(k, v)
	}
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.RetryAfter.Seconds()))))
	}
	send(w, p.Status, "application/problem+json", doc)
}

// OK answers 200 with an envelope.
func OK(w http.ResponseWriter, data any, warnings ...string) {
	Respond(w, http.StatusOK, data, warnings...)
}

// Respond answers with an envelope and the given success status.
func Respond(w http.ResponseWriter, status int, data any, warnings ...string) {
	send(w, status, "application/json", Envelope{OK: true, Data: data, Warnings: notNil(warnings), Meta: metaOf(w)})
}

// Tag marks data as coming from an external source (SPEC TAG-1): _source and
// _trusted stand at the top of it. An object keeps its members and anything else
// goes under "value". What the data itself says in those two members is
// overwritten: content cannot call itself trusted.
func Tag(data any) (map[string]any, error) {
	b, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		m = map[string]any{"value": v}
	}
	m["_source"] = "external"
	m["_trusted"] = false
	return m, nil
}

// OKExternal answers 200 with tagged data and [ExternalWarning].
func OKExternal(w http.ResponseWriter, data any, warnings ...string) {
	tagged, err := Tag(data)
	if err != nil {
		Write(w, Problem{Detail: "The answer could not be encoded. This is a fault of the service; its log has the request id."})
		return
	}
	Respond(w, http.StatusOK, tagged, append([]string{ExternalWarning}, warnings...)...)
}

func send(w http.ResponseWriter, status int, contentType string, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	// HTML escaping stays on: an answer that a browser is tricked into showing
	// as a page must not start an element.
	if err := e.Encode(v); err != nil {
		status, contentType = http.StatusInternalServerError, "application/problem+json"
		b.Reset()
		b.WriteString(`{"type":"urn:stoplog:problem:internal","title":"Internal Server Error","status":500,"code":"internal",` +
			`"detail":"The answer could not be encoded. This is a fault of the service; its log has the request id.","retryable":false,` +
			`"ok":false,"data":null,"error":{"code":"internal","message":"The answer could not be encoded.","retryable":false},"warnings":[],` +
			`"meta":{"duration_ms":0,"request_id":""}}` + "\n")
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// request is what the middleware knows about a request; it rides on the
// ResponseWriter, so that Write and OK need nothing else.
type request struct {
	http.ResponseWriter
	id    string
	start time.Time
}

// Unwrap lets http.ResponseController reach the connection's own writer.
func (r *request) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func metaOf(w http.ResponseWriter) Meta {
	for {
		switch v := w.(type) {
		case *request:
			ms := float64(time.Since(v.start).Microseconds()) / 1000
			return Meta{DurationMS: ms, RequestID: v.id}
		case interface{ Unwrap() http.ResponseWriter }:
			w = v.Unwrap()
		default:
			return Meta{}
		}
	}
}

type contextKey struct{}

// RequestID is the middleware that gives each request its id and its start. The
// id goes into the X-Request-Id response header, the envelope and the context.
// One that a client sends is ignored: ids reach logs, and content must not reach
// logs by calling itself an id.
func RequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := newID()
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(&request{ResponseWriter: w, id: id, start: time.Now()}, r.WithContext(context.WithValue(r.Context(), contextKey{}, id)))
	})
}

// ID gives the request id that [RequestID] put into a context, or "".
func ID(ctx context.Context) string {
	id, _ := ctx.Value(contextKey{}).(string)
	return id
}

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails; it ends the process instead
	return "req_" + idEncoding.EncodeToString(b[:])
}
