package classify

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/stoplog/stoplog/corpus/names"
)

// PERSON in free text. There is no checksum in a name: a gazetteer says what the words
// can be, their form and the words around them say what they are here. A weight for each
// piece of evidence is added up; personThreshold is where a person is more likely than
// not. (A trained tagger can take the place of tagNames; nothing else knows how names are
// found.)

const personThreshold = 1.1

// gazetteer is a hash table of names: a fingerprint and flags. Other words share a
// fingerprint with a name once in a hundred thousand.
type gazetteer struct {
	slots []uint32 // high bits of the hash, a one, flags
	mask  uint32
}

var gazetteerOnce = sync.OnceValue(func() *gazetteer {
	const size = 1 << 18
	g := &gazetteer{slots: make([]uint32, size), mask: size - 1}
	rest := names.Table
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		name, hex, ok := strings.Cut(line, "\t")
		if !ok || line[0] == '#' {
			continue
		}
		flags := uint32(0)
		for i := 0; i < len(hex); i++ {
			v := uint32(hex[i] - '0')
			if hex[i] >= 'a' {
				v = uint32(hex[i]-'a') + 10
			}
			flags = flags<<4 | v
		}
		h := hashName([]byte(name))
		i := h & g.mask
		for g.slots[i] != 0 {
			i = (i + 1) & g.mask
		}
		g.slots[i] = h&^g.mask | flags | 1<<8 // never zero
	}
	return g
})

