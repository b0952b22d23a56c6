package classify

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoplog/stoplog/corpus/names"
	"github.com/stoplog/stoplog/internal/tagger"
)

// PERSON in free text. There is no checksum in a name: a trained tagger decides, on what
// lists say of the words, how they are written, and what stands beside them
// (internal/tagger; docs/classification.md has its card).

// tagNames finds persons in free text. bias is added to the tagger's thresholds.
func tagNames(text []byte, bias float64) []hit {
	found := tagger.Default().Find(text, tagger.Options{Bias: bias})
	if len(found) == 0 {
		return nil
	}
	hits := make([]hit, 0, len(found))
	code := codeLike(text)
	for _, f := range found {
		if code && doubtfulInCode(text[f.Start:f.End], f.Score) {
			continue
		}
		if glued(text, f.Start, f.End) {
			continue // a part of an identifier is nobody's name
		}
		// A quotation mark that ends a value ends a name.
		for _, mark := range [...]string{"\",", "\":", "\"}", "\"]"} {
			if i := bytes.Index(text[f.Start:f.End], []byte(mark)); i > 0 {
				f.End = f.Start + i
			}
		}
		hits = append(hits, hit{typ: "PERSON", start: f.Start, end: f.End, score: max(0.5, math.Round(100*f.Score)/100)})
	}
	return hits
}

// codeLike reports whether text is source code, or nearly: there a single word with a
// capital is a class, a constant or a product far more often than somebody.
func codeLike(text []byte) bool {
	marks, doubtful := 0, 0
	for _, c := range text {
		marks += int(codeMarks[c])
		doubtful += int(codeDoubtful[c])
	}
	if len(text) >= 400 { // a short message may have a link and two hash signs
		marks += doubtful
	}
	return marks*25 > len(text)
}

var codeMarks, codeDoubtful = marksOf("{}()[];=_\\`<>*"), marksOf("#/|")

func marksOf(s string) (t [256]uint8) {
	for i := range len(s) {
		t[s[i]] = 1
	}
	return t
}

// glued reports whether what stands at start to end is a part of something longer that is
// no prose: libc-dev, alice_test, /home/maria, T[0].
func glued(text []byte, start, end int) bool {
	small := !bytes.ContainsFunc(text[start:end], unicode.IsUpper) && text[start] < utf8.RuneSelf
	if end-start < 2 {
		return true
	}
	if start > 1 {
		switch c := text[start-1]; {
		case c == '_', c == '$':
			return true
		case (c == '-' || c == '/' || c == '.' || c == ':' || c == '=' || c == '@' || c == '+') && small && is(text[start-2], cAlnum):
			return true
		}
	}
	if end+1 < len(text) {
		switch c := text[end]; {
		case c == '_':
			return true
		case (c == '-' || c == '/' || c == ':' || c == '=' || c == '+' || c == '.') && small && is(text[end+1], cAlnum):
			return true
		}
	}
	return false
}

// doubtfulInCode reports whether a name found in source code is more likely a word of it:
// a single word that is no common forename.
func doubtfulInCode(name []byte, score float64) bool {
	if bytes.IndexByte(name, ' ') >= 0 {
		return score < 0.75
	}
	if first, _ := utf8.DecodeRune(name); score >= 0.96 && !unicode.IsLower(first) {
		return false
	}
	var low [64]byte
	f := gazetteerOnce().flags(lowerInto(low[:0], name))
	return f&fieldForename == 0 || f&fieldWord != 0
}

// What follows judges values of fields, where there is a key and no sentence.

// wordSet makes a set of space-separated words.
func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

