package view

import (
	"bytes"
	"math/bits"
	"slices"
)

// A sentence in pieces, with the same between them again and again: the fields of a log line, times
// of subtitles, cells of a table, elements, keys, comments, numbers. What is the same is found by
// where it comes again, digits and white space aside, so that no format need be known.

// Bounds of what stands between two pieces, in units (see unitAt), and of a piece, in bytes; how many
// such joints there are at least; and how many pairs of words the joints must speak for.
const (
	maxJoint  = 96
	maxFramed = 48
	minJoints = 4
	maxPlaces = 5 // where that is seen before it is looked for
	fewJoints = 2 // where what parts them is as long as longJoint units
	longJoint = 6
	maxGaps   = 12 // between words, until the same comes again
	maxBare   = 32 // what lines hold on the average that nothing but a line break parts
)

// unitAt gives what text[i] begins, and where that ends: a number is '0', a row of spaces and tabs ' ',
// a line break with the white space around it '\n', and everything else itself.
func unitAt(text []byte, i int) (unit byte, end int) {
	c := text[i]
	switch {
	case isDigit(c):
		for i++; i < len(text) && isDigit(text[i]); i++ {
		}
		return '0', i
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		unit = ' '
		for ; i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r'); i++ {
			if text[i] == '\n' {
				unit = '\n'
			}
		}
		return unit, i
	}
	return c, i + 1
}

// unitBefore is unitAt for what ends at text[:i].
func unitBefore(text []byte, i int) (unit byte, start int) {
	c := text[i-1]
	switch {
	case isDigit(c):
		for i--; i > 0 && isDigit(text[i-1]); i-- {
		}
		return '0', i
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		unit = ' '
		for ; i > 0 && (text[i-1] == ' ' || text[i-1] == '\t' || text[i-1] == '\n' || text[i-1] == '\r'); i-- {
			if text[i-1] == '\n' {
				unit = '\n'
			}
		}
		return unit, i
	}
	return c, i - 1
}

// matches gives where the units end that text[i:] begins with; 0: it does not.
func matches(text []byte, i int, units []byte) int {
	for _, u := range units {
		if i >= len(text) {
			return 0
		}
		x, end := unitAt(text, i)
		if x != u {
			return 0
		}
		i = end
	}
	return i
}

// gapAt gives the first gap between words that begins at or behind text[i]; from is len(text)
// when there is none.
func (d *Decoder) gapAt(i int) (from, to int) {
	n := len(d.text)
	for i < n { // the end of a word
		if w := ^window(d.letter, i); w != 0 {
			i += bits.TrailingZeros64(w)
			break
		}
		i += 64
	}
	from = min(i, n)
	for i < n {
		if w := window(d.letter, i); w != 0 {
			return from, i + bits.TrailingZeros64(w)
		}
		i += 64
	}
	return n, n
}

// plainGap reports what stands between words of prose.
func plainGap(gap []byte) bool {
	switch len(gap) {
	case 1:
		return gap[0] == ' ' || gap[0] == '\'' || gap[0] == '-'
	case 2:
		return gap[1] == ' ' && isStop(gap[0])
	}
	return len(bytes.Trim(gap, " \t")) == 0
}

// sameUnits reports that two gaps have the same units.
func sameUnits(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		x, i := unitAt(a, 0)
		y, j := unitAt(b, 0)
		if x != y {
			return false
		}
		a, b = a[i:], b[j:]
	}
	return len(a) == len(b)
}

// Framed reports that text[from:to], of the text that was probed last, lies in a sentence that is in
// pieces. Whoever has a reason to think that words of it belong together asks: nearly every block
// of a program or a list looks like it.
func (d *Decoder) Framed(from, to int) bool {
	l, found := &d.looks, false
	for k := max(from>>6, l.framedDone); d.words != nil && k<<6 < min(to, len(d.text)); k++ {
		l.framedDone = k + 1
		if k<<6+63 >= d.framedTo && l.framedVain < vainFramed+k/vainFramedEvery {
			found = d.framed(k) || found
		}
	}
	return found
}

// FramedAnywhere reports that the text that was probed last holds sentences in pieces. It looks here and
// there, for whoever has no reason to ask about a place: pieces of which no window is worth a score are
// a word each, and reach far.
func (d *Decoder) FramedAnywhere() (found bool) {
	for k := 0; d.words != nil && k < len(d.letter) && d.looks.framedVain == 0; k += framedEvery {
		if k<<6+63 >= d.framedTo {
			found = d.framed(k) || found
		}
	}
	return found
}

// framedEvery is how far apart FramedAnywhere looks, in blocks; it is even: see framed.
const framedEvery = 4

