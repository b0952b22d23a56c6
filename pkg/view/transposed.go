package view

import (
	"bytes"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Letters out of their places: typed on a keyboard with other letters on its keys, or read in another order than they were
// written in (transposition: rail fence, columns). A line is one such text; where others begin nobody knows.

// keys are the keys of a keyboard from left to right, line by line, as layouts write them.
const (
	keysLatin    = "qwertyuiop[]asdfghjkl;'zxcvbnm,./"
	keysDvorak   = "',.pyfgcrl/=aoeuidhtns-;qjkxbmwvz"
	keysRight    = "wertyuiop[]\\sdfghjkl;'\nxcvbnm,./\n" // the hands lie one key further to the right
	keysCyrillic = "йцукенгшщзхъфывапролджэячсмитьбю."
)

// typed are tables that give what was meant by what was typed, with small letters and capitals.
var typed = func() (t [4][256]byte) {
	set := func(t *[256]byte, from, to string) {
		for i := range t {
			t[i] = byte(i)
		}
		for i := range len(from) {
			if from[i] > ' ' && to[i] > ' ' {
				t[from[i]] = to[i]
				if isLetter(from[i]) && isLetter(to[i]) {
					t[from[i]&^0x20] = to[i] &^ 0x20
				}
			}
		}
	}
	set(&t[0], keysDvorak, keysLatin)
	set(&t[1], keysLatin, keysDvorak)
	set(&t[2], keysRight, keysLatin)
	set(&t[3], keysLatin, keysRight)
	return t
}()

// typedClasses gives the letterClass of what was meant, a byte of it for each of the tables.
var typedClasses = func() (t [256]uint32) {
	for k := range typed {
		for c := range t {
			t[c] |= uint32(letterClass[typed[k][c]]) << (8 * k)
		}
	}
	return t
}()

// mistyped gives the keyboard on which text of at most 64 bytes was typed that reads as no language; 0: none.
func (d *Decoder) mistyped(text []byte, plain fit) cipher {
	var sum [len(typed)]int32
	last := uint32(0)
	for _, c := range text {
		// Five bits of this one stand behind five of the one before.
		x := typedClasses[c]
		sum[0] += pairs[last&31|x&31<<5]
		sum[1] += pairs[last>>8&31|x>>8&31<<5]
		sum[2] += pairs[last>>16&31|x>>16&31<<5]
		sum[3] += pairs[last>>24|x>>24<<5]
		last = x
	}
	best, most := -1, max(fitUsual+2, plain.usual+fitGain)-1
	for k, s := range sum {
		if x := tenfold(int(int16(s)), len(text)); x > most { // nearly all pairs hold a letter
			best, most = k, x
		}
	}
	if best < 0 {
		return 0
	}
	d.buf = d.buf[:0]
	for _, c := range text {
		d.buf = append(d.buf, typed[best][c])
	}
	if fitOf(d.buf).order <= 0 || !d.words.halfOf(d.buf) {
		return 0
	}
	return ciphTyped + cipher(best)
}

// cyrillicKeys gives the key of a Latin keyboard for letters of Russian and Ukrainian ones, as folding leaves them, by
// their place in the block of Cyrillic.
var cyrillicKeys = func() (t [256]byte) {
	t['і'-cyrillicBlock], t['ї'-cyrillicBlock], t['є'-cyrillicBlock], t['ґ'-cyrillicBlock] = 's', ']', '\'', '\\'
	i := 0
	for _, r := range keysCyrillic {
		if r >= cyrillicBlock {
			t[r-cyrillicBlock] = keysLatin[i]
		}
		i++
	}
	return t
}()

const cyrillicBlock = 0x400

// moved is a line that reads as a language when its letters are put back.
type moved struct {
	extent
	by way
}

// A way is one to put the letters of a line back.
type way struct {
	kind wayKind
	n    int // rows or columns
}

type wayKind uint8

// The ways.
const (
	wayRail    wayKind = iota // a zigzag over n lines
	wayColumns                // columns of rows of n
	wayRows                   // rows that were read column by column
	wayKeys                   // a Cyrillic keyboard
)

// ways are those that are tried.
var ways = [...]way{
	{wayColumns, 2}, {wayRows, 2}, {wayRail, 3}, {wayColumns, 3}, {wayRows, 3}, {wayRail, 4}, {wayColumns, 4}, {wayRows, 4}, {wayRail, 5}, {wayColumns, 5}, {wayRows, 5},
	{wayColumns, 6}, {wayRows, 6}, {wayColumns, 7}, {wayColumns, 8},
}

func (w way) name() string {
	return [...]string{"rail-fence", "columns", "rows", "keyboard"}[w.kind]
}

// maxRows is how many rows or columns a way has at most.
const maxRows = 8

// Bounds of a line whose letters are put back, in bytes.
const minMoved, maxMoved = 24, 800

// places appends to at, for the first bytes of a text of n, where they stand once it was written in such a way.
func (w way) places(at []int32, n, first int) []int32 {
	at = at[:0]
	if w.kind == wayRows {
		// The last row may be shorter: so many columns are full.
		width := (n + w.n - 1) / w.n
		full := n - (w.n-1)*width
		for i := range first {
			r, c := i/width, i%width
			at = append(at, int32(c*w.n-max(0, c-full)+r))
		}
		return at
	}
	period := w.n
	row := func(k int) int { return k }
	if w.kind == wayRail {
		period = 2*w.n - 2
		row = func(k int) int { return min(k, period-k) }
	}
	var next [maxRows + 1]int32 // where the next byte of each row stands
	for k := range period {
		next[row(k)+1] += int32(n/period) + int32(bit(k < n%period))
	}
	for r := 1; r < len(next); r++ {
		next[r] += next[r-1]
	}
	k := 0
	for range first {
		r := row(k)
		at = append(at, next[r])
		next[r]++
		if k++; k == period {
			k = 0
		}
	}
	return at
}

// movedRead is how many letters tell at a glance whether a line was put back.
const movedRead = 96

// movedEvery is how many blocks of a text bear two looks at a line in vain.
const movedEvery = 32

// scattered gives the places in a block where spaces stand as words have none: single letters, and where two spaces part
// letters. 0: there are few, or the block is no prose in any order.
func scattered(one, all, sign uint64, letters, digits, signs int) uint64 {
	if letters < 36 || digits > 2 || signs > 6 {
		return 0
	}
	gap := ^(all | sign)
	places := one&(gap<<1)&(gap>>1) | gap&(gap>>1)&(all<<1)&(all>>2)
	if places&(places-1) == 0 {
		return 0
	}
	return places
}

// fences looks whether the lines around block k in which spaces are scattered were read in another order than they were
// written in.
func (d *Decoder) fences(k int, places uint64) (w Wants) {
	odd := 0
	for m := places; m != 0; m &= m - 1 {
		if c := d.text[64*k+bits.TrailingZeros64(m)] | 0x20; c != 'a' && c != 'i' { // words of one letter
			odd++
		}
	}
	if odd == 0 {
		return 0
	}
	w = d.fence(k, 64*k+bits.TrailingZeros64(places))
	if places&(places-1) != 0 {
		w |= d.fence(k, 64*k+63-bits.LeadingZeros64(places))
	}
	return w
}

// fence is fences for the line of text[at].
func (d *Decoder) fence(k, at int) Wants {
	l := &d.looks
	if d.words == nil || at < l.movedDone || l.movedVain > movedEvery/4+k {
		return 0
	}
	from, to := d.lineAround(at)
	l.movedDone = to
	if to-from < minMoved || to-from > maxMoved {
		return 0
	}
	line := d.text[from:to]
	if d.words.mostKnown(line) {
		l.movedVain++
		return 0
	}
	plain := fitOf(line)
	d.spend(movedRead * len(ways))
	l.movedVain += movedEvery / 2
	need := max(fitUsual+2, plain.usual+fitGain/3)
	for _, w := range ways {
		d.pos = w.places(d.pos, len(line), min(len(line), movedRead))
		d.buf = d.buf[:0]
		for _, x := range d.pos {
			d.buf = append(d.buf, line[x])
		}
		if x := fitOf(d.buf); x.usual < need || x.order <= 0 || !d.words.halfOf(d.buf) {
			continue
		}
		l.movedVain = 0
		d.moved = append(d.moved, moved{extent{int32(from), int32(to)}, w})
		return WantCipher
	}
	return 0
}

// lineAround gives the line that text[at] is part of, without an indent. A space or two may belong to what was written.
func (d *Decoder) lineAround(at int) (from, to int) {
	text := d.text
	if k := bytes.LastIndexByte(text[max(0, at-maxMoved-1):at], '\n'); k >= 0 {
		from = max(0, at-maxMoved-1) + k + 1
	} else {
		from = max(0, at-maxMoved-1)
	}
	if k := bytes.IndexByte(text[at:min(len(text), at+maxMoved+1)], '\n'); k >= 0 {
		to = at + k
	} else {
		to = min(len(text), at+maxMoved+1)
	}
	for at := from; at < to && text[at] <= ' '; at++ {
		if at-from == 2 {
			for from < to && text[from] <= ' ' {
				from++
			}
			break
		}
	}
	if to > from && text[to-1] == '\r' {
		to--
	}
	return from, to
}

// lookKeys gives the key for letters that folding took for Latin ones.
var lookKeys = func() (t [256]byte) {
	for look, r := range map[byte]rune{'a': 'а', 'e': 'е', 'o': 'о', 'p': 'р', 'c': 'с', 'y': 'у', 'x': 'х', 'k': 'к', 'm': 'м', 't': 'т', 'i': 'і'} {
		t[look] = cyrillicKeys[r-cyrillicBlock]
	}
	return t
}()

// keyOf gives what stands on the Latin keyboard where text[k:end] begins with was typed, and how long that is; 0: it is no
// letter.
func keyOf(text []byte, k, end int) (c byte, size int) {
	if c := text[k]; c < utf8.RuneSelf {
		if x := lookKeys[c]; x != 0 {
			return x, 1
		}
		return c, 1
	}
	r, size := utf8.DecodeRune(text[k:end])
	if r -= cyrillicBlock; r >= 0 && r < rune(len(cyrillicKeys)) {
		return cyrillicKeys[r], size
	}
	return 0, size
}

// minKeys is how many letters a line in Cyrillic holds at least of which the keys are read.
const minKeys = 20

// latinKeys looks for lines of Cyrillic letters whose keys read as a language in Latin letters.
func (d *Decoder) latinKeys() (w Wants) {
	text := d.text
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && text[end] != '\n' {
			end++
		}
		if end-i >= 2*minKeys {
			d.buf = d.buf[:0]
			letters := 0
			for k := i; k < end && len(d.buf) < movedRead; {
				c, size := keyOf(text, k, end)
				letters += int(bit(isLetter(c) && size > 1))
				if c == 0 {
					c = ' '
				}
				d.buf = append(d.buf, c)
				k += size
			}
			if 2*letters >= len(d.buf) && letters >= minKeys {
				if x := fitOf(d.buf); x.usual >= fitUsual && x.order > 0 && d.words.halfOf(d.buf) {
					d.moved = append(d.moved, moved{extent{int32(i), int32(end)}, way{wayKeys, 0}})
					w = WantCipher
				}
			}
			d.spend(len(d.buf))
		}
		i = end + 1
	}
	return w
}

// unmove puts the letters of lines back that were seen out of their places.
func (d *Decoder) unmove() {
	p := &d.p[0]
	p.reset()
	name := ""
	slices.SortFunc(d.moved, func(a, b moved) int { return int(a.from - b.from) })
	for _, x := range d.moved {
		from, to := int(x.from), int(x.to)
		if last := p.last(); last != nil && last.to > from {
			continue
		}
		name = x.by.name()
		d.spend(to - from)
		p.add(from, to)
		if x.by.kind == wayKeys {
			for k := from; k < to; {
				c, size := keyOf(d.text, k, to)
				if c != 0 {
					p.put(c, k, k+size)
				} else {
					p.copy(d.text, k, k+size)
				}
				k += size
			}
		} else {
			d.pos = x.by.places(d.pos, to-from, to-from)
			for _, k := range d.pos {
				p.put(d.text[from+int(k)], from+int(k), from+int(k)+1)
			}
		}
		p.end(to)
	}
	d.apply(name, p)
}
