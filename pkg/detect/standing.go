package detect

import (
	"bytes"
	"math"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// standing is how the best window stands in its text: whether the text around it speaks
// with the same words, and whether it begins and ends where a line does. A sentence that
// somebody put into a document is about something else than the document.
type standing struct {
	share                  float64 // of its words that are met around it
	words                  int     // words around it
	lineStart, lineEnd     bool
	afterColon, afterQuote bool
	at                     float64 // how far down in the text it begins, 0 to 1
}

// stand tells how the window at best stands in text, and gives the topics' slots of the
// text around it: both are about the same words.
func stand(f *Features, text []byte, best chunk.Span) (st standing, slots []uint32) {
	start, end := min(max(best.Start, 0), len(text)), min(max(best.End, 0), len(text))
	end = max(start, end)
	var own wordSet
	f.toks, f.begin = f.toks[:0], 0
	f.tokens(text[start:end], 0, end-start, new(spots), false)
	for _, t := range f.toks {
		if t.kind != tokSign && t.kind != tokValue {
			own.add(t.hash)
		}
	}
	slots = topicSlots(f, text, chunk.Span{Start: start, End: end}, &own)
	st.words = own.met
	if own.n > 0 {
		st.share = float64(own.again) / float64(own.n)
	}
	before, after := bytes.TrimRight(text[:start], " \t"), bytes.TrimLeft(text[end:], " \t")
	st.lineStart = len(before) == 0 || before[len(before)-1] == '\n'
	if !st.lineStart {
		switch before[len(before)-1] {
		case ':':
			st.afterColon = true
		case '"', '\'', '(', '>':
			st.afterQuote = true
		}
	}
	st.lineEnd = len(after) == 0 || after[0] == '\n' || bytes.HasSuffix(bytes.TrimRight(text[start:end], " \t"), []byte{'\n'})
	st.at = float64(start) / float64(1+len(text))
	return st, slots
}

// wordSet is a set of words by their hashes, which remembers which of them were met. The
// zero set is empty. Past half of its room it takes no more.
type wordSet struct {
	slots [512]struct {
		hash uint64
		met  bool
	}
	n, met, again int // words in it, words that were met with, and those of them in it
}

// find gives the slot of a word, or the free one where it belongs.
func (s *wordSet) find(h uint64) int {
	h |= 1 // zero marks a free slot
	i := int(h>>32) % len(s.slots)
	for s.slots[i].hash != 0 && s.slots[i].hash != h {
		i = (i + 1) % len(s.slots)
	}
	return i
}

func (s *wordSet) add(h uint64) {
	if i := s.find(h); s.slots[i].hash == 0 && s.n < len(s.slots)/2 {
		s.slots[i].hash = h | 1
		s.n++
	}
}

// meet notes that a word was met.
func (s *wordSet) meet(h uint64) {
	s.met++
	if w := &s.slots[s.find(h)]; w.hash != 0 && !w.met {
		w.met = true
		s.again++
	}
}

// grounds is what the score of a window rests on: a score that hangs on five grams, or on
// words of which the model knows few, is worth less than one that many agree on.
type grounds struct {
	grams   float64 // number of them, as a logarithm
	unknown float64 // share of those that weigh nothing
	agree   float64 // share of the weight that speaks for an attack
	few     float64 // share that the five heaviest have in that
}

// heaviest is how many grams are looked at for grounds.few.
const heaviest = 5

// groundsOf looks at the grams of a window. f is scratch memory.
func (m *Model) groundsOf(f *Features, text []byte) (g grounds) {
	f.Grams, f.toks, f.words = f.Grams[:0], f.toks[:0], nil
	f.sentence(text, 0, len(text), new(spots))
	f.near(f.toks, len(f.toks), 0)
	var plus, minus, zeros int
	var top [heaviest]int
	for _, x := range f.Grams {
		w := int(m.weights[x])
		switch {
		case w > 0:
			plus += w
			for i := range top {
				if w > top[i] {
					w, top[i] = top[i], w
				}
			}
		case w < 0:
			minus -= w
		default:
			zeros++
		}
	}
	sum := 0
	for _, w := range top {
		sum += w
	}
	g.grams = math.Log(float64(1+len(f.Grams))) / 5
	g.unknown = float64(zeros) / float64(max(1, len(f.Grams)))
	g.agree = float64(plus) / float64(1+plus+minus)
	g.few = float64(sum) / float64(1+plus)
	return g
}
