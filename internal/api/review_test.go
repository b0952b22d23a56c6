package api

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

func gatePath(id chunk.ID, action string) string {
	p := "/v1/review/gates/" + string(id)
	if action != "" {
		p += "/" + action
	}
	return p
}

func verdict(decision, reason string) map[string]any {
	return map[string]any{"decision": decision, "reason_code": reason}
}

// SPEC: QUA-1, QUA-4, QUA-5, QUA-6. An injected inquiry is seen, claimed and released.
func TestReviewRelease(t *testing.T) {
	r := newRig(t)
	run := r.accept("booking", inquiry("Dear host,\u202e\x1b[2J\u200b "+markInjection+" and mail "+canaryEmail+" <script>alert(1)</script>")).Run
	r.drain()
	g := r.waitingGate(run, "injection")
	list := r.get("rita", "/v1/review/gates").want(t, 200)
	if gs := list.data("gates").([]any); len(gs) != 1 || gs[0].(map[string]any)["gate_id"] != string(g.ID) || gs[0].(map[string]any)["state"] != "open" {
		t.Fatalf("%s", list.raw)
	}
	clean(t, "the list", list.raw)

	card := r.get("rita", gatePath(g.ID, "")).want(t, 200)
	clean(t, "the reviewer's card", card.raw)
	if strings.Contains(card.raw, "<script>") { // an answer that is shown as a page must not begin an element
		t.Error("the card holds an element")
	}
	inert(t, card.body)
	for _, want := range []string{"U+202E", "U+001B", "U+200B", markInjection, "test-rule", "{GUEST_EMAIL}"} {
		if !strings.Contains(card.raw, want) && !strings.Contains(card.raw, strings.ReplaceAll(want, "<", `\u003c`)) {
			t.Errorf("the card does not show %s", want)
		}
	}
	if card.data("masked") == 0.0 || card.str("reveal") != "role" || card.data("revealed") != false {
		t.Errorf("%v %v", card.data("masked"), card.data("reveal"))
	}
	if f := card.data("findings").([]any); len(f) != 1 || f[0].(map[string]any)["text"] != markInjection {
		t.Errorf("%v", f)
	}
	if m := card.str("model_view"); !strings.Contains(m, "{GUEST_FIRST_NAME}") {
		t.Errorf("%s", m)
	}
	if u := card.data("attribution").(map[string]any); u["source_id"] != "booking" || u["trust_level"] != "UNTRUSTED_EXTERNAL_CONTENT" {
		t.Errorf("%v", u)
	}

	c := r.post("rita", gatePath(g.ID, "claim"), nil).want(t, 200)
	if c.str("state") != "claimed" || c.str("reviewer") != "rita" || c.str("lease_until") == "" {
		t.Errorf("%s", c.raw)
	}
	r.post("remy", gatePath(g.ID, "claim"), nil).want(t, 409, "gate-claimed")
	r.post("remy", gatePath(g.ID, "decide"), verdict("release", "false-alarm")).want(t, 409, "gate-claimed")
	r.post("rita", gatePath(g.ID, "decide"), verdict("approve", "false-alarm")).want(t, 422, "decision-invalid")
	r.post("rita", gatePath(g.ID, "decide"), verdict("release", "because")).want(t, 422, "reason-required")
	r.post("rita", gatePath(g.ID, "decide"), verdict("release", "")).want(t, 422, "reason-required")

	d := r.post("rita", gatePath(g.ID, "decide"), verdict("release", "false-alarm")).want(t, 200)
	if d.str("decision") != "release" || d.str("decision_origin") != "human-override" {
		t.Errorf("%s", d.raw)
	}
	second := r.post("remy", gatePath(g.ID, "decide"), verdict("reject", "policy")).want(t, 409, "gate-decided")
	if second.str("decision") != "release" || second.str("reviewer") != "rita" {
		t.Errorf("the first decision does not come with the refusal: %s", second.raw)
	}
	if len(r.records(run, provenance.KindRunResumed)) != 1 {
		t.Error("the run is not resumed")
	}
	r.drain()
	out := r.get("assembler", "/v1/runs/"+string(run)+"/context").want(t, 200)
	clean(t, "the context", out.raw)
	if !strings.Contains(out.str("text"), markInjection) || !strings.Contains(out.str("text"), "{GUEST_FIRST_NAME}") {
		t.Errorf("%.500s", out.raw)
	}
	end := r.records(run, provenance.KindReleased)
	if len(end) != 1 || members(t, end[0])["disposition"] != "released" {
		t.Errorf("%+v", end)
	}
	if n, err := r.api.Queue.Apply(ctx); err != nil || n != 1 {
		t.Errorf("applied %d, %v", n, err)
	}
	if got, err := r.store.Gate(ctx, g.ID); err != nil || got.State != ledger.GateApplied || got.Effect != "chunk-released" {
		t.Errorf("%+v %v", got, err)
	}
	if n, err := r.api.Queue.Apply(ctx); err != nil || n != 0 {
		t.Errorf("applied again: %d, %v", n, err)
	}
	r.ledgerIsClean()
}

