package review

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/fence"
	"github.com/stoplog/stoplog/pkg/guard"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// Card is one gate with everything a reviewer may see of it. All text is inert
// ([Inert]) and masked to the reviewer's role (SPEC QUA-5).
type Card struct {
	Item
	Gone        string       `json:"gone,omitempty"` // why there is no content to show: erased, none
	Attribution *Attribution `json:"attribution,omitempty"`
	Findings    []Finding    `json:"findings,omitempty"`    // why it was flagged
	Stopped     []Stopped    `json:"stopped,omitempty"`     // why the guard stopped it
	Text        []Segment    `json:"text,omitempty"`        // the raw text, cut where something was found or masked
	Decoded     []View       `json:"decoded,omitempty"`     // what it turns into when encodings are undone
	Model       string       `json:"model_view,omitempty"`  // what the model would get after a release
	Masked      int          `json:"masked"`                // places that this role does not see
	Revealed    bool         `json:"revealed"`              // raw pii is shown, and that was recorded
	Reveal      string       `json:"reveal,omitempty"`      // what a reveal needs: reason, second-reviewer, role; empty: nothing is masked
	RevealGate  chunk.ID     `json:"reveal_gate,omitempty"` // the gate on which the second reviewer decides
	Run         *RunView     `json:"run,omitempty"`
	Role        string       `json:"recipient_role,omitempty"`
	Alike       int          `json:"alike"` // waiting gates of the same type and source, this one not counted
}

// Attribution is where a chunk came from, as the door sealed it.
type Attribution struct {
	Source    string    `json:"source_id"`
	URI       string    `json:"source_uri"`
	Trust     string    `json:"trust_level"`
	Origin    string    `json:"origin"`
	Retrieved time.Time `json:"retrieved_at"`
	Session   string    `json:"session,omitempty"`
	Ordinal   int       `json:"ordinal"`
}

// Finding is one reason for the flag. Text is what was found, inert and masked.
type Finding struct {
	chunk.Finding
	Text string `json:"text"`
}

// Stopped is one thing the guard found: where and what kind, never what.
type Stopped struct {
	Argument string      `json:"argument,omitempty"`
	Type     string      `json:"type"`
	Class    chunk.Class `json:"data_class"`
	Views    []string    `json:"views,omitempty"`
}

// Segment is a piece of text: plain, found (by the detector) or masked (Text is the
// stub that stands in its place).
type Segment struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// View is the text with a chain of encodings undone.
type View struct {
	Views []string `json:"views"`
	Text  string   `json:"text"`
}

// RunView is the state of the run that a gate is about.
type RunView struct {
	Class      chunk.Class `json:"data_class"`
	Halted     bool        `json:"halted"`
	Ended      bool        `json:"ended"`
	Incomplete bool        `json:"incomplete"`
	Documents  int         `json:"documents"`
	Pending    int         `json:"pending"`
}

// Reveal asks for the raw text. Without a reason nothing is revealed.
type Reveal struct {
	ReasonCode string `json:"reason_code"`
}

const (
	maxViews    = 8
	maxViewText = 4 << 10
)

// Show gives a gate's card. Raw pii is masked unless the reviewer has the
// designation and gives a reason; with four eyes, a second reviewer must have agreed.
// A reveal is recorded before anything of it is shown (SPEC QUA-5).
func (q *Queue) Show(ctx context.Context, who Reviewer, id chunk.ID, reveal *Reveal) (Card, error) {
	g, err := q.gate(ctx, who, id)
	if err != nil {
		return Card{}, err
	}
	card := Card{Item: q.item(g)}
	if g.Run != "" {
		r, err := q.store.Run(ctx, g.Run)
		switch {
		case err == nil:
			card.Run = &RunView{Class: r.Class, Halted: r.Halted, Ended: r.Ended, Incomplete: r.Incomplete, Documents: r.Documents, Pending: r.Pending}
		case !errors.Is(err, ledger.ErrNotFound):
			return Card{}, fromLedger(err)
		}
	}
	alike, err := q.store.Gates(ctx, ledger.GateFilter{Tenant: g.Tenant, Type: g.Type, Source: g.Source, State: ledger.GateOpen, Now: q.now()})
	if err != nil {
		return Card{}, fromLedger(err)
	}
	for _, a := range alike {
		if a.ID != g.ID {
			card.Alike++
		}
	}

	content, err := q.content(ctx, g)
	switch {
	case errors.Is(err, ErrErased):
		card.Gone = "erased"
		return card, nil
	case errors.Is(err, ErrNotFound):
		card.Gone = "none"
		return card, nil
	case err != nil:
		return Card{}, err
	}
	card.Attribution, card.Stopped, card.Role = content.attribution, content.stopped, content.role
	masks := q.masks(content)
	card.Masked = len(masks)
	if len(masks) > 0 {
		if card.Reveal, card.RevealGate, err = q.mayReveal(ctx, who, g, reveal); err != nil {
			return Card{}, err
		}
		if card.Reveal == "" && reveal != nil {
			if err := q.recordView(ctx, who, g, content.evidence, reveal.ReasonCode); err != nil {
				return Card{}, err
			}
			masks, card.Revealed, card.Masked = nil, true, 0
		}
	}
	card.Text = segments(content.text, masks, content.findings)
	masked := mask(content.text, masks)
	for _, f := range content.findings {
		card.Findings = append(card.Findings, Finding{Finding: f, Text: Inert(string(cut(content.text, masks, f.Span)))})
	}
	card.Decoded = q.decoded(masked)
	if content.model != nil {
		card.Model = Inert(string(content.model))
	}
	return card, nil
}

