package classify

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"
)

// What stands around a street: units, towns, regions, post codes, countries. An address
// without a word for a street is found from its post code, or from a word that says an
// address comes.

var placeContext = recogniser{words: "address,addresses,adresse,anschrift,dirección,direccion,domicilio,indirizzo,endereço,endereco,adres,adress,live,lives,lived,living,reside,resides,residing,residence,ship,shipped,shipping,deliver,delivered,delivery,located,moved,wohnt,wohne,wohnhaft,habite,vive,vivo,abita,mora,mieszka,woont,home,house,住所,地址,주소"}

var placeIndex = sync.OnceValue(func() int { return recogniserIndex(&placeContext) })

var addressLabels = []string{"address", "adresse", "anschrift", "dirección", "direccion", "domicilio", "indirizzo", "endereço", "endereco", "adres:", "adres ", "adress:", "lives at", "live at", "lived at", "living at", "resides at", "residing at", "ship to", "shipped to", "ships to", "deliver to", "delivered to", "delivery to",
	"mail to", "mailed to", "send it to", "located at", "moved to", "wohnhaft", "wohnt in", "wohne in", "lieferung an", "habite au", "habite", "domicilié", "livrer au", "vivo en", "vive en", "enviar a", "abita in", "residente in", "spedire", "moro na", "mora na", "woont op", "woont aan", "mieszka przy", "zamieszkał", "street\"", "line1\"", "line_1\"", "住所", "地址", "주소"}

var regionCodes = wordSet("al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc pr gu vi " +
	"ab bc mb nb nl ns nt nu on pe qc sk yt nsw vic qld sa tas act sp rj mg rs pr ba pe ce go df es am pa ma mt ms pb rn al pi se to ro ac ap rr cdmx jal ags qro pue mi rm to na ge bo fi ve pa ct ba vr pd bs bg tn")

var regionNames = wordSet("alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming ontario quebec québec alberta manitoba saskatchewan victoria queensland tasmania " +
	"maharashtra karnataka kerala gujarat punjab haryana rajasthan telangana bihar odisha jalisco puebla querétaro veracruz oaxaca tokyo osaka kyoto hokkaido kanagawa aichi fukuoka saitama chiba hyogo")

var countries = wordSet("usa u.s.a. us uk england scotland wales ireland germany deutschland france frankreich spain españa italy italia netherlands nederland poland polska brazil brasil mexico méxico india japan australia canada kanada austria österreich switzerland schweiz suisse belgium belgique belgië portugal sweden sverige norway norge denmark danmark finland suomi")

// unitWords begin a part of a building or a quarter.
var unitWords = wordSet("apt apartment suite ste unit floor fl room rm flat no nr num piso planta puerta escalera esc depto departamento dpto int interior col colonia fracc bloco apto apartamento conjunto cj sala casa bloc bât bâtiment appt appartement étage resid scala interno int stock etage whg wohnung top haus hs lok m box c/o block tower wing plot sector phase building bldg level shop office house h.no door ward app bur bte boîte bus bureau lgh int d daire kat blok villa flat unit box lot shop block porte kamer verdieping m lok mieszkanie dpto pis andar r/c esq dto izq lote quadra bl cond appartamento piano edif edificio etapa torre oficina bodega ap sc et bloque portal local manzana mz lt rd ajtó emelet em jud")

// particles of names of places
var placeParticles = wordSet("de del la las los el le les du des di da do dos das della dei degli delle dell of the and upon on under in am an der den dem bei im zum zur auf ob sur sous lès en saint st i y e nad pod van het 't aan alten alte neuen neue hohen großen kleinen langen kurzen grünen roten weißen oberen unteren heiligen")

// word gives the end of the word of letters at i, with apostrophes, hyphens and full
// stops inside.
func (s *scan) wordEnd(i int) int {
	t := s.text
	for i < len(t) && (is(t[i], cAlpha|cHigh) || (t[i] == '\'' || t[i] == '-') && is(s.at(i+1), cAlpha|cHigh)) {
		i++
	}
	return i
}

