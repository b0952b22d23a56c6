package view

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// SPEC: DET-2
//
// Codes in other alphabets, combined with one byte or compressed are undone, and point to where
// they stood.
func TestOtherAlphabets(t *testing.T) {
	const p = "Whoever waters the plants in the corridor writes the date on the card beside the door."
	with64 := func(signs string) string {
		return base64.NewEncoding(signs).WithPadding(base64.NoPadding).EncodeToString([]byte(p))
	}
	with32 := func(signs string) string {
		return base32.NewEncoding(signs).WithPadding(base32.NoPadding).EncodeToString([]byte(p))
	}
	const digits, upper, lower = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
	keyed := []byte(p)
	for i := range keyed {
		keyed[i] ^= 0x17
	}
	var zip bytes.Buffer
	w := gzip.NewWriter(&zip)
	if _, err := w.Write([]byte(p)); err != nil || w.Close() != nil {
		t.Fatal("gzip")
	}
	var dense, ninety []byte
	for i := 0; i+4 <= len(p); i += 4 {
		v, five := uint32(p[i])<<24|uint32(p[i+1])<<16|uint32(p[i+2])<<8|uint32(p[i+3]), [5]byte{}
		for k := 4; k >= 0; k-- {
			five[k] = byte(bytes.IndexByte(z85[:], 0))
			for c, x := range z85 {
				if x == uint8(v%85) {
					five[k] = byte(c)
				}
			}
			v /= 85
		}
		dense = append(dense, five[:]...)
	}
	sign91 := func(x uint) byte {
		for c, v := range base91 {
			if v == uint8(x) {
				return byte(c)
			}
		}
		return 0
	}
	acc, have := uint(0), uint(0)
	for _, c := range []byte(p) {
		acc |= uint(c) << have
		if have += 8; have > 13 {
			n := uint(13)
			if acc&8191 <= 88 {
				n = 14
			}
			v := acc & (1<<n - 1)
			acc, have = acc>>n, have-n
			ninety = append(ninety, sign91(v%91), sign91(v/91))
		}
	}
	var threes []byte // base45
	const signs45 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
	for i := 0; i+2 <= len(p); i += 2 {
		v := int(p[i])<<8 | int(p[i+1])
		threes = append(threes, signs45[v%45], signs45[v/45%45], signs45[v/2025])
	}
	for _, in := range []string{
		string(threes),
		with64("./" + digits + upper + lower), with64("./" + upper + lower + digits), with64("+-" + digits + upper + lower),
		with32(digits + "ABCDEFGHIJKLMNOPQRSTUV"), with32(digits + "abcdefghjkmnpqrstvwxyz"), with32("ybndrfg8ejkmcpqxot1uwisza345h769"),
		inGroups(p, 3, " #"), inGroups(p, 4, ", 0x"), inGroups(p, 2, "-"), inGroups(p, 8, "\n"),
		hex.EncodeToString(keyed), base64.StdEncoding.EncodeToString(keyed), hex.EncodeToString(zip.Bytes()), string(dense), string(ninety),
	} {
		for _, frame := range []string{"", "The report of the spring is ready.\n\n"} {
			text := frame + in + "\n\n" + frame
			var d Decoder
			views, _ := d.Decode([]byte(text), d.Probe([]byte(text), 0), 1<<20)
			found := false
			for _, v := range views {
				at := strings.Index(string(v.Text), p[8:60])
				if at < 0 {
					continue
				}
				found = true
				if from, to := v.Span(at, at+8); from < len(frame) || to > len(frame)+len(in) {
					t.Errorf("%q stands for %q", p[8:16], text[from:to])
				}
			}
			if !found {
				t.Errorf("%q is not read", text)
			}
		}
	}
}

// inGroups writes text in hex, so many bytes together with a sign in front of them.
func inGroups(s string, n int, sign string) string {
	var b strings.Builder
	for ; len(s) >= n; s = s[n:] {
		b.WriteString(sign + hex.EncodeToString([]byte(s[:n])))
	}
	return strings.TrimLeft(b.String(), " ,\n-")
}
