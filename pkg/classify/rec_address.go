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
	pattern string
	score   float64
	before  int // bytes before the word that belong to the window
}

const (
	capWord = `[\p{Lu}][\p{L}'’.-]*`
	towns   = `(?:` + capWord + `[ -]?){1,4}`
	// more of an address behind the street: unit, town, region, post code
	unit   = `(?:,?[ \n]{1,2}(?:Apt|Apartment|Suite|Ste|Unit|Floor|Fl|Room|Rm|#)\.? ?#?[A-Z0-9-]{1,6})?`
	ukCode = `[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}`
	caCode = `[A-Z]{2} [A-Z]\d[A-Z] ?\d[A-Z]\d`
	auCode = `(?:NSW|VIC|QLD|WA|SA|TAS|ACT|NT),? \d{4}`
	ieCode = `[A-Z]\d[\dW] ?[A-Z0-9]{4}(?: ` + towns + `)?`
	inCode = `(?:` + capWord + `[ -]?){1,3}[ -]\d{6}`
	enTail = unit + `(?:,?[ \n]{1,3}` + towns + `,? ?\n? ?(?:` + caCode + `|` + auCode + `)|,?[ \n]{1,3}` + towns + `,? ?\n? ?(?:[A-Z]{2}|` + capWord + `)[ ,]{1,2}\d{5}(?:-\d{4})?|(?:,?[ \n]{1,3}` + towns + `){1,2},?[ \n]{1,2}` + ukCode + `|,? ?` + ukCode + `|,?[ \n]` + ieCode + `|,?[ \n]` + inCode + `|, ?` + towns + `, ?[A-Z]{2}\b)?`
	euTail = `(?:,? ?\n? ?(?:[A-Z]{1,2}-)?\d{4,5}(?:-\d{3,4})?(?: ?[A-Z]{2}\b)?,? ` + towns + `(?:\([A-Z]{2}\)|/ ?[A-Z]{2})?|,? ?\n? ?\d{2}-\d{3} ` + towns + `)?`
)

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
		words: strings.Fields(strings.ToLower(enSuffixes)),
		pattern: `(?:\b(?:Flat|Studio|Unit|Level|Apt|Apartment|Suite) \d{1,4}[A-Za-z]?[ ,\n/]{1,2})?\b(?:\d{1,6}(?:[/-]\d{1,4})?[A-Za-z]?|H\.No\. \d{1,4}),?(?: (?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\.?)? (?:(?:\d{1,3}(?:st|nd|rd|th)|[A-Z][A-Za-z'’.-]*) ){1,4}` +
			`(?:` + strings.Join(strings.Fields(enSuffixes), "|") + `)\b\.?(?: (?:N|S|E|W|NE|NW|SE|SW)\b\.?)?` + enTail +
			`|\b(?:Flat|Studio) \d{1,4}[A-Za-z]?[ ,\n]{1,2}(?:[A-Z][A-Za-z'’.-]* ){1,3}(?:` + strings.Join(strings.Fields(enSuffixes), "|") + `)\b` + enTail,
		score: 0.8, before: 64,
	},
	{
		words:   []string{"straße", "strasse", "str.", "weg", "platz", "allee", "gasse", "chaussee", "stieg", "-ring"},
		pattern: `(?:(?:Am|An der|Auf der|Im|In der|Zum|Zur|Alte|Neue|Große|Kleine|Obere|Untere|[\p{Lu}][\p{L}.]+-?) ?){0,2}\b(?:[\p{Lu}][\p{L}-]*)?(?:straße|strasse|str\.|Straße|Strasse|Str\.|weg|Weg|platz|Platz|allee|Allee|gasse|-Ring|chaussee|stieg) ?\d{1,4}(?:[/-]\d{1,4})?(?: ?[a-z]\b)?\b` + euTail,
		score:   0.8, before: 48,
	},
	{
		words:   []string{"rue ", "avenue ", "boulevard ", "place ", "chemin ", "allée", "impasse ", "quai ", "route ", "cours ", "bd "},
		pattern: `\b\d{1,4}(?: ?(?:bis|ter|quater))?,? (?i:rue|avenue|boulevard|bd|place|chemin|allées?|impasse|quai|route|cours|square|passage) (?:(?:de la|de l['’]|des|du|de|d['’]|la|le|les|Saint|Sainte)[ -]?)*` + capWord + `(?:[ -](?:(?:de|du|des|la|le|et) )?` + capWord + `){0,3}` + euTail,
		score:   0.8, before: 16,
	},
	{
		words:   []string{"calle ", "c/ ", "avenida ", "avda", "paseo ", "plaza ", "carrer ", "via ", "viale ", "piazza ", "corso ", "largo ", "rua ", "travessa ", "praça ", "ulica ", "ul. ", "aleja ", "al. ", "carrera ", "camino ", "alameda ", "estrada ", "plac ", "pl. ", "strada ", "vicolo ", "borgo ", "contrada ", "privada ", "circuito ", "boulevard ", "callejón ", "os. ", "rambla ", "glorieta ", "ronda ", "cuesta ", "pasaje ", "r. ", "av. "},
		pattern: `(?i:calle|c/|avenida|avda\.?|av\.|paseo|plaza|carrer|via|viale|piazza|corso|largo|rua|travessa|praça|ulica|ul\.|aleja|al\.|carrera|camino|alameda|estrada|plac|pl\.|strada|vicolo|borgo|contrada|privada|circuito|boulevard|callejón|os\.|rambla|glorieta|ronda|cuesta|pasaje|r\.|av\.) (?:(?:de la|de los|de las|del|de|della|delle|dei|degli|di|da|do|dos|das|la|los|las|San|Santa|Santo) )*` + capWord + `(?:[ -](?:(?:de|del|la|di|da|do|e|y) )?` + capWord + `){0,3},? ?(?:n[º°o.]?\.? ?)?(?:\d{1,4}\b[A-Za-z]?|S/N|s/n)(?:[/-] ?\d+[ºª°]?(?: ?[A-Z]\b)?|, ?\d+[ºª°](?: ?[A-Z]\b)?)*` + euTail,
		score:   0.75, before: 2,
	},
	{
		words:   []string{"straat ", "laan ", "weg ", "plein ", "gracht ", "kade ", "singel ", "dijk ", "steeg ", "baan ", "boulevard ", "hof ", "pad ", "dreef "},
		pattern: `\b(?:` + capWord + ` ){0,2}[\p{Lu}][\p{L}'’-]*(?:straat|laan|weg|plein|gracht|kade|singel|dijk|steeg|baan|boulevard|hof|pad|dreef) \d{1,4}(?: ?[a-zA-Z]|-\d+)?\b` + euTail,
		score:   0.75, before: 48,
	},
	{
		words:   []string{"gatan ", "vägen ", "gade ", "vej ", "katu ", "tie ", "gata ", "veien ", "allé "},
		pattern: `\b(?:` + capWord + ` ){0,1}[\p{Lu}][\p{L}-]*(?:gatan|vägen|gade|vej|katu|tie|gata|veien|allé) \d{1,4} ?[A-Za-z]?\b(?:,? ?\n?(?:[A-Z]{1,2}-)?\d{3} ?\d{1,2} ` + capWord + `)?`,
		score:   0.7, before: 48,
	},
	{
		words:   []string{"p.o. box", "po box", "p o box", "postfach", "apartado", "boîte postale", "unit ", "psc ", "usns ", "usnv ", "usnn ", "uss ", "uscgc "},
		pattern: `(?i:p\.? ?o\.? ?box|postfach|apartado(?: de correos)?|boîte postale) ?#?\d{1,7}\b` + enTail + `|\b(?:PSC|Unit) \d{3,5},?[ ]?(?:Box \d{3,5})?[ \n,]{1,2}(?:APO|FPO|DPO) A[AEP] \d{5}|\bUS(?:NS|NV|NN|S|CGC) ` + capWord + `[ \n]{1,2}(?:APO|FPO|DPO),? A[AEP] \d{5}`,
		score:   0.8, before: 2,
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
		out = append(out, ownSecret{"address", f.words, c.find})
	}
	return out
}()

