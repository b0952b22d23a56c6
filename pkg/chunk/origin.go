package chunk

import "fmt"

// Origin says who speaks in a chunk (SPEC CLS-7). It is set by ingestion alone
// and never read from a payload. The zero value is TaskData: text with no
// authority.
type Origin uint8

// The origins. Only AgentInstruction text may be treated as instructions.
const (
	TaskData Origin = iota
	OperatorInput
	AgentInstruction
)

func (o Origin) String() string {
	switch o {
	case OperatorInput:
		return "operator-input"
	case AgentInstruction:
		return "agent-instruction"
	default:
		return "task-data"
	}
}

// ParseOrigin reads an origin name.
func ParseOrigin(s string) (Origin, error) {
	for _, o := range []Origin{TaskData, OperatorInput, AgentInstruction} {
		if o.String() == s {
			return o, nil
		}
	}
	return TaskData, fmt.Errorf("chunk: unknown origin (want agent-instruction, operator-input or task-data)")
}

// MarshalText writes the origin's name.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads an origin's name strictly.
func (o *Origin) UnmarshalText(b []byte) error {
	v, err := ParseOrigin(string(b))
	if err != nil {
		return err
	}
	*o = v
	return nil
}

// Trust is the trust level of a source's content (SPEC CLS-8). It is
// attribution: it informs people and thresholds and never makes text an
// instruction. The zero value is the lowest level.
type Trust uint8

// The trust levels, lowest first.
const (
	UntrustedExternal Trust = iota // anyone can write it: web pages, inbound mail
	Authenticated                  // written by a known, signed-in outside party
	Organisation                   // written inside the operator's organisation
)

func (t Trust) String() string {
	switch t {
	case Authenticated:
		return "AUTHENTICATED_PARTY"
	case Organisation:
		return "ORGANISATION"
	default:
		return "UNTRUSTED_EXTERNAL_CONTENT"
	}
}

// ParseTrust reads a trust level's name.
func ParseTrust(s string) (Trust, error) {
	for _, t := range []Trust{UntrustedExternal, Authenticated, Organisation} {
		if t.String() == s {
			return t, nil
		}
	}
	return UntrustedExternal, fmt.Errorf("chunk: unknown trust level (want UNTRUSTED_EXTERNAL_CONTENT, AUTHENTICATED_PARTY or ORGANISATION)")
}

// MarshalText writes the level's name.
func (t Trust) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a level's name strictly.
func (t *Trust) UnmarshalText(b []byte) error {
	v, err := ParseTrust(string(b))
	if err != nil {
		return err
	}
	*t = v
	return nil
}
