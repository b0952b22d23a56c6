package ledger_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/ledger/ledgertest"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Nobody changes the append-only tables, on the store's own kind of connection or
// on one that sets nothing. SPEC: PRV-1
func TestSQLiteForbidden(t *testing.T) {
	ctx := context.Background()
	b := ledgertest.SQLite(t)
	signer, key := ledgertest.Key(t, "ledger.example")
	for i := range 120 { // 240 records and more: a full tile
		d := ledgertest.Document("mail", i, 1, chunk.Public)
		if _, err := b.Store.Append(ctx, d.Accept(t), d.Clear(t, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := b.Store.Seal(ctx, signer); err != nil {
		t.Fatal(err)
	}
	own, err := sql.Open("sqlite", "file:"+b.DSN+"?_pragma=busy_timeout(10000)&_pragma=recursive_triggers(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	refused := 0
	for _, db := range []*sql.DB{own, b.Insider} {
		for _, q := range []string{
			"UPDATE record SET canon = x'00'",
			"UPDATE OR REPLACE record SET record_id = (SELECT record_id FROM record WHERE n = 1) WHERE n = 2",
			"DELETE FROM record WHERE n = 1",
			"DELETE FROM record",
			"INSERT OR REPLACE INTO record SELECT n, record_id, once, tenant, run, subject, kind, at, x'00', leaf FROM record WHERE n = 1",
			"REPLACE INTO record (record_id, tenant, run, subject, kind, at, canon, leaf) SELECT record_id, tenant, run, subject, kind, at, x'00', leaf FROM record WHERE n = 1",
			"REPLACE INTO record (record_id, once, tenant, run, subject, kind, at, canon, leaf) SELECT 'rec_x', once, tenant, run, subject, kind, at, x'00', leaf FROM record WHERE once <> '' LIMIT 1",
			"INSERT INTO record SELECT * FROM record WHERE n = 1 ON CONFLICT DO UPDATE SET canon = x'00'",
			"UPDATE leaf SET hash = x'00'",
			"DELETE FROM leaf",
			"INSERT OR REPLACE INTO leaf SELECT seq, record_id, x'00' FROM leaf WHERE seq = 0",
			"REPLACE INTO leaf SELECT 100000, record_id, x'00' FROM leaf WHERE seq = 0",
			"UPDATE tile SET root = x'00'",
			"DELETE FROM tile",
			"REPLACE INTO tile SELECT level, n, x'00', data FROM tile",
			"UPDATE checkpoint SET note = x'00'",
			"DELETE FROM checkpoint",
			"REPLACE INTO checkpoint SELECT size, x'00', at, last_n FROM checkpoint",
		} {
			if _, err := db.Exec(q); err == nil || !strings.Contains(err.Error(), "append-only") {
				t.Errorf("%s: %v", q, err)
				continue
			}
			refused++
		}
	}
	if refused != 2*18 {
		t.Errorf("%d statements refused", refused)
	}
	v, err := b.Store.Verify(ctx, nil, verifiers(key), func(p provenance.Problem) { t.Error(p) })
	if err != nil || v.Tiles == 0 {
		t.Errorf("%+v %v", v, err)
	}
}

// A store that is opened for reading writes nothing, and needs no writer beside it.
func TestSQLiteReadOnly(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "ledger.db")
	if _, err := ledger.OpenSQLiteReadOnly(ctx, path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	s, err := ledger.OpenSQLite(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	d := ledgertest.Document("mail", 1, 1, chunk.Public)
	if _, err := s.Append(ctx, d.Accept(t)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := ledger.OpenSQLiteReadOnly(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Run(ctx, d.Event.Run); err != nil {
		t.Error(err)
	}
	if _, err := r.Append(ctx, d.Accept(t)); !errors.Is(err, ledger.ErrReadOnly) {
		t.Error(err)
	}
	if _, err := r.BumpAttempts(ctx, "g", "t", 0, 0, 0); !errors.Is(err, ledger.ErrReadOnly) {
		t.Error(err)
	}
	signer, _ := ledgertest.Key(t, "ledger.example")
	if _, _, err := r.Seal(ctx, signer); !errors.Is(err, ledger.ErrReadOnly) {
		t.Error(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.OpenSQLiteReadOnly(ctx, other); !errors.Is(err, ledger.ErrSchema) {
		t.Error(err)
	}
	if err := os.WriteFile(other, []byte("this is not a database, and it is long enough to be looked at"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.OpenSQLite(ctx, other); err == nil || errors.Is(err, ledger.ErrUnavailable) {
		t.Error(err)
	}
}

const childEnv = "STOPLOG_LEDGER_TEST_CHILD"

// TestChild is the process that other tests start, to kill it or to read beside it.
func TestChild(t *testing.T) {
	what, dsn, _ := strings.Cut(os.Getenv(childEnv), " ")
	ctx := context.Background()
	switch what {
	case "append":
		open := ledger.OpenSQLite
		if strings.HasPrefix(dsn, "postgres") {
			open = ledger.OpenPostgres
		}
		s, err := open(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		signer, _ := ledgertest.Key(t, "ledger.example")
		go func() {
			_ = s.RunSealer(ctx, signer, 2*time.Millisecond, nil)
		}()
		for w := range 4 {
			go func() {
				for i := 0; ; i++ {
					d := ledgertest.Document(fmt.Sprintf("child-%d-%d", os.Getpid(), w), i, 2, chunk.Internal)
					if _, err := s.Append(ctx, d.Accept(t)); err != nil {
						fmt.Println("error", err)
						return
					}
					fmt.Println("acked", d.Event.ID) // one write: the parent reads whole lines
				}
			}()
		}
		select {}
	case "verify":
		s, err := ledger.OpenSQLiteReadOnly(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		_, key := ledgertest.Key(t, "ledger.example")
		v, err := s.Verify(ctx, nil, verifiers(key), func(p provenance.Problem) { t.Error(p) })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Audit(ctx, 1e6*time.Hour, func(p provenance.Problem) { t.Error(p) }); err != nil {
			t.Fatal(err)
		}
		if v.Size == 0 {
			t.Error("nothing verified")
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	default:
		t.Skip("started by other tests only: " + childEnv + " is not set")
	}
}

func child(what, dsn string) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.timeout=2m")
	c.Env = append(os.Environ(), childEnv+"="+what+" "+dsn)
	return c
}

// killed starts appending processes one after the other and kills each with
// SIGKILL in the middle; what was acknowledged is there. SPEC: PRV-9
func killed(t *testing.T, dsn string, store func() *ledger.Store) {
	ctx := context.Background()
	_, key := ledgertest.Key(t, "ledger.example")
	total := 0
	for round := range 4 {
		c := child("append", dsn)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		var acked []chunk.ID
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if id, ok := strings.CutPrefix(lines.Text(), "acked "); ok {
				acked = append(acked, chunk.ID(id))
			} else if strings.HasPrefix(lines.Text(), "error") {
				t.Error(lines.Text())
			}
			if len(acked) == 150+round*37 {
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := c.Wait(); err == nil {
			t.Fatal("the child was not killed")
		}
		s := store()
		missing := 0
		for _, id := range acked {
			if _, err := s.EventByID(ctx, id); err != nil {
				missing++
			}
		}
		if missing > 0 || len(acked) < 150 {
			t.Errorf("%d of %d acknowledged documents are gone", missing, len(acked))
		}
		total += len(acked)
		v, err := s.Verify(ctx, nil, verifiers(key), func(p provenance.Problem) { t.Error(p) })
		if err != nil || v.Size == 0 {
			t.Errorf("%+v %v", v, err)
		}
		r, err := s.Audit(ctx, 1e6*time.Hour, func(p provenance.Problem) { t.Error(p) })
		if err != nil || r.Documents < int64(total) || r.Chunks != 2*r.Documents {
			t.Errorf("%+v %v", r, err)
		}
	}
	t.Logf("%d acknowledged documents over 4 kills, none lost", total)
}

func TestSQLiteKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	killed(t, path, func() *ledger.Store {
		s, err := ledger.OpenSQLite(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	})
}

// Another process verifies and audits while this one writes and seals.
func TestSQLiteTwoProcesses(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := ledgertest.SQLite(t)
	signer, _ := ledgertest.Key(t, "ledger.example")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ctx.Err() == nil; i++ {
			d := ledgertest.Document("mail", i, 2, chunk.Public)
			if _, err := b.Store.Append(context.Background(), d.Accept(t), d.Clear(t, 0)); err != nil {
				t.Error(err)
			}
			if _, _, err := b.Store.Seal(context.Background(), signer); err != nil {
				t.Error(err)
			}
		}
	}()
	for {
		if c, err := b.Store.LastCheckpoint(ctx); err == nil && c.Size > 30 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	for range 3 {
		if out, err := child("verify", b.DSN).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	cancel()
	<-done
}
