package main

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stoplog/stoplog/pkg/detect"
)

// netSamples are texts in which a word tells an attack beside one figure, and the opposite beside another.
func netSamples() (samples []sample) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 6000 {
		s := sample{weight: 1, fold: i % parts}
		s.f.Values[3] = r.NormFloat64()
		word := uint32(10 + i/parts%2)
		s.f.Words = []uint32{uint32(100 + r.IntN(500)), word, uint32(100 + r.IntN(500))}
		s.doc.attack = (word == 10) == (s.f.Values[3] > 0)
		samples = append(samples, s)
	}
	return samples
}

func TestNetLearnsWhatAWordMeansBesideAFigure(t *testing.T) {
	samples := netSamples()
	nets, all := fitNets(samples, 1)
	for fold, n := range nets {
		wrong, of := 0, 0
		for i := range samples {
			if s := &samples[i]; s.fold == fold {
				x := n.Input(s.f.Words, &s.f.Values)
				of++
				if n.Logit(&x) > 0 != s.doc.attack {
					wrong++
				}
			}
		}
		if of == 0 || wrong > of/10 {
			t.Errorf("the net without fold %d is wrong about %d of %d samples of it", fold, wrong, of)
		}
	}
	if again := fitNet(samples, allParts, 1); !reflect.DeepEqual(again, all) {
		t.Error("the same samples and seed give another net")
	}
}

func TestNetDoesNotSeeItsFold(t *testing.T) {
	samples := netSamples()
	before := fitNet(samples, 2, 1)
	for i := range samples {
		if s := &samples[i]; s.fold == 2 {
			s.doc.attack = !s.doc.attack
			s.f.Words, s.f.Values[3] = []uint32{7}, 9
		}
	}
	if after := fitNet(samples, 2, 1); !reflect.DeepEqual(before, after) {
		t.Error("what a fold says changes the net that is to judge it")
	}
}

// A text of which nothing is known teaches nothing, and does no harm.
func TestNetOfNothing(t *testing.T) {
	n := fitNet([]sample{{f: detect.Figures{Empty: true}, weight: 1}}, allParts, 1)
	x := n.Input(nil, &[detect.VerdictSize]float64{})
	if z := n.Logit(&x); z != z {
		t.Error("no number")
	}
}
