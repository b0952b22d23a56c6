package classify

import (
	"bytes"
	"strings"
	"sync"
)

// DATE_TIME: dates of birth. A date alone identifies nobody and agents need dates, so
// only those that words mark as a birth are taken.

var birthContext = recogniser{
	entity: "DATE_TIME",
	words: "dob,d o b,date of birth,birth date,birthdate,birthday,born,born on,dateofbirth,geburtsdatum,geboren,geb,geburtstag,date de naissance,naissance,né le,née le,né,née,nacimiento,fecha de nacimiento," +
		"nacido,nacida,nato il,nata il,nascita,data di nascita,nascimento,data de nascimento,nascido,nascida,geboortedatum,geboorte,urodzenia,data urodzenia,urodzony,urodzona,syntynyt,syntymäaika,född,født,fødselsdato,födelsedatum,doğum,doğum tarihi,рождения,родился,生年月日,出生日期,出生,생년월일,생일,जन्म",
}

// births is where the search for dates begins: what the words of birthContext begin
// with. Texts are full of dates, few of them a person's.
var births = []ownSecret{{"birth", []string{"birth", "born", "dob", "d.o.b", "d o b", "geburt", "gebor", "geb.", "geb ", "geb:", "naiss", "né ", "né:", "née", "nacid", "nacim", "nato ", "nata ", "nasci",
	"geboor", "urodz", "synty", "född", "føds", "født", "födel", "doğum", "рожд", "родил", "生年", "出生", "생년", "생일", "जन्म"}, (*scan).births, nil}}

// births looks for dates near a word for a birth, before and behind it.
func (s *scan) births(start, end int) {
	if is(s.at(start-1), cAlpha) && is(s.text[start], cLower) && is(s.at(start-1), cLower) {
		return
	}
	to := min(len(s.text), end+contextBefore)
	for i := digit(s.text[:to], max(end, s.datesEnd)); i < to; i = digit(s.text[:to], i) {
		s.date(i)
		for i < len(s.text) && is(s.text[i], cDigit) {
			i++
		}
		s.datesEnd = i
	}
}

var birthIndex = sync.OnceValue(func() int { return recogniserIndex(&birthContext) })

var monthNames = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`january february march april may june july august september october november december jan feb mar apr jun jul aug
sep sept oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre
décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio aprile maggio giugno luglio
settembre ottobre dicembre janeiro fevereiro março maio junho julho setembro outubro novembro dezembro januari februari maart augustus stycznia
lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia`) {
		m[w] = true
	}
	return m
}()

// date takes a date that begins with digits: 1985-03-12, 12.03.1985, 3/12/85, 12 March 1985.
func (s *scan) date(start int) {
	t := s.text
	if p := s.at(start - 1); is(p, cAlnum) || p == '.' || p == '-' && is(s.at(start-2), cDigit) {
		return
	}
	i := start
	run := func() (int, int) {
		from, v := i, 0
		for i < len(t) && i-from < 5 && is(t[i], cDigit) {
			v = v*10 + int(t[i]-'0')
			i++
		}
		return v, i - from
	}
	a, na := run()
	if na != 1 && na != 2 && na != 4 {
		return
	}
	switch sep := s.at(i); {
	case (sep == '-' || sep == '.' || sep == '/') && (is(s.at(i+1), cDigit) || s.at(i+1) == ' ' && is(s.at(i+2), cDigit)):
		i++
		if s.at(i) == ' ' {
			i++
		}
		b, nb := run()
		if nb == 0 || nb > 2 || s.at(i) != sep {
			return
		}
		i++
		if s.at(i) == ' ' {
			i++
		}
		c, nc := run()
		switch {
		case na == 4 && nc <= 2 && nc > 0: // year first
			a, c = c, a
		case na <= 2 && (nc == 4 || nc == 2):
		default:
			return
		}
		if a < 1 || b < 1 || a > 31 || b > 31 || a > 12 && b > 12 || c > 99 && (c < 1880 || c > 2100) {
			return
		}
	case na <= 2 && a >= 1 && a <= 31:
		for i < len(t) && (t[i] == ' ' || t[i] == '.' || t[i] == '-') {
			i++
		}
		for _, ord := range []string{"st ", "nd ", "rd ", "th ", "de ", "er "} {
			if bytes.HasPrefix(t[i:], []byte(ord)) {
				i += 3
				if bytes.HasPrefix(t[i:], []byte("of ")) {
					i += 3
				}
			}
		}
		from := i
		for i < len(t) && is(t[i], cAlpha|cHigh) {
			i++
		}
		if !monthNames[string(bytes.ToLower(t[from:i]))] {
			return
		}
		for i < len(t) && (t[i] == ' ' || t[i] == '.' || t[i] == ',' || t[i] == '-') {
			i++
		}
		if bytes.HasPrefix(t[i:], []byte("de ")) {
			i += 3
		}
		if y, n := run(); n != 4 || y < 1880 || y > 2100 {
			return
		}
	case na == 4 && a >= 1880 && a <= 2100: // a month before it: March 12, 1985
		s.monthFirst(start)
		return
	default:
		return
	}
	if is(s.at(i), cAlnum) && s.at(i) != 'T' {
		return
	}
	s.birth(start, i)
}

// monthFirst takes March 12, 1985, found at its year.
func (s *scan) monthFirst(year int) {
	t := s.text
	i := year
	for i > 0 && (t[i-1] == ' ' || t[i-1] == ',') {
		i--
	}
	for _, ord := range []string{"st", "nd", "rd", "th"} {
		if bytes.HasSuffix(t[:i], []byte(ord)) {
			i -= 2
		}
	}
	d := i
	for i > 0 && d-i < 2 && is(t[i-1], cDigit) {
		i--
	}
	if d == i || s.at(i-1) != ' ' {
		return
	}
	w := i - 1
	i = w
	for i > 0 && w-i < 12 && is(t[i-1], cAlpha|cHigh) {
		i--
	}
	if monthNames[string(bytes.ToLower(t[i:w]))] {
		s.birth(i, year+4)
	}
}

func (s *scan) birth(start, end int) {
	near, _ := s.context(start, end)
	if near.has(birthIndex()) {
		s.add(hit{typ: "DATE_TIME", start: start, end: end, score: 0.85})
	}
}
