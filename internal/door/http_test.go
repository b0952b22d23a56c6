package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"github.com/cloudevents/sdk-go/v2/binding"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"github.com/google/go-cmp/cmp"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/internal/webhook"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// web is a rig behind HTTP.
type web struct {
	*rig
	handler http.Handler
	secrets map[string]string
}

var schemeOf = map[string]webhook.Scheme{"booking": webhook.Standard, "github": webhook.GitHub, "payments": webhook.Stripe, "chat": webhook.Slack}

func newWeb(t testing.TB) *web {
	w := &web{rig: newRig(t), secrets: map[string]string{}}
	for _, s := range webhook.Schemes {
		w.secrets["env:"+string(s)] = webhook.NewSecret(s)
	}
	hooks, err := Hooks(testSources(), func(ref string) (string, error) {
		if v := w.secrets[ref]; v != "" {
			return v, nil
		}
		return "", errors.New("not set")
	})
	if err != nil || len(hooks) != 4 {
		t.Fatal(hooks, err)
	}
	mux := http.NewServeMux()
	w.door.Register(mux, HTTPConfig{Tenant: "default", Hooks: hooks, Authenticate: func(r *http.Request) (Principal, error) {
		switch r.Header.Get("Authorization") {
		case "Bearer all":
			return Principal{Tenant: "default", Actor: "token:all", Sources: []string{"*"}}, nil
		case "Bearer web":
			return Principal{Tenant: "default", Actor: "token:web", Sources: []string{"web", "any"}}, nil
		case "Bearer other":
			return Principal{Tenant: "other", Actor: "token:other", Sources: []string{"*"}}, nil
		case "Bearer operator":
			return Principal{Tenant: "default", Actor: "user:op", Sources: []string{"desk"}, Operator: true}, nil
		case "Bearer nobody":
			return Principal{}, nil
		}
		return Principal{}, errors.New("canary: no such token")
	}})
	w.handler = problem.RequestID(mux)
	return w
}

type reply struct {
	status int
	header http.Header
	body   []byte
	doc    map[string]any
}

func (r reply) code() string { s, _ := r.doc["code"].(string); return s }

func (r reply) receipt(t testing.TB) Receipt {
	t.Helper()
	var e struct {
		OK   bool
		Data Receipt
		Meta problem.Meta
	}
	if err := json.Unmarshal(r.body, &e); err != nil || !e.OK || r.status != 202 || e.Meta.RequestID == "" {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	return e.Data
}

func (w *web) post(path string, h http.Header, body []byte) reply {
	w.t.Helper()
	r := httptest.NewRequest("POST", path, bytes.NewReader(body))
	for k, v := range h {
		r.Header[http.CanonicalHeaderKey(k)] = v
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	out := reply{status: rec.Code, header: rec.Header(), body: rec.Body.Bytes()}
	if err := json.Unmarshal(out.body, &out.doc); err != nil {
		w.t.Fatalf("answer is not JSON: %s", out.body)
	}
	if out.status >= 400 {
		for _, member := range []string{"type", "title", "status", "detail", "code", "retryable", "ok", "error", "warnings", "meta"} {
			if _, ok := out.doc[member]; !ok {
				w.t.Errorf("problem lacks %s: %s", member, out.body)
			}
		}
		if out.header.Get("Content-Type") != "application/problem+json" || len(out.doc["detail"].(string)) < 20 {
			w.t.Errorf("problem: %v %s", out.header, out.body)
		}
		if strings.Contains(strings.ToLower(string(out.body)), "canary") {
			w.t.Errorf("an answer quotes the request: %s", out.body)
		}
	}
	return out
}

func head(kv ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(kv); i += 2 {
		h.Set(kv[i], kv[i+1])
	}
	return h
}

func (w *web) sign(source, id string, at time.Time, body []byte) http.Header {
	w.t.Helper()
	scheme := schemeOf[source]
	s, err := webhook.ParseSecret(scheme, w.secrets["env:"+string(scheme)])
	if err != nil {
		w.t.Fatal(err)
	}
	h, err := webhook.Sign(scheme, id, at, body, s)
	if err != nil {
		w.t.Fatal(err)
	}
	h.Set("Content-Type", "application/json")
	return h
}

// SPEC: PRV-9
//
// GitHub's delivery id is outside the signature. Signed bytes that come again under
// another one are the event they were, for as long as the ledger remembers; the id
// repeated, with these bytes or others, is a repetition as ever.
func TestSignedBytesUnderAnotherIDAreNoNewEvent(t *testing.T) {
	w := newWeb(t)
	body, other := []byte(`{"action":"opened","text":"hello"}`), []byte(`{"action":"opened","text":"hello again"}`)
	post := func(id string, body []byte) Receipt {
		t.Helper()
		return w.post("/v1/hooks/github", w.sign("github", id, w.clock(), body), body).receipt(t)
	}
	first := post("d-1", body)
	if first.Duplicate || first.Renamed {
		t.Fatalf("%+v", first)
	}
	same, renamed, changed := first, first, first
	same.Duplicate = true
	renamed.Duplicate, renamed.Renamed = true, true
	changed.Duplicate, changed.Changed = true, true
	w.now.Add(int64((400 * 24 * time.Hour).Seconds())) // there is no window to wait for
	for _, c := range []struct {
		id   string
		body []byte
		want Receipt
	}{{"d-1", body, same}, {"d-2", body, renamed}, {"d-3", body, renamed}, {"d-1", other, changed}, {"d-1", body, same}} {
		if got := post(c.id, c.body); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.id, got, c.want)
		}
	}
	if fresh := post("d-4", other); fresh.Duplicate || fresh.Event == first.Event {
		t.Errorf("other signed bytes: %+v", fresh)
	}
	var news atomic.Int32
	var wg sync.WaitGroup
	burst := []byte(`{"action":"closed"}`)
	for i := range 8 {
		h := w.sign("github", fmt.Sprint("b-", i), w.clock(), burst)
		wg.Go(func() {
			if !w.post("/v1/hooks/github", h, burst).receipt(t).Duplicate {
				news.Add(1)
			}
		})
	}
	wg.Wait()
	if news.Load() != 1 {
		t.Errorf("%d of 8 at once were new", news.Load())
	}
	k := w.kinds(ledger.RecordFilter{})
	if k[provenance.KindAccepted] != 3 || k[provenance.KindIntegrityAlarm] != 2 || k[provenance.KindEventBodyChanged] != 1 {
		t.Errorf("records: %v", k)
	}
	if n := w.counter("stoplog_door_duplicates_total", "source", "github", "body", "renamed"); n != 9 {
		t.Errorf("%v counted as renamed", n)
	}
	for _, r := range w.records(ledger.RecordFilter{Kind: provenance.KindIntegrityAlarm}) {
		if !strings.Contains(string(r.Payload), `"check":"event-id"`) {
			t.Errorf("%s", r.Payload)
		}
	}
}

