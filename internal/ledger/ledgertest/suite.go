package ledgertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Run runs the suite. open gives a fresh ledger each time.
func Run(t *testing.T, open func(testing.TB) Backend) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Backend)
	}{
		{"DuplicateEvent", duplicateEvent},
		{"FirstDecisionStands", firstDecisionStands},
		{"ReplaySendsNothingAgain", replaySendsNothingAgain},
		{"GateIsDecidedOnce", gateIsDecidedOnce},
		{"Claims", claims},
		{"ClassNeverFalls", classNeverFalls},
		{"Halts", halts},
		{"Dispositions", dispositions},
		{"DeadLetter", deadLetter},
		{"ContextGivesWhatWasLetThrough", contextItems},
		{"HeldAndStubs", heldAndStubs},
		{"Withheld", withheld},
		{"Aliases", aliases},
		{"Outbox", outbox},
		{"Attempts", attempts},
		{"Reads", reads},
		{"GroupCommit", groupCommit},
		{"Tenants", tenants},
		{"SealAndProve", sealAndProve},
		{"SealedOnceAmongProcesses", sealedOnce},
		{"SealRefusesAnotherTree", sealRefuses},
		{"PublishedCheckpoints", published},
		{"VerifyFindsTampering", verifyFindsTampering},
		{"VerifyBesideAWriter", verifyBesideWriter},
		{"Audit", auditAccounts},
		{"AuditFindsFalseTables", auditFindsFalseTables},
		{"Export", export},
		{"Closed", closed},
		{"ErrorsKeepValues", errorsKeepValues},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

var ctx = context.Background()

func appendOK(t testing.TB, s *ledger.Store, batches ...ledger.Batch) []ledger.Appended {
	t.Helper()
	out, err := s.Append(ctx, batches...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func runOf(t testing.TB, s *ledger.Store, id chunk.ID) ledger.Run {
	t.Helper()
	return must[ledger.Run](t)(s.Run(ctx, id))
}

func count(t testing.TB, b Backend, table string) int {
	t.Helper()
	var n int
	if err := b.Insider.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// The same event again is a duplicate and changes nothing, whatever it brings.
func duplicateEvent(t *testing.T, b Backend) {
	s := b.Store
	d := Document("mail", 1, 3, chunk.Restricted)
	first := appendOK(t, s, d.Accept(t))[0]
	if first.Duplicate || !slices.Equal(first.Inserted, []bool{true, true}) {
		t.Fatalf("%+v", first)
	}
	other := d
	other.Class = chunk.PII
	other.Event.Commitment = strings.Repeat("f", 64)
	again := other.Accept(t)
	again.Records = append(again.Records, Record(t, provenance.KindRunEnded, d.Event.Run, d.Event.Run, provenance.RunChanged{RunID: d.Event.Run}))
	got := appendOK(t, s, again)[0]
	if !got.Duplicate || !slices.Equal(got.Inserted, []bool{false, false, false}) {
		t.Fatalf("%+v", got)
	}
	if diff := cmp.Diff(first.Event, got.Event); diff != "" {
		t.Error("the first event is not what comes back:", diff)
	}
	if diff := cmp.Diff(first.Records, got.Records[:2]); diff != "" {
		t.Error(diff)
	}
	if got.Records[2].ID != "" {
		t.Error("a record of a duplicate batch came back as if it were stored")
	}
	r := runOf(t, s, d.Event.Run)
	want := ledger.Run{ID: d.Event.Run, Tenant: "default", Class: chunk.Restricted, Opened: start, Documents: 1, Pending: 3}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
	if n := count(t, b, "outbox"); n != 1 {
		t.Errorf("%d outbox rows", n)
	}
	// Both in one call, and both in one transaction.
	d2 := Document("mail", 2, 1, chunk.Public)
	two := appendOK(t, s, d2.Accept(t), d2.Accept(t))
	if two[0].Duplicate || !two[1].Duplicate {
		t.Errorf("%+v", two)
	}
}

// A chunk is scanned once. A replay that decides otherwise changes nothing, and
// gets back what stands.
func firstDecisionStands(t *testing.T, b Backend) {
	s := b.Store
	d := Document("mail", 1, 2, chunk.Public)
	appendOK(t, s, d.Accept(t))
	first := ledger.Batch{Records: []provenance.Record{d.Clean(t, 0), d.Clean(t, 1)}}
	stored := appendOK(t, s, first)[0]

	replay := d.Hit(t, 0)
	replay.Records = append(replay.Records, d.Clean(t, 1))
	replay.Outbox = []ledger.Outgoing{{Topic: "x"}}
	got := appendOK(t, s, replay)[0]
	if !got.Duplicate || got.Records[0].Kind != provenance.KindScanned {
		t.Fatalf("%+v", got)
	}
	if diff := cmp.Diff(stored.Records[0], got.Records[0]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(stored.Records[1], got.Records[3]); diff != "" {
		t.Error(diff)
	}
	if got.Records[1].ID != "" || got.Records[2].ID != "" {
		t.Error("a gate and a halt that follow from no stored decision came back")
	}
	if r := runOf(t, s, d.Event.Run); r.Halted {
		t.Error("halted by a decision that does not stand")
	}
	if _, err := s.Gate(ctx, d.Gate(0)); !errors.Is(err, ledger.ErrNotFound) {
		t.Error("a gate of a decision that does not stand:", err)
	}
	if _, err := s.Held(ctx, d.Chunks[0]); !errors.Is(err, ledger.ErrNotFound) {
		t.Error("a held chunk of a decision that does not stand:", err)
	}
	// The same decision at another time is the same decision, and nothing to count.
	later := first
	later.Records = slices.Clone(first.Records)
	for i := range later.Records {
		later.Records[i].Time = start.Add(time.Hour)
		later.Records[i].Policy = "another"
	}
	got = appendOK(t, s, later)[0]
	if got.Duplicate || !got.Records[0].Time.Equal(start) || got.Inserted[0] {
		t.Errorf("%+v", got)
	}
	refused := must[map[string]int64](t)(s.Refused(ctx))
	if diff := cmp.Diff(map[string]int64{"injection-hit": 1}, refused); diff != "" {
		t.Error(diff)
	}
}

// What a replay would send again is not sent again; a batch without records is
// sent.
func replaySendsNothingAgain(t *testing.T, b Backend) {
	s := b.Store
	d := Document("mail", 1, 1, chunk.Public)
	batch := ledger.Batch{Records: []provenance.Record{d.Clean(t, 0)}, Outbox: []ledger.Outgoing{{Topic: "cleared", Value: []byte("x")}}}
	for range 3 {
		appendOK(t, s, batch)
	}
	if n := count(t, b, "outbox"); n != 1 {
		t.Errorf("%d outbox rows", n)
	}
	appendOK(t, s, ledger.Batch{Outbox: []ledger.Outgoing{{Topic: "y"}}})
	if n := count(t, b, "outbox"); n != 2 {
		t.Errorf("%d outbox rows", n)
	}
}

// Of many decisions of one gate, by several processes at once, one takes effect
// and all callers learn which. SPEC: QUA-4, QUA-6
func gateIsDecidedOnce(t *testing.T, b Backend) {
	stores := writers(t, b)
	d := Document("mail", 1, 1, chunk.Public)
	appendOK(t, b.Store, d.Accept(t), d.Hit(t, 0))
	const n = 24
	got := make([]ledger.Appended, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			batch := d.Decide(t, 0, []string{"reject", "release"}[i%2], fmt.Sprintf("reviewer-%d", i))
			batch.Records = append(batch.Records, Record(t, provenance.KindRunResumed, d.Event.Run, d.Event.Run,
				provenance.RunChanged{RunID: d.Event.Run, GateID: d.Gate(0)}, fmt.Sprint(i)))
			batch.Outbox = []ledger.Outgoing{{Topic: fmt.Sprintf("effect-%d", i)}}
			out, err := stores[i%len(stores)].Append(ctx, batch)
			if err != nil {
				t.Error(err)
				return
			}
			got[i] = out[0]
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	winners := 0
	for i := range got {
		if !got[i].Duplicate {
			winners++
		}
		if diff := cmp.Diff(got[0].Records[0], got[i].Records[0]); diff != "" {
			t.Fatal("callers learn different decisions:", diff)
		}
	}
	if winners != 1 {
		t.Errorf("%d decisions took effect", winners)
	}
	g := must[ledger.Gate](t)(b.Store.Gate(ctx, d.Gate(0)))
	if g.State != ledger.GateDecided || g.DecisionOrigin != "human-override" || g.Note != "seen" || g.ReasonCode != "confirmed" || !g.DecidedAt.Equal(start) {
		t.Errorf("%+v", g)
	}
	if n := count(t, b, "outbox"); n != 2 { // the document's, and one effect
		t.Errorf("%d outbox rows", n)
	}
	if r := must[[]ledger.Sealed](t)(b.Store.Records(ctx, ledger.RecordFilter{Kind: provenance.KindRunResumed})); len(r) != 1 {
		t.Errorf("%d resumptions", len(r))
	}
}

// writers gives stores that write to the ledger: several processes' on Postgres.
func writers(t testing.TB, b Backend) []*ledger.Store {
	t.Helper()
	stores := []*ledger.Store{b.Store}
	if b.Postgres {
		stores = append(stores, b.Another(t), b.Another(t))
	}
	return stores
}

func claimRecord(t testing.TB, d Doc, reviewer string, until time.Time) provenance.Record {
	t.Helper()
	return Record(t, provenance.KindGateClaimed, d.Event.Run, d.Gate(0),
		provenance.GateClaimed{GateID: d.Gate(0), Reviewer: reviewer, Until: until}, reviewer, until.Format(time.RFC3339Nano))
}

// A claim is a lease that one reviewer holds. SPEC: QUA-4
func claims(t *testing.T, b Backend) {
	s := b.Store
	d := Document("mail", 1, 1, chunk.Public)
	appendOK(t, s, d.Accept(t), d.Hit(t, 0))
	id, now := d.Gate(0), start
	claim := func(s *ledger.Store, who string, now, until time.Time) (ledger.Gate, error) {
		return s.ClaimGate(ctx, id, who, now, until, claimRecord(t, d, who, until))
	}
	if _, err := s.ClaimGate(ctx, chunk.NewID("gate", "none"), "ann", now, now.Add(time.Minute), claimRecord(t, d, "ann", now.Add(time.Minute))); !errors.Is(err, provenance.ErrMalformed) {
		t.Error("a record about another gate:", err)
	}
	if _, err := claim(s, "ann", now, now); !errors.Is(err, provenance.ErrMalformed) {
		t.Error("a lease that ends as it begins:", err)
	}
	// Many at once: one gets it.
	stores := writers(t, b)
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			_, err := claim(stores[i%len(stores)], fmt.Sprintf("reviewer-%d", i), now, now.Add(time.Minute))
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, ledger.ErrClaimed):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d reviewers hold the gate", won.Load())
	}
	g := must[ledger.Gate](t)(s.Gate(ctx, id))
	holder := g.Reviewer
	if g.State != ledger.GateClaimed || !g.LeaseUntil.Equal(now.Add(time.Minute)) {
		t.Errorf("%+v", g)
	}
	if _, err := claim(s, "ann", now.Add(59*time.Second), now.Add(2*time.Minute)); !errors.Is(err, ledger.ErrClaimed) {
		t.Error("taken from its holder:", err)
	}
	if _, err := claim(s, holder, now.Add(30*time.Second), now.Add(2*time.Minute)); err != nil {
		t.Error("the holder cannot renew:", err)
	}
	if g, err := claim(s, holder, now.Add(30*time.Second), now.Add(time.Minute)); err != nil || !g.LeaseUntil.Equal(now.Add(2*time.Minute)) {
		t.Errorf("a shorter claim of the holder: %+v %v", g, err)
	}
	lapsed := now.Add(2 * time.Minute)
	open := must[[]ledger.Gate](t)(s.Gates(ctx, ledger.GateFilter{State: ledger.GateOpen, Now: lapsed}))
	held := must[[]ledger.Gate](t)(s.Gates(ctx, ledger.GateFilter{State: ledger.GateClaimed, Now: lapsed.Add(-time.Second)}))
	if len(open) != 1 || len(held) != 1 {
		t.Errorf("%d open after the lease, %d claimed before its end", len(open), len(held))
	}
	if g, err := claim(s, "bob", lapsed, lapsed.Add(time.Minute)); err != nil || g.Reviewer != "bob" {
		t.Errorf("a lapsed lease cannot be taken: %+v %v", g, err)
	}
	n := len(must[[]ledger.Sealed](t)(s.Records(ctx, ledger.RecordFilter{Kind: provenance.KindGateClaimed})))
	if n != 3 {
		t.Errorf("%d claims recorded, want 3", n)
	}
	if _, err := s.Append(ctx, ledger.Batch{Records: []provenance.Record{claimRecord(t, d, "eve", lapsed.Add(time.Hour))}}); !errors.Is(err, provenance.ErrMalformed) {
		t.Error("a claim past the claims:", err)
	}
	appendOK(t, s, d.Decide(t, 0, "reject", "bob"))
	if _, err := claim(s, "ann", lapsed.Add(time.Hour), lapsed.Add(2*time.Hour)); !errors.Is(err, ledger.ErrDecided) {
		t.Error("claimed after its decision:", err)
	}
	clean(t, b)
}

// A run's class is the highest that anything ever brought, in whatever order and by
// however many processes. SPEC: CLS-6
func classNeverFalls(t *testing.T, b Backend) {
	stores := writers(t, b)
	d := Document("mail", 1, 1, chunk.Public)
	appendOK(t, b.Store, d.Accept(t))
	run := d.Event.Run
	if c := runOf(t, b.Store, run).Class; c != chunk.Public {
		t.Fatal(c)
	}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			c := chunk.Classes[i%3] // up to restricted
			if i == 7 {
				c = chunk.PII
			}
			rec := Record(t, provenance.KindRunClass, run, run, provenance.RunClass{RunID: run, DataClass: c, Cause: "retrieval"}, fmt.Sprint(i))
			if _, err := stores[i%len(stores)].Append(ctx, ledger.Batch{Records: []provenance.Record{rec}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if c := runOf(t, b.Store, run).Class; c != chunk.PII {
		t.Errorf("class %s", c)
	}
	// Nothing known to have entered is not "public".
	bare := chunk.NewID("run", "bare")
	appendOK(t, b.Store, ledger.Batch{Records: []provenance.Record{
		Record(t, provenance.KindRunHalted, bare, bare, provenance.RunChanged{RunID: bare}),
	}})
	if c := runOf(t, b.Store, bare).Class; c != chunk.Unclassified {
		t.Errorf("class %s of a run nothing is known of", c)
	}
	if _, err := b.Store.Run(ctx, chunk.NewID("run", "nobody's")); !errors.Is(err, ledger.ErrNotFound) {
		t.Error(err)
	}
	clean(t, b)
}

// A halt stands until its own gate lifts it. SPEC: QUA-1
func halts(t *testing.T, b Backend) {
	s := b.Store
	d := Document("mail", 1, 2, chunk.Public)
	run := d.Event.Run
	appendOK(t, s, d.Accept(t), d.Hit(t, 0), d.Hit(t, 1))
	change := func(kind provenance.Kind, gate chunk.ID, part string) {
		t.Helper()
		appendOK(t, s, ledger.Batch{Records: []provenance.Record{Record(t, kind, run, run, provenance.RunChanged{RunID: run, GateID: gate}, part)}})
	}
	if !runOf(t, s, run).Halted {
		t.Fatal("not halted")
	}
	change(provenance.KindRunResumed, d.Gate(0), "a")
	if !runOf(t, s, run).Halted {
		t.Error("one gate lifts another's halt")
	}
	change(provenance.KindRunResumed, d.Gate(1), "b")
	if runOf(t, s, run).Halted {
		t.Error("halted still")
	}
	change(provenance.KindRunHalted, "", "c")
	if !runOf(t, s, run).Halted {
		t.Error("not halted")
	}
	change(provenance.KindRunResumed, "", "d")
	change(provenance.KindRunIncomplete, "", "e")
	change(provenance.KindRunEnded, "", "f")
	r := runOf(t, s, run)
	if r.Halted || !r.Incomplete || !r.Ended || r.Gated != 2 || r.Pending != 0 {
		t.Errorf("%+v", r)
	}
	clean(t, b)
}

// A chunk ends once; a second, different end is refused and an audit names it.
// SPEC: PRV-9
func dispositions(t *testing.T, b Backend) {
	s := b.Store
	d := Document("mail", 1, 2, chunk.Public)
	appendOK(t, s, d.Accept(t), d.Hit(t, 0), ledger.Batch{Records: []provenance.Record{d.Clean(t, 1)}}, d.Decide(t, 0, "reject", "ann"))
	first := appendOK(t, s, d.End(t, 0, provenance.KindRejected, chunk.Rejected))[0]
	second := appendOK(t, s, d.End(t, 0, provenance.KindReleased, chunk.Released))[0]
	if second.Inserted[0] || second.Records[0].Kind != provenance.KindRejected {
		t.Errorf("%+v", second)
	}
	if diff := cmp.Diff(first.Records, second.Records); diff != "" {
		t.Error(diff)
	}
	appendOK(t, s, d.Clear(t, 1))
	got := must[[]ledger.Chunk](t)(s.RunChunks(ctx, d.Event.Run))
	want := []ledger.Chunk{
		{ID: d.Chunks[0], Event: d.Event.ID, Run: d.Event.Run, Tenant: "default", Verdict: "quarantine", Score: 0.99, Gate: d.Gate(0), Disposition: chunk.Rejected, Accepted: start},
		{ID: d.Chunks[1], Event: d.Event.ID, Run: d.Event.Run, Tenant: "default", Ordinal: 1, Verdict: "clean", Band: chunk.BandHigh, Score: 0.125, Disposition: chunk.Cleared, Accepted: start},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, ps := audit(t, s, 1e6*time.Hour)
	if len(ps) != 1 || ps[0].Code != ledger.DispositionRefused || ps[0].ID != d.Chunks[0] || !strings.HasPrefix(ps[0].Detail, "rejected stands; released was refused") {
		t.Errorf("%v", ps)
	}
}

// A dead letter ends what has no end yet, and its run never reads as whole again.
func deadLetter(t *testing.T, b Backend) {
	s := b.Store
	d := Document("mail", 1, 3, chunk.Public)
	appendOK(t, s, d.Accept(t), ledger.Batch{Records: []provenance.Record{d.Clean(t, 0)}}, d.Clear(t, 0))
	dead := Record(t, provenance.KindDeadLetter, d.Event.Run, d.Event.ID, provenance.DeadLetter{
		EventID: d.Event.ID, Stage: "detector", Reason: chunk.FailPoison, Attempts: 4, Position: "t/0@7",
	})
	appendOK(t, s, ledger.Batch{Records: []provenance.Record{dead}})
	var got []chunk.Disposition
	for _, c := range must[[]ledger.Chunk](t)(s.EventChunks(ctx, d.Event.ID)) {
		got = append(got, c.Disposition)
	}
	if diff := cmp.Diff([]chunk.Disposition{chunk.Cleared, chunk.DeadLettered, chunk.DeadLettered}, got); diff != "" {
		t.Error(diff)
	}
	if r := runOf(t, s, d.Event.Run); !r.Incomplete || r.Pending != 0 {
		t.Errorf("%+v", r)
	}
	clean(t, b)
	// What comes back from the dead is a contradiction that an audit names, and a
	// context does not get it.
	appendOK(t, s, d.Clear(t, 1))
	if items := must[[]ledger.ContextItem](t)(s.RunContext(ctx, d.Event.Run)); len(items) != 1 {
		t.Errorf("%d items", len(items))
	}
	_, ps := audit(t, s, 1e6*time.Hour)
	if len(ps) != 1 || ps[0].Code != ledger.DispositionDoubled || ps[0].ID != d.Chunks[1] {
		t.Errorf("%v", ps)
	}
}

// A context holds what was let through, in the order in which it was accepted, and
// what was retrieved after it. SPEC: QUA-2
func contextItems(t *testing.T, b Backend) {
	s := b.Store
	one, two := Document("mail", 1, 2, chunk.PII), Document("mail", 2, 1, chunk.Public)
	two.Event.Run = one.Event.Run
	corpus := Document("corpus", 3, 2, chunk.Internal)
	corpus.Event.Run, corpus.Event.Scope, corpus.Event.Collection = "", corpus.Event.ID, true
	appendOK(t, s, corpus.Accept(t), one.Accept(t), two.Accept(t), corpus.Clear(t, 1), two.Clear(t, 0), one.Clear(t, 1), one.Hit(t, 0))
	blocked := one.Clear(t, 0)
	blocked.Records = nil // an item without the end that lets it through
	appendOK(t, s, blocked)
	if r := runOf(t, s, one.Event.Run); r.Documents != 2 || r.Gated != 1 {
		t.Errorf("%+v", r)
	}
	ids := func(items []ledger.ContextItem, err error) []chunk.ID {
		t.Helper()
		var out []chunk.ID
		for _, i := range must[[]ledger.ContextItem](t)(items, err) {
			out = append(out, i.Chunk)
		}
		return out
	}
	if diff := cmp.Diff([]chunk.ID{one.Chunks[1], two.Chunks[0]}, ids(s.RunContext(ctx, one.Event.Run))); diff != "" {
		t.Error(diff)
	}
	want := []chunk.ID{corpus.Chunks[1]}
	ask := []chunk.ID{corpus.Chunks[0], corpus.Chunks[1], one.Chunks[1], "", corpus.Chunks[1]}
	if diff := cmp.Diff(want, ids(s.CollectionContext(ctx, "default", ask))); diff != "" {
		t.Error(diff)
	}
	if got := ids(s.CollectionContext(ctx, "other", ask)); len(got) != 0 {
		t.Error("another tenant's collection:", got)
	}
	item := must[[]ledger.ContextItem](t)(s.CollectionContext(ctx, "default", want))[0]
	item.Run = one.Event.Run
	appendOK(t, s, ledger.Batch{Context: []ledger.ContextItem{item, item}})
	got := must[[]ledger.ContextItem](t)(s.RunContext(ctx, one.Event.Run))
	if diff := cmp.Diff([]chunk.ID{one.Chunks[1], two.Chunks[0], corpus.Chunks[1]}, ids(got, nil)); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff(item, got[2]); diff != "" {
		t.Error(diff)
	}
	if _, err := s.RunContext(ctx, ""); !errors.Is(err, ledger.ErrNotFound) {
		t.Error("the context of no run:", err)
	}
}

func heldAndStubs(t *testing.T, b Backend) {
	s := b.Store
	d := Document("mail", 1, 1, chunk.Public)
	hit := d.Hit(t, 0)
	appendOK(t, s, d.Accept(t), hit)
	if diff := cmp.Diff(hit.Held[0], must[ledger.Held](t)(s.Held(ctx, d.Chunks[0]))); diff != "" {
		t.Error(diff)
	}
	a := ledger.Stub{Run: d.Event.Run, Name: "GUEST_FIRST_NAME", Commitment: "aa", Class: chunk.PII, Sinks: []string{"crm", "mail"}, Sealed: []byte("s")}
	z := ledger.Stub{Run: d.Event.Run, Name: "ANOTHER", Commitment: "bb", Class: chunk.Restricted, Sealed: []byte("t")}
	second := a
	second.Commitment = "cc"
	appendOK(t, s, ledger.Batch{Stubs: []ledger.Stub{a, z}}, ledger.Batch{Stubs: []ledger.Stub{second}})
	if diff := cmp.Diff([]ledger.Stub{z, a}, must[[]ledger.Stub](t)(s.Stubs(ctx, d.Event.Run))); diff != "" {
		t.Error(diff)
	}
}

func outbox(t *testing.T, b Backend) {
	s := b.Store
	var want []ledger.Outgoing
	for i := range 5 {
		o := ledger.Outgoing{Topic: fmt.Sprintf("t%d", i%2), Key: "k", Headers: map[string]string{"ce_id": fmt.Sprint(i)}, Value: []byte{0, byte(i)}}
		want = append(want, o)
		appendOK(t, s, ledger.Batch{Outbox: []ledger.Outgoing{o}})
	}
	select {
	case <-s.OutboxWake():
	case <-time.After(10 * time.Second):
		t.Error("no wake-up")
	}
	rows := must[[]ledger.OutboxRow](t)(s.Outbox(ctx, 4))
	var got []ledger.Outgoing
	for _, r := range rows {
		got = append(got, r.Outgoing)
	}
	if diff := cmp.Diff(want[:4], got); diff != "" {
		t.Error(diff)
	}
	if err := s.OutboxDone(ctx, []int64{rows[0].N, rows[2].N}); err != nil {
		t.Fatal(err)
	}
	left := must[[]ledger.OutboxRow](t)(s.Outbox(ctx, 0))
	if len(left) != 3 || left[0].N != rows[1].N {
		t.Errorf("%+v", left)
	}
	if err := s.OutboxDone(ctx, nil); err != nil {
		t.Error(err)
	}
}

func attempts(t *testing.T, b Backend) {
	s := b.Store
	bump := func(topic string, from, to int64) int {
		t.Helper()
		return must[int](t)(s.BumpAttempts(ctx, "detector", topic, 1, from, to))
	}
	for want := 1; want <= 3; want++ {
		if n := bump("t", 10, 19); n != want {
			t.Errorf("%d, want %d", n, want)
		}
	}
	if n := bump("t", 10, 18); n != 1 {
		t.Error(n)
	}
	if n := bump("u", 10, 19); n != 1 {
		t.Error(n)
	}
	if err := s.ClearAttempts(ctx, "detector", "t", 1, 18); err != nil {
		t.Fatal(err)
	}
	if n := bump("t", 10, 19); n != 4 {
		t.Errorf("%d: a range beyond the mark was forgotten", n)
	}
	if n := bump("t", 10, 18); n != 1 {
		t.Errorf("%d: a range within the mark was kept", n)
	}
	for range 2 { // one that is not counted stays so
		if err := s.UncountAttempts(ctx, "detector", "t", 1, [2]int64{10, 19}, [2]int64{10, 18}); err != nil {
			t.Fatal(err)
		}
	}
	if n := bump("t", 10, 19); n != 3 {
		t.Errorf("%d after two of four attempts were taken back, want 3", n)
	}
	if n := bump("t", 10, 18); n != 1 {
		t.Errorf("%d after all attempts were taken back, want 1", n)
	}
	if n := bump("u", 10, 19); n != 2 {
		t.Errorf("%d: another topic's attempt was taken back", n)
	}
}

func reads(t *testing.T, b Backend) {
	s := b.Store
	var docs []Doc
	for i := range 5 {
		d := Document("mail", i, 1, chunk.Public)
		d.Event.Run = chunk.NewID("run", "thread")
		docs = append(docs, d)
		appendOK(t, s, d.Accept(t), d.Hit(t, 0))
	}
	run := docs[0].Event.Run
	if diff := cmp.Diff(docs[4].Event, must[ledger.Event](t)(s.LastEvent(ctx, run))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(docs[2].Event, must[ledger.Event](t)(s.EventByID(ctx, docs[2].Event.ID))); diff != "" {
		t.Error(diff)
	}
	if evs := must[[]ledger.Event](t)(s.RunEvents(ctx, run)); len(evs) != 5 || evs[0].ID != docs[0].Event.ID {
		t.Errorf("%+v", evs)
	}
	for _, f := range []func() error{
		func() error { _, err := s.LastEvent(ctx, chunk.NewID("run", "none")); return err },
		func() error { _, err := s.LastEvent(ctx, ""); return err },
		func() error { _, err := s.EventByID(ctx, "x"); return err },
		func() error { _, err := s.Chunk(ctx, "x"); return err },
		func() error { _, err := s.Held(ctx, "x"); return err },
		func() error { _, err := s.Gate(ctx, "x"); return err },
		func() error { _, err := s.Record(ctx, "x"); return err },
		func() error { _, err := s.RecordAt(ctx, 0); return err },
		func() error { _, err := s.LastCheckpoint(ctx); return err },
	} {
		if err := f(); !errors.Is(err, ledger.ErrNotFound) {
			t.Error(err)
		}
	}
	// Records, by page and by filter.
	var all []ledger.Sealed
	for after := int64(0); ; {
		page := must[[]ledger.Sealed](t)(s.Records(ctx, ledger.RecordFilter{After: after, Limit: 7}))
		if len(page) == 0 {
			break
		}
		all = append(all, page...)
		after = page[len(page)-1].N
	}
	if len(all) != 5*5 || all[0].Seq != -1 || all[0].Record.Kind != provenance.KindAccepted {
		t.Fatalf("%d records", len(all))
	}
	for _, c := range []struct {
		f ledger.RecordFilter
		n int
	}{
		{ledger.RecordFilter{Run: run}, 25},
		{ledger.RecordFilter{Run: run, Kind: provenance.KindAccepted}, 5},
		{ledger.RecordFilter{Subject: docs[1].Gate(0)}, 1},
		{ledger.RecordFilter{Tenant: "other"}, 0},
		{ledger.RecordFilter{Tenant: "default", Limit: 3}, 3},
	} {
		if got := must[[]ledger.Sealed](t)(s.Records(ctx, c.f)); len(got) != c.n {
			t.Errorf("%+v: %d records, want %d", c.f, len(got), c.n)
		}
	}
	// Gates, likewise.
	appendOK(t, s, docs[1].Decide(t, 0, "reject", "ann"), docs[2].Decide(t, 0, "expire", "policy"))
	appendOK(t, s, ledger.Batch{Records: []provenance.Record{Record(t, provenance.KindGateApplied, run, docs[1].Gate(0), provenance.GateApplied{GateID: docs[1].Gate(0), Effect: "chunk-rejected"})}})
	for _, c := range []struct {
		f    ledger.GateFilter
		want []int
	}{
		{ledger.GateFilter{}, []int{0, 1, 2, 3, 4}},
		{ledger.GateFilter{After: docs[1].Gate(0), Limit: 2}, []int{2, 3}},
		{ledger.GateFilter{State: ledger.GateOpen}, []int{0, 3, 4}},
		{ledger.GateFilter{State: ledger.GateApplied}, []int{1}},
		{ledger.GateFilter{State: ledger.GateExpired}, []int{2}},
		{ledger.GateFilter{Run: run, Type: "injection", Source: "mail", Tenant: "default", About: docs[3].Chunks[0]}, []int{3}},
		{ledger.GateFilter{Tenant: "other"}, nil},
		{ledger.GateFilter{ExpiresBefore: start.Add(71 * time.Hour)}, nil},
		{ledger.GateFilter{ExpiresBefore: start.Add(73 * time.Hour)}, []int{0, 3, 4}},
	} {
		var got []int
		for _, g := range must[[]ledger.Gate](t)(s.Gates(ctx, c.f)) {
			got = append(got, slices.IndexFunc(docs, func(d Doc) bool { return d.Gate(0) == g.ID }))
		}
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%+v: %s", c.f, diff)
		}
	}
	g := must[ledger.Gate](t)(s.Gate(ctx, docs[0].Gate(0)))
	want := ledger.Gate{
		ID: docs[0].Gate(0), Tenant: "default", Type: "injection", State: "open", Source: "mail", Run: run, About: docs[0].Chunks[0], Class: chunk.Public,
		Rules: []string{"override.ignore"}, Score: 0.99, Failure: chunk.FailPromptInjection, Opened: start, Expires: start.Add(72 * time.Hour),
	}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Error(diff)
	}
	clean(t, b)
}

// Many callers share transactions; a batch that cannot be written fails alone.
func groupCommit(t *testing.T, b Backend) {
	stores := writers(t, b)
	const n = 300
	var failed, written, duplicates atomic.Int32
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			s := stores[i%len(stores)]
			d := Document("mail", i/2, 2, chunk.Internal) // each one twice, at once
			batch := d.Accept(t)
			if i%50 == 13 {
				// A run of another tenant: found out only in the transaction.
				d = Document("bad", i, 1, chunk.Internal)
				d.Event.Run = chunk.NewID("run", "theirs")
				batch = d.Accept(t)
			}
			out, err := s.Append(ctx, batch)
			switch {
			case errors.Is(err, ledger.ErrTenant):
				failed.Add(1)
			case err != nil:
				t.Error(err)
			case out[0].Duplicate:
				duplicates.Add(1)
			default:
				written.Add(1)
			}
		})
		if i == 0 {
			wg.Wait()
			theirs := Record(t, provenance.KindRunHalted, chunk.NewID("run", "theirs"), chunk.NewID("run", "theirs"), provenance.RunChanged{RunID: chunk.NewID("run", "theirs")})
			theirs.Tenant = "theirs"
			appendOK(t, b.Store, ledger.Batch{Records: []provenance.Record{theirs}})
		}
	}
	wg.Wait()
	if failed.Load() != 6 || written.Load() != n/2 || duplicates.Load() != n/2-6 {
		t.Errorf("%d failed, %d written, %d duplicates", failed.Load(), written.Load(), duplicates.Load())
	}
	if got := count(t, b, "record"); got != n/2*2+1 {
		t.Errorf("%d records", got)
	}
	if got := count(t, b, "outbox"); got != n/2 {
		t.Errorf("%d outbox rows", got)
	}
	// In one call: the others are written, and the error tells of the bad one.
	ok, bad := Document("call", 1, 1, chunk.Public), Document("call", 2, 1, chunk.Public)
	badBatch := bad.Accept(t)
	badBatch.Records[0].Actor = ""
	out, err := b.Store.Append(ctx, badBatch, ok.Accept(t))
	if !errors.Is(err, provenance.ErrMalformed) || len(out) != 2 || out[0].Records != nil || !out[1].Inserted[0] {
		t.Errorf("%+v %v", out, err)
	}
	clean(t, b)
}

// A record about another tenant's run is refused.
func tenants(t *testing.T, b Backend) {
	d := Document("mail", 1, 1, chunk.Public)
	appendOK(t, b.Store, d.Accept(t))
	foreign := Document("mail", 2, 1, chunk.PII)
	foreign.Event.Run = d.Event.Run
	batch := foreign.Accept(t)
	for i := range batch.Records {
		batch.Records[i].Tenant = "other"
	}
	if _, err := b.Store.Append(ctx, batch); !errors.Is(err, ledger.ErrTenant) {
		t.Error(err)
	}
	if _, err := b.Store.EventByID(ctx, foreign.Event.ID); !errors.Is(err, ledger.ErrNotFound) {
		t.Error("half of it is written:", err)
	}
	if r := runOf(t, b.Store, d.Event.Run); r.Class != chunk.Public || r.Documents != 1 {
		t.Errorf("%+v", r)
	}
}

func audit(t testing.TB, s *ledger.Store, grace time.Duration) (ledger.AuditReport, []provenance.Problem) {
	t.Helper()
	var ps []provenance.Problem
	r, err := s.Audit(ctx, grace, func(p provenance.Problem) { ps = append(ps, p) })
	if err != nil {
		t.Fatal(err)
	}
	if int(r.Problems) != len(ps) {
		t.Fatalf("%d problems counted, %d reported", r.Problems, len(ps))
	}
	return r, ps
}

func verify(t testing.TB, s *ledger.Store, outside [][]byte, keys ...note.Verifier) (ledger.Verification, []provenance.Problem) {
	t.Helper()
	var ps []provenance.Problem
	v, err := s.Verify(ctx, outside, keys, func(p provenance.Problem) { ps = append(ps, p) })
	if err != nil {
		t.Fatal(err)
	}
	if int(v.Problems) != len(ps) {
		t.Fatalf("%d problems counted, %d reported", v.Problems, len(ps))
	}
	return v, ps
}

// clean checks that the tables say what the records say. The grace is long: what
// is under way is not what is asked.
func clean(t testing.TB, b Backend) {
	t.Helper()
	if _, ps := audit(t, b.Store, 1e6*time.Hour); len(ps) > 0 {
		t.Errorf("audit: %v", ps)
	}
}

// fill appends and seals documents, so that there are several checkpoints and a
// full tile.
func fill(t testing.TB, s *ledger.Store, signer note.Signer, docs int) [][]byte {
	t.Helper()
	var notes [][]byte
	for i := range docs {
		d := Document("fill", i, 3, chunk.Internal)
		batches := []ledger.Batch{d.Accept(t)}
		for c := range d.Chunks {
			if (i+c)%7 == 3 {
				batches = append(batches, d.Hit(t, c))
				continue
			}
			batches = append(batches, ledger.Batch{Records: []provenance.Record{d.Clean(t, c)}}, d.Clear(t, c))
		}
		appendOK(t, s, batches...)
		if i%5 == 4 || i == docs-1 {
			made := SealAll(t, s, signer)
			if len(made) == 0 {
				t.Fatal("nothing was sealed")
			}
			for _, cp := range made {
				notes = append(notes, cp.Note)
			}
		}
	}
	return notes
}

// SealAll seals until no record waits, and gives the checkpoints that it made. On a server
// that others use too a record waits for every transaction that was under way when it was
// written, in whichever database: then one call finds nothing to do, or not everything.
func SealAll(t testing.TB, s *ledger.Store, signer note.Signer) (made []provenance.Checkpoint) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		cp, sealed, err := s.Seal(ctx, signer)
		if err != nil {
			t.Fatal(err)
		}
		if sealed {
			made = append(made, cp)
		}
		n, err := s.Unsealed(ctx)
		switch {
		case err != nil:
			t.Fatal(err)
		case n == 0:
			return made
		case time.Now().After(end):
			t.Fatalf("%d records wait to be sealed", n)
		}
	}
}

// Sealed records are in a tree that proofs lead into. SPEC: PRV-1
func sealAndProve(t *testing.T, b Backend) {
	s := b.Store
	signer, key := Key(t, "ledger.example")
	if cp, sealed, err := s.Seal(ctx, signer); err != nil || sealed || cp.Size != 0 {
		t.Errorf("an empty ledger: %+v %v %v", cp, sealed, err)
	}
	notes := fill(t, s, signer, 40)
	if n := must[int64](t)(s.Unsealed(ctx)); n != 0 {
		t.Errorf("%d unsealed", n)
	}
	cp := must[provenance.Checkpoint](t)(s.LastCheckpoint(ctx))
	again, sealed, err := s.Seal(ctx, signer)
	if err != nil || sealed || !bytes.Equal(again.Note, cp.Note) {
		t.Errorf("sealed again: %v %v", sealed, err)
	}
	v, ps := verify(t, s, notes, key)
	if len(ps) > 0 || v.Size != cp.Size || v.Root != cp.Root || v.Tiles == 0 || int(v.Checkpoints) != len(notes) || int(v.Outside) != len(notes) {
		t.Errorf("%+v %v", v, ps)
	}
	all := must[[]ledger.Sealed](t)(s.Records(ctx, ledger.RecordFilter{Limit: 10_000}))
	if int64(len(all)) != cp.Size {
		t.Fatalf("%d records, %d sealed", len(all), cp.Size)
	}
	seen := map[int64]bool{}
	for i, r := range all {
		seen[r.Seq] = true
		if i%37 != 0 && r.Seq != 255 && r.Seq != 256 {
			continue
		}
		got, p, err := s.Prove(ctx, r.Record.ID)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = provenance.ParseProof(p.Text()); err != nil {
			t.Fatal(err)
		}
		if c, err := p.Check(got.Canon, key); err != nil || c.Size != cp.Size {
			t.Errorf("seq %d: %v", r.Seq, err)
		}
		if at := must[ledger.Sealed](t)(s.RecordAt(ctx, r.Seq)); at.Record.ID != r.Record.ID {
			t.Errorf("seq %d holds another record", r.Seq)
		}
	}
	if len(seen) != len(all) || seen[-1] {
		t.Errorf("%d places for %d records", len(seen), len(all))
	}
	for i := 1; i < len(notes); i++ {
		older, err1 := provenance.OpenCheckpoint(notes[i-1], key)
		newer, err2 := provenance.OpenCheckpoint(notes[i], key)
		hs, err3 := s.ProveConsistency(ctx, older.Size, newer.Size)
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		if err := provenance.CheckConsistency(older, newer, hs); err != nil {
			t.Error(err)
		}
	}
	late := Document("late", 1, 1, chunk.Public)
	out := appendOK(t, s, late.Accept(t))
	if _, _, err := s.Prove(ctx, out[0].Records[0].ID); !errors.Is(err, ledger.ErrNotFound) {
		t.Error("a proof of what is not sealed:", err)
	}
	if v, ps := verify(t, s, notes, key); len(ps) > 0 || v.Unsealed != 2 {
		t.Errorf("%+v %v", v, ps)
	}
}

// Several sealers and writers at once: each record has one place.
func sealedOnce(t *testing.T, b Backend) {
	signer, key := Key(t, "ledger.example")
	stores := writers(t, b)
	done := make(chan struct{})
	var sealers, wg sync.WaitGroup
	for _, s := range stores {
		sealers.Go(func() {
			for {
				if _, _, err := s.Seal(ctx, signer); err != nil && !errors.Is(err, ledger.ErrUnavailable) {
					t.Error(err)
				}
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
				}
			}
		})
		for w := range 3 {
			wg.Go(func() {
				for i := range 25 {
					d := Document(fmt.Sprintf("w%d-%p", w, s), i, 2, chunk.Public)
					if _, err := s.Append(ctx, d.Accept(t)); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	close(done)
	sealers.Wait()
	SealAll(t, b.Store, signer)
	v, ps := verify(t, b.Store, nil, key)
	if want := int64(len(stores) * 3 * 25 * 2); len(ps) > 0 || v.Size != want || v.Unsealed != 0 {
		t.Errorf("%+v %v, want %d", v, ps, want)
	}
}

// A sealer does not sign over a tree that is not the one it signed before.
func sealRefuses(t *testing.T, b Backend) {
	s := b.Store
	signer, _ := Key(t, "ledger.example")
	fill(t, s, signer, 5)
	b.Unguard(t)
	exec(t, b.Insider, "UPDATE leaf SET hash = (SELECT hash FROM leaf WHERE seq = 0) WHERE seq = 3")
	// The store that has the edge in memory sees nothing: only one that reads it.
	appendOK(t, s, Document("x", 1, 1, chunk.Public).Accept(t))
	fresh := s
	if b.Postgres {
		fresh = b.Another(t)
	} else {
		fresh = must[*ledger.Store](t)(ledger.OpenSQLite(ctx, b.DSN))
		defer closeStore(t, fresh)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // see SealAll
		_, sealed, err := fresh.Seal(ctx, signer)
		if err == nil && !sealed && time.Now().Before(end) {
			continue
		}
		if !errors.Is(err, ledger.ErrTree) {
			t.Errorf("sealed %v, %v", sealed, err)
		}
		return
	}
}

// What a run did not get is known to every process, until the run gets it.
func withheld(t *testing.T, b Backend) {
	s := b.Store
	page := Document("page", 1, 3, chunk.Internal)
	page.Event.Run, page.Event.Collection = "", true
	appendOK(t, s, page.Accept(t), page.Hit(t, 0))
	run := Document("mail", 1, 1, chunk.Internal)
	appendOK(t, s, run.Accept(t))
	id, elsewhere := run.Event.Run, chunk.ChunkID("evt_elsewhere", 0)
	asked := []chunk.ID{page.Chunks[0], page.Chunks[1], elsewhere}
	hidden := must[map[chunk.ID]string](t)(s.NotLetThrough(ctx, page.Event.Tenant, asked))
	if len(hidden) != 2 || hidden[page.Chunks[0]] != page.Event.Source || hidden[elsewhere] != "" {
		t.Errorf("not let through: %v", hidden)
	}
	if h := must[map[chunk.ID]string](t)(s.NotLetThrough(ctx, "another", asked)); len(h) != 0 {
		t.Errorf("another tenant's: %v", h)
	}
	missed := func(want int) {
		t.Helper()
		for _, st := range []*ledger.Store{s, b.Another(t)} {
			if n := must[int](t)(st.Withheld(ctx, id)); n != want {
				t.Errorf("%d withheld, want %d", n, want)
			}
		}
	}
	missed(0)
	w := ledger.Batch{Withheld: []ledger.Withheld{{Run: id, Chunk: page.Chunks[0]}, {Run: id, Chunk: page.Chunks[1]}}}
	appendOK(t, s, w, w)
	missed(2)
	appendOK(t, s, ledger.Batch{Context: []ledger.ContextItem{{Chunk: page.Chunks[1], Event: page.Event.ID, Run: id, Scope: page.Event.Scope, Source: page.Event.Source, Class: chunk.Internal, Band: chunk.BandHigh}}})
	missed(1)
}

// An event is found under its alias too, and stored once whatever it is called, by
// however many processes at the same time.
func aliases(t *testing.T, b Backend) {
	s := b.Store
	alias := chunk.EventID("t", "mail", "the bytes")
	const each = 8
	out := make([][]ledger.Appended, each)
	var wg sync.WaitGroup
	for i := range each {
		wg.Go(func() {
			d := Document("mail", i, 1, chunk.Internal)
			d.Event.Alias = alias
			var err error
			if out[i], err = s.Append(ctx, d.Accept(t)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	first := must[ledger.Event](t)(s.EventByAlias(ctx, alias))
	news := 0
	for _, o := range out {
		if len(o) != 1 || o[0].Event.ID != first.ID {
			t.Fatalf("%+v, want %s", o, first.ID)
		}
		if !o[0].Duplicate {
			news++
		}
	}
	if news != 1 {
		t.Errorf("%d events were new", news)
	}
	if recs := must[[]ledger.Sealed](t)(s.Records(ctx, ledger.RecordFilter{Kind: provenance.KindAccepted})); len(recs) != 1 {
		t.Errorf("%d accepted records", len(recs))
	}
	other := Document("mail", 99, 1, chunk.Internal)
	if o := appendOK(t, s, other.Accept(t)); o[0].Duplicate {
		t.Error("an event without an alias is a duplicate")
	}
	if _, err := s.EventByAlias(ctx, chunk.EventID("t", "mail", "other bytes")); !errors.Is(err, ledger.ErrNotFound) {
		t.Error(err)
	}
}

// Each checkpoint is copied outside, in order, once the copy works, and the newest
// one again after a start.
func published(t *testing.T, b Backend) {
	s := b.Store
	signer, key := Key(t, "ledger.example")
	file := filepath.Join(t.TempDir(), "copies", "checkpoints")
	keep := ledger.CheckpointFile(file)
	fails := 3
	for round := range 2 {
		c, cancel := context.WithCancel(ctx)
		enough := make(chan struct{})
		got := 0
		go func() {
			defer cancel()
			for i := range 4 {
				if _, err := s.Append(ctx, Document(fmt.Sprint("round", round), i, 1, chunk.Public).Accept(t)); err != nil {
					t.Error(err)
				}
				time.Sleep(20 * time.Millisecond)
			}
			<-enough
		}()
		err := s.RunSealer(c, signer, 5*time.Millisecond, func(ctx context.Context, text []byte) error {
			if fails > 0 {
				fails--
				return errors.New("the other machine is away")
			}
			if err := keep(ctx, text); err != nil {
				return err
			}
			cp, err := provenance.OpenCheckpoint(text, key)
			if err != nil {
				return err
			}
			if n, err := s.Unsealed(ctx); err == nil && n == 0 && cp.Size == int64(8*(round+1)) && got == 0 {
				got = int(cp.Size)
				close(enough)
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	notes := must[[][]byte](t)(ledger.ReadCheckpoints(file))
	var sizes []int64
	for _, n := range notes {
		sizes = append(sizes, must[provenance.Checkpoint](t)(provenance.OpenCheckpoint(n, key)).Size)
	}
	if !slices.IsSorted(sizes) || len(sizes) != len(slices.Compact(slices.Clone(sizes))) || sizes[len(sizes)-1] != 16 {
		t.Errorf("copies of sizes %v", sizes)
	}
	v, ps := verify(t, s, notes, key)
	if len(ps) > 0 || int(v.Outside) != len(notes) || v.Checkpoints != v.Outside {
		t.Errorf("%+v %v", v, ps)
	}
	// A copy that a crash cut off is cut away, and what stood before it stays.
	whole := must[[]byte](t)(os.ReadFile(file))
	if err := os.WriteFile(file, whole[:len(whole)-30], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := keep(ctx, notes[len(notes)-1]); err != nil {
		t.Fatal(err)
	}
	if again := must[[]byte](t)(os.ReadFile(file)); !bytes.Equal(again, whole) {
		t.Error("the file is not what it was")
	}
}

// Whoever changes the tables is found out, with a copy of a checkpoint kept
// outside. SPEC: PRV-1
func verifyFindsTampering(t *testing.T, b Backend) {
	s := b.Store
	signer, key := Key(t, "ledger.example")
	notes := fill(t, s, signer, 40)
	outside := notes[len(notes)-1:]
	b.Unguard(t)
	size := must[provenance.Checkpoint](t)(s.LastCheckpoint(ctx)).Size
	if size <= provenance.TileWidth {
		t.Fatalf("only %d records: no full tile to tamper with", size)
	}
	other := func(q string) string { // a hex literal of the database
		if b.Postgres {
			return strings.ReplaceAll(q, "X'", "'\\x")
		}
		return q
	}
	found := func(want ...provenance.Code) {
		t.Helper()
		_, ps := verify(t, s, outside, key)
		var got []provenance.Code
		for _, p := range ps {
			if !slices.Contains(got, p.Code) {
				got = append(got, p.Code)
			}
		}
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("want %v, got %v", want, ps)
			}
		}
	}
	// Each change is undone in a transaction that is rolled back.
	try := func(name string, want []provenance.Code, statements ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			if _, ps := verify(t, s, outside, key); len(ps) > 0 {
				t.Fatalf("not clean before: %v", ps)
			}
			for _, table := range []string{"record", "leaf", "tile", "checkpoint"} {
				exec(t, b.Insider, "DROP TABLE IF EXISTS keep_"+table)
				exec(t, b.Insider, "CREATE TABLE keep_"+table+" AS SELECT * FROM "+table)
			}
			for _, q := range statements {
				exec(t, b.Insider, other(q))
			}
			found(want...)
			for _, table := range []string{"leaf", "tile", "checkpoint", "record"} {
				exec(t, b.Insider, "DELETE FROM "+table)
				overriding := ""
				if b.Postgres && table == "record" {
					overriding = " OVERRIDING SYSTEM VALUE"
				}
				exec(t, b.Insider, "INSERT INTO "+table+overriding+" SELECT * FROM keep_"+table)
			}
		})
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		at := rnd.Int64N(size - 1)
		id := fmt.Sprintf("(SELECT record_id FROM leaf WHERE seq = %d)", at)
		next := fmt.Sprintf("(SELECT record_id FROM leaf WHERE seq = %d)", at+1)
		c := func(cs ...provenance.Code) []provenance.Code { return cs }
		try("edit", c(provenance.RecordChanged), "UPDATE record SET canon = X'7b7d' WHERE record_id = "+id)
		try("edit a column", c(provenance.RecordColumns), "UPDATE record SET run = 'run_x' WHERE record_id = "+id)
		try("edit the kind", c(provenance.RecordColumns), "UPDATE record SET kind = 'erasure' WHERE record_id = "+id)
		try("delete the record", c(provenance.RecordMissing), "DELETE FROM record WHERE record_id = "+id)
		try("delete record and leaf", c(provenance.LeafGap, provenance.OutsideBeyond),
			"DELETE FROM record WHERE record_id = "+id, fmt.Sprintf("DELETE FROM leaf WHERE seq = %d", at))
		try("delete the leaf", c(provenance.LeafGap, provenance.RecordNotInTree), fmt.Sprintf("DELETE FROM leaf WHERE seq = %d", at))
		try("swap two records", c(provenance.RecordChanged, provenance.RecordColumns),
			"UPDATE record SET canon = (SELECT k.canon FROM keep_record k WHERE k.record_id = "+next+"), leaf = (SELECT k.leaf FROM keep_record k WHERE k.record_id = "+next+") WHERE record_id = "+id)
		try("reorder two leaves", c(provenance.CheckpointRoot, provenance.OutsideRoot),
			fmt.Sprintf("UPDATE leaf SET seq = -1 WHERE seq = %d", at), fmt.Sprintf("UPDATE leaf SET seq = %d WHERE seq = %d", at, at+1),
			fmt.Sprintf("UPDATE leaf SET seq = %d WHERE seq = -1", at+1))
		try("cut off the end", c(provenance.OutsideBeyond),
			fmt.Sprintf("DELETE FROM record WHERE record_id IN (SELECT record_id FROM leaf WHERE seq >= %d)", at), fmt.Sprintf("DELETE FROM leaf WHERE seq >= %d", at),
			fmt.Sprintf("DELETE FROM checkpoint WHERE size > %d", at))
		try("change a tile", c(provenance.TileChanged), "UPDATE tile SET root = (SELECT hash FROM leaf WHERE seq = 0)")
		try("delete a tile", c(provenance.TileMissing), "DELETE FROM tile")
		try("delete a checkpoint", c(provenance.CheckpointMissing), fmt.Sprintf("DELETE FROM checkpoint WHERE size = %d", size))
		try("insert a record behind", c(provenance.RecordNotInTree), insertBehind(b, at))
	}
}

// insertBehind copies a record under another id, among sealed ones.
func insertBehind(b Backend, at int64) string {
	cols, vals := "n, record_id, tenant, run, subject, kind, at, canon, leaf", "-5, 'rec_x', tenant, run, subject, kind, at, canon, leaf"
	overriding := ""
	if b.Postgres {
		overriding = " OVERRIDING SYSTEM VALUE"
		cols, vals = "tx, "+cols, "'1'::xid8, "+vals
	}
	return fmt.Sprintf("INSERT INTO record (%s)%s SELECT %s FROM record WHERE record_id = (SELECT record_id FROM leaf WHERE seq = %d)", cols, overriding, vals, at)
}

// Verification and audit read beside writers and a sealer and find nothing wrong.
func verifyBesideWriter(t *testing.T, b Backend) {
	s := b.Store
	signer, key := Key(t, "ledger.example")
	fill(t, s, signer, 5)
	reader := b.Another(t)
	done := make(chan struct{})
	var wg sync.WaitGroup
	var mu sync.Mutex
	var copies [][]byte
	wg.Go(func() {
		for i := 0; ; i++ {
			d := Document("beside", i, 2, chunk.Public)
			if _, err := s.Append(ctx, d.Accept(t), ledger.Batch{Records: []provenance.Record{d.Clean(t, 0), d.Clean(t, 1)}}, d.Clear(t, 0), d.Clear(t, 1)); err != nil {
				t.Error(err)
			}
			cp, sealed, err := s.Seal(ctx, signer)
			if err != nil {
				t.Error(err)
			}
			if sealed {
				mu.Lock()
				copies = append(copies, cp.Note)
				mu.Unlock()
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	var last int64
	for range 8 {
		mu.Lock()
		outside := slices.Clone(copies)
		mu.Unlock()
		v, ps := verify(t, reader, outside, key)
		if len(ps) > 0 {
			t.Fatalf("%+v %v", v, ps)
		}
		if _, ps := audit(t, reader, 1e6*time.Hour); len(ps) > 0 {
			t.Fatal(ps)
		}
		last = v.Size
	}
	close(done)
	wg.Wait()
	if v, _ := verify(t, reader, nil, key); v.Size < last || last <= 5*5 {
		t.Errorf("the writer stood still at %d", last)
	}
}

// Every accepted chunk is accounted for, or named. SPEC: PRV-9
func auditAccounts(t *testing.T, b Backend) {
	s := b.Store
	signer, _ := Key(t, "ledger.example")
	cleared, gated, lost, rejected, unapplied := Document("m", 1, 2, chunk.Public), Document("m", 2, 1, chunk.Public), Document("m", 3, 2, chunk.Public),
		Document("m", 4, 1, chunk.Public), Document("m", 5, 1, chunk.Public)
	appendOK(t, s, cleared.Accept(t), cleared.Clear(t, 0), cleared.Clear(t, 1), gated.Accept(t), gated.Hit(t, 0), lost.Accept(t), lost.Clear(t, 0),
		rejected.Accept(t), rejected.Hit(t, 0), rejected.Decide(t, 0, "expire", "policy"), rejected.End(t, 0, provenance.KindRejected, chunk.Expired),
		unapplied.Accept(t), unapplied.Hit(t, 0), unapplied.Decide(t, 0, "release", "ann"))
	SealAll(t, s, signer)
	ago := time.Since(start)
	r, ps := audit(t, s, ago+time.Hour)
	if len(ps) > 0 || r.InFlight != 2 || r.Pending != 1 || r.Documents != 5 || r.Chunks != 7 {
		t.Errorf("%+v %v", r, ps)
	}
	if diff := cmp.Diff(map[string]int64{"cleared": 3, "expired": 1}, r.Final); diff != "" {
		t.Error(diff)
	}
	if n := int64(count(t, b, "record")); r.Records != n {
		t.Errorf("%d records read, %d stored", r.Records, n)
	}
	r, ps = audit(t, s, ago-time.Hour)
	slices.SortFunc(ps, func(a, b provenance.Problem) int { return strings.Compare(a.Detail, b.Detail) })
	want := []provenance.Problem{
		{Code: ledger.ChunkUnfinished, Seq: -1, ID: lost.Chunks[1], Detail: "no scan, no gate, document " + string(lost.Event.ID)},
		{Code: ledger.ChunkUnfinished, Seq: -1, ID: unapplied.Chunks[0], Detail: "scanned quarantine, gate decided, document " + string(unapplied.Event.ID)},
	}
	if diff := cmp.Diff(want, ps); diff != "" {
		t.Error(diff)
	}
	if r.InFlight != 0 || r.Pending != 1 {
		t.Errorf("%+v", r)
	}
	// A record that nobody seals, an end of what was never accepted, and gates that
	// were never opened or decided.
	stray := Document("m", 9, 1, chunk.Public)
	appendOK(t, s, stray.Clear(t, 0), stray.Decide(t, 0, "reject", "ann"), ledger.Batch{Records: []provenance.Record{
		Record(t, provenance.KindGateApplied, gated.Event.Run, gated.Gate(0), provenance.GateApplied{GateID: gated.Gate(0), Effect: "none"}),
	}})
	_, ps = audit(t, s, ago-time.Hour)
	got := map[provenance.Code]int{}
	for _, p := range ps {
		got[p.Code]++
	}
	wantCodes := map[provenance.Code]int{ledger.ChunkUnfinished: 2, ledger.ChunkUnknown: 1, ledger.GateUnknown: 1, ledger.GateUndecided: 1, ledger.RecordUnsealed: 3}
	if diff := cmp.Diff(wantCodes, got); diff != "" {
		t.Error(diff)
	}
}

// Tables that say something else than the records are named. SPEC: PRV-9
func auditFindsFalseTables(t *testing.T, b Backend) {
	s := b.Store
	signer, _ := Key(t, "ledger.example")
	fill(t, s, signer, 8)
	b.Unguard(t)
	const grace = 1e6 * time.Hour
	if _, ps := audit(t, s, grace); len(ps) > 0 {
		t.Fatal(ps)
	}
	for _, c := range []struct {
		table, change string
		code          provenance.Code
	}{
		{"run", "UPDATE run SET class = 0 WHERE id = (SELECT min(id) FROM run)", ledger.RunMismatch},
		{"run", "UPDATE run SET halts = '' WHERE halts <> ''", ledger.RunMismatch},
		{"run", "DELETE FROM run WHERE id = (SELECT min(id) FROM run)", ledger.RunMismatch},
		{"chunk", "UPDATE chunk SET disposition = 'cleared' WHERE disposition = 'pending'", ledger.ChunkMismatch},
		{"chunk", "UPDATE chunk SET verdict = 'clean' WHERE verdict = 'quarantine'", ledger.ChunkMismatch},
		{"chunk", "DELETE FROM chunk WHERE id = (SELECT min(id) FROM chunk)", ledger.ChunkMismatch},
		{"gate", "UPDATE gate SET state = 'decided', decision = 'release' WHERE id = (SELECT min(id) FROM gate)", ledger.GateMismatch},
		{"gate", "UPDATE gate SET class = 'public' WHERE id = (SELECT min(id) FROM gate)", ledger.GateMismatch},
		{"gate", "DELETE FROM gate", ledger.GateMismatch},
		{"event", "UPDATE event SET evidence = 'ev://00000000000000000000000000000000' WHERE n = (SELECT max(n) FROM event)", ledger.EventMismatch},
		{"event", "DELETE FROM event WHERE n = (SELECT min(n) FROM event)", ledger.EventMismatch},
	} {
		exec(t, b.Insider, "DROP TABLE IF EXISTS keep")
		exec(t, b.Insider, "CREATE TABLE keep AS SELECT * FROM "+c.table)
		exec(t, b.Insider, c.change)
		_, ps := audit(t, s, grace)
		if !slices.ContainsFunc(ps, func(p provenance.Problem) bool { return p.Code == c.code && p.ID != "" }) {
			t.Errorf("%s: %v", c.change, ps)
		}
		exec(t, b.Insider, "DELETE FROM "+c.table)
		overriding := ""
		if b.Postgres && (c.table == "gate" || c.table == "event") {
			overriding = " OVERRIDING SYSTEM VALUE"
		}
		exec(t, b.Insider, "INSERT INTO "+c.table+overriding+" SELECT * FROM keep")
	}
	if _, ps := audit(t, s, grace); len(ps) > 0 {
		t.Fatal("not restored:", ps)
	}
}

// An export is checked without the database, and a change to any of its files is
// found. SPEC: PRV-1
func export(t *testing.T, b Backend) {
	s := b.Store
	signer, key := Key(t, "ledger.example")
	if _, err := s.Export(ctx, filepath.Join(t.TempDir(), "x")); !errors.Is(err, ledger.ErrNotFound) {
		t.Error("an export of nothing:", err)
	}
	notes := fill(t, s, signer, 40)
	appendOK(t, s, Document("late", 1, 1, chunk.Public).Accept(t)) // not sealed, so left out
	dir := filepath.Join(t.TempDir(), "export")
	cp := must[provenance.Checkpoint](t)(s.Export(ctx, dir))
	if _, err := s.Export(ctx, dir); err == nil {
		t.Error("exported over another export")
	}
	check := func() (provenance.Verified, []provenance.Problem) {
		t.Helper()
		var ps []provenance.Problem
		v, err := ledger.VerifyExport(dir, notes, []note.Verifier{key}, func(p provenance.Problem) { ps = append(ps, p) })
		if err != nil {
			t.Fatal(err)
		}
		return v, ps
	}
	v, ps := check()
	if len(ps) > 0 || v.Size != cp.Size || v.Root != cp.Root || int(v.Checkpoints) != len(notes) || v.Tiles < 3 {
		t.Fatalf("%+v %v", v, ps)
	}
	var lines bytes.Buffer
	if n := must[int64](t)(s.ExportRecords(ctx, &lines)); n != cp.Size {
		t.Errorf("%d lines", n)
	}
	if file := must[[]byte](t)(os.ReadFile(filepath.Join(dir, "records.jsonl"))); !bytes.Equal(file, lines.Bytes()) {
		t.Error("the lines of the export are other lines")
	}
	files := 0
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		files++
		whole := must[[]byte](t)(os.ReadFile(path))
		for _, change := range [][]byte{whole[:len(whole)-1], append([]byte{whole[0] ^ 1}, whole[1:]...), nil} {
			if err := os.WriteFile(path, change, 0o644); err != nil {
				return err
			}
			var ps []provenance.Problem
			_, err := ledger.VerifyExport(dir, notes, []note.Verifier{key}, func(p provenance.Problem) { ps = append(ps, p) })
			if err == nil && len(ps) == 0 {
				t.Errorf("%s changed to %d bytes, and nobody noticed", path, len(change))
			}
		}
		return os.WriteFile(path, whole, 0o644)
	})
	if err != nil || files < 7 {
		t.Errorf("%d files, %v", files, err)
	}
	if _, ps := check(); len(ps) > 0 {
		t.Error("not restored:", ps)
	}
}

func closed(t *testing.T, b Backend) {
	d := Document("mail", 1, 1, chunk.Public)
	c, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Store.Append(c, d.Accept(t)); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := b.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Store.Append(ctx, d.Accept(t)); !errors.Is(err, ledger.ErrClosed) {
		t.Error(err)
	}
	if err := b.Store.OutboxDone(ctx, []int64{1}); !errors.Is(err, ledger.ErrClosed) {
		t.Error(err)
	}
	if _, err := b.Store.Run(ctx, d.Event.Run); err == nil || errors.Is(err, ledger.ErrNotFound) {
		t.Error("a closed store says that there is no such run:", err)
	}
}

// What the database says about a value stays with the database. SPEC: PRV-2
func errorsKeepValues(t *testing.T, b Backend) {
	const canary = "canary-4711@example.org"
	b.Unguard(t)
	exec(t, b.Insider, "DROP TABLE stub")
	_, err := b.Store.Append(ctx, ledger.Batch{Stubs: []ledger.Stub{{Run: "run_x", Name: canary, Sealed: []byte("x")}}})
	if err == nil || strings.Contains(err.Error(), "canary") || errors.Is(err, ledger.ErrUnavailable) {
		t.Error(err)
	}
	exec(t, b.Insider, "CREATE TABLE stub (run text, name text CHECK (length(name) < 5), commitment text, class text, sinks text, sealed text)")
	if b.Postgres {
		exec(t, b.Insider, "GRANT ALL ON stub TO stoplog_writer")
	}
	_, err = b.Store.Append(ctx, ledger.Batch{Stubs: []ledger.Stub{{Run: "run_x", Name: canary, Sealed: []byte("x")}}})
	if err == nil || strings.Contains(fmt.Sprintf("%+v", err), "canary") {
		t.Error(err)
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if strings.Contains(fmt.Sprintf("%#v", e), "canary") {
			t.Errorf("%#v", e)
		}
	}
}
