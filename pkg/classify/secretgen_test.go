package classify

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// A generator of credentials in the surroundings people write them in. Kinds, surroundings
// and harmless look-alikes lie in testdata; values are drawn anew from the seed. It knows
// nothing of the rules.

type secretGen struct{ *rand.Rand }

const (
	genLower  = "abcdefghijklmnopqrstuvwxyz"
	genUpper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	genDigits = "0123456789"
)

var genAlphabets = map[byte]string{
	'h': "0123456789abcdef", 'H': "0123456789ABCDEF", 'd': genDigits, 'L': genLower + genUpper,
	'a': genLower + genDigits, 'A': genLower + genUpper + genDigits, 'U': genUpper + genDigits, 'B': genUpper + "234567",
	's': "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
	'w': genLower + genUpper + genDigits + "-_", 'b': genLower + genUpper + genDigits + "+/",
}

func (g secretGen) draw(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[g.IntN(len(alphabet))]
	}
	return string(b)
}

// token draws letters and digits with both in it, and no sign at either end.
func (g secretGen) token(kind byte, n int) string {
	for {
		s := g.draw(genAlphabets[kind], n)
		first, last := s[0], s[n-1]
		if kind != 'b' && (first == '-' || last == '-' || first == '_' || last == '_') {
			continue
		}
		return s
	}
}

// password draws what people and managers make up: with signs (any), or without those that
// a connection string (u) or a literal (x) would have to escape.
func (g secretGen) password(signs string) string {
	words := []string{"Sommer", "dragon", "Tiger", "kaffee", "Monkey", "sunny", "Winter", "rocket", "Lisboa", "falcon"}
	switch g.IntN(3) {
	case 0:
		return words[g.IntN(len(words))] + g.draw(genDigits, 2+g.IntN(3)) + g.draw(signs, 1)
	case 1:
		return g.draw(genUpper, 1) + g.draw(genLower+genUpper+genDigits, 5+g.IntN(6)) + g.draw(genDigits, 1) + g.draw(signs, 1) + g.draw(genLower, 2)
	}
	return g.draw(genLower, 3) + g.draw(genDigits, 2) + g.draw(signs, 1) + g.draw(genUpper, 3) + g.draw(genDigits, 2)
}

func (g secretGen) uuid() string {
	s := g.draw("0123456789abcdef", 32)
	return s[:8] + "-" + s[8:12] + "-4" + s[13:16] + "-a" + s[17:20] + "-" + s[20:]
}

func (g secretGen) pem() string {
	var lines []string
	for range 4 {
		lines = append(lines, g.draw(genAlphabets['b'], 64))
	}
	return strings.Join(lines, "\n")
}

// fill replaces the signs of the testdata files.
func (g secretGen) fill(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		end := strings.IndexByte(s, '}')
		if end < 0 {
			b.WriteString(s)
			return b.String()
		}
		word := s[1:end]
		out := ""
		switch word {
		case "u":
			out = g.uuid()
		case "pw":
			out = g.password("!#%*+_-")
		case "pwu":
			out = g.password("!#*_-")
		case "pwx":
			out = g.password("!#*+_-")
		case "basic":
			out = base64.StdEncoding.EncodeToString([]byte(g.token('a', 6) + ":" + g.token('A', 12)))
		case "pem":
			out = g.pem()
		case "pem64":
			out = base64.StdEncoding.EncodeToString([]byte("-----BEGIN RSA PRIVATE KEY-----\n" + g.pem() + "\n-----END RSA PRIVATE KEY-----\n"))
		case "jwt":
			e := base64.RawURLEncoding.EncodeToString
			out = e([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + e([]byte(`{"sub":"`+g.token('a', 12)+`","exp":1790000000}`)) + "." + g.token('w', 86)
		case "bech58":
			out = g.draw("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)
		default:
			if n, err := strconv.Atoi(word[min(1, len(word)):]); err == nil && genAlphabets[word[0]] != "" {
				out = g.token(word[0], n)
			}
		}
		if out == "" {
			b.WriteByte('{')
			s = s[1:]
			continue
		}
		b.WriteString(out)
		s = s[end+1:]
	}
}

// name puts a name into a surrounding.
func genName(frame, env string) string {
	words := strings.Split(strings.ToLower(env), "_")
	pascal := ""
	for _, w := range words {
		pascal += string(unicode.ToUpper(rune(w[0]))) + w[1:]
	}
	return strings.NewReplacer("%E", env, "%c", strings.ToLower(pascal[:1])+pascal[1:], "%P", pascal, "%s", strings.Join(words, "_"),
		"%k", strings.Join(words, "-"), "%w", strings.Join(words, " "), "%S", words[0], `\n`, "\n").Replace(frame)
}

func genLines(t *testing.T, file string) [][]string {
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out [][]string
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); line != "" && !strings.HasPrefix(line, "# ") {
			out = append(out, strings.SplitN(line, "|", 3))
		}
	}
	return out
}

