package classify_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime/quotedprintable"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

func classifyText(t *testing.T, c *classify.Classifier, source, text string) (classify.Result, string) {
	t.Helper()
	res, err := c.Classify(classify.Input{Source: source, Text: []byte(text), StubKey: key()})
	if err != nil {
		t.Fatal(err)
	}
	return res, redacted(t, text, res.Redactions)
}

// SPEC: RED-3
func TestForm(t *testing.T) {
	c := compile(t, classify.Source{ID: "form", Ceiling: chunk.PII, Format: "form", Fields: []classify.Field{
		{Path: "name", Class: chunk.PII, Type: "PERSON"}, {Path: "note", Class: chunk.PII, Text: true}, {Path: "date", Class: chunk.Internal}}})
	_, out := classifyText(t, c, "form", "name=Maria+Quint%C3%A9n&note=call+Maria+Quint%C3%A9n+%2B49+30+901820&date=2026-12-24&other=x")
	v, err := url.ParseQuery(out)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]string{"name": "{NAME}", "note": "call {NAME} {PHONE_NUMBER}", "date": "2026-12-24", "other": "{OTHER}"} {
		if v.Get(k) != want {
			t.Errorf("%s: %q, want %q", k, v.Get(k), want)
		}
	}
}

// SPEC: RED-3
func TestCSV(t *testing.T) {
	c := compile(t, classify.Source{ID: "csv", Ceiling: chunk.PII, Format: "csv", Fields: []classify.Field{
		{Path: "name", Class: chunk.PII, Type: "PERSON"}, {Path: "note", Class: chunk.PII, Text: true}, {Path: "city", Class: chunk.Internal}}})
	_, out := classifyText(t, c, "csv", "name,note,city\r\n\"Quint\u00e9n, Maria\",\"said \"\"hi\"\" from a@b.example\",Bonn\r\nTom,,K\u00f6ln\r\n")
	want := "name,note,city\r\n\"{NAME}\",\"said \"\"hi\"\" from {EMAIL_ADDRESS}\",Bonn\r\n{NAME_2},,K\u00f6ln\r\n"
	if out != want {
		t.Errorf("got %q\nwant %q", out, want)
	}
}

// SPEC: RED-3
func TestHTML(t *testing.T) {
	c := compile(t, classify.Source{ID: "page", Ceiling: chunk.Public, Format: "html"})
	res, out := classifyText(t, c, "page", `<p>write to a&#64;b&#46;example or <b>4111 1111</b> 1111 1111</p>`)
	if out != `<p>write to {EMAIL_ADDRESS} or <b>{CREDIT_CARD}</p>` {
		t.Errorf("got %s", out)
	}
	if res.Class != chunk.PII || len(res.Exceeded) != 2 {
		t.Errorf("class %v, exceeded %v", res.Class, res.Exceeded)
	}
}

// SPEC: RED-3 RED-1
func TestMail(t *testing.T) {
	c := compile(t, classify.Source{ID: "inbox", Ceiling: chunk.PII, Format: "mail", Fields: []classify.Field{{Path: "subject", Class: chunk.PII}}})
	inner := "card 4111 1111 1111 1111, mail x@y.example, bye"
	msg := "From: =?utf-8?q?Maria_Quint=C3=A9n?= <maria@b.example>\r\nSubject: my stay\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=\"b1\"\r\n\r\n--b1\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
		"please call +49 30=\r\n 901820 or write to a=40b.example\r\n--b1\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
		base64.StdEncoding.EncodeToString([]byte(inner)) + "\r\n--b1--\r\n"
	_, out := classifyText(t, c, "inbox", msg)
	for _, bad := range []string{"maria", "b.example", "901820", "my stay", "4111", base64.StdEncoding.EncodeToString([]byte(inner))[:16]} {
		if strings.Contains(out, bad) {
			t.Errorf("%q is left in\n%s", bad, out)
		}
	}
	parts := strings.Split(out, "\r\n\r\n")
	plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(parts[2])))
	if err != nil || !strings.Contains(string(plain), "please call {PHONE_NUMBER} or write to {EMAIL_ADDRESS") {
		t.Errorf("%v: %q", err, plain)
	}
	body, err := base64.StdEncoding.DecodeString(strings.Split(parts[3], "\r\n")[0])
	if err != nil || !strings.HasPrefix(string(body), "card {CREDIT_CARD}, mail {EMAIL_ADDRESS") || !strings.HasSuffix(string(body), ", bye") {
		t.Errorf("%v: %q", err, body)
	}
}

