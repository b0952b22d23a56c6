package provenance

import (
	"encoding/json"
	"time"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// SchemaVersion is written into every record. Canonical bytes of older versions
// are never encoded again; they are hashed as they were written.
const SchemaVersion = 1

// Kind is a kind of record. The list is closed.
type Kind string

// The kinds. The comment names the payload type.
const (
	KindAccepted         Kind = "accepted"              // Accepted
	KindBlocked          Kind = "blocked"               // Blocked
	KindClassified       Kind = "classified"            // Classified
	KindScanned          Kind = "scanned"               // Scanned: the scan passed
	KindInjectionHit     Kind = "injection-hit"         // InjectionHit (SPEC PRV-5)
	KindCleared          Kind = "cleared"               // ChunkEnded: final disposition
	KindReleased         Kind = "released"              // ChunkEnded: final disposition, after review
	KindRejected         Kind = "rejected"              // ChunkEnded: final disposition, after review or expiry
	KindContextAssembly  Kind = "context-assembly"      // ContextAssembly (SPEC PRV-3)
	KindToolArgument     Kind = "tool-argument"         // ToolArgument (SPEC PRV-4)
	KindEgressBlock      Kind = "egress-block"          // EgressBlock (SPEC PRV-6)
	KindOutputDelivery   Kind = "output-delivery"       // OutputDelivery (SPEC PRV-7)
	KindGateOpened       Kind = "gate-opened"           // GateOpened
	KindGateClaimed      Kind = "gate-claimed"          // GateClaimed
	KindGateDecided      Kind = "gate-decided"          // GateDecided (SPEC QUA-6)
	KindGateApplied      Kind = "gate-applied"          // GateApplied
	KindRunHalted        Kind = "run-halted"            // RunChanged
	KindRunResumed       Kind = "run-resumed"           // RunChanged
	KindRunEnded         Kind = "run-ended"             // RunChanged
	KindRunIncomplete    Kind = "run-incomplete"        // RunChanged
	KindRunClass         Kind = "run-class"             // RunClass: contamination by something other than a classified document
	KindCeilingExceeded  Kind = "ceiling-exceeded"      // CeilingExceeded (SPEC CLS-5)
	KindStubResolved     Kind = "stub-resolved"         // StubResolved (SPEC RED-4)
	KindEvidenceViewed   Kind = "evidence-viewed"       // EvidenceViewed
	KindDeclaration      Kind = "declaration"           // Declaration
	KindExecutionStarted Kind = "execution-started"     // Execution
	KindExecutionEnded   Kind = "execution-completed"   // Execution
	KindMemory           Kind = "memory"                // Memory
	KindCitation         Kind = "citation"              // Citation
	KindDeadLetter       Kind = "dead-letter"           // DeadLetter: final disposition of a document
	KindConfigChanged    Kind = "configuration-changed" // ConfigChanged
	KindEventBodyChanged Kind = "event-body-changed"    // EventBodyChanged
	KindIntegrityAlarm   Kind = "integrity-alarm"       // IntegrityAlarm
	KindErasure          Kind = "erasure"               // Erasure
	KindLegalHold        Kind = "legal-hold"            // Erasure
	KindRetention        Kind = "retention"             // Erasure
)

// Kinds is the closed list, in the order above.
var Kinds = []Kind{
	KindAccepted, KindBlocked, KindClassified, KindScanned, KindInjectionHit, KindCleared, KindReleased, KindRejected,
	KindContextAssembly, KindToolArgument, KindEgressBlock, KindOutputDelivery, KindGateOpened, KindGateClaimed,
	KindGateDecided, KindGateApplied, KindRunHalted, KindRunResumed, KindRunEnded, KindRunIncomplete, KindRunClass,
	KindCeilingExceeded, KindStubResolved, KindEvidenceViewed, KindDeclaration, KindExecutionStarted, KindExecutionEnded,
	KindMemory, KindCitation, KindDeadLetter, KindConfigChanged, KindEventBodyChanged, KindIntegrityAlarm, KindErasure,
	KindLegalHold, KindRetention,
}

// Record is one entry of the ledger. It holds ids, labels, counts, scores, keyed
// commitments and pointers; never content (SPEC PRV-2).
//
// ID follows from what the record is about ([RecordID]), so that a replayed stage
// makes the same id and the first decision stands.
type Record struct {
	ID       chunk.ID        `json:"id"`
	Schema   int             `json:"schema"`
	Time     time.Time       `json:"time"` // UTC
	Kind     Kind            `json:"kind"`
	Tenant   string          `json:"tenant"`
	Run      chunk.ID        `json:"run,omitempty"`
	Subject  chunk.ID        `json:"subject,omitempty"` // what it is about: an event, a chunk, a gate, a run
	Actor    string          `json:"actor"`             // stage:detector, or the principal: user:NAME, token:NAME
	Policy   string          `json:"policy,omitempty"`  // hash of the configuration in force
	Failure  chunk.FailureID `json:"failure,omitempty"`
	Evidence string          `json:"evidence,omitempty"` // opaque pointer into the vault
	Payload  json.RawMessage `json:"payload"`
}

// RecordID names the record of one kind about one thing. Where a thing can have
// several records of a kind (each context assembly, each claim), parts tell them
// apart; they must be the same on a replay.
func RecordID(kind Kind, subject chunk.ID, parts ...string) chunk.ID {
	return chunk.NewID("rec", append([]string{string(kind), string(subject)}, parts...)...)
}

// Accepted: a document passed the door.
type Accepted struct {
	EventID    chunk.ID `json:"event_id"`
	SourceID   string   `json:"source_id"`
	MediaType  string   `json:"media_type"`
	SizeBytes  int      `json:"size_bytes"`
	ChunkCount int      `json:"chunk_count"`
	Commitment string   `json:"content_commitment"` // HMAC under the scope's key, hex
	Collection bool     `json:"collection"`
}

// Blocked: an authenticated sender named something that may not enter (SPEC CLS-4).
type Blocked struct {
	EventID        chunk.ID        `json:"event_id,omitempty"`
	SourceID       string          `json:"source_id"`
	ConfidenceBand chunk.Band      `json:"confidence_band"`
	FailureID      chunk.FailureID `json:"failure_id"`
}

// Classified: a document has its class and its redactions.
type Classified struct {
	EventID    chunk.ID       `json:"event_id"`
	SourceID   string         `json:"source_id"`
	DataClass  chunk.Class    `json:"data_class"`
	Origin     chunk.Origin   `json:"origin"`
	Trust      chunk.Trust    `json:"trust_level"`
	Redactions map[string]int `json:"redactions,omitempty"` // entity type → count; encoding/json sorts the keys
}

// Scanned: the injection scan of one chunk passed.
type Scanned struct {
	RunID           chunk.ID   `json:"run_id"`
	ChunkID         chunk.ID   `json:"chunk_id"`
	ConfidenceBand  chunk.Band `json:"confidence_band"`
	ConfidenceScore float64    `json:"confidence_score"`
}

// InjectionHit is the record of SPEC PRV-5, with exactly its fields.
type InjectionHit struct {
	RunID           chunk.ID `json:"run_id"`
	ChunkID         chunk.ID `json:"chunk_id"`
	PatternMatched  string   `json:"injection_pattern_matched"` // rule id of the strongest finding, or "undecided"
	Disposition     string   `json:"disposition"`               // quarantine or allow
	ConfidenceScore float64  `json:"confidence_score"`
}

// ChunkEnded: a chunk reached its one final disposition (SPEC PRV-9).
type ChunkEnded struct {
	ChunkID          chunk.ID          `json:"chunk_id"`
	EventID          chunk.ID          `json:"event_id"`
	Disposition      chunk.Disposition `json:"disposition"`
	RedactionApplied bool              `json:"redaction_applied"`
	GateID           chunk.ID          `json:"gate_id,omitempty"`
}

// ContextAssembly is the record of SPEC PRV-3, with exactly its fields.
type ContextAssembly struct {
	RunID            chunk.ID    `json:"run_id"`
	DataClass        chunk.Class `json:"data_class"`
	SourceID         string      `json:"source_id"`
	RedactionApplied bool        `json:"redaction_applied"`
	ChunkHash        string      `json:"chunk_hash"` // HMAC of the text handed over, under the scope's key, hex
}

// ToolArgument is the record of SPEC PRV-4, with exactly its fields.
type ToolArgument struct {
	RunID                  chunk.ID    `json:"run_id"`
	ToolID                 string      `json:"tool_id"`
	DataClass              chunk.Class `json:"data_class"`
	ArgumentFieldNames     []string    `json:"argument_field_names"`
	AuthorizedSinkVerified bool        `json:"authorized_sink_verified"`
}

// EgressBlock is the record of SPEC PRV-6, with exactly its fields.
type EgressBlock struct {
	RunID        chunk.ID        `json:"run_id"`
	DataClass    chunk.Class     `json:"data_class"`
	Destination  string          `json:"destination"` // tool or sink id
	BlockingRule string          `json:"blocking_rule"`
	FailureID    chunk.FailureID `json:"failure_id"`
}

// OutputDelivery is the record of SPEC PRV-7, with exactly its fields.
type OutputDelivery struct {
	RunID            chunk.ID    `json:"run_id"`
	OutputClass      chunk.Class `json:"output_class"`
	RecipientRole    string      `json:"recipient_role"`
	RedactionApplied bool        `json:"redaction_applied"`
}

// GateOpened: something waits for a person.
type GateOpened struct {
	GateID  chunk.ID        `json:"gate_id"`
	Type    string          `json:"gate_type"` // injection, suspect, hold, tool-call, pii-leak, ceiling
	RunID   chunk.ID        `json:"run_id,omitempty"`
	About   chunk.ID        `json:"about"` // chunk id or tool call id
	Source  string          `json:"source_id,omitempty"`
	ToolID  string          `json:"tool_id,omitempty"`
	Class   chunk.Class     `json:"data_class"`
	Rules   []string        `json:"rules,omitempty"`
	Score   float64         `json:"confidence_score"`
	Failure chunk.FailureID `json:"failure_id"`
	Expires time.Time       `json:"expires"`
}

// GateClaimed: a reviewer took a gate for the length of a lease.
type GateClaimed struct {
	GateID   chunk.ID  `json:"gate_id"`
	Reviewer string    `json:"reviewer"`
	Until    time.Time `json:"lease_until"`
}

// GateDecided is a person's decision (SPEC QUA-6).
type GateDecided struct {
	GateID         chunk.ID `json:"gate_id"`
	Decision       string   `json:"decision"`        // approve, release, release-redacted, reject, resume, end, expire
	DecisionOrigin string   `json:"decision_origin"` // human-override, or policy for an expiry
	Reviewer       string   `json:"reviewer"`
	ReasonCode     string   `json:"reason_code"`
	Note           string   `json:"note,omitempty"` // the reviewer's words after redaction
}

// GateApplied: the effect of a decision has been carried out.
type GateApplied struct {
	GateID chunk.ID `json:"gate_id"`
	Effect string   `json:"effect"`
}

// RunChanged: a run was halted, resumed, ended or found incomplete.
type RunChanged struct {
	RunID     chunk.ID        `json:"run_id"`
	FailureID chunk.FailureID `json:"failure_id,omitempty"`
	ChunkID   chunk.ID        `json:"chunk_id,omitempty"`
	GateID    chunk.ID        `json:"gate_id,omitempty"`
}

// RunClass: something raised a run's class (SPEC CLS-6).
type RunClass struct {
	RunID     chunk.ID    `json:"run_id"`
	DataClass chunk.Class `json:"data_class"`
	Cause     string      `json:"cause"` // retrieval, memory, execution
}

// CeilingExceeded: content was found above its source's declared class (SPEC CLS-5).
type CeilingExceeded struct {
	EventID  chunk.ID    `json:"event_id"`
	SourceID string      `json:"source_id"`
	Declared chunk.Class `json:"declared"`
	Found    chunk.Class `json:"found"`
	Types    []string    `json:"types"`
}

// StubResolved: a stub was turned back into its value for a sink. A record with a
// failure says that somebody asked and got nothing (SPEC RED-4).
type StubResolved struct {
	RunID  chunk.ID `json:"run_id"`
	ToolID string   `json:"tool_id"`
	Sink   string   `json:"sink"`
	Stubs  []string `json:"stubs"`
}

// EvidenceViewed: a person saw raw evidence.
type EvidenceViewed struct {
	GateID     chunk.ID `json:"gate_id,omitempty"`
	Viewer     string   `json:"viewer"`
	Role       string   `json:"role"`
	ReasonCode string   `json:"reason_code"`
}

// Declaration: an agent declared an operation (SPEC DEC-1).
type Declaration struct {
	RunID     chunk.ID `json:"run_id"`
	SessionID string   `json:"session_id"`
	Operation string   `json:"operation"`
	Phase     string   `json:"phase"`
	Decision  string   `json:"decision"`
}

// Execution: a controlled execution began or ended (SPEC DEC-5).
type Execution struct {
	RunID           chunk.ID `json:"run_id"`
	SessionID       string   `json:"session_id"`
	Operation       string   `json:"operation"`
	ParameterNames  []string `json:"parameter_names"`
	Decision        string   `json:"decision"`
	ResultSizeBytes int      `json:"result_size_bytes"`
}

// Memory: a write to scratchpad or cross-run memory was decided (SPEC EGR-4).
type Memory struct {
	RunID     chunk.ID    `json:"run_id"`
	Space     string      `json:"space"`
	DataClass chunk.Class `json:"data_class"`
	Decision  string      `json:"decision"`
}

// Citation: citations of one kind in one text were checked against their source of record
// and came to the same (SPEC QUA-8). What they say is content and stays out.
type Citation struct {
	RunID     chunk.ID        `json:"run_id"` // empty: a text of no run
	Type      string          `json:"citation_type"`
	Resolved  bool            `json:"resolved"`
	FailureID chunk.FailureID `json:"failure_id,omitempty"` // hallucinated-citation, or undecided
	Count     int             `json:"count,omitempty"`
}

// DeadLetter: a document could not be processed; every chunk of it ends here.
type DeadLetter struct {
	EventID  chunk.ID        `json:"event_id,omitempty"`
	Stage    string          `json:"stage"`
	Reason   chunk.FailureID `json:"reason_code"`
	Attempts int             `json:"attempts"`
	Position string          `json:"position"` // topic/partition@offset
}

// ConfigChanged: the configuration in force is another one.
type ConfigChanged struct {
	Previous string `json:"previous,omitempty"`
	Current  string `json:"current"`
}

// EventBodyChanged: a sender repeated an event id with another body.
type EventBodyChanged struct {
	EventID    chunk.ID `json:"event_id"`
	SourceID   string   `json:"source_id"`
	Commitment string   `json:"content_commitment"`
}

// IntegrityAlarm: attribution did not match its tag, or stores disagree.
type IntegrityAlarm struct {
	Stage    string `json:"stage"`
	Position string `json:"position"`
	Check    string `json:"check"`
}

// Erasure: a key was destroyed, a legal hold set or lifted, or retention applied.
type Erasure struct {
	ScopeID chunk.ID `json:"scope_id"`
	Action  string   `json:"action"` // erased, held, unheld, expired
	Reason  string   `json:"reason_code"`
}

// ScanID names the record of a chunk's scan, whichever way it went: a replay that
// would decide otherwise meets the first decision under the same id and yields.
func ScanID(c chunk.ID) chunk.ID { return chunk.NewID("rec", "scan", string(c)) }

// EndID names the record of a chunk's final disposition, so that it can have one only.
func EndID(c chunk.ID) chunk.ID { return chunk.NewID("rec", "end", string(c)) }
