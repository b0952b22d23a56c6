package guard

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/view"
)

// Bounds of the work on one call (SPEC DET-6 for arguments).
const (
	peelDepth  = 4       // encodings inside one another
	peelBudget = 2 << 20 // bytes of derived text
)

const viewSpaced = "spaced"

// peel calls see with text and with everything that text turns into when the
// encodings are undone that data is smuggled in (SPEC EGR-3): percent and HTML
// escapes, backslash escapes, base64, base32 and hex runs, letters set apart,
// look-alike or invisible characters, and whatever else the detector's own views
// undo. Short runs are decoded too, which the detector has no use for: a name is
// shorter than an instruction. Views name the chain, outermost first. It reports false when the budget ran out, and then not everything was seen.
func peel(text []byte, budget *int, see func(text []byte, views []string)) bool {
	see(text, nil)
	return peelInto(text, nil, peelDepth, budget, see)
}

func peelInto(text []byte, views []string, depth int, budget *int, see func([]byte, []string)) bool {
	if depth == 0 {
		return true
	}
	complete := true
	open := func(name string, inner []byte, last bool) {
		if len(inner) == 0 || bytes.Equal(inner, text) || *budget < 0 {
			return
		}
		if *budget -= len(inner); *budget < 0 {
			complete = false
			return
		}
		chain := append(append([]string(nil), views...), name)
		see(inner, chain)
		if !last {
			complete = peelInto(inner, chain, depth-1, budget, see) && complete
		}
	}
	for _, s := range shells {
		for _, inner := range s.open(text) {
			open(s.name, inner, s.last)
		}
	}
	// What the detector would see of it, too (SPEC EGR-3).
	var folded view.View
	changes := view.Fold(&folded, text)
	view.Hidden(changes, text, func(v view.View) { open(v.Name, bytes.Clone(v.Text), false) })
	wants := view.Probe(folded.Text, nil) &^ view.WantCodes // openCodes undoes those, short ones too
	if len(text) <= maxTurned {
		wants |= view.WantReversed | view.Caesar(13)
	}
	view.Decode(folded.Text, wants, nil, func(v view.View) { open(v.Name, bytes.Clone(v.Text), guessed[v.Name]) })
	return complete && *budget >= 0
}

// guessed are the views that honest text turns into as easily as hostile text does:
// behind them only what proves itself counts, and nothing else is looked for.
var guessed = map[string]bool{
	viewSpaced: true, "reversed": true, "reversed-words": true, "word-order": true, "rot13": true, "caesar": true, "atbash": true, "rot47": true,
	"leet": true, "spacing": true, "shuffled": true, "split-words": true, "unspaced": true, "squash": true, "concat": true, "strings": true,
}

// maxTurned is the size up to which a text is also read backwards and by rot13.
const maxTurned = 16 << 10

// shells are the encodings, each with what undoes it. last marks those behind
// which nothing else is looked for.
var shells = []struct {
	name string
	last bool
	open func([]byte) [][]byte
}{
	{"fold", true, openFold},
	{"percent", false, openPercent},
	{"html", false, openHTML},
	{"escape", false, openEscapes},
	{"base64", false, openBase64},
	{"base32", false, openBase32},
	{"hex", false, openHex},
	{"codes", false, openCodes},
	{viewSpaced, true, openSpaced},
}

func openFold(text []byte) [][]byte {
	if view.Plain(text) {
		return nil
	}
	var v view.View
	view.Fold(&v, text)
	return [][]byte{v.Text}
}

func openPercent(text []byte) [][]byte {
	out := make([]byte, 0, len(text))
	n := 0
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if b, err := hex.DecodeString(string(text[i+1 : i+3])); err == nil {
				out = append(out, b[0])
				i += 2
				n++
				continue
			}
		}
		out = append(out, text[i])
	}
	if n == 0 {
		return nil
	}
	if bytes.IndexByte(text, '+') < 0 {
		return [][]byte{out}
	}
	return [][]byte{out, bytes.ReplaceAll(out, []byte("+"), []byte(" "))}
}

func openHTML(text []byte) [][]byte {
	if bytes.IndexByte(text, '&') < 0 {
		return nil
	}
	return [][]byte{[]byte(html.UnescapeString(string(text)))}
}

