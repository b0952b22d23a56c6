// Package view shows a text as a reader, a renderer or a decoder would see it,
// and remembers for every byte where it came from.
//
// [Fold] is the view that everything starts from: compatibility forms, accents,
// look-alike letters (UTS #39), invisible characters and exotic white space are
// folded away. Decoding views undo encodings and spelling tricks; [Probe] tells
// cheaply which of them a text asks for. Every view is a [View]: bytes, and for
// each byte the range of the original it stands for.
//
// The package is pure. It is used by the detector, the recognisers, the guard and
// the review page.
package view

//go:generate go run ./gen -confusables ${STOPLOG_TESTDATA}/unicode/confusables.txt -o fold.txt
