package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// TestReaderChild runs a command as whoever TestAuditAndVerifyNeedToReadOnly starts it.
func TestReaderChild(t *testing.T) {
	args := os.Getenv("STOPLOG_TEST_READER")
	if args == "" {
		t.Skip("runs as the child of TestAuditAndVerifyNeedToReadOnly only")
	}
	os.Exit(Main(strings.Fields(args), strings.NewReader(""), os.Stdout, os.Stderr))
}

// reader runs commands as somebody who can read and not write: for root as another
// user, for anybody else in a directory that does not let files be made.
type reader struct {
	t   *testing.T
	bin string
}

func newReader(t *testing.T) reader {
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) { // another user has to come through
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := reader{t, filepath.Join(dir, "reader")}
	if err := os.WriteFile(r.bin, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

// only makes a data directory readable, with what verification reads and no more.
func (r reader) only(dir string) {
	r.t.Helper()
	if os.Getuid() == 0 {
		for at := filepath.Dir(dir); at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
			if err := os.Chmod(at, 0o755); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	files := []string{"ledger.db", "ledger.db-wal", "ledger.db-shm", CheckpointFile, "stoplog.yaml", "keys", "keys/ledger-1.pub"}
	for _, f := range files {
		mode := fs.FileMode(0o644)
		if f == "keys" {
			mode = 0o755
		}
		if err := os.Chmod(filepath.Join(dir, f), mode); err != nil && !os.IsNotExist(err) {
			r.t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
}

func (r reader) run(args ...string) (code int, out string) {
	r.t.Helper()
	c := exec.Command(r.bin, "-test.run=^TestReaderChild$")
	c.Env = []string{"STOPLOG_TEST_READER=" + strings.Join(args, " ")}
	c.Dir = "/"
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	b, err := c.CombinedOutput()
	if c.ProcessState == nil {
		r.t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(b)
}

// holds expects that audit and verify hold, and that neither changed a file's name.
func (r reader) holds(when, dir string) {
	r.t.Helper()
	before := names(r.t, dir)
	probe := exec.Command("/bin/sh", "-c", "echo x > "+filepath.Join(dir, "probe"))
	if os.Getuid() == 0 {
		probe.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if probe.Run() == nil {
		r.t.Fatalf("%s: the directory can be written, so this shows nothing", when)
	}
	for _, args := range [][]string{{"audit"}, {"ledger", "verify"}} {
		if code, out := r.run(append(args, "--data", dir)...); code != exitOK || !strings.Contains(out, "holds") {
			r.t.Errorf("%s: %v: exit %d\n%s", when, args, code, out)
		}
	}
	if after := names(r.t, dir); !slices.Equal(before, after) {
		r.t.Errorf("%s: files before %q, after %q", when, before, after)
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	es, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range es {
		names = append(names, e.Name())
	}
	return names
}

// filled sends three documents and waits until they have their end and are sealed.
func filled(t *testing.T, p *Pipeline, dir string) {
	t.Helper()
	for i := range 3 {
		b, _ := json.Marshal(map[string]string{"id": "page-" + string(rune('a'+i)), "text": "The garden is lovely in May."})
		if code, out, errs := command(t, string(b), "load", "jsonl", "web", "--data", dir, "--url", p.URL()); code != exitOK {
			t.Fatalf("exit %d\n%s%s", code, out, errs)
		}
		sealed(t, p)
	}
}

// sealed waits until the pipeline is at rest and everything is sealed.
func sealed(t *testing.T, p *Pipeline) {
	t.Helper()
	settledRuns(t, p)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		n, err := p.r.store.Unsealed(context.Background())
		if err == nil && n == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d records are not sealed, %v", n, err)
		}
	}
}

// SPEC: PRV-1, PRV-9
//
// Audit and verify need no more than to read: beside a running server, on what a
// server left that was stopped, and on what one left that was killed.
func TestAuditAndVerifyNeedToReadOnly(t *testing.T) {
	r := newReader(t)
	dir := starter(t)
	p, stop := startServer(t, dir)
	filled(t, p, dir)

	killed := t.TempDir() // what a kill leaves: the files as they are now
	for _, f := range []string{"ledger.db", "ledger.db-wal", "ledger.db-shm", CheckpointFile, "stoplog.yaml"} {
		b, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(killed, f), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(killed, "keys"), os.DirFS(filepath.Join(dir, "keys"))); err != nil {
		t.Fatal(err)
	}
	r.only(killed)
	r.holds("killed", killed)
	r.only(dir)
	r.holds("running", dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	stop()
	before := names(t, dir)
	mustRun(t, "audit", "--data", dir) // by somebody who could write: nothing is left behind
	mustRun(t, "ledger", "verify", "--data", dir)
	if after := names(t, dir); !slices.Equal(before, after) {
		t.Errorf("files before %q, after %q", before, after)
	}
	r.only(dir)
	r.holds("stopped", dir)
	if err := os.Remove(filepath.Join(killed, "ledger.db-shm")); err == nil {
		if code, out := r.run("audit", "--data", killed); code != exitUsage || !strings.Contains(out, "copy the files") {
			t.Errorf("without the index: exit %d\n%s", code, out)
		}
	}
}

// SPEC: PRV-1
//
// Whoever cuts the file of checkpoints short, or takes it away, is found out by verify;
// and the next start fills it up and says in the ledger that it was cut.
func TestACutCheckpointFileIsFoundAndRecorded(t *testing.T) {
	dir := starter(t)
	p, stop := startServer(t, dir)
	filled(t, p, dir)
	stop()
	mustRun(t, "ledger", "verify", "--data", dir)
	file := filepath.Join(dir, CheckpointFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	notes, err := ledger.ReadCheckpoints(file)
	if err != nil || len(notes) < 3 {
		t.Fatalf("%d checkpoints, %v", len(notes), err)
	}
	last := len(provenance.FileCheckpoint(notes[len(notes)-1]))
	for code, cut := range map[provenance.Code]func() error{
		provenance.CopyCut:     func() error { return os.WriteFile(file, whole[:len(whole)-last], 0o600) },
		provenance.CopyMissing: func() error { return os.Remove(file) },
	} {
		if err := cut(); err != nil {
			t.Fatal(err)
		}
		exit, out, errs := command(t, "", "ledger", "verify", "--data", dir)
		if exit != exitProblem || !strings.Contains(out, string(code)) || !strings.Contains(out, "does not hold: 1 problems") {
			t.Errorf("want %s: exit %d\n%s%s", code, exit, out, errs)
		}
	}
	p, stop = startServer(t, dir) // with the file gone
	deadline := time.Now().Add(30 * time.Second)
	for {
		rs, err := p.r.store.Records(context.Background(), ledger.RecordFilter{Kind: provenance.KindIntegrityAlarm})
		if err == nil && len(rs) == 1 && bytes.Contains(rs[0].Record.Payload, []byte(`"check":"checkpoint-copy"`)) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d alarms, %v", len(rs), err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	if again, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(again, whole) || len(again) == len(whole) {
		t.Errorf("the file was not filled up: %v", err)
	}
	mustRun(t, "ledger", "verify", "--data", dir)
}
