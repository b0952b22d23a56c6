package detect

import "github.com/stoplog/stoplog/corpus"

// Check compiles a set and runs all of its cases, and gives every one that fails:
// what [Compile] refuses a set for, in full. The error says what does not compile.
func Check(rules []corpus.Rule, opts Options) (failed []CaseResult, ran int, err error) {
	d, err := compile(rules, opts)
	if err != nil {
		return nil, 0, err
	}
	failed, ran = d.TestCases(rules)
	return failed, ran, nil
}
