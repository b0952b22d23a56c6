package classify

import (
	"bytes"
	"regexp"
	"strings"
)

// Passwords, and what else is told by what stands before it and not by its form: values of
// settings, options of commands, HTTP headers, pairs of a name and a password.

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
		if s.looked(&s.headerRow, from) {
			return
		}
		for i < len(t) && i-from < 2048 && (base64URL(t[i]) || t[i] == '.' || t[i] == '+' || t[i] == '/' || t[i] == '=' || t[i] == '~') {
			i++
		}
		s.headerRow.end = max(s.headerRow.end, i)
		v := bytes.TrimRight(t[from:i], ".")
		if len(v) > 20 || s.at(i) != ' ' {
			if len(v) >= 20 && !s.typeName(end) && mixed(v) && !placeholder(v) && !stairs(v) && randomEighths(v) >= 8*16 && s.at(i) != '(' && s.at(i) != ':' {
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
	if s.aboutPassword(end, i) || s.typeName(i) {
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
	case i > op && quote(t[i-1]) && t[i-1] != '`' && t[i-1] != t[op] && end-start > 6: // PASSWORD 'x'
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
		if s.looked(&s.passwordRow, v) {
			return
		}
		for stop < len(t) && stop-v < 128 && !is(t[stop], cSpace) && !quote(t[stop]) && t[stop] != '<' && t[stop] != ';' && t[stop] != ',' && t[stop] != '&' {
			stop++
		}
		s.passwordRow.end = max(s.passwordRow.end, stop)
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
	if !mixed(val) && (randomEighths(val) < 8*20 || bytes.Equal(val, bytes.ToLower(val))) && (sign == '(' || sign == ',' || !s.configured(start, end, v, stop)) {
		return
	}
	s.addSecret("password", v, v+len(val), 0.75, false)
}

// valueRow is a value that holds names of values in a row: password=password=password=x.
type valueRow struct{ end, tries int }

// looked reports whether a value that begins inside another one need not be looked at: what
// encloses it was judged with all that it holds, and so were the first few inside it.
func (s *scan) looked(r *valueRow, from int) bool {
	if from >= r.end {
		r.tries = 0
		return false
	}
	r.tries++
	return r.tries > 8
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
	if letters == 0 && bytes.IndexByte(v, '.') > 0 || len(v) <= 20 && v[0] == '0' && v[1]|0x20 == 'x' { // a version, a number
		return true
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
