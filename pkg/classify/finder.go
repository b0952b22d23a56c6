package classify

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/stoplog/stoplog/corpus/recognisers"
)

// finder finds many lower-case words in one pass. Upper-case ASCII counts as lower case;
// every occurrence of every word is reported, overlapping ones too.
//
// It looks at four bytes at a time, at every place, without a state that one place hands
// to the next: a bit says whether any word begins with them, and only then a table is
// asked which. So text without such words costs less than a nanosecond a byte, where an
// automaton waits for memory at every step.
type finder struct {
	bits  [1 << gramBits / 64]uint64
	again [1 << 16 / 64]uint64 // the same by another hash: most of what passes the first by chance ends here
	slots []gramSlot           // open addressing; a power of two
	shift int
	lists [][]gramWord
	words []string
}

type gramSlot struct {
	gram uint32
	list int32 // 0: empty
}

type gramWord struct {
	word  int32
	at    int16 // of the four bytes in the word; -1: an edge stands before it
	first byte  // of the word
}

const (
	gramBits = 20
	gramCase = 0x20202020 // folds letters, and some signs with others: words are compared afterwards
)

// blanks is what eight blanks are. No word holds five in a row.
const blanks = gramCase<<32 | gramCase

func gramHashAgain(v uint32) uint32 { return v * 0xC2B2AE35 >> 16 }

func gramHash(v uint32) uint32 { return v * 0x9E3779B1 >> (32 - gramBits) }

// anyNext is what may stand behind a short word of which nothing else is known: ASCII.
var anyNext = func() (c byteSet) {
	for _, b := range []byte("\t\n\r") {
		c.add(b)
	}
	for b := byte(' '); b < 0x7f; b++ {
		c.add(b)
	}
	return
}()

// wordEdge as a word's first byte stands for anything that no word goes on with. It makes
// short words rare.
const wordEdge = 0

var edgeBytes = func() (c byteSet) {
	for _, b := range []byte(" \n\t\r\"'`=:;,(<>[{/|\\") {
		c.add(b)
	}
	return
}()

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }
func (s *byteSet) or(o *byteSet) {
	for i := range s {
		s[i] |= o[i]
	}
}

// newFinder takes words of at least two bytes. next gives for a word shorter than four
// what may follow it, as far as that is known; a word of two bytes needs one class at
// least, or an edge before it.
func newFinder(words []string, next [][]byteSet) *finder {
	f := &finder{words: words, lists: [][]gramWord{nil}}
	list := map[uint32]int32{}
	put := func(v uint32, word, at int) {
		v |= gramCase
		if list[v] == 0 {
			list[v] = int32(len(f.lists))
			f.lists = append(f.lists, nil)
		}
		l := &f.lists[list[v]]
		if n := len(*l); n == 0 || (*l)[n-1].word != int32(word) {
			*l = append(*l, gramWord{int32(word), int16(at), f.words[word][0]})
		}
		h := gramHash(v)
		f.bits[h>>6] |= 1 << (h & 63)
		h = gramHashAgain(v)
		f.again[h>>6] |= 1 << (h & 63)
	}
	for i, w := range words {
		edge := w[0] == wordEdge
		if edge {
			w = w[1:]
			f.words[i] = w
		}
		if len(w) < 2 || len(w) == 2 && !edge && (i >= len(next) || len(next[i]) == 0) {
			panic("classify: word too short to look for: " + w)
		}
		if len(w) >= 4 {
			at := rarest(w)
			put(uint32(w[at])|uint32(w[at+1])<<8|uint32(w[at+2])<<16|uint32(w[at+3])<<24, i, at)
			continue
		}
		var sets []*byteSet // what each of the four bytes can be
		at := 0
		if edge {
			at = -1
			sets = append(sets, &edgeBytes)
		}
		for k := range w {
			var one byteSet
			one.add(w[k])
			sets = append(sets, &one)
		}
		for k := 0; len(sets) < 4; k++ {
			if i < len(next) && k < len(next[i]) {
				sets = append(sets, &next[i][k])
			} else {
				sets = append(sets, &anyNext)
			}
		}
		var expand func(v uint32, k int)
		expand = func(v uint32, k int) {
			if k == 4 {
				put(v, i, at)
				return
			}
			var done byteSet
			for c := range 256 {
				if folded := byte(c) | 0x20; sets[k].has(byte(c)) && !done.has(folded) {
					done.add(folded)
					expand(v|uint32(folded)<<(8*k), k+1)
				}
			}
		}
		expand(0, 0)
	}
	n := bits.Len(uint(2 * len(list)))
	f.shift = 32 - n
	f.slots = make([]gramSlot, 1<<n)
	for v, l := range list {
		h := f.slot(v)
		for f.slots[h].list != 0 {
			h = (h + 1) & (1<<n - 1)
		}
		f.slots[h] = gramSlot{v, l}
	}
	return f
}

