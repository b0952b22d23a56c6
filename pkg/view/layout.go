package view

import (
	"bytes"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Letters out of their places: typed on a keyboard with other letters on its keys, or read in another order than they were
// written in (transposition: rail fence, columns). A line is one such text; where others begin nobody knows.

// keys are the keys of a keyboard from left to right, line by line, as layouts write them.
const (
	keysLatin    = "qwertyuiop[]asdfghjkl;'zxcvbnm,./"
	keysDvorak   = "',.pyfgcrl/=aoeuidhtns-;qjkxbmwvz"
	keysRight    = "wertyuiop[]\\sdfghjkl;'\nxcvbnm,./\n" // the hands lie one key further to the right
	keysCyrillic = "йцукенгшщзхъфывапролджэячсмитьбю."
)

// typed are tables that give what was meant by what was typed, with small letters and capitals.
var typed = func() (t [4][256]byte) {
	set := func(t *[256]byte, from, to string) {
		for i := range t {
			t[i] = byte(i)
		}
		for i := range len(from) {
			if from[i] > ' ' && to[i] > ' ' {
				t[from[i]] = to[i]
				if isLetter(from[i]) && isLetter(to[i]) {
					t[from[i]&^0x20] = to[i] &^ 0x20
				}
			}
		}
	}
	set(&t[0], keysDvorak, keysLatin)
	set(&t[1], keysLatin, keysDvorak)
	set(&t[2], keysRight, keysLatin)
	set(&t[3], keysLatin, keysRight)
	return t
}()

// typedClasses gives the letterClass of what was meant, a byte of it for each of the tables.
var typedClasses = func() (t [256]uint32) {
	for k := range typed {
		for c := range t {
			t[c] |= uint32(letterClass[typed[k][c]]) << (8 * k)
		}
	}
	return t
}()

// mistyped gives the keyboard on which text of at most 64 bytes was typed that reads as no language; 0: none.
func (d *Decoder) mistyped(text []byte, plain fit) cipher {
	var sum [len(typed)]int32
	last := uint32(0)
	for _, c := range text {
		// Five bits of this one stand behind five of the one before.
		x := typedClasses[c]
		sum[0] += pairs[last&31|x&31<<5]
		sum[1] += pairs[last>>8&31|x>>8&31<<5]
		sum[2] += pairs[last>>16&31|x>>16&31<<5]
		sum[3] += pairs[last>>24|x>>24<<5]
		last = x
	}
	best, most := -1, max(fitUsual+2, plain.usual+fitGain)-1
	for k, s := range sum {
		if x := tenfold(int(int16(s)), len(text)); x > most { // nearly all pairs hold a letter
			best, most = k, x
		}
	}
	if best < 0 {
		return 0
	}
	d.buf = d.buf[:0]
	for _, c := range text {
		d.buf = append(d.buf, typed[best][c])
	}
	if fitOf(d.buf).order <= 0 || !d.words.halfOf(d.buf) {
		return 0
	}
	return ciphTyped + cipher(best)
}

// cyrillicKeys gives the key of a Latin keyboard for letters of Russian and Ukrainian ones, as folding leaves them.
var cyrillicKeys = func() map[rune]byte {
	m := map[rune]byte{'і': 's', 'ї': ']', 'є': '\'', 'ґ': '\\'}
	i := 0
	for _, r := range keysCyrillic {
		if r >= utf8.RuneSelf {
			m[r] = keysLatin[i]
		}
		i++
	}
	return m
}()

// moved is a line that reads as a language when its letters are put back.
type moved struct {
	extent
	by way
}

// A way is one to put the letters of a line back.
type way struct {
	kind wayKind
	n    int // rows or columns
}

type wayKind uint8

// The ways.
const (
	wayRail    wayKind = iota // a zigzag over n lines
	wayColumns                // columns of rows of n
	wayRows                   // rows that were read column by column
	wayKeys                   // a Cyrillic keyboard
)

// ways are those that are tried.
var ways = [...]way{
	{wayColumns, 2}, {wayRows, 2}, {wayRail, 3}, {wayColumns, 3}, {wayRows, 3}, {wayRail, 4}, {wayColumns, 4}, {wayRows, 4}, {wayRail, 5}, {wayColumns, 5}, {wayRows, 5},
	{wayColumns, 6}, {wayRows, 6}, {wayColumns, 7}, {wayColumns, 8},
}

func (w way) name() string {
	return [...]string{"rail-fence", "columns", "rows", "keyboard"}[w.kind]
}

// maxRows is how many rows or columns a way has at most.
const maxRows = 8

// Bounds of a line whose letters are put back, in bytes.
const minMoved, maxMoved = 24, 800

// places appends to at, for the first bytes of a text of n, where they stand once it was written in such a way.
func (w way) places(at []int32, n, first int) []int32 {
	at = at[:0]
	if w.kind == wayRows {
		// The last row may be shorter: so many columns are full.
		width := (n + w.n - 1) / w.n
		full := n - (w.n-1)*width
		for i := range first {
			r, c := i/width, i%width
			at = append(at, int32(c*w.n-max(0, c-full)+r))
		}
		return at
	}
	period := w.n
	row := func(k int) int { return k }
	if w.kind == wayRail {
		period = 2*w.n - 2
		row = func(k int) int { return min(k, period-k) }
	}
	var next [maxRows + 1]int32 // where the next byte of each row stands
	for k := range period {
		next[row(k)+1] += int32(n/period) + int32(bit(k < n%period))
	}
	for r := 1; r < len(next); r++ {
		next[r] += next[r-1]
	}
	k := 0
	for range first {
		r := row(k)
		at = append(at, next[r])
		next[r]++
		if k++; k == period {
			k = 0
		}
	}
	return at
}

// movedRead is how many letters tell at a glance whether a line was put back.
const movedRead = 96

// movedEvery is how many blocks of a text bear two looks at a line in vain.
const movedEvery = 32

// scattered gives the places in a block where spaces stand as words have none: single letters, and where two spaces part
// letters. 0: there are few, or the block is no prose in any order.
func scattered(one, all, sign uint64, letters, digits, signs int) uint64 {
	if letters < 36 || digits > 2 || signs > 6 {
		return 0
	}
	gap := ^(all | sign)
	places := one&(gap<<1)&(gap>>1) | gap&(gap>>1)&(all<<1)&(all>>2)
	if places&(places-1) == 0 {
		return 0
	}
	return places
}

// fences looks whether the lines around block k in which spaces are scattered were read in another order than they were
// written in.
func (d *Decoder) fences(k int, places uint64) (w Wants) {
	odd := 0
	for m := places; m != 0; m &= m - 1 {
		if c := d.text[64*k+bits.TrailingZeros64(m)] | 0x20; c != 'a' && c != 'i' { // words of one letter
			odd++
		}
	}
	if odd == 0 {
		return 0
	}
	w = d.fence(k, 64*k+bits.TrailingZeros64(places))
	if places&(places-1) != 0 {
		w |= d.fence(k, 64*k+63-bits.LeadingZeros64(places))
	}
	return w
}

// fence is fences for the line of text[at].
func (d *Decoder) fence(k, at int) Wants {
	l := &d.looks
	if d.words == nil || at < l.movedDone || l.movedVain > movedEvery/4+k {
		return 0
	}
	from, to := d.lineAround(at)
	l.movedDone = to
	if to-from < minMoved || to-from > maxMoved {
		return 0
	}
	line := d.text[from:to]
	if d.words.mostKnown(line) {
		l.movedVain++
		return 0
	}
	plain := fitOf(line)
	d.spend(movedRead * len(ways))
	l.movedVain += movedEvery / 2
	need := max(fitUsual+2, plain.usual+fitGain/3)
	for _, w := range ways {
		d.pos = w.places(d.pos, len(line), min(len(line), movedRead))
		d.buf = d.buf[:0]
		for _, x := range d.pos {
			d.buf = append(d.buf, line[x])
		}
		if x := fitOf(d.buf); x.usual < need || x.order <= 0 || !d.words.halfOf(d.buf) {
			continue
		}
		l.movedVain = 0
		d.moved = append(d.moved, moved{extent{int32(from), int32(to)}, w})
		return WantCipher
	}
	return 0
}

// lineAround gives the line that text[at] is part of, without an indent. A space or two may belong to what was written.
func (d *Decoder) lineAround(at int) (from, to int) {
	text := d.text
	if k := bytes.LastIndexByte(text[max(0, at-maxMoved-1):at], '\n'); k >= 0 {
		from = max(0, at-maxMoved-1) + k + 1
	} else {
		from = max(0, at-maxMoved-1)
	}
	if k := bytes.IndexByte(text[at:min(len(text), at+maxMoved+1)], '\n'); k >= 0 {
		to = at + k
	} else {
		to = min(len(text), at+maxMoved+1)
	}
	for at := from; at < to && text[at] <= ' '; at++ {
		if at-from == 2 {
			for from < to && text[from] <= ' ' {
				from++
			}
			break
		}
	}
	if to > from && text[to-1] == '\r' {
		to--
	}
	return from, to
}

// lookKeys gives the key for letters that folding took for Latin ones.
var lookKeys = func() (t [256]byte) {
	for look, r := range map[byte]rune{'a': 'а', 'e': 'е', 'o': 'о', 'p': 'р', 'c': 'с', 'y': 'у', 'x': 'х', 'k': 'к', 'm': 'м', 't': 'т', 'i': 'і'} {
		t[look] = cyrillicKeys[r]
	}
	return t
}()

// keyOf gives what stands on the Latin keyboard where text[k:end] begins with was typed, and how long that is; 0: it is no
// letter.
func keyOf(text []byte, k, end int) (c byte, size int) {
	if c := text[k]; c < utf8.RuneSelf {
		if x := lookKeys[c]; x != 0 {
			return x, 1
		}
		return c, 1
	}
	r, size := utf8.DecodeRune(text[k:end])
	return cyrillicKeys[r], size
}

// minKeys is how many letters a line in Cyrillic holds at least of which the keys are read.
const minKeys = 20

// latinKeys looks for lines of Cyrillic letters whose keys read as a language in Latin letters.
func (d *Decoder) latinKeys() (w Wants) {
	text := d.text
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && text[end] != '\n' {
			end++
		}
		if end-i >= 2*minKeys {
			d.buf = d.buf[:0]
			letters := 0
			for k := i; k < end && len(d.buf) < movedRead; {
				c, size := keyOf(text, k, end)
				letters += int(bit(isLetter(c) && size > 1))
				if c == 0 {
					c = ' '
				}
				d.buf = append(d.buf, c)
				k += size
			}
			if 2*letters >= len(d.buf) && letters >= minKeys {
				if x := fitOf(d.buf); x.usual >= fitUsual && x.order > 0 && d.words.halfOf(d.buf) {
					d.moved = append(d.moved, moved{extent{int32(i), int32(end)}, way{wayKeys, 0}})
					w = WantCipher
				}
			}
			d.spend(len(d.buf))
		}
		i = end + 1
	}
	return w
}