// Headers and bodies of mails in other character sets.
//
// SPEC: RED-3 RED-1
func TestMailCharsets(t *testing.T) {
	c := compile(t, classify.Source{ID: "inbox", Ceiling: chunk.PII, Format: "mail", Fields: []classify.Field{{Path: "subject", Class: chunk.PII, Text: true}}})
	for charset, name := range map[string][2]string{
		"iso-8859-2":   {"r2FuZXRhIFfzamNpaw==", "\u017baneta W\u00f3jcik"},
		"koi8-r":       {"5c3FzNjRziD01dLewc7Jzs/X", "Емельян Турчанинов"},
		"Shift_JIS":    {"jlKWeyCXeo5x", "\u5c71\u672c \u967d\u5b50"},
		"iso-2022-jp":  {"GyRCOzNLXBsoQiAbJEJNWztSGyhC", "\u5c71\u672c \u967d\u5b50"},
		"gb18030":      {"zfXQocP3", "\u738b\u5c0f\u660e"},
		"windows-1254": {"3vxrcvwgWf1sZP16", "\u015e\u00fckr\u00fc Y\u0131ld\u0131z"},
		"euc-kr":       {"sei5zrz2", "\uae40\ubbfc\uc218"},
	} {
		msg := "From: =?" + charset + "?B?" + name[0] + "?= <a@b.example>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhello, " + name[1] + " here\r\n"
		if _, out := classifyText(t, c, "inbox", msg); strings.Contains(out, name[1]) || strings.Contains(out, name[0]) {
			t.Errorf("%s: the name is left in\n%s", charset, out)
		}
		body := "Content-Type: text/plain; charset=\"" + charset + "\"\r\nContent-Transfer-Encoding: base64\r\n\r\n"
		for _, head := range []string{"Subject: x\r\n", "From: " + name[1] + " <a@b.example>\r\n"} {
			if _, out := classifyText(t, c, "inbox", head+body+name[0]+"\r\n"); head[0] == 'F' && strings.Contains(out, name[0]) {
				t.Errorf("%s: the body is left as it is\n%s", charset, out)
			}
		}
	}
	quoted := "Content-Type: text/html; charset=windows-1250\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>=AFaneta W=F3jcik, jest na anna=40b.example&#46;</p>\r\n"
	if _, out := classifyText(t, c, "inbox", quoted); strings.Contains(out, "=AFaneta") || strings.Contains(out, "b.example") || !strings.Contains(out, "jest na") {
		t.Errorf("got %s", out)
	}
}

// Bodies and headers that stand in a mail in their own character set, without an encoding
// for the transport: only the name's bytes are replaced.
//
// SPEC: RED-3 RED-1
func TestMailRaw(t *testing.T) {
	c := compile(t, classify.Source{ID: "inbox", Ceiling: chunk.PII, Format: "mail"})
	raw := func(b64 string) string {
		b, err := base64.StdEncoding.DecodeString(b64)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for charset, name := range map[string]string{
		"iso-8859-1":   "Sm9z6SBNdfFveg==",
		"windows-1252": "Sm9z6SBNdfFveg==",
		"":             "Sm9z6SBNdfFveg==",
		"iso-8859-2":   "r2FuZXRhIFfzamNpaw==",
		"windows-1250": "r2FuZXRhIFfzamNpaw==",
		"windows-1254": "3vxrcvwgWf1sZP16",
		"koi8-r":       "5c3FzNjRziD01dLewc7Jzs/X",
		"Shift_JIS":    "jlKWeyCXeo5x",
		"gb18030":      "zfXQocP3",
		"euc-kr":       "sei5zrz2",
	} {
		who := raw(name)
		kind := "Content-Type: text/plain; charset=" + charset
		if charset == "" {
			kind = "Content-Type: text/plain"
		}
		msg := "From: " + who + " <a@b.example>\r\n" + kind + "\r\nContent-Transfer-Encoding: 8bit\r\n\r\nok, " + who + ", 4111 1111 1111 1111\r\nbye\r\n"
		_, out := classifyText(t, c, "inbox", msg)
		head, body, _ := strings.Cut(out, "\r\n\r\n")
		if strings.Contains(out, who) {
			t.Errorf("%s: the name is left in\n%q", charset, out)
		}
		if !strings.HasPrefix(body, "ok, {") || !strings.HasSuffix(body, "}, {CREDIT_CARD}\r\nbye\r\n") || !strings.Contains(head, kind) {
			t.Errorf("%s: more or less than the name is gone: %q", charset, out)
		}
	}
	// Shift states: written anew as a whole, and only then.
	jp := "\x1b$B;3K\\\x1b(B \x1b$BM[;R\x1b(B"
	msg := "From: a@b.example\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\nto " + jp + "\x1b$B$5$s\x1b(B and x@y.example\r\n"
	if _, out := classifyText(t, c, "inbox", msg); strings.Contains(out, "y.example") || !strings.Contains(out, "\r\n\r\nto ") {
		t.Errorf("got %q", out)
	}
	// What is declared cannot hide what stands there.
	for _, charset := range []string{"utf-16le", "utf-16", "iso-2022-kr", "x-unknown", "koi8-r", "gb18030"} {
		msg := "From: a@b.example\r\nContent-Type: text/plain; charset=" + charset + "\r\n\r\ncard 4111 1111 1111 1111 of x@y.example\r\n"
		if _, out := classifyText(t, c, "inbox", msg); strings.Contains(out, "4111") || strings.Contains(out, "y.example") {
			t.Errorf("%s: got %q", charset, out)
		}
	}
	// UTF-8 under another name.
	msg = "From: a@b.example\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\nDear Jos\u00e9 Mu\u00f1oz,\r\n"
	if _, out := classifyText(t, c, "inbox", msg); strings.Contains(out, "Jos") {
		t.Errorf("got %q", out)
	}
}

// SPEC: CLS-2
func TestExplain(t *testing.T) {
	c := compile(t, booking)
	got, res, err := c.Explain(classify.Input{Source: "booking-inquiry", StubKey: key(),
		Text: []byte(`{"booking":{"id":"1","arrival":"2026-01-02"},"message":"mail a@b.example","extra":{"a.b":[1]}}`)})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"booking.id": "kept 1", "booking.arrival": "kept 2026-01-02", "message": "searched mail {EMAIL_ADDRESS}", `extra.a\.b[]`: `replaced "{EXTRA_FIELD}"`,
	}
	if len(got) != len(want) || res.Class != chunk.PII {
		t.Fatalf("%d values, class %v", len(got), res.Class)
	}
	for _, e := range got {
		if s := e.Action + " " + string([]byte(e.Shown)); s != want[e.Path] {
			t.Errorf("%s: %s, want %s", e.Path, s, want[e.Path])
		}
	}
}

