package classify

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// LOCATION: postal addresses in the forms of the main languages. A street word finds
// the place; the pattern is tried on the words around it alone.

type addressForm struct {
	words   []string
	pattern string // of the street with its number; what follows is the tail's
	score   float64
	before  int                                // bytes before the word that belong to the window
	likely  func(s *scan, start, end int) bool // a look before the pattern is tried
}

const capWord = `[\p{Lu}][\p{L}'’.-]*`

// numberBehind: a house number follows the street's name at once.
func numberBehind(s *scan, start, end int) bool {
	i := end
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '.') && i-end < 2 {
		i++
	}
	return is(s.at(i), cDigit)
}

// numberBefore: a house number stands before the word for the street.
func numberBefore(s *scan, start, end int) bool {
	i := start - 1
	for i >= 0 && start-i < 4 && (s.text[i] == ' ' || s.text[i] == ',') {
		i--
	}
	if i == start-1 {
		return false
	}
	for k := 0; k < 7 && i >= 0; k++ { // bis, ter
		if is(s.text[i], cDigit) {
			return true
		}
		if !is(s.text[i], cLower) && s.text[i] != ' ' {
			return false
		}
		i--
	}
	return false
}

// numberLater: a name and then a number follow the word for the street.
func numberLater(s *scan, start, end int) bool {
	if is(s.at(start-1), cAlnum) {
		return false
	}
	to := min(len(s.text), end+64)
	line := s.text[end:to]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	capital := false
	for _, c := range line {
		if is(c, cDigit) {
			return capital
		}
		capital = capital || is(c, cUpper|cHigh)
	}
	return capital && (bytes.Contains(line, []byte("S/N")) || bytes.Contains(line, []byte("s/n")))
}

// What English streets end in.
const enSuffixes = `Street St Avenue Ave Av Road Rd Lane Ln Drive Dr Boulevard Blvd Court Ct Place Pl Square Sq Highway Hwy Parkway Pkwy Terrace Ter Circle Cir Trail Trl Crescent Cres Close Gardens Garden Mews Way Route Plaza Alley
Crossing Crossroad Turnpike Loop Ridge Heights Point Points Station Stations Village Manor Island Islands Junction Junctions Landing Meadow Meadows View Views Forge Forges Mount Mountain Mountains Trace Track Walk Walks Expressway Extension Extensions Estate Estates
Spring Springs Falls Fall Creek Green Greens Grove Groves Harbor Harbors Hollow Isle Knoll Knolls Lake Lakes Mall Orchard Oval Park Parks Pass Path Pike Pine Pines Plain Plains Port Ports Prairie Ranch Rapid Rapids Rest
River Run Shore Shores Shoal Shoals Skyway Spur Spurs Stravenue Stream Summit Throughway Tunnel Underpass Union Unions Valley Valleys Via Viaduct Ville Villages Vista Wall Walls Well Wells Bridge Brook Brooks Burg Burgs Bypass Camp Canyon Cape Causeway Center
Centers Centre Cliff Cliffs Club Common Commons Corner Corners Course Courts Cove Coves Curve Dale Dam Divide Drives Field Fields Flat Flats Ford Fords Forest Fork Forks Fort Freeway Gateway Glen Glens Haven Hill Hills Inlet Key Keys Light Lights Loaf
Lock Locks Lodge Mill Mills Mission Motorway Neck Overpass Parkways Passage Radial Ramp Ridges Roads Row Rue Squares Streets Steps End Rise Parade Esplanade Circuit Link Nook Promenade Quay Vale Wharf Chowk Marg Nagar Ganj Zila Manors Villas`

// streets is enSuffixes as a set, in lower case.
var streets = wordSet(strings.ToLower(enSuffixes))

