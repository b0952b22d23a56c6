package stage

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/segmentio/kafka-go"
)

// Run drives one stage until ctx ends: it joins the consumer group, decides about
// every message with f, and carries out what f wants in the order ledger, produce,
// commit.
//
// When ctx ends it stops fetching, finishes what is in flight within Config.Drain,
// commits, leaves the group and returns nil; after a clean stop nothing is
// replayed. An error means that the configuration is wrong; a broker or a store
// that is away is waited for.
func Run(ctx context.Context, cfg Config, f Func) error {
	if err := cfg.defaults(); err != nil {
		return err
	}
	if f == nil {
		return errors.New("stage: no function given")
	}
	r := &runner{
		Config: cfg, f: f,
		transport: cfg.Kafka.transport(),
		writer:    NewWriter(cfg.Kafka),
		inputs:    make(map[string]bool),
		tiers:     make(map[string]int),
	}
	r.client = &kafka.Client{Addr: cfg.Kafka.addr(), Transport: r.transport}
	defer r.transport.CloseIdleConnections()
	defer within(closeTime, func() { _ = r.writer.Close() })

	topics := append([]string(nil), cfg.Topics...)
	for _, t := range cfg.Topics {
		r.inputs[t] = true
	}
	for i, t := range cfg.Tiers {
		r.tiers[t.Topic] = i + 1
		topics = append(topics, t.Topic)
	}
	if !r.awaitTopics(ctx, topics) {
		return nil
	}
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: cfg.Group, Brokers: cfg.Kafka.Brokers, Dialer: cfg.Kafka.dialer(), Topics: topics,
		StartOffset:            kafka.FirstOffset, // LastOffset would lose what came before the first commit
		HeartbeatInterval:      cfg.Heartbeat,
		SessionTimeout:         cfg.SessionTimeout,
		RebalanceTimeout:       cfg.RebalanceTimeout,
		JoinGroupBackoff:       cfg.JoinBackoff,
		WatchPartitionChanges:  true,
		PartitionWatchInterval: 30 * time.Second,
	})
	if err != nil {
		return err
	}
	defer within(closeTime, func() { _ = group.Close() }) // leaves the group

	var wait pause
	for ctx.Err() == nil {
		gen, err := group.Next(ctx)
		began := time.Now()
		if err != nil {
			if ctx.Err() == nil {
				// A coordinator that is being made, a broker that is away, a rebalance under
				// way: none is a fault of ours, and the group itself backs off.
				r.Metrics.held(cfg.Stage)
				cfg.Log.LogAttrs(ctx, slog.LevelWarn, "consumer group not joined yet", slog.String("error", err.Error()))
			}
			continue
		}
		s := newSession(r, gen)
		gen.Start(func(over context.Context) {
			s.run(ctx, over)
			close(s.over)
			if ctx.Err() != nil {
				<-over.Done() // returning now would make the group join again before it leaves
			}
		})
		<-s.over
		if time.Since(began) > 2*time.Second {
			wait.reset()
		} else if !wait.sleep(ctx) { // what ends generations at once would make us spin
			break
		}
	}
	return nil
}

// awaitTopics waits until the topics are there. The library ends a generation at once
// in which one is not.
func (r *runner) awaitTopics(ctx context.Context, topics []string) bool {
	var wait pause
	for {
		have, _, err := metadata(ctx, r.client, topics)
		var missing []string
		for _, t := range topics {
			if len(have[t]) == 0 {
				missing = append(missing, t)
			}
		}
		if err == nil && len(missing) == 0 {
			return true
		}
		if ctx.Err() == nil && r.said.now("topics") {
			attrs := []slog.Attr{slog.Any("missing", missing)}
			if err != nil {
				attrs = []slog.Attr{slog.String("error", err.Error())}
			}
			r.Log.LogAttrs(ctx, slog.LevelWarn, "held: waiting for the topics; apply their declaration if nobody has", attrs...)
		}
		r.Metrics.held(r.Stage)
		if !wait.sleep(ctx) {
			return false
		}
	}
}

// closeTime bounds what the library may take to close: its writer tries for minutes
// to send what nobody waits for any more when the broker is away.
const closeTime = 3 * time.Second

// within runs f and waits for it for at most d.
func within(d time.Duration, f func()) {
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(d):
	}
}

// runner is what lives as long as Run: one per stage and process.
type runner struct {
	Config
	f         Func
	client    *kafka.Client
	transport *kafka.Transport
	writer    *kafka.Writer
	inputs    map[string]bool // input topics
	tiers     map[string]int  // retry topic → 1 for the first tier
	said      nowAndThen
}

func (r *runner) hook(point string) {
	if r.TestHook != nil {
		r.TestHook(point)
	}
}
