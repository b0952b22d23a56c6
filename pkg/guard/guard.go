package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Outcome is what becomes of a request. The zero value is Deny.
type Outcome uint8

// The outcomes.
const (
	Deny  Outcome = iota
	Gated         // waits for a person
	Allow
)

func (o Outcome) String() string {
	switch o {
	case Allow:
		return "allow"
	case Gated:
		return "gate"
	default:
		return "deny"
	}
}

// MarshalText writes the outcome's name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Rule names the rule that decided. The list is closed: records and metrics carry it.
type Rule string

// The rules.
const (
	RuleState          Rule = "run-state"          // the run is halted, ended, incomplete or unknown
	RuleUnregistered   Rule = "tool-unregistered"  // SPEC EGR-1
	RuleBlocked        Rule = "control-blocked"    // SPEC EGR-2: blocked never runs
	RuleNetwork        Rule = "network-restricted" // SPEC EGR-6: no network tool runs on its own
	RuleArguments      Rule = "arguments-invalid"
	RuleUnreadable     Rule = "arguments-unreadable"  // more work than a bound allows: undecided, so refused
	RuleRecogniser     Rule = "argument-recogniser"   // a recogniser found something above the ceiling
	RuleValue          Rule = "argument-hidden-value" // a value that a stub of this run stands for
	RuleStub           Rule = "argument-stub"         // a stub above the ceiling that may not be resolved here
	RuleSink           Rule = "sink-unauthorised"
	RuleContamination  Rule = "run-contamination" // SPEC CLS-6
	RuleApproval       Rule = "control-human-approval"
	RuleApproved       Rule = "approved"
	RuleAutonomous     Rule = "control-autonomous"
	RuleOutput         Rule = "output-recogniser"
	RuleOutputHidden   Rule = "output-hidden" // found only behind an encoding, so it cannot be redacted in place
	RuleOutputClean    Rule = "output-clean"
	RuleRecipient      Rule = "recipient-unknown"
	RuleCitation       Rule = "output-citation" // a citation that its source of record does not have, or that could not be looked up (SPEC QUA-8)
	RuleMemory         Rule = "memory-class"
	RulePhase          Rule = "phase-namespace"
	RuleDeclaration    Rule = "declaration-invalid"
	RulePermission     Rule = "declaration-permission"
	RuleQuota          Rule = "declaration-quota"
	RuleLowRisk        Rule = "declaration-low-risk"
	RuleHighRisk       Rule = "declaration-high-risk"
	RuleLapsed         Rule = "approval-lapsed" // approved too long ago, or under a registry that has changed
	RuleExecutionQuota Rule = "execution-quota" // SPEC DEC-4: requests a minute
	RuleContextAllowed Rule = "context-decided"
)

// The gate types that the guard asks for (the gate_type of a gate-opened record).
const (
	GateToolCall    = "tool-call"
	GatePIILeak     = "pii-leak"
	GateDeclaration = "declaration"
	GateCitation    = "citation"
)

// RunState is what is known of a run. The zero value is a run of which nothing is
// known; nothing is allowed for it.
type RunState struct {
	Class      chunk.Class // highest class of what entered (SPEC CLS-6)
	Halted     bool
	Ended      bool
	Incomplete bool // something of it was lost; it never reads as clean again
	Pending    int  // chunks not decided yet; bears on contexts, not on calls: an undecided chunk has not been seen by the agent
}

// Refusal is why nothing is allowed for a run in this state, or FailNone.
func (s RunState) Refusal() chunk.FailureID {
	switch {
	case s.Ended:
		return chunk.FailRunEnded
	case s.Halted:
		return chunk.FailRunHalted
	case s.Incomplete:
		return chunk.FailRunIncomplete
	case s.Class.Rank() == chunk.Unclassified.Rank():
		return chunk.FailState
	}
	return chunk.FailNone
}

