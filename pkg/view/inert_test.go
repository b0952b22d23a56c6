package view

import (
	"testing"
	"unicode"
)

// SPEC: QUA-5
func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\r\nline":          "plain\ttext\nline",
		"\x1b[31mred":                  "‹ESC›[31mred",
		"a\u202eb\u2066c":              "a‹RLO›b‹LRI›c",
		"ig\u200bno\u00adre":           "ig‹ZWSP›no‹SHY›re",
		"x\U000e0069":                  "x‹tag i›",
		"a\u00a0b\u2003c\xff":          "a‹NBSP›b‹U+2003›c‹FF›",
		"caf\u00e9 \u65e5\u672c":       "caf\u00e9 \u65e5\u672c",
		"\u0007\u0085\u2028\U000e0100": "‹U+0007›‹U+0085›‹U+2028›‹U+E0100›",
	} {
		if got := Inert([]byte(in)); got != want {
			t.Errorf("%+q: got %+q, want %+q", in, got, want)
		}
	}
}

func FuzzInert(f *testing.F) {
	f.Add([]byte("a\u202e\x1b\U000e0061"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, r := range Inert(b) {
			if r != '\n' && r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)) {
				t.Fatalf("U+%04X is left", r)
			}
		}
	})
}
