// Package ledgertest is the suite that every database behind the ledger passes,
// and the means for other packages to test against a real one.
package ledgertest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bytes"

	_ "github.com/jackc/pgx/v5/stdlib" // the insider's connection
	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/internal/ledger"
)

// PostgresEnv names the variable with the connection string of a superuser of a
// Postgres for tests, for example postgres://postgres@127.0.0.1:5432/postgres.
const PostgresEnv = "STOPLOG_TEST_POSTGRES"

// Backend is one fresh, empty ledger.
type Backend struct {
	Store *ledger.Store
	// Another opens the same ledger again, as another process would: for writing on
	// Postgres, for reading on SQLite.
	Another func(testing.TB) *ledger.Store
	// Insider is somebody who can do anything to the tables.
	Insider *sql.DB
	// Unguard takes the triggers away, as only an insider can.
	Unguard func(testing.TB)
	// DSN is the writer's connection string, or the path of the file.
	DSN string
	// Postgres or SQLite.
	Postgres bool
}

// SQLite gives a ledger in a temporary file.
func SQLite(t testing.TB) Backend {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	s, err := ledger.OpenSQLite(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, s) })
	insider, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = insider.Close() })
	return Backend{
		Store: s, DSN: path, Insider: insider,
		Another: func(t testing.TB) *ledger.Store {
			t.Helper()
			r, err := ledger.OpenSQLiteReadOnly(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { closeStore(t, r) })
			return r
		},
		Unguard: func(t testing.TB) {
			t.Helper()
			for _, table := range []string{"record", "leaf", "tile", "checkpoint"} {
				for _, op := range []string{"insert", "update", "delete"} {
					exec(t, insider, fmt.Sprintf("DROP TRIGGER IF EXISTS %s_%s", table, op))
				}
			}
		},
	}
}

// Postgres gives a ledger in a new database of the server that [PostgresEnv]
// names, and skips the test when it names none. The store signs in as a login that
// is a member of stoplog_writer and stoplog_sealer and of nothing else.
func Postgres(t testing.TB) Backend {
	t.Helper()
	admin := os.Getenv(PostgresEnv)
	if admin == "" {
		t.Skip("no Postgres to test against: " + PostgresEnv + " is not set")
	}
	ctx := context.Background()
	root := openPostgres(t, admin)
	name := fmt.Sprintf("stoplog_test_%d_%d", os.Getpid(), time.Now().UnixNano())
	exec(t, root, "CREATE DATABASE "+name)
	t.Cleanup(func() { exec(t, root, "DROP DATABASE "+name+" WITH (FORCE)") })
	ownerDSN := withDatabase(t, admin, name, "")
	if err := ledger.MigratePostgres(ctx, ownerDSN); err != nil {
		t.Fatal(err)
	}
	insider := openPostgres(t, ownerDSN)
	exec(t, insider, `DO $$ BEGIN
		IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'stoplog_test_app') THEN
			CREATE ROLE stoplog_test_app LOGIN NOINHERIT;
		END IF;
	EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`)
	exec(t, insider, "GRANT stoplog_writer, stoplog_sealer TO stoplog_test_app")
	exec(t, insider, "SET search_path = stoplog")
	dsn := withDatabase(t, admin, name, "stoplog_test_app")
	open := func(t testing.TB) *ledger.Store {
		t.Helper()
		s, err := ledger.OpenPostgres(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closeStore(t, s) })
		return s
	}
	return Backend{
		Store: open(t), Another: open, Insider: insider, DSN: dsn, Postgres: true,
		Unguard: func(t testing.TB) {
			t.Helper()
			for _, table := range []string{"record", "leaf", "tile", "checkpoint", "run", "chunk", "event"} {
				exec(t, insider, "ALTER TABLE "+table+" DISABLE TRIGGER ALL")
			}
		},
	}
}

func openPostgres(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // so that what a test sets for a session holds
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func withDatabase(t testing.TB, dsn, name, user string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil || u.Host == "" {
		t.Fatalf("%s must be a postgres:// URL", PostgresEnv)
	}
	u.Path = "/" + name
	if user != "" {
		u.User = url.User(user)
	}
	return u.String()
}

func closeStore(t testing.TB, s *ledger.Store) {
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func exec(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// Key gives a signing key that follows from its name, for tests alone.
func Key(t testing.TB, name string) (note.Signer, note.Verifier) {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	skey, vkey, err := note.GenerateKey(bytes.NewReader(seed[:]), name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := note.NewSigner(skey)
	if err != nil {
		t.Fatal(err)
	}
	v, err := note.NewVerifier(vkey)
	if err != nil {
		t.Fatal(err)
	}
	return s, v
}
