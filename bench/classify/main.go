// Command classify measures recognisers on a labelled set: recall and precision by
// type with intervals, false alarms on unlabelled text, and speed. It prints what it
// did not run.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime/pprof"
	"sort"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

type row struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Spans []struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		Type  string `json:"type"`
	} `json:"spans"`
	Rule   string `json:"rule"`
	Entity string `json:"entity"`
	Path   string `json:"path"`
}

type tally struct{ hit, miss, good, wrong int }

func main() {
	log.SetFlags(0)
	speed := flag.Bool("speed", false, "measure speed on the file instead of quality")
	show := flag.Int("show", 0, "print up to this many misses and false alarms of the type given by -type")
	typ := flag.String("type", "", "type to show; empty: all")
	alarms := flag.Bool("alarms", false, "the set has no labels: print false alarms for 1,000 chunks of 2 KB")
	byRule := flag.Bool("rules", false, "print recall by the row's rule")
	types := flag.String("map", "person=PERSON,location=LOCATION", "label names and the types they are counted as")
	noNames := flag.Bool("no-names", false, "leave out names of persons in free text: digits, addresses and secrets alone")
	profile := flag.String("cpuprofile", "", "write a processor profile to this file")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: classify [flags] FILE.jsonl|DIR …")
	}
	names := map[string]string{}
	for _, m := range strings.Split(*types, ",") {
		if a, b, ok := strings.Cut(m, "="); ok {
			names[a] = b
		}
	}
	c, err := classify.Compile(nil, classify.Options{NoNames: *noNames})
	if err != nil {
		log.Fatal(err)
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			log.Fatal(err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			log.Fatal(err)
		}
		defer pprof.StopCPUProfile()
	}
	for _, path := range flag.Args() {
		rows, err := load(path)
		if err != nil {
			log.Fatal(err)
		}
		if len(rows) == 0 {
			log.Fatalf("%s: no rows", path)
		}
		fmt.Printf("# %s: %d rows\n", path, len(rows))
		switch {
		case *speed:
			measure(c, rows)
		case *alarms:
			count(c, rows, *typ, *show)
		default:
			quality(c, rows, names, *typ, *show, *byRule)
		}
	}
}

func load(path string) ([]row, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return tree(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []row
	s := bufio.NewScanner(f)
	s.Buffer(nil, 16<<20)
	for s.Scan() {
		var r row
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: line %d is not a row", path, len(out)+1)
		}
		out = append(out, r)
	}
	return out, s.Err()
}

// tree cuts the texts under a directory into chunks of 2 KB: source code, package
// metadata, logs, as they lie on a machine.
func tree(root string) ([]row, error) {
	var out []row
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // what cannot be read is left out
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) > 4<<20 || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
			return nil
		}
		for n := 0; len(data) > 0; n++ {
			k := min(2048, len(data))
			for k < len(data) && !utf8.RuneStart(data[k]) {
				k--
			}
			out = append(out, row{ID: fmt.Sprintf("%s#%d", path, n), Text: string(data[:k])})
			data = data[k:]
		}
		return nil
	})
	return out, err
}

func measure(c *classify.Classifier, rows []row) {
	total := 0
	for _, r := range rows {
		total += len(r.Text)
	}
	c.Recognise([]byte(rows[0].Text)) // tables are loaded at first use
	// Latency is the best of five for each chunk: other work on the machine is not the
	// recognisers'.
	var lat []float64
	for _, r := range rows {
		b := []byte(r.Text)
		if len(b) < 1500 || len(b) > 3000 {
			continue
		}
		best := time.Hour
		for range 5 {
			at := time.Now()
			c.Recognise(b)
			best = min(best, time.Since(at))
		}
		lat = append(lat, best.Seconds()*1e6)
	}
	// Throughput by the processor's time, so that other work on the machine does not count.
	var texts [][]byte
	for _, r := range rows {
		texts = append(texts, []byte(r.Text))
	}
	at := cpu()
	loops := 0
	for loops < 2 || cpu()-at < time.Second {
		for _, t := range texts {
			c.Recognise(t)
		}
		loops++
	}
	fmt.Printf("%.1f MB/s of processor time (%d bytes)", float64(total*loops)/1e6/(cpu()-at).Seconds(), total)
	if len(lat) > 0 {
		sort.Float64s(lat)
		fmt.Printf("; about 2 KB: median %.0f µs, p99 %.0f µs", lat[len(lat)/2], lat[len(lat)*99/100])
	}
	fmt.Println()
}

