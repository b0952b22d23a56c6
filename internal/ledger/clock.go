package ledger

import (
	"context"
	"time"
)

// Now gives the database's time. An embedded database has this machine's clock.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if !s.d.pg {
		return time.Now(), nil
	}
	var t time.Time
	err := s.r.QueryRowContext(ctx, "SELECT clock_timestamp()").Scan(&t)
	return t, wrap("clock", err)
}
