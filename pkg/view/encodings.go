package view

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// readable reports whether decoded bytes look like text that somebody wrote.
func readable(b []byte) bool {
	if len(b) < 3 {
		return false
	}
	if !utf8.Valid(b) {
		// A cut may fall inside a rune: up to three bytes at the end are forgiven.
		t := b
		for k := 0; k < 3 && len(t) > 8 && !utf8.Valid(t); k++ {
			t = t[:len(t)-1]
		}
		if !utf8.Valid(t) {
			return false
		}
		b = t
	}
	letters, bad, n := 0, 0, 0
	for _, r := range string(b) {
		n++
		switch {
		case r == '\n' || r == '\t' || r == '\r':
		case r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == utf8.RuneError:
			bad++
		case unicode.IsLetter(r) || r == ' ':
			letters++
		case r > 0x2000 && !unicode.IsPrint(r) && !unicode.Is(unicode.Cf, r):
			bad++
		}
	}
	return bad*20 <= n && letters*2 >= n || bad == 0 && encodedAgain(b)
}

// encodedAgain reports text that is another encoding: digits and letters without
// end.
func encodedAgain(b []byte) bool {
	n := 0
	for _, c := range b {
		if letterByte(c) || c == '%' || c == '+' || c == '/' || c == '=' || c == ' ' || c == '\\' || c == '&' || c == '#' || c == ';' || c == '-' || c == '_' || c == '.' {
			n++
		}
	}
	return len(b) >= 16 && n == len(b)
}

// base64Table is base64Byte as a table.
var base64Table = func() (t [256]bool) {
	for c := range 256 {
		t[c] = base64Byte(byte(c))
	}
	return t
}()

const (
	codedHex = 1 << iota
	coded32
	coded64
)

// wordClass: 1 lower-case, 2 upper-case, 4 digit 2-7, 8 other digit, 16 hex digit,
// 32 sign.
var wordClass = func() (t [256]uint8) {
	for c := range 256 {
		b := byte(c)
		switch {
		case b >= 'a' && b <= 'z':
			t[c] = 1
		case b >= 'A' && b <= 'Z':
			t[c] = 2
		case b >= '2' && b <= '7':
			t[c] = 4
		case b >= '0' && b <= '9':
			t[c] = 8
		default:
			t[c] = 32
		}
		if hexVal(b) >= 0 {
			t[c] |= 16
		}
	}
	return t
}()

// codedAs tells at a glance what a run may be, without decoding more than its
// first letters. Most runs are words.
func codedAs(run []byte) (kinds int) {
	var any uint8
	all := uint8(16)
	for _, c := range run[1:] {
		any |= wordClass[c]
		all &= wordClass[c] | ^uint8(16)
	}
	if any&^uint8(16) == 1 && len(run) < 24 {
		return 0 // a word
	}
	if all&16 != 0 && len(run) >= 12 || len(run) > 14 && run[1]|0x20 == 'x' {
		kinds |= codedHex
	}
	any |= wordClass[run[0]]
	if len(run) >= 16 && any&(8|32) == 0 && any&3 != 3 {
		kinds |= coded32
	}
	if len(run) < 8 || len(run) < 10 && any&(4|8|32) == 0 && any&3 != 3 {
		return kinds
	}
	var first [6]byte
	var sym [8]byte
	copy(sym[:], run)
	for i, c := range sym {
		switch c {
		case '-':
			sym[i] = '+'
		case '_':
			sym[i] = '/'
		case '\n', '\r', ' ':
			return kinds | coded64
		}
	}
	if n, err := base64.RawStdEncoding.Decode(first[:], sym[:]); err != nil || n < 6 {
		return kinds
	}
	for i, c := range first[:5] {
		switch {
		case c == 0 && i%2 == 1: // UTF-16
		case c < 0x20 && c != '\n' && c != '\t' && c != '\r', c == 0x7f, c >= 0xf5, c == 0xc0, c == 0xc1:
			return kinds
		case c >= 0xc2 && (first[i+1] < 0x80 || first[i+1] > 0xbf):
			return kinds
		case c >= 0x80 && c < 0xc0 && (i == 0 || first[i-1] < 0x80):
			return kinds
		}
	}
	return kinds | coded64
}

func base64Byte(c byte) bool { return letterByte(c) || c == '+' || c == '/' || c == '-' || c == '_' }

