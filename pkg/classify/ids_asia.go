package classify

// Singapore, Japan, Korea, China, Taiwan, Thailand, Israel, South Africa.

var sgNRIC = recogniser{
	entity: "SG_NRIC_FIN", shapes: "L1D7L1:.85", proved: true, context: 0.97,
	words: "nric,fin,nric fin,singapore,identity card,ic number,nric no,fin no,foreign identification,work pass,singaporean,ic no",
	check: func(b []byte) bool {
		sum := weighted(b[1:], 2, 7, 6, 5, 4, 3, 2)
		switch b[0] {
		case 'S':
			return "JZIHGFEDCBA"[sum%11] == b[8]
		case 'T':
			return "JZIHGFEDCBA"[(sum+4)%11] == b[8]
		case 'F':
			return "XWUTRQPNMLK"[sum%11] == b[8]
		case 'G':
			return "XWUTRQPNMLK"[(sum+4)%11] == b[8]
		case 'M':
			return "KLJNPQRTUWX"[10-(sum+3)%11] == b[8]
		}
		return false
	},
}

var jpMyNumber = recogniser{
	entity: "JP_MY_NUMBER", shapes: "D12:.3 D4_D4_D4:.45 D4-D4-D4:.45", proved: true, context: 0.95,
	words: "my number,mynumber,individual number,マイナンバー,個人番号,japanese,japan individual,マイナンバーカード",
	check: func(b []byte) bool {
		r := weighted(b, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2) % 11
		want := 0
		if r > 1 {
			want = 11 - r
		}
		return want == int(b[11]-'0') && !same(b)
	},
}

func krDate(b []byte) bool { return dayMonth(num(b, 4, 2), num(b, 2, 2)) }

var krRRN = recogniser{
	entity: "KR_RRN", shapes: "D6-D7:.75 D13:.1", context: 0.95,
	words: "rrn,resident registration,주민등록번호,주민번호,주민등록,korean,resident number,jumin,주민",
	// Numbers given out since October 2020 have no check digit.
	check: func(b []byte) bool { return krDate(b) && b[6] >= '1' && b[6] <= '4' },
}

var krFRN = recogniser{
	entity: "KR_FRN", shapes: "D6-D7:.7 D13:.1", context: 0.95,
	words: "frn,foreigner registration,외국인등록번호,외국인등록",
	check: func(b []byte) bool { return krDate(b) && b[6] >= '5' && b[6] <= '8' },
}

var krBRN = recogniser{
	entity: "KR_BRN", shapes: "D3-D2-D5:.75 D10:.15", proved: true, context: 0.95,
	words: "brn,business registration,사업자등록번호,사업자번호,사업자",
	check: func(b []byte) bool {
		s := weighted(b, 1, 3, 7, 1, 3, 7, 1, 3, 5) + int(b[8]-'0')*5/10
		return (10-s%10)%10 == int(b[9]-'0')
	},
}

var krDriver = recogniser{
	entity: "KR_DRIVER_LICENSE", shapes: "D2-D2-D6-D2:.75 D12:.1 D2_D2_D6_D2:.5", context: 0.9,
	words: "license,licence,driver,운전면허,운전면허번호,면허번호",
	check: func(b []byte) bool { r := num(b, 0, 2); return r >= 11 && r <= 28 && r != 27 },
}

var krPassport = recogniser{
	entity: "KR_PASSPORT", shapes: "L1D3L1D4:.6", context: 0.95,
	words: "passport,passport number,여권,여권번호",
	check: func(b []byte) bool { return b[0] == 'M' || b[0] == 'S' || b[0] == 'R' || b[0] == 'O' || b[0] == 'D' },
}

var cnID = recogniser{
	entity: "CN_RESIDENT_ID", shapes: "D18:.95 D17L1:.95", proved: true, context: 0.98,
	words: "resident identity,身份证,身份证号,身份證,居民身份证,id card",
	check: func(b []byte) bool {
		y := num(b, 6, 4)
		return b[0] >= '1' && b[0] <= '8' && y >= 1900 && y <= 2100 && dayMonth(num(b, 12, 2), num(b, 10, 2)) &&
			"10X98765432"[weighted(b, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)%11] == b[17]
	},
}

var twID = recogniser{
	entity: "TW_NATIONAL_ID", shapes: "L1D9:.55", proved: true, context: 0.95, upper: true,
	words: "national id,identity card,身分證,身份證,統一編號",
	check: func(b []byte) bool {
		const order = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
		v := 0
		for i := range order {
			if order[i] == b[0] {
				v = i + 10
			}
		}
		return (b[1] == '1' || b[1] == '2' || b[1] == '8' || b[1] == '9') && (v/10+v%10*9+weighted(b[1:], 8, 7, 6, 5, 4, 3, 2, 1, 1))%10 == 0
	},
}

var thTNIN = recogniser{
	entity: "TH_TNIN", shapes: "D1-D4-D5-D2-D1:.95 D13:.35 D1_D4_D5_D2_D1:.9", proved: true, context: 0.95,
	words: "tnin,thai,national id,thai id,citizen id,บัตรประชาชน,เลขประจำตัวประชาชน,identification card,ประชาชน",
	check: func(b []byte) bool {
		return b[0] >= '1' && b[0] <= '8' && (11-weighted(b, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11)%10 == int(b[12]-'0')
	},
}

var ilID = recogniser{
	entity: "IL_ID", shapes: "D9:.05", proved: true, context: 0.95, words: "teudat,teudat zehut,תעודת זהות,israeli id",
	check: func(b []byte) bool { return luhn(b) && !same(b) },
}

var zaID = recogniser{
	entity: "ZA_ID_NUMBER", shapes: "D13:.45 D6_D4_D3:.6", proved: true, context: 0.95,
	words: "south african,rsa id,sa id,said,id number,identity number,za id,rsa,id no,south african id,sa identity,identiteitsnommer,id nommer,id nr",
	check: func(b []byte) bool {
		return dayMonth(num(b, 4, 2), num(b, 2, 2)) && b[10] <= '2' && luhn(b)
	},
}
