package tagger

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/stoplog/stoplog/corpus/names"
)

// plainTokens is what tokens does, character by character and without short cuts.
func plainTokens(b []byte) (dst []token) {
	last := 0 // end of the last word
	i := 0
	bound := -1 // end of an address or a path
	var low [64]byte
	for i < len(b) {
		c := b[i]
		k := kinds[c]
		if k == 0 {
			if i >= bound && (c == ':' && i+2 < len(b) && b[i+1] == '/' && b[i+2] == '/' || c == '@' && i > 0 && wordByte(b[i-1]) && i+1 < len(b) && wordByte(b[i+1])) {
				// An address: the words of it that were read already are bound too.
				s := i
				for s > 0 && !breaksAddress(b[s-1]) {
					s--
				}
				for n := len(dst) - 1; n >= 0 && int(dst[n].start) >= s; n-- {
					dst[n].bound = true
				}
				e := i
				for e < len(b) && !breaksAddress(b[e]) {
					e++
				}
				bound = e
			}
			i++
			continue
		}
		if k == high {
			r, n := utf8.DecodeRune(b[i:])
			if !unicode.IsLetter(r) {
				i += n
				continue
			}
		}
		t := token{start: int32(i), hash: names.HashStart}
		ups, lows, digits, others, letters, inner := 0, 0, 0, 0, 0, false
		w := low[:0]
		for i < len(b) {
			c = b[i]
			switch kinds[c] {
			case letterLow:
				lows++
				t.hash = names.HashAdd(t.hash, c)
				if len(w) < len(low) {
					w = append(w, c)
				}
			case letterUp:
				if lows > 0 {
					inner = true
				}
				ups++
				t.hash = names.HashAdd(t.hash, c+'a'-'A')
				if len(w) < len(low) {
					w = append(w, c+'a'-'A')
				}
			case digit:
				digits++
				t.hash = names.HashAdd(t.hash, c)
			case high:
				r, n := utf8.DecodeRune(b[i:])
				if r == '’' && lettersAt(b, i+n) && clitic(b, i+n) == 0 && i > int(t.start) && i-int(t.start) <= 3 {
					t.hash = names.HashAdd(t.hash, '\'')
					inner = true
					i += n
					continue
				}
				if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Mc, r) {
					goto done
				}
				switch {
				case unicode.IsUpper(r):
					if lows > 0 {
						inner = true
					}
					ups++
				case unicode.IsLower(r):
					lows++
				default:
					others++
				}
				l := r
				if unicode.IsUpper(r) {
					l = unicode.ToLower(r)
				}
				var buf [4]byte
				for _, c := range buf[:utf8.EncodeRune(buf[:], l)] {
					t.hash = names.HashAdd(t.hash, c)
					if len(w) < len(low) {
						w = append(w, c)
					}
				}
				letters++
				i += n
				continue
			default:
				if c == '\'' && i > int(t.start) && lettersAt(b, i+1) && clitic(b, i+1) == 0 && i-int(t.start) <= 3 {
					t.hash = names.HashAdd(t.hash, c) // O'Neill
					if len(w) < len(low) {
						w = append(w, c)
					}
					inner = inner || lows > 0
					i++
					continue
				}
				goto done
			}
			letters++
			i++
		}
	done:
		t.end = int32(i)
		t.size = uint8(min(letters, 15))
		switch {
		case digits == letters:
			t.shape = number
		case digits > 0:
			t.shape = camel
		case others > 0 && ups == 0:
			t.shape = caseless
		case ups == 0:
			t.shape = lower
		case letters == 1:
			t.shape = initial
		case lows == 0:
			t.shape = caps
		case kinds[b[t.start]] == letterLow:
			t.shape = camel
		case inner && ups > 1:
			t.shape = camel
			if nameMixed(w, b[t.start:t.end]) {
				t.shape = mixed
			}
		case ups > 1:
			t.shape = mixed
			if w2 := b[t.start:t.end]; kinds[w2[1]] == letterUp {
				t.shape = camel
			}
		default:
			t.shape = title
		}
		if i < len(b) {
			switch b[i] {
			case '\'':
				t.poss = possessive(b, i+1)
			case '.':
				t.dot = true
			case 0xE2:
				t.poss = i+2 < len(b) && b[i+1] == 0x80 && b[i+2] == 0x99 && possessive(b, i+3)
			}
		}
		if int(t.start) < bound {
			t.bound = true
		}
		t.gap, t.sep = gapOf(b, last, int(t.start), len(dst) > 0)
		switch {
		case t.gap == gapUnder || t.gap == gapAt:
			t.bound = true
		case t.gap == gapDot && len(dst) > 0 && dst[len(dst)-1].shape != initial && dst[len(dst)-1].flags&names.Title == 0:
			t.bound = true
		}
		if i < len(b) && (b[i] == '_' && i+1 < len(b) && wordByte(b[i+1]) || b[i] == '(' || b[i] == '=' || b[i] == '[' || b[i] == '\\' && (i+1 >= len(b) || b[i+1] != 'n' && b[i+1] != '"' && b[i+1] != 'r' && b[i+1] != 't') || b[i] == '.' && t.shape != initial && i+1 < len(b) && wordByte(b[i+1]) || b[i] == ':' && i+1 < len(b) && b[i+1] == ':') {
			t.bound = true
		}
		if t.bound && t.gap == gapUnder && len(dst) > 0 {
			dst[len(dst)-1].bound = true
		}
		if t.shape != number && t.size < 15 && len(w) > 0 {
			t.flags = plainLookup(w, t.hash)
		}
		for k := 2; k < len(w); k++ {
			if w[k] == w[k-1] && w[k] == w[k-2] {
				t.drawn = true
			}
		}
		for _, c := range w[max(0, len(w)-4):] {
			t.suffix = t.suffix<<8 | uint32(c)
		}
		for _, c := range w[:min(4, len(w))] {
			t.prefix = t.prefix<<8 | uint32(c)
		}
		mark := 0 // an apostrophe
		if i < len(b) && b[i] == '\'' {
			mark = 1
		} else if i+3 < len(b) && b[i] == 0xE2 && b[i+1] == 0x80 && b[i+2] == 0x99 {
			mark = 3
		}
		if mark > 0 {
			if n := clitic(b, i+mark); n > 0 { // what stands behind it is no word
				if c := b[i+mark] | 0x20; c != 's' && c != 'd' {
					t.flags = t.flags&^names.Name&^(names.KnownForename|names.KnownSurname) | names.Stop // we're, don't
				}
				i += mark + n
			}
		}
		last = i
		dst = append(dst, t)
	}
	return dst
}

