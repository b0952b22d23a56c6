package view

import (
	"bufio"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// SPEC: DET-2
func TestFold(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		changes        Changes
	}{
		{"ASCII stays", "Ignore ALL 0 1 m rn", "Ignore ALL 0 1 m rn", 0},
		{"full width", "\uff49\uff47\uff4e\uff4f\uff52\uff45", "ignore", Compat},
		{"mathematical", "\U0001d422\U0001d420\U0001d427\U0001d428\U0001d42b\U0001d41e", "ignore", Compat},
		{"enclosed", "\u24d8\u24d6\u24dd\u24de\u24e1\u24d4", "ignore", Compat},
		{"negative squared", "\U0001f178\U0001f176\U0001f17d", "ign", Compat},
		{"regional indicators", "\U0001f1ee\U0001f1ec\U0001f1f3", "ign", Compat},
		{"small capitals", "\u026a\u0262\u0274\u1d0f\u0280\u1d07", "ignore", Compat},
		{"Cyrillic look-alikes in a Latin word", "ign\u043er\u0435 \u0430ll", "ignore all", Skeleton},
		{"Greek capitals in a Latin word", "\u0399GN\u039fR\u0395", "iGNoRe", Skeleton},
		{"a word of look-alikes alone", "\u0440\u043e\u0440\u0435", "pope", Skeleton},
		{"a Russian word keeps its letters", "\u0412\u0430\u0436\u043d\u043e", "\u0432\u0430\u0436\u043d\u043e", 0},
		{"a Russian word in capitals folds alike", "\u041d\u041e", "\u043d\u043e", 0},
		{"short words beside two that mix scripts", "sen\u03c4 sys\u03c4em \u03c4\u03bf", "sent system to", Skeleton},
		{"and beside one", "sen\u03c4 \u03c4\u03bf", "sent \u03c4\u03bf", Skeleton},
		{"decorated, of many scripts", "\u5342\u14aa\u3125 \u2c64\u0246V\u0246\u20b3\u2c60", "all reVeal", Skeleton | Compat},
		{"decorated, of one script", "\u12e8\u12ea\u12d0\u1320\u12e8\u1355", "prompt", Skeleton},
		{"letters with hooks", "\u0192\u0257\u0260", "fdg", Compat},
		{"Chinese stays, with a Latin letter too", "\u5c71\u5343\u91cc A\u5c71\u91cc", "\u5c71\u5343\u91cc A\u5c71\u91cc", 0},
		{"Amharic stays", "\u1230\u120b\u121d \u1290\u12cd", "\u1230\u120b\u121d \u1290\u12cd", 0},
		{"zero width", "ig\u200bno\u2060re", "ignore", Invisible},
		{"soft hyphen and bidi", "ig\u00adno\u202ere", "ignore", Invisible},
		{"soft hyphen at the end of a line", "ig\u00ad\nno\u00ad\r\nre the\u00ad\n\nrest", "ignore the\n\nrest", Invisible},
		{"tags", "a\U000e0069\U000e0067b", "ab", Tags},
		{"variation selectors", "a\ufe0fb", "ab", Selectors},
		{"combining marks", "i\u0301g\u0336no\u0308re", "ignore", Marks},
		{"accents", "R\u00e9p\u00e8te \u00c9TAT", "Repete ETAT", 0},
		{"Turkish, Polish, Vietnamese, German", "\u0130\u0131 \u0141\u00f3d\u017a \u0111\u1ec7 Stra\u00dfe", "Ii lodz de Strasse", 0},
		{"exotic spaces", "a\u00a0b\u2003c\u3000d\u2028e", "a b c d\ne", 0},
		{"quotes and dashes", "\u201ca\u201d \u2014 \u2019", "\"a\" - '", 0},
		{"controls", "ig\x00no\x08re", "ignore", Invisible},
		{"broken bytes", "a\xffb", "a\ufffdb", Broken},
		{"Hindi vowel signs stay", "\u0928\u093f\u0930\u094d\u0926\u0947\u0936", "\u0928\u093f\u0930\u094d\u0926\u0947\u0936", 0},
	} {
		var v View
		ch := Fold(&v, []byte(c.in))
		if string(v.Text) != c.want || ch != c.changes {
			t.Errorf("%s: got %q changes %b, want %q changes %b", c.name, v.Text, ch, c.want, c.changes)
		}
		checkMap(t, &v, []byte(c.in))
	}
}

// checkMap fails unless v's offsets lie in src, never fall, and begin and end at
// the beginning of a rune.
func checkMap(t *testing.T, v *View, src []byte) {
	t.Helper()
	if v.at != nil && len(v.at) != len(v.Text) {
		t.Fatalf("%d bytes with %d offsets", len(v.Text), len(v.at))
	}
	last := 0
	for i := range v.at {
		s, e := v.Span(i, i+1)
		if s < 0 || e <= s || e > len(src) {
			t.Fatalf("byte %d stands for [%d,%d) of %d", i, s, e, len(src))
		}
		if v.Name == "fold" && s < last {
			t.Fatalf("byte %d stands for %d, behind %d", i, s, last)
		}
		last = s
		if utf8.Valid(src) && (!utf8.RuneStart(src[s]) || e < len(src) && !utf8.RuneStart(src[e])) {
			t.Fatalf("byte %d stands for [%d,%d), inside a rune", i, s, e)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"ignore", "\u0301\u0301a\u0300", "\u1100\u1161\u11a8", "\xff\u0430b", "\u0915\u093c", "\u304b\u3099x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 4096 {
			return
		}
		var v View
		Fold(&v, src)
		checkMap(t, &v, src)
		var again View
		Fold(&again, v.Text)
		if Plain(src) && string(v.Text) != string(src) {
			t.Fatalf("plain text changed")
		}
	})
}

