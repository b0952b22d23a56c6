package view

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// Letters that read as no language, and do when they are put back: shifted by n places,
// counted from the other end of the alphabet, backwards, doubled, with letters between
// them. What a text says does not matter: how often letters stand side by side tells.

// pairRows says how often two letters stand side by side in texts of ten languages that
// are written in Latin letters: a hex digit is twice the natural logarithm of the ratio to
// chance, and eight. Row and column 0 stand for what is no letter. [TestPairTable]
// makes it of the corpus.
const pairRows = `
8dbcdcaaac9abbbbc9bcdaab2a9
d889a2697979bac794bbb876287
69300a000920700800743800050
7a160900b936711b00727700047
ba215c020b11445a30762822056
e87999796968bad584dca786867
870017610800401800726600010
a9002a065904616800754800000
9a100b000902424800638602020
c97a8b795278a9c9639ba572467
780028310403124500030610001
a90309001804624800466701000
bb337b353a05954941077841061
ab603b000902474990143800050
da28bb6a5b46637a3339b863075
c477978747479ac882b99a68255
8a003a214801812a60a57700040
200000000000100000000900000
cb568c373b26687a31799954067
da292b226a1765498329b925057
db331c11ba24544b40a88906065
a8676a66485689a460a99334355
48000a000800000800500320000
880218007802205710540100050
560103000300000140006000000
a92537130623644840265402002
981349030803435600103604073`

// letterClass is 1 … 26 for letters, and 0.
var letterClass = func() (t [256]uint8) {
	for c := range 256 {
		if isLetter(byte(c)) {
			t[c] = byte(c) & 31
		}
	}
	return t
}()

// pairs holds for each pair of letters how usual it is, in the lower half, and in the
// upper half how much more usual than backwards.
var pairs, usual = func() (t [1024]int32, usual [27]int) {
	rows := strings.Fields(pairRows)
	at := func(a, b int) int32 {
		if a < len(rows) && b < len(rows) {
			return int32(hexVal(rows[a][b])) - 8
		}
		return 0
	}
	for a := range 32 {
		for b := range 32 {
			t[a|b<<5] = at(a, b) + (at(a, b)-at(b, a))<<16
		}
	}
	// How usual a letter is: among those that follow any.
	for b := range usual {
		for a := range usual {
			usual[b] += int(at(a, b))
		}
	}
	return t, usual
}()

// Sums over the pairs of a block below which it is looked at closely: over every second
// pair, then over nearly all. One honest block in thirty passes the first, one in fifty both.
const (
	oddPairs, oddAll   = 2, 8
	oddOrder, oddTurns = -1, -2
)

// odd reports at a glance whether 64 bytes that are mostly letters may be ciphered. Signs
// count as the letters whose last five bits they share, as most of them are none.
func odd(b *[64]byte) bool {
	w := binary.LittleEndian.Uint64(b[:])
	if w ^= w >> 8; w&0x00ff00ff00ff00ff == 0 || w&0x0000ff00ff00ff00 == 0 {
		return true // letters twice
	}
	sum := int32(0)
	for k := 0; k < 64; k += 8 {
		sum += fourPairs(b[k:])
	}
	usual := int32(int16(sum))
	if usual >= oddPairs && (sum-usual)>>16 >= oddOrder {
		return false
	}
	for k := 1; k < 56; k += 8 {
		sum += fourPairs(b[k:])
	}
	usual = int32(int16(sum))
	return usual < oddAll || (sum-usual)>>16 < oddTurns
}

// fourPairs sums the pairs of eight bytes up, which do not overlap.
func fourPairs(b []byte) int32 {
	w := binary.LittleEndian.Uint64(b)
	i := w&0x001f001f001f001f | w>>3&0x03e003e003e003e0
	return pairs[i&1023] + pairs[i>>16&1023] + pairs[i>>32&1023] + pairs[i>>48]
}

// A fit says how a text of letters reads: ten times the mean of how usual its pairs are,
// and of how much more usual than backwards.
type fit struct{ usual, order int }

// fitOf reads text.
func fitOf(text []byte) fit {
	usual, order, n := sumOf(text)
	return fit{tenfold(usual, n), tenfold(order, n)}
}

