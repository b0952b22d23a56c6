package api

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
)

//go:embed web
var web embed.FS

// The page's paths and its session.
const (
	pagePrefix  = "/review/"
	sessionLife = 8 * time.Hour
	maxForm     = 64 << 10
)

// page is the review queue for a browser: plain forms, no script. Hostile content is
// put there by html/template alone, after review.Inert, under a policy that allows
// neither script nor anything from elsewhere (SPEC QUA-5).
type page struct {
	api  *API
	tmpl *template.Template
	css  []byte
	key  []byte
}

func newPage(a *API) (*page, error) {
	p := &page{api: a, key: a.cfg.SessionKey}
	if len(p.key) == 0 {
		p.key = make([]byte, 32)
		_, _ = rand.Read(p.key) // never fails; it ends the process instead
	}
	if len(p.key) < 32 {
		return nil, errors.New("api: session key shorter than 32 bytes")
	}
	var err error
	p.tmpl, err = template.New("").Funcs(template.FuncMap{
		"join":  strings.Join,
		"time":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"score": func(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) },
		"wait":  func(s int64) string { return (time.Duration(s) * time.Second).String() },
		"label": func(d string) string { return decisionLabels[d] },
	}).ParseFS(web, "web/*.html")
	if err != nil {
		return nil, errors.New("api: the review page's templates do not parse")
	}
	p.css, err = web.ReadFile("web/style.css")
	return p, err
}

var gateTypes = []string{
	review.TypeInjection, review.TypeSuspect, review.TypeHold, review.TypeToolCall, review.TypePIILeak, review.TypeCitation, review.TypeCeiling, review.TypeDeclaration,
	review.TypeHalt, review.TypeReveal,
}

var decisionLabels = map[string]string{
	review.Approve: "Approve", review.Release: "Release", review.ReleaseRedacted: "Release without what was found", review.Reject: "Reject",
	review.Resume: "Reject and let the run go on", review.End: "Reject and end the run",
}

func (p *page) routes(mux *http.ServeMux) {
	// Browsers say where a request comes from; one from another origin changes nothing.
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		problem.Write(w, problem.Problem{Status: 403, Code: "cross-origin", Detail: "The request came from another origin."})
	}))
	put := func(pattern string, h func(http.ResponseWriter, *http.Request) error) {
		mux.Handle(pattern, guard.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
			w.Header().Set("X-Frame-Options", "DENY")
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			if err := h(w, r); err != nil {
				p.fail(w, r, err)
			}
		})))
	}
	signedIn := func(h func(http.ResponseWriter, *http.Request, Principal) error) func(http.ResponseWriter, *http.Request) error {
		return func(w http.ResponseWriter, r *http.Request) error {
			who, ok := p.session(r)
			if !ok {
				http.Redirect(w, r, pagePrefix+"login", http.StatusSeeOther)
				return nil
			}
			return h(w, r, who)
		}
	}
	put("GET /review/style.css", p.style)
	put("GET /review/login", p.loginForm)
	put("POST /review/login", p.login)
	put("POST /review/logout", p.logout)
	put("GET /review/{$}", signedIn(p.list))
	put("GET /review/gates/{gate}", signedIn(p.card))
	put("POST /review/gates/{gate}/{action}", signedIn(p.act))
	put("/review/", func(http.ResponseWriter, *http.Request) error { return errNotFound })
}

// plainLoopback reports whether the connection is plain HTTP on this machine: the
// only case in which a cookie goes without the Secure attribute.
func plainLoopback(r *http.Request) bool {
	if r.TLS != nil {
		return false
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() && r.Header.Get("X-Forwarded-For") == "" && r.Header.Get("X-Forwarded-Proto") == "" && r.Header.Get("Forwarded") == ""
}

func cookieName(r *http.Request) string {
	if plainLoopback(r) {
		return "stoplog_review"
	}
	return "__Host-stoplog_review"
}

func (p *page) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: !plainLoopback(r),
	})
}

// seal signs a session: name and end, bound to the token's hash, so that a token
// that is changed or taken away ends its sessions.
func (p *page) seal(t token, end time.Time) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(t.who.Name)) + "." + strconv.FormatInt(end.Unix(), 10)
	return text + "." + hex.EncodeToString(p.mac(text, t))
}

func (p *page) mac(text string, t token) []byte {
	h := hmac.New(sha256.New, p.key)
	h.Write([]byte("stoplog/review-session/1\x00" + text + "\x00"))
	h.Write(t.hash[:])
	return h.Sum(nil)
}

func (p *page) session(r *http.Request) (Principal, bool) {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return Principal{}, false
	}
	parts := strings.Split(c.Value, ".")
	if len(parts) != 3 {
		return Principal{}, false
	}
	name, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil {
		return Principal{}, false
	}
	end, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || p.api.cfg.Now().Unix() >= end {
		return Principal{}, false
	}
	tag, err := hex.DecodeString(parts[2])
	t, ok := p.api.Tokens.byName(string(name))
	if err != nil || !ok || !hmac.Equal(tag, p.mac(parts[0]+"."+parts[1], t)) || !t.who.HasAny(RoleReviewer, RolePII) {
		return Principal{}, false
	}
	return t.who, true
}

func (p *page) style(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, err := w.Write(p.css)
	return err
}

