package view

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Changes says what folding found. It names views for people and triggers
// decoders.
type Changes uint16

// What folding may have done.
const (
	Invisible Changes = 1 << iota // format characters, fillers, controls removed
	Tags                          // tag characters removed; see [TagText]
	Selectors                     // variation selectors removed; see [SelectorText]
	Marks                         // combining marks removed
	Compat                        // compatibility forms replaced (NFKC and letters drawn as symbols)
	Skeleton                      // look-alike letters replaced (UTS #39)
	Broken                        // bytes that are not UTF-8 replaced
	composing                     // needs canonical composition first
)

// Names gives the names of the views that a set of changes stands for, in the
// order in which they are applied.
func (c Changes) Names() []string {
	var names []string
	if c&(Invisible|Tags|Selectors) != 0 {
		names = append(names, "invisible")
	}
	if c&Compat != 0 {
		names = append(names, "nfkc")
	}
	if c&Marks != 0 {
		names = append(names, "marks")
	}
	if c&Skeleton != 0 {
		names = append(names, "skeleton")
	}
	return names
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Plain reports whether folding would change nothing but case and white space:
// the text is ASCII without control characters (tab, line feed and carriage
// return aside). It looks at eight bytes at a time.
func Plain(text []byte) bool { return plainPrefix(text) == len(text) }

// colour gives how many bytes behind the control character that text begins with belong to
// it: those of a sequence that colours a terminal's text, or clears its line. They show
// nothing, and stand inside words to part them.
func colour(text []byte) int {
	if text[0] != 0x1b || len(text) < 3 || text[1] != '[' {
		return 0
	}
	i := 2
	for i < len(text) && i < 24 && (text[i] >= '0' && text[i] <= '9' || text[i] == ';') {
		i++
	}
	if i < len(text) && (text[i] == 'm' || text[i] == 'K' || text[i] == 'C') {
		return i
	}
	return 0
}

// back takes the last byte away that was written, as a terminal shows what stands in front of a backspace.
func (f *folder) back() {
	n := len(f.v.Text) - 1
	if n < 0 || f.v.Text[n] >= utf8.RuneSelf || f.v.Text[n] == '\n' {
		return
	}
	switch open := f.latin+f.looks+f.stuck > 0; {
	case open && f.latin > 0 && letterByte(f.v.Text[n]):
		f.latin--
	case open:
		return
	}
	f.v.cut(n)
}

func plainByte(b byte) bool {
	return b >= 0x20 && b < 0x7f || b == '\n' || b == '\t' || b == '\r'
}

// Fold folds src into v, reusing v's memory, and says what it found. ASCII
// letters keep their case (decoders need it; matching folds it); all other
// letters are lower-cased and lose their combining marks; compatibility forms
// become the plain ones; exotic white space becomes a space or a line feed;
// invisible characters go; in words that mix Latin with look-alike letters, and
// in words made of look-alikes alone, the look-alikes become ASCII. Folding does
// not depend on its input being normalised: where canonical composition matters
// it is done first.
func Fold(v *View, src []byte) Changes { return FoldMost(v, src, math.MaxInt) }

// FoldMost is [Fold] for whoever wants no more than so many bytes: it stops soon after those, and v is longer
// then.
func FoldMost(v *View, src []byte, most int) Changes {
	v.reset("fold")
	f := folder{v: v, src: src, t: folding(), most: most}
	f.run(src, nil)
	if f.changes&composing != 0 {
		// Rare: jamo, Indic and kana marks, unordered marks. Normalise by segments, so
		// that each normalised byte knows its segment, then fold that.
		n := normalise(src, f.t)
		v.reset("fold")
		f = folder{v: v, src: n.Text, t: f.t, most: most}
		f.run(n.Text, &n)
		f.changes &^= composing
	}
	return f.changes
}

// normalise gives src with its offsets, and the NFKC form of what canonical composition may change of
// it. Bytes that are not UTF-8 pass as they are.
func normalise(src []byte, t *table) View {
	var n View
	n.Name = "nfkc"
	n.Text, n.at = make([]byte, 0, len(src)+len(src)/4), make([]extent, 0, len(src)+len(src)/4)
	var seg []byte
	done := 0
	for i := 0; i < len(src); {
		if src[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(src[i:])
		if t.at(r).flags&fCompose == 0 {
			i += size
			continue
		}
		// From the boundary in front of it to the one behind it.
		at := done + max(0, norm.NFKC.LastBoundary(src[done:i]))
		n.runes(src, done, at)
		for at <= i {
			if r, size := hangul(src[at:]); size > 0 {
				n.putRune(r, at, at+size)
				at += size
				continue
			}
			end := at + norm.NFKC.NextBoundary(src[at:], true)
			if end <= at {
				end = len(src)
			}
			seg = norm.NFKC.Append(seg[:0], src[at:end]...)
			if string(src[at:end]) == string(seg) { // unchanged: keep the offsets of its runes
				n.runes(src, at, end)
			} else {
				for _, b := range seg {
					n.put(b, at, end)
				}
			}
			at = end
		}
		done, i = at, at
	}
	n.runes(src, done, len(src))
	return n
}

// runes appends text[from:to], each byte of which stands for its rune.
func (v *View) runes(text []byte, from, to int) {
	v.Text = append(v.Text, text[from:to]...)
	for from < to {
		size := 1
		if text[from] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(text[from:to])
		}
		for range size {
			v.at = append(v.at, extent{int32(from), int32(from + size)})
		}
		from += size
	}
}

// hangul composes the two or three letters of a Korean syllable that text begins with
// (Unicode, 3.12): a text of nothing else would take long to normalise. Without one,
// size is 0.
func hangul(text []byte) (r rune, size int) {
	letter := func(i int) rune { // of the block of such letters; 0: another one
		if i+2 < len(text) && text[i] == 0xe1 && text[i+1]&0xfc == 0x84 && text[i+2]&0xc0 == 0x80 {
			return rune(text[i]&0x0f)<<12 | rune(text[i+1]&0x3f)<<6 | rune(text[i+2]&0x3f)
		}
		return 0
	}
	first, vowel, last := letter(0)-0x1100, letter(3)-0x1161, letter(6)-0x11a7
	if first < 0 || first >= 19 || vowel < 0 || vowel >= 21 {
		return 0, 0
	}
	if r = 0xac00 + (first*21+vowel)*28; last > 0 && last < 28 {
		return r + last, 9
	}
	return r, 6
}

type folder struct {
	v       *View
	src     []byte
	t       *table
	most    int // see FoldMost
	changes Changes

	// the word being written
	outStart, srcStart  int
	latin, looks, stuck int // ASCII letters; letters with a look-alike; letters without
	alone               int // look-alikes that count in words without Latin letters
	drawn               int // look-alikes that count in words of nothing else
	scripts             uint32
	mixed               [2]int // where the last two words ended that mix scripts, or are decorated; 0: none did
}

// scriptReach is how far from two words that mix scripts another is one that may have been written
// so to its last letter, in bytes.
const scriptReach = 96

// scriptOf tells apart the scripts that look-alikes come from. Nobody mixes them
// within a word, but to disguise one.
func scriptOf(r rune) uint32 {
	switch {
	case r >= 0x370 && r < 0x400 || r >= 0x1f00 && r < 0x2000:
		return greek
	case r >= 0x400 && r < 0x530 || r >= 0x1c80 && r < 0x1c90 || r >= 0xa640 && r < 0xa6a0:
		return cyrillic
	case r >= 0x530 && r < 0x590:
		return 4
	case r >= 0x13a0 && r < 0x1400 || r >= 0xab70 && r < 0xabc0:
		return 8
	case r >= 0x1200 && r < 0x13a0:
		return ethiopic
	case r >= 0x1400 && r < 0x1680:
		return syllabics
	case r >= 0x3000 && r < 0xa4d0 || r >= 0xff60 && r < 0xffa0:
		return 128 // nobody mixes Chinese and kana with others, and everybody with one another
	}
	return 16
}

// The first two are scripts of which whole words may be look-alikes by chance, the others some of
// hundreds of letters, of which few are.
const greek, cyrillic, ethiopic, syllabics = 1, 2, 32, 64

// run folds src; m, when given, maps src to the original.
func (f *folder) run(src []byte, m *View) {
	at := func(i, j int) (int, int) {
		if m == nil {
			return i, j
		}
		return m.Span(i, j)
	}
	unchanged := &f.t.entries[0]
	f.v.grow(len(src))
	i := 0
	for i < len(src) && len(f.v.Text) <= f.most {
		c := src[i]
		if c < utf8.RuneSelf {
			if m == nil && f.looks == 0 {
				if n := plainPrefix(src[i:]); n > 0 {
					f.plain(i, i+n)
					i += n
					continue
				}
			}
			if plainByte(c) {
				s, e := at(i, i+1)
				if letterByte(c) {
					f.beginWord(i)
					f.latin++
				} else {
					f.endWord(i, at)
				}
				f.v.put(c, s, e)
			} else {
				f.changes |= Invisible
				switch n := colour(src[i:]); {
				case n > 0 && src[i+n] == 'C': // the cursor passes what was there: nothing, as a rule
					s, e := at(i, i+n+1)
					f.endWord(i, at)
					f.v.put(' ', s, e)
					i += n
				case c == '\b' && (i >= 3 && src[i-3] == '\b' || i+3 < len(src) && src[i+3] == '\b'): // as often as one strikes over
					f.back()
				default:
					i += n
				}
			}
			i++
			continue
		}
		r, n := rune(0), 3
		if b := src[i:]; len(b) >= 3 && (c > 0xe0 && c < 0xed || c == 0xe0 && b[1] >= 0xa0) && b[1]&0xc0 == 0x80 && b[2]&0xc0 == 0x80 {
			r = rune(c&0x0f)<<12 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f) // as most that have no alphabet
		} else {
			r, n = utf8.DecodeRune(b)
		}
		s, e := i, i+n
		if m != nil {
			s, e = m.Span(i, i+n)
		}
		if r == utf8.RuneError && n == 1 {
			f.changes |= Broken
			f.endWord(i, at)
			f.v.putRune(utf8.RuneError, s, e)
			i++
			continue
		}
		t := f.t.at(r)
		if t == unchanged { // as most are
			if letterOrMark(r) {
				f.beginWord(i)
				f.stuck++
			} else {
				f.endWord(i, at)
			}
			f.v.keep(src[i:i+n], s, e)
			i += n
			continue
		}
		switch {
		case t.flags&fDrop != 0:
			switch {
			case r >= 0xe0020 && r <= 0xe007f:
				f.changes |= Tags
			case r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef:
				f.changes |= Selectors
			case r == 0x200d || r == 0xfeff || r == 0xfffc:
				// Emoji are joined with it; scripts shape with it. Not a trick by itself.
			default:
				f.changes |= Invisible
				if r == softHyphen {
					n += lineBreakInWord(src[i+n:])
				}
			}
		case t.flags&fMark != 0:
			f.changes |= Marks
		case t.flags&fSpace != 0:
			f.endWord(i, at)
			f.v.put(' ', s, e)
		case t.flags&fLine != 0:
			f.endWord(i, at)
			f.v.put('\n', s, e)
		default:
			if t.flags&fCompose != 0 && m == nil {
				f.changes |= composing
				return
			}
			if t.flags&fCompat != 0 {
				f.changes |= Compat
			}
			switch {
			case t.to != "" && t.to[0] < utf8.RuneSelf && (t.flags&fDrawn == 0 || t.to[0] > '9'): // a digit may be one of decorated text
				if letterByte(t.to[0]) {
					f.beginWord(i)
					f.latin++
				} else {
					f.endWord(i, at)
				}
			case t.look != "":
				f.beginWord(i)
				f.looks++
				f.scripts |= scriptOf(r)
				if t.flags&fAlone != 0 {
					f.alone++
				}
				if t.flags&fDrawn != 0 {
					f.drawn++
				}
			default:
				f.beginWord(i)
				f.stuck++
			}
			if t.to != "" {
				f.v.puts(t.to, s, e)
			} else {
				f.v.keep(src[i:i+n], s, e)
			}
		}
		i += n
	}
	f.endWord(i, at)
}

