// Package tagger finds persons' names in free text. A conditional random field over
// hashed features decides on runs of words that could be names: what lists say of a
// word, how it is written, what stands beside it, and how the line and the text are
// written. It is pure and knows nothing of what is done with a name.
//
// corpus/tagger trains the model; corpus/names has the lists.
package tagger
