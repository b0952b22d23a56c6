package classify

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names in the address headers of mails. Who writes and who is written to stands there
// in a form that says so; subject and body call the same people by the same names.

var addressHeaders = wordSet("from to cc bcc sender reply-to return-path delivered-to resent-from resent-to resent-cc resent-sender x-original-from x-original-to")

// header reports whether a leaf is an address header of a mail.
func (l *leaf) header() bool { return l.free && addressHeaders[string(l.key)] }

// mailboxWords are words of display names and addresses that belong to no person.
var mailboxWords = wordSet(`abuse account accounts admin administration alert alerts app assistant automated billing board booking bookings bot bounce build calendar career careers
ci club committee communications contact crew customer dashboard data delivery desk dev developer developers digest do donotreply editor events feedback finance forum front
help helpdesk hello hr info inquiries invoice invoices jobs list lists mail mailer maintenance management marketing media member members monitoring news newsletter no noreply
notification notifications notify office operations ops order orders partner partners payment payments portal postmaster press product project promotions receipts reception
recruiting register registration relations reminder reply report reports reservation reservations root sales security server service services shipping shop staff status store
subscriptions support survey system team tech tickets undisclosed recipients update updates via webmaster welcome work
rechnung buchung kundenservice kundendienst verwaltung empfang redaktion vertrieb bestellung soporte ventas facturas atencion clientes equipo servicio equipe commandes
accueil assistenza servizio fatture prenotazioni klantenservice verkoop obsluga biuro suporte atendimento vendas destek`)

// headerPersons gives the names of persons in an address header: the names beside the
// addresses, and addresses that are made of a name where no name stands beside them.
func headerPersons(value []byte) [][]byte {
	var out [][]byte
	for _, box := range mailboxes(value) {
		name, address := splitMailbox(box)
		local, _, _ := strings.Cut(address, "@")
		p := personOf(name, local)
		if p == "" && name == "" {
			p = personOfLocal(local)
		}
		if p != "" && len(out) < 256 {
			out = append(out, []byte(p))
		}
	}
	return out
}

// mailboxes cuts a list of addresses. A comma inside quotes, brackets or parentheses
// does not cut, nor does one before the address ("Ruiz, Ana <ana@…>").
func mailboxes(value []byte) []string {
	var out []string
	at, quoted, depth := 0, false, 0
	put := func(to int) {
		if s := strings.TrimSpace(string(value[at:to])); s != "" {
			out = append(out, s)
		}
		at = to + 1
	}
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '<' || c == '(':
			depth++
		case c == '>' || c == ')':
			depth = max(0, depth-1)
		case depth == 0 && (c == ';' || c == ',' && bytes.IndexByte(value[at:i], '@') >= 0):
			put(i)
		case depth == 0 && c == ':' && bytes.IndexByte(value[at:i], '@') < 0: // a group's name
			at = i + 1
		}
	}
	if at < len(value) {
		put(len(value))
	}
	return out
}

func splitMailbox(box string) (name, address string) {
	if i := strings.LastIndexByte(box, '<'); i >= 0 {
		address, _, _ = strings.Cut(box[i+1:], ">")
		return strings.Trim(strings.ReplaceAll(box[:i], `\"`, `"`), " \t\r\n\"'"), address
	}
	if i := strings.IndexByte(box, '('); i > 0 && strings.IndexByte(box[:i], '@') > 0 {
		name, _, _ = strings.Cut(box[i+1:], ")")
		return strings.Trim(name, " \""), strings.TrimSpace(box[:i])
	}
	return "", strings.Trim(box, " \t\r\n\"'")
}

// personOf gives the person that a display name names, or nothing: most senders of mail
// are no persons.
func personOf(name, local string) string {
	for _, cut := range []string{" via ", " (", " | ", " - ", " / ", " at ", " @ ", " from ", " – ", " [", ", via "} {
		name, _, _ = strings.Cut(name, cut)
	}
	name = strings.Join(strings.Fields(strings.Trim(name, " \"'")), " ")
	if last, first, ok := strings.Cut(name, ","); ok {
		name = strings.TrimSpace(first) + " " + strings.TrimSpace(last)
	}
	words := strings.Fields(name)
	if len(words) == 0 || len(words) > 5 || strings.ContainsAny(name, "@:0123456789") {
		return ""
	}
	for _, w := range words {
		w = strings.ToLower(strings.Trim(w, ".,"))
		if mailboxWords[w] || orgTail[w] {
			return ""
		}
	}
	if r, _ := utf8.DecodeRuneInString(name); unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
		if n := utf8.RuneCountInString(name); n >= 2 && n <= 8 {
			return name
		}
		return ""
	}
	f, ok := shapeOfName([]byte(name))
	evidence := f.evidence
	first, _ := utf8.DecodeRuneInString(name)
	switch {
	case !ok, f.word:
		return ""
	case len(words) == 1:
		if evidence >= 1.1 {
			return name
		}
	case evidence >= 1.2, evidence >= 0.7 && (first >= 0x370 || carries(local, words)):
		return name
	}
	return ""
}

// carries reports whether the local part of an address is made of the first and the
// last of some words: ana.ruiz, aruiz, ruiz.a.
func carries(local string, words []string) bool {
	flat := func(s string) string { return string(compactKey([]byte(s))) }
	l, a, z := strings.TrimRight(flat(local), "0123456789"), flat(words[0]), flat(words[len(words)-1])
	if len(a) < 2 || len(z) < 2 {
		return false
	}
	return slices.Contains([]string{a + z, z + a, a[:1] + z, z + a[:1], a + z[:1]}, l)
}

// personOfLocal gives the name that a local part such as ana.ruiz is made of. Both parts
// must be known as names: payments.update has the same form.
func personOfLocal(local string) string {
	parts := strings.FieldsFunc(strings.ToLower(local), func(r rune) bool { return r == '.' || r == '_' || r == '-' })
	if len(parts) == 3 && len(parts[1]) == 1 {
		parts = []string{parts[0], parts[2]}
	}
	if len(parts) != 2 {
		return ""
	}
	g := gazetteerOnce()
	first, last := strings.TrimRight(parts[0], "0123456789"), strings.TrimRight(parts[1], "0123456789")
	if len(first) < 2 || len(last) < 2 || mailboxWords[first] || mailboxWords[last] {
		return ""
	}
	evidence := func(a, b string) float64 {
		f, s := g.flags([]byte(a)), g.flags([]byte(b))
		if f == 0 || s == 0 || f&fieldWord != 0 && s&fieldWord != 0 {
			return 0
		}
		return forenameWeight(f) + surnameWeight(s)
	}
	if max(evidence(first, last), evidence(last, first)) < 2 {
		return ""
	}
	title := func(s string) string {
		r, n := utf8.DecodeRuneInString(s)
		return string(unicode.ToUpper(r)) + s[n:]
	}
	return title(first) + " " + title(last)
}
