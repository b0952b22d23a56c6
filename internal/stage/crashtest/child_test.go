//go:build unix

package crashtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// childEnv makes the test binary the pipeline.
const childEnv = "STOPLOG_CRASH_CHILD"

// The points of the door; those of stage and relay have names of their own.
const (
	doorAfterVault  = "door-after-vault"
	doorAfterLedger = "door-after-ledger-before-202"
)

// plan tells a child what to be and where to die.
type plan struct {
	Kafka    string
	Prefix   string // of topics and groups
	SQLite   string // path, or:
	Postgres string // a writer's URL
	Vault    string // directory
	Session  time.Duration

	Point string // empty: live
	After int64  // the how-manieth time at the point kills
	Order stage.TestOrder

	Killer string // the message with this value kills whoever decides about it
}

func (p plan) topic(name string) string { return p.Prefix + name }
func (p plan) group(name string) string { return p.Prefix + "group." + name }

func (p plan) open(ctx context.Context) (*ledger.Store, error) {
	if p.Postgres != "" {
		return ledger.OpenPostgres(ctx, p.Postgres)
	}
	return ledger.OpenSQLite(ctx, p.SQLite)
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		var p plan
		err := json.Unmarshal([]byte(text), &p)
		if err == nil {
			err = p.child()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func eventOf(i int) chunk.ID { return chunk.EventID("default", "crash", strconv.Itoa(i)) }

// child is the pipeline. It reads numbers on standard input, accepts each, and
// answers "202 N" on standard output. The end of the input stops it cleanly.
func (p plan) child() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	store, err := p.open(ctx)
	if err != nil {
		return err
	}
	var passed atomic.Int64
	hook := func(point string) {
		if point == p.Point && passed.Add(1) == p.After {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way; nothing more may happen here
		}
	}
	logTo := io.Discard
	if os.Getenv("STOPLOG_TEST_LOG") != "" {
		logTo = os.Stderr
	}
	log := slog.New(slog.NewTextHandler(logTo, nil)).With("pid", os.Getpid())
	base := stage.Config{
		Kafka: stage.Kafka{Brokers: []string{p.Kafka}}, Ledger: stage.LedgerOf(store),
		Tiers: []stage.Tier{{Topic: p.topic("retry"), Delay: 100 * time.Millisecond}}, DeadLetterTopic: p.topic("dead"),
		DeadLetter: deadLetter,
		Workers:    8, BatchSize: 16, CommitEvery: 5 * time.Millisecond,
		SessionTimeout: p.Session, RebalanceTimeout: p.Session, Heartbeat: p.Session / 8, JoinBackoff: 50 * time.Millisecond,
		Log: log,
	}
	detector, contexts := base, base
	detector.Stage, detector.Group, detector.Topics = "detector", p.group("detector"), []string{p.topic("in")}
	detector.TestHook, detector.TestOrder = hook, p.Order
	contexts.Stage, contexts.Group, contexts.Topics = "context", p.group("context"), []string{p.topic("out")}

	var running sync.WaitGroup
	errs := make(chan error, 3)
	running.Go(func() { errs <- stage.Run(ctx, detector, p.detect) })
	running.Go(func() { errs <- stage.Run(ctx, contexts, clear) })
	running.Go(func() {
		errs <- stage.Relay(ctx, stage.RelayConfig{Kafka: base.Kafka, Ledger: base.Ledger, Every: 200 * time.Millisecond, Batch: 16, TestHook: hook, Log: log})
	})

	var door sync.WaitGroup
	var out sync.Mutex
	ids := make(chan int)
	for range 4 {
		door.Go(func() {
			for i := range ids {
				if err := p.accept(ctx, store, i, hook); err != nil {
					log.Error("not accepted", "error", err.Error()) // no 202: the sender comes again
					continue
				}
				out.Lock()
				fmt.Println("202", i)
				out.Unlock()
			}
		})
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		i, err := strconv.Atoi(in.Text())
		if err != nil {
			return err
		}
		ids <- i
	}
	close(ids)
	door.Wait()
	cancel()
	running.Wait()
	close(errs)
	for e := range errs {
		err = errors.Join(err, e)
	}
	return errors.Join(err, store.Close())
}

// accept is the door in small: the evidence, then records and outbox row in one
// transaction, then 202.
func (p plan) accept(ctx context.Context, store *ledger.Store, i int, hook func(string)) error {
	event := eventOf(i)
	run := chunk.NewID("run", strconv.Itoa(i%16))
	f, err := os.OpenFile(filepath.Join(p.Vault, string(event)), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, i)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	hook(doorAfterVault)
	_, err = store.Append(ctx, ledger.Batch{
		Event: &ledger.Event{ID: event, Run: run, Scope: run, Tenant: "default", Source: "crash", Evidence: "ev://" + string(event), Chunks: 1, Received: time.Now()},
		Records: []provenance.Record{
			record(provenance.KindAccepted, event, event, run, provenance.Accepted{EventID: event, SourceID: "crash", ChunkCount: 1}),
			record(provenance.KindClassified, event, event, run, provenance.Classified{EventID: event, SourceID: "crash", DataClass: chunk.Internal}),
		},
		Outbox: []ledger.Outgoing{{Topic: p.topic("in"), Key: string(run), Headers: map[string]string{"ce_id": string(event)}, Value: []byte(strconv.Itoa(i))}},
	})
	if err != nil {
		return err
	}
	hook(doorAfterLedger)
	return nil
}

// detect decides at random, and now and then slowly, so that messages finish out of
// order; in a control often, so that its fault shows.
func (p plan) detect(_ context.Context, m stage.Message) (stage.Step, error) {
	if p.Killer != "" && string(m.Value) == p.Killer {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
	slow, d := 8, 20*time.Millisecond
	if p.Order != stage.TestOrderRight {
		slow, d = 3, 60*time.Millisecond
	}
	if rand.IntN(slow) == 0 {
		time.Sleep(d)
	}
	event, run := chunk.ID(m.Headers["ce_id"]), chunk.ID(m.Key)
	id := chunk.ChunkID(event, 0)
	rec := record(provenance.KindScanned, provenance.ScanID(id), id, run, provenance.Scanned{RunID: run, ChunkID: id, ConfidenceBand: chunk.BandHigh})
	if rand.IntN(2) == 0 {
		rec = record(provenance.KindInjectionHit, provenance.ScanID(id), id, run, provenance.InjectionHit{
			RunID: run, ChunkID: id, PatternMatched: "undecided", Disposition: "quarantine"})
	}
	return stage.Step{
		Batch: ledger.Batch{Records: []provenance.Record{rec}},
		Emit: func(a ledger.Appended) ([]ledger.Outgoing, error) {
			return []ledger.Outgoing{{Topic: p.topic("out"), Key: m.Key, Headers: map[string]string{"ce_id": string(event), "verdict": string(a.Records[0].Kind)}, Value: m.Value}}, nil
		},
	}, nil
}

// clear is the effect downstream: the final disposition of what was published as
// clean.
func clear(_ context.Context, m stage.Message) (stage.Step, error) {
	if m.Headers["verdict"] != string(provenance.KindScanned) {
		return stage.Step{}, nil
	}
	event := chunk.ID(m.Headers["ce_id"])
	id := chunk.ChunkID(event, 0)
	return stage.Step{Batch: ledger.Batch{Records: []provenance.Record{
		record(provenance.KindCleared, provenance.EndID(id), id, chunk.ID(m.Key), provenance.ChunkEnded{ChunkID: id, EventID: event, Disposition: chunk.Cleared}),
	}}}, nil
}

func deadLetter(m stage.Message, reason chunk.FailureID, attempts int) ledger.Batch {
	event := chunk.ID(m.Headers["ce_id"])
	return ledger.Batch{Records: []provenance.Record{
		record(provenance.KindDeadLetter, event, event, chunk.ID(m.Key), provenance.DeadLetter{EventID: event, Stage: "crash", Reason: reason, Attempts: attempts, Position: m.Position()}),
	}}
}

// record makes a record; an id that is no record's own is what it is about.
func record(kind provenance.Kind, id, subject, run chunk.ID, payload any) provenance.Record {
	if id.Prefix() != "rec" {
		id = provenance.RecordID(kind, id)
	}
	b, err := provenance.EncodePayload(payload)
	if err != nil {
		panic(err)
	}
	return provenance.Record{ID: id, Schema: provenance.SchemaVersion, Time: time.Now().UTC(), Kind: kind, Tenant: "default", Run: run, Subject: subject, Actor: "stage:crash", Payload: b}
}