func (s *scan) capital(i int) bool {
	if i >= len(s.text) {
		return false
	}
	if s.text[i] < utf8.RuneSelf {
		return is(s.text[i], cUpper)
	}
	r, _ := utf8.DecodeRune(s.text[i:])
	return unicode.IsUpper(r)
}

// elided reports whether an article without its vowel stands before a capital: d'Orsay.
func (s *scan) elided(i int) bool {
	if !is(s.at(i), cLower) {
		return false
	}
	for k := i + 1; k < i+6; k++ {
		switch {
		case s.at(k) == '\'':
			return s.capital(k + 1)
		case bytes.HasPrefix(s.text[min(k, len(s.text)):], []byte("’")):
			return s.capital(k + 3)
		case !is(s.at(k), cLower):
			return false
		}
	}
	return false
}

// names gives the end of a run of words with capitals, as towns are called; i where there
// is none.
func (s *scan) names(i int) int {
	end := i
	for n := 0; n < 5; n++ {
		if s.at(i) == '\'' && s.at(i+1) == 's' && s.at(i+2) == '-' { // 's-Hertogenbosch
			i += 3
		}
		e := s.wordEnd(i)
		if e == i || e-i > 32 || is(s.at(e), cDigit) {
			break
		}
		if n > 0 && s.capital(i) && unitWords[string(bytes.ToLower(s.text[i:e]))] && s.numbered(e) {
			break // rue Paul Suite 711
		}
		if s.capital(i) || s.elided(i) {
			end = e
			if s.at(e) == '.' && e-i <= 3 {
				e++
				end = e
				if s.capital(e) { // J.B. Alberdi
					i = e
					continue
				}
			}
		} else if !placeParticles[string(bytes.ToLower(s.text[i:e]))] {
			break
		}
		if c := s.at(e); c != ' ' {
			break
		}
		i = e + 1
	}
	return end
}

// numbered reports whether a number stands behind a word that ends at i.
func (s *scan) numbered(i int) bool {
	for k := i; k < i+3; k++ {
		if c := s.at(k); is(c, cDigit) {
			return true
		} else if c != ' ' && c != '.' && c != '#' && c != ':' {
			return false
		}
	}
	return false
}

// streetName gives the end of a street's name at i: names, or a day that a street is
// named after (8 mai 1945, 3 Maja).
func (s *scan) streetName(i int) int {
	t, k := s.text, i
	for n := range 3 { // articles: du 8 mai, del 5 de mayo
		if is(s.at(k), cDigit) || n == 2 {
			break
		}
		e := s.wordEnd(k)
		if s.at(e) != ' ' || !placeParticles[string(bytes.ToLower(t[k:e]))] {
			break
		}
		k = e + 1
	}
	d := k
	for d < len(t) && is(t[d], cDigit) && d-k < 3 {
		d++
	}
	if d == k || d-k > 2 || s.at(d) != ' ' {
		return s.names(i)
	}
	w := d + 1
	if hasWord(t[w:], "de ") {
		w += 3
	}
	e := s.wordEnd(w)
	if low := bytes.ToLower(t[w:e]); !monthNames[string(low)] && !s.capital(w) {
		return s.names(i)
	}
	if s.at(e) == ' ' && s.at(e+1) == '1' && is(s.at(e+4), cDigit) && !is(s.at(e+5), cAlnum) { // the year
		e += 5
	}
	return max(e, s.names(w))
}

