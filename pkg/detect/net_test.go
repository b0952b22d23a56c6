package detect

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// handNet has two words, one figure and two sums that are easy to work out.
func handNet() *Net {
	n := &Net{Words: make([]float32, NetSlots*NetDim), Base: -1}
	n.Words[5*NetDim], n.Words[9*NetDim] = 2, -1
	n.Mean[1], n.Per[1] = 3, 0.5
	n.Hidden[0][0] = 1           // the largest first number
	n.Hidden[NetDim][1] = -1     // the sum of first numbers
	n.Hidden[2*NetDim+1][0] = -1 // the figure
	n.Bias[1] = 0.5
	n.Out[0], n.Out[1] = 1, 4
	return n
}

func TestNetByHand(t *testing.T) {
	n := handNet()
	figures := [VerdictSize]float64{1: 4}
	for _, c := range []struct {
		words []uint32
		want  float64
	}{
		{nil, -1 + 4*0.5},
		{[]uint32{5}, -1 + (2 - 0.5)},
		{[]uint32{9}, -1 + 4*(0.5+1/math.Sqrt2)},
		{[]uint32{5, 9}, -1 + (2 - 0.5)},
		{[]uint32{9, 5}, -1 + (2 - 0.5)},
		{[]uint32{7}, -1 + 4*0.5},
	} {
		x := n.Input(c.words, &figures)
		if got := n.Logit(&x); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%v: %.4f, want %.4f", c.words, got, c.want)
		}
	}
	figures[1] = 1e9
	if x := n.Input(nil, &figures); x[2*NetDim+1] != NetBound {
		t.Errorf("a figure far off counts %v", x[2*NetDim+1])
	}
	n.Scale(3)
	figures[1] = 4
	if x := n.Input([]uint32{5}, &figures); math.Abs(n.Logit(&x)-1.5) > 1e-6 {
		t.Errorf("scaled: %v", n.Logit(&x))
	}
}

// The verdict adds what the net says, and a file holds all of it.
func TestNetInAFile(t *testing.T) {
	w := Weights{Table: make([]float32, TableSize), Gate: make([]float32, GateSize), Net: handNet()}
	for i := range w.Bag {
		w.Bag[i] = make([]float32, BagSlots(i))
	}
	file := EncodeModel(w)
	m, err := ParseModel(file)
	if err != nil {
		t.Fatal(err)
	}
	f := Figures{Values: [VerdictSize]float64{1: 4}, Words: []uint32{5}}
	if got, want := m.Decide(&f), 1/(1+math.Exp(-0.5)); math.Abs(got-want) > 0.01 {
		t.Errorf("verdict %.4f, want %.4f", got, want)
	}
	// What a disguise hides counts, if that says more.
	f.Bare, f.Masked = [VerdictSize]float64{1: 0}, true
	if got, want := m.Decide(&f), 1/(1+math.Exp(-2.5)); math.Abs(got-want) > 0.01 {
		t.Errorf("verdict without a disguise %.4f, want %.4f", got, want)
	}
	first := len(file) - len(writeNet(nil, handNet()))
	for i := first; i < first+netBytes; i += 4 {
		damaged := slices.Clone(file)
		binary.LittleEndian.PutUint32(damaged[i:], math.Float32bits(float32(math.NaN())))
		if _, err := ParseModel(damaged); err == nil {
			t.Fatalf("what is no number is taken, %d bytes into the net", i-first)
		}
		i += 4 * 97 // not each of them: a file takes a while to read
	}
}

// A net reads the first words of a long window.
func TestNetWordsAreBounded(t *testing.T) {
	toks := make([]gramToken, 3*NetWords)
	for i := range toks {
		toks[i].hash = uint64(i)
	}
	got := netSlots(nil, toks)
	if len(got) != NetWords || got[0] != netSlot(0) || got[NetWords-1] != netSlot(NetWords-1) {
		t.Errorf("%d words", len(got))
	}
	if slices.Max(got) >= NetSlots {
		t.Error("a word outside the table")
	}
}
