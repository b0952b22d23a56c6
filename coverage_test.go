package stoplog

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tests column of docs/spec-coverage.md")

var (
	specLine = regexp.MustCompile(`^(\s*)//.*SPEC: (.*)$`)
	specID   = regexp.MustCompile(`\b[A-Z]{3}-[0-9]+\b`)
	testFunc = regexp.MustCompile(`^func ((?:Test|Fuzz)\w+)\(`)
	tableRow = regexp.MustCompile(`^\| ([A-Z]{3}-[0-9]+) \| (.*) \| (done|partly|open) \| (.*) \|$`)
)

// provenBy finds, for each row of the specification, the tests that name it in a
// comment "// SPEC: …" above them or inside them.
func provenBy(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var waiting []string
		current := ""
		add := func(id string) {
			name := strings.TrimSuffix(filepath.ToSlash(filepath.Dir(path)), "/") + "." + current
			out[id] = append(out[id], name)
		}
		for _, l := range strings.Split(string(b), "\n") {
			if m := specLine.FindStringSubmatch(l); m != nil {
				ids := specID.FindAllString(m[2], -1)
				if m[1] == "" || current == "" {
					waiting = append(waiting, ids...)
					continue
				}
				for _, id := range ids {
					add(id)
				}
			}
			if m := testFunc.FindStringSubmatch(l); m != nil {
				current = m[1]
				for _, id := range waiting {
					add(id)
				}
				waiting = nil
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, names := range out {
		sort.Strings(names)
		var uniq []string
		for i, n := range names {
			if i == 0 || n != names[i-1] {
				uniq = append(uniq, n)
			}
		}
		out[id] = uniq
	}
	return out
}

// docs/spec-coverage.md names, for each row, the tests that prove it. A row that is
// called done has at least one; run with -update after adding tests.
func TestSpecCoverage(t *testing.T) {
	const path = "docs/spec-coverage.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	proven := provenBy(t)
	rows := 0
	var out bytes.Buffer
	for _, l := range strings.SplitAfter(string(b), "\n") {
		m := tableRow.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
		if m == nil {
			out.WriteString(l)
			continue
		}
		rows++
		id, what, state := m[1], m[2], m[3]
		var names []string
		for _, n := range proven[id] {
			names = append(names, "`"+n+"`")
		}
		tests := strings.Join(names, ", ")
		if tests == "" {
			tests = "none"
		}
		out.WriteString("| " + id + " | " + what + " | " + state + " | " + tests + " |\n")
		if state == "done" && len(names) == 0 {
			t.Errorf("%s is called done and no test names it", id)
		}
	}
	if rows < 58 {
		t.Fatalf("%s has %d rows; the specification has 58", path, rows)
	}
	if bytes.Equal(out.Bytes(), b) {
		return
	}
	if !*update {
		t.Fatalf("%s is behind the tests: go test -run TestSpecCoverage -update .", path)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
