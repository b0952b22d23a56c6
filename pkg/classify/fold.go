package classify

import "unicode/utf8"

// folded is text in which look-alike forms that carry identifying elements are plain
// ASCII: full-width letters and digits, digits of other scripts, odd spaces and dashes;
// invisible characters are left out. off maps back; nil: nothing changed.
type folded struct {
	text []byte
	off  []int32
}

func (f folded) raw(start, end int) (int, int) {
	if f.off == nil {
		return start, end
	}
	// The end of a span is the end of its last character, so that an invisible
	// character behind it is not torn from the one it belongs to.
	return int(f.off[start]), int(f.off[end])
}

func fold(text []byte) folded {
	i := 0
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	if i == len(text) {
		return folded{text: text}
	}
	var f folded
	changed := false
	for j := i; j < len(text); {
		r, n := utf8.DecodeRune(text[j:])
		if c, ok := foldRune(r); ok {
			if !changed {
				changed = true
				f.text = append(make([]byte, 0, len(text)), text[:j]...)
				f.off = make([]int32, j, len(text)+1)
				for k := range f.off {
					f.off[k] = int32(k)
				}
			}
			if c != 0 {
				f.text, f.off = append(f.text, c), append(f.off, int32(j))
			}
		} else if changed {
			for k := range n {
				f.text, f.off = append(f.text, text[j+k]), append(f.off, int32(j+k))
			}
		}
		j += n
	}
	if !changed {
		return folded{text: text}
	}
	f.off = append(f.off, int32(len(text)))
	return f
}

// foldRune gives the ASCII byte for a rune; 0 drops it; false keeps it as it is.
func foldRune(r rune) (byte, bool) {
	switch {
	case r < 0xA0:
		return 0, false
	case r >= 0xFF01 && r <= 0xFF5E:
		return byte(r - 0xFF01 + '!'), true
	case r >= 0x660 && r <= 0x669:
		return byte(r - 0x660 + '0'), true
	case r >= 0x6F0 && r <= 0x6F9:
		return byte(r - 0x6F0 + '0'), true
	case r >= 0x966 && r <= 0x96F:
		return byte(r - 0x966 + '0'), true
	case r >= 0x9E6 && r <= 0x9EF:
		return byte(r - 0x9E6 + '0'), true
	case r >= 0xE50 && r <= 0xE59:
		return byte(r - 0xE50 + '0'), true
	case r >= 0x1D7CE && r <= 0x1D7FF:
		return byte((r-0x1D7CE)%10) + '0', true
	case r == 0xA0, r >= 0x2000 && r <= 0x200A, r == 0x202F, r == 0x205F, r == 0x3000:
		return ' ', true
	case r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0xFE58, r == 0xFE63:
		return '-', true
	case r == 0xAD, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2064,
		r >= 0x2066 && r <= 0x206F, r == 0xFEFF, r == 0x180E, r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE007F:
		return 0, true
	}
	return 0, false
}
