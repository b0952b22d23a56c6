package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/internal/broker"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// rig is a broker with the topics of one stage, and a ledger in memory that can be
// made to fail.
type rig struct {
	t     testing.TB
	addr  string
	kafka Kafka
	name  string // prefix of this rig's topics and groups
	mem   *memLedger
	log   *slog.Logger
}

// testLog shows a stage's log with STOPLOG_TEST_LOG=1.
func testLog() *slog.Logger {
	w := io.Discard
	if os.Getenv("STOPLOG_TEST_LOG") != "" {
		w = os.Stderr
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// newRig starts a broker, or uses the one at STOPLOG_TEST_KAFKA. With
// STOPLOG_BENCH_NOSYNC the embedded one does not wait for the disk.
func newRig(t testing.TB, partitions int) *rig {
	t.Helper()
	addr := os.Getenv("STOPLOG_TEST_KAFKA")
	if addr == "" {
		b, err := broker.Start(context.Background(), broker.Options{Dir: t.TempDir(), Log: testLog(), NoSync: os.Getenv("STOPLOG_BENCH_NOSYNC") != ""})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		addr = b.Addr()
	}
	return newRigOn(t, addr, partitions)
}

// newRigOn makes a rig on a broker that runs already.
func newRigOn(t testing.TB, addr string, partitions int) *rig {
	t.Helper()
	r := &rig{
		t: t, addr: addr, kafka: Kafka{Brokers: []string{addr}}, mem: newMemLedger(), log: testLog(),
		name: fmt.Sprintf("t%x.", rand.Uint64()),
	}
	var ts Topics
	for name, n := range map[string]int{"in": partitions, "out": partitions, "dead": 1, "retry.1": 1, "retry.2": 1} {
		ts = append(ts, Topic{Name: r.name + name, Partitions: n, Retention: time.Hour, MaxMessageBytes: 1 << 20, Cleanup: "delete"})
	}
	if _, err := ts.Apply(t.Context(), r.kafka, 1); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) config() Config {
	return Config{
		Kafka: r.kafka, Stage: "test", Group: r.name + "group", Topics: []string{r.name + "in"},
		Ledger: r.mem.ledger(),
		DeadLetter: func(m Message, reason chunk.FailureID, attempts int) ledger.Batch {
			return ledger.Batch{Records: []provenance.Record{deadRecord(m, reason, attempts)}}
		},
		Tiers:           []Tier{{r.name + "retry.1", 100 * time.Millisecond}, {r.name + "retry.2", 200 * time.Millisecond}},
		DeadLetterTopic: r.name + "dead",
		Workers:         8,
		SessionTimeout:  6 * time.Second, RebalanceTimeout: 6 * time.Second, Heartbeat: 200 * time.Millisecond, JoinBackoff: 50 * time.Millisecond,
		Log: r.log,
	}
}

// run starts a stage and gives the function that stops it and waits.
func (r *rig) run(cfg Config, f Func) (stop func()) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, cfg, f) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			select {
			case err := <-done:
				if err != nil {
					r.t.Errorf("Run: %v", err)
				}
			case <-time.After(30 * time.Second):
				r.t.Error("Run did not return")
			}
		})
	}
	r.t.Cleanup(stop)
	return stop
}

// testEvent is the event of message number i.
func testEvent(i int) chunk.ID { return chunk.EventID("default", "test", strconv.Itoa(i)) }

// send produces messages from to to; message i belongs to run i mod runs.
func (r *rig) send(from, to, runs int) {
	r.t.Helper()
	w := NewWriter(r.kafka)
	defer w.Close()
	var ms []kafka.Message
	for i := from; i < to; i++ {
		ms = append(ms, outgoingMessage(ledger.Outgoing{
			Topic: r.name + "in", Key: string(chunk.NewID("run", strconv.Itoa(i%runs))),
			Headers: map[string]string{"ce_id": string(testEvent(i)), "ce_stoplogtenant": "default"},
			Value:   []byte(strconv.Itoa(i)),
		}))
	}
	for len(ms) > 0 {
		n := min(len(ms), writeBatch)
		if err := w.WriteMessages(r.t.Context(), ms[:n]...); err != nil {
			r.t.Fatal(err)
		}
		ms = ms[n:]
	}
}

// record is a consumed Kafka record.
type record struct {
	partition int
	offset    int64
	key       string
	headers   map[string]string
	value     string
	tombstone bool
}

// all reads a topic from its start to its end.
func (r *rig) all(topic string) []record {
	r.t.Helper()
	return readAll(r.t, r.kafka, r.name+topic)
}

