package classify

import (
	"sort"
	"strings"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Explained says what happens to one value of a payload, for people who write a
// source's registry entry (stoplog sources explain).
type Explained struct {
	Path     string        // keys with dots, array elements as []; empty: the text as a whole
	Declared string        // the declared path that decided; empty: none
	Class    chunk.Class   //
	Why      string        // declared, inherited, undeclared, free text
	Action   string        // kept, searched, replaced
	Found    []string      // entity types found in it
	Shown    chunk.Content // what a context would get: content, though redacted
}

// Explain classifies a payload and tells for each value which path got which class,
// why, and what a context would get. Errors are those of [Classifier.Classify].
func (c *Classifier) Explain(in Input) ([]Explained, Result, error) {
	res, err := c.Classify(in)
	if err != nil {
		return nil, Result{}, err
	}
	s := c.sources[in.Source]
	leaves, structured, err := parse(s, in.MediaType, in.Text)
	if err != nil {
		return nil, Result{}, err
	}
	d := &decision{c: c, s: s, in: in, leaves: leaves, structured: structured}
	var out []Explained
	for i := range leaves {
		l := &leaves[i]
		if l.kind == leafKey {
			continue
		}
		how, class := d.treat(l)
		e := Explained{Path: l.where(), Class: class, Why: "undeclared: the source's ceiling", Action: [...]string{"kept", "searched", "replaced"}[how]}
		if r := l.matched.own(); r != nil {
			e.Declared, e.Why = r.Path, "declared"
			if r.Text {
				e.Why = "declared, free text"
			}
		} else if r := l.matched.inherited; r != nil {
			e.Declared, e.Why = r.Path, "undeclared below a declared path: the source's ceiling"
		} else if !structured || l.free {
			e.Why = "free text"
		}
		if l.kind == leafNull {
			e.Action = "kept"
		}
		for _, x := range res.Entities {
			if x.Start >= l.start && x.End <= l.end && x.End > x.Start {
				e.Found = append(e.Found, x.Type)
			}
		}
		e.Shown = shown(in.Text, l.start, l.end, res.Redactions)
		out = append(out, e)
	}
	return out, res, nil
}

// where is the path of a leaf, as a registry entry would write it.
func (l *leaf) where() string {
	var steps []*pathNode
	for n := l.path; n != nil; n = n.up {
		steps = append(steps, n)
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		n := steps[i]
		switch {
		case n.array:
			b.WriteString("[]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(strings.NewReplacer(`\`, `\\`, `.`, `\.`, `[`, `\[`, `*`, `\*`).Replace(n.key))
		}
	}
	return b.String()
}

// shown is text[from:to] with the redactions in it applied.
func shown(text []byte, from, to int, rs []chunk.Redaction) chunk.Content {
	var out []byte
	i := sort.Search(len(rs), func(i int) bool { return rs[i].End > from })
	for ; i < len(rs) && rs[i].Start < to; i++ {
		if rs[i].Start > from {
			out = append(out, text[from:rs[i].Start]...)
		}
		out = append(out, rs[i].Stub...)
		from = max(from, rs[i].End)
	}
	if from < to {
		out = append(out, text[from:to]...)
	}
	return out
}
