package chunk

import (
	"unicode"
	"unicode/utf8"
)

// DefaultChunkBytes is the usual upper size of a chunk's text, in bytes.
const DefaultChunkBytes = 8 << 10

// Cut cuts a document's text into chunks of at most max bytes. Redactions must be
// sorted and must not overlap; they are dealt out to the chunks they lie in, and no
// cut falls inside one (a single redaction longer than max makes one longer chunk).
// Cuts fall, in order of preference, after a blank line, a line, a sentence or a
// word, and always between grapheme clusters as far as marks, joiners and
// variation selectors go. Every text, the empty one too, gives at least one chunk.
func Cut(event ID, text Content, redactions []Redaction, class Class, max int) []Chunk {
	if max < utf8.UTFMax {
		max = DefaultChunkBytes
	}
	var out []Chunk
	for start := 0; start < len(text) || len(out) == 0; {
		end := cutPoint(text, redactions, start, max)
		c := Chunk{ID: ChunkID(event, len(out)), Ordinal: len(out), Start: start, Class: class, Text: text[start:end:end]}
		for len(redactions) > 0 && redactions[0].Start < end {
			r := redactions[0]
			r.Span = r.Span.Shift(-start)
			c.Redactions = append(c.Redactions, r)
			redactions = redactions[1:]
		}
		out = append(out, c)
		start = end
	}
	return out
}

// cutPoint chooses where the chunk that begins at start ends.
func cutPoint(text []byte, redactions []Redaction, start, max int) int {
	if len(text)-start <= max {
		return len(text)
	}
	limit := start + max
	for _, r := range redactions { // never inside a redaction
		if r.Start < limit && limit < r.End {
			if r.Start > start {
				limit = r.Start
			} else {
				return r.End
			}
			break
		}
	}
	free := func(at int) bool { // not inside a redaction, not before a mark
		for _, r := range redactions {
			if r.Start >= at {
				break
			}
			if at < r.End {
				return false
			}
		}
		return boundary(text, at)
	}
	best, rank := 0, 0
	for at := limit; at > start+max/2 && rank < 4; at-- {
		if r := cutRank(text, at); r > rank && free(at) {
			best, rank = at, r
		}
	}
	if rank > 0 {
		return best
	}
	for at := limit; at > start; at-- {
		if free(at) {
			return at
		}
	}
	for at := limit; at > start; at-- { // one cluster longer than max: between its runes
		if utf8.RuneStart(text[at]) {
			return at
		}
	}
	return limit
}

// cutRank says how good a place to cut lies just before text[at].
func cutRank(text []byte, at int) int {
	switch text[at-1] {
	case '\n':
		if at >= 2 && (text[at-2] == '\n' || text[at-2] == '\r') {
			return 4
		}
		return 3
	case ' ', '\t':
		if at >= 2 {
			switch text[at-2] {
			case '.', '!', '?':
				return 2
			}
		}
		return 1
	}
	return 0
}

// boundary reports whether a grapheme cluster may begin at text[at].
func boundary(text []byte, at int) bool {
	if at <= 0 || at >= len(text) {
		return true
	}
	if !utf8.RuneStart(text[at]) {
		return false
	}
	const zwj = '\u200d'
	r, _ := utf8.DecodeRune(text[at:])
	prev, _ := utf8.DecodeLastRune(text[:at])
	return !unicode.Is(unicode.M, r) && r != zwj && prev != zwj && !unicode.Is(unicode.Variation_Selector, r)
}
