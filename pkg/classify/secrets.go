package classify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/stoplog/stoplog/corpus/recognisers"
)

// SECRET: credentials. The rules are data (corpus/recognisers): those of gitleaks, and
// ours. What drives them is here, for it is the driver that makes such rules slow or
// fast. A rule becomes one of three kinds when it is loaded:
//
//   - prefix: every match begins with one of a few literals (ghp_, AKIA, xoxb-). The
//     finder finds the literal; the bytes behind it are looked up in the classes that the
//     pattern begins with; and where they agree, there and nowhere else, it is tried;
//   - assigned: name, operator, value (jira_token = "…"). The finder finds the name, a
//     hand-written step finds the value, and the pattern sees the value alone;
//   - window: the rest. The pattern is searched around the rule's keywords.
//
// No pattern ever runs over a whole text. Patterns are compiled at first use.
type secretRule struct {
	id      string
	kind    secretKind
	expr    string
	group   int
	entropy float64
	allowed allowSet
	reach   int       // no match is longer
	word    bool      // a word boundary must stand before the match
	heads   []byteSet // what the first bytes of a match can be

	once sync.Once
	re   *regexp.Regexp
}

type secretKind uint8

const (
	secretPrefix secretKind = iota
	secretAssigned
	secretWindow
	secretOwn // a function of this package
)

type secretTable struct {
	words *finder
	hits  [][]*trigger // by word
	rules []*secretRule
	kinds int // how many of them find secrets; the others need the same finder
	all   allowSet
}

// own registers functions of this package.
func (t *secretTable) own(list []ownSecret, add func(string, *trigger)) {
	for _, o := range list {
		r := &secretRule{id: o.id, kind: secretOwn, heads: o.heads}
		t.rules = append(t.rules, r)
		for _, w := range o.words {
			add(w, &trigger{rule: r, own: o.find})
		}
	}
}

type trigger struct {
	rule  *secretRule
	exact []string // the literal as the rule writes it; none: in any case
	own   func(s *scan, start, end int)
}

type allowJSON struct {
	Target    string   `json:"target"`
	And       bool     `json:"and"`
	Regexes   []string `json:"regexes"`
	Stopwords []string `json:"stopwords"`
}

type ruleFile struct {
	Source  string      `json:"source"`
	Version string      `json:"version"`
	Sum     string      `json:"sum"`
	Licence string      `json:"licence"`
	Allow   []allowJSON `json:"allow"`
	Rules   []struct {
		ID       string      `json:"id"`
		Regex    string      `json:"regex"`
		Entropy  float64     `json:"entropy"`
		Group    int         `json:"group"`
		Keywords []string    `json:"keywords"`
		Allow    []allowJSON `json:"allow"`
	} `json:"rules"`
}

type allowSet []*compiledAllow

type compiledAllow struct {
	target string
	and    bool
	exprs  []string
	words  []string
	once   sync.Once
	res    []*regexp.Regexp
	stop   *automaton
}

func compileAllow(in []allowJSON) allowSet {
	var out allowSet
	for _, a := range in {
		out = append(out, &compiledAllow{target: a.Target, and: a.And, exprs: a.Regexes, words: a.Stopwords})
	}
	return out
}

// allows reports whether a finding is one the rule's authors know to be harmless.
func (s allowSet) allows(secret, match, line []byte) bool {
	for _, a := range s {
		a.once.Do(func() {
			for _, e := range a.exprs {
				a.res = append(a.res, regexp.MustCompile(e))
			}
			if len(a.words) > 0 {
				var low []string
				for _, w := range a.words {
					low = append(low, strings.ToLower(w))
				}
				a.stop = newAutomaton(low)
			}
		})
		on := secret
		switch a.target {
		case "match":
			on = match
		case "line":
			on = line
		}
		hit, all := false, true
		for _, re := range a.res {
			if re.Match(on) {
				hit = true
			}
		}
		if len(a.res) > 0 && !hit {
			all = false
		}
		if a.stop != nil {
			if a.stop.any(secret) {
				hit = true
			} else {
				all = false
			}
		}
		if a.and && hit && all || !a.and && hit {
			return true
		}
	}
	return false
}

