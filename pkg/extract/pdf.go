package extract

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"errors"
	"io"

	"github.com/ledongthuc/pdf"
)

// errBudget is what a budget that is used up is reported with, out of the library.
var errBudget = errors.New("budget")

// pdfText reads the pages in order. The library panics on what is malformed, unpacks
// without a limit and follows references without one; so what its streams unpack to is
// counted first, and the bytes it reads and the operations it reports have budgets.
func pdfText(raw []byte) (text []byte, err error) {
	if !bytes.HasPrefix(raw, []byte("%PDF-")) {
		return nil, ErrMalformed
	}
	if !streamsFit(raw) {
		return nil, ErrBounds
	}
	src := &budgetReader{r: bytes.NewReader(raw), left: int64(len(raw))*64 + maxInflated}
	p := &pdfPages{ops: maxOps, packed: int64(len(raw))*16 + 1<<20, pages: maxPages}
	defer func() {
		_ = recover() // the library panics where a file is broken
		switch {
		case src.left <= 0 || p.ops <= 0 || p.packed <= 0 || p.pages < 0 || len(p.text) > maxText:
			text, err = nil, ErrBounds
		case text == nil && err == nil:
			err = ErrMalformed
		}
	}()
	r, rerr := pdf.NewReader(src, int64(len(raw)))
	switch {
	case errors.Is(rerr, pdf.ErrInvalidPassword):
		return nil, ErrEncrypted
	case rerr != nil && bytes.Contains(raw, []byte("/Encrypt")):
		return nil, ErrEncrypted // a scheme that the library does not know
	case rerr != nil:
		return nil, ErrMalformed
	case !r.Trailer().Key("Encrypt").IsNull():
		return nil, ErrEncrypted
	}
	p.tree(r.Trailer().Key("Root").Key("Pages"), 0)
	if p.pages == maxPages {
		return nil, ErrMalformed
	}
	p.form(r.Trailer().Key("Root").Key("AcroForm").Key("Fields"), 0)
	if p.text == nil {
		p.text = []byte{}
	}
	return p.text, nil
}

// budgetReader counts what is read.
type budgetReader struct {
	r    io.ReaderAt
	left int64
}

func (b *budgetReader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, io.EOF
	}
	n, err := b.r.ReadAt(p, off)
	if b.left -= int64(n) + 64; b.left <= 0 {
		panic(errBudget)
	}
	return n, err
}

// streamsFit unpacks every stream without keeping it, and reports whether all of them
// together stay below the limit. It follows filters by what the bytes look like, several
// deep, and asks no dictionary: what says "no filter" there may be lying.
func streamsFit(raw []byte) bool {
	left := int64(maxInflated)
	for at := 0; ; {
		i := bytes.Index(raw[at:], []byte("stream"))
		if i < 0 {
			return true
		}
		at += i + len("stream")
		data := raw[at:]
		for k := 0; k < 2 && len(data) > 0 && (data[0] == '\r' || data[0] == '\n'); k++ {
			data = data[1:]
		}
		if i >= 3 && bytes.HasSuffix(raw[:at-len("stream")], []byte("end")) {
			continue
		}
		end := len(data)
		if k := bytes.Index(data, []byte("endstream")); k >= 0 {
			end = k
		}
		// A stream's own length can reach further than the word that ends it.
		if !unpacks(bytes.NewReader(data), 0, &left) || end > 0 && !unpacksASCII(data[:end], &left) {
			return false
		}
	}
}

// unpacks counts what a compressed stream unpacks to, and what that unpacks to.
func unpacks(r io.Reader, depth int, left *int64) bool {
	if depth > 4 {
		return false
	}
	z, err := zlib.NewReader(r)
	if err != nil {
		return true
	}
	head := &headReader{r: z}
	n, _ := io.Copy(io.Discard, io.LimitReader(head, *left+1))
	if *left -= n; *left < 0 {
		return false
	}
	if n <= 2 {
		return true
	}
	// Packed twice? The first bytes tell; then once more through both.
	if len(head.head) == 2 && head.head[0]&0x0f == 8 && (uint(head.head[0])<<8|uint(head.head[1]))%31 == 0 {
		if s, ok := r.(io.Seeker); ok {
			if _, err := s.Seek(0, io.SeekStart); err != nil {
				return false
			}
			outer, err := zlib.NewReader(r)
			if err != nil {
				return false
			}
			all, _ := io.ReadAll(io.LimitReader(outer, n))
			return unpacks(bytes.NewReader(all), depth+1, left)
		}
	}
	return true
}

func unpacksASCII(data []byte, left *int64) bool {
	clean := make([]byte, 0, 64)
	for _, c := range data {
		if c >= '!' && c <= 'u' || c == 'z' {
			if clean = append(clean, c); len(clean) == 10 {
				break
			}
		}
	}
	var head [8]byte
	if n, _, err := ascii85.Decode(head[:], clean, false); err != nil || n < 2 || head[0]&0x0f != 8 || (uint(head[0])<<8|uint(head[1]))%31 != 0 {
		return true
	}
	full := make([]byte, 0, len(data))
	for _, c := range data {
		if c >= '!' && c <= 'u' || c == 'z' {
			full = append(full, c)
		}
	}
	packed, err := io.ReadAll(io.LimitReader(ascii85.NewDecoder(bytes.NewReader(full)), int64(len(data))+8))
	if err != nil && len(packed) == 0 {
		return true
	}
	return unpacks(bytes.NewReader(packed), 1, left)
}

