package extract

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
)

// mailText gives a message in which attachments that are PDF or DOCX are parts of plain
// text. Everything else stays as it is, byte for byte. What an attachment is, its bytes
// say: media types and file names are the sender's.
func mailText(raw []byte) []byte {
	var out []byte
	if !mailPart(raw, 0, &out) {
		return raw
	}
	return out
}

// mailPart appends a part and reports whether anything in it was replaced.
func mailPart(part []byte, depth int, out *[]byte) (changed bool) {
	head, body, boundary, media, encoding := mailHead(part)
	if depth <= 16 && strings.HasPrefix(media, "multipart/") && boundary != "" {
		mark := []byte("--" + boundary)
		i := bytes.Index(body, mark)
		if i < 0 {
			*out = append(*out, part...)
			return false
		}
		*out = append(*out, head...)
		*out = append(*out, body[:i]...)
		body = body[i:]
		for len(body) > 0 { // body begins with the mark
			line := len(body)
			if k := bytes.IndexByte(body, '\n'); k >= 0 {
				line = k + 1
			}
			if bytes.HasPrefix(body[len(mark):], []byte("--")) {
				break
			}
			end := len(body)
			if k := bytes.Index(body[line:], mark); k >= 0 {
				end = line + k
			}
			*out = append(*out, body[:line]...)
			changed = mailPart(body[line:end], depth+1, out) || changed
			body = body[end:]
		}
		*out = append(*out, body...)
		return changed
	}
	if depth <= 16 && media == "message/rfc822" && encoding != "base64" {
		*out = append(*out, head...)
		return mailPart(body, depth+1, out)
	}
	if encoding == "base64" {
		if text, ok := attachment(body); ok {
			*out = append(*out, plainHead(head)...)
			for line := range bytes.Lines(text) {
				if bytes.HasPrefix(line, []byte("--")) {
					*out = append(*out, ' ') // no line of it can be a boundary
				}
				*out = append(*out, line...)
			}
			*out = append(*out, "\r\n"...)
			return true
		}
	}
	*out = append(*out, part...)
	return false
}

// attachment reads what a base64 body holds; ok is false where it is of no format of
// this package.
func attachment(body []byte) (text []byte, ok bool) {
	packed := bytes.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, body)
	raw, err := base64.StdEncoding.DecodeString(string(packed))
	if err != nil {
		raw, err = base64.RawStdEncoding.DecodeString(string(packed))
	}
	if err != nil {
		return nil, false
	}
	format := Sniff(raw)
	if format == "" {
		return nil, false
	}
	text, err = Text(format, raw)
	switch {
	case errors.Is(err, ErrEncrypted):
		return []byte("[attachment left out: encrypted]"), true
	case errors.Is(err, ErrNoText):
		return []byte("[attachment left out: no text in it]"), true
	case errors.Is(err, ErrBounds):
		return []byte("[attachment left out: too large]"), true
	case err != nil:
		return []byte("[attachment left out: malformed]"), true
	}
	return text, true
}

// mailHead splits a part at its first empty line and reads what decides about its body.
func mailHead(part []byte) (head, body []byte, boundary, media, encoding string) {
	at := 0
	for at < len(part) {
		next := len(part)
		if i := bytes.IndexByte(part[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		if len(bytes.TrimRight(part[at:next], "\r\n")) == 0 {
			at = next
			break
		}
		for next < len(part) && (part[next] == ' ' || part[next] == '\t') { // folded
			i := bytes.IndexByte(part[next:], '\n')
			if i < 0 {
				next = len(part)
				break
			}
			next += i + 1
		}
		name, value, ok := strings.Cut(string(part[at:next]), ":")
		if !ok {
			break // no header: the body begins
		}
		value = strings.Join(strings.Fields(value), " ")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "content-type":
			media = strings.ToLower(strings.TrimSpace(strings.SplitN(value, ";", 2)[0]))
			if i := strings.Index(strings.ToLower(value), "boundary="); i >= 0 {
				boundary = strings.Trim(strings.SplitN(value[i+9:], ";", 2)[0], "\" ")
			}
		case "content-transfer-encoding":
			encoding = strings.ToLower(value)
		}
		at = next
	}
	return part[:at], part[at:], boundary, media, encoding
}

// plainHead gives a part's headers with those of a plain text.
func plainHead(head []byte) []byte {
	out := []byte("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n")
	skip := false
	for line := range bytes.Lines(head) {
		if line[0] != ' ' && line[0] != '\t' {
			name, _, _ := bytes.Cut(line, []byte(":"))
			switch strings.ToLower(string(bytes.TrimSpace(name))) {
			case "content-type", "content-transfer-encoding":
				skip = true
			default:
				skip = false
			}
		}
		if !skip {
			out = append(out, line...)
		}
	}
	return out
}
