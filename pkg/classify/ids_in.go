package classify

import "bytes"

// India: Aadhaar (Verhoeff), PAN (holder letter), GSTIN (state, PAN, mod 36), voter id.

var inAadhaar = recogniser{
	entity: "IN_AADHAAR", shapes: "D4_D4_D4:.7 D4-D4-D4:.65 D12:.4", proved: true, context: 0.95,
	words: "aadhaar,aadhar,adhaar,uidai,uid,aadhaar number,आधार,आधार संख्या,aadhaar no,aadhaar card,adhar,आधार कार्ड,unique identification",
	check: func(b []byte) bool { return b[0] >= '2' && verhoeff(b) },
}

var inPAN = recogniser{
	entity: "IN_PAN", shapes: "L5D4L1:.8", proved: true, context: 0.95, upper: true,
	words: "pan,permanent account,pan number,pan card,income tax,pan no,income tax pan,पैन",
	check: func(b []byte) bool {
		return bytes.IndexByte([]byte("PCHFATBLJG"), b[3]) >= 0 && string(b[5:9]) != "0000"
	},
}

var inGSTIN = recogniser{
	entity: "IN_GSTIN", shapes: "D2L5D4L1X1L1X1:.85", proved: true, context: 0.95, upper: true,
	words: "gst,gstin,gst number,gst no",
	check: func(b []byte) bool {
		s := num(b, 0, 2)
		return (s >= 1 && s <= 38 || s >= 96) && b[13] == 'Z' && b[12] != '0'
	},
}

var inVoter = recogniser{
	entity: "IN_VOTER", shapes: "L3D7:.35", context: 0.85, words: "voter,epic,elector,voter id,election,voter card",
}
