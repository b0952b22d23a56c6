package door

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/keys"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// rig is a door over real stores in a directory of its own.
type rig struct {
	t        testing.TB
	dir      string
	ring     *keys.Keyring
	store    *ledger.Store
	vault    *evidence.Vault
	class    *classify.Classifier
	registry *prometheus.Registry
	now      atomic.Int64 // unix seconds
	door     *Door
	changed  atomic.Int64 // calls of RunChanged
	stateErr atomic.Pointer[error]
	postgres string // URL; empty: SQLite in dir
}

var ctx = context.Background()

const start = 1_760_000_000

func testSources() []classify.Source {
	text := func(id string, ceiling chunk.Class) classify.Source {
		return classify.Source{ID: id, Ceiling: ceiling, Format: "text"}
	}
	sig := func(scheme string) *classify.Signature {
		return &classify.Signature{Scheme: scheme, Secrets: []string{"env:" + scheme}}
	}
	strict := text("strict", chunk.Internal)
	strict.Strict = true
	docs := text("handbook", chunk.Internal)
	docs.Collection = true
	operator := text("desk", chunk.Internal)
	operator.Origin = chunk.OperatorInput
	small := text("small", chunk.Internal)
	small.MaxBytes = 100
	return []classify.Source{
		{
			ID: "booking", Ceiling: chunk.PII, Format: "json", Subject: "guest.email", EventIDPath: "inquiry_id", Signature: sig("standard-webhooks"),
			Fields: []classify.Field{
				{Path: "inquiry_id", Class: chunk.Internal},
				{Path: "check_in", Class: chunk.Internal},
				{Path: "guest.first_name", Class: chunk.PII, Type: "PERSON", Stub: "GUEST_FIRST_NAME", Sinks: []string{"guest-mail"}},
				{Path: "guest.email", Class: chunk.PII, Type: "EMAIL_ADDRESS", Stub: "GUEST_EMAIL"},
				{Path: "message", Class: chunk.PII, Text: true},
			},
		},
		{
			ID: "thread", Ceiling: chunk.Restricted, Format: "json", RunBy: "thread.id",
			Fields: []classify.Field{
				{Path: "thread.id", Class: chunk.Internal},
				{Path: "who", Class: chunk.Restricted, Type: "PERSON", Stub: "REQUESTER"},
				{Path: "body", Class: chunk.Restricted, Text: true},
			},
		},
		{ID: "thread2", Ceiling: chunk.Restricted, Format: "json", RunBy: "thread.id", Fields: []classify.Field{{Path: "thread.id", Class: chunk.Internal}}},
		{ID: "github", Ceiling: chunk.Internal, Format: "json", Signature: sig("github")},
		{ID: "payments", Ceiling: chunk.Restricted, Format: "json", Signature: sig("stripe")},
		{ID: "chat", Ceiling: chunk.Restricted, Format: "json", Signature: sig("slack")},
		{ID: "any", Ceiling: chunk.Internal},
		text("web", chunk.Public), strict, docs, operator, small,
	}
}

func newRig(t testing.TB) *rig { return openRig(t, t.TempDir()) }

