package stage

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// Trace is a W3C trace context: the traceparent of one hop. The tracestate header is
// not carried: it is text that a sender chooses freely, and Kafka headers hold ids
// and labels only (SPEC PRV-2).
//
// It is our own fifty lines and not the OpenTelemetry API, because all we do is
// carry and continue the header: the API would bring its attribute, baggage and
// propagation packages into every binary for two functions. An exporter can be put
// beside it without changing what lies on the topics.
type Trace struct {
	ID    [16]byte // all zero: no trace
	Span  [8]byte
	Flags byte
}

// NewTrace begins a trace. The ids are random; the sampled flag is set, since
// dropping a trace is the collector's business.
func NewTrace() Trace {
	t := Trace{Flags: 1}
	_, _ = rand.Read(t.ID[:]) // never fails on supported systems
	_, _ = rand.Read(t.Span[:])
	return t
}

// Child continues the trace with a new span.
func (t Trace) Child() Trace {
	if t.ID == ([16]byte{}) {
		return NewTrace()
	}
	_, _ = rand.Read(t.Span[:])
	return t
}

// TraceID gives the trace id in hex, empty without a trace. It is safe to log.
func (t Trace) TraceID() string {
	if t.ID == ([16]byte{}) {
		return ""
	}
	return hex.EncodeToString(t.ID[:])
}

// Traceparent gives the header's value.
func (t Trace) Traceparent() string {
	b := make([]byte, 0, 55)
	b = append(b, "00-"...)
	b = hex.AppendEncode(b, t.ID[:])
	b = append(b, '-')
	b = hex.AppendEncode(b, t.Span[:])
	b = append(b, '-')
	b = hex.AppendEncode(b, []byte{t.Flags})
	return string(b)
}

// ParseTrace reads a traceparent header. What is malformed gives no trace: a trace
// is a help, never a reason to refuse a message.
func ParseTrace(traceparent string) (Trace, bool) {
	var t Trace
	p := strings.Split(traceparent, "-")
	if len(p) < 4 || len(p[0]) != 2 || p[0] == "ff" || len(p[1]) != 32 || len(p[2]) != 16 || len(p[3]) != 2 {
		return Trace{}, false
	}
	if p[0] == "00" && len(p) != 4 { // later versions may add fields
		return Trace{}, false
	}
	var version, flags [1]byte
	for _, f := range []struct {
		dst []byte
		src string
	}{{version[:], p[0]}, {t.ID[:], p[1]}, {t.Span[:], p[2]}, {flags[:], p[3]}} {
		if f.src != strings.ToLower(f.src) {
			return Trace{}, false
		}
		if _, err := hex.Decode(f.dst, []byte(f.src)); err != nil {
			return Trace{}, false
		}
	}
	if t.ID == ([16]byte{}) || t.Span == ([8]byte{}) {
		return Trace{}, false
	}
	t.Flags = flags[0] & 1
	return t, true
}

type traceKey struct{}

// WithTrace puts the trace of the current hop into a context.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceFrom gives the trace of the current hop; [Run] sets it for every [Func].
func TraceFrom(ctx context.Context) (Trace, bool) {
	t, ok := ctx.Value(traceKey{}).(Trace)
	return t, ok
}
