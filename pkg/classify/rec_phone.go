package classify

import (
	"sort"
	"strings"
	"sync"

	"github.com/nyaruka/phonenumbers"
)

// PHONE_NUMBER. The phone library knows which numbers exist, and costs some ten
// thousand times what a byte costs; so form and context decide first, and only what
// already looks like a telephone number is put to it. Dates, times, versions, ids and
// money look like phone numbers to a wide pattern: they are what most false alarms
// come from.

// phoneContext has no shape; its words are the context of telephone numbers.
var phoneContext = recogniser{
	entity: "PHONE_NUMBER",
	words: "s number,office,home,line,support,desk,reception,my number,his number,her number,your number,our number,their number,number is,phone,phones,phone number,phonenumber,phone no,telephone,tel,mobile,mobile number,mob,ph,cell,cellphone,cell number,fax,call,calls,called,calling,call me,call back,callback,rang,ring,phoned,dial,dialled,dialed,text,texted,sms,whatsapp,telegram,signal,viber,contact,contact number,reach,reached,reachable,pick up,picked up,voicemail,hotline,helpline,landline,toll free,switchboard,pager,message,messages,num,msisdn,emergency contact," +
		"telefon,telefonnummer,telefonnr,handy,handynummer,handynr,rufnummer,mobil,mobilnummer,mobilnr,festnetz,durchwahl,anrufen,angerufen,anruf,rufen,ruf,rückruf,zurückrufen,erreichen,erreichbar,meine nummer," +
		"téléphone,tél,contactez,contacter,contactez nous,portable,appelez,appeler,appelle,rappelez,rappeler,joindre,joignable,numéro de téléphone,mon numéro,fixe," +
		"móvil,movil,teléfono,telefono,celular,tfno,tlfno,tfn,tlf,llame,llámame,llamar,llamada,llámenos,mi número,número de teléfono,marque," +
		"cellulare,cell,chiamare,chiamami,chiami,chiamate,richiamare,mio numero,numero di telefono,recapito," +
		"telefone,telemóvel,telemovel,ligue,ligar,liga,contacto,contato,meu número,telefoon,telefoonnummer,mobiel,bellen,bel,bereikbaar,terugbellen,mijn nummer,gsm," +
		"numer,numer telefonu,komórka,komórkowy,kom,dzwoń,dzwonić,zadzwoń,zadzwonić,mój numer,ringa,ring mig,mitt nummer,tlf,telefonnummer,puh,puhelin,soita,gsm nummer,volejte,zavolejte,telefonní,mobilní,hívjon,telefonszám,telefonul,sunați,mobilul," +
		"numara,numarası,cep,cep telefonu,arayın,arayınız,ara,telefonu,simu,telepon,hp,hubungi,điện thoại,gọi,số điện thoại,telepono,тел,телефон,моб,мобильный,номер,позвоните,звоните,звонить,телефону,зателефонуйте,телефонуйте,дзвоніть,τηλ,καλέστε,τηλέφωνο,τηλ,κινητό," +
		"电话,手机,电话号码,致电,電話,携帯,番号,전화,휴대폰,연락처,โทร,โทรศัพท์,फोन,मोबाइल,हाथ,कॉल,هاتف,الهاتف,جوال,اتصل,טלפון,נייד",
}

// notPhone are words of numbers that are something else.
var notPhone = recogniser{
	entity: "",
	words: "order,invoice,id,isbn,issn,tracking,ticket,ref,reference,version,serial,account,routing,amount,total,sku,barcode,upc,ean,case,transaction,batch,part,model," +
		"checksum,crc,timestamp,ts,unix,epoch,pid,size,bytes,offset,count,duration,imei,iccid,vin,npi,ssn,sin,mrn,nhs,tfn,abn,acn,policy,member,patient,passport,licence,license,doi,arxiv,rfc,issue,pr,commit,build,zip,bestellnummer,rechnung,rechnungsnummer,kundennummer,facture,commande,pedido,factura",
}

type digitGroup struct {
	n   int
	sep byte // before it; 2 for more than one separator
}

