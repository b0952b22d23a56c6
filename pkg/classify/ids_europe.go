package classify

// Switzerland, Czechia and Slovakia, Romania, Croatia, Greece, Portugal, Ireland, Turkey, Russia.

var chAHV = recogniser{
	entity: "CH_AHV", shapes: "D3.D4.D4.D2:.97 D13:.7", proved: true, context: 0.97,
	words: "ahv,avs,ahv nummer,sozialversicherungsnummer,ahvn",
	check: func(b []byte) bool {
		return string(b[:3]) == "756" && weighted(b, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0
	},
}

var czRC = recogniser{
	entity: "CZ_BIRTH_NUMBER", shapes: "D6/D4:.75 D10:.1", proved: true, context: 0.95,
	words: "rodné číslo,rodne cislo,rodné,rodne,rč",
	check: func(b []byte) bool {
		m := num(b, 2, 2) % 50 % 20
		return dayMonth(num(b, 4, 2), m) && bigMod(b, 11) == 0
	},
}

var roCNP = recogniser{
	entity: "RO_CNP", shapes: "D13:.4", proved: true, context: 0.95,
	words: "cnp,cod numeric,numeric personal,cod numeric personal",
	check: func(b []byte) bool {
		r := weighted(b, 2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9) % 11
		if r == 10 {
			r = 1
		}
		return b[0] != '0' && dayMonth(num(b, 5, 2), num(b, 3, 2)) && r == int(b[12]-'0')
	},
}

var hrOIB = recogniser{entity: "HR_OIB", shapes: "D11:.1", proved: true, context: 0.95, words: "oib,osobni identifikacijski", check: mod11_10}

var grAMKA = recogniser{
	entity: "GR_AMKA", shapes: "D11:.25", proved: true, context: 0.95, words: "amka,αμκα",
	check: func(b []byte) bool { return dayMonth(num(b, 0, 2), num(b, 2, 2)) && luhn(b) },
}

var ptNIF = recogniser{
	entity: "PT_NIF", shapes: "D9:.05 D3_D3_D3:.2", proved: true, context: 0.9,
	words: "nif,contribuinte,número de contribuinte,fiscal,número de identificação,nipc",
	check: func(b []byte) bool {
		return b[0] != '0' && mod11digit(weighted(b, 9, 8, 7, 6, 5, 4, 3, 2)) == int(b[8]-'0')
	},
}

var iePPSN = recogniser{
	entity: "IE_PPSN", shapes: "D7L1:.4 D7L2:.5", proved: true, context: 0.95, upper: true,
	words: "pps,ppsn,pps number,pps no,personal public",
	check: func(b []byte) bool {
		s := weighted(b, 8, 7, 6, 5, 4, 3, 2)
		if len(b) == 9 && b[8] != 'W' {
			s += 9 * (int(b[8]-'A') + 1)
		}
		return "WABCDEFGHIJKLMNOPQRSTUV"[s%23] == b[7]
	},
}

var trTCKN = recogniser{
	entity: "TR_NATIONAL_ID", shapes: "D11:.5", proved: true, context: 0.95,
	words: "tckn,tc kimlik,kimlik,tc,kimlik no,kimlik numarası,t c,vatandaşlık,tc no,turkish id,turkish identity,turkish,vatandaslik,türkiye cumhuriyeti,national id",
	check: func(b []byte) bool {
		odd, even := weighted(b, 1, 0, 1, 0, 1, 0, 1, 0, 1), weighted(b, 0, 1, 0, 1, 0, 1, 0, 1)
		return b[0] != '0' && ((odd*7-even)%10+10)%10 == int(b[9]-'0') && (odd+even+int(b[9]-'0'))%10 == int(b[10]-'0')
	},
}

var ruSNILS = recogniser{
	entity: "RU_SNILS", shapes: "D3-D3-D3_D2:.9 D3-D3-D3-D2:.8 D11:.2", proved: true, context: 0.95,
	words: "снилс,snils,СНИЛС,страхового,страховой номер",
	check: func(b []byte) bool {
		return weighted(b, 9, 8, 7, 6, 5, 4, 3, 2, 1)%101%100 == num(b, 9, 2) && !same(b[:9])
	},
}