// parts of the pattern that gitleaks builds its name-operator-value rules from
const (
	asgHead = `[\w.-]{0,50}?`
	asgTail = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}`
	asgOp   = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`
	asgEnd  = `(?:[\x60'"\s;]|\\[nr]|$)`
	// what may stand behind a value; wider than there, for text is not only source code
	valueEnd = `(?:[\x60'"\s;,)<&\]}]|\\[nr"]|\\u003c|$)`
)

var secretsOnce = sync.OnceValue(func() *secretTable {
	t := &secretTable{}
	index := map[string]int{}
	var words []string
	var next [][]byteSet
	add := func(word string, tr *trigger) {
		low := strings.ToLower(word)
		edge := 0
		if len(low) == 2 && (tr.rule.word || tr.rule.kind == secretOwn) {
			low, edge = string([]byte{wordEdge})+low, 1
		}
		i, ok := index[low]
		if !ok {
			i = len(words)
			index[low] = i
			words = append(words, low)
			next = append(next, nil)
			t.hits = append(t.hits, nil)
		}
		t.hits[i] = append(t.hits[i], tr)
		// What may follow a short word, over all rules that it begins.
		for k := len(low); k < 4; k++ {
			if n := k - len(low); n == len(next[i]) {
				next[i] = append(next[i], byteSet{})
			}
			if set := &next[i][k-len(low)]; k-edge < len(tr.rule.heads) {
				set.or(&tr.rule.heads[k-edge])
			} else {
				set.or(&anyNext)
			}
		}
	}
	for _, data := range [][]byte{recognisers.Gitleaks, recognisers.Secrets} {
		var f ruleFile
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(&f); err != nil {
			panic(fmt.Sprintf("classify: secret rules: %v", err))
		}
		t.all = append(t.all, compileAllow(f.Allow)...)
		for i := range f.Rules {
			j := &f.Rules[i]
			r := &secretRule{id: j.ID, expr: j.Regex, group: j.Group, entropy: j.Entropy}
			r.load(j.Keywords, add)
			r.allowed = compileAllow(j.Allow)
			t.rules = append(t.rules, r)
		}
	}
	t.own(ownSecrets, add)
	t.kinds = len(t.rules)
	t.own(slices.Concat(labels, addresses, births, macs), add)
	t.words = newFinder(words, next)
	return t
})

