package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

func draft(body string) map[string]any {
	return map[string]any{"tool": "gmail-guest-draft", "id": "draft-1", "arguments": map[string]any{"to": "{GUEST_EMAIL}", "subject": "Your inquiry", "body": body}}
}

// SPEC: EGR-1, EGR-2, EGR-7, PRV-4, QUA-6, RED-4. The guarded draft of SPEC §9, from
// the call to the value at the sink.
func TestToolCallApproved(t *testing.T) {
	r := newRig(t)
	run := r.accept("booking", inquiry("Is the garden room free?")).Run
	r.drain()
	base := "/v1/runs/" + string(run)
	a := r.post("agent", base+"/tool-calls", draft("Dear {GUEST_FIRST_NAME}, the room is free.")).want(t, 202)
	call, gate := a.str("call_id"), a.str("gate_id")
	if a.str("decision") != "pending" || a.str("failure_id") != "approval-required" || a.str("gate_state") != "open" || a.data("authorized_sink_verified") != true {
		t.Fatalf("%s", a.raw)
	}
	recs := r.records(run, provenance.KindToolArgument)
	if len(recs) != 1 {
		t.Fatalf("%d records", len(recs))
	}
	want := map[string]any{"run_id": string(run), "tool_id": "gmail-guest-draft", "data_class": "pii", "argument_field_names": []any{"body", "subject", "to"}, "authorized_sink_verified": true}
	if d := cmp.Diff(want, members(t, recs[0])); d != "" {
		t.Errorf("PRV-4: %s", d)
	}
	if len(r.records(run, provenance.KindGateOpened)) != 1 {
		t.Error("no gate-opened record")
	}

	// The same call again is the same call; another argument under its id is another.
	if b := r.post("agent", base+"/tool-calls", draft("Dear {GUEST_FIRST_NAME}, the room is free.")).want(t, 202); b.str("call_id") != call {
		t.Errorf("%s", b.raw)
	}
	if b := r.post("agent", base+"/tool-calls", draft("Dear {GUEST_FIRST_NAME}, pay here.")).want(t, 202); b.str("call_id") == call {
		t.Error("another call takes over the id, and with it an approval")
	}

	resolve := func(stub, sink, id string) answer {
		return r.post("connector", "/v1/stubs/resolve", map[string]any{"run": run, "stubs": []string{stub}, "tool": "gmail-guest-draft", "sink": sink, "tool_call": id})
	}
	resolve("{GUEST_EMAIL}", "guest-mail", call).want(t, 403) // nobody has approved it yet

	card := r.get("rita", "/v1/review/gates/"+gate).want(t, 200)
	clean(t, "the reviewer's card", card.raw)
	if !strings.Contains(card.raw, "the room is free") || card.data("masked") != 0.0 {
		t.Errorf("%.600s", card.raw)
	}
	r.post("rita", "/v1/review/gates/"+gate+"/decide", map[string]any{"decision": "approve", "reason_code": "needed-for-task", "note": "write to " + canaryEmail + " then"}).want(t, 200)
	g := r.get("agent", base+"/tool-calls/"+call).want(t, 200)
	if g.str("decision") != "allow" || g.str("rule") != "approved" || g.str("sink") != "guest-mail" || g.str("reason_code") != "needed-for-task" {
		t.Errorf("%s", g.raw)
	}
	dec := r.records(run, provenance.KindGateDecided)
	if len(dec) != 1 {
		t.Fatalf("%d decisions", len(dec))
	}
	m := members(t, dec[0])
	if m["decision"] != "approve" || m["decision_origin"] != "human-override" || m["reviewer"] != "rita" || m["reason_code"] != "needed-for-task" || !strings.Contains(m["note"].(string), "{EMAIL_ADDRESS}") {
		t.Errorf("QUA-6: %v", m)
	}
	if len(r.records(run, provenance.KindGateApplied)) != 1 {
		t.Error("the approval is not applied")
	}
	// Whoever asked over the stream is told.
	r.drain()
	if len(r.calls) != 1 || r.calls[0].Headers["ce_subject"] != call || r.calls[0].Headers["ce_type"] != stage.TypeToolDecided || r.calls[0].Key != string(run) {
		t.Errorf("%+v", r.calls)
	}
	var ev review.Answer
	if err := json.Unmarshal(r.calls[0].Value, &ev); err != nil || ev.Decision != "allow" || ev.Call != chunk.ID(call) {
		t.Errorf("%s %v", r.calls[0].Value, err)
	}

	v := resolve("{GUEST_EMAIL}", "guest-mail", call).want(t, 200)
	if got := v.data("values").(map[string]any)["{GUEST_EMAIL}"]; got != canaryEmail {
		t.Errorf("%v", got)
	}
	if v.header.Get("Cache-Control") != "no-store" {
		t.Error("a value may be cached")
	}
	if got := resolve("GUEST_FIRST_NAME", "guest-mail", call).want(t, 200).data("values").(map[string]any)["GUEST_FIRST_NAME"]; got != canaryFirst {
		t.Errorf("%v", got)
	}
	resolve("GUEST_LAST_NAME_REDACTED", "guest-mail", call).want(t, 403) // not in this call
	resolve("{GUEST_EMAIL}", "crm", call).want(t, 403)
	resolve("{GUEST_EMAIL}", "guest-mail", string(chunk.NewID("call", "x"))).want(t, 404)
	r.post("agent", "/v1/stubs/resolve", map[string]any{"run": run, "stubs": []string{"{GUEST_EMAIL}"}, "tool": "gmail-guest-draft", "sink": "guest-mail", "tool_call": call}).want(t, 403, "forbidden")
	res := r.records(run, provenance.KindStubResolved)
	if len(res) != 6 {
		t.Fatalf("RED-4: %d records of 2 resolutions and 4 refusals", len(res))
	}
	refused := len(res)
	res = slices.DeleteFunc(res, func(rec provenance.Record) bool { return rec.Failure != chunk.FailNone })
	if refused -= len(res); refused != 4 {
		t.Errorf("RED-4: %d records of 4 refusals", refused)
	}
	if d := cmp.Diff(map[string]any{"run_id": string(run), "tool_id": "gmail-guest-draft", "sink": "guest-mail", "stubs": []any{"GUEST_EMAIL"}}, members(t, res[0])); d != "" {
		t.Error(d)
	}

	// A halt takes the approval back.
	r.accept("booking", inquiry(markInjection), run)
	r.drain()
	if g := r.get("agent", base+"/tool-calls/"+call).want(t, 200); g.str("decision") != "deny" || g.str("failure_id") != "run-halted" {
		t.Errorf("%s", g.raw)
	}
	resolve("{GUEST_EMAIL}", "guest-mail", call).want(t, 403)
	r.ledgerIsClean()
}

