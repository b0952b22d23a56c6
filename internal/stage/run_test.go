package stage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// wantOnce checks that every message from 0 to n is published, and says what the
// ledger says. Doubles are allowed where dups is.
func (r *rig) wantOnce(n int, dups bool) {
	r.t.Helper()
	seen := map[string]int{}
	for _, rec := range r.all("out") {
		seen[rec.headers["ce_id"]]++
		stored, ok := r.mem.bySubj["scan "+string(chunk.ChunkID(chunk.ID(rec.headers["ce_id"]), 0))]
		if !ok {
			r.t.Fatalf("message %s is published and not in the ledger", rec.value)
		}
		if (stored.Kind == provenance.KindInjectionHit) != (rec.headers["verdict"] == "quarantine") {
			r.t.Fatalf("message %s is published as %s, the ledger says %s", rec.value, rec.headers["verdict"], stored.Kind)
		}
	}
	for i := range n {
		switch c := seen[string(testEvent(i))]; {
		case c == 0:
			r.t.Fatalf("message %d is lost", i)
		case c > 1 && !dups:
			r.t.Fatalf("message %d is published %d times", i, c)
		}
	}
	if len(seen) != n {
		r.t.Fatalf("%d messages published, want %d", len(seen), n)
	}
}

func randomVerdict() chunk.Verdict {
	if rand.IntN(2) == 0 {
		return chunk.Clean
	}
	return chunk.Quarantine
}

// TestRunOrder: one run's messages are decided, recorded and published in order;
// runs go in parallel.
func TestRunOrder(t *testing.T) {
	r := newRig(t, 3)
	const n, runs = 3000, 20
	r.send(0, n, runs)
	var mu sync.Mutex
	last := map[string]int{}
	var inside, most atomic.Int64
	stop := r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
		most.Store(max(most.Load(), inside.Add(1)))
		defer inside.Add(-1)
		if rand.IntN(50) == 0 {
			time.Sleep(time.Millisecond)
		}
		i, _ := strconv.Atoi(string(m.Value))
		mu.Lock()
		if prev, ok := last[m.Key]; ok && i <= prev {
			t.Errorf("run %s: %d decided after %d", m.Key, i, prev)
		}
		last[m.Key] = i
		mu.Unlock()
		return decision(m, randomVerdict(), r.name+"out"), nil
	})
	waitFor(t, "all committed", func() bool { return r.committedSum() == n })
	stop()
	if most.Load() < 2 {
		t.Error("nothing was decided in parallel")
	}
	r.wantOnce(n, false)
	for name, order := range map[string][]string{"topic": keysValues(r.all("out")), "ledger": ledgerOrder(r.mem)} {
		last := map[string]int{}
		for _, kv := range order {
			key, v, _ := strings.Cut(kv, " ")
			i, _ := strconv.Atoi(v)
			if prev, ok := last[key]; ok && i <= prev {
				t.Fatalf("%s: run %s: %d after %d", name, key, i, prev)
			}
			last[key] = i
		}
		if len(last) != runs {
			t.Fatalf("%s: %d runs, want %d", name, len(last), runs)
		}
	}
	if r.mem.batches == r.mem.appends {
		t.Error("decisions never shared a ledger transaction")
	}
}

func keysValues(rs []record) (out []string) {
	for _, r := range rs {
		out = append(out, r.key+" "+r.value)
	}
	return out
}

func ledgerOrder(l *memLedger) (out []string) {
	number := map[chunk.ID]string{}
	for i := range 3000 {
		number[chunk.ChunkID(testEvent(i), 0)] = strconv.Itoa(i)
	}
	for _, rec := range l.order {
		out = append(out, string(rec.Run)+" "+number[rec.Subject])
	}
	return out
}

