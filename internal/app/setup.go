package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/guard"
)

func initCommand(e *env) *cobra.Command {
	var dir, listen string
	c := &cobra.Command{
		Use: "init", GroupID: "setup", Short: "Write a commented starter configuration with fresh secrets",
		Example: "  stoplog init --data ./stoplog-data\n  stoplog serve --data ./stoplog-data",
		Args:    exactArgs(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			path, err := config.WriteStarter(dir, listen)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s is there already and stays as it is; remove it, or give another --data", filepath.Join(dir, config.FileName))
			}
			if err != nil {
				return err
			}
			return e.print(map[string]string{"config": path, "admin_token_file": config.TokenFile(dir, "admin")},
				"Wrote %s with fresh secrets and tokens in %s (mode 0600).\nStart it: stoplog serve --data %s\n", path, filepath.Join(dir, "secrets"), dir)
		},
	}
	c.Flags().StringVar(&dir, "data", "stoplog-data", "directory to write into")
	c.Flags().StringVar(&listen, "listen", "", "address of the HTTP API (default "+config.DefaultListen+")")
	return c
}

func configCommand(e *env) *cobra.Command {
	c := &cobra.Command{Use: "config", GroupID: "setup", Short: "Check a configuration; print its JSON Schema", RunE: helpOnly,
		Example: "  stoplog config check ./stoplog-data/stoplog.yaml"}
	c.AddCommand(
		&cobra.Command{
			Use: "check FILE", Short: "Check a configuration file: form, registries, references",
			Example: "  stoplog config check ./stoplog-data/stoplog.yaml",
			Args:    exactArgs(1, "one file"),
			RunE: func(_ *cobra.Command, args []string) error {
				problems := checkConfig(args[0])
				list := []string{}
				for _, p := range problems {
					list = append(list, p.Error())
				}
				err := e.envelopeOrText(len(list) == 0, map[string]any{"file": args[0], "problems": list}, func(w io.Writer) {
					for _, p := range list {
						fmt.Fprintf(w, "%s: %s\n", args[0], p)
					}
					if len(list) == 0 {
						fmt.Fprintf(w, "%s holds.\n", args[0])
					}
				})
				if err == nil && len(list) > 0 {
					return errProblems
				}
				return err
			},
		},
		&cobra.Command{
			Use: "schema", Short: "Print the JSON Schema of the configuration", Args: exactArgs(0, "no arguments"),
			Example: "  stoplog config schema > stoplog.schema.json",
			RunE:    func(*cobra.Command, []string) error { _, err := e.out.Write(config.Schema); return err },
		},
	)
	return c
}

// checkConfig gives everything that is wrong with a configuration file.
func checkConfig(path string) []error {
	cfg, err := config.Load(path)
	if err != nil {
		return split(err)
	}
	var errs []error
	c, err := classify.Compile(cfg.Sources, classify.Options{})
	if err != nil {
		errs = append(errs, split(err)...)
		c, _ = classify.Compile(nil, classify.Options{}) // the tools are checked all the same
	}
	if _, err := guard.Compile(cfg.Tools, guard.Options{Recognise: c.Recognise, ClassOf: classify.ClassOf, Sinks: cfg.Sinks}); err != nil {
		errs = append(errs, split(err)...)
	}
	if _, err := newCitations(cfg, nil, nil); err != nil {
		errs = append(errs, split(err)...)
	}
	for _, s := range cfg.Sources {
		if s.Signature == nil {
			continue
		}
		for _, ref := range s.Signature.Secrets {
			if _, err := cfg.Secret(ref); err != nil {
				errs = append(errs, fmt.Errorf("source %s: %w", s.ID, err))
			}
		}
	}
	for _, ref := range []string{cfg.Stores.Postgres, cfg.Stores.Redis} {
		if ref == "" {
			continue
		}
		if _, err := cfg.Secret(ref); err != nil {
			errs = append(errs, fmt.Errorf("stores: %w", err))
		}
	}
	return errs
}

// split takes joined errors apart, one line each.
func split(err error) []error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var out []error
		for _, e := range joined.Unwrap() {
			out = append(out, split(e)...)
		}
		return out
	}
	return []error{err}
}

func helpOnly(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s: unknown command %q; see `%s --help`", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return cmd.Help()
}

// print is answer with a text made from a format.
func (e *env) print(data any, format string, a ...any) error {
	return e.answer(data, func(w io.Writer) { fmt.Fprintf(w, format, a...) })
}

// loadConfig finds the configuration of a data directory, or reads the named file.
func loadConfig(file, data string) (*config.Config, error) {
	if file == "" {
		file = filepath.Join(data, config.FileName)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is not there; `stoplog init --data %s` writes one", file, data)
		}
	}
	return config.Load(file)
}
