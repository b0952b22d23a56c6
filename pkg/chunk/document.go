package chunk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Document is one accepted event on its way through the stages: its attribution,
// and its content cut into chunks. One Kafka value carries one document, so that
// its chunks are decided and cleared together (docs/adr/0002).
type Document struct {
	Attribution Attribution
	Seal        Seal
	MediaType   string  // of the evidence, for example application/json
	Evidence    string  // opaque pointer to the raw bytes in the vault
	Previous    string  // evidence pointer of the run's document before this one, if there is one
	Class       Class   // the document's class (SPEC CLS-2)
	Verdicts    []Scan  // set by the detector: one per chunk, in order
	Chunks      []Chunk // in order
}

// Chunk is one piece of a document. Text is raw; Redactions say which spans of it
// a context must not see, in offsets into Text.
type Chunk struct {
	ID         ID
	Ordinal    int
	Start      int // offset of Text in the document's raw text
	Class      Class
	Text       Content
	Redactions []Redaction
}

// Scan is what the detector decided about one chunk.
type Scan struct {
	Verdict  Verdict   `json:"verdict"`
	Score    float64   `json:"score"`
	Band     Band      `json:"confidence_band"`
	Failure  FailureID `json:"failure,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	Redacted bool      `json:"redaction_applied,omitempty"` // set when the text was replaced by its redacted form
}

// wire forms: content is a JSON string when it is valid UTF-8 and base64 when it
// is not, so that every byte offset survives the trip.
type wireDocument struct {
	V           int         `json:"v"`
	Attribution Attribution `json:"attribution"`
	Seal        Seal        `json:"seal"`
	MediaType   string      `json:"media_type"`
	Evidence    string      `json:"evidence"`
	Previous    string      `json:"previous,omitempty"`
	Class       Class       `json:"class"`
	Verdicts    []Scan      `json:"verdicts,omitempty"`
	Chunks      []wireChunk `json:"chunks"`
}

type wireChunk struct {
	ID         ID          `json:"id"`
	Ordinal    int         `json:"ordinal"`
	Start      int         `json:"start"`
	Class      Class       `json:"class"`
	Text       *string     `json:"text,omitempty"`
	Bytes      []byte      `json:"bytes,omitempty"`
	Redactions []Redaction `json:"redactions,omitempty"`
}

const wireVersion = 1

// Encode gives the document's wire form, content included. The caller seals it
// before it goes anywhere.
func Encode(d Document) ([]byte, error) {
	w := wireDocument{
		V: wireVersion, Attribution: d.Attribution, Seal: d.Seal, MediaType: d.MediaType, Evidence: d.Evidence,
		Previous: d.Previous, Class: d.Class, Verdicts: d.Verdicts, Chunks: make([]wireChunk, len(d.Chunks)),
	}
	for i, c := range d.Chunks {
		wc := wireChunk{ID: c.ID, Ordinal: c.Ordinal, Start: c.Start, Class: c.Class, Redactions: c.Redactions}
		if utf8.Valid(c.Text) {
			s := string(c.Text)
			wc.Text = &s
		} else {
			wc.Bytes = c.Text
		}
		w.Chunks[i] = wc
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(w); err != nil {
		return nil, errors.New("chunk: document cannot be encoded")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// ErrMalformed means that a message is not a document this version understands.
// It never carries the message.
var ErrMalformed = errors.New("chunk: malformed document")

// Decode reads a document's wire form strictly: unknown members, another version,
// ordinals out of order, ids that do not follow from the event and spans outside
// their text are [ErrMalformed].
func Decode(b []byte) (Document, error) {
	var w wireDocument
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil || d.More() {
		return Document{}, ErrMalformed
	}
	if w.V != wireVersion {
		return Document{}, fmt.Errorf("%w: version %d", ErrMalformed, w.V)
	}
	doc := Document{
		Attribution: w.Attribution, Seal: w.Seal, MediaType: w.MediaType, Evidence: w.Evidence, Previous: w.Previous,
		Class: w.Class, Verdicts: w.Verdicts, Chunks: make([]Chunk, len(w.Chunks)),
	}
	if len(w.Chunks) == 0 || (len(w.Verdicts) != 0 && len(w.Verdicts) != len(w.Chunks)) {
		return Document{}, fmt.Errorf("%w: chunk count", ErrMalformed)
	}
	last := -1 // a cleared document lacks the chunks that were held
	for i, c := range w.Chunks {
		text := c.Bytes
		if c.Text != nil {
			if text != nil {
				return Document{}, fmt.Errorf("%w: text twice", ErrMalformed)
			}
			text = []byte(*c.Text)
		}
		if c.Ordinal <= last || c.ID != ChunkID(w.Attribution.Event, c.Ordinal) {
			return Document{}, fmt.Errorf("%w: chunk identity", ErrMalformed)
		}
		last = c.Ordinal
		end := 0
		for _, r := range c.Redactions {
			if r.Start < end || r.End < r.Start || r.End > len(text) {
				return Document{}, fmt.Errorf("%w: redaction span", ErrMalformed)
			}
			end = r.End
		}
		doc.Chunks[i] = Chunk{ID: c.ID, Ordinal: c.Ordinal, Start: c.Start, Class: c.Class, Text: text, Redactions: c.Redactions}
	}
	return doc, nil
}

// Redacted gives the chunk's text with every redacted span replaced by its stub
// (SPEC RED-1). Redactions are in order and do not overlap; [Decode] and [Cut]
// see to that.
func (c Chunk) Redacted() Content {
	var b bytes.Buffer
	at := 0
	for _, r := range c.Redactions {
		b.Write(c.Text[at:r.Start])
		b.WriteString(r.Stub)
		at = r.End
	}
	b.Write(c.Text[at:])
	return b.Bytes()
}
