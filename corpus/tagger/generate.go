package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/stoplog/stoplog/corpus/names"
)

// template is one line of a file: text with slots between percent signs.
type template struct{ file, text string }

// document is a text with the bytes of the persons' names in it.
type document struct {
	text  string
	spans [][2]int
}

func (d document) marked() string {
	var b strings.Builder
	at := 0
	for _, s := range d.spans {
		b.WriteString(d.text[at:s[0]] + "[[" + d.text[s[0]:s[1]] + "]]")
		at = s[1]
	}
	return b.String() + d.text[at:]
}

// generator fills templates.
type generator struct {
	r         *rand.Rand
	byFile    [][]template
	weights   []int
	total     int
	plain     bool // one template a document, little noise: for measuring
	known     [2][]string
	common    [2][]string
	rare      [2][]string
	ambiguous [2][]string // that are words, places or firms too
	words     []string
	frequent  []string
	places    []string
	orgs      []string
	tails     []string
	endings   []string // of places
	double    []string // words that are rare names too
	chain     [3]map[string]string
	mail      string // the last name drawn
}

const (
	fore = iota
	sur
)

func newGenerator(seed uint64, ts []template) *generator {
	g := &generator{r: newRand(seed)}
	byName := map[string][]template{}
	var order []string
	for _, t := range ts {
		if byName[t.file] == nil {
			order = append(order, t.file)
		}
		byName[t.file] = append(byName[t.file], t)
	}
	for _, f := range order {
		g.byFile = append(g.byFile, byName[f])
		w := len(byName[f])
		g.weights = append(g.weights, w)
		g.total += w
	}
	g.chain = [3]map[string]string{{}, {}, {}}
	word := map[string]names.Flags{}
	names.EachListed(func(w string, f names.Flags) { word[w] |= f })
	names.EachOwn(func(w string, f names.Flags) {
		if !strings.Contains(w, "_") {
			word[w] |= f
		}
	})
	all := make([]string, 0, len(word))
	for w := range word {
		all = append(all, w)
	}
	sort.Strings(all)
	for _, w := range all {
		f := word[w]
		if r, _ := utf8.DecodeRuneInString(w); r >= 0x530 || strings.ContainsRune(w, '.') || utf8.RuneCountInString(w) < 2 {
			continue
		}
		latin := true
		for _, r := range w {
			latin = latin && r < 0x250
		}
		for k, bit := range [2][3]names.Flags{{names.KnownForename, names.Forename, names.RareForename}, {names.KnownSurname, names.Surname, names.RareSurname}} {
			if f&(bit[0]|bit[1]|bit[2]) == 0 || f&(names.Particle) != 0 {
				continue
			}
			other := f & (names.Word | names.Place | names.Org | names.Stop | names.Title | names.OrgTail | names.Time)
			switch {
			case other != 0 && f&bit[0] != 0:
				g.ambiguous[k] = append(g.ambiguous[k], w)
				g.known[k] = append(g.known[k], w)
			case f&bit[0] != 0:
				g.known[k] = append(g.known[k], w)
			case other != 0:
				continue
			case f&bit[1] != 0:
				g.common[k] = append(g.common[k], w)
			case len(w) > 2:
				g.rare[k] = append(g.rare[k], w)
			}
			if latin && len(w) > 2 {
				g.learnChain(k, w)
			}
		}
		if f&(names.Name|names.Place|names.Org) == 0 && f&names.Word != 0 && latin && len(w) > 2 {
			g.words = append(g.words, w)
			if f&names.Frequent != 0 {
				g.frequent = append(g.frequent, w)
			}
			g.learnChain(2, w)
		}
		if f&names.Word != 0 && f&names.Name != 0 && f&(names.KnownForename|names.KnownSurname|names.Forename) == 0 && latin && len(w) > 2 {
			g.double = append(g.double, w)
		}
		if f&names.Place != 0 && len(w) > 2 {
			g.places = append(g.places, w)
		}
		if f&names.Org != 0 && len(w) > 1 {
			g.orgs = append(g.orgs, w)
		}
		if f&names.OrgTail != 0 && f&names.Frequent != 0 || f&names.OrgTail != 0 && g.r.IntN(3) == 0 {
			g.tails = append(g.tails, w)
		}
		if f&names.PlaceTail != 0 {
			g.endings = append(g.endings, w)
		}
	}
	return g
}

