package main

import (
	"fmt"
	"math"
	"sort"
	"strings"
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

func report(t *trainer, c *composer, o options, th [3]float64, test []doc) {
	lang, family, all := map[string]*tally{}, map[string]*tally{}, map[string]*tally{}
	for i := range 4000 {
		d := c.attack(uint64(1<<42+i), true)
		s := t.score(d)
		into(lang, d.lang, s, th)
		into(family, d.family, s, th)
		into(all, "all", s, th)
	}
	what := "attacks by held-out lines"
	if o.full {
		what = "attacks (lines trained on)"
	}
	if o.leave != "" {
		what = "attacks left out: " + o.leave
	}
	table(what, all)
	table(what+", by family", family)
	table(what+", by language", lang)
	honest := map[string]*tally{}
	for i := range 4000 {
		d := c.benign(uint64(1<<43+i), true)
		into(honest, "composed:"+d.family, t.score(d), th)
	}
	for _, d := range test {
		s := t.score(d)
		into(honest, "packages:all", s, th)
		into(honest, "packages:"+d.family, s, th)
	}
	table("honest text", honest)
	if o.eval == "" {
		return
	}
	docs, err := readSets(o.eval)
	if err != nil {
		fmt.Println(err)
		return
	}
	sets := map[string]*tally{}
	for _, d := range docs {
		s := t.score(d)
		label := "honest "
		if d.attack {
			label = "attack "
		}
		into(sets, label+d.set, s, th)
		if d.set == "docs_benign" || d.set == "obfuscated_sample" {
			into(sets, label+d.set+"/"+strings.SplitN(d.family, ",", 2)[0], s, th)
		}
	}
	table("sets not trained on", sets)
}