func TestWebhooksOfEveryScheme(t *testing.T) {
	w := newWeb(t)
	bodies := map[string]string{"booking": inquiry, "github": `{"a":1}`, "payments": `{"id":"evt_1","object":"event"}`, "chat": `{"event_id":"Ev1","type":"event_callback"}`}
	wantID := map[string]string{"booking": "id-1", "github": "id-1", "payments": "evt_1", "chat": "Ev1"}
	for source, body := range bodies {
		t.Run(source, func(t *testing.T) {
			w.t = t
			path := "/v1/hooks/" + source
			b := []byte(body)
			got := w.post(path, w.sign(source, "id-1", w.clock(), b), b)
			receipt := got.receipt(t)
			if receipt.Event != chunk.EventID("default", source, wantID[source]) || receipt.Duplicate || got.header.Get("Location") != "/v1/runs/"+string(receipt.Run) {
				t.Errorf("%+v %v", receipt, got.header)
			}
			// The same delivery again, and the same event signed anew a minute later.
			for _, at := range []time.Time{w.clock(), w.clock().Add(time.Minute)} {
				again := w.post(path, w.sign(source, "id-1", at, b), b).receipt(t)
				want := receipt
				want.Duplicate = true
				if again != want {
					t.Errorf("replay: %+v", again)
				}
			}
			for name, c := range map[string]struct {
				h      http.Header
				body   []byte
				status int
				code   string
			}{
				"no signature": {head("Content-Type", "application/json"), b, 401, "signature-missing"},
				"other body":   {w.sign(source, "id-2", w.clock(), []byte("{}")), b, 401, "signature-invalid"},
				"stale":        {w.sign(source, "id-3", w.clock().Add(-301*time.Second), b), b, 400, "timestamp-stale"},
				"future":       {w.sign(source, "id-4", w.clock().Add(301*time.Second), b), b, 400, "timestamp-future"},
			} {
				if source == "github" && c.status == 400 {
					continue // no timestamp in this scheme
				}
				if got := w.post(path, c.h, c.body); got.status != c.status || got.code() != c.code {
					t.Errorf("%s: %d %s", name, got.status, got.code())
				}
			}
			h := w.sign(source, "id-5", w.clock(), b)
			h.Set("Stoplog-Run", "case-1")
			if got := w.post(path, h, b); got.status != 400 || got.code() != "run-not-allowed" {
				t.Errorf("run in an unsigned header: %d %s", got.status, got.code())
			}
			h = w.sign(source, "id-6", w.clock(), b)
			h.Set("Content-Encoding", "gzip")
			if got := w.post(path, h, b); got.status != 415 || got.code() != "content-encoding-unsupported" {
				t.Errorf("gzip: %d %s", got.status, got.code())
			}
		})
	}
	k := w.kinds(ledger.RecordFilter{})
	if k[provenance.KindAccepted] != 4 {
		t.Errorf("records %v", k)
	}
	// Stale and misused deliveries are authenticated and recorded; unauthenticated ones
	// leave a count and nothing else.
	// Stripe and Slack name their events in the body, which a refused delivery is not
	// searched for: there stale and future are one record of the same body.
	if n := k[provenance.KindBlocked]; n != 2+1+1+4+4 {
		t.Errorf("%d blocked", n)
	}
	if n := w.counter("stoplog_door_refused_total", "code", "signature-invalid") + w.counter("stoplog_door_refused_total", "code", "signature-missing"); n != 8 {
		t.Errorf("%v unauthenticated", n)
	}
}

