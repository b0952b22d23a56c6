package classify

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
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
	&phoneContext, &notPhone, &birthContext, &versionContext, &cardContext, &geoContext,
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
	next  map[uint32]int32 // node<<8 | symbol → node
	first [256]bool        // symbols with which a shape can begin
	ends  map[int32][]shapeEnd
	words map[string]ctxBits
	dense []dense // words of scripts without spaces
}

type shapeEnd struct {
	rec  int
	bare float64
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
	t := &shapeTable{next: map[uint32]int32{}, ends: map[int32][]shapeEnd{}, words: map[string]ctxBits{}}
	nodes := int32(1)
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
				t.first[symbols[0]] = true
				for _, sym := range symbols {
					k := uint32(n)<<8 | uint32(sym)
					if t.next[k] == 0 {
						t.next[k] = nodes
						nodes++
					}
					n = t.next[k]
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
			if r, _ := utf8.DecodeRuneInString(w); isDense(r) {
				t.dense = append(t.dense, dense{[]byte(w), b})
				continue
			}
			t.words[w] = t.words[w].or(b)
		}
	}
	return t
})

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
	var b [48]byte
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
		if node == 0 && !tab.first[sym] {
			return
		}
		next, ok := tab.next[uint32(node)<<8|uint32(sym)]
		if !ok {
			return
		}
		node = next
		if ends, ok := tab.ends[node]; ok && s.endsAt(i) {
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
		if next, ok = tab.next[uint32(node)<<8|uint32(symSep+sep)]; !ok {
			return
		}
		node = next
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
	tab := s.shapes
	var words [3]struct{ start, end int } // of buf
	var buf [160]byte
	n, count := 0, 0
	high := false
	flush := func(ws, at int) {
		if n == ws {
			return
		}
		words[0], words[1], words[2] = words[1], words[2], struct{ start, end int }{ws, n}
		count++
		for k := range min(count, 3) {
			if bits, ok := tab.words[string(buf[words[2-k].start:n])]; ok {
				if at >= nearFrom {
					near = near.or(bits)
				} else {
					far = far.or(bits)
				}
			}
		}
		if n < len(buf) {
			buf[n] = ' '
			n++
		}
	}
	ws := 0
	for i := from; i < to && n < len(buf)-1; i++ {
		c := s.text[i]
		switch {
		case is(c, cUpper):
			if n > ws && is(s.text[i-1], cLower) { // camelCase
				flush(ws, i)
				ws = n
			}
			buf[n] = c + 'a' - 'A'
			n++
		case is(c, cLower):
			buf[n] = c
			n++
		case c >= 0x80:
			high = true
			buf[n] = c
			n++
		default:
			if n > ws {
				flush(ws, i)
				ws = n
			}
		}
	}
	flush(ws, to)
	if high {
		for _, d := range tab.dense {
			if bytes.Contains(s.text[from:to], d.word) {
				near = near.or(d.bits)
			}
		}
	}
	return near, far
}
