package detect

import (
	"bytes"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Features is what the model sees of one window: hashed indices into its table.
// Grams count together as one unit of length whatever the length of the window;
// Marks count one each. It is reused from window to window: once its slices have
// grown, extraction does not allocate.
type Features struct {
	Grams []uint32
	Marks []uint32
	// Meant is what the words mean, where they are not English. These count together as well.
	Meant []uint32
	// Glossary says so. nil: nobody does.
	Glossary *Glossary

	own         int // so many of Grams are of the window itself: see OwnGrams
	interpreter interpreter
	toks        []gramToken
	begin       int         // the first token of the sentence
	all         []gramToken // with echoes, and with every sign of a run
	at          int         // where the token begins that is cut
	last        int         // where the last word or value that was cut ends
	cues        []uint64

	words, memory *words // words is nil where every word is hashed, and its grams go into Grams
	known         grams  // of words that were in words

	// Marks by their low bits, for once. A window has 700 at most.
	set  [1024]struct{ turn, mark uint32 }
	turn uint32
}

// grams is what grams weigh together, in steps, and how many they are.
type grams struct{ sum, n int32 }

func (g grams) with(h grams) grams { return grams{g.sum + h.sum, g.n + h.n} }

// gramToken is a word, a sign, one letter of a script without spaces, or a
// placeholder for a value (address, link, number), so that the model cannot learn
// the values themselves.
type gramToken struct {
	hash uint64
	at   int32 // where it begins
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
	saltReread
	saltNet
	saltGloss
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
	f.Grams, f.Marks, f.Meant, f.toks, f.all, f.words = f.Grams[:0], f.Marks[:0], f.Meant[:0], f.toks[:0], f.all[:0], nil
	var seen spots
	if len(w.parts) == 0 {
		f.sentence(w.Text, 0, len(w.Text), &seen)
	}
	for _, p := range w.parts {
		f.sentence(p, 0, len(p), &seen)
	}
	f.near(f.toks, len(f.toks), 0)
	n := len(f.toks)
	if parts := w.parts; len(parts) > 0 {
		f.foreign(f.Glossary, parts)
	} else {
		f.foreign(f.Glossary, [][]byte{w.Text})
	}
	f.own = len(f.Grams)
	f.contextOf(w.Before)
	f.marks(w, seen, n)
}

// OwnGrams are those of a window without the words in front of it.
func (f *Features) OwnGrams() []uint32 { return f.Grams[:min(f.own, len(f.Grams))] }

// spots are cheap facts met while cutting tokens: how often a kind of value, a sign or
// the end of a line was met.
type spots [spotSign + len(spotSigns) + 1]uint8

const (
	spotURL = iota
	spotQuery
	spotMail
	spotNumber
	spotID
	spotSign // the first of spotSigns

	spotSigns = "!?:<[{\"`#"
	spotLine  = spotSign + len(spotSigns)
)

// add counts what was met in two places together.
func (s *spots) add(t *spots) {
	for i, n := range t {
		s[i] = uint8(min(int(s[i])+int(n), 250))
	}
}

// spotOf gives where a sign is counted; 0: nowhere.
var spotOf = func() (t [256]uint8) {
	for i, c := range []byte(spotSigns) {
		t[c] = uint8(spotSign + i)
	}
	return
}()

func up(n *uint8) {
	if *n < 250 {
		*n++
	}
}

// sentence cuts text[from:to] into tokens, and adds the words and the letter n-grams of each.
func (f *Features) sentence(text []byte, from, to int, s *spots) {
	f.begin = len(f.toks)
	f.tokens(text, from, to, s, true)
}

// tokens cuts text[from:to]. With chars it also adds the words and the letter n-grams of
// each.
func (f *Features) tokens(text []byte, from, to int, s *spots, chars bool) {
	for i := from; i < to; {
		c := text[i]
		f.at = i
		switch classOfByte[c] {
		case byteBlank:
			i++
			continue
		case byteSign:
			f.sign(signHash[c])
			i++
			continue
		case byteSpot:
			f.sign(signHash[c])
			up(&s[spotOf[c]])
			i++
			continue
		case byteLine:
			if on := runsOn(text[:to], i); on > 0 {
				i = on
				continue
			}
			if f.sign(signHash['\n']) {
				up(&s[spotLine])
			}
			i++
			continue
		case byteHigh:
			r, n := utf8.DecodeRune(text[i:to])
			if unspaced(r) {
				f.token(mixHash(hashSeed, uint64(r)), tokIdeo, chars)
				i += n
				continue
			}
			if !modelRune(r) {
				f.sign(hashOfSign(uint64(r)))
				i += n
				continue
			}
		}
		if f.words != nil {
			if n := f.met(text, i, to, chars); n > 0 {
				i += n
				if f.last = i; i < to && text[i] == ' ' {
					i++
				}
				continue
			}
		}
		i = f.word(text[:to], i, s, chars)
		f.last = i
	}
}

// word takes the word at text[i]. Links, addresses and names of characters (U+0041) are one token whatever they say.
func (f *Features) word(text []byte, i int, s *spots, chars bool) (end int) {
	if j := codePointEnd(text, i); j > i {
		up(&s[spotNumber])
		f.token(valNumber, tokValue, chars)
		return j
	}
	if c := lowerASCII[text[i]]; c == 'h' && hasFold(text[i:], "http") || c == 'w' && hasFold(text[i:], "www.") {
		if j := linkEnd(text, i); j > i {
			v := valURL
			up(&s[spotURL])
			if bytes.ContainsAny(text[i:j], "?=") {
				v = valQuery
				up(&s[spotQuery])
			}
			f.token(v, tokValue, chars)
			return j
		}
	}
	j, digits, runes := i, 0, 0
	h := uint64(hashSeed)
	for j < len(text) {
		b := lowerASCII[text[j]]
		if b >= utf8.RuneSelf {
			n := 2
			if !twoLetter(text, j) {
				var r rune
				if r, n = utf8.DecodeRune(text[j:]); unspaced(r) || !modelRune(r) {
					break
				}
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
		up(&s[spotMail])
		f.token(valMail, tokValue, chars)
		return j
	}
	switch {
	case digits == runes:
		up(&s[spotNumber])
		f.token(valNumber, tokValue, chars)
	case digits > 0 && runes >= 8:
		up(&s[spotID])
		f.token(valID, tokValue, chars)
	default:
		if chars && runes >= 4 && runes <= 24 && !f.echoes(h) {
			f.chars(text[i:j])
		}
		f.token(h, tokWord, chars)
	}
	return j
}

// codePointEnd gives where the name of a character ends that stands at text[i]; i: there is none.
func codePointEnd(text []byte, i int) int {
	if lowerASCII[text[i]] != 'u' || i+6 > len(text) || text[i+1] != '+' {
		return i
	}
	j := i + 2
	for j < len(text) && (text[j] >= '0' && text[j] <= '9' || lowerASCII[text[j]] >= 'a' && lowerASCII[text[j]] <= 'f') {
		j++
	}
	if j-i < 6 || j < len(text) && modelByte(lowerASCII[text[j]]) {
		return i
	}
	return j
}

// echoes reports whether a word is one of the last two again: of what is said over and
// over in a table or a grammar ("1x 1x 1x") a window would else be sure a hundred times.
func (f *Features) echoes(h uint64) bool {
	n := len(f.toks)
	return n > f.begin && f.toks[n-1].hash == h || n-1 > f.begin && f.toks[n-2].hash == h
}

// take appends tokens that were cut before, as the next ones of the sentence.
func (f *Features) take(all []gramToken) {
	for _, t := range all {
		if n := len(f.toks); f.echoes(t.hash) && (t.kind != tokSign || f.toks[n-1].hash == t.hash) {
			continue
		}
		f.toks = append(f.toks, t)
	}
}

// token appends a token that is no sign.
func (f *Features) token(h uint64, kind gramKind, chars bool) {
	f.all = append(f.all, gramToken{h, int32(f.at), kind})
	if f.echoes(h) {
		return
	}
	f.toks = append(f.toks, gramToken{h, int32(f.at), kind})
	if chars {
		f.Grams = append(f.Grams, gramSlot(mixHash(saltWord, h)))
	}
}

// What bytes are to tokens.
const (
	byteWord  = iota // ASCII letters and digits
	byteBlank        // what parts words and says nothing
	byteSign
	byteSpot // a sign that is counted
	byteLine // a line break
	byteHigh // beyond ASCII
)

var classOfByte = func() (t [256]uint8) {
	for b := range t {
		switch c := lowerASCII[b]; {
		case c >= utf8.RuneSelf:
			t[b] = byteHigh
		case modelByte(c):
			t[b] = byteWord
		case c == ' ', c == '-', c == '_', c == '\t', c == '\'':
			t[b] = byteBlank
		case c == '\n', c == '\r':
			t[b] = byteLine
		case spotOf[c] > 0:
			t[b] = byteSpot
		default:
			t[b] = byteSign
		}
	}
	return
}()

func hashOfSign(c uint64) uint64 { return mixHash(hashSeed+1, c) }

// signHash is hashOfSign of ASCII signs.
var signHash = func() (t [256]uint64) {
	for b := range t {
		t[b] = hashOfSign(uint64(b))
	}
	return
}()

// sign appends a sign once for a run of it, and tells whether it did.
func (f *Features) sign(h uint64) bool {
	f.all = append(f.all, gramToken{h, int32(f.at), tokSign})
	if n := len(f.toks); n > f.begin && f.toks[n-1].hash == h {
		return false
	}
	f.toks = append(f.toks, gramToken{h, int32(f.at), tokSign})
	return true
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

// near adds the pairs, triples and near neighbours that begin with one of the first n
// of t and end with t[reach] or one behind it.
func (f *Features) near(t []gramToken, n, reach int) {
	k := len(f.Grams)
	n = min(n, len(t)-1)
	if n <= 0 {
		return
	}
	// Which grams there are depends on every word: all are written, and what is none is
	// written over.
	out := slices.Grow(f.Grams, 4*n)[:k+4*n]
	for i := range n {
		a, h := t[i].kind, t[i].hash
		two := mixHash(mixHash(saltTwo, h), t[i+1].hash)
		out[k] = gramSlot(two)
		k += one(i+1 >= reach)
		if i+2 >= len(t) {
			break
		}
		three := mixHash(mixHash(saltThree, two), t[i+2].hash)
		skip, word, in := mixHash(saltSkip, h), one(a == tokWord || a == tokValue), one(i+2 >= reach)
		out[k] = gramSlot(three)
		k += in
		out[k] = gramSlot(mixHash(skip, t[i+2].hash))
		k += in & word & one(t[i+2].kind != tokSign)
		if i+3 >= len(t) {
			continue
		}
		last, in := mixHash(skip, t[i+3].hash), word&one(t[i+3].kind != tokSign)
		if a == tokIdeo {
			last, in = mixHash(three, t[i+3].hash), 1
		}
		out[k] = gramSlot(last)
		k += in & one(i+3 >= reach)
	}
	f.Grams = out[:k]
}

// one is a condition without a branch.
func one(c bool) int {
	if c {
		return 1
	}
	return 0
}

// nearReach is how many tokens a gram of them spans.
const nearReach = 4

// contextOf adds the last words in front of a window: "for example", "attackers
// write" there make the same words below harmless.
func (f *Features) contextOf(before []byte) { f.contextWith(before, nil) }

// contextWith does so where some of the words were cut before.
func (f *Features) contextWith(before []byte, more []gramToken) {
	n, all := len(f.toks), len(f.all)
	f.begin = n
	f.tokens(before, 0, len(before), new(spots), false)
	f.take(more)
	f.context(f.toks[n:])
	f.toks, f.all = f.toks[:n], f.all[:all]
}

func (f *Features) context(t []gramToken) {
	for _, k := range t[max(0, len(t)-contextWords):] {
		f.Grams = append(f.Grams, gramSlot(mixHash(saltBefore, k.hash)))
	}
}

// What the model sees of the sentence before a window: its last words, among its last bytes.
const (
	contextWords = 6
	contextBytes = 64
)

func (f *Features) mark(id, value uint64) {
	f.Marks = append(f.Marks, gramSlot(mixHash(mixHash(saltMark, id), value)))
}

// marks adds what is known of a window beside its words: n is how many tokens it has.
func (f *Features) marks(w *Window, s spots, n int) {
	f.cues = f.cues[:0]
	f.mark(1, uint64(w.Kind))
	f.mark(2, uint64(bits.Len(uint(n)))*2+uint64(w.Kind))
	for i, n := range s {
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
	if len(w.Hits) == 0 && len(w.Cues) == 0 {
		return
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
		f.once(gramSlot(mixHash(saltHit, h)))
		if w.Quoted || w.Discuss > 1 {
			f.once(gramSlot(mixHash(saltHit+2, h)))
		}
	}
	// Classes of words, and which comes before which: what carries over from one
	// language to another.
	for i := range w.Cues {
		h := w.Cues[i].class
		if h == 0 {
			h = classHash(w.Cues[i].Term)
		}
		f.once(cueSlot(h))
		if len(f.cues) < cuesInOrder {
			for _, c := range f.cues {
				f.once(pairSlot(c, h))
			}
			f.cues = append(f.cues, h)
		}
	}
}

// once adds a mark that a window has or has not.
func (f *Features) once(x uint32) {
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
		case ' ', '\n', '\r', '\t', '"', '\'', '<', '>', ')', ']', '}', '`', '|':
			return j
		}
		if b[j] >= utf8.RuneSelf {
			return j
		}
		j++
	}
	return j
}
