// Command stoplog is the whole system in one program: the pipeline, its stages one
// by one, the review queue, the ledger's tools and the scanner. `stoplog help`
// lists the commands.
package main

import (
	"os"

	"github.com/stoplog/stoplog/internal/app"
)

func main() { os.Exit(app.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
