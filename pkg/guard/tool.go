package guard

import "github.com/stoplog/stoplog/pkg/chunk"

// Tool is one entry of the tool registry (SPEC EGR-1). A tool that is not
// registered is refused.
type Tool struct {
	ID            string        `yaml:"id" json:"id"`
	Title         string        `yaml:"title,omitempty" json:"title,omitempty"`
	Ceiling       chunk.Class   `yaml:"data_class_ceiling" json:"data_class_ceiling"`
	Control       Control       `yaml:"control_level" json:"control_level"`
	Sinks         []string      `yaml:"authorized_sinks,omitempty" json:"authorized_sinks,omitempty"`
	Contamination Contamination `yaml:"contamination,omitempty" json:"contamination,omitempty"`
	Reason        string        `yaml:"contamination_reason,omitempty" json:"contamination_reason,omitempty"` // required with "arguments"
	Network       bool          `yaml:"network,omitempty" json:"network,omitempty"`                           // reaches outside: refused in the restricted profile
	Arguments     []Argument    `yaml:"arguments,omitempty" json:"arguments,omitempty"`
}

// Argument declares one argument of a tool. Undeclared arguments are refused.
type Argument struct {
	Name     string `yaml:"name" json:"name"`
	Type     string `yaml:"type" json:"type"` // string, number, integer, boolean, array, object
	Required bool   `yaml:"required,omitempty" json:"required,omitempty"`
	MaxBytes int    `yaml:"max_bytes,omitempty" json:"max_bytes,omitempty"`
	Sink     bool   `yaml:"sink,omitempty" json:"sink,omitempty"` // names where the data goes; must be an authorised sink or a stub that resolves to one
}

// Control is a tool's control level. The zero value is blocked.
type Control string

// The control levels.
const (
	Blocked       Control = "blocked"
	HumanApproval Control = "human-approval"
	Autonomous    Control = "autonomous"
)

// Contamination says how a run's class bears on a tool (DECISIONS, class of a
// run). The zero value is strict.
type Contamination string

// The contamination rules.
const (
	Strict    Contamination = "strict"    // a run above the ceiling is blocked
	Gate      Contamination = "gate"      // a person decides, if the arguments hold nothing above the ceiling
	Arguments Contamination = "arguments" // only the arguments are judged
)
