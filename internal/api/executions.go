package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stoplog/stoplog/internal/door"
	"github.com/stoplog/stoplog/internal/fetch"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/detect"
	"github.com/stoplog/stoplog/pkg/fence"
	"github.com/stoplog/stoplog/pkg/guard"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Execution is what carries declared operations out (SPEC DEC-4). Source, Client and
// Accept are required.
type Execution struct {
	// Source is the registered source that results enter as. It is a collection: a page
	// that somebody poisoned is quarantined alone and halts nobody (SPEC QUA-2), and what
	// is let through enters the run, which takes its class.
	Source    string
	Client    *fetch.Client
	Accept    func(context.Context, door.Event) (door.Receipt, error) // the door
	Workspace *fetch.Workspace                                        // nil: no files
	Search    *fetch.Endpoint                                         // of comm.search; nil: none
	Services  map[string]fetch.Endpoint                               // of comm.query, by name

	PerMinute int           // requests of a session; zero: 10, which is the most
	Total     time.Duration // of an execution; zero: 300 s, which is the most
}

// The greatest limits of SPEC DEC-4, and the defaults.
const (
	MaxPerMinute = 10
	MaxTotal     = 300 * time.Second
)

// interruptAfter is how long after its last moment an execution without a completion is
// taken for interrupted: clocks of processes differ.
const interruptAfter = 5 * time.Minute

// maxExecutions bounds the executions of one process at the same time.
const maxExecutions = 16

func (e *Execution) check(c *classify.Classifier) error {
	src, ok := c.Source(e.Source)
	switch {
	case e.Client == nil || e.Accept == nil:
		return errors.New("api: execution: client and door are required")
	case !ok:
		return errors.New("api: execution: source: not registered")
	case !src.Collection || src.Trust != chunk.UntrustedExternal || src.Origin != chunk.TaskData || src.Format != "":
		return errors.New("api: execution: source: want a collection of untrusted task-data that names no format")
	case e.PerMinute < 0 || e.PerMinute > MaxPerMinute:
		return fmt.Errorf("api: execution: requests a minute: want at most %d", MaxPerMinute)
	case e.Total < 0 || e.Total > MaxTotal:
		return fmt.Errorf("api: execution: total: want at most %v", MaxTotal)
	}
	if e.PerMinute == 0 {
		e.PerMinute = MaxPerMinute
	}
	if e.Total == 0 {
		e.Total = MaxTotal
	}
	return nil
}

// executions are those under way in this process.
type executions struct {
	ctx   context.Context
	end   context.CancelFunc
	slots chan struct{}

	mu     sync.Mutex // guards closed against running.Add
	closed bool
	under  sync.WaitGroup
}

func newExecutions() *executions {
	ctx, end := context.WithCancel(context.Background())
	return &executions{ctx: ctx, end: end, slots: make(chan struct{}, maxExecutions)}
}

// take reserves a place; false: there is none.
func (e *executions) take() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	select {
	case e.slots <- struct{}{}:
		e.under.Add(1)
		return true
	default:
		return false
	}
}

func (e *executions) give() {
	<-e.slots
	e.under.Done()
}

// RunExecutions completes, until ctx ends, what a process that ended left without a
// completion (SPEC DEC-5). Then it breaks off what is under way here, and returns when
// that is recorded.
func (a *API) RunExecutions(ctx context.Context) error {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	// A whole ledger is read once. From then on what was there at a look that is long
	// enough ago has been settled by this one.
	type look struct {
		at     time.Time
		newest int64
	}
	var looks []look
	var after int64
	for {
		now := a.cfg.Now()
		before := now.Add(-MaxTotal - interruptAfter) // of other processes too, whatever their configuration
		newest, err := a.cfg.Store.Newest(ctx)
		if err == nil {
			err = a.Gatekeeper.Interrupt(ctx, before, after)
		}
		switch {
		case err == nil:
			looks = append(looks, look{now, newest})
			for looks[0].at.Before(before) {
				after, looks = looks[0].newest, looks[1:]
			}
		case ctx.Err() == nil:
			a.cfg.Log.Warn("what other processes left without a completion could not be looked for; trying again")
		}
		select {
		case <-ctx.Done():
			a.running.mu.Lock()
			a.running.closed = true
			a.running.mu.Unlock()
			a.running.end()
			a.running.under.Wait()
			return nil
		case <-tick.C:
		}
	}
}

