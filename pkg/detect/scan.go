package detect

import (
	"bytes"
	"math"
	"slices"
	"sort"
	"sync"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/view"
)

// CarryBytes is how much text in front of a chunk a scan looks back at, so that
// what is spread over a cut is found (SPEC DET-3).
const CarryBytes = 2048

// Default thresholds, in probability (SPEC DET-4; DECISIONS, "Two thresholds").
const (
	DefaultSuspect    = 0.50
	DefaultQuarantine = 0.85
)

// Bounds of one scan (SPEC DET-6). What exceeds one is held.
const (
	MaxText   = 1 << 20 // bytes of Text and Carry together
	maxDepth  = 4       // decoding steps upon one another
	maxNodes  = 64      // views of one text
	maxExpand = 4       // bytes of views, as a multiple of the text, and expandMin more
	expandMin = 4 << 10
	maxHits   = 64 // findings kept
	// How long folded text may be, as a multiple of the text, and foldedMin more. There are signs
	// that stand for eighteen letters.
	maxFolded = 2
	foldedMin = 512
	// What views are still searched once the text cannot be delivered: for people who
	// ask why.
	enoughExpand = 2
)

// Input is one text to decide.
type Input struct {
	Text []byte // raw
	// Gaps are spans of Text that recognisers found (a name, a number). A phrase may
	// step over them: they do not count into the distance between its words.
	Gaps []chunk.Span
	// Carry is the raw text just before Text; more than CarryBytes are cut off its
	// front. A finding that lies wholly in it is not reported again; one that begins
	// in it and ends in Text has its span clipped to begin at 0.
	Carry []byte
	// Thresholds of this source; zero or not a number: the defaults. Suspect is
	// never above Quarantine.
	Suspect, Quarantine float64
}

// Scan decides a text. It never panics; a fault, or an exceeded bound, gives
// [chunk.Hold] with [chunk.FailUndecided].
func (d *Detector) Scan(in Input) (out chunk.Scan) {
	s := scratches.Get().(*scratch)
	defer func() {
		if recover() != nil {
			// The scratch may be in any state: let it go.
			out = chunk.Scan{Verdict: chunk.Hold, Failure: chunk.FailUndecided}
			return
		}
		scratches.Put(s)
	}()
	if d == nil || len(d.terms) == 0 {
		return chunk.Scan{Verdict: chunk.Hold, Failure: chunk.FailUndecided}
	}
	s.begin(d, in)
	s.scan()
	s.conclude()
	return s.verdict(in)
}

// Windows hands out the windows that a scan of text scores, for training and for
// measuring the gate; with all set also those that the gate drops. The window and
// what it points to are valid during the call of visit only.
func (d *Detector) Windows(text []byte, all bool, visit func(*Window)) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.begin(d, Input{Text: text})
	s.visit, s.all = visit, all
	s.scan()
	s.visit, s.all = nil, false
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// occurrence is one word found in the text of a node.
type occurrence struct {
	means      int32
	start, end int32
}

// excuse is an occurrence of a term that is an exception of some rule.
type excuse struct{ term, start, end int32 }

// candidate is one match of a rule in the text of a node.
type candidate struct {
	rule       int32
	start, end int32 // in the node's text
	weight     float64
}

// node is one view to be searched.
type node struct {
	v      view.View
	parent int32 // its place in the queue
	depth  int
	hidden bool
	beyond bool // the text holds more than ASCII
	// It holds letters beyond ASCII, or did.
	letters bool
	hides   int8 // whether the text holds comments: 0 not looked, 1 no, 2 yes
	fenced  bool // fences is filled, and the following are known
	fences  []int32
	// Whether the text holds signs that may quote: quotation marks, back-quotes, and those of quoted lines.
	quotes, backs, angles bool

	line, lineAsked int // where the line of the place begins that was asked for last
}

// slot is the latest match of the first steps of a sequence, if it is of this turn.
type slot struct {
	start, end int32
	turn       uint32
}

