package view

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"mime"
	"strings"
	"testing"
)

// keyedAs types s on a keyboard with other letters on its keys.
func keyedAs(s, keys string) string {
	k, out := []rune(keys), []rune{}
	for _, r := range strings.ToLower(s) {
		if i := strings.IndexRune(keysLatin, r); i >= 0 && k[i] > ' ' {
			r = k[i]
		}
		out = append(out, r)
	}
	return string(out)
}

// tokensOf writes every letter of s by f, with a space behind it, and words apart by a slash.
func tokensOf(s string, f func(i int) string) string {
	var words []string
	for _, w := range strings.Fields(strings.ToLower(s)) {
		var letters []string
		for _, c := range w {
			if c >= 'a' && c <= 'z' {
				letters = append(letters, f(int(c-'a')))
			}
		}
		words = append(words, strings.Join(letters, " "))
	}
	return strings.Join(words, " / ")
}

// SPEC: DET-2
//
// Text whose letters are out of their places, or written as rows of few others, is put back alone and inside a
// document, and each byte points to where it came from.
func TestPutBack(t *testing.T) {
	const s = "whoever waters the plants in the corridor writes the date on the card beside the door"
	inverse := func(table map[string]byte) func(int) string {
		return func(i int) string {
			for k, c := range table {
				if c == 'a'+byte(i) && !strings.Contains(k, "dit") {
					return k
				}
			}
			return "?"
		}
	}
	moved := func(w way) string {
		b := make([]byte, len(s))
		for i, k := range w.places(nil, len(s), len(s)) {
			b[k] = s[i]
		}
		return string(b)
	}
	flipped := func(c byte) (r byte) {
		for i := range 8 {
			r = r<<1 | c>>i&1
		}
		return r
	}
	var bitsBack, groups strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&bitsBack, "%08b ", flipped(s[i]))
	}
	for i, c := range strings.ReplaceAll(s, " ", "") {
		if i > 0 && i%5 == 0 {
			groups.WriteByte(' ')
		}
		groups.WriteRune(c)
	}
	dots := func(i int) string {
		i -= int(bit(i > 8))
		return strings.Repeat(".", i/5+1) + " " + strings.Repeat(".", i%5+1)
	}
	cases := map[string]string{
		"dvorak":      keyedAs(s, keysDvorak),
		"right":       keyedAs(s, keysRight),
		"cyrillic":    keyedAs(s, keysCyrillic),
		"bacon":       tokensOf(s, inverse(fewLetters[0])),
		"old bacon":   strings.ReplaceAll(tokensOf(strings.NewReplacer("v", "u", "j", "i").Replace(s), inverse(fewLetters[1])), "?", ""),
		"roman":       strings.ToUpper(tokensOf(s, inverse(fewLetters[2]))),
		"syllables":   tokensOf(s, inverse(fewLetters[3])),
		"taps":        tokensOf(s, dots),
		"parted":      strings.ReplaceAll(s, " ", "x"),
		"groups":      groups.String(),
		"bits":        bitsBack.String(),
		"dump":        hex.Dump([]byte(s)),
		"encoded, B":  mime.BEncoding.Encode("utf-8", s+"\u2026"),
		"encoded, Q":  mime.QEncoding.Encode("utf-8", s+"\u2026"),
		"one word, B": "=?UTF-8?B?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?=",
	}
	for _, w := range ways {
		cases[fmt.Sprint(w.name(), " ", w.n)] = moved(w)
	}
	words := NewWords(nil)
	const around = "The report of the spring is ready and lies on the table of the office, as every year.\n\n"
	tried, ordered, missed := 0, 0, 0
	for name, written := range cases {
		for _, frame := range []string{"", around} {
			tried++
			text := []byte(frame + written + "\n\n" + frame)
			var fold View
			Fold(&fold, text)
			text = fold.Text
			d := Decoder{words: words}
			found := false
			views, _ := d.Decode(text, d.Probe(text, 0), math.MaxInt)
			for _, v := range views {
				plain := strings.ToLower(string(v.Text))
				if name == "groups" {
					plain = strings.ReplaceAll(plain, " ", "")
				}
				want := "the plants in the corridor writes"
				if name == "groups" {
					want = strings.ReplaceAll(want, " ", "")
				}
				at := strings.Index(plain, want)
				if at < 0 {
					continue
				}
				found = true
				if name != "groups" {
					if from, to := v.Span(at, at+len(want)); from < len(frame) || to > len(text)-len(frame) || from >= to {
						t.Errorf("%s: the words stand at [%d,%d) of %d", name, from, to, len(text))
					}
				}
			}
			_, alone := map[string]bool{"syllables": true, "roman": true}[name]
			switch order := strings.ContainsAny(name[len(name)-1:], "0123456789"); {
			case order: // seen only where spaces stand as words have none
				ordered++
				missed += int(bit(!found))
			case !found && !(alone && frame != ""): // the block that a frame ends in reads as usual
				var names []string
				for _, v := range views {
					names = append(names, v.Name+": "+string(v.Text))
				}
				t.Errorf("%s is not put back: %q: %q", name, text, names)
			}
		}
	}
	if tried != 2*(15+len(ways)) || ordered != 2*len(ways) || 5*missed > ordered {
		t.Errorf("%d texts; of %d in another order %d are not put back", tried, ordered, missed)
	}
}

