package stage

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
	"golang.org/x/sync/semaphore"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// session is one generation of the consumer group: the partitions this process
// owns until the next rebalance, and what is in flight from them.
//
//	partition readers → workers (sharded by key) → ledger → produce → watermark → commit
//
// Everything between the arrows is bounded: bytes by the budget, messages by the
// window of each partition.
type session struct {
	*runner
	gen    *kafka.Generation
	over   chan struct{} // closed when everything has stopped
	parts  []*partition
	shards []chan *task
	decide chan *task // decided, in order per key, to the ledger
	stored chan []*task
	budget *semaphore.Weighted // bytes of messages in flight

	fetching context.Context // ends when the drain begins
	stopRead context.CancelFunc
	working  context.Context // ends when the drain is over
	stopWork context.CancelFunc

	inFlight atomic.Int64  // tasks that are neither finished nor abandoned
	idle     chan struct{} // signalled when inFlight falls to zero
	stuck    atomic.Int64  // calls of f that have not returned
	dirty    chan struct{} // a watermark moved
	broken   chan struct{} // a reader stopped that should not have
}

// partition is one assigned partition.
type partition struct {
	topic string
	id    int
	tier  int // 0: an input topic; 1…: a retry topic

	mu        sync.Mutex
	mark      *watermark
	moved     chan struct{} // signalled when the watermark moved, for the window
	committed int64
	end       int64 // the log's end, as last seen; 0 before
	blocks    [len(blockSizes)]block
	rows      [][2]int64 // first and last offset of what this session counted an attempt at and has not cleared
}

// blockSizes are the ranges that attempts are counted for: blocks, their parts, and
// single offsets. They begin at multiples of their size, and not where a fetch
// happens to, so that the next process counts the same row again however its fetches
// fall. One row covers a block, since a row a message would cost a ledger
// transaction each; the finer ones are counted only where a process died.
var blockSizes = [...]int64{256, 16, 1}

// block is a range whose attempts are counted: the one that ends before end.
type block struct {
	end     int64
	tries   int
	suspect bool // it was in work when a process died
}

// task is one message on its way.
type task struct {
	part   *partition
	offset int64 // in part; of a retried message, not Message.Offset
	size   int64
	shard  uint32 // its key's
	m      Message
	trace  Trace
	tier   int // retry tiers behind it
	panics int

	dead   chunk.FailureID // set: to be dead-lettered
	then   outcome
	step   Step
	stored ledger.Appended
	out    []kafka.Message
	lost   bool      // the drain began before its output could be made
	safe   chan bool // told once: false when the task is abandoned. Nil where nobody waits
	took   time.Time
}

type outcome int

const (
	outcomeDone outcome = iota
	outcomeRetry
	outcomeDead
)

func (o outcome) String() string { return [...]string{"done", "retry", "dead-letter"}[o] }

func newSession(r *runner, gen *kafka.Generation) *session {
	s := &session{
		runner: r, gen: gen,
		over:   make(chan struct{}),
		shards: make([]chan *task, r.Workers),
		decide: make(chan *task, 2*r.BatchSize),
		stored: make(chan []*task, 1),
		budget: semaphore.NewWeighted(r.BudgetBytes),
		idle:   make(chan struct{}, 1),
		dirty:  make(chan struct{}, 1),
		broken: make(chan struct{}, 1),
	}
	for i := range s.shards {
		s.shards[i] = make(chan *task, 16)
	}
	for topic, as := range gen.Assignments {
		for _, a := range as {
			p := &partition{
				topic: topic, id: a.ID, tier: r.tiers[topic],
				mark: newWatermark(a.Offset), committed: a.Offset,
				moved: make(chan struct{}, 1),
			}
			p.forget()
			s.parts = append(s.parts, p)
		}
	}
	return s
}

// forget makes every offset belong to a block that is not counted yet.
func (p *partition) forget() {
	for i := range p.blocks {
		p.blocks[i] = block{end: math.MinInt64}
	}
}

// run works until the generation is over or stop ends, then drains. stop is the
// whole stage's end, over the generation's.
func (s *session) run(stop, over context.Context) {
	s.fetching, s.stopRead = context.WithCancel(context.Background())
	s.working, s.stopWork = context.WithCancel(context.Background())
	defer s.stopRead()
	defer s.stopWork()

	s.Metrics.assigned(s.Stage, len(s.parts))
	s.Log.LogAttrs(stop, slog.LevelInfo, "partitions assigned", slog.Int("count", len(s.parts)), slog.Int("generation", int(s.gen.ID)))

	var workers, readers sync.WaitGroup
	for _, in := range s.shards {
		workers.Go(func() { s.work(in) })
	}
	var tail sync.WaitGroup
	tail.Go(s.ledgerLoop)
	tail.Go(s.produceLoop)
	tail.Go(s.commitLoop)
	for _, p := range s.parts {
		readers.Go(func() { s.read(p) })
	}

	drain := s.Drain
	select {
	case <-stop.Done(): // we stay in the group until the drain is over
	case <-over.Done(): // the others wait for us, and our session runs out
		drain = min(drain, s.SessionTimeout/2)
	case <-s.broken: // begin a new generation, from what is committed
	}

	// Drain: no more fetches, what is in flight is finished, what is held back
	// because a store is away is left to the next owner.
	s.stopRead()
	readers.Wait()
	deadline := time.NewTimer(drain)
	defer deadline.Stop()
	clean := false
wait:
	for {
		if s.inFlight.Load() == 0 {
			clean = true
			break
		}
		select {
		case <-s.idle:
		case <-deadline.C:
			break wait
		}
	}
	s.stopWork()
	tail.Wait()
	for i := 0; i < 3 && !s.commit(); i++ {
		time.Sleep(20 * time.Millisecond)
	}
	for i := 0; i < 20 && s.stuck.Load() > 0; i++ { // their context ended just now
		time.Sleep(10 * time.Millisecond)
	}
	if s.stuck.Load() == 0 {
		// This process ends in good order: whatever is unfinished did not kill it. A
		// call that does not return is another matter; its attempt stays counted.
		workers.Wait()
		s.forgetAttempts()
	}
	s.Metrics.inFlight(s.Stage, 0)
	if !clean {
		s.Log.LogAttrs(stop, slog.LevelWarn, "drain ended with messages unfinished; they are read again",
			slog.Int64("unfinished", s.inFlight.Load()), slog.Int64("stuck", s.stuck.Load()))
	}
	s.Metrics.assigned(s.Stage, 0)
}
