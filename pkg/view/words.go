package view

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// Words is a vocabulary: what broken, shuffled and run-together words are put
// back into. It is immutable once made. A nil *Words knows no word.
type Words struct {
	nodes []wordNode
	// shuffled finds a word by its first letter and the letters behind it, in
	// whatever order, one of them perhaps missing. Places is a table with open addresses:
	// half a hash and the number in shuffled, from 1 on.
	shuffled []shuffledWord
	places   []uint32
	// maybe has two bits for every signature: most words are in no order of another.
	maybe [1 << (maybeBits - 6)]uint64
}

// shuffledWord is a word with the signature that it is found by.
type shuffledWord struct {
	signature uint32
	word      string
}

const maybeBits = 19

// maybeSlot gives the two bits of a signature, which lie in one word.
func maybeSlot(signature uint32) (word uint32, two uint64) {
	h := signature * 0x9e3779b1
	return h >> (32 + 6 - maybeBits), 1<<(h&63) | 1<<(h>>6&63)
}

// maxShuffled is how many words may be found by their letters.
const maxShuffled = 1<<16 - 1

// find gives the word with a signature; empty: there is none. The word may be added at
// the place.
func (w *Words) find(signature uint32) (word string, place uint32) {
	mask := uint32(len(w.places) - 1)
	hash := signature * 0x9e3779b1
	for i := hash >> 8 & mask; ; i = (i + 1) & mask {
		x := w.places[i]
		if x == 0 {
			return "", i
		}
		if (x^hash)>>16 == 0 {
			if s := &w.shuffled[x&maxShuffled-1]; s.signature == signature {
				return s.word, i
			}
		}
	}
}

// add lets a word be found by a signature, unless one is.
func (w *Words) add(signature uint32, word string) {
	t, place := w.find(signature)
	if t != "" || len(w.shuffled) == maxShuffled {
		return
	}
	w.shuffled = append(w.shuffled, shuffledWord{signature, word})
	w.places[place] = signature*0x9e3779b1&^maxShuffled | uint32(len(w.shuffled))
	k, two := maybeSlot(signature)
	w.maybe[k] |= two
}

// wordNode is one beginning of words: a bit for each letter that goes on from it, and
// wordEnd. Its children lie together, in order of their letters: all nodes together fit
// into a processor's nearer cache.
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