// runs decodes base64, base32 and hex runs. Runs may be wrapped over lines.
func (d *decoder) runs() {
	text := d.text
	var b64, b32, hexes []patch
	for i := 0; i+7 < len(text); {
		if !base64Table[text[i+7]] { // no run of eight begins before here
			i += 8
			continue
		}
		start := i + 7
		for start > i && base64Table[text[start-1]] {
			start--
		}
		i += 8
		for i < len(text) && base64Table[text[i]] {
			i++
		}
		end := i
		if end-start < 8 {
			continue
		}
		// Lines of one block: full lines of at least 32, the last one shorter.
		if end-start >= 32 {
			width := end - start
			for {
				j := i
				for j < len(text) && (text[j] == '\r' || text[j] == '\n' || text[j] == ' ' || text[j] == '\t' || text[j] == '>') && j-i < 8 {
					j++
				}
				if j == i || bytes.IndexByte(text[i:j], '\n') < 0 {
					break
				}
				k := j
				for k < len(text) && base64Byte(text[k]) {
					k++
				}
				if k-j < 4 || k-j > width {
					break
				}
				i, end = k, k
				if k-j < width {
					break
				}
			}
		}
		for i < len(text) && text[i] == '=' && i-end < 6 {
			i++
		}
		d.spend(i - start)
		run := text[start:end]
		switch kinds := codedAs(run); {
		case kinds&codedHex != 0:
			if p, ok := hexRun(run, start); ok {
				hexes = append(hexes, p)
				continue
			}
			fallthrough
		case kinds&coded32 != 0:
			if p, ok := base32Run(run, start, i); ok {
				b32 = append(b32, p)
				continue
			}
			fallthrough
		default:
			if kinds&coded64 != 0 {
				if p, ok := base64Run(run, start, i); ok {
					b64 = append(b64, p)
					continue
				}
			}
			// A run may begin with what does not belong to it: a path, a name.
			if k := bytes.LastIndexAny(run, "/-_"); k >= 0 && len(run)-k > 12 && codedAs(run[k+1:])&coded64 != 0 {
				if p, ok := base64Run(run[k+1:], start+k+1, i); ok {
					b64 = append(b64, p)
				}
			}
		}
	}
	d.emitPatches("base64", b64)
	d.emitPatches("base32", b32)
	d.emitPatches("hex", hexes)
}

// compact drops white space and gives, for each byte kept, where it was.
func compact(run []byte, base int) ([]byte, []int) {
	out := make([]byte, 0, len(run))
	at := make([]int, 0, len(run))
	for i, c := range run {
		if c > ' ' && c != '>' {
			out = append(out, c)
			at = append(at, base+i)
		}
	}
	return out, at
}

// quantum maps decoded byte k of a code with in symbols for out bytes.
func quantum(at []int, end, in, out int) func(int) (int, int) {
	return func(k int) (int, int) {
		q := k / out * in
		from := at[min(q, len(at)-1)]
		if q+in < len(at) {
			return from, at[q+in-1] + 1
		}
		return from, end
	}
}

func base64Run(run []byte, start, end int) (patch, bool) {
	if len(run) < 8 {
		return patch{}, false
	}
	s, at := compact(run, start)
	// Words are runs too: without a capital, digit or sign inside it is a word.
	odd := false
	for i, c := range s {
		odd = odd || c < 'a' && (i > 0 || c < 'A')
	}
	if !odd && len(s) < 24 {
		return patch{}, false
	}
	for i, c := range s {
		switch c {
		case '-':
			s[i] = '+'
		case '_':
			s[i] = '/'
		}
	}
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(s)))
	n, err := base64.RawStdEncoding.Decode(out, s)
	out = out[:n]
	if err != nil {
		return patch{}, false
	}
	if u, ok := utf16le(out); ok {
		whole := func(int) (int, int) { return start, end }
		return patch{start, end, u, whole}, true
	}
	if !readable(out) || len(out) < 9 && !wordy(out) {
		return patch{}, false
	}
	return patch{start, end, out, quantum(at, end, 4, 3)}, true
}

// wordy is what a short decoded run must be: letters, and spaces between them.
func wordy(b []byte) bool {
	for _, c := range b {
		if !isLetter(c) && c != ' ' && c != '.' && c != ',' && c < 0x80 {
			return false
		}
	}
	return utf8.Valid(b)
}

