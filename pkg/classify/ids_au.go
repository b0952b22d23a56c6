package classify

// Australia: TFN, ABN, ACN, Medicare.

var auTFN = recogniser{
	entity: "AU_TFN", shapes: "D3_D3_D3:.45 D9:.1 D3-D3-D3:.3", proved: true, context: 0.95,
	words: "tfn,tax file,tax file number,tax file no,australian tax",
	check: func(b []byte) bool { return weighted(b, 1, 4, 3, 7, 5, 8, 6, 9, 10)%11 == 0 && !same(b) },
}

var auABN = recogniser{
	entity: "AU_ABN", shapes: "D2_D3_D3_D3:.85 D11:.4", proved: true, context: 0.95,
	words: "abn,australian business,business number,abn no,a b n",
	check: func(b []byte) bool {
		return b[0] != '0' && (weighted(b, 10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)-10)%89 == 0
	},
}

var auACN = recogniser{
	entity: "AU_ACN", shapes: "D3_D3_D3:.4 D9:.1", proved: true, context: 0.95,
	words: "acn,australian company,company number",
	check: func(b []byte) bool { return (10-weighted(b, 8, 7, 6, 5, 4, 3, 2, 1)%10)%10 == int(b[8]-'0') },
}

var auMedicare = recogniser{
	entity: "AU_MEDICARE", shapes: "D4_D5_D1:.8 D10:.2 D4-D5-D1:.7 D4_D5_D1/D1:.85 D11:.1", proved: true, context: 0.95,
	words: "medicare,medicare number,medicare card,irn,medicare no,medicare australia",
	check: func(b []byte) bool {
		return b[0] >= '2' && b[0] <= '6' && weighted(b, 1, 3, 7, 9, 1, 3, 7, 9)%10 == int(b[8]-'0')
	},
}