// gap skips what separates the parts of an address; lines counts line ends. -1: nothing
// or too much stands there.
func (s *scan) gap(i int) (next, lines int) {
	from := i
	for i < len(s.text) && i-from < 6 {
		switch c := s.text[i]; {
		case c == '\n':
			lines++
		case c == '\\' && s.at(i+1) == 'n':
			lines++
			i++
		case c == ' ', c == ',', c == '\r', c == '\t', c == ';':
		case (c == '-' || c == '|' || c == '/') && (s.at(i-1) == ' ' || s.at(i-1) == ',' || is(s.at(i+1), cUpper)):
		case c == '(' && is(s.at(i+1), cUpper):
		default:
			if i == from || lines > 1 {
				return -1, 0
			}
			return i, lines
		}
		i++
	}
	return -1, 0
}

// addressTail gives the end of the address whose street ends at b.
func (s *scan) addressTail(b int) int {
	end, i := b, b
	open := 0 // names since the last part that only addresses have
	postal, coded := false, false
	for range 9 {
		at := i
		next, _ := s.gap(i)
		if next < 0 || next-b > 160 {
			break
		}
		i = next
		for _, w := range []string{"c.p. ", "c.p.", "cp ", "cep ", "cep: ", "plz ", "zip ", "zip: ", "zip code ", "postcode ", "postal code ", "pin ", "pin: ", "pin code "} {
			if hasWord(s.text[i:], w) && s.postcode(i+len(w)) > i+len(w) {
				i += len(w)
				break
			}
		}
		e := s.wordEnd(i)
		low := bytes.ToLower(s.text[i:e])
		switch {
		case s.at(i) == '#' && is(s.at(i+1), cDigit):
			for i++; i < len(s.text) && is(s.text[i], cAlnum); i++ {
			}
			end = i
		case s.floorEnd(i) > i:
			i = s.floorEnd(i)
			end = i
		case s.doorEnd(i) > i:
			i = s.doorEnd(i)
			end = i
		case e > i && unitWords[string(low)] && s.unitEnd(e) > e:
			i = s.unitEnd(e)
			end = i
		case s.postcode(i) > i:
			i = s.postcode(i)
			end, open, postal, coded = i, 0, true, true
		case e > i && e-i <= 4 && regionCodes[string(low)] && is(s.text[i], cUpper) && is(s.text[e-1], cUpper):
			i = e
			if s.at(i) == ')' {
				i++
			}
			end, open = i, 0
		case e > i && s.capital(i) && (countries[string(low)] || regionNames[string(low)]):
			i = e
			end, open = i, 0
		case e > i && s.names(i) > i:
			if coded && !postal || placeStops[string(low)] {
				return end
			}
			i = s.names(i)
			if s.at(i) == '/' && s.capital(i+1) { // Kadıköy/İstanbul, São Paulo/SP
				i = s.names(i + 1)
			}
			if postal {
				end, postal = i, false // a town behind its post code
				break
			}
			if open++; open > 3 {
				return end
			}
			// A town behind a comma, where the sentence or the line ends or goes on.
			if c := s.text[at]; open == 1 && (c == ',' && s.placeEnds(i) || c == '\n' && s.lineEnds(i)) {
				end = i
			}
		default:
			return end
		}
	}
	return end
}

// placeEnds reports whether nothing goes on at i that would make a town a person or a
// sentence: a sign, or one of the words that follow a place.
func (s *scan) placeEnds(i int) bool {
	switch c := s.at(i); {
	case c == ' ':
		e := s.wordEnd(i + 1)
		return s.at(i+1) == '(' || s.at(i+1) == '|' || s.at(i+1) == '-' || afterPlace[string(s.text[i+1:e])]
	case c == '@' || c == '_' || is(c, cAlnum|cHigh):
		return false
	}
	return true
}

// lineEnds reports whether a line ends at i.
func (s *scan) lineEnds(i int) bool {
	c := s.at(i)
	return c == 0 || c == '\n' || c == '\r' || c == '"' || c == ',' && s.at(i+1) == ' '
}

// placeStops begin lines behind an address.
var placeStops = wordSet("tel telephone telefon téléphone teléfono telefono phone fon fax mobile mobil handy cell email e-mail mail www http https web attn thank thanks thx regards best kind cheers sincerely danke merci gracias grazie obrigado dziękuję dear hello hi note notes ps work home office ship bill invoice order date dob vat ust")