// Context decides whether a run's context may be handed over, in full or in part
// (SPEC QUA-1). Partial is what caller and source permit together.
func (s RunState) Context(partial bool) (Outcome, chunk.FailureID) {
	if f := s.Refusal(); f != chunk.FailNone {
		return Deny, f
	}
	if s.Pending > 0 && !partial {
		return Deny, chunk.FailContextIncomplete
	}
	return Allow, chunk.FailNone
}

// Sink is a place that data may be written to. Its ceiling holds whatever tool writes
// there: a value above it is blocked, a stub above it stays a stub, memory above it is
// refused.
type Sink struct {
	ID      string      `yaml:"id" json:"id"`
	Title   string      `yaml:"title,omitempty" json:"title,omitempty"`
	Ceiling chunk.Class `yaml:"data_class_ceiling" json:"data_class_ceiling"`
}

// Options are what the guard needs besides the tools. Without Recognise and ClassOf
// a registry can be checked, and every call and output is refused as undecided.
type Options struct {
	Recognise func(text []byte) []chunk.Entity          // the classifier's recognisers
	ClassOf   func(entities []chunk.Entity) chunk.Class // the class of what they found
	Sinks     []Sink                                    // sinks with a ceiling of their own; one that is not listed has its tool's
	// Recipients are the roles an output may go to. Nil: [DefaultRecipients].
	Recipients []Recipient
	// Operations that may be declared. Nil: [DefaultOperations].
	Operations []Operation
	// Unrestricted lets network tools run without a person (SPEC EGR-6:
	// agent_unrestricted_tools). The zero value keeps the restricted profile.
	Unrestricted bool
}

// Guard decides. It is safe for concurrent use and never changes; a new
// configuration makes a new one.
type Guard struct {
	tools      map[string]*tool
	sinks      map[string]Sink
	recipients map[string]Recipient
	operations map[string]Operation
	opts       Options
}

type tool struct {
	Tool
	arguments map[string]*Argument
}

