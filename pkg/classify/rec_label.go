package classify

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Identifiers without a checksum: passports, driving licences, medical record numbers,
// bank accounts. What names them decides ("Passport No. X1234567"), and the form of
// the value has to agree.

var labels = slices.Concat(writtenEmails, []ownSecret{
	{"passport", spelled("passport", "pasaporte", "passeport", "reisepass", "passaporto", "passaporte", "paspoort", "paszport", "pasaport", "pașaport", "paspor ", "pass nr", "pass no", "passnummer", "pas nr", "pasnummer", "passi no", "passin num", "číslo pasu", "cestovní pas", "útlevél",
		"travel document", "паспорт", "διαβατ", "جواز", "דרכון", "पासपोर्ट", "护照", "護照", "旅券", "パスポート", "여권"), (*scan).passport, nil},
	{"licence", append(spelled("driver license", "drivers license", "driver's license", "driver licence", "drivers licence", "driver's licence", "driving license", "driving licence", "driver lic", "drivers lic", "driver's lic", "license number", "licence number", "license no", "licence no", "dl number", "dl no", "dl nr",
		"führerschein", "fahrerlaubnis", "permis de cond", "permis b", "permiso de cond", "licencia de cond", "licencia de manejo", "carné de cond", "carnet de cond", "patente", "rijbewijs", "prawo jazdy", "prawa jazdy", "körkort", "kørekort", "førerkort", "ajokort",
		"carteira de motorista", "carteira de habilita", "carta de condu", "habilitação", "řidičsk", "jogosítv", "ehliyet", "sürücü belge", "водительск", "驾驶证", "驾照", "運転免許", "운전면허"), "dl#", "dl:", "cnh"), (*scan).licence, nil},
	{"mrn", append(spelled("medical record", "medical file", "medical rec", "health record", "patient record", "patient file", "patient mrn", "patient id", "patient number", "patient no", "pt id", "pt no", "pt number", "chart number", "chart no", "chart id", "hospital number", "hospital no", "hospital id", "med rec", "unit record",
		"record number", "unit number", "mr number", "mr no", "patienten id", "patientennummer", "patienten nr", "patientenakte", "krankenakte", "dossier patient", "dossier médical", "dossier medical", "historia clínica", "historia clinica", "expediente clínico", "expediente médico", "cartella clinica", "codice paziente",
		"patiëntnummer", "patiëntennummer", "patientnummer", "journalnummer", "prontuário", "prontuario", "processo clínico", "numer pacjenta", "historii choroby", "karta pacjenta", "hasta no", "病历号", "病歷號", "患者番号", "환자번호"), "mrn", "pat.-nr", "pat. nr", "pat-nr", "med. rec", "pt. id", "pt #", "patient #", "chart #", "mr#", "mr #", "uhid", "nhc ", "nhc:", "nhs hospital", "ipp :", "ipp "), (*scan).mrn, nil},
	{"mrn", []string{"patient", "paciente", "paziente", "patiënt", "pacjent", "potilas", "пациент", "record no", "record #", "chart", "case no", "case number", "fallnummer", "fall-nr", "visit", "encounter", "admission"}, (*scan).mrnWeak, nil},
	{"bank", spelled("account number", "account no", "account #", "acct", "bank account", "a/c no", "kontonummer", "checking account", "savings account", "numéro de compte", "número de cuenta", "account:"), (*scan).bank, nil},
	{"health-id", spelled("member id", "member no", "member number", "member #", "subscriber id", "subscriber no", "subscriber number", "subscriber #", "insured id", "insured's id", "policyholder id", "health plan", "insurance id", "insurance no", "insurance number", "insurance policy", "insurance card", "insurance member", "policy number", "policy no", "policy #",
		"beneficiary id", "beneficiary no", "beneficiary number", "health insurance", "medicaid", "versichertennummer", "versichertennr", "numéro d'adhérent", "numéro d'assuré", "número de afiliado", "número de asegurado", "tarjeta sanitaria", "tessera sanitaria", "polisnummer", "número de utente", "carteirinha", "cartão sus"), (*scan).healthID, nil},
	{"ssn", spelled("ssn", "social security", "soc sec", "ss#", "social sec", "last four of social", "last 4 of social"), (*scan).socialSecurity, nil},
	{"ssn", []string{"xxx-xx-", "***-**-", "###-##-", "xxx xx ", "xxx.xx.", "*** ** ", "xxxxx", "*****"}, (*scan).maskedSSN, nil},
	{"name", []string{"姓名", "联系人", "聯絡人", "收件人", "客户姓名", "氏名", "お名前", "名前", "ご担当者", "이름", "성명", "담당자"}, (*scan).denseName, nil},
	{"coordinate", []string{"latitude", "longitude", "\"lat\"", "\"lng\"", "\"lon\"", "\"long\""}, (*scan).coordinate, nil},
})

