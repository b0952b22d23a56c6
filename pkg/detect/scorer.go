package detect

import "github.com/stoplog/stoplog/pkg/chunk"

// What the model sees of a text.
//
// Every view of a text (the folded text itself, each decoded layer) is cut into
// sentences: at terminators of any script, at line breaks, at 240 bytes at the
// latest; a sentence shorter than 24 bytes joins its successor. It is scored alone
// (Kind Sentence) and with its neighbours (Kind Group, at most 600 bytes), each when
// the gate passes it (gate.go) or a rule matches in it. What the best windows score, what the
// rules say and what kind of text surrounds them decide together (evidence.go). A score
// that is no number is a fault, and the text is held.
//
// [Detector.Windows] hands out these windows, so training sees what scanning sees; with
// all set it also gives the ones the gate would drop (Gated false).

// WindowKind tells how a window was cut.
type WindowKind uint8

// The kinds of window.
const (
	Sentence WindowKind = iota // one candidate sentence
	Group                      // the candidate with the sentences beside it
)

// Window is a piece of a view, with what the detector knows about it.
type Window struct {
	Kind WindowKind

	// Text is the folded text: ASCII letters lower-cased, other letters
	// lower-cased without their combining marks, compatibility forms and
	// look-alikes replaced, invisible characters gone, white space collapsed to
	// one space or, where the run held a line break, to one '\n'.
	Text []byte
	// Before is the end of the sentence in front of the window, as the view holds it: up
	// to 64 bytes.
	Before []byte

	parts [][]byte   // its sentences, as the view holds them; empty: Text
	ends  []int      // where each ends in Text
	raw   chunk.Span // with what was carried over
	at    chunk.Span // in the text of its view
	view  int32      // its view's place in the queue

	// Raw is the window in the raw input.
	Raw chunk.Span

	Hits []Hit // rules that matched inside the window
	Cues []Cue // words of the lexicon inside the window, in order

	Views   []string // chain of views that exposed the text, outermost first; empty for plain text
	Depth   int      // number of decoding steps among them
	Hidden  bool     // in a comment, a hidden element, an attribute, invisible characters, …
	Quoted  bool     // inside quotation marks or a block quote or a code fence
	Discuss int      // how many cues of the whole text say that it talks about attacks on models
	Gated   bool     // passed the gate, or holds a match
	Margin  float64  // how far above the gate's threshold (not set by scans)
	Whole   bool     // the window is the whole text (a short one)
}

// Hit is one rule in a window.
type Hit struct {
	Rule   string
	Family string
	Weight float64    // the rule's own weight, in [0,1]
	Span   chunk.Span // in Window.Text
}

// Cue is one word class of the lexicon (corpus/words) in a window.
type Cue struct {
	Term string // language and class, for example "en.ignore" or "fr.secrecy"
	At   int    // offset in Window.Text

	class uint64 // classHash of Term; 0: not known
}
