package detect

import "github.com/stoplog/stoplog/pkg/chunk"

// The seam between the detector and the learned model.
//
// The detector finds candidate windows and describes each as a [Window]; a
// scorer turns one window into a probability that it holds an injection. The
// model lives in model*.go and consists, towards this file, of one function:
//
//	func newScorer() (scoreFunc, error)
//
// which Compile calls once. It may return a nil function: then rules alone
// decide. A scorer must be safe for use by several goroutines at once, must not
// keep the window or anything it points to, and should not allocate.
//
// How a score is used: the score of a window is the greater of what the rules
// say (rules.go) and what the scorer says; the score of a text is the greatest
// score of its windows. A scorer that gives NaN or a value outside [0,1] is a
// fault, and the text is held.
//
// Which windows: every view of a text (the folded text itself, each decoded
// layer) is cut into sentences: at terminators of any script, at line breaks, at
// 240 bytes at the latest; a sentence shorter than 24 bytes joins its successor.
// A sentence is a candidate when its cues (words of corpus/words, by weight) or
// rule hits pass the gate (judge.go: gateAlone, gateGroup; each place counts once,
// by its weightiest cue). Each candidate is scored twice: alone (Kind Sentence)
// and with its neighbours (Kind Group, at most 600 bytes). [Detector.Windows]
// hands out exactly these windows, so training sees what scanning sees; with
// all set it also gives the ones the gate would drop (Gated false), which is how
// the loss of the cascade is measured.

// scoreFunc gives the probability in [0,1] that a window holds an injection.
type scoreFunc func(w *Window) float64

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
	// Before is up to 160 folded bytes in front of the window.
	Text   []byte
	Before []byte

	// Raw is the window in the raw input.
	Raw chunk.Span

	Hits []Hit // rules that matched inside the window
	Cues []Cue // words of the lexicon inside the window, in order

	Views   []string // chain of views that exposed the text, outermost first; empty for plain text
	Depth   int      // number of decoding steps among them
	Hidden  bool     // in a comment, a hidden element, an attribute, invisible characters, …
	Quoted  bool     // inside quotation marks or a block quote or a code fence
	Discuss int      // how many cues of the whole text say that it talks about attacks on models
	Gated   bool     // passed the gate
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
}
