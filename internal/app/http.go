package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/door"
	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/pkg/chunk"
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
	return problem.RequestID(mux), nil
}

func (s *system) newDoor() (*door.Door, error) {
	return door.New(door.Config{
		Store: s.store, Vault: s.vault, Classifier: s.classifier, PolicyHash: s.policy, Integrity: s.ring.Integrity(), IDKeys: s.ring.IDs(),
		RunChanged: func(ctx context.Context, run chunk.ID) error { return s.runs.Invalidate(ctx, run) },
		Clock:      s.now, GateTTL: s.cfg.Review.Expires, ChunkBytes: s.cfg.Limits.ChunkBytes,
		Limits: door.Limits{BodyBytes: s.cfg.Limits.BodyBytes}, Metrics: s.metrics.registry,
	})
}

var errToken = errors.New("unknown token")

// token finds the token of a request. Tokens are looked up by their hash, so that
// how long it takes tells nothing of a token.
func (s *system) token(r *http.Request) (config.Token, error) {
	scheme, value, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || value == "" {
		return config.Token{}, errToken
	}
	sum := sha256.Sum256([]byte(value))
	t, ok := s.tokens[hex.EncodeToString(sum[:])]
	if !ok {
		return config.Token{}, errToken
	}
	return t, nil
}

// senders says who may send to the door.
func (s *system) senders(r *http.Request) (door.Principal, error) {
	t, err := s.token(r)
	if err != nil {
		return door.Principal{}, err
	}
	if !slices.Contains(t.Roles, "connector") && !slices.Contains(t.Roles, "admin") {
		return door.Principal{}, fmt.Errorf("%w: not a connector", errToken)
	}
	return door.Principal{Tenant: t.Tenant, Actor: "token:" + t.Name, Sources: t.Sources, Operator: slices.Contains(t.Roles, "admin")}, nil
}
