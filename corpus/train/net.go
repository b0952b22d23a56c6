package main

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/stoplog/stoplog/pkg/detect"
)

// How the net of the verdict is trained: Adam (Kingma and Ba, 2015) with words, inputs and sums left out by
// chance (Srivastava et al., "Dropout", 2014), the rate falling to a tenth.
const (
	netEpochs  = 4
	netBatch   = 256
	netRate    = 2e-3
	netOneth   = 0.9  // of the mean of slopes is kept at each step
	netTwoth   = 0.99 // of the mean of their squares
	netRidge   = 2e-5
	netNoWord  = 0.15 // shares left out
	netNoInput = 0.2
	netNoSum   = 0.3
)

// slope is what a batch says about a table of numbers, and what Adam remembers of earlier ones.
type slope struct{ value, now, one, two []float32 }

func newSlope(value []float32) slope {
	n := len(value)
	return slope{value, make([]float32, n), make([]float32, n), make([]float32, n)}
}

// step moves the numbers against their slope, which is nought then.
func (s *slope) step(rate float64, t int) {
	a := float32(rate / (1 - math.Pow(netOneth, float64(t))))
	b := float32(1 / (1 - math.Pow(netTwoth, float64(t))))
	for i, g := range s.now {
		s.one[i] = netOneth*s.one[i] + (1-netOneth)*g
		s.two[i] = netTwoth*s.two[i] + (1-netTwoth)*g*g
		s.value[i] -= a * s.one[i] / (float32(math.Sqrt(float64(s.two[i]*b))) + 1e-6)
		s.now[i] = 0
	}
}

// fitNets trains a net on all samples but those of each fold, and one on all.
func fitNets(samples []sample, seed uint64) (without [parts]*detect.Net, all *detect.Net) {
	var wg sync.WaitGroup
	for fold := range parts {
		wg.Go(func() { without[fold] = fitNet(samples, fold, seed) })
	}
	wg.Wait()
	return without, fitNet(samples, allParts, seed)
}

// fitNet trains the net of the verdict on all samples but those of one fold.
func fitNet(samples []sample, without int, seed uint64) *detect.Net {
	var used []*sample
	for i := range samples {
		if s := &samples[i]; s.fold != without && !s.f.Empty {
			used = append(used, s)
		}
	}
	r := rand.New(rand.NewPCG(seed, 92))
	n := &detect.Net{Words: make([]float32, detect.NetSlots*detect.NetDim)}
	standardise(n, used)
	draw := func(list []float32, dev float64) {
		for i := range list {
			list[i] = float32(dev * r.NormFloat64())
		}
	}
	draw(n.Words, 0.1)
	words, bias, out, base := newSlope(n.Words), newSlope(n.Bias[:]), newSlope(n.Out[:]), newSlope(make([]float32, 1))
	var hidden [detect.NetInputs]slope
	for i := range hidden {
		draw(n.Hidden[i][:], 1/math.Sqrt(float64(detect.NetInputs)))
		hidden[i] = newSlope(n.Hidden[i][:])
	}
	draw(n.Out[:], 0.1)
	steps := netEpochs * (len(used) / netBatch)
	t := 0
	var some []uint32
	for range netEpochs {
		r.Shuffle(len(used), func(i, j int) { used[i], used[j] = used[j], used[i] })
		for at := 0; at+netBatch <= len(used); at += netBatch {
			batch := used[at : at+netBatch]
			total := 0.0
			for _, s := range batch {
				total += s.weight
			}
			for _, s := range batch {
				some = some[:0]
				for _, w := range s.f.Words {
					if r.Float64() >= netNoWord {
						some = append(some, w)
					}
				}
				x := n.Input(some, &s.f.Values)
				var kept [2 * detect.NetDim]float32
				for k := range kept {
					if r.Float64() >= netNoInput {
						kept[k] = 1 / (1 - netNoInput)
					}
					x[k] *= kept[k]
				}
				h := n.Sums(&x)
				z := float64(n.Base)
				for k, v := range h {
					if v <= 0 || r.Float64() < netNoSum {
						h[k] = 0
						continue
					}
					h[k] = v / (1 - netNoSum)
					z += float64(h[k] * n.Out[k])
				}
				d := 1 / (1 + math.Exp(-z))
				if s.doc.attack {
					d--
				}
				g := float32(d * s.weight / total)
				base.now[0] += g
				var back [detect.NetHidden]float32
				for k, v := range h {
					if v > 0 {
						out.now[k] += g * v
						back[k] = g * n.Out[k] / (1 - netNoSum)
						bias.now[k] += back[k]
					}
				}
				var into [2 * detect.NetDim]float32
				for i, v := range x {
					now, sum := hidden[i].now, float32(0)
					for k, b := range back {
						now[k] += b * v
						sum += b * n.Hidden[i][k]
					}
					if i < len(into) {
						into[i] = sum * kept[i]
					}
				}
				unpool(&words, some, &into)
			}
			t++
			rate := netRate * (1 - 0.9*float64(t)/float64(steps))
			for i := range hidden {
				shrink(&hidden[i])
				hidden[i].step(rate, t)
			}
			shrink(&out)
			for _, s := range []*slope{&words, &bias, &out, &base} {
				s.step(rate, t)
			}
			n.Base = base.value[0]
		}
	}
	return n
}

// shrink adds what pulls numbers to nought.
func shrink(s *slope) {
	for i, v := range s.value {
		s.now[i] += netRidge * v
	}
}

// unpool hands what the largest and the sum of each number are to change by to the words they come from.
func unpool(words *slope, of []uint32, into *[2 * detect.NetDim]float32) {
	unit := detect.NetUnit(len(of))
	for k := range detect.NetDim {
		top, at := float32(0), -1
		for _, w := range of {
			i := int(w)*detect.NetDim + k
			words.now[i] += into[detect.NetDim+k] * unit
			if v := words.value[i]; v > top {
				top, at = v, i
			}
		}
		if at >= 0 {
			words.now[at] += into[k]
		}
	}
}

// standardise notes means and deviations of the figures.
func standardise(n *detect.Net, used []*sample) {
	var mean, square [detect.VerdictSize]float64
	for _, s := range used {
		for k, v := range s.f.Values {
			mean[k] += v
			square[k] += v * v
		}
	}
	count := float64(max(1, len(used)))
	for k := range mean {
		mean[k] /= count
		n.Mean[k] = float32(mean[k])
		if dev := math.Sqrt(max(0, square[k]/count-mean[k]*mean[k])); dev > 1e-6 {
			n.Per[k] = float32(1 / dev)
		}
	}
}