// vainFramed is how many looks in vain are enough, and one more for so many blocks.
const vainFramed, vainFramedEvery = 3, 16

// framed is Framed for block k.
func (d *Decoder) framed(k int) bool {
	var places [maxPlaces]extent
	n := 0
	if feed := d.line[k] & d.stop[k]; feed != 0 {
		if n = d.lines(64*k+bits.TrailingZeros64(feed), &places); n >= minJoints {
			// The line in front of the first piece may end in another way.
			n = copy(places[:], places[1:n])
		}
	}
	if n == 0 && k&1 == 0 && d.oddStarts(k) >= 2 {
		from, to := d.gapAt(max(64*k, d.framedTo))
		for from < 64*k+64 && to < len(d.text) && plainGap(d.text[from:to]) {
			from, to = d.gapAt(to)
		}
		if from >= 64*k+64 || to == len(d.text) {
			return false
		}
		n = d.again(from, to, &places)
	}
	if n == 0 {
		return false
	}
	if !d.framedBy(places[:n]) {
		d.looks.framedVain++
		return false
	}
	return true
}

// oddStarts counts the words of block k that something else than white space, or a stop and white
// space, stands in front of.
func (d *Decoder) oddStarts(k int) int {
	letter, sign, digit, line := d.letter[k], d.sign[k], d.digit[k], d.line[k]
	one := sign | digit | line
	two := digit | line | sign&^(d.stop[k]&^(digit<<1))
	return bits.OnesCount64(letter &^ (letter << 1) & (one<<1 | two<<2))
}

// lines notes the line breaks at text[p] and behind it, if short lines stand between them that begin
// alike.
func (d *Decoder) lines(p int, places *[maxPlaces]extent) int {
	text := d.text
	var alike uint16
	n := 0
	for ; n < len(places); n++ {
		from, to := p, p+1
		for from > 0 && text[from-1] <= ' ' {
			from--
		}
		for to < len(text) && text[to] <= ' ' {
			to++
		}
		if to+1 >= len(text) {
			break
		}
		head := uint16(headClass[text[to]])<<8 | uint16(headClass[text[to+1]])
		if n > 0 && head != alike {
			break
		}
		alike = head
		places[n] = extent{int32(from), int32(to)}
		most := maxLine
		if head>>8 > 2 && head&0xff > 2 && !letterByte(byte(head>>8)) && !letterByte(byte(head)) {
			most = maxFramed // behind a sign nothing but the piece
		}
		next := bytes.IndexByte(text[to:min(len(text), to+most)], '\n')
		if next < 0 {
			n++
			break
		}
		p = to + next
	}
	if n < 3 {
		return 0
	}
	return n
}

// maxLine is how long a line is at most that holds one piece, in bytes.
const maxLine = 100

// headClass is what the first bytes of lines have in common that begin alike: digits are 1, small
// letters 2, as in lines that begin with nothing else.
var headClass = func() (t [256]uint8) {
	for c := range t {
		t[c] = uint8(c)
		switch {
		case isDigit(byte(c)):
			t[c] = 1
		case c >= 'a' && c <= 'z':
			t[c] = 2
		}
	}
	return t
}()

// again notes where the gap text[from:to] comes again.
func (d *Decoder) again(from, to int, places *[maxPlaces]extent) (n int) {
	text := d.text
	places[0] = extent{int32(from), int32(to)}
	gap := text[from:to]
	if len(gap) > maxJoint {
		return 0
	}
	n = 1
	var a int
	for b, gaps := to, 0; n < minJoints && gaps < maxGaps; gaps++ {
		if a, b = d.gapAt(b); b == len(text) || a-int(places[n-1].to) > maxFramed+maxJoint {
			break
		}
		d.spend(b - a)
		if text[a] == gap[0] && sameUnits(text[a:b], gap) {
			places[n] = extent{int32(a), int32(b)}
			n++
			gaps = 0
		}
	}
	if n <= fewJoints {
		return 0
	}
	return n
}

