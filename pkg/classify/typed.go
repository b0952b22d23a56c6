package classify

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/stoplog/stoplog/corpus/names"
)

// The values of a run's typed fields are searched in its free text. A recogniser has to
// be sure of a value by itself; here the value is known, so that a name in small letters
// and a number without its country count too, and get the stub that the field has.

// knownValue is a typed value and how its stub is made: what is found in free text in
// another form is the same value to the namer.
type knownValue struct {
	others []*knownValue // the parts of the same name, this one among them
	typ    string        // entity type of what is found
	scope  string        // type that the field's stub was made with: typ, or FIELD
	stub   string        // base name of the stub
	form   StubForm
	value  []byte
}

// pattern is one way in which a known value is written.
type pattern struct {
	folded  []byte // as lowered gives it
	known   *knownValue
	proper  bool            // also a common word: only with a capital letter
	compact bool            // letters and digits alone: separators in the text do not count
	open    bool            // of a script that puts no blanks between words: it has no boundaries
	endings map[string]bool // folded is a stem, and one of these stands behind it
}

// phonePattern is a telephone number without what depends on where one dials from.
type phonePattern struct {
	known   *knownValue
	country string // empty: not told
	core    string // digits behind country and trunk prefix
}

// A document may bring thousands of values, and as many places where one could stand: an
// index by the first bytes keeps the work in proportion to the text.
type nameSearch struct {
	plain    map[string][]pattern      // by the first bytes, as many as keyLengths says
	lengths  [len(keyLengths)]bool     // that are in use
	compacts map[string][]pattern      // by the first bytes that count
	phones   map[string][]phonePattern // by the last seven digits
	have     map[string]bool
	open     bool // there are patterns without boundaries
}

// keyLengths are the lengths of the index's keys; a pattern has the longest that it fills.
var keyLengths = [...]int{192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 5, 4, 3, 2}

const compactKeys = 6 // bytes of the keys of compacts, and the least that such a value has

func (s *nameSearch) index(p pattern) {
	if p.compact {
		k := string(p.folded[:compactKeys])
		if len(p.folded) >= 2*compactKeys {
			k = string(p.folded[:2*compactKeys])
		}
		s.compacts[k] = append(s.compacts[k], p)
		return
	}
	for i, n := range keyLengths {
		if len(p.folded) >= n {
			s.lengths[i] = true
			s.plain[string(p.folded[:n])] = append(s.plain[string(p.folded[:n])], p)
			return
		}
	}
}

// Words that are also names. Searching them in any case would redact ordinary prose.
var commonWords = wordSet(`will mark may an art bill bob chance chase christian dale dawn dean drew faith frank gene
grace grant hope hunter ivy iris jack jean joy june april august lance lane major mason max miles nick page pat pearl penny
peter ray reed rich rob rose rusty sandy sky star sue summer sunny tan tom tony trip van victor violet wade ward young long
short white black brown green king bishop price cook baker banks bell best bush case child cross day field fish ford fox
free gates good hall hand hill hope house hunt hurt kind land law lord love low mills moon moore park parks pope post power
rice rivers root sales sharp sheep shore stone storm street strong swan teller warm waters wells west north wise wolf wood
woods do so he she her his to in on at is it be by or as if of and the not for you your are was but all any can had has him
how man new now old see two way who boy did its let put say too use le la de der die das den ein el los las un une il lo du
des von zu da di e y o a i`)

// searchable are types whose values are worth finding word for word. Dates and ages
// identify nobody by themselves, and agents need them.
func searchable(typ string) bool { return typ != "DATE_TIME" && typ != "NRP" && typ != "AGE" }