var addressForms = []addressForm{
	{
		words:   []string{"straße", "strasse", "str.", "weg", "platz", "allee", "gasse", "chaussee", "stieg", "-ring", "damm", "ufer", "steig", "graben"},
		pattern: `(?:(?:Am|An der|Auf der|Im|In der|Zum|Zur|Alte|Neue|Große|Kleine|Obere|Untere|[\p{Lu}][\p{L}.]+-?) ?){0,2}\b(?:[\p{Lu}][\p{L}-]*)?(?:straße|strasse|str\.|Straße|Strasse|Str\.|weg|Weg|platz|Platz|allee|Allee|gasse|Gasse|-Ring|chaussee|stieg|steig|damm|Damm|ufer|Ufer|graben) ?\d{1,4}(?:[/-]\d{1,4})?(?: ?[a-zA-Z]\b)?\b`,
		score:   0.8, before: 48, likely: numberBehind,
	},
	{
		words:   []string{"rue ", "avenue ", "boulevard ", "place ", "chemin ", "allée", "impasse ", "quai ", "route ", "cours ", " bd ", " bd. ", " av. ", "square ", "passage ", "sentier ", "villa ", "faubourg ", "voie "},
		pattern: `\b\d{1,4}(?: ?(?:bis|ter|quater|[A-C]))?,? (?i:rue|avenue|av\.|boulevard|bd\.?|place|chemin|allées?|impasse|quai|route|cours|square|passage|sentier|villa|faubourg|voie) (?:(?:de la|de l['’]|des|du|de|d['’]|la|le|les|l['’]|aux?|Saint|Sainte)[ -]?)*` + capWord + `(?:[ -](?:(?:de|du|des|la|le|et|l['’]|d['’]) ?)*` + capWord + `){0,3}`,
		score:   0.8, before: 16, likely: numberBefore,
	},
	{
		words:   []string{"calle ", "c/ ", "avenida ", "avda", "paseo ", "plaza ", "carrer ", "via ", "viale ", "piazza ", "piazzale ", "corso ", "largo ", "rua ", "travessa ", "praça ", "ulica ", "ul. ", "aleja ", "aleje ", "al. ", "carrera ", "camino ", "alameda ", "estrada ", "rodovia ", "plac ", "pl. ", "strada ", "vicolo ", "borgo ", "contrada ", "località ", "privada ", "circuito ", "cerrada ", "calzada ", "andador ", "boulevard ", "blvd. ", "callejón ", "os. ", "rambla ", "glorieta ", "ronda ", "cuesta ", "pasaje ", "travesía ", "prolongación ", "lungomare ", "r. ", "av. ", "osiedle "},
		pattern: `(?i:calle|c/|avenida|avda\.?|av\.|paseo|plaza|carrer|via|viale|piazzale|piazza|corso|largo|rua|travessa|praça|ulica|ul\.|aleja|aleje|al\.|carrera|camino|alameda|estrada|rodovia|plac|pl\.|strada|vicolo|borgo|contrada|località|privada|circuito|cerrada|calzada|andador|boulevard|blvd\.|callejón|os\.|osiedle|rambla|glorieta|ronda|cuesta|pasaje|travesía|prolongación|lungomare|r\.) (?:(?:de la|de los|de las|del|de|della|delle|dei|degli|dell['’]|di|da|do|dos|das|la|los|las|San|Santa|Santo|\d{1,2}) )*` + capWord + `(?:[ -](?:(?:de|del|la|los|las|di|da|do|dos|e|y|della|dei) )*` + capWord + `){0,4},? ?(?:n[º°o.]?\.? ?|# ?|No\.? ?|Núm\.? ?|km )?(?:\d{1,5}\b[A-Za-z]?|S/N|s/n)(?:[/-] ?\d+[ºª°]?(?: ?[A-Z]\b)?|, ?\d+[ºª°](?: ?[A-Z]\b)?)*`,
		score:   0.75, before: 2, likely: numberLater,
	},
	{
		words:   []string{"straat ", "laan ", "plein ", "gracht ", "kade ", "singel ", "dijk ", "steeg ", "baan ", "hof ", "dreef ", "weg ", "pad ", "markt "},
		pattern: `\b(?:` + capWord + ` ){0,2}[\p{Lu}][\p{L}'’-]*(?:straat|laan|weg|plein|gracht|kade|singel|dijk|steeg|baan|hof|pad|dreef|markt) \d{1,4}(?: ?[a-zA-Z]\b|-\d+|-[IVX]+)?\b`,
		score:   0.75, before: 48, likely: numberBehind,
	},
	{
		words:   []string{"gatan ", "vägen ", "gade ", "vej ", "katu ", "tie ", "gata ", "veien ", "allé ", "stræde "},
		pattern: `\b(?:` + capWord + ` ){0,1}[\p{Lu}][\p{L}-]*(?:gatan|vägen|gade|vej|katu|tie|gata|veien|allé|stræde) \d{1,4} ?[A-Za-z]?\b`,
		score:   0.7, before: 48, likely: numberBehind,
	},
	{
		words:   []string{"p.o. box", "po box", "p o box", "p.o.box", "post office box", "postfach", "apartado", "boîte postale", "caixa postal", "casella postale", "postbus", "skrytka pocztowa", "locked bag", "gpo box", "private bag", "unit ", "psc ", "usns ", "usnv ", "usnn ", "uss ", "uscgc "},
		pattern: `(?i:p\.? ?o\.? ?box|post office box|gpo box|locked bag|private bag|postfach|apartado(?: de correos| postal)?|boîte postale|caixa postal|casella postale|postbus|skrytka pocztowa) ?#?\d{1,7}\b|\b(?:PSC|Unit) \d{3,5},?[ ]?(?:Box \d{3,5})?[ \n,]{1,2}(?:APO|FPO|DPO) A[AEP] \d{5}|\bUS(?:NS|NV|NN|S|CGC) ` + capWord + `[ \n]{1,2}(?:APO|FPO|DPO),? A[AEP] \d{5}`,
		score:   0.8, before: 2, likely: func(s *scan, start, end int) bool {
			to := min(len(s.text), end+30)
			return digit(s.text[:to], end) < to
		},
	},
}