// TestCleanStop: after a stop everything in flight is finished and committed, and
// the next start replays nothing.
func TestCleanStop(t *testing.T) {
	r := newRig(t, 3)
	const n = 2000
	r.send(0, n, 50)
	var calls atomic.Int64
	f := func(_ context.Context, m Message) (Step, error) {
		calls.Add(1)
		time.Sleep(200 * time.Microsecond)
		return decision(m, randomVerdict(), r.name+"out"), nil
	}
	stops := 0
	for r.committedSum() < n {
		stop := r.run(r.config(), f)
		before := calls.Load()
		waitFor(t, "some work", func() bool { return calls.Load() >= min(before+300, n) })
		stop()
		stops++
		if c, done := r.committedSum(), calls.Load(); c != done {
			t.Fatalf("stop %d: %d decided, %d committed: %d would be replayed", stops, done, c, done-c)
		}
		if len(r.mem.attempts) != 0 {
			t.Fatalf("stop %d: attempts are still counted: %v", stops, r.mem.attempts)
		}
	}
	if stops < 3 {
		t.Fatalf("only %d stops", stops)
	}
	if calls.Load() != n {
		t.Fatalf("%d decisions about %d messages", calls.Load(), n)
	}
	r.wantOnce(n, false)
}

// TestPoison: what is given up ends in the dead letter with a reason and in the
// ledger, at once, and holds nobody up. No payload and no error text goes with it.
//
// SPEC: PRV-2, PRV-9
func TestPoison(t *testing.T) {
	for name, c := range map[string]struct {
		fail     func() error
		reason   chunk.FailureID
		attempts string
	}{
		"error":             {func() error { return fmt.Errorf("secret text: %w", Poison) }, chunk.FailPoison, "1"},
		"error with reason": {func() error { return PoisonAs(chunk.FailIntegrity) }, chunk.FailIntegrity, "1"},
		"unknown reason":    {func() error { return PoisonAs("made up") }, chunk.FailPoison, "1"},
		"panic":             {func() error { panic("secret text") }, chunk.FailPoison, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 2)
			const n, bad = 300, 137
			r.send(0, n, 10)
			var tries atomic.Int64
			stop := r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
				if string(m.Value) == strconv.Itoa(bad) {
					tries.Add(1)
					return Step{}, c.fail()
				}
				return decision(m, chunk.Clean, r.name+"out"), nil
			})
			waitFor(t, "all committed", func() bool { return r.committedSum() == n })
			stop()
			dead := r.all("dead")
			if len(dead) != 1 {
				t.Fatalf("%d dead letters, want 1", len(dead))
			}
			d := dead[0]
			want := map[string]string{
				"ce_specversion": "1.0", "ce_type": "stoplog.deadletter.v1", "ce_source": "/stoplog/stage/test",
				"ce_stoplogreason": string(c.reason), "ce_stoplogstage": "test", "ce_stoplogtopic": r.name + "in",
				"ce_stoplogattempts": c.attempts, "ce_correlationid": string(testEvent(bad)), "ce_stoplogtenant": "default",
			}
			for k, v := range want {
				if d.headers[k] != v {
					t.Errorf("dead letter header %s is %q, want %q", k, d.headers[k], v)
				}
			}
			if d.value != "" || strings.Contains(fmt.Sprint(d.headers), "secret") {
				t.Errorf("the dead letter carries payload or error text: %q %v", d.value, d.headers)
			}
			if d.key != string(chunk.NewID("run", strconv.Itoa(bad%10))) {
				t.Errorf("dead letter key %q is not the run", d.key)
			}
			if got := r.mem.count(provenance.KindDeadLetter); got != 1 {
				t.Errorf("%d dead-letter records", got)
			}
			if got := len(r.all("out")); got != n-1 {
				t.Errorf("%d messages published, want %d", got, n-1)
			}
			if name == "panic" && tries.Load() != 3 || name != "panic" && tries.Load() != 1 {
				t.Errorf("%d tries", tries.Load())
			}
		})
	}
}

