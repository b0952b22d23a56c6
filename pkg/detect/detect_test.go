package detect

import (
	"testing"

	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// SPEC: DET-8
func TestCases(t *testing.T) {
	d := detector(t)
	rules, err := corpus.Default()
	if err != nil {
		t.Fatal(err)
	}
	failed, ran := d.TestCases(rules)
	for _, f := range failed {
		t.Errorf("%s: hit=%v case %d: %s", f.Rule, f.Hit, f.N+1, f.Why)
	}
	if ran < len(rules)*2*corpus.MinCases || ran == 0 {
		t.Fatalf("only %d cases ran for %d rules", ran, len(rules))
	}
	t.Logf("%d rules, %d cases", len(rules), ran)
}

func TestZeroDetectorHolds(t *testing.T) {
	var d *Detector
	if v := d.Scan(Input{Text: []byte("hello")}); v.Verdict != chunk.Hold {
		t.Errorf("nil detector: %v", v.Verdict)
	}
	if v := new(Detector).Scan(Input{Text: []byte("hello")}); v.Verdict != chunk.Hold {
		t.Errorf("zero detector: %v", v.Verdict)
	}
}
