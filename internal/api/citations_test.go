package api

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stoplog/stoplog/internal/citations"
	"github.com/stoplog/stoplog/internal/outbound"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/cite"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// archive is a source of record on loopback, and what it was asked.
type archive struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
	away  bool
}

// newArchive gives the archive and a guarded client that reaches it under every name. It
// answers by the path: /page* is there, /gone is not, the rest is as its name says.
func newArchive(t *testing.T) (*archive, *http.Client) {
	t.Helper()
	a := &archive{}
	a.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.asked = append(a.asked, r.Method+" "+r.Host+r.URL.RequestURI()+" "+r.Header.Get("Authorization"))
		away := a.away
		a.mu.Unlock()
		p := r.URL.Path
		switch {
		case away:
			w.WriteHeader(http.StatusBadGateway)
		case p == "/slow":
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Second):
			}
		case p == "/no-head" && r.Method == http.MethodHead:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case strings.HasPrefix(p, "/page"), p == "/no-head", p == "/":
			fmt.Fprint(w, "here")
		case p == "/moved":
			http.Redirect(w, r, "/page", http.StatusMovedPermanently)
		case p == "/elsewhere":
			http.Redirect(w, r, "https://other.example.net/page", http.StatusFound)
		case p == "/inside":
			http.Redirect(w, r, "https://127.0.0.1/page", http.StatusFound)
		case p == "/soft":
			http.Redirect(w, r, "/", http.StatusFound)
		case p == "/login":
			w.WriteHeader(http.StatusUnauthorized)
		case p == "/grants" && r.URL.Query().Get("id") == "101012345":
			fmt.Fprint(w, `{"count": 1}`)
		case p == "/grants":
			fmt.Fprint(w, `{"count": 0}`)
		case p == "/long":
			fmt.Fprint(w, strings.Repeat("x", 1<<20))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(a.Close)
	roots := x509.NewCertPool()
	roots.AddCert(a.Certificate())
	addr := netip.MustParseAddrPort(a.Listener.Addr().String())
	c := outbound.Client(outbound.Options{
		Roots: roots, Timeout: 5 * time.Second,
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			if strings.HasPrefix(host, "nowhere.") {
				return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
			}
			return []netip.Addr{addr.Addr()}, nil
		},
		Reachable: func(a netip.AddrPort) bool { return a.Addr() == addr.Addr() },
	})
	// The URLs have no port, so the guarded transport dials 443: lead that to the archive.
	// Everything else about the client is as it ships.
	guarded := c.Transport
	c.Transport = tripper(func(r *http.Request) (*http.Response, error) {
		if r.URL.Hostname() == "127.0.0.1" { // what the shipped client refuses
			return nil, outbound.ErrRefused
		}
		asked := r
		r = r.Clone(r.Context())
		r.Host = r.URL.Host
		r.URL.Host = net.JoinHostPort("example.com", fmt.Sprint(addr.Port())) // of its certificate
		if strings.HasPrefix(r.Host, "nowhere.") {
			r.URL.Host = r.Host
		}
		resp, err := guarded.RoundTrip(r)
		if resp != nil {
			resp.Request = asked
		}
		return resp, err
	})
	return a, c
}

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func (a *archive) requests() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.asked...)
}

func (a *archive) setAway(v bool) { a.mu.Lock(); a.away = v; a.mu.Unlock() }

// registers are the files of a test's checker.
type registers map[string]string

func (f registers) open(name, have string) (citations.File, error) {
	text, ok := f[name]
	if !ok {
		return citations.File{}, errors.New("no such file")
	}
	return citations.File{Content: []byte(text), Version: text}, nil
}

func citeWith(t *testing.T, client *http.Client, files registers, change func(*citations.Options), kinds ...cite.Kind) func(*Config) {
	t.Helper()
	set, err := cite.Compile(kinds)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) {
		o := citations.Options{
			Open: files.open, HTTP: client, Allow: c.Runs.Allow, Now: c.Now, Timeout: 3 * time.Second,
			Secret: func(ref string) (string, error) { return "secret of " + ref, nil },
		}
		if change != nil {
			change(&o)
		}
		if c.Citations, err = citations.New(set, o); err != nil {
			t.Fatal(err)
		}
	}
}

