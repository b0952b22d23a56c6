package classify

// IBAN_CODE: country, length and mod 97 (ISO 13616).

var ibanLength = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28, "CH": 21,
	"CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18,
	"FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23,
	"IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27,
	"MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28,
	"PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27,
	"SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}

func (s *scan) iban(start int) {
	t := s.text
	if is(s.at(start-1), cAlnum|cHigh) || start+4 > len(t) || !is(t[start+1], cAlpha) || !is(t[start+2], cDigit) {
		return
	}
	var b [34]byte
	n, i := 0, start
	want := 0
	for ; i < len(t) && (want == 0 || n < want); i++ {
		c := t[i]
		if is(c, cLower) {
			c -= 'a' - 'A'
		}
		if is(c, cAlnum) {
			b[n] = c
			n++
			if n == 2 {
				if want = ibanLength[string(b[:2])]; want == 0 {
					return
				}
			}
			continue
		}
		if (c == ' ' || c == '-' || c == '.') && is(s.at(i+1), cAlnum) && n >= 2 {
			continue
		}
		break
	}
	if n != want || want == 0 || is(s.at(i), cAlnum|cHigh) || !mod97(b[:n]) {
		return
	}
	s.add(hit{typ: "IBAN_CODE", start: start, end: i, score: 1, valid: true})
}

// mod97 checks an IBAN's two check digits (ISO 7064).
func mod97(b []byte) bool {
	m := 0
	for k := range b {
		c := b[(k+4)%len(b)]
		switch {
		case is(c, cDigit):
			m = (m*10 + int(c-'0')) % 97
		default:
			m = (m*100 + int(c-'A') + 10) % 97
		}
	}
	return m == 1 && is(b[2], cDigit) && is(b[3], cDigit)
}
