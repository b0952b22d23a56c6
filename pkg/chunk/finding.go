package chunk

// Span is a half-open range of byte offsets into raw text: text[Start:End].
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Len is the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// Overlaps reports whether two spans share a byte.
func (s Span) Overlaps(t Span) bool { return s.Start < t.End && t.Start < s.End }

// Shift moves the span by d bytes.
func (s Span) Shift(d int) Span { return Span{s.Start + d, s.End + d} }

// Finding says where something hostile was found and why, never what it says
// (SPEC DET-5).
type Finding struct {
	Rule   string   `json:"rule"`   // rule id
	Family string   `json:"family"` // instruction-override, action-directive, exfiltration, …
	Span            // the matched bytes in the raw text
	Views  []string `json:"views"` // the chain of views that exposed it, outermost first: base64, nfkc, skeleton
	Score  float64  `json:"score"` // contribution, in [0,1]
}

// Entity is one recognised identifying element or secret (SPEC RED-3).
type Entity struct {
	Type  string  `json:"type"` // EMAIL_ADDRESS, PERSON, CREDIT_CARD, SECRET, …
	Span          // the bytes in the raw text
	Score float64 `json:"score"`          // confidence, in [0,1]
	Rule  string  `json:"rule,omitempty"` // for SECRET: which credential kind
}

// Redaction replaces one span of raw text with a stub (SPEC RED-2).
type Redaction struct {
	Span
	Type  string `json:"type"`            // entity type, or "FIELD" for a declared field
	Class Class  `json:"class"`           // class of what is hidden
	Path  string `json:"path,omitempty"`  // declared field path, for structured payloads
	Stub  string `json:"stub"`            // what stands in its place
	Valid bool   `json:"valid,omitempty"` // a checksum or structure proved the type
}
