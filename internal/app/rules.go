package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/detect"
)

// loadRules gives the built-in rules and those of a directory, and a digest of both.
func loadRules(dir string) ([]corpus.Rule, string, error) {
	rules, err := corpus.Default()
	if err != nil {
		return nil, "", fmt.Errorf("built-in rules: %w", err)
	}
	if dir != "" {
		more, err := corpus.Load(os.DirFS(dir))
		if err != nil {
			return nil, "", fmt.Errorf("rules in %s: %w", dir, err)
		}
		rules = append(rules, more...)
	}
	b, err := json.Marshal(rules)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(b)
	return rules, hex.EncodeToString(sum[:8]), nil
}

// policyHash names a configuration with a rule set: what a record's policy says.
func policyHash(config, rules string) string {
	sum := sha256.Sum256([]byte(config + "|" + rules))
	return hex.EncodeToString(sum[:16])
}

// watchRules looks for changed rule files every two seconds and puts a changed set in
// force when all of it compiles and passes its cases. A set that does not is refused
// with its reasons in the log; the running one stays (SPEC DET-8).
func (s *system) watchRules(ctx context.Context) error {
	_, inForce, err := loadRules(s.cfg.Detection.Rules)
	if err != nil {
		return err
	}
	refused := ""
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		rules, digest, err := loadRules(s.cfg.Detection.Rules)
		var d *detect.Detector
		if err == nil && digest != inForce {
			d, err = detect.Compile(rules, detect.Options{})
		}
		switch {
		case err != nil:
			if err.Error() != refused { // say it once, not every two seconds
				refused = err.Error()
				s.metrics.reloads.WithLabelValues("refused").Inc()
				s.log.Error("rules refused; the running set stays", slog.String("error", refused))
			}
		case d != nil:
			s.scanner.Store(d)
			s.metrics.ruleset.Reset()
			s.metrics.ruleset.WithLabelValues(digest).Set(1)
			s.metrics.reloads.WithLabelValues("ok").Inc()
			s.log.Info("rules reloaded", slog.String("rules", digest), slog.Int("count", len(rules)))
			inForce, refused = digest, ""
		}
	}
}
