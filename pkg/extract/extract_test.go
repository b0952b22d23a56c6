package extract_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stoplog/stoplog/pkg/extract"
	"github.com/stoplog/stoplog/pkg/extract/extracttest"
)

func text(t *testing.T, format string, raw []byte) string {
	t.Helper()
	out, err := extract.Text(format, raw)
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return string(out)
}

// SPEC: RED-3
func TestPDF(t *testing.T) {
	raw := extracttest.PDF(extracttest.Lines("Dear guest,", "write to ana@example.org (soon)"), extracttest.Lines("second page"))
	got := text(t, extract.PDF, raw)
	for _, want := range []string{"Dear guest,\nwrite to ana@example.org (soon)\n", "\f", "second page"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in %q", want, got)
		}
	}
	if extract.Sniff(raw) != extract.PDF {
		t.Error("not told from its first bytes")
	}
	// Words set apart by position; a form drawn twice; a note; a field.
	form := extracttest.File("",
		"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [ << /T (name) /V (Field Value) >> ] >> >>",
		"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> /Contents 5 0 R /Annots [ << /Contents (a note) >> ] >>",
		extracttest.Stream("", []byte("BT /F1 9 Tf [(two)-300(words)20(joined)] TJ ET /X Do /X Do")),
		extracttest.Stream("/Type /XObject /Subtype /Form /Resources << /Font << /F1 3 0 R >> >>", []byte("BT /F1 9 Tf (inside) Tj ET")),
	)
	got = text(t, extract.PDF, form)
	for _, want := range []string{"two wordsjoined", "inside\ninside", "a note", "Field Value"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in %q", want, got)
		}
	}
}

// SPEC: RED-3
func TestDOCX(t *testing.T) {
	raw := extracttest.Zip(map[string]string{
		"word/document.xml": `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Dear </w:t></w:r><w:r><w:t>Ana</w:t><w:tab/><w:t>x</w:t></w:r></w:p>` +
			`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell one</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>two</w:t></w:r></w:p></w:tc></w:tr></w:tbl>` +
			`<w:p><w:r><w:delText>gone</w:delText></w:r></w:p></w:body></w:document>`,
		"word/footer1.xml":   `<w:ftr xmlns:w="w"><w:p><w:r><w:t>page foot</w:t></w:r></w:p></w:ftr>`,
		"word/comments.xml":  `<w:comments xmlns:w="w"><w:comment><w:p><w:r><w:t>a comment</w:t></w:r></w:p></w:comment></w:comments>`,
		"word/settings.xml":  `<x>setting</x>`,
		"docProps/core.xml":  `<x>properties</x>`,
		"word/media/i1.jpeg": "\xff\xd8",
	})
	got := text(t, extract.DOCX, raw)
	for _, want := range []string{"Dear Ana\tx\n", "cell one\ttwo\t\n", "page foot", "a comment"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in %q", want, got)
		}
	}
	for _, not := range []string{"gone", "setting", "properties"} {
		if strings.Contains(got, not) {
			t.Errorf("%q is not text of the document", not)
		}
	}
	if extract.Sniff(raw) != extract.DOCX {
		t.Error("not told from its first bytes")
	}
}

