package classify

import "bytes"

// EMAIL_ADDRESS: the shape of RFC 5321 as far as people use it: a dot-atom, an @, and a
// domain of at least two labels whose last one is letters (or an xn-- label).

func (s *scan) emails() {
	for from := 0; ; {
		i := bytes.IndexByte(s.text[from:], '@')
		if i < 0 {
			return
		}
		i += from
		from = i + 1
		s.credentials(i)
		if start, end, ok := s.email(i); ok {
			s.add(hit{typ: "EMAIL_ADDRESS", start: start, end: end, score: 1, valid: true})
			from = end
		}
	}
}

func (s *scan) email(at int) (start, end int, ok bool) {
	start = at
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
	end = at + 1
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
