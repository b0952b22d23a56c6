package ledger

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

//go:embed migrations
var migrations embed.FS

// sqliteDSN names the pragmas of every connection. recursive_triggers matters:
// without it INSERT OR REPLACE deletes rows past the delete triggers.
func sqliteDSN(path string, readOnly bool) string {
	q := url.Values{}
	for _, p := range []string{"busy_timeout(10000)", "recursive_triggers(1)", "synchronous(FULL)", "foreign_keys(1)", "trusted_schema(0)"} {
		q.Add("_pragma", p)
	}
	if readOnly {
		q.Set("mode", "ro")
		q.Add("_pragma", "query_only(1)")
	} else {
		q.Add("_pragma", "journal_mode(WAL)")
		q.Set("_txlock", "immediate")
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}).String() + "?" + q.Encode()
}

// OpenSQLite opens the ledger in a file, and makes it when there is none. The
// file is readable to its owner alone. One process at a time may write.
func OpenSQLite(ctx context.Context, path string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("ledger: cannot make the directory: %w", err)
	}
	// SQLite would make the file readable to all; its journals inherit the mode.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("ledger: cannot make the database: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("ledger: cannot make the database: %w", err)
	}
	w, err := sql.Open("sqlite", sqliteDSN(path, false))
	if err != nil {
		return nil, wrap("open", err)
	}
	w.SetMaxOpenConns(1) // SQLite has one writer; waiting here is fairer than its busy handler
	r, err := sql.Open("sqlite", sqliteDSN(path, false)+"&_pragma=query_only(1)")
	if err != nil {
		_ = w.Close()
		return nil, wrap("open", err)
	}
	r.SetMaxOpenConns(4)
	s := &Store{d: dialectSQLite, w: w, r: r, closers: []func() error{r.Close, w.Close}}
	if err := s.migrateSQLite(ctx); err != nil {
		_ = r.Close()
		_ = w.Close()
		return nil, err
	}
	return s.start(), nil
}

// OpenSQLiteReadOnly opens an existing ledger for reading, beside a process that
// writes it.
func OpenSQLiteReadOnly(ctx context.Context, path string) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("ledger: no database: %w", err)
	}
	r, err := sql.Open("sqlite", sqliteDSN(path, true))
	if err != nil {
		return nil, wrap("open", err)
	}
	r.SetMaxOpenConns(4)
	s := &Store{d: dialectSQLite, w: r, r: r, readOnly: true, closers: []func() error{r.Close}}
	var version int
	if err := r.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		_ = r.Close()
		return nil, wrap("open", err)
	}
	if version != sqliteVersion() {
		_ = r.Close()
		return nil, fmt.Errorf("ledger: the database has schema %d, this program reads %d", version, sqliteVersion())
	}
	return s.start(), nil
}

// sqliteSteps lists the migrations in order; the schema version is their number.
func sqliteSteps() []string {
	files, err := migrations.ReadDir("migrations/sqlite")
	if err != nil {
		panic(err) // embedded
	}
	var steps []string
	for _, f := range files {
		b, err := migrations.ReadFile("migrations/sqlite/" + f.Name())
		if err != nil {
			panic(err)
		}
		steps = append(steps, string(b))
	}
	return steps
}

func sqliteVersion() int { return len(sqliteSteps()) }

func (s *Store) migrateSQLite(ctx context.Context) error {
	return s.writeTx(ctx, "migrate", func(t *tx) error {
		var version int
		if err := t.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		steps := sqliteSteps()
		if version > len(steps) {
			return &dbError{op: "migrate", code: "newer schema"}
		}
		for i := version; i < len(steps); i++ {
			if _, err := t.ExecContext(ctx, steps[i]); err != nil {
				return err
			}
			if _, err := t.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", i+1)); err != nil {
				return err
			}
		}
		return nil
	})
}
