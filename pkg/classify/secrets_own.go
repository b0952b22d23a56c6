package classify

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Secrets whose structure a pattern cannot check.

type ownSecret struct {
	id    string
	words []string
	find  func(s *scan, start, end int)
	heads []byteSet // what a place can begin with, for words of two letters
}

var ownSecrets = []ownSecret{
	{"private-key", []string{"-----begin", "---- begin ssh2"}, (*scan).privateKey, nil},
	{"jwt", []string{"eyj", "eya"}, (*scan).jwt, nil},
	{"jwk-private", []string{`"kty"`}, (*scan).privateJWK, nil},
	{"connection-string", []string{"password=", "pwd=", "accountkey=", "sharedaccesskey="}, (*scan).keyValue, nil},
	{"basic-auth-header", []string{"basic "}, (*scan).basic, nil},
	{"bearer-token", []string{"bearer ", "token "}, (*scan).bearer, nil},
	{"command-password", slices.Sorted(maps.Keys(commandOptions)), (*scan).command, nil},
	{"authorization-header", []string{"authorization"}, (*scan).authorization, nil},
	{"credentials", []string{"creds", "credentials", "login"}, (*scan).userAndPassword, nil},
	{"password", []string{"pw:", "pw="}, (*scan).shortPassword, nil},
	{"password", []string{"password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "contraseña", "mot de passe", "wachtwoord", "hasło", "heslo", "lösenord", "senha",
		"пароль", "密码", "口令", "パスワード", "비밀번호", "mật khẩu", "şifre", "pwd", "pass", "secret", "identified by"}, (*scan).password, nil},
}

func (s *scan) addSecret(rule string, start, end int, score float64, valid bool) {
	if end > start {
		s.add(hit{typ: "SECRET", rule: rule, start: start, end: end, score: score, valid: valid})
	}
}

// privateKey takes a PEM block of a private key up to its END line; where that is
// missing, all of the base64 that follows.
func (s *scan) privateKey(start, end int) {
	head := s.text[start:min(len(s.text), start+120)]
	i := bytes.Index(head, []byte("PRIVATE KEY"))
	if i < 0 || bytes.IndexByte(head[:i], '\n') >= 0 || start < s.pemEnd {
		return
	}
	body := s.text[start+i:]
	if len(body) > 64<<10 {
		body = body[:64<<10]
	}
	stop := 0
	if e := bytes.Index(body, []byte("-----END")); e >= 0 {
		stop = e + len("-----END")
		if k := bytes.Index(body[stop:], []byte("-----")); k >= 0 && k < 80 {
			stop += k + 5
		}
		if e < 40 {
			return // nothing between the lines
		}
	} else {
		stop = len("PRIVATE KEY-----")
		for stop < len(body) && (is(body[stop], cAlnum|cSpace) || bytes.IndexByte([]byte(`+/=\:,-`), body[stop]) >= 0) {
			stop++
		}
		if stop < 80 && start+i+stop < len(s.text) {
			return // a mention; at the end of a text a key may have been cut off
		}
	}
	s.pemEnd = start + i + min(stop, len(body))
	s.addSecret("private-key", start, s.pemEnd, 1, true)
}

func base64URL(c byte) bool { return isWord(c) || c == '-' }

// jwt takes three (or, for encrypted ones, five) base64url parts whose first one decodes
// to a JSON object with an algorithm.
func (s *scan) jwt(start, end int) {
	t := s.text
	if t[start] != 'e' || t[start+1] != 'y' || start > 0 && base64URL(t[start-1]) && !(s.at(start-2) == '\\') {
		return
	}
	i := start
	for i < len(t) && base64URL(t[i]) {
		i++
	}
	first := i
	if i >= len(t) || t[i] != '.' || first-start < 12 || first-start > 4096 {
		return
	}
	head, err := base64.RawURLEncoding.DecodeString(string(t[start:first]))
	var obj map[string]any
	if err != nil || json.Unmarshal(head, &obj) != nil {
		return
	}
	if obj["alg"] == nil && obj["typ"] == nil && obj["enc"] == nil && obj["kid"] == nil {
		return
	}
	dots := 0
	for i < len(t) && (base64URL(t[i]) || t[i] == '.' && dots < 4 && (base64URL(s.at(i+1)) || s.at(i+1) == '.')) {
		if t[i] == '.' {
			dots++
		}
		i++
	}
	if dots < 1 || i-first < 8 {
		return
	}
	s.addSecret("jwt", start, i, 1, true)
}

// credentials goes back from an @ to the beginning of a URL that it may stand in.
func (s *scan) credentials(at int) {
	t := s.text
	for i := at - 1; i >= 2 && at-i < 400; i-- {
		switch c := t[i]; {
		case is(c, cSpace), c == '"', c == '\'', c == '<', c == '>', c == '`', c == '@' && i < s.connectionEnd:
			return
		case c == '/' && t[i-1] == '/' && t[i-2] == ':':
			if i+1 > s.connectionEnd {
				s.connectionEnd = i + 1
				s.connection(i-2, i+1)
			}
			return
		}
	}
}

