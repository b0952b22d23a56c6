package cite

import (
	"regexp"
	"strings"
)

type builtin struct {
	forms []form
	bare  func(string) string
}

var builtins = map[string]builtin{
	URL:     {},
	Statute: {forms: statutes},
	Parcel:  {forms: parcels, bare: func(s string) string { return parcelID(s, 1) }},
	Grant:   {forms: grants, bare: bareGrant},
}

// A number of a section, and what follows it without being looked up: sources of record
// list sections, so the paragraph or sentence that a citation goes on to is not a part of
// its normal form.
const (
	usSection = `\d{1,5}[a-z]{0,3}(?:-\d{1,4}[a-z]{0,2})?(?:\s?\([0-9A-Za-z]{1,5}\))*`
	deSection = `\d{1,4}[a-z]?(?:\s*(?:(?:Abs(?:\.|atz|ätze)?|S\.|Satz|Sätze|Nr\.|Nummer|lit\.|Buchst(?:\.|abe)|Hs\.|Halbsatz|Alt\.|Var\.|UAbs\.|ff?\.)\s*(?:\d{1,3}[a-z]?|[a-z]\b)?\)?|[IVX]{1,5}\b(?:,\s*[IVX]{1,5}\b)*(?:\s+\d{1,2}\b)?))*`
)

var (
	sectionNumber = regexp.MustCompile(`^\d+(?i:[a-z]{0,3})(?:-\d+(?i:[a-z]{0,2}))?`)
	deNumber      = regexp.MustCompile(`^\d+[a-z]?`)
	usMore        = regexp.MustCompile(`(?i)^\s*(?:,\s*and\b|,|\band\b|&)\s*(` + usSection + `)`)
	usHead        = regexp.MustCompile(`(?i)^\s*(?:U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R)`)
	deSplit       = regexp.MustCompile(`\s*(?:,|\bund|u\.|\bbis|-|/)\s*`)
)

// usc is a section of the United States Code.
func usc(title, section string) string {
	return title + " usc " + strings.ToLower(sectionNumber.FindString(section))
}

// sections gives the normal form of each section of a list: §§ 823, 826.
func sections(text, head string) []string {
	var out []string
	for _, part := range deSplit.Split(text, -1) {
		if n := deNumber.FindString(part); n != "" {
			out = append(out, head+" "+strings.ToLower(n))
		}
	}
	return out
}

// noLaw are short names that are written like a law's and are none.
var noLaw = map[string]bool{"GmbH": true, "AG": true, "KG": true, "OHG": true, "SE": true, "EUR": true, "USD": true, "EU": true, "USA": true, "UK": true}

