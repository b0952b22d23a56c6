package classify

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// recogniser is one kind of identifier with a fixed shape: a national id, a bank
// routing number, a health id. Shape alone decides nothing: the check and the words
// around the value give the score.
type recogniser struct {
	entity string
	// shapes are separated by spaces, each with its score without context words:
	// "D3-D2-D4:.8". D and L are runs of digits and letters, X an either-or of n
	// characters; "_" is a space; "-", ".", "/", "+" stand for themselves.
	shapes  string
	check   func(b []byte) bool // b: letters (upper case) and digits alone
	proved  bool                // check is a checksum or a structure that chance seldom fits
	context float64             // score with a context word
	failed  float64             // score with a context word where the check fails; 0: silent
	words   string              // context words, comma-separated, lower case
	weak    bool                // the check passes too often to stand alone
	upper   bool                // letters must be upper case where no context word stands
}

// allRecognisers is every shape recogniser. A new one is a file with a variable and
// its name here.
var allRecognisers = []*recogniser{
	&usSSN, &usITIN, &usNPI, &usABA, &usMBI, &usDEA, &usPassport,
	&ukNHS, &ukNINO, &ukDriving,
	&deTaxID, &deSocial, &deHealth, &deVAT,
	&frNIR, &esNIF, &esNIE, &itFiscal, &itVAT, &nlBSN, &beNRN, &plPESEL, &plNIP, &ptNIF, &iePPSN,
	&sePersonnummer, &fiHETU, &dkCPR, &noFNR, &chAHV, &czRC, &roCNP, &hrOIB, &grAMKA, &trTCKN,
	&inAadhaar, &inPAN, &inGSTIN, &inVoter,
	&auTFN, &auABN, &auACN, &auMedicare, &caSIN, &brCPF, &brCNPJ, &mxCURP, &mxRFC, &clRUT,
	&sgNRIC, &jpMyNumber, &krRRN, &krFRN, &krBRN, &krDriver, &krPassport, &zaID, &cnID, &thTNIN, &twID, &ruSNILS, &ilID,
	&phoneContext, &notPhone, &birthContext, &versionContext, &hostContext, &cardContext, &geoContext, &placeContext, &healthContext, &macContext, &mailContext,
}

type ctxBits [2]uint64

func (b ctxBits) has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }
func (b *ctxBits) set(i int)     { b[i>>6] |= 1 << (i & 63) }
func (b ctxBits) or(c ctxBits) ctxBits {
	return ctxBits{b[0] | c[0], b[1] | c[1]}
}

// shapeTable is the compiled form of allRecognisers: a trie over runs and separators,
// and the context words of all of them.
type shapeTable struct {
	first [256]int32 // symbols with which a shape can begin → node
	next  [][]shapeStep
	ends  [][]shapeEnd
	// Context words by their hash, and phrases by the hashes of their words. 64 bits make
	// two words of one hash a matter of theory.
	seen  [1 << 10]uint64 // one bit for every hash: most words are none of ours
	words map[uint64]ctxBits
	dense map[[3]byte][]dense // words of scripts without spaces, by their first letter
}

type shapeStep struct {
	sym byte
	to  int32
}

type shapeEnd struct {
	rec  int
	bare float64
}

func (t *shapeTable) step(node int32, sym byte) int32 {
	for _, s := range t.next[node] {
		if s.sym == sym {
			return s.to
		}
	}
	return 0
}

func (t *shapeTable) addWords(phrase string, bits ctxBits) {
	if r, _ := utf8.DecodeRuneInString(phrase); isDense(r) {
		k := [3]byte([]byte(phrase)[:3])
		t.dense[k] = append(t.dense[k], dense{[]byte(phrase), bits})
		return
	}
	var h uint64
	for _, w := range strings.FieldsFunc(phrase, func(r rune) bool { return r < utf8.RuneSelf && !is(byte(r), cAlpha) }) {
		k := uint64(wordSeed)
		for i := 0; i < len(w); i++ {
			k = wordHash(k, lowerByte[w[i]])
		}
		h = phraseHash(h, k)
	}
	t.words[h] = t.words[h].or(bits)
	t.seen[h>>10&1023] |= 1 << (h & 63)
}

