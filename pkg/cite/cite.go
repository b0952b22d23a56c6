// Package cite finds citations in text: URLs, statutes, parcel ids, grant numbers, and
// what else a deployment declares (SPEC QUA-8). It says where each stands and what it
// names in a normal form, so that two spellings of one thing are looked up as one. It
// looks nothing up itself; internal/citations does.
package cite

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Kind is one kind of citation as a deployment declares it: how it is found in text, how
// it is brought into its normal form, and where it is looked up.
type Kind struct {
	Name      string    `yaml:"name" json:"name"`
	Builtin   string    `yaml:"builtin,omitempty" json:"builtin,omitempty"`     // url, statute, parcel-id or grant-number; empty: Pattern
	Pattern   string    `yaml:"pattern,omitempty" json:"pattern,omitempty"`     // RE2; what the group named value matched is the citation, else the whole match
	Normalise []string  `yaml:"normalize,omitempty" json:"normalize,omitempty"` // [Steps], in order; with a pattern only
	Register  *Register `yaml:"register,omitempty" json:"register,omitempty"`   // asked first
	Endpoint  *Endpoint `yaml:"endpoint,omitempty" json:"endpoint,omitempty"`   // asked for what the register does not hold; nil: nothing is asked over the network
	Outputs   Policy    `yaml:"outputs,omitempty" json:"outputs,omitempty"`     // for outputs: gate (default), report or off
	Retrieved Policy    `yaml:"retrieved,omitempty" json:"retrieved,omitempty"` // for retrieved chunks: report (default), withhold or off
}

// Register is a source of record in a file: a list, or a column of a table.
type Register struct {
	File   string `yaml:"file" json:"file"`                         // relative to the configuration file
	Column string `yaml:"column,omitempty" json:"column,omitempty"` // of a CSV file with a header; empty: one entry a line
}

// Endpoint is a source of record that is asked over https.
type Endpoint struct {
	URL           string      `yaml:"url,omitempty" json:"url,omitempty"`                               // with {value} in its path or query; not with builtin url, which asks for the URL itself
	Hosts         []string    `yaml:"hosts,omitempty" json:"hosts,omitempty"`                           // builtin url only: example.org, *.example.org, or * for every host
	Found         string      `yaml:"found,omitempty" json:"found,omitempty"`                           // RE2: an answer whose body does not match it says that the thing is not there
	Authorization string      `yaml:"authorization,omitempty" json:"authorization,omitempty"`           // env:NAME or file:PATH; the value of the header of that name
	Ceiling       chunk.Class `yaml:"data_class_ceiling,omitempty" json:"data_class_ceiling,omitempty"` // highest class that may be sent there; zero: public
}

// Policy is what becomes of text with a citation that is not resolved.
type Policy string

// The policies.
const (
	Gate     Policy = "gate"     // a person decides
	Report   Policy = "report"   // it goes on, and the answer and the record say so
	Withhold Policy = "withhold" // the chunk stays out of the run
	Off      Policy = "off"      // not looked for
)

// State is what came of a citation. The zero value is Undecided.
type State uint8

// The states.
const (
	Undecided    State = iota // the source of record could not say, or there is none
	Hallucinated              // the source of record does not have it
	Resolved
)

func (s State) String() string {
	switch s {
	case Resolved:
		return "resolved"
	case Hallucinated:
		return string(chunk.FailCitation)
	}
	return "undecided"
}

// MarshalText writes the state's name.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Failure is what a record and an answer say of a citation in this state.
func (s State) Failure() chunk.FailureID {
	switch s {
	case Resolved:
		return chunk.FailNone
	case Hallucinated:
		return chunk.FailCitation
	}
	return chunk.FailUndecided
}

// The built-in kinds.
const (
	URL     = "url"
	Statute = "statute"
	Parcel  = "parcel-id"
	Grant   = "grant-number"
)

// Citation is one citation in a text.
type Citation struct {
	Kind int // index into the set
	chunk.Span
	// Values are the normal forms it may have: the first as it stands, others as it may
	// have been meant (a full stop that belongs to it, a line break inside it). Citations
	// in a list, such as §§ 1, 2, are one Citation each, with the same span.
	Values []string
}

// Set is a compiled list of kinds. It is safe for concurrent use and never changes.
type Set struct {
	kinds []kind
}

