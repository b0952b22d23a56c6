package view

import (
	"bytes"
	"math/bits"
)

// minCodes is how many letters must be written alike.
const minCodes = 6

// minLine is how many symbols make a group a line: two of them are enough.
const minLine = 16

// calls decodes letters that are written as calls or names of characters, with the same
// text between all: chr(73)+chr(103), U+0049 U+0067.
func (d *Decoder) calls() {
	text := d.text
	p := &d.p[0]
	p.reset()
	done := 0
	for word, sign := range d.sign {
		for ; sign != 0; sign &= sign - 1 {
			i := word<<6 + bits.TrailingZeros64(sign)
			if i >= done && i > 0 && named(text, i) {
				done = d.callsAt(p, i)
			}
		}
	}
	d.spend(len(text))
	d.apply("characters", p)
}

// named reports that text[i] stands between the name of a character and its number.
func named(text []byte, i int) bool {
	if i == 0 || i+1 >= len(text) {
		return false
	}
	switch text[i] {
	case '+':
		return text[i-1]|0x20 == 'u' && hexVal(text[i+1]) >= 0
	case '(':
		return (text[i-1]|0x20 == 'r' || text[i-1]|0x20 == 'w' && i > 1 && text[i-2]|0x20 == 'r') && text[i+1] >= '0' && text[i+1] <= '9'
	}
	return false
}

// maxBetween bounds what stands between two such letters, in bytes.
const maxBetween = 24

// callTells asks for codes where a letter that is written so has another one behind it, and
// marks the block.
func (d *Decoder) callTells(i int) Wants {
	if !named(d.text, i) || bytes.IndexByte(d.text[i+1:min(len(d.text), i+8+maxBetween)], d.text[i]) < 0 {
		return 0
	}
	d.coded[i>>12] |= 1 << (i >> 6 & 63)
	return WantCodes
}

// callsAt adds the letters whose first number stands behind text[i], and gives where they
// end.
func (d *Decoder) callsAt(p *patches, i int) int {
	text := d.text
	base := 10
	if text[i] == '+' {
		base = 16
	}
	number := func(from int) (n, to int) {
		for to = from; to < len(text) && to-from < 8; to++ {
			x := hexVal(text[to])
			if x < 0 || x >= base {
				break
			}
			n = n*base + x
		}
		return n, to
	}
	p.add(i+1, i+1)
	var between []byte
	count, at, end := 0, i+1, i+1
	for {
		n, to := number(at)
		if to == at || n < 9 || n > 0x10ffff {
			break
		}
		p.putRune(rune(n), at, to)
		count, end = count+1, to
		if between == nil {
			k := bytes.IndexByte(text[to:min(len(text), to+maxBetween)], text[i])
			if k < 0 {
				break
			}
			between = text[to : to+k+1]
		}
		if !bytes.HasPrefix(text[to:], between) {
			break
		}
		at = to + len(between)
	}
	p.end(end)
	d.spend(end - i)
	if count < minCodes {
		p.drop()
	}
	return end
}

// groups decodes base64 and hex that is written in groups of as many symbols.
func (d *Decoder) groups(toks []token) {
	p := &d.p[0]
	p.reset()
	for i := 0; i < len(toks); {
		size := toks[i].to - toks[i].from
		least := minCodes
		if size >= minLine {
			least = 2
		}
		if i+least > len(toks) || toks[i+least-1].from-toks[i].from != (least-1)*(size+1) {
			i++ // most are words
			continue
		}
		j := i + 1
		for j < len(toks) && toks[j].from == toks[j-1].to+1 && d.text[toks[j-1].to] <= ' ' && toks[j-1].to-toks[j-1].from == size && toks[j].to-toks[j].from <= size {
			j++
		}
		if j-i >= least && size >= 2 && size <= 32 {
			start, end := toks[i].from, toks[j-1].to
			d.compact(start, end)
			if len(d.buf) >= minPacked && begins(decode64(nil, d.buf[:minPacked], &base64Value)) {
				if out := decode64(nil, d.buf, &base64Value); readable(out) && (size%4 != 0 || d.belong(out, size/4*3, j-i)) {
					d.decoded(p, out, start, end, 4, 3)
				}
			} else if len(d.buf) >= minPacked && allHex(d.buf) && size > 2 {
				if d.hexRun(p, start, end) && size%2 == 0 {
					if x := p.last(); !d.belong(p.Text[x.lo:x.hi], size/2, j-i) {
						p.drop()
					}
				}
			}
		}
		i = j
	}
	d.apply("groups", p)
}

