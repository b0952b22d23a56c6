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

	"golang.org/x/sys/unix"
)

//go:embed migrations
var migrations embed.FS

type sqliteMode int

const (
	sqliteWrite    sqliteMode = iota
	sqliteRead                // reading beside the writing connection of the same process
	sqliteReadOnly            // reading a file that another process writes, or did when it was killed
	sqliteClosed              // reading a file that nobody has open
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
	case sqliteClosed:
		q.Set("mode", "ro")
		q.Set("immutable", "1") // else SQLite makes a log and its index beside the file, and leaves them there
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
// writes it. It needs no more than permission to read, and makes no file: not where
// nobody has the ledger open either. A file that a process begins to write while it is
// read that way makes [Store.Verify] and [Store.Audit] fail with [ErrChanged].
func OpenSQLiteReadOnly(ctx context.Context, path string) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("ledger: no database: %w", err)
	}
	s := &Store{d: dialectSQLite, readOnly: true}
	mode := sqliteReadOnly
	switch log, index := size(path+"-wal"), size(path+"-shm"); {
	case log <= 0 && index < 0: // every writer has closed it
		mode, s.still = sqliteClosed, stillness(path)
	case index < 0 && !writable(filepath.Dir(path)):
		return nil, fmt.Errorf("ledger: %s-wal was left by a process that was killed, and its index %s-shm is missing: copy the files to a directory that can be written, and read the copy",
			filepath.Base(path), filepath.Base(path))
	}
	r, err := sql.Open("sqlite", sqliteDSN(path, mode))
	if err != nil {
		return nil, wrap("open", err)
	}
	r.SetMaxOpenConns(4)
	s.w, s.r, s.closers = r, r, []func() error{r.Close}
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

// size gives a file's size, -1 where there is none.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// writable reports whether this process may make files in a directory.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK) == nil }

// stillness gives a check that nobody has opened or written a database since.
func stillness(path string) func() error {
	before, err := os.Stat(path)
	return func() error {
		now, errNow := os.Stat(path)
		if err != nil || errNow != nil || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()) || size(path+"-wal") > 0 || size(path+"-shm") >= 0 {
			return ErrChanged
		}
		return nil
	}
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
