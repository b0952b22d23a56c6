package transform

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// quotedBy gives each word or piece in quotes, between the other signs.
func quotedBy(before, sep, after string, pieces func(string) []string) func(string) string {
	return func(s string) string {
		var q []string
		for _, p := range pieces(s) {
			q = append(q, fmt.Sprintf("%q", p))
		}
		return before + strings.Join(q, sep) + after
	}
}

func sixes(s string) []string { return strings.Split(every(6, "\x00")(s), "\x00") }

func lettersOf(s string) []string { return strings.Split(s, "") }

func inJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(b)
}

func around(before, after string) func(string) string {
	return func(s string) string { return before + s + after }
}

// inside puts sign behind the second letter of each word.
func inside(sign string) func(string) string {
	return eachWord(func(w string) string {
		if len(w) < 3 {
			return w
		}
		return w[:2] + sign + w[2:]
	})
}

// slug leaves nothing but small letters, digits and spaces.
func slug(s string) string {
	return strings.Map(func(r rune) rune {
		if isLetter(r) || r >= '0' && r <= '9' {
			return r
		}
		return ' '
	}, strings.ToLower(s))
}

func markup(kind Kind) []Transform {
	l := list{kind: kind}
	l.exact("empty tags in words", inside("<b></b>"))
	l.exact("tags inside words", eachWord(func(w string) string { return w[:half(w)] + "<i>" + w[half(w):] + "</i>" }))
	l.exact("a comment in words", inside("<!-- x -->"))
	l.exact("a script in words", inside("<script>let a=1</script>"))
	l.exact("a hidden span in words", inside(`<span style="display:none">zq</span>`))
	l.exact("wbr and shy in words", inside("<wbr>&shy;"))
	l.exact("a span for each letter", each(func(r rune) string { return "<span>" + string(r) + "</span>" }))
	l.exact("a tag in capitals for each letter", each(func(r rune) string { return "<FONT COLOR=red>" + string(r) + "</FONT>" }))
	l.exact("a table cell for each word", func(s string) string {
		return "<table><tr><td>" + spaced("</td><td>")(s) + "</td></tr></table>"
	})
	l.exact("a Markdown cell for each word", func(s string) string { return "| " + spaced(" | ")(s) + " |\n|---|---|" })
	l.exact("a list item for each word", func(s string) string { return "- " + spaced("\n- ")(s) })
	l.exact("SVG, a text for each word", func(s string) string {
		return "<svg><text>" + spaced("</text><text>")(s) + "</text></svg>"
	})
	l.exact("CDATA for each word", func(s string) string { return "<a><![CDATA[" + spaced(" ]]><![CDATA[")(s) + "]]></a>" })
	l.exact("bold in words", func(s string) string {
		n := 0
		return each(func(r rune) string {
			n++
			if n%5 == 1 && r != ' ' {
				return "**" + string(r) + "**"
			}
			return string(r)
		})(s)
	})
	l.exact("a link for each word", eachWord(func(w string) string { return "[" + w + "](#)" }))
	l.exact("back quotes around words", eachWord(func(w string) string { return "`" + w + "`" }))
	l.exact("hidden element", around(`<p>Hello</p><div style="display:none">`, "</div>"))
	l.exact("white text", around(`<p>Hello</p><span style="color:#fff;font-size:1px">`, "</span>"))
	l.exact("comment", around("<p>Hello</p><!-- ", " -->"))
	l.exact("alt text", func(s string) string { return `<img src=a.png alt="` + strings.ReplaceAll(s, `"`, "&quot;") + `">` })
	l.exact("meta element", func(s string) string {
		return `<meta name="description" content="` + strings.ReplaceAll(s, `"`, "&quot;") + `">`
	})
	l.exact("link reference", around("Hello.\n\n[//]: # (", ")"))
	l.exact("LaTeX colour", around(`\textcolor{white}{`, "}"))
	l.exact("LaTeX accents", pairs("a", `\"a`, "e", `\'e`, "i", `\^{\i}`, "o", "\\`o", "u", `\"{u}`))
	l.exact("LaTeX braces", each(func(r rune) string { return "{" + string(r) + "}" }))
	l.exact("RTF escapes", each(func(r rune) string { return fmt.Sprintf(`\'%02x`, r) }))
	l.exact("RTF unicode", each(func(r rune) string { return fmt.Sprintf(`\u%d?`, r) }))
	l.exact("CSV cells", func(s string) string { return `"` + spaced(`","`)(s) + `"` })
	l.exact("CSV rows with other columns", func(s string) string {
		var b strings.Builder
		for i, w := range strings.Fields(s) {
			fmt.Fprintf(&b, "%d,%s,%s\n", 40+i, w, fillers[i%12])
		}
		return b.String()
	})
	l.exact("an attribute for each word", eachWord(func(w string) string { return "<w v='" + strings.ReplaceAll(w, "'", "&apos;") + "'/>" }))
	l.exact("a superscript for each letter", each(func(r rune) string { return "<sup>" + string(r) + "</sup>" }))
	l.exact("footnotes behind words", eachWordNth(func(i int, w string) string { return fmt.Sprintf("%s[^%d]", w, i+1) }))
	l.exact("YAML list of letters", func(s string) string { return "- " + strings.Join(lettersOf(s), "\n- ") })
	l.exact("JSON array of words", func(s string) string { return inJSON(strings.Fields(s)) })
	l.exact("JSON array of letters", func(s string) string { return inJSON(lettersOf(s)) })
	l.exact("JSON string in a string", func(s string) string { return inJSON(inJSON(s)) })
	l.exact("JSON objects, a word each", func(s string) string {
		var o []map[string]any
		for i, w := range strings.Fields(s) {
			o = append(o, map[string]any{"id": i, "t": w})
		}
		return inJSON(o)
	})
	l.exact("table, a word in a row", func(s string) string {
		return "| n | v |\n|---|---|\n" + perLine(1, func(i int, w string) string { return fmt.Sprintf("| %d | %s |\n", i+1, w) })(s)
	})
	l.exact("YAML, a word each", perLine(1, func(i int, w string) string { return fmt.Sprintf("- w: %s\n", w) }))
	l.exact("INI, a word each", perLine(1, func(i int, w string) string { return fmt.Sprintf("k%d = %s\n", i+1, w) }))
	l.exact("TOML, strings", perLine(12, func(i int, w string) string { return fmt.Sprintf("line_%d = %q\n", i+1, w) }))
	l.exact("JSON, numbered keys", func(s string) string {
		var b []string
		for i, w := range strings.Fields(s) {
			b = append(b, fmt.Sprintf("\"%d\": %q", i+1, w))
		}
		return "{" + strings.Join(b, ", ") + "}"
	})
	l.exact("an element for each word", func(s string) string { return "<p><w>" + spaced("</w><w>")(s) + "</w></p>" })
	l.exact("a div for each word", func(s string) string { return "<div>" + spaced("</div>\n<div>")(s) + "</div>" })
	l.exact("br between words", spaced("<br>"))
	l.exact("CSS content", perLine(1, func(i int, w string) string { return fmt.Sprintf(".w%d::after{content:%q}\n", i, w+" ") }))
	l.exact("LaTeX bold words", eachWord(func(w string) string { return `\textbf{` + w + "}" }))
	l.exact("comments between words, /* x */", spaced(" /* x */ "))
	l.exact("nested quotes", around(`He wrote: "She said: 'They read: "`, `"'"`))
	l.exact("subtitles", func(s string) string {
		var b strings.Builder
		for i, w := range strings.Split(wrap(s, 14, "\n"), "\n") {
			fmt.Fprintf(&b, "%d\n00:00:%02d,000 --> 00:00:%02d,900\n%s\n\n", i+1, i%60, i%60, w)
		}
		return b.String()
	})
	return l.all
}

