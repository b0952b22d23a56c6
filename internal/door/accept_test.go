package door

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stoplog/stoplog/internal/keys"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/strictjson"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/extract/extracttest"
	"github.com/stoplog/stoplog/pkg/provenance"
)

const inquiry = `{"inquiry_id":"inq-1","check_in":"2026-12-24","guest":{"first_name":"Annabella","email":"annabella.q@example.org"},` +
	`"message":"Hello, this is Annabella. Write to annabella.q@example.org please."}`

// SPEC: CLS-2 CLS-7 CLS-8 PRV-2
func TestAcceptedDocument(t *testing.T) {
	r := newRig(t)
	receipt := r.accept(event("booking", "", inquiry))
	if receipt.Duplicate || receipt.Chunks != 1 || !chunk.ValidID(string(receipt.Run), "run") || receipt.Document != "" {
		t.Fatalf("receipt %+v", receipt)
	}
	if want := chunk.EventID("default", "booking", "inq-1"); receipt.Event != want {
		t.Errorf("event id %s, want that of the id in the payload", receipt.Event)
	}
	docs := r.documents()
	if len(docs) != 1 {
		t.Fatalf("%d documents in the outbox", len(docs))
	}
	d, row := docs[0], r.outbox()[0]
	if row.Key != string(receipt.Run) {
		t.Errorf("key %s", row.Key)
	}
	a := d.Attribution
	if a.Origin != chunk.TaskData || a.Trust != chunk.UntrustedExternal || a.Run != receipt.Run || a.Scope != receipt.Run || a.Event != receipt.Event ||
		a.PolicyHash != "policy-1" || a.SourceURI != "stoplog://default/booking" || !a.Retrieved.Equal(r.clock()) || len(a.Traceparent) != 55 || a.Collection {
		t.Errorf("attribution %+v", a)
	}
	if d.Class != chunk.PII || string(raw(d)) != inquiry || d.MediaType != "application/json" || d.Previous != "" {
		t.Errorf("document class %s, media type %s", d.Class, d.MediaType)
	}
	kept, err := r.vault.Get(ctx, a.Scope, d.Evidence)
	if err != nil || string(kept) != inquiry {
		t.Errorf("evidence: %v", err)
	}
	text := redacted(d)
	if strings.Contains(strings.ToLower(text), "annabella") || !strings.Contains(text, "{GUEST_FIRST_NAME}") || !strings.Contains(text, "2026-12-24") {
		t.Errorf("redacted text: %s", text)
	}
	got := r.kinds(ledger.RecordFilter{Run: receipt.Run})
	if diff := cmp.Diff(map[provenance.Kind]int{provenance.KindAccepted: 1, provenance.KindClassified: 1}, got); diff != "" {
		t.Error(diff)
	}
	for _, rec := range r.records(ledger.RecordFilter{Kind: provenance.KindAccepted}) {
		p := payload[provenance.Accepted](t, rec)
		if rec.Actor != "token:test" || rec.Evidence != d.Evidence || p.ChunkCount != 1 || p.SizeBytes != len(inquiry) || len(p.Commitment) != 64 {
			t.Errorf("accepted: %+v %+v", rec, p)
		}
	}
	stubs, err := r.store.Stubs(ctx, receipt.Run)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range stubs {
		value, err := r.vault.Open(ctx, a.Scope, s.Sealed, chunk.StubAD(s.Run, s.Name))
		if err != nil {
			t.Fatal(err)
		}
		if s.Name == "GUEST_FIRST_NAME" {
			found = string(value) == "Annabella" && cmp.Equal(s.Sinks, []string{"guest-mail"}) && s.Class == chunk.PII
		}
		if strings.Contains(strings.ToLower(s.Name), "annabella") {
			t.Errorf("stub name %s", s.Name)
		}
	}
	if !found {
		t.Error("the stub GUEST_FIRST_NAME does not stand for the name")
	}
	if w := strings.ToLower(r.written()); strings.Contains(w, "annabella") || strings.Contains(w, "inq-1") {
		t.Error("content stands outside the seals")
	}
	if r.changed.Load() != 1 || r.counter("stoplog_door_accepted_total", "source", "booking") != 1 {
		t.Error("the run's change was not told, or not counted")
	}
	scopes, err := r.vault.ScopesOfSubject(ctx, SubjectID(r.ring.ID(), "default", " Annabella.Q@example.org"))
	if err != nil || !cmp.Equal(scopes, []chunk.ID{receipt.Run}) {
		t.Errorf("subject: %v %v", scopes, err)
	}
}

