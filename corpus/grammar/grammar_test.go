package grammar

import (
	"math/rand/v2"
	"testing"
)

func TestDefaultExpands(t *testing.T) {
	s, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	ran := 0
	for lang, g := range s.Attack {
		for _, root := range g.Roots("attack.") {
			for i := range g.Lines(root) {
				if g.Line(r, root, i, nil) == "" {
					t.Errorf("%s %s line %d is empty", lang, root, i)
				}
				ran++
			}
		}
		if s.Benign[lang] == nil {
			t.Errorf("%s has attacks and no honest twins", lang)
		}
	}
	for lang, g := range s.Benign {
		for _, root := range g.Roots("benign.") {
			for i := range g.Lines(root) {
				if g.Line(r, root, i, nil) == "" {
					t.Errorf("%s %s line %d is empty", lang, root, i)
				}
				ran++
			}
		}
	}
	if ran < 100 {
		t.Fatalf("only %d lines ran", ran)
	}
	t.Logf("%d lines", ran)
}

func TestParseRefuses(t *testing.T) {
	for _, bad := range []string{"text", "= a\n{x", "= a\nx}", "= a\n$nosuch", "= a\nx\n= a\ny"} {
		if _, err := Parse("en", bad); err == nil {
			t.Errorf("%q parsed", bad)
		}
	}
}
