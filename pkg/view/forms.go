package view

import (
	"bytes"
	"slices"
)

// Words from which something was taken, or to which something was added, letter by letter and
// all alike: the letters are odd, and a vocabulary tells what they were.

// A trick writes every word of a text in another way.
type trick struct {
	cipher cipher
	name   string
	// undo gives the word that w is, in d.buf or else, and whether it is one.
	undo func(d *Decoder, w []byte) ([]byte, bool)
}

// tricks are tried in this order, the one of boned first.
var tricks = [...]trick{
	{ciphBones, "no-vowels", func(d *Decoder, w []byte) ([]byte, bool) { return d.formed(formBones, w) }},
	{ciphDrawn, "drawn-out", (*Decoder).undrawn},
	{ciphTurn, "last-first", func(d *Decoder, w []byte) ([]byte, bool) {
		d.buf = append(append(d.buf[:0], w[len(w)-1]|0x20), w[:len(w)-1]...)
		return d.buf, d.words.has(d.buf)
	}},
	{ciphOrder, "first-last", func(d *Decoder, w []byte) ([]byte, bool) {
		d.buf = append(append(d.buf[:0], w[1:]...), w[0]|0x20)
		return d.buf, d.words.has(d.buf)
	}},
	{ciphSyllable, "syllables", (*Decoder).unsyllable},
	{ciphAnagram, "anagrams", func(d *Decoder, w []byte) ([]byte, bool) { return d.formed(formAnagram, w) }},
	{ciphVowel, "one-vowel", func(d *Decoder, w []byte) ([]byte, bool) { return d.formed(formVowel, w) }},
	{ciphSoft, "soft", func(d *Decoder, w []byte) ([]byte, bool) { return d.formed(formSoft, w) }},
}

// formed gives the commonest word that has the form that w is written in.
func (d *Decoder) formed(f form, w []byte) ([]byte, bool) {
	if f == formBones && slices.ContainsFunc(w, isVowel) {
		return nil, false
	}
	if len(w) > maxWord {
		return nil, false
	}
	h := f.hash(w)
	if h == 0 || !d.words.bent.has(wide64(h)) {
		return nil, false
	}
	t, _ := d.words.find(h)
	if t == "" || f != formBones && len(t) != len(w) || f == formAnagram && !anagram(t, w) {
		return nil, false
	}
	d.buf = append(d.buf[:0], t...)
	return d.buf, true
}

// undrawn takes letters away that stand thrice and more.
func (d *Decoder) undrawn(w []byte) ([]byte, bool) {
	drawn := false
	for i := 2; i < len(w) && !drawn; i++ {
		drawn = w[i]|0x20 == w[i-1]|0x20 && w[i]|0x20 == w[i-2]|0x20
	}
	if !drawn {
		return nil, false
	}
	for left := 1; left <= 2; left++ {
		d.buf = d.buf[:0]
		for i := 0; i < len(w); {
			j := i
			for j < len(w) && w[j]|0x20 == w[i]|0x20 {
				j++
			}
			n := j - i
			if n >= 3 {
				n = left
			}
			d.buf = append(d.buf, w[i:i+n]...)
			i = j
		}
		if d.words.has(d.buf) || len(d.buf) == 1 {
			return d.buf, true
		}
	}
	return nil, false
}

// syllables are what is put in front of vowels.
var syllables = [...]string{"ub", "ab", "ob", "op", "ib", "eg", "ag", "ig", "idig", "ithag"}

// syllableBits are the bits of the second letters of syllables.
const syllableBits = 1<<('b'&31) | 1<<('p'&31) | 1<<('g'&31) | 1<<('d'&31) | 1<<('t'&31)

// unsyllable takes a syllable away that stands in front of every vowel.
func (d *Decoder) unsyllable(w []byte) ([]byte, bool) {
	first := slices.IndexFunc(w, isVowel)
	if first < 0 || first+1 == len(w) || syllableBits>>(w[first+1]&31)&1 == 0 {
		return nil, false
	}
	for _, s := range syllables {
		if n := len(s); first+n > len(w) || !bytes.EqualFold(w[first:first+n], []byte(s)) {
			continue // the first vowel is one that was put in
		}
		d.buf = d.buf[:0]
		n := 0
		for i := 0; i < len(w); i++ {
			if i+len(s) < len(w) && isVowel(w[i+len(s)]) && bytes.EqualFold(w[i:i+len(s)], []byte(s)) {
				i += len(s)
				n++
			}
			d.buf = append(d.buf, w[i])
		}
		if n > 0 && (d.words.has(d.buf) || len(d.buf) == 1) {
			return d.buf, true
		}
	}
	return nil, false
}

