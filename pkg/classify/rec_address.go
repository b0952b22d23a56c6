package classify

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// LOCATION: postal addresses in the forms of the main languages. A street word finds
// the place; the pattern is tried on the words around it alone.

// What English streets end in.
const enSuffixes = `Street St Avenue Ave Av Road Rd Lane Ln Drive Dr Boulevard Blvd Court Ct Place Pl Square Sq Highway Hwy Parkway Pkwy Terrace Ter Circle Cir Trail Trl Crescent Cres Close Gardens Garden Mews Way Route Plaza Alley
Crossing Crossroad Turnpike Loop Ridge Heights Point Points Station Stations Village Manor Island Islands Junction Junctions Landing Meadow Meadows View Views Forge Forges Mount Mountain Mountains Trace Track Walk Walks Expressway Extension Extensions Estate Estates
Spring Springs Falls Fall Creek Green Greens Grove Groves Harbor Harbors Hollow Isle Knoll Knolls Lake Lakes Mall Orchard Oval Park Parks Pass Path Pike Pine Pines Plain Plains Port Ports Prairie Ranch Rapid Rapids Rest
River Run Shore Shores Shoal Shoals Skyway Spur Spurs Stravenue Stream Summit Throughway Tunnel Underpass Union Unions Valley Valleys Via Viaduct Ville Villages Vista Wall Walls Well Wells Bridge Brook Brooks Burg Burgs Bypass Camp Canyon Cape Causeway Center
Centers Centre Cliff Cliffs Club Common Commons Corner Corners Course Courts Cove Coves Curve Dale Dam Divide Drives Field Fields Flat Flats Ford Fords Forest Fork Forks Fort Freeway Gateway Glen Glens Haven Hill Hills Inlet Key Keys Light Lights Loaf
Lock Locks Lodge Mill Mills Mission Motorway Neck Overpass Parkways Passage Radial Ramp Ridges Roads Row Rue Squares Streets Steps End Rise Parade Esplanade Circuit Link Nook Promenade Quay Vale Wharf Chowk Marg Nagar Ganj Zila Manors Villas`

// streets is enSuffixes as a set, in lower case.
var streets = wordSet(strings.ToLower(enSuffixes))

var addresses = []ownSecret{
	// The word ends the street's name and a number follows.
	{"address", []string{"straße", "strasse", "str.", "weg", "platz", "allee", "gasse", "chaussee", "stieg", "-ring", "damm ", "ufer ", "steig ", "graben ",
		"straat ", "laan ", "plein ", "gracht ", "kade ", "singel ", "dijk ", "steeg ", "baan ", "hof ", "dreef ", "pad ", "markt ",
		"gatan ", "vägen ", "gade ", "vej ", "katu ", "tie ", "gata ", "veien ", "allé ", "stræde "}, (*scan).streetEnding, nil},
	// A number, the word, the name.
	{"address", []string{"rue ", "avenue ", "boulevard ", "place ", "chemin ", "allée ", "allées ", "impasse ", "quai ", "route ", "cours ", " bd ", " bd. ", " av. ", "square ", "passage ", "sentier ", "faubourg ", "voie "}, (*scan).streetAfter, nil},
	// The word, the name, a number.
	{"address", []string{"calle ", "c/ ", "avenida ", "avda ", "avda. ", "paseo ", "plaza ", "carrer ", "via ", "viale ", "piazza ", "piazzale ", "corso ", "largo ", "rua ", "travessa ", "praça ", "ulica ", "ul. ", "aleja ", "aleje ", "al. ", "carrera ", "camino ", "alameda ",
		"estrada ", "rodovia ", "plac ", "pl. ", "strada ", "vicolo ", "borgo ", "contrada ", "località ", "privada ", "circuito ", "cerrada ", "calzada ", "andador ", "boulevard ", "blvd. ", "callejón ", "os. ", "rambla ", "glorieta ", "ronda ", "cuesta ",
		"pasaje ", "travesía ", "prolongación ", "lungomare ", " r. ", " av. ", "osiedle "}, (*scan).streetBefore, nil},
	{"address", []string{"p.o. box", "po box", "p o box", "p.o.box", "post office box", "postfach", "apartado", "boîte postale", "caixa postal", "casella postale", "postbus", "skrytka pocztowa", "locked bag", "gpo box", "private bag", "box "}, (*scan).postBox, nil},
	{"address", []string{"unit ", "psc ", "usns ", "usnv ", "usnn ", "uss ", "uscgc "}, (*scan).military, nil},
	{"address", addressLabels, (*scan).addressLabel, nil},
}