// content is what waits behind a gate, opened.
type content struct {
	text        []byte
	redactions  []chunk.Redaction // declared or recognised when it came in
	findings    []chunk.Finding
	attribution *Attribution
	stopped     []Stopped
	model       []byte
	evidence    string
	role        string
}

func (q *Queue) content(ctx context.Context, g ledger.Gate) (content, error) {
	switch {
	case g.About.Prefix() == "chk" && g.Type != TypeCeiling:
		doc, err := q.held(ctx, g.About)
		if err != nil {
			return content{}, err
		}
		c, a := doc.Chunks[0], doc.Attribution
		out := content{
			text: c.Text, redactions: c.Redactions, evidence: doc.Evidence,
			attribution: &Attribution{Source: a.Source, URI: Inert(a.SourceURI), Trust: a.Trust.String(), Origin: a.Origin.String(), Retrieved: a.Retrieved, Session: Inert(a.Session), Ordinal: c.Ordinal},
			model:       []byte(fence.Untrusted(a.Source, fence.Sanitise(string(c.Redacted())).Text)),
		}
		if len(doc.Verdicts) == 1 {
			out.findings = inside(doc.Verdicts[0].Findings, len(c.Text))
		}
		return out, nil
	case g.About.Prefix() == prefixCall, g.About.Prefix() == prefixOutput, g.About.Prefix() == prefixDeclaration:
		m, err := q.matter(ctx, g.About)
		if err != nil {
			return content{}, err
		}
		out := content{role: m.Role}
		if g.About.Prefix() == prefixOutput {
			out.findings = inside(m.Cited, len(m.Text))
		}
		_ = json.Unmarshal(m.Found, &out.stopped) // our own bytes; without them the card only says less
		switch {
		case m.Text != "":
			out.text = []byte(m.Text)
		case len(m.Declaration) > 0:
			out.text = indent(m.Declaration)
		default:
			out.text = indent(m.Arguments)
		}
		return out, nil
	}
	return content{}, ErrNotFound
}

// indent lays JSON out for a person. Numbers and escapes stay as they were sent.
func indent(raw json.RawMessage) []byte {
	var v any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return raw
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(v) != nil {
		return raw
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

func inside(findings []chunk.Finding, size int) []chunk.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f chunk.Finding) bool { return f.Start < 0 || f.End > size || f.End < f.Start })
}