// hashName is FNV-1a.
func hashName(b []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range b {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

func (g *gazetteer) flags(low []byte) uint32 {
	h := hashName(low)
	for i := h & g.mask; g.slots[i] != 0; i = (i + 1) & g.mask {
		if (g.slots[i]^h)&^g.mask == 0 {
			return g.slots[i] & 31
		}
	}
	return 0
}

type nameToken struct {
	start, end int
	flags      uint32
	initial    bool // J.
	particle   bool // van, de
	caps       bool // ALL CAPS
}

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
	greetings = wordSet("dear hi hello hey hiya greetings liebe lieber hallo moin servus bonjour salut cher chère chere coucou hola estimado estimada querido querida ciao gentile caro cara salve beste hoi goedendag geachte olá ola prezado prezada oi cześć szanowny szanowna witaj drogi kära käre hej kære merhaba sayın sevgili thanks thank danke merci gracias grazie obrigado obrigada bedankt dziękuję tack regards")
	// words behind which a name stands, one or two of them
	intros = wordSet("name named names called i'm am is this by from to cc bcc with for and mit von und para con por par avec pour da per met attn attention contact customer client patient guest tenant employee user applicant candidate manager director ceo cto cfo founder engineer doctor nurse author signed speaker host assistant colleague friend brother sister mother father wife husband son daughter uncle aunt met asked told emailed spoke called saw heiße heisse bin appelle suis llamo soy chiamo sono heet naam nombre nom nome name: imię nazwisko reporter assignee owner sender recipient beneficiary insured holder cardholder participant student teacher member agent driver witness defendant plaintiff")
	verbs  = wordSet("said says wrote writes called calls asked asks told tells replied replies emailed mentioned is was has had will would can could should did does confirmed reported requested noted thinks wants wanted needs lives lived works worked left joined sent sends went came goes arrived booked paid bought ordered complained contacted agreed died born scored won plays played signed approved reviewed explained added believes claims claimed hat ist wird war schrieb sagte möchte a est était dit es está dijo ha è disse heeft zei jest")
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
	// words that say what a person is: a name is likely behind them
	roles      = wordSet("contacter contacte contactar contattare kontaktieren guest guests patient client clients customer husband wife son daughter brother sister mother father uncle aunt friend colleague witness attendees attendee contact holder tenant applicant candidate employee kunde kundin patientin gast ansprechpartner ansprechpartnerin kontoinhaber kontoinhaberin kollege kollegin cliente paciente señora señor titular huésped invité titulaire patiente klant gast collega klient pacjent hóspede utente paziente ospite ansprechperson named heiße heisse appelle llamo chiamo heet nazywam się heter lead assignee supervisor nurse officer detective physicist actor actress singer author poet writer artist president minister senator mayor")
	thingKeys  = wordSet("room item plan service device server file package dependency bank merchant store shop hotel restaurant city town country state province region county street address line1 line2 address1 address2 title description product company organization organisation org event label flag subject summary category tag type status model brand language timezone currency department school university location place venue project repository team topic genre album song city_name country_name company_name product_name display_name")
	placeHeads = wordSet("san santa new los las el saint st mount lake north south east west port fort cape rio costa monte sierra isle")
	orgTail    = wordSet("inc ltd llc gmbh ag corp corporation co university college school hospital bank group institute foundation street road avenue st ave rd blvd drive lane park square bridge station airport hotel restaurant museum theatre theater stadium center centre building tower church society association club league award prize act law theorem algorithm method distribution process test model county city valley river lake island beach mountain day festival cup series")
)

// evidence words of JSON keys and form labels for a person's name
var personKeys = wordSet(`firstname lastname fullname givenname familyname surname forename first_name last_name full_name given_name family_name middlename middle_name
displayname display_name contactname contact_name customername customer_name guestname guest_name patientname patient_name cardholder cardholdername cardholder_name
author assignee reporter sender recipient employee vorname nachname prenom prénom nom_complet nombre apellido apellidos cognome voornaam achternaam imie nazwisko
billing_name shipping_name account_holder accountholder holder_name beneficiary passenger passengername passenger_name attendee signatory owner_name ownername
manager supervisor doctor physician nurse tenant landlord spouse emergency_contact nickname legal_name legalname maiden_name realname real_name`)

// tagNames finds persons in free text.
func tagNames(text []byte) []hit {
	t := nameTagger{text: text, g: gazetteerOnce()}
	t.run()
	return t.hits
}

type nameTagger struct {
	text []byte
	g    *gazetteer
	hits []hit
	toks [8]nameToken
}

func (t *nameTagger) run() {
	b := t.text
	for i := 0; i < len(b); {
		c := b[i]
		if is(c, cUpper) || c >= 0xC3 && c < 0xF0 {
			if r, _ := utf8.DecodeRune(b[i:]); c < 0x80 || unicode.IsUpper(r) {
				i = t.segment(i)
				continue
			}
		}
		if is(c, cAlnum|cHigh) || c == '_' { // the rest of a word
			for i < len(b) && (is(b[i], cAlnum|cHigh) || b[i] == '_') {
				i++
			}
			continue
		}
		i++
	}
}

// word reads one word: letters with apostrophes and hyphens inside.
func (t *nameTagger) word(i int) (end int, caps, mixed bool) {
	b := t.text
	upper, lower := 0, 0
	for end = i; end < len(b); {
		c := b[end]
		switch {
		case is(c, cUpper):
			if lower > 0 && end > i && is(b[end-1], cLower) {
				mixed = true
			}
			upper++
		case is(c, cLower):
			lower++
		case c >= 0x80:
			r, n := utf8.DecodeRune(b[end:])
			if r == '’' && lettersAt(b, end+n) {
				end += n
				continue
			}
			if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) {
				return end, upper > 1 && lower == 0, mixed
			}
			if unicode.IsUpper(r) {
				upper++
			} else {
				lower++
			}
			end += n
			continue
		case (c == '\'' || c == '-') && end > i && end+1 < len(b) && is(b[end+1], cAlpha|cHigh):
			if c == '\'' && end+2 <= len(b) && b[end+1] == 's' && !lettersAt(b, end+2) {
				return end, upper > 1 && lower == 0, mixed
			}
		default:
			return end, upper > 1 && lower == 0, mixed
		}
		end++
	}
	return end, upper > 1 && lower == 0, mixed
}

func lettersAt(b []byte, i int) bool { return i < len(b) && is(b[i], cAlpha|cHigh) }

