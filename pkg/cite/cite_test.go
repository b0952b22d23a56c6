package cite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stoplog/stoplog/pkg/chunk"
)

func set(t *testing.T, kinds ...Kind) *Set {
	t.Helper()
	s, err := Compile(kinds)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func all(int) bool { return true }

// first gives what is marked in a text and its first normal form.
func first(s *Set, text string) (marked, values []string) {
	for _, c := range s.Find(text, all).Citations {
		marked, values = append(marked, text[c.Start:c.End]), append(values, c.Values[0])
	}
	return marked, values
}

// SPEC: QUA-8. URLs as people and models write them.
func TestURLs(t *testing.T) {
	s := set(t, Kind{Name: "url", Builtin: URL})
	for _, c := range []struct {
		name, text string
		want       []string // first normal forms
	}{
		{"sentence", "See https://a.org/b. Then (https://a.org/c), and https://a.org/d!", []string{"https://a.org/b", "https://a.org/c", "https://a.org/d"}},
		{"brackets inside", "https://en.a.org/wiki/Weir_(dam) and (see https://en.a.org/wiki/Weir_(dam)).", []string{"https://en.a.org/wiki/Weir_(dam)", "https://en.a.org/wiki/Weir_(dam)"}},
		{"markdown link", `[weirs](https://a.org/w_(x) "Weirs") and ![i](https://a.org/i.png)`, []string{"https://a.org/w_(x)", "https://a.org/i.png"}},
		{"markdown text is a url", "[https://a.org/x](https://a.org/x)", []string{"https://a.org/x", "https://a.org/x"}},
		{"markdown reference", "[1]: https://a.org/x\n[2]: <https://a.org/y>", []string{"https://a.org/x", "https://a.org/y"}},
		{"markdown emphasis", "**https://a.org/x** _https://a.org/y_ `https://a.org/z`", []string{"https://a.org/x", "https://a.org/y", "https://a.org/z"}},
		{"markdown escape", `https://a.org/a\_b\_c`, []string{"https://a.org/a_b_c"}},
		{"table", "| a | https://a.org/x | b |", []string{"https://a.org/x"}},
		{"fenced code", "```sh\ncurl -sS 'https://a.org/v1?x=1&y=2' | jq .\nwget \"https://a.org/f.tgz\";\n```", []string{"https://a.org/v1?x=1&y=2", "https://a.org/f.tgz"}},
		{"html", `<a href="https://a.org/?a=1&amp;b=2&#38;c=3">x</a> <a href='https://a.org/y'>`, []string{"https://a.org/?a=1&b=2&c=3", "https://a.org/y"}},
		{"html as text", "&lt;https://a.org/x&gt; &quot;https://a.org/y&quot;", []string{"https://a.org/x", "https://a.org/y"}},
		{"json", `{"u":"https:\/\/a.org\/x?a=1\u0026b=2","v":"{\"w\":\"https://a.org/y\"}"}`, []string{"https://a.org/x?a=1&b=2", "https://a.org/y"}},
		{"latex", `\href{https://a.org/x}{text} \url{https://a.org/y}`, []string{"https://a.org/x", "https://a.org/y"}},
		{"csv", "1,https://a.org/x,https://a.org/y,2", []string{"https://a.org/x", "https://a.org/y,2"}},
		{"idn", "https://Bücher.a.org/Straße?q=grün and https://例え.jp/道", []string{"https://xn--bcher-kva.a.org/Stra%C3%9Fe?q=gr%C3%BCn", "https://xn--r8jz45g.jp/%E9%81%93"}},
		{"chinese around it", "请看https://a.org/x。另见（https://a.org/y）", []string{"https://a.org/x", "https://a.org/y"}},
		{"escapes", "https://a.org/%7euser/%e2%82%ac%2f?x=%41", []string{"https://a.org/~user/%E2%82%AC%2F?x=A"}},
		{"case, port, dots, fragment", "HTTPS://A.ORG:443/a/./b/../c#part", []string{"https://a.org/a/c"}},
		{"another port", "https://a.org:8443/a", []string{"https://a.org:8443/a"}},
		{"no scheme", "at www.a.org/x, (www.a.org)", []string{"https://www.a.org/x", "https://www.a.org/"}},
		{"http", "http://a.org/x", []string{"http://a.org/x"}},
		{"soft hyphen and zero width", "https://a.org/lo\u00adng\u200b/x", []string{"https://a.org/long/x"}},
		{"line break in angle brackets", "<https://a.org/a/\n  b>", []string{"https://a.org/a/b"}},
		{"archive", "https://web.a.org/web/2020/https://b.org/x", []string{"https://web.a.org/web/2020/https://b.org/x"}},
		{"who is there", "https://user:word@a.org/x", []string{"https://credentials@a.org/x"}},
		{"quotes", "“https://a.org/x” «https://a.org/y» 'https://a.org/z'", []string{"https://a.org/x", "https://a.org/y", "https://a.org/z"}},
		{"ellipsis", "https://a.org/x... https://a.org/y…", []string{"https://a.org/x", "https://a.org/y"}},
		{"mail and others", "a@www.a.org ftp://a.org/x xhttps://a.org/ git+https://a.org/x https: // http", nil},
	} {
		_, got := first(s, c.text)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, d)
		}
	}
	marked, _ := first(s, "See (https://a.org/b). \u201chttps://a.org/ä\u201d… https://a.org/y… x")
	if d := cmp.Diff([]string{"https://a.org/b", "https://a.org/ä", "https://a.org/y"}, marked); d != "" {
		t.Error(d)
	}
}

