// Command tagger trains the tagger for persons' names from the templates beside it and
// the lists of corpus/names, and from nothing else:
//
//	go run ./corpus/tagger -out internal/tagger/tagger.bin
//
// The thresholds are set on a fifth of the templates, by a model that was trained on the
// others, and on source code of Go's library. The same sources, the same seed and the same
// release of Go give the same bytes. -hold leaves template files out
// and measures on them; -wnut adds a labelled set of noisy text (CC-BY-4.0) that the
// embedded model has not seen.
package main

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stoplog/stoplog/internal/tagger"
)

//go:embed *.txt
var files embed.FS

const bits = 18

var biases = []float64{-1, 0, 0.5, 1, 1.5, 2}

func main() {
	log.SetFlags(0)
	out := flag.String("out", "", "file for the model; empty: none is written")
	hold := flag.String("hold", "", "comma-separated patterns of template files to leave out and to measure on")
	fold := flag.Int("fold", -1, "leave out every fifth template, beginning with this one, and measure on them")
	test := flag.String("test", "", "comma-separated files of labelled JSON lines to measure on")
	docs := flag.Int("docs", 300000, "documents to learn from")
	seed := flag.Uint64("seed", 1, "seed of everything random")
	wnut := flag.String("wnut", "", "labelled JSON lines to learn from too")
	mute := flag.Int("mute", 50, "percent of words seen as their kind alone while training")
	show := flag.Int("show", 0, "print this many documents and end")
	flag.Parse()

	train, held := load(*hold, *fold)
	if len(train) < 10 {
		log.Fatal("too few templates")
	}
	if *show > 0 {
		g := newGenerator(*seed, train)
		for range *show {
			d := g.document()
			fmt.Println(d.marked())
			fmt.Println("----")
		}
		return
	}
	var extra []document
	if *wnut != "" {
		extra = labelled(*wnut)
	}
	fit := func(templates []template, limits tagger.Thresholds) *tagger.Model {
		g := newGenerator(*seed, templates)
		t := newTrainer()
		// Half of the words are seen as their kind alone: what holds for kinds of words holds
		// for templates that nobody wrote yet.
		t.mute = func() bool { return g.r.IntN(100) < *mute }
		lost, names := 0, 0
		for i := range *docs {
			var d document
			if len(extra) > 0 && i%8 == 0 {
				d = extra[g.r.IntN(len(extra))]
			} else {
				d = g.document()
			}
			a, b := t.learn(d, g.hidden(d), float32(i)/float32(*docs))
			lost, names = lost+a, names+b
			if i >= *docs/2 && i%(*docs/40) == 0 {
				t.keep()
			}
		}
		t.settle()
		fmt.Printf("%d templates, %d documents, %d names, of which %d have no candidate\n", len(templates), *docs, names, lost)
		return tagger.NewModel(bits, t.w, t.trans, limits)
	}
	var limits tagger.Thresholds
	if *out != "" {
		// Thresholds are set on templates that a model has not seen: its own look easier
		// than text does.
		some, rest := load(*hold, 0)
		if len(held) > 0 {
			some, rest = load(*hold, -1)
		}
		limits = threshold(fit(some, limits), append(heldDocuments(*seed+2, rest), sourceCode()...))
	}
	m := fit(train, limits)
	if len(held) > 0 {
		test := heldDocuments(*seed+1, held)
		for _, bias := range biases {
			fmt.Printf("bias %.1f: ", bias)
			measure(m, test, bias)
		}
	}
	if *test != "" {
		for _, file := range strings.Split(*test, ",") {
			set := labelled(file)
			for _, bias := range biases {
				fmt.Printf("%s, bias %.1f: ", path.Base(file), bias)
				measure(m, set, bias)
			}
		}
	}
	if *out != "" {
		var b bytes.Buffer
		if err := m.Encode(&b); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(*out, b.Bytes(), 0o644); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d bytes\n", *out, b.Len())
	}
}

// heldDocuments makes texts of templates that were left out.
func heldDocuments(seed uint64, held []template) []document {
	h := newGenerator(seed, held)
	h.plain = true
	var docs []document
	for range 6000 {
		docs = append(docs, h.document())
	}
	return docs
}

// weigh is the square of beta in the F that a class's threshold is chosen by. In prose a
// name that stays cannot be taken back, so one that is missed counts twice; in code a stub
// breaks what is read by machines, and names are rare.
var weigh = [tagger.Classes]float64{tagger.Prose: 2, tagger.Code: 0.5}

