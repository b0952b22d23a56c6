package main

import (
	"cmp"
	"fmt"
	"log"
	"maps"
	"math"
	"slices"

	"github.com/stoplog/stoplog/bench/transform"
	"github.com/stoplog/stoplog/pkg/detect"
)

// What the verdict on a whole text learns from, of each part.
const (
	verdictAttacks = 10000
	verdictHonest  = 8000
	verdictOdd     = 2500 // attacks written in odd ways
	oddEach        = 3    // of the honest texts one in so many
	oddMax         = 2000 // bytes up to which a text is rewritten
	// Of the attacks, and of the honest texts written for this project, one in so many stands amid other documents.
	amidAttacks  = 8
	amidHonest   = 6
	verdictRidge = 300.0
	// What a text of each origin counts.
	verdictComposed = 0.3 // honest and composed
	verdictWritten  = 3.0
	verdictModels   = 4.0 // honest text about models: it quotes attacks, and is raised more often than other text
	verdictLabelled = 3.0
)

// sample is one text as the verdict sees it.
type sample struct {
	f      detect.Figures
	doc    doc
	kind   string
	fold   int // the part of the text or, where there is one alone, one of as many
	weight float64
	logit  float64 // by a verdict that was fitted to others
}

// setVerdict fits the verdict, and with it says what the score of one window means. It
// gives the logit that a window needs to matter, and the thresholds of the verdict in the
// file's scale: a probability of 0.50 at suspect and of 0.85 at quarantine.
func (t *trainer) setVerdict(w *detect.Weights, samples []sample) (low float64, th [3]float64, err error) {
	for fold := range parts {
		t.fitReread(w, samples, fold)
		reread(w, samples, fold)
	}
	t.fitReread(w, samples, allParts)
	nets, net := fitNets(samples, t.o.seed)
	// Thresholds are set on texts that the verdict was not fitted to: each half of them is
	// judged by what the other half teaches, and by a net that three of four parts did.
	half := func(i int) int { return samples[i].fold % 2 }
	for side := range 2 {
		var others []sample
		for i := range samples {
			if half(i) != side {
				others = append(others, samples[i])
			}
		}
		v, trees, err := fitBoth(others, t.o.seed)
		if err != nil {
			return 0, th, err
		}
		for fold := side; fold < parts; fold += 2 {
			nets[fold].Scale(netSays)
		}
		for i := range samples {
			if s := &samples[i]; half(i) == side {
				s.logit = math.Inf(-1)
				if !s.f.Empty {
					s.logit = s.f.Logit(&v, trees, nets[s.fold])
				}
			}
		}
	}
	th = thresholds(samples)
	v, trees, err := fitBoth(samples, t.o.seed)
	if err != nil {
		return 0, th, err
	}
	if t.o.top > 0 {
		t.printTop(samples)
	}
	suspect, quarantine := th[1], max(th[2], th[1]+0.5)
	gain := math.Log(0.85/0.15) / (quarantine - suspect)
	log.Printf("thresholds (logit): 1%% %.2f, suspect %.2f, quarantine %.2f", th[0], suspect, quarantine)
	for i := range v {
		v[i] *= gain
	}
	v[0] -= gain * suspect
	for i := range trees {
		for k := range trees[i].Leaf {
			trees[i].Leaf[k] *= float32(gain)
		}
	}
	net.Scale(netSays * gain)
	w.Verdict, w.Trees, w.Net = v, trees, net
	for i := range samples { // as the verdict that ships would have it
		samples[i].logit = gain * (samples[i].logit - suspect)
	}
	var tops, honest []float64
	for i := range samples {
		switch s := &samples[i]; {
		case s.doc.attack && s.logit >= 0 && s.f.Rules == 0:
			tops = append(tops, s.f.Top)
		case !s.doc.attack:
			honest = append(honest, s.f.Top)
		}
	}
	low, high := quantile(tops, lowShare), quantile(honest, 1-highShare)
	high = max(high, low+1)
	w.Gain = math.Log(0.85/0.15) / (high - low)
	w.Shift = -w.Gain * low
	log.Printf("windows (logit): %.2f to matter, %.2f to be enough", low, high)
	return low, [3]float64{gain * (th[0] - suspect), 0, math.Log(0.85 / 0.15)}, nil
}

// A window matters from where the best windows of all but lowShare of the attacks that
// are flagged lie; it is enough by itself where hardly an honest text has one.
const (
	lowShare  = 0.02
	highShare = 0.0005
)

