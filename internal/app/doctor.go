package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/deploy"
	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/stage"
)

// check is one line of the doctor's report.
type check struct {
	Name   string `json:"name"`
	State  string `json:"state"` // ok, warn, fail
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"` // what to do, when it is not ok
}

func doctorCommand(e *env) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "doctor", GroupID: "setup", Short: "Check configuration, stores, topics, clock and permissions; say what is wrong",
		Example: "  stoplog doctor --data ./stoplog-data",
		Long: `Check everything a start needs, and say what to do about what is wrong. It changes
nothing. Exit status 1 when something fails; a warning does not.

Embedded stores are looked at from outside while a server runs on them, and opened
when none does.`,
		Args: exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			checks := examine(cmd.Context(), f)
			failed := false
			for _, c := range checks {
				failed = failed || c.State == "fail"
				if e.format == "json" {
					continue
				}
				fmt.Fprintf(e.out, "%-4s  %-14s %s\n", c.State, c.Name, c.Detail)
				if c.Advice != "" {
					fmt.Fprintf(e.out, "      %-14s → %s\n", "", c.Advice)
				}
			}
			if e.format == "json" {
				if err := e.envelope(!failed, map[string]any{"checks": checks}, nil, nil); err != nil {
					return err
				}
			}
			if failed {
				return errProblems
			}
			return nil
		},
	}
	f.add(c)
	return c
}

func examine(ctx context.Context, f runFlags) (out []check) {
	add := func(name, state, detail, advice string) { out = append(out, check{name, state, detail, advice}) }
	cfg, err := loadConfig(f.config, f.data)
	if err != nil {
		add("configuration", "fail", err.Error(), "run `stoplog init --data "+f.data+"`, or mend the file; `stoplog config check` lists every problem")
		return out
	}
	if problems := checkConfig(cfg.Path()); len(problems) > 0 {
		for _, p := range problems {
			add("configuration", "fail", p.Error(), "")
		}
		return out
	}
	add("configuration", "ok", fmt.Sprintf("%s: %d sources, %d tools, %d tokens", cfg.Path(), len(cfg.Sources), len(cfg.Tools), len(cfg.Tokens)), "")
	if _, digest, err := loadRules(cfg.Detection.Rules); err != nil {
		add("rules", "fail", err.Error(), "a set with one bad rule is refused as a whole")
	} else {
		add("rules", "ok", "set "+digest, "")
	}
	out = append(out, permissions(cfg, f.data)...)
	out = append(out, disk(f.data))

	if running := inUse(f.data); running {
		add("process", "ok", "a server runs on this data directory; its stores are asked over HTTP", "")
		out = append(out, asked(ctx, cfg, f))
		return out
	}
	s, err := openSystem(ctx, cfg, f.data, slog.New(slog.DiscardHandler))
	if err != nil {
		add("stores", "fail", err.Error(), "start or mend the store; the message names it")
		return out
	}
	defer s.close()
	for _, p := range []struct {
		name string
		ping func(context.Context) error
	}{{"ledger", s.store.Ping}, {"evidence", s.vault.Ping}, {"cache", s.runs.Ping}, {"broker", s.kafka.Ping}} {
		c, cancel := context.WithTimeout(ctx, 5*time.Second)
		if err := p.ping(c); err != nil {
			add(p.name, "fail", err.Error(), "is it up, and does this machine reach it?")
		} else {
			add(p.name, "ok", "answers", "")
		}
		cancel()
	}
	out = append(out, topics(ctx, s), clockSkew(ctx, s))
	if n, err := s.store.Unsealed(ctx); err == nil && n > 0 {
		add("ledger", "warn", fmt.Sprintf("%d records are not under a checkpoint yet", n), "they are sealed within a second of a start")
	}
	return out
}

func permissions(cfg *config.Config, dir string) (out []check) {
	bad := 0
	for _, sub := range []string{"keys", "secrets"} {
		err := filepath.WalkDir(filepath.Join(dir, sub), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			fi, err := d.Info()
			if err != nil {
				return err
			}
			if filepath.Ext(path) != ".pub" && fi.Mode().Perm()&0o077 != 0 {
				bad++
				out = append(out, check{"permissions", "fail", path + " can be read by others", "chmod go= " + path})
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			out = append(out, check{"permissions", "fail", err.Error(), ""})
		}
	}
	if bad == 0 {
		out = append(out, check{"permissions", "ok", "keys and secrets are for their owner only", ""})
	}
	host, _, err := net.SplitHostPort(cfg.Listen)
	if ip := net.ParseIP(host); err != nil || (host != "localhost" && (ip == nil || !ip.IsLoopback())) {
		out = append(out, check{"listen", "warn", cfg.Listen + " is not loopback", "tokens travel in clear text: put something in front that ends TLS"})
	}
	return out
}

func disk(dir string) check {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return check{"disk", "fail", err.Error(), ""}
	}
	free := st.Bavail * uint64(st.Bsize) >> 20
	if free < 1024 {
		return check{"disk", "warn", fmt.Sprintf("%d MiB free for %s", free, dir), "a full disk answers 503 and loses nothing, but takes nothing either"}
	}
	return check{"disk", "ok", fmt.Sprintf("%d GiB free", free>>10), ""}
}

// inUse reports whether another process holds the data directory.
func inUse(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return true
	}
	return false // closing gives it back
}

func asked(ctx context.Context, cfg *config.Config, f runFlags) check {
	cf := clientFlags{data: f.data}
	if f.listen != "" {
		cf.url = "http://" + f.listen
	} else {
		cf.url = "http://" + cfg.Listen
	}
	c, err := cf.open("admin")
	if err != nil {
		return check{"server", "fail", err.Error(), ""}
	}
	a, err := c.do(ctx, "GET", "/readyz", nil)
	switch {
	case err != nil:
		return check{"server", "fail", err.Error(), "give --listen if it listens elsewhere"}
	case !a.OK:
		return check{"server", "fail", a.Code + ": " + a.Detail, "GET /readyz names the part"}
	}
	return check{"server", "ok", "ready at " + c.base, ""}
}

func topics(ctx context.Context, s *system) check {
	declared, err := stage.LoadTopics(deploy.Topics)
	if err != nil {
		return check{"topics", "fail", err.Error(), ""}
	}
	missing, err := declared.Missing(ctx, s.kafka)
	switch {
	case err != nil:
		return check{"topics", "fail", err.Error(), ""}
	case len(missing) > 0:
		return check{"topics", "fail", fmt.Sprintf("missing: %v", missing), "stoplog topics apply"}
	}
	return check{"topics", "ok", fmt.Sprintf("all %d are there", len(declared)), ""}
}

// clockSkew compares this machine's clock with the database's: webhook time windows and
// leases need them to agree.
func clockSkew(ctx context.Context, s *system) check {
	before := time.Now()
	db, err := s.store.Now(ctx)
	if err != nil {
		return check{"clock", "warn", "the database does not say its time", ""}
	}
	skew := db.Sub(before.Add(time.Since(before) / 2)).Abs()
	if skew > 5*time.Second {
		return check{"clock", "fail", fmt.Sprintf("differs from the database's by %s", skew.Round(time.Second)), "set both by NTP: signatures older than five minutes are refused"}
	}
	return check{"clock", "ok", "agrees with the database's", ""}
}