// sumOf sums the pairs of text up, and gives how many hold a letter.
func sumOf(text []byte) (usual, order, n int) {
	last := uint8(0)
	for len(text) > 0 {
		// So many sums fit into halves of a word.
		part := text[:min(len(text), 1024)]
		text = text[len(part):]
		sum := int32(0)
		for _, c := range part {
			x := letterClass[c]
			sum += pairs[int(last&31)|int(x&31)<<5]
			n += int(bit(x|last != 0))
			last = x
		}
		u := int32(int16(sum))
		usual, order = usual+int(u), order+int((sum-u)>>16)
	}
	return usual, order, n
}

func tenfold(sum, n int) int {
	if n == 0 {
		return 0
	}
	return 10 * sum / n
}

// classes are those of the letters of a short text: what is tried again and again is read
// from them.
type classes [64]uint8

// sum sums the pairs up that every step-th of n letters make from the first one on.
func (r *classes) sum(first, step, n int) (usual, order int) {
	sum, last := int32(0), uint8(0)
	text := r[first:n]
	for i := 0; i < len(text); i += step {
		x := text[i]
		sum += pairs[int(last&31)|int(x&31)<<5]
		last = x
	}
	u := int32(int16(sum))
	return int(u), int((sum - u) >> 16)
}

// usualAs gives how usual the pairs of n letters are, each put in the place of another in
// three ways.
func (r *classes) usualAs(a, b, c *[32]uint8, n int) [3]int {
	var x, y, z int32
	var p, q, s uint8 // the letters before
	for _, l := range r[:n] {
		i, j, k := a[l&31], b[l&31], c[l&31]
		x += pairs[int(p&31)|int(i&31)<<5]
		y += pairs[int(q&31)|int(j&31)<<5]
		z += pairs[int(s&31)|int(k&31)<<5]
		p, q, s = i, j, k
	}
	return [3]int{int(int16(x)), int(int16(y)), int(int16(z))}
}

// pairsIn counts those pairs that hold a letter.
func (r *classes) pairsIn(first, step, n int) (k int) {
	last := uint8(0)
	for i := first; i < min(n, len(r)); i += step {
		k += int(bit(r[i]|last != 0))
		last = r[i]
	}
	return k
}

// mirrored and shifted are letters in the place of others: counted from the other end, and
// some places on.
var mirrored, shifted = func() (m [32]uint8, s [26][32]uint8) {
	for x := 1; x <= 26; x++ {
		m[x] = uint8(27 - x)
		for n := range s {
			s[n][x] = uint8(1 + (x-1+n)%26)
		}
	}
	return m, s
}()

// A cipher is one way to write letters as others.
type cipher uint16

// The ciphers: 1 … 25 are shifts.
const (
	ciphAtbash cipher = 26 + iota
	ciphBack
	ciphRot47
	ciphTwice  // every letter twice
	ciphSecond // every second letter counts
	ciphThird
	ciphSwap // neighbours exchanged
	ciphBones
	ciphDrawn
	ciphTurn
	ciphSyllable
	ciphAnagram
	ciphVowel
	ciphSoft
	ciphWords                                   // each word backwards
	ciphOrder                                   // the last letter of each word in front
	ciphTyped                                   // on another keyboard: one of typed
	ciphFew    = ciphTyped + cipher(len(typed)) // letters written as rows of few others
	ciphAffine = ciphFew + 1
	ciphers    = ciphAffine + cipher(len(factors)*26)
)

// programLines is how many tabs and line breaks a block of a program holds beside its signs: prose has
// no such, in any cipher.
const programLines = 5

// signsWithin is how many signs stand between letters of a block at least that was typed on another keyboard. Prose has an
// apostrophe or a hyphen.
const signsWithin = 4

// How a text must read to be one, and how much better than it did.
const (
	fitUsual = 12
	fitGain  = 12
	fitOrder = 5
	// The mean of how usual letters are, above which they are as they were. Of honest blocks
	// that are looked at nine of ten lie above it, of ciphered ones one of a hundred.
	usualLetters = -69
)

