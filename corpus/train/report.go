package main

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/stoplog/stoplog/pkg/detect"
)

// tally counts documents at or above the three thresholds: 1 % of honest
// documents, suspect, quarantine.
type tally struct {
	n  int
	at [3]int
}

func (a *tally) add(score float64, th [3]float64) {
	a.n++
	for i, x := range th {
		if score >= x {
			a.at[i]++
		}
	}
}

func wilson(k, n int) (lo, hi float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	c := (p + z*z/(2*m)) / (1 + z*z/m)
	h := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m)) / (1 + z*z/m)
	return c - h, c + h
}

func (a tally) String() string {
	s := fmt.Sprintf("n=%-5d", a.n)
	for i, name := range []string{"1%FP", "suspect", "quarantine"} {
		lo, hi := wilson(a.at[i], a.n)
		s += fmt.Sprintf("  %s %5.1f [%.1f-%.1f]", name, 100*float64(a.at[i])/math.Max(1, float64(a.n)), 100*lo, 100*hi)
	}
	return s
}

func table(title string, rows map[string]*tally) {
	var keys []string
	for k := range rows {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	fmt.Println("## " + title)
	for _, k := range keys {
		fmt.Printf("%-44s %s\n", k, rows[k])
	}
}

func into(m map[string]*tally, key string, score float64, th [3]float64) {
	if m[key] == nil {
		m[key] = &tally{}
	}
	m[key].add(score, th)
}

// report prints what is found of the texts that verdict and thresholds were set on, by a
// model and a verdict that did not see them, of what -leave names, and of packages.
func report(t *trainer, w *detect.Weights, c *composer, o options, samples []sample, th [3]float64, test []doc) error {
	m, err := detect.ParseModel(detect.EncodeModel(*w))
	if err != nil {
		return err
	}
	d := t.cut.d.WithModel(m)
	score := func(x doc) float64 {
		f := d.Figures([]byte(x.text))
		p := m.Decide(&f)
		return math.Log(p / (1 - p))
	}
	lang, family, all, honest := map[string]*tally{}, map[string]*tally{}, map[string]*tally{}, map[string]*tally{}
	attack := func(x doc, s float64) {
		into(lang, x.lang, s, th)
		into(family, x.family, s, th)
		into(all, "all", s, th)
	}
	what := "attacks, by a model that did not see them"
	named := false
	if o.leave != "" && !strings.HasPrefix(o.leave, "source:") {
		what = "attacks left out: " + o.leave
		named = true
		left := c.named()
		for i := range 4000 {
			x := left.attack(uint64(1<<42+i), allParts)
			attack(x, score(x))
		}
	}
	for i := range samples {
		s := &samples[i]
		floor := s.f.Floor()
		z := max(s.logit, math.Log(floor/(1-floor)))
		switch {
		case !s.doc.attack:
			name := s.kind
			if name == "composed" {
				name += ":" + s.doc.family
			}
			into(honest, name, z, th)
		case !named && s.kind == "composed":
			attack(s.doc, z)
		}
	}
	table(what, all)
	table(what+", by family", family)
	table(what+", by language", lang)
	for _, x := range test {
		s := score(x)
		into(honest, "packages:all", s, th)
		into(honest, "packages:"+x.family, s, th)
	}
	table("honest text", honest)
	if o.eval == "" {
		return nil
	}
	docs, err := readSets(o.eval)
	if err != nil {
		return err
	}
	sets := map[string]*tally{}
	for _, x := range docs {
		if o.data != "" && !leftOut(o.leave, x.set) {
			continue // trained on
		}
		label := "honest "
		if x.attack {
			label = "attack "
		}
		into(sets, label+x.set, score(x), th)
	}
	table("sets not trained on", sets)
	return nil
}
