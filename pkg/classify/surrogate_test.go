package classify_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

func surrogateSource() classify.Source {
	s := crm
	s.ID, s.Form = "shown", classify.StubSurrogate
	return s
}

// SPEC: RED-2. A surrogate keeps the kind of its value, is the same all through a run, and
// is nobody's.
func TestSurrogates(t *testing.T) {
	c := compile(t, surrogateSource())
	for _, tc := range []struct{ field, value, form string }{
		{"email", "ana.ruiz@hotel.example.net", `^[a-z]+\.[a-z]+\d+@example\.(com|net|org)$`},
		{"phone", "+1 415 867 5309", `^\+1 [2-9]\d\d 555 01\d\d$`},
		{"phone", "+44 20 8366 1177", `^\+44 7700 900\d{3}$`},
		{"phone", "+33 1 42 68 53 00", `^\+33 6 39 98 \d\d \d\d$`},
		{"phone", "+49 30 901820", `^\+49 30 23125 \d{3}$`},
		{"card", "4111 1111 1111 1111", `^999999\d{10}$`},
		{"iban", "DE89370400440532013000", `^DE\d\d00000000000\d{7}$`},
		{"address", "12 Rosewood Lane, Millbrook", `^\d+ Surrogate Street, Sampleton$`},
		{"name", "Ana Ruiz", `^[A-Z][a-z]+ [A-Z][a-z]+$`},
		{"member", "KD-4471-9028", `^\{MEMBER\}$`}, // no range of examples for it
	} {
		body := fmt.Sprintf(`{%q:%q,"note":"it is %s"}`, tc.field, tc.value, tc.value)
		in := classify.Input{Source: "shown", Text: []byte(body), StubKey: key()}
		res, err := c.Classify(in)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(`^\{"[a-z]+":"([^"]*)","note":"it is ([^"]*)"\}$`).FindStringSubmatch(redacted(t, body, res.Redactions))
		if m == nil || m[1] != m[2] || !regexp.MustCompile(tc.form).MatchString(m[1]) {
			t.Errorf("%s: %q", tc.field, m)
			continue
		}
		if tc.field == "member" {
			continue
		}
		if res.Surrogates != 2 {
			t.Errorf("%s: %d surrogates are marked", tc.field, res.Surrogates)
		}
		// The stub behind it is known by its name, and the key gives the surrogate back.
		if len(res.Stubs) != 1 || !classify.IsSurrogate(res.Stubs[0].Name) || string(res.Stubs[0].Value) != tc.value {
			t.Fatalf("%s: %+v", tc.field, res.Stubs)
		}
		if text, ok := classify.Surrogate(key(), res.Stubs[0].Name); !ok || text != m[1] {
			t.Errorf("%s: %q for %q", tc.field, text, m[1])
		}
		// Another deployment shows another one.
		in.StubKey = []byte("another key of another deployment")
		other, err := c.Classify(in)
		if err != nil {
			t.Fatal(err)
		}
		if redacted(t, body, other.Redactions) == redacted(t, body, res.Redactions) && tc.field != "phone" {
			t.Errorf("%s: two deployments can be linked", tc.field)
		}
		// An answer that quotes it is not hidden a second time.
		known := map[string]string{res.Stubs[0].Name: res.Stubs[0].Commitment}
		back := fmt.Sprintf(`{"note":"about %s"}`, m[1])
		again, err := c.Classify(classify.Input{Source: "shown", Text: []byte(back), StubKey: key(), Known: known})
		if err != nil {
			t.Fatal(err)
		}
		if out := redacted(t, back, again.Redactions); out != back && tc.field != "name" && tc.field != "address" {
			t.Errorf("%s: %s became %s", tc.field, back, out)
		}
	}
}

// SPEC: RED-2. No two values of a run share a surrogate, nor does one equal a value of the
// document.
func TestSurrogatesDoNotCollide(t *testing.T) {
	c := compile(t, surrogateSource())
	var b strings.Builder
	b.WriteString(`{"note":"`)
	for i := range 1500 {
		fmt.Fprintf(&b, "call +44 20 8%03d %04d or u%d@hotel.example.net\\n", 300+i%600, 1000+i, i)
	}
	b.WriteString(`"}`)
	res, err := c.Classify(classify.Input{Source: "shown", Text: []byte(b.String()), StubKey: key()})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]string{}
	n := 0
	for _, r := range res.Redactions {
		value := b.String()[r.Start:r.End]
		if old, ok := of[r.Stub]; ok && old != value {
			t.Fatalf("%q stands for %q and %q", r.Stub, old, value)
		}
		of[r.Stub] = value
		if !strings.HasPrefix(r.Stub, "{") {
			n++
		}
	}
	if n < 2000 {
		t.Errorf("%d surrogates", n)
	}
}

// SPEC: RED-2
func TestSurrogateFormIsChecked(t *testing.T) {
	for _, s := range []classify.Source{
		{ID: "a", Ceiling: chunk.PII, Form: classify.StubConstant},
		{ID: "a", Ceiling: chunk.PII, Form: "fake"},
		{ID: "a", Ceiling: chunk.PII, Fields: []classify.Field{{Path: "x", Class: chunk.PII, Stub: "X_SURROGATE_EMAIL"}}},
	} {
		if _, err := classify.Compile([]classify.Source{s}, classify.Options{}); err == nil {
			t.Errorf("%+v was taken", s)
		}
	}
	if text, ok := classify.Surrogate(nil, "X_SURROGATE_EMAIL"); ok {
		t.Errorf("without a key: %q", text)
	}
}
