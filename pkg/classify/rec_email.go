package classify

import (
	"bytes"
	"sync"
)

// EMAIL_ADDRESS: the shape of RFC 5321 as far as people use it: a dot-atom, an @, and a
// domain of at least two labels whose last one is letters (or an xn-- label).

func (s *scan) emails() {
	for i, from := next(s.runs.signs, 0), 0; i >= 0; i = next(s.runs.signs, from) {
		from = i + 1
		if s.text[i] != '@' {
			continue
		}
		s.credentials(i)
		if start, end, ok := s.email(i); ok {
			s.add(hit{typ: "EMAIL_ADDRESS", start: start, end: end, score: 1, valid: true})
			from = end
		}
	}
}

func (s *scan) email(at int) (start, end int, ok bool) {
	start = at
	if s.at(at-1) == '"' {
		start = s.quotedLocal(at)
		if start == at {
			return 0, 0, false
		}
		return s.emailDomain(start, at)
	}
	for start > 0 && at-start < 64 && is(s.text[start-1], cLocal) {
		start--
	}
	// What quotes or introduces an address is not part of it.
	for start < at && bytes.IndexByte([]byte("./'`*=|{}~&?-#!$%^+"), s.text[start]) >= 0 {
		start++
	}
	for k := at - 1; k > start; k-- { // key=value, path/…: the address begins behind it
		if c := s.text[k]; c == '=' || c == '/' || c == '?' || c == '&' || c == '|' || c == '`' || c == '{' || c == '}' {
			start = k + 1
			break
		}
	}
	if start > 0 && s.text[start-1] == ':' && bytes.Contains(s.text[max(0, start-64):start], []byte("://")) {
		return // a password in a URL
	}
	if start >= at || s.text[at-1] == '.' || bytes.Contains(s.text[start:at], []byte("..")) {
		return
	}
	return s.emailDomain(start, at)
}

// quotedLocal gives the start of a local part in quotation marks: "john doe"@; at where
// there is none.
func (s *scan) quotedLocal(at int) int {
	for k := at - 2; k >= 0 && at-k < 64; k-- {
		switch c := s.text[k]; {
		case c == '"':
			if k == at-2 || is(s.at(k-1), cAlnum) || s.at(k-1) == '\\' || s.at(k-1) == '=' {
				return at
			}
			return k
		case c < ' ' || c == '<' || c == '>' || c == '\\' || c == '@' || c == ':' || c == ',' || c == ';':
			return at
		}
	}
	return at
}

func (s *scan) emailDomain(start, at int) (int, int, bool) {
	end := at + 1
	dots, label := 0, end
	last := 0 // end of the address as far as it is good
	for end < len(s.text) && end-at <= 254 {
		c := s.text[end]
		if c == '.' {
			if end == label || s.text[end-1] == '-' {
				break
			}
			dots++
			end++
			label = end
			continue
		}
		if !is(c, cDomain) || c == '-' && end == label {
			break
		}
		end++
		if dots > 0 && goodTLD(s.text[label:end]) && !is(s.at(end), cAlnum|cHigh) && !(s.at(end) == '-' && is(s.at(end+1), cAlnum)) {
			last = end
		}
	}
	if last > 0 && (s.at(last) == ':' || s.at(last) == '/') && string(s.text[start:at]) == "git" {
		return 0, 0, false // git@host:owner/repo names a repository
	}
	return start, last, last > 0
}

func goodTLD(b []byte) bool {
	if len(b) < 2 || len(b) > 24 {
		return false
	}
	if len(b) > 4 && string(b[:4]) == "xn--" {
		return true
	}
	for _, c := range b {
		if !is(c, cAlpha|cHigh) {
			return false
		}
	}
	return !fileSuffix[string(bytes.ToLower(b))]
}

// Endings of file names behind an @ ("logo@2x.png") that are no top-level domains.
var fileSuffix = map[string]bool{"png": true, "jpg": true, "jpeg": true, "gif": true, "svg": true, "webp": true, "js": true, "css": true, "json": true, "tgz": true, "html": true, "yaml": true, "yml": true, "lock": true, "xml": true, "tar": true, "jar": true, "exe": true}

// written finds addresses that hide from programs: maria [at] example [dot] com. The word
// for a dot, or a word for @ in brackets, finds the place.
var writtenEmails = []ownSecret{{"email", func() []string {
	words := []string{" dot ", " punkt ", " punto ", " point ", " ponto "}
	for _, b := range []string{"[]", "()", "{}", "<>"} {
		for _, w := range []string{"at", "dot", "punkt", "punto", "point", "ponto", "arroba", "arobase", "@", "ät"} {
			words = append(words, b[:1]+w+b[1:])
		}
	}
	return words
}(), (*scan).writtenEmail, nil}}

var (
	atWords  = []string{"at", "@", "arroba", "arobase", "ät", "chiocciola"}
	dotWords = []string{"dot", ".", "punkt", "punto", "point", "ponto"}
	// words that stand before "at … dot com" in plain sentences
	notLocal = wordSet("look looks looking looked is are was were be stare staring laugh arrive arrives arrived meet meeting at here there me us him her them you it that this what all not good bad best worst least most now working work works point aim the a an i we he she they one email mail address")
	notHost  = wordSet("the a an this that these those my your his her our their all it least most any each no one")
	mailHost = wordSet("gmail googlemail yahoo hotmail outlook icloud aol gmx web live msn protonmail proton yandex mail zoho fastmail example")
)