// typedNames collects the typed values of this document and of the run, and records
// this document's for later ones. own is what recognisers found, leaf by leaf.
func (d *decision) typedNames(own [][]hit) *nameSearch {
	for i := range d.leaves {
		d.out.Names = append(d.out.Names, d.typedIn(&d.leaves[i], own[i])...)
	}
	d.out.Names = slices.CompactFunc(d.out.Names, func(a, b Name) bool {
		return a.Type == b.Type && a.Stub == b.Stub && a.Field == b.Field && bytes.Equal(a.Value, b.Value)
	})
	// What a field declares names the stub, not what was inferred, and is kept first.
	declared := func(a, b Name) int { return cmp.Compare(min(1, len(b.Stub)), min(1, len(a.Stub))) }
	slices.SortStableFunc(d.out.Names, declared)
	all := append(slices.Clone(d.out.Names), d.in.Names...)
	slices.SortStableFunc(all, declared)
	if len(all) == 0 {
		return nil
	}
	s := &nameSearch{plain: map[string][]pattern{}, compacts: map[string][]pattern{}, phones: map[string][]phonePattern{}, have: map[string]bool{}}
	for _, n := range all {
		s.addValue(n)
	}
	// The parts of a full name occur alone ("Dear Maria"). They are other values, so they
	// get stubs of their own. A part that another field has whole is that field's.
	for _, n := range all {
		if n.Type == "PERSON" {
			s.addParts(n)
		}
	}
	for _, m := range []map[string][]pattern{s.plain, s.compacts} {
		for _, ps := range m {
			slices.SortStableFunc(ps, func(a, b pattern) int { return cmp.Compare(len(b.folded), len(a.folded)) })
		}
	}
	return s
}

// typedIn gives the typed values that one leaf holds.
func (d *decision) typedIn(l *leaf, own []hit) []Name {
	if l.kind != leafText && l.kind != leafLiteral || len(l.text) == 0 {
		return nil
	}
	copied := func(b []byte) []byte { return append([]byte(nil), b...) }
	r := l.matched.own()
	if l.header() {
		n := Name{Type: "PERSON"}
		if r != nil && r.Type == "PERSON" {
			n.Stub, n.Form = r.stub, r.Form
		}
		var out []Name
		for _, p := range headerPersons(l.text) {
			n.Value = p
			out = append(out, n)
		}
		return out
	}
	if r != nil && r.Type != "" && !r.Text {
		if !searchable(r.Type) {
			return nil
		}
		return []Name{{Type: r.Type, Stub: r.stub, Form: r.Form, Value: copied(l.text)}}
	}
	how, _ := d.treat(l)
	var out []Name
	for i, h := range own {
		// Nobody declared the value's type, but a recogniser knows what all of it is.
		all := d.structured && l.path != nil && !l.free && !(r != nil && r.Text) && fills(l.text, h)
		switch {
		case all && how == whole && searchable(h.typ) && h.typ != "SECRET":
			rule := r
			if rule == nil {
				rule = l.matched.inherited
			}
			n := Name{Type: h.typ, Stub: stubName(l.keys()), Field: true, Value: copied(l.text)}
			if r != nil {
				n.Stub = r.stub
			}
			if rule != nil {
				n.Form = rule.Form
			}
			out = append(out, n)
		case h.typ == "PERSON" && (all && h.score >= 0.85 || addressed(l.text, own, i)):
			// An author beside the text, or a name with its address ("Ana Ruiz <ana@…>").
			out = append(out, Name{Type: "PERSON", Value: copied(l.text[h.start:h.end])})
		}
	}
	if len(out) == 0 && how == whole && r != nil && idLike(l.text) {
		out = append(out, Name{Type: "FIELD", Stub: r.stub, Form: r.Form, Field: true, Value: copied(l.text)})
	}
	return out
}

// fills reports whether a hit is all of a value but for white space and quotes.
func fills(text []byte, h hit) bool {
	const around = " \t\r\n\"'"
	return len(bytes.Trim(text[:h.start], around)) == 0 && len(bytes.Trim(text[h.end:], around)) == 0
}

// addressed reports whether an e-mail address in angle brackets stands behind a hit.
func addressed(text []byte, hits []hit, i int) bool {
	if i+1 >= len(hits) || hits[i+1].typ != "EMAIL_ADDRESS" {
		return false
	}
	between := text[hits[i].end:hits[i+1].start]
	return len(between) <= 4 && bytes.HasSuffix(between, []byte("<")) && len(bytes.Trim(between, " \"'<")) == 0
}

// idLike reports whether a value can be told from ordinary words and numbers wherever it
// occurs: a customer's number, not an amount, a date or a word.
func idLike(v []byte) bool {
	digits, letters, other := 0, 0, 0
	for _, c := range v {
		switch {
		case is(c, cDigit):
			digits++
		case is(c, cAlpha):
			letters++
		case c == '-' || c == '_' || c == '/' || c == '.' || c == ' ':
			other++
		default:
			return false
		}
	}
	switch {
	case digits < 4 || digits+letters < 6 || digits+letters > 64:
		return false
	case letters > 0:
		return other <= (digits+letters)/3 && !(digits == 14 && letters <= 2) // no time in ISO 8601
	}
	return digits >= 7 && !bytes.ContainsAny(v, ". ") && !(len(v) == 10 && v[4] == '-' && v[7] == '-')
}