// Of the words of a block that are none, so many must be words when a trick is undone: at least,
// and of a hundred.
const (
	minTricked  = 4
	trickedPart = 70
)

// An odd word is one of a text that is no common one.
type oddWord struct {
	from, to uint8
	letters  uint32 // which it holds, a bit for each
	drawn    bool   // one of them stands thrice in a row
}

// vowelBits and softBit are bits of letters.
const (
	vowelBits = 1<<('a'&31) | 1<<('e'&31) | 1<<('i'&31) | 1<<('o'&31) | 1<<('u'&31)
	softBit   = 1 << ('w' & 31)
)

// oddWords gives the words of text, a part of which may be cut off at both ends, that are no
// common ones, unless most are.
func (d *Decoder) oddWords(text []byte, words *[32]oddWord) []oddWord {
	n, others := 0, 0
	for i := 0; i < len(text) && n < len(words); {
		x := letterClass[text[i]]
		if x == 0 {
			i++
			continue
		}
		j := i + 1
		letters, before, twice, drawn := uint32(1)<<x, x, false, false
		for ; j < len(text); j++ {
			if x = letterClass[text[j]]; x == 0 {
				break
			}
			letters |= 1 << x
			drawn = drawn || twice && x == before
			twice, before = x == before, x
		}
		switch {
		case i == 0 || j == len(text) || j-i < 2 || j-i > maxWord: // it may be cut off
		case j-i > 2 && d.words.cost(text[i:j]) <= costKnown:
			others++
		default:
			words[n] = oddWord{uint8(i), uint8(j), letters, drawn}
			n++
		}
		i = j
	}
	if n < minTricked || others > n {
		return nil
	}
	return words[:n]
}

// tricky reports that w, of a few letters and no word, may be one when a trick is undone.
func (d *Decoder) tricky(w []byte) bool {
	var letters, sum uint32
	last, vowel := w[len(w)-1]&31, formVowel.begin()
	before, twice, drawn := uint8(0), false, false
	for _, c := range w {
		c &= 31
		letters |= 1 << c
		sum += letterHash[c]
		vowel = hashLetter(vowel, formLetters[formVowel][c])
		drawn = drawn || twice && c == before
		twice, before = c == before, c
	}
	if letters&vowelBits == 0 || drawn || d.words.bent.has(wide64(anagramHash(sum))) || d.words.bent.has(wide64(hashEnd(vowel))) {
		return true
	}
	if letters&softBit != 0 && d.words.bent.has(wide64(formSoft.hash(w))) {
		return true
	}
	var turned [maxWord]byte
	turned[0] = last | 0x60
	copy(turned[1:], w[:len(w)-1])
	if d.words.exact.has(hashWord(&turned, len(w))) {
		return true
	}
	copy(turned[:], w[1:])
	turned[len(w)-1] = w[0] | 0x20
	if d.words.exact.has(hashWord(&turned, len(w))) {
		return true
	}
	_, ok := d.unsyllable(w)
	return ok
}

// trickOf gives the trick that the words of text are written in, a part of which may be cut
// off at both ends; 0: none that is known.
func (d *Decoder) trickOf(text []byte) cipher { return d.trickIn(tricks[:], text) }

// boned reports that the words of text are written without vowels.
func (d *Decoder) boned(text []byte) bool { return d.trickIn(tricks[:1], text) == ciphBones }

// trickIn is trickOf for some of the tricks.
func (d *Decoder) trickIn(tricks []trick, text []byte) cipher {
	if d.words == nil {
		return 0
	}
	var room [32]oddWord // text is short
	text = text[:min(len(text), 250)]
	words := d.oddWords(text, &room)
	if len(words) == 0 {
		return 0
	}
	d.spend(len(text))
	// What some tricks leave in words, or take away, is seen without a look at what they were.
	bare, drawn, soft := 0, 0, 0
	for _, x := range words {
		bare += int(bit(x.letters&vowelBits == 0))
		drawn += int(bit(x.drawn))
		soft += int(bit(x.letters&softBit != 0))
	}
	for i := range tricks {
		c, may := tricks[i].cipher, len(words)
		switch c {
		case ciphBones:
			may = bare
		case ciphDrawn:
			may = drawn
		case ciphSoft:
			may = soft
		}
		if may >= minTricked && d.tricked(&tricks[i], text, words) {
			return c
		}
	}
	return 0
}

