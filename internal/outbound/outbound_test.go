package outbound

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestPublic(t *testing.T) {
	for _, s := range []string{
		"0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1",
		"240.0.0.1", "255.255.255.255", "168.63.129.16",
		"::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "100::1", "fc00::1", "fd12:3456::1",
		"fe80::1", "fec0::1", "ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "4000::1", "2a00::5efe:a00:1", "2a00::200:5efe:a00:1",
	} {
		if Public(netip.MustParseAddr(s)) {
			t.Errorf("%s passes for public", s)
		}
	}
	for _, s := range []string{"1.1.1.1", "93.184.215.14", "100.63.255.255", "100.128.0.1", "172.32.0.1", "198.20.0.1", "192.0.1.1", "2606:4700::1", "2a00:1450::1", "::ffff:1.1.1.1"} {
		if !Public(netip.MustParseAddr(s)) {
			t.Errorf("%s is refused", s)
		}
	}
	if Public(netip.Addr{}) || Public(netip.MustParseAddr("2606:4700::1%eth0")) {
		t.Error("no address, or one with a zone, passes for public")
	}
}

// The system's way to connect looks at the address by itself, whoever asks.
func TestConnectRefusesByItself(t *testing.T) {
	s := newSite(t, http.NotFoundHandler())
	if c, err := Connect(func(a netip.AddrPort) bool { return Public(a.Addr()) })(t.Context(), s.addr); !errors.Is(err, ErrRefused) {
		t.Errorf("%v %v", c, err)
	}
	c, err := Connect(func(a netip.AddrPort) bool { return a == s.addr })(t.Context(), s.addr) // negative control
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// site is a server on loopback, and a client that takes its address for a public one.
type site struct {
	*httptest.Server
	addr netip.AddrPort
	hits atomic.Int32
}

func newSite(t *testing.T, h http.Handler) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hits.Add(1)
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	s.addr = netip.MustParseAddrPort(s.Listener.Addr().String())
	return s
}

func (s *site) options() Options {
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return Options{
		Timeout: 5 * time.Second, Redirects: 2, Roots: roots,
		Resolve:   func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{s.addr.Addr()}, nil },
		Reachable: func(a netip.AddrPort) bool { return a == s.addr },
	}
}

// url is a URL on the site. Its certificate is for example.com.
func (s *site) url(path string) string {
	_, port, _ := net.SplitHostPort(s.addr.String())
	return "https://example.com:" + port + path
}

func get(t *testing.T, c *http.Client, u string) (int, http.Header, error) {
	t.Helper()
	r, err := c.Get(u)
	if err != nil {
		return 0, nil, err
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode, r.Header, nil
}

func TestClient(t *testing.T) {
	var seen atomic.Pointer[http.Header]
	s := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := r.Header.Clone()
		seen.Store(&h)
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	c := Client(s.options())
	if n, _, err := get(t, c, s.url("/")); n != 204 || err != nil {
		t.Fatalf("%d %v", n, err)
	}
	if n, _, err := get(t, c, s.url("/?to=/there")); n != 204 || err != nil {
		t.Errorf("a redirect: %d %v", n, err)
	}
	if r := seen.Load().Get("Referer"); r != "" {
		t.Errorf("the page before is told: %q", r)
	}
	// Each hop is checked, not the first alone.
	for _, to := range []string{"http://example.com/", "https://u:p@example.com/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest", "//10.0.0.1/"} {
		if _, _, err := get(t, c, s.url("/?to="+url.QueryEscape(to))); !errors.Is(err, ErrRefused) {
			t.Errorf("redirected to %s: %v", to, err)
		}
	}
	loop := s.url("/?to=" + url.QueryEscape("/?to="+url.QueryEscape("/?to=/")))
	if _, _, err := get(t, c, loop); !errors.Is(err, ErrRefused) {
		t.Errorf("three redirects: %v", err)
	}
	capitals := s.options()
	capitals.Allow = func(h string) bool { return h == "example.com" }
	if n, _, err := get(t, Client(capitals), strings.Replace(s.url("/"), "example", "EXAMPLE", 1)); n != 204 || err != nil {
		t.Errorf("an allowed host in capitals: %d %v", n, err)
	}
	only := s.options()
	only.Allow = func(h string) bool { return h == "other.example" }
	before := s.hits.Load()
	if _, _, err := get(t, Client(only), s.url("/")); !errors.Is(err, ErrRefused) || s.hits.Load() != before {
		t.Errorf("a host that is not allowed: %v", err)
	}
}

// What a client has without options reaches nothing of this machine, by no spelling.
func TestRefusesOwnMachine(t *testing.T) {
	s := newSite(t, http.NotFoundHandler())
	_, port, _ := net.SplitHostPort(s.addr.String())
	c := Client(Options{Timeout: 5 * time.Second})
	for _, h := range []string{"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "localhost"} {
		if _, _, err := get(t, c, "https://"+h+":"+port+"/"); err == nil {
			t.Errorf("%s answered", h)
		}
		if _, _, err := get(t, c, "https://"+h+"/"); err == nil {
			t.Errorf("%s answered", h)
		}
	}
	if _, _, err := get(t, c, "http://example.com/"); !errors.Is(err, ErrRefused) {
		t.Errorf("http: %v", err)
	}
	if s.hits.Load() != 0 {
		t.Errorf("%d requests came through", s.hits.Load())
	}
}

// A name that resolves to a public address first and to the own machine then reaches
// neither: the address that was checked is the one that is dialled.
func TestRebinding(t *testing.T) {
	s := newSite(t, http.NotFoundHandler())
	o := s.options()
	public := netip.MustParseAddr("192.0.1.1")
	asked := 0
	o.Reachable = func(a netip.AddrPort) bool { return a.Addr() == public }
	for name, answers := range map[string][]netip.Addr{"private": {s.addr.Addr()}, "both": {public, s.addr.Addr()}} {
		o.Resolve = func(context.Context, string) ([]netip.Addr, error) { asked++; return answers, nil }
		if _, _, err := get(t, Client(o), s.url("/")); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if asked != 2 || s.hits.Load() != 0 {
		t.Errorf("resolved %d times, %d requests", asked, s.hits.Load())
	}
	o.Resolve = func(context.Context, string) ([]netip.Addr, error) { return nil, nil }
	var dns *net.DNSError
	if _, _, err := get(t, Client(o), s.url("/")); !errors.As(err, &dns) || !dns.IsNotFound {
		t.Errorf("no address: %v", err)
	}
}
