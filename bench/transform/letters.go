package transform

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// each writes every character by f.
func each(f func(rune) string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for _, r := range s {
			b.WriteString(f(r))
		}
		return b.String()
	}
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// letters writes every letter of a to z by f, which gets its place, 0 to 25.
func letters(f func(i rune) string) func(string) string {
	return each(func(r rune) string {
		if !isLetter(r) {
			return string(r)
		}
		return f(unicode.ToLower(r) - 'a')
	})
}

// from writes letters in a row of characters that begins with first.
func from(first rune) func(string) string {
	return letters(func(i rune) string { return string(first + i) })
}

// as writes letters by an alphabet of 26 characters.
func as(alphabet string) func(string) string {
	a := []rune(alphabet)
	return letters(func(i rune) string { return string(a[i]) })
}

// pairs replaces characters as strings.NewReplacer does.
func pairs(p ...string) func(string) string { return strings.NewReplacer(p...).Replace }

// keyed replaces each character of a by the one at its place in b, in both cases.
func keyed(a, b string) func(string) string {
	to := map[rune]rune{}
	bs := []rune(b)
	for i, r := range []rune(a) {
		to[r] = bs[i]
		if u := unicode.ToUpper(r); u != r && to[u] == 0 {
			to[u] = unicode.ToUpper(bs[i])
		}
	}
	return each(func(r rune) string {
		if x, ok := to[r]; ok {
			return string(x)
		}
		return string(r)
	})
}

// shift moves letters, in their case, by what f gives for the nth letter.
func shift(f func(n int, i rune) rune) func(string) string {
	return func(s string) string {
		n := -1
		return each(func(r rune) string {
			if !isLetter(r) {
				return string(r)
			}
			n++
			if r >= 'a' {
				return string('a' + f(n, r-'a'))
			}
			return string('A' + f(n, r-'A'))
		})(s)
	}
}

func caesar(k rune) func(string) string {
	return shift(func(_ int, i rune) rune { return (i + k) % 26 })
}

var rot13 = caesar(13)

