package view

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the words of a text are asked all at once is what they are asked one by one.
func TestStrangeWords(t *testing.T) {
	words := NewWords(nil)
	parts := []string{"remember", "garden", "yellow", "rmeember", "gradens", "yelloww", "an", "Flower", "kubectl", "getName", "a1b2c3defghi",
		"internationalizationally", "internationalisationallyso", "short", " ", " ", " ", " ", ", ", ". ", "\n", "\"", "(", ")", "-", "_", "/", "'", "\u00e9", "9"}
	var d Decoder
	r := rand.New(rand.NewPCG(5, 6))
	ran := 0
	for range 2000 {
		var text []byte
		for range r.IntN(60) + 1 {
			text = append(text, parts[r.IntN(len(parts))]...)
		}
		d.Reset(words)
		d.Look(text)
		var want []unknown
		number := int32(0)
		for from := 0; from < len(text); from++ {
			to := from
			for to < len(text) && isLetter(text[to]) {
				to++
			}
			front := from == 0 || bytes.IndexByte([]byte(" \n\"('"), text[from-1]) >= 0
			behind := to == len(text) || bytes.IndexByte([]byte(" \n\t,.;:!?'()\"-"), text[to]) >= 0
			if to-from >= 6 && front && behind {
				if to-from > maxWord || words.likely(text, from, to) {
					number++
				} else {
					want = append(want, unknown{int32(from), int32(to), number})
					number++
				}
			}
			from = max(from, to-1)
		}
		got := append([]unknown(nil), d.strangeWords()...)
		for i, x := range got { // words of the vocabulary and too long ones are no strange ones
			if s := text[x.from:x.to]; words.has(s) || len(s) > maxWord {
				t.Fatalf("%q: %q, the %dth, is one", text, s, i)
			}
			ran++
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(unknown{})); diff != "" {
			t.Fatalf("%q:\n%s", text, diff)
		}
	}
	if ran < 1000 {
		t.Errorf("only %d words were strange", ran)
	}
}

// A word costs what the list says, however it is written and whatever stands behind it.
func TestWordCosts(t *testing.T) {
	words := NewWords([]string{"zyxwvutsrqp"})
	if got := words.cost([]byte("zyxwvutsrqp")); got != costGiven {
		t.Errorf("a given word costs %d, want %d", got, costGiven)
	}
	for i, s := range words.list {
		long := []byte(s + "XYZ and more than what a word holds")
		cost := words.cost([]byte(s))
		n := words.walk(0, []byte(s))
		if cost == costNone || cost != int(words.costs[n]) || cost != words.cost(long[:len(s)]) || cost != words.cost(bytes.ToUpper([]byte(s))) {
			t.Errorf("word %d, %q, costs %d, want %d", i, s, cost, words.costs[n])
		}
	}
	for _, s := range []string{"", "qzx", "remembber", "internationalizationallyso", "wat\x85r", "wat3r"} {
		if words.has([]byte(s)) {
			t.Errorf("%q is a word", s)
		}
	}
}
