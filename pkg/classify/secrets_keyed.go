package classify

import (
	"bytes"
	"math/bits"
	"strings"
	"sync"

	"github.com/stoplog/stoplog/corpus/recognisers"
)

// Credentials that no rule names. Most services give out keys without a form of their own
// (32 hex digits, 40 letters and digits): only what stands before them tells them from
// digests, identifiers and names. So it goes the other way round than the rules: first the
// token that looks drawn at random, of which there are few, then the words before it.

// randomEighths is the evidence that letters and digits were drawn at random and not
// written by people, in eighths of a bit: how much likelier each run of them is under a
// uniform draw from its alphabet than under the pairs of letters of prose and source code.
func randomEighths(b []byte) int {
	total := 0
	for i := 0; i < len(b); i++ {
		sum, n, high, kinds, prev := 0, 0, 0, 0, byte(0)
		for ; i < len(b) && pairSymbol[b[i]] != 0; i++ {
			k := pairSymbol[b[i]]
			kind := symbolKind[k]
			kinds |= int(kind & 7)
			high += int(kind >> 7)
			sum -= int(int8(recognisers.Pairs[int(prev)<<6|int(k)]))
			prev = k
			n++
		}
		if high*8 <= n && kinds > 1 { // hex digits, perhaps with a mark at one end
			kinds = kinds&1 | 8
		}
		total += sum - n*alphabetEighths[kinds]
	}
	return total
}

// alphabetEighths is the logarithm of the size of an alphabet, in eighths of a bit: of
// digits (1), upper case (2), lower case (4), the letters of hex digits (8).
var alphabetEighths = [...]int{0, 27, 38, 41, 38, 41, 46, 48, 21, 32}

// symbolKind gives for a symbol of pairSymbol its alphabet (1 digits, 2 upper case, 4 lower
// case), and 128 with those of letters that are no hex digits. Tokens are random, so a table
// costs a third of what branches do.
var symbolKind = func() (t [64]uint8) {
	for k := 1; k < 63; k++ {
		switch {
		case k >= 53:
			t[k] = 1
		case k >= 27:
			t[k] = 2
		default:
			t[k] = 4
		}
		if k > 6 && k < 27 || k > 32 && k < 53 {
			t[k] |= 128
		}
	}
	return
}()

// pairSymbol numbers letters and digits as recognisers.Pairs does; 0: neither.
var pairSymbol = func() (t [256]byte) {
	for i := range 26 {
		t['a'+i], t['A'+i] = byte(i+1), byte(i+27)
	}
	for i := range 10 {
		t['0'+i] = byte(i + 53)
	}
	return
}()

// What a word in a name or before a value says about it.
type saying uint8

const (
	saysNothing  saying = iota
	saysSecret          // a credential follows
	saysKey             // a key: with a word before it that says of what
	saysKind            // makes a key a credential: api, private, signing
	saysNo              // a digest, an identifier, a place
	saysSuffix          // says nothing of what the value is: value, string, 2
	saysNotKey          // makes a key or token harmless: public, page, cache
	saysService         // a service that gives out credentials
	saysSession         // may be one: session, cookie
	saysIdentity        // names which one: id, name
)