// houseEnd gives the end of a house number at i, with letter and range; i where there is
// none.
func (s *scan) houseEnd(i int) int {
	t, k := s.text, i
	for k < len(t) && is(t[k], cDigit) && k-i < 6 {
		k++
	}
	if k == i || k-i > 5 {
		return i
	}
	if is(s.at(k), cAlpha) && !is(s.at(k+1), cAlnum) {
		k++
	} else if s.at(k) == ' ' && is(s.at(k+1), cAlpha) && !is(s.at(k+2), cAlnum|cHigh) && s.at(k+2) != '\'' && s.at(k+1)|0x20 != 'y' && s.at(k+1)|0x20 != 'e' && s.at(k+1)|0x20 != 'i' && s.at(k+1)|0x20 != 'o' {
		k += 2
	}
	for (s.at(k) == '-' || s.at(k) == '/') && is(s.at(k+1), cAlnum) {
		m := k + 1
		for m < len(t) && is(t[m], cAlnum) && m-k < 6 {
			m++
		}
		if is(s.at(m), cAlnum) {
			break
		}
		k = m
	}
	if is(s.at(k), cAlnum|cHigh) || (s.at(k) == '.' || s.at(k) == ':') && is(s.at(k+1), cDigit) || s.at(k) == '%' {
		return i
	}
	return k
}

// streetEnding takes Hauptstraße 5, Berliner Allee 12a, An der Weide 3.
func (s *scan) streetEnding(start, end int) {
	t := s.text
	i := end
	for i < len(t) && (t[i] == ' ' || t[i] == '.') && i-end < 2 {
		i++
	}
	if end <= s.addressEnd || !is(s.at(i), cDigit) || i == end && is(t[end-1], cAlpha|cHigh) {
		return
	}
	stop := s.houseEnd(i)
	if stop == i {
		return
	}
	from := start
	back := func(i int) int {
		for i > 0 && (is(t[i-1], cAlpha|cHigh) || (t[i-1] == '-' || t[i-1] == '\'' || t[i-1] == '.') && is(s.at(i-2), cAlpha|cHigh) && t[i-1] != '.') {
			i--
		}
		return i
	}
	from = back(from)
	if !s.capital(from) {
		return
	}
	named := from < start
	for range 3 {
		if s.at(from-1) != ' ' {
			break
		}
		k := back(from - 1)
		if k == from-1 && s.at(k-1) == '.' { // Dr. , St.
			k = back(k - 1)
		}
		low := bytes.ToLower(t[k : from-1])
		if k == from-1 || !s.capital(k) && !(placeParticles[string(low)] && s.at(k-1) == ' ' && s.capital(back(k-1))) || s.at(k-1) == '@' {
			break
		}
		from, named = k, true
	}
	if !named {
		return
	}
	s.address(from, stop, 0.8)
}

// streetAfter takes 12 bis, rue de la Paix.
func (s *scan) streetAfter(start, end int) {
	t := s.text
	if t[start] == ' ' {
		start++
	}
	if end <= s.addressEnd || is(s.at(start-1), cAlpha|cHigh) {
		return
	}
	i := start
	for i > 0 && (t[i-1] == ' ' || t[i-1] == ',') && start-i < 3 {
		i--
	}
	if i == start {
		return
	}
	for _, w := range []string{"bis", "ter", "quater", "A", "B", "C"} {
		if bytes.HasSuffix(t[:i], []byte(w)) {
			if i -= len(w); s.at(i-1) == ' ' {
				i--
			}
			break
		}
	}
	from := i
	for from > 0 && is(t[from-1], cDigit) && i-from < 5 {
		from--
	}
	if from == i || s.at(from-1) == '-' && is(s.at(from-2), cDigit) {
		return
	}
	if stop := s.names(end); stop > end {
		s.address(from, stop, 0.8)
	}
}

// streetBefore takes Calle de Alcalá, 45 and via Roma 7.
func (s *scan) streetBefore(start, end int) {
	t := s.text
	if t[start] == ' ' {
		start++
	}
	if end <= s.addressEnd || is(s.at(start-1), cAlnum|cHigh) || s.at(start-1) == '/' || s.at(start-1) == '.' {
		return
	}
	i := end
	for k := i; k < len(t) && is(t[k], cDigit) && k-i < 3; k++ { // Rua 25 de Março
		if s.at(k+1) == ' ' && is(s.at(k+2), cLower) {
			i = k + 2
		}
	}
	stop := s.names(i)
	if stop == i {
		return
	}
	i = stop
	for i < len(t) && (t[i] == ' ' || t[i] == ',') && i-stop < 2 {
		i++
	}
	for _, w := range []string{"n.º ", "nº ", "n° ", "n. ", "nr ", "nr. ", "no. ", "num. ", "núm. ", "número ", "numero ", "# ", "#", "km ", "n "} {
		if hasWord(t[i:], w) {
			i += len(w)
			break
		}
	}
	if hasWord(t[i:], "s/n") {
		s.address(start, i+3, 0.75)
		return
	}
	if k := s.houseEnd(i); k > i && !(k-i == 4 && i == stop+1 && t[stop] == ' ' && (t[i] == '1' && t[i+1] == '9' || t[i] == '2' && t[i+1] == '0') && is(t[start], cUpper)) {
		s.address(start, k, 0.75)
	}
}

