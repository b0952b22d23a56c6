package provenance

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stoplog/stoplog/pkg/chunk"
)

var update = flag.Bool("update", false, "write testdata again")

// sample fills a value with something other than zero in every field, so that a
// member that is lost on the way shows.
func sample(v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case chunk.ID:
		v.SetString(string(chunk.NewID("chk", "sample")))
		return
	case chunk.FailureID:
		v.SetString(string(chunk.FailPromptInjection))
		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 11, 21, 12, 0, *n%60, 0, time.UTC)))
		return
	case chunk.Class:
		v.Set(reflect.ValueOf(chunk.PII))
		return
	case chunk.Origin:
		v.Set(reflect.ValueOf(chunk.OperatorInput))
		return
	case chunk.Trust:
		v.Set(reflect.ValueOf(chunk.Organisation))
		return
	case chunk.Band:
		v.Set(reflect.ValueOf(chunk.BandHigh))
		return
	case chunk.Disposition:
		v.Set(reflect.ValueOf(chunk.Cleared))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("label-<&>")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Slice:
		v.Set(reflect.ValueOf([]string{"b", "a"}))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]int{"PERSON": 2, "EMAIL_ADDRESS": 1}))
	case reflect.Struct:
		for i := range v.NumField() {
			sample(v.Field(i), n)
		}
	default:
		panic("no sample for " + v.Type().String())
	}
}

// sampleRecord gives a valid record of a kind with every member set.
func sampleRecord(t testing.TB, k Kind) Record {
	t.Helper()
	p := payloads[k]()
	n := 0
	sample(reflect.ValueOf(p).Elem(), &n)
	run := chunk.NewID("run", "sample")
	switch p := p.(type) {
	case *InjectionHit:
		p.Disposition = "quarantine"
	case *ChunkEnded:
		p.Disposition = map[Kind]chunk.Disposition{KindCleared: chunk.Cleared, KindReleased: chunk.Released, KindRejected: chunk.Rejected}[k]
	case *RunChanged:
		p.RunID = run
	case *RunClass:
		p.RunID = run
	}
	raw, err := EncodePayload(p)
	if err != nil {
		t.Fatalf("%s: %v", k, err)
	}
	subject := chunk.NewID("chk", "sample")
	return Record{
		ID: RecordID(k, subject), Schema: SchemaVersion, Time: time.Date(2026, 11, 21, 9, 8, 7, 654321000, time.UTC), Kind: k, Tenant: "default",
		Run: run, Subject: subject, Actor: "stage:detector", Policy: "sha256:00", Failure: chunk.FailPromptInjection,
		Evidence: "ev://00112233445566778899aabbccddeeff", Payload: raw,
	}
}

// Canonical bytes are hashed and kept for years: a change of one byte is a new
// schema version. SPEC: PRV-1
func TestCanonicalBytesAreFixed(t *testing.T) {
	if len(Kinds) != len(payloads) {
		t.Fatalf("%d kinds, %d payloads", len(Kinds), len(payloads))
	}
	for _, k := range Kinds {
		e, err := Encode(sampleRecord(t, k))
		if err != nil {
			t.Fatalf("%s: %v", k, err)
		}
		file := filepath.Join("testdata", "canonical", string(k)+".json")
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, append(e.Canon, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := append(bytes.Clone(e.Canon), '\n'); !bytes.Equal(got, want) {
			t.Errorf("%s: canonical bytes changed\n got %s\nwant %s", k, got, want)
		}
		again, err := Decode(e.Canon)
		if err != nil {
			t.Fatalf("%s: %v", k, err)
		}
		if d := cmp.Diff(e, again); d != "" {
			t.Errorf("%s: %s", k, d)
		}
	}
}

// The kinds of the contract have exactly its fields. SPEC: PRV-3, PRV-4, PRV-5, PRV-6, PRV-7
func TestContractFields(t *testing.T) {
	want := map[Kind][]string{
		KindContextAssembly: {"run_id", "data_class", "source_id", "redaction_applied", "chunk_hash"},
		KindToolArgument:    {"run_id", "tool_id", "data_class", "argument_field_names", "authorized_sink_verified"},
		KindInjectionHit:    {"run_id", "chunk_id", "injection_pattern_matched", "disposition", "confidence_score"},
		KindEgressBlock:     {"run_id", "data_class", "destination", "blocking_rule", "failure_id"},
		KindOutputDelivery:  {"run_id", "output_class", "recipient_role", "redaction_applied"},
	}
	for k, names := range want {
		e, err := Encode(sampleRecord(t, k))
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(e.Record.Payload))
		var got []string
		if _, err := d.Token(); err != nil {
			t.Fatal(err)
		}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, key.(string))
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(names, got); diff != "" {
			t.Errorf("%s: %s", k, diff)
		}
	}
}

// However a caller encodes a payload, the canonical bytes are the same.
func TestEncodeNormalises(t *testing.T) {
	r := sampleRecord(t, KindGateDecided)
	want, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, r.Payload, " ", "\t"); err != nil {
		t.Fatal(err)
	}
	escaped, err := json.Marshal(want.Payload) // with HTML escapes
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][]byte{indented.Bytes(), escaped} {
		r.Payload = p
		r.Schema = 0
		r.Time = want.Record.Time.In(time.FixedZone("x", 3600)).Add(999 * time.Nanosecond)
		got, err := Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Canon, want.Canon) {
			t.Errorf("got %s\nwant %s", got.Canon, want.Canon)
		}
	}
}