var sayings = sync.OnceValue(func() map[string]saying {
	m := map[string]saying{}
	for _, line := range []struct {
		s     saying
		words string
	}{
		{saysSecret, `secret secrets token tokens password passwd passwort passcode passphrase pass pwd pw psk apikey apikeys apitoken apisecret credential credentials cred creds
authkey authtoken accesskey accesstoken secretkey secretkeys privatekey clientsecret appsecret bearer auth jwt pat dsn licensekey oauth oauthtoken
apppassword userpass userpassword keysecret sessiontoken refreshtoken authpass bottoken otpsecret totpsecret mnemonic subscriptionkey contraseña wachtwoord mdp senha
clave clé chiave chave schlüssel klucz sleutel nyckel nøgle anahtar secreto secreta secrète geheimnis segreto segreta segredo schlüsselwert
ключ пароль токен passkey sharedkey encryptionkey masterkey signingkey signingsecret webhooksecret xoauth sas apiauth authcode personaltoken secrettoken basicauth`},
		{saysKey, `key keys`},
		{saysKind, `api cipher validation wifi wlan wpa vpn app application private priv access account acct license licence activation encryption encrypt encrypted decryption crypto signing sign signature
master admin root shared storage service svc server client integration user security secure session hmac aes consumer subscription function functions project deploy deployment ssh
write read ingest ingestion rest developer dev global live test sandbox prod production staging personal org organization organisation team workspace tenant bot webhook
merchant vendor partner gateway secret auth restricted recovery backup legacy primary secondary instrumentation insert query data billing mail smtp sms payment maps geocoding
db database redis queue push server cookie jwt token tls device provisioning registration join network pre tracking site sync my our`},
		{saysNo, `hash hashes sha sha1 sha2 sha224 sha256 sha384 sha512 shasum md5 crc crc32 digest digests checksum checksums sum commit commits revision rev etag fingerprint thumbprint
uuid guid integrity nonce iv color colour selector slug cursor ref sri h1 xxhash murmur blob tree parent oid snapshot build buildid etags hexsha treeish blake2b blake3 sha3
trace span traceparent tracestate traceid spanid requestid correlationid txid txhash transaction block contract address addr wallet image digest256 base64 svg png font
modulus exponent certificate cert x509 csr subject issuer serial pubkey publickey pub expected want got actual output result golden test1 testcase vector vectors
regex regexp pattern class classname mime charset layer layers manifest container pod node cid ipfs magnet version semver src href
func function const interface struct func0 symbol mangled css chunk module chunkhash contenthash filehash filename file path dir url uri link endpoint host hostname domain
resolved tarball shasum1 nodeid`},
		{saysNotKey, `lock change starting sequence public pub publishable page next prev previous continuation continue cancel cancellation csrf xsrf authenticity pagination resume scroll sync delta design cache foreign primary
partition sort object row index i18n translation message locale group idempotency unique lookup map dedup dedupe routing hash range natural composite dictionary dict ref template
host known known_hosts ssh_host storagekey event node react item list header sentinel syntax lexer parser keyword count max min total input prompt completion context stop start end
eos bos pad unk special num`},
		{saysIdentity, `id ids sid sids name names title label labels alias arn type kind status state email username user login`},
		{saysSuffix, `body literal value val values str string char string env var prod dev test live staging raw plain text param default encoded hex here b64 content data v arg opt option
v1 v2 v3 production sandbox main field input is was be are equals to set the a an my our your new current following this that for as use using with of in on from and or it its
ist lautet est es è jest 0 1 2 3 4 5 6 7 8 9 01 02 03 override literal const let def final static public private protected readonly export declare self cls e g eg i ie`},
		{saysSession, `authorization authentication session sessions cookie cookies sess sessionid phpsessid jsessionid otp seed salt license licence webhook activation pin passw signature sig`},
	} {
		for _, w := range strings.Fields(line.words) {
			if _, ok := m[w]; !ok {
				m[w] = line.s
			}
		}
	}
	for _, w := range strings.Fields(recognisers.Services) {
		if _, ok := m[w]; !ok {
			m[w] = saysService
		}
	}
	return m
})

// say gives what a lower-case word says, also where words are written as one.
func say(w []byte) saying {
	if s, ok := sayings()[string(w)]; ok {
		return s
	}
	for _, end := range []string{"密钥", "密码", "令牌", "口令", "キー", "トークン", "パスワード", "schlüssel", "token", "secret", "password", "passwd", "apikey", "secretkey", "accesskey", "passphrase", "credentials"} {
		if len(w) > len(end) && bytes.HasSuffix(w, []byte(end)) {
			return saysSecret
		}
	}
	if len(w) > 3 && bytes.HasSuffix(w, []byte("key")) {
		if s := sayings()[string(w[:len(w)-3])]; s == saysKind || s == saysService {
			return saysSecret
		}
	}
	return saysNothing
}

