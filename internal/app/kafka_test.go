package app

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// pipeline starts the starter configuration in a fresh directory.
func pipeline(t *testing.T, change func(*config.Config)) (*Pipeline, string) {
	t.Helper()
	dir := t.TempDir()
	path, err := config.WriteStarter(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(cfg)
	}
	p, err := Start(context.Background(), Options{Data: dir, Config: cfg, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p, dir
}

func produce(t *testing.T, p *Pipeline, topic string, e stage.Event, data string) {
	t.Helper()
	h, err := e.Headers()
	if err != nil {
		t.Fatal(err)
	}
	w := stage.NewWriter(p.r.kafka)
	defer w.Close()
	if err := stage.Write(context.Background(), w, ledger.Outgoing{Topic: topic, Key: e.ID, Headers: h, Value: []byte(data)}); err != nil {
		t.Fatal(err)
	}
}

// consume reads a topic until f is content.
func consume(t *testing.T, p *Pipeline, topic string, f func(h map[string]string, value []byte) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	found := make(chan struct{})
	for i := range 6 {
		go func() {
			r := kafka.NewReader(kafka.ReaderConfig{Brokers: p.Brokers(), Dialer: &kafka.Dialer{SASLMechanism: p.Kafka().SASL}, Topic: topic, Partition: i, MinBytes: 1, MaxBytes: 1 << 20, MaxWait: 100 * time.Millisecond})
			defer r.Close()
			for {
				m, err := r.ReadMessage(ctx)
				if err != nil {
					return
				}
				h := map[string]string{}
				for _, x := range m.Headers {
					h[x.Key] = string(x.Value)
				}
				if f(h, m.Value) {
					select {
					case found <- struct{}{}:
					case <-ctx.Done():
					}
					return
				}
			}
		}()
	}
	select {
	case <-found:
	case <-ctx.Done():
		t.Fatalf("nothing fitting came on %s", topic)
	}
}

// SPEC: EGR-7, EGR-1, CLS-4, CLS-7, PRV-4
//
// Content comes in from a Kafka topic and tool calls are decided over Kafka: the same
// doors and the same guard as over HTTP.
func TestContentAndToolCallsOverKafka(t *testing.T) {
	p, _ := pipeline(t, func(c *config.Config) { c.Entry = &config.Entry{Tenant: "default", Sources: []string{"web"}} })
	ctx := context.Background()
	store := p.r.store

	produce(t, p, stage.TopicAccepted, stage.Event{ID: "page-1", Source: "web", Type: "page.fetched", ContentType: "text/plain"}, "The museum opens at nine on weekdays.")
	produce(t, p, stage.TopicAccepted, stage.Event{ID: "page-1", Source: "web", Type: "page.fetched", ContentType: "text/plain"}, "The museum opens at nine on weekdays.")
	produce(t, p, stage.TopicAccepted, stage.Event{ID: "other-1", Source: "booking", Type: "inquiry", ContentType: "application/json"}, `{}`) // not granted
	event := chunk.EventID("default", "web", "page-1")
	run := chunk.EventRun(event)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		cs, err := store.RunChunks(ctx, run)
		if err == nil && len(cs) == 1 && cs[0].Disposition == chunk.Cleared {
			break
		}
		if err != nil && !errors.Is(err, ledger.ErrNotFound) || time.Now().After(deadline) {
			t.Fatalf("not cleared: %v %v", cs, err)
		}
	}
	if es, err := store.RunEvents(ctx, run); err != nil || len(es) != 1 {
		t.Errorf("the event sent twice: %d documents, %v", len(es), err)
	}
	consume(t, p, stage.DeadLetterTopic, func(h map[string]string, value []byte) bool {
		return h["ce_"+stage.ExtTopic] == stage.TopicAccepted && len(value) < 1024
	})

	ask := func(id, tool, args string) map[string]any {
		produce(t, p, stage.TopicToolRequested, stage.Event{ID: id, Source: "agent", Type: "tool.requested", ContentType: "application/json"},
			`{"run_id":"`+string(run)+`","tool":"`+tool+`","arguments":`+args+`}`)
		var got map[string]any
		consume(t, p, stage.TopicToolDecided, func(h map[string]string, value []byte) bool {
			if h["ce_"+stage.ExtCorrelation] != id {
				return false
			}
			return json.Unmarshal(value, &got) == nil
		})
		return got
	}
	if a := ask("c1", "calendar-availability", `{"property":"seaside-4","from":"2027-06-01","to":"2027-06-03"}`); a["decision"] != "allow" {
		t.Errorf("an autonomous tool within its ceiling: %v", a)
	}
	if a := ask("c2", "format-disk", `{}`); a["decision"] != "deny" || a["failure_id"] != string(chunk.FailToolUnregistered) {
		t.Errorf("a tool that is not registered: %v", a)
	}
	rs, err := store.Records(ctx, ledger.RecordFilter{Run: run, Kind: provenance.KindToolArgument})
	if err != nil || len(rs) != 2 {
		t.Errorf("%d tool-argument records, %v", len(rs), err)
	}
}

// SPEC: CLS-8, PRV-9
//
// What lies on a stage's topic and was not sealed there by a stage is not processed: a
// document moved from another topic, altered, or made by somebody who can write to
// Kafka. It is dead-lettered with an alarm, and its run never reads as clean.
func TestAForgedDocumentIsNotProcessed(t *testing.T) {
	p, _ := pipeline(t, nil)
	ctx := context.Background()
	run := chunk.NewID("run", "forged")
	event := chunk.NewID("evt", "forged")
	produce(t, p, stage.TopicCleared, stage.Event{ID: string(event), Source: "stoplog://default/web", Type: stage.TypeCleared, Subject: string(event), ContentType: stage.SealedType,
		Extensions: map[string]string{stage.ExtTenant: "default", stage.ExtRun: string(run), stage.ExtScope: string(run)}}, "not sealed by anyone")
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		rs, err := p.r.store.Records(ctx, ledger.RecordFilter{Kind: provenance.KindDeadLetter})
		if err != nil {
			t.Fatal(err)
		}
		if len(rs) == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no dead letter")
		}
	}
	r, err := p.r.store.Run(ctx, run)
	if err != nil || !r.Incomplete {
		t.Errorf("the run: %+v, %v; want incomplete", r, err)
	}
	if items, err := p.r.store.RunContext(ctx, run); err == nil && len(items) > 0 {
		t.Error("a forged document got into a context")
	}
}
