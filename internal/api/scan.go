package api

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/detect"
	"github.com/stoplog/stoplog/pkg/fence"
)

// scan looks at a text and keeps nothing: what the detector and the recognisers
// find, and the text with what identifies taken out.
func (a *API) scan(w http.ResponseWriter, r *http.Request, p Principal) error {
	var in struct {
		Text   *string `json:"text"`
		Source string  `json:"source"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if in.Text == nil {
		return invalid("text", "missing", "required")
	}
	text := []byte(*in.Text)
	input := detect.Input{Text: text}
	if in.Source != "" {
		s, ok := a.cfg.Classifier.Source(in.Source)
		if !ok || !p.Granted(in.Source) {
			return refusal{problem.Problem{Status: 422, Code: string(chunk.FailSourceUnregistered), Detail: "The source is not registered, or not granted to the token."}}
		}
		input.Suspect, input.Quarantine = s.Suspect, s.Quarantine
	}
	entities := a.cfg.Classifier.Recognise(text)
	for _, e := range entities {
		input.Gaps = append(input.Gaps, e.Span)
	}
	d := a.cfg.Detector().Scan(input)
	if d.Findings == nil {
		d.Findings = []chunk.Finding{}
	}
	if entities == nil {
		entities = []chunk.Entity{}
	}
	return external(w, map[string]any{
		"verdict": d.Verdict, "score": d.Score, "confidence_band": d.Band, "failure_id": d.Failure, "findings": d.Findings, "entities": entities,
		"class": classify.ClassOf(entities), "redacted": string(classify.Redact(text, entities)),
	}, "redacted")
}

// sanitize rewrites triggers in tool output and puts it into a fence (SPEC DET-9,
// FEN-1 … FEN-5).
func (a *API) sanitize(w http.ResponseWriter, r *http.Request, _ Principal) error {
	var in struct {
		Text     *string `json:"text"`
		Source   string  `json:"source"`
		Sanitize *bool   `json:"sanitize"`
		Fence    string  `json:"fence"`
		Label    string  `json:"label"`
		Tags     *bool   `json:"injection_protection"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if in.Text == nil {
		return invalid("text", "missing", "required")
	}
	if in.Fence == "" {
		in.Fence = "boundary"
	}
	if in.Fence != "none" && !slices.Contains(fences, in.Fence) {
		return invalid("fence", "unknown", "want boundary, untrusted, marker or none")
	}
	out := fence.Sanitised{Text: *in.Text}
	on := in.Sanitize == nil || *in.Sanitize
	if on {
		out = fence.Sanitise(*in.Text)
	}
	data := map[string]any{"sanitized": on, "triggers": out.Triggers, "tags": out.Tags, "fence": in.Fence}
	source := in.Source
	if source == "" {
		source = "external"
	}
	switch in.Fence {
	case "none":
		data["text"] = out.Text
	case "boundary":
		id := fence.BoundaryID(uuid.New())
		data["text"], _ = fence.Boundary(id, source, out.Text)
		data["id"] = id
	default:
		data["text"] = wrap(in.Fence, in.Label, source, source, out.Text)
	}
	if in.Tags != nil && !*in.Tags {
		problem.OK(w, data)
		return nil
	}
	return external(w, data)
}
