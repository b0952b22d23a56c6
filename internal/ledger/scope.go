package ledger

import (
	"context"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// ScopeEvents gives the events whose content is sealed under a scope's key: those of
// a run, or the one document of a collection. No index serves it: it is for erasure.
func (s *Store) ScopeEvents(ctx context.Context, scope chunk.ID) ([]Event, error) {
	return list(ctx, s, "scope events", scanEvent, "SELECT "+eventColumns+" FROM event WHERE scope = $1 ORDER BY n", string(scope))
}