const wordSeed = 0x9E3779B97F4A7C15

func wordHash(h uint64, c byte) uint64 { return (h ^ uint64(c)) * 0x100000001B3 }

// phraseHash adds a word to the words before it; 0: there are none.
func phraseHash(before, word uint64) uint64 {
	h := (before*0xBF58476D1CE4E5B9 + word) * 0x94D049BB133111EB
	return h ^ h>>31
}

type dense struct {
	word []byte
	bits ctxBits
}

const (
	symDigits  = 0  // + run length
	symLetters = 64 // + run length
	maxRun     = 40
	symSep     = 128 // + index in shapeSeps
	shapeSeps  = " -./+"
)

var shapesOnce = sync.OnceValue(func() *shapeTable {
	t := &shapeTable{words: map[uint64]ctxBits{}, dense: map[[3]byte][]dense{}}
	grow := func() int32 {
		t.next, t.ends = append(t.next, nil), append(t.ends, nil)
		return int32(len(t.next) - 1)
	}
	grow() // the root
	if len(allRecognisers) > 128 {
		panic("classify: more recognisers than context bits")
	}
	for i, r := range allRecognisers {
		for _, sh := range strings.Fields(r.shapes) {
			pattern, score, ok := strings.Cut(sh, ":")
			var bare float64
			if _, err := fmt.Sscanf(score, "%g", &bare); !ok || err != nil {
				panic("classify: shape " + sh + " of " + r.entity)
			}
			for _, symbols := range expandShape(pattern) {
				n := int32(0)
				for i, sym := range symbols {
					to := t.step(n, sym)
					if to == 0 {
						to = grow()
						t.next[n] = append(t.next[n], shapeStep{sym, to})
					}
					if n = to; i == 0 {
						t.first[sym] = n
					}
				}
				t.ends[n] = append(t.ends[n], shapeEnd{i, bare})
			}
		}
		for _, w := range strings.Split(r.words, ",") {
			w = strings.TrimSpace(w)
			if w == "" {
				continue
			}
			var b ctxBits
			b.set(i)
			t.addWords(w, b)
			// Capitals that are not ASCII are not folded when words are looked up.
			if r, n := utf8.DecodeRuneInString(w); unicode.ToUpper(r) != r && strings.ToUpper(w) != upperASCII(w) {
				t.addWords(string(unicode.ToUpper(r))+w[n:], b)
				t.addWords(strings.ToUpper(w), b)
			}
		}
	}
	return t
})

// upperASCII writes the ASCII letters of a word as capitals.
func upperASCII(w string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - ('a' - 'A')
		}
		return r
	}, w)
}

func isDense(r rune) bool {
	return r >= 0x0E00 && r <= 0x0E7F || r >= 0x2E80 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || r >= 0x3040 && r <= 0x30FF
}