type compiledForm struct {
	addressForm
	once sync.Once
	re   *regexp.Regexp
}

var addresses = func() []ownSecret {
	var out []ownSecret
	for _, f := range addressForms {
		c := &compiledForm{addressForm: f}
		out = append(out, ownSecret{"address", f.words, c.find, nil})
	}
	// Short street words stand between a blank and the end of a word.
	var ends, letters byteSet
	for _, c := range []byte(" .,;\n\r\"'\\)<#-") {
		ends.add(c)
	}
	for c := byte('a'); c <= 'z'; c++ {
		letters.add(c)
	}
	var long []string
	short := map[int][]string{}
	for w := range streets {
		if len(w) < 4 {
			short[len(w)] = append(short[len(w)], " "+w)
		} else {
			long = append(long, w)
		}
	}
	var blank byteSet
	blank.add(' ')
	out = append(out,
		ownSecret{"address", long, (*scan).englishStreet, nil},
		ownSecret{"address", short[2], (*scan).englishStreet, []byteSet{blank, letters, letters, ends}},
		ownSecret{"address", short[3], (*scan).englishStreet, nil},
		ownSecret{"address", addressLabels, (*scan).addressLabel, nil})
	return out
}()

func (f *compiledForm) find(s *scan, start, end int) {
	if end <= s.addressEnd || !f.likely(s, start, end) {
		return
	}
	f.once.Do(func() { f.re = regexp.MustCompile(f.pattern) })
	from := max(0, start-f.before, s.addressEnd)
	for from < start && s.text[from]&0xC0 == 0x80 { // not inside a character
		from++
	}
	m := f.re.FindIndex(s.text[from:min(len(s.text), end+90)])
	if m == nil || from+m[0] > start || from+m[1] < end {
		return
	}
	s.address(from+m[0], from+m[1], f.score)
}

// address adds a street with its number, and what of an address follows it.
func (s *scan) address(a, b int, score float64) {
	if is(s.at(a-1), cAlnum) || s.at(a-1) == '.' && is(s.at(a-2), cDigit) {
		return
	}
	b = s.addressTail(b)
	for b > a && (s.text[b-1] == ' ' || s.text[b-1] == '\n' || s.text[b-1] == ',' || s.text[b-1] == '-') {
		b--
	}
	s.addressEnd = b
	s.add(hit{typ: "LOCATION", start: a, end: b, score: score})
}

