// Package recognisers holds the data that pkg/classify recognises with: secret rules,
// and for every recogniser the vectors that it must find and must not find.
//
// gitleaks.json is made from the rule file of a gitleaks release (MIT) by go generate;
// the file names its source, version and checksum. secrets.json is ours. Each *.yaml file
// holds vectors of one group of recognisers.
package recognisers

import "embed"

//go:generate go run gen.go
//go:generate go run gen_pairs.go

// Gitleaks is the converted rule file of gitleaks.
//
//go:embed gitleaks.json
var Gitleaks []byte

// Secrets is our own secret rules, in the same form.
//
//go:embed secrets.json
var Secrets []byte

// Pairs says how often one letter or digit follows another in prose and source code:
// 64 by 64 logarithms to base 2, signed, in eighths (gen_pairs.go).
//
//go:embed pairs.bin
var Pairs string

// Services is names of services that give out credentials, in lower case and without
// blanks.
//
//go:embed services.txt
var Services string

// Vectors is the vector files.
//
//go:embed *.yaml
var Vectors embed.FS
