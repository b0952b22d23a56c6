package classify

// numbers walks over every token that holds a digit.
func (s *scan) numbers() {
	t := s.text
	for i := 0; i < len(t); {
		if !is(t[i], cAlnum) {
			i++
			continue
		}
		start, digit := i, false
		for i < len(t) && is(t[i], cAlnum) {
			digit = digit || is(t[i], cDigit)
			i++
		}
		if digit {
			s.number(start, i)
		}
	}
}

func (s *scan) number(start, end int) {
	if !s.startsAt(start) {
		return
	}
	s.shaped(start)
	if is(s.text[start], cDigit) {
		s.card(start)
	}
	if end-start >= 4 && is(s.text[start], cAlpha) {
		s.iban(start)
	}
}
