package review

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inert makes hostile text harmless to look at, on a page and on a terminal (SPEC
// QUA-5): every character that shows nothing, moves the cursor, turns the reading
// direction or joins others invisibly is drawn as a box with its code point, for
// example ⟦U+202E⟧, and bytes that are no UTF-8 as ⟦0xFF⟧. Line feeds and tabs stay.
// Marks piled on one letter are drawn from the third on. Inert(Inert(x)) is Inert(x).
func Inert(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 64)
	marks := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "\u27e60x%02X\u27e7", s[i])
			marks = 0
		case unicode.Is(unicode.M, r):
			if marks++; marks > 2 || unicode.Is(unicode.Variation_Selector, r) {
				box(&b, r)
			} else {
				b.WriteRune(r)
			}
		case shown(r):
			b.WriteRune(r)
			marks = 0
		default:
			box(&b, r)
			marks = 0
		}
		i += n
	}
	return b.String()
}

func box(b *strings.Builder, r rune) { fmt.Fprintf(b, "\u27e6U+%04X\u27e7", r) }

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// shown reports whether a character shows as itself and does nothing else.
func shown(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == ' ':
		return true
	case r < ' ' || r == 0x7f:
		return false
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800' || r == utf8.RuneError:
		return r == utf8.RuneError
	}
	return unicode.IsGraphic(r) && !unicode.In(r, unicode.Zs, unicode.Co)
}
