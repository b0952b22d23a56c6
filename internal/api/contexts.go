package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/stoplog/stoplog/internal/citations"
	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/cite"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/fence"
	"github.com/stoplog/stoplog/pkg/guard"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Bounds of one context.
const (
	maxContextChunks = 2000
	maxContextBytes  = 8 << 20
)

// runView is what GET /v1/runs/{run} says of a run: its state and where its chunks
// stand, no content.
type runView struct {
	Run        chunk.ID        `json:"run_id"`
	Class      chunk.Class     `json:"data_class"`
	Halted     bool            `json:"halted"`
	Ended      bool            `json:"ended"`
	Incomplete bool            `json:"incomplete"`
	Opened     time.Time       `json:"opened"`
	Documents  int             `json:"documents"`
	Pending    int             `json:"pending"`
	Gated      int             `json:"gated"`
	Failure    chunk.FailureID `json:"failure_id,omitempty"` // why nothing is allowed, if nothing is
	Chunks     []chunkView     `json:"chunks"`
	Gates      []review.Item   `json:"gates"`
}

type chunkView struct {
	Chunk       chunk.ID          `json:"chunk_id"`
	Event       chunk.ID          `json:"event_id"`
	Ordinal     int               `json:"ordinal"`
	Disposition chunk.Disposition `json:"disposition"`
	Verdict     string            `json:"verdict,omitempty"`
	Band        chunk.Band        `json:"confidence_band"`
	Score       float64           `json:"confidence_score"`
	Gate        chunk.ID          `json:"gate_id,omitempty"`
}

func (a *API) run(w http.ResponseWriter, r *http.Request, p Principal) error {
	id := chunk.ID(r.PathValue("run"))
	if err := a.Gatekeeper.Own(r.Context(), p.Tenant, id); err != nil {
		return err
	}
	run, err := a.cfg.Store.Run(r.Context(), id)
	if err != nil {
		return fromLedger(err)
	}
	chunks, err := a.cfg.Store.RunChunks(r.Context(), id)
	if err != nil {
		return fromLedger(err)
	}
	gates, err := a.Queue.List(r.Context(), reviewer(p), review.Filter{State: "all", Run: id, Limit: 500})
	if err != nil {
		return err
	}
	state := guard.RunState{Class: run.Class, Halted: run.Halted, Ended: run.Ended, Incomplete: run.Incomplete}
	v := runView{
		Run: id, Class: run.Class, Halted: run.Halted, Ended: run.Ended, Incomplete: run.Incomplete, Opened: run.Opened, Documents: run.Documents,
		Pending: run.Pending, Gated: run.Gated, Failure: state.Refusal(), Chunks: make([]chunkView, len(chunks)), Gates: gates,
	}
	if gates == nil {
		v.Gates = []review.Item{}
	}
	for i, c := range chunks {
		v.Chunks[i] = chunkView{c.ID, c.Event, c.Ordinal, c.Disposition, c.Verdict, c.Band, c.Score, c.Gate}
	}
	problem.OK(w, v)
	return nil
}

func fromLedger(err error) error {
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return review.ErrNotFound
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return review.ErrLedger
}

func fromVault(err error) error {
	switch {
	case errors.Is(err, evidence.ErrErased):
		return review.ErrErased
	case errors.Is(err, evidence.ErrIntegrity):
		return review.ErrIntegrity
	}
	return review.ErrEvidence
}

// contextView is a run's context, ready for a prompt.
type contextView struct {
	Run        chunk.ID      `json:"run_id"`
	Class      chunk.Class   `json:"data_class"`
	Band       chunk.Band    `json:"confidence_band"`
	Complete   bool          `json:"complete"`
	Withheld   int           `json:"withheld"` // chunks of the run that a context does not get
	Pending    int           `json:"pending"`
	Erased     int           `json:"erased"`
	Preamble   string        `json:"preamble"`
	Fence      string        `json:"fence"`
	Sanitised  bool          `json:"sanitized"`
	Text       string        `json:"text"` // preamble and all fenced chunks, for who wants one piece
	Chunks     []contextItem `json:"chunks"`
	Assemblies []chunk.ID    `json:"records"` // of this access
}

