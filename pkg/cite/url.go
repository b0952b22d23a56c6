package cite

import (
	"html"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// urlAt is a URL in a text.
type urlAt struct {
	chunk.Span
	values   []string
	template bool
}

// spansOfURLs finds the http and https URLs of a text, and what begins with www.
func spansOfURLs(text string) []urlAt {
	var out []urlAt
	for at := 0; at < len(text); {
		start, body := nextURL(text, at)
		if start < 0 {
			break
		}
		r := readURL(text, start, body)
		at = max(r.end, body)
		if r.end == body && !r.template { // http:// and nothing behind it
			continue
		}
		u := urlAt{Span: chunk.Span{Start: start, End: r.end}, template: r.template}
		secure := "http://"
		if c := text[start]; c == 'w' || c == 'W' || text[start+4]|0x20 == 's' {
			secure = "https://"
		}
		for i, raw := range r.raw {
			p := parseURL(secure + raw)
			switch {
			case p.normal == "" && i == 0:
				u.template = true
			case p.normal != "" && !slices.Contains(u.values, p.normal) && (text[start]|0x20 != 'w' || strings.Count(p.host, ".") > 1):
				u.values = append(u.values, p.normal)
			}
		}
		if len(u.values) == 0 {
			u.template = true
		}
		out = append(out, u)
	}
	return out
}

// nextURL finds where the next URL begins, and where what follows its scheme does. A
// scheme inside a longer word (xhttps, git+https) begins none.
func nextURL(text string, at int) (start, body int) {
	for ; at < len(text); at++ {
		c := text[at] | 0x20
		if c != 'h' && c != 'w' || at > 0 && (alnum(text[at-1]) || strings.IndexByte("+.-@", text[at-1]) >= 0) {
			continue
		}
		if c == 'w' {
			if len(text) > at+4 && strings.EqualFold(text[at:at+4], "www.") && wordByte(text[at+4]) && (at == 0 || text[at-1] != '/' && text[at-1] != '\\') {
				return at, at
			}
			continue
		}
		i := at
		switch {
		case hasFold(text[i:], "https:"):
			i += 6
		case hasFold(text[i:], "http:"):
			i += 5
		default:
			continue
		}
		for _, slashes := range []string{"//", `\/\/`} { // the second as JSON may write it
			if strings.HasPrefix(text[i:], slashes) {
				return at, i + len(slashes)
			}
		}
	}
	return -1, -1
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func wordByte(c byte) bool { return alnum(c) || c == '_' || c >= utf8.RuneSelf }

// read is a URL as it stands in a text: where it ends, and what it may be, without the
// scheme.
type read struct {
	end      int
	raw      []string
	template bool
}

// minWrapped is the length from which a URL at the end of a line may have been cut there.
const minWrapped = 40

// readURL reads a URL from body on. Text around URLs is written in many ways: what ends
// one, and what belongs to it, is decided here.
func readURL(text string, start, body int) read {
	var before byte
	if start > 0 {
		before = text[start-1]
	}
	w := walker{text: text, at: body, quote: before == '\''}
	w.run()
	if before == '<' && w.at < len(text) && (text[w.at] == '\n' || text[w.at] == '\r') {
		// RFC 3986, appendix C: between angle brackets a line break is no part of it.
		if j := strings.IndexByte(text[w.at:], '>'); j > 0 && j < 2000 && !strings.ContainsAny(strings.Trim(text[w.at:w.at+j], " \t\r\n"), " \t<") {
			for w.at < len(text) && strings.IndexByte(" \t\r\n", text[w.at]) >= 0 {
				for w.at < len(text) && strings.IndexByte(" \t\r\n", text[w.at]) >= 0 {
					w.at++
				}
				w.run()
			}
		}
	}
	out := read{end: w.at, template: w.template}
	whole := w.b.String()
	trimmed, n := trimEnd(whole, before)
	out.raw = append(out.raw, trimmed)
	if n > 0 {
		out.end -= n // what is trimmed is ASCII, or … of three bytes, as it stands
		if rest := whole[:len(trimmed)+1]; strings.ContainsAny(rest[len(trimmed):], "._!?'") && strings.Contains(trimmed, "/") && before != '_' {
			out.raw = append(out.raw, rest)
		}
	}
	if w.foreign > 0 && w.foreign < len(trimmed) { // Chinese without a space after it
		cut, _ := trimEnd(whole[:w.foreign], before)
		out.raw = append(out.raw, cut)
	}
	if n == 0 && w.at < len(text) && w.at-start >= minWrapped && strings.Contains(trimmed, "/") {
		if next := lineBreak(text[w.at:]); next > 0 {
			more := walker{text: text, at: w.at + next, quote: w.quote}
			more.run()
			if rest, _ := trimEnd(more.b.String(), before); rest != "" && !more.template && !strings.Contains(rest, "://") {
				out.raw = append(out.raw, trimmed+rest)
			}
		}
	}
	return out
}

// lineBreak is the length of a line break at the start of s, or 0.
func lineBreak(s string) int {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return 2
	case strings.HasPrefix(s, "\n"):
		return 1
	}
	return 0
}

// trimEnd takes off what ends a sentence or an emphasis and not a URL.
func trimEnd(s string, before byte) (string, int) {
	t := s
	for {
		switch {
		case t == "":
			return t, len(s)
		case strings.IndexByte(".,;:!?'*_~", t[len(t)-1]) >= 0:
			t = t[:len(t)-1]
		case strings.HasSuffix(t, "\u2026"):
			t = strings.TrimSuffix(t, "\u2026")
		default:
			return t, len(s) - len(t)
		}
	}
}

// walker reads the characters of one URL.
type walker struct {
	text     string
	at       int
	quote    bool // begun behind an apostrophe, which ends it
	b        strings.Builder
	open     []byte // brackets that are open
	foreign  int    // where in b the first letter beyond ASCII stands
	template bool
}

func (w *walker) run() {
	for w.at < len(w.text) {
		rest := w.text[w.at:]
		c := rest[0]
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(rest)
			switch {
			case invisible(r):
			case r == '\u2026':
				if i := w.at + n; i < len(w.text) && (wordByte(w.text[i]) || w.text[i] == '/') {
					w.template = true // cut short in the middle
				}
				w.b.WriteRune(r)
			case r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.M, unicode.N):
				return
			default:
				if w.foreign == 0 {
					w.foreign = w.b.Len()
				}
				w.b.WriteRune(r)
			}
			w.at += n
			continue
		case c <= ' ' || c == 0x7f || strings.IndexByte("<>\"`|^", c) >= 0 || c == '\'' && w.quote:
			if c == '<' && (w.b.Len() == 0 || strings.HasSuffix(w.b.String(), "/") && len(rest) > 1 && wordByte(rest[1]) && placeholder(rest)) {
				w.template = true
			}
			return
		case c == '{':
			w.template = true
		case c == '}':
			if !strings.Contains(w.b.String(), "{") {
				return
			}
		case c == '\\':
			n, s := unescape(rest)
			if n == 0 {
				return
			}
			w.b.WriteString(s)
			w.at += n
			continue
		case c == '&':
			n, s := entity(rest)
			switch {
			case n > 0 && s == "":
				return
			case n > 0:
				w.b.WriteString(s)
				w.at += n
				continue
			}
		case c == '(' || c == '[':
			w.open = append(w.open, c)
		case c == ')' || c == ']':
			if len(w.open) == 0 {
				return
			}
			w.open = w.open[:len(w.open)-1]
		case (c == ',' || c == ';') && (hasFold(rest[1:], "http://") || hasFold(rest[1:], "https://")):
			return
		case c == '%' && (len(rest) < 3 || !hex(rest[1]) || !hex(rest[2])) && len(rest) > 1 && strings.IndexByte("sdvq", rest[1]) >= 0:
			w.template = true // a format
		}
		w.b.WriteByte(c)
		w.at++
	}
}

