package classify

import (
	"bytes"
	"net/netip"
	"strings"
	"sync"
)

// IP_ADDRESS and MAC_ADDRESS.

// versionContext are words before four numbers that are a version.
var versionContext = recogniser{entity: "", words: "version,ver,release,build,firmware,v,rev,revision,section,chapter,oid,figure,table,item,rule,annex,appendix,paragraph,para,assemblyversion,fileversion,productversion,clause,article"}

var versionIndex = sync.OnceValue(func() int { return recogniserIndex(&versionContext) })

// address4 takes dotted-quad IPv4.
func (s *scan) address4(start int) {
	t := s.text
	if p := s.at(start - 1); isWord(p) || p == '.' && is(s.at(start-2), cAlnum) || p == '-' && is(s.at(start-2), cAlnum) {
		return
	}
	i := start
	zeroLed := false
	for part := range 4 {
		from, v := i, 0
		for i < len(t) && is(t[i], cDigit) && i-from < 4 {
			v = v*10 + int(t[i]-'0')
			i++
		}
		if i == from || i-from > 3 || v > 255 {
			return
		}
		zeroLed = zeroLed || i-from > 1 && t[from] == '0'
		if part < 3 {
			if s.at(i) != '.' {
				return
			}
			i++
		}
	}
	if c := s.at(i); isWord(c) || c == '.' && is(s.at(i+1), cDigit) || c == '-' && is(s.at(i+1), cAlpha) || zeroLed {
		return
	}
	patched := s.at(i) == '-' && is(s.at(i+1), cDigit) && !is(s.at(i+2), cDigit) && s.at(i+2) != '.' // 1.2.5.1-2
	i = s.prefixLength(i, 32)
	score := 0.95
	if patched && s.at(start+1) == '.' {
		score = 0.4
	}
	if near, _ := s.context(start, i); near.has(versionIndex()) || s.at(start-1) == '/' && is(s.at(start-2), cAlpha) { // Name/1.2.3.4
		score = 0.3
	}
	if bytes.HasPrefix(t[start:i], []byte("0.")) && i-start < 9 && string(t[start:i]) != "0.0.0.0" {
		score = 0.4
	}
	s.add(hit{typ: "IP_ADDRESS", start: start, end: i, score: score})
}

// address6 takes an IPv6 address around a token with a digit that a colon touches: every
// address that is worth a look holds one.
func (s *scan) address6(start int) {
	t := s.text
	if start < s.addressSixEnd {
		return
	}
	for start > s.addressSixEnd && (isHex(t[start-1]) || t[start-1] == ':') {
		start--
	}
	colons, end := 0, start
	for ; end < len(t) && end-start <= 45 && (isHex(t[end]) || t[end] == ':' || t[end] == '.' && colons > 0); end++ {
		if t[end] == ':' {
			colons++
		}
	}
	s.addressSixEnd = end
	if colons < 6 && !bytes.Contains(t[start:end], []byte("::")) { // a time of day
		return
	}
	if t[start] == ':' && s.at(start+1) != ':' { // key:2001:db8::1
		start++
	}
	if isWord(s.at(start-1)) || s.at(start-1) == '.' && is(s.at(start-2), cAlnum) {
		return
	}
	for end > start && (t[end-1] == '.' || t[end-1] == ':' && (end-2 < start || t[end-2] != ':')) {
		end--
	}
	if isWord(s.at(end)) {
		return
	}
	b := t[start:end]
	addr, err := netip.ParseAddr(string(b))
	if err != nil || addr.Is4() {
		return
	}
	groups, digit := 0, false
	for _, p := range bytes.FieldsFunc(b, func(r rune) bool { return r == ':' }) {
		groups++
		digit = digit || bytes.ContainsAny(p, "0123456789")
	}
	// In source code x::y is a name: two groups are an address only with digits and
	// not behind a letter, and :: alone is none.
	if !digit || groups < 2 && string(b) != "::1" && !(len(b) >= 5) || groups == 2 && len(b) < 8 && !bytes.HasPrefix(b, []byte("fe80")) && !bytes.HasPrefix(b, []byte("2")) && !bytes.HasPrefix(b, []byte("f")) && !bytes.HasPrefix(b, []byte("::")) {
		return
	}
	if s.at(end) == '%' { // zone
		k := end + 1
		for k < len(t) && is(t[k], cAlnum) && k-end < 16 {
			k++
		}
		if k > end+1 {
			end = k
		}
	}
	end = s.prefixLength(end, 128)
	s.add(hit{typ: "IP_ADDRESS", start: start, end: end, score: 0.95})
}

