package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// ErrRole means that the login may take none of the ledger's roles.
var ErrRole = errors.New("ledger: the database login is a member of none of stoplog_writer, stoplog_sealer, stoplog_reader: GRANT it one")

// ErrSchema means that the database has another schema than this program.
var ErrSchema = errors.New("ledger: the database has another schema than this program: run the migration")

// OpenPostgres opens the ledger in a Postgres database that [MigratePostgres] has
// prepared. Every connection gives up the login's own rights and takes the first
// of stoplog_writer, stoplog_sealer and stoplog_reader that the login is a member
// of. A reader's store is read-only; only a member of stoplog_sealer can seal.
func OpenPostgres(ctx context.Context, dsn string) (*Store, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("ledger: the Postgres connection string cannot be read") // it may hold a password
	}
	if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = "stoplog"
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	if !strings.Contains(dsn, "pool_max_conns") {
		cfg.MaxConns = 16 // committers, the sealer, and readers beside them
	}
	cfg.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		role, err := pgRole(ctx, c)
		if err != nil {
			return err
		}
		// pg_temp last, so that a temporary table never stands in for one of ours.
		//
		// Every statement of the write path finds its rows by an index. A plan that was
		// made while the tables were empty would read them whole, for as long as the
		// connection lives.
		//
		// An accepted document is durable when it is acknowledged, whatever the
		// server's default says.
		_, err = c.Exec(ctx, "SET ROLE "+role+`; SET search_path = stoplog, pg_temp; SET enable_seqscan = off;
			SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, wrap("open", err)
	}
	s := &Store{d: dialectPostgres, pool: pool}
	s.w = stdlib.OpenDBFromPool(pool)
	s.r = s.w
	s.closers = []func() error{s.w.Close, func() error { pool.Close(); return nil }}
	if err := s.checkPostgres(ctx); err != nil {
		_ = s.w.Close()
		pool.Close()
		return nil, err
	}
	return s.start(), nil
}

// pgRole gives the role that a connection takes.
func pgRole(ctx context.Context, c *pgx.Conn) (string, error) {
	for _, role := range []string{"stoplog_writer", "stoplog_sealer", "stoplog_reader"} {
		var member bool
		err := c.QueryRow(ctx, "SELECT coalesce((SELECT pg_has_role(session_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = $1), false)", role).Scan(&member)
		if err != nil {
			return "", err
		}
		if member {
			return role, nil
		}
	}
	return "", ErrRole
}

func (s *Store) checkPostgres(ctx context.Context) error {
	var role string
	var version int
	err := s.r.QueryRowContext(ctx, "SELECT current_user").Scan(&role)
	if err != nil {
		return wrap("open", err)
	}
	s.readOnly = role == "stoplog_reader"
	if err := s.r.QueryRowContext(ctx, "SELECT max(version) FROM schema_version").Scan(&version); err != nil {
		return fmt.Errorf("%w (%w)", ErrSchema, wrap("open", err))
	}
	if version != len(steps("postgres")) {
		return fmt.Errorf("%w: it has %d, this program %d", ErrSchema, version, len(steps("postgres")))
	}
	return nil
}

// MigratePostgres makes the roles, the schema and the tables, or brings them to
// this program's version. ownerDSN is a superuser's, or that of a role that may
// create roles and make schemas in the database. It can run again and beside
// another one.
func MigratePostgres(ctx context.Context, ownerDSN string) error {
	cfg, err := pgx.ParseConfig(ownerDSN)
	if err != nil {
		return errors.New("ledger: the Postgres connection string cannot be read")
	}
	c, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return wrap("migrate", err)
	}
	defer c.Close(context.WithoutCancel(ctx))
	return wrap("migrate", pgx.BeginFunc(ctx, c, func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, "SELECT pg_advisory_xact_lock("+strconv.FormatInt(lockKey("migrate"), 10)+")"); err != nil {
			return err
		}
		roles, err := migrations.ReadFile("migrations/roles.sql")
		if err != nil {
			return err
		}
		if _, err := t.Exec(ctx, string(roles)); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, `SET LOCAL ROLE stoplog_owner; SET LOCAL search_path = stoplog;
			CREATE TABLE IF NOT EXISTS schema_version (version bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())`); err != nil {
			return err
		}
		var version int
		if err := t.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM schema_version").Scan(&version); err != nil {
			return err
		}
		all := steps("postgres")
		if version > len(all) {
			return ErrSchema
		}
		for i := version; i < len(all); i++ {
			if _, err := t.Exec(ctx, all[i]); err != nil {
				return err
			}
			if _, err := t.Exec(ctx, "INSERT INTO schema_version (version) VALUES ($1)", i+1); err != nil {
				return err
			}
		}
		_, err = t.Exec(ctx, "GRANT SELECT ON schema_version TO stoplog_writer, stoplog_sealer, stoplog_reader")
		return err
	}))
}

// lockKey turns a name into the key of an advisory lock: FNV-1a.
func lockKey(name string) int64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte("stoplog/" + name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return int64(h)
}

// Lead makes this process the leader of a name (a relay, an expiry ticker), when
// no other process is. The leader calls release when it stops. With SQLite, which
// one process at a time writes, it is always the leader.
//
// A leader whose database connection breaks is one no longer and is not told: what
// a leader does must bear being done twice.
func (s *Store) Lead(ctx context.Context, name string) (release func(), ok bool, err error) {
	if !s.d.pg {
		return func() {}, true, nil
	}
	// A connection of its own: the lock lives as long as it does, and a pool would
	// have one less for as long.
	c, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return nil, false, wrap("lead", err)
	}
	if err := c.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", lockKey("lead/"+name)).Scan(&ok); err != nil || !ok {
		_ = c.Close(context.WithoutCancel(ctx))
		return nil, false, wrap("lead", err)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		// The unlock is answered; a connection that is closed gives its locks back some
		// time later.
		_, _ = c.Exec(ctx, "SELECT pg_advisory_unlock_all()")
		_ = c.Close(ctx)
	}, true, nil
}

// beginSealPostgres takes the sealer's role for this transaction and the lock of
// the one sealer.
func (t *tx) beginSealPostgres() (bool, error) {
	if _, err := t.ExecContext(t.ctx, "SET LOCAL ROLE stoplog_sealer"); err != nil {
		return false, err
	}
	var ok bool
	err := t.QueryRowContext(t.ctx, "SELECT pg_try_advisory_xact_lock($1)", lockKey("seal")).Scan(&ok)
	return ok, err
}

const lastSealPostgres = `SELECT size, note, last_n, last_tx::text::bigint, floor_n FROM checkpoint ORDER BY size DESC LIMIT 1`

// unsealedPostgres takes only records of transactions that ended before the
// oldest one still under way: one that commits late cannot then fall behind the
// cursor.
//
// Transaction numbers do not survive a dump and restore: the restored records
// carry greater ones than the new cluster has reached. Such a cursor is given up
// once, and from then on a record's number decides (floor). Whether a record is sealed
// already is always looked at: a restored one stays beyond the cursor after its seal, and
// also where the new cluster has passed the cursor and not yet the record.
func (t *tx) unsealedPostgres(c *cursor, most int64, f func(id string, canon []byte)) error {
	var restored bool
	if err := t.QueryRowContext(t.ctx, "SELECT $1::text::xid8 >= pg_snapshot_xmax(pg_current_snapshot())", strconv.FormatInt(c.tx, 10)).Scan(&restored); err != nil {
		return err
	}
	if restored {
		c.tx, c.n = 0, 0
		err := t.QueryRowContext(t.ctx, `SELECT least(
			(SELECT max(r.n) FROM record r JOIN leaf USING (record_id)),
			(SELECT min(r.n) - 1 FROM record r WHERE NOT EXISTS (SELECT 1 FROM leaf WHERE leaf.record_id = r.record_id)))`).Scan(&c.floor)
		if err != nil {
			return err
		}
	}
	// The bounds are those of this statement's own snapshot: taken before it, they
	// would pass transactions that committed in between for restored ones.
	//
	// The look at the leaf is written so that it is made record by record: as NOT EXISTS it
	// becomes a join with all leaves. The order names the columns and not the output, which
	// is a cast: so it is the index's, and a long backlog is read only as far as the limit.
	rows, err := t.QueryContext(t.ctx, `SELECT record_id, n, tx::text::bigint, tx < pg_snapshot_xmin(pg_current_snapshot()), canon FROM record r
		WHERE (tx, n) > ($1::text::xid8, $2) AND n > $3
		  AND (tx < pg_snapshot_xmin(pg_current_snapshot()) OR tx >= pg_snapshot_xmax(pg_current_snapshot()))
		  AND (SELECT true FROM leaf WHERE leaf.record_id = r.record_id) IS NULL
		ORDER BY r.tx, r.n LIMIT $4`,
		strconv.FormatInt(c.tx, 10), c.n, c.floor, most)
	if err != nil {
		return err
	}
	return each(rows, func(r *sql.Rows) error {
		var id string
		var n, tx int64
		var live bool
		var canon sql.RawBytes
		if err := r.Scan(&id, &n, &tx, &live, &canon); err != nil {
			return err
		}
		if live {
			c.tx, c.n = tx, n
		}
		f(id, canon)
		return nil
	})
}

// countUnsealedPostgres counts what the next seals take. As for them, the cursor of
// another cluster says nothing: then every record is looked at, until the first seal. A
// seal between the two statements does no harm, since what it sealed has a leaf.
func (s *Store) countUnsealedPostgres(ctx context.Context) (count int64, err error) {
	tx, n, floor := "0", int64(0), int64(0)
	err = s.r.QueryRowContext(ctx, `SELECT last_tx::text, last_n, floor_n FROM (SELECT * FROM checkpoint ORDER BY size DESC LIMIT 1) newest
		WHERE last_tx < pg_snapshot_xmax(pg_current_snapshot())`).Scan(&tx, &n, &floor)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	err = s.r.QueryRowContext(ctx, `SELECT count(*) FROM record r WHERE (tx, n) > ($1::text::xid8, $2) AND n > $3
		AND NOT EXISTS (SELECT 1 FROM leaf WHERE leaf.record_id = r.record_id)`, tx, n, floor).Scan(&count)
	return count, err
}

func (t *tx) insertCheckpointPostgres(c cursor, text []byte, at time.Time) error {
	_, err := t.ExecContext(t.ctx, `INSERT INTO checkpoint (size, note, at, last_n, last_tx, floor_n) VALUES ($1, $2, $3, $4, $5::text::xid8, $6)`,
		c.size, text, micros(at), c.n, strconv.FormatInt(c.tx, 10), c.floor)
	return err
}
