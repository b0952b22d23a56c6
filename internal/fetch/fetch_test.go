package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// SPEC: DEC-4. With the system's own way out nothing gets to a server on this machine.
func TestThisMachineIsNotReached(t *testing.T) {
	arrived := false
	srv := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived = true }))
	defer srv.Close()
	to := netip.MustParseAddrPort(srv.Listener.Addr().String())
	c, err := New(Limits{Domains: []string{"example.com:" + strconv.Itoa(int(to.Port()))}}, Network{
		Lookup: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{to.Addr()}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(context.Background(), Request{URL: "https://" + "example.com:" + strconv.Itoa(int(to.Port())) + "/"}); err != ErrDestination || arrived {
		t.Errorf("%v, arrived %v", err, arrived)
	}
	// Networks that an operator refuses beside.
	c.limits.Networks = []netip.Prefix{netip.MustParsePrefix("93.184.215.0/24")}
	if c.permitted(netip.MustParseAddr("93.184.215.14")) || !c.permitted(netip.MustParseAddr("1.1.1.1")) {
		t.Error("deny_networks do not count")
	}
}

// SPEC: DEC-4. The environment has no say.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	asked := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer proxy.Close()
	for _, k := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "ALL_PROXY"} {
		t.Setenv(k, proxy.URL)
	}
	var looked []string
	c, err := New(Limits{}, Network{
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			looked = append(looked, host)
			return []netip.Addr{netip.MustParseAddr("1.1.1.1")}, nil
		},
		Connect: func(context.Context, netip.AddrPort) (net.Conn, error) { return nil, errors.New("refused") },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(context.Background(), Request{URL: "https://Example.COM./"}); err != ErrUpstream || asked || len(looked) != 1 || looked[0] != "example.com" {
		t.Errorf("%v, asked %v, looked up %q", err, asked, looked)
	}
}

// Errors say which rule was broken, and nothing of what was asked for.
func TestErrorsAreOurs(t *testing.T) {
	c, err := New(Limits{Timeout: time.Second}, Network{Lookup: func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("CANARY") }})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []string{"https://canary.example/CANARY", "https://canary.example/%zz", "http://CANARY", "https://CANARY.example:1/", "://CANARY", "https://a.example/\x7fCANARY"} {
		if _, err := c.Get(context.Background(), Request{URL: u}); err == nil || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%q: %v", u, err)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Get(ended, Request{URL: "https://canary.example/"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// SPEC: DEC-4
func TestWorkspaceLimits(t *testing.T) {
	dir := t.TempDir()
	for _, bad := range []func() (*Workspace, error){
		func() (*Workspace, error) { return OpenWorkspace(dir, 0, 11*time.Second) },
		func() (*Workspace, error) { return OpenWorkspace(dir, MaxBytes+1, 0) },
		func() (*Workspace, error) { return OpenWorkspace(filepath.Join(dir, "absent"), 0, 0) },
	} {
		if w, err := bad(); err == nil {
			w.Close()
			t.Error("taken")
		}
	}
	w, err := OpenWorkspace(dir, 0, time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Read(context.Background(), "a"); err != ErrTimeout && err != ErrMissing {
		t.Errorf("%v", err)
	}
	// What came too late is not put in place, and leaves nothing.
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	if err := w.write(late, "a", []byte("x")); err != ErrTimeout {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
	// A fault does not end the process.
	if _, err := bounded(context.Background(), time.Minute, func(context.Context) (int, error) { panic("x") }); err != ErrPath {
		t.Errorf("%v", err)
	}
	// A file keeps its mode.
	w.timeout = MaxFileTimeout
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(context.Background(), "a", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "a")); err != nil || info.Mode().Perm() != 0o640 || info.Size() != 1 {
		t.Errorf("%v %v", info, err)
	}
}
