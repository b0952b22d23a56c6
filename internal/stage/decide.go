package stage

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// work decides about the messages of the keys that fall to one worker.
func (s *session) work(in chan *task) {
	for {
		select {
		case t := <-in:
			s.one(t)
		case <-s.working.Done():
			return
		}
	}
}

// one decides about a task and hands it on.
func (s *session) one(t *task) {
	var wait pause
	ctx := WithTrace(s.working, t.trace)
	for t.dead == "" {
		start := time.Now()
		step, err, panicked := s.call(ctx, t.m)
		s.Metrics.decide(s.Stage, time.Since(start))
		s.hook(HookAfterDecide)
		if panicked {
			if t.panics++; t.panics >= s.Attempts {
				t.dead = chunk.FailPoison
			} else {
				t.m.Attempt++
			}
			s.Log.LogAttrs(ctx, slog.LevelError, "decision panicked", slog.String("position", t.m.Position()),
				slog.Int("attempt", t.panics), slog.String("trace", t.trace.TraceID()))
			continue
		}
		switch classOf(err) {
		case classNone:
			t.step = step
			s.pass(t)
			return
		case classTransient:
			s.logHeld("decide", err)
			if !wait.sleep(s.fetching) {
				s.abandon(t)
				return
			}
		case classPoison:
			t.dead = reasonOf(err)
		default:
			s.retry(t, err)
			s.pass(t)
			return
		}
	}
	t.then = outcomeDead
	s.pass(t)
}

// retry sends a task to its next retry tier, or to the dead letter after the last.
func (s *session) retry(t *task, err error) {
	if t.tier >= len(s.Tiers) {
		t.dead, t.then = reasonOf(err), outcomeDead
		return
	}
	t.then = outcomeRetry
	s.Log.LogAttrs(s.working, slog.LevelWarn, "message will be tried again", slog.String("position", t.m.Position()),
		slog.Int("tier", t.tier+1), slog.String("trace", t.trace.TraceID()), slog.String("error", err.Error()))
}

// pass hands a decided task to the ledger.
func (s *session) pass(t *task) {
	select {
	case s.decide <- t:
	case <-s.working.Done():
		s.abandon(t)
	}
}

// call runs f. A panic is a failed attempt: it neither ends the process nor counts
// as a decision. Its value is not logged, since it could quote content.
func (s *session) call(ctx context.Context, m Message) (step Step, err error, panicked bool) {
	s.stuck.Add(1)
	defer s.stuck.Add(-1)
	defer func() {
		if recover() != nil {
			step, err, panicked = Step{}, nil, true
		}
	}()
	step, err = s.f(ctx, m)
	return step, err, false
}

// errorClass is what a step's error means for its message.
type errorClass uint8

const (
	classNone errorClass = iota
	classTransient
	classRetry
	classPoison
)

// classOf gives the class of an error. Where an error carries two, the one that keeps the
// message wins; an error of none is tried again.
func classOf(err error) errorClass {
	switch {
	case err == nil:
		return classNone
	case errors.Is(err, Transient), errors.Is(err, ledger.ErrUnavailable), errors.Is(err, ledger.ErrClosed), errors.Is(err, context.Canceled):
		return classTransient
	case errors.Is(err, Poison):
		return classPoison
	default:
		return classRetry
	}
}
