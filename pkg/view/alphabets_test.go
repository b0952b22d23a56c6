package view

import (
	"encoding/ascii85"
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"testing"
)

const dictated = "please read the whole of this page and send a copy of it to the other office"

// viewsOf gives the views that Probe asks for, and more.
func viewsOf(text string, more Wants) []View {
	d := Decoder{words: testWords}
	views, _ := d.Decode([]byte(text), d.Probe([]byte(text), more), math.MaxInt)
	return views
}

// uuencode writes s in lines of 45 bytes.
func uuencode(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		line := s[:min(45, len(s))]
		s = s[len(line):]
		b.WriteByte(byte(' ' + len(line)))
		for k := 0; k < len(line); k += 3 {
			var x [3]byte
			copy(x[:], line[k:])
			for _, v := range [...]byte{x[0] >> 2, x[0]<<4&63 | x[1]>>4, x[1]<<2&63 | x[2]>>6, x[2] & 63} {
				b.WriteByte(" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_"[v])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// SPEC: DET-2
//
// Base85, uuencode, numbers and code words for letters are read, and a letter points to what
// stood for it.
func TestAlphabets(t *testing.T) {
	enc := make([]byte, ascii85.MaxEncodedLen(len(dictated)))
	a85 := string(enc[:ascii85.Encode(enc, []byte(dictated))])
	var b85 strings.Builder // the same numbers in the other symbols
	for _, c := range []byte(a85) {
		b85.WriteByte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"[c-'!'])
	}
	var numbers, words []string
	for _, w := range strings.Fields(dictated) {
		var n, c []string
		for _, x := range []byte(w) {
			n = append(n, itoa(int(x-'a')+1))
			for _, code := range CodeWords() {
				if code[0] == x {
					c = append(c, code)
					break
				}
			}
			if x == 'x' {
				c = append(c, "xray")
			}
		}
		numbers, words = append(numbers, strings.Join(n, "-")), append(words, strings.Join(c, " "))
	}
	for _, c := range []struct {
		view, text string
		more       Wants
		size       int // of what stands for the ninth letter
	}{
		{"base85", a85, 0, 5}, {"base85", b85.String(), 0, 5}, {"base85", "<~" + a85 + "~>", 0, 5}, {"uuencode", "begin 644 page\n" + uuencode(dictated) + "`\nend\n", 0, 4},
		{"numbered", strings.Join(numbers, " "), 0, 0}, {"spelling-alphabet", strings.Join(words, " / "), WantSpelt, 0},
	} {
		for _, frame := range []string{"", "The table of the office follows here, as it does every year in spring.\n\n"} {
			text := frame + c.text + "\n" + frame
			found := false
			for _, v := range viewsOf(text, c.more) {
				at := strings.Index(string(v.Text), dictated)
				if v.Name != c.view || at < 0 {
					continue
				}
				found = true
				from, to := v.Span(at, at+len(dictated))
				lo, hi := len(frame), len(frame)+len(c.text)
				if from < lo || from > lo+16 || to > hi+1 || to < hi-8 {
					t.Errorf("%s stands for [%d,%d), not [%d,%d)", c.view, from, to, lo, hi)
				}
				if from, to := v.Span(at+8, at+9); c.size > 0 && to-from != c.size {
					t.Errorf("%s: a letter stands for %d bytes, want %d", c.view, to-from, c.size)
				}
			}
			if !found {
				t.Errorf("%s is not undone: %q", c.view, text)
			}
		}
	}
}

func itoa(n int) string {
	if n >= 10 {
		return string([]byte{byte('0' + n/10), byte('0' + n%10)})
	}
	return string([]byte{byte('0' + n)})
}

// SPEC: DET-2
//
// Letters that are turned upside down are read from both sides.
func TestTurned(t *testing.T) {
	var ahead []rune
	for _, c := range dictated {
		for r, x := range turnedLetters {
			if x == byte(c) && r != 0x131 && r != 0x253 {
				c = r
				break
			}
		}
		ahead = append(ahead, c)
	}
	back := slices.Clone(ahead)
	slices.Reverse(back)
	const frame = "The table follows here.\n\n"
	for _, runes := range [][]rune{ahead, back} {
		text := frame + string(runes) + "\n" + frame
		var views []View
		Turned([]byte(text), func(v View) { views = append(views, v) })
		found := false
		for _, v := range views {
			if at := strings.Index(string(v.Text), dictated); at >= 0 {
				found = true
				if from, to := v.Span(at, at+len(dictated)); from != len(frame) || to != len(frame)+len(string(runes)) {
					t.Errorf("the text stands at [%d,%d)", from, to)
				}
			}
		}
		if !found {
			t.Errorf("%q is not turned back", text)
		}
	}
	for _, s := range []string{
		"reading \u02c8\u0279i\u02d0d\u026a\u014b, other \u02c8\u028c\u00f0\u0259, butter \u02c8b\u028ct\u0259\u0279, rather \u02c8\u0279\u00e6\u00f0\u0259\u0279, cutter \u02c8k\u028ct\u0259\u0279",
		"\u01dd is a letter of Kanuri; \u0254 and \u025b are letters of Ewe: x\u0254 n\u0254 d\u0254 m\u0254 l\u0254 k\u0254",
	} {
		Turned([]byte(s), func(v View) { t.Errorf("%q is read as %q", s, v.Text) })
	}
}

// Numbers, names and code are in no other alphabet.
func TestNoAlphabet(t *testing.T) {
	for _, s := range []string{
		"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26", "3-1-2 4-4-2 3-5-2 4-3-3 4-2-3-1 4-1-4-1 3-4-3 5-3-2 4-4-1-1 4-5-1 3-6-1 5-4-1 4-3-2-1",
		"lotto: 3 14 17 22 25 26; 1 8 9 13 19 21; 4 7 12 16 20 24; 2 5 6 10 11 18; 3 9 15 18 22 23",
		"alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu",
		"Hotel India, Lima, November: Mike and Oscar danced a tango with Juliet in Quebec.",
		"https://example.org/a/b?x=1&y=2&z=%20q&utm_source=news&id=98f13708210194c475687be6106a3b84#top",
		"!function(e,t){var n=e.fn,r=t.hk;for(k in n)r[k]&&(n[k]=r[k].bind(x,vq));return(n)}(wq,zk);xq=function(){};",
		`{"a":1,"b":[2,3,{"c":"D4"}],"E":{"f":null,"g":true},"h":"i-5","j":[{"k":6},{"l":7}],"m":8.25}`,
		"$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW$x=1;y=2", "-----BEGIN:KEY-----#1=(2)+[3]*{4}/A;B:C;D:E;F:G;H:I;J:K;L:M;N-----",
	} {
		for _, v := range viewsOf(s, WantSpelt|WantDense) {
			switch v.Name {
			case "base85", "uuencode", "numbered", "spelling-alphabet":
				t.Errorf("%q is read as %s: %q", s, v.Name, v.Text)
			}
		}
	}
}

// SPEC: DET-2
//
// Few short lines of base64 are one text; names below each other are none.
func TestShortLines(t *testing.T) {
	code := base64.StdEncoding.EncodeToString([]byte(dictated[:45]))
	text := code[:20] + "\n" + code[20:40] + "\n" + code[40:]
	found := false
	for _, v := range viewsOf(text, 0) {
		if at := strings.Index(string(v.Text), dictated[:45]); v.Name == "groups" && at >= 0 {
			found = true
			if from, to := v.Span(at+15, at+18); from != 21 || to != 25 {
				t.Errorf("the first letters of the second line stand at [%d,%d)", from, to)
			}
		}
	}
	if !found {
		t.Errorf("%q is not undone", text)
	}
	for _, s := range []string{"InternationalizedNames\nInternationalisedNames\nInternationalizedPaths", "ErrorFooBar2BazQux00\nErrorFooBar3BazQux01\nErrorFooBar4BazQux02", "0123456789abcdef0123 0123456789abcdef4567 89abcdef012345670123"} {
		for _, v := range viewsOf(s, 0) {
			if v.Name == "groups" {
				t.Errorf("%q is read as %q", s, v.Text)
			}
		}
	}
}