// scratch is the working memory of one scan; it is kept and used again.
type scratch struct {
	d     *Detector
	text  []byte // carry and text together
	join  []byte
	carry int
	gaps  []chunk.Span

	hits hits
	occ  []occurrence
	// Of these, while they are put in order.
	spare []occurrence
	// Those that are exceptions of some rule, in the same order.
	excuses []excuse
	cands   []candidate
	voices  []voice
	slots   []slot
	filled  []uint64 // those of this turn, a bit for each
	turn    uint32   // views matched so far

	wants view.Wants                 // views that words of the node ask for
	shape struct{ rule, from int32 } // the one that is looked for, and where
	found func(start, end int)       // takes in that it is there
	// Where the words that tell of each shape stand.
	seen     [maxShapes]struct{ lo, hi int32 }
	decoder  view.Decoder
	fold     view.View // of the node being searched
	shown    view.View // of what a finding covers
	named    []byte    // the raw text whose foldings were named last
	names    []string  // these
	views    []string  // what chain gave for the node being searched
	queue    []node
	cur      node  // the one being searched
	at       int32 // its place in the queue
	expanded int
	exceeded bool

	w        Window
	wtext    []byte
	wmap     []int32 // for each byte of a window, where it is in wtext
	pieces   []piece
	words    index
	windows  uint32   // scored so far
	met      []cueMet // by class of terms
	twins    [1 << twinBits]twin
	parts    []part
	best     piece  // the best window so far, in its view
	hearing  uint32 // counts how often the forms of the glossary that were kept were dropped
	judged   []byte // the text of the view that parts are of
	features Features
	discuss  int // how many different words tell of talk about attacks, as far as spoken holds them
	spoken   [8]uint64
	findings []chunk.Finding
	foundBy  []int32 // of the findings: the rule
	evidence evidence
	second   Features // for the grounds of the best window
	leading  []byte   // its text
	unread   bool     // it was not read again yet
	meanings int      // how many of its words have a meaning
	foreign  bool     // it is not English: second has heard its forms of the glossary
	reread   []uint32 // slots of its words, and of pairs of them
	read     []uint32 // places of its words in the net
	meant    []uint32 // slots of what its words mean, and of pairs of that
	odd      []piece  // windows of the view that may lie in sentences in pieces
	loudest  float64  // the highest score of a window, or of rules, so far
	score    float64  // of the text, by the evidence weighed last
	enough   float64  // a score that quarantines
	extra    int      // windows scored since it was reached
	tried    float64  // how loud the text was when decided weighed it last
	weighed  amount   // the evidence that score was given for
	setting  setting  // of the best window in the raw text
	subject  subject  // of the raw text; 0: not asked
	over     bool     // it was found to be quarantined

	visit    func(*Window)
	all      bool
	learning bool // every view counts
}

func (s *scratch) begin(d *Detector, in Input) {
	s.d = d
	s.text, s.carry = in.Text, 0
	s.gaps = s.gaps[:0]
	if n := len(in.Carry); n > 0 {
		c := in.Carry[max(0, n-CarryBytes):]
		s.join = append(append(s.join[:0], c...), in.Text...)
		s.text, s.carry = s.join, len(c)
	}
	for _, g := range in.Gaps {
		s.gaps = append(s.gaps, g.Shift(s.carry))
	}
	s.enough, s.extra, s.tried, s.weighed, s.over = DefaultQuarantine, 0, 0, amount{}, false
	if in.Quarantine > 0 && in.Quarantine <= 1 {
		s.enough = in.Quarantine
	}
	s.decoder.Reset(d.words)
	clear(s.queue)
	s.queue = s.queue[:0]
	s.findings, s.foundBy, s.judged, s.setting, s.named = nil, s.foundBy[:0], nil, setting{}, nil
	s.expanded, s.exceeded, s.discuss, s.loudest, s.score, s.subject = 0, false, 0, 0, 0, 0
	s.evidence, s.unread = evidence{heard: s.evidence.heard[:0]}, false
	if len(s.slots) < d.slots {
		s.slots, s.filled, s.turn = make([]slot, d.slots), make([]uint64, d.slotWords), 0
		clear(s.twins[:]) // turns begin anew
	}
	if len(s.met) < d.said.classes {
		s.met, s.windows = make([]cueMet, d.said.classes), 0
	}
}