// segment reads a run of capitalised words from i, judges its parts, and gives where to
// go on.
func (t *nameTagger) segment(i int) int {
	b := t.text
	n := 0
	end := i
	var low [64]byte
	for n < len(t.toks) {
		wEnd, caps, mixed := t.word(i)
		if wEnd == i || wEnd-i > 40 {
			end = max(wEnd, i+1)
			break
		}
		if c := at(b, wEnd); is(c, cDigit) || c == '_' || mixed && !nameMixed(b[i:wEnd]) || c == '(' && n == 0 {
			end = skipWord(b, wEnd)
			break
		}
		w := lowerInto(low[:0], b[i:wEnd])
		tok := nameToken{start: i, end: wEnd, caps: caps}
		if wEnd-i == 1 && at(b, wEnd) == '.' && is(b[i], cUpper) {
			tok.initial = true
			tok.end++
			wEnd++
		} else {
			tok.flags = t.lookup(w)
		}
		end = wEnd
		t.toks[n] = tok
		stop := !tok.initial && (stopCaps[string(w)] || titles[string(w)] || greetings[string(w)] || n == 0 && (roles[string(w)] || intros[string(w)]))
		if stop {
			if n > 0 {
				t.judge(t.toks[:n], wEnd)
			}
			// What follows a title or a greeting begins a new run.
			return end
		}
		n++
		// On to the next word: one space; particles in between belong to the name.
		k := wEnd
		if at(b, k) != ' ' && !(tok.initial && k < len(b) && is(b[k], cUpper)) {
			break
		}
		if at(b, k) == ' ' {
			k++
		}
		saved := n
		for range 3 {
			pe := k
			for pe < len(b) && pe-k < 6 && is(b[pe], cLower) {
				pe++
			}
			if pe == k || at(b, pe) != ' ' || !particles[string(b[k:pe])] || n >= len(t.toks)-1 {
				break
			}
			t.toks[n] = nameToken{start: k, end: pe, particle: true}
			n++
			k = pe + 1
		}
		if r, _ := utf8.DecodeRune(b[min(k, len(b)):]); k >= len(b) || !unicode.IsUpper(r) {
			n = saved
			break
		}
		i = k
	}
	if n > 0 {
		t.judge(t.toks[:n], end)
	}
	return end
}

func at(b []byte, i int) byte {
	if i < 0 || i >= len(b) {
		return 0
	}
	return b[i]
}

func skipWord(b []byte, i int) int {
	for i < len(b) && (is(b[i], cAlnum|cHigh) || b[i] == '_') {
		i++
	}
	return i
}

// nameMixed allows McDonald, MacLeod, DiCaprio, O'Neil, LeBron.
func nameMixed(b []byte) bool {
	for _, p := range []string{"Mc", "Mac", "De", "Di", "La", "Le", "Van", "Fitz", "O'", "D'", "Du", "Da"} {
		if bytes.HasPrefix(b, []byte(p)) && len(b) > len(p)+1 && is(b[len(p)], cUpper) && is(b[len(p)+1], cLower) {
			return bytes.IndexFunc(b[len(p)+1:], unicode.IsUpper) < 0
		}
	}
	return bytes.IndexByte(b, '-') > 0 || bytes.IndexByte(b, '\'') > 0
}

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

// lookup gives a word's flags; of a double name, those of its parts.
func (t *nameTagger) lookup(low []byte) uint32 {
	if f := t.g.flags(low); f != 0 {
		return f
	}
	if bytes.IndexFunc(low, func(r rune) bool { return r >= 0xC0 && r < 0x250 }) >= 0 { // lists leave accents out
		plain := norm.NFD.Bytes(low)
		k := 0
		for _, c := range plain {
			if c < utf8.RuneSelf {
				plain[k] = c
				k++
			}
		}
		if f := t.g.flags(plain[:k]); f != 0 && f != names.Word {
			return f &^ names.Word
		}
	}
	for _, end := range wordEndings {
		if len(low) > len(end)+3 && bytes.HasSuffix(low, end) {
			return names.Word
		}
	}
	if i := bytes.LastIndexAny(low, "-'"); i > 0 {
		a, b := t.g.flags(low[:i]), t.g.flags(low[i+1:])
		if (a|b)&names.Word != 0 || i < 2 && low[i] == '-' {
			return names.Word // Long-Term
		}
		return a | b
	}
	return 0
}

// endings of words that are no names, in the main languages
var wordEndings = [][]byte{
	[]byte("ing"), []byte("tion"), []byte("tions"), []byte("sion"), []byte("sions"), []byte("ment"), []byte("ments"), []byte("ness"), []byte("ity"), []byte("ities"), []byte("ism"), []byte("ology"),
	[]byte("ical"), []byte("ative"), []byte("ized"), []byte("ised"), []byte("able"), []byte("ible"), []byte("less"), []byte("ship"), []byte("ware"), []byte("ings"), []byte("graphy"),
	[]byte("ung"), []byte("ungen"), []byte("keit"), []byte("heit"), []byte("schaft"), []byte("ismus"), []byte("isch"), []byte("ción"), []byte("ciones"), []byte("miento"), []byte("dad"), []byte("mente"),
	[]byte("zione"), []byte("zioni"), []byte("mento"), []byte("ção"), []byte("ções"), []byte("dade"), []byte("ité"), []byte("eux"), []byte("isme"), []byte("heid"), []byte("ingen"),
}

