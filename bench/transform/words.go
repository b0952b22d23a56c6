package transform

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// eachWord writes every word by f and puts one space between them.
func eachWord(f func(string) string) func(string) string {
	return func(s string) string {
		ws := strings.Fields(s)
		for i, w := range ws {
			ws[i] = f(w)
		}
		return strings.Join(ws, " ")
	}
}

// split puts sign into the middle of longer words.
func split(sign string) func(string) string {
	return eachWord(func(w string) string {
		if len(w) < 6 {
			return w
		}
		return w[:half(w)] + sign + w[half(w):]
	})
}

// spaced puts sign between words.
func spaced(sign string) func(string) string {
	return func(s string) string { return strings.Join(strings.Fields(s), sign) }
}

// apart puts sign between all characters.
func apart(sign string) func(string) string {
	return func(s string) string { return strings.Join(strings.Split(s, ""), sign) }
}

func spacing(kind Kind) []Transform {
	l := list{kind: kind}
	l.exact("spaces between letters", apart(" "))
	l.exact("dots between letters", apart("."))
	l.exact("dots inside words", eachWord(apart(".")))
	l.exact("stars between letters", apart("*"))
	l.lossy("dashes between letters, no spaces", chain(spaced(""), apart("-")))
	l.exact("letters one to a line", apart("\n"))
	l.exact("words: underscores", spaced("_"))
	l.exact("words: dashes", spaced("-"))
	l.exact("words: dots", spaced("."))
	l.exact("words: slashes", spaced("/"))
	l.exact("words: plus signs", spaced("+"))
	l.exact("words: stars around", func(s string) string { return "*" + spaced("* *")(s) + "*" })
	l.exact("words: bars", spaced(" | "))
	l.exact("words: commas", spaced(", "))
	l.exact("words: one to a line", spaced("\n"))
	l.exact("words: numbered lines", func(s string) string {
		var b strings.Builder
		for i, w := range strings.Fields(s) {
			b.WriteString(roman(i+1) + ") " + w + "\n")
		}
		return b.String()
	})
	l.exact("words: three spaces", spaced("   "))
	l.exact("words: no-break spaces", spaced("\u00a0"))
	l.exact("words: wide spaces", spaced("\u3000"))
	l.exact("words: blank Braille", spaced("\u2800"))
	l.exact("words: tabs", spaced("\t"))
	l.exact("words: line breaks and tabs", spaced("\r\n\t "))
	l.exact("words: faces", spaced(" \U0001F600 "))
	l.exact("words: a letter", spaced("X"))
	l.exact("words: joined, capitals", chain(eachWord(func(w string) string { return strings.ToUpper(w[:1]) + w[1:] }), spaced("")))
	l.lossy("words: no spaces", spaced(""))
	l.lossy("spaces moved by one letter", func(s string) string {
		ws := strings.Fields(s)
		for i := 0; i+1 < len(ws); i++ {
			ws[i], ws[i+1] = ws[i]+ws[i+1][:1], ws[i+1][1:]
		}
		return strings.Join(ws, " ")
	})
	l.lossy("groups of five letters", func(s string) string {
		s = spaced("")(s)
		var g []string
		for len(s) > 5 {
			g, s = append(g, s[:5]), s[5:]
		}
		return strings.Join(append(g, s), " ")
	})
	l.lossy("long words split by a space", split(" "))
	l.exact("long words split by a hyphen", split("-"))
	l.exact("hyphenated over lines", split("-\n"))
	l.exact("hyphenated over lines, soft", split("\u00ad\n"))
	l.exact("broken lines of twenty", func(s string) string { return wrap(s, 20, "\n") })
	l.exact("quoted mail, broken lines", func(s string) string { return "> > " + wrap(s, 24, "\n> > ") })
	l.exact("log lines", perLine(28, func(i int, w string) string { return stamp(i) + " INFO app[812]: " + w + "\n" }))
	l.exact("log lines, a word each", perLine(1, func(i int, w string) string { return stamp(i) + " INFO app[812]: " + w + "\n" }))
	l.exact("diff, added lines", perLine(24, func(i int, w string) string { return "+" + w + "\n" }))
	l.exact("numbered lines, cat -n", perLine(24, func(i int, w string) string { return fmt.Sprintf("%6d\t%s\n", i+1, w) }))
	l.exact("numbered list of words", perLine(1, func(i int, w string) string { return fmt.Sprintf("%d. %s\n", i+1, w) }))
	l.exact("numbered words in a row", eachWordNth(func(i int, w string) string { return fmt.Sprintf("%d. %s", i+1, w) }))
	l.exact("WebVTT", func(s string) string {
		return "WEBVTT\n\n" + perLine(14, func(i int, w string) string {
			return fmt.Sprintf("00:%02d.000 --> 00:%02d.900\n%s\n\n", i, i, w)
		})(s)
	})
	l.exact("chat lines", perLine(20, func(i int, w string) string { return fmt.Sprintf("[10:%02d] bob: %s\n", i, w) }))
	l.exact("chat lines, a word each", perLine(1, func(i int, w string) string { return fmt.Sprintf("[10:%02d] bob: %s\n", i, w) }))
	l.exact("block comment", func(s string) string {
		return "/*\n" + perLine(24, func(i int, w string) string { return " * " + w + "\n" })(s) + " */"
	})
	l.exact("box", func(s string) string {
		rule := "+" + strings.Repeat("-", 36) + "+\n"
		return rule + perLine(22, func(i int, w string) string { return fmt.Sprintf("| %-34s |\n", w) })(s) + rule
	})
	l.exact("wrapped at 40", func(s string) string { return wrap(s, 34, "\n") })
	l.exact("two columns of words", func(s string) string {
		ws := strings.Fields(s)
		h := (len(ws) + 1) / 2
		var b strings.Builder
		for i := range h {
			b.WriteString(ws[i] + strings.Repeat(" ", max(1, 16-len(ws[i]))))
			if h+i < len(ws) {
				b.WriteString(ws[h+i])
			}
			b.WriteByte('\n')
		}
		return b.String()
	})
	return l.all
}