// placeholder reports whether <name> follows, as manuals write it.
func placeholder(s string) bool {
	i := strings.IndexByte(s, '>')
	return i > 1 && i < 40 && !strings.ContainsAny(s[1:i], " /=\"")
}

func hex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// unescape reads a backslash: one that Markdown sets before a sign, \/ and \u0026 as
// JSON has them. n is 0 where it ends the URL.
func unescape(s string) (n int, text string) {
	if len(s) < 2 {
		return 0, ""
	}
	if strings.IndexByte("_*~()[]#&-.!+=/", s[1]) >= 0 {
		return 2, s[1:2]
	}
	if s[1] == 'u' && len(s) >= 6 {
		if v, err := strconv.ParseUint(s[2:6], 16, 16); err == nil && strings.IndexByte("&=+?#%", byte(v)) >= 0 && v < utf8.RuneSelf {
			return 6, string(rune(v))
		}
	}
	return 0, ""
}

// entity reads an HTML entity. n is 0 where there is none; text is empty where it stands
// for something that ends a URL.
func entity(s string) (n int, text string) {
	end := strings.IndexByte(s[:min(len(s), 12)], ';')
	if end < 2 {
		return 0, ""
	}
	v := html.UnescapeString(s[:end+1])
	switch {
	case v == s[:end+1]:
		return 0, ""
	case len(v) == 1 && v[0] > ' ' && strings.IndexByte("<>\"'`", v[0]) < 0:
		return end + 1, v
	}
	return end + 1, ""
}

