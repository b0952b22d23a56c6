package classify

import (
	"bytes"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameSearch looks for the typed values of a run in free text, in any case and through
// folding, at word boundaries.
type nameSearch struct {
	names []searchedName
	first [256][]searchedName // by first byte, longest first
}

type searchedName struct {
	folded []byte // normalised: lower case, single spaces
	typ    string
	stub   string
	form   StubForm
	proper bool // also a common word: only with a capital letter
}

// Words that are also names. Searching them in any case would redact ordinary prose.
var commonWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`will mark may an art bill bob chance chase christian dale dawn dean drew faith frank gene
grace grant hope hunter ivy iris jack jean joy june april august lance lane major mason max miles nick page pat pearl penny
peter ray reed rich rob rose rusty sandy sky star sue summer sunny tan tom tony trip van victor violet wade ward young long
short white black brown green king bishop price cook baker banks bell best bush case child cross day field fish ford fox
free gates good hall hand hill hope house hunt hurt kind land law lord love low mills moon moore park parks pope post power
rice rivers root sales sharp sheep shore stone storm street strong swan teller warm waters wells west north wise wolf wood
woods do so he she her his to in on at is it be by or as if of and the not for you your are was but all any can had has him
how man new now old see two way who boy did its let put say too use le la de der die das den ein el los las un une il lo du
des von zu da di e y o a i`) {
		commonWords[w] = true
	}
}

func foldName(b []byte) []byte { return normalise("PERSON", b) }

// typedNames collects the typed values of this document and of the run, and records
// this document's for later ones.
func (d *decision) typedNames() *nameSearch {
	var s nameSearch
	have := map[string]bool{}
	add := func(n Name, value []byte) {
		f := foldName(value)
		if utf8.RuneCount(f) < 2 || len(f) > 256 || have[string(f)] {
			return
		}
		have[string(f)] = true
		s.names = append(s.names, searchedName{folded: f, typ: n.Type, stub: n.Stub, form: n.Form, proper: commonWords[string(f)] || utf8.RuneCount(f) < 3})
	}
	for i := range d.leaves {
		l := &d.leaves[i]
		r := l.matched.own()
		if r == nil || r.Type == "" || r.Text || l.kind != leafText || len(l.text) == 0 || !searchable(r.Type) {
			continue
		}
		d.out.Names = append(d.out.Names, Name{Type: r.Type, Stub: r.stub, Form: r.Form, Value: append([]byte(nil), l.text...)})
	}
	all := append(append([]Name(nil), d.out.Names...), d.in.Names...)
	for _, n := range all {
		add(n, n.Value)
	}
	// The parts of a full name occur alone ("Dear Maria"). They are other values, so they
	// get stubs of their own.
	for _, n := range all {
		if n.Type != "PERSON" {
			continue
		}
		if parts := strings.Fields(string(n.Value)); len(parts) > 1 {
			for _, p := range parts {
				p = strings.Trim(p, ".,;:()\"'")
				if utf8.RuneCountInString(p) >= 3 && unicode.IsUpper([]rune(p)[0]) {
					part := Name{Type: n.Type, Stub: n.Stub}
					if part.Stub != "" {
						part.Stub += "_PART"
					}
					add(part, []byte(p))
				}
			}
		}
	}
	if len(s.names) == 0 {
		return nil
	}
	sort.SliceStable(s.names, func(i, j int) bool { return len(s.names[i].folded) > len(s.names[j].folded) })
	for _, n := range s.names {
		s.first[n.folded[0]] = append(s.first[n.folded[0]], n)
	}
	return &s
}

// searchable types are those whose values are worth finding word for word: checksummed
// types are found by their recognisers.
func searchable(typ string) bool { return typ != "DATE_TIME" && typ != "NRP" && typ != "AGE" }

// find gives every occurrence of a name in text.
func (s *nameSearch) find(text []byte) []hit {
	low, off := lowered(text)
	var out []hit
	boundary := true
	for i := 0; i < len(low); i++ {
		at := boundary
		r, _ := utf8.DecodeRune(low[i:])
		boundary = !wordRune(r)
		if low[i] >= utf8.RuneSelf && !utf8.RuneStart(low[i]) {
			boundary = false
			continue
		}
		if !at || len(s.first[low[i]]) == 0 {
			continue
		}
		for _, n := range s.first[low[i]] {
			end := i + len(n.folded)
			if !bytes.HasPrefix(low[i:], n.folded) {
				continue
			}
			if next, _ := utf8.DecodeRune(low[end:]); end < len(low) && wordRune(next) {
				continue
			}
			start, stop := int(off[i]), int(off[end])
			for stop > start && (text[stop-1] == ' ' || text[stop-1] == '\n' || text[stop-1] == '\t') {
				stop--
			}
			if n.proper {
				if first, _ := utf8.DecodeRune(text[start:]); !unicode.IsUpper(first) {
					continue
				}
			}
			out = append(out, hit{typ: n.typ, stub: n.stub, form: n.form, start: start, end: stop, score: 1})
			i = end - 1
			boundary = false
			break
		}
	}
	return out
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r))
}

// lowered is text folded, in lower case and with single spaces; off maps each byte back.
func lowered(text []byte) ([]byte, []int32) {
	f := fold(text)
	low := make([]byte, 0, len(f.text))
	off := make([]int32, 0, len(f.text)+1)
	space := false
	for i := 0; i < len(f.text); {
		r, n := utf8.DecodeRune(f.text[i:])
		at, _ := f.raw(i, i)
		switch {
		case unicode.IsSpace(r):
			if !space {
				low, off = append(low, ' '), append(off, int32(at))
			}
			space = true
		default:
			space = false
			if r == utf8.RuneError {
				low, off = append(low, f.text[i]), append(off, int32(at))
				n = 1
				break
			}
			var b [utf8.UTFMax]byte
			k := utf8.EncodeRune(b[:], unicode.ToLower(r))
			for _, c := range b[:k] {
				low, off = append(low, c), append(off, int32(at))
			}
		}
		i += n
	}
	return low, append(off, int32(len(text)))
}

// covered reports whether found makes up all letters of h.
func covered(text []byte, h hit, found []hit) bool {
	at := h.start
	for _, f := range found {
		if f.end <= at || f.start >= h.end {
			continue
		}
		if hasLetter(text[at:max(at, f.start)]) {
			return false
		}
		at = max(at, f.end)
	}
	return at > h.start && !hasLetter(text[min(at, h.end):h.end])
}

func hasLetter(b []byte) bool { return bytes.ContainsFunc(b, unicode.IsLetter) }
