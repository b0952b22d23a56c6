package view

import (
	_ "embed"
	"encoding/binary"
	"math/bits"
	"strings"
)

// Words in reverse order, and neighbouring words exchanged. Which of the commonest words stand in
// front of which others tells the direction of a text, whatever it says.

// orderText holds the commonest English words, and for each and all others how much more often
// one stands behind the other than in front.
//
//go:embed order.txt
var orderText string

// orders is what orderText says. Word 0 stands for all others.
type orders struct {
	keys  [512]uint64 // a table with open addresses: the letters of a word
	words [512]uint8
	pairs [128][128]int8
}

func newOrders() *orders {
	o := new(orders)
	lines := strings.Split(strings.TrimSpace(orderText), "\n")
	for i, w := range strings.Fields(lines[1]) {
		var b [8]byte
		copy(b[:], w)
		key := binary.LittleEndian.Uint64(b[:])
		at := orderSlot(key)
		for ; o.keys[at] != 0; at = (at + 1) & 511 {
		}
		o.keys[at], o.words[at] = key, uint8(i+1)
	}
	for x, row := range lines[2:] {
		for y := range row {
			o.pairs[x][y] = int8(row[y]) - 'Q'
		}
	}
	return o
}

func orderSlot(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 55 }

// number gives the number of a word; 0: it is another one.
func (o *orders) number(w []byte) uint8 {
	if len(w) > 8 {
		return 0
	}
	key := uint64(0)
	for i, c := range w {
		key |= uint64(c|0x20) << (8 * i)
	}
	for at := orderSlot(key); o.keys[at] != 0; at = (at + 1) & 511 {
		if o.keys[at] == key {
			return o.words[at]
		}
	}
	return 0
}

// A direction is what the pairs of words of a text say together: above nought they stand in
// order, below it they are reversed, so many of them.
type direction struct{ sum, words int }

// directionOf reads a text in the order in which next gives its words, until it gives none.
func (o *orders) directionOf(text []byte, next func() (from, to int)) (x direction) {
	last := -1
	for {
		from, to := next()
		if from == to {
			return x
		}
		n := int(o.number(text[from:to]))
		if last >= 0 {
			x.sum += int(o.pairs[last][n])
		}
		x.words++
		last = n
	}
}

// Bounds of what may be reversed, in bytes and words, how much must speak for it, and how much
// against it is enough.
const (
	flipPlain   = 10
	minFlipped  = 24
	maxFlipped  = 2000
	flipLook    = 280
	flipWords   = 5
	flipAgainst = -8
)

// flip is a paragraph whose words stand in another order.
type flip struct {
	extent
	swapped bool // neighbours were exchanged; else all are reversed
}

// flips looks for such paragraphs: they begin with a small letter, or with a word at the end of
// a sentence.
func (d *Decoder) flips() bool {
	text := d.text
	d.flipped = d.flipped[:0]
	if d.words == nil {
		return false
	}
	start := 0
	for k, line := range d.line {
		var nextLine, nextFeed uint64
		if k+1 < len(d.line) {
			nextLine = d.line[k+1]
			nextFeed = nextLine & d.stop[k+1]
		}
		// A line feed is what may end a line and a sentence; another one follows it at once, or
		// behind a carriage return.
		feed := line & d.stop[k]
		for m := feed & (feed>>1 | nextFeed<<63 | (feed>>2|nextFeed<<62)&(line>>1|nextLine<<63)); m != 0; m &= m - 1 {
			i := k<<6 + bits.TrailingZeros64(m)
			if text[i] == '\n' && text[i+1] != '\t' {
				d.flipsIn(start, i)
				start = i + 2
			}
		}
	}
	d.flipsIn(start, len(text))
	return len(d.flipped) > 0
}

func (d *Decoder) flipsIn(from, to int) {
	for from < to && !letterByte(d.text[from]) {
		from++
	}
	if to-from < minFlipped || to-from > maxFlipped || !d.beginsLate(from, to) {
		return
	}
	if x, ok := d.flipAt(from, to); ok {
		d.flipped = append(d.flipped, x)
	}
}