// cipherOf gives the cipher that text, of 64 bytes at most, is written in; 0: none that is
// known. Well says that it reads well as it is. What few texts are written in is tried only if
// rare says so.
func (d *Decoder) cipherOf(text []byte, rare bool) (c cipher, well bool) {
	d.spend(len(text))
	d.gain = fitGain
	usual, order, n := sumOf(text)
	plain := fit{tenfold(usual, n), tenfold(order, n)}
	if plain.usual >= fitUsual && plain.order > 0 {
		return 0, true
	}
	var r classes
	text = text[:min(len(text), len(r))]
	var count [27]int
	twice, others := 0, 0
	last := byte(0)
	for i, c := range text {
		x := letterClass[c]
		r[i] = x
		count[x]++
		switch {
		case x == 0 && c > ' ':
			others++
		case x != 0 && c == last:
			twice++
			c = 0
		}
		last = c
	}
	letters, kinds := len(text)-count[0], 0
	for _, n := range count[1:] {
		kinds += int(bit(n > 0))
	}
	if letters >= 20 && kinds <= fewKindsOf {
		return ciphFew, false
	}
	if letters < 20 || kinds < 8 || others*5 > len(text) {
		return 0, false // programs, tables
	}
	if twice*5 >= letters*2 {
		return ciphTwice, false
	}
	sums := shiftSums(&count, &shifted[0])
	// Letters that are the usual ones are in the place of no others.
	if sums[0] > usualLetters*letters && plain.usual >= 0 && plain.order > -fitOrder {
		if plain.usual < fitUsual/2 && d.swapped(text, plain) {
			return ciphSwap, false
		}
		return 0, false
	}
	// The best of the ciphers that are tried.
	d.gain = -fitGain
	best, most := cipher(0), max(fitUsual, plain.usual+fitGain)-1
	space := func(c cipher, step int) {
		var x fit // of the beginning from which it reads best
		long := 0
		for from := range step {
			usual, order := r.sum(from, step, len(text))
			if usual <= 0 {
				continue // it cannot be the one
			}
			n := r.pairsIn(from, step, len(text))
			if y := (fit{tenfold(usual, n), tenfold(order, n)}); y.usual > x.usual {
				x, long = y, (len(text)-from+step-1)/step
			}
		}
		if x.usual > most && x.usual >= fitUsual+4 && x.order > 0 && long >= 16 {
			best, most = c, x.usual
		}
	}
	if plain.usual < fitUsual {
		// The two shifts that make the letters themselves most usual.
		one, two := 1, 0
		for n := 2; n < 26; n++ {
			switch {
			case sums[n] > sums[one]:
				one, two = n, one
			case two == 0 || sums[n] > sums[two]:
				two = n
			}
		}
		tried := [...]cipher{cipher(one), cipher(two), ciphAtbash}
		for i, x := range r.usualAs(&shifted[one], &shifted[two], &mirrored, len(text)) {
			x = tenfold(x, n) // it has letters where it had some
			if x > most {
				best, most = tried[i], x
			}
			d.gain = max(d.gain, x-plain.usual)
		}
		if plain.usual < 0 && best == 0 {
			space(ciphSecond, 2)
			space(ciphThird, 3)
		}
		if best != 0 {
			return best, false
		}
	}
	if plain.order <= -fitOrder {
		if back := backwardsFit(r[0], r[len(text)-1], usual, order, n); back >= fitUsual && back-plain.usual >= fitOrder {
			return ciphBack, false
		}
	}
	if !rare {
		return 0, false
	}
	return d.rarely(text, &r, &count, plain, n), false
}

// backwardsFit gives how usual a text is backwards whose pairs come to so much: they are the
// same, but for that of the first letter with nothing before it.
func backwardsFit(first, last uint8, usual, order, n int) int {
	usual += int(int16(pairs[int(last)<<5])) - int(int16(pairs[first])) - order
	return tenfold(usual, n+int(bit(last != 0))-int(bit(first != 0)))
}

// usualShifts holds for each letter how usual those are that stand some places on, four
// shifts to a word, each with so much added that none lies below nought.
var usualShifts = func() (t [27][7]uint64) {
	for x := 1; x <= 26; x++ {
		for n := range 26 {
			t[x][n/4] |= uint64(usual[1+(x-1+n)%26]+usualMore) << (n % 4 * 16)
		}
	}
	return t
}()

const usualMore = 256