// executionView is what an agent gets of an execution.
type executionView struct {
	ID        chunk.ID        `json:"declaration_id"`
	Run       chunk.ID        `json:"run_id"`
	Operation string          `json:"operation"`
	State     string          `json:"state"` // running, deciding, done, withheld, failed
	Failure   chunk.FailureID `json:"failure_id,omitempty"`
	Started   time.Time       `json:"started"`
	Completed *time.Time      `json:"completed,omitempty"`
	Bytes     int             `json:"result_size_bytes"`
	*executionResult
}

// executionResult is the result of an execution that brought content (SPEC DEC-6).
type executionResult struct {
	Attribution string        `json:"attribution"`
	Source      string        `json:"source"`
	Timestamp   time.Time     `json:"timestamp"`
	Trust       string        `json:"trust_level"`
	Class       chunk.Class   `json:"data_class"` // of the run, by now
	Band        chunk.Band    `json:"confidence_band"`
	Withheld    int           `json:"withheld"` // chunks that were not let through, or not yet
	Gates       []chunk.ID    `json:"gates,omitempty"`
	Preamble    string        `json:"preamble"`
	Text        string        `json:"text"` // every chunk, fenced
	Chunks      []contextItem `json:"chunks"`
	Records     []chunk.ID    `json:"records"` // of this access
}

// execute carries an approved declaration out, once (SPEC DEC-4), and answers as
// [API.execution] does.
func (a *API) execute(w http.ResponseWriter, r *http.Request, p Principal) error {
	wait, err := a.waitOf(r)
	if err != nil {
		return err
	}
	x := a.cfg.Execution
	if x == nil {
		return errExecutionOff
	}
	if !p.Granted(x.Source) {
		return errSourceNotGranted
	}
	if !a.running.take() {
		return refusal{problem.Problem{Status: 503, Code: "busy", Detail: "Too many operations are being carried out at the same time. Try again.", Retryable: true, RetryAfter: soon}}
	}
	// A caller who goes away does not leave a start behind that nobody completes.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 20*time.Second)
	defer cancel()
	id := chunk.ID(r.PathValue("declaration"))
	begun, d, err := a.Gatekeeper.Begin(ctx, p.Tenant, p.Actor(), id, guard.Standing{Operations: []string{"*"}, Trusted: a.cfg.TrustedHosts}, x.PerMinute)
	if begun == nil {
		a.running.give()
	}
	switch {
	case err != nil:
		return err
	case begun != nil:
		go a.carryOut(*begun)
	case d.Outcome == guard.Gated:
		problem.Respond(w, http.StatusAccepted, d)
		return nil
	case d.Outcome != guard.Allow:
		a.metrics.egress.WithLabelValues("execution", d.Decision, string(d.Rule)).Inc()
		if d.Failure == chunk.FailQuota {
			problem.Write(w, problem.Problem{Status: http.StatusTooManyRequests, Code: string(d.Failure), Detail: failureDetails[d.Failure], Retryable: true, RetryAfter: 15 * soon, Data: d})
			return nil
		}
		denied(w, d.Failure, d.Fields, d)
		return nil
	}
	return a.executed(w, r, p, id, wait)
}

var (
	errExecutionOff     = refusal{problem.Problem{Status: 403, Code: "execution-off", Detail: "This deployment carries nothing out: its configuration has no `execution`."}}
	errSourceNotGranted = refusal{problem.Problem{Status: 403, Code: string(chunk.FailSourceNotGranted), Detail: "The token is not granted the source that results enter as."}}
)

