package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stoplog/stoplog/pkg/chunk"
)

func TestWrittenTextsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []struct {
		dir     string
		attacks bool
		least   int
	}{{"../attacks", true, 5000}, {"../honest", false, 5000}} {
		docs, err := readWritten(c.dir, c.attacks)
		if err != nil {
			t.Fatal(err)
		}
		if len(docs) < c.least {
			t.Errorf("%s: %d texts", c.dir, len(docs))
		}
		for _, d := range docs {
			// One and the same text cannot be an attack and honest. Whole documents may be: their
			// twins are themselves without the attack.
			key := strings.Join(strings.Fields(strings.ToLower(d.text)), " ")
			if seen[key] && !c.attacks {
				t.Errorf("%s: %.60q is among the attacks", c.dir, d.text)
			}
			if c.attacks {
				seen[key] = true
			}
		}
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		in, text string
		spans    []chunk.Span
		bare     bool
	}{
		{"do it", "do it", []chunk.Span{{Start: 0, End: 5}}, true},
		{"a [[[b]]] c", "a b c", []chunk.Span{{Start: 2, End: 3}}, false},
		{"[[[é]]]x[[[yz]]]", "éxyz", []chunk.Span{{Start: 0, End: 2}, {Start: 3, End: 5}}, false},
	} {
		d, err := unmark(doc{text: c.in})
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if d.text != c.text || d.bare != c.bare || !cmp.Equal(d.spans, c.spans) {
			t.Errorf("%q: %q %v %v", c.in, d.text, d.spans, d.bare)
		}
	}
	for _, bad := range []string{"[[[a", "[[[]]]", "[[[ ]]] b", "[[[a [[[b]]]"} {
		if _, err := unmark(doc{text: bad}); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestRelation(t *testing.T) {
	d := doc{spans: []chunk.Span{{Start: 100, End: 200}, {Start: 300, End: 340}}}
	for _, c := range []struct{ from, to, want int }{
		{0, 90, outside}, {0, 110, partly}, {90, 210, inside}, {120, 180, inside}, {295, 345, inside}, {200, 300, outside}, {100, 140, inside}, {80, 105, partly},
	} {
		if got := d.relation(chunk.Span{Start: c.from, End: c.to}); got != c.want {
			t.Errorf("%d-%d: %d, want %d", c.from, c.to, got, c.want)
		}
	}
	if (&doc{}).relation(chunk.Span{Start: 0, End: 5}) != inside {
		t.Error("an attack that nobody located is not all of its text")
	}
}