// shiftSums gives, for each shift, how usual the letters are together, of which there are so many and
// which stand for others: 64 at most.
func shiftSums(count *[27]int, as *[32]uint8) (sums [28]int) {
	var a, b, c, d, e, f, g uint64 // registers
	letters := 0
	for x := 1; x <= 26; x++ {
		n := uint64(count[x])
		if n == 0 {
			continue
		}
		u := &usualShifts[as[x]]
		letters += count[x]
		a += n * u[0]
		b += n * u[1]
		c += n * u[2]
		d += n * u[3]
		e += n * u[4]
		f += n * u[5]
		g += n * u[6]
	}
	four := [7]uint64{a, b, c, d, e, f, g}
	for n := range sums {
		sums[n] = int(four[n/4]>>(n%4*16)&0xffff) - usualMore*letters
	}
	return sums
}

// every is how many letters one letter became.
func (c cipher) every() int {
	switch c {
	case ciphTwice, ciphSecond:
		return 2
	case ciphThird:
		return 3
	}
	return 1
}

// byByte is the function that undoes a cipher of single letters; nil: it is another one.
func (c cipher) byByte() func(byte) byte {
	switch {
	case c > 0 && c < 26:
		return caesar(int(c))
	case c >= ciphAffine:
		t := affine(c)
		return func(b byte) byte { return t[b] }
	case c >= ciphTyped && c < ciphFew:
		t := &typed[c-ciphTyped]
		return func(b byte) byte { return t[b] }
	case c == ciphAtbash:
		return atbash
	case c == ciphRot47:
		return rot47
	}
	return nil
}

func (c cipher) name() string {
	switch {
	case c == 13:
		return "rot13"
	case c < 26:
		return "caesar"
	case c >= ciphAffine:
		return "affine"
	case c >= ciphTyped:
		return "keyboard"
	}
	if t := trickAt(c); t != nil {
		return t.name
	}
	return [...]string{"atbash", "reversed", "rot47", "doubled", "every-second", "every-third", "swapped"}[c-ciphAtbash]
}

// Of blocks that may be ciphered so many are looked at whatever the looks before found, and one
// of so many others when those were in vain: a text of letters in no order is not looked at
// block by block. A cipher is found wherever it is longer than that.
const (
	vainLooks = 8
	vainEvery = 8
)

// deciphers looks closely at block k, which may be ciphered, and notes how.
func (d *Decoder) deciphers(k int) Wants {
	n := len(d.text)
	l := &d.looks
	if l.oddVain >= vainLooks+k/vainEvery {
		l.oddPassed++
		return 0
	}
	passed, tired := l.oddPassed, l.oddVain >= vainLooks/2
	l.oddPassed = 0
	// Where the cipher begins and ends nobody knows.
	for _, at := range [...]int{0, -32, 32} {
		from := max(0, min(64*k+at, n-64))
		to := min(n, from+64)
		var is cipher
		var well bool
		switch seen := &d.behind; {
		case at < 0 && seen.end == to: // it was looked at behind the block before
			is, well = seen.cipher, seen.well
		default:
			is, well = d.cipherOf(d.text[from:to], at == 0 || !tired)
			well = well || is == 0 && d.gain <= 0 // no more of the block will read better
			if at > 0 {
				*seen = glance{to, is, well}
			}
		}
		if well {
			break
		}
		if is == ciphFew {
			if !d.fewIn(from, to) {
				break
			}
			d.scarce = true
			return WantSpelt
		}
		if is != 0 {
			// What was passed over in front of it may belong to it.
			l.oddVain = max(0, l.oddVain-1)
			return d.odds(max(0, from-64*passed), to, is)
		}
	}
	l.oddVain++
	return 0
}

// odds notes that text[from:to] is ciphered.
func (d *Decoder) odds(from, to int, is cipher) Wants {
	if i := len(d.odd) - 1; i >= 0 && d.odd[i].cipher == is && int(d.odd[i].to) >= from-128 {
		d.odd[i].to = int32(max(int(d.odd[i].to), to))
	} else {
		d.odd = append(d.odd, oddity{extent{int32(from), int32(to)}, is})
	}
	return WantCipher
}