// spelled gives phrases as prose, keys and identifiers write them: "member id",
// "member_id", "member-id", "memberid".
func spelled(phrases ...string) []string {
	var out []string
	for _, p := range phrases {
		out = append(out, p)
		if q := strings.TrimSpace(p); strings.Contains(q, " ") && !strings.Contains(q, "#") {
			out = append(out, strings.ReplaceAll(q, " ", "_"), strings.ReplaceAll(q, " ", "-"), strings.ReplaceAll(strings.ReplaceAll(q, " ", ""), "'", ""))
		}
	}
	return out
}

// labelled finds the value behind a label: the rest of the label's word, few filler
// words, an operator or none, then a token. numbered reports whether a word for a number
// stood between. ok is false where there is no value near.
func (s *scan) labelled(end int) (start, stop int, numbered, ok bool) {
	t := s.text
	i := end
	if is(s.at(end-1), cAlpha|cHigh) { // Reisepass·nummer, paszport·u, patient·Id
		for i < len(t) && i-end < 24 && (is(t[i], cAlpha|cHigh)) {
			i++
		}
		numbered = numberTail(t[end:i])
	} else {
		numbered = s.at(end-1) == '#'
	}
	limit := min(len(t), i+48)
	for i < limit {
		c := t[i]
		switch {
		case is(c, cDigit):
			start, stop, ok = s.token(i)
			return start, stop, numbered, ok
		case is(c, cAlpha|cHigh):
			from := i
			for i < len(t) && is(t[i], cAlnum|cHigh) || i < len(t) && t[i] == '\'' {
				i++
			}
			w := bytes.ToLower(t[from:i])
			if !filler[string(w)] || i-from == 1 && s.at(i) == '-' && is(s.at(i+1), cDigit) {
				// A value that begins with letters: it must hold a digit.
				start, stop, ok = s.token(from)
				return start, stop, numbered, ok
			}
			numbered = numbered || numberWords[string(w)]
		case c == '\n' && i+1 < len(t) && t[i+1] == '\n', c == ';', c == '{', c == '}', c == '[', c == '<' && s.at(i+1) != '/' && !is(s.at(i+1), cAlpha):
			return
		case c == ',' && s.at(i-1) != '"':
			return
		case c == '.' && s.at(i+1) == ' ' && is(s.at(i+2), cUpper) && !is(s.at(i+3), cAlnum):
			return
		case c == '\\' && (s.at(i+1) == 'n' || s.at(i+1) == 't'):
			i += 2
		default:
			numbered = numbered || c == '#'
			i++
		}
	}
	return
}

// numberTail reports whether a label's word goes on to say that a number comes:
// Patienten·nummer, patient·Id.
func numberTail(tail []byte) bool {
	low := bytes.ToLower(tail)
	for _, w := range []string{"nummer", "number", "num", "nr", "no", "id", "code", "#"} {
		if bytes.HasSuffix(low, []byte(w)) {
			return true
		}
	}
	return false
}

var numberWords = wordSet("number numbers no num nr nro id ids # nummer nummeret numéro numero número núm n nº n° № numer numeru číslo identifier identification identificador identifiant identificativo identyfikator kennung code código codice kod номер numarası numarasi numara")

