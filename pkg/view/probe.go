package view

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wants is a set of views that a text asks for.
type Wants uint32

// The decoding views. The first ones are asked for by the bytes of a text
// ([Probe]); the others by words that a search found in it.
const (
	WantRuns     Wants = 1 << iota // long runs of letters and digits: base64, base32, hex
	WantEscapes                    // percent, entities, \u, quoted-printable
	WantSpacing                    // single letters, broken words, words with signs inside
	WantLeet                       // digits for letters
	WantCodes                      // numbers for letters, pairs of hex digits, Morse
	WantMarkup                     // tags, comments, emphasis, hidden elements
	WantConcat                     // "ig" + "nore"
	WantSpelling                   // words with shuffled letters
	WantReversed                   // letters or words backwards
	WantOrder                      // words in reverse order
	WantAtbash
	WantRot47
	WantCipher                 // letters that read as no language, and do when they are put back
	WantJoined                 // words with other signs than spaces between them
	WantSpelt                  // words of a spelling alphabet for letters
	WantDense                  // base85, uuencode
	WantCaesar Wants = 1 << 16 // plus the shift: see Caesar
	WantPig    Wants = 1 << 22 // pig Latin
	WantFused  Wants = 1 << 23 // words without spaces
	// Not a view: nobody sees the text at all, and what a renderer hides of it is nothing new.
	AllHidden Wants = 1 << 24
	// Probe does not ask for it: see Framed.
	WantFramed Wants = 1 << 25 // a sentence in pieces, with the same between them again and again
)

// Caesar is the view of letters shifted by n places, 1 … 25; 13 is rot13. Only
// one shift can be asked for at a time.
func Caesar(n int) Wants { return WantCaesar | Wants(n)<<17 }

func (w Wants) shift() int { return int(w>>17) & 31 }

// holds reports whether the masks are those of text, if that has not changed.
func (d *Decoder) holds(text []byte) bool {
	return len(text) > 0 && len(text) == len(d.text) && &text[0] == &d.text[0]
}

// look computes the masks of text, unless they are there. Without marks everything is
// looked for everywhere.
func (d *Decoder) look(text []byte) {
	if d.holds(text) {
		return
	}
	high, _ := d.masksOf(text)
	d.wide = high != 0
}

// masksOf computes the masks of text, and gives what is beyond ASCII in any of its blocks, and
// what no plain text holds.
func (d *Decoder) masksOf(text []byte) (high, bad uint64) {
	d.room64(text)
	n := len(text) / 64
	if n > 0 {
		l := maskLists{letter: &d.letter[0], upper: &d.upper[0], digit: &d.digit[0], sign: &d.sign[0], line: &d.line[0], stop: &d.stop[0]}
		if maskAll(text, n, &l) {
			high, bad = l.high, l.bad
		} else {
			n = 0
		}
	}
	for ; n < len(d.letter); n++ {
		m := d.masksAt(text, n)
		high, bad = high|m.high, bad|m.bad
	}
	return high, bad
}

// masksAt computes the masks of block i of text, which is filled up with spaces.
func (d *Decoder) masksAt(text []byte, i int) *masks {
	m := &d.block64
	if rest := text[64*i:]; len(rest) >= 64 {
		mask((*[64]byte)(rest), m)
	} else {
		buf := spaces
		copy(buf[:], rest)
		mask(&buf, m)
	}
	d.letter[i], d.upper[i], d.digit[i], d.sign[i], d.line[i], d.stop[i] = m.letter, m.upper, m.digit, m.sign, m.line, m.stop
	return m
}

// Plain reports what [Plain] does. What it sees on the way is kept for Probe, if that is
// asked of the same text next.
func (d *Decoder) Plain(text []byte) bool {
	if _, bad := d.masksOf(text); bad != 0 {
		return false
	}
	d.wide, d.seen = false, true
	return true
}

// Look sees what Plain sees, and keeps it for Probe, of a text that is not plain. It reports
// whether the text is ASCII all the same.
func (d *Decoder) Look(text []byte) (ascii bool) {
	d.text = nil
	d.look(text)
	d.seen = true
	return !d.wide
}