func (s *scan) phone(start int) {
	t := s.text
	if start < s.phoneEnd {
		return
	}
	from, plus, paren := start, false, false
	if s.at(from-1) == '+' {
		from--
		plus = true
	}
	if s.at(from-1) == '(' {
		from--
		paren = true
		if !plus && s.at(from-1) == '+' {
			from--
			plus = true
		} else if plus && !s.closes(start) { // (+44 20 …): the bracket is around it
			from++
			paren = false
		}
	}
	if p := s.at(from - 1); is(p, cAlnum) && !(s.at(from-2) == '\\') || p == '.' && is(s.at(from-2), cDigit) || p == '$' || p == '_' || p == '#' ||
		(p == '-' || p == '/' || p == '+' || p == '*') && is(s.at(from-2), cAlnum) {
		return
	}
	var d [16]byte
	var g [8]digitGroup
	n, groups, end := 0, 0, start
	for i := start; i < len(t); {
		c := t[i]
		if is(c, cDigit) {
			if n == len(d) {
				return
			}
			d[n] = c
			n++
			if groups == 0 {
				groups = 1
			}
			g[groups-1].n++
			i++
			end = i
			continue
		}
		k := i
		for k < len(t) && k-i < 3 && (t[k] == ' ' || t[k] == '-' || t[k] == '.' || t[k] == '/' || t[k] == '(' || t[k] == ')') {
			k++
		}
		if k == i || k >= len(t) || !is(t[k], cDigit) || groups == len(g) || t[k-1] == '(' && !s.closes(k) { // "(24h)"
			break
		}
		sep := t[i]
		if k-i > 1 {
			if k-i == 2 && t[i] == '.' && t[k-1] == ' ' { // end of a sentence
				break
			}
			sep = 2
		}
		if t[i] == ')' && k-i == 1 {
			sep = 2
		}
		if sep == 2 && !(k-i == 3 && t[i] == ' ' && t[k-1] == ' ' && (t[i+1] == '/' || t[i+1] == '-') || t[i] == ')' || t[k-1] == '(' || t[k-1] == ')' || t[i] == ' ' && t[i+1] == '-' || t[i] == '(') {
			break
		}
		g[groups].sep = sep
		groups++
		i = k
	}
	if n <= 4 && !plus && s.vanity(from, start) || n < 7 || n > 15 {
		return
	}
	if c := s.at(end); isWord(c) && c != 'x' && c != 'e' || c == '%' || c == '@' || c == ':' && is(s.at(end+1), cDigit) || (c == '-' || c == '/' || c == '.' || c == ',') && is(s.at(end+1), cAlnum) {
		return
	}
	if groups == 1 && !plus && !paren && s.idBefore(from) {
		return
	}
	// Extension: x123, ext. 123.
	bare := end
	i := end
	for i < len(t) && t[i] == ' ' && i-end < 2 {
		i++
	}
	for _, w := range []string{"extension ", "ext. ", "ext.", "ext ", "ext", "x ", "x"} {
		if len(t)-i > len(w) && string(t[i:i+len(w)]) == w && is(t[i+len(w)], cDigit) {
			k := i + len(w)
			for k < len(t) && is(t[k], cDigit) && k-i < 16 {
				k++
			}
			if !isWord(s.at(k)) {
				end = k
			}
			break
		}
	}
	digits, gs := d[:n], g[:groups]
	score, valid := 0.0, false
	switch {
	case plus && groups == 2 && gs[1].sep == '-' && (groupsAre(gs, 4, 5) || groupsAre(gs, 6, 7)) && digits[gs[0].n] <= '1':
		return // a latitude and a longitude (ISO 6709)
	case plus:
		score, valid = s.international(digits, gs)
	case groups > 1 && gs[0].n == 1 && digits[0] == '0' && digits[1] == '0', n > 8 && allZero(digits[n-7:]):
		return // a row of numbers
	case n > 9 && digits[0] == '0' && digits[1] == '0' && !paren:
		if score, valid = s.international(digits[2:], gs); score > 0 {
			score -= 0.15
		} else if near, _ := s.context(from, end); near.has(phoneIndex()) {
			score = 0.3
		}
	default:
		score, valid = s.national(digits, gs, paren, from, end, end > bare)
	}
	if score == 0 {
		return
	}
	near, far := s.context(from, end)
	if end > bare && score < 0.7 {
		score = min(0.7, score+0.2)
	}
	switch {
	case near.has(phoneIndex()):
		score = max(score, min(1, score+0.25))
	case far.has(phoneIndex()):
		score = min(1, score+0.15)
	case near.has(notPhoneIndex()) && !plus && len(gs) < 3:
		score -= 0.3
	}
	if near.has(notPhoneIndex()) && !near.has(phoneIndex()) && !plus && groups == 1 {
		return
	}
	if score >= 0.5 {
		s.phoneEnd = end
	}
	s.add(hit{typ: "PHONE_NUMBER", start: from, end: end, score: score, valid: valid && score >= 0.7})
}