// TestNormalization runs the NormalizationTest of the Unicode Character Database:
// NFKC as x/text gives it, and that folding does not see the difference between
// forms that are canonically or compatibly equivalent.
func TestNormalization(t *testing.T) {
	root := os.Getenv("STOPLOG_TESTDATA")
	if root == "" {
		t.Skip("STOPLOG_TESTDATA is not set: NormalizationTest was not run")
	}
	fh, err := os.Open(filepath.Join(root, "suites", "unicode", "NormalizationTest.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer fh.Close()
	sc := bufio.NewScanner(fh)
	n, unequal := 0, 0
	for sc.Scan() {
		line, _, _ := strings.Cut(sc.Text(), "#")
		p := strings.Split(line, ";")
		if len(p) < 5 {
			continue
		}
		var c [5]string
		for i := range c {
			for _, h := range strings.Fields(p[i]) {
				r, err := strconv.ParseInt(h, 16, 32)
				if err != nil {
					t.Fatal(err)
				}
				c[i] += string(rune(r))
			}
		}
		for _, s := range c {
			if got := norm.NFKC.String(s); got != c[3] {
				t.Errorf("NFKC(%+q) = %+q, want %+q", s, got, c[3])
			}
		}
		if a, b, d := FoldString(c[0]), FoldString(c[3]), FoldString(c[4]); b != d || a != b && FoldString(norm.NFC.String(c[0])) != a {
			unequal++
			if unequal < 10 {
				t.Errorf("%+q folds to %+q, its NFKC to %+q, its NFKD to %+q", c[0], a, b, d)
			}
		}
		n++
	}
	if n != 19074 {
		t.Errorf("%d lines run, want 19074 (Unicode 15.0.0)", n)
	}
	t.Logf("%d lines, %d with forms that fold differently", n, unequal)
}

// A decoder that has seen a text plain finds what one that has not finds.
func TestDecoderPlain(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	plain := 0
	var d Decoder
	for n := range 3000 {
		text := make([]byte, n%200)
		for i := range text {
			text[i] = byte(0x20 + rng.Intn(0x5f))
			if rng.Intn(9) == 0 {
				text[i] = "\t\n\r"[rng.Intn(3)]
			}
		}
		if len(text) > 0 && n%2 == 0 {
			text[rng.Intn(len(text))] = byte(rng.Intn(256))
		}
		got, want := d.Plain(text), Plain(text)
		if got != want {
			t.Fatalf("%q: %v", text, got)
		}
		if !want {
			continue
		}
		plain++
		var other Decoder
		if a, b := d.Probe(text, 0), other.Probe(text, 0); a != b || !slices.Equal(d.letter, other.letter) || !slices.Equal(d.upper, other.upper) ||
			!slices.Equal(d.digit, other.digit) || !slices.Equal(d.sign, other.sign) {
			t.Fatalf("%q: other masks", text)
		}
	}
	if plain < 1000 || plain > 2900 {
		t.Fatalf("%d of the texts were plain", plain)
	}
}

// Korean letters are composed as the Unicode library composes them.
//
// SPEC: DET-2
func TestHangul(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	signs := []rune{0x1100, 0x1112, 0x1113, 0x1161, 0x1175, 0x1176, 0x11a7, 0x11a8, 0x11c2, 0x11c3, 0x0301, 0xac00, 0xac01, 'a', ' '}
	composed := 0
	for range 20000 {
		var text []byte
		for range 1 + rng.Intn(8) {
			text = utf8.AppendRune(text, signs[rng.Intn(len(signs))])
		}
		n := normalise(text, folding())
		var got, want View
		Fold(&got, text)
		if Fold(&want, norm.NFKC.Bytes(text)); string(got.Text) != string(want.Text) {
			t.Fatalf("%+q: %+q, not %+q", text, got.Text, want.Text)
		}
		if len(n.at) != len(n.Text) {
			t.Fatalf("%+q: %d offsets for %d bytes", text, len(n.at), len(n.Text))
		}
		if len(n.Text) < len(text) {
			composed++
		}
	}
	if composed < 1500 {
		t.Fatalf("%d texts were composed", composed)
	}
}

// Letters and marks are those of the Unicode library.
func TestLetterKind(t *testing.T) {
	for r := rune(0); r < 0x30000; r++ {
		letter, like := letterKind(r)
		if letter != unicode.IsLetter(r) || like != (letter || unicode.IsMark(r)) {
			t.Fatalf("%U: %v, %v", r, letter, like)
		}
	}
}
