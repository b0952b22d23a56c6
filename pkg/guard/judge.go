package guard

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/view"
)

// judge looks for what may not travel in the arguments (SPEC EGR-2, EGR-3): what
// recognisers find, also behind encodings and split over several values; values
// that stubs of this run stand for; and stubs that may not be resolved where the
// call goes. It adds to d and reports whether everything could be read within the
// bounds.
func (g *Guard) judge(d *Decision, t *tool, c Call, args arguments) bool {
	budget := peelBudget
	readable := true
	add := func(argument, typ string, class chunk.Class, views []string) {
		d.DataClass = d.DataClass.Max(class)
		ceiling := t.Ceiling
		if own, ok := g.sinks[d.Sink]; ok && typ != typeStub && ceiling.Exceeds(own.Ceiling) {
			ceiling = own.Ceiling // a stub above it is not resolved there, and tells nothing
		}
		if !class.Exceeds(ceiling) {
			return
		}
		known := slices.ContainsFunc(d.Found, func(f Found) bool { return f.Argument == argument && f.Type == typ && f.Class == class })
		if known || len(d.Found) >= maxFound {
			return
		}
		d.Found = append(d.Found, Found{Argument: argument, Type: typ, Class: class, Views: views})
	}
	values := hidden(c.Stubs)
	args.leaves = surrogatesOf(c.Stubs).named(args.leaves)

	for _, l := range args.leaves {
		if l.text == "" {
			continue
		}
		for _, s := range c.Stubs {
			if !holdsStub(l.text, s.Name) {
				continue
			}
			d.DataClass = d.DataClass.Max(s.Class)
			if g.resolves(t, d.Sink, s) {
				if !slices.Contains(d.Stubs, s.Name) {
					d.Stubs = append(d.Stubs, s.Name)
				}
				continue
			}
			add(l.argument, typeStub, s.Class, nil)
		}
		ok := peel([]byte(l.text), &budget, func(text []byte, views []string) {
			g.recognise(text, views, func(typ string, class chunk.Class) { add(l.argument, typ, class, views) })
			values.find(text, func(class chunk.Class) { add(l.argument, typeValue, class, views) })
		})
		readable = readable && ok
	}

	// A value cut in pieces and dealt out to several arguments or elements shows
	// only where they are put together again. Only types that prove themselves count
	// there: joined text makes names and dates that nobody wrote.
	if joined, cuts := join(args.leaves); len(cuts) > 1 {
		for _, e := range g.opts.Recognise(joined) {
			if proven[e.Type] && crosses(e.Span, cuts) {
				add("", e.Type, g.opts.ClassOf([]chunk.Entity{e}), []string{"joined"})
			}
		}
	}
	slices.Sort(d.Stubs)
	return readable
}

const maxFound = 32

// recognise reports what recognisers find in one view of a text. In text that had
// to be unwound in ways that honest text never asks for, only proven types count.
func (g *Guard) recognise(text []byte, views []string, found func(string, chunk.Class)) {
	guess := slices.ContainsFunc(views, func(v string) bool { return guessed[v] })
	if guess && !mayProve(text) {
		return
	}
	for _, e := range g.opts.Recognise(text) {
		if guess && !proven[e.Type] {
			continue
		}
		found(e.Type, g.opts.ClassOf([]chunk.Entity{e}))
	}
}

// proven are the types that a checksum or a fixed structure proves.
var proven = map[string]bool{"CREDIT_CARD": true, "IBAN_CODE": true, "EMAIL_ADDRESS": true, "SECRET": true, "CRYPTO": true, "US_SSN": true}

// mayProve reports whether text can hold any of the proven types: each of them has an
// @ or a good number of digits. It spares the recognisers most guesses.
func mayProve(text []byte) bool {
	digits := 0
	for _, c := range text {
		if c == '@' {
			return true
		}
		if c >= '0' && c <= '9' {
			if digits++; digits >= 8 {
				return true
			}
		}
	}
	return false
}

// join puts the values together, without and in order; cuts are where one ends.
func join(leaves []leaf) (joined []byte, cuts []int) {
	for _, l := range leaves {
		if l.key || l.text == "" || len(joined)+len(l.text) > MaxArgumentBytes {
			continue
		}
		joined = append(joined, l.text...)
		cuts = append(cuts, len(joined))
	}
	return joined, cuts
}

func crosses(s chunk.Span, cuts []int) bool {
	for _, c := range cuts {
		if s.Start < c && c < s.End {
			return true
		}
	}
	return false
}