// expandShape turns a pattern into symbol sequences; each X doubles them.
func expandShape(p string) [][]byte {
	type part struct {
		c byte
		n int
	}
	var parts []part
	for i := 0; i < len(p); {
		c := p[i]
		i++
		if c != 'D' && c != 'L' && c != 'X' {
			parts = append(parts, part{c, 0})
			continue
		}
		n := 0
		for i < len(p) && p[i] >= '0' && p[i] <= '9' {
			n = n*10 + int(p[i]-'0')
			i++
		}
		if n == 0 {
			panic("classify: shape " + p)
		}
		if c == 'X' {
			for range n {
				parts = append(parts, part{'X', 1})
			}
			continue
		}
		parts = append(parts, part{c, n})
	}
	variants := [][]part{nil}
	for _, q := range parts {
		var next [][]part
		for _, v := range variants {
			if q.c == 'X' {
				next = append(next, append(v[:len(v):len(v)], part{'D', 1}), append(v[:len(v):len(v)], part{'L', 1}))
			} else {
				next = append(next, append(v[:len(v):len(v)], q))
			}
		}
		variants = next
	}
	var out [][]byte
	for _, v := range variants {
		var merged []part
		for _, q := range v {
			if n := len(merged); n > 0 && merged[n-1].c == q.c && q.n > 0 {
				merged[n-1].n += q.n
				continue
			}
			merged = append(merged, q)
		}
		var s []byte
		for _, q := range merged {
			switch q.c {
			case 'D':
				s = append(s, byte(symDigits+q.n))
			case 'L':
				s = append(s, byte(symLetters+q.n))
			case '_':
				s = append(s, symSep)
			default:
				i := strings.IndexByte(shapeSeps, q.c)
				if i < 0 {
					panic("classify: shape " + p)
				}
				s = append(s, byte(symSep+i))
			}
		}
		out = append(out, s)
	}
	return out
}

// shaped looks for identifiers that begin at a token. It walks runs of letters and
// digits down the shape tree; most tokens end at the first step.
func (s *scan) shaped(start int) {
	tab := s.shapes
	b := &s.shapeBuf // not on the stack: checks are function values
	n, i, node := 0, start, int32(0)
	lower := false
	for {
		// One run.
		from := i
		digit := is(s.at(i), cDigit)
		mask := uint8(cAlpha)
		if digit {
			mask = cDigit
		}
		for i < len(s.text) && is(s.text[i], mask) {
			if n == len(b) {
				return
			}
			c := s.text[i]
			if is(c, cLower) {
				lower = true
				c -= 'a' - 'A'
			}
			b[n] = c
			n++
			i++
		}
		run := i - from
		if run == 0 || run > maxRun {
			return
		}
		sym := byte(symDigits + run)
		if !digit {
			sym = byte(symLetters + run)
		}
		if node == 0 {
			node = tab.first[sym]
		} else {
			node = tab.step(node, sym)
		}
		if node == 0 {
			return
		}
		if ends := tab.ends[node]; len(ends) > 0 && s.endsAt(i) {
			for _, e := range ends {
				s.tryShape(e, b[:n], start, i, lower)
			}
		}
		if is(s.at(i), cAlnum) {
			continue
		}
		var sep int
		switch s.at(i) {
		case ' ':
			sep = 0
		case '-':
			sep = 1
		case '.':
			sep = 2
		case '/':
			sep = 3
		case '+':
			sep = 4
		default:
			return
		}
		if node = tab.step(node, byte(symSep+sep)); node == 0 {
			return
		}
		i++
	}
}

// startsAt reports whether an identifier may begin at i: nothing that joins it to what
// stands before.
func (s *scan) startsAt(i int) bool {
	p := s.at(i - 1)
	switch {
	case is(p, cAlnum):
		return s.at(i-2) == '\\' && (p == 'n' || p == 't' || p == 'r') // an escaped line end in quoted text
	case p == '-' || p == '.' || p == '/' || p == '_' || p == '+' || p == '@' || p == '%':
		return !is(s.at(i-2), cAlnum) && s.at(i-2) != p && !(p == '.' || p == '_' || p == '@')
	case p == '$' || p == '\\':
		return false
	}
	return true
}

// endsAt reports whether an identifier may end before i.
func (s *scan) endsAt(i int) bool {
	c := s.at(i)
	switch {
	case is(c, cAlnum), c == '_', c == '@', c == '%':
		return false
	case c == '-' || c == '.' || c == '/' || c == '+' || c == ':' || c == ',':
		return !is(s.at(i+1), cDigit) && (c == ',' || c == ':' || c == '.' && !is(s.at(i+1), cLower) || c != '.' && !is(s.at(i+1), cAlpha))
	}
	return true
}

