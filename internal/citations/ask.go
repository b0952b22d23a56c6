package citations

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/stoplog/stoplog/internal/outbound"
	"github.com/stoplog/stoplog/pkg/cite"
)

// ask asks a kind's endpoint for each of the forms that a citation may have, until it has
// one of them. It is made up only if the endpoint has none and could say so of all.
func (c *Checker) ask(ctx context.Context, r Request, l *lookup) answer {
	k := c.set.Kind(l.kind)
	out := answer{cite.Hallucinated, NotFound, l.values[0]}
	for _, v := range l.values {
		state, reason := c.askOne(ctx, r, l.kind, k, v)
		switch {
		case state == cite.Resolved:
			c.remember(r.Tenant, k.Name, v)
			return answer{state, reason, v}
		case state == cite.Undecided && out.state != cite.Undecided:
			out.state, out.reason = state, reason
		}
	}
	return out
}

func (c *Checker) askOne(ctx context.Context, r Request, i int, k cite.Kind, value string) (cite.State, Reason) {
	target, reason := c.target(r, k, value)
	if reason != "" {
		return cite.Undecided, reason
	}
	switch ok, err := c.o.Allow(ctx, "citations:"+r.Tenant, c.o.PerMinute); {
	case err != nil:
		return cite.Undecided, Away
	case !ok:
		return cite.Undecided, TooMany
	}
	page := k.Builtin == cite.URL
	method := http.MethodGet
	if page {
		method = http.MethodHead
	}
	status, body, err := c.fetch(ctx, method, i, k, target)
	if page && err == nil && (status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented || status == http.StatusBadRequest || status == http.StatusForbidden || status == http.StatusNotFound) {
		// Some servers answer HEAD with anything. What counts is what a reader gets.
		status, body, err = c.fetch(ctx, http.MethodGet, i, k, target)
	}
	switch {
	case err != nil:
		return failed(ctx, err, k, value)
	case status >= 200 && status < 300 && body == nil:
		return cite.Undecided, Unclear // longer than is read, so what it says cannot be told
	case status >= 200 && status < 300 && !c.set.Found(i, body):
		return cite.Hallucinated, NotFound
	case status >= 200 && status < 300:
		return cite.Resolved, AtEndpoint
	case (status == http.StatusNotFound || status == http.StatusGone) && strings.HasPrefix(value, "http://"):
		return cite.Undecided, Unclear // it was asked for by https, and cited by http
	case status == http.StatusNotFound, status == http.StatusGone:
		return cite.Hallucinated, NotFound
	case status >= 500, status == http.StatusTooManyRequests:
		return cite.Undecided, Away
	}
	return cite.Undecided, Unclear
}

// failed maps an error to a state and a reason, which says nothing of the address.
func failed(ctx context.Context, err error, k cite.Kind, value string) (cite.State, Reason) {
	var name *net.DNSError
	var late net.Error
	switch {
	case errors.Is(err, errFrontPage):
		return cite.Undecided, Unclear
	case errors.Is(err, outbound.ErrRefused):
		return cite.Undecided, NoSource // it stands where nobody may ask
	case ctx.Err() != nil:
		return cite.Undecided, TimedOut
	case errors.As(err, &name) && name.IsNotFound && k.Builtin == cite.URL:
		// A host that the operator named and that is gone is an outage of theirs.
		if host, _ := cite.Host(value); !slices.Contains(k.Endpoint.Hosts, host) {
			return cite.Hallucinated, NotFound
		}
	case errors.As(err, &late) && late.Timeout():
		return cite.Undecided, TimedOut
	}
	return cite.Undecided, Away
}

// target gives the URL that is asked for a value, or why it may not be asked.
func (c *Checker) target(r Request, k cite.Kind, value string) (string, Reason) {
	e := k.Endpoint
	own := true // the operator named whom we ask
	target := ""
	if k.Builtin == cite.URL {
		host, port := cite.Host(value)
		if !cite.HostIn(host, e.Hosts) || port != "" {
			return "", NoSource
		}
		if strings.Contains(value, cite.Credentials) {
			return "", Withheld
		}
		own = named(host, e.Hosts)
		_, rest, _ := strings.Cut(value, "://")
		target = "https://" + rest
	} else {
		if strings.Trim(value, ".") == "" { // a step in a path, not a name
			return "", Unclear
		}
		escaped := url.PathEscape(value)
		if i := strings.IndexByte(e.URL, '?'); i >= 0 && i < strings.Index(e.URL, cite.Placeholder) {
			escaped = url.QueryEscape(value)
		}
		target = strings.Replace(e.URL, cite.Placeholder, escaped, 1)
	}
	// A lookup is a way out. The text chooses what is looked up, and with * also who is
	// told: what a contaminated run wrote goes to nobody that it chose itself.
	if !own && r.Class.Exceeds(e.Ceiling) {
		return "", Withheld
	}
	if r.Judge == nil {
		return "", Withheld
	}
	if class, ok := r.Judge(value); !ok || class.Exceeds(e.Ceiling) {
		return "", Withheld
	}
	return target, ""
}

// errFrontPage: a site leads to its front page, as many do for pages that they lack.
var errFrontPage = errors.New("citations: led to the front page")

const (
	maxHops = 4
	maxBody = 64 << 10
)

// fetch asks and follows redirects to where the first request could have gone too. body is
// nil where it is longer than is read, and empty where nobody wants it.
func (c *Checker) fetch(ctx context.Context, method string, i int, k cite.Kind, target string) (status int, body []byte, err error) {
	var cited *url.URL
	for hop := 0; hop <= maxHops; hop++ {
		req, err := http.NewRequestWithContext(ctx, method, target, nil)
		if err != nil {
			return 0, nil, outbound.ErrRefused
		}
		req.Header.Set("User-Agent", "stoplog-citations/1")
		if cited == nil {
			cited = req.URL
		}
		if a := c.kinds[i].authorization; a != "" && req.URL.Host == cited.Host {
			req.Header.Set("Authorization", a)
		}
		began := time.Now()
		resp, err := c.o.HTTP.Do(req)
		if err != nil {
			return 0, nil, err
		}
		status, body, err = read(resp, k)
		if most := c.o.HTTP.Timeout; ctx.Err() != nil || most > 0 && time.Since(began) >= most {
			// A server may answer just because it sees the request given up, and that answer
			// may still be read: it says nothing of what was asked.
			return 0, nil, context.DeadlineExceeded
		}
		if err != nil {
			return 0, nil, err
		}
		to, err := resp.Location()
		if status < 300 || status >= 400 || err != nil {
			if hop > 0 && req.URL.Path == "/" && cited.Path != "/" && !strings.HasPrefix(path.Base(cited.Path), "index.") {
				return 0, nil, errFrontPage
			}
			return status, body, nil
		}
		to.Fragment, to.RawFragment = "", ""
		if to.Scheme != "https" || to.User != nil || k.Builtin != cite.URL && to.Host != cited.Host || k.Builtin == cite.URL && !cite.HostIn(strings.ToLower(to.Host), k.Endpoint.Hosts) {
			return 0, nil, outbound.ErrRefused
		}
		target = to.String()
	}
	return 0, nil, outbound.ErrRefused
}

func read(resp *http.Response, k cite.Kind) (int, []byte, error) {
	defer resp.Body.Close()
	if k.Endpoint.Found == "" || resp.StatusCode >= 300 {
		return resp.StatusCode, []byte{}, nil // what it says does not matter; that it is there does
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return 0, nil, err
	}
	if len(b) > maxBody {
		return resp.StatusCode, nil, nil
	}
	return resp.StatusCode, b, nil
}