var (
	particles = wordSet("van von der den de del della di da dos das do la le du bin ibn al el ben ter ten zu af av y e")
	titles    = wordSet("mr mrs ms miss mx dr prof professor sir lady lord madam herr frau fräulein monsieur madame mme mlle m señor señora sr sra srta don doña signor signora sig dott ing avv dhr mevr mevrouw meneer pan pani pán paní bay bayan senhor senhora dra engr rev reverend fr father sister captain capt colonel col lt sgt major president chancellor senator judge justice shri smt sri haji herrn doktor docteur")
	// capitalised words that are no names: they end a run
	stopCaps = wordSet(`the this that these those a an i we you he she it they my your his her our their its and or but if when while where what who why how which
there here then than so not no yes ok please thank thanks regards best kind warm sincerely cheers hi hello hey dear from to cc bcc re fwd fw subject date sent on in at by for with of as
is are was were be been being has have had do does did can could will would should might must shall let lets let's
monday tuesday wednesday thursday friday saturday sunday january february march july september october november december
jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun today tomorrow yesterday
new old north south east west central upper lower great san santa st saint los las el mount lake river
company inc ltd llc gmbh ag corp corporation co university college school hospital bank group team department office street road avenue city county state
united states america american european union kingdom england britain british france french germany german italy italian spain spanish china chinese japan japanese
india indian russia russian canada canadian australia australian mexico brazil africa african asia asian europe london berlin york washington california texas florida
boston chicago seattle toronto sydney tokyo beijing moscow madrid rome milan vienna amsterdam brussels dublin zurich geneva munich hamburg
google microsoft apple amazon facebook twitter github linux windows android java javascript python react node docker kubernetes openai gemini gemma bing siri cortana mistral
http https www api json xml html css sql url uri id uuid pdf ai ml llm gpt nlp
all any some many most each every few more other another such only own same too very just also now
note warning error info debug todo fixme example see use using used get set add run make create update delete remove open close read write start stop
table figure section chapter part page version step type name title description value key number string object array list map class function method return
true false null none self import export public private static void int bool float double char const var let new try catch throw if else for while switch case default break continue
bible christmas easter internet english der die das ein eine und oder aber wenn ich wir sie er es mit von für auf bei nach aus zu im am ist sind
le la les un une des et ou mais je nous vous il elle ils avec pour dans sur est sont el los una y pero con por para en del al lo gli il uno una che per sono non
de het een en van ik wij op met voor is zijn bitte danke vielen merci gracias grazie mit freundlichen grüßen cordialement saludos cordiali saluti groeten
sehr geehrte geehrter liebe lieber hallo bonjour cher chère hola estimado estimada querido querida ciao gentile beste geachte olá prezado szanowny
customer client user order booking invoice account payment phone email mail address message ticket case issue bug feature request response service support
meeting agenda minutes notes summary report project product price total amount tax attachment attached
first last second third next previous one two three four five six seven eight nine ten
general manager director president vice chief officer executive senior junior lead head secretary minister king queen prince princess duke
mr mrs ms dr prof sir madam herr frau mme signor señor señora
microsoft's google's apple's it's that's there's what's here's i'm i'll i've i'd we're we'll you're don't can't won't didn't doesn't isn't let's`)
	orgTail = wordSet("inc ltd llc gmbh ag corp corporation co university college school hospital bank group institute foundation street road avenue st ave rd blvd drive lane park square bridge station airport hotel restaurant museum theatre theater stadium center centre building tower church society association club league award prize act law theorem algorithm method distribution process test model county city valley river lake island beach mountain day festival cup series")
)

// gazetteer is corpus/names as recognisers of fields see it.
type gazetteer struct{}

func gazetteerOnce() gazetteer { return gazetteer{} }

func (gazetteer) flags(low []byte) uint32 {
	return uint32(names.Of(low)) & (fieldForename | fieldRareForename | fieldSurname | fieldRareSurname | fieldWord)
}

const (
	fieldForename     = uint32(names.Forename)
	fieldRareForename = uint32(names.RareForename)
	fieldSurname      = uint32(names.Surname)
	fieldRareSurname  = uint32(names.RareSurname)
	fieldWord         = uint32(names.Word)
)

func lowerInto(dst, b []byte) []byte {
	for _, c := range b {
		if c >= 0x80 {
			return append(dst[:0], bytes.ToLower(b)...)
		}
		if is(c, cUpper) {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func forenameWeight(f uint32) float64 {
	switch {
	case f&fieldForename != 0 && f&fieldWord == 0:
		return 1.7
	case f&fieldRareForename != 0 && f&fieldWord == 0:
		return 1.45
	case f&fieldForename != 0:
		return 1.0
	case f&fieldRareForename != 0:
		return 0.3
	case f&(fieldSurname|fieldRareSurname) != 0 && f&fieldWord == 0:
		return 0.4
	case f == 0:
		return 0.4 // no known word: half of the world's names are in no list
	}
	return 0
}

func surnameWeight(f uint32) float64 {
	switch {
	case f&fieldSurname != 0 && f&fieldWord == 0:
		return 1.3
	case f&fieldRareSurname != 0 && f&fieldWord == 0:
		return 0.9
	case f&fieldSurname != 0:
		return 0.7
	case f&(fieldForename|fieldRareForename) != 0 && f&fieldWord == 0:
		return 0.7
	case f&fieldRareSurname != 0:
		return 0.2
	case f == 0:
		return 0.4
	}
	return 0
}
