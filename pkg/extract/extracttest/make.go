// Package extracttest makes small documents for tests.
package extracttest

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"fmt"
	"strings"
)

// PDF is a document with one page for each content stream, drawn with Helvetica as F1;
// compressed.
func PDF(contents ...string) []byte {
	var objects []string
	kids := ""
	for i, c := range contents {
		page, stream := 4+2*i, 5+2*i
		kids += fmt.Sprintf("%d 0 R ", page)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", stream),
			Stream("/Filter /FlateDecode", Deflate([]byte(c))))
	}
	return File("", append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(contents)),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
	}, objects...)...)
}

// Lines is a content stream that shows lines of ASCII text.
func Lines(lines ...string) string {
	var b strings.Builder
	b.WriteString("BT /F1 12 Tf 72 720 Td\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "(%s) Tj 0 -14 Td\n", strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(l))
	}
	return b.String() + "ET"
}

// Stream is a stream object with entries of its dictionary.
func Stream(entries string, data []byte) string {
	return fmt.Sprintf("<< /Length %d %s >>\nstream\n%s\nendstream", len(data), entries, data)
}

// Deflate compresses as FlateDecode expects it.
func Deflate(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write(data) // to memory: neither fails
	_ = w.Close()
	return b.Bytes()
}

// File is a PDF of objects, numbered from 1; the first is the catalogue.
func File(trailer string, objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, xref)
	return b.Bytes()
}

// DOCX is a document of paragraphs.
func DOCX(paragraphs ...string) []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`)
	for _, p := range paragraphs {
		b.WriteString("<w:p><w:r><w:t>")
		_ = xml.EscapeText(&b, []byte(p))
		b.WriteString("</w:t></w:r></w:p>")
	}
	b.WriteString("</w:body></w:document>")
	return Zip(map[string]string{"[Content_Types].xml": "<Types/>", "word/document.xml": b.String()})
}

// Zip packs files.
func Zip(files map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			panic(err) // to memory
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}
