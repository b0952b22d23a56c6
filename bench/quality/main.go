// Command quality measures the detector, as it ships, on labelled texts:
//
//	go run ./bench/quality DIR            # every *.jsonl in DIR
//	go run ./bench/quality -model DIR     # the learned model without the rules
//	go run ./bench/quality -rules DIR     # the rules without the model
//
// A line is {"id","label":1|0,"kind","text","source"}; the name of the file is the
// set, "lang" is optional. One table for each set, kind and language, with Wilson
// intervals (95 %): the share at or above suspect, at quarantine, and at the score
// that 1 % of the honest documents of all sets together reach. Below it, the
// calibration: what a score means.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/detect"
)

type row struct {
	Label  int    `json:"label"`
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Lang   string `json:"lang"`
	set    string
	score  float64
	held   bool
	halted bool // quarantine
	asked  bool // suspect or above
}

func main() {
	log.SetFlags(0)
	onlyRules := flag.Bool("rules", false, "rules without the model")
	onlyModel := flag.Bool("model", false, "the model without the rules")
	kinds := flag.Bool("kinds", false, "a line for each kind too")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("quality: name at least one folder of JSONL sets")
	}
	if err := run(flag.Args(), *onlyRules, *onlyModel, *kinds); err != nil {
		log.Fatal(err)
	}
}

func run(dirs []string, onlyRules, onlyModel, kinds bool) error {
	rules, err := corpus.Default()
	if err != nil {
		return err
	}
	d, err := detect.Compile(rules, detect.Options{RulesOnly: onlyRules || onlyModel})
	if err != nil {
		return err
	}
	score := func(text []byte) (float64, chunk.Verdict) {
		s := d.Scan(detect.Input{Text: text})
		return s.Score, s.Verdict
	}
	if onlyModel {
		m, err := detect.DefaultModel()
		if err != nil {
			return err
		}
		var f detect.Features
		score = func(text []byte) (float64, chunk.Verdict) {
			best := 0.0
			d.Windows(text, false, func(w *detect.Window) { best = max(best, m.ScoreWindow(w, &f)) })
			switch {
			case best >= detect.DefaultQuarantine:
				return best, chunk.Quarantine
			case best >= detect.DefaultSuspect:
				return best, chunk.Suspect
			}
			return best, chunk.Clean
		}
	}
	rows, err := read(dirs)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("quality: no rows")
	}
	bytes, began := 0, time.Now()
	for i := range rows {
		r := &rows[i]
		var v chunk.Verdict
		r.score, v = score([]byte(r.Text))
		r.held, r.halted, r.asked = v == chunk.Hold, v == chunk.Quarantine, v != chunk.Clean
		bytes += len(r.Text)
	}
	took := time.Since(began)
	var honest []float64
	for _, r := range rows {
		if r.Label == 0 {
			honest = append(honest, r.score)
		}
	}
	one := math.Inf(1)
	if len(honest) > 0 {
		slices.Sort(honest)
		one = honest[len(honest)-1-len(honest)/100]
	}
	group := func(title string, key func(row) string) {
		by := map[string][]row{}
		for _, r := range rows {
			if k := key(r); k != "" {
				by[k] = append(by[k], r)
			}
		}
		if len(by) == 0 {
			return
		}
		var names []string
		for k := range by {
			names = append(names, k)
		}
		sort.Strings(names)
		fmt.Printf("\n## %s\n\n| | n | suspect %% | quarantine %% | at 1 %% FP %% | held |\n|---|---|---|---|---|---|\n", title)
		for _, k := range names {
			var asked, halted, first, held int
			for _, r := range by[k] {
				asked += count(r.asked)
				halted += count(r.halted)
				first += count(r.score > one)
				held += count(r.held)
			}
			n := len(by[k])
			fmt.Printf("| %s | %d | %s | %s | %s | %d |\n", k, n, share(asked, n), share(halted, n), share(first, n), held)
		}
	}
	side := func(r row) string {
		if r.Label == 1 {
			return "attack "
		}
		return "honest "
	}
	group("Sets", func(r row) string { return side(r) + r.set })
	if kinds {
		group("Kinds", func(r row) string { return side(r) + r.set + " " + r.Kind })
	}
	group("Languages", func(r row) string {
		if r.Lang == "" {
			return ""
		}
		return side(r) + r.Lang
	})
	fmt.Printf("\n## Calibration\n\n| score | n | attacks %% |\n|---|---|---|\n")
	for b := range 10 {
		n, k := 0, 0
		for _, r := range rows {
			if min(int(r.score*10), 9) == b {
				n++
				k += r.Label
			}
		}
		fmt.Printf("| %.1f-%.1f | %d | %s |\n", float64(b)/10, float64(b+1)/10, n, share(k, n))
	}
	fmt.Printf("\n%d texts, %d bytes, %.1f MB/s\n", len(rows), bytes, float64(bytes)/1e6/took.Seconds())
	return nil
}

func read(dirs []string) ([]row, error) {
	var rows []row
	for _, dir := range dirs {
		names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			sc := bufio.NewScanner(f)
			sc.Buffer(nil, 16<<20)
			for line := 1; sc.Scan(); line++ {
				var r row
				if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
					f.Close()
					return nil, fmt.Errorf("%s line %d: not a labelled row", filepath.Base(name), line)
				}
				r.set = strings.TrimSuffix(filepath.Base(name), ".jsonl")
				rows = append(rows, r)
			}
			f.Close()
			if err := sc.Err(); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// share gives k of n in percent with its Wilson interval.
func share(k, n int) string {
	if n == 0 {
		return "-"
	}
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	c := (p + z*z/(2*m)) / (1 + z*z/m)
	h := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m)) / (1 + z*z/m)
	return fmt.Sprintf("%.1f [%.1f-%.1f]", 100*p, max(0, 100*(c-h)), min(100, 100*(c+h)))
}