func quantile(s []float64, share float64) float64 {
	slices.Sort(s)
	return s[int(share*float64(len(s)-1))]
}

// samples draws the texts of a part that the verdict is learned from, as the model that
// was trained without this part sees them.
func (t *trainer) samples(out []sample, w *detect.Weights, c *composer, docs, sets []doc, part int) ([]sample, error) {
	m, err := detect.ParseModel(detect.EncodeModel(*w))
	if err != nil {
		return nil, err
	}
	d := t.cut.d.WithModel(m.Open())
	add := func(x doc, weight float64) {
		fold := part
		if t.o.once {
			fold = len(out) % parts
		}
		out = append(out, sample{f: d.Figures([]byte(x.text)), doc: x, kind: kindOf(x), fold: fold, weight: weight})
	}
	for i := range verdictAttacks {
		x := c.attack(uint64(1<<45+i*parts+part), part)
		if i%amidAttacks == 0 {
			x = c.amid(uint64(i), x, part)
		}
		add(x, 1)
	}
	for i := range verdictHonest {
		add(c.benign(uint64(1<<45+i*parts+part), part), verdictComposed)
	}
	docs = ofPart(docs, part)
	for i, x := range docs {
		weight := 1.0
		if x.own {
			if weight = verdictWritten; x.family == "llmdoc" {
				weight = verdictModels
			}
		}
		add(x, weight)
		if x.own && i%amidHonest == 0 {
			add(c.amid(uint64(i), x, part), 1)
		}
	}
	for _, x := range ofPart(sets, part) {
		add(x, verdictLabelled)
	}
	t.addOdd(c, docs, part, add)
	return out, nil
}

func ofPart(docs []doc, part int) (out []doc) {
	for _, d := range docs {
		if d.part == part {
			out = append(out, d)
		}
	}
	return out
}

// addOdd adds texts that are written in odd ways: the ones that the views were written
// for. A verdict that never saw them takes the form for the attack.
func (t *trainer) addOdd(c *composer, honest []doc, part int, add func(doc, float64)) {
	for i := range verdictOdd {
		d := c.attack(uint64(1<<46+i*parts+part), part)
		if len(d.spans) != 1 || len(d.text) > oddMax {
			continue
		}
		a := d.spans[0]
		d.text = d.text[:a.Start] + oddWays[i%len(oddWays)].Apply(d.text[a.Start:a.End]) + d.text[a.End:]
		add(d, verdictComposed)
	}
	for i, d := range honest {
		if i%oddEach == 0 {
			if odd, ok := inOddWay(d); ok {
				add(odd, verdictComposed)
			}
		}
	}
}

// oddWays are the ways to write a text that the views were written for, but those that part a sentence: what
// such text is as it stands has to tell that it is worth a look, so the model does not learn that it is not.
var oddWays = slices.DeleteFunc(transform.All(), func(w transform.Transform) bool { return !w.Known || w.Pieces })

// inOddWay writes a short honest text in one of the odd ways that show it to a reader.
func inOddWay(d doc) (doc, bool) {
	if kind := kindOf(d); kind != "documents" && kind != "honest:document" && kind != "honest:prompt" {
		return d, false
	}
	w := oddWays[sum64([]byte(d.text))%uint64(len(oddWays))]
	if w.Hides || len(d.text) > oddMax {
		return d, false
	}
	d.text, d.odd = w.Apply(d.text), true
	return d, true
}

// netSays is the net's share in the verdict. Weights and trees have the rest, each as much.
const netSays = 0.3

// fitBoth fits weights and trees of the verdict. Weights see what goes on beyond what was
// met, trees what hangs on what.
func fitBoth(samples []sample, seed uint64) (w [detect.VerdictSize]float64, trees []detect.Tree, err error) {
	if w, err = fitVerdict(samples); err != nil {
		return w, nil, err
	}
	trees = fitTrees(samples, seed)
	for i := range w {
		w[i] *= (1 - netSays) / 2
	}
	for i := range trees {
		for k := range trees[i].Leaf {
			trees[i].Leaf[k] *= (1 - netSays) / 2
		}
	}
	return w, trees, nil
}