// execution says where an execution stands and, once its result is decided, gives it.
func (a *API) execution(w http.ResponseWriter, r *http.Request, p Principal) error {
	wait, err := a.waitOf(r)
	if err != nil {
		return err
	}
	return a.executed(w, r, p, chunk.ID(r.PathValue("declaration")), wait)
}

// waitOf reads how long a caller waits for a result.
func (a *API) waitOf(r *http.Request) (time.Duration, error) {
	q := r.URL.Query()
	if len(q) > 1 || len(q) == 1 && !q.Has("wait") {
		return 0, refusal{problem.Problem{Status: 400, Code: "query-unknown", Detail: "The query has a parameter that is not known here."}}
	}
	as, err := parseAssembly(q, a.cfg.MaxWait)
	return as.wait, err
}

// carryOut carries one execution out and records how it ended, whatever happens.
func (a *API) carryOut(x review.Execution) {
	defer a.running.give()
	ctx, cancel := context.WithTimeout(a.running.ctx, a.cfg.Execution.Total)
	defer cancel()
	ended := a.perform(ctx, x)
	if ended.Failure != chunk.FailNone && a.running.ctx.Err() != nil {
		ended.Failure = chunk.FailInterrupted // the process ends
	}
	a.metrics.egress.WithLabelValues("execution", outcomeOf(ended.Failure), string(ended.Failure)).Inc()
	// What cannot be recorded now is recorded later as interrupted, and until then and
	// after it nothing of the result is handed out.
	record, done := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer done()
	pause := 100 * time.Millisecond
	for {
		err := a.Gatekeeper.Complete(record, x, ended)
		if err == nil {
			return
		}
		if !errors.Is(err, review.ErrUnavailable) && ended.Failure == chunk.FailNone {
			// Nothing can be sealed for the run any more: it is erased.
			ended = review.Ended{Failure: chunk.FailErased, Bytes: ended.Bytes}
			if !errors.Is(err, review.ErrErased) {
				ended.Failure = chunk.FailExecution
			}
		} else if !errors.Is(err, review.ErrUnavailable) || record.Err() != nil {
			a.cfg.Log.Error("an execution's end could not be recorded", slog.String("declaration", string(x.ID)))
			a.metrics.failClosed("execution-unrecorded")
			return
		}
		time.Sleep(pause)
		pause *= 2
	}
}

func outcomeOf(f chunk.FailureID) string {
	if f == chunk.FailNone {
		return guard.Allow.String()
	}
	return guard.Deny.String()
}

// perform does what was declared and brings the result in by the door (SPEC DEC-6).
func (a *API) perform(ctx context.Context, x review.Execution) (ended review.Ended) {
	defer func() {
		if v := recover(); v != nil {
			a.cfg.Log.Error("panic in an execution", slog.String("declaration", string(x.ID)), slog.String("kind", kindOf(v)))
			a.metrics.failClosed("panic")
			ended.Failure = chunk.FailExecution
		}
	}()
	// The run may have been halted while the start was written.
	state, err := a.Gatekeeper.State(ctx, x.Run)
	if err != nil {
		return review.Ended{Failure: chunk.FailState}
	}
	if f := state.Refusal(); f != chunk.FailNone {
		return review.Ended{Failure: f}
	}
	got, err := a.obtain(ctx, x)
	if err != nil {
		return review.Ended{Failure: failureOf(ctx, err)}
	}
	ended = review.Ended{Bytes: got.size, Source: got.shown}
	if len(got.body) == 0 {
		return ended
	}
	receipt, err := a.cfg.Execution.Accept(ctx, door.Event{
		Tenant: x.Tenant, Source: a.cfg.Execution.Source, SenderID: ExecutionSender(x.ID), MediaType: got.mediaType, Body: got.body,
		SourceURI: got.uri, Session: x.Session, Actor: x.Actor,
	})
	if err == nil && receipt.Duplicate {
		// It is brought in once. Somebody else took its id, and what lies there is theirs.
		return review.Ended{Failure: chunk.FailIntegrity, Bytes: got.size}
	}
	if err != nil {
		return review.Ended{Failure: failureOf(ctx, err), Bytes: got.size}
	}
	ended.Event = receipt.Event
	if ev, err := a.cfg.Store.EventByID(ctx, receipt.Event); err == nil {
		ended.Evidence = ev.Evidence
	}
	return ended
}

