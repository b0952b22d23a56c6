package classify

import "sync"

// CREDIT_CARD: Luhn and the issuers' ranges.

func (s *scan) card(start int) {
	if p := s.at(start - 1); is(p, cAlnum) && s.at(start-2) != '\\' || (p == '-' || p == '.') && is(s.at(start-2), cAlnum) {
		return
	}
	var d [20]byte
	n, sep := 0, byte(0)
	end, good, length := start, 0, 0 // good: where the longest valid number ends
	head, group := 0, 0              // digits of the first group, and up to the last separator
	ends := func() {
		if n >= 12 && !isWord(s.at(end)) && s.at(end) != '%' && luhn(d[:n]) {
			good, length = end, n
		}
	}
	for i := start; i < len(s.text) && n < len(d); i++ {
		c := s.text[i]
		if is(c, cDigit) {
			d[n] = c
			n++
			end = i + 1
			continue
		}
		if (c == ' ' || c == '-' || c == '.' && (n == 4 || sep == c)) && (sep == 0 || sep == c) && is(s.at(i+1), cDigit) && n > 0 {
			if ends(); sep == 0 {
				head = n
			} else if n == group+1 {
				break // no card has a group of one digit
			}
			group = n
			sep = c
			continue
		}
		break
	}
	if !(n == len(d) && is(s.at(end), cDigit)) {
		ends()
	}
	if good == 0 || same(d[:length]) {
		return
	}
	// A tenth of all numbers pass Luhn. Sixteen digits are the usual card; other lengths
	// without a break are ids as often, so there words have to agree.
	score := 0.95
	if length <= head {
		sep = 0 // what is divided from it is another number
	}
	if sep == 0 && length != 16 && !(length == 15 && d[0] == '3') && !(length == 14 && d[0] == '3') {
		score = 0.45
	}
	near, far := s.context(start, good)
	if sep != 0 && s.at(start-1) == sep && is(s.at(start-2), cDigit) && !near.has(cardIndex()) && !far.has(cardIndex()) {
		return // the tail of a longer number
	}
	if sep != 0 && head != 4 && !near.has(cardIndex()) { // cards are printed in fours, or as four, six and the rest
		return
	}
	if s.at(start-1) == '+' && !near.has(cardIndex()) { // a telephone number, or one with a digit too many
		return
	}
	if !issuer(d[:length]) { // ranges change: a word and Luhn are enough
		if near.has(cardIndex()) && !near.has(notPhoneIndex()) && (sep == 0 || head == 4) {
			s.add(hit{typ: "CREDIT_CARD", start: start, end: good, score: 0.7})
		} else if next, _ := s.wordsIn(max(0, start-16), start, 0); next.has(cardIndex()) && !next.has(notPhoneIndex()) {
			s.add(hit{typ: "CREDIT_CARD", start: start, end: good, score: 0.55})
		}
		return
	}
	if near.has(cardIndex()) || far.has(cardIndex()) {
		score = 1
	} else if sep == 0 && near.has(notPhoneIndex()) { // an order, a trace: a tenth of them pass
		score -= 0.5
	} else if score < 0.5 && s.alone(start, good) {
		score = 0.5
	}
	s.add(hit{typ: "CREDIT_CARD", start: start, end: good, score: score, valid: true})
}

var cardContext = recogniser{words: "charged,charge,paid,pay,payed,refund,refunded,billing,billed,purchase,card,cards,credit,debit,visa,mastercard,amex,maestro,discover,jcb,diners,cc,ccn,pan,payment,credit card,card number,cardnumber,kreditkarte,karte,kartennummer,carte,carte bancaire,tarjeta,carta,cartão,cartao,kaart,karta,kort,kredi,карта,卡号,信用卡,カード,카드,cvv,cvc,expiry,expires,expiration"}

var cardIndex = sync.OnceValue(func() int { return recogniserIndex(&cardContext) })

func luhn(d []byte) bool {
	sum, double := 0, false
	for i := len(d) - 1; i >= 0; i-- {
		v := int(d[i] - '0')
		if double {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
		double = !double
	}
	return len(d) > 0 && sum%10 == 0
}

func prefix(d []byte, n int) int {
	v := 0
	for i := 0; i < n && i < len(d); i++ {
		v = v*10 + int(d[i]-'0')
	}
	return v
}

// issuer reports whether a number of this length may begin like this (ISO/IEC 7812
// ranges as the card schemes publish them).
func issuer(d []byte) bool {
	n := len(d)
	if n < 12 || n > 19 {
		return false
	}
	p2, p3, p4 := prefix(d, 2), prefix(d, 3), prefix(d, 4)
	switch {
	case d[0] == '1' && p4 != 1800:
		return n == 15 // airlines' UATP
	case d[0] == '4':
		return n == 13 || n == 16 || n == 19
	case p2 >= 51 && p2 <= 55, p4 >= 2221 && p4 <= 2720:
		return n == 16
	case p2 == 34, p2 == 37:
		return n == 15
	case p2 == 35:
		return n >= 16
	case p4 == 1800, p4 == 2131:
		return n == 15
	case p3 >= 300 && p3 <= 305, p2 == 36, p2 == 38, p2 == 39, p4 == 3095:
		return n == 14 || n == 16 || n == 19
	case p4 == 6011, p2 == 65, p3 >= 644 && p3 <= 649, p2 == 62, p2 == 81, p4 == 2200, p4 == 2201, p4 == 2202, p4 == 2203, p4 == 2204, p2 == 60, p2 == 82:
		return n >= 16
	case p2 == 50, p2 >= 56 && p2 <= 59, p2 == 61, p2 == 63, p2 == 66, p2 == 67, p2 == 68, p2 == 69:
		return n >= 12
	}
	return false
}
