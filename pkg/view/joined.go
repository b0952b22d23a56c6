package view

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Words that stand apart, but not by a space: joined by a sign, one to a line, a cell or an
// element of a list; and words with signs strewn between their letters.

// A series is a row of words with the same gap between them.
type series struct {
	extent
	gap extent // the first one, as its bytes stand in the text
}

// Bounds of a series, in bytes: of a gap, and of what stands between two.
const (
	maxGap  = 8
	maxCell = 40
)

// minGlued is how many letters a block holds at least in which words are joined.
const minGlued = 24

// minSeries is how many gaps make a series.
const minSeries = 4

// glued looks whether words of block k, which holds so many letters, digits and signs, are
// joined by signs. Most prose holds two or three signs in a block: see Probe.
func (d *Decoder) glued(k, letters, digits, signs int) Wants {
	letter, sign := d.letter[k], d.sign[k]
	all := letter | d.digit[k]
	// Most words of prose have one white space in front of them, and few signs.
	starts := all &^ (all << 1)
	n := bits.OnesCount64(starts)
	i := d.walked
	w := Wants(0)
	switch plain := bits.OnesCount64(starts &^ (sign << 1) & (all << 2)); {
	case n < 4 || letters < minGlued || digits > 4:
		return 0
	case 4*plain <= n && signs >= min(n-2, 6):
		// One such block is enough, and who fills a text with what only looks so gains no time.
		if l := &d.looks; letters <= 3*n && !d.noisy && l.strewnVain < vainLooks+k/vainEvery && bits.OnesCount64(sign&(letter<<1)&(letter>>1)) >= 6 {
			if d.strewn(k) {
				w, d.noisy = WantJoined, true
			}
			l.strewnVain++
		}
		at := d.evenly(k, starts, all)
		if at == 0 {
			return w
		}
		// The word in front of that gap is the first one.
		for i = at - 1; i > d.walked && !letterByte(d.text[i]); i-- {
		}
		for i > d.walked && letterByte(d.text[i-1]) {
			i--
		}
		i = max(i, d.walked)
	case signs <= 1 || d.wide || bits.OnesCount64(d.line[k]) >= max(4, n-3):
		block := d.text[64*k : min(len(d.text), 64*k+64)]
		if bytes.Count(block, lineFeed) < max(4, n-3) && !(d.wide && bytes.Count(block, emoji) >= 3) {
			return 0
		}
		i = max(i, 64*k)
	default:
		return 0
	}
	return w | d.seriesIn(k, i, len(d.text))
}

// seriesIn notes the first two series that begin with words at or behind text[i], in block k or, as far as
// limit, behind it.
func (d *Decoder) seriesIn(k, i, limit int) (w Wants) {
	for range 2 {
		if i >= 64*k+64 {
			break
		}
		s, next := d.seriesAt(i, limit)
		if s.to > s.from {
			d.rows = append(d.rows, s)
			w = WantJoined
		}
		i = max(next, i+1)
	}
	d.walked = max(d.walked, i)
	return w
}

// evenly looks whether three of four words in the middle of block k have the same in front
// of them: up to three bytes that are neither letters nor digits, without the stop that belongs
// to the word before. It gives where the first of the four begins; 0: no.
func (d *Decoder) evenly(k int, starts, all uint64) int {
	starts &^= 15
	n := bits.OnesCount64(starts)
	if n < 4 {
		return 0
	}
	for ; n > 5; n -= 2 {
		starts &= starts - 1
	}
	first := 64*k + bits.TrailingZeros64(starts)
	var gaps [4]uint32
	for x := range gaps {
		i := bits.TrailingZeros64(starts) & 63
		starts &= starts - 1
		// No branch hangs on what the gap is.
		size := min(bits.LeadingZeros64(all<<((64-i)&63)), 3)
		gap := binary.LittleEndian.Uint32(d.text[64*k+i-4:]) >> ((32 - 8*size) & 63)
		stop := stopBit[byte(gap)] & bit(size > 1) &^ bit(gap == ' '<<8|',')
		gaps[x] = gap >> (8 * stop & 31)
	}
	// One of the four may be another: part of a word with an apostrophe, or of a number.
	alike := bit(gaps[0] == gaps[1]) + bit(gaps[0] == gaps[2]) + bit(gaps[1] == gaps[2]) + bit(gaps[1] == gaps[3]) + bit(gaps[2] == gaps[3])
	usual := gaps[1]
	if gaps[0] != usual && gaps[3] != usual {
		usual = gaps[2]
	}
	if alike < 2 || usual == ' ' {
		return 0
	}
	return first
}

