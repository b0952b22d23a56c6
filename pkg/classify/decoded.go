package classify

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"

	"github.com/stoplog/stoplog/pkg/view"
)

// encoded looks into what is written in base64 or hex: a token that decodes to text is
// searched as text. What is proved there makes the whole token an element of that type;
// a part of it could not be replaced. depth bounds nested encodings.
func (s *scan) encoded(depth int) {
	t := s.text
	for i := 0; i < len(t); {
		if !is(t[i], cAlnum) {
			i++
			continue
		}
		start := i
		for i < len(t) && (is(t[i], cAlnum) || t[i] == '+' || t[i] == '/' || t[i] == '-' || t[i] == '_') {
			i++
		}
		if i-start < 12 || i-start > 64<<10 {
			continue
		}
		tok := t[start:i]
		end := i
		for end < len(t) && t[end] == '=' && end-i < 2 {
			end++
		}
		plain, ok := decodeToken(tok)
		if !ok {
			continue
		}
		inner := scan{text: nil, depth: depth + 1}
		inner.run(plain)
		best := hit{}
		for _, h := range inner.hits {
			if h.score > best.score && (h.valid || h.typ == "SECRET" && h.score >= 0.9) && h.score >= 0.7 {
				best = h
			}
		}
		if best.score > 0 {
			s.add(hit{typ: best.typ, rule: best.rule, start: start, end: end, score: best.score, valid: best.valid})
		}
	}
}

// decodeToken decodes base64 (both alphabets) or hex to printable text.
func decodeToken(tok []byte) ([]byte, bool) {
	digitsOnly, hexOnly, lower, upper, other := true, true, 0, 0, 0
	for _, c := range tok {
		switch {
		case is(c, cDigit):
		case is(c, cUpper):
			digitsOnly = false
			upper++
			hexOnly = hexOnly && isHex(c)
		case is(c, cLower):
			digitsOnly = false
			lower++
			hexOnly = hexOnly && isHex(c)
		default:
			digitsOnly, hexOnly = false, false
			other++
		}
	}
	if hexOnly && len(tok)%2 == 0 && len(tok) >= 16 {
		if b, err := hex.DecodeString(string(tok)); err == nil && printable(b) {
			return b, true
		}
		return nil, false
	}
	if digitsOnly || lower == 0 || upper == 0 || other > len(tok)/8+1 {
		return nil, false
	}
	// A first look at three bytes spares decoding most identifiers.
	enc := base64.RawStdEncoding
	if bytes.IndexByte(tok, '-') >= 0 || bytes.IndexByte(tok, '_') >= 0 {
		enc = base64.RawURLEncoding
	}
	var head [6]byte
	if n, err := enc.Decode(head[:], tok[:8]); err != nil || !printable(head[:n]) {
		return nil, false
	}
	b, err := enc.DecodeString(string(tok))
	if err != nil || !printable(b) {
		return nil, false
	}
	return b, true
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

// escaped looks through percent, entity and backslash escapes, where the text has some
// that can hide an element. Only hits that the escapes hid are taken.
func (s *scan) escaped() {
	t := s.text
	if !bytes.Contains(t, []byte("%4")) && !bytes.Contains(t, []byte("%2")) && !bytes.Contains(t, []byte("%3")) && !bytes.Contains(t, []byte("&#")) && !bytes.Contains(t, []byte("&commat;")) && !bytes.Contains(t, []byte(`\u00`)) && !bytes.Contains(t, []byte(`\x`)) && !bytes.Contains(t, []byte("=40")) {
		return
	}
	view.Decode(t, view.WantEscapes, nil, func(v view.View) {
		inner := scan{depth: s.depth + 1}
		inner.run(v.Text)
		for _, h := range inner.hits {
			start, end := v.Span(h.start, h.end)
			if h.valid && end-start != h.end-h.start {
				h.start, h.end = start, end
				s.add(h)
			}
		}
	})
}
