package view

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// Wants is a set of views that a text asks for.
type Wants uint32

// The decoding views. The first ones are asked for by the bytes of a text
// ([Probe]); the others by words that a search found in it.
const (
	WantRuns     Wants = 1 << iota // long runs of letters and digits: base64, base32, hex, words without spaces
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
	WantCaesar Wants = 1 << 16 // plus the shift: see Caesar
)

// Caesar is the view of letters shifted by n places, 1 … 25; 13 is rot13. Only
// one shift can be asked for at a time.
func Caesar(n int) Wants { return WantCaesar | Wants(n)<<17 }

func (w Wants) shift() int { return int(w>>17) & 31 }

// masks describes 64 bytes: one bit for each.
type masks struct{ letter, upper, digit uint64 }

// mask classifies eight bytes at a time without branches.
func mask(b *[64]byte) (m masks) {
	for k := 0; k < 8; k++ {
		w := binary.LittleEndian.Uint64(b[8*k:])
		ascii := ^w & highs
		low := w &^ highs
		folded := low | 0x20*ones
		letter := (folded + (0x80-'a')*ones) &^ (folded + (0x80-'z'-1)*ones) & ascii
		upper := (low + (0x80-'A')*ones) &^ (low + (0x80-'Z'-1)*ones) & ascii
		digit := (low + (0x80-'0')*ones) &^ (low + (0x80-'9'-1)*ones) & ascii
		const gather = 0x0002040810204081
		m.letter |= ((letter >> 7) * gather >> 49 & 0xff) << (8 * k)
		m.upper |= ((upper >> 7) * gather >> 49 & 0xff) << (8 * k)
		m.digit |= ((digit >> 7) * gather >> 49 & 0xff) << (8 * k)
	}
	return m
}