func openRig(t testing.TB, dir string) *rig {
	t.Helper()
	r := &rig{t: t, dir: dir, registry: prometheus.NewRegistry()}
	r.now.Store(start)
	keyDir := filepath.Join(dir, "keys")
	if _, err := keys.Load(keyDir, nil); err != nil {
		if err := keys.Generate(keyDir); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if r.ring, err = keys.Load(keyDir, nil); err != nil {
		t.Fatal(err)
	}
	var scopes *evidence.KeyStore
	if r.postgres = database(t, dir); r.postgres != "" {
		if r.store, err = ledger.OpenPostgres(ctx, r.postgres); err != nil {
			t.Fatal(err)
		}
		scopes, err = evidence.OpenKeysPostgres(ctx, r.postgres)
	} else {
		if r.store, err = ledger.OpenSQLite(ctx, filepath.Join(dir, "ledger.db")); err != nil {
			t.Fatal(err)
		}
		scopes, err = evidence.OpenKeysSQLite(ctx, filepath.Join(dir, "scopes.db"))
	}
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := evidence.OpenFiles(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	r.vault = evidence.New(scopes, blobs, r.ring, evidence.Options{})
	if r.class, err = classify.Compile(testSources(), classify.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	r.door = r.another(nil)
	return r
}

// database gives the rig of a directory its own database on the server that
// STOPLOG_TEST_POSTGRES names (an owner's URL), or nothing: then it is SQLite. The URL
// lies in the directory, so that a rig that opens it again, or a child process, finds
// the same one.
func database(t testing.TB, dir string) string {
	t.Helper()
	note := filepath.Join(dir, "postgres.url")
	if have, err := os.ReadFile(note); err == nil {
		return string(have)
	}
	owner := os.Getenv("STOPLOG_TEST_POSTGRES")
	if owner == "" {
		return ""
	}
	u, err := url.Parse(owner)
	if err != nil {
		t.Fatal("STOPLOG_TEST_POSTGRES is not a URL")
	}
	admin, err := sql.Open("pgx", owner)
	if err != nil {
		t.Fatal(err)
	}
	name := "door_" + strconv.FormatUint(rand.Uint64(), 36)
	if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = admin.Exec("DROP DATABASE " + name + " WITH (FORCE)")
		_ = admin.Close()
	})
	u.Path = "/" + name
	if err := errors.Join(ledger.MigratePostgres(ctx, u.String()), evidence.MigrateKeysPostgres(ctx, u.String())); err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("role", "stoplog_writer")
	u.RawQuery = q.Encode()
	if err := os.WriteFile(note, []byte(u.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return u.String()
}

func (r *rig) close() {
	_ = r.store.Close()
	_ = r.vault.Close()
}

func (r *rig) clock() time.Time { return time.Unix(r.now.Load(), 0).UTC() }

// another makes a door over the same stores, as a second process would.
func (r *rig) another(change func(*Config)) *Door {
	r.t.Helper()
	cfg := Config{
		Store: r.store, Vault: r.vault, Classifier: r.class, PolicyHash: "policy-1", Integrity: r.ring.Integrity(), IDKeys: r.ring.IDs(), Clock: r.clock,
		RunChanged: func(context.Context, chunk.ID) error {
			r.changed.Add(1)
			if err := r.stateErr.Load(); err != nil {
				return *err
			}
			return nil
		},
	}
	cfg.Metrics = r.registry
	if change != nil {
		change(&cfg)
	}
	d, err := New(cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func event(source, sender, body string) Event {
	return Event{Tenant: "default", Source: source, SenderID: sender, Body: []byte(body), Actor: "token:test"}
}

func (r *rig) accept(ev Event) Receipt {
	r.t.Helper()
	receipt, err := r.door.Accept(ctx, ev)
	if err != nil {
		r.t.Fatalf("accept: %v", err)
	}
	return receipt
}

func (r *rig) refused(ev Event, want error) {
	r.t.Helper()
	if _, err := r.door.Accept(ctx, ev); !errors.Is(err, want) {
		r.t.Fatalf("got %v, want %v", err, want)
	}
}

func (r *rig) records(f ledger.RecordFilter) []provenance.Record {
	r.t.Helper()
	f.Limit = 100000
	rows, err := r.store.Records(ctx, f)
	if err != nil {
		r.t.Fatal(err)
	}
	out := make([]provenance.Record, len(rows))
	for i, row := range rows {
		out[i] = row.Record
	}
	return out
}

func (r *rig) kinds(f ledger.RecordFilter) map[provenance.Kind]int {
	out := map[provenance.Kind]int{}
	for _, rec := range r.records(f) {
		out[rec.Kind]++
	}
	return out
}

func (r *rig) outbox() []ledger.OutboxRow {
	r.t.Helper()
	rows, err := r.store.Outbox(ctx, 100000)
	if err != nil {
		r.t.Fatal(err)
	}
	return rows
}

// open unseals an outbox row as the detector does.
func (r *rig) open(row ledger.OutboxRow) chunk.Document {
	r.t.Helper()
	e, data, err := stage.ParseEvent(stage.Message{Topic: row.Topic, Key: row.Key, Headers: row.Headers, Value: row.Value})
	if err != nil {
		r.t.Fatal(err)
	}
	plain, err := r.vault.Open(ctx, chunk.ID(e.Extensions[stage.ExtScope]), data, chunk.DocumentAD(row.Topic, chunk.ID(e.Subject)))
	if err != nil {
		r.t.Fatal(err)
	}
	doc, err := chunk.Decode(plain)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.ring.Integrity().Verify(doc.Attribution, doc.Seal); err != nil {
		r.t.Fatal(err)
	}
	return doc
}

func (r *rig) documents() []chunk.Document {
	r.t.Helper()
	var out []chunk.Document
	for _, row := range r.outbox() {
		out = append(out, r.open(row))
	}
	return out
}

func redacted(d chunk.Document) string {
	var b strings.Builder
	for _, c := range d.Chunks {
		b.Write(c.Redacted())
	}
	return b.String()
}

func raw(d chunk.Document) []byte {
	var b bytes.Buffer
	for _, c := range d.Chunks {
		b.Write(c.Text)
	}
	return b.Bytes()
}

// written is everything the door writes that is not sealed: records, outbox headers
// and keys, stub names, metrics.
func (r *rig) written() string {
	r.t.Helper()
	var b strings.Builder
	rows, err := r.store.Records(ctx, ledger.RecordFilter{Limit: 100000})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, row := range rows {
		b.Write(row.Canon)
	}
	for _, row := range r.outbox() {
		fmt.Fprintf(&b, "%s %s %v %s", row.Topic, row.Key, row.Headers, row.Value)
	}
	families, err := r.registry.Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range families {
		b.WriteString(f.String())
	}
	return b.String()
}

// counter reads one counter of the rig's own door.
func (r *rig) counter(name string, labels ...string) float64 {
	r.t.Helper()
	families, err := r.registry.Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	total := 0.0
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			match := true
			for i := 0; i+1 < len(labels); i += 2 {
				found := false
				for _, l := range m.GetLabel() {
					found = found || l.GetName() == labels[i] && l.GetValue() == labels[i+1]
				}
				match = match && found
			}
			if match {
				total += m.GetCounter().GetValue()
			}
		}
	}
	return total
}

func payload[T any](t testing.TB, rec provenance.Record) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(rec.Payload, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func compile(t testing.TB, sources []classify.Source) *classify.Classifier {
	t.Helper()
	c, err := classify.Compile(sources, classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
