package view

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// undone fails unless a view of that name says "water" and points into text[from:to], to at
// most that many bytes.
func undone(t *testing.T, name, text string, from, to, most int) {
	t.Helper()
	d := Decoder{words: testWords}
	views, _ := d.Decode([]byte(text), d.Probe([]byte(text), 0), 1<<20)
	found := false
	for _, v := range views {
		at := strings.Index(string(v.Text), "water")
		if v.Name != name || at < 0 {
			continue
		}
		found = true
		if a, b := v.Span(at, at+5); a < from || b > to || a >= b || b-a > most {
			t.Errorf("%s: stands for [%d,%d)", name, a, b)
		}
	}
	if !found {
		t.Errorf("%s is not undone: %q", name, text)
	}
}

// SPEC: DET-2
//
// Letters as calls and names of characters, and symbols in groups, point to what they were
// written as.
func TestCallsAndGroups(t *testing.T) {
	const p = "Please water the plants in the corridor and write the date on the card."
	each := func(format, between string) string {
		var s []string
		for i := range len(p) {
			s = append(s, fmt.Sprintf(format, p[i]))
		}
		return strings.Join(s, between)
	}
	groups := func(s string, n int) string {
		var b []string
		for c := range slices.Chunk([]byte(s), n) {
			b = append(b, string(c))
		}
		return strings.Join(b, " ")
	}
	for _, c := range []struct{ view, in string }{
		{"characters", each("chr(%d)", "+")}, {"characters", each("CHR(%d)", " || ")}, {"characters", each("char(%d)", ", ")}, {"characters", each("U+%04X", " ")},
		{"groups", groups(base64.StdEncoding.EncodeToString([]byte(p)), 4)}, {"groups", groups(base64.StdEncoding.EncodeToString([]byte(p)), 5)},
		{"groups", groups(hex.EncodeToString([]byte(p)), 8)},
	} {
		text := "See this:\n" + c.in + "\nIt is short."
		undone(t, c.view, text, 10, 10+len(c.in), 80)
	}
	for _, s := range []string{"for(1) char(20) varchar(255) NOT NULL, name varchar(40) DEFAULT NULL, u+1, chr(9)", "they went from here with some more that were held back till then when last seen"} {
		d := Decoder{words: testWords}
		views, _ := d.Decode([]byte(s), WantCodes|WantRuns, 1<<20)
		for _, v := range views {
			t.Errorf("%q is read as %s", s, v.Name)
		}
	}
}
