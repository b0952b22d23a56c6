//go:build ignore

// Gen makes names.txt from public name lists, found below STOPLOG_TESTDATA/names, and
// marks the names that are also ordinary words, counted in the texts below
// STOPLOG_TESTDATA/injection. Run it with go generate.
package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	forename = 1 << iota
	rareForename
	surname
	rareSurname
	word
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
	count, capital := map[string]int{}, map[string]int{}
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
			for _, w := range strings.FieldsFunc(row.Text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) {
				if r, _ := utf8.DecodeRuneInString(w); unicode.IsLower(r) {
					count[w]++
				} else {
					capital[strings.ToLower(w)]++
				}
			}
		}
		f.Close()
	}
	for w, n := range count {
		if n >= 3 && 2*n >= capital[w] && utf8.RuneCountInString(w) > 2 && strings.IndexAny(w, "'-") < 0 && len(w) <= 20 {
			names[w] |= word
		}
	}
	var lines []string
	for n, f := range names {
		if count[n] >= 2 && 2*count[n] >= capital[n] {
			f |= word
		}
		lines = append(lines, fmt.Sprintf("%s\t%x", n, f))
	}
	sort.Strings(lines)
	out := "# forename 1, rare forename 2, surname 4, rare surname 8, also a word 10 (hexadecimal, added up).\n" +
		"# Words that are no names are there so that unknown words can be told from them.\n" +
		"# Sources: sigpwned/popular-names-by-country-dataset (CC0): 1 and 4; smashew/NameDatabases (Unlicense): 2 and 8.\n" +
		strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile("names.txt", []byte(out), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(lines), "names")
}
