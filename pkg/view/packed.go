package view

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"math/big"
	"slices"
)

// Runs of letters and digits that are no base64 as it stands: base64 backwards, shifted, with
// its cases swapped, of UTF-16, of compressed text; and texts written as one large number.

// Bounds of what is tried, in symbols and bytes.
const (
	minPacked  = 24
	maxNumber  = 400 // numbers take time in proportion to their square
	maxInflate = 64  // bytes of text for each symbol
)

// base58 are the digits of numbers written in base 58 (the order of Bitcoin's addresses).
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// packedRun adds what text[start:end] spells, if it spells something, and names the view.
func (d *Decoder) packedRun(p *patches, start, end int) string {
	for start < end && d.text[start] == '+' { // as UTF-7 begins
		start++
	}
	for start < end && d.text[end-1] == '-' {
		end--
	}
	// Names and paths hold no digits, codes as long do.
	kinds := 0
	if end-start >= minPacked {
		kinds = d.kindsIn(start, end)
	}
	if kinds&hasDigit == 0 {
		return ""
	}
	mixed := kinds&(hasUpper|hasLower) == hasUpper|hasLower
	d.compact(start, end)
	s := d.buf
	if !mixed {
		if d.other32Run(p, start, end) {
			return "base32"
		}
		d.compact(start, end)
		return d.numberRun(p, start, end, kinds)
	}
	head := decode64(nil, s[:min(len(s), 24)], &base64Value)
	switch {
	case len(head) < 3:
		return ""
	case head[0] == 0x1f && head[1] == 0x8b, head[0]&15 == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 && head[0] <= 0x78:
		out := d.inflate(decode64(nil, s, &base64Value))
		if !readable(out) {
			return ""
		}
		whole(p, out, start, end)
		return "inflate"
	case head[0] == 0 && head[1] >= ' ' && head[2] == 0:
		out := decode64(nil, s, &base64Value)
		for i := 0; i+1 < len(out); i += 2 {
			out[i], out[i+1] = out[i+1], out[i]
		}
		units, ok := utf16le(out[:len(out)&^1])
		if !ok {
			return ""
		}
		whole(p, []byte(string(units)), start, end)
		return "utf-7"
	}
	for _, x := range [...]struct {
		name   string
		values *[256]uint8
	}{{"base64-rot13", &shifted64}, {"base64-swapped", &swapped64}} {
		if begins(decode64(nil, s[:24], x.values)) {
			if out := decode64(nil, s, x.values); readable(out) {
				d.decoded(p, out, start, end, 4, 3)
				return x.name
			}
		}
	}
	back := slices.Clone(s)
	slices.Reverse(back)
	for pad := range 4 { // the end of what was encoded is where it was cut
		if begins(decode64(nil, back[:24], &base64Value)) {
			out := decode64(nil, back, &base64Value)
			if !readable(out) {
				break
			}
			p.add(start, end)
			for k, b := range out {
				lo := max(0, len(s)-(k/3*4+4)-pad)
				p.put(b, int(d.pos[lo]), int(d.pos[max(0, len(s)-1-k/3*4-pad)])+1)
			}
			p.end(end)
			return "base64-reversed"
		}
		if back = back[1:]; len(back) < 24 {
			break
		}
	}
	return d.numberRun(p, start, end, kinds)
}

