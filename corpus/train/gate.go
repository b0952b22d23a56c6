package main

import (
	"fmt"
	"log"
	"math"
	"slices"

	"github.com/stoplog/stoplog/pkg/detect"
)

// The gate learns from what the trained model says of the training windows: it
// need not know what an attack is, only what the model would say. A window that
// the model flags and the gate drops costs gateMiss times as much as one that is
// described in vain.
const (
	gateMiss   = 12.0
	gateSlack  = 0.8 // windows this far below the suspect threshold should pass as well
	gateEase   = 1.0 // how much lower the threshold is for hidden and decoded text
	gateRecall = 0.997
)

// fitGate trains the gate's table against the model's logits.
func (t *trainer) fitGate(suspect float64, epochs int) (table []float32, bias [2]float64) {
	table = make([]float32, detect.GateSize)
	g := make([]float32, detect.GateSize)
	biasG := [2]float64{1, 1}
	order := make([]int32, len(t.rows))
	target := make([]float32, len(t.rows))
	for i := range t.rows {
		order[i] = int32(i)
		target[i] = float32(1 / (1 + math.Exp(-2*(t.rowLogit(&t.rows[i])-suspect+gateSlack))))
	}
	for range epochs {
		t.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			r := &t.rows[i]
			idx := t.slab[r.to:r.gate]
			unit := detect.GateUnit(len(idx) / 2)
			z := bias[r.kind] + unit*sumOf(table, idx)
			y := float64(target[i])
			d := 1/(1+math.Exp(-z)) - y
			d *= 1 + (gateMiss-1)*y
			if math.Abs(d) < 0.01 {
				continue
			}
			if r.label == 0 && r.rare {
				d *= sparse
			}
			biasG[r.kind] += d * d
			bias[r.kind] -= t.o.step * d / math.Sqrt(biasG[r.kind])
			step := float32(d * unit)
			for _, x := range idx {
				g[x] += step * step
				table[x] -= float32(t.o.step) * step / float32(math.Sqrt(float64(g[x])+1e-3))
			}
		}
	}
	for i, w := range table {
		table[i] = max(-top, min(top, w))
		if math.Abs(float64(w)) < 0.01 {
			table[i] = 0
		}
	}
	return table, bias
}

func sumOf(table []float32, idx []uint32) float64 {
	var a float32
	for _, x := range idx {
		a += table[x]
	}
	return float64(a)
}

// setGate finds the threshold at which documents that the model flags, none of
// them trained on, still pass, and says what it lets through.
func (t *trainer) setGate(w *detect.Weights, c *composer, suspect float64, honest []doc) error {
	m, err := detect.ParseModel(detect.EncodeModel(*w))
	if err != nil {
		return err
	}
	cut := cutter{t.cut.d.WithModel(m)}
	var margins []float64
	for i := range 8000 {
		margin := math.Inf(-1)
		cut.each(c.attack(uint64(1<<44+i), true), true, func(w *detect.Window, _ int) {
			t.f.Extract(w)
			if m.Logit(&t.f) < suspect {
				return
			}
			if len(w.Hits) > 0 {
				margin = math.Inf(1)
			}
			margin = max(margin, w.Margin)
		})
		if !math.IsInf(margin, -1) {
			margins = append(margins, margin)
		}
	}
	slices.Sort(margins)
	w.GateAt += margins[int((1-gateRecall)*float64(len(margins)))]
	m, err = detect.ParseModel(detect.EncodeModel(*w))
	if err != nil {
		return err
	}
	cut = cutter{t.cut.d.WithModel(m)}
	kept := 0
	for _, x := range margins {
		if x >= w.GateAt {
			kept++
		}
	}
	passed, all := 0, 0
	for _, d := range honest {
		cut.each(d, true, func(w *detect.Window, _ int) {
			if w.Kind == detect.Sentence {
				all++
				if w.Gated {
					passed++
				}
			}
		})
	}
	log.Printf("gate: threshold %.2f", w.GateAt)
	fmt.Printf("gate: of %d attack documents that the model flags %.2f %% pass; of %d sentences of packages %.2f %%\n",
		len(margins), 100*float64(kept)/float64(len(margins)), all, 100*float64(passed)/float64(all))
	return nil
}
