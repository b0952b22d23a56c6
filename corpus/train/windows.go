package main

import (
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/detect"
	"github.com/stoplog/stoplog/pkg/view"
)

// What a window is to the attack of its document.
const (
	outside = iota
	partly
	inside
)

// each hands out the windows of a document with their relation to its attack.
func each(d doc, visit func(w *detect.Window, rel int)) {
	windows(d.text, func(w *detect.Window) {
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

func windows(text string, visit func(*detect.Window)) {
	var v view.View
	view.Fold(&v, []byte(text))
	b := make([]byte, 0, len(v.Text))
	at := make([]int, 0, len(v.Text)+1)
	for i, c := range v.Text {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			w := byte(' ')
			if c == '\n' {
				w = '\n'
			}
			if n := len(b); n > 0 && (b[n-1] == ' ' || b[n-1] == '\n') {
				if w == '\n' {
					b[n-1] = w
				}
				continue
			}
			c = w
		}
		b = append(b, c)
		at = append(at, i)
	}
	at = append(at, len(v.Text))
	sents := cutSentences(b)
	emit := func(kind detect.WindowKind, lo, hi int) {
		s, e := v.Span(at[lo], at[hi])
		visit(&detect.Window{
			Kind: kind, Text: b[lo:hi], Before: b[max(0, lo-160):lo], Raw: chunk.Span{Start: s, End: e},
			Quoted: lo > 0 && b[lo-1] == '"', Whole: lo == 0 && hi == len(b), Gated: true,
		})
	}
	for i, s := range sents {
		emit(detect.Sentence, s.Start, s.End)
		lo, hi := s.Start, s.End
		if i > 0 && hi-sents[i-1].Start <= 600 {
			lo = sents[i-1].Start
		}
		if i+1 < len(sents) && sents[i+1].End-lo <= 600 {
			hi = sents[i+1].End
		}
		if lo != s.Start || hi != s.End {
			emit(detect.Group, lo, hi)
		}
	}
}

func cutSentences(b []byte) []chunk.Span {
	var out []chunk.Span
	start := 0
	end := func(i int) {
		if i-start >= 24 || i == len(b) {
			if i > start {
				out = append(out, chunk.Span{Start: start, End: i})
			}
			start = i
		}
	}
	for i := 0; i < len(b); {
		c := b[i]
		n := 1
		stop := c == '\n' || (c == '.' || c == '!' || c == '?') && (i+1 == len(b) || b[i+1] == ' ' || b[i+1] == '\n' || b[i+1] == '"')
		if c >= utf8.RuneSelf {
			var r rune
			r, n = utf8.DecodeRune(b[i:])
			stop = r == 0x3002 || r == 0xff01 || r == 0xff1f || r == 0x964 || r == 0x61f || r == 0x6d4
		}
		i += n
		if stop || i-start >= 240 && (c == ' ' || i-start >= 280) {
			end(i)
		}
	}
	end(len(b))
	return out
}
