package classify

import (
	"errors"
	"strings"
)

// A declared path is a list of steps: a key, any key, or any array element.
type step struct {
	key   string
	any   bool
	array bool
}

// parsePath reads a declared path: guest.first_name, rooms[].guests[].name, custom.*.
// A backslash makes the next byte part of a key.
func parsePath(s string) ([]step, error) {
	var out []step
	var key strings.Builder
	have, quoted := false, false
	flush := func() error {
		if !have {
			return errors.New("empty step")
		}
		k := key.String()
		out = append(out, step{key: k, any: k == "*" && !quoted})
		key.Reset()
		have, quoted = false, false
		return nil
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			key.WriteByte(s[i])
			have, quoted = true, true
		case c == '[' && !quoted || c == '[' && i+1 < len(s) && s[i+1] == ']':
			if i+1 >= len(s) || s[i+1] != ']' {
				return nil, errors.New("[ must be followed by ]")
			}
			if have {
				if err := flush(); err != nil {
					return nil, err
				}
			}
			out = append(out, step{array: true})
			i++
			if i+1 < len(s) && s[i+1] == '.' {
				i++
				if i+1 == len(s) {
					return nil, errors.New("empty step")
				}
			} else if i+1 < len(s) && s[i+1] != '[' {
				return nil, errors.New("[] must be followed by a dot")
			}
		case c == '.':
			if err := flush(); err != nil {
				return nil, err
			}
			if i+1 == len(s) {
				return nil, errors.New("empty step")
			}
		default:
			key.WriteByte(c)
			have = true
		}
	}
	if have {
		if err := flush(); err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, errors.New("empty path")
	}
	if len(out) > maxDepth {
		return nil, errors.New("too many steps")
	}
	return out, nil
}

// fieldTrie holds a source's declared paths as a tree, matched while the payload is
// walked. Steps are compared as steps: a payload key that contains a dot matches no
// longer path, so a sender cannot name a field into a lower class.
type fieldTrie struct {
	exact   map[string]*fieldTrie
	any     *fieldTrie
	element *fieldTrie
	rule    *rule
	runBy   bool
	subject bool
}

// match is where a walk stands in the tree: the nodes that fit the way so far, the
// more exact one first, and the nearest rule above.
type match struct {
	nodes     []*fieldTrie
	inherited *rule
}

func (t *fieldTrie) put(steps []step) *fieldTrie {
	n := t
	for _, s := range steps {
		next := &n.element
		switch {
		case s.array:
		case s.any:
			next = &n.any
		default:
			if n.exact == nil {
				n.exact = map[string]*fieldTrie{}
			}
			if n.exact[s.key] == nil {
				n.exact[s.key] = &fieldTrie{}
			}
			n = n.exact[s.key]
			continue
		}
		if *next == nil {
			*next = &fieldTrie{}
		}
		n = *next
	}
	return n
}

func (t *fieldTrie) root() match {
	if t == nil {
		return match{}
	}
	return match{nodes: []*fieldTrie{t}}
}

func (m match) own() *rule {
	for _, n := range m.nodes {
		if n.rule != nil {
			return n.rule
		}
	}
	return nil
}

func (m match) below() *rule {
	if r := m.own(); r != nil {
		return r
	}
	return m.inherited
}

func (t *fieldTrie) key(m match, key string) match {
	next := match{inherited: m.below()}
	for _, n := range m.nodes {
		if e := n.exact[key]; e != nil {
			next.nodes = append(next.nodes, e)
		}
	}
	for _, n := range m.nodes {
		if n.any != nil {
			next.nodes = append(next.nodes, n.any)
		}
	}
	return next
}

func (t *fieldTrie) elementOf(m match) match {
	next := match{inherited: m.below()}
	for _, n := range m.nodes {
		if n.element != nil {
			next.nodes = append(next.nodes, n.element)
		}
	}
	return next
}
