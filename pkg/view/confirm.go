package view

import (
	"bytes"
	"math/bits"
)

// What the bits of a block ask for is asked again of its bytes, before a view is built:
// programs are full of long names, of digits inside names and of numbers.

// looks is what second looks at a text leave to those that follow.
type looks struct {
	packed, fused, coded   int // blocks where they saw runs that may be codes, words without spaces and numbers for letters
	fusedDone              int // where the last run ends that was looked at for words
	vain                   int // how many such runs were
	leetTo, leetDone       int // up to which block digits were read as letters, and where the last word of that ends
	leetLast               int // the last block where one was found
	rowVain                int // looks at rows of words that are none, in vain, since the last that was not
	leetVain               int // blocks read so in vain since one was not
	strewnVain             int // looks for signs strewn into words that saw none
	framedVain, framedDone int // looks for sentences in pieces that saw none, and the block behind the last one
	movedVain, movedDone   int // looks at lines whose letters may stand in another order, in vain, and where the last one ends
	codesVain              int // runs that were decoded to see whether they are codes
	oddVain, oddPassed     int // looks at blocks that are no cipher, and blocks passed over since the last look
}

// surely is how many blocks of a text that ask for a view in earnest are enough: the others that
// seem to are believed. Who fills a text with them is to gain no time.
const surely = 2

// packs looks closely at block k, which holds sixteen letters and digits in a row, or capitals
// inside words again and again: whether one of its runs may be a code, or is words without
// spaces. So many letters and digits stand at the end of the block before.
func (d *Decoder) packs(k, before int, humps bool) (w Wants) {
	all := d.letter[k] | d.digit[k]
	long := all & (all >> 1)
	long &= long >> 2
	long &= long >> 4
	if d.looks.packed >= surely {
		w = WantRuns
	}
	if d.looks.fused >= surely || d.looks.vain > 12+len(d.text)>>7 {
		w |= WantFused
	}
	if !humps {
		long &= long >> 8
	} else if w&WantRuns == 0 && d.grouped(k) {
		w |= WantRuns
	}
	if n := bits.TrailingZeros64(^all); n > 0 && before > 0 {
		if n+before >= 8 {
			w |= d.packsAt(64*k-before, 64*k+n, w)
		}
		long &^= 1<<n - 1
	}
	for starts := long &^ (long << 1); starts != 0; starts &= starts - 1 {
		s := bits.TrailingZeros64(starts)
		w |= d.packsAt(64*k+s, 64*k+s+bits.TrailingZeros64(^(all>>s)), w)
	}
	if w&WantRuns != 0 {
		d.packed[k>>6] |= 1 << (k & 63)
		d.looks.packed++
	}
	if w&WantFused != 0 {
		d.fused[k>>6] |= 1 << (k & 63)
		d.looks.fused++
	}
	return w
}

// packsAt looks at a run of letters and digits for what is not known yet of its block.
func (d *Decoder) packsAt(from, to int, known Wants) (w Wants) {
	for to = min(to, len(d.text)); to < len(d.text) && to-from < longRun && letterByte(d.text[to]); to++ {
	}
	if known&WantRuns == 0 && d.encodes(from, to) {
		w = WantRuns
	}
	if known&WantFused == 0 && to-from >= minFused && from >= d.looks.fusedDone {
		d.looks.fusedDone = to
		// No name is so long: it is not looked at piece by piece.
		if to-from >= longRun && d.sounds(from, to) || to-from < longRun && d.fuses(from, to) || d.partedBy(from, to) != 0 {
			w |= WantFused
		}
	}
	return w
}

// grouped reports that four words of one length, with capitals or digits in each, stand in a row, with one byte between them, in
// block k or half in the one beside it.
func (d *Decoder) grouped(k int) bool {
	for at := max(0, 64*k-32); at <= 64*k+32 && at>>6 < len(d.letter); at += 32 {
		all := window(d.letter, at) | window(d.digit, at)
		odd := window(d.upper, at) | window(d.digit, at)
		starts, ends := all&^(all<<1), all&^(all>>1)
		for s := starts & (starts - 1); s != 0; s &= s - 1 {
			n := bits.TrailingZeros64(s&(s-1)) - bits.TrailingZeros64(s)
			if n <= 2 || 3*n >= 64 {
				continue
			}
			row := starts & (starts >> n) & (starts >> (2 * n)) & (starts >> (3 * n)) & (ends >> (n - 2)) & (ends >> (2*n - 2)) & (ends >> (3*n - 2))
			// Groups of a code hold capitals or digits, few words do.
			group := uint64(1)<<(n-1) - 1
			for ; row != 0; row &= row - 1 {
				if w := odd >> bits.TrailingZeros64(row); w&group != 0 && w>>n&group != 0 && w>>(2*n)&group != 0 && w>>(3*n)&group != 0 {
					return true
				}
			}
		}
	}
	return false
}

// longRun is a length, in bytes, at which a run of symbols is looked at whatever it begins with.
const longRun = 64