type contextItem struct {
	Chunk     chunk.ID    `json:"chunk_id"`
	Event     chunk.ID    `json:"event_id"`
	Ordinal   int         `json:"ordinal"`
	Source    string      `json:"source_id"`
	URI       string      `json:"source_uri"`
	Trust     string      `json:"trust_level"`
	Origin    string      `json:"origin"`
	Retrieved time.Time   `json:"retrieved_at"`
	Class     chunk.Class `json:"data_class"`
	Band      chunk.Band  `json:"confidence_band"`
	Redacted  bool        `json:"redaction_applied"`
	Triggers  int         `json:"triggers_redacted,omitempty"`
	Text      string      `json:"text"` // fenced
}

// assembly is what a request for a context asks for.
type assembly struct {
	wait     time.Duration
	label    string
	form     string
	sanitise bool
	partial  bool
	tags     bool
}

func parseAssembly(q url.Values, maxWait time.Duration) (assembly, error) {
	as := assembly{form: "untrusted", sanitise: true, tags: true}
	for k, v := range q {
		if len(v) != 1 {
			return as, invalid(k, "duplicate", "give it once")
		}
		switch k {
		case "wait":
			d, err := time.ParseDuration(v[0])
			if err != nil || d < 0 {
				return as, invalid(k, "wrong-format", "want a duration, for example 5s")
			}
			as.wait = min(d, maxWait)
		case "label":
			as.label = v[0]
		case "fence":
			if !slices.Contains(fences, v[0]) {
				return as, invalid(k, "unknown", "want one of "+strings.Join(fences, ", "))
			}
			as.form = v[0]
		case "sanitize":
			on, ok := onOff(v[0])
			if !ok {
				return as, invalid(k, "wrong-format", "want on or off")
			}
			as.sanitise = on
		case "allow_partial":
			on, ok := onOff(v[0])
			if !ok {
				return as, invalid(k, "wrong-format", "want true or false")
			}
			as.partial = on
		case "injection_protection": // the switch of SPEC TAG-1: off leaves out the tags, never the fences
			on, ok := onOff(v[0])
			if !ok {
				return as, invalid(k, "wrong-format", "want on or off")
			}
			as.tags = on
		default:
			return as, refusal{problem.Problem{Status: 400, Code: "query-unknown", Detail: "The query has a parameter that is not known here."}}
		}
	}
	return as, nil
}

func onOff(s string) (on, ok bool) {
	switch s {
	case "on", "true", "1":
		return true, true
	case "off", "false", "0":
		return false, true
	}
	return false, false
}

// The fences that a caller can choose. Every one of them is a fence: there is no
// way to get a context without.
var fences = []string{"untrusted", "boundary", "marker"}

// wrap puts a text into a fence.
func wrap(form, label, source, uri, text string) string {
	switch form {
	case "boundary":
		s, _ := fence.Boundary(fence.BoundaryID(uuid.New()), source, text)
		return s
	case "marker":
		return fence.Marker(uri, text)
	}
	if label == "" {
		label = source
	}
	return fence.Untrusted(label, text)
}

