package door

import (
	"errors"
	"mime"
	"strings"

	"github.com/stoplog/stoplog/internal/strictjson"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/extract"
)

// mediaTypes gives the one media type under which a format is recorded and
// classified. What a sender writes into Content-Type goes no further than [formatOf]:
// records hold these names and no others.
var mediaTypes = map[string]string{
	"json":     "application/json",
	"text":     "text/plain",
	"form":     "application/x-www-form-urlencoded",
	"csv":      "text/csv",
	"html":     "text/html",
	"markdown": "text/markdown",
	"mail":     "message/rfc822",
	"pdf":      "application/pdf",
	"docx":     "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}

// formatOf decides how a body is read: by the source's format, or by the media type
// where the source names none. A media type that contradicts the source's format is
// refused, for one of the two sides is wrong about what is in it.
func formatOf(s *classify.Source, mediaType string) (string, error) {
	sent, err := parseMediaType(mediaType)
	switch {
	case err != nil:
		return "", err
	case s.Format == "" && sent == "":
		return "", ErrMediaType
	case s.Format == "":
		return sent, nil
	case sent == "" || sent == s.Format:
		return s.Format, nil
	case freeText[sent] && freeText[s.Format], sent == "text" && s.Format == "mail":
		return s.Format, nil // all of it is read as text; the source says what it is
	}
	return "", ErrMediaType
}

// freeText are the formats that are read as they stand. JSON, forms and mail are not:
// their escapes would hide from the recognisers what the text says.
var freeText = map[string]bool{"text": true, "markdown": true, "html": true, "csv": true}

// parseMediaType gives the format a media type stands for; empty where it says
// nothing (none, or application/octet-stream).
func parseMediaType(v string) (string, error) {
	if strings.TrimSpace(v) == "" {
		return "", nil
	}
	t, params, err := mime.ParseMediaType(v)
	if err != nil {
		return "", ErrMediaType
	}
	switch strings.ToLower(params["charset"]) {
	case "", "utf-8", "utf8", "us-ascii":
	default:
		return "", ErrEncoding
	}
	switch t {
	case "application/octet-stream":
		return "", nil
	case "application/json", "text/json":
		return "json", nil
	case "application/x-www-form-urlencoded":
		return "form", nil
	case "text/csv":
		return "csv", nil
	case "text/html", "application/xhtml+xml":
		return "html", nil
	case "text/markdown", "text/x-markdown":
		return "markdown", nil
	case "message/rfc822":
		return "mail", nil
	case "text/plain":
		return "text", nil
	case mediaTypes["pdf"]:
		return "pdf", nil
	case mediaTypes["docx"]:
		return "docx", nil
	}
	if strings.HasSuffix(t, "+json") {
		return "json", nil
	}
	return "", ErrMediaType
}

// parse reads a body strictly where its format can be wrong. Text of any kind is
// taken as it is, bytes that are not UTF-8 included: the detector sees them too.
func parse(format string, body []byte) error {
	switch format {
	case "json":
		return strictjson.Check(body, strictjson.Limits{})
	case "form":
		return checkForm(body)
	}
	return nil
}

// text gives what is classified, scanned and cleared: the body itself, or what a PDF, a
// DOCX or the attachments of a mail say. The raw bytes stay in the vault.
func text(format string, body []byte) ([]byte, error) {
	out, err := extract.Text(format, body)
	switch {
	case errors.Is(err, extract.ErrEncrypted):
		return nil, ErrEncrypted
	case errors.Is(err, extract.ErrNoText):
		return nil, ErrNoText
	case errors.Is(err, extract.ErrBounds):
		return nil, ErrComplex
	case err != nil:
		return nil, ErrMalformed
	}
	return out, nil
}

// Reread gives the text that was scanned of a body when it came in, for who reads it back
// from the vault later: mediaType is the one that its accepted record has. A body that was accepted
// gives none of its errors; one means that bytes or record are not what the door stored.
func Reread(mediaType string, body []byte) ([]byte, error) {
	for format, name := range mediaTypes {
		if name == mediaType {
			return text(format, body)
		}
	}
	return nil, ErrMediaType
}

// checkForm refuses a form that readers take differently: bad escapes, and a
// semicolon, which some read as a separator.
func checkForm(body []byte) error {
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '%':
			if i+2 >= len(body) || !isHex(body[i+1]) || !isHex(body[i+2]) {
				return ErrMalformed
			}
			i += 2
		case c == ';' || c <= ' ' || c >= 0x7f:
			return ErrMalformed
		}
	}
	return nil
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
