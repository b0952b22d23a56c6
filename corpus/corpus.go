// Package corpus holds what the injection detector knows, as data: rules, each
// in its own file with its cases (corpus/inject), the words that rules and the
// model speak about (corpus/words) and honest text that must stay clean
// (corpus/benign).
//
// [Default] and [Words] give what was built in; [Load] and [LoadWords] read
// another tree of the same shape. Loading is strict: an unknown key, a doubled
// id, too few cases or an unknown language is an error, and nothing of a tree
// with an error is used.
package corpus

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"

	"github.com/stoplog/stoplog/pkg/chunk"
	"go.yaml.in/yaml/v3"
)

//go:embed inject/*.yaml words/*.yaml
var builtin embed.FS

// Languages of rules and words. "any" is for what has no language: structures.
var Languages = []string{
	"any", "en", "es", "fr", "de", "pt", "it", "nl", "pl", "ru", "uk", "tr", "ar", "hi", "zh", "ja", "ko", "vi", "id",
}

// Families of injection (SPEC DET-1).
var Families = []string{
	"instruction-override", "action-directive", "exfiltration", "fake-boundary", "task-switch", "persistence",
	"prompt-extraction", "role-hijack", "hidden-text", "delimiter-forgery", "self-propagation", "reader-address",
}

// MinCases is how many hits, and how many near misses, a rule must bring.
const MinCases = 2

// Rule is one file of corpus/inject.
type Rule struct {
	ID        string   `yaml:"id"`
	Title     string   `yaml:"title"`
	Family    string   `yaml:"family"`
	Languages []string `yaml:"languages"`
	// Weight is the probability, in (0,1], that a text in which the rule matches
	// (addressed to the reader, not quoted) is an injection.
	Weight float64 `yaml:"weight"`
	// Steps must follow one another. A rule has steps, or a shape.
	Steps []Step `yaml:"steps"`
	// AnyOrder lets the steps come in any order.
	AnyOrder bool `yaml:"any_order"`
	// Across lets a match reach over the end of a sentence.
	Across bool `yaml:"across"`
	// Pattern, a regular expression, must match the folded text around the steps.
	Pattern string `yaml:"pattern"`
	// Unless names terms that, in the same sentence, cancel the rule.
	Unless []string `yaml:"unless"`
	// Shape names a structure that the detector parses (a tool call, a chat
	// template token); only the detector knows which there are.
	Shape string `yaml:"shape"`
	// Decoded restricts the rule to text that a decoding view exposed.
	Decoded bool  `yaml:"decoded"`
	Cases   Cases `yaml:"cases"`

	File  string `yaml:"-"`          // where it came from, for messages
	Added bool   `yaml:"-" json:"-"` // it is none of the built-in ones, which the model knows
}

// Step is one position of a rule: any one of its terms or words.
type Step struct {
	// Terms of the lexicon, without the language: "ignore" stands for the term
	// "ignore" of each of the rule's languages. With a dot ("en.ignore") it is
	// that term alone.
	Terms []string `yaml:"terms"`
	// Words given here. A trailing or leading * leaves that end open; without it
	// the end must be the end of a word.
	Words []string `yaml:"words"`
	// Gap is how many bytes of folded text may lie between the step before and
	// this one. Zero means DefaultGap.
	Gap int `yaml:"gap"`
}

// DefaultGap is the gap of a step that names none, in bytes of folded text.
const DefaultGap = 40

// Cases are texts in which a rule must, or must not, match.
type Cases struct {
	Hits []Case `yaml:"hits"`
	Near []Case `yaml:"near"`
}

// Case is one text. Want is where a hit must lie: between the marks [[[ and ]]]
// of the file; the finding must overlap it.
type Case struct {
	Text []byte
	Want chunk.Span
}

// UnmarshalYAML reads a case: a plain string, or a map with the one key esc,
// whose value is Go-quoted, so that characters nobody can see never stand raw
// in a file.
func (c *Case) UnmarshalYAML(n *yaml.Node) error {
	var s string
	switch n.Kind {
	case yaml.ScalarNode:
		if err := n.Decode(&s); err != nil {
			return err
		}
		for _, r := range s {
			if hiddenRune(r) {
				return fmt.Errorf("line %d: a case holds the raw character U+%04X; write it with esc", n.Line, r)
			}
		}
	case yaml.MappingNode:
		if len(n.Content) != 2 || n.Content[0].Value != "esc" {
			return fmt.Errorf("line %d: a case is a string or has the one key esc", n.Line)
		}
		v, err := strconv.Unquote(`"` + n.Content[1].Value + `"`)
		if err != nil {
			return fmt.Errorf("line %d: esc is not a Go-quoted string", n.Line)
		}
		s = v
	default:
		return fmt.Errorf("line %d: a case is a string or has the one key esc", n.Line)
	}
	start := strings.Index(s, "[[[")
	if start < 0 {
		c.Text, c.Want = []byte(s), chunk.Span{Start: 0, End: len(s)}
		return nil
	}
	end := strings.Index(s, "]]]")
	if end < start || strings.Count(s, "[[[") != 1 || strings.Count(s, "]]]") != 1 {
		return fmt.Errorf("line %d: marks [[[ and ]]] must come once each and in order", n.Line)
	}
	c.Text = []byte(s[:start] + s[start+3:end] + s[end+3:])
	c.Want = chunk.Span{Start: start, End: end - 3}
	return nil
}