func (s *scan) tryShape(e shapeEnd, b []byte, start, end int, lower bool) {
	r := allRecognisers[e.rec]
	ok := r.check == nil || r.check(b)
	if !ok && r.failed == 0 {
		return
	}
	near, far := s.context(start, end)
	score := 0.0
	switch {
	case near.has(e.rec):
		score = r.context
	case far.has(e.rec):
		score = r.context - 0.1
	case s.joined:
		return
	case !ok || lower && r.upper && !s.alone(start, end):
		return
	default:
		score = e.bare
		if r.proved && !r.weak && score < 0.5 && s.alone(start, end) {
			score = 0.55 // a value on its own, as in a form field: the checksum has to do
		}
	}
	if !ok {
		score = min(score, r.failed)
	}
	if score > 0 {
		s.add(hit{typ: r.entity, start: start, end: end, score: score, valid: ok && r.proved})
	}
}

// alone reports whether the span is all there is, but for space and quotes.
func (s *scan) alone(start, end int) bool {
	return len(bytes.Trim(s.text[:start], " \t\r\n\"'")) == 0 && len(bytes.Trim(s.text[end:], " \t\r\n\"'.")) == 0
}

const (
	contextBefore = 80
	contextNear   = 36
	contextAfter  = 28
)

// context gives the recognisers whose words stand around a span: near it, and further
// off. The result is kept, for several recognisers ask about one value.
func (s *scan) context(start, end int) (near, far ctxBits) {
	if s.ctxStart == start && s.ctxEnd == end && s.ctxKept {
		return s.ctxNear, s.ctxFar
	}
	s.ctxKept, s.ctxStart, s.ctxEnd = true, start, end
	from := max(0, start-contextBefore)
	near, far = s.wordsIn(from, start, start-contextNear)
	n2, f2 := s.wordsIn(end, min(len(s.text), end+contextAfter), end)
	_ = f2
	s.ctxNear, s.ctxFar = near, far.or(n2)
	return s.ctxNear, s.ctxFar
}

// wordsIn looks up the words of a window and the pairs and triples of neighbours. Words
// that end at or behind nearFrom count as near.
func (s *scan) wordsIn(from, to, nearFrom int) (near, far ctxBits) {
	tab, t := s.shapes, s.text
	var before, two uint64 // hashes of the word before, and of the two before as a phrase
	look := func(h uint64, at int) {
		if tab.seen[h>>10&1023]>>(h&63)&1 == 0 {
			return
		}
		if b, ok := tab.words[h]; ok {
			if at >= nearFrom {
				near = near.or(b)
			} else {
				far = far.or(b)
			}
		}
	}
	i := from
	for i > 0 && i < to && is(t[i], cAlpha) && is(t[i-1], cAlpha) {
		i++ // half a word
	}
	dense := false
	for i < to {
		if !is(t[i], cAlpha|cHigh) {
			i++
			continue
		}
		h := uint64(wordSeed)
		lowerCase := false
		for i < to {
			c := t[i]
			k := class[c]
			if k&(cAlpha|cHigh) == 0 || k&cUpper != 0 && lowerCase { // camelCase
				break
			}
			lowerCase = k&cLower != 0
			dense = dense || c >= 0xE0
			h = wordHash(h, lowerByte[c])
			i++
		}
		one := phraseHash(0, h)
		look(one, i)
		if before != 0 {
			pair := phraseHash(before, h)
			look(pair, i)
			if two != 0 {
				look(phraseHash(two, h), i)
			}
			two = pair
		}
		before = one
	}
	if dense {
		for i := from; i+3 <= to; i++ {
			if t[i] < 0xE0 {
				continue
			}
			for _, d := range tab.dense[[3]byte(t[i:i+3])] {
				if bytes.HasPrefix(t[i:to], d.word) {
					near = near.or(d.bits)
				}
			}
		}
	}
	return near, far
}
