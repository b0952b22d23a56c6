package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go/sasl/plain"

	"github.com/stoplog/stoplog/internal/api"
	"github.com/stoplog/stoplog/internal/broker"
	"github.com/stoplog/stoplog/internal/citations"
	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/fetch"
	"github.com/stoplog/stoplog/internal/keys"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/runstate"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/detect"
	"github.com/stoplog/stoplog/pkg/guard"
)

// system is what every part of a deployment needs, opened: the deciders, the keys,
// the stores and the way to Kafka. What the configuration does not name is embedded
// in the data directory.
type system struct {
	cfg     *config.Config
	dir     string
	log     *slog.Logger
	metrics *metrics

	ring       *keys.Keyring
	store      *ledger.Store
	vault      *evidence.Vault
	runs       *runstate.Cache
	kafka      stage.Kafka
	stages     *stage.Metrics
	classifier *classify.Classifier
	guard      *guard.Guard
	scanner    atomic.Pointer[detect.Detector]
	citations  *citations.Checker // nil: no kinds are declared
	policy     string             // hash of configuration and rules
	tokens     *api.Tokens
	identity   bool          // benchmarks only: decide nothing
	outside    fetch.Network // of controlled execution; tests have one of their own

	embedded []string // parts that run inside this process, for people
	closers  []func() error
}

// openSystem opens everything, in the order in which things depend on each other.
// What it opened is closed again when a later part fails.
func openSystem(ctx context.Context, cfg *config.Config, dir string, log *slog.Logger) (_ *system, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	s := &system{cfg: cfg, dir: dir, log: log, metrics: newMetrics()}
	if s.tokens, err = api.NewTokens(tokens(cfg)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = s.close()
		}
	}()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	if err := s.lock(); err != nil {
		return nil, err
	}
	if err := s.compile(); err != nil {
		return nil, err
	}
	if err := s.openKeys(); err != nil {
		return nil, err
	}
	for _, open := range []func(context.Context) error{s.openLedger, s.openVault, s.openRedis, s.openKafka} {
		if err := open(ctx); err != nil {
			return nil, err
		}
	}
	if s.citations, err = newCitations(cfg, s.runs.Allow, s.metrics.registry); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *system) onClose(f func() error) { s.closers = append(s.closers, f) }

// close closes what is open, the last opened first.
func (s *system) close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		if err := s.closers[i](); err != nil {
			errs = append(errs, err)
		}
	}
	s.closers = nil
	return errors.Join(errs...)
}