func forenameWeight(f uint32) float64 {
	switch {
	case f&names.Forename != 0 && f&names.Word == 0:
		return 1.7
	case f&names.RareForename != 0 && f&names.Word == 0:
		return 1.45
	case f&names.Forename != 0:
		return 1.0
	case f&names.RareForename != 0:
		return 0.3
	case f&(names.Surname|names.RareSurname) != 0 && f&names.Word == 0:
		return 0.4
	case f == 0:
		return 0.4 // no known word: half of the world's names are in no list
	}
	return 0
}

func surnameWeight(f uint32) float64 {
	switch {
	case f&names.Surname != 0 && f&names.Word == 0:
		return 1.3
	case f&names.RareSurname != 0 && f&names.Word == 0:
		return 0.9
	case f&names.Surname != 0:
		return 0.7
	case f&(names.Forename|names.RareForename) != 0 && f&names.Word == 0:
		return 0.7
	case f&names.RareSurname != 0:
		return 0.2
	case f == 0:
		return 0.4
	}
	return 0
}

// judge scores a run of capitalised words, and reports it if a person is likely.
func (t *nameTagger) judge(run []nameToken, end int) {
	b := t.text
	for len(run) > 0 && run[len(run)-1].particle {
		run = run[:len(run)-1]
	}
	if len(run) == 0 {
		return
	}
	// "Witness Maria Lopez", "Contact Tom": what stands before a forename and is none
	// belongs to the sentence.
	for i, x := range run {
		if x.initial || x.particle || i > 0 && forenameWeight(run[0].flags) >= 1 {
			break
		}
		if i > 0 && forenameWeight(x.flags) >= 1 && (x.flags&names.Word == 0 || i == 1) && (run[0].flags != 0 || len(run) > 2) {
			run = run[i:]
			break
		}
	}
	// "Justin Bieber Concert": what stands behind a whole name and is an ordinary word.
	for len(run) > 2 && !run[1].particle && !run[len(run)-1].initial && run[len(run)-1].flags == names.Word {
		run = run[:len(run)-1]
	}
	first, last := run[0], run[len(run)-1]
	start, stop := first.start, last.end
	if last.initial && len(run) > 1 {
		stop-- // the full stop may be the sentence's
		if k := at(b, stop+1); k != ' ' && k != 0 {
			stop++
		}
	}
	if p := at(b, start-1); isWord(p) || p == '.' && !is(at(b, start-2), cSpace) && at(b, start-2) != 0 || p == '/' || p == '\\' && at(b, start-2) != '\\' && !(start > 1) || p == '#' || p == '$' || p == '-' || p == '%' || p == '&' {
		return
	}
	switch c := at(b, stop); {
	case c == '(', c == '/', c == '\\' && at(b, stop+1) != 'n' && at(b, stop+1) != '"', c == '=', c == '[', c == '{', c == '-' && is(at(b, stop+1), cAlnum), c == '.' && is(at(b, stop+1), cAlnum), c == ':' && at(b, stop+1) == ':', c == '$', c == '+', c == '*':
		return
	}
	words := 0
	caps := 0
	for _, x := range run {
		if !x.particle && !x.initial {
			words++
			if x.caps {
				caps++
			}
		}
	}
	if words == 0 {
		return
	}
	score, known := 0.0, false
	if words+b2i(first.initial) > 1 || len(run) > 1 {
		if first.initial {
			score += 0.8
		} else {
			score += forenameWeight(first.flags)
		}
		if last.initial {
			score += 0.4
		} else {
			score += surnameWeight(last.flags)
		}
		if first.flags == 0 && last.flags == 0 && !first.initial {
			score -= 0.2
		}
		if forenameWeight(first.flags) == 0 && !first.initial {
			score -= 0.6
		}
		if words > 3 {
			score -= 0.8 * float64(words-3)
		}
		for _, x := range run[1:] {
			if x.particle && forenameWeight(first.flags) >= 1 {
				score += 0.5
				break
			}
		}
	} else {
		score = forenameWeight(first.flags) * 0.85
		if score == 0 && first.flags != 0 {
			score = surnameWeight(first.flags) * 0.4
		}
	}
	if caps > 0 && bytes.IndexByte(b[start:stop], '-') > 0 {
		return
	}
	if at(b, start-1) == '"' && at(b, stop) != '"' && at(b, stop) != ',' && at(b, stop+1) != '<' && at(b, stop+1) != '(' && words == 1 {
		score -= 0.8 // the beginning of a longer value
	}
	if caps == words {
		score -= 0.5
		if words == 1 {
			score -= 0.5
		}
	}
	score += t.around(start, stop, words)
	for _, x := range run {
		if x.flags&^names.Word != 0 || x.initial {
			known = true
		}
	}
	if !known && words > 1 {
		score -= 0.25 // capitals alone: titles of papers and products have them too
	}
	if score >= personThreshold && codeLine(b, start, stop) {
		score -= 0.8
	}
	if score < personThreshold-0.4 {
		return
	}
	t.hits = append(t.hits, hit{typ: "PERSON", start: start, end: stop, score: math.Round(100/(1+math.Exp(-2.2*(score-personThreshold)))) / 100})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// around adds up what stands before and behind.
func (t *nameTagger) around(start, stop, words int) float64 {
	b := t.text
	score := 0.0
	var low [48]byte

	// The word before, and the one before that.
	i := start
	sep := byte(0)
	breaks := 0
	for i > 0 && start-i < 6 && !is(b[i-1], cAlnum|cHigh) {
		c := b[i-1]
		if c == '\n' {
			breaks++
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			sep = c
		}
		i--
	}
	w1End := i
	for i > 0 && w1End-i < 24 && (is(b[i-1], cAlnum|cHigh) || b[i-1] == '\'' || b[i-1] == '_') {
		i--
	}
	w1 := lowerInto(low[:0], b[i:w1End])
	sentenceStart := start == 0 || breaks > 0 || sep == '.' || sep == '!' || sep == '?' || sep == '"' || sep == '\'' || len(w1) == 0
	switch {
	case len(w1) == 0:
	case titles[string(w1)] && breaks == 0 && (sep == 0 || sep == '.'):
		score += 2.2
	case greetings[string(w1)] && breaks == 0 && (sep == 0 || sep == ','):
		if string(w1) == "regards" || string(w1) == "thanks" || string(w1) == "thank" {
			score += 0.6
			if sep == ',' {
				score += 0.5
			}
		} else {
			score += 1.3
		}
	case greetings[string(w1)] && breaks > 0: // a signature
		score += 1.3
	case breaks > 0 && (string(w1) == "sincerely" || string(w1) == "best" || string(w1) == "cheers" || string(w1) == "grüßen" || string(w1) == "cordialement" || string(w1) == "saludos" || string(w1) == "saluti" || string(w1) == "truly" || string(w1) == "wishes" || string(w1) == "yours" || string(w1) == "gruß" || string(w1) == "groet"):
		score += 1.3
	case string(w1) == "you" && breaks == 0 && sep == 0 && bytes.HasSuffix(bytes.ToLower(b[max(0, i-6):i]), []byte("thank ")):
		score += 1.2
	case roles[string(w1)] && breaks == 0 && (sep == 0 || sep == ':'):
		score += 1.05
	case personKeys[string(w1)] && (sep == ':' || sep == '"' || sep == '=' || sep == '>' || sep == ','):
		score += 1.8
	case string(w1) == "name" && (sep == ':' || sep == '"' || sep == '='):
		if words >= 2 {
			score += 0.7
		}
	case thingKeys[string(w1)] && (sep == '"' || sep == ':'):
		score -= 1.2
	case placeHeads[string(w1)] && breaks == 0 && sep == 0:
		score -= 1
	case intros[string(w1)] && breaks == 0 && (sep == 0 || sep == ':'):
		score += 0.5
		if string(w1) == "is" || string(w1) == "am" || string(w1) == "this" || string(w1) == "name" || string(w1) == "named" || string(w1) == "i'm" || string(w1) == "heiße" || string(w1) == "appelle" || string(w1) == "llamo" || string(w1) == "chiamo" || string(w1) == "bin" {
			prev := bytes.ToLower(b[max(0, i-14):i])
			for _, p := range []string{"name ", "i ", "this ", "ich ", "m'", "me ", "mi ", "je "} {
				if bytes.HasSuffix(prev, []byte(p)) {
					score += 0.9
					break
				}
			}
			if (string(w1) == "to" || string(w1) == "by") && assigned(b[:i]) {
				score += 0.4
			}
			if string(w1) == "i'm" || string(w1) == "heiße" || string(w1) == "appelle" || string(w1) == "llamo" || string(w1) == "chiamo" {
				score += 0.9
			}
		}
	case (string(w1) == "the" || string(w1) == "a" || string(w1) == "an" || string(w1) == "in" || string(w1) == "at" || string(w1) == "near" || string(w1) == "der" || string(w1) == "die" || string(w1) == "das" || string(w1) == "el" || string(w1) == "la") && breaks == 0 && sep == 0:
		score -= 0.9
		if words > 1 {
			score += 0.5
		}
	}
	if sep == ',' && len(w1) > 1 && start-w1End == 2 && words == 1 && is(b[i], cUpper) && surnameWeight(t.g.flags(w1)) >= 0.7 && !stopCaps[string(w1)] && (i == 0 || b[i-1] == '\n') {
		score += 0.6
	}
	if is(at(b, start-2), cDigit) && at(b, start-1) == ' ' || sep == ',' && len(w1) > 0 && is(w1[len(w1)-1], cDigit) {
		score -= 0.9 // 12 Charles Roads
	}
	if i := bytes.LastIndexByte(b[start:stop], ' '); i > 0 && streets[strings.ToLower(string(b[start+i+1:stop]))] {
		score -= 0.9
	}
	if n := len(t.hits); n > 0 && start-t.hits[n-1].end < 6 && start > t.hits[n-1].end {
		switch string(b[t.hits[n-1].end:start]) {
		case ", ", " and ", " & ", "; ", " und ", " et ", " y ", " e ", " en ", " i ", " och ": // a list of persons
			score += 0.5
		}
	}
	if sentenceStart && words == 1 && score <= 0 {
		score -= 0.2
	}

	// What follows.
	k := stop
	if bytes.HasPrefix(b[k:], []byte("'s ")) || bytes.HasPrefix(b[k:], []byte("’s ")) {
		score += 0.4
	}
	for k < len(b) && k-stop < 3 && (b[k] == ' ' || b[k] == ',' || b[k] == '\n') {
		k++
	}
	switch c := at(b, k); {
	case c == '<' || c == '(' && k > stop:
		if m := bytes.IndexByte(b[k:min(len(b), k+60)], '@'); m > 0 {
			score += 1.2
		}
	case is(c, cAlpha):
		e := k
		for e < len(b) && e-k < 16 && is(b[e], cAlpha|cHigh) {
			e++
		}
		w := lowerInto(low[:0], b[k:e])
		if k == stop+1 && b[stop] == ' ' && is(c, cLower) && verbs[string(w)] {
			score += 0.5
		}
		if (orgTail[string(w)] || streets[string(w)]) && k == stop+1 {
			score -= 1.5
		}
		// Lopez, Maria
		if words == 1 && is(c, cUpper) && at(b, stop) == ',' && k == stop+2 && t.g.flags(w)&(names.Forename|names.RareForename) != 0 && t.g.flags(w)&names.Word == 0 && at(b, e) != ' ' {
			score += 0.6
		}
	}
	if start > 1 && stop < len(b) && b[start-1] == '"' && b[stop] == '"' || at(b, start-1) == '\'' && at(b, stop) == '\'' {
		score -= 0.2 // a quoted value: the key decides
	}
	return score
}

// assigned reports whether a text ends in a word that makes "to" or "by" speak of a
// person.
func assigned(b []byte) bool {
	b = bytes.TrimRight(b, " ")
	k := len(b)
	for k > 0 && len(b)-k < 14 && is(b[k-1], cAlpha) {
		k--
	}
	return assigning[string(bytes.ToLower(b[k:]))]
}

var assigning = wordSet("assigned belongs sent reported written signed contributed addressed owned created reviewed approved forwarded booked according submitted managed led spoke talked wrote said directed performed")

// codeLine reports whether the text around looks like source code or a log line.
func codeLine(b []byte, start, stop int) bool {
	n := 0
	for _, c := range b[max(0, start-40):min(len(b), stop+24)] {
		switch c {
		case '{', '}', ';', '=', '(', ')', '[', ']', '|', '\\', '`', '#', '$', '_', '*':
			n++
		}
	}
	return n >= 4
}
