package ledger

import (
	"errors"
	"time"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// The errors a caller decides on. Everything else is a fault of the program or of
// the data; no error carries a value from the database (SPEC PRV-2).
var (
	ErrNotFound    = errors.New("ledger: not found")
	ErrClaimed     = errors.New("ledger: gate is claimed by another reviewer")
	ErrDecided     = errors.New("ledger: gate is decided")
	ErrUnavailable = errors.New("ledger: database unavailable") // nothing is known to be written; try again
	ErrTenant      = errors.New("ledger: the run belongs to another tenant")
	ErrClosed      = errors.New("ledger: store is closed")
	ErrReadOnly    = errors.New("ledger: store is opened for reading")
	ErrChanged     = errors.New("ledger: a server began to write the ledger while it was read; read it again")
	ErrCopy        = errors.New("ledger: the file of checkpoints cannot be read or written")
)

// Batch is one atomic unit: all of it is written or nothing.
//
// A batch is a duplicate, and nothing of it is written, when its event is stored
// already under its id or its alias, when its gate is decided already, or when another record already says
// what one of its scan records says ([provenance.Once]). So a stage that is driven
// again and decides otherwise changes nothing.
//
// A single record whose id is stored already is not written again; the stored one
// stands. Outgoing rows are written only with at least one new record (or with
// none at all in the batch): what a replay would send again has been sent or still
// waits in the outbox.
type Batch struct {
	Event   *Event // door only
	Records []provenance.Record
	Outbox  []Outgoing
	Held    []Held
	Context []ContextItem
	Stubs   []Stub

	Withheld []Withheld
}

// Event is one accepted document, as the door knows it.
type Event struct {
	ID, Run, Scope                       chunk.ID
	Tenant, Source, Evidence, Commitment string
	Chunks                               int
	Collection                           bool
	Received                             time.Time

	// Alias is a second name, under which the event is found again when it comes with
	// another id: for senders whose id nothing vouches for. Written, and not read back.
	Alias chunk.ID
}

// Outgoing is a message that waits to be produced. Value is sealed already.
type Outgoing struct {
	Topic   string
	Key     string
	Headers map[string]string
	Value   []byte
}

// Held is a chunk that waits for a person: a sealed document of one chunk.
type Held struct {
	Chunk, Event, Run, Scope chunk.ID
	Sealed                   []byte
}

// ContextItem is what a context may get of one chunk: its redacted text, sealed.
// (Run, Chunk) is unique and the first one wins. Run is empty for a collection's
// chunk until it is retrieved into a run.
type ContextItem struct {
	Chunk, Event, Run, Scope chunk.ID
	Ordinal                  int
	Source                   string
	Class                    chunk.Class
	Band                     chunk.Band
	Redacted                 bool
	Sealed                   []byte
}

// Withheld is a collection's chunk that a run asked for and did not get, for it was not
// let through. (Run, Chunk) is unique.
type Withheld struct{ Run, Chunk chunk.ID }

// Stub is a value that stands hidden behind a name in one run. (Run, Name) is
// unique and the first one wins.
type Stub struct {
	Run              chunk.ID
	Name, Commitment string
	Class            chunk.Class
	Sinks            []string
	Sealed           []byte
}

// Appended says what is stored for a batch, in the order of its records. Where a
// record was refused because another one already says it, that other one stands
// in its place. A record of a duplicate batch that was never stored is the zero
// Record.
type Appended struct {
	Records   []provenance.Record
	Inserted  []bool
	Duplicate bool
	Event     Event // the stored event, when the batch had one
}

// Run is what the records say about one run.
type Run struct {
	ID         chunk.ID
	Tenant     string
	Class      chunk.Class // highest class of what entered (SPEC CLS-6); Unclassified while nothing is known to have entered
	Halted     bool        // a halt stands that no gate has lifted
	Ended      bool
	Incomplete bool // a document of it was lost to processing; it never reads as clean again
	Opened     time.Time
	Documents  int
	Pending    int // chunks still under way: no final disposition and no gate
	Gated      int // chunks with neither a final disposition nor anything but a gate to wait for
}

// Chunk is what the records say about one chunk.
type Chunk struct {
	ID, Event, Run chunk.ID
	Tenant         string
	Ordinal        int
	Disposition    chunk.Disposition
	Verdict        string // clean, suspect, quarantine, hold; empty before the scan
	Band           chunk.Band
	Score          float64
	Gate           chunk.ID
	Accepted       time.Time
}

// Gate states.
const (
	GateOpen    = "open"
	GateClaimed = "claimed"
	GateDecided = "decided"
	GateApplied = "applied"
	GateExpired = "expired"
)

// Gate is something that waits for a person, or did.
type Gate struct {
	ID                                                      chunk.ID
	Tenant, Type, State, Source, ToolID, Reviewer, Decision string
	DecisionOrigin, ReasonCode, Note, Effect                string
	Run, About                                              chunk.ID
	Class                                                   chunk.Class
	Rules                                                   []string
	Score                                                   float64
	Failure                                                 chunk.FailureID
	Opened, LeaseUntil, Expires, DecidedAt, AppliedAt       time.Time
}

// GateFilter selects gates; empty members select all. Gates come in the order in
// which they were opened.
type GateFilter struct {
	Tenant, State, Type, Source string
	Run, About                  chunk.ID
	Now                         time.Time // with it, a claim whose lease has run out counts as open
	ExpiresBefore               time.Time // gates nobody decided that run out before this
	After                       chunk.ID  // the last gate of the page before
	Limit                       int       // 0 means 100
}

// RecordFilter selects records; empty members select all. Records come in the
// order in which they were written.
type RecordFilter struct {
	Tenant  string
	Run     chunk.ID
	Subject chunk.ID
	Kind    provenance.Kind
	After   int64 // N of the last record of the page before
	Limit   int   // 0 means 100
}

// Sealed is a stored record: its canonical bytes, the number under which the
// database took it, and its place in the tree, which is -1 until it is sealed.
type Sealed struct {
	Record provenance.Record
	Canon  []byte
	N      int64
	Seq    int64
}

// OutboxRow is one message of the outbox.
type OutboxRow struct {
	N int64
	Outgoing
}
