package main

import (
	"fmt"
	"log"
	"math"

	"github.com/stoplog/stoplog/pkg/detect"
)

// The gate learns from what the trained model says of the training windows: it
// need not know what an attack is, only what the model would say. A window that
// the model flags and the gate drops costs gateMiss times as much as one that is
// described in vain.
const (
	gateMiss  = 12.0
	gateSlack = 0.8 // windows this far below the suspect threshold should pass as well
	gateEase  = 1.0 // how much lower the threshold is for hidden and decoded text
	// Of composed attacks, most of which are not English; of the labelled sets it is as much
	// (bench/quality).
	gateRecall = 0.995
	gatePass   = 0.05 // whatever that costs, no more of the windows of packages may pass
	gateEpochs = 5
)

// fitGate trains the gate's table against the model's logits, on all parts but the first.
func (t *trainer) fitGate(suspect float64) (table []float32, bias [2]float64) {
	table = make([]float32, detect.GateSize)
	g := make([]float32, detect.GateSize)
	biasG := [2]float64{1, 1}
	order := t.rowsWithout(0)
	target := make([]float32, len(t.rows))
	for _, i := range order {
		target[i] = float32(1 / (1 + math.Exp(-2*(t.rowLogit(&t.rows[i])-suspect+gateSlack))))
	}
	for range gateEpochs {
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

// setGate trains the gate of w. It learns from the model that was trained without the first
// part, and the threshold is set on documents of that part: neither saw them, as it will
// be with the next text.
func (t *trainer) setGate(ships *detect.Weights, w detect.Weights, low float64, c *composer, honest []doc) error {
	w.Verdict, w.Trees, w.Net, w.Gain, w.Shift = ships.Verdict, ships.Trees, ships.Net, ships.Gain, ships.Shift
	w.Gate, w.GateBias = t.fitGate(low)
	m, err := detect.ParseModel(detect.EncodeModel(w))
	if err != nil {
		return err
	}
	t.gateThreshold(m, &w, c, honest)
	ships.Gate, ships.GateBias, ships.GateAt = w.Gate, w.GateBias, w.GateAt
	return nil
}

// gateThreshold finds the threshold at which scans of documents that the model flags, of
// the first part, still flag nearly all of them, and says what it lets through.
func (t *trainer) gateThreshold(m *detect.Model, w *detect.Weights, c *composer, honest []doc) {
	open := t.cut.d.WithModel(m.Open())
	var texts [][]byte
	var sure []bool // the model alone quarantines
	for i := range 6000 {
		text := []byte(c.attack(uint64(1<<44+i), 0).text)
		if p := open.Scan(detect.Input{Text: text}).Score; p >= detect.DefaultSuspect {
			texts, sure = append(texts, text), append(sure, p >= detect.DefaultQuarantine)
		}
	}
	flagged := func() (suspect, quarantine float64) {
		d := t.cut.d.WithModel(m.WithGate(*w))
		n, k, ns, ks := 0, 0, 0, 0
		for i, text := range texts {
			p := d.Scan(detect.Input{Text: text}).Score
			n++
			if p >= detect.DefaultSuspect {
				k++
			}
			if sure[i] {
				ns++
				if p >= detect.DefaultQuarantine {
					ks++
				}
			}
		}
		return float64(k) / float64(max(n, 1)), float64(ks) / float64(max(ns, 1))
	}
	w.GateAt = 0
	var margins []float64
	cut := cutter{t.cut.d.WithModel(m.WithGate(*w))}
	for _, d := range honest {
		cut.each(d, true, func(w *detect.Window, _ int) { margins = append(margins, w.Margin) })
	}
	lo, hi := -8.0, 8.0
	if len(margins) > 0 {
		lo = quantile(margins, 1-gatePass)
	}
	for range 10 {
		w.GateAt = (lo + hi) / 2
		if suspect, quarantine := flagged(); min(suspect, quarantine) >= gateRecall {
			lo = w.GateAt
		} else {
			hi = w.GateAt
		}
	}
	w.GateAt = lo
	suspect, quarantine := flagged()
	cut = cutter{t.cut.d.WithModel(m.WithGate(*w))}
	passed, all := 0, 0
	for _, d := range honest {
		cut.each(d, true, func(w *detect.Window, _ int) {
			if all++; w.Gated {
				passed++
			}
		})
	}
	log.Printf("gate: threshold %.2f", w.GateAt)
	fmt.Printf("gate: of %d attack documents that the model flags %.2f %% are flagged behind it, of those it quarantines %.2f %%; of %d windows of packages %.2f %% pass\n",
		len(texts), 100*suspect, 100*quarantine, all, 100*float64(passed)/float64(all))
}
