package view

import (
	"bytes"
	"strings"
)

// encodedMark is what an encoded word of a mail's header begins with (RFC 2047).
var encodedMark = []byte("=?")

// maxEncoded is how many bytes an encoded word holds at most. The RFC allows 75; senders write longer ones.
const maxEncoded = 2 << 10

// encodedWord appends what the encoded word says that text[i:] begins with, and gives where it ends; 0: there is
// none. Its character set is taken for UTF-8, or else for Latin-1.
func encodedWord(p *patches, text []byte, i int) (end int) {
	rest := text[i:min(len(text), i+maxEncoded)]
	parts := bytes.SplitN(rest, []byte("?"), 4) // "=", character set, encoding, what it says and follows
	if len(parts) < 4 || len(parts[1]) == 0 || len(parts[2]) != 1 {
		return 0
	}
	at := i + len(parts[0]) + len(parts[1]) + len(parts[2]) + 3
	n := bytes.Index(parts[3], []byte("?="))
	if n < 0 {
		return 0
	}
	said := parts[3][:n]
	if bytes.ContainsAny(said, " \t\r\n") || bytes.ContainsAny(parts[1], " \t\r\n\"'<>") {
		return 0
	}
	end = at + n + 2
	latin := !strings.EqualFold(string(parts[1][:min(3, len(parts[1]))]), "utf")
	start := len(p.list)
	p.add(i, end)
	put := func(c byte, from, to int) {
		if latin {
			p.putRune(rune(c), from, to)
			return
		}
		p.put(c, from, to)
	}
	switch parts[2][0] | 0x20 {
	case 'b':
		out := decode64(nil, said, &base64Value)
		for k, c := range out {
			put(c, min(end-1, at+k/3*4), min(end, at+k/3*4+4))
		}
	case 'q':
		for k := 0; k < n; k++ {
			switch c := said[k]; {
			case c == '_':
				p.put(' ', at+k, at+k+1)
			case c == '=' && k+2 < n && hexVal(said[k+1]) >= 0 && hexVal(said[k+2]) >= 0:
				put(byte(hexVal(said[k+1])<<4|hexVal(said[k+2])), at+k, at+k+3)
				k += 2
			default:
				p.put(c, at+k, at+k+1)
			}
		}
	default:
		p.list = p.list[:start]
		return 0
	}
	p.end(end)
	return end
}

// encodedIn reports that text holds what may be an encoded word.
func encodedIn(text []byte) bool {
	for i := bytes.IndexByte(text, '?'); i >= 0; {
		if i > 0 && text[i-1] == '=' {
			rest := text[i+1 : min(len(text), i+50)]
			if k := bytes.IndexByte(rest, '?'); k > 0 && k+2 < len(rest) && rest[k+2] == '?' && bytes.IndexByte([]byte("bBqQ"), rest[k+1]) >= 0 {
				return true
			}
		}
		k := bytes.IndexByte(text[i+1:], '?')
		if k < 0 {
			break
		}
		i += 1 + k
	}
	return false
}

// encodedWords undoes the encoded words that stand from text[i] on with nothing but white space between them, which
// belongs to them; it gives where the last one ends; i: there is none.
func encodedWords(p *patches, text []byte, i int) int {
	end := encodedWord(p, text, i)
	if end == 0 {
		return i
	}
	for {
		next := end
		for next < len(text) && next-end < 8 && text[next] <= ' ' {
			next++
		}
		if !bytes.HasPrefix(text[next:], encodedMark) {
			return end
		}
		n := len(p.list)
		p.remove(end, next)
		to := encodedWord(p, text, next)
		if to == 0 {
			p.list = p.list[:n]
			return end
		}
		end = to
	}
}
