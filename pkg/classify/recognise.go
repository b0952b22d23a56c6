package classify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// hit is one recognised element while it is being decided, in offsets of the text that
// was searched.
type hit struct {
	typ        string
	rule       string      // for SECRET
	known      *knownValue // nil: no typed value of the run
	start, end int
	score      float64
	valid      bool // a checksum or a structure proved it
}

// leafHit is a hit inside one leaf, in offsets of the leaf's decoded text.
type leafHit struct {
	hit
	leaf *leaf
}

// Recognise finds identifying elements and secrets in free text (SPEC RED-3). The
// result is in order and does not overlap.
func (c *Classifier) Recognise(text []byte) []chunk.Entity {
	hits := recognise(text, &c.limits)
	out := make([]chunk.Entity, len(hits))
	for i, h := range hits {
		out[i] = chunk.Entity{Type: h.typ, Span: chunk.Span{Start: h.start, End: h.end}, Score: h.score, Rule: h.rule}
	}
	return out
}

func recognise(text []byte, l *limits) []hit {
	f := fold(text)
	all := hitsIn(f.text, 0, l)
	hits := all[:0]
	for _, h := range all {
		if h.score >= l.of(h.typ) {
			hits = append(hits, h)
		}
	}
	afterNames(f.text, hits)
	hits = resolve(hits)
	for i := range hits {
		hits[i].start, hits[i].end = f.raw(hits[i].start, hits[i].end)
	}
	return hits
}

// resolve makes hits disjoint. What is proved wins over what is likely, then the higher
// score, then the longer one. Among the likely, a loser that reaches out of the winner's
// span widens it: otherwise a fragment of a found value would stay behind the stub.
func resolve(hits []hit) []hit {
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	out := hits[:0]
	for _, h := range hits {
		n := len(out)
		if n == 0 || out[n-1].end <= h.start {
			out = append(out, h)
			continue
		}
		o := &out[n-1]
		// What a checksum proved ends where the checksum says.
		if o.valid && !h.valid && h.score <= o.score {
			continue
		}
		if h.valid && !o.valid && o.score <= h.score {
			*o = h
			continue
		}
		end := max(o.end, h.end)
		if o.typ == "LOCATION" && h.typ == "PERSON" && h.end-h.start < o.end-o.start { // streets are named after people
			o.end = end
			continue
		}
		if h.typ == "LOCATION" && o.typ == "PERSON" && o.end-o.start < h.end-h.start {
			start := o.start
			*o = h
			o.start, o.end = start, end
			continue
		}
		if h.score > o.score || h.score == o.score && h.end-h.start > o.end-o.start {
			start := o.start
			*o = h
			o.start = start
		}
		o.end = end
	}
	return out
}

// Redact replaces each entity by a template stub of its type, numbered by value: for
// POST /v1/scan, where there is no run and no key.
func Redact(text []byte, entities []chunk.Entity) []byte {
	n := newNamer(nil, nil)
	out := make([]byte, 0, len(text))
	at := 0
	for _, e := range entities {
		if e.Start < at || e.End > len(text) || e.End < e.Start {
			continue
		}
		out = append(out, text[at:e.Start]...)
		out = append(out, n.stub(StubTemplate, e.Type, e.Type, text[e.Start:e.End], chunk.PII, nil)...)
		at = e.End
	}
	return append(out, text[at:]...)
}

// classOfType is the class of an entity type (docs/classification.md). Types that are
// not listed are personal data.
func classOfType(typ string) chunk.Class {
	switch typ {
	case "SECRET", "IP_ADDRESS", "MAC_ADDRESS", "CRYPTO", "ABA_ROUTING_NUMBER":
		return chunk.Restricted
	case "URL", "ORGANIZATION":
		return chunk.Internal
	}
	return chunk.PII
}

// ClassOf is the highest class among entities; public if there are none.
func ClassOf(entities []chunk.Entity) chunk.Class {
	class := chunk.Public
	for _, e := range entities {
		class = class.Max(classOfType(e.Type))
	}
	return class
}

