package detect

import (
	"bytes"
	"math"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// part is one sentence of a view as the model describes it. Each is described once: a
// window is the sum of its sentences and of what reaches from one into the next.
type part struct {
	known            bool       // tokens, own and spots are filled
	opened           bool       // marks and hidden are
	led              bool       // before is
	placed           bool       // raw is
	marks            marks      // that are open where it begins
	hidden           bool       // it begins where nobody sees it
	cut, parted      bool       // allFrom and allTo are filled; the text around is cut as if none ended here
	from, to         int32      // its tokens
	allFrom, allTo   int32      // the same with echoes: see Features.all
	raw              chunk.Span // what of the raw text it stands for
	own              grams      // of its words, and those near to each other
	before           grams      // of the words in front of it
	spots            spots
	english          english // how much of it is
	heard            uint32  // these are known, if it is scratch.hearing
	formFrom, formTo int32   // its forms of the glossary
}

// judgeWindows scores the windows that pass the gate, and those in which a rule
// matched.
func (s *scratch) judgeWindows(n *node, text []byte, m *Model) {
	heard := len(s.evidence.heard)
	s.scoreWindows(n, text, m)
	if e := &s.evidence; e.leader >= heard && len(e.heard) > heard {
		// The best window so far is of this view: a later one may show a better one.
		s.leading, s.unread = append(s.leading[:0], text[s.best.start:s.best.end]...), true
		s.hearLeader(text, m)
	}
}

// hearLeader keeps the forms of the glossary in the best window, which is of the view being judged.
func (s *scratch) hearLeader(text []byte, m *Model) {
	s.foreign = false
	if m.gloss.empty() {
		return
	}
	lo := sort.Search(len(s.pieces), func(i int) bool { return s.pieces[i].start >= s.best.start })
	hi := sort.Search(len(s.pieces), func(i int) bool { return s.pieces[i].end > s.best.end })
	var e english
	for i := lo; i < hi; i++ { // one that says what another says was not described
		e = e.with(s.part(text, m, i).english)
	}
	if s.foreign = !e.most(); s.foreign {
		s.second.interpreter.hits = append(s.second.interpreter.hits[:0], s.heard(text, m.gloss, lo, hi)...)
	}
}

// readLeader reads the best window again, for what its score rests on.
func (s *scratch) readLeader() {
	if !s.unread {
		return
	}
	s.unread = false
	t := &s.evidence.heard[s.evidence.leader]
	g := s.d.model.groundsOf(&s.second, s.leading)
	g.marks = t.grounds.marks
	t.grounds = g
	s.reread, s.read = rereadSlots(s.reread[:0], s.second.toks), netSlots(s.read[:0], s.second.toks)
	s.meant, s.meanings = s.meant[:0], 0
	if gloss, p := s.d.model.gloss, &s.second.interpreter; !gloss.empty() {
		if s.foreign {
			s.meant = glossSlots(s.meant, p.recall())
		} else {
			s.meant = glossSlots(s.meant, p.readEnglish(gloss, s.second.toks))
		}
		s.read, s.meanings = netMeanings(s.read, p.means), len(p.means)
	}
}

func (s *scratch) scoreWindows(n *node, text []byte, m *Model) {
	g := &m.gate
	ease := int32(0)
	switch {
	case n.letters:
		ease = foreignEase * g.ease
	case n.depth > 0 || n.hidden:
		ease = g.ease
	}
	s.parts, s.judged = s.parts[:0], text
	next := 0
	for i := range s.pieces {
		own := &s.pieces[i]
		sentence, group := s.passes(g, i, ease)
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
}

// foreignEase is how much more the threshold is lowered for text with letters beyond ASCII than for what was hidden: the
// gate knows stems of words, and of most languages it has met few.
const foreignEase = 2

// candReach is how long before a sentence a match that reaches into it may begin.
const candReach = 400

// passes tells whether sentence i passes the gate, alone and with those beside it.
func (s *scratch) passes(g *gate, i int, ease int32) (sentence, group bool) {
	p := &s.pieces[i]
	start, sum, n := p.start, p.sum, p.n
	if i > 0 && p.end-s.pieces[i-1].start <= groupMax {
		start, sum, n = s.pieces[i-1].start, sum+s.pieces[i-1].sum, n+s.pieces[i-1].n
	}
	if i+1 < len(s.pieces) && s.pieces[i+1].end-start <= groupMax {
		sum, n = sum+s.pieces[i+1].sum, n+s.pieces[i+1].n
	}
	return g.passes(Sentence, p.sum, p.n, ease), g.passes(Group, sum, n, ease)
}

// around gives sentence i alone and with the sentences beside it, which are those from
// lo to hi.
func (s *scratch) around(i int) (own, all piece, lo, hi int) {
	own, lo, hi = s.pieces[i], i, i+1
	all = own
	if i > 0 && all.end-s.pieces[i-1].start <= groupMax {
		lo--
		all = s.pieces[lo].with(all)
	}
	if hi < len(s.pieces) && s.pieces[hi].end-all.start <= groupMax {
		all = all.with(s.pieces[hi])
		hi++
	}
	return own, all, lo, hi
}

// beginParts makes room for what is described of the sentences of a view, in most of which
// there is none to describe.
func (s *scratch) beginParts(m *Model) {
	if len(s.parts) == 0 {
		s.parts = slices.Grow(s.parts, len(s.pieces))[:len(s.pieces)]
		clear(s.parts)
		s.features.toks, s.features.all = s.features.toks[:0], s.features.all[:0]
		s.features.interpreter.hits, s.hearing = s.features.interpreter.hits[:0], 1
		s.features.remember(m)
	}
}

// lookAt scores windows of sentence i. It reports false when
// enough is known.
func (s *scratch) lookAt(n *node, text []byte, m *Model, i int, sentence, group bool) bool {
	s.beginParts(m)
	own, all, lo, hi := s.around(i)
	if s.loudest >= s.enough {
		// The rules are not sure enough by themselves: more windows may still change the verdict.
		if s.extra >= maxExtra {
			return false
		}
		s.extra++
	}
	if sentence && s.describe(n, text, own, Sentence, i) {
		s.judgeWindow(n, text, m, own, i, i+1)
	}
	if group && all != own && s.describe(n, text, all, Group, lo) {
		s.judgeWindow(n, text, m, all, lo, hi)
	}
	return true
}

// maxExtra is how many sentences are looked at once a window or the rules say enough.
const maxExtra = 32

// handOut gives the windows of sentence i to the visitor.
func (s *scratch) handOut(n *node, text []byte, m *Model, i int, ruled bool, ease int32) {
	g := &m.gate
	s.beginParts(m)
	own, all, lo, hi := s.around(i)
	out := func(of piece, kind WindowKind, lo, hi int) {
		if !s.describe(n, text, of, kind, lo) {
			return
		}
		w := &s.w
		w.Gated, w.Margin = ruled || g.passes(kind, of.sum, of.n, ease), g.margin(kind, of.sum+ease, of.n)
		w.parts, w.ends = w.parts[:0], w.ends[:0]
		for _, p := range s.pieces[lo:hi] {
			w.parts, w.ends = append(w.parts, text[p.start:p.end]), append(w.ends, s.inWindow(w.at, p.end))
		}
		s.visit(w)
	}
	out(own, Sentence, i, i+1)
	if all != own {
		out(all, Group, lo, hi)
	}
}

// describe fills the window with what is known of a piece of text beside its words. It
// reports false for what is not to be scored. Sentence lo is its first.
func (s *scratch) describe(n *node, text []byte, of piece, kind WindowKind, lo int) bool {
	at := chunk.Span{Start: int(of.start), End: int(of.end)}
	start, end := s.placeOf(n, of, lo)
	if end <= s.carry {
		return false
	}
	if n.depth > 0 && !n.hidden && s.unchanged(text[at.Start:at.End], start, end) {
		return false
	}
	d, w := s.d, &s.w
	w.Kind = kind
	w.raw, w.at, w.view = chunk.Span{Start: start, End: end}, at, s.at
	w.Raw = chunk.Span{Start: max(start-s.carry, 0), End: end - s.carry}
	w.Before = nil
	if lo > 0 {
		w.Before = text[max(int(s.pieces[lo-1].start), at.Start-contextBytes):at.Start]
	}
	if s.visit != nil {
		s.foldWindow(text, at)
	}
	w.Hits, w.Cues = w.Hits[:0], w.Cues[:0]
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
			w.Hits = append(w.Hits, Hit{Rule: r.id, Family: r.family, Weight: r.weight, Span: chunk.Span{Start: s.inWindow(at, c.start), End: s.inWindow(at, c.end)}})
		}
	}
	if s.visit != nil { // a scan goes through them by itself: see cues
		for _, o := range s.occ[of.occ:] {
			if int(o.start) >= at.End || len(w.Cues) >= maxInWindow {
				break
			}
			m := &d.meanings[o.means]
			for _, t := range d.meant[m.from:m.to] {
				w.Cues = append(w.Cues, Cue{Term: d.terms[t].name, At: s.inWindow(at, o.start), class: d.terms[t].class})
			}
		}
	}
	if w.Views, w.Depth = nil, n.depth; s.visit != nil && n.depth > 0 {
		w.Views = s.chain()
	}
	p := &s.parts[lo]
	if !p.opened {
		p.opened, p.marks, p.hidden = true, n.opened(text, at.Start), n.hidden || n.hiddenAt(text, at.Start)
	}
	w.Hidden, w.Quoted = p.hidden, p.marks.closed(text, at.End)
	w.Discuss = s.discuss
	w.Whole = len(text) <= wholeMax
	return true
}