// lock keeps a second process out of a data directory that holds embedded stores:
// each of them would be written by two masters.
func (s *system) lock() error {
	f, err := os.OpenFile(filepath.Join(s.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return fmt.Errorf("%s is in use by another stoplog process; stop it, or give another --data", s.dir)
	}
	s.onClose(f.Close) // closing gives the lock back
	return nil
}

// compile makes the deciders and the policy hash that records carry.
func (s *system) compile() error {
	rules, digest, err := loadRules(s.cfg.Detection.Rules)
	if err != nil {
		return err
	}
	d, err := detect.Compile(rules, detect.Options{})
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	s.scanner.Store(d)
	s.metrics.ruleset.WithLabelValues(digest).Set(1)
	if s.classifier, err = classify.Compile(s.cfg.Sources, classify.Options{}); err != nil {
		return fmt.Errorf("sources: %w", err)
	}
	operations := guard.DefaultOperations
	if x := s.cfg.Execution; x != nil && x.Workspace != "" {
		operations = slices.Concat(operations, guard.FileOperations)
	}
	if s.guard, err = guard.Compile(s.cfg.Tools, guard.Options{Recognise: s.classifier.Recognise, ClassOf: classify.ClassOf, Sinks: s.cfg.Sinks, Operations: operations}); err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	s.policy = policyHash(s.cfg.Hash(), digest)
	return nil
}

func (s *system) openKeys() (err error) {
	dir := s.cfg.Stores.Keys
	if dir == "env" {
		s.ring, err = keys.Load("", os.Environ())
		return err
	}
	if dir == "" {
		dir = filepath.Join(s.dir, "keys")
		// Keys are made with the data directory and never again: a key that is made anew
		// in the place of a lost one would forget which runs are contaminated (ids), whom
		// to trust (integrity) and how to open what is stored.
		if !exists(filepath.Join(s.dir, ledgerFile)) {
			if err := keys.Generate(dir); err != nil {
				return err
			}
		}
	}
	if s.ring, err = keys.Load(dir, os.Environ()); err != nil {
		return fmt.Errorf("%w; the data in %s was made with the keys in %s: bring them back from a backup", err, s.dir, dir)
	}
	if _, err := s.ring.Signer(); err != nil && s.cfg.Stores.Keys == "" {
		return fmt.Errorf("%w; bring %s back from a backup", err, filepath.Join(dir, "ledger-1.key"))
	}
	return nil
}

func (s *system) openLedger(ctx context.Context) (err error) {
	if s.cfg.Stores.Postgres == "" {
		s.embedded = append(s.embedded, "SQLite ledger")
		if s.store, err = ledger.OpenSQLite(ctx, filepath.Join(s.dir, ledgerFile)); err == nil {
			s.store.KeepCheckpoints(filepath.Join(s.dir, CheckpointFile), s.copyCut)
		}
	} else {
		var dsn string
		if dsn, err = s.cfg.Secret(s.cfg.Stores.Postgres); err == nil {
			s.store, err = ledger.OpenPostgres(ctx, dsn)
		}
	}
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	s.onClose(s.store.Close)
	return nil
}

func (s *system) openVault(ctx context.Context) (err error) {
	var ks *evidence.KeyStore
	if s.cfg.Stores.Postgres == "" {
		ks, err = evidence.OpenKeysSQLite(ctx, filepath.Join(s.dir, "keys.db"))
	} else {
		var dsn string
		if dsn, err = s.cfg.Secret(s.cfg.Stores.Postgres); err == nil {
			ks, err = evidence.OpenKeysPostgres(ctx, dsn)
		}
	}
	if err != nil {
		return fmt.Errorf("key store: %w", err)
	}
	where := s.cfg.Stores.Evidence
	var blobs evidence.Blobs
	switch {
	case strings.Contains(where, "://"):
		blobs, err = evidence.OpenBucket(ctx, where)
	default:
		if where == "" {
			where = filepath.Join(s.dir, "evidence")
			s.embedded = append(s.embedded, "file vault")
		}
		blobs, err = evidence.OpenFiles(where)
	}
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	s.vault = evidence.New(ks, blobs, s.ring, evidence.Options{})
	s.onClose(s.vault.Close)
	// With a wrong key-encryption key nothing stored would open again: it must be known
	// before anything is accepted.
	if err := s.vault.Ping(ctx); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	return nil
}

func (s *system) openRedis(ctx context.Context) (err error) {
	var url string
	if s.cfg.Stores.Redis == "" {
		var stop func()
		if url, stop, err = runstate.StartEmbedded(ctx); err != nil {
			return fmt.Errorf("embedded run cache: %w", err)
		}
		s.onClose(func() error { stop(); return nil })
		s.embedded = append(s.embedded, "run cache")
	} else if url, err = s.cfg.Secret(s.cfg.Stores.Redis); err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	if s.runs, err = runstate.New(runstate.Options{URL: url}, s.loadRun); err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	s.onClose(s.runs.Close)
	return nil
}

// loadRun is where the cache gets what it does not have: the ledger.
func (s *system) loadRun(ctx context.Context, id chunk.ID) (runstate.State, error) {
	r, err := s.store.Run(ctx, id)
	if err != nil {
		return runstate.State{}, err
	}
	return runstate.State{Class: r.Class, Halted: r.Halted, Ended: r.Ended, Incomplete: r.Incomplete, Pending: r.Pending}, nil
}

func (s *system) openKafka(ctx context.Context) error {
	if len(s.cfg.Stores.Kafka) > 0 {
		s.kafka = stage.Kafka{Brokers: s.cfg.Stores.Kafka}
	} else {
		// Not the caller's context: the broker outlives the stages that drain into it.
		password, err := config.BrokerPassword(s.dir)
		if err != nil {
			return fmt.Errorf("embedded broker: %w", err)
		}
		b, err := broker.Start(context.WithoutCancel(ctx), broker.Options{
			Dir: filepath.Join(s.dir, "broker"), Log: s.log, Password: password,
			OnAlarm: func(a broker.Alarm) { s.metrics.alarms.WithLabelValues(a.Kind).Inc() },
		})
		if err != nil {
			return fmt.Errorf("embedded broker: %w", err)
		}
		s.onClose(func() error { b.Close(); return nil })
		s.embedded = append(s.embedded, "Kafka broker")
		s.kafka = stage.Kafka{Brokers: []string{b.Addr()}, SASL: plain.Mechanism{Username: broker.User, Password: password}}
		if _, err := applyTopics(ctx, s.kafka, 1); err != nil {
			return err
		}
	}
	s.stages = stage.NewMetrics(s.metrics.registry)
	return nil
}

func (s *system) now() time.Time { return time.Now() }
