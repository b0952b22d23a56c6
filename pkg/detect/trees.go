package detect

import (
	"encoding/binary"
	"math"
)

// Tree is a decision tree of two levels over the figures of a text: what one figure means
// may hang on one other. A sum of many is a boosted model (Friedman, "Greedy function
// approximation: a gradient boosting machine", 2001).
type Tree struct {
	Figure [3]uint16  // that is asked for at the root, below it on the left, and on the right
	At     [3]float32 // up to this it goes left
	Leaf   [4]float32 // what the tree adds to the logit, from left to right
}

// Eval gives what the tree adds for these figures.
func (t *Tree) Eval(x *[VerdictSize]float64) float64 {
	// Which way it goes hangs on the text: no branch would be foreseen.
	right := one(float32(x[t.Figure[0]]) > t.At[0]) & 1
	leaf := 2*right + one(float32(x[t.Figure[1+right]]) > t.At[1+right])
	return float64(t.Leaf[leaf&3])
}

// treeBytes is what a tree takes in a file.
const treeBytes = 3*2 + 3*4 + 4*4

func writeTrees(b []byte, trees []Tree) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(len(trees)))
	for i := range trees {
		b, _ = binary.Append(b, binary.LittleEndian, &trees[i]) // fixed size: cannot fail
	}
	return b
}

// readTrees gives the trees and what is behind them. Trees that ask for what is no
// figure, or hold no numbers, are refused.
func readTrees(b []byte) (trees []Tree, rest []byte, ok bool) {
	if len(b) < 2 {
		return nil, nil, false
	}
	n := int(binary.LittleEndian.Uint16(b))
	b = b[2:]
	if len(b) < n*treeBytes {
		return nil, nil, false
	}
	trees = make([]Tree, n)
	for i := range trees {
		t := &trees[i]
		if _, err := binary.Decode(b, binary.LittleEndian, t); err != nil {
			return nil, nil, false
		}
		b = b[treeBytes:]
		for _, f := range t.Figure {
			if int(f) >= VerdictSize {
				return nil, nil, false
			}
		}
		for _, x := range append(t.At[:], t.Leaf[:]...) {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, nil, false
			}
		}
	}
	return trees, b, true
}
