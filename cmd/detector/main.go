// Command detector runs one part of the pipeline by itself: the injection detector stage.
// It is `stoplog detector` under a name of its own, so that a deployment can give each
// part its own image, role and network policy.
package main

import (
	"os"

	"github.com/stoplog/stoplog/internal/app"
)

func main() {
	os.Exit(app.Main(append([]string{"detector"}, os.Args[1:]...), os.Stdin, os.Stdout, os.Stderr))
}