func (s *scratch) scan() {
	if len(s.text) > MaxText {
		s.exceeded = true
		return
	}
	s.queue = append(s.queue, node{v: view.Identity(s.text)})
	searched := 0
	for i := 0; i < len(s.queue); i++ {
		searched += len(s.queue[i].v.Text)
		if i > 0 && (s.loudest >= s.enough || s.held()) && s.visit == nil && !s.all && searched > enoughExpand*len(s.text)+expandMin {
			break // it is not delivered anyway
		}
		s.node(i)
		if s.over {
			break
		}
	}
}

// decided reports that what is known quarantines the text. What else may hide in it is of no
// use to anybody then, and looking for it is what an attacker can make dear.
func (s *scratch) decided() bool {
	if s.loudest > s.tried && s.loudest >= s.enough && s.visit == nil && !s.all && !s.learning {
		s.tried = s.loudest
		s.over = s.weigh() >= s.enough
	}
	return s.over
}

// ruled reports that the rules alone quarantine the text: see [Figures.Floor].
func (s *scratch) ruled() bool {
	return s.evidence.rules >= max(sure, s.enough) && s.visit == nil && !s.all && !s.learning && s.trusted() >= max(sure, s.enough)
}

// held reports that the text exceeds a bound: it is not delivered, whatever else is found.
func (s *scratch) held() bool { return s.exceeded && s.visit == nil && !s.all && !s.learning }

// node searches one view and queues the views that it asks for. Once the text is held only what
// is queued is searched: that may quarantine it, and shows people why.
func (s *scratch) node(i int) {
	fences := s.cur.fences[:0] // its memory is used again
	s.cur, s.at, s.odd, s.views = s.queue[i], int32(i), s.odd[:0], nil
	n := &s.cur
	n.fences = fences
	if !s.decoder.Plain(n.v.Text) {
		s.folded(n)
		n.beyond = !s.decoder.Look(n.v.Text)
	}
	text := n.v.Text
	s.search(n, text)
	if s.decided() || s.held() {
		return
	}
	wants := s.decoder.ProbeBut(text, s.wants, ownInverse[n.v.Name])
	if ownInverse[n.v.Name]&view.WantFramed == 0 && s.framed() {
		wants |= view.WantFramed
	}
	if n.hidden && wants != 0 {
		wants |= view.AllHidden
	}
	switch {
	case wants == 0:
	case n.depth < maxDepth:
		views, ok := s.decoder.Decode(text, wants, s.room())
		if !ok {
			s.exceeded = true
		}
		for _, v := range views {
			v.Through(&n.v)
			s.push(n, v)
		}
	case wants&(view.WantEscapes|view.WantRuns) != 0:
		// Something may be encoded more often than scans look. Numbers and long words do
		// not prove that; a layer that decodes does.
		views, ok := s.decoder.Decode(text, wants&(view.WantEscapes|view.WantRuns), 4*len(text)+expandMin)
		s.exceeded = s.exceeded || !ok || len(views) > 0
	}
}

// framedLeast is the least sum of a window that may lie in a sentence in pieces: what stands between
// the words makes it lower than it was. Few windows of honest texts reach it, and of few texts more
// than maxOdd do.
const framedLeast, maxOdd = -6, 16

// framedBefore is how far in front of that window pieces may begin, in bytes.
const framedBefore = 128

// framed reports that windows which may matter lie in sentences in pieces or, where there are none, that
// the text holds such sentences.
func (s *scratch) framed() (found bool) {
	if len(s.odd) == 0 {
		return s.decoder.FramedAnywhere()
	}
	for _, x := range s.odd {
		found = s.decoder.Framed(max(0, int(x.start)-framedBefore), int(x.end)) || found
	}
	return found
}

