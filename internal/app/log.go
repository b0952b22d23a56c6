package app

import (
	"context"
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

type logOptions struct{ format, level string }

func (o logOptions) check() error {
	var l slog.Level
	if err := l.UnmarshalText([]byte(o.level)); err != nil {
		return usagef("--log-level %s: want debug, info, warn or error", o.level)
	}
	switch o.format {
	case "auto", "text", "json":
		return nil
	}
	return usagef("--log-format %s: want auto, text or json", o.format)
}

// terminal reports whether w is a terminal that a person reads.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// logger makes the one logger of a process. Whatever a log call is given, secrets
// and identifying elements in its strings are redacted before they are written
// (SPEC RED-5). Content never gets here anyway, since its types cannot print
// themselves; this is for what a library, a driver or a person put into an error.
func (o logOptions) logger(w io.Writer) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(o.level)) // checked when the flags were read
	opts := &slog.HandlerOptions{Level: l}
	var h slog.Handler
	if o.format == "text" || (o.format == "auto" && terminal(w)) {
		h = slog.NewTextHandler(w, opts)
	} else {
		h = slog.NewJSONHandler(w, opts)
	}
	c, err := classify.Compile(nil, classify.Options{})
	if err != nil {
		panic("app: the recognisers do not compile: " + err.Error()) // built in: a programming error
	}
	return slog.New(&redactingHandler{h, c})
}

type redactingHandler struct {
	slog.Handler
	c *classify.Classifier
}

func (h *redactingHandler) clean(s string) string {
	if len(s) < 6 { // shorter than any secret or identifier
		return s
	}
	if len(s) > 8<<10 {
		s = s[:8<<10]
	}
	var risky []chunk.Entity
	for _, e := range h.c.Recognise([]byte(s)) {
		switch e.Type { // what operators need to read stays: times, loopback addresses, names of parts
		case "DATE_TIME", "IP_ADDRESS", "PERSON", "LOCATION", "URL":
		default:
			risky = append(risky, e)
		}
	}
	if len(risky) == 0 {
		return s
	}
	return string(classify.Redact([]byte(s), risky))
}

func (h *redactingHandler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.clean(v.String()))
	case slog.KindGroup:
		g := v.Group()
		out := make([]slog.Attr, len(g))
		for i, x := range g {
			out[i] = h.attr(x)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(out...)}
	case slog.KindAny:
		return slog.String(a.Key, h.clean(v.String()))
	}
	return slog.Attr{Key: a.Key, Value: v}
}

func (h *redactingHandler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, h.clean(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, out)
}

func (h *redactingHandler) WithAttrs(as []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(as))
	for i, a := range as {
		out[i] = h.attr(a)
	}
	return &redactingHandler{h.Handler.WithAttrs(out), h.c}
}

func (h *redactingHandler) WithGroup(name string) slog.Handler {
	return &redactingHandler{h.Handler.WithGroup(name), h.c}
}