// inert fails if a string anywhere in v does more than show itself.
func inert(t *testing.T, v any) {
	t.Helper()
	switch x := v.(type) {
	case map[string]any:
		for _, m := range x {
			inert(t, m)
		}
	case []any:
		for _, m := range x {
			inert(t, m)
		}
	case string:
		if review.Inert(x) != x {
			t.Errorf("%+q is not inert", x)
		}
	}
}

// SPEC: QUA-4: the other decisions, each with what follows for chunk and run.
func TestReviewDecisions(t *testing.T) {
	for _, c := range []struct {
		mark, kind, decision   string
		disposition            chunk.Disposition
		halted, ended, haltOut bool
		text                   string
	}{
		{markInjection, "injection", "release-redacted", chunk.Released, false, false, false, "[REDACTED:injection]"},
		{markInjection, "injection", "reject", chunk.Rejected, true, false, true, ""},
		{markInjection, "injection", "resume", chunk.Rejected, false, false, false, ""},
		{markInjection, "injection", "end", chunk.Rejected, true, true, false, ""},
		{markSuspect, "suspect", "release", chunk.Released, false, false, false, markSuspect},
		{markSuspect, "suspect", "release-redacted", chunk.Released, false, false, false, "[REDACTED:injection]"},
		{markSuspect, "suspect", "reject", chunk.Rejected, false, false, false, ""},
		{markSuspect, "suspect", "end", chunk.Rejected, false, true, false, ""},
		{markHold, "hold", "release", chunk.Released, false, false, false, markHold},
		{markHold, "hold", "reject", chunk.Rejected, false, false, false, ""},
	} {
		t.Run(c.kind+" "+c.decision, func(t *testing.T) {
			r := newRig(t)
			run := r.accept("web", "before "+c.mark+" after").Run
			r.accept("web", "a good one", run)
			r.drain()
			g := r.waitingGate(run, c.kind)
			r.post("rita", gatePath(g.ID, "decide"), verdict(c.decision, "other")).want(t, 200)
			r.drain()
			state, err := r.store.Run(ctx, run)
			if err != nil || state.Halted != c.halted || state.Ended != c.ended {
				t.Fatalf("%+v %v", state, err)
			}
			ch, err := r.store.Chunk(ctx, g.About)
			if err != nil || ch.Disposition != c.disposition {
				t.Fatalf("%+v %v", ch, err)
			}
			a := r.get("assembler", "/v1/runs/"+string(run)+"/context")
			if c.halted || c.ended {
				a.want(t, 409)
			} else {
				a.want(t, 200)
				if c.text != "" && !strings.Contains(a.str("text"), c.text) || c.text != c.mark && strings.Contains(a.str("text"), c.mark) {
					t.Errorf("%s", a.str("text"))
				}
				if !strings.Contains(a.str("text"), "a good one") {
					t.Error("the rest is gone too")
				}
			}
			if !c.haltOut {
				return
			}
			// The run waits for a word of its own.
			h := r.waitingGate(run, "halt")
			r.post("rita", gatePath(h.ID, "decide"), verdict("resume", "other")).want(t, 200)
			if a := r.get("assembler", "/v1/runs/"+string(run)+"/context").want(t, 200); a.str("confidence_band") != "medium" || strings.Contains(a.raw, c.mark) {
				t.Errorf("%.300s", a.raw)
			}
		})
	}
}

// SPEC: QUA-2: a collection's chunk is decided alone; there is no run to resume.
func TestReviewCollection(t *testing.T) {
	r := newRig(t)
	ev := r.accept("handbook", "text "+markInjection).Event
	r.drain()
	gates := r.get("rita", "/v1/review/gates?source=handbook").want(t, 200).data("gates").([]any)
	if len(gates) != 1 {
		t.Fatal("no gate")
	}
	g := gates[0].(map[string]any)
	if fmt.Sprint(g["decisions"]) != "[release release-redacted reject]" {
		t.Errorf("%v", g["decisions"])
	}
	id := chunk.ID(g["gate_id"].(string))
	r.post("rita", gatePath(id, "decide"), verdict("release", "false-alarm")).want(t, 200)
	r.drain()
	run := r.accept("web", "question").Run
	r.drain()
	a := r.post("assembler", "/v1/runs/"+string(run)+"/retrievals", map[string]any{"chunks": []chunk.ID{chunk.ChunkID(ev, 0)}}).want(t, 200)
	if a.data("retrieved") != 1.0 || a.str("confidence_band") != "low" {
		t.Errorf("%s", a.raw)
	}
}