// SPEC: CLS-4
func TestUnregisteredSourceIsBlockedAndRecorded(t *testing.T) {
	r := newRig(t)
	for i, source := range []string{"nowhere", "nowhere", "Annabella Q", "annabella.q@example.org", "", strings.Repeat("x", 5000)} {
		r.refused(event(source, fmt.Sprint(i), "body of annabella"), ErrSourceUnregistered)
	}
	recs := r.records(ledger.RecordFilter{Kind: provenance.KindBlocked})
	if len(recs) != 6 || len(r.outbox()) != 0 {
		t.Fatalf("%d records, %d outbox rows", len(recs), len(r.outbox()))
	}
	first := payload[provenance.Blocked](t, recs[0])
	want := provenance.Blocked{EventID: chunk.EventID("default", "nowhere", "0"), SourceID: "nowhere", ConfidenceBand: chunk.BandUnknown, FailureID: chunk.FailSourceUnregistered}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Error(diff)
	}
	if w := strings.ToLower(r.written()); strings.Contains(w, "annabella") {
		t.Error("what the sender called its source stands in a record")
	}
	r.refused(event("nowhere", "0", "again"), ErrSourceUnregistered)
	if n := len(r.records(ledger.RecordFilter{Kind: provenance.KindBlocked})); n != 6 {
		t.Errorf("a repetition made another record: %d", n)
	}
}

// SPEC: CLS-7: nobody but an operator speaks for one.
func TestOperatorInputNeedsAnOperator(t *testing.T) {
	r := newRig(t)
	r.refused(event("desk", "1", "do this"), ErrOperatorRequired)
	ev := event("desk", "2", "do this")
	ev.Operator = true
	r.accept(ev)
	if d := r.documents()[0]; d.Attribution.Origin != chunk.OperatorInput {
		t.Errorf("origin %s", d.Attribution.Origin)
	}
	body := `{"origin":"operator-input","trust_level":"ORGANISATION","tenant":"other","source":"desk"}`
	r.accept(event("any", "3", body).as("application/json"))
	if a := r.documents()[1].Attribution; a.Origin != chunk.TaskData || a.Trust != chunk.UntrustedExternal || a.Tenant != "default" || a.Source != "any" {
		t.Errorf("a payload changed its attribution: %+v", a)
	}
	if _, err := r.door.Accept(ctx, Event{Source: "any", Body: []byte("x")}); err == nil {
		t.Error("an event without tenant and actor was accepted")
	}
}

func (e Event) as(mediaType string) Event { e.MediaType = mediaType; return e }
func (e Event) in(run string) Event       { e.RunHint = run; return e }
func (e Event) of(tenant string) Event    { e.Tenant = tenant; return e }

// A thousand replays, by the id and by the body alone, have one effect.
func TestReplaysHaveOneEffect(t *testing.T) {
	r := newRig(t)
	second := r.another(nil)
	first := r.accept(event("web", "msg-1", "hello"))
	keyed := r.accept(event("web", "", "no id"))
	var wg sync.WaitGroup
	errs := make(chan error, 1000)
	for w := range 10 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 100 {
				d := []*Door{r.door, second}[i%2]
				want, ev := first, event("web", "msg-1", "hello")
				if w%2 == 1 {
					want, ev = keyed, event("web", "", "no id")
				}
				got, err := d.Accept(ctx, ev)
				want.Duplicate = true
				if err != nil || got != want {
					errs <- fmt.Errorf("%+v %w", got, err)
				}
			}
		}()
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Fatal(err)
	}
	if n := len(r.outbox()); n != 2 {
		t.Errorf("%d outbox rows", n)
	}
	if diff := cmp.Diff(map[provenance.Kind]int{provenance.KindAccepted: 2, provenance.KindClassified: 2}, r.kinds(ledger.RecordFilter{})); diff != "" {
		t.Error(diff)
	}
	if run, err := r.store.Run(ctx, first.Run); err != nil || run.Documents != 1 {
		t.Errorf("run %+v %v", run, err)
	}
}

// Many doors get the same new event at the same moment.
func TestDoorsAtOnce(t *testing.T) {
	r := newRig(t)
	for round := range 20 {
		var wg sync.WaitGroup
		receipts := make([]Receipt, 8)
		for i := range receipts {
			d := r.another(nil)
			wg.Add(1)
			go func() {
				defer wg.Done()
				var err error
				if receipts[i], err = d.Accept(ctx, event("web", fmt.Sprint("e", round), fmt.Sprintf("body %d", i%2))); err != nil {
					t.Error(err)
				}
			}()
		}
		wg.Wait()
		fresh, changed := 0, 0
		for _, rc := range receipts {
			if rc.Event != receipts[0].Event || rc.Run != receipts[0].Run || rc.Chunks != 1 {
				t.Errorf("receipts differ: %+v", receipts)
			}
			if !rc.Duplicate {
				fresh++
			}
			if rc.Changed {
				changed++
			}
		}
		if fresh != 1 || changed != 4 {
			t.Errorf("%d fresh, %d changed", fresh, changed)
		}
	}
	if n := len(r.outbox()); n != 20 {
		t.Errorf("%d outbox rows", n)
	}
	if k := r.kinds(ledger.RecordFilter{}); k[provenance.KindAccepted] != 20 || k[provenance.KindEventBodyChanged] != 20 {
		t.Errorf("records %v", k)
	}
}

