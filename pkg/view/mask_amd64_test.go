package view

import (
	"math/rand/v2"
	"testing"
)

// Many blocks at once are what they are one by one.
func TestMaskBlocks(t *testing.T) {
	if !wide32 {
		t.Skip("this processor takes sixteen bytes at once")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 200; n++ {
		text := make([]byte, 64*n)
		for i := range text {
			text[i] = byte(r.IntN(256) >> (n % 2)) // ASCII alone, in turns
		}
		var lists [6][200]uint64
		l := maskLists{letter: &lists[0][0], upper: &lists[1][0], digit: &lists[2][0], sign: &lists[3][0], line: &lists[4][0], stop: &lists[5][0]}
		if !maskAll(text, n, &l) {
			t.Fatal("not done")
		}
		var high, bad uint64
		for k := range n {
			var m masks
			mask((*[64]byte)(text[64*k:]), &m)
			high, bad = high|m.high, bad|m.bad
			if got := (masks{lists[0][k], lists[1][k], lists[2][k], lists[3][k], lists[4][k], lists[5][k], m.high, m.bad}); got != m {
				t.Fatalf("block %d of %d:\n%x\n%x", k, n, got, m)
			}
		}
		if high != l.high || bad != l.bad || lists[0][n] != 0 {
			t.Fatalf("%d blocks: %x and %x, not %x and %x", n, l.high, l.bad, high, bad)
		}
	}
}