// beginsLate reports that the first word of text[from:to] is small, or the last one of a sentence.
func (d *Decoder) beginsLate(from, to int) bool {
	// Prose: few signs, and many letters.
	n := min(to-from, 64)
	head := ^uint64(0) >> (64 - n)
	if bits.OnesCount64(window(d.letter, from)&head)*10 < 7*n || bits.OnesCount64(window(d.sign, from)&head)*8 > n {
		return false
	}
	if c := d.text[from]; c >= 'a' && c <= 'z' {
		return true
	}
	for from < to && d.text[from] > ' ' {
		from++
	}
	c := d.text[from-1]
	return c == '.' || c == '!' || c == '?' || c == ','
}

// flipAt decides whether the words of text[from:to] are reversed or exchanged.
func (d *Decoder) flipAt(from, to int) (x flip, ok bool) {
	text := d.text[:min(to, from+flipLook)]
	d.spend(len(text) - from)
	d.toks = d.toks[:0]
	letters := 0
	var ahead direction // of the words so far
	last := uint8(0)
	for i := from; i < len(text); {
		for i < len(text) && !isLetter(text[i]) {
			i++
		}
		j := i
		for j < len(text) && (isLetter(text[j]) || text[j] == '\'') {
			j++
		}
		if j > i {
			d.toks = append(d.toks, token{i, j, j - i})
			letters += j - i
			n := d.words.order.number(text[i:j])
			if ahead.words > 0 {
				ahead.sum += int(d.words.order.pairs[last][n])
			}
			last = n
			if ahead.words++; ahead.words >= flipWords && ahead.sum >= flipPlain {
				return x, false // most are left after a few words
			}
		}
		i = j
	}
	toks := d.toks
	if len(toks) < flipWords || letters*10 < 7*(len(text)-from) {
		return x, false // a program
	}
	read := func(at func(k int) int) direction {
		k := -1
		return d.words.order.directionOf(text, func() (int, int) {
			if k++; k >= len(toks) {
				return 0, 0
			}
			t := toks[at(k)]
			return t.from, t.to
		})
	}
	plain := ahead
	if plain.sum > flipAgainst/2 {
		return x, false
	}
	x.extent = extent{int32(from), int32(to)}
	back := read(func(k int) int { return len(toks) - 1 - k })
	swapped := read(func(k int) int { return min(k^1, len(toks)-1) })
	x.swapped = swapped.sum > back.sum
	return x, plain.sum <= flipAgainst && back.sum >= -flipAgainst && !x.swapped || x.swapped && swapped.sum-plain.sum >= -2*flipAgainst && swapped.sum > 0
}

// unflip puts the words of what Probe saw back in order, or else, where words of the text ask
// for that, all of them. Signs stay with the word they follow.
func (d *Decoder) unflip() {
	text := d.text
	if len(d.flipped) == 0 {
		d.order()
		return
	}
	p := &d.p[0]
	p.reset()
	for _, x := range d.flipped {
		from, to := int(x.from), int(x.to)
		d.spend(to - from)
		d.toks = d.toks[:0]
		for i := from; i < to; {
			for i < to && text[i] <= ' ' {
				i++
			}
			j := i
			for j < to && text[j] > ' ' {
				j++
			}
			if j > i {
				d.toks = append(d.toks, token{i, j, j - i})
			}
			i = j
		}
		n := len(d.toks)
		p.add(from, to)
		for k := range n {
			at := n - 1 - k
			if x.swapped {
				if at = k ^ 1; at >= n {
					at = k
				}
			}
			t := d.toks[at]
			if k > 0 {
				p.put(' ', t.from, t.from)
			}
			p.copy(text, t.from, t.to)
		}
		p.end(to)
	}
	d.apply("word-order", p)
}
