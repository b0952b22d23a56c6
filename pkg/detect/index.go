package detect

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/stoplog/stoplog/pkg/view"
)

// index is the words of a text: its runs of ASCII letters and digits. A text is cut into
// words once; the lexicon, the gate and the sentences all read what was found then.
type index struct {
	word []uint64 // letters and digits, a bit for each byte
	stop []uint64 // signs that may end a sentence, and line feeds (view.Decoder.Bits)

	count  []int32 // how many words begin before each 64 bytes
	edges  []int32 // where each word begins, and where it ends
	words  []indexWord
	weight []int32 // of the words before each, for the gate

	likely []uint32  // words at which the lexicon may have something, and what: see mayKinds
	known  []lexWord // what its vocabulary says of these
}

// indexWord is what is read of each word again and again.
type indexWord struct {
	head uint64 // its first eight bytes, in lower case, padded with zeros
	stem uint64 // the gate's hash of it
	pair uint64 // of it and the word before
}

// fill finds the words of text, whose masks are there, and asks the lexicon's filters for
// them. It does so in three short loops, in which no step waits for what an earlier one
// looked up and few branches hang on the text: so the processor has many words in hand at once.
func (x *index) fill(text []byte, l *lexicon) {
	x.cut(len(text))
	x.hash(text)
	x.ask(l)
}

// cut notes where words begin and end.
func (x *index) cut(size int) {
	x.edges = grown(x.edges, size+2+view.Spare)
	x.count = grown(x.count, len(x.word))
	n, carry := 0, uint64(0)
	for i, w := range x.word {
		x.count[i] = int32(n+1) / 2
		n = view.Spread(x.edges, n, w^(w<<1|carry), i<<6)
		carry = w >> 63
	}
	if n&1 == 1 { // the last word ends with the text
		x.edges[n] = int32(size)
		n++
	}
	x.edges = x.edges[:n]
}

// at gives where word k begins and ends.
func (x *index) at(k int) (begin, end int) {
	e := x.edges[2*k : 2*k+2]
	return int(e[0]), int(e[1])
}

// grown gives a list of n elements whose values do not matter.
func grown[T any](list []T, n int) []T { return slices.Grow(list[:0], n)[:n] }

// hash hashes the words that were cut, as padded, stemHash and pairHash do.
func (x *index) hash(text []byte) {
	x.words = grown(x.words, len(x.edges)/2)
	words := x.words
	edges := x.edges[:2*len(words)]
	whole, before := len(text)-8, uint64(0)
	for k := range words {
		at, end := edges[2*k], edges[2*k+1]
		var head uint64
		if int(at) <= whole {
			head = binary.LittleEndian.Uint64(text[at:])
		} else {
			head = firstBytes(text, int(at), int(end))
		}
		size := &wordSizes[min(int(end-at), len(wordSizes)-1)]
		head = (head | lowBits) & size.letters
		stem := head&(1<<(8*stemBytes)-1)*size.factor + size.longer
		if byte(head) <= '9' {
			stem = gateDigit
		}
		w := &words[k]
		w.head, w.stem, w.pair = head, stem, pairHash(before, stem)
		before = stem
	}
}

// wordSizes is what hashing a word needs to know of its number of letters: to look it up
// is quicker than to shift by it.
var wordSizes = func() (t [10]struct{ letters, factor, longer uint64 }) {
	for n := 1; n < len(t); n++ {
		s := &t[n]
		s.letters = padded(math.MaxUint64, n)
		s.factor = gateOne << (64 - 8*min(n, stemBytes))
		s.longer = uint64(stemBytes-n) >> 63 * gateOne
	}
	return
}()

// ask notes which words the lexicon may know.
func (x *index) ask(l *lexicon) {
	x.likely = grown(x.likely, len(x.words))
	words, likely, found, phrase := x.words, x.likely, 0, 0
	for k := len(words) - 1; k >= 0; k-- {
		w := &words[k]
		may := one(l.words.has(w.head*gateTwo))*mayWord | one(l.stems.has(w.stem))*mayStem | phrase
		likely[found] = uint32(k<<mayKinds | may)
		found += one(may != 0)
		phrase = one(l.pairs.has(w.pair)) * mayPhrase
	}
	x.likely = likely[:found]
}

// padded gives the first n of eight bytes, in lower case if they are letters, and zeros.
func padded(a uint64, n int) uint64 {
	beyond := 64 - 8*min(n, 8)
	return (a | lowBits) << (beyond & 63) >> (beyond & 63)
}

// before gives the number of words that begin before text[at].
func (x *index) before(at int) int {
	k := at >> 6
	if k == len(x.word) {
		return len(x.words)
	}
	w := x.word[k]
	first := w &^ (w << 1)
	if k > 0 {
		first &^= x.word[k-1] >> 63
	}
	return int(x.count[k]) + bits.OnesCount64(first&(1<<(at&63)-1))
}
