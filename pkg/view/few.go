package view

import "strings"

// Letters written as rows of few other letters: Bacon's cipher, Roman numerals, Morse in syllables.

// fewLetters reads such tokens: each table gives the letter for a token, in small letters.
var fewLetters = func() (t []map[string]byte) {
	bacon, early, roman, morse := map[string]byte{}, map[string]byte{}, map[string]byte{}, map[string]byte{}
	numerals := strings.Fields("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii xxiv xxv xxvi")
	five := func(n int) string {
		b := make([]byte, 5)
		for i := range b {
			b[i] = 'a' + byte(n>>(4-i)&1)
		}
		return string(b)
	}
	for i := range 26 {
		c := byte('a' + i)
		bacon[five(i)] = c
		// The old alphabet has one letter for i and j, and one for u and v.
		if c != 'j' && c != 'v' {
			early[five(i-int(bit(c > 'i'))-int(bit(c > 'u')))] = c
		}
		roman[numerals[i]] = c
		for _, s := range [][2]string{{"di", "dah"}, {"dit", "dah"}} {
			w := strings.NewReplacer(".", s[0], "-", s[1]).Replace(morseCodes[i])
			morse[w] = c
			if k := len(w) - 2; k >= 0 && w[k:] == "di" { // the last one is long
				morse[w+"t"] = c
			}
		}
	}
	return []map[string]byte{bacon, early, roman, morse}
}()

var fewNames = [...]string{"bacon", "bacon", "roman", "morse"}

// fewKindsOf is how many different letters a block of such text holds at most.
const fewKindsOf = 5

// fewOf gives the letter of a token in a table.
func fewOf(table map[string]byte, tok []byte) byte {
	var low [24]byte
	if len(tok) > len(low) {
		return 0
	}
	for x, c := range tok {
		low[x] = c | 0x20
	}
	return table[string(low[:len(tok)])]
}

// fewIn reports that most of the tokens of text[from:to] stand for letters in one of the tables.
func (d *Decoder) fewIn(from, to int) bool {
	toks := d.tokens([]extent{{int32(from), int32(to)}})
	for _, table := range fewLetters {
		n := 0
		for _, t := range toks {
			n += int(bit(fewOf(table, d.text[t.from:t.to]) != 0))
		}
		if n >= 4 && 3*n >= 2*(len(toks)-2) {
			return true
		}
	}
	return false
}

// few reads rows of tokens that hold few different letters.
func (d *Decoder) few(toks []token) {
	for k, table := range fewLetters {
		letters, n := d.letters(len(toks)), 0
		for i, t := range toks {
			letters[i] = fewOf(table, d.text[t.from:t.to])
			n += int(bit(letters[i] != 0))
		}
		if n >= minNumbered {
			d.lettersOf(fewNames[k], toks, letters)
		}
	}
}

// taps reads knocks: of each letter its row and its column in a square of five, as dots.
func (d *Decoder) taps(parts []extent) {
	p := &d.p[0]
	p.reset()
	for _, part := range parts {
		i, to := int(part.from), int(part.to)
		for i < to {
			if d.text[i] != '.' || i > 0 && letterByte(d.text[i-1]) {
				i++
				continue
			}
			start, end, row, letters := i, i, 0, 0
			p.add(start, start)
			begin := i
			for i < len(d.text) {
				j := i
				for j < len(d.text) && d.text[j] == '.' && j-i < 6 {
					j++
				}
				n := j - i
				if n == 0 || n > 5 {
					break
				}
				k, word := j, false
				for k < len(d.text) && (d.text[k] == ' ' || d.text[k] == '/' || d.text[k] == '|' || d.text[k] == '\n') && k-j < 8 {
					word = word || d.text[k] != ' '
					k++
				}
				if row == 0 {
					row, begin = n, i
				} else {
					c := (row-1)*5 + n - 1
					p.put(byte('a'+c)+bit(c > 8), begin, j) // i and j share a field
					if letters++; word {
						p.put(' ', j, k)
					}
					row, end = 0, j
				}
				if i = k; k == j {
					break
				}
			}
			d.spend(i - start + 1)
			p.end(max(end, start))
			if x := p.last(); letters < minNumbered || fitOf(p.Text[x.lo:x.hi]).usual < fitUsual/2 {
				p.drop()
			}
			i = max(i, start+1)
		}
	}
	d.apply("taps", p)
}