// placeOf gives the range of the raw text that a window stands for, whose first sentence is lo. Every byte
// of a view has its own place: those of a sentence are gone through once.
func (s *scratch) placeOf(n *node, of piece, lo int) (start, end int) {
	for i := lo; i < len(s.pieces) && s.pieces[i].end <= of.end; i++ {
		p := &s.parts[i]
		if !p.placed {
			p.placed = true
			p.raw.Start, p.raw.End = n.v.Span(int(s.pieces[i].start), int(s.pieces[i].end))
		}
		if i == lo {
			start, end = p.raw.Start, p.raw.End
		}
		start, end = min(start, p.raw.Start), max(end, p.raw.End)
	}
	return start, end
}

// foldWindow folds a window, for visitors.
func (s *scratch) foldWindow(text []byte, at chunk.Span) {
	s.wtext, s.wmap = lowerMapped(s.wtext, s.wmap, text[at.Start:at.End])
	s.w.Text = s.wtext
}

// inWindow gives where p is in the folded window; nothing when none was folded.
func (s *scratch) inWindow(at chunk.Span, p int32) int {
	if s.visit == nil {
		return 0
	}
	return int(s.wmap[min(max(int(p), at.Start), at.End)-at.Start])
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

// part describes sentence i.
func (s *scratch) part(text []byte, m *Model, i int) *part {
	p, f := &s.parts[i], &s.features
	if p.known {
		return p
	}
	p.known = true
	f.Grams = f.Grams[:0]
	p.from, p.allFrom = int32(len(f.toks)), int32(len(f.all))
	f.sentence(text, int(s.pieces[i].start), int(s.pieces[i].end), &p.spots)
	p.to = int32(len(f.toks))
	s.wasCut(text, i)
	t := f.toks[p.from:]
	f.near(t, len(t), 0)
	if m.gloss != nil {
		p.english = m.gloss.english(t)
	}
	p.own = f.weigh(m)
	return p
}

// wasCut notes that sentence i was cut into tokens. Of a long text, of which topics see a part
// only, no note is taken: that many signs may be many tokens.
func (s *scratch) wasCut(text []byte, i int) {
	p, f, end := &s.parts[i], &s.features, int(s.pieces[i].end)
	if len(text) > topicMax {
		f.all = f.all[:p.allFrom]
		return
	}
	p.cut, p.allTo = true, int32(len(f.all))
	switch text[end-1] {
	case ' ', '\n', '\r', '\t':
		p.parted = !runsOnFrom(text, end) // neither words nor links hold these
	case '.', '!', '?':
		p.parted = f.last < end && !(end < len(text) && modelByte(lowerASCII[text[end]]))
	}
}

// runsOnFrom reports that text[:end] ends behind a line break behind which its last sentence goes on: one
// that was too long. As part of the whole that break is no token, and as its end it is one.
func runsOnFrom(text []byte, end int) bool {
	for i := end - 1; i >= max(0, end-linePrefixMax); i-- {
		if text[i] == '\n' || text[i] == '\r' {
			return runsOn(text, i) > 0
		}
	}
	return false
}

// cut cuts text[from:to] as one sentence. Where that is sentences of the view that was judged
// last, they are not cut again.
func (s *scratch) cut(text []byte, from, to int) {
	f := &s.features
	f.toks, f.begin = f.toks[:0], 0
	lo, hi, ok := s.sentencesOf(text, from, to)
	if !ok {
		all := len(f.all)
		f.tokens(text[from:to], 0, to-from, new(spots), false)
		f.all = f.all[:all]
		return
	}
	for _, p := range s.parts[lo:hi] {
		f.take(f.all[p.allFrom:p.allTo])
	}
}

// sentencesOf gives the sentences that text[from:to] is, all of which are cut, if those of text
// are known and cut as they would be without ends.
func (s *scratch) sentencesOf(text []byte, from, to int) (lo, hi int, ok bool) {
	if len(s.parts) != len(s.pieces) || len(text) == 0 || len(text) > topicMax || !same(text, s.judged) {
		return 0, 0, false
	}
	lo = sort.Search(len(s.pieces), func(i int) bool { return int(s.pieces[i].start) >= from })
	hi = sort.Search(len(s.pieces), func(i int) bool { return int(s.pieces[i].end) > to })
	if from >= to || lo >= hi || int(s.pieces[lo].start) != from || int(s.pieces[hi-1].end) != to {
		return lo, lo, from >= to
	}
	f := &s.features
	for i := lo; i < hi; i++ {
		p := &s.parts[i]
		if !p.cut {
			p.allFrom = int32(len(f.all))
			f.begin = len(f.toks)
			f.tokens(text, int(s.pieces[i].start), int(s.pieces[i].end), new(spots), false)
			s.wasCut(text, i)
			f.toks = f.toks[:0]
		}
		if !p.parted && i+1 < hi {
			return 0, 0, false
		}
	}
	f.begin = 0
	return lo, hi, true
}

// before describes the end of the sentence in front of sentence i, with which the window
// begins.
func (s *scratch) before(m *Model, i int) grams {
	p, f := &s.parts[i], &s.features
	if p.led {
		return p.before
	}
	p.led = true
	f.Grams = f.Grams[:0]
	switch begin := int(s.pieces[i].start) - len(s.w.Before); {
	case i > 0 && s.parts[i-1].known && begin == int(s.pieces[i-1].start):
		f.context(f.toks[s.parts[i-1].from:s.parts[i-1].to]) // all of it is seen, and was described
	case i == 0 || !s.parts[i-1].cut:
		f.contextOf(s.w.Before)
	default:
		// Behind a word and a space the same words follow as when the sentence was cut.
		space := spaceBehindWord(s.w.Before)
		if space < 0 {
			f.contextOf(s.w.Before)
			break
		}
		of := f.all[s.parts[i-1].allFrom:s.parts[i-1].allTo]
		k := len(of)
		for k > 0 && int(of[k-1].at) > begin+space {
			k--
		}
		f.contextWith(s.w.Before[:space], of[k:])
	}
	p.before = f.weigh(m)
	return p.before
}

// spaceBehindWord gives the first space that stands behind a word; -1: there is none.
func spaceBehindWord(text []byte) int {
	for i := 1; i < len(text); i++ {
		if text[i] == ' ' && (text[i-1] >= utf8.RuneSelf || modelByte(lowerASCII[text[i-1]])) {
			return i
		}
	}
	return -1
}

// logit gives what the model says of the described window that holds the sentences
// [lo,hi), and what of that the marks say. It is what [Model.Logit] says of what
// [Features.Extract] finds in it; where that is less than least, it is anything less than least.
func (s *scratch) logit(text []byte, m *Model, lo, hi int, cues int32, least float64) (z, marks float64) {
	f := &s.features
	var sum grams
	var seen spots
	var english english
	tokens := 0
	for i := lo; i < hi; i++ {
		p := s.part(text, m, i)
		sum = sum.with(p.own)
		seen.add(&p.spots)
		tokens += int(p.to - p.from)
		english = english.with(p.english)
	}
	f.Grams = f.Grams[:0]
	for i := lo; i+1 < hi; i++ { // what reaches from sentence i into others
		var t [2 * (nearReach - 1)]gramToken
		own := f.toks[s.parts[i].from:s.parts[i].to]
		k := copy(t[:], own[max(0, len(own)-nearReach+1):])
		n := k
		for j := i + 1; j < hi; j++ {
			n += copy(t[n:k+nearReach-1], f.toks[s.parts[j].from:s.parts[j].to])
		}
		f.near(t[:n], k, k)
	}
	sum = sum.with(f.weigh(m))
	f.Marks = f.Marks[:0]
	f.marks(&s.w, seen, tokens)
	cues += m.weigh(f.Marks).sum
	f.Meant = f.Meant[:0]
	if !m.gloss.empty() && !english.most() && m.logit(sum, cues) > MeantFloor {
		f.meant(f.interpreter.understand(s.heard(text, m.gloss, lo, hi)))
	}
	meant := m.meant(f.Meant)
	// The words in front are few: most windows say nothing whatever these weigh.
	most := sum.with(grams{math.MaxInt8 * contextWords, 0})
	if most.sum < 0 {
		most.n += contextWords
	}
	if z = m.logit(most, cues) + meant; sum.n == 0 || m.scale <= 0 || !(z < least) {
		z = m.logit(sum.with(s.before(m, lo)), cues) + meant
	}
	return z, m.scale * MarkUnit * float64(cues)
}

// maxHeard is how many forms are kept for windows that share sentences: a view may hold a million.
const maxHeard = 1 << 14

// heard gives the forms of the glossary in the sentences [lo,hi).
func (s *scratch) heard(text []byte, g *Glossary, lo, hi int) []glossHit {
	p := &s.features.interpreter
	if len(p.hits) > maxHeard {
		p.hits = p.hits[:0]
		s.hearing++
	}
	p.window = p.window[:0]
	for i := lo; i < hi; i++ {
		x := &s.parts[i]
		if x.heard != s.hearing {
			x.heard = s.hearing
			x.formFrom, x.formTo = p.hear(g, text[s.pieces[i].start:s.pieces[i].end], s.pieces[i].start)
		}
		p.window = append(p.window, p.hits[x.formFrom:x.formTo]...)
	}
	return p.window
}

// twin is a window that was scored, and what the model said of it.
type twin struct {
	turn           uint32 // the view that it is of: see scratch.turn
	lo, hi         int32  // its sentences
	all            piece
	before         int32 // how long Window.Before is
	hidden, quoted bool
	z, marks       float64
	classes        uint32
}

// twinBits: so many windows are remembered.
const twinBits = 6

// twinOf has the described window scored, unless one of the same view that says the same was: who says
// a thing a thousand times is to gain no time by it.
func (s *scratch) twinOf(text []byte, m *Model, of piece, lo, hi int) *twin {
	w := &s.w
	key := (uint64(uint32(of.sum))<<32 | uint64(of.end-of.start)<<1 | uint64(w.Kind)) * gateOne
	t := &s.twins[key>>(64-twinBits)]
	x := twin{turn: s.turn, lo: int32(lo), hi: int32(hi), all: of, before: int32(len(w.Before)), hidden: w.Hidden, quoted: w.Quoted}
	if !s.alike(text, t, &x) {
		var cues int32
		cues, x.classes = s.cues(of)
		x.z, x.marks = s.logit(text, m, lo, hi, cues, low)
		*t = x
	}
	return t
}

// alike reports that two windows of the view hold the same sentences behind the same words, and in
// them the same matches and terms.
func (s *scratch) alike(text []byte, t, x *twin) bool {
	if t.turn != x.turn || t.hi-t.lo != x.hi-x.lo || t.before != x.before || t.hidden != x.hidden || t.quoted != x.quoted ||
		!bytes.Equal(text[t.all.start-t.before:t.all.end], text[x.all.start-x.before:x.all.end]) {
		return false
	}
	for k := range t.hi - t.lo {
		if s.pieces[t.lo+k].end-t.all.start != s.pieces[x.lo+k].end-x.all.start {
			return false
		}
	}
	one, two := s.occ[t.all.occ:], s.occ[x.all.occ:]
	for i := 0; ; i++ {
		a, b := i < len(one) && one[i].start < t.all.end, i < len(two) && two[i].start < x.all.end
		if a != b || a && (one[i].means != two[i].means || one[i].start-t.all.start != two[i].start-x.all.start) {
			return false
		}
		if !a {
			break
		}
	}
	from := func(at int32) []candidate {
		return s.cands[sort.Search(len(s.cands), func(i int) bool { return s.cands[i].start >= at }):]
	}
	first, second := from(t.all.start), from(x.all.start)
	for i := 0; ; i++ {
		a, b := i < len(first) && first[i].start < t.all.end, i < len(second) && second[i].start < x.all.end
		if a != b || a && (first[i].rule != second[i].rule || first[i].weight > 0 != (second[i].weight > 0) || first[i].start-t.all.start != second[i].start-x.all.start) {
			return false
		}
		if !a {
			return true
		}
	}
}

// judgeWindow has the described window scored.
func (s *scratch) judgeWindow(n *node, text []byte, m *Model, of piece, lo, hi int) {
	w := &s.w
	t := s.twinOf(text, m, of, lo, hi)
	z, marks, classes := t.z, t.marks, t.classes
	if math.IsNaN(z) || math.IsInf(z, 0) {
		s.exceeded = true
		return
	}
	if z >= framedLeast && len(s.odd) < maxOdd {
		s.odd = append(s.odd, of)
	}
	if z < low {
		return
	}
	p := m.Probability(z)
	if t := s.evidence.window(w, z, classes); t != nil {
		s.best, t.grounds.marks = of, marks
	}
	// The best window is always shown: nobody is to be asked about a text without a reason.
	if p >= minModelFinding && w.Kind == Sentence || p > s.loudest {
		s.foundByModel(n, w, p)
	}
	s.loudest = math.Max(s.loudest, p)
}
