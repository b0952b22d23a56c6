package main

import (
	"log"
	"math"
	"slices"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/detect"
)

// topicOf tells what an honest text is about: kinds of composed text, and of the
// documents written for this project, by their names.
func topicOf(d doc) (t [detect.Topics]bool) {
	switch d.family {
	case "llmdoc", "aidoc", "security":
		t[detect.TopicModels] = d.set == ""
	case "rules", "spec", "docrules", "tooldocs":
		t[detect.TopicRules] = d.set == ""
	}
	return t
}

// example is what a bag of words learns from.
type example struct {
	slots  []uint32
	is     [detect.Topics]bool
	attack bool
	weight float64
}

// fitTopics trains the topics on honest text of all parts but one.
func (t *trainer) fitTopics(w *detect.Weights, c *composer, train []doc, without int) {
	var all []example
	add := func(d doc) {
		slots := detect.TopicSlots(&t.f, []byte(d.text), chunk.Span{})
		if len(slots) > 8 {
			all = append(all, example{slots: slices.Clone(slots), is: topicOf(d), weight: 1})
		}
	}
	for i := range 15000 {
		if i%parts != without {
			add(c.benign(uint64(1<<46+i), i%parts))
		}
	}
	for _, d := range train {
		if d.part == without || aboutModels(d.set) {
			continue // much of such a package is code and tables, and nobody says which piece is
		}
		add(d)
		if d.own { // more often, not heavier: AdaGrad makes little of a weight
			add(d)
			add(d)
		}
	}
	for _, k := range [...]int{detect.Reread, detect.Meant} { // not yet known
		w.Bag[k] = make([]float32, detect.BagSlots(k))
	}
	for k := range detect.Topics {
		w.Bag[k], w.BagBias[k] = t.fitBag(all, k, func(x *example) bool { return x.is[k] })
		right, n := 0, 0
		for i := range all {
			if x := &all[i]; x.is[k] {
				n++
				if bagLogit(w, k, x.slots) > 0 {
					right++
				}
			}
		}
		log.Printf("topic %d: %d of %d texts, %d found", k, n, len(all), right)
	}
}

// fitReread trains what reads the best windows again, on all samples but those of one fold.
func (t *trainer) fitReread(w *detect.Weights, samples []sample, without int) {
	var words, meanings []example
	for i := range samples {
		s := &samples[i]
		if s.fold == without {
			continue
		}
		if len(s.f.Slots) > 0 {
			words = append(words, example{slots: s.f.Slots, attack: s.doc.attack, weight: s.weight})
		}
		if len(s.f.Meant) > 0 {
			meanings = append(meanings, example{slots: s.f.Meant, attack: s.doc.attack, weight: s.weight})
		}
	}
	attack := func(x *example) bool { return x.attack }
	w.Bag[detect.Reread], w.BagBias[detect.Reread] = t.fitBag(words, detect.Reread, attack)
	w.Bag[detect.Meant], w.BagBias[detect.Meant] = t.fitBag(meanings, detect.Meant, attack)
}

// reread says of the samples of a fold what is said when their best windows are read again.
func reread(w *detect.Weights, samples []sample, fold int) {
	for i := range samples {
		s := &samples[i]
		if s.fold != fold || len(s.f.Slots) == 0 {
			continue
		}
		z := detect.RereadLogit(bagLogit(w, detect.Reread, s.f.Slots))
		m := 0.0
		if len(s.f.Meant) > 0 {
			m = detect.RereadLogit(bagLogit(w, detect.Meant, s.f.Meant))
		}
		for _, x := range [...]*[detect.VerdictSize]float64{&s.f.Values, &s.f.Bare} {
			x[detect.RereadFigure] = z
			x[detect.RereadFigure+1] = z * x[1]
			x[detect.MeantFigure] = m
			x[detect.MeantFigure+1] = m * x[1]
			x[detect.MeantFigure+2] = m * s.f.Unknown
		}
	}
}

func bagLogit(w *detect.Weights, k int, slots []uint32) float64 {
	return w.BagBias[k] + detect.BagUnit(len(slots))*sumOf(w.Bag[k], slots)
}

// fitBag is a logistic regression by AdaGrad.
func (t *trainer) fitBag(all []example, k int, is func(*example) bool) (table []float32, bias float64) {
	table, g := make([]float32, detect.BagSlots(k)), make([]float32, detect.BagSlots(k))
	biasG := 1.0
	order := make([]int32, len(all))
	for i := range order {
		order[i] = int32(i)
	}
	var some []uint32
	for range bagEpochs {
		t.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			x := &all[i]
			some = t.thin(some[:0], x.slots, t.o.drop)
			unit := detect.BagUnit(len(some))
			z := bias + unit*sumOf(table, some)
			d := 1 / (1 + math.Exp(-z))
			if is(x) {
				d--
			}
			d *= x.weight
			biasG += d * d
			bias -= t.o.step * d / math.Sqrt(biasG)
			step := float32(d * unit)
			for _, s := range some {
				g[s] += step * step
				table[s] -= float32(t.o.step) * step / float32(math.Sqrt(float64(g[s])+1e-3))
			}
		}
	}
	for i, v := range table {
		table[i] = max(-top, min(top, v))
	}
	return table, bias
}

const bagEpochs = 4
