package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/stoplog/stoplog/pkg/detect"
)

// row is one window: its features in the slab.
type row struct {
	from, mid, to, end, gate uint32 // grams [from,mid), marks [mid,to), meanings [to,end), slots of the gate [end,gate)
	doc                      int32
	label                    int8 // 1 attack, 0 honest, -1 set aside
	kind                     detect.WindowKind
	part                     int8
	rare                     bool // stands for others like it that were left out
	weight                   float32
}

type trainer struct {
	o    options
	cut  cutter
	slab []uint32
	rows []row
	docs int32
	seen map[uint64]struct{}
	f    detect.Features
	w, g []float32
	kept []uint32
	some []uint32
	said []uint32
	bias float64
	rng  *rand.Rand
}

// sparse is how many windows one that was kept of the plainest stands for.
const sparse = 8

func newTrainer(o options, cut cutter) *trainer {
	return &trainer{
		o: o, cut: cut, seen: map[uint64]struct{}{},
		w: make([]float32, detect.TableSize), g: make([]float32, detect.TableSize),
	}
}

// add takes the windows of a document. Windows that were seen before, and those
// that hold a part of an attack only, are left out. What views show of a text in an odd way is
// text like any other: that it was decoded shall not speak for it.
func (t *trainer) add(d doc, weight float64) {
	t.docs++
	t.cut.each(d, true, func(w *detect.Window, rel int) {
		if rel == partly || d.odd && w.Depth > 0 {
			return
		}
		h := sum64(w.Text)
		// Of honest windows without any word of the lexicon a few are enough.
		plain := rel == outside && len(w.Cues) < 2 && len(w.Hits) == 0
		if plain && h>>32%sparse != 0 {
			return
		}
		if _, dup := t.seen[h]; dup {
			return
		}
		t.seen[h] = struct{}{}
		label := int8(0)
		if rel == inside {
			label = 1
		}
		r := row{doc: t.docs, label: label, kind: w.Kind, part: int8(d.part), rare: plain, weight: float32(weight)}
		t.f.Extract(w)
		t.addRow(r, w, t.f.Grams)
		// What is said in English is also learned from by what it means, and that alone: so it is learned for
		// languages of which there is little text.
		if h>>40%meantEach == 0 && len(t.f.Meant) == 0 {
			if t.f.Interpret(w); len(t.f.Meant) > 0 {
				t.addRow(r, w, nil)
			}
		}
	})
}

// meantEach is of how many English windows one is learned from by what it means.
const meantEach = 2

func (t *trainer) addRow(r row, w *detect.Window, grams []uint32) {
	r.from = uint32(len(t.slab))
	t.slab = append(t.slab, grams...)
	r.mid = uint32(len(t.slab))
	t.slab = append(t.slab, t.f.Marks...)
	r.to = uint32(len(t.slab))
	t.slab = append(t.slab, t.f.Meant...)
	r.end = uint32(len(t.slab))
	t.slab = detect.GateSlots(t.slab, w)
	r.gate = uint32(len(t.slab))
	t.rows = append(t.rows, r)
}

func (t *trainer) logit(grams, marks, meant []uint32) float64 {
	var a, b, c float32
	for _, x := range grams {
		a += t.w[x]
	}
	for _, x := range marks {
		b += t.w[x]
	}
	for _, x := range meant {
		c += t.w[x]
	}
	return t.bias + detect.GramUnit(len(grams))*float64(a) + detect.MarkUnit*float64(b) + detect.MeantUnit(len(meant))*float64(c)
}

func (t *trainer) rowLogit(r *row) float64 {
	return t.logit(t.slab[r.from:r.mid], t.slab[r.mid:r.to], t.slab[r.to:r.end])
}

// rowsWithout gives the numbers of the windows that are not of a part.
func (t *trainer) rowsWithout(part int) []int32 {
	out := make([]int32, 0, len(t.rows))
	for i := range t.rows {
		if int(t.rows[i].part) != part {
			out = append(out, int32(i))
		}
	}
	return out
}