// unmove puts the letters of lines back that were seen out of their places.
func (d *Decoder) unmove() {
	p := &d.p[0]
	p.reset()
	name := ""
	for _, x := range d.moved {
		from, to := int(x.from), int(x.to)
		if last := p.last(); last != nil && last.to > from {
			continue
		}
		name = x.by.name()
		d.spend(to - from)
		p.add(from, to)
		if x.by.kind == wayKeys {
			for k := from; k < to; {
				c, size := keyOf(d.text, k, to)
				if c != 0 {
					p.put(c, k, k+size)
				} else {
					p.copy(d.text, k, k+size)
				}
				k += size
			}
		} else {
			d.pos = x.by.places(d.pos, to-from, to-from)
			for _, k := range d.pos {
				p.put(d.text[from+int(k)], from+int(k), from+int(k)+1)
			}
		}
		p.end(to)
	}
	d.apply(name, p)
}

// Letters written as rows of few other letters: Bacon's cipher, Roman numerals, Morse in syllables.

// fewLetters reads such tokens: each table gives the letter for a token, in small letters.
var fewLetters = func() (t []map[string]byte) {
	bacon, early, roman, morse := map[string]byte{}, map[string]byte{}, map[string]byte{}, map[string]byte{}
	numerals := strings.Fields("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii xxiv xxv xxvi")
	signals := strings.Fields(".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..")
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
			w := strings.NewReplacer(".", s[0], "-", s[1]).Replace(signals[i])
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

// parters are letters that few words hold, which may stand for the spaces between them.
const parters = "xqzjXQZJ_"

// partedBy gives the letter that stands for the spaces in text[from:to]; 0: none does.
func (d *Decoder) partedBy(from, to int) byte {
	if to-from < minMoved || d.words == nil {
		return 0
	}
	text := d.text[from:to]
	var count [256]uint8
	for _, c := range text[:min(len(text), 250)] {
		count[c]++
	}
	for i := range len(parters) {
		c := parters[i]
		if count[c] < 3 || int(count[c])*12 < min(len(text), 250) {
			continue
		}
		words, known, letters := 0, 0, 0
		for from := 0; from < len(text); {
			to := from
			for to < len(text) && text[to] != c {
				to++
			}
			words++
			if w := bytes.Trim(text[from:to], ".,;:!?'\"()-"); d.words.has(w) || len(w) == 1 {
				known++
				letters += to - from
			}
			from = to + 1
		}
		if words >= 4 && known*100 >= words*trickedPart && letters*3 >= len(text)*2-3*words {
			return c
		}
	}
	return 0
}

// regrouped reports five groups of as many letters and signs in a row in a block, with one white space between them: three to
// six, as nobody's words are.
func regrouped(shown uint64) bool {
	starts, ends := shown&^(shown<<1), shown&^(shown>>1)
	for n := 4; n <= 7; n++ {
		row := starts & (ends >> (n - 2))
		if row &= row >> n; row == 0 {
			continue
		}
		if row &= row >> (2 * n); row != 0 && row&(row>>n) != 0 {
			return true
		}
	}
	return false
}

// ungroup joins groups of as many letters and signs.
func (d *Decoder) ungroup() {
	text := d.text
	p := &d.p[0]
	p.reset()
	for _, part := range d.near(d.fused, 1) {
		i, to := int(part.from), int(part.to)
		for i < to {
			if text[i] <= ' ' {
				i++
				continue
			}
			first, size, known, groups := i, 0, 0, 0
			d.pos = d.pos[:0] // the white space between them
			for {
				j := i
				for j < to && text[j] > ' ' {
					j++
				}
				n := j - i
				if groups > 0 && n > size {
					break
				}
				known += int(bit(d.words.has(text[i:j])))
				groups++
				if i = j; groups == 1 {
					size = n
				} else if n < size {
					break // the last one
				}
				if j+1 >= to || text[j] > ' ' || text[j+1] <= ' ' {
					break
				}
				d.pos = append(d.pos, int32(j))
				i = j + 1
			}
			if n := len(d.pos); n > 0 && int(d.pos[n-1]) == i-1 { // what stands behind it was no group
				d.pos = d.pos[:n-1]
			}
			if groups >= 5 && size >= 3 && size <= 6 && 2*known < groups {
				for _, at := range d.pos {
					p.remove(int(at), int(at)+1)
				}
			}
			i = max(i, first+1)
			d.spend(i - first)
		}
	}
	d.apply("ungrouped", p)
}
