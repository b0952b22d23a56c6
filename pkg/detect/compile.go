package detect

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/view"
)

// Options of [Compile]. The zero value is the built-in lexicon, model and limits.
type Options struct {
	Words     corpus.Lexicon // nil: the built-in one
	RulesOnly bool           // no model
}

// Detector decides texts. It is immutable and safe for concurrent use.
type Detector struct {
	lexicon   *lexicon // finds literals of ASCII bytes
	left      searcher // those of them that it cannot find
	wide      searcher // all other literals
	terms     []term
	kinds     []termKind  // of the terms: they are asked for each occurrence
	meanings  []meaning   // what literals mean
	meant     []int32     // the terms of the meanings
	kept      []uint16    // the classes of the meanings, each once
	uses      []use       // the steps that literals can fill
	slots     int         // of scratch: one for each step of each sequence
	slotWords int         // words of a set of slots
	goesOn    []uint64    // of the meanings: the set of slots that their steps come behind
	classOf   []uint16    // of the terms: the number of their class, over all languages
	classHash []uint64    // of the classes
	said      *cueWeights // what the model says of classes
	rules     []rule
	shapes    []shapeRule
	model     *Model       // nil: rules alone decide
	words     *view.Words  // what broken words are put back into
	asks      []view.Wants // views that some terms ask for
}

// searcher is an automaton with what its literals mean.
type searcher struct {
	auto *automaton
	lits []literal
	ends []ending // what auto.ids mean, in their order
}

// ending is a literal as the search needs it: what is read for each hit lies together.
type ending struct {
	means     int32
	lit       int32
	size      uint16 // bytes
	spaced    bool
	openStart bool
}

type literal struct {
	text      string
	openStart bool // may begin inside a word
	openEnd   bool // may end inside a word
	spaced    bool
	terms     []int32
	means     int32
}

// meaning is what a word means in all the languages that have it: most are in several. What
// is found in a text is kept by these, not by each of their terms.
type meaning struct {
	from, to    int32 // its terms, in Detector.meant
	class, end  int32 // its classes, in Detector.kept
	steps, last int32 // the steps that it can fill, in Detector.uses, later ones first
	first       int32 // from here on they are first steps
	kind        termKind
}

type term struct {
	name  string
	cue   int32
	kind  termKind
	class uint64 // classHash of the name
	ask   uint8  // index into Detector.asks; 0: none
}

// use is one step of a sequence, which is one order of a rule's steps in one language.
// Matching reads these again and again: they hold all that it needs, and little else.
type use struct {
	slot   int16  // its slot in scratch; -1: the last step has none
	before int16  // the slot of the step before; -1: it is the first
	gap    uint16 // bytes between the step before and this one
	rule   int16  // that the step completes; -1: it is not the last
}

// termKind is what a term means by itself.
type termKind uint8

const (
	kindDiscuss termKind = 1 << iota // talk about attacks
	kindNegated                      // "do not"
	kindAsk                          // a disguise: see Detector.asks
	kindShape                        // tells of a structure
	kindExcuse                       // an exception of some rule
)

type rule struct {
	id, family string
	familyNo   uint8
	weight     float64
	pattern    *regexp2.Regexp
	unless     termSet
	decoded    bool
	across     bool       // may reach over the end of a sentence
	added      bool       // the model does not know it
	ask        view.Wants // not a rule: a match asks for a view
}

// termSet has a bit for each of its terms.
type termSet []uint64

func (t termSet) with(term int32) termSet {
	for len(t) <= int(term>>6) {
		t = append(t, 0)
	}
	t[term>>6] |= 1 << (term & 63)
	return t
}

func (t termSet) has(term int32) bool {
	return int(term>>6) < len(t) && t[term>>6]>>(term&63)&1 == 1
}

var errRules = errors.New("detect")

// Compile builds a detector from rules. It is pure. A set with a rule that cannot
// be compiled, that names a word class nobody has, whose pattern is slow on
// hostile text, or that fails one of its own cases is an error, and there is no
// detector.
func Compile(rules []corpus.Rule, opts Options) (*Detector, error) {
	d, err := compile(rules, opts)
	if err != nil {
		return nil, err
	}
	if err := d.proveCases(rules); err != nil {
		return nil, err
	}
	return d, nil
}

