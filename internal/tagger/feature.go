package tagger

import (
	"github.com/stoplog/stoplog/corpus/names"
)

// Kinds of lines: how a line is written says how much a capital means in it.
const (
	linePlain   = iota
	lineLower   // no capitals
	lineCaps    // capitals only
	lineHeading // most words have a capital
	lineCode    // source code, JSON, logs
	lineShort   // three words or fewer
	lineLog     // begins with digits and has many
	lineGerman  // nouns have capitals; of blocks only
)

// block is a part of a text that is decided at once.
type block struct {
	toks     []token
	text     []byte
	seen     [64]uint64 // words that occur in lower case
	mails    [64]uint64 // words and endings in the local parts of addresses
	caseless bool       // there are words of scripts without capitals
	style    uint8      // of the whole block: linePlain, lineLower, lineCaps
	feats    []uint32
	gaps     gapMemo
	known    wordMemo
	letters  *[1 << 16]uint8 // nil until a character asks
}

func (d *block) load(b []byte) {
	d.text = b
	d.toks = d.tokens(d.toks[:0], b)
	clear(d.seen[:])
	clear(d.mails[:])
	lines := d.toks
	ups, lows, allCaps, german := 0, 0, 0, 0
	at := 0
	d.caseless = false
	for i := range lines {
		t := &lines[i]
		switch t.shape {
		case caseless:
			d.caseless = true
		case lower:
			lows++
			mark(&d.seen, t.hash)
			if t.flags&names.German != 0 {
				german++
			}
		case title, mixed:
			ups++
		case caps:
			allCaps++
		}
		if t.bound && !(t.shape == number) {
			if e := int(t.end); e < len(b) && (b[e] == '@' || b[e] == '.' || b[e] == '_' || b[e] == '-') {
				mark(&d.mails, t.hash)
				mark(&d.mails, t.suffix)
			}
		}
		if i > at && (t.gap == gapLine || t.gap == gapBlank || t.gap == gapCommaLine || t.gap == gapStopLine || t.gap == gapColonLine || t.gap == gapBullet) {
			d.line(at, i)
			at = i
		}
	}
	if at < len(lines) {
		d.line(at, len(lines))
	}
	d.style = linePlain
	switch {
	case ups+allCaps == 0 || lows > 40 && (ups+allCaps)*50 < lows:
		d.style = lineLower
	case allCaps > 3 && lows+ups <= allCaps/4:
		d.style = lineCaps
	case german >= 3 && german*6 > len(lines) || german >= 1 && len(lines) < 12 && german*4 > len(lines):
		d.style = lineGerman
	}
}

// line gives the tokens from i to j, one line, its kind.
func (d *block) line(i, j int) {
	toks := d.toks[i:j]
	ups, lows, allCaps, numbers, code, bound := 0, 0, 0, 0, 0, 0
	for k := range toks {
		t := &toks[k]
		switch t.shape {
		case lower:
			lows++
		case title, mixed, initial:
			ups++
		case caps:
			allCaps++
		case number, camel:
			numbers++
		}
		if t.bound {
			bound++
		}
		switch t.gap {
		case gapCode, gapUnder, gapEqual:
			code++
		case gapKey, gapItem, gapTag, gapSlash, gapPipe, gapOther:
			if k > 0 {
				code++
			}
		}
	}
	words := ups + lows + allCaps
	kind := uint8(linePlain)
	switch {
	case code+bound > 2 && (code+bound)*4 > len(toks):
		kind = lineCode
		if numbers >= 4 && numbers*4 > len(toks) {
			kind = lineLog
		}
	case numbers >= 5 && numbers*3 > len(toks):
		kind = lineLog
	case words <= 3:
		kind = lineShort
	case allCaps > 1 && allCaps >= (words*3+3)/4:
		kind = lineCaps
	case ups+allCaps == 0:
		kind = lineLower
	case (ups+allCaps)*5 >= words*4:
		kind = lineHeading
	}
	for k := range toks {
		toks[k].line = kind
	}
}