var afterPlace = wordSet("to for by before and or in on since from with until at as is was has last next this but because so when while bis vor und ab seit et ou avant pour dès y o e ed en antes para hasta desde prima per da fino i do od oraz och till från innan ve")

// floorEnd gives the end of a floor: 3º B, 2nd Floor.
func (s *scan) floorEnd(i int) int {
	k := i
	for k < len(s.text) && is(s.text[k], cDigit) && k-i < 3 {
		k++
	}
	if k == i || k-i > 2 {
		return i
	}
	for _, w := range []string{". tv", ". th", ". mf", ". sal", " tr", "th floor", ". stock", ". og", ". étage"} {
		if hasWord(s.text[k:], w) && !is(s.at(k+len(w)), cAlnum|cHigh) {
			return k + len(w)
		}
	}
	for _, w := range []string{"º", "ª", "°", ".º", ".ª", "er ", "e ", "st ", "nd ", "rd ", "th "} {
		if !bytes.HasPrefix(s.text[k:], []byte(w)) {
			continue
		}
		k += len(w)
		if w[len(w)-1] == ' ' {
			if e := s.wordEnd(k); unitWords[string(bytes.ToLower(s.text[k:e]))] {
				return e
			}
			return i
		}
		m := k
		if s.at(m) == ' ' {
			m++
		}
		if e := s.wordEnd(m); e > m && (e-m == 1 && is(s.text[m], cUpper) || hasWord(s.text[m:e], "izq") || hasWord(s.text[m:e], "izda") || hasWord(s.text[m:e], "dcha") || hasWord(s.text[m:e], "der") || hasWord(s.text[m:e], "esq") || hasWord(s.text[m:e], "dto")) {
			if s.at(e) == '.' && e-m > 1 && !s.capital(e+2) {
				e++
			}
			return e
		}
		return k
	}
	return i
}

// doorEnd gives the end of words for a floor or a door that stand alone: st. th., bajo,
// r/c, piano terra.
func (s *scan) doorEnd(i int) int {
	for _, w := range []string{"st. th", "st. tv", "st. mf", "st th", "st tv", "kl. th", "kl. tv", "r/c", "bajo", "ground floor", "basement", "rez-de-chaussée", "rdc", "erdgeschoss", "piano terra", "parter", "hs", "centro"} {
		if e := i + len(w); hasWord(s.text[i:], w) && !is(s.at(e), cAlnum|cHigh) {
			if s.at(e) == '.' {
				e++
			}
			return e
		}
	}
	return i
}

// unitEnd gives the end of what a word for a unit names: 4B, 2.º, Roma Norte.
func (s *scan) unitEnd(i int) int {
	from := i
	for i < len(s.text) && i-from < 3 && (s.text[i] == '.' || s.text[i] == ' ' || s.text[i] == '#' || s.text[i] == ':') {
		i++
	}
	k := i
	for k < len(s.text) && k-i < 8 && (is(s.text[k], cAlnum) || (s.text[k] == '-' || s.text[k] == '/') && is(s.at(k+1), cAlnum)) {
		k++
	}
	if k > i && k-i <= 6 && (is(s.text[i], cDigit) || k-i == 1) {
		return k
	}
	if n := s.names(i); n > i {
		return n
	}
	return from
}

