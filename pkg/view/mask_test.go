package view

import (
	"math/rand/v2"
	"testing"
)

// Whatever a processor does at once is what it does word by word, and means what it says.
func TestMask(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 3000 {
		var b [64]byte
		for i := range b {
			switch {
			case n < 256:
				b[i] = byte(n + i)
			case n%2 == 0:
				b[i] = byte(r.IntN(256))
			default:
				b[i] = " \t\n\r.!?aAzZ09@[`{/:~\x7f\x1f\x00\x80\xff"[r.IntN(24)]
			}
		}
		var m, words, want masks
		mask(&b, &m)
		maskWords(&b, &words)
		for i, c := range b {
			letter, digit := isLetter(c), c >= '0' && c <= '9'
			for _, x := range []struct {
				to *uint64
				is bool
			}{
				{&want.letter, letter}, {&want.upper, c >= 'A' && c <= 'Z'}, {&want.digit, digit},
				{&want.sign, c > ' ' && c < 0x80 && !letter && !digit}, {&want.line, c == '\t' || c == '\n' || c == '\r'},
				{&want.stop, c == '.' || c == '!' || c == '?' || c == '\n'}, {&want.high, c >= 0x80}, {&want.bad, !plainByte(c)},
			} {
				if x.is {
					*x.to |= 1 << i
				}
			}
		}
		if m != want {
			t.Fatalf("%q:\n%x\n%x", b, m, want)
		}
		if words != want {
			t.Fatalf("%q, word by word:\n%x\n%x", b, words, want)
		}
	}
}