// SPEC: EGR-1, EGR-2, PRV-2, PRV-4, PRV-6, QUA-3
func TestToolCallRefused(t *testing.T) {
	r := newRig(t)
	run := r.accept("booking", inquiry("hello")).Run
	public := r.accept("notes", "hello").Run
	r.drain()
	call := func(run chunk.ID, tool string, args map[string]any) answer {
		return r.post("agent", "/v1/runs/"+string(run)+"/tool-calls", map[string]any{"tool": tool, "arguments": args})
	}
	call(run, "gmail-send", map[string]any{"to": "guest-mail", "body": "x"}).want(t, 403, "tool-blocked")
	call(run, canaryEmail, nil).want(t, 403, "tool-unregistered")
	a := call(run, "calendar", map[string]any{"from": 3, canaryFirst: "x"}).want(t, 422, "tool-arguments-invalid")
	if f := a.body["fields"].([]any); len(f) != 2 || f[0].(map[string]any)["path"] != "arguments" || f[1].(map[string]any)["path"] != "arguments.from" {
		t.Errorf("%v", f)
	}
	call(run, "gmail-guest-draft", map[string]any{"to": "nobody", "body": "x"}).want(t, 403, "sink-unauthorised")
	for _, text := range []string{"write " + canaryEmail, "for " + canaryLast, base64.StdEncoding.EncodeToString([]byte("to " + canaryEmail))} {
		a := call(run, "calendar", map[string]any{"from": text}).want(t, 403, "pii-leak-risk")
		if a.str("gate_id") == "" || strings.Contains(a.raw, canaryEmail) {
			t.Errorf("%s", a.raw)
		}
	}
	a = call(run, "search", map[string]any{"q": "weather"}).want(t, 403, "pii-leak-risk")
	if a.str("rule") != "run-contamination" {
		t.Errorf("%s", a.raw)
	}
	if b := call(run, "search", map[string]any{"q": "news"}).want(t, 403, "pii-leak-risk"); b.str("gate_id") != a.str("gate_id") {
		t.Error("each call of a contaminated run opens a gate of its own")
	}
	call(public, "search", map[string]any{"q": "weather"}).want(t, 200)

	blocks := r.records(run, provenance.KindEgressBlock)
	if len(blocks) != 5 {
		t.Fatalf("%d blocks", len(blocks))
	}
	want := map[string]any{"run_id": string(run), "data_class": "pii", "destination": "calendar", "blocking_rule": "argument-recogniser", "failure_id": "pii-leak-risk"}
	if d := cmp.Diff(want, members(t, blocks[0])); d != "" {
		t.Errorf("PRV-6: %s", d)
	}
	if got := members(t, blocks[1])["blocking_rule"]; got != "argument-hidden-value" && got != "argument-recogniser" { // whichever sees it first
		t.Errorf("%v", got)
	}
	if n := len(r.records(run, provenance.KindToolArgument)); n != 9 {
		t.Errorf("%d records of 9 calls", n)
	}
	for _, rec := range r.records(run, provenance.KindToolArgument) {
		if m := members(t, rec); rec.Failure == chunk.FailToolUnregistered && m["tool_id"] != "unregistered" {
			t.Errorf("the name of an unregistered tool is recorded: %v", m["tool_id"])
		}
	}
	r.ledgerIsClean()

	// A gate over what was stopped cannot let it through; the two texts with the address
	// share one.
	gates, err := r.api.Queue.List(ctx, review.Reviewer{Name: "rita", Tenant: "default"}, review.Filter{Type: "pii-leak"})
	if err != nil || len(gates) != 3 {
		t.Fatalf("%d gates, %v", len(gates), err)
	}
	r.post("rita", "/v1/review/gates/"+string(gates[0].ID)+"/decide", map[string]any{"decision": "approve", "reason_code": "other"}).want(t, 422, "decision-invalid")
	card := r.get("rita", "/v1/review/gates/"+string(gates[0].ID)).want(t, 200)
	clean(t, "the reviewer's card", card.raw)
	if card.data("masked") == 0.0 || !strings.Contains(card.raw, "EMAIL_ADDRESS") {
		t.Errorf("%.500s", card.raw)
	}
	r.post("rita", "/v1/review/gates/"+string(gates[0].ID)+"/decide", map[string]any{"decision": "reject", "reason_code": "policy"}).want(t, 200)
}

