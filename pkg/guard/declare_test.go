package guard_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/guard"
)

// SPEC: DEC-2
func TestPhaseAllows(t *testing.T) {
	for _, c := range []struct {
		operation, phase string
		want             bool
	}{
		{"comm.search", "execution", true},
		{"comm.anything.new", "execution", true},
		{"comm.search", "planning", false},
		{"comm.search", "", false},
		{"comm.search", "EXECUTION", false},
		{"comm.search", "execution ", false},
		{"comm.search", "review", false},
		{"comm", "planning", false},
		{"COMM.search", "planning", false},
		{" comm.search", "planning", false},
		{"file.read", "planning", true},
		{"file.read", "", true},
		{"file.read", "anything", true},
		{"communicate.x", "planning", true},
	} {
		if got := guard.PhaseAllows(c.operation, c.phase); got != c.want {
			t.Errorf("%q in %q: %v", c.operation, c.phase, got)
		}
	}
}

func declaration() guard.Declaration {
	return guard.Declaration{
		Operation: "comm.search", Parameters: json.RawMessage(`{"query":"opening hours of the museum"}`), Phase: "execution", SessionID: "ses-12345678",
		Justification: guard.Justification{
			UserRequest: "The guest asks when the museum opens.", MissingKnowledge: "The opening hours are not in the documents.", ExpectedUse: "Put the hours into the reply.",
		},
	}
}

// SPEC: DEC-1, DEC-2, DEC-3
func TestDeclare(t *testing.T) {
	g := compile(t, guard.Options{})
	all := guard.Standing{Operations: []string{"*"}, Left: 1, Trusted: []string{"docs.example.org", "*.example.net"}}
	fetch := func(u string) func(*guard.Declaration) {
		return func(d *guard.Declaration) {
			d.Operation = "comm.fetch"
			d.Parameters, _ = json.Marshal(map[string]string{"url": u})
		}
	}
	for _, c := range []struct {
		name    string
		edit    func(*guard.Declaration)
		by      guard.Standing
		outcome guard.Outcome
		failure chunk.FailureID
		rule    guard.Rule
		fields  []string
	}{
		{"low risk", func(*guard.Declaration) {}, all, guard.Allow, "", guard.RuleLowRisk, nil},
		{"high risk", fetch("https://unknown.example.com/"), all, guard.Gated, chunk.FailApprovalRequired, guard.RuleHighRisk, nil},
		{"trusted host", fetch("https://docs.example.org/a"), all, guard.Allow, "", guard.RuleLowRisk, nil},
		{"below a trusted host", fetch("https://A.example.NET./a"), all, guard.Allow, "", guard.RuleLowRisk, nil},
		{"not below it", fetch("https://example.net/a"), all, guard.Gated, chunk.FailApprovalRequired, guard.RuleHighRisk, nil},
		{"trusted name in front", fetch("https://docs.example.org.evil.example/a"), all, guard.Gated, chunk.FailApprovalRequired, guard.RuleHighRisk, nil},
		{"trusted name as user", fetch("https://docs.example.org@evil.example/a"), all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"parameters.url/wrong-format"}},
		{"http", fetch("http://docs.example.org/"), all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"parameters.url/wrong-format"}},
		{"no host", fetch("https:///x"), all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"parameters.url/wrong-format"}},
		{"no permission", func(*guard.Declaration) {}, guard.Standing{Operations: []string{"comm.fetch"}, Left: 1}, guard.Deny, chunk.FailToolBlocked, guard.RulePermission, nil},
		{"nobody", func(*guard.Declaration) {}, guard.Standing{}, guard.Deny, chunk.FailToolBlocked, guard.RulePermission, nil},
		{"no quota", func(*guard.Declaration) {}, guard.Standing{Operations: []string{"*"}}, guard.Deny, chunk.FailToolBlocked, guard.RuleQuota, nil},
		{"planning", func(d *guard.Declaration) { d.Phase = "planning" }, all, guard.Deny, chunk.FailPhase, guard.RulePhase, nil},
		{"unknown phase", func(d *guard.Declaration) { d.Phase = "thinking" }, all, guard.Deny, chunk.FailPhase, guard.RulePhase, nil},
		{"no phase", func(d *guard.Declaration) { d.Phase = "" }, all, guard.Deny, chunk.FailPhase, guard.RulePhase, []string{"phase/missing"}},
		{"unknown operation", func(d *guard.Declaration) { d.Operation = "net.search" }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"operation/unknown"}},
		{"renamed operation", func(d *guard.Declaration) { d.Operation = "Comm.Search" }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"operation/unknown"}},
		{"no operation", func(d *guard.Declaration) { d.Operation = "" }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"operation/missing"}},
		{"parameter missing", func(d *guard.Declaration) { d.Parameters = json.RawMessage(`{}`) }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"parameters.query/missing"}},
		{"parameter empty", func(d *guard.Declaration) { d.Parameters = json.RawMessage(`{"query":" "}`) }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"parameters.query/vague"}},
		{"parameter of the wrong type", func(d *guard.Declaration) { d.Parameters = json.RawMessage(`{"query":"x","limit":"ten"}`) }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"parameters.limit/wrong-type"}},
		{"parameter nobody declared", func(d *guard.Declaration) { d.Parameters = json.RawMessage(`{"query":"x","to":"y"}`) }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"parameters/undeclared"}},
		{"malformed parameters", func(d *guard.Declaration) { d.Parameters = json.RawMessage(`"query"`) }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"parameters/json-invalid"}},
		{"no justification", func(d *guard.Declaration) { d.Justification = guard.Justification{} }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration,
			[]string{"justification.user_request/missing", "justification.missing_knowledge/missing", "justification.expected_use/missing"}},
		{"vague justification", func(d *guard.Declaration) {
			d.Justification = guard.Justification{UserRequest: "needed", MissingKnowledge: "info info info info", ExpectedUse: "n/a"}
		}, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration,
			[]string{"justification.user_request/vague", "justification.missing_knowledge/vague", "justification.expected_use/vague"}},
		{"endless justification", func(d *guard.Declaration) { d.Justification.ExpectedUse = strings.Repeat("so it goes on ", 200) }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"justification.expected_use/too-large"}},
		{"justified in Chinese", func(d *guard.Declaration) {
			d.Justification.ExpectedUse = "\u628a\u535a\u7269\u9986\u7684\u5f00\u653e\u65f6\u95f4\u5199\u8fdb\u56de\u590d"
		}, all, guard.Allow, "", guard.RuleLowRisk, nil},
		{"no session", func(d *guard.Declaration) { d.SessionID = "" }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"session_id/missing"}},
		{"session with a line break", func(d *guard.Declaration) { d.SessionID = "ses-1234\n5678" }, all, guard.Deny, chunk.FailDeclaration, guard.RuleDeclaration, []string{"session_id/wrong-format"}},
	} {
		d := declaration()
		c.edit(&d)
		got := g.Declare(d, c.by)
		var fields []string
		for _, f := range got.Fields {
			fields = append(fields, f.Field+"/"+f.Code)
		}
		if got.Outcome != c.outcome || got.Failure != c.failure || got.Rule != c.rule {
			t.Errorf("%s: %v %q %s %v", c.name, got.Outcome, got.Failure, got.Rule, fields)
		}
		if diff := cmp.Diff(c.fields, fields); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if (got.Gate != "") != (got.Outcome == guard.Gated) {
			t.Errorf("%s: gate %q", c.name, got.Gate)
		}
	}
}
