package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"path/filepath"

	"github.com/stoplog/stoplog/internal/api"
	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/door"
	"github.com/stoplog/stoplog/internal/fetch"
	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

// handler is the HTTP side of the parts that this process runs.
func (r *running) handler() (http.Handler, error) {
	mux := http.NewServeMux()
	r.health(mux)
	if r.parts.ingest {
		d, err := r.newDoor()
		if err != nil {
			return nil, err
		}
		hooks, err := door.Hooks(r.cfg.Sources, r.cfg.Secret)
		if err != nil {
			return nil, err
		}
		d.Register(mux, door.HTTPConfig{Tenant: r.cfg.Tenant, Hooks: hooks, Authenticate: r.senders})
		r.door = d
	}
	if r.parts.egress {
		a, err := r.newAPI(r.door)
		if err != nil {
			return nil, err
		}
		mux.Handle("/", a)
		r.api = a
	}
	return problem.RequestID(mux), nil
}

func (s *system) newDoor() (*door.Door, error) {
	cfg := door.Config{
		Store: s.store, Vault: s.vault, Classifier: s.classifier, PolicyHash: s.policy, Integrity: s.ring.Integrity(), IDKeys: s.ring.IDs(),
		Clock: s.now, GateTTL: s.cfg.Review.Expires, ChunkBytes: s.cfg.Limits.ChunkBytes,
		Limits: door.Limits{BodyBytes: s.cfg.Limits.BodyBytes}, Metrics: s.metrics.registry,
	}
	if s.identity {
		cfg.TestClassify = func(classify.Input) classify.Result { return classify.Result{Class: chunk.Internal} }
	}
	return door.New(cfg)
}

// senders says who may send to the door.
func (s *system) senders(r *http.Request) (door.Principal, error) {
	p, err := s.tokens.Authenticate(r)
	if err != nil {
		return door.Principal{}, err
	}
	if !p.HasAny(api.RoleConnector, api.RoleAdmin) {
		return door.Principal{}, errors.New("not a connector")
	}
	return door.Principal{Tenant: p.Tenant, Actor: p.Actor(), Sources: p.Sources, Operator: p.Has(api.RoleAdmin)}, nil
}

// newAPI makes the egress side: contexts, guard, review queue and page, ledger.
// in is the process's door, if it has one.
func (s *system) newAPI(in *door.Door) (*api.API, error) {
	execution, err := s.execution(in)
	if err != nil {
		return nil, fmt.Errorf("execution: %w", err)
	}
	var trusted []string
	if s.cfg.Execution != nil {
		trusted = s.cfg.Execution.Trusted
	}
	// The cookies of the review page are signed under a key of their own, made from the
	// id key: every process of the deployment knows it, and a restart signs nobody out.
	session := hmac.New(sha256.New, s.ring.ID())
	session.Write([]byte("stoplog/review-session/1"))
	fourEyes := s.cfg.Review.FourEyes == nil || *s.cfg.Review.FourEyes
	return api.New(api.Config{
		Store: s.store, Vault: s.vault, Runs: s.runs, Classifier: s.classifier, Guard: s.guard, Detector: s.scanner.Load, Integrity: s.ring.Integrity(),
		Tokens: tokens(s.cfg), Policy: func() string { return s.policy }, Now: s.now, Log: s.log, Metrics: s.metrics.registry,
		Lease: s.cfg.Review.Lease, Expires: s.cfg.Review.Expires, FourEyes: fourEyes, SessionKey: session.Sum(nil), Citations: s.citations,
		TrustedHosts: trusted, Execution: execution,
	})
}

// execution makes what carries declared operations out; nil: the configuration has none.
// Its results enter by the process's own door, or by one that it makes for them.
func (s *system) execution(in *door.Door) (*api.Execution, error) {
	x := s.cfg.Execution
	if x == nil {
		return nil, nil
	}
	out := &api.Execution{Source: x.Source, Services: map[string]fetch.Endpoint{}, PerMinute: x.PerMinute, Total: x.Total}
	limits := fetch.Limits{Timeout: x.Network, Bytes: x.Bytes, Redirects: x.Redirects, Domains: x.Domains}
	for i, n := range x.Networks {
		p, err := netip.ParsePrefix(n)
		if err != nil {
			return nil, fmt.Errorf("deny_networks[%d]: want a block such as 192.0.2.0/24", i)
		}
		limits.Networks = append(limits.Networks, p.Masked())
	}
	var err error
	if out.Client, err = fetch.New(limits, s.outside); err != nil {
		return nil, err
	}
	endpoint := func(name string, e config.Endpoint) (fetch.Endpoint, error) {
		out := fetch.Endpoint{Template: e.URL}
		if err := out.Check(); err != nil {
			return out, fmt.Errorf("%s: %w", name, err)
		}
		if e.Authorization == "" {
			return out, nil
		}
		var err error
		if out.Authorization, err = s.cfg.Secret(e.Authorization); err != nil {
			return out, fmt.Errorf("%s: %w", name, err)
		}
		return out, nil
	}
	if x.Search != nil {
		e, err := endpoint("search", *x.Search)
		if err != nil {
			return nil, err
		}
		out.Search = &e
	}
	for name, e := range x.Services {
		if out.Services[name], err = endpoint("services."+name, e); err != nil {
			return nil, err
		}
	}
	if x.Workspace != "" {
		dir := x.Workspace
		if !filepath.IsAbs(dir) && s.cfg.Path() != "" {
			dir = filepath.Join(filepath.Dir(s.cfg.Path()), dir)
		}
		if out.Workspace, err = fetch.OpenWorkspace(dir, x.Bytes, x.File); err != nil {
			return nil, err
		}
		s.onClose(out.Workspace.Close)
	}
	if in == nil {
		if in, err = s.newDoor(); err != nil {
			return nil, err
		}
	}
	out.Accept = in.Accept
	return out, nil
}

func tokens(cfg *config.Config) []api.Token {
	out := make([]api.Token, len(cfg.Tokens))
	for i, t := range cfg.Tokens {
		out[i] = api.Token{Name: t.Name, Tenant: t.Tenant, Roles: t.Roles, Sources: t.Sources, SHA256: t.SHA256}
	}
	return out
}
