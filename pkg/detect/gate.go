package detect

import (
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// The gate is the first stage of the model: a table of small weights, learned from
// what the model itself says of windows (corpus/train), for the first letters of words,
// for pairs of neighbouring words and for the classes of cues, which carry over from
// one language to another. One pass over a text cuts it into sentences and adds up the
// weights of each; only what reaches a threshold is described and scored. What it
// loses and what it lets through is in docs/model-card.md.
type gate struct {
	table []int8     // 1<<gateBits weights
	scale float64    // what one step of a weight is worth
	bias  [2]float64 // by kind of window
	at    float64    // the threshold
	ease  int32      // added for what was hidden or encoded, in steps
	need  [2][gateCount]int32
	open  bool // everything passes
}

// gateBits is the size of the gate's table: half a megabyte stays in the cache that a
// processor has to itself, among everything else that a scan touches. A quarter of it
// lets twice as many windows through, for the pairs of eighteen languages share slots.
const gateBits = 19

// GateSize is the number of slots that words and pairs are hashed into.
const GateSize = 1 << gateBits

// gateCount bounds the length of a window in words that thresholds know.
const gateCount = 256

// piece is one sentence of a text, with the weight and the number of its words, and the number
// of the first term found in it.
type piece struct{ start, end, sum, n, occ int32 }

func (p piece) with(q piece) piece {
	return piece{p.start, q.end, p.sum + q.sum, p.n + q.n, p.occ}
}

// margin is how far a window of n words lies above the threshold.
func (g *gate) margin(kind WindowKind, sum, n int32) float64 {
	return g.bias[kind] + g.scale*float64(sum)*GateUnit(int(n)) - g.at
}

// GateUnit is what each of the weights of n words counts.
func GateUnit(n int) float64 { return 1 / math.Sqrt(float64(2*min(max(n, 1), gateCount-1))) }

// prepare turns the thresholds into sums.
func (g *gate) prepare() {
	for kind := range g.need {
		for n := range g.need[kind] {
			need := (g.at - g.bias[kind]) / g.scale / GateUnit(n)
			g.need[kind][n] = int32(math.Ceil(min(max(need, math.MinInt32), math.MaxInt32)))
		}
	}
}

func (g *gate) passes(kind WindowKind, sum, n, ease int32) bool {
	return g.open || sum+ease >= g.need[kind][min(n, gateCount-1)]
}

const (
	gateOne   = 0x9e3779b97f4a7c15
	gateTwo   = 0xc2b2ae3d27d4eb4f
	gateThree = 0xff51afd7ed558ccd
	// gateDigit stands for every word that begins with a digit.
	gateDigit = 0x5851f42d4c957f2d
	lowBits   = 0x2020202020202020
)

// stemBytes is how much of a word the gate sees: in most languages what follows is
// inflection.
const stemBytes = 5

// stemHash hashes a word of n letters by its first eight bytes, whether they are
// capital or not.
func stemHash(first uint64, n int) uint64 {
	return ((first|lowBits)<<(64-8*min(n, stemBytes)&63) | uint64(stemBytes-n)>>63) * gateOne
}

// gateHash is what the gate sees of a word of n letters that begins so (see padded).
func gateHash(head uint64, n int) uint64 {
	if byte(head) <= '9' {
		return gateDigit
	}
	return stemHash(head, n)
}

// firstBytes reads the first bytes of text[from:to].
func firstBytes(text []byte, from, to int) (first uint64) {
	for i := min(from+8, to) - 1; i >= from; i-- {
		first = first<<8 | uint64(text[i])
	}
	return first
}

func gateSlot(h uint64) uint64 { return h >> (64 - gateBits) }

// pairHash hashes a word with the one before it.
func pairHash(before, h uint64) uint64 {
	return (bits.RotateLeft64(before, 17) + h) * gateThree
}

// nextBit gives the first bit of m, or of its complement, at or behind i, or to when
// there is none before that.
func nextBit(m []uint64, i, to int, not uint64) int {
	if i >= to {
		return to
	}
	k := i >> 6
	for x := (m[k] ^ not) & (^uint64(0) << (i & 63)); ; x = m[k] ^ not {
		if x != 0 {
			return min(k<<6+bits.TrailingZeros64(x), to)
		}
		if k++; k<<6 >= to {
			return to
		}
	}
}

// run cuts text into sentences and weighs them. Every byte lies in exactly one. Of plain
// text the index tells its words; otherwise it is nil.
func (g *gate) run(dst []piece, text []byte, x *index) []piece {
	if x != nil {
		return g.ascii(dst, text, x)
	}
	return g.wide(dst, text, nil)
}

// wide is run for any text. Its index, if there is one, tells its words of ASCII letters.
func (g *gate) wide(dst []piece, text []byte, x *index) []piece {
	w := gateWalk{text: text, dst: dst, table: g.table, index: x}
	w.wide()
	return w.dst
}

// gateWalk is one pass. Slots is nil, or takes the slots instead of a table.
type gateWalk struct {
	text  []byte
	dst   []piece
	table []int8
	slots *[]uint32
	index *index // of the text; nil: there is none

	begin  int // of the sentence
	sum, n int32
	before uint64 // the word before, in the same sentence
}

func (w *gateWalk) cut(at int) {
	w.dst = append(w.dst, piece{start: int32(w.begin), end: int32(at), sum: w.sum, n: w.n})
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
	w.cut(len(w.text))
	if k := len(w.dst) - 2; k >= 0 && joined(w.dst[k], w.dst[k+1]) {
		w.dst[k] = w.dst[k].with(w.dst[k+1])
		w.dst = w.dst[:k+1]
	}
}

// ascii is the pass over ASCII text, which gives what wide gives.
func (g *gate) ascii(dst []piece, text []byte, x *index) []piece {
	from := len(dst)
	dst = x.sentences(dst, text)
	table := (*[GateSize]int8)(g.table)
	// The words of all sentences are weighed in one go, as if it were one sentence: each
	// look-up is likely to wait for memory, and none for another.
	x.weight = grown(x.weight, len(x.words)+1)
	sum, words, weight := int32(0), x.words, x.weight[:len(x.words)+1]
	for k := range words {
		w := &words[k]
		weight[k] = sum
		sum += int32(table[gateSlot(w.stem)]) + int32(table[gateSlot(w.pair)])
	}
	weight[len(x.words)] = sum
	at := 0
	for k := from; k < len(dst); k++ {
		p := &dst[k]
		to := x.before(int(p.end))
		p.sum, p.n = weight[to]-weight[at], int32(to-at)
		if to > at { // no word stands before the first one of a sentence
			w := &x.words[at]
			p.sum += int32(table[gateSlot(pairHash(0, w.stem))]) - int32(table[gateSlot(w.pair)])
		}
		at = to
	}
	if k := len(dst) - 2; k >= from && joined(dst[k], dst[k+1]) {
		dst[k] = dst[k].with(dst[k+1])
		dst = dst[:k+1]
	}
	return dst
}

// joined reports that the last sentence is so short that it belongs to the one before.
func joined(p, last piece) bool {
	return last.end-last.start < sentenceMin && p.end-p.start < sentenceMax
}

// sentences cuts text: behind what ends a sentence; where it grows long, before a word;
// where that is far away, anywhere.
func (x *index) sentences(dst []piece, text []byte) []piece {
	begin := 0
	cut := func(at int) {
		dst = append(dst, piece{start: int32(begin), end: int32(at)})
		begin = at
	}
	for begin < len(text) {
		// Nothing is looked for farther away than it can matter.
		far := min(begin+sentenceMax, len(text))
		stop := begin + sentenceMin - 1
		for stop = nextBit(x.stop, stop, far, 0); stop < far && !sentenceEnd(text, stop); {
			stop = nextBit(x.stop, stop+1, far, 0)
		}
		if stop < far {
			cut(stop + 1)
			continue
		}
		from := far // where words may begin that the sentence ends before
		if far < len(text) && x.word[far>>6]>>(far&63)&1 == 1 && x.word[(far-1)>>6]>>((far-1)&63)&1 == 1 {
			// Inside a word. A very long one is cut.
			from = nextBit(x.word, far, len(text), ^uint64(0))
			if from-begin >= 2*sentenceMax {
				for from-begin >= 2*sentenceMax {
					cut(begin + sentenceMax)
				}
				continue
			}
		}
		gap := nextBit(x.word, begin+2*sentenceMax-1, len(text), ^uint64(0))
		word := nextBit(x.word, from, gap, 0)
		for stop < gap && !sentenceEnd(text, stop) {
			stop = nextBit(x.stop, stop+1, gap, 0)
		}
		switch at := min(stop, gap); {
		case word < at:
			cut(word)
		default:
			cut(min(at+1, len(text)))
		}
	}
	return dst
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

// wide is the pass over any text. Of scripts without spaces each letter is a
// word.
func (w *gateWalk) wide() {
	text := w.text
	last := 0
	for i, next := 0, 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if !modelByte(c | 0x20) {
				i++
				continue
			}
			if x := w.index; x != nil {
				for next < len(x.words) && int(x.edges[2*next]) < i {
					next++
				}
				if next < len(x.words) && int(x.edges[2*next]) == i {
					// A word of ASCII letters is known, if it is no part of another.
					if end := int(x.edges[2*next+1]); end == len(text) || text[end] < utf8.RuneSelf && !modelByte(text[end]|0x20) {
						w.between(last, i)
						last, i = end, end
						w.token(x.words[next].stem)
						w.long(i)
						continue
					}
				}
			}
		}
		from, h, ascii, ideo := i, uint64(0), true, false
		for i < len(text) {
			c := text[i]
			if c < utf8.RuneSelf {
				if ideo || !modelByte(c|0x20) {
					break
				}
				i++
				continue
			}
			if twoLetter(text, i) { // Latin, Greek, Cyrillic, Hebrew, Arabic
				if ideo {
					break
				}
				ascii = false
				i += 2
				continue
			}
			r, n := rune(0), 3
			if c >= 0xe0 && c < 0xf0 && i+2 < len(text) { // folded text is well-formed
				r = rune(c&0x0f)<<12 | rune(text[i+1]&0x3f)<<6 | rune(text[i+2]&0x3f)
			} else {
				r, n = utf8.DecodeRune(text[i:])
			}
			if (r < 0x3040 || r >= 0xfe10) && !modelRune(r) { // most of three bytes are letters
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
				}
				w.token(mixHash(gateTwo, uint64(r)) * gateOne)
				i += n
				last = i
				if i-w.begin >= sentenceMax {
					w.cut(i)
				}
				continue
			}
			ascii = false
			i += n
		}
		if from == i { // a sign
			_, n := utf8.DecodeRune(text[i:])
			i += n
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
			h = stemHash(firstBytes(text, from, i), i-from)
		default:
			h = mixHash(firstBytes(text, from, i), uint64(min(i-from, 9))) * gateOne
		}
		w.token(h)
		w.long(i)
	}
	w.gap(last, len(text))
	w.finish()
}

