package classify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

var crm = classify.Source{
	ID: "crm", Ceiling: chunk.PII, Format: "json",
	Fields: []classify.Field{
		{Path: "name", Class: chunk.PII, Type: "PERSON", Stub: "CLIENT"},
		{Path: "phone", Class: chunk.PII, Type: "PHONE_NUMBER", Stub: "PHONE"},
		{Path: "email", Class: chunk.PII, Type: "EMAIL_ADDRESS", Stub: "EMAIL"},
		{Path: "card", Class: chunk.PII, Type: "CREDIT_CARD", Stub: "CARD"},
		{Path: "iban", Class: chunk.PII, Type: "IBAN_CODE", Stub: "IBAN"},
		{Path: "address", Class: chunk.PII, Type: "LOCATION", Stub: "ADDRESS"},
		{Path: "member", Class: chunk.PII, Stub: "MEMBER"},
		{Path: "note", Class: chunk.PII, Text: true},
	},
}

// A typed value that free text has in another form gets the field's stub.
//
// SPEC: RED-2 RED-3
func TestTypedValueInAnotherForm(t *testing.T) {
	c := compile(t, crm)
	for _, tc := range []struct{ field, value, note, want string }{
		{"phone", "+1 (555) 010-1234", "ring 555.010.1234 today", "ring {PHONE} today"},
		{"phone", "+1 (555) 010-1234", "ring 5550101234", "ring {PHONE}"},
		{"phone", "555-010-1234", "+1 555 010 1234, or 1-555-010-1234", "{PHONE}, or {PHONE}"},
		{"phone", "+49 (0)30 23125 017", "030/23125017 oder 0049 30 23125-017", "{PHONE} oder {PHONE}"},
		{"phone", "020 7946 0018", "+44 20 7946 0018 and +44 (0)20 7946 0018.", "{PHONE} and {PHONE}."},
		{"phone", "tel. 5550101", "it is 555 01 01", "it is {PHONE}"},
		{"phone", "+1 555 010 1234 ext. 7", "on (555) 010-1234 x9", "on {PHONE}"},
		{"phone", "+1 555 010 1234", "build 9755501012349876", "build 9755501012349876"},
		{"email", "Ana.Ruiz@Example.org", "to ANA.RUIZ@example.ORG please", "to {EMAIL} please"},
		{"card", "4111 1111 1111 1111", "card 4111-1111-1111-1111 or 4111111111111111", "card {CARD} or {CARD}"},
		{"card", "4111111111111112", "it was 4111 1111 1111 1112", "it was {CARD}"}, // no checksum speaks for it
		{"iban", "DE89370400440532013000", "an de89 3704 0044 0532 0130 00 bitte", "an {IBAN} bitte"},
		{"member", "KD-4471-9028", "member kd44719028 and KD 4471 9028", "member {MEMBER} and {MEMBER}"},
		{"address", "12 Rosewood Lane, Millbrook", "at 12 rosewood lane\\nMillbrook since", "at {ADDRESS} since"},
		{"name", "José Müller", "jose mueller and JOSE MULLER and Jose", "{CLIENT} and {CLIENT} and {CLIENT_PART}"},
		{"name", "Anne-Marie Okafor", "anne marie okafor", "{CLIENT}"},
		{"name", "\u738b\u5c0f\u660e", "\u8bf7\u8054\u7cfb\u738b\u5c0f\u660e\u5148\u751f", "\u8bf7\u8054\u7cfb{CLIENT}\u5148\u751f"},
		{"name", "Rose Will", "the rose; Rose knows", "the rose; {CLIENT_PART} knows"},
		{"name", "Halina Kowalczewska", "dla Haliny Kowalczewskiej", "dla {CLIENT_PART} {CLIENT_PART_2}"},
		{"name", "Zbyszek Orzechowicz", "od Zbyszka Orzechowicza, z Orzechowiczem", "od {CLIENT_PART} {CLIENT_PART_2}, z {CLIENT_PART_2}"},
		{"name", "Vojt\u011bch Hrube\u0161", "volal Vojt\u011bchovi Hrube\u0161ovi", "volal {CLIENT_PART} {CLIENT_PART_2}"},
		{"name", "Tuulikki Hakkarainen", "Tuulikille ja Hakkaraisen talo", "{CLIENT_PART} ja {CLIENT_PART_2} talo"},
		{"name", "Емельян Турчанинов", "у Емельяна Турчанинова, с Турчаниновым", "у {CLIENT_PART} {CLIENT_PART_2}, с {CLIENT_PART_2}"},
		{"name", "Annegret Bohlsen", "Bohlsens Wagen", "{CLIENT_PART} Wagen"},
		{"name", "Halina Kowalczewska", "with Halina Kowalczewka, Halnia Kowalczewska", "with {CLIENT_PART} {CLIENT_PART_2}, {CLIENT_PART} {CLIENT_PART_2}"},
		{"name", "Annegret Bohlsen", "Annegret Bohlson; Annegret Bolhsen", "{CLIENT_PART} {CLIENT_PART_2}; {CLIENT_PART} {CLIENT_PART_2}"},
		{"name", "Marta Delgadez", "die Marter am Mars", "die Marter am Mars"}, // words
	} {
		body := fmt.Sprintf(`{%q:%q,"note":"%s"}`, tc.field, tc.value, tc.note)
		res, err := c.Classify(classify.Input{Source: "crm", Text: []byte(body), StubKey: key()})
		if err != nil {
			t.Fatal(err)
		}
		if out := redacted(t, body, res.Redactions); !strings.HasSuffix(out, `"note":"`+tc.want+`"}`) {
			t.Errorf("%s %q: got %s, want %s", tc.field, tc.value, out, tc.want)
		}
		// The same in a later document of the run.
		next := fmt.Sprintf(`{"note":"%s"}`, tc.note)
		known := map[string]string{}
		for _, s := range res.Stubs {
			known[s.Name] = s.Commitment
		}
		later, err := c.Classify(classify.Input{Source: "crm", Text: []byte(next), StubKey: key(), Known: known, Names: res.Names})
		if err != nil {
			t.Fatal(err)
		}
		if out := redacted(t, next, later.Redactions); out != `{"note":"`+tc.want+`"}` {
			t.Errorf("later, %s %q: got %s, want %s", tc.field, tc.value, out, tc.want)
		}
	}
}

