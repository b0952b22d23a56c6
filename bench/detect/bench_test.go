// Package detect_test measures the injection detector beside what it is built
// from, in one process, so that ratios mean something on a noisy machine:
//
//	STOPLOG_BENCH=1 go test -count=1 ./bench/detect -run 'Ratios|Hostile' -v
//	go test ./bench/detect -bench . -benchtime 1s
//
// Texts are cut from the documents of STOPLOG_TESTDATA when it is set, and from
// the Go distribution's own sources otherwise.
package detect_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/coregx/ahocorasick"
	"github.com/dlclark/regexp2/v2"
	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/detect"
	"github.com/stoplog/stoplog/pkg/view"
)

const docBytes = 2048

// cuts cuts a document into pieces of 2 KB: ASCII ones and others.
func cuts(b []byte) (ascii, other [][]byte) {
	for len(b) > 200 {
		n := min(len(b), docBytes)
		if t := bytes.ToValidUTF8(b[:n:n], nil); view.Plain(t) {
			ascii = append(ascii, t)
		} else {
			other = append(other, t)
		}
		b = b[n:]
	}
	return ascii, other
}

// texts gives documents of 2 KB: ASCII ones and others.
func texts(tb testing.TB) (ascii, other [][]byte) {
	add := func(b []byte) {
		a, o := cuts(bytes.Clone(b))
		ascii, other = append(ascii, a...), append(other, o...)
	}
	if root := os.Getenv("STOPLOG_TESTDATA"); root != "" {
		for _, name := range []string{"docs_benign.jsonl", "prompting_docs_benign.jsonl"} {
			f, err := os.Open(filepath.Join(root, "injection", name))
			if err != nil {
				tb.Fatal(err)
			}
			var all []byte
			sc := bufio.NewScanner(f)
			sc.Buffer(nil, 1<<24)
			for sc.Scan() {
				var r struct{ Text string }
				if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
					tb.Fatal(err)
				}
				if name == "docs_benign.jsonl" || len(other) < 2000 {
					all = append(append(all, r.Text...), "\n\n"...)
				}
				if len(all) >= docBytes {
					add(all)
					all = all[:0]
				}
			}
			f.Close()
		}
	} else {
		ascii, other = goTexts(2000)
	}
	if len(ascii) == 0 {
		tb.Fatal("no texts")
	}
	return ascii, other
}

func size(docs [][]byte) (n int64) {
	for _, d := range docs {
		n += int64(len(d))
	}
	return n
}

