package stage

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/stoplog/stoplog/internal/broker"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// faultyRig is a rig on a broker that can be told to answer with errors.
func faultyRig(t *testing.T) (*rig, *kfake.Cluster) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return newRigOn(t, c.ListenAddrs()[0], 2), c
}

// answer makes the broker answer the next n requests of a kind with an error.
func answer(c *kfake.Cluster, key int16, n int64, with func(kmsg.Request) kmsg.Response) (fired *atomic.Int64) {
	fired = new(atomic.Int64)
	c.ControlKey(key, func(req kmsg.Request) (kmsg.Response, error, bool) {
		if fired.Load() >= n {
			return nil, nil, false
		}
		fired.Add(1)
		c.KeepControl()
		return with(req), nil, true
	})
	return fired
}

func commitError(code int16) func(kmsg.Request) kmsg.Response {
	return func(req kmsg.Request) kmsg.Response {
		r := req.(*kmsg.OffsetCommitRequest)
		res := r.ResponseKind().(*kmsg.OffsetCommitResponse)
		for _, t := range r.Topics {
			rt := kmsg.NewOffsetCommitResponseTopic()
			rt.Topic = t.Topic
			for _, p := range t.Partitions {
				rp := kmsg.NewOffsetCommitResponseTopicPartition()
				rp.Partition, rp.ErrorCode = p.Partition, code
				rt.Partitions = append(rt.Partitions, rp)
			}
			res.Topics = append(res.Topics, rt)
		}
		return res
	}
}

func produceError(code int16) func(kmsg.Request) kmsg.Response {
	return func(req kmsg.Request) kmsg.Response {
		r := req.(*kmsg.ProduceRequest)
		res := r.ResponseKind().(*kmsg.ProduceResponse)
		for _, t := range r.Topics {
			rt := kmsg.NewProduceResponseTopic()
			rt.Topic = t.Topic
			for _, p := range t.Partitions {
				rp := kmsg.NewProduceResponseTopicPartition()
				rp.Partition, rp.ErrorCode = p.Partition, code
				rt.Partitions = append(rt.Partitions, rp)
			}
			res.Topics = append(res.Topics, rt)
		}
		return res
	}
}

// TestCommitFails: a commit that fails is tried again though no message follows.
func TestCommitFails(t *testing.T) {
	r, c := faultyRig(t)
	const n = 100
	r.send(0, n, 10)
	fired := answer(c, 8, 3, commitError(kerr.CoordinatorLoadInProgress.Code))
	stop := r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
		return decision(m, randomVerdict(), r.name+"out"), nil
	})
	waitFor(t, "all committed", func() bool { return r.committedSum() == n })
	stop()
	if fired.Load() != 3 {
		t.Fatalf("%d commits failed, want 3", fired.Load())
	}
	r.wantOnce(n, false)
}

// TestProduceFails: what the broker does not take is written again, in order, and
// nothing is committed before. An error the library does not try again counts too.
func TestProduceFails(t *testing.T) {
	for name, code := range map[string]int16{
		"a full disk":       kerr.UnknownServerError.Code,
		"message too large": kerr.MessageTooLarge.Code,
		"not the leader":    kerr.NotLeaderForPartition.Code,
	} {
		t.Run(name, func(t *testing.T) {
			r, c := faultyRig(t)
			const n = 200
			r.send(0, n, 10)
			fired := answer(c, 0, 4, produceError(code))
			stop := r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
				return decision(m, randomVerdict(), r.name+"out"), nil
			})
			waitFor(t, "all committed", func() bool { return r.committedSum() == n })
			stop()
			if fired.Load() != 4 {
				t.Fatalf("%d writes failed, want 4", fired.Load())
			}
			r.wantOnce(n, false)
			last := map[string]int64{}
			for _, rec := range r.all("out") {
				if rec.offset < last[rec.key] {
					t.Fatal("out of order")
				}
				last[rec.key] = rec.offset
			}
			if got := r.mem.count(provenance.KindDeadLetter); got != 0 {
				t.Errorf("%d dead letters", got)
			}
		})
	}
}