// numberRun adds the text that is written as the number text[start:end], whose symbols are
// those of compact.
func (d *Decoder) numberRun(p *patches, start, end, kinds int) string {
	s := d.buf
	if len(s) > maxNumber || len(s) < minPacked {
		return ""
	}
	bases := []int{10}
	switch kinds & (hasUpper | hasLower) {
	case hasUpper | hasLower:
		bases = []int{58, 62}
	case hasUpper, hasLower:
		if bases = []int{36}; allHex(s) {
			return "" // the hash of something
		}
	}
	for _, base := range bases {
		if out := numberIn(s, base); len(out) >= 12 && begins(out[:12]) && readable(out) {
			whole(p, out, start, end)
			return "number"
		}
	}
	if kinds&(hasUpper|hasLower) == hasUpper|hasLower {
		for i, c := range s { // with the capitals first
			s[i] = swapCase(c)
		}
		if out := numberIn(s, 62); len(out) >= 12 && begins(out[:12]) && readable(out) {
			whole(p, out, start, end)
			return "number"
		}
		if out := d.unkeyed(start, end); out != nil {
			d.decoded(p, out, start, end, 4, 3)
			return "xor"
		}
		if d.otherRun(p, start, end) > 0 {
			return "base64"
		}
	}
	return ""
}

// unkeyed gives the text that a run of base64 is whose bytes were combined with one byte.
func (d *Decoder) unkeyed(start, end int) []byte {
	d.compact(start, end)
	if out := decode64(nil, d.buf, &base64Value); unkey(out) {
		return out
	}
	return nil
}

// shifted64 and swapped64 are the values of the symbols of base64 whose letters are shifted by 13, and of
// which small ones stand for capitals and capitals for small ones.
var shifted64, swapped64 = func() (shifted, swapped [256]uint8) {
	rot := caesar(13)
	for c := range 256 {
		shifted[c], swapped[c] = base64Value[rot(byte(c))], base64Value[swapCase(byte(c))]
	}
	return shifted, swapped
}()

func swapCase(c byte) byte {
	if isLetter(c) {
		c ^= 0x20
	}
	return c
}

// begins reports that text may begin so: with letters and little else.
func begins(b []byte) bool {
	odd := 0
	for _, c := range b {
		if noText[c] {
			return false
		}
		odd += int(bit(!isLetter(c) && c != ' ' && c < 0x80))
	}
	return odd*3 <= len(b)
}

// whole adds out, each byte of which stands for all of text[start:end].
func whole(p *patches, out []byte, start, end int) {
	p.add(start, end)
	p.puts(string(out), start, end)
	p.end(end)
}

// decode64 appends what symbols of base64 with such values spell; what they begin with when one of them
// is none.
func decode64(dst, s []byte, values *[256]uint8) []byte {
	acc := uint32(0)
	dst = slices.Grow(dst, len(s)*3/4+1)
	for i, c := range s {
		x := values[c]
		if x == 0xff {
			break
		}
		acc = acc<<6 | uint32(x)
		if k := i & 3; k > 0 {
			dst = append(dst, byte(acc>>(6-2*k)))
		}
	}
	return dst
}

// inflate gives the text that was compressed. Past the bound the views hold more than they
// may: nobody knows what follows.
func (d *Decoder) inflate(b []byte) []byte {
	var r io.Reader
	var err error
	if b[0] == 0x1f {
		r, err = gzip.NewReader(bytes.NewReader(b))
	} else {
		r, err = zlib.NewReader(bytes.NewReader(b))
	}
	if err != nil {
		return nil
	}
	limit := max(0, min(d.room, maxInflate*len(b)))
	out, _ := io.ReadAll(io.LimitReader(r, int64(limit)+1)) // what came before a fault is there
	d.spend(len(out))
	if len(out) > limit {
		if readable(out[:limit]) {
			d.room = -1
		}
		return nil
	}
	return out
}

// numberIn gives the bytes of a number; nil: it is none of that base.
func numberIn(s []byte, base int) []byte {
	var n big.Int
	if base != 58 {
		if _, ok := n.SetString(string(s), base); !ok || s[0] == '-' || s[0] == '+' {
			return nil
		}
		return n.Bytes()
	}
	digit := new(big.Int)
	by := big.NewInt(58)
	for _, c := range s {
		x := bytes.IndexByte([]byte(base58), c)
		if x < 0 {
			return nil
		}
		n.Add(n.Mul(&n, by), digit.SetInt64(int64(x)))
	}
	return n.Bytes()
}