// recogniseLeaves searches every leaf, and gives what was found leaf by leaf. Structured
// text is searched once as it stands, so that a key can be context for its value; a hit
// counts only if one leaf holds all of it. Values with escapes are decoded and searched
// on their own.
func (d *decision) recogniseLeaves() [][]hit {
	out := make([][]hit, len(d.leaves))
	if len(d.leaves) == 1 && !d.structured {
		out[0] = recognise(d.leaves[0].text, &d.s.limits)
		return out
	}
	all := recognise(d.in.Text, &d.s.limits)
	at := 0
	format := formatOf(d.s.src.Format, d.in.MediaType)
	byKey := (format == "form" || format == "csv") && !d.s.limits.noNames // no text of theirs shows the keys
	for i := range d.leaves {
		l := &d.leaves[i]
		for at < len(all) && all[at].start < l.start {
			at++
		}
		if l.off != nil {
			out[i] = d.decoded(l)
			continue
		}
		if byKey && l.kind == leafText && len(l.key) > 0 {
			if score, _ := fieldVerdict(keyKind(l.key), fieldOther, false, l.text); score >= d.s.limits.of("PERSON") {
				out[i] = append(out[i], hit{typ: "PERSON", start: 0, end: len(l.text), score: score})
			}
		}
		for ; at < len(all) && all[at].start < l.end; at++ {
			if h := all[at]; h.end <= l.end {
				h.start, h.end = h.start-l.start, h.end-l.start
				out[i] = append(out[i], h)
			}
		}
		out[i] = resolve(out[i])
	}
	return out
}

// decoded searches a decoded value behind its key.
func (d *decision) decoded(l *leaf) []hit {
	text := make([]byte, 0, len(l.key)+len(l.text)+72)
	if keys := l.keys(); len(keys) > 1 {
		if parent := keys[len(keys)-2]; len(parent) <= 48 && !strings.ContainsAny(parent, "\"\\\n") {
			text = append(append(append(text, `{"`...), parent...), `":{`...)
		}
	}
	text = append(text, '"')
	text = append(text, l.key...)
	text = append(text, `": "`...)
	at := len(text)
	text = append(text, l.text...)
	text = append(text, '"')
	var out []hit
	for _, h := range recognise(text, &d.s.limits) {
		if h.start >= at && h.end <= at+len(l.text) {
			h.start, h.end = h.start-at, h.end-at
			out = append(out, h)
		}
	}
	return out
}

// merge adds the run's typed values to what recognisers found in one leaf.
func (d *decision) merge(l *leaf, hits []hit, names *nameSearch) []hit {
	if names == nil || l.kind != leafText && l.kind != leafLiteral {
		return hits
	}
	found := names.find(l.text)
	if len(found) == 0 {
		return hits
	}
	// What a recogniser found and a typed value is all of gives way to it: it has a stub
	// already. A recognised name may be made up of several: a first and a last name have
	// stubs of their own. Where the typed value is a part of what is proved (a name in an
	// e-mail address), the proved one stays.
	kept := hits[:0:0]
	from := 0
	for _, h := range hits { // both lists are in order, and neither overlaps itself
		for from < len(found) && found[from].end <= h.start {
			from++
		}
		to := from
		for to < len(found) && found[to].start < h.end {
			to++
		}
		gone := h.typ == "PERSON" && covered(l.text, h, found[from:to])
		for i := from; i < to; i++ {
			f := &found[i]
			switch {
			case f.start <= h.start && h.end <= f.end:
				gone = true
				f.valid = f.valid || h.valid
				if h.valid && classOfType(h.typ) >= classOfType(f.typ) {
					f.typ, f.rule = h.typ, h.rule
				}
			case h.valid && h.start <= f.start && f.end <= h.end:
				f.score = 0
			}
		}
		if !gone {
			kept = append(kept, h)
		}
	}
	for _, f := range found {
		if f.score > 0 {
			kept = append(kept, f)
		}
	}
	return resolve(kept)
}