// plainLookup is what lookup does.
func plainLookup(low []byte, hash uint32) names.Flags {
	f := names.OfHash(hash)
	if f != 0 {
		return f
	}
	ascii := true
	for _, c := range low {
		if c >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if !ascii {
		if f = names.Of(low); f != 0 {
			return f
		}
	}
	for i, c := range low {
		if c == '\'' && i > 0 && i <= 3 { // O'Neill
			return names.OfHash(names.Hash(low[i+1:])) &^ (names.Word | names.Frequent | names.Stop)
		}
	}
	return 0
}

// sameTokens fails where tokens does not say what plainTokens says.
func sameTokens(t *testing.T, d *block, b []byte) {
	t.Helper()
	for i := 0; i < len(b); {
		end := cut(b, i)
		part := b[i:end]
		want, got := plainTokens(part), d.tokens(nil, part)
		for k := range max(len(want), len(got)) {
			if k >= len(want) || k >= len(got) || want[k] != got[k] {
				t.Fatalf("token %d of %q: %s", k, part, cmp.Diff(want, got, cmp.AllowUnexported(token{})))
			}
		}
		i = end
	}
}

func TestTokens(t *testing.T) {
	paths, err := filepath.Glob("../../corpus/tagger/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no texts", err)
	}
	var d block
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sameTokens(t, &d, b)
	}
	for _, s := range tokenTexts {
		sameTokens(t, &d, []byte(s))
	}
}

// tokenTexts hold what words are cut at, and what is in them, one thing each.
var tokenTexts = []string{
	"", "a", "É", "O'Neill and O’Neill, d'Arc, Sha'nia, l’été, don't, we’re, it's, I’d, o'", "McDonald MacLeod DiCaprio iPhone LeBron VMware eBay JOhn X Y2K 3M a1b2 utf8 42",
	"https://user.name@host.example/Path?q=Maria_Day see a@b.example, (Anna) [Berta] T[0] f(x) k=v std::Vec C:\\Temp\nNext x\\\"y",
	"Hi.There J.R.R. Tolkien St. John\n\n- one\n* two\n> three;\n\tfour", "sooo Aaaa AAA zzz1 a1a1a1 1a1aa1a", "„Zitat“ «cité» — dash – dash… 中文字 田中さん 김민수 씨 Владимир Œuvre ǅ ﬁn İstanbul naïve e\u0301te\u0301",
	"_under_ snake_case kebab-case a/b a|b a&b a+b ~x $HOME %s #tag @someone \"key\": \"value\", 'x': 1", strings.Repeat("Ab", 40) + " " + strings.Repeat("é", 40) + " " + strings.Repeat("x", 64) + " " + strings.Repeat("y", 65),
	"\xff\xfe a\xffb \xe2\x80 \xe2", "a\u00a0b\u200bc\u2028d", "𝐌aria 𠮷野 ǆ", strings.Repeat("://", 30), strings.Repeat("a@b", 30),
}

// Whatever the bytes are, the words of a text are those that reading it character by
// character gives.
func FuzzTokens(f *testing.F) {
	for _, s := range tokenTexts {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var d block
		sameTokens(t, &d, b)
	})
}

// The table of characters says what package unicode says.
func TestKinds(t *testing.T) {
	var d block
	begins := map[rune]bool{}
	for _, h := range append(slices.Clone(honorificsChinese), honorificsJapanese...) {
		begins[[]rune(h)[0]] = true
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := uint8(0)
		for _, k := range []struct {
			is   bool
			kind uint8
		}{
			{unicode.IsLetter(r), letter}, {unicode.In(r, unicode.Mn, unicode.Mc), combining}, {unicode.IsUpper(r), upper}, {unicode.IsLower(r), small},
			{unicode.Is(unicode.Han, r), han}, {unicode.Is(unicode.Hiragana, r), hiragana}, {unicode.Is(unicode.Hangul, r), hangul},
			{begins[r], honors},
		} {
			if k.is && k.kind != 0 {
				want |= k.kind
			}
		}
		if got := d.kind(r); got != want {
			t.Fatalf("%U: %b, want %b", r, got, want)
		}
	}
}
