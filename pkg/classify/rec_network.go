package classify

import (
	"bytes"
	"net/netip"
	"strings"
	"sync"
)

// IP_ADDRESS and MAC_ADDRESS.

// versionContext are words before four numbers that are a version, a section or an object
// identifier.
var versionContext = recogniser{entity: "", words: "version,versions,ver,release,released,build,firmware,fw,hw,bios,v,rev,revision,section,sections,chapter,oid,mib,figure,table,item,rule,annex,appendix,paragraph,para,assemblyversion,fileversion,productversion,clause,article,upgrade,upgraded,update,updated,bump,downgrade,patch,sdk,fixed in,since,requires,deprecated,changelog,snmpwalk,tag,abschnitt,kapitel,anhang,absatz,ziffer,chapitre,capítulo,sección,versión,versione,versie,wersja,версия"}

var versionIndex = sync.OnceValue(func() int { return recogniserIndex(&versionContext) })

// hostContext are words around four numbers that are an address.
var hostContext = recogniser{entity: "", words: "ip,ips,ipv4,ip address,ipaddress,address,addresses,addr,remote addr,host,hosts,hostname,server,servers,client,clientip,src,dst,source ip,destination,gateway,subnet,netmask,mask,broadcast,brd,dns,nameserver,resolver,ping,traceroute,tracert,whois,listen,bind,peer,remote,proxy,vpn,firewall,allow,deny,blocked,block,ban,banned,route,via,inet,port,ssh,login,logged,connect,connected,connection,connections,network,router,interface,eth0,forwarded,forwarded for,real ip,upstream,dig,nslookup,netcat,nc,telnet,ftp,rsync,whitelist,blacklist,scanned,attack,attacker,request,requests,visitor,session from,a record,ptr,ntp,dhcp,lease,pool,endpoint,agent,machine,mysql,psql,smtp,mail from,received,tcp,udp,dirección,adresse,indirizzo,endereço,adres,адрес,地址,アドレス,equipo,serveur,servidor,rechner"}

var hostIndex = sync.OnceValue(func() int { return recogniserIndex(&hostContext) })