// softHyphen stands where a word may be parted at the end of a line.
const softHyphen = 0xad

// lineBreakInWord gives how long the line break is that text begins with, if a letter follows.
func lineBreakInWord(text []byte) int {
	n := 0
	if len(text) > 0 && text[0] == '\r' {
		n = 1
	}
	if n+1 < len(text) && text[n] == '\n' && (letterByte(text[n+1]) || text[n+1] >= utf8.RuneSelf) {
		return n + 1
	}
	return 0
}

// plain takes src[from:to], which is plain. No word is open whose look-alikes it could decide
// on.
func (f *folder) plain(from, to int) {
	word := to // where the last word of it begins
	for word > from && letterByte(f.src[word-1]) {
		word--
	}
	out := len(f.v.Text)
	f.v.copy(f.src, from, to)
	if word == from && f.latin+f.stuck > 0 {
		f.latin += to - from
		return
	}
	f.latin, f.stuck, f.alone, f.drawn, f.scripts = to-word, 0, 0, 0, 0
	f.outStart, f.srcStart = out+word-from, word
}

// plainPrefix gives how many plain bytes text begins with.
func plainPrefix(text []byte) int {
	n := 0
	for ; len(text)-n >= 8; n += 8 {
		w := binary.LittleEndian.Uint64(text[n:])
		low := w &^ highs
		printed := low + (0x80-0x20)*ones
		tabOrLine := (low + (0x80-'\t')*ones) &^ (low + (0x80-'\n'-1)*ones)
		carriage := (low + (0x80-'\r')*ones) &^ (low + (0x80-'\r'-1)*ones)
		if bad := (w | (low + ones) | ^(printed | tabOrLine | carriage)) & highs; bad != 0 {
			return n + bits.TrailingZeros64(bad)>>3
		}
	}
	for n < len(text) && plainByte(text[n]) {
		n++
	}
	return n
}

func letterByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

func (f *folder) beginWord(i int) {
	if f.latin+f.looks+f.stuck == 0 {
		f.outStart, f.srcStart = len(f.v.Text), i
	}
}

// endWord decides, once a word is complete, whether its look-alikes are read as
// Latin: yes when it also has Latin letters, when they come from several scripts,
// and when every letter of it is a look-alike in either case, or is one as it stands and two
// words near it mix scripts: a short word has few letters, and all may have been replaced. A word
// of another script keeps its letters.
func (f *folder) endWord(i int, at func(i, j int) (int, int)) {
	if f.looks > 0 && f.isLatin() {
		f.changes |= Skeleton
		letters := false // of ASCII
		f.v.cut(f.outStart)
		for k := f.srcStart; k < i; {
			r, n := utf8.DecodeRune(f.src[k:i])
			s, e := at(k, k+n)
			k += n
			if r < utf8.RuneSelf {
				if plainByte(byte(r)) {
					f.v.put(byte(r), s, e)
					letters = letters || isLetter(byte(r))
				}
				continue
			}
			t := f.t.at(r)
			switch {
			case t.flags&(fDrop|fMark) != 0:
			case t.to != "" && t.to[0] < utf8.RuneSelf && (t.look == "" || f.drawn == 0 || f.stuck > 0):
				f.v.puts(t.to, s, e)
			case t.look != "" && (t.flags&fDrawn == 0 || f.stuck == 0):
				f.v.puts(t.look, s, e)
			case t.to != "":
				f.v.puts(t.to, s, e)
			default:
				f.v.putRune(r, s, e)
			}
		}
		if letters || f.drawn > 0 || f.scripts&(f.scripts-1) != 0 {
			f.mixed = [2]int{i, f.mixed[0]}
		}
	}
	f.latin, f.looks, f.stuck, f.alone, f.drawn, f.scripts = 0, 0, 0, 0, 0, 0
}

