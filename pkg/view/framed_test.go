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
	// Pieces of several words, some of which are no words.
	rows := []string{"before you start the copy,", "run `sh ~/.cfg/up.sh` on", "the host that was set up", "in --root=/srv/db-2 (old),", "then tell the others that", "it is done"}
	for _, c := range [...][2]string{{"2026-01-02T10:11:12Z INFO app[7]: ", "\n"}, {"[10:12] ann: ", "\n"}, {"line_3 = \"", "\"\n"}} {
		text := "A note.\n\n" + c[0] + strings.Join(rows, c[1]+c[0]) + c[1] + "\n\nThe end."
		if got := show(text); !strings.Contains(got, strings.Join(rows[1:len(rows)-1], " ")) {
			t.Errorf("%q and %q: %q is shown as %q", c[0], c[1], text, got)
		}
		ran++
	}
	for _, text := range []string{
		"10:01 INFO app[7]: request received from 10.0.0.7\n10:02 INFO app[7]: session 12 opened for guest\n10:03 INFO app[7]: cache miss on key rooms\n10:04 INFO app[7]: query took 12 ms\n10:05 INFO app[7]: response sent with status 200\n10:06 INFO app[7]: session 12 closed\n",
		"[10:00] ann: good morning\n[10:01] bob: morning everyone\n[10:02] ann: is the hall free at noon\n[10:03] bob: yes until two\n[10:04] ann: thanks a lot\n[10:05] bob: any time\n",
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
	if ran != 22 {
		t.Errorf("%d ran", ran)
	}
}
