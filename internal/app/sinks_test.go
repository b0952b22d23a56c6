package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/guard"
)

// withSinks writes a starter configuration with further lines for its sinks.
func withSinks(t *testing.T, sinks string) (path string) {
	t.Helper()
	path = filepath.Join(starter(t), config.FileName)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("\nsinks:\n" + sinks); err != nil {
		t.Fatal(err)
	}
	return path
}

// SPEC: EGR-1, EGR-4, RED-4
//
// The configuration gives sinks ceilings of their own: what is above one does not go
// there, whatever the tool may take, and memory takes what is at or below it.
func TestSinksOfTheConfiguration(t *testing.T) {
	path := withSinks(t, "  - {id: guest-mail, data_class_ceiling: restricted}\n  - {id: team-wiki, data_class_ceiling: internal}\n")
	p, _ := startServer(t, filepath.Dir(path))
	b, err := json.Marshal(map[string]string{"id": "page", "text": "The garden is lovely in May."})
	if err != nil {
		t.Fatal(err)
	}
	if code, out, errs := command(t, string(b), "load", "jsonl", "web", "--data", filepath.Dir(path), "--url", p.URL()); code != exitOK {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	run := settledRuns(t, p)["web"][0]
	token, err := os.ReadFile(config.TokenFile(filepath.Dir(path), "agent"))
	if err != nil {
		t.Fatal(err)
	}
	remember := func(sink, text string) (status int, body string) {
		b, err := json.Marshal(map[string]string{"space": guard.CrossRun, "text": text, "sink": sink})
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(context.Background(), "POST", p.URL()+"/v1/runs/"+string(run)+"/memory", bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		out, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(out)
	}
	card := "Her card is 4111 1111 1111 1111."
	if status, body := remember("team-wiki", "The garden opens in May."); status != http.StatusOK || !strings.Contains(body, `"decision":"allow"`) {
		t.Errorf("at the sink's ceiling: %d %s", status, body)
	}
	for sink, text := range map[string]string{"team-wiki": card, "calendar": "The garden opens in May."} {
		if status, body := remember(sink, text); status != http.StatusForbidden || !strings.Contains(body, string(chunk.FailSinkUnauthorised)) {
			t.Errorf("%s: %d %s", sink, status, body)
		}
	}
	stub := guard.Stub{Name: "GUEST_EMAIL", Class: chunk.PII, Sinks: []string{"guest-mail"}}
	if p.r.guard.MayResolve("gmail-guest-draft", "guest-mail", stub) {
		t.Error("a stub above the sink's ceiling resolves there")
	}
	if stub.Class = chunk.Restricted; !p.r.guard.MayResolve("gmail-guest-draft", "guest-mail", stub) {
		t.Error("a stub at the sink's ceiling does not resolve there")
	}
	plain, _ := pipeline(t, nil) // without sinks of its own
	if stub.Class = chunk.PII; !plain.r.guard.MayResolve("gmail-guest-draft", "guest-mail", stub) {
		t.Error("without sinks the field alone decides, as before")
	}
}

// A faulty list of sinks is refused as a whole, with the place of each fault.
func TestFaultySinksAreRefused(t *testing.T) {
	for fault, lines := range map[string]string{
		"sinks[1] (wiki): id: used twice":              "  - {id: wiki, data_class_ceiling: internal}\n  - {id: wiki, data_class_ceiling: pii}\n",
		"sinks[0] (wiki): data_class_ceiling: missing": "  - {id: wiki}\n",
		"sinks[0] (Wiki!): id: want 1 to 64":           "  - {id: Wiki!, data_class_ceiling: internal}\n",
	} {
		path := withSinks(t, lines)
		code, out, errs := command(t, "", "config", "check", path)
		if code != exitProblem || !strings.Contains(out+errs, fault) {
			t.Errorf("want %q: exit %d\n%s%s", fault, code, out, errs)
		}
		cfg, err := config.Load(path)
		if err == nil {
			_, err = Start(context.Background(), Options{Data: filepath.Dir(path), Config: cfg, Listen: "127.0.0.1:0"})
		}
		if err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("started with %q: %v", fault, err)
		}
	}
}