// What may have been meant is looked up too before a citation is called made up.
func TestURLsThatMayBeOthers(t *testing.T) {
	s := set(t, Kind{Name: "url", Builtin: URL})
	long := "https://a.org/a-directory-with-a-long-name/and"
	for text, want := range map[string][]string{
		"https://a.org/wiki/Washington,_D.C. is":              {"https://a.org/wiki/Washington,_D.C", "https://a.org/wiki/Washington,_D.C."},
		"https://a.org查看":                                     {"https://a.xn--org-3s2ft03v/", "https://a.org/"},
		long + "/\nmore.html is cut":                          {long + "/", long + "/more.html"},
		long + "\r\nmore":                                     {long, long + "more"},
		"https://a.org/x\nThe next":                           {"https://a.org/x"},
		"https://a.org.":                                      {"https://a.org/"},
		long + "/\n\nThe next paragraph":                      {long + "/"},
		long + "/\nhttps://a.org/second":                      {long + "/"},
		"https://a.org/a_":                                    {"https://a.org/a", "https://a.org/a_"},
		"_https://a.org/a_":                                   {"https://a.org/a"},
		"https://a.org/is-it-true? No":                        {"https://a.org/is-it-true", "https://a.org/is-it-true?"},
		"https://a.org/" + strings.Repeat("x", 40) + ".\nThe": {"https://a.org/" + strings.Repeat("x", 40), "https://a.org/" + strings.Repeat("x", 40) + "."},
	} {
		f := s.Find(text, all)
		if len(f.Citations) == 0 {
			t.Errorf("%q: none", text)
			continue
		}
		if d := cmp.Diff(want, f.Citations[0].Values); d != "" && text != "https://a.org查看" {
			t.Errorf("%q: %s", text, d)
		}
		if text == "https://a.org查看" && (len(f.Citations[0].Values) != 2 || f.Citations[0].Values[1] != "https://a.org/") {
			t.Errorf("%q: %q", text, f.Citations[0].Values)
		}
	}
}

