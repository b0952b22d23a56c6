package detect

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// lexicon finds every literal of ASCII bytes in a text by the words of the text, not by
// its bytes. An automaton over all these literals is a table of seventeen megabytes, of which
// one cell is read for each byte of a text, each where the one before says.
//
// Words, and pairs of them, are asked for in filters while they are cut ([index.fill]). Few
// pass. Those are looked up in a dictionary, and phrases are followed from word to word. The few
// literals that may begin inside a word are left to a small automaton. What both find is what one
// automaton would find of all: the tests compare them.
type lexicon struct {
	fold [256]byte // foldByte, and a space for signs that no literal holds

	// Words that may be literals, words that may begin with one, pairs of words that a phrase may
	// begin with.
	words, stems, pairs filter

	// The words, see wordKey; a word's number is the one of its node. Most words are literals and
	// no more, unless a phrase begins with them: what they mean stands beside their number, and 1
	// more.
	vocabulary finder
	spelt      []string // words by their number
	longest    int      // of them, in bytes
	nodes      []lexNode
	edges      finder // see edgeKey
	ends       []lexEnd
	tails      []tail
	heads      hashTable // the first letters → number of a list of begun
	begun      [][]tail
}

// lexNode is what words in a row are: a literal, the beginning of literals, or both.
type lexNode struct {
	ends, tails struct{ from, to int32 }
	leads       bool // to further words
}

// lexEnd is a literal that ends with a node.
type lexEnd struct {
	means  int32
	closed bool // it must end where a word ends
}

// tail is the rest of a literal behind its last whole word; of one that is less than a word,
// all of it.
type tail struct {
	text string
	lexEnd
}

// filter is a set of hashes, which holds now and then what was not put into it.
type filter [1 << filterBits >> 6]uint64

// filterBits: a smaller filter lets more through, each of which costs more than to wait for a larger
// one.
const filterBits = 18

func (f *filter) has(hash uint64) bool {
	h := hash >> (64 - filterBits)
	return f[h>>6]&(1<<(h&63)) != 0
}

func (f *filter) add(hash uint64) {
	h := hash >> (64 - filterBits)
	f[h>>6] |= 1 << (h & 63)
}

// What may begin with a word.
const (
	mayWord = 1 << iota
	mayStem
	mayPhrase
	mayKinds = iota
)

// stemLetters is how many letters beginnings of words are found by.
const stemLetters = 4

func stemKey(head uint64) uint64 { return head & math.MaxUint32 }

// hashTable finds numbers from 1 on by their keys.
type hashTable struct {
	slots []hashSlot
	n     int
	shift uint
}

type hashSlot struct {
	key   uint64
	value uint32 // 0: the slot is free
	sole  int32  // see lexicon.vocabulary
}

func newHashTable() hashTable { return hashTable{slots: make([]hashSlot, 2), shift: 63} }

// slot gives the slot of a key, or the free one where it belongs.
func (t *hashTable) slot(key uint64) *hashSlot {
	for i := key * gateOne >> (t.shift & 63); ; i++ {
		if s := &t.slots[i&uint64(len(t.slots)-1)]; s.key == key || s.value == 0 {
			return s
		}
	}
}

// get gives the number of a key; 0: it has none.
func (t *hashTable) get(key uint64) uint32 {
	if s := t.slot(key); s.key == key {
		return s.value
	}
	return 0
}

// put gives a key a number, and makes room before three of four slots are taken.
func (t *hashTable) put(key uint64, value uint32) {
	if t.n++; 4*t.n >= 3*len(t.slots) {
		old := t.slots
		t.slots = make([]hashSlot, max(16, 2*len(old)))
		t.shift = uint(64 - bits.TrailingZeros(uint(len(t.slots))))
		for _, s := range old {
			if s.value != 0 {
				*t.slot(s.key) = s
			}
		}
	}
	*t.slot(key) = hashSlot{key: key, value: value}
}

// finder finds what a [hashTable] holds, none of whose keys it lacks, at the first place where it
// looks: keys that would meet are moved together until none does ("Hash, displace, and compress",
// Belazzouga, Botelho and Dietzfelbinger, 2009). How long it would look elsewhere hangs on the text, and
// a processor that foresees it wrongly loses more time than the look-up takes.
type finder struct {
	slots        []hashSlot
	moves        []uint16
	shift, group uint
}

// newFinder places what a table holds.
func newFinder(t *hashTable) (f finder) {
	for size := max(16, len(t.slots)); ; size *= 2 {
		n := uint(bits.TrailingZeros(uint(size)))
		f = finder{make([]hashSlot, size), make([]uint16, size/8), 64 - n, 64 - n + 3}
		groups := make([][]hashSlot, len(f.moves))
		for _, s := range t.slots {
			if s.value != 0 {
				g := s.key * gateOne >> f.group
				groups[g] = append(groups[g], s)
			}
		}
		order := make([]int, len(groups))
		for g := range order {
			order[g] = g
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(groups[b]), len(groups[a])) })
		if !slices.ContainsFunc(order, func(g int) bool { return !f.place(g, groups[g]) }) {
			return f
		}
	}
}