// idBefore reports whether a key that ends in id stands right before a value: most numbers
// of payloads are such.
func (s *scan) idBefore(from int) bool {
	k := from
	for k > 0 && from-k < 4 && (s.text[k-1] == ' ' || s.text[k-1] == ':' || s.text[k-1] == '"') {
		k--
	}
	return from-k >= 2 && k >= 3 && s.text[k] == '"' && s.text[k-1] == 'd' && s.text[k-2]|0x20 == 'i' && !is(s.text[k-3], cLower)
}

// ownLine reports whether the span is all of its line.
func (s *scan) ownLine(start, end int) bool {
	return (start == 0 || s.text[start-1] == '\n') && (end == len(s.text) || s.text[end] == '\n' || s.text[end] == '\r')
}

// besideMail reports whether an e-mail address stands next to the span, as in a list of
// what is known of a person.
func (s *scan) besideMail(start, end int) bool {
	i := sort.Search(s.mails, func(i int) bool { return s.hits[i].end >= start-4 })
	for ; i < s.mails && i >= 0 && s.hits[i].start <= end+4; i++ {
		if s.hits[i].typ == "EMAIL_ADDRESS" && (s.hits[i].start >= end || s.hits[i].end <= start) {
			return true
		}
	}
	return false
}

func allZero(d []byte) bool { return d[0] == '0' && same(d) }

// apart reports whether the span is all of its line and the lines around are no numbers.
func (s *scan) apart(start, end int) bool {
	if !s.ownLine(start, end) || s.alone(start, end) { // alone it can be anything
		return false
	}
	k := start - 1
	for k > 0 && is(s.text[k-1], cSpace) {
		k--
	}
	for end < len(s.text) && is(s.text[end], cSpace) {
		end++
	}
	return !is(s.at(k-1), cDigit) && !is(s.at(end), cDigit)
}

// initial reports whether a letter for a kind of telephone stands before: "T: ", "M. ".
func (s *scan) initial(start int) bool {
	k := start
	for k > 0 && start-k < 2 && s.text[k-1] == ' ' {
		k--
	}
	for _, sign := range []string{"\u260e", "\u2706", "\U0001f4de", "\U0001f4f1", "\u260f"} {
		if strings.HasSuffix(string(s.text[max(0, k-4):k]), sign) {
			return true
		}
	}
	if c := s.at(k - 1); c != ':' && c != '.' || is(s.at(k-3), cAlnum|cHigh) {
		return false
	}
	switch s.at(k - 2) {
	case 'T', 'M', 'P', 'F', 'C', 'D', 'O', 'W', 'H', 't', 'm', 'p', 'f':
		return true
	}
	return false
}

// closes reports whether a bracket closes behind the digits at i.
func (s *scan) closes(i int) bool {
	for i < len(s.text) && is(s.text[i], cDigit) {
		i++
	}
	return s.at(i) == ')'
}

var phoneIndex = sync.OnceValue(func() int { return recogniserIndex(&phoneContext) })
var notPhoneIndex = sync.OnceValue(func() int { return recogniserIndex(&notPhone) })

func recogniserIndex(r *recogniser) int {
	for i, x := range allRecognisers {
		if x == r {
			return i
		}
	}
	panic("classify: recogniser not listed")
}