// perLine writes the lines that wrap breaks s into, by f.
func perLine(n int, f func(i int, line string) string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for i, w := range strings.Split(wrap(s, n, "\n"), "\n") {
			b.WriteString(f(i, w))
		}
		return b.String()
	}
}

// stamp is the time of line i of a log.
func stamp(i int) string { return fmt.Sprintf("2026-03-04T10:%02d:%02dZ", 11+i/60, i*7%60) }

// wrap breaks lines between words after n bytes.
func wrap(s string, n int, sign string) string {
	var b strings.Builder
	line := 0
	for i, w := range strings.Fields(s) {
		switch {
		case i == 0:
		case line > n:
			b.WriteString(sign)
			line = 0
		default:
			b.WriteByte(' ')
		}
		b.WriteString(w)
		line += len(w) + 1
	}
	return b.String()
}

func roman(n int) string {
	var b strings.Builder
	for _, x := range []struct {
		n int
		s string
	}{{100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		for ; n >= x.n; n -= x.n {
			b.WriteString(x.s)
		}
	}
	return b.String()
}

func isVowel(r rune) bool { return strings.ContainsRune("aeiou", unicode.ToLower(r)) }

// fillers stand where a transform needs words that mean nothing.
var fillers = strings.Fields("tree house river stone garden window paper bottle market summer bridge candle")

func wordwise(kind Kind) []Transform {
	l := list{kind: kind}
	l.lossy("words in reverse order", func(s string) string {
		ws := strings.Fields(s)
		slices.Reverse(ws)
		return strings.Join(ws, " ")
	})
	l.lossy("neighbouring words swapped", func(s string) string {
		ws := strings.Fields(s)
		for i := 0; i+1 < len(ws); i += 2 {
			ws[i], ws[i+1] = ws[i+1], ws[i]
		}
		return strings.Join(ws, " ")
	})
	l.exact("letters doubled", letters(func(i rune) string { return strings.Repeat(string('a'+i), 2) }))
	l.lossy("vowels drawn out", each(func(r rune) string {
		if isVowel(r) {
			return strings.Repeat(string(r), 3)
		}
		return string(r)
	}))
	l.guessed("typing errors", typos)
	l.guessed("letters inside words shuffled", func(r *rand.Rand, s string) string {
		return eachWord(func(w string) string {
			b := []byte(w)
			if len(b) > 3 {
				r.Shuffle(len(b)-2, func(i, j int) { b[1+i], b[1+j] = b[1+j], b[1+i] })
			}
			return string(b)
		})(s)
	})
	l.guessed("all letters of words shuffled", func(r *rand.Rand, s string) string {
		return eachWord(func(w string) string {
			b := []byte(w)
			r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
			return string(b)
		})(s)
	})
	l.exact("pig Latin", eachWord(func(w string) string {
		k := 0
		for k < len(w) && isLetter(rune(w[k])) && !isVowel(rune(w[k])) {
			k++
		}
		return w[k:] + w[:k] + "ay"
	}))
	l.exact("a syllable before vowels", each(func(r rune) string {
		if isVowel(r) {
			return "ub" + string(r)
		}
		return string(r)
	}))
	l.exact("first letter to the end", eachWord(func(w string) string { return w[1:] + w[:1] }))
	l.lossy("vowels left out", each(func(r rune) string {
		if isVowel(r) {
			return ""
		}
		return string(r)
	}))
	l.lossy("vowels starred", each(func(r rune) string {
		if isVowel(r) {
			return "*"
		}
		return string(r)
	}))
	l.lossy("one vowel for all", each(func(r rune) string {
		if isVowel(r) {
			return "u"
		}
		return string(r)
	}))
	l.lossy("spelt by sound", pairs("ous", "us", "ea", "ee", "ph", "f", "ght", "t", "tion", "shun", "ck", "k", "ore", "or", "all", "awl", "ct", "kt", "ce", "se", "you", "u", "are", "r", "for", "4", "to", "2"))
	l.lossy("childish: w for r and l", pairs("r", "w", "l", "w"))
	l.exact("stutter", eachWord(func(w string) string { return w[:1] + "-" + w }))
	l.exact("each word twice", eachWord(func(w string) string { return w + " " + w }))
	l.exact("first word of each line", func(s string) string {
		var b strings.Builder
		for i, w := range strings.Fields(s) {
			b.WriteString(w + " " + fillers[i%12] + " " + fillers[(i*5+3)%12] + "\n")
		}
		return b.String()
	})
	l.exact("last word of each line", func(s string) string {
		var b strings.Builder
		for i, w := range strings.Fields(s) {
			b.WriteString(fillers[i%12] + " " + fillers[(i*5+3)%12] + " " + w + "\n")
		}
		return b.String()
	})
	l.exact("first letter of each line", func(s string) string {
		var b strings.Builder
		for i, r := range spaced("")(s) {
			b.WriteString(string(r) + fillers[i%12] + " " + fillers[(i*5+3)%12] + "\n")
		}
		return b.String()
	})
	l.exact("every second word", eachWordNth(func(i int, w string) string { return w + " " + fillers[i%12] }))
	l.drawn("every second letter", func(r *rand.Rand, s string) string {
		return each(func(c rune) string { return string(c) + string("xqz"[r.IntN(3)]) })(s)
	})
	l.drawn("every third letter", func(r *rand.Rand, s string) string {
		return each(func(c rune) string { return string(c) + string("xqzkv"[r.IntN(5)]) + string("xqzjw"[r.IntN(5)]) })(s)
	})
	l.drawn("signs strewn in", func(r *rand.Rand, s string) string {
		return each(func(c rune) string {
			if isLetter(c) {
				return string(c) + []string{"", "", "!", "~", "^"}[r.IntN(5)]
			}
			return string(c)
		})(s)
	})
	l.exact("halves exchanged", func(s string) string {
		ws := strings.Fields(s)
		h := len(ws) / 2
		return strings.Join(ws[h:], " ") + " // " + strings.Join(ws[:h], " ")
	})
	l.drawn("numbered words, mixed", func(r *rand.Rand, s string) string {
		ws := strings.Fields(s)
		for i, w := range ws {
			ws[i] = fmt.Sprintf("(%d) %s", i+1, w)
		}
		r.Shuffle(len(ws), func(i, j int) { ws[i], ws[j] = ws[j], ws[i] })
		return strings.Join(ws, " ")
	})
	l.exact("letters with their places", func(s string) string {
		var b strings.Builder
		for i, r := range s {
			fmt.Fprintf(&b, "%c%d", r, i%10)
		}
		return b.String()
	})
	l.exact("last letter first", eachWord(func(w string) string { return w[len(w)-1:] + w[:len(w)-1] }))
	l.exact("vowels exchanged", pairs("a", "e", "e", "a", "i", "o", "o", "i"))
	l.exact("brackets around words, in turns", eachWordNth(func(i int, w string) string {
		k := "[]{}()<>"[i%4*2:]
		return k[:1] + w + k[1:2]
	}))
	return l.all
}

func eachWordNth(f func(i int, w string) string) func(string) string {
	return func(s string) string {
		ws := strings.Fields(s)
		for i, w := range ws {
			ws[i] = f(i, w)
		}
		return strings.Join(ws, " ")
	}
}

// typos writes three of five longer words with a letter lost, doubled or swapped with the next.
func typos(r *rand.Rand, s string) string {
	return eachWord(func(w string) string {
		if len(w) < 5 || r.IntN(5) > 2 {
			return w
		}
		i := 1 + r.IntN(len(w)-3)
		switch r.IntN(3) {
		case 0:
			return w[:i] + w[i+1:i+2] + w[i:i+1] + w[i+2:]
		case 1:
			return w[:i] + w[i+1:]
		}
		return w[:i] + w[i:i+1] + w[i:]
	})(s)
}