var statutes = []form{
	{ // 42 U.S.C. § 1983, 15 USC §§ 1, 2, 26 USC 501(c)(3)
		needs: []string{"usc", "u.sc", "s.c", "s. c"},
		re:    regexp.MustCompile(`(?i)\b(\d{1,2})\s*(?:U\.\s?S\.\s?C\.(?:\s?A\.)?|U\.?S\.?C\.?A?\b)\s*(§{1,2}|sec(?:tions?|s?\.)?)\s*(` + usSection + `)`),
		norm: func(g []string) []string {
			return []string{usc(g[1], g[3])}
		},
		tail: func(g []string, rest string) (n int, out []string) {
			if g[2] != "§§" && !strings.HasSuffix(strings.TrimSuffix(g[2], "."), "s") {
				return 0, nil
			}
			for len(out) < 20 {
				m := usMore.FindStringSubmatchIndex(rest[n:])
				if m == nil || usHead.MatchString(rest[n+m[1]:]) { // the number is the next citation's title
					break
				}
				out = append(out, usc(g[1], rest[n+m[2]:n+m[3]]))
				n += m[1]
			}
			return n, out
		},
	},
	{ // without the sign: in capitals, and long enough that it is no score of a game
		needs: []string{"usc", "u.sc", "s.c", "s. c"},
		re:    regexp.MustCompile(`\b(\d{1,2})\s*(?:U\.\s?S\.\s?C\.(?:\s?A\.)?\s*(\d{1,5}[a-z]{0,3})|USCA?\s+(\d{3,5}[a-z]{0,3}))(?:-\d{1,4}[a-z]{0,2})?`),
		norm: func(g []string) []string {
			_, rest, _ := strings.Cut(g[0], g[2]+g[3])
			return []string{g[1] + " usc " + strings.ToLower(g[2]+g[3]+rest)}
		},
	},
	{ // 17 C.F.R. § 240.10b-5
		needs: []string{"cf", "c.f", "c f", "c. f"},
		re:    regexp.MustCompile(`\b(\d{1,2})\s*C\.?\s?F\.?\s?R\.?\s*(?:§{1,2}|[Pp]arts?|[Pp]ts?\.|[Ss]ec(?:tions?|\.)?)?\s*(\d{1,4}(?:\.\d{1,4}[a-z]{0,2}(?:-\d{1,3}[a-z]{0,2})?)?)`),
		norm: func(g []string) []string {
			return []string{g[1] + " cfr " + strings.ToLower(g[2])}
		},
	},
	{ // § 823 Abs. 1 BGB, §§ 823, 826 BGB, Art. 6 Abs. 1 lit. f DSGVO
		needs: []string{"§", "art"},
		re:    regexp.MustCompile(`(?:§{1,2}|\b(?:Art(?:ikel|\.)|Artt\.))\s*(` + deSection + `(?:\s*(?:,|und|u\.|bis|-|/)\s*` + deSection + `){0,20})\s*(?:(?:de[rs]|of(?: the)?)\s+)?([A-ZÄÖÜ][A-Za-zÄÖÜäöüß]{0,14}[A-ZÄÖÜ][A-Za-zÄÖÜäöüß]{0,6})\b`),
		norm: func(g []string) []string {
			if noLaw[g[2]] {
				return nil
			}
			return sections(g[1], strings.ToLower(g[2]))
		},
	},
	{ // section 7 of the Data Protection Act 2018
		needs: []string{"act"},
		re:    regexp.MustCompile(`\b(?i:sections?|ss?\.)\s*(\d{1,4}[A-Z]{0,3})(?:\s?\([0-9A-Za-z]{1,5}\))*\s+(?:of\s+)?(?:the\s+)?((?:[A-Z][A-Za-z',()&-]*\s+(?:(?:of|and|the|for|to|in|on)\s+){0,2}){1,10}Act)\s+((?:1[89]|20)\d{2})\b`),
		norm: func(g []string) []string {
			return []string{strings.ToLower(strings.Join(strings.Fields(g[2]), " ")) + " " + g[3] + " " + strings.ToLower(g[1])}
		},
	},
	{ // Regulation (EU) 2016/679, Directive 95/46/EC
		needs: []string{"regulation", "directive", "decision", "verordnung", "richtlinie", "beschluss", "règlement", "décision"},
		re:    regexp.MustCompile(`(?i)\b(regulation|directive|decision|verordnung|richtlinie|beschluss|règlement|décision)\s*(?:\((?:EU|EC|EEC|EG|EWG|UE|CE|CEE|Euratom)\))?\s*(?:No\.?|Nr\.?|n[°º])?\s*(\d{1,4}/\d{1,4})(?:/(?:EU|EC|EEC|EG|EWG|UE|CE|CEE|Euratom|JHA))?\b`),
		norm: func(g []string) []string {
			return []string{"eu " + map[string]string{
				"verordnung": "regulation", "règlement": "regulation", "richtlinie": "directive", "beschluss": "decision", "décision": "decision",
				"regulation": "regulation", "directive": "directive", "decision": "decision",
			}[strings.ToLower(g[1])] + " " + g[2]}
		},
	},
}

// label stands between the word that announces an id and the id, in prose, in tables and
// in Markdown.
const label = "[\\s:#=*_|\"'(`]{0,8}"