func detector(tb testing.TB, opts detect.Options) *detect.Detector {
	rules, err := corpus.Default()
	if err != nil {
		tb.Fatal(err)
	}
	d, err := detect.Compile(rules, opts)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func literals(tb testing.TB) []string {
	lex, err := corpus.Words()
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	seen := map[string]bool{}
	for n, t := range lex {
		if strings.HasPrefix(n, "en.") {
			for _, w := range t.Words {
				if w = strings.ToLower(strings.Trim(w, "*")); len(w) > 3 && !seen[w] {
					seen[w] = true
					out = append(out, w)
				}
			}
		}
	}
	sort.Strings(out)
	return out
}

func over(b *testing.B, docs [][]byte, f func([]byte)) {
	b.SetBytes(size(docs) / int64(len(docs)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		f(docs[i%len(docs)])
		i++
	}
}

func BenchmarkASCII(b *testing.B) {
	docs, _ := texts(b)
	d, rulesOnly := detector(b, detect.Options{}), detector(b, detect.Options{RulesOnly: true})
	b.Run("detector", func(b *testing.B) { over(b, docs, func(t []byte) { d.Scan(detect.Input{Text: t}) }) })
	b.Run("detector-rules-only", func(b *testing.B) { over(b, docs, func(t []byte) { rulesOnly.Scan(detect.Input{Text: t}) }) })
	var clean [][]byte
	for _, t := range docs {
		if s := rulesOnly.Scan(detect.Input{Text: t}); len(s.Findings) == 0 {
			clean = append(clean, t)
		}
	}
	b.Run("detector-clean", func(b *testing.B) { over(b, clean, func(t []byte) { d.Scan(detect.Input{Text: t}) }) })
	b.Run("probe", func(b *testing.B) { over(b, docs, func(t []byte) { view.Probe(t, nil) }) })
	b.Run("plain", func(b *testing.B) { over(b, docs, func(t []byte) { view.Plain(t) }) })
	for _, p := range peers(b) {
		b.Run(p.name, func(b *testing.B) { over(b, docs, p.run) })
	}
}

func BenchmarkOther(b *testing.B) {
	_, docs := texts(b)
	if len(docs) == 0 {
		b.Skip("no texts beyond ASCII")
	}
	d := detector(b, detect.Options{})
	b.Run("detector", func(b *testing.B) { over(b, docs, func(t []byte) { d.Scan(detect.Input{Text: t}) }) })
	var v view.View
	b.Run("fold", func(b *testing.B) { over(b, docs, func(t []byte) { view.Fold(&v, t) }) })
}

// peers are what the detector is measured beside: a bare pass over lower-cased text for
// the English words of the lexicon, and expressions for sixty of them.
func peers(tb testing.TB) []peer {
	lits := literals(tb)
	ac, err := ahocorasick.NewBuilder().AddStrings(lits).Build()
	if err != nil {
		tb.Fatal(err)
	}
	var quoted []string
	for i := 0; i < len(lits); i += 1 + len(lits)/60 {
		quoted = append(quoted, regexp.QuoteMeta(lits[i]))
	}
	alt := `\b(?:` + strings.Join(quoted, "|") + `)\b`
	std, two := regexp.MustCompile(`(?i)`+alt), regexp2.MustCompile(alt, regexp2.None)
	return []peer{
		{"coregx, bare pass", true, func(t []byte) { ac.FindAllOverlapping(t) }},
		{"regexp2, 60 words", true, func(t []byte) {
			m, _ := two.FindStringMatch(string(t))
			for m != nil {
				m, _ = two.FindNextMatch(m)
			}
		}},
		{"regexp, 60 words", false, func(t []byte) { std.FindAllIndex(t, -1) }},
	}
}

type peer struct {
	name  string
	lower bool // is given lower-cased text
	run   func([]byte)
}

// TestRatios prints speeds, latencies, allocations and ratios, measured in turns on one
// thread, so that neighbours disturb all of them alike. Only ratios mean something on a
// shared machine.
func TestRatios(t *testing.T) {
	if os.Getenv("STOPLOG_BENCH") == "" {
		t.Skip("STOPLOG_BENCH is not set: ratios were not measured")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	loading(t)
	whole, rules := detector(t, detect.Options{}), detector(t, detect.Options{RulesOnly: true})
	list := append(peers(t),
		peer{"detector, rules and views", false, func(t []byte) { rules.Scan(detect.Input{Text: t}) }},
		peer{"detector, whole", false, func(t []byte) { whole.Scan(detect.Input{Text: t}) }})
	docs, _ := texts(t)
	code, _ := goTexts(2000)
	if len(code) == 0 {
		t.Fatal("no Go sources")
	}
	for _, set := range []struct {
		name string
		docs [][]byte
	}{{"documents", docs}, {"Go sources", code}, {"documents with an attack", attacked(t, docs)}, {"hostile texts", hostileTexts()}} {
		ratios(set.name, set.docs, list)
		still, verdicts := 0, map[chunk.Verdict]int{}
		for _, x := range set.docs {
			verdicts[whole.Scan(detect.Input{Text: x}).Verdict]++
			if testing.AllocsPerRun(1, func() { whole.Scan(detect.Input{Text: x}) }) == 0 {
				still++
			}
		}
		fmt.Printf("  %d of them decided without an allocation; verdicts %v\n", still, verdicts)
	}
}

// loading prints what it takes to get ready: rules and words read, automata built, the
// model parsed, every case of every rule proved.
func loading(t *testing.T) {
	for _, step := range []struct {
		name string
		run  func()
	}{
		{"rules and words read", func() {
			if _, err := corpus.Default(); err != nil {
				t.Fatal(err)
			}
			if _, err := corpus.Words(); err != nil {
				t.Fatal(err)
			}
		}},
		{"the same, compiled and proved", func() { detector(t, detect.Options{}) }},
	} {
		wall, used := time.Hour, time.Hour
		for range 3 {
			start, cpu := time.Now(), processTime()
			step.run()
			wall, used = min(wall, time.Since(start)), min(used, processTime()-cpu)
		}
		fmt.Printf("%s: %v, %v of processor time\n", step.name, wall.Round(time.Millisecond), used.Round(time.Millisecond))
	}
}

// ratios measures the peers in turns. The median round counts.
func ratios(name string, docs [][]byte, list []peer) {
	lower := make([][]byte, len(docs))
	for i, x := range docs {
		lower[i] = bytes.ToLower(x)
	}
	const rounds = 5
	took, sums := make([][]time.Duration, len(list)), make([][]time.Duration, len(list))
	allocs := make([]float64, len(list))
	for round := range rounds {
		for k, p := range list {
			in := docs
			if p.lower {
				in = lower
			}
			sum := time.Duration(0)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for _, x := range in {
				z := threadTime()
				p.run(x)
				e := threadTime() - z
				sum += e
				took[k] = append(took[k], e)
			}
			runtime.ReadMemStats(&after)
			if round > 0 { // the first one fills pools
				allocs[k] += float64(after.Mallocs-before.Mallocs) / float64(len(in)*(rounds-1))
			}
			sums[k] = append(sums[k], sum)
		}
	}
	fmt.Printf("%s: %d texts of %d bytes on average\n", name, len(docs), size(docs)/int64(len(docs)))
	for k := range list {
		slices.Sort(sums[k])
	}
	for k, p := range list {
		slices.Sort(took[k])
		q := func(f float64) time.Duration { return took[k][int(f*float64(len(took[k])-1))] }
		middle := sums[k][rounds/2]
		fmt.Printf("  %-26s %7.1f MB/s  %6.3f of coregx  p50 %8v  p99 %8v (%4.1f times)  %7.1f allocations\n", p.name, float64(size(docs))/1e6/middle.Seconds(),
			sums[0][rounds/2].Seconds()/middle.Seconds(), q(.5).Round(100), q(.99).Round(100), float64(q(.99))/float64(q(.5)), allocs[k])
	}
}

// attacked puts the hits of the rules' cases into the middle of documents.
func attacked(tb testing.TB, docs [][]byte) (out [][]byte) {
	rules, err := corpus.Default()
	if err != nil {
		tb.Fatal(err)
	}
	for _, r := range rules {
		for _, c := range r.Cases.Hits {
			d := docs[len(out)%len(docs)]
			out = append(out, slices.Concat(d[:len(d)/2], []byte("\n"), c.Text, []byte("\n"), d[len(d)/2:]))
		}
	}
	return out
}

// goTexts cuts sources of the Go distribution.
func goTexts(n int) (ascii, other [][]byte) {
	k := 0
	_ = filepath.WalkDir(filepath.Join(goroot(), "src"), func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(p, ".go") || len(ascii) >= n {
			return nil
		}
		if k++; k%5 != 0 { // from all over the tree
			return nil
		}
		if b, err := os.ReadFile(p); err == nil {
			a, o := cuts(b[:min(len(b), 8*docBytes)])
			ascii, other = append(ascii, a...), append(other, o...)
		}
		return nil
	})
	return ascii, other
}

// goroot is where the Go tool's own source lies: honest text that every machine has.
func goroot() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// BenchmarkAttacked is for profiles of documents with an attack.
func BenchmarkAttacked(b *testing.B) {
	docs, _ := texts(b)
	docs = attacked(b, docs)
	d := detector(b, detect.Options{})
	over(b, docs, func(t []byte) { d.Scan(detect.Input{Text: t}) })
}
