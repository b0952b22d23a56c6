package detect

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/view"
)

// The verdict on a text is decided on evidence about the whole of it: the windows
// that scored highest, what the rules say, and what kind of text surrounds them.
// One and the same sentence is an attack in a mail and an example in a guide to
// prompting; and a file of rules for an assistant has twenty sentences of orders where
// an attack has three.

// families of rules that evidence is kept of. A rule of another family counts in what
// the rules say together.
var families = [...]string{
	"action-directive", "delimiter-forgery", "exfiltration", "fake-boundary", "hidden-text", "instruction-override",
	"persistence", "prompt-extraction", "role-hijack", "self-propagation", "task-switch",
}

// topWindows is how many of the best windows are kept.
const topWindows = 4

// cueClasses are the classes of words by which the best window is told apart: to
// address a model is a matter of course in a guide to prompting, and odd in an invoice.
var cueClasses = [...]string{
	"assistant", "instruction", "newtask", "secretprompt", "secrecy", "user", "send", "data", "tool", "toolnoun", "money",
	"role", "unbound", "persist", "endmark", "obey", "spread", "authority", "important", "append", "ignore", "previous", "you", "reveal",
}

// cueBit is the bit of each of the cueClasses, by the hash of its name: they are the same
// in every language.
var cueBit = func() map[uint64]uint32 {
	m := map[uint64]uint32{}
	for i, c := range cueClasses {
		m[classHash(c)] = 1 << i
	}
	return m
}()

// classes tells which of the cueClasses the words of a window are of.
func (w *Window) classes() (bits uint32) {
	for i := range w.Cues {
		h := w.Cues[i].class
		if h == 0 {
			h = classHash(w.Cues[i].Term)
		}
		bits |= cueBit[h]
	}
	return bits
}

// low is a logit below which a window says nothing: so the gate may drop it.
const low = 1.5

// evidence is what a scan found out about a whole text.
type evidence struct {
	rules     float64                // what the rules say together
	firm      float64                // what the surest says of those that no subject of the text excuses: see [Figures.Floor]
	matched   [len(families)]float64 // weight of the heaviest rule of each family
	plain     [len(families)]float64 // what is left of it where nothing excuses it
	heard     []topWindow            // windows that may matter, as they were met
	leader    int                    // the best of them
	top       [topWindows]topWindow  // the best of them, best first; no two overlap
	tops      int
	sentences int // sentences of the text
}

// topWindow is a window that scored high.
type topWindow struct {
	logit                       float64
	raw, at                     chunk.Span // in the raw text, and in that of its view
	view                        int32      // see Window
	hidden, quoted, deep, whole bool
	kind                        WindowKind
	weight                      float64 // of the heaviest rule in it
	cues                        uint32  // which of the classes of cues it holds
	grounds                     grounds // of the best window
}

// familyNo numbers families of rules; all that evidence is not kept of have the same number.
func familyNo(family string) uint8 {
	if k := slices.Index(families[:], family); k >= 0 {
		return uint8(k)
	}
	return uint8(len(families))
}

// rule takes in that a rule of a family matched. weight is the rule's own, p what its context
// leaves of it, and where says that the words are hidden or were decoded.
func (e *evidence) rule(family uint8, weight, p float64, where bool) {
	k := int(family)
	if k >= len(families) {
		return
	}
	e.matched[k] = max(e.matched[k], weight)
	if p >= weight || where {
		e.plain[k] = max(e.plain[k], p)
	}
}

// window takes in a scored window. One below low says nothing: what is decided does not
// depend on which of them the gate drops, nor on the order of the others. Classes tells which
// of the cueClasses its words are of. It gives the window back if it is the best so far.
func (e *evidence) window(w *Window, logit float64, classes uint32) *topWindow {
	if logit < low {
		return nil
	}
	t := topWindow{logit: logit, raw: w.Raw, at: w.at, view: w.view, hidden: w.Hidden, quoted: w.Quoted, deep: w.Depth > 0, whole: w.Whole, kind: w.Kind}
	for _, h := range w.Hits {
		t.weight = max(t.weight, h.Weight)
	}
	t.cues = classes
	e.heard = append(e.heard, t)
	last := len(e.heard) - 1
	if last > 0 && !t.before(&e.heard[e.leader]) {
		return nil
	}
	e.leader = last
	return &e.heard[last]
}

// empty reports that there is nothing to decide: no rule matched and no window may matter.
func (e *evidence) empty() bool { return len(e.heard) == 0 && e.rules == 0 }