// Bits appends a bit for each byte of text, set for letters and digits, to the first list, and
// to the second one bits for full stops, exclamation and question marks and line feeds, if text
// is the one that Plain said yes to last, or that Look saw; ok is false for another.
func (d *Decoder) Bits(words, stops []uint64, text []byte) (w, s []uint64, ok bool) {
	if !d.seen || !d.holds(text) {
		return words, stops, false
	}
	digit := d.digit[:len(d.letter)]
	for i, m := range d.letter {
		words = append(words, m|digit[i])
	}
	return words, append(stops, d.stop...), true
}

// spaces are what a text is filled up with to whole blocks.
var spaces = [64]byte([]byte(strings.Repeat(" ", 64)))

// room64 makes room for the masks of text.
func (d *Decoder) room64(text []byte) {
	d.text, d.seen = text[:len(text):len(text)], false // nothing behind it is read
	n := (len(text) + 63) / 64
	for _, m := range [...]*[]uint64{&d.coded, &d.spaced, &d.packed, &d.fused, &d.leety, &d.mixed} {
		*m = slices.Grow((*m)[:0], (n+63)/64)[:(n+63)/64]
		clear(*m)
	}
	all := [...]*[]uint64{&d.letter, &d.upper, &d.digit, &d.sign, &d.line, &d.stop, &d.run}
	if cap(d.letter) <= n {
		room := make([]uint64, len(all)*(2*n+1))
		for _, m := range all {
			*m, room = room[:2*n+1:2*n+1], room[2*n+1:]
		}
	}
	for _, m := range all {
		*m = (*m)[:n+1]
		(*m)[n] = 0 // see window
		*m = (*m)[:n]
	}
}

// longRuns appends the runs of at least so many set bits, six to eight, which are in order.
// The first bit is bit at.
func longRuns(runs []extent, m []uint64, at, least int) []extent {
	before := uint64(0) // the bit before the word
	for k, w := range m {
		next := uint64(0)
		if k+1 < len(m) {
			next = m[k+1]
		}
		// Bit s stays set when so many bits are set from s on.
		r := w & (w>>1 | next<<63)
		next &= next >> 1
		r &= r>>2 | next<<62
		next &= next >> 2
		r &= r>>((least-4)&63) | next<<((68-least)&63)
		for r &^= w<<1 | before; r != 0; r &= r - 1 {
			s := bits.TrailingZeros64(r)
			end := s + bits.TrailingZeros64(^(w >> s))
			if end == 64 {
				end = runEnd(m, k<<6+63) - k<<6
			}
			from := at + k<<6
			runs = append(runs, extent{int32(from + s), int32(from + end)})
		}
		before = w >> 63
	}
	return runs
}

// wordRuns appends the runs of set bits that are three to 24 long.
func wordRuns(runs []extent, m []uint64) []extent {
	before := uint64(0)
	for k, w := range m {
		next := uint64(0)
		if k+1 < len(m) {
			next = m[k+1]
		}
		// Bit s stays set when three bits are set from s on.
		r := w & (w>>1 | next<<63)
		r &= w>>2 | next<<62
		for r &^= w<<1 | before; r != 0; r &= r - 1 {
			s := bits.TrailingZeros64(r)
			n := bits.TrailingZeros64(^(w>>s | next<<1<<(63-s)))
			if n <= 24 {
				runs = append(runs, extent{int32(k<<6 + s), int32(k<<6 + s + n)})
			}
		}
		before = w >> 63
	}
	return runs
}

// unknown is a word of a text that the vocabulary has not; number is which of its long words it is.
type unknown struct{ from, to, number int32 }

