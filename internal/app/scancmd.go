package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/detect"
)

func scanCommand(e *env) *cobra.Command {
	var rules string
	var redact bool
	c := &cobra.Command{
		Use: "scan [FILE...]", GroupID: "look", Short: "Scan text: files for people, JSONL for programs",
		Long: `Scan text for injected instructions, identifying elements and secrets. Nothing is
stored and no server is needed. A file named - , or none, is standard input.

Each finding says its rule and family, where it lies, through which views it was seen and
what it adds to the score, and shows the raw text: inert, with invisible characters drawn
as their code points and what identifies masked. NO_COLOR turns colours off.

With --format jsonl it reads {"id","text"} lines on standard input and writes one
line for each, in input order, on all processors. A bad line gives
{"line":n,"error":…} in its place, and exit status 1 at the end.

Exit status 1 when a text is anything but clean.`,
		Example: `  echo '{"id":1,"text":"Ignore previous instructions."}' | stoplog scan --format jsonl
  stoplog scan mail.txt
  stoplog scan --redact mail.txt > redacted.txt
  stoplog scan --format sarif notes/*.md > findings.sarif`,
		Annotations: map[string]string{sarifOutput: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			d, set, err := withRules(rules)
			if err != nil {
				return err
			}
			switch {
			case e.format == "jsonl" && (len(args) > 0 || redact):
				return usagef("with --format jsonl the lines come on standard input; files are not read and nothing is redacted")
			case e.format == "jsonl":
				return e.scanLines(cmd.Context(), d)
			case e.format == "sarif":
				return e.scanSarif(d, set, args)
			}
			return e.scanFiles(d, args, redact)
		},
	}
	c.Flags().StringVar(&rules, "rules", "", "directory of further rules (inject/*.yaml), beside the built-in ones")
	c.Flags().BoolVar(&redact, "redact", false, "print the text with what identifies replaced, and nothing else")
	return c
}

// withRules compiles the built-in decisions with the rules of a directory, if one is
// given, and gives the whole set.
func withRules(dir string) (decisions, []corpus.Rule, error) {
	rules, _, err := loadRules(dir)
	if err != nil {
		return decisions{}, nil, err
	}
	d, err := detect.Compile(rules, detect.Options{})
	if err != nil {
		return decisions{}, nil, fmt.Errorf("rules: %w", err)
	}
	c, err := classify.Compile(nil, classify.Options{})
	if err != nil {
		return decisions{}, nil, err
	}
	return decisions{d, c}, rules, nil
}

func (e *env) scanLines(ctx context.Context, d decisions) error {
	_, bad, err := scanJSONL(ctx, d, e.in, e.out)
	if err != nil {
		return err
	}
	if bad > 0 {
		fmt.Fprintf(e.err, "stoplog: %d lines could not be read; each has an error line in its place\n", bad)
		return errProblems
	}
	return nil
}

// readText reads a file, or standard input.
func (e *env) readText(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(e.in, maxScanLine))
	}
	return os.ReadFile(name)
}

// scanFiles scans whole files and shows what was found.
func (e *env) scanFiles(d decisions, files []string, redact bool) error {
	if len(files) == 0 {
		files = []string{"-"}
	}
	found := false
	for _, name := range files {
		b, err := e.readText(name)
		if err != nil {
			return err
		}
		dirty, err := e.showScan(d, name, b, redact)
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

// scanSarif scans files and writes their findings as SARIF.
func (e *env) scanSarif(d decisions, rules []corpus.Rule, files []string) error {
	if len(files) == 0 {
		files = []string{"-"}
	}
	log := newSarif(rules)
	found := false
	for _, name := range files {
		b, err := e.readText(name)
		if err != nil {
			return err
		}
		s, _ := d.scan(b)
		found = found || s.Verdict != chunk.Clean
		if name == "-" {
			name = "stdin"
		}
		if s.Verdict == chunk.Hold {
			log.add("undecided", "error", "The text could not be decided within the bounds; it is held.", name, nil, nil)
		}
		for _, f := range s.Findings {
			level := map[chunk.Verdict]string{chunk.Clean: "note", chunk.Suspect: "warning"}[s.Verdict]
			if level == "" {
				level = "error"
			}
			views := ""
			if len(f.Views) > 0 {
				views = ", seen through " + strings.Join(f.Views, " → ")
			}
			log.add(f.Rule, level, fmt.Sprintf("%s: adds %.4f to the score%s.", f.Family, f.Score, views), name, regionOf(b, f.Span),
				map[string]any{"family": f.Family, "score": round(f.Score), "views": f.Views, "verdict": s.Verdict})
		}
	}
	if err := e.writeSarif(log); err != nil {
		return err
	}
	if found {
		return errProblems
	}
	return nil
}