// parsed is a URL in its normal form.
type parsed struct {
	normal string // scheme, host, port, path and query; empty: no URL that could be looked up
	host   string
}

// parseURL brings a URL into its normal form: scheme and host in lower case, the host in
// ASCII, no default port, no dot segments, the same bytes escaped in the same way, no
// fragment. Names of the user stay out.
func parseURL(s string) parsed {
	scheme, rest, _ := strings.Cut(s, "://")
	rest, _, _ = strings.Cut(rest, "#")
	i := strings.IndexAny(rest, "/?")
	if i < 0 {
		i = len(rest)
	}
	authority, path := rest[:i], rest[i:]
	user := strings.LastIndexByte(authority, '@')
	host, port := authority[user+1:], ""
	if j := strings.LastIndexByte(host, ':'); j >= 0 {
		host, port = host[:j], host[j+1:]
		if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) {
			return parsed{}
		}
	}
	host, ok := asciiHost(host)
	if !ok || ownHost(host) {
		return parsed{}
	}
	if port == "443" && scheme == "https" || port == "80" && scheme == "http" {
		port = ""
	}
	var b strings.Builder
	b.WriteString(scheme)
	b.WriteString("://")
	if user >= 0 {
		b.WriteString(Credentials)
	}
	b.WriteString(host)
	if port != "" {
		b.WriteByte(':')
		b.WriteString(port)
	}
	path, query, hasQuery := strings.Cut(path, "?")
	b.WriteString(cleanPath(escape(path)))
	if hasQuery {
		b.WriteByte('?')
		b.WriteString(escape(query))
	}
	return parsed{b.String(), host}
}

// Credentials stand in the normal form of a URL for a name and password that it has.
const Credentials = "credentials@"

// asciiHost gives a host's name as the name system has it. ok is false for what is no
// host's name.
func asciiHost(host string) (string, bool) {
	host = strings.TrimSuffix(host, ".")
	if host == "" || len(host) > 253 || strings.ContainsAny(host, "[]") {
		return "", false
	}
	if strings.IndexFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		a, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", false
		}
		host = a
	}
	host = strings.ToLower(host)
	for _, l := range strings.Split(host, ".") {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' {
			return "", false
		}
		for i := 0; i < len(l); i++ {
			if c := l[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return "", false
			}
		}
	}
	return host, true
}

