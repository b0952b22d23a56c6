package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// TestServeChild is the process that TestServeSurvivesKills kills.
func TestServeChild(t *testing.T) {
	dir, listen := os.Getenv("STOPLOG_TEST_SERVE_DIR"), os.Getenv("STOPLOG_TEST_SERVE_LISTEN")
	if dir == "" {
		t.Skip("runs as the child of TestServeSurvivesKills only")
	}
	os.Exit(Main([]string{"serve", "--data", dir, "--listen", listen, "--log-level", "error"}, strings.NewReader(""), io.Discard, os.Stderr))
}

// SPEC: PRV-9, PRV-1
//
// `stoplog serve` on the embedded default is killed again and again under load. Every
// document that was answered 202 has its end in the ledger once the last process has
// drained; the audit and the verification hold; what a sender repeats is a duplicate.
func TestServeSurvivesKills(t *testing.T) {
	const kills, senders = 3, 8
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listen := l.Addr().String()
	l.Close()
	base := "http://" + listen
	begin := func() *exec.Cmd {
		c := exec.Command(os.Args[0], "-test.run=^TestServeChild$")
		c.Env = append(os.Environ(), "STOPLOG_TEST_SERVE_DIR="+dir, "STOPLOG_TEST_SERVE_LISTEN="+listen)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for i := 0; ; i++ {
			res, err := http.Get(base + "/readyz")
			if err == nil {
				res.Body.Close()
				if res.StatusCode == http.StatusOK {
					return c
				}
			}
			if i > 600 {
				_ = c.Process.Kill()
				t.Fatal("the server did not become ready")
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	child := begin()
	token, err := os.ReadFile(config.TokenFile(dir, "connector"))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Timeout: 10 * time.Second}
	post := func(id string) (event chunk.ID, duplicate, ok bool) {
		req, _ := http.NewRequest("POST", base+"/v1/hooks/web", strings.NewReader("An ordinary note, number "+id+"."))
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		req.Header.Set("Content-Type", "text/plain")
		req.Header.Set("Webhook-Id", id)
		res, err := client.Do(req)
		if err != nil {
			return "", false, false
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		var a struct {
			Data struct {
				Event     chunk.ID `json:"event_id"`
				Duplicate bool     `json:"duplicate"`
			} `json:"data"`
		}
		if err != nil || res.StatusCode != http.StatusAccepted || json.Unmarshal(b, &a) != nil {
			return "", false, false
		}
		return a.Data.Event, a.Data.Duplicate, true
	}

	var mu sync.Mutex
	accepted := map[chunk.ID]string{}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for s := range senders {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				id := fmt.Sprintf("%d-%d", s, n)
				if event, _, ok := post(id); ok {
					mu.Lock()
					accepted[event] = id
					mu.Unlock()
				} else {
					time.Sleep(20 * time.Millisecond)
				}
			}
		}()
	}
	count := func() int { mu.Lock(); defer mu.Unlock(); return len(accepted) }
	for range kills {
		for before := count(); count() < before+25; {
			time.Sleep(5 * time.Millisecond)
		}
		if err := child.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
		child = begin()
	}
	for before := count(); count() < before+25; {
		time.Sleep(5 * time.Millisecond)
	}
	close(stop)
	wg.Wait()
	for event, id := range accepted { // the sender did not hear of its 202, and sends again
		again, duplicate, ok := post(id)
		if !ok || !duplicate || again != event {
			t.Fatalf("sent again: event %s, duplicate %v, ok %v; want %s once more", again, duplicate, ok, event)
		}
		break
	}

	ctx := context.Background()
	s, err := ledger.OpenSQLiteReadOnly(ctx, filepath.Join(dir, ledgerFile))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	deadline := time.Now().Add(60 * time.Second)
	for event := range accepted {
		for {
			cs, err := s.EventChunks(ctx, event)
			if err == nil && len(cs) > 0 && cs[0].Disposition == chunk.Cleared {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("lost: %s was answered 202 and is not cleared (%v, %v)", event, cs, err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	if err := child.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Errorf("a drained server exits with %v", err)
	}
	var problems []string
	report := func(p provenance.Problem) { problems = append(problems, p.String()) }
	a, err := s.Audit(ctx, 0, report)
	if err != nil {
		t.Fatal(err)
	}
	e, out := testEnv(t)
	if code := Main([]string{"ledger", "verify", "--data", dir}, strings.NewReader(""), out, out); code != exitOK {
		t.Errorf("ledger verify: exit %d\n%s", code, out)
	}
	_ = e
	if len(problems) > 0 || a.Chunks < int64(len(accepted)) || len(accepted) < 25*(kills+1) {
		t.Errorf("%d accepted, audit %+v\n%s", len(accepted), a, strings.Join(problems, "\n"))
	}
	if !bytes.Contains(out.Bytes(), []byte("The ledger holds.")) {
		t.Errorf("%s", out)
	}
}