// load decides the rule's kind and registers its triggers.
func (r *secretRule) load(keywords []string, add func(string, *trigger)) {
	if r.id == "generic-api-key" || r.id == "private-key" || r.id == "jwt" { // functions of ours know more
		r.kind = secretOwn
		return
	}
	// The curl rules search a whole command for an option. That is quadratic; here the
	// option is what is looked for, and the command has to stand before it.
	if _, option, ok := strings.Cut(r.expr, `[ \t\n\r](?:-`); ok && strings.HasPrefix(r.expr, `\bcurl\b`) {
		r.kind = secretOwn
		r.expr = `^(?:-` + option
		options := []string{"-h", "--header"}
		if strings.HasPrefix(option, "u|") {
			options = []string{"-u", "--user"}
		}
		which := 0
		if options[0] == "-u" {
			which = 1
		}
		r.reach = secretWindowAfter
		add("curl", &trigger{rule: r, own: func(s *scan, start, end int) {
			if isWord(s.at(start-1)) || isWord(s.at(end)) {
				return
			}
			to := min(len(s.text), end+secretWindowAfter)
			for i := max(end, s.curl[which]); i < to; i++ {
				if s.text[i] != '-' || !is(s.at(i-1), cSpace) {
					continue
				}
				for _, o := range options {
					if hasWord(s.text[i:], o) {
						s.match(r, i, min(len(s.text), i+secretWindowAfter))
					}
				}
			}
			s.curl[which] = to
		}})
		return
	}
	if names, value, fold, ok := splitAssigned(r.expr); ok {
		if re, err := syntax.Parse(names, syntax.Perl|syntax.FoldCase); err == nil {
			if lits, exact := prefixes(re); exact && len(lits) > 0 {
				r.kind = secretAssigned
				if fold {
					value = `(?i:` + value + `)`
				}
				r.expr = `^(` + value + `)` + valueEnd
				r.group = 1
				if re, err := syntax.Parse(value, syntax.Perl); err == nil {
					r.reach = longest(re, 500) + 1 + len(`\u003c`)
				} else {
					r.reach = 512
				}
				for _, l := range unique(lits) {
					add(l, &trigger{rule: r})
				}
				return
			}
		}
	}
	re, err := syntax.Parse(r.expr, syntax.Perl)
	if err != nil {
		panic(fmt.Sprintf("classify: secret rule %s: %v", r.id, err))
	}
	kubernetes := r.id == "kubernetes-secret-yaml" // begins with "data:", or ends with what is rarer
	if lits, _ := prefixes(re); usable(lits) && !kubernetes {
		r.kind = secretPrefix
		r.reach = longest(re, 4*secretWindowAfter-1) + 1 + len(`\u003c`)
		r.word = strings.HasPrefix(r.expr, `\b`) || strings.HasPrefix(r.expr, `(?i)\b`)
		r.heads, _ = heads(re, nil)
		r.expr = `^(?:` + strings.ReplaceAll(r.expr, asgEnd, valueEnd) + `)`
		fold := strings.HasPrefix(r.expr, `^(?:(?i)`)
		for _, l := range unique(lits) {
			tr := &trigger{rule: r}
			for _, w := range lits {
				if !fold && strings.ToLower(w) == l {
					tr.exact = append(tr.exact, w)
				}
			}
			add(l, tr)
		}
		return
	}
	r.kind = secretWindow
	if kubernetes {
		keywords = []string{"kind: secret", "kind:secret", `kind: "secret`, "kind: 'secret"}
	}
	if r.id == "azure-ad-client-secret" { // a digit stands before Q~
		keywords = []string{"0q~", "1q~", "2q~", "3q~", "4q~", "5q~", "6q~", "7q~", "8q~", "9q~"}
	}
	if len(keywords) == 0 {
		panic("classify: nothing leads to secret rule " + r.id)
	}
	for _, w := range keywords {
		add(w, &trigger{rule: r})
	}
}

func unique(lits []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, l := range lits {
		if l = strings.ToLower(l); !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	return out
}

func usable(lits []string) bool {
	for _, l := range lits {
		if len(l) < 2 || strings.HasPrefix(strings.ToLower(l), "http") { // everywhere: the keywords are rarer
			return false
		}
	}
	return len(lits) > 0
}

// splitAssigned takes a name-operator-value pattern apart.
func splitAssigned(expr string) (names, value string, fold, ok bool) {
	rest, found := strings.CutPrefix(expr, `(?i)`+asgHead)
	if found {
		fold = true
	} else if rest, found = strings.CutPrefix(expr, asgHead+`(?i:`+asgHead); !found {
		return
	}
	names, rest, found = strings.Cut(rest, asgTail)
	if !found {
		return
	}
	if !fold {
		rest = strings.TrimPrefix(rest, `)`)
	}
	rest, found = strings.CutPrefix(rest, asgOp+`(`)
	if !found {
		return
	}
	value, found = strings.CutSuffix(rest, `)`+asgEnd)
	return names, value, fold, found
}

// prefixes gives literals one of which every match begins with. exact: the literals are
// all of what can match.
func prefixes(re *syntax.Regexp) (lits []string, exact bool) {
	const most = 64
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}, true
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}, true
	case syntax.OpCapture:
		return prefixes(re.Sub[0])
	case syntax.OpCharClass:
		n := 0
		for i := 0; i < len(re.Rune); i += 2 {
			n += int(re.Rune[i+1]-re.Rune[i]) + 1
			if n > 6 {
				return []string{""}, false
			}
		}
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if r < utf8.RuneSelf {
					lits = append(lits, string(r))
				}
			}
		}
		return lits, true
	case syntax.OpQuest:
		l, e := prefixes(re.Sub[0])
		return append(l, ""), e
	case syntax.OpConcat:
		lits = []string{""}
		for _, sub := range re.Sub {
			l, e := prefixes(sub)
			if len(l)*len(lits) > most {
				return lits, false
			}
			var next []string
			for _, a := range lits {
				for _, b := range l {
					next = append(next, a+b)
				}
			}
			lits, exact = next, e
			if !exact {
				return lits, false
			}
		}
		return lits, true
	case syntax.OpAlternate:
		exact = true
		for _, sub := range re.Sub {
			l, e := prefixes(sub)
			lits, exact = append(lits, l...), exact && e
		}
		if len(lits) > most {
			return []string{""}, false
		}
		return lits, exact
	}
	return []string{""}, false
}

