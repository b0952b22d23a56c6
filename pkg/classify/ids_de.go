package classify

// Germany: tax id (ISO 7064, and the rule on repeated digits), pension insurance
// number, health insurance number (Luhn), VAT id.

var deTaxID = recogniser{
	entity: "DE_TAX_ID", shapes: "D11:.4 D2_D3_D3_D3:.8 D2/D3/D3/D3:.7", proved: true, context: 0.95,
	words: "steuer,steuer id,steueridentifikationsnummer,steuernummer,idnr,identifikationsnummer,steuerid,tax id,tin,steuerliche,steuer idnr,tax identification,id nr,steuer nr,steueridnr,steuer identifikationsnummer,german tax,tax number,persönliche identifikationsnummer",
	check: func(b []byte) bool {
		if b[0] == '0' || !mod11_10(b) {
			return false
		}
		var n [10]int
		top := 0
		for _, c := range b[:10] {
			n[c-'0']++
			top = max(top, n[c-'0'])
		}
		return top <= 3
	},
}

var deSocial = recogniser{
	entity: "DE_SOCIAL_SECURITY", shapes: "D8L1D3:.75 D2_D6_L1_D3:.9", proved: true, context: 0.95, upper: true,
	words: "sozialversicherungsnummer,rentenversicherungsnummer,versicherungsnummer,svnr,rvnr,sozialversicherung,rentenversicherung,sv nummer,social security",
	check: func(b []byte) bool {
		day := num(b, 2, 2)
		if day > 50 {
			day -= 50
		}
		if !dayMonth(day, num(b, 4, 2)) {
			return false
		}
		v := int(b[8]-'A') + 1
		d := append(append(append([]byte{}, b[:8]...), byte('0'+v/10), byte('0'+v%10)), b[9:11]...)
		sum := 0
		for i, w := range []int{2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1} {
			p := w * int(d[i]-'0')
			sum += p/10 + p%10
		}
		return sum%10 == int(b[11]-'0')
	},
}

var deHealth = recogniser{
	entity: "DE_HEALTH_INSURANCE", shapes: "L1D9:.4", proved: true, context: 0.95, upper: true,
	words: "krankenversicherung,versichertennummer,kvnr,krankenkasse,krankenversichertennummer,versicherten,egk,gesundheitskarte,health insurance",
	check: func(b []byte) bool {
		v := int(b[0]-'A') + 1
		d := append([]byte{byte('0' + v/10), byte('0' + v%10)}, b[1:]...)
		sum := 0
		for i := range 10 {
			p := int(d[i]-'0') * (1 + i%2)
			sum += p/10 + p%10
		}
		return sum%10 == int(d[10]-'0')
	},
}

var deVAT = recogniser{
	entity: "DE_VAT_ID", shapes: "L2D9:.8 L2_D9:.6", proved: true, context: 0.9, upper: true,
	words: "ust,ust idnr,umsatzsteuer,vat,mehrwertsteuer,ustid",
	check: func(b []byte) bool { return b[0] == 'D' && b[1] == 'E' && b[2] != '0' && mod11_10(b[2:]) },
}