// ownInverse are views that undo themselves, or that show nothing new when they are built of one
// another: one of such a view shows its parent again, and a shift of a shift is a shift of the parent.
// Text that asks for them in both directions costs twice the work without that. What
// lies around a cipher, or around what was reversed, is garbled by undoing it, and no reason to undo one or to
// look for misspelt words. Views that take signs
// and spaces out of words, or put them in, are built of one another in one order: two of them may
// have their reasons side by side, and would be built in both.
var ownInverse = map[string]view.Wants{
	"word-order": view.WantOrder | guesses, "atbash": view.WantAtbash | view.WantCipher, "rot47": view.WantRot47 | view.WantCipher,
	"reversed": guesses, "reversed-words": guesses, "caesar": anyShift | view.WantCipher, "rot13": anyShift | view.WantCipher,
	"doubled": view.WantCipher, "every-second": view.WantCipher, "every-third": view.WantCipher,
	"shuffled": guesses | view.WantOrder, "anagrams": guesses | view.WantOrder, "no-vowels": guesses, "drawn-out": guesses, "last-first": guesses, "syllables": guesses,
	"one-vowel": guesses, "soft": guesses, "swapped": guesses, "affine": guesses,
	"framed": view.WantFramed, "concat": view.WantConcat, "spacing": view.WantMarkup | view.WantSpacing | view.WantSpelling, "strewn": view.WantSpacing | view.WantJoined,
	"split-words": view.WantSpacing | view.WantSpelling, "unspaced": view.WantSpacing | view.WantFused | view.WantSpelling, "leet": view.WantLeet | view.WantSpelling,
}

// guesses are views that guess what words were: of words that were guessed none is made again.
const guesses = view.WantSpelling | view.WantCipher

// anyShift are all shifts of letters.
var anyShift = func() (w view.Wants) {
	for n := 1; n < 26; n++ {
		w |= view.Caesar(n)
	}
	return w
}()

// room is how many bytes the views of the text may still hold.
func (s *scratch) room() int { return maxExpand*len(s.text) + expandMin - s.expanded }

// mostFolded is how long a text may be when it is folded.
func mostFolded(text []byte) int { return maxFolded*len(text) + foldedMin }

// folded replaces the node's text by its folded form, and queues what invisible
// characters spell.
func (s *scratch) folded(n *node) {
	raw := n.v
	changes := view.FoldMost(&s.fold, raw.Text, mostFolded(raw.Text))
	if n := len(raw.Text); len(s.fold.Text) > mostFolded(raw.Text) {
		for s.exceeded = true; n > 0 && !utf8.RuneStart(s.fold.Text[n]); n-- {
		}
		s.fold.Text = s.fold.Text[:n]
	}
	s.fold.Through(&raw)
	n.v = s.fold
	n.v.Name = raw.Name
	n.letters = changes&view.Marks != 0 || lettersBeyond(n.v.Text)
	view.Hidden(changes, raw.Text, func(c view.View) {
		c.Through(&raw)
		s.push(n, c)
	})
	view.Turned(raw.Text, func(c view.View) {
		c.Through(&raw)
		s.push(n, c)
	})
}

// lettersBeyond reports that a text holds a letter beyond ASCII.
func lettersBeyond(text []byte) bool {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if modelRune(r) {
			return true
		}
		i += n
	}
	return false
}

// known reports that a view reads as one that is queued: two ways to undo a disguise often
// come to the same.
func (s *scratch) known(text []byte, hidden bool) bool {
	for i := range s.queue {
		if n := &s.queue[i]; n.hidden == hidden && bytes.Equal(n.v.Text, text) {
			return true
		}
	}
	return false
}

// push queues a derived view within the bounds.
func (s *scratch) push(parent *node, v view.View) {
	hidden := parent.hidden || v.Hidden
	if len(v.Text) == 0 || s.known(v.Text, hidden) {
		return
	}
	s.expanded += len(v.Text)
	if len(s.queue) >= maxNodes || s.room() < 0 {
		s.exceeded = true
		return
	}
	s.queue = append(s.queue, node{
		v: v, parent: s.at, depth: parent.depth + 1, hidden: hidden,
	})
}

// chain names the views that exposed the text of the node being searched, outermost first. All of its
// findings share the list.
func (s *scratch) chain() []string {
	if s.views != nil {
		return s.views
	}
	n := &s.cur
	names := make([]string, n.depth)
	for k := n.depth - 1; k >= 0; k-- {
		names[k] = n.v.Name
		n = &s.queue[n.parent]
	}
	s.views = names
	return names
}

