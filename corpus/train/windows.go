package main

import (
	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/detect"
)

// What a window is to the attack of its document.
const (
	outside = iota
	partly
	inside
)

// cutter hands out windows exactly as a scan cuts them: rules and cues included,
// the model left out.
type cutter struct{ d *detect.Detector }

func newCutter() (cutter, error) {
	rules, err := corpus.Default()
	if err != nil {
		return cutter{}, err
	}
	d, err := detect.Compile(rules, detect.Options{RulesOnly: true})
	return cutter{d}, err
}

// each hands out the windows of a document with their relation to its attack.
// Without all, only those that pass the gate, as in a scan.
func (c cutter) each(d doc, all bool, visit func(w *detect.Window, rel int)) {
	c.d.Windows([]byte(d.text), all, func(w *detect.Window) {
		rel := outside
		if d.attack {
			rel = d.relation(w.Raw)
		}
		visit(w, rel)
	})
}

// relation tells what the bytes of a window are to the attack of a document. Where
// nobody knows where the attack lies, all of the document is taken for it.
func (d *doc) relation(raw chunk.Span) (rel int) {
	if len(d.spans) == 0 {
		return inside
	}
	for _, a := range d.spans {
		both := min(raw.End, a.End) - max(raw.Start, a.Start)
		switch {
		case both <= 0:
		case both*2 >= a.Len() && both*4 >= raw.Len(), both*5 >= raw.Len()*4 && both >= 30:
			return inside
		default:
			rel = partly
		}
	}
	return rel
}