// SPEC: CLS-4
func TestWhatCannotBeRead(t *testing.T) {
	bomb := strings.Repeat(" ", 40<<20)
	packed := extracttest.Deflate([]byte(bomb))
	page := "<< /Type /Page /Parent 2 0 R /Resources << >> /Contents 4 0 R >>"
	file := func(pages string, more ...string) []byte {
		return extracttest.File("", append([]string{"<< /Type /Catalog /Pages 2 0 R >>", pages}, more...)...)
	}
	kids := "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
	deep := strings.Repeat("<w:p>", 400) + "<w:t>x</w:t>" + strings.Repeat("</w:p>", 400)
	ran := 0
	for name, c := range map[string]struct {
		format string
		raw    []byte
		want   error
	}{
		"pdf: empty":               {extract.PDF, nil, extract.ErrMalformed},
		"pdf: head alone":          {extract.PDF, []byte("%PDF-1.4\n"), extract.ErrMalformed},
		"pdf: cut short":           {extract.PDF, extracttest.PDF(extracttest.Lines("a text"))[:300], extract.ErrMalformed},
		"pdf: no text":             {extract.PDF, extracttest.PDF("0 0 m 10 10 l S"), extract.ErrNoText},
		"pdf: glyphs without text": {extract.PDF, extracttest.PDF("BT /F1 9 Tf <010203040506> Tj ET"), extract.ErrNoText},
		"pdf: encrypted":           {extract.PDF, extracttest.File("/Encrypt << /Filter /Standard /V 5 /R 6 /Length 256 >> /ID [(a) (b)]", "<< /Type /Catalog /Pages 2 0 R >>", kids, page, extracttest.Stream("", nil)), extract.ErrEncrypted},
		"pdf: bomb":                {extract.PDF, file(kids, page, extracttest.Stream("/Filter /FlateDecode", packed)), extract.ErrBounds},
		"pdf: bomb in a bomb":      {extract.PDF, file(kids, page, extracttest.Stream("/Filter [/FlateDecode /FlateDecode]", extracttest.Deflate(packed))), extract.ErrBounds},
		"pdf: pages in a ring":     {extract.PDF, file("<< /Type /Pages /Kids [2 0 R] /Count 1 >>"), extract.ErrBounds},
		"pdf: the same page often": {extract.PDF, file("<< /Type /Pages /Kids ["+strings.Repeat("3 0 R ", 3000)+"] /Count 3000 >>", page, extracttest.Stream("", []byte("BT (x) Tj ET"))), extract.ErrBounds},
		"pdf: no pages":            {extract.PDF, file("<< /Type /Pages /Kids [] /Count 7 >>"), extract.ErrMalformed},
		"pdf: a form in itself":    {extract.PDF, file(kids, "<< /Type /Page /Parent 2 0 R /Resources << /XObject << /X 4 0 R >> >> /Contents 4 0 R >>", extracttest.Stream("/Subtype /Form", []byte("/X Do /X Do /X Do /X Do /X Do /X Do /X Do /X Do"))), extract.ErrBounds},
		"docx: no zip":             {extract.DOCX, []byte("PK\x03\x04nothing"), extract.ErrMalformed},
		"docx: no document":        {extract.DOCX, extracttest.Zip(map[string]string{"word/other.xml": "<a/>"}), extract.ErrMalformed},
		"docx: no text":            {extract.DOCX, extracttest.DOCX(""), extract.ErrNoText},
		"docx: bomb":               {extract.DOCX, extracttest.DOCX(bomb), extract.ErrBounds},
		"docx: deep":               {extract.DOCX, extracttest.Zip(map[string]string{"word/document.xml": deep}), extract.ErrBounds},
		"docx: broken":             {extract.DOCX, extracttest.Zip(map[string]string{"word/document.xml": "<w:p><w:t>x</w:t>"}), extract.ErrMalformed},
		"docx: a document type":    {extract.DOCX, extracttest.Zip(map[string]string{"word/document.xml": `<!DOCTYPE a [<!ENTITY b "c">]><w:t>&b;</w:t>`}), extract.ErrMalformed},
		"docx: a password":         {extract.DOCX, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), extract.ErrEncrypted},
	} {
		ran++
		if out, err := extract.Text(c.format, c.raw); !errors.Is(err, c.want) || out != nil {
			t.Errorf("%s: %v, %d bytes; want %v", name, err, len(out), c.want)
		}
	}
	if ran < 20 {
		t.Errorf("ran %d", ran)
	}
}

func attached(name string, raw []byte) string {
	code := base64.StdEncoding.EncodeToString(raw)
	var lines strings.Builder
	for len(code) > 76 {
		lines.WriteString(code[:76] + "\r\n")
		code = code[76:]
	}
	return fmt.Sprintf("--b\r\nContent-Type: application/octet-stream;\r\n name=%q\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment\r\n\r\n%s%s\r\n", name, lines.String(), code)
}

// SPEC: RED-3
func TestMail(t *testing.T) {
	head := "From: a@example.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nhello\r\n"
	mail := head + attached("a.pdf", extracttest.PDF(extracttest.Lines("from the pdf"))) + attached("b.bin", extracttest.DOCX("from the docx", "--b", "still the docx")) +
		attached("scan.pdf", extracttest.PDF("0 0 m S")) + attached("image", []byte("\x89PNG")) + "--b--\r\n"
	got := text(t, extract.Mail, []byte(mail))
	for _, want := range []string{"from the pdf", "from the docx", " --b\nstill", "[attachment left out: no text in it]", "Content-Disposition: attachment\r\n", "iVBORw==", "hello\r\n", "--b--"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "JVBERi") || strings.Contains(got, "a.pdf") {
		t.Error("an attachment stands beside its text")
	}
	if plain := []byte(head + "--b--\r\n"); !bytes.Equal([]byte(text(t, extract.Mail, plain)), plain) {
		t.Error("a mail without attachments changed")
	}
}

func FuzzText(f *testing.F) {
	f.Add("pdf", extracttest.PDF(extracttest.Lines("a")))
	f.Add("docx", extracttest.DOCX("a"))
	f.Add("mail", []byte("A: b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"+attached("a", extracttest.DOCX("a"))+"--b--"))
	f.Fuzz(func(t *testing.T, format string, raw []byte) {
		out, err := extract.Text(format, raw)
		if err == nil && (format == "pdf" || format == "docx") && len(bytes.TrimSpace(out)) == 0 {
			t.Error("an empty text without an error")
		}
	})
}