// Nobody approves what they asked for.
func TestOwnRequest(t *testing.T) {
	r := newRig(t)
	run := r.accept("booking", inquiry("hello")).Run
	r.drain()
	gate := r.post("admin", "/v1/runs/"+string(run)+"/tool-calls", draft("Hello")).want(t, 202).str("gate_id")
	r.post("admin", "/v1/review/gates/"+gate+"/decide", map[string]any{"decision": "approve", "reason_code": "other"}).want(t, 403, "forbidden")
	r.post("remy", "/v1/review/gates/"+gate+"/decide", map[string]any{"decision": "reject", "reason_code": "not-needed"}).want(t, 200)
	call := r.post("admin", "/v1/runs/"+string(run)+"/tool-calls", draft("Hello")).want(t, 403, "approval-required")
	if call.str("decision") != "deny" || call.str("reason_code") != "not-needed" {
		t.Errorf("%s", call.raw)
	}
}

// SPEC: EGR-7. The same function serves the stream: the batch holds what must be
// stored before anyone acts.
func TestGatekeeperForTheStream(t *testing.T) {
	r := newRig(t)
	run := r.accept("booking", inquiry("hello")).Run
	r.drain()
	req, err := review.ParseRequest([]byte(`{"run_id":"` + string(run) + `","id":"k1","tool":"calendar","arguments":{"from":"2026-12-01"}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Tenant, req.Actor = "default", "topic:tools"
	a, b, err := r.api.Gatekeeper.Decide(ctx, req)
	if err != nil || a.Decision != "allow" || len(b.Records) != 1 {
		t.Fatalf("%+v %+v %v", a, b, err)
	}
	if n := len(r.records(run, provenance.KindToolArgument)); n != 0 {
		t.Fatal("Decide writes by itself")
	}
	if _, err := r.store.Append(ctx, b); err != nil {
		t.Fatal(err)
	}
	again, b, err := r.api.Gatekeeper.Decide(ctx, req)
	if err != nil || again.Call != a.Call || again.Decision != "allow" || len(b.Records) != 0 {
		t.Fatalf("a replay decides again: %+v %+v %v", again, b, err)
	}
	o, err := review.DecidedEvent("default", again, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if e, _, err := stage.ParseEvent(stage.Message{Headers: o.Headers, Value: o.Value}); err != nil || e.Extensions[stage.ExtVerdict] != "allow" {
		t.Errorf("%+v %v", e, err)
	}
	for _, bad := range []string{`{}x`, `{"run_id":1}`, `{"tool":"a","tool":"b"}`, `{"tenant":"other"}`, `{"id":"` + strings.Repeat("x", 300) + `"}`} {
		if _, err := review.ParseRequest([]byte(bad)); err == nil {
			t.Errorf("%.40s taken", bad)
		}
	}
}

// SPEC: EGR-5, QUA-3, PRV-6, PRV-7
func TestOutputs(t *testing.T) {
	r := newRig(t)
	run := r.accept("booking", inquiry("hello")).Run
	r.drain()
	base := "/v1/runs/" + string(run)
	out := func(role, text string) answer {
		return r.post("agent", base+"/outputs", map[string]any{"text": text, "recipient_role": role, "destination": "guest-mail"})
	}
	a := out("user", "The room is free.").want(t, 200)
	if a.str("text") != "The room is free." || a.data("redaction_applied") != false || a.str("output_class") != "public" {
		t.Errorf("%s", a.raw)
	}
	a = out("user", "Mail "+canaryEmail+" and greet Ms "+canaryLast+".").want(t, 200)
	clean(t, "a user's output", a.raw)
	if a.data("redaction_applied") != true || !strings.Contains(a.str("text"), "{EMAIL_ADDRESS}") {
		t.Errorf("%s", a.raw)
	}
	recs := r.records(run, provenance.KindOutputDelivery)
	if len(recs) != 2 {
		t.Fatalf("%d records", len(recs))
	}
	if d := cmp.Diff(map[string]any{"run_id": string(run), "output_class": "public", "recipient_role": "user", "redaction_applied": true}, members(t, recs[1])); d != "" {
		t.Errorf("PRV-7: %s", d)
	}
	// The agent names its receiver: raw pii waits for a person, whoever is to get it.
	if a := out("pii-authorized-reviewer", "Mail "+canaryEmail).want(t, 202); strings.Contains(a.raw, canaryEmail) || a.str("failure_id") != "pii-leak-risk" {
		t.Errorf("%s", a.raw)
	}
	out("root", "x").want(t, 403, "sink-unauthorised")

	for i, c := range []struct{ decision, text string }{{"release-redacted", "Mail {EMAIL_ADDRESS}"}, {"release", "Mail " + canaryEmail}, {"reject", ""}} {
		a = r.post("agent", base+"/outputs", map[string]any{"text": "Mail " + canaryEmail, "recipient_role": "system", "id": fmt.Sprint("o", i)}).want(t, 202)
		if a.data("text") != nil || a.str("failure_id") != "pii-leak-risk" || strings.Contains(a.raw, canaryEmail) {
			t.Errorf("%s", a.raw)
		}
		gate, id := a.str("gate_id"), a.str("output_id")
		if b := r.get("agent", base+"/outputs/"+id).want(t, 200); b.str("decision") != "pending" || b.data("text") != nil {
			t.Errorf("%s", b.raw)
		}
		if c.decision == "release" {
			r.post("rita", "/v1/review/gates/"+gate+"/decide", map[string]any{"decision": c.decision, "reason_code": "other"}).want(t, 403, "forbidden")
		}
		r.post("petra", "/v1/review/gates/"+gate+"/decide", map[string]any{"decision": c.decision, "reason_code": "other"}).want(t, 200)
		b := r.get("agent", base+"/outputs/"+id).want(t, 200)
		if b.str("text") != c.text || (b.str("decision") == "allow") != (c.text != "") {
			t.Errorf("%s: %s", c.decision, b.raw)
		}
	}
	if n := len(r.records(run, provenance.KindEgressBlock)); n != 5 {
		t.Errorf("%d blocks", n)
	}
	if n := len(r.records(run, provenance.KindOutputDelivery)); n != 4 {
		t.Errorf("%d deliveries", n)
	}
	r.ledgerIsClean()

	// An agent in a loop does not use up the reviewers: one text is one question, and
	// many texts end in one more.
	gates := map[string]bool{}
	for i := range 40 {
		one := r.post("agent", base+"/outputs", map[string]any{"text": "To " + canaryEmail, "recipient_role": "system", "id": fmt.Sprint("same", i)}).want(t, 202)
		other := r.post("agent", base+"/outputs", map[string]any{"text": fmt.Sprint("To ", canaryEmail, " ", i), "recipient_role": "system"})
		if i == 0 {
			other.want(t, 202)
		}
		gates[one.str("gate_id")], gates[other.str("gate_id")] = true, true
	}
	if len(gates) > 34 || len(gates) < 3 {
		t.Errorf("80 outputs opened %d gates", len(gates))
	}
}

// SPEC: EGR-4
func TestMemory(t *testing.T) {
	r := newRig(t)
	pii := r.accept("booking", inquiry("hello")).Run
	plain := r.accept("web", "hello").Run
	r.drain()
	post := func(run chunk.ID, space, text, sink string) answer {
		return r.post("agent", "/v1/runs/"+string(run)+"/memory", map[string]any{"space": space, "text": text, "sink": sink})
	}
	post(plain, "cross-run", "the museum opens at ten", "").want(t, 200)
	post(plain, "cross-run", "mail "+canaryEmail, "").want(t, 403, "pii-leak-risk")
	post(pii, "cross-run", "nothing", "").want(t, 403, "pii-leak-risk")
	post(pii, "scratchpad", "nothing", "").want(t, 403, "pii-leak-risk")
	post(pii, "cross-run", "nothing", "archive").want(t, 200)
	post(pii, "cross-run", "nothing", "elsewhere").want(t, 403, "sink-unauthorised")
	post(pii, "forever", "nothing", "").want(t, 422)
	recs := r.records(pii, provenance.KindMemory)
	if len(recs) != 4 || members(t, recs[2])["decision"] != "allow" || members(t, recs[0])["data_class"] != "pii" {
		t.Errorf("%+v", recs)
	}
	r.ledgerIsClean()
}

// SPEC: DEC-1, DEC-2, DEC-3
func TestDeclarations(t *testing.T) {
	r := newRig(t, func(c *Config) { c.TrustedHosts = []string{"docs.example.org"} })
	run := r.accept("web", "hello").Run
	r.drain()
	send := func(edit func(map[string]any)) answer {
		d := validDeclaration()
		d["run_id"] = run
		edit(d)
		return r.post("agent", "/v1/declarations", d)
	}
	a := send(func(map[string]any) {}).want(t, 200)
	if a.str("decision") != "allow" || a.str("risk") != "low" {
		t.Errorf("%s", a.raw)
	}
	send(func(d map[string]any) { d["phase"] = "planning" }).want(t, 403, "phase-not-allowed")
	a = send(func(d map[string]any) {
		d["justification"] = map[string]any{"user_request": "x", "missing_knowledge": "", "expected_use": "so that the reply is right"}
		d["parameters"] = map[string]any{}
	}).want(t, 422, "declaration-invalid")
	var paths []string
	for _, f := range a.body["fields"].([]any) {
		paths = append(paths, f.(map[string]any)["path"].(string))
	}
	if d := cmp.Diff([]string{"parameters.query", "justification.user_request", "justification.missing_knowledge"}, paths); d != "" {
		t.Error(d)
	}
	fetch := func(u string) answer {
		return send(func(d map[string]any) { d["operation"], d["parameters"] = "comm.fetch", map[string]any{"url": u} })
	}
	fetch("https://docs.example.org/").want(t, 200)
	a = fetch("https://elsewhere.example/").want(t, 202)
	if s := r.get("agent", "/v1/declarations/"+a.str("declaration_id")).want(t, 200); s.str("decision") != "pending" {
		t.Errorf("%s", s.raw)
	}
	card := r.get("rita", "/v1/review/gates/"+a.str("gate_id")).want(t, 200)
	if !strings.Contains(card.raw, "elsewhere.example") {
		t.Errorf("%.400s", card.raw)
	}
	r.post("rita", "/v1/review/gates/"+a.str("gate_id")+"/decide", map[string]any{"decision": "approve", "reason_code": "needed-for-task"}).want(t, 200)
	if s := r.get("agent", "/v1/declarations/"+a.str("declaration_id")).want(t, 200); s.str("decision") != "allow" {
		t.Errorf("%s", s.raw)
	}
	recs := r.records(run, provenance.KindDeclaration)
	if len(recs) != 5 {
		t.Fatalf("%d records", len(recs))
	}
	if m := members(t, recs[0]); m["operation"] != "comm.search" || m["phase"] != "execution" || m["decision"] != "allow" || strings.Contains(m["session_id"].(string), "12345678") {
		t.Errorf("%v", m)
	}
	for i := 0; i < 12; i++ {
		a = send(func(map[string]any) {})
	}
	a.want(t, 429, "quota-exceeded")
	r.post("agent", "/v1/declarations", validDeclaration()).want(t, 422, "request-invalid")
}

// SPEC: RED-2, RED-4, EGR-2, EGR-5. An agent that sees a surrogate works with it as with a
// stub: it resolves for the sink that its field names, and for no other.
func TestSurrogateComesBack(t *testing.T) {
	r := newRig(t)
	run := r.accept("surrogates", `{"guest":{"email":"`+canaryEmail+`"},"message":"write to `+canaryEmail+`"}`).Run
	r.drain()
	base := "/v1/runs/" + string(run)
	a := r.get("assembler", base+"/context").want(t, 200)
	clean(t, "the context", a.raw)
	shown := regexp.MustCompile(`[a-z]+\.[a-z]+\d+@example\.(com|net|org)`).FindAllString(a.raw, -1)
	if len(shown) < 2 || shown[0] != shown[1] {
		t.Fatalf("%q in %.2800s", shown, a.raw)
	}
	if rec := r.records(run, provenance.KindClassified); len(rec) != 1 || members(t, rec[0])["redactions"].(map[string]any)["SURROGATE"] != 2.0 {
		t.Errorf("surrogates are not marked: %+v", rec)
	}
	call := r.post("agent", base+"/tool-calls", map[string]any{"tool": "gmail-guest-draft", "arguments": map[string]any{"to": shown[0], "body": "Dear guest at " + shown[0]}}).want(t, 202)
	// One letter more and it is somebody's address.
	r.post("agent", base+"/tool-calls", map[string]any{"tool": "gmail-guest-draft", "arguments": map[string]any{"to": "guest-mail", "body": "Dear x" + shown[0]}}).want(t, 403, "pii-leak-risk")
	r.post("agent", base+"/tool-calls", map[string]any{"tool": "calendar", "arguments": map[string]any{"from": shown[0]}}).want(t, 403, "pii-leak-risk")
	r.post("rita", "/v1/review/gates/"+call.str("gate_id")+"/decide", map[string]any{"decision": "approve", "reason_code": "needed-for-task"}).want(t, 200)
	resolve := func(sink string) answer {
		return r.post("connector", "/v1/stubs/resolve", map[string]any{"run": run, "stubs": []string{shown[0]}, "tool": "gmail-guest-draft", "sink": sink, "tool_call": call.str("call_id")})
	}
	resolve("crm").want(t, 403)
	if got := resolve("guest-mail").want(t, 200).data("values").(map[string]any)[shown[0]]; got != canaryEmail {
		t.Errorf("%v", got)
	}
	if out := r.post("agent", base+"/outputs", map[string]any{"text": "Written to " + shown[0] + ".", "recipient_role": "user"}).want(t, 200); !strings.Contains(out.str("text"), shown[0]) {
		t.Errorf("%s", out.raw)
	}
	r.ledgerIsClean()
}
