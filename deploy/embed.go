// Package deploy holds what an installation is made of: the declaration of the
// topics, and beside it the files for running Stoplog on servers.
package deploy

import _ "embed"

// Topics is topics.yaml, the declaration of every topic. Read it with
// stage.LoadTopics.
//
//go:embed topics.yaml
var Topics []byte
