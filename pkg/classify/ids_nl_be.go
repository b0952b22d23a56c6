package classify

// Netherlands: BSN (elfproef). Belgium: national register number (mod 97).

var nlBSN = recogniser{
	entity: "NL_BSN", shapes: "D9:.1 D4.D2.D3:.7 D3.D3.D3:.3 D3_D3_D3:.3 D8:.02", proved: true, context: 0.95,
	words: "bsn,burgerservicenummer,sofinummer,sofi,burger service,burgerservice,bsn nummer,citizen service,dutch,sofi nummer",
	check: func(b []byte) bool {
		if len(b) == 8 {
			b = append([]byte{'0'}, b...)
		}
		s := weighted(b, 9, 8, 7, 6, 5, 4, 3, 2) - int(b[8]-'0')
		return s%11 == 0 && !same(b)
	},
}

var beNRN = recogniser{
	entity: "BE_NATIONAL_NUMBER", shapes: "D2.D2.D2-D3.D2:.97 D2.D2.D2-D3-D2:.95 D6-D3-D2:.9 D6_D3_D2:.9 D11:.45 D2-D2-D2-D3-D2:.9", proved: true, context: 0.97,
	words: "rijksregisternummer,rijksregister,registre national,numéro national,nationaal nummer,insz,niss,national number,numéro de registre,register number,national register,nationalregisternummer,belgian,belgian national,national id,numéro de registre national,nn",
	check: func(b []byte) bool {
		m, d := num(b, 2, 2), num(b, 4, 2)
		if m > 12 && m%20 <= 12 { // bis numbers
			m %= 20
		}
		if m != 0 && !dayMonth(max(d, 1), m) {
			return false
		}
		c := num(b, 9, 2)
		return c == 97-bigMod(b[:9], 97) || c == 97-bigMod(append([]byte{'2'}, b[:9]...), 97)
	},
}
