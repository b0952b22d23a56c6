package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stoplog/stoplog/pkg/detect"
)

// How the trees of the verdict are grown: Newton boosting over histograms (Chen and
// Guestrin, "XGBoost", 2016). Few and shallow, for the texts are few.
const (
	treeCount  = 300
	treeStep   = 0.08
	treeRidge  = 10.0
	treeLeast  = 60 // samples in a leaf
	treeShare  = 3  // one in so many figures is offered to a tree
	treeLevels = 64 // values that are told apart of one figure, at most
)

// grower grows trees on samples.
type grower struct {
	cuts  [detect.VerdictSize][]float32 // values at which a figure may be cut, rising
	level [detect.VerdictSize][]uint8   // of each sample: how many cuts lie below its value
	g, h  []float64                     // slope and curve of the loss at each sample
}

// fitTrees boosts trees on samples, from nothing: what the figures say two by two.
func fitTrees(samples []sample, seed uint64) []detect.Tree {
	var used []*sample
	for i := range samples {
		if !samples[i].f.Empty {
			used = append(used, &samples[i])
		}
	}
	gr := grower{g: make([]float64, len(used)), h: make([]float64, len(used))}
	for k := range gr.cuts {
		values := make([]float32, len(used))
		for i, s := range used {
			values[i] = float32(s.f.Values[k])
		}
		gr.cuts[k] = cutsOf(values)
		gr.level[k] = make([]uint8, len(used))
		for i, x := range values {
			at, _ := slices.BinarySearch(gr.cuts[k], x)
			gr.level[k][i] = uint8(at)
		}
	}
	z := make([]float64, len(used))
	r := rand.New(rand.NewPCG(seed, 91))
	figures := make([]int, detect.VerdictSize)
	for i := range figures {
		figures[i] = i
	}
	all := make([]int32, len(used))
	for i := range all {
		all[i] = int32(i)
	}
	var trees []detect.Tree
	for range treeCount {
		for i, s := range used {
			p := 1 / (1 + math.Exp(-z[i]))
			y := 0.0
			if s.doc.attack {
				y = 1
			}
			gr.g[i], gr.h[i] = s.weight*(p-y), s.weight*p*(1-p)
		}
		r.Shuffle(len(figures), func(i, j int) { figures[i], figures[j] = figures[j], figures[i] })
		offered := figures[:detect.VerdictSize/treeShare]
		t, ok := gr.tree(all, offered)
		if !ok {
			continue // none of these tells anything
		}
		for i, s := range used {
			z[i] += t.Eval(&s.f.Values)
		}
		trees = append(trees, t)
	}
	return trees
}

// cutsOf gives the values at which samples may be parted: a sample with one of them, or
// less, goes left.
func cutsOf(values []float32) []float32 {
	s := slices.Clone(values)
	slices.Sort(s)
	if distinct := slices.Compact(slices.Clone(s)); len(distinct) <= treeLevels {
		return distinct[:max(0, len(distinct)-1)]
	}
	var cuts []float32
	for i := 1; i < treeLevels; i++ {
		cuts = append(cuts, s[i*len(s)/treeLevels])
	}
	return slices.Compact(cuts)
}

// tree grows one tree. It reports false when nothing is gained.
func (gr *grower) tree(all []int32, offered []int) (t detect.Tree, ok bool) {
	k, level, ok := gr.split(all, offered)
	if !ok {
		return t, false
	}
	t.Figure[0], t.At[0] = uint16(k), gr.cuts[k][level]
	left, right := gr.part(all, k, level)
	for side, rows := range [2][]int32{left, right} {
		a, b := rows, []int32(nil)
		if k, level, ok := gr.split(rows, offered); ok {
			t.Figure[1+side], t.At[1+side] = uint16(k), gr.cuts[k][level]
			a, b = gr.part(rows, k, level)
		} else {
			t.At[1+side] = math.MaxFloat32
		}
		t.Leaf[2*side], t.Leaf[2*side+1] = gr.leaf(a), gr.leaf(b)
	}
	return t, true
}

func (gr *grower) leaf(rows []int32) float32 {
	g, h := 0.0, 0.0
	for _, i := range rows {
		g += gr.g[i]
		h += gr.h[i]
	}
	return float32(-treeStep * g / (h + treeRidge))
}

// split finds the figure and the level at which the rows are best parted.
func (gr *grower) split(rows []int32, offered []int) (figure, level int, ok bool) {
	best := 1e-6
	for _, k := range offered {
		if len(gr.cuts[k]) == 0 {
			continue
		}
		var g, h [treeLevels + 1]float64
		var n [treeLevels + 1]int
		of := gr.level[k]
		for _, i := range rows {
			l := of[i]
			g[l] += gr.g[i]
			h[l] += gr.h[i]
			n[l]++
		}
		allG, allH := 0.0, 0.0
		for l := range g {
			allG += g[l]
			allH += h[l]
		}
		gl, hl, nl := 0.0, 0.0, 0
		for l := range gr.cuts[k] {
			gl, hl, nl = gl+g[l], hl+h[l], nl+n[l]
			if nl < treeLeast || len(rows)-nl < treeLeast {
				continue
			}
			r, hr := allG-gl, allH-hl
			gain := gl*gl/(hl+treeRidge) + r*r/(hr+treeRidge) - allG*allG/(allH+treeRidge)
			if gain > best {
				best, figure, level, ok = gain, k, l, true
			}
		}
	}
	return figure, level, ok
}

// part parts rows at a level of a figure.
func (gr *grower) part(rows []int32, figure, level int) (left, right []int32) {
	of := gr.level[figure]
	for _, i := range rows {
		if int(of[i]) <= level {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	return left, right
}