// wordTrick is trickOf, but for words whose letters are in one other order only: backwards.
func (d *Decoder) wordTrick(text []byte) cipher {
	c := d.trickOf(text)
	if c != ciphAnagram {
		return c
	}
	d.bare = d.bare[:0]
	for i := len(text) - 1; i >= 0; i-- {
		d.bare = append(d.bare, text[i])
	}
	if words, known := d.words.count(d.bare); known > 2 && known*100 >= words*trickedPart {
		return ciphWords
	}
	return c
}

// wordsBack is the trick of which wordTrick knows.
var wordsBack = trick{ciphWords, "reversed-words", func(d *Decoder, w []byte) ([]byte, bool) {
	d.buf = append(d.buf[:0], w...)
	slices.Reverse(d.buf)
	return d.buf, d.words.has(d.buf)
}}

// tricked reports that most of the words of text are words when the trick is undone.
func (d *Decoder) tricked(t *trick, text []byte, words []oddWord) bool {
	k, of := 0, 0
	for i, x := range words {
		switch n := x.to - x.from; {
		case t.cipher == ciphBones:
		case n < 3, n < 5 && t.cipher == ciphAnagram:
			continue // few letters are a word somewhere
		}
		of++
		word := text[x.from:x.to]
		if plain, ok := t.undo(d, word); ok && bytes.EqualFold(plain, word) {
			of-- // what stays as it is says nothing
		} else if ok {
			k++
		} else if left := len(words) - 1 - i; of-k > 4 || (k+left)*100 < (of+left)*trickedPart {
			break // too few are left
		}
	}
	return k >= minTricked && k*100 >= of*trickedPart
}

// trickAt gives the trick of a cipher; nil: it is another one.
func trickAt(c cipher) *trick {
	if c == ciphWords {
		return &wordsBack
	}
	for i := range tricks {
		if tricks[i].cipher == c {
			return &tricks[i]
		}
	}
	return nil
}

// putWords appends text[from:to] with its words as they were before a trick.
func (d *Decoder) putWords(p *patches, t *trick, from, to int) {
	text := d.text
	for i := from; i < to; {
		if !isLetter(text[i]) {
			p.put(text[i], i, i+1)
			i++
			continue
		}
		j := i
		for j < to && isLetter(text[j]) {
			j++
		}
		w, ok := t.undo(d, text[i:j])
		if ok && (t.cipher == ciphBones || len(w) == 1 || d.words.cost(w)+costLost <= d.words.cost(text[i:j])) {
			p.puts(string(w), i, j)
		} else {
			p.copy(text, i, j)
		}
		i = j
	}
}

// swapped reports that text reads as a language when neighbours are exchanged.
func (d *Decoder) swapped(text []byte, plain fit) bool {
	if plain.usual >= fitUsual+fitGain {
		return false
	}
	for from := range 2 {
		d.buf = d.buf[:0]
		for i := from; i+1 < len(text); i += 2 {
			d.buf = append(d.buf, text[i+1], text[i])
		}
		if x := fitOf(d.buf); x.usual >= max(fitUsual, plain.usual+fitGain/2) && x.order > 0 && d.words.halfOf(d.buf) {
			return true
		}
	}
	return false
}

// swappedFit gives how usual the pairs of text[from:to] are with neighbours exchanged.
func (d *Decoder) swappedFit(from, to int) int {
	d.buf = d.buf[:0]
	for i := from; i+1 < min(to, from+256); i += 2 {
		d.buf = append(d.buf, d.text[i+1], d.text[i])
	}
	return fitOf(d.buf).usual
}

// factors are those that have an inverse modulo 26, but for one and itself backwards: shifts and
// Atbash.
var factors = [...]int{3, 5, 7, 9, 11, 15, 17, 19, 21, 23}

// affine is the table that undoes an affine cipher.
func affine(c cipher) *[256]byte {
	t := new([256]byte)
	for i := range t {
		t[i] = byte(i)
	}
	k := int(c - ciphAffine)
	for x := range 26 {
		y := (factors[k/26]*x + k%26) % 26
		t['a'+y], t['A'+y] = byte('a'+x), byte('A'+x)
	}
	return t
}

// affineClasses are those tables by the class of letters.
var affineClasses = func() (a [len(factors) * 26][32]uint8) {
	for k := range a {
		x := affine(ciphAffine + cipher(k))
		for l := 1; l <= 26; l++ {
			a[k][l] = x['a'+l-1] & 31
		}
	}
	return a
}()

// sameOften: of so many pairs of letters of a language one is twice the same, at least.
const sameOften = 22