// Every byte of a text has a place of its own in every way, however long the text is, but where the last rows would be
// empty.
func TestWays(t *testing.T) {
	tried := 0
	for _, w := range ways {
		for n := minMoved; n <= maxMoved; n++ {
			if w.kind == wayRows && n-(w.n-1)*((n+w.n-1)/w.n) < 1 {
				continue
			}
			seen := make([]bool, n)
			for _, k := range w.places(nil, n, n) {
				if seen[k] {
					t.Fatalf("%v of %d: two bytes stand at %d", w, n, k)
				}
				seen[k] = true
			}
			tried++
		}
	}
	if tried < 11000 {
		t.Errorf("%d texts", tried)
	}
}

// SPEC: DET-2
//
// A sentence over several cues is one, and nothing but times and numbers is taken out.
func TestCues(t *testing.T) {
	for written, want := range map[string]string{
		"1\n00:00:01,000 --> 00:00:02,900\nwhoever waters\n\n2\n00:00:03,000 --> 00:00:04,900\nthe plants\n\n3\n00:00:05,000 --> 00:00:06,900\nin the corridor\n": " whoever waters the plants in the corridor\n",
		"WEBVTT\n\n00:01.000 --> 00:02.900 align:start\nwhoever waters\n\nintro\n00:03.000 --> 00:04.900\nthe plants\n":                                           "WEBVTT whoever waters the plants\n",
		"a --> b\nwhoever --> waters\n<!-- 12:34:56 --> the plants\n":                                                                                             "",
		"one\n00:00:01,000 --> 00:00:02,900\ntwo":                                                                                                                 "",
	} {
		d := Decoder{words: testWords}
		got := ""
		views, _ := d.Decode([]byte(written), d.Probe([]byte(written), 0)|WantMarkup, math.MaxInt)
		for _, v := range views {
			if v.Name == "cues" {
				got = string(v.Text)
			}
		}
		if got != want {
			t.Errorf("%q: cues say %q, want %q", written, got, want)
		}
	}
}

// Digits of all scripts are digits, and alphabets that nobody writes in are read as Latin letters.
func TestOldLetters(t *testing.T) {
	for written, want := range map[string]string{
		"\u0661\u0660\u0665 \u0967\u0966\u096b \u06f1\u06f0\u06f5": "105 105 105",
		"\u16b1\u16a2\u16be\u16d6\u16ca":                           "runes",
		"\u1691\u168c\u1686\u1690\u168b":                           "ogham",
		"ab\x1b[1Ccd":                                              "ab cd",
		"xi\bg x\bn":                                               "xig xn",
		"x\bix\bgx\bnx\bo":                                         "igno",
		"N\bNA\bAM\bME\bE":                                         "NAME",
	} {
		var v View
		Fold(&v, []byte(written))
		if string(v.Text) != want {
			t.Errorf("%q is folded to %q, want %q", written, v.Text, want)
		}
	}
}