// connection takes the password of a URL: scheme://user:password@host.
func (s *scan) connection(start, end int) {
	t := s.text
	from := start
	for from > 0 && start-from < 24 && (is(t[from-1], cAlnum) || t[from-1] == '+' || t[from-1] == '-' || t[from-1] == '.') {
		from--
	}
	if from == start {
		return
	}
	limit := min(len(t), end+400)
	// The part before a host ends at the last @ before the URL ends.
	lastAt := -1
	for i := end; i < limit; i++ {
		c := t[i]
		if is(c, cSpace) || c == '"' || c == '\'' || c == '<' || c == '>' || c == '`' {
			break
		}
		if c == '@' {
			lastAt = i
		}
	}
	if lastAt < 0 {
		return
	}
	colon, at := -1, -1
	for i := end; i < limit; i++ {
		c := t[i]
		if is(c, cSpace) || c == '"' || c == '\'' || c == '<' || c == '>' || c == '`' || c == '/' && at < 0 && (colon < 0 || i > lastAt) || c == '?' && colon < 0 {
			break
		}
		if c == ':' && colon < 0 {
			colon = i
		}
		if c == '@' {
			at = i
		}
		if c == ',' || at >= 0 && c == '/' {
			break
		}
	}
	if colon < 0 && at == end+32 && s.form(t[end:at]) == formHex { // the key of a Sentry DSN
		s.addSecret("sentry-dsn", from, limitURL(t, at, limit), 1, true)
		return
	}
	if colon < 0 || at <= colon+1 || at+1 >= len(t) || !is(t[at+1], cAlnum|cHigh) && t[at+1] != '[' && t[at+1] != '$' && t[at+1] != '{' {
		return
	}
	pass := t[colon+1 : at]
	if host := t[at+1:]; bytes.Equal(pass, t[end:colon]) && (hasWord(host, "localhost") || hasWord(host, "127.0.0.1")) {
		return // guest:guest@localhost, as products come
	}
	if placeholder(pass) || len(pass) < 3 || len(pass) == 3 && hasWord(t[at+1:], "example.") || allowedURLPort(t[end:at], pass) {
		return
	}
	s.addSecret("connection-string", colon+1, at, 0.97, true)
}

// limitURL gives the end of a URL.
func limitURL(t []byte, i, limit int) int {
	for i < limit && !is(t[i], cSpace) && t[i] != '"' && t[i] != '\'' && t[i] != '<' && t[i] != '>' && t[i] != '`' && t[i] != ')' && t[i] != ',' {
		i++
	}
	return i
}

// allowedURLPort tells host:port/path@x from user:password@host.
func allowedURLPort(auth, pass []byte) bool {
	i := bytes.IndexByte(pass, '/')
	return i > 0 && digits(pass[:i]) && i <= 5
}

// privateJWK takes the secret member of a key in JSON (RFC 7517): d of a key pair, k of a
// symmetric one.
func (s *scan) privateJWK(start, end int) {
	t := s.text
	if start < s.jwkEnd {
		return // in an object that was looked at
	}
	from, to := start, end
	for from > 0 && start-from < 1<<11 && t[from-1] != '{' && t[from-1] != '}' {
		from--
	}
	for to < len(t) && to-end < 1<<12 && t[to] != '{' && t[to] != '}' {
		to++
	}
	s.jwkEnd = to
	if m := jwkMember.FindSubmatchIndex(t[from:to]); m != nil {
		s.addSecret("jwk-private", from+m[2], from+m[3], 0.95, true)
	}
}

var jwkMember = regexp.MustCompile(`"[dk]"\s{0,3}:\s{0,3}"([A-Za-z0-9_-]{20,})"`)

// placeholder reports whether a value stands for a secret that is elsewhere.
func placeholder(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	switch b[0] {
	case '$', '{', '<', '%', '[', '(':
		return true
	}
	if b[len(b)-1] == '>' {
		return true
	}
	if same(b) || templated(b) || bytes.Contains(b, []byte("...")) || bytes.Contains(b, []byte("***")) {
		return true
	}
	if bytes.Contains(b, []byte("_secret_")) {
		return true // of one payment, handed to browsers
	}
	low := strings.ToLower(string(b))
	low = strings.Trim(low, "*_-. \\")
	if placeholders[low] {
		return true
	}
	return placeholderParts().any([]byte(low))
}

var placeholderParts = sync.OnceValue(func() *automaton {
	return newAutomaton([]string{"your", "example", "changeme", "change_me", "change-me", "placeholder", "redacted", "xxxx", "insert", "replace", "dummy", "process.env", "os.environ", "getenv", "secrets.", "vault:", "enc["})
})