func TestAnotherBodyUnderAKnownID(t *testing.T) {
	r := newRig(t)
	first := r.accept(event("web", "1", "one"))
	got := r.accept(event("web", "1", "two"))
	first.Duplicate, first.Changed = true, true
	if got != first {
		t.Errorf("got %+v", got)
	}
	// Also when the new rendering would not have come in by itself.
	r.accept(event("any", "1", `{"a":1}`).as("application/json"))
	if got := r.accept(event("any", "1", `{"a":1,"a":2}`).as("application/json")); !got.Changed {
		t.Errorf("got %+v", got)
	}
	r.accept(event("strict", "1", "one"))
	if got := r.accept(event("strict", "1", "one")); !got.Duplicate || got.Changed {
		t.Errorf("the same body at a strict source: %+v", got)
	}
	r.refused(event("strict", "1", "two"), ErrBodyChanged)
	k := r.kinds(ledger.RecordFilter{})
	if k[provenance.KindEventBodyChanged] != 3 || k[provenance.KindBlocked] != 1 || len(r.outbox()) != 3 {
		t.Errorf("records %v, outbox %d", k, len(r.outbox()))
	}
	if err := r.vault.Erase(ctx, first.Run); err != nil {
		t.Fatal(err)
	}
	if got := r.accept(event("web", "1", "three")); !got.Duplicate || got.Changed {
		t.Errorf("after erasure: %+v", got)
	}
}

// SPEC: CLS-6: what a sender's rule says is one run is one run.
func TestRunsByPath(t *testing.T) {
	r := newRig(t)
	mail := func(source, id, thread, who, body string) Event {
		return event(source, id, fmt.Sprintf(`{"thread":{"id":%q},"who":%q,"body":%q}`, thread, who, body))
	}
	a := r.accept(mail("thread", "1", "T-77", "Wilhelmina", "hello"))
	b := r.accept(mail("thread", "2", "T-77", "Bartholomew", "I wrote to Wilhelmina about it"))
	c := r.accept(mail("thread", "3", "T-78", "Wilhelmina", "hello"))
	d := r.accept(mail("thread2", "4", "T-77", "x", "y"))
	e := r.accept(mail("thread", "5", "T-77", "x", "y").of("other"))
	if a.Run != b.Run || a.Run == c.Run || a.Run == d.Run || a.Run == e.Run {
		t.Errorf("runs %s %s %s %s %s", a.Run, b.Run, c.Run, d.Run, e.Run)
	}
	docs := r.documents()
	if docs[1].Previous != docs[0].Evidence || docs[2].Previous != "" {
		t.Error("a document does not know the one before it in its run")
	}
	// The same value has the same stub, another value another one, and a name from a
	// typed field is found in a later document's text.
	if text := redacted(docs[1]); strings.Contains(text, "Wilhelmina") || !strings.Contains(text, "wrote to {REQUESTER}") || !strings.Contains(text, `"who":"{REQUESTER_2}"`) {
		t.Errorf("second document: %s", text)
	}
	if strings.Contains(r.written(), "T-77") {
		t.Error("the value that names the run stands in clear")
	}
	r.refused(mail("thread", "6", "", "x", "y"), ErrRunPath)
	r.refused(event("thread", "7", `{"who":"x"}`), ErrRunPath)
	r.refused(event("thread", "8", `{"thread":{"id":["T-77"]}}`), ErrRunPath)
	numeric := r.accept(event("thread", "9", `{"thread":{"id":77}}`))
	if again := r.accept(event("thread", "10", `{"thread":{"id":77}}`)); again.Run != numeric.Run {
		t.Error("a number names no stable run")
	}
}

