package stage

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// ledgerLoop stores decided tasks. There is no timer that fills a batch: while one
// transaction is under way the next batch gathers, so a lone message waits for
// nobody and a flood comes in large batches.
func (s *session) ledgerLoop() {
	for {
		var batch []*task
		select {
		case t := <-s.decide:
			batch = append(batch, t)
		case <-s.working.Done():
			return
		}
	gather:
		for len(batch) < s.BatchSize {
			select {
			case t := <-s.decide:
				batch = append(batch, t)
			default:
				break gather
			}
		}
		s.store(batch)
	}
}

// store appends a batch of tasks, makes their output, and hands them on.
func (s *session) store(tasks []*task) {
	if s.TestOrder == TestOrderProduceBeforeLedger {
		s.testStoreWrongly(tasks)
		return
	}
	ready := s.append(tasks)
	if len(ready) == 0 {
		return
	}
	s.hook(HookAfterLedger)
	s.emit(ready)
	var dead []*task // what could not be published is given up, and that is a record of its own
	for _, t := range ready {
		if t.dead != "" && t.then != outcomeDead {
			t.then = outcomeDead
			dead = append(dead, t)
		}
	}
	if len(dead) > 0 {
		ready = without(ready, dead)
		dead = s.append(dead)
		s.emit(dead)
		ready = append(ready, dead...)
	}
	for _, t := range ready {
		t.tell(!t.lost)
	}
	select {
	case s.stored <- ready:
	case <-s.working.Done():
		s.abandon(ready...)
	}
}

// tell says whether the task came through alive. Only the first word counts.
func (t *task) tell(ok bool) {
	select {
	case t.safe <- ok:
	default:
	}
}

// append stores the records of tasks in one transaction and gives those that are
// stored. While the ledger is away it holds; a task whose records the ledger
// refuses is tried alone, then goes to retry.
func (s *session) append(tasks []*task) []*task {
	var wait pause
	for {
		var batches []ledger.Batch
		var of []*task
		var err error
		for _, t := range tasks {
			b, ok, e := s.batch(t)
			if ok {
				batches, of = append(batches, b), append(of, t)
			}
			if e != nil {
				err = e
			}
		}
		if err != nil { // no dead letter without its record
			s.logHeld("dead letter", err)
			if !wait.sleep(s.fetching) {
				s.abandon(tasks...)
				return nil
			}
			continue
		}
		if len(batches) == 0 {
			return tasks
		}
		start := time.Now()
		stored, err := s.Ledger.Append(s.working, batches...)
		s.Metrics.append(s.Stage, time.Since(start))
		if err == nil && len(stored) != len(batches) {
			err = fmt.Errorf("stage: ledger answered %d of %d batches: %w", len(stored), len(batches), Transient)
		}
		if err == nil {
			for i, t := range of {
				t.stored = stored[i]
			}
			return tasks
		}
		if classOf(err) != classTransient && len(tasks) > 1 {
			var ready []*task
			for _, t := range tasks {
				ready = append(ready, s.append([]*task{t})...)
			}
			return ready
		}
		if classOf(err) != classTransient && tasks[0].then == outcomeDone {
			s.retry(tasks[0], err)
			continue
		}
		// Nothing is ever given up without a record, so a dead letter waits here too.
		s.logHeld("append", err)
		if !wait.sleep(s.fetching) {
			s.abandon(tasks...)
			return nil
		}
	}
}

// batch gives what a task has for the ledger.
func (s *session) batch(t *task) (b ledger.Batch, ok bool, err error) {
	defer func() {
		if recover() != nil {
			b, ok, err = ledger.Batch{}, false, errors.New("stage: making a dead letter's records panicked")
		}
	}()
	switch t.then {
	case outcomeDone:
		b := t.step.Batch
		empty := b.Event == nil && len(b.Records)+len(b.Outbox)+len(b.Held)+len(b.Context)+len(b.Stubs) == 0
		return b, !empty, nil
	case outcomeDead:
		return s.DeadLetter(t.m, t.dead, t.m.Attempt), true, nil
	default:
		return ledger.Batch{}, false, nil
	}
}

