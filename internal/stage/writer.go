package stage

import (
	"errors"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/internal/ledger"
)

// MaxMessageBytes bounds one message on its way to the broker, headers and key
// included. It lies under the topics' max.message.bytes; the door refuses
// documents that could come near it.
const MaxMessageBytes = 900_000

// writeBatch bounds the messages of one WriteMessages call.
const writeBatch = 500

// NewWriter makes the only kind of Kafka writer there is here. A kafka.Writer made
// any other way waits for no acknowledgement by default and holds each message for
// a second.
//
// Give it to one goroutine, and at most [MaxMessageBytes] and 500 messages a call:
// then all messages of a call that go to one partition are one batch, which is
// written whole or not at all, and a repeated call cannot change their order.
func NewWriter(k Kafka) *kafka.Writer {
	return &kafka.Writer{
		Addr:                   k.addr(),
		Transport:              k.transport(),
		Balancer:               kafka.Murmur2Balancer{Consistent: true},
		RequiredAcks:           kafka.RequireAll,
		Async:                  false,
		BatchTimeout:           time.Millisecond,
		BatchSize:              writeBatch,
		BatchBytes:             MaxMessageBytes,
		MaxAttempts:            20,
		WriteBackoffMin:        10 * time.Millisecond,
		WriteBackoffMax:        500 * time.Millisecond,
		AllowAutoTopicCreation: false,
	}
}

func outgoingMessage(o ledger.Outgoing) kafka.Message {
	m := kafka.Message{Topic: o.Topic, Value: o.Value, Headers: kafkaHeaders(o.Headers)}
	if o.Key != "" {
		m.Key = []byte(o.Key)
	}
	return m
}

// Fits reports whether a broker takes a message of this size. The door must ask
// before it accepts a document: one that is in the outbox and fits nowhere can only
// be dead-lettered. What counts is the sealed form, not the text: in JSON some bytes
// take six.
func Fits(o ledger.Outgoing) bool {
	n := messageSize(outgoingMessage(o))
	return n+traceSize <= MaxMessageBytes
}

// traceSize bounds the trace headers that are added on the way.
const traceSize = 256

// messageSize is a little more than what the library counts against BatchBytes.
func messageSize(m kafka.Message) int {
	n := 96 + len(m.Key) + len(m.Value)
	for _, h := range m.Headers {
		n += 32 + len(h.Key) + len(h.Value)
	}
	return n
}

// unwritten gives the messages of a failed WriteMessages call that are not
// acknowledged, in their order.
func unwritten(msgs []kafka.Message, err error) []kafka.Message {
	var each kafka.WriteErrors
	if !errors.As(err, &each) || len(each) != len(msgs) {
		return msgs
	}
	var left []kafka.Message
	for i, e := range each {
		if e != nil {
			left = append(left, msgs[i])
		}
	}
	return left
}

func without(all, some []*task) []*task {
	return slices.DeleteFunc(all, func(t *task) bool { return slices.Contains(some, t) })
}