var germanNouns = sync.OnceValue(func() []string {
	b, err := files.ReadFile("words-de.txt")
	if err != nil {
		log.Fatal(err)
	}
	_, list, _ := strings.Cut(string(b), "\n")
	return strings.Fields(list)
})

func (g *generator) learnChain(k int, w string) {
	c := "^^" + w + "$"
	for i := 2; i < len(c); i++ {
		g.chain[k][c[i-2:i]] += c[i : i+1]
	}
}

func pick(g *generator, list []string) string { return list[g.r.IntN(len(list))] }

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

// name draws a forename or a surname in lower case.
func (g *generator) name(k int) string {
	n := g.r.IntN(100)
	switch {
	case n < 42:
		return pick(g, g.known[k])
	case n < 58:
		return pick(g, g.common[k])
	case n < 82:
		return pick(g, g.rare[k])
	case n < 90:
		return pick(g, g.ambiguous[k])
	}
	return g.invented(k)
}

// invented makes a word out of the pairs of letters of others.
func (g *generator) invented(k int) string {
	for {
		s := "^^"
		for len(s) < 16 {
			next := g.chain[k][s[len(s)-2:]]
			i := g.r.IntN(len(next))
			if next[i] == '$' {
				break
			}
			s += next[i : i+1]
		}
		if s = s[2:]; len(s) > 3 && utf8.ValidString(s) {
			return s
		}
	}
}

// capital writes a name with capitals where they belong.
func (g *generator) capital(s string) string {
	up := true
	var b strings.Builder
	for i, r := range s {
		if up {
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		up = r == '-' || r == '\'' && i <= 2
	}
	out := b.String()
	if strings.HasPrefix(out, "Mc") && len(out) > 5 && !g.chance(30) {
		out = "Mc" + strings.ToUpper(out[2:3]) + out[3:]
	}
	if strings.HasPrefix(out, "Al-") && g.chance(50) {
		out = "al-" + out[3:]
	}
	if g.chance(6) {
		out = plainLetters(out)
	}
	return out
}

var nobles = []string{"van ", "van der ", "van den ", "von ", "de ", "de la ", "del ", "da ", "dos ", "di ", "bin ", "ibn ", "al ", "el ", "Al ", "El-", "al-", "O'", "D'", "Mc", "Mac", "Le ", "La ", "ter ", "te ", "ten ", "zu ", "St. ", "ben ", "af ", "Van ", "De ", "Van der ", "abu ", "Abu ", "du ", "Ní ", "Ó "}

func (g *generator) first() string {
	s := g.capital(g.name(fore))
	switch n := g.r.IntN(100); {
	case n < 3:
		s += "-" + g.capital(g.name(fore))
	case n < 4:
		s += "-" + g.name(fore) // Min-jun
	}
	g.mail = s
	return s
}

func (g *generator) last() string {
	s := g.capital(g.name(sur))
	switch n := g.r.IntN(100); {
	case n < 7:
		s = nobles[g.r.IntN(len(nobles))] + s
	case n < 11:
		s += "-" + g.capital(g.name(sur))
	case n < 15:
		s += " " + g.capital(g.name(sur))
	case n < 16:
		s += " y " + g.capital(g.name(sur))
	}
	g.mail = s
	return s
}

func initialOf(s string) string {
	r, _ := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r))
}

func (g *generator) full() string {
	f, l := g.first(), g.last()
	if g.chance(6) { // both are words
		f, l = g.capital(pick(g, g.ambiguous[fore])), g.capital(pick(g, g.ambiguous[sur]))
	}
	defer func() { g.mail = f + "." + l }()
	switch n := g.r.IntN(100); {
	case n < 5:
		return f + " " + initialOf(g.name(fore)) + ". " + l
	case n < 6:
		return f + " " + initialOf(g.name(fore)) + " " + l
	case n < 11:
		return f + " " + g.capital(g.name(fore)) + " " + l
	case n < 16:
		return initialOf(f) + ". " + l
	case n < 17:
		return initialOf(f) + ". " + initialOf(g.name(fore)) + ". " + l
	case n < 18:
		return initialOf(f) + "." + initialOf(g.name(fore)) + ". " + l
	case n < 20:
		return l + " " + f // East Asia, Hungary
	case n < 22: // Nguyen Thi Minh Khai
		s := l
		if g.chance(60) {
			s += pick(g, []string{" Thi", " Van", " Thị", " Văn"})
		}
		for range 1 + g.r.IntN(2) {
			s += " " + f
			f = g.first()
		}
		return s
	case n < 23:
		return f + " " + initialOf(l) + "."
	case n < 25:
		return f + " " + strings.ToUpper(l)
	case n < 26:
		return strings.ToUpper(l) + " " + f
	}
	return f + " " + l
}

