package view

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
)

// inline tells elements that do not part words or sentences.
func inline(name string) bool {
	switch name {
	case "b", "i", "em", "strong", "span", "font", "a", "u", "mark", "code", "small", "sup", "sub",
		"wbr", "s", "del", "ins", "tt", "big", "abbr", "kbd", "q", "bdo", "bdi", "label":
		return true
	}
	return false
}

// How far markup is looked for, in bytes: a tag or a short comment (longer ones do not
// hide words from a reader inside other words), a hidden element, a link's address
// and title.
const (
	tagReach   = 2000
	hiddenMax  = 4000
	titleReach = 600
)

// tag is what tagAt found. Its end is 0 when there is none.
type tag struct {
	end              int
	comment, inlined bool
	closing, program bool
}

// tagAt reads the tag or comment that begins at text[i].
func (d *Decoder) tagAt(i int) tag {
	text := d.text
	if bytes.HasPrefix(text[i:], []byte("<!--")) {
		if k := d.commentEnd.next(text, i+4); k-i < tagReach {
			return tag{end: k + 3, comment: true}
		}
		return tag{}
	}
	t := tag{}
	j := i + 1
	if j < len(text) && text[j] == '/' {
		j++
		t.closing = true
	}
	var name [10]byte
	n := 0
	for j+n < len(text) && letterByte(text[j+n]) {
		if n == len(name) {
			return tag{}
		}
		name[n] = text[j+n] | 0x20 // digits have that bit
		n++
	}
	if n == 0 {
		return tag{}
	}
	e := d.tagEnd.next(text, j+n)
	if e-i >= tagReach {
		return tag{}
	}
	t.end, t.inlined = e+1, inline(string(name[:n]))
	t.program = string(name[:n]) == "script" || string(name[:n]) == "style"
	return t
}

// conceals reports whether the attributes of a tag keep its element from being seen.
func (d *Decoder) conceals(tag []byte) bool {
	style := bytes.Contains(tag, []byte("style")) || bytes.Contains(tag, []byte("STYLE")) || bytes.Contains(tag, []byte("Style"))
	if !style && !bytes.Contains(tag, []byte("hidden")) && !bytes.Contains(tag, []byte("sr-only")) && !bytes.Contains(tag, []byte("HIDDEN")) {
		return false
	}
	d.buf = d.buf[:0]
	for _, c := range tag {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		d.buf = append(d.buf, c)
	}
	if wordIn(d.buf, "hidden") || wordIn(d.buf, "sr-only") {
		return true
	}
	if !style {
		return false
	}
	n := 0
	for _, c := range d.buf {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			d.buf[n] = c
			n++
		}
	}
	low := d.buf[:n]
	for _, s := range concealing {
		for rest := low; ; {
			i := bytes.Index(rest, []byte(s.text))
			if i < 0 {
				break
			}
			rest = rest[i+len(s.text):]
			next := byte(0)
			if len(rest) > 0 {
				next = rest[0]
			}
			switch s.then {
			case "":
				return true
			case "end":
				if !letterByte(next) && next != '_' {
					return true
				}
			case "zero":
				if !letterByte(next) && next != '%' {
					return true
				}
			case "far":
				if len(rest) >= 3 && isDigit(rest[0]) && isDigit(rest[1]) && isDigit(rest[2]) {
					return true
				}
			}
		}
	}
	return false
}

// concealing are declarations, without white space, that keep an element from being
// seen, with what must follow.
var concealing = []struct{ text, then string }{
	{"display:none", ""}, {"visibility:hidden", ""}, {"font-size:0", ""}, {"font-size:1px", "end"}, {"opacity:0", "zero"},
	{"color:white", ""}, {"color:#fff", "end"}, {"color:#ffffff", ""}, {"color:transparent", ""}, {"color:rgb(255,255,255", ""}, {"color:rgba(255,255,255", ""},
	{"left:-", "far"}, {"top:-", "far"}, {"text-indent:-", "far"}, {"height:0", ""}, {"width:0", ""},
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// wordIn reports whether text holds word with no letter or digit next to it.
func wordIn(text []byte, word string) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(word))
		if i < 0 {
			return false
		}
		i += at
		at = i + len(word)
		if (i == 0 || !nameByte(text[i-1])) && (at == len(text) || !nameByte(text[at])) {
			return true
		}
	}
}

func nameByte(c byte) bool { return letterByte(c) || c == '_' }

// telltale are the attributes that hold words for a reader.
var telltale = [...]string{"alt", "title", "aria-label", "aria-description", "placeholder", "content", "value", "summary"}