// Two doors choose stub names for one run at the same time: no name ever stands for
// two values.
func TestStubNamesUnderRace(t *testing.T) {
	r := newRig(t)
	const docs = 24
	var wg sync.WaitGroup
	for i := range docs {
		d := r.another(func(c *Config) { // on a server, through a connection of its own
			if i < 4 && r.postgres != "" {
				store, err := ledger.OpenPostgres(ctx, r.postgres)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = store.Close() })
				c.Store = store
			}
		})
		wg.Add(1)
		go func() {
			defer wg.Done()
			if _, err := d.Accept(ctx, event("thread", fmt.Sprint(i), fmt.Sprintf(`{"thread":{"id":"T"},"who":"Person%c","body":"b"}`, 'A'+i))); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	checked := 0
	for _, doc := range r.documents() {
		run := doc.Attribution.Run
		stubs, err := r.store.Stubs(ctx, run)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range doc.Chunks {
			for _, red := range c.Redactions {
				for _, s := range stubs {
					if red.Stub != "{"+s.Name+"}" {
						continue
					}
					value, err := r.vault.Open(ctx, run, s.Sealed, chunk.StubAD(run, s.Name))
					if err != nil {
						t.Fatal(err)
					}
					if got, want := string(value), strings.Trim(string(c.Text[red.Start:red.End]), `"`); got != want {
						t.Errorf("%s stands for %q and replaced %q", red.Stub, got, want)
					}
					checked++
				}
			}
		}
	}
	if checked < docs {
		t.Fatalf("%d stubs checked", checked)
	}
}

func TestRunsNamedByTheCaller(t *testing.T) {
	r := newRig(t)
	a := r.accept(event("web", "1", "x").in("my-case-12"))
	b := r.accept(event("any", "1", "{}").as("application/json").in("my-case-12"))
	if a.Run != b.Run {
		t.Error("one name, two runs")
	}
	if c := r.accept(event("web", "2", "x").in(string(a.Run))); c.Run != a.Run {
		t.Error("a run's id does not name it")
	}
	if c := r.accept(event("web", "3", "x").in("my-case-12").of("other")); c.Run == a.Run {
		t.Error("two tenants share a run")
	}
	unknown := string(chunk.NewID("run", "nobody's"))
	r.refused(event("web", "4", "x").in(unknown), ErrRunUnknown)
	r.refused(event("web", "5", "x").in("run_short"), ErrRunUnknown)
	// Another tenant's run is answered as one that is not there.
	r.refused(event("web", "6", "x").of("other").in(string(a.Run)), ErrRunUnknown)
	r.refused(event("handbook", "7", "x").in("my-case-12"), ErrRunUnknown)
	for _, rec := range r.records(ledger.RecordFilter{Kind: provenance.KindBlocked}) {
		if rec.Run != "" {
			t.Error("a refusal was written into a run that is not the sender's")
		}
	}
	p, err := provenance.EncodePayload(provenance.RunChanged{RunID: a.Run})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.store.Append(ctx, ledger.Batch{Records: []provenance.Record{{
		ID: provenance.RecordID(provenance.KindRunEnded, a.Run), Time: r.clock(), Kind: provenance.KindRunEnded, Tenant: "default", Run: a.Run, Subject: a.Run,
		Actor: "user:test", Payload: p,
	}}}); err != nil {
		t.Fatal(err)
	}
	r.refused(event("web", "8", "x").in("my-case-12"), ErrRunEnded)
	if got := r.accept(event("web", "1", "x").in("my-case-12")); !got.Duplicate || got.Run != a.Run {
		t.Errorf("a replay into an ended run: %+v", got)
	}
	if strings.Contains(r.written(), "my-case-12") {
		t.Error("the name of a run stands in clear")
	}
}

// A rotated id key must not forget which run a name stands for, nor that a body was
// accepted.
func TestIDKeyRotation(t *testing.T) {
	dir := t.TempDir()
	r := openRig(t, dir)
	by := func(id string) Event { return event("thread", id, `{"thread":{"id":"T-1"}}`) }
	run, nameless := r.accept(by("1")), r.accept(event("web", "", "nameless"))
	r.close()
	if _, err := keys.Rotate(filepath.Join(dir, "keys"), keys.ID); err != nil {
		t.Fatal(err)
	}
	r = openRig(t, dir)
	if len(r.ring.IDs()) != 2 {
		t.Fatal("nothing was rotated")
	}
	if got := r.accept(by("2")); got.Run != run.Run {
		t.Error("the run got another name")
	}
	if got := r.accept(event("web", "", "nameless")); !got.Duplicate || got.Event != nameless.Event {
		t.Errorf("an accepted body is new again: %+v", got)
	}
	if got := r.accept(event("web", "", "another")); got.Duplicate {
		t.Errorf("%+v", got)
	}
}

