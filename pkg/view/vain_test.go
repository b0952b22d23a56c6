package view

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// settleText is honest text of some blocks.
const settleText = "please read the whole of this page and send a short note about the water in the garden to the people who live there, before the end of the month"

// SPEC: DET-2, DET-6
//
// A cipher is found behind any number of letters in no order, where not every block is looked at.
func TestFoundBehindVainLooks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, words := range []int{10, 100, 1000} {
		var b strings.Builder
		for range words {
			for range 3 + r.IntN(8) {
				b.WriteByte(byte('a' + r.IntN(26)))
			}
			b.WriteByte(' ')
		}
		start := b.Len()
		long := strings.Repeat(settleText+". ", 6)
		for _, c := range []byte(long) {
			b.WriteByte(caesar(7)(c))
		}
		in := []byte(b.String())
		d := Decoder{words: testWords}
		views, _ := d.Decode(in, d.Probe(in, 0), 1<<20)
		found := false
		for i := range views {
			v := &views[i]
			if at := strings.Index(string(v.Text), settleText); v.Name == "caesar" && at >= 0 {
				from, to := v.Span(at, at+len(settleText))
				found = from >= start && to <= len(in)
			}
		}
		if !found {
			t.Errorf("nothing found behind %d words in no order", words)
		}
	}
}

// SPEC: DET-2
//
// What is hidden in what is hidden is shown once, and in one piece.
func TestHiddenInHidden(t *testing.T) {
	in := []byte("<div hidden><p hidden class=a id=b>" + settleText + "</p></div>")
	d := Decoder{words: testWords}
	views, _ := d.Decode(in, WantMarkup, 1<<20)
	shown := 0
	for _, v := range views {
		if v.Hidden {
			shown += strings.Count(string(v.Text), settleText)
		}
	}
	if shown != 1 {
		t.Errorf("it is shown %d times", shown)
	}
	views, _ = d.Decode(in, WantMarkup|AllHidden, 1<<20)
	for _, v := range views {
		if v.Hidden {
			t.Errorf("what is hidden is shown as hidden again: %q", v.Text)
		}
	}
}
