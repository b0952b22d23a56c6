package detect

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
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
	// delta holds, for state s (premultiplied: row start) and class c, the next state. Its
	// top bits say that open literals end with the byte, and closed ones before it.
	delta []uint32
	depth []uint16 // by state number: length of the state's string
	// Literals that end in state n: ids[first[2n]:first[2n+1]] open ones, then, up to
	// first[2n+2], closed ones.
	first, ids []int32
	// The root, inside and outside of words.
	inside, outside uint32
	// fold is foldByte, and a space for signs that no literal holds.
	fold [256]byte
}

const (
	openFlag   = 1 << 31
	closedFlag = 1 << 30
	matchFlag  = openFlag | closedFlag
)

// idleFold is foldByte for a search for some literals: signs that none of them holds part
// words as spaces do.
func idleFold(lits []literal) (t [256]byte) {
	var held [256]bool
	for i := range lits {
		for _, b := range []byte(lits[i].text) {
			held[b] = true
		}
	}
	for b := range 256 {
		t[b] = foldByte(byte(b))
	}
	for _, b := range []byte(",;:.+_-*/|~\"'`") {
		if !held[b] {
			t[b] = ' '
		}
	}
	return t
}

// hit is a flagged transition.
type hit struct {
	at          int32  // of the byte
	before, now uint32 // states; now with its flags
}

