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
// text around it: both are about the same words. Cut has f cut a part of the text.
func stand(f *Features, text []byte, best chunk.Span, cut func(from, to int)) (st standing, slots []uint32) {
	start, end := min(max(best.Start, 0), len(text)), min(max(best.End, 0), len(text))
	end = max(start, end)
	var own wordSet
	cut(start, end)
	for _, t := range f.toks {
		if t.kind != tokSign && t.kind != tokValue {
			own.add(t.hash)
		}
	}
	slots = topicSlots(f, len(text), chunk.Span{Start: start, End: end}, &own, cut)
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
	grams        float64 // number of them, as a logarithm
	unknown      float64 // share of those that weigh nothing
	unknownWords float64 // the same of words and the letters in them
	unknownNear  float64 // of words near to each other
	agree        float64 // share of the weight that speaks for an attack
	few          float64 // share that the five heaviest have in that

	// What of the logit is of words and letters, of words near to each other, and of marks.
	words, near, marks float64
}

// heaviest is how many grams are looked at for grounds.few.
const heaviest = 5

// tally counts what grams weigh.
type tally struct{ n, zeros, plus, minus int }

func (t *tally) add(w int) {
	t.n++
	switch {
	case w > 0:
		t.plus += w
	case w < 0:
		t.minus -= w
	default:
		t.zeros++
	}
}

// unknown is the share of those that weigh nothing.
func (t *tally) unknown() float64 { return float64(t.zeros) / float64(max(1, t.n)) }

// groundsOf looks at the grams of a window; what its marks say it does not know. f is
// scratch memory.
func (m *Model) groundsOf(f *Features, text []byte) (g grounds) {
	f.Grams, f.toks, f.words = f.Grams[:0], f.toks[:0], nil
	f.sentence(text, 0, len(text), new(spots))
	words := len(f.Grams)
	f.near(f.toks, len(f.toks), 0)
	var of, near tally
	var top [heaviest]int
	for i, x := range f.Grams {
		w := int(m.weights[x])
		if i < words {
			of.add(w)
		} else {
			near.add(w)
		}
		if w <= top[heaviest-1] {
			continue // as most are
		}
		for k := range top {
			if w > top[k] {
				w, top[k] = top[k], w
			}
		}
	}
	all := tally{of.n + near.n, of.zeros + near.zeros, of.plus + near.plus, of.minus + near.minus}
	sum := 0
	for _, w := range top {
		sum += w
	}
	unit := m.scale * GramUnit(all.n)
	g.words, g.near = unit*float64(of.plus-of.minus), unit*float64(near.plus-near.minus)
	g.grams = math.Log(float64(1+all.n)) / 5
	g.unknown, g.unknownWords, g.unknownNear = all.unknown(), of.unknown(), near.unknown()
	g.agree = float64(all.plus) / float64(1+all.plus+all.minus)
	g.few = float64(sum) / float64(1+all.plus)
	return g
}
