package view

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inert draws text so that a person sees what is there and nothing of it acts:
// control characters (terminal escapes with them), bidirectional controls,
// zero-width, tag and other invisible characters, odd spaces and bytes that are
// not UTF-8 become visible marks in ‹ ›. Line feeds and tabs stay. The result
// holds no control or format character; it is not escaped for HTML, which the
// page's templates do.
func Inert(text []byte) string {
	var b strings.Builder
	b.Grow(len(text) + 16)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "‹%02X›", text[i])
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r' && i+1 < len(text) && text[i+1] == '\n':
			// A line break of two characters is drawn as one.
		case r >= 0xe0020 && r <= 0xe007e:
			fmt.Fprintf(&b, "‹tag %c›", r-0xe0000)
		case unseen(r):
			fmt.Fprintf(&b, "‹%s›", unseenName(r))
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// unseen reports a character that is not drawn, or not where it stands.
func unseen(r rune) bool {
	if r < 0x20 || r >= 0x7f && r < 0xa0 {
		return true
	}
	if r < 0xa1 {
		return r == 0xa0
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Co, r) || r == 0x2800 || r >= 0xe0000 && r <= 0xe0fff
}

func unseenName(r rune) string {
	switch r {
	case 0x1b:
		return "ESC"
	case 0x200b:
		return "ZWSP"
	case 0x200c:
		return "ZWNJ"
	case 0x200d:
		return "ZWJ"
	case 0x2060:
		return "WJ"
	case 0xfeff:
		return "BOM"
	case 0xad:
		return "SHY"
	case 0xa0:
		return "NBSP"
	case 0x202d:
		return "LRO"
	case 0x202e:
		return "RLO"
	case 0x202c:
		return "PDF"
	case 0x200e:
		return "LRM"
	case 0x200f:
		return "RLM"
	case 0x2066, 0x2067, 0x2068, 0x2069:
		return [...]string{"LRI", "RLI", "FSI", "PDI"}[r-0x2066]
	}
	return fmt.Sprintf("U+%04X", r)
}
