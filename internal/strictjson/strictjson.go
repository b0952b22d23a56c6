// Package strictjson reads JSON so that no two readers can take one text
// differently. Beyond RFC 8259's grammar it refuses what parsers disagree on:
// invalid UTF-8, a byte order mark, duplicate keys (compared after unescaping, and
// under case folding where the text is decoded into structs), deep nesting, and
// anything after the value.
//
// The threat: {"role":"guest","ROLE":"operator"} reads as operator in a decoder that
// matches names without case, and a duplicate key shows one value to the classifier
// and another to whoever reads the text next.
//
// Errors give a code and a byte offset, never the text.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is the nesting that is read when [Limits] names no other.
const MaxDepth = 64

// Limits bound a text. The zero value has no size bound, since most callers
// have bounded the body before, and [MaxDepth].
type Limits struct {
	MaxBytes int  // zero: none
	MaxDepth int  // arrays and objects inside one another; zero: [MaxDepth]
	FoldKeys bool // keys that differ in case alone are duplicates
}

// Code says what is wrong with a text.
type Code string

// The codes.
const (
	Syntax    Code = "json-invalid"       // not RFC 8259 JSON, trailing data included
	UTF8      Code = "json-invalid-utf8"  // bytes that are not UTF-8
	Duplicate Code = "json-duplicate-key" // the same key twice in one object
	TooDeep   Code = "json-too-deep"
	TooLarge  Code = "json-too-large"
	Unknown   Code = "json-unknown-member" // Decode: a member the target does not have
	WrongType Code = "json-wrong-type"     // Decode: a member of another type than the target's
)

// Error says what is wrong and where. It never quotes the text.
type Error struct {
	Code   Code
	Offset int    // in bytes
	Field  string // Decode: the target's member that did not fit; a name from the program, not from the text
}

func (e *Error) Error() string {
	if e.Field != "" {
		return fmt.Sprintf("strictjson: %s at byte %d (member %s)", e.Code, e.Offset, e.Field)
	}
	return fmt.Sprintf("strictjson: %s at byte %d", e.Code, e.Offset)
}

// Check reads a whole text and reports the first thing wrong with it as an [*Error].
func Check(text []byte, l Limits) error {
	if l.MaxDepth <= 0 {
		l.MaxDepth = MaxDepth
	}
	if l.MaxBytes > 0 && len(text) > l.MaxBytes {
		return &Error{Code: TooLarge, Offset: l.MaxBytes}
	}
	s := scanner{in: text, limits: l}
	s.space()
	if err := s.value(0); err != nil {
		return err
	}
	s.space()
	if s.at != len(text) {
		return s.fail(Syntax)
	}
	return nil
}

// Decode checks a text with keys folded and decodes it into v, a pointer to a
// struct as a rule. Members that v does not have are refused and numbers in an
// interface stay [json.Number].
func Decode(text []byte, v any, l Limits) error {
	l.FoldKeys = true
	if err := Check(text, l); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber()
	err := d.Decode(v)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return &Error{Code: WrongType, Offset: int(wrong.Offset), Field: wrong.Field}
	case strings.HasPrefix(err.Error(), "json: unknown field"):
		// The message quotes the member's name, which is the sender's text.
		return &Error{Code: Unknown, Offset: int(d.InputOffset())}
	default:
		// An UnmarshalJSON or UnmarshalText refused a value; its message may quote it.
		return &Error{Code: WrongType, Offset: int(d.InputOffset())}
	}
}

// scanner walks a text once. It recurses at most MaxDepth deep.
type scanner struct {
	in     []byte
	at     int
	limits Limits
}

func (s *scanner) fail(c Code) error { return &Error{Code: c, Offset: s.at} }

