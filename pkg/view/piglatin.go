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
	return n >= 4 && n <= 24 && w[n-1]|0x20 == 'y' && w[n-2]|0x20 == 'a'
}

// pigRun finds the first row of words in text[from:to] that are written so and half of which
// are known when they are put back. A word between two of them may be another.
func (d *Decoder) pigRun(from, to int) (start, end int, ok bool) {
	if d.words == nil {
		return 0, 0, false
	}
	text := d.text[:to]
	words, known, others := 0, 0, 0
	last := from // where the word before ended
	for i := from; i < to; {
		if !isLetter(text[i]) {
			i++
			continue
		}
		j := i
		for j < to && isLetter(text[j]) {
			j++
		}
		switch pig := inPig(text[i:j]); {
		case pig && (words == 0 || i-last <= 4):
			if words == 0 {
				start, others = i, 0
			}
			words++
			if _, found := d.unpig(text[i:j], false); found {
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
	d.spend(to - from)
	return start, end, words >= minPig && 2*known >= words
}

// onsets are the pairs of letters that words begin with.
const onsets = " bl br ch cl cr dr fl fr gl gr kn ph pl pr qu sc sh sk sl sm sn sp st sw th tr tw wh wr "

// unpig puts the last letters of w, in front of its "ay", back to where they came from, and
// reports whether that gives a known word. Where several do, it takes the one for which fewest
// or most moved. The rest, cut letters of w, belongs to no word. It gives the word as how many
// letters moved of how many.
func (d *Decoder) unpig(w []byte, fewest bool) (x pigWord, found bool) {
	stem := len(w) - 2
	most := 0
	for most < min(4, stem-1) {
		c := w[stem-1-most] | 0x20
		if bytes.IndexByte([]byte("aeio"), c) >= 0 || c == 'u' && (stem-most < 2 || w[stem-2-most]|0x20 != 'q') {
			break
		}
		most++
	}
	try := func(y pigWord) bool {
		if found || y.letters < 2 {
			return found
		}
		d.buf = append(append(d.buf[:0], w[y.letters-y.moved:y.letters]...), w[:y.letters-y.moved]...)
		if d.words.has(d.buf) {
			x, found = y, true
		}
		return found
	}
	bare := pigWord{0, stem}
	if c := w[stem-1] | 0x20; c == 'w' || c == 'y' {
		bare.letters--
	}
	if fewest {
		try(bare)
		try(pigWord{0, stem})
	}
	for n := 1; n <= most; n++ {
		moved := n
		if !fewest {
			moved = most + 1 - n
		}
		try(pigWord{moved, stem})
	}
	try(bare)
	try(pigWord{0, stem})
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
				j := i
				for j < end && isLetter(d.text[j]) {
					j++
				}
				if w := d.text[i:j]; inPig(w) {
					x, _ := d.unpig(w, fewest)
					p.add(i, j)
					p.copy(d.text, i+x.letters-x.moved, i+x.letters)
					p.copy(d.text, i, i+x.letters-x.moved)
					p.end(j)
				}
				i = max(j, i+1)
			}
			from = end
		}
		d.spend(len(d.text))
		d.apply("pig-latin", p)
	}
}
