package classify

import (
	"unicode"
	"unicode/utf8"

	"github.com/stoplog/stoplog/corpus/names"
)

// Typed names with one letter left out, doubled, changed or turned: Halina Kowalczewka, of
// Halina Kowalczewska. Only beside another part of the same name as it was typed, with a
// capital, and not where the word is itself a name or a word: Julian Bohlsen is not
// Julia Bohlsen.

// mistypedLeast is how many letters a part has at least: short ones are too near to each other.
const mistypedLeast = 5

// none reports whether no known value begins at i.
func (s *nameSearch) none(text, low []byte, off []int32, i int) bool {
	k, _ := s.at(text, low, off, i, true)
	return k == nil
}

// mistypedAfter gives the part of the name that the word behind one part is meant to be,
// and where the word ends.
func mistypedAfter(text, low []byte, off []int32, end int, known *knownValue) (*knownValue, int) {
	if end+1 >= len(low) || low[end] != ' ' {
		return nil, 0
	}
	to := end + 1
	for to < len(low) {
		r, n := utf8.DecodeRune(low[to:])
		if !wordRune(r) {
			break
		}
		to += n
	}
	return mistyped(text, low, off, end+1, to, known), to
}

// mistypedBefore gives the part that the word before one is meant to be, and where the
// word begins.
func mistypedBefore(text, low []byte, off []int32, start int, known *knownValue) (*knownValue, int) {
	if start < 2 || low[start-1] != ' ' {
		return nil, 0
	}
	from := start - 1
	for from > 0 {
		r, n := utf8.DecodeLastRune(low[:from])
		if !wordRune(r) {
			break
		}
		from -= n
	}
	return mistyped(text, low, off, from, start-1, known), from
}

func mistyped(text, low []byte, off []int32, from, to int, known *knownValue) *knownValue {
	word := low[from:to]
	if len(word) < mistypedLeast-1 || len(word) > 64 {
		return nil
	}
	if first, _ := utf8.DecodeRune(text[off[from]:]); !unicode.IsUpper(first) {
		return nil
	}
	for _, k := range known.others {
		part := foldName(k.value)
		if k == known || utf8.RuneCount(part) < mistypedLeast || !oneSlip([]rune(string(part)), []rune(string(word))) {
			continue
		}
		if names.Of(word)&(names.Forename|names.Surname|names.Word|names.Frequent) != 0 {
			return nil
		}
		return k
	}
	return nil
}

// oneSlip reports whether one letter is left out, added, changed, or has changed places with
// its neighbour. The first one is where people make no slips.
func oneSlip(a, b []rune) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 || len(b) == 0 || a[0] != b[0] {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	same := func(x, y []rune) bool {
		return string(x) == string(y)
	}
	switch {
	case len(a) > len(b):
		return same(a[i+1:], b[i:])
	case i == len(a):
		return false // the same word
	case same(a[i+1:], b[i+1:]):
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && same(a[i+2:], b[i+2:])
}
