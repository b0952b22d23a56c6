package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoplog/stoplog/internal/door"
	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/detect"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// detector is the second stage: it takes classified documents, scans each chunk's
// raw text, and lets the clean ones through. It decides and records; what follows
// from a decision is in its Step.
type detector struct {
	vault      *evidence.Vault
	mediaType  func(ctx context.Context, run chunk.ID, evidence string) (string, error) // of a run's document, as the door read it
	integrity  chunk.IntegrityKeys
	scanner    *atomic.Pointer[detect.Detector] // replaced as a whole when rules reload
	classifier *classify.Classifier             // for the source's thresholds
	policy     string
	suspect    float64 // the deployment's thresholds; zero: the detector's own
	quarantine float64
	gateTTL    time.Duration
	now        func() time.Time
	metrics    *metrics
	identity   bool // benchmarks only: every chunk is clean

	mu    sync.Mutex
	tails map[chunk.ID]runTail // the last text of each run seen here, for phrases cut between messages
}

// runTail is the end of a run's last document that this worker saw.
type runTail struct {
	evidence string // of that document
	text     string
}

// maxTails bounds the memory for run tails; what is evicted is read back from the
// vault through the pointer that the door put into the next document.
const maxTails = 4096

// handle is the stage.Func of the detector.
func (d *detector) handle(ctx context.Context, m stage.Message) (stage.Step, error) {
	doc, err := openDocument(ctx, d.vault, d.integrity, m)
	if err != nil {
		return stage.Step{}, err
	}
	carry, err := d.carry(ctx, doc)
	if err != nil {
		return stage.Step{}, err
	}
	scans := d.scan(doc, carry)
	var b ledger.Batch
	for i, c := range doc.Chunks {
		if err := d.record(ctx, &b, doc, c, scans[i]); err != nil {
			return stage.Step{}, err
		}
	}
	return stage.Step{Batch: b, Emit: func(stored ledger.Appended) ([]ledger.Outgoing, error) {
		d.remember(doc)
		return d.emit(ctx, doc, scans, stored)
	}}, nil
}

// scan decides every chunk of a document. Each sees the text before it, so that a
// phrase cut in two is found.
func (d *detector) scan(doc chunk.Document, carry []byte) []chunk.Scan {
	if d.identity {
		scans := make([]chunk.Scan, len(doc.Chunks))
		for i := range scans {
			scans[i] = chunk.Scan{Verdict: chunk.Clean, Band: chunk.BandHigh}
		}
		return scans
	}
	det := d.scanner.Load()
	in := detect.Input{Suspect: d.suspect, Quarantine: d.quarantine}
	if s, ok := d.classifier.Source(doc.Attribution.Source); ok {
		if s.Suspect > 0 {
			in.Suspect = s.Suspect
		}
		if s.Quarantine > 0 {
			in.Quarantine = s.Quarantine
		}
	}
	scans := make([]chunk.Scan, len(doc.Chunks))
	for i, c := range doc.Chunks {
		in.Text, in.Carry, in.Gaps = c.Text, carry, in.Gaps[:0]
		for _, r := range c.Redactions {
			in.Gaps = append(in.Gaps, r.Span)
		}
		start := time.Now()
		scans[i] = det.Scan(in)
		d.metrics.scanned(doc.Attribution.Source, scans[i], len(c.Text), time.Since(start))
		carry = tail(append(append([]byte(nil), carry...), c.Text...))
	}
	return scans
}

func tail(b []byte) []byte {
	if len(b) > detect.CarryBytes {
		b = b[len(b)-detect.CarryBytes:]
	}
	return b
}

