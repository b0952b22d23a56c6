package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Phases of an agent's work. There may be others; they allow no communication.
const (
	PhasePlanning  = "planning"
	PhaseExecution = "execution"
)

// gatedNamespaces are the namespaces that reach outside, each with the phases that
// allow it. It is a list of what is allowed: a phase nobody thought of is refused.
var gatedNamespaces = map[string][]string{
	"comm": {PhaseExecution},
}

// Namespace is the part of an operation's name before the first dot.
func Namespace(operation string) string {
	n, _, _ := strings.Cut(operation, ".")
	return n
}

// PhaseAllows reports whether an operation may run in a phase (SPEC DEC-2):
// comm.* in execution alone; every other namespace in every phase. A name that
// differs from a gated namespace in case or space alone is gated too.
func PhaseAllows(operation, phase string) bool {
	allowed, gated := gatedNamespaces[strings.ToLower(strings.TrimSpace(Namespace(operation)))]
	return !gated || slices.Contains(allowed, phase)
}

// Risk decides who approves a declared operation (SPEC DEC-3). The zero value is high.
type Risk string

// The risks.
const (
	RiskHigh Risk = "high"
	RiskLow  Risk = "low"
)

// Operation is an entry of the operation registry (SPEC DEC-1).
type Operation struct {
	Name       string     `yaml:"name" json:"name"` // namespace.verb
	Risk       Risk       `yaml:"risk,omitempty" json:"risk,omitempty"`
	Parameters []Argument `yaml:"parameters,omitempty" json:"parameters,omitempty"`
	URL        string     `yaml:"url,omitempty" json:"url,omitempty"` // the parameter that must be an https URL
	// Ceiling bounds what the parameters may hold, and the class of a run that needs no
	// person to agree. Unset: public.
	Ceiling chunk.Class `yaml:"data_class_ceiling,omitempty" json:"data_class_ceiling,omitempty"`
}

// The operations that Stoplog can carry out itself (SPEC DEC-1, DEC-4).
const (
	OperationSearch    = "comm.search"
	OperationFetch     = "comm.fetch"
	OperationQuery     = "comm.query"
	OperationFileRead  = "file.read"
	OperationFileWrite = "file.write"
)

// DefaultOperations are the operations of SPEC DEC-1.
var DefaultOperations = []Operation{
	{Name: OperationSearch, Risk: RiskLow, Ceiling: chunk.Internal, Parameters: []Argument{
		{Name: "query", Type: "string", Required: true, MaxBytes: 2048},
		{Name: "limit", Type: "integer"},
	}},
	{Name: OperationFetch, Risk: RiskHigh, URL: "url", Ceiling: chunk.Internal, Parameters: []Argument{
		{Name: "url", Type: "string", Required: true, MaxBytes: 2048},
	}},
	{Name: OperationQuery, Risk: RiskHigh, Ceiling: chunk.Internal, Parameters: []Argument{
		{Name: "service", Type: "string", Required: true, MaxBytes: 256},
		{Name: "query", Type: "string", Required: true, MaxBytes: 8192},
	}},
}

// FileOperations are those of a deployment that gives its agents a workspace (SPEC
// DEC-4). What is written there leaves the run, so a person agrees to it.
var FileOperations = []Operation{
	{Name: OperationFileRead, Risk: RiskLow, Ceiling: chunk.Internal, Parameters: []Argument{
		{Name: "path", Type: "string", Required: true, MaxBytes: 1024},
	}},
	{Name: OperationFileWrite, Risk: RiskHigh, Ceiling: chunk.Internal, Parameters: []Argument{
		{Name: "path", Type: "string", Required: true, MaxBytes: 1024},
		{Name: "content", Type: "string", Required: true, MaxBytes: 128 << 10},
	}},
}

// tool is the operation as [Guard.Decide] judges a call: a run above the ceiling asks a
// person, and what a parameter holds above it goes nowhere.
func (o Operation) tool() *tool {
	t := &tool{Tool: Tool{ID: o.Name, Ceiling: o.Ceiling, Control: Autonomous, Contamination: Gate, Arguments: o.Parameters}, arguments: map[string]*Argument{}}
	if t.Ceiling == chunk.Unclassified {
		t.Ceiling = chunk.Public
	}
	for i := range o.Parameters {
		t.arguments[o.Parameters[i].Name] = &o.Parameters[i]
	}
	return t
}

