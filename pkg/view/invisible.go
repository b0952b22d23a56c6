package view

import "unicode/utf8"

// Hidden hands out what invisible characters of text spell: tag characters,
// variation selectors as bytes, and zero-width characters as bits. Folding
// removes them all; somebody may have written with them.
func Hidden(c Changes, text []byte, emit func(View)) {
	if c&Tags != 0 {
		runesView("tags", text, func(r rune) (byte, bool) {
			return byte(r), r >= 0xe0020 && r <= 0xe007e
		}, emit)
	}
	if c&Selectors != 0 {
		runesView("variation-selectors", text, func(r rune) (byte, bool) {
			switch {
			case r >= 0xfe00 && r <= 0xfe0f:
				return byte(r - 0xfe00), true
			case r >= 0xe0100 && r <= 0xe01ef:
				return byte(r - 0xe0100 + 16), true
			}
			return 0, false
		}, emit)
	}
	if c&Invisible != 0 {
		zeroWidth(text, emit)
	}
}

// runesView gathers the bytes that decode spells; runs need four of them to be
// worth a look, so that the selectors of emoji are not.
func runesView(name string, text []byte, decode func(rune) (byte, bool), emit func(View)) {
	v := View{Name: name, Hidden: true}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if b, ok := decode(r); ok {
			v.put(b, i, i+n)
		}
		i += n
	}
	if len(v.Text) >= 4 && readable(v.Text) {
		emit(v)
		return
	}
	// Selectors are also numbered from the first printable letter.
	shifted := View{Name: name, Hidden: true, at: v.at}
	for _, b := range v.Text {
		shifted.Text = append(shifted.Text, b+0x20)
	}
	if len(shifted.Text) >= 4 && readable(shifted.Text) {
		emit(shifted)
	}
}

// zeroWidth reads two kinds of zero-width characters as zeros and ones, eight to
// a byte; other kinds part bytes or mean nothing.
func zeroWidth(text []byte, emit func(View)) {
	type mark struct {
		r        rune
		from, to int
	}
	var marks []mark
	kinds := map[rune]int{}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch r {
		case 0x200b, 0x200c, 0x200d, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xfeff, 0x180e, 0x200e, 0x200f:
			marks = append(marks, mark{r, i, i + n})
			kinds[r]++
		}
		i += n
	}
	if len(marks) < 32 {
		return
	}
	var a, b rune // the two commonest
	for r, n := range kinds {
		switch {
		case n > kinds[a] || n == kinds[a] && r < a:
			a, b = r, a
		case n > kinds[b] || n == kinds[b] && r < b:
			b = r
		}
	}
	for _, one := range []rune{a, b} {
		for _, width := range []int{8, 7} {
			v := View{Name: "zero-width", Hidden: true}
			bits, acc, from := 0, 0, 0
			for _, m := range marks {
				if m.r != a && m.r != b {
					bits, acc = 0, 0
					continue
				}
				if bits == 0 {
					from = m.from
				}
				acc <<= 1
				if m.r == one {
					acc |= 1
				}
				if bits++; bits == width {
					v.put(byte(acc), from, m.to)
					bits, acc = 0, 0
				}
			}
			if readable(v.Text) {
				emit(v)
				return
			}
		}
	}
}
