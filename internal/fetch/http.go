package fetch

import (
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stoplog/stoplog/internal/outbound"
	"github.com/stoplog/stoplog/pkg/guard"
)

// Limits bound a [Client]. Zero values take the greatest that is allowed, which no
// configuration raises (SPEC DEC-4).
type Limits struct {
	Timeout   time.Duration  // of a request with all its redirects; at most 30 s
	Bytes     int            // of a body, packed and unpacked; at most 640 KiB
	Redirects *int           // that are followed; at most 5
	Domains   []string       // hosts that may be asked, as host, *.host, and with :port where it is not 443; none: every public one
	Networks  []netip.Prefix // addresses that are refused beside those that are never public
}

// The greatest limits, and the defaults.
const (
	MaxTimeout   = 30 * time.Second
	MaxBytes     = 640 << 10
	MaxRedirects = 5
)

// Network is the way out. Every nil member is the system's.
type Network struct {
	// Lookup gives the addresses of a host, which is in lower case.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Connect opens a connection to an address that has been found public.
	Connect func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
	// Roots are the certificate authorities that are trusted.
	Roots *x509.CertPool
}

// Client gets pages. It is safe for concurrent use and keeps nothing between requests.
type Client struct {
	limits    Limits
	redirects int
	domains   []domain
	transport http.RoundTripper
}

type domain struct{ host, port string }

// New checks the limits and makes a client.
func New(l Limits, n Network) (*Client, error) {
	c := &Client{limits: l, redirects: MaxRedirects}
	if err := errors.Join(
		atMost("timeout", &c.limits.Timeout, MaxTimeout), atMost("bytes", &c.limits.Bytes, MaxBytes),
	); err != nil {
		return nil, err
	}
	if l.Redirects != nil {
		if *l.Redirects < 0 || *l.Redirects > MaxRedirects {
			return nil, fmt.Errorf("redirects: want 0 to %d", MaxRedirects)
		}
		c.redirects = *l.Redirects
	}
	for i, d := range l.Domains {
		host, port, ported := strings.Cut(d, ":")
		if !ported {
			port = "443"
		}
		if !hostname(strings.TrimPrefix(host, "*.")) || !portNumber(port) {
			return nil, fmt.Errorf("domains[%d]: want a host name, *.host or host:port, in lower case", i)
		}
		c.domains = append(c.domains, domain{host, port})
	}
	if n.Lookup == nil {
		n.Lookup = lookup
	}
	// The client that the rest of Stoplog has too checks scheme, name and address of each
	// request; what is more for a declared one is checked here, redirects among it.
	c.transport = outbound.Client(outbound.Options{
		Timeout: c.limits.Timeout, Resolve: n.Lookup, Reachable: func(to netip.AddrPort) bool { return c.permitted(to.Addr()) }, Connect: n.Connect, Roots: n.Roots,
	}).Transport
	return c, nil
}

func atMost[T int | time.Duration](name string, v *T, greatest T) error {
	switch {
	case *v < 0 || *v > greatest:
		return fmt.Errorf("%s: want at most %v; it can be lowered and not raised", name, greatest)
	case *v == 0:
		*v = greatest
	}
	return nil
}

// Request is what is asked for.
type Request struct {
	URL           string
	Authorization string // header of the first request; a redirect does not get it
	// Registered says that an operator wrote where the URL leads: the list of domains does
	// not apply, and a redirect stays with its host and port.
	Registered bool
	// Within narrows where a redirect may lead to. Nil: wherever a request may go.
	Within func(host string) bool
	// Next is asked before each further request that a redirect leads to; its error ends
	// the fetch and is given as it is. Nil: always.
	Next func(ctx context.Context) error
}

// Response is what came back.
type Response struct {
	Body      []byte
	MediaType string // as the server named it
	URL       string // where it came from, after redirects
	Redirects int
}

// Get gets a page.
func (c *Client) Get(ctx context.Context, r Request) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.Timeout)
	defer cancel()
	u, err := url.Parse(r.URL)
	if err != nil {
		return Response{}, ErrDestination
	}
	authorization, registered := r.Authorization, ""
	for hop := 0; ; hop++ {
		if err := c.destination(u, r.Registered); err != nil {
			return Response{}, err
		}
		if hop == 0 {
			registered = u.Host
		}
		if hop > 0 && (r.Within != nil && !r.Within(u.Hostname()) || r.Registered && u.Host != registered) {
			return Response{}, ErrDestination
		}
		if hop > 0 && r.Next != nil {
			if err := r.Next(ctx); err != nil {
				return Response{}, err
			}
		}
		res, next, err := c.once(ctx, u, authorization)
		if err != nil {
			return Response{}, sort(ctx, err)
		}
		if next == nil {
			res.Redirects = hop
			return res, nil
		}
		if hop >= c.redirects {
			return Response{}, ErrUpstream
		}
		u, authorization = next, ""
	}
}

