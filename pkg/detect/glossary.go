package detect

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/view"
)

// Glossary says of words of many languages what they mean: which word of one list. Most attacks that the model
// has learned from are English. By their own words alone they teach nothing about another language; by what the words
// mean they do (word by word, as in Täckström et al., "Cross-lingual word clusters for direct transfer of linguistic
// structure", 2012, with lists instead of clusters). It is part of the model's file: weights were learned with it. It is
// immutable and safe for concurrent use. The zero Glossary knows no word.
type Glossary struct {
	entries []glossEntry // in the order of their hashes
	// table has the place of the first entry of a hash, from 1 on, at or behind that of the hash; 0 is free.
	table []uint32
	// maybe has a bit set for each hash by its last bits: most beginnings of words are none of any form, and the
	// table is too large for the cache that a processor has to itself.
	maybe [1 << (glossFilterBits - 6)]uint64
	// common are the first bits of hashes of English words, by the last ones: what mostly consists of them is English.
	common [1 << glossCommonBits]uint16
}

// GlossEnglish is the number of English among the languages.
const GlossEnglish = 0

// plainEnglish are words that have no meaning of their own, by which English is known.
const plainEnglish = "the of to a is in on at as it that have do be are was were has had been an or s t not if so does did there am"

// GlossaryForm is one form of a word of a language: Text may be several words, and with Open its end is open.
type GlossaryForm struct {
	Lang    int // below glossLangs
	Meaning int // below glossMeanings
	Text    string
	Open    bool
}

// glossEntry is what a glossary knows of letters with this hash.
type glossEntry struct {
	hash uint32
	what uint32 // kind, language and meaning
}

// Kinds of entries.
const (
	glossWhole = 1 + iota // the letters are a word
	glossOpen             // a word begins with them
	glossGoes             // they are the first words of a form that goes on
)

const (
	glossMeaningBits, glossLangBits = 12, 5
	glossMeanings, glossLangs       = 1 << glossMeaningBits, 1 << glossLangBits
	glossFilterBits                 = 20
	glossCommonBits                 = 14
	// glossLong bounds a form, and what is looked at of a word, in bytes.
	glossLong = 64
	// glossDense does so in scripts that do not space their words, where a form may begin at every letter.
	glossDense = 30
)

func (e glossEntry) kind() uint32 { return e.what >> (glossMeaningBits + glossLangBits) }
func (e glossEntry) lang() uint8  { return uint8(e.what >> glossMeaningBits & (glossLangs - 1)) }
func (e glossEntry) means() uint16 {
	return uint16(e.what & (glossMeanings - 1))
}

// NewGlossary puts forms together. One that folds to nothing, is too long, or has a number out of bounds is an error.
func NewGlossary(forms []GlossaryForm) (*Glossary, error) {
	var all []glossEntry
	for _, f := range forms {
		if f.Lang < 0 || f.Lang >= glossLangs || f.Meaning < 0 || f.Meaning >= glossMeanings {
			return nil, fmt.Errorf("glossary: %q: language %d or meaning %d is out of bounds", f.Text, f.Lang, f.Meaning)
		}
		text := []byte(view.FoldString(strings.Join(strings.Fields(f.Text), " ")))
		if len(text) == 0 || len(text) > glossLong {
			return nil, fmt.Errorf("glossary: %q folds to nothing, or is too long", f.Text)
		}
		put := func(kind int, h uint64) {
			all = append(all, glossEntry{uint32(h >> 32), uint32(kind)<<(glossMeaningBits+glossLangBits) | uint32(f.Lang)<<glossMeaningBits | uint32(f.Meaning)})
		}
		h, words, kind := uint64(hashSeed), 0, glossWhole
		for i := 0; i < len(text); {
			_, class, n := letterAt(text, i)
			if class == 0 { // between words
				i += n
				continue
			}
			if words > 0 {
				put(glossGoes, h)
				h = mixHash(h, ' ')
			}
			for ; i < len(text); i += n {
				if _, class, n = letterAt(text, i); class == 0 {
					break
				}
				if class&glossIsDense != 0 {
					kind = glossOpen
				}
				h = glossMix(h, text[i:i+n])
			}
			words++
		}
		if kind == glossOpen && len(text) > glossDense {
			return nil, fmt.Errorf("glossary: %q is too long", f.Text)
		}
		if words == 0 {
			return nil, fmt.Errorf("glossary: %q holds no letter", f.Text)
		}
		if f.Open {
			kind = glossOpen
		}
		put(kind, h)
	}
	slices.SortFunc(all, compareEntries)
	return newGlossary(slices.Compact(all)), nil
}