// heads gives for every match's first bytes what they can be, as far as each of them
// stands at one place. more is false where the places behind are no longer certain.
func heads(re *syntax.Regexp, at []byteSet) (sets []byteSet, more bool) {
	const most = 48
	if len(at) >= most {
		return at, false
	}
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return at, true
	case syntax.OpCapture:
		return heads(re.Sub[0], at)
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r >= utf8.RuneSelf {
				return at, false
			}
			var set byteSet
			set.add(byte(r))
			if re.Flags&syntax.FoldCase != 0 && is(byte(r), cAlpha) {
				set.add(byte(r) ^ 0x20)
			}
			at = append(at, set)
		}
		return at, true
	case syntax.OpCharClass:
		var set byteSet
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				switch {
				case r < utf8.RuneSelf:
					set.add(byte(r))
				case r == 0x17f || r == 0x212a: // what folding adds to s and k
				default:
					return at, false
				}
			}
		}
		return append(at, set), true
	case syntax.OpPlus:
		at, _ = heads(re.Sub[0], at)
		return at, false
	case syntax.OpRepeat:
		more = true
		for i := 0; i < re.Min && more; i++ {
			at, more = heads(re.Sub[0], at)
		}
		return at, more && re.Min == re.Max
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if at, more = heads(sub, at); !more {
				return at, false
			}
		}
		return at, true
	case syntax.OpAlternate:
		var all [][]byteSet
		short, more := most, true
		for _, sub := range re.Sub {
			h, m := heads(sub, nil)
			more = more && m && (len(all) == 0 || len(h) == len(all[0]))
			short = min(short, len(h))
			all = append(all, h)
		}
		for i := range short {
			var set byteSet
			for _, h := range all {
				set.or(&h[i])
			}
			at = append(at, set)
		}
		return at, more
	}
	return at, false
}

// longest gives how many bytes a match can have, and one more for what $ and \b look at;
// most where there is no bound below it. A short piece of text keeps the engine away from
// its slow way of matching.
func longest(re *syntax.Regexp, most int) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		n = utf8.UTFMax * len(re.Rune)
		if strings.IndexFunc(string(re.Rune), func(r rune) bool { return r >= utf8.RuneSelf || r == 's' || r == 'k' || r == 'S' || r == 'K' }) < 0 {
			n = len(re.Rune) // s and k have other forms in other cases
		}
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = utf8.UTFMax
		if k := len(re.Rune); k > 0 && re.Rune[k-1] < utf8.RuneSelf {
			n = 1
		}
	case syntax.OpStar, syntax.OpPlus:
		return most
	case syntax.OpRepeat:
		if re.Max < 0 {
			return most
		}
		n = re.Max * longest(re.Sub[0], most)
	case syntax.OpQuest, syntax.OpCapture:
		n = longest(re.Sub[0], most)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			n += longest(sub, most)
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			n = max(n, longest(sub, most))
		}
	}
	return min(n, most)
}