// utf16le reads little-endian UTF-16, as PowerShell encodes its commands.
func utf16le(b []byte) ([]byte, bool) {
	if len(b) < 12 || len(b)%2 != 0 {
		return nil, false
	}
	zero := 0
	for i := 1; i < len(b); i += 2 {
		if b[i] == 0 {
			zero++
		}
	}
	if zero*10 < len(b)/2*9 {
		return nil, false
	}
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	out := []byte(string(utf16.Decode(u)))
	return out, readable(out)
}

func base32Run(run []byte, start, end int) (patch, bool) {
	s, at := compact(run, start)
	if len(s) < 16 {
		return patch{}, false
	}
	for _, c := range s {
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '2' || c > '7') {
			return patch{}, false
		}
	}
	up := []byte(strings.ToUpper(string(s)))
	for len(up)%8 == 1 || len(up)%8 == 3 || len(up)%8 == 6 {
		up = up[:len(up)-1]
	}
	enc := base32.StdEncoding.WithPadding(base32.NoPadding)
	out := make([]byte, enc.DecodedLen(len(up)))
	n, err := enc.Decode(out, up)
	if err != nil || !readable(out[:n]) || n < 8 {
		return patch{}, false
	}
	return patch{start, end, out[:n], quantum(at, end, 8, 5)}, true
}

func hexRun(run []byte, start int) (patch, bool) {
	from := 0
	if len(run) > 2 && run[0] == '0' && run[1]|0x20 == 'x' {
		from = 2
	}
	s, at := compact(run[from:], start+from)
	if len(s) < 12 {
		return patch{}, false
	}
	if len(s)%2 == 1 {
		s = s[:len(s)-1]
	}
	out := make([]byte, 0, len(s)/2)
	for i := 0; i < len(s); i += 2 {
		h, l := hexVal(s[i]), hexVal(s[i+1])
		if h < 0 || l < 0 {
			return patch{}, false
		}
		out = append(out, byte(h<<4|l))
	}
	if !readable(out) {
		return patch{}, false
	}
	end := start + len(run)
	return patch{start, end, out, quantum(at, end, 2, 1)}, true
}

// codes decodes text written as numbers: pairs of hex digits, decimal, octal and
// binary codes, and Morse.
func (d *decoder) codes() {
	text := d.text
	type tok struct{ from, to int }
	var toks []tok
	// value reads a token as one character code in base.
	value := func(t tok, base int) (n int, ok bool) {
		s := text[t.from:t.to]
		if len(s) > 2 && s[0] == '0' && (s[1]|0x20 == 'x' || s[1]|0x20 == 'b' && base == 2) {
			s = s[2:]
		}
		if base == 2 && len(s) != 8 && len(s) != 7 || base == 16 && len(s) != 2 || base == 10 && (len(s) < 2 || len(s) > 7) || base == 8 && len(s) != 3 && len(s) != 2 {
			return 0, false
		}
		for _, c := range s {
			h := hexVal(c)
			if h < 0 || h >= base {
				return 0, false
			}
			n = n*base + h
		}
		return n, n >= 9 && n <= 0x10ffff && (base == 10 || n < 256)
	}
	flush := func() {
		for _, base := range []int{2, 16, 10, 8} {
			for i := 0; i < len(toks); {
				var out []byte
				var at []tok
				first := i
				for ; i < len(toks); i++ {
					n, ok := value(toks[i], base)
					if !ok {
						break
					}
					enc := []byte{byte(n)}
					if base == 10 && n >= 128 {
						enc = utf8.AppendRune(nil, rune(n))
					}
					for range enc {
						at = append(at, toks[i])
					}
					out = append(out, enc...)
				}
				if i-first >= 4 && readable(out) {
					name := map[int]string{2: "binary", 16: "hex", 10: "decimal", 8: "octal"}[base]
					p := patch{toks[first].from, toks[i-1].to, out, func(k int) (int, int) { return at[k].from, at[k].to }}
					d.emitPatches(name, []patch{p})
				}
				if i == first {
					i++
				}
			}
		}
		toks = toks[:0]
	}
	for i := 0; i < len(text); {
		c := text[i]
		if hexVal(c) < 0 { // an x belongs to a token only behind its 0, which the loop below reads with it
			if len(toks) > 0 && (i-toks[len(toks)-1].to > 3 || isLetter(c)) {
				flush()
			}
			i++
			continue
		}
		j := i
		for j < len(text) && (hexVal(text[j]) >= 0 || text[j]|0x20 == 'x' && j == i+1 && text[i] == '0') {
			j++
		}
		d.spend(j - i)
		if j-i > 10 || j < len(text) && isLetter(text[j]) {
			// Binary without spaces: eight by eight.
			if run := text[i:j]; len(run) >= 32 && len(run)%8 == 0 && len(bytes.Trim(run, "01")) == 0 {
				flush()
				for k := i; k < j; k += 8 {
					toks = append(toks, tok{k, k + 8})
				}
				flush()
			} else {
				flush()
			}
			i = j
			continue
		}
		toks = append(toks, tok{i, j})
		i = j
	}
	flush()
	d.morse()
}

