// Command gen writes pkg/view/fold.txt: for each code point that folding
// changes, what it becomes and, where UTS #39 knows a Latin look-alike, which.
//
// Sources: the Unicode Character Database as golang.org/x/text and the unicode
// package carry it, and confusables.txt, version 17.0.0, of Unicode, Inc.
// (Unicode License v3; see LICENSE-UNICODE beside the table).
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// drop are characters that nobody sees: format characters, variation selectors,
// fillers, tags.
func drop(r rune) bool {
	switch r {
	case 0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0, 0xfffc:
		return true
	}
	if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
		return true
	}
	return r >= 0xe0000 && r <= 0xe0fff || r >= 0x80 && r < 0xa0 && r != 0x85
}

// strip are combining marks that carry no meaning a phrase depends on: accents,
// points and overlays. Vowel signs of Indic scripts and voicing marks of kana
// are letters in all but name and stay.
func strip(r rune) bool {
	for _, x := range [][2]rune{
		{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd}, {0x5bf, 0x5bf}, {0x5c1, 0x5c2}, {0x5c4, 0x5c5}, {0x5c7, 0x5c7},
		{0x610, 0x61a}, {0x64b, 0x65f}, {0x670, 0x670}, {0x6d6, 0x6dc}, {0x6df, 0x6e4}, {0x6e7, 0x6e8}, {0x6ea, 0x6ed},
		{0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f},
	} {
		if r >= x[0] && r <= x[1] {
			return true
		}
	}
	return false
}

// byHand are letters that have no decomposition and are read as Latin letters
// all the same, and punctuation that is folded to its ASCII sister.
var byHand = map[rune]string{
	'\u00df': "ss", '\u1e9e': "ss", '\u0131': "i", '\u0142': "l", '\u0141': "l", '\u00f8': "o", '\u00d8': "o", '\u0111': "d", '\u0110': "d",
	'\u00f0': "d", '\u00d0': "d", '\u00fe': "th", '\u00de': "th", '\u00e6': "ae", '\u00c6': "ae", '\u0153': "oe", '\u0152': "oe",
	'\u0127': "h", '\u0126': "h", '\u0167': "t", '\u0166': "t", '\u0180': "b", '\u0243': "b", '\u0268': "i", '\u0197': "i", '\u0289': "u", '\u0244': "u",
	'\u01b6': "z", '\u01b5': "z", '\u023c': "c", '\u023b': "c", '\u0249': "j", '\u0248': "j", '\u024d': "r", '\u024c': "r", '\u024f': "y", '\u024e': "y",
	'\u2018': "'", '\u2019': "'", '\u201a': "'", '\u201b': "'", '\u201c': "\"", '\u201d': "\"", '\u201e': "\"", '\u201f': "\"", '\u00ab': "\"", '\u00bb': "\"",
	'\u2032': "'", '\u2033': "\"", '\u02bc': "'", '\u02b9': "'", '\u00b4': "'", '\u300c': "\"", '\u300d': "\"", '\u300e': "\"", '\u300f': "\"", '\uff62': "\"", '\uff63': "\"",
	'\u2010': "-", '\u2011': "-", '\u2012': "-", '\u2013': "-", '\u2014': "-", '\u2015': "-", '\u2212': "-", '\u2043': "-",
	'\u3002': ".", '\uff61': ".", '\u3001': ",", '\uff64': ",", '\u0964': ".", '\u06d4': ".", '\u061f': "?", '\u060c': ",", '\u061b': ";", '\u037e': ";",
	'\u2022': "*", '\u00b7': ".", '\u30fb': ".", '\u2044': "/", '\u2215': "/", '\u2236': ":", '\ua789': ":", '\u01c3': "!", '\u3010': "[", '\u3011': "]",
}

// letters are alphabets drawn with symbols, in order from a.
var letters = map[string]string{
	// small capitals and their kin
	"\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d\u0274\u1d0f\u1d18\ua7af\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u02e3\u028f\u1d22": "abcdefghijklmnopqrstuvwxyz",
	// upside down
	"\u0250\u0254\u01dd\u025f\u0183\u0265\u0131\u027e\u029e\u026f\u0279\u0287\u028c\u028d\u028e": "acefghijkmrtvwy",
	// braille
	"\u2801\u2803\u2809\u2819\u2811\u280b\u281b\u2813\u280a\u281a\u2805\u2807\u280d\u281d\u2815\u280f\u281f\u2817\u280e\u281e\u2825\u2827\u283a\u282d\u283d\u2835": "abcdefghijklmnopqrstuvwxyz",
}