// context hands a run's context over (SPEC RED-1, QUA-1, PRV-3): cleared and
// released chunks, redacted, sanitised, fenced and attributed. It refuses while the
// run is halted, ended or incomplete, and while a chunk is undecided. The access is
// recorded before the first byte goes out.
func (a *API) context(w http.ResponseWriter, r *http.Request, p Principal) error {
	run := chunk.ID(r.PathValue("run"))
	as, err := parseAssembly(r.URL.Query(), a.cfg.MaxWait)
	if err != nil {
		return err
	}
	ctx := r.Context()
	if err := a.Gatekeeper.Own(ctx, p.Tenant, run); err != nil {
		return err
	}
	state, partial, err := a.await(ctx, run, as)
	if err != nil {
		return err
	}
	if o, f := state.Context(partial); o != guard.Allow {
		a.metrics.contexts.WithLabelValues(string(f)).Inc()
		denied(w, f, nil, map[string]any{"run_id": run, "pending": state.Pending})
		return nil
	}
	view, records, err := a.assemble(ctx, p, run, as, state)
	if err != nil {
		return err
	}
	// What was recorded may be answered; what could not be recorded is not. A halt
	// that came in between counts too.
	if len(records) > 0 {
		out, err := a.cfg.Store.Append(ctx, ledger.Batch{Records: records})
		if err != nil {
			return fromLedger(err)
		}
		for _, rec := range out[0].Records {
			view.Assemblies = append(view.Assemblies, rec.ID)
		}
	}
	now, err := a.Gatekeeper.State(ctx, run)
	if err != nil {
		return err
	}
	if f := now.Refusal(); f != chunk.FailNone {
		a.metrics.contexts.WithLabelValues(string(f)).Inc()
		denied(w, f, nil, map[string]any{"run_id": run, "pending": now.Pending})
		return nil
	}
	a.metrics.contexts.WithLabelValues("served").Inc()
	if !as.tags {
		problem.OK(w, view)
		return nil
	}
	return external(w, view)
}

// external answers with tagged data (SPEC TAG-1).
func external(w http.ResponseWriter, data any, fields ...string) error {
	tagged, err := fence.MarkExternal(data, fields...)
	if err != nil {
		return err
	}
	problem.OK(w, tagged, fence.ExternalWarning)
	return nil
}

// await waits until everything in the run is decided, or as long as the caller will.
func (a *API) await(ctx context.Context, run chunk.ID, as assembly) (guard.RunState, bool, error) {
	deadline := time.Now().Add(as.wait)
	pause := 10 * time.Millisecond
	for {
		state, err := a.Gatekeeper.State(ctx, run)
		if err != nil {
			return state, false, err
		}
		if state.Pending == 0 || state.Refusal() != chunk.FailNone {
			return state, false, nil
		}
		left := time.Until(deadline)
		if left <= 0 {
			partial := false
			if as.partial {
				if partial, err = a.sourcesAllowPartial(ctx, run); err != nil {
					return state, false, err
				}
			}
			return state, partial, nil
		}
		select {
		case <-ctx.Done():
			return state, false, ctx.Err()
		case <-time.After(min(pause, left)):
		}
		pause = min(pause*3/2, 150*time.Millisecond)
	}
}

// sourcesAllowPartial reports whether every source that has something in the run
// permits a context before all is decided.
func (a *API) sourcesAllowPartial(ctx context.Context, run chunk.ID) (bool, error) {
	events, err := a.cfg.Store.RunEvents(ctx, run)
	if err != nil {
		return false, fromLedger(err)
	}
	for _, e := range events {
		s, ok := a.cfg.Classifier.Source(e.Source)
		if !ok || !s.AllowPartial {
			return false, nil
		}
	}
	return len(events) > 0, nil
}