// place finds a move that takes all keys of a group to free slots.
func (f *finder) place(group int, keys []hashSlot) bool {
	for move := range 1 << 16 {
		f.moves[group] = uint16(move)
		placed := 0
		for _, k := range keys {
			if s := f.slot(k.key); s.value == 0 {
				*s = k
				placed++
				continue
			}
			break
		}
		if placed == len(keys) {
			return true
		}
		for _, k := range keys[:placed] {
			*f.slot(k.key) = hashSlot{}
		}
	}
	return false
}

// slot gives where a key is if it is anywhere. No key is nought.
func (f *finder) slot(key uint64) *hashSlot {
	h := key * gateOne
	h ^= uint64(f.moves[h>>(f.group&63)&uint64(len(f.moves)-1)]) * gateTwo
	return &f.slots[h*gateThree>>(f.shift&63)&uint64(len(f.slots)-1)]
}

// get gives the number of a key; 0: it has none.
func (f *finder) get(key uint64) uint32 {
	if s := f.slot(key); s.key == key {
		return s.value
	}
	return 0
}

// wordKey is a word of at most eight letters itself, and the hash of a longer one, which is
// never a short word. Head is its beginning, padded.
func wordKey(text []byte, at, n int, head uint64) uint64 {
	if n <= 8 {
		return head
	}
	for i := 8; i < n; i += 8 {
		head = mixHash(head, padded(eight(text, at+i), n-i))
	}
	return head | 1<<63
}

// eight reads eight bytes of text, as far as there are so many.
func eight(text []byte, at int) uint64 {
	if at+8 <= len(text) {
		return binary.LittleEndian.Uint64(text[at:])
	}
	return firstBytes(text, at, len(text))
}

// edgeKey stands for the next word of a phrase: what lies between is a space or one sign.
func edgeKey(node uint32, between byte, word uint32) uint64 {
	return uint64(node)<<32 | uint64(between)<<24 | uint64(word)
}

// newLexicon builds a lexicon of ASCII literals. Left are those that it cannot find.
func newLexicon(lits []literal, fold [256]byte) (l *lexicon, left []literal) {
	l = &lexicon{fold: fold, spelt: []string{""}}
	l.heads = newHashTable()
	words := newHashTable()
	l.begun = [][]tail{nil} // numbers begin with 1
	var phrases []phrase
	for i := range lits {
		x := &lits[i]
		end := lexEnd{x.means, !x.openEnd}
		ok := false
		if !x.openStart && strings.IndexByte(x.text, '\\') < 0 {
			p := cutPhrase(x.text, x.openEnd)
			if p.tail.lexEnd = end; len(p.words) == 0 {
				ok = l.addStem(p.tail)
			} else if ok = l.number(&p, &words); ok {
				phrases = append(phrases, p)
			}
		}
		if !ok {
			left = append(left, *x)
		}
	}
	l.addPhrases(phrases, &words)
	return l, left
}

// phrase is a literal cut into whole words, what lies between them, and the tail.
type phrase struct {
	words   []string
	between []byte
	tail    tail
	numbers []uint32 // of the words
}

// cutPhrase cuts a literal that begins with a word. Where more than one sign lies between two
// words all that follows belongs to the tail, and so does a last word that may go on.
func cutPhrase(text string, open bool) (p phrase) {
	for {
		n := 0
		for n < len(text) && wordByte(text[n]) {
			n++
		}
		if n == len(text) && open {
			break
		}
		p.words = append(p.words, text[:n])
		if text = text[n:]; len(text) < 2 || wordByte(text[0]) || !wordByte(text[1]) {
			p.tail.text = text
			return p
		}
		p.between, text = append(p.between, text[0]), text[1:]
	}
	// The last word is open.
	p.tail.text = text
	if k := len(p.words) - 1; k >= 0 {
		p.tail.text = string(p.between[k]) + text
		p.between = p.between[:k]
	}
	return p
}

// number numbers the words of a phrase, and notes them. It reports false for one that cannot be told
// apart by its key.
func (l *lexicon) number(p *phrase, words *hashTable) bool {
	for _, w := range p.words {
		b := []byte(w)
		key := wordKey(b, 0, len(b), padded(eight(b, 0), len(b)))
		n := words.get(key)
		if n == 0 {
			n = uint32(len(l.spelt))
			words.put(key, n)
			l.spelt = append(l.spelt, w)
			l.longest = max(l.longest, len(w))
		}
		if l.spelt[n] != w {
			return false
		}
		p.numbers = append(p.numbers, n)
	}
	return true
}