// Probe tells cheaply which decoding views a folded text asks for: about one
// nanosecond for two bytes. It may ask for a view that then finds nothing.
func Probe(text []byte, words *Words) Wants {
	var w Wants
	var buf [64]byte
	leet, tail := 0, 0
	for i := 0; i < len(text); i += 64 {
		var m masks
		if len(text)-i >= 64 {
			m = mask((*[64]byte)(text[i:]))
		} else {
			n := copy(buf[:], text[i:])
			clear(buf[n:])
			m = mask(&buf)
		}
		all := m.letter | m.digit
		// Sixteen letters and digits in a row, or capitals inside words again and again.
		r := all & (all >> 1)
		r &= r >> 2
		r &= r >> 4
		r &= r >> 8
		if r != 0 || tail+bits.TrailingZeros64(^all) >= 16 || bits.OnesCount64(m.upper&((m.letter&^m.upper)<<1)) >= 4 {
			w |= WantRuns
		}
		tail = bits.LeadingZeros64(^all)
		if words != nil && w&WantSpelling == 0 {
			// Words of eight letters and more are looked at one by one.
			long := m.letter & (m.letter >> 1)
			long &= long >> 2
			long &= long >> 4
			for long &^= long << 1; long != 0; long &= long - 1 {
				if words.shuffledAt(text, i+bits.TrailingZeros64(long)) {
					w |= WantSpelling
				}
			}
		}
		one := m.letter &^ (m.letter << 1) &^ (m.letter >> 1)
		k := bits.OnesCount64(one)
		if k >= 5 && w&WantSpacing == 0 && stretch(one, m.letter&^one) {
			w |= WantSpacing
		}
		k = bits.OnesCount64(m.digit & (m.letter << 1) & (m.letter >> 1))
		if k+leet >= 2 {
			w |= WantLeet
		}
		leet = k
		if d := bits.OnesCount64(m.digit); d >= 30 || d >= 12 && bits.OnesCount64(all&^(all<<1)) >= 19 {
			w |= WantCodes
		}
		if bits.OnesCount64(all) <= 6 && i+64 <= len(text) && dotted(text[i:i+64]) {
			w |= WantCodes
		}
	}
	if len(text) < 64 && dotted(text) {
		w |= WantCodes
	}
	if hasEscape(text) {
		w |= WantEscapes
	}
	if hasTag(text) || between(text, '*') || bytes.Contains(text, []byte("__")) && between(text, '_') || bytes.Contains(text, []byte("~~")) && between(text, '~') ||
		bytes.Contains(text, []byte("-\n")) || bytes.Contains(text, []byte("\")")) && bytes.Contains(text, []byte("](")) {
		w |= WantMarkup
	}
	if concat(text) {
		w |= WantConcat
	}
	if w&WantSpacing == 0 && !isASCII(text) && spacedRunes(text) {
		w |= WantSpacing
	}
	return w
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

// hasTag looks for the beginning of a tag or comment.
func hasTag(text []byte) bool {
	for rest := text; ; {
		i := bytes.IndexByte(rest, '<')
		if i < 0 || i+2 >= len(rest) {
			return false
		}
		if c := rest[i+1]; isLetter(c) || c == '/' || c == '!' {
			return true
		}
		rest = rest[i+1:]
	}
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

func hexVal(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// hasEscape looks for the beginning of any escape.
func hasEscape(text []byte) bool {
	for rest := text; ; {
		i := bytes.IndexByte(rest, '%')
		if i < 0 || i+2 >= len(rest) {
			break
		}
		if hexVal(rest[i+1]) >= 0 && hexVal(rest[i+2]) >= 0 {
			return true
		}
		rest = rest[i+1:]
	}
	for rest := text; ; {
		i := bytes.IndexByte(rest, '&')
		if i < 0 || i+3 >= len(rest) {
			break
		}
		if c := rest[i+1]; c == '#' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			if j := bytes.IndexByte(rest[i:min(len(rest), i+12)], ';'); j > 0 {
				return true
			}
		}
		rest = rest[i+1:]
	}
	for rest := text; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+3 >= len(rest) {
			break
		}
		switch c := rest[i+1]; {
		case c == 'u', c == 'U', c == 'x':
			return true
		case c >= '0' && c <= '3' && rest[i+2] >= '0' && rest[i+2] <= '7' && rest[i+3] >= '0' && rest[i+3] <= '7':
			return true
		}
		rest = rest[i+1:]
	}
	// Quoted-printable: "=10" is also what programs write, so one alone is nothing.
	n := 0
	for rest := text; ; {
		i := bytes.IndexByte(rest, '=')
		if i < 0 || i+3 >= len(rest) {
			break
		}
		switch {
		case isQP(rest[i+1]) && isQP(rest[i+2]):
			if rest[i+3] == '=' || isLetter(rest[i+3]) && i > 0 && isLetter(rest[i-1]) {
				n++
			}
		case i > 0 && isLetter(rest[i-1]) && (rest[i+1] == '\n' && isLetter(rest[i+2]) || rest[i+1] == '\r' && rest[i+2] == '\n'):
			n++
		}
		if n > 0 {
			return true
		}
		rest = rest[i+1:]
	}
	return false
}

func isQP(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' }

// between reports that signs of markup stand between two letters: a run of two,
// or any run of asterisks.
func between(text []byte, sign byte) bool {
	for rest := text; ; {
		i := bytes.IndexByte(rest, sign)
		if i < 0 || i+1 >= len(rest) {
			return false
		}
		j := i
		for j < len(rest) && rest[j] == sign {
			j++
		}
		if i > 0 && isLetter(rest[i-1]) && j < len(rest) && isLetter(rest[j]) && (sign == '*' || j-i == 2) {
			return true
		}
		rest = rest[j:]
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// concat reports two string literals joined by an operator.
func concat(text []byte) bool {
	for rest := text; ; {
		i := bytes.IndexByte(rest, '+')
		if i < 0 {
			break
		}
		if _, _, ok := joinAt(rest, i); ok {
			return true
		}
		rest = rest[i+1:]
	}
	for _, s := range []string{`" . "`, `"."`, `" & "`} {
		if bytes.Contains(text, []byte(s)) {
			return true
		}
	}
	return false
}

// joinAt reports whether text[i] joins two string literals, and the range from
// the closing quote of the first to behind the opening quote of the second.
func joinAt(text []byte, i int) (from, to int, ok bool) {
	switch text[i] {
	case '+', '&', '.':
	default:
		return 0, 0, false
	}
	from, to = i, i+1
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
	return from - 1, to + 1, true
}

// spacedRunes reports five single letters in a row that are not ASCII, each apart
// from the next.
func spacedRunes(text []byte) bool {
	run := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		next, _ := utf8.DecodeRune(text[i+n:])
		if unicode.IsLetter(r) && !letterLike(next) {
			prev, _ := utf8.DecodeLastRune(text[:i])
			if i == 0 || !letterLike(prev) {
				if run++; run >= 5 {
					return true
				}
			} else {
				run = 0
			}
		} else if letterLike(r) {
			run = 0
		}
		i += n
	}
	return false
}

func letterLike(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r))
}
