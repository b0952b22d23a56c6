package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/config"
)

// openStores opens what a command works on that runs no part of the pipeline: the
// deciders, the keys, the ledger, the vault and the run cache, and no broker. A data
// directory that a server runs on is refused.
func openStores(ctx context.Context, cfg *config.Config, dir string, log *slog.Logger) (_ *system, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	s := &system{cfg: cfg, dir: dir, log: log, metrics: newMetrics()}
	defer func() {
		if err != nil {
			_ = s.close()
		}
	}()
	for _, open := range []func() error{s.lock, s.compile, s.openKeys} {
		if err := open(); err != nil {
			return nil, err
		}
	}
	for _, open := range []func(context.Context) error{s.openLedger, s.openVault, s.openRedis} {
		if err := open(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// stores opens the stores of a data directory for a command, says so where a server
// is in the way, and closes them when the command is done.
func (e *env) stores(ctx context.Context, f *storeFlags, do func(*system) error) error {
	cfg, err := loadConfig(f.config, f.data)
	if err != nil {
		return err
	}
	if inUse(f.data) {
		return fmt.Errorf("a server runs on %s; stop it first: this command writes to its stores", f.data)
	}
	s, err := openStores(ctx, cfg, f.data, e.logs.logger(e.err))
	if err != nil {
		return err
	}
	err = do(s)
	if closeErr := s.close(); err == nil {
		err = closeErr
	}
	return err
}

// completeSources offers the registered sources of the configuration.
func completeSources(data, file *string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		cfg, err := loadConfig(*file, *data)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		for _, s := range cfg.Sources {
			out = append(out, s.ID+"\t"+s.Title)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// offer completes a flag from a fixed list.
func offer(c *cobra.Command, flag string, list ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic("app: " + err.Error()) // the flag is not there: a programming error
	}
}
