package classify

import (
	"bytes"
	"encoding/base64"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Structured text that is not JSON. Every format gives leaves: values with a place in
// the raw bytes, an offset map where the value is encoded, and the form a stub needs
// there.

// walkForm takes application/x-www-form-urlencoded: names are paths of one key.
func walkForm(in []byte, t *fieldTrie) ([]leaf, error) {
	var out []leaf
	for at := 0; at <= len(in); {
		end := len(in)
		if i := bytes.IndexByte(in[at:], '&'); i >= 0 {
			end = at + i
		}
		if end > at {
			if len(out) >= maxLeaves {
				return nil, ErrBounds
			}
			key, value := end, end
			if i := bytes.IndexByte(in[at:end], '='); i >= 0 {
				key, value = at+i, at+i+1
			}
			name, err := url.QueryUnescape(string(in[at:key]))
			if err != nil {
				return nil, ErrMalformed
			}
			k := leaf{kind: leafKey, start: at, end: key, encode: url.QueryEscape}
			var ok bool
			if k.text, k.off, ok = percentDecode(in, at, key); !ok {
				return nil, ErrMalformed
			}
			out = append(out, k)
			l := leaf{start: value, end: end, path: &pathNode{key: name}, matched: t.key(t.root(), name), key: []byte(name), encode: url.QueryEscape}
			if l.text, l.off, ok = percentDecode(in, value, end); !ok {
				return nil, ErrMalformed
			}
			out = append(out, l)
		}
		at = end + 1
	}
	return out, nil
}

func percentDecode(in []byte, from, to int) (text []byte, off []int32, ok bool) {
	raw := in[from:to]
	if bytes.IndexByte(raw, '%') < 0 && bytes.IndexByte(raw, '+') < 0 {
		return raw[:len(raw):len(raw)], nil, true
	}
	for i := from; i < to; i++ {
		c := in[i]
		off = append(off, int32(i))
		switch c {
		case '+':
			c = ' '
		case '%':
			if i+2 >= to || !isHex(in[i+1]) || !isHex(in[i+2]) {
				return nil, nil, false
			}
			c = unhex(in[i+1])<<4 | unhex(in[i+2])
			i += 2
		}
		text = append(text, c)
	}
	return text, append(off, int32(to)), true
}

func unhex(c byte) byte {
	if is(c, cDigit) {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// walkCSV takes RFC 4180 with a header row: the header's names are paths.
func walkCSV(in []byte, t *fieldTrie) ([]leaf, error) {
	var header []string
	var out []leaf
	sep := byte(',')
	if i := bytes.IndexByte(in, '\n'); i >= 0 || len(in) > 0 {
		first := in
		if i >= 0 {
			first = in[:i]
		}
		for _, c := range []byte{';', '\t'} {
			if bytes.Count(first, []byte{c}) > bytes.Count(first, []byte{sep}) {
				sep = c
			}
		}
	}
	row, col := 0, 0
	for at := 0; at < len(in); {
		l := leaf{start: at}
		if in[at] == '"' {
			at++
			l.start = at
			escaped := false
			for {
				i := bytes.IndexByte(in[at:], '"')
				if i < 0 {
					return nil, ErrMalformed
				}
				at += i
				if at+1 < len(in) && in[at+1] == '"' {
					escaped = true
					at += 2
					continue
				}
				break
			}
			l.end = at
			l.text = in[l.start:l.end]
			if escaped {
				l.text = nil
				for i := l.start; i < l.end; i++ {
					l.text, l.off = append(l.text, in[i]), append(l.off, int32(i))
					if in[i] == '"' {
						i++
					}
				}
				l.off = append(l.off, int32(l.end))
			}
			at++
			if at < len(in) && in[at] != sep && in[at] != '\n' && in[at] != '\r' {
				return nil, ErrMalformed
			}
		} else {
			for at < len(in) && in[at] != sep && in[at] != '\n' && in[at] != '\r' {
				at++
			}
			l.end = at
			l.text = in[l.start:l.end]
		}
		if row == 0 {
			header = append(header, string(bytes.TrimSpace(bytes.TrimPrefix(l.text, []byte("\ufeff")))))
			l.kind = leafKey
		} else {
			name := ""
			if col < len(header) {
				name = header[col]
			}
			l.path, l.key = &pathNode{key: name}, []byte(name)
			l.matched = t.key(t.root(), name)
		}
		if len(out) >= maxLeaves {
			return nil, ErrBounds
		}
		out = append(out, l)
		if at < len(in) && in[at] == sep {
			at++
			col++
			continue
		}
		for at < len(in) && (in[at] == '\r' || in[at] == '\n') {
			at++
		}
		row, col = row+1, 0
	}
	return out, nil
}

// textLeaves is free text as one leaf.
func textLeaves(in []byte) []leaf { return []leaf{{end: len(in), text: in}} }

// htmlLeaf is a page as one text: tags become blanks, entities are decoded, so that a
// name split by markup or written in entities is seen. Attribute values stay in the
// text, for addresses stand in href and alt.
func htmlLeaf(in []byte) []leaf {
	if bytes.IndexByte(in, '&') < 0 && bytes.IndexByte(in, '<') < 0 {
		return textLeaves(in)
	}
	l := leaf{end: len(in)}
	l.text = make([]byte, 0, len(in))
	l.off = make([]int32, 0, len(in)+1)
	for i := 0; i < len(in); {
		if in[i] == '&' {
			if end := bytes.IndexByte(in[i:min(len(in), i+34)], ';'); end > 1 {
				ent := string(in[i : i+end+1])
				if dec := html.UnescapeString(ent); dec != ent {
					for k := 0; k < len(dec); k++ {
						l.text, l.off = append(l.text, dec[k]), append(l.off, int32(i))
					}
					i += end + 1
					continue
				}
			}
		}
		if in[i] == '<' && i+1 < len(in) && (is(in[i+1], cAlpha) || in[i+1] == '/') {
			// Inline markup vanishes, other markup separates.
			end := bytes.IndexByte(in[i:min(len(in), i+4096)], '>')
			if end > 0 && inline(in[i:i+end]) {
				i += end + 1
				continue
			}
		}
		l.text, l.off = append(l.text, in[i]), append(l.off, int32(i))
		i++
	}
	l.off = append(l.off, int32(len(in)))
	return []leaf{l}
}

// inline reports whether a tag without attributes stands inside words: <b>, </i>, <wbr>.
func inline(tag []byte) bool {
	name := strings.ToLower(strings.Trim(string(tag), "</ "))
	return slices.Contains([]string{"b", "i", "u", "s", "em", "strong", "span", "font", "wbr", "mark", "small", "big", "sub", "sup", "tt", "code", "a"}, name)
}

// walkMail takes a message (RFC 5322, MIME): headers are fields by their lower-case
// names, bodies are free text under the path body, decoded from quoted-printable and
// base64. A hit inside base64 replaces the whole part: one cannot cut a word out of it.
func walkMail(in []byte, t *fieldTrie) ([]leaf, error) {
	var out []leaf
	err := mailPart(in, 0, len(in), t, 0, &out)
	return out, err
}

func mailPart(in []byte, from, to int, t *fieldTrie, depth int, out *[]leaf) error {
	if depth > 16 {
		return ErrBounds
	}
	at, first := from, len(*out)
	media, encoding, boundary, charset := "text/plain", "", "", ""
	for at < to {
		eol := to
		next := to
		if i := bytes.IndexByte(in[at:to], '\n'); i >= 0 {
			eol, next = at+i, at+i+1
		}
		line := bytes.TrimSuffix(in[at:eol], []byte("\r"))
		if len(line) == 0 {
			at = next
			break
		}
		for next < to && (in[next] == ' ' || in[next] == '\t') { // folded
			i := bytes.IndexByte(in[next:to], '\n')
			if i < 0 {
				eol, next = to, to
				break
			}
			eol, next = next+i, next+i+1
		}
		colon := bytes.IndexByte(in[at:eol], ':')
		if colon <= 0 {
			if depth == 0 && at == from {
				return ErrMalformed
			}
			break // no header: the body begins
		}
		name := strings.ToLower(string(bytes.TrimSpace(in[at : at+colon])))
		v := at + colon + 1
		for v < eol && (in[v] == ' ' || in[v] == '\t') {
			v++
		}
		end := eol
		for end > v && (in[end-1] == '\r' || in[end-1] == ' ') {
			end--
		}
		value := string(bytes.Join(bytes.Fields(in[v:end]), []byte(" ")))
		switch name {
		case "content-type":
			media = strings.ToLower(strings.TrimSpace(strings.SplitN(value, ";", 2)[0]))
			charset = charsetOf(value)
			if i := strings.Index(strings.ToLower(value), "boundary="); i >= 0 {
				boundary = strings.Trim(strings.SplitN(value[i+9:], ";", 2)[0], "\" ")
			}
		case "content-transfer-encoding":
			encoding = strings.ToLower(value)
		}
		l := leaf{free: true, start: v, end: end, path: &pathNode{key: name}, matched: t.key(t.root(), name), key: []byte(name)}
		l.text, l.off = encodedWords(in, v, end)
		if len(*out) >= maxLeaves {
			return ErrBounds
		}
		*out = append(*out, l)
		at = next
	}
	for i := first; i < len(*out); i++ { // headers with bytes of the body's character set
		if l := &(*out)[i]; l.off == nil && !utf8.Valid(l.text) {
			if text, off, whole := raw8(charset, in, l.start, l.end); !whole {
				l.text, l.off = text, off
			}
		}
	}
	if strings.HasPrefix(media, "multipart/") && boundary != "" && at < to {
		mark := []byte("--" + boundary)
		i := bytes.Index(in[at:to], mark)
		for i >= 0 {
			start := at + i + len(mark)
			if bytes.HasPrefix(in[start:to], []byte("--")) {
				return nil
			}
			if k := bytes.IndexByte(in[start:to], '\n'); k >= 0 {
				start += k + 1
			}
			end := to
			if k := bytes.Index(in[start:to], mark); k >= 0 {
				end = start + k
				i = end - at
			} else {
				i = -1
			}
			if err := mailPart(in, start, end, t, depth+1, out); err != nil {
				return err
			}
		}
		return nil
	}
	if media == "message/rfc822" {
		return mailPart(in, at, to, t, depth+1, out)
	}
	if !strings.HasPrefix(media, "text/") && depth > 0 && encoding == "base64" {
		// An attachment: nobody reads it here, so it takes the source's ceiling whole.
		end := to
		for end > at && (in[end-1] == '\n' || in[end-1] == '\r') {
			end--
		}
		*out = append(*out, leaf{start: at, end: end, text: in[at:end], path: &pathNode{key: "attachment"}, matched: t.key(t.root(), "attachment")})
		return nil
	}
	l := leaf{free: true, start: at, end: to, path: &pathNode{key: "body"}, matched: t.key(t.root(), "body")}
	l.text = in[at:to]
	switch encoding {
	case "quoted-printable":
		l.text, l.off = quotedPrintable(in, at, to)
		l.text, l.off = recoded(charset, l.text, l.off)
	case "base64":
		for l.end > at && (in[l.end-1] == '\n' || in[l.end-1] == '\r') {
			l.end-- // the line end belongs to the boundary
		}
		compact := bytes.Map(func(r rune) rune {
			if r == '\r' || r == '\n' || r == ' ' {
				return -1
			}
			return r
		}, in[at:to])
		if plain, err := base64.StdEncoding.DecodeString(string(compact)); err == nil {
			l.text, l.opaque = plain, true
			l.off = make([]int32, len(plain)+1)
			for i := range l.off {
				l.off[i] = int32(at)
			}
			l.off[len(plain)] = int32(l.end)
			l.text, l.off = recoded(charset, l.text, l.off)
			l.encode = func(stub string) string { return base64.StdEncoding.EncodeToString(inCharset(charset, stub)) }
		}
	default:
		l.text, l.off, l.opaque = raw8(charset, in, at, to)
		if l.off != nil {
			l.encode = func(stub string) string { return string(inCharset(charset, stub)) }
		}
	}
	if media == "text/html" {
		if h := htmlLeaf(l.text)[0]; h.off != nil {
			for i := range h.off {
				if l.off == nil {
					h.off[i] += int32(at)
				} else {
					h.off[i] = l.off[h.off[i]]
				}
			}
			l.text, l.off = h.text, h.off
		}
	}
	*out = append(*out, l)
	return nil
}

func quotedPrintable(in []byte, from, to int) (text []byte, off []int32) {
	for i := from; i < to; i++ {
		if in[i] == '=' {
			if i+1 < to && in[i+1] == '\n' {
				i++
				continue
			}
			if i+2 < to && in[i+1] == '\r' && in[i+2] == '\n' {
				i += 2
				continue
			}
			if i+2 < to && isHex(in[i+1]) && isHex(in[i+2]) {
				text, off = append(text, unhex(in[i+1])<<4|unhex(in[i+2])), append(off, int32(i))
				i += 2
				continue
			}
		}
		text, off = append(text, in[i]), append(off, int32(i))
	}
	return text, append(off, int32(to))
}

// encodedWords decodes RFC 2047 words of a header value.
func encodedWords(in []byte, from, to int) ([]byte, []int32) {
	raw := in[from:to]
	if !bytes.Contains(raw, []byte("=?")) {
		return raw, nil
	}
	var text []byte
	var off []int32
	for i := from; i < to; {
		if bytes.HasPrefix(in[i:to], []byte("=?")) {
			parts := bytes.SplitN(in[i+2:to], []byte("?"), 4)
			if len(parts) == 4 && bytes.HasPrefix(parts[3], []byte("=")) && len(parts[1]) == 1 {
				end := i + 2 + len(parts[0]) + 1 + 1 + 1 + len(parts[2]) + 2
				var plain []byte
				switch parts[1][0] | 0x20 {
				case 'b':
					plain, _ = base64.StdEncoding.DecodeString(string(parts[2]))
				case 'q':
					plain, _ = quotedPrintable(bytes.ReplaceAll(parts[2], []byte("_"), []byte(" ")), 0, len(parts[2]))
				}
				plain, _ = recoded(string(parts[0]), plain, make([]int32, len(plain)+1))
				if plain != nil && utf8.Valid(plain) {
					for _, c := range plain {
						text, off = append(text, c), append(off, int32(i))
					}
					i = end
					// White space between two encoded words is no text (RFC 2047, section 6.2).
					if gap := len(in[i:to]) - len(bytes.TrimLeft(in[i:to], " \t\r\n")); gap > 0 && bytes.HasPrefix(in[i+gap:to], []byte("=?")) {
						i += gap
					}
					continue
				}
			}
		}
		text, off = append(text, in[i]), append(off, int32(i))
		i++
	}
	return text, append(off, int32(to))
}
