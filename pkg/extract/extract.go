// Package extract makes text of documents that are none: PDF, DOCX, and mails with such
// attachments. What it gives is what is classified, scanned and cleared; the raw bytes
// stay in the vault. It is pure: bytes in, text out.
//
// A document is an attack until it is read: every step has a budget, counted in bytes and
// in operations and never in time, so that the same bytes always meet the same end. What
// exceeds a budget, is encrypted, or holds no text is an error and never an empty text:
// an empty text would be clean.
package extract

import (
	"archive/zip"
	"bytes"
	"errors"
	"unicode/utf8"
)

var (
	// ErrMalformed means that the bytes are not what their format says.
	ErrMalformed = errors.New("extract: the document is malformed")
	// ErrBounds means that reading the document would take more than is allowed.
	ErrBounds = errors.New("extract: the document exceeds the bounds on size, parts or work")
	// ErrEncrypted means that the document cannot be read without a password. Documents
	// that only forbid printing or copying count too.
	ErrEncrypted = errors.New("extract: the document is encrypted")
	// ErrNoText means that the document holds no text: a scan, a drawing.
	ErrNoText = errors.New("extract: the document holds no text")
)

// Bounds on one document.
const (
	maxInflated = 32 << 20 // bytes of all parts together, unpacked
	maxText     = 4 << 20  // bytes of text
	maxPages    = 2000     // of a PDF
	maxOps      = 4 << 20  // drawing operations of a PDF, tokens of a DOCX
	maxParts    = 4096     // entries of a DOCX
	maxNesting  = 200      // elements of a DOCX within each other
)

// Formats that [Text] reads.
const (
	PDF  = "pdf"
	DOCX = "docx"
	Mail = "mail"
)

// Sniff tells a PDF and a DOCX by their first bytes; anything else is empty.
func Sniff(raw []byte) string {
	switch {
	case bytes.HasPrefix(raw, []byte("%PDF-")):
		return PDF
	case bytes.HasPrefix(raw, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) && bytes.Contains(raw, []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e")):
		return DOCX // one with a password
	case bytes.HasPrefix(raw, []byte("PK\x03\x04")):
		if z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw))); err == nil {
			for _, f := range z.File {
				if f.Name == docxMain {
					return DOCX
				}
			}
		}
	}
	return ""
}

// Text gives a document's text in UTF-8. Errors are [ErrMalformed], [ErrBounds],
// [ErrEncrypted] and [ErrNoText]; of a mail, none: an attachment that cannot be read gives
// way to a line that says why. Formats other than those of this package are given back as
// they are.
func Text(format string, raw []byte) (text []byte, err error) {
	defer func() {
		if recover() != nil { // what it says may quote the document
			text, err = nil, ErrMalformed
		}
	}()
	switch format {
	case PDF:
		text, err = pdfText(raw)
	case DOCX:
		text, err = docxText(raw)
	case Mail:
		return mailText(raw), nil
	default:
		return raw, nil
	}
	if err != nil {
		return nil, err
	}
	text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	if !readable(text) {
		return nil, ErrNoText
	}
	return text, nil
}

// readable reports whether there is a text and not only the remains of one: fonts
// without a map to characters leave control characters and gaps.
func readable(text []byte) bool {
	good, bad := 0, 0
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == ' ' || r == 0xA0 || r == '\f':
		case r == utf8.RuneError, r < ' ', r >= 0x7f && r < 0xA0, r >= 0xE000 && r <= 0xF8FF:
			bad++
		default:
			good++
		}
	}
	return good > 0 && bad <= good/4
}
