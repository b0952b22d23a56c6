package api

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoplog/stoplog/pkg/provenance"
)

// browser is a client with cookies that follows redirects, like a reviewer's.
type browser struct {
	t *testing.T
	r *rig
	c *http.Client
}

func (r *rig) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return &browser{r.t, r, &http.Client{Jar: jar}}
}

func (b *browser) do(method, path string, form url.Values, headers ...string) (int, http.Header, string) {
	b.t.Helper()
	req, err := http.NewRequest(method, b.r.srv.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if method == "POST" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := b.c.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

func (b *browser) login(who string) {
	b.t.Helper()
	if s, _, page := b.do("POST", "/review/login", url.Values{"token": {tokenText(who)}}); s != 200 || !strings.Contains(page, "Sign out") {
		b.t.Fatalf("login: %d %.300s", s, page)
	}
}

// SPEC: QUA-4, QUA-5: the queue on a web page, from sign-in to a decision.
func TestPage(t *testing.T) {
	r := newRig(t)
	run := r.accept("booking", inquiry("Dear host\u202e "+markInjection+` "><img src=x onerror=alert(1)> `+canaryEmail)).Run
	r.drain()
	g := r.waitingGate(run, "injection")
	path := "/review/gates/" + string(g.ID)

	b := r.browser()
	if s, _, page := b.do("GET", path, nil); s != 200 || !strings.Contains(page, "Reviewer token") || strings.Contains(page, markInjection) {
		t.Fatalf("without a session: %d %.300s", s, page)
	}
	for _, bad := range []string{"", "nobody", tokenText("agent")} {
		if s, _, page := b.do("POST", "/review/login", url.Values{"token": {bad}}); s != 401 || strings.Contains(page, "Sign out") {
			t.Errorf("%q signs in: %d", bad, s)
		}
	}
	b.login("rita")
	s, h, list := b.do("GET", "/review/", nil)
	if s != 200 || !strings.Contains(list, string(g.ID)) {
		t.Fatalf("%d %.400s", s, list)
	}
	if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "script-src") || strings.Contains(csp, "unsafe") || h.Get("X-Frame-Options") != "DENY" {
		t.Errorf("%v", h)
	}
	s, _, card := b.do("GET", path, nil)
	clean(t, "the page", card)
	if s != 200 || !strings.Contains(card, markInjection) || !strings.Contains(html.UnescapeString(card), "U+202E") || strings.Contains(card, "\u202e") || strings.Contains(card, "<img") || strings.Contains(strings.ToLower(card), "<script") {
		t.Errorf("%d %s", s, card)
	}
	if strings.Contains(card, "Show what is masked") {
		t.Error("a reveal is offered without the designation")
	}

	// A request from another site changes nothing.
	if s, _, _ := b.do("POST", path+"/decide", url.Values{"decision": {"release"}, "reason_code": {"other"}}, "Sec-Fetch-Site", "cross-site"); s != 403 {
		t.Errorf("cross-site: %d", s)
	}
	if s, _, _ := b.do("POST", path+"/decide", url.Values{"decision": {"release"}, "reason_code": {"other"}}, "Sec-Fetch-Site", "", "Origin", "https://evil.example"); s != 403 {
		t.Errorf("cross-origin: %d", s)
	}
	if n := len(r.records(run, provenance.KindGateDecided)); n != 0 {
		t.Fatal("it was decided from another site")
	}

	if _, _, page := b.do("POST", path+"/claim", nil); !strings.Contains(page, "Claimed.") || !strings.Contains(page, "claimed by rita") {
		t.Errorf("%.600s", page)
	}
	if _, _, page := b.do("POST", path+"/decide", url.Values{"decision": {"resume"}, "reason_code": {""}}); !strings.Contains(page, "Choose a reason.") {
		t.Errorf("%.600s", page)
	}
	if _, _, page := b.do("POST", path+"/decide", url.Values{"decision": {"resume"}, "reason_code": {"confirmed-injection"}, "note": {"from " + canaryEmail}}); !strings.Contains(page, "Decided.") || !strings.Contains(page, "resume") {
		t.Errorf("%.600s", page)
	}
	m := members(t, r.records(run, provenance.KindGateDecided)[0])
	if m["reviewer"] != "rita" || m["decision"] != "resume" {
		t.Errorf("%v", m)
	}
	if _, _, page := b.do("POST", path+"/decide", url.Values{"decision": {"end"}, "reason_code": {"other"}}); !strings.Contains(page, "the first decision stands") {
		t.Errorf("%.600s", page)
	}
	if s, _, _ := b.do("GET", "/review/gates/gate_none", nil); s != 404 {
		t.Errorf("%d", s)
	}
	if s, _, _ := b.do("GET", "/review/nothing", nil); s != 404 {
		t.Errorf("%d", s)
	}
	if _, _, page := b.do("POST", "/review/logout", nil); !strings.Contains(page, "Reviewer token") {
		t.Error("still signed in")
	}
	if _, _, page := b.do("GET", path, nil); !strings.Contains(page, "Reviewer token") {
		t.Error("still signed in")
	}
	r.ledgerIsClean()

	p := r.browser()
	p.login("petra")
	run2 := r.accept("booking", inquiry(markSuspect)).Run
	r.drain()
	path = "/review/gates/" + string(r.waitingGate(run2, "suspect").ID)
	_, _, page := p.do("GET", path, nil)
	clean(t, "petra's page", page)
	if !strings.Contains(page, "Show what is masked") {
		t.Error("no reveal is offered")
	}
	_, _, page = p.do("POST", path+"/reveal", url.Values{"reason_code": {"investigation"}})
	clean(t, "a reveal that waits", page)
	if !strings.Contains(page, "second reviewer") {
		t.Errorf("%.500s", page)
	}
	q := r.browser()
	q.login("paul")
	second := "/review/gates/" + string(r.waitingGate(run2, "reveal").ID)
	q.do("POST", second+"/decide", url.Values{"decision": {"approve"}, "reason_code": {"investigation"}})
	if _, _, page = p.do("POST", path+"/reveal", url.Values{"reason_code": {"investigation"}}); !strings.Contains(page, canaryFirst) || !strings.Contains(page, "That was recorded") {
		t.Errorf("%.500s", page)
	}
}

// A session cannot be made, altered or kept beyond its end.
func TestSession(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	b.login("rita")
	u, _ := url.Parse(r.srv.URL)
	cookies := b.c.Jar.Cookies(u)
	if len(cookies) != 1 || strings.Contains(cookies[0].Value, tokenText("rita")) {
		t.Fatalf("%v", cookies)
	}
	good := cookies[0].Value
	try := func(value string) bool {
		req, _ := http.NewRequest("GET", r.srv.URL+"/review/", nil)
		req.AddCookie(&http.Cookie{Name: cookies[0].Name, Value: value})
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return strings.Contains(string(body), "Sign out")
	}
	if !try(good) {
		t.Fatal("the session does not work")
	}
	parts := strings.Split(good, ".")
	for _, bad := range []string{
		"", "x", "..", parts[0] + "." + parts[1] + ".", parts[0] + ".99999999999." + parts[2], "cGV0cmE." + parts[1] + "." + parts[2], good + "0",
		strings.ToUpper(parts[0]) + "." + parts[1] + "." + parts[2],
	} {
		if try(bad) {
			t.Errorf("%q is a session", bad)
		}
	}
	r.now.Add(9 * 3600)
	if try(good) {
		t.Error("the session outlives its end")
	}

	// Away from this machine a cookie is Secure and bound to the host.
	req, _ := http.NewRequest("POST", r.srv.URL+"/review/login", strings.NewReader(url.Values{"token": {tokenText("rita")}}.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("X-Forwarded-Proto", "https")
	resp, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if c := resp.Cookies(); len(c) != 1 || !strings.HasPrefix(c[0].Name, "__Host-") || !c[0].Secure || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || c[0].Path != "/" {
		t.Errorf("%v", c)
	}
	req.Header.Set("X-Forwarded-Proto", "http")
	req.Body = io.NopCloser(strings.NewReader(url.Values{"token": {tokenText("rita")}}.Encode()))
	if resp, err := http.DefaultClient.Do(req); err != nil || resp.StatusCode != 403 || len(resp.Cookies()) != 0 {
		t.Errorf("signed in over a connection that can be read: %v %v", resp, err)
	}
}

// SPEC: QUA-5: hostile strings on the page show themselves and do nothing else.
func TestPageHostileStrings(t *testing.T) {
	list := []string{
		`<script>alert(1)</script>`, `"><svg onload=alert(1)>`, `javascript:alert(1)`, `{{.}}`, "\u2028\u2029", "</pre><b>", `<!--`, `]]>`, "\x1b[31m", `' onmouseover='x`,
	}
	if root := os.Getenv("STOPLOG_TESTDATA"); root == "" {
		t.Log("STOPLOG_TESTDATA is not set: the list of naughty strings did not run")
	} else {
		_ = filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
			if err == nil && d.Name() == "blns.json" {
				b, err := os.ReadFile(p)
				var more []string
				if err != nil || json.Unmarshal(b, &more) != nil {
					t.Error("the list of naughty strings does not read")
				}
				list = append(list, more...)
			}
			return nil
		})
	}
	r := newRig(t)
	run := r.accept("web", markSuspect+"\n"+strings.Join(list, "\n")).Run
	r.drain()
	b := r.browser()
	b.login("rita")
	seen := 0
	for _, g := range gatesOf(r, string(run)) {
		s, _, page := b.do("GET", "/review/gates/"+g, nil)
		if s != 200 {
			t.Fatalf("%d", s)
		}
		seen++
		low := strings.ToLower(page)
		for _, element := range []string{"<script", "<svg", "<img", "<iframe", "<b>", "<object", "<embed", "<!--"} {
			if strings.Contains(low, element) {
				t.Errorf("the page holds %s", element)
			}
		}
		if strings.ContainsAny(page, "\x1b\x00\x07\x08\r\u202e\u2066\u200b\ufeff\u2028") {
			t.Error("the page holds a character that does more than show itself")
		}
		if !strings.Contains(page, html.EscapeString(`<script>alert(1)</script>`)) {
			t.Error("the page does not show what was sent")
		}
	}
	if seen == 0 {
		t.Fatal("no page ran")
	}
}

func gatesOf(r *rig, run string) []string {
	var out []string
	for _, g := range r.get("rita", "/v1/review/gates?run="+run).want(r.t, 200).data("gates").([]any) {
		out = append(out, g.(map[string]any)["gate_id"].(string))
	}
	return out
}
