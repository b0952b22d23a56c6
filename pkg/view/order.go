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

// number gives the number of the word text[from:to]; 0: it is another one.
func (o *orders) number(text []byte, from, to int) uint8 {
	n := to - from
	if n > 8 {
		return 0
	}
	var key uint64
	if from+8 <= len(text) {
		key = binary.LittleEndian.Uint64(text[from:])
	} else {
		var b [8]byte
		copy(b[:], text[from:to])
		key = binary.LittleEndian.Uint64(b[:])
	}
	beyond := 8 * (8 - n) & 63
	key = (key | 0x20*ones) << beyond >> beyond
	for at := orderSlot(key); o.keys[at] != 0; at = (at + 1) & 511 {
		if o.keys[at] == key {
			return o.words[at]
		}
	}
	return 0
}

// direction is what the pairs of words say together, by their numbers, that are read in the order
// that at gives: above nought they stand in order, below it they are reversed.
func (o *orders) direction(words []uint8, at func(k int) int) (sum int) {
	for k := 1; k < len(words); k++ {
		sum += int(o.pairs[words[at(k-1)]][words[at(k)]])
	}
	return sum
}

// Bounds of what may be reversed, in bytes and words, how much must speak for it, and how much
// against it is enough; what speaks for it so much after a few words is read no further.
const (
	flipPlain   = 10
	flipLeave   = 7
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
	end := min(to, from+flipLook)
	letters := 0
	for i := from; i < end; i += 64 {
		letters += bits.OnesCount64(window(d.letter, i) << max(64-(end-i), 0))
	}
	if (letters+2)*10 < 7*(end-from) { // there may be apostrophes
		return x, false // a program
	}
	d.spend(end - from)
	text, o := d.text[:end], d.words.order
	var room [flipLook]uint8
	words := room[:0]
	plain := 0 // what the words say so far
	for i := from; i < end; {
		w := window(d.letter, i)
		if w == 0 {
			i += 64
			continue
		}
		if i += bits.TrailingZeros64(w); i >= end {
			break
		}
		j := i + 1
		for j < end && (isLetter(text[j]) || text[j] == '\'') {
			j++
		}
		words = append(words, o.number(text, i, j))
		if n := len(words); n > 1 {
			plain += int(o.pairs[words[n-2]][words[n-1]])
			if n >= flipWords && plain >= flipLeave {
				return x, false // most are left after a few words
			}
		}
		i = j
	}
	n := len(words)
	if n < flipWords || plain > flipAgainst/2 {
		return x, false
	}
	x.extent = extent{int32(from), int32(to)}
	back := o.direction(words, func(k int) int { return n - 1 - k })
	swapped := o.direction(words, func(k int) int { return min(k^1, n-1) })
	x.swapped = swapped > back
	return x, plain <= flipAgainst && back >= -flipAgainst && !x.swapped || x.swapped && swapped-plain >= -2*flipAgainst && swapped > 0
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
