package main

import (
	"cmp"
	"log"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/detect"
)

// anchors prints the words that, as cues of corpus/words, would bring back the
// attacks that the model finds in all windows and the gate drops: greedily, most
// attacks first, each beside the share of honest windows that have it.
func (t *trainer) anchors(c *composer, suspect float64, n int) {
	lex, err := corpus.Words()
	if err != nil {
		log.Print(err)
		return
	}
	// weigh adds up the cues of a window: each term once, each place by its weightiest.
	weigh := func(w *detect.Window) int {
		at, seen := map[int]int{}, map[string]bool{}
		for _, k := range w.Cues {
			if seen[k.Term] {
				continue
			}
			seen[k.Term] = true
			at[k.At] = max(at[k.At], lex[k.Term].Cue)
		}
		sum := 0
		for _, v := range at {
			sum += v
		}
		return sum
	}
	var dropped, seenBy [8]int
	type lost struct {
		lang  string
		words map[string]bool
	}
	var left []lost
	byLang := map[string]int{}
	for i := range 8000 {
		d := c.attack(uint64(1<<44+i), false)
		if t.score(d) >= suspect {
			continue
		}
		best, text, cues := math.Inf(-1), "", 0
		t.cut.each(d, true, func(w *detect.Window, _ int) {
			t.f.Extract(w)
			if z := t.logit(t.f.Grams, t.f.Marks); z > best && w.Depth == 0 {
				best, text, cues = z, string(w.Text), weigh(w)
			}
		})
		if best >= suspect {
			left = append(left, lost{d.lang, wordsOf(text)})
			byLang[d.lang]++
			dropped[min(cues, 7)]++
		}
	}
	var plain [8]int
	natural, err := readPackages(t.o.cache, 4000, 9)
	if err != nil {
		log.Print(err)
	}
	for _, d := range natural {
		t.cut.each(d, true, func(w *detect.Window, _ int) {
			if w.Kind == detect.Sentence && w.Depth == 0 {
				plain[min(weigh(w), 7)]++
			}
		})
	}
	honest, windows := map[string]int{}, 0
	for i := range 6000 {
		t.cut.each(c.benign(uint64(1<<45+i), false), true, func(w *detect.Window, _ int) {
			if w.Kind == detect.Sentence {
				windows++
				seenBy[min(weigh(w), 7)]++
				for x := range wordsOf(string(w.Text)) {
					honest[x]++
				}
			}
		})
	}
	log.Printf("the gate drops %d of 8000: %v", len(left), byLang)
	log.Printf("cues in what it drops (0 to 7): %v; in composed honest sentences: %v; in sentences of packages: %v", dropped, seenBy, plain)
	for range n {
		count, lang := map[string]int{}, map[string]string{}
		for _, l := range left {
			for x := range l.words {
				count[x]++
				lang[x] = l.lang
			}
		}
		var names []string
		for x := range count {
			names = append(names, x)
		}
		value := func(x string) float64 { return float64(count[x]) / (1 + 100*float64(honest[x])/float64(windows)) }
		slices.SortFunc(names, func(a, b string) int {
			if d := cmp.Compare(value(b), value(a)); d != 0 {
				return d
			}
			return strings.Compare(a, b)
		})
		if len(names) == 0 || count[names[0]] < 2 {
			break
		}
		x := names[0]
		log.Printf("anchor %s %q brings %d, in %.2f %% of honest windows", lang[x], x, count[x], 100*float64(honest[x])/float64(windows))
		left = slices.DeleteFunc(left, func(l lost) bool { return l.words[x] })
	}
}

// wordsOf gives the words of a window; of scripts without spaces, pairs of
// letters.
func wordsOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		r := []rune(w)
		if len(r) < 2 {
			continue
		}
		if r[0] >= 0x3040 && r[0] < 0xa000 {
			for i := 0; i+2 <= len(r); i++ {
				out[string(r[i:i+2])] = true
			}
			continue
		}
		if len(r) > 2 {
			out[w] = true
		}
	}
	return out
}
