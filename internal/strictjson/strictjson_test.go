package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func code(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestCheck(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	keys := func(n int, last string) string {
		var b strings.Builder
		b.WriteByte('{')
		for i := 0; i < n; i++ {
			fmt.Fprintf(&b, `"k%d":0,`, i)
		}
		return b.String() + last + ":0}"
	}
	for _, c := range []struct {
		name, in string
		limits   Limits
		want     Code
		offset   int
	}{
		{"object", `{"a":1,"b":[true,false,null,-0.5e+3,"x"]}`, Limits{}, "", 0},
		{"scalar", ` "x" `, Limits{}, "", 0},
		{"empty", ``, Limits{}, Syntax, 0},
		{"trailing", `{} {}`, Limits{}, Syntax, 3},
		{"trailing nul", "{}\x00", Limits{}, Syntax, 2},
		{"bom", "\ufeff{}", Limits{}, Syntax, 0},
		{"bad byte as value", "[\xff]", Limits{}, UTF8, 1},
		{"bad byte in string", "[\"a\xffb\"]", Limits{}, UTF8, 3},
		{"bad byte in key", "{\"\xc3\x28\":1}", Limits{}, UTF8, 2},
		{"surrogate half as bytes", "[\"\xed\xa0\x80\"]", Limits{}, UTF8, 2},
		{"overlong", "[\"\xc0\xaf\"]", Limits{}, UTF8, 2},
		{"control in string", "[\"\n\"]", Limits{}, Syntax, 2},
		{"duplicate", `{"a":1,"b":2,"a":3}`, Limits{}, Duplicate, 13},
		{"duplicate after unescaping", `{"role":1,"r\u006fle":2}`, Limits{}, Duplicate, 10},
		{"duplicate by pair and raw", `{"😀":1,"\ud83d\ude00":2}`, Limits{}, Duplicate, 10},
		{"duplicate lone surrogates", `{"\ud800":1,"\udbff":2}`, Limits{}, Duplicate, 12},
		{"duplicate nested", `[{"x":{"a":1,"a":1}}]`, Limits{}, Duplicate, 13},
		{"same key in siblings", `[{"a":1},{"a":{"a":1}}]`, Limits{}, "", 0},
		{"case apart", `{"role":1,"ROLE":2}`, Limits{}, "", 0},
		{"case folded", `{"role":1,"ROLE":2}`, Limits{FoldKeys: true}, Duplicate, 10},
		{"kelvin folded", "{\"k\":1,\"\u212a\":2}", Limits{FoldKeys: true}, Duplicate, 7},
		{"long s folded", "{\"s\":1,\"\u017f\":2}", Limits{FoldKeys: true}, Duplicate, 7},
		{"many keys", keys(100, `"z"`), Limits{}, "", 0},
		{"8th duplicate", keys(8, `"k3"`), Limits{}, Duplicate, 57},
		{"7th duplicate", keys(7, `"k3"`), Limits{}, Duplicate, 50},
		{"9th duplicate", keys(9, `"k8"`), Limits{}, Duplicate, 64},
		{"many duplicate", keys(100, `"k57"`), Limits{}, Duplicate, len(keys(100, "")) - 3},
		{"depth at bound", deep(64), Limits{}, "", 0},
		{"depth over bound", deep(65), Limits{}, TooDeep, 64},
		{"own depth", `{"a":[1]}`, Limits{MaxDepth: 1}, TooDeep, 5},
		{"unclosed deep", strings.Repeat("[", 1<<20), Limits{}, TooDeep, 64},
		{"size at bound", `[1]`, Limits{MaxBytes: 3}, "", 0},
		{"size over bound", `[12]`, Limits{MaxBytes: 3}, TooLarge, 3},
		{"leading zero", `[01]`, Limits{}, Syntax, 2},
		{"plus", `[+1]`, Limits{}, Syntax, 1},
		{"no fraction", `[1.]`, Limits{}, Syntax, 3},
		{"NaN", `[NaN]`, Limits{}, Syntax, 1},
		{"single quotes", `{'a':1}`, Limits{}, Syntax, 1},
		{"trailing comma", `[1,]`, Limits{}, Syntax, 3},
		{"bad escape", `["\x41"]`, Limits{}, Syntax, 3},
		{"escape of nul", "[\"\\\x00\"]", Limits{}, Syntax, 3},
		{"short hex", `["\u12"]`, Limits{}, Syntax, 6},
		{"high then bad", `["\ud800\u12"]`, Limits{}, Syntax, 12},
		{"lone surrogate value", `["\ud800"]`, Limits{}, "", 0},
		{"unterminated", `["abc`, Limits{}, Syntax, 5},
		{"comment", `[1]//x`, Limits{}, Syntax, 3},
		{"half a word", `tru`, Limits{}, Syntax, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Check([]byte(c.in), c.limits)
			if code(err) != c.want {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			var e *Error
			if errors.As(err, &e) && e.Offset != c.offset {
				t.Errorf("offset %d, want %d", e.Offset, c.offset)
			}
		})
	}
}

func TestDecode(t *testing.T) {
	type target struct {
		A int            `json:"a"`
		M map[string]any `json:"m"`
	}
	for _, c := range []struct {
		in   string
		want Code
	}{
		{`{"a":1,"m":{"big":12345678901234567890}}`, ""},
		{`{"a":1,"A":2}`, Duplicate},
		{`{"a":1,"canary-4711":2}`, Unknown},
		{`{"a":"canary-4711"}`, WrongType},
		{`{"a":1}{"a":2}`, Syntax},
	} {
		var v target
		err := Decode([]byte(c.in), &v, Limits{})
		if code(err) != c.want {
			t.Errorf("%s: got %v, want %q", c.in, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("error quotes the text: %v", err)
		}
		if err == nil && v.M["big"].(json.Number).String() != "12345678901234567890" {
			t.Errorf("number changed: %v", v.M)
		}
	}
}

func TestLookup(t *testing.T) {
	text := []byte(` {"skip":{"id":"wrong","x":[{"id":1}]},"a.b":"dotted","booking":{"n":12.50,"id":"b\u002d7","ok":true,"none":null,"list":["x"],"o":{}},"z":"last"} `)
	if err := Check(text, Limits{}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"booking.id": "b-7", "booking.n": "12.50", "booking.ok": "true", `a\.b`: "dotted", "z": "last", "skip.id": "wrong",
		"booking.none": "", "booking.list": "", "booking.o": "", "booking": "", "nothing": "", "booking.id.more": "", "a.b": "", "id": "", "": "",
	} {
		got, ok := Lookup(text, path)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v", path, got, ok)
		}
	}
	if _, ok := Lookup([]byte(`["x"]`), "a"); ok {
		t.Error("found a key in an array")
	}
	for path, ok := range map[string]bool{"a.b": true, `a\.b`: true, "a[].b": false, "a.*": false, "": false, "a..b": false} {
		if (PlainPath(path) == nil) != ok {
			t.Errorf("PlainPath(%q)", path)
		}
	}
}

// refusedBySpec are texts that the suite calls valid and that this reader refuses
// on purpose.
var refusedBySpec = map[string]Code{
	"y_object_duplicated_key.json":           Duplicate, // two readers may take different values
	"y_object_duplicated_key_and_value.json": Duplicate,
}

func TestJSONTestSuite(t *testing.T) {
	root := os.Getenv("STOPLOG_TESTDATA")
	if root == "" {
		t.Skip("not run: JSONTestSuite (set STOPLOG_TESTDATA)")
	}
	files, err := filepath.Glob(filepath.Join(root, "suites", "jsontestsuite", "test_parsing", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	ran := map[byte]int{}
	accepted := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(f)
		err = Check(text, Limits{})
		ran[name[0]]++
		switch want, special := refusedBySpec[name]; {
		case special:
			if code(err) != want {
				t.Errorf("%s: got %v, want %q", name, err, want)
			}
		case name[0] == 'y' && err != nil:
			t.Errorf("%s must parse: %v", name, err)
		case name[0] == 'n' && err == nil:
			t.Errorf("%s must not parse", name)
		case name[0] == 'i' && err == nil:
			accepted++
			if !json.Valid(text) {
				t.Errorf("%s: accepted here and not by encoding/json", name)
			}
		}
	}
	if ran['y'] < 90 || ran['n'] < 180 || ran['i'] < 30 {
		t.Fatalf("too few cases ran: y %d n %d i %d", ran['y'], ran['n'], ran['i'])
	}
	t.Logf("y_ %d (of them %d refused by SPEC), n_ %d, i_ %d (accepted %d)", ran['y'], len(refusedBySpec), ran['n'], ran['i'], accepted)
}

// FuzzCheck: what Check accepts is valid for encoding/json, and re-encoding loses
// nothing that a duplicate key would have hidden.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":"\u00e9"}]}`, `{"a":1,"a":2}`, `"\ud800"`, `-0.0e-1`, `[[[]]]`, "{\"\xff\":1}", `{"K":1,"k":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		err := Check(in, Limits{})
		if err == nil && !json.Valid(in) {
			t.Fatal("accepted what encoding/json refuses")
		}
		if c := code(err); (c == Syntax) && json.Valid(in) {
			t.Fatal("refused the grammar of what encoding/json accepts")
		}
		var e *Error
		if errors.As(err, &e) && (e.Offset < 0 || e.Offset > len(in)) {
			t.Fatalf("offset %d of %d", e.Offset, len(in))
		}
		if err != nil {
			return
		}
		if got, want := members(in), reencoded(t, in); got != want {
			t.Fatalf("%d members, %d after decoding", got, want)
		}
		for _, p := range []string{"a", "a.b", "K"} {
			Lookup(in, p)
		}
	})
}

// members counts the keys in a text by tokens; reencoded counts them after they went
// through maps, where a duplicate would be lost.
func members(in []byte) int {
	n := 0
	d := json.NewDecoder(bytes.NewReader(in))
	for {
		tok, err := d.Token()
		if err != nil {
			return n
		}
		if tok == json.Delim('{') {
			n++
		}
		if _, ok := tok.(string); ok {
			n++
		}
	}
}

func reencoded(t *testing.T, in []byte) int {
	var v any
	d := json.NewDecoder(bytes.NewReader(in))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return members(b)
}

func TestErrorTextIsStable(t *testing.T) {
	got := (&Error{Code: Duplicate, Offset: 13}).Error()
	if diff := cmp.Diff("strictjson: json-duplicate-key at byte 13", got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkCheck(b *testing.B) {
	var text bytes.Buffer
	text.WriteByte('[')
	for i := 0; i < 200; i++ {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"id":"b-%d","guest":{"first_name":"A","email":"a@example.org"},"message":"A longer free text, with a caf\u00e9 in it.","nights":%d}`, i, i)
	}
	text.WriteByte(']')
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if err := Check(text.Bytes(), Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
