package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGlossaryOfEveryLanguage(t *testing.T) {
	if _, err := readGlossary("../glossary"); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("../glossary/*.txt")
	if err != nil || len(names) < 18 {
		t.Fatalf("%d languages, %v", len(names), err)
	}
	for _, name := range names {
		_, forms, err := glossaryFile(name)
		if err != nil {
			t.Fatal(err)
		}
		type form struct {
			text string
			open bool
		}
		lines, meant := map[form]int{}, map[int]bool{}
		for _, f := range forms {
			meant[f.Meaning] = true
			k := form{f.Text, f.Open}
			if lines[k]++; lines[k] > 2 {
				t.Errorf("%s: %v stands in more than two lines", name, k)
			}
		}
		if len(meant) < 1000 {
			t.Errorf("%s: %d meanings have a form", name, len(meant))
		}
	}
}

func TestGlossaryRefusesFiles(t *testing.T) {
	for _, c := range []struct{ en, other, want string }{
		{"send: send\nmail: mail\n", "send: envoi*\nmail:\n", ""},
		{"send: send\n", "mail: courrier\n", "xx.txt:1"},
		{"send: send\nmail: mail\n", "send: envoi*\n", "xx.txt:2"},
		{"send: send\nsend: mail\n", "send: a\nsend: b\n", "en.txt:2"},
		{"send\n", "send\n", "en.txt:1"},
		{"send: send\n", "send: ...\n", "no letter"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"en.txt": c.en, "xx.txt": c.other} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := readGlossary(dir)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q and %q: %v, want %q", c.en, c.other, err, c.want)
		}
	}
}