// ExecutionSender is the sender's event id of an execution's result.
func ExecutionSender(declaration chunk.ID) string { return "execution:" + string(declaration) }

// obtained is what an operation brought.
type obtained struct {
	body      []byte
	size      int
	mediaType string
	uri       string // where it came from, for the seal
	shown     string // … for the agent
}

var (
	errOperation = errors.New("api: nothing here carries the operation out")
	errMedia     = errors.New("api: the file is no text")
)

// obtain reaches outside.
func (a *API) obtain(ctx context.Context, x review.Execution) (obtained, error) {
	e := a.cfg.Execution
	parameter := func(name string) string { return guard.Parameter(x.Parameters, name) }
	next := func(ctx context.Context) error { return a.Gatekeeper.Count(ctx, x, e.PerMinute) }
	ask := func(at *fetch.Endpoint) (obtained, error) {
		if at == nil {
			return obtained{}, errOperation
		}
		res, err := e.Client.Get(ctx, fetch.Request{URL: at.Expand(parameter("query"), limitOf(x.Parameters)), Authorization: at.Authorization, Registered: true, Next: next})
		return obtained{res.Body, len(res.Body), res.MediaType, at.Name(), at.Name()}, err
	}
	switch x.Operation {
	case guard.OperationFetch:
		req := fetch.Request{URL: parameter("url"), Next: next}
		if !x.Person { // nobody saw it but the list of trusted hosts: it leads to none other
			req.Within = func(host string) bool { return guard.HostIn(host, a.cfg.TrustedHosts) }
		}
		res, err := e.Client.Get(ctx, req)
		if err != nil {
			return obtained{}, err
		}
		return obtained{res.Body, len(res.Body), res.MediaType, res.URL, a.shown(res)}, nil
	case guard.OperationSearch:
		return ask(e.Search)
	case guard.OperationQuery:
		if at, ok := e.Services[parameter("service")]; ok {
			return ask(&at)
		}
		return obtained{}, errOperation
	case guard.OperationFileRead, guard.OperationFileWrite:
		if e.Workspace == nil {
			return obtained{}, errOperation
		}
		path := parameter("path")
		out := obtained{uri: "workspace:" + path, shown: "workspace:" + path}
		if x.Operation == guard.OperationFileWrite {
			out.size = len(parameter("content"))
			return out, e.Workspace.Write(ctx, path, []byte(parameter("content")))
		}
		var err error
		if out.body, err = e.Workspace.Read(ctx, path); err != nil {
			return obtained{}, err
		}
		if out.mediaType = door.MediaTypeOf(path, out.body); out.mediaType == "" {
			return obtained{}, errMedia
		}
		out.size = len(out.body)
		return out, nil
	}
	return obtained{}, errOperation
}

// limitOf gives a search's limit as it was written.
func limitOf(parameters json.RawMessage) string {
	var v struct {
		Limit json.Number `json:"limit"`
	}
	if json.Unmarshal(parameters, &v) != nil || v.Limit == "" {
		return "10"
	}
	return v.Limit.String()
}

// shown is the address that an agent sees. The one it asked for is its own text; one
// that a server led to is the server's, and is shown whole only if it is clean.
func (a *API) shown(res fetch.Response) string {
	if res.Redirects == 0 {
		return res.URL
	}
	u, err := url.Parse(res.URL)
	if err != nil {
		return ""
	}
	origin := "https://" + u.Host + "/"
	text := res.URL
	if plain, err := url.QueryUnescape(res.URL); err == nil {
		text += "\n" + plain + "\n" + strings.NewReplacer("-", " ", "_", " ", "/", " ").Replace(plain)
	}
	if len(a.cfg.Classifier.Recognise([]byte(text))) > 0 || a.cfg.Detector().Scan(detect.Input{Text: []byte(text)}).Verdict != chunk.Clean {
		return origin
	}
	return res.URL
}

