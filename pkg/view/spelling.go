package view

import (
	"bytes"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"
)

// tokens gives the tokens of parts of the text, until the next call.
func (d *Decoder) tokens(parts []extent) []token {
	d.toks = d.toks[:0]
	for _, x := range parts {
		d.tokensIn(int(x.from), int(x.to))
	}
	return d.toks
}

func (d *Decoder) tokensIn(from, to int) {
	text := d.text[:to]
	d.spend(to - from)
	if !d.wide {
		d.asciiTokens(from, to)
		return
	}
	for i := from; i < to; {
		if c := text[i]; c < utf8.RuneSelf && !letterByte(c) {
			i++
			continue
		}
		t := token{from: i}
		for i < len(text) {
			if c := text[i]; c < utf8.RuneSelf {
				if !letterByte(c) {
					break
				}
				t.runes++
				i++
				continue
			}
			r, n := utf8.DecodeRune(text[i:])
			if !tokenRune(r) {
				break
			}
			if !unicode.IsMark(r) {
				t.runes++
			}
			i += n
		}
		if t.to = i; t.to > t.from {
			d.toks = append(d.toks, t)
			continue
		}
		_, n := utf8.DecodeRune(text[i:])
		i += n
	}
}

// asciiTokens is tokensIn for a text without letters beyond ASCII.
func (d *Decoder) asciiTokens(from, to int) {
	open := -1 // where the token that is open began
	for k := from >> 6; k<<6 < to; k++ {
		all := d.letter[k] | d.digit[k]
		if at := from - k<<6; at > 0 {
			all &= ^uint64(0) << at
		}
		if at := to - k<<6; at < 64 {
			all &= 1<<at - 1
		}
		if open >= 0 && all&1 == 0 { // it ended with the block before
			d.toks = append(d.toks, token{open, k << 6, k<<6 - open})
			open = -1
		}
		carry := uint64(0)
		if open >= 0 {
			carry = 1
		}
		// Where tokens begin and end, in turns.
		for edges := all ^ (all<<1 | carry); edges != 0; edges &= edges - 1 {
			i := k<<6 + bits.TrailingZeros64(edges)
			if open < 0 {
				open = i
				continue
			}
			d.toks = append(d.toks, token{open, i, i - open})
			open = -1
		}
	}
	if open >= 0 {
		d.toks = append(d.toks, token{open, to, to - open})
	}
}

func tokenRune(r rune) bool {
	if r < utf8.RuneSelf {
		return letterByte(byte(r))
	}
	return r != utf8.RuneError && (letterOrMark(r) || unicode.IsDigit(r))
}

// gap is what stands between two letters: up to six bytes and their number, so that
// gaps compare as the strings do.
func (d *Decoder) gap(from, to int) (g uint64) {
	for i := from; i < min(to, from+6); i++ {
		g |= uint64(d.text[i]) << (56 - 8*(i-from))
	}
	return g | uint64(to-from)
}

// element gives how many bytes stand between two elements of the list of letters that begins
// with toks[i], if up to three more of its elements, spaces and signs, stand in front of
// toks[j]: 'a', ' ', 'b'. It gives 0 if something else does.
func (d *Decoder) element(toks []token, i, j int) int {
	if j < i+2 {
		return 0
	}
	sep := d.text[toks[i].to:toks[i+1].from]
	gap := d.text[toks[j-1].to:toks[j].from]
	n := len(sep)
	if n < 3 || n > 6 || len(gap) > 4*n+3 || (len(gap)-n)%(n+1) != 0 || len(gap) == n {
		return 0
	}
	for at := 0; at < len(gap); at += n + 1 {
		if !bytes.Equal(gap[at:at+n], sep) {
			return 0
		}
	}
	return n
}

