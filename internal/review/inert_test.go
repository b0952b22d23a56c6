package review

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// SPEC: QUA-5
func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"plain\ttext\n":            "plain\ttext\n",
		"caf\u00e9 e\u0301 \u4e2d": "caf\u00e9 e\u0301 \u4e2d",
		"a\x1b[31mb":               "a\u27e6U+001B\u27e7[31mb",
		"a\rb":                     "a\u27e6U+000D\u27e7b",
		"a\u202eb\u2066":           "a\u27e6U+202E\u27e7b\u27e6U+2066\u27e7",
		"a\u200bb\ufeff":           "a\u27e6U+200B\u27e7b\u27e6U+FEFF\u27e7",
		"a\xffb":                   "a\u27e60xFF\u27e7b",
		"a\u00a0b":                 "a\u27e6U+00A0\u27e7b",
		"\U000e0041":               "\u27e6U+E0041\u27e7",
		"e\u0301\u0301\u0301":      "e\u0301\u0301\u27e6U+0301\u27e7",
		"a\ufe0f":                  "a\u27e6U+FE0F\u27e7",
		"\u2028":                   "\u27e6U+2028\u27e7",
		"\ue000":                   "\u27e6U+E000\u27e7",
		"\u0085":                   "\u27e6U+0085\u27e7",
		"\x00":                     "\u27e6U+0000\u27e7",
		"\ufffd":                   "\ufffd",
	} {
		if got := Inert(in); got != want {
			t.Errorf("%+q: got %+q, want %+q", in, got, want)
		}
	}
}

// FuzzInert: nothing comes out that moves, hides or turns anything, and a second
// time changes nothing.
func FuzzInert(f *testing.F) {
	for _, s := range []string{"", "\x1b]0;x\x07", "\u202e\u2066", "a\u0301\u0301\u0301\u0301", "\xc3\x28", "\U000e0001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Inert(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%+q is no UTF-8", got)
		}
		for _, r := range got {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) && r != '\n' && r != '\t' {
				t.Fatalf("%+q lets %U through", got, r)
			}
		}
		if Inert(got) != got {
			t.Fatalf("%+q changes again", got)
		}
	})
}

// The Big List of Naughty Strings, where it is at hand.
func TestInertNaughtyStrings(t *testing.T) {
	root := os.Getenv("STOPLOG_TESTDATA")
	if root == "" {
		t.Skip("STOPLOG_TESTDATA is not set: the list of naughty strings did not run")
	}
	var path string
	_ = filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "blns.json" {
			path = p
		}
		return nil
	})
	b, err := os.ReadFile(path)
	if err != nil {
		t.Skip("blns.json is not there: the list of naughty strings did not run")
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil || len(list) < 400 {
		t.Fatalf("%d strings, %v", len(list), err)
	}
	for _, s := range list {
		got := Inert(s)
		if strings.ContainsAny(got, "\x1b\x00\x07\x08\r") || Inert(got) != got {
			t.Errorf("%+q: %+q", s, got)
		}
	}
}