func (s *scanner) space() {
	for s.at < len(s.in) {
		switch s.in[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// next gives the byte at the cursor, or 0 at the end; a zero byte fits no grammar
// rule either.
func (s *scanner) next() byte {
	if s.at < len(s.in) {
		return s.in[s.at]
	}
	return 0
}

func (s *scanner) value(depth int) error {
	switch c := s.next(); {
	case c == '{':
		return s.object(depth + 1)
	case c == '[':
		return s.array(depth + 1)
	case c == '"':
		_, err := s.str(false)
		return err
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	case c >= utf8.RuneSelf:
		if r, n := utf8.DecodeRune(s.in[s.at:]); r == utf8.RuneError && n == 1 {
			return s.fail(UTF8)
		}
	}
	return s.fail(Syntax)
}

func (s *scanner) word(w string) error {
	if len(s.in)-s.at < len(w) || string(s.in[s.at:s.at+len(w)]) != w {
		return s.fail(Syntax)
	}
	s.at += len(w)
	return nil
}

func (s *scanner) digits() bool {
	from := s.at
	for c := s.next(); '0' <= c && c <= '9'; c = s.next() {
		s.at++
	}
	return s.at > from
}

func (s *scanner) number() error {
	if s.next() == '-' {
		s.at++
	}
	if s.next() == '0' {
		s.at++
	} else if !s.digits() {
		return s.fail(Syntax)
	}
	if s.next() == '.' {
		s.at++
		if !s.digits() {
			return s.fail(Syntax)
		}
	}
	if c := s.next(); c == 'e' || c == 'E' {
		s.at++
		if c := s.next(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return s.fail(Syntax)
		}
	}
	return nil
}

func (s *scanner) array(depth int) error {
	if depth > s.limits.MaxDepth {
		return s.fail(TooDeep)
	}
	s.at++
	s.space()
	if s.next() == ']' {
		s.at++
		return nil
	}
	for {
		if err := s.value(depth); err != nil {
			return err
		}
		s.space()
		switch s.next() {
		case ',':
			s.at++
			s.space()
		case ']':
			s.at++
			return nil
		default:
			return s.fail(Syntax)
		}
	}
}

func (s *scanner) object(depth int) error {
	if depth > s.limits.MaxDepth {
		return s.fail(TooDeep)
	}
	s.at++
	s.space()
	if s.next() == '}' {
		s.at++
		return nil
	}
	var keys keySet
	for {
		if s.next() != '"' {
			return s.fail(Syntax)
		}
		start := s.at
		key, err := s.str(true)
		if err != nil {
			return err
		}
		if s.limits.FoldKeys {
			key = fold(key)
		}
		if !keys.add(key) {
			return &Error{Code: Duplicate, Offset: start}
		}
		s.space()
		if s.next() != ':' {
			return s.fail(Syntax)
		}
		s.at++
		s.space()
		if err := s.value(depth); err != nil {
			return err
		}
		s.space()
		switch s.next() {
		case ',':
			s.at++
			s.space()
		case '}':
			s.at++
			return nil
		default:
			return s.fail(Syntax)
		}
	}
}

// str reads a string. With want it also gives the string's value; a lone surrogate
// becomes U+FFFD there, as in encoding/json, so that two keys that a reader would
// confuse are taken for the same.
func (s *scanner) str(want bool) (string, error) {
	s.at++
	start := s.at
	var unescaped []byte // set once an escape was seen and the value is wanted
	for s.at < len(s.in) {
		switch c := s.in[s.at]; {
		case c == '"':
			raw := s.in[start:s.at]
			s.at++
			switch {
			case !want:
				return "", nil
			case unescaped != nil:
				return string(unescaped), nil
			default:
				return string(raw), nil
			}
		case c < 0x20:
			return "", s.fail(Syntax)
		case c == '\\':
			if want && unescaped == nil {
				unescaped = append(make([]byte, 0, s.at-start+16), s.in[start:s.at]...)
			}
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			if want {
				unescaped = utf8.AppendRune(unescaped, r)
			}
		case c < utf8.RuneSelf:
			if unescaped != nil {
				unescaped = append(unescaped, c)
			}
			s.at++
		default:
			r, n := utf8.DecodeRune(s.in[s.at:])
			if r == utf8.RuneError && n == 1 {
				return "", s.fail(UTF8)
			}
			if unescaped != nil {
				unescaped = append(unescaped, s.in[s.at:s.at+n]...)
			}
			s.at += n
		}
	}
	return "", s.fail(Syntax)
}

func (s *scanner) escape() (rune, error) {
	s.at++
	c := s.next()
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 && c != 0 {
		s.at++
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	if c != 'u' {
		return 0, s.fail(Syntax)
	}
	s.at++
	r, ok := s.hex4()
	if !ok {
		return 0, s.fail(Syntax)
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if s.next() == '\\' && s.at+1 < len(s.in) && s.in[s.at+1] == 'u' {
		back := s.at
		s.at += 2
		low, ok := s.hex4()
		if !ok {
			return 0, s.fail(Syntax)
		}
		if both := utf16.DecodeRune(r, low); both != unicode.ReplacementChar {
			return both, nil
		}
		s.at = back // the second one stands for itself
	}
	return unicode.ReplacementChar, nil
}

func (s *scanner) hex4() (rune, bool) {
	var r rune
	for i := 0; i < 4; i++ {
		c := s.next()
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
		s.at++
	}
	return r, true
}

// keySet remembers an object's keys: a list while there are few, as in nearly every
// object, and then a map.
type keySet struct {
	few  [8]string
	n    int
	many map[string]struct{}
}

func (k *keySet) add(key string) bool {
	if k.many == nil {
		for _, have := range k.few[:k.n] {
			if have == key {
				return false
			}
		}
		if k.n < len(k.few) {
			k.few[k.n] = key
			k.n++
			return true
		}
		k.many = make(map[string]struct{}, 4*len(k.few))
		for _, have := range k.few {
			k.many[have] = struct{}{}
		}
	}
	if _, ok := k.many[key]; ok {
		return false
	}
	k.many[key] = struct{}{}
	return true
}

// fold maps a key to the one form of all keys that encoding/json would match with
// it: each character to the least of its simple case folding orbit.
func fold(key string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			if f < least {
				least = f
			}
		}
		return least
	}, key)
}

// Lookup gives the value at a path of dot-separated keys in a text that [Check]
// accepted: a string's value, or the literal of a number, true or false. A backslash
// makes the next byte part of a key. Anything else at the path, or nothing, is not ok.
func Lookup(text []byte, path string) (string, bool) {
	s := scanner{in: text, limits: Limits{MaxDepth: MaxDepth}}
	keys := splitPath(path)
	s.space()
	for _, want := range keys {
		if s.next() != '{' || !s.enter(want) {
			return "", false
		}
	}
	start := s.at
	switch c := s.next(); {
	case c == '"':
		v, err := s.str(true)
		return v, err == nil
	case c == '{' || c == '[' || c == 'n':
		return "", false
	default:
		if s.value(0) != nil {
			return "", false
		}
		return string(text[start:s.at]), true
	}
}

// enter moves the cursor from an object's brace to the value of one of its keys.
func (s *scanner) enter(want string) bool {
	s.at++
	for {
		s.space()
		if s.next() != '"' {
			return false
		}
		key, err := s.str(true)
		if err != nil {
			return false
		}
		s.space()
		if s.next() != ':' {
			return false
		}
		s.at++
		s.space()
		if key == want {
			return true
		}
		if s.value(0) != nil {
			return false
		}
		s.space()
		if s.next() != ',' {
			return false
		}
		s.at++
	}
}

func splitPath(path string) []string {
	var out []string
	var key strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && i+1 < len(path):
			i++
			key.WriteByte(path[i])
		case c == '.':
			out = append(out, key.String())
			key.Reset()
		default:
			key.WriteByte(c)
		}
	}
	return append(out, key.String())
}

// PlainPath reports whether a path can be looked up with [Lookup]: it names one
// value, without array or any-key steps.
func PlainPath(path string) error {
	for _, k := range splitPath(path) {
		if k == "" || k == "*" || strings.Contains(k, "[]") {
			return errors.New("strictjson: the path must name one value: dot-separated keys, no [] and no *; got " + strconv.Quote(path))
		}
	}
	return nil
}
