package detect

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/view"
)

// Windows: sizes in bytes of folded text.
const (
	sentenceMin = 24
	sentenceMax = 240
	groupMax    = 600
	wholeMax    = 400

	// cluster is how far apart matches of rules may lie and still speak together.
	cluster = 600
)

// sentenceEnd reports that a sentence ends behind text[i].
func sentenceEnd(text []byte, i int) bool {
	switch text[i] {
	case '\n':
		return runsOn(text, i) == 0
	case '.', '!', '?':
		if i+1 >= len(text) {
			return true
		}
		switch c := text[i+1]; {
		case c == ' ', c == '\n', c == '\r', c == '\t', c == '"', c == '\'', c == ')', c == '<', c == '*':
			return true
		case c >= 0x80:
			return true // no space follows in scripts without spaces
		case text[i] != '.':
			return c != '=' && c != '!' && c != '?'
		default:
			return i > 0 && text[i-1] >= 0x80
		}
	}
	return false
}

// runsOn gives where the sentence goes on behind the line break text[i], if that was put into it to
// keep lines short; 0: it does not. A line ends within a sentence when nothing but a letter or
// a comma ends it, and a word in small letters, as prose has them, begins the next one behind white space and the signs of
// quoted mail and comments. It looks at the bytes nearby alone, so that it says the same of a part
// of the text. Scripts without small letters do not tell.
func runsOn(text []byte, i int) int {
	k := i + 1
	if text[i] == '\r' && k < len(text) && text[k] == '\n' {
		k++
	}
	j := i
	for j > 0 && i-j < lineEndMax && (text[j-1] == ' ' || text[j-1] == '\r') {
		j--
	}
	if j == 0 || !mayGoOn(text[:j]) {
		return 0
	}
	star := false
	for most := min(len(text), k+linePrefixMax); k < most; k++ {
		switch c := text[k]; {
		case c == ' ', c == '\t', c == '>', c == '#', c == '/':
			continue
		case c == '*' && !star && text[k-1] == ' ': // of a comment; one that begins a line begins an item
			star = true
			continue
		case c >= 'a' && c <= 'z':
		case c >= utf8.RuneSelf:
			if r, _ := utf8.DecodeRune(text[k:]); !unicode.IsLower(r) {
				return 0
			}
		default:
			return 0
		}
		if !wordOfProse(text[k:]) {
			return 0
		}
		return k
	}
	return 0
}

// Bounds of what runsOn looks at, in bytes: white space that ends a line, what stands in front of
// the first word of one, and that word.
const (
	lineEndMax    = 3
	linePrefixMax = 16
	lineWordMax   = 40
)

// mayGoOn reports that text ends with a letter or a comma.
func mayGoOn(text []byte) bool {
	c := text[len(text)-1]
	if c < utf8.RuneSelf {
		return c == ',' || lowerASCII[c] >= 'a' && lowerASCII[c] <= 'z'
	}
	r, _ := utf8.DecodeLastRune(text)
	return unicode.IsLetter(r)
}

// wordOfProse reports that a word begins text behind which stands what stands behind words of prose, and not of a program or
// in front of a value.
func wordOfProse(text []byte) bool {
	i := 0
	for i < len(text) && (text[i] >= utf8.RuneSelf || lowerASCII[text[i]] >= 'a' && lowerASCII[text[i]] <= 'z') {
		if i++; i > lineWordMax {
			return false
		}
	}
	if i == len(text) {
		return true
	}
	switch text[i] {
	case ' ', ',', ';', '\n', '\r', '\'', '-':
		return true
	case '.', '!', '?':
		return i+1 == len(text) || text[i+1] <= ' '
	}
	return false
}