// DecideOperation judges what a declared operation would take out of a run: what its
// parameters hold, as [Guard.Decide] judges the arguments of a call (SPEC EGR-2,
// EGR-3), and the run's class (SPEC CLS-6). [Guard.Declare] has settled the rest.
func (g *Guard) DecideOperation(c Call, s RunState) Decision {
	d := Decision{DataClass: s.Class}
	if f := s.Refusal(); f != chunk.FailNone {
		return d.deny(f, RuleState)
	}
	op, ok := g.operations[c.Tool]
	if !ok {
		return d.deny(chunk.FailDeclaration, RuleDeclaration)
	}
	return g.decide(op.tool(), c, s)
}

func (o Operation) check() (errs []error) {
	ns, verb, ok := strings.Cut(o.Name, ".")
	if !ok || !name(ns) || !name(verb) {
		errs = append(errs, errors.New("name: want namespace.verb"))
	}
	if o.Risk != "" && o.Risk != RiskHigh && o.Risk != RiskLow {
		errs = append(errs, errors.New("risk: want low or high"))
	}
	seen := map[string]bool{}
	url := o.URL == ""
	for i, p := range o.Parameters {
		for _, err := range p.check() {
			errs = append(errs, fmt.Errorf("parameters[%d] (%s): %w", i, p.Name, err))
		}
		if seen[strings.ToLower(p.Name)] {
			errs = append(errs, fmt.Errorf("parameters[%d] (%s): name: used twice", i, p.Name))
		}
		seen[strings.ToLower(p.Name)] = true
		url = url || p.Name == o.URL && p.Type == "string"
	}
	if !url {
		errs = append(errs, errors.New("url: names no string parameter"))
	}
	return errs
}

// Declaration is what an agent says before it reaches outside (SPEC DEC-1).
type Declaration struct {
	Operation     string          `json:"operation"`
	Parameters    json.RawMessage `json:"parameters"`
	Justification Justification   `json:"justification"`
	Phase         string          `json:"phase"`
	SessionID     string          `json:"session_id"`
}

// Justification says why. Each part is a sentence, not a word.
type Justification struct {
	UserRequest      string `json:"user_request"`
	MissingKnowledge string `json:"missing_knowledge"`
	ExpectedUse      string `json:"expected_use"`
}

// Standing is what governance knows of whoever declares (SPEC DEC-3). The zero
// value permits nothing.
type Standing struct {
	Operations []string // operations this principal may declare; "*" is all
	Left       int      // requests left in its quota
	// Hosts that count as trusted: a URL operation to one of them is low risk.
	// A host stands for itself alone, *.example.com for every host below.
	Trusted []string
}

// Declared is the answer to a [Declaration].
type Declared struct {
	Outcome    Outcome
	Failure    chunk.FailureID
	Rule       Rule
	Fields     []FieldError // everything that is wrong, with FailDeclaration
	Risk       Risk
	Parameters []string // declared names that were given, sorted
	Operation  string   // registered name; empty for one that is not
	Gate       string
}

