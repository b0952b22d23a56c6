package classify

import (
	"math/rand/v2"
	"testing"
)

// The bits of runs against a byte by byte reading.
func TestRunsOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const signs = "aZz09A-_ \"{}@`[/:%&=\\\x80\xff\x00fgG"
	var got runs
	for n := range 400 {
		text := make([]byte, n)
		for i := range text {
			text[i] = signs[r.IntN(len(signs))]
			if n%3 > 0 && r.IntN(12) > 0 { // long runs
				text[i] = "abcXYZ0123456789qrs"[r.IntN(19)]
			}
		}
		got.fill(text)
		for i, c := range text {
			start, end := i, i
			for start > 0 && is(text[start-1], cAlnum) {
				start--
			}
			for end < len(text) && is(text[end], cAlnum) {
				end++
			}
			bit := func(set []uint64) bool { return set[i>>6]>>(i&63)&1 != 0 }
			if bit(got.alnum) != is(c, cAlnum) || bit(got.digit) != is(c, cDigit) {
				t.Fatalf("%q at %d: letter or digit %v, digit %v", text, i, bit(got.alnum), bit(got.digit))
			}
			if want := c == '@' || c == '%' || c == '&' || c == '=' || c == '\\'; bit(got.signs) != want {
				t.Fatalf("%q at %d: sign %v, want %v", text, i, bit(got.signs), want)
			}
			if want := is(c, cDigit|cUpper) && end-start >= 6; bit(got.long) != want {
				t.Fatalf("%q at %d: long %v, want %v", text, i, bit(got.long), want)
			}
			if is(c, cAlnum) {
				if a, b := got.around(i); a != start || b != end {
					t.Fatalf("%q at %d: run %d to %d, want %d to %d", text, i, a, b, start, end)
				}
			}
		}
	}
}