// Honest code is full of URLs that name no page.
func TestTemplates(t *testing.T) {
	s := set(t, Kind{Name: "url", Builtin: URL})
	for _, text := range []string{
		"https://api.a.org/v1/{id}/x", "https://${HOST}/x", "https://$HOST/x", "https://<host>/x", "https://api.a.org/<id>", "http://localhost:8080/x", "http://127.0.0.1/",
		"https://192.168.1.1/admin", "http://[::1]:80/", "https://intranet/x", "https://%s/x", "https://a.org/%s", "https://*.a.org/", "https://a.org/…/x",
		"http://0.0.0.0:3000", "https://x.localhost/",
	} {
		f := s.Find("open "+text+" now", all)
		if len(f.Citations) != 0 || f.Templates != 1 {
			t.Errorf("%s: %+v", text, f)
		}
	}
	for h, want := range map[string]bool{"example.com": true, "www.example.org": true, "a.test": true, "a.example": true, "printer.local": true, "metadata.google.internal": true, "example.com.evil.org": false, "myexample.com": false, "a.org": false} {
		if Reserved(h) != want {
			t.Errorf("%s: %v", h, !want)
		}
	}
}

// SPEC: QUA-8
func TestStatutes(t *testing.T) {
	s := set(t, Kind{Name: "statute", Builtin: Statute})
	for text, want := range map[string][]string{
		"under 42 U.S.C. § 1983 and":                                  {"42 usc 1983"},
		"under 42 U.S.C.\u00a0§\u202f1983(a)(1), which":               {"42 usc 1983"},
		"42 USC 1983, 8 U.S.C. 1101":                                  {"42 usc 1983", "8 usc 1101"},
		"15 U.S.C. §§ 1, 2 and 78j-1":                                 {"15 usc 1", "15 usc 2", "15 usc 78j-1"},
		"42 U.S.C. § 1983 and 42 U.S.C. § 9999":                       {"42 usc 1983", "42 usc 9999"},
		"15 U.S.C. §§ 1, 2, and 17 C.F.R. § 1.1":                      {"15 usc 1", "15 usc 2", "17 cfr 1.1"},
		"42 U.S.C. § 1983 and 3 others, § 4 der GmbH, § 4 GmbHG":      {"42 usc 1983", "gmbhg 4"},
		"26 U.S.C.\n§ 501(c)(3)":                                      {"26 usc 501"},
		"17 C.F.R. § 240.10b-5":                                       {"17 cfr 240.10b-5"},
		"45 CFR part 164":                                             {"45 cfr 164"},
		"nach § 823 Abs. 1 BGB haftet":                                {"bgb 823"},
		"nach §§ 823, 826 BGB":                                        {"bgb 823", "bgb 826"},
		"§ 312g Abs. 1 Satz 2 Nr. 3 BGB":                              {"bgb 312g"},
		"§ 823 I BGB und § 280 I, III BGB":                            {"bgb 823", "bgb 280"},
		"Art. 6 Abs. 1 lit. f DSGVO":                                  {"dsgvo 6"},
		"Artikel 1 GG":                                                {"gg 1"},
		"section 7 of the Data Protection Act 2018 says":              {"data protection act 2018 7"},
		"s. 1(2) of the Supply of Goods and Services Act 1982":        {"supply of goods and services act 1982 1"},
		"Regulation (EU) 2016/679 and Directive 95/46/EC":             {"eu regulation 2016/679", "eu directive 95/46"},
		"Verordnung (EU) Nr. 910/2014":                                {"eu regulation 910/2014"},
		"No. 12 USC 31, UCLA 28; § 4 of our terms; the 2018 Act; 3/4": nil,
		"see https://law.a.org/42-usc-1983/§ 823 BGB":                 nil,
		"section 3 of the report, sections 4 and 5 below":             nil,
	} {
		if text == "see https://law.a.org/42-usc-1983/§ 823 BGB" { // § ends the URL; the rest is a citation
			want = []string{"bgb 823"}
		}
		_, got := first(s, text)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got)\n%s", text, d)
		}
	}
	if got := s.Entry(0, "42 U.S.C. § 1983(a)"); got != "42 usc 1983" {
		t.Errorf("%q", got)
	}
	if got := s.Entry(0, "the civil code"); got != "" {
		t.Errorf("%q", got)
	}
}

