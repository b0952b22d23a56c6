package classify_test

import (
	"slices"
	"strings"
	"testing"
)

// Key, what stands around it and the form of the value decide on typed fields of
// payloads that nobody declared.
//
// SPEC: RED-3
func TestFieldsNobodyDeclared(t *testing.T) {
	c := compile(t)
	cases := []struct{ text, want string }{
		{`{"guest_name":"Ulrik Oyelaran"}`, "Ulrik Oyelaran"},
		{`{"contactPerson": "Brandvold, Thandeka"}`, "Brandvold, Thandeka"},
		{`{"requester.full_name":"Dr. Zivko Haskovec"}`, "Dr. Zivko Haskovec"},
		{`{"requester":{"full_name":"zivko haskovec"}}`, "zivko haskovec"},
		{`{"nombre":"Orsolya","apellidos":"Ferreyra Whitlocke"}`, "Orsolya|Ferreyra Whitlocke"},
		{`{"Nachname": "King", "Vorname": "Ulrik"}`, "King|Ulrik"},
		{`{"kundenname":"Ulrik Dzhambov","produktname":"Victoria Sofa","dateiname":"Maria.pdf"}`, "Ulrik Dzhambov"},
		{`{"nombre_del_cliente":"Ikaika Ravnborg","nombre_producto":"Silla Carmen"}`, "Ikaika Ravnborg"},
		{`{"attendees":["Ulrik Oyelaran","Kwarteng, Tevita"]}`, "Ulrik Oyelaran|Kwarteng, Tevita"},
		{`{"passengers":[{"name":"Ulrik Oyelaran","age":4},{"name":"Tevita Kwarteng"}]}`, "Ulrik Oyelaran|Tevita Kwarteng"},
		{`{"name":[{"family":"Oyelaran","given":["Ulrik","Tevita"]}]}`, "Oyelaran|Ulrik|Tevita"},
		{`{"answers":[{"label":"First name","value":"Ulrik"},{"label":"Company","value":"Bell and Sons"}]}`, "Ulrik"},
		{`{"createdBy":"Ulrik Oyelaran","updatedBy":"build-bot"}`, "Ulrik Oyelaran"},
		{`{"firstName":"M\u00e9lusine","last_name":"Oyelaran"}`, `M\u00e9lusine|Oyelaran`},
		{`{"FirstName__c":"Ulrik"}`, "Ulrik"},
		{`{\"customer\":{\"name\":\"Ulrik Oyelaran\"}}`, "Ulrik Oyelaran"},
		{"{\"\u62c5\u5f53\u8005\":\"" + "\u5c71\u7530\u592a\u90ce" + `"}`, "\u5c71\u7530\u592a\u90ce"},
		{`{"subject":"Call Maria Garcia today","title":"Meeting with Anna Schmidt"}`, "Maria Garcia|Anna Schmidt"},
		{`<guest><firstName>Ulrik</firstName><lastName>Kwarteng</lastName><productName>Victoria Sofa</productName></guest>`, "Ulrik|Kwarteng"},
		{`guest_name=Ulrik+Oyelaran&last_name=Kwarteng&plan=Gold`, "Ulrik+Oyelaran|Kwarteng"},
		{`{'guest_name': 'Ulrik O\'Donnell', 'last_name': 'Kwarteng', 'city': 'Florence'}`, `Ulrik O\'Donnell|Kwarteng`},
		{`{"columns":["id","rep","town"],"rows":[[1,"Ulrik Oyelaran","Chelsea"],[2,"Tevita Kwarteng","Florence"]]}`, "Ulrik Oyelaran|Tevita Kwarteng"},
		{`{"rows":[["Name","Team"],["Ulrik Oyelaran","Athletics"]]}`, "Ulrik Oyelaran"},
		{`{"insured":{"primary":"Ulrik Oyelaran","secondary":"Tevita Kwarteng"},"ship":{"info":{"name":"Emma Maersk"}}}`, "Ulrik Oyelaran|Tevita Kwarteng"},
		{`{"tenant":{"value":"Ulrik Oyelaran","type":"string"},"hyresgast":"Tevita Kwarteng","f\u00f6retag":"Oyelaran Bygg HB"}`, "Ulrik Oyelaran|Tevita Kwarteng"},
		{`{"fields":[{"field":"landlord","value":"Ulrik Oyelaran"},{"field":"vessel","value":"Emma Maersk"}]}`, "Ulrik Oyelaran"},
		{`{"PID":{"PID.5":{"PID.5.1":"Oyelaran","PID.5.2":"Ulrik"}},"PV1":{"PV1.3.4":"Mercy General"}}`, "Oyelaran|Ulrik"},
		{`{"tenant_first":"Ulrik","tenant_last":"Oyelaran","owner":{"fn":"Tevita","ln":"Kwarteng"}}`, "Ulrik|Oyelaran|Tevita|Kwarteng"},
		{"{\"\u60a3\u8005\":\"\u5c71\u7530\u592a\u90ce\",\"\u4f1a\u793e\":\"\u5c71\u7530\u6c34\u7523\u682a\u5f0f\u4f1a\u793e\"}", "\u5c71\u7530\u592a\u90ce"},
		{`{"supervisor_on_duty":"ulrik kwarteng olsen","stained_by":"Tevita Zhqar"}`, "ulrik kwarteng olsen|Tevita Zhqar"},
		{`{"seen":["Ulrik Oyelaran","Maria Lopez","Zhqar Lomvitz"]}`, "Ulrik Oyelaran|Maria Lopez|Zhqar Lomvitz"},
		{`{"child":{"known_as":"Ulrik","surname":"Oyelaran"}}`, "Ulrik|Oyelaran"},
		{`{"label":"Torres, Silva and Okonkwo","holder":"Ulrik Oyelaran"}`, "Ulrik Oyelaran"},
		{`{"hostname":"martin-7","filename":"Maria.docx","username":"build-bot","product_name":"Jordan Sneakers","branchName":"felix/fix"}`, ""},
		{`{"company":"Morris, Martinez and Griffin","city":"Florence","team_name":"Payments"}`, ""},
		{`{"customer":{"name":"Kuehne Logistics GmbH"},"owner":"platform-team","created_by":"scheduler"}`, ""},
		{`{"repository":{"full_name":"octo/hello","name":"hello-world"}}`, ""},
		{`{"product":{"name":"Victoria Rose"},"project":{"name":"Martin Luther"}}`, ""},
		// what an object is, and what stands beside a name, speak against a person
		{`{"liked_by":"Ulrik Oyelaran","object":{"type":"movie","name":"Mary Bennett"}}`, "Ulrik Oyelaran"},
		{`{"items":[{"title":"Anna Schmidt","price":12,"sku":"R-7"},{"name":"Maria Garcia","vendor":"Roses","price":9}]}`, ""},
		{`{"attendees":[{"name":"Maria Garcia","price":20}],"venue":{"name":"Maria Garcia"}}`, "Maria Garcia"},
		{`{"card":{"brand":"Visa","last4":"4242","name":"Maria Garcia","object":"card"}}`, "Maria Garcia"},
		{`{"patient":"GARCIA MARIA SA","tenant":"Villa, Maria","owner":"Hotel Maria"}`, "GARCIA MARIA|Villa, Maria"},
		{`{"server":"Maria Garcia","left_with":"Ulrik Oyelaran"}`, "Maria Garcia|Ulrik Oyelaran"},
		{`{"sponsor":"Thompson-Garcia","seller":"Maria Garcia Interiors","shop":"Ana's Kitchen"}`, ""},
		{`{"custodian":"Garcia Brothers","drop_off":"Johnson Freeway","requester":"Wesley Hall"}`, "Wesley Hall"},
		{`{"decisionMaker":{"name":"Maria Garcia"},"broker":"Schmidt GbR","ship_name":"Maria Garcia"}`, "Maria Garcia"},
	}
	for _, tc := range cases {
		var got []string
		for _, e := range c.Recognise([]byte(tc.text)) {
			if e.Type == "PERSON" {
				got = append(got, tc.text[e.Start:e.End])
			}
		}
		var want []string
		if tc.want != "" {
			want = strings.Split(tc.want, "|")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", tc.text, got, want)
		}
	}
}

// A payload that is cut anywhere, nested without end or no JSON at all is walked in one
// pass.
func TestFieldsHostile(t *testing.T) {
	c := compile(t)
	whole := `{"a":[{"guest":{"name":"Ulrik Oyelaran","tags":["x","y"]}}],"first_name":"M\u00e9l","n":null}`
	for i := range whole {
		c.Recognise([]byte(whole[i:]))
		c.Recognise([]byte(whole[:i]))
	}
	for _, s := range []string{`{"name":`, `[`, `]`, `}`, `"name":"`, `{"guest":{"name":"A B"},`, `"\`} {
		c.Recognise([]byte(strings.Repeat(s, 20000)))
	}
}