// addPhrases makes the nodes of phrases, whose words are numbered.
func (l *lexicon) addPhrases(phrases []phrase, words *hashTable) {
	l.nodes = make([]lexNode, len(l.spelt))
	edges := newHashTable()
	type end struct {
		node uint32
		tail // empty: the literal ends with the node
	}
	var ends []end
	for i := range phrases {
		p := &phrases[i]
		node := p.numbers[0]
		switch {
		case len(p.words) == 1 && p.tail.text != "":
			l.addTail(p.words[0], p.tail)
		case len(p.words) == 1:
			head, _ := hashesOf(p.words[0])
			l.words.add(head * gateTwo)
		default:
			_, one := hashesOf(p.words[0])
			_, two := hashesOf(p.words[1])
			l.pairs.add(pairHash(one, two))
		}
		for k, word := range p.numbers[1:] {
			l.nodes[node].leads = true
			key := edgeKey(node, p.between[k], word)
			next := edges.get(key)
			if next == 0 {
				next = uint32(len(l.nodes))
				l.nodes = append(l.nodes, lexNode{})
				edges.put(key, next)
			}
			node = next
		}
		ends = append(ends, end{node, p.tail})
	}
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.node, b.node) })
	for _, e := range ends {
		n := &l.nodes[e.node]
		if e.tail.text == "" {
			if n.ends.to == 0 {
				n.ends.from = int32(len(l.ends))
			}
			l.ends = append(l.ends, e.lexEnd)
			n.ends.to = int32(len(l.ends))
			continue
		}
		if n.tails.to == 0 {
			n.tails.from = int32(len(l.tails))
		}
		l.tails = append(l.tails, e.tail)
		n.tails.to = int32(len(l.tails))
	}
	for i := range words.slots {
		s := &words.slots[i]
		if n := &l.nodes[s.value]; n.ends.to-n.ends.from == 1 && n.tails.to == 0 && l.ends[n.ends.from].closed {
			s.sole = l.ends[n.ends.from].means + 1
		}
	}
	l.vocabulary, l.edges = newFinder(words), newFinder(&edges)
}

// hashesOf gives the first letters of a word, padded, and what the gate sees of it.
func hashesOf(word string) (head, gate uint64) {
	b := []byte(word)
	head = padded(eight(b, 0), len(b))
	return head, gateHash(head, len(b))
}

// addStem adds the beginning of words: all words are noted that may begin so.
func (l *lexicon) addStem(t tail) bool {
	if len(t.text) < stemLetters {
		return false
	}
	for _, h := range stemHashes(t.text) {
		l.stems.add(h)
	}
	head, _ := hashesOf(t.text)
	head = stemKey(head)
	n := l.heads.get(head)
	if n == 0 {
		n = uint32(len(l.begun))
		l.heads.put(head, n)
		l.begun = append(l.begun, nil)
	}
	l.begun[n] = append(l.begun[n], t)
	return true
}

// stemHashes gives what the gate may see of words that begin so: it sees five letters of a word and
// whether there are more.
func stemHashes(begin string) (hashes []uint64) {
	longer := []string{begin}
	for n := len(begin); n <= stemBytes; n++ {
		for _, w := range longer {
			for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789") {
				longer = append(longer, w+string(c))
			}
		}
	}
	for _, w := range longer {
		_, gate := hashesOf(w)
		hashes = append(hashes, gate)
	}
	return hashes
}

// addTail notes a word with a tail in a filter: with the word that stands in the tail, if one does.
// Many texts hold "to", few "to account".
func (l *lexicon) addTail(word string, t tail) {
	head, gate := hashesOf(word)
	from := strings.IndexFunc(t.text, func(r rune) bool { return wordByte(byte(r)) })
	to := from
	for to >= 0 && to < len(t.text) && wordByte(t.text[to]) {
		to++
	}
	open := to == len(t.text) && !t.closed
	if from < 0 || open && to-from < stemLetters {
		l.words.add(head * gateTwo)
		return
	}
	next := []uint64{0}
	if _, next[0] = hashesOf(t.text[from:to]); open {
		next = stemHashes(t.text[from:to])
	}
	for _, h := range next {
		l.pairs.add(pairHash(gate, h))
	}
}

