package detect

import (
	"encoding/binary"
	"math"
)

// Sizes of a [Net].
const (
	NetSlots  = 1 << 15 // that words are hashed into
	NetDim    = 16      // numbers for each
	NetHidden = 32      // sums of the hidden layer
	NetInputs = 2*NetDim + VerdictSize
	// NetWords is how many words of the best window are read, at most, and how many of what they mean.
	NetWords = 64
	// NetBound is how far from its mean a figure counts, in standard deviations.
	NetBound = 6
)

// Net is a small neural network that reads the words of the best window beside the figures of its
// text, for the verdict. Each word stands for a few numbers (as in fastText: Joulin et al., "Bag of tricks
// for efficient text classification", 2017). The largest and the sum of each of them over the window are
// put before the standardised figures, and one hidden layer looks at all. Weights and trees of the verdict see
// a word only as far as some window's score does; here it can mean one thing in a mail and another in a guide.
type Net struct {
	Words  []float32 // NetSlots times NetDim
	Mean   [VerdictSize]float32
	Per    [VerdictSize]float32 // one by the standard deviation; 0: the figure tells nothing
	Hidden [NetInputs][NetHidden]float32
	Bias   [NetHidden]float32
	Out    [NetHidden]float32
	Base   float32
}

// NetInput is what a net makes of a text before its hidden layer.
type NetInput [NetInputs]float32

// NetUnit is what each of n words counts in their sum.
func NetUnit(n int) float32 { return float32(1 / math.Sqrt(float64(1+n))) }

// Input gives what stands before the hidden layer for a text of these figures, whose best window has these
// words: of each number of theirs the largest, but not below nought, and the sum, in which each counts the less the
// more there are; and the figures.
func (n *Net) Input(words []uint32, f *[VerdictSize]float64) (x NetInput) {
	unit := NetUnit(len(words))
	for _, w := range words {
		for k, v := range (*[NetDim]float32)(n.Words[int(w)*NetDim:]) {
			x[k] = max(x[k], v)
			x[NetDim+k] += v * unit
		}
	}
	for k, v := range f {
		x[2*NetDim+k] = max(-NetBound, min(NetBound, (float32(v)-n.Mean[k])*n.Per[k]))
	}
	return x
}

// Sums gives the hidden layer before what is below nought is cut off.
func (n *Net) Sums(x *NetInput) (h [NetHidden]float32) {
	for k := 0; k < NetHidden; k += 8 { // eight sums at a time stay in registers
		bias := (*[8]float32)(n.Bias[k:])
		h0, h1, h2, h3, h4, h5, h6, h7 := bias[0], bias[1], bias[2], bias[3], bias[4], bias[5], bias[6], bias[7]
		for i, v := range x {
			if v != 0 {
				w := (*[8]float32)(n.Hidden[i][k:])
				h0 += w[0] * v
				h1 += w[1] * v
				h2 += w[2] * v
				h3 += w[3] * v
				h4 += w[4] * v
				h5 += w[5] * v
				h6 += w[6] * v
				h7 += w[7] * v
			}
		}
		*(*[8]float32)(h[k:]) = [8]float32{h0, h1, h2, h3, h4, h5, h6, h7}
	}
	return h
}

// Logit gives what the net says.
func (n *Net) Logit(x *NetInput) float64 {
	z := n.Base
	for k, v := range n.Sums(x) {
		z += max(0, v) * n.Out[k]
	}
	return float64(z)
}

// Scale has the net say by as much more; what it said nought of it says nought of.
func (n *Net) Scale(by float64) {
	for k := range n.Out {
		n.Out[k] *= float32(by)
	}
	n.Base *= float32(by)
}

// netSlot is the place of a word.
func netSlot(h uint64) uint32 { return uint32(mixHash(saltNet, h) % NetSlots) }

// netSlots appends the slots of the first words of a window that was cut into toks.
func netSlots(dst []uint32, toks []gramToken) []uint32 {
	for _, t := range toks[:min(len(toks), NetWords)] {
		dst = append(dst, netSlot(t.hash))
	}
	return dst
}

// netMeanings appends the slots of the first meanings of a window.
func netMeanings(dst []uint32, means []uint16) []uint32 {
	for _, x := range means[:min(len(means), NetWords)] {
		dst = append(dst, netSlot(mixHash(saltGloss, uint64(x))))
	}
	return dst
}

// rest are the numbers of a net but those of the words and its base.
func (n *Net) rest() [][]float32 {
	all := [][]float32{n.Mean[:], n.Per[:]}
	for i := range n.Hidden {
		all = append(all, n.Hidden[i][:])
	}
	return append(all, n.Bias[:], n.Out[:])
}

// netBytes is what a net takes in a file beside its words.
const netBytes = 4 * (2*VerdictSize + NetInputs*NetHidden + 2*NetHidden + 2)

// writeNet writes what one step of a word's numbers is worth, the base, the other numbers, and the words.
func writeNet(b []byte, n *Net) []byte {
	step := stepOf(n.Words)
	put := func(v float32) { b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v)) }
	put(float32(step))
	put(n.Base)
	for _, list := range n.rest() {
		for _, v := range list {
			put(v)
		}
	}
	words := n.Words
	if len(words) == 0 {
		words = make([]float32, NetSlots*NetDim)
	}
	return writeWeights(b, steps(words, step))
}

// readNet gives the net and what is behind it. One that holds what is no number is refused.
func readNet(b []byte) (n *Net, rest []byte, ok bool) {
	if len(b) < netBytes {
		return nil, nil, false
	}
	ok = true
	get := func() float32 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		ok = ok && !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
		return v
	}
	n = &Net{Words: make([]float32, NetSlots*NetDim)}
	step := get()
	n.Base = get()
	for _, list := range n.rest() {
		for i := range list {
			list[i] = get()
		}
	}
	words := make([]int8, len(n.Words))
	rest, read := readWeights(words, b)
	for i, q := range words {
		n.Words[i] = float32(q) * step
	}
	return n, rest, ok && read
}