// strangeWords gives the words of six letters and more that stand between what parts words and are
// none of the vocabulary, or not likely. Most words are known, and which are not no processor
// guesses: so no branch hangs on what a word is.
func (d *Decoder) strangeWords() []unknown {
	text := d.text
	d.cutLong()
	begins, ends := d.begins, d.ended
	if cap(d.strange) < len(begins)+1 {
		d.strange = make([]unknown, 2*len(begins)+16)
	}
	strange := d.strange[:len(begins)+1]
	found, number := 0, 0
	for k, at := range begins {
		from, to := int(at), int(ends[k])
		// What stands beside a word at the end of the text is one of its letters then.
		front := apart[text[max(from, 1)-1]] | bit(from == 0)
		behind := apart[text[min(to, len(text)-1)]]>>1 | bit(to == len(text))
		stands := int(front & behind & 1)
		var h uint64
		if from+maxWord <= len(text) {
			h = hashWord((*[maxWord]byte)(text[from:]), min(to-from, maxWord))
		} else {
			h = hashOf(text, from, min(to, from+maxWord))
		}
		likely := bit(d.words.exact.has(h)) | bit(to-from > maxWord)
		strange[found] = unknown{at, int32(to), int32(number)}
		found += stands &^ int(likely)
		number += stands
	}
	return strange[:found]
}

// cutLong notes where words of six letters and more begin and end.
func (d *Decoder) cutLong() {
	if most := len(d.text)/7 + 1 + Spare; cap(d.begins) < most {
		d.begins, d.ended = make([]int32, 2*most), make([]int32, 2*most)
	}
	list, ended := d.begins[:cap(d.begins)], d.ended[:cap(d.ended)]
	begins, ends := 0, 0
	var one, two, six uint64 // of the block before: letters, and where the second and the sixth in a row stand
	for k, w := range d.letter {
		twos := w & (w<<1 | one>>63)
		fours := twos & (twos<<2 | two>>62)
		sixes := fours & (twos<<4 | two>>60)
		behind := sixes<<1 | six>>63
		one, two, six = w, twos, sixes
		begins = Spread(list, begins, sixes&^behind, k<<6-5)
		ends = Spread(ended, ends, behind&^sixes, k<<6)
	}
	if ends < begins { // the last word ends with the text
		ended[ends] = int32(len(d.text))
	}
	d.begins, d.ended = list[:begins], ended[:begins]
}

// Spare is how many elements a list holds beyond those that [Spread] writes into it, at least.
const Spare = 4

// Spread writes where the bits of m are, from at on, into list[n:], and gives how long the list is
// now. Bits are written four at a time, and what is none is written over: so no branch hangs on each.
func Spread(list []int32, n int, m uint64, at int) int {
	to := n + bits.OnesCount64(m)
	for ; n < to; n += 4 {
		out := (*[4]int32)(list[n:])
		out[0] = int32(at + bits.TrailingZeros64(m))
		m &= m - 1
		out[1] = int32(at + bits.TrailingZeros64(m))
		m &= m - 1
		out[2] = int32(at + bits.TrailingZeros64(m))
		m &= m - 1
		out[3] = int32(at + bits.TrailingZeros64(m))
		m &= m - 1
	}
	return to
}

// runEnd gives the end of the run of set bits that holds bit i.
func runEnd(m []uint64, i int) int {
	k := i >> 6
	for x := ^m[k] & (^uint64(0) << (i & 63)); ; x = ^m[k] {
		if x != 0 {
			return k<<6 + bits.TrailingZeros64(x)
		}
		if k++; k == len(m) {
			return k << 6
		}
	}
}

// The kinds of byte that stand behind a sign.
const (
	thenSign   = iota // a sign but those below, or no ASCII
	thenSpace         // white space but line breaks, or nothing
	thenBreak         // a line break
	thenCode          // a capital that is a hex digit
	thenLetter        // another letter
	thenDigit
	thenStop // a full stop
	thenOpen // an opening parenthesis
)

// The kinds of byte that stand in front of a sign.
const (
	afterSign  = iota // a sign but those below, or no ASCII
	afterSpace        // white space or nothing
	afterName         // r and w, with which names of functions end that make a letter of a number
	afterCall         // b, e, l and t, with which names of functions end that replace or join parts of a text
	afterU            // u, as of U+0041
	afterLetter
	afterDigit
	afterQuote
)