func code(kind Kind) []Transform {
	l := list{kind: kind}
	l.exact("strings, plus", quotedBy("", " + ", "", sixes))
	l.exact("strings, dots", quotedBy("$x = ", " . ", ";", sixes))
	l.exact("strings, ||", func(s string) string {
		return "SELECT '" + strings.Join(sixes(strings.ReplaceAll(s, "'", "''")), "' || '") + "'"
	})
	l.exact("strings, side by side", quotedBy("const char *a = ", "\n    ", ";", sixes))
	l.exact("strings, format", func(s string) string {
		p := sixes(s)
		return fmt.Sprintf("%q.format(", strings.Repeat("{}", len(p))) + quotedBy("", ", ", ")", sixes)(s)
	})
	l.exact("join of words", quotedBy(`" ".join([`, ", ", "])", strings.Fields))
	l.exact("join of letters", quotedBy(`"".join([`, ", ", "])", lettersOf))
	l.exact("letters in an array", func(s string) string {
		return "char a[] = {" + strings.Join(strings.Split(each(func(r rune) string { return fmt.Sprintf("%q\x00", r) })(s), "\x00"), ", ") + "0};"
	})
	l.exact("slice backwards", func(s string) string { return fmt.Sprintf("print(%q[::-1])", reverse(s)) })
	l.exact("variables", func(s string) string {
		var def, use strings.Builder
		for i, p := range sixes(s) {
			fmt.Fprintf(&def, "v%d=%q\n", i, p)
			fmt.Fprintf(&use, "${v%d}", i)
		}
		return def.String() + "echo \"" + use.String() + "\""
	})
	l.exact("replace", func(s string) string { return fmt.Sprintf("%q.replace(\"zq\", \" \")", spaced("zq")(s)) })
	l.exact("fromCharCode", func(s string) string { return "String.fromCharCode(" + bytewise("%d", ",")(s) + ")" })
	l.exact("chr, plus", bytewise("chr(%d)", "+"))
	l.exact("CHAR in SQL", bytewise("CHAR(%d)", " || "))
	l.exact("CHAR in SQL, a list", func(s string) string { return "SELECT CHAR(" + bytewise("%d", ",")(s) + ")" })
	l.exact("hex in SQL", func(s string) string { return "SELECT CAST(0x" + hexOf(s) + " AS TEXT)" })
	l.exact("ChrW and &", bytewise("ChrW(%d)", " & "))
	l.exact("bytes of Go", func(s string) string { return "string([]byte{" + bytewise("0x%02x", ", ")(s) + "})" })
	l.exact("map of codes", func(s string) string {
		return "[" + bytewise("%d", ",")(s) + "].map(c=>String.fromCharCode(c)).join('')"
	})
	l.exact("atob", func(s string) string { return `eval(atob("` + base64Of(s) + `"))` })
	l.exact("PowerShell, encoded command", func(s string) string {
		return "powershell -EncodedCommand " + base64Of(utf16Of(s, binary.LittleEndian))
	})
	l.exact("shell, base64", func(s string) string { return "echo " + base64Of(s) + " | base64 -d" })
	l.exact("shell, printf", func(s string) string { return "printf '" + bytewise(`\%03o`, "")(s) + "'" })
	l.exact("shell, $''", func(s string) string { return "echo $'" + bytewise(`\x%02x`, "")(s) + "'" })
	l.exact("shell, empty quotes in words", eachWord(func(w string) string {
		return strings.Join(strings.Split(w, ""), `""`)
	}))
	l.exact("shell, carets", apart("^"))
	l.exact("pattern of classes", each(func(r rune) string {
		if isLetter(r) {
			return "[" + string(r) + "]"
		}
		return string(r)
	}))
	l.exact("CONCAT in SQL", func(s string) string {
		return "SELECT CONCAT('" + strings.Join(sixes(strings.ReplaceAll(s, "'", "''")), "', '") + "')"
	})
	l.exact("strings, per cent", func(s string) string {
		return "\"" + strings.Repeat("%s", len(sixes(s))) + "\" % " + quotedBy("(", ", ", ")", sixes)(s)
	})
	l.exact("cursor moves for spaces", spaced("\x1b[1C"))
	l.exact("SQL inserts", perLine(1, func(i int, w string) string {
		return fmt.Sprintf("INSERT INTO t VALUES (%d, '%s');\n", i+1, strings.ReplaceAll(w, "'", "''"))
	}))
	l.exact("file names", perLine(1, func(i int, w string) string { return fmt.Sprintf("%02d_%s.txt\n", i+1, strings.TrimSpace(slug(w))) }))
	l.exact("environment", perLine(1, func(i int, w string) string { return fmt.Sprintf("export MSG_%d=%s\n", i+1, w) }))
	l.exact("comment of a program", func(s string) string { return "// " + wrap(s, 24, "\n// ") + "\nfunc f() {}" })
	return l.all
}