func compareEntries(a, b glossEntry) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.what, b.what))
}

// newGlossary makes a glossary of entries in their order.
func newGlossary(all []glossEntry) *Glossary {
	size := 2
	for size < 2*len(all) {
		size *= 2
	}
	g := &Glossary{entries: all, table: make([]uint32, size)}
	for k, e := range all {
		if e.lang() == GlossEnglish && e.kind() == glossWhole {
			g.addCommon(e.hash)
		}
		if k > 0 && all[k-1].hash == e.hash {
			continue
		}
		g.maybe[e.hash%(1<<glossFilterBits)>>6] |= 1 << (e.hash & 63)
		i := e.hash
		for ; g.table[int(i)&(size-1)] != 0; i++ {
		}
		g.table[int(i)&(size-1)] = uint32(k + 1)
	}
	for _, w := range strings.Fields(plainEnglish) {
		g.addCommon(uint32(hashString(w) >> 32))
	}
	return g
}

// empty reports that there is no glossary, or no word in it.
func (g *Glossary) empty() bool { return g == nil || len(g.entries) == 0 }

// of gives the entries of a hash.
func (g *Glossary) of(hash uint32) []glossEntry {
	if g.maybe[hash%(1<<glossFilterBits)>>6]>>(hash&63)&1 == 0 {
		return nil
	}
	for i := hash; ; i++ {
		k := g.table[int(i)&(len(g.table)-1)]
		if k == 0 {
			return nil
		}
		if from := g.entries[k-1:]; from[0].hash == hash {
			n := 1
			for n < len(from) && from[n].hash == hash {
				n++
			}
			return from[:n]
		}
	}
}

// addCommon takes in a word. Of two that share a place the later one is known.
func (g *Glossary) addCommon(hash uint32) { g.common[hash%(1<<glossCommonBits)] = uint16(hash >> 16) }

// english is how many words a text has, and how many of them are common in English.
type english struct{ words, common int32 }

func (e english) with(f english) english { return english{e.words + f.words, e.common + f.common} }

// most reports that it is English.
func (e english) most() bool { return 2*e.common >= e.words }

func (g *Glossary) english(toks []gramToken) (e english) {
	for _, t := range toks {
		if t.kind != tokWord && t.kind != tokIdeo {
			continue
		}
		e.words++
		hash := uint32(t.hash >> 32)
		e.common += int32(one(g.common[hash%(1<<glossCommonBits)] == uint16(hash>>16)))
	}
	return e
}

// glossMix adds the bytes of a letter to a hash.
func glossMix(h uint64, letter []byte) uint64 {
	for _, b := range letter {
		h = mixHash(h, uint64(lowerASCII[b]))
	}
	return h
}

// What letters are to a glossary.
const (
	glossIsLetter = 1 << iota // or digit: words consist of it
	glossIsDense              // of a script that does not space its words
)

// glossTable is glossClass of most letters.
var glossTable = func() (t [0x3100]uint8) {
	for r := range t {
		t[r] = glossClass(rune(r))
	}
	return
}()

func glossClass(r rune) (c uint8) {
	if r < utf8.RuneSelf && modelByte(lowerASCII[r]) || r >= utf8.RuneSelf && modelRune(r) {
		c = glossIsLetter
		if unspaced(r) {
			c |= glossIsDense
		}
	}
	return c
}

// letterAt gives the letter at text[i], its class and its length: nought of each behind the end.
func letterAt(text []byte, i int) (r rune, class uint8, n int) {
	if i < len(text) && text[i] < utf8.RuneSelf {
		return rune(text[i]), glossTable[text[i]], 1
	}
	if i >= len(text) {
		return 0, 0, 0
	}
	if r, n = utf8.DecodeRune(text[i:]); int(r) < len(glossTable) {
		return r, glossTable[r], n
	}
	return r, glossClass(r), n
}

// glossHit is a form that was found.
type glossHit struct {
	at, end int32 // where its word begins, and where it ends
	means   uint16
	lang    uint8
}

