package detect

import (
	"errors"
	"sort"
)

// automaton finds every occurrence of every literal in one pass: an Aho-Corasick
// DFA over byte classes. Case of ASCII letters and the kind of white space are
// folded in the classes, and a run of white space counts as one space, so text
// needs no rewriting before it is searched.
//
// A single cursor is limited by the latency of one dependent load a byte; run
// keeps four cursors on four quarters of the text going at once.
type automaton struct {
	class [256]uint8 // byte class; 0: in no literal
	shift uint       // log2 of the row length
	// delta holds, for state s (premultiplied: row start) and class c, the next state;
	// its top bit says that literals end there.
	delta []uint32
	depth []uint16  // by state number: length of the state's string
	outs  [][]int32 // by state number: literals that end there
}

const matchFlag = 1 << 31

// hit is the end of one or more literals.
type hit struct {
	end   int32 // offset just behind the literal
	state uint32
}

// foldByte folds one byte as the automaton does.
func foldByte(b byte) byte {
	switch {
	case b >= 'A' && b <= 'Z':
		return b | 0x20
	case b == '\t' || b == '\n' || b == '\r':
		return ' '
	}
	return b
}

// newAutomaton builds the DFA. Literals are folded already (see foldByte), not
// empty, hold no two spaces in a row and neither begin nor end with a space.
func newAutomaton(literals []string) (*automaton, error) {
	a := &automaton{}
	used := [256]bool{}
	for _, l := range literals {
		for i := 0; i < len(l); i++ {
			used[l[i]] = true
		}
	}
	classes := 1
	for b := range 256 {
		if used[b] {
			if classes > 255 {
				return nil, errors.New("detect: literals use too many different bytes")
			}
			a.class[b] = uint8(classes)
			classes++
		}
	}
	for b := range 256 {
		a.class[b] = a.class[foldByte(byte(b))]
	}
	for 1<<a.shift < classes {
		a.shift++
	}
	// The trie, then states in breadth-first order, so that the ones near the root,
	// which ordinary text visits, lie together.
	type node struct {
		next map[uint8]int32
		out  []int32
		fail int32
		deep uint16
		last byte
	}
	trie := []node{{next: map[uint8]int32{}}}
	for id, l := range literals {
		s := int32(0)
		for i := 0; i < len(l); i++ {
			c := a.class[l[i]]
			n, ok := trie[s].next[c]
			if !ok {
				n = int32(len(trie))
				trie = append(trie, node{next: map[uint8]int32{}, deep: trie[s].deep + 1, last: l[i]})
				trie[s].next[c] = n
			}
			s = n
		}
		trie[s].out = append(trie[s].out, int32(id))
	}
	if len(trie) >= matchFlag>>a.shift {
		return nil, errors.New("detect: too many literals")
	}
	order := make([]int32, 1, len(trie))
	for i := 0; i < len(order); i++ {
		t := &trie[order[i]]
		keys := make([]int, 0, len(t.next))
		for c := range t.next {
			keys = append(keys, int(c))
		}
		sort.Ints(keys)
		for _, c := range keys {
			order = append(order, t.next[uint8(c)])
		}
	}
	number := make([]uint32, len(trie))
	for i, s := range order {
		number[s] = uint32(i)
	}
	row := 1 << a.shift
	a.delta = make([]uint32, len(trie)*row)
	a.depth = make([]uint16, len(trie))
	a.outs = make([][]int32, len(trie))
	space := a.class[' ']
	for i, s := range order {
		t := &trie[s]
		base := i * row
		fail := int(number[t.fail]) * row
		if s != 0 {
			copy(a.delta[base:base+row], a.delta[fail:fail+row])
			if f := trie[t.fail].out; len(f) > 0 {
				t.out = append(t.out[:len(t.out):len(t.out)], f...)
			}
		}
		for c, n := range t.next {
			if s != 0 {
				trie[n].fail = order[a.delta[fail+int(c)]&^uint32(matchFlag)>>a.shift]
			}
			a.delta[base+int(c)] = number[n] << a.shift
		}
		if t.last == ' ' && s != 0 {
			a.delta[base+int(space)] = uint32(base) // a run of spaces is one space
		}
		a.depth[i] = t.deep
		a.outs[i] = t.out
	}
	for i, d := range a.delta {
		if len(a.outs[d>>a.shift]) > 0 {
			a.delta[i] = d | matchFlag
		}
	}
	return a, nil
}