// isLatin decides that for the word that is complete. Signs of decorated text are letters of most
// other scripts, and of sums and prices: they count only where nothing else stands in a word, and a
// letter of another script, or of ASCII, does or many of them.
func (f *folder) isLatin() bool {
	mixed := f.scripts&(f.scripts-1) != 0
	near := f.mixed[1] > 0 && f.srcStart-f.mixed[1] < scriptReach
	if f.drawn > 0 {
		near = f.mixed[0] > 0 && f.srcStart-f.mixed[0] < scriptReach
		if f.stuck > 0 {
			return f.drawn < f.looks && (f.latin > 0 || mixed)
		}
		least := minDrawn
		if f.scripts&^(ethiopic|syllabics) == 0 {
			least = fewDrawn
		}
		return mixed || near || f.looks >= least && f.scripts&(greek|cyrillic) == 0 || f.latin > 0 && slices.ContainsFunc(f.v.Text[f.outStart:], isLetter)
	}
	return f.latin > 0 || mixed || f.stuck == 0 && (f.alone == f.looks || near)
}

// minDrawn is how many signs of decorated text a word has at least that holds nothing else, fewDrawn
// how many of some scripts.
const minDrawn, fewDrawn = 5, 3

// FoldString folds a string for use as a literal: folded, ASCII lower-cased.
func FoldString(s string) string {
	b := []byte(s)
	if Plain(b) {
		return strings.ToLower(s)
	}
	var v View
	Fold(&v, b)
	for i, c := range v.Text {
		if c >= 'A' && c <= 'Z' {
			v.Text[i] = c | 0x20
		}
	}
	return string(v.Text)
}
