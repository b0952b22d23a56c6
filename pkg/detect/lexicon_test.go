package detect

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/view"
)

// indexOf gives the words of any text.
func indexOf(text []byte, l *lexicon) *index {
	var d view.Decoder
	d.Look(text)
	x := &index{}
	x.word, x.stop, _ = d.Bits(nil, nil, text)
	x.fill(text, l)
	return x
}

// lexicons is a lexicon and an automaton for the same literals.
type lexicons struct {
	lexicon    *lexicon
	left, both searcher
	s          scratch
}

func newLexicons(tb testing.TB, lits []literal) *lexicons {
	x := new(lexicons)
	fold := idleFold(lits)
	var left []literal
	x.lexicon, left = newLexicon(lits, fold)
	var err error
	if x.left, err = newSearcher(left, fold); err == nil {
		x.both, err = newSearcher(lits, fold)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

// differ gives what lexicon and automaton find in text, if it is not the same.
func (x *lexicons) differ(text []byte) (words, states []occurrence, differ bool) {
	x.s.occ = x.s.occ[:0]
	x.s.run(&x.both, text)
	x.s.order(0)
	states = slices.Clone(x.s.occ)
	x.s.occ = x.lexicon.search(x.s.occ[:0], text, indexOf(text, x.lexicon))
	x.s.order(0)
	from := len(x.s.occ)
	x.s.run(&x.left, text)
	x.s.order(from)
	return x.s.occ, states, !slices.Equal(x.s.occ, states)
}

// shipped gives the literals that ship, of ASCII bytes, and both ways to find them.
var shipped = sync.OnceValues(func() ([]literal, error) {
	rules, err := corpus.Default()
	if err != nil {
		return nil, err
	}
	c, err := gather(rules, nil)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(c.all, func(l literal) bool { return !isASCII(l.text) }), nil
})

func shippedLexicons(tb testing.TB) *lexicons {
	lits, err := shipped()
	if err != nil {
		tb.Fatal(err)
	}
	return newLexicons(tb, lits)
}

// What the lexicon finds by words is what the automaton finds by bytes: in every text of the
// corpus, and in the documents of STOPLOG_TESTDATA.
func TestLexiconFindsWhatTheAutomatonFinds(t *testing.T) {
	x := shippedLexicons(t)
	texts, found := 0, 0
	check := func(path string, text []byte) { // nobody is to read all of these texts
		texts++
		got, want, differ := x.differ(text)
		if found += len(want); differ {
			t.Fatalf("%s, a text of %d bytes: words and states differ in %v", path, len(text), cmp.Diff(want, got, cmp.AllowUnexported(occurrence{})))
		}
	}
	roots := []string{"../../corpus"}
	if root := os.Getenv("STOPLOG_TESTDATA"); root != "" {
		roots = append(roots, filepath.Join(root, "injection"))
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, line := range bytes.SplitAfter(b, []byte{'\n'}) {
				var r struct{ Text string }
				if strings.HasSuffix(path, ".jsonl") && json.Unmarshal(line, &r) == nil {
					check(path, []byte(r.Text))
				}
			}
			if len(b) > MaxText {
				b = b[:MaxText]
			}
			check(path, b)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d texts, %d words of the lexicon", texts, found)
	if texts < 500 || found < 10000 {
		t.Fatalf("only %d texts with %d words ran", texts, found)
	}
}

// The same in texts made of pieces of literals, signs, escapes and letters of other scripts.
func TestLexiconFindsPieces(t *testing.T) {
	x := shippedLexicons(t)
	r := rand.New(rand.NewPCG(5, 6))
	lits, _ := shipped()
	found := 0
	for range 20000 {
		var b []byte
		for range r.IntN(40) {
			lit := lits[r.IntN(len(lits))].text
			switch r.IntN(8) {
			case 0:
				lit = lit[:r.IntN(len(lit))]
			case 1:
				lit = lit[r.IntN(len(lit)):]
			case 2:
				lit = strings.ToUpper(lit)
			case 3:
				lit = strings.ReplaceAll(lit, " ", " ~\n*")
			}
			b = append(b, lit...)
			b = append(b, []string{" ", "", "  ", "\\n", "\\N", "\\", "\\\\t", "-", "_", "'", ". ", ", ", "\n", "\t\r", "x", "7", "é", "я", "忽", "\xff", "*", "~ ", ": ", "\"", "<", "@", "$", "\u200b"}[r.IntN(28)]...)
		}
		got, want, differ := x.differ(b)
		if found += len(want); differ {
			t.Fatalf("%q:\nwords  %v\nstates %v", b, got, want)
		}
	}
	if found < 100000 {
		t.Fatalf("only %d words", found)
	}
}

// FuzzLexicon: the same for any literals and any text.
func FuzzLexicon(f *testing.F) {
	f.Add("ignore,*prompt*,new task:,all of,a.b,*x*", []byte("Ignore\tall  of it\\nnew task: superprompts a.b"))
	f.Add("api_key*,<|im*,*$*,the 'a b' c", []byte("my_api_keys $ <|im_start the 'a b' c"))
	f.Add("n*,*nab*,aaaaaaaaaaaaaaaaaaaa*,b  c", []byte("\\nab \\tnab aaaaaaaaaaaaaaaaaaaaaaaaaaa"))
	f.Fuzz(func(t *testing.T, list string, text []byte) {
		if len(list) > 200 || len(text) > 700 {
			return
		}
		var lits []literal
		for i, w := range strings.Split(list, ",") {
			c := cleanLiterals([]string{strings.Trim(w, "*")})
			if len(c) == 0 || !isASCII(c[0]) {
				continue
			}
			first, last := c[0][0], c[0][len(c[0])-1]
			lits = append(lits, literal{text: c[0], openStart: strings.HasPrefix(w, "*") || !wordByte(first), openEnd: strings.HasSuffix(w, "*") || !wordByte(last),
				spaced: strings.Contains(c[0], " "), means: int32(i)})
		}
		if len(lits) == 0 {
			return
		}
		if got, want, differ := newLexicons(t, lits).differ(text); differ {
			t.Fatalf("%q in %q:\nwords  %v\nstates %v", list, text, got, want)
		}
	})
}

// A finder finds what was put into its table, and nothing else.
func TestFinder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 2, 11, 12, 500, 9000} {
		table, values := newHashTable(), map[uint64]uint32{}
		for len(values) < n {
			key := r.Uint64() >> r.IntN(60) // short words are small numbers
			if key == 0 || values[key] != 0 {
				continue
			}
			values[key] = uint32(len(values) + 1)
			table.put(key, values[key])
		}
		f := newFinder(&table)
		for key, want := range values {
			if got := f.get(key); got != want {
				t.Fatalf("of %d keys %x gives %d, want %d", n, key, got, want)
			}
			if other := key ^ 1<<40; values[other] == 0 && f.get(other) != 0 {
				t.Fatalf("of %d keys %x gives %d", n, other, f.get(other))
			}
		}
	}
}
