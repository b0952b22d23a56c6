package classify

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"slices"
	"sort"
	"strings"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// ErrUnregistered means that the source is not in the registry: the content is blocked
// (SPEC CLS-4).
var ErrUnregistered = errors.New("classify: source is not registered")

// Codes of a [PathError].
const (
	PathMissing   = "path-missing"   // the payload has no value there
	PathAmbiguous = "path-ambiguous" // the payload has more than one value there
)

// PathError says that a path the source declares did not lead to one value. Path is the
// declared one, never a key of the payload.
type PathError struct {
	Source string
	Path   string
	Code   string
}

func (e *PathError) Error() string {
	return fmt.Sprintf("classify: source %q: path %q: %s", e.Source, e.Path, e.Code)
}

// Input is one document.
type Input struct {
	Source    string            // id in the registry
	MediaType string            // as the sender declared it; the source's Format wins
	Text      []byte            // raw; of pdf, docx and mail, what pkg/extract makes of it
	StubKey   []byte            // key of the scope: commitments and hash stubs are made with it
	Known     map[string]string // stub name → commitment, already used in this run
	Names     []Name            // typed values of the run's earlier documents
}

// Result says what the document holds and what has to be replaced before any of it
// reaches a context.
type Result struct {
	Class      chunk.Class       // at least the source's (SPEC CLS-2), raised by what was found (SPEC CLS-5)
	Redactions []chunk.Redaction // in order, not overlapping, in raw bytes; the replaced text keeps its format
	Entities   []chunk.Entity    // what recognisers found, in raw bytes, in order, not overlapping
	Exceeded   []string          // validated entity types above the source's ceiling, sorted; empty: no gate
	Found      chunk.Class       // the highest class recognisers found, from public up
	Stubs      []StubValue       // values behind the stubs, each once; new ones and those known already
	Names      []Name            // typed values for the run's later documents
	Surrogates int               // redactions that are shown as a surrogate
	RunBy      string            // value at the source's run_by path
	Subject    string            // value at the source's subject path; empty: the payload has none
}

// Classify decides one document. Errors are [ErrUnregistered], [ErrMalformed],
// [ErrBounds] and [*PathError]; with any of them the document must not go on.
func (c *Classifier) Classify(in Input) (Result, error) {
	s, ok := c.sources[in.Source]
	if !ok {
		return Result{}, ErrUnregistered
	}
	leaves, structured, err := parse(s, in.MediaType, in.Text)
	if err != nil {
		return Result{}, err
	}
	d := &decision{c: c, s: s, in: in, leaves: leaves, structured: structured, names: newNamer(in.StubKey, in.Known)}
	d.names.text = in.Text
	return d.decide()
}

// parse takes a payload apart. structured is false where there are no fields: then all
// of it is free text.
func parse(s *compiled, mediaType string, text []byte) (leaves []leaf, structured bool, err error) {
	switch formatOf(s.src.Format, mediaType) {
	case "json":
		leaves, err = walkJSON(text, s.trie)
		return leaves, true, err
	case "form":
		leaves, err = walkForm(text, s.trie)
		return leaves, true, err
	case "csv":
		leaves, err = walkCSV(text, s.trie)
		return leaves, true, err
	case "mail":
		leaves, err = walkMail(text, s.trie)
		return leaves, true, err
	case "pdf", "docx":
		if bytes.HasPrefix(text, []byte("%PDF-")) || bytes.HasPrefix(text, []byte("PK\x03\x04")) {
			return nil, false, ErrMalformed // not extracted: nothing would be found in it
		}
		return textLeaves(text), false, nil
	case "html", "markdown":
		return htmlLeaf(text), false, nil
	default:
		return textLeaves(text), false, nil
	}
}

func formatOf(declared, mediaType string) string {
	if declared != "" {
		return declared
	}
	t, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return "text"
	}
	switch {
	case t == "application/json", strings.HasSuffix(t, "+json"):
		return "json"
	case t == "application/x-www-form-urlencoded":
		return "form"
	case t == "text/csv":
		return "csv"
	case t == "text/html", t == "application/xhtml+xml":
		return "html"
	case t == "text/markdown":
		return "markdown"
	case t == "message/rfc822":
		return "mail"
	case t == "application/pdf":
		return "pdf"
	case t == "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
		return "docx"
	}
	return "text"
}

