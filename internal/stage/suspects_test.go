package stage

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// TestSuspectsOfTwoStages: of all stages in a process one at a time has a suspect in
// work. If the one kills, the other's was not in work at its death, and is not accused.
func TestSuspectsOfTwoStages(t *testing.T) {
	r := newRig(t, 1)
	r.send(0, 1, 1)
	var inWork, most atomic.Int64
	var groups []string
	for _, name := range []string{"one", "other"} {
		cfg := r.config()
		cfg.Stage, cfg.Group = name, r.name+name
		groups = append(groups, cfg.Group)
		// A process died with the block in work, and with its part.
		for size := range blockSizes[:2] {
			if _, err := cfg.Ledger.BumpAttempts(t.Context(), cfg.Group, cfg.Topics[0], 0, 0, blockSizes[size]-1); err != nil {
				t.Fatal(err)
			}
		}
		r.run(cfg, func(_ context.Context, m Message) (Step, error) {
			n := inWork.Add(1)
			defer inWork.Add(-1)
			for most.Load() < n && !most.CompareAndSwap(most.Load(), n) {
			}
			for range 100 { // time for the other to come in, if it can
				if inWork.Load() > 1 {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			return decision(m, chunk.Clean, r.name+"out"), nil
		})
	}
	for _, g := range groups {
		waitFor(t, "both through", func() bool { return committedOffsets(t, r.kafka, g, r.name+"in")[0] == 1 })
	}
	if got := most.Load(); got != 1 {
		t.Errorf("%d suspects were in work at the same time, want one", got)
	}
}
