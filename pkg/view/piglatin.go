package view

import (
	"bytes"
	"math/bits"
)

// Pig Latin: the consonants in front of a word stand behind it, and "ay" behind them; a word
// without such gets "ay", "way" or "yay".

// minPig is how many words must be written so, one behind the other.
const minPig = 4

// pigs looks whether words that end in the middle of block k, of which ends has the last
// letters, are written so: two in a row, at either of two places. Most texts are left after
// two comparisons.
func (d *Decoder) pigs(k int, ends uint64) Wants {
	if !d.pigPair(k, ends) && !d.pigPair(k, ends>>36<<36) {
		return 0
	}
	if _, _, ok := d.pigRun(max(0, 64*k-64), min(len(d.text), 64*k+128)); ok {
		return WantPig
	}
	return 0
}

func (d *Decoder) pigPair(k int, ends uint64) bool {
	for range 2 {
		if ends == 0 {
			return false
		}
		if i := k<<6 + bits.TrailingZeros64(ends); d.text[i]|0x20 != 'y' || d.text[i-1]|0x20 != 'a' {
			return false
		}
		ends &= ends - 1
	}
	return true
}

// inPig reports a word that may be written so.
func inPig(w []byte) bool {
	n := len(w)
	return n >= 3 && n <= 24 && w[n-1]|0x20 == 'y' && w[n-2]|0x20 == 'a'
}

// pigWordAt gives the word at or behind text[i], with the signs inside it: those that stood
// behind it stand in front of the letters that were moved.
func (d *Decoder) pigWordAt(i, to int) (from, end int) {
	text := d.text
	for i < to && !isLetter(text[i]) {
		i++
	}
	from, end = i, i
	for ; i < to && text[i] > ' '; i++ {
		if isLetter(text[i]) {
			end = i + 1
		}
	}
	return from, end
}

// pigRun finds the first row of words in text[from:to] that are written so and half of which
// are known when they are put back, and not as they stand. A word between two of them may be another.
func (d *Decoder) pigRun(from, to int) (start, end int, ok bool) {
	if d.words == nil {
		return 0, 0, false
	}
	text := d.text
	words, known, others := 0, 0, 0
	d.spend(to - from)
	last := from // where the word before ended
	for i := from; i < to; {
		var j int
		if i, j = d.pigWordAt(i, to); i == j {
			break
		}
		switch pig := inPig(text[i:j]); {
		case pig && (words == 0 || i-last <= 4):
			if words == 0 {
				start, others = i, 0
			}
			words++
			if _, found := d.unpig(text[i:j], false); found && !d.words.has(text[i:j]) {
				known++
			}
			end, last = j, j
		case words > 0 && !pig && i-last <= 4 && others < words/3:
			others++
			last = j
		case words >= minPig && 2*known >= words:
			return start, end, true
		default:
			words, known, last = 0, 0, j
			if pig {
				continue // it may begin a row itself
			}
		}
		i = j
	}
	return start, end, words >= minPig && 2*known >= words
}

// onsets are the pairs of letters that words begin with.
const onsets = " bl br ch cl cr dr fl fr gl gr kn ph pl pr qu sc sh sk sl sm sn sp st sw th tr tw wh wr "

// unpig puts the last letters of w, in front of its "ay", back to where they came from, and
// reports whether that gives a known word: the commonest of those that it may give, where
// one for which fewest or most letters moved counts for more. The rest, cut letters of w,
// belongs to no word.
func (d *Decoder) unpig(w []byte, fewest bool) (x pigWord, found bool) {
	stem := len(w) - 2
	most := 0
	for most < min(4, stem-1) && isLetter(w[stem-1-most]) {
		c := w[stem-1-most] | 0x20
		if bytes.IndexByte([]byte("aeio"), c) >= 0 || c == 'u' && (stem-most < 2 || w[stem-2-most]|0x20 != 'q') {
			break
		}
		most++
	}
	least := costNone
	try := func(y pigWord) {
		d.buf = append(d.buf[:0], w[y.letters-y.moved:y.letters]...)
		for _, c := range w[:y.letters-y.moved] {
			if isLetter(c) {
				d.buf = append(d.buf, c)
			}
		}
		cost := d.words.cost(d.buf)
		if len(d.buf) == 1 && (d.buf[0]|0x20 == 'a' || d.buf[0] == 'I') {
			cost = costCommon
		}
		if found = found || cost < costNone; cost < costNone && (y.moved > 0) == fewest {
			cost += pigAgainst
		}
		if cost < least {
			x, least = y, cost
		}
	}
	bare := pigWord{0, stem}
	if c := w[stem-1] | 0x20; stem > 1 && (c == 'w' || c == 'y') {
		bare.letters--
	}
	try(bare)
	try(pigWord{0, stem})
	for n := 1; n <= most; n++ {
		try(pigWord{n, stem})
	}
	switch {
	case found:
	case bare.letters < stem || most == 0:
		x = bare
	case most >= 2 && bytes.Contains([]byte(onsets), bytes.ToLower([]byte{' ', w[stem-2], w[stem-1], ' '})):
		x = pigWord{2, stem}
	default:
		x = pigWord{1, stem}
	}
	return x, found
}

// pigAgainst is what speaks against a way to read a word that the other view prefers.
const pigAgainst = 8

// pigWord is a word of so many letters, the last of which were moved to its end.
type pigWord struct{ moved, letters int }

// pigLatin puts rows of such words back, in two ways.
func (d *Decoder) pigLatin() {
	for _, fewest := range []bool{true, false} {
		p := &d.p[0]
		p.reset()
		for from := 0; from < len(d.text); {
			start, end, ok := d.pigRun(from, len(d.text))
			if !ok {
				break
			}
			for i := start; i < end; {
				var j int
				if i, j = d.pigWordAt(i, end); i == j {
					break
				}
				if w := d.text[i:j]; inPig(w) {
					x, _ := d.unpig(w, fewest)
					p.add(i, j)
					p.copy(d.text, i+x.letters-x.moved, i+x.letters)
					p.copy(d.text, i, i+x.letters-x.moved)
					p.end(j)
				}
				i = j
			}
			from = end
		}
		d.spend(len(d.text))
		d.apply("pig-latin", p)
	}
}
