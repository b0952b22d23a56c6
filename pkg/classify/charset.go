package classify

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// recoded gives text of a character set as UTF-8. off maps the text's bytes to where they
// stand; the result maps every byte of a character to the first of those it was written
// with. Unknown sets leave the text as it is: what is ASCII in it can be read all the same.
func recoded(charset string, text []byte, off []int32) ([]byte, []int32) {
	enc := encodingOf(charset)
	if enc == nil {
		return text, off
	}
	dec := enc.NewDecoder()
	out := make([]byte, 0, len(text)+len(text)/2)
	at := make([]int32, 0, cap(out)+1)
	var buf [16]byte
	for i := 0; i < len(text); {
		// One character at a time, as long as it is, so that each has its place.
		dst, src := 0, 0
		for n := 1; n <= 8 && i+n <= len(text) && src == 0; n++ {
			dst, src, _ = dec.Transform(buf[:], text[i:i+n], false)
		}
		if src == 0 {
			src, dst = 1, copy(buf[:], string(utf8.RuneError))
		}
		for _, c := range buf[:dst] {
			out, at = append(out, c), append(at, off[i])
		}
		i += src
	}
	return out, append(at, off[len(text)])
}

// encodingOf gives the encoding of a character set; nil: it is UTF-8, or unknown.
func encodingOf(charset string) encoding.Encoding {
	charset = strings.ToLower(strings.Trim(charset, " \"'"))
	charset, _, _ = strings.Cut(charset, "*") // a language: RFC 2231
	switch charset {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return nil
	}
	enc, err := htmlindex.Get(charset)
	if err != nil {
		return nil
	}
	return enc
}

// inCharset gives text in a character set, as recoded read it.
func inCharset(charset, text string) []byte {
	if enc := encodingOf(charset); enc != nil {
		if b, err := encoding.ReplaceUnsupported(enc.NewEncoder()).Bytes([]byte(text)); err == nil {
			return b
		}
	}
	return []byte(text)
}

// charsetOf gives the charset parameter of a Content-Type.
func charsetOf(value string) string {
	low := strings.ToLower(value)
	i := strings.Index(low, "charset=")
	if i < 0 {
		return ""
	}
	v, _, _ := strings.Cut(value[i+len("charset="):], ";")
	return strings.Trim(v, "\" ")
}