// old are alphabets that nobody writes a language of today in, by their code points in order: letters and names of the
// Unicode Character Database say which Latin letters stand for them.
var old = []struct {
	first   rune
	letters string
}{
	// runes; the second k is the one that has a c beside it
	{0x16a0, "f v u y y w th th a o a ae o o o oe o r c c k g ng g g w h h h h n n n i e j j ae a i p z s s s c z t t d b b p p e m m m l l ng ng d o ea io q c k st y"},
	{0x16e9, "q x"},
	// ogham
	{0x1681, "b l f s n h d t c q m g ng z r a o u e i ea oi ui io ae p"},
}

// latin are letters of the extended Latin alphabets with hooks, tails and strokes, and those of
// phonetics, which are read as their base: 26 in order from a, none where a full stop stands.
var latin = []string{
	".ɓƈɗęƒɠɦįʝƙɭɱŋøƥʠɽşƭųʋ.ӽȥ.",
	".ƀȼđɇ.ǥħɨɉꝁł.ꞥøᵽꝗɍꞩŧᵾꝟ..ɏƶ",
	".ƃƇƊɛꞙǤɧɪ.ĸƚᶆƞơᵱɋʀʂƫʉ..ᶍƴʐ",
	".ƁꞓƉƐꞘƓⱨƗɈꝄⱢⱮƝƟƤꝖɌƧƬꓴƲ.Ӿ.Ȥ",
	"..ↄȡ...ⱶ..ⱩȽ.ȵǫⱣ.ⱤȿʈɄ.ⱳ.ʏɀ",
	".ʙɕɖɘʄɢʜɩ.ⱪʟᴍɲɵ..ʁʃȶʊⱱ.ꭓỿⱬ",
	"ⱥ..........ⱡ...........ᶍ..",
}

// drawn are alphabets that writers of decorated text put together from letters and signs of any
// script, in order from a, none where a full stop stands. They are look-alikes only in words that hold
// nothing else; the first alphabet that knows a sign decides.
var drawn = []string{
	"₳฿₵.Ɇ₣₲ⱧłJ₭Ⱡ₥₦Ø₱QⱤ₴₮ɄV₩ӾɎⱫ",
	"卂乃匚ᗪ乇千Ꮆ卄丨ﾌҜㄥ爪几ㄖ卩Ɋ尺丂ㄒㄩᐯ山乂ㄚ乙",
	"ﾑ.ᄃ..ｷ.んﾉ.ズﾚﾶ刀のｱ...ｲ..wﾒﾘ.",
	"ᗩᗷᑕᗪEᖴGᕼIᒍKᒪᗰᑎOᑭᑫᖇᔕTᑌᐯᗯ᙭Yᘔ",
	".ᕊᑢᕲᘿ.ᘜ.ᓰᒚ.ᒫᘻᘉᓍᕵᕴ.S.ᑘᐺᘺ.ᖻᗱ",
	"αв¢∂єƒgнιנкℓмησρqяѕтυνωχуz",
	"αβς∂ε.ɠ..ʝҡ.мпθ..г.тµ√ω.ყ.",
	"ДБСDЄFGЊЇJКLМИФРQЯSТЦVЩЖЧZ",
	"ǟɮƈɖɛʄɢɦɨʝӄʟʍռօքզʀֆȶʊʋաӼʏʐ",
	"ą.ƈɖɛʄɠɧıʝƙƖɱŋơ℘զཞʂɬų۷ῳҳყʑ",
	"ɑҍϲժҽƑցհ.յҟӀ.ղօԹ.ɾՏեմѵա×վՀ",
	"คც८ძ૯Բ૭ҺɿʆқՆɱՈ૦ƿҩՐς੮υ౮ω૪עઽ",
	"ค๒ς๔єŦﻮђเןкɭ๓ภ๏קợгรՇยשฬאץչ",
	"ልጌርዕቿቻኗዘጎጋጕረጠክዐየዒዪነፕሁሀሠሸሃጊ",
	"............ጮ.............",
	"ᎪᏴᏟᎠᎬ.ᏀᎻ.ᎫᏦᏞᎷ..ᏢᏅᎡᏚᎢ.ᏙᏔ.ᎩᏃ",
	"ᎯᏰᏨᎴᏋᎰᎶᏂᎥᏠ..ᏁᏁᎧᎵᎤᏒᏕᏖᏬᏉᏯ.Ꭹ.",
	"ꍏꌃꏳꀷꏂꎇꁅꀍꀤ꒻ꀘ꒒ꎭꈤꂦᖘꆰꋪꌚ꓄ꀎꃴꅏꊼꌩꁴ",
	"ꋫꃲꉓꃸꑾꄘꁅꃄ꒐꒑ꀗ꒒ꂵꁹꄱꉣꋟꋪꇘ꓅ꌇ꒦ꅐꉧꌦꁴ",
}

