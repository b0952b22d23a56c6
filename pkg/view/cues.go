package view

import "bytes"

// Subtitles and transcripts part a sentence over cues: a number, a line of times, a line or two of text, an empty line
// (SubRip; WebVTT, https://www.w3.org/TR/webvtt1/).

// cueSign stands in a line of times.
var cueSign = []byte("--> ")

// cueDigits is how many digits a block holds at least in which half of a line of times stands.
const cueDigits = 7

// minCues is how many cues make a row of them.
const minCues = 2

// cueTimes gives the line of times that the sign at text[i] stands in; ok is false for another line.
func cueTimes(text []byte, i int) (from, to int, ok bool) {
	from = bytes.LastIndexByte(text[max(0, i-40):i], '\n') + 1 + max(0, i-40)
	if to = bytes.IndexByte(text[i:min(len(text), i+120)], '\n'); to < 0 {
		return 0, 0, false
	}
	to += i
	digits, colons := 0, 0
	for _, c := range text[from:i] {
		switch {
		case isDigit(c):
			digits++
		case c == ':':
			colons++
		case c != ' ' && c != '.' && c != ',':
			return 0, 0, false
		}
	}
	next := i + len(cueSign)
	return from, to, digits >= 5 && colons >= 1 && next < len(text) && isDigit(text[next])
}

// cueIn reports that text holds cues.
func cueIn(text []byte) bool {
	for i := bytes.Index(text, cueSign); i >= 0; {
		if _, _, ok := cueTimes(text, i); ok {
			return true
		}
		k := bytes.Index(text[i+1:], cueSign)
		if k < 0 {
			break
		}
		i += 1 + k
	}
	return false
}

// cues joins what stands in cues that follow each other.
func (d *Decoder) cues() {
	text := d.text
	p := &d.p[0]
	p.reset()
	n := 0
	for i := bytes.Index(text, cueSign); i >= 0; {
		if from, to, ok := cueTimes(text, i); ok {
			n++
			// A line in front of the times that is a number, or a short name behind an empty line, belongs to them, and so do the
			// empty lines in front of that.
			if line := bytes.LastIndexByte(text[:max(0, from-1)], '\n') + 1; from-line <= 24 && (allDigits(bytes.TrimSpace(text[line:from])) || line > 1 && text[line-2] == '\n') {
				from = line
			}
			for from > 0 && text[from-1] <= ' ' {
				from--
			}
			for to < len(text) && text[to] <= ' ' {
				to++
			}
			if x := p.last(); x == nil || x.to <= from {
				p.add(from, to)
				p.put(' ', from, to)
				p.end(to)
			}
			i = max(i, to-1)
		}
		k := bytes.Index(text[min(len(text), i+1):], cueSign)
		if k < 0 {
			break
		}
		i += 1 + k
	}
	d.spend(len(text))
	if n >= minCues {
		d.apply("cues", p)
	}
}

// allDigits reports a number.
func allDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return len(b) > 0
}