// judge turns a node's candidates into findings and scores its windows.
func (s *scratch) judge(n *node, text []byte) {
	s.judgeRules(n, text)
	if s.ruled() {
		return // nothing that windows say changes the verdict, and the rules are the reason that people are shown
	}
	m := s.d.model
	if m == nil {
		if s.visit == nil {
			return
		}
		m = &blank
	}
	if n.beyond {
		s.pieces = m.gate.wide(s.pieces[:0], text, &s.words)
	} else {
		s.pieces = m.gate.run(s.pieces[:0], text, &s.words)
	}
	if n.depth == 0 {
		s.evidence.sentences += len(s.pieces)
	}
	s.weighCues()
	s.judgeWindows(n, text, m)
}

// judgeRules makes findings of the candidates. Rules of one family that match
// close together say the same thing once; different families add up.
func (s *scratch) judgeRules(n *node, text []byte) {
	s.voices = s.voices[:0]
	for i := range s.cands { // in order of where they begin
		c := &s.cands[i]
		start, end := n.v.Span(int(c.start), int(c.end))
		if n.depth > 0 && !n.hidden && s.unchanged(text[c.start:c.end], start, end) {
			c.weight = 0
			continue // the view above found it already
		}
		r := &s.d.rules[c.rule]
		p := r.weight
		if r.family == "delimiter-forgery" && s.discuss > 0 && n.depth == 0 {
			p *= 0.6 // what is written about models shows their templates
		}
		c.weight = s.inContext(n, text, int(c.start), int(c.end), p)
		if end <= s.carry {
			continue
		}
		s.voices = append(s.voices, voice{r.familyNo, c.start, c.weight})
		if deep := n.hidden || n.depth > 0; r.added || deep {
			s.evidence.firm = max(s.evidence.firm, c.weight)
		}
		s.evidence.rule(r.familyNo, r.weight, c.weight, n.hidden || n.depth > 0)
		s.matched(n, c.rule, start, end, c.weight)
	}
	to := 0 // up to here voices were heard with the one before
	for i, v := range s.voices {
		if s.evidence.rules >= certain {
			break
		}
		if to == len(s.voices) || i > 0 && to > i && s.voices[to].at-v.at > cluster {
			continue // they say no more than with the one before
		}
		for to = max(to, i); to < len(s.voices) && s.voices[to].at-v.at <= cluster; to++ {
		}
		best := [len(families) + 1]float64{}
		for _, w := range s.voices[i:to] {
			best[w.family] = max(best[w.family], w.p)
		}
		miss := 1.0
		for _, p := range best {
			miss *= 1 - p
		}
		s.evidence.rules = max(s.evidence.rules, 1-miss)
	}
	s.loudest = max(s.loudest, s.trusted())
}

// voice is what one match of a rule says.
type voice struct {
	family uint8 // familyNo
	at     int32
	p      float64
}

// certain is a score beyond which nothing that is still to come matters.
const certain = 0.995

// matched keeps a finding, unless one of the same rule lies there already.
func (s *scratch) matched(n *node, id int32, start, end int, weight float64) {
	r := &s.d.rules[id]
	span := chunk.Span{Start: max(start-s.carry, 0), End: end - s.carry}
	for i, rule := range s.foundBy {
		if rule == id && s.findings[i].Span.Overlaps(span) {
			f := &s.findings[i]
			f.Score = max(f.Score, weight)
			return
		}
	}
	if len(s.findings) >= maxHits {
		return
	}
	s.foundBy = append(s.foundBy, id)
	s.findings = append(s.findings, chunk.Finding{Rule: r.id, Family: r.family, Span: span, Views: s.exposed(n, start, end), Score: weight})
}

// exposed names the views, or the foldings of the raw text, that expose a range of it in a node.
func (s *scratch) exposed(n *node, start, end int) []string {
	if names := s.foldNames(n, start, end); len(names) > 0 {
		return slices.Clip(names) // no view stands before them
	}
	return s.chain()
}

