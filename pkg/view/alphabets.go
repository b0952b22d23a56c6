package view

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Other alphabets: letters turned upside down, numbers and code words for letters, base85 and
// uuencode.

// turnedLetters gives the letters that letters which look turned stand for.
var turnedLetters = func() map[rune]byte {
	m := map[rune]byte{'n': 'u', 'u': 'n', 'b': 'q', 'q': 'b', 'd': 'p', 'p': 'd', 0x1d09: 'i', 0x131: 'i', 0x2d9: '.', 0x183: 'g', 0x1dd: 'e', 0x287: 't', 0x29e: 'k'}
	for i, c := range []byte("abcdefghijklmnopqrstuvwxyz") {
		if r := [...]rune{0x250, 0, 0x254, 0, 0x1dd, 0x25f, 0x253, 0x265, 0x1d09, 0x27e, 0x29e, 0xa781, 0x26f, 0, 0, 0, 0, 0x279, 0, 0x287, 0, 0x28c, 0x28d, 0, 0x28e, 0}[i]; r != 0 {
			m[r] = c
		}
	}
	return m
}()

// Bounds of text in turned letters: how many it holds at least, and how far apart they may
// stand, in bytes.
const (
	minTurned  = 5
	turnedGap  = 48
	turnedPart = 3 // every third letter is
)

// Turned hands out what letters that are turned upside down spell, from left to right and
// from right to left. Text is as it was written: folding takes them for what they are.
func Turned(text []byte, emit func(View)) {
	if bytes.Count(text, []byte{0xc9})+bytes.Count(text, []byte{0xca}) < minTurned {
		return
	}
	ahead, back := View{Name: "turned"}, View{Name: "turned"}
	for i := 0; i < len(text); {
		at := turnedAt(text, i)
		if at == len(text) {
			break
		}
		// The part goes on as long as the next one is near, and to the ends of words.
		from, to, n := at, at, 0
		for next := at; next < len(text) && next-to <= turnedGap; next = turnedAt(text, to) {
			_, size := utf8.DecodeRune(text[next:])
			to, n = next+size, n+1
		}
		for from > i && text[from-1] > ' ' {
			from--
		}
		for to < len(text) && text[to] > ' ' {
			to++
		}
		i = to
		start := len(ahead.Text)
		letters, foreign := 0, 0 // the latter are of no such alphabet
		for k := from; k < to; {
			r, size := utf8.DecodeRune(text[k:])
			c, ok := turnedLetters[r]
			if !ok {
				c = ' '
				if r < utf8.RuneSelf {
					c = byte(r)
				} else if letterRune(r) {
					foreign++
				}
			}
			letters += int(bit(isLetter(c)))
			ahead.put(c, k, k+size)
			k += size
		}
		part := ahead.Text[start:]
		d := slices.Clone(part)
		slices.Reverse(d)
		switch forth, turned := fitOf(part), fitOf(d); {
		case n < minTurned, n*turnedPart < letters, foreign*16 > letters, max(forth.usual, turned.usual) < fitUsual:
			ahead.cut(start)
		default:
			for k := len(ahead.Text) - 1; k >= start; k-- {
				x := ahead.at[k]
				back.put(ahead.Text[k], int(x.from), int(x.to))
			}
			ahead.put('\n', to, to)
			back.put('\n', to, to)
		}
	}
	if len(ahead.Text) > 0 {
		emit(ahead)
		emit(back)
	}
}

// turnedAt gives the first place at or behind i of a letter that is turned; the end of text
// when there is none.
func turnedAt(text []byte, i int) int {
	for ; i < len(text); i++ {
		if text[i] >= 0xc4 && utf8.RuneStart(text[i]) {
			r, _ := utf8.DecodeRune(text[i:])
			if turnedLetters[r] != 0 {
				return i
			}
		}
	}
	return i
}

// minNumbered is how many letters must be written as numbers or words of their own.
const minNumbered = 8

// numbered reads numbers as letters, near the blocks that hold many numbers: as the place in the
// alphabet, from 1 or 0 on, as row and column of a square of five, or as keys of a telephone that
// are pressed several times.
func (d *Decoder) numbered(toks []token) {
	// What each token is: see numberLetters; 0: something else.
	d.nums = slices.Grow(d.nums[:0], len(toks))[:len(toks)]
	some := false
	for k, t := range toks {
		n := uint8(0)
		switch tok := d.text[t.from:t.to]; {
		case len(tok) == 1 && isDigit(tok[0]):
			n = 1 + tok[0] - '0'
		case len(tok) == 2 && isDigit(tok[0]) && isDigit(tok[1]):
			n = 11 + (tok[0]-'0')*10 + tok[1] - '0'
		}
		some = some || n > 0
		d.nums[k] = n
	}
	letters := d.letters(len(toks))
	if some {
		for i := range numberLetters {
			x := &numberLetters[i]
			for k, n := range d.nums {
				letters[k] = x.letters[n&127]
			}
			d.lettersOf(x.name, toks, letters)
		}
	}
	for k, t := range toks {
		letters[k] = keyed(d.text[t.from:t.to])
	}
	d.lettersOf("keys", toks, letters)
}