func (s *scan) international(d []byte, g []digitGroup) (float64, bool) {
	if len(d) < 8 || d[0] == '0' {
		return 0, false
	}
	if s.lookups > maxLookups {
		return 0.6, false
	}
	if parsed, ok := s.lookup("+"+string(d), ""); ok {
		if phonenumbers.IsValidNumber(parsed) {
			return 0.95, true
		}
		if phonenumbers.IsPossibleNumber(parsed) {
			return 0.6, false
		}
		if len(g) > 1 && len(d) >= 10 {
			return 0.55, false
		}
	}
	return 0, false
}

// maxLookups bounds the library's work on one text. What comes behind is judged by form
// and context alone, and rather taken than left.
const maxLookups = 4096

func (s *scan) lookup(number, region string) (*phonenumbers.PhoneNumber, bool) {
	s.lookups++
	n, err := phonenumbers.Parse(number, region)
	return n, err == nil
}

func (s *scan) validIn(d []byte, regions ...string) bool {
	if s.lookups > maxLookups {
		return true
	}
	for _, r := range regions {
		if n, ok := s.lookup(string(d), r); ok && phonenumbers.IsValidNumberForRegion(n, r) {
			return true
		}
	}
	return false
}

// groupsAre reports whether the group lengths are exactly these.
func groupsAre(g []digitGroup, n ...int) bool {
	if len(g) != len(n) {
		return false
	}
	for i := range g {
		if g[i].n != n[i] {
			return false
		}
	}
	return true
}

func nanp(d []byte) bool {
	if len(d) == 11 && d[0] == '1' {
		d = d[1:]
	}
	return len(d) == 10 && d[0] >= '2' && d[3] >= '2' && !(d[1] == '9' && d[2] == '9') && !(d[4] == '1' && d[5] == '1') && !same(d)
}

