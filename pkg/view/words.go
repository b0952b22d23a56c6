package view

import (
	_ "embed"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Words is a vocabulary: what broken, misspelt, shuffled and run-together words are put
// back into. It is immutable once made. A nil *Words knows no word.
type Words struct {
	nodes []wordNode
	costs []uint8       // of the word that ends at a node: see [word]
	pairs [26][26]int32 // the nodes behind two letters
	list  []string
	order *orders
	// forms finds a word by what is left of it when it is written in another way: a table
	// with open addresses.
	forms []formed
	// priced has what every word costs, by its hash: a table with open addresses.
	priced []uint32
	// Filters, so that most questions touch little memory. The first one holds every word: most
	// words are right. The others hold the forms of longer words with shuffled letters, how words
	// sound, and all other forms: most of what is no word is none in another form either.
	exact, maybe, heard, bent filter
}

// formed is a word, as its number in the list and one, and the hash of one of its forms.
type formed struct{ hash, word uint32 }

// filter has three bits for each hash that it holds, which lie in one of its words. It is as long as
// a power of two; where it says yes to a hash, it may not hold it.
type filter []uint64

func newFilter(bits int) filter { return make(filter, 1<<(bits-6)) }

func filterBits(h uint64) uint64 { return 1<<(h>>20&63) | 1<<(h>>26&63) | 1<<(h>>32&63) }

func (f filter) add(h uint64) { f[h>>44&uint64(len(f)-1)] |= filterBits(h) }

func (f filter) has(h uint64) bool {
	three := filterBits(h)
	return f[h>>44&uint64(len(f)-1)]&three == three
}

// wide64 makes a hash of 32 bits one whose upper bits a filter can use.
func wide64(hash uint32) uint64 { return uint64(hash) * 0x9e3779b97f4a7c15 }

// wordText are words of ten languages, by how often they are met.
//
//go:generate go run ./words/gen
//go:embed words.txt
var wordText string

// seenText are longer words that are met in packages and not among those: they are known, and nothing is
// put back into them. Without them every third long word of a manual is none, and each costs a second look.
//
//go:generate go run ./words/gen -seen ${STOPLOG_PACKAGES}
//go:embed seen.txt
var seenText string

// A word costs twice the logarithm to base two of how seldom it is. What is no word costs
// more: for each letter, and for each piece.
const (
	costAll    = 41 // of a word that is met once
	costGiven  = 40 // of a word that the list has not, and a vocabulary names
	costRare   = 36 // words that cost more are met too seldom to guess them from most of their letters
	costLost   = 8
	costKnown  = 27 // what every second word of a text costs at most
	costCommon = 21 // what every fourth word of a sentence costs at most
	costSmall  = 16 // what words cost at most that hold sentences together: the, of, und, que
	costNone   = 255
	costJoin   = 8 // how much seldomer two words are than the one that they make, at least, if it was broken
	costLetter = 7 // of the words of a text, for each letter: most come to four or five
	oddLetter  = 12
	oddPiece   = 14
)

// A form is a way to write words in which some letters, or their order, are lost.
type form uint32

// The forms.
const (
	formShuffled form = iota // the first letter, and those behind it in any order; one of them may be missing
	formAnagram              // all letters in any order
	formBones                // consonants alone
	formVowel                // every vowel the same
	formSoft                 // l and r written w
	formSound                // how it sounds, roughly
	forms
)

// shuffledHash is the hash of words that begin with a letter and whose other letters have that sum.
func shuffledHash(sum uint32, first byte) uint32 {
	return max(formShuffled.begin()^(sum*31+letterHash[first&31]*7), 1)
}

// hash gives the hash of a form of a word; two words have the same for what they share.
// It is 0 for a word that is too short for that form.
func (f form) hash(s []byte) uint32 {
	h, kept := f.begin(), 0
	switch f {
	case formShuffled, formAnagram:
		sum := uint32(0)
		for _, c := range s[1:] {
			sum += letterHash[c&31]
		}
		if f == formAnagram {
			return anagramHash(sum + letterHash[s[0]&31])
		}
		return shuffledHash(sum, s[0])
	case formSound:
		// The letters, small, between others that are none.
		var b [maxWord + 3]byte
		n := copy(b[1:maxWord+1], s)
		for i := 1; i <= n; i++ {
			b[i] |= 0x20
		}
		for i := 1; i <= n; i++ {
			if c := sound((*[4]byte)(b[i-1:]), i == 1); c != 0 {
				h = hashLetter(h, c)
				kept++
			}
		}
		if kept < 3 {
			return 0
		}
	default:
		written := &formLetters[f]
		for _, c := range s {
			if c = written[c&31]; c != 0 {
				h = hashLetter(h, c)
				kept++
			}
		}
		if kept < 2 {
			return 0
		}
	}
	return hashEnd(h)
}

// What the hash of a form begins with, what a letter makes of it, and what it is in the end.
func (f form) begin() uint32 { return uint32(f)*0x9e3779b1 + 1 }

func hashLetter(h uint32, c byte) uint32 { return (h ^ uint32(c)) * 0x01000193 }

func hashEnd(h uint32) uint32 { return max(h^h>>15, 1) }

// anagramHash is the hash of words whose letters have that sum.
func anagramHash(sum uint32) uint32 { return max(formAnagram.begin()^sum*0x85ebca6b, 1) }

// formLetters gives what stands for each letter in a form; 0: nothing.
var formLetters = func() (t [forms][32]byte) {
	for f := range t {
		for i := range 27 {
			c := byte('`' + i)
			switch v := isVowel(c); {
			case form(f) == formBones && v:
				c = 0
			case form(f) == formVowel && v:
				c = 'a'
			case form(f) == formSoft && (c == 'l' || c == 'r'):
				c = 'w'
			}
			t[f][i] = c
		}
	}
	return t
}()

// sound gives what s[1] sounds like, a small letter between others; 0: nothing. Vowels are heard where a
// word begins.
func sound(s *[4]byte, first bool) byte {
	before, c, next, last := s[0], s[1], s[2], s[3]
	switch {
	case first && isVowel(c):
		return 'a'
	case isVowel(c), c == 'y', c == 'w', c == 'h' && !first, c == before, c == 'k' && before == 'c', c == 'g' && next == 'h' && last == 't':
		return 0
	case c == 'p' && next == 'h':
		return 'f'
	case c == 't' && next == 'i' && last == 'o', c == 's' && next == 'h':
		return 'x'
	case c == 'c' && (next == 'e' || next == 'i'), c == 'z':
		return 's'
	case c == 'c', c == 'q':
		return 'k'
	}
	return c
}

// isVowel tells letters.
func isVowel(c byte) bool {
	const vowels = 1<<('a'&31) | 1<<('e'&31) | 1<<('i'&31) | 1<<('o'&31) | 1<<('u'&31)
	return vowels>>(c&31)&1 == 1
}

// find gives the commonest word with the hash of a form; empty: there is none. Another may
// be put into the place.
func (w *Words) find(hash uint32) (word string, place uint32) {
	mask := uint32(len(w.forms) - 1)
	for i := hash * 0x9e3779b1 >> 8 & mask; ; i = (i + 1) & mask {
		switch x := &w.forms[i]; {
		case x.word == 0:
			return "", i
		case x.hash == hash:
			return w.list[x.word-1], i
		}
	}
}

// add lets word n be found by a hash, unless a commoner one is.
func (w *Words) add(hash uint32, n int) {
	if hash == 0 {
		return
	}
	if t, place := w.find(hash); t == "" {
		w.forms[place] = formed{hash, uint32(n + 1)}
	}
}

// wordNode is one beginning of words: a bit for each letter that goes on from it, and
// wordEnd. Its children lie together, in order of their letters.
type wordNode struct {
	letters uint32
	first   int32
}

const wordEnd = 1 << 31

// next gives the node behind a letter, which is small; 0: no word goes on so. Other
// bytes lead nowhere.
func (w *Words) next(n int32, letter byte) int32 {
	x := w.nodes[n]
	bit := uint32(1) << ((letter - 'a') & 31)
	if letter-'a' > 25 || x.letters&bit == 0 {
		return 0
	}
	return x.first + int32(bits.OnesCount32(x.letters&(bit-1)))
}

// pair gives the node behind two letters, whatever their case; 0: no word begins so.
func (w *Words) pair(a, b byte) int32 {
	a, b = a&^0x20-'A', b&^0x20-'A'
	if a > 25 || b > 25 {
		return 0
	}
	return w.pairs[a][b]
}

// spelling is a word and what it costs.
type spelling struct {
	text string
	cost uint8
}

// plant fills the nodes with words, which are in order.
func (w *Words) plant(words []spelling) {
	// The words that a node begins are words[from:to]; nodes are filled in order.
	type span struct{ from, to, depth int32 }
	spans := make([]span, 1, 4*len(words))
	spans[0] = span{0, int32(len(words)), 0}
	w.nodes, w.costs = make([]wordNode, 1, cap(spans)), make([]uint8, 1, cap(spans))
	for n := 0; n < len(spans); n++ {
		x := spans[n]
		node := wordNode{first: int32(len(spans))}
		for i := x.from; i < x.to; {
			if len(words[i].text) == int(x.depth) {
				node.letters |= wordEnd
				w.costs[n] = words[i].cost
				i++
				continue
			}
			c := words[i].text[x.depth]
			from := i
			for i < x.to && words[i].text[x.depth] == c {
				i++
			}
			node.letters |= 1 << (c - 'a')
			spans = append(spans, span{from, i, x.depth + 1})
			w.nodes, w.costs = append(w.nodes, wordNode{}), append(w.costs, 0)
		}
		w.nodes[n] = node
	}
	for a := range w.pairs {
		for b := range w.pairs[a] {
			w.pairs[a][b] = w.walk(0, []byte{'a' + byte(a), 'a' + byte(b)})
		}
	}
}

// NewWords makes a vocabulary of folded words and the common ones of ten languages; what is
// not made of the letters a to z, or is shorter than two, is left out.
func NewWords(given []string) *Words {
	words := make([]spelling, 0, 32<<10)
	seen := make(map[string]bool, cap(words))
	for line := range strings.Lines(wordText) {
		class, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		n, err := strconv.Atoi(class)
		if err != nil {
			continue // a comment
		}
		for s := range strings.FieldsSeq(rest) {
			words = append(words, spelling{s, uint8(costAll - n)})
			seen[s] = true
		}
	}
	for _, s := range given {
		if len(s) >= 2 && len(s) <= maxWord && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == "" && !seen[s] {
			words = append(words, spelling{s, costGiven})
			seen[s] = true
		}
	}
	w := &Words{
		forms: make([]formed, 1<<18), list: make([]string, len(words)), order: newOrders(),
		priced: make([]uint32, 1<<bits.Len(uint(2*len(words)))), exact: newFilter(20), maybe: newFilter(20), heard: newFilter(19), bent: newFilter(20),
	}
	var b [maxWord]byte
	// What lost a letter may be a word that is this much commoner than one that lost none.
	lost := 0
	lose := func(below int) {
		for ; lost < len(words) && int(words[lost].cost)+costLost <= below; lost++ {
			x := &words[lost]
			if len(x.text) < 5 || len(x.text) < 6 && x.cost > costKnown || x.cost > costRare && x.cost != costGiven {
				continue
			}
			for i := 1; i < len(x.text); i++ {
				h := formShuffled.hash(append(append(b[:0], x.text[:i]...), x.text[i+1:]...))
				w.add(h, lost)
				if len(x.text) > minRepaired {
					w.maybe.add(wide64(h))
				}
			}
		}
	}
	for i := range w.priced {
		w.priced[i] = costNone
	}
	for i, x := range words { // the commonest first
		lose(int(x.cost))
		w.list[i] = x.text
		s := b[:copy(b[:], x.text)]
		h := hashOf(s, 0, len(s))
		w.exact.add(h)
		w.price(h, x.cost)
		if len(s) < 3 {
			continue
		}
		for f := formShuffled; f < forms; f++ {
			if f == formVowel && len(s) < 4 || f == formSoft && !strings.ContainsAny(x.text, "lr") {
				continue
			}
			h := f.hash(s)
			w.add(h, i)
			switch {
			case f == formSound:
				w.heard.add(wide64(h))
			case f != formShuffled:
				w.bent.add(wide64(h))
			case len(s) >= minRepaired-1:
				w.maybe.add(wide64(h))
			}
		}
	}
	lose(costNone)
	for line := range strings.Lines(seenText) {
		if line[0] == '#' {
			continue
		}
		for x := range strings.FieldsSeq(line) {
			n := copy(b[:], x)
			w.exact.add(hashOf(b[:n], 0, n))
		}
	}
	slices.SortFunc(words, func(a, b spelling) int { return strings.Compare(a.text, b.text) })
	w.plant(words)
	return w
}

// maxWord is how many letters a word of the vocabulary has at most.
const maxWord = 23

// hashOf is the hash of the word text[from:to], of at most maxWord letters, whatever their case.
func hashOf(text []byte, from, to int) uint64 {
	if from+maxWord > len(text) {
		var b [maxWord]byte
		copy(b[:], text[from:to])
		return hashWord(&b, to-from)
	}
	return hashWord((*[maxWord]byte)(text[from:]), to-from)
}

// hashWord is the hash of the first n letters of b, whatever their case: of the first and the last
// eight of them, and how many they are. That tells apart all words of up to sixteen letters and
// nearly all longer ones, and takes the same steps for all.
func hashWord(b *[maxWord]byte, n int) uint64 {
	const fold = 0x20 * ones
	beyond := 8 * (8 - min(n, 8)) & 63
	first := (binary.LittleEndian.Uint64(b[:]) | fold) << beyond
	last := (binary.LittleEndian.Uint64(b[(max(n, 8)-8)&15:]) | fold) << beyond
	high, low := bits.Mul64(first^0x9e3779b97f4a7c15, last^0xc2b2ae3d27d4eb4f^uint64(n))
	return high ^ low
}

// likely reports that text[from:to], of at most maxWord letters, is a word, or one of two
// thousand others.
func (w *Words) likely(text []byte, from, to int) bool { return w.exact.has(hashOf(text, from, to)) }

func (w *Words) has(s []byte) bool { return w.cost(s) < costNone }

// cost gives what s costs; costNone when it is no word.
func (w *Words) cost(s []byte) int {
	if w == nil || len(s) == 0 || len(s) > maxWord {
		return costNone
	}
	var h uint64
	if cap(s) >= maxWord {
		h = hashWord((*[maxWord]byte)(s[:maxWord]), len(s))
	} else {
		h = hashOf(s, 0, len(s))
	}
	if !w.exact.has(h) {
		return costNone
	}
	return int(uint8(w.priced[w.priceOf(h)]))
}

// priceOf gives the place of what a word costs. Places hold 24 bits of its hash above that; an
// empty one says costNone.
func (w *Words) priceOf(h uint64) uint32 {
	mask, tag := uint32(len(w.priced)-1), uint32(h)>>8
	for i := uint32(h>>40) & mask; ; i = (i + 1) & mask {
		if x := w.priced[i]; x>>8 == tag || x == costNone {
			return i
		}
	}
}

// price notes what a word costs.
func (w *Words) price(h uint64, cost uint8) { w.priced[w.priceOf(h)] = uint32(h)&^0xff | uint32(cost) }

// letterHash are fixed odd numbers, one for each letter.
var letterHash = func() (h [32]uint32) {
	x := uint32(0x9e3779b9)
	for i := range h {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		h[i] = x | 1
	}
	return h
}()

// mayRepair reports that text[from:to], which is no word, may be one that was misspelt: as
// [Words.repair] will look for it, without what it was heard as.
func (w *Words) mayRepair(text []byte, from, to int) bool {
	var sums [4]uint32 // of all letters, and without one that stands twice
	n := 1
	before := text[from] | 0x20
	for _, c := range text[from+1 : to] {
		x := letterHash[c&31]
		sums[0] += x
		if c |= 0x20; c == before && n < len(sums) {
			sums[n] = x
			n++
		}
		before = c
	}
	for i, x := range sums[:n] {
		if i > 0 {
			x = sums[0] - x
		}
		if w.maybe.has(wide64(shuffledHash(x, text[from]))) {
			return true
		}
	}
	return false
}

// minRepaired is how many letters a word has at least of which mayRepair is asked.
const minRepaired = 6

// soundLeast is how many letters a word has at least that is known by its sound.
const soundLeast = 5

// repair gives the word that s is, if it is none itself and was misspelt: its letters behind
// the first one in another order, one of them missing, or one twice; with heard also if it
// was written as it sounds.
func (w *Words) repair(s []byte, heard bool) (string, bool) {
	if w == nil || len(s) < 3 || len(s) > maxWord || w.has(s) {
		return "", false
	}
	return w.repaired(s, heard)
}

func (w *Words) repaired(s []byte, heard bool) (string, bool) {
	if len(s) < minRepaired || w.mayRepair(s, 0, len(s)) {
		if t, ok := w.unshuffled(s); ok {
			return t, true
		}
	}
	if len(s) >= soundLeast && heard {
		if h := formSound.hash(s); w.heard.has(wide64(h)) {
			if t, _ := w.find(h); len(t) >= soundLeast && len(t) <= len(s)+2 && w.cost([]byte(t)) <= costKnown {
				return t, true
			}
		}
	}
	return "", false
}

// unshuffled is repaired for a word whose letters stand in another order, or of which one is missing or
// stands twice.
func (w *Words) unshuffled(s []byte) (string, bool) {
	t, _ := w.find(formShuffled.hash(s))
	switch {
	case len(t) == len(s) && anagram(t, s), len(t) == len(s)+1 && loses(t, s):
		return t, true
	}
	var b [maxWord]byte
	for i := 1; i < len(s); i++ {
		if s[i]|0x20 == s[i-1]|0x20 {
			once := append(append(b[:0], s[:i]...), s[i+1:]...)
			if t, _ := w.find(formShuffled.hash(once)); len(t) == len(once) && strings.EqualFold(t, string(once)) {
				return t, true
			}
		}
	}
	return "", false
}

// anagram reports that s has the letters of t.
func anagram(t string, s []byte) bool {
	var count [26]int8
	for i, c := range s {
		c |= 0x20
		if c < 'a' || c > 'z' {
			return false
		}
		count[c-'a']++
		count[t[i]-'a']--
	}
	return count == [26]int8{}
}

// loses reports whether s is t without one letter.
func loses(t string, s []byte) bool {
	i := 0
	for i < len(s) && s[i]|0x20 == t[i] {
		i++
	}
	for ; i < len(s); i++ {
		if s[i]|0x20 != t[i+1] {
			return false
		}
	}
	return true
}

// walk follows letters from a place in the vocabulary, which begins at 0; it gives 0
// when no word goes on so.
func (w *Words) walk(n int32, s []byte) int32 {
	for _, c := range s {
		if n = w.next(n, c|0x20); n == 0 {
			return 0
		}
	}
	return n
}

// cell is the cheapest cut of the letters up to one place.
type cell struct {
	cost int32
	from int32
	word bool
}

// segment cuts letters that were written together into words of the vocabulary.
// It gives the ends of the pieces, how many are words, and whether it reads like a text.
// The slice is valid until the next call.
func (d *Decoder) segment(s []byte) (ends []int, words int, reads bool) {
	w := d.words
	if w == nil {
		return nil, 0, false
	}
	if cap(d.cell) <= len(s) {
		d.cell = make([]cell, 2*len(s)+64)
	}
	best := d.cell[:len(s)+1]
	for i := range best {
		best[i] = cell{cost: 1 << 30}
	}
	best[0].cost = 0
	nodes, costs := w.nodes, w.costs[:len(w.nodes)]
	for i := range s {
		here := best[i].cost
		odd := here + oddLetter
		if i == 0 || best[i].word {
			odd += oddPiece
		}
		// One letter that is a word by itself.
		if c := s[i] | 0x20; c == 'a' || c == 'i' {
			if x := here + 20; x < best[i+1].cost {
				best[i+1] = cell{x, int32(i), true}
			}
		}
		if odd < best[i+1].cost {
			best[i+1] = cell{odd, int32(i), false}
		}
		// All words have two letters: where those lead is known.
		if i+1 == len(s) {
			break
		}
		n := w.pair(s[i], s[i+1])
		for j := i + 2; n != 0; j++ {
			x := nodes[n]
			if x.letters&wordEnd != 0 {
				if cost := here + int32(costs[n]); cost < best[j].cost {
					best[j] = cell{cost, int32(i), true}
				}
			}
			if j == len(s) {
				break
			}
			c := s[j]&^0x20 - 'A'
			bit := uint32(1) << (c & 31)
			if c > 25 || x.letters&bit == 0 {
				break
			}
			n = x.first + int32(bits.OnesCount32(x.letters&(bit-1)))
		}
	}
	d.ends = d.ends[:0]
	junk := false // the piece before was no word
	for i := len(s); i > 0; i = int(best[i].from) {
		if best[i].word {
			words++
		}
		if best[i].word || !junk {
			d.ends = append(d.ends, i)
		}
		junk = !best[i].word
	}
	slices.Reverse(d.ends)
	return d.ends, words, int(best[len(s)].cost) <= costLetter*len(s)
}
