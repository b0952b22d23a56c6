package tagger

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"

	"github.com/stoplog/stoplog/corpus/names"
)

// shape is how a word is written.
type shape uint8

const (
	lower    shape = iota
	title          // Maria
	caps           // MARIA
	initial        // M
	mixed          // McDonald
	camel          // iPhone, toString, abc1
	number         //
	caseless       // scripts without capitals
)

// gap is what stands between two words.
type gap uint8

const (
	gapSpace gap = iota
	gapStart     // nothing: the text begins or ends here
	gapNone      // words that touch: an apostrophe
	gapLine      // a line break only
	gapBlank     // more than one
	gapComma
	gapCommaLine // comma or semicolon and a line break
	gapStop      // . ! ? and a space
	gapStopLine
	gapDot // a full stop without a space
	gapColon
	gapColonLine
	gapQuote
	gapKey  // ": "
	gapItem // ", "
	gapOpen // ( [
	gapClose
	gapTag // < >
	gapHyphen
	gapSlash
	gapEqual
	gapUnder
	gapPipe
	gapAt
	gapHash
	gapAmp
	gapDash // a dash between spaces
	gapBullet
	gapCode // braces, semicolons, other signs of source code
	gapOther
	gaps
)

// token is a word and the gap before it.
type token struct {
	start, end int32
	hash       uint32 // of the word in lower case
	suffix     uint32 // last four bytes in lower case
	prefix     uint32 // first four
	flags      names.Flags
	sep        uint32 // hash of the gap as it is written
	gap        gap
	shape      shape
	size       uint8 // letters, at most 15
	poss       bool  // 's follows
	dot        bool  // a full stop follows
	bound      bool  // part of an address, a path or an identifier
	person     bool  // a candidate
	drawn      bool  // letters are repeated: sooo
	line       uint8 // kind of the line
}

const (
	letterLow = 1 + iota
	letterUp
	digit
	high
)

var kinds = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z':
			t[c] = letterLow
		case c >= 'A' && c <= 'Z':
			t[c] = letterUp
		case c >= '0' && c <= '9':
			t[c] = digit
		case c >= 0x80:
			t[c] = high
		}
	}
	return
}()

func wordByte(c byte) bool { return kinds[c] != 0 }

// tokens cuts b, at most a block, into words. It appends to dst.
func (d *block) tokens(dst []token, b []byte) []token {
	last := 0 // end of the last word
	i := 0
	bound := -1 // end of an address or a path
	for i < len(b) {
		c := b[i]
		k := kinds[c]
		if k == 0 {
			if i >= bound && (c == ':' && i+2 < len(b) && b[i+1] == '/' && b[i+2] == '/' || c == '@' && i > 0 && wordByte(b[i-1]) && i+1 < len(b) && wordByte(b[i+1])) {
				// An address: the words of it that were read already are bound too.
				s := i
				for s > 0 && !breaksAddress(b[s-1]) {
					s--
				}
				for n := len(dst) - 1; n >= 0 && int(dst[n].start) >= s; n-- {
					dst[n].bound = true
				}
				e := i
				for e < len(b) && !breaksAddress(b[e]) {
					e++
				}
				bound = e
			}
			i++
			continue
		}
		if k == high {
			if r, n := utf8.DecodeRune(b[i:]); d.kind(r)&letter == 0 {
				i += n
				continue
			}
		}
		start := i
		dst = append(dst, token{start: int32(start)})
		t := &dst[len(dst)-1]
		// Most words are plain: ASCII letters and digits, and nothing that could go on
		// with them.
		hash, drawn := names.HashStart, false
		tally := uint64(0)  // 16 bits for each kind
		window := uint32(0) // the last four bytes
		for i < len(b) {
			c := b[i]
			k := kinds[c]
			if k == 0 || k == high {
				break
			}
			c |= 0x20 // lower case; digits stay
			hash = names.HashAdd(hash, c)
			tally += 1 << (k << 4 & 63)
			window = window<<8 | uint32(c)
			drawn = drawn || (window^window>>8)&0xFFFF == 0
			i++
		}
		if i < len(b) && (kinds[b[i]] == high || b[i] == '\'' && joins(b, start, i)) || i-start > longWord {
			i = d.spell(t, b)
		} else {
			word := b[start:i]
			t.hash, t.size = hash, uint8(min(len(word), 15))
			digits := int(tally >> (digit << 4))
			t.shape = plainShape(word, int(tally>>(letterUp<<4)&0xFFFF), int(tally>>(letterLow<<4)&0xFFFF), digits)
			switch {
			case digits > 0:
				t.edges(word)
			case len(word) > 4:
				t.drawn, t.suffix, t.prefix = drawn, window, binary.BigEndian.Uint32(word)|0x20202020
			default:
				t.drawn, t.suffix, t.prefix = drawn, window, window
			}
			if t.shape != number && len(word) < 15 {
				t.flags = d.known.of(hash)
			}
		}
		t.end = int32(i)
		if start < bound {
			t.bound = true
		}
		if start == last+1 && b[last] == ' ' && len(dst) > 1 {
			t.gap, t.sep = gapSpace, ' '
		} else {
			t.gap, t.sep = d.gaps.of(b, last, start, len(dst) > 1)
			switch {
			case t.gap == gapUnder:
				t.bound = true
				if len(dst) > 1 {
					dst[len(dst)-2].bound = true
				}
			case t.gap == gapAt:
				t.bound = true
			case t.gap == gapDot && len(dst) > 1 && dst[len(dst)-2].shape != initial && dst[len(dst)-2].flags&names.Title == 0:
				t.bound = true
			}
		}
		if i < len(b) && endings[b[i]] {
			i = t.ending(b, i)
		}
		last = i
	}
	return dst
}