func (a *API) assemble(ctx context.Context, p Principal, run chunk.ID, as assembly, state guard.RunState) (contextView, []provenance.Record, error) {
	view := contextView{Run: run, Class: state.Class, Band: chunk.BandHigh, Complete: state.Pending == 0, Pending: state.Pending, Preamble: fence.Preamble, Fence: as.form, Sanitised: as.sanitise, Chunks: []contextItem{}}
	items, err := a.cfg.Store.RunContext(ctx, run)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return view, nil, fromLedger(err)
	}
	own, err := a.cfg.Store.RunChunks(ctx, run)
	if err != nil {
		return view, nil, fromLedger(err)
	}
	for _, c := range own {
		if c.Gate != "" && !c.Disposition.Final() || c.Disposition.Final() && c.Disposition != chunk.Cleared && c.Disposition != chunk.Released {
			view.Withheld++
		}
	}
	missed, err := a.cfg.Store.Withheld(ctx, run)
	if err != nil {
		return view, nil, fromLedger(err)
	}
	view.Withheld += missed // the run asked for them: what it knows is less than it could be (SPEC QUA-2)
	if len(items) > maxContextChunks {
		return view, nil, refusal{problem.Problem{Status: 413, Code: "context-too-large", Detail: "The run's context is larger than one answer may be."}}
	}
	var text strings.Builder
	text.WriteString(fence.Preamble)
	var records []provenance.Record
	pr := a.presenter(ctx, p, run, as)
	for _, it := range items {
		out, rec, err := pr.present(ctx, it, "")
		switch {
		case errors.Is(err, errWithheld):
			view.Withheld++
			continue
		case errors.Is(err, review.ErrErased):
			view.Erased++
			continue
		case err != nil:
			return view, nil, err
		}
		if text.Len()+len(out.Text) > maxContextBytes {
			return view, nil, refusal{problem.Problem{Status: 413, Code: "context-too-large", Detail: "The run's context is larger than one answer may be."}}
		}
		text.WriteString("\n\n")
		text.WriteString(out.Text)
		view.Band = view.Band.Min(it.Band)
		view.Chunks = append(view.Chunks, out)
		records = append(records, rec)
	}
	switch {
	case len(view.Chunks) == 0:
		view.Band = chunk.BandUnknown
	case view.Pending > 0:
		view.Band = view.Band.Min(chunk.BandLow)
	case view.Withheld+view.Erased > 0:
		view.Band = view.Band.Min(chunk.BandMedium)
	}
	view.Text = text.String()
	return view, records, nil
}

// errWithheld: the caller is not granted the chunk's source, or it is no source any more.
var errWithheld = errors.New("api: withheld")

// presenter makes what an agent gets of a chunk.
type presenter struct {
	a          *API
	p          Principal
	run        chunk.ID
	as         assembly
	request    string
	events     map[chunk.ID]ledger.Event
	surrogates []guard.Stub // of the run; read when they are needed
}

func (a *API) presenter(ctx context.Context, p Principal, run chunk.ID, as assembly) *presenter {
	return &presenter{a: a, p: p, run: run, as: as, request: problem.ID(ctx), events: map[chunk.ID]ledger.Event{}}
}

