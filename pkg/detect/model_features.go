package detect

import (
	"math/bits"
	"unicode/utf8"
)

// Features is what the model sees of one window: hashed indices into its table.
// Grams count together as one unit of length whatever the length of the window;
// Marks count one each. It is reused from window to window: once its slices have
// grown, extraction does not allocate.
type Features struct {
	Grams []uint32
	Marks []uint32

	toks []gramToken
	cues []uint32

	// Marks by their low bits, for once. A window has 700 at most.
	set  [1024]struct{ turn, mark uint32 }
	turn uint32
}

// gramToken is a word, a sign, one letter of a script without spaces, or a
// placeholder for a value (address, link, number), so that the model cannot learn
// the values themselves.
type gramToken struct {
	hash uint64
	kind gramKind
}

type gramKind uint8

const (
	tokWord gramKind = iota
	tokIdeo          // one letter of a script that does not space its words
	tokSign
	tokValue
)

// modelBits is the size of the weight table.
const modelBits = 22

const (
	hashSeed  = 0x9e3779b97f4a7c15
	hashPrime = 0xff51afd7ed558ccd
)

func mixHash(h, x uint64) uint64 {
	h = (h ^ x) * hashPrime
	return h ^ h>>29
}

func gramSlot(h uint64) uint32 { return uint32((h * hashSeed) >> (64 - modelBits)) }

func hashString(s string) uint64 {
	h := uint64(hashSeed)
	for i := 0; i < len(s); i++ {
		h = mixHash(h, uint64(s[i]))
	}
	return h
}

// Salts keep the kinds of features apart.
const (
	saltWord   = 0x11 + iota*0x1000193
	saltTwo    // two neighbours
	saltThree  // three neighbours
	saltSkip   // two words with one or two between
	saltChars  // letters inside a word
	saltBefore // words in front of the window
	saltMark   // hand-made features
	saltCue
	saltPair
	saltHit
	saltTopic
)

var (
	valURL    = hashString("<url>")
	valQuery  = hashString("<url?>")
	valMail   = hashString("<mail>")
	valNumber = hashString("<number>")
	valID     = hashString("<id>")
)

// Extract fills f with the features of w.
func (f *Features) Extract(w *Window) {
	f.Grams, f.Marks, f.toks, f.cues = f.Grams[:0], f.Marks[:0], f.toks[:0], f.cues[:0]
	seen := f.tokens(w.Text, true)
	f.grams()
	f.context(w.Before)
	f.marks(w, seen)
}

// spots are cheap facts met while cutting tokens.
type spots struct {
	url, query, mail, number, id, bang, ask, colon, angle, square, brace, quote, tick, hash, line uint8
}

func up(n *uint8) {
	if *n < 250 {
		*n++
	}
}

// tokens cuts text. With chars it also adds the letter n-grams of each word.
func (f *Features) tokens(text []byte, chars bool) spots {
	var s spots
	for i := 0; i < len(text); {
		c := lowerASCII[text[i]]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(text[i:])
			if unspaced(r) {
				f.toks = append(f.toks, gramToken{mixHash(hashSeed, uint64(r)), tokIdeo})
				i += n
				continue
			}
			if !modelRune(r) {
				f.sign(uint64(r))
				i += n
				continue
			}
		} else if !modelByte(c) {
			switch c {
			case ' ', '-', '_', '\t', '\r', '\'':
			default:
				switch c {
				case '!':
					up(&s.bang)
				case '?':
					up(&s.ask)
				case ':':
					up(&s.colon)
				case '<':
					up(&s.angle)
				case '[':
					up(&s.square)
				case '{':
					up(&s.brace)
				case '"':
					up(&s.quote)
				case '`':
					up(&s.tick)
				case '#':
					up(&s.hash)
				case '\n':
					up(&s.line)
				}
				f.sign(uint64(c))
			}
			i++
			continue
		}
		// A word. Links and addresses are one gramToken whatever they say.
		if c == 'h' && hasFold(text[i:], "http") || c == 'w' && hasFold(text[i:], "www.") {
			if j := linkEnd(text, i); j > i {
				v := valURL
				up(&s.url)
				for _, b := range text[i:j] {
					if b == '?' || b == '=' {
						v = valQuery
						up(&s.query)
						break
					}
				}
				f.toks = append(f.toks, gramToken{v, tokValue})
				i = j
				continue
			}
		}
		j, digits, runes := i, 0, 0
		h := uint64(hashSeed)
		for j < len(text) {
			b := lowerASCII[text[j]]
			if b >= utf8.RuneSelf {
				r, n := utf8.DecodeRune(text[j:])
				if unspaced(r) || !modelRune(r) {
					break
				}
				for k := j; k < j+n; k++ {
					h = mixHash(h, uint64(text[k]))
				}
				j += n
				runes++
				continue
			}
			if b == '\'' && j+1 < len(text) && j > i && modelByte(lowerASCII[text[j+1]]) {
				j++
				continue
			}
			if !modelByte(b) {
				break
			}
			if b <= '9' {
				digits++
			}
			h = mixHash(h, uint64(b))
			j++
			runes++
		}
		if j < len(text) && text[j] == '@' && j+1 < len(text) && modelByte(lowerASCII[text[j+1]]) {
			for j < len(text) && (modelByte(lowerASCII[text[j]]) || text[j] == '@' || text[j] == '-' || text[j] == '_' ||
				text[j] == '.' && j+1 < len(text) && modelByte(lowerASCII[text[j+1]])) {
				j++
			}
			up(&s.mail)
			f.toks = append(f.toks, gramToken{valMail, tokValue})
			i = j
			continue
		}
		switch {
		case digits == runes:
			up(&s.number)
			f.toks = append(f.toks, gramToken{valNumber, tokValue})
		case digits > 0 && runes >= 8:
			up(&s.id)
			f.toks = append(f.toks, gramToken{valID, tokValue})
		default:
			f.toks = append(f.toks, gramToken{h, tokWord})
			if chars && runes >= 4 && runes <= 24 {
				f.chars(text[i:j])
			}
		}
		i = j
	}
	return s
}

