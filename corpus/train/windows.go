package main

import (
	"github.com/stoplog/stoplog/corpus"
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
			if d.from < 0 {
				rel = inside
			} else {
				both := min(w.Raw.End, d.to) - max(w.Raw.Start, d.from)
				switch {
				case both <= 0:
				case both*2 >= d.to-d.from && both*4 >= w.Raw.Len(), both*5 >= w.Raw.Len()*4 && both >= 30:
					rel = inside
				default:
					rel = partly
				}
			}
		}
		visit(w, rel)
	})
}