// openEscapes undoes \xHH, \uHHHH and \u{H…}.
func openEscapes(text []byte) [][]byte {
	if !bytes.Contains(text, []byte(`\x`)) && !bytes.Contains(text, []byte(`\u`)) {
		return nil
	}
	var out []byte
	for i := 0; i < len(text); {
		r, n := escape(text[i:])
		if n == 0 {
			out = append(out, text[i])
			i++
			continue
		}
		i += n
		if utf16.IsSurrogate(r) {
			if low, m := escape(text[i:]); m > 0 {
				if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
					r, i = both, i+m
				}
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return [][]byte{out}
}

func escape(s []byte) (rune, int) {
	if len(s) < 4 || s[0] != '\\' {
		return 0, 0
	}
	from, to := 2, 0
	switch {
	case s[1] == 'x':
		to = 4
	case s[1] == 'u' && s[2] == '{':
		end := bytes.IndexByte(s[:min(len(s), 11)], '}')
		if end < 4 {
			return 0, 0
		}
		v, err := strconv.ParseUint(string(s[3:end]), 16, 32)
		if err != nil || v > unicode.MaxRune {
			return 0, 0
		}
		return rune(v), end + 1
	case s[1] == 'u':
		to = 6
	}
	if to == 0 || to > len(s) {
		return 0, 0
	}
	v, err := strconv.ParseUint(string(s[from:to]), 16, 32)
	if err != nil {
		return 0, 0
	}
	return rune(v), to
}

const minRun = 8 // characters of an encoded run that is worth decoding

// openBase64 decodes runs of either alphabet, and, since a run in a path or a query
// string is bounded by signs of the alphabet itself, its parts between those too.
func openBase64(text []byte) [][]byte {
	decode := func(run []byte) []byte {
		run = bytes.TrimRight(run, "=")
		enc := base64.RawStdEncoding
		if bytes.ContainsAny(run, "-_") {
			enc = base64.RawURLEncoding
		}
		run = run[:len(run)-len(run)%4+trailing(len(run)%4)]
		out, err := enc.DecodeString(string(run))
		if err != nil {
			return nil
		}
		return out
	}
	out := runs(text, func(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '-' || c == '_' || c == '=' }, decode)
	if bytes.ContainsAny(text, "/-_=") {
		out = append(out, runs(text, func(c byte) bool { return isAlnum(c) || c == '+' }, decode)...)
	}
	return out
}

// trailing keeps two or three characters of an unpadded end; one cannot be decoded.
func trailing(rest int) int {
	if rest == 1 {
		return 0
	}
	return rest
}

func openBase32(text []byte) [][]byte {
	return runs(text, func(c byte) bool {
		return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '2' && c <= '7' || c == '='
	}, func(run []byte) []byte {
		out, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(string(bytes.ToUpper(bytes.TrimRight(run, "="))))
		if err != nil {
			return nil
		}
		return out
	})
}

func openHex(text []byte) [][]byte {
	return runs(text, func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	}, func(run []byte) []byte {
		out, err := hex.DecodeString(string(run[:len(run)&^1]))
		if err != nil {
			return nil
		}
		return out
	})
}

// openCodes undoes text written as the numbers of its characters, decimal or as pairs
// of hex digits, with anything but letters and digits between them.
func openCodes(text []byte) [][]byte {
	var out [][]byte
	for _, base := range []int{10, 16} {
		var run []byte
		flush := func() {
			if len(run) >= minHidden && readable(run) {
				out = append(out, run)
			}
			run = nil
		}
		gap := 0
		for i := 0; i < len(text); {
			c := text[i]
			if !isAlnum(c) {
				if gap++; gap > 4 {
					flush()
				}
				i++
				continue
			}
			j := i
			for j < len(text) && isAlnum(text[j]) {
				j++
			}
			word := text[i:j]
			if base == 16 {
				word = bytes.TrimPrefix(bytes.TrimPrefix(word, []byte("0x")), []byte("0X"))
			}
			n, err := strconv.ParseUint(string(word), base, 32)
			if err != nil || n < ' ' && n != '\n' && n != '\t' || n > unicode.MaxRune || base == 16 && len(word) != 2 {
				flush()
			} else {
				run = utf8.AppendRune(run, rune(n))
			}
			i, gap = j, 0
		}
		flush()
	}
	return out
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// runs decodes every run of characters of one alphabet, and keeps what is text.
// White space inside a run is passed over when nothing but the run is there: a
// message cut into lines is still one message.
func runs(text []byte, in func(byte) bool, decode func([]byte) []byte) (out [][]byte) {
	keep := func(run []byte) {
		if len(run) < minRun {
			return
		}
		if b := decode(run); len(b) >= minHidden && readable(b) {
			out = append(out, b)
		}
	}
	start := -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && in(text[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			keep(text[start:i])
			start = -1
		}
	}
	if bytes.ContainsAny(text, " \t\r\n") {
		whole := make([]byte, 0, len(text))
		for _, c := range text {
			switch {
			case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			case in(c):
				whole = append(whole, c)
			default:
				return out
			}
		}
		keep(whole)
	}
	return out
}

// readable reports whether bytes are text: UTF-8, and nearly all of it printable.
func readable(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	odd, n := 0, 0
	for _, r := range string(b) {
		n++
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			odd++
		}
	}
	return odd*10 <= n
}

// openSpaced closes up letters that are set apart: "4 1 1 1 …", "a.l.i.c.e".
func openSpaced(text []byte) [][]byte {
	var out []byte
	closed := false
	for i := 0; i < len(text); {
		n := spaced(text[i:])
		if n < minRun {
			out = append(out, text[i])
			i++
			continue
		}
		closed = true
		for k := 0; k < n; k++ {
			out = append(out, text[i+2*k])
		}
		i += 2*n - 1
	}
	if !closed {
		return nil
	}
	return [][]byte{out}
}

// spaced counts the characters at the beginning of s that stand apart with the same
// separator between them.
func spaced(s []byte) int {
	if len(s) < 3 || !setApart(s[1]) {
		return 0
	}
	n := 0
	for i := 0; i < len(s); i += 2 {
		if s[i] == s[1] {
			break
		}
		n++
		if i+1 >= len(s) || s[i+1] != s[1] {
			break
		}
	}
	return n
}

func setApart(c byte) bool {
	switch c {
	case ' ', '.', '-', '_', '|', '/', ',', '*', '\n', '\t':
		return true
	}
	return false
}

// Views calls see with text and with everything it turns into when encodings are
// undone, as the guard sees an argument; see returns false to stop. It is for people
// who look at what was stopped, and shows no more than the guard's own bounds allow.
func Views(text []byte, see func(text []byte, views []string) bool) {
	budget, on := peelBudget, true
	peel(text, &budget, func(t []byte, views []string) {
		if on {
			if on = see(t, views); !on {
				budget = 0
			}
		}
	})
}

// Guessed reports whether a chain of views holds one that turns honest text into
// something else as well, such as reading backwards: not worth showing to a person.
func Guessed(views []string) bool {
	for _, v := range views {
		if guessed[v] {
			return true
		}
	}
	return false
}
