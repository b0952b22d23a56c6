package view

import (
	"encoding/hex"
	"fmt"
	"slices"
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

// SPEC: DET-2
//
// Words that a program puts together from letters and literals are read as it would, and so
// are hex backwards, hex of UTF-16 and codes of three digits.
func TestPutTogether(t *testing.T) {
	const p = "Please water the plants, and write it down."
	letters := func(quote string) string {
		return quote + strings.Join(strings.Split(p, ""), quote+", "+quote) + quote
	}
	var utf16, utf16le, back, threes string
	for _, c := range []byte(p) {
		utf16 += fmt.Sprintf("00%02x", c)
		utf16le += fmt.Sprintf("%02x00", c)
		threes += fmt.Sprintf("%03d", c)
	}
	x := []byte(hex.EncodeToString([]byte(p)))
	slices.Reverse(x)
	back = string(x)
	for _, c := range []struct{ view, in string }{
		{"spacing", letters("'")}, {"spacing", letters(`"`)}, {"spacing", strings.ReplaceAll(letters(`"`), ", ", ",")},
		{"concat", `"Please wa" "ter the" " plants"`}, {"concat", "\"Please wa\"\n\t\"ter the\"\n\t\" plants\""}, {"concat", "'Please wa' || 'ter the' || ' plants'"},
		{"characters", "ChrW(119) & ChrW(97) & ChrW(116) & ChrW(101) & ChrW(114) & ChrW(33)"},
		{"hex", utf16}, {"hex", utf16le}, {"hex", back}, {"decimal", threes},
	} {
		text := "See this: " + c.in + ", it is short."
		undone(t, c.view, text, 10, 10+len(c.in), 60)
		undone(t, c.view, c.in, 0, len(c.in), 60)
	}
	for _, s := range []string{
		`say "one", "two" and "three"`, `x := " " + y`, `f("a", "b")`, `"" ""`, `a || b`, `if (a == "x" || b == "y")`, `"`, `" "`, `"a" "`, "draw(100) draw(101) draw(102) draw(103) draw(104) draw(105) draw(106)",
		`['a', 'b', 'c']`, "000111222333444555666777888999000111222333444555666777888999", "2026112110223100520261121102231005202611211022310052026112110223",
		"5f3759df0badcafe5f3759df0badcafe5f3759df0badcafe5f3759df0badcafe",
	} {
		d := Decoder{words: testWords}
		views, _ := d.Decode([]byte(s), WantCodes|WantRuns|WantConcat|WantSpacing, 1<<20)
		for _, v := range views {
			t.Errorf("%q is read as %s: %q", s, v.Name, v.Text)
		}
	}
}

// SPEC: DET-2, DET-6
//
// Letters that signs part are seen by four decoders. In a long text one view shows what they do, and it
// shows all of it.
func TestStrewnIsShownOnce(t *testing.T) {
	var b strings.Builder
	for i, w := range strings.Fields(strings.Repeat(settleText+" ", 4)) {
		b.WriteString(strings.Join(strings.Split(strings.Trim(w, ","), ""), string("&*.+-"[i%5])) + " ")
	}
	in := []byte(b.String())
	d := Decoder{words: testWords}
	views, ok := d.Decode(in, d.Probe(in, 0), 1<<20)
	if !ok || len(views) != 1 {
		t.Fatalf("%d views, %v", len(views), ok)
	}
	want := strings.Join(strings.Fields(strings.ReplaceAll(settleText, ",", "")), " ")
	if got := strings.Count(string(views[0].Text), want); got != 4 {
		t.Errorf("%s shows it %d times: %q", views[0].Name, got, views[0].Text)
	}
}

// SPEC: DET-6
//
// What grows when it is folded is folded no further than asked, and as it is otherwise up to there.
func TestFoldMost(t *testing.T) {
	for _, s := range []string{strings.Repeat("\ufdfa", 300), "plain text " + strings.Repeat("\ufdfa", 300), strings.Repeat("\ufdfa \u1112\u1161\u11ab ", 200)} {
		var all, some View
		Fold(&all, []byte(s))
		const most = 1000
		FoldMost(&some, []byte(s), most)
		if len(all.Text) < 2*most || len(some.Text) <= most || len(some.Text) > most+200 {
			t.Errorf("%d bytes, %d of them are folded", len(all.Text), len(some.Text))
		}
		if !strings.HasPrefix(string(all.Text), string(some.Text[:most/2])) {
			t.Errorf("%.40q is folded otherwise", s)
		}
		if FoldMost(&some, []byte(s), len(all.Text)); string(some.Text) != string(all.Text) {
			t.Errorf("%.40q is not folded to its end", s)
		}
	}
}