// failureOf gives the failure under which an error is recorded.
func failureOf(ctx context.Context, err error) chunk.FailureID {
	for _, row := range []struct {
		err     error
		failure chunk.FailureID
	}{
		{fetch.ErrDestination, chunk.FailDestination}, {fetch.ErrUpstream, chunk.FailUpstream}, {fetch.ErrTooLarge, chunk.FailResultSize},
		{fetch.ErrTimeout, chunk.FailTimeout}, {fetch.ErrPath, chunk.FailPath}, {fetch.ErrMissing, chunk.FailFileMissing},
		{review.ErrQuota, chunk.FailQuota}, {review.ErrState, chunk.FailState}, {errMedia, chunk.FailMediaType}, {door.ErrTooLarge, chunk.FailResultSize},
		{door.ErrLedger, chunk.FailLedger}, {door.ErrEvidence, chunk.FailEvidence}, {door.ErrState, chunk.FailState}, {context.DeadlineExceeded, chunk.FailTimeout},
	} {
		if errors.Is(err, row.err) {
			return row.failure
		}
	}
	if f := door.Failure(err); f != chunk.FailNone {
		return f
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return chunk.FailTimeout
	}
	return chunk.FailExecution
}

// executed answers with where an execution stands: 202 while it runs or its result is
// decided, 200 with the result, a problem where it failed. Nothing of a result goes out
// before its completion is recorded, before the run has its class, or while the run may
// have nothing (SPEC QUA-1, CLS-6, DEC-5).
func (a *API) executed(w http.ResponseWriter, r *http.Request, p Principal, id chunk.ID, wait time.Duration) error {
	ctx := r.Context()
	deadline := time.Now().Add(wait)
	pause := 10 * time.Millisecond
	for {
		e, err := a.Gatekeeper.Executed(ctx, p.Tenant, p.Actor(), id)
		if err != nil {
			return err
		}
		view := executionView{ID: e.ID, Run: e.Run, Operation: e.Operation, State: "running", Failure: e.Failure, Started: e.Started, Bytes: e.Bytes}
		if !e.Completed.IsZero() {
			view.State, view.Completed = "deciding", &e.Completed
			switch {
			case e.Failure != chunk.FailNone:
				view.State = "failed" // for good: the next attempt is another declaration
				problem.Write(w, problem.Problem{Status: statusOf(e.Failure), Code: string(e.Failure), Detail: failureDetails[e.Failure], Data: view})
				return nil
			case e.Event == "":
				view.State = "done"
				problem.OK(w, view)
				return nil
			}
			chunks, err := a.cfg.Store.EventChunks(ctx, e.Event)
			if err != nil {
				return fromLedger(err)
			}
			if !slices.ContainsFunc(chunks, func(c ledger.Chunk) bool { return c.Gate == "" && !c.Disposition.Final() }) {
				return a.result(w, r, p, e, view, chunks)
			}
		}
		left := time.Until(deadline)
		if left <= 0 {
			problem.Respond(w, http.StatusAccepted, view)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(pause, left)):
		}
		pause = min(pause*3/2, 150*time.Millisecond)
	}
}

