package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stoplog/stoplog/pkg/detect"
)

// glossaryKeys is the list of a glossary's meanings: the file of English.
const glossaryKeys = "en.txt"

// readGlossary reads what words of each language mean: files named language.txt, each with a line for every
// meaning, in the order of the English one:
//
//	send: gönder*, yolla*, ilet*
//
// An asterisk leaves the end of a form open. A meaning may have no form.
func readGlossary(dir string) (*detect.Glossary, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	keys, _, err := glossaryFile(filepath.Join(dir, glossaryKeys))
	if err != nil {
		return nil, err
	}
	var all []detect.GlossaryForm
	lang := detect.GlossEnglish
	for _, name := range names {
		own, forms, err := glossaryFile(name)
		if err != nil {
			return nil, err
		}
		if i := different(keys, own); i >= 0 {
			return nil, fmt.Errorf("%s:%d: not what stands in that line of %s", name, i+1, glossaryKeys)
		}
		of := detect.GlossEnglish
		if filepath.Base(name) != glossaryKeys {
			lang++
			of = lang
		}
		for i := range forms {
			forms[i].Lang = of
		}
		all = append(all, forms...)
	}
	return detect.NewGlossary(all)
}

// different gives the first place at which two lists are; -1: there is none.
func different(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

func glossaryFile(name string) (keys []string, forms []detect.GlossaryForm, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		key, list, ok := strings.Cut(line, ":")
		if !ok || key == "" || slices.Contains(keys, key) {
			return nil, nil, fmt.Errorf("%s:%d: want a new word, a colon and its forms", name, i+1)
		}
		keys = append(keys, key)
		for _, f := range strings.Split(list, ",") {
			text, open := strings.CutSuffix(strings.TrimSpace(f), "*")
			if text == "" {
				continue
			}
			forms = append(forms, detect.GlossaryForm{Meaning: i, Text: text, Open: open})
		}
	}
	return keys, forms, nil
}