// SPEC: QUA-4: a claim's lease ends, and a decision stands once, whoever races.
func TestLeaseAndRace(t *testing.T) {
	r := newRig(t)
	run := r.accept("web", markSuspect).Run
	r.drain()
	g := r.waitingGate(run, "suspect")
	r.post("rita", gatePath(g.ID, "claim"), nil).want(t, 200)
	r.post("remy", gatePath(g.ID, "claim"), nil).want(t, 409, "gate-claimed")
	r.now.Add(16 * 60)
	if it := r.get("remy", "/v1/review/gates?state=open").want(t, 200).data("gates").([]any); len(it) != 1 {
		t.Error("a lapsed claim does not count as open")
	}
	r.post("remy", gatePath(g.ID, "claim"), nil).want(t, 200)
	r.post("rita", gatePath(g.ID, "decide"), verdict("reject", "policy")).want(t, 409, "gate-claimed")
	r.now.Add(16 * 60)

	var wg sync.WaitGroup
	status := make([]int, 8)
	for i := range status {
		wg.Add(1)
		go func() {
			defer wg.Done()
			who, d := "rita", "release"
			if i%2 == 1 {
				who, d = "remy", "reject"
			}
			status[i] = r.post(who, gatePath(g.ID, "decide"), verdict(d, "other")).status
		}()
	}
	wg.Wait()
	won := 0
	for _, s := range status {
		switch s {
		case 200:
			won++
		case 409:
		default:
			t.Errorf("status %d", s)
		}
	}
	if won != 1 || len(r.records(run, provenance.KindGateDecided)) != 1 {
		t.Errorf("%d winners, %d records", won, len(r.records(run, provenance.KindGateDecided)))
	}
	r.post("rita", gatePath(g.ID, "claim"), nil).want(t, 409, "gate-decided")
}

// An undecided gate runs out, which is a rejection nobody made.
func TestExpiry(t *testing.T) {
	r := newRig(t)
	run := r.accept("web", markInjection).Run
	r.drain()
	g := r.waitingGate(run, "injection")
	if n, err := r.api.Queue.Expire(ctx); err != nil || n != 0 {
		t.Fatalf("%d expired too early, %v", n, err)
	}
	r.now.Add(73 * 3600)
	if n, err := r.api.Queue.Expire(ctx); err != nil || n != 1 {
		t.Fatalf("%d expired, %v", n, err)
	}
	got, err := r.store.Gate(ctx, g.ID)
	if err != nil || got.State != ledger.GateExpired || got.DecisionOrigin != "policy" {
		t.Errorf("%+v %v", got, err)
	}
	if c, _ := r.store.Chunk(ctx, g.About); c.Disposition != chunk.Expired {
		t.Errorf("%+v", c)
	}
	r.get("assembler", "/v1/runs/"+string(run)+"/context").want(t, 409, "run-halted")
	r.post("rita", gatePath(g.ID, "decide"), verdict("release", "other")).want(t, 409, "gate-decided")
	// Nobody says whether the run goes on either: then it has ended.
	r.now.Add(73 * 3600)
	if n, err := r.api.Queue.Expire(ctx); err != nil || n != 1 {
		t.Fatalf("%d expired, %v", n, err)
	}
	r.get("assembler", "/v1/runs/"+string(run)+"/context").want(t, 409, "run-ended")

	// A call whose approval ran out stays denied.
	run = r.accept("booking", inquiry("x")).Run
	r.drain()
	call := r.post("agent", "/v1/runs/"+string(run)+"/tool-calls", draft("Hello")).want(t, 202).str("call_id")
	r.now.Add(73 * 3600)
	if _, err := r.api.Queue.Expire(ctx); err != nil {
		t.Fatal(err)
	}
	if a := r.get("agent", "/v1/runs/"+string(run)+"/tool-calls/"+call).want(t, 200); a.str("decision") != "deny" || a.str("gate_state") != "expired" {
		t.Errorf("%s", a.raw)
	}
}

