package detect

import (
	"errors"
	"fmt"

	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// CaseResult is one case of a rule that did not come out as its file says.
type CaseResult struct {
	Rule string
	Hit  bool // it is a hit (else a near miss)
	N    int  // which one, from 0
	Why  string
}

// TestCases runs every case of every rule and gives the failures and how many
// cases ran. A hit must give a finding of its rule that overlaps the marked span;
// a near miss must give none of its rule.
func (d *Detector) TestCases(rules []corpus.Rule) (failed []CaseResult, ran int) {
	for _, r := range rules {
		for i, c := range r.Cases.Hits {
			ran++
			spans := d.findingsOf(r.ID, c.Text)
			switch {
			case len(spans) == 0:
				failed = append(failed, CaseResult{r.ID, true, i, "no finding"})
			default:
				ok := false
				for _, s := range spans {
					ok = ok || s.Overlaps(c.Want)
				}
				if !ok {
					failed = append(failed, CaseResult{r.ID, true, i, fmt.Sprintf("found at %d…%d, want %d…%d", spans[0].Start, spans[0].End, c.Want.Start, c.Want.End)})
				}
			}
		}
		for i, c := range r.Cases.Near {
			ran++
			if spans := d.findingsOf(r.ID, c.Text); len(spans) > 0 {
				failed = append(failed, CaseResult{r.ID, false, i, fmt.Sprintf("matched at %d…%d", spans[0].Start, spans[0].End)})
			}
		}
	}
	return failed, ran
}

func (d *Detector) findingsOf(rule string, text []byte) []chunk.Span {
	var spans []chunk.Span
	for _, f := range d.Scan(Input{Text: text}).Findings {
		if f.Rule == rule {
			spans = append(spans, f.Span)
		}
	}
	return spans
}

// proveCases is the part of Compile that refuses a set which fails its own cases.
func (d *Detector) proveCases(rules []corpus.Rule) error {
	failed, _ := d.TestCases(rules)
	var errs []error
	for i, f := range failed {
		if i == 20 {
			errs = append(errs, fmt.Errorf("%w: and %d more", errRules, len(failed)-i))
			break
		}
		kind := "near miss"
		if f.Hit {
			kind = "hit"
		}
		errs = append(errs, fmt.Errorf("%w: rule %s: %s %d: %s", errRules, f.Rule, kind, f.N+1, f.Why))
	}
	return errors.Join(errs...)
}
