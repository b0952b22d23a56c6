// Package names says what a word can be: forename, surname, place, firm, ordinary word,
// or a word that names stand beside. names.txt comes from lists in the public domain and
// from counts (go generate); own.txt is this project's.
package names

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

//go:generate go run gen.go

// Lists is one name a line, in lower case, a tab and its flags in hexadecimal. Lines
// that begin with # are comments.
//
//go:embed names.txt
var Lists string

// Own has a section for each kind of word; words stand in lower case, between blanks.
//
//go:embed own.txt
var Own string

// Flags say what a word can be; zero: nobody knows it.
type Flags uint32

// What a word can be.
const (
	Forename      Flags = 1 << iota // common somewhere
	RareForename                    //
	Surname                         // common somewhere
	RareSurname                     //
	Word                            // an ordinary word
	Frequent                        // an ordinary word, and a frequent one
	Place                           // country, region, town
	Org                             // firm, brand, product
	Time                            // month, day, feast
	Title                           // Mr, Frau, Señora
	Greeting                        // Dear, Hola
	Signoff                         // regards, saludos
	Speech                          // what persons do: said, wohnt
	Intro                           // a name stands behind: by, named, soy
	Role                            // what a person is: patient, Zeuge
	Possessive                      // my, seine
	OrgTail                         // Ltd, university, algorithm
	PlaceTail                       // street, valley
	PlaceHead                       // San, Rue, north
	PersonKey                       // firstname, Verfasser
	ThingKey                        // city, product, Betreff
	Particle                        // van, de, bin
	Stop                            // the, und, qui
	KnownForename                   // of many people
	KnownSurname                    // of many people
	Naming                          // a name stands right behind: called, heiße
	German                          // a function word of a language whose nouns have capitals
	thing                           // several words, joined by low lines: see [Thing]

	// Name is all that speaks for a person's name.
	Name = Forename | RareForename | Surname | RareSurname
)

var sections = map[string]Flags{
	"forename": Forename | KnownForename, "surname": Surname | KnownSurname, "place": Place, "org": Org, "time": Time, "title": Title,
	"greeting": Greeting, "signoff": Signoff, "speech": Speech, "intro": Intro, "role": Role, "poss": Possessive, "orgtail": OrgTail,
	"placetail": PlaceTail, "placehead": PlaceHead, "person-key": PersonKey, "thing-key": ThingKey, "particle": Particle, "stop": Stop, "naming": Naming, "word": Word, "german": German, "thing": thing,
}

// table is a hash table with open addressing. Words with the same hash of 32 bits are
// taken for one another: one unknown word in twenty thousand.
type table struct {
	entries []entry // a power of two
	mask    uint32

	things map[uint32]bool
}

// entry is a word's hash beside its flags: a question waits for memory once. Zero flags:
// nothing is there.
type entry struct {
	hash  uint32
	flags Flags
}

var once = sync.OnceValue(func() *table {
	const size = 1 << 19
	t := &table{entries: make([]entry, size), mask: size - 1, things: map[uint32]bool{}}
	EachListed(func(word string, f Flags) { t.add(word, f) })
	EachOwn(func(word string, f Flags) {
		if f != thing {
			t.add(word, f)
			return
		}
		h := uint32(0)
		for part := range strings.SplitSeq(word, "_") {
			h = join(h, Hash([]byte(part)))
		}
		t.things[h] = true
	})
	return t
})

// EachListed calls f for every word of [Lists].
func EachListed(f func(word string, flags Flags)) {
	rest := Lists
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		name, hex, ok := strings.Cut(line, "\t")
		if !ok || line[0] == '#' {
			continue
		}
		flags := Flags(0)
		for i := 0; i < len(hex); i++ {
			v := Flags(hex[i] - '0')
			if hex[i] >= 'a' {
				v = Flags(hex[i]-'a') + 10
			}
			flags = flags<<4 | v
		}
		f(name, flags)
	}
}