// search finds the terms, rules and shapes in a node's text and scores its
// windows.
func (s *scratch) search(n *node, text []byte) {
	d := s.d
	s.occ = s.occ[:0]
	s.words.word, s.words.stop, _ = s.decoder.Bits(s.words.word[:0], s.words.stop[:0], text)
	s.words.fill(text, d.lexicon)
	s.occ = d.lexicon.search(s.occ, text, &s.words)
	s.order(0)
	for _, sr := range [...]*searcher{&d.left, &d.wide} {
		if from := len(s.occ); len(sr.lits) > 0 && (sr == &d.left || n.beyond) {
			s.run(sr, text)
			s.order(from)
		}
	}
	s.cands = s.cands[:0]
	s.match(n)
	s.wants = 0
	s.notable(n, text)
	for i := range d.shapes {
		sh := &d.shapes[i]
		if sh.derived && n.depth == 0 {
			continue
		}
		lo, hi := 0, len(text)
		if sh.term >= 0 {
			if lo, hi = int(s.seen[i].lo), int(s.seen[i].hi); hi == 0 {
				continue
			}
			lo, hi = max(0, lo-shapeReach), min(len(text), hi+shapeReach)
			lo = bytes.LastIndexByte(text[:lo], '\n') + 1
		}
		s.look(sh, n, text, lo, hi)
	}
	s.confirm(n, text)
	s.judge(n, text)
}

// notable looks at the occurrences of terms that mean something by themselves: talk of
// attacks, words of a disguise, words that tell of a structure.
func (s *scratch) notable(n *node, text []byte) {
	d := s.d
	s.seen = [maxShapes]struct{ lo, hi int32 }{}
	s.excuses = s.excuses[:0]
	var asked [maxAsk]uint8
	shift, most := view.Wants(0), uint8(1) // the shift that most words ask for: one at a time is undone
	for _, o := range s.occ {
		m := &d.meanings[o.means]
		kind := m.kind
		if kind == 0 {
			continue
		}
		if kind&kindDiscuss != 0 && n.depth == 0 {
			s.discusses(text[o.start:o.end])
		}
		if kind&(kindExcuse|kindAsk|kindShape) == 0 {
			continue
		}
		for _, t := range d.meant[m.from:m.to] {
			kind := d.kinds[t]
			if kind&kindExcuse != 0 {
				s.excuses = append(s.excuses, excuse{t, o.start, o.end})
			}
			if ask := d.terms[t].ask; kind&kindAsk != 0 && n.depth < maxDepth {
				asked[ask] = min(asked[ask], 254) + 1
				switch w := d.asks[ask]; {
				case w&view.WantCaesar != 0:
					if asked[ask] > most {
						shift, most = w, asked[ask]
					}
				case asked[ask] >= 2 || w == view.WantSpacing:
					s.wants |= w
				}
			}
			if kind&kindShape != 0 {
				for i := range d.shapes {
					if x := &s.seen[i]; d.shapes[i].term == t {
						if x.hi == 0 {
							x.lo = o.start // occurrences come in order of their start
						}
						x.hi = max(x.hi, o.end)
					}
				}
			}
		}
	}
	s.wants |= shift
}

// discusses takes in a word that tells of talk about attacks. Each counts once: an
// attack that is said over and over is no article about attacks.
func (s *scratch) discusses(word []byte) {
	h := uint64(hashSeed)
	for _, c := range word {
		h = mixHash(h, uint64(lowerASCII[c]))
	}
	if s.discuss < len(s.spoken) && !slices.Contains(s.spoken[:s.discuss], h) {
		s.spoken[s.discuss] = h
		s.discuss++
	}
}

// look has a structure looked for in text[lo:hi].
func (s *scratch) look(sh *shapeRule, n *node, text []byte, lo, hi int) {
	if s.found == nil {
		s.found = func(start, end int) {
			at := s.shape.from
			s.cands = append(s.cands, candidate{rule: s.shape.rule, start: at + int32(start), end: at + int32(end)})
		}
	}
	s.shape.rule, s.shape.from = sh.rule, int32(lo)
	if !sh.find(n, text[lo:hi], s.found) {
		s.exceeded = true
	}
}

// shapeReach is how far from its telling words a structure is looked for: from the line
// that is so far before the first to so far behind the last.
const shapeReach = 1000