// spacing joins single letters that stand apart, and words broken in pieces.
func (d *Decoder) spacing() {
	toks := d.tokens(d.near(d.spaced, 3))
	p := &d.p[0]
	p.reset()
	for i := 0; i < len(toks); {
		j := i
		for j < len(toks) && toks[j].runes == 1 && (j == i || toks[j].from-toks[j-1].to <= 6 || d.element(toks, i, j) > 0) {
			j++
		}
		if j-i < 5 {
			i = max(j, i+1)
			continue
		}
		// The commonest separator joins letters; every other one parts words.
		var kinds [16]struct {
			gap uint64
			n   int
		}
		for k := i + 1; k < j; k++ {
			g := d.gap(toks[k-1].to, toks[k].from)
			for x := range kinds {
				if kinds[x].n == 0 || kinds[x].gap == g {
					kinds[x].gap = g
					kinds[x].n++
					break
				}
			}
		}
		usual := kinds[0]
		for _, x := range kinds[1:] {
			if x.n > usual.n || x.n == usual.n && x.gap < usual.gap {
				usual = x
			}
		}
		for k := i; k < j; {
			m := k + 1
			for m < j && d.gap(toks[m-1].to, toks[m].from) == usual.gap {
				m++
			}
			element := 0
			if m < j && toks[m].from-toks[m-1].to > 6 {
				element = d.element(toks, i, m)
			}
			if m-k >= 3 || element > 0 {
				d.joined(p, toks[k:m])
			}
			if element > 0 {
				p.add(toks[m-1].to, toks[m].from)
				for at := toks[m-1].to + element; at < toks[m].from; at += element + 1 {
					p.put(d.text[at], at, at+1)
				}
				p.end(toks[m].from)
			}
			k = m
		}
		i = j
	}
	d.apply("spacing", p)
	d.broken(toks)
}

// joined makes one patch of letters that stand apart; letters with nothing
// between words are cut by the vocabulary.
func (d *Decoder) joined(p *patches, toks []token) {
	first, last := toks[0], toks[len(toks)-1]
	p.add(first.from, last.to)
	from := len(p.Text)
	for _, t := range toks {
		for k := t.from; k < t.to; k++ {
			p.put(d.text[k], t.from, t.to)
		}
	}
	defer p.end(last.to)
	out := p.Text[from:]
	d.spend(len(out))
	if len(out) < 10 || !isASCII(out) || d.words.has(out) {
		return
	}
	ends, _, covered := d.segment(out)
	if covered*10 < len(out)*6 {
		return
	}
	d.buf = append(d.buf[:0], out...)
	p.cut(from)
	for k, b := range d.buf {
		if len(ends) > 0 && k == ends[0] {
			t := toks[k-1] // all is ASCII: one letter is one byte
			p.put(' ', t.from, t.to)
			ends = ends[1:]
		}
		p.put(b, toks[k].from, toks[k].to)
	}
}

// broken joins words that were cut in pieces: "ig nore", "instru-ctions". Only
// words of the vocabulary are put together.
func (d *Decoder) broken(toks []token) {
	if d.words == nil {
		return
	}
	text := d.text
	p := &d.p[0]
	p.reset()
	for i := 0; i < len(toks); i++ {
		best := -1
		size := toks[i].to - toks[i].from
		n := d.words.walk(0, text[toks[i].from:toks[i].to])
		for j := i + 1; n != 0 && j < len(toks) && j < i+8; j++ {
			gap := text[toks[j-1].to:toks[j].from]
			if len(gap) > 3 || size > 20 || slices.ContainsFunc(gap, parts) {
				break
			}
			n = d.words.walk(n, text[toks[j].from:toks[j].to])
			size += toks[j].to - toks[j].from
			least := 5
			if gap[0] != ' ' {
				least = 4 // a line break or a hyphen inside a word is rarer than a space
			}
			if size >= least && d.words.nodes[n].letters&wordEnd != 0 {
				best = j
			}
		}
		if best < 0 {
			continue
		}
		p.add(toks[i].from, toks[best].to)
		for _, t := range toks[i : best+1] {
			p.copy(text, t.from, t.to)
		}
		p.end(toks[best].to)
		i = best
	}
	d.spend(len(text))
	d.apply("split-words", p)
}