// postcode gives the end of a post code at i; i where there is none.
func (s *scan) postcode(i int) int {
	t := s.text
	if i < len(t) && t[i] >= 0x80 && bytes.HasPrefix(t[i:], []byte("〒")) {
		if e := s.postcode(i + len("〒")); e > i+len("〒") {
			return e
		}
		return i
	}
	k := i
	for k < len(t) && k-i < 3 && is(t[k], cUpper) {
		k++
	}
	if k > i && s.at(k) == '-' && is(s.at(k+1), cDigit) { // D-10115
		if e := s.postcode(k + 1); e > k+1 {
			return e
		}
		return i
	}
	if n := k - i; n > 0 {
		switch {
		case n <= 2 && is(s.at(k), cDigit):
			// United Kingdom, Canada, Ireland: two groups of letters and digits.
			e := k
			for e < len(t) && is(t[e], cDigit|cUpper) && e-i < 5 {
				e++
			}
			out := e - i
			in := e
			if s.at(in) == ' ' {
				in++
			}
			m := in
			for m < len(t) && is(t[m], cDigit|cUpper) && m-in < 5 {
				m++
			}
			if is(s.at(m), cAlnum) {
				return i
			}
			switch {
			case m-in == 3 && is(t[in], cDigit) && is(t[in+1], cUpper) && (is(t[in+2], cUpper) || out == 3 && is(t[in+2], cDigit)) && out >= 2 && out <= 4:
				return m
			case m-in == 4 && out == 3 && n == 1:
				return m
			case m-in == 2 && in == e && out == 5 && n == 1 && is(t[i+1], cDigit) && (is(t[i+2], cDigit) || t[i+2] == 'W'): // T99CY8X
				return m
			}
		}
		return i
	}
	for k < len(t) && is(t[k], cDigit) && k-i < 8 {
		k++
	}
	n := k - i
	more := 0
	if (s.at(k) == '-' || s.at(k) == ' ') && is(s.at(k+1), cDigit) {
		m := k + 1
		for m < len(t) && is(t[m], cDigit) && m-k < 6 {
			m++
		}
		if !is(s.at(m), cAlnum) {
			more = m - k - 1
		}
	}
	hyphen := s.at(k) == '-'
	switch {
	case hyphen && (n == 5 && (more == 4 || more == 3) || n == 2 && more == 3 || n == 3 && more == 4 || n == 4 && more == 3),
		!hyphen && n == 3 && (more == 2 || more == 3):
		k += 1 + more
	case n == 5 || n == 6:
	case n == 4 && s.at(k) == ' ' && is(s.at(k+1), cUpper) && is(s.at(k+2), cUpper) && !is(s.at(k+3), cAlnum): // 1012 AB
		k += 3
	case n == 4 && is(s.at(k), cUpper) && is(s.at(k+1), cUpper) && !is(s.at(k+2), cAlnum): // 1012AB
		k += 2
	case n == 4 && (t[i] != '0' || s.at(k) == ' ' && s.capital(k+1) || s.at(i-1) == '-' || is(s.at(i-2), cUpper) || s.at(i-2) == ',' && is(s.at(i-3), cUpper)):
		if y := prefix(t[i:k], 4); y >= 1900 && y <= 2099 && !(s.at(k) == ' ' && s.capital(k+1)) && !is(s.at(i-2), cUpper) && s.at(i-1) != '-' && !(s.at(i-2) == ',' && is(s.at(i-3), cUpper)) {
			return i // a year
		}
	default:
		return i
	}
	if !s.endsAt(k) {
		return i
	}
	return k
}

// addressLabel takes what follows a word that says an address comes.
func (s *scan) addressLabel(start, end int) {
	t := s.text
	if is(s.at(start-1), cAlpha) && s.at(end-1) != '"' && is(t[start], cLower) {
		return
	}
	if end <= s.addressEnd {
		return
	}
	i := end
	for skipped := 0; i < len(t) && i-end < 48 && skipped < 7; {
		c := t[i]
		if is(c, cDigit) && !is(s.at(i-1), cAlpha|cHigh) && s.at(i-1) != '_' && !(s.at(i+1) == '"' && i-end < 12) || s.capital(i) && !is(s.at(i-1), cAlpha) || c >= 0xE3 {
			break
		}
		switch {
		case is(c, cAlpha|cHigh):
			i = max(s.wordEnd(i), i+1)
			skipped++
		case is(c, cDigit):
			i++
		case c == '.' || c == '{' || c == '}' || c == '[' || c == '@' || c == '<' && !is(s.at(i+1), cAlpha) || c == '\n' && s.at(i+1) == '\n':
			return
		default:
			i++
		}
	}
	if i >= len(t) || i-end >= 48 {
		return
	}
	if stop := s.addressRun(i); stop > 0 {
		s.addressEnd = stop
		s.add(hit{typ: "LOCATION", start: i, end: stop, score: 0.65})
	}
}