// headReader keeps the first two bytes.
type headReader struct {
	r    io.Reader
	head []byte
}

func (h *headReader) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	for i := 0; i < n && len(h.head) < 2; i++ {
		h.head = append(h.head, p[i])
	}
	return n, err
}

// pdfPages collects text.
type pdfPages struct {
	text   []byte
	ops    int
	packed int64 // bytes of streams that may still be drawn, for one can be drawn often
	pages  int   // that may still come
	depth  int
}

// tree follows the tree of pages, each node once.
func (p *pdfPages) tree(node pdf.Value, depth int) {
	p.step()
	if depth > 64 {
		p.ops = 0
		panic(errBudget)
	}
	switch kids := node.Key("Kids"); {
	case kids.Kind() == pdf.Array:
		for i := 0; i < kids.Len(); i++ {
			p.tree(kids.Index(i), depth+1)
		}
	case node.Kind() == pdf.Dict:
		if p.pages--; p.pages < 0 {
			panic(errBudget)
		}
		if len(p.text) > 0 {
			p.add("\f")
		}
		p.page(pdf.Page{V: node})
	}
}

func (p *pdfPages) page(page pdf.Page) {
	p.content(page.V.Key("Contents"), page.Resources())
	// What people write beside the text: notes, filled fields.
	notes := page.V.Key("Annots")
	for i := 0; i < notes.Len() && i < maxParts; i++ {
		for _, key := range []string{"Contents", "V"} {
			if s := notes.Index(i).Key(key); s.Kind() == pdf.String {
				p.line(s.Text())
			}
		}
	}
}

// form gives the values of filled fields that stand on no page.
func (p *pdfPages) form(fields pdf.Value, depth int) {
	if depth > 8 {
		return
	}
	for i := 0; i < fields.Len() && i < maxParts; i++ {
		p.step()
		f := fields.Index(i)
		if v := f.Key("V"); v.Kind() == pdf.String && f.Key("P").IsNull() {
			p.line(v.Text())
		}
		p.form(f.Key("Kids"), depth+1)
	}
}

func (p *pdfPages) line(s string) {
	p.breakLine()
	p.add(s)
	p.breakLine()
}

func (p *pdfPages) add(s string) {
	if p.text = append(p.text, s...); len(p.text) > maxText {
		panic(errBudget)
	}
}

func (p *pdfPages) breakLine() {
	if n := len(p.text); n > 0 && p.text[n-1] != '\n' && p.text[n-1] != '\f' {
		p.add("\n")
	}
}

func (p *pdfPages) space() {
	if n := len(p.text); n > 0 && p.text[n-1] != '\n' && p.text[n-1] != ' ' && p.text[n-1] != '\f' {
		p.add(" ")
	}
}

func (p *pdfPages) step() {
	if p.ops--; p.ops <= 0 {
		panic(errBudget)
	}
}

// content follows the drawing operations of a page, or of a form that it draws.
func (p *pdfPages) content(strm, resources pdf.Value) {
	if strm.IsNull() || p.depth > 8 {
		return
	}
	parts := []pdf.Value{strm}
	if strm.Kind() == pdf.Array {
		parts = parts[:0]
		for i := 0; i < strm.Len(); i++ {
			p.step()
			parts = append(parts, strm.Index(i))
		}
	}
	for _, s := range parts {
		if p.packed -= max(s.Key("Length").Int64(), 64); p.packed <= 0 {
			panic(errBudget)
		}
	}
	p.depth++
	defer func() { p.depth-- }()
	fonts := map[string]pdf.TextEncoding{}
	var enc pdf.TextEncoding
	show := func(s string) {
		if enc != nil {
			s = enc.Decode(s)
		}
		p.add(s)
	}
	pdf.Interpret(strm, func(stk *pdf.Stack, op string) {
		p.step()
		args := make([]pdf.Value, stk.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stk.Pop()
		}
		last := pdf.Value{}
		if len(args) > 0 {
			last = args[len(args)-1]
		}
		switch op {
		case "BT", "T*":
			p.breakLine()
		case "Td", "TD":
			if last.Float64() != 0 {
				p.breakLine()
			} else {
				p.space()
			}
		case "Tm":
			p.breakLine()
		case "Tf":
			if len(args) != 2 {
				return
			}
			name := args[0].Name()
			if _, ok := fonts[name]; !ok {
				f := pdf.Font{V: resources.Key("Font").Key(name)}
				if f.V.IsNull() {
					fonts[name] = nil
				} else {
					fonts[name] = f.Encoder()
				}
			}
			enc = fonts[name]
		case "'", "\"":
			p.breakLine()
			show(last.RawString())
		case "Tj":
			show(last.RawString())
		case "TJ":
			for i := 0; i < last.Len(); i++ {
				p.step()
				switch x := last.Index(i); x.Kind() {
				case pdf.String:
					show(x.RawString())
				case pdf.Integer, pdf.Real:
					if x.Float64() < -180 { // thousandths of the size: a gap between words
						p.space()
					}
				}
			}
		case "Do":
			if x := resources.Key("XObject").Key(last.Name()); x.Key("Subtype").Name() == "Form" {
				inner := x.Key("Resources")
				if inner.IsNull() {
					inner = resources
				}
				p.content(x, inner)
			}
		}
	})
}
