package classify

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stoplog/stoplog/corpus/names"
)

// PERSON in typed fields of payloads that nobody declared: "firstName": "…". The key
// alone decides nothing: most "name" fields of webhooks are names of things. Key, what
// stands around it, and the shape of the value have to agree.

// fieldKind is what a key says of its value.
type fieldKind uint8

const (
	fieldOther   fieldKind = iota // nothing about persons
	fieldText                     // text about a thing, in which anybody may be named
	fieldThing                    // a name of a thing: names of persons in it are its name
	fieldUnknown                  // no word of the key is known: the value alone decides
	fieldAgent                    // nor here, but the key ends as words for people do
	fieldWrap                     // value, details: what it holds is what the key above is
	fieldBare                     // a name, of what stands above it
	fieldGiven                    // the same in languages where it is a first name beside a surname
	fieldLoose                    // a name or a handle: the value has to look like a person's
	fieldPiece                    // first, last: a part of a name if others stand beside it
	fieldRole                     // somebody, or a firm, a team, a program
	fieldFull                     // a full name: of what stands above it, and mostly of somebody
	fieldPerson                   // somebody
	fieldPart                     // a part of a name
)

// keyKind says what a key is a key of. English and German keys end in what they name
// (team lead, product name), Romance ones begin with it (nombre del cliente).
func keyKind(key []byte) fieldKind {
	if len(key) == 0 || len(key) > 48 {
		return fieldOther
	}
	if r, _ := utf8.DecodeRune(key); isDense(r) {
		return denseKind(string(key))
	}
	if healthField(key) {
		return fieldPart
	}
	var buf [8]uint16
	var firstWord, beforeLastWord, lastWord []byte
	var lastMarks uint8
	wraps := 0
	words := buf[:0]
	var lowBuf [64]byte
	low := lowBuf[:0] // the words, one behind the other
	for i := 0; i < len(key) && len(words) < cap(buf); {
		for i < len(key) && !is(key[i], cAlpha|cHigh) {
			i++
		}
		start := i
		for i < len(key) && is(key[i], cAlpha|cHigh) && (i == start || !is(key[i], cUpper) || is(key[i-1], cUpper) && !(i+1 < len(key) && is(key[i+1], cLower))) {
			i++
		}
		if i == start {
			continue
		}
		w := lowerInto(low[len(low):], key[start:i])
		low = low[:min(len(low)+len(w), cap(low))]
		marks := keyMarks[string(w)]
		if len(words) > 0 && (len(w) == 1 || marks&markNoise != 0) {
			continue // custom__c, real_name_normalized
		}
		if marks&markWhere != 0 && len(words) > 0 && words[len(words)-1]&(wordHuman|wordRole) != 0 {
			break // attorney of record, supervisor on duty
		}
		if len(words) == 0 {
			firstWord = w
		}
		beforeLastWord, lastWord, lastMarks = lastWord, w, marks
		if marks&markWrap != 0 {
			wraps++
		}
		words = append(words, wordFlags(w))
	}
	first, beforeLast, last := string(firstWord), string(beforeLastWord), string(lastWord)
	n := len(words)
	switch {
	case n == 0:
		return fieldOther
	case wraps == n:
		return fieldWrap
	case wraps > 0 && n > 1 && lastMarks&markWrap != 0: // guest details, claimant info
		n--
		words = words[:n]
	}
	head := words[n-1]
	all := uint16(0)
	for _, w := range words {
		all |= w
	}
	if last == "as" && beforeLast == "known" {
		return fieldPiece
	}
	if all == 0 {
		if agentLike(last) {
			return fieldAgent
		}
		return fieldUnknown
	}
	if n == 1 {
		switch {
		case last == "fullname":
			return fieldFull
		case head&wordWhole != 0:
			return fieldPart
		case head&wordName != 0:
			if givenKeys[last] {
				return fieldGiven
			}
			return fieldBare
		case last == "server": // a machine, or who serves a table: names of machines have no blanks
			return fieldAgent
		case head&wordHuman != 0:
			return fieldPerson
		case head&wordRole != 0:
			return fieldRole
		case head&wordLoose != 0:
			return fieldLoose
		case head&wordPart != 0 && pieceWords[last]:
			return fieldPiece
		case last == "billing" || last == "shipping" || last == "delivery": // whom it goes to, mostly
			return fieldAgent
		case head&wordThing != 0:
			return thingOrText(last)
		}
		return fieldOther
	}
	before := words[n-2]
	if words[0]&wordFirst != 0 && head&(wordHuman|wordRole|wordName|wordWhole|wordPart|wordOther|wordLoose|wordBy) == 0 && !pieceWords[last] {
		if words[0]&wordHuman != 0 && head&wordThing == 0 { // médico tratante; titular del vehículo may be a firm
			return fieldPerson
		}
		return fieldRole
	}
	switch {
	case pieceWords[last] && head&wordWhole == 0: // guest first
		if all&(wordHuman|wordRole) != 0 {
			return fieldPart
		}
		return fieldPiece
	case head&wordWhole != 0 && head&wordName == 0: // guest surname
		return fieldPart
	case head&wordName != 0 && n > 1: // guest name
		switch {
		case n == 2 && first == "full":
			return fieldFull
		case before&(wordPart|wordWhole) != 0:
			return fieldPart
		case before&wordHuman != 0:
			return fieldPerson
		case before&wordThing != 0 && before&wordAction != 0 && before&(wordRole|wordBy) == 0: // ship name
			return fieldThing
		case before&(wordRole|wordAction|wordBy) != 0:
			return fieldRole
		case before&wordLoose != 0:
			return fieldLoose
		case before&wordThing != 0:
			return fieldThing
		case all&(wordHuman|wordRole) != 0:
			return fieldRole
		}
		return fieldBare
	case last == "card" && words[0]&wordName != 0, last == "kin": // name on card
		return fieldPerson
	case words[0]&wordName != 0 && keyRomance[first]: // nombre del cliente
		rest := uint16(0)
		for _, w := range words[1:] {
			rest |= w
		}
		switch {
		case rest&wordPart != 0:
			return fieldPart
		case rest&wordHuman != 0:
			return fieldPerson
		case rest&wordThing != 0:
			return fieldThing
		case rest&wordRole != 0:
			return fieldRole
		case rest&wordWhole != 0:
			return fieldPart
		}
		return fieldBare
	case last == "charge" && all&wordHuman != 0: // person in charge
		return fieldPerson
	case head&wordBy != 0 && all&wordAction != 0: // created by, signed for by
		return fieldRole
	case companyWords[first] && n == 2: // razón social
		return fieldThing
	case last == "by" && before == 0 && participle(beforeLast):
		return fieldRole // mixed by, collected by
	case head&wordBy != 0 && before == 0 && agentBy[last]:
		return fieldAgent
	case (last == "id" || last == "ref") && before&(wordHuman|wordRole) != 0:
		return fieldLoose // some systems show who it is in its place
	case last == "signature" && before&(wordHuman|wordRole) != 0:
		return fieldRole
	case head&wordOther != 0:
		return fieldOther
	case words[0]&wordWhole != 0 && head&(wordThing|wordRole|wordHuman) == 0: // cognome nubile
		return fieldPart
	case head&wordHuman != 0:
		return fieldPerson
	case head&wordRole != 0:
		return fieldRole
	case last == "maker": // decision maker, coffee maker
		return fieldAgent
	case head&wordThing != 0:
		return thingOrText(last)
	case head&wordLoose != 0:
		return fieldLoose
	case head == 0 && (agentLike(last) || before&wordHuman != 0):
		return fieldAgent // notary public
	case head == 0, head&^(wordFill|wordPart|wordAction|wordBy) == 0:
		return fieldUnknown
	}
	return fieldOther
}