// addressRun takes words with capitals, numbers and what joins them, as far as they can
// be an address. 0: they are none.
func (s *scan) addressRun(i int) int {
	t, from, end := s.text, i, i
	numbers, words, lines, parts := 0, 0, 0, 0
	for i < len(t) && i-from < 170 {
		c := t[i]
		switch {
		case is(c, cDigit):
			k := i
			for k < len(t) && (is(t[k], cAlnum) || (t[k] == '-' || t[k] == '/') && is(s.at(k+1), cAlnum)) {
				k++
			}
			if k-i > 9 || s.at(k) == '.' && is(s.at(k+1), cDigit) || s.at(k) == ':' || s.at(k) == '@' || s.at(k) == '%' {
				i = len(t)
				continue
			}
			numbers++
			i, end = k, k
		case s.capital(i):
			e := s.wordEnd(i)
			low := bytes.ToLower(t[i:e])
			if monthNames[string(low)] || s.at(e) == ':' || s.at(e) == '@' || s.at(e) == '_' {
				i = len(t)
				continue
			}
			if e-i >= 3 && is(t[e-1], cLower|cHigh) {
				words++
			}
			if s.at(e) == '.' && e-i <= 5 && s.at(e+1) == ' ' {
				e++
			}
			i, end = e, e
		case is(c, cAlpha|cHigh):
			e := s.wordEnd(i)
			if e == i {
				i = len(t)
				continue
			}
			low := string(bytes.ToLower(t[i:e]))
			if !placeParticles[low] && !unitWords[low] && !streets[low] {
				i = len(t)
				continue
			}
			if streets[low] || unitWords[low] && low != "a" {
				end = e
			}
			i = e
		default:
			next := i + 1
			if c == ',' || c == '\n' {
				parts++
			}
			switch {
			case c == '\n', c == '\\' && s.at(i+1) == 'n':
				if lines++; lines > 4 || s.at(i+1) == '\n' {
					next = len(t)
				}
				if c == '\\' {
					next++
				}
			case c == ' ', c == ',', c == '\r', c == '#', c == '/', c == '-', c == '\'', c == '(' || c == ')':
			case c == '.' && s.at(i+1) == ' ' && end-from < 8:
			case c >= 0x80:
			default:
				next = len(t)
			}
			i = next
		}
	}
	if numbers == 0 || numbers > 6 || words == 0 || end-from < 10 || parts == 0 && numbers+words < 3 {
		return 0
	}
	return end
}

// housePart reports whether the part that ends before i belongs to a house: it holds a
// number or a word for a part of a building.
func (s *scan) housePart(i int) bool {
	k := i
	for k > 0 && i-k < 60 && s.text[k-1] != ',' && s.text[k-1] != '\n' {
		k--
	}
	part := s.text[k:i]
	if digit(part, 0) < len(part) {
		return true
	}
	for _, w := range bytes.Fields(part) {
		low := bytes.ToLower(bytes.Trim(w, ".:"))
		if len(low) > 1 && unitWords[string(low)] || houses[string(low)] {
			return true
		}
	}
	return false
}

// houses are words that names of houses end in.
var houses = wordSet("cottage house hall lodge farm manor villa villas court apartments residency residence mansion mansions heights towers tower building plaza barn mill grange vicarage rectory bungalow chambers complex society haus hof residenz résidence palazzo edificio edifício torre casa quinta")

