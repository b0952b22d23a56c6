package detect

import (
	"bytes"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/coregx/ahocorasick"
	"github.com/google/go-cmp/cmp"
)

type occ struct{ Lit, Start, End int }

func sorted(o []occ) []occ {
	sort.Slice(o, func(i, j int) bool {
		a, b := o[i], o[j]
		if a.End != b.End {
			return a.End < b.End
		}
		return a.Lit < b.Lit
	})
	var out []occ
	for i, x := range o {
		if i == 0 || x != o[i-1] {
			out = append(out, x)
		}
	}
	return out
}

// bounded makes every other literal one that must begin where a word begins, and some
// that must end where one ends.
func bounded(lits []string) []pattern {
	out := make([]pattern, len(lits))
	for i, l := range lits {
		out[i] = pattern{l, i%2 == 1, i%3 != 1}
	}
	return out
}

// foldOf is idleFold for texts of literals.
func foldOf(texts []string) [256]byte {
	lits := make([]literal, len(texts))
	for i := range lits {
		lits[i].text = texts[i]
	}
	return idleFold(lits)
}

// allowed reports whether a literal may stand as text[start:end].
func allowed(p pattern, text []byte, start, end int) bool {
	if p.closed && end < len(text) && wordByte(text[end]) {
		return false
	}
	return !p.bounded || !wordByte(p.text[0]) || start == 0 || !wordByte(text[start-1]) || escapedBreak(text, start)
}

func ours(t testing.TB, a *automaton, lits []string, text []byte) []occ {
	var out []occ
	var found hits
	a.run(&found, text)
	for _, h := range slices.Concat(found[:]...) {
		closed, open := a.ends(h)
		for i, list := range [][]int32{a.ids[closed.lo:closed.hi], a.ids[open.lo:open.hi]} {
			for _, id := range list {
				end := int(h.at) + i
				start, ok := began(&a.fold, text, lits[id], end)
				if !ok {
					t.Fatalf("literal %q reported at %d, where it is not", lits[id], end)
				}
				out = append(out, occ{int(id), start, end})
			}
		}
	}
	return sorted(out)
}

// naive looks at every end of every literal.
func naive(a *automaton, lits []string, text []byte) []occ {
	var out []occ
	for id, l := range lits {
		for end := 1; end <= len(text); end++ {
			if start, ok := began(&a.fold, text, l, end); ok && allowed(bounded(lits)[id], text, start, end) && !crossesEscape(text, start, end) {
				out = append(out, occ{id, start, end})
			}
		}
	}
	return sorted(out)
}

// crossesEscape reports an escaped line break inside text[start:end]: no literal
// is found across one.
func crossesEscape(text []byte, start, end int) bool {
	for i := start + 1; i <= end; i++ {
		if i-2 >= 0 && i-1 >= start && escapedBreak(text, i) {
			return true
		}
	}
	return false
}

// cleanLiterals brings words into the form that newAutomaton asks for.
func cleanLiterals(in []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, l := range in {
		b := []byte(l)
		for i := range b {
			b[i] = foldByte(b[i])
		}
		l = strings.Join(strings.Fields(string(b)), " ")
		if l != "" && len(l) < 200 && !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	return out
}

func equalSearch(t testing.TB, lits []string, text []byte) {
	a, err := newAutomaton(bounded(lits), foldOf(lits))
	if err != nil {
		return
	}
	got, want := ours(t, a, lits, text), naive(a, lits, text)
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("literals %q text %q (-naive +ours):\n%s", lits, text, d)
	}
	// coregx knows nothing of folding: give it the folded text, and only when no
	// two spaces meet, so that offsets agree.
	folded := make([]byte, len(text))
	for i, b := range text {
		folded[i] = a.fold[b]
	}
	if bytes.Contains(folded, []byte("  ")) || len(lits) == 0 {
		return
	}
	distinct := map[byte]bool{}
	for _, l := range lits {
		for i := range len(l) {
			distinct[l[i]] = true
		}
	}
	if len(distinct) > 200 { // coregx panics from 255 distinct bytes on
		return
	}
	ac, err := ahocorasick.NewBuilder().AddStrings(lits).Build()
	if err != nil {
		t.Fatal(err)
	}
	var oracle []occ
	for _, m := range ac.FindAllOverlapping(folded) {
		if allowed(bounded(lits)[m.PatternID], text, m.Start, m.End) && !crossesEscape(text, m.Start, m.End) {
			oracle = append(oracle, occ{m.PatternID, m.Start, m.End})
		}
	}
	if d := cmp.Diff(sorted(oracle), got); d != "" {
		t.Fatalf("literals %q text %q (-coregx +ours):\n%s", lits, text, d)
	}
}

func TestAutomatonEqualsNaive(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	ran := 0
	for range 4000 {
		alphabet := "abA .\n\\n"[:2+rng.Intn(7)]
		word := func(n int) string {
			b := make([]byte, n)
			for i := range b {
				b[i] = alphabet[rng.Intn(len(alphabet))]
			}
			return string(b)
		}
		var lits []string
		for range 1 + rng.Intn(6) {
			lits = append(lits, word(1+rng.Intn(6)))
		}
		lits = cleanLiterals(lits)
		if len(lits) == 0 {
			continue
		}
		n := rng.Intn(60)
		if rng.Intn(3) == 0 {
			n = quarters + rng.Intn(80)
		}
		equalSearch(t, lits, []byte(word(n)))
		ran++
	}
	if ran < 3500 {
		t.Fatalf("only %d comparisons ran", ran)
	}
}

func FuzzAutomaton(f *testing.F) {
	f.Add("ignore,previous,re p", []byte("Ignore  previous"))
	f.Add("a,aa,aaa", bytes.Repeat([]byte("a"), 300))
	f.Fuzz(func(t *testing.T, list string, text []byte) {
		if len(list) > 200 || len(text) > 700 {
			return
		}
		lits := cleanLiterals(strings.Split(list, ","))
		if len(lits) == 0 {
			return
		}
		equalSearch(t, lits, text)
	})
}