// thingOrText tells keys of names of things from keys of text about them: a title may say
// whom one is to call.
func thingOrText(word string) fieldKind {
	if textKeys[word] || textKeys[strings.TrimSuffix(word, "s")] {
		return fieldText
	}
	return fieldThing
}

var textKeys = wordSet(`title description summary subject event issue ticket document doc report form task job step action status type message content list view feature role test
procedure method rule filter policy permission setting option attribute property param parameter variable environment label tag item series collection unit line label_ widget chart board
milestone epic sprint template location place venue address region area profile scope channel topic category group class oggetto betreff asunto objet onderwerp`)

// agentBy are words for by behind which somebody is named, whatever was done.
var agentBy = wordSet("by von durch por par przez door av af da dal dalla pelo pela")

// whereWords begin what says where, when and for what a somebody is one.
var whereWords = wordSet("of on at for during")

// participle reports whether a word before by says what somebody did. What firms do rather
// than people is left out.
func participle(w string) bool {
	return len(w) > 4 && strings.HasSuffix(w, "ed") && !firmDoes[w]
}

var firmDoes = wordSet(`powered manufactured sponsored published distributed supplied operated owned funded hosted provided backed insured produced branded listed licensed serviced
administered blocked caused triggered grouped sorted ordered filtered indexed followed replaced limited affected divided multiplied`)

// companyWords begin keys of names of firms: ragione sociale.
var companyWords = wordSet("razon razón ragione raison razao razão denominazione denominacion denominación")

// pieceWords end or are keys of parts of a name.
var pieceWords = wordSet("first last given family middle fn ln sur fore")