var parcels = []form{
	{
		needs: []string{"apn", "a.p", "ap.n", "parcel", "folio"},
		re: regexp.MustCompile(`(?i:\bA\.?P\.?N\b\.?|\bassessor'?s?\s+parcel\s+(?:number|no\.|id)|\b(?:tax\s+)?parcel\s+(?:number|no\.|id(?:entifier|entification)?(?:\s+number)?\b|#)|\bfolio\s+(?:number|no\.))(?i:\s+(?:is|was))?` +
			label + `([0-9A-Z]{1,12}(?:[-./][0-9A-Z]{1,12}|\s[0-9][0-9A-Z]{0,11}\b){0,7})`),
		group: 1,
		norm: func(g []string) []string {
			if v := parcelID(g[1], 4); v != "" {
				return []string{v}
			}
			return nil
		},
	},
	{ // Gemarkung Mitte, Flur 3, Flurstück 123/4
		needs: []string{"gemarkung"},
		re:    regexp.MustCompile(`\bGemarkung\s+([A-ZÄÖÜ][A-Za-zÄÖÜäöüß-]{1,40}),?\s+(?:Flur\s+(\d{1,4}),?\s+)?Flurst(?:ück|\.)\s*(?:Nr\.\s*|Nummer\s*)?(\d{1,6}(?:/\d{1,6})?)`),
		norm: func(g []string) []string {
			return []string{strings.ToUpper(g[1]) + " " + g[2] + " " + g[3]}
		},
	},
}

// parcelID gives an id's letters and digits: offices write the same one with hyphens, dots
// or spaces. It has at least so many digits, or it is none.
func parcelID(s string, digits int) string {
	v := strings.ToUpper(alphanumeric(s))
	if len(steps["digits"](v)) < digits {
		return ""
	}
	return v
}

const nihInstitutes = `AA|AG|AI|AR|AT|CA|CL|DA|DC|DE|DK|EB|ES|EY|GM|HD|HG|HL|HS|LM|MD|MH|NR|NS|OD|RR|TR|TW`

var (
	nsfAward = regexp.MustCompile(`^(?i:NSF|[A-Z]{2,4})?[\s-]*(\d{7})$`)
	grants   = []form{
		{ // 5R01CA123456-03: the type and the year of support are not the project
			re: regexp.MustCompile(`\b(?:[1-9]\s?)?([A-Z]\d{2}|[A-Z]{2}\d)[\s-]?(` + nihInstitutes + `)[\s-]?(\d{6})(?:-\d{2}(?:[A-Z]\d)?)?\b`),
			norm: func(g []string) []string {
				return []string{g[1] + g[2] + g[3]}
			},
		},
		{ // UK research councils
			re: regexp.MustCompile(`\b(?:AH|BB|EP|ES|MR|NE|ST)/[A-Z0-9]{6,8}/\d\b`),
			norm: func(g []string) []string {
				return []string{alphanumeric(g[0])}
			},
		},
		{ // NSF DMS-1234567, National Science Foundation under Grant No. 1234567
			needs: []string{"nsf", "national science"},
			re:    regexp.MustCompile(`\b(?:NSF|National Science Foundation)\b[^.;\n\d]{0,40}?(?:[Nn]o\.\s*)?((?:[A-Z]{2,4}[\s-])?\d{7})\b`),
			group: 1,
			norm: func(g []string) []string {
				return []string{bareGrant(g[1])}
			},
		},
		{
			needs: []string{"grant", "award", "funding", "kennzeichen", "zuwendung"},
			re:    regexp.MustCompile(`\b(?i:grants?|awards?|funding|grant\s+agreements?|F\x{f6}rderkennzeichen|Zuwendung)\s*(?i:no\.|nos?\b|nr\.|number|id\b|ref(?:erence|\.)|n[\x{b0}\x{ba}]|#)` + label + `([A-Z0-9]{1,12}(?:[-/._][A-Z0-9]{1,12}){0,6}|\d{6,12})\b`),
			norm: func(g []string) []string {
				if v := bareGrant(g[1]); len(steps["digits"](v)) >= 5 {
					return []string{v}
				}
				return nil
			},
			group: 1,
		},
	}
)

// bareGrant gives a grant's letters and digits. What the award's own number leaves out of
// an NSF number (the division) is left out.
func bareGrant(s string) string {
	s = strings.TrimSpace(s)
	if m := nsfAward.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return strings.ToUpper(alphanumeric(s))
}