// englishStreet takes a number, a name and an English word for a street.
func (s *scan) englishStreet(start, end int) {
	if s.text[start] == ' ' {
		start++
	}
	if end <= s.addressEnd || is(s.at(start-1), cAlpha) || is(s.at(end), cAlpha) {
		return
	}
	plain := !is(s.text[start], cUpper)
	if plain && !plainStreets[string(s.text[start:end])] {
		return // an English street word has a capital, but for notes in haste
	}
	from := s.houseNumber(start, plain)
	if from < 0 {
		return
	}
	if s.at(end) == '.' && end-start <= 4 {
		end++
	}
	for _, d := range []string{" NW", " NE", " SW", " SE", " N", " S", " E", " W", " North", " South", " East", " West"} {
		if bytes.HasPrefix(s.text[end:], []byte(d)) && !is(s.at(end+len(d)), cAlnum) {
			end += len(d)
			break
		}
	}
	if !plain {
		s.address(from, end, 0.8)
		return
	}
	if near, far := s.context(from, end); s.addressTail(end) > end || near.has(placeIndex()) || far.has(placeIndex()) {
		s.address(from, end, 0.6)
	}
}

// plainStreets are street words that are taken in lower case too.
var plainStreets = wordSet("street avenue road lane boulevard court drive")

// houseNumber goes back from a street word over capitalised words to the number they
// follow, and over a flat before it. plain: the words may have no capitals, and are few.
// -1: there is none.
func (s *scan) houseNumber(street int, plain bool) int {
	t := s.text
	i := street
	most := 6
	if plain {
		most = 3
	}
	for step := range most {
		if i < 2 || t[i-1] != ' ' && t[i-1] != '\n' {
			return -1
		}
		end := i - 1
		if t[end-1] == ',' || t[end-1] == '.' {
			end--
		}
		k := end
		for k > 0 && !is(t[k-1], cSpace) && end-k < 24 && t[k-1] != ',' {
			k--
		}
		if k == end {
			return -1
		}
		if is(t[k], cDigit) && !is(s.at(end-1), cLower) || is(t[k], cDigit) && end-k < 8 && !bytes.HasSuffix(t[k:end], []byte("th")) && !bytes.HasSuffix(t[k:end], []byte("st")) && !bytes.HasSuffix(t[k:end], []byte("nd")) && !bytes.HasSuffix(t[k:end], []byte("rd")) {
			if step == 0 {
				return -1 // a number and no name
			}
			// A flat before the house: Flat 61 5 Amy Steps, Studio 8, Bowen Curve.
			return s.flat(k)
		}
		if k > 0 && t[k-1] == ',' || !is(t[k], cUpper|cDigit|cHigh) && t[k] != '#' && !(plain && is(t[k], cLower)) {
			return -1
		}
		if t[k] == '#' && k+1 < end && is(t[k+1], cDigit) {
			return k + 1
		}
		i = k
	}
	return -1
}

var flats = wordSet("flat studio unit level apt apartment suite h.no.")

// flat takes the words for a flat before a house number into the address.
func (s *scan) flat(at int) int {
	back := func(i int) int { // start of the word before i
		k := i
		for k > 0 && (is(s.text[k-1], cSpace) || s.text[k-1] == ',' || s.text[k-1] == '/') && i-k < 2 {
			k--
		}
		if k == i {
			return i
		}
		for k > 0 && !is(s.text[k-1], cSpace) && i-k < 14 {
			k--
		}
		return k
	}
	word := func(from, to int) string { return string(bytes.ToLower(bytes.TrimRight(s.text[from:to], " ,/\n"))) }
	a := back(at)
	if a < at && flats[word(a, at)] {
		return a
	}
	if a < at && is(s.text[a], cDigit) {
		if b := back(a); b < a && flats[word(b, a)] {
			return b
		}
	}
	return at
}