// attributes adds to p the values of a tag's attributes that read like a phrase: at
// least twelve bytes with two spaces among them.
func (d *Decoder) attributes(p *patches, from, to int) {
	text := d.text
	for i := from; i < to; i++ {
		if text[i] != '=' {
			continue
		}
		q := i + 1
		for q < to && text[q] <= ' ' {
			q++
		}
		if q >= to || text[q] != '"' && text[q] != '\'' {
			continue
		}
		n := bytes.IndexByte(text[q+1:to], text[q])
		if n < 0 {
			continue
		}
		end := i
		for end > from && text[end-1] <= ' ' {
			end--
		}
		start := end
		for start > from && end-start < 40 && (isLetter(text[start-1]) || text[start-1] == '-') {
			start--
		}
		if n >= 12 && readsLike(text[start:end]) && bytes.Count(text[q+1:q+1+n], []byte(" ")) >= 2 {
			d.show(p, q+1, q+1+n)
		}
		i = q + 1 + n
	}
}

// readsLike reports whether an attribute of that name holds words for a reader.
func readsLike(name []byte) bool {
	for _, s := range telltale {
		if n := len(name) - len(s); n >= 0 && bytes.EqualFold(name[n:], []byte(s)) && (n == 0 || name[n-1] == '-') {
			return true
		}
	}
	for i := range name {
		if len(name)-i > 5 && bytes.EqualFold(name[i:i+5], []byte("data-")) && (i == 0 || name[i-1] == '-') {
			return true
		}
	}
	return false
}

// show adds text[from:to] to what is hidden, unless it is in there. What overlaps goes on.
func (d *Decoder) show(p *patches, from, to int) {
	if x := p.last(); x != nil {
		if to <= x.to {
			return
		}
		if from <= x.to {
			p.copy(d.text, x.to, to)
			p.end(to)
			return
		}
		p.put('\n', from, from)
		p.put('\n', from, from)
	}
	p.add(from, to)
	p.copy(d.text, from, to)
	p.end(to)
}

// cdata and cdataEnd stand around text in which nothing is a tag.
var cdata, cdataEnd = []byte("<![CDATA["), []byte("]]>")

// insideWord gives the end of the element that begins at text[i] and whose closing tag begins
// at text[stop], if letters stand on both sides of it; 0: they do not, or it has no end.
func (d *Decoder) insideWord(i, stop int) int {
	if i == 0 || !isLetter(d.text[i-1]) || stop == len(d.text) || d.text[stop] != '<' {
		return 0
	}
	e := bytes.IndexByte(d.text[stop:min(len(d.text), stop+12)], '>') + 1
	if e == 0 || stop+e == len(d.text) || !isLetter(d.text[stop+e]) {
		return 0
	}
	return stop + e
}

// runOf gives where the run of one sign ends that begins at text[i].
func runOf(text []byte, i int) int {
	j := i + 1
	for j < len(text) && text[j] == text[i] {
		j++
	}
	return j
}

// inWord reports that letters stand on both sides of text[i:j].
func inWord(text []byte, i, j int) bool {
	return i > 0 && j < len(text) && isLetter(text[i-1]) && isLetter(text[j])
}

// emphasisReach is how many bytes one emphasis holds at most that is looked at.
const emphasisReach = 40

// closing gives where the signs stand that end the emphasis which text[i:j] begins; 0: none does.
func closing(text []byte, i, j int) int {
	if j == len(text) || text[j] <= ' ' {
		return 0
	}
	for k := j; k < min(len(text), j+emphasisReach) && text[k] != '\n'; k++ {
		if text[k] == text[i] {
			if end := runOf(text, k); end-k == j-i && text[k-1] > ' ' {
				return k
			}
			return 0
		}
	}
	return 0
}

// removes takes text[from:to] away. What begins at from may be taken away already, and what
// ends there.
func (d *Decoder) removes(p *patches, from, to int) {
	if x := p.last(); x != nil && x.to >= from {
		x.to = to
		return
	}
	p.remove(from, to)
}

// latexHides gives where the text begins that the LaTeX command at text[i] keeps from being seen;
// 0: it is no such command.
func latexHides(text []byte, i int) int {
	rest := text[i:min(len(text), i+40)]
	for _, x := range [...]struct {
		name   string
		colour bool
	}{{"\\textcolor", true}, {"\\color", true}, {"\\phantom{", false}, {"\\hphantom{", false}, {"\\vphantom{", false}} {
		if !bytes.HasPrefix(rest, []byte(x.name)) {
			continue
		}
		at := len(x.name)
		if !x.colour {
			return i + at
		}
		if at < len(rest) && rest[at] == '[' { // the model of the colour
			at += bytes.IndexByte(rest[at:], ']') + 1
		}
		n := bytes.IndexByte(rest[at:], '}')
		if n < 0 || rest[at] != '{' || !slices.Contains(whites, strings.ToLower(string(rest[at+1:at+n]))) {
			return 0
		}
		if at += n + 1; x.name == "\\textcolor" {
			if at == len(rest) || rest[at] != '{' {
				return 0
			}
			at++
		}
		return i + at
	}
	return 0
}

