package app

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/stage"
)

func testEnv(t *testing.T) (*env, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	return &env{in: strings.NewReader(""), out: &out, err: os.Stderr, format: "text"}, &out
}

// SPEC: CLS-1, CLS-2, CLS-6, CLS-7, RED-1, RED-2, RED-4, DET-1, QUA-1, QUA-5, QUA-6, QUA-7, FEN-1, FEN-2, EGR-1, EGR-5, PRV-2, PRV-3, PRV-4, PRV-5, PRV-7, PRV-9
//
// The worked example of SPEC §9 on the embedded default: what `stoplog demo` shows.
func TestWorkedExample(t *testing.T) {
	e, out := testEnv(t)
	if err := runDemo(context.Background(), e, t.TempDir()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := out.String()
	if n := strings.Count(text, "  ✓ "); n < 20 || strings.Contains(text, "✗") {
		t.Fatalf("%d checks passed\n%s", n, text)
	}
}

// servers gives the stores of a configuration on the real servers that the
// environment names, with a database of its own, or skips.
func servers(t *testing.T) config.Stores {
	t.Helper()
	pg, broker, rd := os.Getenv("STOPLOG_TEST_POSTGRES"), os.Getenv("STOPLOG_TEST_KAFKA"), os.Getenv("STOPLOG_TEST_REDIS")
	if pg == "" || broker == "" || rd == "" {
		t.Skip("needs real servers: STOPLOG_TEST_POSTGRES, STOPLOG_TEST_KAFKA and STOPLOG_TEST_REDIS (make test-services starts them)")
	}
	u, err := url.Parse(pg)
	if err != nil {
		t.Fatal("STOPLOG_TEST_POSTGRES is not a URL")
	}
	admin, err := sql.Open("pgx", pg)
	if err != nil {
		t.Fatal(err)
	}
	name := "e2e_" + strconv.FormatUint(rand.Uint64(), 36)
	if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = admin.Exec("DROP DATABASE " + name + " WITH (FORCE)")
		_ = admin.Close()
	})
	u.Path = "/" + name
	ctx := context.Background()
	if err := errors.Join(ledger.MigratePostgres(ctx, u.String()), evidence.MigrateKeysPostgres(ctx, u.String())); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STOPLOG_E2E_POSTGRES", u.String())
	if !strings.Contains(rd, "://") {
		rd = "redis://" + rd
	}
	t.Setenv("STOPLOG_E2E_REDIS", rd)
	if _, err := applyTopics(ctx, stage.Kafka{Brokers: []string{broker}}, 1); err != nil {
		t.Fatal(err)
	}
	return config.Stores{Postgres: "env:STOPLOG_E2E_POSTGRES", Redis: "env:STOPLOG_E2E_REDIS", Kafka: []string{broker}, Replicas: 1}
}

// The same on Kafka, Postgres and Redis, with the three parts apart, as three
// processes would run: they share nothing but the servers, the keys and the evidence.
func TestWorkedExampleOnServersWithPartsApart(t *testing.T) {
	st := servers(t)
	ctx := context.Background()
	dir := t.TempDir()
	path, err := config.WriteStarter(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Stores = st
	cfg.Stores.Evidence = filepath.Join(dir, "evidence")
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	var apart []*running
	for i, p := range []parts{{egress: true}, {detector: true}, {ingest: true}} {
		data := dir // the egress part keeps the checkpoints beside the keys
		if i > 0 {
			data = filepath.Join(dir, p.String())
			cfg.Stores.Keys = filepath.Join(dir, "keys")
		}
		s, err := openSystem(ctx, cfg, data, log)
		if err != nil {
			t.Fatal(err)
		}
		r, err := start(ctx, s, p, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := r.stop(); err != nil {
				t.Error(err)
			}
		})
		if len(s.embedded) != 0 {
			t.Errorf("%s embeds %v", p, s.embedded)
		}
		apart = append(apart, r)
	}
	e, out := testEnv(t)
	egress, ingest := apart[0], apart[2]
	d := &demo{e: e, hooks: ingest.url, api: egress.url, store: egress.store, ring: egress.ring, dir: dir, ctx: ctx}
	if err := d.run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(out.String(), "  ✓ "); n < 20 {
		t.Fatalf("%d checks only", n)
	}
}

// SPEC: PRV-2, RED-4
//
// Whatever the demo's flow writes anywhere, no guest's value stands in it
// in the clear: not in the ledger's file, the key store, the broker's segments, the
// evidence files or the logs.
func TestNothingOfTheGuestLiesInTheClear(t *testing.T) {
	dir := t.TempDir()
	var logs bytes.Buffer
	e, out := testEnv(t)
	e.err = &logs
	if err := runDemo(context.Background(), e, dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	canaries := []string{"Mirela", "Sandoval", "mirela.sandoval@example.com", "7946 0958", "Tobin", "tobin.marsh@example.com", "Ignore all previous", "quiet at night"}
	searched := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasSuffix(path, casesFile) { // the corpus holds the attack's masked text, on purpose
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		searched++
		for _, c := range canaries {
			if bytes.Contains(b, []byte(c)) {
				t.Errorf("%s holds %q in the clear", strings.TrimPrefix(path, dir), c)
			}
			if j, _ := json.Marshal(c); bytes.Contains(b, j[1:len(j)-1]) {
				t.Errorf("%s holds %q as JSON", strings.TrimPrefix(path, dir), c)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if searched < 10 {
		t.Fatalf("searched %d files only", searched)
	}
	for _, c := range canaries {
		if strings.Contains(logs.String(), c) {
			t.Errorf("the log holds %q", c)
		}
	}
}
