package tagger

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// What a character is, as far as words are concerned: bits. Package unicode searches its
// ranges for each question, and text outside of ASCII asks several for each character.
const (
	letter    = 1 << iota
	combining // Mn or Mc: part of a word once it has begun
	upper
	small
	han
	hiragana
	hangul
	honors // a Chinese or Japanese honorific may begin here
)

// basicLetters are the kinds of the characters of the basic plane.
var basicLetters = sync.OnceValue(func() *[1 << 16]uint8 {
	t := new([1 << 16]uint8)
	for _, set := range []struct {
		table *unicode.RangeTable
		kind  uint8
	}{
		{unicode.L, letter}, {unicode.Mn, combining}, {unicode.Mc, combining}, {unicode.Lu, upper}, {unicode.Ll, small},
		{unicode.Han, han}, {unicode.Hiragana, hiragana}, {unicode.Hangul, hangul},
	} {
		for _, r := range set.table.R16 {
			for c := uint32(r.Lo); c <= uint32(r.Hi); c += uint32(r.Stride) {
				t[c] |= set.kind
			}
		}
	}
	for _, list := range [][]string{honorificsChinese, honorificsJapanese} {
		for _, h := range list {
			first, _ := utf8.DecodeRuneInString(h)
			t[first] |= honors
		}
	}
	return t
})

// kind gives what a character is.
func (d *block) kind(r rune) (k uint8) {
	if r < 1<<16 {
		if d.letters == nil {
			d.letters = basicLetters()
		}
		return d.letters[r]
	}
	if unicode.IsLetter(r) {
		k |= letter
	}
	if unicode.In(r, unicode.Mn, unicode.Mc) {
		k |= combining
	}
	if unicode.IsUpper(r) {
		k |= upper
	}
	if unicode.IsLower(r) {
		k |= small
	}
	if unicode.Is(unicode.Han, r) {
		k |= han
	}
	if unicode.Is(unicode.Hiragana, r) {
		k |= hiragana
	}
	if unicode.Is(unicode.Hangul, r) {
		k |= hangul
	}
	return k
}