// edges keeps how the letters of a plain word begin and end: digits do not count.
func (t *token) edges(word []byte) {
	n := 0
	for _, c := range word {
		if kinds[c] == digit {
			continue
		}
		t.suffix = t.suffix<<8 | uint32(c|0x20)
		if n++; n <= 4 {
			t.prefix = t.suffix
		}
		t.drawn = t.drawn || n > 2 && (t.suffix^t.suffix>>8)&0xFFFF == 0
	}
}

// plainShape gives the shape of a word of ASCII letters and digits, and of how many of
// each it is.
func plainShape(word []byte, ups, lows, digits int) shape {
	switch {
	case ups == 0 && digits == 0:
		return lower
	case digits == len(word):
		return number
	case digits > 0:
		return camel
	case len(word) == 1:
		return initial
	case lows == 0:
		return caps
	case kinds[word[0]] == letterLow:
		return camel
	case ups == 1:
		return title
	}
	return manyUps(word)
}

// manyUps gives the shape of a word that begins with a capital and has more, and small
// letters.
func manyUps(word []byte) shape {
	inner, small := false, false
	for _, c := range word {
		if kinds[c] == letterLow {
			small = true
		} else {
			inner = inner || small
		}
	}
	var buf [longWord]byte
	low := buf[:0]
	for _, c := range word {
		low = append(low, c|0x20)
	}
	return innerShape(inner, low, word)
}

// innerShape tells names with capitals inside, McDonald, from identifiers. inner: a capital stands
// behind a small letter.
func innerShape(inner bool, low, word []byte) shape {
	switch {
	case inner && nameMixed(low, word):
		return mixed
	case inner, kinds[word[1]] == letterUp:
		return camel
	}
	return mixed
}

// longWord is how many bytes of a word count for its ending.
const longWord = 64