func (g *generator) digits(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('0' + g.r.IntN(10))
	}
	return string(b)
}

func titled(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

var (
	months = strings.Fields("January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec")
	days   = strings.Fields("Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Wed Thu Fri Sat Sun")
	tlds   = strings.Fields("com org net io de fr es it nl pl co.uk example")
	levels = strings.Fields("INFO WARN ERROR DEBUG TRACE FATAL NOTICE")
	tags   = strings.Fields("fail win love fun music news tbt nowplaying blessed monday travel food football nofilter throwback help support deal")
)

// fill gives the text of a slot; person: it is a name.
func (g *generator) fill(slot string) (text string, person bool) {
	switch slot {
	case "p":
		return g.full(), true
	case "fl":
		f, l := g.first(), g.last()
		g.mail = f + "." + l
		return f + " " + l, true
	case "f":
		return g.first(), true
	case "l":
		return g.last(), true
	case "lf":
		f := g.first()
		return g.last() + ", " + f, true
	case "P":
		return strings.ToUpper(g.full()), true
	case "F":
		return strings.ToUpper(g.first()), true
	case "L":
		return strings.ToUpper(g.last()), true
	case "n":
		return strings.ToLower(g.full()), true
	case "nf":
		return strings.ToLower(g.first()), true
	case "nl":
		return strings.ToLower(g.last()), true
	case "i":
		return initialOf(g.first()) + ". " + g.last(), true
	case "stage":
		return pick(g, []string{"Lil", "Lady", "MC", "DJ", "Big", "Young", "Sir", "Queen", "King", "Baby"}) + " " + pick(g, []string{g.first(), g.word()}), true
	// What follows is not a person. Things that are named after one are things.
	case "xf":
		return g.capital(g.name(fore)), false
	case "xl":
		return g.capital(g.name(sur)), false
	case "city":
		s := g.place()
		if g.chance(6) {
			s = pick(g, []string{"San", "Santa", "St.", "New", "Port", "Fort", "Lake", "Mount", "Bad", "Saint"}) + " " + pick(g, []string{g.capital(g.name(fore)), s, g.capital(g.name(sur))})
		}
		if g.chance(4) {
			s = g.capital(g.name(sur)) + pick(g, []string{"ville", "burg", "ton", "town", "stadt", "dorf", " City", " Springs", " Valley", "field", "ford", " Heights", " Beach"})
		}
		return s, false
	case "CITY":
		return strings.ToUpper(g.place()), false
	case "org":
		return g.org(), false
	case "ORG":
		return strings.ToUpper(g.org()), false
	case "product":
		s := titled(pick(g, g.orgs))
		switch g.r.IntN(8) {
		case 0:
			s += " " + pick(g, []string{"Pro", "Max", "Plus", "Mini", "Lite", "Enterprise", "Cloud", "Code", "Studio", "Desktop", "Server", "Kit"})
		case 1:
			s += fmt.Sprintf(" %d", 1+g.r.IntN(20))
		case 2:
			s = g.capital(g.word()) + " " + g.capital(g.word())
		case 3:
			s = g.capital(g.name(fore+g.r.IntN(2))) + " " + g.capital(pick(g, []string{"lamp", "chair", "sofa", "sneakers", "dress", "shoes", "table", "mug", "bag", "backpack", "jacket", "watch", "blend", "edition", "cream", "bike", "tent", "desk", "shelf"}))
		}
		return s, false
	case "street":
		if g.chance(30) {
			return g.address(), false
		}
		return g.street(), false
	case "address":
		return g.address(), false
	case "month":
		return pick(g, months), false
	case "day":
		return pick(g, days), false
	case "date":
		return pick(g, []string{fmt.Sprintf("%02d.%02d.%d", 1+g.r.IntN(28), 1+g.r.IntN(12), 1950+g.r.IntN(80)), fmt.Sprintf("%d-%02d-%02d", 1990+g.r.IntN(40), 1+g.r.IntN(12), 1+g.r.IntN(28)), fmt.Sprintf("%d %s %d", 1+g.r.IntN(28), pick(g, months), 1980+g.r.IntN(50)), fmt.Sprintf("%s %d", pick(g, months), 1+g.r.IntN(28))}), false
	case "time":
		return fmt.Sprintf("%02d:%02d", g.r.IntN(24), g.r.IntN(60)), false
	case "stamp":
		return fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02dZ", 1+g.r.IntN(12), 1+g.r.IntN(28), g.r.IntN(24), g.r.IntN(60), g.r.IntN(60)), false
	case "num":
		return g.digits(1 + g.r.IntN(4)), false
	case "id":
		return g.digits(5 + g.r.IntN(5)), false
	case "money":
		return pick(g, []string{"$", "€", "£", ""}) + g.digits(1+g.r.IntN(4)) + pick(g, []string{"", ".00", ".50", " EUR", ",99"}), false
	case "phone":
		return pick(g, []string{"+1 555 ", "+49 30 ", "0", "+33 1 ", "(555) "}) + g.digits(3) + pick(g, []string{" ", "-", ""}) + g.digits(4), false
	case "email":
		s := g.mail
		if s == "" || g.chance(40) {
			s = g.first() + pick(g, []string{".", "", "_"}) + g.name(sur)
		}
		s = strings.ToLower(plainLetters(strings.NewReplacer(" ", "", "'", "").Replace(s)))
		if g.chance(30) {
			s = s[:1] + s[strings.IndexByte("."+s, '.'):]
		}
		return s + pick(g, []string{"", "", g.digits(2)}) + "@" + g.word() + "." + pick(g, tlds), false
	case "user":
		return "@" + pick(g, []string{g.name(fore) + g.digits(2), g.name(fore) + "_" + g.name(sur), g.word() + g.word(), g.capital(g.name(fore)) + g.capital(g.word())}), false
	case "handle":
		return pick(g, []string{g.name(fore)[:1] + g.name(sur), g.name(fore) + g.digits(2), g.word() + "-" + g.word()}), false
	case "tag":
		return "#" + pick(g, []string{pick(g, tags), g.word(), g.capital(g.word()) + g.capital(g.word()), strings.ToLower(g.place())}), false
	case "url":
		return pick(g, []string{"http://", "https://", "www."}) + g.word() + "." + pick(g, tlds) + pick(g, []string{"", "/" + g.word(), "/" + g.digits(5)}), false
	case "ip":
		return fmt.Sprintf("10.%d.%d.%d", g.r.IntN(256), g.r.IntN(256), g.r.IntN(256)), false
	case "path":
		return "/" + g.word() + "/" + g.word() + pick(g, []string{".go", ".js", "/", ".md", ".json", ""}), false
	case "ver":
		return fmt.Sprintf("%d.%d.%d", g.r.IntN(9), g.r.IntN(20), g.r.IntN(20)), false
	case "hash":
		return fmt.Sprintf("%07x", g.r.IntN(1<<28)), false
	case "level":
		return pick(g, levels), false
	case "w":
		return g.word(), false
	case "W":
		return titled(g.word()), false
	case "WW":
		return strings.ToUpper(g.word()), false
	case "N": // a German noun
		s := pick(g, germanNouns())
		if g.chance(35) {
			s += pick(g, []string{"s", "", "en", "ungs"}) + strings.ToLower(pick(g, germanNouns()))
		}
		if g.chance(20) {
			s += pick(g, []string{"ung", "en", "s", "e", "n", "ern", "keit", "schaft"})
		}
		return s, false
	case "H": // a heading
		s := titled(g.word())
		for range 1 + g.r.IntN(3) {
			s += " " + titled(g.word())
		}
		return s, false
	case "ww":
		s := g.word()
		for range 1 + g.r.IntN(4) {
			s += " " + g.word()
		}
		return s, false
	case "ident":
		return pick(g, []string{g.word() + titled(g.word()), g.word() + "_" + g.word(), titled(g.word()) + titled(g.word())}), false
	}
	log.Fatalf("unknown slot %q", slot)
	return "", false
}

func (g *generator) word() string {
	switch n := g.r.IntN(100); {
	case n < 50:
		return pick(g, g.frequent)
	case n < 65:
		return pick(g, g.double)
	case n < 78:
		return g.invented(2)
	}
	return pick(g, g.words)
}

func (g *generator) place() string {
	if g.chance(12) { // a place that no list has
		return g.capital(g.name(sur))
	}
	s := pick(g, g.places)
	if len(s) <= 3 {
		return strings.ToUpper(s)
	}
	return g.capital(s)
}

func (g *generator) org() string {
	tail := func() string {
		s := titled(pick(g, g.tails))
		if s == "Gmbh" {
			s = "GmbH"
		}
		if len(s) <= 3 && g.chance(60) {
			s = strings.ToUpper(s)
		}
		return s
	}
	switch n := g.r.IntN(100); {
	case n < 40:
		return titled(pick(g, g.orgs))
	case n < 50:
		return titled(g.word()) + " " + tail()
	case n < 62:
		return g.capital(g.name(sur)) + " " + tail()
	case n < 68:
		return g.capital(g.name(sur)) + pick(g, []string{" & ", " and ", " und ", " + "}) + pick(g, []string{g.capital(g.name(sur)), "Partners", "Sons", "Söhne", "Co", "Associates"})
	case n < 74:
		return g.capital(g.name(fore)) + " " + g.capital(g.name(sur)) + " " + tail()
	case n < 80:
		return pick(g, []string{"University of ", "Bank of ", "Hotel ", "Café ", "Universität ", "Restaurant ", "Banco de ", "Institute of ", "Museum of ", "City of "}) + g.place()
	case n < 86:
		return g.place() + " " + tail()
	case n < 92:
		return titled(g.word()) + titled(g.word())
	case n < 96:
		return titled(g.word()) + " " + titled(g.word()) + " " + tail()
	}
	return strings.ToUpper(pick(g, g.frequent)[:3])
}

var (
	ways = []string{"Vicolo", "Contrada", "Strada", "Borgo", "Piazza", "Via", "Viale", "Largo", "Corso", "Piazzale", "Canale", "Rotonda", "Calle", "C.", "Avenida", "Avda.", "Paseo", "Plaza", "Ronda", "Rambla", "Camino", "Pasaje", "Callejón", "Glorieta", "Calzada", "Privada", "Circuito", "Boulevard", "Prolongación", "Urbanización", "Rua", "Travessa", "Alameda", "Praça", "Estrada", "Vila", "Sítio", "Trevo", "rue", "Rue", "chemin", "avenue", "boulevard", "place", "allée", "impasse", "quai", "montée", "route", "rang", "ul.", "al.", "pl.", "os."}
	gems = []string{"straße ", "weg ", "-Straße ", "str. ", "platz ", "gasse ", "allee ", "ring ", "straat ", "laan ", "gatan ", "vägen ", "plein ", "singel ", "baan ", "gränd ", "ufer "}
	ends = []string{"shire", "ville", "bury", "burgh", "haven", "mouth", "view", "town", "stad", "berg", "chester", "fort", "side", "land", "ton", "borough", "furt", "dorf", "by", "ham"}
	unit = []string{"Flat %d, ", "Apt. %d, ", "Unit %d ", "Suite %d, ", "Level %d, ", "%d/", "H.No. %d, ", "Plot %d, ", "No. %d, ", "Wohnung %d, ", "Appartamento %d, ", "Piso %d, "}
)

func (g *generator) street() string {
	who := g.capital(g.name(sur))
	switch g.r.IntN(5) {
	case 0:
		who = titled(g.word())
	case 1:
		who = g.capital(g.name(fore)) + " " + who
	case 2:
		who = g.capital(g.name(fore))
	}
	n := fmt.Sprint(1 + g.r.IntN(200))
	s := ""
	switch g.r.IntN(10) {
	case 0, 1:
		s = strings.ReplaceAll(who, " ", "-") + pick(g, gems) + n
	case 2:
		s = n + pick(g, []string{" ", ", "}) + pick(g, ways) + pick(g, []string{" ", " de ", " du "}) + who
	case 3, 4, 5:
		s = pick(g, ways) + pick(g, []string{" ", " ", " de ", " di ", " da "}) + who + pick(g, []string{" ", ", "}) + n
	default:
		s = n + " " + who + " " + titled(pick(g, g.endings))
		if g.chance(25) {
			s = fmt.Sprintf(pick(g, unit), 1+g.r.IntN(90)) + s
		}
	}
	return s
}

// address is a street with what follows it.
func (g *generator) address() string {
	city := g.place()
	switch g.r.IntN(4) {
	case 0:
		city = g.capital(g.name(fore+g.r.IntN(2))) + pick(g, ends)
	case 1:
		city = pick(g, []string{"Port", "New", "East", "West", "North", "South", "Lake", "San", "Santa", "St.", "Bad", "Nueva", "Vieja", "Saint-", "Mont-", "Sint"}) + " " + g.capital(g.name(fore+g.r.IntN(2)))
	}
	code := strings.ToUpper(pick(g, g.frequent)[:2])
	zip := pick(g, []string{g.digits(5), g.digits(4), code + g.digits(1) + " " + g.digits(1) + code, g.digits(4) + " " + code, g.digits(2) + "-" + g.digits(3)})
	sep := pick(g, []string{", ", ", ", "\n", " "})
	switch g.r.IntN(4) {
	case 0:
		return g.street() + sep + zip + " " + city
	case 1:
		return g.street() + sep + zip + ", " + city + " (" + code + ")"
	case 2:
		return g.street() + sep + city + ", " + code + ", " + zip
	}
	return g.street() + sep + city + pick(g, []string{", ", " "}) + code + " " + zip
}

// compose fills one template.
func (g *generator) compose(t template) document {
	var d document
	var b strings.Builder
	rest := t.text
	for {
		before, after, ok := strings.Cut(rest, "%")
		b.WriteString(g.replaceWords(before))
		if !ok {
			break
		}
		slot, after, ok := strings.Cut(after, "%")
		if !ok {
			log.Fatalf("%s: open slot in %q", t.file, t.text)
		}
		if slot == "" {
			b.WriteByte('%')
		} else {
			text, person := g.fill(slot)
			if person && g.chance(2) {
				text = g.typo(text)
			}
			if person {
				d.spans = append(d.spans, [2]int{b.Len(), b.Len() + len(text)})
			}
			b.WriteString(text)
		}
		rest = after
	}
	d.text = b.String()
	return d
}

// replaceWords changes some words of a template, so that the field does not learn the
// templates by heart.
func (g *generator) replaceWords(s string) string {
	if g.plain {
		return s
	}
	fields := strings.Split(s, " ")
	for i, w := range fields {
		if i == 0 && len(w) > 2 && g.chance(6) {
			if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) && strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
				fields[i] = titled(g.word())
				if g.chance(30) {
					fields[i] = titled(g.invented(2))
				}
			}
			continue
		}
		if len(w) > 2 && g.chance(4) {
			ok := true
			for _, c := range w {
				ok = ok && unicode.IsLower(c)
			}
			if ok {
				fields[i] = pick(g, g.frequent)
			}
		}
	}
	return strings.Join(fields, " ")
}

