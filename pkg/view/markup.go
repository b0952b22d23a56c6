package view

import (
	"bytes"
	"regexp"
)

// inline are elements that do not part words or sentences.
var inline = map[string]bool{
	"b": true, "i": true, "em": true, "strong": true, "span": true, "font": true, "a": true, "u": true, "mark": true, "code": true, "small": true, "sup": true, "sub": true,
	"wbr": true, "s": true, "del": true, "ins": true, "tt": true, "big": true, "abbr": true, "kbd": true, "q": true, "bdo": true, "bdi": true, "label": true,
}

// tagAt gives the end of the tag or comment that begins at text[i], and its name.
func tagAt(text []byte, i int) (end int, name string) {
	if bytes.HasPrefix(text[i:], []byte("<!--")) {
		// Comments that hide words from a reader inside other words are short.
		if k := bytes.Index(text[i+4:min(len(text), i+2000)], []byte("-->")); k >= 0 {
			return i + 4 + k + 3, "!--"
		}
		return 0, ""
	}
	j := i + 1
	if j < len(text) && text[j] == '/' {
		j++
	}
	k := j
	for k < len(text) && letterByte(text[k]) {
		k++
	}
	if k == j || k-j > 10 {
		return 0, ""
	}
	e := bytes.IndexByte(text[k:min(len(text), k+2000)], '>')
	if e < 0 {
		return 0, ""
	}
	return k + e + 1, string(bytes.ToLower(text[j:k]))
}

var concealing = regexp.MustCompile(`(?i)display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*(?:0|1px)\b|opacity\s*:\s*0(?:[;"'\s.]|$)|color\s*:\s*(?:white|#fff\b|#ffffff|transparent|rgba?\(\s*255\s*,\s*255\s*,\s*255)|(?:left|top|text-indent)\s*:\s*-\d{3,}|height\s*:\s*0|width\s*:\s*0|\bhidden\b|aria-hidden\s*=\s*["']?true|\bsr-only\b|visually-hidden|font-size\s*:\s*0`)

// conceals is a quick look before the expression above.
func conceals(tag []byte) bool {
	for _, s := range []string{"style", "STYLE", "Style", "hidden", "sr-only", "HIDDEN"} {
		if bytes.Contains(tag, []byte(s)) {
			return true
		}
	}
	return false
}

var attribute = regexp.MustCompile(`(?i)\b(?:alt|title|aria-label|aria-description|placeholder|content|value|summary|data-[a-z-]+)\s*=\s*("([^"]{12,})"|'([^']{12,})')`)

// hiddenMax is how much of a hidden element is looked at, in bytes.
const hiddenMax = 4000

// markup takes away what a renderer does not show inside words and phrases, and
// shows what a renderer hides.
func (d *decoder) markup() {
	text := d.text
	var patches []patch
	var hidden []patch
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '<':
			end, name := tagAt(text, i)
			if end == 0 {
				continue
			}
			if name == "!--" || inline[name] {
				if n := len(patches); n > 0 && patches[n-1].to == i {
					patches[n-1].to = end
				} else {
					patches = append(patches, patch{from: i, to: end})
				}
			}
			tag := text[i:end]
			if text[i+1] != '/' && name != "!--" {
				if len(tag) > 12 && conceals(tag) && concealing.Match(tag) {
					inside := text[end:min(len(text), end+hiddenMax)]
					if e := bytes.Index(inside, []byte("</")); e > 8 {
						hidden = append(hidden, patch{from: end, to: end + e})
					} else if e < 0 && len(inside) > 8 {
						hidden = append(hidden, patch{from: end, to: end + len(inside)})
					}
				}
				if bytes.Count(tag, []byte(" ")) < 3 {
					i = end - 1
					continue
				}
				for _, m := range attribute.FindAllSubmatchIndex(tag, 8) {
					from, to := m[4], m[5]
					if from < 0 {
						from, to = m[6], m[7]
					}
					if bytes.Count(tag[from:to], []byte(" ")) >= 2 {
						hidden = append(hidden, patch{from: i + from, to: i + to})
					}
				}
			}
			d.spend(end - i)
			i = end - 1
		case '*', '~', '|', '_':
			j := i
			for j < len(text) && text[j] == c {
				j++
			}
			if i > 0 && j < len(text) && isLetter(text[i-1]) && isLetter(text[j]) && (c != '_' && c != '~' || j-i == 2) {
				patches = append(patches, patch{from: i, to: j})
			}
			i = j - 1
		case '-':
			if i > 0 && i+2 < len(text) && text[i+1] == '\n' && isLetter(text[i-1]) {
				j := i + 2
				for j < len(text) && bytes.IndexByte([]byte(" \t/#*>;"), text[j]) >= 0 {
					j++
				}
				if j < len(text) && isLetter(text[j]) {
					patches = append(patches, patch{from: i, to: j})
				}
			}
		case ']':
			// The title of a link or image: [x](url "title").
			if i+1 < len(text) && text[i+1] == '(' {
				line := text[i:min(len(text), i+600)]
				if e := bytes.IndexByte(line, ')'); e > 0 {
					if q := bytes.IndexByte(line[:e], '"'); q > 0 {
						if p := bytes.IndexByte(line[q+1:e], '"'); p > 12 {
							hidden = append(hidden, patch{from: i + q + 1, to: i + q + 1 + p})
						}
					}
				}
			}
		}
	}
	d.spend(len(text))
	d.emitPatches("markup", patches)
	for _, h := range hidden {
		v := View{Name: "hidden", Hidden: true}
		for k := h.from; k < h.to; k++ {
			v.put(text[k], k, k+1)
		}
		d.emit(v)
	}
}
