package classify_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

var booking = classify.Source{
	ID: "booking-inquiry", Ceiling: chunk.PII, Format: "json", RunBy: "booking.id", Subject: "guest.email",
	Fields: []classify.Field{
		{Path: "booking.id", Class: chunk.Internal},
		{Path: "booking.arrival", Class: chunk.Internal},
		{Path: "guest.first_name", Class: chunk.PII, Stub: "GUEST_FIRST_NAME", Type: "PERSON"},
		{Path: "guest.last_name", Class: chunk.PII, Form: classify.StubConstant, Stub: "GUEST_NAME", Type: "PERSON"},
		{Path: "guest.email", Class: chunk.PII, Type: "EMAIL_ADDRESS"},
		{Path: "guest.id", Class: chunk.PII, Stub: "APPLICANT_ID", Form: classify.StubHash},
		{Path: "rooms[].guests[].name", Class: chunk.PII, Type: "PERSON"},
		{Path: "message", Class: chunk.PII, Text: true},
	},
}

func compile(t testing.TB, sources ...classify.Source) *classify.Classifier {
	t.Helper()
	c, err := classify.Compile(sources, classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func key() []byte { return []byte("0123456789abcdef0123456789abcdef") }

// redacted applies the redactions as pkg/chunk does.
func redacted(t *testing.T, text string, rs []chunk.Redaction) string {
	t.Helper()
	end := 0
	for _, r := range rs {
		if r.Start < end || r.End > len(text) || r.End < r.Start {
			t.Fatalf("redactions out of order or overlapping: %+v", rs)
		}
		end = r.End
	}
	return string([]byte(chunk.Chunk{Text: []byte(text), Redactions: rs}.Redacted()))
}

// SPEC: RED-1 RED-2 RED-3 CLS-2
func TestClassifyBooking(t *testing.T) {
	c := compile(t, booking)
	const body = `{"booking":{"id":"B-17","arrival":"2026-12-24","note":7},
 "guest":{"first_name":"Mar\u00eda","last_name":"Quint\u00e9n","email":"maria.q@example.org","id":90125,"vip":true,"phone":null},
 "rooms":[{"guests":[{"name":"Ana Quint\u00e9n"}]}],
 "message":"Hello, I am mar\u00eda QUINT\u00c9N, write to Maria.Q@example.org or \u0061@b.example.\nCard 4111 1111 1111 1111. Ana comes too."}`
	res, err := c.Classify(classify.Input{Source: "booking-inquiry", Text: []byte(body), StubKey: key()})
	if err != nil {
		t.Fatal(err)
	}
	out := redacted(t, body, res.Redactions)
	if !json.Valid([]byte(out)) {
		t.Fatalf("redacted text is no JSON: %s", out)
	}
	for _, want := range []string{
		`"id":"B-17","arrival":"2026-12-24","note":"{BOOKING_NOTE}"`,
		`"first_name":"{GUEST_FIRST_NAME}","last_name":"GUEST_NAME_REDACTED","email":"{GUEST_EMAIL}","id":"APPLICANT_ID_`,
		`"vip":"{GUEST_VIP}","phone":null`,
		`"name":"{ROOMS_GUESTS_NAME}"`,
		`I am {GUEST_FIRST_NAME} GUEST_NAME_REDACTED, write to {GUEST_EMAIL} or {EMAIL_ADDRESS}.\nCard {CREDIT_CARD}. {ROOMS_GUESTS_NAME_PART} comes too.`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %s in\n%s", want, out)
		}
	}
	if res.Class != chunk.PII || res.RunBy != "B-17" || res.Subject != "maria.q@example.org" {
		t.Errorf("class %v, run %q, subject %q", res.Class, res.RunBy, res.Subject)
	}
	if res.Found != chunk.PII || len(res.Exceeded) != 0 {
		t.Errorf("found %v, exceeded %v", res.Found, res.Exceeded)
	}
	// A later document of the run: same values, same stubs; another value, another stub.
	known := map[string]string{}
	for _, s := range res.Stubs {
		known[s.Name] = s.Commitment
	}
	next := `{"booking":{"id":"B-17"},"guest":{"first_name":"Tom","email":"MARIA.Q@example.org"},"message":"Quint\u00e9n called"}`
	res2, err := c.Classify(classify.Input{Source: "booking-inquiry", Text: []byte(next), StubKey: key(), Known: known, Names: res.Names})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"booking":{"id":"B-17"},"guest":{"first_name":"{GUEST_FIRST_NAME_2}","email":"{GUEST_EMAIL}"},"message":"GUEST_NAME_REDACTED called"}`
	if diff := cmp.Diff(want, redacted(t, next, res2.Redactions)); diff != "" {
		t.Error(diff)
	}
}

// SPEC: RED-2
func TestHashStubsUnlinkable(t *testing.T) {
	c := compile(t, booking)
	const body = `{"booking":{"id":"1"},"guest":{"id":"A-1"}}`
	stubs := map[string]bool{}
	for _, k := range []string{"deployment one, 32 bytes long....", "deployment one, 32 bytes long....", "deployment two, 32 bytes long...."} {
		res, err := c.Classify(classify.Input{Source: "booking-inquiry", Text: []byte(body), StubKey: []byte(k)})
		if err != nil || len(res.Redactions) != 1 {
			t.Fatal(err, res.Redactions)
		}
		stubs[res.Redactions[0].Stub] = true
	}
	if len(stubs) != 2 {
		t.Errorf("want one stub for each key, got %v", stubs)
	}
}

// SPEC: CLS-3 CLS-4 CLS-5
func TestCeilings(t *testing.T) {
	c := compile(t,
		classify.Source{ID: "web", Ceiling: chunk.Public, Format: "text"},
		classify.Source{ID: "none"},
		classify.Source{ID: "mixed", Ceiling: chunk.Internal, Fields: []classify.Field{{Path: "title", Class: chunk.Public}}},
	)
	run := func(source, media, text string) classify.Result {
		t.Helper()
		r, err := c.Classify(classify.Input{Source: source, MediaType: media, Text: []byte(text), StubKey: key()})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := run("web", "", "plain words"); r.Class != chunk.Public || r.Found != chunk.Public {
		t.Errorf("public text: %v, found %v", r.Class, r.Found)
	}
	r := run("web", "", "pay with 4111111111111111 please")
	if r.Class != chunk.PII || !cmp.Equal(r.Exceeded, []string{"CREDIT_CARD"}) {
		t.Errorf("card in a public source: class %v, exceeded %v", r.Class, r.Exceeded)
	}
	if r := run("none", "text/plain", "plain words"); r.Class != chunk.Restricted {
		t.Errorf("no declared class: %v, want restricted", r.Class)
	}
	if r := run("mixed", "application/json", `{"title":"x"}`); r.Class != chunk.Public {
		t.Errorf("only a public field: %v", r.Class)
	}
	if r := run("mixed", "application/json", `{"title":"x","more":1}`); r.Class != chunk.Internal {
		t.Errorf("an undeclared field beside it: %v", r.Class)
	}
	if _, err := c.Classify(classify.Input{Source: "other"}); !errors.Is(err, classify.ErrUnregistered) {
		t.Errorf("unregistered source: %v", err)
	}
}