// asWritten are look-alikes that the tables of UTS #39 compare with other letters than those that
// people write them for.
var asWritten = map[rune]string{'м': "m", 'М': "m", 'є': "e", 'Є': "e", 'ք': "p", 'ꓲ': "i", 'ሀ': "v"}

// drawnLetters are the signs of those alphabets, but for the letters of ASCII.
func drawnLetters() map[rune]string {
	m := map[rune]string{}
	for _, a := range drawn {
		for i, r := range []rune(a) {
			if _, known := m[r]; !known && r >= 0x80 {
				m[r] = string(rune('a' + i))
			}
		}
	}
	return m
}

func main() {
	in := flag.String("confusables", "", "path of confusables.txt, version 17.0.0")
	out := flag.String("o", "fold.txt", "output")
	flag.Parse()
	log.SetFlags(0)
	conf := readConfusables(*in)
	hand := map[rune]string{}
	for from, to := range letters {
		for i, r := range []rune(from) {
			hand[r] = to[i : i+1]
		}
	}
	for r, s := range byHand {
		hand[r] = s
	}
	for _, a := range latin {
		if len([]rune(a)) != 26 {
			log.Fatalf("an alphabet of %d letters", len([]rune(a)))
		}
		for i, r := range []rune(a) {
			if _, known := hand[r]; !known && r != '.' && unicode.Is(unicode.Latin, r) {
				hand[r] = string(rune('a' + i))
			}
		}
	}
	for _, x := range old {
		for i, s := range strings.Fields(x.letters) {
			hand[x.first+rune(i)] = s
		}
	}
	decorated := drawnLetters()
	// Digits of other scripts are digits.
	for _, x := range unicode.Nd.R16 {
		for r := rune(x.Lo); r <= rune(x.Hi); r++ {
			if r >= 0x80 && norm.NFKC.String(string(r)) == string(r) {
				hand[r] = string('0' + (r-rune(x.Lo))%10)
			}
		}
	}
	for i := rune(0); i < 26; i++ {
		s := string('a' + i)
		hand[0x1f130+i], hand[0x1f150+i], hand[0x1f170+i], hand[0x1f1e6+i], hand[0x1f110+i], hand[0x249c+i] = s, s, s, s, s, s
	}
	f, err := os.Create(*out)
	if err != nil {
		log.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprint(w, `# Made by go generate. Do not edit.
# Folding of code points: hex code point; flags; folded; look-alike in ASCII.
# Flags: d dropped (invisible), m dropped (mark), s space, n line break, k compatibility form, f case or accent,
# w look-alike also in words without Latin letters, g look-alike in words of nothing else, c takes part in canonical composition.
# Look-alikes: confusables.txt 17.0.0, (c) 2025 Unicode, Inc., Unicode License v3 (LICENSE-UNICODE).
`)
	skel := func(r rune) string {
		if s, ok := asWritten[r]; ok {
			return s
		}
		return asciiLookalike(r, conf, hand)
	}
	n := 0
	for r := rune(0x80); r <= 0x10ffff; r++ {
		if r >= 0xd800 && r < 0xe000 || r >= 0x1100 && r < 0x1200 && !drop(r) || r >= 0xac00 && r < 0xd7a4 {
			if r >= 0x1160 && r < 0x1200 && !drop(r) {
				fmt.Fprintf(w, "%X;c;;\n", r)
			}
			continue
		}
		flags, to, look := "", "", ""
		switch {
		case strip(r):
			flags = "m"
		case drop(r):
			flags = "d"
		case r == 0x85 || r == 0x2028 || r == 0x2029:
			flags = "n"
		case unicode.Is(unicode.Zs, r) || r == 0x2800:
			flags = "s"
		default:
			to = fold(r, hand)
			if to == string(r) {
				to = ""
			} else if compat(r, hand) {
				flags = "k"
			} else {
				flags = "f"
			}
			if !ascii(to) || to == "" {
				look = skel(r)
				// In a word without Latin letters only what looks Latin in both cases
				// counts, so that a capital does not change how a word folds.
				direct := func(r rune) string { return asciiLookalike(r, conf, nil) }
				base := []rune(norm.NFD.String(string(r)))[0] // accents make no difference
				if look != "" && unmixed(r) && direct(unicode.ToLower(base)) == look && direct(unicode.ToUpper(base)) == look {
					flags += "w"
				}
			}
			if s := decorated[r]; s != "" && s != to && look == "" {
				look = s
				flags += "g"
			}
			if p := norm.NFC.PropertiesString(string(r)); !p.BoundaryBefore() {
				flags += "c"
			}
		}
		if flags == "" && to == "" && look == "" {
			continue
		}
		n++
		fmt.Fprintf(w, "%X;%s;%s;%s\n", r, flags, hex(to), look)
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	log.Printf("%d code points", n)
}

func hex(s string) string {
	var p []string
	for _, r := range s {
		p = append(p, strconv.FormatInt(int64(r), 16))
	}
	return strings.Join(p, " ")
}

func ascii(s string) bool {
	for _, r := range s {
		if r >= 0x80 {
			return false
		}
	}
	return true
}

// compat reports that r is a compatibility form (full-width, mathematical,
// enclosed, ligature, hand-made letter), not merely another case or an accent.
func compat(r rune, hand map[rune]string) bool {
	if norm.NFC.String(string(r)) != norm.NFKC.String(string(r)) {
		return true
	}
	h, ok := hand[r]
	return ok && r > 0x24f && ascii(h) && h[0] >= 'a'
}

func fold(r rune, hand map[rune]string) string {
	s := string(r)
	for range 4 { // to the fixed point
		var b strings.Builder
		for _, c := range norm.NFKC.String(s) {
			if h, ok := hand[c]; ok {
				b.WriteString(h)
				continue
			}
			d := norm.NFD.String(string(c))
			for _, e := range d {
				if !strip(e) && !drop(e) {
					if h, ok := hand[e]; ok {
						b.WriteString(h)
					} else if e >= 0x80 {
						b.WriteString(string(unicode.ToLower(e)))
					} else {
						b.WriteRune(e)
					}
				}
			}
		}
		t := norm.NFKC.String(b.String())
		if h, ok := hand[r]; ok && s == string(r) {
			t = h
		}
		if t == s {
			break
		}
		s = t
	}
	return s
}

// unmixed scripts hold whole words that look Latin.
func unmixed(r rune) bool {
	return unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Lisu, unicode.Coptic,
		unicode.Deseret, unicode.Gothic, unicode.Latin, unicode.Old_Italic, unicode.Canadian_Aboriginal, unicode.Vai)
}

// asciiLookalike gives the ASCII letters or digits that r looks like, lower-cased.
func asciiLookalike(r rune, conf map[rune]string, hand map[rune]string) string {
	one := func(r rune) string {
		if h, ok := hand[r]; ok {
			return h
		}
		s, ok := conf[r]
		if !ok {
			d := []rune(norm.NFD.String(string(r)))
			if len(d) > 1 { // an accented look-alike
				if s, ok = conf[d[0]]; !ok {
					return ""
				}
			} else {
				return ""
			}
		}
		var b strings.Builder
		for _, c := range norm.NFD.String(s) {
			if !strip(c) && !drop(c) {
				if h, ok := hand[c]; ok {
					b.WriteString(h)
				} else {
					b.WriteRune(unicode.ToLower(c))
				}
			}
		}
		return b.String()
	}
	s := one(r)
	if l := unicode.ToLower(r); l != r && (s == "l" || s == "") {
		// A capital that looks like a capital I reads as i when its small letter does.
		if t := one(l); t != "" {
			s = t
		}
	}
	switch s {
	case "rn": // the tables write m as rn
		s = "m"
	case "vv":
		s = "w"
	}
	if s == "" || len(s) > 3 {
		return ""
	}
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return ""
		}
	}
	return s
}

func readConfusables(name string) map[rune]string {
	f, err := os.Open(name)
	if err != nil {
		log.Fatal("need -confusables: ", err)
	}
	defer f.Close()
	m := map[rune]string{}
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		line, _, _ := strings.Cut(strings.TrimPrefix(sc.Text(), "\ufeff"), "#")
		p := strings.Split(line, ";")
		if len(p) < 3 {
			continue
		}
		from, err := strconv.ParseInt(strings.TrimSpace(p[0]), 16, 32)
		if err != nil {
			log.Fatal(err)
		}
		var to strings.Builder
		for _, h := range strings.Fields(p[1]) {
			c, err := strconv.ParseInt(h, 16, 32)
			if err != nil {
				log.Fatal(err)
			}
			to.WriteRune(rune(c))
		}
		m[rune(from)] = to.String()
	}
	if len(m) < 6000 {
		log.Fatalf("only %d look-alikes read", len(m))
	}
	return m
}