// TestEmitFailures: the same classes hold for what is made of the stored records.
func TestEmitFailures(t *testing.T) {
	r := newRig(t, 1)
	const n = 60
	r.send(0, n, 10)
	var transient, retried atomic.Int64
	stop := r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
		s := decision(m, chunk.Clean, r.name+"out")
		emit := s.Emit
		s.Emit = func(a ledger.Appended) ([]ledger.Outgoing, error) {
			switch string(m.Value) {
			case "10":
				return nil, PoisonAs(chunk.FailErased)
			case "20":
				panic("in emit")
			case "30":
				if transient.Add(1) < 3 {
					return nil, Transient
				}
			case "40":
				if retried.Add(1) < 3 {
					return nil, errors.New("of no class")
				}
			case "50":
				return []ledger.Outgoing{{Topic: r.name + "out", Value: make([]byte, MaxMessageBytes)}}, nil
			case "51":
				return nil, Retry
			}
			return emit(a)
		}
		return s, nil
	})
	waitFor(t, "four dead letters", func() bool { return r.mem.count(provenance.KindDeadLetter) == 4 })
	waitFor(t, "the retried message", func() bool { return len(r.all("out")) == n-4 })
	stop()
	reasons := map[string]int{}
	for _, d := range r.all("dead") {
		reasons[d.headers["ce_stoplogreason"]]++
	}
	if want := map[string]int{"erased": 1, "poison": 3}; !maps.Equal(reasons, want) {
		t.Errorf("dead letters %v, want %v", reasons, want)
	}
	if retried.Load() != 3 || transient.Load() != 3 {
		t.Errorf("%d and %d tries", retried.Load(), transient.Load())
	}
}

// TestRetryTiers: a message-specific fault sends one message through the tiers with
// their delays; the others pass. Topic and offset stay those of the first time.
func TestRetryTiers(t *testing.T) {
	r := newRig(t, 2)
	const n = 200
	r.send(0, n, 10)
	type try struct {
		at time.Time
		m  Message
	}
	var mu sync.Mutex
	tries := map[string][]try{}
	stop := r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
		v := string(m.Value)
		mu.Lock()
		tries[v] = append(tries[v], try{time.Now(), m})
		k := len(tries[v])
		mu.Unlock()
		if v == "50" && k < 3 || v == "60" {
			return Step{}, fmt.Errorf("not yet: %w", Retry)
		}
		return decision(m, chunk.Clean, r.name+"out"), nil
	})
	waitFor(t, "the dead letter of message 60", func() bool { return r.mem.count(provenance.KindDeadLetter) == 1 })
	waitFor(t, "all published but one", func() bool { return len(r.all("out")) == n-1 })
	stop()
	for _, v := range []string{"50", "60"} {
		ts := tries[v]
		if len(ts) != 3 {
			t.Fatalf("message %s was tried %d times, want 3", v, len(ts))
		}
		for i, delay := range []time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond} {
			if i > 0 && ts[i].at.Sub(ts[i-1].at) < delay {
				t.Errorf("message %s came back after %v, before its delay of %v", v, ts[i].at.Sub(ts[i-1].at), delay)
			}
			m := ts[i].m
			if m.Topic != r.name+"in" || m.Offset != ts[0].m.Offset || m.Partition != ts[0].m.Partition || m.Attempt != i+1 || m.Key != ts[0].m.Key {
				t.Errorf("message %s, try %d: %s key %q attempt %d", v, i+1, m.Position(), m.Key, m.Attempt)
			}
		}
	}
	for _, topic := range []string{"retry.1", "retry.2"} {
		rs := r.all(topic)
		if len(rs) != 2 {
			t.Errorf("%s holds %d records, want 2", topic, len(rs))
		}
		for _, rec := range rs {
			if !rec.tombstone {
				t.Errorf("%s carries a value", topic)
			}
		}
	}
	if len(r.mem.attempts) != 0 {
		t.Errorf("attempts left: %v", r.mem.attempts)
	}
}