// sourceCode is code as it lies on a machine: a part of Go's own library. Its few names of
// authors count as false, for every threshold alike.
func sourceCode() []document {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		log.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", "net", "*", "*.go"))
	if err != nil || len(paths) == 0 {
		log.Fatalf("Go's source is not installed: %v", err)
	}
	var docs []document
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		docs = append(docs, document{text: string(b)})
	}
	return docs
}

// threshold gives for each class of text a threshold with the best weighted F on
// documents that the model has not seen. A class is a matter of lines, so while one
// is set the other one's is far too high for any name.
func threshold(m *tagger.Model, docs []document) tagger.Thresholds {
	var best tagger.Thresholds
	for class := range best {
		var none tagger.Thresholds
		for i := range none {
			none[i] = -100
		}
		none[class] = 2
		names, _, _ := count(m.With(none), docs, 0) // of this class, as far as they can be found
		const from, to = -20, 15
		var f [to - from + 1]float64
		for i := range f {
			none[class] = float32(from+i) / 10
			hit, _, wrong := count(m.With(none), docs, 0)
			w := weigh[class]
			f[i] = (1 + w) * float64(hit) / (w*float64(names) + float64(hit+wrong))
			fmt.Printf("class %d, threshold %.1f: %d of %d, %d wrong, F %.4f\n", class, none[class], hit, names, wrong, f[i])
		}
		// The top is flat, and where exactly it is highest is chance: the middle of what is
		// as good.
		first, last := -1, 0
		for i := range f {
			if f[i] >= slices.Max(f[:])-0.005 {
				if first < 0 {
					first = i
				}
				last = i
			}
		}
		best[class] = float32(from+(first+last)/2) / 10
	}
	fmt.Printf("thresholds: prose %.1f, code %.1f\n", best[tagger.Prose], best[tagger.Code])
	return best
}

// load reads the templates. Files that match a pattern of hold are kept apart, and so is
// every fifth template from fold on.
func load(hold string, fold int) (train, held []template) {
	list, err := files.ReadDir(".")
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range list {
		if strings.HasPrefix(f.Name(), "words-") {
			continue
		}
		b, err := files.ReadFile(f.Name())
		if err != nil {
			log.Fatal(err)
		}
		apart := false
		for _, p := range strings.Split(hold, ",") {
			if ok, err := path.Match(p, strings.TrimSuffix(f.Name(), ".txt")); err != nil {
				log.Fatal(err)
			} else if ok && p != "" {
				apart = true
			}
		}
		for n, line := range strings.Split(string(b), "\n") {
			if line == "" || strings.HasPrefix(line, "# ") {
				continue
			}
			t := template{file: f.Name(), text: strings.ReplaceAll(strings.ReplaceAll(line, `\n`, "\n"), `\t`, "\t")}
			if apart || fold >= 0 && n%5 == fold {
				held = append(held, t)
			} else {
				train = append(train, t)
			}
		}
	}
	return train, held
}

// labelled reads rows {text, spans:[{start,end,type}]}.
func labelled(file string) []document {
	f, err := os.Open(file)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	var out []document
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var row struct {
			Text  string
			Spans []struct {
				Start, End int
				Type       string
			}
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			log.Fatal(err)
		}
		d := document{text: row.Text}
		for _, x := range row.Spans {
			if strings.EqualFold(x.Type, "person") {
				d.spans = append(d.spans, [2]int{x.Start, x.End})
			}
		}
		out = append(out, d)
	}
	return out
}

// trainer fits the field by stochastic gradient descent with a step of its own for each
// weight (AdaGrad).
type trainer struct {
	w, sum   []float32
	mean     []float32 // of the weights, over the last half
	kept     int
	mute     func() bool
	trans    [tagger.Labels + 1][tagger.Labels]float32
	transSum [tagger.Labels + 1][tagger.Labels]float32
}

func newTrainer() *trainer {
	t := &trainer{w: make([]float32, 2<<bits), sum: make([]float32, 2<<bits)}
	t.trans[tagger.Outside][tagger.Further] = -100
	t.trans[tagger.Labels][tagger.Further] = -100
	return t
}

// keep adds the weights to their mean.
func (t *trainer) keep() {
	if t.mean == nil {
		t.mean = make([]float32, len(t.w))
	}
	for i, w := range t.w {
		t.mean[i] += w
	}
	t.kept++
}

