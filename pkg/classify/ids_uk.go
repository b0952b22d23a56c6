package classify

// United Kingdom: NHS number (mod 11), National Insurance number (prefix and suffix
// rules), driving licence (built from name and date of birth).

var ukNHS = recogniser{
	entity: "UK_NHS", shapes: "D10:.2 D3-D3-D4:.3 D3_D3_D4:.45", proved: true, context: 0.95,
	words: "nhs,nhs number,national health,health service,nhs no,chi number,nhs id,patient nhs",
	check: func(b []byte) bool {
		r := 11 - weighted(b, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11
		return r%11 == int(b[9]-'0') && r != 10 && !same(b)
	},
}

var ukNINO = recogniser{
	entity: "UK_NINO", shapes: "L2D6L1:.75 L2_D2_D2_D2_L1:.85 L2_D6_L1:.75 L2_D6L1:.7 L2-D2-D2-D2-L1:.8", proved: true, context: 0.95, upper: false,
	words: "nino,ni number,national insurance,ni no,insurance number,ni,hmrc,ni nr,national insurance no,nat ins,insurance no",
	check: func(b []byte) bool {
		for i, c := range b[:2] {
			if c == 'D' || c == 'F' || c == 'I' || c == 'Q' || c == 'U' || c == 'V' || i == 1 && c == 'O' {
				return false
			}
		}
		switch string(b[:2]) {
		case "BG", "GB", "KN", "NK", "NT", "TN", "ZZ":
			return false
		}
		return b[8] >= 'A' && b[8] <= 'D'
	},
}

var ukDriving = recogniser{
	entity: "UK_DRIVING_LICENCE", proved: true, context: 0.95,
	shapes: "L5D6L2D1L2:.85 L5D6L1D2L2:.85 L5D6L2D2L1:.7 L5D6L2L3:.7 L4D7L2D1L2:.85 L3D8L2D1L2:.85 L2D9L2D1L2:.85 L4D7L1D2L2:.85 L3D8L1D2L2:.8 L2D9L1D2L2:.8",
	words:  "driving licence,driving license,licence,license,dvla,driver",
	check: func(b []byte) bool {
		for i := 0; i < 5; i++ {
			if !is(b[i], cAlpha) && b[i] != '9' || is(b[i], cAlpha) && i > 0 && b[i-1] == '9' {
				return false
			}
		}
		m := num(b, 6, 2)
		if m > 50 {
			m -= 50
		}
		return digits(b[5:11]) && dayMonth(num(b, 8, 2), m)
	},
}
