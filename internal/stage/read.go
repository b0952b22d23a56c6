package stage

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"slices"
	"time"

	"github.com/stoplog/stoplog/pkg/chunk"
)

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
			if s.fetching.Err() == nil {
				// A message was left behind without the drain having begun. No way leads
				// here; if one does, a partition must not stand still in silence.
				s.Log.LogAttrs(s.fetching, slog.LevelError, "partition reader stopped; the group is joined again", slog.String("topic", p.topic), slog.Int("partition", p.id))
				select {
				case s.broken <- struct{}{}:
				default:
				}
			}
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
		// One that is given up must not come again: were its attempts forgotten before
		// it is committed, it would kill anew when another one kills in between.
		for t.dead != "" {
			t.part.mu.Lock()
			committed := t.part.committed > t.offset
			t.part.mu.Unlock()
			if committed {
				break
			}
			if !sleep(s.fetching, 5*time.Millisecond) {
				return false
			}
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
			p.mu.Lock()
			p.cleared(upTo)
			p.mu.Unlock()
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
			p.rows = append(p.rows, [2]int64{from, from + size - 1})
			p.mu.Unlock()
			return true
		}
		s.logHeld("count attempts", err)
		if !wait.sleep(s.fetching) {
			return false
		}
	}
}

// cleared drops the rows that end at upTo or before it. It wants the lock held.
func (p *partition) cleared(upTo int64) {
	p.rows = slices.DeleteFunc(p.rows, func(r [2]int64) bool { return r[1] <= upTo })
}

// forgetAttempts takes back the attempts that this session counted. What it did not
// count stays: that a process died before this one is all that is known of a message
// that kills, and members come and go most while one does.
func (s *session) forgetAttempts() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for _, p := range s.parts {
		p.mu.Lock()
		rows, last := p.rows, p.end-1
		through := p.end > 0 && p.committed >= p.end
		p.mu.Unlock()
		if len(rows) == 0 {
			continue
		}
		var err error
		if through { // whatever died of one of these got behind it
			for _, r := range rows {
				last = max(last, r[1])
			}
			err = s.Ledger.ClearAttempts(ctx, s.Group, p.topic, p.id, last)
		} else {
			err = s.Ledger.UncountAttempts(ctx, s.Group, p.topic, p.id, rows...)
		}
		if err != nil {
			s.logHeld("forget attempts", err)
			return
		}
	}
}
