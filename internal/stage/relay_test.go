package stage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// outbox appends n rows of some keys.
func (r *rig) outbox(from, to, keys, size int) {
	r.t.Helper()
	for i := from; i < to; i++ {
		_, err := r.mem.ledger().Append(r.t.Context(), ledger.Batch{Outbox: []ledger.Outgoing{{
			Topic: r.name + "out", Key: "k" + strconv.Itoa(i%keys), Headers: map[string]string{"n": strconv.Itoa(i)}, Value: make([]byte, size),
		}}})
		if err != nil {
			r.t.Fatal(err)
		}
	}
	select {
	case r.mem.wake <- struct{}{}:
	default:
	}
}

func (r *rig) relay(cfg RelayConfig) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	cfg.Kafka, cfg.Ledger, cfg.Log = r.kafka, r.mem.ledger(), r.log
	go func() { done <- Relay(ctx, cfg) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				r.t.Errorf("Relay: %v", err)
			}
		})
	}
	r.t.Cleanup(stop)
	return stop
}

func (r *rig) outboxLeft() int {
	r.mem.mu.Lock()
	defer r.mem.mu.Unlock()
	return len(r.mem.outbox)
}

func (r *rig) wantRelayed(n int) {
	r.t.Helper()
	last := map[string]int{}
	got := r.all("out")
	for _, rec := range got {
		i, _ := strconv.Atoi(rec.headers["n"])
		if prev, ok := last[rec.key]; ok && i <= prev {
			r.t.Fatalf("key %s: row %d after %d", rec.key, i, prev)
		}
		last[rec.key] = i
		if _, ok := ParseTrace(rec.headers[HeaderTraceparent]); !ok {
			r.t.Fatalf("row %d has no trace", i)
		}
	}
	if len(got) != n {
		r.t.Fatalf("%d rows relayed, want %d", len(got), n)
	}
}

// TestRelay: the outbox is published in order, large and small rows alike, woken at
// once by a wake-up and by the timer without one.
func TestRelay(t *testing.T) {
	r := newRig(t, 3)
	r.outbox(0, 1200, 7, 10)
	stop := r.relay(RelayConfig{Every: time.Hour})
	waitFor(t, "the rows that were there", func() bool { return r.outboxLeft() == 0 })
	r.outbox(1200, 1230, 7, 300_000) // several calls of 900 kB
	waitFor(t, "the rows that a wake-up announced", func() bool { return r.outboxLeft() == 0 })
	stop()
	r.wantRelayed(1230)

	r.outbox(1230, 1240, 7, 10)
	<-r.mem.wake
	stop = r.relay(RelayConfig{Every: 10 * time.Millisecond})
	waitFor(t, "first look", func() bool { return r.outboxLeft() == 0 })
	r.outbox(1240, 1250, 7, 10)
	select {
	case <-r.mem.wake:
	default:
	}
	waitFor(t, "the rows that only the timer finds", func() bool { return r.outboxLeft() == 0 })
	stop()
	r.wantRelayed(1250)
}

// TestRelayHolds: a ledger that fails loses nothing and doubles at most what was
// under way.
func TestRelayHolds(t *testing.T) {
	r := newRig(t, 3)
	var once sync.Once
	stop := r.relay(RelayConfig{Every: 10 * time.Millisecond, TestHook: func(point string) {
		if point == HookRelayAfterProduce {
			once.Do(func() {
				r.mem.setFail(fmt.Errorf("%w: gone", ledger.ErrUnavailable))
				time.AfterFunc(100*time.Millisecond, func() { r.mem.setFail(nil) })
			})
		}
	}})
	r.outbox(0, 40, 4, 10)
	waitFor(t, "all relayed", func() bool { return r.outboxLeft() == 0 })
	stop()
	n := map[string]int{}
	for _, rec := range r.all("out") {
		n[rec.headers["n"]]++
	}
	doubled := 0
	for i := range 40 {
		switch c := n[strconv.Itoa(i)]; {
		case c == 0:
			t.Errorf("row %d is lost", i)
		case c > 1:
			doubled++
		}
	}
	if doubled == 0 {
		t.Error("no row was relayed twice: the fault between produce and mark did not fire")
	}
}

