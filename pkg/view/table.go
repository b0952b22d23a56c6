package view

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed fold.txt
var foldText string

type entry struct {
	to    string // folded; empty: unchanged
	look  string // ASCII look-alike; empty: none
	flags uint8
}

const (
	fDrop    uint8 = 1 << iota // invisible
	fMark                      // combining mark
	fSpace                     // white space
	fLine                      // line break
	fCompat                    // compatibility form
	fAlone                     // look-alike in words without Latin letters too
	fDrawn                     // look-alike in words that hold nothing else
	fCompose                   // takes part in canonical composition
)

// table is the fold table: code point >> 8 selects a page, a page holds indices
// into entries. Page 0 and entry 0 stand for "unchanged".
type table struct {
	pages   [0x110000 >> 8]uint16
	cells   [][256]uint16
	entries []entry
}

func (t *table) at(r rune) *entry {
	if uint32(r) > 0x10ffff {
		return &t.entries[0]
	}
	return &t.entries[t.cells[t.pages[r>>8]][r&0xff]]
}

// folding parses the embedded table once: about 12,700 lines, a few milliseconds.
var folding = sync.OnceValue(func() *table {
	t := &table{cells: make([][256]uint16, 1, 128), entries: make([]entry, 1, 4096)}
	seen := map[string]uint16{";;": 0}
	for rest := foldText; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		cp, tail, _ := strings.Cut(line, ";")
		r, err := strconv.ParseInt(cp, 16, 32)
		if err != nil || r > 0x10ffff {
			panic("view: the embedded fold table is damaged")
		}
		idx, ok := seen[tail]
		if !ok {
			idx = uint16(len(t.entries))
			t.entries = append(t.entries, parseEntry(tail))
			seen[tail] = idx
		}
		p := t.pages[r>>8]
		if p == 0 {
			p = uint16(len(t.cells))
			t.cells = append(t.cells, [256]uint16{})
			t.pages[r>>8] = p
		}
		t.cells[p][r&0xff] = idx
	}
	return t
})

func parseEntry(tail string) entry {
	flags, tail, _ := strings.Cut(tail, ";")
	to, look, _ := strings.Cut(tail, ";")
	e := entry{look: look}
	for _, c := range flags {
		switch c {
		case 'd':
			e.flags |= fDrop
		case 'm':
			e.flags |= fMark
		case 's':
			e.flags |= fSpace
		case 'n':
			e.flags |= fLine
		case 'k':
			e.flags |= fCompat
		case 'w':
			e.flags |= fAlone
		case 'g':
			e.flags |= fDrawn
		case 'c':
			e.flags |= fCompose
		}
	}
	for _, h := range strings.Fields(to) {
		r, err := strconv.ParseInt(h, 16, 32)
		if err != nil {
			panic("view: the embedded fold table is damaged")
		}
		e.to += string(rune(r))
	}
	return e
}
