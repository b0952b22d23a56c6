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
var unitWords = wordSet("apt apartment suite ste unit floor fl room rm flat no nr num piso planta puerta escalera esc depto departamento dpto int interior col colonia fracc bloco apto apartamento conjunto cj sala casa bloc bât bâtiment appt appartement étage resid scala interno int stock etage whg wohnung top haus hs lok m box c/o block tower wing plot sector phase building bldg level shop office house h.no door ward")

// particles of names of places
var placeParticles = wordSet("de del la las los el le les du des di da do dos das della dei degli delle dell of the and upon on under in am an der den dem bei im zum zur auf ob sur sous lès en saint st i y e nad pod van het 't aan")

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
		e := s.wordEnd(i)
		if e == i || e-i > 32 {
			break
		}
		if s.capital(i) || s.elided(i) {
			end = e
			if s.at(e) == '.' && e-i <= 3 {
				e++
				end = e
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
	postal := false
	for range 9 {
		at := i
		next, _ := s.gap(i)
		if next < 0 || next-b > 160 {
			break
		}
		i = next
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
		case e > i && unitWords[string(low)] && s.unitEnd(e) > e:
			i = s.unitEnd(e)
			end = i
		case s.postcode(i) > i:
			i = s.postcode(i)
			end, open, postal = i, 0, true
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
			i = s.names(i)
			if postal {
				end, postal = i, false // a town behind its post code
				break
			}
			if open++; open > 3 {
				return end
			}
			// A town behind a comma at the end of a sentence or a line.
			if c := s.at(i); open == 1 && s.text[at] == ',' && (c == 0 || c == '.' || c == '\n' || c == '"' || c == ',') {
				end = i
			}
		default:
			return end
		}
	}
	return end
}

// floorEnd gives the end of a floor: 3º B, 2nd Floor.
func (s *scan) floorEnd(i int) int {
	k := i
	for k < len(s.text) && is(s.text[k], cDigit) && k-i < 3 {
		k++
	}
	if k == i || k-i > 2 {
		return i
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
		if e := s.wordEnd(m); e > m && (e-m == 1 && is(s.text[m], cUpper) || hasWord(s.text[m:e], "izq") || hasWord(s.text[m:e], "izda") || hasWord(s.text[m:e], "dcha") || hasWord(s.text[m:e], "der")) {
			return e
		}
		return k
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
	case n == 4 && t[i] != '0':
		if y := prefix(t[i:k], 4); y >= 1900 && y <= 2099 && !(s.at(k) == ' ' && s.capital(k+1)) && !is(s.at(i-2), cUpper) {
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

// postal takes an address without a word for a street, from its post code: parts before
// it, of which one has a house number, or that a code of a form of its own ends.
func (s *scan) postal(start, end int) {
	t := s.text
	if start < s.addressEnd || start < 12 {
		return
	}
	n, strong, first := end-start, false, false
	next := s.at(end) == ' ' && s.capital(end+1)
	region := s.at(start-1) == ' ' && is(s.at(start-2), cUpper) && is(s.at(start-3), cUpper)
	code := end
	switch {
	case is(t[start], cUpper):
		if n > 4 {
			return
		}
		if code = s.postcode(start); code <= end {
			return
		}
		strong = true
	case n == 5 && region:
		code, strong = s.postcode(start), true
	case n == 5 && (next || s.at(end) == '-' && is(s.at(end+1), cDigit)):
		code, first = s.postcode(start), next
	case n == 6 && (s.at(start-1) == ' ' && is(s.at(start-2), cAlpha) || s.at(start-1) == ' ' && s.at(start-2) == '-' || s.at(start-1) == '-'):
		code = s.postcode(start)
	case n == 4 && (region || next):
		code, first = s.postcode(start), next && !region
	case n == 2 && s.at(end) == '-' && is(s.at(end+1), cDigit), n == 3 && s.at(end) == '-' && is(s.at(end+1), cDigit):
		code = s.postcode(start)
		first = n == 2
	default:
		return
	}
	if code <= start {
		return
	}
	// Back over the parts before it.
	i, begin := start, start
	parts, house, named := 0, false, false
	for i > 0 && start-i < 120 {
		c := t[i-1]
		if c == ' ' || c == ',' || c == '\n' || c == '\r' || c == '-' || c == '#' || c == '/' || c == '.' && is(s.at(i-2), cAlpha) && s.at(i) == ' ' && begin-i < 3 {
			if c == '\n' && (s.at(i-2) == '\n' || parts > 4) {
				break
			}
			if c == ',' || c == '\n' {
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
	if !strong && !told && (parts < 1 || n == 4 || n == 3 || !first && n != 6) {
		return
	}
	if first {
		if e := s.names(code + 1); e > code {
			code = e
		}
	}
	code = s.addressTail(code)
	s.addressEnd = code
	s.add(hit{typ: "LOCATION", start: begin, end: code, score: 0.6})
}
