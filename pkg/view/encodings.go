package view

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// readable reports whether decoded bytes look like text that somebody wrote.
func readable(b []byte) bool {
	if len(b) < 3 {
		return false
	}
	// Most of it is ASCII: what counts is added up in the halves of a word.
	sum, high := uint64(0), byte(0)
	for _, c := range b {
		sum += readClass[c]
		high |= c
	}
	if high < utf8.RuneSelf {
		letters, bad, n := int(uint32(sum)), int(sum>>32), len(b)
		return bad*20 <= n && letters*2 >= n || bad == 0 && encodedAgain(b)
	}
	if !utf8.Valid(b) {
		// A cut may fall inside a rune: up to three bytes at the end are forgiven.
		t := b
		for k := 0; k < 3 && len(t) > 8 && !utf8.Valid(t); k++ {
			t = t[:len(t)-1]
		}
		if !utf8.Valid(t) {
			return false
		}
		b = t
	}
	letters, bad, n := 0, 0, 0
	for _, r := range string(b) {
		n++
		switch {
		case r < utf8.RuneSelf && isLetter(byte(r)):
			letters++
		case r == '\n' || r == '\t' || r == '\r':
		case r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == utf8.RuneError:
			bad++
		case letterRune(r) || r == ' ':
			letters++
		case r > 0x2000 && !shown(r):
			bad++
		}
	}
	return bad*20 <= n && letters*2 >= n || bad == 0 && encodedAgain(b)
}

// readClass counts ASCII letters and spaces in its lower half, and what no text holds in its
// upper one.
var readClass = func() (t [256]uint64) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case isLetter(c) || c == ' ':
			t[c] = 1
		case (c < ' ' || c == 0x7f) && c != '\n' && c != '\t' && c != '\r':
			t[c] = 1 << 32
		}
	}
	return t
}()

// shownBits have a bit for each rune of the first two planes that is seen, or changes how others are.
var shownBits = planeBits(append([]*unicode.RangeTable{unicode.Cf}, unicode.PrintRanges...)...)

func shown(r rune) bool {
	if uint32(r) > 0x1ffff {
		return unicode.IsPrint(r) || unicode.Is(unicode.Cf, r)
	}
	return shownBits[r>>6]>>(r&63)&1 == 1
}

// encodedAgain reports text that is another encoding: digits and letters without
// end.
func encodedAgain(b []byte) bool {
	n := 0
	for _, c := range b {
		if letterByte(c) || c == '%' || c == '+' || c == '/' || c == '=' || c == ' ' || c == '\\' || c == '&' || c == '#' || c == ';' || c == '-' || c == '_' || c == '.' {
			n++
		}
	}
	return len(b) >= 16 && n == len(b)
}

// base64Value gives the value of a symbol of base64 in either alphabet; 0xff: none.
var base64Value = func() (t [256]uint8) {
	for c := range 256 {
		t[c] = 0xff
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = uint8(i)
	}
	t['-'], t['_'] = 62, 63
	return t
}()

const (
	codedHex = 1 << iota
	coded32
	coded64
	codedSigns // the run holds signs, or white space
)

// The kinds of byte in a run.
const (
	hasLower = 1 << iota
	hasUpper
	hasDigit
	hasSign
)

// kindsIn tells which kinds of byte text[from:to] holds, of at most those that a run
// is made of and white space, which counts as signs.
func (d *Decoder) kindsIn(from, to int) (any int) {
	var lower, upper, digit, rest uint64
	for k := from >> 6; k <= (to-1)>>6; k++ {
		m := ^uint64(0)
		if k == from>>6 {
			m <<= from & 63
		}
		if k == (to-1)>>6 {
			m &= ^uint64(0) >> (63 - (to-1)&63)
		}
		lower |= m & d.letter[k] &^ d.upper[k]
		upper |= m & d.upper[k]
		digit |= m & d.digit[k]
		rest |= m &^ (d.letter[k] | d.digit[k])
	}
	if lower != 0 {
		any |= hasLower
	}
	if upper != 0 {
		any |= hasUpper
	}
	if digit != 0 {
		any |= hasDigit
	}
	if rest != 0 {
		any |= hasSign
	}
	return any
}

// window gives the bits of m from i on. Behind the last word of m is one without bits.
func window(m []uint64, i int) uint64 {
	m = m[:len(m)+1]
	k, s := i>>6, uint(i&63)
	return m[k]>>s | m[k+1]<<1<<(63-s)
}