func mark(set *[64]uint64, h uint32) {
	h *= 0x9E3779B1
	set[h>>26] |= 1 << (h >> 20 & 63)
}

func marked(set *[64]uint64, h uint32) bool {
	h *= 0x9E3779B1
	return set[h>>26]&(1<<(h>>20&63)) != 0
}

// candidate reports whether the token at i could be part of a name, given those before
// it. It is cheap: source code and logs end here.
func (d *block) candidate(i int) bool {
	t := &d.toks[i]
	if t.bound || t.drawn || t.size == 15 && t.shape != title {
		return false
	}
	f := t.flags
	known := f&(names.KnownForename|names.KnownSurname|names.Forename) != 0
	prev := i > 0 && d.toks[i-1].person && !d.toks[i-1].poss && (t.gap == gapSpace || t.gap == gapHyphen || t.gap == gapNone)
	switch t.shape {
	case title, mixed:
		if f&names.Stop != 0 && f&(names.KnownForename|names.Particle) == 0 {
			return f&names.Name != 0 && (prev || d.opens(i))
		}
		return f&names.Time == 0 || known
	case initial:
		if prev && d.toks[i-1].shape != lower {
			return true
		}
		if i+1 >= len(d.toks) {
			return false
		}
		n := &d.toks[i+1]
		if t.dot && n.shape == initial {
			return t.line != lineCode
		}
		if n.gap == gapDot && t.line == lineCode {
			return false
		}
		return (n.shape == title || n.shape == mixed || n.shape == caps && t.dot) && (t.dot && (n.gap == gapStop || n.gap == gapDot) || n.gap == gapSpace && f&names.Stop == 0)
	case caps:
		if t.size == 2 {
			return f&names.KnownSurname != 0 || prev
		}
		if d.style == lineCaps && f&(names.Stop|names.Frequent) == 0 && (known || f&names.Word == 0) {
			return true
		}
		if f&names.Name != 0 {
			return f&names.Word == 0 || prev || known && t.line != lineCode && (t.line == lineCaps || d.opens(i) || i+1 < len(d.toks) && d.toks[i+1].shape == caps && d.toks[i+1].flags&names.Name != 0)
		}
		return f&(names.Stop|names.Frequent) == 0 && (prev || d.opens(i) || i+1 < len(d.toks) && d.toks[i+1].shape == caps && d.toks[i+1].flags&names.Name != 0 && d.toks[i+1].flags&names.Word == 0)
	case caseless:
		return f&names.Name != 0
	case lower:
		if i+1 < len(d.toks) && signs[d.toks[i+1].gap] || signs[t.gap] {
			return false
		}
		switch {
		case t.line == lineCode:
			return prev && f&names.Particle != 0
		case f&(names.Stop|names.Frequent) != 0 && !known:
			return prev && (f&names.Particle != 0 || t.gap == gapHyphen)
		case prev && d.toks[i-1].shape != lower:
			return f&names.Particle != 0 || t.gap == gapHyphen || f&names.Word == 0 && f&(names.KnownForename|names.KnownSurname) != 0
		case prev:
			return f&names.Word == 0 || f&(names.KnownForename|names.KnownSurname|names.Particle) != 0
		case known:
			return f&names.Word == 0 || f&(names.KnownForename|names.Frequent) == names.KnownForename || d.style == lineLower && f&names.Stop == 0 || d.opens(i)
		case d.style == lineLower && f&names.RareForename != 0 && f&names.Word == 0:
			return true
		}
		return f&names.Word == 0 && t.size > 2 && d.opens(i)
	}
	return false
}

// signs are the gaps that source code has and sentences have not.
var signs = func() (s [gaps]bool) {
	for _, g := range []gap{gapCode, gapUnder, gapEqual, gapTag, gapOpen, gapSlash, gapDot, gapOther} {
		s[g] = true
	}
	return
}()

