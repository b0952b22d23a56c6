package app

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/keys"
)

func keysCommand(e *env) *cobra.Command {
	var f storeFlags
	c := &cobra.Command{
		Use: "keys", GroupID: "setup", Short: "Make, list and rotate the deployment's keys",
		Long: `Make, list and rotate the keys: kek (wraps the keys of runs and documents), integrity (seals
where content came from), id (names persons and runs), ledger (signs checkpoints).

A key rotates by adding the next version. The newest encrypts, seals and signs; every
version that is still there decrypts and verifies. Processes use it once they are
started again.`,
		Example: "  stoplog keys list --data ./stoplog-data\n  stoplog keys rotate ledger --data ./stoplog-data",
		RunE:    helpOnly,
	}
	f.add(c)
	c.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the keys by kind and version; their values are not read", Args: exactArgs(0, "no arguments"),
			Example: "  stoplog keys list --data ./stoplog-data --format json",
			RunE: func(*cobra.Command, []string) error {
				dir, err := f.keyDir(false)
				if err != nil {
					return err
				}
				list, err := keys.List(dir)
				if err != nil {
					return err
				}
				rows := [][]string{{"KIND", "VERSION", "MADE", "USE"}}
				for _, k := range list {
					use := "old: opens and verifies"
					switch {
					case k.Newest:
						use = "in use"
					case k.Public:
						use = "public side alone: verifies"
					}
					rows = append(rows, []string{k.Kind, strconv.Itoa(k.Version), stamp(k.Made), use})
				}
				return e.answer(map[string]any{"directory": dir, "keys": list}, func(w io.Writer) { table(w, rows...) })
			},
		},
		&cobra.Command{
			Use: "init", Short: "Make the first keys of a deployment, where none are", Args: exactArgs(0, "no arguments"),
			Long: `Make version 1 of each kind of key that has none, in the directory that the
configuration names (stores.keys; default DATA/keys). What is there stays as it is.
` + "`stoplog serve`" + ` does this for its own data directory; parts that run apart share one set.`,
			Example: "  stoplog keys init --config /etc/stoplog.yaml",
			RunE: func(*cobra.Command, []string) error {
				dir, err := f.keyDir(true)
				if err != nil {
					return err
				}
				if err := keys.Generate(dir); err != nil {
					return err
				}
				return e.print(map[string]any{"directory": dir}, "The keys are in %s (mode 0600). Keep a copy away from the data: without them nothing that is kept can be read.\n", dir)
			},
		},
		&cobra.Command{
			Use: "rotate KIND", Short: "Add the next version of a kind of key", ValidArgs: keys.Kinds,
			Long: `Add the next version of a kind of key: ` + strings.Join(keys.Kinds, ", ") + `. Nothing is
overwritten. Where processes run on several machines, put the new file on all of them,
then start egress and detector again, and ingest last: what the newest key makes, the
others must be able to open.`,
			Example: "  stoplog keys rotate kek --data ./stoplog-data\n  stoplog keys rewrap --data ./stoplog-data",
			RunE: func(cmd *cobra.Command, args []string) error {
				if len(args) != 1 || !slices.Contains(keys.Kinds, args[0]) {
					return usagef("%s: want one kind of key: %s", cmd.CommandPath(), strings.Join(keys.Kinds, ", "))
				}
				dir, err := f.keyDir(false)
				if err != nil {
					return err
				}
				n, err := keys.Rotate(dir, args[0])
				if err != nil {
					return err
				}
				path := filepath.Join(dir, fmt.Sprintf("%s-%d.key", args[0], n))
				return e.print(map[string]any{"kind": args[0], "version": n, "file": path},
					"Made %s. It is used from the next start on; older versions stay, to open and verify what they made.\n", path)
			},
		},
		&cobra.Command{
			Use: "rewrap", Short: "Wrap every living run's and document's key under the newest kek", Args: exactArgs(0, "no arguments"),
			Long: `Wrap the key of every run and document that is not erased under the newest
key-encryption key. After it the older kek versions open nothing that lives: move them
away, and what database logs and backups still hold of erased keys is unreadable for
good. Stop the server first.`,
			Example: "  stoplog keys rewrap --data ./stoplog-data",
			RunE: func(cmd *cobra.Command, _ []string) error {
				return e.stores(cmd.Context(), &f, func(s *system) error {
					n, err := s.vault.Rewrap(cmd.Context())
					if err != nil {
						return err
					}
					return e.print(map[string]any{"rewrapped": n, "kek": s.ring.KEKVersion()}, "%d keys are wrapped anew; all that live are under kek-%d.\n", n, s.ring.KEKVersion())
				})
			},
		},
	)
	return c
}

// keyDir is where the configuration says that the keys lie; fresh: or will lie.
func (f *storeFlags) keyDir(fresh bool) (string, error) {
	cfg, err := loadConfig(f.config, f.data)
	if err != nil {
		return "", err
	}
	dir := cfg.Stores.Keys
	switch dir {
	case "":
		dir = filepath.Join(f.data, "keys")
	case "env":
		return "", fmt.Errorf("%s takes the keys from the environment; a new version is a new variable, for example STOPLOG_KEK_2", cfg.Path())
	}
	if !fresh && !exists(dir) {
		return "", fmt.Errorf("there are no keys at %s yet; `stoplog keys init` makes them, and so does the first `stoplog serve`", dir)
	}
	return dir, nil
}
