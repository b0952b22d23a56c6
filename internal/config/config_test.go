package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func starterIn(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path, err := WriteStarter(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return dir, path
}

func TestStarterPassesItsOwnSchemaAndCheck(t *testing.T) {
	dir, path := starterIn(t)
	c, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Sources) < 5 || len(c.Tools) < 3 || len(c.Tokens) < 5 {
		t.Fatalf("the starter is thin: %d sources, %d tools, %d tokens", len(c.Sources), len(c.Tools), len(c.Tokens))
	}
	for _, s := range c.Sources {
		if s.Signature == nil {
			continue
		}
		if _, err := c.Secret(s.Signature.Secrets[0]); err != nil {
			t.Errorf("source %s: %v", s.ID, err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := yaml.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	j, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	inst, err := jsonschema.UnmarshalJSON(bytes.NewReader(j))
	if err != nil {
		t.Fatal(err)
	}
	schemaDoc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	comp := jsonschema.NewCompiler()
	if err := comp.AddResource("schema.json", schemaDoc); err != nil {
		t.Fatal(err)
	}
	sch, err := comp.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := sch.Validate(inst); err != nil {
		t.Error(err)
	}

	for _, name := range []string{"admin", "connector", "agent", "reviewer", "privacy", "auditor"} {
		fi, err := os.Stat(TokenFile(dir, name))
		if err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("token %s: %v, mode %v", name, err, fi.Mode())
		}
	}
	if _, err := WriteStarter(dir, ""); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second starter: %v, want fs.ErrExist", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteStarter(dir, ""); err != nil { // cut off after the tokens, before the file
		t.Errorf("a starter over kept secrets: %v", err)
	}
}

// The schema and the structs must name the same keys at every level.
func TestSchemaNamesTheSameKeys(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(Schema, &root); err != nil {
		t.Fatal(err)
	}
	compared := 0
	var walk func(path string, typ reflect.Type, s map[string]any)
	walk = func(path string, typ reflect.Type, s map[string]any) {
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if typ.Kind() == reflect.Slice {
			items, _ := s["items"].(map[string]any)
			walk(path+"[]", typ.Elem(), items)
			return
		}
		if typ.Kind() != reflect.Struct || s["properties"] == nil {
			return
		}
		props := s["properties"].(map[string]any)
		var inSchema, inStruct []string
		for k := range props {
			inSchema = append(inSchema, k)
		}
		for i := 0; i < typ.NumField(); i++ {
			f := typ.Field(i)
			if !f.IsExported() {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			inStruct = append(inStruct, name)
			if sub, ok := props[name].(map[string]any); ok {
				walk(path+"."+name, f.Type, sub)
			}
		}
		sort.Strings(inSchema)
		sort.Strings(inStruct)
		if d := cmp.Diff(inStruct, inSchema); d != "" {
			t.Errorf("%s: struct and schema differ (-struct +schema):\n%s", path, d)
		}
		compared++
	}
	walk("", reflect.TypeOf(Config{}), root)
	if compared < 10 {
		t.Fatalf("compared %d objects only", compared)
	}
}

func TestParseNamesWhatIsWrong(t *testing.T) {
	const ok = "version: 1\nsources:\n  - {id: a, data_class_ceiling: public}\n"
	if _, err := Parse([]byte(ok)); err != nil {
		t.Fatal(err)
	}
	cases := []struct{ name, in, want string }{
		{"unknown key", ok + "sorces: []\n", "line 4: field sorces is not a known key"},
		{"unknown nested key", "version: 1\nsources:\n  - {id: a, ceiling: pii}\n", "line 3: field ceiling is not a known key"},
		{"duplicate key", ok + "version: 1\n", `line 4: mapping key "version" already defined`},
		{"unknown key of a sink", ok + "sinks:\n  - {id: wiki, data_class_ceiling: internal, ceiling: pii}\n", "line 5: field ceiling is not a known key"},
		{"bad class of a sink", ok + "sinks:\n  - {id: wiki, data_class_ceiling: secret}\n", "unknown data class"},
		{"bad class", "version: 1\nsources:\n  - {id: a, data_class_ceiling: secret}\n", "unknown data class"},
		{"empty", "", "stoplog init"},
		{"two documents", ok + "---\nversion: 1\n", "one document only"},
		{"version", "version: 2\nsources:\n  - {id: a}\n", "version: want 1"},
		{"role", ok + "tokens:\n  - {name: x, roles: [root], sha256: " + strings.Repeat("a", 64) + "}\n", `unknown role "root"`},
		{"token without hash", ok + "tokens:\n  - {name: x, roles: [admin], sha256: secret}\n", "tokens[0].sha256"},
		{"source not registered", ok + "tokens:\n  - {name: x, roles: [admin], sources: [b], sha256: " + strings.Repeat("a", 64) + "}\n", `"b" is not a registered source`},
		{"execution without its source", ok + "execution: {source: b}\n", `execution.source: "b" is not a registered source`},
		{"execution: results would halt runs", ok + "execution: {source: a}\n", `execution.source: "a": want a collection`},
		{"execution: a limit is raised", ok + "execution: {source: a, network_timeout: 31s, file_timeout: 11s, total_timeout: 301s, requests_per_minute: 11, max_bytes: 655361, max_redirects: 6}\n", "execution.requests_per_minute: want at most 10"},
		{"execution: time", ok + "execution: {source: a, network_timeout: 31s}\n", "execution.network_timeout: want at most 30s"},
		{"execution: a credential in the file", ok + "execution: {source: a, search: {url: \"https://a.example/?q={query}\", authorization: Bearer x}}\n", "a credential does not belong in this file"},
		{"password in file", ok + "stores:\n  postgres: postgres://u:p@h/db\n", "does not belong in this file"},
	}
	for _, c := range cases {
		_, err := Parse([]byte(c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "config.") {
			t.Errorf("%s: the error shows a Go type: %v", c.name, err)
		}
	}
}

func TestSecretsAreReferences(t *testing.T) {
	t.Setenv("STOPLOG_TEST_SECRET", "x")
	c := &Config{}
	if v, err := c.Secret("env:STOPLOG_TEST_SECRET"); err != nil || v != "x" {
		t.Errorf("env: %q, %v", v, err)
	}
	for _, ref := range []string{"env:STOPLOG_TEST_UNSET", "file:/nonexistent", "plain"} {
		if _, err := c.Secret(ref); err == nil {
			t.Errorf("%s: no error", ref)
		}
	}
}