type kind struct {
	Kind
	forms []form // none for URLs
	steps []func(string) string
	bare  func(string) string // normal form of a register's entry that carries no label
	found *regexp.Regexp
}

// form is one way to write a citation.
type form struct {
	re *regexp.Regexp
	// norm gives the normal forms of what was matched; none: it is no citation after all.
	norm func(groups []string) []string
	// group is what is marked in the text; 0 is the whole match.
	group int
	// tail reads a list that goes on behind the match: how long it is, and what it adds.
	tail func(groups []string, rest string) (n int, values []string)
	// needs are what one of which stands in every match, in lower case; none: unknown. Most
	// texts have none of them, and need no search.
	needs []string
}

const (
	maxKinds   = 64
	maxPattern = 1000 // bytes
	// maxProgram bounds a compiled pattern: its size is a factor of the time that matching takes.
	maxProgram = 4000 // instructions
)

var kindName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// Compile checks the kinds. The error names every one that is wrong, and how.
func Compile(in []Kind) (*Set, error) {
	if len(in) > maxKinds {
		return nil, fmt.Errorf("citations.kinds: %d; want at most %d", len(in), maxKinds)
	}
	s := &Set{}
	var errs []error
	names := map[string]bool{}
	for i, k := range in {
		at := fmt.Sprintf("citations.kinds[%d]", i)
		if k.Name != "" {
			at += " (" + k.Name + ")"
		}
		bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(at+format, a...)) }
		if !kindName.MatchString(k.Name) {
			bad(".name: want lower-case letters, digits and hyphens, at most 40")
		}
		if names[k.Name] {
			bad(".name: used twice")
		}
		names[k.Name] = true
		c := kind{Kind: k}
		switch {
		case (k.Builtin == "") == (k.Pattern == ""):
			bad(": want either builtin or pattern")
		case k.Builtin == "":
			f, err := compilePattern(k.Pattern)
			if err != nil {
				bad(".pattern: %w", err)
			}
			c.forms = []form{f}
		default:
			b, ok := builtins[k.Builtin]
			if !ok {
				bad(".builtin: unknown %q (want url, statute, parcel-id or grant-number)", k.Builtin)
			}
			c.forms, c.bare = b.forms, b.bare
			if len(k.Normalise) > 0 {
				bad(".normalize: a built-in kind has its own normal form")
			}
		}
		for _, n := range k.Normalise {
			f, ok := steps[n]
			if !ok {
				bad(".normalize: unknown step %q (want %s)", n, strings.Join(Steps, ", "))
			}
			c.steps = append(c.steps, f)
		}
		if k.Register != nil && k.Register.File == "" {
			bad(".register.file: missing")
		}
		if k.Endpoint != nil {
			e := *k.Endpoint
			for _, err := range checkEndpoint(k.Builtin, e) {
				bad(".endpoint%w", err)
			}
			if e.Ceiling == chunk.Unclassified {
				e.Ceiling = chunk.Public
			}
			c.Endpoint = &e
			if e.Found != "" {
				f, err := compilePattern(e.Found)
				if err != nil {
					bad(".endpoint.found: %w", err)
				}
				c.found = f.re
			}
		}
		for _, p := range []struct {
			name string
			v    *Policy
			want []Policy
		}{{"outputs", &c.Outputs, []Policy{Gate, Report, Off}}, {"retrieved", &c.Retrieved, []Policy{Report, Withhold, Off}}} {
			if *p.v == "" {
				*p.v = p.want[0]
			}
			if !slices.Contains(p.want, *p.v) {
				bad(".%s: want %s, %s or %s", p.name, p.want[0], p.want[1], p.want[2])
			}
		}
		s.kinds = append(s.kinds, c)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, nil
}