// settle chooses the best windows. Of those that overlap the best one stands for all.
func (e *evidence) settle() {
	for e.tops = 0; e.tops < topWindows; e.tops++ {
		var best *topWindow
		for i := range e.heard {
			t := &e.heard[i]
			if (best == nil || t.before(best)) && !slices.ContainsFunc(e.top[:e.tops], func(x topWindow) bool { return x.raw.Overlaps(t.raw) }) {
				best = t
			}
		}
		if best == nil {
			return
		}
		e.top[e.tops] = *best
	}
}

// before reports whether t is better than x, or as good and further in front.
func (t *topWindow) before(x *topWindow) bool {
	return cmp.Or(cmp.Compare(x.logit, t.logit), cmp.Compare(t.raw.Start, x.raw.Start), cmp.Compare(t.raw.End, x.raw.End)) < 0
}

// VerdictSize is the number of figures that a verdict is decided on.
const VerdictSize = 129 + 3*len(cueClasses)

// RereadFigure is where the figures hold what [Reread] says of the best window, and behind
// it that times the window's logit.
const RereadFigure = VerdictSize - 6

// MeantFigure is where they hold what [Meant] says of it, that times the window's logit, and how
// many of the words have a meaning.
const MeantFigure = VerdictSize - 4

// figures describes the evidence for the verdict's model: size is that of the text,
// discuss how many of its words say that it talks about attacks on models, again what is said
// of the best window when it is read again, and the setting what surrounds that in the text.
func (e *evidence) figures(size int, discuss int, again reading, in *setting) (f [VerdictSize]float64) {
	k := 0
	put := func(values ...float64) {
		copy(f[k:], values)
		k += len(values)
	}
	yes := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	logit := func(i int) float64 {
		if i >= e.tops {
			return low
		}
		return min(max(e.top[i].logit, low), 12)
	}
	var best topWindow
	if e.tops > 0 {
		best = e.top[0]
	}
	first, second := logit(0), logit(1)
	near := 0
	for i := range e.tops {
		near += int(yes(logit(i) >= first-1.5))
	}
	rules := e.rules
	l, topics, st := &in.layout, &in.topics, &in.standing
	sentences := math.Log(float64(max(1, e.sentences)))

	put(1, first, max(0, first-3), max(0, first-5), max(0, first-7), second, max(0, second-4), logit(2), first-second)
	put(yes(best.hidden), yes(best.quoted), yes(best.deep), float64(best.kind), yes(best.whole))
	put(first*yes(best.hidden), first*yes(best.quoted), first*yes(best.deep))
	put(rules, yes(rules >= 0.3), yes(rules >= 0.5), yes(rules >= 0.7), yes(rules >= 0.85), yes(rules >= 0.95))
	put(e.plain[:]...)
	for i := range families {
		put(e.matched[i] - min(e.plain[i], e.matched[i])) // quoted, in one way or another
	}
	for i := 1; i <= 4; i++ {
		put(yes(discuss >= i))
	}
	put(first*yes(discuss >= 1), first*yes(discuss >= 3), rules*yes(discuss >= 1), rules*yes(discuss >= 3))
	put(sentences, math.Log(float64(1+size))/4, first*sentences/3, rules*sentences/3)
	put(float64(near), yes(near >= 3))
	put(l.lists, l.heads, l.fences, l.persona, l.code, first*l.lists, first*l.persona, rules*l.persona)
	put(l.tags, l.braces, l.asks, l.shouts, l.lines, l.width)
	for _, x := range topics {
		x = min(max(x, -5), 5)
		put(x, max(0, x), max(0, x-2), first*x, rules*x)
	}
	put(best.weight, first*best.weight, rules*yes(best.weight == 0))
	// How far there is text around the best window, and that is about something else.
	rest := float64(size-best.raw.Len()) / 200
	other := min(1, max(0, -topics[TopicModels]/3)) * min(1, max(0, -topics[TopicRules]/3)) * min(1, max(0, rest))
	alone := max(0, 1-rest)
	put(other, alone, first*other, first*alone)
	count := 0.0
	for i := range cueClasses {
		has := yes(best.cues&(1<<i) != 0)
		count += has
		put(has, has*other, has*alone)
	}
	put(count, count*other)
	// How the best window stands in the text, and what its score rests on.
	if e.tops == 0 {
		return f
	}
	around, much := math.Log(float64(1+st.words))/6, min(1, float64(st.words)/60)
	line := yes(st.lineStart && st.lineEnd)
	put(st.share*much, first*st.share*much, st.share*around, around, much)
	put(much*yes(st.lineStart), much*yes(st.lineEnd), much*line, first*much*line, yes(st.afterColon), yes(st.afterQuote), much*st.at, much*st.at*st.at)
	long := math.Log(float64(1+best.raw.Len())) / 4
	put(long, first*long)
	g := best.grounds
	put(g.grams, g.unknown, g.agree, g.few, first*g.grams, first*g.unknown, first*g.agree, first*g.few, much*g.unknown, much*g.agree, much*g.few)
	put(g.words, g.near, g.marks, g.unknownWords, g.unknownNear)
	put(again.reread, first*again.reread)
	put(again.meant, first*again.meant, again.meant*g.unknownWords, again.meanings)
	return f
}