// derots looks whether block k, which may be rot47, reads like a language when that is undone.
func (d *Decoder) derots(k int) Wants {
	n := len(d.text)
	for _, at := range [...]int{0, -32, 32} {
		from := max(0, min(64*k+at, n-64))
		to := min(n, from+64)
		sum, pairs47, others, last := int32(0), 0, 0, uint8(0)
		for _, c := range d.text[from:to] {
			x := class47[c]
			others += int(x >> 5)
			x &= 31
			sum += pairs[int(last)|int(x)<<5]
			pairs47 += int(bit(x|last != 0))
			last = x
		}
		usual := int(int16(sum))
		order := (int(sum) - usual) >> 16
		switch {
		case others*8 <= to-from && tenfold(usual, pairs47) >= fitUsual && tenfold(order, pairs47) > 0:
			return d.odds(from, to, ciphRot47)
		case usual < 0:
			return 0 // half of it would read better
		}
	}
	return 0
}

// class47 gives the letterClass of what each byte stands for in rot47; 32: a digit or a sign.
var class47 = func() (t [256]uint8) {
	for c := range 256 {
		x := rot47(byte(c))
		if t[c] = letterClass[x]; t[c] == 0 && x > ' ' {
			t[c] = 32
		}
	}
	return t
}()

// glance is what was seen of the 64 bytes before end.
type glance struct {
	end    int
	cipher cipher
	well   bool
}

// cipherAll looks for ciphers in a text that Probe has not seen.
func (d *Decoder) cipherAll(wants Wants) {
	d.odd, d.behind, d.moved, d.scarce = d.odd[:0], glance{}, d.moved[:0], false
	if wants&(WantCipher|WantSpelt) != 0 {
		for k := range d.letter {
			all := d.letter[k] | d.digit[k]
			one := d.letter[k] &^ (all << 1) &^ (all >> 1)
			if places := scattered(one, all, d.sign[k], bits.OnesCount64(d.letter[k]), bits.OnesCount64(d.digit[k]), bits.OnesCount64(d.sign[k])); places != 0 {
				d.fences(k, places)
			}
			d.ciphered(k, bits.OnesCount64(d.letter[k]), bits.OnesCount64(d.sign[k]|d.digit[k]))
		}
		if d.words != nil {
			d.misspelt(true)
		}
		if d.wide {
			d.latinKeys()
		}
	}
}

// ciphered looks whether block k, of n letters and some other digits and signs, may be
// ciphered. Programs and tables, which hold many
// signs, are no prose in any cipher of letters.
func (d *Decoder) ciphered(k, n, others int) (w Wants) {
	if others <= 12 {
		// Signs within words stand for letters on another keyboard.
		within := others >= signsWithin && bits.OnesCount64(d.sign[k]&(d.letter[k]<<1)&(d.letter[k]>>1)) >= signsWithin
		switch b := d.text[64*k:]; {
		case len(b) >= 64:
			if n >= 40 && !(others >= 4 && bits.OnesCount64(d.line[k]) >= programLines) && (others <= 8 && odd((*[64]byte)(b)) || within && !d.words.someSoon(b[:64])) {
				w = d.deciphers(k)
			}
			if n >= 32 && !vowelIn(b[24:40]) && d.boned(b[:64]) {
				w |= d.odds(64*k, 64*k+64, ciphBones)
			}
		case k > 0: // the last one, and what lies before it
			if n >= 16 && others <= 8 && odd((*[64]byte)(d.text[len(d.text)-64:])) {
				w = d.deciphers(k)
			}
		case n >= 20 && (within || others <= 8):
			w = d.deciphers(k)
		}
		return w
	}
	if n <= 36 && others >= 16 && dense(d.letter[k], d.upper[k], d.digit[k], d.sign[k]) {
		w = d.derots(k)
	}
	return w
}

// vowelIn reports a vowel; most text has one within three letters.
func vowelIn(b []byte) bool {
	for _, c := range b {
		if isVowel(c) && c >= 'A' {
			return true
		}
	}
	return false
}

// oddity is a part of a text that is ciphered.
type oddity struct {
	extent
	cipher cipher
}

// trickReach is how far around what was seen to be written in a trick more of it is, in bytes: many
// blocks of it are not odd enough.
const trickReach = 512