func TestCollections(t *testing.T) {
	r := newRig(t)
	receipt := r.accept(event("handbook", "a.txt", "Call Zebediah at +44 20 7946 0018."))
	if receipt.Run != "" || !chunk.ValidID(string(receipt.Document), "doc") {
		t.Fatalf("receipt %+v", receipt)
	}
	d := r.documents()[0]
	if a := d.Attribution; !a.Collection || a.Run != "" || a.Scope != receipt.Document || r.outbox()[0].Key != string(receipt.Document) {
		t.Errorf("attribution %+v", a)
	}
	if other := r.accept(event("handbook", "b.txt", "x")); other.Document == receipt.Document {
		t.Error("two documents share a key")
	}
	if r.changed.Load() != 0 {
		t.Error("a collection's document changed a run")
	}
	if err := r.vault.Erase(ctx, receipt.Document); err != nil {
		t.Fatal(err)
	}
	if again := r.accept(event("handbook", "a.txt", "anything")); !again.Duplicate || again.Document != receipt.Document {
		t.Errorf("%+v", again)
	}
}

// SPEC: CLS-5
func TestContentAboveItsCeiling(t *testing.T) {
	r := newRig(t)
	const card = "4111 1111 1111 1111"
	var runs []chunk.ID
	for i := range 3 {
		runs = append(runs, r.accept(event("web", fmt.Sprint(i), strings.Repeat("Some words before it.\n", 600)+"My card is "+card+", thanks.")).Run)
	}
	k := r.kinds(ledger.RecordFilter{})
	if k[provenance.KindCeilingExceeded] != 3 || k[provenance.KindGateOpened] != 1 {
		t.Fatalf("records %v: every document is raised, one gate is opened", k)
	}
	for _, run := range runs {
		if s, err := r.store.Run(ctx, run); err != nil || s.Class != chunk.PII || s.Halted {
			t.Errorf("run %+v %v", s, err)
		}
	}
	p := payload[provenance.CeilingExceeded](t, r.records(ledger.RecordFilter{Kind: provenance.KindCeilingExceeded})[0])
	if p.Declared != chunk.Public || p.Found != chunk.PII || !cmp.Equal(p.Types, []string{"CREDIT_CARD"}) {
		t.Errorf("%+v", p)
	}
	gates, err := r.store.Gates(ctx, ledger.GateFilter{Tenant: "default"})
	if err != nil || len(gates) != 1 {
		t.Fatal(gates, err)
	}
	g := gates[0]
	if g.Type != "ceiling" || g.Source != "web" || g.Failure != chunk.FailCeilingExceeded || !cmp.Equal(g.Rules, []string{"CREDIT_CARD"}) || !g.Expires.After(r.clock()) {
		t.Errorf("gate %+v", g)
	}
	for i, c := range r.documents()[0].Chunks {
		if holds := strings.Contains(string(c.Text), card); holds != (c.ID == g.About) {
			t.Errorf("chunk %d: the gate points elsewhere", i)
		}
		if c.Class != chunk.PII {
			t.Errorf("chunk class %s", c.Class)
		}
	}
	// Its last four digits alone may stand in an id by chance.
	if all := r.written(); strings.Contains(all, "1111 1111") || strings.Contains(all, "11111111") {
		t.Error("the number stands in clear")
	}
	// Another configuration asks again.
	r.door.SetPolicy(r.class, "policy-2")
	r.accept(event("web", "9", "card "+card))
	if n := r.kinds(ledger.RecordFilter{})[provenance.KindGateOpened]; n != 2 {
		t.Errorf("%d gates", n)
	}
}

