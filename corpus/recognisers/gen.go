//go:build ignore

// Gen converts the rule file of a gitleaks release into gitleaks.json, the compact
// form that pkg/classify loads. Run it with go generate after changing version.
// With -check it only says whether a newer release is out, and fails if one is.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	module  = "github.com/zricethezav/gitleaks/v8"
	version = "v8.30.1"
)

type allow struct {
	Target    string   `json:"target,omitempty"` // match, line; empty: the secret
	And       bool     `json:"and,omitempty"`
	Regexes   []string `json:"regexes,omitempty"`
	Stopwords []string `json:"stopwords,omitempty"`
}

type rule struct {
	ID       string   `json:"id"`
	Regex    string   `json:"regex"`
	Entropy  float64  `json:"entropy,omitempty"`
	Group    int      `json:"group,omitempty"`
	Keywords []string `json:"keywords"`
	Allow    []allow  `json:"allow,omitempty"`
}

func main() {
	log.SetFlags(0)
	dir, err := os.MkdirTemp("", "rules")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module rules\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	if len(os.Args) > 1 && os.Args[1] == "-check" {
		cmd := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module+"@latest")
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			log.Fatal("go list: ", err)
		}
		if latest := strings.TrimSpace(string(out)); latest != version {
			log.Fatalf("%s %s is out; these rules are of %s", module, latest, version)
		}
		fmt.Printf("%s %s is the newest release\n", module, version)
		return
	}
	cmd := exec.Command("go", "mod", "download", "-json", module+"@"+version)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		log.Fatal("module download: ", err)
	}
	var mod struct{ Dir, Sum string }
	if err := json.Unmarshal(out, &mod); err != nil {
		log.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(mod.Dir, "config", "gitleaks.toml"))
	if err != nil {
		log.Fatal(err)
	}
	doc := struct {
		Source  string  `json:"source"`
		Version string  `json:"version"`
		Sum     string  `json:"sum"`
		Licence string  `json:"licence"`
		Allow   []allow `json:"allow"`
		Rules   []rule  `json:"rules"`
	}{Source: module + " config/gitleaks.toml", Version: version, Sum: mod.Sum, Licence: "MIT, Copyright (c) 2019 Zachary Rice"}
	var cur *rule
	var al *allow
	global := &allow{}
	section := ""
	for _, e := range parse(string(src)) {
		if e.section != "" {
			section = e.section
			switch section {
			case "rules":
				doc.Rules = append(doc.Rules, rule{})
				cur = &doc.Rules[len(doc.Rules)-1]
			case "rules.allowlists":
				cur.Allow = append(cur.Allow, allow{})
				al = &cur.Allow[len(cur.Allow)-1]
			case "allowlist":
				al = global
			default:
				log.Fatalf("unknown section %q", section)
			}
			continue
		}
		switch section + "." + e.key {
		case "rules.id":
			cur.ID = e.list[0]
		case "rules.regex":
			cur.Regex = e.list[0]
		case "rules.entropy":
			cur.Entropy, _ = strconv.ParseFloat(e.list[0], 64)
		case "rules.secretGroup":
			cur.Group, _ = strconv.Atoi(e.list[0])
		case "rules.keywords":
			cur.Keywords = e.list
		case "rules.allowlists.regexes", "allowlist.regexes":
			al.Regexes = e.list
		case "rules.allowlists.stopwords", "allowlist.stopwords":
			al.Stopwords = e.list
		case "rules.allowlists.regexTarget":
			al.Target = e.list[0]
		case "rules.allowlists.condition":
			al.And = strings.EqualFold(e.list[0], "and")
		case "rules.description", "rules.path", "rules.allowlists.description", "rules.allowlists.paths",
			"allowlist.description", "allowlist.paths", ".title", ".minVersion":
			// Paths say which file a finding is in; text that comes from a connector has none.
		default:
			log.Fatalf("unknown key %s.%s", section, e.key)
		}
	}
	doc.Allow = []allow{*global}
	kept := doc.Rules[:0]
	for _, r := range doc.Rules {
		var as []allow
		for _, a := range r.Allow {
			if len(a.Regexes)+len(a.Stopwords) > 0 {
				as = append(as, a)
			}
		}
		r.Allow = as
		if r.Regex != "" {
			kept = append(kept, r)
		}
	}
	doc.Rules = kept
	var b bytes.Buffer
	b.WriteString("{")
	enc := func(v any) string {
		var o bytes.Buffer
		e := json.NewEncoder(&o)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			log.Fatal(err)
		}
		return strings.TrimSpace(o.String())
	}
	fmt.Fprintf(&b, "\"source\":%s,\n\"version\":%s,\n\"sum\":%s,\n\"licence\":%s,\n\"allow\":%s,\n\"rules\":[\n",
		enc(doc.Source), enc(doc.Version), enc(doc.Sum), enc(doc.Licence), enc(doc.Allow))
	for i, r := range doc.Rules {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(enc(r))
	}
	b.WriteString("\n]}\n")
	if err := os.WriteFile("gitleaks.json", b.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("gitleaks.json: %d rules of %s %s\n", len(doc.Rules), module, version)
}

type entry struct {
	section string
	key     string
	list    []string
}

// parse reads the part of TOML that the rule file uses: tables, arrays of tables, and
// keys with strings, numbers or arrays of strings. Anything else stops it.
func parse(s string) []entry {
	var out []entry
	for len(s) > 0 {
		s = strings.TrimLeft(s, " \t\r\n")
		switch {
		case s == "":
		case s[0] == '#':
			_, s, _ = strings.Cut(s, "\n")
		case s[0] == '[':
			var line string
			line, s, _ = strings.Cut(s, "\n")
			out = append(out, entry{section: strings.Trim(strings.TrimSpace(line), "[]")})
		default:
			key, rest, ok := strings.Cut(s, "=")
			if !ok {
				log.Fatalf("no key at %.40q", s)
			}
			e := entry{key: strings.TrimSpace(key)}
			rest = strings.TrimLeft(rest, " \t")
			if strings.HasPrefix(rest, "[") {
				rest = rest[1:]
				for {
					rest = strings.TrimLeft(rest, " \t\r\n,")
					if strings.HasPrefix(rest, "#") {
						_, rest, _ = strings.Cut(rest, "\n")
						continue
					}
					if strings.HasPrefix(rest, "]") {
						rest = rest[1:]
						break
					}
					var v string
					v, rest = value(rest)
					e.list = append(e.list, v)
				}
			} else {
				var v string
				v, rest = value(rest)
				e.list = []string{v}
			}
			out, s = append(out, e), rest
		}
	}
	return out
}

func value(s string) (string, string) {
	for _, q := range []string{"'''", `"""`, "'", `"`} {
		if !strings.HasPrefix(s, q) {
			continue
		}
		if q == `"` {
			end := 1
			for ; end < len(s) && s[end] != '"'; end++ {
				if s[end] == '\\' {
					end++
				}
			}
			v, err := strconv.Unquote(s[:end+1])
			if err != nil {
				log.Fatalf("string at %.40q: %v", s, err)
			}
			return v, s[end+1:]
		}
		v, rest, ok := strings.Cut(s[len(q):], q)
		if !ok {
			log.Fatalf("string not closed at %.40q", s)
		}
		return v, rest
	}
	end := strings.IndexAny(s, "\n,]#")
	if end <= 0 {
		log.Fatalf("value at %.40q", s)
	}
	return strings.TrimSpace(s[:end]), s[end:]
}
