package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/runstate"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// The errors a caller decides on. Every other error is a fault of the program.
var (
	ErrNotFound    = errors.New("review: not found")             // also for what belongs to another tenant
	ErrClaimed     = errors.New("review: claimed by another")    // their lease runs still
	ErrDecided     = errors.New("review: decided already")       // the first decision comes with it
	ErrDecision    = errors.New("review: decision does not fit") // not one of the gate's decisions
	ErrReason      = errors.New("review: reason code missing")   //
	ErrForbidden   = errors.New("review: not allowed")           // the role, or one's own request
	ErrFourEyes    = errors.New("review: a second reviewer must agree first")
	ErrErased      = errors.New("review: the content is erased")
	ErrQuota       = errors.New("review: more requests than a minute has")
	ErrState       = errors.New("review: run state unavailable")
	ErrLedger      = errors.New("review: ledger unavailable")
	ErrEvidence    = errors.New("review: evidence unavailable")
	ErrIntegrity   = errors.New("review: sealed content does not match its seal")
	ErrNoCitations = errors.New("review: no kinds of citations are declared")
	ErrTooLarge    = errors.New("review: too large")
	ErrUnavailable = errors.New("review: store unavailable") // wrapped by ErrLedger, ErrEvidence and ErrState answers
)

// The gate types (the gate_type of a gate-opened record).
const (
	TypeInjection   = "injection"   // about a chunk; direct content halted its run
	TypeSuspect     = "suspect"     // about a chunk
	TypeHold        = "hold"        // about a chunk that could not be decided
	TypeCeiling     = "ceiling"     // about a source that sends more than it declares
	TypeToolCall    = "tool-call"   // about a call that needs approval
	TypePIILeak     = "pii-leak"    // about a call that was stopped, or an output that waits (SPEC QUA-3)
	TypeDeclaration = "declaration" // about a declared operation
	TypeHalt        = "halt"        // about a run that is halted still after its gate was decided
	TypeCitation    = "citation"    // about an output whose citations are not all resolved (SPEC QUA-8)
	TypeReveal      = "reveal"      // about a gate whose raw content a reviewer asks to see
)

// The decisions.
const (
	Approve         = "approve"
	Release         = "release"          // the chunk, its identifying elements redacted as for any context
	ReleaseRedacted = "release-redacted" // … and what was found taken out too
	Reject          = "reject"
	Resume          = "resume" // reject, and let the run go on without it
	End             = "end"    // reject, and end the run
	Expire          = "expire" // nobody decided; written by the queue alone
)

// Decisions gives what may be decided about a gate. What an argument holds above its
// tool's ceiling stays blocked, so its gate cannot be approved; an output can be
// released, redacted as a rule.
func Decisions(g ledger.Gate) []string {
	all := map[string][]string{
		TypeInjection:   {Release, ReleaseRedacted, Reject, Resume, End},
		TypeSuspect:     {Release, ReleaseRedacted, Reject, End},
		TypeHold:        {Release, ReleaseRedacted, Reject, End},
		TypeToolCall:    {Approve, Reject, End},
		TypeDeclaration: {Approve, Reject, End},
		TypePIILeak:     {Reject, End},
		TypeCitation:    {Release, ReleaseRedacted, Reject, End},
		TypeCeiling:     {Approve, Reject},
		TypeReveal:      {Approve, Reject},
		TypeHalt:        {Resume, End},
	}[g.Type]
	if g.Type == TypePIILeak && g.About.Prefix() == prefixOutput {
		all = []string{ReleaseRedacted, Release, Reject, End}
	}
	if g.Run == "" { // a collection's chunk: there is no run to go on or to end
		all = slices.DeleteFunc(all, func(d string) bool { return d == Resume || d == End })
	}
	return all
}

// The prefixes of what gates are about, beside chk.
const (
	prefixCall        = "call"
	prefixOutput      = "out"
	prefixDeclaration = "decl"
)

// ReasonCodes are the reasons a reviewer can give. The list is closed, so that they
// can be counted and so that no content gets into a record by way of a reason.
var ReasonCodes = []string{
	"confirmed-injection", "false-alarm", "harmless-quotation", "needed-for-task", "not-needed", "policy", "customer-consent",
	"wrong-recipient", "too-much-data", "investigation", "legal-request", "other",
}

// The roles that bear on review.
const (
	RoleReviewer = "reviewer" // human-operator: may see restricted, not raw pii
	RolePII      = "pii-authorized-reviewer"
)

// Reviewer is who looks or decides.
type Reviewer struct {
	Name   string // of the credential
	Tenant string
	PII    bool // has the pii-authorized-reviewer designation
}

func (r Reviewer) role() string {
	if r.PII {
		return RolePII
	}
	return "human-operator"
}

func (r Reviewer) actor() string { return "token:" + r.Name }

// stores is what the queue and the gatekeeper share.
type stores struct {
	store     *ledger.Store
	vault     *evidence.Vault
	runs      *runstate.Cache
	integrity chunk.IntegrityKeys
	policy    func() string
	now       func() time.Time
}

func (s *stores) record(kind provenance.Kind, id chunk.ID, tenant string, run, subject chunk.ID, actor string, failure chunk.FailureID, payload any) (provenance.Record, error) {
	b, err := provenance.EncodePayload(payload)
	if err != nil {
		return provenance.Record{}, fmt.Errorf("review: %w", err)
	}
	return provenance.Record{
		ID: id, Schema: provenance.SchemaVersion, Time: s.now().UTC(), Kind: kind, Tenant: tenant, Run: run, Subject: subject,
		Actor: actor, Policy: s.policy(), Failure: failure, Payload: b,
	}, nil
}

