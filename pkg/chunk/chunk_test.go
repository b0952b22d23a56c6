package chunk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// SPEC: CLS-1
func TestZeroValuesFailClosed(t *testing.T) {
	var (
		c Class
		v Verdict
		o Origin
		b Band
		d Disposition
		r Trust
	)
	for _, ceiling := range append(Classes[:], Unclassified) {
		if !c.Exceeds(ceiling) {
			t.Errorf("an unclassified value passes the ceiling %v", ceiling)
		}
		if !Public.Exceeds(Unclassified) {
			t.Error("an unset ceiling lets public content pass")
		}
	}
	if v != Hold || o != TaskData || b != BandUnknown || d.Final() || r != UntrustedExternal {
		t.Errorf("zero values: %v %v %v %v %v", v, o, b, d, r)
	}
	for i, lower := range Classes {
		for j, higher := range Classes {
			if got, want := higher.Exceeds(lower), j > i; got != want {
				t.Errorf("%v exceeds %v: %v, want %v", higher, lower, got, want)
			}
			if got, want := lower.Max(higher), Classes[max(i, j)]; got != want {
				t.Errorf("max(%v, %v) = %v", lower, higher, got)
			}
		}
	}
	if Class(200).String() != "unclassified" || !Class(200).Exceeds(PII) {
		t.Error("a value outside the list must rank above pii")
	}
	order := []Verdict{Clean, Suspect, Hold, Quarantine}
	for i, a := range order {
		for j, b := range order {
			if got, want := a.Worse(b), order[max(i, j)]; got != want {
				t.Errorf("worse(%v, %v) = %v, want %v", a, b, got, want)
			}
		}
	}
}

// SPEC: PRV-2
func TestContentCannotPrintItself(t *testing.T) {
	const canary = "canary-7261"
	c := Content(canary)
	chunk := Chunk{Text: c, Redactions: []Redaction{{Stub: "{X}"}}}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewJSONHandler(&log, nil), slog.NewTextHandler(&log, nil)} {
		slog.New(h).Info("x", "content", c, "chunk", chunk, "pointer", &chunk, "slice", []Content{c}, "error", fmt.Errorf("%w: %v", ErrMalformed, c))
	}
	j, err := json.Marshal(map[string]any{"c": c, "chunk": chunk, "m": map[string]Content{"k": c}})
	if err != nil {
		t.Fatal(err)
	}
	outputs := []string{log.String(), string(j)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%c", "%t"} {
		outputs = append(outputs, fmt.Sprintf(verb, c), fmt.Sprintf(verb, chunk), fmt.Sprintf(verb, []Content{c}), fmt.Sprintf(verb, struct{ C Content }{c}))
	}
	for _, o := range outputs {
		for _, form := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%d", []byte(canary)), "Y2FuYXJ5"} {
			if strings.Contains(o, form) {
				t.Fatalf("content shows itself: %q", o)
			}
		}
		if o == "" {
			t.Fatal("empty output")
		}
	}
}

func TestIDsAreSeparatedAndValid(t *testing.T) {
	a, b := NewID("evt", "ab", "c"), NewID("evt", "a", "bc")
	if a == b || NewID("run", "ab", "c")[4:] == a[4:] {
		t.Error("parts or domains run together")
	}
	if !ValidID(string(a), "evt") || a.Prefix() != "evt" {
		t.Errorf("%s is not valid", a)
	}
	for _, bad := range []string{"", "evt_", string(a) + "x", strings.ToUpper(string(a)), "run" + string(a)[3:], "evt_" + strings.Repeat("1", 26)} {
		if ValidID(bad, "evt") {
			t.Errorf("%q passes", bad)
		}
	}
	if first, again := ChunkID(a, 1), ChunkID(a, 1); first == ChunkID(a, 2) || first != again {
		t.Error("chunk ids must follow from event and ordinal alone")
	}
	if KeyedID([]byte("k1"), "run", "x") == KeyedID([]byte("k2"), "run", "x") {
		t.Error("keyed ids must differ between keys")
	}
}

func attribution() Attribution {
	return Attribution{
		Tenant: "t", Source: "s", SourceURI: "stoplog://t/s", Trust: Organisation, Retrieved: time.Unix(1, 2).UTC(), Session: "x",
		Run: "run_a", Event: EventID("t", "s", "1"), Scope: "run_a", PolicyHash: "p", Traceparent: "tp",
	}
}

// SPEC: CLS-8
func TestSealSeesEveryChange(t *testing.T) {
	keys := IntegrityKeys{1: bytes.Repeat([]byte{1}, 32), 2: bytes.Repeat([]byte{2}, 32)}
	a := attribution()
	s, err := keys.Seal(a)
	if err != nil || s.Version != 2 {
		t.Fatalf("%v, version %d", err, s.Version)
	}
	if err := keys.Verify(a, s); err != nil {
		t.Fatal(err)
	}
	changes := []func(*Attribution){
		func(a *Attribution) { a.Tenant = "u" }, func(a *Attribution) { a.Source = "u" }, func(a *Attribution) { a.SourceURI = "u" },
		func(a *Attribution) { a.Origin = AgentInstruction }, func(a *Attribution) { a.Trust = Authenticated },
		func(a *Attribution) { a.Retrieved = a.Retrieved.Add(1) }, func(a *Attribution) { a.Session = "y" }, func(a *Attribution) { a.Session = "" },
		func(a *Attribution) { a.Run = "run_b" }, func(a *Attribution) { a.Event = "evt_b" }, func(a *Attribution) { a.Scope = "run_b" },
		func(a *Attribution) { a.Collection = true }, func(a *Attribution) { a.PolicyHash = "q" }, func(a *Attribution) { a.Traceparent = "" },
		func(a *Attribution) { a.Tenant, a.Source = "ts", "" },
	}
	for i, change := range changes {
		b := a
		change(&b)
		if keys.Verify(b, s) == nil {
			t.Errorf("change %d is not seen", i)
		}
	}
	for _, bad := range []Seal{{}, {Version: 2}, {Version: 1, Tag: s.Tag}, {Version: 3, Tag: s.Tag}} {
		if keys.Verify(a, bad) == nil {
			t.Errorf("seal %+v passes", bad)
		}
	}
	if _, err := (IntegrityKeys{}).Seal(a); err == nil {
		t.Error("sealing without a key passes")
	}
}