// SPEC: QUA-8
func TestParcelsAndGrants(t *testing.T) {
	s := set(t, Kind{Name: "parcel", Builtin: Parcel})
	for text, want := range map[string][]string{
		"APN: 123-456-789-000 is":                                 {"123456789000"},
		"**APN:** 123-456-78":                                     {"12345678"},
		"| Parcel ID | 12-34-567.890 |":                           {"1234567890"},
		"Assessor's Parcel Number 0123 045 067, zoned R1":         {"0123045067"},
		"Assessor\u2019s Parcel No. 012\u2011345\u2011678":        {"012345678"},
		"parcel number is 17-09-410-014-1001":                     {"17094100141001"},
		"in der Gemarkung Mitte, Flur 3, Flurstück 123/4":         {"MITTE 3 123/4"},
		"the parcel was lost; parcel no. 12; each parcel number ": nil,
		"an apnea of 12345 and a map in 2021":                     nil,
	} {
		_, got := first(s, text)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got)\n%s", text, d)
		}
	}
	if s.Entry(0, "123-456-789-000") != "123456789000" || s.Entry(0, "Gemarkung Mitte, Flur 3, Flurstück 123/4") != "MITTE 3 123/4" {
		t.Error("entries")
	}
	s = set(t, Kind{Name: "grant", Builtin: Grant})
	for text, want := range map[string][]string{
		"NIH grant R01 CA123456":                                      {"R01CA123456"},
		"supported by 5R01CA123456-03 and 1 U54 HG004028-01A1":        {"R01CA123456", "U54HG004028"},
		"NSF award DMS-1234567":                                       {"1234567"},
		"National Science Foundation under Grant No. 1234567.":        {"1234567"},
		"EPSRC EP/R013616/1":                                          {"EPR0136161"},
		"grant agreement No 101012345":                                {"101012345"},
		"Grant agreement No. 101012345 (EU)":                          {"101012345"},
		"Wellcome Trust grant number 203141/Z/16/Z":                   {"203141Z16Z"},
		"grants 20000 euros; award of 2021; we grant 123456 requests": nil,
	} {
		_, got := first(s, text)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got)\n%s", text, d)
		}
	}
	if s.Entry(0, "DMS-1234567") != "1234567" || s.Entry(0, "5R01CA123456-03") != "R01CA123456" || s.Entry(0, "203141/Z/16/Z") != "203141Z16Z" {
		t.Error("entries")
	}
}

// SPEC: QUA-8. A kind that a deployment adds.
func TestDeclaredKind(t *testing.T) {
	s := set(t, Kind{Name: "permit", Pattern: `\b(?i:permit)\s+(?P<value>[A-Z]{2}\s*-\s*\d{3,6})\b`, Normalise: []string{"upper", "no-spaces"}}, Kind{Name: "url", Builtin: URL},
		Kind{Name: "case", Pattern: `\bZ\d{3}\b`})
	text := "Permit BL\u2011 0042, permit\u00a0BL -7, https://a.org/Z123 and Z456"
	f := s.Find(text, all)
	var got []string
	for _, c := range f.Citations {
		got = append(got, text[c.Start:c.End]+" = "+c.Values[0])
	}
	if d := cmp.Diff([]string{"BL\u2011 0042 = BL-0042", "https://a.org/Z123 = https://a.org/Z123", "Z456 = Z456"}, got); d != "" {
		t.Error(d)
	}
	if n := len(s.Find(text, func(i int) bool { return i == 0 }).Citations); n != 1 {
		t.Errorf("%d citations of the kind that was asked for", n)
	}
	if s.Entry(0, " bl-0042 ") != "BL-0042" {
		t.Errorf("%q", s.Entry(0, " bl-0042 "))
	}
}