var morseLetters = func() map[string]byte {
	m := map[string]byte{}
	for i, s := range strings.Fields(".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..") {
		m[s] = byte('a' + i)
	}
	for i, s := range strings.Fields("----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.") {
		m[s] = byte('0' + i)
	}
	m[".-.-.-"], m["--..--"], m["..--.."], m["-.-.--"], m["-..-."] = '.', ',', '?', '!', '/'
	return m
}()

func (d *decoder) morse() {
	text := d.text
	for i := 0; i < len(text); i++ {
		if text[i] != '.' && text[i] != '-' {
			continue
		}
		start := i
		var out []byte
		var at []int
		letters := 0
		for i < len(text) {
			j := i
			for j < len(text) && (text[j] == '.' || text[j] == '-') && j-i < 7 {
				j++
			}
			c, ok := morseLetters[string(text[i:j])]
			if !ok {
				break
			}
			out, at = append(out, c), append(at, i)
			letters++
			k := j
			for k < len(text) && (text[k] == ' ' || text[k] == '/' || text[k] == '|' || text[k] == '\n') {
				k++
			}
			if k > j+1 {
				out, at = append(out, ' '), append(at, j)
			}
			i = k
			if k == j {
				break
			}
		}
		d.spend(i - start + 1)
		if letters >= 6 {
			end := i
			p := patch{start, end, out, func(k int) (int, int) {
				if k+1 < len(at) {
					return at[k], at[k+1]
				}
				return at[k], end
			}}
			d.emitPatches("morse", []patch{p})
		}
	}
}

// named entities: the ones that spell ASCII, and spaces.
var entities = map[string]rune{
	"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\'', "nbsp": ' ', "ensp": ' ', "emsp": ' ', "thinsp": ' ', "shy": 0x200b, "zwj": 0x200b, "zwnj": 0x200b,
	"period": '.', "comma": ',', "colon": ':', "semi": ';', "excl": '!', "quest": '?', "sol": '/', "bsol": '\\', "lpar": '(', "rpar": ')', "lsqb": '[', "lbrack": '[', "rsqb": ']', "rbrack": ']',
	"lcub": '{', "rcub": '}', "lbrace": '{', "rbrace": '}', "num": '#', "percnt": '%', "equals": '=', "plus": '+', "commat": '@', "lowbar": '_', "hyphen": '-', "dash": '-', "ast": '*', "newline": '\n', "tab": '\t',
	"verbar": '|', "dollar": '$', "lsquo": '\'', "rsquo": '\'', "ldquo": '"', "rdquo": '"', "ndash": '-', "mdash": '-', "hellip": '.',
	"auml": 'a', "ouml": 'o', "uuml": 'u', "szlig": 0xdf, "eacute": 'e', "egrave": 'e', "agrave": 'a', "ecirc": 'e', "ccedil": 'c', "ntilde": 'n', "oacute": 'o', "iacute": 'i', "aacute": 'a', "uacute": 'u', "atilde": 'a', "otilde": 'o',
}