// reading is what is said of the best window when it is read again.
type reading struct {
	reread, meant float64
	meanings      float64 // how many of its words have one, as a logarithm
}

// RereadLogit bounds what [Reread] says.
func RereadLogit(z float64) float64 { return min(max(z, -8), 8) }

// layout is what a text looks like: prose, a list, code, a page.
type layout struct {
	lists, heads float64 // shares of its lines that are items of lists, and headings
	fences       float64 // fences of code
	persona      float64 // 1: it begins by telling its reader who it is
	code         float64 // 1: it begins as JSON does
	tags, braces float64 // signs of markup and of code, for its length
	asks, shouts float64 // question and exclamation marks, for its length
	lines, width float64 // number of lines, and bytes in one, as logarithms
}

func layoutOf(text []byte) (l layout) {
	head := bytes.TrimLeft(text[:min(len(text), 64)], " \t\r\n#*`\"'")
	if len(head) > 0 && (head[0] == '{' || head[0] == '[') {
		l.code = 1
	}
	if opening := text[:min(len(text), 400)]; addressed(opening) {
		l.persona = 1
	}
	size := float64(max(1, len(text)))
	count := func(sign byte) float64 { return float64(bytes.Count(text, []byte{sign})) / size }
	l.tags, l.braces, l.asks, l.shouts = 20*count('<'), 20*count('{'), 50*count('?'), 50*count('!')
	all := float64(1 + bytes.Count(text, []byte{'\n'}))
	l.lines, l.width = math.Log(all)/3, math.Log(size/all)/4
	lines := 0.0
	for at := 0; at < len(text); {
		line := text[at:]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		at += len(line) + 1
		for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
			line = line[1:]
		}
		if len(line) == 0 {
			continue
		}
		if line[0] < ' ' || line[0] >= utf8.RuneSelf { // other white space
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
		}
		lines++
		switch c := line[0]; {
		case c == '-' || c == '*' || c >= '0' && c <= '9':
			l.lists++
		case c == '#':
			l.heads++
		case bytes.HasPrefix(line, []byte("```")):
			l.fences++
		}
	}
	lines = max(1, lines)
	l.lists, l.heads, l.fences = l.lists/lines, l.heads/lines, min(2, l.fences)/2
	return l
}

// addressed reports that a text tells its reader who he is.
func addressed(text []byte) bool {
	const you = "you"
	for at := 0; ; at++ {
		i := bytes.IndexByte(text[at:], ' ')
		if i < 0 {
			return false
		}
		if at += i; at >= len(you) && hasFold(text[at-len(you):], you+" are") {
			return true
		}
	}
}

// Figures are what the verdict on a text is decided on.
type Figures struct {
	Values [VerdictSize]float64
	// Bare are those of the text as it reads without its disguise, if the best window wears one.
	Bare   [VerdictSize]float64
	Masked bool    // it does
	Empty  bool    // nothing to decide: no rule matched and no window scored high enough to matter
	Rules  float64 // what the rules say together
	Firm   float64 // what the surest of them says that no subject excuses
	About  bool    // the text is about models, but for what rules matched
	Top    float64 // logit of the best window; -Inf: none was scored
	// Words are those of the best window, for the net. They are valid until the next scan.
	Words   []uint32
	Slots   []uint32 // of the words of the best window and pairs of them, for training
	Unknown float64  // how many of these words, and the letters in them, the model does not know
	Meant   []uint32 // of what these words mean, and pairs of that, for training
}

// Figures scans a text and hands out what its verdict is decided on, for training.
func (d *Detector) Figures(text []byte) Figures {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.begin(d, Input{Text: text})
	s.learning = true
	s.scan()
	s.learning = false
	f := s.sum(math.Inf(1))
	if s.evidence.tops > 0 {
		f.Unknown = s.evidence.top[0].grounds.unknownWords
		f.Slots, f.Meant, f.Words = slices.Clone(s.reread), slices.Clone(s.meant), slices.Clone(f.Words)
	}
	return f
}

