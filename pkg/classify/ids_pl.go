package classify

// Poland: PESEL (weights and date), NIP (mod 11).

var plPESEL = recogniser{
	entity: "PL_PESEL", shapes: "D11:.45", proved: true, context: 0.95,
	words: "pesel,numer pesel,nr pesel,polish,national id,ewidencyjny,polish national",
	check: func(b []byte) bool {
		m := num(b, 2, 2) % 20
		return dayMonth(num(b, 4, 2), m) && (10-weighted(b, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3)%10)%10 == int(b[10]-'0')
	},
}

var plNIP = recogniser{
	entity: "PL_NIP", shapes: "D3-D3-D2-D2:.75 D3-D2-D2-D3:.75 D10:.1 L2D10:.8", proved: true, context: 0.9,
	words: "nip,numer nip,nr nip,podatkowy,vat",
	check: func(b []byte) bool {
		if len(b) == 12 {
			if b[0] != 'P' || b[1] != 'L' {
				return false
			}
			b = b[2:]
		}
		return b[0] != '0' && weighted(b, 6, 5, 7, 2, 3, 4, 5, 6, 7)%11 == int(b[9]-'0')
	},
}
