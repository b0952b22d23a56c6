package view

import (
	"math"
	"math/bits"
)

// Decoder undoes encodings and spelling tricks. Its memory is used again from text
// to text: what it hands out is valid until Reset. The zero value knows no words. It
// must not be used by two goroutines at once.
type Decoder struct {
	words *Words
	text  []byte
	toks  []token
	parts []extent
	wide  bool // text holds more than ASCII
	work  int
	wants Wants // of the text
	room  int   // bytes that views may still hold
	views []View

	// One bit for each byte of text: see masks.
	letter, upper, digit, sign, line, stop []uint64
	run                                    []uint64 // what may belong to a base64 run
	block64                                masks    // of the block looked at last
	names                                  []extent // runs of eight and more of the former
	begins, ended                          []int32  // words of six letters and more: where they begin, and end
	strange                                []unknown
	places                                 []int32 // where signs stand
	seen                                   bool    // by Plain, just now
	// One bit for each 64 bytes of text: where codes stand, single letters, long runs, words
	// without spaces, digits inside words, words with mixed letters. Without any they may stand
	// everywhere.
	coded, spaced, packed, fused, leety, mixed []uint64

	flipped  []flip    // where Probe saw words in another order
	odd      []oddity  // where Probe saw ciphers
	behind   glance    // what it saw between the last two blocks that it looked at closely
	gain     int       // how much better the block looked at last reads in the best of shifts
	rows     []series  // where it saw words that signs join
	dense    []dense85 // where it saw base85
	ran      int       // how far it looked for that
	moved    []moved   // lines it saw whose letters are out of their places
	scarce   bool      // it saw rows of few different letters
	noisy    bool      // it saw signs inside words
	walked   int       // how far it looked for such words
	seams    []extent  // where it saw what parts the pieces of sentences
	framedTo int       // where the last of them ends
	looks    looks     // what its second looks left

	// Where signs come next: the end of a link with a title, of a tag, of a comment,
	// and a closing tag.
	title, tagEnd, commentEnd, closing ahead

	// Memory of the decoders.
	p    [4]patches
	buf  []byte
	bare []byte
	cell []cell
	ends []int
	pos  []int32
	nums []uint8

	// Views lie in blocks; a full block is left to its views.
	block   []byte
	extents []extent
}

// token is a run of letters, marks and digits.
type token struct{ from, to, runes int }

// blockMin and blockMax bound the memory that is kept from text to text, in bytes
// of views.
const (
	blockMin = 4 << 10
	blockMax = 1 << 20
)

// Reset forgets the text and all views.
func (d *Decoder) Reset(words *Words) {
	d.words, d.text, d.work, d.seen = words, nil, 0, false
	clear(d.views)
	d.views = d.views[:0]
	d.block, d.extents = d.block[:0], d.extents[:0]
	if cap(d.block) > blockMax {
		*d = Decoder{words: words}
	}
}

// start begins a view of at most n bytes.
func (d *Decoder) start(name string, n int) View {
	if cap(d.block)-len(d.block) < n {
		size := max(blockMin, 2*cap(d.block), n)
		d.block, d.extents = make([]byte, 0, size), make([]extent, 0, size)
	}
	k := len(d.block)
	return View{Name: name, Text: d.block[k:k:cap(d.block)], at: d.extents[k:k:cap(d.extents)]}
}

// emit hands out a view that start began.
func (d *Decoder) emit(v View) {
	n := len(v.Text)
	if d.room -= n; n == 0 || d.room < 0 {
		return
	}
	if k := len(d.block); n <= cap(d.block)-k { // it lies in the block
		d.block, d.extents = d.block[:k+n], d.extents[:k+n]
		v.Text, v.at = v.Text[:n:n], v.at[:n:n]
	}
	d.views = append(d.views, v)
}

// near gives the parts of the text that lie within reach blocks of 64 bytes of a
// marked one, none of them beginning or ending inside a word; the whole text when
// nothing is marked.
func (d *Decoder) near(marks []uint64, reach int) []extent {
	d.parts = d.parts[:0]
	n := len(d.text)
	for k, m := range marks {
		for ; m != 0; m &= m - 1 {
			at := k<<6 + bits.TrailingZeros64(m)
			from, to := max(0, at-reach)<<6, min(n, (at+reach+1)<<6)
			if i := len(d.parts); i > 0 && from <= int(d.parts[i-1].to) {
				d.parts[i-1].to = int32(to)
				continue
			}
			d.parts = append(d.parts, extent{int32(from), int32(to)})
		}
	}
	if len(d.parts) == 0 {
		return append(d.parts, extent{0, int32(n)})
	}
	last := int32(0)
	kept := d.parts[:0]
	for _, x := range d.parts {
		x.from = max(x.from, last) // the part before may have grown into this one
		for x.from > last && d.text[x.from-1] > ' ' {
			x.from--
		}
		for int(x.to) < n && d.text[x.to] > ' ' {
			x.to++
		}
		if x.to > last { // a long word may have swallowed it
			last = x.to
			kept = append(kept, x)
		}
	}
	d.parts = kept
	return kept
}

