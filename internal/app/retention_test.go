package app

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// SPEC: PRV-8
//
// A running server applies the declared retention: what is older is erased and
// recorded, what is under legal hold or younger than the minimum stays.
func TestAServerAppliesItsRetention(t *testing.T) {
	dir := starter(t)
	p, stop := startServer(t, dir)
	in := `{"id":"a","text":"The ferry leaves at ten."}` + "\n" + `{"id":"b","text":"The ferry comes back at six."}` + "\n"
	if code, out, errs := command(t, in, "load", "jsonl", "web", "--workers", "1", "--data", dir, "--url", p.URL()); code != exitOK {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	runs := settledRuns(t, p)["web"]
	if len(runs) != 2 {
		t.Fatalf("%d runs", len(runs))
	}
	stop()
	mustRun(t, "hold", "set", string(runs[0]), "--reason", "litigation", "--data", dir)

	for _, minimum := range []time.Duration{time.Hour, 0} {
		cfg, err := config.Load(filepath.Join(dir, config.FileName))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Retention = config.Retention{Evidence: time.Nanosecond, Minimum: minimum}
		p, err := Start(context.Background(), Options{Data: dir, Config: cfg, Listen: "127.0.0.1:0"})
		if err != nil {
			t.Fatal(err)
		}
		p.r.retainOnce(context.Background()) // and not only when the loop comes to it
		var erased []chunk.ID
		records, err := p.r.store.Records(context.Background(), ledger.RecordFilter{Kind: provenance.KindRetention})
		for _, r := range records {
			erased = append(erased, r.Record.Subject)
			if !strings.HasPrefix(r.Record.Actor, "stage:") {
				t.Errorf("actor %s", r.Record.Actor)
			}
		}
		if want := map[bool]int{true: 0, false: 1}[minimum > 0]; err != nil || len(erased) != want || want == 1 && erased[0] != runs[1] {
			t.Errorf("minimum %s: %v erased, %v; want %d", minimum, erased, err, want)
		}
		for i, run := range runs {
			scope, err := p.r.vault.Scope(context.Background(), run)
			if want := minimum == 0 && i == 1; err != nil || scope.Erased != want {
				t.Errorf("minimum %s, run %d: %+v, %v", minimum, i, scope, err)
			}
		}
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, "ledger", "verify", "--data", dir)
}
