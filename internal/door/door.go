package door

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/strictjson"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

// Limits bound what one sender can make the door do. Zero values take the defaults.
type Limits struct {
	BodyBytes     int   // one event's body; a source may set its own; 512 KiB
	BatchBytes    int   // one batch of CloudEvents; 4 MiB
	BatchEvents   int   // events in a batch; 500
	DocumentBytes int   // an encoded document: what fits into one Kafka value; 768 KiB
	InFlightBytes int64 // bodies being read at the same time; 64 MiB
}

// The defaults of [Limits].
const (
	DefaultBodyBytes     = 512 << 10
	DefaultBatchBytes    = 4 << 20
	DefaultBatchEvents   = 500
	DefaultDocumentBytes = 768 << 10
	DefaultInFlightBytes = 64 << 20
)

// Config is what a door needs. Store, Vault, Classifier, Integrity and IDKeys are
// required.
type Config struct {
	Store      *ledger.Store
	Vault      *evidence.Vault
	Classifier *classify.Classifier
	PolicyHash string              // of the configuration in force
	Integrity  chunk.IntegrityKeys // seals attribution (SPEC CLS-8)
	IDKeys     [][]byte            // keys of keyed ids, newest first; what an old one named keeps its name

	// RunChanged is told of every run an event entered, before the receipt goes out,
	// so that nobody decides by a cached class that is lower than the run's by now.
	// Its failure makes Accept fail: the event is stored, and the sender's retry is a
	// duplicate that tells again. Nil: there is no cache.
	RunChanged RunChanged

	Clock      func() time.Time // time.Now
	GateTTL    time.Duration    // life of a ceiling gate; 72 h
	ChunkBytes int              // chunk.DefaultChunkBytes
	Limits     Limits
	Metrics    prometheus.Registerer // none

	// TestHook is called at the named points of an event's life. For crash tests
	// only: a child process kills itself there.
	TestHook func(point string)
	// TestClassify stands in for the classifier. For benchmarks only, which compare the
	// pipeline with one that makes the same durable writes and decides nothing.
	TestClassify func(classify.Input) classify.Result
}

// The points of [Config.TestHook], in the order of an event's life.
const (
	HookAfterVault   = "door-after-vault"   // the raw bytes are durable, nothing else is
	HookBeforeLedger = "door-before-ledger" // everything is decided, nothing is recorded
	HookAfterLedger  = "door-after-ledger"  // recorded and in the outbox; the sender does not know
)

// Door takes events in. It is safe for concurrent use.
type Door struct {
	cfg     Config
	policy  atomic.Pointer[policy]
	metrics *metrics
	turns   turns

	elsewhere func(context.Context, Event) (Receipt, error) // of a [Remote]

	reading atomic.Int64 // body bytes reserved by requests being read
}

// policy is what a reload of the configuration replaces, as a whole.
type policy struct {
	classifier *classify.Classifier
	hash       string
}

// New makes a door.
func New(cfg Config) (*Door, error) {
	switch {
	case cfg.Store == nil:
		return nil, errors.New("door: no ledger given")
	case cfg.Vault == nil:
		return nil, errors.New("door: no vault given")
	case cfg.Classifier == nil:
		return nil, errors.New("door: no source registry given")
	case len(cfg.IDKeys) == 0 || len(cfg.IDKeys[0]) < 32:
		return nil, errors.New("door: id key missing or shorter than 32 bytes")
	}
	if _, err := cfg.Integrity.Seal(chunk.Attribution{}); err != nil {
		return nil, errors.New("door: integrity key missing or shorter than 32 bytes")
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.TestHook == nil {
		cfg.TestHook = func(string) {}
	}
	orDefault(&cfg.GateTTL, 72*time.Hour)
	orDefault(&cfg.ChunkBytes, chunk.DefaultChunkBytes)
	orDefault(&cfg.Limits.BodyBytes, DefaultBodyBytes)
	orDefault(&cfg.Limits.BatchBytes, DefaultBatchBytes)
	orDefault(&cfg.Limits.BatchEvents, DefaultBatchEvents)
	orDefault(&cfg.Limits.DocumentBytes, DefaultDocumentBytes)
	orDefault(&cfg.Limits.InFlightBytes, DefaultInFlightBytes)
	m, err := newMetrics(cfg.Metrics)
	if err != nil {
		return nil, err
	}
	d := &Door{cfg: cfg, metrics: m}
	d.SetPolicy(cfg.Classifier, cfg.PolicyHash)
	return d, nil
}

func orDefault[T int | int64 | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// SetPolicy puts another source registry in force, with the hash that records of it
// carry. Events under way finish with the one they began with.
func (d *Door) SetPolicy(c *classify.Classifier, hash string) {
	d.policy.Store(&policy{classifier: c, hash: hash})
}

// bodyLimit is the greatest body of a source.
func (d *Door) bodyLimit(s *classify.Source) int {
	if s != nil && s.MaxBytes > 0 {
		return min(s.MaxBytes, d.cfg.Limits.DocumentBytes)
	}
	return min(d.cfg.Limits.BodyBytes, d.cfg.Limits.DocumentBytes)
}

// turns lets this process take the documents of one run one after another, so that
// each knows the one before it ([chunk.Document.Previous]). Between processes nothing
// waits: there a race costs a detector that has just restarted the text carried over
// between those two documents, and nothing else.
type turns struct {
	mu   sync.Mutex
	wait map[chunk.ID]*turn
}

type turn struct {
	free  chan struct{} // holds one token while nobody has the turn
	users int
}

// take waits for the run's turn. A context that ends gives up the place.
func (t *turns) take(ctx context.Context, id chunk.ID) (release func(), err error) {
	t.mu.Lock()
	if t.wait == nil {
		t.wait = map[chunk.ID]*turn{}
	}
	w := t.wait[id]
	if w == nil {
		w = &turn{free: make(chan struct{}, 1)}
		w.free <- struct{}{}
		t.wait[id] = w
	}
	w.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if w.users--; w.users == 0 {
			delete(t.wait, id)
		}
	}
	select {
	case <-w.free:
		return func() { w.free <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ErrBusy
	}
}

// senderID gives the event id inside a payload, where a source says that it is there.
func senderID(s *classify.Source, body []byte) (string, bool) {
	path := s.EventIDPath
	if path == "" && s.Signature != nil {
		path = map[string]string{"stripe": "id", "slack": "event_id"}[s.Signature.Scheme]
	}
	if path == "" {
		return "", false
	}
	id, ok := strictjson.Lookup(body, path)
	return id, ok && id != ""
}