// EachOwn calls f for every word of [Own]; a word of several sections comes several
// times.
func EachOwn(f func(word string, flags Flags)) {
	kind := Flags(0)
	for line := range strings.SplitSeq(Own, "\n") {
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			var ok bool
			if kind, ok = sections[strings.Trim(line, "[]")]; !ok {
				panic("names: unknown section " + line)
			}
		default:
			for w := range strings.FieldsSeq(line) {
				f(w, kind)
			}
		}
	}
}

func (t *table) add(word string, f Flags) {
	t.put(word, f)
	var buf [64]byte
	if plain, ok := fold(buf[:0], word); ok {
		t.put(string(plain), f&^(Word|Frequent))
	}
	if i := strings.LastIndexAny(word, "-'"); i > 0 && f&KnownSurname != 0 { // al-sayed
		t.put(word[i+1:], f)
	}
}

func (t *table) put(word string, f Flags) {
	h := HashStart
	for i := range len(word) {
		h = HashAdd(h, word[i])
	}
	i := h & t.mask
	for t.entries[i].flags != 0 && t.entries[i].hash != h {
		i = (i + 1) & t.mask
	}
	t.entries[i].hash = h
	t.entries[i].flags |= f
}

// Hash is FNV-1a of a word in lower case.
func Hash(lower []byte) uint32 {
	h := HashStart
	for _, c := range lower {
		h = HashAdd(h, c)
	}
	return h
}

// HashStart and HashAdd are [Hash] byte by byte.
const HashStart = uint32(2166136261)

// HashAdd adds one byte.
func HashAdd(h uint32, c byte) uint32 { return (h ^ uint32(c)) * 16777619 }

// OfHash gives the flags of the word with that hash.
func OfHash(h uint32) Flags { return once().of(h) }

func (t *table) of(h uint32) Flags {
	for i := h & t.mask; ; i = (i + 1) & t.mask {
		switch e := t.entries[i]; {
		case e.flags == 0:
			return 0
		case e.hash == h:
			return e.flags
		}
	}
}

func join(h, word uint32) uint32 { return h*31 ^ word }

// Thing reports whether words, given by their hashes, are the name of a firm, a product,
// a work or a law that is called like a person.
func Thing(words ...uint32) bool {
	h := uint32(0)
	for _, w := range words {
		h = join(h, w)
	}
	return once().things[h]
}

// Of gives the flags of a word in lower case; with accents that no list has, those of
// the word without them.
func Of(lower []byte) Flags {
	if f := OfHash(Hash(lower)); f != 0 {
		return f
	}
	return OfPlain(lower)
}

// OfPlain gives the flags of a word in lower case that no list has, by the word without
// its accents; zero, where it has none.
func OfPlain(lower []byte) Flags {
	for _, c := range lower {
		if c < utf8.RuneSelf {
			continue
		}
		var buf [64]byte
		if plain, ok := fold(buf[:0], string(lower)); ok {
			return OfHash(Hash(plain)) &^ (Word | Frequent)
		}
		break
	}
	return 0
}

// fold appends a Latin word without accents to dst; ok: it had some, and nothing that is
// not Latin.
func fold(dst []byte, s string) (plain []byte, ok bool) {
	letters := plainLetters()
	for _, r := range s {
		if r < utf8.RuneSelf {
			dst = append(dst, byte(r))
			continue
		}
		if r >= 0x400 && r < 0x1E00 || r >= 0x2C00 { // Cyrillic to Georgian; Chinese to Korean: most words end here
			return dst, false
		}
		l, known := letters[r]
		if !known {
			return dst, false
		}
		dst = append(dst, l...)
		ok = true
	}
	return dst, ok
}

// plainLetters gives for each Latin letter with an accent, and for each accent, what it is
// without.
var plainLetters = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{'ß': "ss", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'æ': "ae", 'œ': "oe", 'ı': "i"}
	for r := rune(utf8.RuneSelf); r < 0x2C00; r++ {
		plain, latin := "", m[r] == ""
		for _, d := range norm.NFD.String(string(r)) {
			switch {
			case d < utf8.RuneSelf:
				plain += string(d)
			case d >= 0x300 && d < 0x370:
			case d != r && m[d] != "": // ǽ
				plain += m[d]
			default:
				latin = false
			}
		}
		if latin {
			m[r] = plain
		}
	}
	return m
})
