// Command ingest runs one part of the pipeline by itself: the door: webhooks, CloudEvents and the outbox relay.
// It is `stoplog ingest` under a name of its own, so that a deployment can give each
// part its own image, role and network policy.
package main

import (
	"os"

	"github.com/stoplog/stoplog/internal/app"
)

func main() {
	os.Exit(app.Main(append([]string{"ingest"}, os.Args[1:]...), os.Stdin, os.Stdout, os.Stderr))
}
