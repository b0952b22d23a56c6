package stage

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// Kafka says how to reach the brokers. TLS and SASL are nil for the embedded
// broker, which listens on loopback only.
type Kafka struct {
	Brokers []string // host:port, at least one
	TLS     *tls.Config
	SASL    sasl.Mechanism
}

func (k Kafka) addr() net.Addr { return kafka.TCP(k.Brokers...) }

// transport makes a Transport of its own: the library's default one is shared by
// the whole process and remembers topics for longer than we can wait.
func (k Kafka) transport() *kafka.Transport {
	return &kafka.Transport{
		ClientID:    "stoplog",
		TLS:         k.TLS,
		SASL:        k.SASL,
		DialTimeout: 5 * time.Second,
		IdleTimeout: 5 * time.Minute,
		MetadataTTL: 2 * time.Second,
	}
}

func (k Kafka) dialer() *kafka.Dialer {
	return &kafka.Dialer{ClientID: "stoplog", Timeout: 5 * time.Second, DualStack: true, TLS: k.TLS, SASLMechanism: k.SASL}
}

// Ledger is what a stage and the relay need of the ledger: the functions of
// [ledger.Store], one by one, so that a test can make each of them fail.
type Ledger struct {
	Append          func(ctx context.Context, batches ...ledger.Batch) ([]ledger.Appended, error)
	BumpAttempts    func(ctx context.Context, group, topic string, partition int, from, to int64) (int, error)
	UncountAttempts func(ctx context.Context, group, topic string, partition int, ranges ...[2]int64) error
	ClearAttempts   func(ctx context.Context, group, topic string, partition int, upTo int64) error
	Outbox          func(ctx context.Context, limit int) ([]ledger.OutboxRow, error)
	OutboxDone      func(ctx context.Context, ns []int64) error
	OutboxWake      func() <-chan struct{}
	Lead            func(ctx context.Context, name string) (release func(), ok bool, err error)
}

// LedgerOf gives the functions of a store.
func LedgerOf(s *ledger.Store) Ledger {
	return Ledger{
		Append: s.Append, BumpAttempts: s.BumpAttempts, UncountAttempts: s.UncountAttempts, ClearAttempts: s.ClearAttempts,
		Outbox: s.Outbox, OutboxDone: s.OutboxDone, OutboxWake: s.OutboxWake, Lead: s.Lead,
	}
}

// Tier is one retry topic and how long a message waits in it.
type Tier struct {
	Topic string
	Delay time.Duration
}

// DefaultTiers are the retry topics of every stage.
var DefaultTiers = []Tier{
	{"stoplog.retry.5s", 5 * time.Second},
	{"stoplog.retry.1m", time.Minute},
	{"stoplog.retry.10m", 10 * time.Minute},
}

// DeadLetterTopic is where messages end that no stage could process.
const DeadLetterTopic = "stoplog.deadletter"

// Config drives one stage. Kafka, Stage, Topics, Ledger and DeadLetter are
// required; every other zero value takes the default named beside it.
type Config struct {
	Kafka  Kafka
	Stage  string   // the stage's name: detector, context, tools. In metrics, dead letters and logs
	Group  string   // consumer group; "stoplog." + Stage
	Topics []string // input topics

	Ledger Ledger
	// DeadLetter makes the records for a message that is given up: its final
	// disposition and the run that is incomplete now. It must not parse the value;
	// a value that kills the process would do so here again. It may read headers
	// and key, and must check what it takes from them ([chunk.ValidID]).
	DeadLetter func(m Message, reason chunk.FailureID, attempts int) ledger.Batch

	Tiers           []Tier // DefaultTiers
	DeadLetterTopic string // DeadLetterTopic

	Workers     int           // messages decided at the same time: 4 per processor
	BudgetBytes int64         // bound of message bytes in flight: 64 MiB
	Window      int           // bound of messages in flight per partition, and so of a replay: 1000
	FetchBytes  int           // asked of the broker per fetch and partition: 1 MiB
	BatchSize   int           // most messages in one ledger transaction: 400
	Attempts    int           // tries of a message that panics, or that was in work when the process died: 3
	Drain       time.Duration // longest finish of what is in flight: 10 s; at a rebalance at most half a session
	CommitEvery time.Duration // 20 ms

	SessionTimeout   time.Duration // 10 s: so long a dead process keeps its partitions
	RebalanceTimeout time.Duration // 10 s
	Heartbeat        time.Duration // 1 s
	JoinBackoff      time.Duration // 500 ms

	Metrics *Metrics     // none
	Log     *slog.Logger // discarded

	// TestHook is called at the named points of a message's life. For crash tests
	// only: a child process kills itself there.
	TestHook func(point string)
	// TestOrder breaks the order of effects on purpose. For the negative controls of
	// the crash suite only; with anything but the zero value the stage loses or
	// doubles effects.
	TestOrder TestOrder
}