// A source can have more found of a type than others have, and of that type alone.
//
// SPEC: CLS-2 RED-3
func TestMinScores(t *testing.T) {
	text := "call 555 0134 882 or ask for mr deeds and Brisk at the counter"
	shown := func(scores map[string]float64) string {
		c := compile(t, classify.Source{ID: "s", Ceiling: chunk.PII, Format: "text", MinScores: scores})
		_, out := classifyText(t, c, "s", text)
		return out
	}
	plain := "call {PHONE_NUMBER} or ask for mr deeds and Brisk at the counter"
	for typ, want := range map[string]string{"": plain, "US_SSN": plain, "PERSON": strings.Replace(plain, "Brisk", "{PERSON}", 1)} {
		var scores map[string]float64
		if typ != "" {
			scores = map[string]float64{typ: 0.05}
		}
		if got := shown(scores); got != want {
			t.Errorf("%s lowered: %s, want %s", typ, got, want)
		}
	}
}

// SPEC: CLS-2 CLS-4
func TestCompileRefuses(t *testing.T) {
	ok := classify.Source{ID: "s", Ceiling: chunk.Restricted}
	with := func(f func(*classify.Source)) classify.Source { s := ok; f(&s); return s }
	field := func(f classify.Field) classify.Source {
		return with(func(s *classify.Source) { s.Fields = []classify.Field{f} })
	}
	ran := 0
	for name, s := range map[string]classify.Source{
		"id":                with(func(s *classify.Source) { s.ID = "S" }),
		"format":            with(func(s *classify.Source) { s.Format = "xls" }),
		"origin":            with(func(s *classify.Source) { s.Origin = chunk.AgentInstruction }),
		"injection_risk":    with(func(s *classify.Source) { s.Quarantine = 1.2 }),
		"suspect_threshold": with(func(s *classify.Source) { s.Suspect, s.Quarantine = 0.9, 0.8 }),
		"min_scores.PERSON": with(func(s *classify.Source) { s.MinScores = map[string]float64{"PERSON": 0.9} }),
		"min_scores.PHONE":  with(func(s *classify.Source) { s.MinScores = map[string]float64{"PHONE": 0.3} }),
		"retention":         with(func(s *classify.Source) { s.Retention = -1 }),
		"max_bytes":         with(func(s *classify.Source) { s.MaxBytes = -1 }),
		"run_by":            with(func(s *classify.Source) { s.RunBy = "a[]" }),
		"subject":           with(func(s *classify.Source) { s.Subject = "a." }),
		"signature.scheme":  with(func(s *classify.Source) { s.Signature = &classify.Signature{Scheme: "x"} }),
		"signature.secrets": with(func(s *classify.Source) { s.Signature = &classify.Signature{Scheme: "github"} }),
		"signature.secrets[0]": with(func(s *classify.Source) {
			s.Signature = &classify.Signature{Scheme: "github", Secrets: []string{"plain"}}
		}),
		"fields[0].path":      field(classify.Field{Path: "a..b", Class: chunk.Public}),
		"fields[0].class":     field(classify.Field{Path: "a", Class: chunk.PII}),
		"fields[0].stub":      field(classify.Field{Path: "a", Class: chunk.Public, Stub: "lower"}),
		"fields[0].stub_form": field(classify.Field{Path: "a", Class: chunk.Public, Form: "mask"}),
		"fields[0].type":      field(classify.Field{Path: "a", Class: chunk.Public, Type: "person"}),
		"fields[1].path": with(func(s *classify.Source) {
			s.Fields = []classify.Field{{Path: "a", Class: chunk.Public}, {Path: "a", Class: chunk.Public}}
		}),
	} {
		ran++
		_, err := classify.Compile([]classify.Source{s}, classify.Options{})
		se, is := err.(*classify.SourceError)
		if !is || se.Where != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := classify.Compile([]classify.Source{ok, ok}, classify.Options{}); err == nil {
		t.Error("a source declared twice was taken")
	}
	if _, err := classify.Compile([]classify.Source{ok}, classify.Options{}); err != nil || ran == 0 {
		t.Error(err, ran)
	}
}

// SPEC: CLS-2
func TestPathsAreSteps(t *testing.T) {
	c := compile(t, classify.Source{ID: "s", Ceiling: chunk.PII, Format: "json", RunBy: "run", Fields: []classify.Field{
		{Path: "meta.open", Class: chunk.Public}, {Path: "run", Class: chunk.Public}, {Path: "box", Class: chunk.Public}}})
	_, out := classifyText(t, c, "s", `{"run":"r","meta.open":"secret plans","meta":{"open":"fine","open.x":"no"},"box":{"more":"no"}}`)
	want := `{"run":"r","meta.open":"{FIELD}","meta":{"open":"fine","open.x":"{META_FIELD}"},"box":{"more":"{BOX_MORE}"}}`
	if out != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
	for text, code := range map[string]string{`{}`: classify.PathMissing, `{"run":"a","run":"b"}`: classify.PathAmbiguous} {
		_, err := c.Classify(classify.Input{Source: "s", Text: []byte(text)})
		if pe, ok := err.(*classify.PathError); !ok || pe.Code != code {
			t.Errorf("%s: %v, want %s", text, err, code)
		}
	}
}

// SPEC: RED-3
func TestSeesThroughEncodings(t *testing.T) {
	c := compile(t)
	b64 := base64.StdEncoding.EncodeToString
	for name, text := range map[string]string{
		"base64":        "data: " + b64([]byte("mail maria@example.org now")),
		"base64 twice":  "data: " + b64([]byte("x "+b64([]byte("card 4111111111111111 ok")))),
		"hex":           "data: 6d61726961406578616d706c652e6f7267",
		"percent":       "q=maria%40example.org",
		"full width":    "\uff54\uff45\uff4c\uff1a\uff0b\uff14\uff19 30 \uff19\uff10\uff11\uff18\uff12\uff10",
		"zero width":    "4111\u200b1111\u200b1111\u200b1111",
		"entity":        "maria&#64;example.org",
		"soft hyphen":   "ma\u00adria@exam\u00adple.org",
		"arabic digits": "card \u0664\u0661\u0661\u0661 \u0661\u0661\u0661\u0661 \u0661\u0661\u0661\u0661 \u0661\u0661\u0661\u0661",
	} {
		if got := c.Recognise([]byte(text)); len(got) != 1 || classify.ClassOf(got) != chunk.PII {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// SPEC: RED-3. JSON is taken as JSONTestSuite says it must be.
func TestJSONSuite(t *testing.T) {
	dir := os.Getenv("STOPLOG_TESTDATA")
	if dir == "" {
		t.Skip("STOPLOG_TESTDATA is not set: JSONTestSuite not run")
	}
	c := compile(t, classify.Source{ID: "s", Ceiling: chunk.Public, Format: "json"})
	ran := 0
	err := filepath.WalkDir(filepath.Join(dir, "suites", "jsontestsuite"), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".json") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, err = c.Classify(classify.Input{Source: "s", Text: data})
		switch name := e.Name(); {
		case strings.HasPrefix(name, "y_"):
			ran++
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case strings.HasPrefix(name, "n_"):
			ran++
			if err == nil {
				t.Errorf("%s was taken", name)
			}
		}
		return nil
	})
	if err != nil || ran < 200 {
		t.Errorf("%v; ran %d files", err, ran)
	}
}

// The invariants of redaction, over any text: spans in order and inside the text, JSON
// stays JSON, no value of a stub is left where it was taken out, and the result is the
// same again.
func FuzzClassify(f *testing.F) {
	for _, s := range []string{
		`{"a":"maria@example.org","b":[1,2,{"c":"\u0041 4111 1111 1111 1111"}]}`, `{"message":"call +49 30 901820, Maria","guest":{"first_name":"Maria"}}`,
		"\"\\ud83d\\ude00 a@b.example\"", `[4111111111111111,true,null,"x"]`, "From: a@b.example\r\n\r\nbody", "a=1&b=%41", "name,x\n\"a\",b", "<b>a</b>@b.example",
	} {
		f.Add([]byte(s))
	}
	var sources []classify.Source
	for _, format := range []string{"json", "text", "form", "csv", "html", "mail"} {
		for _, class := range []chunk.Class{chunk.Public, chunk.PII} {
			sources = append(sources, classify.Source{ID: format + "-" + class.String(), Ceiling: class, Format: format, Fields: []classify.Field{
				{Path: "message", Class: chunk.Public, Text: true}, {Path: "guest.first_name", Class: class, Type: "PERSON"}, {Path: "b[].c", Class: class, Text: true}}})
		}
	}
	c, err := classify.Compile(sources, classify.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		for _, s := range sources {
			in := classify.Input{Source: s.ID, Text: text, StubKey: key()}
			res, err := c.Classify(in)
			if !bytes.Equal(text, before) {
				t.Fatal("the text was changed")
			}
			if s.Format == "json" && (err == nil) != json.Valid(text) && json.Valid(text) && !strings.Contains(err.Error(), "bounds") && validUTF8(text) {
				t.Fatalf("JSON refused: %v", err)
			}
			if err != nil {
				continue
			}
			out := redacted(t, string(text), res.Redactions)
			if s.Format == "json" && !json.Valid([]byte(out)) {
				t.Fatalf("redacted JSON is none: %q", out)
			}
			for i := 1; i < len(res.Entities); i++ {
				if res.Entities[i].Start < res.Entities[i-1].End {
					t.Fatalf("entities overlap: %+v", res.Entities)
				}
			}
			again, err := c.Classify(in)
			if err != nil || redacted(t, string(text), again.Redactions) != out {
				t.Fatal("another result the second time")
			}
		}
	})
}

func validUTF8(b []byte) bool { return bytes.Equal(bytes.ToValidUTF8(b, nil), b) }

// SPEC: RED-1. An attachment nobody can read is not let through.
func TestMailAttachment(t *testing.T) {
	c := compile(t, classify.Source{ID: "inbox", Ceiling: chunk.PII, Format: "mail"})
	msg := "From: a@b.example\r\nContent-Type: multipart/mixed; boundary=b1\r\n\r\n--b1\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQK\r\nJVBERi0xLjQK\r\n--b1--\r\n"
	_, out := classifyText(t, c, "inbox", msg)
	if want := "\r\n\r\n{ATTACHMENT}\r\n--b1--\r\n"; !strings.HasSuffix(out, want) {
		t.Errorf("got %q", out)
	}
}

// SPEC: PRV-2 RED-3. Errors say where, never what; redacted text for a person to see keeps
// nothing of what was found.
func TestErrorsAndRedactHoldNoContent(t *testing.T) {
	const canary = "kanarienvogel-4711"
	c := compile(t, classify.Source{ID: "s", Ceiling: chunk.PII, Format: "json", RunBy: "run.id"})
	ran := 0
	for _, text := range []string{`{"` + canary, `{"run":"` + canary + `"}`, `{"run":{"id":"` + canary + `"},"run":{"id":"` + canary + `"}}`, canary, strings.Repeat("[", 1000) + canary} {
		_, err := c.Classify(classify.Input{Source: "s", Text: []byte(text), StubKey: key()})
		if err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%v", err)
		}
		ran++
	}
	if ran == 0 {
		t.Error("ran nothing")
	}
	text := []byte("mail maria@example.org or MARIA@example.org, card 4111 1111 1111 1111")
	if got := string(classify.Redact(text, c.Recognise(text))); got != "mail {EMAIL_ADDRESS} or {EMAIL_ADDRESS}, card {CREDIT_CARD}" {
		t.Errorf("got %q", got)
	}
}
