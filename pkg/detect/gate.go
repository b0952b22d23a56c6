package detect

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"
)

// The gate is the first stage of the model: a table of small weights for words and
// pairs of neighbouring words, learned from what the model itself says of windows
// (corpus/train). One pass over a text cuts it into sentences and adds up the
// weights of each; only sentences that reach a threshold, alone or with those
// beside them, are described and scored. What it loses and what it lets through is
// in docs/model-card.md.
type gate struct {
	table []int8     // 1<<gateBits weights
	scale float64    // what one step of a weight is worth
	bias  [2]float64 // by kind of window
	at    float64    // the threshold
	ease  int32      // added for what was hidden or encoded, in steps
	need  [2][gateCount]int32
}

// gateBits is the size of the gate's table: it must stay in the cache next to the
// processor, among everything else that a scan touches.
const gateBits = 17

// GateSize is the number of slots that words and pairs are hashed into.
const GateSize = 1 << gateBits

// gateCount bounds the length of a window in words that thresholds know.
const gateCount = 256

// piece is one sentence of a text, with the weight and the number of its words.
type piece struct{ start, end, sum, n int32 }

func (p piece) with(q piece) piece { return piece{p.start, q.end, p.sum + q.sum, p.n + q.n} }

// margin is how far a window of n words lies above the threshold.
func (g *gate) margin(kind WindowKind, sum, n int32) float64 {
	return g.bias[kind] + g.scale*float64(sum)*GateUnit(int(n)) - g.at
}

// GateUnit is what each of the weights of n words counts.
func GateUnit(n int) float64 { return 1 / math.Sqrt(float64(2*min(max(n, 1), gateCount-1))) }

// prepare turns the threshold into sums.
func (g *gate) prepare() {
	for kind := range g.need {
		for n := range g.need[kind] {
			need := (g.at - g.bias[kind]) / g.scale / GateUnit(n)
			g.need[kind][n] = int32(math.Ceil(min(max(need, math.MinInt32), math.MaxInt32)))
		}
	}
}

func (g *gate) passes(kind WindowKind, sum, n, ease int32) bool {
	return sum+ease >= g.need[kind][min(n, gateCount-1)]
}

const (
	gateOne   = 0x9e3779b97f4a7c15
	gateTwo   = 0xc2b2ae3d27d4eb4f
	gateThree = 0xff51afd7ed558ccd
	// gateDigit stands for every word that begins with a digit.
	gateDigit = 0x5851f42d4c957f2d
	lowBits   = 0x2020202020202020
)

// wordHash hashes an ASCII word by its first and its last eight bytes and whether
// letters are capital or not.
func wordHash(first, last uint64) uint64 {
	return (first|lowBits)*gateOne ^ bits.RotateLeft64((last|lowBits)*gateTwo, 29)
}

// ends reads the first and the last eight bytes of text[from:to], shorter words
// shifted to the upper end of both.
func ends(text []byte, from, to int) (first, last uint64) {
	for i := from; i < min(to, from+8); i++ {
		first = first>>8 | uint64(text[i])<<56
	}
	for i := max(from, to-8); i < to; i++ {
		last = last>>8 | uint64(text[i])<<56
	}
	return first, last
}

func gateSlot(h uint64) uint64 { return h >> (64 - gateBits) }

// pairHash hashes a word with the one before it.
func pairHash(before, h uint64) uint64 {
	return (bits.RotateLeft64(before, 17) + h) * gateThree
}

// wordMask tells the letters and digits among the first 64 bytes of ASCII text.
func wordMask(text []byte) (mask uint64) {
	if len(text) >= 64 {
		for k := 0; k < 64; k += 8 {
			mask |= wordMask8(binary.LittleEndian.Uint64(text[k:])) << k
		}
		return mask
	}
	for i, c := range text {
		if modelByte(c | 0x20) {
			mask |= 1 << i
		}
	}
	return mask
}

// wordMask8 is wordMask of eight bytes, all below 0x80.
func wordMask8(x uint64) uint64 {
	const ones = 0x0101010101010101
	l := x | lowBits
	letter := (l + (0x80-'a')*ones) &^ (l + (0x7f-'z')*ones)
	digit := (x + (0x80-'0')*ones) &^ (x + (0x7f-'9')*ones)
	return ((letter | digit) & (0x80 * ones) >> 7) * 0x0102040810204080 >> 56
}

// run cuts text into sentences and weighs them. Every byte lies in exactly one.
func (g *gate) run(dst []piece, text []byte, plain bool) []piece {
	if plain {
		return g.ascii(dst, text)
	}
	w := gateWalk{text: text, dst: dst, table: g.table}
	w.wide()
	return w.dst
}

// gateWalk is one pass. Slots is nil, or takes the slots instead of a table.
type gateWalk struct {
	text  []byte
	dst   []piece
	table []int8
	slots *[]uint32

	begin  int // of the sentence
	sum, n int32
	before uint64 // the word before, in the same sentence
}

func (w *gateWalk) cut(at int) {
	w.dst = append(w.dst, piece{int32(w.begin), int32(at), w.sum, w.n})
	w.begin, w.sum, w.n, w.before = at, 0, 0, 0
}

// gap looks for the end of a sentence among the signs text[from:to].
func (w *gateWalk) gap(from, to int) {
	for i := from; i < to; i++ {
		if n := i + 1 - w.begin; n >= sentenceMin && w.text[i] <= '?' && sentenceEnd(w.text, i) || n >= 2*sentenceMax && utf8.RuneStart(w.text[min(i+1, len(w.text)-1)]) {
			w.cut(i + 1)
		}
	}
}

