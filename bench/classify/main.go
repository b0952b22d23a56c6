// Command classify measures what recognisers cost: false alarms on text without labels,
// and speed. Recall and precision are bench/quality's (-entities).
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
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/classify"
)

type row struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

func main() {
	log.SetFlags(0)
	speed := flag.Bool("speed", false, "measure speed")
	show := flag.Int("show", 0, "with -alarms: print up to this many findings of the type given by -type")
	typ := flag.String("type", "", "type to show; empty: all")
	alarms := flag.Bool("alarms", false, "print findings for 1,000 chunks of 2 KB")
	noNames := flag.Bool("no-names", false, "leave out names of persons in free text: digits, addresses and secrets alone")
	profile := flag.String("cpuprofile", "", "write a processor profile to this file")
	flag.Parse()
	if flag.NArg() == 0 || *speed == *alarms {
		log.Fatal("usage: classify -alarms|-speed [flags] FILE.jsonl|DIR …")
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
		if *speed {
			measure(c, rows)
		} else {
			count(c, rows, *typ, *show)
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
