package classify

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// PERSON in typed fields of payloads that nobody declared: "firstName": "…". The key
// alone decides nothing: most "name" fields of webhooks are names of things. Key, what
// stands around it, and the shape of the value have to agree.

var fieldTriggers = []ownSecret{{"field", []string{
	`name"`, `name\"`, `author"`, `assignee"`, `reporter"`, `recipient"`, `beneficiary"`, `attendee"`, `signatory"`, `passenger"`, `cardholder"`, `surname"`, `nombre"`,
	`prenom"`, `prénom"`, `apellido"`, `apellidos"`, `cognome"`, `nome"`, `voornaam"`, `achternaam"`, `nom"`, `patient"`, `guest"`, `employee"`, `manager"`, `physician"`, `doctor"`, `customer"`, `contact"`, `sender"`, `lead"`, `owner"`, `approver"`, `requester"`, `requestor"`, `createdBy"`, `created_by"`, `updatedBy"`, `updated_by"`, `supervisor"`, `host"`, `agent"`, `driver"`,
}, (*scan).personField, nil}}

// keys that name a person, without separators and in lower case
var personFields = wordSet(`firstname lastname fullname givenname familyname surname forename middlename contactname customername guestname patientname cardholdername cardholder
author authorname assignee assigneename reporter reportername recipient recipientname beneficiary beneficiaryname attendee attendeename signatory signatoryname
passenger passengername vorname nachname prenom prénom nom nombre apellido apellidos cognome nome voornaam achternaam employeename membername username ownername
managername manager doctorname doctor physician physicianname tenantname spousename emergencycontactname legalname maidenname realname accountholdername accountholder
holdername billingname shippingname sendername sender studentname teachername applicantname candidatename clientname buyername sellername drivername invitee inviteename
displayname preferredname nickname patient guest customer employee contact accountname nameoncard agentname bookername travelername travellername leadguestname
insuredname claimantname payeename payername payorname parentname guardianname childname representativename vendorcontactname speakername lead owner approver requester requestor createdby updatedby supervisor host agent driver lname fname mname`)

// keys of those that name other things as often: the value has to look like a name
var looseFields = wordSet("username displayname nickname accountname sender customer contact nome nombre nom author recipient manager lead owner host agent driver createdby updatedby")

// parents under which a bare "name" is a person's
var personParents = [][]byte{
	[]byte("customer"), []byte("guest"), []byte("patient"), []byte("contact"), []byte("employee"), []byte("person"), []byte("author"), []byte("committer"), []byte("owner"),
	[]byte("applicant"), []byte("candidate"), []byte("passenger"), []byte("attendee"), []byte("billing_details"), []byte("shipping"), []byte("cardholder"), []byte("member"),
	[]byte("student"), []byte("user"), []byte("client"), []byte("buyer"), []byte("recipient"), []byte("traveler"), []byte("traveller"), []byte("booker"), []byte("requester"), []byte("assignee"),
	[]byte("people"), []byte("pusher"), []byte("lead"), []byte("subscriber"), []byte("tenant"), []byte("driver"), []byte("payer"), []byte("from"), []byte("to"),
}

func (s *scan) personField(start, end int) {
	if s.noNames {
		return
	}
	t := s.text
	quote := end - 1
	esc := t[quote-1] == '\\'
	keyEnd := quote
	if esc {
		keyEnd--
	}
	k := keyEnd
	for k > 0 && keyEnd-k < 40 && (isWord(t[k-1]) || t[k-1] == '-' || t[k-1] == ' ' || is(t[k-1], cHigh)) {
		k--
	}
	if s.at(k-1) != '"' {
		return
	}
	i := end
	for i < len(t) && i-end < 6 && (t[i] == ' ' || t[i] == ':' || t[i] == '\\' || t[i] == '\t') {
		i++
	}
	if s.at(i) != '"' || bytes.IndexByte(t[end:i], ':') < 0 {
		return
	}
	v := i + 1
	stop := bytes.IndexByte(t[v:min(len(t), v+80)], '"')
	if stop < 0 {
		return
	}
	stop += v
	if esc && stop > v && t[stop-1] == '\\' {
		stop--
	}
	var key []byte
	for _, c := range bytes.ToLower(t[k:keyEnd]) {
		if c != '_' && c != '-' && c != ' ' {
			key = append(key, c)
		}
	}
	evidence, shaped := s.nameShape(t[v:stop])
	if !shaped {
		return
	}
	score := 0.0
	switch {
	case string(key) == "name":
		if evidence < 0.8 || s.thingAround(k) {
			return
		}
		if s.personAround(k) {
			score = 0.9
		} else if evidence >= 2 {
			score = 0.7
		}
	case looseFields[string(key)]:
		if evidence >= 0.8 {
			score = 0.85
		}
	case personFields[string(key)]:
		score = 0.95
	}
	if score > 0 {
		s.add(hit{typ: "PERSON", start: v, end: stop, score: score})
	}
}