// isName reports that codedAs would find nothing in the run text[start:end], nor behind
// its last sign. The run is shorter than 64 bytes. Most runs are words and names,
// in no order that a processor could guess: the reasons are looked at together.
func (d *Decoder) isName(start, end int) bool {
	n := end - start
	run := d.text[start:end:end]
	all := uint64(1)<<n - 1
	letter, upper := window(d.letter, start)&all, window(d.upper, start)&all
	lower, sign := letter&^upper, all&^letter&^window(d.digit, start)
	word := bit(n < 24) & bit((all&^lower)>>1 == 0)
	no64 := noCode(run)
	no16 := bit(n < 12) | (hexTable[run[1]]|hexTable[run[2]]|hexTable[run[3]])>>7&(bit(n < 15)|bit(run[1]|0x20 != 'x'))
	no32 := bit(n < 16) | bit(upper != 0)&bit(lower != 0) | bit(sign != 0)
	if word|no64&no16&no32 == 0 {
		return false
	}
	// What stands behind the last sign is no word by itself.
	for ; sign != 0; sign &= 1<<(bits.Len64(sign)-1) - 1 {
		if last := bits.Len64(sign); run[last-1] != '+' {
			return word != 0 || n-last < 12 || noCode(run[last:]) != 0
		}
	}
	return true
}

// noCode tells by its first three symbols that a run of symbols is not base64 of text: 1.
func noCode(run []byte) uint8 {
	x, y, z := base64Value[run[0]], base64Value[run[1]], base64Value[run[2]]
	first, second := x<<2|y>>4, y<<4|z>>2
	follows := bit(second-0x80 < 0x40)
	return bit(noText[first]) | bit(first >= 0xc2)&^follows | bit(first < 0x80)&follows | bit(second != 0 && second < 0x80 && noText[second]) | bit(second >= 0xf5)
}

// bit is a condition without a branch.
func bit(c bool) uint8 {
	if c {
		return 1
	}
	return 0
}

// codedAs tells at a glance what the run text[from:to] may be, without decoding more
// than its first letters. Most runs are words.
func (d *Decoder) codedAs(from, to int) (kinds int) {
	run := d.text[from:to]
	any := d.kindsIn(from+1, to)
	if any == hasLower && len(run) < 24 {
		return 0 // a word
	}
	if len(run) >= 12 && allHex(run[1:]) || len(run) > 14 && run[1]|0x20 == 'x' {
		kinds |= codedHex
	}
	if any |= d.kindsIn(from, from+1); any&hasSign != 0 {
		kinds |= codedSigns
	}
	if len(run) >= 16 && any&(hasUpper|hasLower) != hasUpper|hasLower && any&hasSign == 0 && !zeroOrNine(run) {
		kinds |= coded32
	}
	if len(run) < 8 || len(run) < 10 && any&(hasDigit|hasSign) == 0 && any&(hasUpper|hasLower) != hasUpper|hasLower {
		return kinds
	}
	// Two symbols tell most names from codes, where no line ends among the first eight.
	if x, y := base64Value[run[0]], base64Value[run[1]]; (x|y)&0x80 == 0 && noText[x<<2|y>>4] && (binary.LittleEndian.Uint64(run)-0x21*ones)&highs == 0 {
		return kinds
	}
	var first [6]byte
	acc := uint64(0)
	for _, c := range run[:8] {
		if c == '\n' || c == '\r' || c == ' ' {
			return kinds | coded64
		}
		x := base64Value[c]
		if x == 0xff {
			return kinds
		}
		acc = acc<<6 | uint64(x)
	}
	for i := range first {
		first[i] = byte(acc >> (40 - 8*i))
	}
	for i, c := range first[:5] {
		switch {
		case c == 0 && i%2 == 1: // UTF-16
		case c < 0x20 && c != '\n' && c != '\t' && c != '\r', c == 0x7f, c >= 0xf5, c == 0xc0, c == 0xc1:
			return kinds
		case c >= 0xc2 && (first[i+1] < 0x80 || first[i+1] > 0xbf):
			return kinds
		case c >= 0x80 && c < 0xc0 && (i == 0 || first[i-1] < 0x80):
			return kinds
		}
	}
	return kinds | coded64
}

// noText are bytes that no text begins with.
var noText = func() (t [256]bool) {
	for c := range 256 {
		t[c] = c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7f || c >= 0x80 && c < 0xc2 || c >= 0xf5
	}
	return t
}()

func allHex(run []byte) bool {
	for _, c := range run {
		if hexTable[c] == 0xff {
			return false
		}
	}
	return true
}

// zeroOrNine reports a digit that base32 has not.
func zeroOrNine(run []byte) bool {
	for _, c := range run {
		if c >= '0' && c < '2' || c > '7' && c <= '9' {
			return true
		}
	}
	return false
}

func base64Byte(c byte) bool { return letterByte(c) || c == '+' || c == '/' || c == '-' || c == '_' }

// symbols finds the runs of what may be symbols of base64 in a part of the text that ends
// and begins at white space.
func (d *Decoder) symbols(part extent) {
	first, end := int(part.from>>6), int(part.to+63)>>6
	m := d.run[first:end]
	for k := range m {
		x := d.letter[first+k] | d.digit[first+k]
		for s := d.sign[first+k]; s != 0; s &= s - 1 {
			i := bits.TrailingZeros64(s)
			x |= (uint64(base64Value[d.text[(first+k)<<6+i]]>>7) ^ 1) << i
		}
		m[k] = x
	}
	if len(m) > 0 {
		m[0] &= ^uint64(0) << (part.from & 63)
		m[len(m)-1] &= ^uint64(0) >> (-part.to & 63)
	}
	d.names = longRuns(d.names, m, first<<6, 8)
}

