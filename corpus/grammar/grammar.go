// Package grammar holds the text the injection model learns from, and composes
// it: parts of attacks, honest twins that use the same words, and the ordinary
// documents in which both lie (attack, benign, host).
//
// A file is one language, or a part of one (en.txt, en-agents.txt): a rule that a part
// opens again goes on. A line "= name" opens a rule; each line below it is one
// alternative. Inside an alternative, {a|b|} chooses (nested, the empty choice
// too), $name expands another rule or a maker of values ($email, $date, …), \n
// and \t are white space, and a backslash takes the next character as it stands.
// A line that starts with # is a comment. Roots are attack.FAMILY, benign.KIND and
// host.KIND.
//
// All of it is inert training text: nothing here is addressed to anyone.
package grammar

import (
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"sort"
	"strings"
)

//go:embed attack/*.txt benign/*.txt host/*.txt
var files embed.FS

// Grammar is one file.
type Grammar struct {
	Lang  string // two letters, or "any" for hosts
	rules map[string][]node
}

// node is a piece of an alternative: text, a reference, a choice or a sequence.
type node struct {
	text string // literal
	ref  string // rule or maker
	alts []node // choice
	seq  []node
}

// Set is every grammar of the repository.
type Set struct {
	Attack, Benign map[string]*Grammar // by language
	Host           *Grammar
}

// Default reads the grammars that are built in.
func Default() (*Set, error) {
	grammars := map[string]map[string]*Grammar{"attack": {}, "benign": {}, "host": {}}
	s := &Set{Attack: grammars["attack"], Benign: grammars["benign"]}
	for _, dir := range []string{"attack", "benign", "host"} {
		names, err := fs.Glob(files, dir+"/*.txt")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			b, err := files.ReadFile(name)
			if err != nil {
				return nil, err
			}
			lang, _, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".txt"), "-")
			g := grammars[dir][lang]
			if g == nil {
				g = &Grammar{Lang: lang, rules: map[string][]node{}}
				grammars[dir][lang] = g
			}
			if err := g.read(string(b)); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		for lang, g := range grammars[dir] {
			if err := g.checkAll(); err != nil {
				return nil, fmt.Errorf("%s/%s: %w", dir, lang, err)
			}
		}
	}
	s.Host = grammars["host"]["any"]
	if s.Host == nil {
		return nil, fmt.Errorf("grammar: no hosts")
	}
	return s, nil
}

// Languages gives the languages that have attacks, in order.
func (s *Set) Languages() []string {
	var l []string
	for k := range s.Attack {
		l = append(l, k)
	}
	sort.Strings(l)
	return l
}

// Parse reads one grammar. Every reference must exist.
func Parse(lang, text string) (*Grammar, error) {
	g := &Grammar{Lang: lang, rules: map[string][]node{}}
	if err := g.read(text); err != nil {
		return nil, err
	}
	return g, g.checkAll()
}

// read adds the rules of one file.
func (g *Grammar) read(text string) error {
	name := ""
	here := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
			continue
		case strings.HasPrefix(line, "= "):
			name = strings.TrimSpace(line[2:])
			if here[name] {
				return fmt.Errorf("line %d: rule %s twice", i+1, name)
			}
			here[name] = true
		case name == "":
			return fmt.Errorf("line %d: text before the first rule", i+1)
		default:
			n, rest, err := parse(line, false)
			if err != nil || rest != "" {
				return fmt.Errorf("line %d: unbalanced braces", i+1)
			}
			g.rules[name] = append(g.rules[name], n)
		}
	}
	return nil
}

func (g *Grammar) checkAll() error {
	for name, alts := range g.rules {
		for _, n := range alts {
			if err := g.check(n); err != nil {
				return fmt.Errorf("rule %s: %w", name, err)
			}
		}
	}
	return nil
}