// fitVerdict is a logistic regression with a ridge over standardised figures, by
// Newton's method.
func fitVerdict(samples []sample) (w [detect.VerdictSize]float64, err error) {
	const n = detect.VerdictSize
	var mean, dev [n]float64
	count := 0.0
	for i := range samples {
		if samples[i].f.Empty {
			continue
		}
		count++
		for k, x := range samples[i].f.Values {
			mean[k] += x
		}
	}
	for k := range mean {
		mean[k] /= count
	}
	for i := range samples {
		if !samples[i].f.Empty {
			for k, x := range samples[i].f.Values {
				dev[k] += (x - mean[k]) * (x - mean[k])
			}
		}
	}
	for k := range dev {
		dev[k] = math.Sqrt(dev[k] / count)
	}
	mean[0], dev[0] = 0, 1 // the constant
	var x [n]float64
	for range 12 {
		var grad [n]float64
		var hess [n][n]float64
		for k := 1; k < n; k++ {
			grad[k] = verdictRidge * w[k]
			hess[k][k] = verdictRidge
		}
		hess[0][0] = 1e-6
		for i := range samples {
			s := &samples[i]
			if s.f.Empty {
				continue
			}
			z := 0.0
			for k, v := range s.f.Values {
				x[k] = 0
				if dev[k] > 1e-9 {
					x[k] = (v - mean[k]) / dev[k]
				}
				z += w[k] * x[k]
			}
			p := 1 / (1 + math.Exp(-z))
			y := 0.0
			if s.doc.attack {
				y = 1
			}
			g, h := s.weight*(p-y), s.weight*math.Max(p*(1-p), 1e-6)
			for a := range n {
				if x[a] == 0 {
					continue
				}
				grad[a] += g * x[a]
				for b := 0; b <= a; b++ {
					hess[a][b] += h * x[a] * x[b]
				}
			}
		}
		step, err := solve(&hess, &grad)
		if err != nil {
			return w, err
		}
		size := 0.0
		for k := range w {
			w[k] -= step[k]
			size = math.Max(size, math.Abs(step[k]))
		}
		if size < 1e-6 {
			break
		}
	}
	for k := 1; k < n; k++ {
		if dev[k] <= 1e-9 {
			w[k] = 0
			continue
		}
		w[k] /= dev[k]
		w[0] -= w[k] * mean[k]
	}
	return w, nil
}

// solve solves a symmetric, positive system by Cholesky's method; of a only the lower
// triangle is read.
func solve(a *[detect.VerdictSize][detect.VerdictSize]float64, b *[detect.VerdictSize]float64) (x [detect.VerdictSize]float64, err error) {
	n := len(b)
	for i := range n {
		for j := 0; j <= i; j++ {
			s := a[i][j]
			for k := range j {
				s -= a[i][k] * a[j][k]
			}
			if i == j {
				if s <= 0 {
					return x, fmt.Errorf("the figures of the verdict depend on each other (%d)", i)
				}
				a[i][i] = math.Sqrt(s)
			} else {
				a[i][j] = s / a[j][j]
			}
		}
	}
	for i := range n {
		s := b[i]
		for k := range i {
			s -= a[i][k] * x[k]
		}
		x[i] = s / a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		s := x[i]
		for k := i + 1; k < n; k++ {
			s -= a[k][i] * x[k]
		}
		x[i] = s / a[i][i]
	}
	return x, nil
}

// thresholds gives the lowest logits at which every kind of honest text keeps to
// its budget.
func thresholds(samples []sample) (th [3]float64) {
	by, of := map[string][]*sample{}, map[string]int{}
	for i := range samples {
		if s := &samples[i]; !s.doc.attack {
			by[s.kind] = append(by[s.kind], s)
			of[s.kind+" "+s.doc.set]++
		}
	}
	th = [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for _, kind := range slices.Sorted(maps.Keys(by)) {
		list := by[kind]
		slices.SortStableFunc(list, func(a, b *sample) int { return cmp.Compare(b.logit, a.logit) })
		b, ok := budgets[kind]
		if !ok {
			b = budgets["composed"]
		}
		says := func(s *sample) float64 {
			if s.doc.set == "" || s.doc.labelled {
				return 1
			}
			return min(1, packageSays/float64(of[kind+" "+s.doc.set]))
		}
		all := 0.0
		for _, s := range list {
			all += says(s)
		}
		at, above, k := [3]float64{}, 0.0, 2 // the smallest budget is used up first
		for _, s := range list {
			for above += says(s); k >= 0 && above > b[k]*all; k-- {
				at[k] = s.logit
			}
		}
		for k := range th {
			th[k] = max(th[k], at[k])
		}
		log.Printf("  %-26s %5d texts: logits %.2f %.2f %.2f", kind, len(list), at[0], at[1], at[2])
	}
	return th
}

// packageSays is how many texts a package counts as at most: some hold one text in
// hundreds of versions.
const packageSays = 20