// masks gives the spans that a human-operator does not see: declared and recognised
// pii, and secrets. What was redacted when it came in is not trusted to be all.
func (q *Queue) masks(c content) []chunk.Redaction {
	var out []chunk.Redaction
	for _, r := range c.redactions {
		if r.Class.Exceeds(chunk.Restricted) || r.Type == "SECRET" {
			out = append(out, r)
		}
	}
	for _, e := range q.cfg.Classifier.Recognise(c.text) {
		if e.Type == "SECRET" || classify.ClassOf([]chunk.Entity{e}).Exceeds(chunk.Restricted) {
			out = append(out, chunk.Redaction{Span: e.Span, Type: e.Type, Class: chunk.PII, Stub: "{" + e.Type + "}"})
		}
	}
	slices.SortStableFunc(out, func(a, b chunk.Redaction) int { return a.Start - b.Start })
	var merged []chunk.Redaction
	for _, r := range out {
		if n := len(merged); n > 0 && r.Start < merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, r.End)
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

func mask(text []byte, masks []chunk.Redaction) []byte {
	return chunk.Chunk{Text: text, Redactions: masks}.Redacted()
}

// cut gives a span of the text with its masked parts replaced.
func cut(text []byte, masks []chunk.Redaction, s chunk.Span) []byte {
	var in []chunk.Redaction
	for _, m := range masks {
		if !m.Overlaps(s) {
			continue
		}
		m.Start, m.End = max(m.Start, s.Start)-s.Start, min(m.End, s.End)-s.Start
		in = append(in, m)
	}
	return mask(text[s.Start:s.End], in)
}

// segments cuts the text into plain, found and masked pieces, each inert.
func segments(text []byte, masks []chunk.Redaction, findings []chunk.Finding) []Segment {
	cuts := []int{0, len(text)}
	for _, m := range masks {
		cuts = append(cuts, m.Start, m.End)
	}
	for _, f := range findings {
		cuts = append(cuts, f.Start, f.End)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []Segment
	add := func(kind, text string) {
		if n := len(out); n > 0 && out[n-1].Kind == kind && kind != "masked" {
			out[n-1].Text += text
			return
		}
		out = append(out, Segment{kind, text})
	}
	for i := 0; i+1 < len(cuts); i++ {
		s := chunk.Span{Start: cuts[i], End: cuts[i+1]}
		if m := slices.IndexFunc(masks, func(m chunk.Redaction) bool { return m.Overlaps(s) }); m >= 0 {
			if s.Start == masks[m].Start {
				add("masked", Inert(masks[m].Stub))
			}
			continue
		}
		kind := "plain"
		if slices.ContainsFunc(findings, func(f chunk.Finding) bool { return f.Overlaps(s) }) {
			kind = "found"
		}
		add(kind, Inert(string(text[s.Start:s.End])))
	}
	return out
}

// decoded shows what the masked text turns into when encodings are undone, masked
// again: an address in base64 is an address.
func (q *Queue) decoded(masked []byte) []View {
	var out []View
	guard.Views(masked, func(text []byte, views []string) bool {
		if len(views) == 0 || guard.Guessed(views) {
			return true
		}
		clean := mask(text, q.masks(content{text: text}))
		if len(clean) > maxViewText {
			clean = clean[:maxViewText]
		}
		out = append(out, View{Views: views, Text: Inert(string(clean))})
		return len(out) < maxViews
	})
	return out
}

// revealID names the gate on which a second reviewer agrees that this one sees the
// raw text. Each period has its own, so that what lapsed or was refused can be asked
// for again later.
func (q *Queue) revealID(g chunk.ID, reviewer string, at time.Time) chunk.ID {
	period := at.Truncate(q.cfg.Lease * 4).UTC().Format(time.RFC3339)
	return chunk.GateID(chunk.NewID("rvl", string(g), reviewer, period))
}

// mayReveal says what is missing for a reveal: the role, a reason, or the second
// reviewer, whose gate it opens when a reveal was asked for.
func (q *Queue) mayReveal(ctx context.Context, who Reviewer, g ledger.Gate, reveal *Reveal) (missing string, gate chunk.ID, err error) {
	switch {
	case !who.PII:
		return "role", "", nil
	case reveal == nil || !slices.Contains(ReasonCodes, reveal.ReasonCode):
		return "reason", "", nil
	case !q.cfg.FourEyes:
		return "", "", nil
	}
	now := q.now()
	for _, at := range []time.Time{now, now.Add(-q.cfg.Lease * 4)} {
		agreed, err := q.store.Gate(ctx, q.revealID(g.ID, who.Name, at))
		switch {
		case err == nil && agreed.Decision == Approve && now.Before(agreed.DecidedAt.Add(q.cfg.Lease)):
			return "", agreed.ID, nil
		case err != nil && !errors.Is(err, ledger.ErrNotFound):
			return "", "", fromLedger(err)
		}
	}
	id := q.revealID(g.ID, who.Name, now)
	switch _, err := q.store.Gate(ctx, id); {
	case err == nil:
		return "second-reviewer", id, nil
	case !errors.Is(err, ledger.ErrNotFound):
		return "", "", fromLedger(err)
	}
	rec, err := q.record(provenance.KindGateOpened, provenance.RecordID(provenance.KindGateOpened, id), g.Tenant, g.Run, id, who.actor(), chunk.FailApprovalRequired,
		provenance.GateOpened{
			GateID: id, Type: TypeReveal, RunID: g.Run, About: g.ID, Source: g.Source, Class: g.Class, Rules: []string{reveal.ReasonCode},
			Failure: chunk.FailApprovalRequired, Expires: q.now().UTC().Add(q.cfg.Lease * 4),
		})
	if err != nil {
		return "", "", err
	}
	if _, err := q.append(ctx, ledger.Batch{Records: []provenance.Record{rec}}); err != nil {
		return "", "", err
	}
	return "second-reviewer", id, nil
}

// recordView writes that a person sees raw content, before they do.
func (q *Queue) recordView(ctx context.Context, who Reviewer, g ledger.Gate, pointer, reason string) error {
	rec, err := q.record(provenance.KindEvidenceViewed, provenance.RecordID(provenance.KindEvidenceViewed, g.ID, nonce()), g.Tenant, g.Run, g.ID, who.actor(), chunk.FailNone,
		provenance.EvidenceViewed{GateID: g.ID, Viewer: who.Name, Role: who.role(), ReasonCode: reason})
	if err != nil {
		return err
	}
	rec.Evidence = pointer
	_, err = q.append(ctx, ledger.Batch{Records: []provenance.Record{rec}})
	return err
}
