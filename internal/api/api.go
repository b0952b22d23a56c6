package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stoplog/stoplog/internal/citations"
	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/internal/runstate"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/detect"
	"github.com/stoplog/stoplog/pkg/guard"
)

// Config is what the API needs. Everything without a remark is required.
type Config struct {
	Store      *ledger.Store
	Vault      *evidence.Vault
	Runs       *runstate.Cache
	Classifier *classify.Classifier
	Guard      *guard.Guard
	Detector   func() *detect.Detector // the one in force; rules reload
	Integrity  chunk.IntegrityKeys
	Tokens     []Token

	Policy     func() string // hash of the configuration in force; nil: none
	Now        func() time.Time
	Log        *slog.Logger          // nil: none
	Metrics    prometheus.Registerer // nil: none
	SessionKey []byte                // of the review page's cookies; nil: made anew, so a restart signs everybody out

	Lease    time.Duration // of a claim; zero: 15m
	Expires  time.Duration // of a gate; zero: 72h
	FourEyes bool          // raw pii needs two reviewers

	Citations    *citations.Checker // nil: no kinds are declared
	TrustedHosts []string           // declared fetches from these are low risk (SPEC DEC-3)
	Execution    *Execution         // carries declared operations out; nil: nothing does
	MaxBody      int                // bytes of a request; zero: 1 MiB
	MaxWait      time.Duration
}

// API is the handler, and the parts of it that other ways in use too.
type API struct {
	Queue      *review.Queue
	Gatekeeper *review.Gatekeeper
	Tokens     *Tokens

	cfg     Config
	mux     *http.ServeMux
	metrics *metrics
	page    *page
	running *executions
}

// New makes the API. The handler serves /v1/ (apart from the door's own paths),
// /review/ and, with a refusal, every other path.
func New(cfg Config) (*API, error) {
	if cfg.Guard == nil || cfg.Detector == nil {
		return nil, errors.New("api: guard and detector are required")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Policy == nil {
		cfg.Policy = func() string { return "" }
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.MaxBody <= 0 {
		cfg.MaxBody = 1 << 20
	}
	if cfg.MaxWait <= 0 {
		cfg.MaxWait = 30 * time.Second
	}
	rc := review.Config{
		Store: cfg.Store, Vault: cfg.Vault, Runs: cfg.Runs, Classifier: cfg.Classifier, Integrity: cfg.Integrity, Policy: cfg.Policy, Now: cfg.Now,
		Log: cfg.Log, Lease: cfg.Lease, Expires: cfg.Expires, FourEyes: cfg.FourEyes, Citations: cfg.Citations,
	}
	a := &API{cfg: cfg, mux: http.NewServeMux(), running: newExecutions()}
	var err error
	if cfg.Execution != nil {
		x := *cfg.Execution
		a.cfg.Execution = &x
		if err := x.check(cfg.Classifier); err != nil {
			return nil, err
		}
	}
	if a.Queue, err = review.NewQueue(rc); err != nil {
		return nil, err
	}
	if a.Gatekeeper, err = review.NewGatekeeper(cfg.Guard, rc); err != nil {
		return nil, err
	}
	if a.Tokens, err = NewTokens(cfg.Tokens); err != nil {
		return nil, err
	}
	if a.metrics, err = newMetrics(cfg.Metrics, cfg.Store, cfg.Now); err != nil {
		return nil, err
	}
	if a.page, err = newPage(a); err != nil {
		return nil, err
	}
	a.routes()
	return a, nil
}

func (a *API) routes() {
	any := []string{}
	a.handle("POST /v1/scan", any, a.scan)
	a.handle("POST /v1/sanitize", any, a.sanitize)

	a.handle("GET /v1/runs/{run}", []string{RoleAgent, RoleAssembler, RoleConnector, RoleAuditor, RoleReviewer, RolePII}, a.run)
	a.handle("GET /v1/runs/{run}/context", []string{RoleAssembler}, a.context)
	a.handle("POST /v1/runs/{run}/retrievals", []string{RoleAssembler}, a.retrieve)
	a.handle("POST /v1/runs/{run}/tool-calls", []string{RoleAgent}, a.toolCall)
	a.handle("GET /v1/runs/{run}/tool-calls/{call}", []string{RoleAgent, RoleConnector}, a.toolCallState)
	a.handle("POST /v1/runs/{run}/outputs", []string{RoleAgent}, a.output)
	a.handle("GET /v1/runs/{run}/outputs/{output}", []string{RoleAgent}, a.outputState)
	a.handle("POST /v1/runs/{run}/memory", []string{RoleAgent}, a.memory)
	a.handle("POST /v1/declarations", []string{RoleAgent}, a.declare)
	a.handle("GET /v1/declarations/{declaration}", []string{RoleAgent}, a.declaration)
	a.handle("POST /v1/citations", []string{RoleAgent, RoleAssembler}, a.citations)
	a.handle("POST /v1/declarations/{declaration}/execution", []string{RoleAgent}, a.execute)
	a.handle("GET /v1/declarations/{declaration}/execution", []string{RoleAgent}, a.execution)
	a.handle("POST /v1/stubs/resolve", []string{RoleConnector}, a.resolve)

	reviewers := []string{RoleReviewer, RolePII}
	a.handle("GET /v1/review/gates", reviewers, a.gates)
	a.handle("GET /v1/review/gates/{gate}", reviewers, a.gate)
	a.handle("POST /v1/review/gates/{gate}/reveal", reviewers, a.reveal)
	a.handle("POST /v1/review/gates/{gate}/claim", reviewers, a.claim)
	a.handle("POST /v1/review/gates/{gate}/decide", reviewers, a.decide)
	a.handle("POST /v1/review/batch", reviewers, a.batch)

	a.handle("GET /v1/ledger/checkpoint", []string{RoleAuditor}, a.checkpoint)
	a.handle("GET /v1/ledger/records", []string{RoleAuditor}, a.records)
	a.handle("GET /v1/ledger/records/{record}", []string{RoleAuditor}, a.ledgerRecord)
	a.handle("GET /v1/ledger/proof/{record}", []string{RoleAuditor}, a.proof)

	a.handle("/v1/", any, func(w http.ResponseWriter, _ *http.Request, _ Principal) error { return errNotFound })
	a.page.routes(a.mux)
	a.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, pagePrefix, http.StatusSeeOther) })
	a.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { a.fail(w, r, errNotFound) })
}

