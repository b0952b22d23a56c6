package main

import (
	"cmp"
	"log"
	"math"
	"slices"
	"strings"
)

// budget is the share of honest documents of one kind that may lie above 1 %
// documents, suspect and quarantine.
type budget [3]float64

// budgets by kind. What is found in packages is what is met in practice. The
// composed kinds lie as near to attacks as honest text can, one line in eight of
// them was never shown, and each is a small part of what is read: more of them may
// be asked about.
var budgets = map[string]budget{
	"documents":  {0.010, 0.0035, 0.0007},
	"llm":        {0.020, 0.012, 0.003},
	"translated": {0.010, 0.005, 0.001},
	"composed":   {0.025, 0.013, 0.003},
	"rules":      {0.020, 0.012, 0.003},
	"prompt":     {0.030, 0.018, 0.005},
	"trigger":    {0.020, 0.012, 0.004},
	"llmdoc":     {0.060, 0.030, 0.008},
}

// kindOf sorts an honest document under a budget.
func kindOf(d doc) string {
	if d.set == "" {
		if _, ok := budgets[d.family]; ok {
			return d.family
		}
		return "composed"
	}
	switch {
	case d.family == "strings":
		return "translated"
	case aboutModels(d.set):
		return "llm"
	}
	return "documents"
}

func aboutModels(set string) bool {
	for _, w := range []string{"langchain", "promptfoo", "ollama", "modelcontext", "llama", "anthropic", "gpt", "agent", "mastra", "mem0", "skill", "prompt", "cc-sdd", "faf", "vibe", "claude", "assistant", "workflow", "clawnet", "store-automator"} {
		if strings.Contains(set, w) {
			return true
		}
	}
	return false
}

// thresholds gives the lowest logits at which every kind of honest text keeps to
// its budget. None of it was trained on.
func (t *trainer) thresholds(c *composer, tune []doc) [3]float64 {
	by := map[string][]float64{}
	for i := range 12000 {
		d := c.benign(uint64(1<<40+i), true)
		by[kindOf(d)] = append(by[kindOf(d)], t.score(d))
	}
	for _, d := range tune {
		by[kindOf(d)] = append(by[kindOf(d)], t.score(d))
	}
	if t.o.top > 0 {
		t.printTop(c, tune)
	}
	th := [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for kind, s := range by {
		slices.Sort(s)
		slices.Reverse(s)
		var at [3]float64
		for i, share := range budgets[kind] {
			at[i] = s[min(len(s)-1, int(share*float64(len(s))))]
			th[i] = max(th[i], at[i])
		}
		log.Printf("  %-10s %5d documents: logits %.2f %.2f %.2f", kind, len(s), at[0], at[1], at[2])
	}
	return th
}

// printTop shows the honest windows that look most like attacks: what to write
// more honest text about.
func (t *trainer) printTop(c *composer, tune []doc) {
	type hit struct {
		text  string
		score float64
		lang  string
	}
	by := map[string][]hit{}
	add := func(d doc) {
		text, score := t.best(d)
		by[kindOf(d)] = append(by[kindOf(d)], hit{text, score, d.lang + d.set + " " + d.family})
	}
	for i := range 12000 {
		add(c.benign(uint64(1<<40+i), true))
	}
	for _, d := range tune {
		add(d)
	}
	for kind, h := range by {
		slices.SortFunc(h, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
		for _, x := range h[:min(len(h), t.o.top)] {
			log.Printf("%s %.2f %s: %q", kind, x.score, x.lang, x.text)
		}
	}
}