// ends gives the literals that end at a hit: ids[lo:hi]. Closed ones end before the byte,
// or with the text, open ones behind it.
func (a *automaton) ends(h hit) (closed, open struct{ lo, hi int32 }) {
	if h.now&closedFlag != 0 {
		n := h.before >> a.shift << 1
		closed.lo, closed.hi = a.first[n+1], a.first[n+2]
	}
	if h.now&openFlag != 0 {
		n := h.now &^ matchFlag >> a.shift << 1
		open.lo, open.hi = a.first[n], a.first[n+1]
	}
	return closed, open
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

// pattern is one literal of an automaton. Its text is folded already (see
// foldByte), not empty, holds no two spaces in a row and neither begins nor ends
// with one. A bounded pattern that begins with an ASCII letter or digit is found
// only where a word begins, which keeps the cursor at rest inside other words. A closed
// one is not found where an ASCII letter or digit follows: beginnings of words are words
// in some language.
type pattern struct {
	text            string
	bounded, closed bool
}

// trieNode is one string of the trie. There are two roots: literals that must begin
// where a word begins hang from the second.
type trieNode struct {
	child, sibling int32 // 0: none
	open, closed   []int32
	number         uint32 // of its state
	fall           uint32 // row of the state that its longest suffix is in
	class, last    uint8  // of the byte read last, and the byte
}

const (
	anywhere  = 0 // the root of literals that may begin inside words
	wordStart = 1
)

// newAutomaton builds the DFA. Fold is foldByte, and a space for signs that part words (see
// [idleFold]).
func newAutomaton(patterns []pattern, fold [256]byte) (*automaton, error) {
	a := &automaton{fold: fold}
	used := [256]bool{'\\': true, 'n': true, 'r': true, 't': true} // escapes, see fill
	for _, p := range patterns {
		for i := 0; i < len(p.text); i++ {
			used[p.text[i]] = true
		}
	}
	// Class 0 is what no pattern holds and is no letter; class 1 letters and digits
	// that no pattern holds.
	classes := 2
	for _, b := range byRarity {
		if used[b] {
			if classes > 255 {
				return nil, errors.New("detect: literals use too many different bytes")
			}
			a.class[b] = uint8(classes)
			classes++
		}
	}
	var letter [256]bool // by class
	letter[1] = true
	var byteOf [256]byte
	for b := range 256 {
		f := a.fold[b]
		a.class[b] = a.class[f]
		if wordByte(f) {
			if !used[f] {
				a.class[b] = 1
			}
			letter[a.class[b]] = true
		}
		byteOf[a.class[b]] = f
	}
	if classes > 255 {
		return nil, errors.New("detect: literals use too many different bytes")
	}
	for 1<<a.shift < classes {
		a.shift++
	}
	trie := a.trie(patterns)
	row := 1 << a.shift
	states := len(trie) - 2 + 3
	if states >= closedFlag>>a.shift {
		return nil, errors.New("detect: too many literals")
	}
	// The root is three states: inside a word, outside one, and behind a backslash, where
	// a letter may be an escaped line break.
	a.delta = make([]uint32, states*row)
	a.depth = make([]uint16, states)
	a.inside, a.outside = 0, uint32(row)
	behind := uint32(2 * row)
	at := func(base uint32) []uint32 { return a.delta[base : int(base)+row] }
	for c := range classes {
		to := a.outside
		switch {
		case letter[c]:
			to = a.inside
		case uint8(c) == a.class['\\']:
			to = behind
		}
		at(a.inside)[c] = to
	}
	var breaks []int // the second byte of an escaped line break or tab
	for c := range classes {
		if byteOf[c] == 'n' || byteOf[c] == 'r' || byteOf[c] == 't' {
			breaks = append(breaks, c)
		}
	}
	numbered := number(trie) // nodes by the number of their state, from 3 on
	// Breadth first. Own leads from the state of node s, which falls back to the row fall,
	// to the children of s: their suffixes are where that row leads.
	order := make([]int32, 0, len(trie))
	own := func(s int32, out, fall []uint32, depth uint16) {
		for t := trie[s].child; t != 0; t = trie[t].sibling {
			n := &trie[t]
			order = append(order, t)
			n.fall = fall[n.class] &^ matchFlag
			if f := n.fall >> a.shift; f >= 3 {
				less := &trie[numbered[f-3]]
				n.open, n.closed = with(n.open, less.open), with(n.closed, less.closed)
			}
			a.depth[n.number] = depth
			if out[n.class] = n.number << a.shift; len(n.open) > 0 {
				out[n.class] |= openFlag
			}
		}
	}
	rest := slices.Clone(at(a.inside)) // what falls back to the root
	own(anywhere, at(a.inside), rest, 1)
	copy(at(a.outside), at(a.inside))
	own(wordStart, at(a.outside), at(a.inside), 1)
	copy(at(behind), at(a.outside))
	for _, c := range breaks {
		at(behind)[c] = a.outside
	}
	for i := 0; i < len(order); i++ {
		s := order[i]
		n := &trie[s]
		base := n.number << a.shift
		out, fall := at(base), at(n.fall)
		copy(out, fall)
		own(s, out, fall, a.depth[n.number]+1)
		switch n.last {
		case '\\':
			for _, c := range breaks {
				out[c] = a.outside
			}
		case ' ':
			out[a.class[' ']] = base // a run of spaces is one space
		}
		for c := 0; len(n.closed) > 0 && c < classes; c++ {
			if !letter[c] {
				out[c] |= closedFlag
			}
		}
	}
	a.first = make([]int32, 2*states+1)
	for i, s := range numbered {
		n := 2 * (i + 3)
		a.ids = append(a.ids, trie[s].open...)
		a.first[n+1] = int32(len(a.ids))
		a.ids = append(a.ids, trie[s].closed...)
		a.first[n+2] = int32(len(a.ids))
	}
	return a, nil
}

// rare tells how rare a byte is in ordinary text, in no particular unit.
var rare = func() (t [256]uint8) {
	for b := range t {
		t[b] = 40
	}
	for i, b := range []byte(" etaoinshrdlcumwfgypbvkjxqz") {
		t[b] = uint8(10 + i)
	}
	return t
}()

// byRarity are all bytes, common ones first. Their classes are numbered in this order, so
// that most of what is read of a row lies in one line of the cache.
var byRarity = func() (order [256]byte) {
	for b := range order {
		order[b] = byte(b)
	}
	slices.SortStableFunc(order[:], func(a, b byte) int { return cmp.Compare(rare[a], rare[b]) })
	return order
}()

// number numbers the states of a trie's nodes so that those which ordinary text visits
// lie together, in a processor's nearer caches: by how rare their strings are. It gives
// the nodes in that order.
func number(trie []trieNode) []int32 {
	cost := make([]int, len(trie)) // a node comes behind its parent
	count := make([]int32, 1)
	for s := range trie {
		for t := trie[s].child; t != 0; t = trie[t].sibling {
			cost[t] = cost[s] + int(rare[trie[t].last])
			for len(count) <= cost[t]+1 {
				count = append(count, 0)
			}
			count[cost[t]+1]++
		}
	}
	for c := 1; c < len(count); c++ {
		count[c] += count[c-1]
	}
	nodes := make([]int32, len(trie)-2)
	for t := 2; t < len(trie); t++ {
		at := count[cost[t]]
		count[cost[t]]++
		nodes[at] = int32(t)
		trie[t].number = uint32(at + 3)
	}
	return nodes
}

// with gives a list followed by another, which it may share.
func with(own, more []int32) []int32 {
	if len(own) == 0 {
		return more
	}
	return append(own, more...)
}

// trie puts the literals in order and makes their trie. Its first two nodes are the
// roots.
func (a *automaton) trie(patterns []pattern) []trieNode {
	rooted := func(p *pattern) int32 {
		if p.bounded && wordByte(p.text[0]) {
			return wordStart
		}
		return anywhere
	}
	ids := make([]int32, len(patterns))
	size := 2
	for i := range ids {
		ids[i] = int32(i)
		size += len(patterns[i].text)
	}
	slices.SortFunc(ids, func(x, y int32) int {
		p, q := &patterns[x], &patterns[y]
		return cmp.Or(cmp.Compare(rooted(p), rooted(q)), cmp.Compare(p.text, q.text), cmp.Compare(x, y))
	})
	trie := make([]trieNode, 2, size)
	var path []int32 // nodes of the text before
	text, root := "", int32(-1)
	for _, id := range ids {
		p := &patterns[id]
		same := 0
		if r := rooted(p); r != root {
			root, path = r, append(path[:0], r)
		} else {
			for same < min(len(text), len(p.text)) && text[same] == p.text[same] {
				same++
			}
			path = path[:same+1]
		}
		for i := same; i < len(p.text); i++ {
			s, n := path[i], int32(len(trie))
			trie = append(trie, trieNode{sibling: trie[s].child, class: a.class[p.text[i]], last: p.text[i]})
			trie[s].child = n
			path = append(path, n)
		}
		text = p.text
		s := path[len(path)-1]
		if n := &trie[s]; p.closed {
			n.closed = append(n.closed, id)
		} else {
			n.open = append(n.open, id)
		}
	}
	return trie
}

func wordByte(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' }

// begin gives the state in which a search of text from i begins.
func (a *automaton) begin(text []byte, i int) uint32 {
	if i > 0 && wordByte(text[i-1]) && !escapedBreak(text, i) {
		return a.inside
	}
	if i > 0 && text[i-1] == '\\' {
		return 2 << a.shift
	}
	return a.outside
}

// escapedBreak reports that text[:i] ends with an escaped line break or tab, as
// JSON writes them.
func escapedBreak(text []byte, i int) bool {
	if i < 2 || text[i-2] != '\\' {
		return false
	}
	c := foldByte(text[i-1])
	return c == 'n' || c == 'r' || c == 't'
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
		h[0] = a.from(h[0], text, 0, a.outside)
		return
	}
	q := len(text) / 4
	t0, t1, t2, t3 := text[:q], text[q:2*q], text[2*q:3*q], text[3*q:4*q]
	t1, t2, t3 = t1[:len(t0)], t2[:len(t0)], t3[:len(t0)]
	s0, s1, s2, s3 := a.outside, a.begin(text, q), a.begin(text, 2*q), a.begin(text, 3*q)
	delta, class := a.delta, &a.class
	for i := 0; i < len(t0); i++ {
		// Nothing is called in the inner loop, and the states before a step are kept in
		// memory, so that all else stays in registers.
		var before [4]uint32
		for ; i < len(t0); i++ {
			before[0], before[1], before[2], before[3] = s0, s1, s2, s3
			s0 = delta[s0+uint32(class[t0[i]])]
			s1 = delta[s1+uint32(class[t1[i]])]
			s2 = delta[s2+uint32(class[t2[i]])]
			s3 = delta[s3+uint32(class[t3[i]])]
			if (s0|s1|s2|s3)&matchFlag != 0 {
				break
			}
		}
		now := [4]uint32{s0, s1, s2, s3}
		for m := s0>>30 | s1>>30<<2 | s2>>30<<4 | s3>>30<<6; m != 0; { // two bits a cursor
			k := bits.TrailingZeros32(m) >> 1 & 3
			h[k] = append(h[k], hit{int32(k*q + i), before[k], now[k]})
			m &^= 3 << (2 * k)
		}
		s0, s1, s2, s3 = s0&^matchFlag, s1&^matchFlag, s2&^matchFlag, s3&^matchFlag
	}
	// What begins in one quarter and ends in the next: follow each cursor on until
	// its state holds nothing that began before the border. The next quarter's own
	// cursor found what began behind it.
	h[0] = a.over(h[0], text, q, s0)
	h[1] = a.over(h[1], text, 2*q, s1)
	h[2] = a.over(h[2], text, 3*q, s2)
	h[3] = a.from(h[3], text, 4*q, s3)
}

func (a *automaton) from(hits []hit, text []byte, from int, s uint32) []hit {
	for i := from; i < len(text); i++ {
		n := a.delta[s+uint32(a.class[text[i]])]
		if n&matchFlag != 0 {
			hits = append(hits, hit{int32(i), s, n})
		}
		s = n &^ matchFlag
	}
	return append(hits, hit{int32(len(text)), s, closedFlag}) // what ends with the text
}

// over follows a cursor across the border at from. It reports hits whose longest
// literal began before the border; shorter ones inside such a hit may be reported
// by the next cursor too; the detector drops what it has seen.
func (a *automaton) over(hits []hit, text []byte, from int, s uint32) []hit {
	n := 0 // bytes behind the border that the state's string may hold
	for i := from; ; i++ {
		if int(a.depth[s>>a.shift]) <= n {
			return hits
		}
		if i == len(text) {
			return append(hits, hit{int32(i), s, closedFlag})
		}
		b := text[i]
		next := a.delta[s+uint32(a.class[b])]
		if a.fold[b] != ' ' || next&^matchFlag != s {
			n++
		}
		if next&matchFlag != 0 {
			hits = append(hits, hit{int32(i), s, next})
		}
		s = next &^ matchFlag
	}
}

// began gives the offset at which literal lit begins in text, folded so, when it ends at end.
// It reports false when text does not hold it there.
func began(fold *[256]byte, text []byte, lit string, end int) (int, bool) {
	i := end
	for k := len(lit) - 1; k >= 0; k-- {
		if i == 0 || fold[text[i-1]] != lit[k] {
			return 0, false
		}
		i--
		if lit[k] == ' ' {
			for i > 0 && fold[text[i-1]] == ' ' {
				i--
			}
		}
	}
	return i, true
}