// keyed gives the letter for which a key of a telephone was pressed so often; 0: it is none.
func keyed(tok []byte) byte {
	n, c := len(tok), tok[0]
	switch {
	case c > '9' || n > 4:
		return 0
	case n == 1 && c == '0':
		return ' '
	case c < '2':
		return 0
	}
	for _, x := range tok[1:] {
		if x != c {
			return 0
		}
	}
	letters := [...]string{"abc", "def", "ghi", "jkl", "mno", "pqrs", "tuv", "wxyz"}[c-'2']
	if n > len(letters) {
		return 0
	}
	return letters[n-1]
}

// letters makes room for the letters of n tokens.
func (d *Decoder) letters(n int) []byte {
	d.bare = slices.Grow(d.bare[:0], n)[:n]
	return d.bare
}

// numberLetters are the letters that numbers stand for: of one digit from 1 on, of two digits from
// 11 on, and so counted.
var numberLetters = func() (t [3]struct {
	name    string
	letters [128]byte
}) {
	t[0].name, t[1].name, t[2].name = "numbered", "numbered", "square"
	for n := range 100 {
		for first := range 2 {
			if c := n - 1 + first; c >= 0 && c < 26 {
				t[first].letters[11+n] = byte('a' + c)
				if n < 10 {
					t[first].letters[1+n] = byte('a' + c)
				}
			}
		}
		if x, y := n/10, n%10; x >= 1 && x <= 5 && y >= 1 && y <= 5 {
			c := (x-1)*5 + y - 1
			t[2].letters[11+n] = byte('a'+c) + bit(c > 8) // i and j share a field
		}
	}
	return t
}()

// codeWords are the words of the spelling alphabet of radio (ICAO), some of them in two
// spellings.
var codeWords = func() map[string]byte {
	m := map[string]byte{"xray": 'x'}
	for _, w := range CodeWords() {
		m[w] = w[0]
	}
	return m
}()

// CodeWords are words that stand for their first letter.
func CodeWords() []string {
	return strings.Fields("alfa alpha bravo charlie delta echo foxtrot golf hotel india juliett juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey whisky yankee zulu")
}

// spelt reads the words of a spelling alphabet as letters.
func (d *Decoder) spelt() {
	var low [8]byte
	toks := d.tokens([]extent{{0, int32(len(d.text))}})
	letters := d.letters(len(toks))
	for k, t := range toks {
		letters[k] = 0
		if tok := d.text[t.from:t.to]; len(tok) >= 4 && len(tok) <= len(low) {
			for i, c := range tok {
				low[i] = c | 0x20
			}
			letters[k] = codeWords[string(low[:len(tok)])]
		}
	}
	d.lettersOf("spelling-alphabet", toks, letters)
	if d.scarce {
		d.few(toks)
	}
}

// lettersOf makes a view of the rows of tokens that each stand for a letter; 0: it stands for none. What stands
// between most of them parts letters, and everything else words.
func (d *Decoder) lettersOf(name string, toks []token, letters []byte) {
	const apart = 4
	p := &d.p[0]
	p.reset()
	for i := 0; i < len(toks); {
		j := i
		for j < len(toks) && letters[j] != 0 && (j == i || toks[j].from-toks[j-1].to <= apart) {
			j++
		}
		if j-i < minNumbered {
			i = max(j, i+1)
			continue
		}
		row := toks[i:j]
		// The gap that is met most of the first two kinds.
		usual, other, n := d.gap(row[0].to, row[1].from), uint64(0), 0
		for k := 1; k < len(row); k++ {
			switch g := d.gap(row[k-1].to, row[k].from); {
			case g == usual:
				n++
			case other == 0 || g == other:
				other = g
				n--
			}
		}
		if n < 0 {
			usual = other
		}
		p.add(row[0].from, row[len(row)-1].to)
		start := len(p.Text)
		for k, t := range row {
			if k > 0 && d.gap(row[k-1].to, t.from) != usual {
				p.put(' ', row[k-1].to, t.from)
			}
			p.put(letters[i+k], t.from, t.to)
		}
		p.end(row[len(row)-1].to)
		if x := fitOf(p.Text[start:]); x.usual < fitUsual/2 || x.order <= 0 {
			p.drop()
		}
		i = j
	}
	d.apply(name, p)
}

