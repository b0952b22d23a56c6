package classify

// Spain: NIF and NIE (letter from mod 23).

const nifLetters = "TRWAGMYFPDXBNJZSQVHLCKE"

var esNIF = recogniser{
	entity: "ES_NIF", shapes: "D8L1:.6 D8-L1:.75 D8_L1:.55 D7L1:.3 D7-L1:.5 D2.D3.D3-L1:.95 D2.D3.D3L1:.9", proved: true, context: 0.95, upper: true,
	words: "nif,dni,documento,identidad,documento nacional,identificación,identificacion,nif cif,dni nif,documento de identidad,carné de identidad,spanish id,national id",
	check: func(b []byte) bool {
		n := len(b) - 1
		return nifLetters[num(b, 0, n)%23] == b[n]
	},
}

var esNIE = recogniser{
	entity: "ES_NIE", shapes: "L1D7L1:.8 L1D7-L1:.85 L1-D7-L1:.9", proved: true, context: 0.95, upper: true,
	words: "nie,extranjero,identificación,identificacion,documento,residencia,tarjeta de residencia,número de identidad,spanish",
	check: func(b []byte) bool {
		if b[0] < 'X' || b[0] > 'Z' {
			return false
		}
		return nifLetters[(int(b[0]-'X')*10000000+num(b, 1, 7))%23] == b[8]
	},
}