// treatment says what happens to one leaf.
type treatment uint8

const (
	keep   treatment = iota // as it is; what is validated and above its class is replaced
	search                  // recognisers decide
	whole                   // replaced by a stub
)

func (d *decision) treat(l *leaf) (treatment, chunk.Class) {
	if !d.structured {
		return search, d.s.class
	}
	if l.kind == leafKey {
		return keep, d.s.class
	}
	if r := l.matched.own(); r != nil {
		switch {
		case r.Text:
			return search, r.Class
		case r.Class.Exceeds(chunk.Internal):
			return whole, r.Class
		default:
			return keep, r.Class
		}
	}
	if d.s.class.Exceeds(chunk.Internal) && !l.free {
		return whole, d.s.class
	}
	return search, d.s.class
}

type decision struct {
	c          *Classifier
	s          *compiled
	in         Input
	leaves     []leaf
	structured bool
	names      *namer
	out        Result
}

func (d *decision) decide() (Result, error) {
	if err := d.declaredPaths(); err != nil {
		return Result{}, err
	}
	d.out.Class = chunk.Public
	if !d.structured || len(d.leaves) == 0 {
		d.out.Class = d.s.class
	}
	d.stubWhole()
	own := d.recogniseLeaves()
	wanted := d.typedNames(own)
	var hits []leafHit
	for i := range d.leaves {
		for _, h := range d.merge(&d.leaves[i], own[i], wanted) {
			hits = append(hits, leafHit{h, &d.leaves[i]})
		}
	}
	d.stubHits(hits)
	sort.Slice(d.out.Redactions, func(i, j int) bool { return d.out.Redactions[i].Start < d.out.Redactions[j].Start })
	d.out.Found = ClassOf(d.out.Entities)
	d.out.Stubs = d.names.stubs
	d.out.Surrogates = d.names.surrogates
	slices.Sort(d.out.Exceeded)
	d.out.Exceeded = slices.Compact(d.out.Exceeded)
	return d.out, nil
}

// declaredPaths reads the values that name the run and the subject.
func (d *decision) declaredPaths() error {
	runs, subjects := 0, 0
	for i := range d.leaves {
		l := &d.leaves[i]
		if l.kind != leafText && l.kind != leafLiteral || len(l.text) == 0 {
			continue
		}
		for _, n := range l.matched.nodes {
			if n.runBy {
				runs++
				d.out.RunBy = string(l.text)
			}
			if n.subject {
				subjects++
				d.out.Subject = string(l.text)
			}
		}
	}
	switch {
	case runs > 1:
		return &PathError{d.s.src.ID, d.s.src.RunBy, PathAmbiguous}
	case runs == 0 && d.s.src.RunBy != "":
		return &PathError{d.s.src.ID, d.s.src.RunBy, PathMissing}
	case subjects > 1:
		return &PathError{d.s.src.ID, d.s.src.Subject, PathAmbiguous}
	}
	return nil
}

// stubWhole replaces the values that are hidden as a whole, and computes the class of
// what is there.
func (d *decision) stubWhole() {
	for i := range d.leaves {
		l := &d.leaves[i]
		how, class := d.treat(l)
		if l.kind != leafKey {
			d.out.Class = d.out.Class.Max(class)
		}
		if how != whole || l.kind == leafNull || len(l.text) == 0 {
			continue
		}
		form, base, typ, sinks := d.s.src.Form, "", "FIELD", []string(nil)
		r := l.matched.own()
		if r == nil {
			r = l.matched.inherited
			base = stubName(l.keys())
		} else {
			base = r.stub
			if r.Type != "" {
				typ = r.Type
			}
		}
		if r != nil {
			form, sinks = r.Form, r.Sinks
		}
		stub := d.names.stub(form, base, typ, l.text, class, sinks)
		path := ""
		if own := l.matched.own(); own != nil {
			path = own.Path
		}
		text := stub
		if l.encode != nil {
			text = l.encode(stub)
		}
		if l.kind == leafLiteral {
			text = `"` + stub + `"`
		}
		d.out.Redactions = append(d.out.Redactions, chunk.Redaction{
			Span: chunk.Span{Start: l.start, End: l.end}, Type: typ, Class: class, Path: path, Stub: text,
		})
	}
}