// TestRetryOfAnotherGroup: the retry topics are shared; a stage passes over what is
// not its own, and over what nobody could have written.
func TestRetryOfAnotherGroup(t *testing.T) {
	r := newRig(t, 1)
	r.send(0, 1, 1)
	w := NewWriter(r.kafka)
	defer w.Close()
	good := Config{Group: r.name + "group", Tiers: r.config().Tiers}
	other := good
	other.Group = "somebody-else"
	m := Message{Topic: r.name + "in"}
	foreign := m
	foreign.Topic = r.name + "dead" // a topic this stage does not read
	gone := m
	gone.Offset = 999
	gone.Headers = map[string]string{"ce_id": string(testEvent(7)), "ce_subject": "not an id of ours"}
	ms := []kafka.Message{
		retryMessage(other, &task{m: m}, time.Now()),
		{Topic: r.name + "retry.1", Value: []byte("noise")},
		retryMessage(good, &task{m: foreign}, time.Now()),
		retryMessage(good, &task{m: gone}, time.Now()),
	}
	if err := w.WriteMessages(t.Context(), ms...); err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int64
	stop := r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
		calls.Add(1)
		return decision(m, chunk.Clean, r.name+"out"), nil
	})
	waitFor(t, "the retry topic is passed", func() bool {
		return committedOffsets(t, r.kafka, r.name+"group", r.name+"retry.1")[0] == 4
	})
	stop()
	if calls.Load() != 1 {
		t.Errorf("%d decisions, want 1", calls.Load())
	}
	dead := r.all("dead")
	if len(dead) != 1 || dead[0].headers["ce_correlationid"] != string(testEvent(7)) || dead[0].headers["ce_subject"] != "" {
		t.Errorf("a retry whose message is gone: dead letters %v", dead)
	}
}

// TestTransient: while a store is away nothing is committed, nothing is given up,
// and the member stays in its group; then everything goes on.
func TestTransient(t *testing.T) {
	for name, way := range map[string]string{"ledger": "ledger", "decision": "decision"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 2)
			cfg := r.config()
			cfg.SessionTimeout, cfg.RebalanceTimeout = 6*time.Second, 6*time.Second
			var assigned, calls atomic.Int64
			var away atomic.Bool
			cfg.Log = testLog()
			const n = 200
			stop := r.run(cfg, func(_ context.Context, m Message) (Step, error) {
				calls.Add(1)
				if way == "decision" && away.Load() {
					return Step{}, fmt.Errorf("vault: %w", Transient)
				}
				return decision(m, randomVerdict(), r.name+"out"), nil
			})
			_ = assigned.Load()
			r.send(0, n, 10)
			waitFor(t, "the first part", func() bool { return r.committedSum() == n })
			away.Store(true)
			if way == "ledger" {
				r.mem.setFail(fmt.Errorf("%w: connection refused", ledger.ErrUnavailable))
			}
			r.send(n, 2*n, 10)
			time.Sleep(500 * time.Millisecond)
			if got := r.committedSum(); got != n {
				t.Errorf("%d committed while the store was away, want %d", got, n)
			}
			away.Store(false)
			r.mem.setFail(nil)
			waitFor(t, "the rest", func() bool { return r.committedSum() == 2*n })
			stop()
			r.wantOnce(2*n, false)
			if got := r.mem.count(provenance.KindDeadLetter) + len(r.all("retry.1")); got != 0 {
				t.Errorf("%d messages went to retry or dead letter", got)
			}
		})
	}
}

// TestRefusedRecord: a record the ledger refuses for what it is goes to retry and
// then to the dead letter, alone.
func TestRefusedRecord(t *testing.T) {
	r := newRig(t, 1)
	bad := chunk.ChunkID(testEvent(33), 0)
	r.mem.refuse = func(rec provenance.Record) error {
		if rec.Subject == bad {
			return errors.New("ledger: malformed record")
		}
		return nil
	}
	const n = 100
	r.send(0, n, 10)
	stop := r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
		return decision(m, chunk.Clean, r.name+"out"), nil
	})
	waitFor(t, "the dead letter", func() bool { return r.mem.count(provenance.KindDeadLetter) == 1 })
	waitFor(t, "the others", func() bool { return len(r.all("out")) == n-1 })
	stop()
}

// TestByteBudget: however much waits, no more than the budget is in work.
func TestByteBudget(t *testing.T) {
	r := newRig(t, 3)
	const n, size, budget = 120, 10_000, 100_000
	w := NewWriter(r.kafka)
	defer w.Close()
	for i := range n {
		err := w.WriteMessages(t.Context(), kafka.Message{Topic: r.name + "in", Key: []byte(chunk.NewID("run", strconv.Itoa(i))),
			Headers: []kafka.Header{{Key: "ce_id", Value: []byte(testEvent(i))}}, Value: make([]byte, size)})
		if err != nil {
			t.Fatal(err)
		}
	}
	cfg := r.config()
	cfg.BudgetBytes, cfg.Workers = budget, 64
	var now, most atomic.Int64
	stop := r.run(cfg, func(_ context.Context, m Message) (Step, error) {
		most.Store(max(most.Load(), now.Add(int64(len(m.Value)))))
		time.Sleep(2 * time.Millisecond)
		now.Add(-int64(len(m.Value)))
		return decision(m, chunk.Clean, r.name+"out"), nil
	})
	waitFor(t, "all committed", func() bool { return r.committedSum() == n })
	stop()
	if most.Load() > budget {
		t.Errorf("%d bytes in work, budget %d", most.Load(), budget)
	}
	if most.Load() < 3*size {
		t.Errorf("only %d bytes were ever in work: the budget was not what held", most.Load())
	}
	r.wantOnce(n, false)
}