// hiddenRune reports a character that cannot be seen in an editor or that
// reorders what is seen.
func hiddenRune(r rune) bool {
	switch {
	case r < 0x20 && r != '\n' && r != '\t', r >= 0x7f && r < 0xa0, r == 0xad, r == 0x34f, r == 0x61c,
		r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// Term is a class of words of one language.
type Term struct {
	Name  string   // language and class: "en.ignore"
	Words []string // as in Step.Words
	// Cue is what the term adds to a sentence's claim to be looked at by the
	// model. Zero: nothing.
	Cue int
}

// Lexicon is what corpus/words holds, by name.
type Lexicon map[string]Term

// Default gives the built-in rules, sorted by id.
func Default() ([]Rule, error) {
	rules, err := Load(builtin)
	for i := range rules {
		rules[i].Added = false
	}
	return rules, err
}

// Words gives the built-in lexicon.
func Words() (Lexicon, error) { return LoadWords(builtin) }

var errCorpus = errors.New("corpus")

// Load reads the rules of inject/*.yaml in fsys. Every error is reported at once.
func Load(fsys fs.FS) ([]Rule, error) {
	names, err := fs.Glob(fsys, "inject/*.yaml")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: no rules", errCorpus)
	}
	var rules []Rule
	var errs []error
	seen := map[string]string{}
	for _, name := range names {
		var r Rule
		if err := decode(fsys, name, &r); err != nil {
			errs = append(errs, err)
			continue
		}
		r.File, r.Added = name, true
		if err := r.check(strings.TrimSuffix(path.Base(name), ".yaml")); err != nil {
			errs = append(errs, fmt.Errorf("%w: %s: %w", errCorpus, name, err))
			continue
		}
		if other, dup := seen[r.ID]; dup {
			errs = append(errs, fmt.Errorf("%w: %s: id already in %s", errCorpus, name, other))
			continue
		}
		seen[r.ID] = name
		rules = append(rules, r)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	sort.Slice(rules, func(i, j int) bool { return rules[i].ID < rules[j].ID })
	return rules, nil
}

func decode(fsys fs.FS, name string, v any) error {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %s: %w", errCorpus, name, err)
	}
	var more any
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %s: more than one document", errCorpus, name)
	}
	return nil
}

func (r *Rule) check(base string) error {
	switch {
	case r.ID != base:
		return errors.New("id and file name differ")
	case r.Title == "":
		return errors.New("no title")
	case !contains(Families, r.Family):
		return errors.New("unknown family")
	case len(r.Languages) == 0:
		return errors.New("no languages")
	case r.Weight <= 0 || r.Weight > 1:
		return errors.New("weight must lie in (0,1]")
	case (len(r.Steps) == 0) == (r.Shape == ""):
		return errors.New("a rule has steps or a shape, and not both")
	case len(r.Cases.Hits) < MinCases:
		return fmt.Errorf("fewer than %d hits", MinCases)
	case len(r.Cases.Near) < MinCases:
		return fmt.Errorf("fewer than %d near misses", MinCases)
	}
	for _, l := range r.Languages {
		if !contains(Languages, l) {
			return fmt.Errorf("unknown language %q", l)
		}
	}
	for i, s := range r.Steps {
		if len(s.Terms)+len(s.Words) == 0 {
			return fmt.Errorf("step %d is empty", i+1)
		}
		if s.Gap < 0 || s.Gap > 400 {
			return fmt.Errorf("step %d: gap must lie in 0…400", i+1)
		}
	}
	return nil
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// LoadWords reads the lexicon of words/*.yaml in fsys: one file a language.
func LoadWords(fsys fs.FS) (Lexicon, error) {
	names, err := fs.Glob(fsys, "words/*.yaml")
	if err != nil {
		return nil, err
	}
	lex := Lexicon{}
	for _, name := range names {
		var f struct {
			Language string `yaml:"language"`
			Terms    map[string]struct {
				Cue   int      `yaml:"cue"`
				Words []string `yaml:"words"`
			} `yaml:"terms"`
		}
		if err := decode(fsys, name, &f); err != nil {
			return nil, err
		}
		if f.Language != strings.TrimSuffix(path.Base(name), ".yaml") || !contains(Languages, f.Language) {
			return nil, fmt.Errorf("%w: %s: language and file name differ, or unknown language", errCorpus, name)
		}
		for class, t := range f.Terms {
			if len(t.Words) == 0 || t.Cue < 0 || t.Cue > 9 {
				return nil, fmt.Errorf("%w: %s: term %q: no words, or cue outside 0…9", errCorpus, name, class)
			}
			n := f.Language + "." + class
			lex[n] = Term{Name: n, Words: t.Words, Cue: t.Cue}
		}
	}
	if len(lex) == 0 {
		return nil, fmt.Errorf("%w: no words", errCorpus)
	}
	return lex, nil
}