// decipher puts back what Probe saw to be ciphered.
func (d *Decoder) decipher() {
	d.unmove()
	text := d.text
	done := cipher(0)
	for {
		c := ciphers // the next one that was seen
		for _, x := range d.odd {
			if x.cipher > done {
				c = min(c, x.cipher)
			}
		}
		if done = c; c == ciphers {
			break
		}
		if d.wants.whole(c) {
			continue
		}
		d.p[0].reset()
		d.p[1].reset()
		last := 0
		for _, x := range d.odd {
			if x.cipher != c {
				continue
			}
			// What lies around it is ciphered too, up to a white space.
			reach := 64
			if c == ciphTwice || trickAt(c) != nil {
				reach = trickReach
			}
			from, to := max(last, int(x.from)-reach), min(len(text), int(x.to)+reach)
			for from > last && text[from-1] > ' ' {
				from--
			}
			for to < len(text) && text[to] > ' ' {
				to++
			}
			if from >= to {
				continue
			}
			last = to
			d.spend(to - from)
			d.p[0].add(from, to)
			d.p[1].add(from, to)
			d.put(c, from, to)
			d.p[0].end(to)
			d.p[1].end(to)
			if x := d.p[1].last(); c == ciphBack && !d.words.someOf(d.p[1].Text[x.lo:x.hi]) {
				d.p[0].drop()
				d.p[1].drop()
			}
		}
		d.apply(c.name(), &d.p[0])
		if c == ciphBack {
			d.apply("reversed-words", &d.p[1])
		}
	}
}

// whole reports whether words of the text ask for the view of all of it that undoes c: then
// its parts need none.
func (w Wants) whole(c cipher) bool {
	switch c {
	case ciphAtbash:
		return w&WantAtbash != 0
	case ciphBack, ciphWords:
		return w&WantReversed != 0
	case ciphRot47:
		return w&WantRot47 != 0
	}
	return w&WantCaesar != 0 && int(c) == w.shift()
}

// put appends to the first list of patches what text[from:to] was, and, where it is
// backwards, to the second one what it was when each word is.
func (d *Decoder) put(c cipher, from, to int) {
	text := d.text
	p := &d.p[0]
	switch {
	case c == ciphBack:
		backwards(&p.View, text, from, to)
		words, pos := &d.p[1].View, from
		for _, t := range d.tokens([]extent{{int32(from), int32(to)}}) {
			words.copy(text, pos, t.from)
			backwards(words, text, t.from, t.to)
			pos = t.to
		}
		words.copy(text, pos, to)
	case trickAt(c) != nil:
		d.putWords(p, trickAt(c), from, to)
	case c == ciphSwap:
		// Where the first pair begins nobody knows.
		even := d.swappedFit(from, to)
		odd := d.swappedFit(from+1, to)
		i := from
		if odd > even {
			p.put(text[i], i, i+1)
			i++
		}
		for ; i+1 < to; i += 2 {
			p.put(text[i+1], i+1, i+2)
			p.put(text[i], i, i+1)
		}
		if i < to {
			p.put(text[i], i, i+1)
		}
	case c == ciphTwice:
		for i := from; i < to; i++ {
			n := 1
			if i+1 < to && text[i+1] == text[i] {
				n = 2
			}
			p.put(text[i], i, i+n)
			i += n - 1
		}
	case c.every() > 1:
		n := c.every()
		for start := from; start < to; { // line by line: each begins anew
			end := start
			for end < to && text[end] != '\n' {
				end++
			}
			best, most := 0, 0
			for k := range n {
				d.buf = d.buf[:0]
				for i := start + k; i < end; i += n {
					d.buf = append(d.buf, text[i])
				}
				if x := fitOf(d.buf).usual; k == 0 || x > most {
					best, most = k, x
				}
			}
			for i := start + best; i < end; i += n {
				p.put(text[i], i, min(end, i+n))
			}
			if end < to {
				p.put('\n', end, end+1)
			}
			start = end + 1
		}
	default:
		f := c.byByte()
		for i := from; i < to; i++ {
			p.put(f(text[i]), i, i+1)
		}
	}
}

// dense reports a block that may be rot47, whose letters become digits, signs and
// capitals, or another alphabet without small letters.
func dense(letter, upper, digit, sign uint64) bool {
	return bits.OnesCount64(digit) >= 9 && bits.OnesCount64(upper) >= 9 && bits.OnesCount64(sign) >= 7 && bits.OnesCount64(letter&^upper) <= 24
}