// whites are ways to name white in LaTeX.
var whites = []string{"white", "ffffff", "1,1,1", "255,255,255", "1", "white!100"}

// braceEnd gives where the group ends that text[i] is in, or where it is looked for no further.
func braceEnd(text []byte, i int) int {
	end, depth := min(len(text), i+hiddenMax), 0
	for ; i < end; i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return end
}

// markup takes away what a renderer does not show inside words and phrases, and
// shows what a renderer hides.
func (d *Decoder) markup() {
	text := d.text
	p, hidden := &d.p[0], &d.p[1]
	p.reset()
	hidden.reset()
	d.tagEnd, d.commentEnd, d.closing = ahead{sign: ">"}, ahead{sign: "-->"}, ahead{sign: "</"}
	done, shows := 0, d.wants&AllHidden == 0
	pair := -1 // where the emphasis ends that began last, if a part of it is inside a word
	for word, sign := range d.sign {
		for ; sign != 0; sign &= sign - 1 {
			i := word<<6 + bits.TrailingZeros64(sign)
			if i < done {
				continue
			}
			switch c := text[i]; c {
			case '<':
				if bytes.HasPrefix(text[i:], cdata) {
					d.removes(p, i, i+len(cdata))
					done = i + len(cdata)
					continue
				}
				t := d.tagAt(i)
				if t.end == 0 {
					continue
				}
				if t.comment || t.inlined {
					d.removes(p, i, t.end)
				}
				d.spend(t.end - i)
				done = t.end
				if t.closing || t.comment {
					continue
				}
				body := text[i:t.end]
				if t.program {
					if end := d.insideWord(i, min(len(text), t.end+hiddenMax, d.closing.next(text, t.end))); end > 0 {
						d.removes(p, i, end)
						done = end
						continue
					}
				}
				if len(body) > 12 && (shows || i > 0 && isLetter(text[i-1])) && d.conceals(body) {
					stop := min(len(text), t.end+hiddenMax, d.closing.next(text, t.end))
					if end := d.insideWord(i, stop); end > 0 {
						d.removes(p, i, end)
						done = end
					}
					if shows && stop-t.end > 8 {
						d.show(hidden, t.end, stop)
					}
				}
				if shows && bytes.Count(body, []byte(" ")) >= 3 {
					d.attributes(hidden, i, t.end)
				}
			case '*', '~', '|', '_':
				j := runOf(text, i)
				done = j
				if c == '_' && j-i != 2 || c == '~' && j-i != 2 {
					continue
				}
				// What is emphasised may begin or end inside a word.
				if inWord(text, i, j) || i == pair {
					p.remove(i, j)
				}
				if i == pair {
					pair = -1
				} else if to := closing(text, i, j); to > 0 && (inWord(text, i, j) || inWord(text, to, to+j-i)) {
					if pair = to; !inWord(text, i, j) {
						p.remove(i, j)
					}
				}
			case '-':
				if i > 0 && i+2 < len(text) && text[i+1] == '\n' && isLetter(text[i-1]) {
					j := i + 2
					for j < len(text) && bytes.IndexByte([]byte(" \t/#*>;"), text[j]) >= 0 {
						j++
					}
					if j < len(text) && isLetter(text[j]) {
						p.remove(i, j)
						done = j
					}
				}
			case '\\':
				if from := latexHides(text, i); from > 0 && shows {
					to := braceEnd(text, from)
					d.show(hidden, from, to)
					done = to
				}
			case ']':
				if bytes.HasPrefix(text[i:], cdataEnd) {
					d.removes(p, i, i+len(cdataEnd))
					done = i + len(cdataEnd)
					continue
				}
				// The title of a link or image: [x](url "title").
				if shows && i+1 < len(text) && text[i+1] == '(' {
					line := text[i:min(len(text), i+titleReach)]
					if e := bytes.IndexByte(line, ')'); e > 0 {
						if q := bytes.IndexByte(line[:e], '"'); q > 0 {
							if n := bytes.IndexByte(line[q+1:e], '"'); n > 12 {
								d.show(hidden, i+q+1, i+q+1+n)
							}
						}
					}
				}
			}
		}
	}
	d.spend(len(text))
	if !d.strewnShows(p) {
		d.apply("markup", p)
	}
	if len(hidden.Text) > 0 {
		v := d.start("hidden", len(hidden.Text))
		v.Hidden = true
		v.Text = append(v.Text, hidden.Text...)
		v.at = append(v.at, hidden.at...)
		d.emit(v)
	}
}