// australian reports whether a state of Australia ends at i behind a town: Hobart TAS.
func (s *scan) australian(i int) bool {
	from := s.wordStart(i + 1)
	switch string(s.text[from : i+1]) {
	case "NSW", "VIC", "QLD", "SA", "WA", "TAS", "ACT", "NT":
	default:
		return false
	}
	for from > 0 && (s.text[from-1] == ' ' || s.text[from-1] == ',') {
		from--
	}
	town := s.wordStart(from)
	return from-town > 2 && s.capital(town)
}

// townCode reports whether four digits before a word with a capital can be a post code
// where nothing says that an address comes: a house number ends the part before, and
// neither a year nor an amount is meant.
func (s *scan) townCode(start, code int) bool {
	if y := prefix(s.text[start:], 4); y >= 1900 && y <= 2099 {
		return false
	}
	e := s.wordEnd(code + 1)
	if amounts[string(bytes.ToLower(s.text[code+1:e]))] || e-code < 4 {
		return false
	}
	k := start
	for k > 0 && (s.text[k-1] == ' ' || s.text[k-1] == ',' || s.text[k-1] == '\n') {
		k--
	}
	if k == start-1 && s.text[k] == ' ' { // no comma, no line
		return false
	}
	if is(s.at(k-1), cAlpha) && is(s.at(k-2), cDigit) { // 12a
		k--
	}
	return is(s.at(k-1), cDigit)
}

var amounts = wordSet("euro eur usd dollar dollars gbp pounds chf franken uhr prozent percent stück meter kilometer liter kilo tonnen einwohner menschen personen mitarbeiter kunden users people items points steps lines rows bytes watt volt hours minutes seconds days years pages jahre tage stunden minuten seiten seite kronen zloty lira reais pesos")

