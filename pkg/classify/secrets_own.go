package classify

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
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
	for _, p := range []string{"your", "example", "changeme", "change_me", "change-me", "placeholder", "redacted", "xxxx", "insert", "replace", "dummy", "process.env", "os.environ", "getenv", "secrets.", "vault:", "enc["} {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

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
	if len(v) < 6 || placeholder(v) || !mixed(v) {
		return
	}
	before := bytes.ToLower(t[max(0, start-200):start])
	after := bytes.ToLower(t[i:min(len(t), i+80)])
	known := false
	for _, w := range []string{"server=", "data source=", "host=", "accountname=", "endpoint=", "database=", "uid=", "user id=", "user=", "dsn=", "driver=", "jdbc:"} {
		if bytes.Contains(before, []byte(w)) || bytes.Contains(after, []byte(w)) {
			known = true
		}
	}
	if known {
		s.addSecret("connection-string", end, i, 0.95, true)
	}
}

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

// commandOptions is the options with which commands are given a password: p, the value
// stands apart or at once; =p, at once only; u:, a name and a password.
var commandOptions = map[string]string{
	"curl": "u:", "mysql": "=p", "mariadb": "=p", "redis-cli": "a", "docker login": "p", "podman login": "p", "registry login": "p", "sqlcmd": "P", "osql": "P",
	"mongo": "p", "cqlsh": "p", "az login": "p", "ldapsearch": "w", "ldapmodify": "w", "ldapadd": "w", "ldapwhoami": "w", "psexec": "p", "sshpass": "p", "smbclient": "U%",
}

// command takes passwords from the options of a command, up to the end of its line.
func (s *scan) command(start, end int) {
	t := s.text
	if isWord(s.at(start - 1)) {
		return
	}
	options := commandOptions[string(bytes.ToLower(t[start:end]))]
	atOnce := options[0] == '='
	options = strings.TrimPrefix(options, "=")
	for i := max(end, s.commandEnd); i < len(t) && i-end < 400; i++ {
		s.commandEnd = i
		switch c := t[i]; {
		case c == '\n' && s.at(i-1) != '\\', c == '|', c == ';':
			return
		case c != '-' || !is(s.at(i-1), cSpace):
			continue
		}
		k := i + 2
		switch {
		case s.at(i+1) == options[0]:
		case options == "u:" && hasWord(t[i:], "--user"):
			k = i + len("--user")
		case options == "u:" && hasWord(t[i:], "--proxy-user"):
			k = i + len("--proxy-user")
		default:
			continue
		}
		if c := s.at(k); !atOnce && (c == ' ' || c == '=') {
			k++
		} else if isWord(c) && k > i+2 {
			continue // --user-agent
		}
		if quote(s.at(k)) {
			k++
		}
		from := k
		for k < len(t) && k-from < 160 && !is(t[k], cSpace) && !quote(t[k]) && t[k] != '\\' {
			k++
		}
		if len(options) > 1 {
			sep := bytes.IndexByte(t[from:k], options[1])
			if sep < 1 || bytes.HasPrefix(t[from+sep:], []byte("://")) {
				continue
			}
			from += sep + 1
		}
		v := t[from:k]
		if len(v) < 4 || v[0] == '-' || placeholder(v) || reference(v, true) || !mixed(v) && randomEighths(v) < 8*16 && (len(options) == 1 || len(v) < 8) {
			continue
		}
		s.addSecret("command-password", from, k, 0.85, false)
		i = k
	}
}

// authorization takes the token of an HTTP header with a scheme that is not Basic or
// Bearer, or with none.
func (s *scan) authorization(start, end int) {
	t := s.text
	i := end
	for i < len(t) && i-end < 8 && (bytes.IndexByte([]byte("\"'`\\:=])> ,"), t[i]) >= 0) {
		i++
	}
	if i == end {
		return
	}
	if hasWord(t[i:], "basic ") {
		return // has to decode: basic
	}
	for range 2 {
		from := i
		for i < len(t) && i-from < 2048 && (base64URL(t[i]) || t[i] == '.' || t[i] == '+' || t[i] == '/' || t[i] == '=' || t[i] == '~') {
			i++
		}
		v := bytes.TrimRight(t[from:i], ".")
		if len(v) > 20 || s.at(i) != ' ' {
			if len(v) >= 16 && mixed(v) && !placeholder(v) && !stairs(v) && randomEighths(v) >= 8*16 && s.at(i) != '(' && s.at(i) != ':' {
				s.addSecret("authorization-header", from, from+len(v), 0.85, false)
			}
			return
		}
		i++
	}
}