// parts reports a sign that never stands inside a word.
func parts(c byte) bool {
	switch c {
	case '.', ',', ';', ':', '!', '?', '(', ')', '"':
		return true
	}
	return false
}

// joints gives where capitals behind small letters part d.text[from:to], which is one
// run of letters, and its end. The slice is valid until the next call.
func (d *Decoder) joints(from, to int) []int {
	d.ends = d.ends[:0]
	for at := from; at < to; at += 63 { // the last letter of a window is the first of the next
		n := min(to-at, 64)
		upper, small := window(d.upper, at), window(d.letter, at)&^window(d.upper, at)
		for m := upper & (small << 1) & (^uint64(0) >> (64 - n)); m != 0; m &= m - 1 {
			d.ends = append(d.ends, at-from+bits.TrailingZeros64(m))
		}
	}
	d.ends = append(d.ends, to-from)
	return d.ends
}

// minFused is how many letters words without spaces between them hold at least.
const minFused = 14

// fuses reports that text[from:to], one run of letters, is words that were written together,
// and where each of them ends. The slice is valid until the next call.
func (d *Decoder) fuses(from, to int) (ends []int, ok bool) {
	run := d.text[from:to]
	if ends = d.joints(from, to); len(ends) < 3 && len(run) < 16 || d.words == nil {
		return nil, false
	}
	d.spend(len(run))
	if len(ends) >= 3 {
		long, last := 0, 0
		for _, e := range ends {
			long += int(bit(e-last >= 5))
			last = e
		}
		known, last := 0, 0
		for _, e := range ends {
			if long < 2 {
				return nil, false // a name in a program
			}
			if e-last >= 5 {
				if d.words.has(run[last:e]) {
					known++
				} else {
					long--
				}
			}
			last = e
		}
		return ends, known >= 2 && !d.words.has(run)
	}
	if d.words.has(run) || len(ends) == 2 && d.words.has(run[:ends[0]]) && d.words.has(run[ends[0]:]) {
		return nil, false
	}
	ends, words, covered := d.segment(run)
	// Long words of other languages fall into syllables that are words somewhere.
	return ends, words >= 3 && covered*10 >= len(run)*8 && covered*10 >= words*32
}

// squash cuts words that were written together.
func (d *Decoder) squash() {
	text := d.text
	p := &d.p[0]
	p.reset()
	parts := d.near(d.fused, 1)
	for _, x := range d.longWords() {
		from, to := int(x.from), int(x.to)
		if to-from < minFused {
			continue
		}
		for len(parts) > 0 && parts[0].to <= x.from {
			parts = parts[1:]
		}
		if len(parts) == 0 {
			break
		}
		if x.from < parts[0].from {
			continue
		}
		ends, ok := d.fuses(from, to)
		if !ok {
			continue
		}
		p.add(from, to)
		last := 0
		for _, e := range ends {
			if last > 0 {
				p.put(' ', from+last-1, from+last)
			}
			p.copy(text, from+last, from+e)
			last = e
		}
		p.end(to)
	}
	d.apply("unspaced", p)
}

var leetLetters = [256]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '6': 'g', '7': 't', '8': 'b', '9': 'g', '@': 'a', '$': 's', '!': 'i', '|': 'l', '+': 't', '(': 'c'}

var leetTable = func() (t [256]bool) {
	for c := range 256 {
		b := byte(c)
		t[c] = letterByte(b) || b == '@' || b == '$' || b == '!' || b == '|' || b == '+'
	}
	return t
}()