func document(text string, redactions ...Redaction) Document {
	a := attribution()
	return Document{Attribution: a, Seal: Seal{1, []byte{1}}, MediaType: "text/plain", Evidence: "ev://0", Class: PII, Chunks: Cut(a.Event, Content(text), redactions, PII, 64)}
}

func TestWireRoundTripAndStrictness(t *testing.T) {
	d := document("a\x00\u2028<b> & \xff\xfe not utf-8 "+strings.Repeat("word and word. ", 40), Redaction{Span: Span{2, 9}, Type: "PERSON", Class: PII, Stub: "{P}"})
	b, err := Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(d, got) {
		t.Error("a document does not survive its wire form")
	}
	d2 := got
	d2.Chunks = append([]Chunk{}, got.Chunks[1:]...) // chunks that were held are missing
	b2, _ := Encode(d2)
	if _, err := Decode(b2); err != nil {
		t.Errorf("a document without its first chunk: %v", err)
	}
	for name, bad := range map[string]string{
		"unknown member":  strings.Replace(string(b), `{"v":1,`, `{"v":1,"x":1,`, 1),
		"version":         strings.Replace(string(b), `{"v":1,`, `{"v":2,`, 1),
		"trailing":        string(b) + "{}",
		"foreign id":      strings.Replace(string(b), string(d.Chunks[0].ID), string(d.Chunks[1].ID), 1),
		"span outside":    strings.Replace(string(b), `"end":9`, `"end":9999`, 1),
		"span backwards":  strings.Replace(string(b), `"start":2`, `"start":20`, 1),
		"unknown class":   strings.Replace(string(b), `"class":"pii"`, `"class":"top"`, 1),
		"empty":           "",
		"no chunks":       `{"v":1}`,
		"truncated":       string(b[:len(b)/2]),
		"unknown verdict": strings.Replace(string(b), `"chunks":`, `"verdicts":[{"verdict":"fine"}],"chunks":`, 1),
	} {
		if _, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	b, _ := Encode(document("hello there. general text"))
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := Decode(b)
		if err != nil {
			return
		}
		for _, c := range d.Chunks {
			c.Redacted()
		}
		again, err := Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		if d2, err := Decode(again); err != nil || !cmp.Equal(d, d2) {
			t.Fatal("decoded document does not round-trip")
		}
	})
}

// Whatever the text, chunks join to the text again, keep their bound, and no cut
// splits a rune or a redaction.
func FuzzCut(f *testing.F) {
	f.Add("one two. three\n\nfour e\u0301\u200d\U0001F468\u200d\U0001F469 five", 3, 9, 8)
	f.Add(strings.Repeat("x", 300), 60, 200, 64)
	f.Add("", 0, 0, 4)
	f.Fuzz(func(t *testing.T, text string, from, to, size int) {
		edge := func(i int) bool { return i == len(text) || utf8.RuneStart(text[i]) } // classifiers redact whole runes
		if from < 0 || to <= from || to > len(text) || !edge(from) || !edge(to) || size > 1<<16 {
			from, to = 0, 0
		}
		var rs []Redaction
		if to > from {
			rs = []Redaction{{Span: Span{from, to}, Stub: "{S}"}}
		}
		if size < utf8.UTFMax {
			size = DefaultChunkBytes
		}
		cs := Cut("evt_x", Content(text), rs, PII, size)
		var joined, redacted []byte
		kept := 0
		for i, c := range cs {
			if c.Ordinal != i || c.Start != len(joined) || (len(c.Text) == 0 && text != "") {
				t.Fatalf("chunk %d: ordinal %d, start %d, %d bytes", i, c.Ordinal, c.Start, len(c.Text))
			}
			if len(c.Text) > size && (len(c.Redactions) == 0 || c.Redactions[0].Span != (Span{0, len(c.Text)})) {
				t.Fatalf("chunk %d is %d bytes, bound %d", i, len(c.Text), size)
			}
			if i > 0 && utf8.ValidString(text) && !utf8.RuneStart(c.Text[0]) {
				t.Fatalf("chunk %d begins inside a rune", i)
			}
			for _, r := range c.Redactions {
				if r.Start < 0 || r.End > len(c.Text) {
					t.Fatalf("redaction %v outside chunk of %d", r.Span, len(c.Text))
				}
				kept++
			}
			joined = append(joined, c.Text...)
			redacted = append(redacted, c.Redacted()...)
		}
		if string(joined) != text || kept != len(rs) {
			t.Fatal("text or redactions lost")
		}
		want := text
		if len(rs) > 0 {
			want = text[:from] + "{S}" + text[to:]
		}
		if string(redacted) != want {
			t.Fatal("redacting chunks differs from redacting the whole")
		}
	})
}
