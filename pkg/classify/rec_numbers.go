package classify

import (
	"encoding/binary"
	"math/bits"
)

// numbers offers every token that holds a digit to the recognisers. It goes from digit
// to digit; what stands between costs next to nothing.
func (s *scan) numbers() {
	t := s.text
	for i := next(s.runs.digit, 0); i >= 0; {
		start, end := s.runs.around(i)
		if is(t[start], cAlpha) && s.at(start-1) == '\\' && (t[start] == 'n' || t[start] == 'r' || t[start] == 't') {
			start++ // an escaped line end in quoted text
		}
		s.number(start, end)
		i = next(s.runs.digit, end)
	}
}

// digit gives the place of the first digit from i on.
func digit(t []byte, i int) int {
	const ones = 0x0101010101010101
	for ; i+8 <= len(t); i += 8 {
		// A byte is a digit if adding 0x46 to it reaches 0x80 from ':' on and adding 0x50
		// does so from '0' on; bytes that are not ASCII are left out.
		v := binary.LittleEndian.Uint64(t[i:])
		low := v &^ (0x80 * ones)
		if d := (low + 0x50*ones) &^ (low + 0x46*ones) &^ v & (0x80 * ones); d != 0 {
			return i + bits.TrailingZeros64(d)>>3
		}
	}
	for i < len(t) && !is(t[i], cDigit) {
		i++
	}
	return i
}

// number offers one token.
func (s *scan) number(start, end int) {
	t := s.text
	n := end - start
	first := is(t[start], cDigit)
	if first {
		s.phone(start)
	}
	switch after := s.at(end); {
	case n == 2 && (after == ':' || after == '-') && s.at(end+3) == after:
		s.mac(start)
	case n == 4 && (s.at(start-1) == '.' || after == '.' && isHex(s.at(end+1))):
		head := start // back over groups of letters alone
		for head >= 5 && t[head-1] == '.' && allLettersHex(t[head-5:head-1]) {
			head -= 5
		}
		s.mac(head)
	}
	if first && n <= 3 && s.at(end) == '.' && is(s.at(end+1), cDigit) {
		s.address4(start)
		s.coordinates(start)
	}
	if n == 12 {
		s.bareMAC(start, end)
	}
	if first && n <= 6 && start > 2 && (is(t[start-1], cHigh) || t[start-1] == ' ' && is(t[start-2], cHigh)) {
		s.denseAddress(start, end)
	}
	if s.at(end) == ':' && (isHex(s.at(end+1)) || s.at(end+1) == ':') || s.at(start-1) == ':' && (isHex(s.at(start-2)) || s.at(start-2) == ':') {
		s.address6(start)
	}
	if s.at(start-1) == '/' && s.at(start-2) == ':' {
		s.unspecified(start)
	}
	if n >= 26 && n <= 90 {
		s.wallet(start, end)
	}
	if !s.startsAt(start) {
		// Letters set apart begin it: QQ 12 34 56 C, X-1234567-L.
		if k := s.lettersBefore(start); k < start {
			s.shaped(k)
		}
		if s.at(start-1) == '-' && is(s.at(start-2), cAlpha) { // NPI-1234567893: its word has to say what it is
			s.joined = true
			s.shaped(start)
			s.joined = false
			k := start - 1
			for k > 0 && start-k <= 4 && is(t[k-1], cUpper) {
				k--
			}
			if m := start - 1 - k; n >= 3 && n <= 6 && m >= 1 && m <= 3 && s.startsAt(k) { // D-10115
				s.postal(k, end)
			}
		}
		return
	}
	if first && n <= 8 && start >= s.addressEnd && (s.at(end) == ' ' || s.at(end) == ',' || s.at(end) == '/' || s.at(end) == '-') {
		s.englishStreet(start, end)
	}
	if n >= 2 && n <= 6 {
		s.postal(start, end)
	}
	s.shaped(start)
	if first {
		s.card(start)
		if k := s.lettersBefore(start); k < start {
			s.shaped(k)
		}
	} else if n >= 4 {
		s.iban(start)
	}
}

func allLettersHex(b []byte) bool {
	for _, c := range b {
		if !isHex(c) || is(c, cDigit) {
			return false
		}
	}
	return true
}

// lettersBefore gives the place of one or two letters that stand apart before a digit.
func (s *scan) lettersBefore(start int) int {
	if p := s.at(start - 1); p != ' ' && p != '-' || !is(s.text[start], cDigit) {
		return start
	}
	k := start - 1
	for k > 0 && is(s.text[k-1], cAlpha) {
		k--
	}
	if n := start - 1 - k; n < 1 || n > 2 || is(s.at(k-1), cDigit) || !s.startsAt(k) {
		return start
	}
	return k
}

// longRuns looks for runs of letters and digits that can be an encoding or a key: those
// of twelve, and shorter ones that a hyphen or an underscore joins to others.
func (s *scan) longRuns() {
	const least = 12
	t := s.text
	for i := s.runs.nextLong(0); i >= 0; {
		start, end := s.runs.around(i)
		i = s.runs.nextLong(end)
		if end-start < least {
			if s.joins(start, end) >= least && holds(t[start:end], cLower) {
				s.keyed(start, end) // a token with signs in it
			}
			continue
		}
		if !holds(t[start:end], cAlpha) {
			continue
		}
		if start > 0 && t[start-1] == '\\' && (t[start] == 'n' || t[start] == 'r' || t[start] == 't') {
			start++ // an escaped line end in quoted text
		}
		if start >= s.encodedEnd {
			s.encoded(start, end)
		}
		s.keyed(start, end)
	}
}

// joins gives the length of a run with what hyphens and underscores join to it, as far as
// it matters; 0: nothing is joined.
func (s *scan) joins(start, end int) int {
	from, to := start, end
	for from > 0 && start-from < 12 && (is(s.text[from-1], cAlnum) || s.text[from-1] == '-' || s.text[from-1] == '_') {
		from--
	}
	for to < len(s.text) && to-end < 12 && (is(s.text[to], cAlnum) || s.text[to] == '-' || s.text[to] == '_') {
		to++
	}
	if from == start && to == end {
		return 0
	}
	return to - from
}

// holds reports whether a byte of one of the classes is in a run.
func holds(b []byte, mask uint8) bool {
	for _, c := range b {
		if is(c, mask) {
			return true
		}
	}
	return false
}
