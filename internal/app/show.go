package app

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

// showScan prints one text's scan for a person, or as JSON. It reports whether the
// text is anything but clean.
func (e *env) showScan(d decisions, name string, text []byte, redact bool) (dirty bool, err error) {
	id, _ := json.Marshal(name)
	line := d.line(id, text)
	dirty = line.Verdict != chunk.Clean
	redacted := string(classify.Redact(text, line.Entities))
	if e.format == "json" {
		if !redact {
			return dirty, e.answer(line, nil)
		}
		return dirty, e.external(struct {
			scanLine
			Redacted string `json:"redacted"`
		}{line, redacted}, nil, "redacted")
	}
	if redact {
		if terminal(e.out) {
			redacted = review.Inert(redacted)
		}
		_, err := io.WriteString(e.out, redacted)
		return dirty, err
	}
	return dirty, e.answer(nil, func(w io.Writer) {
		verdict := e.paint(verdictColour(line.Verdict), strings.ToUpper(line.Verdict.String()))
		fmt.Fprintf(w, "%s  %s  score %.4f  class %s\n", review.Inert(name), verdict, line.Score, line.Class)
		if line.Verdict == chunk.Hold {
			fmt.Fprintln(w, "\n  undecided: more was written in other ways than is decoded, or the text is too long, or a decision failed.\n  Have a person read it, or scan its parts one by one.")
		}
		for _, f := range line.Findings {
			e.showFinding(w, text, f, line.Entities)
		}
		if len(line.Entities) > 0 {
			fmt.Fprintln(w)
			rows := [][]string{{"ENTITY", "RULE", "BYTES", "SCORE", "CLASS"}}
			for _, x := range line.Entities {
				rows = append(rows, []string{x.Type, x.Rule, span(x.Span), fmt.Sprintf("%.2f", x.Score), classify.ClassOf([]chunk.Entity{x}).String()})
			}
			table(w, rows...)
		}
	})
}

func span(s chunk.Span) string { return strconv.Itoa(s.Start) + " to " + strconv.Itoa(s.End) }

// aroundFinding is how much text is shown on each side of a finding, in bytes.
const aroundFinding = 60

// showFinding shows one finding: rule, family, place, the views that exposed it, what
// it adds to the score, and the raw text, inert, with what identifies masked.
func (e *env) showFinding(w io.Writer, text []byte, f chunk.Finding, entities []chunk.Entity) {
	fmt.Fprintf(w, "\n  %s  %s  bytes %s  adds %.4f%s\n", e.paint(bold, f.Family), f.Rule, span(f.Span), f.Score, chain(f.Views))
	from, to := max(0, f.Start-aroundFinding), min(len(text), f.End+aroundFinding)
	before, after := "", ""
	if from > 0 {
		before = "… "
	}
	if to < len(text) {
		after = " …"
	}
	block(w, before+masked(text, chunk.Span{Start: from, End: f.Start}, entities)+"\u27ea"+masked(text, f.Span, entities)+"\u27eb"+masked(text, chunk.Span{Start: f.End, End: to}, entities)+after)
}

// masked gives a part of a text with what recognisers found in it replaced by its
// type: a person looking for injections need not read secrets off a screen.
func masked(text []byte, part chunk.Span, entities []chunk.Entity) string {
	var b strings.Builder
	at := part.Start
	for _, x := range entities {
		if !x.Overlaps(part) || x.End <= at {
			continue
		}
		if x.Start > at {
			b.Write(text[at:x.Start])
		}
		b.WriteString("{" + x.Type + "}")
		at = min(x.End, part.End)
	}
	b.Write(text[at:part.End])
	return b.String()
}
