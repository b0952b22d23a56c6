package classify

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// recoded gives text of a character set as UTF-8. off maps the text's bytes to where they
// stand; the result maps every byte of a character to the first of those it was written
// with. Unknown sets leave the text as it is: what is ASCII in it can be read all the same.
func recoded(charset string, text []byte, off []int32) ([]byte, []int32) {
	enc := encodingOf(charset)
	if enc == nil {
		return text, off
	}
	if _, one := enc.(*charmap.Charmap); one && utf8.Valid(text) && ascii(text, 0) < len(text) {
		return text, off // senders that write UTF-8 and declare what they used to write
	}
	dec := enc.NewDecoder()
	plain := !shifts(enc)
	out := make([]byte, 0, len(text)+len(text)/2)
	at := make([]int32, 0, cap(out)+1)
	var buf [16]byte
	for i := 0; i < len(text); {
		if c := text[i]; plain && c < utf8.RuneSelf {
			out, at = append(out, c), append(at, off[i])
			i++
			continue
		}
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

// shifts reports whether a byte below 0x80 can stand for something else than ASCII at the
// beginning of a character: then a stub cannot be put in the place of a part.
func shifts(enc encoding.Encoding) bool {
	return enc == japanese.ISO2022JP || enc == simplifiedchinese.HZGB2312 || wide(enc)
}

// wide reports whether an encoding is UTF-16, which no mail carries as it is (RFC 2046,
// section 4.1.2): who declares it would hide plain ASCII from the search.
func wide(enc encoding.Encoding) bool {
	name, _ := htmlindex.Name(enc)
	return name == "utf-16le" || name == "utf-16be"
}

// raw8 gives text that stands in a mail as it is, without an encoding for the transport. Its
// character set is the declared one; bytes of none are read as most programs read them,
// as windows-1252. in is the whole mail. whole: the text can only be written anew as a whole.
func raw8(charset string, in []byte, from, to int) (text []byte, off []int32, whole bool) {
	text = in[from:to]
	enc := encodingOf(charset)
	if enc == nil || wide(enc) {
		if utf8.Valid(text) {
			return text, nil, false
		}
		charset, enc = "windows-1252", charmap.Windows1252
	}
	whole = shifts(enc)
	if !whole && ascii(text, 0) == len(text) {
		return text, nil, false
	}
	off = make([]int32, len(text)+1)
	for i := range off {
		off[i] = int32(from + i)
	}
	text, off = recoded(charset, text, off)
	if whole {
		for i := range off {
			off[i] = int32(from)
		}
		off[len(text)] = int32(to)
	}
	return text, off, whole
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
	if err != nil || enc == encoding.Replacement { // all of a text would be one sign
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
