package view

// Wants names views that words found in a text ask for (SPEC DET-2): rot13 and
// reversed text are seen by their words, not by their bytes.
type Wants uint32

// Views that are built on demand only.
const (
	WantRot13 Wants = 1 << iota
	WantReversed
)

// Probe tells cheaply which decoding views text asks for.
func Probe(text []byte) Wants { return 0 }

// Decode builds the views that text asks for and hands each to emit.
func Decode(text []byte, wants Wants, emit func(View)) {}

// Hidden decodes what invisible characters of text say.
func Hidden(c Changes, text []byte, emit func(View)) {}