// token takes letters and digits with single hyphens, dots or slashes inside.
func (s *scan) token(from int) (start, stop int, ok bool) {
	t := s.text
	i := from
	for i < len(t) && i-from < 40 && (is(t[i], cAlnum) || (t[i] == '-' || t[i] == '/') && is(s.at(i+1), cAlnum) && i > from) {
		i++
	}
	if !is(t[from], cAlnum) || bytes.IndexFunc(t[from:i], func(r rune) bool { return r >= '0' && r <= '9' }) < 0 || is(s.at(i), cHigh) || s.at(i) == '@' || s.at(i) == '_' {
		return
	}
	return from, i, true
}

var filler = func() map[string]bool {
	m := wordSet(`is was are were be am the a an of my his her our their your its s t for card holder document doc bearing with issued on file reads as follows value string text key
ist war lautet lautete est était es é era foi e jest to är er on é der die das el la lo le les il de du del di da do dos das della dello mio mia mon ma mi meu minha mein meine mijn min mój moja mit
conducir conduire conduite conducción conduzir condução conducere manejo guida nacional national us usa uk british american canadian german french italian spanish indian dutch polish swedish state new york california texas florida
ca ny tx fl il pa oh ga nc mi nj va wa and or patient medical record chart account acct bank checking savings ending in mrn dl emp ref policy insurance member current valid sn`)
	for w := range numberWords {
		m[w] = true
	}
	return m
}()

// named takes the value of a label, behind it or before it, and others of its form that a
// list goes on with. fits gives a token's type; empty: it is no such value.
func (s *scan) named(start, end int, score float64, fits func(tok []byte) string) {
	from, to, _, ok := s.labelled(end)
	if !ok && s.at(end) == '-' {
		from, to, ok = s.token(end + 1)
	}
	if !ok || fits(s.text[from:to]) == "" {
		if from, to, ok = s.valueBefore(start); !ok {
			return
		}
	}
	first := s.text[from:to]
	for range 16 {
		typ := fits(s.text[from:to])
		if typ == "" {
			return
		}
		s.labelHit(typ, from, to, score)
		i := to
		for i < len(s.text) && i-to < 5 && (s.text[i] == ' ' || s.text[i] == ',' || s.text[i] == '/' || s.text[i] == '&' || s.text[i] == ';') {
			i++
		}
		for _, w := range []string{"and ", "or ", "und ", "y ", "et ", "e ", "en ", "i ", "och "} {
			if hasWord(s.text[i:], w) {
				i += len(w)
				break
			}
		}
		if i == to || i >= len(s.text) || !is(s.text[i], cAlnum) {
			return
		}
		if from, to, ok = s.token(i); !ok || !sameShape(first, s.text[from:to]) {
			return
		}
	}
}

// sameShape reports whether two tokens have letters and digits in the same places.
func sameShape(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if is(a[i], cDigit) != is(b[i], cDigit) || is(a[i], cAlpha) != is(b[i], cAlpha) {
			return false
		}
	}
	return true
}

// valueBefore finds the value before a label: "X1234567 is my passport number".
func (s *scan) valueBefore(label int) (start, stop int, ok bool) {
	t := s.text
	i, says := label, false
	for range 6 {
		k := i
		for k > 0 && t[k-1] == ' ' && i-k < 2 {
			k--
		}
		from := k
		for from > 0 && is(t[from-1], cAlnum|cHigh) || from > 0 && from < k && (t[from-1] == '-' || t[from-1] == '/') {
			from--
		}
		if from == k || k == i && i != label {
			return
		}
		if digit(t[from:k], 0) < k-from {
			return from, k, says && k-from <= 24 && !is(s.at(from-1), cAlnum|cHigh) && s.at(from-1) != '.'
		}
		w := bytes.ToLower(t[from:k])
		says = says || copulas[string(w)]
		if !filler[string(w)] && !copulas[string(w)] {
			return
		}
		i = from
	}
	return
}

var copulas = wordSet("is was are es est ist war è é jest är er on ole")

func (s *scan) labelHit(typ string, start, stop int, score float64) {
	s.add(hit{typ: typ, start: start, end: stop, score: score})
}

// compact gives letters (upper case) and digits of a token, and its shape: L and D.
func compact(b []byte) (text, shape []byte) {
	for _, c := range b {
		switch {
		case is(c, cDigit):
			text, shape = append(text, c), append(shape, 'D')
		case is(c, cAlpha):
			text, shape = append(text, c&^0x20), append(shape, 'L')
		}
	}
	return
}