// wordsBefore reads words from a place in the text backwards: runs of letters and digits,
// split where a name is written in humps.
type wordsBefore struct {
	text []byte
	at   int // words end here or before
	stop int // no word begins before it
	buf  [24]byte
	gap  []byte // what stood between this word and the one after it
}

// next gives the next word in lower case; nil at the end, or where a word is too long.
func (w *wordsBefore) next() []byte {
	i := w.at
	for i > w.stop && !is(w.text[i-1], cAlnum|cHigh) {
		i--
	}
	w.gap = w.text[i:w.at]
	end := i
	for i > w.stop && is(w.text[i-1], cAlnum|cHigh) {
		i--
		if i > w.stop && i < end {
			c, before := w.text[i], w.text[i-1]
			if is(c, cUpper) && is(before, cLower|cDigit) {
				break
			}
			if is(c, cUpper) && is(before, cUpper) && i+1 < end && is(w.text[i+1], cLower) {
				break // the last letter of an abbreviation begins a word: APIKey
			}
		}
	}
	w.at = i
	if end-i > len(w.buf) || end == i {
		return nil
	}
	n := 0
	for _, c := range w.text[i:end] {
		w.buf[n] = lowerByte[c]
		n++
	}
	return w.buf[:n]
}

// keyed looks at a run of letters and digits in a text.
func (s *scan) keyed(start, end int) {
	t := s.text
	if end-start > 700 || start < s.keyedEnd || end-start > 16 && randomEighths(t[start:start+12]) < -8*4 || randomEighths(t[start:end]) < 8*6 {
		return // written, mostly
	}
	// The whole token, with the signs that tokens have inside.
	inside := func(c byte) bool {
		return is(c, cAlnum) || c == '_' || c == '-' || c == '+' || c == '/' || c == '.' || c == '~'
	}
	from, to := start, end
	for from > s.keyedEnd && start-from < 400 && inside(t[from-1]) {
		from--
	}
	if from > 0 && t[from-1] == '\\' && (t[from] == 'n' || t[from] == 't' || t[from] == 'r') {
		from++
	}
	for to < len(t) && to-end < 700 && (inside(t[to]) || t[to] == '%' && isHex(s.at(to+1)) && isHex(s.at(to+2))) {
		to++
	}
	s.keyedEnd = to
	for from < start && !is(t[from], cAlnum) && t[from] != '_' && t[from] != '/' && t[from] != '+' {
		from++
	}
	for to > end && (t[to-1] == '.' || t[to-1] == '~' || t[to-1] == '/' && s.at(to) != '=') {
		to--
	}
	for k := 0; k < 2 && s.at(to) == '='; k++ {
		to++
	}
	if to-from < 12 || to-from > 600 {
		return
	}
	switch s.at(from - 1) {
	case '#', '@', '%', '$', '?', '&', '*', '^':
		return
	case ':':
		if s.at(from) == '/' && s.at(from+1) == '/' {
			return // an address; its parameters come later
		}
	case ',':
		if bytes.HasSuffix(t[:from], []byte("base64,")) {
			return
		}
	}
	switch s.at(to) {
	case '(', '[', '{', '@', '=':
		return
	case '.':
		if s.at(to+1) == '.' { // cut short by hand
			return
		}
	}
	v := t[from:to]
	form := s.form(v)
	if form == formNone {
		return
	}
	before := s.saidBefore(from, form != formMixed)
	need, score := 0, 0.0
	switch before {
	case saidName:
		need, score = 12, 0.8
	case saidNear:
		need, score = 24, 0.7
		if form == formHex && (len(v) < 20 || len(v) == 24) || bytes.IndexFunc(v, isDigit) < 0 {
			return
		}
	case saidService:
		need, score = 36, 0.65
		if len(v) < 20 {
			return
		}
	case saidWeakly:
		need, score = 36, 0.6
		if form != formMixed || len(v) < 20 || bytes.IndexFunc(v, isDigit) < 0 {
			return
		}
	default:
		return
	}
	if randomEighths(v) < 8*need || placeholder(v) || stairs(v) {
		return
	}
	// A quoted value is taken whole: it may hold signs that tokens seldom have.
	if q := s.at(from - 1); before == saidName && (q == '"' || q == '\'' || q == '`') && s.at(to) != q {
		i := to
		for i < len(t) && i-to < 200 && t[i] != q && t[i] != '\\' && !is(t[i], cSpace) {
			i++
		}
		if s.at(i) == q {
			to = i
		}
	}
	s.add(hit{typ: "SECRET", rule: "generic-api-key", start: from, end: to, score: score})
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

type tokenForm uint8

const (
	formNone  tokenForm = iota
	formHex             // hex digits: could be a digest
	formUUID            // could name anything
	formMixed           // letters of more than hex, digits
)

// formCount counts digits, lower case, upper case, hex digits, strokes and full stops in
// lanes of ten bits: tokens are no longer than 600 bytes.
var formCount = func() (t [256]uint64) {
	for i := range t {
		c := byte(i)
		for lane, yes := range [...]bool{is(c, cDigit), is(c, cLower), is(c, cUpper), isHex(c), c == '/', c == '.'} {
			if yes {
				t[i] |= 1 << (10 * lane)
			}
		}
	}
	return
}()

// form tells what a token could be by its letters; formNone: no credential.
func (s *scan) form(v []byte) tokenForm {
	var seen [4]uint64
	sum := uint64(0)
	for _, c := range v {
		seen[c>>6] |= 1 << (c & 63)
		sum += formCount[c]
	}
	lane := func(i int) int { return int(sum >> (10 * i) & 1023) }
	digitCount, lower, upper, hexes, slashes, dots := lane(0), lane(1), lane(2), lane(3), lane(4), lane(5)
	if len(v) == 36 && hexes == 32 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-' {
		return formUUID
	}
	distinct := bits.OnesCount64(seen[0]) + bits.OnesCount64(seen[1])
	letters := lower + upper
	if letters < 2 || digitCount == 0 && (len(v) < 14 || upper == 0 || lower == 0) || distinct < 6 {
		return formNone
	}
	if hexes == len(v) && (lower == 0 || upper == 0) {
		return formHex
	}
	if lower == 0 && digitCount*4 < letters && bytes.IndexByte(v, '_') > 0 {
		return formNone // OPENSSL_VERSION_111
	}
	if digitCount*5 > len(v)*4 && letters < 6 {
		return formNone // a number with a few letters: a time, a reference
	}
	if k := bytes.IndexByte(v, '.'); k > 0 && k <= 4 && digits(bytes.TrimPrefix(v[:k], []byte("v"))) && k+1 < len(v) && is(v[k+1], cDigit) && dots > 1 {
		return formNone // a version
	}
	if bytes.HasPrefix(v, []byte("sha")) && (bytes.HasPrefix(v[3:], []byte("1-")) || bytes.HasPrefix(v[3:], []byte("256-")) || bytes.HasPrefix(v[3:], []byte("384-")) || bytes.HasPrefix(v[3:], []byte("512-"))) {
		return formNone
	}
	if len(v) == 34 && is(v[0], cUpper) && is(v[1], cUpper) && hexes >= 32 && upper <= 2 && v[0] != 'S' {
		return formNone // names an account or a message, not a credential (Twilio)
	}
	if bytes.HasPrefix(v, []byte("0x")) && hexes == len(v)-1 {
		return formHex
	}
	// Paths and dotted names are written; only parts of them may be random.
	if slashes > 0 || dots > 0 {
		part := 0
		for i := 0; i <= len(v); i++ {
			if i < len(v) && v[i] != '/' && v[i] != '.' {
				continue
			}
			if p := v[part:i]; len(p) >= 5 && randomEighths(p) <= 0 && randomEighths(v) < 16*len(v) {
				return formNone
			}
			part = i + 1
		}
		if v[0] == '/' && (dots > 0 || slashes > 4) || slashes > 1+len(v)/12 || bytes.Contains(v, []byte("//")) && dots > 0 {
			return formNone
		}
	}
	return formMixed
}