// spell reads a word that not only ASCII letters and digits stand in, and gives its end.
func (d *block) spell(t *token, b []byte) int {
	t.hash = names.HashStart
	ups, lows, digits, others, letters, inner := 0, 0, 0, 0, 0, false
	var low [longWord]byte
	w := low[:0]
	start := int(t.start)
	i := start
word:
	for i < len(b) {
		c := b[i]
		switch kinds[c] {
		case letterLow:
			lows++
		case letterUp:
			inner = inner || lows > 0
			ups++
			c += 'a' - 'A'
		case digit:
			digits++
			t.hash = names.HashAdd(t.hash, c)
			letters++
			i++
			continue
		case high:
			r, n := utf8.DecodeRune(b[i:])
			if r == '’' && i-start <= 3 && lettersAt(b, i+n) && clitic(b, i+n) == 0 && i > start {
				t.hash = names.HashAdd(t.hash, '\'')
				inner = true
				i += n
				continue
			}
			k := d.kind(r)
			switch {
			case k&(letter|combining) == 0:
				break word
			case k&upper != 0:
				inner = inner || lows > 0
				ups++
				r = unicode.ToLower(r)
			case k&small != 0:
				lows++
			default:
				others++
			}
			var buf [4]byte
			for _, c := range buf[:utf8.EncodeRune(buf[:], r)] {
				t.hash = names.HashAdd(t.hash, c)
				if len(w) < len(low) {
					w = append(w, c)
				}
			}
			letters++
			i += n
			continue
		default:
			if c != '\'' || !joins(b, start, i) {
				break word
			}
			inner = inner || lows > 0 // O'Neill
			letters--
		}
		t.hash = names.HashAdd(t.hash, c)
		if len(w) < len(low) {
			w = append(w, c)
		}
		letters++
		i++
	}
	t.size = uint8(min(letters, 15))
	switch {
	case digits == letters:
		t.shape = number
	case digits > 0:
		t.shape = camel
	case others > 0 && ups == 0:
		t.shape = caseless
	case ups == 0:
		t.shape = lower
	case letters == 1:
		t.shape = initial
	case lows == 0:
		t.shape = caps
	case kinds[b[start]] == letterLow:
		t.shape = camel
	case ups == 1:
		t.shape = title
	default:
		t.shape = innerShape(inner, w, b[start:i])
	}
	if t.shape != number && t.size < 15 {
		t.flags = d.lookup(w, t.hash)
	}
	for k := 2; k < len(w); k++ {
		if w[k] == w[k-1] && w[k] == w[k-2] {
			t.drawn = true
		}
	}
	for _, c := range w[max(0, len(w)-4):] {
		t.suffix = t.suffix<<8 | uint32(c)
	}
	for _, c := range w[:min(4, len(w))] {
		t.prefix = t.prefix<<8 | uint32(c)
	}
	return i
}

// joins reports whether the apostrophe at i belongs to the word that begins at start:
// O'Neill.
func joins(b []byte, start, i int) bool {
	return i > start && i-start <= 3 && lettersAt(b, i+1) && clitic(b, i+1) == 0
}

// endings are the bytes behind a word that say something of it.
var endings = func() (t [256]bool) {
	for _, c := range []byte("'._(=[\\:\xE2") {
		t[c] = true
	}
	return
}()

// ending looks at what stands behind a word that ends at i, and gives where the next may
// begin.
func (t *token) ending(b []byte, i int) int {
	next := func(k int) byte {
		if i+k < len(b) {
			return b[i+k]
		}
		return 0
	}
	apostrophe := 0
	switch b[i] {
	case '(', '=', '[':
		t.bound = true
	case '_':
		t.bound = t.bound || wordByte(next(1))
	case ':':
		t.bound = t.bound || next(1) == ':'
	case '\\':
		switch c := next(1); {
		case i+1 < len(b) && (c == 'n' || c == '"' || c == 'r' || c == 't'):
		default:
			t.bound = true
		}
	case '.':
		t.dot = true
		t.bound = t.bound || t.shape != initial && wordByte(next(1))
	case '\'':
		apostrophe = 1
	case 0xE2:
		if next(1) == 0x80 && next(2) == 0x99 {
			apostrophe = 3
		}
	}
	if apostrophe == 0 {
		return i
	}
	t.poss = possessive(b, i+apostrophe)
	n := clitic(b, i+apostrophe)
	if n == 0 {
		return i
	}
	if c := b[i+apostrophe] | 0x20; c != 's' && c != 'd' { // what stands behind it is no word
		t.flags = t.flags&^names.Name&^(names.KnownForename|names.KnownSurname) | names.Stop // we're, don't
	}
	return i + apostrophe + n
}

func lettersAt(b []byte, i int) bool {
	return i < len(b) && (kinds[b[i]] == letterLow || kinds[b[i]] == letterUp || kinds[b[i]] == high)
}

// possessive reports whether an s stands alone at i.
func possessive(b []byte, i int) bool { return clitic(b, i) == 1 && (b[i] == 's' || b[i] == 'S') }