func (s *scan) passport(start, end int) {
	if is(s.at(start-1), cAlnum|cHigh) && is(s.text[start], cLower) {
		return
	}
	s.named(start, end, 0.8, passportType)
}

// passportType gives the type of a passport's number by its form; empty: it is none.
func passportType(tok []byte) string {
	c, shape := compact(tok)
	switch string(shape) {
	case "DDDDDDDDD", "LDDDDDDDD":
		return "US_PASSPORT"
	case "LDDDDDDD":
		return "IN_PASSPORT"
	case "LLDDDDDDD":
		return "UK_PASSPORT"
	case "LLLDDDDDD":
		return "ES_PASSPORT"
	case "LDDDLDDDD":
		return "KR_PASSPORT"
	}
	switch letters := len(shape) - bytes.Count(shape, []byte("D")); {
	case len(c) < 7 || len(c) > 10 || letters > 5 || written(tok):
		return ""
	case len(c) == 9 && icaoCheck(c[:8]) == c[8]:
		return "DE_PASSPORT"
	}
	return "PASSPORT"
}

// icaoCheck is the check digit of machine-readable documents (ICAO 9303).
func icaoCheck(b []byte) byte {
	sum := 0
	for i, c := range b {
		v := int(c - '0')
		if is(c, cAlpha) {
			v = int(c-'A') + 10
		}
		sum += v * [...]int{7, 3, 1}[i%3]
	}
	return byte('0' + sum%10)
}

func (s *scan) licence(start, end int) {
	if is(s.at(start-1), cAlpha) {
		return
	}
	typ := "US_DRIVER_LICENSE"
	if low := bytes.ToLower(s.text[start:end]); !bytes.Contains(low, []byte("licen")) && low[0] != 'd' {
		typ = "DRIVER_LICENSE"
	}
	s.named(start, end, 0.75, func(tok []byte) string {
		c, shape := compact(tok)
		switch {
		case len(c) < 6 || len(c) > 18 || bytes.Count(shape, []byte("D")) < 4 || written(tok):
			return ""
		case len(c) == 16 && ukDriving.check(c):
			return "UK_DRIVING_LICENCE"
		}
		return typ
	})
}

func (s *scan) mrn(start, end int) {
	if is(s.at(start-1), cAlnum) && !(is(s.at(start-1), cLower) && is(s.text[start], cUpper)) || end-start <= 3 && is(s.at(end), cLower) && s.at(end) != 's' {
		return
	}
	s.named(start, end, 0.85, func(tok []byte) string {
		if recordNumber(tok) {
			return "MRN"
		}
		return ""
	})
}

// mrnWeak takes the number of a patient, a chart or a visit: a word for a number must
// stand between, and for what is no patient, something of a hospital near.
func (s *scan) mrnWeak(start, end int) {
	if is(s.at(start-1), cAlnum|cHigh) && !(is(s.at(start-1), cLower) && is(s.text[start], cUpper)) {
		return
	}
	from, to, numbered, ok := s.labelled(end)
	if !numbered && s.numberBefore(start) {
		numbered = true
	}
	if !ok || !recordNumber(s.text[from:to]) {
		return
	}
	if c := lowerByte[s.text[start]]; c == 'p' && !hasWord(s.text[start:], "patients") || c >= 0x80 {
		if numbered {
			s.labelHit("MRN", from, to, 0.75)
		}
		return
	}
	last := s.text[start:end]
	numbered = numbered || bytes.HasSuffix(last, []byte("#")) || numberTail(last)
	if near, far := s.context(from, to); numbered && (near.has(healthIndex()) || far.has(healthIndex())) {
		s.labelHit("MRN", from, to, 0.7)
	}
}

// numberBefore reports whether a word for a number stands before a label: n° patient.
func (s *scan) numberBefore(at int) bool {
	k := at
	for k > 0 && at-k < 3 && (s.text[k-1] == ' ' || s.text[k-1] == '.') {
		k--
	}
	from := k
	for from > 0 && k-from < 12 && is(s.text[from-1], cAlpha|cHigh) {
		from--
	}
	return from < k && numberWords[string(bytes.ToLower(s.text[from:k]))]
}