// TestRelayTooLarge: a row that no broker takes is recorded and dead-lettered, and
// holds nobody up. Fits would have told before.
func TestRelayTooLarge(t *testing.T) {
	r := newRig(t, 1)
	r.outbox(0, 3, 1, 10)
	if _, err := r.mem.ledger().Append(t.Context(), ledger.Batch{Outbox: []ledger.Outgoing{{
		Topic: r.name + "out", Key: "k0", Headers: map[string]string{"ce_id": string(testEvent(3))}, Value: make([]byte, MaxMessageBytes),
	}}}); err != nil {
		t.Fatal(err)
	}
	r.outbox(4, 7, 1, 10)
	cfg := r.config()
	stop := r.relay(RelayConfig{Every: 10 * time.Millisecond, DeadLetter: cfg.DeadLetter, DeadLetterTopic: cfg.DeadLetterTopic})
	waitFor(t, "all relayed", func() bool { return r.outboxLeft() == 0 })
	stop()
	r.wantRelayed(6)
	if dead := r.all("dead"); len(dead) != 1 || dead[0].headers["ce_correlationid"] != string(testEvent(3)) || dead[0].value != "" {
		t.Errorf("dead letters %v", dead)
	}
	if got := r.mem.count(provenance.KindDeadLetter); got != 1 {
		t.Errorf("%d dead-letter records", got)
	}
}

// TestFits: what Fits lets through, a writer takes, traces and all; one byte more it
// does not.
func TestFits(t *testing.T) {
	r := newRig(t, 1)
	o := ledger.Outgoing{Topic: r.name + "out", Key: "k", Headers: map[string]string{"ce_id": string(testEvent(1))}}
	n := MaxMessageBytes
	for o.Value = make([]byte, n); !Fits(o); o.Value = o.Value[:n] {
		n--
	}
	if n < 890_000 {
		t.Fatalf("only %d bytes fit", n)
	}
	m := outgoingMessage(o)
	continueTrace(&m, &task{trace: NewTrace(), m: Message{Headers: map[string]string{"ce_traceparent": NewTrace().Traceparent()}}})
	if len(m.Headers) != 3 {
		t.Fatalf("%d headers", len(m.Headers))
	}
	if messageSize(m) > MaxMessageBytes {
		t.Error("with its traces it does not fit")
	}
	w := NewWriter(r.kafka)
	defer w.Close()
	if err := w.WriteMessages(t.Context(), m); err != nil {
		t.Error(err)
	}
	o.Value = make([]byte, n+1)
	if Fits(o) {
		t.Error("one byte more fits too")
	}
}

// TestRelayLeads: one that does not lead relays nothing, and takes over when it may.
func TestRelayLeads(t *testing.T) {
	r := newRig(t, 1)
	r.outbox(0, 10, 2, 10)
	var mu sync.Mutex
	free, asked := false, 0
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := r.mem.ledger()
	l.Lead = func(context.Context, string) (func(), bool, error) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		if asked == 2 {
			return nil, false, errors.New("database away")
		}
		return func() {}, free, nil
	}
	done := make(chan error, 1)
	go func() {
		done <- Relay(ctx, RelayConfig{Kafka: r.kafka, Ledger: l, Every: 10 * time.Millisecond, Log: r.log})
	}()
	waitFor(t, "some asking", func() bool { mu.Lock(); defer mu.Unlock(); return asked > 5 })
	if r.outboxLeft() != 10 {
		t.Fatal("relayed without the lead")
	}
	mu.Lock()
	free = true
	mu.Unlock()
	waitFor(t, "all relayed", func() bool { return r.outboxLeft() == 0 })
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	r.wantRelayed(10)
}

// TestTraceThroughStage: a hop continues the trace and keeps where it began.
func TestTraceThroughStage(t *testing.T) {
	r := newRig(t, 1)
	began, hop := NewTrace(), NewTrace()
	w := NewWriter(r.kafka)
	defer w.Close()
	if err := w.WriteMessages(t.Context(), outgoingMessage(ledger.Outgoing{Topic: r.name + "in", Headers: map[string]string{
		"ce_id": string(testEvent(1)), "ce_traceparent": began.Traceparent(), "traceparent": hop.Traceparent()}, Value: []byte("x")})); err != nil {
		t.Fatal(err)
	}
	var seen Trace
	stop := r.run(r.config(), func(ctx context.Context, m Message) (Step, error) {
		seen, _ = TraceFrom(ctx)
		return decision(m, chunk.Clean, r.name+"out"), nil
	})
	waitFor(t, "committed", func() bool { return r.committedSum() == 1 })
	stop()
	out := r.all("out")[0].headers
	next, ok := ParseTrace(out["traceparent"])
	if !ok || next.ID != hop.ID || next.Span == hop.Span || next != seen {
		t.Errorf("traceparent %q does not continue %q", out["traceparent"], hop.Traceparent())
	}
	if out["ce_traceparent"] != began.Traceparent() {
		t.Errorf("ce_traceparent %q, want the one the event began with", out["ce_traceparent"])
	}
}