// postal takes an address without a word for a street, from its post code: parts before
// it, of which one has a house number, or that a code of a form of its own ends.
func (s *scan) postal(start, end int) {
	t := s.text
	if start < s.addressEnd || start < s.postalEnd || start < 12 {
		return
	}
	n, strong, first := end-start, false, false
	next := s.at(end) == ' ' && s.capital(end+1)
	k := start - 2 // NSW 2000; NSW, 2000
	if s.at(k) == ',' {
		k--
	}
	region := s.at(start-1) == ' ' && is(s.at(k), cUpper) && is(s.at(k-1), cUpper)
	code := s.postcode(start)
	if code <= start {
		return
	}
	first = s.at(code) == ' ' && s.capital(code+1) // a town follows
	behind := code - end                           // of a second group
	switch {
	case is(t[start], cUpper): // SW1A 1AA, K1A 0B1, D-10115
		if code < end || code == end && t[end-n+1] != '-' && t[end-n+2] != '-' && n > 4 && n != 6 && n != 7 {
			return
		}
		strong = true
	case n == 5 && region, n == 4 && region:
		strong = n == 5
	case n == 5 && behind == 4: // 01310-100
		strong = true
	case n == 4 && behind == 4: // 1100-053
		strong = first
	case n == 4 && behind == 3 && first, n == 6 && is(t[end-1], cUpper) && first: // 1012 AB, 1012AB
		strong = true
	case n == 5 && (next || behind == 5), n == 4 && next, n == 3 && behind == 3 && first, n == 2 && behind == 4, n == 3 && behind == 5:
	case n == 6 && (s.at(start-1) == ' ' && is(s.at(start-2), cAlpha) || s.at(start-1) == ' ' && s.at(start-2) == '-' || s.at(start-1) == '-'):
	default:
		return
	}
	// Back over the parts before it.
	i, begin := start, start
	parts, house, named := 0, false, false // parts: what commas and line ends divide
	for i > 0 && start-i < 120 {
		c := t[i-1]
		if c == ' ' || c == ',' || c == '\n' || c == '\r' || c == '-' || c == '#' || c == '/' || c == '.' && is(s.at(i-2), cAlpha) && s.at(i) == ' ' && begin-i < 3 {
			if c == '\n' && (s.at(i-2) == '\n' || parts > 4) {
				break
			}
			if c == ',' || c == '\n' {
				if house && !s.housePart(i-1) { // whoever lives there
					break
				}
				parts++
			}
			if c == '.' && is(s.at(i-2), cLower) && is(s.at(i-4), cAlpha) && is(s.at(i-5), cAlpha) && is(s.at(i-6), cAlpha) {
				break // the end of a sentence
			}
			i--
			continue
		}
		k := i
		for k > 0 && (is(t[k-1], cAlnum|cHigh) || t[k-1] == '\'') {
			k--
		}
		if k == i || i-k > 28 {
			break
		}
		w := t[k:i]
		switch {
		case is(w[0], cDigit):
			if len(w) > 6 {
				return
			}
			house = true
			begin = k
		case s.capital(k):
			if i-k > 1 && s.at(k-1) != ':' {
				begin = k
				named = named || i-k > 2
			}
		case placeParticles[string(w)]:
		case len(w) == 1 && s.at(k-1) == ' ' && is(s.at(k-2), cDigit): // 7 b
		case house && unitWords[string(w)] || unitWords[string(w)] && is(s.at(i+1), cDigit):
			begin = k
		default:
			k = -1
		}
		if k < 0 {
			break
		}
		i = k
	}
	if begin >= start || !named || parts == 0 && !region || !house && !(strong && parts >= 2 && !region) {
		return
	}
	near, far := s.context(begin, code)
	told := near.has(placeIndex()) || far.has(placeIndex())
	if region && n == 4 && house && parts > 0 && s.australian(k) {
		strong = true
	}
	if !strong && !told && (parts < 1 || n == 3 && behind == 5 || !first && n != 6 || n == 4 && !s.townCode(start, code)) {
		return
	}
	if first {
		if e := s.names(code + 1); e > code {
			code = e
		}
	}
	code = s.addressTail(code)
	s.postalEnd = code
	s.add(hit{typ: "LOCATION", start: begin, end: code, score: 0.6})
}

// afterNames gives to a person what an address took over: of "Maria Lopez, Rua Augusta 12"
// the name is hers. hits are in no order yet.
func afterNames(text []byte, hits []hit) {
	for i := range hits {
		a := &hits[i]
		if a.typ != "LOCATION" || a.valid {
			continue
		}
		for _, p := range hits {
			if p.typ != "PERSON" || p.start > a.start+1 || p.end <= a.start || p.end >= a.end || p.score < 0.8 {
				continue
			}
			name, k := text[max(p.start, a.start):p.end], p.end
			for k < a.end && (is(text[k], cSpace) || text[k] == ',') {
				k++
			}
			if k == p.end || bytes.IndexByte(name, ' ') < 0 && text[p.end] == ' ' || !bytes.ContainsAny(text[k:a.end], "0123456789") || bytes.ContainsAny(name, "0123456789") {
				continue
			}
			e := k
			for e < a.end && is(text[e], cAlpha|cHigh) {
				e++
			}
			// John F. Kennedy Platz 3: the street bears the name.
			if w := bytes.ToLower(text[k:e]); text[p.end] == ' ' && k == p.end+1 && (streets[string(w)] || bareStreets[string(w)]) || k-p.end == 1 && is(text[k], cDigit) && !bytes.ContainsAny(text[k:a.end], " ,\n") {
				continue
			}
			a.start = k
		}
	}
}

// bareStreets are words for streets that stand behind a name on their own.
var bareStreets = wordSet("straße strasse str allee platz weg ring damm ufer gasse steig promenade brücke park gürtel kai graben straat laan plein gracht kade singel gatan vägen gata gate plads torg torv caddesi cad cd sokak sok sk bulvarı bulv mahallesi mah")
