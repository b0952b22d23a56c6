package stoplog

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

const module = "github.com/stoplog/stoplog/"

// rule says what one package may import of ours, and which outside packages it must
// not. A package that is missing from the table fails the test: whoever adds one
// says here where it belongs.
type rule struct {
	may []string // of ours
	not []string // of others, by prefix; pure adds its list
	why string
}

// pureNot is what a pure package must not import: state it needs is passed in.
var pureNot = []string{
	"os", "net", "net/http", "database/sql", "os/exec", "syscall",
	"github.com/segmentio/kafka-go", "github.com/twmb", "github.com/redis", "github.com/jackc", "modernc.org/sqlite", "github.com/prometheus",
}

var decisionsWhy = "it decides and must stay pure: what decides must be testable and replayable without a broker, a clock or a disk"

var table = map[string]rule{
	"pkg/chunk":          {nil, append([]string{"golang.org/x"}, pureNot...), "the vocabulary: standard library only, so that both sides can speak it"},
	"pkg/provenance":     {[]string{"pkg/chunk"}, pureNot, "record kinds, canonical bytes, tree: pure, so that verification needs no store"},
	"pkg/view":           {[]string{"pkg/chunk"}, pureNot, decisionsWhy},
	"pkg/extract":        {nil, append([]string{"time"}, pureNot...), "it reads hostile documents: bytes in, text out, and budgets instead of clocks"},
	"corpus":             {[]string{"pkg/chunk"}, pureNot, "data with its loader; deciding is pkg/detect's"},
	"corpus/grammar":     {nil, pureNot, "data with its loader"},
	"corpus/names":       {nil, pureNot, "data with its loader"},
	"corpus/recognisers": {[]string{"pkg/chunk"}, pureNot, "data with its loader"},

	"pkg/detect":   {[]string{"pkg/chunk", "pkg/view", "corpus"}, pureNot, decisionsWhy},
	"pkg/classify": {[]string{"pkg/chunk", "pkg/view", "corpus", "corpus/names", "corpus/recognisers", "internal/tagger"}, pureNot, decisionsWhy},
	"pkg/guard":    {[]string{"pkg/chunk", "pkg/view"}, pureNot, decisionsWhy},
	"pkg/cite":     {[]string{"pkg/chunk"}, pureNot, decisionsWhy},
	"pkg/fence":    {[]string{"pkg/chunk", "pkg/view"}, pureNot, decisionsWhy},

	"internal/tagger":     {[]string{"corpus/names"}, pureNot, "a model with its features: it finds names in text and knows nothing of what is done with them"},
	"internal/strictjson": {nil, pureNot, "a parser"},
	"internal/webhook":    {nil, []string{"os", "net", "database/sql"}, "signatures: pure functions of headers, body, secrets and a time"},
	"internal/problem":    {nil, nil, "how every HTTP answer looks; it knows no handler"},
	"internal/keys":       {[]string{"pkg/chunk"}, nil, "key material"},
	"internal/evidence":   {[]string{"pkg/chunk", "internal/keys"}, nil, "a store: it knows nothing of decisions"},
	"internal/ledger":     {[]string{"pkg/chunk", "pkg/provenance"}, nil, "a store: it knows nothing of decisions"},
	"internal/runstate":   {[]string{"pkg/chunk"}, nil, "a cache: the truth is the ledger's"},
	"internal/broker":     {nil, nil, "an embedded server: it knows nothing of ours"},
	"internal/outbound":   {nil, nil, "the one way out to the world: it knows nothing of who asks"},
	"internal/stage":      {[]string{"pkg/chunk", "pkg/provenance", "internal/ledger", "deploy"}, []string{}, "the stream: it knows nothing of decisions, which are handed to it as a function"},

	"internal/config":    {[]string{"pkg/chunk", "pkg/cite", "pkg/classify", "pkg/guard"}, nil, "reads the registries that the decisions compile"},
	"internal/door":      {[]string{"pkg/chunk", "pkg/provenance", "pkg/classify", "pkg/extract", "internal/ledger", "internal/evidence", "internal/stage", "internal/problem", "internal/strictjson", "internal/webhook"}, nil, "the one way in"},
	"internal/citations": {[]string{"pkg/chunk", "pkg/cite", "internal/outbound"}, nil, "asks sources of record; what follows from their answers is for others"},
	"internal/review":    {[]string{"pkg/chunk", "pkg/provenance", "pkg/cite", "pkg/classify", "pkg/view", "pkg/fence", "pkg/guard", "pkg/detect", "internal/ledger", "internal/evidence", "internal/runstate", "internal/stage", "internal/strictjson", "internal/citations"}, nil, "the queue of what waits for a person"},
	"internal/api":       {[]string{"pkg/chunk", "pkg/provenance", "pkg/cite", "pkg/classify", "pkg/detect", "pkg/guard", "pkg/fence", "pkg/view", "internal/ledger", "internal/evidence", "internal/runstate", "internal/review", "internal/problem", "internal/strictjson", "internal/stage", "internal/door", "internal/citations", "internal/fetch"}, nil, "HTTP"},
	"internal/fetch":     {[]string{"pkg/guard", "internal/outbound"}, []string{"os/exec", "database/sql"}, "the way out: it reaches outside under limits and knows nothing of what is done with what it got"},
	"deploy":             {nil, nil, "declarations that programs and people read"},

	"internal/app": {[]string{"*"}, nil, "the wiring: the only place that sees both sides"},
	"cmd/stoplog":  {[]string{"internal/app"}, nil, "mains stay thin"},
	"cmd/ingest":   {[]string{"internal/app"}, nil, "mains stay thin"},
	"cmd/detector": {[]string{"internal/app"}, nil, "mains stay thin"},
	"cmd/egress":   {[]string{"internal/app"}, nil, "mains stay thin"},
}

