package main

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

// span is one labelled element: byte offsets, and a type as Presidio names it. What
// follows a colon in the type is a rule and does not count.
type span struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Type  string `json:"type"`
}

// typeMap joins types: "US_PASSPORT=PASSPORT" counts labels and findings of the first as
// the second; "*_PASSPORT=PASSPORT" does so for all that end like this.
type typeMap map[string]string

func parseTypes(s string) (typeMap, error) {
	m := typeMap{"person": "PERSON", "location": "LOCATION"} // as noisy web text is labelled
	for _, pair := range strings.Split(s, ",") {
		if pair == "" {
			continue
		}
		a, b, ok := strings.Cut(pair, "=")
		if !ok || a == "" || b == "" {
			return nil, fmt.Errorf("not a pair of types: %q", pair)
		}
		m[a] = b
	}
	return m, nil
}

func (m typeMap) of(t string) string {
	t, _, _ = strings.Cut(t, ":")
	if to, ok := m[t]; ok {
		return to
	}
	for i := strings.IndexByte(t, '_'); i >= 0; {
		if to, ok := m["*"+t[i:]]; ok {
			return to
		}
		next := strings.IndexByte(t[i+1:], '_')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return t
}

// found counts what recognisers find of one type.
type found struct{ hit, miss, right, wrong int }

// judged is one labelled set; types without labels in it are not judged there.
type judged struct {
	types map[string]*found
	rules map[string]*found // by the row's rule, of labelled types together
}

func (j *judged) at(m map[string]*found, key string) *found {
	if m[key] == nil {
		m[key] = &found{}
	}
	return m[key]
}

// overlaps reports whether two spans share at least half of the longer one.
func overlaps(a chunk.Span, b span) bool {
	shared := min(a.End, b.End) - max(a.Start, b.Start)
	return shared > 0 && 2*shared >= max(a.Len(), b.End-b.Start)
}

// judge compares findings with the labels of the rows of one set. show is called for
// each miss (found is nil) and each false finding (want is nil).
func judge(c *classify.Classifier, rows []row, m typeMap, show func(r *row, want *span, got *chunk.Entity)) *judged {
	j := &judged{types: map[string]*found{}, rules: map[string]*found{}}
	for i := range rows {
		for _, s := range rows[i].Spans {
			j.at(j.types, m.of(s.Type))
		}
	}
	for i := range rows {
		r := &rows[i]
		got := c.Recognise([]byte(r.Text))
		used := make([]bool, len(got))
		for k := range r.Spans {
			want := &r.Spans[k]
			typ, hit := m.of(want.Type), false
			for n, e := range got {
				if m.of(e.Type) == typ && overlaps(e.Span, *want) {
					hit, used[n] = true, true
				}
			}
			for _, f := range []*found{j.at(j.types, typ), j.at(j.rules, r.Rule)} {
				if hit {
					f.hit++
				} else {
					f.miss++
				}
			}
			if !hit {
				show(r, want, nil)
			}
		}
		for n := range got {
			f := j.types[m.of(got[n].Type)]
			switch {
			case f == nil:
			case used[n]:
				f.right++
				j.at(j.rules, r.Rule).right++
			default:
				f.wrong++
				j.at(j.rules, r.Rule).wrong++
				show(r, nil, &got[n])
			}
		}
	}
	return j
}

func (j *judged) print(name string, rows int, byRule bool) {
	table := func(head string, m map[string]*found) {
		var keys []string
		for k := range m {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		fmt.Printf("| %s | labels | recall %% | findings | precision %% |\n|---|---|---|---|---|\n", head)
		for _, k := range keys {
			f := m[k]
			fmt.Printf("| %s | %d | %s | %d | %s |\n", k, f.hit+f.miss, share(f.hit, f.hit+f.miss), f.right+f.wrong, share(f.right, f.right+f.wrong))
		}
	}
	fmt.Printf("\n## %s, %d texts\n\n", name, rows)
	table("type", j.types)
	if byRule {
		fmt.Println()
		table("rule", j.rules)
	}
}

// entities measures the recognisers on every set: recall and precision by type, an
// overlap of half of the longer span, Wilson intervals.
func entities(rows []row, types string, byRule bool, show int, only string) error {
	m, err := parseTypes(types)
	if err != nil {
		return err
	}
	c, err := classify.Compile(nil, classify.Options{})
	if err != nil {
		return err
	}
	var sets []string
	by := map[string][]row{}
	for _, r := range rows {
		if by[r.set] == nil {
			sets = append(sets, r.set)
		}
		by[r.set] = append(by[r.set], r)
	}
	for _, set := range sets {
		labels := 0
		for i, r := range by[set] {
			labels += len(r.Spans)
			for _, s := range r.Spans {
				if s.Start < 0 || s.End > len(r.Text) || s.Start >= s.End {
					return fmt.Errorf("%s: row %d: a span that is not in the text", set, i+1)
				}
			}
		}
		if labels == 0 {
			fmt.Printf("\n## %s: no labels, nothing to measure\n", set)
			continue
		}
		left := show
		j := judge(c, by[set], m, func(r *row, want *span, got *chunk.Entity) {
			typ := ""
			if want != nil {
				typ = m.of(want.Type)
			} else {
				typ = m.of(got.Type)
			}
			if left == 0 || only != "" && typ != only {
				return
			}
			left--
			if want != nil {
				fmt.Printf("  missed %s %q in %q: %v\n", typ, r.Text[want.Start:want.End], clip(r.Text, want.Start), c.Recognise([]byte(r.Text)))
			} else {
				fmt.Printf("  false %s %s %.2f %q in %q\n", typ, got.Rule, got.Score, r.Text[got.Start:got.End], clip(r.Text, got.Start))
			}
		})
		j.print(set, len(by[set]), byRule)
	}
	return nil
}

// clip gives what stands around a place.
func clip(s string, at int) string {
	from, to := max(0, at-60), min(len(s), at+100)
	return strings.ToValidUTF8(s[from:to], "")
}

// files are the sets that the arguments name: files, or every *.jsonl of a folder.
func files(args []string) ([]string, error) {
	var out []string
	for _, a := range args {
		if strings.HasSuffix(a, ".jsonl") {
			out = append(out, a)
			continue
		}
		names, err := filepath.Glob(filepath.Join(a, "*.jsonl"))
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	return out, nil
}
