package chunk

import "fmt"

// Class is a data class (SPEC CLS-1). Classes are ordered:
// public < internal < restricted < pii < unclassified.
//
// The zero value is Unclassified. It ranks above every other class, so content
// that nobody classified exceeds every ceiling.
type Class uint8

// The data classes. The numeric values are private to this process; on the wire
// and in records a class is its name.
const (
	Unclassified Class = iota
	Public
	Internal
	Restricted
	PII
)

// Classes lists the four declared classes in ascending order.
var Classes = [...]Class{Public, Internal, Restricted, PII}

// Rank gives the order of a class: 1 for public up to 4 for pii, and 5 for
// Unclassified and for any value that is not a class.
func (c Class) Rank() int {
	if c == Unclassified || c > PII {
		return 5
	}
	return int(c)
}

// Exceeds reports whether c ranks above ceiling. An unset ceiling is never a
// permission: every class, public too, exceeds it.
func (c Class) Exceeds(ceiling Class) bool {
	if ceiling.Rank() == 5 {
		return true
	}
	return c.Rank() > ceiling.Rank()
}

// Max gives the higher of two classes. Classes only ever rise (SPEC CLS-5, CLS-6).
func (c Class) Max(d Class) Class {
	if d.Rank() > c.Rank() {
		return d
	}
	return c
}

func (c Class) String() string {
	switch c {
	case Public:
		return "public"
	case Internal:
		return "internal"
	case Restricted:
		return "restricted"
	case PII:
		return "pii"
	default:
		return "unclassified"
	}
}

// ParseClass reads a class name. Unknown names, the empty one included, are an error.
func ParseClass(s string) (Class, error) {
	for _, c := range Classes {
		if c.String() == s {
			return c, nil
		}
	}
	if s == "unclassified" {
		return Unclassified, nil
	}
	return Unclassified, fmt.Errorf("chunk: unknown data class (want public, internal, restricted or pii)")
}

// MarshalText writes the class name.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a class name strictly.
func (c *Class) UnmarshalText(b []byte) error {
	v, err := ParseClass(string(b))
	if err != nil {
		return err
	}
	*c = v
	return nil
}