func (g *Grammar) check(n node) error {
	if n.ref != "" {
		if len(g.rules[n.ref]) == 0 && makers[n.ref] == nil && !isSlot(n.ref) {
			return fmt.Errorf("no rule or maker %q", n.ref)
		}
	}
	for _, m := range append(n.alts[:len(n.alts):len(n.alts)], n.seq...) {
		if err := g.check(m); err != nil {
			return err
		}
	}
	return nil
}

func isSlot(s string) bool { return s == "SLOT" || s == "TEXT" || s == "SHORT" }

// parse reads until the end, or in a choice until | or }.
func parse(s string, inner bool) (node, string, error) {
	var n node
	var lit strings.Builder
	flush := func() {
		if lit.Len() > 0 {
			n.seq = append(n.seq, node{text: lit.String()})
			lit.Reset()
		}
	}
	for s != "" {
		c := s[0]
		switch {
		case c == '\\' && len(s) > 1:
			switch s[1] {
			case 'n':
				lit.WriteByte('\n')
			case 't':
				lit.WriteByte('\t')
			default:
				lit.WriteByte(s[1])
			}
			s = s[2:]
		case c == '{':
			flush()
			choice := node{}
			s = s[1:]
			for {
				a, rest, err := parse(s, true)
				if err != nil {
					return n, "", err
				}
				if rest == "" {
					return n, "", fmt.Errorf("open brace")
				}
				choice.alts = append(choice.alts, a)
				s = rest[1:]
				if rest[0] == '}' {
					break
				}
			}
			n.seq = append(n.seq, choice)
		case inner && (c == '|' || c == '}'):
			flush()
			return n, s, nil
		case c == '}':
			return n, s, fmt.Errorf("stray brace")
		case c == '$':
			j := 1
			for j < len(s) && (s[j] >= 'a' && s[j] <= 'z' || s[j] >= 'A' && s[j] <= 'Z' || s[j] == '_') {
				j++
			}
			if j == 1 {
				lit.WriteByte('$')
			} else {
				flush()
				n.seq = append(n.seq, node{ref: s[1:j]})
			}
			s = s[j:]
		default:
			lit.WriteByte(c)
			s = s[1:]
		}
	}
	flush()
	return n, "", nil
}

// Roots gives the rules whose name starts with prefix, in order.
func (g *Grammar) Roots(prefix string) []string {
	var r []string
	for k := range g.rules {
		if strings.HasPrefix(k, prefix) {
			r = append(r, k)
		}
	}
	sort.Strings(r)
	return r
}

// Lines is the number of alternatives of a rule.
func (g *Grammar) Lines(rule string) int { return len(g.rules[rule]) }

// Line expands one alternative of a rule. fill gives the text of $SLOT, $TEXT and
// $SHORT; it may be nil where they do not occur.
func (g *Grammar) Line(r *rand.Rand, rule string, line int, fill func(string) string) string {
	var b strings.Builder
	g.expand(r, &g.rules[rule][line], &b, fill, 0)
	return b.String()
}

// Expand expands a rule, each alternative as likely as the other.
func (g *Grammar) Expand(r *rand.Rand, rule string) string {
	return g.Line(r, rule, r.IntN(len(g.rules[rule])), nil)
}

func (g *Grammar) expand(r *rand.Rand, n *node, b *strings.Builder, fill func(string) string, depth int) {
	if depth > 40 {
		return // a rule that contains itself ends here
	}
	switch {
	case n.text != "":
		b.WriteString(n.text)
	case n.ref != "":
		switch alts := g.rules[n.ref]; {
		case len(alts) > 0:
			g.expand(r, &alts[r.IntN(len(alts))], b, fill, depth+1)
		case isSlot(n.ref):
			if fill != nil {
				b.WriteString(fill(n.ref))
			}
		default:
			b.WriteString(makers[n.ref](r))
		}
	case len(n.alts) > 0:
		g.expand(r, &n.alts[r.IntN(len(n.alts))], b, fill, depth+1)
	default:
		for i := range n.seq {
			g.expand(r, &n.seq[i], b, fill, depth+1)
		}
	}
}