// forms appends the forms in a folded text, which lies at base.
func (g *Glossary) forms(hits []glossHit, text []byte, base int32) []glossHit {
	for i := 0; i < len(text); {
		r, class, n := letterAt(text, i)
		if class == 0 {
			i += n
			continue
		}
		known, end := len(hits), 0
		if hits, end = g.formsAt(hits, text, base, i, i); class&glossIsDense != 0 {
			i += n
			continue
		}
		// What Arabic writes as one with the word behind it: and, so, by, for, as, the.
		from := i
		for k := 0; k < 4 && known == len(hits) && r >= 0x620 && r < 0x650 && strings.ContainsRune("وفبلكسا", r); k++ {
			from += n
			hits, _ = g.formsAt(hits, text, base, i, from)
			r, _, n = letterAt(text, from)
		}
		for i = max(end, i+n); i < len(text); i += n { // to the end of the word
			if _, class, n = letterAt(text, i); class != glossIsLetter {
				break
			}
		}
	}
	return hits
}

// formsAt appends the forms that begin at from, for the word at i, and tells how far that word was looked at.
func (g *Glossary) formsAt(hits []glossHit, text []byte, base int32, i, from int) (_ []glossHit, word int) {
	h := uint64(hashSeed)
	size, most := 0, glossLong
	_, class, n := letterAt(text, from)
	if class&glossIsDense != 0 {
		most = glossDense
	}
	for j := from; size < most && j < len(text) && class != 0; {
		h = glossMix(h, text[j:j+n])
		j, size = j+n, size+n
		_, class, n = letterAt(text, j)
		ends := class != glossIsLetter
		if word == 0 && (ends || size >= most) {
			word = j
		}
		goes := false
		for _, e := range g.of(uint32(h >> 32)) {
			switch kind := e.kind(); {
			case kind == glossGoes:
				goes = true
			case kind == glossOpen || ends:
				hits = append(hits, glossHit{base + int32(i), base + int32(j), e.means(), e.lang()})
			}
		}
		if class == glossIsLetter || class != 0 && most == glossDense {
			continue
		}
		if !goes {
			break
		}
		h = mixHash(h, ' ')
		for j < len(text) && glossBlank(text[j]) {
			j++
		}
		_, class, n = letterAt(text, j)
	}
	return hits, word
}

// meanings appends what the forms of a text mean: of the longest ones of the language that covers most of it.
func meanings(dst []uint16, hits []glossHit) (means []uint16, lang uint8) {
	var votes, seen, long [glossLangs]int32 // the last word of a language that was met, and its longest form
	for _, h := range hits {
		l, n := h.lang, min(h.end-h.at, glossVotes)
		if seen[l] == h.at+1 {
			n -= min(n, long[l])
		} else {
			seen[l], long[l] = h.at+1, 0
		}
		votes[l] += n
		long[l] += n
	}
	for l := range votes {
		if votes[l] > votes[lang] {
			lang = uint8(l)
		}
	}
	end := int32(0)
	for i := 0; i < len(hits); {
		first, last := i, int32(0)
		for at := hits[i].at; i < len(hits) && hits[i].at == at; i++ {
			if hits[i].lang == lang {
				last = max(last, hits[i].end)
			}
		}
		if hits[first].at < end || last == 0 {
			continue
		}
		for _, h := range hits[first:i] {
			if h.lang == lang && h.end == last {
				dst = append(dst, h.means)
			}
		}
		end = last
	}
	return dst, lang
}

// glossVotes is how many bytes of a word count when a language is chosen.
const glossVotes = 8

// ofEnglish appends what words mean in English.
func (g *Glossary) ofEnglish(dst []uint16, toks []gramToken) []uint16 {
	for _, t := range toks {
		if t.kind != tokWord {
			continue
		}
		for _, e := range g.of(uint32(t.hash >> 32)) {
			if e.lang() == GlossEnglish && e.kind() == glossWhole {
				dst = append(dst, e.means())
			}
		}
	}
	return dst
}

// glossBlank tells what may stand between the words of a form.
func glossBlank(b byte) bool {
	return b == ' ' || b == '-' || b == '_' || b == '\'' || b == '\n' || b == '\r' || b == '\t'
}

// GlossSlots is the number of slots of [Meant].
const GlossSlots = 1 << 17

// glossNear is how many meanings behind one are paired with it. Languages put words in other orders,
// so a pair has none.
const glossNear = 3

// hashMeanings appends hashes of meanings, and of pairs of them that stand near to each other.
func hashMeanings(dst []uint64, means []uint16) []uint64 {
	for i, a := range means {
		dst = append(dst, mixHash(saltGloss, uint64(a)))
		for _, b := range means[i+1 : min(len(means), i+1+glossNear)] {
			if a != b {
				dst = append(dst, mixHash(mixHash(saltGloss, uint64(min(a, b))+1), uint64(max(a, b))))
			}
		}
	}
	return dst
}