func (g *generator) typo(s string) string {
	r := []rune(s)
	if len(r) < 5 {
		return s
	}
	i := 1 + g.r.IntN(len(r)-2)
	if !unicode.IsLower(r[i]) || !unicode.IsLower(r[i+1]) {
		return s
	}
	switch g.r.IntN(3) {
	case 0:
		r[i], r[i+1] = r[i+1], r[i]
	case 1:
		r = append(r[:i], r[i+1:]...)
	default:
		r[i] = r[i+1]
	}
	return string(r)
}

func (g *generator) template() template {
	n := g.r.IntN(g.total)
	for i, w := range g.weights {
		if n < w {
			return g.byFile[i][g.r.IntN(len(g.byFile[i]))]
		}
		n -= w
	}
	panic("unreachable")
}

// document makes a text of one to four templates, with noise.
func (g *generator) document() document {
	g.mail = ""
	t := g.template()
	d := g.compose(t)
	if g.plain {
		return d
	}
	n := []int{0, 0, 1, 1, 2, 3}[g.r.IntN(6)]
	for range n {
		o := t
		if g.chance(50) {
			o = g.template()
		} else {
			for i := range g.byFile {
				if g.byFile[i][0].file == t.file {
					o = g.byFile[i][g.r.IntN(len(g.byFile[i]))]
				}
			}
		}
		e := g.compose(o)
		d.append(pick(g, []string{"\n", "\n", " ", "\n\n", " "}), e)
	}
	structured := strings.Contains("none-code none-json none-logs struct", strings.TrimSuffix(t.file, ".txt"))
	switch n := g.r.IntN(100); {
	case n < 10 && (!structured || t.file == "struct.txt"):
		d.text = sameLength(d.text, unicode.ToLower)
	case n < 13 && !structured:
		d.text = sameLength(d.text, unicode.ToUpper)
	case n < 22 && !structured:
		d = d.spaced()
	case n < 28:
		d = d.plainText()
	case n < 34 && !structured:
		d = g.tweet(d)
	case n < 40 && !structured: // lines are wrapped
		width, at := 30+g.r.IntN(50), 0
		d = d.rewrite(func(i int) (string, int) {
			if d.text[i] == '\n' {
				at = i
			} else if d.text[i] == ' ' && i-at > width {
				at = i
				return "\n", 1
			}
			_, n := utf8.DecodeRuneInString(d.text[i:])
			return d.text[i : i+n], n
		})
	}
	return d
}