var kindBehind, kindBefore = func() (behind, before [256]uint8) {
	for c := range 256 {
		b := byte(c)
		switch {
		case b == '\n' || b == '\r':
			behind[c] = thenBreak
		case b <= ' ':
			behind[c] = thenSpace
		case b >= 'A' && b <= 'F':
			behind[c] = thenCode
		case isLetter(b):
			behind[c] = thenLetter
		case isDigit(b):
			behind[c] = thenDigit
		case b == '.':
			behind[c] = thenStop
		case b == '(':
			behind[c] = thenOpen
		}
		switch l := b | 0x20; {
		case b <= ' ':
			before[c] = afterSpace
		case !isLetter(b):
			if isDigit(b) {
				before[c] = afterDigit
			} else if b == '"' || b == '\'' || b == '`' {
				before[c] = afterQuote
			}
		case l == 'r' || l == 'w':
			before[c] = afterName
		case l == 'b' || l == 'e' || l == 'l' || l == 't':
			before[c] = afterCall
		case l == 'u':
			before[c] = afterU
		default:
			before[c] = afterLetter
		}
	}
	return behind, before
}()

// telling are the signs that may ask for a view: a bit for each kind of byte that may stand behind
// one and each that may stand in front of it then.
var telling = func() (t [256]uint64) {
	const (
		every  = 0xff
		letter = 1<<afterName | 1<<afterCall | 1<<afterU | 1<<afterLetter
		joint  = 1<<afterSpace | 1<<afterQuote
	)
	let := func(signs string, front uint64, behind ...int) {
		for _, c := range []byte(signs) {
			for _, k := range behind {
				t[c] |= front << (8 * k)
			}
		}
	}
	let("%\\", every, thenLetter, thenCode, thenDigit)
	let("&", every, thenLetter, thenCode, thenSign)
	let("&+", joint, thenSpace, thenBreak)
	let("+|", joint, thenSign)
	let("+", 1<<afterU, thenDigit, thenCode)
	let("=", every, thenCode, thenDigit, thenBreak)
	let("<", every, thenLetter, thenCode, thenSign)
	let("*", letter, thenLetter, thenCode, thenSign)
	let("_~", letter, thenSign)
	let("-", letter, thenBreak)
	let("]", every, thenOpen)
	let("\"", every, thenStop)
	let("\"", 1<<afterSpace, thenLetter, thenCode, thenSpace)
	let(".", 1<<afterSpace, thenSpace)
	let("(", 1<<afterName, thenDigit)
	let("(", 1<<afterCall|1<<afterSpace, thenSign)
	return t
}()

// signs gives the views that the signs of the text ask for. Few do, and which no processor
// guesses: those that may are gathered without a branch that hangs on the text.
func (d *Decoder) signs() (w Wants) {
	text := d.text
	if most := len(text) + 4; cap(d.places) < most {
		d.places = make([]int32, 2*most)
	}
	places := d.places[:cap(d.places)]
	n := 0
	carry := uint64(0) // whether a letter or digit stood in front of the block
	for k, letter := range d.letter {
		// Behind most signs stands white space. One of those tells something only where white
		// space or a sign stands in front of it, or a letter and a line break behind it. What
		// may end a sentence tells something only between white space.
		sign, stop := d.sign[k], d.stop[k]
		all := letter | d.digit[k]
		open := all | sign // what is no white space
		next := open>>1 | (d.letter[:k+2][k+1]|d.digit[:k+2][k+1]|d.sign[:k+2][k+1])<<63
		breaks := d.line[k]>>1 | d.line[:k+2][k+1]<<63
		before := all<<1 | carry
		n = Spread(places, n, sign&(^stop&(next|breaks&before)|^before&^(stop&next)), k<<6)
		carry = all >> 63
	}
	found := 0
	for _, i := range places[:n] {
		// Nothing in front of a text and behind it is as good as white space.
		front := kindBefore[text[max(i, 1)-1]]
		behind := kindBehind[text[min(int(i)+1, len(text)-1)]]
		places[found] = i
		found += int(telling[text[i]] >> ((8*behind + front) & 63) & 1)
	}
	for _, i := range places[:found] {
		w |= d.tells(int(i), w)
	}
	return w
}

// Probe tells cheaply which decoding views a folded text asks for. It may ask for a
// view that then finds nothing.
func Probe(text []byte, words *Words) Wants {
	d := Decoder{words: words}
	return d.Probe(text, 0)
}

// Probe is [Decoder.ProbeBut] for a text of which every view may be of use.
func (d *Decoder) Probe(text []byte, wants Wants) Wants { return d.ProbeBut(text, wants, 0) }

