// Package names holds the gazetteer of forenames and surnames: names.txt, made by
// go generate from lists in the public domain (CC0, Unlicense).
package names

import _ "embed"

//go:generate go run gen.go

// Table is one name a line, in lower case, a tab and its flags in hexadecimal. Lines
// that begin with # are comments.
//
//go:embed names.txt
var Table string

// Flags of a name.
const (
	Forename     = 1 << iota // common somewhere
	RareForename             //
	Surname                  // common somewhere
	RareSurname              //
	Word                     // also an ordinary word
)