func (d *document) append(sep string, e document) {
	at := len(d.text) + len(sep)
	d.text += sep + e.text
	for _, s := range e.spans {
		d.spans = append(d.spans, [2]int{s[0] + at, s[1] + at})
	}
}

// sameLength changes the case of letters whose other case has as many bytes.
func sameLength(s string, f func(rune) rune) string {
	return strings.Map(func(r rune) rune {
		if n := f(r); utf8.RuneLen(n) == utf8.RuneLen(r) {
			return n
		}
		return r
	}, s)
}

// rewrite changes a document piece by piece; spans follow.
func (d document) rewrite(f func(i int) (string, int)) document {
	var b strings.Builder
	pos := make([]int, len(d.text)+1)
	for i := 0; i < len(d.text); {
		pos[i] = b.Len()
		s, n := f(i)
		b.WriteString(s)
		for k := 1; k < n; k++ {
			pos[i+k] = b.Len()
		}
		i += n
	}
	pos[len(d.text)] = b.Len()
	out := document{text: b.String()}
	for _, s := range d.spans {
		start, end := pos[s[0]], pos[s[1]]
		for start < end && out.text[start] == ' ' {
			start++
		}
		for end > start && out.text[end-1] == ' ' {
			end--
		}
		out.spans = append(out.spans, [2]int{start, end})
	}
	return out
}

