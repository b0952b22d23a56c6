package fence

import (
	"strings"
	"unicode/utf8"
)

// What stands in place of a trigger or a tag (SPEC DET-9).
const (
	RedactedTrigger = "[REDACTED:trigger]"
	RedactedTag     = "[REDACTED:tag]"
)

// Sanitised says what [Sanitise] replaced.
type Sanitised struct {
	Text     string
	Triggers int
	Tags     int
}

// Sanitise rewrites what would make an agent program act if it came back from a
// tool (SPEC DET-9): the command prefix __ot, the server part of mcp__server__tool,
// and opening and closing external-content-… tags; in any case, every occurrence,
// also with invisible characters or look-alike letters inside. Sanitising twice
// changes nothing more.
//
// It runs before a fence is put on, and cannot be undone: who needs the original
// reads the evidence.
func Sanitise(text string) Sanitised {
	out := Sanitised{Text: text}
	for { // what goes can bare a trigger before it: __otmcp__x
		next := sanitise(out.Text)
		if next.Triggers+next.Tags == 0 {
			return out
		}
		out = Sanitised{Text: next.Text, Triggers: out.Triggers + next.Triggers, Tags: out.Tags + next.Tags}
	}
}

func sanitise(text string) Sanitised {
	var b strings.Builder
	out := Sanitised{}
	done := 0
	for at := 0; at < len(text); {
		n, with := match(text, at)
		if n == 0 {
			at++
			continue
		}
		b.WriteString(text[done:at])
		b.WriteString(with)
		if with == RedactedTag {
			out.Tags++
		} else {
			out.Triggers++
		}
		at += n
		done = at
	}
	if done == 0 {
		out.Text = text
		return out
	}
	b.WriteString(text[done:])
	out.Text = b.String()
	return out
}

// match reports what begins at text[at:] that must go, and what stands in its place.
func match(text string, at int) (n int, with string) {
	s := text[at:]
	switch c := s[0]; {
	case c < utf8.RuneSelf && c != '<' && c != '\\' && c != '&' && c != '%' && c != '_' && c != 'm' && c != 'M':
		return 0, ""
	case c >= utf8.RuneSelf && !utf8.RuneStart(c):
		return 0, ""
	}
	if n := bracket(s); n > 0 {
		if m, ok := name(s[n:], nameExternal+"-"); ok {
			return n + m + tagRest(s[n+m:]), RedactedTag
		}
		return 0, ""
	}
	if n := word(s, "mcp--"); n > 0 {
		return n + server(s[n:]), RedactedTrigger
	}
	if n := word(s, "--ot"); n > 0 && !letter(s[n:]) {
		return n, RedactedTrigger
	}
	return 0, ""
}

// tagRest gives how much of s, behind a tag's name, still belongs to the tag. A
// tag that is never closed ends where its name ends.
func tagRest(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '>':
			return i + 1
		case '<':
			i = len(s)
		}
	}
	n := 0
	for n < len(s) && (s[n] == '-' || s[n] == '_' || alnum(s[n])) {
		n++
	}
	return n
}

// word reads want at the beginning of s: letters in any case and look-alikes, "-"
// for an underscore and nothing else, invisible characters between. It gives the
// bytes it took, or 0.
func word(s, want string) int {
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		if at > 0 && invisible(r, size) {
			at += size
			continue
		}
		f := ""
		switch {
		case r == '_':
			f = "-"
		case r == '-':
		case r < utf8.RuneSelf:
			f = strings.ToLower(ascii[r])
		default:
			switch f = lookalike[r]; {
			case f == "-" && !lowLine(r):
				f = ""
			case f == "rn":
				f = "m"
			}
		}
		if f == "" || !strings.HasPrefix(want, f) {
			return 0
		}
		want = want[len(f):]
		at += size
		if want == "" {
			return at
		}
	}
	return 0
}

// lowLine reports whether r is a form of the underscore, not of the hyphen.
func lowLine(r rune) bool {
	return r == '\uff3f' || r == '\ufe33' || r == '\ufe34' || (r >= '\ufe4d' && r <= '\ufe4f') || r == '\u07fa'
}

// server gives the length of the server's name behind mcp__: up to the next two
// underscores.
func server(s string) int {
	n := 0
	for n < len(s) && (alnum(s[n]) || s[n] == '-' || s[n] == '.' || (s[n] == '_' && !strings.HasPrefix(s[n:], "__"))) {
		n++
	}
	for n > 0 && s[n-1] == '.' { // the end of a sentence
		n--
	}
	return n
}

// letter reports whether s goes on with a letter or a digit, so that what stood
// before it was the beginning of a longer word.
func letter(s string) bool {
	if s == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r < utf8.RuneSelf && alnum(s[0]) || r >= utf8.RuneSelf && len(lookalike[r]) == 1 && alnum(lookalike[r][0])
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
