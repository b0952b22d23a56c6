package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/stoplog/stoplog/corpus/grammar"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// doc is one labelled text.
type doc struct {
	text              string
	attack            bool
	spans             []chunk.Span // of the attack in it; none: nobody knows where it lies
	bare              bool         // written as an attack alone, without a document around it
	lang, family, set string
	own, labelled     bool // written for this project; of a labelled set
	odd               bool // encoded, or written in another odd way
	amid              bool // with honest documents around it
	part              int  // of the parts of the training text
}

// The training text has four parts, and every line of a grammar, every text and every
// package belongs to one. The model of windows is trained once without each of them, and
// the verdict learns from what it then says of that part: what a model has learned by
// heart says nothing about the next text (Wolpert, "Stacked generalization", 1992). What
// ships is trained on all four.
const (
	parts    = 4
	allParts = -1
)

// partOf tells which part a text belongs to.
func partOf(text string) int { return int(hashOf(text) % parts) }

// partOfLine tells which part a line of a rule belongs to.
func partOfLine(lang, root string, line int) int {
	return int(hashOf(fmt.Sprintf("%s %s %d", lang, root, line)) % parts)
}

// composer makes documents out of the grammars. Document i of a kind is the same
// on every run with the same seed.
type composer struct {
	set   *grammar.Set
	seed  uint64
	leave string
	only  bool                    // compose what leave names, and nothing else
	langs []string                // those with both attacks and honest text
	texts map[string][]doc        // attacks of corpus/attacks, by language
	hosts [parts]map[string][]doc // honest text of others that attacks are put into
}

func newComposer(set *grammar.Set, o options) *composer {
	c := &composer{set: set, seed: o.seed, leave: o.leave}
	for _, l := range set.Languages() {
		if set.Benign[l] != nil {
			c.langs = append(c.langs, l)
		}
	}
	return c
}

func (c *composer) rng(kind string, i uint64) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", kind, i)
	return rand.New(rand.NewPCG(c.seed, h.Sum64()))
}

// language draws one: English somewhat less than half the time.
func (c *composer) language(r *rand.Rand) string {
	if r.IntN(100) < 45 {
		return "en"
	}
	return c.langs[r.IntN(len(c.langs))]
}

func (c *composer) left(kind, name string) bool { return c.leave == kind+":"+name }

// attack composes one attack in a host, both of one part.
func (c *composer) attack(i uint64, part int) doc {
	r := c.rng("attack", i)
	for {
		lang := c.language(r)
		g := c.set.Attack[lang]
		roots, texts := g.Roots("attack."), c.texts[lang]
		// The forms that everybody tries first are few lines with many wordings each, and
		// much of what is met.
		if classic := g.Roots("attack.classic"); len(classic) > 0 && r.Float64() < classicShare {
			roots, texts = classic, nil
		}
		lines := 0
		weight := func(root string) float64 { return float64(g.Lines(root)) }
		for _, root := range roots {
			lines += g.Lines(root)
		}
		if len(texts) > 0 && r.Float64() < textShare*float64(len(texts))/float64(lines+len(texts)) {
			d := texts[r.IntN(len(texts))]
			if !c.wants(d.lang, d.family, d.part, part) {
				continue
			}
			if d.bare {
				return c.place(r, lang, d.family, d.text, part)
			}
			if r.IntN(3) > 0 {
				return d
			}
			a := d.spans[r.IntN(len(d.spans))]
			return c.place(r, lang, d.family, d.text[a.Start:a.End], part)
		}
		root := drawn(r, roots, weight)
		family := strings.TrimPrefix(root, "attack.")
		line := r.IntN(g.Lines(root))
		if !c.wants(lang, family, partOfLine(lang, root, line), part) {
			continue
		}
		return c.place(r, lang, family, g.Line(r, root, line, nil), part)
	}
}

// classicShare is the share of the classic forms among the attacks of a language that
// has them in a file of their own.
const classicShare = 0.15

// textShare is how often a written text is drawn for one line of a grammar, which has
// many wordings.
const textShare = 0.8

// wants reports whether an attack is one of those asked for: of this part, and none of
// those that -leave names; or only those.
func (c *composer) wants(lang, family string, of, part int) bool {
	kind, _, _ := strings.Cut(c.leave, ":")
	if (kind == "lang" || kind == "family") && (c.left("lang", lang) || c.left("family", family)) != c.only {
		return false
	}
	return part == allParts || of == part
}

