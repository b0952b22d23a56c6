package stage

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// pause is a growing delay with jitter: 20 ms to 5 s.
type pause struct{ last time.Duration }

func (p *pause) reset() { p.last = 0 }

// sleep waits and reports whether ctx is still going.
func (p *pause) sleep(ctx context.Context) bool {
	p.last = min(max(2*p.last, 20*time.Millisecond), 5*time.Second)
	return sleep(ctx, p.last/2+time.Duration(rand.Int64N(int64(p.last))))
}

func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// logHeld says what a stage waits for, now and then: every partition of a stage
// waits for the same broker. Errors of stores and brokers carry no content.
func (s *session) logHeld(what string, err error) {
	s.Metrics.held(s.Stage)
	if s.fetching.Err() != nil && errors.Is(err, context.Canceled) {
		return
	}
	if s.said.now(what) {
		s.Log.LogAttrs(s.fetching, slog.LevelWarn, "held: "+what, slog.String("error", err.Error()))
	}
}

// nowAndThen lets a thing be said again after a while.
type nowAndThen struct {
	mu   sync.Mutex
	last map[string]time.Time
}

const sayAgain = 5 * time.Second

func (n *nowAndThen) now(what string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.last[what]) < sayAgain {
		return false
	}
	if n.last == nil {
		n.last = map[string]time.Time{}
	}
	n.last[what] = time.Now()
	return true
}
