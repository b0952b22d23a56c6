// Package recognisers holds the data that pkg/classify recognises with: secret rules,
// and for every recogniser the vectors that it must find and must not find.
//
// gitleaks.json is made from the rule file of a gitleaks release (MIT) by go generate;
// the file names its source, version and checksum. secrets.json is ours. Each *.yaml file
// holds vectors of one group of recognisers.
package recognisers

import "embed"

//go:generate go run gen.go

// Gitleaks is the converted rule file of gitleaks.
//
//go:embed gitleaks.json
var Gitleaks []byte

// Secrets is our own secret rules, in the same form.
//
//go:embed secrets.json
var Secrets []byte

// Vectors is the vector files.
//
//go:embed *.yaml
var Vectors embed.FS
