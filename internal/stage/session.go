package stage

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
	"math/rand/v2"
	"runtime"
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
	end       int64 // the log's end, as last seen
	blocks    [len(blockSizes)]block
	rows      []int64 // ends of the counted blocks that are not cleared yet
	counted   bool    // an attempt at a part or at one offset is counted and not cleared
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

// ---- reading ----

// fetchWait is how long the broker may hold a fetch that finds nothing.
const fetchWait = 2 * time.Second

// read is the reader of one partition: fetch, count the attempt durably, hand on.
func (s *session) read(p *partition) {
	var wait pause
	offset := p.mark.committable()
	for offset < 0 { // no commit yet: from the first record there is
		first, _, err := logRange(s.fetching, s.client, p.topic, p.id)
		if err == nil {
			offset = first
			p.mu.Lock()
			p.mark = newWatermark(first)
			p.committed = first
			p.mu.Unlock()
			break
		}
		s.logHeld("log range", err)
		if !wait.sleep(s.fetching) {
			return
		}
	}
	for s.fetching.Err() == nil {
		rs, next, end, err := fetch(s.fetching, s.client, p.topic, p.id, offset, s.FetchBytes, fetchWait)
		if errors.Is(err, errOutOfRange) {
			next, err = s.outOfRange(p, offset)
		}
		if err != nil && len(rs) == 0 {
			if s.fetching.Err() == nil {
				s.logHeld("fetch", err)
			}
			if !wait.sleep(s.fetching) {
				return
			}
			continue
		}
		wait.reset()
		if !s.handle(p, rs) {
			return
		}
		p.mu.Lock()
		p.mark.skip(next)
		p.end = end
		p.mu.Unlock()
		offset = next
	}
}

// outOfRange finds where to go on when the offset is not in the log any more.
// Either retention removed records that nobody processed, or the broker lost its
// tail. Both are alarms; going on from the first record there is replays much but
// loses nothing that is still there.
func (s *session) outOfRange(p *partition, offset int64) (int64, error) {
	first, end, err := logRange(s.fetching, s.client, p.topic, p.id)
	if err != nil {
		return offset, err
	}
	if first <= offset && offset <= end {
		return offset, errOutOfRange // seen between two states of the log; ask again
	}
	what := "records were removed before they were processed"
	if offset > end {
		what = "the broker's log is shorter than what was committed; reading it again from its start"
		p.mu.Lock()
		p.mark = newWatermark(first)
		p.committed = first
		p.forget()
		p.mu.Unlock()
	}
	s.Metrics.gap(s.Stage, p.topic)
	s.Log.LogAttrs(s.fetching, slog.LevelError, "offset out of range: "+what, slog.String("topic", p.topic),
		slog.Int("partition", p.id), slog.Int64("offset", offset), slog.Int64("first", first), slog.Int64("end", end))
	return first, nil
}

// room waits until the partition's window has room for another message.
func (s *session) room(p *partition) bool {
	for {
		p.mu.Lock()
		open := p.mark.open()
		p.mu.Unlock()
		if open < s.Window {
			return true
		}
		select {
		case <-p.moved:
		case <-s.fetching.Done():
			return false
		}
	}
}

// handle takes fetched records into work. It reports false when the drain began.
func (s *session) handle(p *partition, rs []fetched) bool {
	for len(rs) > 0 {
		if p.tier > 0 {
			if !s.again(p, &rs[0]) {
				return false
			}
			rs = rs[1:]
			continue
		}
		b := &p.blocks[0]
		if !s.count(p, b, blockSizes[0], rs[0].offset) {
			return false
		}
		n := upTo(rs, b.end)
		if b.suspect {
			if !s.replay(p, rs[:n]) {
				return false
			}
			rs = rs[n:]
			continue
		}
		s.hook(HookAfterFetch)
		if s.TestOrder == TestOrderCommitBeforeWork {
			_ = s.gen.CommitOffsets(map[string]map[int]int64{p.topic: {p.id: rs[n-1].offset + 1}})
		}
		for i := range rs[:n] {
			if !s.room(p) { // a batch can be larger than the window
				return false
			}
			t := s.admit(p, &rs[i])
			if t == nil || !s.send(t) {
				return false
			}
		}
		rs = rs[n:]
	}
	return true
}

// upTo counts the records below an offset.
func upTo(rs []fetched, end int64) int {
	for i := range rs {
		if rs[i].offset >= end {
			return i
		}
	}
	return len(rs)
}

// replay takes records of a suspect block into work: a process died with one of the
// block in work, and which one it was must come out. Blocks are tried in parts, then
// the part that was in work when it happened again one by one; and only one part at a
// time in this whole process, so that the one that kills takes no others with it.
func (s *session) replay(p *partition, rs []fetched) bool {
	for len(rs) > 0 {
		if !s.lockSuspects() {
			return false
		}
		n, ok := s.replayPart(p, rs)
		s.unlockSuspects()
		if !ok {
			return false
		}
		rs = rs[n:]
	}
	return true
}

