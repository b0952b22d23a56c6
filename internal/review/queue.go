package review

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/stoplog/stoplog/internal/citations"
	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/runstate"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Config is what a queue and a gatekeeper need. Store, Vault, Runs, Classifier and
// Integrity are required.
type Config struct {
	Store      *ledger.Store
	Vault      *evidence.Vault
	Runs       *runstate.Cache
	Classifier *classify.Classifier
	Integrity  chunk.IntegrityKeys
	Policy     func() string    // hash of the configuration in force; nil: none
	Now        func() time.Time // nil: time.Now
	Log        *slog.Logger     // nil: none

	Lease    time.Duration // how long a claim lasts; zero: 15m
	Expires  time.Duration // an undecided gate is a rejection after this; zero: 72h
	FourEyes bool          // raw pii is revealed only after a second reviewer agreed

	Citations *citations.Checker // nil: citations are not looked for
}

func (c *Config) defaults() error {
	if c.Store == nil || c.Vault == nil || c.Runs == nil || c.Classifier == nil || len(c.Integrity) == 0 {
		return errors.New("review: store, vault, run cache, classifier and integrity keys are required")
	}
	if c.Policy == nil {
		c.Policy = func() string { return "" }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Lease <= 0 {
		c.Lease = 15 * time.Minute
	}
	if c.Expires <= 0 {
		c.Expires = 72 * time.Hour
	}
	return nil
}

func (c *Config) stores() stores {
	return stores{store: c.Store, vault: c.Vault, runs: c.Runs, integrity: c.Integrity, policy: c.Policy, now: c.Now}
}

// Queue is the review queue. It is safe for concurrent use; any number of processes
// may share one ledger.
type Queue struct {
	stores
	cfg Config
}

// NewQueue makes a queue.
func NewQueue(cfg Config) (*Queue, error) {
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	return &Queue{stores: cfg.stores(), cfg: cfg}, nil
}

// Filter selects gates of the reviewer's tenant. State "waiting" (the default) is
// everything not decided; "all" is everything.
type Filter struct {
	State, Type, Source string
	Run, After          chunk.ID
	Limit               int // 0: 100, at most 500
}

// Item is a gate as a list shows it: labels and times, no content.
type Item struct {
	ID          chunk.ID        `json:"gate_id"`
	Type        string          `json:"gate_type"`
	State       string          `json:"state"`
	Run         chunk.ID        `json:"run_id,omitempty"`
	About       chunk.ID        `json:"about"`
	Source      string          `json:"source_id,omitempty"`
	Tool        string          `json:"tool_id,omitempty"`
	Class       chunk.Class     `json:"data_class"`
	Rules       []string        `json:"rules,omitempty"`
	Score       float64         `json:"confidence_score"`
	Failure     chunk.FailureID `json:"failure_id,omitempty"`
	Opened      time.Time       `json:"opened"`
	Expires     time.Time       `json:"expires"`
	Reviewer    string          `json:"reviewer,omitempty"`
	LeaseUntil  *time.Time      `json:"lease_until,omitempty"`
	Decision    string          `json:"decision,omitempty"`
	Origin      string          `json:"decision_origin,omitempty"`
	ReasonCode  string          `json:"reason_code,omitempty"`
	Note        string          `json:"note,omitempty"`
	DecidedAt   *time.Time      `json:"decided_at,omitempty"`
	AppliedAt   *time.Time      `json:"applied_at,omitempty"`
	Effect      string          `json:"effect,omitempty"`
	Decisions   []string        `json:"decisions,omitempty"` // what may be decided now
	WaitSeconds int64           `json:"waiting_seconds"`
}

func (q *Queue) item(g ledger.Gate) Item {
	it := Item{
		ID: g.ID, Type: g.Type, State: g.State, Run: g.Run, About: g.About, Source: g.Source, Tool: g.ToolID, Class: g.Class, Rules: g.Rules,
		Score: g.Score, Failure: g.Failure, Opened: g.Opened, Expires: g.Expires, Reviewer: g.Reviewer, Decision: g.Decision,
		Origin: g.DecisionOrigin, ReasonCode: g.ReasonCode, Note: g.Note, Effect: g.Effect,
	}
	now := q.now()
	end := now
	if !g.DecidedAt.IsZero() {
		it.DecidedAt, end = &g.DecidedAt, g.DecidedAt
	}
	if !g.AppliedAt.IsZero() {
		it.AppliedAt = &g.AppliedAt
	}
	it.WaitSeconds = int64(end.Sub(g.Opened).Seconds())
	if g.State == ledger.GateClaimed {
		if g.LeaseUntil.After(now) {
			it.LeaseUntil = &g.LeaseUntil
		} else {
			it.State, it.Reviewer = ledger.GateOpen, "" // the lease ran out
		}
	}
	if waiting(g) {
		it.Decisions = Decisions(g)
	}
	return it
}

func waiting(g ledger.Gate) bool { return g.State == ledger.GateOpen || g.State == ledger.GateClaimed }

// List gives gates in the order in which they were opened.
func (q *Queue) List(ctx context.Context, who Reviewer, f Filter) ([]Item, error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	f.Limit = min(f.Limit, 500)
	base := ledger.GateFilter{Tenant: who.Tenant, Type: f.Type, Source: f.Source, Run: f.Run, After: f.After, Limit: f.Limit, Now: q.now()}
	states := []string{f.State}
	switch f.State {
	case "", "waiting":
		states = []string{ledger.GateOpen, ledger.GateClaimed}
	case "all":
		states = []string{""}
	}
	var out []Item
	for _, st := range states {
		base.State = st
		gates, err := q.store.Gates(ctx, base)
		if err != nil {
			return nil, fromLedger(err)
		}
		for _, g := range gates {
			if g.Tenant == who.Tenant { // the filter says so too; an empty tenant must not read as all
				out = append(out, q.item(g))
			}
		}
	}
	if len(states) > 1 {
		slices.SortStableFunc(out, func(a, b Item) int { return a.Opened.Compare(b.Opened) })
		if len(out) > f.Limit {
			out = out[:f.Limit]
		}
	}
	return out, nil
}

// gate gives a gate of the reviewer's tenant. Another tenant's is not there.
func (q *Queue) gate(ctx context.Context, who Reviewer, id chunk.ID) (ledger.Gate, error) {
	if !chunk.ValidID(string(id), "gate") || who.Tenant == "" {
		return ledger.Gate{}, ErrNotFound
	}
	g, err := q.store.Gate(ctx, id)
	if err != nil {
		return ledger.Gate{}, fromLedger(err)
	}
	if g.Tenant != who.Tenant {
		return ledger.Gate{}, ErrNotFound
	}
	return g, nil
}

// Get gives one gate without its content.
func (q *Queue) Get(ctx context.Context, who Reviewer, id chunk.ID) (Item, error) {
	g, err := q.gate(ctx, who, id)
	if err != nil {
		return Item{}, err
	}
	return q.item(g), nil
}

// Claim gives the reviewer a gate for the length of a lease; again, it renews the
// lease. [ErrClaimed] while another's lease runs.
func (q *Queue) Claim(ctx context.Context, who Reviewer, id chunk.ID) (Item, error) {
	g, err := q.gate(ctx, who, id)
	if err != nil {
		return Item{}, err
	}
	now := q.now().UTC().Truncate(time.Microsecond)
	until := now.Add(q.cfg.Lease)
	rec, err := q.record(provenance.KindGateClaimed, provenance.RecordID(provenance.KindGateClaimed, id, who.Name, until.Format(time.RFC3339Nano)),
		g.Tenant, g.Run, id, who.actor(), chunk.FailNone, provenance.GateClaimed{GateID: id, Reviewer: who.Name, Until: until})
	if err != nil {
		return Item{}, err
	}
	g, err = q.store.ClaimGate(ctx, id, who.Name, now, until, rec)
	if err != nil {
		if e := fromLedger(err); errors.Is(e, ErrDecided) {
			if it, gerr := q.Get(ctx, who, id); gerr == nil {
				return it, ErrDecided
			}
		}
		return Item{}, fromLedger(err)
	}
	return q.item(g), nil
}

// Verdict is a person's decision about a gate.
type Verdict struct {
	Decision   string `json:"decision"`
	ReasonCode string `json:"reason_code"`
	Note       string `json:"note,omitempty"`
}

// maxNote bounds a reviewer's note, in bytes.
const maxNote = 2000

// Decide records a decision and what follows from it, in one append. A gate is
// decided once: with [ErrDecided] comes the gate as the first decision left it.
//
// Nobody decides what they asked for themselves, and nobody decides a gate that
// another reviewer holds.
func (q *Queue) Decide(ctx context.Context, who Reviewer, id chunk.ID, v Verdict) (Item, error) {
	g, err := q.gate(ctx, who, id)
	if err != nil {
		return Item{}, err
	}
	if !waiting(g) {
		return q.item(g), ErrDecided
	}
	if !slices.Contains(Decisions(g), v.Decision) {
		return q.item(g), ErrDecision
	}
	if !slices.Contains(ReasonCodes, v.ReasonCode) {
		return q.item(g), ErrReason
	}
	if len(v.Note) > maxNote {
		return q.item(g), ErrTooLarge
	}
	if g.State == ledger.GateClaimed && g.Reviewer != who.Name && g.LeaseUntil.After(q.now()) {
		return q.item(g), ErrClaimed
	}
	if g.Type == TypeReveal && !who.PII || g.Type == TypePIILeak && v.Decision == Release && !who.PII {
		return q.item(g), ErrForbidden
	}
	if own, err := q.opened(ctx, g, who.actor()); err != nil {
		return Item{}, err
	} else if own {
		return q.item(g), ErrForbidden
	}
	return q.decide(ctx, g, who.actor(), who.Name, "human-override", v)
}

// opened reports whether actor opened the gate, or is the agent whose call it is about.
func (q *Queue) opened(ctx context.Context, g ledger.Gate, actor string) (bool, error) {
	rec, err := q.store.Record(ctx, provenance.RecordID(provenance.KindGateOpened, g.ID))
	if errors.Is(err, ledger.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fromLedger(err)
	}
	return rec.Record.Actor == actor, nil
}

// decide writes a decision and its effects.
func (q *Queue) decide(ctx context.Context, g ledger.Gate, actor, reviewer, origin string, v Verdict) (Item, error) {
	b, effect, err := q.effects(ctx, g, actor, v.Decision)
	if err != nil {
		return q.item(g), err
	}
	decided, err := q.record(provenance.KindGateDecided, provenance.RecordID(provenance.KindGateDecided, g.ID), g.Tenant, g.Run, g.ID, actor, chunk.FailNone,
		provenance.GateDecided{GateID: g.ID, Decision: v.Decision, DecisionOrigin: origin, Reviewer: reviewer, ReasonCode: v.ReasonCode, Note: q.cleanNote(v.Note)})
	if err != nil {
		return Item{}, err
	}
	b.Records = append([]provenance.Record{decided}, b.Records...)
	if effect != "" { // carried out by this very append
		applied, err := q.applied(g, actor, effect)
		if err != nil {
			return Item{}, err
		}
		b.Records = append(b.Records, applied)
	}
	out, err := q.append(ctx, b, g.Run)
	if err != nil {
		return Item{}, err
	}
	now, err := q.store.Gate(ctx, g.ID)
	if err != nil {
		return Item{}, fromLedger(err)
	}
	if out.Duplicate || !out.Inserted[0] {
		return q.item(now), ErrDecided
	}
	return q.item(now), nil
}

func (q *Queue) applied(g ledger.Gate, actor, effect string) (provenance.Record, error) {
	return q.record(provenance.KindGateApplied, provenance.RecordID(provenance.KindGateApplied, g.ID), g.Tenant, g.Run, g.ID, actor, chunk.FailNone,
		provenance.GateApplied{GateID: g.ID, Effect: effect})
}

// effects gives what follows from a decision, apart from its own record. effect names
// what the append itself carries out; empty: a stage has to (a release).
func (q *Queue) effects(ctx context.Context, g ledger.Gate, actor, decision string) (b ledger.Batch, effect string, err error) {
	run := func(kind provenance.Kind, gate chunk.ID, part string) {
		if err != nil || g.Run == "" {
			return
		}
		var rec provenance.Record
		rec, err = q.record(kind, provenance.RecordID(kind, g.Run, string(g.ID), part), g.Tenant, g.Run, g.Run, actor, chunk.FailNone,
			provenance.RunChanged{RunID: g.Run, GateID: gate})
		b.Records = append(b.Records, rec)
	}
	switch g.Type {
	case TypeInjection, TypeSuspect, TypeHold:
		switch decision {
		case Release, ReleaseRedacted:
			out, err := q.release(ctx, g, decision == ReleaseRedacted)
			if err != nil {
				return b, "", err
			}
			b.Outbox = append(b.Outbox, out)
			if g.Type == TypeInjection {
				run(provenance.KindRunResumed, g.ID, "")
			}
			return b, "", err
		}
		c, cerr := q.store.Chunk(ctx, g.About)
		if cerr != nil {
			return b, "", fromLedger(cerr)
		}
		disposition := chunk.Rejected
		if decision == Expire {
			disposition = chunk.Expired
		}
		rec, rerr := q.record(provenance.KindRejected, provenance.EndID(g.About), g.Tenant, g.Run, g.About, actor, g.Failure,
			provenance.ChunkEnded{ChunkID: g.About, EventID: c.Event, Disposition: disposition, GateID: g.ID})
		if rerr != nil {
			return b, "", rerr
		}
		b.Records = append(b.Records, rec)
		effect = "chunk-rejected"
		switch {
		case decision == Resume:
			run(provenance.KindRunResumed, g.ID, "")
			effect = "chunk-rejected, run-resumed"
		case decision == End:
			run(provenance.KindRunEnded, g.ID, "")
			effect = "chunk-rejected, run-ended"
		case g.Type == TypeInjection && g.Run != "":
			// The chunk is gone, the run is halted still: somebody has to say whether it
			// goes on, so that is a gate of its own.
			r, rerr := q.store.Run(ctx, g.Run)
			if rerr != nil {
				return b, "", fromLedger(rerr)
			}
			if !r.Ended {
				var halt provenance.Record
				halt, err = q.haltGate(g)
				b.Records = append(b.Records, halt)
			}
		}
	case TypeHalt:
		// About is the gate whose halt this is.
		if decision == Resume {
			run(provenance.KindRunResumed, g.About, "")
			effect = "run-resumed"
		} else {
			run(provenance.KindRunEnded, g.About, "")
			effect = "run-ended"
		}
	default:
		effect = map[string]string{Approve: "approved", Release: "released", ReleaseRedacted: "released-redacted", Reject: "rejected", End: "rejected, run-ended", Expire: "rejected"}[decision]
		if decision == End {
			run(provenance.KindRunEnded, g.ID, "")
		}
		if g.Type == TypeToolCall {
			out, oerr := q.decidedCall(ctx, g, decision)
			if oerr != nil {
				return b, "", oerr
			}
			b.Outbox = append(b.Outbox, out)
		}
	}
	return b, effect, err
}

func (q *Queue) haltGate(g ledger.Gate) (provenance.Record, error) {
	id := chunk.GateID(g.ID)
	return q.record(provenance.KindGateOpened, provenance.RecordID(provenance.KindGateOpened, id), g.Tenant, g.Run, id, "stage:review", chunk.FailRunHalted,
		provenance.GateOpened{
			GateID: id, Type: TypeHalt, RunID: g.Run, About: g.ID, Source: g.Source, Class: g.Class, Rules: g.Rules, Score: g.Score,
			Failure: chunk.FailRunHalted, Expires: q.now().UTC().Add(q.cfg.Expires),
		})
}

// release makes the message that lets a held chunk go on: the same chunk, its
// identifying elements replaced as for any context; with found, what the detector
// found taken out too.
func (q *Queue) release(ctx context.Context, g ledger.Gate, found bool) (ledger.Outgoing, error) {
	doc, err := q.held(ctx, g.About)
	if err != nil {
		return ledger.Outgoing{}, err
	}
	c := doc.Chunks[0]
	scan := chunk.Scan{Verdict: chunk.Suspect, Band: chunk.BandLow}
	if len(doc.Verdicts) == 1 {
		scan = doc.Verdicts[0]
	}
	if found {
		c.Redactions = withFindings(c.Redactions, scan.Findings, len(c.Text))
		if len(scan.Findings) == 0 {
			// Nothing says where the harm lies, so all of it goes.
			c.Redactions = []chunk.Redaction{{Span: chunk.Span{End: len(c.Text)}, Type: "INJECTION", Class: doc.Class, Stub: redactedFinding}}
		}
	}
	scan.Redacted = len(c.Redactions) > 0
	c.Text, c.Redactions = c.Redacted(), nil
	scan.Findings = nil
	doc.Chunks, doc.Verdicts = []chunk.Chunk{c}, []chunk.Scan{scan}
	return q.clearedEvent(ctx, doc)
}

const redactedFinding = "[REDACTED:injection]"

// withFindings adds what was found to a chunk's redactions. A finding that overlaps
// a redaction swallows it.
func withFindings(redactions []chunk.Redaction, findings []chunk.Finding, size int) []chunk.Redaction {
	all := slices.Clone(redactions)
	for _, f := range findings {
		if f.Start < 0 || f.End > size || f.Start >= f.End {
			continue
		}
		all = append(all, chunk.Redaction{Span: f.Span, Type: "INJECTION", Stub: redactedFinding})
	}
	slices.SortStableFunc(all, func(a, b chunk.Redaction) int { return a.Start - b.Start })
	var out []chunk.Redaction
	for _, r := range all {
		n := len(out)
		if n == 0 || r.Start >= out[n-1].End {
			out = append(out, r)
			continue
		}
		last := &out[n-1]
		last.End = max(last.End, r.End)
		last.Class = last.Class.Max(r.Class)
		if r.Type == "INJECTION" {
			last.Type, last.Stub, last.Path = r.Type, r.Stub, ""
		}
	}
	return out
}

// cleanNote takes out of a reviewer's words what may not stand in a record (SPEC PRV-2).
func (q *Queue) cleanNote(note string) string {
	if note == "" {
		return ""
	}
	b := []byte(strings.ToValidUTF8(note, "\ufffd"))
	return Inert(string(classify.Redact(b, q.cfg.Classifier.Recognise(b))))
}

// BatchResult is what became of one gate of a batch.
type BatchResult struct {
	Gate chunk.ID `json:"gate_id"`
	Item *Item    `json:"gate,omitempty"`
	Err  error    `json:"-"`
}

// maxBatch bounds a batch.
const maxBatch = 200

// Batch decides alike gates at once: all must be of one type and not above internal
// class where content would be let through, for what a person let through unseen
// nobody has seen. Each gate has its own result.
func (q *Queue) Batch(ctx context.Context, who Reviewer, ids []chunk.ID, v Verdict) ([]BatchResult, error) {
	if len(ids) == 0 || len(ids) > maxBatch {
		return nil, ErrTooLarge
	}
	kind := ""
	for _, id := range ids {
		g, err := q.gate(ctx, who, id)
		if err != nil {
			return nil, err
		}
		if kind != "" && g.Type != kind {
			return nil, ErrDecision
		}
		kind = g.Type
		lets := v.Decision == Release || v.Decision == ReleaseRedacted || v.Decision == Approve
		if g.Type == TypeReveal || lets && g.Type != TypeCeiling && g.Class.Exceeds(chunk.Internal) {
			return nil, ErrForbidden
		}
	}
	out := make([]BatchResult, len(ids))
	for i, id := range ids {
		it, err := q.Decide(ctx, who, id, v)
		out[i] = BatchResult{Gate: id, Err: err}
		if err == nil || errors.Is(err, ErrDecided) {
			out[i].Item = &it
		}
	}
	return out, nil
}

// Expire turns gates that nobody decided in time into rejections, and says how many.
func (q *Queue) Expire(ctx context.Context) (int, error) {
	n := 0
	for {
		gates, err := q.store.Gates(ctx, ledger.GateFilter{ExpiresBefore: q.now(), Limit: 100})
		if err != nil {
			return n, fromLedger(err)
		}
		done := 0
		for _, g := range gates {
			_, err := q.decide(ctx, g, "stage:review", "", "policy", Verdict{Decision: Expire, ReasonCode: "policy"})
			switch {
			case err == nil:
				n, done = n+1, done+1
			case errors.Is(err, ErrDecided):
				done++
			case errors.Is(err, ErrUnavailable):
				return n, err
			default: // one gate that cannot expire must not keep the others waiting
				q.cfg.Log.Error("gate cannot expire", slog.String("gate", string(g.ID)), slog.Any("error", err))
			}
		}
		if done == 0 || len(gates) < 100 {
			return n, nil
		}
	}
}

// Apply records the decisions whose effect a stage has carried out by now: chunks
// that were released and have reached their end. It says how many.
func (q *Queue) Apply(ctx context.Context) (int, error) {
	n := 0
	after := chunk.ID("")
	for {
		gates, err := q.store.Gates(ctx, ledger.GateFilter{State: ledger.GateDecided, After: after, Limit: 100})
		if err != nil {
			return n, fromLedger(err)
		}
		for _, g := range gates {
			after = g.ID
			if g.About.Prefix() != "chk" || g.Type == TypeCeiling {
				continue
			}
			c, err := q.store.Chunk(ctx, g.About)
			if errors.Is(err, ledger.ErrNotFound) {
				continue
			}
			if err != nil {
				return n, fromLedger(err)
			}
			if !c.Disposition.Final() {
				continue
			}
			rec, err := q.applied(g, "stage:review", "chunk-"+c.Disposition.String())
			if err != nil {
				return n, err
			}
			if _, err := q.append(ctx, ledger.Batch{Records: []provenance.Record{rec}}, g.Run); err != nil {
				return n, err
			}
			n++
		}
		if len(gates) < 100 {
			return n, nil
		}
	}
}

// Run expires and applies until ctx ends. Stores that are away are waited for.
func (q *Queue) Run(ctx context.Context) error {
	t := time.NewTicker(2 * time.Second)
	defer t.Stop()
	for {
		if _, err := q.Expire(ctx); err != nil && ctx.Err() == nil {
			q.cfg.Log.Warn("expiring gates waits", slog.Any("error", err))
		}
		if _, err := q.Apply(ctx); err != nil && ctx.Err() == nil {
			q.cfg.Log.Warn("applying decisions waits", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}

// nonce is a fresh random part for ids of things that may happen any number of times.
func nonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails; it ends the process instead
	return hex.EncodeToString(b[:])
}