// leet reads digits and signs inside words as the letters they resemble, where
// that gives a word of the vocabulary.
func (d *Decoder) leet() {
	text := d.text
	p := &d.p[0]
	p.reset()
	long, done := 0, 0
	for _, part := range d.near(d.leety, leetReach) {
		for k := int(part.from >> 6); k<<6 < int(part.to); k++ {
			for m := d.sign[k] | d.digit[k]; m != 0; m &= m - 1 {
				i := k<<6 + bits.TrailingZeros64(m)
				if i < max(done, int(part.from)) || i >= int(part.to) || !leetTable[text[i]] {
					continue
				}
				done = d.leetWord(p, i, done, &long)
			}
		}
	}
	d.spend(len(text))
	if long > 0 {
		d.apply("leet", p)
	}
}

// leetWord adds the word around text[i] to p, if one is written so, and gives its end.
// Done is where the one before ended; long counts the words of five letters and more.
func (d *Decoder) leetWord(p *patches, i, done int, long *int) int {
	text := d.text
	from := i
	for from > done && leetTable[text[from-1]] {
		from--
	}
	letters, signs := i-from, 0 // nothing but letters stood before
	for i < len(text) && leetTable[text[i]] {
		if isLetter(text[i]) {
			letters++
		} else {
			signs++
		}
		i++
	}
	if letters == 0 && signs < 4 || i-from > 24 {
		return i
	}
	for to := i; to > from+1; to-- {
		if w, ok := d.unleet(text[from:to]); ok {
			p.add(from, to)
			for k, b := range w {
				p.put(b, from+k, from+k+1)
			}
			p.end(to)
			if len(w) >= 5 {
				*long++
			}
			break
		}
		if c := text[to-1]; c != '!' && c != '|' && c != '+' {
			break
		}
	}
	return i
}

// unleet reads a word; the result is valid until the next call.
func (d *Decoder) unleet(s []byte) ([]byte, bool) {
	var ones [4]int // places that may be i or l
	n := 0
	d.buf = d.buf[:0]
	for i, c := range s {
		if isLetter(c) {
			d.buf = append(d.buf, c|0x20)
			continue
		}
		b := leetLetters[c]
		if b == 0 {
			return nil, false
		}
		d.buf = append(d.buf, b)
		if (c == '1' || c == '!' || c == '|') && n < len(ones) {
			ones[n] = i
			n++
		}
	}
	for bits := 0; bits < 1<<n; bits++ {
		for k, i := range ones[:n] {
			d.buf[i] = 'i'
			if bits>>k&1 == 1 {
				d.buf[i] = 'l'
			}
		}
		if d.words.has(d.buf) {
			return d.buf, true
		}
	}
	// An inflected or unknown word beside known ones is still worth reading.
	return d.buf, d.words == nil
}

// concats removes the joints between string literals.
func (d *Decoder) concats() {
	text := d.text
	p := &d.p[0]
	p.reset()
	done := 0
	for word, sign := range d.sign {
		for ; sign != 0; sign &= sign - 1 {
			i := word<<6 + bits.TrailingZeros64(sign)
			if i < done {
				continue
			}
			if from, to, ok := joinAt(text, i); ok && from >= done {
				p.remove(from, to)
				done = to
			}
		}
	}
	d.spend(len(text))
	d.apply("concat", p)
}

// misspelt looks for words of eight letters and more that are shuffled or lost one, and marks
// their blocks, but not many side by side.
func (d *Decoder) misspelt() (found bool) {
	next := 0 // where to go on
	for _, x := range d.longWords() {
		if int(x.from) < next || x.to-x.from > 24 {
			continue
		}
		if k, two := maybeSlot(signatureAt(d.text, int(x.from), int(x.to))); d.words.maybe[k]&two != two {
			continue
		}
		s := d.text[x.from:x.to]
		met, slot, key := d.known.holds(s)
		if met {
			continue
		}
		if _, ok := d.words.unshuffle(s); ok {
			d.mixed[x.from>>12] |= 1 << (x.from >> 6 & 63)
			next, found = int(x.from)+64*mixedReach/2, true
		} else if slot != nil {
			*slot = key
		}
	}
	return found
}

// mixedReach is how far from a long misspelt word shorter ones are looked for, in blocks.
const mixedReach = 6

