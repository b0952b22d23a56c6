package view

import (
	"slices"
	"unicode/utf8"
)

// View is text derived from an original. The zero value is empty.
type View struct {
	// Name says how the text was derived: "fold", "base64", "percent", …
	Name string
	Text []byte
	// Hidden says that a reader of the original would not see this text.
	Hidden bool
	// at gives, for each byte of Text, the range of the original that it stands for.
	// It is nil when Text is the original itself.
	at []extent
}

// extent is a range of bytes.
type extent struct{ from, to int32 }

// Identity is the view that changes nothing. It does not copy text.
func Identity(text []byte) View { return View{Text: text} }

// Span gives the range of the original that Text[i:j] stands for. An empty range
// stands for an empty range. Offsets outside Text are cut back to it.
func (v *View) Span(i, j int) (start, end int) {
	i, j = max(i, 0), min(j, len(v.Text))
	if v.at == nil {
		return i, max(i, j)
	}
	if i >= j {
		if i < len(v.at) {
			return int(v.at[i].from), int(v.at[i].from)
		}
		if n := len(v.at); n > 0 {
			return int(v.at[n-1].to), int(v.at[n-1].to)
		}
		return 0, 0
	}
	e := v.at[i]
	for _, x := range v.at[i+1 : j] { // reversed text is not monotone
		e.from, e.to = min(e.from, x.from), max(e.to, x.to)
	}
	return int(e.from), int(e.to)
}

// Through makes v, whose original is parent's text, a view of parent's original.
func (v *View) Through(parent *View) {
	if parent.at == nil {
		return
	}
	if v.at == nil {
		v.at = append([]extent(nil), parent.at...)
		return
	}
	last, mapped := extent{-1, -1}, extent{}
	for i, x := range v.at {
		// Many bytes may stand for one long range: it is looked up once.
		if x.to == x.from+1 && int(x.from) < len(parent.at) {
			v.at[i] = parent.at[x.from] // as most bytes are
			continue
		}
		if x != last {
			s, e := parent.Span(int(x.from), int(x.to))
			last, mapped = x, extent{int32(s), int32(e)}
		}
		v.at[i] = mapped
	}
}

// put appends one byte that stands for [from,to).
func (v *View) put(b byte, from, to int) {
	v.Text = append(v.Text, b)
	v.at = append(v.at, extent{int32(from), int32(to)})
}

func (v *View) puts(s string, from, to int) {
	v.Text = append(v.Text, s...)
	for range len(s) {
		v.at = append(v.at, extent{int32(from), int32(to)})
	}
}

// copy appends text[from:to], each byte of which stands for itself.
func (v *View) copy(text []byte, from, to int) {
	v.Text = append(v.Text, text[from:to]...)
	n := len(v.at)
	v.at = slices.Grow(v.at, to-from)[:n+to-from]
	x := int32(from)
	list := v.at[n:]
	for i := range list {
		list[i] = extent{x, x + 1}
		x++
	}
}

func (v *View) putRune(r rune, from, to int) {
	if r < utf8.RuneSelf {
		v.put(byte(r), from, to)
		return
	}
	n := len(v.Text)
	v.Text = utf8.AppendRune(v.Text, r)
	for range len(v.Text) - n {
		v.at = append(v.at, extent{int32(from), int32(to)})
	}
}

// keep appends a rune as it stands.
func (v *View) keep(rune []byte, from, to int) {
	x := extent{int32(from), int32(to)}
	switch len(rune) {
	case 2:
		v.Text, v.at = append(v.Text, rune[0], rune[1]), append(v.at, x, x)
	case 3:
		v.Text, v.at = append(v.Text, rune[0], rune[1], rune[2]), append(v.at, x, x, x)
	default:
		v.Text, v.at = append(v.Text, rune...), append(v.at, x, x, x, x)
	}
}

// grow makes room for n bytes more.
func (v *View) grow(n int) {
	v.Text, v.at = slices.Grow(v.Text, n), slices.Grow(v.at, n)
}

// reset empties v and keeps its memory.
func (v *View) reset(name string) { v.Name, v.Text, v.at = name, v.Text[:0], v.at[:0] }

func (v *View) cut(n int) { v.Text, v.at = v.Text[:n], v.at[:n] }