// present opens a chunk that was let through and makes it ready for a prompt: redacted,
// sanitised, fenced, attributed. The record of the access (SPEC PRV-3) is the caller's to
// write before the text goes out. uri is where the text came from; empty: the source.
func (s *presenter) present(ctx context.Context, it ledger.ContextItem, uri string) (contextItem, provenance.Record, error) {
	none := func(err error) (contextItem, provenance.Record, error) {
		return contextItem{}, provenance.Record{}, err
	}
	a := s.a
	src, registered := a.cfg.Classifier.Source(it.Source)
	if !registered || !s.p.Granted(it.Source) {
		return none(errWithheld)
	}
	plain, err := a.cfg.Vault.Open(ctx, it.Scope, it.Sealed, chunk.ContextAD(it.Chunk))
	if err != nil {
		return none(fromVault(err))
	}
	ev, ok := s.events[it.Event]
	if !ok {
		if ev, err = a.cfg.Store.EventByID(ctx, it.Event); err != nil {
			return none(fromLedger(err))
		}
		s.events[it.Event] = ev
	}
	// A row that was moved here from another run is no part of this one: what belongs
	// to a run came by its own documents, everything else by retrieval from a collection.
	if ev.Run != s.run && !ev.Collection || ev.Tenant != s.p.Tenant {
		return none(review.ErrIntegrity)
	}
	// Redaction happened when the text came in. What a recogniser finds all the
	// same, raw pii above all, does not leave (SPEC RED-1).
	redacted := it.Redacted
	left := raw(a.cfg.Classifier.Recognise(plain))
	if len(left) > 0 {
		if s.surrogates == nil {
			if s.surrogates, err = a.Gatekeeper.Surrogates(ctx, s.run); err != nil {
				return none(err)
			}
			s.surrogates = append(s.surrogates, guard.Stub{}) // asked for
		}
		own := guard.Surrogates(plain, s.surrogates)
		left = slices.DeleteFunc(left, func(e chunk.Entity) bool {
			return slices.ContainsFunc(own, func(s chunk.Entity) bool { return s.Start <= e.Start && e.End <= s.End })
		})
	}
	if len(left) > 0 {
		plain, redacted = guard.Replace(plain, left), true
	}
	if uri == "" {
		uri = "stoplog://" + s.p.Tenant + "/" + it.Source
	}
	out := contextItem{
		Chunk: it.Chunk, Event: it.Event, Ordinal: it.Ordinal, Source: it.Source, URI: uri,
		Trust: src.Trust.String(), Origin: src.Origin.String(), Retrieved: ev.Received.UTC(), Class: it.Class, Band: it.Band, Redacted: redacted,
	}
	body := strings.ToValidUTF8(string(plain), "\ufffd")
	if s.as.sanitise {
		clean := fence.Sanitise(body)
		body, out.Triggers = clean.Text, clean.Triggers+clean.Tags
	}
	out.Text = wrap(s.as.form, s.as.label, it.Source, out.URI, body)
	hash, err := a.cfg.Vault.Commit(ctx, it.Scope, []byte(out.Text))
	if err != nil {
		return none(fromVault(err))
	}
	payload, err := provenance.EncodePayload(provenance.ContextAssembly{RunID: s.run, DataClass: it.Class, SourceID: it.Source, RedactionApplied: redacted, ChunkHash: hash})
	if err != nil {
		return none(err)
	}
	return out, provenance.Record{
		ID:     provenance.RecordID(provenance.KindContextAssembly, it.Chunk, string(s.run), s.request), // each access is one: it has the request's id
		Schema: provenance.SchemaVersion, Time: a.cfg.Now().UTC(), Kind: provenance.KindContextAssembly, Tenant: s.p.Tenant, Run: s.run, Subject: it.Chunk,
		Actor: s.p.Actor(), Policy: a.cfg.Policy(), Evidence: ev.Evidence, Payload: payload,
	}, nil
}

// raw gives what may not stand in any context: personal data and secrets.
func raw(entities []chunk.Entity) []chunk.Entity {
	return slices.DeleteFunc(entities, func(e chunk.Entity) bool {
		return e.Type != "SECRET" && !classify.ClassOf([]chunk.Entity{e}).Exceeds(chunk.Restricted)
	})
}

// retrievedCitations checks the citations of chunks that are to join a run. A chunk that
// cannot be opened any more has none; it does not get into a context either.
func (a *API) retrievedCitations(ctx context.Context, p Principal, run chunk.ID, class chunk.Class, items []ledger.ContextItem) ([]citations.Report, []provenance.Record, error) {
	ids, texts := make([]chunk.ID, len(items)), make([]string, len(items))
	if a.cfg.Citations != nil {
		for i, it := range items {
			plain, err := a.cfg.Vault.Open(ctx, it.Scope, it.Sealed, chunk.ContextAD(it.Chunk))
			if err != nil && !errors.Is(err, evidence.ErrErased) {
				return nil, nil, fromVault(err)
			}
			ids[i], texts[i] = it.Chunk, string(plain)
		}
	}
	reports, records, err := a.Gatekeeper.RetrievedCitations(ctx, p.Tenant, p.Actor(), run, class, ids, texts)
	for i := range reports { // text of a collection goes out in fences, by way of the context
		for j := range reports[i].Citations {
			reports[i].Citations[j].Value = ""
		}
	}
	return reports, records, err
}