type genShare struct{ yes, all int }

func (s genShare) String() string {
	n, p, z := float64(s.all), float64(s.yes)/float64(s.all), 1.96
	d := 1 + z*z/n
	mid, half := (p+z*z/(2*n))/d, z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))/d
	return fmt.Sprintf("%.3f [%.3f %.3f] of %d", p, math.Max(0, mid-half), math.Min(1, mid+half), s.all)
}

// genFound reports whether a credential is found: the overlap is at least half of the
// longer span.
func genFound(hits []hit, start, end int) bool {
	for _, h := range hits {
		both := min(h.end, end) - max(h.start, start)
		if h.typ == "SECRET" && 2*both >= max(h.end-h.start, end-start) {
			return true
		}
	}
	return false
}

// named finds with everything; unnamed with what needs no rule of a service.
func genNamed(text string) []hit {
	return resolve(hitsIn([]byte(text), 0, &limits{noNames: true}))
}

func genUnnamed(text string) []hit {
	s := scan{limits: &limits{noNames: true}, text: []byte(text), shapes: shapesOnce(), depth: maxEncodings, secretTable: secretsOnce()}
	s.runs.fill(s.text)
	s.longRuns()
	for _, o := range ownSecrets {
		if o.id != "password" {
			continue
		}
		f := newFinder(slices.Clone(o.words), make([][]byteSet, len(o.words)))
		f.find(s.text, func(_, start, end int) { o.find(&s, start, end) })
	}
	return resolve(s.hits)
}

