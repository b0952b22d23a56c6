package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/internal/door"
	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/keys"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/runstate"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/detect"
	"github.com/stoplog/stoplog/pkg/guard"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// rig is the API over a real ledger, vault and cache, behind the real door. The two
// stages between them are played by drain, which decides by marks in the text.
type rig struct {
	t     *testing.T
	ring  *keys.Keyring
	store *ledger.Store
	vault *evidence.Vault
	runs  *runstate.Cache
	class *classify.Classifier
	door  *door.Door
	api   *API
	srv   *httptest.Server
	log   *lockedBuffer
	now   atomic.Int64 // seconds added to the clock
	stop  func()       // stops Redis
	calls []ledger.Outgoing
	redis string
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var ctx = context.Background()

var testSources = []classify.Source{
	{
		ID: "booking", Ceiling: chunk.PII, Format: "json", EventIDPath: "inquiry_id",
		Fields: []classify.Field{
			{Path: "inquiry_id", Class: chunk.Internal}, {Path: "check_in", Class: chunk.Internal},
			{Path: "guest.first_name", Class: chunk.PII, Type: "PERSON", Stub: "GUEST_FIRST_NAME", Sinks: []string{"guest-mail"}},
			{Path: "guest.last_name", Class: chunk.PII, Type: "PERSON", Stub: "GUEST_LAST_NAME", Form: classify.StubConstant},
			{Path: "guest.email", Class: chunk.PII, Type: "EMAIL_ADDRESS", Stub: "GUEST_EMAIL", Sinks: []string{"guest-mail"}},
			{Path: "message", Class: chunk.PII, Text: true},
		},
	},
	{
		ID: "surrogates", Ceiling: chunk.PII, Format: "json", Form: classify.StubSurrogate,
		Fields: []classify.Field{
			{Path: "guest.email", Class: chunk.PII, Type: "EMAIL_ADDRESS", Stub: "GUEST_EMAIL", Sinks: []string{"guest-mail"}},
			{Path: "message", Class: chunk.PII, Text: true},
		},
	},
	{ID: "web", Ceiling: chunk.Internal, Format: "text"},
	{ID: "notes", Ceiling: chunk.Public, Format: "text", AllowPartial: true},
	{ID: "handbook", Ceiling: chunk.Restricted, Format: "text", Collection: true},
	{ID: "fetched", Ceiling: chunk.Internal, Collection: true},
	{ID: "secretwiki", Ceiling: chunk.Internal, Format: "text"},
}

var testTools = []guard.Tool{
	{
		ID: "gmail-guest-draft", Ceiling: chunk.Internal, Control: guard.HumanApproval, Contamination: guard.Gate, Sinks: []string{"guest-mail"}, Network: true,
		Arguments: []guard.Argument{{Name: "to", Type: "string", Required: true, Sink: true}, {Name: "subject", Type: "string"}, {Name: "body", Type: "string", Required: true}},
	},
	{ID: "gmail-send", Ceiling: chunk.Internal, Control: guard.Blocked, Sinks: []string{"guest-mail"}, Arguments: []guard.Argument{{Name: "to", Type: "string", Sink: true}, {Name: "body", Type: "string"}}},
	{ID: "calendar", Ceiling: chunk.Internal, Control: guard.Autonomous, Contamination: guard.Arguments, Reason: "two dates", Arguments: []guard.Argument{{Name: "from", Type: "string"}, {Name: "to", Type: "string"}}},
	{ID: "search", Ceiling: chunk.Internal, Control: guard.Autonomous, Arguments: []guard.Argument{{Name: "q", Type: "string"}}},
	{ID: "crm", Ceiling: chunk.PII, Control: guard.Autonomous, Sinks: []string{"crm"}, Arguments: []guard.Argument{{Name: "note", Type: "string"}}},
}

// The tokens: the text is the name, twice.
var testTokens = []struct {
	name, tenant string
	roles        []string
	sources      []string
}{
	{"admin", "default", []string{RoleAdmin}, []string{"*"}},
	{"connector", "default", []string{RoleConnector}, []string{"*"}},
	{"agent", "default", []string{RoleAgent}, []string{"*"}},
	{"narrow", "default", []string{RoleAgent}, []string{"web"}},
	{"assembler", "default", []string{RoleAssembler}, []string{"booking", "surrogates", "web", "notes", "handbook"}},
	{"rita", "default", []string{RoleReviewer}, nil},
	{"remy", "default", []string{RoleReviewer}, nil},
	{"petra", "default", []string{RoleReviewer, RolePII}, nil},
	{"paul", "default", []string{RoleReviewer, RolePII}, nil},
	{"auditor", "default", []string{RoleAuditor}, nil},
	{"other-admin", "other", []string{RoleAdmin}, []string{"*"}},
	{"other-pii", "other", []string{RoleReviewer, RolePII}, []string{"*"}},
}

func tokenText(name string) string { return "slt_" + name + "_" + name }

func newRig(t *testing.T, change ...func(*Config)) *rig {
	t.Helper()
	dir := t.TempDir()
	r := &rig{t: t, log: &lockedBuffer{}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(keys.Generate(filepath.Join(dir, "keys")))
	var err error
	r.ring, err = keys.Load(filepath.Join(dir, "keys"), nil)
	must(err)
	r.store, err = ledger.OpenSQLite(ctx, filepath.Join(dir, "ledger.db"))
	must(err)
	t.Cleanup(func() { _ = r.store.Close() })
	ks, err := evidence.OpenKeysSQLite(ctx, filepath.Join(dir, "keys.db"))
	must(err)
	blobs, err := evidence.OpenFiles(filepath.Join(dir, "evidence"))
	must(err)
	r.vault = evidence.New(ks, blobs, r.ring, evidence.Options{})
	t.Cleanup(func() { _ = r.vault.Close() })
	r.redis, r.stop, err = runstate.StartEmbedded(ctx)
	must(err)
	t.Cleanup(func() { r.stop() })
	r.runs, err = runstate.New(runstate.Options{URL: r.redis, Timeout: 500 * time.Millisecond}, func(ctx context.Context, id chunk.ID) (runstate.State, error) {
		s, err := r.store.Run(ctx, id)
		return runstate.State{Class: s.Class, Halted: s.Halted, Ended: s.Ended, Incomplete: s.Incomplete, Pending: s.Pending}, err
	})
	must(err)
	t.Cleanup(func() { _ = r.runs.Close() })
	r.class, err = classify.Compile(testSources, classify.Options{})
	must(err)
	g, err := guard.Compile(testTools, guard.Options{Recognise: r.class.Recognise, ClassOf: classify.ClassOf, Sinks: []guard.Sink{{ID: "archive", Ceiling: chunk.PII}}})
	must(err)
	r.door, err = door.New(door.Config{
		Store: r.store, Vault: r.vault, Classifier: r.class, PolicyHash: "policy-1", Integrity: r.ring.Integrity(), IDKeys: r.ring.IDs(), Clock: r.clock,
		RunChanged: func(ctx context.Context, run chunk.ID) error { return r.runs.Invalidate(ctx, run) },
	})
	must(err)
	var tokens []Token
	for _, k := range testTokens {
		h := sha256.Sum256([]byte(tokenText(k.name)))
		tokens = append(tokens, Token{Name: k.name, Tenant: k.tenant, Roles: k.roles, Sources: k.sources, SHA256: hex.EncodeToString(h[:])})
	}
	cfg := Config{
		Store: r.store, Vault: r.vault, Runs: r.runs, Classifier: r.class, Guard: g, Detector: testDetector(t), Integrity: r.ring.Integrity(), Tokens: tokens,
		Policy: func() string { return "policy-1" }, Now: r.clock, Log: slog.New(slog.NewJSONHandler(r.log, nil)), Metrics: prometheus.NewRegistry(), FourEyes: true,
		MaxWait: 3 * time.Second,
	}
	for _, c := range change {
		c(&cfg)
	}
	r.api, err = New(cfg)
	must(err)
	r.srv = httptest.NewServer(r.api)
	t.Cleanup(r.srv.Close)
	return r
}

var loadDetector = sync.OnceValues(func() (*detect.Detector, error) {
	rules, err := corpus.Default()
	if err != nil {
		return nil, err
	}
	return detect.Compile(rules, detect.Options{})
})

// testDetector gives the real detector, made only for those who ask.
func testDetector(t *testing.T) func() *detect.Detector {
	return func() *detect.Detector {
		d, err := loadDetector()
		if err != nil {
			t.Errorf("detector: %v", err)
		}
		return d
	}
}

func (r *rig) clock() time.Time { return time.Now().Add(time.Duration(r.now.Load()) * time.Second) }

// accept brings a document in through the door.
func (r *rig) accept(source, body string, run ...chunk.ID) door.Receipt {
	r.t.Helper()
	ev := door.Event{Tenant: "default", Source: source, Body: []byte(body), Actor: "token:connector", SenderID: fmt.Sprint(time.Now().UnixNano())}
	if strings.HasPrefix(body, "{") {
		ev.SenderID = ""
	}
	if len(run) > 0 {
		ev.RunHint = string(run[0])
	}
	receipt, err := r.door.Accept(ctx, ev)
	if err != nil {
		r.t.Fatalf("accept: %v", err)
	}
	return receipt
}

// The marks that drain decides by.
const (
	markInjection = "IGNORE-ALL-RULES"
	markSuspect   = "SUSPICIOUS-PHRASE"
	markHold      = "CANNOT-DECIDE"
	markStay      = "NOT-YET" // stays under way
)

// drain plays the detector and the context reader over everything in the outbox.
func (r *rig) drain() {
	r.t.Helper()
	for {
		rows, err := r.store.Outbox(ctx, 100)
		if err != nil {
			r.t.Fatal(err)
		}
		if len(rows) == 0 {
			return
		}
		for _, row := range rows {
			switch row.Topic {
			case stage.TopicClassified:
				r.detect(row.Outgoing)
			case stage.TopicCleared:
				r.clear(row.Outgoing)
			case stage.TopicToolDecided:
				r.calls = append(r.calls, row.Outgoing)
			}
			if err := r.store.OutboxDone(ctx, []int64{row.N}); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

func (r *rig) open(o ledger.Outgoing) chunk.Document {
	r.t.Helper()
	plain, err := r.vault.Open(ctx, chunk.ID(o.Headers["ce_"+stage.ExtScope]), o.Value, chunk.DocumentAD(o.Topic, chunk.ID(o.Headers["ce_subject"])))
	if err != nil {
		r.t.Fatal(err)
	}
	doc, err := chunk.Decode(plain)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.ring.Integrity().Verify(doc.Attribution, doc.Seal); err != nil {
		r.t.Fatal(err)
	}
	return doc
}

func (r *rig) rec(kind provenance.Kind, id chunk.ID, a chunk.Attribution, subject chunk.ID, f chunk.FailureID, payload any) provenance.Record {
	r.t.Helper()
	b, err := provenance.EncodePayload(payload)
	if err != nil {
		r.t.Fatal(err)
	}
	return provenance.Record{ID: id, Schema: provenance.SchemaVersion, Time: r.clock().UTC(), Kind: kind, Tenant: a.Tenant, Run: a.Run, Subject: subject, Actor: "stage:test", Failure: f, Payload: b}
}

func (r *rig) append(b ledger.Batch, run chunk.ID) {
	r.t.Helper()
	if _, err := r.store.Append(ctx, b); err != nil {
		r.t.Fatal(err)
	}
	if run != "" {
		if err := r.runs.Invalidate(ctx, run); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *rig) detect(o ledger.Outgoing) {
	r.t.Helper()
	doc := r.open(o)
	a := doc.Attribution
	clear := doc
	clear.Chunks, clear.Verdicts = nil, nil
	var b ledger.Batch
	for _, c := range doc.Chunks {
		text := string(c.Text)
		if strings.Contains(text, markStay) {
			return
		}
		s := chunk.Scan{Verdict: chunk.Clean, Band: chunk.BandHigh, Score: 0.01}
		for mark, bad := range map[string]chunk.Scan{
			markInjection: {Verdict: chunk.Quarantine, Band: chunk.BandLow, Score: 0.97, Failure: chunk.FailPromptInjection},
			markSuspect:   {Verdict: chunk.Suspect, Band: chunk.BandLow, Score: 0.6, Failure: chunk.FailInjectionSuspected},
			markHold:      {Verdict: chunk.Hold, Band: chunk.BandUnknown, Failure: chunk.FailUndecided},
		} {
			if i := strings.Index(text, mark); i >= 0 {
				s = bad
				s.Findings = []chunk.Finding{{Rule: "test-rule", Family: "instruction-override", Span: chunk.Span{Start: i, End: i + len(mark)}, Views: []string{"fold"}, Score: s.Score}}
			}
		}
		if s.Verdict == chunk.Clean {
			b.Records = append(b.Records, r.rec(provenance.KindScanned, provenance.ScanID(c.ID), a, c.ID, "", provenance.Scanned{RunID: a.Run, ChunkID: c.ID, ConfidenceBand: s.Band, ConfidenceScore: s.Score}))
			s.Redacted = len(c.Redactions) > 0
			c.Text, c.Redactions = c.Redacted(), nil
			clear.Chunks, clear.Verdicts = append(clear.Chunks, c), append(clear.Verdicts, s)
			continue
		}
		one := doc
		one.Chunks, one.Verdicts = []chunk.Chunk{c}, []chunk.Scan{s}
		plain, err := chunk.Encode(one)
		if err != nil {
			r.t.Fatal(err)
		}
		sealed, err := r.vault.Seal(ctx, a.Scope, plain, chunk.HeldAD(c.ID))
		if err != nil {
			r.t.Fatal(err)
		}
		gate := chunk.GateID(c.ID)
		kind := map[chunk.Verdict]string{chunk.Quarantine: "injection", chunk.Suspect: "suspect", chunk.Hold: "hold"}[s.Verdict]
		b.Held = append(b.Held, ledger.Held{Chunk: c.ID, Event: a.Event, Run: a.Run, Scope: a.Scope, Sealed: sealed})
		b.Records = append(b.Records,
			r.rec(provenance.KindInjectionHit, provenance.ScanID(c.ID), a, c.ID, s.Failure, provenance.InjectionHit{RunID: a.Run, ChunkID: c.ID, PatternMatched: "test-rule", Disposition: "quarantine", ConfidenceScore: s.Score}),
			r.rec(provenance.KindGateOpened, provenance.RecordID(provenance.KindGateOpened, gate), a, gate, s.Failure, provenance.GateOpened{
				GateID: gate, Type: kind, RunID: a.Run, About: c.ID, Source: a.Source, Class: doc.Class, Rules: []string{"test-rule"}, Score: s.Score, Failure: s.Failure, Expires: r.clock().Add(72 * time.Hour).UTC(),
			}))
		if s.Verdict == chunk.Quarantine && !a.Collection {
			b.Records = append(b.Records, r.rec(provenance.KindRunHalted, provenance.RecordID(provenance.KindRunHalted, a.Run, string(c.ID)), a, a.Run, s.Failure, provenance.RunChanged{RunID: a.Run, FailureID: s.Failure, ChunkID: c.ID, GateID: gate}))
		}
	}
	r.append(b, a.Run)
	if len(clear.Chunks) > 0 {
		r.contextOf(clear)
	}
}

func (r *rig) clear(o ledger.Outgoing) { r.contextOf(r.open(o)) }

func (r *rig) contextOf(doc chunk.Document) {
	r.t.Helper()
	a := doc.Attribution
	var b ledger.Batch
	for i, c := range doc.Chunks {
		s := doc.Verdicts[i]
		kind, disposition := provenance.KindCleared, chunk.Cleared
		if s.Verdict != chunk.Clean {
			kind, disposition = provenance.KindReleased, chunk.Released
		}
		b.Records = append(b.Records, r.rec(kind, provenance.EndID(c.ID), a, c.ID, "", provenance.ChunkEnded{ChunkID: c.ID, EventID: a.Event, Disposition: disposition, RedactionApplied: s.Redacted}))
		sealed, err := r.vault.Seal(ctx, a.Scope, c.Text, chunk.ContextAD(c.ID))
		if err != nil {
			r.t.Fatal(err)
		}
		b.Context = append(b.Context, ledger.ContextItem{Chunk: c.ID, Event: a.Event, Run: a.Run, Scope: a.Scope, Ordinal: c.Ordinal, Source: a.Source, Class: doc.Class, Band: s.Band, Redacted: s.Redacted, Sealed: sealed})
	}
	r.append(b, a.Run)
}

// answer is what a request got.
type answer struct {
	status int
	header http.Header
	raw    string
	body   map[string]any
}

// data gives a member of the answer's data by a dotted path.
func (a answer) data(path string) any {
	var v any = a.body["data"]
	for _, k := range strings.Split(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}

func (a answer) str(path string) string { s, _ := a.data(path).(string); return s }

func (a answer) code() string { s, _ := a.body["code"].(string); return s }

func (r *rig) do(who, method, path string, body any) answer {
	r.t.Helper()
	var rd io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		rd = strings.NewReader(b)
	default:
		j, err := json.Marshal(b)
		if err != nil {
			r.t.Fatal(err)
		}
		rd = bytes.NewReader(j)
	}
	req, err := http.NewRequest(method, r.srv.URL+path, rd)
	if err != nil {
		r.t.Fatal(err)
	}
	if who != "" {
		req.Header.Set("Authorization", "Bearer "+tokenText(who))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	a := answer{status: resp.StatusCode, header: resp.Header, raw: string(b)}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(b, &a.body); err != nil {
			r.t.Fatalf("%s %s: %v: %s", method, path, err, b)
		}
	}
	return a
}

func (r *rig) get(who, path string) answer { r.t.Helper(); return r.do(who, "GET", path, nil) }
func (r *rig) post(who, path string, body any) answer {
	r.t.Helper()
	return r.do(who, "POST", path, body)
}

// want checks an answer's status, and its code if there is one to check.
func (a answer) want(t *testing.T, status int, code ...string) answer {
	t.Helper()
	if a.status != status || len(code) > 0 && a.code() != code[0] {
		t.Fatalf("got %d %q, want %d %q: %.600s", a.status, a.code(), status, code, a.raw)
	}
	return a
}

// records gives the records of one kind of a run.
func (r *rig) records(run chunk.ID, kind provenance.Kind) []provenance.Record {
	r.t.Helper()
	rows, err := r.store.Records(ctx, ledger.RecordFilter{Run: run, Kind: kind, Limit: 1000})
	if err != nil {
		r.t.Fatal(err)
	}
	var out []provenance.Record
	for _, row := range rows {
		out = append(out, row.Record)
	}
	return out
}

// members gives the members of a record's payload.
func members(t *testing.T, rec provenance.Record) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(rec.Payload, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// waitingGate gives the one gate of a type that waits for a run.
func (r *rig) waitingGate(run chunk.ID, kind string) ledger.Gate {
	r.t.Helper()
	gates, err := r.store.Gates(ctx, ledger.GateFilter{Run: run, Type: kind})
	if err != nil {
		r.t.Fatal(err)
	}
	var out []ledger.Gate
	for _, g := range gates {
		if g.State == ledger.GateOpen || g.State == ledger.GateClaimed {
			out = append(out, g)
		}
	}
	if len(out) != 1 {
		r.t.Fatalf("%d waiting gates of type %s", len(out), kind)
	}
	return out[0]
}

var inquiries atomic.Int64

// inquiry is a guest's booking inquiry with a message. Its values are canaries: they
// must turn up nowhere but where a test says.
func inquiry(message string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(map[string]any{
		"inquiry_id": fmt.Sprintf("inq-%d", inquiries.Add(1)), "check_in": "2026-12-01",
		"guest":   map[string]any{"first_name": canaryFirst, "last_name": canaryLast, "email": canaryEmail},
		"message": message,
	})
	return b.String()
}

const (
	canaryFirst = "Zebulonia"
	canaryLast  = "Quillfeather"
	canaryEmail = "zebulonia.quillfeather@canary-mail.example"
)

// clean fails if a canary stands in a text.
func clean(t *testing.T, where, text string) {
	t.Helper()
	for _, c := range []string{canaryFirst, canaryLast, canaryEmail} {
		if strings.Contains(strings.ToLower(text), strings.ToLower(c)) {
			t.Errorf("%s holds %q", where, c)
		}
	}
}

// ledgerIsClean searches every record and the log for canaries (SPEC PRV-2).
func (r *rig) ledgerIsClean() {
	r.t.Helper()
	n := 0
	var after int64
	for {
		rows, err := r.store.Records(ctx, ledger.RecordFilter{After: after, Limit: 1000})
		if err != nil && !errors.Is(err, ledger.ErrNotFound) {
			r.t.Fatal(err)
		}
		for _, row := range rows {
			clean(r.t, "record "+string(row.Record.Kind), string(row.Canon))
			after = row.N
			n++
		}
		if len(rows) < 1000 {
			break
		}
	}
	if n == 0 {
		r.t.Error("no records to search")
	}
	clean(r.t, "the log", r.log.String())
}
