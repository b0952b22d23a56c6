// Package detect decides whether a piece of text tries to give instructions to
// the model that will read it (SPEC DET-1 … DET-7).
//
// [Compile] builds an immutable [Detector] from rules and a lexicon;
// [Detector.Scan] decides one text. Both are pure: no files, no clock, no state
// between calls. A detector may be used by any number of goroutines.
//
// A text is folded (pkg/view), matched in one pass against every literal of every
// rule, looked at again through the decoding views that cheap probes ask for, and
// scored window by window. Findings have offsets into the raw text.
//
// What cannot be decided (a fault, an exceeded bound) is [chunk.Hold], never
// clean.
package detect