// plant fills the nodes with the words of a list that are made of the letters a to z.
func (w *Words) plant(list []string) {
	words := make([]string, 0, len(list))
	for _, s := range list {
		if len(s) >= 2 && len(s) <= 24 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == "" {
			words = append(words, s)
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	// The words that a node begins are words[from:to]; nodes are filled in order.
	type span struct{ from, to, depth int }
	spans := []span{{0, len(words), 0}}
	w.nodes = []wordNode{{}}
	for n := 0; n < len(spans); n++ {
		x := spans[n]
		node := wordNode{first: int32(len(spans))}
		for i := x.from; i < x.to; {
			if len(words[i]) == x.depth {
				node.letters |= wordEnd
				i++
				continue
			}
			c := words[i][x.depth]
			from := i
			for i < x.to && words[i][x.depth] == c {
				i++
			}
			node.letters |= 1 << (c - 'a')
			spans = append(spans, span{from, i, x.depth + 1})
			w.nodes = append(w.nodes, wordNode{})
		}
		w.nodes[n] = node
	}
}

// NewWords makes a vocabulary of folded words; what is not made of the letters a
// to z, or is shorter than two, is left out.
func NewWords(list []string) *Words {
	w := &Words{places: make([]uint32, 2*(maxShuffled+1))}
	w.plant(list)
	// Whole words first: they win over words that lost a letter.
	for _, s := range slices.Backward(list) {
		if len(s) >= 5 && w.has([]byte(s)) {
			w.add(signature([]byte(s)), s)
		}
	}
	for _, s := range list {
		if len(s) < 7 || !w.has([]byte(s)) {
			continue
		}
		// Without its last letter a word is most often another word.
		for i := 1; i+1 < len(s); i++ {
			w.add(signature([]byte(s[:i]+s[i+1:])), s)
		}
	}
	return w
}

func (w *Words) has(s []byte) bool {
	if w == nil {
		return false
	}
	n := int32(0)
	for _, c := range s {
		if n = w.next(n, c|0x20); n == 0 {
			return false
		}
	}
	return w.nodes[n].letters&wordEnd != 0
}

// letterHash are fixed odd numbers, one for each letter; 0 for what is no letter.
var letterHash = func() (h [32]uint32) {
	x := uint32(0x9e3779b9)
	for i := 1; i < len(h); i++ {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		h[i] = x | 1
	}
	return h
}()

// signature depends on the first letter and on which letters follow, not on
// their order.
func signature(s []byte) uint32 {
	var sum uint32
	for _, c := range s[1:] {
		sum += letterHash[c&31]
	}
	return sum*31 + letterHash[s[0]&31]*7
}

// signatureAt is signature of text[from:to], which are eight letters and more. Most are sixteen
// at most: those are summed up without a loop.
func signatureAt(text []byte, from, to int) uint32 {
	n := to - from
	if n > 16 || from+16 > len(text) {
		return signature(text[from:to])
	}
	h := &letterHash
	a := binary.LittleEndian.Uint64(text[from:])
	b := binary.LittleEndian.Uint64(text[from+8:]) & (1<<(8*(n-8)) - 1)
	sum := h[a>>8&31] + h[a>>16&31] + h[a>>24&31] + h[a>>32&31] + h[a>>40&31] + h[a>>48&31] + h[a>>56&31] +
		h[b&31] + h[b>>8&31] + h[b>>16&31] + h[b>>24&31] + h[b>>32&31] + h[b>>40&31] + h[b>>48&31] + h[b>>56&31]
	return sum*31 + h[a&31]*7
}

// mayUnshuffle gives the signature of s if some word may have it.
func (w *Words) mayUnshuffle(s []byte) (uint32, bool) {
	if w == nil || len(s) < 5 || len(s) > 24 {
		return 0, false
	}
	k := signature(s)
	h, two := maybeSlot(k)
	return k, w.maybe[h]&two == two
}

// known remembers words that are no other words' shuffled forms, though they have the
// signature of some: most are of the vocabulary, which lies far away. It holds up to sixteen
// letters, whole.
type known [256][2]uint64

// holds reports that s is such a word, and where it would be.
func (m *known) holds(s []byte) (ok bool, slot *[2]uint64, key [2]uint64) {
	var b [16]byte
	if copy(b[:], s) < len(s) {
		return false, nil, key
	}
	key = [2]uint64{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
	slot = &m[(key[0]*0x9e3779b97f4a7c15^key[1]*0xc2b2ae3d27d4eb4f)>>56]
	return *slot == key, slot, key
}

// unshuffle gives the word that s is a shuffled form of, or that s has lost a
// letter of, if it is none itself.
func (w *Words) unshuffle(s []byte) (string, bool) {
	k, ok := w.mayUnshuffle(s)
	if !ok {
		return "", false
	}
	t, _ := w.find(k)
	if t == "" {
		return "", false
	}
	if len(t) == len(s)+1 {
		return t, loses(t, s) && !w.has(s)
	}
	if len(t) != len(s) {
		return "", false
	}
	same := 0 // most often it is the word itself
	for same < len(s) && s[same]|0x20 == t[same] {
		same++
	}
	if same == len(s) {
		return "", false
	}
	var count [26]int8
	for i, c := range s {
		c |= 0x20
		if c < 'a' || c > 'z' {
			return "", false
		}
		count[c-'a']++
		count[t[i]-'a']--
	}
	return t, count == [26]int8{} && !w.has(s)
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

// cell is the best cut of the letters up to one place.
type cell struct {
	score int32
	from  int32
	word  bool
}

// segment cuts letters that were written together into words of the vocabulary.
// It gives the ends of the pieces, and how many letters words cover. The slice is
// valid until the next call.
func (d *Decoder) segment(s []byte) (ends []int, words, covered int) {
	w := d.words
	if w == nil {
		return nil, 0, 0
	}
	if cap(d.cell) <= len(s) {
		d.cell = make([]cell, 2*len(s)+64)
	}
	best := d.cell[:len(s)+1]
	clear(best)
	for i := range s {
		here := best[i].score
		if i == 0 || here >= best[i+1].score && !best[i+1].word {
			best[i+1] = cell{here, int32(i), false}
		}
		n := int32(0)
		for j := i; j < len(s); j++ {
			if n = w.next(n, s[j]|0x20); n == 0 {
				break
			}
			l := int32(j + 1 - i)
			if sc := here + l*l; w.nodes[n].letters&wordEnd != 0 && sc > best[j+1].score {
				best[j+1] = cell{sc, int32(i), true}
			}
		}
	}
	d.ends = d.ends[:0]
	junk := false // the piece before was no word
	for i := len(s); i > 0; i = int(best[i].from) {
		if best[i].word {
			words++
			covered += i - int(best[i].from)
		}
		if best[i].word || !junk {
			d.ends = append(d.ends, i)
		}
		junk = !best[i].word
	}
	slices.Reverse(d.ends)
	return d.ends, words, covered
}
