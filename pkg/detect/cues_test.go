package detect

import (
	"testing"

	"github.com/stoplog/stoplog/corpus"
)

// The weights of classes that lie together are those that training gives to the slots of
// [GateSlots], sentence by sentence.
func TestCuesWeighWhatTheGateLearns(t *testing.T) {
	rules, m := rulesAndModel(t)
	s, d := new(scratch), detector(t).WithModel(m)
	cues := 0
	for _, r := range rules {
		for _, c := range append(r.Cases.Hits, r.Cases.Near...) {
			s.begin(d, Input{Text: c.Text})
			s.learning = true // what the rules decide has no windows otherwise
			s.scan()
			text := s.cur.v.Text // of the last view
			k := 0
			for i, p := range m.gate.run(nil, text, nil) {
				var walk cueWalk
				for ; k < len(s.occ) && s.occ[k].start < p.end; k++ {
					for _, term := range d.meant[d.meanings[s.occ[k].means].from:d.meanings[s.occ[k].means].to] {
						if one, two, ok := walk.slots(d.terms[term].class); ok {
							p.sum += int32(m.gate.table[one]) + int32(m.gate.table[two])
							p.n++
							cues++
						}
					}
				}
				if got := s.pieces[i]; got.sum != p.sum || got.n != p.n {
					t.Errorf("%q: %d of %d words, want %d of %d", text[p.start:p.end], got.sum, got.n, p.sum, p.n)
				}
			}
		}
	}
	if cues < 500 {
		t.Errorf("%d cues", cues)
	}
}

// A word that is both steps of a rule, in two of its meanings, completes what stands before it
// and begins anew. Its later step is looked at first: the earlier one would hide what it ends.
func TestWordOfTwoSteps(t *testing.T) {
	lex := corpus.Lexicon{"en.first": {Words: []string{"both", "one"}}, "en.second": {Words: []string{"both", "two"}}, "en.discuss": {Words: []string{"attack"}}}
	rule := corpus.Rule{ID: "two-steps", Family: "role-hijack", Languages: []string{"en"}, Weight: 0.7, Steps: []corpus.Step{{Terms: []string{"first"}}, {Terms: []string{"second"}}}}
	d, err := compile([]corpus.Rule{rule}, Options{Words: lex, RulesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"one both": 1, "both both": 1, "one two": 1, "both": 0, "two one": 0, "both x two": 1} {
		if got := d.Scan(Input{Text: []byte(text)}); len(got.Findings) != want {
			t.Errorf("%q: %d findings, want %d", text, len(got.Findings), want)
		}
	}
}
