package classify

// United States: SSN and ITIN (SSA and IRS area rules), NPI (Luhn over 80840 and the
// number), ABA routing (mod 10), Medicare beneficiary id (CMS pattern), DEA number.

var usSSN = recogniser{
	entity: "US_SSN", shapes: "D3-D2-D4:.8 D3.D2.D4:.5 D3_D2_D4:.5 D5-D4:.2 D3-D6:.2 D9:.05", proved: true, weak: true, context: 0.95,
	words: "ssn,ssns,social security,social,soc sec,ss,security number,social sec,sss number,seguro social,ssid,taxpayer,tin,tax id",
	check: func(b []byte) bool {
		area, group, serial := num(b, 0, 3), num(b, 3, 2), num(b, 5, 4)
		switch string(b) {
		case "078051120", "219099999": // printed in advertisements
			return false
		}
		return area != 0 && area != 666 && area < 900 && group != 0 && serial != 0 && !same(b)
	},
}

var usITIN = recogniser{
	entity: "US_ITIN", shapes: "D3-D2-D4:.75 D3_D2_D4:.4 D3-D6:.2 D5-D4:.2 D9:.05", proved: true, weak: true, context: 0.95,
	words: "itin,taxpayer,tax id,individual taxpayer,tax,tin,taxpayer identification,individual taxpayer identification",
	check: func(b []byte) bool {
		g := num(b, 3, 2)
		return b[0] == '9' && (g >= 50 && g <= 65 || g >= 70 && g <= 88 || g >= 90 && g <= 92 || g >= 94)
	},
}

var usNPI = recogniser{
	entity: "US_NPI", shapes: "D10:.25 D4-D3-D3:.4 D4_D3_D3:.4", proved: true, context: 0.95, failed: 0.55,
	words: "npi,national provider,provider identifier,provider id,npis,provider number,provider npi,npi no,rendering provider,prescriber",
	check: func(b []byte) bool {
		return (b[0] == '1' || b[0] == '2') && luhn(append([]byte("80840"), b...))
	},
}

var usABA = recogniser{
	entity: "ABA_ROUTING_NUMBER", shapes: "D9:.1 D4-D4-D1:.6", proved: true, context: 0.95,
	words: "aba,routing,routing number,rtn,bank routing,transit,routing no,aba number,wire,ach,fedwire",
	check: func(b []byte) bool {
		p := num(b, 0, 2)
		return (p <= 12 && p > 0 || p >= 21 && p <= 32 || p >= 61 && p <= 72 || p == 80) &&
			weighted(b, 3, 7, 1, 3, 7, 1, 3, 7, 1)%10 == 0
	},
}

var usMBI = recogniser{
	entity: "US_MBI", shapes: "D1L1X1D1-L1X1D1-L2D2:.85 D1L1X1D1L1X1D1L2D2:.6", proved: true, context: 0.95, upper: true,
	words: "mbi,medicare,beneficiary,medicare number,cms,hic",
	check: func(b []byte) bool {
		for i, c := range b {
			if is(c, cAlpha) && (c == 'S' || c == 'L' || c == 'O' || c == 'I' || c == 'B' || c == 'Z') {
				return false
			}
			if i == 0 && c == '0' {
				return false
			}
		}
		return true
	},
}

var usDEA = recogniser{
	entity: "MEDICAL_LICENSE", shapes: "L2D7:.35 L1D8:.3", proved: true, context: 0.95, upper: true,
	words: "dea,dea number,medical license,medical licence,certificate number,prescriber,license,licence,registration,medical",
	check: func(b []byte) bool {
		d := b[2:]
		if is(b[1], cDigit) && b[1] != '9' || b[0] == 'I' || b[0] == 'N' || b[0] == 'O' || b[0] == 'Q' || b[0] == 'V' || b[0] == 'W' || b[0] == 'Y' || b[0] == 'Z' {
			return false
		}
		sum := weighted(d, 1, 0, 1, 0, 1) + 2*weighted(d, 0, 1, 0, 1, 0, 1)
		return sum%10 == int(d[6]-'0')
	},
}

var usPassport = recogniser{
	entity: "US_PASSPORT", shapes: "L1D8:.2 D9:.02", context: 0.7, upper: true,
	words: "passport,passport number,travel document,us passport,passport no",
}
