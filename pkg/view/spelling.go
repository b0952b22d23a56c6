package view

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// token is a run of letters, marks and digits.
type token struct{ from, to, runes int }

func (d *decoder) tokens() []token {
	if d.toks != nil {
		return d.toks
	}
	text := d.text
	toks := make([]token, 0, len(text)/6+1)
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[i:])
		}
		if !tokenRune(r) {
			i += n
			continue
		}
		t := token{from: i}
		for i < len(text) && tokenRune(r) {
			if !unicode.IsMark(r) {
				t.runes++
			}
			i += n
			if i < len(text) {
				r, n = rune(text[i]), 1
				if r >= utf8.RuneSelf {
					r, n = utf8.DecodeRune(text[i:])
				}
			}
		}
		t.to = i
		toks = append(toks, t)
	}
	d.spend(len(text))
	d.toks = toks
	return toks
}

func tokenRune(r rune) bool {
	if r < utf8.RuneSelf {
		return letterByte(byte(r))
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// spacing joins single letters that stand apart, and words broken in pieces.
func (d *decoder) spacing() {
	toks := d.tokens()
	text := d.text
	var patches []patch
	for i := 0; i < len(toks); {
		j := i
		for j < len(toks) && toks[j].runes == 1 && (j == i || toks[j].from-toks[j-1].to <= 6) {
			j++
		}
		if j-i < 5 {
			if j == i {
				j++
			}
			i = j
			continue
		}
		// The commonest separator joins letters; every other one parts words.
		count := map[string]int{}
		for k := i + 1; k < j; k++ {
			count[string(text[toks[k-1].to:toks[k].from])]++
		}
		usual, most := "", 0
		for s, n := range count {
			if n > most || n == most && s < usual {
				usual, most = s, n
			}
		}
		for k := i; k < j; {
			m := k + 1
			for m < j && string(text[toks[m-1].to:toks[m].from]) == usual {
				m++
			}
			if m-k >= 3 {
				patches = append(patches, d.joined(toks[k:m])...)
			}
			k = m
		}
		i = j
	}
	d.emitPatches("spacing", patches)
	d.broken(toks)
}

// joined makes one patch of letters that stand apart; letters with nothing
// between words are cut by the vocabulary.
func (d *decoder) joined(toks []token) []patch {
	var out []byte
	var at []token
	for _, t := range toks {
		for k := t.from; k < t.to; k++ {
			out = append(out, d.text[k])
			at = append(at, t)
		}
	}
	if len(out) >= 10 && isASCII(out) && !d.words.has(out) {
		if ends, _, covered := d.words.segment(out); covered*10 >= len(out)*6 {
			var cut []byte
			var cutAt []token
			from := 0
			for _, e := range ends {
				if from > 0 {
					cut, cutAt = append(cut, ' '), append(cutAt, at[from-1])
				}
				cut, cutAt = append(cut, out[from:e]...), append(cutAt, at[from:e]...)
				from = e
			}
			out, at = cut, cutAt
		}
	}
	d.spend(len(out))
	return []patch{{toks[0].from, toks[len(toks)-1].to, out, func(k int) (int, int) { return at[k].from, at[k].to }}}
}

// broken joins words that were cut in pieces: "ig nore", "instru-ctions". Only
// words of the vocabulary are put together.
func (d *decoder) broken(toks []token) {
	if d.words == nil {
		return
	}
	text := d.text
	var patches []patch
	var buf []byte
	for i := 0; i < len(toks); i++ {
		buf = append(buf[:0], text[toks[i].from:toks[i].to]...)
		best := -1
		for j := i + 1; j < len(toks) && j < i+8; j++ {
			if toks[j].from-toks[j-1].to > 3 || len(buf) > 20 || bytes.ContainsAny(text[toks[j-1].to:toks[j].from], ".,;:!?()\"") {
				break
			}
			buf = append(buf, text[toks[j].from:toks[j].to]...)
			least := 5
			if text[toks[j-1].to] != ' ' {
				least = 4 // a line break or a hyphen inside a word is rarer than a space
			}
			if len(buf) >= least && d.words.has(buf) {
				best = j
			}
		}
		if best < 0 {
			continue
		}
		from, to := toks[i].from, toks[best].to
		var out []byte
		var at []int
		for _, t := range toks[i : best+1] {
			for k := t.from; k < t.to; k++ {
				out, at = append(out, text[k]), append(at, k)
			}
		}
		patches = append(patches, patch{from, to, out, func(k int) (int, int) { return at[k], at[k] + 1 }})
		i = best
	}
	d.spend(len(text))
	d.emitPatches("split-words", patches)
}

// squash cuts words that were written together.
func (d *decoder) squash() {
	if d.words == nil {
		return
	}
	text := d.text
	var patches []patch
	for i := 0; i+13 < len(text); {
		if !isLetter(text[i+13]) { // no run of fourteen begins before here
			i += 14
			continue
		}
		from := i + 13
		for from > i && isLetter(text[from-1]) {
			from--
		}
		for i += 14; i < len(text) && isLetter(text[i]); {
			i++
		}
		if i-from < 14 || d.words.has(text[from:i]) {
			continue
		}
		run := text[from:i]
		d.spend(len(run))
		var ends []int
		known := 0
		for k := 1; k <= len(run); k++ {
			if k == len(run) || run[k] < 'a' && run[k-1] >= 'a' {
				last := 0
				if len(ends) > 0 {
					last = ends[len(ends)-1]
				}
				if k-last >= 5 && d.words.has(run[last:k]) {
					known++
				}
				ends = append(ends, k)
			}
		}
		if len(ends) >= 3 && known < 2 {
			continue // a name in a program
		}
		if len(ends) < 3 {
			var words, covered int
			if ends, words, covered = d.words.segment(run); words < 3 || covered*10 < len(run)*8 || len(run) < 16 {
				continue
			}
		}
		var out []byte
		var at []int
		last := 0
		for _, e := range ends {
			if last > 0 {
				out, at = append(out, ' '), append(at, from+last-1)
			}
			for k := last; k < e; k++ {
				out, at = append(out, run[k]), append(at, from+k)
			}
			last = e
		}
		patches = append(patches, patch{from, i, out, func(k int) (int, int) { return at[k], at[k] + 1 }})
	}
	d.emitPatches("unspaced", patches)
}

var leetLetters = [256]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '6': 'g', '7': 't', '8': 'b', '9': 'g', '@': 'a', '$': 's', '!': 'i', '|': 'l', '+': 't', '(': 'c'}

func leetByte(c byte) bool {
	return letterByte(c) || c == '@' || c == '$' || c == '!' || c == '|' || c == '+'
}

// leet reads digits and signs inside words as the letters they resemble, where
// that gives a word of the vocabulary.
func (d *decoder) leet() {
	text := d.text
	var patches []patch
	long := 0
	for i := 0; i < len(text); {
		if !leetByte(text[i]) {
			i++
			continue
		}
		from := i
		letters, signs := 0, 0
		for i < len(text) && leetByte(text[i]) {
			if isLetter(text[i]) {
				letters++
			} else {
				signs++
			}
			i++
		}
		if signs == 0 || letters == 0 && signs < 4 || i-from > 24 {
			continue
		}
		for to := i; to > from+1; to-- {
			if w, ok := d.unleet(text[from:to]); ok {
				patches = append(patches, patch{from, to, w, func(k int) (int, int) { return from + k, from + k + 1 }})
				if len(w) >= 5 {
					long++
				}
				break
			}
			if c := text[to-1]; c != '!' && c != '|' && c != '+' {
				break
			}
		}
	}
	d.spend(len(text))
	if long > 0 {
		d.emitPatches("leet", patches)
	}
}

func (d *decoder) unleet(s []byte) ([]byte, bool) {
	out := make([]byte, len(s))
	ones := []int{}
	for i, c := range s {
		if isLetter(c) {
			out[i] = c | 0x20
			continue
		}
		if out[i] = leetLetters[c]; out[i] == 0 {
			return nil, false
		}
		if c == '1' || c == '!' || c == '|' {
			ones = append(ones, i)
		}
	}
	if len(ones) > 4 {
		ones = ones[:4]
	}
	for bits := 0; bits < 1<<len(ones); bits++ {
		for k, i := range ones {
			out[i] = 'i'
			if bits>>k&1 == 1 {
				out[i] = 'l'
			}
		}
		if d.words.has(out) {
			return out, true
		}
	}
	// An inflected or unknown word beside known ones is still worth reading.
	return out, d.words == nil
}

// concats removes the joints between string literals.
func (d *decoder) concats() {
	text := d.text
	var patches []patch
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '+' && c != '&' && c != '.' {
			continue
		}
		if from, to, ok := joinAt(text, i); ok && (len(patches) == 0 || from >= patches[len(patches)-1].to) {
			patches = append(patches, patch{from: from, to: to})
			i = to - 1
		}
	}
	d.spend(len(text))
	d.emitPatches("concat", patches)
}

