package classify

// Italy: codice fiscale (check letter), partita IVA (Luhn).

var itFiscal = recogniser{
	entity: "IT_FISCAL_CODE", shapes: "L6D2L1D2L1D3L1:.95", proved: true, context: 0.99,
	words: "codice fiscale,fiscale,cf,codice,cod fisc,cod fiscale,c f,tax code,fiscal code,italian tax,italian",
	check: func(b []byte) bool {
		const odd = "\x01\x00\x05\x07\x09\x0d\x0f\x11\x13\x15\x02\x04\x12\x14\x0b\x03\x06\x08\x0c\x0e\x10\x0a\x16\x19\x18\x17"
		sum := 0
		for i, c := range b[:15] {
			v := int(c - 'A')
			if is(c, cDigit) {
				v = int(c - '0')
			}
			if i%2 == 0 {
				sum += int(odd[v])
			} else {
				sum += v
			}
		}
		return byte('A'+sum%26) == b[15]
	},
}

var itVAT = recogniser{
	entity: "IT_VAT_CODE", shapes: "D11:.2 L2D11:.8", proved: true, context: 0.9,
	words: "piva,partita,partita iva,iva,p iva,vat",
	check: func(b []byte) bool {
		if len(b) == 13 {
			if b[0] != 'I' || b[1] != 'T' {
				return false
			}
			b = b[2:]
		}
		return luhn(b) && !same(b)
	},
}
