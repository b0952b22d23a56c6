package classify

// Sweden, Finland, Denmark, Norway: personal numbers, all with a date of birth inside.

var sePersonnummer = recogniser{
	entity: "SE_PERSONNUMMER", shapes: "D6-D4:.45 D8-D4:.45 D12:.4 D10:.15 D6+D4:.6 D8_D4:.3", proved: true, context: 0.95,
	words: "personnummer,personnr,samordningsnummer,pnr,personal number,personal identity,identity code,person nummer,svenskt,person nr,swedish,swedish personal,personal id,national id",
	check: func(b []byte) bool {
		if len(b) == 12 {
			if y := num(b, 0, 2); y < 18 || y > 20 {
				return false
			}
			b = b[2:]
		}
		d := num(b, 4, 2)
		if d > 60 {
			d -= 60
		}
		return dayMonth(d, num(b, 2, 2)) && luhn(b)
	},
}

var fiHETU = recogniser{
	entity: "FI_PERSONAL_IDENTITY_CODE", shapes: "D6-D3L1:.85 D6+D3L1:.9 D6L1D3L1:.8 D6-D4:.45 D6+D4:.6 D6L1D4:.7", proved: true, context: 0.95,
	words: "hetu,henkilötunnus,henkilotunnus,personbeteckning,personal identity,identity code,sotu,finnish,finnish personal,henkilö,national id",
	check: func(b []byte) bool {
		if !dayMonth(num(b, 0, 2), num(b, 2, 2)) {
			return false
		}
		d := b[6:]
		if len(b) == 11 {
			if c := b[6]; !(c >= 'A' && c <= 'F' || c >= 'U' && c <= 'Y') {
				return false
			}
			d = b[7:]
		}
		if !digits(d[:3]) {
			return false
		}
		return "0123456789ABCDEFHJKLMNPRSTUVWXY"[(num(b, 0, 6)*1000+num(d, 0, 3))%31] == d[3] && num(d, 0, 3) >= 2
	},
}

var dkCPR = recogniser{
	entity: "DK_CPR", shapes: "D6-D4:.4 D10:.1 D6_D4:.3", context: 0.9,
	words: "cpr,cpr nummer,personnummer,cpr nr,cprnummer,cpr number,danish,cpr no,personal id,national id,danish cpr",
	check: func(b []byte) bool { return dayMonth(num(b, 0, 2), num(b, 2, 2)) },
}

var noFNR = recogniser{
	entity: "NO_FODSELSNUMMER", shapes: "D11:.6 D6_D5:.8", proved: true, context: 0.95,
	words: "fødselsnummer,fodselsnummer,personnummer,fnr,d nummer,norwegian",
	check: func(b []byte) bool {
		d := num(b, 0, 2)
		if d > 40 {
			d -= 40
		}
		return dayMonth(d, num(b, 2, 2)) && weighted(b, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1)%11 == 0 && weighted(b, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
	},
}