func (s *session) replayPart(p *partition, rs []fetched) (n int, ok bool) {
	if !s.room(p) {
		return 0, false
	}
	part, alone := &p.blocks[1], &p.blocks[2]
	if !s.count(p, part, blockSizes[1], rs[0].offset) {
		return 0, false
	}
	tries := 1
	n = upTo(rs, part.end)
	if part.suspect {
		if !s.count(p, alone, blockSizes[2], rs[0].offset) {
			return 0, false
		}
		n, tries = 1, alone.tries
	}
	s.hook(HookAfterFetch)
	ts := make([]*task, 0, n)
	for i := range rs[:n] {
		t := s.admit(p, &rs[i])
		if t == nil {
			break
		}
		t.safe = make(chan bool, 1)
		s.accuse(t, tries)
		if !s.send(t) {
			break
		}
		ts = append(ts, t)
	}
	if len(ts) < n || !s.await(ts) {
		return 0, false
	}
	return n, s.clear(p, rs[n-1].offset)
}

// accuse gives a message up, unparsed, that was in work at too many deaths.
func (s *session) accuse(t *task, tries int) {
	t.m.Attempt = max(t.m.Attempt, tries)
	if tries > s.Attempts {
		t.m.Attempt = tries - 1 // this time it is not tried
		t.dead = chunk.FailPoison
	}
}

// await waits until everything in tasks that could kill a process is behind them,
// and reports whether it was: what is left is to publish what they made.
func (s *session) await(ts []*task) bool {
	for _, t := range ts {
		select {
		case ok := <-t.safe:
			if !ok {
				return false
			}
		case <-s.fetching.Done():
			return false
		}
	}
	return true
}

// again takes one record of a retry topic into work, when it is due. Its attempt is
// counted then and not before, so that a restart while it waits is not held against
// it, and for it alone, for such records are few.
func (s *session) again(p *partition, f *fetched) bool {
	r, ok := parseRetry(f.headers)
	if !ok || r.group != s.Group || !s.inputs[r.topic] {
		p.mu.Lock()
		p.mark.skip(f.offset + 1) // another stage's
		p.mu.Unlock()
		s.touch()
		return true
	}
	// A clock that is wrong, here or there, costs at most one delay.
	if !sleep(s.fetching, min(time.Until(r.due), s.Tiers[p.tier-1].Delay)) || !s.lockSuspects() {
		return false
	}
	defer s.unlockSuspects()
	b := &p.blocks[2]
	if !s.room(p) || !s.count(p, b, blockSizes[2], f.offset) {
		return false
	}
	s.hook(HookAfterFetch)
	t := s.admit(p, f)
	if t == nil {
		return false
	}
	t.safe = make(chan bool, 1)
	if !s.recall(t, r) {
		return false
	}
	t.m.Attempt = 1 + r.tier
	s.accuse(t, b.tries)
	return s.send(t) && s.await([]*task{t}) && s.clear(p, f.offset)
}

// clear forgets the attempts up to and including an offset. It must not be put off:
// an attempt that stays counted makes the next crash suspect the wrong message.
func (s *session) clear(p *partition, upTo int64) bool {
	var wait pause
	for {
		err := s.Ledger.ClearAttempts(s.working, s.Group, p.topic, p.id, upTo)
		if err == nil {
			p.counted = false
			return true
		}
		s.logHeld("clear attempts", err)
		if !wait.sleep(s.fetching) {
			return false
		}
	}
}

// recall brings a retried message back: the retry topic holds its position, not its
// value.
func (s *session) recall(t *task, r retryHeaders) bool {
	var wait pause
	for {
		f, err := fetchOne(s.fetching, s.client, r.topic, r.partition, r.offset, s.FetchBytes)
		if err == nil {
			s.load(t, &f, r.topic, r.partition)
			break
		}
		if errors.Is(err, errNotThere) {
			// Retention took it. What the retry record says is all there is left.
			t.m = Message{Topic: r.topic, Partition: r.partition, Offset: r.offset, Headers: r.labels}
			t.dead = chunk.FailPoison
			break
		}
		s.logHeld("fetch for retry", err)
		if !wait.sleep(s.fetching) {
			s.abandon(t)
			return false
		}
	}
	t.tier = r.tier
	return true
}

// admit takes a record into work: budget first, then the watermark. It gives nil
// when the drain began.
func (s *session) admit(p *partition, f *fetched) *task {
	t := &task{part: p, offset: f.offset, size: min(f.size(), s.BudgetBytes), took: time.Now()}
	if err := s.budget.Acquire(s.fetching, t.size); err != nil {
		return nil
	}
	s.load(t, f, p.topic, p.id)
	p.mu.Lock()
	p.mark.take(f.offset)
	p.mu.Unlock()
	s.inFlight.Add(1)
	s.Metrics.inFlight(s.Stage, s.inFlight.Load())
	return t
}

func (s *session) load(t *task, f *fetched, topic string, partition int) {
	var err error
	t.m, err = f.message(topic, partition)
	if err != nil {
		t.dead = reasonOf(err)
	}
	tr, ok := ParseTrace(t.m.Headers[HeaderTraceparent])
	if !ok {
		tr, _ = ParseTrace(t.m.Headers[headerPrefix+ExtTraceparent])
	}
	t.trace = tr.Child()
}

