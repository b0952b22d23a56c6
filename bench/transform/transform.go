// Package transform writes a text in other ways, as somebody would who wants a filter to miss it
// and a model to understand it: encodings, ciphers, other alphabets, invisible characters,
// spacing, words taken apart, markup, program code, and layers of these. It measures how
// much of what a detector finds in clear it finds written otherwise (bench/quality
// -transforms), and feeds the detector's metamorphic test.
//
// Every transform is a pure function of the text: what looks random is drawn from a seed
// that the text and the transform's name give.
package transform

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
)

// Kind groups transforms by what they work on.
type Kind string

// The kinds, in the order of All.
const (
	Encodings Kind = "encodings"
	Ciphers   Kind = "ciphers"
	Alphabets Kind = "alphabets"
	Invisible Kind = "invisible"
	Spacing   Kind = "spacing"
	Words     Kind = "words"
	Markup    Kind = "markup"
	Code      Kind = "code"
	Layered   Kind = "layered"
)

// Kinds are all kinds in their order.
var Kinds = []Kind{Encodings, Ciphers, Alphabets, Invisible, Spacing, Words, Markup, Code, Layered}

// A Transform is one way to write a text.
type Transform struct {
	Name string
	Kind Kind
	// Lossy says that the words and their order cannot be had back from what is written
	// without guessing. Case, marks on letters and how much white space stood between
	// words do not count.
	Lossy bool
	// Known says that the detector's views were written with this way in mind, or widened for it once
	// it was measured. The others were thought of when the views were done: they tell what is not
	// prepared for.
	Known bool
	// Pieces says that a sentence is parted by the same again and again. Its view is looked for only
	// around what the detector's model has a reason to score as it stands.
	Pieces bool
	// Hides says that a reader sees nothing of the text. Honest documents do not do that.
	Hides bool
	apply func(r *rand.Rand, s string) string
}

// known and hides name transforms, apart by semicolons.
const (
	// widened are ways that were measured first, and then had a view built or widened for them: of most
	// less than half was found before.
	widened = "decorated, signs of currencies;decorated, ideographs;decorated, Canadian syllabics;decorated, Greek and Cyrillic;decorated, Armenian;" +
		"decorated, hooks and tails;decorated, Ethiopic;decorated, strokes;hooked letters;encoded words, B;encoded words, Q;hex dump;CSS escapes;binary, backwards;" +
		"decimal, Arabic digits;decimal, Devanagari digits;runes;keyboard: typed on dvorak;keyboard: typed on Russian;keyboard: one key to the right;base45;subtitles;WebVTT;rail fence, 2 lines;rail fence, 3 lines;" +
		"columns, 5 wide;halves interleaved;Roman numerals for letters;Morse in words;Bacon;tap code;backspaces;cursor moves for spaces;words: a letter;groups of five letters;last letter first;" +
		"strings, format;strings, per cent;CONCAT in SQL;hyphenated over lines, soft;wrapped at 40;" + pieces
	// pieces are those of them that part a sentence.
	pieces = "log lines;log lines, a word each;numbered list of words;chat lines;chat lines, a word each;block comment;box;broken lines of twenty;quoted mail, broken lines;" +
		"comment of a program;table, a word in a row;YAML, a word each;INI, a word each;TOML, strings;a div for each word;CSS content;file names;environment;" +
		"footnotes behind words;an element for each word;br between words;LaTeX bold words;comments between words, /* x */;SQL inserts;JSON, numbered keys;JSON objects, a word each;" +
		"a table cell for each word;numbered words in a row;an attribute for each word"
	known = widened + ";" +
		"base64;base64, URL, no padding;base64, lines of twenty;base64 in fours;base64 of UTF-16;data URL;base32;base36;base58;base85;ascii85;uuencode;" +
		"gzip in base64;zlib in base64;hex;hex, 0x;hex, colons;hex, spaces;hex, backwards;hex of UTF-16;hex, \\x;percent;percent, path;percent, %u;CSS escapes, six digits;quoted-printable, all;UTF-7;entities, decimal;entities, hex;" +
		"entities, seven digits, no semicolon;\\u0000;\\U00000000;\\u{0};U+0000;octal, \\000;octal;decimal;decimal, commas;decimal, three digits, no spaces;binary;binary, no spaces;" +
		"shifted by 3;shifted by 13;shifted by 19;atbash;rot47;reversed;each word reversed;numbers for letters;Morse;code words (alfa, bravo);" +
		"capitals;every second a capital;upside down;upside down, from left to right;small capitals;superscripts;Braille;full width;regional indicators;circled;squared;" +
		"mathematical bold;mathematical script;Cyrillic look-alikes;Cyrillic look-alikes, half;Greek look-alikes;leet, vowels;leet, more;leet, signs;" +
		"zero-width spaces;soft hyphens;tag characters;bytes as variation selectors;marks piled up;struck out;tag characters between;terminal colours between;right to left override;" +
		"spaces between letters;dots between letters;dots inside words;dashes between letters, no spaces;letters one to a line;words: underscores;words: dashes;words: dots;words: slashes;" +
		"words: plus signs;words: joined, capitals;words: no spaces;words: stars around;words: bars;words: commas;words: one to a line;words: three spaces;" +
		"words: no-break spaces;words: wide spaces;words: tabs;words: line breaks and tabs;words: faces;long words split by a space;long words split by a hyphen;hyphenated over lines;" +
		"letters doubled;words in reverse order;typing errors;letters inside words shuffled;pig Latin;vowels left out;first word of each line;every second letter;signs strewn in;" +
		"empty tags in words;tags inside words;a comment in words;a script in words;a hidden span in words;RTF unicode;a span for each letter;bold in words;hidden element;alt text;link reference;LaTeX colour;CSV cells;JSON array of words;JSON array of letters;" +
		"a list item for each word;JSON string in a string;strings, plus;strings, ||;strings, side by side;join of words;join of letters;letters in an array;fromCharCode;chr, plus;ChrW and &;" +
		"base64 twice;base64 of shifted by 13;base64 shifted by 13;base64 of hex;base64 of reversed;base64 reversed;percent twice;percent of base64;" +
		"base64, alphabet of crypt;base32, hex alphabet;base32, Crockford;base62;base62, capitals first;base85 of ZeroMQ;base91;xor 23 in hex;gzip in hex;gzip in base85;" +
		"affine 5x+8;neighbours swapped;numbers from 0;Polybius square;telephone keys, pressed n times;neighbouring words swapped;vowels drawn out;all letters of words shuffled;" +
		"a syllable before vowels;first letter to the end;vowels starred;one vowel for all;childish: w for r and l;spelt by sound;replace;" +
		"stars between letters;strings, dots;CDATA for each word;pattern of classes;bytes as UUIDs;bytes as colours;hex in words of four bytes"
	hides = "tag characters;bytes as variation selectors;bits as zero-width characters;bits as spaces and tabs;base64 in tag characters"
)

