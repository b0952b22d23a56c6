package transform

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/big"
	"math/bits"
	"mime"
	"mime/quotedprintable"
	"net/url"
	"strings"
	"unicode/utf16"
)

// each byte by a format, apart by sep.
func bytewise(format, sep string) func(string) string {
	return func(s string) string {
		p := make([]string, len(s))
		for i := range len(s) {
			p[i] = fmt.Sprintf(format, s[i])
		}
		return strings.Join(p, sep)
	}
}

// each character by a format, apart by sep.
func runewise(format, sep string) func(string) string {
	return func(s string) string {
		var p []string
		for _, r := range s {
			p = append(p, fmt.Sprintf(format, r))
		}
		return strings.Join(p, sep)
	}
}

func bitsOf(s, sep string) string { return bytewise("%08b", sep)(s) }

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func hexOf(s string) string { return hex.EncodeToString([]byte(s)) }

func percentOf(s string) string { return bytewise("%%%02X", "")(s) }

func utf16Of(s string, order binary.AppendByteOrder) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// every puts sep behind every n bytes.
func every(n int, sep string) func(string) string {
	return func(s string) string {
		var p []string
		for len(s) > n {
			p, s = append(p, s[:n]), s[n:]
		}
		return strings.Join(append(p, s), sep)
	}
}

// number writes s as one number by the signs of an alphabet.
func number(alphabet string) func(string) string {
	return func(s string) string {
		n, base, digit := new(big.Int).SetBytes([]byte(s)), big.NewInt(int64(len(alphabet))), new(big.Int)
		var b []byte
		for n.Sign() > 0 {
			n.DivMod(n, base, digit)
			b = append(b, alphabet[digit.Int64()])
		}
		return reverse(string(b))
	}
}

const (
	digits = "0123456789"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"

	z85     = digits + lower + upper + ".-:+=^!/*?&<>()[]{}@%$#"
	rfc85   = digits + upper + lower + "!#$%&()*+-;<=>?@^_`{|}~"
	signs91 = upper + lower + digits + "!#$%&()*+,./:;<=>?@[]^_`{|}~\""
	signs45 = digits + upper + " $%*+-./:"
)

// fives writes four bytes as five signs, the last fewer with as many signs fewer.
func fives(alphabet string) func(string) string {
	return func(s string) string {
		var out []byte
		for len(s) > 0 {
			var q [4]byte
			n := copy(q[:], s)
			s = s[n:]
			v := binary.BigEndian.Uint32(q[:])
			var five [5]byte
			for i := 4; i >= 0; i-- {
				five[i] = alphabet[v%85]
				v /= 85
			}
			out = append(out, five[:n+1]...)
		}
		return string(out)
	}
}

func ascii85Of(s string) string {
	b := make([]byte, ascii85.MaxEncodedLen(len(s)))
	return string(b[:ascii85.Encode(b, []byte(s))])
}

// base91 is Henke's basE91.
func base91(s string) string {
	var b []byte
	acc, n := uint(0), uint(0)
	for _, c := range []byte(s) {
		acc |= uint(c) << n
		if n += 8; n <= 13 {
			continue
		}
		v := acc & 8191
		if v > 88 {
			acc, n = acc>>13, n-13
		} else {
			v = acc & 16383
			acc, n = acc>>14, n-14
		}
		b = append(b, signs91[v%91], signs91[v/91])
	}
	if n > 0 {
		b = append(b, signs91[acc%91])
		if n > 7 || acc > 90 {
			b = append(b, signs91[acc/91])
		}
	}
	return string(b)
}

// base45 is RFC 9285.
func base45(s string) string {
	var b []byte
	for len(s) > 1 {
		v := int(s[0])<<8 | int(s[1])
		b = append(b, signs45[v%45], signs45[v/45%45], signs45[v/2025])
		s = s[2:]
	}
	if len(s) > 0 {
		b = append(b, signs45[s[0]%45], signs45[s[0]/45])
	}
	return string(b)
}

// uu writes lines of 45 bytes, each three as four signs, under a header.
func uu(sign func(byte) byte) func(string) string {
	return func(s string) string {
		var b strings.Builder
		b.WriteString("begin 644 f\n")
		for len(s) > 0 {
			l := s[:min(45, len(s))]
			s = s[len(l):]
			b.WriteByte(sign(byte(len(l))))
			for len(l) > 0 {
				var t [3]byte
				l = l[copy(t[:], l):]
				v := uint(t[0])<<16 | uint(t[1])<<8 | uint(t[2])
				for k := 18; k >= 0; k -= 6 {
					b.WriteByte(sign(byte(v >> k & 63)))
				}
			}
			b.WriteByte('\n')
		}
		b.WriteString("`\nend")
		return b.String()
	}
}