// handler is one endpoint. It answers, or gives an error that [API.fail] maps to a
// problem document.
type handler func(w http.ResponseWriter, r *http.Request, p Principal) error

// handle registers an endpoint for principals that have one of the roles. No roles:
// every principal.
func (a *API) handle(pattern string, roles []string, h handler) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		p, err := a.Tokens.Authenticate(r)
		if err != nil {
			a.fail(w, r, err)
			return
		}
		if len(roles) > 0 && !p.HasAny(roles...) {
			a.fail(w, r, errForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, int64(a.cfg.MaxBody))
		if err := h(w, r, p); err != nil {
			a.fail(w, r, err)
		}
	})
}

// ServeHTTP answers a request, whatever happens inside.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if problem.ID(r.Context()) == "" {
		problem.RequestID(http.HandlerFunc(a.serve)).ServeHTTP(w, r)
		return
	}
	a.serve(w, r)
}

func (a *API) serve(w http.ResponseWriter, r *http.Request) {
	start := a.cfg.Now()
	rec := &recorder{ResponseWriter: w}
	defer func() {
		if v := recover(); v != nil {
			if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(v)
			}
			// What a panic says may quote content; its kind is enough to find it.
			a.cfg.Log.Error("panic in a handler", slog.String("request", problem.ID(r.Context())), slog.String("route", route(r)), slog.String("kind", kindOf(v)))
			a.metrics.failClosed("panic")
			if !rec.wrote {
				problem.Write(rec, problem.Problem{Status: http.StatusInternalServerError, Code: "internal", Detail: "This is a fault of the service; its log has the request id."})
			}
		}
		a.metrics.request(route(r), rec.status, a.cfg.Now().Sub(start))
	}()
	h := rec.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if !strings.HasPrefix(r.URL.Path, pagePrefix) {
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	}
	ctx, cancel := context.WithTimeout(r.Context(), a.cfg.MaxWait+30*time.Second)
	defer cancel()
	// The pattern that the mux finds is written into the request it is given.
	r2 := r.WithContext(ctx)
	a.mux.ServeHTTP(rec, r2)
	r.Pattern = r2.Pattern
}

// route names the endpoint for metrics and logs: the pattern, never the path.
func route(r *http.Request) string {
	if r.Pattern == "" {
		return "none"
	}
	return r.Pattern
}

func kindOf(v any) string {
	if _, ok := v.(error); ok {
		return "error"
	}
	return "value"
}

// recorder remembers the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	wrote  bool
}

func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status, r.wrote = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if !r.wrote {
		r.status, r.wrote = http.StatusOK, true
	}
	return r.ResponseWriter.Write(b)
}