// SPEC: QUA-4, QUA-5: raw pii takes the designation, a reason and a second reviewer,
// and leaves a record before it is shown.
func TestReveal(t *testing.T) {
	r := newRig(t)
	run := r.accept("booking", inquiry("Dear host "+markInjection+", write to "+canaryEmail)).Run
	r.drain()
	g := r.waitingGate(run, "injection")
	reveal := func(who, reason string) answer {
		return r.post(who, gatePath(g.ID, "reveal"), map[string]any{"reason_code": reason})
	}
	clean(t, "petra's card without a reveal", r.get("petra", gatePath(g.ID, "")).want(t, 200).raw)
	reveal("rita", "investigation").want(t, 403, "forbidden")
	reveal("admin", "investigation").want(t, 403, "forbidden") // no role brings the designation along
	reveal("petra", "").want(t, 422, "reason-required")
	a := reveal("petra", "investigation").want(t, 202)
	clean(t, "a reveal that waits", a.raw)
	second := chunk.ID(a.str("gate_id"))
	if n := len(r.records(run, provenance.KindEvidenceViewed)); n != 0 {
		t.Errorf("%d views recorded before any", n)
	}
	r.post("petra", gatePath(second, "decide"), verdict("approve", "investigation")).want(t, 403, "forbidden") // one's own request
	r.post("rita", gatePath(second, "decide"), verdict("approve", "investigation")).want(t, 403, "forbidden")  // without the designation
	r.post("paul", gatePath(second, "decide"), verdict("approve", "investigation")).want(t, 200)
	reveal("paul", "investigation").want(t, 202) // what was agreed for petra is petra's
	a = reveal("petra", "investigation").want(t, 200)
	if !strings.Contains(a.raw, canaryEmail) || a.data("revealed") != true {
		t.Errorf("%.400s", a.raw)
	}
	recs := r.records(run, provenance.KindEvidenceViewed)
	if len(recs) != 1 {
		t.Fatalf("%d records of one view", len(recs))
	}
	if m := members(t, recs[0]); m["viewer"] != "petra" || m["role"] != "pii-authorized-reviewer" || m["reason_code"] != "investigation" || m["gate_id"] != string(g.ID) || recs[0].Evidence == "" {
		t.Errorf("%v", m)
	}
	r.now.Add(16 * 60) // the agreement lapses
	reveal("petra", "investigation").want(t, 202)
	r.ledgerIsClean()

	one := newRig(t, func(c *Config) { c.FourEyes = false })
	run = one.accept("booking", inquiry(markInjection)).Run
	one.drain()
	g = one.waitingGate(run, "injection")
	if a := one.post("petra", gatePath(g.ID, "reveal"), map[string]any{"reason_code": "investigation"}).want(t, 200); !strings.Contains(a.raw, canaryFirst) {
		t.Error("not revealed")
	}
	if len(one.records(run, provenance.KindEvidenceViewed)) != 1 {
		t.Error("not recorded")
	}
}

// SPEC: QUA-4: alike items are decided as a batch, with a result for each.
func TestBatch(t *testing.T) {
	r := newRig(t)
	var ids []chunk.ID
	for range 3 {
		run := r.accept("web", markSuspect).Run
		r.drain()
		ids = append(ids, r.waitingGate(run, "suspect").ID)
	}
	batch := func(ids []chunk.ID, decision string) answer {
		return r.post("rita", "/v1/review/batch", map[string]any{"gates": ids, "decision": decision, "reason_code": "confirmed-injection"})
	}
	r.post("rita", gatePath(ids[1], "decide"), verdict("release", "false-alarm")).want(t, 200)
	a := batch(ids, "reject").want(t, 200)
	res := a.data("results").([]any)
	if len(res) != 3 || a.data("failed") != 1.0 || res[1].(map[string]any)["code"] != "gate-decided" {
		t.Errorf("%s", a.raw)
	}
	pii := r.accept("booking", inquiry(markSuspect)).Run
	r.drain()
	id := r.waitingGate(pii, "suspect").ID
	batch([]chunk.ID{id}, "release").want(t, 403, "forbidden") // nobody looked
	run := r.accept("web", markInjection).Run
	r.drain()
	batch([]chunk.ID{id, r.waitingGate(run, "injection").ID}, "reject").want(t, 422, "decision-invalid") // not alike
	batch(nil, "reject").want(t, 413)
	batch([]chunk.ID{id}, "reject").want(t, 200)
}

// Erased content can be rejected and not released.
func TestReviewErased(t *testing.T) {
	r := newRig(t)
	run := r.accept("web", markSuspect).Run
	r.drain()
	g := r.waitingGate(run, "suspect")
	if err := r.vault.Erase(ctx, run); err != nil {
		t.Fatal(err)
	}
	if a := r.get("rita", gatePath(g.ID, "")).want(t, 200); a.str("gone") != "erased" {
		t.Errorf("%s", a.raw)
	}
	r.post("rita", gatePath(g.ID, "decide"), verdict("release", "other")).want(t, 410, "erased")
	r.post("rita", gatePath(g.ID, "decide"), verdict("reject", "other")).want(t, 200)
}

// The ledger's record and its effects are one append: a decision that cannot be
// recorded has not happened.
func TestDecisionNeedsTheLedger(t *testing.T) {
	r := newRig(t)
	run := r.accept("web", markSuspect).Run
	r.drain()
	g := r.waitingGate(run, "suspect")
	_ = r.store.Close()
	r.post("rita", gatePath(g.ID, "decide"), verdict("release", "other")).want(t, 503, "ledger-unavailable")
	r.get("rita", "/v1/review/gates").want(t, 503)
}
