// Command train composes the training text, trains the injection model and
// writes it where pkg/detect embeds it:
//
//	go run ./corpus/train -fetch -out pkg/detect/model.bin  # from the repository and public packages alone
//	go run ./corpus/train -data DIR -out pkg/detect/model.bin  # with labelled sets: the model that ships
//	go run ./corpus/train -leave family:todo                # what is found of a family never shown
//	go run ./corpus/train -eval DIR                         # figures on labelled sets (JSONL) that were not trained on
//
// The same seed on the same text gives the same model, byte for byte.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/stoplog/stoplog/corpus/grammar"
	"github.com/stoplog/stoplog/pkg/detect"
)

// How much a window counts by where it comes from. Composed honest text is made to lie
// as near to attacks as honest text can; what people really write is to count for more.
const (
	weightComposed = 0.4 // honest text of the grammars
	weightWritten  = 3.0 // honest documents written for this project
	weightLabelled = 2.0 // labelled sets
	weightOdd      = 1.0 // honest text in odd ways, as it stands: signs are no attack, however many there are
	weightRules    = 0.3 // files of packages for assistants: their orders stand in attacks, too
)

// labelledMax is the length, in bytes, up to which a whole text is taken as an attack.
const labelledMax = 500

type options struct {
	out, cache, data, eval, leave, dump string
	seed                                uint64
	attacks, benign, natural            int
	epochs, top                         int
	once                                bool
	step, l2, drop                      float64
}

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.out, "out", "", "write the model here (pkg/detect/model.bin); empty: measure only")
	flag.StringVar(&o.cache, "cache", ".cache/npm", "folder of unpacked packages with honest text (see packages.txt)")
	flag.StringVar(&o.data, "data", "", "folder of labelled JSONL sets that the verdict is fitted to as well")
	flag.StringVar(&o.eval, "eval", "", "folder of labelled JSONL sets to measure on")
	flag.StringVar(&o.leave, "leave", "", "leave out and measure: family:NAME, lang:XX, host:NAME, source:NAME,NAME")
	flag.StringVar(&o.dump, "dump", "", "print composed text instead: attack, benign or natural")
	flag.Uint64Var(&o.seed, "seed", 1, "seed")
	flag.IntVar(&o.attacks, "attacks", 90000, "attack documents to compose")
	flag.IntVar(&o.benign, "benign", 90000, "honest documents to compose")
	flag.IntVar(&o.natural, "natural", 70000, "pieces of honest text from packages")
	flag.IntVar(&o.epochs, "epochs", 3, "passes over the windows")
	flag.BoolVar(&o.once, "once", false, "hold out one part of the text only, and do not train on it: a quick look, in a third of the time")
	flag.Float64Var(&o.step, "step", 0.25, "learning rate")
	flag.Float64Var(&o.l2, "l2", 2e-6, "weight decay")
	flag.IntVar(&o.top, "top", 0, "print that many of the honest texts of each kind that look most like attacks")
	flag.Float64Var(&o.drop, "drop", 0.3, "share of features left out at each step")
	get := flag.Bool("fetch", false, "fetch the packages of packages.txt into -cache first")
	flag.Parse()
	if *get {
		if err := fetch(o.cache); err != nil {
			log.Fatal(err)
		}
	}
	debug.SetGCPercent(50)
	if err := run(o); err != nil {
		log.Fatal(err)
	}
}