func reverse(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

func chain(fs ...func(string) string) func(string) string {
	return func(s string) string {
		for _, f := range fs {
			s = f(s)
		}
		return s
	}
}

// rail writes s in a zigzag over n lines and reads the lines.
func rail(n int) func(string) string {
	return func(s string) string {
		rows := make([]strings.Builder, n)
		i := 0
		for _, r := range s {
			k := i % (2*n - 2)
			rows[min(k, 2*n-2-k)].WriteRune(r)
			i++
		}
		var b strings.Builder
		for k := range rows {
			b.WriteString(rows[k].String())
		}
		return b.String()
	}
}

// columns writes s in rows of n and reads the columns.
func columns(n int) func(string) string {
	return func(s string) string {
		r := []rune(s)
		var b strings.Builder
		for c := range n {
			for i := c; i < len(r); i += n {
				b.WriteRune(r[i])
			}
		}
		return b.String()
	}
}

// codes writes each letter by its code word or number, apart by sep, words apart by space.
func codes(sep, space string, f func(i rune) string) func(string) string {
	return func(s string) string {
		var ws []string
		for _, w := range strings.Fields(strings.ToLower(s)) {
			var cs []string
			for _, r := range w {
				if isLetter(r) {
					cs = append(cs, f(r-'a'))
				}
			}
			if len(cs) > 0 {
				ws = append(ws, strings.Join(cs, sep))
			}
		}
		return strings.Join(ws, space)
	}
}

func polybius(i rune) (row, column rune) {
	if i > 8 {
		i-- // i and j share a field: there are 25
	}
	return i/5 + 1, i%5 + 1
}

var morseCodes = strings.Fields(".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..")

var tapKeys = strings.Fields("2 22 222 3 33 333 4 44 444 5 55 555 6 66 666 7 77 777 7777 8 88 888 9 99 999 9999")

const (
	turned       = "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz"
	smallCaps    = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀsᴛᴜᴠᴡxʏᴢ"
	superscripts = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖqʳˢᵗᵘᵛʷˣʸᶻ"
	braille      = "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵"
	accented     = "áƀçďéƒğħíĵķĺḿñóṕqřśťúṽŵẋýž"
	hooked       = "ąɓƈɗęƒɠɦįʝƙɭɱŋøƥʠɽşƭųʋɯӽყȥ"
)

// decorated are alphabets of writers of decorated text, in order from a.
var decorated = [...][2]string{
	{"signs of currencies", "₳฿₵ĐɆ₣₲ⱧłJ₭Ⱡ₥₦Ø₱QⱤ₴₮ɄV₩ӾɎⱫ"},
	{"ideographs", "卂乃匚ᗪ乇千Ꮆ卄丨ﾌҜㄥ爪几ㄖ卩Ɋ尺丂ㄒㄩᐯ山乂ㄚ乙"},
	{"Canadian syllabics", "ᗩᗷᑕᗪEᖴGᕼIᒍKᒪᗰᑎOᑭᑫᖇᔕTᑌᐯᗯ᙭Yᘔ"},
	{"Greek and Cyrillic", "αв¢∂єƒgнιנкℓмησρqяѕтυνωχуz"},
	{"Armenian", "ǟɮƈɖɛʄɢɦɨʝӄʟʍռօքզʀֆȶʊʋաӼʏʐ"},
	{"hooks and tails", "ąცƈɖɛʄɠɧıʝƙƖɱŋơ℘զཞʂɬų۷ῳҳყʑ"},
	{"many scripts", "คც८ძ૯Բ૭ҺɿʆқՆɱՈ૦ƿҩՐς੮υ౮ω૪עઽ"},
	{"Ethiopic", "ልጌርዕቿቻኗዘጎጋጕረጠክዐየዒዪነፕሁሀሠሸሃጊ"},
	{"strokes", "Ⱥƀȼđɇfǥħɨɉꝁłmnøᵽꝗɍsŧᵾvwxɏƶ"},
}

// Rows of keys of the layouts, in the same order.
const (
	qwerty  = "qwertyuiop[]asdfghjkl;'zxcvbnm,./"
	dvorak  = "',.pyfgcrl/=aoeuidhtns-;qjkxbmwvz"
	azerty  = "azertyuiop^$qsdfghjklmùwxcvbn,;:!"
	russian = "йцукенгшщзхъфывапролджэячсмитьбю."
)

func ciphers(kind Kind) []Transform {
	l := list{kind: kind}
	for _, k := range []rune{1, 3, 7, 13, 19, 25} {
		l.exact(fmt.Sprintf("shifted by %d", k), caesar(k))
	}
	l.exact("atbash", shift(func(_ int, i rune) rune { return 25 - i }))
	l.exact("affine 5x+8", shift(func(_ int, i rune) rune { return (5*i + 8) % 26 }))
	l.exact("rot47", each(func(r rune) string {
		if r < '!' || r > '~' {
			return string(r)
		}
		return string('!' + (r-'!'+47)%94)
	}))
	l.exact("Vigenère, key lemon", shift(func(n int, i rune) rune { return (i + rune("lemon"[n%5]) - 'a') % 26 }))
	l.exact("shift grows by letter", shift(func(n int, i rune) rune { return (i + rune(n)) % 26 }))
	l.exact("keyboard: typed on dvorak", keyed(qwerty, dvorak))
	l.exact("keyboard: typed on azerty", keyed(qwerty, azerty))
	l.exact("keyboard: typed on Russian", keyed(qwerty, russian))
	l.exact("keyboard: one key to the right", keyed("qwertyuiopasdfghjklzxcvbnm", "wertyuiop[sdfghjkl;xcvbnm,"))
	l.exact("reversed", reverse)
	l.exact("each word reversed", eachWord(reverse))
	l.exact("rail fence, 2 lines", rail(2))
	l.exact("rail fence, 3 lines", rail(3))
	l.exact("columns, 5 wide", columns(5))
	l.exact("halves interleaved", func(s string) string {
		r := []rune(s)
		h := (len(r) + 1) / 2
		var b strings.Builder
		for i := range h {
			b.WriteRune(r[i])
			if h+i < len(r) {
				b.WriteRune(r[h+i])
			}
		}
		return b.String()
	})
	l.exact("neighbours swapped", func(s string) string {
		r := []rune(s)
		for i := 0; i+1 < len(r); i += 2 {
			r[i], r[i+1] = r[i+1], r[i]
		}
		return string(r)
	})
	l.exact("numbers for letters", codes("-", " ", func(i rune) string { return fmt.Sprint(i + 1) }))
	l.exact("numbers from 0", codes(" ", " / ", func(i rune) string { return fmt.Sprint(i) }))
	l.exact("Roman numerals for letters", codes(" ", " / ", func(i rune) string { return strings.ToUpper(roman(int(i) + 1)) }))
	l.exact("Morse", codes(" ", " / ", func(i rune) string { return morseCodes[i] }))
	l.exact("Morse in words", codes(" ", " / ", func(i rune) string {
		return pairs(".", "di", "-", "dah")(morseCodes[i])
	}))
	l.exact("Bacon", codes(" ", " / ", func(i rune) string { return pairs("0", "a", "1", "b")(fmt.Sprintf("%05b", i)) }))
	l.exact("Polybius square", codes(" ", " / ", func(i rune) string { r, c := polybius(i); return fmt.Sprint(r*10 + c) }))
	l.exact("tap code", codes("  ", " / ", func(i rune) string {
		r, c := polybius(i)
		return strings.Repeat(".", int(r)) + " " + strings.Repeat(".", int(c))
	}))
	l.exact("telephone keys, pressed n times", codes(" ", " 0 ", func(i rune) string { return tapKeys[i] }))
	l.lossy("telephone keys, pressed once", codes("", " ", func(i rune) string { return tapKeys[i][:1] }))
	l.exact("code words (alfa, bravo)", codes(" ", " ", func(i rune) string { return nato[i] }))
	l.exact("code words, an own list", codes(" ", " ", func(i rune) string { return animals[i] }))
	return l.all
}

var (
	nato    = strings.Fields("alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu")
	animals = strings.Fields("ant bear cat dog eel fox goat hen ibis jay kite lynx mole newt owl pig quail rat seal toad urchin viper wolf xerus yak zebra")
)

func alphabets(kind Kind) []Transform {
	l := list{kind: kind}
	l.exact("capitals", strings.ToUpper)
	l.exact("every second a capital", func(s string) string {
		n := 0
		return each(func(r rune) string {
			n++
			if n%2 == 0 {
				return string(unicode.ToUpper(r))
			}
			return string(unicode.ToLower(r))
		})(s)
	})
	l.exact("upside down", chain(as(turned), reverse))
	l.exact("upside down, from left to right", as(turned))
	l.exact("small capitals", as(smallCaps))
	l.exact("superscripts", as(superscripts))
	l.exact("Braille", as(braille))
	l.exact("accents on all letters", as(accented))
	l.exact("hooked letters", as(hooked))
	for _, x := range decorated {
		l.exact("decorated, "+x[0], as(x[1]))
	}
	l.exact("full width", each(func(r rune) string {
		if r > ' ' && r <= '~' {
			r += 0xfee0
		}
		return string(r)
	}))
	l.exact("regional indicators", letters(func(i rune) string { return string(0x1f1e6+i) + "\u200b" }))
	l.exact("circled", from(0x24d0))
	l.exact("circled, black", from(0x1f150))
	l.exact("squared", from(0x1f130))
	l.exact("squared, black", from(0x1f170))
	l.exact("in parentheses", from(0x249c))
	l.exact("mathematical bold", from(0x1d41a))
	l.exact("mathematical script", from(0x1d4ea))
	l.exact("mathematical Fraktur", from(0x1d586))
	l.exact("mathematical double-struck", from(0x1d552))
	l.exact("mathematical monospace", from(0x1d68a))
	l.drawn("mathematical, mixed", func(r *rand.Rand, s string) string {
		return letters(func(i rune) string {
			return string([]rune{0x1d41a, 0x1d4ea, 0x1d586, 0x1d552, 0x1d5ba}[r.IntN(5)] + i)
		})(s)
	})
	cyrillic := pairs("a", "\u0430", "e", "\u0435", "o", "\u043e", "p", "\u0440", "c", "\u0441", "y", "\u0443", "x", "\u0445", "i", "\u0456", "j", "\u0458", "s", "\u0455",
		"A", "\u0410", "B", "\u0412", "E", "\u0415", "K", "\u041a", "M", "\u041c", "H", "\u041d", "O", "\u041e", "P", "\u0420", "C", "\u0421", "T", "\u0422", "X", "\u0425")
	l.exact("Cyrillic look-alikes", cyrillic)
	l.drawn("Cyrillic look-alikes, half", func(r *rand.Rand, s string) string {
		return each(func(c rune) string {
			if r.IntN(2) == 0 {
				return string(c)
			}
			return cyrillic(string(c))
		})(s)
	})
	l.exact("Greek look-alikes", pairs("a", "\u03b1", "o", "\u03bf", "i", "\u03b9", "v", "\u03bd", "u", "\u03c5", "p", "\u03c1", "n", "\u03b7", "t", "\u03c4", "x", "\u03c7"))
	l.exact("Cherokee and Lisu look-alikes", chain(strings.ToUpper, pairs("A", "\u13aa", "D", "\u13a0", "E", "\u13ac", "G", "\u13c0", "H", "\u13bb", "I", "\ua4f2", "L", "\u13de", "M", "\u13b7", "O", "\ua4f3", "P", "\u13e2", "R", "\u13a1", "S", "\u13da", "T", "\u13a2", "V", "\u13d9", "Y", "\ua4ec")))
	l.lossy("spelt in Cyrillic", spelt("а,б,к,д,е,ф,г,х,и,й,к,л,м,н,о,п,к,р,с,т,у,в,в,кс,ы,з", "sh,ш,ch,ч,th,т,ph,ф"))
	l.lossy("spelt in Greek", spelt("α,β,κ,δ,ε,φ,γ,χ,ι,ι,κ,λ,μ,ν,ο,π,κ,ρ,σ,τ,ου,β,ου,ξ,υ,ζ", "th,θ,ps,ψ,ph,φ"))
	l.lossy("spelt in katakana", spelt("ア,ブ,ク,ド,エ,フ,グ,ハ,イ,ジ,ク,ル,ム,ン,オ,プ,ク,ル,ス,ト,ウ,ヴ,ウ,クス,イ,ズ", "sh,シ,ch,チ"))
	l.exact("runes", as("ᚨᛒᚲᛞᛖᚠᚷᚺᛁᛃᚴᛚᛗᚾᛟᛈᛩᚱᛊᛏᚢᚡᚹᛪᚣᛉ"))
	l.exact("vowels with dots", pairs("a", "ä", "e", "ë", "i", "ï", "o", "ö", "u", "ü"))
	l.exact("ligatures", pairs("ffi", "\ufb03", "fi", "\ufb01", "fl", "\ufb02", "ff", "\ufb00", "st", "\ufb06", "ij", "\u0133", "dz", "\u01f3", "nj", "\u01cc", "lj", "\u01c9"))
	l.exact("leet, vowels", leet("a4e3i1o0s5t7"))
	l.exact("leet, more", leet("a4b8e3g9i1l|o0s5t7z2"))
	l.exact("leet, signs", leet("a@e3h#i!l1o0s$t+"))
	l.exact("leet, several signs a letter", pairs("a", "/-\\", "h", "|-|", "m", "|\\/|", "n", "|\\|", "v", "\\/", "w", "\\/\\/", "d", "|)", "k", "|<", "u", "|_|", "e", "3", "i", "1", "o", "()"))
	l.exact("emoji for letters", pairs("a", "\U0001F170\ufe0f", "b", "\U0001F171\ufe0f", "o", "\u2b55", "p", "\U0001F17F\ufe0f", "i", "\u2139\ufe0f", "x", "\u274c", "m", "\u24c2\ufe0f", "s", "\U0001F4B2", "t", "\u271d\ufe0f"))
	return l.all
}

// leet replaces letters by the sign after each, in either case.
func leet(p string) func(string) string {
	to := map[rune]string{}
	for i := 0; i < len(p); i += 2 {
		to[rune(p[i])] = p[i+1 : i+2]
	}
	return each(func(r rune) string {
		if x, ok := to[unicode.ToLower(r)]; ok {
			return x
		}
		return string(r)
	})
}

// spelt writes pairs of letters, then letters, by how another script would spell them.
func spelt(alphabet, two string) func(string) string {
	p := strings.Split(two, ",")
	for i, x := range strings.Split(alphabet, ",") {
		p = append(p, string(rune('a'+i)), x)
	}
	r := strings.NewReplacer(p...)
	return func(s string) string { return r.Replace(strings.ToLower(s)) }
}

func invisible(kind Kind) []Transform {
	l := list{kind: kind}
	between := func(sign string) func(string) string {
		return func(s string) string { return strings.Join(strings.Split(s, ""), sign) }
	}
	l.exact("zero-width spaces", between("\u200b"))
	l.exact("zero-width joiners", between("\u200d"))
	l.exact("word joiners", between("\u2060"))
	l.exact("soft hyphens", between("\u00ad"))
	l.exact("Hangul fillers", between("\u3164"))
	l.exact("combining grapheme joiners", between("\u034f"))
	l.exact("invisible times", between("\u2062"))
	l.exact("Mongolian vowel separators", between("\u180e"))
	l.exact("variation selectors between", between("\ufe0f"))
	l.exact("tag characters between", between("\U000E0061"))
	l.drawn("any invisible between", func(r *rand.Rand, s string) string {
		return each(func(c rune) string {
			return string(c) + string([]rune{0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0xad}[r.IntN(6)])
		})(s)
	})
	l.exact("tag characters", func(s string) string {
		return "Nice page." + each(func(r rune) string { return string(0xe0000 + r) })(s)
	})
	l.exact("bytes as variation selectors", func(s string) string {
		b := []rune("Hello")
		for _, c := range []byte(s) {
			if c < 16 {
				b = append(b, 0xfe00+rune(c))
			} else {
				b = append(b, 0xe0100+rune(c)-16)
			}
		}
		return string(b)
	})
	l.exact("bits as zero-width characters", func(s string) string { return "Hello" + pairs("0", "\u200b", "1", "\u200c")(bitsOf(s, "")) })
	l.exact("bits as spaces and tabs", func(s string) string { return "Hello" + pairs("0", " ", "1", "\t")(bitsOf(s, "")) })
	l.drawn("marks piled up", func(r *rand.Rand, s string) string {
		return each(func(c rune) string {
			var b strings.Builder
			b.WriteRune(c)
			for range 4 {
				b.WriteRune(0x300 + r.Int32N(0x4f))
			}
			return b.String()
		})(s)
	})
	l.exact("struck out", each(func(r rune) string { return string(r) + "\u0336" }))
	l.exact("underlined", each(func(r rune) string { return string(r) + "\u0332" }))
	l.exact("right to left override", func(s string) string { return "\u202e" + reverse(s) + "\u202c" })
	l.exact("isolates around letters", letters(func(i rune) string { return "\u2068" + string('a'+i) + "\u2069" }))
	l.exact("backspaces", each(func(r rune) string { return "x\b" + string(r) }))
	l.exact("terminal colours between", each(func(r rune) string { return "\x1b[1m" + string(r) + "\x1b[0m" }))
	return l.all
}

// half gives the byte at which a word is cut in two.
func half(w string) int {
	i := len(w) / 2
	for i < len(w) && !utf8.RuneStart(w[i]) {
		i++
	}
	return i
}