// TestOrder is a wrong order of effects: a control that must fail in the crash
// suite, so that we know the suite can see the fault.
type TestOrder int

// The orders. The zero value is the right one.
const (
	TestOrderRight                 TestOrder = iota
	TestOrderProduceBeforeLedger             // publishes what it decided, not what is stored
	TestOrderCommitBeforeWork                // commits when it fetches
	TestOrderCommitEachNoWatermark           // commits each finished message's offset, whatever is unfinished before it
)

// Hook points of [Config.TestHook], in the order of a message's life.
const (
	HookAfterFetch   = "after-fetch"   // attempts are counted, nothing is parsed
	HookAfterDecide  = "after-decide"  // Func returned
	HookAfterLedger  = "after-ledger"  // the records are stored
	HookAfterProduce = "after-produce" // the output is acknowledged
	HookBeforeCommit = "before-commit" // the watermark moved
	HookAfterCommit  = "after-commit"  // the broker took the commit

	HookRelayAfterRead    = "relay-after-read"    // outbox rows are read
	HookRelayAfterProduce = "relay-after-produce" // they are on Kafka and not marked
	HookRelayAfterMark    = "relay-after-mark"
)

func (c *Config) defaults() error {
	switch {
	case len(c.Kafka.Brokers) == 0:
		return errors.New("stage: no Kafka brokers given")
	case c.Stage == "":
		return errors.New("stage: no stage name given")
	case len(c.Topics) == 0:
		return fmt.Errorf("stage: %s: no input topics given", c.Stage)
	case c.Ledger.Append == nil || c.Ledger.BumpAttempts == nil || c.Ledger.UncountAttempts == nil || c.Ledger.ClearAttempts == nil:
		return fmt.Errorf("stage: %s: no ledger given", c.Stage)
	case c.DeadLetter == nil:
		return fmt.Errorf("stage: %s: DeadLetter is not set; a message given up would leave no record", c.Stage)
	}
	setDefault(&c.Group, "stoplog."+c.Stage)
	if c.Tiers == nil {
		c.Tiers = DefaultTiers
	}
	setDefault(&c.DeadLetterTopic, DeadLetterTopic)
	setDefault(&c.Workers, 4*runtime.GOMAXPROCS(0))
	setDefault(&c.BudgetBytes, 64<<20)
	setDefault(&c.Window, 1000)
	setDefault(&c.FetchBytes, 1<<20)
	setDefault(&c.BatchSize, 400)
	setDefault(&c.Attempts, 3)
	setDefault(&c.SessionTimeout, 10*time.Second)
	setDefault(&c.RebalanceTimeout, 10*time.Second)
	setDefault(&c.Heartbeat, time.Second)
	setDefault(&c.JoinBackoff, 500*time.Millisecond)
	setDefault(&c.Drain, 10*time.Second)
	setDefault(&c.CommitEvery, 20*time.Millisecond)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Log = c.Log.With(slog.String("stage", c.Stage))
	return nil
}

func setDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// RelayConfig drives the relay of the ledger's outbox.
type RelayConfig struct {
	Kafka   Kafka
	Ledger  Ledger        // Outbox, OutboxDone, OutboxWake, Lead; Append with DeadLetter
	Name    string        // what the leader is elected for: "relay"
	Every   time.Duration // looks for rows that no wake-up announced: 1 s
	Batch   int           // rows read at a time: 500
	Metrics *Metrics
	Log     *slog.Logger

	// DeadLetter makes the records for a row that no broker would take ([Fits]).
	// Without it such a row holds the whole outbox. See Config.DeadLetter.
	DeadLetter      func(m Message, reason chunk.FailureID, attempts int) ledger.Batch
	DeadLetterTopic string // DeadLetterTopic

	TestHook func(point string) // see Config.TestHook
}
