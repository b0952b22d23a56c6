package stage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// Relay carries the ledger's outbox to Kafka until ctx ends: rows in the order of
// their insertion, published, acknowledged, then marked. A crash between the two
// publishes a row twice; the stages know it by its event id. One relay works at a
// time, whoever leads; the others wait to take over.
//
// It returns nil when ctx ends. A broker or a ledger that is away is waited for.
func Relay(ctx context.Context, cfg RelayConfig) error {
	l := cfg.Ledger
	if l.Outbox == nil || l.OutboxDone == nil || l.OutboxWake == nil || l.Lead == nil {
		return errors.New("stage: relay: no ledger given")
	}
	if len(cfg.Kafka.Brokers) == 0 {
		return errors.New("stage: relay: no Kafka brokers given")
	}
	setDefault(&cfg.Name, "relay")
	setDefault(&cfg.Every, time.Second)
	setDefault(&cfg.Batch, writeBatch)
	setDefault(&cfg.DeadLetterTopic, DeadLetterTopic)
	if cfg.DeadLetter != nil && l.Append == nil {
		return errors.New("stage: relay: dead letters need the ledger's Append")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.TestHook == nil {
		cfg.TestHook = func(string) {}
	}
	var wait pause
	for ctx.Err() == nil {
		release, ok, err := l.Lead(ctx, cfg.Name)
		if err != nil {
			cfg.held(ctx, "lead", err)
			wait.sleep(ctx)
			continue
		}
		wait.reset()
		if !ok {
			sleep(ctx, cfg.Every) // another one leads
			continue
		}
		cfg.Metrics.leads(true)
		cfg.lead(ctx)
		cfg.Metrics.leads(false)
		release()
	}
	return nil
}

func (c RelayConfig) held(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		c.Metrics.held("relay")
		c.Log.LogAttrs(ctx, slog.LevelWarn, "relay held: "+what, slog.String("error", err.Error()))
	}
}

// leadTime is how long one leads before one asks again: a lead is lost with its
// database connection, and nobody says so.
const leadTime = 30 * time.Second

// lead relays until ctx ends, the ledger fails or the lead is due to be asked for
// again.
func (c RelayConfig) lead(ctx context.Context) {
	// A writer of one's own for the length of a lead: what an earlier lead left in
	// its queues must not come between.
	w := NewWriter(c.Kafka)
	defer within(closeTime, func() { _ = w.Close() })
	until := time.Now().Add(leadTime)
	wake := c.Ledger.OutboxWake()
	tick := time.NewTicker(c.Every)
	defer tick.Stop()
	for {
		n, err := c.once(ctx, w)
		if err != nil {
			c.held(ctx, "outbox", err)
			var wait pause
			wait.sleep(ctx)
			return
		}
		if time.Now().After(until) {
			return
		}
		if n == c.Batch {
			continue // there is more
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-tick.C:
		}
	}
}

// once relays one batch of rows and gives how many.
func (c RelayConfig) once(ctx context.Context, w *kafka.Writer) (int, error) {
	rows, err := c.Ledger.Outbox(ctx, c.Batch)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	c.TestHook(HookRelayAfterRead)
	for at := 0; at < len(rows); {
		end, size := at, 0
		var msgs []kafka.Message
		for ; end < len(rows) && len(msgs) < writeBatch; end++ {
			m := relayMessage(rows[end])
			n := messageSize(m)
			if n > MaxMessageBytes && c.DeadLetter != nil {
				if m, err = c.giveUp(ctx, rows[end]); err != nil {
					return 0, err
				}
				n = messageSize(m)
			}
			if size+n > MaxMessageBytes && len(msgs) > 0 {
				break
			}
			msgs, size = append(msgs, m), size+n
		}
		if err := c.write(ctx, w, msgs); err != nil {
			return 0, err
		}
		c.TestHook(HookRelayAfterProduce)
		ns := make([]int64, 0, end-at)
		for _, r := range rows[at:end] {
			ns = append(ns, r.N)
		}
		if err := c.Ledger.OutboxDone(ctx, ns); err != nil {
			return 0, err
		}
		c.TestHook(HookRelayAfterMark)
		c.Metrics.relay(len(ns))
		at = end
	}
	return len(rows), nil
}

// write publishes messages and holds while the broker is away. Nothing that comes
// later in the outbox overtakes them.
func (c RelayConfig) write(ctx context.Context, w *kafka.Writer, msgs []kafka.Message) error {
	var wait pause
	for {
		start := time.Now()
		err := w.WriteMessages(ctx, msgs...)
		c.Metrics.produce("relay", time.Since(start))
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		msgs = unwritten(msgs, err)
		c.held(ctx, "produce", fmt.Errorf("%d messages: %w", len(msgs), err))
		if !wait.sleep(ctx) {
			return ctx.Err()
		}
	}
}

// giveUp records a row that no broker would take and gives its dead letter. It goes
// out in the row's place, so that nothing behind it waits.
func (c RelayConfig) giveUp(ctx context.Context, r ledger.OutboxRow) (kafka.Message, error) {
	m := Message{Topic: r.Topic, Partition: -1, Offset: r.N, Key: r.Key, Headers: r.Headers, Attempt: 1}
	if _, err := c.Ledger.Append(ctx, c.DeadLetter(m, chunk.FailPoison, 1)); err != nil {
		return kafka.Message{}, err
	}
	tr, _ := ParseTrace(r.Headers[HeaderTraceparent])
	t := &task{m: m, dead: chunk.FailPoison, trace: tr.Child()}
	c.Metrics.message("relay", r.Topic, outcomeDead, t.dead, 0)
	c.Log.LogAttrs(ctx, slog.LevelError, "outbox row dead-lettered: too large for the broker", slog.Int64("row", r.N), slog.String("topic", r.Topic))
	return deadLetterMessage("relay", "relay", c.DeadLetterTopic, t), nil
}

// relayMessage makes the Kafka message of a row. The row's headers carry the trace
// of the request that wrote it; without one a trace begins here.
func relayMessage(r ledger.OutboxRow) kafka.Message {
	m := outgoingMessage(r.Outgoing)
	if _, ok := r.Headers[HeaderTraceparent]; !ok {
		m.Headers = append(m.Headers, kafka.Header{Key: HeaderTraceparent, Value: []byte(NewTrace().Traceparent())})
	}
	return m
}