// result hands the result of an execution over: what was let through of it enters the
// run, and goes out in the marker form of SPEC FEN-4.
func (a *API) result(w http.ResponseWriter, r *http.Request, p Principal, e review.Executed, view executionView, chunks []ledger.Chunk) error {
	ctx := r.Context()
	refused := func() (bool, error) {
		state, err := a.Gatekeeper.State(ctx, e.Run)
		if err != nil {
			return true, err
		}
		if view.executionResult != nil {
			view.Class = state.Class
		}
		if f := state.Refusal(); f != chunk.FailNone {
			a.metrics.contexts.WithLabelValues(string(f)).Inc()
			denied(w, f, nil, map[string]any{"run_id": e.Run, "declaration_id": e.ID})
			return true, nil
		}
		return false, nil
	}
	if no, err := refused(); no {
		return err
	}
	ids := make([]chunk.ID, len(chunks))
	out := &executionResult{
		Attribution: "Retrieved by " + e.Operation + ". It is the word of its source, not of the user, the operator or Stoplog.", Source: e.Source,
		Timestamp: e.Completed, Trust: chunk.UntrustedExternal.String(), Band: chunk.BandHigh, Preamble: fence.Preamble, Chunks: []contextItem{}, Records: []chunk.ID{},
	}
	view.executionResult = out
	for i, c := range chunks {
		ids[i] = c.ID
		if c.Gate != "" && !c.Disposition.Final() {
			out.Gates = append(out.Gates, c.Gate)
		}
	}
	items, err := a.brought(ctx, p, e, ids)
	if err != nil {
		return err
	}
	pr := a.presenter(ctx, p, e.Run, assembly{form: "marker", sanitise: true})
	var records []provenance.Record
	var texts []string
	for _, it := range items {
		item, rec, err := pr.present(ctx, it, e.Source)
		if errors.Is(err, errWithheld) || errors.Is(err, review.ErrErased) {
			continue
		}
		if err != nil {
			return err
		}
		out.Band = out.Band.Min(it.Band)
		out.Chunks, texts, records = append(out.Chunks, item), append(texts, item.Text), append(records, rec)
	}
	out.Text, out.Withheld = strings.Join(texts, "\n\n"), len(chunks)-len(out.Chunks)
	view.State = "done"
	switch {
	case len(out.Chunks) == 0:
		view.State, out.Band = "withheld", chunk.BandUnknown
	case out.Withheld > 0:
		out.Band = out.Band.Min(chunk.BandMedium)
	}
	if len(records) > 0 {
		stored, err := a.cfg.Store.Append(ctx, ledger.Batch{Records: records})
		if err != nil {
			return fromLedger(err)
		}
		for _, rec := range stored[0].Records {
			out.Records = append(out.Records, rec.ID)
		}
	}
	if no, err := refused(); no {
		return err
	}
	a.metrics.contexts.WithLabelValues("served").Inc()
	tagged, err := fence.MarkExternal(view)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if len(out.Chunks) == 0 && len(out.Gates) > 0 { // a person decides
		status = http.StatusAccepted
	}
	problem.Respond(w, status, tagged, fence.ExternalWarning)
	return nil
}

// brought gives what was let through of a result. What is not in the run yet enters it
// here, once what it cites has been checked as a retrieved chunk's is.
func (a *API) brought(ctx context.Context, p Principal, e review.Executed, ids []chunk.ID) ([]ledger.ContextItem, error) {
	inside, err := a.cfg.Store.RunContext(ctx, e.Run)
	if err != nil {
		return nil, fromLedger(err)
	}
	inside = slices.DeleteFunc(inside, func(it ledger.ContextItem) bool { return it.Event != e.Event })
	fresh, err := a.cfg.Store.CollectionContext(ctx, p.Tenant, ids)
	if err != nil {
		return nil, fromLedger(err)
	}
	fresh = slices.DeleteFunc(fresh, func(it ledger.ContextItem) bool {
		return it.Event != e.Event || !p.Granted(it.Source) || slices.ContainsFunc(inside, func(in ledger.ContextItem) bool { return in.Chunk == it.Chunk })
	})
	state, err := a.Gatekeeper.State(ctx, e.Run)
	if err != nil {
		return nil, err
	}
	entering, _, records, err := a.believed(ctx, p, e.Run, state, fresh)
	if err != nil {
		return nil, err
	}
	enters := ledger.Batch{Context: entering, Records: records}
	if enters.Withheld, err = a.missed(ctx, p, e.Run, ids, fresh, entering); err != nil {
		return nil, err
	}
	err = a.enter(ctx, p, e.Run, enters, "execution")
	items := append(inside, entering...)
	slices.SortFunc(items, func(a, b ledger.ContextItem) int { return a.Ordinal - b.Ordinal })
	return items, err
}
