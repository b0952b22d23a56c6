package classify_test

import (
	"io/fs"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stoplog/stoplog/corpus/recognisers"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

type vectors struct {
	Type string   `yaml:"type"`
	Hit  []string `yaml:"hit"`
	Miss []string `yaml:"miss"`
}

// marked takes the [[ ]] out of a vector and gives the spans between them.
func marked(t *testing.T, s string) (string, []chunk.Span) {
	var b strings.Builder
	var spans []chunk.Span
	for {
		before, rest, ok := strings.Cut(s, "[[")
		b.WriteString(before)
		if !ok {
			return b.String(), spans
		}
		value, after, ok := strings.Cut(rest, "]]")
		if !ok {
			t.Fatalf("vector with an open mark: %q", s)
		}
		start := b.Len()
		b.WriteString(value)
		spans = append(spans, chunk.Span{Start: start, End: b.Len()})
		s = after
	}
}

// SPEC: RED-3
func TestVectors(t *testing.T) {
	files, err := fs.Glob(recognisers.Vectors, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := compile(t)
	ran, types := 0, map[string]bool{}
	for _, file := range files {
		data, err := recognisers.Vectors.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := yaml.NewDecoder(strings.NewReader(string(data)))
		d.KnownFields(true)
		var list []vectors
		if err := d.Decode(&list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, v := range list {
			if len(v.Hit) == 0 || len(v.Miss) == 0 {
				t.Errorf("%s: %s needs hits and misses", file, v.Type)
			}
			types[v.Type] = true
			for _, h := range v.Hit {
				ran++
				text, want := marked(t, h)
				got := c.Recognise([]byte(text))
				for _, w := range want {
					if !found(got, v.Type, w) {
						t.Errorf("%s: %s not found at %v of %q: %+v", file, v.Type, w, text, got)
					}
				}
				for _, e := range got {
					if e.Type == v.Type && !contains(want, e.Span) {
						t.Errorf("%s: %s found at %v of %q", file, v.Type, e.Span, text)
					}
				}
			}
			for _, m := range v.Miss {
				ran++
				for _, e := range c.Recognise([]byte(m)) {
					if e.Type == v.Type {
						t.Errorf("%s: %s found in %q: %+v", file, v.Type, m, e)
					}
				}
			}
		}
	}
	if ran < 280 || len(types) < 60 {
		t.Errorf("ran %d vectors of %d types", ran, len(types))
	}
}

func found(got []chunk.Entity, typ string, w chunk.Span) bool {
	for _, e := range got {
		if e.Type == typ && e.Span == w {
			return true
		}
	}
	return false
}

func contains(spans []chunk.Span, s chunk.Span) bool {
	for _, x := range spans {
		if x == s {
			return true
		}
	}
	return false
}

// SPEC: RED-3
func TestSecretKinds(t *testing.T) {
	if n := classify.SecretKinds(); n < 450 {
		t.Errorf("%d kinds of credentials, want at least 450", n)
	}
}
