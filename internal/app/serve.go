package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/errgroup"

	"github.com/stoplog/stoplog/internal/api"
	"github.com/stoplog/stoplog/internal/door"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// parts says which of the pipeline's parts a process runs. `serve` runs all.
type parts struct{ ingest, detector, egress bool }

var allParts = parts{true, true, true}

func (p parts) String() string {
	var names []string
	for _, x := range []struct {
		on   bool
		name string
	}{{p.ingest, "ingest"}, {p.detector, "detector"}, {p.egress, "egress"}} {
		if x.on {
			names = append(names, x.name)
		}
	}
	return strings.Join(names, "+")
}

// running is a started process.
type running struct {
	*system
	parts    parts
	door     *door.Door // with the ingest part
	api      *api.API   // with the egress part
	detector *detector  // with the detector part
	url      string     // of the HTTP API
	ready    atomic.Bool

	ctx    context.Context // ends when a part fails or stop is called
	cancel context.CancelFunc
	group  *errgroup.Group
	once   sync.Once
	err    error
}

// start runs the parts until stop is called, ctx ends or one of them fails.
func start(ctx context.Context, s *system, p parts, listen string) (*running, error) {
	ctx, cancel := context.WithCancel(ctx)
	group, gctx := errgroup.WithContext(ctx)
	r := &running{system: s, parts: p, ctx: gctx, cancel: cancel, group: group}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("listening: %w; is another process on that address? give another --listen", err)
	}
	r.url = "http://" + l.Addr().String()
	handler, err := r.handler()
	if err != nil {
		cancel()
		l.Close()
		return nil, err
	}
	srv := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 90 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	group.Go(func() error {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("http: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-gctx.Done()
		r.ready.Store(false)
		end, done := context.WithTimeout(context.WithoutCancel(gctx), 10*time.Second)
		defer done()
		return srv.Shutdown(end)
	})
	if err := r.recordConfiguration(gctx); err != nil {
		cancel()
		_ = group.Wait()
		return nil, err
	}
	for name, run := range r.loops() {
		group.Go(func() error {
			if err := run(gctx); err != nil && gctx.Err() == nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
	r.ready.Store(true)
	return r, nil
}

// wait gives the error that ended the process, if one did.
func (r *running) wait() error {
	r.once.Do(func() {
		r.err = r.group.Wait()
		r.cancel()
	})
	return r.err
}

// done is closed when the process should end: it was told to, or a part failed.
func (r *running) done() <-chan struct{} { return r.ctx.Done() }

// stop drains and ends the process, seals what the draining wrote, and closes the
// stores.
func (r *running) stop() error {
	r.cancel()
	err := r.wait()
	if r.parts.egress && err == nil {
		err = r.sealRest()
	}
	return errors.Join(err, r.system.close())
}

// sealRest signs over the records that the sealer did not get to any more, so that a
// ledger whose server was stopped verifies whole.
func (r *running) sealRest() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	signer, err := r.ring.Signer()
	if err != nil {
		return err
	}
	c, sealed, err := r.store.Seal(ctx, signer)
	if err != nil || !sealed || r.cfg.Stores.Postgres == "" {
		return err
	}
	return ledger.CheckpointFile(filepath.Join(r.dir, CheckpointFile))(ctx, c.Note)
}

// loops are the parts' endless functions.
func (r *running) loops() map[string]func(context.Context) error {
	s := r.system
	loops := map[string]func(context.Context) error{}
	if r.parts.ingest {
		loops["relay"] = func(ctx context.Context) error {
			return stage.Relay(ctx, stage.RelayConfig{Kafka: s.kafka, Ledger: stage.LedgerOf(s.store), Name: "relay", DeadLetter: s.deadLetter("relay"), Metrics: s.stages, Log: s.log})
		}
		if e := s.cfg.Entry; e != nil {
			entry := r.door.Entry(door.Principal{Tenant: e.Tenant, Actor: "topic:" + stage.TopicAccepted, Sources: e.Sources})
			loops["entry"] = func(ctx context.Context) error {
				return stage.Run(ctx, s.stageConfig("entry", stage.TopicAccepted), entry)
			}
		}
	}
	if r.parts.detector {
		r.detector = s.newDetector()
		loops["detector"] = func(ctx context.Context) error {
			return stage.Run(ctx, s.stageConfig("detector", stage.TopicClassified), r.detector.handle)
		}
		if s.cfg.Detection.Rules != "" {
			loops["rules"] = s.watchRules
		}
	}
	if r.parts.egress {
		c := &contexts{vault: s.vault, integrity: s.ring.Integrity(), policy: s.policy, now: s.now}
		loops["contexts"] = func(ctx context.Context) error {
			return stage.Run(ctx, s.stageConfig("contexts", stage.TopicCleared), c.handle)
		}
		tools := s.toolCalls(r.api.Gatekeeper)
		loops["tools"] = func(ctx context.Context) error {
			return stage.Run(ctx, s.stageConfig("tools", stage.TopicToolRequested), tools)
		}
		if s.citations != nil {
			loops["citations"] = func(ctx context.Context) error { return s.citations.Watch(ctx, watchRegisters, s.log) }
		}
		loops["sealer"] = s.runSealer
		loops["review"] = r.api.Queue.Run
		loops["executions"] = r.api.RunExecutions
		loops["gauges"] = s.runGauges
		loops["retention"] = s.runRetention
	}
	return loops
}

func (s *system) newDetector() *detector {
	return &detector{
		vault: s.vault, mediaType: s.mediaType, integrity: s.ring.Integrity(), scanner: &s.scanner, classifier: s.classifier, policy: s.policy,
		suspect: s.cfg.Detection.Suspect, quarantine: s.cfg.Detection.Quarantine, gateTTL: s.cfg.Review.Expires, now: s.now, metrics: s.metrics, identity: s.identity, tails: map[chunk.ID]runTail{},
	}
}

// mediaType gives the media type that a run's document was accepted under, by its
// evidence.
func (s *system) mediaType(ctx context.Context, run chunk.ID, evidence string) (string, error) {
	events, err := s.store.RunEvents(ctx, run)
	if err != nil {
		return "", err
	}
	for i := len(events) - 1; i >= 0; i-- { // the one asked for is among the last
		if events[i].Evidence != evidence {
			continue
		}
		r, err := s.store.Record(ctx, provenance.RecordID(provenance.KindAccepted, events[i].ID))
		if err != nil {
			return "", err
		}
		var a provenance.Accepted
		if err := json.Unmarshal(r.Record.Payload, &a); err != nil {
			return "", err
		}
		return a.MediaType, nil
	}
	return "", ledger.ErrNotFound
}

func (s *system) stageConfig(name, topic string) stage.Config {
	return stage.Config{
		Kafka: s.kafka, Stage: name, Topics: []string{topic}, Ledger: stage.LedgerOf(s.store), DeadLetter: s.deadLetter(name),
		Workers: s.cfg.Limits.Workers, Metrics: s.stages, Log: s.log,
	}
}

// deadLetter makes the records of a message that a stage gave up. It reads headers
// only: the value may be what killed the process.
func (s *system) deadLetter(name string) func(stage.Message, chunk.FailureID, int) ledger.Batch {
	id := func(v, prefix string) chunk.ID {
		if chunk.ValidID(v, prefix) {
			return chunk.ID(v)
		}
		return ""
	}
	return func(m stage.Message, reason chunk.FailureID, attempts int) ledger.Batch {
		var event, run chunk.ID
		tenant := s.cfg.Tenant
		if name == "detector" || name == "contexts" || name == "relay" { // what lies there, a stage wrote; elsewhere anyone's header could name anyone's run
			event, run, tenant = id(m.Headers["ce_subject"], "evt"), id(m.Headers["ce_"+stage.ExtRun], "run"), m.Headers["ce_"+stage.ExtTenant]
		}
		if run != "" { // a record about another tenant's run would be refused, and the message held for ever
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			if r, err := s.store.Run(ctx, run); err == nil {
				tenant = r.Tenant
			}
			cancel()
		}
		if tenant == "" || len(tenant) > 64 || strings.ContainsFunc(tenant, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
			tenant = s.cfg.Tenant
		}
		rec := func(kind provenance.Kind, subject chunk.ID, payload any) provenance.Record {
			return provenance.Record{
				ID: provenance.RecordID(kind, subject, name, m.Position()), Schema: provenance.SchemaVersion, Time: s.now().UTC(), Kind: kind, Tenant: tenant,
				Run: run, Subject: subject, Actor: "stage:" + name, Policy: s.policy, Failure: reason, Payload: mustJSON(payload),
			}
		}
		b := ledger.Batch{Records: []provenance.Record{rec(provenance.KindDeadLetter, event, provenance.DeadLetter{
			EventID: event, Stage: name, Reason: reason, Attempts: attempts, Position: m.Position(),
		})}}
		if reason == chunk.FailIntegrity {
			b.Records = append(b.Records, rec(provenance.KindIntegrityAlarm, event, provenance.IntegrityAlarm{Stage: name, Position: m.Position(), Check: "attribution"}))
		}
		if run != "" && reason != chunk.FailErased {
			b.Records = append(b.Records, rec(provenance.KindRunIncomplete, run, provenance.RunChanged{RunID: run, FailureID: reason}))
		}
		return b
	}
}

// recordConfiguration writes a record when the configuration or the rules in force are
// others than the last ones recorded. Several processes that start together write one.
func (r *running) recordConfiguration(ctx context.Context) error {
	var last ledger.Sealed
	f := ledger.RecordFilter{Kind: provenance.KindConfigChanged, Limit: 1000}
	for {
		rs, err := r.store.Records(ctx, f)
		if err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
		if len(rs) == 0 {
			break
		}
		last, f.After = rs[len(rs)-1], rs[len(rs)-1].N
	}
	if last.Record.Policy == r.policy {
		return nil
	}
	_, err := r.store.Append(ctx, ledger.Batch{Records: []provenance.Record{{
		ID: provenance.RecordID(provenance.KindConfigChanged, "", r.policy, string(last.Record.ID)), Schema: provenance.SchemaVersion, Time: r.now().UTC(),
		Kind: provenance.KindConfigChanged, Tenant: r.cfg.Tenant, Actor: "process:" + r.parts.String(), Policy: r.policy,
		Payload: mustJSON(provenance.ConfigChanged{Previous: last.Record.Policy, Current: r.policy}),
	}}})
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// runSealer signs a checkpoint at least once a second while records come in, and
// copies each outside the database: to a file that is only appended to, and to a
// topic. What an insider does to the database cannot reach both.
func (s *system) runSealer(ctx context.Context) error {
	signer, err := s.ring.Signer()
	if err != nil {
		return err
	}
	keep := ledger.CheckpointFile(filepath.Join(s.dir, CheckpointFile))
	w := stage.NewWriter(s.kafka)
	defer w.Close()
	return s.store.RunSealer(ctx, signer, 500*time.Millisecond, func(ctx context.Context, checkpoint []byte) error {
		if s.cfg.Stores.Postgres != "" { // else the ledger wrote it there itself
			if err := keep(ctx, checkpoint); err != nil {
				return err
			}
		}
		s.metrics.sealLag.Set(float64(s.now().Unix()))
		// The topic is the second copy. While Kafka is away the file still gets every
		// checkpoint; one that the topic lacks is covered by the next one it gets.
		wctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		if err := stage.Write(wctx, w, ledger.Outgoing{Topic: stage.TopicCheckpoints, Key: "checkpoint", Value: checkpoint,
			Headers: map[string]string{"content-type": "text/plain; charset=utf-8"}}); err != nil && ctx.Err() == nil {
			s.log.Warn("a checkpoint did not get to its topic; the file has it", slog.Any("error", err))
		}
		return nil
	})
}

// copyCut records that the file of checkpoints ended before the database did, which no
// crash does: somebody cut it. The ledger has filled it up again.
func (s *system) copyCut(ctx context.Context, from, to int64) {
	s.log.Error("the file of checkpoints was cut or taken away; it is filled up from the ledger, and the alarm is recorded",
		slog.String("file", CheckpointFile), slog.Int64("ends_at", from), slog.Int64("ledger_at", to))
	s.metrics.alarms.WithLabelValues("checkpoints-cut").Inc()
	at := fmt.Sprintf("%d/%d", from, to)
	if _, err := s.store.Append(context.WithoutCancel(ctx), ledger.Batch{Records: []provenance.Record{{
		ID: provenance.RecordID(provenance.KindIntegrityAlarm, "", CheckpointFile, at), Schema: provenance.SchemaVersion, Time: s.now().UTC(),
		Kind: provenance.KindIntegrityAlarm, Tenant: s.cfg.Tenant, Actor: "process:sealer", Policy: s.policy,
		Payload: mustJSON(provenance.IntegrityAlarm{Stage: "sealer", Position: CheckpointFile + "@" + at, Check: "checkpoint-copy"}),
	}}}); err != nil {
		s.log.Error("the alarm could not be recorded", slog.Any("error", err))
	}
}

// CheckpointFile is the append-only copy of every signed checkpoint, in the data
// directory.
const CheckpointFile = "checkpoints.log"

// health answers what every part answers: alive, ready, metrics.
func (r *running) health(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, req *http.Request) {
		ctx, cancel := context.WithTimeout(req.Context(), 3*time.Second)
		defer cancel()
		checks := map[string]string{}
		ok := r.ready.Load()
		for name, ping := range map[string]func(context.Context) error{
			"ledger": r.store.Ping, "evidence": r.vault.Ping, "cache": r.runs.Ping, "broker": r.kafka.Ping,
		} {
			if err := ping(ctx); err != nil {
				checks[name], ok = "unavailable", false
			} else {
				checks[name] = "ok"
			}
		}
		if !ok {
			problem.Write(w, problem.Problem{Status: http.StatusServiceUnavailable, Code: "not-ready", Detail: "A part that decisions need is away; the checks say which.",
				Retryable: true, RetryAfter: 2 * time.Second, Members: map[string]any{"checks": checks}})
			return
		}
		problem.OK(w, map[string]any{"checks": checks, "parts": r.parts.String()})
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(r.metrics.registry, promhttp.HandlerOpts{}))
}
