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
	sources := o.leave
	if strings.HasPrefix(o.leave, "source:") {
		o.leave = ""
	}
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
	raw := map[string][]float64{}
	sets := map[string]*tally{}
	ruled := map[string]*tally{}
	for _, d := range docs {
		if o.data != "" && !leftOut(sources, d.set) {
			continue // trained on
		}
		s := t.score(d)
		// With the rules: what Scan says by rules alone, in the model's terms.
		both := s
		switch p := t.cut.d.Scan(detect.Input{Text: []byte(d.text)}).Score; {
		case p >= detect.DefaultQuarantine:
			both = max(s, th[2])
		case p >= detect.DefaultSuspect:
			both = max(s, th[1])
		}
		label := "honest "
		if d.attack {
			label = "attack "
		}
		into(sets, label+d.set, s, th)
		if !d.attack && o.top > 0 && s >= th[1] {
			text, _ := t.best(d)
			fmt.Printf("high %.1f %s %s: %q\n", s, d.set, d.family, text)
		}
		raw[label+d.set] = append(raw[label+d.set], s)
		into(ruled, label+d.set, both, th)
		if d.set == "docs_benign" {
			into(sets, label+d.set+"/"+strings.SplitN(d.family, ",", 2)[0], s, th)
		}
	}
	compare(raw)
	var sum [3]float64
	n := 0.0
	for k, a := range sets {
		if strings.HasPrefix(k, "attack ") && !strings.Contains(k, "obfuscated") && !strings.Contains(k, "bipia") && !strings.Contains(k, "naive") {
			n++
			for i := range sum {
				sum[i] += 100 * float64(a.at[i]) / float64(a.n)
			}
		}
	}
	fmt.Printf("mean recall, model alone, bare task payloads left aside: %.1f %.1f %.1f\n", sum[0]/n, sum[1]/n, sum[2]/n)
	table("sets not trained on, model alone", sets)
	table("sets not trained on, rules and model", ruled)
}

// compare prints the recall where the honest sets just keep to the aims of the
// suspect verdict, whatever the thresholds are: one number to compare models by.
func compare(raw map[string][]float64) {
	at, which := math.Inf(-1), ""
	for set, share := range map[string]float64{"docs_benign": 0.005, "prompting_docs_benign": 0.015, "wildguard_benign": 0.01, "mitre_frr_ml_benign": 0.01, "deepset_train": 0.01} {
		s := raw["honest "+set]
		if len(s) == 0 {
			continue
		}
		sort.Sort(sort.Reverse(sort.Float64Slice(s)))
		if x := s[int(share*float64(len(s)))]; x > at {
			at, which = x, set
		}
	}
	sum, n, parts := 0.0, 0.0, ""
	for _, set := range []string{"asb_templated", "cyberseceval", "deepset_train", "garak_latent_embedded", "garak_latent_payload", "garak_sysprompt", "pallms_pi"} {
		s := raw["attack "+set]
		if len(s) == 0 {
			continue
		}
		k := 0.0
		for _, x := range s {
			if x > at {
				k++
			}
		}
		n++
		sum += 100 * k / float64(len(s))
		parts += fmt.Sprintf(" %s %.0f", set, 100*k/float64(len(s)))
	}
	fmt.Printf("compare: at the aims (logit %.2f, bound by %s) mean recall %.1f:%s\n", at, which, sum/n, parts)
}
