package ledger

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stoplog/stoplog/pkg/provenance"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Store is the ledger over one database. It is safe for concurrent use.
type Store struct {
	d        dialect
	pool     *pgxpool.Pool // Postgres
	w, r     *sql.DB       // for writing and for reading; the same pool on Postgres
	readOnly bool
	still    func() error // whether a file that nobody had open is so still; nil: somebody may have it open
	closers  []func() error

	stmts map[string]*sql.Stmt // SQLite: the write path's statements, on w

	queue  chan *request
	wake   chan struct{}
	stop   chan struct{} // closed by Close
	done   chan struct{} // closed when the committers have ended
	closed sync.Once

	seal sealState
}

// start begins the goroutines that commit what Append submits.
func (s *Store) start() *Store {
	s.queue = make(chan *request, 1024)
	s.wake = make(chan struct{}, 1)
	s.stop = make(chan struct{})
	s.done = make(chan struct{})
	var committers sync.WaitGroup
	if !s.readOnly {
		for range s.d.committers {
			committers.Go(s.committer)
		}
	}
	go func() {
		committers.Wait()
		close(s.done)
	}()
	return s
}

// Close ends the store. Appends under way are finished first; later ones get
// [ErrClosed].
func (s *Store) Close() error {
	var err error
	s.closed.Do(func() {
		close(s.stop)
		<-s.done
		for _, st := range s.stmts {
			_ = st.Close()
		}
		for _, c := range s.closers {
			err = errors.Join(err, c())
		}
	})
	return err
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return wrap("ping", s.r.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// Dialect names the database: sqlite or postgres.
func (s *Store) Dialect() string { return s.d.name }

// dbError is a database's error without its words. A database likes to say which
// value it did not like, and values are what must not leak (SPEC PRV-2); what
// remains is the operation and the code.
type dbError struct {
	op, code string
	away     bool
}

func (e *dbError) Error() string { return "ledger: " + e.op + ": database error " + e.code }

func (e *dbError) Is(target error) bool { return e.away && target == ErrUnavailable }

// wrap maps a database's error to what a caller may see.
func wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	for _, own := range []error{ErrNotFound, ErrClaimed, ErrDecided, ErrUnavailable, ErrClosed, ErrReadOnly, ErrTenant, ErrRole, ErrSchema, ErrTree, ErrCopy, ErrChanged, errRace, provenance.ErrMalformed, provenance.ErrCheckpoint, provenance.ErrProof, provenance.ErrNoKey} {
		if errors.Is(err, own) {
			return err
		}
	}
	var file *fileError
	if errors.As(err, &file) {
		return file
	}
	var pg *pgconn.PgError
	var connect *pgconn.ConnectError
	var lite *sqlite.Error
	var netErr net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.As(err, &pg):
		return &dbError{op, pg.Code, pgAway(pg.Code)}
	case errors.As(err, &connect):
		return &dbError{op, "connect", true}
	case errors.As(err, &lite):
		return &dbError{op, sqlite.ErrorCodeString[lite.Code()&0xff], sqliteAway(lite.Code() & 0xff)}
	case errors.Is(err, context.DeadlineExceeded):
		return &dbError{op, "timeout", true}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.As(err, &netErr),
		errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), pgconn.SafeToRetry(err):
		return &dbError{op, "connection", true}
	}
	return &dbError{op, "unknown", false}
}

// pgAway: connection faults, resources, a server that shuts down or is read-only
// after a failover, and transactions that lost a race for locks.
func pgAway(code string) bool {
	for _, class := range []string{"08", "53", "57P", "58", "40", "55P03", "25006", "XX000"} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return code == "57014" // a statement cancelled by its time limit
}

func sqliteAway(code int) bool {
	switch code {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM:
		return true
	}
	return false
}

// txTimeout bounds one transaction, so that a database that hangs reads as away.
const txTimeout = 30 * time.Second

// write runs f in a transaction.
func (s *Store) write(ctx context.Context, op string, f func(*tx) error) error {
	if s.readOnly {
		return ErrReadOnly
	}
	select {
	case <-s.stop:
		return ErrClosed
	default:
	}
	return s.writeTx(ctx, op, f)
}

func (s *Store) writeTx(ctx context.Context, op string, f func(*tx) error) error {
	if s.d.pg {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, txTimeout)
		defer cancel()
	} else {
		// SQLite bounds its waiting itself (busy_timeout), and a context that can end
		// costs a goroutine for every statement.
		ctx = context.WithoutCancel(ctx)
	}
	t, err := s.w.BeginTx(ctx, nil)
	if err != nil {
		return wrap(op, err)
	}
	if err := f(&tx{s: s, ctx: ctx, Tx: t}); err != nil {
		_ = t.Rollback()
		return wrap(op, err)
	}
	return wrap(op, t.Commit())
}

// micros and fromMicros store times as microseconds; the zero time is 0.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}