// agentLike reports whether a word ends as words for people who do something end.
func agentLike(w string) bool {
	if len(w) > 5 {
		w = strings.TrimSuffix(w, "s")
		w = strings.TrimSuffix(strings.TrimSuffix(w, "и"), "ы")
	}
	if w == "" {
		return false
	}
	for _, end := range agentEnds[w[len(w)-1]] {
		if len(w) > len(end)+2 && strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}

// byLastByte sorts endings by their last byte, each group in the order given: a word is
// compared with those alone that end as it does.
func byLastByte(ends ...string) (t [256][]string) {
	for _, e := range ends {
		c := e[len(e)-1]
		t[c] = append(t[c], e)
	}
	return t
}

var agentEnds = byLastByte("er", "or", "ist", "ee", "ian", "man", "woman", "eur", "euse", "ista", "ador", "ante", "ore", "arz",
	"nik", "acz", "iciel", "owca", "are", "ande", "erin", "ling", "nehmer", "aire", "ataire", "trice", "iere", "ario", "aria", "ero", "era", "eiro", "eira", "tore", "aar", "lainen", "aja", "ija", "ci", "cu", "тель", "ник", "чик", "щик", "щий", "ент", "ант", "ец")

// keyMarks are what words of keys are beside what [wordFlags] says: one question for all.
var keyMarks = func() map[string]uint8 {
	m := map[string]uint8{}
	for mark, words := range map[uint8]map[string]bool{markNoise: keyNoise, markWhere: whereWords, markWrap: wrapWords} {
		for w := range words {
			m[w] |= mark
		}
	}
	return m
}()

const (
	markNoise = 1 << iota
	markWhere
	markWrap
)

// keyNoise says in which form a value is, not of what.
var keyNoise = wordSet("normalized normalised raw text txt str string val value display displayed formatted latin native kana kanji romanized en de fr es local")

// givenKeys mean a full name or a first name.
var givenKeys = wordSet("nombre nom nome imię имя jmeno jméno ad adi adı")

// keyRomance are the words for a name that stand in front of what they name.
var keyRomance = wordSet("nombre nom nome name naam imię imie")

// wordFlags looks a word of a key up. Words written together are taken apart: a guestname
// is a guest's, a Kundenname a Kunde's, an assignedto a person.
func wordFlags(w []byte) uint16 {
	if f, ok := keyWords[string(w)]; ok {
		return f
	}
	for _, c := range w {
		if c >= 0xC3 && c <= 0xC8 { // a Latin letter with an accent
			var buf [64]byte
			if f, ok := keyWords[string(plainKey(buf[:0], w))]; ok {
				return f
			}
			break
		}
	}
	for _, end := range [...]string{"s", "es", "in", "innen", "и", "ы"} { // plurals; Beifahrerin
		if stem, ok := bytes.CutSuffix(w, []byte(end)); ok && len(stem) > 2 {
			if f, ok := keyWords[string(stem)]; ok && (end[0] != 'i' || f&(wordHuman|wordRole) != 0 && len(stem) > 4) {
				return f
			}
		}
	}
	if n := len(w) - 1; n > 4 && w[n] == 'a' { // intestataria
		if f := keyWords[string(w[:n])+"o"]; f&(wordHuman|wordRole) != 0 {
			return f
		}
	}
	if bytes.HasSuffix(w, []byte("person")) || bytes.HasSuffix(w, []byte("persoon")) {
		return wordRole
	}
	for _, name := range nameEnds[w[len(w)-1]] {
		stem, ok := bytes.CutSuffix(w, []byte(name))
		if !ok || len(stem) < 3 {
			continue
		}
		for _, link := range [...]string{"", "n", "en", "s", "es", "er"} {
			base, ok := bytes.CutSuffix(stem, []byte(link))
			var buf [64]byte
			f := keyWords[string(plainKey(buf[:0], base))]
			if !ok || f == 0 || f&(wordHuman|wordRole|wordPart|wordAction|wordThing|wordLoose) == 0 {
				continue
			}
			switch name {
			case "by", "to":
				if f&wordAction != 0 {
					return wordRole
				}
			case "name", "naam", "navn", "namn", "adi", "adı", "isim", "nimi", "nombre", "nome", "nom":
				switch {
				case f&wordPart != 0:
					return wordWhole
				case f&(wordHuman|wordRole) != 0:
					return f & (wordHuman | wordRole)
				case f&wordLoose != 0:
					return wordLoose
				}
				return wordThing
			case "soyadi", "soyisim", "фамилия", "имя", "фио", "fullname", "firstname", "lastname", "surname", "nachname", "vorname", "prenom", "cognome", "apellido", "apellidos":
				return wordWhole
			case "first", "last":
				if f&(wordHuman|wordRole) == 0 {
					continue
				}
				return wordWhole
			default:
				return wordRole
			}
		}
	}
	return 0
}

// nameEnds are the words that others are written together with, in keys.
var nameEnds = byLastByte("soyadi", "soyisim", "adi", "adı", "isim", "фамилия", "имя", "фио", "fullname", "firstname", "lastname", "surname", "nachname", "vorname", "prenom", "cognome", "apellido", "apellidos", "name", "naam", "navn", "namn", "nimi", "nombre", "nome", "nom", "person", "contact", "holder", "manager", "doctor", "first", "last", "by", "to")

// fieldVerdict says whether the value of a key is a person's name: a score, or 0. thing:
// what looks like a person in it is not. parent is the key of the object around, beside
// whether an address or a birthday stands in the same object.
func fieldVerdict(kind, parent fieldKind, beside bool, value []byte) (score float64, thing bool) {
	switch kind {
	case fieldOther, fieldText:
		return 0, false
	case fieldThing:
		return 0, true
	case fieldBare, fieldGiven:
		switch {
		case parent == fieldPerson, parent == fieldRole, parent == fieldAgent:
			kind = parent
		case parent == fieldThing && !beside:
			return 0, true
		case beside:
			kind = fieldRole
		}
	case fieldWrap:
		switch parent {
		case fieldThing:
			return 0, true
		case fieldPerson, fieldRole, fieldAgent, fieldPart:
			kind = parent
		case fieldBare, fieldFull: // name: {text: …}
			kind = fieldLoose
		default:
			kind = fieldUnknown
		}
	case fieldFull:
		if kind = fieldPerson; parent == fieldThing && !beside {
			kind = fieldLoose
		}
	case fieldPiece:
		if kind = fieldLoose; parent == fieldPerson || parent == fieldRole || parent == fieldBare { // name: {first: …}
			kind = fieldPart
		}
	case fieldLoose:
		if parent == fieldPerson || parent == fieldRole && beside {
			kind = fieldRole
		}
	}
	if kind == fieldUnknown && bytes.IndexByte(value, ' ') < 0 {
		return 0, false
	}
	v, ok := shapeOfName(value)
	if !ok {
		return 0, false
	}
	if v.org && kind < fieldPerson && v.evidence < 1.4 || v.word && kind < fieldFull && !v.titled {
		return 0, false
	}
	many := v.words > 1 && v.caps >= v.words
	switch kind {
	case fieldPart:
		return 0.95, false
	case fieldPerson:
		if v.caps > 0 || v.words > 1 || v.evidence >= 0.8 {
			return 0.95, false
		}
	case fieldRole:
		if v.titled || many && v.evidence >= 0.35 || v.words == 1 && v.caps == 1 && v.evidence >= 0.8 || v.words > 1 && v.evidence >= 1.2 {
			return 0.9, false
		}
	case fieldLoose:
		if v.titled || many && v.evidence >= 0.8 || v.words == 1 && v.caps == 1 && v.evidence >= 1.3 {
			return 0.85, false
		}
	case fieldAgent:
		if v.titled || many && v.evidence >= 0.75 || v.words > 1 && v.evidence >= 1.6 {
			return 0.8, false
		}
	case fieldBare, fieldGiven, fieldUnknown:
		if v.titled || many && v.evidence >= 2 {
			return 0.7, false
		}
	}
	return 0, false
}

// pairKeys are the keys of objects that hold a key and a value: forms, custom fields.
var pairKeys = map[string]uint8{
	"label": pairLabel, "key": pairLabel, "field": pairLabel, "question": pairLabel, "title": pairLabel, "prompt": pairLabel, "property": pairLabel, "attribute": pairLabel,
	"Label": pairLabel, "Key": pairLabel, "Field": pairLabel, "Question": pairLabel, "fieldName": pairLabel, "field_name": pairLabel, "id": pairLabel, "ref": pairLabel, "type": pairLabel,
	"value": pairValue, "answer": pairValue, "Value": pairValue, "Answer": pairValue, "text": pairValue, "response": pairValue, "content": pairValue, "val": pairValue, "v": pairValue,
}

const (
	pairLabel = 1 + iota
	pairValue
)

// besideWords are keys that stand beside the name of a person, or on a card (1), and those that stand
// beside the names of articles, works and animals (2).
var besideWords = func() map[string]uint8 {
	m := map[string]uint8{}
	for w := range wordSet("email mail emails phone telephone mobile tel dob birth birthday birthdate dateofbirth gender sex ssn salutation nationality age passport geburtsdatum geburtstag telefon telefono téléphone correo last4 expmonth expyear expirymonth expiryyear cvc cvccheck cardnumber") {
		m[w] = 1
	}
	for w := range wordSet(`price unitprice listprice saleprice sku isbn isbn13 ean upc gtin asin vendor brand publisher director directedby studio album albumname
artist breed species cultivar`) {
		m[w] = 2
	}
	return m
}()

// besideForms are the lengths of besideWords, as bits, by their first bytes: most keys are
// none of them.
var besideForms = func() (t [256]uint32) {
	for w := range besideWords {
		t[w[0]] |= 1 << len(w)
	}
	return t
}()

// mayName reports whether a value that begins here can be a name, or hold one: most are
// numbers, links and times.
func mayName(t []byte) bool {
	i := 0
	for i < len(t) && i < 16 && (is(t[i], cSpace) || t[i] == '\\') {
		i++
	}
	if i+5 >= len(t) {
		return true
	}
	switch c := t[i]; {
	case c == '{', c == '[':
		return true
	case c != '"' && c != '\'':
		return false
	case is(t[i+1], cDigit), t[i+1] == '/', t[i+1] == c:
		return false
	}
	return string(t[i+1:i+5]) != "http"
}

// besideKey reports whether a key stands beside names of persons, or of goods.
func besideKey(key []byte) (person, goods bool) {
	var buf [24]byte
	low := buf[:0]
	for _, c := range key {
		if len(low) == cap(low) {
			return false, false
		}
		switch {
		case is(c, cUpper):
			low = append(low, c+'a'-'A')
		case c != '_' && c != '-':
			low = append(low, c)
		}
	}
	if len(low) == 0 || besideForms[low[0]]>>len(low)&1 == 0 {
		return false, false
	}
	w := besideWords[string(low)]
	return w == 1, w == 2
}

// sortKeys say of what sort the object around them is: {"type": "movie", "name": …}.
var sortKeys = wordSet("type kind objecttype itemtype entitytype mediatype category")

// ownNames are keys of text whose value, where it is a name as a whole, is the name of a
// thing, and whose objects have names of their own.
var ownNames = wordSet("item series collection event venue place location region area channel topic category group class board eventname venuename itemname groupname")

// titleKeys are keys of titles of works and articles where goods stand beside them.
var titleKeys = wordSet("title Title TITLE item Item label Label")

// ownName reports whether a key of text is one of these.
func ownName(key []byte) bool {
	low := lowerKey(key)
	return ownNames[string(low)] || bytes.HasSuffix(low, []byte("group"))
}

// wholeName reports whether nothing but a name is in a value.
func wholeName(value []byte) bool {
	f, ok := shapeOfName(value)
	return ok && f.caps == f.words && f.words < 4 && !f.word
}

// lowerKey writes a key in small letters and without joints; nil if it is long.
func lowerKey(key []byte) []byte {
	if len(key) > 24 {
		return nil
	}
	low := make([]byte, 0, 24)
	for _, c := range key {
		switch {
		case is(c, cUpper):
			low = append(low, c+'a'-'A')
		case c != '_' && c != '-' && c != ' ':
			low = append(low, c)
		}
	}
	return low
}

// keySeen is what was found out about a key.
type keySeen struct {
	from, to int
	kind     fieldKind
	pair     uint8
	beside   bool
	given    bool // the last word is a first name's beside a surname: testimone_nome
	goods    bool // stands in articles and works
	title    bool // of a work, perhaps
	sort     bool // says of what sort its object is
	header   bool // names the columns of a table
}

// fields walks over text that holds objects in JSON, and finds names by their keys. It
// follows braces as far as there are any: a chunk may begin inside an object.
func (s *scan) fields() {
	t := s.text
	quote := byte('"')
	if !bytes.Contains(t, []byte(`":`)) && !bytes.Contains(t, []byte(`" :`)) {
		if !bytes.Contains(t, []byte(`':`)) {
			return
		}
		quote = '\'' // as scripts print their objects
	}
	type object struct {
		persons int       // values that are persons
		others  int       // and that are not
		doubt   [6][2]int // values with the form of a name whose keys do not say enough
		doubts  int
		kind    fieldKind // of the key it stands behind
		array   bool
		beside  bool
		parts   int       // keys of parts of a name
		pair    uint8     // the last key: what the next value is in {"label": …, "value": …}
		label   fieldKind // of such an object
		bare    [4][2]int // values that are judged when all keys are known
		keys    [4][2]int // theirs
		kinds   [4]fieldKind
		n       int
		header  bool // an array of the names of columns
		goods   bool // an article, a work or an animal: its name is no person's
		at      int  // in an array: which element
	}
	var stack [64]object
	var keys [64]keySeen
	depth := 0 // entries of stack that are in use, beyond the first
	var key fieldKind
	var table columns
	given, header, sort, titled := false, false, false, false
	var things [][2]int
	var judged []judgedField // the first 64: all pairs of them are looked at
	var name [2]int          // the last key
	judge := func(kind, parent fieldKind, beside bool, v [2]int) bool {
		o := &stack[depth]
		o.others++
		if fileLike(t[v[0]:v[1]]) {
			things = append(things, v)
			return false
		}
		value := unescaped(t[v[0]:v[1]])
		var score float64
		own := kind == fieldText && ownName(t[name[0]:name[1]])
		thing := (own || kind != fieldText && kind < fieldPerson && parent != fieldPerson) && (firmForm(value) || firmOfNames(value, true)) ||
			kind == fieldPerson && bytes.LastIndexByte(value, ' ') > 0 && bytes.LastIndexByte(value, ' ') < len(value)-3 && firmForm(value) || // a custodian, a defendant; not Ruiz AB, by initials
			kind == fieldWrap && parent <= fieldUnknown && titleKeys[string(t[name[0]:name[1]])] && wholeName(value) ||
			o.goods && !beside && parent < fieldRole && parent != fieldAgent && (kind == fieldBare || kind == fieldGiven || (kind == fieldText || kind == fieldWrap) && titleKeys[string(t[name[0]:name[1]])] && len(value) < 48) ||
			own && wholeName(value)
		if !thing {
			score, thing = fieldVerdict(kind, parent, beside, value)
		}
		switch {
		case score > 0:
			s.add(hit{typ: "PERSON", start: v[0], end: v[1], score: score})
			o.persons++
			o.others--
			if len(judged) < 64 {
				judged = append(judged, judgedField{name, v, true})
			}
		case thing, firmOfNames(value, false):
			things = append(things, v)
		case kind != fieldText && o.doubts < len(o.doubt):
			o.doubt[o.doubts] = v
			o.doubts++
			if kind < fieldWrap && len(judged) < 64 { // the others are judged later, under another key
				judged = append(judged, judgedField{name, v, false})
			}
		}
		return score > 0
	}
	close := func() {
		o := &stack[depth]
		defer func() {
			// Most elements of a list are persons: the others are. Among fields of several
			// persons less has to speak for one.
			for _, v := range o.doubt[:o.doubts] {
				f, ok := shapeOfName(unescaped(t[v[0]:v[1]]))
				if !ok || f.org || f.word {
					continue
				}
				switch {
				case o.array && o.persons >= o.others && f.words > 1 && f.evidence >= 0.4,
					!o.array && o.persons > 1 && o.persons >= o.others && f.words > 1 && f.caps >= f.words && f.forename && f.evidence >= 1.2:
					s.add(hit{typ: "PERSON", start: v[0], end: v[1], score: 0.7})
				}
			}
			if depth > 0 {
				depth--
			} else {
				*o = object{}
			}
			key = fieldOther
		}()
		for i := range o.n {
			kind := o.kinds[i]
			if o.parts > 1 && (kind == fieldGiven || kind == fieldPiece) && o.kind != fieldThing { // nombre beside apellidos
				kind = fieldPart
			}
			if o.parts > 1 && o.parts < 4 && kind == fieldBare && o.kind != fieldThing && !is(t[o.bare[i][0]], cLower) && bytes.IndexByte(t[o.bare[i][0]:o.bare[i][1]], ' ') < 0 { // Name beside Vorname
				kind = fieldPart
			}
			if o.parts > 0 && kind == fieldWrap && o.kind == fieldBare { // name: {text: …, family: …}
				kind = fieldPerson
			}
			name = o.keys[i]
			judge(kind, o.kind, o.beside, o.bare[i])
		}
	}
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '{', '[':
			if depth+1 < len(stack) {
				depth++
				k, above := key, stack[depth-1].kind
				if stack[depth-1].array && t[i] == '{' {
					k = above
				}
				switch {
				case k == fieldWrap, k == fieldOther && t[i] == '[' && stack[depth-1].array:
					k = above
				case k == fieldBare && (above == fieldPerson || above == fieldRole || above == fieldAgent || above == fieldThing):
					k = above
				}
				if k == fieldText && ownName(t[name[0]:name[1]]) {
					k = fieldThing
				}
				stack[depth] = object{kind: k, array: t[i] == '[', header: header && t[i] == '['}
			}
			header = false
			if t[i] == '{' {
				key = fieldOther
			}
		case '}', ']':
			if t[i] == ']' && depth > 1 && stack[depth-1].array && stack[depth-1].at == 0 {
				table.first()
			}
			close()
			if depth < table.depth {
				table = columns{}
			}
		case ',':
			if !stack[depth].array {
				key = fieldOther
			} else {
				stack[depth].at++
			}
		case quote:
			esc := i > 0 && t[i-1] == '\\'
			end := i + 1
			for end < len(t) && end-i < 512 && (t[end] != quote || quote == '\'' && is(s.at(end+1), cAlnum|cHigh)) && t[end] != '\n' {
				if t[end] == '\\' && !esc {
					end++
				}
				end++
			}
			if end >= len(t) || t[end] != quote {
				continue
			}
			from, to := i+1, end
			if esc && to > from && t[to-1] == '\\' {
				to--
			}
			i = end
			next := end + 1
			for next < len(t) && next-end < 16 && is(t[next], cSpace) {
				next++
			}
			if s.at(next) == ':' {
				// Few keys make up most payloads.
				if from == to {
					key = fieldOther
					continue
				}
				if !mayName(t[min(next+1, len(t)):]) {
					key = fieldOther
					stack[depth].pair = 0
					sort = false
					beside, goods := besideKey(t[from:to])
					stack[depth].beside = stack[depth].beside || beside
					stack[depth].goods = stack[depth].goods || goods
					continue
				}
				seen := &keys[(int(t[from])*5+int(t[to-1])*3+to-from)%len(keys)]
				if seen.to == 0 || !bytes.Equal(t[seen.from:seen.to], t[from:to]) {
					*seen = keySeen{from: from, to: to, kind: keyKind(unescaped(t[from:to])), pair: pairKeys[string(t[from:to])]}
					seen.given = (seen.kind == fieldRole || seen.kind == fieldPerson) && endsGiven(t[from:to])
					seen.beside, seen.goods = besideKey(t[from:to])
					seen.beside = seen.beside && seen.kind == fieldOther
					seen.title = titleKeys[string(t[from:to])]
					seen.sort = sortKeys[string(lowerKey(t[from:to]))]
					seen.header = columnKeys[string(t[from:to])]
				}
				key, given, header = seen.kind, seen.given, seen.header
				name = [2]int{from, to}
				stack[depth].pair = seen.pair
				stack[depth].beside = stack[depth].beside || seen.beside
				stack[depth].goods = stack[depth].goods || seen.goods
				sort, titled = seen.sort, seen.title
				switch key {
				case fieldPart:
					stack[depth].parts += 2
				case fieldPiece:
					stack[depth].parts++
				}
				continue
			}
			o := &stack[depth]
			switch {
			case o.header:
				table.name(o.at, depth-1, keyKind(unescaped(t[from:to])))
				continue
			case key == fieldBare && depth > 1 && stack[depth-1].header: // {"name": "rep", "type": "string"}
				table.name(stack[depth-1].at, depth-2, keyKind(unescaped(t[from:to])))
			case o.array && depth > 1 && stack[depth-1].array:
				if stack[depth-1].at == 0 && table.n == 0 {
					table.try(o.at, depth-1, keyKind(unescaped(t[from:to])))
				}
				if kind, ok := table.of(o.at); ok {
					judge(kind, fieldOther, false, [2]int{from, to})
					continue
				}
			}
			if sort && !o.array {
				sort = false
				o.goods = o.goods || keyKind(t[from:to]) == fieldThing
			}
			if pair := o.pair; !o.array && (pair != 0 || key == fieldBare) {
				o.pair = 0
				switch {
				case pair == pairValue && o.label >= fieldBare:
					judge(max(o.label, fieldRole), fieldOther, false, [2]int{from, to})
					continue
				case pair == pairValue && (o.label == fieldAgent || o.label == fieldThing):
					judge(o.label, fieldOther, false, [2]int{from, to})
					continue
				case pair != pairValue:
					if named := keyKind(unescaped(t[from:to])); named != fieldOther && named != fieldWrap {
						o.label = named
					}
				}
			}
			if key == fieldOther || to-from < 1 || to-from > 160 {
				continue
			}
			if key == fieldPiece && o.array && depth > 0 && stack[depth-1].parts > 1 {
				key = fieldPart
			}
			if (key >= fieldWrap && key <= fieldPiece || key == fieldText && titled) && !o.array && o.n < len(o.bare) {
				o.bare[o.n], o.kinds[o.n], o.keys[o.n] = [2]int{from, to}, key, name
				o.n++
				continue
			}
			if !judge(key, o.kind, o.beside, [2]int{from, to}) && given && !o.array && o.n < len(o.bare) {
				o.bare[o.n], o.kinds[o.n], o.keys[o.n] = [2]int{from, to}, fieldGiven, name
				o.n++
			}
		}
	}
	for depth > 0 {
		close()
	}
	close()
	s.sameKeys(judged)
	if len(things) > 0 {
		s.vetoNames(things)
	}
	s.hits = slices.DeleteFunc(s.hits, func(h hit) bool { return h.typ == "PERSON" && s.keyWord(h.start, h.end, quote) })
}