func (p *page) render(w http.ResponseWriter, status int, name string, data any) error {
	var b bytes.Buffer // so that a fault gives an error page and not half of one
	if err := p.tmpl.ExecuteTemplate(&b, name, data); err != nil {
		return errors.New("api: page cannot be rendered")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
	return nil
}

// view is what every page gets.
type pageView struct {
	Who     *Principal
	Problem string
	Notice  string
	Items   []review.Item
	Card    *review.Card
	Filter  url.Values
	Reasons []string
	Types   []string
	PII     bool
}

func (p *page) loginForm(w http.ResponseWriter, _ *http.Request) error {
	return p.render(w, http.StatusOK, "login.html", pageView{})
}

func (p *page) login(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	who, ok := p.api.Tokens.lookup(strings.TrimSpace(r.PostForm.Get("token")))
	if !ok || !who.HasAny(RoleReviewer, RolePII) {
		return p.render(w, http.StatusUnauthorized, "login.html", pageView{Problem: "That token is not known here, or it may not review."})
	}
	if r.TLS == nil && !plainLoopback(r) && !forwardedTLS(r) {
		return p.render(w, http.StatusForbidden, "login.html", pageView{Problem: "Sign in over HTTPS: this connection can be read on its way."})
	}
	t, _ := p.api.Tokens.byName(who.Name)
	p.setCookie(w, r, p.seal(t, p.api.cfg.Now().Add(sessionLife)), int(sessionLife.Seconds()))
	http.Redirect(w, r, pagePrefix, http.StatusSeeOther)
	return nil
}

// forwardedTLS reports whether a proxy in front says that the client came over TLS.
// It only ever makes the cookie stricter: such a cookie is Secure.
func forwardedTLS(r *http.Request) bool { return r.Header.Get("X-Forwarded-Proto") == "https" }

func (p *page) logout(w http.ResponseWriter, r *http.Request) error {
	p.setCookie(w, r, "", -1)
	http.Redirect(w, r, pagePrefix+"login", http.StatusSeeOther)
	return nil
}

func (p *page) list(w http.ResponseWriter, r *http.Request, who Principal) error {
	f, err := parseFilter(r.URL.Query())
	if err != nil {
		f = review.Filter{}
	}
	items, err := p.api.Queue.List(r.Context(), reviewer(who), f)
	if err != nil {
		return err
	}
	return p.render(w, http.StatusOK, "list.html", pageView{
		Who: &who, Items: items, Filter: r.URL.Query(), Notice: notices[r.URL.Query().Get("done")],
		Types: gateTypes,
	})
}

// notices are the lines a page can show after an action. The query names one; what
// it says otherwise is not shown.
var notices = map[string]string{
	"claim": "Claimed.", "decide": "Decided.", "gate-decided": "It was decided before; the first decision stands.", "gate-claimed": "Another reviewer holds it.",
	"reason-required": "Choose a reason.", "decision-invalid": "That cannot be decided here.", "forbidden": "Your role does not allow that, or it is your own request.",
	"second-reviewer": "A second reviewer has to agree first; the request is in the queue.",
}

func (p *page) show(w http.ResponseWriter, r *http.Request, who Principal, reveal *review.Reveal, notice string) error {
	card, err := p.api.Queue.Show(r.Context(), reviewer(who), chunk.ID(r.PathValue("gate")), reveal)
	if err != nil {
		return err
	}
	if reveal != nil && card.Reveal != "" {
		notice = map[string]string{"reason": notices["reason-required"], "second-reviewer": notices["second-reviewer"]}[card.Reveal]
	}
	return p.render(w, http.StatusOK, "card.html", pageView{Who: &who, Card: &card, Reasons: review.ReasonCodes, Notice: notice, PII: who.Has(RolePII)})
}

func (p *page) card(w http.ResponseWriter, r *http.Request, who Principal) error {
	return p.show(w, r, who, nil, notices[r.URL.Query().Get("done")])
}

// act claims, decides or reveals. After a change it redirects, so that a reload
// changes nothing again; a reveal is answered at once and never by a link.
func (p *page) act(w http.ResponseWriter, r *http.Request, who Principal) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	id := chunk.ID(r.PathValue("gate"))
	var err error
	done := r.PathValue("action")
	switch done {
	case "claim":
		_, err = p.api.Queue.Claim(r.Context(), reviewer(who), id)
	case "decide":
		var it review.Item
		it, err = p.api.Queue.Decide(r.Context(), reviewer(who), id, review.Verdict{
			Decision: r.PostForm.Get("decision"), ReasonCode: r.PostForm.Get("reason_code"), Note: r.PostForm.Get("note"),
		})
		if err == nil {
			p.api.metrics.decisions.WithLabelValues(it.Type, it.Decision).Inc()
		}
	case "reveal":
		return p.show(w, r, who, &review.Reveal{ReasonCode: r.PostForm.Get("reason_code")}, "")
	default:
		return errNotFound
	}
	if err != nil {
		i := slices.IndexFunc(table, func(row struct {
			err    error
			answer problem.Problem
		}) bool {
			return errors.Is(err, row.err)
		})
		if i < 0 || notices[table[i].answer.Code] == "" {
			return err
		}
		done = table[i].answer.Code
	}
	http.Redirect(w, r, pagePrefix+"gates/"+url.PathEscape(string(id))+"?done="+url.QueryEscape(done), http.StatusSeeOther)
	return nil
}

// fail shows an error as a page, with the same status as the API's.
func (p *page) fail(w http.ResponseWriter, r *http.Request, err error) {
	answer := problem.Problem{Status: 500, Detail: "This is a fault of the service; its log has the request id."}
	for _, row := range table {
		if errors.Is(err, row.err) {
			answer = row.answer
			break
		}
	}
	if answer.Status >= 500 {
		p.api.metrics.failClosed("page")
		p.api.cfg.Log.Error("review page", "route", route(r), "request", problem.ID(r.Context()), "status", answer.Status)
	}
	if rerr := p.render(w, answer.Status, "problem.html", pageView{Problem: answer.Detail}); rerr != nil {
		problem.Write(w, answer)
	}
}