// gluedWide is glued for block k of a text beyond ASCII, which holds few ASCII letters: words of other
// scripts that have signs or line breaks between them.
func (d *Decoder) gluedWide(k int) Wants {
	// Of prose few gaps hold a sign or a line break.
	runs := d.sign[k] | d.line[k]
	n := bits.OnesCount64(runs &^ (runs << 1))
	if n < 3 {
		return 0
	}
	if n < 5 && k > 0 {
		runs = d.sign[k-1] | d.line[k-1]
		if n+bits.OnesCount64(runs&^(runs<<1)) < 6 {
			return 0
		}
	}
	return d.seriesIn(k, max(d.walked, 64*k), min(64*k+64, len(d.text)))
}

// gluedAll looks for joined words in a text that Probe has not seen.
func (d *Decoder) gluedAll(wants Wants) {
	d.rows, d.noisy, d.walked = d.rows[:0], false, 0
	if wants&WantJoined != 0 {
		for k := range d.letter {
			d.glued(k, bits.OnesCount64(d.letter[k]), bits.OnesCount64(d.digit[k]), bits.OnesCount64(d.sign[k]))
		}
	}
}

var lineFeed, emoji = []byte{'\n'}, []byte{0xf0}

// wordEndAt gives the end of the word that begins at text[i]; i when none does.
func wordEndAt(text []byte, i int) int {
	for i < len(text) {
		c := text[i]
		if letterByte(c) || c == '\'' && i+1 < len(text) && isLetter(text[i+1]) && i > 0 && isLetter(text[i-1]) {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRune(text[i:])
		if !letterOrMark(r) {
			break
		}
		i += n
	}
	return i
}

// seriesAt looks for a series that begins with the first word at or behind text[i] and in front of
// limit, and gives where to look next.
func (d *Decoder) seriesAt(i, limit int) (s series, next int) {
	text := d.text
	end := i
	for ; i < limit; i++ {
		if end = wordEndAt(text, i); end > i {
			break
		}
	}
	if i >= limit {
		return s, limit
	}
	start := i
	var gap []byte
	usual := false // the gap parts words everywhere
	n, p := 0, end
	for {
		q := p
		for q < len(text) && q-p <= maxGap && wordEndAt(text, q) == q {
			q++
		}
		if q == len(text) || q-p > maxGap || q == p {
			break
		}
		g := text[p:q]
		if n == 0 {
			// A stop behind a word belongs to the word, where something follows it.
			for len(g) > 1 && isStop(g[0]) && string(g) != ", " {
				g = g[1:]
			}
			if usual = len(bytes.Trim(g, " \t,;+~")) == 0 && bytes.IndexByte(g, '\n') < 0; usual && g[0] == ' ' {
				return s, max(end, start+1)
			}
			gap = g
		} else if !bytes.HasSuffix(g, gap) || len(g) > len(gap)+1 {
			break
		}
		n++
		p = wordEndAt(text, q)
		if n == 3 { // from here on a cell may hold anything
			for {
				at := bytes.Index(text[p:min(len(text), p+maxCell)], gap)
				if at < 0 || bytes.Count(text[p:p+at], spaces[:1]) > 1 {
					break
				}
				n++
				if p = wordEndAt(text, p+at+len(gap)); p == len(text) {
					break
				}
			}
			break
		}
	}
	d.spend(p - start)
	if n < minSeries {
		return s, max(end, start+1)
	}
	// What stands before it may belong to it.
	for j := start - len(gap); j > d.walked && bytes.Equal(text[j:start], gap); j = start - len(gap) {
		for j > d.walked && text[j-1] <= ' ' && start-j < maxGap {
			j--
		}
		at := j
		for at > d.walked && j-at < maxCell && text[at-1] > ' ' && !bytes.HasSuffix(text[:at], gap) {
			at--
		}
		for at < j && !letterByte(text[at]) {
			at++
		}
		if at == j {
			break
		}
		start = at
	}
	s = series{extent{int32(start), int32(p)}, extent{int32(end), int32(end + len(gap))}}
	if end < len(text) && !bytes.HasPrefix(text[end:], gap) {
		s.gap = extent{int32(end + 1), int32(end + 1 + len(gap))}
	}
	if !d.speaks(text[start:p], gap, usual) {
		return series{}, p
	}
	return s, p
}

// speaks reports that the words between gaps are those of a sentence rather than names:
// every fourth is common, and they read like a language. Where the gap is a usual one, as in a
// list, every second is.
func (d *Decoder) speaks(text, gap []byte, usual bool) bool {
	if d.words == nil {
		return false
	}
	d.buf = d.buf[:0]
	words, common, small, wide, known, stops := 0, 0, 0, 0, 0, 0
	for len(text) > 0 && len(d.buf) < 160 {
		cell, rest, _ := bytes.Cut(text, gap)
		text = rest
		word := bytes.Trim(cell, " .,;:!?'\"")
		words++
		cost := d.words.cost(word)
		common += int(bit(cost <= costCommon))
		small += int(bit(cost <= costSmall && len(word) > 1))
		known += int(bit(cost < costNone))
		wide += int(bit(!isASCII(word)))
		stops += int(bit(len(rest) > 0 && len(cell) > 1 && isStop(cell[len(cell)-1])))
		d.buf = append(append(d.buf, word...), ' ')
	}
	if wide*2 > words {
		return words >= minListed // the vocabulary has none of these
	}
	told := common >= 2 && common*4 >= words
	if usual {
		told = words >= minListed && (common*2 >= words || small >= minSmall && small*5 >= words)
	}
	// Elements of lists have no stops behind them, and of other languages fewer words are common.
	if !told && (words < minListed || stops < 2 && wide*4 < words || (known+wide)*2 < words) {
		return false
	}
	x := fitOf(d.buf)
	return x.usual >= fitUsual && x.order > 0
}

// minListed is how many words a sentence has at least that is written as a list, and minSmall how many
// of them are such as hold sentences together, if few are common: no list of things holds so many.
const minListed, minSmall = 6, 4

// stopBit is 1 for the signs of isStop.
var stopBit = func() (t [256]uint8) {
	for c := range t {
		t[c] = bit(isStop(byte(c)))
	}
	return t
}()

// isStop reports a sign that belongs to the word in front of it.
func isStop(c byte) bool {
	switch c {
	case '.', ',', ';', ':', '!', '?':
		return true
	}
	return false
}

// strewn reports that block k holds signs between the letters of words, which read as
// words without them, and not with spaces in their place.
func (d *Decoder) strewn(k int) bool {
	n := len(d.text)
	at := max(0, min(64*k, n-64))
	block := d.text[at:min(n, at+64)]
	d.buf = d.buf[:0]
	words, letters := 0, 0
	for i, c := range block {
		switch {
		case isLetter(c):
			letters++
			words += int(bit(i == 0 || !isLetter(block[i-1])))
			d.buf = append(d.buf, c)
		case c <= ' ' || c >= '0' && c <= '9':
			d.buf = append(d.buf, ' ')
		}
	}
	if letters > 3*words {
		return false
	}
	words, known := 0, 0
	for w := range bytes.FieldsSeq(d.buf) {
		words++
		known += int(bit(d.words.has(w)))
	}
	if known < 3 || known*2 < words { // signs may stand for vowels
		d.bare = append(d.bare[:0], d.buf...)
		return d.boned(d.bare)
	}
	x := fitOf(d.buf)
	return x.usual >= fitUsual && x.order > 0
}

// A list of strings, put together, is a text by itself: line breaks stand for the brackets and
// quotes around it.

// openList puts a line break in the place of the quote in front of text[at], and of what opens the
// list in front of that.
func (d *Decoder) openList(p *patches, at int) {
	floor := 0
	if x := p.last(); x != nil {
		floor = x.to
	}
	from := at
	for from > floor && at-from < maxOpen && (isQuote(d.text[from-1]) || bytes.IndexByte(opens, d.text[from-1]) >= 0) {
		from--
	}
	if from < at {
		p.add(from, at)
		p.put('\n', from, at)
		p.end(at)
	}
}

// closeList does so with the quote behind text[at] and what closes the list behind that.
func (d *Decoder) closeList(p *patches, at int) {
	for end := min(len(d.text), at+3); at < end && isStop(d.text[at]); {
		at++
	}
	to := at
	for to < len(d.text) && to-at < maxOpen && (isQuote(d.text[to]) || to > at && bytes.IndexByte(closes, d.text[to]) >= 0) {
		to++
	}
	if to > at {
		p.add(at, to)
		p.put('\n', at, to)
		p.end(to)
	}
}

// What may open and close a list of strings, and how much of it at most, in bytes.
var opens, closes = []byte("([{ "), []byte(")]} ;")

const maxOpen = 6

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// joinedWords puts spaces between words that other signs join, and takes signs out of
// words.
func (d *Decoder) joinedWords() {
	text := d.text
	p := &d.p[0]
	p.reset()
	for _, s := range d.rows {
		gap := text[s.gap.from:s.gap.to]
		quoted := bytes.ContainsAny(gap, "\"'`")
		if quoted {
			d.openList(p, int(s.from))
		}
		for i := int(s.from); ; {
			at := bytes.Index(text[i:s.to], gap)
			if at < 0 {
				break
			}
			// Of several the last one parts the words, and a stop in front of it stays.
			for bytes.HasPrefix(text[i+at+len(gap):s.to], gap) {
				at += len(gap)
			}
			p.add(i+at, i+at+len(gap))
			p.put(' ', i+at, i+at+len(gap))
			p.end(i + at + len(gap))
			i += at + len(gap)
		}
		if quoted {
			d.closeList(p, int(s.to))
		}
	}
	d.apply("joined", p)
	if !d.noisy {
		return
	}
	p.reset()
	for k := range d.letter {
		for sign := d.strewnSigns(k); sign != 0; sign &= sign - 1 {
			i := k<<6 + bits.TrailingZeros64(sign)
			p.remove(i, i+1)
		}
	}
	d.spend(len(text))
	d.apply("strewn", p)
}

// strewnIn reports that signs between letters of block k are taken out: many stand there, or
// some where one beside it holds many.
func (d *Decoder) strewnIn(k int) bool {
	n := d.signsInside(k)
	return n >= manyInside || n > 0 && (k > 0 && d.signsInside(k-1) >= manyInside || k+1 < len(d.letter) && d.signsInside(k+1) >= manyInside)
}

const manyInside = 4

// strewnSigns gives the signs of block k that are taken out: those beside a letter.
func (d *Decoder) strewnSigns(k int) uint64 {
	if !d.strewnIn(k) {
		return 0
	}
	before, behind := d.lettersBeside(k)
	return d.sign[k] & (before | behind)
}

// lettersBeside tells which bytes of block k have a letter in front of them, and which behind.
func (d *Decoder) lettersBeside(k int) (before, behind uint64) {
	before, behind = d.letter[k]<<1, d.letter[k]>>1
	if k > 0 {
		before |= d.letter[k-1] >> 63
	}
	if k+1 < len(d.letter) {
		behind |= d.letter[k+1] << 63
	}
	return before, behind
}

// signsInside is how many signs of block k stand between letters.
func (d *Decoder) signsInside(k int) int {
	before, behind := d.lettersBeside(k)
	return bits.OnesCount64(d.sign[k] & before & behind)
}

// strewnShows reports that the view without strewn signs, if there is to be one, shows all that
// patches do: those need no view of their own. Letters that signs part are seen by several decoders,
// and each of their views would be searched, and decoded again, for the same words.
func (d *Decoder) strewnShows(p *patches) bool {
	if !d.noisy || d.wants&WantJoined == 0 {
		return false
	}
	k, out := -1, uint64(0) // the block that was asked for last, and what is taken out of it
	for _, x := range p.list {
		put := p.Text[x.lo:x.hi]
		for i := x.from; i < x.to; i++ {
			if i>>6 != k {
				k = i >> 6
				out = d.strewnSigns(k)
			}
			switch c := d.text[i]; {
			case out>>(i&63)&1 == 1:
			case len(put) > 0 && put[0] == c:
				put = put[1:]
			default:
				return false
			}
		}
		if len(put) > 0 {
			return false
		}
	}
	return true
}

// strewnBeside reports that signs are strewn where no patch is.
func (d *Decoder) strewnBeside(p *patches) bool {
	next := 0
	for k := range d.letter {
		for sign := d.strewnSigns(k); sign != 0; sign &= sign - 1 {
			i := k<<6 + bits.TrailingZeros64(sign)
			for next < len(p.list) && p.list[next].to <= i {
				next++
			}
			if next == len(p.list) || i < p.list[next].from {
				return true
			}
		}
	}
	return false
}

// parters are letters that few words hold, which may stand for the spaces between them.
const parters = "xqzjXQZJ_"

// partedBy gives the letter that stands for the spaces in text[from:to]; 0: none does.
func (d *Decoder) partedBy(from, to int) byte {
	if to-from < minMoved || d.words == nil {
		return 0
	}
	text := d.text[from:to]
	var count [256]uint8
	for _, c := range text[:min(len(text), 250)] {
		count[c]++
	}
	for i := range len(parters) {
		c := parters[i]
		if count[c] < 3 || int(count[c])*12 < min(len(text), 250) {
			continue
		}
		words, known, letters := 0, 0, 0
		for from := 0; from < len(text); {
			to := from
			for to < len(text) && text[to] != c {
				to++
			}
			words++
			if w := bytes.Trim(text[from:to], ".,;:!?'\"()-"); d.words.has(w) || len(w) == 1 {
				known++
				letters += to - from
			}
			from = to + 1
		}
		if words >= 4 && known*100 >= words*trickedPart && letters*3 >= len(text)*2-3*words {
			return c
		}
	}
	return 0
}

// regrouped reports five groups of as many letters and signs in a row in a block, with one white space between them: three to
// six, as nobody's words are.
func regrouped(shown uint64) bool {
	starts, ends := shown&^(shown<<1), shown&^(shown>>1)
	for n := 4; n <= 7; n++ {
		row := starts & (starts >> n)
		if row &= row >> (2 * n); row == 0 { // as most are
			continue
		}
		row = starts & (ends >> (n - 2))
		row &= row >> n
		if row &= row >> (2 * n); row != 0 && row&(row>>n) != 0 {
			return true
		}
	}
	return false
}

// ungroup joins groups of as many letters and signs.
func (d *Decoder) ungroup() {
	text := d.text
	p := &d.p[0]
	p.reset()
	for _, part := range d.near(d.fused, 1) {
		i, to := int(part.from), int(part.to)
		for i < to {
			if text[i] <= ' ' {
				i++
				continue
			}
			first, size, known, groups := i, 0, 0, 0
			d.pos = d.pos[:0] // the white space between them
			for {
				j := i
				for j < to && text[j] > ' ' {
					j++
				}
				n := j - i
				if groups > 0 && n > size {
					break
				}
				known += int(bit(d.words.has(text[i:j])))
				groups++
				if i = j; groups == 1 {
					size = n
				} else if n < size {
					break // the last one
				}
				if j+1 >= to || text[j] > ' ' || text[j+1] <= ' ' {
					break
				}
				d.pos = append(d.pos, int32(j))
				i = j + 1
			}
			if n := len(d.pos); n > 0 && int(d.pos[n-1]) == i-1 { // what stands behind it was no group
				d.pos = d.pos[:n-1]
			}
			if groups >= 5 && size >= 3 && size <= 6 && 2*known < groups {
				for _, at := range d.pos {
					p.remove(int(at), int(at)+1)
				}
			}
			i = max(i, first+1)
			d.spend(i - first)
		}
	}
	d.apply("ungrouped", p)
}
