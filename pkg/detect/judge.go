package detect

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/view"
)

// Windows: sizes in bytes of folded text.
const (
	sentenceMin = 24
	sentenceMax = 240
	groupMax    = 600
	beforeMax   = 160
	wholeMax    = 400

	// cluster is how far apart matches of rules may lie and still speak together.
	cluster = 600
)

// sentenceEnd reports that a sentence ends behind text[i].
func sentenceEnd(text []byte, i int) bool {
	switch text[i] {
	case '\n':
		return true
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

// judge turns a node's candidates into findings and scores its windows.
func (s *scratch) judge(n *node, text []byte) {
	s.judgeRules(n, text)
	m := s.d.model
	if m == nil {
		if s.visit == nil {
			return
		}
		m = &blank
	}
	s.pieces = m.gate.run(s.pieces[:0], text, !n.beyond, &s.masks)
	s.weighCues(&m.gate)
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
		s.voices = append(s.voices, voice{r.family, c.start, c.weight})
		s.evidence.rule(r.family, r.weight, c.weight, n.hidden || n.depth > 0)
		s.found(n, c.rule, start, end, c.weight)
	}
	for i, v := range s.voices {
		if s.evidence.rules >= certain {
			break
		}
		best := [16]voice{}
		k := 0
		for _, w := range s.voices[i:] {
			if w.at-v.at > cluster {
				break
			}
			j := 0
			for j < k && best[j].family != w.family {
				j++
			}
			switch {
			case j < k:
				best[j].p = math.Max(best[j].p, w.p)
			case k < len(best):
				best[k] = w
				k++
			}
		}
		miss := 1.0
		for _, w := range best[:k] {
			miss *= 1 - w.p
		}
		s.evidence.rules = math.Max(s.evidence.rules, 1-miss)
	}
	s.loudest = math.Max(s.loudest, s.evidence.rules)
}

// voice is what one match of a rule says.
type voice struct {
	family string
	at     int32
	p      float64
}

// certain is a score beyond which nothing that is still to come matters.
const certain = 0.995

// found keeps a finding, unless one of the same rule lies there already.
func (s *scratch) found(n *node, id int32, start, end int, weight float64) {
	r := &s.d.rules[id]
	span := chunk.Span{Start: max(start-s.carry, 0), End: end - s.carry}
	for i := range s.findings {
		f := &s.findings[i]
		if f.Rule == r.id && f.Span.Overlaps(span) {
			f.Score = math.Max(f.Score, weight)
			return
		}
	}
	if len(s.findings) >= maxHits {
		return
	}
	views := append(append([]string{}, n.chain...), s.foldNames(n, start, end)...)
	s.findings = append(s.findings, chunk.Finding{Rule: r.id, Family: r.family, Span: span, Views: views, Score: weight})
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
	var v view.View
	return view.Fold(&v, raw).Names()
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

func lineStart(text []byte, at int) int {
	lo := max(0, at-lineReach)
	return lo + bytes.LastIndexByte(text[lo:at], '\n') + 1
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
	line := lineStart(text, start)
	if head := bytes.TrimLeft(text[line:start], " \t"); len(head) > 0 && head[0] == '>' {
		return true
	}
	lo := max(line, start-160)
	for _, q := range []byte{'"', '`'} {
		if bytes.Count(text[lo:start], []byte{q})%2 == 1 {
			if q == '"' && opensField(text, lo+bytes.LastIndexByte(text[lo:start], q)) {
				continue
			}
			rest := text[end:min(len(text), end+300)]
			if i := bytes.IndexByte(rest, q); i >= 0 {
				return true
			}
		}
	}
	if start > 0 && text[start-1] == '\'' {
		if i := bytes.IndexByte(text[end:min(len(text), end+200)], '\''); i >= 0 {
			return true
		}
	}
	// Fences are counted once a node: an odd number of them stands open.
	if !n.fenced {
		n.fenced = true
		for at := 0; ; {
			i := bytes.Index(text[at:], []byte("```"))
			if i < 0 {
				break
			}
			at += i + 3
			n.fences = append(n.fences, int32(at-3))
		}
	}
	k, _ := slices.BinarySearch(n.fences, int32(start))
	return k%2 == 1
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
	line := lineStart(text, start)
	return bytes.HasPrefix(text[line:start], []byte("[//]: #")) || bytes.HasPrefix(text[line:start], []byte("[comment]: "))
}

// judgeWindows scores the windows that pass the gate, and those in which a rule
// matched; where one is not far from the threshold it scores all of them.
func (s *scratch) judgeWindows(n *node, text []byte, m *Model) {
	g := &m.gate
	ease := int32(0)
	if n.depth > 0 || n.hidden {
		ease = g.ease
	}
	s.looked = append(s.looked[:0], make([]lookedAt, len(s.pieces))...)
	s.near = false
	next := 0
	for i := range s.pieces {
		own, all := s.pieces[i], s.around(i)
		sentence, group := g.passes(Sentence, own.sum, own.n, ease), g.passes(Group, all.sum, all.n, ease)
		ruled := false
		for k := next; k < len(s.cands) && s.cands[k].start < own.end; k++ {
			ruled = ruled || s.cands[k].end > own.start
		}
		for next < len(s.cands) && s.cands[next].start < own.start-candReach {
			next++
		}
		if s.visit != nil {
			if gated := sentence || group || ruled; gated || s.all {
				s.handOut(n, text, m, i, ruled, ease)
			}
			continue
		}
		if (sentence || group || ruled) && !s.lookAt(n, text, m, i, sentence || ruled, group || ruled) {
			return
		}
	}
	for i := range s.pieces {
		if !s.near || !s.lookAt(n, text, m, i, true, true) {
			return
		}
	}
}

// lookedAt tells which windows of a sentence were scored.
type lookedAt struct{ sentence, group bool }

// around gives sentence i with the sentences beside it.
func (s *scratch) around(i int) piece {
	all := s.pieces[i]
	if i > 0 && all.end-s.pieces[i-1].start <= groupMax {
		all = s.pieces[i-1].with(all)
	}
	if i+1 < len(s.pieces) && s.pieces[i+1].end-all.start <= groupMax {
		all = all.with(s.pieces[i+1])
	}
	return all
}

// lookAt scores windows of sentence i that were not yet. It reports false when
// enough is known.
func (s *scratch) lookAt(n *node, text []byte, m *Model, i int, sentence, group bool) bool {
	l := &s.looked[i]
	own, all := s.pieces[i], s.around(i)
	sentence, group = sentence && !l.sentence, group && !l.group && all != own
	if !sentence && !group {
		return true
	}
	if s.loudest >= s.enough {
		// The verdict cannot get worse; a few more windows are shown to people.
		if s.extra >= maxExtra {
			return false
		}
		s.extra++
	}
	l.sentence, l.group = l.sentence || sentence, l.group || group
	s.foldWindow(text, own, all, group)
	if sentence {
		s.window(n, text, own, Sentence, m)
	}
	if group {
		s.window(n, text, all, Group, m)
	}
	return true
}

// handOut gives the windows of sentence i to the visitor.
func (s *scratch) handOut(n *node, text []byte, m *Model, i int, ruled bool, ease int32) {
	g := &m.gate
	own, all := s.pieces[i], s.around(i)
	s.foldWindow(text, own, all, true)
	s.w.Gated, s.w.Margin = ruled || g.passes(Sentence, own.sum, own.n, ease), g.margin(Sentence, own.sum+ease, own.n)
	s.window(n, text, own, Sentence, m)
	if all != own {
		s.w.Gated, s.w.Margin = ruled || g.passes(Group, all.sum, all.n, ease), g.margin(Group, all.sum+ease, all.n)
		s.window(n, text, all, Group, m)
	}
}

// foldWindow folds what one or both windows of a sentence hold, and what stands
// before them.
func (s *scratch) foldWindow(text []byte, own, all piece, group bool) {
	lo, hi := int(own.start), int(own.end)
	if group {
		lo, hi = int(all.start), int(all.end)
	}
	s.foldedAt = max(0, lo-beforeMax)
	s.wtext, s.wmap = lowerMapped(s.wtext[:0], s.wmap[:0], text[s.foldedAt:hi])
}

// maxExtra is how many windows are scored after the verdict is certain.
const maxExtra = 32

// candReach is how long before a sentence a match that reaches into it may begin.
const candReach = 400

// window describes a piece of text, and has it scored.
func (s *scratch) window(n *node, text []byte, of piece, kind WindowKind, m *Model) {
	at := chunk.Span{Start: int(of.start), End: int(of.end)}
	start, end := n.v.Span(at.Start, at.End)
	if end <= s.carry {
		return
	}
	if n.depth > 0 && !n.hidden && s.unchanged(text[at.Start:at.End], start, end) {
		return
	}
	d, w := s.d, &s.w
	folded := func(p int) int { return int(s.wmap[p-s.foldedAt]) }
	from, to := folded(at.Start), folded(at.End)
	if at.Start > s.foldedAt && foldByte(text[at.Start]) == ' ' && foldByte(text[at.Start-1]) == ' ' {
		from++ // the run of spaces belongs to what stands before
	}
	from = min(from, to)
	w.Kind, w.Text, w.Before = kind, s.wtext[from:to], s.wtext[folded(max(s.foldedAt, at.Start-beforeMax)):from]
	w.Raw = chunk.Span{Start: max(start-s.carry, 0), End: end - s.carry}
	w.Hits, w.Cues = w.Hits[:0], w.Cues[:0]
	if s.windows++; s.windows == 0 {
		clear(s.met)
		s.windows = 1
	}
	in := func(p int32) int { return min(max(folded(min(int(p), at.End))-from, 0), to-from) }
	k := sort.Search(len(s.cands), func(i int) bool { return int(s.cands[i].start) >= at.Start })
	hits := 0
	for _, c := range s.cands[k:] {
		if int(c.start) >= at.End || hits >= maxInWindow {
			break
		}
		if c.weight > 0 {
			hits++
			r := &d.rules[c.rule]
			if s.visit == nil && said(w.Hits, r) {
				continue
			}
			w.Hits = append(w.Hits, Hit{Rule: r.id, Family: r.family, Weight: r.weight, Span: chunk.Span{Start: in(c.start), End: in(c.end)}})
		}
	}
	k = sort.Search(len(s.occ), func(i int) bool { return int(s.occ[i].start) >= at.Start })
	for j, o := range s.occ[k:] {
		if int(o.start) >= at.End || j >= maxInWindow {
			break
		}
		t := &d.terms[o.term]
		if met := &s.met[t.classNo]; *met != s.windows {
			*met = s.windows
		} else if s.visit == nil && len(w.Cues) >= cuesInOrder {
			continue
		}
		w.Cues = append(w.Cues, Cue{Term: t.name, At: in(o.start), class: t.class})
	}
	w.Views, w.Depth = n.chain, n.depth
	w.Hidden = n.hidden || n.hiddenAt(text, at.Start)
	w.Quoted = n.quotedAt(text, at.Start, at.End)
	w.Discuss = s.discuss
	w.Whole = len(text) <= wholeMax
	if s.visit != nil {
		s.visit(w)
		return
	}
	s.features.Extract(w)
	z := m.Logit(&s.features)
	p := m.Probability(z)
	if math.IsNaN(p) || p < 0 || p > 1 {
		s.exceeded = true
		return
	}
	s.evidence.window(w, z)
	// Where a window may matter all windows of its view are scored: what the gate costs in
	// recall is then what it overlooks altogether, not which windows of a text it picks.
	s.near = s.near || z >= low
	// The best window is always shown: nobody is to be asked about a text without a reason.
	if p >= minModelFinding && kind == Sentence || z >= low && p > s.loudest {
		s.foundByModel(n, w, start, end, p)
	}
	s.loudest = math.Max(s.loudest, p)
}

// cuesInOrder is how many cues of a window the model sees in their order; of the others
// it sees which classes there are.
const cuesInOrder = 12

// said reports that hits hold one of the rule's family that weighs as much: another one
// tells the model nothing.
func said(hits []Hit, r *rule) bool {
	for i := range hits {
		if hits[i].Family == r.family && hits[i].Weight >= r.weight {
			return true
		}
	}
	return false
}

// maxInWindow bounds the hits, and the cues, that one window is described with.
const maxInWindow = 200

// minModelFinding is the least score of a sentence that is shown as a finding beside the best window.
const minModelFinding = 0.5

// ModelRule names the learned model in findings.
const ModelRule = "model"

func (s *scratch) foundByModel(n *node, w *Window, start, end int, p float64) {
	span := chunk.Span{Start: max(start-s.carry, 0), End: end - s.carry}
	family := "reader-address"
	best := -1.0
	for _, h := range w.Hits {
		if h.Weight > best {
			family, best = h.Family, h.Weight
		}
	}
	for i := range s.findings {
		f := &s.findings[i]
		if f.Rule == ModelRule && f.Span.Overlaps(span) {
			if p > f.Score {
				f.Span, f.Score, f.Family = span, p, family
			}
			return
		}
	}
	if len(s.findings) >= maxHits {
		return
	}
	views := append(append([]string{}, n.chain...), s.foldNames(n, start, end)...)
	s.findings = append(s.findings, chunk.Finding{Rule: ModelRule, Family: family, Span: span, Views: views, Score: p})
}

// lowerMapped is lower that also gives, for each byte of text, where it went.
func lowerMapped(dst []byte, at []int32, text []byte) ([]byte, []int32) {
	dst, at = slices.Grow(dst[:0], len(text)), slices.Grow(at[:0], len(text)+1)
	dst, at = dst[:len(text)], at[:len(text)+1]
	i, o := 0, 0
	for i < len(text) {
		end := min(i+8, len(text))
		if i+8 <= len(text) { // eight bytes whose white space is single spaces and line feeds
			x := binary.LittleEndian.Uint64(text[i:])
			const ones, highs = 0x0101010101010101, 0x8080808080808080
			low := x &^ highs
			shown := (low + (0x80-' ')*ones) | x
			line := ^((low ^ '\n'*ones) + 0x7f*ones) &^ x & highs
			white := ^((low^' '*ones)+0x7f*ones)&^x&highs | line
			if (shown|line)&highs == highs && white&(white<<8) == 0 && (white>>63 == 0 || end < len(text) && foldByte(text[end]) != ' ') {
				upper := (low + (0x80-'A')*ones) &^ (low + (0x7f-'Z')*ones) &^ x & highs
				binary.LittleEndian.PutUint64(dst[o:], x|upper>>2)
				for k, to := 0, at[i:i+8:i+8]; k < 8; k++ {
					to[k] = int32(o + k)
				}
				i, o = i+8, o+8
				continue
			}
		}
		for ; i < end; i++ {
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
	}
	at[len(text)] = int32(o)
	return dst[:o], at
}
