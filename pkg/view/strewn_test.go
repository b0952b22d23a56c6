package view

import (
	"strings"
	"testing"
)

// SPEC: DET-2
//
// Escapes that few programs write, and elements that nobody sees inside words, are undone,
// and point to where they stood.
func TestRareEscapes(t *testing.T) {
	for _, c := range []struct{ view, in string }{
		{"percent", "%u0077%u0061%u0074%u0065%u0072"}, {"unicode-escape", `\000077\000061\000074\000065\000072`}, {"unicode-escape", `\000077 \000061 \000074 \000065 \000072`},
		{"unicode-escape", `\u119?\u97?\u116?\u101?\u114?`}, {"markup", "wa<script>let a = 1</script>ter"}, {"markup", `w<span style="display:none">zq</span>ater`},
		{"markup", "wa<style>b{}</style>t<i>er</i>"},
	} {
		undone(t, c.view, "Please "+c.in+" it now.", 7, 7+len(c.in), len(c.in))
		undone(t, c.view, "Please "+c.in, 7, 7+len(c.in), len(c.in))
	}
	for _, s := range []string{"%user %u12 %undo", `C:\users\extra \enum \000 \u1`, `what\u12`, "<p>Water</p><script>let a = 1</script><p>plants</p>", "one <style>b{}</style> two", "a<script"} {
		d := Decoder{words: testWords}
		views, _ := d.Decode([]byte(s), WantEscapes|WantMarkup, 1<<20)
		for _, v := range views {
			if v.Name != "escape" { // a zero is one
				t.Errorf("%q is read as %s: %q", s, v.Name, v.Text)
			}
		}
	}
}

// SPEC: DET-2
//
// What colours a terminal's text is no part of its words; what only begins alike stays.
func TestColours(t *testing.T) {
	for in, want := range map[string]string{
		"ig\x1b[1mno\x1b[0mre": "ignore", "\x1b[38;5;196mred\x1b[m": "red", "a\x1b[Kb": "ab", "\x1b[ignore": "[ignore", "\x1b": "", "\x1b[": "[", "\x1b[31": "[31",
		"\x1b[" + strings.Repeat("1", 40) + "m": "[" + strings.Repeat("1", 40) + "m", "\u00e9\x1b[1mt\x1b[0m\u00e9": "ete",
	} {
		var v View
		if c := Fold(&v, []byte(in)); string(v.Text) != want || c&Invisible == 0 {
			t.Errorf("%q is folded to %q, want %q", in, v.Text, want)
		}
	}
	for _, esc := range []string{`\x1b`, `\033`, `\e`, `\u001b`} {
		d := Decoder{words: testWords}
		text := []byte("wa" + esc + "[1mter" + esc + "[0m")
		views, _ := d.Decode(text, d.Probe(text, 0), 1<<20)
		var v View
		if len(views) == 1 {
			Fold(&v, views[0].Text)
		}
		if string(v.Text) != "water" {
			t.Errorf("%s: %q in %d views", esc, v.Text, len(views))
		}
	}
}