// sign appends a sign once for a run of it.
func (f *Features) sign(c uint64) {
	h := mixHash(hashSeed+1, c)
	if n := len(f.toks); n > 0 && f.toks[n-1].hash == h {
		return
	}
	f.toks = append(f.toks, gramToken{h, tokSign})
}

// chars adds the 3- to 5-grams of the letters of a word, its ends marked.
func (f *Features) chars(word []byte) {
	var r [28]uint32
	n := 1
	r[0] = '_'
	for i := 0; i < len(word) && n < 26; {
		c := lowerASCII[word[i]]
		if c < utf8.RuneSelf {
			r[n] = uint32(c)
			i++
		} else {
			x, size := utf8.DecodeRune(word[i:])
			r[n] = uint32(x)
			i += size
		}
		n++
	}
	r[n] = '_'
	n++
	for i := 0; i+3 <= n; i++ {
		h := mixHash(mixHash(mixHash(saltChars, uint64(r[i])), uint64(r[i+1])), uint64(r[i+2]))
		f.Grams = append(f.Grams, gramSlot(h))
		if i+4 <= n {
			h = mixHash(h, uint64(r[i+3]))
			f.Grams = append(f.Grams, gramSlot(h))
			if i+5 <= n {
				f.Grams = append(f.Grams, gramSlot(mixHash(h, uint64(r[i+4]))))
			}
		}
	}
}

// grams adds words, neighbours and near neighbours.
func (f *Features) grams() {
	t := f.toks
	for i := range t {
		h := t[i].hash
		if t[i].kind != tokSign {
			f.Grams = append(f.Grams, gramSlot(mixHash(saltWord, h)))
		}
		if i+1 >= len(t) {
			break
		}
		two := mixHash(mixHash(saltTwo, h), t[i+1].hash)
		f.Grams = append(f.Grams, gramSlot(two))
		if i+2 >= len(t) {
			continue
		}
		three := mixHash(mixHash(saltThree, two), t[i+2].hash)
		f.Grams = append(f.Grams, gramSlot(three))
		if t[i].kind == tokIdeo {
			if i+3 < len(t) {
				f.Grams = append(f.Grams, gramSlot(mixHash(three, t[i+3].hash)))
			}
			continue
		}
		if t[i].kind != tokSign {
			if t[i+2].kind != tokSign {
				f.Grams = append(f.Grams, gramSlot(mixHash(mixHash(saltSkip, h), t[i+2].hash)))
			}
			if i+3 < len(t) && t[i+3].kind != tokSign {
				f.Grams = append(f.Grams, gramSlot(mixHash(mixHash(saltSkip, h), t[i+3].hash)))
			}
		}
	}
}

// context adds the last words in front of the window: "for example", "attackers
// write" there make the same words below harmless.
func (f *Features) context(before []byte) {
	if len(before) == 0 {
		return
	}
	n := len(f.toks)
	if len(before) > 64 {
		before = before[len(before)-64:]
	}
	f.tokens(before, false)
	t := f.toks[n:]
	if len(t) > 6 {
		t = t[len(t)-6:]
	}
	for _, k := range t {
		f.Grams = append(f.Grams, gramSlot(mixHash(saltBefore, k.hash)))
	}
	f.toks = f.toks[:n]
}