// TestLargerThanBudget: a message larger than the whole budget still passes.
func TestLargerThanBudget(t *testing.T) {
	r := newRig(t, 1)
	w := NewWriter(r.kafka)
	defer w.Close()
	for i := range 3 {
		if err := w.WriteMessages(t.Context(), kafka.Message{Topic: r.name + "in", Headers: []kafka.Header{{Key: "ce_id", Value: []byte(testEvent(i))}}, Value: make([]byte, 800_000)}); err != nil {
			t.Fatal(err)
		}
	}
	cfg := r.config()
	cfg.BudgetBytes, cfg.FetchBytes = 1000, 1000
	stop := r.run(cfg, func(_ context.Context, m Message) (Step, error) {
		s := decision(m, chunk.Clean, r.name+"out")
		return s, nil
	})
	waitFor(t, "all committed", func() bool { return r.committedSum() == 3 })
	stop()
}

// TestWindow: one message that does not end holds its partition's watermark, and
// the partition takes no more than the window past it.
func TestWindow(t *testing.T) {
	r := newRig(t, 1)
	const n = 500
	r.send(0, n, 100)
	cfg := r.config()
	cfg.Window, cfg.FetchBytes, cfg.Workers = 50, 2000, 16
	release := make(chan struct{})
	var calls atomic.Int64
	stop := r.run(cfg, func(_ context.Context, m Message) (Step, error) {
		if string(m.Value) == "5" {
			<-release
		}
		calls.Add(1)
		return decision(m, chunk.Clean, r.name+"out"), nil
	})
	waitFor(t, "work past the one that hangs", func() bool { return calls.Load() > 30 })
	time.Sleep(300 * time.Millisecond)
	if got := calls.Load(); got > 55 {
		t.Errorf("%d messages taken past one that hangs, window 50", got)
	}
	if got := r.committedSum(); got != 5 {
		t.Errorf("committed %d while message 5 is unfinished", got)
	}
	close(release)
	waitFor(t, "all committed", func() bool { return r.committedSum() == n })
	stop()
	r.wantOnce(n, false)
}

// TestStuckDecision: a decision that never returns does not keep the stage from
// stopping; its attempt stays counted.
func TestStuckDecision(t *testing.T) {
	r := newRig(t, 1)
	r.send(0, 10, 10)
	cfg := r.config()
	cfg.Drain = 200 * time.Millisecond
	hang := make(chan struct{})
	var calls atomic.Int64
	stop := r.run(cfg, func(_ context.Context, m Message) (Step, error) {
		if calls.Add(1); string(m.Value) == "3" {
			<-hang
		}
		return decision(m, chunk.Clean, r.name+"out"), nil
	})
	waitFor(t, "the one that hangs", func() bool { return calls.Load() >= 4 })
	time.Sleep(100 * time.Millisecond)
	stop()
	if len(r.mem.attempts) == 0 {
		t.Error("the attempt at a message that hangs was forgotten")
	}
	if got := r.committedSum(); got > 3 {
		t.Errorf("committed %d past message 3", got)
	}
	close(hang)
	stop = r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
		return decision(m, chunk.Clean, r.name+"out"), nil
	})
	waitFor(t, "all committed", func() bool { return r.committedSum() == 10 })
	stop()
	r.wantOnce(10, true)
}

