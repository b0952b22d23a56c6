package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
)

// Outbox gives messages that wait to be produced, oldest first.
func (s *Store) Outbox(ctx context.Context, limit int) ([]OutboxRow, error) {
	if limit <= 0 {
		limit = 100
	}
	return list(ctx, s, "outbox", func(r scanner) (OutboxRow, error) {
		var o OutboxRow
		var headers string
		if err := r.Scan(&o.N, &o.Topic, &o.Key, &headers, &o.Value); err != nil {
			return o, err
		}
		return o, json.Unmarshal([]byte(headers), &o.Headers)
	}, "SELECT n, topic, key, headers, value FROM outbox ORDER BY n LIMIT $1", limit)
}

var deleteOutbox = many("n bigint", `WITH {v} DELETE FROM outbox WHERE n IN (SELECT n FROM v)`)

// OutboxDone removes messages that have been produced and acknowledged.
func (s *Store) OutboxDone(ctx context.Context, ns []int64) error {
	rows := make([][]any, len(ns))
	for i, n := range ns {
		rows[i] = []any{n}
	}
	return s.write(ctx, "outbox done", func(t *tx) error {
		_, err := t.many(deleteOutbox, rows)
		return err
	})
}

// OutboxWake receives after an Append of this process has written outbox rows. It
// may miss rows of other processes: look on a timer too.
func (s *Store) OutboxWake() <-chan struct{} { return s.wake }

// BumpAttempts counts an attempt at a range of offsets and gives the count, this
// one included. It is durable when it returns, so that a message that kills the
// process is counted too.
func (s *Store) BumpAttempts(ctx context.Context, group, topic string, partition int, from, to int64) (int, error) {
	var n int
	err := s.write(ctx, "attempts", func(t *tx) error {
		return t.QueryRowContext(t.ctx, `INSERT INTO attempt (grp, topic, part, from_off, to_off, tries) VALUES ($1, $2, $3, $4, $5, 1)
			ON CONFLICT (grp, topic, part, from_off, to_off) DO UPDATE SET tries = attempt.tries + 1 RETURNING tries`,
			group, topic, partition, from, to).Scan(&n)
	})
	return n, err
}

// UncountAttempts takes back one attempt at each range, first and last offset, that
// BumpAttempts counted: what was in work did not end its process.
func (s *Store) UncountAttempts(ctx context.Context, group, topic string, partition int, ranges ...[2]int64) error {
	rows := make([][]any, len(ranges))
	for i, r := range ranges {
		rows[i] = []any{group, topic, partition, r[0], r[1]}
	}
	return s.write(ctx, "attempts", func(t *tx) error {
		const where = " WHERE grp = $1 AND topic = $2 AND part = $3 AND from_off = $4 AND to_off = $5"
		for _, q := range []string{"UPDATE attempt SET tries = tries - 1" + where, "DELETE FROM attempt" + where + " AND tries < 1"} {
			for _, r := range rows {
				if _, err := t.ExecContext(t.ctx, q, r...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// ClearAttempts forgets the ranges that end at upTo or before it.
func (s *Store) ClearAttempts(ctx context.Context, group, topic string, partition int, upTo int64) error {
	return s.write(ctx, "attempts", func(t *tx) error {
		_, err := t.ExecContext(t.ctx, "DELETE FROM attempt WHERE grp = $1 AND topic = $2 AND part = $3 AND to_off <= $4", group, topic, partition, upTo)
		return err
	})
}

// Refused counts the records that were not written because another one stood
// already and said something else, by kind.
func (s *Store) Refused(ctx context.Context) (map[string]int64, error) {
	rows, err := s.r.QueryContext(ctx, "SELECT kind, count(*) FROM refused GROUP BY kind")
	if err != nil {
		return nil, wrap("refused", err)
	}
	out := map[string]int64{}
	err = each(rows, func(r *sql.Rows) error {
		var kind string
		var n int64
		err := r.Scan(&kind, &n)
		out[kind] = n
		return err
	})
	return out, wrap("refused", err)
}