// carry gives the text that came just before the document in its run. It is kept
// here while this worker has the run; after a rebalance or an eviction it is read
// again from the previous document's evidence.
func (d *detector) carry(ctx context.Context, doc chunk.Document) ([]byte, error) {
	a := doc.Attribution
	if a.Collection || doc.Previous == "" {
		return nil, nil
	}
	d.mu.Lock()
	t, ok := d.tails[a.Run]
	d.mu.Unlock()
	if ok && t.evidence == doc.Previous {
		return []byte(t.text), nil
	}
	// Another worker had the run in between, or two documents came in at once and both
	// follow the same one: what is known here and what the door says came before are
	// both looked at.
	raw, err := d.vault.Get(ctx, a.Scope, doc.Previous)
	switch {
	case errors.Is(err, evidence.ErrErased), errors.Is(err, evidence.ErrNotFound):
		return []byte(t.text), nil // erased since
	case err != nil:
		return nil, fmt.Errorf("evidence of the run's previous document: %w", stage.Transient)
	}
	media, err := d.mediaType(ctx, a.Run, doc.Previous)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, stage.PoisonAs(chunk.FailIntegrity) // the vault has what the ledger never accepted
	}
	if err != nil {
		return nil, fmt.Errorf("record of the run's previous document: %w", stage.Transient)
	}
	if raw, err = door.Reread(media, raw); err != nil { // what was scanned, as the door read it
		return nil, fmt.Errorf("text of the run's previous document: %w", err)
	}
	if len(t.text) > detect.CarryBytes/2 {
		t.text = t.text[len(t.text)-detect.CarryBytes/2:]
	}
	if room := detect.CarryBytes - len(t.text); len(raw) > room {
		raw = raw[len(raw)-room:]
	}
	return append([]byte(t.text), raw...), nil
}

func (d *detector) remember(doc chunk.Document) {
	a := doc.Attribution
	if a.Collection {
		return
	}
	var last []byte
	for i := len(doc.Chunks) - 1; i >= 0 && len(last) < detect.CarryBytes; i-- {
		last = append(append([]byte(nil), doc.Chunks[i].Text...), last...)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.tails) >= maxTails {
		for run := range d.tails { // any one: what is lost is read back from the vault
			delete(d.tails, run)
			break
		}
	}
	d.tails[a.Run] = runTail{doc.Evidence, string(tail(last))}
}

