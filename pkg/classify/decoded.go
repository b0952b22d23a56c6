package classify

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"

	"github.com/stoplog/stoplog/pkg/view"
)

// encoded looks into what is written in base64 or hex: a token that decodes to text is
// searched as text. What is proved there makes the whole token an element of that type;
// a part of it could not be replaced. It is called for every long run of letters and
// digits; the token may reach further, over signs that base64 has.
func (s *scan) encoded(start, end int) {
	t := s.text
	if s.depth >= maxEncodings || start < s.encodedEnd {
		return
	}
	sign := func(c byte) bool { return c == '+' || c == '/' || c == '-' || c == '_' }
	for start > s.encodedEnd && (is(t[start-1], cAlnum) || sign(t[start-1])) {
		start--
	}
	for start < end && sign(t[start]) {
		start++
	}
	for end < len(t) && (is(t[end], cAlnum) || sign(t[end])) {
		end++
	}
	s.encodedEnd = end
	if end-start > 64<<10 || !s.mayDecode(start, end) {
		return
	}
	for _, e := range s.nothing {
		if e[1]-e[0] == end-start && bytes.Equal(t[e[0]:e[1]], t[start:end]) {
			return
		}
	}
	plain, ok := decodeToken(t[start:end])
	if !ok {
		return
	}
	token := end
	for i := 0; i < 2 && end < len(t) && t[end] == '='; i++ {
		end++
	}
	best := hit{}
	for _, h := range hitsIn(plain, s.depth+1, s.limits) {
		if h.score > best.score && (h.valid || h.typ == "SECRET" && h.score >= 0.9) && h.score >= 0.7 {
			best = h
		}
	}
	if best.score > 0 {
		s.add(hit{typ: best.typ, rule: best.rule, start: start, end: end, score: best.score, valid: best.valid})
		return
	}
	s.nothing[s.nothings%len(s.nothing)] = [2]int{start, token}
	s.nothings++
}

// mayDecode looks at the first bytes that a token would decode to: of most identifiers
// they are no text.
func (s *scan) mayDecode(start, end int) bool {
	t := s.text[start:end]
	text := func(b byte) bool { return b >= 0x20 && b != 0x7f || b == '\n' || b == '\r' || b == '\t' }
	if end-start >= 16 && (end-start)%2 == 0 {
		k := 0
		for k < 8 && isHex(t[k]) && isHex(t[k+1]) && text(unhex(t[k])<<4|unhex(t[k+1])) {
			k += 2
		}
		if k == 8 {
			return true
		}
	}
	high := 0
	for k := 0; k < 8; k += 4 {
		v := uint32(0)
		for _, c := range t[k : k+4] {
			d := sextet[c]
			if d > 63 {
				return false
			}
			v = v<<6 | uint32(d)
		}
		if !text(byte(v>>16)) || !text(byte(v>>8)) || !text(byte(v)) {
			return false
		}
		high += int(v>>23&1 + v>>15&1 + v>>7&1)
	}
	return high <= 1 // as printable asks of six bytes
}

// sextet is what a sign of base64, in either alphabet, stands for; above 63: nothing.
var sextet = func() (t [256]byte) {
	for i := range t {
		t[i] = 64
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = byte(i)
	}
	t['-'], t['_'] = 62, 63
	return
}()

// decodeToken decodes base64 (both alphabets) or hex to printable text.
func decodeToken(tok []byte) ([]byte, bool) {
	kinds, hexes, other := uint8(0), 0, 0
	for _, c := range tok {
		k := class[c]
		kinds |= k
		hexes += int(k >> 7)
		if k&cAlnum == 0 {
			other++
		}
	}
	if hexes == len(tok) && len(tok)%2 == 0 && len(tok) >= 16 {
		b := make([]byte, len(tok)/2)
		if _, err := hex.Decode(b, tok); err != nil || !printable(b) {
			return nil, false
		}
		return b, true
	}
	if kinds&cLower == 0 || kinds&cUpper == 0 || other > len(tok)/8+1 {
		return nil, false
	}
	enc := base64.RawStdEncoding
	if bytes.IndexByte(tok, '-') >= 0 || bytes.IndexByte(tok, '_') >= 0 {
		enc = base64.RawURLEncoding
	}
	b := make([]byte, enc.DecodedLen(len(tok)))
	n, err := enc.Decode(b, tok)
	if err != nil || !printable(b[:n]) {
		return nil, false
	}
	return b[:n], true
}

func printable(b []byte) bool {
	bad := 0
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return false
		}
		if c >= 0x80 {
			bad++
		}
	}
	return bad*4 <= len(b) && len(b) > 0
}

// mayEscape reports whether a sign stands where an escape can begin that hides something.
func (s *scan) mayEscape() bool {
	for i := next(s.runs.signs, 0); i >= 0; i = next(s.runs.signs, i+1) {
		if i+2 >= len(s.text) {
			return false
		}
		after, second := s.text[i+1], s.text[i+2]
		switch s.text[i] {
		case '%':
			if after >= '2' && after <= '4' {
				return true
			}
		case '\\':
			if after == 'x' || after == 'u' && second == '0' {
				return true
			}
		case '&':
			if after == '#' || after == 'c' && bytes.HasPrefix(s.text[i+1:], []byte("commat;")) {
				return true
			}
		case '=':
			if after == '4' && second == '0' {
				return true
			}
		}
	}
	return false
}

// escaped looks through percent, entity and backslash escapes, where the text has some
// that can hide an element. Only hits that the escapes hid are taken.
func (s *scan) escaped() {
	if !s.mayEscape() {
		return
	}
	view.Decode(s.text, view.WantEscapes, nil, func(v view.View) {
		for _, h := range hitsIn(v.Text, s.depth+1, s.limits) {
			start, end := v.Span(h.start, h.end)
			if h.valid && end-start != h.end-h.start {
				h.start, h.end = start, end
				s.add(h)
			}
		}
	})
}