// userAndPassword takes the second half of what is given as a pair: creds: admin/x.
func (s *scan) userAndPassword(start, end int) {
	t := s.text
	if is(s.at(start-1), cAlpha) || is(s.at(end), cAlpha) {
		return
	}
	i := end
	for _, w := range [][]byte{[]byte(" with "), []byte(" as "), []byte(" is "), []byte(" are ")} {
		if bytes.HasPrefix(t[i:], w) {
			i += len(w)
			break
		}
	}
	for i < len(t) && i-end < 10 && (t[i] == ':' || t[i] == '=' || t[i] == ' ' || quote(t[i])) {
		i++
	}
	if i == end {
		return
	}
	user := i
	for i < len(t) && i-user < 48 && (isWord(t[i]) || t[i] == '.' || t[i] == '-' || t[i] == '@') {
		i++
	}
	if hasWord(t[user:], "http/") {
		return // GET /login HTTP/1.1
	}
	if i == user || s.at(i) != '/' && s.at(i) != ':' || is(t[user], cDigit) {
		if hasWord(t[i:], " / ") && i > user {
			i += 2
		} else {
			return
		}
	}
	i++
	from := i
	for i < len(t) && i-from < 64 && !is(t[i], cSpace) && !quote(t[i]) && t[i] != ',' && t[i] != ';' && t[i] != '<' {
		i++
	}
	v := bytes.TrimRight(t[from:i], ".)")
	if len(v) < 6 || !mixed(v) || placeholder(v) || reference(v, false) || bytes.IndexByte(v, '/') >= 0 || bytes.IndexFunc(v, isDigit) < 0 || digits(bytes.TrimLeft(v, ":.-")) {
		return
	}
	s.addSecret("password", from, from+len(v), 0.7, false)
}