// ownHost reports whether a host names the own machine or a neighbour, which is no source
// that anyone could cite: one label, a private address.
func ownHost(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return !a.IsGlobalUnicast() || a.IsPrivate()
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost")
}

// Reserved reports whether a host is one of those that are set aside, for examples (RFC
// 2606, RFC 6761) or for private networks: nothing that the world knows stands there. A
// URL there is a placeholder, unless a register lists it or the operator named the host.
func Reserved(host string) bool {
	labels := strings.Split(host, ".")
	n := len(labels)
	switch labels[n-1] {
	case "example", "test", "invalid", "local", "localdomain", "internal", "lan", "arpa":
		return true
	case "com", "net", "org":
		return n > 1 && labels[n-2] == "example"
	}
	return false
}

// Host gives the host of a URL in its normal form, and its port where it is not the
// scheme's own.
func Host(normal string) (host, port string) {
	_, rest, _ := strings.Cut(normal, "://")
	rest = strings.TrimPrefix(rest, Credentials)
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		rest = rest[:i]
	}
	host, port, _ = strings.Cut(rest, ":")
	return host, port
}

// escape writes a part of a URL in one way: unreserved characters as they are, other
// escapes in capitals, and what may not stand there escaped.
func escape(s string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && hex(s[i+1]) && hex(s[i+2]) {
			v, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if d := byte(v); alnum(d) || strings.IndexByte("-._~", d) >= 0 {
				b.WriteByte(d)
			} else {
				b.WriteString(strings.ToUpper(s[i : i+3]))
			}
			i += 2
			continue
		}
		if c <= ' ' || c >= 0x7f || strings.IndexByte("%\"<>\\^`{|}", c) >= 0 {
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// cleanPath takes out dot segments (RFC 3986, 5.2.4). Empty segments stay.
func cleanPath(p string) string {
	if p == "" {
		return "/"
	}
	if !strings.Contains(p, "/.") {
		return p
	}
	var out []string
	parts := strings.Split(p[1:], "/")
	for i, s := range parts {
		last := i == len(parts)-1
		switch s {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, s)
		}
	}
	return "/" + strings.Join(out, "/")
}

// PageKey is what a list of URLs is searched by: a page is the same by http and https,
// with and without the last slash of its path.
func PageKey(normal string) string {
	_, rest, _ := strings.Cut(normal, "://")
	if !strings.Contains(rest, "?") {
		rest = strings.TrimSuffix(rest, "/")
	}
	return rest
}

// Under is what ends an entry of a list of URLs that stands for all pages below it.
const Under = "/*"

// urlEntry gives the key of an entry of a list of URLs: a page, or, with /* at its end,
// all pages below one.
func urlEntry(s string) string {
	s, under := strings.CutSuffix(s, Under)
	if hasFold(s, "www.") {
		s = "https://" + s
	}
	scheme, rest, ok := strings.Cut(s, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "https" && scheme != "http" || strings.ContainsAny(rest, " \t@") {
		return ""
	}
	p := parseURL(scheme + "://" + rest)
	if p.normal == "" {
		return ""
	}
	if under {
		return PageKey(p.normal) + Under
	}
	return PageKey(p.normal)
}

// Listed reports whether a list of URLs has one: itself, or all below one of its parents.
func Listed(normal string, has func(key string) bool) bool {
	key := PageKey(normal)
	if has(key) {
		return true
	}
	path, _, _ := strings.Cut(key, "?")
	for depth := 0; depth < 64; depth++ {
		if has(path + Under) {
			return true
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return false
		}
		path = path[:i]
	}
	return false
}

// HostIn reports whether a host is one of a list: itself, below *.NAME, or any for *.
func HostIn(host string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		below, wild := strings.CutPrefix(p, "*")
		return p == host || wild && (below == "" || strings.HasSuffix(host, below))
	})
}