// Compile checks the registry strictly and makes a guard of it. The error lists
// every fault, each with the place it is in.
func Compile(tools []Tool, opts Options) (*Guard, error) {
	g := &Guard{tools: map[string]*tool{}, sinks: map[string]Sink{}, recipients: map[string]Recipient{}, operations: map[string]Operation{}, opts: opts}
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	for i, s := range opts.Sinks {
		at := fmt.Sprintf("sinks[%d] (%s)", i, s.ID)
		if !name(s.ID) {
			bad("%s: id: want 1 to 64 of a-z, 0-9, dot, hyphen, underscore", at)
		}
		if _, twice := g.sinks[s.ID]; twice {
			bad("%s: id: used twice", at)
		}
		if s.Ceiling == chunk.Unclassified {
			bad("%s: data_class_ceiling: missing", at)
		}
		g.sinks[s.ID] = s
	}
	for i := range tools {
		t := &tool{Tool: tools[i], arguments: map[string]*Argument{}}
		at := fmt.Sprintf("tools[%d] (%s)", i, t.ID)
		if _, twice := g.tools[t.ID]; twice {
			bad("%s: id: used twice", at)
		}
		for _, err := range t.check() {
			bad("%s: %w", at, err)
		}
		if t.Control == "" {
			t.Control = Blocked
		}
		if t.Contamination == "" {
			t.Contamination = Strict
		}
		g.tools[t.ID] = t
	}
	recipients := opts.Recipients
	if recipients == nil {
		recipients = DefaultRecipients
	}
	for i, r := range recipients {
		at := fmt.Sprintf("recipients[%d] (%s)", i, r.Role)
		if !name(r.Role) {
			bad("%s: role: want 1 to 64 of a-z, 0-9, dot, hyphen, underscore", at)
		}
		if _, twice := g.recipients[r.Role]; twice {
			bad("%s: role: used twice", at)
		}
		if r.Clearance == chunk.Unclassified {
			bad("%s: clearance: missing", at)
		}
		g.recipients[r.Role] = r
	}
	operations := opts.Operations
	if operations == nil {
		operations = DefaultOperations
	}
	for i, o := range operations {
		at := fmt.Sprintf("operations[%d] (%s)", i, o.Name)
		if _, twice := g.operations[o.Name]; twice {
			bad("%s: name: used twice", at)
		}
		for _, err := range o.check() {
			bad("%s: %w", at, err)
		}
		g.operations[o.Name] = o
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return g, nil
}

// check gives everything that is wrong with a tool, and indexes its arguments.
func (t *tool) check() (errs []error) {
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if !name(t.ID) {
		bad("id: want 1 to 64 of a-z, 0-9, dot, hyphen, underscore")
	}
	if t.Ceiling == chunk.Unclassified || t.Ceiling > chunk.PII {
		bad("data_class_ceiling: missing (want public, internal, restricted or pii)")
	}
	switch t.Control {
	case "", Blocked, HumanApproval, Autonomous:
	default:
		bad("control_level: want autonomous, human-approval or blocked")
	}
	switch t.Contamination {
	case "", Strict, Gate:
	case Arguments:
		if strings.TrimSpace(t.Reason) == "" {
			bad("contamination_reason: required with contamination: arguments; say why nothing of the run can travel in a call")
		}
	default:
		bad("contamination: want strict, gate or arguments")
	}
	seen := map[string]bool{}
	for i, s := range t.Sinks {
		if !name(s) {
			bad("authorized_sinks[%d]: want 1 to 64 of a-z, 0-9, dot, hyphen, underscore", i)
		}
		if seen[s] {
			bad("authorized_sinks[%d]: %s stands there twice", i, s)
		}
		seen[s] = true
	}
	folded := map[string]bool{}
	for i := range t.Tool.Arguments {
		a := &t.Tool.Arguments[i]
		for _, err := range a.check() {
			bad("arguments[%d] (%s): %w", i, a.Name, err)
		}
		if a.Sink && len(t.Sinks) == 0 {
			bad("arguments[%d] (%s): sink: the tool has no authorized_sinks", i, a.Name)
		}
		if a.Sink && a.Type != "string" && a.Type != "array" {
			bad("arguments[%d] (%s): sink: type must be string or array", i, a.Name)
		}
		if folded[strings.ToLower(a.Name)] {
			bad("arguments[%d] (%s): name: differs from another in case alone, or not at all", i, a.Name)
		}
		folded[strings.ToLower(a.Name)] = true
		t.arguments[a.Name] = a
	}
	return errs
}

var types = []string{"string", "number", "integer", "boolean", "array", "object"}

func (a *Argument) check() (errs []error) {
	if !argumentName(a.Name) {
		errs = append(errs, errors.New("name: want 1 to 64 letters, digits, underscores, hyphens and dots, a letter or underscore first"))
	}
	if !slices.Contains(types, a.Type) {
		errs = append(errs, fmt.Errorf("type: want one of %s", strings.Join(types, ", ")))
	}
	if a.MaxBytes < 0 || a.MaxBytes > MaxArgumentBytes {
		errs = append(errs, fmt.Errorf("max_bytes: want 0 to %d", MaxArgumentBytes))
	}
	return errs
}

// name reports whether s can name a tool, a sink or a role.
func name(s string) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && (i == 0 || c != '.' && c != '-' && c != '_') {
			return false
		}
	}
	return true
}

func argumentName(s string) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '.' && c != '-') {
			return false
		}
	}
	return true
}

// Tool gives a registered tool.
func (g *Guard) Tool(id string) (Tool, bool) {
	t, ok := g.tools[id]
	if !ok {
		return Tool{}, false
	}
	return t.Tool, true
}

// Stub is what the guard must know of one of the run's stubs.
type Stub struct {
	Name  string // without braces
	Class chunk.Class
	Sinks []string      // where its field lets it go, beside the tools' own sinks
	Value chunk.Content // what it stands for, where the caller could open it: an argument must not hold that either
	// Surrogate is what the agent sees in place of the name, where that looks like a value:
	// nobody's address, a number kept for fiction. Empty: the agent sees the name.
	Surrogate string
}

