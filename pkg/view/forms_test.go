package view

import (
	"strings"
	"testing"
	"unicode"
)

// SPEC: DET-2
//
// Words written without vowels, with letters drawn out, moved, mixed or put in are put back,
// alone and inside other text, and point to where they stood.
func TestTricks(t *testing.T) {
	words := NewWords(nil)
	plain := "please remember to water the little garden every single morning, because those flowers need water when summer comes, and return the yellow bucket"
	each := func(f func(string) string) string {
		var out []string
		for _, w := range strings.Fields(plain) {
			word := strings.TrimRight(w, ",")
			out = append(out, f(word)+w[len(word):])
		}
		return strings.Join(out, " ")
	}
	vowel := func(r rune) bool { return isVowel(byte(r)) }
	letters := func(f func(r rune) string) string {
		return each(func(w string) string {
			var b strings.Builder
			for _, r := range w {
				b.WriteString(f(r))
			}
			return b.String()
		})
	}
	swapped := []byte(plain)
	for i := 0; i+1 < len(swapped); i += 2 {
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
	}
	ran := 0
	for _, c := range []struct {
		view, in string
		least    int // of a hundred words
	}{
		{"no-vowels", letters(func(r rune) string {
			if vowel(r) {
				return ""
			}
			return string(r)
		}), 50},
		{"drawn-out", letters(func(r rune) string {
			if vowel(r) {
				return strings.Repeat(string(r), 4)
			}
			return string(r)
		}), 70},
		{"last-first", each(func(w string) string { return w[1:] + w[:1] }), 95},
		{"syllables", letters(func(r rune) string {
			if vowel(r) {
				return "ub" + string(r)
			}
			return string(r)
		}), 95},
		{"anagrams", each(func(w string) string {
			b := []byte(w)
			for i := 0; i < len(b)/2; i += 2 {
				b[i], b[len(b)-1-i] = b[len(b)-1-i], b[i]
			}
			return string(b)
		}), 70},
		{"one-vowel", letters(func(r rune) string {
			if vowel(r) {
				return "u"
			}
			return string(r)
		}), 60},
		{"soft", letters(func(r rune) string {
			if r == 'l' || r == 'r' {
				return "w"
			}
			return string(r)
		}), 80},
		{"swapped", string(swapped), 90},
	} {
		for _, frame := range []string{"", "The report of the spring is ready and lies on the table of the office, as every year.\n\n"} {
			text := frame + c.in + "\n\n" + frame
			d := Decoder{words: words}
			views, _ := d.Decode([]byte(text), d.Probe([]byte(text), 0), 1<<20)
			best := 0
			for _, v := range views {
				if v.Name != c.view {
					continue
				}
				got := map[string]bool{}
				for _, w := range strings.FieldsFunc(string(v.Text), func(r rune) bool { return !unicode.IsLetter(r) }) {
					got[strings.ToLower(w)] = true
				}
				k, n := 0, 0
				for _, w := range strings.Fields(plain) {
					n++
					if got[strings.TrimRight(w, ",")] {
						k++
					}
				}
				best = max(best, 100*k/n)
				if at := strings.Index(string(v.Text), "water"); at >= 0 {
					if from, to := v.Span(at, at+5); from < len(frame) || to > len(frame)+len(c.in)+1 {
						t.Errorf("%s: the word stands for %q", c.view, text[from:to])
					}
				}
			}
			if best < c.least {
				t.Errorf("%s: %d of a hundred words of %q", c.view, best, c.in)
				for _, v := range views {
					t.Logf("%s: %q", v.Name, v.Text)
				}
			}
			ran++
		}
	}
	if ran == 0 {
		t.Fatal("nothing ran")
	}
	for _, s := range []string{
		"Der Wasserschaden wurde der Versicherung gemeldet, und die Handwerker kommen wohl erst kommende Woche vorbei.",
		"Llanfairpwllgwyngyll yn Ynys Gybi gyda phobl Cymru wrth ymyl afon; croeso cynnes iawn gan bawb yma heddiw.",
	} {
		d := Decoder{words: words}
		views, _ := d.Decode([]byte(s), d.Probe([]byte(s), 0)&WantCipher, 1<<20)
		for _, v := range views {
			t.Errorf("%q is read as %s: %q", s, v.Name, v.Text)
		}
	}
}
