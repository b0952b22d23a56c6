package classify

import (
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds on one payload. What exceeds them is refused, not skipped: an element that
// nobody looked at would pass unredacted.
const (
	maxDepth  = 128
	maxLeaves = 1 << 18
)

var (
	// ErrMalformed means that a payload is not what its format says.
	ErrMalformed = errors.New("classify: payload does not have the form its source declares")
	// ErrBounds means that a payload is nested too deep or has too many values.
	ErrBounds = errors.New("classify: payload exceeds the bounds on depth or number of values")
)

type leafKind uint8

const (
	leafText    leafKind = iota // text between quotes, or a whole unquoted text
	leafLiteral                 // a JSON number or boolean: a stub for it needs quotes of its own
	leafNull
	leafKey
)

// leaf is one value of a structured payload, or all of an unstructured one.
type leaf struct {
	kind       leafKind
	start, end int     // raw bytes that a stub for the whole value replaces
	text       []byte  // decoded value
	off        []int32 // raw offset of every byte of text and of its end; nil: text[i] lies at start+i
	path       *pathNode
	matched    match
	key        []byte                   // nearest object key, as context
	encode     func(stub string) string // form of a stub inside this leaf; nil: as it is
	opaque     bool                     // encoded so that no part can be replaced alone: with a hit, the whole is encoded anew
	free       bool                     // free text also where nothing declares it
}

// raw maps a span of the decoded value to raw offsets. What was decoded from one unit (an
// encoded word of a header) is replaced with all of it: half of it is no text.
func (l *leaf) raw(start, end int) (int, int) {
	if l.off == nil {
		return l.start + start, l.start + end
	}
	for end > start && end+1 < len(l.off) && l.off[end] == l.off[end-1] {
		end++
	}
	return int(l.off[start]), int(l.off[end])
}

// pathNode is the way to a value: object keys and array steps, linked upwards.
type pathNode struct {
	up    *pathNode
	key   string
	array bool
}

// jsonWalk parses strict JSON (RFC 8259, UTF-8) and reports every value and every
// object key with its place in the raw bytes. Duplicate keys are reported as often as
// they stand there, so that none can hide behind another.
type jsonWalk struct {
	in     []byte
	at     int
	leaves []leaf
	trie   *fieldTrie
}

func walkJSON(in []byte, t *fieldTrie) ([]leaf, error) {
	if !utf8.Valid(in) {
		return nil, ErrMalformed
	}
	w := &jsonWalk{in: in, trie: t, leaves: make([]leaf, 0, 16+len(in)/48)}
	w.space()
	if err := w.value(0, nil, t.root(), nil); err != nil {
		return nil, err
	}
	w.space()
	if w.at != len(in) {
		return nil, ErrMalformed
	}
	return w.leaves, nil
}

func (w *jsonWalk) space() {
	for w.at < len(w.in) {
		switch w.in[w.at] {
		case ' ', '\t', '\n', '\r':
			w.at++
		default:
			return
		}
	}
}

func (w *jsonWalk) peek() byte {
	if w.at < len(w.in) {
		return w.in[w.at]
	}
	return 0
}

func (w *jsonWalk) add(l leaf) error {
	if len(w.leaves) >= maxLeaves {
		return ErrBounds
	}
	w.leaves = append(w.leaves, l)
	return nil
}

func (w *jsonWalk) value(depth int, path *pathNode, m match, key []byte) error {
	if depth > maxDepth {
		return ErrBounds
	}
	switch c := w.peek(); {
	case c == '{':
		return w.object(depth, path, m)
	case c == '[':
		return w.array(depth, path, m, key)
	case c == '"':
		l := leaf{kind: leafText, path: path, matched: m, key: key}
		if err := w.str(&l); err != nil {
			return err
		}
		return w.add(l)
	case c == '-' || c >= '0' && c <= '9':
		start := w.at
		if !w.number() {
			return ErrMalformed
		}
		return w.add(leaf{kind: leafLiteral, start: start, end: w.at, text: w.in[start:w.at], path: path, matched: m, key: key})
	default:
		for _, word := range [...]string{"true", "false", "null"} {
			if n := len(word); len(w.in)-w.at >= n && string(w.in[w.at:w.at+n]) == word {
				kind := leafLiteral
				if word == "null" {
					kind = leafNull
				}
				w.at += n
				return w.add(leaf{kind: kind, start: w.at - n, end: w.at, text: w.in[w.at-n : w.at], path: path, matched: m, key: key})
			}
		}
		return ErrMalformed
	}
}

func (w *jsonWalk) object(depth int, path *pathNode, m match) error {
	w.at++
	w.space()
	if w.peek() == '}' {
		w.at++
		return nil
	}
	for {
		if w.peek() != '"' {
			return ErrMalformed
		}
		k := leaf{kind: leafKey, path: path}
		if err := w.str(&k); err != nil {
			return err
		}
		if err := w.add(k); err != nil {
			return err
		}
		w.space()
		if w.peek() != ':' {
			return ErrMalformed
		}
		w.at++
		w.space()
		name := string(k.text)
		if err := w.value(depth+1, &pathNode{up: path, key: name}, w.trie.key(m, name), k.text); err != nil {
			return err
		}
		w.space()
		switch w.peek() {
		case ',':
			w.at++
			w.space()
		case '}':
			w.at++
			return nil
		default:
			return ErrMalformed
		}
	}
}

func (w *jsonWalk) array(depth int, path *pathNode, m match, key []byte) error {
	w.at++
	w.space()
	if w.peek() == ']' {
		w.at++
		return nil
	}
	path, m = &pathNode{up: path, array: true}, w.trie.elementOf(m)
	for {
		if err := w.value(depth+1, path, m, key); err != nil {
			return err
		}
		w.space()
		switch w.peek() {
		case ',':
			w.at++
			w.space()
		case ']':
			w.at++
			return nil
		default:
			return ErrMalformed
		}
	}
}

func (w *jsonWalk) number() bool {
	digits := func() bool {
		from := w.at
		for c := w.peek(); c >= '0' && c <= '9'; c = w.peek() {
			w.at++
		}
		return w.at > from
	}
	if w.peek() == '-' {
		w.at++
	}
	if w.peek() == '0' {
		w.at++
	} else if !digits() {
		return false
	}
	if w.peek() == '.' {
		w.at++
		if !digits() {
			return false
		}
	}
	if c := w.peek(); c == 'e' || c == 'E' {
		w.at++
		if c = w.peek(); c == '+' || c == '-' {
			w.at++
		}
		if !digits() {
			return false
		}
	}
	return true
}

// str reads a string literal. Without escapes the value is a slice of the input;
// with them it is decoded, and off says where each byte came from.
func (w *jsonWalk) str(l *leaf) error {
	w.at++
	l.start = w.at
	for w.at < len(w.in) {
		switch c := w.in[w.at]; {
		case c == '"':
			l.end = w.at
			l.text = w.in[l.start:l.end:l.end]
			w.at++
			return nil
		case c == '\\':
			return w.escaped(l)
		case c < 0x20:
			return ErrMalformed
		default:
			w.at++
		}
	}
	return ErrMalformed
}

func (w *jsonWalk) escaped(l *leaf) error {
	n := w.at - l.start
	text := append(make([]byte, 0, n+64), w.in[l.start:w.at]...)
	off := make([]int32, n, n+65)
	for i := range off {
		off[i] = int32(l.start + i)
	}
	put := func(at int, b ...byte) {
		for _, c := range b {
			text, off = append(text, c), append(off, int32(at))
		}
	}
	for w.at < len(w.in) {
		c := w.in[w.at]
		switch {
		case c == '"':
			l.end, l.text, l.off = w.at, text, append(off, int32(w.at))
			w.at++
			return nil
		case c < 0x20:
			return ErrMalformed
		case c != '\\':
			put(w.at, c)
			w.at++
			continue
		}
		at := w.at
		w.at += 2
		if w.at > len(w.in) {
			return ErrMalformed
		}
		switch w.in[at+1] {
		case '"', '\\', '/':
			put(at, w.in[at+1])
		case 'b':
			put(at, '\b')
		case 'f':
			put(at, '\f')
		case 'n':
			put(at, '\n')
		case 'r':
			put(at, '\r')
		case 't':
			put(at, '\t')
		case 'u':
			r, ok := w.hex4()
			if !ok {
				return ErrMalformed
			}
			if utf16.IsSurrogate(r) {
				mark := w.at
				low := rune(-1)
				if w.at+1 < len(w.in) && w.in[w.at] == '\\' && w.in[w.at+1] == 'u' {
					w.at += 2
					if low, ok = w.hex4(); !ok {
						return ErrMalformed
					}
				}
				if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
					w.at = mark // a lone surrogate; what follows is read on its own
				}
			}
			put(at, utf8.AppendRune(nil, r)...)
		default:
			return ErrMalformed
		}
	}
	return ErrMalformed
}

func (w *jsonWalk) hex4() (rune, bool) {
	if len(w.in)-w.at < 4 {
		return 0, false
	}
	var r rune
	for _, c := range w.in[w.at : w.at+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	w.at += 4
	return r, true
}