// quarters is the least length that is worth four cursors.
const quarters = 256

// hits are the hits of one search. The lists, read one after the other, are in
// order of where the literals end, but for the few that cross a border.
type hits [4][]hit

func (h *hits) reset() {
	for i := range h {
		h[i] = h[i][:0]
	}
}

// run appends every hit in text to h.
func (a *automaton) run(h *hits, text []byte) {
	if len(text) < quarters {
		h[0] = a.from(h[0], text, 0, len(text), 0)
		return
	}
	q := len(text) / 4
	t0, t1, t2, t3 := text[:q], text[q:2*q], text[2*q:3*q], text[3*q:4*q]
	t1, t2, t3 = t1[:len(t0)], t2[:len(t0)], t3[:len(t0)]
	var s0, s1, s2, s3 uint32
	delta, class := a.delta, &a.class
	for i, b := range t0 {
		s0 = delta[s0+uint32(class[b])]
		s1 = delta[s1+uint32(class[t1[i]])]
		s2 = delta[s2+uint32(class[t2[i]])]
		s3 = delta[s3+uint32(class[t3[i]])]
		if (s0|s1|s2|s3)&matchFlag != 0 {
			if s0&matchFlag != 0 {
				s0 &^= matchFlag
				h[0] = append(h[0], hit{int32(i + 1), s0})
			}
			if s1&matchFlag != 0 {
				s1 &^= matchFlag
				h[1] = append(h[1], hit{int32(q + i + 1), s1})
			}
			if s2&matchFlag != 0 {
				s2 &^= matchFlag
				h[2] = append(h[2], hit{int32(2*q + i + 1), s2})
			}
			if s3&matchFlag != 0 {
				s3 &^= matchFlag
				h[3] = append(h[3], hit{int32(3*q + i + 1), s3})
			}
		}
	}
	// What begins in one quarter and ends in the next: follow each cursor on until
	// its state holds nothing that began before the border. The next quarter's own
	// cursor found what began behind it.
	h[0] = a.over(h[0], text, q, s0)
	h[1] = a.over(h[1], text, 2*q, s1)
	h[2] = a.over(h[2], text, 3*q, s2)
	h[3] = a.from(h[3], text, 4*q, len(text), s3)
}

func (a *automaton) from(hits []hit, text []byte, from, to int, s uint32) []hit {
	for i := from; i < to; i++ {
		s = a.delta[s+uint32(a.class[text[i]])]
		if s&matchFlag != 0 {
			s &^= matchFlag
			hits = append(hits, hit{int32(i + 1), s})
		}
	}
	return hits
}

// over follows a cursor across the border at from. It reports hits whose longest
// literal began before the border; shorter ones inside such a hit may be reported
// by the next cursor too; the detector drops what it has seen.
func (a *automaton) over(hits []hit, text []byte, from int, s uint32) []hit {
	n := 0 // bytes behind the border that the state's string may hold
	for i := from; i < len(text); i++ {
		if int(a.depth[s>>a.shift]) <= n {
			return hits
		}
		b := text[i]
		next := a.delta[s+uint32(a.class[b])]
		if foldByte(b) != ' ' || next&^matchFlag != s {
			n++
		}
		s = next
		if s&matchFlag != 0 {
			s &^= matchFlag
			if int(a.depth[s>>a.shift]) > n {
				hits = append(hits, hit{int32(i + 1), s})
			}
		}
	}
	return hits
}

// began gives the offset at which literal lit begins in text when it ends at end.
// It reports false when text does not hold it there, which means that the hit
// belongs to another literal of the state.
func began(text []byte, lit string, end int) (int, bool) {
	i := end
	for k := len(lit) - 1; k >= 0; k-- {
		if i == 0 || foldByte(text[i-1]) != lit[k] {
			return 0, false
		}
		i--
		if lit[k] == ' ' {
			for i > 0 && foldByte(text[i-1]) == ' ' {
				i--
			}
		}
	}
	return i, true
}
