package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// casesFile holds the cases that reviewers added, one JSON object a line, in the form
// that bench/quality reads.
const casesFile = "cases.jsonl"

// corpusCase is a reviewed text: an attack that must stay caught, or honest text that
// must stay clean (SPEC QUA-7).
type corpusCase struct {
	ID     string   `json:"id"`
	Label  int      `json:"label"` // 1 attack, 0 honest
	Kind   string   `json:"kind"`  // the gate's type
	Text   string   `json:"text"`  // what identifies is masked
	Source string   `json:"source"`
	Rules  []string `json:"rules,omitempty"`
}

// addCase takes a decided gate's text into a file of cases: rejected text as an
// attack, released text as honest. Masked places keep their stubs, so no personal data
// enters the corpus. A gate that is in the file already is left alone.
func addCase(ctx context.Context, c *client, gate, path string) (corpusCase, error) {
	var card review.Card
	if err := c.call(ctx, "GET", "/v1/review/gates/"+gate, nil, &card); err != nil {
		return corpusCase{}, err
	}
	k := corpusCase{ID: gate, Kind: card.Type, Source: "review:" + card.Source, Rules: card.Rules}
	switch card.Decision {
	case review.Reject, review.End:
		k.Label = 1
	case review.Release, review.ReleaseRedacted:
		k.Label = 0
	default:
		return k, fmt.Errorf("gate %s is %s; decide it first: a rejection makes an attack case, a release an honest one", gate, card.State)
	}
	var text strings.Builder
	for _, s := range card.Text {
		text.WriteString(s.Text)
	}
	if k.Text = text.String(); k.Text == "" {
		return k, errors.New("the gate shows no text; its evidence may be erased")
	}
	have, err := readCases(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return k, err
	}
	for _, h := range have {
		if h.ID == k.ID {
			return h, nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return k, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return k, err
	}
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	return k, errors.Join(enc.Encode(k), f.Sync(), f.Close())
}

func readCases(path string) ([]corpusCase, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []corpusCase
	s := bufio.NewScanner(f)
	s.Buffer(nil, maxScanLine)
	for n := 1; s.Scan(); n++ {
		var c corpusCase
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s: line %d is not a case", path, n)
		}
		out = append(out, c)
	}
	return out, s.Err()
}

func corpusCommand(e *env) *cobra.Command {
	c := &cobra.Command{Use: "corpus", GroupID: "data", Short: "Turn reviewed content into regression cases, and check them", RunE: helpOnly,
		Example: "  stoplog corpus add gate_… --data ./stoplog-data\n  stoplog corpus check --data ./stoplog-data"}
	var f clientFlags
	f.add(c)
	var file string
	c.PersistentFlags().StringVar(&file, "cases", "", "file of cases (default DATA/corpus/"+casesFile+")")
	path := func() string {
		if file != "" {
			return file
		}
		return filepath.Join(f.data, "corpus", casesFile)
	}
	c.AddCommand(
		&cobra.Command{
			Use: "add GATE", Short: "Add a decided gate: rejected text as an attack, released text as honest",
			Example: "  stoplog corpus add gate_… --data ./stoplog-data",
			Args:    exactArgs(1, "one gate id"),
			RunE: func(cmd *cobra.Command, args []string) error {
				cl, err := f.open("reviewer")
				if err != nil {
					return err
				}
				k, err := addCase(cmd.Context(), cl, args[0], path())
				if err != nil {
					return err
				}
				return e.print(k, "%s: %s, label %d\n", path(), k.ID, k.Label)
			},
		},
		&cobra.Command{
			Use: "check", Short: "Scan every case: attacks must be caught, honest text must be clean",
			Example: "  stoplog corpus check --data ./stoplog-data",
			Args:    exactArgs(0, "no arguments"),
			RunE: func(*cobra.Command, []string) error {
				cases, err := readCases(path())
				if err != nil {
					return err
				}
				if len(cases) == 0 {
					return errors.New("there are no cases")
				}
				d, err := builtinDecisions(nil)
				if err != nil {
					return err
				}
				type wrongCase struct {
					ID      string        `json:"id"`
					Label   int           `json:"label"`
					Verdict chunk.Verdict `json:"verdict"`
					Score   float64       `json:"score"`
				}
				wrong := []wrongCase{}
				for _, k := range cases {
					s, _ := d.scan([]byte(k.Text))
					if caught := s.Verdict != chunk.Clean; caught != (k.Label == 1) {
						wrong = append(wrong, wrongCase{k.ID, k.Label, s.Verdict, round(s.Score)})
					}
				}
				err = e.envelopeOrText(len(wrong) == 0, map[string]any{"cases": len(cases), "wrong": wrong}, func(w io.Writer) {
					for _, k := range wrong {
						fmt.Fprintf(w, "%s: label %d, verdict %s, score %.4f\n", k.ID, k.Label, k.Verdict, k.Score)
					}
					fmt.Fprintf(w, "%d of %d cases hold.\n", len(cases)-len(wrong), len(cases))
				})
				if err == nil && len(wrong) > 0 {
					return errProblems
				}
				return err
			},
		},
	)
	return c
}