func (w *gateWalk) token(h uint64) {
	pair := pairHash(w.before, h)
	w.before = h
	w.n++
	if w.slots != nil {
		*w.slots = append(*w.slots, uint32(gateSlot(h)), uint32(gateSlot(pair)))
		return
	}
	w.sum += int32(w.table[gateSlot(h)]) + int32(w.table[gateSlot(pair)])
}

// finish ends the last sentence; one that is too short joins the one before.
func (w *gateWalk) finish() {
	if w.begin == len(w.text) {
		return
	}
	if k := len(w.dst); k > 0 && len(w.text)-w.begin < sentenceMin && w.dst[k-1].end-w.dst[k-1].start < sentenceMax {
		p := &w.dst[k-1]
		p.end, p.sum, p.n = int32(len(w.text)), p.sum+w.sum, p.n+w.n
		return
	}
	w.cut(len(w.text))
}

// ascii is the pass over ASCII text. It is written out, not composed: it runs over
// everything that is read.
func (g *gate) ascii(dst []piece, text []byte) []piece {
	w := gateWalk{text: text, dst: dst, table: g.table}
	table := (*[GateSize]int8)(g.table)
	last := 0 // the end of the last word
	start, in := 0, false
	carry := uint64(0)
	var sum, n int32
	var before uint64
	for base := 0; base < len(text); base += 64 {
		m := wordMask(text[base:])
		edges := m ^ (m<<1 | carry)
		carry = m >> 63
		for ; edges != 0; edges &= edges - 1 {
			at := base + bits.TrailingZeros64(edges)
			if !in {
				start, in = at, true
				continue
			}
			in = false
			if start-last != 1 || text[last] != ' ' || start-w.begin >= sentenceMax {
				w.sum, w.n, w.before = sum, n, before
				w.between(last, start)
				sum, n, before = w.sum, w.n, w.before
			}
			last = at
			var a, b uint64
			if at >= 8 && start+8 <= len(text) {
				a, b = binary.LittleEndian.Uint64(text[start:start+8:len(text)]), binary.LittleEndian.Uint64(text[at-8:at:len(text)])
				shift := uint(64 - 8*min(at-start, 8))
				a, b = a<<(shift&63), b>>(shift&63)<<(shift&63)
			} else {
				a, b = ends(text, start, at)
			}
			h := wordHash(a, b)
			if text[start] <= '9' {
				h = gateDigit
			}
			pair := pairHash(before, h)
			before = h
			n++
			sum += int32(table[h>>(64-gateBits)]) + int32(table[pair>>(64-gateBits)])
			if at-w.begin >= 2*sentenceMax {
				w.sum, w.n, w.before = sum, n, before
				w.long(at)
				sum, n, before = w.sum, w.n, w.before
			}
		}
	}
	w.sum, w.n, w.before = sum, n, before
	if in {
		w.between(last, start)
		h := wordHash(ends(text, start, len(text)))
		if text[start] <= '9' {
			h = gateDigit
		}
		w.token(h)
		w.long(len(text))
	} else {
		w.gap(last, len(text))
	}
	w.finish()
	return w.dst
}

// between deals with the signs between two words.
func (w *gateWalk) between(from, to int) {
	w.gap(from, to)
	if to-w.begin >= sentenceMax {
		w.cut(to)
	}
}

// long cuts a word that is longer than sentences may be.
func (w *gateWalk) long(at int) {
	for at-w.begin >= 2*sentenceMax {
		to := w.begin + sentenceMax
		for !utf8.RuneStart(w.text[to]) && to > w.begin+1 {
			to--
		}
		w.cut(to)
	}
}

// wide is the pass over any text. Of scripts without spaces each pair of letters
// is a word.
func (w *gateWalk) wide() {
	text := w.text
	last := 0
	for i := 0; i < len(text); {
		from, h, ascii, ideo, old := i, uint64(gateOne), true, false, rune(0)
		for i < len(text) {
			c := text[i]
			if c < utf8.RuneSelf {
				if ideo || !modelByte(c|0x20) {
					break
				}
				h = mixHash(h, uint64(c|0x20))
				i++
				continue
			}
			r, n := utf8.DecodeRune(text[i:])
			if !modelRune(r) {
				break
			}
			if u := unspaced(r); u != ideo {
				if from < i {
					break
				}
				ideo = u
			}
			if ideo {
				if from == i {
					w.between(last, i)
				} else {
					w.token(mixHash(mixHash(gateTwo, uint64(old)), uint64(r)) * gateOne)
				}
				old = r
				i += n
				last = i
				if i-w.begin >= sentenceMax {
					w.cut(i)
				}
				continue
			}
			ascii = false
			for k := i; k < i+n; k++ {
				h = mixHash(h, uint64(text[k]))
			}
			i += n
		}
		if from == i { // a sign
			if text[i] < utf8.RuneSelf {
				i++
			} else {
				_, n := utf8.DecodeRune(text[i:])
				i += n
			}
			continue
		}
		if ideo {
			continue
		}
		w.between(last, from)
		last = i
		switch {
		case text[from] <= '9':
			h = gateDigit
		case ascii:
			h = wordHash(ends(text, from, i))
		default:
			h *= gateOne
		}
		w.token(h)
		w.long(i)
	}
	w.gap(last, len(text))
	w.finish()
}

// GateSlots appends the slots of the words and pairs of a window's text, two for
// each word.
func GateSlots(dst []uint32, text []byte) []uint32 {
	w := gateWalk{text: text, slots: &dst}
	w.wide()
	return dst
}
