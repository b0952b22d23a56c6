package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stoplog/stoplog/internal/citations"
	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/outbound"
	"github.com/stoplog/stoplog/pkg/cite"
)

// watchRegisters is how often registers of citations are looked at for changes.
const watchRegisters = 10 * time.Second

// newCitations makes what checks citations as the configuration says; nil, where it
// declares no kinds. allow and metrics may be nil.
func newCitations(cfg *config.Config, allow func(context.Context, string, int) (bool, error), metrics prometheus.Registerer) (*citations.Checker, error) {
	c := cfg.Citations
	if len(c.Kinds) == 0 {
		return nil, nil
	}
	set, err := cite.Compile(c.Kinds)
	if err != nil {
		return nil, err
	}
	return citations.New(set, citations.Options{
		PerText: c.PerText, Timeout: c.Timeout, Cache: c.Cache, PerMinute: c.PerMinute,
		Open: func(name, have string) (citations.File, error) { return registerFile(cfg.File(name), have) }, Secret: cfg.Secret,
		HTTP: outbound.Client(outbound.Options{Timeout: 5 * time.Second}), Allow: allow, Metrics: metrics,
	})
}

// registerFile reads a register. Its version is told by time and size, as editors and
// exports change them.
func registerFile(path, have string) (citations.File, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return citations.File{}, err
	}
	if !fi.Mode().IsRegular() {
		return citations.File{}, errors.New(path + " is no file")
	}
	version := fmt.Sprint(fi.ModTime().UnixNano(), " ", fi.Size())
	if version == have {
		return citations.File{Version: version}, nil
	}
	b, err := os.ReadFile(path)
	return citations.File{Content: b, Version: version}, err
}
