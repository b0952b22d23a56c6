package classify

import (
	"time"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Source is one entry of the source registry (SPEC CLS-2): what a connector or a
// corpus sends, how far it may be trusted, and what in it must not reach a context.
type Source struct {
	ID      string       `yaml:"id" json:"id"`
	Title   string       `yaml:"title,omitempty" json:"title,omitempty"`
	Ceiling chunk.Class  `yaml:"data_class_ceiling" json:"data_class_ceiling"` // the class of all its content; zero: restricted (SPEC CLS-3)
	Origin  chunk.Origin `yaml:"origin,omitempty" json:"origin,omitempty"`
	Trust   chunk.Trust  `yaml:"trust_level,omitempty" json:"trust_level,omitempty"`

	Collection bool   `yaml:"collection,omitempty" json:"collection,omitempty"` // belongs to no run: a RAG corpus, a backfill
	Format     string `yaml:"format,omitempty" json:"format,omitempty"`         // json, text, form, csv, html, markdown, mail, pdf, docx; empty: from the media type
	RunBy      string `yaml:"run_by,omitempty" json:"run_by,omitempty"`         // payload path whose value names the run; empty: each event opens one
	Subject    string `yaml:"subject,omitempty" json:"subject,omitempty"`       // payload path of the person it is about, for erasure
	Strict     bool   `yaml:"strict,omitempty" json:"strict,omitempty"`         // the same event id with another body is refused, not answered as a duplicate

	Fields []Field  `yaml:"fields,omitempty" json:"fields,omitempty"`
	Form   StubForm `yaml:"stub_form,omitempty" json:"stub_form,omitempty"` // of what recognisers find, and of fields that say nothing: template or surrogate

	// MinScores give for entity types (PERSON, PHONE_NUMBER, …) the score in [0.05,0.5] from
	// which an element counts as found; types that are not listed need 0.5.
	MinScores map[string]float64 `yaml:"min_scores,omitempty" json:"min_scores,omitempty"`

	Suspect      float64       `yaml:"suspect_threshold,omitempty" json:"suspect_threshold,omitempty"` // in (0,1]; zero: the detector's default
	Quarantine   float64       `yaml:"injection_risk,omitempty" json:"injection_risk,omitempty"`       // in (0,1]; zero: the detector's default (SPEC DET-4)
	AllowPartial bool          `yaml:"allow_partial,omitempty" json:"allow_partial,omitempty"`         // a context may be assembled before all is decided
	Retention    time.Duration `yaml:"retention,omitempty" json:"retention,omitempty"`                 // evidence; zero: the deployment's default
	Signature    *Signature    `yaml:"signature,omitempty" json:"signature,omitempty"`                 // webhook authentication; nil: a bearer token is required
	MaxBytes     int           `yaml:"max_bytes,omitempty" json:"max_bytes,omitempty"`                 // body limit; zero: the door's default
	EventIDPath  string        `yaml:"event_id_path,omitempty" json:"event_id_path,omitempty"`         // sender's event id inside the payload, where no header carries one
}

// Field declares one path of a structured payload (SPEC CLS-2, RED-3).
//
// A path is dot-separated keys; [] is every element of an array and * any key:
// guest.first_name, rooms[].guests[].name, custom.*.
type Field struct {
	Path  string      `yaml:"path" json:"path"`
	Class chunk.Class `yaml:"class" json:"class"`                             // at or below the source's ceiling
	Text  bool        `yaml:"free_text,omitempty" json:"free_text,omitempty"` // redact by recognisers what identifies, keep the rest
	Stub  string      `yaml:"stub,omitempty" json:"stub,omitempty"`           // name of the stub, for example GUEST_FIRST_NAME; empty: made from the path
	Form  StubForm    `yaml:"stub_form,omitempty" json:"stub_form,omitempty"`
	Type  string      `yaml:"type,omitempty" json:"type,omitempty"`   // entity type the value has (PERSON, EMAIL_ADDRESS, …): names found here are searched in free text
	Sinks []string    `yaml:"sinks,omitempty" json:"sinks,omitempty"` // sinks for which the stub may be resolved, beside the tools' own
}

// StubForm is one of the three forms of SPEC RED-2, or a surrogate.
type StubForm string

// The stub forms. The empty form is StubTemplate.
const (
	StubTemplate StubForm = "template" // {GUEST_FIRST_NAME}
	StubConstant StubForm = "constant" // GUEST_NAME_REDACTED
	StubHash     StubForm = "hash"     // APPLICANT_ID_ and a keyed hash: same value, same run → same stub
	// StubSurrogate is shown as a value of the same kind that is nobody's. Types without a
	// range for examples get a template stub.
	StubSurrogate StubForm = "surrogate"
)

// Signature says how a source's webhooks are authenticated.
type Signature struct {
	Scheme  string   `yaml:"scheme" json:"scheme"`   // standard-webhooks, github, stripe, slack
	Secrets []string `yaml:"secrets" json:"secrets"` // env:NAME or file:PATH, newest first; two during a rotation
}
