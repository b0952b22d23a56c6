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
	if to == from+1 {
		return uint64(d.text[from])<<56 | 1
	}
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
	if n < 1 || n > 6 || len(gap) > 4*n+3 || (len(gap)-n)%(n+1) != 0 || len(gap) == n {
		return 0
	}
	for at := 0; at < len(gap); at += n + 1 {
		if !bytes.Equal(gap[at:at+n], sep) {
			return 0
		}
	}
	return n
}

// boxes are what may stand around a letter that stands alone: how it opens and how it closes.
var boxes = [256]byte{'"': '"', '\'': '\'', '`': '`', '[': ']', '(': ')', '{': '}', '<': '>'}

// Bounds of letters in boxes: how many there are at least, and how much stands between two, in bytes.
const minBoxed, maxBoxGap = 5, 4

// boxAt gives where the rune lies that stands alone in the box which opens at text[i]; empty: there is
// none. A quote may have a backslash in front of the rune.
func boxAt(text []byte, i int) extent {
	shut := boxes[text[i]]
	if shut == 0 || i+2 >= len(text) {
		return extent{}
	}
	from := i + 1
	if shut == text[i] && text[from] == '\\' && text[from+1] != shut || text[from] == '\\' && i+3 < len(text) && text[i+3] == shut {
		from++
	}
	_, n := utf8.DecodeRune(text[from:])
	if from+n >= len(text) || text[from+n] != shut {
		return extent{}
	}
	return extent{int32(from), int32(from + n)}
}

// boxed puts together letters that each stand in quotes, as the elements of a list, or in brackets. Of a list
// what parts the elements is left out; behind a bracket what stands between words stays.
func (d *Decoder) boxed(p *patches, parts []extent) {
	text := d.text
	for _, part := range parts {
		for i := int(part.from); i < int(part.to); {
			if boxes[text[i]] == 0 { // as most bytes are
				i++
				continue
			}
			first := boxAt(text, i)
			if first.to == 0 {
				i++
				continue
			}
			shut := boxes[text[i]]
			list := shut == text[i]
			var gap []byte
			n, letters := 0, 0
			p.add(i, i)
			if list {
				p.put('\n', i, i+1)
			}
			at := i
			for x := first; x.to > 0; n++ {
				c := text[x.from]
				if list && text[x.from-1] == '\\' && (c == 'n' || c == 't' || c == 'r') {
					c = ' '
				}
				letters += int(bit(isLetter(c) || c >= utf8.RuneSelf || c == ' '))
				p.put(c, at, int(x.to)+1)
				for k := x.from + 1; k < x.to; k++ {
					p.put(text[k], at, int(x.to)+1)
				}
				end := int(x.to) + 1
				at = end
				for at < len(text) && at-end <= maxBoxGap && text[at] != text[i] {
					at++
				}
				if x = (extent{}); at < len(text) && text[at] == text[i] {
					x = boxAt(text, at)
				}
				switch between := text[end:min(at, len(text))]; {
				case x.to == 0:
				case list && len(between) == 0:
					x = extent{} // quotes in words, not around them
				case list && n == 0:
					gap = between
				case list && !bytes.Equal(between, gap):
					x = extent{}
				case !list:
					p.copy(text, end, at)
				}
				if x.to == 0 {
					at = end
				}
			}
			if n < minBoxed || letters*4 < 3*n {
				p.drop()
				i = at // no box of this run belongs to a longer one
				continue
			}
			if list {
				p.put('\n', at-1, at)
			}
			p.end(at)
			i = at
		}
	}
	d.spend(len(text))
}

