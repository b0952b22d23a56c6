// Package outbound is the one way in which Stoplog asks anything of the world: by https,
// of public addresses only. A name is resolved here, and the address that is dialled is
// the one that was checked, for each redirect anew, so no name that changes its mind
// reaches the own network or a cloud's metadata service.
package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// ErrRefused is wrapped by the errors of what the client would not do: another scheme or
// port, credentials in the URL, a host that is not allowed, an address that is not
// public, too many redirects. Errors name the reason and never the URL.
var ErrRefused = errors.New("outbound: refused")

// Options are the limits of a client. The zero value asks any public host and follows no
// redirect.
type Options struct {
	Timeout   time.Duration          // of a request, its redirects and its body; zero: 30s
	Redirects int                    // how many are followed; the answer after them is ErrRefused
	Allow     func(host string) bool // of every hop, in lower case; nil: every host

	Resolve func(ctx context.Context, host string) ([]netip.Addr, error) // nil: the system's
	// Reachable says which addresses may be dialled, after resolution. Nil: [Public] ones on
	// port 443.
	Reachable func(netip.AddrPort) bool
	// Connect opens a connection to an address that was found reachable. Nil: the system's,
	// which looks once more at the address that the socket is about to go to.
	Connect func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
	Roots   *x509.CertPool // nil: the system's
}

// Client makes a client. Nothing of the environment changes where it goes: no proxy, no
// cookie jar. Bodies are not unpacked; a caller bounds what it reads.
func Client(o Options) *http.Client {
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Resolve == nil {
		o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Reachable == nil {
		o.Reachable = func(a netip.AddrPort) bool { return Public(a.Addr()) && a.Port() == 443 }
	}
	if o.Connect == nil {
		o.Connect = Connect(o.Reachable)
	}
	t := &transport{o: o}
	t.http = &http.Transport{
		DialContext: t.dial, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots}, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: min(o.Timeout, 10*time.Second), MaxResponseHeaderBytes: 64 << 10, DisableCompression: true,
		MaxIdleConns: 32, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
	}
	return &http.Client{Transport: t, Timeout: o.Timeout, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) > o.Redirects {
			return fmt.Errorf("%w: redirects", ErrRefused)
		}
		return nil
	}}
}

type transport struct {
	o    Options
	http *http.Transport
}

// RoundTrip checks each hop: the client calls it for every redirect too.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var why string
	switch {
	case r.URL.Scheme != "https":
		why = "scheme"
	case r.URL.User != nil:
		why = "credentials"
	case t.o.Allow != nil && !t.o.Allow(strings.ToLower(r.URL.Hostname())):
		why = "host"
	}
	if why != "" {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, fmt.Errorf("%w: %s", ErrRefused, why)
	}
	// Where a redirect came from is nobody's business; the client adds it.
	r = r.Clone(r.Context())
	r.Header.Del("Referer")
	return t.http.RoundTrip(r)
}

// CloseIdleConnections closes what is kept open.
func (t *transport) CloseIdleConnections() { t.http.CloseIdleConnections() }

// dial resolves a name once and dials the addresses that it got. A name with one address
// that may not be reached is refused whole: a public one beside a private one is a trick.
func (t *transport) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	n, err := net.LookupPort(network, port)
	if err != nil {
		return nil, err
	}
	var ips []netip.Addr
	if ip, err := netip.ParseAddr(host); err == nil {
		ips = []netip.Addr{ip}
	} else if ips, err = t.o.Resolve(ctx, host); err != nil {
		return nil, err
	}
	for _, ip := range ips {
		if !t.o.Reachable(netip.AddrPortFrom(ip.Unmap(), uint16(n))) {
			return nil, fmt.Errorf("%w: address", ErrRefused)
		}
	}
	err = fmt.Errorf("outbound: %w", &net.DNSError{Err: "no such host", IsNotFound: true})
	for _, ip := range ips[:min(len(ips), 4)] {
		var c net.Conn
		if c, err = t.o.Connect(ctx, netip.AddrPortFrom(ip.Unmap(), uint16(n))); err == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// Connect gives the system's way to connect, which refuses by itself, as the socket is
// made, an address that is not reachable: whoever asks, and however they came by it.
func Connect(reachable func(netip.AddrPort) bool) func(context.Context, netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		if to, err := netip.ParseAddrPort(address); err != nil || !reachable(to) {
			return fmt.Errorf("%w: address", ErrRefused)
		}
		return nil
	}}
	return func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		return d.DialContext(ctx, "tcp", to.String())
	}
}

// Public reports whether an address is one of the open internet: not loopback, private,
// link-local or shared, no multicast, none of the blocks that IANA lists as special, and
// none that carries another address inside, which a gateway would turn into that one.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	if a.Is6() && (!unicast6.Contains(a) || isatap(a)) {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// isatap reports an address whose last half is an IPv4 address behind 0:5efe: a router
// inside would send it there.
func isatap(a netip.Addr) bool {
	b := a.As16()
	return b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

var (
	unicast6 = netip.MustParsePrefix("2000::/3")
	special  = prefixes(
		"0.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
		"192.88.99.0/24", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"168.63.129.16/32", // a cloud's own service, at a public address
		"2001::/23",        // Teredo, ORCHID, benchmarking and other protocols
		"2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
	)
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}