// sum gives the figures of the text that was scanned. Where those of the text without its disguise
// say enough, they stand for both: the raw text can only say more.
func (s *scratch) sum(enough float64) Figures {
	e := &s.evidence
	s.readLeader()
	e.settle()
	f := Figures{Empty: e.empty(), Rules: e.rules, Firm: e.firm, Top: math.Inf(-1)}
	if f.Empty {
		return f
	}
	var best chunk.Span
	if e.tops > 0 {
		f.Top, best, f.Words = e.top[0].logit, e.top[0].raw.Shift(s.carry), s.read
	}
	f.About = s.trusted() < e.rules
	if text, ok := s.unmasked(); ok {
		bare := e.of(e.top[0].view)
		f.Values = s.figures(&bare, text, bare.top[0].at)
		if enough <= 1 && s.d.model.Decide(&f) >= enough {
			return f
		}
		f.Bare, f.Masked = f.Values, true
	}
	f.Values = s.figures(e, s.text, best)
	return f
}

// figures gives those of evidence about a text whose best window stands at best.
func (s *scratch) figures(e *evidence, text []byte, best chunk.Span) [VerdictSize]float64 {
	var again reading
	if m := s.d.model; e.tops > 0 {
		again = reading{RereadLogit(m.bags[Reread].logit(s.reread)), 0, math.Log(float64(1+s.meanings)) / 3}
		if len(s.meant) > 0 {
			again.meant = RereadLogit(m.bags[Meant].logit(s.meant))
		}
	}
	if !same(text, s.text) {
		x := s.settingOf(text, best)
		return e.figures(len(text), s.discuss, again, &x)
	}
	// The raw text is weighed again when views told more, and they seldom show a better window.
	if !s.setting.known || s.setting.best != best {
		s.setting = s.settingOf(text, best)
	}
	return e.figures(len(text), s.discuss, again, &s.setting)
}

// setting is what surrounds the best window.
type setting struct {
	known    bool
	best     chunk.Span
	standing standing
	topics   [Topics]float64 // how far the text around it is about each (logits)
	layout   layout
}

func (s *scratch) settingOf(text []byte, best chunk.Span) setting {
	x := setting{known: true, best: best, layout: layoutOf(text)}
	var slots []uint32
	x.standing, slots = stand(&s.features, text, best, func(from, to int) { s.cut(text, from, to) })
	for i := range x.topics {
		x.topics[i] = s.d.model.bags[i].logit(slots)
	}
	return x
}