func packed(f func(io.Writer) io.WriteCloser) func(string) string {
	return func(s string) string {
		var b bytes.Buffer
		w := f(&b)
		// Writing into memory does not fail.
		_, _ = io.WriteString(w, s)
		_ = w.Close()
		return b.String()
	}
}

var (
	gzipped = packed(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	zipped  = packed(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
)

func xor(key string) func(string) string {
	return func(s string) string {
		b := []byte(s)
		for i := range b {
			b[i] ^= key[i%len(key)]
		}
		return string(b)
	}
}

func mapBytes(f func(byte) byte) func(string) string {
	return func(s string) string {
		b := []byte(s)
		for i := range b {
			b[i] = f(b[i])
		}
		return string(b)
	}
}

var ebcdic = func() (t [128]byte) {
	for _, r := range []struct {
		from, to byte
		n        int
	}{{'a', 0x81, 9}, {'j', 0x91, 9}, {'s', 0xa2, 8}, {'A', 0xc1, 9}, {'J', 0xd1, 9}, {'S', 0xe2, 8}, {'0', 0xf0, 10}} {
		for k := range r.n {
			t[int(r.from)+k] = r.to + byte(k)
		}
	}
	for i, c := range " .(+&!$*);-/,%_>?:#@'=\"" {
		t[c] = []byte{0x40, 0x4b, 0x4d, 0x4e, 0x50, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x60, 0x61, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f}[i]
	}
	return t
}()

func encodings(kind Kind) []Transform {
	l := list{kind: kind}
	l.exact("base64", base64Of)
	l.exact("base64, URL, no padding", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) })
	l.exact("base64, lines of twenty", chain(base64Of, every(20, "\n")))
	l.exact("base64 in fours", chain(base64Of, every(4, " ")))
	l.exact("base64 of UTF-16", func(s string) string { return base64Of(utf16Of(s, binary.LittleEndian)) })
	l.exact("base64, alphabet of crypt", func(s string) string {
		return base64.NewEncoding("./" + digits + upper + lower).WithPadding(base64.NoPadding).EncodeToString([]byte(s))
	})
	l.exact("data URL", func(s string) string { return "data:text/plain;base64," + base64Of(s) })
	l.exact("base32", func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) })
	l.exact("base32, hex alphabet", func(s string) string { return base32.HexEncoding.EncodeToString([]byte(s)) })
	l.exact("base32, Crockford", func(s string) string {
		return base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding).EncodeToString([]byte(s))
	})
	l.exact("base36", number(digits+lower))
	l.exact("base45", base45)
	l.exact("base58", number("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"))
	l.exact("base62", func(s string) string { return new(big.Int).SetBytes([]byte(s)).Text(62) })
	l.exact("base62, capitals first", number(digits+upper+lower))
	l.exact("base85", fives(rfc85))
	l.exact("ascii85", ascii85Of)
	l.exact("ascii85 in brackets", func(s string) string { return "<~" + ascii85Of(s) + "~>" })
	l.exact("base85 of ZeroMQ", fives(z85))
	l.exact("base91", base91)
	l.exact("uuencode", uu(func(v byte) byte {
		if v == 0 {
			return '`'
		}
		return ' ' + v
	}))
	l.exact("xxencode", uu(func(v byte) byte { return ("+-" + digits + upper + lower)[v] }))
	l.exact("gzip in base64", chain(gzipped, base64Of))
	l.exact("zlib in base64", chain(zipped, base64Of))
	l.exact("hex", hexOf)
	l.exact("hex, 0x", bytewise("0x%02x", " "))
	l.exact("hex, colons", bytewise("%02x", ":"))
	l.exact("hex, spaces", bytewise("%02X", " "))
	l.exact(`hex, \x`, bytewise(`\x%02x`, ""))
	l.exact("hex, backwards", chain(hexOf, reverse))
	l.exact("hex of UTF-16", func(s string) string { return hexOf(utf16Of(s, binary.BigEndian)) })
	l.exact("hex of EBCDIC", func(s string) string {
		return hexOf(mapBytes(func(c byte) byte { return ebcdic[c&127] })(s))
	})
	l.exact("hex dump", func(s string) string { return hex.Dump([]byte(s)) })
	l.exact("percent", percentOf)
	l.exact("percent, query", url.QueryEscape)
	l.exact("percent, path", url.PathEscape)
	l.exact("percent, %u", runewise("%%u%04X", ""))
	l.exact("quoted-printable, all", bytewise("=%02X", ""))
	l.exact("quoted-printable", func(s string) string {
		var b strings.Builder
		w := quotedprintable.NewWriter(&b)
		_, _ = w.Write([]byte(s))
		_ = w.Close()
		return strings.ReplaceAll(every(30, "=\r\n")(b.String()), "==\r\n", "=\r\n=")
	})
	l.exact("encoded words, B", func(s string) string { return mime.BEncoding.Encode("utf-8", s+"\u2026") })
	l.exact("encoded words, Q", func(s string) string { return mime.QEncoding.Encode("utf-8", s+"\u2026") })
	l.exact("UTF-7", func(s string) string {
		return "+" + base64.RawStdEncoding.EncodeToString([]byte(utf16Of(s, binary.BigEndian))) + "-"
	})
	l.exact("entities, decimal", runewise("&#%d;", ""))
	l.exact("entities, hex", runewise("&#x%x;", ""))
	l.exact("entities, decimal, no semicolon", runewise("&#%d", ""))
	l.exact("entities, seven digits, no semicolon", runewise("&#%07d", ""))
	l.exact(`\u0000`, runewise(`\u%04x`, ""))
	l.exact(`\U00000000`, runewise(`\U%08x`, ""))
	l.exact(`\u{0}`, runewise(`\u{%x}`, ""))
	l.exact("U+0000", runewise("U+%04X", " "))
	l.exact("CSS escapes", runewise(`\%x `, ""))
	l.exact("CSS escapes, six digits", runewise(`\%06x`, ""))
	l.exact(`octal, \000`, bytewise(`\%03o`, ""))
	l.exact("octal", bytewise("%o", " "))
	l.exact("decimal", bytewise("%d", " "))
	l.exact("decimal, commas", bytewise("%d", ","))
	l.exact("decimal, three digits, no spaces", bytewise("%03d", ""))
	l.exact("decimal, Arabic digits", chain(bytewise("%d", " "), inDigits(0x660)))
	l.exact("decimal, Devanagari digits", chain(bytewise("%d", " "), inDigits(0x966)))
	l.exact("decimal, circled digits", chain(bytewise("%d", " "), pairs("0", "\u24ea", "1", "\u2460", "2", "\u2461", "3", "\u2462", "4", "\u2463", "5", "\u2464", "6", "\u2465", "7", "\u2466", "8", "\u2467", "9", "\u2468")))
	l.exact("decimal, key caps", chain(bytewise("%d", " "), pairs("0", "0\ufe0f\u20e3", "1", "1\ufe0f\u20e3", "2", "2\ufe0f\u20e3", "3", "3\ufe0f\u20e3", "4", "4\ufe0f\u20e3", "5", "5\ufe0f\u20e3", "6", "6\ufe0f\u20e3", "7", "7\ufe0f\u20e3", "8", "8\ufe0f\u20e3", "9", "9\ufe0f\u20e3")))
	l.exact("digits in words", chain(bytewise("%d", " / "), pairs("0", "zero ", "1", "one ", "2", "two ", "3", "three ", "4", "four ", "5", "five ", "6", "six ", "7", "seven ", "8", "eight ", "9", "nine ")))
	l.exact("binary", bytewise("%08b", " "))
	l.exact("binary, no spaces", bytewise("%08b", ""))
	l.exact("binary, backwards", bytewiseOf(bits.Reverse8, "%08b", " "))
	l.exact("binary, seven digits", bytewise("%07b", " "))
	l.exact("binary, squares", chain(bytewise("%08b", " "), pairs("0", "\u2b1c", "1", "\u2b1b")))
	l.exact("xor 23 in hex", chain(xor("\x17"), hexOf))
	l.exact("xor key in base64", chain(xor("key"), base64Of))
	groups := func(n int, format, sep string) func(string) string {
		return func(s string) string {
			for len(s)%n != 0 {
				s += " "
			}
			var p []string
			for ; len(s) > 0; s = s[n:] {
				b := make([]any, n)
				for i := range n {
					b[i] = s[i]
				}
				p = append(p, fmt.Sprintf(format, b...))
			}
			return strings.Join(p, sep)
		}
	}
	l.exact("bytes as network addresses", groups(4, "%d.%d.%d.%d", " "))
	l.exact("bytes as UUIDs", groups(16, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", "\n"))
	l.exact("bytes as colours", groups(3, "#%02x%02x%02x", " "))
	l.exact("hex in words of four bytes", groups(4, "0x%02x%02x%02x%02x", ", "))
	l.exact("binary, o and l", chain(func(s string) string { return bitsOf(s, " ") }, pairs("0", "o", "1", "l")))
	l.exact("base64, spaces between symbols", chain(base64Of, apart(" ")))
	l.exact("base32, lower case, dashes", func(s string) string {
		return every(4, "-")(strings.ToLower(strings.TrimRight(base32.StdEncoding.EncodeToString([]byte(s)), "=")))
	})
	return l.all
}

func inDigits(zero rune) func(string) string {
	return each(func(r rune) string {
		if r < '0' || r > '9' {
			return string(r)
		}
		return string(zero + r - '0')
	})
}

func bytewiseOf(f func(byte) byte, format, sep string) func(string) string {
	return chain(mapBytes(f), bytewise(format, sep))
}