// twoLetter reports that text[i:] begins with a letter of two bytes. It knows most of
// them: no block that holds a sign.
func twoLetter(text []byte, i int) bool {
	c := text[i]
	return c >= 0xc4 && c <= 0xdf && c != 0xd8 && c != 0xdb && i+1 < len(text) && text[i+1]&0xc0 == 0x80
}

// GateSlots appends the slots of a window, two for each of its words and of the
// classes of its cues, sentence by sentence.
func GateSlots(dst []uint32, w *Window) []uint32 {
	k := 0
	sentence := func(text []byte, end int) {
		walk := gateWalk{text: text, slots: &dst}
		walk.wide()
		var c cueWalk
		for ; k < len(w.Cues) && w.Cues[k].At < end; k++ {
			if one, two, ok := c.slots(classHash(w.Cues[k].Term)); ok {
				dst = append(dst, one, two)
			}
		}
	}
	for i, p := range w.parts {
		sentence(p, w.ends[i])
	}
	if len(w.parts) == 0 {
		sentence(w.Text, len(w.Text))
	}
	return dst
}

// classHash stands for the class of a term, which languages share.
func classHash(term string) uint64 {
	_, class, ok := strings.Cut(term, ".")
	if !ok {
		class = term
	}
	return hashString(class)
}

// cueWalk goes through the classes of the cues of one sentence. A word is in the
// lexicon of many languages: a class that was among the last four is not counted.
type cueWalk struct {
	last [4]uint64
	n    uint8
}

func (c *cueWalk) slots(class uint64) (one, two uint32, ok bool) {
	class |= 1
	if c.last[0] == class || c.last[1] == class || c.last[2] == class || c.last[3] == class {
		return 0, 0, false
	}
	one, two = uint32(gateSlot(class*gateOne)), uint32(gateSlot(pairHash(c.last[(c.n-1)&3], class)))
	c.last[c.n&3] = class
	c.n++
	return one, two, true
}