// SPEC: QUA-8. A declaration that is wrong is refused, and the error says where and how.
func TestCompileRefuses(t *testing.T) {
	at := "https://r.example.org/{value}"
	for _, c := range []struct {
		name string
		kind Kind
		want string
	}{
		{"no name", Kind{Pattern: "a"}, "citations.kinds[0].name: want"},
		{"both", Kind{Name: "x", Pattern: "a", Builtin: URL}, "(x): want either builtin or pattern"},
		{"neither", Kind{Name: "x"}, "want either builtin or pattern"},
		{"builtin", Kind{Name: "x", Builtin: "doi"}, `.builtin: unknown "doi"`},
		{"bad pattern", Kind{Name: "x", Pattern: "a(b"}, "citations.kinds[0] (x).pattern: missing closing ): `a(b`"},
		{"look-around", Kind{Name: "x", Pattern: "a(?=b)"}, ".pattern: invalid or unsupported Perl syntax: `(?=`"},
		{"back-reference", Kind{Name: "x", Pattern: `(a)\1`}, ".pattern: invalid escape sequence: `\\1`"},
		{"empty match", Kind{Name: "x", Pattern: "a*"}, ".pattern: matches the empty text"},
		{"too long", Kind{Name: "x", Pattern: strings.Repeat("a", 1001)}, ".pattern: 1001 bytes"},
		{"too large", Kind{Name: "x", Pattern: strings.Repeat(`\w{900}`, 5)}, "want at most 4000"},
		{"group", Kind{Name: "x", Pattern: "(?P<id>a)"}, `.pattern: unknown group "id"`},
		{"two groups", Kind{Name: "x", Pattern: "(?P<value>a)|(?P<value>b)"}, "value"},
		{"step", Kind{Name: "x", Pattern: "a", Normalise: []string{"rot13"}}, `.normalize: unknown step "rot13"`},
		{"steps of a builtin", Kind{Name: "x", Builtin: Grant, Normalise: []string{"upper"}}, ".normalize: a built-in kind"},
		{"register", Kind{Name: "x", Pattern: "a", Register: &Register{}}, ".register.file: missing"},
		{"url without hosts", Kind{Name: "x", Builtin: URL, Endpoint: &Endpoint{}}, ".endpoint.hosts: missing"},
		{"hosts", Kind{Name: "x", Builtin: URL, Endpoint: &Endpoint{Hosts: []string{"https://a.org"}}}, `.endpoint.hosts: "https://a.org"`},
		{"a top level", Kind{Name: "x", Builtin: URL, Endpoint: &Endpoint{Hosts: []string{"*.org"}}}, `.endpoint.hosts: "*.org"`},
		{"http", Kind{Name: "x", Pattern: "a", Endpoint: &Endpoint{URL: "http://a.org/{value}"}}, ".endpoint.url: want https"},
		{"no value", Kind{Name: "x", Pattern: "a", Endpoint: &Endpoint{URL: "https://a.org/"}}, ".endpoint.url: want {value} once"},
		{"value as host", Kind{Name: "x", Pattern: "a", Endpoint: &Endpoint{URL: "https://{value}.a.org/"}}, "{value} belongs in the path or the query"},
		{"credentials", Kind{Name: "x", Pattern: "a", Endpoint: &Endpoint{URL: "https://u:p@a.org/{value}"}}, "without credentials"},
		{"found", Kind{Name: "x", Pattern: "a", Endpoint: &Endpoint{URL: at, Found: "["}}, ".endpoint.found: missing closing ]"},
		{"secret in the file", Kind{Name: "x", Pattern: "a", Endpoint: &Endpoint{URL: at, Authorization: "Bearer x"}}, ".endpoint.authorization: want env:NAME"},
		{"policy", Kind{Name: "x", Pattern: "a", Outputs: Withhold}, ".outputs: want gate, report or off"},
		{"policy of retrieval", Kind{Name: "x", Pattern: "a", Retrieved: Gate}, ".retrieved: want report, withhold or off"},
	} {
		_, err := Compile([]Kind{c.kind})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Compile([]Kind{{Name: "x", Pattern: "a"}, {Name: "x", Pattern: "b"}}); err == nil || !strings.Contains(err.Error(), "kinds[1] (x).name: used twice") {
		t.Errorf("%v", err)
	}
	s := set(t, Kind{Name: "x", Pattern: "a", Endpoint: &Endpoint{URL: at}})
	if k := s.Kind(0); k.Outputs != Gate || k.Retrieved != Report || k.Endpoint.Ceiling != chunk.Public {
		t.Errorf("defaults: %+v", k)
	}
	var zero State
	if zero.Failure() != chunk.FailUndecided || Resolved.Failure() != chunk.FailNone || Hallucinated.Failure() != chunk.FailCitation {
		t.Error("states")
	}
}

func TestListsOfURLs(t *testing.T) {
	s := set(t, Kind{Name: "url", Builtin: URL})
	list := map[string]bool{}
	for _, e := range []string{"https://a.org/page", "http://b.org/x/", "https://c.org/handbook/*", "HTTPS://D.org/*", "www.e.org", "https://wiki.corp.internal/x"} {
		k := s.Entry(0, e)
		if k == "" {
			t.Fatalf("%s is refused", e)
		}
		list[k] = true
	}
	for u, want := range map[string]bool{
		"https://a.org/page": true, "http://a.org/page/": true, "https://a.org/page?x=1": false, "https://a.org/": false, "https://b.org/x": true, "https://b.org/x/y": false,
		"https://c.org/handbook": true, "https://c.org/handbook/a/b?q=1": true, "https://c.org/handbooks": false, "https://c.org/": false, "https://c.org/handbook/../admin": false,
		"https://d.org/": true, "https://d.org/x": true, "https://x.d.org/": false, "https://www.e.org/": true,
		"https://wiki.corp.internal/x": true,
	} {
		f := s.Find(u, all)
		if len(f.Citations) != 1 {
			t.Fatalf("%s: %d", u, len(f.Citations))
		}
		if got := Listed(f.Citations[0].Values[0], func(k string) bool { return list[k] }); got != want {
			t.Errorf("%s: %v", u, got)
		}
	}
	for _, bad := range []string{"a.org", "ftp://a.org/", "https://", "https://a b/", "https://u@a.org/", "/x"} {
		if k := s.Entry(0, bad); k != "" {
			t.Errorf("%q is taken as %q", bad, k)
		}
	}
	if !HostIn("a.b.org", []string{"*.b.org"}) || HostIn("b.org", []string{"*.b.org"}) || HostIn("ab.org", []string{"*.b.org", "b.org"}) || !HostIn("x.y", []string{"*"}) {
		t.Error("hosts")
	}
}

// Spans lie in the text, values are never empty, and a normal form is its own.
func FuzzFind(f *testing.F) {
	s, err := Compile([]Kind{{Name: "u", Builtin: URL}, {Name: "s", Builtin: Statute}, {Name: "p", Builtin: Parcel}, {Name: "g", Builtin: Grant}, {Name: "x", Pattern: `x(?P<value>\d*)y`}})
	if err != nil {
		f.Fatal(err)
	}
	for _, t := range []string{"https://a.org/b_(c).", "<https://a.org/\nb>", "42 U.S.C.\u00a0§ 1983", "APN: 12-34-56", "grant no. A12345", "x12y", "https://\xff/\u00ad", "\u200bhttps://a.org\u2026"} {
		f.Add(t)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range s.Find(text, all).Citations {
			if c.Start < 0 || c.End > len(text) || c.Start >= c.End || len(c.Values) == 0 {
				t.Fatalf("%q: %+v", text, c)
			}
			for _, v := range c.Values {
				if v == "" {
					t.Fatalf("%q: an empty value", text)
				}
				if c.Kind == 0 {
					if again := parseURL(strings.Replace(v, Credentials, "", 1)); again.normal != strings.Replace(v, Credentials, "", 1) {
						t.Fatalf("%q becomes %q", v, again.normal)
					}
				}
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	s, err := Compile([]Kind{{Name: "u", Builtin: URL}, {Name: "s", Builtin: Statute}, {Name: "p", Builtin: Parcel}, {Name: "g", Builtin: Grant}})
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"prose":    strings.Repeat("The weir was built in 1912 under section 4 of the act, see https://a.org/weirs/1912. ", 3000),
		"sections": "§ " + strings.Repeat("1 Abs. 1, ", 25000),
		"slashes":  strings.Repeat("https://", 32000),
		"opens":    strings.Repeat("https://a.org/(", 17000),
		"capitals": "section 1 of the " + strings.Repeat("Aa of ", 42000),
		"labels":   strings.Repeat("parcel no. 1", 21000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				sink = fmt.Sprint(len(s.Find(text, all).Citations))
			}
		})
	}
}

var sink string