// password takes what follows a word for password or secret and an operator, in prose and
// in configuration: "password: hunter2!". What has no operator ("my password is …") is
// taken only between quotes.
func (s *scan) password(start, end int) {
	t := s.text
	if s.passwordEnd > start {
		return
	}
	i := end
	for i < len(t) && i-end < 32 && (isWord(t[i]) || t[i] == '-' || t[i] == '.') {
		i++
	}
	if end-start <= 4 && (is(s.at(end), cAlpha) || is(s.at(start-1), cAlpha) && is(t[start], cLower)) {
		return // pwd, pass: a word of their own, or the end of a name
	}
	if s.at(end) == ':' && s.at(start-1) == ':' {
		return // a part of a resource name: arn:…:secret:…
	}
	if end-start == 4 && s.at(end) == ':' && is(t[end-1], cUpper) && s.at(start-1) != '_' {
		return // PASS: TestX, as tests report
	}
	s.passwordEnd = i
	if t[end-1]|0x20 == 't' && is(s.at(end), cLower) { // secretary, secretsmanager; but secretkey
		rest := t[end:]
		if !hasWord(rest, "key") && !hasWord(rest, "access") && !hasWord(rest, "token") && !(hasWord(rest, "s") && !is(s.at(end+1), cAlpha)) {
			return
		}
	}
	if s.aboutPassword(end, i) {
		return
	}
	if m := valueBehind.FindIndex(t[i:min(len(t), i+120)]); m != nil {
		s.passwordAt(start, end, i+bytes.LastIndexAny(t[i:i+m[1]], ":=")+1, ':')
		return
	}
	if s.at(i) == ' ' { // <password encoding="plain">
		name := start
		for name > 0 && start-name < 24 && isWord(t[name-1]) {
			name--
		}
		if s.at(name-1) == '<' {
			k := bytes.IndexAny(t[i:min(len(t), i+80)], "<>/")
			if k < 0 || t[i+k] != '>' {
				return
			}
			s.passwordAt(start, end, i+k+1, '>')
			return
		}
	}
	if s.at(i) == ' ' && s.at(i+1) == '(' { // password (staging):
		if k := bytes.IndexByte(t[i:min(len(t), i+32)], ')'); k > 0 && s.at(i+k+1) == ':' {
			i += k + 1
		}
	}
	for _, w := range []string{"は", "是", "为", "為"} {
		if bytes.HasPrefix(t[i:], []byte(w)) {
			for i += len(w); s.at(i) == ' ' || s.at(i) == ':'; i++ {
			}
			s.passwordAt(start, end, i, ' ')
			return
		}
	}
	op := i
	for i < len(t) && i-op < 12 && (t[i] == ' ' || t[i] == '\t' || t[i] == '"' || t[i] == '\'' || t[i] == '`' || t[i] == ']' || t[i] == ')' || t[i] == '\\' || t[i] == '*') {
		i++
	}
	v := i
	for v < len(t) && v-i < 4 && (t[v] == '=' || t[v] == ':' || t[v] == '>' || t[v] == '|' || t[v] == ',' || t[v] == '(' || t[v] == '?') {
		v++
	}
	var sign byte
	switch {
	case v > i:
		sign = t[v-1]
		if sign == '(' && bytes.IndexByte(t[end:op], '.') >= 0 || sign == ',' && op > end && is(t[end], cUpper) {
			return // password.encode("utf8"), ("PasswordManager", "urllib2")
		}
		if sign == ':' && s.at(v) == ':' || sign == '|' && s.at(v-2) != '|' && (s.at(v) != ' ' || s.at(v+1) != '`') {
			return
		}
	case i > op && quote(t[i-1]) && t[i-1] != t[op] && end-start > 6: // PASSWORD 'x'
		sign, v = '"', i-1
	case i > op && t[op] == ' ' && is(s.at(i), cAlnum|cHigh):
		if s.option(start) {
			sign, v = ' ', i // --password x
			break
		}
		if bytes.IndexByte(t[max(0, start-24):end], '_') >= 0 && is(t[end-1], cUpper) && is(t[start], cUpper) && s.at(i-2) != ' ' {
			sign, v = ' ', i // ENV DB_PASSWORD x
			break
		}
		if (is(s.at(start-1), cAlnum) || s.at(start-1) == '_') && i == op+1 && bytes.IndexByte([]byte("sS"), s.at(op-1)) < 0 && s.strong(i) {
			sign, v = ' ', i // config set dbPassword x
			break
		}
		if end-start <= 4 {
			return // to pass to
		}
		// "password is x", and a type between name and value: var password string = "x"
		if v = s.skipWord(i); v < 0 {
			return
		}
		sign = ' '
	default:
		return
	}
	if sign == ':' && s.at(v) == ' ' && is(s.at(v+1), cAlpha) {
		if k := s.skipWord(v + 1); k > 0 && quote(s.at(k)) && bytes.IndexByte(t[v:k], '=') > 0 {
			v = k
		}
	}
	s.passwordAt(start, end, v, sign)
}

// valueBehind is what stands between the name of a setting and its value where the two
// are fields of their own: "name": "DB_PASSWORD", "value": "…", and in Terraform.
var valueBehind = regexp.MustCompile(`^(?:["'][\s,/>{]*|:?\s*\n\s*)(?:(?i:type)\s{0,3}[=:]\s{0,3}\w{1,12}\s{1,9})?(?:sensitive\s{0,3}=\s{0,3}\w{1,12}\s{1,9})?["']?(?i:value|default)["']?\s{0,3}[:=]\s{0,3}["']?`)