func (s *scan) writtenEmail(start, end int) {
	t := s.text
	if end <= s.writtenEnd {
		return
	}
	// Back to the local part: over labels and words for a dot, to the word for @.
	from, to := max(0, start-80), min(len(t), end+60)
	line := t[from:to]
	at, open := -1, start-from
	for k := open; k >= 0 && at < 0; k-- {
		if n := joiner(line[k:], atWords); n > 0 && (k == 0 || !is(line[k], cAlnum)) {
			at = k
		}
		if line[k] == '\n' {
			return
		}
	}
	if at < 0 {
		return
	}
	n := joiner(line[at:], atWords)
	bracket := !is(line[at], cSpace) || !is(line[at+1], cAlpha)
	user := at
	for user > 0 && line[user-1] == ' ' && at-user < 2 {
		user--
	}
	tail := user
	for user > 0 && (is(line[user-1], cAlnum|cHigh) || line[user-1] == '.' || line[user-1] == '_' || line[user-1] == '-' || line[user-1] == '+') {
		user--
	}
	for range 3 { // john (dot) doe (at) …
		k := user
		for k > 0 && user-k < 10 && !is(line[k-1], cDigit) && (k == user || line[k] != '(' && line[k] != '[' && line[k] != '{') {
			k--
		}
		if line[k] != '(' && line[k] != '[' && line[k] != '{' || joiner(line[k:], dotWords) != user-k {
			break
		}
		for k > 0 && line[k-1] == ' ' {
			k--
		}
		from := k
		for from > 0 && (is(line[from-1], cAlnum|cHigh) || line[from-1] == '_' || line[from-1] == '-') {
			from--
		}
		if from == k {
			break
		}
		user = from
	}
	for user < tail && (line[user] == '.' || line[user] == '-' || line[user] == '+') {
		user++
	}
	if user == tail || tail-user > 64 {
		return
	}
	// Forth over the domain.
	name := func(i int) int {
		for i < len(line) && is(line[i], cDomain) && line[i] != '.' {
			i++
		}
		return i
	}
	host := line[at+n : name(at+n)]
	good := -1
	for i := at + n + len(host); i > at+n && i < len(line); {
		m := joiner(line[i:], dotWords)
		if m == 0 {
			break
		}
		label := i + m
		if i = name(label); i == label {
			break
		}
		if goodTLD(line[label:i]) {
			good = i
		}
	}
	if good < 0 || len(host) == 0 {
		return
	}
	host, local := bytes.ToLower(host), bytes.ToLower(line[user:tail])
	if !bracket { // words alone: the sentence has to speak of mail, or the parts look like it
		if notLocal[string(local)] || notHost[string(host)] {
			return
		}
		near, far := s.context(from+user, from+good)
		told := near.has(mailIndex()) || far.has(mailIndex()) || s.alone(from+user, from+good)
		if !told && !mailHost[string(host)] && !bytes.ContainsAny(local, "._0123456789") && is(line[at+1], cLower) {
			return
		}
	}
	s.writtenEnd = from + good
	s.add(hit{typ: "EMAIL_ADDRESS", start: from + user, end: from + good, score: 1})
}

// joiner gives the length of a word for @ or for a dot at the beginning of b, with the
// blanks or brackets it needs around it; 0: there is none.
func joiner(b []byte, words []string) int {
	i := 0
	for i < len(b) && b[i] == ' ' && i < 2 {
		i++
	}
	blank := i > 0
	closing := byte(0)
	if i < len(b) {
		switch b[i] {
		case '[':
			closing = ']'
		case '(':
			closing = ')'
		case '{':
			closing = '}'
		case '<':
			closing = '>'
		}
	}
	if closing != 0 {
		i++
	}
	for i < len(b) && closing != 0 && b[i] == ' ' {
		i++
	}
	for _, w := range words {
		if !hasWord(b[i:], w) {
			continue
		}
		k := i + len(w)
		if closing != 0 {
			for k < len(b) && b[k] == ' ' {
				k++
			}
			if k >= len(b) || b[k] != closing {
				continue
			}
			k++
			for k < len(b) && b[k] == ' ' {
				k++
			}
			return k
		}
		if w == "." || w == "@" {
			if blank && w == "." {
				continue
			}
			for k < len(b) && b[k] == ' ' && w == "@" {
				k++
			}
			return k
		}
		if !blank || k >= len(b) || b[k] != ' ' {
			continue
		}
		return k + 1
	}
	return 0
}

var mailContext = recogniser{words: "email,e mail,mail,mailto,emails,mails,contact,reach,write,send,address,forward,cc,inbox,correo,courriel,escribe,escríbeme,écrivez,schreiben,schreib,posta,scrivi,kontakt,napisz,e posta,mejl"}

var mailIndex = sync.OnceValue(func() int { return recogniserIndex(&mailContext) })
