package classify

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// StubValue is what one stub stands for (SPEC RED-2, RED-4). The value is sealed by the
// caller before it goes anywhere.
type StubValue struct {
	Name       string        // without braces: GUEST_FIRST_NAME, EMAIL_ADDRESS_2, GUEST_NAME_REDACTED
	Commitment string        // HMAC of the value under the scope's stub key, hex
	Type       string        // entity type, or FIELD
	Class      chunk.Class   //
	Sinks      []string      // where it may be resolved, beside the tools' own sinks
	Value      chunk.Content // as it was found
}

// Name is a typed value of a run: what a declared field of type PERSON held, or the
// header of a mail. It is searched in free text of the run's other documents.
type Name struct {
	Type  string        // entity type, for example PERSON; FIELD: a declared field's, of no type
	Field bool          // the field declares no type: its stub stands for the field
	Stub  string        // base name of its stub; empty: made from the type
	Form  StubForm      // form of its stub
	Value chunk.Content //
}

func validStubName(s string) bool {
	if len(s) == 0 || len(s) > 64 || s[0] < 'A' || s[0] > 'Z' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

func stubFromSteps(steps []step) string {
	var words []string
	for _, s := range steps {
		if !s.array && !s.any {
			words = append(words, s.key)
		}
	}
	return stubName(words)
}

// stubName makes a stub's base name from keys. A payload's keys can be data too (a map
// from names to ages), so a key that holds any but ordinary field words becomes FIELD.
func stubName(keys []string) string {
	var b strings.Builder
	for _, k := range keys {
		if !identifierLike(k) {
			k = "field"
		}
		if b.Len() > 0 {
			b.WriteByte('_')
		}
		for i := 0; i < len(k); i++ {
			c := k[i]
			switch {
			case c >= 'a' && c <= 'z':
				b.WriteByte(c - 'a' + 'A')
			case c >= 'A' && c <= 'Z':
				if i > 0 && k[i-1] >= 'a' && k[i-1] <= 'z' {
					b.WriteByte('_')
				}
				b.WriteByte(c)
			case c >= '0' && c <= '9':
				b.WriteByte(c)
			default:
				b.WriteByte('_')
			}
		}
	}
	s := strings.Trim(b.String(), "_0123456789")
	if len(s) > 48 {
		s = strings.Trim(s[len(s)-48:], "_0123456789")
	}
	if s == "" {
		return "FIELD"
	}
	return s
}

// normalise gives the form under which two values count as the same: numbers without
// separators, everything else in lower case with single spaces.
func normalise(typ string, value []byte) []byte {
	f := fold(value)
	out := make([]byte, 0, len(f.text))
	compact := typ != "PERSON" && typ != "LOCATION" && typ != "FIELD" && bytes.ContainsAny(f.text, "0123456789") && !bytes.ContainsAny(f.text, "@/:")
	space := false
	for _, r := range string(f.text) {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case compact && (r == '-' || r == '.' || r == '(' || r == ')'):
			continue
		}
		if space && len(out) > 0 && !compact {
			out = append(out, ' ')
		}
		space = false
		out = append(out, string(unicode.ToLower(r))...)
	}
	return out
}

var stubAlphabet = base32.StdEncoding.WithPadding(base32.NoPadding)

func keyed(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return h.Sum(nil)
}

// namer gives out stubs for one document: the same value of a run gets the same stub,
// another value never does.
type namer struct {
	key    []byte
	taken  map[string]string // stub name → commitment
	byHash map[string]string // commitment → stub name
	stubs  []StubValue
	seen   map[string]bool // names already in stubs
	last   map[string]int  // base name → number of its newest stub
	text   []byte          // the document: no surrogate may occur in it
	shown  map[string]bool // surrogates of the run

	surrogates int // given out for this document, each as often as it is shown
}

func newNamer(key []byte, known map[string]string) *namer {
	n := &namer{shown: map[string]bool{}, key: key, taken: make(map[string]string, len(known)), byHash: make(map[string]string, len(known)), seen: map[string]bool{}, last: map[string]int{}}
	for name, commitment := range known {
		n.taken[name] = commitment
		if text, ok := Surrogate(key, name); ok {
			n.shown[text] = true
		}
		// Two names for one commitment cannot come from here; if they do, the choice
		// must not depend on the order of a map.
		if old, ok := n.byHash[commitment]; !ok || name < old {
			n.byHash[commitment] = name
		}
	}
	return n
}

// stub gives the text that replaces value. typ is the entity type (FIELD: none
// declared), base the stub's base name.
func (n *namer) stub(form StubForm, base, typ string, value []byte, class chunk.Class, sinks []string) string {
	if n.shown[string(value)] {
		return string(value) // a surrogate that comes back, in an answer that is read again
	}
	norm := normalise(typ, value)
	scope := typ
	if typ == "FIELD" {
		scope = "FIELD/" + base
	}
	switch form {
	case StubConstant:
		scope += "/constant/" + base
		if !strings.HasSuffix(base, "_REDACTED") {
			base += "_REDACTED"
		}
	case StubSurrogate:
		kind := surrogateKind(typ, value)
		if kind == "" || len(n.key) == 0 {
			form = StubTemplate
			break
		}
		scope += "/surrogate"
		base += surrogateMark + kind
	case StubHash:
		scope += "/hash/" + base
		base += "_" + stubAlphabet.EncodeToString(keyed(n.key, []byte("stub"), []byte(scope), norm))[:10]
	}
	commitment := hex.EncodeToString(keyed(n.key, []byte("commitment"), []byte(scope), norm))
	name, ok := n.byHash[commitment]
	if !ok {
		name = base
		for i := max(2, n.last[base]); n.taken[name] != "" || form == StubSurrogate && !n.free(name); i++ {
			if form == StubSurrogate && i > maxSurrogates {
				return n.stub(StubTemplate, strings.TrimSuffix(base, surrogateMark+surrogateKind(typ, value)), typ, value, class, sinks)
			}
			name = base + "_" + strconv.Itoa(i)
			n.last[base] = i
		}
		n.taken[name], n.byHash[commitment] = commitment, name
	}
	if !n.seen[name] {
		n.seen[name] = true
		n.stubs = append(n.stubs, StubValue{Name: name, Commitment: commitment, Type: typ, Class: class, Sinks: sinks, Value: append(chunk.Content(nil), value...)})
	}
	if form == StubSurrogate {
		text, _ := Surrogate(n.key, name)
		n.shown[text] = true
		n.surrogates++
		return text
	}
	if form == StubConstant || form == StubHash {
		return name
	}
	return "{" + name + "}"
}

// maxSurrogates bounds how many surrogates of one kind a field gives out, and how long a
// free one is looked for; what comes then gets a template stub.
const maxSurrogates = 4096

// free reports whether a stub's surrogate stands for nothing else: no other stub of the
// run has it, and the document does not hold it as a value.
func (n *namer) free(name string) bool {
	text, ok := Surrogate(n.key, name)
	return ok && !n.shown[text] && !bytes.Contains(n.text, []byte(text))
}