// interpreter reads texts by a glossary. It is scratch memory.
type interpreter struct {
	hits, window []glossHit
	means        []uint16
	hashes       []uint64
}

// hear finds the forms of a sentence that lies at base. They are p.hits[from:to].
func (p *interpreter) hear(g *Glossary, text []byte, base int32) (from, to int32) {
	from = int32(len(p.hits))
	p.hits = g.forms(p.hits, text, base)
	return from, int32(len(p.hits))
}

// understand gives hashes of what the forms of a window mean, unless it is English after all. They are valid
// until the next window.
func (p *interpreter) understand(hits []glossHit) []uint64 {
	var lang uint8
	if p.means, lang = meanings(p.means[:0], hits); lang == GlossEnglish {
		return nil
	}
	return p.hash()
}

func (p *interpreter) hash() []uint64 {
	p.hashes = hashMeanings(p.hashes[:0], p.means)
	return p.hashes
}

// read gives hashes of what a text means, whatever its language.
func (p *interpreter) read(g *Glossary, text []byte, toks []gramToken) []uint64 {
	if p.hits = p.hits[:0]; g.empty() {
		return nil
	}
	if !g.english(toks).most() {
		p.hear(g, text, 0)
		return p.recall()
	}
	return p.readEnglish(g, toks)
}

// readEnglish does so with English words.
func (p *interpreter) readEnglish(g *Glossary, toks []gramToken) []uint64 {
	p.means = g.ofEnglish(p.means[:0], toks)
	return p.hash()
}

// recall does so with what was heard.
func (p *interpreter) recall() []uint64 {
	p.means, _ = meanings(p.means[:0], p.hits)
	return p.hash()
}

// glossSlots appends the slots that hashes have for [Meant].
func glossSlots(dst []uint32, hashes []uint64) []uint32 {
	for _, h := range hashes {
		dst = append(dst, uint32(h%GlossSlots))
	}
	return dst
}

// meantLeast is how many hashes what a window means has, at least.
const meantLeast = 3

// MeantUnit is what each of n hashes of meanings counts.
func MeantUnit(n int) float64 { return 1 / math.Sqrt(float64(max(n, 16))) }

// foreign fills f.Meant with what the words of a window mean, unless it is English: what is said
// there by words needs no other.
func (f *Features) foreign(g *Glossary, parts [][]byte) {
	if g.empty() || g.english(f.toks).most() {
		return
	}
	p, base := &f.interpreter, int32(0)
	p.hits = p.hits[:0]
	for _, text := range parts {
		p.hear(g, text, base)
		base += int32(len(text))
	}
	f.meant(p.understand(p.hits))
}

// meant fills f.Meant with the slots of hashes, if they are not too few.
func (f *Features) meant(hashes []uint64) {
	if f.Meant = f.Meant[:0]; len(hashes) >= meantLeast {
		f.Meant = meantSlots(f.Meant, hashes)
	}
}

// Interpret fills f.Meant with what the words of w mean whatever their language is, for training. The rest of f is
// that of w no more.
func (f *Features) Interpret(w *Window) {
	f.cut(w.Text)
	f.meant(f.interpreter.read(f.Glossary, w.Text, f.toks))
}

// meantSlots appends the places of hashes in the table of the windows' model.
func meantSlots(dst []uint32, hashes []uint64) []uint32 {
	for _, h := range hashes {
		dst = append(dst, gramSlot(h))
	}
	return dst
}

// writeGlossary writes a glossary: the number of its entries, and each.
func writeGlossary(b []byte, g *Glossary) []byte {
	if g == nil {
		g = new(Glossary)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(g.entries)))
	for _, e := range g.entries {
		b = binary.LittleEndian.AppendUint32(b, e.hash)
		b = binary.LittleEndian.AppendUint32(b, e.what)
	}
	return b
}

// readGlossary gives the glossary and what is behind it.
func readGlossary(b []byte) (g *Glossary, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := int(binary.LittleEndian.Uint32(b))
	if b = b[4:]; n > len(b)/8 {
		return nil, nil, false
	}
	all := make([]glossEntry, n)
	for i := range all {
		all[i] = glossEntry{binary.LittleEndian.Uint32(b[8*i:]), binary.LittleEndian.Uint32(b[8*i+4:])}
		if k := all[i].kind(); k < glossWhole || k > glossGoes || i > 0 && compareEntries(all[i-1], all[i]) >= 0 {
			return nil, nil, false
		}
	}
	return newGlossary(all), b[8*n:], true
}