// personAround reports whether the object that holds a bare name is a person: its key
// says so, or an e-mail address or a birthday stands beside the name.
func (s *scan) personAround(at int) bool {
	before := s.text[max(0, at-160):at]
	if i := bytes.LastIndexByte(before, '{'); i >= 0 {
		head := bytes.ToLower(before[:i])
		if len(head) > 40 {
			head = head[len(head)-40:]
		}
		for _, p := range personParents {
			if j := bytes.LastIndex(head, p); j >= 0 && bytes.IndexByte(head[j:], ',') < 0 && bytes.IndexByte(head[j:], '}') < 0 {
				return true
			}
		}
		before = before[i:]
	}
	after := s.text[at:min(len(s.text), at+160)]
	if i := bytes.IndexByte(after, '}'); i >= 0 {
		after = after[:i]
	}
	for _, w := range []string{`"email`, `"phone`, `"dob`, `"birth`, `"gender`, `"ssn`, `"title": "M`} {
		if bytes.Contains(before, []byte(w)) || bytes.Contains(after, []byte(w)) {
			return true
		}
	}
	return false
}

// thingAround reports whether the object that holds a bare name is a thing:
// "product": {"name": …}.
func (s *scan) thingAround(at int) bool {
	before := s.text[max(0, at-120):at]
	i := bytes.LastIndexByte(before, '{')
	if i < 0 {
		return false
	}
	head := bytes.TrimRight(before[:i], " \t\r\n:\\\"[")
	k := len(head)
	for k > 0 && isWord(head[k-1]) {
		k--
	}
	return thingKeys[string(bytes.ToLower(head[k:]))]
}

// nameShape says whether a value can be a person's name, and how much the gazetteer
// speaks for it.
func (s *scan) nameShape(v []byte) (evidence float64, ok bool) {
	if len(v) < 2 || len(v) > 60 {
		return 0, false
	}
	words, g := 0, gazetteerOnce()
	var low [64]byte
	for _, w := range bytes.Fields(v) {
		w = bytes.Trim(w, ".,()'")
		if len(w) == 0 {
			continue
		}
		r, _ := utf8.DecodeRune(w)
		if !unicode.IsLetter(r) {
			return 0, false
		}
		for _, c := range w {
			if !is(c, cAlpha|cHigh) && c != '\'' && c != '-' && c != '.' {
				return 0, false
			}
		}
		if len(w) > 32 {
			return 0, false
		}
		l := lowerInto(low[:0], w)
		if particles[string(l)] || titles[string(l)] {
			continue
		}
		if !unicode.IsUpper(r) && r < 0x250 && len(bytes.Fields(v)) == 1 {
			return 0, false // a handle or a slug
		}
		if stopCaps[string(l)] && words == 0 && forenameWeight(g.flags(l)) < 1 && len(bytes.Fields(v)) > 1 || orgTail[string(l)] && words > 0 {
			return 0, false
		}
		f := g.flags(l)
		if words == 0 {
			evidence += forenameWeight(f)
		} else {
			evidence += surnameWeight(f)
		}
		words++
	}
	if words == 0 || words > 5 {
		return 0, false
	}
	if words == 1 {
		f := g.flags(lowerInto(low[:0], bytes.Fields(v)[0]))
		evidence = max(forenameWeight(f), surnameWeight(f)) * 0.8
	}
	return evidence, true
}
