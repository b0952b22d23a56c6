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
Lock Locks Lodge Mill Mills Mission Motorway Neck Overpass Parkways Passage Radial Ramp Ridges Roads Row Rue Squares Streets Steps End Rise Parade Esplanade Circuit Link Nook Promenade Quay Vale Wharf Chowk Marg Nagar Ganj Zila Manors Villas Boulevarde Salai Colony Vihar Layout Enclave Bagh Bazaar Gali Peth Puram`

// streets is enSuffixes as a set, in lower case.
var streets = wordSet(strings.ToLower(enSuffixes))

var addresses = []ownSecret{
	// The word ends the street's name and a number follows.
	{"address", []string{"straße", "strasse", "str.", "weg", "platz", "allee", "gasse", "chaussee", "stieg", "-ring", "damm ", "ufer ", "steig ", "graben ",
		"straat ", "laan ", "plein ", "gracht ", "kade ", "singel ", "dijk ", "steeg ", "baan ", "hof ", "dreef ", "pad ", "markt ",
		"gatan ", "vägen ", "gade ", "vej ", "vejen ", "katu ", "tie ", "kuja ", "polku ", "tori ", "rinne ", "gata ", "gate ", "gaten ", "vegen ", "veien ", "allé ", "stræde ", "stigen ", "gränd ", "gränden ", "backen ", "torget ", "torg ", "torv ", "plads ", "plass ", "plassen ", "boulevarden ", "promenaden ", "esplanaden ", "gången ", "kajen ", "stranden ", "brygga ", "bryggen ",
		"gürtel ", "zeile ", "brücke ", "promenade ", "steenweg ", "burgwal ",
		" caddesi", " cad.", " cad ", " cd.", " sokak", " sokağı", " sok.", " sk.", " bulvarı", " bulv.", " blv.", " mahallesi", " mah.", " meydanı", " út ", " utca ", " tér ", " körút ", "ulica ", " ulice ", " dol "}, (*scan).streetEnding, nil},
	// The same, of words that end other names as often: something else has to say address.
	{"address", []string{"nring ", "dring ", "rring ", "sring ", "wall ", "kai ", "berg ", "feld ", "winkel ", "park ", "weide ", "heide ", "wiese ", "wald ", "poort ", "oever ", "haven ", "hoek ", "meent ", "veste ", "boulevard ", "vaart ", "brug ", "rak ", "boyu "}, (*scan).streetEndingWeak, nil},
	// A number, the word, the name.
	{"address", []string{"rue ", "avenue ", "boulevard ", "place ", "chemin ", "allée ", "allées ", "impasse ", "quai ", "route ", "cours ", "bd ", "bd. ", "av. ", "square ", "passage ", "sentier ", "faubourg ", "voie ", "allé ", "villa ", "cité ", "hameau ", "rond-point ", "clos ", "ruelle ", "montée ", "chaussée ", "drève ", "esplanade ", "promenade ", "résidence ", "rang ", "côte ", "lieu-dit "}, (*scan).streetAfter, nil},
	// The word, the name, a number.
	{"address", []string{"calle ", "c/ ", "avenida ", "avda ", "avda. ", "paseo ", "plaza ", "carrer ", "via ", "viale ", "piazza ", "piazzale ", "corso ", "largo ", "rua ", "travessa ", "praça ", "ulica ", "ul. ", "aleja ", "aleje ", "al. ", "carrera ", "camino ", "alameda ",
		"estrada ", "rodovia ", "plac ", "pl. ", "strada ", "vicolo ", "borgo ", "contrada ", "località ", "privada ", "circuito ", "cerrada ", "calzada ", "andador ", "boulevard ", "blvd. ", "callejón ", "os. ", "rambla ", "glorieta ", "ronda ", "cuesta ",
		"gran vía", "gran via", "carretera ", "ctra. ", "urbanización ", "urb. ", "polígono ", "pza. ", "pça. ", "bulevar ", "lungotevere ", "lungarno ", "salita ", "frazione ", "fondamenta ", "riva ", "galleria ", "strada statale ", "beco ", "calçada ", "ladeira ", "rotunda ", "quadra ", "setor ", "vila ", "pasaje ", "travesía ", "prolongación ", "lungomare ", string([]byte{wordEdge}) + "r. ", "av. ", "eje ", "osiedle ", "retorno ", "continuación ", "ampliación ", "corredor ", "diagonal ", "transversal ", "viaducto ", "periférico ", "peatonal ", "cra. ", "cra ", "cr. ", "cl. ", "kr. ", "incrocio ", "canale ", "rotonda ",
		"intrarea ", "bulevardul ", "aleea ", "calea ", "șoseaua ", "splaiul ", "piața ", "jl. ", "jalan ", "gg. ", "gang ", "soseaua ", "șos. ", "drumul ", "acceso ", "diag. ", "viaduto ", "trecho ", "recanto ", "fazenda ", "sítio ", "parque "}, (*scan).streetBefore, nil},
	{"address", []string{"p.o. box", "po box", "p o box", "p.o.box", "post office box", "postfach", "apartado", "boîte postale", "caixa postal", "casella postale", "postbus", "skrytka pocztowa", "locked bag", "gpo box", "private bag", "box "}, (*scan).postBox, nil},
	{"address", []string{"unit ", "psc ", "usns ", "usnv ", "usnn ", "uss ", "uscgc "}, (*scan).military, nil},
	{"address", []string{"-ku", "-shi", "-chome", "-cho ", "-cho,", "-machi", "-ken ", " ku,", "tokyo", "osaka", "kyoto", "kanagawa", "hokkaido", "aichi", "fukuoka", "hyogo", "saitama", "chiba"}, (*scan).japanese, nil},
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
	} else if s.at(k) == ' ' && is(s.at(k+1), cAlpha) && !is(s.at(k+2), cAlnum|cHigh) && s.at(k+2) != '\'' && s.at(k+2) != '.' && s.at(k+2) != ':' && s.at(k+1)|0x20 != 'y' && s.at(k+1)|0x20 != 'e' && s.at(k+1)|0x20 != 'i' && s.at(k+1)|0x20 != 'o' {
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
	if s.at(k) == '.' && (s.at(k+1) == ',' || s.at(k+1) == '\n') { // utca 142.,
		k++
	}
	if is(s.at(k-1), cUpper) && s.at(k-2) == ' ' && s.at(k) == ' ' && is(s.at(k+1), cDigit) { // a stair and a door: 5 A 12
		m := k + 1
		for m < len(t) && is(t[m], cDigit) && m-k < 5 {
			m++
		}
		if m-k <= 4 && !is(s.at(m), cAlnum|cHigh|cSpace) || m-k <= 4 && s.at(m) == '\n' {
			k = m
		}
	}
	return k
}

// numberSign gives the place behind a sign for a house number at i: nº, No:, #.
func (s *scan) numberSign(i int) int {
	for _, w := range numberSigns {
		if hasWord(s.text[i:], w) {
			return i + len(w)
		}
	}
	return i
}

var numberSigns = []string{"n.º ", "nº ", "n° ", "nº", "n°", "n. ", "nr ", "nr. ", "nr.", "no. ", "no: ", "no:", "no.", "no ", "num. ", "núm. ", "número ", "numero ", "# ", "#", "km ", "n "}

// streetEnding takes Hauptstraße 5, Berliner Allee 12a, An der Weide 3.
func (s *scan) streetEnding(start, end int) { s.endingStreet(start, end, true) }

func (s *scan) streetEndingWeak(start, end int) { s.endingStreet(start, end, false) }

func (s *scan) endingStreet(start, end int, sure bool) {
	t := s.text
	i := end
	if t[start] == ' ' {
		start++
	}
	for i < len(t) && (t[i] == ' ' || t[i] == '.' || t[i] == ',') && i-end < 2 {
		i++
	}
	if is(t[end-1], cAlpha) && is(s.at(end), cAlpha|cHigh) {
		return
	}
	i = s.numberSign(i)
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
	if !s.capital(from) && (from < start || s.at(from-1) != ' ') { // Kossuth utca: the name stands before
		return
	}
	named := from < start
	if s.at(stop) == '.' && s.at(stop+1) == ' ' && s.capital(stop+2) { // an ordinal: Mah. 5. Sok.
		return
	}
	if !named && s.at(from-1) == ' ' && s.at(from-2) == '.' && is(s.at(from-3), cDigit) { // 5. Sokak
		for from -= 2; from > 0 && is(t[from-1], cDigit); from-- {
		}
		named = true
	}
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
	if low := bytes.ToLower(t[from:start]); articles[string(bytes.TrimSpace(low))] {
		return
	}
	if !named || !sure && !s.told(from, stop) {
		return
	}
	s.address(from, stop, 0.8)
}

var articles = wordSet("der die das dieser diese den dem ein eine kein kein jeder mein dein sein unser het de een den det en ett bu bir")

// told reports whether something besides a street says that an address stands here: a
// word for one near, or what of an address follows.
func (s *scan) told(start, end int) bool {
	if s.addressTail(end) > end {
		return true
	}
	near, far := s.context(start, end)
	return near.has(placeIndex()) || far.has(placeIndex())
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
	if !is(s.at(i-1), cAlnum) || i == start || !s.houseBefore(i) {
		s.numberBehind(start, end)
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
	if from == i {
		return
	}
	if s.at(from-1) == '-' && is(s.at(from-2), cDigit) { // #305-3640
		k := from - 2
		for k > 0 && is(s.text[k-1], cDigit) {
			k--
		}
		switch {
		case s.at(k-1) == '#':
			k--
		case s.flat(k) == k:
			return
		}
		from = k
	}
	if stop := s.streetName(end); stop > end {
		s.address(s.flat(from), stop, 0.8)
	}
}

// houseBefore reports whether a house number ends before i.
func (s *scan) houseBefore(i int) bool {
	k := i
	for k > 0 && i-k < 7 && is(s.text[k-1], cLower|cUpper|cSpace) {
		k--
	}
	return is(s.at(k-1), cDigit)
}

// numberBehind takes Rue Royale 92, as Belgium and Switzerland write it.
func (s *scan) numberBehind(start, end int) {
	t := s.text
	i := s.names(end)
	if i == end {
		return
	}
	k := i
	for k < len(t) && (t[k] == ' ' || t[k] == ',') && k-i < 2 {
		k++
	}
	if e := s.postcode(k); e == k+5 && s.at(e) == ' ' && s.capital(e+1) { // no number at all: rue Diaz, 40785 Saint-Maurice
		s.address(start, i, 0.7)
		return
	}
	k = s.numberSign(k)
	stop := s.houseEnd(k)
	if stop == k || stop-k > 7 || !s.told(start, stop) {
		return
	}
	s.address(start, stop, 0.7)
}

// streetBefore takes Calle de Alcalá, 45 and via Roma 7.
func (s *scan) streetBefore(start, end int) {
	t := s.text
	if is(t[start], cSpace) {
		start++
	}
	if end <= s.addressEnd || is(s.at(start-1), cAlnum|cHigh) || s.at(start-1) == '/' || s.at(start-1) == '.' {
		return
	}
	i := end
	if is(s.at(i), cDigit) {
		if m := gridForm().FindIndex(t[i:min(len(t), i+40)]); m != nil {
			s.address(start, i+m[1], 0.8)
			return
		}
	}
	stop := s.streetName(i)
	if stop == i {
		return
	}
	i = stop
	for i < len(t) && (t[i] == ' ' || t[i] == ',') && i-stop < 2 {
		i++
	}
	i = s.numberSign(i)
	if hasWord(t[i:], "s/n") {
		s.address(start, i+3, 0.75)
		return
	}
	if k := s.houseEnd(i); k > i && !(k-i == 4 && i == stop+1 && t[stop] == ' ' && (t[i] == '1' && t[i+1] == '9' || t[i] == '2' && t[i+1] == '0') && is(t[start], cUpper)) {
		s.address(start, k, 0.75)
	}
}

// japanese takes an address in Roman letters: 2-11-3 Meguro, Meguro-ku, Tokyo 153-0063.
// Blocks come before the quarter, the post code at the end.
func (s *scan) japanese(start, end int) {
	t := s.text
	if end <= s.addressEnd || is(s.at(end), cAlpha|cHigh) && t[end-1] != ' ' {
		return
	}
	// The part with the word, and the parts before it as far as they have blocks or names.
	from := start
	for from > 0 && start-from < 40 && (is(t[from-1], cAlpha|cHigh) || t[from-1] == '-') {
		from--
	}
	if !s.capital(from) && !is(t[from], cDigit) {
		return
	}
	begin := -1
	for k := from; k > 0 && from-k < 90; {
		gap := k
		for k > 0 && gap-k < 2 && (t[k-1] == ' ' || t[k-1] == ',' || t[k-1] == '\n') {
			k--
		}
		e := k
		for k > 0 && (is(t[k-1], cAlnum|cHigh) || t[k-1] == '-' || t[k-1] == '#') {
			k--
		}
		if k == e || gap == e {
			break
		}
		switch w := t[k:e]; {
		case blocks(w):
			begin = k
		case is(w[0], cDigit|cUpper) || w[0] == '#':
			if begin >= 0 && s.housePart(e) && digit(w, 0) < len(w) || begin >= 0 && is(s.at(e+1), cDigit) && is(w[0], cUpper) && t[e] == ' ' {
				begin = k // Sakura Mansion 301
			} else if begin >= 0 && !houses[string(bytes.ToLower(w))] {
				k = 0
			}
		default:
			k = 0
		}
	}
	if begin < 0 {
		return
	}
	// On to the prefecture and the post code.
	i, stop := from, end
	for range 6 {
		e := s.wordEnd(i)
		if e == i || !s.capital(i) && !is(t[i], cDigit) {
			break
		}
		stop, i = e, e
		for i < len(t) && i-e < 3 && (t[i] == ' ' || t[i] == ',' || t[i] == '\n') {
			i++
		}
		if hasWord(t[i:], "〒") {
			i += len("〒")
		}
		if p := s.postcode(i); p > i {
			stop = p
			break
		}
		if i > e+1 && t[e] == '\n' {
			break
		}
	}
	s.address(begin, stop, 0.75)
}

// blocks reports whether a word is the number of a block and a house: 2-11-3, 3-chome-5-1.
func blocks(w []byte) bool {
	groups, n := 0, 0
	for k := 0; k <= len(w); k++ {
		if k < len(w) && is(w[k], cDigit) {
			n++
			continue
		}
		if k < len(w) && w[k] != '-' {
			if n == 0 && hasWord(w[k:], "chome") && groups > 0 {
				k += len("chome")
				continue
			}
			return false
		}
		if n > 4 {
			return false
		}
		if n > 0 {
			groups++
		}
		n = 0
	}
	return groups >= 2 && is(w[0], cDigit)
}

// gridForm is what stands behind the word where streets have numbers: Calle 97 # 76-82.
var gridForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d{1,3} ?[A-Zª]?(?: ?[Bb]is)?(?: (?:Sur|Este|Norte|Oeste))? ?(?:#|No\.?|N[°º.]) ?\d{1,3} ?[A-Z]? ?- ?\d{1,3}(?: (?:Sur|Este|Norte|Oeste))?`)
})

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
	if s.at(i) == '-' && is(s.at(i+1), cUpper) && s.at(i+2) == ' ' { // 12-B
		i += 2
	}
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
	if is(t[end-1], cAlpha) && is(t[end-2], cAlpha) { // 5th, 10am
		return
	}
	plain := is(t[i+1], cLower)
	last, words, most, sure := -1, 0, 6, false
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
		if words++; words == 1 && monthNames[string(low)] { // 12 May Avenue
			return
		}
		if (words > 1 || words == 1 && !plain && s.direction(k)) && (!plain && streets[string(low)] || plain && plainStreets[string(low)]) {
			last = k
			sure = plainStreets[string(low)]
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
	for _, d := range []string{" NW", " NE", " SW", " SE", " N", " S", " E", " W", " North", " South", " East", " West", " Lower", " Upper", " Northwest", " Northeast", " Southwest", " Southeast", " Ouest", " Est"} {
		if hasWord(t[last:], strings.ToLower(d)) && !is(s.at(last+len(d)), cAlnum) {
			last += len(d)
			break
		}
	}
	if s.at(last) == ' ' && roads[string(bytes.ToLower(t[s.wordStart(last):last]))] { // County Road 217, Highway 61
		k := last + 1
		for k < len(t) && is(t[k], cDigit) && k-last < 6 {
			k++
		}
		if k > last+1 && !is(s.at(k), cAlnum|cHigh) {
			last = k
		}
	}
	switch {
	case !plain && (sure || s.told(start, last)):
		s.address(s.flat(start), last, 0.8)
	case plain && s.told(start, last):
		s.address(s.flat(start), last, 0.6)
	}
}