// keys lists the object keys on the way to a value.
func (l *leaf) keys() []string {
	var out []string
	for n := l.path; n != nil; n = n.up {
		if !n.array {
			out = append(out, n.key)
		}
	}
	slices.Reverse(out)
	return out
}

// opaqueText is the redacted text of an encoded leaf while it is put together.
type opaqueText struct {
	leaf *leaf
	text []byte
	at   int
	to   int // place of its redaction
}

// finish encodes what has become of the text.
func (o *opaqueText) finish(rs []chunk.Redaction) {
	if o.leaf != nil {
		rs[o.to].Stub = o.leaf.encode(string(append(o.text, o.leaf.text[o.at:]...)))
	}
}

// stubHits replaces what recognisers found in values that are not hidden as a whole.
func (d *decision) stubHits(hits []leafHit) {
	var opaque opaqueText
	for _, h := range hits {
		class := classOfType(h.typ)
		l := h.leaf
		start, end := l.raw(h.start, h.end)
		if l.opaque {
			start, end = l.start, l.end
		}
		span := chunk.Span{Start: start, End: end}
		how, leafClass := d.treat(l)
		if n := len(d.out.Entities); h.typ == "FIELD" {
			// a value that a path declares, and no type of entity
		} else if n == 0 || !d.out.Entities[n-1].Overlaps(span) {
			d.out.Entities = append(d.out.Entities, chunk.Entity{Type: h.typ, Span: span, Score: h.score, Rule: h.rule})
		}
		exceeds := h.valid && class.Exceeds(d.s.class)
		if exceeds {
			d.out.Exceeded = append(d.out.Exceeded, h.typ)
			d.out.Class = d.out.Class.Max(class)
		}
		if how == whole {
			continue // the finding stands, the text is gone already
		}
		if how == keep && !(h.valid && class.Exceeds(leafClass)) && !exceeds && !(l.kind == leafKey && h.valid) {
			continue
		}
		form, base, typ, value := d.s.src.Form, h.typ, h.typ, l.text[h.start:h.end]
		if k := h.known; k != nil {
			base, typ, value = k.stub, k.scope, k.value
			if k.form != "" {
				form = k.form
			}
		}
		stub := d.names.stub(form, base, typ, value, class, nil)
		if l.opaque {
			// The decoded text is redacted and encoded again, hit by hit.
			first := opaque.leaf != l
			if first {
				opaque.finish(d.out.Redactions)
				opaque = opaqueText{leaf: l, to: len(d.out.Redactions)}
			}
			opaque.text = append(append(opaque.text, l.text[opaque.at:h.start]...), stub...)
			opaque.at = h.end
			if !first {
				r := &d.out.Redactions[opaque.to]
				r.Class, r.Valid = r.Class.Max(class), r.Valid || h.valid
				continue
			}
		} else if l.encode != nil {
			stub = l.encode(stub)
		}
		if l.kind == leafLiteral {
			span = chunk.Span{Start: l.start, End: l.end}
			stub = `"` + stub + `"`
			if n := len(d.out.Redactions); n > 0 && d.out.Redactions[n-1].Span == span {
				continue // two findings in one literal: it is gone already
			}
		}
		if n := len(d.out.Redactions); n > 0 && d.out.Redactions[n-1].Overlaps(span) {
			// Two findings in what is decoded as one: the first one's stub stands for both.
			r := &d.out.Redactions[n-1]
			r.End, r.Class, r.Valid = max(r.End, span.End), r.Class.Max(class), r.Valid || h.valid
			continue
		}
		d.out.Redactions = append(d.out.Redactions, chunk.Redaction{Span: span, Type: h.typ, Class: class, Stub: stub, Valid: h.valid})
	}
	opaque.finish(d.out.Redactions)
}