// spaced puts blanks around punctuation, as tokenised text has them.
func (d document) spaced() document {
	return d.rewrite(func(i int) (string, int) {
		switch c := d.text[i]; c {
		case ',', '!', '?', '(', ')', ':', ';':
			return " " + string(c) + " ", 1
		case '.':
			if i+1 == len(d.text) || d.text[i+1] == ' ' || d.text[i+1] == '\n' {
				if i > 1 && d.text[i-2] == ' ' { // an initial
					return ".", 1
				}
				return " .", 1
			}
		case '\'':
			if i+1 < len(d.text) && d.text[i+1] == 's' {
				return " '", 1
			}
		}
		_, n := utf8.DecodeRuneInString(d.text[i:])
		return d.text[i : i+n], n
	})
}

// plainText takes accents away.
func (d document) plainText() document {
	return d.rewrite(func(i int) (string, int) {
		_, n := utf8.DecodeRuneInString(d.text[i:])
		return plainLetters(d.text[i : i+n]), n
	})
}

func plainLetters(s string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		switch {
		case r >= 0x300 && r < 0x370:
		case r == 'ß':
			b.WriteString("ss")
		case r == 'ł':
			b.WriteByte('l')
		case r == 'ø':
			b.WriteByte('o')
		case r == 'ı':
			b.WriteByte('i')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// tweet adds what short messages on the web have around them.
func (g *generator) tweet(d document) document {
	head, tail := "", ""
	for range g.r.IntN(3) {
		s, _ := g.fill(pick(g, []string{"user", "user", "tag"}))
		head += s + " "
	}
	if g.chance(25) {
		s, _ := g.fill("user")
		head = "RT " + s + pick(g, []string{": ", " : ", " "})
	}
	for range g.r.IntN(3) {
		s, _ := g.fill(pick(g, []string{"tag", "url", "tag"}))
		tail += " " + s
	}
	tail = pick(g, []string{"", "!!", " :)", " lol", " xD", " <3", "...", " haha", " :("}) + tail
	out := document{text: head}
	out.append("", d)
	out.text += tail
	return out
}

// hidden says which words the lists are to know nothing of: one name in seven, always the
// same ones, so that the field learns to do without lists.
func (g *generator) hidden(d document) func(int, uint32) bool {
	return func(start int, hash uint32) bool {
		k := hash * 0x9E3779B1 >> 24
		if k < 30 {
			return true // ordinary words that no list has, too
		}
		if k >= 62 {
			return false
		}
		for _, s := range d.spans {
			if start >= s[0] && start < s[1] {
				return true
			}
		}
		return false
	}
}