// templated reports whether most of a value is filled in later: ${DB_PASSWORD}-x, {{ pw }}.
func templated(b []byte) bool {
	in := 0
	for i := 0; i+1 < len(b); i++ {
		end := byte(0)
		switch {
		case (b[i] == '$' || b[i] == '#') && b[i+1] == '{', b[i] == '{' && b[i+1] == '{':
			end = '}'
		case b[i] == '$' && b[i+1] == '(', b[i] == '%' && b[i+1] == '(':
			end = ')'
		case b[i] == '<':
			end = '>'
		default:
			continue
		}
		k := i + 2
		for k < len(b) && (isWord(b[k]) || is(b[k], cSpace) || bytes.IndexByte([]byte(".:-|/'\"[]!@"), b[k]) >= 0) {
			k++
		}
		if k < len(b) && b[k] == end && k > i+2 {
			in += k - i + 1
			i = k
		}
	}
	return in*2 > len(b)
}

var placeholders = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`password passwd pass pwd secret token key user username none null nil true false empty undefined string str
str() optional required todo unset hidden masked mypassword my_password test testing foo bar baz foobar default value here is are was the a an and or
for must should can will not new old reset wrong correct invalid valid hash hashed field fields input type text int integer number boolean
object array any self this confirm confirmation again forgot forgotten change changed protected protection manager policy required!
length strength reset. incorrect expired blank missing has have with to in of on at from by as it if you we i he she they`) {
		m[w] = true
	}
	return m
}()

// keyValue takes the password of a key=value; string (ODBC, JDBC, storage accounts).
func (s *scan) keyValue(start, end int) {
	t := s.text
	i := end
	for i < len(t) && i-end < 256 && t[i] != ';' && t[i] != '"' && t[i] != '\'' && (t[i] != '&' || s.at(start-1) == ';') && !is(t[i], cSpace) && t[i] != '<' && t[i] != ',' && t[i] != ')' {
		i++
	}
	v := t[end:i]
	if len(v) < 6 || !mixed(v) {
		return
	}
	near := connectionWords()
	if (near.any(t[max(0, start-200):start]) || near.any(t[i:min(len(t), i+80)])) && !placeholder(v) {
		s.addSecret("connection-string", end, i, 0.95, true)
	}
}

// connectionWords are the other keys of a connection string.
var connectionWords = sync.OnceValue(func() *automaton {
	return newAutomaton([]string{"server=", "data source=", "host=", "accountname=", "endpoint=", "database=", "uid=", "user id=", "user=", "dsn=", "driver=", "jdbc:"})
})

// mixed reports whether a value has at least two kinds of characters, one of them no
// lower-case letter: a word has not.
func mixed(b []byte) bool {
	lower, upper, digit, other, odd := 0, 0, 0, 0, 0
	for _, c := range b {
		switch {
		case is(c, cLower|cHigh):
			lower = 1
		case is(c, cUpper):
			upper = 1
		case is(c, cDigit):
			digit = 1
		default:
			other = 1
			if bytes.IndexByte([]byte("-_./: "), c) < 0 {
				odd++
			}
		}
	}
	return digit == 1 && lower+upper+other > 0 || other == 1 && upper+lower > 1 || odd >= 3 && lower+upper > 0
}

// basic takes the credentials of an HTTP Basic header: base64 that decodes to user:password.
func (s *scan) basic(start, end int) {
	t := s.text
	i := end
	for i < len(t) && (is(t[i], cAlnum) || t[i] == '+' || t[i] == '/' || t[i] == '=') {
		i++
	}
	v := bytes.TrimRight(t[end:i], "=")
	if len(v) < 6 {
		return
	}
	plain, err := base64.RawStdEncoding.DecodeString(string(v))
	if err != nil || bytes.IndexByte(plain, ':') < 1 {
		return
	}
	for _, c := range plain {
		if c < 0x20 || c > 0x7e {
			return
		}
	}
	s.addSecret("basic-auth-header", end, i, 0.97, true)
}

// bearer takes the token of an HTTP Bearer header.
func (s *scan) bearer(start, end int) {
	t := s.text
	if t[start]|0x20 == 't' && (start < 16 || !bytes.Contains(bytes.ToLower(t[start-16:start]), []byte("authorization"))) {
		return
	}
	if p := bytes.ToLower(t[max(0, start-32):start]); !bytes.Contains(p, []byte("authorization")) && !bytes.Contains(p, []byte("token")) && !bytes.Contains(p, []byte("header")) && !bytes.Contains(p, []byte("-h ")) {
		return
	}
	i := end
	for i < len(t) && i-end < 2048 && (base64URL(t[i]) || t[i] == '.' || t[i] == '+' || t[i] == '/' || t[i] == '=' || t[i] == '~') {
		i++
	}
	v := bytes.TrimRight(t[end:i], ".")
	if len(v) < 16 || placeholder(v) || !mixed(v) || entropy(v) < 3 {
		return
	}
	s.addSecret("bearer-token", end, end+len(v), 0.9, false)
}
