package door

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/internal/strictjson"
)

// FuzzLine: a line either goes in whole, or it is an envelope and nothing of it is
// left outside.
func FuzzLine(f *testing.F) {
	for _, s := range []string{`{"id":"a","text":"b"}`, `{"id":1,"data":null}`, `{"id":"a","text":"b","TEXT":"c"}`, `{"x":1}`, `[1]`, `"s"`, `{"id":"","text":"b"}`} {
		f.Add([]byte(s))
	}
	r := newRig(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		ev, err := r.door.lineEvent(Load{Source: "any", Tenant: "default", Actor: "load:fuzz"}, line, "f:1")
		if strictjson.Check(line, strictjson.Limits{}) != nil {
			if err == nil {
				t.Fatal("took a line that is not strict JSON")
			}
			return
		}
		if err != nil || ev.SenderID == "" {
			t.Fatalf("refused a line: %v", err)
		}
		if string(ev.Body) == string(line) {
			return
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal("an envelope that is no object")
		}
		for k := range m {
			switch k {
			case "id", "text", "data", "media_type", "run":
			default:
				if !foldsToEnvelope(k) {
					t.Fatal("a member was left outside")
				}
			}
		}
	})
}

// foldsToEnvelope: encoding/json matches names without case; a line with such a name
// alone is an envelope too, and nothing else of it can be lost, for a second name that
// folds to the same is refused.
func foldsToEnvelope(k string) bool {
	var e lineEnvelope
	return strictjson.Decode([]byte(`{`+string(must(json.Marshal(k)))+`:null}`), &e, strictjson.Limits{}) == nil
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// FuzzCloudEvent: no message panics, and what is read has what an event needs.
func FuzzCloudEvent(f *testing.F) {
	f.Add("application/cloudevents+json", "a", []byte(`{"specversion":"1.0","id":"1","source":"web","type":"t","data":{}}`))
	f.Add("text/plain", `"q\"uo%20ted"`, []byte("x"))
	f.Fuzz(func(t *testing.T, contentType, id string, body []byte) {
		if v, err := headerValue(id); err == nil {
			id = v
		}
		e, data, err := parseEvent(stage.Message{Value: body, Headers: map[string]string{
			"content-type": contentType, "ce_id": id, "ce_source": "web", "ce_type": "t", "ce_specversion": "1.0",
		}})
		if err == nil && (e.ID == "" || e.Source == "" || e.Type == "" || data == nil) {
			t.Fatalf("%+v", e)
		}
		if _, err := splitBatch(body, 10); err == nil && !json.Valid(body) {
			t.Fatal("a batch that is not JSON")
		}
		_ = checkForm(body)
		_, _ = parseMediaType(contentType)
	})
}

// BenchmarkAccept is the whole door with real stores: vault, classifier, ledger.
func BenchmarkAccept(b *testing.B) {
	r := newRig(b)
	before := len(inquiry)
	b.SetBytes(int64(before))
	b.ReportAllocs()
	var n int
	for b.Loop() {
		n++
		if _, err := r.door.Accept(ctx, event("booking", fmt.Sprint(n), inquiry)); err != nil {
			b.Fatal(err)
		}
	}
	if k := len(r.outbox()); k != min(n, 100000) {
		b.Fatalf("%d of %d events are in the outbox", k, n)
	}
}

// BenchmarkAcceptParallel has many senders at once.
func BenchmarkAcceptParallel(b *testing.B) {
	r := newRig(b)
	var next atomic.Int64
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := r.door.Accept(ctx, event("booking", fmt.Sprint("p", next.Add(1)), inquiry)); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
