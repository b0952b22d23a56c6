package stage

import (
	"math/rand/v2"
	"testing"
)

// naive is the watermark as one would say it: everything taken, everything done.
type naive struct {
	start, taken int64
	open         map[int64]bool
}

func (n *naive) committable() int64 {
	low := n.taken
	for o := range n.open {
		low = min(low, o)
	}
	return low
}

// TestWatermarkModel drives the watermark and the naive set with the same random
// steps, holes in the offsets included.
func TestWatermarkModel(t *testing.T) {
	steps := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		start := rng.Int64N(100)
		w := newWatermark(start)
		n := &naive{start: start, taken: start, open: map[int64]bool{}}
		last := start
		for range 400 {
			steps++
			switch rng.IntN(5) {
			case 0, 1: // take, sometimes past a hole
				o := n.taken
				if rng.IntN(4) == 0 {
					o += rng.Int64N(5)
				}
				w.take(o)
				if len(n.open) == 0 {
					n.taken = o
				}
				n.open[o], n.taken = true, o+1
			case 2, 3: // finish one of those in work
				for o := range n.open {
					w.done(o)
					delete(n.open, o)
					break
				}
			case 4:
				switch rng.IntN(3) {
				case 0:
					o := n.taken + rng.Int64N(4)
					w.skip(o)
					n.taken = max(n.taken, o)
				case 1:
					w.done(rng.Int64N(n.taken+10) + n.taken) // never taken
				case 2:
					if rng.IntN(20) == 0 { // many at once, so that spent slots are given back
						for range 3000 {
							w.take(n.taken)
							n.open[n.taken] = true
							n.taken++
						}
						for o := range n.open {
							w.done(o)
							delete(n.open, o)
						}
					}
				}
			}
			got := w.committable()
			if want := n.committable(); got != want {
				t.Fatalf("seed %d: committable %d, want %d with %d open", seed, got, want, len(n.open))
			}
			if got < last {
				t.Fatalf("seed %d: committable fell from %d to %d", seed, last, got)
			}
			last = got
			if (w.open() == 0) != (len(n.open) == 0) || w.open() < len(n.open) {
				t.Fatalf("seed %d: %d open, want at least %d", seed, w.open(), len(n.open))
			}
		}
	}
	if steps < 50_000 {
		t.Fatalf("only %d steps", steps)
	}
}

func TestWatermarkHolds(t *testing.T) {
	w := newWatermark(10)
	for o := int64(10); o < 15; o++ {
		w.take(o)
	}
	for _, o := range []int64{11, 12, 14} {
		if w.done(o) || w.committable() != 10 {
			t.Fatalf("offset 10 is not done and %d may be committed", w.committable())
		}
	}
	if !w.done(10) || w.committable() != 13 {
		t.Fatalf("committable %d, want 13", w.committable())
	}
	if w.done(10) {
		t.Fatal("the same offset was done twice")
	}
	if !w.done(13) || w.committable() != 15 || w.open() != 0 {
		t.Fatalf("committable %d, want 15", w.committable())
	}
}