// postBox takes PO Box 123 and its kin.
func (s *scan) postBox(start, end int) {
	t := s.text
	if end <= s.addressEnd || is(s.at(start-1), cAlnum) {
		return
	}
	i := end
	for _, w := range []string{" de correos", " postal", ":"} {
		if hasWord(t[i:], w) {
			i += len(w)
		}
	}
	for i < len(t) && i-end < 16 && (t[i] == ' ' || t[i] == '#') {
		i++
	}
	stop := i
	for stop < len(t) && is(t[stop], cDigit) {
		stop++
	}
	if stop == i || stop-i > 7 || is(s.at(stop), cAlpha) {
		return
	}
	if hasWord(t[start:], "box ") && (!is(t[start], cUpper) || s.addressTail(stop) == stop) {
		return
	}
	s.address(start, stop, 0.8)
}

var militaryForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:PSC|Unit) \d{3,5},?[ ]?(?:Box \d{3,5})?|US(?:NS|NV|NN|S|CGC) [\p{Lu}][\p{L}'’.-]*)[ \n,]{1,2}(?:APO|FPO|DPO),? A[AEP] \d{5}`)
})

// military takes addresses of the United States' forces abroad.
func (s *scan) military(start, end int) {
	to := min(len(s.text), end+80)
	if near := s.text[end:to]; !bytes.Contains(near, []byte("PO")) || end <= s.addressEnd {
		return
	}
	if m := militaryForm().FindIndex(s.text[start:to]); m != nil {
		s.address(start, start+m[1], 0.8)
	}
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

// englishStreet takes a number, a name and an English word for a street. It is called for
// every number: few have a word with a capital behind them.
func (s *scan) englishStreet(start, end int) {
	t := s.text
	if s.at(start-1) == '.' || s.at(start-1) == '$' || s.at(start-1) == ':' {
		return
	}
	i := end
	for (s.at(i) == '/' || s.at(i) == '-') && is(s.at(i+1), cDigit) { // 12/14, 4-6
		for i++; i < len(t) && is(t[i], cAlnum) && i-end < 6; i++ {
		}
	}
	if s.at(i) == ',' {
		i++
	}
	if s.at(i) != ' ' || !is(s.at(i+1), cAlnum|cHigh) {
		return
	}
	plain := is(t[i+1], cLower)
	last, words, most := -1, 0, 6
	if plain {
		most = 4
	}
	var b [24]byte
	for range most {
		from := i + 1
		k := s.wordEnd(from)
		if is(s.at(from), cDigit) { // 5th
			for k = from; k < len(t) && is(t[k], cAlnum); k++ {
			}
			if k-from > 5 || is(t[k-1], cDigit) {
				break
			}
		} else if k == from || !plain && !s.capital(from) && !placeParticles[string(t[from:k])] || k-from > len(b) {
			break
		}
		low := b[:0]
		for _, c := range t[from:k] {
			low = append(low, lowerByte[c])
		}
		words++
		if words > 1 && (!plain && streets[string(low)] || plain && plainStreets[string(low)]) {
			last = k
		}
		if s.at(k) == '.' && k-from <= 3 {
			k++
		}
		if i = k; s.at(i) != ' ' {
			break
		}
	}
	if last < 0 {
		return
	}
	if s.at(last) == '.' && !(s.at(last+1) == ' ' && last-end > 3 && streetsLong(t[:last])) {
		last++
	}
	for _, d := range []string{" NW", " NE", " SW", " SE", " N", " S", " E", " W", " North", " South", " East", " West"} {
		if bytes.HasPrefix(t[last:], []byte(d)) && !is(s.at(last+len(d)), cAlnum) {
			last += len(d)
			break
		}
	}
	if !plain {
		s.address(s.flat(start), last, 0.8)
		return
	}
	if near, far := s.context(start, last); s.addressTail(last) > last || near.has(placeIndex()) || far.has(placeIndex()) {
		s.address(s.flat(start), last, 0.6)
	}
}

// streetsLong reports whether the last word is written out: a full stop behind it ends a
// sentence.
func streetsLong(t []byte) bool {
	k := len(t)
	for k > 0 && is(t[k-1], cAlpha) {
		k--
	}
	return len(t)-k > 4
}

// plainStreets are street words that are taken in lower case too.
var plainStreets = wordSet("street avenue road lane boulevard court drive")

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