// ProbeBut adds to wants, which others have of a folded text, the views that its bytes ask
// for, and takes away those without use. It is cheap, and may ask for a view that then finds
// nothing. Decode looks for
// what only Probe asks for where Probe saw the reason, and for the rest everywhere.
func (d *Decoder) ProbeBut(text []byte, wants, without Wants) Wants {
	if !d.seen || !d.holds(text) {
		d.text = nil
		d.look(text)
	}
	d.seen = false
	d.title, d.tagEnd = ahead{sign: `")`}, ahead{sign: ">"}
	d.moved, d.scarce = d.moved[:0], false
	d.odd, d.behind, d.rows, d.noisy, d.walked = d.odd[:0], glance{}, d.rows[:0], false, 0
	d.seams, d.framedTo = d.seams[:0], 0
	d.dense, d.ran = d.dense[:0], 0
	d.looks = looks{leetLast: math.MinInt}
	var w Wants
	leet, tail, mostDigits := 0, 0, 0
	upper, digit, sign := d.upper[:len(d.letter)], d.digit[:len(d.letter)], d.sign[:len(d.letter)]
	for k, letter := range d.letter {
		letters, digits, signs := bits.OnesCount64(letter), bits.OnesCount64(digit[k]), bits.OnesCount64(sign[k])
		mostDigits = max(mostDigits, digits)
		all := letter | digit[k]
		// Sixteen letters and digits in a row, or capitals inside words again and again.
		r := all & (all >> 1)
		r &= r >> 2
		r &= r >> 4
		if r == 0 && letters >= 40 && regrouped(all|sign[k]) {
			w |= WantFused
			d.fused[k>>6] |= 1 << (k & 63)
			if d.fewIn(64*k, min(len(text), 64*k+64)) {
				w |= WantSpelt
				d.scarce = true
			}
		}
		if r == 0 && letters >= 40 && bits.OnesCount64(all&^(all<<1)) >= 13 && d.inPieces(k, letter) {
			w |= WantSpacing
			d.spaced[k>>6] |= 1 << (k & 63)
		}
		r &= r >> 8
		humps := upper[k] & ((letter &^ upper[k]) << 1)
		many := humps != 0 && bits.OnesCount64(humps) >= 4
		if many || r != 0 || tail+bits.TrailingZeros64(^all) >= 16 {
			w |= d.packs(k, tail, many)
		}
		tail = bits.LeadingZeros64(^all)
		one := letter &^ (all << 1) &^ (all >> 1)
		if places := scattered(one, all, sign[k], letters, digits, signs); places != 0 && without&WantCipher == 0 {
			w |= d.fences(k, places)
		}
		if bits.OnesCount64(one) >= 5 && stretch(one, letter&^one) {
			w |= WantSpacing
			d.spaced[k>>6] |= 1 << (k & 63)
		}
		n := 0
		if digits > 0 {
			n = bits.OnesCount64(digit[k] & (letter << 1) & (letter >> 1))
			if (digits >= 30 || digits >= 12 && bits.OnesCount64(all&^(all<<1)) >= 19) && (d.looks.coded >= surely || d.numbers(k)) {
				d.looks.coded++
				w |= WantCodes
				d.coded[k>>6] |= 1 << (k & 63)
			}
		}
		if n+leet >= 2 && d.leets(k) {
			w |= WantLeet
			d.leety[k>>6] |= 1 << (k & 63)
		}
		leet = n
		if letters+digits <= 6 && signs >= 10 && 64*k+64 <= len(text) && dotted(text[64*k:64*k+64]) {
			w |= WantCodes
			d.coded[k>>6] |= 1 << (k & 63)
		}
		if without&WantCipher == 0 && !(many && digits >= 3) { // base64 is as odd as a cipher
			w |= d.ciphered(k, letters, digits+signs)
		}
		w |= d.pigs(k, letter&^(letter>>1)&middle)
		if signs >= 3 && (isDense(letters, digits, signs, all, min(64, len(text)-64*k)) || digits >= 8 && letter == upper[k] && letters+digits >= 32) {
			w |= d.denseAt(k)
		}
		if letters >= minGlued && (signs >= 4 || d.wide || bits.OnesCount64(d.line[k]) >= 4) {
			w |= d.glued(k, letters, digits, signs)
		} else if d.wide && letters < minGlued {
			w |= d.gluedWide(k)
		}
	}
	w |= d.signs()
	if w&WantEscapes == 0 && encodedIn(text) {
		w |= WantEscapes
	}
	if w&WantMarkup == 0 && mostDigits >= cueDigits && cueIn(text) {
		w |= WantMarkup
	}
	if len(text) < 64 && dotted(text) {
		w |= WantCodes
	}
	// What is of no use is not looked for: of a text that was guessed nothing is guessed again.
	if d.words != nil && without&(WantSpelling|WantCipher) != WantSpelling|WantCipher {
		w |= d.misspelt(without&WantCipher == 0)
	}
	if d.flipped = d.flipped[:0]; without&WantOrder == 0 && d.flips() {
		w |= WantOrder
	}
	if d.wide && without&WantCipher == 0 {
		w |= d.latinKeys()
	}
	if d.wide && d.spacedRunes() {
		w |= WantSpacing
		clear(d.spaced)
	}
	if wants&WantSpacing != 0 {
		clear(d.spaced)
	}
	return (w | wants) &^ without
}

