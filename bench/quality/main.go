// Command quality measures the detector, and the recognisers, on labelled texts:
//
//	go run ./bench/quality DIR...          # every *.jsonl in each folder
//	go run ./bench/quality -model=false DIR  # the rules without the model
//	go run ./bench/quality -file FILE DIR  # with another model than the one built in
//	go run ./bench/quality -entities DIR   # what the recognisers find (entities.go)
//	go run ./bench/quality -transforms DIR # attacks written in other ways (transforms.go)
//
// An argument that ends in .jsonl is one file.
//
// A line is {"id","label":1|0,"kind","text","source"}, "lang" is optional; the name of
// the file is the set. One table for each of groups, sets, kinds, languages and transforms,
// with Wilson intervals (95 %): the share at or above suspect, at quarantine, and at the
// scores that 1 % and 0.1 % of honest documents reach. Then what the gate loses, and
// what a score means.
//
// With -entities a line is {"id","text","spans":[{"start","end","type"}],"rule"}; see
// docs/classification.md for what the figures say.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/detect"
)

type row struct {
	Label   int    `json:"label"`
	Kind    string `json:"kind"`
	Text    string `json:"text"`
	Lang    string `json:"lang"`
	Spans   []span `json:"spans"`
	Rule    string `json:"rule"`
	set     string
	place   int // among the rows of its kind
	score   float64
	verdict chunk.Verdict
	free    float64 // the score when the model sees every window
}

func main() {
	log.SetFlags(0)
	model := flag.Bool("model", true, "false: the rules without the model")
	file := flag.String("file", "", "a model file; empty: the model that is built in")
	brief := flag.Bool("brief", false, "groups only")
	ent := flag.Bool("entities", false, "measure the recognisers by type of entity")
	types := flag.String("map", "", "with -entities: types that count as others, as in *_PASSPORT=PASSPORT,a=b")
	byRule := flag.Bool("rules", false, "with -entities: a second table by the rows' rule")
	show := flag.Int("show", 0, "with -entities: print up to this many misses and false findings of a set")
	typ := flag.String("type", "", "with -show: of this type alone")
	trans := flag.Bool("transforms", false, "write attacks and honest text in other ways, and measure what is still found")
	n := flag.Int("n", 100, "with -transforms: attacks, and honest pieces, at most")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	rows, err := read(flag.Args())
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("no rows")
	}
	switch {
	case err != nil:
	case *ent:
		err = entities(rows, *types, *byRule, *show, *typ)
	default:
		var d *detect.Detector
		var m *detect.Model
		if d, m, err = detector(*file); err != nil {
			break
		}
		if !*model {
			d, m = d.WithModel(nil), nil
		}
		if *trans {
			err = transforms(rows, d, *n)
		} else {
			run(rows, d, m, *brief)
		}
	}
	if err != nil {
		log.Fatal("quality: ", err)
	}
}

// detector gives the detector with the model of a file, or with its own.
func detector(file string) (*detect.Detector, *detect.Model, error) {
	rules, err := corpus.Default()
	if err != nil {
		return nil, nil, err
	}
	d, err := detect.Compile(rules, detect.Options{})
	if err != nil {
		return nil, nil, err
	}
	m, err := detect.DefaultModel()
	if err != nil || file == "" {
		return d, m, err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	if m, err = detect.ParseModel(b); err != nil {
		return nil, nil, err
	}
	return d.WithModel(m), m, nil
}

// run prints the tables of the detector d, whose model is m; without one it has the rules alone.
func run(rows []row, d *detect.Detector, m *detect.Model, brief bool) {
	open := d
	if m != nil {
		open = d.WithModel(m.Open())
	}
	bytes, took := 0, time.Duration(0)
	for i := range rows {
		r := &rows[i]
		began := time.Now()
		x := d.Scan(detect.Input{Text: []byte(r.Text)})
		took += time.Since(began)
		r.score, r.verdict = x.Score, x.Verdict
		r.free = open.Scan(detect.Input{Text: []byte(r.Text)}).Score
		bytes += len(r.Text)
	}
	t := newTables(rows)
	t.groups()
	if !brief {
		t.print("Sets", func(r *row) string { return r.side() + r.set })
		t.print("Kinds", func(r *row) string {
			kind, _, _ := strings.Cut(r.Kind, ":")
			if r.set == "obfuscated_sample" || kind == "" {
				return ""
			}
			return r.side() + r.set + " " + kind
		})
		t.print("Languages", func(r *row) string {
			if r.Lang == "" {
				return ""
			}
			return r.side() + r.Lang
		})
	}
	t.transforms(brief)
	if m != nil {
		t.gate()
	}
	if !brief {
		t.calibration()
	}
	fmt.Printf("\n%d texts, %d bytes", len(rows), bytes)
	if took > 0 {
		fmt.Printf(", %.1f MB/s", float64(bytes)/1e6/took.Seconds())
	}
	fmt.Println()
}

func read(args []string) ([]row, error) {
	names, err := files(args)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		place := map[string]int{}
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 16<<20)
		for line := 1; sc.Scan(); line++ {
			var r row
			if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
				f.Close()
				return nil, fmt.Errorf("%s line %d: not a labelled row", filepath.Base(name), line)
			}
			r.set = strings.TrimSuffix(filepath.Base(name), ".jsonl")
			r.place = place[r.Kind]
			place[r.Kind]++
			rows = append(rows, r)
		}
		f.Close()
		if err := sc.Err(); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (r *row) side() string {
	if r.Label == 1 {
		return "attack "
	}
	return "honest "
}

// bare names sets whose payloads are ordinary requests in their wording.
var bare = []string{"asb_naive", "bipia_payload"}

// group sorts a set among the aims of SPEC DET; empty: among none.
func (r *row) group() string {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(r.set, w) || strings.HasPrefix(r.Kind, w) })
	}
	if r.Label == 1 {
		switch {
		case has("obfuscated"), has(bare...):
			return ""
		case has("important"):
			return "important"
		case has("native"):
			return "native"
		case has("spliced", "embedded"):
			return "spliced"
		}
		return "overt"
	}
	switch {
	case has("trigger"):
		return "trigger words"
	case has("assistant_rules", "rules", "system_prompt"):
		return "rules for assistants"
	case has("prompting", "llm_doc", "doc_llm", "llmdoc"):
		return "documents about LLMs"
	case has("encoded"):
		return "encoded data"
	case has("wildguard", "deepset", "mitre", "user_prompt", "prompts"):
		return "users' prompts"
	}
	return "documents"
}

// budgets are the shares of honest texts that may be suspect (issue of the detector).
var budgets = map[string]float64{
	"trigger words": 0.02, "rules for assistants": 0.005, "documents about LLMs": 0.015,
	"documents": 0.005, "users' prompts": 0.01, "encoded data": 0.005,
}