// Declare decides a declaration (SPEC DEC-1, DEC-2, DEC-3): its form first, the
// phase, then permission, quota and trust; what is of low risk is approved at once
// and the rest waits for a person.
func (g *Guard) Declare(d Declaration, by Standing) Declared {
	var out Declared
	bad := func(field, code, detail string) { out.Fields = append(out.Fields, FieldError{field, code, detail}) }

	op, registered := g.operations[d.Operation]
	switch {
	case d.Operation == "":
		bad("operation", codeMissing, "required")
	case !registered:
		bad("operation", codeUnknown, "not a registered operation")
	default:
		out.Operation, out.Risk = op.Name, op.Risk
	}
	if registered {
		declared := map[string]*Argument{}
		for i := range op.Parameters {
			declared[op.Parameters[i].Name] = &op.Parameters[i]
		}
		args, fields := decodeObject(d.Parameters, "parameters", declared, op.Parameters)
		out.Fields = append(out.Fields, fields...)
		out.Parameters = args.names
		for _, l := range args.leaves {
			if len(fields) == 0 && l.kind == "string" && !l.key && strings.TrimSpace(l.text) == "" {
				bad("parameters."+l.argument, codeVague, "empty")
			}
			if op.URL != "" && l.argument == op.URL && len(fields) == 0 && !httpsURL(l.text) {
				bad("parameters."+op.URL, codeFormat, "want an https URL with a host and without user information")
			}
		}
	}
	for _, p := range []struct{ field, text string }{
		{"justification.user_request", d.Justification.UserRequest},
		{"justification.missing_knowledge", d.Justification.MissingKnowledge},
		{"justification.expected_use", d.Justification.ExpectedUse},
	} {
		switch {
		case strings.TrimSpace(p.text) == "":
			bad(p.field, codeMissing, "required")
		case len(p.text) > maxJustification:
			bad(p.field, codeTooLarge, fmt.Sprintf("at most %d bytes", maxJustification))
		case vague(p.text):
			bad(p.field, codeVague, "say it in a sentence of at least three words")
		}
	}
	switch {
	case d.SessionID == "":
		bad("session_id", codeMissing, "required")
	case !session(d.SessionID):
		bad("session_id", codeFormat, "want 8 to 128 letters, digits, hyphens, underscores and dots")
	}
	switch {
	case d.Phase == "":
		bad("phase", codeMissing, "required")
	case !name(d.Phase):
		bad("phase", codeFormat, "want a name in lower case")
	}
	if registered && !PhaseAllows(op.Name, d.Phase) {
		// Also when other parts are wrong: the phase is the reason that will stay.
		out.Failure, out.Rule = chunk.FailPhase, RulePhase
		return out
	}
	if len(out.Fields) > 0 {
		out.Failure, out.Rule = chunk.FailDeclaration, RuleDeclaration
		return out
	}
	if !slices.Contains(by.Operations, op.Name) && !slices.Contains(by.Operations, "*") {
		out.Failure, out.Rule = chunk.FailToolBlocked, RulePermission
		return out
	}
	if by.Left <= 0 {
		out.Failure, out.Rule = chunk.FailToolBlocked, RuleQuota
		return out
	}
	if out.Risk == "" {
		out.Risk = RiskHigh
	}
	if op.URL != "" && trusted(Parameter(d.Parameters, op.URL), by.Trusted) {
		out.Risk = RiskLow
	}
	if out.Risk == RiskLow {
		out.Outcome, out.Rule = Allow, RuleLowRisk
		return out
	}
	out.Outcome, out.Failure, out.Rule, out.Gate = Gated, chunk.FailApprovalRequired, RuleHighRisk, GateDeclaration
	return out
}

const maxJustification = 2000

// vague reports whether a justification says nothing: fewer than three words, or
// the same word over and over.
func vague(s string) bool {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	distinct := map[string]bool{}
	for _, w := range words {
		distinct[w] = true
	}
	if len(distinct) >= 3 {
		return false
	}
	// Scripts without spaces between words: count letters instead.
	letters := map[rune]bool{}
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			letters[r] = true
		}
	}
	return len(letters) < 6
}

func session(s string) bool {
	if len(s) < 8 || len(s) > 128 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func httpsURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && utf8.ValidString(s) && u.Scheme == "https" && u.Hostname() != "" && u.User == nil && u.Opaque == ""
}

// Parameter gives a parameter that is a string; empty where there is none.
func Parameter(raw json.RawMessage, name string) string {
	var m map[string]any
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	s, _ := m[name].(string)
	return s
}

func trusted(rawURL string, hosts []string) bool {
	u, err := url.Parse(rawURL)
	return err == nil && HostIn(u.Hostname(), hosts)
}

// HostIn reports whether a host is in a list, in any case and with or without a dot at
// its end. An entry stands for itself alone, *.example.com for every host below.
func HostIn(host string, list []string) bool {
	h := strings.ToLower(strings.TrimSuffix(host, "."))
	for _, t := range list {
		t = strings.ToLower(t)
		if below, ok := strings.CutPrefix(t, "*."); ok {
			if strings.HasSuffix(h, "."+below) {
				return true
			}
			continue
		}
		if h == t && h != "" {
			return true
		}
	}
	return false
}
