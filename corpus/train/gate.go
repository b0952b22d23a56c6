package main

import (
	"fmt"
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
	gateTries  = 3
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
			if r.from == r.mid {
				continue // without its words
			}
			idx := t.slab[r.end:r.gate]
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
// be with the next text. How few windows pass at one and the same recall hangs on chance: of some gates
// the one is taken that passes the fewest.
func (t *trainer) setGate(ships *detect.Weights, w detect.Weights, low float64, c *composer, honest []doc) error {
	w.Verdict, w.Trees, w.Net, w.Gain, w.Shift = ships.Verdict, ships.Trees, ships.Net, ships.Gain, ships.Shift
	w.Gate, w.GateBias = make([]float32, detect.GateSize), [2]float64{}
	m, err := detect.ParseModel(detect.EncodeModel(w))
	if err != nil {
		return err
	}
	texts := t.flagged(m, c)
	least := math.Inf(1)
	for range gateTries {
		w.Gate, w.GateBias = t.fitGate(low)
		if passed := t.gateThreshold(m, &w, texts, honest); passed < least {
			least = passed
			ships.Gate, ships.GateBias, ships.GateAt = w.Gate, w.GateBias, w.GateAt
		}
	}
	return nil
}

// flagged is an attack of the first part that is at least suspect when every window is seen.
type flagged struct {
	text []byte
	sure bool // it is quarantined
}

func (t *trainer) flagged(m *detect.Model, c *composer) (out []flagged) {
	open := t.cut.d.WithModel(m.Open())
	for i := range 6000 {
		text := []byte(c.attack(uint64(1<<44+i), 0).text)
		if p := open.Scan(detect.Input{Text: text}).Score; p >= detect.DefaultSuspect {
			out = append(out, flagged{text, p >= detect.DefaultQuarantine})
		}
	}
	return out
}

// gateThreshold finds the threshold at which scans of documents that the model flags still flag nearly all of
// them, and gives the share of windows of packages that pass.
func (t *trainer) gateThreshold(m *detect.Model, w *detect.Weights, texts []flagged, honest []doc) float64 {
	recall := func() (suspect, quarantine float64) {
		d := t.cut.d.WithModel(m.WithGate(*w))
		n, k, ns, ks := len(texts), 0, 0, 0
		for _, x := range texts {
			p := d.Scan(detect.Input{Text: x.text}).Score
			if p >= detect.DefaultSuspect {
				k++
			}
			if x.sure {
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
		if suspect, quarantine := recall(); min(suspect, quarantine) >= gateRecall {
			lo = w.GateAt
		} else {
			hi = w.GateAt
		}
	}
	w.GateAt = lo
	suspect, quarantine := recall()
	cut = cutter{t.cut.d.WithModel(m.WithGate(*w))}
	passed, all := 0, 0
	for _, d := range honest {
		cut.each(d, true, func(w *detect.Window, _ int) {
			if all++; w.Gated {
				passed++
			}
		})
	}
	share := float64(passed) / float64(max(all, 1))
	fmt.Printf("gate: threshold %.2f: of %d attack documents that the model flags %.2f %% are flagged behind it, of those it quarantines %.2f %%; of %d windows of packages %.2f %% pass\n",
		w.GateAt, len(texts), 100*suspect, 100*quarantine, all, 100*share)
	return share
}
