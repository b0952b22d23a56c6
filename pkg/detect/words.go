package detect

import (
	"encoding/binary"
	"math/bits"
)

// words remembers, for words met lately, their hash and what the model says of them and
// of the letters inside: most words of a text were met before. It holds words
// whole, so that no word can pass for another, and of one model only.
type words struct {
	seen [1 << wordBits]seenWord
	of   *Model
}

// wordBits is the number of words that are remembered: as many as stay in the cache of
// the processor.
const wordBits = 12

// seenWord is a word of up to fifteen ASCII letters. Two fill a line of the cache, and none lies
// in two.
type seenWord struct {
	a, b  uint64 // its letters
	hash  uint64
	grams grams
}

// remember has words of m remembered from now on.
func (f *Features) remember(m *Model) {
	if f.words == nil {
		if f.memory == nil {
			f.memory = new(words)
		}
		f.words = f.memory
	}
	if f.words.of != m {
		*f.words = words{of: m}
	}
}

// met takes the word at text[i] if it consists of a few ASCII letters and is no link or
// address, and gives its length; otherwise 0. With chars it adds what its grams weigh.
func (f *Features) met(text []byte, i, to int, chars bool) int {
	if i+16 > len(text) {
		return 0
	}
	a, n := letters(binary.LittleEndian.Uint64(text[i:]))
	b := uint64(0)
	if n == 8 {
		var k int
		if b, k = letters(binary.LittleEndian.Uint64(text[i+8:])); k == 8 {
			return 0
		}
		n += k
	}
	end := i + n
	if n == 0 || end > to {
		return 0
	}
	if end < to {
		if goesOn[text[end]] || n == 1 && text[end] == '+' { // it may be the name of a character
			return 0
		}
	}
	const http, www = 0x70747468, 0x777777
	if a&0xffffffff == http || a&0xffffff == www {
		return 0
	}
	w := &f.words.seen[(a*gateOne^b*gateTwo)>>(64-wordBits)]
	if w.a != a || w.b != b {
		*w = seenWord{a, b, hashLetters(a, b, n), unweighed}
	}
	f.all = append(f.all, gramToken{w.hash, int32(i), tokWord})
	if f.echoes(w.hash) {
		return n
	}
	f.toks = append(f.toks, gramToken{w.hash, int32(i), tokWord})
	if chars {
		if w.grams == unweighed {
			w.grams = f.words.of.weighWord(a, b, n, w.hash)
		}
		f.known = f.known.with(w.grams)
	}
	return n
}

// unweighed stands for what a word weighs that was met in front of a window only.
var unweighed = grams{n: -1}

// hashLetters hashes a word of n small letters as [Features.word] does.
func hashLetters(a, b uint64, n int) uint64 {
	h := uint64(hashSeed)
	for k := min(n, 8); k > 0; k-- {
		h = mixHash(h, a&0xff)
		a >>= 8
	}
	for k := n - 8; k > 0; k-- {
		h = mixHash(h, b&0xff)
		b >>= 8
	}
	return h
}

// weighWord gives what the model says of a word of n small letters, and of the letters inside: what
// [Features.token] and [Features.chars] find in it.
func (m *Model) weighWord(a, b uint64, n int, hash uint64) grams {
	var slots [1 + 3*17]uint32
	slots[0] = gramSlot(mixHash(saltWord, hash))
	k := 1
	if n >= 4 {
		var r [17 + 3]byte // what lies behind the last sign is written over
		r[0] = '_'
		binary.LittleEndian.PutUint64(r[1:], a)
		binary.LittleEndian.PutUint64(r[9:], b)
		r[n+1] = '_'
		n += 2
		for i := 0; i+3 <= n; i++ {
			h := mixHash(mixHash(mixHash(saltChars, uint64(r[i])), uint64(r[i+1])), uint64(r[i+2]))
			slots[k] = gramSlot(h)
			h = mixHash(h, uint64(r[i+3]))
			slots[k+1] = gramSlot(h)
			slots[k+2] = gramSlot(mixHash(h, uint64(r[i+4])))
			k += 1 + one(i+4 <= n) + one(i+5 <= n)
		}
	}
	return m.weigh(slots[:k])
}

// goesOn: behind letters these may belong to the same word, or make an address of it.
var goesOn = func() (t [256]bool) {
	for b := range t {
		t[b] = b == '\'' || b == '@' || b >= 0x80 || b >= '0' && b <= '9'
	}
	return
}()

// letters gives the ASCII letters at the beginning of eight bytes, as small ones, and
// their number.
func letters(x uint64) (uint64, int) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	l := x&^highs | lowBits
	letter := (l + (0x80-'a')*ones) &^ (l + (0x7f-'z')*ones) &^ x & highs
	n := bits.TrailingZeros64(^letter&highs) >> 3
	if n == 8 {
		return l, 8
	}
	return l & (1<<(8*n&63) - 1), n
}

// weigh gives what the grams gathered weigh.
func (f *Features) weigh(m *Model) grams {
	g := m.weigh(f.Grams).with(f.known)
	f.known = grams{}
	return g
}

func (m *Model) weigh(slots []uint32) (g grams) {
	table := (*[TableSize]int8)(m.weights)
	for _, x := range slots {
		g.sum += int32(table[x%TableSize])
	}
	g.n = int32(len(slots))
	return g
}