// named gives a composer of what -leave names.
func (c *composer) named() *composer {
	only := *c
	only.only = true
	return &only
}

// drawn draws a rule by weight: of attacks each line counts the same, for each was
// thought of apart; of honest text the kinds with many lines count somewhat more.
func drawn(r *rand.Rand, roots []string, weight func(string) float64) string {
	sum := 0.0
	for _, root := range roots {
		sum += weight(root)
	}
	at := r.Float64() * sum
	for _, root := range roots {
		if at -= weight(root); at < 0 {
			return root
		}
	}
	return roots[len(roots)-1]
}

const markFrom, markTo = "\x00", "\x01"

func (c *composer) place(r *rand.Rand, lang, family, payload string, part int) doc {
	payload = c.noise(r, strings.Trim(payload, " "))
	textLang := lang
	if r.IntN(10) < 3 || c.set.Benign[lang] == nil {
		textLang = "en"
	}
	var text string
	share := spliceShare
	if lang != "en" {
		share /= 2
	}
	if hosts := c.hosts[max(part, 0)][textLang]; len(hosts) > 0 && r.Float64() < share {
		text = splice(r, hosts[r.IntN(len(hosts))].text, markFrom+payload+markTo)
	} else {
		text = c.host(r, textLang, markFrom+payload+markTo, part)
	}
	before, rest, _ := strings.Cut(text, markFrom)
	inside, after, _ := strings.Cut(rest, markTo)
	return doc{text: before + inside + after, attack: true, spans: []chunk.Span{{Start: len(before), End: len(before) + len(inside)}}, lang: lang, family: family, part: part}
}

// host fills a host.
func (c *composer) host(r *rand.Rand, lang, slot string, part int) string {
	hosts := c.set.Host.Roots("host.")
	var host string
	for {
		host = hosts[r.IntN(len(hosts))]
		if r.IntN(3) == 0 {
			host = "host.bare"
		}
		if c.left("host", strings.TrimPrefix(host, "host.")) == (c.only && strings.HasPrefix(c.leave, "host:")) {
			break
		}
	}
	return c.set.Host.Line(r, host, r.IntN(c.set.Host.Lines(host)), func(what string) string {
		switch what {
		case "SLOT":
			return slot
		case "SHORT":
			s := c.honest(r, lang, part)
			w := strings.Fields(s)
			return strings.Join(w[:min(len(w), 2+r.IntN(4))], " ")
		default:
			return c.honest(r, lang, part)
		}
	})
}

// honest expands one honest line.
func (c *composer) honest(r *rand.Rand, lang string, part int) string {
	s, _ := c.honestOf(r, lang, part)
	return s
}

func (c *composer) honestOf(r *rand.Rand, lang string, part int) (string, string) {
	g := c.set.Benign[lang]
	if g == nil {
		g = c.set.Benign["en"]
	}
	roots := g.Roots("benign.")
	for try := 0; ; try++ {
		root := drawn(r, roots, func(root string) float64 { return math.Sqrt(float64(g.Lines(root))) })
		if try == 0 && r.IntN(4) == 0 {
			s := []string{"benign.llmdoc", "benign.rules", "benign.prompt", "benign.trigger", "benign.security", "benign.spec", "benign.aidoc"}[r.IntN(7)]
			if slices.Contains(roots, s) {
				root = s
			}
		}
		line := r.IntN(g.Lines(root))
		if part != allParts && partOfLine(g.Lang, root, line) != part && try < 200 {
			continue
		}
		return strings.Trim(g.Line(r, root, line, nil), " "), strings.TrimPrefix(root, "benign.")
	}
}

// benign composes one honest document of a part.
func (c *composer) benign(i uint64, part int) doc {
	r := c.rng("benign", i)
	lang := c.language(r)
	s, kind := c.honestOf(r, lang, part)
	if c.set.Benign[lang] == nil {
		lang = "en"
	}
	if r.IntN(3) == 0 {
		return doc{text: c.noise(r, s), lang: lang, family: kind, part: part}
	}
	return doc{text: c.host(r, lang, c.noise(r, s), part), lang: lang, family: kind, part: part}
}