// Apply writes s in this way. The same text is always written alike.
func (t Transform) Apply(s string) string {
	h := fnv.New64a()
	h.Write([]byte(t.Name))
	name := h.Sum64()
	h.Write([]byte(s))
	return t.apply(rand.New(rand.NewPCG(name, h.Sum64())), s)
}

// All gives every transform, kind by kind. They are meant for ASCII text; what is not a
// letter of a to z mostly stays as it is.
func All() []Transform {
	all := slices.Concat(
		encodings(Encodings), ciphers(Ciphers), alphabets(Alphabets), invisible(Invisible),
		spacing(Spacing), wordwise(Words), markup(Markup), code(Code), layered(Layered),
	)
	ks, ps, hs := strings.Split(known, ";"), strings.Split(pieces, ";"), strings.Split(hides, ";")
	for i := range all {
		all[i].Known, all[i].Hides = slices.Contains(ks, all[i].Name), slices.Contains(hs, all[i].Name)
		all[i].Pieces = slices.Contains(ps, all[i].Name)
	}
	return all
}

// list collects the transforms of one kind.
type list struct {
	kind Kind
	all  []Transform
}

func (l *list) exact(name string, f func(string) string) {
	l.all = append(l.all, Transform{Name: name, Kind: l.kind, apply: func(_ *rand.Rand, s string) string { return f(s) }})
}

func (l *list) lossy(name string, f func(string) string) {
	l.exact(name, f)
	l.all[len(l.all)-1].Lossy = true
}

// drawn is exact for a transform that draws at random, guessed is lossy for one.
func (l *list) drawn(name string, f func(*rand.Rand, string) string) {
	l.all = append(l.all, Transform{Name: name, Kind: l.kind, apply: f})
}

func (l *list) guessed(name string, f func(*rand.Rand, string) string) {
	l.all = append(l.all, Transform{Name: name, Kind: l.kind, Lossy: true, apply: f})
}
