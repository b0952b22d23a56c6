package cite

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Found is what stands in a text.
type Found struct {
	Citations []Citation // in the order of the text
	// Templates counts URLs that name no page: with {id}, * or … in them, of the own
	// machine or a private network. They are nobody's citation.
	Templates int
}

// Find finds the citations of those kinds that want takes. A citation that stands inside
// a URL is a part of the URL.
func (s *Set) Find(text string, want func(i int) bool) Found {
	var out Found
	urls := spansOfURLs(text)
	for _, u := range urls {
		if u.template {
			out.Templates++
		}
	}
	f := fold(text)
	lower := strings.ToLower(f.text)
	for i := range s.kinds {
		k := &s.kinds[i]
		if !want(i) {
			continue
		}
		if k.Builtin == URL {
			for _, u := range urls {
				if !u.template {
					out.Citations = append(out.Citations, Citation{Kind: i, Span: u.Span, Values: u.values})
				}
			}
			continue
		}
		taken := make([]bool, len(text)) // by an earlier form, which knows the citation better
		for _, fo := range k.forms {
			if len(fo.needs) > 0 && !slices.ContainsFunc(fo.needs, func(n string) bool { return strings.Contains(lower, n) }) {
				continue
			}
			for _, m := range fo.re.FindAllStringSubmatchIndex(f.text, -1) {
				a, b := m[2*fo.group], m[2*fo.group+1]
				if a < 0 || a == b {
					continue
				}
				g := groups(f.text, m)
				values := fo.norm(g)
				if fo.tail != nil {
					n, more := fo.tail(g, f.text[m[1]:])
					values, b = append(values, more...), b+n
				}
				span := chunk.Span{Start: f.at(a), End: f.end(b)}
				if slices.Contains(taken[span.Start:span.End], true) || inURL(urls, span) {
					continue
				}
				if len(values) > 0 {
					for i := span.Start; i < span.End; i++ {
						taken[i] = true
					}
				}
				for _, v := range values {
					if v = k.normal(v); v != "" {
						out.Citations = append(out.Citations, Citation{Kind: i, Span: span, Values: []string{v}})
					}
				}
			}
		}
	}
	slices.SortStableFunc(out.Citations, func(a, b Citation) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// inURL reports whether a span touches a URL. They are in order.
func inURL(urls []urlAt, s chunk.Span) bool {
	i, _ := slices.BinarySearchFunc(urls, s.Start, func(u urlAt, at int) int {
		if u.End <= at {
			return -1
		}
		return 1
	})
	return i < len(urls) && urls[i].Overlaps(s)
}

// folded is text as patterns read it: every space a plain one, every dash a hyphen, what
// cannot be seen left out, full-width letters as usual ones. A typesetter's narrow space
// after § must not hide a statute.
type folded struct {
	text    string
	raw     string
	offsets []int32 // of each byte in the raw text, and the end; nil: the text as it was
}

func (f folded) at(i int) int {
	if f.offsets == nil {
		return i
	}
	return int(f.offsets[i])
}

// end is where the piece that ends before i ends in the raw text.
func (f folded) end(i int) int {
	if f.offsets == nil || i == 0 {
		return i
	}
	last := int(f.offsets[i-1])
	_, n := utf8.DecodeRuneInString(f.raw[last:])
	return last + n
}

func fold(text string) folded {
	plain := true
	for _, r := range text {
		if r >= utf8.RuneSelf && foldRune(r) != r || r == utf8.RuneError {
			plain = false
			break
		}
	}
	if plain {
		return folded{text: text}
	}
	var b strings.Builder
	offsets := make([]int32, 0, len(text)+1)
	for i, r := range text {
		n := b.Len()
		if c := foldRune(r); c >= 0 {
			b.WriteRune(c)
		}
		for ; n < b.Len(); n++ {
			offsets = append(offsets, int32(i))
		}
	}
	return folded{b.String(), text, append(offsets, int32(len(text)))}
}

// foldRune gives what a rune is read as; -1: nothing.
func foldRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case invisible(r):
		return -1
	case unicode.Is(unicode.Zs, r), r == '\u2028', r == '\u2029':
		return ' '
	case unicode.Is(unicode.Pd, r), r == '\u2212':
		return '-'
	case r == '\u2018', r == '\u2019', r == '\u02bc':
		return '\''
	case r == '\uff0f', r == '\u2215', r == '\u2044':
		return '/'
	case r >= '\uff01' && r <= '\uff5e':
		return r - 0xff01 + '!'
	}
	return r
}

func invisible(r rune) bool {
	return r == '\u00ad' || r >= '\u200b' && r <= '\u200f' || r == '\u2060' || r == '\ufeff' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// Steps are what a pattern's citation can be brought into its normal form by.
var Steps = []string{"upper", "lower", "spaces", "no-spaces", "alphanumeric", "digits"}

var steps = map[string]func(string) string{
	"upper":        strings.ToUpper,
	"lower":        strings.ToLower,
	"spaces":       func(s string) string { return strings.Join(strings.Fields(s), " ") },
	"no-spaces":    func(s string) string { return strings.Join(strings.Fields(s), "") },
	"alphanumeric": alphanumeric,
	"digits": func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, s)
	},
}

func alphanumeric(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}