func (f *Features) mark(id, value uint64) {
	f.Marks = append(f.Marks, gramSlot(mixHash(mixHash(saltMark, id), value)))
}

func (f *Features) marks(w *Window, s spots) {
	f.mark(1, uint64(w.Kind))
	f.mark(2, uint64(bits.Len(uint(len(f.toks))))*2+uint64(w.Kind))
	for i, n := range [...]uint8{s.url, s.query, s.mail, s.number, s.id, s.bang, s.ask, s.colon, s.angle, s.square, s.brace, s.quote, s.tick, s.hash, s.line} {
		if n > 0 {
			f.mark(uint64(10+i), uint64(min(n, 3)))
		}
	}
	if w.Hidden {
		f.mark(3, 1)
	}
	if w.Quoted {
		f.mark(4, 1)
	}
	if w.Depth > 0 {
		f.mark(5, 1)
	}
	if w.Whole {
		f.mark(6, 1)
	}
	if w.Discuss > 0 {
		f.mark(7, uint64(min(w.Discuss, 4)))
	}
	if f.turn++; f.turn == 0 {
		clear(f.set[:])
		f.turn = 1
	}
	for _, m := range f.Marks {
		f.fresh(m)
	}
	for i := range w.Hits {
		h := hashString(w.Hits[i].Family)
		f.once(mixHash(saltHit, h))
		if w.Quoted || w.Discuss > 1 {
			f.once(mixHash(saltHit+2, h))
		}
	}
	// Classes of words, and which comes before which: what carries over from one
	// language to another.
	for i := range w.Cues {
		h := w.Cues[i].class
		if h == 0 {
			h = classHash(w.Cues[i].Term)
		}
		f.once(mixHash(saltCue, h))
		if len(f.cues) < 12 {
			for _, c := range f.cues {
				f.once(mixHash(mixHash(saltPair, uint64(c)), h))
			}
			f.cues = append(f.cues, uint32(h>>32))
		}
	}
}

// once adds a mark that a window has or has not.
func (f *Features) once(h uint64) {
	x := gramSlot(h)
	if f.fresh(x) {
		f.Marks = append(f.Marks, x)
	}
}

// fresh reports whether a mark was not there yet, and notes it.
func (f *Features) fresh(x uint32) bool {
	for i := x; ; i++ {
		switch s := &f.set[i%uint32(len(f.set))]; {
		case s.turn != f.turn:
			s.turn, s.mark = f.turn, x
			return true
		case s.mark == x:
			return false
		}
	}
}

var lowerASCII = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			t[i] |= 0x20
		}
	}
	return
}()

func modelByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// modelRune tells letters and marks beyond ASCII from signs, roughly: the blocks of
// punctuation and symbols are signs.
func modelRune(r rune) bool {
	switch {
	case r < 0xc0, r >= 0x2000 && r < 0x2c00, r >= 0x3000 && r < 0x3040, r >= 0xfe10 && r < 0xfe70, r >= 0xff00 && r < 0xff10, r >= 0xff1a && r < 0xff21,
		r == 0x60c, r == 0x61b, r == 0x61f, r == 0x6d4, r == 0x964, r == 0x965, r == 0xd7, r == 0xf7, r == 0xfffd, r >= 0x1f000 && r < 0x20000:
		return false
	}
	return true
}

// unspaced: scripts that write words without spaces (Han, kana, Thai, Lao, Khmer,
// Burmese).
func unspaced(r rune) bool {
	return r >= 0x3040 && r < 0x3100 || r >= 0x3400 && r < 0xa000 || r >= 0x0e00 && r < 0x0f00 || r >= 0x1000 && r < 0x10a0 ||
		r >= 0x1780 && r < 0x1800 || r >= 0xf900 && r < 0xfb00 || r >= 0x20000 && r < 0x32000
}

func hasFold(b []byte, s string) bool {
	if len(b) < len(s) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if lowerASCII[b[i]] != s[i] {
			return false
		}
	}
	return true
}

// linkEnd gives the end of a link that starts at i, or i.
func linkEnd(b []byte, i int) int {
	j := i + 4
	if hasFold(b[i:], "http") {
		if j < len(b) && lowerASCII[b[j]] == 's' {
			j++
		}
		if j+3 > len(b) || b[j] != ':' || b[j+1] != '/' {
			return i
		}
		j += 2
	}
	for j < len(b) {
		switch b[j] {
		case ' ', '\n', '\t', '"', '\'', '<', '>', ')', ']', '}', '`', '|':
			return j
		}
		if b[j] >= utf8.RuneSelf {
			return j
		}
		j++
	}
	return j
}