// judgedField is a value that was judged by its key.
type judgedField struct {
	key, value [2]int
	person     bool
}

// sameKeys takes values for persons whose key holds persons in most other objects of the
// text: [{"dev": …}, {"dev": …}].
func (s *scan) sameKeys(judged []judgedField) {
	for _, d := range judged {
		if d.person {
			continue
		}
		persons, others := 0, 0
		for _, o := range judged {
			if bytes.Equal(s.text[o.key[0]:o.key[1]], s.text[d.key[0]:d.key[1]]) {
				if o.person {
					persons++
				} else {
					others++
				}
			}
		}
		if persons == 0 || persons < others {
			continue
		}
		if f, ok := shapeOfName(unescaped(s.text[d.value[0]:d.value[1]])); ok && !f.org && !f.word && f.words > 1 && f.evidence >= 0.4 {
			s.add(hit{typ: "PERSON", start: d.value[0], end: d.value[1], score: 0.7})
		}
	}
}

// keyWord reports whether a span is all of a key, and a word that nobody is called: the
// tagger sees a capital and a colon behind it.
func (s *scan) keyWord(start, end int, quote byte) bool {
	if s.at(start-1) != quote || s.at(end) != quote {
		return false
	}
	i := end + 1
	for s.at(i) == ' ' {
		i++
	}
	if s.at(i) != ':' {
		return false
	}
	var buf [64]byte
	word := s.text[start:end]
	if keyKind(word) == fieldThing { // "Ward": a key of things, though some are called so
		return true
	}
	return bytes.IndexByte(word, ' ') < 0 && len(word) < len(buf) && names.Of(lowerInto(buf[:0], word))&(names.Forename|names.RareForename) == 0
}