func (r *secretRule) regexp() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.expr) })
	return r.re
}

const secretWindowAfter = 1 << 10

// secrets runs the rules whose words occur.
func (s *scan) secrets() {
	t := secretsOnce()
	s.secretTable = t
	t.words.find(s.text, func(word, start, end int) {
		for _, tr := range t.hits[word] {
			s.secret(tr, start, end)
		}
	})
}

// nameCase reports whether a name is written as one word: etsy, Etsy, ETSY.
func nameCase(b []byte) bool {
	lower, upper := 0, 0
	for _, c := range b[1:] {
		if is(c, cLower) {
			lower++
		} else if is(c, cUpper) {
			upper++
		}
	}
	return lower == 0 || upper == 0 || is(b[0], cUpper) && upper <= 2 || upper == 1
}

func isWord(c byte) bool { return is(c, cAlnum) || c == '_' }

func (s *scan) secret(tr *trigger, start, end int) {
	if tr.own != nil {
		tr.own(s, start, end)
		return
	}
	r := tr.rule
	switch r.kind {
	case secretPrefix:
		if len(tr.exact) > 0 && !slices.Contains(tr.exact, string(s.text[start:end])) {
			return
		}
		if r.word && isWord(s.at(start-1)) && !(s.at(start-2) == '\\' && (s.at(start-1) == 'n' || s.at(start-1) == 't')) {
			return
		}
		if start+len(r.heads) > len(s.text) {
			return
		}
		for i := range r.heads {
			if !r.heads[i].has(s.text[start+i]) {
				return
			}
		}
		s.match(r, start, min(len(s.text), start+r.reach))
	case secretAssigned:
		if !nameCase(s.text[start:end]) || is(s.text[start], cLower) && is(s.at(start-1), cLower) && end-start < 6 {
			return // SetSysctl holds no etsy, and blob no lob
		}
		v := s.value(end)
		if v < 0 {
			return
		}
		s.match(r, v, min(len(s.text), v+r.reach))
	case secretWindow:
		// A window reaches twice as far as a match may, so that the next one is due only a
		// window later: keywords in a row cost no more than keywords far apart.
		if end+secretWindowAfter <= s.windowEnd[r] {
			return
		}
		s.search(r, max(0, start-256), min(len(s.text), end+2*secretWindowAfter))
	}
}

// match tries an anchored pattern.
func (s *scan) match(r *secretRule, from, to int) {
	if from < s.windowEnd[r] {
		return // inside what it matched
	}
	m := r.regexp().FindSubmatchIndex(s.text[from:to])
	if m != nil {
		s.lookedTo(r, from+m[1])
		s.accept(r, m, from)
	}
}

// lookedTo says that a rule need not look before a place again: matches in a row, or
// within one another, cost no more than one.
func (s *scan) lookedTo(r *secretRule, end int) {
	if s.windowEnd == nil {
		s.windowEnd = map[*secretRule]int{}
	}
	s.windowEnd[r] = end
}

// search looks for a pattern in a window.
func (s *scan) search(r *secretRule, from, to int) {
	if from >= to {
		return
	}
	if s.lookedTo(r, to); to == len(s.text) {
		s.lookedTo(r, to+secretWindowAfter)
	}
	for from < to {
		m := r.regexp().FindSubmatchIndex(s.text[from:to])
		if m == nil {
			return
		}
		s.accept(r, m, from)
		from += max(m[1], 1)
	}
}