// prefixLength takes the /24 behind an address into the span.
func (s *scan) prefixLength(end, most int) int {
	if s.at(end) != '/' {
		return end
	}
	i, v := end+1, 0
	for i < len(s.text) && is(s.text[i], cDigit) && i-end < 5 {
		v = v*10 + int(s.text[i]-'0')
		i++
	}
	if i == end+1 || v > most || isWord(s.at(i)) || s.at(i) == '.' {
		return end
	}
	return i
}

func isHex(c byte) bool {
	return is(c, cDigit) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// macs finds hardware addresses that begin with two letters, and those of three groups
// that hold no digit; digits find the others.
var macs = func() []ownSecret {
	var letters, seps, hex byteSet
	var words, dotted []string
	for c := byte('a'); c <= 'f'; c++ {
		letters.add(c)
		hex.add(c)
		hex.add(c - 'a' + 'A')
		for d := byte('a'); d <= 'f'; d++ {
			words = append(words, string([]byte{c, d}))
			for e := byte('a'); e <= 'f'; e++ {
				dotted = append(dotted, string([]byte{c, d, '.', e}))
			}
		}
	}
	for c := byte('0'); c <= '9'; c++ {
		hex.add(c)
	}
	seps.add(':')
	seps.add('-')
	return []ownSecret{
		{"mac", words, func(s *scan, start, end int) { s.mac(start) }, []byteSet{letters, letters, seps, hex}},
		{"mac", dotted, func(s *scan, start, end int) {
			if start >= 2 && !isHex(s.at(start-3)) {
				s.mac(start - 2)
			}
		}, nil},
	}
}()

// macContext are words around three groups of four that are an address: as letters alone
// or as digits alone they are other things as often.
var macContext = recogniser{words: "mac,macs,mac address,ether,ethernet,hardware,hwaddr,hw,arp,bssid,interface,nic,port,vlan,switch,physical address,dhcp,lease,device,wlan,wifi"}

var macIndex = sync.OnceValue(func() int { return recogniserIndex(&macContext) })

// bareMAC takes twelve hexadecimal digits without a sign between them, behind a word for
// such an address.
func (s *scan) bareMAC(start, end int) {
	letter, digit := false, false
	for _, c := range s.text[start:end] {
		if !isHex(c) {
			return
		}
		letter, digit = letter || is(c, cAlpha), digit || is(c, cDigit)
	}
	if !letter || !digit || !s.startsAt(start) || !s.endsAt(end) {
		return
	}
	if near, _ := s.wordsIn(max(0, start-24), start, 0); near.has(macIndex()) {
		s.add(hit{typ: "MAC_ADDRESS", start: start, end: end, score: 0.8})
	}
}

// mac takes six pairs with one separator, or three groups of four.
func (s *scan) mac(start int) {
	t := s.text
	if p := s.at(start - 1); isWord(p) || (p == ':' || p == '-' || p == '.') && isHex(s.at(start-2)) {
		return
	}
	for _, form := range []struct {
		groups, n int
		seps      string
	}{{6, 2, ":-"}, {3, 4, "."}} {
		sep := s.at(start + form.n)
		end := start + form.groups*(form.n+1) - 1
		if end > len(t) || strings.IndexByte(form.seps, sep) < 0 || isWord(s.at(end)) || s.at(end) == sep && isHex(s.at(end+1)) {
			continue
		}
		ok, low, up, digit, differ := true, false, false, false, false
		for i := start; i < end && ok; i++ {
			if (i-start)%(form.n+1) == form.n {
				ok = t[i] == sep
				continue
			}
			ok = isHex(t[i])
			low, up, digit = low || is(t[i], cLower), up || is(t[i], cUpper), digit || is(t[i], cDigit)
			differ = differ || t[i]|0x20 != t[start]|0x20
		}
		if !ok || !differ || low && up && form.n == 4 {
			continue
		}
		if form.n == 4 && (!digit || !low && !up && t[start] != '0') {
			if near, _ := s.context(start, end); !near.has(macIndex()) {
				continue
			}
		}
		s.add(hit{typ: "MAC_ADDRESS", start: start, end: end, score: 0.95})
		return
	}
}