// minWrapped is how many symbols a line of a code over several lines holds at least.
const minWrapped = 32

// runs decodes base64, base32 and hex runs. Runs may be wrapped over lines.
func (d *Decoder) runs() {
	text := d.text
	b64, b32, hexes := &d.p[0], &d.p[1], &d.p[2]
	b64.reset()
	b32.reset()
	hexes.reset()
	packed, packedAs := &d.p[3], ""
	packed.reset()
	d.run, d.names = d.run[:len(d.letter)], d.names[:0]
	for _, part := range d.near(d.packed, 1) {
		d.symbols(part)
	}
	i := 0 // what lies before is done
	for _, x := range d.names {
		start, end := int(x.from), int(x.to)
		if start < i {
			continue
		}
		i = end
		if end-start < minWrapped && d.isName(start, end) {
			continue
		}
		// Lines of one block: full lines of at least so many, the last one shorter.
		if end-start >= minWrapped {
			width := end - start
			for {
				j := i
				for j < len(text) && (text[j] == '\r' || text[j] == '\n' || text[j] == ' ' || text[j] == '\t' || text[j] == '>') && j-i < 8 {
					j++
				}
				if j == i || bytes.IndexByte(text[i:j], '\n') < 0 {
					break
				}
				k := j
				for k < len(text) && base64Byte(text[k]) {
					k++
				}
				if k-j < 4 || k-j > width {
					break
				}
				// A shorter line is the last one if it stands alone on its line, follows at once
				// and is written in the same signs: the first word of what comes next is none.
				if k-j < width && (k < len(text) && wordAfter(text[k]) || bytes.Count(text[i:j], newline) > 1 ||
					allHex(text[start:end]) && !allHex(text[j:k])) {
					break
				}
				i, end = k, k
				if k-j < width {
					break
				}
			}
		}
		for i < len(text) && text[i] == '=' && i-end < 6 {
			i++
		}
		d.spend(i - start)
		run := text[start:end]
		kinds := d.codedAs(start, end)
		switch {
		case kinds&codedHex != 0 && d.hexRun(hexes, start, end):
		case kinds&(codedHex|coded32) != 0 && d.base32Run(b32, start, end, i):
		case kinds&coded64 != 0 && d.base64Run(b64, start, end, i):
		default:
			// A run may begin with what does not belong to it: a path, a name.
			if kinds&codedSigns != 0 {
				if k := lastSign(run); k >= 0 && len(run)-k > 12 && d.unkeyed(start, end) == nil && d.codedAs(start+k+1, end)&coded64 != 0 && d.base64Run(b64, start+k+1, end, i) {
					break
				}
			}
			if name := d.packedRun(packed, start, end); name != "" {
				packedAs = name
			}
		}
	}
	// Lines of a code may be readable one by one, and still belong together.
	d.settle(hexes, 0, readable, d.packed, WantRuns)
	d.settle(hexes, 0, readable, d.coded, WantCodes)
	d.settle(b64, 0, readable, d.packed, WantRuns)
	d.apply("base64", b64)
	d.apply("base32", b32)
	d.apply("hex", hexes)
	d.apply(packedAs, packed)
}

var newline = []byte{'\n'}

// wordAfter tells what parts words of prose.
func wordAfter(c byte) bool {
	switch c {
	case ' ', '\t', ',', '.', ';', ':', '!', '?', '\'', '(', ')':
		return true
	}
	return false
}

// lastSign gives the last place of a sign of base64 that also parts names; -1: none.
func lastSign(run []byte) int {
	for k := len(run) - 1; k >= 0; k-- {
		if c := run[k]; c == '/' || c == '-' || c == '_' {
			return k
		}
	}
	return -1
}

// noSymbol is 1 for white space and quotation marks of mails.
var noSymbol = func() (t [256]uint8) {
	for c := range t {
		t[c] = bit(c <= ' ' || c == '>')
	}
	return t
}()

// compact leaves in d.buf what text[from:to] holds beside white space and quotation
// marks of mails, and in d.pos where it stood.
func (d *Decoder) compact(from, to int) {
	d.buf = append(d.buf[:0], d.text[from:to]...)
	d.pos = slices.Grow(d.pos[:0], to-from)[:to-from]
	apart := uint8(0)
	for _, c := range d.buf {
		apart |= noSymbol[c]
	}
	if apart == 0 { // as most are
		for i := range d.pos {
			d.pos[i] = int32(from + i)
		}
		return
	}
	n := 0
	for i, c := range d.buf {
		d.buf[n], d.pos[n] = c, int32(from+i)
		n += int(1 - noSymbol[c])
	}
	d.buf, d.pos = d.buf[:n], d.pos[:n]
}

// putUnits puts the units of UTF-16 that a code from start to end held, in symbols for out
// bytes (see quantum).
func (d *Decoder) putUnits(p *patches, units []rune, start, end, in, out int) {
	p.add(start, end)
	for i, r := range units {
		from, _ := d.quantum(2*i, end, in, out)
		_, to := d.quantum(2*i+1, end, in, out)
		p.putRune(r, from, to)
	}
	p.end(end)
}

