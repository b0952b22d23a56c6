package classify

// automaton finds many lower-case words in one pass (Aho–Corasick, as a full transition
// table over the bytes that occur). Upper-case ASCII counts as lower case. Every
// occurrence of every word is reported, overlapping ones too.
type automaton struct {
	class [256]uint8
	width int
	next  []uint16  // state*width + class → state
	out   [][]int32 // words that end in a state
	hit   []bool
	lens  []int
}

func newAutomaton(words []string) *automaton {
	a := &automaton{width: 1, lens: make([]int, len(words))}
	for _, w := range words {
		for i := 0; i < len(w); i++ {
			if a.class[w[i]] == 0 {
				a.class[w[i]] = uint8(a.width)
				a.width++
			}
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		a.class[c] = a.class[c+'a'-'A']
	}
	grow := func() int {
		a.next = append(a.next, make([]uint16, a.width)...)
		a.out = append(a.out, nil)
		if len(a.out) > 1<<16-1 {
			panic("classify: too many words")
		}
		return len(a.out) - 1
	}
	grow()
	for i, w := range words {
		a.lens[i] = len(w)
		s := 0
		for k := 0; k < len(w); k++ {
			at := s*a.width + int(a.class[w[k]])
			if a.next[at] == 0 {
				n := grow()
				a.next[at] = uint16(n)
			}
			s = int(a.next[at])
		}
		a.out[s] = append(a.out[s], int32(i))
	}
	// Breadth first: a missing step goes where the longest proper suffix goes.
	fail := make([]uint16, len(a.out))
	queue := make([]uint16, 0, len(a.out))
	for c := 1; c < a.width; c++ {
		if n := a.next[c]; n != 0 {
			queue = append(queue, n)
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		f := fail[s]
		a.out[s] = append(a.out[s], a.out[f]...)
		for c := 1; c < a.width; c++ {
			at := int(s)*a.width + c
			via := a.next[int(f)*a.width+c]
			if n := a.next[at]; n != 0 {
				fail[n] = via
				queue = append(queue, n)
			} else {
				a.next[at] = via
			}
		}
	}
	a.hit = make([]bool, len(a.out))
	for s := range a.out {
		a.hit[s] = len(a.out[s]) > 0
	}
	return a
}

// any reports whether any word occurs.
func (a *automaton) any(text []byte) bool {
	s := 0
	for _, c := range text {
		if s = int(a.next[s*a.width+int(a.class[c])]); a.hit[s] {
			return true
		}
	}
	return false
}