// run has an automaton search text, and turns its hits into occurrences of words: literals
// that begin and end where words do.
func (s *scratch) run(sr *searcher, text []byte) {
	s.hits.reset()
	sr.auto.run(&s.hits, text)
	for k := range s.hits {
		for _, h := range s.hits[k] {
			end := int(h.at)
			closed, open := sr.auto.ends(h)
			// The automaton knows of ASCII words only.
			if closed.lo < closed.hi && !(end < len(text) && text[end] >= utf8.RuneSelf && wordAt(text, end)) {
				s.occur(sr, text, sr.ends[closed.lo:closed.hi], end)
			}
			if open.lo < open.hi {
				s.occur(sr, text, sr.ends[open.lo:open.hi], end+1)
			}
		}
	}
}

// occur notes the literals that end at end.
func (s *scratch) occur(sr *searcher, text []byte, ends []ending, end int) {
	for _, e := range ends {
		start := end - int(e.size)
		if e.spaced {
			var ok bool
			if start, ok = began(&sr.auto.fold, text, sr.lits[e.lit].text, end); !ok {
				continue
			}
		}
		if !e.openStart && start > 0 && wordBefore(text, start) {
			continue
		}
		s.occ = append(s.occ, occurrence{means: e.means, start: int32(start), end: int32(end)})
	}
}

func wordAt(text []byte, i int) bool {
	if c := text[i]; c < utf8.RuneSelf {
		return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
	}
	r, _ := utf8.DecodeRune(text[i:])
	return wordRune(r)
}

func wordBefore(text []byte, i int) bool {
	if c := text[i-1]; c < utf8.RuneSelf {
		if i > 1 && text[i-2] == '\\' && (c == 'n' || c == 'r' || c == 't') {
			return false // an escaped line break, as in JSON
		}
		return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
	}
	r, _ := utf8.DecodeLastRune(text[:i])
	return wordRune(r)
}

// order sorts the occurrences from one on by start, and puts them among those before, which are
// in order. Each search gives them nearly sorted, and few come twice.
func (s *scratch) order(from int) {
	o := s.occ[from:]
	moved, twice := 0, false
sorting:
	for i := 1; i < len(o); i++ {
		j := i
		for ; j > 0 && less(o[j], o[j-1]); j-- {
			o[j], o[j-1] = o[j-1], o[j]
			if moved++; moved > 8*len(o)+64 {
				slices.SortFunc(o, func(a, b occurrence) int {
					if less(a, b) {
						return -1
					}
					if less(b, a) {
						return 1
					}
					return 0
				})
				twice = true
				break sorting
			}
		}
		twice = twice || j > 0 && o[j] == o[j-1]
	}
	if from > 0 && len(o) > 0 {
		twice = s.merge(from) || twice
	}
	if twice {
		s.occ = slices.Compact(s.occ)
	}
}

// merge puts sorted occurrences from one on among those before, and reports whether one came
// twice.
func (s *scratch) merge(from int) (twice bool) {
	o := s.occ
	s.spare = append(s.spare[:0], o[from:]...)
	i, j := from-1, len(s.spare)-1
	for k := len(o) - 1; j >= 0; k-- {
		if i >= 0 && less(s.spare[j], o[i]) {
			o[k] = o[i]
			i--
		} else {
			o[k] = s.spare[j]
			j--
		}
		twice = twice || k+1 < len(o) && o[k] == o[k+1]
	}
	return twice || i >= 0 && o[i] == o[i+1]
}

func less(a, b occurrence) bool {
	x, y := uint64(a.start)<<32|uint64(a.end), uint64(b.start)<<32|uint64(b.end)
	return x < y || x == y && a.means < b.means
}

