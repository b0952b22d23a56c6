package evidence

import (
	"bytes"
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"

	"github.com/stoplog/stoplog/pkg/chunk"
)

//go:embed schema_sqlite.sql
var schemaSQLite string

//go:embed schema_postgres.sql
var schemaPostgres string

// flushTimeout bounds one grouped write; checkpointTimeout bounds how long an
// erasure waits for readers that keep the write-ahead log from being emptied.
const (
	flushTimeout      = 20 * time.Second
	checkpointTimeout = 10 * time.Second
	groupLimit        = 512
)

// KeyStore is the table of wrapped scope keys, of legal holds and of the subject
// index: a SQLite file of its own, or a Postgres schema of its own.
type KeyStore struct {
	db       *sql.DB
	postgres bool
	row      *sql.Stmt // selectRow; parsing it costs SQLite more than running it

	mu      sync.Mutex
	pending []*write
	running bool
}

// write is one insert that waits for the next group: a key, or a subject link.
type write struct {
	scope   chunk.ID
	subject chunk.ID // a link when set
	wrapped []byte
	created int64
	row     keyRow // what is stored afterwards
	err     error
	done    chan struct{}
}

// keyRow is a stored key. An erased one has no usable bytes.
type keyRow struct {
	wrapped []byte
	created int64
	erased  bool
	held    bool
}

// OpenKeysSQLite opens or makes the key file. Deleted bytes are overwritten
// (secure_delete), commits are synced (synchronous FULL).
func OpenKeysSQLite(ctx context.Context, path string) (*KeyStore, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	// SQLite would make the file readable by all; the files beside it take its mode.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	query := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "secure_delete(ON)", "recursive_triggers(ON)", "temp_store(MEMORY)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, storeError(err)
	}
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8) // an open costs more than a read
	s := &KeyStore{db: db}
	if _, err = db.ExecContext(ctx, schemaSQLite); err == nil {
		s.row, err = db.PrepareContext(ctx, selectRow)
	}
	if err != nil {
		_ = db.Close()
		return nil, storeError(err)
	}
	return s, nil
}

// OpenKeysPostgres opens the key schema. Every connection gives up the login's own
// rights and takes the role stoplog_writer. [MigrateKeysPostgres] must have run.
func OpenKeysPostgres(ctx context.Context, dsn string) (*KeyStore, error) {
	db, err := openPostgres(dsn, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
		// A key must be durable before anything is sealed under it, and so must its
		// destruction, whatever the server's default says.
		_, err := c.Exec(ctx, `SET ROLE stoplog_writer; SET search_path = evidence, pg_temp;
			SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`)
		return err
	}))
	if err != nil {
		return nil, err
	}
	s := &KeyStore{db: db, postgres: true}
	if s.row, err = db.PrepareContext(ctx, selectRow); err != nil {
		_ = db.Close()
		return nil, storeError(err)
	}
	return s, nil
}

// MigrateKeysPostgres makes or updates the key schema as its owner.
func MigrateKeysPostgres(ctx context.Context, ownerDSN string) error {
	db, err := openPostgres(ownerDSN)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return storeError(err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	// "Create if not exists" is no protection against two at once.
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext('stoplog/evidence/migrate'))"); err != nil {
		return storeError(err)
	}
	if _, err := tx.ExecContext(ctx, schemaPostgres, pgx.QueryExecModeSimpleProtocol); err != nil {
		return storeError(err)
	}
	return storeError(tx.Commit())
}

func openPostgres(dsn string, options ...stdlib.OptionOpenDB) (*sql.DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil { // the error would show the whole DSN, with its password
		return nil, errors.New("evidence: the Postgres connection string cannot be read")
	}
	config.RuntimeParams["search_path"] = "evidence"
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "stoplog-evidence"
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	db := stdlib.OpenDB(*config, options...)
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	return db, nil
}

// Close closes the store.
func (s *KeyStore) Close() error { return s.db.Close() }