// append writes a batch and tells the cache of the runs it changed.
func (s *stores) append(ctx context.Context, b ledger.Batch, runs ...chunk.ID) (ledger.Appended, error) {
	out, err := s.store.Append(ctx, b)
	if err != nil {
		return ledger.Appended{}, fromLedger(err)
	}
	runs = slices.DeleteFunc(runs, func(r chunk.ID) bool { return r == "" })
	if len(runs) > 0 {
		// The append stands. A cache that could not be told trusts none of its entries
		// until it can be (runstate), so nothing is decided by what was.
		_ = s.runs.Invalidate(ctx, runs...)
	}
	return out[0], nil
}

func fromLedger(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ledger.ErrNotFound):
		return ErrNotFound
	case errors.Is(err, ledger.ErrClaimed):
		return ErrClaimed
	case errors.Is(err, ledger.ErrDecided):
		return ErrDecided
	case errors.Is(err, provenance.ErrMalformed):
		return fmt.Errorf("review: %w", err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", ErrLedger, err)
	}
	return fmt.Errorf("%w (%w)", ErrLedger, ErrUnavailable)
}

func fromVault(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, evidence.ErrErased):
		return ErrErased
	case errors.Is(err, evidence.ErrIntegrity):
		return ErrIntegrity
	case errors.Is(err, evidence.ErrNotFound):
		return ErrNotFound
	}
	return fmt.Errorf("%w (%w)", ErrEvidence, ErrUnavailable)
}

// matter is what waits behind a gate that is about no chunk: a call, an output, a
// declaration. It is content: sealed under the run's key, bound to the gate's about.
type matter struct {
	V           int             `json:"v"`
	Tool        string          `json:"tool,omitempty"`
	Sink        string          `json:"sink,omitempty"`
	Arguments   json.RawMessage `json:"arguments,omitempty"`
	Stubs       []string        `json:"stubs,omitempty"` // may be resolved for this call
	Text        string          `json:"text,omitempty"`
	Role        string          `json:"recipient_role,omitempty"`
	Destination string          `json:"destination,omitempty"`
	Declaration json.RawMessage `json:"declaration,omitempty"`
	Found       json.RawMessage `json:"found,omitempty"` // why: where and what kind, never what
	Cited       []chunk.Finding `json:"cited,omitempty"` // citations that are not resolved
	Client      string          `json:"client_id,omitempty"`
	Result      chunk.ID        `json:"result,omitempty"` // event under which an execution's result came in
	Source      string          `json:"source,omitempty"` // where it came from
}

func (s *stores) sealMatter(ctx context.Context, run, about chunk.ID, m matter) (ledger.Held, error) {
	m.V = 1
	b, err := json.Marshal(m)
	if err != nil {
		return ledger.Held{}, errors.New("review: matter cannot be encoded")
	}
	sealed, err := s.vault.Seal(ctx, run, b, chunk.HeldAD(about))
	if err != nil {
		return ledger.Held{}, fromVault(err)
	}
	return ledger.Held{Chunk: about, Run: run, Scope: run, Sealed: sealed}, nil
}

func (s *stores) openHeld(ctx context.Context, about chunk.ID) (ledger.Held, []byte, error) {
	h, err := s.store.Held(ctx, about)
	if err != nil {
		return h, nil, fromLedger(err)
	}
	plain, err := s.vault.Open(ctx, h.Scope, h.Sealed, chunk.HeldAD(about))
	return h, plain, fromVault(err)
}

func (s *stores) matter(ctx context.Context, about chunk.ID) (matter, error) {
	_, plain, err := s.openHeld(ctx, about)
	if err != nil {
		return matter{}, err
	}
	var m matter
	if err := json.Unmarshal(plain, &m); err != nil || m.V != 1 {
		return matter{}, ErrIntegrity
	}
	return m, nil
}

// held opens the document of one chunk that waits, and checks that its attribution
// is what the door sealed (SPEC CLS-8).
func (s *stores) held(ctx context.Context, about chunk.ID) (chunk.Document, error) {
	_, plain, err := s.openHeld(ctx, about)
	if err != nil {
		return chunk.Document{}, err
	}
	doc, err := chunk.Decode(plain)
	if err != nil || len(doc.Chunks) != 1 || doc.Chunks[0].ID != about {
		return chunk.Document{}, ErrIntegrity
	}
	if err := s.integrity.Verify(doc.Attribution, doc.Seal); err != nil {
		return chunk.Document{}, ErrIntegrity
	}
	return doc, nil
}

// clearedEvent is the message that carries a released chunk to the context stage.
func (s *stores) clearedEvent(ctx context.Context, doc chunk.Document) (ledger.Outgoing, error) {
	b, err := chunk.Encode(doc)
	if err != nil {
		return ledger.Outgoing{}, ErrIntegrity
	}
	a := doc.Attribution
	sealed, err := s.vault.Seal(ctx, a.Scope, b, chunk.DocumentAD(stage.TopicCleared, a.Event))
	if err != nil {
		return ledger.Outgoing{}, fromVault(err)
	}
	o, err := stage.DocumentEvent(stage.TopicCleared, stage.TypeCleared, string(a.Event), a, doc.Class, stage.SealedType, sealed)
	if err != nil {
		return ledger.Outgoing{}, fmt.Errorf("review: %w", err)
	}
	return o, nil
}
