package extract

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"sort"
	"strings"
)

const docxMain = "word/document.xml"

// docxText reads the parts of a word-processor document (ECMA-376) that hold text: the
// document, then headers, footers, notes and comments, by name.
func docxText(raw []byte) ([]byte, error) {
	if bytes.HasPrefix(raw, []byte("\xd0\xcf\x11\xe0")) {
		return nil, ErrEncrypted // a container of the older kind: that is how passwords come
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, ErrMalformed
	}
	if len(z.File) > maxParts {
		return nil, ErrBounds
	}
	var parts []*zip.File
	seen := map[string]bool{}
	for _, f := range z.File {
		if f.Flags&1 != 0 {
			return nil, ErrEncrypted
		}
		name := strings.ToLower(f.Name)
		if seen[name] {
			return nil, ErrMalformed // two readers could take different ones
		}
		seen[name] = true
		if textPart(f.Name) {
			parts = append(parts, f)
		}
	}
	if !seen[docxMain] {
		return nil, ErrMalformed
	}
	sort.Slice(parts, func(i, j int) bool {
		if a, b := parts[i].Name == docxMain, parts[j].Name == docxMain; a != b {
			return a
		}
		return parts[i].Name < parts[j].Name
	})
	d := &docx{left: maxInflated, tokens: maxOps}
	for _, f := range parts {
		if err := d.part(f); err != nil {
			return nil, err
		}
	}
	return d.text, nil
}

func textPart(name string) bool {
	rest, ok := strings.CutPrefix(name, "word/")
	if !ok || !strings.HasSuffix(rest, ".xml") {
		return false
	}
	for _, p := range []string{"document", "header", "footer", "footnotes", "endnotes", "comments"} {
		if n, ok := strings.CutPrefix(strings.TrimSuffix(rest, ".xml"), p); ok && strings.Trim(n, "0123456789") == "" {
			return true
		}
	}
	return false
}

type docx struct {
	text   []byte
	left   int64
	tokens int
}

func (d *docx) part(f *zip.File) error {
	r, err := f.Open()
	if err != nil {
		return ErrMalformed
	}
	defer func() { _ = r.Close() }()
	limited := &io.LimitedReader{R: r, N: d.left + 1}
	x := xml.NewDecoder(limited)
	x.Strict = true
	depth, inText := 0, 0
	for {
		t, err := x.RawToken()
		if d.left < limited.N-1 || limited.N <= 0 {
			return ErrBounds
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return ErrMalformed
		}
		if d.tokens--; d.tokens <= 0 || depth > maxNesting || len(d.text) > maxText {
			return ErrBounds
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
			switch t.Name.Local {
			case "t", "instrText": // instrText: a field's code, where links and merge data stand
				inText++
			case "tab":
				d.text = append(d.text, '\t')
			case "br", "cr":
				d.text = append(d.text, '\n')
			case "noBreakHyphen":
				d.text = append(d.text, '-')
			}
		case xml.EndElement:
			if depth--; depth < 0 {
				return ErrMalformed
			}
			switch t.Name.Local {
			case "t":
				inText--
			case "instrText":
				inText--
				d.text = append(d.text, ' ')
			case "p":
				d.text = append(d.text, '\n')
			case "tc":
				if n := len(d.text); n > 0 && d.text[n-1] == '\n' { // cells of a row stand beside each other
					d.text[n-1] = '\t'
				}
			case "tr":
				d.text = append(d.text, '\n')
			}
		case xml.CharData:
			if inText > 0 {
				d.text = append(d.text, t...)
			}
		case xml.Directive:
			return ErrMalformed // a document type: no writer makes one
		}
	}
	if depth != 0 {
		return ErrMalformed
	}
	d.left = limited.N - 1
	return nil
}
