// Package app wires the two sides of Stoplog together: the pure decisions and the
// stream that carries content to them. It holds the stages' glue, the start-up of
// every part, and the command line. No other package sees both sides.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/problem"
)

// Exit codes of every command.
const (
	exitOK      = 0 // done, and what was checked holds
	exitProblem = 1 // it ran and found something wrong, or it failed
	exitUsage   = 2 // it was called wrongly
)

// problemError makes a command exit with code 1 without a further message: it has
// already said what is wrong.
var errProblems = errors.New("problems found")

// usageError makes a command exit with code 2.
type usageError struct{ error }

func usagef(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// env is what a command may touch of the outside.
type env struct {
	in       io.Reader
	out, err io.Writer
	format   string // text or json
	noTags   bool   // --no-injection-protection
	began    time.Time
	logs     logOptions
}

// Main runs one command line and gives its exit code. The first interrupt drains
// and stops; the second stops at once.
func Main(args []string, in io.Reader, out, stderr io.Writer) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(130)
	}()
	e := &env{in: in, out: out, err: stderr, began: time.Now()}
	root := newRoot(e)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errProblems):
		return exitProblem
	case errors.As(err, &usage):
		e.failed("usage", err)
		return exitUsage
	default:
		e.failed("failed", err)
		return exitProblem
	}
}

// failed says why a command did not do what it was told to: a line for people, and
// for a program that reads JSON an envelope too.
func (e *env) failed(code string, err error) {
	fmt.Fprintf(e.err, "stoplog: %v\n", err)
	if e.format != "json" {
		return
	}
	failed := problem.Error{Code: code, Message: err.Error()}
	var data any
	var refused *apiError
	if errors.As(err, &refused) {
		failed.Code, failed.Retryable = refused.Code, refused.Retryable
		if len(refused.Data) > 0 {
			data = refused.Data
		}
	}
	_ = e.envelope(false, data, &failed, nil)
}

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "stoplog",
		Short: "A checkpoint for text on its way into AI agents and for tool calls on their way out",
		Long: `Stoplog takes content from connectors, classifies it, looks for injected
instructions, and lets agents have what may pass; it holds tool calls to their
ceilings and writes every decision into an append-only, signed ledger.

Try it:      stoplog demo
Run it:      stoplog serve --data ./stoplog-data
One text:    echo '{"id":"1","text":"hello"}' | stoplog scan --format jsonl`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; `stoplog help` lists them", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%w (see `%s --help`)", err, c.CommandPath())
	})
	f := root.PersistentFlags()
	f.StringVar(&e.format, "format", "text", "output: text or json")
	f.BoolVar(&e.noTags, "no-injection-protection", false, "leave the tags of external content out of JSON output; fences stay")
	f.StringVar(&e.logs.format, "log-format", "auto", "logs: auto (a banner on a terminal, JSON otherwise), text or json")
	f.StringVar(&e.logs.level, "log-level", "info", "logs: debug, info, warn or error")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if e.format != "text" && e.format != "json" && !(e.format == "jsonl" && cmd.Name() == "scan") && !(e.format == "sarif" && cmd.Annotations[sarifOutput] != "") {
			return usagef("--format %s: want text or json", e.format)
		}
		return e.logs.check()
	}
	root.AddGroup(
		&cobra.Group{ID: "run", Title: "Run it:"},
		&cobra.Group{ID: "look", Title: "Look and verify:"},
		&cobra.Group{ID: "data", Title: "Content, rules and people:"},
		&cobra.Group{ID: "setup", Title: "Set it up:"},
	)
	root.AddCommand(commands(e)...)
	return root
}

// exactArgs is cobra's check with our exit code.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s: want %s; see `%s --help`", cmd.CommandPath(), what, cmd.CommandPath())
		}
		return nil
	}
}

func version() string {
	if bi, ok := debug.ReadBuildInfo(); ok && bi.Main.Version != "" && bi.Main.Version != "(devel)" {
		return bi.Main.Version
	}
	return "development"
}
