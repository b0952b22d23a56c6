package ledger

import (
	"context"
	"database/sql"
	"time"
)

const lastSealPostgres = `SELECT size, note, last_n, last_tx::text::bigint, floor_n FROM checkpoint ORDER BY size DESC LIMIT 1`

func (t *tx) beginSealPostgres() (bool, error) {
	if _, err := t.ExecContext(t.ctx, "SET LOCAL ROLE stoplog_sealer"); err != nil {
		return false, err
	}
	var ok bool
	err := t.QueryRowContext(t.ctx, "SELECT pg_try_advisory_xact_lock($1)", lockKey("seal")).Scan(&ok)
	return ok, err
}

// unsealedPostgres takes only records of transactions that ended before the
// oldest one still under way: a transaction that commits late cannot then fall
// behind the cursor.
func (t *tx) unsealedPostgres(c *cursor, f func(id string, canon []byte)) error {
	rows, err := t.QueryContext(t.ctx, `SELECT record_id, n, tx::text::bigint, canon FROM record
		WHERE tx < pg_snapshot_xmin(pg_current_snapshot()) AND (tx, n) > ($1::text::xid8, $2) AND n > $3
		ORDER BY tx, n LIMIT $4`, c.tx, c.n, c.floor, sealBatch)
	if err != nil {
		return err
	}
	return each(rows, func(r *sql.Rows) error {
		var id string
		var canon []byte
		if err := r.Scan(&id, &c.n, &c.tx, &canon); err != nil {
			return err
		}
		f(id, canon)
		return nil
	})
}

func (t *tx) insertCheckpointPostgres(c cursor, text []byte, at time.Time) error {
	_, err := t.ExecContext(t.ctx, `INSERT INTO checkpoint (size, note, at, last_n, last_tx, floor_n) VALUES ($1, $2, $3, $4, $5::text::xid8, $6)`,
		c.size, text, micros(at), c.n, c.tx, c.floor)
	return err
}

func lockKey(name string) int64 {
	var h uint64 = 14695981039346656037
	for _, b := range []byte("stoplog/" + name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return int64(h)
}

// OpenPostgres opens the ledger in Postgres.
func OpenPostgres(ctx context.Context, dsn string) (*Store, error) { return nil, ErrUnavailable }

// MigratePostgres brings the schema to this program's version.
func MigratePostgres(ctx context.Context, ownerDSN string) error { return ErrUnavailable }

// Lead makes this process the leader of a name, if no other one is.
func (s *Store) Lead(ctx context.Context, name string) (release func(), ok bool, err error) {
	return func() {}, true, nil
}