// GitHub's delivery id stands outside the signature; where the payload holds an id, a
// forged header changes nothing.
func TestUnsignedIDGivesWayToThePayload(t *testing.T) {
	w := newWeb(t)
	sources := testSources()
	for i := range sources {
		if sources[i].ID == "github" {
			sources[i].EventIDPath = "delivery"
		}
	}
	w.class = compile(t, sources)
	w.door.SetPolicy(w.class, "policy-1")
	body := []byte(`{"delivery":"d-1"}`)
	a := w.post("/v1/hooks/github", w.sign("github", "one", w.clock(), body), body).receipt(t)
	b := w.post("/v1/hooks/github", w.sign("github", "forged", w.clock(), body), body).receipt(t)
	if a.Event != b.Event || !b.Duplicate {
		t.Errorf("%+v %+v", a, b)
	}
}

// Without a credential nobody learns which sources exist.
func TestUnknownSourcesLookLikeKnownOnes(t *testing.T) {
	w := newWeb(t)
	body := []byte(`{"a":1}`)
	strip := func(r reply) string {
		delete(r.doc, "meta")
		delete(r.doc, "instance")
		b, _ := json.Marshal(r.doc)
		return fmt.Sprint(r.status, string(b))
	}
	for name, h := range map[string]http.Header{
		"nothing":  {},
		"standard": head("Webhook-Id", "a", "Webhook-Timestamp", "1760000000", "Webhook-Signature", "v1,AAAA"),
		"github":   head("X-GitHub-Delivery", "a", "X-Hub-Signature-256", "sha256=00"),
		"slack":    head("X-Slack-Request-Timestamp", "1760000000", "X-Slack-Signature", "v0=00"),
		"token":    head("Authorization", "Bearer wrong"),
	} {
		want := ""
		for _, source := range []string{"booking", "github", "web", "nowhere", "%20", "a.b"} {
			got := strip(w.post("/v1/hooks/"+source, h, body))
			if want == "" {
				want = got
			}
			if got != want || !strings.HasPrefix(got, "401") {
				t.Errorf("%s at %s: %s, not %s", name, source, got, want)
			}
		}
	}
	if k := w.kinds(ledger.RecordFilter{}); len(k) != 0 {
		t.Errorf("the unauthenticated left records: %v", k)
	}
}

func TestWebhooksWithAToken(t *testing.T) {
	w := newWeb(t)
	text := func(token string, more ...string) http.Header {
		return head(append([]string{"Authorization", "Bearer " + token, "Content-Type", "text/plain"}, more...)...)
	}
	a := w.post("/v1/hooks/web", text("web", "Idempotency-Key", "k-1", "Stoplog-Run", "case-9"), []byte("hello")).receipt(t)
	b := w.post("/v1/hooks/web", text("all", "Webhook-Id", "k-1"), []byte("hello")).receipt(t)
	if a.Event != b.Event || !b.Duplicate || b.Run != a.Run {
		t.Errorf("%+v %+v", a, b)
	}
	c := w.post("/v1/hooks/web", text("other", "Webhook-Id", "k-1", "Stoplog-Run", "case-9"), []byte("hello")).receipt(t)
	if c.Event == a.Event || c.Run == a.Run {
		t.Error("two tenants share an event")
	}
	if got := w.post("/v1/hooks/web", text("all", "Webhook-Id", "k-1"), []byte("changed")); !got.receipt(t).Changed || len(got.doc["warnings"].([]any)) != 1 {
		t.Errorf("%s", got.body)
	}
	w.post("/v1/hooks/desk", text("operator"), []byte("do")).receipt(t)
	for name, c := range map[string]struct {
		path   string
		h      http.Header
		body   string
		status int
		code   string
	}{
		"unregistered":          {"nowhere", text("all"), "x", 422, "source-unregistered"},
		"unregistered, granted": {"nowhere", text("web"), "x", 422, "source-unregistered"},
		"not granted":           {"strict", text("web"), "x", 403, "source-not-granted"},
		"no operator":           {"desk", text("all"), "x", 403, "operator-required"},
		"wrong token":           {"web", text("wrong"), "x", 401, "unauthenticated"},
		"token of nobody":       {"web", text("nobody"), "x", 401, "unauthenticated"},
		"too large":             {"small", text("all"), strings.Repeat("x", 101), 413, "body-too-large"},
		"larger than any":       {"web", text("all"), strings.Repeat("x", 1<<20), 413, "body-too-large"},
		"media type":            {"web", text("all", "Content-Type", "image/png"), "x", 415, "media-type-unsupported"},
		"encoded":               {"web", text("all", "Content-Encoding", "br"), "x", 415, "content-encoding-unsupported"},
		"json":                  {"any", text("all", "Content-Type", "application/json"), `{"canary":1,"canary":2}`, 400, "json-duplicate-key"},
		"no run":                {"web", text("all", "Stoplog-Run", string(chunk.NewID("run", "x"))), "x", 422, "run-unknown"},
	} {
		got := w.post("/v1/hooks/"+c.path, c.h, []byte(c.body))
		if got.status != c.status || got.code() != c.code {
			t.Errorf("%s: %d %s", name, got.status, got.code())
		}
		if name == "json" && got.doc["offset"] != float64(12) {
			t.Errorf("offset %v", got.doc["offset"])
		}
		if c.status == 401 && got.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: no challenge", name)
		}
	}
	k := w.kinds(ledger.RecordFilter{})
	if k[provenance.KindBlocked] < 8 || k[provenance.KindAccepted] != 3 {
		t.Errorf("records %v", k)
	}
	if got := w.post("/v1/hooks/web", text("all", "Content-Encoding", "identity"), []byte("y")); got.status != 202 {
		t.Errorf("identity: %d", got.status)
	}
	for _, reserved := range []int64{w.door.reading.Load()} {
		if reserved != 0 {
			t.Errorf("%d bytes stay reserved", reserved)
		}
	}
	w.door.reading.Store(w.door.cfg.Limits.InFlightBytes)
	if got := w.post("/v1/hooks/web", text("all"), []byte("z")); got.status != 503 || got.code() != "busy" || got.header.Get("Retry-After") == "" {
		t.Errorf("overload: %d %s", got.status, got.code())
	}
}