// send hands the task to the worker of its key.
func (s *session) send(t *task) bool {
	h := fnv.New32a()
	if t.m.Key != "" {
		_, _ = h.Write([]byte(t.m.Key))
	} else {
		fmt.Fprintf(h, "%s/%d", t.m.Topic, t.m.Partition)
	}
	t.shard = h.Sum32() % uint32(len(s.shards))
	select {
	case s.shards[t.shard] <- t:
		return true
	case <-s.fetching.Done():
		s.abandon(t)
		return false
	}
}

// count sees to it that an attempt at offset's block of this size is counted,
// durably, before the offset is parsed. While the ledger is away it holds.
func (s *session) count(p *partition, b *block, size, offset int64) bool {
	if offset < b.end {
		return true
	}
	from := offset &^ (size - 1)
	var wait pause
	for {
		n, err := s.Ledger.BumpAttempts(s.fetching, s.Group, p.topic, p.id, from, from+size-1)
		if err == nil {
			p.mu.Lock()
			*b = block{end: from + size, tries: n, suspect: n > 1}
			if b == &p.blocks[0] {
				p.rows = append(p.rows, b.end)
			} else {
				p.counted = true
			}
			p.mu.Unlock()
			return true
		}
		s.logHeld("count attempts", err)
		if !wait.sleep(s.fetching) {
			return false
		}
	}
}

// forgetAttempts forgets every attempt of this session's partitions.
func (s *session) forgetAttempts() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for _, p := range s.parts {
		p.mu.Lock()
		upTo := p.mark.taken - 1
		for _, b := range p.blocks {
			upTo = max(upTo, b.end-1)
		}
		need := len(p.rows) > 0 || p.counted
		p.mu.Unlock()
		if !need {
			continue
		}
		if err := s.Ledger.ClearAttempts(ctx, s.Group, p.topic, p.id, upTo); err != nil {
			s.logHeld("clear attempts", err)
			return
		}
	}
}

// ---- deciding ----

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
			}
			t.m.Attempt++
			s.Log.LogAttrs(ctx, slog.LevelError, "decision panicked", slog.String("position", t.m.Position()),
				slog.Int("attempt", t.panics), slog.String("trace", t.trace.TraceID()))
			continue
		}
		switch classify(err) {
		case nil:
			t.step = step
			s.pass(t)
			return
		case Transient:
			s.logHeld("decide", err)
			if !wait.sleep(s.fetching) {
				s.abandon(t)
				return
			}
		case Poison:
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

// classify gives the class of an error: nil, Transient, Poison or Retry. Where an
// error carries two, the one that keeps the message wins.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, Transient), errors.Is(err, ledger.ErrUnavailable), errors.Is(err, ledger.ErrClosed), errors.Is(err, context.Canceled):
		return Transient
	case errors.Is(err, Poison):
		return Poison
	default:
		return Retry
	}
}

// ---- ledger ----

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
		for _, t := range tasks {
			if b, ok := s.batch(t); ok {
				batches, of = append(batches, b), append(of, t)
			}
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
		if classify(err) != Transient && len(tasks) > 1 {
			var ready []*task
			for _, t := range tasks {
				ready = append(ready, s.append([]*task{t})...)
			}
			return ready
		}
		if classify(err) != Transient && tasks[0].then == outcomeDone {
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
func (s *session) batch(t *task) (ledger.Batch, bool) {
	switch t.then {
	case outcomeDone:
		b := t.step.Batch
		empty := b.Event == nil && len(b.Records)+len(b.Outbox)+len(b.Held)+len(b.Context)+len(b.Stubs) == 0
		return b, !empty
	case outcomeDead:
		return s.DeadLetter(t.m, t.dead, t.m.Attempt), true
	default:
		return ledger.Batch{}, false
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
		switch classify(err) {
		case nil:
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
		case Transient:
			s.logHeld("emit", err)
			if !wait.sleep(s.fetching) {
				t.lost = true
				return
			}
		case Poison:
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
		s.finish(t)
	}
}

// ---- produce ----

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

// ---- end of a message ----

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

// lockSuspects makes sure that one suspect at a time is in work in this process.
func (s *session) lockSuspects() bool {
	select {
	case s.suspects <- struct{}{}:
		return true
	case <-s.fetching.Done():
		return false
	}
}

func (s *session) unlockSuspects() { <-s.suspects }

func (s *session) touch() {
	select {
	case s.dirty <- struct{}{}:
	default:
	}
}

// ---- commit ----

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
		for len(p.rows) > 0 && p.rows[0] <= upTo[i] {
			clear, p.rows = p.rows[0]-1, p.rows[1:]
		}
		p.mu.Unlock()
		if clear >= 0 {
			if err := s.Ledger.ClearAttempts(s.working, s.Group, p.topic, p.id, clear); err != nil && s.working.Err() == nil {
				s.logHeld("clear attempts", err) // a row too many makes a replay slow, nothing else
			}
		}
	}
	return true
}

// ---- waiting ----

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