func (s *nameSearch) addValue(n Name) {
	k := &knownValue{typ: n.Type, scope: n.Type, stub: n.Stub, form: n.Form, value: n.Value}
	if n.Field {
		k.scope = "FIELD"
	}
	if k.stub == "" {
		k.stub = n.Type
	}
	if noNames[string(foldName(n.Value))] {
		return // what stands there when nobody knows the value
	}
	s.add(n.Value, k, n.Field || n.Stub == "")
	if n.Type == "PERSON" && !bytes.ContainsAny(n.Value, " \t\n") {
		s.inflect(string(n.Value), k)
	}
	if n.Type == "PHONE_NUMBER" {
		if country, core, ok := dialled(n.Value); ok {
			tail := core[len(core)-7:]
			s.phones[tail] = append(s.phones[tail], phonePattern{k, country, core})
		}
		return
	}
	switch n.Type {
	case "PERSON", "EMAIL_ADDRESS", "URL", "ORGANIZATION", "SECRET", "IP_ADDRESS":
		return
	}
	key := compactKey(n.Value)
	digits := bytes.ContainsFunc(key, unicode.IsDigit)
	if len(key) >= compactKeys && len(key) <= 128 && digits && !s.have["#"+string(key)] {
		s.have["#"+string(key)] = true
		s.index(pattern{folded: key, known: k, compact: true})
	}
}

// add takes a value as it is written. inferred: nobody declared that it is a name.
func (s *nameSearch) add(value []byte, k *knownValue, inferred bool) {
	f := foldName(value)
	runes := utf8.RuneCount(f)
	if runes < 2 || len(f) > 256 || s.have[string(f)] {
		return
	}
	s.have[string(f)] = true
	p := pattern{folded: f, known: k, proper: runes < 3}
	if k.typ == "PERSON" {
		p.proper = p.proper || ordinary(f, inferred)
	}
	if first, _ := utf8.DecodeRune(f); unspaced(first) {
		p.open, p.proper = true, false
	}
	if p.open {
		s.open = true
	}
	s.index(p)
	// Umlauts are written with an e where a keyboard has none.
	if spelt := umlauts.Replace(string(bytes.ToLower(norm.NFC.Bytes(value)))); k.typ == "PERSON" && spelt != "" {
		if g := foldName([]byte(spelt)); !bytes.Equal(f, g) && !s.have[string(g)] {
			s.have[string(g)] = true
			p.folded = g
			s.index(p)
		}
	}
}