// columnKeys are the keys of arrays that name the columns of the rows that follow.
var columnKeys = wordSet("columns cols header headers fields schema column_names columnNames colnames field_names fieldNames keys spalten kopf colonnes columnas encabezados colonne kolommen colunas kolumny kolumner sarakkeet sütunlar")

// columns is what the columns of a table are: named by an array of their own, or by the
// first row.
type columns struct {
	kinds    [24]fieldKind
	n, depth int
	tried    [24]fieldKind
	tries    int
	at       int
}

func (c *columns) name(i, depth int, kind fieldKind) {
	if i < len(c.kinds) {
		c.kinds[i], c.n, c.depth = kind, i+1, depth
	}
}

// try keeps what an element of a first row would be as the name of a column.
func (c *columns) try(i, depth int, kind fieldKind) {
	if i < len(c.tried) {
		c.tried[i], c.tries, c.at = kind, i+1, depth
	}
}

// first ends a first row: it names columns if most of its words are known to do so, and one
// of them a person's.
func (c *columns) first() {
	known, person := 0, false
	for _, k := range c.tried[:c.tries] {
		if k != fieldUnknown && k != fieldAgent {
			known++
		}
		person = person || k == fieldBare || k >= fieldGiven && k != fieldLoose
	}
	if c.n == 0 && person && known*2 > c.tries {
		c.kinds, c.n, c.depth = c.tried, c.tries, c.at
	}
	c.tries = 0
}