// rarely tries what few texts are written in, with a block that reads as nothing else: n of its
// pairs hold a letter.
func (d *Decoder) rarely(text []byte, r *classes, count *[27]int, plain fit, n int) cipher {
	if plain.usual >= fitUsual+fitGain {
		return 0
	}
	if c := d.wordTrick(text); c != 0 {
		return c
	}
	if d.swapped(text, plain) {
		return ciphSwap
	}
	// Letters in the place of others are as often met as those were, unlike the letters of codes.
	letters, alike := 0, 0
	for _, n := range count[1:] {
		letters += n
		alike += n * (n - 1)
	}
	if alike*sameOften < letters*(letters-1) || d.words.knownIn(text) > 2 {
		return 0
	}
	if c := d.mistyped(text, plain); c != 0 {
		return c
	}
	best, most := cipher(0), max(fitUsual+2, plain.usual+fitGain)-1
	// Of the affine ones, those that make the letters most usual.
	var top [6]struct{ sum, k int }
	for i := range top {
		top[i].sum = -1 << 30
	}
	// What a factor makes of the letters is shifted in 26 ways. Few of those are among the best.
	for f, factor := range factors {
		sums := shiftSums(count, &affineClasses[26*f])
		for n, sum := range sums[:26] {
			for i := range top {
				if sum <= top[len(top)-1].sum {
					break
				}
				if sum > top[i].sum {
					copy(top[i+1:], top[i:])
					top[i].sum, top[i].k = sum, 26*f+factor*(26-n)%26
					break
				}
			}
		}
	}
	d.spend(8 * len(text))
	for i := 0; i < len(top); i += 3 {
		for j, x := range r.usualAs(&affineClasses[top[i].k], &affineClasses[top[i+1].k], &affineClasses[top[i+2].k], len(text)) {
			if x = tenfold(x, n); x > most {
				best, most = ciphAffine+cipher(top[i+j].k), x
			}
		}
	}
	if best != 0 {
		// Of so many alphabets one reads well by chance.
		t := affine(best)
		d.buf = d.buf[:0]
		for _, c := range text {
			d.buf = append(d.buf, t[c])
		}
		if !d.words.halfOf(d.buf) {
			return 0
		}
	}
	return best
}

// halfOf reports that half of the words of a text are known. Without a vocabulary nothing speaks
// against it.
func (w *Words) halfOf(text []byte) bool {
	words, known := w.count(text)
	return w == nil || known > 1 && 2*known >= words
}

// someOf reports that every sixth of the words of a text is known: less is chance.
func (w *Words) someOf(text []byte) bool {
	words, known := w.count(text)
	return w == nil || 6*known >= words
}

// knownIn counts the words of a text that are known.
func (w *Words) knownIn(text []byte) int {
	_, known := w.count(text)
	return known
}

// mostKnown reports that words of a text are known as no letters in another order are: more than one of six of those of
// four letters and more, or that it has few. Most texts say so with their first words.
func (w *Words) mostKnown(text []byte) bool {
	words, known := 0, 0
	for from, to := nextWord(text, 0, 4); from < to; from, to = nextWord(text, to, 4) {
		if words++; w.has(text[from:to]) {
			if known++; known > 2 && 2*known > words {
				return true
			}
		}
	}
	return words < 3 || 6*known > words
}

// someSoon reports that two words of four letters and more of a text are known.
func (w *Words) someSoon(text []byte) bool {
	known := 0
	for from, to := nextWord(text, 0, 4); w != nil && from < to; from, to = nextWord(text, to, 4) {
		if to-from <= maxWord && w.likely(text, from, to) {
			if known++; known == 2 {
				return true
			}
		}
	}
	return false
}

// count counts the words of a text, and those that are known, but for short ones and the first
// and last, which may be cut off.
func (w *Words) count(text []byte) (words, known int) {
	for from, to := nextWord(text, 0, 3); from < to; from, to = nextWord(text, to, 3) {
		words++
		known += int(bit(w.has(text[from:to])))
	}
	return words, known
}

// nextWord gives the first word of so many letters at least that begins behind text[i]; from is to where there is
// none. The first and the last word of a text are left out, which may be cut off.
func nextWord(text []byte, i, least int) (from, to int) {
	if i == 0 {
		i = bytes.IndexByte(text, ' ')
	}
	for i++; i < len(text); i++ {
		from = i
		for i < len(text) && isLetter(text[i]) {
			i++
		}
		if i < len(text) && i-from >= least {
			return from, i
		}
	}
	return 0, 0
}