// foldNames tells which foldings mattered in a range of the raw text.
func (s *scratch) foldNames(n *node, start, end int) []string {
	if n.depth > 0 {
		return nil
	}
	raw := s.text[start:end]
	if view.Plain(raw) {
		return nil
	}
	if !bytes.Equal(raw, s.named) { // the same words come again and again in many texts
		s.named, s.names = raw, view.Fold(&s.shown, raw).Names()
	}
	return s.names
}

// unchanged reports whether the raw text already reads as text does, case and
// white space aside.
func (s *scratch) unchanged(text []byte, start, end int) bool {
	return end-start == len(text) && bytes.EqualFold(text, s.text[start:end])
}

// inContext weighs a rule's word by where it stands: the same words quoted in an
// article about attacks say less than words addressed to the reader, and words
// that somebody hid or encoded say more.
func (s *scratch) inContext(n *node, text []byte, start, end int, p float64) float64 {
	hidden := n.hidden || n.hiddenAt(text, start)
	if !hidden && n.depth == 0 {
		switch quoted := n.quotedAt(text, start, end); {
		case quoted && s.discuss > 0:
			p *= 0.5
		case quoted:
			p *= 0.6
		}
		if s.discuss >= 3 {
			p *= 0.7
		}
	}
	if hidden {
		p = 1 - (1-p)*0.5
	}
	if n.depth > 0 {
		p = 1 - (1-p)*0.7
	}
	return p
}

// lineReach is how far back the beginning of a line is looked for.
const lineReach = 400

// lineStart gives where the line of text[at] begins, or where it was looked for. Places
// are mostly asked for from front to back: what lies before the last one is known.
func (n *node) lineStart(text []byte, at int) int {
	lo := max(0, at-lineReach)
	from := lo
	if at >= n.lineAsked {
		from = max(lo, n.lineAsked)
	} else {
		n.line = 0
	}
	if i := bytes.LastIndexByte(text[from:at], '\n'); i >= 0 {
		n.line = from + i + 1
	}
	n.line, n.lineAsked = max(n.line, lo), at
	return n.line
}

// opensField reports whether the mark at text[at] opens a string of a JSON text: it is
// the syntax of a payload then, and nobody's quotation. Every field of a webhook would
// read as quoted otherwise (TestFieldsAreNotQuotations).
func opensField(text []byte, at int) bool {
	head := bytes.TrimLeft(text[:min(len(text), 64)], " \t\r\n")
	if len(head) == 0 || (head[0] != '{' && head[0] != '[') {
		return false
	}
	for at--; at >= 0; at-- {
		switch text[at] {
		case ' ', '\t', '\r', '\n':
		case ':', ',', '[', '{':
			return true
		default:
			return false
		}
	}
	return false
}

// quotedAt reports whether text[start:end] stands in quotation marks, in
// back-quotes, in a fenced block or behind the mark of a quoted line.
func (n *node) quotedAt(text []byte, start, end int) bool {
	return n.opened(text, start).closed(text, end)
}

// marks are what may quote text from some place on.
type marks uint8

const (
	quoted     marks = 1 << iota // something does, wherever it ends
	doubleMark                   // these do if they are closed
	backMark
	singleMark
)

// opened gives the marks that are open at text[start].
func (n *node) opened(text []byte, start int) (m marks) {
	// Fences are counted once a node: an odd number of them stands open.
	if !n.fenced {
		n.fenced = true
		n.quotes, n.backs, n.angles = bytes.IndexByte(text, '"') >= 0, bytes.IndexByte(text, '`') >= 0, bytes.IndexByte(text, '>') >= 0
		for at := 0; n.backs; {
			i := bytes.Index(text[at:], []byte("```"))
			if i < 0 {
				break
			}
			at += i + 3
			n.fences = append(n.fences, int32(at-3))
		}
	}
	if start > 0 && text[start-1] == '\'' {
		m |= singleMark
	}
	if !n.quotes && !n.backs && !n.angles {
		return m // as most texts are
	}
	line := n.lineStart(text, start)
	if head := bytes.TrimLeft(text[line:start], " \t"); len(head) > 0 && head[0] == '>' {
		return quoted
	}
	if len(n.fences) > 0 {
		if k, _ := slices.BinarySearch(n.fences, int32(start)); k%2 == 1 {
			return quoted
		}
	}
	lo := max(line, start-160)
	if before := text[lo:start]; n.quotes && bytes.Count(before, []byte{'"'})%2 == 1 && !opensField(text, lo+bytes.LastIndexByte(before, '"')) {
		m |= doubleMark
	}
	if n.backs && bytes.Count(text[lo:start], []byte{'`'})%2 == 1 {
		m |= backMark
	}
	return m
}

