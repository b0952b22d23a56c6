package chunk

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
)

// Content is text that may be hostile or personal. It cannot print itself:
// every formatting verb, slog and encoding/json show its length and nothing
// else. Code that really needs the bytes (a decision, a sealed wire codec, the
// context API) says so by converting: []byte(c).
type Content []byte

func (c Content) mask() string { return "[" + strconv.Itoa(len(c)) + " bytes]" }

// String gives the length only.
func (c Content) String() string { return c.mask() }

// GoString gives the length only.
func (c Content) GoString() string { return c.mask() }

// Format gives the length only, whatever the verb.
func (c Content) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.mask()) }

// LogValue gives the length only.
func (c Content) LogValue() slog.Value { return slog.StringValue(c.mask()) }

// MarshalJSON gives the length only. The wire codec converts to []byte before it
// encodes, and seals what it encodes.
func (c Content) MarshalJSON() ([]byte, error) { return []byte(`"` + c.mask() + `"`), nil }

// MarshalText gives the length only.
func (c Content) MarshalText() ([]byte, error) { return []byte(c.mask()), nil }