func run(o options) error {
	set, err := grammar.Default()
	if err != nil {
		return err
	}
	if o.dump != "" {
		return dump(o, set)
	}
	began := time.Now()
	c := newComposer(set, o)
	cut, err := newCutter()
	if err != nil {
		return err
	}
	glossary, err := readGlossary("corpus/glossary")
	if err != nil {
		return err
	}
	t := newTrainer(o, cut)
	t.f.Glossary = glossary

	natural, err := readPackages(o.cache, o.natural, o.seed)
	if err != nil {
		return err
	}
	train, test := splitNatural(natural)
	honest, err := readWritten("corpus/honest", false)
	if err != nil {
		return err
	}
	log.Printf("honest text: %d pieces of packages, %d documents; %d pieces to check", len(train), len(honest), len(test))
	train = append(train, honest...)

	written, err := readWritten("corpus/attacks", true)
	if err != nil {
		return err
	}
	c.texts = map[string][]doc{}
	for _, d := range written {
		lang := d.lang
		if c.set.Attack[lang] == nil {
			lang = "en" // mixed
		}
		c.texts[lang] = append(c.texts[lang], d)
	}
	log.Printf("written attacks: %d", len(written))
	for k := range parts {
		c.hosts[k] = byLanguage(train, k)
	}
	for i := range o.attacks {
		t.add(c.attack(uint64(i), i%parts), 1)
	}
	pos := len(t.rows)
	for i := range o.benign {
		t.add(c.benign(uint64(i), i%parts), weightComposed)
	}
	for _, d := range train {
		w := 1.0
		if d.own && d.family != "llmdoc" { // these quote attacks, here and there without a mark
			w = weightWritten
		} else if d.family == ruleFile {
			w = weightRules
		}
		t.add(d, w)
	}
	for i, d := range train {
		if i%oddEach != 0 {
			continue
		}
		if odd, ok := inOddWay(d); ok {
			t.add(odd, weightOdd)
		}
	}
	var sets []doc // labelled
	if o.data != "" {
		all, err := readSets(o.data)
		if err != nil {
			return err
		}
		for _, d := range all {
			switch {
			case d.set == "obfuscated_sample" || bare(d.set) || leftOut(o.leave, d.set):
			default:
				sets = append(sets, d)
				// Of a long attack nobody says where it lies: its host would be learned as one.
				if !d.attack || len(d.text) <= labelledMax {
					t.add(d, weightLabelled)
				}
			}
		}
	}
	log.Printf("%d windows (%d of attack documents), %d features, %.0fs", len(t.rows), pos, len(t.slab), time.Since(began).Seconds())

	fit := func(without int) detect.Weights {
		t.fit(o.epochs, without)
		w := detect.Weights{Table: slices.Clone(t.w), Bias: t.bias, Gate: make([]float32, detect.GateSize), GateEase: gateEase, Glossary: glossary}
		t.fitTopics(&w, c, train, without)
		log.Printf("trained without part %d, %.0fs", without, time.Since(began).Seconds())
		return w
	}
	// What ships, and in the end what was trained without the first part: with -once it is
	// what ships.
	var w, first detect.Weights
	var samples []sample
	if !o.once {
		w = fit(allParts)
	}
	for part := parts - 1; part >= 0; part-- {
		if o.once && part > 0 {
			continue
		}
		first = fit(part)
		if samples, err = t.samples(samples, &first, c, train, sets, part); err != nil {
			return err
		}
	}
	if o.once {
		w = first
	}
	low, th, err := t.setVerdict(&w, samples)
	if err != nil {
		return err
	}
	log.Printf("verdict of %d texts, %.0fs", len(samples), time.Since(began).Seconds())
	if err := t.setGate(&w, first, low, c, test); err != nil {
		return err
	}
	log.Printf("gate, %.0fs", time.Since(began).Seconds())
	if err := report(t, &w, c, o, samples, th, test); err != nil {
		return err
	}
	if o.out == "" {
		return nil
	}
	file := detect.EncodeModel(w)
	m, err := detect.ParseModel(file)
	if err != nil {
		return err
	}
	t.w, t.bias = w.Table, w.Bias
	lost := 0.0
	for i := range 300 {
		cut.each(c.attack(uint64(1<<41+i), allParts), true, func(w *detect.Window, _ int) {
			t.f.Extract(w)
			lost = max(lost, math.Abs(m.Logit(&t.f)-t.windowLogit()))
		})
	}
	log.Printf("%s: %d bytes, largest change of a logit by rounding %.3f", o.out, len(file), lost)
	return os.WriteFile(o.out, file, 0o644)
}

func dump(o options, set *grammar.Set) error {
	o.leave = ""
	c := newComposer(set, o)
	switch o.dump {
	case "natural":
		docs, err := readPackages(o.cache, 200, o.seed)
		if err != nil {
			return err
		}
		for _, d := range docs[:min(40, len(docs))] {
			fmt.Printf("--- %s\n%s\n", d.set, d.text)
		}
	case "attack":
		for i := range 40 {
			d := c.attack(uint64(i), allParts)
			fmt.Printf("--- %s %s\n%s\n", d.lang, d.family, d.text)
		}
	default:
		for i := range 40 {
			d := c.benign(uint64(i), allParts)
			fmt.Printf("--- %s %s\n%s\n", d.lang, d.family, d.text)
		}
	}
	return nil
}

// bare reports whether the attacks of a set are tasks that anybody might write, so that
// nothing in their wording is an attack.
func bare(set string) bool { return strings.Contains(set, "naive") || strings.Contains(set, "bipia") }

// leftOut reports whether a set is among those of -leave source:a,b (prefixes of
// names).
func leftOut(leave, set string) bool {
	list, ok := strings.CutPrefix(leave, "source:")
	if !ok {
		return false
	}
	for _, p := range strings.Split(list, ",") {
		if strings.HasPrefix(set, p) {
			return true
		}
	}
	return false
}
