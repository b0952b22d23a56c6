package main

import (
	"log"
	"math"

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

// fitTopics trains the topics on honest text that the windows were trained on, too.
func (t *trainer) fitTopics(w *detect.Weights, c *composer, train []doc) {
	type example struct {
		slots []uint32
		is    [detect.Topics]bool
	}
	var all []example
	add := func(d doc) {
		slots := detect.TopicSlots(&t.f, []byte(d.text), chunk.Span{})
		if len(slots) > 8 {
			all = append(all, example{append([]uint32(nil), slots...), topicOf(d)})
		}
	}
	for i := range 15000 {
		add(c.benign(uint64(1<<46+i), false))
	}
	for _, d := range train {
		if aboutModels(d.set) {
			continue // much of such a package is code and tables, and nobody says which piece is
		}
		add(d)
		if d.own {
			add(d)
			add(d)
		}
	}
	for k := range detect.Topics {
		table, g := make([]float32, detect.TopicSize), make([]float32, detect.TopicSize)
		bias, biasG := 0.0, 1.0
		var some []uint32
		for range 4 {
			t.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, x := range all {
				some = t.thin(some[:0], x.slots, t.o.drop)
				unit := detect.TopicUnit(len(some))
				z := bias + unit*sumOf(table, some)
				d := 1 / (1 + math.Exp(-z))
				if x.is[k] {
					d--
				}
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
		w.Topic[k], w.TopicBias[k] = table, bias
		right, n := 0, 0
		for _, x := range all {
			if x.is[k] {
				n++
				if bias+detect.TopicUnit(len(x.slots))*sumOf(table, x.slots) > 0 {
					right++
				}
			}
		}
		log.Printf("topic %d: %d of %d texts, %d found", k, n, len(all), right)
	}
}
