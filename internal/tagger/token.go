package tagger

import (
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

// tokens cuts b into words. It appends to dst.
func tokens(dst []token, b []byte) []token {
	last := 0 // end of the last word
	i := 0
	bound := -1 // end of an address or a path
	var low [64]byte
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
			r, n := utf8.DecodeRune(b[i:])
			if !unicode.IsLetter(r) {
				i += n
				continue
			}
		}
		t := token{start: int32(i), hash: names.HashStart}
		ups, lows, digits, others, letters, inner := 0, 0, 0, 0, 0, false
		w := low[:0]
		for i < len(b) {
			c = b[i]
			switch kinds[c] {
			case letterLow:
				lows++
				t.hash = names.HashAdd(t.hash, c)
				if len(w) < len(low) {
					w = append(w, c)
				}
			case letterUp:
				if lows > 0 {
					inner = true
				}
				ups++
				t.hash = names.HashAdd(t.hash, c+'a'-'A')
				if len(w) < len(low) {
					w = append(w, c+'a'-'A')
				}
			case digit:
				digits++
				t.hash = names.HashAdd(t.hash, c)
			case high:
				r, n := utf8.DecodeRune(b[i:])
				if r == '’' && lettersAt(b, i+n) && clitic(b, i+n) == 0 && i > int(t.start) && i-int(t.start) <= 3 {
					t.hash = names.HashAdd(t.hash, '\'')
					inner = true
					i += n
					continue
				}
				if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Mc, r) {
					goto done
				}
				switch {
				case unicode.IsUpper(r):
					if lows > 0 {
						inner = true
					}
					ups++
				case unicode.IsLower(r):
					lows++
				default:
					others++
				}
				l := r
				if unicode.IsUpper(r) {
					l = unicode.ToLower(r)
				}
				var buf [4]byte
				for _, c := range buf[:utf8.EncodeRune(buf[:], l)] {
					t.hash = names.HashAdd(t.hash, c)
					if len(w) < len(low) {
						w = append(w, c)
					}
				}
				letters++
				i += n
				continue
			default:
				if c == '\'' && i > int(t.start) && lettersAt(b, i+1) && clitic(b, i+1) == 0 && i-int(t.start) <= 3 {
					t.hash = names.HashAdd(t.hash, c) // O'Neill
					if len(w) < len(low) {
						w = append(w, c)
					}
					inner = inner || lows > 0
					i++
					continue
				}
				goto done
			}
			letters++
			i++
		}
	done:
		t.end = int32(i)
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
		case kinds[b[t.start]] == letterLow:
			t.shape = camel
		case inner && ups > 1:
			t.shape = camel
			if nameMixed(w, b[t.start:t.end]) {
				t.shape = mixed
			}
		case ups > 1:
			t.shape = mixed
			if w2 := b[t.start:t.end]; kinds[w2[1]] == letterUp {
				t.shape = camel
			}
		default:
			t.shape = title
		}
		if i < len(b) {
			switch b[i] {
			case '\'':
				t.poss = possessive(b, i+1)
			case '.':
				t.dot = true
			case 0xE2:
				t.poss = i+2 < len(b) && b[i+1] == 0x80 && b[i+2] == 0x99 && possessive(b, i+3)
			}
		}
		if int(t.start) < bound {
			t.bound = true
		}
		t.gap, t.sep = gapOf(b, last, int(t.start), len(dst) > 0)
		switch {
		case t.gap == gapUnder || t.gap == gapAt:
			t.bound = true
		case t.gap == gapDot && len(dst) > 0 && dst[len(dst)-1].shape != initial && dst[len(dst)-1].flags&names.Title == 0:
			t.bound = true
		}
		if i < len(b) && (b[i] == '_' && i+1 < len(b) && wordByte(b[i+1]) || b[i] == '(' || b[i] == '=' || b[i] == '[' || b[i] == '\\' && (i+1 >= len(b) || b[i+1] != 'n' && b[i+1] != '"' && b[i+1] != 'r' && b[i+1] != 't') || b[i] == '.' && t.shape != initial && i+1 < len(b) && wordByte(b[i+1]) || b[i] == ':' && i+1 < len(b) && b[i+1] == ':') {
			t.bound = true
		}
		if t.bound && t.gap == gapUnder && len(dst) > 0 {
			dst[len(dst)-1].bound = true
		}
		if t.shape != number && t.size < 15 && len(w) > 0 {
			t.flags = lookup(w, t.hash)
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
		mark := 0 // an apostrophe
		if i < len(b) && b[i] == '\'' {
			mark = 1
		} else if i+3 < len(b) && b[i] == 0xE2 && b[i+1] == 0x80 && b[i+2] == 0x99 {
			mark = 3
		}
		if mark > 0 {
			if n := clitic(b, i+mark); n > 0 { // what stands behind it is no word
				if c := b[i+mark] | 0x20; c != 's' && c != 'd' {
					t.flags = t.flags&^names.Name&^(names.KnownForename|names.KnownSurname) | names.Stop // we're, don't
				}
				i += mark + n
			}
		}
		last = i
		dst = append(dst, t)
	}
	return dst
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
func lookup(low []byte, hash uint32) names.Flags {
	f := names.OfHash(hash)
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
		if f = names.Of(low); f != 0 {
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
