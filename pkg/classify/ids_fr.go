package classify

// France: NIR, the social security number (mod 97 and plausible year, month, place).

var frNIR = recogniser{
	entity: "FR_NIR", proved: true, context: 0.97,
	shapes: "D15:.6 D13_D2:.75 D1_D2_D2_D2_D3_D3_D2:.97 D1_D2_D2_L1_D3_D3_D2:.9 D5L1D9:.5 D1_D2_D2_D1L1_D3_D3_D2:.95 D6L1D8:.6 D1-D2-D2-D2-D3-D3-D2:.95 D1.D2.D2.D2.D3.D3.D2:.95",
	words:  "nir,numéro de sécurité,sécurité sociale,securite sociale,sécu,secu,insee,assuré,assuré social,numéro de sécu,sociale,numéro insee,carte vitale,vitale,french social,social security,immatriculation,matricule",
	check: func(b []byte) bool {
		if b[0] != '1' && b[0] != '2' {
			return false
		}
		m := num(b, 3, 2)
		if !(m >= 1 && m <= 12 || m >= 20 && m <= 42 || m >= 50) {
			return false
		}
		d := append([]byte{}, b...)
		if is(d[6], cAlpha) { // Corsica
			switch {
			case d[5] == '2' && d[6] == 'A':
				d[5], d[6] = '1', '9'
			case d[5] == '2' && d[6] == 'B':
				d[5], d[6] = '1', '8'
			default:
				return false
			}
		}
		return digits(d) && 97-bigMod(d[:13], 97) == num(d, 13, 2)
	},
}