// sort maps an error of the HTTP library to one of ours. What it says may quote a URL.
func sort(ctx context.Context, err error) error {
	if errors.Is(err, outbound.ErrRefused) {
		err = ErrDestination
	}
	for _, own := range []error{ErrDestination, ErrTooLarge, ErrUpstream} {
		if errors.Is(err, own) && ctx.Err() == nil {
			return own
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrTimeout
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrUpstream
}

// destination reports whether a URL may be asked for, and tidies it. Where an operator
// registered it, any host and port may.
func (c *Client) destination(u *url.URL, registered bool) error {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	port := u.Port()
	if port == "" {
		port = "443"
	}
	if u.Scheme != "https" || u.Opaque != "" || u.User != nil || strings.HasSuffix(u.Host, ":") || !hostname(host) || inside(host) || !portNumber(port) {
		return ErrDestination
	}
	listed := slices.ContainsFunc(c.domains, func(d domain) bool { return d.port == port && guard.HostIn(host, []string{d.host}) })
	if !listed && !registered && (len(c.domains) > 0 || port != "443") {
		return ErrDestination
	}
	u.Host = host
	if port != "443" {
		u.Host += ":" + port
	}
	u.Fragment, u.RawFragment = "", ""
	return nil
}

// hostname reports whether s is a full host name and nothing else: at least two labels,
// the last one no number, so that no spelling of an address passes for a name.
func hostname(s string) bool {
	labels := strings.Split(s, ".")
	if len(s) > 253 || len(labels) < 2 {
		return false
	}
	for _, l := range labels {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' {
			return false
		}
		for i := 0; i < len(l); i++ {
			if c := l[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	last := labels[len(labels)-1]
	return last[0] >= 'a' && last[0] <= 'z'
}

// inside reports names that are by their definition no public server's.
func inside(host string) bool {
	return guard.HostIn(host, []string{"*.localhost", "*.local", "*.internal", "*.home.arpa", "*.onion", "*.alt"})
}

func portNumber(s string) bool {
	if s == "" || len(s) > 5 || s[0] == '0' {
		return false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n <= 65535
}

// permitted reports whether a connection may go to an address.
func (c *Client) permitted(a netip.Addr) bool {
	return outbound.Public(a) && !slices.ContainsFunc(c.limits.Networks, func(p netip.Prefix) bool { return p.Contains(a) })
}

// lookup asks the system's name servers, through Go's own resolver. The dot keeps search
// lists out: a name of the open internet is looked up and no other.
func lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	return (&net.Resolver{PreferGo: true}).LookupNetIP(ctx, "ip", host+".")
}

// once makes one request. next is where a redirect leads to.
func (c *Client) once(ctx context.Context, u *url.URL, authorization string) (_ Response, next *url.URL, _ error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Response{}, nil, ErrDestination
	}
	req.Close = true // a connection for each request, so that each name is looked at
	req.Header.Set("User-Agent", "stoplog")
	req.Header.Set("Accept", "text/html, text/plain, text/markdown, application/json, text/csv, application/pdf;q=0.8, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "gzip")
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		return Response{}, nil, err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		next, err := u.Parse(res.Header.Get("Location"))
		if err != nil || res.Header.Get("Location") == "" {
			return Response{}, nil, ErrUpstream
		}
		return Response{}, next, nil
	case http.StatusOK, http.StatusNonAuthoritativeInfo, http.StatusNoContent:
	default:
		return Response{}, nil, ErrUpstream
	}
	if res.ContentLength > int64(c.limits.Bytes) {
		return Response{}, nil, ErrTooLarge
	}
	body, err := c.body(res)
	if err == nil {
		err = ctx.Err() // a server may answer, with nothing, just because it sees the request given up
	}
	if err != nil {
		return Response{}, nil, err
	}
	return Response{Body: body, MediaType: mediaType(res.Header), URL: u.String()}, nil, nil
}

// body reads an answer within the bound, before and after it is unpacked.
func (c *Client) body(res *http.Response) ([]byte, error) {
	packed := &io.LimitedReader{R: res.Body, N: int64(c.limits.Bytes) + 1}
	var plain io.Reader = packed
	switch strings.ToLower(strings.Join(res.Header.Values("Content-Encoding"), ",")) {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(packed)
		if errors.Is(err, io.EOF) && packed.N == int64(c.limits.Bytes)+1 {
			return nil, nil // nothing at all
		}
		if err != nil {
			return nil, ErrUpstream
		}
		plain = z
	default:
		return nil, ErrUpstream
	}
	body, err := io.ReadAll(io.LimitReader(plain, int64(c.limits.Bytes)+1))
	switch {
	case len(body) > c.limits.Bytes || packed.N <= 0:
		return nil, ErrTooLarge
	case err != nil:
		return nil, ErrUpstream
	}
	return body, nil
}

// mediaType gives the answer's media type where there is one, and only one.
func mediaType(h http.Header) string {
	v := h.Values("Content-Type")
	if len(v) != 1 {
		return ""
	}
	if _, _, err := mime.ParseMediaType(v[0]); err != nil {
		return ""
	}
	return v[0]
}