// quantum gives the range of byte k of a code with in symbols for out bytes, the
// symbols being the ones of compact and the last of them ending at end.
func (d *Decoder) quantum(k, end, in, out int) (from, to int) {
	q := k / out * in
	from = int(d.pos[min(q, len(d.pos)-1)])
	if q+in < len(d.pos) {
		return from, int(d.pos[q+in-1]) + 1
	}
	return from, end
}

// decoded adds what the symbols of compact spell, if somebody wrote it: text, which
// begins at d.buf[at:].
func (d *Decoder) decoded(p *patches, out []byte, start, end, in, per int) {
	p.add(start, end)
	n := len(p.at)
	p.Text = append(p.Text, out...)
	p.at = slices.Grow(p.at, len(out))[:n+len(out)]
	at, pos := p.at[n:], d.pos
	for len(pos) > in && len(at) >= per {
		x := extent{pos[0], pos[in-1] + 1}
		for i := range at[:per] {
			at[i] = x
		}
		at, pos = at[per:], pos[in:]
	}
	for len(at) > 0 {
		from, to := d.quantum(len(out)-len(at), end, in, per)
		k := min(per, len(at))
		for i := range at[:k] {
			at[i] = extent{int32(from), int32(to)}
		}
		at = at[k:]
	}
	p.end(end)
}

func (d *Decoder) base64Run(p *patches, start, stop, end int) bool {
	if stop-start < 8 {
		return false
	}
	d.compact(start, stop)
	s := d.buf
	// Words are runs too: without a capital, digit or sign inside it is a word.
	if len(s) < 2 || len(s) < 24 && !slices.ContainsFunc(s[1:], func(c byte) bool { return c < 'a' }) && s[0] >= 'A' {
		return false
	}
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	// Decoded in place: what is read lies behind what is written.
	n, acc, i := 0, uint32(0), 0
	for ; i+4 <= len(s); i += 4 {
		a, b, c, e := base64Value[s[i]], base64Value[s[i+1]], base64Value[s[i+2]], base64Value[s[i+3]]
		if (a|b|c|e)&0x80 != 0 {
			return false
		}
		s[n], s[n+1], s[n+2] = a<<2|b>>4, b<<4|c>>2, c<<6|e
		n += 3
	}
	for ; i < len(s); i++ {
		x := base64Value[s[i]]
		if x == 0xff {
			return false
		}
		acc = acc<<6 | uint32(x)
		switch i & 3 {
		case 1:
			s[n] = byte(acc >> 4)
			n++
		case 2:
			s[n] = byte(acc >> 2)
			n++
		case 3:
			s[n] = byte(acc)
			n++
		}
	}
	out := s[:n]
	if units, ok := utf16le(out); ok {
		d.putUnits(p, units, start, end, 4, 3)
		return true
	}
	if (fitOf(out[:min(len(out), speechRead)]).usual >= fitUsual || !unkey(out)) && (!readable(out) || len(out) < 9 && !wordy(out)) {
		return false
	}
	d.decoded(p, out, start, end, 4, 3)
	return true
}

// wordy is what a short decoded run must be: letters, and spaces between them.
func wordy(b []byte) bool {
	for _, c := range b {
		if !isLetter(c) && c != ' ' && c != '.' && c != ',' && c < 0x80 {
			return false
		}
	}
	return utf8.Valid(b)
}

// utf16le reads little-endian UTF-16, as PowerShell encodes its commands. Half of a
// pair is a rune of its own that stands for nothing.
func utf16le(b []byte) ([]rune, bool) {
	if len(b) < 12 || len(b)%2 != 0 {
		return nil, false
	}
	zero := 0
	for i := 1; i < len(b); i += 2 {
		if b[i] == 0 {
			zero++
		}
	}
	if zero*10 < len(b)/2*9 {
		return nil, false
	}
	out := make([]rune, len(b)/2)
	for i := range out {
		out[i] = rune(b[2*i]) | rune(b[2*i+1])<<8
	}
	return out, readable([]byte(string(out)))
}