// opens reports whether the word before is one that a name follows, whoever knows it.
func (d *block) opens(i int) bool {
	if i == 0 || d.toks[i].gap != gapSpace && d.toks[i].gap != gapColon && d.toks[i].gap != gapComma && d.toks[i].gap != gapStop {
		return false
	}
	p := &d.toks[i-1]
	if p.flags&(names.Title|names.Naming|names.PersonKey) != 0 {
		return true
	}
	if p.flags&names.Greeting != 0 {
		return p.flags&names.Place == 0
	}
	// my name is, this is, and name:
	if i > 1 && p.flags&names.Intro != 0 && p.size == 2 {
		return d.toks[i-2].flags&names.Naming != 0
	}
	return false
}

// runs calls f for every run of candidates: tokens from i to j.
func (d *block) runs(f func(i, j int)) {
	start := -1
	for i := range d.toks {
		t := &d.toks[i]
		t.person = d.candidate(i)
		if !t.person {
			if start >= 0 && (t.shape == lower || t.shape == title) && t.flags&names.Particle != 0 && t.gap == gapSpace && i+1 < len(d.toks) && d.toks[i+1].gap == gapSpace && (d.toks[i+1].shape == title || d.toks[i+1].shape == mixed || d.toks[i+1].shape == lower && d.toks[i+1].flags&names.Particle != 0 && d.toks[i-1].shape != lower) {
				t.person = true // de la Cruz
			} else {
				if start >= 0 {
					f(start, i)
					start = -1
				}
				continue
			}
		}
		if start >= 0 && (i-start >= maxRun || d.apart(i)) {
			f(start, i)
			start = -1
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		f(start, len(d.toks))
	}
}

// apart reports whether the gap before a candidate ends the name before it.
func (d *block) apart(i int) bool {
	t, p := &d.toks[i], &d.toks[i-1]
	if p.poss {
		return true
	}
	switch t.gap {
	case gapSpace, gapHyphen, gapNone, gapComma, gapQuote, gapDot:
		return false
	case gapLine: // a name may be wrapped
		return t.line > lineLower || p.line > lineLower
	case gapStop: // J. Smith, St. John
		return !p.dot || p.shape != initial && p.flags&names.Title == 0 && p.size > 3
	}
	return true
}

// maxRun bounds the words decided together.
const maxRun = 24

// nameKind folds what the lists say of a word into few values.
func nameKind(f names.Flags) uint32 {
	k := uint32(0)
	switch {
	case f&names.KnownForename != 0:
		k = 3
	case f&names.Forename != 0:
		k = 2
	case f&names.RareForename != 0:
		k = 1
	}
	switch {
	case f&names.KnownSurname != 0:
		k += 12
	case f&names.Surname != 0:
		k += 8
	case f&names.RareSurname != 0:
		k += 4
	}
	switch {
	case f&names.Stop != 0:
		k += 48
	case f&names.Frequent != 0:
		k += 32
	case f&names.Word != 0:
		k += 16
	}
	if f&(names.Place|names.Time) != 0 {
		k += 64
	}
	if f&names.Org != 0 {
		k += 128
	}
	return k
}

const contextFlags = names.Time | names.Title | names.Greeting | names.Signoff | names.Speech | names.Intro | names.Role | names.Possessive | names.OrgTail | names.PlaceTail | names.PlaceHead | names.PersonKey | names.ThingKey | names.Particle | names.Stop | names.Place | names.Org | names.Naming

var outside = token{shape: number, gap: gapStart}

func mix(id, a, b uint32) uint32 {
	h := id*0x9E3779B1 ^ a*0x85EBCA6B
	h = (h ^ h>>15) * 0x2C1B3C6D
	h ^= b * 0xC2B2AE35
	h = (h ^ h>>13) * 0x297A2D39
	return h ^ h>>16
}

// features gives the hashed features of the token at i in a run of candidates from
// start to end.
func (d *block) features(out []uint32, i, start, end int) []uint32 {
	t := &d.toks[i]
	p, pp, n, nn := &outside, &outside, &outside, &outside
	if i > 0 {
		p = &d.toks[i-1]
	}
	if i > 1 {
		pp = &d.toks[i-2]
	}
	after := gapStart
	afterSep := uint32(0)
	if i+1 < len(d.toks) {
		n = &d.toks[i+1]
		after, afterSep = n.gap, n.sep
	}
	if i+2 < len(d.toks) {
		nn = &d.toks[i+2]
	}
	sh, kind := uint32(t.shape), nameKind(t.flags)
	pk, nk := nameKind(p.flags), nameKind(n.flags)
	before := uint32(t.gap)
	ps, ns := uint32(p.shape), uint32(n.shape)
	line := uint32(t.line)
	shapeKind := kind<<4 | sh
	add := func(id, a, b uint32) { out = append(out, mix(id, a, b)) }

	// The word itself.
	add(1, sh, line)
	add(2, kind, sh)
	add(3, kind, line<<4|sh)
	if t.hash != 0 {
		add(4, t.hash, 0)
	}
	add(5, t.suffix, sh)
	add(6, t.suffix&0xFFFFFF, sh)
	add(7, t.suffix&0xFFFF, sh)
	add(8, t.prefix&0xFFFFFF, sh)
	add(9, uint32(t.size), sh)
	// The word before.
	if p.hash != 0 {
		add(10, p.hash, before)
	}
	add(11, pk<<4|ps, shapeKind<<5|before)
	add(12, pk<<4|ps, before)
	add(13, before, shapeKind)
	add(14, t.sep, sh)
	add(15, ps, ns<<8|sh<<4)
	for f := p.flags & contextFlags; f != 0; f &= f - 1 {
		bit := uint32(f & -f)
		add(16, bit, before)
		add(17, bit, before<<16|shapeKind)
	}
	// The one before that.
	if pp.hash != 0 {
		add(18, pp.hash, uint32(p.gap)<<8|before)
		if p.hash != 0 {
			add(19, pp.hash, p.hash)
		}
	}
	for f := pp.flags & contextFlags &^ names.Stop; f != 0; f &= f - 1 {
		add(20, uint32(f&-f), uint32(p.gap)<<8|before)
	}
	// The word behind, and the next.
	if n.hash != 0 {
		add(21, n.hash, uint32(after))
	}
	add(22, nk<<4|ns, shapeKind<<5|uint32(after))
	add(23, nk<<4|ns, uint32(after))
	add(24, uint32(after), shapeKind)
	add(25, afterSep, sh)
	for f := n.flags & contextFlags; f != 0; f &= f - 1 {
		bit := uint32(f & -f)
		add(26, bit, uint32(after))
		add(27, bit, uint32(after)<<16|shapeKind)
	}
	if nn.hash != 0 {
		add(28, nn.hash, uint32(after)<<8|uint32(nn.gap))
	}
	add(29, uint32(after)<<8|before, kind)
	add(30, uint32(after)<<8|before, line<<4|sh)
	// The run and the text.
	length := uint32(min(end-start, 6))
	add(31, length<<4|uint32(min(i-start, 7)), kind)
	add(32, length<<4|uint32(min(i-start, 7)), line<<4|sh)
	if t.shape != lower && marked(&d.seen, t.hash) {
		add(33, kind, before)
		add(34, line, 1)
	}
	if marked(&d.mails, t.hash) {
		add(35, 1, sh)
	} else if t.size > 4 && marked(&d.mails, t.suffix) {
		add(35, 2, sh)
	}
	add(36, uint32(d.style), shapeKind)
	if d.style == lineGerman {
		add(39, before, shapeKind)
		add(40, t.suffix&0xFFFFFF, 0)
		add(41, pk<<4|ps, kind)
		add(42, uint32(after)<<8|before, kind)
	}
	if t.poss {
		add(37, kind, sh)
	}
	if t.dot {
		add(38, sh, uint32(min(t.size, 5)))
	}
	return out
}