func TestPayloadsThatDoNotComeIn(t *testing.T) {
	r := newRig(t)
	json := func(body string) Event { return event("any", "", body).as("application/json") }
	for _, c := range []struct {
		name   string
		ev     Event
		code   string
		offset int
	}{
		{"not json", json(`{"a":`), "json-invalid", 5},
		{"trailing", json(`{} x`), "json-invalid", 3},
		{"duplicate", json(`{"a":1,"a":2}`), "json-duplicate-key", 7},
		{"escaped duplicate", json(`{"a":1,"\u0061":2}`), "json-duplicate-key", 7},
		{"utf-8", json("{\"a\":\"\xff\"}"), "json-invalid-utf8", 6},
		{"depth", json(strings.Repeat("[", 65) + strings.Repeat("]", 65)), "json-too-deep", 64},
		{"empty json", json(""), "json-invalid", 0},
		{"form escape", event("any", "", "a=%zz").as("application/x-www-form-urlencoded"), "payload-malformed", -1},
		{"form semicolon", event("any", "", "a=1;b=2").as("application/x-www-form-urlencoded"), "payload-malformed", -1},
		{"no media type", event("any", "", "x"), "media-type-unsupported", -1},
		{"image", event("any", "", "x").as("image/png"), "media-type-unsupported", -1},
		{"nonsense media type", event("any", "", "x").as("/;;"), "media-type-unsupported", -1},
		{"other charset", event("web", "", "x").as("text/plain; charset=utf-16"), "content-encoding-unsupported", -1},
		{"json to text", event("web", "", "{}").as("application/json"), "media-type-unsupported", -1},
		{"text to json", event("booking", "", "{}").as("text/plain"), "media-type-unsupported", -1},
		{"too large", event("small", "", strings.Repeat("x", 101)), "body-too-large", -1},
		{"encodes too large", event("web", "", strings.Repeat("\x01", 200<<10)), "body-too-large", -1},
	} {
		_, err := r.door.Accept(ctx, c.ev)
		if err == nil {
			t.Errorf("%s: accepted", c.name)
			continue
		}
		p := Problem(err)
		if p.Code != c.code || p.Detail == "" || p.Status < 400 || p.Status > 499 {
			t.Errorf("%s: %d %s, want %s", c.name, p.Status, p.Code, c.code)
		}
		if (p.Offset == nil) != (c.offset < 0) || p.Offset != nil && *p.Offset != c.offset {
			t.Errorf("%s: offset %v", c.name, p.Offset)
		}
	}
	k := r.kinds(ledger.RecordFilter{})
	if k[provenance.KindAccepted] != 0 || k[provenance.KindBlocked] < 10 || len(r.outbox()) != 0 {
		t.Errorf("records %v", k)
	}
	for _, ok := range []Event{
		event("any", "", `{"a":"\ud800"}`).as("application/vnd.x+json; charset=utf-8"),
		event("any", "", "").as("text/plain"),
		event("web", "", "bytes \xff\xfe that are no text"),
		event("any", "", "a=%20b&c=d+e").as("application/x-www-form-urlencoded"),
		event("small", "", strings.Repeat("x", 100)),
		event("web", "", strings.Repeat("word ", 100<<10)),
		event("web", "", "plain").as("application/octet-stream"),
	} {
		r.accept(ok)
	}
	for i, d := range r.documents() {
		kept, err := r.vault.Get(ctx, d.Attribution.Scope, d.Evidence)
		if err != nil || string(kept) != string(raw(d)) {
			t.Errorf("document %d does not hold its raw bytes: %v", i, err)
		}
	}
}

func TestClassifierThatPanicsLetsNothingPass(t *testing.T) {
	if _, err := classifySafely(nil, nil, classify.Input{Source: "x"}); !errors.Is(err, ErrClassification) {
		t.Errorf("got %v", err)
	}
	if got := fromClassifier(errors.New("anything new")); got != ErrClassification {
		t.Errorf("got %v", got)
	}
	if p := Problem(ErrClassification); p.Status != 422 || Failure(ErrClassification) != chunk.FailClassification {
		t.Errorf("%+v", p)
	}
}

// A payload that cannot be classified keeps its evidence, and its record points there.
func TestClassificationFailureLosesNothing(t *testing.T) {
	sources := testSources()
	for i := range sources {
		if sources[i].ID == "any" {
			sources[i].MaxBytes = 700 << 10
		}
	}
	r := newRig(t)
	r.door.SetPolicy(compile(t, sources), "policy-1")
	body := "[" + strings.Repeat("0,", 300_000) + "0]"
	r.refused(event("any", "1", body).as("application/json"), ErrComplex)
	recs := r.records(ledger.RecordFilter{Kind: provenance.KindBlocked})
	if len(recs) != 1 || recs[0].Failure != chunk.FailTooLarge || recs[0].Evidence == "" || len(r.outbox()) != 0 {
		t.Fatalf("%+v", recs)
	}
	kept, err := r.vault.Get(ctx, chunk.EventRun(recs[0].Subject), recs[0].Evidence)
	if err != nil || string(kept) != body {
		t.Errorf("the raw bytes are lost: %v", err)
	}
	// Mended, the same event comes in.
	if got := r.accept(event("any", "1", "[0]").as("application/json")); got.Duplicate {
		t.Errorf("%+v", got)
	}
}