// match runs every sequence over the occurrences. For each step only the partial
// match that ended last is kept: it is the nearest to whatever follows.
func (s *scratch) match(n *node) {
	if s.turn++; s.turn == 0 {
		clear(s.slots)
		clear(s.twins[:])
		s.turn = 1
	}
	d, slots, turn, gaps := s.d, s.slots, s.turn, len(s.gaps) > 0
	filled := s.filled[:d.slotWords]
	clear(filled)
	for _, o := range s.occ {
		m := &d.meanings[o.means]
		// Most words go on with nothing that was begun: short ones are steps in many languages.
		goesOn := uint64(0)
		if m.steps < m.first {
			for i, x := range d.goesOn[int(o.means)*len(filled):][:len(filled)] {
				goesOn |= x & filled[i]
			}
		}
		if goesOn == 0 {
			s.begins(m, o, filled)
			continue
		}
		for _, u := range d.uses[m.steps:m.first] {
			prev := &slots[u.before]
			if prev.turn != turn || prev.end > o.start {
				continue
			}
			if gap := o.start - prev.end; gap > int32(u.gap) && (!gaps || gap-s.stepped(n, prev.end, o.start) > int32(u.gap)) {
				continue
			}
			if u.rule >= 0 {
				s.cands = append(s.cands, candidate{rule: int32(u.rule), start: prev.start, end: o.end})
				continue
			}
			slots[u.slot] = slot{prev.start, o.end, turn}
			filled[u.slot>>6] |= 1 << (u.slot & 63)
		}
		s.begins(m, o, filled)
	}
}

// begins takes an occurrence for the first step of sequences.
func (s *scratch) begins(m *meaning, o occurrence, filled []uint64) {
	for _, u := range s.d.uses[m.first:m.last] {
		if u.rule >= 0 {
			s.cands = append(s.cands, candidate{rule: int32(u.rule), start: o.start, end: o.end})
			continue
		}
		s.slots[u.slot] = slot{o.start, o.end, s.turn}
		filled[u.slot>>6] |= 1 << (u.slot & 63)
	}
}

// stepped gives how many bytes of text[from:to] stand for recognised spans.
func (s *scratch) stepped(n *node, from, to int32) int32 {
	if len(s.gaps) == 0 {
		return 0
	}
	start, end := n.v.Span(int(from), int(to))
	sum := 0
	for _, g := range s.gaps {
		if lo, hi := max(g.Start, start), min(g.End, end); lo < hi {
			sum += hi - lo
		}
	}
	return int32(sum)
}

// patternReach is how far around its steps a rule's pattern sees.
const patternReach = 200

// confirm drops candidates that their rule's pattern or exceptions refuse, and
// doubles.
func (s *scratch) confirm(n *node, text []byte) {
	if len(s.cands) == 0 {
		return
	}
	d := s.d
	kept := s.cands[:0]
	slices.SortStableFunc(s.cands, func(a, b candidate) int {
		if a.rule != b.rule {
			return int(a.rule - b.rule)
		}
		return int(a.start - b.start)
	})
	last := candidate{rule: -1}
	for _, c := range s.cands {
		if c == last {
			continue // the same words in another language or order
		}
		last = c
		r := &d.rules[c.rule]
		if r.ask != 0 {
			s.wants |= r.ask
			continue
		}
		if r.decoded && n.depth == 0 {
			continue
		}
		if k := len(kept); k > 0 && kept[k-1].rule == c.rule && c.start < kept[k-1].end {
			continue
		}
		if !r.across && endsWithin(text[c.start:c.end]) {
			continue
		}
		if len(r.unless) > 0 && s.excused(r, text, c) {
			continue
		}
		if r.pattern != nil {
			lo, hi := max(0, int(c.start)-patternReach), min(len(text), int(c.end)+patternReach)
			s.wtext = lower(s.wtext[:0], text[lo:hi])
			if ok, err := r.pattern.MatchString(string(s.wtext)); err == nil && !ok {
				continue // an error proves nothing: the candidate stands
			}
		}
		c.weight = r.weight
		kept = append(kept, c)
	}
	slices.SortStableFunc(kept, func(a, b candidate) int { return int(a.start - b.start) })
	s.cands = kept
}

// endsWithin reports that a sentence ends inside text: a full stop and a space
// and a letter, or a blank line.
func endsWithin(text []byte) bool {
	for i := 1; i+2 < len(text); i++ {
		switch text[i] {
		case '.', '!', '?':
			if c := text[i+1]; c == ' ' || c == '\n' || c == '\r' || c >= 0x80 && text[i-1] >= 0x80 {
				if i >= 3 && wordByte(text[i-1]) && !wordByte(text[i-2]) {
					continue // an abbreviation of one letter
				}
				return true
			}
		case '\n':
			if text[i+1] == '\n' {
				return true
			}
		}
	}
	return false
}