// of gives what stands in a column.
func (c *columns) of(i int) (fieldKind, bool) {
	if i >= c.n {
		return 0, false
	}
	k := c.kinds[i]
	if k == fieldBare {
		k = fieldRole // a column of names, in a table of whom nobody says
	}
	return k, k != fieldUnknown
}

// endsGiven reports whether a key ends in a word that is a first name's where a surname
// stands beside it.
func endsGiven(key []byte) bool {
	var buf [48]byte
	low := lowerInto(buf[:0], key)
	for _, w := range [...]string{"nombre", "nome", "nom", "imie", "imię", "adi", "adı", "имя"} {
		if bytes.HasSuffix(low, []byte(w)) {
			return true
		}
	}
	return false
}

// fileLike reports whether a value ends as names of files do.
func fileLike(v []byte) bool {
	i := bytes.LastIndexByte(v, '.')
	if i < 1 || len(v)-i < 3 || len(v)-i > 5 {
		return false
	}
	for _, c := range v[i+1:] {
		if !is(c, cLower|cDigit) {
			return false
		}
	}
	return true
}

// vetoNames drops names of persons in the names of things: a firm may be called after
// its founders.
func (s *scan) vetoNames(things [][2]int) {
	slices.SortFunc(things, func(a, b [2]int) int { return a[0] - b[0] }) // values do not overlap
	kept := s.hits[:0]
	for _, h := range s.hits {
		i, ok := slices.BinarySearchFunc(things, h.start, func(v [2]int, at int) int { return v[0] - at })
		if !ok {
			i--
		}
		if h.typ != "PERSON" || i < 0 || things[i][1] < h.end {
			kept = append(kept, h)
		}
	}
	s.hits = kept
}