// fit runs AdaGrad over the windows of all parts but one. After the first pass, windows
// inside an attack that look honest beside the best window of the same document are set
// aside: an attack of four sentences has polite ones.
func (t *trainer) fit(epochs, without int) {
	clear(t.w)
	clear(t.g)
	t.bias, t.rng = 0, rand.New(rand.NewPCG(t.o.seed, uint64(78+without)))
	order := t.rowsWithout(without)
	biasG := 1.0
	var pos, neg float64
	for _, i := range order {
		r := &t.rows[i]
		if r.label != 0 {
			r.label = 1 // what an earlier fit set aside
			pos++
		} else {
			neg++
		}
	}
	lift := math.Min(4, math.Max(1, neg/(pos+1)/2))
	for e := range epochs {
		t.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		loss := 0.0
		for _, i := range order {
			r := &t.rows[i]
			if r.label < 0 {
				continue
			}
			// Each feature is dropped now and then: what is learned must not hang on one
			// phrase of one grammar.
			t.kept = t.thin(t.kept[:0], t.slab[r.from:r.mid], t.o.drop)
			t.some = t.thin(t.some[:0], t.slab[r.mid:r.to], t.o.drop/2)
			t.said = t.thin(t.said[:0], t.slab[r.to:r.end], t.o.drop)
			grams, marks, meant := t.kept, t.some, t.said
			if len(meant) > 0 && t.rng.Float64() < wordless {
				grams = nil
			}
			z := t.logit(grams, marks, meant)
			p := 1 / (1 + math.Exp(-z))
			y := float64(r.label)
			d := p - y
			weight := float64(r.weight)
			if y == 1 {
				weight *= lift
				loss -= math.Log(math.Max(p, 1e-9))
			} else {
				loss -= math.Log(math.Max(1-p, 1e-9))
			}
			if math.Abs(d) < 0.01 {
				continue // already clear
			}
			d *= weight
			biasG += d * d
			t.bias -= t.o.step * d / math.Sqrt(biasG)
			t.step(grams, d*detect.GramUnit(len(grams)))
			t.step(marks, d*detect.MarkUnit)
			t.step(meant, d*detect.MeantUnit(len(meant)))
		}
		_ = loss
		if e < epochs-1 {
			t.setAside(order)
		}
	}
	// Weights that were hardly ever moved say nothing; small ones cost space.
	for i, w := range t.w {
		t.w[i] = max(-top, min(top, w))
		if math.Abs(float64(w)) < 0.01 {
			t.w[i] = 0
		}
	}
}

// wordless is how often a window of another language is read by what its words mean alone: what somebody else
// writes has other words.
const wordless = 0.3

// top bounds a weight, so that 255 steps are fine enough for all of them.
const top = 3.0

func (t *trainer) step(idx []uint32, d float64) {
	eta, l2 := float32(t.o.step), float32(t.o.l2)
	g := float32(d)
	for _, x := range idx {
		t.g[x] += g * g
		w := t.w[x]
		t.w[x] = w - eta*(g+l2*w)/float32(math.Sqrt(float64(t.g[x])+1e-3))
	}
}

// thin keeps each feature with probability 1-drop.
func (t *trainer) thin(dst, idx []uint32, drop float64) []uint32 {
	limit := uint8(drop * 256)
	var bits uint64
	for i, x := range idx {
		if i%8 == 0 {
			bits = t.rng.Uint64()
		}
		if uint8(bits) >= limit {
			dst = append(dst, x)
		}
		bits >>= 8
	}
	return dst
}

func (t *trainer) setAside(rows []int32) {
	best := map[int32]float64{}
	for _, i := range rows {
		r := &t.rows[i]
		if r.label == 0 {
			continue
		}
		r.label = 1
		z := t.rowLogit(r)
		if b, ok := best[r.doc]; !ok || z > b {
			best[r.doc] = z
		}
	}
	for _, i := range rows {
		r := &t.rows[i]
		if r.label == 1 {
			if z := t.rowLogit(r); z < 0 && z < best[r.doc] {
				r.label = -1
			}
		}
	}
}

// best is the window of a document that scores highest.
func (t *trainer) best(d doc) (text string, score float64) {
	score = math.Inf(-1)
	t.cut.each(d, false, func(w *detect.Window, _ int) {
		t.f.Extract(w)
		if z := t.windowLogit(); z > score {
			text, score = string(w.Text), z
		}
	})
	return text, score
}

// windowLogit is what the model says of the window that was described last, as [detect.Model.Logit] does.
func (t *trainer) windowLogit() float64 {
	f, meant := &t.f, t.f.Meant
	if t.logit(f.OwnGrams(), f.Marks, nil) <= detect.MeantFloor {
		meant = nil
	}
	return t.logit(f.Grams, f.Marks, meant)
}

func sum64(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}
