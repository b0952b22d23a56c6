package app

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// SPEC: RED-5, PRV-2
//
// Whatever a log call is given, in whatever place, no secret and no identifying element
// gets out.
func TestLogsAreRedacted(t *testing.T) {
	secrets := []string{
		"ghp_" + "q7Zr2LmX9vBn4TcK8sWd1HfY6gJp3RtE5uAo", "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "AKIA" + "QYLPMN5HFIQR7XYA",
		"mirela.sandoval@example.com", "4111 1111 1111 1111", "postgres://app:hunter2secret@db.example.com:5432/app",
	}
	for _, format := range []string{"json", "text"} {
		var out bytes.Buffer
		log := logOptions{format: format, level: "debug"}.logger(&out)
		for _, s := range secrets {
			out.Reset()
			log.Info("value "+s, "plain", s, slog.Group("g", "inner", "x "+s), "error", errors.New("dial: "+s), "content", chunk.Content(s))
			log.With("bound", s).WithGroup("later").Error("message", "any", struct{ V string }{s})
			if got := out.String(); strings.Contains(got, s) || strings.Count(got, "\n") != 2 {
				t.Errorf("%s: the log shows %q:\n%s", format, s[:6]+"…", strings.ReplaceAll(got, s, "<SHOWN>"))
			}
		}
	}
	var out bytes.Buffer
	logOptions{format: "json", level: "info"}.logger(&out).Info("started", "url", "http://127.0.0.1:8420", "run", "run_74ep3ejoigenywjpcl4lv4ue2i", "count", 12)
	for _, kept := range []string{"started", "http://127.0.0.1:8420", "run_74ep3ejoigenywjpcl4lv4ue2i", "12"} {
		if !strings.Contains(out.String(), kept) {
			t.Errorf("the log lost %q: %s", kept, out.String())
		}
	}
}
