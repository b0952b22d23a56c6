package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/stage"
)

// Options start a whole pipeline inside another program: a test, a benchmark.
type Options struct {
	Data   string // data directory
	Config *config.Config
	Listen string       // host:port; port 0 takes a free one
	Log    *slog.Logger // nil: discarded
	// Identity makes the same durable writes and decides nothing: every document is
	// internal and clean. It is what throughput is compared with, and never more.
	Identity bool
}

// Pipeline is a started pipeline.
type Pipeline struct{ r *running }

// Start starts every part in this process.
func Start(ctx context.Context, o Options) (*Pipeline, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s, err := openSystem(ctx, o.Config, o.Data, o.Log)
	if err != nil {
		return nil, err
	}
	s.identity = o.Identity
	r, err := start(ctx, s, allParts, o.Listen)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return &Pipeline{r}, nil
}

// URL is the address of the HTTP API.
func (p *Pipeline) URL() string { return p.r.url }

// Brokers are the Kafka bootstrap addresses.
func (p *Pipeline) Brokers() []string { return p.r.kafka.Brokers }

// Kafka says how to reach those brokers, the embedded one's password included.
func (p *Pipeline) Kafka() stage.Kafka { return p.r.kafka }

// Stop drains, stops and closes everything.
func (p *Pipeline) Stop() error { return p.r.stop() }

// ApplyTopics makes the declared topics on a real Kafka, as `stoplog topics apply` does.
func ApplyTopics(ctx context.Context, brokers []string) error {
	_, err := applyTopics(ctx, stage.Kafka{Brokers: brokers}, 1)
	return err
}