func (d *Decoder) base32Run(p *patches, start, stop, end int) bool {
	d.compact(start, stop)
	s := d.buf
	if len(s) < 16 {
		return false
	}
	for _, c := range s {
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	for len(s)%8 == 1 || len(s)%8 == 3 || len(s)%8 == 6 {
		s = s[:len(s)-1]
	}
	n, acc, have := 0, uint32(0), 0
	for _, c := range s {
		x := uint32(c - '2' + 26)
		if c >= 'A' {
			x = uint32(c|0x20) - 'a'
		}
		acc, have = acc<<5|x, have+5
		if have >= 8 {
			have -= 8
			s[n] = byte(acc >> have)
			n++
		}
	}
	if n < 8 || !readable(s[:n]) {
		return false
	}
	d.decoded(p, s[:n], start, end, 8, 5)
	return true
}

func (d *Decoder) hexRun(p *patches, start, end int) bool {
	from := start
	if end-start > 2 && d.text[start] == '0' && d.text[start+1]|0x20 == 'x' {
		from += 2
	}
	d.compact(from, end)
	s := d.buf
	if len(s) < 12 {
		return false
	}
	n := 0
	for i := 0; i+1 < len(s); i += 2 {
		h, l := hexVal(s[i]), hexVal(s[i+1])
		if h < 0 || l < 0 {
			return false
		}
		s[n] = byte(h<<4 | l)
		n++
	}
	switch out := s[:n]; {
	case n > 12 && out[1] == 0 || n > 12 && out[0] == 0:
		low := int(bit(out[0] == 0)) // UTF-16, either end first
		if low == 1 {
			for i := 0; i+1 < n; i += 2 {
				out[i], out[i+1] = out[i+1], out[i]
			}
		}
		units, ok := utf16le(out)
		if !ok {
			return false
		}
		d.putUnits(p, units, start, end, 2, 1)
	case fitOf(out).usual < fitUsual && unkey(out), readable(out):
		d.decoded(p, out, start, end, 2, 1)
	case d.inflates(out) != nil:
		whole(p, d.inflates(out), start, end)
	default:
		// Backwards, digit by digit.
		if len(s)%2 != 0 {
			return false
		}
		for i, j := 0, n-1; i <= j; i, j = i+1, j-1 {
			out[i], out[j] = out[j]<<4|out[j]>>4, out[i]<<4|out[i]>>4
		}
		if !readable(out) {
			return false
		}
		p.add(start, end)
		for k, b := range out {
			from, to := d.quantum(n-1-k, end, 2, 1)
			p.put(b, from, to)
		}
		p.end(end)
	}
	return true
}

// number is a base that codes of letters are written in.
type number struct {
	name     string
	base     int
	min, max int // digits of one code
}

var numbers = [...]number{{"binary", 2, 7, 8}, {"hex", 16, 2, 2}, {"decimal", 10, 2, 7}, {"octal", 8, 2, 3}}

// codesOf reads tok as one code in each base of numbers; -1: it is none.
func codesOf(tok []byte) (n [len(numbers)]int) {
	for b := range numbers {
		// Most tokens are too long or too short for most bases.
		x := &numbers[b]
		if n[b] = -1; len(tok) >= x.min && (len(tok) <= x.max || tok[1] > '9') {
			if c, ok := x.code(tok); ok {
				n[b] = c
			}
		}
	}
	return n
}

// code reads text[from:to] as one code in the given base.
func (x *number) code(tok []byte) (n int, ok bool) {
	if len(tok) > 2 && tok[0] == '0' && (tok[1]|0x20 == 'x' && x.base == 16 || tok[1]|0x20 == 'b' && x.base == 2) {
		tok = tok[2:]
	}
	if len(tok) < x.min || len(tok) > x.max {
		return 0, false
	}
	for _, c := range tok {
		h := hexVal(c)
		if h < 0 || h >= x.base {
			return 0, false
		}
		n = n*x.base + h
	}
	if x.base == 2 && len(tok) == 8 && n > 0 {
		return n, true // its bits may stand backwards
	}
	return n, n >= 9 && n <= 0x10ffff && (x.base == 10 || n < 256)
}

// codes decodes text written as numbers: pairs of hex digits, decimal, octal and
// binary codes, and Morse.
func (d *Decoder) codes() {
	text := d.text
	// One list for each base, with how many codes stand in the patch that is open.
	var open [len(numbers)]int
	for b := range numbers {
		d.p[b].reset()
	}
	last := 0 // where the last code ended
	shut := func(b int) {
		if open[b] == 0 {
			return
		}
		p := &d.p[b]
		p.end(int(p.at[len(p.at)-1].to))
		if x := p.last(); open[b] < 4 || !readable(p.Text[x.lo:x.hi]) && !(numbers[b].base == 2 && flipBits(p.Text[x.lo:x.hi])) {
			p.drop()
		}
		open[b] = 0
	}
	speaks := -1 // the base in which what is open reads as a language: then the others say nothing
	shutAll := func() {
		for b := range open {
			shut(b)
		}
		last, speaks = 0, -1
	}
	add := func(b, n, from, to int) {
		if n < 0 {
			shut(b)
			return
		}
		p := &d.p[b]
		if open[b] == 0 {
			p.add(from, from)
		}
		open[b]++
		if n < 128 || n < 256 && numbers[b].base != 10 {
			p.put(byte(n), from, to)
		} else {
			p.putRune(rune(n), from, to)
		}
		if open[b] == speechAt && speaks < 0 && speech(p.Text[p.last().lo:]) {
			speaks = b
			for other := range open {
				if other != b && open[other] > 0 {
					d.p[other].drop()
					open[other] = 0
				}
			}
		}
	}
	parts := d.near(d.coded, 2)
	for _, part := range parts {
		for i := int(part.from); i < int(part.to); {
			c := text[i]
			if hexVal(c) < 0 { // an x belongs to a code only behind its 0, which the loop below reads with it
				if last > 0 && (i-last > 3 || isLetter(c)) {
					shutAll()
				}
				i++
				continue
			}
			j := i
			for j < len(text) && (hexVal(text[j]) >= 0 || text[j]|0x20 == 'x' && j == i+1 && text[i] == '0') {
				j++
			}
			d.spend(j - i)
			switch run := text[i:j]; {
			case j-i <= 10 && !(j < len(text) && isLetter(text[j])):
				if last = j; speaks >= 0 {
					if n, ok := numbers[speaks].code(run); ok {
						add(speaks, n, i, j)
						break
					}
					shut(speaks)
					speaks = -1
				}
				for b, n := range codesOf(run) {
					if add(b, n, i, j); speaks >= 0 {
						break
					}
				}
			case len(run) >= 32 && len(run)%8 == 0 && len(bytes.Trim(run, "01")) == 0:
				// Binary without spaces: eight by eight.
				shutAll()
				for k := i; k < j; k += 8 {
					add(0, codesOf(text[k : k+8])[0], k, k+8)
				}
				shutAll()
			case threes(run):
				shutAll()
				for k := i; k < j; k += 3 {
					add(2, codesOf(text[k : k+3])[2], k, k+3)
				}
				shutAll()
			default:
				shutAll()
			}
			i = j
		}
		shutAll()
	}
	for b := range numbers {
		d.outdo(b)
	}
	for b, x := range numbers {
		d.settle(&d.p[b], 3, speech, d.coded, WantCodes)
		d.apply(x.name, &d.p[b])
	}
	d.morse(parts)
	d.taps(parts)
}

// flipBits turns the bits of every byte round, if that makes them text.
func flipBits(b []byte) bool {
	for i, c := range b {
		b[i] = bits.Reverse8(c)
	}
	return readable(b)
}

// speechAt is how many codes, in one base, are read before that is asked.
const speechAt = 32

// surelyBase is how many letters must read as a language, in one base, for the other bases to be
// of no account.
const surelyBase = 16

// outdo drops the codes in all other bases that stand where those in base b read as a language.
func (d *Decoder) outdo(b int) {
	p := &d.p[b]
	var well []extent
	for _, x := range p.list {
		if x.hi-x.lo >= surelyBase && speech(p.Text[x.lo:x.hi]) {
			well = append(well, extent{int32(x.from), int32(x.to)})
		}
	}
	for other := range numbers {
		p := &d.p[other]
		if other == b || len(p.list) == 0 || len(well) == 0 {
			continue
		}
		rest := well
		p.list = slices.DeleteFunc(p.list, func(y patch) bool {
			for len(rest) > 0 && int(rest[0].to) <= y.from {
				rest = rest[1:]
			}
			return len(rest) > 0 && int(rest[0].from) < y.to && !speech(p.Text[y.lo:y.hi])
		})
	}
}

// threes reports decimal codes of letters and signs, three digits each, without spaces.
func threes(run []byte) bool {
	if len(run) < 18 || len(run)%3 != 0 {
		return false
	}
	for ; len(run) > 0; run = run[3:] {
		if run[0] > '1' || !isDigit(run[1]) || !isDigit(run[2]) {
			return false
		}
		if n := (int(run[0])*100 + int(run[1])*10 + int(run[2])) - '0'*111; n > 0x7e || n < ' ' && n != '\n' && n != '\r' && n != '\t' {
			return false
		}
	}
	return true
}

// morseCodes are the signals of letters, from a on.
var morseCodes = strings.Fields(".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..")

// morseLetters holds the letter of each signal, written as a one and then a one for
// every dash, a zero for every dot.
var morseLetters = func() (t [256]byte) {
	set := func(s string, c byte) {
		n := 1
		for _, x := range s {
			n <<= 1
			if x == '-' {
				n |= 1
			}
		}
		t[n] = c
	}
	for i, s := range morseCodes {
		set(s, byte('a'+i))
	}
	for i, s := range strings.Fields("----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.") {
		set(s, byte('0'+i))
	}
	for s, c := range map[string]byte{".-.-.-": '.', "--..--": ',', "..--..": '?', "-.-.--": '!', "-..-.": '/'} {
		set(s, c)
	}
	return t
}()

func (d *Decoder) morse(parts []extent) {
	p := &d.p[0]
	p.reset()
	for _, part := range parts {
		d.morseIn(p, int(part.from), int(part.to))
	}
	d.apply("morse", p)
}

func (d *Decoder) morseIn(p *patches, from, to int) {
	text := d.text[:to]
	for i := from; i < to; i++ {
		if text[i] != '.' && text[i] != '-' || i > 0 && letterByte(text[i-1]) { // the full stop of a sentence begins nothing
			continue
		}
		start, letters := i, 0
		p.add(start, start)
		for i < len(text) {
			j, signal := i, 1
			for j < len(text) && (text[j] == '.' || text[j] == '-') && j-i < 7 {
				signal <<= 1
				if text[j] == '-' {
					signal |= 1
				}
				j++
			}
			c := morseLetters[signal]
			if c == 0 {
				break
			}
			k := j
			for k < len(text) && (text[k] == ' ' || text[k] == '/' || text[k] == '|' || text[k] == '\n') {
				k++
			}
			letters++
			p.put(c, i, j)
			if k > j+1 {
				p.put(' ', j, k)
			}
			i = k
			if k == j {
				break
			}
		}
		d.spend(i - start + 1)
		p.end(i)
		if letters < 6 {
			p.drop()
		}
	}
}

// named entities: the ones that spell ASCII, and spaces.
var entities = map[string]rune{
	"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\'', "nbsp": ' ', "ensp": ' ', "emsp": ' ', "thinsp": ' ', "shy": 0x200b, "zwj": 0x200b, "zwnj": 0x200b,
	"period": '.', "comma": ',', "colon": ':', "semi": ';', "excl": '!', "quest": '?', "sol": '/', "bsol": '\\', "lpar": '(', "rpar": ')', "lsqb": '[', "lbrack": '[', "rsqb": ']', "rbrack": ']',
	"lcub": '{', "rcub": '}', "lbrace": '{', "rbrace": '}', "num": '#', "percnt": '%', "equals": '=', "plus": '+', "commat": '@', "lowbar": '_', "hyphen": '-', "dash": '-', "ast": '*', "newline": '\n', "tab": '\t',
	"verbar": '|', "dollar": '$', "lsquo": '\'', "rsquo": '\'', "ldquo": '"', "rdquo": '"', "ndash": '-', "mdash": '-', "hellip": '.',
	"auml": 'a', "ouml": 'o', "uuml": 'u', "szlig": 0xdf, "eacute": 'e', "egrave": 'e', "agrave": 'a', "ecirc": 'e', "ccedil": 'c', "ntilde": 'n', "oacute": 'o', "iacute": 'i', "aacute": 'a', "uacute": 'u', "atilde": 'a', "otilde": 'o',
}

// The kinds of escape, in the order in which a view names them.
const (
	escPercent = 1 << iota
	escQP
	escEntity
	escUnicode
	escByte
)

var escapeNames = func() (t [32]string) {
	for kinds := range t {
		var names []string
		for k, name := range []string{"percent", "quoted-printable", "html-entity", "unicode-escape", "escape"} {
			if kinds>>k&1 == 1 {
				names = append(names, name)
			}
		}
		t[kinds] = strings.Join(names, "+")
	}
	return t
}()

// escapes undoes percent-encoding, entities, \u and \x escapes and
// quoted-printable, all in one pass.
func (d *Decoder) escapes() {
	text := d.text
	p := &d.p[0]
	p.reset()
	kinds, runKind := 0, 0 // of all; of the run of byte escapes that is open
	octet := func(kind int, b byte, from, to int) {
		if x := p.last(); x == nil || runKind != kind || x.to != from {
			p.add(from, to)
		}
		p.put(b, from, to)
		p.end(to)
		kinds, runKind = kinds|kind, kind
	}
	char := func(kind int, r rune, from, to int) {
		p.add(from, to)
		p.putRune(r, from, to)
		p.end(to)
		kinds, runKind = kinds|kind, 0
	}
	remove := func(from, to int) {
		p.remove(from, to)
		kinds, runKind = kinds|escQP, 0
	}
	done := 0 // what lies before belongs to an escape
	for word, sign := range d.sign {
		for ; sign != 0; sign &= sign - 1 {
			i := word<<6 + bits.TrailingZeros64(sign)
			if i < done {
				continue
			}
			switch text[i] {
			case '%':
				if i+2 < len(text) && hexVal(text[i+1]) >= 0 && hexVal(text[i+2]) >= 0 {
					octet(escPercent, byte(hexVal(text[i+1])<<4|hexVal(text[i+2])), i, i+3)
					done = i + 3
				} else if i+5 < len(text) && text[i+1] == 'u' {
					if r, ok := hexRune(text[i+2 : i+6]); ok {
						char(escPercent, r, i, i+6)
						done = i + 6
					}
				}
			case '=':
				switch {
				case i+1 < len(text) && text[i+1] == '?':
					if end := encodedWords(p, text, i); end > i {
						kinds, runKind, done = kinds|escQP, 0, end
					}
				case i+2 < len(text) && isQP(text[i+1]) && isQP(text[i+2]):
					octet(escQP, byte(hexVal(text[i+1])<<4|hexVal(text[i+2])), i, i+3)
					done = i + 3
				case i+1 < len(text) && text[i+1] == '\n':
					remove(i, i+2)
					done = i + 2
				case i+2 < len(text) && text[i+1] == '\r' && text[i+2] == '\n':
					remove(i, i+3)
					done = i + 3
				}
			case '&':
				end := bytes.IndexByte(text[i:min(len(text), i+14)], ';')
				if end < 2 {
					// Numeric entities are read without their semicolon too.
					if i+3 < len(text) && text[i+1] == '#' {
						end = 2
						for i+end < len(text) && end < 10 && (hexVal(text[i+end]) >= 0 || text[i+end]|0x20 == 'x') {
							end++
						}
						if r, ok := numeric(text[i+2 : i+end]); ok {
							char(escEntity, r, i, i+end)
							done = i + end
						}
					}
					continue
				}
				if r, ok := entity(text[i+1 : i+end]); ok {
					char(escEntity, r, i, i+end+1)
					done = i + end + 1
				}
			case '\\':
				if i+3 >= len(text) {
					continue
				}
				switch n := text[i+1]; {
				case n == 'x' && hexVal(text[i+2]) >= 0 && hexVal(text[i+3]) >= 0:
					octet(escByte, byte(hexVal(text[i+2])<<4|hexVal(text[i+3])), i, i+4)
					done = i + 4
				case n == 'e' && text[i+2] == '[': // the escape of a terminal
					octet(escByte, 0x1b, i, i+2)
					done = i + 2
				case n == 'u' && rtfUnicode(text[i+2:]) > 0:
					size := rtfUnicode(text[i+2:])
					r, _ := numeric(text[i+2 : i+2+size])
					done = i + 3 + size
					char(escUnicode, r, i, done)
				case n == 'u' && text[i+2] == '{':
					if end := bytes.IndexByte(text[i:min(len(text), i+12)], '}'); end > 3 {
						if r, ok := hexRune(text[i+3 : i+end]); ok {
							char(escUnicode, r, i, i+end+1)
							done = i + end + 1
						}
					}
				case n == 'u' && i+5 < len(text):
					r, ok := hexRune(text[i+2 : i+6])
					if !ok {
						continue
					}
					to := i + 6
					if utf16.IsSurrogate(r) && to+6 <= len(text) && text[to] == '\\' && text[to+1] == 'u' {
						if lo, ok := hexRune(text[to+2 : to+6]); ok {
							r = utf16.DecodeRune(r, lo)
							to += 6
						}
					}
					char(escUnicode, r, i, to)
					done = to
				case n == 'U' && i+9 < len(text):
					if r, ok := hexRune(text[i+2 : i+10]); ok {
						char(escUnicode, r, i, i+10)
						done = i + 10
					}
				case cssEscape(text, i) > 0 && (i == done && runKind == escUnicode || cssEscape(text, cssEscape(text, i)) > 0):
					// As CSS writes it, behind another such or in front of one.
					to := cssEscape(text, i)
					r, _ := hexRune(text[i+1 : to-1])
					char(escUnicode, r, i, to)
					done, runKind = to, escUnicode
				case n == '0' && i+6 < len(text) && text[i+2] == '0' && text[i+3] == '0' && allHex(text[i+4:i+7]):
					// Six digits, as CSS writes them: an octal zero is no character. A space behind
					// them belongs to them.
					r, _ := hexRune(text[i+1 : i+7])
					to := i + 7
					if to+1 < len(text) && text[to] == ' ' && text[to+1] == '\\' {
						to++
					}
					char(escUnicode, r, i, to)
					done = to
				case n >= '0' && n <= '3' && isOct(text[i+2]) && isOct(text[i+3]):
					octet(escByte, (n-'0')<<6|(text[i+2]-'0')<<3|(text[i+3]-'0'), i, i+4)
					done = i + 4
				}
			}
		}
	}
	d.spend(len(text))
	d.settle(p, 3, readable, d.coded, WantCodes)
	d.apply(escapeNames[kinds], p)
}

// cssEscape gives where the escape ends that stands at text[i]: a backslash, two to five hex digits of a character that is
// shown, and a space; 0: there is none.
func cssEscape(text []byte, i int) int {
	if i >= len(text) || text[i] != '\\' {
		return 0
	}
	j := i + 1
	for j < len(text) && j-i <= 5 && hexVal(text[j]) >= 0 {
		j++
	}
	if j-i < 3 || j == len(text) || text[j] != ' ' || text[i+1] < '2' && j-i == 3 {
		return 0
	}
	return j + 1
}

// rtfUnicode gives how many digits of a code, two or three, stand in front of the question
// mark that text is to show in the character's place, as RTF writes it; 0: none do.
func rtfUnicode(text []byte) int {
	for i := 0; i < 4 && i < len(text); i++ {
		if text[i] == '?' && i >= 2 {
			return i
		}
		if !isDigit(text[i]) {
			break
		}
	}
	return 0
}

// entity reads what stands between the & and the semicolon.
func entity(name []byte) (rune, bool) {
	if name[0] == '#' {
		return numeric(name[1:])
	}
	var low [14]byte
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		low[i] = c
	}
	r, ok := entities[string(low[:len(name)])]
	return r, ok
}

func isOct(c byte) bool { return c >= '0' && c <= '7' }

func hexRune(b []byte) (rune, bool) {
	n := 0
	for _, c := range b {
		h := hexVal(c)
		if h < 0 || n > 0x10ffff {
			return 0, false
		}
		n = n<<4 | h
	}
	return rune(n), len(b) > 0 && n <= 0x10ffff
}

func numeric(b []byte) (rune, bool) {
	if len(b) > 1 && b[0]|0x20 == 'x' {
		return hexRune(b[1:])
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' || n > 0x10ffff {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return rune(n), len(b) > 0 && n > 0 && n <= 0x10ffff
}