func layered(kind Kind) []Transform {
	l := list{kind: kind}
	add := func(name string, fs ...func(string) string) { l.exact(name, chain(fs...)) }
	add("base64 twice", base64Of, base64Of)
	add("base64 three times", base64Of, base64Of, base64Of)
	add("base64 of shifted by 13", rot13, base64Of)
	add("base64 shifted by 13", base64Of, rot13)
	add("base64 of hex", hexOf, base64Of)
	add("hex of base64", base64Of, hexOf)
	add("base64 of reversed", reverse, base64Of)
	add("base64 reversed", base64Of, reverse)
	add("base64, cases swapped", base64Of, mapBytes(func(c byte) byte {
		if isLetter(rune(c)) {
			return c ^ 32
		}
		return c
	}))
	add("base64 of percent", percentOf, base64Of)
	add("percent of base64", base64Of, percentOf)
	add("percent twice", percentOf, url.QueryEscape)
	add("entities of percent", percentOf, runewise("&#%d;", ""))
	add("escapes of entities", runewise("&#%d;", ""), runewise(`\u%04x`, ""))
	add("base64 of leet", leet("a4e3i1o0s5t7"), base64Of)
	add("base64 of look-alikes", pairs("o", "\u043e", "e", "\u0435", "a", "\u0430"), base64Of)
	add("base64 in full width", base64Of, each(func(r rune) string { return string(r + 0xfee0) }))
	add("base64 with zero-width spaces", base64Of, apart("\u200b"))
	add("base64 in tag characters", base64Of, each(func(r rune) string { return string(0xe0000 + r) }))
	add("base64 over JSON values", base64Of, quotedBy(`{"d":[`, ",", "]}", func(s string) []string { return strings.Split(every(24, "\x00")(s), "\x00") }))
	add("base64 in strings, plus", base64Of, quotedBy("", " + ", "", func(s string) []string { return strings.Split(every(16, "\x00")(s), "\x00") }))
	add("base36 of base64", base64Of, number(digits+lower))
	add("binary of shifted by 13", rot13, bytewise("%08b", " "))
	add("Morse of reversed", reverse, codes(" ", " / ", func(i rune) string { return morseCodes[i] }))
	add("reversed, full width", reverse, each(func(r rune) string {
		if r > ' ' && r <= '~' {
			r += 0xfee0
		}
		return string(r)
	}))
	add("shifted by 13, leet", rot13, leet("a4e3i1o0s5t7"))
	add("shifted by 13, spaces between letters", rot13, apart(" "))
	add("reversed, dots between letters", reverse, apart("."))
	add("joined by underscores, reversed", spaced("_"), reverse)
	add("hidden element with entities", runewise("&#%d;", ""), around(`<div hidden>`, "</div>"))
	add("comment with base64", base64Of, around("<!-- ", " -->"))
	add("gzip in hex", gzipped, hexOf)
	add("gzip in base85", gzipped, fives(rfc85))
	return l.all
}