// dense85 is a run that reads as text in base85, or lines of uuencode.
type dense85 struct {
	extent
	values *[256]uint8 // of the symbols, of base45 and basE91 too; nil: uuencode
}

// valuesOf gives the value of each symbol of an alphabet, which is its place in it; 0xff: no symbol.
func valuesOf(alphabet string) (t [256]uint8) {
	for c := range t {
		t[c] = 0xff
	}
	for i := range len(alphabet) {
		t[alphabet[i]] = uint8(i)
	}
	return t
}

// The values of the symbols of two kinds of base85: Adobe's, and that of RFC 1924.
var (
	adobe85 = valuesOf("!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu")
	rfc85   = valuesOf("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~")
)

// base45 gives the values of the symbols of RFC 9285, of which the space is one.
var base45 = valuesOf("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")

// decode45 appends what the first symbols of s spell, and gives how many they are.
func decode45(dst, s []byte) (out []byte, n int) {
	for n < len(s) {
		v, scale, k := 0, 1, 0
		for ; k < 3 && n+k < len(s) && base45[s[n+k]] != 0xff; k++ {
			v += scale * int(base45[s[n+k]])
			scale *= 45
		}
		switch {
		case k == 3 && v <= 0xffff:
			dst = append(dst, byte(v>>8), byte(v))
		case k == 2 && v <= 0xff:
			return append(dst, byte(v)), n + 2
		default:
			return dst, n
		}
		n += 3
	}
	return dst, n
}

// decode85 appends what the first symbols of s spell, and gives how many they are.
func decode85(dst, s []byte, values *[256]uint8) (out []byte, n int) {
	for n < len(s) {
		acc, k := uint64(0), 0
		for ; k < 5 && n+k < len(s) && values[s[n+k]] != 0xff; k++ {
			acc = acc*85 + uint64(values[s[n+k]])
		}
		for x := k; x < 5; x++ {
			acc = acc*85 + 84
		}
		if k < 2 || acc > 0xffffffff {
			break
		}
		for x := range k - 1 {
			dst = append(dst, byte(acc>>(24-8*x)))
		}
		if n += k; k < 5 {
			break
		}
	}
	return dst, n
}

// uuLine decodes the line of uuencode that begins at text[i]; nil: it is none.
func uuLine(dst, text []byte, i int) (out []byte, end int) {
	end = len(text)
	if k := bytes.IndexByte(text[i:min(len(text), i+70)], '\n'); k >= 0 {
		end = i + k
	}
	line := bytes.TrimRight(text[i:end], "\r")
	if len(line) < 2 || line[0] <= ' ' || line[0] > 'M' {
		return nil, end
	}
	n := int(line[0] - ' ')
	symbols := (n + 2) / 3 * 4
	if len(line)-1 > symbols+1 || len(line)-1 < symbols-4 {
		return nil, end
	}
	acc := uint32(0)
	for k := range symbols {
		c := byte(' ') // mails lose spaces at the end of lines
		if k+1 < len(line) {
			c = line[k+1]
		}
		if c < ' ' || c > '`' {
			return nil, end
		}
		acc = acc<<6 | uint32(c-' ')&63
		if k&3 > 0 && k/4*3+k&3 <= n {
			dst = append(dst, byte(acc>>(6-2*(k&3))))
		}
	}
	return dst, end
}

// minDense is how many symbols must stand together.
const minDense = 24

// denseAt looks closely at block k, which holds letters, digits and signs with nothing
// between them.
func (d *Decoder) denseAt(k int) Wants {
	text := d.text
	end := min(len(text), 64*k+64)
	w := Wants(0)
	for i := max(64*k, d.ran); i < end; {
		// Every line is looked at once.
		from, to := d.ran, len(text)
		if n := bytes.LastIndexByte(text[from:i], '\n'); n >= 0 {
			from += n + 1
		}
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			to = i + n
		}
		if from >= to {
			i++
			continue
		}
		d.ran, i = to, to
		d.spend(to - from)
		if out, _ := uuLine(d.buf[:0], text, from); len(out) >= 12 && begins(out[:12]) {
			for to < len(text) {
				out, e := uuLine(d.buf[:0], text, to+1)
				if len(out) == 0 {
					break
				}
				to = e
			}
			d.dense = append(d.dense, dense85{extent{int32(from), int32(to)}, nil})
			d.ran, i, w = to, to, WantDense
			continue
		}
		for from+minDense <= to {
			// Backwards, so that of short words few letters are looked at.
			stop := from + minDense - 1
			for stop >= from && text[stop] > ' ' {
				stop--
			}
			if stop >= from {
				from = stop + 1
				continue
			}
			for stop = from + minDense; stop < to && text[stop] > ' '; stop++ {
			}
			if x, ok := d.run85(from, stop); ok {
				d.dense = append(d.dense, x)
				w = WantDense
			}
			from = stop
		}
	}
	return w
}

