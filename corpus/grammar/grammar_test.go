package grammar

import (
	"math/rand/v2"
	"regexp"
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

// TestEnglishReads keeps the composed English free of the slips a grammar makes:
// doubled spaces, a space before a full stop, a leftover of the notation.
func TestEnglishReads(t *testing.T) {
	s, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	slip := regexp.MustCompile(`[a-z]  [a-z]|[a-z] \.(?: |$)|\$[a-z]+[ .,]`)
	r := rand.New(rand.NewPCG(3, 4))
	ran, bad := 0, 0
	for kind, g := range map[string]*Grammar{"attack.": s.Attack["en"], "benign.": s.Benign["en"]} {
		for _, root := range g.Roots(kind) {
			for i := range g.Lines(root) {
				ran++
				if text := g.Line(r, root, i, nil); slip.MatchString(text) {
					bad++
					t.Logf("%s line %d: %q", root, i+1, slip.FindString(text))
				}
			}
		}
	}
	// A few choices still leave a doubled space; more than one line in fifty is a
	// mistake in a rule that many share.
	if ran < 1000 || bad*50 > ran {
		t.Errorf("%d of %d lines slipped", bad, ran)
	}
}