// excused reports whether one of the rule's exceptions bears on the candidate: it
// stands inside it ("ignore my previous e-mail, the instructions were wrong"), just
// before it ("do not ignore …"), or behind it where a preposition ties the two ("the
// instructions in my last mail"). An exception elsewhere in the sentence excuses
// nothing: whoever writes an attack can mention a mail too.
func (s *scratch) excused(r *rule, text []byte, c candidate) bool {
	at := sort.Search(len(s.excuses), func(i int) bool { return int(s.excuses[i].start) >= int(c.start)-excuseBefore })
	if at == len(s.excuses) || int(s.excuses[at].start) >= int(c.end)+excuseBehind {
		return false
	}
	lo, hi := int(c.start), int(c.end)
	for lo > 0 && int(c.start)-lo < excuseBefore && !sentenceEnd(text, lo-1) {
		lo--
	}
	if tied(bytes.TrimLeft(text[hi:min(len(text), hi+2*excuseBehind)], " ")) {
		for hi < len(text) && hi-int(c.end) < excuseBehind {
			hi++
			if sentenceEnd(text, hi-1) {
				break
			}
		}
	}
	for _, o := range s.excuses[at:] {
		if int(o.start) >= hi {
			break
		}
		// An object in front of the verb is another clause, or the key of a JSON field.
		if int(o.start) < lo || o.start < c.start && s.d.kinds[o.term]&kindNegated == 0 {
			continue
		}
		if r.unless.has(o.term) {
			return true
		}
	}
	return false
}

// How far from a candidate an exception may stand, in bytes.
const (
	excuseBefore = 24
	excuseBehind = 30
)

// tied reports whether what follows a candidate belongs to its object.
func tied(behind []byte) bool {
	for _, p := range [...]string{"in ", "from ", "of ", "on ", "about ", "for ", "at "} {
		if len(behind) > len(p) && bytes.EqualFold(behind[:len(p)], []byte(p)) {
			return true
		}
	}
	return false
}

// lower appends text as windows show it: ASCII lower-cased, a run of white space
// one space, or one line feed when it holds a line break.
func lower(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			w := byte(' ')
			for ; i < len(text) && foldByte(text[i]) == ' '; i++ {
				if text[i] == '\n' || text[i] == '\r' {
					w = '\n'
				}
			}
			i--
			c = w
		}
		dst = append(dst, c)
	}
	return dst
}

// verdict sums a scan up.
func (s *scratch) verdict(in Input) chunk.Scan {
	quarantine, suspect := in.Quarantine, in.Suspect
	if !(quarantine > 0 && quarantine <= 1) {
		quarantine = DefaultQuarantine
	}
	if !(suspect > 0 && suspect <= 1) {
		suspect = DefaultSuspect
	}
	suspect = min(suspect, quarantine)
	out := chunk.Scan{Verdict: chunk.Clean, Band: chunk.BandHigh, Score: s.score, Findings: s.findings}
	switch {
	case math.IsNaN(s.score) || s.score < 0 || s.score > 1:
		return chunk.Scan{Verdict: chunk.Hold, Failure: chunk.FailUndecided, Findings: s.findings}
	case s.score >= quarantine:
		out.Verdict, out.Failure, out.Band = chunk.Quarantine, chunk.FailPromptInjection, chunk.BandLow
	case s.exceeded:
		out.Verdict, out.Failure, out.Band = chunk.Hold, chunk.FailUndecided, chunk.BandUnknown
	case s.score >= suspect:
		out.Verdict, out.Failure, out.Band = chunk.Suspect, chunk.FailInjectionSuspected, chunk.BandLow
	case s.score >= suspect/2:
		out.Band = chunk.BandMedium
	}
	sort.SliceStable(out.Findings, func(i, j int) bool {
		a, b := out.Findings[i], out.Findings[j]
		if a.Start != b.Start {
			return a.Start < b.Start
		}
		return a.Rule < b.Rule
	})
	return out
}
