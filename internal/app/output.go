package app

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/fence"
)

// answer gives a command's result: as JSON the envelope of SPEC TAG-1, as text what
// text writes. Nothing of the text is written when it cannot be made whole.
func (e *env) answer(data any, text func(io.Writer), warnings ...string) error {
	if e.format == "json" {
		return e.envelope(true, data, nil, warnings)
	}
	var b bytes.Buffer
	text(&b)
	_, err := e.out.Write(b.Bytes())
	return err
}

// external is answer for data that holds content from outside: it is tagged, as a
// whole or in the named fields (SPEC TAG-1).
func (e *env) external(data any, text func(io.Writer), fields ...string) error {
	if e.format != "json" || e.noTags {
		return e.answer(data, text)
	}
	tagged, err := fence.MarkExternal(data, fields...)
	if err != nil {
		return err
	}
	return e.answer(tagged, text, fence.ExternalWarning)
}

// relay is answer for what the API said: its data and its tags go through as they
// came, unless the tags are not wanted.
func (e *env) relay(a answer, text func(io.Writer)) error {
	if !e.noTags {
		return e.answer(a.Data, text, a.Warnings...)
	}
	var warnings []string
	for _, w := range a.Warnings {
		if w != fence.ExternalWarning {
			warnings = append(warnings, w)
		}
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(a.Data, &m) != nil {
		return e.answer(a.Data, text, warnings...)
	}
	for _, tag := range []string{"_source", "_trusted", "_external_fields"} {
		delete(m, tag)
	}
	return e.answer(m, text, warnings...)
}

// envelope writes one envelope on a line.
func (e *env) envelope(ok bool, data any, failed *problem.Error, warnings []string) error {
	if warnings == nil {
		warnings = []string{}
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails; it ends the process instead
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(problem.Envelope{OK: ok, Data: data, Error: failed, Warnings: warnings, Meta: problem.Meta{
		DurationMS: float64(time.Since(e.began).Microseconds()) / 1000, RequestID: string(chunk.NewID("req", hex.EncodeToString(id[:]))),
	}})
	if err != nil {
		return err
	}
	_, err = e.out.Write(visibleJSON(b.Bytes()))
	return err
}

// visibleJSON escapes, in JSON, each character that does not show as itself: the
// JSON says the same, and a terminal that shows it is neither steered nor deceived.
func visibleJSON(b []byte) []byte {
	var out []byte
	copied := 0
	for i := 0; i < len(b); {
		if b[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if s := string(r); review.Inert(s) != s {
			out = append(out, b[copied:i]...)
			if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
				out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
			} else {
				out = fmt.Appendf(out, `\u%04x`, r)
			}
			copied = i + n
		}
		i += n
	}
	if copied == 0 {
		return b
	}
	return append(out, b[copied:]...)
}

// The colours of verdicts and marks, as terminals know them.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	bold   = "1"
	dim    = "2"
)

// paint colours text for a person at a terminal; NO_COLOR turns that off
// (no-color.org).
func (e *env) paint(code, s string) string {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !terminal(e.out) {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func verdictColour(v chunk.Verdict) string {
	switch v {
	case chunk.Clean:
		return green
	case chunk.Quarantine:
		return red
	}
	return yellow
}

// table lays rows out in columns, the first one a head. Cells are inert.
func table(w io.Writer, rows ...[]string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		for i := range r {
			r[i] = strings.NewReplacer("\t", " ", "\n", " ").Replace(review.Inert(r[i]))
			if r[i] == "" {
				r[i] = "-"
			}
		}
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	_ = t.Flush()
}

// block writes text set off from the rest, inert, line by line.
func block(w io.Writer, text string) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(w, "    │ %s\n", review.Inert(l))
	}
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// bytesText writes a number of bytes for people.
func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
