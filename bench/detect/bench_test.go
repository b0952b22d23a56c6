// Package detect_test measures the injection detector beside what it is built
// from, in one process, so that ratios mean something on a noisy machine:
//
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
	"sort"
	"strings"
	"syscall"
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

// texts gives documents of 2 KB: ASCII ones and others.
func texts(tb testing.TB) (ascii, other [][]byte) {
	add := func(b []byte) {
		for len(b) > 200 {
			n := min(len(b), docBytes)
			t := bytes.ToValidUTF8(b[:n], nil)
			if view.Plain(t) {
				ascii = append(ascii, t)
			} else {
				other = append(other, t)
			}
			b = b[n:]
		}
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
		_ = filepath.WalkDir(filepath.Join(goroot(), "src"), func(p string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.HasSuffix(p, ".go") && len(ascii) < 4000 {
				if b, err := os.ReadFile(p); err == nil {
					add(b)
				}
			}
			return nil
		})
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
	lits := literals(b)
	ac, err := ahocorasick.NewBuilder().AddStrings(lits).Build()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("coregx-bare", func(b *testing.B) { over(b, docs, func(t []byte) { ac.FindAllOverlapping(t) }) })
	quoted := make([]string, 0, 60)
	for i, l := range lits {
		if i%(1+len(lits)/60) == 0 {
			quoted = append(quoted, regexp.QuoteMeta(l))
		}
	}
	alt := `\b(?:` + strings.Join(quoted, "|") + `)\b`
	std := regexp.MustCompile(`(?i)` + alt)
	b.Run("stdlib-regexp-60-words", func(b *testing.B) { over(b, docs, func(t []byte) { std.FindAllIndex(t, -1) }) })
	two := regexp2.MustCompile(alt, regexp2.None)
	b.Run("regexp2-60-words", func(b *testing.B) {
		over(b, docs, func(t []byte) {
			m, _ := two.FindStringMatch(string(t))
			for m != nil {
				m, _ = two.FindNextMatch(m)
			}
		})
	})
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

// TestRatios prints one line of latencies and ratios, measured interleaved.
func TestRatios(t *testing.T) {
	if os.Getenv("STOPLOG_BENCH") == "" {
		t.Skip("STOPLOG_BENCH is not set: ratios were not measured")
	}
	docs, _ := texts(t)
	start := time.Now()
	d := detector(t, detect.Options{})
	load := time.Since(start)
	ac, err := ahocorasick.NewBuilder().AddStrings(literals(t)).Build()
	if err != nil {
		t.Fatal(err)
	}
	lower := make([][]byte, len(docs))
	for i, x := range docs {
		lower[i] = bytes.ToLower(x)
	}
	// Processor time, not wall time: neighbours count less.
	var took []time.Duration
	var det, core time.Duration
	cpu := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	verdicts := map[chunk.Verdict]int{}
	const rounds = 6
	for round := range rounds {
		c := cpu()
		for _, x := range docs {
			s := time.Now()
			v := d.Scan(detect.Input{Text: x})
			e := time.Since(s)
			if round > 0 {
				took = append(took, e)
			} else {
				verdicts[v.Verdict]++
			}
		}
		det += cpu() - c
		c = cpu()
		for _, x := range lower {
			ac.FindAllOverlapping(x)
		}
		core += cpu() - c
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	mb := float64(rounds*size(docs)) / 1e6
	p := func(q float64) time.Duration { return took[int(q*float64(len(took)-1))] }
	fmt.Printf("texts %d, load %v, detector %.0f MB/s, coregx bare %.0f MB/s, ratio %.2f, p50 %v p99 %v (%.1fx) max %v, verdicts %v\n",
		len(docs), load, mb/det.Seconds(), mb/core.Seconds(), core.Seconds()/det.Seconds(), p(.5), p(.99), float64(p(.99))/float64(p(.5)), took[len(took)-1], verdicts)
}

// goroot is where the Go tool's own source lies: honest text that every machine has.
func goroot() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