// ordinary reports whether a name is made of words that prose has without meaning anybody.
// What nobody declared to be a name is taken for one less readily.
func ordinary(folded []byte, inferred bool) bool {
	for _, w := range bytes.Fields(folded) {
		f := names.Of(w)
		if !commonWords[string(w)] && !mailboxWords[string(w)] && (!inferred || f&names.Frequent == 0) {
			return false
		}
	}
	return true
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe")

func (s *nameSearch) addParts(n Name) {
	parts := strings.Fields(string(n.Value))
	if len(parts) < 2 {
		return
	}
	stub := n.Type
	if n.Stub != "" {
		stub = n.Stub + "_PART"
	}
	var form StubForm // a part has no constant and no hash of its own
	if n.Form == StubSurrogate {
		form = n.Form
	}
	var all []*knownValue
	small := strings.ToLower(string(n.Value)) == string(n.Value) // nobody wrote capitals here
	for _, p := range parts {
		p = strings.Trim(p, ".,;:()\"'")
		first, _ := utf8.DecodeRuneInString(p)
		low := strings.ToLower(p)
		switch runes := utf8.RuneCountInString(p); {
		case runes < 3, strings.ContainsRune(p, '@'), particles[low], titles[low]:
		case unicode.IsUpper(first), small && runes > 3 && unicode.IsLower(first):
			k := &knownValue{typ: n.Type, scope: n.Type, stub: stub, form: form, value: []byte(p)}
			s.add([]byte(p), k, true)
			s.inflect(p, k)
			all = append(all, k)
		}
	}
	if n.Type == "PERSON" {
		for _, k := range all {
			k.others = all
		}
	}
}

// unspaced reports whether a rune is of a script that writes words without blanks.
func unspaced(r rune) bool {
	return r >= 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// find gives every occurrence of a known value in text, in order and disjoint.
func (s *nameSearch) find(text []byte) []hit {
	low, off := lowered(text)
	var out []hit
	put := func(k *knownValue, from, to int) {
		start, stop := int(off[from]), int(off[to])
		for stop > start && (text[stop-1] == ' ' || text[stop-1] == '\n' || text[stop-1] == '\t' || text[stop-1] == '\r') {
			stop--
		}
		out = append(out, hit{typ: k.typ, known: k, start: start, end: stop, score: 1})
	}
	boundary := true
	for i := 0; i < len(low); {
		at := boundary
		r, n := utf8.DecodeRune(low[i:])
		boundary = !wordRune(r)
		end := 0
		var known *knownValue
		if len(s.phones) > 0 && at && (is(low[i], cDigit) || low[i] == '+' || low[i] == '(') {
			known, end = s.phone(low, i)
		}
		if known == nil && (at || s.open && low[i] >= utf8.RuneSelf) {
			known, end = s.at(text, low, off, i, at)
		}
		if known == nil {
			i += n
			continue
		}
		if len(known.others) > 1 {
			before := 0
			if len(out) > 0 {
				before = out[len(out)-1].end
			}
			if k, from := mistypedBefore(text, low, off, i, known); k != nil && int(off[from]) >= before {
				put(k, from, i-1)
			}
			put(known, i, end)
			if k, to := mistypedAfter(text, low, off, end, known); k != nil && s.none(text, low, off, end+1) {
				put(k, end+1, to)
				end = to
			}
			i, boundary = end, false
			continue
		}
		put(known, i, end)
		i, boundary = end, false
	}
	return out
}

// at gives the longest known value that begins at i.
func (s *nameSearch) at(text, low []byte, off []int32, i int, boundary bool) (*knownValue, int) {
	for k, n := range keyLengths {
		if !s.lengths[k] || len(low)-i < n {
			continue
		}
		for _, p := range s.plain[string(low[i:i+n])] {
			end := 0
			if boundary || p.open {
				end = p.match(low, i)
			}
			if end == 0 {
				continue
			}
			if first, _ := utf8.DecodeRune(text[off[i]:]); p.proper && !unicode.IsUpper(first) {
				continue
			}
			return p.known, end
		}
	}
	if len(s.compacts) == 0 || !boundary {
		return nil, 0
	}
	var key [2 * compactKeys]byte
	n := 0
	for k, gap := i, 0; n < len(key) && k < len(low) && gap < 4; k++ {
		if gap++; is(low[k], cAlnum|cHigh) {
			key[n] = low[k]
			n, gap = n+1, 0
		}
	}
	for _, n := range [...]int{n, compactKeys} {
		if n != len(key) && n != compactKeys {
			continue
		}
		for _, p := range s.compacts[string(key[:n])] {
			if end := p.match(low, i); end > 0 {
				return p.known, end
			}
		}
	}
	return nil, 0
}

// match gives the end of the pattern if it stands at i, or 0.
func (p pattern) match(low []byte, i int) int {
	if !p.compact {
		end := i + len(p.folded)
		if !bytes.HasPrefix(low[i:], p.folded) {
			return 0
		}
		if p.endings != nil {
			return p.inflected(low, i)
		}
		if next, _ := utf8.DecodeRune(low[end:]); end < len(low) && wordRune(next) && !p.open && !unicode.Is(unicode.Hangul, next) {
			return 0
		}
		return end
	}
	if numberGoesOn(low, i, -1) {
		return 0
	}
	for k := 0; ; {
		for i < len(low) && k < len(p.folded) && low[i] == p.folded[k] {
			i, k = i+1, k+1
		}
		if k == len(p.folded) {
			break
		}
		sep := i
		for sep < len(low) && sep-i < 3 && bytes.IndexByte([]byte(" -./(),_"), low[sep]) >= 0 {
			sep++
		}
		if sep == i || sep == len(low) || low[sep] != p.folded[k] {
			return 0
		}
		i = sep
	}
	if next, _ := utf8.DecodeRune(low[i:]); i < len(low) && wordRune(next) || numberGoesOn(low, i, 1) {
		return 0
	}
	return i
}

// numberGoesOn reports whether a number that begins or ends at i is part of a longer one.
func numberGoesOn(low []byte, i, step int) bool {
	a, b := i-1, i-2
	if step > 0 {
		a, b = i, i+1
	}
	if a < 0 || a >= len(low) || b < 0 || b >= len(low) {
		return false
	}
	return (low[a] == '.' || low[a] == '-' || low[a] == '/' || low[a] == ',') && is(low[b], cDigit)
}

// phone looks for a known telephone number that begins at i, in any grouping, with and
// without its country.
func (s *nameSearch) phone(low []byte, i int) (*knownValue, int) {
	if numberGoesOn(low, i, -1) || i > 0 && (low[i] == '(' || is(low[i], cDigit)) && (low[i-1] == '+' || low[i-1] == '(') {
		return nil, 0 // it began before
	}
	plus := false
	var digits []byte
	var known *knownValue
	end := 0
	for k := i; k < len(low) && len(digits) < 20; {
		switch c := low[k]; {
		case is(c, cDigit):
			digits = append(digits, c)
			k++
			if k < len(low) && is(low[k], cDigit) {
				continue
			}
			if next, _ := utf8.DecodeRune(low[k:]); len(digits) < 7 || k < len(low) && (wordRune(next) && next != 'x' && next != 'e' || numberGoesOn(low, k, 1)) {
				continue
			}
			for _, p := range s.phones[string(digits[len(digits)-7:])] {
				if p.reached(digits, plus) {
					known, end = p.known, k
				}
			}
		case c == '+' && k == i, c == '+' && k == i+1 && low[i] == '(':
			plus = true
			k++
		default:
			sep := k
			for sep < len(low) && sep-k < 3 && bytes.IndexByte([]byte(" -./()"), low[sep]) >= 0 {
				sep++
			}
			if sep == k || sep == len(low) || !is(low[sep], cDigit) {
				return known, end
			}
			// (0) is the trunk prefix that one leaves out from abroad.
			if plus && sep > 0 && low[sep-1] == '(' && bytes.HasPrefix(low[sep:], []byte("0)")) {
				sep += 2
				for sep < len(low) && low[sep] == ' ' {
					sep++
				}
			}
			k = sep
		}
	}
	return known, end
}

// reached reports whether dialling digits reaches p.
func (p phonePattern) reached(digits []byte, plus bool) bool {
	head, ok := bytes.CutSuffix(digits, []byte(p.core))
	if !ok {
		return false
	}
	h := string(head)
	if abroad, ok := strings.CutPrefix(h, "00"); ok && abroad != "" {
		h, plus = abroad, true
	}
	switch {
	case h == "" || h == "0" || h == "8" && p.country == "7":
		return !plus
	case p.country != "":
		return h == p.country || h == p.country+"0"
	case plus:
		return len(strings.TrimSuffix(h, "0")) <= 3
	}
	return h == "1"
}

// dialled takes a telephone number apart: its country, if it is told, and what is left
// behind country and trunk prefix. false: too short to be told from other numbers.
func dialled(value []byte) (country, core string, ok bool) {
	low, _ := lowered(value)
	if i := bytes.IndexAny(low, "0123456789"); i > 0 {
		if k := bytes.IndexAny(low[i:], "xe"); k > 0 { // extension
			low = low[:i+k]
		}
	}
	text := string(low)
	plus := strings.Contains(text, "+")
	text = strings.ReplaceAll(text, "(0)", "")
	var digits []byte
	for i := 0; i < len(text); i++ {
		if is(text[i], cDigit) {
			digits = append(digits, text[i])
		}
	}
	d := string(digits)
	if !plus && strings.HasPrefix(d, "00") {
		d, plus = d[2:], true
	}
	switch {
	case plus:
		country = callingCode(d)
		d = d[len(country):]
	case len(d) == 11 && d[0] == '1' && nanp(digits[1:]):
		country, d = "1", d[1:]
	}
	d = strings.TrimLeft(d, "0")
	return country, d, len(d) >= 7 && len(d) <= 14
}

// callingCode gives the country at the front of an international number.
func callingCode(d string) string {
	switch {
	case d == "":
		return ""
	case d[0] == '1' || d[0] == '7':
		return d[:1]
	case len(d) >= 2 && twoDigitCodes[d[:2]]:
		return d[:2]
	}
	return d[:min(3, len(d))]
}

// twoDigitCodes are the country codes of two digits (ITU-T E.164); all others but 1 and
// 7 have three.
var twoDigitCodes = wordSet("20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98")

func wordRune(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r))
}