func compile(rules []corpus.Rule, opts Options) (*Detector, error) {
	if !opts.RulesOnly {
		go func() { _, _ = DefaultModel() }() // it is parsed meanwhile
	}
	c, err := gather(rules, opts.Words)
	if err != nil {
		return nil, err
	}
	if !opts.RulesOnly {
		m, err := DefaultModel()
		if err != nil {
			return nil, err
		}
		c.d.model = m
	}
	c.d.said = newCueWeights(c.d.classHash, c.d.model)
	return c.d, nil
}

// gather makes a detector without a model of rules and a lexicon; nil: the built-in one.
func gather(rules []corpus.Rule, lex corpus.Lexicon) (*compiler, error) {
	if lex == nil {
		var err error
		if lex, err = corpus.Words(); err != nil {
			return nil, err
		}
	}
	c := &compiler{d: &Detector{}, lex: lex, termID: map[string]int32{}, litID: map[litKey]int{}, shared: map[string]int32{}}
	// Every term is searched for, used by a rule or not: terms are the model's cues.
	names := make([]string, 0, len(lex))
	for n := range lex {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		if err := c.addTerm(n, lex[n].Words, lex[n].Cue); err != nil {
			return nil, fmt.Errorf("%w: term %s: %w", errRules, n, err)
		}
	}
	var errs []error
	for _, r := range rules {
		if err := c.addRule(r); err != nil {
			errs = append(errs, fmt.Errorf("%w: rule %s: %w", errRules, r.ID, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return c, c.finish()
}

type compiler struct {
	d      *Detector
	lex    corpus.Lexicon
	termID map[string]int32
	litID  map[litKey]int // literal with its ends → index into all
	all    []literal
	slots  int32
	shared map[string]int32 // beginning of a sequence → its slot, from 1 on
	uses   []termUse
}

type termUse struct {
	term, step int32
	use
}

func (c *compiler) addTerm(name string, words []string, cue int) error {
	id := int32(len(c.d.terms))
	c.termID[name] = id
	_, class, _ := strings.Cut(name, ".")
	t := term{name: name, cue: int32(cue), class: classHash(name)}
	switch class {
	case "discuss":
		t.kind = kindDiscuss
	case "negated", "forbidden":
		t.kind = kindNegated
	}
	c.d.terms = append(c.d.terms, t)
	for _, w := range words {
		if err := c.addWord(id, w); err != nil {
			return err
		}
	}
	return nil
}

// litKey tells literals apart.
type litKey struct {
	text               string
	openStart, openEnd bool
}

// partingSigns part words like a space, in words of the lexicon and in texts.
const partingSigns = " \t\n,;+~"

func (c *compiler) addWord(id int32, w string) error {
	l := literal{}
	l.openStart, l.openEnd = strings.HasPrefix(w, "*"), strings.HasSuffix(w, "*")
	w = strings.TrimSuffix(strings.TrimPrefix(w, "*"), "*")
	// A sign that no word needs parts words like a space, in the word and in the text.
	if l.text = view.FoldString(w); strings.ContainsAny(l.text, partingSigns) {
		l.text = strings.Join(strings.FieldsFunc(l.text, func(r rune) bool { return strings.ContainsRune(partingSigns, r) }), " ")
	}
	if l.text == "" || len(l.text) > 200 {
		return fmt.Errorf("word %q folds to nothing, or is too long", w)
	}
	first, _ := utf8.DecodeRuneInString(l.text)
	last, _ := utf8.DecodeLastRuneInString(l.text)
	l.openStart = l.openStart || !wordRune(first)
	// Korean particles are written onto the word.
	l.openEnd = l.openEnd || !wordRune(last) || unicode.Is(unicode.Hangul, last)
	l.spaced = strings.Contains(l.text, " ")
	key := litKey{l.text, l.openStart, l.openEnd}
	at, ok := c.litID[key]
	if !ok {
		at = len(c.all)
		c.litID[key] = at
		c.all = append(c.all, l)
	}
	if !slices.Contains(c.all[at].terms, id) {
		c.all[at].terms = append(c.all[at].terms, id)
	}
	return nil
}

// wordRune reports a letter or digit of a script that puts spaces between words.
// A literal of such a script must begin and end where a word does.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9'
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func (c *compiler) addRule(r corpus.Rule) error {
	id := int32(len(c.d.rules))
	out := rule{id: r.ID, family: r.Family, familyNo: familyNo(r.Family), weight: r.Weight, decoded: r.Decoded, across: r.Across, added: r.Added}
	if r.Pattern != "" {
		p, err := regexp2.Compile(view.FoldString(r.Pattern), regexp2.None)
		if err != nil {
			return errors.New("pattern does not compile")
		}
		p.MatchTimeout = patternTimeout
		if err := floorSpeed(p); err != nil {
			return err
		}
		out.pattern = p
	}
	if r.Shape != "" {
		out.across = true
		sh, ok := shapes[r.Shape]
		if !ok {
			return fmt.Errorf("unknown shape %q", r.Shape)
		}
		needs := int32(-1)
		if sh.needs != "" {
			if needs, ok = c.termID[sh.needs]; !ok {
				return fmt.Errorf("unknown term %q", sh.needs)
			}
		}
		if needs >= 0 {
			c.d.terms[needs].kind |= kindShape
		}
		if len(c.d.shapes) == maxShapes {
			return errors.New("too many rules with shapes")
		}
		c.d.rules = append(c.d.rules, out)
		c.d.shapes = append(c.d.shapes, shapeRule{rule: id, term: needs, shape: sh})
		return nil
	}
	for i, s := range r.Steps {
		if len(s.Words) > 0 {
			if err := c.addTerm(fmt.Sprintf("%s#%d", r.ID, i), s.Words, 0); err != nil {
				return err
			}
		}
	}
	for _, lang := range r.Languages {
		steps := make([][]int32, len(r.Steps))
		gaps := make([]int32, len(r.Steps))
		complete := true
		for i, s := range r.Steps {
			gaps[i] = int32(s.Gap)
			if s.Gap == 0 {
				gaps[i] = corpus.DefaultGap
			}
			if len(s.Words) > 0 {
				steps[i] = append(steps[i], c.termID[fmt.Sprintf("%s#%d", r.ID, i)])
			}
			for _, t := range s.Terms {
				full := t
				if !strings.Contains(t, ".") {
					full = lang + "." + t
				}
				n, ok := c.termID[full]
				if !ok {
					if strings.Contains(t, ".") {
						return fmt.Errorf("unknown term %q", full)
					}
					continue
				}
				steps[i] = append(steps[i], n)
			}
			complete = complete && len(steps[i]) > 0
		}
		if !complete {
			return fmt.Errorf("language %s lacks the words for a step", lang)
		}
		if r.AnyOrder {
			permute(len(steps), func(order []int) {
				s := make([][]int32, len(steps))
				for i, k := range order {
					s[i] = steps[k]
				}
				c.addSeq(id, s, gaps)
			})
		} else {
			c.addSeq(id, steps, gaps)
		}
		for _, t := range r.Unless {
			full := t
			if !strings.Contains(t, ".") {
				full = lang + "." + t
			}
			n, ok := c.termID[full]
			if !ok {
				return fmt.Errorf("unknown term %q", full)
			}
			out.unless = out.unless.with(n)
		}
	}
	c.d.rules = append(c.d.rules, out)
	return nil
}

func (c *compiler) addSeq(rule int32, steps [][]int32, gaps []int32) {
	// Sequences that begin alike share the slots of what they have in common: it is
	// matched once. The gap in front of a first step means nothing.
	prefix := ""
	for i, terms := range steps {
		u := use{slot: -1, before: int16(c.shared[prefix] - 1), gap: uint16(gaps[i]), rule: -1}
		if prefix += fmt.Sprint(terms, " "); i > 0 {
			prefix += fmt.Sprint(gaps[i], " ")
		}
		key := prefix
		if i == len(steps)-1 {
			u.rule = int16(rule)
			key = fmt.Sprint(prefix, "rule ", rule)
		} else if c.shared[key] == 0 {
			u.slot = int16(c.slots)
			c.slots++
		}
		if c.shared[key] != 0 {
			continue
		}
		c.shared[key] = int32(u.slot) + 1
		if u.rule >= 0 {
			c.shared[key] = 1
		}
		for _, t := range terms {
			c.uses = append(c.uses, termUse{t, int32(i), u})
		}
	}
}

func permute(n int, f func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var rec func(k int)
	rec = func(k int) {
		if k == n {
			f(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			rec(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	rec(0)
}

func (c *compiler) finish() error {
	if err := c.addAsks(); err != nil {
		return err
	}
	if c.slots > math.MaxInt16 || len(c.d.rules) > math.MaxInt16 {
		return errors.New("too many rules")
	}
	c.d.kinds = make([]termKind, len(c.d.terms))
	for t := range c.d.terms {
		c.d.kinds[t] = c.d.terms[t].kind
		for i := range c.d.rules {
			if c.d.rules[i].unless.has(int32(t)) {
				c.d.kinds[t] |= kindExcuse
			}
		}
	}
	if err := c.numberClasses(); err != nil {
		return err
	}
	c.addMeanings()
	var narrow, wide []literal
	for _, l := range c.all {
		if isASCII(l.text) {
			narrow = append(narrow, l)
		} else {
			wide = append(wide, l)
		}
	}
	c.d.slots, c.d.slotWords = int(c.slots), int(c.slots+63)/64
	c.d.goesOn = make([]uint64, len(c.d.meanings)*c.d.slotWords)
	for i, m := range c.d.meanings {
		set := c.d.goesOn[i*c.d.slotWords:]
		for _, u := range c.d.uses[m.steps:m.first] {
			set[u.before>>6] |= 1 << (u.before & 63)
		}
	}
	done := make(chan error)
	go func() {
		var err error
		c.d.wide, err = newSearcher(wide, idleFold(wide))
		done <- err
	}()
	fold := idleFold(narrow)
	var left []literal
	c.d.lexicon, left = newLexicon(narrow, fold)
	var err error
	if len(left) > 0 {
		c.d.left, err = newSearcher(left, fold)
	}
	return errors.Join(err, <-done)
}

// addMeanings numbers the sets of terms that literals have.
func (c *compiler) addMeanings() {
	slices.SortStableFunc(c.uses, func(a, b termUse) int { return cmp.Compare(a.term, b.term) })
	of := func(term int32) []termUse {
		i, _ := slices.BinarySearchFunc(c.uses, term, func(u termUse, t int32) int { return cmp.Compare(u.term, t) })
		j, _ := slices.BinarySearchFunc(c.uses, term+1, func(u termUse, t int32) int { return cmp.Compare(u.term, t) })
		return c.uses[i:j]
	}
	// In order of their terms: of two that end at one place the first is looked at first.
	order := make([]*literal, len(c.all))
	for i := range c.all {
		slices.Sort(c.all[i].terms)
		order[i] = &c.all[i]
	}
	slices.SortStableFunc(order, func(a, b *literal) int { return slices.Compare(a.terms, b.terms) })
	var last []int32
	for i, l := range order {
		if i == 0 || !slices.Equal(l.terms, last) {
			last = l.terms
			m := meaning{from: int32(len(c.d.meant)), class: int32(len(c.d.kept)), steps: int32(len(c.d.uses))}
			var uses []termUse
			for _, t := range l.terms {
				c.d.meant = append(c.d.meant, t)
				m.kind |= c.d.kinds[t]
				if n := c.d.classOf[t]; !slices.Contains(c.d.kept[m.class:], n) {
					c.d.kept = append(c.d.kept, n)
				}
				uses = append(uses, of(t)...)
			}
			// Later steps first: one word never fills two steps of a sequence.
			slices.SortStableFunc(uses, func(a, b termUse) int { return cmp.Compare(b.step, a.step) })
			k := 0
			for _, u := range uses {
				if slices.Contains(c.d.uses[m.steps:], u.use) {
					continue // the same step in another of its terms
				}
				c.d.uses = append(c.d.uses, u.use)
				if k++; u.before >= 0 {
					m.first = int32(k)
				}
			}
			m.end = int32(len(c.d.kept))
			m.to, m.last, m.first = int32(len(c.d.meant)), int32(len(c.d.uses)), m.first+m.steps
			c.d.meanings = append(c.d.meanings, m)
		}
		l.means = int32(len(c.d.meanings) - 1)
	}
}

// numberClasses numbers the classes of terms.
func (c *compiler) numberClasses() error {
	numbers := map[uint64]uint16{}
	for i := range c.d.terms {
		class := c.d.terms[i].class
		n, ok := numbers[class]
		if !ok {
			n = uint16(len(numbers))
			numbers[class] = n
			c.d.classHash = append(c.d.classHash, class)
		}
		c.d.classOf = append(c.d.classOf, n)
	}
	if len(numbers) > maxClasses {
		return errors.New("too many classes of words")
	}
	return nil
}

// maxClasses bounds how many classes of words there are: tables hold every pair of them.
const maxClasses = 1024

// maxAsk bounds how many kinds of disguise words are looked for in.
const maxAsk = 40

// addAsks adds literals that show a text to be written backwards, shifted or in
// pieces: the words of overrides, so written. Finding two of them is worth building
// the view.
func (c *compiler) addAsks() error {
	var vocabulary, strong, spoken []string // the last ones are strong in English
	for name, t := range c.lex {
		lang, class, _ := strings.Cut(name, ".")
		if class == "discuss" || class == "benignobject" || lang == "any" {
			continue
		}
		for _, w := range t.Words {
			w = view.FoldString(strings.Trim(w, "*"))
			vocabulary = append(vocabulary, strings.Fields(w)...)
			switch class {
			case "ignore", "instruction", "previous", "secretprompt":
				for _, f := range strings.Fields(w) {
					if utf8.RuneCountInString(f) >= 6 || !isASCII(f) && utf8.RuneCountInString(f) >= 4 {
						strong = append(strong, f)
						if lang == "en" {
							spoken = append(spoken, f)
						}
					}
				}
			}
		}
	}
	// What a phrase needs between its strong words.
	vocabulary = append(vocabulary, strings.Fields("the and all any of to you your that this with from have been given now not only new please tell them it is are be for in on as me my what were was do if or at by")...)
	slices.Sort(vocabulary)
	slices.Sort(strong)
	slices.Sort(spoken)
	spoken = slices.Compact(spoken)
	strong = slices.Compact(strong)
	c.d.words = view.NewWords(slices.Compact(vocabulary))
	known := map[string]bool{}
	for _, v := range vocabulary {
		known[v] = true
	}
	c.d.asks = []view.Wants{0}
	ask := func(name string, w view.Wants, words []string) error {
		var keep []string
		for _, x := range words {
			if !known[x] {
				keep = append(keep, x)
			}
		}
		if len(keep) == 0 {
			return nil
		}
		if len(c.d.asks) >= maxAsk {
			return errors.New("too many disguises")
		}
		c.d.asks = append(c.d.asks, w)
		if err := c.addTerm("view."+name, keep, 0); err != nil {
			return err
		}
		t := &c.d.terms[len(c.d.terms)-1]
		t.kind, t.ask = t.kind|kindAsk, uint8(len(c.d.asks)-1)
		return nil
	}
	encipher := func(w view.Wants, words []string) (out []string) {
		for _, x := range words {
			if e := view.Encipher(w, x); e != x && strings.TrimSpace(e) == e {
				out = append(out, e)
			}
		}
		return out
	}
	if err := ask("reversed", view.WantReversed, encipher(view.WantReversed, strong)); err != nil {
		return err
	}
	var latin []string
	for _, x := range strong {
		if isASCII(x) {
			latin = append(latin, x)
		}
	}
	english := strings.Fields("ignore previous instructions instruction disregard forget system prompt reveal following everything assistant password")
	for n := 1; n < 26; n++ {
		words := english
		if n == 13 {
			words = latin
		}
		if err := ask(fmt.Sprintf("caesar%d", n), view.Caesar(n), encipher(view.Caesar(n), words)); err != nil {
			return err
		}
	}
	if err := ask("atbash", view.WantAtbash, encipher(view.WantAtbash, latin)); err != nil {
		return err
	}
	var r47 []string
	for _, x := range english {
		e := strings.ToLower(view.Encipher(view.WantRot47, x))
		r47 = append(r47, "*"+strings.Trim(e, "*")+"*")
	}
	if err := ask("rot47", view.WantRot47, r47); err != nil {
		return err
	}
	// An override with its words in reverse order: only in languages that put the
	// verb first.
	for _, lang := range strings.Fields("en es fr pt it nl pl ru uk ar vi id") {
		var steps [][]int32
		for _, class := range []string{"instruction", "previous", "ignore"} {
			if t, ok := c.termID[lang+"."+class]; ok {
				steps = append(steps, []int32{t})
			}
		}
		if len(steps) == 3 {
			id := int32(len(c.d.rules))
			c.d.rules = append(c.d.rules, rule{id: "view.order." + lang, ask: view.WantOrder})
			c.addSeq(id, steps, []int32{0, 20, 20})
		}
	}
	if err := ask("spelt", view.WantSpelt, view.CodeWords()); err != nil {
		return err
	}
	var split []string
	for _, x := range strings.Fields("ignore disregard forget override previous instructions instruction prompt system reveal password assistant olvida anteriores instrucciones oubliez precedentes consignes ignoriere vorherigen anweisungen esqueca instrucoes dimentica precedenti istruzioni negeer vorige instructies zignoruj poprzednie instrukcje abaikan sebelumnya instruksi") {
		for k := 1; k < len(x); k++ {
			for _, sep := range []string{" ", "-"} {
				split = append(split, x[:k]+sep+x[k:])
			}
		}
		for size := 2; size < 5; size++ {
			var pieces []string
			for k := 0; k < len(x); k += size {
				pieces = append(pieces, x[k:min(k+size, len(x))])
			}
			split = append(split, strings.Join(pieces, " "), strings.Join(pieces, "-"))
		}
	}
	// Strong English words in two pieces that are no words themselves.
	for _, x := range spoken {
		for k := max(3, len(x)/2-1); k <= len(x)/2+1 && k+3 <= len(x); k++ {
			if !known[x[:k]] && !known[x[k:]] && !slices.Contains(split, x[:k]+" "+x[k:]) {
				split = append(split, x[:k]+" "+x[k:], x[:k]+"-"+x[k:])
			}
		}
	}
	return ask("split", view.WantSpacing, split)
}

func newSearcher(lits []literal, fold [256]byte) (searcher, error) {
	patterns := make([]pattern, len(lits))
	for i, l := range lits {
		patterns[i] = pattern{l.text, !l.openStart, !l.openEnd}
	}
	a, err := newAutomaton(patterns, fold)
	if err != nil {
		return searcher{}, err
	}
	s := searcher{auto: a, lits: lits, ends: make([]ending, len(a.ids))}
	for i, id := range a.ids {
		l := &lits[id]
		s.ends[i] = ending{l.means, id, uint16(len(l.text)), l.spaced, l.openStart}
	}
	return s, nil
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// patternTimeout bounds one confirmation. It is generous: the floor test below
// keeps slow patterns out, and an error means that the candidate stands.
const patternTimeout = 20 * time.Millisecond

// floorTime is how long a pattern may take over one hostile window. Windows are
// at most 2 × patternReach bytes long.
const floorTime = 5 * time.Millisecond

// floorSpeed refuses a pattern that takes long on text made to keep it busy:
// runs of one byte, of its own letters, of near misses.
func floorSpeed(p *regexp2.Regexp) error {
	src := p.String()
	var words []string
	for _, w := range strings.FieldsFunc(src, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) > 2 {
			words = append(words, w)
		}
	}
	hostile := []string{strings.Repeat("a", 400), strings.Repeat(" ", 400), strings.Repeat("a ", 200), strings.Repeat("ab", 200), strings.Repeat("x1 ", 130)}
	if len(words) > 0 {
		all := strings.Join(words, " ")
		hostile = append(hostile, strings.Repeat(words[0]+" ", 60), strings.Repeat(all+" ", 1+400/(len(all)+1))[:400])
	}
	for _, h := range hostile {
		best := time.Duration(1 << 62)
		for range 3 { // the best of three: a neighbour's load is not the pattern's fault
			start := time.Now()
			_, err := p.MatchString(h + "!")
			if took := time.Since(start); err == nil && took < best {
				best = took
			}
		}
		if best > floorTime {
			return errors.New("pattern is slower on hostile text than the floor allows")
		}
	}
	return nil
}