// stairs reports whether most signs follow one another as in the alphabet, or repeat: what
// people type for want of a secret.
func stairs(v []byte) bool {
	n := 0
	for i := 1; i < len(v); i++ {
		if d := int(v[i]) - int(v[i-1]); d >= -1 && d <= 1 {
			n++
		}
	}
	return n*2 > len(v)
}

type said uint8

const (
	saidNothing said = iota
	saidWeakly       // a service, or a key of something
	saidService      // the name is that of a service
	saidNear         // a credential was spoken of
	saidName         // the name that the value is given to
)

// saidBefore tells what stands before a value.
func (s *scan) saidBefore(from int, plain bool) said {
	t := s.text
	// Signs between a name and its value. One line end may be among them.
	i, lines := from, 0
	operator, argument, assigned := false, false, false
gap:
	for i > 0 && from-i < 48 {
		switch c := t[i-1]; c {
		case '\n':
			if lines++; lines > 1 {
				return saidNothing
			}
		case '=', ':':
			operator, assigned = true, true
		case '-':
			operator = operator || s.at(i-2) == ' ' && t[i] == ' ' // API key - x
		case '>':
			operator = true
		case '|', '?':
			operator = operator || s.at(i-2) == c
		case ',', '(':
			argument = true
		case ' ', '\t', '\r', '"', '\'', '`', '[', '{', ']', '<', '\\', '!', '*', ')', '&', '@', '$', '~':
		case 'b', 'r', 'f', 'u': // the prefix of a literal
			if i == from || t[i] != '"' && t[i] != '\'' || isWord(s.at(i-2)) {
				break gap
			}
		default:
			break gap
		}
		i--
	}
	if hasWord(t[max(0, i-6):], "base64") && i < from && t[i] == ':' { // key=base64:…
		for i -= 6; i > 0 && from-i < 48 && (t[i-1] == '=' || t[i-1] == ':' || is(t[i-1], cSpace) || quote(t[i-1]) || t[i-1] == '>' || t[i-1] == ',' || t[i-1] == '\\'); i-- {
		}
	}
	if i >= 20 && (bytes.HasPrefix(t[i-20:], []byte("AKIA")) || bytes.HasPrefix(t[i-20:], []byte("ASIA"))) {
		return saidName // the other half of an access key
	}
	if plain && s.typeName(i) {
		return saidNothing
	}
	w := wordsBefore{text: t, at: i, stop: max(0, from-160)}
	word := w.next()
	if word == nil {
		return saidNothing
	}
	if lines == 1 && !operator {
		// A label on a line of its own; else this is the next line of something.
		out, _ := s.name(&w, word, false, plain)
		if bytes.IndexByte(t[max(0, i-60):i], '\n') < 0 && i > 60 || out <= saidService {
			return saidNothing
		}
		return out
	}
	out, sure := s.name(&w, word, operator || argument, plain)
	if out == saidService && plain && !assigned {
		out = saidNothing
	}
	if sure || out == saidName {
		return out
	}
	return max(out, s.near(&w, plain, out == saidWeakly && operator))
}