// healthContext are words of hospitals and doctors.
var healthContext = recogniser{words: "patient,patients,hospital,clinic,medical,admitted,discharged,discharge,ward,doctor,physician,nurse,surgery,diagnosis,treatment,radiology,cardiology,oncology,emergency department,lab results,krankenhaus,klinik,station,arzt,hôpital,clinique,médecin,hospitalización,clínica,médico,ospedale,medico,reparto,ziekenhuis,arts,szpital,lekarz,sjukhus,läkare,hastane"}

var healthIndex = sync.OnceValue(func() int { return recogniserIndex(&healthContext) })

// recordNumber reports whether a token can be the number of a record: five to sixteen
// letters and digits, four digits at least, no date and no telephone number.
func recordNumber(tok []byte) bool {
	c, shape := compact(tok)
	d := bytes.Count(shape, []byte("D"))
	return len(c) >= 5 && len(c) <= 16 && d >= 4 && len(c)-d <= 6 && !written(tok)
}

// written reports whether a token is written as a date or as a telephone number is.
func written(tok []byte) bool {
	var groups []int
	n := 0
	for _, c := range tok {
		switch {
		case is(c, cDigit):
			n++
		case is(c, cAlpha):
			return false
		default:
			groups, n = append(groups, n), 0
		}
	}
	groups = append(groups, n)
	if len(groups) != 3 {
		return false
	}
	a, b, c := groups[0], groups[1], groups[2]
	return a == 4 && b <= 2 && c <= 2 || a <= 2 && b <= 2 && c == 4 || a == 3 && b == 3 && c == 4
}

func (s *scan) bank(start, end int) {
	if is(s.at(start-1), cAlpha) {
		return
	}
	from, to, _, ok := s.labelled(end)
	if !ok {
		return
	}
	c, shape := compact(s.text[from:to])
	if len(c) < 7 || len(c) > 17 || bytes.Count(shape, []byte("D")) != len(shape) {
		return
	}
	s.labelHit("US_BANK_NUMBER", from, to, 0.65)
}

func (s *scan) healthID(start, end int) {
	if is(s.at(start-1), cAlpha) {
		return
	}
	s.named(start, end, 0.6, func(tok []byte) string {
		c, shape := compact(tok)
		if len(c) < 8 || len(c) > 16 || bytes.Count(shape, []byte("D")) < 6 || written(tok) {
			return ""
		}
		return "HEALTH_INSURANCE_ID"
	})
}

// socialSecurity takes numbers behind a word for them that no shape fits: digits set
// apart one by one or by odd signs, and the last four of them.
func (s *scan) socialSecurity(start, end int) {
	t := s.text
	if is(s.at(start-1), cAlpha|cHigh) {
		return
	}
	i, last := end, s.lastFour(start)
	to := min(len(t), end+56)
	for i < to && !is(t[i], cDigit) {
		switch c := t[i]; {
		case is(c, cAlpha):
			from := i
			for i < to && is(t[i], cAlpha) {
				i++
			}
			w := bytes.ToLower(t[from:i])
			last = last || bytes.Equal(w, []byte("last")) || bytes.Equal(w, []byte("ending"))
			if !filler[string(w)] && !last && !lastWords[string(w)] {
				return
			}
			continue
		case c == ';', c == '{', c == '}', c == '\n' && s.at(i+1) == '\n', c == '*':
			return
		}
		i++
	}
	if i == to {
		return
	}
	if last && t[i] == '4' && !is(s.at(i+1), cDigit) { // the 4 of "last 4"
		s.lastDigits(i+1, to)
		return
	}
	if last && s.four(i) {
		s.labelHit("US_SSN", i, i+4, 0.7)
		return
	}
	// Three, two and four digits, or nine of them one by one, with anything small between.
	var d [9]byte
	var groups [9]int
	n, g, from := 0, 0, i
	for ; i < len(t) && n < len(d) && is(t[i], cDigit); n++ {
		d[n] = t[i]
		groups[g]++
		i++
		gap := i
		for n < len(d)-1 && i < len(t) && i-gap < 3 && (t[i] == ' ' || t[i] == '-' || t[i] == '.' || t[i] == '_' || t[i] == '/' || t[i] == ',') {
			i++
		}
		if i > gap {
			g++
		}
	}
	if n == len(d) && !is(s.at(i), cAlnum) && (g == 8 || g == 2 && groups[0] == 3 && groups[1] == 2) && usSSN.check(d[:]) {
		s.labelHit("US_SSN", from, i, 0.8)
	}
}