// spacing joins single letters that stand apart, and words broken in pieces.
func (d *Decoder) spacing() {
	p := &d.p[0]
	p.reset()
	parts := d.near(d.spaced, 3)
	if d.boxed(p, parts); len(p.list) > 0 {
		d.apply("spacing", p)
		return
	}
	toks := d.tokens(parts)
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
		before := false // what stands in front is of the same list
		for k := i; k < j; {
			// Or each word has its own.
			between := usual.gap
			if k+2 < j {
				if g := d.gap(toks[k].to, toks[k+1].from); g != usual.gap && byte(g>>56) > ' ' && d.gap(toks[k+1].to, toks[k+2].from) == g {
					between = g
				}
			}
			m := k + 1
			for m < j && d.gap(toks[m-1].to, toks[m].from) == between {
				m++
			}
			element := 0
			if m < j {
				element = d.element(toks, i, m)
			}
			if m-k >= 3 || element > 0 || before && m-k > 1 {
				d.joined(p, toks[k:m])
			}
			before = element > 0
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
	switch {
	case len(p.list) < manySpaced || !d.strewnShows(p):
		d.apply("spacing", p)
	case !d.strewnBeside(p):
		d.noisy = false // the two show the same
		d.apply("spacing", p)
	}
	d.broken(toks)
}

// manySpaced is how many words are enough that are spaced by signs: a view without these reads
// the same, but for the signs around, which makes a second one worth its while in a short text only.
const manySpaced = 48

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
	if len(out) < 10 || !isASCII(out) || d.words.has(out) || monotone(out) {
		return
	}
	ends, _, reads := d.segment(out)
	if !reads {
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
		if i+1 == len(toks) || size == 1 && toks[i+1].to-toks[i+1].from == 1 {
			continue // letters that stand alone in a row are another matter
		}
		single := int(bit(size == 1))
		n := d.words.walk(0, text[toks[i].from:toks[i].to])
		for j := i + 1; n != 0 && j < len(toks) && j < i+8; j++ {
			gap := text[toks[j-1].to:toks[j].from]
			if single += int(bit(toks[j].to-toks[j].from == 1)); single > 1 {
				break
			}
			if len(gap) > 3 || size > 20 || slices.ContainsFunc(gap, parts) {
				break
			}
			n = d.words.walk(n, text[toks[j].from:toks[j].to])
			size += toks[j].to - toks[j].from
			least := 5
			if gap[0] != ' ' {
				least = 4 // a line break or a hyphen inside a word is rarer than a space
			}
			if size >= least && d.words.nodes[n].letters&wordEnd != 0 && !d.apart(toks[i:j+1], int(d.words.costs[n])) {
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
	if !d.strewnShows(p) {
		d.apply("split-words", p)
	}
}

// inPieces reports that block k, whose words are short, holds two pairs of pieces that are
// words together, and not each by itself.
func (d *Decoder) inPieces(k int, letter uint64) bool {
	if d.words == nil {
		return false
	}
	var piece [maxWord]byte
	text := d.text[64*k:]
	pairs, long, known, last := 0, 0, true, 0 // of the piece before: its letters, whether it is a word, where it ends
	for m := letter; m != 0; {
		from := bits.TrailingZeros64(m)
		n := bits.TrailingZeros64(^(m >> from))
		m &= m + 1<<from
		word := text[from : from+n]
		is := n == 1 || n <= maxWord && d.words.likely(text, from, from+n)
		if long > 0 && from-last == 1 && long+n >= 5 && long+n <= len(piece) && !(known && is) && (text[last] == ' ' || text[last] == '-') {
			copy(piece[long:], word)
			if d.words.likely(piece[:], 0, long+n) {
				if pairs++; pairs == 2 {
					return true
				}
			}
		}
		long, known, last = min(n, 20), is, from+n
		copy(piece[:], word[:long])
	}
	return false
}

// apart reports that tokens are words by themselves, together not much seldomer than the one
// word of that cost which they make.
func (d *Decoder) apart(toks []token, cost int) bool {
	sum := 0
	for _, t := range toks {
		sum += d.words.cost(d.text[t.from:t.to])
	}
	return sum < costNone && sum < cost+costJoin
}

// parts reports a sign that never stands inside a word.
func parts(c byte) bool {
	switch c {
	case '.', ',', ';', ':', '!', '?', '(', ')', '"':
		return true
	}
	return false
}

// Bounds of words that were written together: how many bytes without white space they fill
// at least, and how many of them have nothing between them.
const (
	minFused = 14
	minCuts  = 3
)

// fusedReach is how far around a run of letters the words are looked at that may have been
// written together with its own, in bytes; minProgram how many words there are at least
// beside the signs of a program, minNames how many of which none need be common.
const (
	minNames   = 7
	fusedReach = 48
	minProgram = 8
)

// fuses reports that the text around text[from:to], one run of letters and digits, is words
// that were written together.
func (d *Decoder) fuses(from, to int) bool {
	if d.words == nil {
		return false
	}
	text := d.text
	humps := 0
	for i := from + 1; i < to; i++ {
		humps += int(bit(text[i] < 'a' && text[i-1] >= 'a' && isLetter(text[i])))
	}
	if humps > 0 && humps < minCuts {
		return false // a name in a program
	}
	inProgram := to < len(text) && programSign[text[to]] || from > 0 && programSign[text[from-1]]
	if inProgram && humps > 0 && humps < minProgram || humps == 0 && to-from <= maxWord && d.words.likely(text, from, to) {
		return false
	}
	// What reads as no language is no words: most codes are left here.
	if !d.sounds(from, to) {
		return false
	}
	low, high := max(0, from-fusedReach), min(len(text), to+fusedReach)
	for from > low && text[from-1] > ' ' {
		from--
	}
	for to < high && text[to] > ' ' {
		to++
	}
	d.looks.vain++
	d.p[0].reset()
	return d.squashed(&d.p[0], from, to)
}

// sounds reports that text[from:to] may be words of some language: letters, most of it.
func (d *Decoder) sounds(from, to int) bool {
	text := d.text[from:to]
	letters := 0
	for _, c := range text {
		letters += int(bit(letterClass[c] != 0))
	}
	if letters*4 < 3*len(text) || monotone(text) {
		return false
	}
	usual, _, n := sumOf(text)
	return tenfold(usual, n) > 0
}

// fewKinds is how many different letters any kindsAmong bytes of words hold at least.
const fewKinds, kindsAmong = 6, 40

// monotone reports that text holds so few different letters that it is no words: to look for the best cut
// of a thousand times the same two letters takes as long as for that of a page.
func monotone(text []byte) bool {
	kinds := uint32(0)
	for _, c := range text {
		kinds |= 1 << (letterClass[c] & 31)
	}
	return len(text) >= kindsAmong && bits.OnesCount32(kinds&^1) < fewKinds
}

// squash cuts words that were written together.
func (d *Decoder) squash() {
	text := d.text
	p := &d.p[0]
	p.reset()
	for _, part := range d.near(d.fused, 1) {
		for i := int(part.from); i < int(part.to); {
			if text[i] <= ' ' {
				i++
				continue
			}
			j := i
			for j < int(part.to) && text[j] > ' ' {
				j++
			}
			if c := d.partedBy(i, j); c != 0 {
				p.add(i, j)
				for k := i; k < j; k++ {
					if b := text[k]; b == c {
						p.put(' ', k, k+1)
					} else {
						p.put(b, k, k+1)
					}
				}
				p.end(j)
			} else if j-i >= minFused && d.sounds(i, j) {
				d.squashed(p, i, j)
			}
			i = j
		}
	}
	d.apply("unspaced", p)
}

// squashed cuts text[from:to], in which nothing is white space, if it is words that were
// written together rather than a name in a program or what somebody encoded: most of it is
// words, and every fourth of them a common one.
func (d *Decoder) squashed(p *patches, from, to int) bool {
	text := d.text
	p.add(from, to)
	pieces, known, common, covered, letters, runs, program, humps := 0, 0, 0, 0, 0, 0, false, false
	count := func(word []byte) {
		cost := d.words.cost(word)
		pieces++
		if cost < costNone {
			known++
			covered += len(word)
		}
		common += int(bit(cost <= costCommon))
	}
	for i := from; i < to; {
		c := text[i]
		if !isLetter(c) {
			p.put(c, i, i+1)
			i++
			program = program || programSign[c] || c == '.' && i < to && text[i] >= 'a'
			if i < to && (isLetter(text[i]) || text[i] == '"') && bytes.IndexByte(wordEnds, c) >= 0 {
				p.put(' ', i-1, i)
			}
			continue
		}
		end := i
		for end < to && isLetter(text[end]) {
			end++
		}
		letters += end - i
		runs++
		for i < end {
			stop := i + d.joint(text[i:end])
			humps = humps || stop < end
			run := text[i:stop]
			ends, reads := []int(nil), false
			if len(run) >= 5 && !d.words.has(run) {
				ends, _, reads = d.segment(run)
			}
			if !reads {
				count(run)
			} else {
				last := 0
				for _, e := range ends {
					count(run[last:e])
					p.copy(text, i+last, i+e)
					if last = e; e < len(run) {
						p.put(' ', i+e-1, i+e)
					}
				}
			}
			if !reads {
				p.copy(text, i, stop)
			}
			if i = stop; i < end {
				p.put(' ', i-1, i)
			}
		}
	}
	p.end(to)
	d.spend(to - from)
	if program && (pieces < minProgram || common*3 < pieces) || pieces-runs < minCuts || covered*10 < letters*8 || (common < 2 || common*4 < pieces || humps && common*3 <= pieces) && (known < minNames || known*5 < pieces*4) || letters*4 < 3*(to-from) {
		p.drop()
		return false
	}
	return true
}

// programSign tells signs that names in programs stand beside.
var programSign = func() (t [256]bool) {
	for _, c := range []byte("(){}[]=<>/_$#\\") {
		t[c] = true
	}
	return t
}()

// wordEnds are signs behind which a space stands.
var wordEnds = []byte(".,:;!?)\"")

// joint gives where the first of the words ends that capitals part in a run of letters: one
// that a small letter stands in front of, or one of several with a small letter behind it. It
// may belong to those in front of it, where what follows is a word without it and none with it.
func (d *Decoder) joint(run []byte) int {
	for i := 1; i < len(run); i++ {
		switch {
		case run[i] >= 'a':
		case run[i-1] >= 'a':
			return i
		case i+1 < len(run) && run[i+1] >= 'a':
			end := i + 1
			for end < len(run) && run[end] >= 'a' {
				end++
			}
			if !d.words.has(run[i:end]) && (d.words.has(run[i+1:end]) || end-i > 7) && d.words.has(run[:i+1]) {
				i++
			}
			return i
		}
	}
	return len(run)
}

var leetLetters = [256]byte{'#': 'h', '2': 'z', '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '6': 'g', '7': 't', '8': 'b', '9': 'g', '@': 'a', '$': 's', '!': 'i', '|': 'l', '+': 't', '(': 'c'}

var leetTable = func() (t [256]bool) {
	for c := range 256 {
		b := byte(c)
		t[c] = letterByte(b) || leetLetters[c] != 0 && b != '('
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
	for _, part := range d.near(d.leety, leetBlocks) {
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
	letters, digits := i-from, 0 // nothing but letters stood before
	for ; i < len(text); i++ {
		if !leetTable[text[i]] && (text[i] != '\'' || i+1 == len(text) || !leetTable[text[i+1]]) {
			break
		}
		letters += int(bit(isLetter(text[i])))
		digits += int(bit(isDigit(text[i])))
	}
	if i-from > 24 {
		return i
	}
	// Numbers are read as words only behind words that are written so, and as common ones.
	beside := p.last() != nil && from-p.last().to <= leetReach
	for to := i; to > from && (to > from+1 || beside); to-- {
		w, cost := d.unleet(text[from:to])
		if cost <= costCommon && (digits < i-from || beside) || cost < costNone && (letters > 0 || to-from > 3 && digits < to-from || to-from > 4) {
			p.add(from, to)
			k := from
			for _, b := range w {
				if text[k] == '\'' {
					p.put('\'', k, k+1)
					k++
				}
				if isLetter(text[k]) {
					b = text[k]
				}
				p.put(b, k, k+1)
				k++
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

// leetReach is how near a word that is written so makes a number one, in bytes.
const leetReach = 12

// unleet reads a word as the commonest one that it may be, without its apostrophes, and gives
// what that costs. The result is valid until the next call.
func (d *Decoder) unleet(s []byte) ([]byte, int) {
	var ones [4]int // places that may be i or l
	n := 0
	d.buf = d.buf[:0]
	for _, c := range s {
		switch b := leetLetters[c]; {
		case c == '\'':
			continue
		case isLetter(c):
			d.buf = append(d.buf, c|0x20)
			continue
		case b == 0:
			return nil, costNone
		default:
			d.buf = append(d.buf, b)
		}
		if (c == '1' || c == '!' || c == '|') && n < len(ones) {
			ones[n] = len(d.buf) - 1
			n++
		}
	}
	if len(d.buf) == 1 && n == 1 {
		d.buf[0] = 'i'
		return d.buf, costCommon
	}
	read := func(bits int) int {
		for k, i := range ones[:n] {
			d.buf[i] = "il"[bits>>k&1]
		}
		return d.words.cost(d.buf)
	}
	if n == 0 {
		return d.buf, d.words.cost(d.buf)
	}
	best, least := 0, costNone
	for bits := range 1 << n {
		if x := read(bits); x < least {
			best, least = bits, x
		}
	}
	return d.buf, read(best)
}

// maxBeside is how long a literal is at most, in bytes, that stands between two which are joined by
// nothing.
const maxBeside = 100

// concats removes the joints between string literals.
func (d *Decoder) concats() {
	text := d.text
	p := &d.p[0]
	p.reset()
	done := 0
	var beside []byte // what stood between the last two literals that were joined by nothing
	for word, sign := range d.sign {
		for ; sign != 0; sign &= sign - 1 {
			i := word<<6 + bits.TrailingZeros64(sign)
			if i < done {
				continue
			}
			if text[i] == '(' {
				opened := false
				end := listCall(text, i, func(from, to int) {
					if !opened {
						opened = true
						d.openList(p, i+1+bytes.IndexByte(text[i+1:], text[from])+1)
					}
					p.remove(from, to)
				})
				if end > 0 {
					done = end
					d.closeList(p, end)
				}
				continue
			}
			from, to, ok := joinAt(text, i)
			if ok && text[i] == '"' {
				beside = text[from:to]
			} else if n := len(beside); !ok && n > 0 && i >= n && i-done < maxBeside && bytes.Equal(text[i+1-n:i+1], beside) {
				from, to, ok = i+1-n, i+1, true // whatever the next literal begins with
			}
			if ok && from >= done {
				p.remove(from, to)
				done = to
			}
		}
	}
	d.spend(len(text))
	d.apply("concat", p)
	d.replaced(p)
}

// listCall reads a call whose parenthesis is text[i] and which joins the literals in it, CONCAT('a', 'b'),
// or puts them into the places of another one, "%s%s" % ("a", "b") and "{}{}".format("a", "b"). It hands what stands between two of them
// to joint, and gives where the last one ends; 0: it is none.
func listCall(text []byte, i int, joint func(from, to int)) (end int) {
	name := text[max(0, i-6):i]
	if !hasFoldSuffix(name, "concat") && !bytes.HasSuffix(name, []byte("format")) && !bytes.HasSuffix(name, []byte("% ")) {
		return 0
	}
	literals := 0
	for at := i + 1; ; at++ {
		at = behindSpace(text, at)
		if at == len(text) || !isQuote(text[at]) {
			break
		}
		to := literalEnd(text[:min(len(text), at+1+maxLiteral)], at)
		if to == 0 {
			break
		}
		if literals++; literals > 1 {
			joint(end, at+1)
		}
		end = to
		if at = behindSpace(text, end+1); at == len(text) || text[at] != ',' {
			break
		}
	}
	if literals < 2 {
		return 0
	}
	return end
}

// literalEnd gives the quote that closes the literal which text[i] opens; 0: there is none. One behind a backslash, or
// doubled, is part of it.
func literalEnd(text []byte, i int) int {
	for at := i + 1; ; at++ {
		n := bytes.IndexByte(text[at:], text[i])
		if n < 0 {
			return 0
		}
		at += n
		switch {
		case text[at-1] == '\\':
		case at > i+1 && at+1 < len(text) && text[at+1] == text[i]:
			at++
		default:
			return at
		}
	}
}

// behindSpace gives where white space ends that text[i:] begins with.
func behindSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// hasFoldSuffix reports that text ends with small letters, whatever their case there.
func hasFoldSuffix(text []byte, small string) bool {
	n := len(text) - len(small)
	return n >= 0 && bytes.EqualFold(text[n:], []byte(small))
}

// misspelt looks for words of six letters and more that are misspelt, and marks their blocks,
// but not many side by side. Two near each other say more than one, which may be a name unless
// it has the letters of a long common word.
//
// Several in a row that are no words may all be written in one other way, which is looked for with
// ciphers.
func (d *Decoder) misspelt(ciphers bool) (w Wants) {
	const far = 1 << 20
	next := 0                // where to go on
	last, before := -far, "" // the end of the one before, and what it was
	row, end := 0, 0         // of such that are no words, and where the last of them ends
	number := int32(-1)      // of the one before
	var three [minRow][]byte // the last ones
	for _, x := range d.strangeWords() {
		from, to := int(x.from), int(x.to)
		if x.number != number+1 {
			row = 0
		}
		number = x.number
		s := d.text[from:to]
		if capital := window(d.upper, from) << (64 - (to - from)); capital != 0 && s[0] >= 'a' {
			continue // a part of a name
		}
		if row++; row > 1 && from-end > minRowGap {
			row = 1
		}
		end = to
		three[0], three[1], three[2] = three[1], three[2], s
		if ciphers && row == minRow && !d.mostlyLetters(max(0, to-64), to) {
			row = 0 // a program
		}
		if ciphers && row >= minRow {
			from, to := max(0, from-48), min(len(d.text), to+48)
			window := d.text[from:to]
			c, first := cipher(0), row == minRow
			if d.tricky(s) || first && (d.tricky(three[0]) || d.tricky(three[1])) {
				c = d.wordTrick(window)
				row = -24 * min(1+d.looks.rowVain/4, 4) // one look at a while is enough, the longer the more were in vain
				d.looks.rowVain++
			}
			if c == 0 && first {
				if plain := fitOf(window); plain.usual < maxSwapped && d.swapped(window, plain) {
					c = ciphSwap
				}
			}
			if c != 0 {
				d.looks.rowVain = 0
				w |= d.odds(from, to, c)
				if row = 0; trickAt(c) != nil {
					row = -16 // the others are near enough to belong to these
				}
			}
		}
		if from < next || !d.words.mayRepair(d.text, from, to) {
			continue
		}
		t, ok := d.words.repair(s, false)
		if !ok || t == before {
			continue
		}
		if from-last < misspeltReach || len(s) >= surelyMisspelt && len(t) == len(s) && d.words.cost([]byte(t)) <= costKnown {
			d.mixed[from>>12] |= 1 << (from >> 6 & 63)
			next = from + 64*mixedReach/2
			w |= WantSpelling
		}
		last, before = to, t
	}
	return w
}

// mostlyLetters reports that text[from:to], of 64 bytes at most, is letters for the most part and
// holds few signs.
func (d *Decoder) mostlyLetters(from, to int) bool {
	n := to - from
	all := ^uint64(0) >> (64 - n)
	return bits.OnesCount64(window(d.letter, from)&all)*10 >= 6*n && bits.OnesCount64(window(d.sign, from)&all)*8 <= n
}

// mixedReach is how far from a long misspelt word shorter ones are looked for, in blocks.
const mixedReach = 6

// minRow is how many long words in a row that are none are looked at for a trick, and minRowGap
// how near each other they stand, in bytes.
const minRow, minRowGap = 3, 48

// maxSwapped is how usual the pairs of a text are at most whose letters are exchanged with their
// neighbours; most prose lies above.
const maxSwapped = 20

// misspeltReach is how near each other two misspelt words stand, in bytes; surelyMisspelt how
// many letters a word has whose letters are those of another one for no other reason.
const (
	misspeltReach  = 200
	surelyMisspelt = 9
)

// Bounds of a call that replaces a part of a literal in front of it: of the parts and of the literal,
// in bytes, and how many quotes in it are escaped.
const (
	maxReplace = 12
	maxLiteral = 4000
	maxEscaped = 8
)

// replacedAt reads a call of replace whose parenthesis is text[i], and gives what it replaces
// by what and where it ends; 0: it is none.
func replacedAt(text []byte, i int) (from, by []byte, end int) {
	name := text[max(0, i-10):i]
	if !bytes.HasSuffix(name, []byte("replace")) && !bytes.HasSuffix(name, []byte("replaceAll")) && !bytes.HasSuffix(name, []byte("gsub")) {
		return nil, nil, 0
	}
	part := func(i int) ([]byte, int) {
		if i+1 >= len(text) || bytes.IndexByte([]byte("\"'`/"), text[i]) < 0 {
			return nil, 0
		}
		n := bytes.IndexByte(text[i+1:min(len(text), i+2+maxReplace)], text[i])
		if n < 0 {
			return nil, 0
		}
		return text[i+1 : i+1+n], i + 2 + n
	}
	from, at := part(i + 1)
	if len(from) == 0 {
		return nil, nil, 0
	}
	for at < len(text) && (text[at] == 'g' || text[at] == ',' || text[at] == ' ') {
		at++
	}
	if by, at = part(at); at == 0 || at >= len(text) || text[at] != ')' {
		return nil, nil, 0
	}
	return from, by, at + 1
}

// replaced does what calls do that replace parts of the literal in front of them.
func (d *Decoder) replaced(p *patches) {
	text := d.text
	p.reset()
	for i := 0; ; i++ {
		n := bytes.IndexByte(text[i:], '(')
		if n < 0 {
			break
		}
		i += n
		from, by, end := replacedAt(text, i)
		if end == 0 {
			continue
		}
		start := bytes.LastIndexByte(text[:i], '.') // of the call
		if start < 1 {
			continue
		}
		quote := text[start-1]
		if quote != '"' && quote != '\'' && quote != '`' {
			continue
		}
		open := start - 1
		for escapes := 0; open > 0 && escapes < maxEscaped; escapes++ {
			low := max(0, start-1-maxLiteral)
			if n := bytes.LastIndexByte(text[low:max(low, open)], quote); n < 0 {
				open = -1
			} else if open = low + n; open == 0 || text[open-1] != '\\' {
				break
			}
		}
		if x := p.last(); open < 0 || x != nil && open < x.to {
			continue
		}
		type pair struct{ from, by []byte }
		pairs := []pair{{from, by}}
		for end < len(text) && text[end] == '.' && len(pairs) < 32 {
			next := bytes.IndexByte(text[end:min(len(text), end+16)], '(')
			if next < 0 {
				break
			}
			from, by, to := replacedAt(text, end+next)
			if to == 0 {
				break
			}
			pairs, end = append(pairs, pair{from, by}), to
		}
		// It is a text by itself now: see openList.
		p.add(open, end)
		p.put('\n', open, open+1)
		for k := open + 1; k < start-1; {
			at := slices.IndexFunc(pairs, func(x pair) bool { return bytes.HasPrefix(text[k:start-1], x.from) })
			if at < 0 {
				p.put(text[k], k, k+1)
				k++
				continue
			}
			p.puts(string(pairs[at].by), k, k+len(pairs[at].from))
			k += len(pairs[at].from)
		}
		p.put('\n', start-1, end)
		p.end(end)
		d.spend(end - open)
		i = end - 1
	}
	d.apply("replaced", p)
}

// respell puts misspelt words right.
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
		if w, ok := d.words.repair(text[from:to], true); ok {
			p.add(from, to)
			p.puts(w, from, to)
			p.end(to)
		}
	}
	d.spend(len(text))
	if d.wants&WantCipher != 0 {
		d.settleTricks(p)
	}
	d.apply("shuffled", p)
}

// settleTricks decides between two ways to put words right where they are written in a trick: one
// by one, if that is nearly all of them, or as the trick has it, if few are. Else both are tried.
func (d *Decoder) settleTricks(p *patches) {
	drop := false
	for i := range d.odd {
		x := &d.odd[i]
		if trickAt(x.cipher) == nil {
			continue
		}
		at := func(k int) int { // the first patch behind a place
			n, _ := slices.BinarySearchFunc(p.list, k, func(y patch, k int) int { return y.from - k })
			return n
		}
		words := 0
		first, _ := slices.BinarySearchFunc(d.names, x.from, func(y extent, k int32) int { return int(y.from - k) })
		for _, y := range d.names[first:] {
			if y.from >= x.to {
				break
			}
			words += int(bit(y.to-y.from > 3))
		}
		switch n := at(int(x.to)) - at(int(x.from)); {
		case n*10 >= words*9:
			x.cipher = 0
			continue
		case n*10 > words*4:
			continue
		}
		for k := at(int(x.from) - trickReach); k < len(p.list) && p.list[k].from < int(x.to)+trickReach; k++ {
			p.list[k].hi, drop = -1, true
		}
	}
	if drop {
		p.list = slices.DeleteFunc(p.list, func(y patch) bool { return y.hi < 0 })
	}
}

// reversed reads the text backwards, and each word backwards: where the order of the words tells
// which of both it is, only that.
func (d *Decoder) reversed() {
	text := d.text
	words := d.start("reversed-words", len(text))
	pos := 0
	for _, t := range d.tokens([]extent{{0, int32(len(text))}}) {
		words.copy(text, pos, t.from)
		backwards(&words, text, t.from, t.to)
		pos = t.to
	}
	words.copy(text, pos, len(text))
	d.spend(2 * len(text))
	ahead := d.ahead(words.Text)
	if ahead >= 0 {
		d.emit(words)
	}
	if ahead > 0 {
		return
	}
	back := d.start("reversed", len(text))
	backwards(&back, text, 0, len(text))
	d.emit(back)
}

// ahead tells whether the words of text, whose tokens are those of the decoder's text, stand in
// order, 1, or in reverse order, -1; 0: nobody knows.
func (d *Decoder) ahead(text []byte) int {
	if d.words == nil {
		return 0
	}
	sum, last, o := 0, -1, d.words.order
	for _, t := range d.toks {
		n := int(o.number(text, t.from, t.to))
		if last >= 0 {
			sum += int(o.pairs[last][n])
		}
		last = n
	}
	switch much := max(3*flipPlain, len(d.toks)/2); {
	case sum >= much:
		return 1
	case -sum >= much:
		return -1
	}
	return 0
}

// backwards appends the runes of text[from:to], last first.
func backwards(v *View, text []byte, from, to int) {
	v.grow(to - from)
	for i := to; i > from; {
		if text[i-1] < utf8.RuneSelf {
			v.put(text[i-1], i-1, i)
			i--
			continue
		}
		_, n := utf8.DecodeLastRune(text[from:i])
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
	v.copy(d.text, 0, len(d.text))
	for i, c := range v.Text {
		v.Text[i] = table[c]
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