// framedBy looks for pieces between which what stands at some places comes again, and notes the joints.
func (d *Decoder) framedBy(places []extent) bool {
	text := d.text
	n, from, to := len(places), int(places[0].from), int(places[0].to)
	// What stands around it is the same, too, as far as it goes.
	d.buf = d.buf[:0]
	for i := from; i < to; {
		var u byte
		u, i = unitAt(text, i)
		d.buf = append(d.buf, u)
	}
	own := len(d.buf)
	least := maxJoint
	for x := 1; x < n; x++ { // forwards
		i, j, m := int(places[x-1].to), int(places[x].to), own
		for m < least && i < int(places[x].from) && j < len(text) {
			u, e := unitAt(text, i)
			v, f := unitAt(text, j)
			if u != v || x > 1 && d.buf[m] != u {
				break
			}
			if x == 1 {
				d.buf = append(d.buf, u)
			}
			i, j, m = e, f, m+1
		}
		least = min(least, m)
	}
	for least > own && isLetter(d.buf[least-1]) {
		least--
	}
	d.buf = d.buf[:least]
	var back [maxJoint]byte // backwards, the last one first
	most := maxJoint - least
	for x := 1; x < n; x++ {
		i, j, m := int(places[x-1].from), int(places[x].from), 0
		for m < most && i > 0 && j > int(places[x-1].to) {
			u, e := unitBefore(text, i)
			v, f := unitBefore(text, j)
			if u != v || x > 1 && back[m] != u {
				break
			}
			back[m] = u
			i, j, m = e, f, m+1
		}
		most = min(most, m)
	}
	for most > 0 && isLetter(back[most-1]) {
		most--
	}
	d.bare = d.bare[:0]
	for i := most - 1; i >= 0; i-- {
		d.bare = append(d.bare, back[i])
	}
	d.bare = append(d.bare, d.buf...)
	var joints [maxPlaces]extent
	for x, y := range places {
		from, to := int(y.from), int(y.to)
		for range most {
			_, from = unitBefore(text, from)
		}
		for range least - own {
			_, to = unitAt(text, to)
		}
		joints[x] = extent{int32(from), int32(to)}
		if x > 0 && (int(joints[x-1].to) > from || !piece(text[joints[x-1].to:from])) {
			return false
		}
	}
	// Most lists and programs are left here: their words do not go on.
	sum, last, known := 0, -1, 0
	for x := 1; x < n; x++ {
		cell := text[joints[x-1].to:joints[x].from]
		first, end := d.edges(cell)
		known |= first | end
		if last >= 0 {
			sum += int(d.words.order.pairs[last][first])
		}
		last = end
	}
	return sum >= 0 && known > 0 && d.joints(d.bare, joints[:n])
}

// edges gives the numbers of the first and the last word of a piece.
func (d *Decoder) edges(cell []byte) (first, last int) {
	cell = bytes.TrimFunc(cell, notLetter)
	a, b := 0, len(cell)
	for a < b && isLetter(cell[a]) {
		a++
	}
	first = int(d.words.order.number(cell, 0, a))
	for a = b; a > 0 && isLetter(cell[a-1]); a-- {
	}
	return first, int(d.words.order.number(cell, a, b))
}

func notLetter(r rune) bool { return r >= 0x80 || !isLetter(byte(r)) }

// joints notes where the units stand that part the pieces of a sentence, around places where they
// do.
func (d *Decoder) joints(units []byte, known []extent) bool {
	text := d.text
	list := len(d.seams)
	// They are looked for by a sign, or else by a line break.
	anchor := -1
	for i, u := range units {
		if u > ' ' && u != '0' && !isLetter(u) || u == '\n' && anchor < 0 {
			if anchor = i; u != '\n' {
				break
			}
		}
	}
	if anchor < 0 {
		if len(units) == 1 {
			return false // spaces
		}
		for i, u := range units {
			if u == '0' {
				anchor = i
			}
		}
		if anchor < 0 {
			return false
		}
	}
	sign := units[anchor]
	find := func(lo, hi int) (x extent, ok bool) { // the first ones that begin in text[lo:hi]
		for at := lo; at < hi; at++ {
			if sign != '0' {
				n := bytes.IndexByte(text[at:hi], sign)
				if n < 0 {
					return x, false
				}
				at += n
			} else if !isDigit(text[at]) || at > 0 && isDigit(text[at-1]) {
				continue
			}
			from := at
			if sign == '\n' {
				for from > lo && text[from-1] <= ' ' {
					from--
				}
			}
			end := matches(text, from, units[anchor:])
			if end == 0 {
				continue
			}
			i := anchor - 1
			for ; i >= 0 && from > lo; i-- {
				u, start := unitBefore(text, from)
				if u != units[i] || start < lo {
					break
				}
				from = start
			}
			if i < 0 {
				return extent{int32(from), int32(end)}, true
			}
		}
		return x, false
	}
	d.seams = append(d.seams, known...)
	ahead := func(most int) {
		for len(d.seams)-list < most {
			at := int(d.seams[len(d.seams)-1].to)
			x, ok := find(at, min(len(text), at+maxFramed+2*len(units)))
			if !ok || !piece(text[at:x.from]) {
				return
			}
			d.spend(int(x.to) - at)
			d.seams = append(d.seams, x)
		}
	}
	// A few tell whether it is worth to look for all of them.
	ahead(minSeams)
	if !d.flows(d.seams[list:], units, 0) {
		d.seams = d.seams[:list]
		return false
	}
	own := len(d.seams)
	first := int(known[0].from)
	for len(d.seams)-own < maxSeams { // those before
		lo := max(d.framedTo, first-maxFramed-2*len(units))
		d.spend(first - lo)
		x, ok := find(lo, first)
		for ok { // the last one
			y, more := find(int(x.to), first)
			if !more {
				break
			}
			x = y
		}
		if !ok || int(x.to) >= first || !piece(text[x.to:first]) {
			break
		}
		d.seams = append(d.seams, x)
		first = int(x.from)
	}
	// They stand behind the known ones, the last one first.
	slices.Reverse(d.seams[list:own])
	slices.Reverse(d.seams[list:])
	ahead(len(d.seams) - list + maxSeams)
	seams := d.seams[list:]
	d.framedTo = int(seams[len(seams)-1].to) // what was looked at once is enough
	if len(seams) < minJoints && len(units) < longJoint || !d.flows(seams, units, minFlow) {
		d.seams = d.seams[:list]
		return false
	}
	return true
}