var lastWords = wordSet("four digits last ending ends final numbers are with in is only security social ssn number")

// lastFour reports whether "last four of" stands before.
func (s *scan) lastFour(at int) bool {
	before := bytes.ToLower(s.text[max(0, at-36):at])
	for _, w := range []string{"last four", "last 4", "last-four", "last-4", "final four", "ending", "ends in"} {
		if k := bytes.LastIndex(before, []byte(w)); k >= 0 && !bytes.ContainsAny(before[k:], ".;\n") {
			return true
		}
	}
	return hasWord(s.text[at:], "last")
}

// four reports whether four digits alone stand at i.
func (s *scan) four(i int) bool {
	for k := range 4 {
		if !is(s.at(i+k), cDigit) {
			return false
		}
	}
	c := s.at(i + 4)
	return !is(c, cAlnum|cHigh) && !((c == '-' || c == '.' || c == '/' || c == ':') && is(s.at(i+5), cDigit)) && !is(s.at(i-1), cAlnum)
}

// lastDigits takes four digits behind "last 4".
func (s *scan) lastDigits(i, to int) {
	for ; i < to; i++ {
		if is(s.text[i], cDigit) {
			if s.four(i) {
				s.labelHit("US_SSN", i, i+4, 0.7)
			}
			return
		}
		if c := s.text[i]; c == ';' || c == '\n' {
			return
		}
	}
}

// maskedSSN takes ***-**-6789: what is left names few people enough.
func (s *scan) maskedSSN(start, end int) {
	if is(s.at(start-1), cAlnum) || s.at(start-1) == s.text[start] {
		return
	}
	for k := range 4 {
		if !is(s.at(end+k), cDigit) {
			return
		}
	}
	if is(s.at(end+4), cAlnum) || s.at(end+4) == '-' && is(s.at(end+5), cDigit) {
		return
	}
	score := 0.7
	if c := s.text[end-1]; c != '-' { // ***** could hide anything
		score = 0.3
	}
	if near, far := s.context(start, end+4); near.has(ssnIndex()) || far.has(ssnIndex()) {
		score = 0.85
	}
	s.labelHit("US_SSN", start, end+4, score)
}

var ssnIndex = sync.OnceValue(func() int { return recogniserIndex(&usSSN) })

// coordinate takes one labelled coordinate: "latitude": 48.85837.
func (s *scan) coordinate(start, end int) {
	t := s.text
	i := end
	for i < len(t) && i-end < 6 && bytes.IndexByte([]byte(` "':=\`), t[i]) >= 0 {
		i++
	}
	from := i
	if s.at(i) == '-' || s.at(i) == '+' {
		i++
	}
	if whole, n, ok := s.decimal(&i); ok && n >= 4 && whole <= 180 && !is(s.at(i), cAlnum) {
		s.labelHit("LOCATION", from, i, 0.75)
	}
}

// denseName takes a labelled name in a script without capitals or blanks.
func (s *scan) denseName(start, end int) {
	t := s.text
	i := end
	for i < len(t) && i-end < 6 && bytes.IndexByte([]byte(": =\"'\t"), t[i]) >= 0 {
		i++
	}
	if i == end {
		return // no operator: the label is a word of the sentence
	}
	from, n := i, 0
	for i < len(t) && n < 9 {
		r, size := utf8.DecodeRune(t[i:])
		if !isDense(r) || r >= 0x3000 && r <= 0x303F || r == 0x30FB && n == 0 {
			break
		}
		i += size
		n++
	}
	if n >= 2 && n <= 8 {
		s.labelHit("PERSON", from, i, 0.8)
	}
}
