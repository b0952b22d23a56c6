// Command egress runs one part of the pipeline by itself: the guard, contexts and the review queue.
// It is `stoplog egress` under a name of its own, so that a deployment can give each
// part its own image, role and network policy.
package main

import (
	"os"

	"github.com/stoplog/stoplog/internal/app"
)

func main() {
	os.Exit(app.Main(append([]string{"egress"}, os.Args[1:]...), os.Stdin, os.Stdout, os.Stderr))
}
