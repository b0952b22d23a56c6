package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What hangs on two figures together, no sum of weights sees.
func TestTreesLearnWhatHangsOnTwoFigures(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var samples []sample
	for range 4000 {
		s := sample{weight: 1}
		for k := range s.f.Values {
			s.f.Values[k] = r.NormFloat64()
		}
		s.doc.attack = s.f.Values[3] > 0 && s.f.Values[7] > 0.5
		samples = append(samples, s)
	}
	trees := fitTrees(samples, 1)
	wrong := 0
	for i := range samples {
		z := 0.0
		for k := range trees {
			z += trees[k].Eval(&samples[i].f.Values)
		}
		if z > 0 != samples[i].doc.attack {
			wrong++
		}
	}
	if len(trees) == 0 || wrong > len(samples)/50 {
		t.Errorf("%d trees are wrong about %d of %d samples", len(trees), wrong, len(samples))
	}
	if again := fitTrees(samples, 1); !slices.Equal(again, trees) {
		t.Error("the same samples and seed give other trees")
	}
}

func TestCutsPartEveryValue(t *testing.T) {
	if got := cutsOf([]float32{1, 0, 1, 0}); !slices.Equal(got, []float32{0}) {
		t.Errorf("of two values: %v", got)
	}
	if got := cutsOf([]float32{2, 2, 2}); len(got) != 0 {
		t.Errorf("of one value: %v", got)
	}
	many := make([]float32, 1000)
	for i := range many {
		many[i] = float32(i)
	}
	if got := cutsOf(many); len(got) != treeLevels-1 || !slices.IsSorted(got) {
		t.Errorf("of many values: %d cuts", len(got))
	}
}