// outcomes gives kind, state and reason of an answer's citations, with what they mark.
func outcomes(t *testing.T, a answer, text string) []string {
	t.Helper()
	var out []string
	list, _ := a.data("citations").([]any)
	if list == nil {
		list, _ = a.data("citations.citations").([]any)
	}
	for _, c := range list {
		m := c.(map[string]any)
		s := m["span"].(map[string]any)
		out = append(out, fmt.Sprintf("%s %q %s %s", m["kind"], text[int(s["start"].(float64)):int(s["end"].(float64))], m["state"], m["reason"]))
	}
	return out
}

var citeKinds = []cite.Kind{
	{Name: "url", Builtin: cite.URL, Register: &cite.Register{File: "pages"}, Endpoint: &cite.Endpoint{Hosts: []string{"archive.example.org", "*.law.example.org"}}},
	{Name: "statute", Builtin: cite.Statute, Register: &cite.Register{File: "statutes.csv", Column: "Citation"}},
	{Name: "parcel", Builtin: cite.Parcel, Register: &cite.Register{File: "parcels.csv", Column: "apn"}},
	{Name: "grant", Builtin: cite.Grant, Endpoint: &cite.Endpoint{URL: "https://grants.example.org/grants?id={value}", Found: `"count":\s*[1-9]`, Authorization: "env:GRANTS"}},
	{Name: "permit", Pattern: `\b(?i:permit)\s+(?P<value>[A-Z]{2}-\d{3,6})\b`, Normalise: []string{"upper"}, Register: &cite.Register{File: "permits"}, Outputs: cite.Report, Retrieved: cite.Withhold},
	{Name: "docket", Pattern: `\bDocket \d+\b`, Outputs: cite.Off, Retrieved: cite.Off},
}

func citeFiles() registers {
	return registers{
		"pages":        "# pages that may be cited\nhttps://www.handbook.example.org/weirs/*\nhttps://a.example.net/one\n",
		"statutes.csv": "\ufeffid;Citation\n1;42 U.S.C. § 1983\n2;§ 823 BGB\n",
		"parcels.csv":  "apn,owner\n123-456-789,\"somebody, else\"\n",
		"permits":      "BL-0042\n",
	}
}