// national scores a number without a country code.
// extended: an extension stands behind it.
func (s *scan) national(d []byte, g []digitGroup, paren bool, from, end int, extended bool) (float64, bool) {
	n := len(d)
	if same(d) || n >= 9 && strings.Contains("01234567890123456789", string(d)) || dateLike(d, g) || len(g) == 1 && d[0] == '1' && (n == 10 || n == 13) { // or seconds since 1970
		return 0, false
	}
	has := func() bool {
		near, far := s.context(from, end)
		return extended || near.has(phoneIndex()) || far.has(phoneIndex()) || s.initial(from) || n >= 9 && len(g) > 1 && s.apart(from, end) || s.besideMail(from, end)
	}
	if groupsAre(g, 3, 2, 4) || s.at(from-1) == ' ' && is(s.at(from-2), cDigit) && !has() {
		return 0, false
	}
	last := g[len(g)-1].sep
	// North America: 3-3-4, perhaps behind a 1.
	if d[0] != '0' && n == 10 && (groupsAre(g, 3, 3, 4) || paren && groupsAre(g, 3, 7)) || n == 11 && d[0] == '1' && groupsAre(g, 1, 3, 3, 4) {
		if near, _ := s.context(from, end); last == '.' && near.has(versionIndex()) {
			return 0.3, false
		}
		switch {
		case paren || g[1].sep == 2 || len(g) > 3 && g[2].sep == 2:
			if nanp(d) {
				return 0.85, true
			}
			return 0.65, false
		case nanp(d) && (last == '-' || last == '.'):
			return 0.75, true
		case nanp(d):
			return 0.5, true
		case last == '-':
			return 0.55, false
		case last == '.':
			return 0.5, false
		}
		if has() {
			return 0.4, false
		}
		return 0, false
	}
	if n == 13 && string(d[:3]) == "001" && len(g) >= 4 {
		return 0.6, false
	}
	if len(g) == 1 { // digits without a break: only where something says telephone
		if !has() {
			if d[0] == '0' && n >= 10 && n <= 11 && (s.alone(from, end) || s.ownLine(from, end)) && s.validIn(d, "GB", "DE", "FR", "IT", "PH", "TR", "JP", "AU", "ZA", "IN") {
				return 0.5, true
			}
			// A line of its own in a signature: nothing says telephone, and little else does.
			if near, far := s.context(from, end); from > 0 && s.apart(from, end) && !near.has(notPhoneIndex()) && !far.has(notPhoneIndex()) && (n == 10 && nanp(d) || n == 11 && d[0] == '1' && s.validIn(d, "CN", "US")) {
				return 0.5, true
			}
			return 0, false
		}
		if near, _ := s.context(from, end); !near.has(phoneIndex()) && !extended && d[0] != '0' && !nanp(d) && !s.besideMail(from, end) {
			return 0, false // an id some words away from a telephone
		}
		switch {
		case n == 10 && nanp(d):
			return 0.6, true
		case d[0] == '0' && n >= 9 && n <= 12:
			return 0.5, false
		case n >= 9 && n <= 11 && s.validIn(d, "IN", "CN", "ES", "PL", "PT", "BR", "FR", "DE", "GB", "IT", "NL", "SE", "NO", "DK", "MX", "SG", "PH", "TR"):
			return 0.5, true
		case n >= 8 && n <= 13:
			return 0.3, false
		}
		return 0, false
	}
	for k, x := range g[1:] { // what divides the groups is the same all along, but for the first: 0475/12.34.56
		if k > 1 && x.sep != g[2].sep && x.sep != 2 && g[2].sep != 2 && x.sep != '-' && x.sep != ' ' {
			return 0, false
		}
	}
	short := 0
	for _, x := range g {
		if x.n == 1 {
			short++
		}
	}
	told := has()
	switch {
	case n == 11 && d[0] == '8' && len(g) >= 4 && (paren || g[0].n == 1 && (g[1].sep == 2 || g[1].sep == g[2].sep)) && s.validIn(d, "RU", "KZ"):
		return 0.7, true
	case d[0] == '0' && g[0].n == 1 && n >= 9 && n <= 11 && len(g) > 2 && s.validIn(d, "TR", "GB", "IT", "FR", "NL", "DE"):
		return 0.65, true
	case d[0] == '0' && n >= 9 && n <= 13 && g[0].n >= 2 && g[0].n <= 6 && short <= 1:
		// A trunk prefix: most of Europe, Asia, Africa, Oceania.
		if groupsAre(g, 2, 2, 2, 2, 2) && s.validIn(d, "FR") {
			return 0.8, true
		}
		switch {
		case short > 0 && !told:
			return 0, false
		case s.validIn(d, "DE", "GB", "AT", "AU", "JP", "IT", "NL", "KR", "FR", "CH", "BE", "SE", "ZA", "TR", "IN", "NZ", "IE", "CN", "TW", "MY", "TH", "PH", "ID", "IL", "FI", "AE", "SA", "EG", "NG", "KE", "VN", "UA", "RO", "PK", "BD", "HU", "AR"):
			switch {
			case n == 9 && len(g) == 2 && !paren && !told:
				return 0.45, true
			case paren || len(g) > 2:
				return 0.75, true
			case g[0].n >= 3:
				return 0.65, true
			}
			return 0.5, true
		case told:
			return 0.5, false
		case n > 12:
			return 0, false
		case n > 9 && (len(g) >= 3 || paren):
			return 0.45, false
		}
		return 0.3, false
	case paren && n >= 8 && n <= 12 && g[0].n <= 6:
		return 0.6, false
	case n == 10 && (groupsAre(g, 5, 5) || groupsAre(g, 4, 6) || groupsAre(g, 3, 7)) && d[0] >= '6' && s.validIn(d, "IN"):
		return 0.55, true
	case n == 10 && d[0] == '3' && groupsAre(g, 3, 7) && s.validIn(d, "IT"):
		return 0.6, true
	case n == 9 && (groupsAre(g, 3, 2, 2, 2) || groupsAre(g, 2, 3, 2, 2)) && d[0] >= '1' && s.validIn(d, "ES", "PL", "PT", "CH"):
		return 0.55, true
	case n == 9 && groupsAre(g, 3, 3, 3) && d[0] >= '2':
		if told && s.validIn(d, "ES", "PL", "PT", "CZ") {
			return 0.5, true
		}
		return 0.3, false
	case n == 9 && groupsAre(g, 1, 4, 4) && s.validIn(d, "CL"):
		return 0.5, true
	case n == 11 && groupsAre(g, 3, 4, 4) && d[0] == '1' && s.validIn(d, "CN"):
		return 0.7, true
	case n == 11 && groupsAre(g, 2, 5, 4) && s.validIn(d, "BR"):
		return 0.7, true
	case n == 10 && groupsAre(g, 2, 4, 4) && s.validIn(d, "MX", "BR"):
		if told {
			return 0.5, true
		}
		return 0.45, true
	case n == 10 && groupsAre(g, 2, 4, 4), n == 8 && groupsAre(g, 4, 4), n == 8 && groupsAre(g, 2, 2, 2, 2), n == 8 && groupsAre(g, 3, 2, 3), n == 7 && groupsAre(g, 3, 4), n == 7 && groupsAre(g, 3, 2, 2):
		if told {
			return 0.45, false
		}
		return 0, false
	case n >= 8 && n <= 12 && short <= 2 && d[0]|d[1] != '0' && told:
		if near, _ := s.context(from, end); near.has(phoneIndex()) || extended || s.initial(from) {
			return 0.35, false
		}
	}
	return 0, false
}