// Stores away: nothing is half accepted, and the same event comes in afterwards.
func TestStoresAway(t *testing.T) {
	dir := t.TempDir()
	r := openRig(t, dir)
	_ = r.vault.Close()
	r.refused(event("web", "1", "x"), ErrEvidence)
	if k := r.kinds(ledger.RecordFilter{}); len(k) != 0 || len(r.outbox()) != 0 {
		t.Errorf("records without a vault: %v", k)
	}
	r.close()
	r = openRig(t, dir)
	_ = r.store.Close()
	r.refused(event("web", "1", "x"), ErrLedger)
	r.refused(event("nowhere", "1", "x"), ErrLedger) // a refusal that cannot be recorded is none yet
	r.close()
	r = openRig(t, dir)
	gone := errors.New("redis: connection refused")
	r.stateErr.Store(&gone)
	r.refused(event("web", "1", "x"), ErrState)
	r.stateErr.Store(nil)
	if got := r.accept(event("web", "1", "x")); !got.Duplicate {
		t.Errorf("stored, but not a duplicate: %+v", got)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.door.Accept(cancelled, event("web", "2", "x")); !errors.Is(err, ErrLedger) && !errors.Is(err, ErrEvidence) {
		t.Errorf("cancelled: %v", err)
	}
	for _, err := range []error{ErrLedger, ErrEvidence, ErrState, ErrBusy} {
		if p := Problem(err); p.Status != 503 || !p.Retryable || p.RetryAfter <= 0 {
			t.Errorf("%v: %+v", err, p)
		}
	}
	if len(r.outbox()) != 1 {
		t.Errorf("%d outbox rows", len(r.outbox()))
	}
}

// A run whose key was destroyed takes nothing more.
func TestErasedRun(t *testing.T) {
	r := newRig(t)
	a := r.accept(event("web", "1", "x").in("case"))
	if err := r.vault.Erase(ctx, a.Run); err != nil {
		t.Fatal(err)
	}
	r.refused(event("web", "2", "y").in("case"), ErrErased)
	if k := r.kinds(ledger.RecordFilter{}); k[provenance.KindAccepted] != 1 || k[provenance.KindBlocked] != 1 {
		t.Errorf("%v", k)
	}
}

// TestMain runs the child of the crash test: it accepts one event and kills itself at
// the named point.
func TestMain(m *testing.M) {
	if point := os.Getenv("STOPLOG_TEST_DOOR_CRASH"); point != "" {
		crash(point, os.Getenv("STOPLOG_TEST_DOOR_DIR"))
	}
	os.Exit(m.Run())
}

type child struct{ testing.TB }

func (child) Helper()        {}
func (child) Cleanup(func()) {}
func (child) Fatal(a ...any) { fmt.Fprintln(os.Stderr, a...); os.Exit(3) }
func (c child) Fatalf(format string, a ...any) {
	c.Fatal(fmt.Sprintf(format, a...))
}

func crash(point, dir string) {
	r := openRig(child{}, dir)
	d := r.another(func(c *Config) {
		c.Metrics = nil
		c.TestHook = func(p string) {
			if p == point {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	})
	_, err := d.Accept(ctx, event("thread", "e", `{"thread":{"id":"T-1"},"who":"Wilhelmina"}`))
	fmt.Fprintln(os.Stderr, "the point was never reached:", err)
	os.Exit(4)
}

// A door is killed at each of its points and the sender comes again: the event is in
// exactly once.
func TestKilledAtEveryPoint(t *testing.T) {
	killed := 0
	for _, point := range []string{HookAfterVault, HookBeforeLedger, HookAfterLedger} {
		dir := t.TempDir()
		openRig(t, dir).close() // makes the keys
		for range 2 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "STOPLOG_TEST_DOOR_CRASH="+point, "STOPLOG_TEST_DOOR_DIR="+dir)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
				killed++
			} else if point != HookAfterLedger { // there the second child meets a duplicate and lives
				t.Fatalf("%s: %v\n%s", point, err, out)
			}
		}
		r := openRig(t, dir)
		stored := len(r.records(ledger.RecordFilter{Kind: provenance.KindAccepted}))
		if want := map[string]int{HookAfterLedger: 1}[point]; stored != want || len(r.outbox()) != want {
			t.Errorf("%s: %d accepted, %d in the outbox before the sender came again, want %d", point, stored, len(r.outbox()), want)
		}
		got := r.accept(event("thread", "e", `{"thread":{"id":"T-1"},"who":"Wilhelmina"}`))
		if got.Duplicate != (point == HookAfterLedger) {
			t.Errorf("%s: %+v", point, got)
		}
		if n := len(r.records(ledger.RecordFilter{Kind: provenance.KindAccepted})); n != 1 || len(r.outbox()) != 1 {
			t.Errorf("%s: %d accepted, %d in the outbox", point, n, len(r.outbox()))
		}
		if text := redacted(r.documents()[0]); !strings.Contains(text, `"{REQUESTER}"`) {
			t.Errorf("%s: %s", point, text)
		}
	}
	if killed < 5 {
		t.Fatalf("%d kills", killed)
	}
}

