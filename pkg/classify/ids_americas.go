package classify

// Canada, Brazil, Mexico, Chile.

var caSIN = recogniser{
	entity: "CA_SIN", shapes: "D3-D3-D3:.6 D3_D3_D3:.5 D9:.1", proved: true, context: 0.97,
	words: "sin,social insurance,sin number,assurance sociale,nas,insurance number,numéro d assurance,canadian sin,canadian social,sin no",
	check: func(b []byte) bool { return b[0] != '8' && luhn(b) && !same(b) },
}

func cpfDigit(b []byte, from int) int {
	s := 0
	for i, c := range b {
		s += (from - i) * int(c-'0')
	}
	return mod11digit(s)
}

var brCPF = recogniser{
	entity: "BR_CPF", shapes: "D3.D3.D3-D2:.97 D11:.5 D9-D2:.8", proved: true, context: 0.97,
	words: "cpf,cadastro,pessoa física,pessoas físicas,contribuinte,brazilian,brazilian tax,cpf cnpj,cpf mf,individual taxpayer registry",
	check: func(b []byte) bool {
		return !same(b) && cpfDigit(b[:9], 10) == int(b[9]-'0') && cpfDigit(b[:10], 11) == int(b[10]-'0')
	},
}

var brCNPJ = recogniser{
	entity: "BR_CNPJ", shapes: "D2.D3.D3/D4-D2:.98 D14:.6", proved: true, context: 0.97,
	words: "cnpj,cadastro nacional,pessoa jurídica,cgc,brazilian company,inscrição",
	check: func(b []byte) bool {
		return !same(b) && mod11digit(weighted(b, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) == int(b[12]-'0') &&
			mod11digit(weighted(b, 6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) == int(b[13]-'0')
	},
}

var mxCURP = recogniser{
	entity: "MX_CURP", shapes: "L4D6L6X1D1:.95", proved: true, context: 0.97,
	words: "curp,clave única,registro de población,clave única de registro,mexican,mexican id,población",
	check: func(b []byte) bool {
		if !dayMonth(num(b, 8, 2), num(b, 6, 2)) || b[10] != 'H' && b[10] != 'M' && b[10] != 'X' {
			return false
		}
		sum := 0
		for i, c := range b[:17] {
			v := int(c - '0')
			if is(c, cAlpha) {
				v = int(c-'A') + 10
				if c > 'N' {
					v++ // the alphabet of the scheme has Ñ behind N
				}
			}
			sum += v * (18 - i)
		}
		return (10-sum%10)%10 == int(b[17]-'0')
	},
}

var mxRFC = recogniser{
	entity: "MX_RFC", shapes: "L4D6X3:.6 L3D6X3:.5", proved: true, context: 0.95, upper: true,
	words: "rfc,registro federal,contribuyentes,rfc con homoclave,homoclave,mexican tax,sat",
	check: func(b []byte) bool {
		d := b[len(b)-9:]
		if !dayMonth(num(d, 4, 2), num(d, 2, 2)) {
			return false
		}
		s := b
		if len(b) == 12 {
			s = append([]byte{' '}, b...)
		}
		sum := 0
		for i, c := range s[:12] {
			v := 37
			switch {
			case is(c, cDigit):
				v = int(c - '0')
			case c >= 'A' && c <= 'N':
				v = int(c-'A') + 10
			case is(c, cAlpha):
				v = int(c-'A') + 11
			}
			sum += v * (13 - i)
		}
		want := byte('0' + (11-sum%11)%11)
		if (11-sum%11)%11 == 10 {
			want = 'A'
		}
		return s[12] == want
	},
}

var clRUT = recogniser{
	entity: "CL_RUT", shapes: "D2.D3.D3-X1:.9 D1.D3.D3-X1:.85 D8-X1:.5 D7-X1:.3", proved: true, context: 0.95,
	words: "rut,run,rol único,rut nº,chilean,cédula,rol único tributario",
	check: func(b []byte) bool {
		n := len(b) - 1
		sum, w := 0, 2
		for i := n - 1; i >= 0; i-- {
			sum += w * int(b[i]-'0')
			if w++; w > 7 {
				w = 2
			}
		}
		return "0123456789K"[(11-sum%11)%11] == b[n] && !same(b[:n])
	},
}