// respell puts shuffled words in order.
func (d *Decoder) respell() {
	text := d.text
	p := &d.p[0]
	p.reset()
	d.names = wordRuns(d.names[:0], d.letter)
	parts := d.near(d.mixed, mixedReach)
	for _, x := range d.names {
		for len(parts) > 0 && parts[0].to <= x.from {
			parts = parts[1:]
		}
		if len(parts) == 0 {
			break
		}
		if x.from < parts[0].from {
			continue
		}
		from, to := int(x.from), int(x.to)
		if w, ok := d.words.unshuffle(text[from:to]); ok {
			p.add(from, to)
			p.puts(w, from, to)
			p.end(to)
		}
	}
	d.spend(len(text))
	d.apply("shuffled", p)
}

// reversed reads the text backwards, and each word backwards.
func (d *Decoder) reversed() {
	text := d.text
	back := d.start("reversed", len(text))
	backwards(&back, text, 0, len(text))
	d.emit(back)
	words := d.start("reversed-words", len(text))
	pos := 0
	for _, t := range d.tokens([]extent{{0, int32(len(text))}}) {
		words.copy(text, pos, t.from)
		backwards(&words, text, t.from, t.to)
		pos = t.to
	}
	words.copy(text, pos, len(text))
	d.spend(2 * len(text))
	d.emit(words)
}

// backwards appends the runes of text[from:to], last first.
func backwards(v *View, text []byte, from, to int) {
	for i := to; i > from; {
		n := 1
		if text[i-1] >= utf8.RuneSelf {
			_, n = utf8.DecodeLastRune(text[from:i])
		}
		for k := i - n; k < i; k++ {
			v.put(text[k], i-n, i)
		}
		i -= n
	}
}

// order reads the words in reverse order. Signs stay with the word they follow.
func (d *Decoder) order() {
	text := d.text
	v := d.start("word-order", 2*len(text))
	for i := len(text); i > 0; {
		end := i
		for end > 0 && text[end-1] <= ' ' {
			end--
		}
		from := end
		for from > 0 && text[from-1] > ' ' {
			from--
		}
		v.copy(text, from, end)
		if from > 0 {
			v.put(' ', from-1, from)
		}
		i = from
	}
	d.spend(len(text))
	d.emit(v)
}

// mapped replaces byte by byte.
func (d *Decoder) mapped(name string, f func(byte) byte) {
	var table [256]byte
	for c := range table {
		table[c] = f(byte(c))
	}
	v := d.start(name, len(d.text))
	for i, c := range d.text {
		v.put(table[c], i, i+1)
	}
	d.spend(len(d.text))
	d.emit(v)
}

func caesar(n int) func(byte) byte {
	return func(c byte) byte {
		switch {
		case c >= 'a' && c <= 'z':
			return 'a' + (c-'a'+byte(n))%26
		case c >= 'A' && c <= 'Z':
			return 'A' + (c-'A'+byte(n))%26
		}
		return c
	}
}

func atbash(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z':
		return 'z' - (c - 'a')
	case c >= 'A' && c <= 'Z':
		return 'Z' - (c - 'A')
	}
	return c
}

func rot47(c byte) byte {
	if c >= '!' && c <= '~' {
		return '!' + (c-'!'+47)%94
	}
	return c
}

// Encipher gives a word as the views of w would have to find it: what a search
// must look for to know that the view is worth building.
func Encipher(w Wants, word string) string {
	b := []byte(word)
	switch {
	case w&WantCaesar != 0:
		f := caesar(26 - w.shift())
		for i := range b {
			b[i] = f(b[i])
		}
	case w&WantAtbash != 0:
		for i := range b {
			b[i] = atbash(b[i])
		}
	case w&WantRot47 != 0:
		for i := range b {
			b[i] = rot47(b[i])
		}
	case w&WantReversed != 0:
		r := []rune(word)
		for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
			r[i], r[j] = r[j], r[i]
		}
		return string(r)
	}
	return string(b)
}