// vanity takes a number whose end is a word: 1-800-FLOWERS.
func (s *scan) vanity(from, start int) bool {
	t := s.text
	i := start
	if s.at(i) == '1' && (s.at(i+1) == '-' || s.at(i+1) == ' ' || s.at(i+1) == '.') {
		i += 2
	}
	if s.at(i) == '(' {
		i++
	}
	if s.at(i) != '8' && s.at(i) != '9' || s.at(i+1) != s.at(i+2) || !is(s.at(i+1), cDigit) || i+4 > len(t) {
		return false
	}
	i += 3
	gap := i
	for i-gap < 2 && (s.at(i) == '-' || s.at(i) == ' ' || s.at(i) == '.' || s.at(i) == ')') {
		i++
	}
	letters, digits := 0, 0
	for k := i; k < len(t) && i > gap; k++ {
		switch c := t[k]; {
		case is(c, cUpper):
			letters++
		case is(c, cDigit):
			digits++
		case c == '-' && is(s.at(k+1), cUpper|cDigit):
			continue
		default:
			if letters >= 3 && letters+digits >= 7 && letters+digits <= 10 && !isWord(c) {
				s.vanityHit(from, k)
				return true
			}
			return false
		}
	}
	if letters >= 3 && letters+digits >= 7 && letters+digits <= 10 {
		s.vanityHit(from, len(t))
		return true
	}
	return false
}

func (s *scan) vanityHit(from, end int) {
	s.phoneEnd = end
	s.add(hit{typ: "PHONE_NUMBER", start: from, end: end, score: 0.75})
}

// dateLike reports whether the groups are a date or the beginning of a timestamp.
func dateLike(d []byte, g []digitGroup) bool {
	if len(g) < 2 {
		return n14(d)
	}
	year := func(i int) bool {
		if i+4 > len(d) {
			return false
		}
		y := prefix(d[i:], 4)
		return y >= 1900 && y <= 2100
	}
	switch {
	case g[0].n == 4 && len(g) >= 3 && g[1].n <= 2 && g[2].n <= 2 && year(0):
		return true
	case len(g) >= 3 && g[0].n <= 2 && g[1].n <= 2 && g[2].n == 4 && year(g[0].n+g[1].n):
		return true
	case g[0].n == 8 && year(0) && dayMonth(num(d, 6, 2), num(d, 4, 2)):
		return true
	case len(g) == 2 && g[0].n == 4 && g[1].n == 4 && (year(0) && year(4) || g[1].sep == '-' && prefix(d, 4) < prefix(d[4:], 4) && d[0] == '1' && d[4] <= '2'):
		return true // a span of years
	}
	return false
}

// n14 reports whether digits are a compact timestamp (20260131…).
func n14(d []byte) bool {
	return len(d) >= 12 && (prefix(d, 2) == 19 || prefix(d, 2) == 20) && dayMonth(num(d, 6, 2), num(d, 4, 2))
}
