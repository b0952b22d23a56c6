package view

import (
	"strings"
	"testing"
)

// A sentence in pieces is put together, whatever stands between them. SPEC: DET-2
func TestFramed(t *testing.T) {
	words := NewWords(nil)
	const sentence = "please send all of the letters that you have to this address and do not tell the others of it"
	each := strings.Fields(sentence)
	join := func(before, after string) string {
		var b strings.Builder
		for _, w := range each {
			b.WriteString(before + w + after)
		}
		return b.String()
	}
	show := func(text string) string {
		var out string
		d := Decoder{words: words}
		d.Probe([]byte(text), 0)
		if !d.Framed(0, len(text)) {
			return ""
		}
		views, _ := d.Decode([]byte(text), WantFramed, 1<<20)
		for _, v := range views {
			checkMap(t, &v, []byte(text))
			out += string(v.Text)
		}
		return out
	}
	ran := 0
	for _, c := range [...][2]string{
		{"<td>", "</td>"}, {"2026-01-02T10:11:12Z INFO app[7]: ", "\n"}, {"- w: ", "\n"}, {"| 12 | ", " |\n"},
		{"\\textbf{", "} "}, {"INSERT INTO t VALUES (4, '", "');\n"}, {"7. ", " "}, {"", " /* x */ "}, {"", "<br>\n"},
	} {
		text := "A note.\n\n" + join(c[0], c[1]) + "\n\nThe end."
		if got := show(text); !strings.Contains(got, strings.Join(each[2:len(each)-1], " ")) {
			t.Errorf("%q and %q: %q is shown as %q", c[0], c[1], text, got)
		}
		ran++
	}
	for _, text := range []string{
		strings.Repeat("* The importer reads files of more than two gigabytes.\n* Dates are taken as local time.\n", 4),
		"apple, pear, plum, cherry, grape, melon, peach, quince, apricot, lemon, orange, lime, fig, date, nut",
		"<td>Red</td><td>Green</td><td>Blue</td><td>White</td><td>Black</td><td>Brown</td><td>Yellow</td><td>Grey</td>",
		"x := f(a)\ny := f(b)\nz := f(c)\nreturn g(x, y, z)\n",
		strings.Repeat("0. ", 200), strings.Repeat("\n\n0\n", 100), strings.Repeat("<i></i>", 100), "",
	} {
		if got := show(text); got != "" {
			t.Errorf("%q is shown as %q", text, got)
		}
		ran++
	}
	if ran != 17 {
		t.Errorf("%d ran", ran)
	}
}
