package names

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// decomposed is what fold does, by way of the word's decomposition.
func decomposed(s string) (string, bool) {
	var b strings.Builder
	letters := map[rune]string{'ß': "ss", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'æ': "ae", 'œ': "oe", 'ı': "i"}
	for _, r := range norm.NFD.String(s) {
		l, ok := letters[r]
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r >= 0x300 && r < 0x370:
		case ok:
			b.WriteString(l)
		default:
			return "", false
		}
	}
	return b.String(), strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) >= 0
}

func TestFold(t *testing.T) {
	same := func(s string) {
		t.Helper()
		plain, ok := fold(nil, s)
		want, wantOK := decomposed(s)
		if ok != wantOK || ok && string(plain) != want {
			t.Fatalf("%q: %q %v, want %q %v", s, plain, ok, want, wantOK)
		}
	}
	for r := rune(0x80); r < 0x20000; r++ {
		same("a" + string(r) + "b")
	}
	EachListed(func(word string, _ Flags) { same(word) })
	EachOwn(func(word string, _ Flags) { same(word) })
	same("")
	same("\xff")
	same("e\xcc")
}

func TestOf(t *testing.T) {
	for word, want := range map[string]Flags{"maria": KnownForename, "josé": KnownForename, "müller": KnownSurname, "the": Stop} {
		if Of([]byte(word))&want == 0 {
			t.Errorf("%q: %x, want %x in it", word, Of([]byte(word)), want)
		}
	}
	for _, word := range []string{"", "qzxv", "żąqzxv", "Владqzxv", "\xff"} {
		if f := Of([]byte(word)); f != 0 {
			t.Errorf("%q: %x", word, f)
		}
	}
}
