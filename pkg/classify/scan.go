package classify

import "sync"

// scan is one pass over one folded text.
type scan struct {
	text     []byte
	runs     runs
	hits     []hit
	limits   *limits
	depth    int // of encodings that were looked through
	shapes   *shapeTable
	shapeBuf [48]byte

	secretTable *secretTable
	windowEnd   map[*secretRule]int // how far a rule has looked
	keyedEnd    int                 // end of the last token that looked random
	passwordEnd int                 // end of the last name of a password
	commandEnd  int                 // how far commands were looked at
	passwordRow valueRow
	headerRow   valueRow
	jwkEnd      int // end of the last object with a key's members

	phoneEnd      int       // end of the last telephone number
	curl          [2]int    // how far options of curl were looked for
	datesEnd      int       // end of the last number that was looked at as a date of birth
	connectionEnd int       // end of the last :// that was looked behind for a password
	pemEnd        int       // end of the last private key
	mails         int       // of hits, the first ones: e-mail addresses in order
	lookups       int       // of the telephone library
	joined        bool      // the token is joined to the word before it
	encodedEnd    int       // end of the last token that could be an encoding
	nothing       [4][2]int // tokens that decoded to text with nothing in it: payloads repeat their ids
	nothings      int
	addressSixEnd int // end of the last run that was looked at as an IPv6 address
	addressEnd    int // end of the last postal address
	postalEnd     int // end of the last one found from its post code
	writtenEnd    int // end of the last e-mail address in words

	// context words of the last value asked about
	ctxKept          bool
	ctxStart, ctxEnd int
	ctxNear, ctxFar  ctxBits
}

func (s *scan) add(h hit) {
	if s.hits == nil {
		s.hits = make([]hit, 0, 8)
	}
	s.hits = append(s.hits, h)
}

// scans are kept for the next text: there are several to a document.
var scans = sync.Pool{New: func() any { return new(scan) }}

// hitsIn gives what one pass finds in a text.
func hitsIn(text []byte, depth int, l *limits) []hit {
	s := scans.Get().(*scan)
	s.depth, s.limits = depth, l
	s.run(text)
	hits := s.hits
	*s = scan{runs: s.runs} // the pool keeps no content
	if len(text) > 1<<20 {
		s.runs = runs{} // nor the memory of a large document
	}
	scans.Put(s)
	return hits
}

func (s *scan) run(text []byte) {
	s.text = text
	s.runs.fill(text)
	s.shapes = shapesOnce()
	s.emails()
	s.mails = len(s.hits)
	s.numbers()
	s.longRuns()
	s.secrets()
	if !s.limits.noNames {
		s.hits = append(s.hits, tagNames(text, s.limits.personBias())...)
		s.fields()
		s.tagFields()
		s.formFields()
	}
	if s.depth < maxEncodings {
		s.escaped()
	}
}

// maxEncodings bounds encodings within encodings.
const maxEncodings = 2

// Character classes, one table look-up a byte.
const (
	cDigit = 1 << iota
	cUpper
	cLower
	cSpace
	cLocal  // may stand in the local part of an e-mail address
	cDomain // may stand in a domain name
	cHigh   // not ASCII
	cHex    // hex digit; the highest bit
	cAlpha  = cUpper | cLower
	cAlnum  = cAlpha | cDigit
)

var class = func() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		switch {
		case c >= '0' && c <= '9':
			t[i] = cDigit | cLocal | cDomain
		case c >= 'A' && c <= 'Z':
			t[i] = cUpper | cLocal | cDomain
		case c >= 'a' && c <= 'z':
			t[i] = cLower | cLocal | cDomain
		case c == ' ', c == '\t', c == '\n', c == '\r':
			t[i] = cSpace
		case c >= 0x80:
			t[i] = cHigh | cLocal | cDomain
		}
	}
	for _, c := range []byte("!#$%&'*+/=?^_`{|}~.-") {
		t[c] |= cLocal
	}
	for _, c := range []byte("0123456789abcdefABCDEF") {
		t[c] |= cHex
	}
	t['-'] |= cDomain
	t['.'] |= cDomain
	return
}()

func is(c byte, mask uint8) bool { return class[c]&mask != 0 }

// at gives the byte at i, or 0 outside the text.
func (s *scan) at(i int) byte {
	if i < 0 || i >= len(s.text) {
		return 0
	}
	return s.text[i]
}
