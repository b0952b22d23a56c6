package main

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/detect"
)

// tables prints rows. one and tenth are the scores that 1 % and 0.1 % of honest
// documents lie above; aims the least score at which every group of honest texts
// keeps to its budget.
type tables struct {
	rows             []row
	one, tenth, aims float64
	bound            string // the group that aims is bound by
}

// above gives the least score that no more than a share of scores exceed.
func above(scores []float64, share float64) float64 {
	if len(scores) == 0 {
		return math.Inf(-1)
	}
	slices.Sort(scores)
	return scores[len(scores)-1-min(int(share*float64(len(scores))), len(scores)-1)]
}

func newTables(rows []row) *tables {
	t := &tables{rows: rows, aims: math.Inf(-1)}
	by := map[string][]float64{}
	for i := range rows {
		if r := &rows[i]; r.Label == 0 {
			by[r.group()] = append(by[r.group()], r.score)
		}
	}
	t.one, t.tenth = above(by["documents"], 0.01), above(by["documents"], 0.001)
	for g, s := range by {
		if x := above(s, budgets[g]); x > t.aims || x == t.aims && g < t.bound {
			t.aims, t.bound = x, g
		}
	}
	return t
}

// columns are what is counted of a row.
const columnNames = "| suspect % | quarantine % | at 1 % doc. FP | at 0.1 % doc. FP | held |\n|---|---|---|---|---|---|---|\n"

func (t *tables) columns(r *row) [5]bool {
	return [5]bool{
		r.verdict != chunk.Clean && r.verdict != chunk.Hold, r.verdict == chunk.Quarantine, r.score > t.one, r.score > t.tenth, r.verdict == chunk.Hold,
	}
}

func line(name string, k [5]int, n int) {
	fmt.Printf("| %s | %d |", name, n)
	for _, x := range k[:4] {
		fmt.Printf(" %s |", share(x, n))
	}
	fmt.Printf(" %d |\n", k[4])
}

func (t *tables) print(title string, key func(*row) string) {
	count, n := map[string]*[5]int{}, map[string]int{}
	for i := range t.rows {
		k := key(&t.rows[i])
		if k == "" {
			continue
		}
		if count[k] == nil {
			count[k] = &[5]int{}
		}
		n[k]++
		for c, yes := range t.columns(&t.rows[i]) {
			if yes {
				count[k][c]++
			}
		}
	}
	if len(n) == 0 {
		return
	}
	var names []string
	for k := range n {
		names = append(names, k)
	}
	sort.Strings(names)
	fmt.Printf("\n## %s\n\n| | n %s", title, columnNames)
	for _, k := range names {
		line(k, *count[k], n[k])
	}
}

// groups prints the aims: the mean over the sets of a group, and the mean at the
// score where honest texts just keep to their budgets.
func (t *tables) groups() {
	t.print("Honest groups", func(r *row) string {
		if r.Label == 1 {
			return ""
		}
		return r.group()
	})
	type sum struct {
		n float64
		k [5]float64 // suspect, quarantine, 1 %, 0.1 %, at the aims
	}
	sets, group := map[string]*sum{}, map[string]string{}
	for i := range t.rows {
		r := &t.rows[i]
		if r.Label == 0 || r.group() == "" {
			continue
		}
		if sets[r.set] == nil {
			sets[r.set] = &sum{}
			group[r.set] = r.group()
		}
		s, c := sets[r.set], t.columns(r)
		s.n++
		c[4] = r.score > t.aims
		for j, yes := range c {
			if yes {
				s.k[j]++
			}
		}
	}
	fmt.Printf("\n## Attack groups (mean over sets)\n\nBudgets are just kept at a score of %.3f, bound by %s.\n\n", t.aims, t.bound)
	fmt.Print("| | sets | suspect % | quarantine % | at 1 % doc. FP | at 0.1 % doc. FP | where budgets are just kept |\n|---|---|---|---|---|---|---|\n")
	for _, g := range []string{"overt", "spliced", "important", "native"} {
		n := 0
		var k [5]float64
		for set, s := range sets {
			if group[set] != g {
				continue
			}
			n++
			for j := range k {
				k[j] += 100 * s.k[j] / s.n
			}
		}
		if n == 0 {
			continue
		}
		fmt.Printf("| %s | %d |", g, n)
		for j := range k {
			fmt.Printf(" %.1f |", k[j]/float64(n))
		}
		fmt.Println()
	}
}

// transforms prints, of payloads that are found in clear, how many are found
// obfuscated. The rows of each transform come in the order of those in clear.
func (t *tables) transforms(brief bool) {
	clear := map[int]bool{}
	for i := range t.rows {
		if r := &t.rows[i]; r.Kind == "obf:none" {
			clear[r.place] = t.columns(r)[0]
		}
	}
	if len(clear) == 0 {
		return
	}
	kept, n := map[string]int{}, map[string]int{}
	var names []string
	all, of := 0, 0
	for i := range t.rows {
		r := &t.rows[i]
		if r.set != "obfuscated_sample" || r.Kind == "obf:none" || !clear[r.place] {
			continue
		}
		if n[r.Kind] == 0 {
			names = append(names, r.Kind)
		}
		n[r.Kind]++
		of++
		if t.columns(r)[0] {
			kept[r.Kind]++
			all++
		}
	}
	fmt.Printf("\n## Transforms\n\n| | n | kept %% |\n|---|---|---|\n| all | %d | %s |\n", of, share(all, of))
	if !brief {
		for _, k := range names {
			fmt.Printf("| %s | %d | %s |\n", k[len("obf:"):], n[k], share(kept[k], n[k]))
		}
	}
}

// gate prints, of texts that the model flags when it sees every window, how many
// it flags behind the gate.
func (t *tables) gate() {
	count := map[string][2]int{}
	var names []string
	for i := range t.rows {
		r := &t.rows[i]
		if r.free < detect.DefaultSuspect {
			continue
		}
		for _, k := range []string{"all", r.side() + r.set} {
			c, ok := count[k]
			if !ok {
				names = append(names, k)
			}
			c[1]++
			if r.score >= detect.DefaultSuspect {
				c[0]++
			}
			count[k] = c
		}
	}
	sort.Strings(names)
	fmt.Printf("\n## Gate\n\n| | flagged in all windows | of them behind the gate %% |\n|---|---|---|\n")
	for _, k := range names {
		if c := count[k]; k == "all" || c[0] < c[1] {
			fmt.Printf("| %s | %d | %s |\n", k, c[1], share(c[0], c[1]))
		}
	}
}

// calibration prints how many texts of a score are attacks, the expected
// calibration error.
func (t *tables) calibration() {
	var n, k [10]int
	var sum [10]float64
	for i := range t.rows {
		r := &t.rows[i]
		b := min(int(r.score*10), 9)
		n[b]++
		sum[b] += r.score
		k[b] += r.Label
	}
	fmt.Printf("\n## Calibration\n\n| score | n | mean score | attacks %% |\n|---|---|---|---|\n")
	e := 0.0
	for b := range n {
		if n[b] == 0 {
			continue
		}
		fmt.Printf("| %.1f-%.1f | %d | %.2f | %s |\n", float64(b)/10, float64(b+1)/10, n[b], sum[b]/float64(n[b]), share(k[b], n[b]))
		e += math.Abs(sum[b]-float64(k[b])) / float64(len(t.rows))
	}
	fmt.Printf("\nExpected calibration error: %.3f\n", e)
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