// TestCoordinatorAway: a group whose coordinator is being made is waited for.
func TestCoordinatorAway(t *testing.T) {
	r, c := faultyRig(t)
	r.send(0, 10, 10)
	fired := answer(c, 10, 3, func(req kmsg.Request) kmsg.Response {
		res := req.ResponseKind().(*kmsg.FindCoordinatorResponse)
		res.ErrorCode = kerr.CoordinatorNotAvailable.Code
		return res
	})
	stop := r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
		return decision(m, randomVerdict(), r.name+"out"), nil
	})
	waitFor(t, "three refusals", func() bool { return fired.Load() == 3 })
	waitFor(t, "all committed", func() bool { return r.committedSum() == 10 })
	stop()
	r.wantOnce(10, false)
}

// TestShorterLog: the broker lost its tail, and with it what was committed. That is an
// alarm, and the partition goes on from its start, so that what is written now is not
// taken for what was done.
func TestShorterLog(t *testing.T) {
	r := newRig(t, 1)
	if r.addr == "" {
		t.Fatal("no broker")
	}
	const n = 50
	r.send(0, n, 5)
	reg := prometheus.NewRegistry()
	cfg := r.config()
	cfg.Metrics = NewMetrics(reg)
	f := func(_ context.Context, m Message) (Step, error) {
		return decision(m, randomVerdict(), r.name+"out"), nil
	}
	// As if 1000 had been there: commit past the end through a group of our own.
	first := r.run(cfg, f)
	waitFor(t, "all committed", func() bool { return r.committedSum() == n })
	first()
	commitAt(t, r, 1000)
	stop := r.run(cfg, f)
	waitFor(t, "the gap is seen", func() bool {
		return testutil.ToFloat64(cfg.Metrics.gaps.WithLabelValues("test", r.name+"in")) == 1
	})
	waitFor(t, "committed from the start again", func() bool { return r.committedSum() == n })
	r.send(n, n+10, 5)
	waitFor(t, "what came after", func() bool { return r.committedSum() == n+10 })
	stop()
	r.wantOnce(n+10, true)
	if got := testutil.ToFloat64(cfg.Metrics.messages.WithLabelValues("test", r.name+"in", "done")); got != 2*n+10 {
		t.Errorf("%v messages counted as done, want %d", got, 2*n+10)
	}
}

// TestPassword: every connection a stage, the relay and the topics make says who it is.
func TestPassword(t *testing.T) {
	b, err := broker.Start(t.Context(), broker.Options{Dir: t.TempDir(), Password: "swordfish"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	r := &rig{t: t, mem: newMemLedger(), log: testLog(), name: "t.", kafka: Kafka{
		Brokers: []string{b.Addr()}, SASL: plain.Mechanism{Username: broker.User, Password: "swordfish"},
	}}
	ts := Topics{}
	for _, name := range []string{"in", "out", "dead", "retry.1", "retry.2"} {
		ts = append(ts, Topic{Name: r.name + name, Partitions: 1, Retention: time.Hour, MaxMessageBytes: 1 << 20, Cleanup: "delete"})
	}
	if _, err := ts.Apply(t.Context(), Kafka{Brokers: []string{b.Addr()}}, 1); err == nil {
		t.Fatal("topics were made without the password")
	}
	if _, err := ts.Apply(t.Context(), r.kafka, 1); err != nil {
		t.Fatal(err)
	}
	r.send(0, 10, 2)
	stop := r.run(r.config(), func(_ context.Context, m Message) (Step, error) {
		return decision(m, chunk.Clean, r.name+"out"), nil
	})
	waitFor(t, "all committed", func() bool { return r.committedSum() == 10 })
	stop()
	r.wantOnce(10, false)
}