// respell puts shuffled words in order.
func (d *decoder) respell() {
	text := d.text
	var patches []patch
	for i := 0; i < len(text); {
		if !isLetter(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && isLetter(text[i]) {
			i++
		}
		if w, ok := d.words.unshuffle(text[from:i]); ok {
			patches = append(patches, patch{from: from, to: i, text: []byte(w)})
		}
	}
	d.spend(len(text))
	d.emitPatches("shuffled", patches)
}

// reversed reads the text backwards, and each word backwards.
func (d *decoder) reversed() {
	text := d.text
	back := View{Name: "reversed"}
	for i := len(text); i > 0; {
		_, n := utf8.DecodeLastRune(text[:i])
		for k := i - n; k < i; k++ {
			back.put(text[k], i-n, i)
		}
		i -= n
	}
	d.emit(back)
	words := View{Name: "reversed-words"}
	pos := 0
	for _, t := range d.tokens() {
		for ; pos < t.from; pos++ {
			words.put(text[pos], pos, pos+1)
		}
		for i := t.to; i > t.from; {
			_, n := utf8.DecodeLastRune(text[t.from:i])
			for k := i - n; k < i; k++ {
				words.put(text[k], i-n, i)
			}
			i -= n
		}
		pos = t.to
	}
	for ; pos < len(text); pos++ {
		words.put(text[pos], pos, pos+1)
	}
	d.spend(2 * len(text))
	d.emit(words)
}

// order reads the words in reverse order. Signs stay with the word they follow.
func (d *decoder) order() {
	text := d.text
	v := View{Name: "word-order"}
	for i := len(text); i > 0; {
		end := i
		for end > 0 && text[end-1] <= ' ' {
			end--
		}
		from := end
		for from > 0 && text[from-1] > ' ' {
			from--
		}
		for k := from; k < end; k++ {
			v.put(text[k], k, k+1)
		}
		if from > 0 {
			v.put(' ', from-1, from)
		}
		i = from
	}
	d.spend(len(text))
	d.emit(v)
}

// mapped replaces byte by byte.
func (d *decoder) mapped(name string, f func(byte) byte) {
	v := View{Name: name}
	for i, c := range d.text {
		v.put(f(c), i, i+1)
	}
	d.spend(len(d.text))
	d.emit(v)
}

func caesar(n int) func(byte) byte {
	return func(c byte) byte {
		switch {
		case c >= 'a' && c <= 'z':
			return 'a' + (c-'a'+byte(n))%26
		case c >= 'A' && c <= 'Z':
			return 'A' + (c-'A'+byte(n))%26
		}
		return c
	}
}

func atbash(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z':
		return 'z' - (c - 'a')
	case c >= 'A' && c <= 'Z':
		return 'Z' - (c - 'A')
	}
	return c
}

func rot47(c byte) byte {
	if c >= '!' && c <= '~' {
		return '!' + (c-'!'+47)%94
	}
	return c
}

// Encipher gives a word as the views of w would have to find it: what a search
// must look for to know that the view is worth building.
func Encipher(w Wants, word string) string {
	b := []byte(word)
	switch {
	case w&WantCaesar != 0:
		f := caesar(26 - w.shift())
		for i := range b {
			b[i] = f(b[i])
		}
	case w&WantAtbash != 0:
		for i := range b {
			b[i] = atbash(b[i])
		}
	case w&WantRot47 != 0:
		for i := range b {
			b[i] = rot47(b[i])
		}
	case w&WantReversed != 0:
		r := []rune(word)
		for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
			r[i], r[j] = r[j], r[i]
		}
		return string(r)
	}
	return string(b)
}
