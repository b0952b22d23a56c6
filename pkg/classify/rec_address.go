package classify

import (
	"bytes"
	"regexp"
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
	// more of an address behind the street: unit, town, region, post code, country
	usTail = `(?:,?[ \n]{1,2}(?:Apt|Apartment|Suite|Ste|Unit|Floor|Fl|Room|Rm|#)\.? ?#?[A-Z0-9-]{1,6})?(?:,?[ \n]{1,3}(?:` + capWord + ` ?){1,3},? ?(?:\n ?)?(?:[A-Z]{2}|` + capWord + `)[ ,]{1,2}\d{5}(?:-\d{4})?|,?[ \n]{1,3}(?:` + capWord + ` ?){1,3},?[ \n]{1,2}[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|,? ?[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|, ?(?:` + capWord + ` ?){1,3}, ?[A-Z]{2}\b)?`
	euTail = `(?:,? ?\n? ?(?:[A-Z]{1,2}-)?\d{4,5}(?: ?[A-Z]{2})? (?:` + capWord + `[ -]?){1,3}|,? ?\n? ?\d{2}-\d{3} (?:` + capWord + ` ?){1,2})?`
)

var addressForms = []addressForm{
	{
		words: []string{"street", " st", "avenue", " ave", "road", " rd", "lane", " ln", "drive", " dr", "boulevard", " blvd", "court", " ct", "place", " pl", "square", " sq", "highway", " hwy", "parkway", " pkwy", "terrace", "circle", " cir", "trail", " trl", "crescent", "close", "gardens", "mews", " way", "route", "plaza", "alley", "crossing", "turnpike", " loop", "ridge", "heights", "point", "station", "village", "manor", "island", "islands", "junction", "landing", "meadows", "view", "views", "forge", "mount", "mountain", "trace", "track", "walk", "expressway", "extension", "estate", "estates", "springs", "falls", "creek", "green", "grove", "harbor", "hollow", "isle", "knoll", "lake", "lakes", "mall", "orchard", "oval", "park", "pass", "path", "pike", "pine", "pines", "plain", "port", "prairie", "ranch", "rapid", "rest", "river", "run", "shore", "shores", "spur", "stravenue", "stream", "summit", "tunnel", "union", "valley", "via", "ville", "vista", "wall", "well", "wells", "bridge", "brook", "burg", "bypass", "camp", "canyon", "cape", "causeway", "center", "cliff", "club", "common", "corner", "course", "cove", "curve", "dale", "dam", "divide", "field", "flat", "ford", "forest", "fork", "fort", "freeway", "garden", "gateway", "glen", "haven", "hill", "hills", "inlet", "key", "keys", "locks", "lodge", "mill", "mills", "mission", "motorway", "neck", "overpass", "passage", "radial", "ramp", "row", "rue", "shoal", "skyway", "throughway", "underpass", "viaduct"},
		pattern: `\b\d{1,6}[A-Za-z]?(?: (?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\.?)? (?:(?:\d{1,3}(?:st|nd|rd|th)|[A-Z][A-Za-z'’.-]*) ){1,4}` +
			`(?:Street|St|Avenue|Ave|Av|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Place|Pl|Square|Sq|Highway|Hwy|Parkway|Pkwy|Terrace|Ter|Circle|Cir|Trail|Trl|Crescent|Cres|Close|Gardens|Mews|Way|Route|Plaza|Alley|Crossing|Turnpike|Loop|Ridge|Heights|Point|Station|Village|Manor|Islands?|Junction|Landing|Meadows|Views?|Forge|Mount|Mountain|Trace|Track|Walk|Expressway|Extension|Estates?|Springs|Falls|Creek|Green|Grove|Harbor|Hollow|Isle|Knoll|Lakes?|Mall|Orchard|Oval|Park|Pass|Path|Pike|Pines?|Plain|Port|Prairie|Ranch|Rapids?|Rest|River|Run|Shores?|Spurs?|Stravenue|Stream|Summit|Tunnel|Union|Valley|Via|Ville|Vista|Walls?|Wells?|Bridge|Brooks?|Burg|Bypass|Camp|Canyon|Cape|Causeway|Center|Cliffs?|Club|Common|Corners?|Course|Cove|Curve|Dale|Dam|Divide|Fields?|Flats?|Fords?|Forest|Forks?|Fort|Freeway|Garden|Gateway|Glens?|Haven|Hills?|Inlet|Keys?|Locks?|Lodge|Mills?|Mission|Motorway|Neck|Overpass|Passage|Radial|Ramp|Row|Rue|Shoals?|Skyway|Throughway|Underpass|Viaduct)\b\.?(?: (?:N|S|E|W|NE|NW|SE|SW)\b\.?)?` + usTail,
		score: 0.8, before: 64,
	},
	{
		words:   []string{"straße", "strasse", "str.", "weg", "platz", "allee", "gasse", "chaussee", "stieg"},
		pattern: `(?:(?:Am|An der|Auf der|Im|In der|Zum|Zur|Alte|Neue|Große|Kleine|Obere|Untere|[\p{Lu}][\p{L}.]+-?) ?){0,2}\b(?:[\p{Lu}][\p{L}-]*)?(?:straße|strasse|str\.|Straße|Strasse|Str\.|weg|Weg|platz|Platz|allee|Allee|gasse|-Ring|chaussee|stieg) ?\d{1,4} ?[a-z]?\b(?:-\d+)?` + euTail,
		score:   0.8, before: 48,
	},
	{
		words:   []string{"rue ", "avenue ", "boulevard ", "place ", "chemin ", "allée", "impasse ", "quai ", "route ", "cours ", "bd "},
		pattern: `\b\d{1,4}(?: ?(?:bis|ter|quater))?,? (?i:rue|avenue|boulevard|bd|place|chemin|allées?|impasse|quai|route|cours|square|passage) (?:(?:de la|de l['’]|des|du|de|d['’]|la|le|les|Saint|Sainte)[ -]?)*` + capWord + `(?:[ -](?:(?:de|du|des|la|le|et) )?` + capWord + `){0,3}` + euTail,
		score:   0.8, before: 16,
	},
	{
		words:   []string{"calle ", "c/ ", "avenida ", "avda", "paseo ", "plaza ", "carrer ", "via ", "viale ", "piazza ", "corso ", "largo ", "rua ", "travessa ", "praça ", "ulica ", "ul. ", "aleja ", "al. ", "carrera ", "camino ", "alameda ", "estrada "},
		pattern: `(?i:calle|c/|avenida|avda\.?|av\.|paseo|plaza|carrer|via|viale|piazza|corso|largo|rua|travessa|praça|ulica|ul\.|aleja|al\.|carrera|camino|alameda|estrada) (?:(?:de la|de los|de las|del|de|della|delle|dei|degli|di|da|do|dos|das|la|los|las|San|Santa|Santo) )*` + capWord + `(?:[ -](?:(?:de|del|la|di|da|do|e|y) )?` + capWord + `){0,3},? ?(?:n[º°o.]?\.? ?)?\d{1,4}\b[A-Za-z]?(?:[/-] ?\d+[ºª°]?(?: ?[A-Z]\b)?|, ?\d+[ºª°](?: ?[A-Z]\b)?)*` + euTail,
		score:   0.75, before: 2,
	},
	{
		words:   []string{"straat ", "laan ", "weg ", "plein ", "gracht ", "kade ", "singel ", "dijk "},
		pattern: `\b(?:` + capWord + ` ){0,2}[\p{Lu}][\p{L}'’-]*(?:straat|laan|weg|plein|gracht|kade|singel|dijk) \d{1,4}(?: ?[a-zA-Z]|-\d+)?\b` + euTail,
		score:   0.75, before: 48,
	},
	{
		words:   []string{"gatan ", "vägen ", "gade ", "vej ", "katu ", "tie ", "gata ", "veien ", "allé "},
		pattern: `\b(?:` + capWord + ` ){0,1}[\p{Lu}][\p{L}-]*(?:gatan|vägen|gade|vej|katu|tie|gata|veien|allé) \d{1,4} ?[A-Za-z]?\b(?:,? ?\n?(?:[A-Z]{1,2}-)?\d{3} ?\d{1,2} ` + capWord + `)?`,
		score:   0.7, before: 48,
	},
	{
		words:   []string{"p.o. box", "po box", "p o box", "postfach", "apartado", "boîte postale", "unit ", "psc ", "usns ", "usnv ", "usnn ", "uss ", "uscgc "},
		pattern: `(?i:p\.? ?o\.? ?box|postfach|apartado(?: de correos)?|boîte postale) ?#?\d{1,7}\b` + usTail + `|\b(?:PSC|Unit) \d{3,5},?[ ]?(?:Box \d{3,5})?[ \n,]{1,2}(?:APO|FPO|DPO) A[AEP] \d{5}|\bUS(?:NS|NV|NN|S|CGC) ` + capWord + `[ \n]{1,2}(?:APO|FPO|DPO),? A[AEP] \d{5}`,
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
	if first == ' ' {
		first = s.at(start + 1)
	} else if f.before == 64 && (is(s.at(start-1), cAlpha) || !is(first, cUpper)) {
		return // an English street word stands alone and has a capital
	}
	if f.before == 64 && (!is(first, cUpper) || is(s.at(end), cAlpha) && s.at(end) != 's') {
		return
	}
	if end <= s.addressEnd {
		return
	}
	// Without a digit near there is no house number.
	from := max(0, start-f.before, s.addressEnd)
	near := t[from:min(len(t), end+16)]
	if bytes.IndexFunc(near, func(r rune) bool { return r >= '0' && r <= '9' }) < 0 {
		return
	}
	f.once.Do(func() { f.re = regexp.MustCompile(f.pattern) })
	to := min(len(t), end+110)
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