// Fields that nobody declared a type for are searched too, where a recogniser knows what
// all of the value is.
//
// SPEC: RED-3
func TestUndeclaredFieldIsSearched(t *testing.T) {
	c := compile(t, classify.Source{ID: "s", Ceiling: chunk.PII, Format: "json", Fields: []classify.Field{{Path: "text", Class: chunk.PII, Text: true}}},
		classify.Source{ID: "open", Ceiling: chunk.Internal, Format: "json"})
	body := `{"guest":{"fullName":"Oluwaseun Adeyemi","mail":"o.ade@example.org"},"text":"oluwaseun adeyemi wrote from O.Ade@example.org"}`
	res, err := c.Classify(classify.Input{Source: "s", Text: []byte(body), StubKey: key()})
	if err != nil {
		t.Fatal(err)
	}
	if out := redacted(t, body, res.Redactions); !strings.Contains(out, `"text":"{GUEST_FIELD} wrote from {GUEST_MAIL}"`) && !strings.Contains(out, `"text":"{GUEST_FULL_NAME} wrote from {GUEST_MAIL}"`) {
		t.Error(out)
	}
	body = `{"author":{"name":"Oluwaseun Adeyemi"},"body":"fixed by oluwaseun"}`
	if res, err = c.Classify(classify.Input{Source: "open", Text: []byte(body), StubKey: key()}); err != nil {
		t.Fatal(err)
	}
	if out := redacted(t, body, res.Redactions); strings.Contains(strings.ToLower(out), "oluwaseun") {
		t.Error(out)
	}
}

