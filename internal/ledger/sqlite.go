package ledger

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

//go:embed migrations
var migrations embed.FS

type sqliteMode int

const (
	sqliteWrite    sqliteMode = iota
	sqliteRead                // reading beside the writing connection of the same process
	sqliteReadOnly            // reading a file that another process writes
)

// sqliteDSN names the pragmas of every connection. recursive_triggers matters:
// without it INSERT OR REPLACE deletes rows past the delete triggers.
func sqliteDSN(path string, mode sqliteMode) string {
	q := url.Values{}
	for _, p := range []string{"busy_timeout(10000)", "recursive_triggers(1)", "synchronous(FULL)", "foreign_keys(1)", "trusted_schema(0)"} {
		q.Add("_pragma", p)
	}
	switch mode {
	case sqliteWrite:
		q.Add("_pragma", "journal_mode(WAL)")
		q.Add("_pragma", "cache_size(-65536)") // 64 MiB: ids are random, and so are the pages they lie on
		q.Add("_pragma", "wal_autocheckpoint(4000)")
		q.Set("_txlock", "immediate") // a transaction that reads first must not fail when it comes to write
	case sqliteRead:
		q.Add("_pragma", "query_only(1)")
	case sqliteReadOnly:
		q.Set("mode", "ro")
		q.Add("_pragma", "query_only(1)")
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
	if err := errors.Join(f.Close(), syncDir(filepath.Dir(path))); err != nil {
		return nil, fmt.Errorf("ledger: cannot make the database: %w", err)
	}
	w, err := sql.Open("sqlite", sqliteDSN(path, sqliteWrite))
	if err != nil {
		return nil, wrap("open", err)
	}
	w.SetMaxOpenConns(1) // SQLite has one writer; waiting here is fairer than its busy handler
	r, err := sql.Open("sqlite", sqliteDSN(path, sqliteRead))
	if err != nil {
		_ = w.Close()
		return nil, wrap("open", err)
	}
	r.SetMaxOpenConns(4)
	s := &Store{d: dialectSQLite, w: w, r: r, stmts: map[string]*sql.Stmt{}, closers: []func() error{r.Close, w.Close}}
	err = s.migrateSQLite(ctx)
	if err == nil {
		err = s.prepare(ctx)
	}
	if err != nil {
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
	r, err := sql.Open("sqlite", sqliteDSN(path, sqliteReadOnly))
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
	if version != len(steps("sqlite")) {
		_ = r.Close()
		return nil, fmt.Errorf("%w: it has %d, this program %d", ErrSchema, version, len(steps("sqlite")))
	}
	return s.start(), nil
}

// steps lists a database's migrations in order; the schema version is their
// number.
func steps(dialect string) []string {
	files, err := migrations.ReadDir("migrations/" + dialect)
	if err != nil {
		panic(err) // embedded
	}
	var texts []string
	for _, f := range files {
		b, err := migrations.ReadFile("migrations/" + dialect + "/" + f.Name())
		if err != nil {
			panic(err)
		}
		texts = append(texts, string(b))
	}
	return texts
}

func (s *Store) migrateSQLite(ctx context.Context) error {
	return s.writeTx(ctx, "migrate", func(t *tx) error {
		var version int
		if err := t.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		all := steps("sqlite")
		if version > len(all) {
			return ErrSchema
		}
		for i := version; i < len(all); i++ {
			if _, err := t.ExecContext(ctx, all[i]); err != nil {
				return err
			}
			if _, err := t.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", i+1)); err != nil {
				return err
			}
		}
		return nil
	})
}