// search appends what is found in a text, whose words are in x.
func (l *lexicon) search(occ []occurrence, text []byte, x *index) []occurrence {
	// First all words are looked up, none of which waits for another.
	x.known = grown(x.known, len(x.likely))
	for i, c := range x.likely {
		k := int(c >> mayKinds)
		at, end := x.at(k)
		x.known[i] = l.word(text, at, end-at, x.words[k].head)
	}
	for i := len(x.likely) - 1; i >= 0; i-- {
		c, word := x.likely[i], x.known[i]
		if word.number == 0 && c&mayStem == 0 {
			continue
		}
		k := int(c >> mayKinds)
		at, end := x.at(k)
		if at > 0 {
			switch b := text[at-1]; {
			case b >= utf8.RuneSelf && wordBefore(text, at), b == '\\' && isBreak(text[at]):
				continue // inside of a word; behind an escaped line break
			}
		}
		if c&mayStem != 0 {
			occ = l.stem(occ, text, at, x.words[k].head)
		}
		if word.sole > 0 && c&mayPhrase == 0 {
			if end == len(text) || text[end] < utf8.RuneSelf || !wordAt(text, end) {
				occ = append(occ, occurrence{word.sole - 1, int32(at), int32(end)})
			}
			continue
		}
		occ = l.phrase(occ, text, x, k, at, word.number, c&mayPhrase != 0)
	}
	// A word of the text that begins with an escaped line break, as JSON has them, is a letter shorter.
	for i := bytes.IndexByte(text, '\\'); i >= 0; {
		if at := i + 2; at < len(text) && isBreak(text[i+1]) && wordByte(text[at]) && !wordBefore(text, at) {
			k := x.before(at) - 1
			_, end := x.at(k)
			n := end - at
			head := padded(eight(text, at), n)
			occ = l.stem(occ, text, at, head)
			occ = l.phrase(occ, text, x, k, at, l.word(text, at, n, head).number, true)
		}
		n := bytes.IndexByte(text[i+1:], '\\')
		if i += 1 + n; n < 0 {
			break
		}
	}
	return occ
}

// isBreak reports the second byte of an escaped line break or tab.
func isBreak(b byte) bool { b = foldByte(b); return b == 'n' || b == 'r' || b == 't' }

// stem appends the beginnings of words that the word at text[at] has.
func (l *lexicon) stem(occ []occurrence, text []byte, at int, head uint64) []occurrence {
	for _, t := range l.begun[l.heads.get(stemKey(head))] {
		if end := l.matches(text, at, t.text); end >= 0 && !t.inWord(text, end) {
			occ = append(occ, occurrence{t.means, int32(at), int32(end)})
		}
	}
	return occ
}

// phrase appends what begins at text[at], in word k, which has the number; with more also what
// goes on with the next word.
func (l *lexicon) phrase(occ []occurrence, text []byte, x *index, k, at int, number uint32, more bool) []occurrence {
	for node := number; node != 0; {
		n := &l.nodes[node]
		_, end := x.at(k)
		for _, e := range l.ends[n.ends.from:n.ends.to] {
			if !e.inWord(text, end) {
				occ = append(occ, occurrence{e.means, int32(at), int32(end)})
			}
		}
		for _, t := range l.tails[n.tails.from:n.tails.to] {
			if end := l.matches(text, end, t.text); end >= 0 && !t.inWord(text, end) {
				occ = append(occ, occurrence{t.means, int32(at), int32(end)})
			}
		}
		if k++; !more || !n.leads || k == len(x.words) {
			break
		}
		next, to := x.at(k)
		between := l.fold[text[end]]
		for i := end + 1; i < next; i++ {
			if between != ' ' || l.fold[text[i]] != ' ' {
				return occ
			}
		}
		word := l.word(text, next, to-next, x.words[k].head).number
		if word == 0 {
			break
		}
		node = l.edges.get(edgeKey(node, between, word))
	}
	return occ
}

// lexWord is what the vocabulary says of a word; number 0: no literal holds it.
type lexWord struct {
	number uint32
	sole   int32
}

// word looks up a word of n letters.
func (l *lexicon) word(text []byte, at, n int, head uint64) lexWord {
	if n > 8 {
		if n > l.longest {
			return lexWord{}
		}
		head = wordKey(text, at, n, head)
	}
	slot := l.vocabulary.slot(head)
	if slot.key != head {
		return lexWord{}
	}
	if n > 8 {
		s := l.spelt[slot.value]
		if len(s) != n {
			return lexWord{}
		}
		for i := range n {
			if lowerASCII[text[at+i]] != s[i] {
				return lexWord{}
			}
		}
	}
	return lexWord{slot.value, slot.sole}
}

// inWord reports that a literal must not end where it does.
func (e lexEnd) inWord(text []byte, end int) bool {
	return e.closed && end < len(text) && wordAt(text, end)
}

// matches gives where a literal that begins at text[i] ends; -1: it is not there.
func (l *lexicon) matches(text []byte, i int, lit string) int {
	for k := 0; k < len(lit); k++ {
		if i >= len(text) || l.fold[text[i]] != lit[k] {
			return -1
		}
		i++
		for lit[k] == ' ' && i < len(text) && l.fold[text[i]] == ' ' {
			i++
		}
	}
	return i
}