// cpu is the processor time this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func count(c *classify.Classifier, rows []row, typ string, show int) {
	n := map[string]int{}
	chunks := 0.0
	for _, r := range rows {
		chunks += math.Max(1, float64(len(r.Text))/2048)
		for _, e := range c.Recognise([]byte(r.Text)) {
			n[e.Type]++
			if show > 0 && (typ == "" || typ == e.Type) {
				show--
				from, to := max(0, e.Start-40), min(len(r.Text), e.End+20)
				fmt.Printf("  %s %s %.2f %s  in %q\n", r.ID, e.Type, e.Score, e.Rule, r.Text[from:e.Start]+"[["+r.Text[e.Start:e.End]+"]]"+r.Text[e.End:to])
			}
		}
	}
	var types []string
	for t := range n {
		types = append(types, t)
	}
	sort.Strings(types)
	for _, t := range types {
		fmt.Printf("%-28s %6d   %8.1f per 1,000 chunks\n", t, n[t], float64(n[t])/chunks*1000)
	}
}

func base(t string) string {
	b, _, _ := strings.Cut(t, ":")
	return b
}

func overlap(a chunk.Span, start, end int) bool {
	lo, hi := max(a.Start, start), min(a.End, end)
	return hi > lo && float64(hi-lo) >= 0.5*float64(min(a.Len(), end-start)) && float64(hi-lo) >= 0.5*float64(max(a.Len(), end-start))
}

func quality(c *classify.Classifier, rows []row, names map[string]string, typ string, show int, byRule bool) {
	by := map[string]*tally{}
	rules := map[string]*tally{}
	at := func(m map[string]*tally, k string) *tally {
		if m[k] == nil {
			m[k] = &tally{}
		}
		return m[k]
	}
	labelled := map[string]bool{}
	for _, r := range rows {
		for _, s := range r.Spans {
			labelled[name(names, s.Type)] = true
		}
	}
	for _, r := range rows {
		found := c.Recognise([]byte(r.Text))
		used := make([]bool, len(found))
		for _, s := range r.Spans {
			want := name(names, s.Type)
			ok := false
			for i, e := range found {
				if e.Type == want && overlap(e.Span, s.Start, s.End) {
					ok, used[i] = true, true
				}
			}
			for _, t := range []*tally{at(by, want), at(rules, r.Rule)} {
				if ok {
					t.hit++
				} else {
					t.miss++
				}
			}
			if !ok && show > 0 && (typ == "" || typ == want) {
				show--
				fmt.Printf("  miss %s %s %q in %q %v\n", r.ID, s.Type, r.Text[s.Start:s.End], clip(r.Text), found)
			}
		}
		for i, e := range found {
			if used[i] {
				at(by, e.Type).good++
				continue
			}
			if !labelled[e.Type] {
				continue
			}
			at(by, e.Type).wrong++
			at(rules, r.Rule).wrong++
			if show > 0 && (typ == "" || typ == e.Type) {
				show--
				fmt.Printf("  false %s %s %s %q in %q\n", r.ID, e.Type, e.Rule, r.Text[e.Start:e.End], clip(r.Text))
			}
		}
	}
	print := func(m map[string]*tally) {
		var keys []string
		for k := range m {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			t := m[k]
			fmt.Printf("%-34s recall %s  precision %s\n", k, rate(t.hit, t.miss), rate(t.good, t.wrong))
		}
	}
	print(by)
	if byRule {
		for k, t := range rules {
			if t.miss == 0 && t.wrong == 0 {
				delete(rules, k)
			}
		}
		print(rules)
	}
}

func name(names map[string]string, t string) string {
	t = base(t)
	if n, ok := names[t]; ok {
		return n
	}
	return t
}

func clip(s string) string {
	if len(s) > 160 {
		return s[:160] + "…"
	}
	return s
}

// rate gives a share with its 95 % Wilson interval.
func rate(yes, no int) string {
	n := float64(yes + no)
	if n == 0 {
		return "   –                        "
	}
	p, z := float64(yes)/n, 1.96
	d := 1 + z*z/n
	mid, half := (p+z*z/(2*n))/d, z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))/d
	return fmt.Sprintf("%.3f [%.3f %.3f] %5d/%-5d", p, max(0, mid-half), min(1, mid+half), yes, yes+no)
}