// clitic gives the length of what can stand behind an apostrophe and is no part of a
// name: it's, we're, I've, he'll, don't.
func clitic(b []byte, i int) int {
	n := 0
	for i+n < len(b) && wordByte(b[i+n]) && n < 3 {
		n++
	}
	switch {
	case n == 1:
		switch b[i] | 0x20 {
		case 's', 't', 'm', 'd':
			return 1
		}
	case n == 2:
		switch string([]byte{b[i] | 0x20, b[i+1] | 0x20}) {
		case "re", "ve", "ll":
			return 2
		}
	}
	return 0
}

func breaksAddress(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', '<', '>', '"', '\'', '(', ')', '[', ']', ',', ';', '|', '{', '}', '`':
		return true
	}
	return false
}

// nameMixed allows McDonald, MacLeod, DiCaprio, O'Neill, LeBron.
func nameMixed(low, b []byte) bool {
	for i := 1; i < len(b); i++ {
		if kinds[b[i]] != letterUp || kinds[b[i-1]] == letterUp {
			continue
		}
		switch string(low[:min(i, len(low))]) {
		case "mc", "mac", "de", "di", "la", "le", "van", "von", "fitz", "o'", "d'", "du", "da", "del", "dela", "al", "n'", "ni", "o’", "d’", "l'", "m'", "t'":
		default:
			return b[i-1] == '\''
		}
		for _, c := range b[i+1:] {
			if kinds[c] == letterUp {
				return false
			}
		}
		return i+1 < len(b)
	}
	return true
}

// wordMemo remembers what the lists say of words: few words make up most of a text, and the
// lists are larger than the caches near the processor. Zero: the hash zero has no flags.
type wordMemo [1 << 11]struct {
	hash  uint32
	flags names.Flags
}

func (m *wordMemo) of(hash uint32) names.Flags {
	e := &m[hash%uint32(len(m))]
	if e.hash != hash {
		e.hash, e.flags = hash, names.OfHash(hash)
	}
	return e.flags
}

// gapMemo remembers what gapOf said: a text has few kinds of gaps. Gaps of up to seven
// bytes are their own keys.
type gapMemo [64]struct {
	key uint64 // bytes, and their number in the highest byte
	sep uint32
	gap gap
}

func (m *gapMemo) of(b []byte, from, to int, prev bool) (gap, uint32) {
	if n := to - from; n == 0 || n > 7 || !prev {
		return gapOf(b, from, to, prev)
	}
	key := uint64(to-from) << 56
	for i, c := range b[from:to] {
		key |= uint64(c) << (8 * i)
	}
	e := &m[key*0x9E3779B97F4A7C15>>58]
	if e.key != key {
		e.gap, e.sep = gapOf(b, from, to, prev)
		e.key = key
	}
	return e.gap, e.sep
}