// outside are packages that no shipped package imports: training, evaluation,
// generators, test suites and benchmarks. They may import anything of ours.
var outside = []string{"bench/", "corpus/train", "corpus/tagger", "corpus/gen", "/gen", "test"}

type listed struct {
	ImportPath string
	Dir        string
	Imports    []string
	Doc        string
	GoFiles    []string
	Name       string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,Doc,GoFiles,Name", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var ps []listed
	d := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	if len(ps) < 10 {
		t.Fatalf("go list found %d packages only", len(ps))
	}
	return ps
}

func isOutside(name string) bool {
	for _, o := range outside {
		if strings.HasPrefix(name, o) || strings.HasSuffix(name, o) {
			return true
		}
	}
	return false
}

func TestImportTable(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if len(p.GoFiles) == 0 || name == strings.TrimSuffix(module, "/") || isOutside(name) {
			continue
		}
		r, ok := table[name]
		if !ok {
			t.Errorf("%s is not in the table of deps_test.go: say where it belongs and why", name)
			continue
		}
		seen[name] = true
		for _, imp := range p.Imports {
			if ours, ok := strings.CutPrefix(imp, module); ok {
				if !allowed(r.may, ours) {
					t.Errorf("%s imports %s: not allowed (%s)", name, ours, r.why)
				}
				continue
			}
			for _, n := range r.not {
				if imp == n || strings.HasPrefix(imp, n+"/") && n != "os" && n != "net" {
					t.Errorf("%s imports %s: not allowed (%s)", name, imp, r.why)
				}
			}
		}
	}
	var missing []string
	for name := range table {
		if !seen[name] {
			missing = append(missing, name)
		}
	}
	sort.Strings(missing)
	if len(missing) > 0 {
		t.Errorf("in the table but not in the tree: %v", missing)
	}
}

func allowed(may []string, ours string) bool {
	for _, m := range may {
		if m == "*" || m == ours {
			return true
		}
	}
	return false
}

// excused are files of pure packages that read a clock, each with its reason.
var excused = map[string]bool{
	filepath.Join("pkg", "detect", "compile.go"): true, // times each rule on hostile text when a set is loaded, and refuses one below the floor
}

// Pure packages read no clock and start no goroutine.
func TestDecisionsArePure(t *testing.T) {
	checked := 0
	for name, r := range table {
		if r.why != decisionsWhy && name != "pkg/chunk" && name != "pkg/provenance" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(name), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(b), "//go:build ignore") {
				continue
			}
			checked++
			for i, line := range strings.Split(string(b), "\n") {
				code, _, _ := strings.Cut(line, "//")
				for _, bad := range []string{"time.Now(", "time.Since(", "time.Sleep(", "rand.", "\tgo func", "\tgo "} {
					if strings.Contains(code, bad) && !strings.Contains(code, `"`) && !excused[f] {
						t.Errorf("%s:%d: %q in a pure package", f, i+1, strings.TrimSpace(bad))
					}
				}
			}
		}
	}
	if checked < 20 {
		t.Fatalf("checked %d files only", checked)
	}
}

// Every package says what it is for, once; mains stay thin.
func TestPackageDocsAndThinMains(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.GoFiles) == 0 {
			continue
		}
		if p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
		if p.Name == "main" && strings.HasPrefix(strings.TrimPrefix(p.ImportPath, module), "cmd/") {
			for _, f := range p.GoFiles {
				b, err := os.ReadFile(filepath.Join(p.Dir, f))
				if err != nil {
					t.Fatal(err)
				}
				if n := strings.Count(string(b), "\n"); n > 80 {
					t.Errorf("%s/%s has %d lines: mains stay under 80", p.ImportPath, f, n)
				}
			}
		}
	}
}
