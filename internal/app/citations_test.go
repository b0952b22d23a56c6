package app

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoplog/stoplog/internal/config"
)

// SPEC: QUA-8. Kinds of citations are configuration: what is wrong with one is said before
// anything starts, and what is declared is checked by the running server.
func TestCitationConfiguration(t *testing.T) {
	dir := t.TempDir()
	path, err := config.WriteStarter(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	starter, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(citations string) []string {
		t.Helper()
		write(config.FileName, string(starter)+citations)
		var out []string
		for _, err := range checkConfig(path) {
			out = append(out, err.Error())
		}
		return out
	}
	write("statutes.csv", "id,citation\n1,42 U.S.C. § 1983\n2,the civil code\n")
	write("permits.txt", "BL-0042\n")
	for _, c := range []struct{ text, want string }{
		{"citations:\n  kinds:\n    - {name: permit, pattern: '\\b(BL', register: {file: permits.txt}}\n", "citations.kinds[0] (permit).pattern: missing closing ): `\\b(BL`"},
		{"citations:\n  kinds:\n    - {name: permit, patern: 'BL'}\n", "field patern is not a known key"},
		{"citations:\n  per_text: 5000\n", "citations.per_text: want 1 to 1000"},
		{"citations:\n  kinds:\n    - {name: statute, builtin: statute, register: {file: statutes.csv, column: citation}}\n", "line 3: no citation of this kind"},
		{"citations:\n  kinds:\n    - {name: permit, pattern: 'BL', register: {file: absent.txt}}\n", "citations.kinds (permit).register:"},
		{"citations:\n  kinds:\n    - {name: g, builtin: grant-number, endpoint: {url: 'https://g.example.org/{value}', authorization: 'env:STOPLOG_TEST_UNSET'}}\n", "STOPLOG_TEST_UNSET is not set"},
	} {
		got := check(c.text)
		if len(got) != 1 || !strings.Contains(got[0], c.want) || strings.Contains(got[0], "civil code") {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
	write("statutes.csv", "id,citation\n1,42 U.S.C. § 1983\n")
	if got := check("citations:\n  kinds:\n    - {name: statute, builtin: statute, register: {file: statutes.csv, column: citation}}\n    - {name: permit, pattern: 'BL-\\d+', register: {file: permits.txt}}\n"); len(got) > 0 {
		t.Fatalf("%q", got)
	}
	cfg, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(t.Context(), Options{Data: dir, Config: cfg, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	token, err := os.ReadFile(config.TokenFile(dir, "agent"))
	if err != nil {
		t.Fatal(err)
	}
	body := postCitations(t, p.URL(), strings.TrimSpace(string(token)), `{"text":"42 U.S.C. § 1983 and 42 U.S.C. § 9999, permit BL-0042"}`)
	for _, want := range []string{
		`"value":"42 usc 1983","state":"resolved","reason":"register"`, `"value":"42 usc 9999","state":"hallucinated-citation","reason":"not-found"`,
		`"value":"BL-0042","state":"resolved","reason":"register"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}

func postCitations(t *testing.T, url, token, body string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url+"/v1/citations", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %v %s", resp.StatusCode, err, b)
	}
	return string(b)
}