// belong reports that so many groups of symbols, each of which spells size bytes of text by
// itself, are one: words go on from one into the next. Groups may be as long by chance.
func (d *Decoder) belong(text []byte, size, groups int) bool {
	one, apart := 0, 0
	for k := size; k < len(text); k += size {
		if text[k-1] == '=' && text[k] != '=' {
			apart++ // it spells what was encoded, and all of that
			continue
		}
		from, to := k, k
		for from > 0 && isLetter(text[from-1]) && k-from < 24 {
			from--
		}
		for to < len(text) && isLetter(text[to]) && to-k < 24 {
			to++
		}
		if from == k || to == k {
			continue
		}
		one += int(bit(d.words.has(text[from:to])))
		apart += int(bit(d.words.has(text[from:k]) || d.words.has(text[k:to])))
	}
	return one >= apart && (one > 0 || groups > 2)
}

// inNumbers reads the tokens near the marked blocks as groups of symbols and as numbers of letters.
func (d *Decoder) inNumbers() {
	toks := d.tokens(d.near(d.coded, 2))
	d.groups(toks)
	d.numbered(toks)
}

// minHexed is how many bytes numbers in hex must spell together, and maxHexed how many digits one
// of them holds at most: longer ones are runs.
const minHexed, maxHexed = 12, 48

// hexed decodes hex that is written in numbers of two bytes and more, with up to three signs
// between them: addresses, colours, the words of a program, or of a text.
func (d *Decoder) hexed(toks []token) {
	p := &d.p[0]
	p.reset()
	digits := func(t token) (from, to int) {
		if from, to = t.from, t.to; to-from > 2 && d.text[from] == '0' && d.text[from+1]|0x20 == 'x' {
			from += 2
		}
		if n := to - from; n < 4 || n > maxHexed || n%2 != 0 || !allHex(d.text[from:to]) {
			return 0, 0
		}
		return from, to
	}
	for i := 0; i < len(toks); {
		first, end := i, 0
		sizes, size, spaced := 0, 0, 0 // numbers of another size than the one before, and behind white space
		d.buf, d.pos = d.buf[:0], d.pos[:0]
		for ; i < len(toks) && (end == 0 || toks[i].from-end <= 3); i++ {
			from, to := digits(toks[i])
			if from == to {
				break
			}
			if i > first {
				sizes += int(bit(to-from != size))
				spaced += int(bit(d.text[toks[i].from-1] <= ' '))
			}
			size = to - from
			for k := from; k < to; k += 2 {
				d.buf, d.pos = append(d.buf, byte(hexVal(d.text[k])<<4|hexVal(d.text[k+1]))), append(d.pos, int32(k))
			}
			end = to
		}
		if end == 0 {
			i++
			continue
		}
		if len(d.buf) < minHexed || !begins(d.buf[:minHexed]) || !readable(d.buf) {
			continue
		}
		// Numbers of many sizes with white space between them are words.
		apart := sizes > 1 && 2*sizes >= i-first && 4*spaced >= 3*(i-first-1)
		p.add(toks[first].from, end)
		next := first
		for k, b := range d.buf {
			at := int(d.pos[k])
			if next < i && at >= toks[next].from {
				if apart && next > first && d.text[toks[next].from-1] <= ' ' {
					p.put(' ', toks[next].from-1, toks[next].from)
				}
				next++
			}
			p.put(b, at, at+2)
		}
		p.end(end)
	}
	d.settle(p, 0, readable, d.packed, WantRuns)
	d.settle(p, 0, readable, d.coded, WantCodes)
	d.spend(len(d.text))
	d.apply("hex", p)
}