// passwordAt judges the value that begins at v, behind an operator.
func (s *scan) passwordAt(start, end, v int, sign byte) {
	t := s.text
	for i := v; v < len(t) && v-i < 12 && (t[v] == ' ' || t[v] == '\t' || t[v] == '[' || t[v] == '\\' || t[v] == '*' && s.at(v+1) == '*' || t[v] == '@' && s.at(v+1) == '"'); v++ {
	}
	if sign == ':' && s.at(v) == '*' && s.at(v+1) == ' ' { // **Password:** x
		v += 2
	}
	quoted := quote(s.at(v))
	if (sign == ',' && !s.option(start) || sign == '(') && !quoted {
		return
	}
	said := sign == ' '
	stop := v
	if quoted {
		q := t[v]
		v++
		for stop = v; stop < len(t) && stop-v < 128 && t[stop] != q && t[stop] != '\n'; stop++ {
			if t[stop] == '\\' && s.at(stop+1) != q && s.at(v-2) != '\\' {
				stop++
			} else if t[stop] == '\\' {
				break
			}
		}
		if stop >= len(t) || t[stop] != q && t[stop] != '\\' {
			return
		}
	} else {
		for stop < len(t) && stop-v < 128 && !is(t[stop], cSpace) && !quote(t[stop]) && t[stop] != '<' && t[stop] != ';' && t[stop] != ',' && t[stop] != '&' {
			stop++
		}
		for stop > v && bytes.IndexByte([]byte(".,;)]}\\"), t[stop-1]) >= 0 {
			stop--
		}
	}
	val := t[v:max(v, stop)]
	if len(val) < 6 || bytes.ContainsAny(val, " \t\n") || placeholder(val) || reference(val, quoted) {
		return
	}
	if said && !quoted && (!mixed(val) || !bytes.ContainsFunc(val, func(r rune) bool { return r < '0' || r >= 'A' && r <= 'Z' || r == '_' })) {
		return // the password is sha256
	}
	if !mixed(val) && randomEighths(val) < 8*20 && !s.configured(start, end, v, stop) {
		return
	}
	s.addSecret("password", v, v+len(val), 0.75, false)
}

// strong reports whether a word has letters, digits and a sign: no word of a sentence has.
func (s *scan) strong(i int) bool {
	letter, digit, sign := false, false, false
	for from := i; i < len(s.text) && i-from < 64 && !is(s.text[i], cSpace); i++ {
		c := s.text[i]
		letter, digit = letter || is(c, cAlpha), digit || is(c, cDigit)
		sign = sign || bytes.IndexByte([]byte("!#%*+@^&"), c) >= 0
	}
	return letter && digit && sign
}

// option reports whether the word that holds a place is an option of a command.
func (s *scan) option(i int) bool {
	from := i
	for i > 0 && from-i < 32 && (isWord(s.text[i-1]) || s.text[i-1] == '-') {
		i--
	}
	return i < from && s.text[i] == '-' && (is(s.at(i-1), cSpace) || s.at(i-1) == '[')
}

// skipWord gives the place behind a word that may stand between a name and its value: is,
// or a type and an equals sign. -1: another word.
func (s *scan) skipWord(i int) int {
	t := s.text
	from := i
	for i < len(t) && i-from < 12 && (is(t[i], cAlpha|cHigh) || t[i] == '?' || t[i] == '*') {
		i++
	}
	word := string(bytes.ToLower(t[from:i]))
	for i < len(t) && t[i] == ' ' {
		i++
	}
	switch word {
	case "for", "of", "to", "von", "für", "de", "del", "pour":
		for n := 0; n < 4; n++ { // the password for staging is
			from = i
			for i < len(t) && i-from < 24 && (isWord(t[i]) || t[i] == '-' || t[i] == '.') {
				i++
			}
			if s.at(i) == ':' {
				break
			}
			for i < len(t) && t[i] == ' ' {
				i++
			}
			if hasWord(t[i:], "is ") || hasWord(t[i:], "is:") || hasWord(t[i:], "ist ") || hasWord(t[i:], "es ") || hasWord(t[i:], "est ") {
				break
			}
		}
		if s.at(i) == ':' && s.at(i+1) == ' ' {
			return i + 2
		}
		if k := bytes.IndexByte(t[i:min(len(t), i+5)], ' '); k > 1 && i > from {
			return i + k + 1
		}
	case "is", "was", "ist", "lautet", "war", "es", "est", "è", "é", "jest":
		if s.at(i) == ':' {
			for i++; s.at(i) == ' '; i++ {
			}
		}
		return i
	case "string", "str", "string?", "char", "text", "varchar", "secretstr", "securestring", "bytes":
		if s.at(i) == '=' {
			for i++; s.at(i) == ' '; i++ {
			}
			return i
		}
	}
	return -1
}