// direction reports whether a point of the compass stands at i: 104 Avenue NW.
func (s *scan) direction(i int) bool {
	for _, d := range []string{" NW", " NE", " SW", " SE"} {
		if bytes.HasPrefix(s.text[i:], []byte(d)) && !is(s.at(i+len(d)), cAlnum) {
			return true
		}
	}
	return false
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

// roads are street words that numbers follow.
var roads = wordSet("road rd route highway hwy way interstate pike loop fm")

// wordStart gives the start of the word that ends before i.
func (s *scan) wordStart(i int) int {
	for i > 0 && is(s.text[i-1], cAlpha|cHigh) {
		i--
	}
	return i
}

// plainStreets are street words that name little else: they are taken in lower case too,
// and without anything around that says address.
var plainStreets = wordSet("street st avenue ave road rd lane ln boulevard blvd court ct drive dr terrace crescent close parkway pkwy highway hwy route square sq place pl circle trail plaza mews turnpike alley way row embankment grove gardens parade esplanade quay")

var flats = wordSet("flat studio unit level apt apartment suite h.no.")

// flat takes the words for a flat before a house number into the address.
func (s *scan) flat(at int) int {
	if k := at - 1; k > 0 && s.text[k] == '-' && is(s.text[k-1], cDigit) { // #305-3640, Unit 12-40
		for k > 0 && at-k < 7 && is(s.text[k-1], cDigit) {
			k--
		}
		if s.at(k-1) == '#' {
			return k - 1
		}
		if f := s.flat(k); f < k {
			return f
		}
	}
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
