package classify

import "strings"

// fieldWords are the words of which keys of payloads are made. A stub's name goes into
// tables, and to agents and reviewers, so it must not tell what it stands for: a key
// that is data itself ("diabetes", a person's name, a customer's number) would. Only
// words of this list become part of a name (SPEC PRV-2).
var fieldWords = wordSet(`
a about abstract access account accounts acct action active actor addr address addresses address1 address2 admin age agent alias alt altitude amount amt an and answer api app
applicant approver area arrival article asset assigned assignee at attachment attachments attendee attribute attributes author avatar balance bank base bcc beneficiary bic bill
billing bin bio birth birthdate birthday block body book booked booker booking branch box brand bucket budget building business buyer by call caller campaign candidate card cardholder
carrier cart case category cc cell center channel charge charged chat check checkin checkout child children city claim claimant class client close closed code collection color
comment comments commit committer company confirmation contact contacts content contract copy cost count country county coupon created creator credit currency current custom
customer data date day days dba deal deals dealer debit default delivered delivery departure department deposit desc description dest destination detail details device diagnosis dial digits
display district dob doc doctor document domain driver due duration edited ein email emails emergency employee employer end ended entity entry error event events exp expires
expiry ext extension external extra family fax fee field fields file filename files first fiscal flag flight floor for forename form format from full fullname fname gender given
group guardian guest guests header headers health height history holder home host hotel house html hub iban id ident identifier identity ids image in inbox index info inquiry
insurance insured intent internal invite invitee invoice ip is issue issued item items job key keys kind label labels landline lang language last lat latitude lead legal length
level license line line1 line2 lines link links list lname lng loan local locale location login logo lon long longitude lot mac mail maiden manager map member members memo merchant
message messages meta metadata method middle mname mobile mode model modified money month more mother mrn msg my name names national nationality net nick nickname node note notes npi
num number numbers object of office old on opened option order orders org organisation organization organizer origin other owner owners page paid param parameters parent part
party passenger passport patient pay payee payer payload payment payments people percent period permit person personal phone phones photo picture place plan platform player policy
port position postal postcode prefix prev price primary priority private product profile project property props provider public purchase qty quantity query question raw reason
receipt received recipient record ref reference refund region registration remark remarks reply report reporter repo repository request requested requester requestor reservation
response result return review role room root route routing row rows sale scheduled school score scope secondary secret section seller sender sent serial service session sex shipper
shipping short signature signatory site size sku slot social sort source speaker spouse ssn staff stage start started state status stay step street student sub subject subscriber
subscription subtotal suffix sum summary supervisor supplier surname swift system tag tags target tax taxes team tel telephone template tenant terms test text thread ticket tickets
time timestamp timezone title to token total town trace transaction transfer travel traveler traveller trip type uid unit unsubscribe updated uri url usage use user username users
uuid value values variant vat vehicle vendor verified version via view vip visit visitor voucher warehouse web website weight when where who width work year zip zipcode zone
adresse adressen anrede apellido apellidos betrag bezeichnung ciudad codigo cognome correo datum direccion documento fecha geburtsdatum geburtstag handy hausnummer indirizzo
land monto nachname name nom nombre nome nummer ort pais plz prenom provincia rue stadt strasse telefon telefono telefone vorname ville voornaam achternaam endereco cidade imie
nazwisko ulica miasto kwota`)

// identifierLike reports whether a key is made of field words only, so that a stub may
// be named after it.
func identifierLike(k string) bool {
	if len(k) == 0 || len(k) > 48 {
		return false
	}
	word := 0
	for i := 0; i <= len(k); i++ {
		if i < len(k) {
			switch c := k[i]; {
			case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
				continue
			case c >= 'A' && c <= 'Z': // a new word begins behind a small letter
				if i == word || k[i-1] < 'a' || k[i-1] > 'z' {
					continue
				}
			case c != '_' && c != '-':
				return false
			}
		}
		w := strings.TrimRight(strings.ToLower(k[word:i]), "0123456789")
		if w != "" && !fieldWords[w] && !fieldWords[strings.TrimSuffix(w, "s")] {
			return false
		}
		if word = i; i < len(k) && (k[i] == '_' || k[i] == '-') {
			word++
		}
	}
	return true
}