// typeName reports whether the name that ends at a place is a type within others:
// AWS::IAM::AccessKey.
func (s *scan) typeName(end int) bool {
	i := end
	for i > 0 && isWord(s.text[i-1]) {
		i--
	}
	return i > 1 && s.text[i-1] == ':' && s.text[i-2] == ':'
}

// codeHosts are services beside whose names commits and digests stand.
var codeHosts = wordSet("github gitlab bitbucket gitea docker dockerhub npm pypi rubygems nuget crates packagist cargo quay jenkins circleci travis vercel netlify codecov argocd kubernetes terraform")

// name judges the name that stands directly before a value, and the words that belong to
// it. sure: what stands farther away changes nothing.
func (s *scan) name(w *wordsBefore, word []byte, operator, plain bool) (out said, sure bool) {
	good := saidName
	if !operator {
		good = saidNear
	}
	back := func() { // leaves the word to near
		w.at += len(word) + len(w.gap)
	}
	joined := func() bool { // does the word belong to the same name as the one after it?
		return word != nil && (len(w.gap) == 0 || len(w.gap) == 1 && (w.gap[0] == '_' || w.gap[0] == '-' || w.gap[0] == '.' || w.gap[0] == '/'))
	}
	spaced := func() bool { return word != nil && len(w.gap) == 1 && w.gap[0] == ' ' }
	for n := 0; n < 6; n++ {
		switch say(word) {
		case saysNo:
			if word = w.next(); string(word) == "hmac" { // createHmac("sha256", "…")
				return good, true
			}
			return saidNothing, true
		case saysSecret:
			if word = w.next(); joined() {
				switch say(word) {
				case saysNotKey: // page_token
					return saidNothing, true
				case saysNo: // tokenHash, written the other way round
					return saidWeakly, true
				}
			}
			if n > 1 {
				return saidNear, true
			}
			return good, true
		case saysKey:
			if word = w.next(); !joined() && !spaced() {
				if word != nil {
					back()
				}
				return saidWeakly, word == nil
			}
			switch say(word) {
			case saysKind, saysSecret, saysService, saysSession:
				return good, true
			case saysNotKey, saysNo:
				return saidNothing, true
			}
			if !joined() { // using key=x
				back()
				return saidWeakly, false
			}
			if operator && is(w.text[w.at], cUpper) && is(w.text[w.at+1], cUpper) { // ACME_KEY=
				return good, true
			}
			return saidWeakly, true
		case saysIdentity:
			if word = w.next(); joined() && string(word) == "secret" { // secret_id is one, client_id is none
				return good, true
			}
			return saidNothing, true
		case saysService, saysSession:
			out = saidWeakly
			if operator && !(plain && codeHosts[string(word)]) && say(word) == saysService {
				out = saidService
			}
			if word = w.next(); joined() {
				continue
			}
			return out, true
		case saysSuffix:
			if word = w.next(); joined() {
				continue
			}
			if word != nil {
				back()
			}
			return out, false
		}
		out = min(out, saidWeakly)
		// A word that says nothing. What has a name of its own is no other name's value;
		// but a sentence may go on before it.
		if word = w.next(); joined() {
			continue
		}
		if spaced() || word != nil && bytes.IndexByte(w.gap, '=') >= 0 { // secret = decode("…")
			back()
			return out, false
		}
		return out, true
	}
	return out, true
}