// apart tells what stands in front of words, 1, and behind them, 2.
var apart = func() (t [256]uint8) {
	for c := range 256 {
		b := byte(c)
		if b <= ' ' || b == '"' || b == '(' || b == '\'' {
			t[c] = 1
		}
		if wordAfter(b) || b == '\n' || b == '"' || b == '-' {
			t[c] |= 2
		}
	}
	return t
}()

// middle is where words end of which a block holds several letters, and what follows them.
const middle = 1<<63 - 1<<12

// tells gives the views that the sign at text[i] asks for, beside some that are known.
func (d *Decoder) tells(i int, known Wants) Wants {
	text := d.text
	at := func(k int) byte {
		if k < 0 || k >= len(text) {
			return 0
		}
		return text[k]
	}
	next := at(i + 1)
	switch text[i] {
	case '%':
		if hexVal(next) >= 0 && hexVal(at(i+2)) >= 0 || next == 'u' && i+5 < len(text) && allHex(text[i+2:i+6]) {
			return WantEscapes
		}
	case '&':
		if joins(text, i) {
			return WantConcat
		}
		if (next == '#' || isLetter(next)) && bytes.IndexByte(text[i:min(len(text), i+12)], ';') > 0 {
			return WantEscapes
		}
	case '\\':
		switch {
		case i+3 >= len(text):
		case known&WantMarkup == 0 && latexHides(text, i) > 0:
			return WantMarkup
		case hexVal(next) >= 0 && cssEscape(text, i) > 0 && cssEscape(text, cssEscape(text, i)) > 0:
			return WantEscapes
		case next == 'e' && text[i+2] == '[', next == 'u', next == 'U', next == 'x', next >= '0' && next <= '3' && isOct(text[i+2]) && isOct(text[i+3]):
			return WantEscapes
		}
	case '=':
		// Quoted-printable: "=10" is also what programs write.
		if i+3 >= len(text) {
			return 0
		}
		inWord := isLetter(at(i - 1))
		switch {
		case isQP(next) && isQP(text[i+2]) && (text[i+3] == '=' || isLetter(text[i+3]) && inWord),
			inWord && (next == '\n' && isLetter(text[i+2]) || next == '\r' && text[i+2] == '\n'):
			return WantEscapes
		}
	case '<':
		if known&WantMarkup == 0 && (next == '!' || d.tagTells(i)) {
			return WantMarkup
		}
	case '*', '_', '~':
		if i > 0 && isLetter(text[i-1]) {
			j := i
			for j < len(text) && text[j] == text[i] {
				j++
			}
			if isLetter(at(j)) && (text[i] == '*' || j-i == 2) {
				return WantMarkup
			}
		}
	case '-':
		if next == '\n' && isLetter(at(i-1)) {
			return WantMarkup
		}
	case ']':
		if next == '(' && d.title.next(text, i)-i < titleReach {
			return WantMarkup
		}
	case '(':
		if next <= '9' && next >= '0' {
			return d.callTells(i)
		}
		if known&WantConcat == 0 && isQuote(next) && listCall(text, i, func(_, _ int) {}) > 0 { // a long list is walked once
			return WantConcat
		}
		if c := at(i-1) | 0x20; c == 'e' || c == 'l' || c == 'b' {
			dot := max(0, i-12) + bytes.LastIndexByte(text[max(0, i-12):i], '.')
			if _, _, end := replacedAt(text, i); end > 0 && (at(dot-1) == '"' || at(dot-1) == '\'' || at(dot-1) == '`') {
				return WantConcat
			}
		}
	case '+':
		if w := d.callTells(i); w != 0 {
			return w
		}
		if joins(text, i) {
			return WantConcat
		}
	case '"':
		// A full stop between two literals, as PHP and Perl join them.
		if bytes.HasPrefix(text[i:], []byte(`"."`)) && joins(text, i+1) {
			return WantConcat
		}
		// Literals side by side are most often a list, unless a space ends or begins one.
		if i > 0 && text[i-1] <= ' ' {
			if from, _, ok := besides(text, i); ok && (next == ' ' || text[from-1] == ' ') {
				return WantConcat
			}
		}
	case '|':
		if joins(text, i) {
			return WantConcat
		}
	case '.':
		if i >= 2 && bytes.HasPrefix(text[i-2:], []byte(`" . "`)) && joins(text, i) {
			return WantConcat
		}
	}
	return 0
}

