package view

import "unicode/utf8"

// View is text derived from an original. The zero value is empty.
type View struct {
	// Name says how the text was derived: "fold", "base64", "percent", …
	Name string
	Text []byte
	// Hidden says that a reader of the original would not see this text.
	Hidden bool
	// from and to give, for each byte of Text, the range of the original that it
	// stands for. Both are nil when Text is the original itself.
	from, to []int32
}

// Identity is the view that changes nothing. It does not copy text.
func Identity(text []byte) View { return View{Text: text} }

// Span gives the range of the original that Text[i:j] stands for. An empty range
// stands for an empty range. Offsets outside Text are cut back to it.
func (v *View) Span(i, j int) (start, end int) {
	i, j = max(i, 0), min(j, len(v.Text))
	if v.from == nil {
		return i, max(i, j)
	}
	if i >= j {
		if i < len(v.from) {
			return int(v.from[i]), int(v.from[i])
		}
		if len(v.to) > 0 {
			return int(v.to[len(v.to)-1]), int(v.to[len(v.to)-1])
		}
		return 0, 0
	}
	lo, hi := v.from[i], v.to[i]
	for k := i + 1; k < j; k++ { // reversed text is not monotone
		lo, hi = min(lo, v.from[k]), max(hi, v.to[k])
	}
	return int(lo), int(hi)
}

// Through makes v, whose original is parent's text, a view of parent's original.
func (v *View) Through(parent *View) {
	if parent.from == nil {
		return
	}
	if v.from == nil {
		v.from = append([]int32(nil), parent.from...)
		v.to = append([]int32(nil), parent.to...)
		return
	}
	for i := range v.from {
		s, e := parent.Span(int(v.from[i]), int(v.to[i]))
		v.from[i], v.to[i] = int32(s), int32(e)
	}
}

// put appends one byte that stands for [from,to).
func (v *View) put(b byte, from, to int) {
	v.Text = append(v.Text, b)
	v.from = append(v.from, int32(from))
	v.to = append(v.to, int32(to))
}

func (v *View) puts(s string, from, to int) {
	for i := 0; i < len(s); i++ {
		v.put(s[i], from, to)
	}
}

func (v *View) putRune(r rune, from, to int) {
	if r < utf8.RuneSelf {
		v.put(byte(r), from, to)
		return
	}
	var b [utf8.UTFMax]byte
	n := utf8.EncodeRune(b[:], r)
	for i := 0; i < n; i++ {
		v.put(b[i], from, to)
	}
}

// reset empties v and keeps its memory.
func (v *View) reset(name string) {
	v.Name, v.Text, v.from, v.to = name, v.Text[:0], v.from[:0], v.to[:0]
}

func (v *View) cut(n int) { v.Text, v.from, v.to = v.Text[:n], v.from[:n], v.to[:n] }