// address4 takes dotted-quad IPv4. Four small numbers are a version far more often than an
// address, so there the surroundings have to say that it is one; large ones are an address
// unless a word for a version stands right before.
func (s *scan) address4(start int) {
	t := s.text
	if p := s.at(start - 1); isWord(p) || p == '.' && is(s.at(start-2), cAlnum) || p == '-' && is(s.at(start-2), cAlnum) && !s.rangeEnd(start) {
		return
	}
	i := start
	zeroLed := false
	var parts [4]int
	for part := range 4 {
		from, v := i, 0
		for i < len(t) && is(t[i], cDigit) && i-from < 4 {
			v = v*10 + int(t[i]-'0')
			i++
		}
		if i == from || i-from > 3 || v > 255 {
			return
		}
		parts[part] = v
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
	bare := i
	patched := s.at(i) == '-' && is(s.at(i+1), cDigit) && !is(s.at(i+2), cDigit) && s.at(i+2) != '.' // 1.2.5.1-2
	i = s.prefixLength(i, 32)
	most := max(parts[0], parts[1], parts[2], parts[3])
	known := knownHosts[string(t[start:bare])]
	near, far := s.context(start, i)
	host := known || i > bare || s.hostForm(start, bare) || near.has(hostIndex()) || far.has(hostIndex()) && !near.has(versionIndex())
	version := near.has(versionIndex()) || s.versionForm(start, bare)
	host = host || !version && s.cameFrom(start)
	score := 0.95
	switch {
	case known:
	case s.joinedVersion(start), patched && parts[0] < 10, parts[0] == 0 && bare-start < 9:
		score = 0.3
	case most >= 100, parts[0] >= 100:
		if version && s.versionBefore(start) {
			score = 0.3
		}
	case most >= 32, parts[0] == 10:
		if version && !host || s.versionBefore(start) || parts[0] == 10 && most < 32 && version && !s.hostForm(start, bare) && !near.has(hostIndex()) {
			score = 0.3
		}
	case !host || s.versionForm(start, bare) || s.versionBefore(start):
		score = 0.3
	}
	s.add(hit{typ: "IP_ADDRESS", start: start, end: i, score: score})
}

// knownHosts are addresses of small numbers that everybody uses.
var knownHosts = map[string]bool{"0.0.0.0": true, "127.0.0.1": true, "1.1.1.1": true, "1.0.0.1": true, "8.8.8.8": true, "8.8.4.4": true, "9.9.9.9": true, "10.0.0.1": true}

// rangeEnd reports whether the address at start ends a range: 10.0.0.1-10.0.0.9.
func (s *scan) rangeEnd(start int) bool {
	k, dots := start-2, 0
	for ; k >= 0 && start-k < 18 && (is(s.text[k], cDigit) || s.text[k] == '.'); k-- {
		if s.text[k] == '.' {
			dots++
		}
	}
	return dots == 3 && !isWord(s.at(k))
}

// hostForm reports whether signs around four numbers say that they are an address: a port
// behind it, a scheme, a user or a bracket before it, a log's line that begins with it.
func (s *scan) hostForm(start, end int) bool {
	t := s.text
	if s.at(end) == ':' && is(s.at(end+1), cDigit) && is(s.at(end+2), cDigit) {
		return true
	}
	switch s.at(start - 1) {
	case '@':
		return !is(s.at(start-2), cAlnum) // name@1.2.3.4 is a package
	case '/':
		return s.at(start-2) == '/'
	case '[':
		return s.at(end) == ']'
	}
	rest := t[end:min(len(t), end+8)]
	return bytes.HasPrefix(rest, []byte(" - - [")) || bytes.HasPrefix(rest, []byte(" - ")) && s.at(start-1) == '\n' || (start == 0 || s.at(start-1) == '\n') && s.at(end) == '\t'
}

// cameFrom reports whether the word right before says where somebody is: from, by, at, on.
func (s *scan) cameFrom(start int) bool {
	k := start
	for k > 0 && start-k < 3 && strings.IndexByte(" =\"'(:", s.text[k-1]) >= 0 {
		k--
	}
	for _, w := range [...]string{"from", "by", "at", "on"} {
		if k < start && k >= len(w) && hasWord(s.text[k-len(w):], w) && !is(s.at(k-len(w)-1), cAlnum|cHigh) {
			return true
		}
	}
	return false
}

// versionForm reports whether signs around four numbers say that they are a version:
// ==1.2.3.4, ~> 1.2.3.4, ^1.2.3.4.
func (s *scan) versionForm(start, end int) bool {
	k := start
	for k > 0 && start-k < 2 && (s.text[k-1] == ' ' || s.text[k-1] == '"' || s.text[k-1] == '\'') {
		k--
	}
	switch s.at(k - 1) {
	case '^', '~', '<':
		return true
	case '>':
		return s.at(k-2) == '~'
	case '=':
		return strings.IndexByte("=<>~!", s.at(k-2)) >= 0
	}
	return s.at(end) == '-' && is(s.at(end+1), cAlnum) && !s.rangeStart(end)
}

// rangeStart reports whether another address follows behind a hyphen.
func (s *scan) rangeStart(end int) bool {
	k, dots := end+1, 0
	for ; k < len(s.text) && k-end < 17 && (is(s.text[k], cDigit) || s.text[k] == '.' && is(s.at(k+1), cDigit)); k++ {
		if s.text[k] == '.' {
			dots++
		}
	}
	return dots == 3
}

// joinedVersion reports whether the name of a program stands before, with a slash between:
// Name/1.2.3.4.
func (s *scan) joinedVersion(start int) bool {
	return s.at(start-1) == '/' && is(s.at(start-2), cAlpha)
}

// versionBefore reports whether the word right before says that a version comes.
func (s *scan) versionBefore(start int) bool {
	k := start
	for k > 0 && start-k < 4 && strings.IndexByte(" :=\"'(.\u00a7", s.text[k-1]) >= 0 {
		k--
	}
	from := k
	for from > 0 && k-from < 24 && is(s.text[from-1], cAlpha|cHigh) {
		from--
	}
	if from == k {
		return false
	}
	near, _ := s.wordsIn(from, k, 0)
	return near.has(versionIndex())
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
	if k := bytes.LastIndexByte(b, ':'); (err != nil && colons >= 8 || bytes.HasPrefix(b, []byte("::1:"))) && k > 2 && len(b)-k <= 6 && decimal(b[k+1:]) { // a port behind it
		b, end = b[:k], start+k
		addr, err = netip.ParseAddr(string(b))
	}
	if err != nil || addr.Is4() || pairsAlone(b) {
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
	if string(b) != "::1" { // of which zone and prefix say nothing more
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
	}
	s.add(hit{typ: "IP_ADDRESS", start: start, end: end, score: 0.95})
}

// unspecified takes ::/0 and its like, from the digit of the prefix.
func (s *scan) unspecified(start int) {
	if start >= 3 && string(s.text[start-3:start]) == "::/" && !isWord(s.at(start-4)) && s.at(start-4) != ':' {
		if end := s.prefixLength(start-1, 128); end > start {
			s.add(hit{typ: "IP_ADDRESS", start: start - 3, end: end, score: 0.8})
		}
	}
}

// pairsAlone reports whether all is groups of two: a hardware address of eight bytes, or a
// fingerprint.
func pairsAlone(b []byte) bool {
	if len(b) != 23 {
		return false
	}
	for i := 2; i < len(b); i += 3 {
		if b[i] != ':' {
			return false
		}
	}
	return true
}

// decimal reports whether there are digits alone.
func decimal(b []byte) bool {
	for _, c := range b {
		if !is(c, cDigit) {
			return false
		}
	}
	return len(b) > 0
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
	return class[c]&cHex != 0
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