// settle makes the mean the weights.
func (t *trainer) settle() {
	if t.kept == 0 {
		return
	}
	for i := range t.w {
		t.w[i] = t.mean[i] / float32(t.kept)
	}
}

const (
	rate  = 0.12
	decay = 2e-6
)

// learn takes one step for each run of a document. It gives how many names have no
// candidate, and how many there are.
func (t *trainer) learn(d document, hide func(int, uint32) bool, _ float32) (lost, all int) {
	found := make([]bool, len(d.spans))
	for _, run := range tagger.Runs([]byte(d.text), hide, t.mute) {
		n := len(run.Start)
		gold := make([]int, n)
		for i := range n {
			for k, s := range d.spans {
				if run.Start[i] < s[1] && s[0] < run.End[i] {
					found[k] = true
					gold[i] = tagger.First
					if i > 0 && run.Start[i-1] >= s[0] && gold[i-1] != tagger.Outside {
						gold[i] = tagger.Further
					}
				}
			}
		}
		t.step(run.Features, gold)
	}
	for k, f := range found {
		if !f {
			lost++
			if os.Getenv("LOST") != "" {
				x := d.spans[k]
				fmt.Printf("LOST %q\n", d.text[max(0, x[0]-20):x[0]]+"[["+d.text[x[0]:x[1]]+"]]"+d.text[x[1]:min(len(d.text), x[1]+12)])
			}
		}
	}
	return lost, len(d.spans)
}

func (t *trainer) step(feats [][]uint32, gold []int) {
	n := len(gold)
	const L = tagger.Labels
	emit := make([][L]float32, n)
	for i, fs := range feats {
		for _, f := range fs {
			k := f >> (32 - bits) << 1
			emit[i][1] += t.w[k]
			emit[i][2] += t.w[k+1]
		}
	}
	p := tagger.Marginals(emit, &t.trans)
	for i, fs := range feats {
		var g [2]float32
		g[0], g[1] = p[i][1], p[i][2]
		if gold[i] > 0 {
			g[gold[i]-1]--
		}
		for c, v := range g {
			if v < 0.005 && v > -0.005 {
				continue
			}
			for _, f := range fs {
				k := f>>(32-bits)<<1 + uint32(c)
				x := v + decay*t.w[k]
				t.sum[k] += x * x
				t.w[k] -= rate * x / float32(math.Sqrt(float64(t.sum[k])+1e-2))
			}
		}
	}
	// Transitions: the expected pair counts come from the marginals of both ends, which
	// is what they are where runs are short and decided.
	prev := L
	for i := range n {
		for l := range L {
			for k := range L + 1 {
				if t.trans[k][l] <= -50 {
					continue
				}
				expect := float32(0)
				if i == 0 {
					if k == L {
						expect = p[0][l]
					}
				} else if k < L {
					expect = p[i-1][k] * p[i][l]
				}
				if k == prev && l == gold[i] {
					expect--
				}
				if expect != 0 {
					t.transSum[k][l] += expect * expect
					t.trans[k][l] -= 0.02 * expect / float32(math.Sqrt(float64(t.transSum[k][l])+1))
				}
			}
		}
		prev = gold[i]
	}
}

// measure prints recall and precision.
func measure(m *tagger.Model, test []document, bias float64) {
	hit, miss, wrong := count(m, test, bias)
	fmt.Printf("recall %.3f precision %.3f (%d names)\n", float64(hit)/float64(max(1, hit+miss)), float64(hit)/float64(max(1, hit+wrong)), hit+miss)
}

// count counts names that are found, missed and wrong. A name is found if what is found
// overlaps it by half of the longer one.
func count(m *tagger.Model, test []document, bias float64) (hit, miss, wrong int) {
	for _, d := range test {
		got := m.Find([]byte(d.text), tagger.Options{Bias: bias})
		used := make([]bool, len(got))
		for _, s := range d.spans {
			ok := false
			for i, x := range got {
				lo, hi := max(x.Start, s[0]), min(x.End, s[1])
				if hi > lo && 2*(hi-lo) >= max(x.End-x.Start, s[1]-s[0]) {
					ok, used[i] = true, true
				}
			}
			if ok {
				hit++
			} else {
				miss++
			}
		}
		for _, u := range used {
			if !u {
				wrong++
			}
		}
	}
	return hit, miss, wrong
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x5704109)) }
