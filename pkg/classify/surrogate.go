package classify

import (
	"bytes"
	"fmt"
	"strings"
)

// Format-keeping surrogates: where an agent works worse with {GUEST_EMAIL} than with an
// address, a source may ask for one that is nobody's. A surrogate is a stub that looks like
// a value. Its text follows from the stub's name and the scope's key, so that it is the same
// all through a run, is another one in every other run and deployment, and can be told from
// a value by whoever holds the key; it comes back to its value only as a stub does (SPEC
// RED-2, RED-4). Everything is taken from ranges that are kept for examples, and names are
// invented.

// surrogateMark stands in the names of stubs that are shown as surrogates, with the kind
// behind it: GUEST_PHONE_SURROGATE_GB, GUEST_PHONE_SURROGATE_GB_2.
const surrogateMark = "_SURROGATE_"

// surrogateKind says which surrogate can stand for a value; empty: none can.
func surrogateKind(typ string, value []byte) string {
	switch typ {
	case "EMAIL_ADDRESS":
		return "EMAIL"
	case "CREDIT_CARD":
		return "CARD"
	case "US_SSN":
		return "SSN"
	case "LOCATION":
		return "ADDRESS"
	case "IP_ADDRESS":
		if bytes.IndexByte(value, ':') >= 0 {
			return "IPV6"
		}
		return "IPV4"
	case "PERSON":
		if len(bytes.Fields(value)) == 1 {
			return "GIVEN"
		}
		return "PERSON"
	case "PHONE_NUMBER":
		switch country, _, _ := dialled(value); country {
		case "33":
			return "FR"
		case "44":
			return "GB"
		case "49":
			return "DE"
		}
		return "US"
	case "IBAN_CODE":
		if key := compactKey(value); len(key) > 4 {
			if country := strings.ToUpper(string(key[:2])); ibanLength[country] > 0 {
				return "IBAN" + country
			}
		}
	}
	return ""
}

// IsSurrogate reports whether a stub of that name is shown as a surrogate.
func IsSurrogate(stub string) bool { return strings.Contains(stub, surrogateMark) }

// Surrogate gives the text that stands for a stub in a context, where the stub is shown as
// a surrogate. key is the stub key of the scope.
func Surrogate(key []byte, stub string) (string, bool) {
	i := strings.LastIndex(stub, surrogateMark)
	if i < 0 || len(key) == 0 {
		return "", false
	}
	kind, _, _ := strings.Cut(stub[i+len(surrogateMark):], "_")
	r := drawn{keyed(key, []byte("surrogate"), []byte(stub)), 0}
	given, family := surrogateGiven[r.below(len(surrogateGiven))], surrogateFamily[r.below(len(surrogateFamily))]
	switch kind {
	case "GIVEN":
		return given, true
	case "PERSON":
		return given + " " + family, true
	case "EMAIL": // RFC 2606
		return fmt.Sprintf("%s.%s%d@example.%s", strings.ToLower(given), strings.ToLower(family), 10+r.below(9990), []string{"com", "net", "org"}[r.below(3)]), true
	case "US": // 555-0100 to 555-0199 are kept for fiction in every area
		return fmt.Sprintf("+1 %d%d%d 555 01%02d", 2+r.below(8), r.below(9), r.below(10), r.below(100)), true
	case "GB": // Ofcom: numbers for drama
		return fmt.Sprintf("+44 7700 900%03d", r.below(1000)), true
	case "FR": // ARCEP: numbers for works of fiction
		return fmt.Sprintf("+33 6 39 98 %02d %02d", r.below(100), r.below(100)), true
	case "DE": // Bundesnetzagentur: numbers for media
		return fmt.Sprintf("+49 30 23125 %03d", r.below(1000)), true
	case "CARD": // no issuer has 9999 99 (ISO/IEC 7812)
		b := []byte(fmt.Sprintf("999999%09d0", r.below(1e9)))
		for b[15] = '0'; !luhn(b); b[15]++ {
		}
		return string(b), true
	case "SSN": // area 000 is never given out
		return fmt.Sprintf("000-%02d-%04d", 1+r.below(99), 1+r.below(9999)), true
	case "IPV4": // RFC 5737
		return fmt.Sprintf("%s.%d", []string{"192.0.2", "198.51.100", "203.0.113"}[r.below(3)], 1+r.below(254)), true
	case "IPV6": // RFC 3849
		return fmt.Sprintf("2001:db8:%x:%x::%x", r.below(1<<16), r.below(1<<16), 1+r.below(1<<15)), true
	case "ADDRESS":
		return fmt.Sprintf("%d Surrogate Street, Sampleton", 1+r.below(99999)), true
	}
	if country, ok := strings.CutPrefix(kind, "IBAN"); ok && ibanLength[country] > 0 {
		// A bank code of naughts is no bank's.
		b := []byte(country + "00" + strings.Repeat("0", ibanLength[country]-4))
		for i := max(4, len(b)-7); i < len(b); i++ {
			b[i] = '0' + byte(r.below(10))
		}
		for n := 2; n < 99; n++ {
			if b[2], b[3] = '0'+byte(n/10), '0'+byte(n%10); mod97(b) {
				return string(b), true
			}
		}
	}
	return "", false
}

// drawn gives numbers out of a keyed hash.
type drawn struct {
	hash []byte
	at   int
}

func (r *drawn) below(n int) int {
	v := uint64(0)
	for range 4 {
		v = v<<8 | uint64(r.hash[r.at])
		r.at = (r.at + 1) % len(r.hash)
	}
	return int(v % uint64(n))
}

// Invented names. None is in a list of names that this project knows of.
var (
	surrogateGiven = strings.Fields(`Arvelin Belmorin Corvane Dalvira Estoven Farlind Gelmora Hostren Ilvara Jormund Kelvessa Lorvian Melquor Norvella Ostriel Palvane
Quenrick Relvora Sorvane Talmeric Ulvena Vesmond Welvara Xandrel Yorvane Zelmira Ambrevin Brelvane Celvora Dorvell Elmarind Felvane`)
	surrogateFamily = strings.Fields(`Quosto Brandelove Carvistel Dorvanter Elverstam Farrowick Gildervane Holmquere Istervald Jallowmere Kestrelane Lorvenholt Marquestel Nethervane
Ostervick Pellanquist Quillmere Ravenstolk Silvermoor Tarrowmond Underquist Valderstrom Wexlorane Yarrowfelt Zandervick Ashmerow Birkvessel Cranstelow Dunvarrick Emberquist Fennowald Glimmerholt`)
)