func (f *compiledForm) find(s *scan, start, end int) {
	t := s.text
	first := t[start]
	if f.before == 64 && (is(s.at(start-1), cAlpha) || !is(first, cUpper)) {
		return // an English street word stands alone and has a capital
	}
	if f.before == 64 && (!is(first, cUpper) || is(s.at(end), cAlpha)) {
		return
	}
	if end <= s.addressEnd {
		return
	}
	// Without a digit near there is no house number.
	from := max(0, start-f.before, s.addressEnd)
	if f.before == 64 {
		// The house number stands before the street's name.
		if from = s.houseNumber(start); from < 0 {
			return
		}
	} else if near := t[from:min(len(t), end+16)]; bytes.IndexFunc(near, func(r rune) bool { return r >= '0' && r <= '9' }) < 0 {
		return
	}
	f.once.Do(func() {
		if f.before == 64 {
			f.pattern = `^(?:` + f.pattern + `)`
		}
		f.re = regexp.MustCompile(f.pattern)
	})
	to := min(len(t), end+140)
	m := f.re.FindIndex(t[from:to])
	if m == nil || from+m[0] > start || from+m[1] < end-1 && f.before == 64 {
		return
	}
	a, b := from+m[0], from+m[1]
	for b > a && (t[b-1] == ' ' || t[b-1] == '\n' || t[b-1] == ',' || t[b-1] == '-') {
		b--
	}
	if is(s.at(a-1), cAlnum) || s.at(a-1) == '.' && is(s.at(a-2), cDigit) {
		return
	}
	s.addressEnd = b
	s.add(hit{typ: "LOCATION", start: a, end: b, score: f.score})
}

// houseNumber goes back from a street word over capitalised words to the number they
// follow, and over a flat before it. -1: there is none.
func (s *scan) houseNumber(street int) int {
	t := s.text
	i := street
	for range 6 {
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
			// A flat before the house: Flat 61 5 Amy Steps, Studio 8, Bowen Curve.
			return s.flat(k)
		}
		if k > 0 && t[k-1] == ',' || !is(t[k], cUpper|cDigit|cHigh) && t[k] != '#' {
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