// accept checks what a pattern found and adds it.
func (s *scan) accept(r *secretRule, m []int, at int) {
	a, b := m[0], m[1]
	if r.group > 0 && 2*r.group+1 < len(m) && m[2*r.group] >= 0 {
		a, b = m[2*r.group], m[2*r.group+1]
	} else {
		for g := 2; g+1 < len(m); g += 2 {
			if m[g] >= 0 && m[g+1] > m[g] {
				a, b = m[g], m[g+1]
				break
			}
		}
	}
	secret, match := s.text[at+a:at+b], s.text[at+m[0]:at+m[1]]
	if r.entropy > 0 && entropy(secret) < r.entropy || filledUp(secret) || r.group > 0 && r.kind != secretAssigned && placeholder(secret) {
		return
	}
	// A rule that asks for much entropy has a prefix that words have too.
	if r.entropy >= 3.5 && r.kind == secretPrefix && randomEighths(secret) < 8*8 {
		return
	}
	if r.kind == secretAssigned && !plausibleValue(secret) {
		return
	}
	line := s.line(at+m[0], at+m[1])
	if r.allowed.allows(secret, match, line) || s.secretTable.all.allows(secret, match, line) {
		return
	}
	score := 0.95
	if r.kind == secretAssigned {
		score = 0.85
	}
	s.add(hit{typ: "SECRET", rule: r.id, start: at + a, end: at + b, score: score, valid: r.kind == secretPrefix})
}

// filledUp reports whether somebody filled up a token to its length: ghp_xxxxxxxxxxxx.
func filledUp(b []byte) bool {
	run := 0
	for i, c := range b {
		if i == 0 || c != b[i-1] {
			run = 0
		}
		if run++; run == 6 && (c == 'x' || c == 'X' || c == '0' || c == '*' || c == '.' || c == '_' || c == '-') {
			return true
		}
	}
	return false
}

// line gives the line around a span, bounded.
func (s *scan) line(start, end int) []byte {
	from := max(0, start-300)
	if i := bytes.LastIndexByte(s.text[from:start], '\n'); i >= 0 {
		from += i + 1
	}
	to := min(len(s.text), end+300)
	if i := bytes.IndexByte(s.text[end:to], '\n'); i >= 0 {
		to = end + i
	}
	return s.text[from:to]
}

// value finds where the value of an assignment begins: behind the rest of a name, an
// operator and quotes. -1: this is no assignment.
func (s *scan) value(at int) int {
	t := s.text
	i, limit := at, min(len(t), at+24)
	for i < limit && (isWord(t[i]) || t[i] == '.' || t[i] == '-' || t[i] == ' ' || t[i] == '\t') {
		i++
	}
	limit = min(len(t), i+4)
	for i < limit && (is(t[i], cSpace) || t[i] == '\'' || t[i] == '"' || t[i] == '\\') {
		i++
	}
	op := i
	for i < len(t) && i-op < 4 && (t[i] == '=' || t[i] == ':' || t[i] == '>' || t[i] == '|' || t[i] == '?' || t[i] == ',') {
		i++
	}
	if i == op {
		return -1
	}
	limit = min(len(t), i+6)
	for i < limit && (is(t[i], cSpace) || t[i] == '\'' || t[i] == '"' || t[i] == '`' || t[i] == '=' || t[i] == '\\') {
		i++
	}
	if i >= len(t) {
		return -1
	}
	return i
}

// entropy is Shannon's, in bits a byte.
func entropy(b []byte) float64 {
	if len(b) == 0 {
		return 0
	}
	var n [256]int
	for _, c := range b {
		n[c]++
	}
	e := 0.0
	for _, k := range n {
		if k > 0 {
			p := float64(k) / float64(len(b))
			e -= p * math.Log2(p)
		}
	}
	return e
}

// plausibleValue tells a random value from a word, a path or a name: short values
// without a digit are words.
func plausibleValue(b []byte) bool {
	digit, letters := false, 0
	for _, c := range b {
		if is(c, cDigit) {
			digit = true
		} else if is(c, cAlpha) {
			letters++
		}
	}
	return digit || bytes.IndexByte(b, ':') > 0 || len(b) >= 32 && letters > 0 && entropy(b) > 3.7
}

// SecretKinds is the number of credential kinds the secret rules know.
func SecretKinds() int {
	kinds := map[string]bool{}
	t := secretsOnce()
	for _, r := range t.rules[:t.kinds] {
		kinds[r.id] = true
	}
	return len(kinds)
}