// settle takes the blocks that patches decode, and that read as text now, out of those where
// codes stand: what is read needs no other reading, which would cost as much again.
// Apart is how much may stand between two patches that belong together.
func (d *Decoder) settle(p *patches, apart int, reads func([]byte) bool, marks []uint64, want Wants) {
	left, taken := uint64(0), false
	for i := 0; i < len(p.list); {
		j := i + 1
		for j < len(p.list) && p.list[j].from-p.list[j-1].to <= apart {
			j++
		}
		first, end := (p.list[i].from+32)>>6, (p.list[j-1].to+32)>>6 // blocks of which it is half or more
		if first < end && p.list[j-1].to-p.list[i].from >= 64 && reads(p.Text[p.list[i].lo:p.list[j-1].hi]) {
			for k := first; k < end; k++ {
				taken = taken || marks[k>>6]>>(k&63)&1 == 1
				marks[k>>6] &^= 1 << (k & 63)
			}
		}
		i = j
	}
	for _, m := range marks {
		left |= m
	}
	if taken && left == 0 {
		d.wants &^= want
	}
}

// speech reports that text reads as a language does, and is letters for the most part.
func speech(text []byte) bool {
	usual, order, n := sumOf(text)
	return 2*n >= len(text) && tenfold(usual, n) >= fitUsual && order > 0
}

// spend counts bytes that were looked at closely.
func (d *Decoder) spend(n int) { d.work += n }

// Decode builds the views that are wanted of a folded text, the one that Probe saw last.
// Their offsets are offsets into text. Every decoder takes time in proportion to the
// text. It gives up, and reports false, when the views hold more than room bytes. The
// slice is valid until the next call, the views until Reset.
func (d *Decoder) Decode(text []byte, wants Wants, room int) (views []View, ok bool) {
	if !d.holds(text) {
		d.look(text)
		d.cipherAll(wants)
		d.gluedAll(wants)
		d.framedAll(wants)
		d.denseAll(wants)
		d.flipped = d.flipped[:0]
		if wants&WantOrder != 0 {
			d.flips()
		}
	}
	clear(d.views)
	d.views, d.room, d.wants = d.views[:0], room, wants
	for _, x := range decoders {
		if d.room < 0 {
			break
		}
		if d.wants&x.want != 0 {
			x.run(d)
		}
	}
	if wants&WantCaesar != 0 && d.room >= 0 {
		name := "caesar"
		if wants.shift() == 13 {
			name = "rot13"
		}
		d.mapped(name, caesar(wants.shift()))
	}
	return d.views, d.room >= 0
}

// decoders are what undoes each disguise, in the order in which their views are tried.
var decoders = [...]struct {
	want Wants
	run  func(*Decoder)
}{
	{WantEscapes, (*Decoder).escapes},
	{WantMarkup, (*Decoder).markup},
	{WantMarkup, (*Decoder).cues},
	{WantCodes, (*Decoder).dumps},
	{WantCodes, func(d *Decoder) { d.hexed(d.tokens(d.near(d.coded, 2))) }},
	{WantRuns, (*Decoder).runs},
	{WantFused, (*Decoder).squash},
	{WantFused, (*Decoder).ungroup},
	{WantRuns, func(d *Decoder) { d.groups(d.tokens(d.near(d.packed, 2))) }},
	{WantCodes, (*Decoder).codes},
	{WantCodes, (*Decoder).calls},
	{WantCodes, (*Decoder).inNumbers},
	{WantSpelt, (*Decoder).spelt},
	{WantDense, (*Decoder).undense},
	{WantSpacing, (*Decoder).spacing},
	{WantLeet, (*Decoder).leet},
	{WantConcat, (*Decoder).concats},
	{WantSpelling, (*Decoder).respell},
	{WantReversed, (*Decoder).reversed},
	{WantOrder, (*Decoder).unflip},
	{WantCipher, (*Decoder).decipher},
	{WantJoined, (*Decoder).joinedWords},
	{WantFramed, (*Decoder).unframe},
	{WantPig, (*Decoder).pigLatin},
	{WantAtbash, func(d *Decoder) { d.mapped("atbash", atbash) }},
	{WantRot47, func(d *Decoder) { d.mapped("rot47", rot47) }},
}

// Decode is [Decoder.Decode] for one text: it hands each view to emit, and returns
// the sum of what was looked at, in bytes.
func Decode(text []byte, wants Wants, words *Words, emit func(View)) (work int) {
	d := Decoder{words: words}
	views, _ := d.Decode(text, wants, math.MaxInt)
	for _, v := range views {
		emit(v)
	}
	return d.work
}