func TestNewRefusesHalfADoor(t *testing.T) {
	r := newRig(t)
	for name, change := range map[string]func(*Config){
		"store":      func(c *Config) { c.Store = nil },
		"vault":      func(c *Config) { c.Vault = nil },
		"classifier": func(c *Config) { c.Classifier = nil },
		"integrity":  func(c *Config) { c.Integrity = nil },
		"id key":     func(c *Config) { c.IDKeys = nil },
		"short key":  func(c *Config) { c.IDKeys = [][]byte{[]byte("short")} },
	} {
		cfg := Config{Store: r.store, Vault: r.vault, Classifier: r.class, Integrity: r.ring.Integrity(), IDKeys: r.ring.IDs()}
		change(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s missing: accepted", name)
		}
	}
}

// Every sentinel has an answer that says what to do, and every failure is in the
// closed list.
func TestEveryRefusalHasItsAnswer(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range refusals {
		p := Problem(fmt.Errorf("wrapped: %w", r.err))
		if p.Code == "internal" || seen[p.Code] || len(p.Detail) < 20 || !strings.HasSuffix(p.Detail, ".") {
			t.Errorf("%v: %+v", r.err, p)
		}
		seen[p.Code] = true
		if !r.failure.Known() || (p.Status == 401 || p.Status >= 500) != (r.failure == chunk.FailNone) {
			t.Errorf("%v: failure %q with status %d", r.err, r.failure, p.Status)
		}
		if p.Retryable != (p.Status == 503) {
			t.Errorf("%v: retryable %v", r.err, p.Retryable)
		}
	}
	for code, detail := range jsonDetails {
		if p := Problem(&strictjson.Error{Code: code, Offset: 3}); p.Status != 400 || p.Detail != detail || *p.Offset != 3 {
			t.Errorf("%s: %+v", code, p)
		}
	}
	if p := Problem(errors.New("canary")); p.Status != 500 || strings.Contains(p.Detail, "canary") {
		t.Errorf("%+v", p)
	}
}

// A PDF, a DOCX and a mail with one are read, and what they say is redacted; the raw
// bytes are in the vault. What cannot be read does not come in.
//
// SPEC: RED-1 RED-3 CLS-4
func TestDocumentsWithTextInside(t *testing.T) {
	r := newRig(t)
	lines := []string{"Dear Dr. Maria Fernandez,", "write to maria.fernandez@example.org today.", "The arrival is on Friday."}
	pdf, docx := extracttest.PDF(extracttest.Lines(lines...)), extracttest.DOCX(lines...)
	mail := "From: a@example.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nsee below\r\n--b\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
		base64.StdEncoding.EncodeToString(pdf) + "\r\n--b--\r\n"
	const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	sent := []string{string(pdf), string(docx), mail}
	r.accept(event("any", "", sent[0]).as("application/pdf"))
	r.accept(event("any", "", sent[1]).as(word))
	r.accept(event("any", "", sent[2]).as("message/rfc822"))
	docs := r.documents()
	if len(docs) != 3 {
		t.Fatalf("%d documents", len(docs))
	}
	for i, d := range docs {
		kept, err := r.vault.Get(ctx, d.Attribution.Scope, d.Evidence)
		if err != nil || string(kept) != sent[i] {
			t.Errorf("%s: the vault does not hold what was sent: %v", d.MediaType, err)
		}
		text := redacted(d)
		if strings.Contains(text, "Fernandez") || strings.Contains(text, "maria") || !strings.Contains(text, "{PERSON") || !strings.Contains(text, "{EMAIL_ADDRESS") || !strings.Contains(text, "The arrival is on Friday.") {
			t.Errorf("%s: context would get %q", d.MediaType, text)
		}
		if !strings.Contains(string(raw(d)), "maria.fernandez@example.org today.") {
			t.Errorf("%s: what is scanned is not its text", d.MediaType)
		}
	}
	for _, c := range []struct {
		ev   Event
		code string
	}{
		{event("any", "", string(extracttest.PDF("0 0 m S"))).as("application/pdf"), "document-without-text"},
		{event("any", "", string(extracttest.File("/Encrypt << /Filter /Standard /V 5 >>", "<< /Type /Catalog >>"))).as("application/pdf"), "document-encrypted"},
		{event("any", "", "\xd0\xcf\x11\xe0").as(word), "document-encrypted"},
		{event("any", "", "%PDF-1.4 nothing").as("application/pdf"), "payload-malformed"},
		{event("web", "", sent[0]).as("application/pdf"), "media-type-unsupported"},
	} {
		_, err := r.door.Accept(ctx, c.ev)
		if err == nil || Problem(err).Code != c.code {
			t.Errorf("want %s, got %v", c.code, err)
		}
	}
	if len(r.documents()) != 3 {
		t.Error("one of them came in")
	}
}