// same reports that two texts are one, not only alike.
func same(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// unmasked gives the text of the view that shows the best window, if that reads otherwise than
// the raw text does. What surrounds the window is disguised with it as a rule: the raw text
// would tell only that it is like no text at all.
func (s *scratch) unmasked() ([]byte, bool) {
	if s.evidence.tops == 0 {
		return nil, false
	}
	i := s.evidence.top[0].view
	text := s.queue[i].v.Text
	if view.Plain(text) {
		return text, i > 0
	}
	changes := view.FoldMost(&s.shown, text, mostFolded(text))
	if len(s.shown.Text) > mostFolded(text) {
		return nil, false // it is held: a page that a few signs stand for tells nothing
	}
	return s.shown.Text, i > 0 || changes&^view.Marks != 0
}

// of gives what the evidence says of a text that one view shows, taken as it stands there.
func (e *evidence) of(view int32) evidence {
	x := evidence{rules: e.rules, firm: e.firm, matched: e.matched, plain: e.plain, sentences: e.sentences}
	for _, t := range e.heard {
		if t.view == view {
			t.raw, t.deep = t.at, false
			x.heard = append(x.heard, t)
		}
	}
	x.settle()
	return x
}

// Rules that are this sure together are believed whatever the model says: from
// believed on the text is suspect, from sure on it is quarantined. Rules that somebody
// adds are unknown to the model, and act by this. A text about models holds the words of
// attacks as an article on theft holds those of thieves: there the model decides, which knows
// the rules, but for added ones and for words that are hidden or were decoded.
const (
	believed = 0.85
	sure     = 0.92
)

// Floor is the least score of a text: what its rules alone give.
func (f *Figures) Floor() float64 {
	p := f.Rules
	if f.About {
		p = f.Firm
	}
	switch {
	case p >= sure:
		return p
	case p >= believed:
		return DefaultSuspect + (p-believed)/(sure-believed)*(DefaultQuarantine-DefaultSuspect-0.01)
	}
	return 0
}

// trusted gives what the rules say together where they are believed whatever the model says: see [Figures.Floor]. What the
// text is about is asked once, and only of few.
func (s *scratch) trusted() float64 {
	e := &s.evidence
	if e.rules < believed || s.d.model == nil || e.firm >= e.rules {
		return e.rules
	}
	if s.subject == 0 {
		s.subject = s.subjectOf()
	}
	if s.subject == modelsSubject {
		return e.firm
	}
	return e.rules
}

// subject is what a text is about, where that was asked.
type subject uint8

const (
	otherSubject subject = 1 + iota
	modelsSubject
)

// minSubject is how many different words, and pairs of them, tell what a text is about at least.
const minSubject = 40

// subjectOf tells whether the raw text is about models, but for the sentences and lines in which rules matched: an attack
// that is said again and again is no article on attacks.
func (s *scratch) subjectOf() subject {
	if len(s.findings) >= maxHits {
		return otherSubject
	}
	spans := make([]chunk.Span, 0, len(s.findings))
	for _, f := range s.findings {
		x := f.Span.Shift(s.carry)
		x.Start, x.End = min(max(x.Start, 0), len(s.text)), min(x.End, len(s.text))
		for x.Start > 0 && !endsSentence(s.text[x.Start-1]) {
			x.Start--
		}
		for x.End < len(s.text) && !endsSentence(s.text[x.End]) {
			x.End++
		}
		spans = append(spans, x)
	}
	slices.SortFunc(spans, func(a, b chunk.Span) int { return cmp.Compare(a.Start, b.Start) })
	var rest []uint32
	at := 0
	for _, x := range append(spans, chunk.Span{Start: len(s.text), End: len(s.text)}) {
		if part := s.text[min(at, x.Start):x.Start]; len(part) > 0 {
			rest = append(rest, topicSlots(&s.features, len(part), chunk.Span{}, nil, func(from, to int) { s.cut(part, from, to) })...)
		}
		at = max(at, x.End)
	}
	slices.Sort(rest)
	if rest = slices.Compact(rest); len(rest) < minSubject || s.d.model.bags[TopicModels].logit(rest) <= 0 {
		return otherSubject
	}
	return modelsSubject
}

// endsSentence tells stops and the ends of lines.
func endsSentence(c byte) bool { return c == '.' || c == '!' || c == '?' || c == '\n' }

// weigh gives the score of the text by the evidence that there is. Evidence that was weighed
// is not weighed again.
func (s *scratch) weigh() float64 {
	m := s.d.model
	if m == nil || s.ruled() {
		return s.evidence.rules
	}
	if s.evidence.empty() {
		return 0 // as most texts are
	}
	if has := s.evidence.amount(s.discuss); s.weighed != has {
		s.weighed = has
		f := s.sum(s.enough)
		s.score = m.Decide(&f)
	}
	return s.score
}

// amount tells evidence from what there was of it before: it only grows.
type amount struct {
	known                     bool
	heard, sentences, discuss int
	rules, firm               float64
	matched, plain            [len(families)]float64
}

func (e *evidence) amount(discuss int) amount {
	return amount{true, len(e.heard), e.sentences, discuss, e.rules, e.firm, e.matched, e.plain}
}

// conclude turns the evidence into the score of the text.
func (s *scratch) conclude() {
	s.score = s.weigh()
	// A window cannot say more than the verdict on the whole text, and where that says
	// next to nothing it is no finding.
	kept := s.findings[:0]
	for _, f := range s.findings {
		if f.Rule == ModelRule {
			if s.score < DefaultSuspect/2 {
				continue
			}
			f.Score = min(f.Score, s.score)
		}
		kept = append(kept, f)
	}
	s.findings = kept
}

// Decide gives the probability that a text holds an injection.
func (m *Model) Decide(f *Figures) float64 {
	if f.Empty {
		return 0
	}
	return max(1/(1+math.Exp(-f.Logit(&m.verdict, m.trees, m.net))), f.Floor())
}

// Logit is what weights, trees and net say of a text together. A disguise makes it no better: the text
// says what it would say without one, at least.
func (f *Figures) Logit(weights *[VerdictSize]float64, trees []Tree, net *Net) float64 {
	z := verdictLogit(&f.Values, f.Words, weights, trees, net)
	if f.Masked {
		z = max(z, verdictLogit(&f.Bare, f.Words, weights, trees, net))
	}
	return z
}

func verdictLogit(x *[VerdictSize]float64, words []uint32, weights *[VerdictSize]float64, trees []Tree, net *Net) float64 {
	z := 0.0
	if net != nil { // as in a model made by hand
		in := net.Input(words, x)
		z = net.Logit(&in)
	}
	for i, w := range weights {
		z += w * x[i]
	}
	for i := range trees {
		z += trees[i].Eval(x)
	}
	return z
}