// compilePattern compiles a deployment's pattern. The regexp package matches in linear
// time, whatever the text.
func compilePattern(pattern string) (form, error) {
	if len(pattern) > maxPattern {
		return form{}, fmt.Errorf("%d bytes; want at most %d", len(pattern), maxPattern)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return form{}, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	p, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return form{}, err
	}
	prog, err := syntax.Compile(p.Simplify())
	if err != nil {
		return form{}, err
	}
	if len(prog.Inst) > maxProgram {
		return form{}, fmt.Errorf("compiles to %d steps; want at most %d: make the counted repeats smaller", len(prog.Inst), maxProgram)
	}
	if re.MatchString("") {
		return form{}, errors.New("matches the empty text")
	}
	f := form{re: re, norm: func(g []string) []string { return g[:1] }}
	for i, n := range re.SubexpNames() {
		switch {
		case n == "":
		case n != "value":
			return form{}, fmt.Errorf("unknown group %q; the one that may have a name is value", n)
		case f.group > 0:
			return form{}, errors.New("two groups are named value")
		default:
			f.group = i
			f.norm = func(g []string) []string { return g[i : i+1] }
		}
	}
	return f, nil
}

func checkEndpoint(builtin string, e Endpoint) []error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if builtin == URL {
		if e.URL != "" {
			bad(".url: the kind url asks for the citation itself; give hosts")
		}
		if e.Authorization != "" || e.Found != "" {
			bad(": authorization and found are for an endpoint with a url")
		}
		if len(e.Hosts) == 0 {
			bad(".hosts: missing; list the hosts that may be asked, or \"*\" for every host")
		}
		for _, h := range e.Hosts {
			name := strings.TrimPrefix(h, "*.")
			if h == "*" {
				continue
			}
			if ascii, ok := asciiHost(name); !ok || ascii != name || !strings.Contains(name, ".") {
				bad(".hosts: %q: want example.org, *.example.org or * (a name in other letters in its xn-- form)", h)
			}
		}
		return errs
	}
	if len(e.Hosts) > 0 {
		bad(".hosts: for the kind url only; the url says the host")
	}
	u, err := url.Parse(strings.ReplaceAll(e.URL, Placeholder, "0"))
	switch {
	case e.URL == "":
		bad(".url: missing")
	case strings.Count(e.URL, Placeholder) != 1:
		bad(".url: want {value} once")
	case err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil:
		bad(".url: want https://HOST/… without credentials")
	default:
		// {value} in the host's name would let a text choose whom we ask.
		host, _, _ := strings.Cut(strings.TrimPrefix(e.URL, "https://"), "/")
		if strings.ContainsAny(host, "{}?#") || strings.Contains(e.URL, "#") {
			bad(".url: {value} belongs in the path or the query")
		}
	}
	if a := e.Authorization; a != "" && !strings.HasPrefix(a, "env:") && !strings.HasPrefix(a, "file:") {
		bad(".authorization: want env:NAME or file:PATH; a secret does not belong in this file")
	}
	return errs
}

// Placeholder stands for the citation in an endpoint's URL.
const Placeholder = "{value}"

// Len is the number of kinds.
func (s *Set) Len() int { return len(s.kinds) }

// Kind gives a kind as it was declared, its defaults filled in.
func (s *Set) Kind(i int) Kind { return s.kinds[i].Kind }

// Found reports whether an endpoint's answer says that the thing is there.
func (s *Set) Found(i int, body []byte) bool {
	return s.kinds[i].found == nil || s.kinds[i].found.Match(body)
}

// Entry gives the normal form of a register's entry: as a citation in a text would have
// it, or, without the words that mark one in a text, what it names. Empty: the entry is
// of no form that this kind knows.
func (s *Set) Entry(i int, text string) string {
	k := &s.kinds[i]
	text = strings.TrimSpace(text)
	if k.Builtin == URL {
		return urlEntry(text)
	}
	f := fold(text)
	for _, fo := range k.forms {
		m := fo.re.FindStringSubmatchIndex(f.text)
		if k.Builtin != "" && m != nil && m[0] == 0 && m[1] == len(f.text) {
			if v := fo.norm(groups(f.text, m)); len(v) == 1 {
				return v[0]
			}
		}
	}
	if k.Builtin != "" {
		if k.bare == nil {
			return ""
		}
		return k.bare(f.text)
	}
	return k.normal(f.text)
}

func (k *kind) normal(v string) string {
	v = strings.TrimSpace(v)
	for _, f := range k.steps {
		v = f(v)
	}
	return v
}

func groups(text string, m []int) []string {
	out := make([]string, len(m)/2)
	for i := range out {
		if m[2*i] >= 0 {
			out[i] = text[m[2*i]:m[2*i+1]]
		}
	}
	return out
}
