package problem

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func decode(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
		t.Fatalf("answer is not JSON: %v", err)
	}
	return m
}

func serve(h http.HandlerFunc) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Request-Id", "anna@example.org")
	RequestID(h).ServeHTTP(w, r)
	return w
}

// SPEC: TAG-1
func TestEnvelopeOfASuccess(t *testing.T) {
	var seen string
	w := serve(func(w http.ResponseWriter, r *http.Request) {
		seen = ID(r.Context())
		OK(w, map[string]int{"n": 1}, "take care")
	})
	m := decode(t, w)
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("status %d, type %q", w.Code, w.Header().Get("Content-Type"))
	}
	for _, k := range []string{"ok", "data", "error", "warnings", "meta"} {
		if _, ok := m[k]; !ok {
			t.Errorf("envelope lacks %q", k)
		}
	}
	if m["ok"] != true || m["error"] != nil {
		t.Errorf("ok %v error %v", m["ok"], m["error"])
	}
	if diff := cmp.Diff([]any{"take care"}, m["warnings"]); diff != "" {
		t.Error(diff)
	}
	id := m["meta"].(map[string]any)["request_id"].(string)
	if !strings.HasPrefix(id, "req_") || id != seen || id != w.Header().Get("X-Request-Id") {
		t.Errorf("request id %q, context %q, header %q", id, seen, w.Header().Get("X-Request-Id"))
	}
}

// SPEC: TAG-1
func TestProblemCarriesBothShapes(t *testing.T) {
	off := 7
	w := serve(func(w http.ResponseWriter, r *http.Request) {
		Write(w, Problem{
			Status: 503, Code: "ledger-unavailable", Detail: "Send it again.", Retryable: true, RetryAfter: 1500 * time.Millisecond,
			Fields: []Field{{Path: "a.b", Detail: "missing"}}, Offset: &off, Members: map[string]any{"gate_id": "gate_x", "ok": true},
		})
	})
	m := decode(t, w)
	if w.Code != 503 || w.Header().Get("Content-Type") != "application/problem+json" || w.Header().Get("Retry-After") != "2" {
		t.Fatalf("status %d headers %v", w.Code, w.Header())
	}
	for k, want := range map[string]any{
		"type": "urn:stoplog:problem:ledger-unavailable", "title": "Service Unavailable", "status": float64(503), "code": "ledger-unavailable",
		"detail": "Send it again.", "retryable": true, "ok": false, "data": nil, "offset": float64(7), "gate_id": "gate_x",
	} {
		if diff := cmp.Diff(want, m[k]); diff != "" {
			t.Errorf("%s: %s", k, diff)
		}
	}
	if m["error"].(map[string]any)["code"] != "ledger-unavailable" {
		t.Errorf("error member %v", m["error"])
	}
}

// A zero problem is a fault of ours, never a success.
func TestZeroProblemIsAFault(t *testing.T) {
	w := serve(func(w http.ResponseWriter, r *http.Request) { Write(w, Problem{}) })
	if m := decode(t, w); w.Code != 500 || m["code"] != "internal" || m["ok"] != false {
		t.Errorf("status %d, %v", w.Code, m)
	}
}

func TestAnswerThatCannotBeEncodedIsAProblem(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"plain":    func(w http.ResponseWriter, r *http.Request) { OK(w, func() {}) },
		"external": func(w http.ResponseWriter, r *http.Request) { OKExternal(w, func() {}) },
	} {
		w := serve(h)
		if m := decode(t, w); w.Code != 500 || m["ok"] != false {
			t.Errorf("%s: status %d, %v", name, w.Code, m)
		}
	}
}

// SPEC: TAG-1: data cannot call itself trusted.
func TestExternalDataIsTagged(t *testing.T) {
	for name, data := range map[string]any{
		"object": map[string]any{"text": "x", "_trusted": true, "_source": "self"},
		"list":   []string{"a"},
		"string": "a",
	} {
		w := serve(func(w http.ResponseWriter, r *http.Request) { OKExternal(w, data) })
		m := decode(t, w)
		d := m["data"].(map[string]any)
		if d["_source"] != "external" || d["_trusted"] != false {
			t.Errorf("%s: %v", name, d)
		}
		if diff := cmp.Diff([]any{ExternalWarning}, m["warnings"]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestControllerReachesTheConnection(t *testing.T) {
	w := httptest.NewRecorder()
	RequestID(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Errorf("flush: %v", err)
		}
	})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if !w.Flushed {
		t.Error("flush did not reach the recorder")
	}
}