// TestTombstones: records without a value, without a key, and with doubled headers.
func TestTombstones(t *testing.T) {
	r := newRig(t, 1)
	w := NewWriter(r.kafka)
	defer w.Close()
	id := func(i int) kafka.Header { return kafka.Header{Key: "ce_id", Value: []byte(testEvent(i))} }
	if err := w.WriteMessages(t.Context(),
		kafka.Message{Topic: r.name + "in", Key: []byte("k"), Headers: []kafka.Header{id(0)}},
		kafka.Message{Topic: r.name + "in", Key: []byte("k"), Value: []byte{}, Headers: []kafka.Header{id(1)}},
		kafka.Message{Topic: r.name + "in", Value: []byte("x"), Headers: []kafka.Header{id(2), id(2)}},
		kafka.Message{Topic: r.name + "in", Value: []byte("x"), Headers: []kafka.Header{id(3), {Key: "ce_id", Value: []byte("other")}}},
	); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []string
	stop := r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, fmt.Sprintf("%d nil=%v len=%d key=%q", m.Offset, m.Value == nil, len(m.Value), m.Key))
		return Step{}, nil
	})
	waitFor(t, "all committed", func() bool { return r.committedSum() == 4 })
	stop()
	slices.Sort(got)
	want := []string{`0 nil=true len=0 key="k"`, `1 nil=false len=0 key="k"`, `2 nil=false len=1 key=""`}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if n := len(r.all("dead")); n != 1 {
		t.Errorf("%d dead letters, want 1 for the doubled header", n)
	}
}

// TestRebalance: members join and leave under load. Nothing is lost, what is
// published is what is stored, and committed offsets never fall.
func TestRebalance(t *testing.T) {
	r := newRig(t, 6)
	const n = 6000
	f := func(_ context.Context, m Message) (Step, error) {
		time.Sleep(300 * time.Microsecond)
		return decision(m, randomVerdict(), r.name+"out"), nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	var looks atomic.Int64
	watch.Go(func() {
		last := map[int]int64{}
		for ctx.Err() == nil {
			for p, o := range r.committed() {
				o = max(o, 0) // -1: none yet
				if o < last[p] {
					t.Errorf("partition %d: committed offset fell from %d to %d", p, last[p], o)
				}
				last[p] = max(last[p], o)
			}
			looks.Add(1)
			time.Sleep(10 * time.Millisecond)
		}
	})
	stopA := r.run(r.config(), f)
	var send sync.WaitGroup
	send.Go(func() {
		for i := 0; i < n; i += 100 {
			r.send(i, i+100, 97)
			time.Sleep(20 * time.Millisecond)
		}
	})
	const joins = 4
	for range joins {
		stopB := r.run(r.config(), f)
		time.Sleep(300 * time.Millisecond)
		stopB()
	}
	stopC := r.run(r.config(), f)
	stopA()
	send.Wait()
	waitFor(t, "all committed", func() bool { return r.committedSum() == n })
	stopC()
	cancel()
	watch.Wait()
	if looks.Load() < 20 {
		t.Fatalf("looked at the committed offsets only %d times", looks.Load())
	}
	r.wantOnce(n, true)
}

// TestBadConfig: what is missing is named before anything is dialled.
func TestBadConfig(t *testing.T) {
	r := &rig{t: t, mem: newMemLedger(), kafka: Kafka{Brokers: []string{"127.0.0.1:1"}}}
	f := func(context.Context, Message) (Step, error) { return Step{}, nil }
	for name, spoil := range map[string]func(*Config){
		"brokers":    func(c *Config) { c.Kafka.Brokers = nil },
		"stage":      func(c *Config) { c.Stage = "" },
		"topics":     func(c *Config) { c.Topics = nil },
		"ledger":     func(c *Config) { c.Ledger = Ledger{} },
		"DeadLetter": func(c *Config) { c.DeadLetter = nil },
	} {
		cfg := r.config()
		spoil(&cfg)
		if err := Run(t.Context(), cfg, f); err == nil || !strings.Contains(err.Error(), name) && name != "stage" {
			t.Errorf("without %s: %v", name, err)
		}
	}
	if err := Run(t.Context(), r.config(), nil); err == nil {
		t.Error("without a function: no error")
	}
	if err := Relay(t.Context(), RelayConfig{Kafka: r.kafka}); err == nil {
		t.Error("relay without a ledger: no error")
	}
}