// noise varies case, spelling and ends, alike for attacks and honest text.
func (c *composer) noise(r *rand.Rand, s string) string {
	switch r.IntN(30) {
	case 0:
		s = strings.ToUpper(s)
	case 1, 2, 3:
		s = strings.ToLower(s)
	case 4:
		s = strings.TrimRight(s, ".!") + []string{"!!!", "...", "!!", ""}[r.IntN(4)]
	case 5:
		s = strings.ReplaceAll(s, ". ", ".\n")
	case 6:
		s = strings.ReplaceAll(s, ",", "")
	case 7, 8:
		s = typos(r, s)
	}
	return s
}

func typos(r *rand.Rand, s string) string {
	words := strings.Split(s, " ")
	for k := range words {
		w := []rune(words[k])
		if len(w) < 4 || r.IntN(5) != 0 || !unicode.IsLetter(w[1]) || strings.ContainsAny(words[k], "@/:") {
			continue
		}
		i := 1 + r.IntN(len(w)-2)
		switch r.IntN(3) {
		case 0:
			w[i], w[i-1] = w[i-1], w[i]
		case 1:
			w = append(w[:i], w[i+1:]...)
		default:
			w = append(w[:i+1], w[i:]...)
		}
		words[k] = string(w)
	}
	return strings.Join(words, " ")
}

// spliceShare is the share of English attacks that are put into documents of others; of
// other languages it is half of that, for most of these documents are English.
const spliceShare = 0.4

// splice puts a payload between two sentences, or two lines, of a text that somebody
// else wrote.
func splice(r *rand.Rand, text, payload string) string {
	var at []int
	for i := 0; i+1 < len(text); i++ {
		switch {
		case text[i] == '\n':
			at = append(at, i+1)
		case text[i] == ' ' && i > 0 && (text[i-1] == '.' || text[i-1] == '!' || text[i-1] == '?'):
			at = append(at, i+1)
		}
	}
	k := len(text)
	if len(at) > 0 && r.IntN(8) != 0 {
		k = at[r.IntN(len(at))]
	} else if r.IntN(4) == 0 {
		k = 0
	}
	before, after := "", " "
	switch {
	case k == len(text):
		before = []string{"\n", "\n\n", " "}[r.IntN(3)]
	case k == 0 || text[k-1] == '\n':
		before = []string{"", "", "\n", "- ", "> ", "# ", "// ", "<!-- "}[r.IntN(8)]
		after = []string{"\n", "\n\n"}[r.IntN(2)]
		if before == "<!-- " {
			after = " -->\n"
		}
	}
	return text[:k] + before + payload + after + text[k:]
}

// amid puts honest documents of the same part before a document, behind it, or both. What lies in a long text is of no
// other kind than what lies in a short one; most texts that were written are short.
func (c *composer) amid(i uint64, d doc, part int) doc {
	r := c.rng("amid", i)
	hosts := c.hosts[max(part, 0)][d.lang]
	if len(hosts) == 0 || r.IntN(4) == 0 {
		hosts = c.hosts[max(part, 0)]["en"]
	}
	if len(hosts) == 0 {
		return d
	}
	where := r.IntN(4)
	d.amid = true
	if where != 0 {
		before := hosts[r.IntN(len(hosts))].text + "\n\n"
		d.text = before + d.text
		spans := make([]chunk.Span, len(d.spans))
		for k, s := range d.spans {
			spans[k] = s.Shift(len(before))
		}
		d.spans = spans
	}
	if where != 1 {
		d.text += "\n\n" + hosts[r.IntN(len(hosts))].text
	}
	return d
}

// byLanguage sorts out the texts of a part that attacks can be put into: prose and
// markup, not strings of programs, and fewer prompts and rules for assistants, for among
// rules many an order is none.
func byLanguage(docs []doc, part int) map[string][]doc {
	out := map[string][]doc{}
	for _, d := range docs {
		switch {
		case d.part != part:
		case d.own && (d.family == "llmdoc" || d.family == "document" || (d.family == "rules" || d.family == "prompt") && hashOf(d.text)%3 == 0):
			out[d.lang] = append(out[d.lang], d)
		case d.family == "md", d.family == "mdx", d.family == "markdown", d.family == "html", d.family == "txt", d.family == "mjml", d.family == mail, d.family == ruleFile && hashOf(d.text)%3 == 0:
			out["en"] = append(out["en"], d)
		}
	}
	return out
}