// One record has one form, and nothing unknown stands in it. SPEC: PRV-1, PRV-2
func TestDecodeIsStrict(t *testing.T) {
	e, err := Encode(sampleRecord(t, KindAccepted))
	if err != nil {
		t.Fatal(err)
	}
	canon := string(e.Canon)
	edit := func(old, new string) string {
		s := strings.Replace(canon, old, new, 1)
		if s == canon {
			t.Fatalf("nothing replaced: %s", old)
		}
		return s
	}
	for name, bad := range map[string]string{
		"empty":                  "",
		"not an object":          "[]",
		"white space":            edit(`,"kind"`, `, "kind"`),
		"trailing line":          canon + "\n",
		"second value":           canon + "{}",
		"unknown member":         edit(`{"id"`, `{"text":"hello","id"`),
		"unknown payload member": edit(`"payload":{`, `"payload":{"text":"hello",`),
		"repeated member":        edit(`{"id"`, `{"schema":1,"id"`),
		"other case":             edit(`"tenant"`, `"Tenant"`),
		"reordered":              edit(`"schema":1,`, "") + "",
		"schema 2":               edit(`"schema":1`, `"schema":2`),
		"unknown kind":           edit(`"kind":"accepted"`, `"kind":"admitted"`),
		"payload of another":     edit(`"kind":"accepted"`, `"kind":"scanned"`),
		"unknown failure":        edit(`"failure":"prompt-injection-detected"`, `"failure":"because I say so"`),
		"record id":              edit(`"id":"rec_`, `"id":"rex_`),
		"run id":                 edit(`"run":"run_`, `"run":"guest@example.org_`),
		"payload id":             edit(`"event_id":"chk_`, `"event_id":"chk-`),
		"local time":             edit(`09:08:07.654321Z`, `10:08:07.654321+01:00`),
		"nanoseconds":            edit(`.654321Z`, `.654321999Z`),
		"evidence":               edit(`ev://0011`, `https://0011`),
		"tenant":                 edit(`"tenant":"default"`, `"tenant":""`),
		"control in a label":     edit(`"actor":"stage:detector"`, `"actor":"stage\u001b:detector"`),
		"long label":             edit(`"actor":"stage:detector"`, `"actor":"`+strings.Repeat("a", maxLabel+1)+`"`),
		"null payload":           edit(string(e.Record.Payload), "null"),
		"number form":            edit(`"size_bytes":`, `"size_bytes":0.0e`),
		"not UTF-8":              edit(`label-`, "label\xff"),
		"too many chunks":        edit(`"chunk_count":`, `"chunk_count":99999999`),
	} {
		_, err := Decode([]byte(bad))
		if !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), "hello") || strings.Contains(err.Error(), "because") {
			t.Errorf("%s: the error carries a value: %v", name, err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for name, f := range map[string]func(*Record){
		"no time":           func(r *Record) { r.Time = time.Time{} },
		"no actor":          func(r *Record) { r.Actor = "" },
		"no payload":        func(r *Record) { r.Payload = nil },
		"unknown payload":   func(r *Record) { r.Payload = json.RawMessage(`{"body":"raw text"}`) },
		"free-form subject": func(r *Record) { r.Subject = "Jane Doe" },
		"too long": func(r *Record) {
			r.Payload = json.RawMessage(`{"source_id":"` + strings.Repeat("x", MaxCanonical) + `"}`)
		},
		"cleared, but rejected": func(r *Record) { *r = sampleRecord(t, KindCleared); r.Kind = KindReleased },
		"run of another":        func(r *Record) { *r = sampleRecord(t, KindRunHalted); r.Run = chunk.NewID("run", "other") },
	} {
		r := sampleRecord(t, KindBlocked)
		f(&r)
		if _, err := Encode(r); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := EncodePayload(struct{}{}); !errors.Is(err, ErrMalformed) {
		t.Errorf("a payload that is none: %v", err)
	}
}

func TestOnce(t *testing.T) {
	seen := map[string][]Kind{}
	for _, k := range Kinds {
		e, err := Encode(sampleRecord(t, k))
		if err != nil {
			t.Fatal(err)
		}
		if o := Once(e); o != "" {
			verb, _, _ := strings.Cut(o, " ")
			seen[verb] = append(seen[verb], k)
		}
	}
	want := map[string][]Kind{
		"scan":   {KindScanned, KindInjectionHit},
		"end":    {KindCleared, KindReleased, KindRejected},
		"decide": {KindGateDecided},
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Error(d)
	}
}

func FuzzDecode(f *testing.F) {
	for _, k := range Kinds {
		e, err := Encode(sampleRecord(f, k))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(e.Canon)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Decode(b)
		if err != nil {
			return
		}
		// What is accepted is canonical: it encodes to itself.
		again, err := Encode(e.Record)
		if err != nil || !bytes.Equal(again.Canon, b) {
			t.Fatalf("accepted, and not canonical: %q (%v)", b, err)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	r := sampleRecord(b, KindScanned)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Encode(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	e, err := Encode(sampleRecord(b, KindScanned))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(e.Canon); err != nil {
			b.Fatal(err)
		}
	}
}

// The page that describes the ledger names each kind and no other.
func TestDocumentedKinds(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "ledger.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(page), "\nKinds: ")
	list, _, more := strings.Cut(list, ". The payload")
	if !ok || !more {
		t.Fatal("docs/ledger.md has no list of kinds")
	}
	var got []Kind
	for _, w := range strings.Fields(list) {
		got = append(got, Kind(strings.Trim(w, "`")))
	}
	if d := cmp.Diff(Kinds, got); d != "" {
		t.Error(d)
	}
}