// stretch reports five single letters with no longer word between them.
func stretch(one, rest uint64) bool {
	run, last := 0, 0
	for ; one != 0; one &= one - 1 {
		at := bits.TrailingZeros64(one)
		if run > 0 && (at-last > 6 || rest>>last&(1<<(at-last)-1) != 0) {
			run = 0
		}
		if run++; run >= 5 {
			return true
		}
		last = at
	}
	return false
}

// dotted reports a text that is mostly dots and dashes.
func dotted(b []byte) bool {
	n, s := 0, 0
	for _, c := range b {
		switch c {
		case '.', '-':
			n++
		case ' ', '/', '|', '\n':
			s++
		}
	}
	return n >= 10 && s >= 3 && n+s > len(b)*3/4
}

func isASCII(text []byte) bool {
	for len(text) >= 8 {
		if binary.LittleEndian.Uint64(text)&highs != 0 {
			return false
		}
		text = text[8:]
	}
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hexTable gives the value of a hex digit; 0xff: none.
var hexTable = func() (t [256]uint8) {
	for c := range t {
		t[c] = 0xff
	}
	for i, c := range []byte("0123456789abcdef") {
		t[c] = uint8(i)
		if i > 9 {
			t[c-0x20] = uint8(i)
		}
	}
	return t
}()

func hexVal(c byte) int {
	if x := hexTable[c]; x != 0xff {
		return int(x)
	}
	return -1
}

func isQP(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// joinAt reports whether text[i] joins two string literals, and the range from
// the closing quote of the first to behind the opening quote of the second.
func joinAt(text []byte, i int) (from, to int, ok bool) {
	from, to = i, i+1
	switch text[i] {
	case '+', '&', '.':
	case '|':
		if to == len(text) || text[to] != '|' {
			return 0, 0, false
		}
		to++
	case '"':
		return besides(text, i)
	default:
		return 0, 0, false
	}
	for from > 0 && (text[from-1] == ' ' || text[from-1] == '\n' || text[from-1] == '\t') && i-from < 20 {
		from--
	}
	for to < len(text) && (text[to] == ' ' || text[to] == '\n' || text[to] == '\t') && to-i < 20 {
		to++
	}
	if from == 0 || to >= len(text) {
		return 0, 0, false
	}
	q, p := text[from-1], text[to]
	if (q != '"' && q != '\'' && q != '`') || (p != '"' && p != '\'' && p != '`') {
		return 0, 0, false
	}
	if text[i] == '.' && (to+1 >= len(text) || !letterByte(text[to+1]) && text[to+1] != ' ') {
		return 0, 0, false // a literal that holds a full stop, not two that it joins
	}
	return from - 1, to + 1, true
}

// besides is joinAt for a quote that opens a literal behind another one, with nothing but
// white space between them, as C and Python join them.
func besides(text []byte, i int) (from, to int, ok bool) {
	if i+2 >= len(text) || !isLetter(text[i+1]) && (text[i+1] != ' ' || !isLetter(text[i+2])) {
		return 0, 0, false
	}
	from = i
	for from > 0 && i-from < 20 && text[from-1] <= ' ' {
		from--
	}
	if from--; from < 1 || from == i-1 || text[from] != '"' || !isLetter(text[from-1]) && (text[from-1] != ' ' || from < 2 || !isLetter(text[from-2])) {
		return 0, 0, false
	}
	return from, i + 1, true
}

func joins(text []byte, i int) bool {
	_, _, ok := joinAt(text, i)
	return ok
}

// ahead finds the next place of a sign for places that come in order, so that a text
// is searched once, however often it is asked.
type ahead struct {
	sign string
	at   int // the place found last
	set  bool
}

// next gives the first place of the sign at or behind i; far away when there is none.
func (a *ahead) next(text []byte, i int) int {
	if !a.set || a.at < i {
		a.set = true
		if k := bytes.Index(text[min(i, len(text)):], []byte(a.sign)); k >= 0 {
			a.at = i + k
		} else {
			a.at = math.MaxInt32
		}
	}
	return a.at
}

// spacedRunes reports five single letters of the text in a row, each apart from the next.
func (d *Decoder) spacedRunes() bool {
	text, run := d.text, 0
	before, single := false, false // a letter stood before; it stood alone so far
	for i := 0; i < len(text); {
		var letter, like bool
		switch c := text[i]; {
		case c < utf8.RuneSelf:
			letter = isLetter(c)
			like = letter
			i++
			if letter && i < len(text) && isLetter(text[i]) { // several: most words are passed over at once
				i += bits.TrailingZeros64(^window(d.letter, i))
				run, before, single = 0, true, false
				continue
			}
		case c < 0xf0 && c >= 0xe0 && i+2 < len(text): // folded text is well-formed
			letter, like = letterKind(rune(c&0x0f)<<12 | rune(text[i+1]&0x3f)<<6 | rune(text[i+2]&0x3f))
			i += 3
		case c < 0xe0 && c >= 0xc2 && i+1 < len(text):
			letter, like = letterKind(rune(c&0x1f)<<6 | rune(text[i+1]&0x3f))
			i += 2
		default:
			r, n := utf8.DecodeRune(text[i:])
			letter, like = letterKind(r)
			i += n
		}
		switch {
		case !like:
			if single {
				if run++; run >= 5 {
					return true
				}
			}
			before, single = false, false
		case before:
			if single { // it was the first of several
				run = 0
			}
			single = false
		default:
			if single = letter; !letter {
				run = 0
			}
			before = true
		}
	}
	return single && run >= 4
}

// letterBits and markBits have a bit for each letter and mark of the first two planes: the
// tables of the library are searched for each.
var letterBits, markBits = planeBits(unicode.L), planeBits(unicode.M)

func planeBits(of ...*unicode.RangeTable) *[2 << 10]uint64 {
	var t [2 << 10]uint64
	for _, table := range of {
		for _, x := range table.R16 {
			for r := uint32(x.Lo); r <= uint32(x.Hi); r += uint32(x.Stride) {
				t[r>>6] |= 1 << (r & 63)
			}
		}
		for _, x := range table.R32 {
			for r := x.Lo; r <= min(x.Hi, 0x1ffff); r += x.Stride {
				t[r>>6] |= 1 << (r & 63)
			}
		}
	}
	return &t
}

// letterKind tells letters, and letters and marks together.
func letterKind(r rune) (letter, like bool) {
	if uint32(r) > 0x1ffff {
		letter = unicode.IsLetter(r)
		return letter, letter || unicode.IsMark(r)
	}
	letter = letterBits[r>>6]>>(r&63)&1 == 1
	return letter, letter || markBits[r>>6]>>(r&63)&1 == 1
}

func letterRune(r rune) bool {
	letter, _ := letterKind(r)
	return letter
}

func letterOrMark(r rune) bool {
	_, like := letterKind(r)
	return like
}