// closed reports whether something quotes what ends at text[end].
func (m marks) closed(text []byte, end int) bool {
	rest := text[end:min(len(text), end+300)]
	return m&quoted != 0 || m&doubleMark != 0 && bytes.IndexByte(rest, '"') >= 0 || m&backMark != 0 && bytes.IndexByte(rest, '`') >= 0 ||
		m&singleMark != 0 && bytes.IndexByte(rest[:min(len(rest), 200)], '\'') >= 0
}

// hiddenAt reports whether text[start:] begins in an HTML comment, or in a
// Markdown link definition that no renderer shows.
func (n *node) hiddenAt(text []byte, start int) bool {
	if n.hides == 0 {
		n.hides = 1
		if bytes.Contains(text, []byte("<!--")) || bytes.Contains(text, []byte("[//]: #")) || bytes.Contains(text, []byte("[comment]: ")) {
			n.hides = 2
		}
	}
	if n.hides == 1 {
		return false
	}
	lo := max(0, start-2000)
	if i := bytes.LastIndex(text[lo:start], []byte("<!--")); i >= 0 && !bytes.Contains(text[lo+i:start], []byte("-->")) {
		return true
	}
	line := n.lineStart(text, start)
	return bytes.HasPrefix(text[line:start], []byte("[//]: #")) || bytes.HasPrefix(text[line:start], []byte("[comment]: "))
}

// minModelFinding is the least score of a sentence that is shown as a finding beside the best window.
const minModelFinding = 0.5

// ModelRule names the learned model in findings.
const ModelRule = "model"

// byModel stands for it among the numbers of rules.
const byModel = -1

func (s *scratch) foundByModel(n *node, w *Window, p float64) {
	span := w.Raw
	family := "reader-address"
	best := -1.0
	for _, h := range w.Hits {
		if h.Weight > best {
			family, best = h.Family, h.Weight
		}
	}
	for i, rule := range s.foundBy {
		if f := &s.findings[i]; rule == byModel && f.Span.Overlaps(span) {
			if p > f.Score {
				f.Span, f.Score, f.Family = span, p, family
			}
			return
		}
	}
	if len(s.findings) >= maxHits {
		return
	}
	s.foundBy = append(s.foundBy, byModel)
	s.findings = append(s.findings, chunk.Finding{Rule: ModelRule, Family: family, Span: span, Views: s.exposed(n, w.raw.Start, w.raw.End), Score: p})
}

// lowerMapped is lower that also gives, for each byte of text, where it went.
func lowerMapped(dst []byte, at []int32, text []byte) ([]byte, []int32) {
	dst, at = slices.Grow(dst[:0], len(text)), slices.Grow(at[:0], len(text)+1)
	dst, at = dst[:len(text)], at[:len(text)+1]
	o := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		at[i] = int32(o)
		switch {
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case foldByte(c) == ' ':
			w := byte(' ')
			for j := i; j < len(text) && foldByte(text[j]) == ' '; j++ {
				if text[j] == '\n' || text[j] == '\r' {
					w = '\n'
				}
				at[j] = int32(o)
				i = j
			}
			c = w
		}
		dst[o] = c
		o++
	}
	at[len(text)] = int32(o)
	return dst[:o], at
}