// everywhere holds the sequences of four letters of words that payloads, logs and code are
// full of, as names of members and in addresses: pairs of letters alone take some for rare.
var everywhere = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`subscription subscribers number members organization organizations owner private receive received events
login admin administrator account accounts assignees deployments permissions sessions review reviews repository hooks project projects customer customers
social chart format template created updated description object source status content version parent payment address available default
assignee_id product_id user_id order_number`) {
		for i := 0; i+4 <= len(w); i++ {
			m[w[i:i+4]] = true
		}
	}
	return m
}()

// rarest gives the place of the four bytes of a word that prose and source code have
// least, as their pairs of letters go.
func rarest(w string) int {
	best, at := -1, 0
	for i := 0; i+4 <= len(w) && i < 24; i++ {
		score, prev := 0, byte(0)
		for k := i; k < i+4; k++ {
			sym := pairSymbol[w[k]]
			switch {
			case sym != 0 && k == i:
				score += 24 // what stands before it is not known
			case sym != 0:
				score -= int(int8(recognisers.Pairs[int(prev)<<6|int(sym)]))
			case w[k] < utf8.RuneSelf:
				score += 24
			default:
				score += 40
			}
			prev = sym
		}
		if w[i] == w[i+1] && w[i] == w[i+2] && w[i] == w[i+3] || w[i:i+4] == ".com" { // rules of dashes
			score = 0
		}
		if everywhere[w[i:i+4]] {
			score /= 4
		}
		if score > best {
			best, at = score, i
		}
	}
	return at
}

func (f *finder) slot(v uint32) uint32 { return v * 0x85EBCA6B >> f.shift }

// list gives the words that may begin with four folded bytes.
func (f *finder) list(v uint32) []gramWord {
	mask := uint32(len(f.slots) - 1)
	for h := f.slot(v); ; h = (h + 1) & mask {
		switch s := f.slots[h]; {
		case s.list == 0:
			return nil
		case s.gram == v:
			return f.lists[s.list]
		}
	}
}

// find reports every word with its place.
func (f *finder) find(text []byte, report func(word, start, end int)) {
	var head [4]byte // before the first byte is an edge
	head[0] = ' '
	copy(head[1:], text)
	f.check(text, -1, binary.LittleEndian.Uint32(head[:])|gramCase, report)
	i := 0
	for ; i+12 <= len(text); i += 8 {
		b := (*[12]byte)(text[i : i+12])
		v := binary.LittleEndian.Uint64(b[:8]) | blanks
		w := binary.LittleEndian.Uint64(b[4:]) | blanks
		if v == blanks && w == blanks { // indentation
			continue
		}
		if f.may(uint32(v)) {
			f.check(text, i, uint32(v), report)
		}
		if f.may(uint32(v >> 8)) {
			f.check(text, i+1, uint32(v>>8), report)
		}
		if f.may(uint32(v >> 16)) {
			f.check(text, i+2, uint32(v>>16), report)
		}
		if f.may(uint32(v >> 24)) {
			f.check(text, i+3, uint32(v>>24), report)
		}
		if f.may(uint32(w)) {
			f.check(text, i+4, uint32(w), report)
		}
		if f.may(uint32(w >> 8)) {
			f.check(text, i+5, uint32(w>>8), report)
		}
		if f.may(uint32(w >> 16)) {
			f.check(text, i+6, uint32(w>>16), report)
		}
		if f.may(uint32(w >> 24)) {
			f.check(text, i+7, uint32(w>>24), report)
		}
	}
	var tail [16]byte // the last places, as if blanks followed
	n := copy(tail[:], text[i:])
	for k := range n {
		if v := binary.LittleEndian.Uint32(tail[k:]) | gramCase; f.may(v) {
			f.check(text, i+k, v, report)
		}
	}
}

// may reports whether some word may hold four folded bytes.
func (f *finder) may(v uint32) bool {
	h := gramHash(v)
	return f.bits[h>>6]&(1<<(h&63)) != 0
}

func (f *finder) check(text []byte, at int, v uint32, report func(word, start, end int)) {
	if h := gramHashAgain(v); f.again[h>>6]&(1<<(h&63)) == 0 {
		return
	}
	for _, w := range f.list(v) {
		start := at - int(w.at)
		if start < 0 || lowerByte[text[start]] != w.first {
			continue
		}
		if word := f.words[w.word]; hasWord(text[start:], word) {
			report(int(w.word), start, start+len(word))
		}
	}
}

// hasWord reports whether text begins with a lower-case word, in any case.
func hasWord(text []byte, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := 0; i < len(word); i++ {
		if lowerByte[text[i]] != word[i] {
			return false
		}
	}
	return true
}

// lowerByte is ASCII lower case.
var lowerByte = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if is(byte(i), cUpper) {
			t[i] += 'a' - 'A'
		}
	}
	return
}()
