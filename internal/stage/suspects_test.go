package stage

import (
	"context"
	"fmt"
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

// TestEvidenceOutlivesARebalance: what is known of a message that kills is not forgotten
// by a process that comes between and does not reach it. Else each death and each start
// of a process, which make members come and go, would begin the search anew.
func TestEvidenceOutlivesARebalance(t *testing.T) {
	r := newRig(t, 1)
	const n = 40
	r.send(0, n, 4)
	cfg := r.config()
	count := func(from, to int64) int {
		r.mem.mu.Lock()
		defer r.mem.mu.Unlock()
		return r.mem.attempts[fmt.Sprint(cfg.Group, cfg.Topics[0], 0, from, to)]
	}
	// Processes died with the block in work, and with the part that begins at 16.
	for _, from := range []int64{0, 16} {
		size := blockSizes[0]
		if from > 0 {
			size = blockSizes[1]
		}
		if _, err := cfg.Ledger.BumpAttempts(t.Context(), cfg.Group, cfg.Topics[0], 0, from, from+size-1); err != nil {
			t.Fatal(err)
		}
	}
	var calls atomic.Int64
	stop := r.run(cfg, func(context.Context, Message) (Step, error) {
		calls.Add(1)
		return Step{}, Transient // a store is away: no further than this
	})
	waitFor(t, "the first part in work", func() bool { return calls.Load() > 0 })
	if got := [...]int{count(0, 255), count(0, 15), count(16, 31)}; got != [...]int{2, 1, 1} {
		t.Fatalf("attempts at the block, its first part and its second: %v", got)
	}
	stop()
	if got := [...]int{count(0, 255), count(0, 15), count(16, 31)}; got != [...]int{1, 0, 1} {
		t.Errorf("after a stop in good order, attempts at the block, its first part and its second: %v, want what was before it: [1 0 1]", got)
	}
	// One that gets behind everything clears everything.
	stop = r.run(cfg, func(_ context.Context, m Message) (Step, error) { return decision(m, chunk.Clean, r.name+"out"), nil })
	waitFor(t, "all committed", func() bool { return r.committedSum() == n })
	stop()
	if len(r.mem.attempts) != 0 {
		t.Errorf("attempts left: %v", r.mem.attempts)
	}
	r.wantOnce(n, false)
}