// unescaped decodes the escapes of a JSON string; offsets do not matter here.
func unescaped(v []byte) []byte {
	if bytes.IndexByte(v, '\\') < 0 {
		return v
	}
	var out []byte
	hex := func(i int) rune {
		if i+4 > len(v) {
			return -1
		}
		r := rune(0)
		for _, c := range v[i : i+4] {
			if !isHex(c) {
				return -1
			}
			r = r<<4 | rune(unhex(c))
		}
		return r
	}
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' || i+1 == len(v) {
			out = append(out, v[i])
			continue
		}
		for i+1 < len(v) && v[i+1] == '\\' { // escaped twice
			i++
		}
		i++
		if i == len(v) {
			break
		}
		if v[i] != 'u' {
			out = append(out, v[i])
			continue
		}
		r := hex(i + 1)
		if r < 0 {
			return v
		}
		i += 4
		if utf16.IsSurrogate(r) && i+2 < len(v) && v[i+1] == '\\' && v[i+2] == 'u' {
			r = utf16.DecodeRune(r, hex(i+3))
			i += 6
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// nameForm is what the form of a value says of its being a person's name.
type nameForm struct {
	words    int     // without titles and particles
	caps     int     // of them with a capital, or of a script that has none
	evidence float64 // how much the gazetteer speaks for it
	titled   bool
	forename bool // the first word, or the one behind a comma, is a known forename
	org      bool // ends as names of firms and places do
	word     bool // begins with a word that begins sentences and headings
}

// firmOfNames reports whether a value is a firm that is called after its partners: Adams,
// Tate and Moore. People are not named by surnames alone in a row; where several people are
// not expected, words that are forenames as well may all stand there.
func firmOfNames(v []byte, forenames bool) bool {
	if bytes.IndexByte(v, ',') < 0 || len(v) > 80 {
		return false
	}
	words := bytes.Fields(v)
	if n := len(words); n < 4 || n > 6 || !firmAnd[string(words[n-2])] {
		return false
	}
	surnames := forenames
	for i, w := range words {
		if i == len(words)-2 {
			continue
		}
		w, comma := bytes.CutSuffix(w, []byte(","))
		if comma != (i < len(words)-3) || len(w) == 0 || len(w) > 48 || !is(w[0], cUpper|cHigh) {
			return false
		}
		var low [64]byte
		flags := gazetteerOnce().flags(lowerInto(low[:0], w))
		surnames = surnames || flags&(fieldForename|fieldRareForename) == 0
	}
	return surnames
}

// firmForm reports whether a value is written as firms and streets are that are called
// after people: Ruiz Brothers, Smith-Jones (two surnames and no forename), Café Amanda,
// Ana's Kitchen, Johnson Freeway. What is a surname as well (Hill, Park) does not count.
func firmForm(v []byte) bool {
	if len(v) < 5 || len(v) > 80 {
		return false
	}
	i := bytes.LastIndexByte(v, ' ')
	var buf [96]byte
	if i < 0 {
		h := bytes.IndexByte(v, '-')
		if h < 2 || h+2 >= len(v) || !is(v[0], cUpper) || !is(v[h+1], cUpper) || bytes.IndexByte(v[h+1:], '-') >= 0 || bytes.IndexByte(v, ',') >= 0 {
			return false
		}
		low := lowerInto(buf[:0], v)
		if len(low) != len(v) {
			return false
		}
		g := gazetteerOnce()
		a, b := g.flags(low[:h]), g.flags(low[h+1:])
		return forenameWeight(a) < 1 || surnameWeight(a) >= 0.5 && (forenameWeight(b) < 1 || surnameWeight(b) >= 0.5)
	}
	if firmTail(string(v[i+1:])) && (len(v)-i > 3 || !bytes.Equal(v, bytes.ToUpper(v))) { // MARIA SA may be somebody
		return true
	}
	w := lowerInto(buf[:0], bytes.Trim(v[i+1:], ".,"))
	j := bytes.IndexByte(v, ' ')
	if firmNouns[string(w)] && is(v[i+1], cUpper) || streetNouns[string(w)] {
		// Wesley Hall is somebody; of David Austin Roses nobody is called Roses.
		if weight := surnameWeight(gazetteerOnce().flags(w)); weight == 0 || i > j && weight < 0.5 {
			return true
		}
	}
	w = lowerInto(buf[:0], v[:j])
	if firmHeads[string(w)] {
		return true
	}
	if bytes.HasSuffix(v[:j], []byte("'s")) { // Ana's Kitchen
		return true
	}
	return false
}

// firmNouns end names of firms and houses, whoever they are called after.
var firmNouns = wordSet(`brothers bros sons daughters motors interiors exteriors logistics foundation partners associates holdings holding ventures capital consulting consultants advisors advisory
enterprises industries electronics foods farms bakery kitchen kitchens catering cafe café bistro grill diner pizzeria brewery winery vineyards roses nurseries florist flowers gardens garage autos
automotive builders construction contractors plumbing heating roofing electrical realty properties estates lettings homes architects design designs photography printing press publishing books media
records films pictures productions entertainment games sports fitness salon spa pharmacy dental clinic veterinary insurance bank trust fund funds securities investments trading imports exports
supplies supply tools hardware furniture fashion clothing apparel shoes jewellers jewelers jewelry opticians toys transport trucking haulage shipping freight airlines airways travel tours cruises
hotels resorts inn hotel restaurant centre center building tower hall library museum theatre theater stadium arena university college school academy institute hospital laboratories laboratory
labs systems solutions technologies software networks telecom energy power oil gas mining steel chemicals pharmaceuticals biotech group company corporation corp ltd limited inc llc plc gmbh stiftung
fils frères figli fratelli hijos hermanos söhne zonen filhos irmãos synowie verlag apotheke autohaus bäckerei praxis`)

// streetNouns end names of streets.
var streetNouns = wordSet(`street road avenue boulevard freeway highway expressway parkway turnpike crescent junction divide summit flats falls drive court lane square terrace trail way plaza alley circle
causeway crossing extension motorway overpass underpass throughway corner corners oval port roads loop path bypass knoll knolls landing pines plains rapids shoal shoals shore skyway spur tunnel roundabout viaduct trafficway heights ridge mews gardens meadows shores springs station villages views vista manors islands`)

// firmHeads begin names of firms and houses. Villa is a surname too: Villa Ana may be somebody.
var firmHeads = wordSet(`café cafe hotel restaurant bistro bar trattoria ristorante pizzeria osteria chez maison clinique lycée collège école escola colegio colégio escuela
hôtel pharmacie farmacia farmácia boulangerie apotheke autohaus bäckerei gasthof gasthaus praxis kanzlei haus`)

var firmAnd = wordSet("and & et und y e en i og och")

// noNames are values that stand where a name is not known, or where a program acts.
var noNames = wordSet(`unknown none null nil n/a na undefined anonymous test admin administrator root system guest customer user default nobody everyone all other self me true false yes no tbd todo example
scheduler cron bot api webhook automation unassigned deleted redacted public internal private standard premium basic free pending open closed active inactive new`)

// shapeOfName says whether a value can be a person's name.
func shapeOfName(v []byte) (f nameForm, ok bool) {
	v = bytes.Trim(v, " \t\"'")
	if len(v) < 2 || len(v) > 96 {
		return f, false
	}
	first, _ := utf8.DecodeRune(v)
	if r := first; r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
		n := 0
		for _, end := range denseFirms {
			if strings.HasSuffix(string(v), end) || strings.HasPrefix(string(v), "株式会社") || strings.HasPrefix(string(v), "有限会社") {
				return f, false
			}
		}
		for _, r := range string(v) {
			if !unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) && r != ' ' && r != 0x30FB && r != 0x3000 && r != 0x30FC {
				return f, false
			}
			n++
		}
		return nameForm{words: min(n, 2), caps: min(n, 2), evidence: 1}, n <= 12
	}
	if i := bytes.LastIndexByte(v, ' '); i > 0 && firmTail(string(v[i+1:])) {
		return f, false
	}
	commas, g := 0, gazetteerOnce()
	for _, raw := range bytes.Fields(v) {
		if c := bytes.Count(raw, []byte(",")); c > 0 {
			if commas += c; commas > 1 || raw[len(raw)-1] != ',' {
				return f, false
			}
		}
		w := bytes.Trim(raw, ".,()'\"")
		if len(w) == 0 {
			continue
		}
		r, _ := utf8.DecodeRune(w)
		if !unicode.IsLetter(r) || len(w) > 48 {
			return f, false
		}
		dots := 0
		for _, c := range w {
			if c == '.' {
				dots++
			}
			if !is(c, cAlpha|cHigh) && c != '\'' && c != '-' && c != '.' {
				return f, false
			}
		}
		if dots > 2 {
			return f, false
		}
		var low [64]byte
		l := lowerInto(low[:0], w)
		if len(l) < len(w) {
			l = w
		}
		switch {
		case titles[string(l)]:
			f.titled = true
			continue
		case particles[string(l)] && f.words+len(w) > 0 && r < 0x250 && unicode.IsLower(r):
			continue
		case noNames[string(l)], roleWords[string(l)], inner(w):
			return f, false
		}
		flags := g.flags(l)
		if stopCaps[string(l)] && f.words == 0 && forenameWeight(flags) < 1 && surnameWeight(flags) < 0.9 {
			f.word = true
		}
		f.org = orgTail[string(l)] && f.words > 0
		f.words++
		if unicode.IsUpper(r) || !unicode.IsLower(r) {
			f.caps++
		}
		if len(l) == 1 || dots > 0 { // an initial
			f.evidence += 0.3
			continue
		}
		weight := max(forenameWeight(flags), surnameWeight(flags))
		if i := bytes.IndexByte(l, '-'); i > 0 && flags == 0 {
			a, b := g.flags(l[:i]), g.flags(l[i+1:])
			weight = max(forenameWeight(a), surnameWeight(a), forenameWeight(b), surnameWeight(b))
		}
		if f.words > 3 {
			weight /= 2
		}
		if f.words == 1 || commas > 0 {
			f.forename = f.forename || forenameWeight(flags) >= 1
		}
		f.evidence += weight
	}
	if f.words == 0 || f.words > 5 {
		return f, false
	}
	if f.words == 1 {
		f.evidence *= 0.8
	}
	return f, true
}