// escapes undoes percent-encoding, entities, \u and \x escapes and
// quoted-printable, all in one pass.
func (d *decoder) escapes() {
	text := d.text
	var patches []patch
	kinds := map[string]bool{}
	var buf []byte // bytes of a run of byte escapes: percent, \x, =
	runFrom, runTo, runKind := 0, 0, ""
	flush := func() {
		if len(buf) > 0 {
			out, from, to, unit := bytes.Clone(buf), runFrom, runTo, (runTo-runFrom)/len(buf)
			patches = append(patches, patch{from, to, out, func(k int) (int, int) { return from + k*unit, min(to, from+(k+1)*unit) }})
			kinds[runKind] = true
			buf = buf[:0]
		}
	}
	octet := func(kind string, b byte, from, to int) {
		if len(buf) > 0 && (runTo != from || runKind != kind) {
			flush()
		}
		if len(buf) == 0 {
			runFrom, runKind = from, kind
		}
		buf = append(buf, b)
		runTo = to
	}
	char := func(kind string, r rune, from, to int) {
		flush()
		patches = append(patches, patch{from: from, to: to, text: utf8.AppendRune(nil, r)})
		kinds[kind] = true
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '%':
			if i+2 < len(text) && hexVal(text[i+1]) >= 0 && hexVal(text[i+2]) >= 0 {
				octet("percent", byte(hexVal(text[i+1])<<4|hexVal(text[i+2])), i, i+3)
				i += 2
			}
		case '=':
			switch {
			case i+2 < len(text) && isQP(text[i+1]) && isQP(text[i+2]):
				octet("quoted-printable", byte(hexVal(text[i+1])<<4|hexVal(text[i+2])), i, i+3)
				i += 2
			case i+1 < len(text) && text[i+1] == '\n':
				flush()
				patches = append(patches, patch{from: i, to: i + 2})
				kinds["quoted-printable"] = true
				i++
			case i+2 < len(text) && text[i+1] == '\r' && text[i+2] == '\n':
				flush()
				patches = append(patches, patch{from: i, to: i + 3})
				kinds["quoted-printable"] = true
				i += 2
			}
		case '&':
			end := bytes.IndexByte(text[i:min(len(text), i+14)], ';')
			if end < 2 {
				// Numeric entities are read without their semicolon too.
				if i+3 < len(text) && text[i+1] == '#' {
					end = 2
					for i+end < len(text) && end < 10 && (hexVal(text[i+end]) >= 0 || text[i+end]|0x20 == 'x') {
						end++
					}
					if r, ok := numeric(text[i+2 : i+end]); ok {
						char("html-entity", r, i, i+end)
						i += end - 1
					}
				}
				continue
			}
			name := text[i+1 : i+end]
			var r rune
			ok := false
			if name[0] == '#' {
				r, ok = numeric(name[1:])
			} else {
				r, ok = entities[strings.ToLower(string(name))]
			}
			if ok {
				char("html-entity", r, i, i+end+1)
				i += end
			}
		case '\\':
			if i+3 >= len(text) {
				continue
			}
			switch n := text[i+1]; {
			case n == 'x' && hexVal(text[i+2]) >= 0 && hexVal(text[i+3]) >= 0:
				octet("escape", byte(hexVal(text[i+2])<<4|hexVal(text[i+3])), i, i+4)
				i += 3
			case n == 'u' && text[i+2] == '{':
				if end := bytes.IndexByte(text[i:min(len(text), i+12)], '}'); end > 3 {
					if r, ok := hexRune(text[i+3 : i+end]); ok {
						char("unicode-escape", r, i, i+end+1)
						i += end
					}
				}
			case n == 'u' && i+5 < len(text):
				r, ok := hexRune(text[i+2 : i+6])
				if !ok {
					continue
				}
				to := i + 6
				if utf16.IsSurrogate(r) && to+6 <= len(text) && text[to] == '\\' && text[to+1] == 'u' {
					if lo, ok := hexRune(text[to+2 : to+6]); ok {
						r = utf16.DecodeRune(r, lo)
						to += 6
					}
				}
				char("unicode-escape", r, i, to)
				i = to - 1
			case n == 'U' && i+9 < len(text):
				if r, ok := hexRune(text[i+2 : i+10]); ok {
					char("unicode-escape", r, i, i+10)
					i += 9
				}
			case n >= '0' && n <= '3' && isOct(text[i+2]) && isOct(text[i+3]):
				octet("escape", (n-'0')<<6|(text[i+2]-'0')<<3|(text[i+3]-'0'), i, i+4)
				i += 3
			}
		}
	}
	flush()
	d.spend(len(text))
	name := ""
	for _, k := range []string{"percent", "quoted-printable", "html-entity", "unicode-escape", "escape"} {
		if kinds[k] {
			if name != "" {
				name += "+"
			}
			name += k
		}
	}
	d.emitPatches(name, patches)
}

func isOct(c byte) bool { return c >= '0' && c <= '7' }

func hexRune(b []byte) (rune, bool) {
	n := 0
	for _, c := range b {
		h := hexVal(c)
		if h < 0 || n > 0x10ffff {
			return 0, false
		}
		n = n<<4 | h
	}
	return rune(n), len(b) > 0 && n <= 0x10ffff
}

func numeric(b []byte) (rune, bool) {
	if len(b) > 1 && b[0]|0x20 == 'x' {
		return hexRune(b[1:])
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' || n > 0x10ffff {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return rune(n), len(b) > 0 && n > 0 && n <= 0x10ffff
}