// aboutPassword reports whether a name that goes on after the word for password names
// something about it: passwordHint, password_reset_url, secretName.
func (s *scan) aboutPassword(end, to int) bool {
	if to == end {
		return false
	}
	w := wordsBefore{text: s.text, at: to, stop: end - 1}
	word := w.next()
	if word == nil {
		return false
	}
	switch say(word) {
	case saysNo, saysIdentity:
		return true
	}
	switch string(word) {
	case "at", "expires", "expiry", "expiration", "hint", "policy", "strength", "length", "reset", "changed", "count", "rules", "error", "message", "msg", "manager", "field", "input",
		"required", "only", "less", "age", "days", "enabled", "s", "provider", "generator", "encoder", "hasher", "validator", "store", "ref", "refs", "arn", "version", "class", "form",
		"prompt", "placeholder", "help", "mode", "engine", "service", "request", "response", "handler", "change", "confirmation", "history", "algorithm", "encryption", "encoding", "method", "source", "stage":
		return true
	}
	return false
}

// shortPassword takes what follows pw: or pw=.
func (s *scan) shortPassword(start, end int) {
	if !is(s.at(start-1), cAlnum) && s.at(end) != '=' {
		s.passwordAt(start, end-1, end, s.text[end-1])
	}
}

func quote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// configured reports whether an assignment is all of a line, and its name is written as a
// variable of the environment with a word before it: DB_PASSWORD=swordfish. Then a plain
// word is believed to be a password.
func (s *scan) configured(start, end, from, to int) bool {
	t := s.text
	if s.at(to) != '\n' && s.at(to) != '\r' && to != len(t) && !quote(s.at(to)) || to-from < 8 || s.at(start-1) != '_' {
		return false
	}
	for _, c := range t[start:end] {
		if !is(c, cUpper) {
			return false
		}
	}
	name := start
	for name > 0 && (is(t[name-1], cUpper|cDigit) || t[name-1] == '_') {
		name--
	}
	if start-name < 3 || !(name == 0 || is(t[name-1], cSpace)) {
		return false
	}
	for _, w := range [][]byte{[]byte("pass"), []byte("secret"), []byte("pwd"), []byte("user"), []byte("admin"), []byte("root"), []byte("postgres"), []byte("mysql"), []byte("none"), []byte("env")} {
		if bytes.Contains(bytes.ToLower(t[from:to]), w) {
			return false
		}
	}
	return true
}

// reference reports whether a value is source code or a place: a variable, a call, a path.
func reference(v []byte, quoted bool) bool {
	if bytes.Contains(v, []byte("://")) || v[0] == '/' || v[0] == '.' || bytes.Contains(v, []byte("->")) || bytes.Contains(v, []byte("::")) || bytes.HasSuffix(v, []byte("/")) || dotted(v) {
		return true
	}
	if !quoted && (bytes.ContainsAny(v, "([{)") || v[0] == '*' || v[0] == '&' || v[0] == '!' || v[0] == '@' && !mixed(v[1:])) {
		return true
	}
	high, letters, digit, sign := 0, 0, 0, 0
	for _, c := range v {
		switch {
		case is(c, cHigh):
			high++
		case is(c, cAlpha):
			letters++
		case is(c, cDigit):
			digit++
		case c != '_':
			sign++
		}
	}
	if high*2 > len(v) || sign > 0 && bytes.IndexByte(v, '/') > 0 && digit == 0 {
		return true
	}
	// An identifier with a number in it: oauth2Password, sha256sum.
	if !quoted && sign == 0 && digit > 0 && randomEighths(v) < 0 {
		low := bytes.ToLower(v)
		for _, w := range [][]byte{[]byte("pass"), []byte("secret"), []byte("word"), []byte("pwd"), []byte("auth"), []byte("token")} {
			if bytes.Contains(low, w) {
				return true
			}
		}
		if i := bytes.IndexByte(v, '_'); i > 0 && i+1 < len(v) && is(v[i+1], cAlpha) {
			return true
		}
	}
	return false
}

// dotted reports whether a value is a chain of names: config.password.value.
func dotted(b []byte) bool {
	parts := bytes.FieldsFunc(b, func(r rune) bool { return r == '.' || r == '_' || r == '-' })
	if len(parts) < 2 {
		return false
	}
	for _, p := range parts {
		for _, c := range p {
			if !is(c, cAlpha) {
				return false
			}
		}
	}
	return true
}
