package classify

import (
	"bytes"
	"unicode/utf8"
)

// Identifiers without a checksum: passports, driving licences, medical record numbers,
// bank accounts. What names them decides ("Passport No. X1234567"), and the form of
// the value has to agree.

var labels = []ownSecret{
	{"passport", []string{"passport", "pasaporte", "passeport", "reisepass", "passaporto", "passaporte", "paspoort", "paszport", "travel document", "护照", "パスポート", "여권"}, (*scan).passport, nil},
	{"licence", []string{"driver license", "drivers license", "driver's license", "driving license", "driving licence", "driver licence", "drivers licence", "driver's licence", "driver_license", "drivers_license", "driverlicense", "driverslicense", "license number", "licence number", "license no", "licence no", "dl number", "dl no", "dl#", "dl:", "führerschein", "permis de conduire", "permiso de conducir", "licencia de conducir", "patente", "rijbewijs", "prawo jazdy", "carteira de motorista", "cnh"}, (*scan).licence, nil},
	{"mrn", []string{"mrn", "medical record", "medicalrecord", "medical_record", "patient id", "patient_id", "patientid", "patient number", "patient no", "patient #", "chart number", "chart no", "chart #", "hospital number", "hospital no", "hospital id", "med rec", "record number", "patientennummer", "dossier patient", "historia clínica", "health record number", "unit number", "mr#", "mr #", "mr no", "uhid", "nhs hospital"}, (*scan).mrn, nil},
	{"bank", []string{"account number", "account no", "account #", "account_number", "accountnumber", "acct", "bank account", "a/c no", "kontonummer", "checking account", "savings account", "numéro de compte", "número de cuenta", "account:"}, (*scan).bank, nil},
	{"health-id", []string{"member id", "member_id", "memberid", "subscriber id", "subscriber_id", "health plan", "insurance id", "insurance_id", "insurance number", "policy number", "beneficiary id", "health insurance"}, (*scan).healthID, nil},
	{"name", []string{"姓名", "联系人", "聯絡人", "收件人", "客户姓名", "氏名", "お名前", "名前", "ご担当者", "이름", "성명", "담당자"}, (*scan).denseName, nil},
	{"coordinate", []string{"latitude", "longitude", "\"lat\"", "\"lng\"", "\"lon\"", "\"long\""}, (*scan).coordinate, nil},
}

// labelled finds the value behind a label: few filler words, an operator or none, then
// a token. ok is false where there is none near.
func (s *scan) labelled(end int) (start, stop int, ok bool) {
	t := s.text
	i := end
	limit := min(len(t), end+40)
	for i < limit {
		c := t[i]
		switch {
		case is(c, cDigit):
			return s.token(i)
		case is(c, cAlpha|cHigh):
			from := i
			for i < len(t) && is(t[i], cAlnum|cHigh) || i < len(t) && t[i] == '\'' {
				i++
			}
			w := t[from:i]
			if !filler[string(bytes.ToLower(w))] {
				// A value that begins with letters: it must hold a digit.
				return s.token(from)
			}
		case c == '\n' && i+1 < len(t) && t[i+1] == '\n', c == ';', c == '{', c == '}', c == '[', c == '<' && s.at(i+1) != '/' && !is(s.at(i+1), cAlpha):
			return
		case c == ',' && s.at(i-1) != '"':
			return
		case c == '.' && s.at(i+1) == ' ' && is(s.at(i+2), cUpper) && !is(s.at(i+3), cAlnum):
			return
		case c == '\\' && (s.at(i+1) == 'n' || s.at(i+1) == 't'):
			i += 2
		default:
			i++
		}
	}
	return
}

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
	m := map[string]bool{}
	for _, w := range bytes.Fields([]byte(`number numbers no num nr id is was the a of my his her their our your s for code card holder document doc bearing with issued
nummer numéro numero número nº n° ist lautet lautete est es é der die das el la le les de du del di da conducir conduire us usa uk british american canadian german
french italian spanish indian state new york california texas florida ca ny tx fl il pa oh ga nc mi nj va wa and or as follows reads value string text key patient
medical record identifier identification account acct bank checking savings ending in mrn dl emp ref`)) {
		m[string(w)] = true
	}
	return m
}()

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
	if is(s.at(start-1), cAlpha) && is(s.text[start], cLower) {
		return
	}
	from, to, ok := s.labelled(end)
	if !ok {
		return
	}
	c, shape := compact(s.text[from:to])
	typ := ""
	switch string(shape) {
	case "DDDDDDDDD", "LDDDDDDDD":
		typ = "US_PASSPORT"
	case "LDDDDDDD":
		typ = "IN_PASSPORT"
	case "LLDDDDDDD":
		typ = "UK_PASSPORT"
	case "LLLDDDDDD":
		typ = "ES_PASSPORT"
	case "LDDDLDDDD":
		typ = "KR_PASSPORT"
	default:
		if len(c) < 7 || len(c) > 10 || len(shape)-bytes.Count(shape, []byte("D")) > 5 {
			return
		}
		typ = "PASSPORT"
		if len(c) == 9 && icaoCheck(c[:8]) == c[8] {
			typ = "DE_PASSPORT"
		}
	}
	s.labelHit(typ, from, to, 0.8)
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
	from, to, ok := s.labelled(end)
	if !ok {
		return
	}
	c, shape := compact(s.text[from:to])
	d := bytes.Count(shape, []byte("D"))
	if len(c) < 6 || len(c) > 18 || d < 4 {
		return
	}
	typ := "US_DRIVER_LICENSE"
	if len(c) == 16 && ukDriving.check(c) {
		typ = "UK_DRIVING_LICENCE"
	} else if low := bytes.ToLower(s.text[start:end]); !bytes.Contains(low, []byte("licen")) && low[0] != 'd' {
		typ = "DRIVER_LICENSE"
	}
	s.labelHit(typ, from, to, 0.75)
}

func (s *scan) mrn(start, end int) {
	if is(s.at(start-1), cAlnum) && !(is(s.at(start-1), cLower) && is(s.text[start], cUpper)) || is(s.at(end), cLower) && s.at(end) != 's' {
		return
	}
	from, to, ok := s.labelled(end)
	if !ok && s.at(end) == '-' {
		from, to, ok = s.token(end + 1)
	}
	if !ok {
		return
	}
	c, shape := compact(s.text[from:to])
	if d := bytes.Count(shape, []byte("D")); len(c) < 5 || len(c) > 16 || d < 4 || len(c)-d > 6 {
		return
	}
	s.labelHit("MRN", from, to, 0.85)
}

func (s *scan) bank(start, end int) {
	if is(s.at(start-1), cAlpha) {
		return
	}
	from, to, ok := s.labelled(end)
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
	from, to, ok := s.labelled(end)
	if !ok {
		return
	}
	c, shape := compact(s.text[from:to])
	if d := bytes.Count(shape, []byte("D")); len(c) < 8 || len(c) > 16 || d < 6 {
		return
	}
	s.labelHit("HEALTH_INSURANCE_ID", from, to, 0.6)
}

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