// holdsStub reports whether text mentions a stub by name, as a word of its own.
func holdsStub(text, name string) bool {
	if name == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(name)
		if (i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		at = i + 1
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// hiddenValues finds the raw values behind a run's stubs. An agent never gets them,
// so an argument or an output that holds one shows that it leaked another way.
type hiddenValues struct {
	words  map[[minHidden]byte][]hiddenValue // by their first bytes: a run may have thousands
	digits map[string][]hiddenNumber         // by their last digits
}

// hiddenNumber is a telephone number, a card or another number of many digits: separators
// do not count in it, nor does what depends on where one dials from.
type hiddenNumber struct {
	digits string
	class  chunk.Class
}

// tailDigits are the last digits that a number is looked up by, and the least it has.
const tailDigits = 7

type hiddenValue struct {
	text  []byte // folded, lower case
	class chunk.Class
	word  bool // a short word such as rose or grant: counts only where it is written as a name
}

// minHidden is the length below which a value is too common to say anything: a
// number of guests, initials, a country code.
const minHidden = 4

// longName is the length from which a name of one word is taken for itself even where
// it is written without a capital.
const longName = 7

func hidden(stubs []Stub) hiddenValues {
	out := hiddenValues{map[[minHidden]byte][]hiddenValue{}, map[string][]hiddenNumber{}}
	for _, s := range stubs {
		if !s.Class.Exceeds(chunk.Internal) {
			continue
		}
		v := plain(bytes.TrimSpace([]byte(s.Value)))
		if len(v) >= minHidden {
			k := [minHidden]byte(v)
			out.words[k] = append(out.words[k], hiddenValue{v, s.Class, len(v) < longName && bytes.IndexFunc(v, func(r rune) bool { return r < 'a' || r > 'z' }) < 0})
		}
		if d := numberOf(v); d != "" {
			tail := d[len(d)-tailDigits:]
			out.digits[tail] = append(out.digits[tail], hiddenNumber{d, s.Class})
		}
	}
	return out
}

// numberOf gives the digits of a value that is a number, without leading naughts and
// plus; empty: it is none, or too short to be told from others, or a date.
func numberOf(v []byte) string {
	var d []byte
	for i, c := range v {
		switch {
		case c >= '0' && c <= '9':
			d = append(d, c)
		case c == '+' && i == 0, c == ' ', c == '-', c == '.', c == '/', c == '(', c == ')':
		default:
			return ""
		}
	}
	if len(v) == 10 && len(d) == 8 && (v[4] == '-' && v[7] == '-' || v[2] == v[5] && (v[2] == '.' || v[2] == '/' || v[2] == '-')) {
		return ""
	}
	s := strings.TrimLeft(string(d), "0")
	if len(s) < tailDigits {
		return ""
	}
	return s
}

func plain(text []byte) []byte {
	if !view.Plain(text) {
		var v view.View
		view.Fold(&v, text)
		text = v.Text
	}
	return bytes.ToLower(text)
}

func (h hiddenValues) find(text []byte, found func(chunk.Class)) {
	h.spans(text, func(_ chunk.Span, class chunk.Class) { found(class) })
}

// spans reports every hidden value in text, as a word of its own, in offsets of text.
func (h hiddenValues) spans(text []byte, found func(chunk.Span, chunk.Class)) {
	if len(h.words)+len(h.digits) == 0 {
		return
	}
	v := view.Identity(text)
	if !view.Plain(text) {
		v = view.View{}
		view.Fold(&v, text)
	}
	low := bytes.ToLower(v.Text)
	if len(low) != len(v.Text) { // a letter changed its length: spans would be off
		low = v.Text
	}
	h.numbers(v.Text, func(i, end int, class chunk.Class) {
		start, stop := v.Span(i, end)
		found(chunk.Span{Start: start, End: stop}, class)
	})
	boundary := true
	for i := 0; i+minHidden <= len(low); i++ {
		at := boundary
		boundary = !wordByte(low[i])
		if !at {
			continue
		}
		for _, hv := range h.words[[minHidden]byte(low[i:])] {
			end := i + len(hv.text)
			if !bytes.HasPrefix(low[i:], hv.text) || end < len(low) && wordByte(low[end]) {
				continue
			}
			if hv.word && v.Text[i] >= 'a' && v.Text[i] <= 'z' {
				continue
			}
			start, stop := v.Span(i, end)
			found(chunk.Span{Start: start, End: stop}, hv.class)
		}
	}
}

// numbers reports hidden numbers in text, however they are written there: a telephone
// number with another prefix or none, a card with blanks.
func (h hiddenValues) numbers(text []byte, found func(start, end int, class chunk.Class)) {
	if len(h.digits) == 0 {
		return
	}
	var digits []byte
	var at []int // where each stands
	for i := 0; i < len(text); {
		if text[i] < '0' || text[i] > '9' {
			i++
			continue
		}
		digits, at = digits[:0], at[:0]
		for gap := 0; i < len(text) && gap < 4 && len(digits) < 64; i++ {
			switch c := text[i]; {
			case c >= '0' && c <= '9':
				digits, at, gap = append(digits, c), append(at, i), 0
				if len(digits) < tailDigits || i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
					continue
				}
				for _, n := range h.digits[string(digits[len(digits)-tailDigits:])] {
					if k := reaches(digits, n.digits); k >= 0 {
						found(at[k], i+1, n.class)
					}
				}
			case c == ' ' || c == '-' || c == '.' || c == '/' || c == '(' || c == ')':
				gap++
			default:
				gap = 4
			}
		}
	}
}

// reaches gives the place in digits from which on they are the hidden number, or all of it
// but up to three digits of a country in front; -1: they are another.
func reaches(digits []byte, number string) int {
	d := string(digits)
	if strings.HasSuffix(d, number) {
		return len(d) - len(number)
	}
	local := strings.TrimLeft(d, "0")
	if len(local) >= tailDigits && strings.HasSuffix(number, local) && len(number)-len(local) <= 3 {
		return len(d) - len(local)
	}
	return -1
}

// Surrogates gives the surrogates of a run that stand in text, in order; the type of each
// is its stub's name. What recognisers find inside them is nobody's.
func Surrogates(text []byte, stubs []Stub) []chunk.Entity { return surrogatesOf(stubs).spans(text) }

// surrogates finds the surrogates of a run, by their first bytes in lower case.
type surrogates map[[minHidden]byte][]Stub

func surrogatesOf(stubs []Stub) surrogates {
	var out surrogates
	for _, s := range stubs {
		if len(s.Surrogate) < minHidden {
			continue
		}
		if out == nil {
			out = surrogates{}
		}
		k := [minHidden]byte([]byte(strings.ToLower(s.Surrogate)))
		out[k] = append(out[k], s)
	}
	return out
}

// spans gives every surrogate in text, as a word of its own and in any case; the type of
// each is its stub's name. What is not exactly a surrogate is not one: an address of which
// an agent changed a letter is somebody's.
func (s surrogates) spans(text []byte) []chunk.Entity {
	if len(s) == 0 {
		return nil
	}
	var out []chunk.Entity
	low := []byte(strings.ToLower(string(text)))
	if len(low) != len(text) {
		low = text
	}
	for i := 0; i+minHidden <= len(low); i++ {
		if i > 0 && partOfValue(text[i-1]) {
			continue
		}
		best := Stub{}
		for _, c := range s[[minHidden]byte(low[i:])] {
			end := i + len(c.Surrogate)
			if end <= len(text) && len(c.Surrogate) > len(best.Surrogate) && strings.EqualFold(string(text[i:end]), c.Surrogate) && endsValue(text, end) {
				best = c
			}
		}
		if best.Surrogate != "" {
			out = append(out, chunk.Entity{Type: best.Name, Span: chunk.Span{Start: i, End: i + len(best.Surrogate)}, Score: 1})
			i += len(best.Surrogate) - 1
		}
	}
	return out
}

// partOfValue reports whether a byte before a surrogate makes another value of it.
func partOfValue(c byte) bool {
	return wordByte(c) || c == '.' || c == '-' || c == '+' || c == '@' || c == '%'
}

// endsValue reports whether a value that ends at i goes on behind it.
func endsValue(text []byte, i int) bool {
	if i == len(text) {
		return true
	}
	if wordByte(text[i]) || text[i] == '@' || text[i] == '%' {
		return false
	}
	return text[i] != '.' && text[i] != '-' || i+1 == len(text) || !wordByte(text[i+1])
}

// named gives arguments with the names of stubs in place of surrogates, so that no
// recogniser takes one for a value.
func (s surrogates) named(leaves []leaf) []leaf {
	if len(s) == 0 {
		return leaves
	}
	out := slices.Clone(leaves)
	for i := range out {
		if found := s.spans([]byte(out[i].text)); len(found) > 0 {
			out[i].text = string(Replace([]byte(out[i].text), found))
		}
	}
	return out
}
