// Command gen writes pkg/view/words.txt and order.txt: words of ten languages that are written in Latin
// letters, and how often each is met, for putting words back that were taken apart or
// misspelt; and which of the commonest English words stand in front of which others, for telling
// text whose words stand in reverse order.
//
// With -seen it writes seen.txt instead: longer words that are met in several of the packages below the
// folder named behind the flags. They are known, and nothing is put back into them.
//
// It counts the texts of corpus/honest and corpus/attacks, and the READMEs below the folders
// named behind the flags (those of the packages that the detector is trained with, all
// under permissive licences): of those, only how often which word is met in how many.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stoplog/stoplog/pkg/view"
)

// langs are the languages whose words are counted; "any" is code and what has no language.
var langs = strings.Fields("en es fr de pt it nl pl tr id")

// Bounds of the words that are kept: how often they are met at least, in English, in others
// if they are short, and in how many READMEs.
const (
	minCount, minForeign, minShort = 2, 3, 12
	minReadmes, minInReadmes       = 4, 8
	readmeMax                      = 64 << 10
)

type count struct{ english, foreign, readme, readmes int }

func main() {
	dir := flag.String("corpus", "../../corpus", "the folder with honest and attacks")
	out := flag.String("o", "words.txt", "output")
	seen := flag.Bool("seen", false, "write seen.txt, behind words.txt, from all files of packages")
	flag.Parse()
	log.SetFlags(0)
	if *seen {
		writeSeen(flag.Arg(0))
		return
	}
	counts := map[string]*count{}
	var english [][]string
	at := func(w string) *count {
		c := counts[w]
		if c == nil {
			c = new(count)
			counts[w] = c
		}
		return c
	}
	for _, kind := range []string{"honest", "attacks"} {
		names, err := filepath.Glob(filepath.Join(*dir, kind, "*.txt"))
		if err != nil {
			log.Fatal(err)
		}
		for _, name := range names {
			parts := strings.Split(filepath.Base(name), "-")
			if len(parts) < 3 || !slices.Contains(langs, parts[1]) {
				continue
			}
			all := words(read(name))
			for _, w := range all {
				if parts[1] == "en" {
					at(w).english++
				} else {
					at(w).foreign++
				}
			}
			if parts[1] == "en" {
				english = append(english, all)
			}
		}
	}
	for _, root := range flag.Args() {
		err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasPrefix(strings.ToLower(e.Name()), "readme") {
				return err
			}
			text := read(name)
			seen := map[string]bool{}
			for _, w := range words(text[:min(len(text), readmeMax)]) {
				c := at(w)
				c.readme++
				if !seen[w] {
					seen[w] = true
					c.readmes++
				}
			}
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	classes := map[int][]string{}
	for w, c := range counts {
		n := c.english + c.foreign
		switch {
		case c.english >= minCount, c.foreign >= minForeign && len(w) >= 4, n >= minShort:
		case c.readmes >= minReadmes && c.readme >= minInReadmes && len(w) >= 4:
		default:
			continue
		}
		// READMEs say little of how often a word is met in prose.
		n = max(n, 1) + int(math.Sqrt(float64(c.readmes)))
		class := int(math.Round(2 * math.Log2(float64(n))))
		classes[class] = append(classes[class], w)
	}
	writeOrder(english, counts)
	unjoin(classes)
	f, err := os.Create(*out)
	if err != nil {
		log.Fatal(err)
	}
	b := bufio.NewWriter(f)
	fmt.Fprintln(b, "# Made by words/gen. Do not edit. A line holds words that are met alike often, and in front of them\n# twice the logarithm to base two of how often.")
	for class := 64; class >= 0; class-- {
		if len(classes[class]) == 0 {
			continue
		}
		slices.Sort(classes[class])
		fmt.Fprintln(b, class, strings.Join(classes[class], " "))
	}
	if err := b.Flush(); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

// Bounds of what is seen: in how many packages a word stands, its letters, and the size of a file in bytes.
const (
	minPackages         = 4
	minLetters, maxWord = 6, 23
	maxFile             = 2 << 20
)

// writeSeen writes the words that enough packages hold, each a folder of root, and words.txt does not.
func writeSeen(root string) {
	have := map[string]bool{}
	for w := range strings.FieldsSeq(string(read("words.txt"))) {
		have[w] = true
	}
	packages, err := os.ReadDir(root)
	if err != nil {
		log.Fatal(err)
	}
	in := map[string]int{}
	for _, p := range packages {
		here := map[string]bool{}
		err := filepath.WalkDir(filepath.Join(root, p.Name()), func(name string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			if info, err := e.Info(); err != nil || info.Size() > maxFile {
				return err
			}
			for _, w := range words(read(name)) {
				if len(w) >= minLetters && len(w) <= maxWord && !have[w] {
					here[w] = true
				}
			}
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
		for w := range here {
			in[w]++
		}
	}
	var list []string
	for w, n := range in {
		if n >= minPackages {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		log.Fatalf("no words below %q", root)
	}
	slices.Sort(list)
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by words/gen -seen. Do not edit. Longer words that %d packages hold, and more.\n", minPackages)
	for line := range slices.Chunk(list, 20) {
		fmt.Fprintln(&b, strings.Join(line, " "))
	}
	if err := os.WriteFile("seen.txt", []byte(b.String()), 0o644); err != nil {
		log.Fatal(err)
	}
}

// ordered is how many words the order of which is counted.
const ordered = 127

// writeOrder writes the commonest words, and a row for each of them and for all others: for each
// word behind it, sixteen and four times the natural logarithm of how much more often it stands there than
// in front of it, as a letter from A on.
func writeOrder(texts [][]string, counts map[string]*count) {
	var common []string
	for w := range counts {
		common = append(common, w)
	}
	slices.SortFunc(common, func(a, b string) int {
		return cmp.Or(counts[b].english-counts[a].english, strings.Compare(a, b))
	})
	common = common[:ordered]
	number := map[string]int{}
	for i, w := range common {
		number[w] = i + 1
	}
	var pairs [ordered + 1][ordered + 1]float64
	for _, t := range texts {
		for i := 1; i < len(t); i++ {
			pairs[number[t[i-1]]][number[t[i]]]++
		}
	}
	var b strings.Builder
	fmt.Fprintln(&b, "# Made by words/gen. Do not edit. The commonest words, and how much more often others (columns) stand behind them (rows) than in front.")
	fmt.Fprintln(&b, strings.Join(common, " "))
	for x := range pairs {
		for y := range pairs[x] {
			const few = 2
			v := math.Round(4*math.Log((pairs[x][y]+few)/(pairs[y][x]+few))) + 16
			b.WriteByte('A' + byte(min(max(v, 0), 32)))
		}
		b.WriteByte('\n')
	}
	if err := os.WriteFile("order.txt", []byte(b.String()), 0o644); err != nil {
		log.Fatal(err)
	}
}

// unjoin leaves out seldom words that are two others in a row which together are commoner.
func unjoin(classes map[int][]string) {
	class := map[string]int{}
	for n, ws := range classes {
		for _, w := range ws {
			class[w] = n
		}
	}
	for n, ws := range classes {
		if n > 13 {
			continue
		}
		classes[n] = slices.DeleteFunc(ws, func(w string) bool {
			for i := 3; i+3 <= len(w); i++ {
				a, b := class[w[:i]], class[w[i:]]
				if a > 0 && b > 0 && (40-a)+(40-b) < 40-n+10 {
					return true
				}
			}
			return false
		})
	}
}

func read(name string) []byte {
	b, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return b
}

// words gives the folded words of a text that are made of the letters a to z alone.
func words(text []byte) (out []string) {
	low := view.FoldString(string(text))
	low = strings.ReplaceAll(low, "'", "") // what people leave out, and codes of letters do
	isLetter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
	for i := 0; i < len(low); i++ {
		j, beyond := i, false
		for j < len(low) && (isLetter(low[j]) || low[j] >= 0x80) {
			beyond = beyond || low[j] >= 0x80
			j++
		}
		// What stands in signs that names of programs hold is a name.
		glued := func(k int) bool { return k >= 0 && k < len(low) && strings.IndexByte("_/@\\0123456789", low[k]) >= 0 }
		humps := strings.IndexFunc(low[min(i+1, j):j], func(r rune) bool { return r >= 'A' && r <= 'Z' }) >= 0 && strings.ToUpper(low[i:j]) != low[i:j]
		if n := j - i; n >= 2 && n <= 24 && !beyond && !humps && !glued(i-1) && !glued(j) {
			out = append(out, strings.ToLower(low[i:j]))
		}
		i = max(i, j)
	}
	return out
}
