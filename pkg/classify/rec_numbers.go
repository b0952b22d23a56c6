package classify

// numbers walks over every token that holds a digit and offers it to the recognisers.
func (s *scan) numbers() {
	t := s.text
	for i := 0; i < len(t); {
		if !is(t[i], cAlnum) {
			i++
			continue
		}
		start, mask := i, uint8(0)
		for i < len(t) && is(t[i], cAlnum) {
			mask |= class[t[i]]
			i++
		}
		if start > 0 && t[start-1] == '\\' && (t[start] == 'n' || t[start] == 'r' || t[start] == 't') {
			start++ // an escaped line end in quoted text
		}
		if i-start >= 12 && mask&cUpper != 0 && mask&cLower != 0 || i-start >= 16 && mask&cDigit != 0 {
			s.encoded(start, i)
		}
		if mask&cDigit != 0 {
			s.number(start, i)
		} else if n := i - start; (n == 2 && (s.at(i) == ':' || s.at(i) == '-') || n == 4 && s.at(i) == '.') && isHex(t[start]) && isHex(t[start+1]) && isHex(s.at(i+1)) {
			s.mac(start)
		} else if i-start <= 2 && i+1 < len(t) && (t[i] == ' ' || t[i] == '-') && is(t[i+1], cDigit) && s.startsAt(start) {
			s.shaped(start) // letters set apart: QQ 12 34 56 C, X-1234567-L
		}
	}
}

func (s *scan) number(start, end int) {
	t := s.text
	if is(t[start], cDigit) {
		s.phone(start)
		s.date(start)
	}
	if s.at(end) == '.' && is(s.at(end+1), cAlnum) || s.at(end) == ':' {
		s.address4(start)
		s.mac(start)
	}
	if s.at(end) == '-' && end-start == 2 && isHex(s.at(end+1)) {
		s.mac(start)
	}
	if end-start >= 26 && end-start <= 90 {
		s.wallet(start, end)
	}
	if !s.startsAt(start) {
		return
	}
	s.shaped(start)
	if is(t[start], cDigit) {
		s.card(start)
		s.coordinates(start)
	}
	if end-start >= 4 && is(t[start], cAlpha) {
		s.iban(start)
	}
}
