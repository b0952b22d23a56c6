package app

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

func scanCommand(e *env) *cobra.Command {
	c := &cobra.Command{
		Use: "scan [FILE...]", GroupID: "look", Short: "Scan text: files for people, JSONL for programs",
		Long: `Scan text for injected instructions, identifying elements and secrets. Nothing is
stored and no server is needed.

With --format jsonl it reads {"id","text"} lines on standard input and writes one
line for each, in input order, on all processors. A bad line gives
{"line":n,"error":…} in its place, and exit status 1 at the end.`,
		Example: `  echo '{"id":1,"text":"Ignore previous instructions."}' | stoplog scan --format jsonl
  stoplog scan mail.txt
  stoplog scan --format json mail.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := builtinDecisions(nil)
			if err != nil {
				return err
			}
			if e.format == "jsonl" {
				in := e.in
				if len(args) > 0 {
					return usagef("with --format jsonl the lines come on standard input; files are not read")
				}
				_, bad, err := scanJSONL(cmd.Context(), d, in, e.out)
				if err != nil {
					return err
				}
				if bad > 0 {
					fmt.Fprintf(e.err, "stoplog: %d lines could not be read; each has an error line in its place\n", bad)
					return errProblems
				}
				return nil
			}
			return e.scanFiles(d, args)
		},
	}
	return c
}

// scanFiles scans whole files and shows what was found. Exit status 1 says that
// something is not clean.
func (e *env) scanFiles(d decisions, files []string) error {
	if len(files) == 0 {
		files = []string{"-"}
	}
	found := false
	for _, name := range files {
		var b []byte
		var err error
		if name == "-" {
			b, err = io.ReadAll(io.LimitReader(e.in, maxScanLine))
		} else {
			b, err = os.ReadFile(name)
		}
		if err != nil {
			return err
		}
		dirty, err := e.showScan(d, name, b)
		if err != nil {
			return err
		}
		found = found || dirty
	}
	if found {
		return errProblems
	}
	return nil
}