// newest gives the newest living key, or ErrNotFound in an empty store.
func (s *KeyStore) newest(ctx context.Context) (scope chunk.ID, wrapped []byte, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT k.scope, k.wrapped FROM scope_key k
WHERE NOT EXISTS (SELECT 1 FROM scope_erased e WHERE e.scope = k.scope) ORDER BY k.n DESC LIMIT 1`).Scan((*string)(&scope), &wrapped)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil, ErrNotFound
	}
	return scope, wrapped, storeError(err)
}

const selectRow = `SELECT k.wrapped, k.created,
  EXISTS (SELECT 1 FROM scope_erased e WHERE e.scope = k.scope),
  EXISTS (SELECT 1 FROM legal_hold h WHERE h.scope = k.scope)
FROM scope_key k WHERE k.scope = $1`

func scanRow(row *sql.Row) (keyRow, error) {
	var r keyRow
	err := row.Scan(&r.wrapped, &r.created, &r.erased, &r.held)
	if errors.Is(err, sql.ErrNoRows) {
		return keyRow{}, ErrNotFound
	}
	return r, storeError(err)
}

func (s *KeyStore) load(ctx context.Context, scope chunk.ID) (keyRow, error) {
	return scanRow(s.row.QueryRowContext(ctx, string(scope)))
}

// create stores a key for a scope unless one is stored, and returns the stored
// one: of several processes, the first wins.
func (s *KeyStore) create(ctx context.Context, scope chunk.ID, wrapped []byte, now time.Time) (keyRow, error) {
	w := &write{scope: scope, wrapped: wrapped, created: now.UnixMicro(), done: make(chan struct{})}
	if err := s.enqueue(ctx, w); err != nil {
		return keyRow{}, err
	}
	return w.row, w.err
}

func (s *KeyStore) link(ctx context.Context, subject, scope chunk.ID) error {
	w := &write{scope: scope, subject: subject, done: make(chan struct{})}
	if err := s.enqueue(ctx, w); err != nil {
		return err
	}
	return w.err
}

// enqueue hands an insert to the writer and waits. Inserts that wait together
// share one transaction, and so one sync of the disk.
func (s *KeyStore) enqueue(ctx context.Context, w *write) error {
	s.mu.Lock()
	s.pending = append(s.pending, w)
	if !s.running {
		s.running = true
		go s.flushAll()
	}
	s.mu.Unlock()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	}
}

func (s *KeyStore) flushAll() {
	for {
		s.mu.Lock()
		if len(s.pending) == 0 {
			s.running = false
			s.mu.Unlock()
			return
		}
		group := s.pending[:min(groupLimit, len(s.pending))]
		s.pending = append([]*write(nil), s.pending[len(group):]...)
		s.mu.Unlock()
		// Not any caller's context: one that gives up must not fail the others.
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		err := s.flush(ctx, group)
		cancel()
		for _, w := range group {
			w.err = err
			close(w.done)
		}
	}
}

func (s *KeyStore) flush(ctx context.Context, group []*write) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return storeError(err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	const key, link = "INSERT INTO scope_key (scope, created, wrapped) ", "INSERT INTO subject_scope (subject, scope) "
	const first = " ON CONFLICT DO NOTHING"
	if s.postgres {
		err = flushPostgres(ctx, tx, group, key+"SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[])"+first, link+"SELECT * FROM unnest($1::text[], $2::text[])"+first)
	} else {
		err = flushSQLite(ctx, tx, group, key+"VALUES ($1, $2, $3)"+first, link+"VALUES ($1, $2)"+first)
	}
	if err != nil {
		return storeError(err)
	}
	row := tx.StmtContext(ctx, s.row)
	for _, w := range group {
		if w.subject == "" {
			if w.row, err = scanRow(row.QueryRowContext(ctx, string(w.scope))); err != nil {
				return err
			}
		}
	}
	return storeError(tx.Commit())
}

func flushSQLite(ctx context.Context, tx *sql.Tx, group []*write, key, link string) error {
	insert, err := tx.PrepareContext(ctx, key)
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, w := range group {
		if w.subject != "" {
			_, err = tx.ExecContext(ctx, link, string(w.subject), string(w.scope))
		} else {
			_, err = insert.ExecContext(ctx, string(w.scope), w.created, w.wrapped)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func flushPostgres(ctx context.Context, tx *sql.Tx, group []*write, key, link string) error {
	var scopes, subjects, linked []string
	var created []int64
	var wrapped [][]byte
	for _, w := range group {
		if w.subject != "" {
			subjects, linked = append(subjects, string(w.subject)), append(linked, string(w.scope))
			continue
		}
		scopes, created, wrapped = append(scopes, string(w.scope)), append(created, w.created), append(wrapped, w.wrapped)
	}
	if len(scopes) > 0 {
		if _, err := tx.ExecContext(ctx, key, scopes, created, wrapped); err != nil {
			return err
		}
	}
	if len(subjects) > 0 {
		if _, err := tx.ExecContext(ctx, link, subjects, linked); err != nil {
			return err
		}
	}
	return nil
}

// locked runs f in a transaction that has the scope's row to itself.
func (s *KeyStore) locked(ctx context.Context, scope chunk.ID, f func(tx *sql.Tx, r keyRow) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return storeError(err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if s.postgres {                      // SQLite: the transaction began with the write lock
		// In a statement of its own: the row's holds and erasures must be read after the
		// lock was got, not when the waiting for it began.
		if _, err := tx.ExecContext(ctx, "SELECT 1 FROM scope_key WHERE scope = $1 FOR UPDATE", string(scope)); err != nil {
			return storeError(err)
		}
	}
	r, err := scanRow(tx.StmtContext(ctx, s.row).QueryRowContext(ctx, string(scope)))
	if err != nil {
		return err
	}
	if err := f(tx, r); err != nil {
		return err
	}
	return storeError(tx.Commit())
}

// erase overwrites the wrapped key and sets the tombstone, both or neither, and
// makes sure that the old bytes are gone from the file. An erased scope is cleaned
// again, so that an erasure that ended with ErrResidue can be finished.
func (s *KeyStore) erase(ctx context.Context, scope chunk.ID, now time.Time) error {
	err := s.locked(ctx, scope, func(tx *sql.Tx, r keyRow) error {
		switch {
		case r.erased:
			return nil
		case r.held:
			return ErrHeld
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO scope_erased (scope, at) VALUES ($1, $2)", string(scope), now.UnixMicro()); err != nil {
			return storeError(err)
		}
		_, err := tx.ExecContext(ctx, "UPDATE scope_key SET wrapped = $2 WHERE scope = $1", string(scope), make([]byte, len(r.wrapped)))
		return storeError(err)
	})
	if err != nil {
		return err
	}
	return s.checkpoint(ctx)
}

// checkpoint empties SQLite's write-ahead log into the database file. Until then
// the overwritten bytes lie in the log, and the old page in the file.
func (s *KeyStore) checkpoint(ctx context.Context) error {
	if s.postgres {
		return nil // docs: the log and backups age out, or Rewrap and destroy the old key-encryption key
	}
	ctx, cancel := context.WithTimeout(ctx, checkpointTimeout)
	defer cancel()
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 250*time.Millisecond) {
		busy, frames, moved := 1, 0, 0
		err := s.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
		if err == nil && busy == 0 && frames == 0 && moved == 0 { // truncated: the log is empty
			return nil
		}
		select {
		case <-ctx.Done():
			return ErrResidue
		case <-time.After(wait):
		}
	}
}

func (s *KeyStore) hold(ctx context.Context, scope chunk.ID, now time.Time) error {
	return s.locked(ctx, scope, func(tx *sql.Tx, r keyRow) error {
		if r.erased {
			return ErrErased
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO legal_hold (scope, at) VALUES ($1, $2) ON CONFLICT DO NOTHING", string(scope), now.UnixMicro())
		return storeError(err)
	})
}

func (s *KeyStore) release(ctx context.Context, scope chunk.ID) error {
	return s.locked(ctx, scope, func(tx *sql.Tx, r keyRow) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM legal_hold WHERE scope = $1", string(scope))
		return storeError(err)
	})
}

func (s *KeyStore) scopes(ctx context.Context, query string, args ...any) ([]chunk.ID, error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, storeError(err)
	}
	defer rows.Close()
	var out []chunk.ID
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, storeError(err)
		}
		out = append(out, chunk.ID(id))
	}
	return out, storeError(rows.Err())
}

func (s *KeyStore) ofSubject(ctx context.Context, subject chunk.ID) ([]chunk.ID, error) {
	return s.scopes(ctx, "SELECT scope FROM subject_scope WHERE subject = $1 ORDER BY scope", string(subject))
}

func (s *KeyStore) olderThan(ctx context.Context, before time.Time, limit int) ([]chunk.ID, error) {
	return s.scopes(ctx, `SELECT k.scope FROM scope_key k WHERE k.created < $1
  AND NOT EXISTS (SELECT 1 FROM scope_erased e WHERE e.scope = k.scope)
  AND NOT EXISTS (SELECT 1 FROM legal_hold h WHERE h.scope = k.scope)
ORDER BY k.n LIMIT $2`, before.UnixMicro(), limit)
}

// replaceAll gives every living key to f and stores what f returns in its place,
// unless the row has changed since. f returns nil to leave a row.
func (s *KeyStore) replaceAll(ctx context.Context, f func(scope chunk.ID, wrapped []byte) ([]byte, error)) (int, error) {
	type row struct {
		n       int64
		scope   string
		wrapped []byte
	}
	replaced := 0
	for after := int64(0); ; {
		rows, err := s.db.QueryContext(ctx, `SELECT k.n, k.scope, k.wrapped FROM scope_key k WHERE k.n > $1
  AND NOT EXISTS (SELECT 1 FROM scope_erased e WHERE e.scope = k.scope) ORDER BY k.n LIMIT $2`, after, groupLimit)
		if err != nil {
			return replaced, storeError(err)
		}
		var page []row
		for rows.Next() {
			var r row
			if err = rows.Scan(&r.n, &r.scope, &r.wrapped); err != nil {
				break
			}
			page = append(page, r)
		}
		if err == nil {
			err = rows.Err()
		}
		_ = rows.Close()
		if err != nil {
			return replaced, storeError(err)
		}
		if len(page) == 0 {
			return replaced, s.checkpoint(ctx)
		}
		after = page[len(page)-1].n
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return replaced, storeError(err)
		}
		count := 0
		for _, r := range page {
			next, err := f(chunk.ID(r.scope), r.wrapped)
			if err == nil && next != nil && !bytes.Equal(next, r.wrapped) {
				var result sql.Result
				if result, err = tx.ExecContext(ctx, "UPDATE scope_key SET wrapped = $3 WHERE scope = $1 AND wrapped = $2", r.scope, r.wrapped, next); err == nil {
					n, _ := result.RowsAffected()
					count += int(n)
				}
				err = storeError(err)
			}
			if err != nil {
				_ = tx.Rollback()
				return replaced, err
			}
		}
		if err := tx.Commit(); err != nil {
			return replaced, storeError(err)
		}
		replaced += count
	}
}

// storeError maps a database error to [ErrUnavailable]. It keeps the database's
// code and whether the context ended, and drops the text and the details: they may
// quote the row, which holds a wrapped key.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: %w", ErrUnavailable, context.Canceled)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrUnavailable, context.DeadlineExceeded)
	}
	code := "connection"
	var pg *pgconn.PgError
	var lite *sqlite.Error
	if errors.As(err, &pg) {
		code = "SQLSTATE " + pg.Code
	} else if errors.As(err, &lite) {
		code = "SQLite code " + strconv.Itoa(lite.Code())
	}
	return fmt.Errorf("%w: key store: %s", ErrUnavailable, code)
}