// foldName is a name as lowered gives text.
func foldName(b []byte) []byte {
	low, _ := lowered(bytes.TrimSpace(b))
	return bytes.TrimSpace(low)
}

// compactKey is what of a value counts where separators do not.
func compactKey(value []byte) []byte {
	low, _ := lowered(value)
	out := low[:0]
	for _, c := range low {
		if is(c, cAlnum|cHigh) {
			out = append(out, c)
		}
	}
	return out
}

// lowered is text folded, in lower case, without accents, hyphens between letters as
// blanks and with single blanks; off maps each byte back.
func lowered(text []byte) ([]byte, []int32) {
	f := fold(text)
	low := make([]byte, 0, len(f.text))
	off := make([]int32, 0, len(f.text)+1)
	space := false
	for i := 0; i < len(f.text); {
		at := i
		if f.off != nil {
			at = int(f.off[i])
		}
		c := f.text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case is(c, cSpace), c == '\v', c == '\f', c == '-' && joins(f.text, i-1):
				if !space {
					low, off = append(low, ' '), append(off, int32(at))
				}
				space = true
				continue
			case is(c, cUpper):
				c += 'a' - 'A'
			}
			space = false
			low, off = append(low, c), append(off, int32(at))
			continue
		}
		r, n := utf8.DecodeRune(f.text[i:])
		i += n
		switch {
		case unicode.IsSpace(r):
			if !space {
				low, off = append(low, ' '), append(off, int32(at))
			}
			space = true
			continue
		case r >= 0x300 && r <= 0x36F: // an accent on its own
			continue
		}
		space = false
		if r == utf8.RuneError {
			low, off = append(low, f.text[i-n]), append(off, int32(at))
			i += 1 - n
			continue
		}
		for _, c := range plainLetter(unicode.ToLower(r)) {
			low, off = append(low, byte(c)), append(off, int32(at))
		}
	}
	return low, append(off, int32(len(text)))
}

