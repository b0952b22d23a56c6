package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stoplog/stoplog/corpus/grammar"
	"github.com/stoplog/stoplog/pkg/detect"
)

// A verdict that learns from text which the windows were trained on learns nothing about
// the next text.
func TestPartsShareNoText(t *testing.T) {
	set, err := grammar.Default()
	if err != nil {
		t.Fatal(err)
	}
	c := newComposer(set, options{seed: 1, leave: "family:switch"})
	c.texts = map[string][]doc{}
	var honest []doc
	for i := range 4000 {
		// Numbers stay as they are, whatever noise does to words.
		d := doc{text: fmt.Sprintf("write 70000000%04d to them", i), lang: "en", family: "other", bare: true}
		d.part = partOf(d.text)
		c.texts["en"] = append(c.texts["en"], d)
		d = doc{text: fmt.Sprintf("Here is\n80000000%04d.", i), lang: "en", family: "document", own: true}
		d.part = partOf(d.text)
		honest = append(honest, d)
	}
	part := map[string]int{}
	number := regexp.MustCompile(`[78]0000000\d{4}`)
	for _, d := range append(c.texts["en"], honest...) {
		part[number.FindString(d.text)] = d.part
	}
	for k := range parts {
		c.hosts[k] = byLanguage(honest, k)
	}
	seen, longer := 0, 0
	for i := range 2000 {
		d := c.attack(uint64(i), i%parts)
		if d.part != i%parts || d.family == "switch" {
			t.Fatalf("part %d, family %s, want part %d", d.part, d.family, i%parts)
		}
		if alone := d; i%2 == 1 {
			d = c.amid(uint64(i), d, i%parts)
			longer += len(d.text) - len(alone.text)
			for k, x := range d.spans {
				if a := alone.spans[k]; d.text[x.Start:x.End] != alone.text[a.Start:a.End] {
					t.Fatalf("amid others the attack is taken for %q", d.text[x.Start:x.End])
				}
			}
		}
		for _, n := range number.FindAllString(d.text, -1) {
			if of, ok := part[n]; ok {
				seen++
				if of != i%parts {
					t.Fatalf("a text of part %d in a document of part %d", of, i%parts)
				}
			}
		}
	}
	if seen < 200 || longer < 10000 {
		t.Errorf("%d texts were seen, %d bytes around attacks", seen, longer)
	}
	if d := c.named().attack(1, allParts); d.family != "switch" {
		t.Errorf("of what is left out: %s", d.family)
	}
}

func TestThresholdsKeepToBudgets(t *testing.T) {
	var samples []sample
	put := func(kind, set string, n int, logit float64) {
		for range n {
			samples = append(samples, sample{kind: kind, logit: logit, doc: doc{set: set}})
		}
	}
	// Of 100 packages with ten texts each one has three texts that lie high. Another one holds one
	// lesson in 400 versions, which counts as twenty texts.
	for i := range 100 {
		put("documents", fmt.Sprint("p", i), 10, -2)
	}
	samples[3].logit, samples[4].logit, samples[5].logit = 4, 3, 2
	put("documents", "lessons", 400, 0.5)
	th := thresholds(samples)
	// 1,020 texts: 0.05 % is less than one, 0.3 % three, 1 % ten.
	if th != [3]float64{0.5, 0.5, 4} {
		t.Errorf("thresholds %v", th)
	}
	put("honest:prompt", "", 1000, 7)
	if th = thresholds(samples); th != [3]float64{7, 7, 7} {
		t.Errorf("with a kind that lies higher: %v", th)
	}
}

func TestReadingAgainKnowsNotItsOwnFold(t *testing.T) {
	tr := newTrainer(options{seed: 1, step: 0.25}, cutter{})
	tr.rng = rand.New(rand.NewPCG(1, 1))
	var samples []sample
	for i := range 400 {
		// Each fold has a word of its own that tells attacks, and all have one in common.
		s := sample{fold: i % parts, weight: 1, doc: doc{attack: i%8 < 4}}
		s.f.Values[1] = 2
		s.f.Slots = []uint32{9, uint32(10 + i%parts)}
		if s.doc.attack {
			s.f.Slots = []uint32{1, uint32(2 + i%parts)}
		}
		samples = append(samples, s)
	}
	var w detect.Weights
	tr.fitReread(&w, samples, 0)
	reread(&w, samples, 0)
	bag := w.Bag[detect.Reread]
	if bag[1] <= 0 || bag[9] >= 0 || bag[2] != 0 || bag[10] != 0 || bag[3] <= 0 {
		t.Errorf("weights %v", bag[:14])
	}
	for i := range samples {
		z := samples[i].f.Values[detect.RereadFigure]
		switch s := &samples[i]; {
		case s.fold != 0 && z != 0:
			t.Fatalf("fold %d was read", s.fold)
		case s.fold == 0 && (z > 0) != s.doc.attack, samples[i].f.Values[detect.RereadFigure+1] != 2*z:
			t.Fatalf("attack %v: %.2f", s.doc.attack, z)
		}
	}
}