// SPEC: QUA-8, PRV-2
func TestCitations(t *testing.T) {
	src, client := newArchive(t)
	r := newRig(t, citeWith(t, client, citeFiles(), nil, citeKinds...))
	run := r.accept("notes", "hello").Run
	r.drain()
	ask := func(text string) answer {
		t.Helper()
		return r.post("agent", "/v1/citations", map[string]any{"text": text, "run_id": run}).want(t, 200)
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"listed pages", "See [weirs](https://www.handbook.example.org/weirs/old), http://a.example.net/one/.", []string{`url "https://www.handbook.example.org/weirs/old" resolved register`, `url "http://a.example.net/one/" resolved register`}},
		{"a page that is there", "(https://archive.example.org/page.)", []string{`url "https://archive.example.org/page" resolved endpoint`}},
		{"a server that knows no HEAD", "https://archive.example.org/no-head", []string{`url "https://archive.example.org/no-head" resolved endpoint`}},
		{"moved", "https://archive.example.org/moved", []string{`url "https://archive.example.org/moved" resolved endpoint`}},
		{"made up", "https://archive.example.org/gone-for-ever", []string{`url "https://archive.example.org/gone-for-ever" hallucinated-citation not-found`}},
		{"http that is not there by https", "http://archive.example.org/gone", []string{`url "http://archive.example.org/gone" undecided source-unclear`}},
		{"a full stop that may belong to it", "https://archive.example.org/pages_D.C. is", []string{`url "https://archive.example.org/pages_D.C" resolved endpoint`}},
		{"a host nobody may ask", "https://other.example.net/page", nil},
		{"another host", "https://other.somewhere.org/page", []string{`url "https://other.somewhere.org/page" undecided no-source`}},
		{"another port", "https://archive.example.org:8443/page", []string{`url "https://archive.example.org:8443/page" undecided no-source`}},
		{"leads elsewhere", "https://archive.example.org/elsewhere", []string{`url "https://archive.example.org/elsewhere" undecided no-source`}},
		{"leads inside", "https://archive.example.org/inside", []string{`url "https://archive.example.org/inside" undecided no-source`}},
		{"leads to the front page", "https://archive.example.org/soft", []string{`url "https://archive.example.org/soft" undecided source-unclear`}},
		{"behind a login", "https://archive.example.org/login", []string{`url "https://archive.example.org/login" undecided source-unclear`}},
		{"no such host", "https://nowhere.law.example.org/x", []string{`url "https://nowhere.law.example.org/x" hallucinated-citation not-found`}},
		{"with a password", "https://u:hunter2hunter2@archive.example.org/page", []string{`url "https://u:hunter2hunter2@archive.example.org/page" undecided withheld`}},
		{"examples and templates", "```\ncurl https://example.com/x http://localhost:1/ https://archive.example.org/{id}\n```", nil},
		{"statutes", "42 U.S.C.\u00a0§ 1983(a), § 823 Abs. 1 BGB and § 9999 BGB", []string{"statute \"42 U.S.C.\\u00a0§ 1983(a)\" resolved register", `statute "§ 823 Abs. 1 BGB" resolved register`, `statute "§ 9999 BGB" hallucinated-citation not-found`}},
		{"parcels", "APN 123.456.789 and APN 123-456-780", []string{`parcel "123.456.789" resolved register`, `parcel "123-456-780" hallucinated-citation not-found`}},
		{"grants", "grant agreement No 101012345, grant no. 101099999", []string{`grant "101012345" resolved endpoint`, `grant "101099999" hallucinated-citation not-found`}},
		{"a kind of one's own", "permit BL-0042, Permit BL-0043", []string{`permit "BL-0042" resolved register`, `permit "BL-0043" hallucinated-citation not-found`}},
		{"no source", "Docket 17", []string{`docket "Docket 17" undecided no-source`}},
		{"nothing", "The weir was built in 1912.", nil},
	} {
		a := ask(c.text)
		if d := cmp.Diff(c.want, outcomes(t, a, c.text)); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, d)
		}
		all := true
		for _, w := range c.want {
			all = all && strings.Contains(w, " resolved ")
		}
		if a.data("resolved") != all || a.data("_trusted") != false {
			t.Errorf("%s: %s", c.name, a.raw)
		}
	}
	if a := ask("https://example.com/x https://other.example.net/page"); a.data("placeholders") != 2.0 {
		t.Errorf("%s", a.raw)
	}

	// What was asked: only hosts that are named, and the secret only where it belongs.
	for _, q := range src.requests() {
		host := strings.Fields(q)[1]
		if !strings.HasPrefix(host, "archive.example.org/") && !strings.HasPrefix(host, "grants.example.org/") {
			t.Errorf("asked: %s", q)
		}
		if strings.HasPrefix(host, "grants.") != strings.HasSuffix(q, "secret of env:GRANTS") || strings.Contains(q, "hunter2") {
			t.Errorf("asked: %s", q)
		}
	}

	// A yes is kept for its time, a no is not.
	n := len(src.requests())
	ask("https://archive.example.org/page")
	if got := len(src.requests()); got != n {
		t.Errorf("%d requests for what is known", got-n)
	}
	src.setAway(true)
	text := "https://archive.example.org/page https://archive.example.org/gone"
	if d := cmp.Diff([]string{`url "https://archive.example.org/page" resolved endpoint`, `url "https://archive.example.org/gone" undecided source-away`}, outcomes(t, ask(text), text)); d != "" {
		t.Error(d)
	}
	r.now.Add(3601)
	if d := cmp.Diff([]string{`url "https://archive.example.org/page" undecided source-away`}, outcomes(t, ask("https://archive.example.org/page"), "https://archive.example.org/page")); d != "" {
		t.Error(d)
	}
	src.setAway(false)

	// The ledger has counts by kind and outcome, and nothing of what was cited.
	text = "APN 123-456-789, APN 123-456-780, APN 123-456-781, https://archive.example.org/gone?q=" + strings.ReplaceAll(canaryEmail, "@", "%40")
	a := ask(text)
	var got []map[string]any
	recs := r.records(run, provenance.KindCitation)
	for _, rec := range recs[len(recs)-3:] {
		got = append(got, members(t, rec))
	}
	want := []map[string]any{
		{"run_id": string(run), "citation_type": "parcel", "count": 1.0, "resolved": true},
		{"run_id": string(run), "citation_type": "parcel", "count": 2.0, "resolved": false, "failure_id": "hallucinated-citation"},
		{"run_id": string(run), "citation_type": "url", "count": 1.0, "resolved": false, "failure_id": "undecided"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if !strings.Contains(a.raw, `"withheld"`) {
		t.Errorf("an address went out: %s", a.raw)
	}
	clean(t, "the answer", a.raw)
	clean(t, "what was asked", fmt.Sprint(src.requests()))
	r.ledgerIsClean()
	for _, rec := range r.records(run, provenance.KindCitation) {
		if s := string(rec.Payload); strings.Contains(s, "example") || strings.Contains(s, "123") {
			t.Errorf("a record holds what was cited: %s", s)
		}
	}
}

// SPEC: QUA-8. Who may ask, and for what.
func TestCitationsRefused(t *testing.T) {
	src, client := newArchive(t)
	kinds := []cite.Kind{{Name: "url", Builtin: cite.URL, Endpoint: &cite.Endpoint{Hosts: []string{"archive.example.org", "*"}}}}
	r := newRig(t, citeWith(t, client, nil, func(o *citations.Options) { o.PerText, o.PerMinute, o.Timeout = 3, 8, 700*time.Millisecond }, kinds...))
	ask := func(who string, body map[string]any) answer { return r.post(who, "/v1/citations", body) }
	ask("rita", map[string]any{"text": "x"}).want(t, 403, "forbidden")
	ask("agent", map[string]any{}).want(t, 422, "request-invalid")
	ask("agent", map[string]any{"text": strings.Repeat("x", 300<<10)}).want(t, 413)
	run := r.accept("notes", "hello").Run
	pii := r.accept("booking", inquiry("hello")).Run
	halted := r.accept("web", "say "+markInjection).Run
	r.drain()
	ask("other-admin", map[string]any{"text": "x", "run_id": run}).want(t, 404)
	ask("agent", map[string]any{"text": "https://archive.example.org/page", "run_id": halted}).want(t, 409, "run-halted")
	if n := len(src.requests()); n != 0 {
		t.Errorf("%d requests for a halted run", n)
	}
	state := func(text string, run any) string {
		t.Helper()
		body := map[string]any{"text": text}
		if run != nil {
			body["run_id"] = run
		}
		return strings.Join(outcomes(t, ask("agent", body).want(t, 200), text), ", ")
	}
	// With *, the text chooses who is told. A public run may; one with more, or none, not.
	free := "https://free.somewhere.org/page"
	for _, c := range []struct {
		run  any
		want string
	}{{run, `url "https://free.somewhere.org/page" resolved endpoint`}, {pii, ""}, {nil, ""}} {
		src.mu.Lock()
		src.asked = nil
		src.mu.Unlock()
		got := state(free+"?x="+fmt.Sprint(c.run != run), c.run)
		if c.want == "" && (!strings.HasSuffix(got, "undecided withheld") || len(src.requests()) != 0) {
			t.Errorf("%v: %s, asked %v", c.run, got, src.requests())
		}
		if c.want != "" && !strings.HasSuffix(got, "resolved endpoint") {
			t.Errorf("%v: %s", c.run, got)
		}
	}
	// A host that the operator named is asked for any run, but not about its values.
	if got := state("https://archive.example.org/page/1", pii); !strings.HasSuffix(got, "resolved endpoint") {
		t.Error(got)
	}
	if got := state("https://archive.example.org/page/"+canaryLast, pii); !strings.HasSuffix(got, "undecided withheld") {
		t.Error(got)
	}
	clean(t, "what was asked", fmt.Sprint(src.requests()))

	// Bounds: number, time, lookups a minute.
	many := "https://archive.example.org/page/1 https://archive.example.org/page/1 https://archive.example.org/page/2 https://archive.example.org/page/3 https://archive.example.org/page/4"
	a := ask("agent", map[string]any{"text": many, "run_id": run}).want(t, 200)
	if a.data("omitted") != 1.0 || a.data("resolved") != false || a.str("failure_id") != "undecided" || len(outcomes(t, a, many)) != 4 {
		t.Errorf("%s", a.raw)
	}
	if got := state("https://archive.example.org/slow", run); !strings.HasSuffix(got, "undecided timeout") {
		t.Error(got)
	}
	got := ""
	for i := range 10 {
		got = state(fmt.Sprint("https://archive.example.org/page/x", i), run)
	}
	if !strings.HasSuffix(got, "undecided too-many") {
		t.Errorf("18 lookups a minute: %s", got)
	}
	r.stop() // Redis: nobody can count, so nobody asks
	if got := state("https://archive.example.org/page/z", nil); !strings.HasSuffix(got, "undecided source-away") {
		t.Error(got)
	}

	off := newRig(t)
	off.post("agent", "/v1/citations", map[string]any{"text": "x"}).want(t, 422, "citations-undeclared")
}

// SPEC: QUA-8, EGR-5
func TestOutputCitations(t *testing.T) {
	src, client := newArchive(t)
	r := newRig(t, citeWith(t, client, citeFiles(), nil, citeKinds...))
	run := r.accept("booking", inquiry("hello")).Run
	r.drain()
	base := "/v1/runs/" + string(run)
	out := func(role, text string) answer {
		return r.post("agent", base+"/outputs", map[string]any{"text": text, "recipient_role": role})
	}
	good := "Under § 823 BGB, see https://archive.example.org/page."
	a := out("user", good).want(t, 200)
	if a.str("text") != good || len(outcomes(t, a, good)) != 2 || strings.Contains(a.raw, `"value"`) {
		t.Errorf("%s", a.raw)
	}
	// Its policy says report: it goes on, and the answer says what it is.
	text := "As permit BL-0043 says, and Docket 17."
	a = out("user", text).want(t, 200)
	if d := cmp.Diff([]string{`permit "BL-0043" hallucinated-citation not-found`}, outcomes(t, a, text)); d != "" || a.str("decision") != "allow" {
		t.Errorf("%s %s", d, a.raw)
	}

	bad := "Mail " + canaryEmail + ": see https://archive.example.org/gone and § 823 BGB."
	held := func(text, failure string) (gate, id string) {
		t.Helper()
		a := out("user", text).want(t, 202)
		if a.str("failure_id") != failure || a.data("text") != nil || a.str("rule") != "output-citation" {
			t.Errorf("%s", a.raw)
		}
		clean(t, "what is held", a.raw)
		if b := r.get("agent", base+"/outputs/"+a.str("output_id")).want(t, 200); b.str("decision") != "pending" || b.data("text") != nil {
			t.Errorf("%s", b.raw)
		}
		return a.str("gate_id"), a.str("output_id")
	}
	// Who lets the citation pass does not let pass what else is in the text.
	for _, c := range []struct{ decision, want string }{
		{"release", "Mail {EMAIL_ADDRESS}: see https://archive.example.org/gone and § 823 BGB."},
		{"release-redacted", "Mail {EMAIL_ADDRESS}: see {CITATION} and § 823 BGB."},
		{"reject", ""},
	} {
		gate, id := held(bad, "hallucinated-citation")
		card := r.get("rita", "/v1/review/gates/"+gate).want(t, 200)
		clean(t, "the card", card.raw)
		if card.str("gate_type") != "citation" || !strings.Contains(card.raw, `"url/not-found"`) || !strings.Contains(card.raw, `"found"`) || !strings.Contains(card.raw, "output-citation:url") {
			t.Errorf("%.1500s", card.raw)
		}
		r.post("rita", "/v1/review/gates/"+gate+"/decide", map[string]any{"decision": c.decision, "reason_code": "other"}).want(t, 200)
		b := r.get("agent", base+"/outputs/"+id).want(t, 200)
		if b.str("text") != c.want || (b.str("decision") == "allow") != (c.want != "") {
			t.Errorf("%s: %s", c.decision, b.raw)
		}
	}
	// A source that is away lets nothing pass unseen.
	src.setAway(true)
	held("See https://archive.example.org/page/other.", "undecided")
	src.setAway(false)

	// Raw pii is asked about first; the same gate says what is cited too, and the designated
	// reviewer decides both.
	n := len(src.requests())
	a = out("system", bad).want(t, 202)
	if got := outcomes(t, a, bad); a.str("failure_id") != "pii-leak-risk" || len(got) != 2 || !strings.HasSuffix(got[0], "undecided withheld") || !strings.HasSuffix(got[1], "resolved register") || len(src.requests()) != n {
		t.Errorf("%s", a.raw)
	}
	gate := a.str("gate_id")
	if card := r.get("rita", "/v1/review/gates/"+gate).want(t, 200); !strings.Contains(card.raw, "output-citation:url") || card.str("gate_type") != "pii-leak" {
		t.Errorf("%.1500s", card.raw)
	}
	r.post("rita", "/v1/review/gates/"+gate+"/decide", map[string]any{"decision": "release-redacted", "reason_code": "other"}).want(t, 200)
	if b := r.get("agent", base+"/outputs/"+a.str("output_id")).want(t, 200); b.str("text") != "Mail {EMAIL_ADDRESS}: see {CITATION} and § 823 BGB." {
		t.Errorf("%s", b.raw)
	}
	// What is refused anyway is asked about nowhere.
	n = len(src.requests())
	out("root", "https://archive.example.org/page/new").want(t, 403, "sink-unauthorised")
	if got := len(src.requests()); got != n {
		t.Errorf("%d requests for an output that is refused", got-n)
	}
	// A loop of outputs does not use up the reviewers.
	status := 0
	for i := range 34 {
		status = out("user", fmt.Sprint("APN 900-100-", 100+i)).status
	}
	if status != http.StatusForbidden {
		t.Errorf("the last of many outputs that wait: %d", status)
	}
	if recs := r.records(run, provenance.KindCitation); len(recs) < 10 {
		t.Errorf("%d records", len(recs))
	}
	r.ledgerIsClean()
}

// SPEC: QUA-8, QUA-2. Retrieved chunks whose citations do not resolve: reported with a lower
// band, or kept out alone.
func TestRetrievedCitations(t *testing.T) {
	_, client := newArchive(t)
	r := newRig(t, citeWith(t, client, citeFiles(), nil, citeKinds...))
	chunks := map[string]chunk.ID{}
	for name, text := range map[string]string{
		"good":    "The duty follows from § 823 BGB.",
		"made-up": "The duty follows from § 9999 BGB.",
		"unknown": "The duty is told at https://other.somewhere.org/x.",
		"permit":  "The weir has permit BL-0043.",
		"plain":   "The weir was built in 1912.",
	} {
		chunks[name] = chunk.ChunkID(r.accept("handbook", text).Event, 0)
	}
	r.drain()
	retrieve := func(names ...string) (chunk.ID, answer) {
		t.Helper()
		run := r.accept("notes", "hello").Run
		r.drain()
		var ids []chunk.ID
		for _, n := range names {
			ids = append(ids, chunks[n])
		}
		return run, r.post("assembler", "/v1/runs/"+string(run)+"/retrievals", map[string]any{"chunks": ids}).want(t, 200)
	}
	for _, c := range []struct {
		names           []string
		band            string
		status, failure string // of the last
	}{
		{[]string{"good"}, "high", "retrieved", ""},
		{[]string{"plain"}, "high", "retrieved", ""},
		{[]string{"good", "made-up"}, "low", "retrieved", "hallucinated-citation"},
		{[]string{"good", "unknown"}, "medium", "retrieved", "undecided"},
		{[]string{"good", "permit"}, "medium", "withheld", "hallucinated-citation"},
		{[]string{"permit"}, "unknown", "withheld", "hallucinated-citation"},
	} {
		run, a := retrieve(c.names...)
		list := a.data("chunks").([]any)
		last := list[len(list)-1].(map[string]any)
		failure, _ := last["failure_id"].(string)
		if a.str("confidence_band") != c.band || last["status"] != c.status || failure != c.failure {
			t.Errorf("%v: %s", c.names, a.raw)
		}
		recs := r.records(run, provenance.KindCitation)
		if want := len(c.names); c.names[0] != "plain" && len(recs) != want || c.names[0] == "plain" && len(recs) != 0 {
			t.Errorf("%v: %d records", c.names, len(recs))
		}
		for _, rec := range recs {
			if rec.Subject.Prefix() != "chk" {
				t.Errorf("%v: a record about %s", c.names, rec.Subject)
			}
		}
		// The context says so too.
		b := r.get("assembler", "/v1/runs/"+string(run)+"/context").want(t, 200)
		if strings.Contains(b.raw, "BL-0043") || c.band == "low" && b.str("confidence_band") != "low" {
			t.Errorf("%v: %s", c.names, b.raw)
		}
	}
	r.ledgerIsClean()
}

// SPEC: QUA-8. Registers are read strictly, and a changed one that does not hold is refused.
func TestCitationRegisters(t *testing.T) {
	permit := cite.Kind{Name: "permit", Pattern: `\bBL-\d+\b`, Register: &cite.Register{File: "permits"}}
	table := permit
	table.Register = &cite.Register{File: "permits", Column: "no"}
	url := cite.Kind{Name: "url", Builtin: cite.URL, Register: &cite.Register{File: "permits"}}
	for _, c := range []struct {
		name string
		kind cite.Kind
		text string
		want string
	}{
		{"absent", cite.Kind{Name: "x", Pattern: "a", Register: &cite.Register{File: "nowhere"}}, "", "citations.kinds (x).register: no such file"},
		{"empty", permit, "# nothing\n\n", "has no entries"},
		{"not UTF-8", permit, "BL-1\xff\n", "is not UTF-8"},
		{"no column", table, "number,x\nBL-1,2\n", `has no column "no"`},
		{"bad table", table, "no,x\n\"BL-1,2\n", "line "},
		{"too few fields", table, "no,x\nBL-1,2\nBL-2\n", "line 3: wrong number of fields"},
		{"no URL", url, "https://a.example.org/\na.example.org\n", "line 2: no citation of this kind"},
	} {
		set, err := cite.Compile([]cite.Kind{c.kind})
		if err != nil {
			t.Fatal(err)
		}
		_, err = citations.New(set, citations.Options{Open: registers{"permits": c.text}.open})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}

	files := registers{"permits": "no\tx\nBL-1\t2\n"}
	r := newRig(t, citeWith(t, nil, files, nil, table))
	state := func() string {
		a := r.post("agent", "/v1/citations", map[string]any{"text": "BL-2"}).want(t, 200)
		return strings.Join(outcomes(t, a, "BL-2"), ",")
	}
	if s := state(); !strings.HasSuffix(s, "hallucinated-citation not-found") {
		t.Error(s)
	}
	files["permits"] = "no,x\nBL-1,2\nBL-2,2\n"
	r.api.cfg.Citations.Reload(r.api.cfg.Log)
	if s := state(); !strings.HasSuffix(s, "resolved register") {
		t.Error(s)
	}
	files["permits"] = "other\nBL-3\n"
	r.api.cfg.Citations.Reload(r.api.cfg.Log)
	if s := state(); !strings.HasSuffix(s, "resolved register") {
		t.Errorf("a register that does not hold is in force: %s", s)
	}
	if !strings.Contains(r.log.String(), "refused") {
		t.Error("nobody is told of it")
	}
}
