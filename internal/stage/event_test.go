package stage

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	ce "github.com/cloudevents/sdk-go/v2/event"
	"github.com/google/go-cmp/cmp"
)

var fullEvent = Event{
	ID: "A234-1234-1234", Source: "/mycontext/4", Type: "com.example.someevent", Subject: "sub\u00e9ject",
	Time: time.Date(2026, 11, 21, 9, 30, 0, 123456789, time.UTC), ContentType: "application/json",
	DataSchema: "https://example.com/schema",
	Extensions: map[string]string{ExtClass: "pii", ExtTenant: "default", ExtRun: "run_aaaaaaaaaaaaaaaaaaaaaaaaaa", ExtTraceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
}

func TestEventBinaryRoundTrip(t *testing.T) {
	for name, e := range map[string]Event{
		"all":   fullEvent,
		"least": {ID: "1", Source: "s", Type: "t"},
	} {
		h, err := e.Headers()
		if err != nil {
			t.Fatal(err)
		}
		got, data, err := ParseEvent(Message{Headers: h, Value: []byte("x")})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(e, got); d != "" || string(data) != "x" {
			t.Errorf("%s: (-want +got):\n%s", name, d)
		}
	}
	h, _ := fullEvent.Headers()
	want := map[string]string{
		"ce_specversion": "1.0", "ce_id": "A234-1234-1234", "ce_source": "/mycontext/4", "ce_type": "com.example.someevent", "ce_subject": "sub\u00e9ject",
		"ce_time": "2026-11-21T09:30:00.123456789Z", "content-type": "application/json", "ce_dataschema": "https://example.com/schema",
		"ce_dataclassification": "pii", "ce_stoplogtenant": "default", "ce_stoplogrun": "run_aaaaaaaaaaaaaaaaaaaaaaaaaa",
		"ce_traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	}
	if d := cmp.Diff(want, h); d != "" {
		t.Errorf("headers (-want +got):\n%s", d)
	}
}

// oracle makes the same event with the CloudEvents SDK.
func oracle(t *testing.T, e Event, data []byte, isJSON bool) ce.Event {
	t.Helper()
	o := ce.New(ce.CloudEventsVersionV1)
	o.SetID(e.ID)
	o.SetSource(e.Source)
	o.SetType(e.Type)
	if e.Subject != "" {
		o.SetSubject(e.Subject)
	}
	if !e.Time.IsZero() {
		o.SetTime(e.Time)
	}
	if e.DataSchema != "" {
		o.SetDataSchema(e.DataSchema)
	}
	for k, v := range e.Extensions {
		o.SetExtension(k, v)
	}
	if isJSON {
		if err := o.SetData(e.ContentType, json.RawMessage(data)); err != nil {
			t.Fatal(err)
		}
	} else if err := o.SetData(e.ContentType, data); err != nil {
		t.Fatal(err)
	}
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestEventStructured reads what the CloudEvents SDK writes.
func TestEventStructured(t *testing.T) {
	binary := fullEvent
	binary.ContentType = "application/octet-stream"
	text := fullEvent
	text.ContentType = "text/plain"
	for name, c := range map[string]struct {
		e      Event
		data   string
		isJSON bool
	}{
		"json":   {fullEvent, `{"a":[1,2,{"b":"c"}]}`, true},
		"binary": {binary, "\x00\x01\xff", false},
		"text":   {text, "plain \u00e9 text", false},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(oracle(t, c.e, []byte(c.data), c.isJSON))
			if err != nil {
				t.Fatal(err)
			}
			got, data, err := ParseEvent(Message{Headers: map[string]string{"content-type": "application/cloudevents+json; charset=utf-8"}, Value: raw})
			if err != nil {
				t.Fatalf("%v in %s", err, raw)
			}
			if d := cmp.Diff(c.e, got); d != "" {
				t.Errorf("event (-want +got):\n%s", d)
			}
			if string(data) != c.data {
				t.Errorf("data %q, want %q", data, c.data)
			}
		})
	}
}

// TestEventBinaryOracle reads our binary headers with the SDK's attribute rules.
func TestEventBinaryOracle(t *testing.T) {
	h, err := fullEvent.Headers()
	if err != nil {
		t.Fatal(err)
	}
	o := ce.New(ce.CloudEventsVersionV1)
	o.SetID(h["ce_id"])
	o.SetSource(h["ce_source"])
	o.SetType(h["ce_type"])
	when, err := time.Parse(time.RFC3339Nano, h["ce_time"])
	if err != nil {
		t.Fatal(err)
	}
	o.SetTime(when)
	for k, v := range h {
		name := strings.TrimPrefix(k, "ce_")
		if _, ours := fullEvent.Extensions[name]; ours {
			o.SetExtension(name, v)
		}
	}
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(o.Extensions()) != len(fullEvent.Extensions) {
		t.Errorf("the SDK took %d of %d extensions", len(o.Extensions()), len(fullEvent.Extensions))
	}
}

func TestEventRefused(t *testing.T) {
	h, _ := fullEvent.Headers()
	spoil := func(f func(map[string]string)) Message {
		c := maps.Clone(h)
		f(c)
		return Message{Headers: c, Value: []byte("secret value")}
	}
	doc := func(s string) Message {
		return Message{Headers: map[string]string{"content-type": "application/cloudevents+json"}, Value: []byte(s)}
	}
	const rest = `"specversion":"1.0","source":"s","type":"t"`
	for name, m := range map[string]Message{
		"no headers":             {Value: []byte("x")},
		"no id":                  spoil(func(h map[string]string) { delete(h, "ce_id") }),
		"no source":              spoil(func(h map[string]string) { delete(h, "ce_source") }),
		"no type":                spoil(func(h map[string]string) { delete(h, "ce_type") }),
		"version 0.3":            spoil(func(h map[string]string) { h["ce_specversion"] = "0.3" }),
		"bad time":               spoil(func(h map[string]string) { h["ce_time"] = "yesterday" }),
		"upper-case extension":   spoil(func(h map[string]string) { h["ce_Foo"] = "x" }),
		"long extension name":    spoil(func(h map[string]string) { h["ce_abcdefghijklmnopqrstu"] = "x" }),
		"control character":      spoil(func(h map[string]string) { h["ce_subject"] = "a\nb" }),
		"not UTF-8":              spoil(func(h map[string]string) { h["ce_subject"] = "a\xff" }),
		"long attribute":         spoil(func(h map[string]string) { h["ce_subject"] = strings.Repeat("a", maxAttribute+1) }),
		"structured: array":      doc(`[{"id":"1",` + rest + `}]`),
		"structured: no JSON":    doc(`{"id":"1",` + rest),
		"structured: two values": doc(`{"id":"1",` + rest + `}{}`),
		"structured: id twice":   doc(`{"id":"1","id":"2",` + rest + `}`),
		"structured: data twice": doc(`{"id":"1",` + rest + `,"data":1,"data_base64":"AA=="}`),
		"structured: base64":     doc(`{"id":"1",` + rest + `,"data_base64":"AA"}`),
		"structured: object":     doc(`{"id":"1",` + rest + `,"ext":{"a":1}}`),
		"structured: id null":    doc(`{"id":null,` + rest + `}`),
		"structured: not UTF-8":  doc("{\"id\":\"\xff\"," + rest + "}"),
		"structured: empty":      doc(""),
		"structured: ext name":   doc(`{"id":"1",` + rest + `,"data_x":"1"}`),
	} {
		_, _, err := ParseEvent(m)
		if !errors.Is(err, ErrEvent) {
			t.Errorf("%s: error %v, want ErrEvent", name, err)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error quotes the message", name)
		}
	}
	for name, e := range map[string]Event{
		"no id":                          {Source: "s", Type: "t"},
		"extension stands in for the id": {ID: "1", Source: "s", Type: "t", Extensions: map[string]string{"id": "2"}},
		"extension with a dash":          {ID: "1", Source: "s", Type: "t", Extensions: map[string]string{"a-b": "2"}},
		"extension with a line break":    {ID: "1", Source: "s", Type: "t", Extensions: map[string]string{"ab": "2\r\n"}},
	} {
		if _, err := e.Headers(); !errors.Is(err, ErrEvent) {
			t.Errorf("%s: error %v, want ErrEvent", name, err)
		}
	}
}

func TestOwnExtensionNames(t *testing.T) {
	for _, n := range []string{ExtClass, ExtTraceparent, ExtCorrelation, ExtTenant, ExtRun, ExtScope, ExtSource, ExtVerdict, ExtPolicy,
		ExtReason, ExtStage, ExtTopic, ExtPartition, ExtOffset, ExtAttempts} {
		if !extensionName(n) {
			t.Errorf("%q is no extension name", n)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	raw := `{"specversion":"1.0","id":"1","source":"s","type":"t","data":{"a":1}}`
	f.Add("application/cloudevents+json", []byte(raw))
	f.Add("application/json", []byte(raw))
	f.Add("application/cloudevents+json", []byte(`{"data_base64":"`+base64.StdEncoding.EncodeToString([]byte("x"))+`"}`))
	f.Fuzz(func(t *testing.T, contentType string, value []byte) {
		h, _ := fullEvent.Headers()
		h["content-type"] = contentType
		e, _, err := ParseEvent(Message{Headers: h, Value: value})
		if err != nil {
			if !errors.Is(err, ErrEvent) {
				t.Fatalf("error %v is not ErrEvent", err)
			}
			return
		}
		again, err := e.Headers()
		if err != nil {
			t.Fatalf("an event that was read cannot be written: %v", err)
		}
		again[headerContentType] = "application/json"
		e.ContentType = "application/json"
		got, _, err := ParseEvent(Message{Headers: again})
		if err != nil || !got.Time.Equal(e.Time) {
			t.Fatalf("%v: %v", err, got)
		}
		got.Time = e.Time
		if d := cmp.Diff(e, got); d != "" {
			t.Fatalf("(-want +got):\n%s", d)
		}
	})
}

func TestParseTrace(t *testing.T) {
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	tr, ok := ParseTrace(good)
	if !ok || tr.Traceparent() != good || tr.TraceID() != "0af7651916cd43dd8448eb211c80319c" {
		t.Fatalf("%v %v", tr, ok)
	}
	if c := tr.Child(); c.ID != tr.ID || c.Span == tr.Span || c.Flags != tr.Flags {
		t.Errorf("child %v of %v", c, tr)
	}
	for _, s := range []string{
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
		"01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", // a later version may add fields
	} {
		if _, ok := ParseTrace(s); !ok {
			t.Errorf("%s was refused", s)
		}
	}
	for _, s := range []string{
		"", "00", good + "-x", "ff" + good[2:], strings.ToUpper(good),
		"00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
		"00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01",
		"00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01", "0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01",
	} {
		if tr, ok := ParseTrace(s); ok || tr != (Trace{}) {
			t.Errorf("%q was taken", s)
		}
	}
	var none Trace
	if none.TraceID() != "" || none.Child().TraceID() == "" {
		t.Error("the child of no trace begins one")
	}
}
