package stage

import (
	"log/slog"
	"time"
)

// finish marks a task done: everything it caused is durable.
func (s *session) finish(t *task) {
	p := t.part
	p.mu.Lock()
	p.mark.done(t.offset)
	p.mu.Unlock()
	select {
	case p.moved <- struct{}{}:
	default:
	}
	s.Metrics.message(s.Stage, p.topic, t.then, t.dead, time.Since(t.took))
	if t.then == outcomeDead {
		s.Log.LogAttrs(s.working, slog.LevelError, "message dead-lettered", slog.String("position", t.m.Position()),
			slog.String("reason", string(t.dead)), slog.Int("attempts", t.m.Attempt), slog.String("trace", t.trace.TraceID()))
	}
	if s.TestOrder == TestOrderCommitEachNoWatermark {
		_ = s.gen.CommitOffsets(map[string]map[int]int64{p.topic: {p.id: t.offset + 1}})
		s.hook(HookAfterCommit)
	}
	s.touch()
	s.release(t)
}

// abandon gives tasks up without a trace: they are not done, so they are read again.
func (s *session) abandon(tasks ...*task) {
	for _, t := range tasks {
		s.release(t)
	}
}

func (s *session) release(t *task) {
	s.budget.Release(t.size)
	n := s.inFlight.Add(-1)
	s.Metrics.inFlight(s.Stage, n)
	t.tell(false)
	if n == 0 {
		select {
		case s.idle <- struct{}{}:
		default:
		}
	}
}

// suspects holds one: who has put it in may have suspects in work. It is the
// process's and not a stage's, since a message kills the stages beside its own too: what
// they had in work alone at each of its deaths would be given up in its place.
var suspects = make(chan struct{}, 1)

// lockSuspects makes sure that one suspect at a time is in work in this process.
func (s *session) lockSuspects() bool {
	select {
	case suspects <- struct{}{}:
		return true
	case <-s.fetching.Done():
		return false
	}
}

func (s *session) unlockSuspects() { <-suspects }

func (s *session) touch() {
	select {
	case s.dirty <- struct{}{}:
	default:
	}
}

func (s *session) commitLoop() {
	var wait pause
	for {
		select {
		case <-s.dirty:
		case <-s.working.Done():
			return
		}
		if s.commit() {
			wait.reset()
			if !sleep(s.working, s.CommitEvery) {
				return
			}
			continue
		}
		// Perhaps no message comes after this one to try again with.
		s.touch()
		if !wait.sleep(s.working) {
			return
		}
	}
}

// commit commits the watermarks that moved, through the generation: the broker
// refuses it when the partitions belong to another member by now. What a commit that
// failed covered is covered by the next one, or read again by the next owner, and the
// ledger knows it.
func (s *session) commit() (ok bool) {
	if s.TestOrder == TestOrderCommitBeforeWork || s.TestOrder == TestOrderCommitEachNoWatermark {
		return true
	}
	offsets := map[string]map[int]int64{}
	var moved []*partition
	var upTo []int64
	lag := map[string]int64{}
	for _, p := range s.parts {
		p.mu.Lock()
		c := p.mark.committable()
		if c != p.committed && c >= 0 {
			if offsets[p.topic] == nil {
				offsets[p.topic] = map[int]int64{}
			}
			offsets[p.topic][p.id] = c
			moved, upTo = append(moved, p), append(upTo, c)
		}
		lag[p.topic] += max(0, p.end-c)
		p.mu.Unlock()
	}
	for topic, n := range lag {
		s.Metrics.lag(s.Stage, topic, n)
	}
	if len(moved) == 0 {
		return true
	}
	s.hook(HookBeforeCommit)
	if err := s.gen.CommitOffsets(offsets); err != nil {
		s.Metrics.commit(s.Stage, false)
		s.Log.LogAttrs(s.working, slog.LevelInfo, "commit failed", slog.String("error", err.Error()))
		return false
	}
	s.Metrics.commit(s.Stage, true)
	s.hook(HookAfterCommit)
	for i, p := range moved {
		p.mu.Lock()
		p.committed = upTo[i]
		clear := int64(-1)
		for _, r := range p.rows {
			if r[1] < upTo[i] {
				clear = max(clear, r[1])
			}
		}
		p.cleared(clear)
		p.mu.Unlock()
		if clear >= 0 {
			if err := s.Ledger.ClearAttempts(s.working, s.Group, p.topic, p.id, clear); err != nil && s.working.Err() == nil {
				s.logHeld("clear attempts", err) // a row too many makes a replay slow, nothing else
			}
		}
	}
	return true
}