// Names in the fields of forms and tables are found by the keys.
//
// SPEC: RED-3
func TestKeysOfFormsAndTables(t *testing.T) {
	c := compile(t, classify.Source{ID: "form", Ceiling: chunk.Internal, Format: "form"}, classify.Source{ID: "csv", Ceiling: chunk.Internal, Format: "csv"},
		classify.Source{ID: "json", Ceiling: chunk.Internal, Format: "json"})
	for source, text := range map[string]string{
		"form": "guest_name=Ulrik+Oyelaran&plan=Gold&last_name=Dzhambov",
		"csv":  "id,guest_name,plan\n4,Ulrik Oyelaran,Gold\n5,Dzhambov,Rose\n",
		"json": `{"guest":{"name":"Ulrik Oyel\u0061ran"},"plan":"Gold","last_name":"Dzhambov"}`,
	} {
		res, err := c.Classify(classify.Input{Source: source, Text: []byte(text), StubKey: key()})
		if err != nil {
			t.Fatal(err)
		}
		out := redacted(t, text, res.Redactions)
		for _, gone := range []string{"Ulrik", "Oyel", "Dzhambov"} {
			if strings.Contains(out, gone) && !(source == "csv" && gone == "Dzhambov") {
				t.Errorf("%s: %s is left in %s", source, gone, out)
			}
		}
		if !strings.Contains(out, "Gold") {
			t.Errorf("%s: %s", source, out)
		}
	}
}

// SPEC: RED-3
func TestMailHeadersNamePersons(t *testing.T) {
	c := compile(t, classify.Source{ID: "mail", Ceiling: chunk.Internal, Format: "mail"})
	const mail = "From: \"Adeyemi, Oluwaseun\" <oa@example.org>\r\n" +
		"To: zofia.nowak@example.com, =?iso-8859-1?Q?Jos=E9?= =?iso-8859-1?Q?_Quint=E9n?= <jq@example.com>,\r\n" +
		" Acme Support Team <support@example.com>\r\n" +
		"Subject: oluwaseun on friday\r\n\r\n" +
		"hi zofia, ask jose quinten or adeyemi. The acme support team helps.\r\n"
	res, err := c.Classify(classify.Input{Source: "mail", Text: []byte(mail), StubKey: key()})
	if err != nil {
		t.Fatal(err)
	}
	out := redacted(t, mail, res.Redactions)
	for _, gone := range []string{"oluwaseun", "adeyemi", "zofia", "quint", "jos=e9", "jose"} {
		if strings.Contains(strings.ToLower(out), gone) {
			t.Errorf("%s is left in\n%s", gone, out)
		}
	}
	if !strings.Contains(out, "The acme support team helps.") {
		t.Errorf("a team was taken for a person:\n%s", out)
	}
	for _, r := range res.Redactions {
		if r.End <= r.Start {
			t.Errorf("%+v replaces nothing", r)
		}
	}
	if len(res.Names) == 0 {
		t.Error("no names for the run's later mails")
	}
}

// What is decoded as one is replaced as one.
//
// SPEC: RED-1
func TestEncodedWordHoldsTwoValues(t *testing.T) {
	c := compile(t, classify.Source{ID: "mail", Ceiling: chunk.Internal, Format: "mail"})
	const mail = "From: x@example.org\r\nSubject: =?utf-8?Q?Oluwaseun_Adeyemi,_ana=40example.org,_urgent?= and more\r\n\r\nhi\r\n"
	res, err := c.Classify(classify.Input{Source: "mail", Text: []byte(mail), StubKey: key()})
	if err != nil {
		t.Fatal(err)
	}
	out := redacted(t, mail, res.Redactions)
	if strings.Contains(out, "Adeyemi") || strings.Contains(out, "ana=40") || !strings.Contains(out, "and more") {
		t.Error(out)
	}
}

// No input makes the search for typed values step outside the text.
func FuzzTypedValues(f *testing.F) {
	f.Add("+1 (555) 010-1234", "ring 555.010.1234")
	f.Add("Jos\u00e9 M\u00fcller", "jose\u0301 mu\u0308ller\u200b")
	f.Add("+", "(+0) 00 +")
	f.Fuzz(func(t *testing.T, value, note string) {
		names := []classify.Name{{Type: "PHONE_NUMBER", Value: []byte(value)}, {Type: "PERSON", Value: []byte(value)}, {Type: "US_SSN", Value: []byte(value)}}
		c := compile(t, classify.Source{ID: "t", Ceiling: chunk.PII, Format: "text"})
		res, err := c.Classify(classify.Input{Source: "t", Text: []byte(note), StubKey: key(), Names: names})
		if err != nil {
			return
		}
		redacted(t, note, res.Redactions)
	})
}
