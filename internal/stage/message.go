package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// Message is one Kafka record as a stage sees it. When a message comes back from
// a retry topic, Topic, Partition and Offset are those of its first appearance, so
// that what is sealed to a topic still opens.
//
// Value is nil for a tombstone (a record without a value).
type Message struct {
	Topic     string
	Partition int
	Offset    int64
	Key       string
	Headers   map[string]string
	Value     []byte
	Time      time.Time // the broker's timestamp; for display only, never for order
	Attempt   int       // 1 at the first try; counts retries of this message that this process or the retry topics know of
}

// Position names where the message lies: topic/partition@offset.
func (m Message) Position() string {
	return fmt.Sprintf("%s/%d@%d", m.Topic, m.Partition, m.Offset)
}

// Step is what a stage wants done about one message. The Batch is one atomic unit
// of the ledger. Emit is called when the batch is stored; it sees the records as
// they are STORED, which on a replay are those of the first decision, and gives
// what to publish. Emit may be nil. It may be called again when a store or the
// broker was away, so it must have no effect of its own. For messages of one key it
// is called in their order.
type Step struct {
	Batch ledger.Batch
	Emit  func(ledger.Appended) ([]ledger.Outgoing, error)
}

// Func decides about one message. It must not have lasting effects of its own:
// those go into the Step. Messages of one key are decided one after another, though
// the next may be decided before the last one is stored; messages of different keys
// are decided at the same time.
//
// Its error says what happens next: [Transient], [Retry], [Poison]. An error of no
// class is treated as Retry; a panic is a failed attempt.
type Func func(ctx context.Context, m Message) (Step, error)

// The error classes. Wrap with fmt.Errorf("…: %w", stage.Transient) or one of the
// helpers below. Error texts must not carry content: they are logged.
//
//lint:file-ignore ST1012 these are classes of errors, and read as such where they are wrapped
var (
	// Transient: something the whole stage needs is away (a store, the broker). The
	// message is held in place and tried again with a growing delay; its partition
	// does not move on and nothing is committed past it.
	Transient = errors.New("stage: transient")
	// Retry: something only this message needs is away. It goes to the retry topics
	// and comes back after 5 s, 1 min and 10 min; then it is dead-lettered.
	Retry = errors.New("stage: retry")
	// Poison: the message can never be processed. It is dead-lettered at once.
	Poison = errors.New("stage: poison")
)

// poison carries the reason code of a permanent failure.
type poison struct {
	reason chunk.FailureID
}

func (p poison) Error() string { return "stage: poison: " + string(p.reason) }
func (p poison) Unwrap() error { return Poison }

// PoisonAs is [Poison] with a reason code from the closed list. An unknown or empty
// reason reads as [chunk.FailPoison].
func PoisonAs(reason chunk.FailureID) error {
	if reason == chunk.FailNone || !reason.Known() {
		reason = chunk.FailPoison
	}
	return poison{reason}
}

func reasonOf(err error) chunk.FailureID {
	var p poison
	if errors.As(err, &p) {
		return p.reason
	}
	return chunk.FailPoison
}