// near looks for a credential that is spoken of a few words before. plain: the value has
// the form of many other things, so it has to be very near. named: it is the value of a
// key, and has only to be told of what.
func (s *scan) near(w *wordsBefore, plain, named bool) said {
	lines := 0
	key := false // the word after this one is "key"
	most := 9
	if plain {
		most = 6
	}
	for n := 0; n < most; n++ {
		word := w.next()
		if word == nil {
			return saidNothing
		}
		for k, c := range w.gap {
			switch c {
			case '\n':
				if lines++; lines > 2 {
					return saidNothing
				}
			case ';', '}':
				return saidNothing
			case ',', '.', ')':
				if plain && k == 0 {
					return saidNothing
				}
			}
		}
		what := say(word)
		if key {
			if what == saysKind || what == saysService || what == saysSecret {
				return saidNear
			}
			if what == saysKey { // <key>APIKey</key>
				continue
			}
			if (what == saysNothing || what == saysSuffix) && !plain {
				return saidWeakly
			}
			return saidNothing
		}
		switch what {
		case saysSecret:
			switch string(word) {
			case "auth", "oauth", "pass", "authentication": // mere subjects of talk
			default:
				if word = w.next(); word != nil && (len(w.gap) == 0 || len(w.gap) == 1) && say(word) == saysNotKey {
					return saidNothing // csrf-token
				}
				return saidNear
			}
		case saysNo:
			return saidNothing
		case saysKey:
			key = true
		case saysService:
			if named {
				return saidNear
			}
			if n < 3 {
				return saidWeakly
			}
		}
	}
	return saidNothing
}