// How many joints are looked for, at first and at each end.
const minSeams, maxSeams = 10, 256

// piece reports that text is a few words.
func piece(text []byte) bool {
	others := 0
	for _, c := range text {
		others += int(bit(!isLetter(c) && c != ' ' && c != '\''))
	}
	return len(text) > 0 && others <= 1+len(text)/2 && len(text) <= maxFramed
}

// flows reports that the pieces between seams are a sentence: words go on from one into the next.
func (d *Decoder) flows(seams []extent, units []byte, least int) bool {
	text, o := d.text, d.words.order
	d.buf = d.buf[:0]
	words, common, sum, size := 0, 0, 0, 0
	last := -1
	for i := 0; i <= len(seams) && len(d.buf) < 240; i++ {
		var cell []byte
		switch i {
		case 0:
			to := int(seams[0].from)
			from := to
			for from > 0 && to-from < maxFramed && (isLetter(text[from-1]) || text[from-1] == ' ' || text[from-1] == '\'') {
				from--
			}
			cell = text[from:to]
		case len(seams):
			from := int(seams[i-1].to)
			to := from
			for to < len(text) && to-from < maxFramed && (isLetter(text[to]) || text[to] == ' ' || text[to] == '\'') {
				to++
			}
			cell = text[from:to]
		default:
			cell = text[seams[i-1].to:seams[i].from]
		}
		size += len(cell)
		inner := false
		for a := 0; a < len(cell); {
			if !wordByte(cell[a]) {
				a++
				continue
			}
			from := a
			for a < len(cell) && wordByte(cell[a]) {
				a++
			}
			w := cell[from:a]
			words++
			common += int(bit(d.words.cost(w) <= costCommon))
			n := int(o.number(cell, from, a))
			if last >= 0 && !inner {
				sum += int(o.pairs[last][n])
			}
			last, inner = n, true
			d.buf = append(append(d.buf, w...), ' ')
		}
	}
	// Lines that a sign or nothing stands in front of are read as they are, unless they are short.
	if size > maxBare*(len(seams)+1) && !slices.ContainsFunc(units, func(u byte) bool { return letterByte(u) }) {
		return false
	}
	if words >= wordyPiece*(len(seams)+1) {
		least = min(least, 1+len(seams)/4) // few words of many stand beside a joint
	}
	if sum < least || least == 0 && common > 0 {
		return sum >= least
	}
	if 4*common < words || common < 2 {
		return false
	}
	x := fitOf(d.buf)
	return x.usual >= fitUsual && x.order > 0
}

// wordByte tells the bytes of words from what parts them.
func wordByte(c byte) bool { return isLetter(c) || c == '\'' }

// minFlow is how much the words must speak for it, and wordyPiece how many words pieces hold on the average of
// which less will do.
const minFlow, wordyPiece = 4, 3

// framedAll looks for sentences in pieces in a text that Probe has not seen.
func (d *Decoder) framedAll(wants Wants) {
	d.seams, d.framedTo = d.seams[:0], 0
	if wants&WantFramed != 0 && d.words != nil {
		for k := range d.letter {
			d.framed(k)
		}
	}
}

// unframe puts a space in the place of what parts the pieces of sentences.
func (d *Decoder) unframe() {
	p := &d.p[0]
	p.reset()
	for _, x := range d.seams {
		from, to := int(x.from), int(x.to)
		p.add(from, to)
		p.put(' ', from, to)
		p.end(to)
	}
	d.apply("framed", p)
}