// denseFirms end names of firms and places in scripts without blanks.
var denseFirms = []string{"会社", "公司", "集团", "銀行", "银行", "病院", "医院", "大学", "学校", "学院", "工業", "商店", "商事", "組合", "協会", "协会", "市", "町", "村", "区", "県", "省", "府", "郡", "駅", "店", "部", "課", "センター", "ホテル", "주식회사", "은행", "병원", "대학교", "학교", "시", "구", "동"}

// firmTails end names of firms, unless they are written as words of a sentence are.
var firmTails = wordSet("oy oyj ab hb kb aps as asa bv nv gbr ohg kg kgaa ag se sarl sas sasu eurl snc spa srl sl slu sa ltda eireli plc pty llp lp pllc ооо оао зао пао нко kft zrt bt şti aş s.a s.l s.r.l s.p.a a.ş a.s b.v n.v s.r.o tic san inc llc ltd gmbh mbh e.g e.v e.k fils")

// firmTail reports whether a word is such an end. Short ones are names too (Sa, Se), unless
// they are written in capitals or with full stops.
func firmTail(w string) bool {
	low := strings.ToLower(strings.Trim(w, ".,"))
	return firmTails[low] && (len(low) > 3 || low == "oy" || low == "oyj" || low == "inc" || low == "ltd" || low == "plc" || w == strings.ToUpper(w) || strings.HasSuffix(w, ".") || len(w) == 3 && is(w[2], cUpper)) // GbR, mbH
}

// roleWords are words of job titles, teams and programs: where they stand for somebody
// there is no name.
var roleWords = wordSet(`manager desk team support service services sales engineer developer director officer assistant department group alerts operations ops admin bot system office staff agency
account accounts billing platform security finance legal marketing human resources reception receptionist supervisor coordinator analyst consultant specialist automation integration pipeline
plan project hospital clinic hotel restaurant school university street road avenue inc llc ltd gmbh corp technologies solutions logistics traders industries systems labs software studio studios
and or of the in front back end senior junior head lead customer client user guest`)

// inner reports whether a word has a capital inside, as identifiers have and few names
// do (McKay, DeLuca, O'Brien).
func inner(w []byte) bool {
	n, upper := 0, 0
	for i := 1; i < len(w); i++ {
		if is(w[i], cUpper) {
			upper++
			if is(w[i-1], cLower) && i > 3 {
				n++
			}
		}
	}
	return n > 0 && upper < len(w)/2
}

// tagFields finds names by the tags around them: <firstName>Ana</firstName>.
func (s *scan) tagFields() {
	t := s.text
	if !bytes.Contains(t, []byte("</")) {
		return
	}
	var stack [32]fieldKind
	depth := 0
	for i := 0; i < len(t); i++ {
		if t[i] != '<' {
			continue
		}
		if s.at(i+1) == '/' {
			depth = max(0, depth-1)
			continue
		}
		end := i + 1
		for end < len(t) && end-i < 64 && (isWord(t[end]) || t[end] == ':' || t[end] == '-' || t[end] == '.') {
			end++
		}
		if end == i+1 || s.at(end) != '>' || depth+1 >= len(stack) {
			continue // attributes, or no tag
		}
		name := t[i+1 : end]
		if k := bytes.LastIndexByte(name, ':'); k >= 0 {
			name = name[k+1:]
		}
		kind := keyKind(name)
		stop := bytes.IndexByte(t[end:min(len(t), end+200)], '<')
		depth++
		stack[depth] = kind
		if kind <= fieldThing || stop < 3 || s.at(end+stop+1) != '/' {
			continue
		}
		from, to := end+1, end+stop
		if score, _ := fieldVerdict(kind, stack[depth-1], false, t[from:to]); score > 0 {
			s.add(hit{typ: "PERSON", start: from, end: to, score: score})
		}
	}
}

// formFields finds names by the keys of forms and query strings: last_name=Ruiz&plan=2.
func (s *scan) formFields() {
	t := s.text
	if bytes.IndexByte(t, '&') < 0 {
		return
	}
	for i := 1; i < len(t); i++ {
		if t[i] != '=' {
			continue
		}
		from := i
		for from > 0 && i-from < 48 && (isWord(t[from-1]) || t[from-1] == '-' || t[from-1] == '.') {
			from--
		}
		to := i + 1
		for to < len(t) && to-i < 160 && (is(t[to], cAlnum|cHigh) || bytes.IndexByte([]byte("+%.,-_'"), t[to]) >= 0) {
			to++
		}
		if from == i || to-i < 3 || s.at(to) != '&' && s.at(from-1) != '&' || from > 0 && is(t[from-1], cAlnum) {
			continue
		}
		kind := keyKind(t[from:i])
		if kind <= fieldThing {
			continue
		}
		value, _, ok := percentDecode(t, i+1, to)
		if !ok {
			continue
		}
		if score, _ := fieldVerdict(kind, fieldOther, false, value); score > 0 {
			s.add(hit{typ: "PERSON", start: i + 1, end: to, score: score})
		}
	}
}
