package keys

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/pkg/chunk"
)

func generated(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "keys")
	if err := Generate(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func load(t *testing.T, dir string, environ ...string) *Keyring {
	t.Helper()
	k, err := Load(dir, environ)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func b64(b byte) string { return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, Size)) }

func TestGenerateNeverOverwrites(t *testing.T) {
	dir := generated(t)
	before := map[string]string{}
	for _, name := range []string{"kek-1.key", "integrity-1.key", "id-1.key", "ledger-1.key", "ledger-1.pub"} {
		before[name] = read(t, dir, name)
	}
	if err := Generate(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range before {
		if read(t, dir, name) != text {
			t.Errorf("%s changed", name)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != len(before) {
		t.Errorf("%d files, want %d: temporary files stayed", len(entries), len(before))
	}
	// A crash between the two ledger files is mended.
	if err := os.Remove(filepath.Join(dir, "ledger-1.pub")); err != nil {
		t.Fatal(err)
	}
	if err := Generate(dir); err != nil {
		t.Fatal(err)
	}
	if read(t, dir, "ledger-1.pub") != before["ledger-1.pub"] {
		t.Error("ledger-1.pub was not made again from its key")
	}
}

func TestGenerateByManyAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	rings := make([]*Keyring, 8)
	var wg sync.WaitGroup
	for i := range rings {
		wg.Go(func() {
			if err := Generate(dir); err != nil {
				t.Error(err)
				return
			}
			var err error
			if rings[i], err = Load(dir, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for _, k := range rings {
		if !bytes.Equal(k.ID(), rings[0].ID()) {
			t.Fatal("two processes hold different keys")
		}
	}
}

func TestWrapIsBoundToItsVersionAndData(t *testing.T) {
	dir := generated(t)
	old := load(t, dir)
	v, wrapped, err := old.Wrap([]byte("scope key"), []byte("run_a"))
	if err != nil || v != 1 {
		t.Fatal(v, err)
	}
	if n, err := Rotate(dir, KEK); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	k := load(t, dir)
	if k.KEKVersion() != 2 {
		t.Fatalf("wraps under version %d, want the newest, 2", k.KEKVersion())
	}
	if got, err := k.Unwrap(1, wrapped, []byte("run_a")); err != nil || string(got) != "scope key" {
		t.Fatalf("the old version no longer opens: %v", err)
	}
	for name, try := range map[string]func() ([]byte, error){
		"other data":    func() ([]byte, error) { return k.Unwrap(1, wrapped, []byte("run_b")) },
		"other version": func() ([]byte, error) { return k.Unwrap(2, wrapped, []byte("run_a")) },
		"one bit":       func() ([]byte, error) { wrapped[5] ^= 1; return k.Unwrap(1, wrapped, []byte("run_a")) },
	} {
		if _, err := try(); !errors.Is(err, ErrUnwrap) {
			t.Errorf("%s: %v, want ErrUnwrap", name, err)
		}
	}
	if _, err := k.Unwrap(3, wrapped, nil); !errors.Is(err, ErrMissing) {
		t.Errorf("unknown version: %v", err)
	}
}

func TestRotation(t *testing.T) {
	dir := generated(t)
	k1 := load(t, dir)
	attribution := chunk.Attribution{Tenant: "default", Source: "s"}
	seal1, err := k1.Integrity().Seal(attribution)
	if err != nil {
		t.Fatal(err)
	}
	signer1, err := k1.Signer()
	if err != nil {
		t.Fatal(err)
	}
	msg, err := note.Sign(&note.Note{Text: "checkpoint\n"}, signer1)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{Integrity, ID, Ledger} {
		if v, err := Rotate(dir, kind); err != nil || v != 2 {
			t.Fatal(kind, v, err)
		}
	}
	k2 := load(t, dir)
	if err := k2.Integrity().Verify(attribution, seal1); err != nil {
		t.Error("a seal of the old integrity key no longer verifies")
	}
	if seal2, _ := k2.Integrity().Seal(attribution); seal2.Version != 2 {
		t.Errorf("sealed under version %d, want 2", seal2.Version)
	}
	if bytes.Equal(k1.ID(), k2.ID()) || len(k2.IDs()) != 2 || !bytes.Equal(k2.IDs()[0], k2.ID()) || !bytes.Equal(k2.IDs()[1], k1.ID()) {
		t.Error("id keys: want the new one first and the old one after it")
	}
	signer2, err := k2.Signer()
	if err != nil {
		t.Fatal(err)
	}
	if signer2.Name() != signer1.Name() || signer2.KeyHash() == signer1.KeyHash() {
		t.Error("want another key under the same name")
	}
	// A retired signing key is kept as .pub alone, and still verifies.
	if err := os.Remove(filepath.Join(dir, "ledger-1.key")); err != nil {
		t.Fatal(err)
	}
	public, err := LoadVerifiers(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]note.Verifiers{"keyring": load(t, dir).Verifiers(), "public only": public} {
		if _, err := note.Open(msg, v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The old private key must not sign again because the new one got lost.
	if err := os.Rename(filepath.Join(dir, "ledger-2.key"), filepath.Join(dir, "ledger-1.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir, nil); err == nil {
		t.Error("a key under another version's name was taken")
	}
}

func TestLoadRefuses(t *testing.T) {
	write := func(t *testing.T, dir, name, text string) {
		t.Helper()
		_ = os.Remove(filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name string
		do   func(t *testing.T, dir string)
		env  []string
		want string
	}{
		{"readable by the group", func(t *testing.T, dir string) { _ = os.Chmod(filepath.Join(dir, "kek-1.key"), 0o640) }, nil, "chmod 600"},
		{"readable by the world", func(t *testing.T, dir string) { _ = os.Chmod(filepath.Join(dir, "id-1.key"), 0o604) }, nil, "chmod 600"},
		{"directory writable by others", func(t *testing.T, dir string) { _ = os.Chmod(dir, 0o777) }, nil, "chmod 700"},
		{"misspelt version", func(t *testing.T, dir string) { write(t, dir, "kek-02.key", b64(1)) }, nil, "no key's name"},
		{"version zero", func(t *testing.T, dir string) { write(t, dir, "kek-0.key", b64(1)) }, nil, "no key's name"},
		{"unknown kind", func(t *testing.T, dir string) { write(t, dir, "admin-1.key", b64(1)) }, nil, "no key's name"},
		{"editor's leftover", func(t *testing.T, dir string) { write(t, dir, "kek-1.key~", b64(1)) }, nil, "no key's name"},
		{"too short", func(t *testing.T, dir string) { write(t, dir, "kek-2.key", b64(1)[4:]) }, nil, "not base64 of 32 bytes"},
		{"two lines", func(t *testing.T, dir string) { write(t, dir, "kek-2.key", b64(1)+"\n"+b64(2)+"\n") }, nil, "one key on one line"},
		{"empty", func(t *testing.T, dir string) { write(t, dir, "kek-2.key", "") }, nil, "one key on one line"},
		{"huge", func(t *testing.T, dir string) { write(t, dir, "kek-2.key", strings.Repeat("A", 1<<16)) }, nil, "one key on one line"},
		{"rotated to the same key", func(t *testing.T, dir string) { write(t, dir, "kek-2.key", read(t, dir, "kek-1.key")) }, nil, "nothing was rotated"},
		{"not a note key", func(t *testing.T, dir string) { write(t, dir, "ledger-2.key", b64(1)) }, nil, "signed-note form"},
		{"foreign .pub", func(t *testing.T, dir string) {
			_, pub, _ := note.GenerateKey(nil, "other")
			write(t, dir, "ledger-1.pub", pub)
		}, nil, "does not belong"},
		{"newer .pub without its key", func(t *testing.T, dir string) {
			_, pub, _ := note.GenerateKey(nil, "other")
			write(t, dir, "ledger-9.pub", pub)
		}, nil, "must not sign"},
		{"missing kind", func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, "integrity-1.key")) }, nil, "STOPLOG_INTEGRITY_N"},
		{"environment differs from file", nil, []string{"STOPLOG_KEK_1=" + b64(7)}, "differs from the key file"},
		{"environment misspelt", nil, []string{"STOPLOG_KEK_ONE=" + b64(7)}, "STOPLOG_KEK_N"},
		{"environment empty", nil, []string{"STOPLOG_ID_2="}, "STOPLOG_ID_N"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := generated(t)
			if c.do != nil {
				c.do(t, dir)
			}
			_, err := Load(dir, c.env)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
			for _, secret := range []string{read2(dir, "kek-1.key"), b64(7), b64(1)} {
				if secret != "" && strings.Contains(err.Error(), secret) {
					t.Fatal("the error shows a key")
				}
			}
		})
	}
}

func read2(dir, name string) string {
	b, _ := os.ReadFile(filepath.Join(dir, name))
	return strings.TrimSpace(string(b))
}

func TestLoadFromEnvironmentAlone(t *testing.T) {
	dir := generated(t)
	environ := []string{
		"PATH=/bin", "STOPLOG_LISTEN=127.0.0.1:0",
		"STOPLOG_KEK_1=" + read(t, dir, "kek-1.key"), "STOPLOG_KEK_3=" + b64(3), "STOPLOG_INTEGRITY_1=" + read(t, dir, "integrity-1.key"),
		"STOPLOG_ID_1=" + read(t, dir, "id-1.key"), "STOPLOG_LEDGER_1=" + read(t, dir, "ledger-1.key"),
	}
	k := load(t, "", environ...)
	if k.KEKVersion() != 3 || !bytes.Equal(k.ID(), load(t, dir).ID()) {
		t.Error("environment and files disagree")
	}
	signer, err := k.Signer()
	if err != nil {
		t.Fatal(err)
	}
	// A process that is given the public key only can verify and not sign.
	environ[len(environ)-1] = "STOPLOG_LEDGER_PUB_1=" + read(t, dir, "ledger-1.pub")
	k = load(t, "", environ...)
	if _, err := k.Signer(); !errors.Is(err, ErrMissing) {
		t.Errorf("Signer: %v, want ErrMissing", err)
	}
	if _, err := k.Verifiers().Verifier(signer.Name(), signer.KeyHash()); err != nil {
		t.Error(err)
	}
	if k = load(t, dir, "STOPLOG_KEK_1="+read(t, dir, "kek-1.key")); k.KEKVersion() != 1 {
		t.Error("the same key in both places must do")
	}
}

// SPEC: PRV-2
func TestKeyringCannotPrintItself(t *testing.T) {
	dir := generated(t)
	k := load(t, dir)
	var out bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&out, nil))
	logger.Info("x", "k", k, "in", struct{ K *Keyring }{k}, "keys", k.Integrity())
	for _, v := range []any{k, *k, struct{ k *Keyring }{k}, struct{ K *Keyring }{k}, k.Integrity()} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&out, verb, v)
		}
	}
	b, err := json.Marshal(map[string]any{"k": k, "keys": k.Integrity()})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(b)
	for _, name := range []string{"kek-1.key", "integrity-1.key", "id-1.key"} {
		text := read(t, dir, name)
		raw, _ := base64.StdEncoding.DecodeString(text)
		decimal := strings.Trim(fmt.Sprint(raw[:6]), "[]")
		hexa := fmt.Sprintf("%x", raw[:6])
		for _, needle := range []string{text, string(raw), decimal, strings.ReplaceAll(decimal, " ", ", "), hexa, fmt.Sprintf("%X", raw[:6])} {
			if strings.Contains(out.String(), needle) {
				t.Errorf("%s shows in the output", name)
			}
		}
	}
}