// joins reports whether the hyphen at i stands between letters (Anne-Marie): there it is
// a matter of taste. Between digits it is not.
func joins(text []byte, i int) bool {
	return i > 0 && i+1 < len(text) && is(text[i-1], cAlpha|cHigh) && is(text[i+1], cAlpha|cHigh)
}

// plainLetter is a letter without its accent, in UTF-8.
func plainLetter(r rune) []byte {
	var b [utf8.UTFMax]byte
	switch {
	case r == 0x2019 || r == 0x2BC:
		return append(b[:0], '\'')
	case r >= 0x250 && (r < 0x1E00 || r > 0x1EFF):
		return utf8.AppendRune(b[:0], r)
	case r == 'ß':
		return append(b[:0], "ss"...)
	case r == 'æ':
		return append(b[:0], "ae"...)
	case r == 'ø':
		return append(b[:0], 'o')
	case r == 'ł':
		return append(b[:0], 'l')
	case r == 'đ', r == 'ð':
		return append(b[:0], 'd')
	case r == 'ı':
		return append(b[:0], 'i')
	}
	if d := norm.NFD.PropertiesString(string(r)).Decomposition(); len(d) > 0 {
		base, _ := utf8.DecodeRune(d)
		return plainLetter(base)
	}
	return utf8.AppendRune(b[:0], r)
}

// covered reports whether found makes up all letters of h.
func covered(text []byte, h hit, found []hit) bool {
	at := h.start
	for _, f := range found {
		if f.end <= at || f.start >= h.end {
			continue
		}
		if hasLetter(text[at:max(at, f.start)]) {
			return false
		}
		at = max(at, f.end)
	}
	return at > h.start && !hasLetter(text[min(at, h.end):h.end])
}

func hasLetter(b []byte) bool { return bytes.ContainsFunc(b, unicode.IsLetter) }
