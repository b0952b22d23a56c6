package classify

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

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
	var f folded
	done := 0 // text before it is in f
	for j := ascii(text, 0); j < len(text); j = ascii(text, j) {
		// Few of the bytes that begin a character begin one that is folded.
		if !foldLead[text[j]] {
			j++
			continue
		}
		r, n := utf8.DecodeRune(text[j:])
		c, ok := foldRune(r)
		if !ok {
			j += n
			continue
		}
		if f.text == nil {
			f.text = make([]byte, 0, len(text))
			f.off = make([]int32, 0, len(text)+1)
		}
		f.keep(text, done, j)
		if c != 0 {
			f.text, f.off = append(f.text, c), append(f.off, int32(j))
		}
		j += n
		done = j
	}
	if f.text == nil {
		return folded{text: text}
	}
	f.keep(text, done, len(text))
	f.off = append(f.off, int32(len(text)))
	return f
}

// keep takes text over as it stands.
func (f *folded) keep(text []byte, from, to int) {
	f.text = append(f.text, text[from:to]...)
	for i := from; i < to; i++ {
		f.off = append(f.off, int32(i))
	}
}

// ascii gives the place of the first byte from i on that is not ASCII.
func ascii(text []byte, i int) int {
	for ; i+8 <= len(text); i += 8 {
		if high := binary.LittleEndian.Uint64(text[i:]) & 0x8080808080808080; high != 0 {
			return i + bits.TrailingZeros64(high)>>3
		}
	}
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// foldLead holds the first bytes of the characters that foldRune knows.
var foldLead = func() (t [256]bool) {
	for r := rune(0x80); r <= 0xE007F; r++ {
		if _, ok := foldRune(r); ok {
			t[string(r)[0]] = true
		}
	}
	return
}()

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