func readAll(t testing.TB, k Kafka, topic string) []record {
	t.Helper()
	tr := k.transport()
	defer tr.CloseIdleConnections()
	c := &kafka.Client{Addr: k.addr(), Transport: tr}
	have, _, err := metadata(t.Context(), c, []string{topic})
	if err != nil {
		t.Fatal(err)
	}
	var out []record
	for p := range have[topic] {
		first, end, err := logRange(t.Context(), c, topic, p)
		if err != nil {
			t.Fatal(err)
		}
		for at := first; at < end; {
			rs, next, _, err := fetch(t.Context(), c, topic, p, at, 8<<20, 100*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range rs {
				rec := record{partition: p, offset: f.offset, key: string(f.key), value: string(f.value), tombstone: f.value == nil, headers: map[string]string{}}
				for _, h := range f.headers {
					rec.headers[h.Key] = string(h.Value)
				}
				out = append(out, rec)
			}
			at = next
		}
	}
	return out
}

// committed gives the group's committed offset of each partition of the input.
func (r *rig) committed() map[int]int64 {
	r.t.Helper()
	return committedOffsets(r.t, r.kafka, r.name+"group", r.name+"in")
}

func committedOffsets(t testing.TB, k Kafka, group, topic string) map[int]int64 {
	t.Helper()
	tr := k.transport()
	defer tr.CloseIdleConnections()
	c := &kafka.Client{Addr: k.addr(), Transport: tr}
	have, _, err := metadata(t.Context(), c, []string{topic})
	if err != nil {
		t.Fatal(err)
	}
	var ps []int
	for p := range have[topic] {
		ps = append(ps, p)
	}
	res, err := c.OffsetFetch(t.Context(), &kafka.OffsetFetchRequest{GroupID: group, Topics: map[string][]int{topic: ps}})
	for i := 0; i < 100 && err == nil && (errors.Is(res.Error, kafka.NotCoordinatorForGroup) || errors.Is(res.Error, kafka.GroupCoordinatorNotAvailable) || errors.Is(res.Error, kafka.GroupLoadInProgress)); i++ {
		time.Sleep(50 * time.Millisecond) // a fresh cluster is still making the group's home
		res, err = c.OffsetFetch(t.Context(), &kafka.OffsetFetchRequest{GroupID: group, Topics: map[string][]int{topic: ps}})
	}
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]int64{}
	if errors.Is(res.Error, kafka.GroupIdNotFound) {
		return out
	}
	if res.Error != nil {
		t.Fatal(res.Error)
	}
	for _, p := range res.Topics[topic] {
		out[p.Partition] = p.CommittedOffset
	}
	return out
}

// sum is how many messages are committed over all partitions.
func (r *rig) committedSum() (n int64) {
	for _, o := range r.committed() {
		n += max(0, o)
	}
	return n
}

// waitFor polls until ok, for a condition that must come.
func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited a minute for: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// decision makes the record of a verdict about message m, and publishes what is
// stored.
func decision(m Message, v chunk.Verdict, out string) Step {
	event := chunk.ID(m.Headers["ce_id"])
	return Step{
		Batch: ledger.Batch{Records: []provenance.Record{scanRecord(event, chunk.ID(m.Key), v)}},
		Emit: func(a ledger.Appended) ([]ledger.Outgoing, error) {
			verdict := "clean"
			if a.Records[0].Kind == provenance.KindInjectionHit {
				verdict = "quarantine"
			}
			return []ledger.Outgoing{{
				Topic: out, Key: m.Key, Headers: map[string]string{"ce_id": string(event), "verdict": verdict}, Value: m.Value,
			}}, nil
		},
	}
}

func scanRecord(event, run chunk.ID, v chunk.Verdict) provenance.Record {
	id := chunk.ChunkID(event, 0)
	kind := provenance.KindScanned
	var payload any = provenance.Scanned{RunID: run, ChunkID: id, ConfidenceBand: chunk.BandHigh}
	if v != chunk.Clean {
		kind = provenance.KindInjectionHit
		payload = provenance.InjectionHit{RunID: run, ChunkID: id, PatternMatched: "undecided", Disposition: "quarantine"}
	}
	b, err := provenance.EncodePayload(payload)
	if err != nil {
		panic(err)
	}
	return provenance.Record{
		ID: provenance.ScanID(id), Schema: provenance.SchemaVersion, Time: time.Now().UTC(), Kind: kind,
		Tenant: "default", Run: run, Subject: id, Actor: "stage:test", Payload: b,
	}
}

func deadRecord(m Message, reason chunk.FailureID, attempts int) provenance.Record {
	event := chunk.ID(m.Headers["ce_id"])
	b, err := provenance.EncodePayload(provenance.DeadLetter{EventID: event, Stage: "test", Reason: reason, Attempts: attempts, Position: m.Position()})
	if err != nil {
		panic(err)
	}
	return provenance.Record{
		ID: provenance.RecordID(provenance.KindDeadLetter, event), Schema: provenance.SchemaVersion, Time: time.Now().UTC(),
		Kind: provenance.KindDeadLetter, Tenant: "default", Run: chunk.ID(m.Key), Subject: event, Actor: "stage:test", Failure: reason, Payload: b,
	}
}