// run85 reports that text[from:to] reads as text in base85, and from where on.
func (d *Decoder) run85(from, to int) (x dense85, ok bool) {
	if n := len(d.dense); n > 0 && int(d.dense[n-1].to) > from {
		return x, false // spaces are symbols too
	}
	for skip := range 3 { // behind a space it may go on with any of three
		s := d.text[from+skip : min(to, from+minDense)]
		s = s[:len(s)/3*3]
		if out, n := decode45(d.buf[:0], s); n == len(s) && n > minDense/2 && begins(out) {
			for to < len(d.text) && base45[d.text[to]] != 0xff {
				to++
			}
			return dense85{extent{int32(from + skip), int32(to)}, &base45}, true
		}
	}
	for _, skip := range [...]int{0, 1, 2} {
		// A quotation mark or "<~" may stand in front of it.
		s := d.text[from:to]
		if len(s) < minDense+skip || skip == 1 && !bytes.ContainsAny(s[:1], "\"'`(") || skip == 2 && !bytes.HasPrefix(s, []byte("<~")) {
			continue
		}
		if out, _ := decode91(d.buf[:0], s[skip:skip+6]); !slices.ContainsFunc(out, func(c byte) bool { return noText[c] }) {
			if out, _ := decode91(d.buf[:0], s[skip:skip+20]); len(out) >= 14 && begins(out) {
				return dense85{extent{int32(from + skip), int32(to)}, &base91}, true
			}
		}
		for _, values := range [...]*[256]uint8{&adobe85, &rfc85, &z85} {
			out, n := decode85(d.buf[:0], s[skip:skip+5], values)
			if n == 5 && out[0] == 0x1f && out[1] == 0x8b && out[2] == 8 { // compressed
				return dense85{extent{int32(from + skip), int32(to)}, values}, true
			}
			if n < 5 || noText[out[0]] || noText[out[1]] || noText[out[2]] || noText[out[3]] {
				continue // most are no more than a glance
			}
			if out, n = decode85(d.buf[:0], s[skip:skip+20], values); n == 20 && begins(out) {
				return dense85{extent{int32(from + skip), int32(to)}, values}, true
			}
		}
	}
	return x, false
}

// denseAll looks for base85 in a text that Probe has not seen.
func (d *Decoder) denseAll(wants Wants) {
	d.dense, d.ran = d.dense[:0], 0
	if wants&WantDense != 0 {
		for k := range d.letter {
			d.denseAt(k)
		}
	}
}

// undense decodes what Probe saw to be base85 or uuencode.
func (d *Decoder) undense() {
	p, uu := &d.p[0], &d.p[1]
	p.reset()
	uu.reset()
	for _, x := range d.dense {
		from, to := int(x.from), int(x.to)
		d.spend(to - from)
		if x.values == nil {
			uu.add(from, to)
			for i := from; i < to; {
				out, end := uuLine(d.buf[:0], d.text, i)
				for k, b := range out {
					uu.put(b, min(end, i+1+k/3*4), min(end, i+5+k/3*4))
				}
				i = end + 1
			}
			uu.end(to)
			if y := uu.last(); !readable(uu.Text[y.lo:y.hi]) {
				uu.drop()
			}
			continue
		}
		var out []byte
		var n int
		switch x.values {
		case &base91:
			out, n = decode91(nil, d.text[from:to])
		case &base45:
			out, n = decode45(nil, d.text[from:to])
		default:
			out, n = decode85(nil, d.text[from:to], x.values)
		}
		if packed := d.inflates(out); packed != nil {
			whole(p, packed, from, from+n)
			continue
		}
		if !readable(out) {
			continue
		}
		if x.values == &base91 { // its symbols stand for no whole bytes
			p.add(from, from+n)
			for k, b := range out {
				at := from + k*16/13
				p.put(b, min(at, from+n-1), min(at+3, from+n))
			}
			p.end(from + n)
			continue
		}
		p.add(from, from+n)
		in, per := 5, 4
		if x.values == &base45 {
			in, per = 3, 2
		}
		for k, b := range out {
			p.put(b, from+k/per*in, min(from+n, from+(k/per+1)*in))
		}
		p.end(from + n)
	}
	d.apply("base85", p)
	d.apply("uuencode", uu)
}

// isDense reports a block without white space, of letters, digits and signs as base85 and
// uuencode hold them.
func isDense(letters, digits, signs int, all uint64, n int) bool {
	return letters+digits+signs >= n-5 && n >= minDense && 8*signs >= n && letters >= 8 && digits >= 1 && bits.OnesCount64(all&^(all<<1))*9 >= n
}
