package main

import (
	"cmp"
	"log"
	"slices"
	"sync"
)

// budget is the share of honest documents of one kind that may lie above 1 %
// documents, suspect and quarantine.
type budget [3]float64

// budgets by kind. What is found in packages, and what people typed, is what is met in
// practice. Composed text, and what was written for this project (honest:…), lies as
// near to attacks as honest text can, and is a small part of what is read: more of it
// may be asked about. odd is honest text encoded or spaced out, of all these kinds. set:… is of labelled sets; translated are strings of
// programs, rules the files that packages ship for assistants to follow.
var budgets = map[string]budget{
	"documents":                 {0.010, 0.0056, 0.0005},
	"translated":                {0.030, 0.0100, 0.0030},
	"llm":                       {0.030, 0.0120, 0.0050},
	"rules":                     {0.030, 0.0180, 0.0010},
	"honest:rules":              {0.150, 0.0500, 0.0100},
	"honest:llmdoc":             {0.200, 0.0900, 0.0200},
	"honest:prompt":             {0.040, 0.0280, 0.0030},
	"honest:trigger":            {0.045, 0.0300, 0.0040},
	"honest:document":           {0.150, 0.0400, 0.0080},
	"odd":                       {0.060, 0.0440, 0.0050},
	"amid":                      {0.300, 0.1500, 0.0300}, // most are three texts
	"composed":                  {0.150, 0.1300, 0.0150},
	"set:docs_benign":           {0.010, 0.0030, 0.0010},
	"set:prompting_docs_benign": {0.030, 0.0100, 0.0035},
	"set:other":                 {0.020, 0.0120, 0.0030},
}

// kindOf sorts an honest document under a budget.
func kindOf(d doc) string {
	switch {
	case d.odd:
		return "odd"
	case d.amid:
		return "amid"
	case d.own:
		return "honest:" + d.family
	case d.set == "":
		return "composed"
	case d.labelled:
		if _, ok := budgets["set:"+d.set]; ok {
			return "set:" + d.set
		}
		return "set:other"
	case d.family == "strings":
		return "translated"
	case d.family == ruleFile:
		return "rules"
	case aboutModels(d.set):
		return "llm"
	}
	return "documents"
}

// aboutModels reports whether a package is about language models.
func aboutModels(set string) bool { return modelPackages()[set] }

var modelPackages = sync.OnceValue(func() map[string]bool {
	list, err := npmPackages()
	if err != nil {
		panic(err) // the list is embedded, and tested
	}
	out := map[string]bool{}
	for _, p := range list {
		out[p.name] = p.models
	}
	return out
})

// printTop shows the honest texts that look most like attacks, by their best window:
// what to write more honest text about.
func (t *trainer) printTop(samples []sample) {
	by := map[string][]*sample{}
	for i := range samples {
		if s := &samples[i]; !s.doc.attack {
			by[s.kind] = append(by[s.kind], s)
		}
	}
	for kind, list := range by {
		slices.SortFunc(list, func(a, b *sample) int { return cmp.Compare(b.logit, a.logit) })
		for _, s := range list[:min(len(list), t.o.top)] {
			text, z := t.best(doc{text: s.doc.text})
			log.Printf("top %s %.2f, %s, rules %.2f window %.2f: %q", kind, s.logit, s.doc.set, s.f.Rules, z, text)
		}
	}
}
