package classify

import (
	"fmt"
	"strings"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Options tune a Classifier. The zero value is the recommended one.
type Options struct {
	// NoNames leaves out the search for names of persons in free text, which costs as much
	// as all other recognisers together. Typed fields and the run's names are not touched
	// by it.
	NoNames bool
}

// Classifier is a compiled source registry. It is safe for use by many goroutines.
type Classifier struct {
	sources map[string]*compiled
	limits  limits // of text of no source
}

type compiled struct {
	src    Source
	class  chunk.Class // the ceiling, with restricted in place of none (SPEC CLS-3)
	trie   *fieldTrie
	limits limits
}

// rule is one declared field, compiled.
type rule struct {
	Field
	stub string // base name of its stub
}

// SourceError says what is wrong with a source registry entry. Where names the
// member, for example fields[2].path.
type SourceError struct {
	Source string
	Where  string
	Reason string
}

func (e *SourceError) Error() string {
	return fmt.Sprintf("classify: source %q: %s: %s", e.Source, e.Where, e.Reason)
}

var (
	formats = map[string]bool{"": true, "json": true, "text": true, "form": true, "csv": true, "html": true, "markdown": true, "mail": true, "pdf": true, "docx": true}
	schemes = map[string]bool{"standard-webhooks": true, "github": true, "stripe": true, "slack": true}
)

// Compile checks a source registry and makes it ready for use. The first thing that
// is wrong is returned as a [*SourceError]; a registry with a mistake is refused whole,
// for a field that is not redacted is found too late.
func Compile(sources []Source, opts Options) (*Classifier, error) {
	c := &Classifier{sources: make(map[string]*compiled, len(sources)), limits: limits{noNames: opts.NoNames}}
	for i := range sources {
		s, err := compileSource(sources[i])
		if err != nil {
			return nil, err
		}
		if c.sources[s.src.ID] != nil {
			return nil, &SourceError{s.src.ID, "id", "declared twice"}
		}
		s.limits = limits{noNames: opts.NoNames, scores: s.src.MinScores}
		c.sources[s.src.ID] = s
	}
	return c, nil
}

// ValidSourceID reports whether s can name a source: lower-case letters, digits,
// hyphen, underscore and dot, at most 64 bytes, beginning with a letter or digit.
func ValidSourceID(s string) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case i > 0 && (c == '-' || c == '_' || c == '.'):
		default:
			return false
		}
	}
	return true
}

func compileSource(s Source) (*compiled, error) {
	bad := func(where, reason string, args ...any) (*compiled, error) {
		return nil, &SourceError{s.ID, where, fmt.Sprintf(reason, args...)}
	}
	if !ValidSourceID(s.ID) {
		return bad("id", "want 1 to 64 lower-case letters, digits, '-', '_' or '.', beginning with a letter or digit")
	}
	c := &compiled{src: s, class: s.Ceiling, trie: &fieldTrie{}}
	if s.Ceiling > chunk.PII {
		return bad("data_class_ceiling", "unknown class")
	}
	if s.Ceiling == chunk.Unclassified {
		c.class = chunk.Restricted
		c.src.Ceiling = chunk.Restricted
	}
	if s.Origin == chunk.AgentInstruction {
		return bad("origin", "a source cannot be agent-instruction (SPEC CLS-7)")
	}
	if !formats[s.Format] {
		return bad("format", "unknown; want json, text, form, csv, html, markdown, mail, pdf or docx")
	}
	if s.Form != "" && s.Form != StubTemplate && s.Form != StubSurrogate {
		return bad("stub_form", "unknown; want template or surrogate")
	}
	for _, t := range []struct {
		where string
		v     float64
	}{{"suspect_threshold", s.Suspect}, {"injection_risk", s.Quarantine}} {
		if t.v != 0 && !(t.v > 0 && t.v <= 1) {
			return bad(t.where, "must be in (0,1]")
		}
	}
	if s.Suspect != 0 && s.Quarantine != 0 && s.Suspect > s.Quarantine {
		return bad("suspect_threshold", "is above injection_risk")
	}
	if member, reason := checkScores(s.MinScores); member != "" {
		return bad(member, "%s", reason)
	}
	if s.Retention < 0 {
		return bad("retention", "is negative")
	}
	if s.MaxBytes < 0 {
		return bad("max_bytes", "is negative")
	}
	if s.Collection && s.RunBy != "" {
		return bad("run_by", "a collection's documents belong to no run")
	}
	if sig := s.Signature; sig != nil {
		if !schemes[sig.Scheme] {
			return bad("signature.scheme", "unknown; want standard-webhooks, github, stripe or slack")
		}
		if len(sig.Secrets) == 0 {
			return bad("signature.secrets", "none given")
		}
		for i, ref := range sig.Secrets {
			if !strings.HasPrefix(ref, "env:") && !strings.HasPrefix(ref, "file:") {
				return bad(fmt.Sprintf("signature.secrets[%d]", i), "want env:NAME or file:PATH")
			}
		}
	}
	for i, f := range s.Fields {
		at := func(member string) string { return fmt.Sprintf("fields[%d].%s", i, member) }
		steps, err := parsePath(f.Path)
		if err != nil {
			return bad(at("path"), "%v", err)
		}
		if f.Class == chunk.Unclassified || f.Class > chunk.PII {
			return bad(at("class"), "missing or unknown; want public, internal, restricted or pii")
		}
		if f.Class.Exceeds(c.class) {
			return bad(at("class"), "%s is above the source's ceiling %s (SPEC CLS-2)", f.Class, c.class)
		}
		switch f.Form {
		case "":
			f.Form = s.Form
		case StubTemplate, StubConstant, StubHash, StubSurrogate:
		default:
			return bad(at("stub_form"), "unknown; want template, constant, hash or surrogate")
		}
		if strings.Contains(f.Stub+"_", surrogateMark) {
			return bad(at("stub"), "%q is kept for surrogates", strings.Trim(surrogateMark, "_"))
		}
		if f.Stub != "" && !validStubName(f.Stub) {
			return bad(at("stub"), "want 1 to 64 of A-Z, 0-9 and _, beginning with a letter")
		}
		if f.Type != "" && !validStubName(f.Type) {
			return bad(at("type"), "want an entity type such as PERSON")
		}
		node := c.trie.put(steps)
		if node.rule != nil {
			return bad(at("path"), "declared twice")
		}
		r := &rule{Field: f, stub: f.Stub}
		if r.stub == "" {
			r.stub = stubFromSteps(steps)
		}
		node.rule = r
	}
	for _, p := range []struct {
		where, path string
		mark        func(*fieldTrie)
	}{
		{"run_by", s.RunBy, func(n *fieldTrie) { n.runBy = true }},
		{"subject", s.Subject, func(n *fieldTrie) { n.subject = true }},
		{"event_id_path", s.EventIDPath, func(*fieldTrie) {}},
	} {
		if p.path == "" {
			continue
		}
		steps, err := parsePath(p.path)
		if err != nil {
			return bad(p.where, "%v", err)
		}
		for _, st := range steps {
			if st.any || st.array {
				return bad(p.where, "must name one value: no * and no []")
			}
		}
		p.mark(c.trie.put(steps))
	}
	return c, nil
}

// Source gives a registered source, with defaults filled in.
func (c *Classifier) Source(id string) (*Source, bool) {
	s, ok := c.sources[id]
	if !ok {
		return nil, false
	}
	src := s.src
	return &src, true
}