// encodes reports that text[from:to], a run of letters and digits, may belong to a code. It
// asks what [Decoder.runs] will ask.
func (d *Decoder) encodes(from, to int) bool {
	text := d.text
	for ; from > 0 && to-from < longRun && base64Byte(text[from-1]); from-- {
	}
	for ; to < len(text) && to-from < longRun && base64Byte(text[to]); to++ {
	}
	n := to - from
	if n >= longRun {
		return true
	}
	if n >= minWrapped && window(d.digit, from)<<(64-n) != 0 {
		return true
	}
	if d.isName(from, to) {
		return false
	}
	kinds := d.codedAs(from, to)
	if kinds&codedSigns != 0 && kinds&^codedSigns == 0 {
		k := lastSign(text[from:to])
		return k >= 0 && n-k > 12 && d.codedAs(from+k+1, to)&coded64 != 0
	}
	if l := &d.looks; kinds != 0 && kinds&codedSigns == 0 && n < minWrapped && l.codesVain < vainLooks+len(d.text)>>8 &&
		(n < minPacked || d.kindsIn(from, to)&hasDigit == 0) {
		// It is no line of a longer code: names begin like codes, and end like none.
		l.codesVain++
		p := &d.p[0]
		p.reset()
		return kinds&codedHex != 0 && d.hexRun(p, from, to) || kinds&(codedHex|coded32) != 0 && d.base32Run(p, from, to, to) ||
			kinds&coded64 != 0 && d.base64Run(p, from, to, to)
	}
	return kinds&^codedSigns != 0
}

// leetBlocks is how far around a block with digits inside words words are read so, in blocks.
const leetBlocks = 3

// leets reports that near block k a digit beside letters, or a sign in front of one, makes a word
// of five letters and more when it is read as a letter.
func (d *Decoder) leets(k int) bool {
	l := &d.looks
	if l.leetVain >= vainLooks+k/vainEvery {
		return l.leetLast >= k-leetBlocks
	}
	for l.leetTo = max(l.leetTo, k-leetBlocks); l.leetTo <= min(k+leetBlocks, len(d.letter)-1); l.leetTo++ {
		d.p[0].reset()
		at, long := l.leetTo, 0
		before, behind := d.letter[at]<<1, d.letter[at]>>1
		for m := d.digit[at]&(before|behind) | d.sign[at]&behind; m != 0 && long == 0; m &= m - 1 {
			if i := at<<6 + bits.TrailingZeros64(m); i >= l.leetDone && leetTable[d.text[i]] {
				l.leetDone = d.leetWord(&d.p[0], i, l.leetDone, &long)
			}
		}
		if l.leetVain++; long > 0 {
			l.leetLast, l.leetVain = at, 0
		}
	}
	return l.leetLast >= k-leetBlocks
}

// numbers reports that block k, which holds many digits, or those beside it may hold letters
// written as numbers: several side by side that stand for letters or signs.
func (d *Decoder) numbers(k int) bool {
	toks := d.tokens([]extent{{int32(max(0, 64*k-64)), int32(min(len(d.text), 64*k+128))}})
	var row [len(numbers)]int // of codes in each base
	places, alike := 0, 0     // rows of places in the alphabet, and of numbers of one size
	hexes := 0                // of numbers of several bytes
	for i, t := range toks {
		n := t.to - t.from
		if t.from > 0 && d.text[t.from-1] == '%' && n >= 2 && beginsPair(d.text[t.from:]) {
			// Percent-encoding, however often, is undone as that.
			clear(row[:])
			places, alike, hexes = 0, 0, 0
			continue
		}
		if gap := 0; i > 0 {
			if gap = t.from - toks[i-1].to; gap > 3 {
				clear(row[:])
			}
			if alike++; gap > 1 || toks[i-1].to-toks[i-1].from != n {
				alike = 0
			}
		}
		tok := d.text[t.from:t.to]
		if n >= 18 || alike >= 2 && n > 3 {
			return true
		}
		if hexes++; !beginsHex(tok) {
			hexes = 0
		}
		if hexes >= 4 {
			return true
		}
		for b, c := range codesOf(tok) {
			if row[b]++; c < ' ' || c == 0x7f || c > 0x7f && !letterRune(rune(c)) {
				row[b] = 0
			}
			if row[b] >= 4 {
				return true
			}
		}
		if places++; n > 2 || !isDigit(tok[0]) || !isDigit(tok[n-1]) {
			places = 0
		}
		if places >= minNumbered {
			return true
		}
	}
	return false
}

// beginsPair reports that two hex digits are in front.
func beginsPair(text []byte) bool { return hexVal(text[0]) >= 0 && hexVal(text[1]) >= 0 }

// beginsHex reports a number in hex, of two bytes at least, that begins with those of a text.
func beginsHex(tok []byte) bool {
	if len(tok) > 2 && tok[0] == '0' && tok[1]|0x20 == 'x' {
		tok = tok[2:]
	}
	if len(tok) < 4 || len(tok) > 16 || len(tok)%2 != 0 {
		return false
	}
	for k := 0; k < len(tok); k += 2 {
		if h, l := hexVal(tok[k]), hexVal(tok[k+1]); h < 0 || l < 0 || noText[h<<4|l] {
			return false
		}
	}
	return true
}

// tagTells reports that the tag at text[i] hides something, or parts words that are shown
// together: most do neither.
func (d *Decoder) tagTells(i int) bool {
	t := d.tagAt(i)
	if t.end == 0 || t.inlined || t.program {
		return t.end > 0
	}
	body := d.text[i:t.end]
	return !t.closing && (len(body) > 12 && d.conceals(body) || bytes.Count(body, spaces[:1]) >= 3)
}