// emit makes the output of stored tasks. Sealing costs time, so several processors
// share a batch; tasks of one key stay with one of them, in order.
func (s *session) emit(tasks []*task) {
	n := uint32(min(len(tasks), runtime.GOMAXPROCS(0)))
	var wg sync.WaitGroup
	for mine := range n {
		wg.Go(func() {
			for _, t := range tasks {
				if t.shard%n == mine {
					s.emitOne(t)
				}
			}
		})
	}
	wg.Wait()
}

func (s *session) emitOne(t *task) {
	switch t.then {
	case outcomeDead:
		t.out = []kafka.Message{deadLetterMessage(s.Stage, s.Group, s.DeadLetterTopic, t)}
		return
	case outcomeRetry:
		t.out = []kafka.Message{retryMessage(s.Config, t, time.Now())}
		return
	}
	if t.step.Emit == nil {
		return
	}
	var wait pause
	for {
		out, err, panicked := s.callEmit(t)
		if panicked {
			t.dead = chunk.FailPoison
			return
		}
		switch classOf(err) {
		case classNone:
			t.out = t.out[:0]
			for _, o := range out {
				m := outgoingMessage(o)
				continueTrace(&m, t)
				if messageSize(m) > MaxMessageBytes {
					t.dead = chunk.FailPoison // no broker would take it
					return
				}
				t.out = append(t.out, m)
			}
			return
		case classTransient:
			s.logHeld("emit", err)
			if !wait.sleep(s.fetching) {
				t.lost = true
				return
			}
		case classPoison:
			t.dead = reasonOf(err)
			return
		default:
			s.retry(t, err)
			if t.then == outcomeRetry {
				t.out = []kafka.Message{retryMessage(s.Config, t, time.Now())}
			} else {
				t.then = outcomeDone // store appends the dead letter's records first
			}
			return
		}
	}
}

func (s *session) callEmit(t *task) (out []ledger.Outgoing, err error, panicked bool) {
	defer func() {
		if recover() != nil {
			out, err, panicked = nil, nil, true
		}
	}()
	out, err = t.step.Emit(t.stored)
	return out, err, false
}

// testStoreWrongly is the control TestOrderProduceBeforeLedger: it publishes what
// was decided, and stores it afterwards.
func (s *session) testStoreWrongly(tasks []*task) {
	for _, t := range tasks {
		t.stored = ledger.Appended{Records: t.step.Batch.Records, Inserted: make([]bool, len(t.step.Batch.Records))}
	}
	s.emit(tasks)
	if !s.write(tasks) {
		s.abandon(tasks...)
		return
	}
	s.hook(HookAfterProduce)
	tasks = s.append(tasks)
	s.hook(HookAfterLedger)
	for _, t := range tasks {
		t.tell(true)
		s.finish(t)
	}
}

func (s *session) produceLoop() {
	for {
		select {
		case tasks := <-s.stored:
			tasks = s.dropLost(tasks)
			if !s.write(tasks) {
				s.abandon(tasks...)
				continue
			}
			s.hook(HookAfterProduce)
			for _, t := range tasks {
				s.finish(t)
			}
		case <-s.working.Done():
			return
		}
	}
}

// dropLost abandons tasks whose output could not be made before the drain.
func (s *session) dropLost(tasks []*task) []*task {
	kept := tasks[:0]
	for _, t := range tasks {
		if t.lost {
			s.abandon(t)
		} else {
			kept = append(kept, t)
		}
	}
	return kept
}

// write publishes the output of tasks in order and returns when all of it is
// acknowledged. It reports false when the drain ended first.
func (s *session) write(tasks []*task) bool {
	var msgs []kafka.Message
	size := 0
	for _, t := range tasks {
		for _, m := range t.out {
			n := messageSize(m)
			if len(msgs) == writeBatch || size+n > MaxMessageBytes {
				if !s.writeBatch(msgs) {
					return false
				}
				msgs, size = nil, 0
			}
			msgs, size = append(msgs, m), size+n
		}
	}
	return len(msgs) == 0 || s.writeBatch(msgs)
}

func (s *session) writeBatch(msgs []kafka.Message) bool {
	var wait pause
	for {
		start := time.Now()
		err := s.writer.WriteMessages(s.working, msgs...)
		s.Metrics.produce(s.Stage, time.Since(start))
		if err == nil {
			return true
		}
		msgs = unwritten(msgs, err)
		s.logHeld("produce", err)
		if !wait.sleep(s.working) {
			return false
		}
	}
}