// record adds what one chunk's scan leaves in the ledger: for a clean chunk its
// pass; for any other its hit, the held chunk, the gate, and for a quarantined
// chunk of direct content the halt of its run (SPEC QUA-1, QUA-2).
func (d *detector) record(ctx context.Context, b *ledger.Batch, doc chunk.Document, c chunk.Chunk, s chunk.Scan) error {
	a := doc.Attribution
	now := d.now().UTC()
	rec := func(kind provenance.Kind, id chunk.ID, subject chunk.ID, payload any) provenance.Record {
		return provenance.Record{
			ID: id, Schema: provenance.SchemaVersion, Time: now, Kind: kind, Tenant: a.Tenant, Run: a.Run, Subject: subject,
			Actor: "stage:detector", Policy: d.policy, Failure: s.Failure, Evidence: doc.Evidence, Payload: mustJSON(payload),
		}
	}
	scanID := provenance.ScanID(c.ID)
	if s.Verdict == chunk.Clean {
		r := rec(provenance.KindScanned, scanID, c.ID, provenance.Scanned{
			RunID: a.Run, ChunkID: c.ID, ConfidenceBand: s.Band, ConfidenceScore: round(s.Score),
		})
		r.Failure = chunk.FailNone
		b.Records = append(b.Records, r)
		return nil
	}
	pattern, rules := "undecided", []string{}
	for i, f := range s.Findings {
		if i == 0 || f.Score > s.Findings[strongest(s.Findings[:i])].Score {
			pattern = f.Rule
		}
		if len(rules) < 16 && !has(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	one := doc
	one.Chunks, one.Verdicts = []chunk.Chunk{c}, []chunk.Scan{s}
	sealed, err := sealDocument(ctx, d.vault, one, chunk.HeldAD(c.ID))
	if err != nil {
		return err
	}
	b.Held = append(b.Held, ledger.Held{Chunk: c.ID, Event: a.Event, Run: a.Run, Scope: a.Scope, Sealed: sealed})
	b.Records = append(b.Records, rec(provenance.KindInjectionHit, scanID, c.ID, provenance.InjectionHit{
		RunID: a.Run, ChunkID: c.ID, PatternMatched: pattern, Disposition: "quarantine", ConfidenceScore: round(s.Score),
	}))
	gate := chunk.GateID(c.ID)
	b.Records = append(b.Records, rec(provenance.KindGateOpened, provenance.RecordID(provenance.KindGateOpened, gate), gate, provenance.GateOpened{
		GateID: gate, Type: gateType(s.Verdict), RunID: a.Run, About: c.ID, Source: a.Source, Class: doc.Class, Rules: rules,
		Score: round(s.Score), Failure: s.Failure, Expires: now.Add(d.gateTTL),
	}))
	if s.Verdict == chunk.Quarantine && !a.Collection {
		b.Records = append(b.Records, rec(provenance.KindRunHalted, provenance.RecordID(provenance.KindRunHalted, a.Run, string(c.ID)), a.Run, provenance.RunChanged{
			RunID: a.Run, FailureID: s.Failure, ChunkID: c.ID, GateID: gate,
		}))
	}
	return nil
}

// emit publishes what the ledger holds: the chunks whose stored record is a pass,
// redacted, to cleared; a notice without content for each other one to quarantined.
func (d *detector) emit(ctx context.Context, doc chunk.Document, scans []chunk.Scan, stored ledger.Appended) ([]ledger.Outgoing, error) {
	decided := map[chunk.ID]provenance.Record{}
	for _, r := range stored.Records {
		if r.Kind == provenance.KindScanned || r.Kind == provenance.KindInjectionHit {
			decided[r.Subject] = r
		}
	}
	a := doc.Attribution
	clear := doc
	clear.Chunks, clear.Verdicts = nil, nil
	var out []ledger.Outgoing
	for i, c := range doc.Chunks {
		r, ok := decided[c.ID]
		switch {
		case !ok:
			return nil, fmt.Errorf("the ledger holds no decision for a chunk it accepted: %w", stage.Transient)
		case r.Kind == provenance.KindScanned:
			var p provenance.Scanned
			if err := json.Unmarshal(r.Payload, &p); err != nil {
				return nil, stage.PoisonAs(chunk.FailIntegrity)
			}
			c.Text, c.Redactions = c.Redacted(), nil
			clear.Chunks = append(clear.Chunks, c)
			clear.Verdicts = append(clear.Verdicts, chunk.Scan{Verdict: chunk.Clean, Score: p.ConfidenceScore, Band: p.ConfidenceBand, Redacted: len(doc.Chunks[i].Redactions) > 0})
		default:
			var p provenance.InjectionHit
			if err := json.Unmarshal(r.Payload, &p); err != nil {
				return nil, stage.PoisonAs(chunk.FailIntegrity)
			}
			o, err := stage.DocumentEvent(stage.TopicQuarantined, stage.TypeQuarantined, string(c.ID), a, doc.Class, "application/json", mustJSON(notice{
				ChunkID: c.ID, RunID: a.Run, GateID: chunk.GateID(c.ID), Evidence: doc.Evidence, FailureID: r.Failure,
				Pattern: p.PatternMatched, Score: p.ConfidenceScore, Findings: findings(scans[i], r),
			}))
			if err != nil {
				return nil, stage.PoisonAs(chunk.FailPoison)
			}
			out = append(out, o)
		}
	}
	if len(clear.Chunks) > 0 {
		o, err := documentEvent(ctx, d.vault, clear, stage.TopicCleared, stage.TypeCleared)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// notice is what the quarantined topic says of a chunk: pointers and labels, no content.
type notice struct {
	ChunkID   chunk.ID        `json:"chunk_id"`
	RunID     chunk.ID        `json:"run_id,omitempty"`
	GateID    chunk.ID        `json:"gate_id"`
	Evidence  string          `json:"evidence"`
	FailureID chunk.FailureID `json:"failure_id"`
	Pattern   string          `json:"injection_pattern_matched"`
	Score     float64         `json:"confidence_score"`
	Findings  []chunk.Finding `json:"findings,omitempty"`
}

// findings gives the spans for a notice when this worker's scan is the stored one;
// on a replay that decided otherwise there are none to show.
func findings(s chunk.Scan, r provenance.Record) []chunk.Finding {
	if s.Failure != r.Failure {
		return nil
	}
	return s.Findings
}

func strongest(fs []chunk.Finding) int {
	best := 0
	for i, f := range fs {
		if f.Score > fs[best].Score {
			best = i
		}
	}
	return best
}

func has(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func gateType(v chunk.Verdict) string {
	switch v {
	case chunk.Quarantine:
		return "injection"
	case chunk.Suspect:
		return "suspect"
	default:
		return "hold"
	}
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("app: a record payload cannot be encoded: " + err.Error()) // a programming error: payloads are plain structs
	}
	return b
}