// retrieve brings chunks of collections into a run (DECISIONS, words: collection).
// The run takes their class before it gets any of them; a chunk that was not let
// through is left out alone and lowers the band (SPEC QUA-2), here and in every later
// context of the run, until it is retrieved after all.
func (a *API) retrieve(w http.ResponseWriter, r *http.Request, p Principal) error {
	run := chunk.ID(r.PathValue("run"))
	var in struct {
		Chunks []chunk.ID `json:"chunks"`
	}
	if err := a.Gatekeeper.Own(r.Context(), p.Tenant, run); err != nil {
		return err
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if len(in.Chunks) == 0 || len(in.Chunks) > 1000 {
		return invalid("chunks", "wrong-size", "want 1 to 1000 chunk ids")
	}
	for _, id := range in.Chunks {
		if !chunk.ValidID(string(id), "chk") {
			return invalid("chunks", "wrong-format", "want chunk ids")
		}
	}
	ctx := r.Context()
	state, err := a.Gatekeeper.State(ctx, run)
	if err != nil {
		return err
	}
	if f := state.Refusal(); f != chunk.FailNone && f != chunk.FailState { // a run that has no class yet gets one here
		denied(w, f, nil, map[string]any{"run_id": run})
		return nil
	}
	items, err := a.cfg.Store.CollectionContext(ctx, p.Tenant, in.Chunks)
	if err != nil {
		return fromLedger(err)
	}
	type result struct {
		Chunk   chunk.ID          `json:"chunk_id"`
		Status  string            `json:"status"` // retrieved, withheld
		Failure chunk.FailureID   `json:"failure_id,omitempty"`
		Cited   *citations.Report `json:"citations,omitempty"` // where some are not resolved
	}
	items = slices.DeleteFunc(items, func(it ledger.ContextItem) bool { return !p.Granted(it.Source) })
	entering, cited, records, err := a.believed(ctx, p, run, state, items)
	if err != nil {
		return err
	}
	got := map[chunk.ID]bool{}
	for _, it := range entering {
		got[it.Chunk] = true
	}
	out := struct {
		Run       chunk.ID    `json:"run_id"`
		Class     chunk.Class `json:"data_class"`
		Band      chunk.Band  `json:"confidence_band"`
		Retrieved int         `json:"retrieved"`
		Withheld  int         `json:"withheld"`
		Chunks    []result    `json:"chunks"`
	}{Run: run, Class: state.Class, Band: chunk.BandUnknown, Chunks: []result{}}
	for _, id := range in.Chunks {
		res := result{Chunk: id, Status: "withheld"} // also one that is not there, or another tenant's: the answer is the same
		if r, ok := cited[id]; ok {
			res.Failure, res.Cited = r.Worst(), &r
		}
		if got[id] {
			res.Status, out.Retrieved = "retrieved", out.Retrieved+1
		} else {
			out.Withheld++
		}
		out.Chunks = append(out.Chunks, res)
	}
	b := ledger.Batch{Context: entering, Records: records}
	if b.Withheld, err = a.missed(ctx, p, run, in.Chunks, items, entering); err != nil {
		return err
	}
	if err := a.enter(ctx, p, run, b, "retrieval"); err != nil {
		return err
	}
	if len(entering) > 0 {
		out.Class = entering[0].Class
		if state.Class != chunk.Unclassified {
			out.Class = state.Class
		}
		out.Band = chunk.BandHigh
		for _, it := range entering {
			out.Class, out.Band = out.Class.Max(it.Class), out.Band.Min(it.Band)
		}
		if out.Withheld > 0 {
			out.Band = out.Band.Min(chunk.BandMedium)
		}
	}
	problem.OK(w, out)
	return nil
}

// believed checks what chunks cite before they enter a run. A source of record that does
// not know what a chunk cites makes the chunk less believable, and the answer says so; or
// it keeps the chunk out (SPEC QUA-2, QUA-8). The records are to be stored with what
// enters.
func (a *API) believed(ctx context.Context, p Principal, run chunk.ID, state guard.RunState, items []ledger.ContextItem) ([]ledger.ContextItem, map[chunk.ID]citations.Report, []provenance.Record, error) {
	class := state.Class
	if class == chunk.Unclassified && len(items) > 0 {
		class = items[0].Class
	}
	for _, it := range items {
		class = class.Max(it.Class)
	}
	reports, records, err := a.retrievedCitations(ctx, p, run, class, items)
	if err != nil {
		return nil, nil, nil, err
	}
	cited := map[chunk.ID]citations.Report{}
	var entering []ledger.ContextItem
	for i, it := range items {
		switch r := reports[i]; r.Worst() {
		case chunk.FailNone:
		case chunk.FailCitation:
			cited[it.Chunk], it.Band = r, it.Band.Min(chunk.BandLow)
		default:
			cited[it.Chunk], it.Band = r, it.Band.Min(chunk.BandMedium)
		}
		if reports[i].Worst(cite.Withhold) != chunk.FailNone {
			continue
		}
		it.Run = run
		entering = append(entering, it)
	}
	return entering, cited, records, nil
}

// missed gives the chunks that a run asked for and did not get, for later contexts to
// know of: what was not let through, and of items what what it cites kept out.
func (a *API) missed(ctx context.Context, p Principal, run chunk.ID, asked []chunk.ID, items, entering []ledger.ContextItem) ([]ledger.Withheld, error) {
	got := map[chunk.ID]bool{}
	for _, it := range entering {
		got[it.Chunk] = true
	}
	hidden, err := a.cfg.Store.NotLetThrough(ctx, p.Tenant, asked)
	if err != nil {
		return nil, fromLedger(err)
	}
	var out []ledger.Withheld
	for id, source := range hidden {
		// Of what is not there, or not this caller's to ask for, nothing is kept: the next
		// context would tell the difference.
		if p.Granted(source) && !got[id] {
			out = append(out, ledger.Withheld{Run: run, Chunk: id})
		}
	}
	for _, it := range items { // kept out by what it cites
		if !got[it.Chunk] {
			out = append(out, ledger.Withheld{Run: run, Chunk: it.Chunk})
		}
	}
	return out, nil
}

// enter brings chunks of a collection into a run, which takes their class in the same
// transaction (SPEC CLS-6), with the records and the memory of what was withheld that
// belong to it. cause is retrieval or execution.
func (a *API) enter(ctx context.Context, p Principal, run chunk.ID, b ledger.Batch, cause string) error {
	if len(b.Context) == 0 {
		if len(b.Records)+len(b.Withheld) == 0 {
			return nil
		}
		_, err := a.cfg.Store.Append(ctx, b) // nothing joins the run, and that is why
		if err != nil {
			err = fromLedger(err)
		}
		return err
	}
	class := b.Context[0].Class
	names := make([]string, len(b.Context))
	for i, it := range b.Context {
		class = class.Max(it.Class)
		names[i] = string(it.Chunk)
	}
	slices.Sort(names)
	payload, err := provenance.EncodePayload(provenance.RunClass{RunID: run, DataClass: class, Cause: cause})
	if err != nil {
		return err
	}
	b.Records = append(b.Records, provenance.Record{
		ID: provenance.RecordID(provenance.KindRunClass, run, append([]string{cause}, names...)...), Schema: provenance.SchemaVersion, Time: a.cfg.Now().UTC(),
		Kind: provenance.KindRunClass, Tenant: p.Tenant, Run: run, Subject: run, Actor: p.Actor(), Policy: a.cfg.Policy(), Payload: payload,
	})
	if _, err := a.cfg.Store.Append(ctx, b); err != nil {
		return fromLedger(err)
	}
	if err := a.cfg.Runs.Invalidate(ctx, run); err != nil {
		// The class stands in the ledger. Until the cache can be told of it, it
		// trusts nothing, and the caller is told to try again.
		return review.ErrState
	}
	return nil
}