// gapOf says what stands in b[from:to], the gap before a word.
func gapOf(b []byte, from, to int, prev bool) (gap, uint32) {
	if to == from+1 && b[from] == ' ' && prev {
		return gapSpace, ' '
	}
	if to == from {
		if !prev {
			return gapStart, 0
		}
		return gapNone, 1
	}
	h := names.HashStart
	lines, spaces, code := 0, false, false
	var first, last, lastLine byte
	count := 0
	for i := max(from, to-40); i < to; i++ {
		c := b[i]
		switch c {
		case '\n':
			lines++
			lastLine = 0
			if lines < 3 {
				h = names.HashAdd(h, c)
			}
			spaces = true
			continue
		case ' ', '\t', '\r', 0xA0, 0xC2:
			if !spaces {
				h = names.HashAdd(h, ' ')
			}
			spaces = true
			continue
		case '\\':
			if i+1 < to && b[i+1] == 'n' { // a line break in a string of JSON or code
				lines++
			}
		case '{', '}', ';', '$', '%', '^', '~':
			if c != ';' || lines > 0 {
				code = true
			}
		}
		spaces = false
		if count < 8 {
			h = names.HashAdd(h, c)
		}
		count++
		if first == 0 {
			first = c
		}
		last, lastLine = c, c
	}
	spaceBefore := b[from] == ' ' || b[from] == '\n' || b[from] == '\t' || b[from] == '\r'
	spaceAfter := b[to-1] == ' ' || b[to-1] == '\n' || b[to-1] == '\t'
	g := gapOther
	switch {
	case lines > 0 && lastLine != 0:
		switch lastLine {
		case '-', '*', '+', 0x80, 0xA2, '#', '>', ')', '.', '~':
			g = gapBullet
		case '"', '\'':
			g = gapQuote
		case '<':
			g = gapTag
		case '@':
			g = gapAt
		case '|':
			g = gapPipe
		case '(', '[':
			g = gapOpen
		}
		if code {
			g = gapCode
		}
	case lines > 0:
		switch {
		case first == ',' || first == ';' && !code:
			g = gapCommaLine
		case first == ':':
			g = gapColonLine
		case first == '.' || first == '!' || first == '?':
			g = gapStopLine
		case lines > 1:
			g = gapBlank
		default:
			g = gapLine
		}
	case count == 0:
		g = gapSpace
		if !prev {
			g = gapStart
		}
	case code:
		g = gapCode
	case !prev && last != '@' && last != '#':
		g = gapStart
		if last == '"' || last == '\'' || last == '(' || last == '<' {
			g = gapQuote
		}
	case last == '@':
		g = gapAt
	case last == '#':
		g = gapHash
	case count == 1:
		switch first {
		case ',', ';':
			g = gapComma
		case '.':
			g = gapStop
			if !spaceAfter {
				g = gapDot
			}
		case '!', '?':
			g = gapStop
		case ':':
			g = gapColon
		case '"':
			g = gapQuote
		case '\'', '`':
			g = gapQuote
		case '(', '[':
			g = gapOpen
		case ')', ']':
			g = gapClose
		case '<', '>':
			g = gapTag
		case '-':
			g = gapHyphen
			if spaceBefore || spaceAfter {
				g = gapDash
			}
		case '/':
			g = gapSlash
		case '=':
			g = gapEqual
		case '_':
			g = gapUnder
			if spaceBefore {
				g = gapQuote // emphasis
			}
		case '|':
			g = gapPipe
		case '&', '+':
			g = gapAmp
		case '*':
			g = gapQuote
		}
	case first == '"' && last == '"' && count >= 2:
		g = gapItem
		for i := from; i < to; i++ {
			if b[i] == ':' {
				g = gapKey
			}
		}
	case first == 0xE2 && count == 3: // dashes, bullets, quotation marks
		g = gapDash
		if !spaceAfter || !spaceBefore {
			g = gapQuote
		}
	case last == '"' || last == '\'' || last == '*' || last == '_':
		g = gapQuote
		if first == '=' {
			g = gapEqual
		} else if first == ':' {
			g = gapKey
		}
	case last == '<' || last == '>':
		g = gapTag
	case last == '(' || last == '[':
		g = gapOpen
	case first == '.' || first == '!' || first == '?':
		g = gapStop
		if last == '-' {
			g = gapDash
		}
	case first == ':' || last == ':':
		g = gapColon
	case first == ')' || first == ']' || first == '"':
		g = gapClose
	case first == ',':
		g = gapComma
	case first == '|' || last == '|':
		g = gapPipe
	case last == '=':
		g = gapEqual
	case last == '/':
		g = gapSlash
	case last == '-':
		g = gapDash
	}
	return g, h
}

// lookup gives a word's flags, given its hash; ordinary words that no list has are told
// by their endings.
func (d *block) lookup(low []byte, hash uint32) names.Flags {
	f := d.known.of(hash)
	if f != 0 {
		return f
	}
	ascii := true
	for _, c := range low {
		if c >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if !ascii {
		if h := names.Hash(low); h != hash { // part of the word is not in low
			f = names.OfHash(h)
		}
		if f == 0 {
			f = names.OfPlain(low)
		}
		if f != 0 {
			return f
		}
	}
	for i, c := range low {
		if c == '\'' && i > 0 && i <= 3 { // O'Neill
			return names.OfHash(names.Hash(low[i+1:])) &^ (names.Word | names.Frequent | names.Stop)
		}
	}
	return 0
}