// Call is a tool call that an agent asks for.
type Call struct {
	Tool      string
	Arguments json.RawMessage // a JSON object
	Sink      string          // where the result goes; empty: what the sink arguments name, or the tool's only sink
	Stubs     []Stub          // the run's
	Unknown   bool            // the run has more stubs than Stubs holds: what it must not hold is not known
	Approved  bool            // a person approved this very call
}

// FieldError says what is wrong with one part of a request. It never quotes it.
type FieldError struct {
	Field  string `json:"field"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Found says that an argument holds something above the ceiling: where and why,
// never what.
type Found struct {
	Argument string      `json:"argument"` // declared name; empty: across several
	Type     string      `json:"type"`     // entity type, STUB or VALUE
	Class    chunk.Class `json:"data_class"`
	Views    []string    `json:"views,omitempty"` // what had to be undone to see it
}

// Decision is the answer to a [Call].
type Decision struct {
	Outcome       Outcome
	Failure       chunk.FailureID // FailNone when allowed
	Rule          Rule
	DataClass     chunk.Class  // highest of the run's class and of what the arguments hold
	ArgumentNames []string     // declared names that the call gives, sorted; undeclared ones are content and are not repeated
	Sink          string       // where the data would go, if that is known
	SinkVerified  bool         // Sink is one of the tool's authorised sinks
	Gate          string       // type of the gate to open; empty: none
	Fields        []FieldError // with FailToolArguments
	Found         []Found      // with FailPIILeakRisk
	Stubs         []string     // names of stubs that may be resolved for this call once it is allowed
}

// Decide answers whether a tool call may be made (SPEC EGR-1, EGR-2, EGR-3).
//
// The order is part of the contract: the state of the run, the registry, the
// arguments' form, what they hold, where they go, the run's class, and last whether
// a person must agree. A person's approval opens the last two only; what an argument
// holds above the ceiling stays blocked (DECISIONS, class of a run).
func (g *Guard) Decide(c Call, s RunState) Decision {
	d := Decision{DataClass: s.Class}
	if f := s.Refusal(); f != chunk.FailNone {
		return d.deny(f, RuleState)
	}
	t, ok := g.tools[c.Tool]
	if !ok {
		return d.deny(chunk.FailToolUnregistered, RuleUnregistered)
	}
	return g.decide(t, c, s)
}

// decide is what [Guard.Decide] and [Guard.DecideOperation] share, once it is known what
// is called.
func (g *Guard) decide(t *tool, c Call, s RunState) Decision {
	d := Decision{DataClass: s.Class}
	args, fields := t.decode(c.Arguments)
	d.ArgumentNames = args.names
	if t.Control != HumanApproval && t.Control != Autonomous {
		return d.deny(chunk.FailToolBlocked, RuleBlocked)
	}
	if len(fields) > 0 {
		d.Fields = fields
		return d.deny(chunk.FailToolArguments, RuleArguments)
	}

	sinkOK := g.sink(&d, t, c, args)
	readable := g.judges() && g.judge(&d, t, c, args) && !c.Unknown
	switch {
	case len(d.Found) > 0:
		d.Stubs = nil
		d.Gate = GatePIILeak
		return d.deny(chunk.FailPIILeakRisk, foundRule(d.Found))
	case !readable:
		d.Stubs = nil
		return d.deny(chunk.FailUndecided, RuleUnreadable)
	case !sinkOK:
		d.Stubs = nil
		return d.deny(chunk.FailSinkUnauthorised, RuleSink)
	}

	over := s.Class.Exceeds(t.Ceiling)
	if over && t.Contamination == Strict {
		d.Stubs = nil
		d.Gate = GatePIILeak
		return d.deny(chunk.FailPIILeakRisk, RuleContamination)
	}
	if t.Control == Autonomous && t.Network && !g.opts.Unrestricted {
		d.Stubs = nil
		return d.deny(chunk.FailToolBlocked, RuleNetwork)
	}
	rule := RuleAutonomous
	switch {
	case over && t.Contamination != Arguments:
		rule = RuleContamination
	case t.Control == HumanApproval:
		rule = RuleApproval
	}
	if rule != RuleAutonomous && !c.Approved {
		d.Outcome, d.Failure, d.Rule, d.Gate = Gated, chunk.FailApprovalRequired, rule, GateToolCall
		return d
	}
	if rule != RuleAutonomous {
		rule = RuleApproved
	}
	d.Outcome, d.Rule = Allow, rule
	return d
}

// judges reports whether there is anything to judge content by.
func (g *Guard) judges() bool { return g.opts.Recognise != nil && g.opts.ClassOf != nil }

func (d Decision) deny(f chunk.FailureID, r Rule) Decision {
	d.Outcome, d.Failure, d.Rule = Deny, f, r
	return d
}

func foundRule(found []Found) Rule {
	rule := RuleStub
	for _, f := range found {
		switch f.Type {
		case typeStub:
		case typeValue:
			if rule == RuleStub {
				rule = RuleValue
			}
		default:
			return RuleRecogniser
		}
	}
	return rule
}

// Types of [Found] that are no entity types.
const (
	typeStub  = "STUB"
	typeValue = "VALUE"
)

// sink finds out where the call's data goes and whether it may (SPEC EGR-1).
func (g *Guard) sink(d *Decision, t *tool, c Call, args arguments) bool {
	ok := true
	named := map[string]bool{}
	if c.Sink != "" {
		if !slices.Contains(t.Sinks, c.Sink) {
			return false // not even its name is repeated: it is the agent's text
		}
		named[c.Sink] = true
	}
	for _, l := range args.leaves {
		if !l.sink {
			continue
		}
		if l.key || l.kind != "string" {
			ok = false
			continue
		}
		if slices.Contains(t.Sinks, l.text) {
			named[l.text] = true
			continue
		}
		to, found := stubSink(t, c, l.text)
		if !found {
			ok = false
			continue
		}
		named[to] = true
	}
	if len(named) == 0 && len(t.Sinks) == 1 && !t.namesSink() {
		named[t.Sinks[0]] = true
	}
	switch {
	case !ok || len(named) > 1:
		return false
	case len(named) == 0:
		return len(t.Sinks) == 0 // a tool that writes nowhere needs no sink; one that writes must say where
	}
	for s := range named {
		d.Sink, d.SinkVerified = s, true
	}
	return true
}

func (t *tool) namesSink() bool {
	for _, a := range t.Tool.Arguments {
		if a.Sink && a.Required {
			return true
		}
	}
	return false
}

// stubSink gives the sink that a stub, standing alone in a sink argument, leads to.
func stubSink(t *tool, c Call, text string) (string, bool) {
	for _, s := range c.Stubs {
		if text != s.Name && text != "{"+s.Name+"}" && (s.Surrogate == "" || text != s.Surrogate) {
			continue
		}
		for _, to := range t.Sinks {
			if slices.Contains(s.Sinks, to) && (c.Sink == "" || c.Sink == to) {
				return to, true
			}
		}
	}
	return "", false
}

// MayResolve reports whether a stub may be turned back into its value for a sink of
// a tool (SPEC RED-4): the sink is one of the tool's, no ceiling of the sink forbids
// it, and either the stub's field names the sink or the tool's own ceiling covers it.
func (g *Guard) MayResolve(toolID, sink string, s Stub) bool {
	t, ok := g.tools[toolID]
	return ok && g.resolves(t, sink, s)
}

func (g *Guard) resolves(t *tool, sink string, s Stub) bool {
	if sink == "" || !slices.Contains(t.Sinks, sink) {
		return false
	}
	if own, ok := g.sinks[sink]; ok {
		if s.Class.Exceeds(own.Ceiling) {
			return false
		}
		return slices.Contains(s.Sinks, sink) || !s.Class.Exceeds(t.Ceiling)
	}
	return slices.Contains(s.Sinks, sink) || !s.Class.Exceeds(t.Ceiling)
}
