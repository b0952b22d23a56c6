package view

import (
	"bytes"
	"strings"
)

// Codes of five and six bits in other alphabets than the usual ones, texts compressed or
// combined with one byte and written in hex.

// other64 are alphabets of base64, as tables of values; 0xff: no symbol. Those of crypt, of bcrypt and of xxencode.
var other64 = func() (t [3][256]byte) {
	const (
		digits = "0123456789"
		upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	)
	lower := strings.ToLower(upper)
	for i, signs := range [...]string{"./" + digits + upper + lower, "./" + upper + lower + digits, "+-" + digits + upper + lower} {
		t[i] = valuesOf(signs)
	}
	return t
}()

// otherRun adds what text[start:end] spells in one of those alphabets, and gives where it ends;
// 0: it spells nothing.
func (d *Decoder) otherRun(p *patches, start, end int) int {
	for end < len(d.text) && (base64Byte(d.text[end]) || d.text[end] == '.') { // which is a symbol of some
		end++
	}
	d.compact(start, end)
	if len(d.buf) < minPacked {
		return 0
	}
	for i := range other64 {
		if !begins(decode64(nil, d.buf[:minPacked], &other64[i])) {
			continue
		}
		if out := decode64(nil, d.buf, &other64[i]); len(out) >= len(d.buf)/4*3-3 && readable(out) {
			d.decoded(p, out, start, end, 4, 3)
			return end
		}
	}
	return 0
}

// other32 are alphabets of base32, as tables of values; 0xff: no symbol. Those of RFC 4648 for
// hex, of Crockford, and the one for people to read.
var other32 = func() (t [3][256]uint8) {
	for i, signs := range [...]string{"0123456789abcdefghijklmnopqrstuv", "0123456789abcdefghjkmnpqrstvwxyz", "ybndrfg8ejkmcpqxot1uwisza345h769"} {
		for c := range t[i] {
			t[i][c] = 0xff
		}
		for k := range len(signs) {
			t[i][signs[k]] = uint8(k)
			if isLetter(signs[k]) {
				t[i][signs[k]-0x20] = uint8(k)
			}
		}
	}
	return t
}()

// other32Run adds what text[start:end], whose symbols are those of compact, spells in base32 in
// another alphabet.
func (d *Decoder) other32Run(p *patches, start, end int) bool {
	s := d.buf
	for i := range other32 {
		if head := decode32(nil, s[:min(len(s), 16)], &other32[i]); len(head) < 10 || !begins(head) {
			continue
		}
		if out := decode32(nil, s, &other32[i]); len(out) >= len(s)*5/8-1 && readable(out) {
			d.decoded(p, out, start, end, 8, 5)
			return true
		}
	}
	return false
}

// decode32 appends what symbols of base32 spell; what they begin with when one of them is none.
func decode32(dst, s []byte, values *[256]uint8) []byte {
	acc, have := uint32(0), 0
	for _, c := range s {
		x := values[c]
		if x == 0xff {
			break
		}
		if acc, have = acc<<5|uint32(x), have+5; have >= 8 {
			have -= 8
			dst = append(dst, byte(acc>>have))
		}
	}
	return dst
}

// minKeyed is how many bytes combined with one byte tell what it was.
const minKeyed = 20

// unkey combines bytes with the one that makes the commonest of them a space or an e, if that
// makes them text.
func unkey(b []byte) bool {
	if len(b) < minKeyed {
		return false
	}
	var count [256]uint16 // of what is read
	most := byte(0)
	head := b[:min(len(b), speechRead)]
	for _, c := range head {
		if count[c]++; count[c] > count[most] {
			most = c
		}
	}
	for _, as := range []byte(" e") {
		key := most ^ as
		ok := key != 0
		for _, c := range b[:minKeyed] {
			ok = ok && !noText[c^key]
		}
		if !ok {
			continue
		}
		combine(head, key)
		if x := fitOf(head); x.usual >= fitUsual && x.order > 0 {
			if combine(b[len(head):], key); readable(b) {
				return true
			}
			combine(b[len(head):], key)
		}
		combine(head, key)
	}
	return false
}

// speechRead is how many bytes are enough to tell whether a text reads as a language does.
const speechRead = 512

func combine(b []byte, key byte) {
	for i := range b {
		b[i] ^= key
	}
}

// inflates gives the text that b is when it is compressed; nil: it is not.
func (d *Decoder) inflates(b []byte) []byte {
	if len(b) < 8 || !(b[0] == 0x1f && b[1] == 0x8b) && !(b[0]&15 == 8 && (int(b[0])<<8|int(b[1]))%31 == 0 && b[0] <= 0x78) {
		return nil
	}
	if out := d.inflate(b); readable(out) {
		return out
	}
	return nil
}

// z85 gives the values of the symbols of ZeroMQ's base85.
var z85 = valuesOf("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#")

// base91 gives the values of the symbols of basE91.
var base91 = valuesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&()*+,./:;<=>?@[]^_`{|}~\"")

// decode91 appends what the symbols of s spell in basE91, and gives how many they are.
func decode91(dst, s []byte) (out []byte, n int) {
	acc, have, first := uint32(0), 0, -1
	for n < len(s) && base91[s[n]] != 0xff {
		x := int(base91[s[n]])
		n++
		if first < 0 {
			first = x
			continue
		}
		v := first + 91*x
		first = -1
		acc |= uint32(v) << have
		if have += 13; v&8191 <= 88 {
			have++
		}
		for ; have >= 8; have -= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
		}
	}
	return bytes.TrimRight(dst, "\x00"), n
}