// memLedger keeps records and attempts in memory, first wins, and fails on request.
type memLedger struct {
	mu       sync.Mutex
	order    []provenance.Record
	bySubj   map[string]provenance.Record // kind group + subject
	attempts map[string]int
	ranges   map[string][3]any
	fail     error // returned by everything while set
	appends  int   // calls
	batches  int
	bumps    int
	refuse   func(provenance.Record) error
	outbox   []ledger.OutboxRow
	n        int64
	wake     chan struct{}
}

func newMemLedger() *memLedger {
	return &memLedger{bySubj: map[string]provenance.Record{}, attempts: map[string]int{}, ranges: map[string][3]any{}, wake: make(chan struct{}, 1)}
}

func (l *memLedger) setFail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fail = err
}

func subjectKey(r provenance.Record) string {
	if r.Kind == provenance.KindScanned || r.Kind == provenance.KindInjectionHit {
		return "scan " + string(r.Subject)
	}
	return string(r.ID)
}

func (l *memLedger) ledger() Ledger {
	return Ledger{
		Append: func(_ context.Context, batches ...ledger.Batch) ([]ledger.Appended, error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.fail != nil {
				return nil, l.fail
			}
			l.appends++
			l.batches += len(batches)
			if l.refuse != nil {
				for _, b := range batches {
					for _, r := range b.Records {
						if err := l.refuse(r); err != nil {
							return nil, err
						}
					}
				}
			}
			out := make([]ledger.Appended, len(batches))
			for i, b := range batches {
				for _, r := range b.Records {
					k := subjectKey(r)
					old, ok := l.bySubj[k]
					if !ok {
						l.bySubj[k], old = r, r
						l.order = append(l.order, r)
					}
					out[i].Records = append(out[i].Records, old)
					out[i].Inserted = append(out[i].Inserted, !ok)
				}
				for _, o := range b.Outbox {
					l.n++
					l.outbox = append(l.outbox, ledger.OutboxRow{N: l.n, Outgoing: o})
				}
			}
			return out, nil
		},
		BumpAttempts: func(_ context.Context, group, topic string, partition int, from, to int64) (int, error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.fail != nil {
				return 0, l.fail
			}
			l.bumps++
			k := fmt.Sprint(group, topic, partition, from, to)
			l.attempts[k]++
			l.ranges[k] = [3]any{group + topic, partition, to}
			return l.attempts[k], nil
		},
		UncountAttempts: func(_ context.Context, group, topic string, partition int, ranges ...[2]int64) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.fail != nil {
				return l.fail
			}
			for _, r := range ranges {
				k := fmt.Sprint(group, topic, partition, r[0], r[1])
				if l.attempts[k]--; l.attempts[k] < 1 {
					delete(l.attempts, k)
					delete(l.ranges, k)
				}
			}
			return nil
		},
		ClearAttempts: func(_ context.Context, group, topic string, partition int, upTo int64) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.fail != nil {
				return l.fail
			}
			for k, v := range l.ranges {
				if v[0] == group+topic && v[1] == partition && v[2].(int64) <= upTo {
					delete(l.ranges, k)
					delete(l.attempts, k)
				}
			}
			return nil
		},
		Outbox: func(_ context.Context, limit int) ([]ledger.OutboxRow, error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.fail != nil {
				return nil, l.fail
			}
			return append([]ledger.OutboxRow(nil), l.outbox[:min(limit, len(l.outbox))]...), nil
		},
		OutboxDone: func(_ context.Context, ns []int64) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.fail != nil {
				return l.fail
			}
			done := map[int64]bool{}
			for _, n := range ns {
				done[n] = true
			}
			kept := l.outbox[:0]
			for _, r := range l.outbox {
				if !done[r.N] {
					kept = append(kept, r)
				}
			}
			l.outbox = kept
			return nil
		},
		OutboxWake: func() <-chan struct{} { return l.wake },
		Lead:       func(context.Context, string) (func(), bool, error) { return func() {}, true, nil },
	}
}

func (l *memLedger) count(kind provenance.Kind) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.order {
		if r.Kind == kind {
			n++
		}
	}
	return n
}

// commitAt sets the group's committed offset of partition 0 of the input.
func commitAt(t *testing.T, r *rig, offset int64) {
	t.Helper()
	cfg := r.config()
	g, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{ID: cfg.Group, Brokers: r.kafka.Brokers, Topics: cfg.Topics,
		SessionTimeout: cfg.SessionTimeout, RebalanceTimeout: cfg.RebalanceTimeout, HeartbeatInterval: cfg.Heartbeat})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	gen, err := g.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := gen.CommitOffsets(map[string]map[int]int64{cfg.Topics[0]: {0: offset}}); err != nil {
		t.Fatal(err)
	}
}