func TestSlackEndpointCheckComesAfterTheSignature(t *testing.T) {
	w := newWeb(t)
	body := []byte(`{"type":"url_verification","challenge":"c-1<script>"}`)
	if got := w.post("/v1/hooks/chat", head("Content-Type", "application/json"), body); got.status != 401 {
		t.Errorf("unsigned: %d", got.status)
	}
	got := w.post("/v1/hooks/chat", w.sign("chat", "", w.clock(), body), body)
	if got.status != 200 || got.doc["challenge"] != "c-1<script>" || got.header.Get("Content-Type") != "application/json" || bytes.Contains(got.body, []byte("<script>")) {
		t.Errorf("%d %s", got.status, got.body)
	}
	body = []byte(`{"type":"url_verification","challenge":"` + strings.Repeat("x", 300) + `"}`)
	w.post("/v1/hooks/chat", w.sign("chat", "", w.clock(), body), body).receipt(t)
	if n := len(w.outbox()); n != 1 {
		t.Errorf("%d documents", n)
	}
}

func TestStoresAwayOverHTTP(t *testing.T) {
	w := newWeb(t)
	_ = w.store.Close()
	h := head("Authorization", "Bearer all", "Content-Type", "text/plain")
	got := w.post("/v1/hooks/web", h, []byte("x"))
	if got.status != 503 || got.code() != "ledger-unavailable" || got.doc["retryable"] != true || got.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", got.status, got.body)
	}
	h.Set("Content-Type", "application/cloudevents-batch+json")
	got = w.post("/v1/events", h, []byte(`[{"specversion":"1.0","id":"1","source":"web","type":"t","datacontenttype":"text/plain","data":"x"}]`))
	if got.status != 503 || got.code() != "ledger-unavailable" || got.doc["data"] == nil {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// The CloudEvents SDK writes events in every mode; the door reads what it meant.
func TestCloudEventsOfTheSDK(t *testing.T) {
	w := newWeb(t)
	ran := 0
	for i, c := range []struct {
		source, contentType string
		data                []byte // nil: none
	}{
		{"any", cloudevents.ApplicationJSON, []byte(`{"a": 1, "\u00e9": "\u00fc\"\\ \u2028"}`)},
		{"any", "application/vnd.example.v1+json", []byte(`["x"]`)},
		{"web", cloudevents.TextPlain, []byte("Gr\u00fc\u00dfe, \"quoted\"\nand a second line")},
		{"web", cloudevents.TextPlain, []byte{}},
		{"any", "text/markdown; charset=utf-8", []byte("# title")},
		{"web", "text/plain", []byte("bytes \xff\xfe")},
		{"web", "", nil},
	} {
		for _, mode := range []string{"binary", "structured", "batch"} {
			e := cloudevents.NewEvent()
			e.SetID(fmt.Sprintf("id %d/%s ü%%", i, mode))
			e.SetSource(c.source)
			e.SetType("com.example.thing")
			e.SetSubject("a subject, with \"quotes\" and 100 %")
			e.SetTime(time.Unix(start, 0))
			e.SetExtension("stoplogrun", "case ü")
			if c.data != nil {
				if err := e.SetData(c.contentType, c.data); err != nil {
					t.Fatal(err)
				}
			}
			r, err := http.NewRequest("POST", "http://x/v1/events", nil)
			if err != nil {
				t.Fatal(err)
			}
			switch mode {
			case "binary":
				err = cehttp.WriteRequest(binding.WithForceBinary(ctx), binding.ToMessage(&e), r)
			case "structured":
				err = cehttp.WriteRequest(binding.WithForceStructured(ctx), binding.ToMessage(&e), r)
			case "batch":
				r, err = cehttp.NewHTTPRequestFromEvents(ctx, "http://x/v1/events", []cloudevents.Event{e})
			}
			if err != nil {
				t.Fatal(err)
			}
			var body []byte
			if r.Body != nil {
				if body, err = io.ReadAll(r.Body); err != nil {
					t.Fatal(err)
				}
			}
			r.Header.Set("Authorization", "Bearer all")
			got := w.post("/v1/events", r.Header, body)
			if c.data == nil {
				// In binary mode no data and empty data look alike.
				if want := map[string]int{"binary": 202, "structured": 400, "batch": 207}[mode]; got.status != want {
					t.Errorf("%d %s: no data: %d", i, mode, got.status)
				}
				continue
			}
			if got.status != 202 {
				t.Errorf("%d %s: %s", i, mode, got.body)
				continue
			}
			ev, err := w.store.EventByID(ctx, chunk.EventID("default", c.source, e.ID()))
			if err != nil {
				t.Errorf("%d %s: the id was read as another one: %v", i, mode, err)
				continue
			}
			kept, err := w.vault.Get(ctx, ev.Scope, ev.Evidence)
			if err != nil || !sameData(kept, e.Data(), c.contentType, mode) {
				t.Errorf("%d %s: data %q, want %q (%v)", i, mode, kept, e.Data(), err)
			}
			if run := w.accept(event("web", fmt.Sprint(i, mode), "x").in("case ü")); run.Run != ev.Run {
				t.Errorf("%d %s: the run was read as another one", i, mode)
			}
			ran++
		}
	}
	if ran < 18 {
		t.Fatalf("%d events compared", ran)
	}
}

// sameData: the structured mode may write JSON data anew, with other white space.
func sameData(got, want []byte, contentType, mode string) bool {
	if bytes.Equal(got, want) {
		return true
	}
	var a, b any
	return mode != "binary" && strings.HasSuffix(contentType, "json") && json.Unmarshal(got, &a) == nil && json.Unmarshal(want, &b) == nil && cmp.Equal(a, b)
}

func TestCloudEventsByHand(t *testing.T) {
	w := newWeb(t)
	structured := func(s string) (http.Header, []byte) {
		return head("Authorization", "Bearer web", "Content-Type", "application/cloudevents+json; charset=utf-8"), []byte(s)
	}
	binary := func(kv ...string) http.Header {
		return head(append([]string{"Authorization", "Bearer web", "Content-Type", "text/plain", "Ce-Specversion", "1.0", "Ce-Id", "b-1", "Ce-Source", "web", "Ce-Type", "t"}, kv...)...)
	}
	h, b := structured(`{"specversion":"1.0","id":"7","source":"/crm/tickets","type":"t","stoplogsource":"any","data":{"x":1}}`)
	a := w.post("/v1/events", h, b).receipt(t)
	h, b = structured(`{"specversion":"1.0","id":"7","source":"/crm/notes","type":"t","stoplogsource":"any","data":{"x":1}}`)
	if other := w.post("/v1/events", h, b).receipt(t); other.Event == a.Event {
		t.Error("two sources of the sender share an event id")
	}
	h, b = structured(`{"specversion":"1.0","id":"8","source":"web","type":"t","datacontenttype":"text/plain","data_base64":"aGVsbG8="}`)
	w.post("/v1/events", h, b).receipt(t)
	w.post("/v1/events", binary(), []byte("hello")).receipt(t)
	for name, c := range map[string]struct {
		h    http.Header
		body string
		code string
	}{
		"no attributes":      {head("Authorization", "Bearer web", "Content-Type", "text/plain"), "x", "event-invalid"},
		"old version":        {binary("Ce-Specversion", "0.3"), "x", "event-invalid"},
		"no id":              {binary("Ce-Id", ""), "x", "event-invalid"},
		"bad quoting":        {binary("Ce-Id", `"a\"`), "x", "event-invalid"},
		"escaped control":    {binary("Ce-Id", "%01"), "x", "event-invalid"},
		"escaped half rune":  {binary("Ce-Id", "%ff"), "x", "event-invalid"},
		"bad extension name": {binary("Ce-Not-Allowed", "1"), "x", "event-invalid"},
		"not granted":        {binary("Ce-Source", "strict"), "x", "source-not-granted"},
		"not registered":     {binary("Ce-Source", "nowhere"), "x", "source-unregistered"},
		"xml":                {head("Authorization", "Bearer web", "Content-Type", "application/cloudevents+xml"), "<a/>", "event-invalid"},
		"no token":           {head("Content-Type", "application/cloudevents+json"), "{}", "unauthenticated"},
	} {
		if got := w.post("/v1/events", c.h, []byte(c.body)); got.code() != c.code {
			t.Errorf("%s: %d %s, want %s", name, got.status, got.code(), c.code)
		}
	}
	twice := binary()
	twice["Ce-Id"] = []string{"a", "b"}
	if got := w.post("/v1/events", twice, []byte("x")); got.code() != "event-invalid" {
		t.Errorf("two ids: %s", got.code())
	}
	for body, code := range map[string]string{
		`{"specversion":"1.0","id":"1","source":"web","type":"t"}`:                        "event-invalid", // no data
		`{"specversion":"1.0","id":"1","id":"2","source":"web","type":"t","data":"x"}`:    "json-duplicate-key",
		`{"specversion":"1.0","id":"1","source":"web","type":"t","data":"x"`:              "json-invalid",
		`{"specversion":"1.0","id":"1","source":"web","type":"t","data_base64":"!"}`:      "event-invalid",
		`{"specversion":"1.0","id":{"a":1},"source":"web","type":"t","data":"x"}`:         "event-invalid",
		`{"specversion":"1.0","id":"9","source":"any","type":"t","data":{"a":1,"a":2}}`:   "json-duplicate-key",
		`{"specversion":"1.0","id":"9","source":"web","type":"t","data":{"a":1}}`:         "media-type-unsupported",
		`[{"specversion":"1.0","id":"9","source":"web","type":"t","data":"in a batch"}]`:  "event-invalid",
		`{"specversion":"1.0","id":"9","source":"any","type":"t","data":{"a":"canary}`:    "json-invalid",
		`{"specversion":"1.0","id":"9","source":"any","type":"t","data":` + "\"\xff\"}":   "json-invalid-utf8",
		`{"specversion":"1.0","id":"9","source":"canary 1","type":"t","data":{"a":"b"}}`:  "source-unregistered",
		`{"specversion":"1.0","id":"9","source":"web","tenant":"other","data":{"a":"b"}}`: "event-invalid",
	} {
		h, b := structured(body)
		if got := w.post("/v1/events", h, b); got.code() != code {
			t.Errorf("%s: %d %s, want %s", body, got.status, got.code(), code)
		}
	}
}

func TestCloudEventBatches(t *testing.T) {
	w := newWeb(t)
	h := head("Authorization", "Bearer web", "Content-Type", "application/cloudevents-batch+json")
	item := func(id, source string) string {
		return fmt.Sprintf(`{"specversion":"1.0","id":%q,"source":%q,"type":"t","datacontenttype":"text/plain","data":"x"}`, id, source)
	}
	result := func(r reply) BatchResult {
		t.Helper()
		var e struct{ Data BatchResult }
		if err := json.Unmarshal(r.body, &e); err != nil {
			t.Fatal(err)
		}
		return e.Data
	}
	got := w.post("/v1/events", h, []byte("["+item("1", "web")+","+item("2", "web")+","+item("1", "web")+"]"))
	if b := result(got); got.status != 202 || b.Accepted != 3 || b.Duplicates != 1 || len(b.Results) != 3 || !b.Results[2].Receipt.Duplicate {
		t.Errorf("%d %s", got.status, got.body)
	}
	got = w.post("/v1/events", h, []byte("["+item("3", "web")+","+item("4", "strict")+",{},"+item("5", "nowhere")+","+item("6", "web")+"]"))
	b := result(got)
	if got.status != 207 || b.Accepted != 2 || b.Refused != 3 || len(got.doc["warnings"].([]any)) != 1 {
		t.Errorf("%d %s", got.status, got.body)
	}
	var statuses []int
	for _, r := range b.Results {
		statuses = append(statuses, r.Status)
		if (r.Receipt == nil) == (r.Error == nil) {
			t.Errorf("item %d has both or neither", r.Index)
		}
	}
	if diff := cmp.Diff([]int{202, 403, 400, 422, 202}, statuses); diff != "" {
		t.Error(diff)
	}
	if got := w.post("/v1/events", h, []byte("[]")); got.status != 202 {
		t.Errorf("empty: %d", got.status)
	}
	for body, code := range map[string]string{
		"{}": "event-invalid", "[": "json-invalid", "[1]": "", "[" + strings.Repeat("1,", 500) + "1]": "body-too-large", strings.Repeat(" ", 5<<20): "body-too-large",
	} {
		got := w.post("/v1/events", h, []byte(body))
		if code == "" {
			if r := result(got); got.status != 207 || r.Refused != 1 {
				t.Errorf("%d %s", got.status, got.body)
			}
		} else if got.code() != code {
			t.Errorf("%.20s: %d %s, want %s", body, got.status, got.code(), code)
		}
	}
}

// CloudEvents from Kafka enter by the same door.
func TestEntryTopic(t *testing.T) {
	r := newRig(t)
	f := r.door.Entry(Principal{Tenant: "default", Actor: "topic:entry", Sources: []string{"web", "any"}})
	message := func(offset int64, value string, kv ...string) stage.Message {
		m := stage.Message{Topic: stage.TopicAccepted, Offset: offset, Value: []byte(value), Headers: map[string]string{
			"ce_specversion": "1.0", "ce_id": "k-1", "ce_source": "web", "ce_type": "t", "content-type": "text/plain",
		}}
		for i := 0; i < len(kv); i += 2 {
			m.Headers[kv[i]] = kv[i+1]
		}
		return m
	}
	run := func(m stage.Message) error {
		t.Helper()
		step, err := f(ctx, m)
		if len(step.Batch.Records) != 0 || step.Emit != nil {
			t.Error("the entry's step is not empty")
		}
		return err
	}
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for range 3 { // redelivered
		if err := run(message(1, "hello", "traceparent", trace)); err != nil {
			t.Fatal(err)
		}
	}
	docs := r.documents()
	if len(docs) != 1 || string(raw(docs[0])) != "hello" {
		t.Fatalf("%d documents", len(docs))
	}
	if p := docs[0].Attribution.Traceparent; !strings.HasPrefix(p, trace[:36]) || p == trace {
		t.Errorf("the trace is not continued: %s", p)
	}
	if e, err := r.store.EventByID(ctx, chunk.EventID("default", "web", "k-1")); err != nil || e.Tenant != "default" {
		t.Errorf("%+v %v", e, err)
	}
	if err := run(message(2, `{"specversion":"1.0","id":"k-2","source":"any","type":"t","data":{"a":1}}`, "content-type", "application/cloudevents+json")); err != nil {
		t.Error(err)
	}
	for name, m := range map[string]stage.Message{
		"no event":       {Topic: stage.TopicAccepted, Offset: 10, Value: []byte("x")},
		"not granted":    message(11, "x", "ce_source", "strict"),
		"not registered": message(12, "x", "ce_source", "nowhere"),
		"json":           message(13, `{"a":1,"a":2}`, "ce_id", "k-13", "ce_source", "any", "content-type", "application/json"),
		"batch":          message(14, "[]", "content-type", "application/cloudevents-batch+json"),
		"tombstone":      {Topic: stage.TopicAccepted, Offset: 15, Headers: message(0, "").Headers},
	} {
		if err := run(m); !errors.Is(err, stage.Poison) {
			t.Errorf("%s: %v", name, err)
		}
	}
	k := r.kinds(ledger.RecordFilter{})
	if k[provenance.KindAccepted] != 2 || k[provenance.KindBlocked] != 6 {
		t.Errorf("records %v", k)
	}
	_ = r.store.Close()
	if err := run(message(20, "later", "ce_id", "k-20")); !errors.Is(err, stage.Transient) {
		t.Errorf("store away: %v", err)
	}
}

func TestLoadFilesAndLines(t *testing.T) {
	r := newRig(t)
	dir := filepath.Join(t.TempDir(), "books")
	write := func(name, text string) {
		t.Helper()
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		write(fmt.Sprintf("sub/%02d.md", i), fmt.Sprintf("# Page %d", i))
	}
	write("plain", "no extension, but text")
	write("binary.dat", "\x00\x01")
	write("image", "\xff\xd8")
	write(".hidden", "x")
	write(".git/config", "x")
	write("large.txt", strings.Repeat("x", 800<<10))
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	var refusals []string
	var last Progress
	load := Load{Paths: []string{dir}, Source: "handbook", Tenant: "default", Actor: "load:test", Workers: 4,
		Progress: func(p Progress) { last = p },
		Refused: func(f Refusal) error {
			refusals = append(refusals, filepath.Base(f.Path)+" "+Problem(f.Err).Code)
			return nil
		},
	}
	p, err := r.door.LoadFiles(ctx, load)
	if err != nil {
		t.Fatal(err)
	}
	if p.Documents != 24 || p.Accepted != 21 || p.Refused != 3 || p.Bytes != p.TotalBytes || p.TotalFiles != 24 || p != last {
		t.Errorf("%+v %v", p, refusals)
	}
	if len(refusals) != 3 || !strings.Contains(strings.Join(refusals, ","), "large.txt body-too-large") {
		t.Errorf("%v", refusals)
	}
	if _, err := r.store.EventByID(ctx, chunk.EventID("default", "handbook", "books/sub/07.md")); err != nil {
		t.Error("a document's id is not its path in the folder")
	}
	write("sub/03.md", "# Page three")
	write("sub/new.md", "# New")
	p, err = r.door.LoadFiles(ctx, load)
	if err != nil || p.Accepted != 1 || p.Duplicates != 21 || p.Changed != 1 {
		t.Errorf("second load: %+v %v", p, err)
	}
	if _, err := r.door.LoadFiles(ctx, Load{Paths: []string{filepath.Join(dir, "sub/00.md"), filepath.Join(dir, "sub", "..", "sub", "00.md")}, Source: "handbook", Tenant: "default", Actor: "x"}); err == nil {
		t.Error("two files with one id were not noticed")
	}
	if _, err := r.door.LoadFiles(ctx, Load{Paths: []string{filepath.Join(dir, "none")}}); err == nil {
		t.Error("a missing folder was not noticed")
	}

	lines := filepath.Join(dir, "rows.jsonl")
	write("rows.jsonl", strings.Join([]string{
		`{"id":"a","text":"first é"}`,
		`{"id":"b","data":{"x":[1,2]}}`,
		``,
		`{"id":"c","text":"with more","label":1}`,
		`{"id":"d","text":"x","TEXT":"hidden from an envelope"}`,
		`{"x":1}`,
		`{"x":1,"x":2}`,
		`not json`,
		`{"id":7,"text":"number id"}`,
		`{"id":"e","text":"` + strings.Repeat("y", 900<<10) + `"}`,
		`{"id":"f","text":"last, without a line end"}`,
	}, "\n"))
	load.Paths, load.Source = []string{lines}, "any"
	refusals = nil
	p, err = r.door.LoadJSONL(ctx, load)
	if err != nil || p.Documents != 10 || p.Accepted != 7 || p.Refused != 3 || p.Bytes < 900<<10 {
		t.Errorf("%+v %v %v", p, err, refusals)
	}
	for sender, want := range map[string]string{
		"a": "first é", "b": `{"x":[1,2]}`, "rows.jsonl:4": `{"id":"c","text":"with more","label":1}`,
		"rows.jsonl:5": `{"id":"d","text":"x","TEXT":"hidden from an envelope"}`, "rows.jsonl:6": `{"x":1}`, "7": "number id", "f": "last, without a line end",
	} {
		ev, err := r.store.EventByID(ctx, chunk.EventID("default", "any", sender))
		if err != nil {
			t.Errorf("%s: %v", sender, err)
			continue
		}
		if kept, err := r.vault.Get(ctx, ev.Scope, ev.Evidence); err != nil || string(kept) != want {
			t.Errorf("%s: %q %v", sender, kept, err)
		}
	}
	if p, err := r.door.LoadJSONL(ctx, load); err != nil || p.Accepted != 0 || p.Duplicates != 7 {
		t.Errorf("again: %+v %v", p, err)
	}
	load.Refused = func(Refusal) error { return errors.New("enough") }
	if _, err := r.door.LoadJSONL(ctx, load); err == nil || err.Error() != "enough" {
		t.Errorf("%v", err)
	}
	// A load that was stopped goes on where it stopped.
	stopped, cancel := context.WithCancel(ctx)
	load.Source, load.Refused = "handbook", nil
	load.Paths = []string{dir}
	load.Progress = func(p Progress) {
		if p.Documents == 5 {
			cancel()
		}
	}
	if _, err := r.door.LoadFiles(stopped, load); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	_ = r.store.Close()
	load.Progress = nil
	if _, err := r.door.LoadFiles(ctx, load); !errors.Is(err, ErrLedger) {
		t.Errorf("store away: %v", err)
	}
}

// The Big List of Naughty Strings goes through the door as text, as JSON and as ids:
// whatever comes in comes back byte for byte, and nothing breaks.
func TestNaughtyStrings(t *testing.T) {
	root := os.Getenv("STOPLOG_TESTDATA")
	if root == "" {
		t.Skip("not run: the Big List of Naughty Strings (set STOPLOG_TESTDATA)")
	}
	b, err := os.ReadFile(filepath.Join(root, "suites", "blns", "blns.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	w := newWeb(t)
	ran := 0
	for i, s := range list {
		id := fmt.Sprintf("%d %s", i, s)
		got := w.accept(event("web", id, s))
		ev, err := w.store.EventByID(ctx, got.Event)
		if err != nil {
			t.Fatal(err)
		}
		if kept, err := w.vault.Get(ctx, ev.Scope, ev.Evidence); err != nil || string(kept) != s {
			t.Errorf("%d: not the same bytes", i)
		}
		if i%5 == 0 {
			wrapped, err := json.Marshal(map[string]string{"a": s, "k" + s: s})
			if err != nil {
				t.Fatal(err)
			}
			w.accept(event("any", id, string(wrapped)).as("application/json"))
			structured, err := json.Marshal(map[string]any{"specversion": "1.0", "id": id, "source": s, "type": "t", "subject": s, "data": s})
			if err != nil {
				t.Fatal(err)
			}
			h := head("Authorization", "Bearer all", "Content-Type", "application/cloudevents+json")
			if got := w.post("/v1/events", h, structured); got.status != 422 && got.status != 400 {
				t.Errorf("%d: %d", i, got.status)
			}
			if _, err := w.door.Accept(ctx, event("web", id+"/run", "x").in(s)); err != nil {
				t.Errorf("%d as a run's name: %v", i, err)
			}
		}
		ran++
	}
	if ran < 500 {
		t.Fatalf("%d strings ran", ran)
	}
	t.Logf("%d strings", ran)
}
