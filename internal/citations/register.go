package citations

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// File is a register's file.
type File struct {
	Content []byte
	Version string // differs where the content may differ; never empty
}

const (
	maxRegister = 64 << 20 // bytes
	maxEntries  = 2 << 20
)

func kindError(kind, part string, err error) error {
	return fmt.Errorf("citations.kinds (%s).%s: %w", kind, part, err)
}

// load reads a kind's register where it changed.
func (c *Checker) load(i int) (changed bool, err error) {
	k := c.set.Kind(i)
	if k.Register == nil {
		return false, nil
	}
	if c.o.Open == nil {
		return false, kindError(k.Name, "register", errors.New("no file can be read here"))
	}
	s := &c.kinds[i]
	s.mu.RLock()
	have := s.version
	s.mu.RUnlock()
	f, err := c.o.Open(k.Register.File, have)
	if err != nil {
		return false, kindError(k.Name, "register", err)
	}
	if f.Version == have {
		return false, nil
	}
	list, err := entries(f.Content, k.Register.Column, func(text string) string { return c.set.Entry(i, text) })
	if err != nil {
		return false, kindError(k.Name, "register "+k.Register.File, err)
	}
	s.mu.Lock()
	s.list, s.version = list, f.Version
	s.mu.Unlock()
	return true, nil
}

// entries reads a register: one entry a line, or a column of a table. The errors name
// lines and never what stands there: a register may hold what is nobody's business.
func entries(b []byte, column string, normal func(string) string) (map[string]struct{}, error) {
	if len(b) > maxRegister {
		return nil, fmt.Errorf("%d bytes; want at most %d", len(b), maxRegister)
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if !utf8.Valid(b) {
		return nil, errors.New("is not UTF-8")
	}
	out := map[string]struct{}{}
	add := func(line int, text string) error {
		v := normal(text)
		if v == "" {
			return fmt.Errorf("line %d: no citation of this kind", line)
		}
		if out[v] = struct{}{}; len(out) > maxEntries {
			return fmt.Errorf("line %d: more than %d entries", line, maxEntries)
		}
		return nil
	}
	if column == "" {
		line := 0
		for text := range strings.Lines(string(b)) {
			line++
			if text = strings.TrimSpace(text); text == "" || strings.HasPrefix(text, "# ") || text == "#" {
				continue
			}
			if err := add(line, text); err != nil {
				return nil, err
			}
		}
	} else if err := table(b, column, add); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, errors.New("has no entries; every citation would be called made up")
	}
	return out, nil
}

// table reads a column of a CSV file. What separates its fields is what makes the header
// have the column.
func table(b []byte, column string, add func(line int, text string) error) error {
	head, _, _ := bytes.Cut(b, []byte("\n"))
	for _, comma := range ",;\t|" {
		r := csv.NewReader(bytes.NewReader(head))
		r.Comma = comma
		names, err := r.Read()
		if err != nil {
			continue
		}
		at := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), column) })
		if at < 0 {
			continue
		}
		r = csv.NewReader(bytes.NewReader(b))
		r.Comma, r.ReuseRecord = comma, true
		for n := 0; ; n++ {
			row, err := r.Read()
			if errors.Is(err, io.EOF) {
				return nil
			}
			var bad *csv.ParseError
			if errors.As(err, &bad) {
				return fmt.Errorf("line %d: %w", bad.Line, bad.Err)
			}
			if err != nil {
				return err
			}
			line, _ := r.FieldPos(at)
			if n == 0 || strings.TrimSpace(row[at]) == "" {
				continue
			}
			if err := add(line, row[at]); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("has no column %q in its first line", column)
}

// Watch reads registers again when they change, until ctx ends. A register that cannot be
// read any more, or no longer holds, is refused: the one that was read before stays.
func (c *Checker) Watch(ctx context.Context, every time.Duration, log *slog.Logger) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			c.Reload(log)
		}
	}
}

// Reload looks at every register once.
func (c *Checker) Reload(log *slog.Logger) {
	for i := range c.kinds {
		name := c.set.Kind(i).Name
		switch changed, err := c.load(i); {
		case err != nil:
			c.reloads.WithLabelValues(name, "refused").Inc()
			log.Warn("a register of citations is refused; the one in force stays", slog.String("kind", name), slog.Any("error", err))
		case changed:
			c.reloads.WithLabelValues(name, "loaded").Inc()
			log.Info("a register of citations is in force", slog.String("kind", name))
		}
	}
}