// SPEC: RED-3
//
// Recall by group of kinds and by surroundings, with all rules and with those switched off
// that name a service; recall for services that nobody has heard of; alarms on look-alikes.
// go test ./pkg/classify -run TestSecretFigures -v prints the figures of
// docs/classification.md.
func TestSecretFigures(t *testing.T) {
	g := secretGen{rand.New(rand.NewPCG(1, 2))}
	kinds, frames := genLines(t, "secret-kinds.txt"), genLines(t, "secret-frames.txt")
	if len(kinds) < 200 || len(frames) < 60 {
		t.Fatalf("%d kinds, %d surroundings", len(kinds), len(frames))
	}
	by := map[string]*genShare{}
	count := func(key string, ok bool) {
		if by[key] == nil {
			by[key] = &genShare{}
		}
		by[key].all++
		if ok {
			by[key].yes++
		}
	}
	show := os.Getenv("SECRETS_SHOW")
	one := func(group, kind, frame, env, value string) {
		before, after, _ := strings.Cut(genName(frame, env), "%V")
		text := before + value + after
		start, end := len(before), len(before)+len(value)
		with, without := genFound(genNamed(text), start, end), genFound(genUnnamed(text), start, end)
		count("kind "+group, with)
		count("rules off "+group, without)
		if group != "unknown service" && group != "named by its service alone" {
			count("kind all", with)
			count("rules off all", without)
		}
		count("surroundings "+kind, with)
		if show != "" && (show == "1" && !with || show == "2" && !without) {
			t.Logf("missed %s", strconv.Quote(text))
		}
	}
	var named, alone [][]string // surroundings that give a name, and such that only name the service
	for _, f := range frames {
		if f[0] == "service" {
			alone = append(alone, f)
		} else {
			named = append(named, f)
		}
	}
	for _, k := range kinds {
		for range 24 {
			f := named[g.IntN(len(named))]
			one(k[0], f[0], strings.Join(f[1:], "|"), k[1], g.fill(k[2]))
		}
		if k[0] == "own" || strings.Contains(k[2], "pw}") {
			continue
		}
		for range 8 {
			f := alone[g.IntN(len(alone))]
			one("named by its service alone", f[0], strings.Join(f[1:], "|"), k[1], g.fill(k[2]))
		}
	}
	forms := []string{"{h32}", "{h40}", "{h64}", "{A20}", "{A24}", "{A32}", "{A40}", "{A64}", "{a32}", "{w32}", "{w43}", "{b43}=", "{b64}", "{u}", "xk_{A32}", "{U32}", "tok-{a28}"}
	ends := []string{"API_KEY", "API_TOKEN", "SECRET", "SECRET_KEY", "ACCESS_TOKEN", "TOKEN", "CLIENT_SECRET", "AUTH_TOKEN", "PRIVATE_KEY", "ACCESS_KEY", "KEY", "APIKEY", "CREDENTIAL"}
	for range 3000 {
		service := ""
		for range 2 + g.IntN(2) {
			service += g.draw("BCDFGKLMNPRSTVZ", 1) + g.draw("AEIOU", 1)
		}
		f := named[g.IntN(len(named))]
		one("unknown service", f[0], strings.Join(f[1:], "|"), service+"_"+ends[g.IntN(len(ends))], g.fill(forms[g.IntN(len(forms))]))
	}
	texts := genLines(t, "secret-texts.txt")
	for _, l := range genLines(t, "secret-heldout.txt") {
		texts = append(texts, append([]string{"held out " + l[0]}, l[1:]...))
	}
	for _, l := range genLines(t, "secret-heldout2.txt") {
		texts = append(texts, append([]string{"second held out " + l[0]}, l[1:]...))
	}
	for _, l := range texts {
		all := "text all"
		if set, group, ok := strings.Cut(l[0], "held out "); ok && group != "" {
			all = "text " + set + "held out all"
		}
		for range 24 {
			marked := strings.ReplaceAll(g.fill(strings.Join(l[1:], "|")), `\n`, "\n")
			before, rest, _ := strings.Cut(marked, "[[")
			value, after, ok := strings.Cut(rest, "]]")
			if !ok {
				t.Fatalf("no credential in %q", l)
			}
			found := genFound(genNamed(before+value+after), len(before), len(before)+len(value))
			count("text "+l[0], found)
			count(all, found)
			if show == "1" && !found {
				t.Logf("missed %s", strconv.Quote(marked))
			}
		}
	}
	for _, l := range genLines(t, "secret-benign.txt") {
		for range 24 {
			text := strings.ReplaceAll(g.fill(strings.Join(l, "|")), `\n`, "\n")
			alarm := false
			for _, h := range genNamed(text) {
				alarm = alarm || h.typ == "SECRET"
			}
			count("alarm", alarm)
			if show == "3" && alarm {
				t.Logf("alarm %s", strconv.Quote(text))
			}
		}
	}
	var keys []string
	for k := range by {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		t.Logf("%-28s %v", k, by[k])
	}
	for key, least := range map[string]float64{"kind all": 0.9, "rules off all": 0.8, "kind unknown service": 0.85, "text all": 0.9} {
		if s := by[key]; s == nil || float64(s.yes) < least*float64(s.all) {
			t.Errorf("%s: %v, want at least %.2f", key, s, least)
		}
	}
	if s := by["alarm"]; s.yes*100 > s.all*3 {
		t.Errorf("alarms on look-alikes: %v", s)
	}
}
