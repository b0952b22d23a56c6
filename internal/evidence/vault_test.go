package evidence

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoplog/stoplog/internal/keys"
	"github.com/stoplog/stoplog/pkg/chunk"
)

func keysDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "keys")
	if err := keys.Generate(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func loadRing(t testing.TB, dir string) *keys.Keyring {
	t.Helper()
	k, err := keys.Load(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func scopeID(parts ...string) chunk.ID { return chunk.NewID("run", parts...) }

// stores runs a test against each key store: open opens the same, fresh one.
func stores(t *testing.T, f func(t *testing.T, open func() *KeyStore)) {
	t.Run("sqlite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "keys.db")
		f(t, func() *KeyStore {
			s := must(OpenKeysSQLite(t.Context(), path))(t)
			t.Cleanup(func() { _ = s.Close() })
			return s
		})
	})
	if os.Getenv("STOPLOG_TEST_POSTGRES") == "" {
		t.Log("not run against Postgres: STOPLOG_TEST_POSTGRES is not set")
		return
	}
	t.Run("postgres", func(t *testing.T) {
		_, writer := postgres(t)
		f(t, func() *KeyStore {
			s := must(OpenKeysPostgres(t.Context(), writer))(t)
			t.Cleanup(func() { _ = s.Close() })
			return s
		})
	})
}

// postgres makes a database of its own and migrates it, twice.
func postgres(t *testing.T) (owner, writer string) {
	t.Helper()
	u := must(url.Parse(os.Getenv("STOPLOG_TEST_POSTGRES")))(t)
	admin := must(openPostgres(u.String()))(t)
	name := "evidence_" + strconv.FormatUint(rand.Uint64(), 36)
	if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = admin.Exec("DROP DATABASE " + name + " WITH (FORCE)")
		_ = admin.Close()
	})
	u.Path = "/" + name
	for range 2 {
		if err := MigrateKeysPostgres(t.Context(), u.String()); err != nil {
			t.Fatal(err)
		}
	}
	return u.String(), u.String() // as which the store gives its rights up
}

// each runs a test on a vault over each key store.
func each(t *testing.T, f func(t *testing.T, v *Vault, another func(Options) *Vault)) {
	stores(t, func(t *testing.T, open func() *KeyStore) {
		ring, dir := loadRing(t, keysDir(t)), t.TempDir()
		another := func(o Options) *Vault {
			return New(open(), must(OpenFiles(filepath.Join(dir, "blobs")))(t), ring, o)
		}
		f(t, another(Options{}), another)
	})
}

func TestPutGet(t *testing.T) {
	each(t, func(t *testing.T, v *Vault, another func(Options) *Vault) {
		if err := v.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, size := range []int{0, 1, 15, 16, 17, 1 << 20} {
			raw := bytes.Repeat([]byte{7}, size)
			p := must(v.Put(t.Context(), "default", scopeID("a"), raw))(t)
			if len(p) != len("ev://")+32 || seen[p] {
				t.Errorf("pointer %q", p)
			}
			seen[p] = true
			for _, v := range []*Vault{v, another(Options{})} {
				if got, err := v.Get(t.Context(), scopeID("a"), p); err != nil || !bytes.Equal(got, raw) {
					t.Errorf("%d bytes: got %d, %v", size, len(got), err)
				}
			}
		}
		if _, err := v.Put(t.Context(), "default", scopeID("a"), make([]byte, MaxSize+1)); !errors.Is(err, ErrTooLarge) {
			t.Errorf("over the limit: %v", err)
		}
		if err := v.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// SPEC: RED-4
func TestEvidenceIsBoundToItsPlace(t *testing.T) {
	ctx, ring, dir := t.Context(), loadRing(t, keysDir(t)), t.TempDir()
	files := must(OpenFiles(filepath.Join(dir, "blobs")))(t)
	v := New(must(OpenKeysSQLite(ctx, filepath.Join(dir, "keys.db")))(t), files, ring, Options{})
	defer v.Close()
	secret := []byte("Ana Souza, +34 600 000 000")
	p := must(v.Put(ctx, "hotel", scopeID("a"), secret))(t)
	q := must(v.Put(ctx, "hotel", scopeID("b"), secret))(t)
	name := strings.TrimPrefix(p, "ev://")
	path := files.path(name)
	blob := must(os.ReadFile(path))(t)
	if bytes.Contains(blob, secret[:5]) {
		t.Fatal("the blob holds plaintext")
	}
	if _, err := v.Get(ctx, scopeID("b"), p); !errors.Is(err, ErrIntegrity) {
		t.Errorf("under another scope: %v", err)
	}
	if _, err := v.Get(ctx, scopeID("a"), "ev://"+strings.Repeat("0", 32)); !errors.Is(err, ErrNotFound) {
		t.Errorf("absent pointer: %v", err)
	}
	if _, err := v.Get(ctx, scopeID("never"), p); !errors.Is(err, ErrNotFound) {
		t.Errorf("absent scope: %v", err)
	}
	for _, bad := range []string{"", name, "ev://", "ev://" + name + "0", "EV://" + name, "ev://../" + name[3:], "file://" + name} {
		if _, err := v.Get(ctx, scopeID("a"), bad); err == nil {
			t.Errorf("pointer %q was taken", bad)
		}
	}
	write := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range blob { // every byte counts: version, tenant, key id, nonce, ciphertext, tag
		changed := bytes.Clone(blob)
		changed[i] ^= 1
		write(changed)
		if _, err := v.Get(ctx, scopeID("a"), p); !errors.Is(err, ErrIntegrity) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
	for n := range blob {
		write(blob[:n])
		if _, err := v.Get(ctx, scopeID("a"), p); !errors.Is(err, ErrIntegrity) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	write(must(os.ReadFile(files.path(strings.TrimPrefix(q, "ev://"))))(t)) // another blob under this name
	if _, err := v.Get(ctx, scopeID("a"), p); !errors.Is(err, ErrIntegrity) {
		t.Errorf("swapped: %v", err)
	}
	write(blob)
	if _, err := v.Get(ctx, scopeID("a"), p); err != nil {
		t.Errorf("restored: %v", err)
	}
}

func TestSealOpenCommitStubKey(t *testing.T) {
	each(t, func(t *testing.T, v *Vault, another func(Options) *Vault) {
		ctx := t.Context()
		a, b := scopeID("a"), scopeID("b")
		if _, err := v.Open(ctx, a, []byte("x"), nil); !errors.Is(err, ErrNotFound) {
			t.Errorf("opening under a scope without a key: %v", err)
		}
		sealed := must(v.Seal(ctx, a, []byte("text"), []byte("topic|event")))(t)
		w := another(Options{})
		if got, err := w.Open(ctx, a, sealed, []byte("topic|event")); err != nil || string(got) != "text" {
			t.Errorf("got %q, %v", got, err)
		}
		must(v.Seal(ctx, b, nil, nil))(t)
		for name, try := range map[string]func() ([]byte, error){
			"other data":  func() ([]byte, error) { return w.Open(ctx, a, sealed, []byte("topic|other")) },
			"no data":     func() ([]byte, error) { return w.Open(ctx, a, sealed, nil) },
			"other scope": func() ([]byte, error) { return w.Open(ctx, b, sealed, []byte("topic|event")) },
			"cut":         func() ([]byte, error) { return w.Open(ctx, a, sealed[:len(sealed)-1], []byte("topic|event")) },
			"empty":       func() ([]byte, error) { return w.Open(ctx, a, nil, []byte("topic|event")) },
		} {
			if _, err := try(); !errors.Is(err, ErrIntegrity) {
				t.Errorf("%s: %v", name, err)
			}
		}
		c1, c2, c3 := must(v.Commit(ctx, a, []byte("x")))(t), must(w.Commit(ctx, a, []byte("x")))(t), must(v.Commit(ctx, b, []byte("x")))(t)
		if c1 != c2 || c1 == c3 || len(c1) != 64 {
			t.Errorf("commitments %s %s %s", c1, c2, c3)
		}
		s1, s2, s3 := must(v.StubKey(ctx, a))(t), must(w.StubKey(ctx, a))(t), must(v.StubKey(ctx, b))(t)
		if !bytes.Equal(s1, s2) || bytes.Equal(s1, s3) || len(s1) != 32 {
			t.Error("stub keys")
		}
		h := hmac.New(sha256.New, s1)
		h.Write([]byte("x"))
		if hex.EncodeToString(h.Sum(nil)) == c1 {
			t.Error("commitments and stubs share a key")
		}
		for _, bad := range []chunk.ID{"", "run", "run_", "run_short", chunk.ID("run_" + strings.Repeat("A", 26)), chunk.ID(strings.Repeat("x", 99))} {
			if _, err := v.Seal(ctx, bad, nil, nil); err == nil {
				t.Errorf("scope %q was taken", bad)
			}
		}
	})
}

// SPEC: PRV-8
func TestEraseIsFinal(t *testing.T) {
	each(t, func(t *testing.T, v *Vault, another func(Options) *Vault) {
		ctx, a := t.Context(), scopeID("a")
		now := time.Now()
		other := another(Options{CacheTTL: time.Minute, Now: func() time.Time { return now }})
		p := must(v.Put(ctx, "default", a, []byte("x")))(t)
		sealed := must(v.Seal(ctx, a, []byte("x"), nil))(t)
		must(other.Get(ctx, a, p))(t) // the key is in the other process's memory
		if err := v.Remove(ctx, a, p); err == nil {
			t.Error("evidence of a living scope was removed")
		}
		if err := v.Erase(ctx, scopeID("typo")); !errors.Is(err, ErrNotFound) {
			t.Errorf("erasing what is not there: %v", err)
		}
		for range 2 {
			if err := v.Erase(ctx, a); err != nil {
				t.Fatal(err)
			}
		}
		tries := func(v *Vault) map[string]error {
			_, get := v.Get(ctx, a, p)
			_, open := v.Open(ctx, a, sealed, nil)
			_, put := v.Put(ctx, "default", a, []byte("x"))
			_, seal := v.Seal(ctx, a, []byte("x"), nil)
			_, commit := v.Commit(ctx, a, []byte("x"))
			_, stub := v.StubKey(ctx, a)
			return map[string]error{"Get": get, "Open": open, "Put": put, "Seal": seal, "Commit": commit, "StubKey": stub, "Hold": v.Hold(ctx, a)}
		}
		for what, err := range tries(v) {
			if !errors.Is(err, ErrErased) {
				t.Errorf("%s: %v, want ErrErased", what, err)
			}
		}
		now = now.Add(time.Minute) // the other process's key ages out
		for what, err := range tries(other) {
			if !errors.Is(err, ErrErased) {
				t.Errorf("in another process, %s: %v, want ErrErased", what, err)
			}
		}
		if s := must(v.Scope(ctx, a))(t); !s.Erased || s.Held || s.Created.IsZero() {
			t.Errorf("%+v", s)
		}
		for range 2 {
			if err := v.Remove(ctx, a, p); err != nil {
				t.Error(err)
			}
		}
	})
}

// SPEC: PRV-8
func TestLegalHoldStopsErasure(t *testing.T) {
	each(t, func(t *testing.T, v *Vault, _ func(Options) *Vault) {
		ctx, a := t.Context(), scopeID("a")
		if err := v.Hold(ctx, a); !errors.Is(err, ErrNotFound) {
			t.Errorf("holding what is not there: %v", err)
		}
		p := must(v.Put(ctx, "default", a, []byte("x")))(t)
		for range 2 {
			if err := v.Hold(ctx, a); err != nil {
				t.Fatal(err)
			}
		}
		if err := v.Erase(ctx, a); !errors.Is(err, ErrHeld) {
			t.Errorf("erased under hold: %v", err)
		}
		if s := must(v.Scope(ctx, a))(t); !s.Held || s.Erased {
			t.Errorf("%+v", s)
		}
		if _, err := v.Get(ctx, a, p); err != nil {
			t.Error(err)
		}
		if _, err := v.store.db.Exec("UPDATE scope_key SET wrapped = $2 WHERE scope = $1", string(a), make([]byte, len(must(v.store.load(ctx, a))(t).wrapped))); err == nil {
			t.Error("the store let a held key be overwritten by hand")
		}
		for range 2 {
			if err := v.Release(ctx, a); err != nil {
				t.Fatal(err)
			}
		}
		if err := v.Erase(ctx, a); err != nil {
			t.Error(err)
		}
	})
}

// Holds and erasures race: what is held afterwards must still open, what is erased
// must not be held.
func TestHoldAgainstErase(t *testing.T) {
	each(t, func(t *testing.T, v *Vault, another func(Options) *Vault) {
		ctx, w := t.Context(), another(Options{})
		held, erased := 0, 0
		for i := range 30 {
			a := scopeID("race", fmt.Sprint(i))
			must(v.Seal(ctx, a, nil, nil))(t)
			var holdErr, eraseErr error
			var wg sync.WaitGroup
			wg.Go(func() { holdErr = v.Hold(ctx, a) })
			wg.Go(func() { eraseErr = w.Erase(ctx, a) })
			wg.Wait()
			s := must(v.Scope(ctx, a))(t)
			switch {
			case holdErr == nil && errors.Is(eraseErr, ErrHeld) && s.Held && !s.Erased:
				held++
			case errors.Is(holdErr, ErrErased) && eraseErr == nil && s.Erased && !s.Held:
				erased++
			default:
				t.Fatalf("hold: %v, erase: %v, then %+v", holdErr, eraseErr, s)
			}
		}
		t.Logf("%d held, %d erased", held, erased)
	})
}

// SPEC: PRV-8
func TestStoreRefusesToUndoAnErasure(t *testing.T) {
	stores(t, func(t *testing.T, open func() *KeyStore) {
		ctx, s, a, b := t.Context(), open(), scopeID("a"), scopeID("b")
		old := must(s.create(ctx, a, []byte("0001wrapped-bytes"), time.Now()))(t).wrapped
		must(s.create(ctx, b, []byte("0001other---bytes"), time.Now()))(t)
		if err := s.erase(ctx, a, time.Now()); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			stmt string
			args []any
		}{
			{"UPDATE scope_key SET wrapped = $2 WHERE scope = $1", []any{string(a), old}},
			{"UPDATE scope_key SET wrapped = $2 WHERE scope = $1", []any{string(b), []byte("short")}},
			{"UPDATE scope_key SET scope = $2 WHERE scope = $1", []any{string(b), string(scopeID("c"))}},
			{"UPDATE scope_key SET created = 0 WHERE scope = $1", []any{string(b)}},
			{"DELETE FROM scope_key WHERE scope = $1", []any{string(a)}},
			{"DELETE FROM scope_erased WHERE scope = $1", []any{string(a)}},
			{"UPDATE scope_erased SET at = 0 WHERE scope = $1", []any{string(a)}},
			{"INSERT INTO scope_key (scope, created, wrapped) VALUES ($1, 0, $2)", []any{string(a), old}},
		} {
			if _, err := s.db.ExecContext(ctx, c.stmt, c.args...); err == nil {
				t.Errorf("allowed: %s", c.stmt)
			}
		}
		if !s.postgres {
			if _, err := s.db.ExecContext(ctx, "INSERT OR REPLACE INTO scope_key (scope, created, wrapped) VALUES ($1, 0, $2)", string(a), old); err == nil {
				t.Error("INSERT OR REPLACE made an erased scope again")
			}
		}
		if r := must(s.create(ctx, a, []byte("0001third---bytes"), time.Now()))(t); !r.erased {
			t.Error("an erased scope was made again")
		}
	})
}

func TestPostgresGuardsHoldForTheOwnerToo(t *testing.T) {
	if os.Getenv("STOPLOG_TEST_POSTGRES") == "" {
		t.Log("not run against Postgres: STOPLOG_TEST_POSTGRES is not set")
		return
	}
	owner, writer := postgres(t)
	s := must(OpenKeysPostgres(t.Context(), writer))(t)
	defer s.Close()
	must(s.create(t.Context(), scopeID("a"), []byte("0001wrapped"), time.Now()))(t)
	if err := s.erase(t.Context(), scopeID("a"), time.Now()); err != nil {
		t.Fatal(err)
	}
	o := must(openPostgres(owner))(t)
	defer o.Close()
	var role string
	if err := s.db.QueryRow("SELECT current_user").Scan(&role); err != nil || role != "stoplog_writer" {
		t.Errorf("the store works as %s, %v", role, err)
	}
	if _, err := o.Exec("DROP ROLE IF EXISTS evidence_test_nobody"); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Exec("CREATE ROLE evidence_test_nobody LOGIN"); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = o.Exec("DROP ROLE evidence_test_nobody") }()
	nobody := must(url.Parse(owner))(t)
	nobody.User = url.User("evidence_test_nobody")
	if _, err := OpenKeysPostgres(t.Context(), nobody.String()); err == nil {
		t.Error("a login that is no writer opened the key store")
	}
	for name, db := range map[string]*sql.DB{"owner": o, "writer": s.db} {
		for _, stmt := range []string{
			"UPDATE scope_key SET wrapped = '0001wrapped'", "DELETE FROM scope_key", "TRUNCATE scope_key", "TRUNCATE scope_erased", "DELETE FROM scope_erased",
		} {
			conn := must(db.Conn(t.Context()))(t)
			for _, trick := range []string{"", "SET session_replication_role = replica"} { // which turns ordinary triggers off
				if trick != "" {
					if _, err := conn.ExecContext(t.Context(), trick); (err == nil) != (name == "owner") {
						t.Errorf("%s: %s: %v", name, trick, err)
					}
				}
				if _, err := conn.ExecContext(t.Context(), stmt); err == nil {
					t.Errorf("%s: allowed: %s, %s", name, trick, stmt)
				}
			}
			_ = conn.Close()
		}
	}
	for _, stmt := range []string{"CREATE TABLE evidence.x (a int)", "DROP TABLE scope_key", "ALTER TABLE scope_key DISABLE TRIGGER ALL", "UPDATE scope_key SET scope = 'x'"} {
		if _, err := s.db.Exec(stmt); err == nil {
			t.Errorf("writer: allowed: %s", stmt)
		}
	}
}

// files gives the bytes of the key file and of what lies beside it.
func keyFiles(t *testing.T, path string) []byte {
	t.Helper()
	var all []byte
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// SPEC: PRV-8
func TestErasedKeyIsGoneFromTheFiles(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "keys.db")
	s := must(OpenKeysSQLite(ctx, path))(t)
	defer s.Close()
	ring := loadRing(t, keysDir(t))
	type kept struct {
		scope   chunk.ID
		wrapped []byte
	}
	var living, erased []kept
	make1 := func(i int) {
		scope := scopeID("file", fmt.Sprint(i))
		wrapped := must(newScopeKey(ring, scope))(t)
		if r, err := s.create(ctx, scope, wrapped, time.Now()); err != nil || !bytes.Equal(r.wrapped, wrapped) {
			t.Fatal(err)
		}
		if err := s.link(ctx, chunk.NewID("sub", fmt.Sprint(i%7)), scope); err != nil {
			t.Fatal(err)
		}
		living = append(living, kept{scope, wrapped})
	}
	erase1 := func() {
		i := rand.IntN(len(living))
		if err := s.erase(ctx, living[i].scope, time.Now()); err != nil {
			t.Fatal(err)
		}
		erased = append(erased, living[i])
		living = slices.Delete(living, i, i+1)
	}
	for i := range 400 { // many pages, in many states
		make1(i)
		if i%3 == 0 {
			erase1()
		}
	}
	for len(living) > 60 {
		erase1()
	}
	all := keyFiles(t, path)
	for _, k := range erased {
		// Any part of it: the nonce and some ciphertext would do.
		for at := 0; at+16 <= len(k.wrapped); at += 16 {
			if part := k.wrapped[at : at+16]; bytes.Contains(all, part) {
				t.Fatalf("bytes %d to %d of an erased key are still in the files", at, at+16)
			}
		}
	}
	for _, k := range living { // the search does find keys
		if !bytes.Contains(all, k.wrapped) {
			t.Fatal("a living key is not found: the search proves nothing")
		}
	}
	t.Logf("%d keys erased, %d living, %d bytes searched", len(erased), len(living), len(all))
}

// A reader in another process keeps the log busy: the erasure says so, and can be
// finished later.
func TestErasureSaysWhenTheLogIsBusy(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "keys.db")
	s, reader := must(OpenKeysSQLite(ctx, path))(t), must(OpenKeysSQLite(ctx, path))(t)
	defer s.Close()
	defer reader.Close()
	a := scopeID("a")
	wrapped := must(newScopeKey(loadRing(t, keysDir(t)), a))(t)
	must(s.create(ctx, a, wrapped, time.Now()))(t)

	conn := must(reader.db.Conn(ctx))(t)
	defer conn.Close()
	var n int
	if _, err := conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM scope_key").Scan(&n); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	if err := s.erase(short, a, time.Now()); !errors.Is(err, ErrResidue) {
		t.Fatalf("got %v, want ErrResidue", err)
	}
	if !must(s.load(ctx, a))(t).erased {
		t.Error("the scope still has a key")
	}
	if !bytes.Contains(keyFiles(t, path), wrapped[4:]) {
		t.Error("the bytes are gone already: the test proves nothing")
	}
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := s.erase(ctx, a, time.Now()); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(keyFiles(t, path), wrapped[4:]) {
		t.Error("the bytes are still there")
	}
}

func TestKeyFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "keys.db")
	s := must(OpenKeysSQLite(t.Context(), path))(t)
	defer s.Close()
	must(s.create(t.Context(), scopeID("a"), []byte("0001"), time.Now()))(t)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", suffix, info.Mode(), err)
		}
	}
	for range 3 { // every connection
		conn := must(s.db.Conn(t.Context()))(t)
		defer conn.Close()
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "secure_delete": "1", "recursive_triggers": "1"} {
			var got string
			if err := conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s is %s, %v; want %s", pragma, got, err, want)
			}
		}
	}
}

// childEnv makes this test binary a worker process.
const childEnv = "STOPLOG_TEST_EVIDENCE_CHILD"

const childScopes = 60

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child seals one message under each of the scopes that its siblings use too.
func child(dir string) error {
	ring, err := keys.Load(filepath.Join(dir, "keys"), nil)
	if err != nil {
		return err
	}
	var store *KeyStore
	if dsn := os.Getenv(childEnv + "_DSN"); dsn != "" {
		store, err = OpenKeysPostgres(context.Background(), dsn)
	} else {
		store, err = OpenKeysSQLite(context.Background(), filepath.Join(dir, "keys.db"))
	}
	if err != nil {
		return err
	}
	v := New(store, nil, ring, Options{})
	for i := range childScopes {
		sealed, err := v.Seal(context.Background(), scopeID("shared", fmt.Sprint(i)), []byte("from a child"), nil)
		if err != nil {
			return err
		}
		fmt.Println(hex.EncodeToString(sealed))
	}
	return store.Close()
}

func TestProcessesMakeOneKey(t *testing.T) {
	run := func(t *testing.T, dsn string, open func(dir string) *KeyStore) {
		dir := t.TempDir()
		if err := keys.Generate(filepath.Join(dir, "keys")); err != nil {
			t.Fatal(err)
		}
		outputs := make([][]byte, 4)
		var wg sync.WaitGroup
		for i := range outputs {
			wg.Go(func() {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), childEnv+"="+dir, childEnv+"_DSN="+dsn)
				out, err := cmd.Output()
				if err != nil {
					var exit *exec.ExitError
					if errors.As(err, &exit) {
						t.Errorf("child: %v: %s", err, exit.Stderr)
					} else {
						t.Error(err)
					}
				}
				outputs[i] = out
			})
		}
		wg.Wait()
		store := open(dir)
		v := New(store, nil, loadRing(t, filepath.Join(dir, "keys")), Options{})
		defer store.Close()
		opened := 0
		for _, out := range outputs {
			for i, line := range strings.Fields(string(out)) {
				if got, err := v.Open(t.Context(), scopeID("shared", fmt.Sprint(i)), must(hex.DecodeString(line))(t), nil); err != nil || string(got) != "from a child" {
					t.Fatalf("scope %d: %v: two processes used two keys", i, err)
				}
				opened++
			}
		}
		if opened != len(outputs)*childScopes {
			t.Errorf("%d messages, want %d", opened, len(outputs)*childScopes)
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		run(t, "", func(dir string) *KeyStore {
			return must(OpenKeysSQLite(t.Context(), filepath.Join(dir, "keys.db")))(t)
		})
	})
	if os.Getenv("STOPLOG_TEST_POSTGRES") == "" {
		t.Log("not run against Postgres: STOPLOG_TEST_POSTGRES is not set")
		return
	}
	t.Run("postgres", func(t *testing.T) {
		_, writer := postgres(t)
		run(t, writer, func(string) *KeyStore { return must(OpenKeysPostgres(t.Context(), writer))(t) })
	})
}

func TestManyGoroutinesMakeOneKey(t *testing.T) {
	each(t, func(t *testing.T, v *Vault, another func(Options) *Vault) {
		vaults := []*Vault{v, another(Options{}), another(Options{CacheScopes: 1})}
		var mu sync.Mutex
		commits := map[chunk.ID]map[string]bool{}
		var wg sync.WaitGroup
		for g := range 24 {
			wg.Go(func() {
				for i := range 20 {
					scope := scopeID("g", fmt.Sprint(i))
					c, err := vaults[g%3].Commit(t.Context(), scope, []byte("x"))
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if commits[scope] == nil {
						commits[scope] = map[string]bool{}
					}
					commits[scope][c] = true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(commits) != 20 {
			t.Fatalf("%d scopes", len(commits))
		}
		for scope, c := range commits {
			if len(c) != 1 {
				t.Errorf("%s has %d keys", scope, len(c))
			}
		}
	})
}

func TestSubjectsAndRetention(t *testing.T) {
	each(t, func(t *testing.T, v *Vault, another func(Options) *Vault) {
		ctx := t.Context()
		day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		now := day
		w := another(Options{Now: func() time.Time { return now }})
		var scopes []chunk.ID
		guest := chunk.NewID("sub", "guest")
		for i := range 6 {
			now = day.AddDate(0, 0, i)
			s := scopeID("day", fmt.Sprint(i))
			must(w.Seal(ctx, s, nil, nil))(t)
			scopes = append(scopes, s)
			if i%2 == 0 {
				for range 2 {
					if err := w.LinkSubject(ctx, guest, s); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		of := must(v.ScopesOfSubject(ctx, guest))(t)
		want := []chunk.ID{scopes[0], scopes[2], scopes[4]}
		slices.Sort(want)
		if !slices.Equal(of, want) {
			t.Errorf("scopes of the guest: %v", of)
		}
		if of := must(v.ScopesOfSubject(ctx, chunk.NewID("sub", "nobody")))(t); len(of) != 0 {
			t.Errorf("scopes of nobody: %v", of)
		}
		if err := v.Hold(ctx, scopes[1]); err != nil {
			t.Fatal(err)
		}
		if err := v.Erase(ctx, scopes[2]); err != nil {
			t.Fatal(err)
		}
		old := must(v.ScopesOlderThan(ctx, day.AddDate(0, 0, 4), 10))(t)
		if !slices.Equal(old, []chunk.ID{scopes[0], scopes[3]}) {
			t.Errorf("older than four days: %v", old)
		}
		if old := must(v.ScopesOlderThan(ctx, day.AddDate(0, 0, 9), 2))(t); !slices.Equal(old, []chunk.ID{scopes[0], scopes[3]}) {
			t.Errorf("limited: %v", old)
		}
		if err := v.LinkSubject(ctx, "guest@example.com", scopes[0]); err == nil {
			t.Error("a subject in clear was taken")
		}
	})
}

func TestRewrap(t *testing.T) {
	stores(t, func(t *testing.T, open func() *KeyStore) {
		ctx, dir := t.Context(), keysDir(t)
		store := open()
		old := New(store, nil, loadRing(t, dir), Options{})
		const n = groupLimit + 30 // more than one page
		sealed := map[chunk.ID][]byte{}
		var oldBytes [][]byte
		var wg sync.WaitGroup
		var mu sync.Mutex
		for g := range 8 {
			wg.Go(func() {
				for i := g; i < n; i += 8 {
					s := scopeID("rewrap", fmt.Sprint(i))
					b, err := old.Seal(ctx, s, []byte("x"), nil)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					sealed[s] = b
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		gone := scopeID("rewrap", "0")
		if err := old.Erase(ctx, gone); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			oldBytes = append(oldBytes, must(store.load(ctx, scopeID("rewrap", fmt.Sprint(i))))(t).wrapped)
		}
		if _, err := keys.Rotate(dir, keys.KEK); err != nil {
			t.Fatal(err)
		}
		both := New(store, nil, loadRing(t, dir), Options{})
		for _, want := range []int{n - 1, 0} {
			if got, err := both.Rewrap(ctx); err != nil || got != want {
				t.Fatalf("rewrapped %d, %v; want %d", got, err, want)
			}
		}
		if err := os.Remove(filepath.Join(dir, "kek-1.key")); err != nil {
			t.Fatal(err)
		}
		fresh := New(store, nil, loadRing(t, dir), Options{})
		for s, b := range sealed {
			_, err := fresh.Open(ctx, s, b, nil)
			if s == gone && !errors.Is(err, ErrErased) || s != gone && err != nil {
				t.Fatal(err)
			}
		}
		for i := range n {
			if s := scopeID("rewrap", fmt.Sprint(i)); s != gone && bytes.Equal(oldBytes[i], must(store.load(ctx, s))(t).wrapped) {
				t.Fatal("a row was not rewrapped")
			}
		}
	})
}

func TestWrongKeysAreAnOutageNotAForgery(t *testing.T) {
	each(t, func(t *testing.T, v *Vault, _ func(Options) *Vault) {
		ctx, a := t.Context(), scopeID("a")
		sealed := must(v.Seal(ctx, a, []byte("x"), nil))(t)
		other := New(v.store, v.blobs, loadRing(t, keysDir(t)), Options{})
		if err := other.Ping(ctx); !errors.Is(err, ErrKey) {
			t.Errorf("Ping: %v, want ErrKey", err)
		}
		if _, err := other.Open(ctx, a, sealed, nil); !errors.Is(err, ErrKey) || !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrIntegrity) {
			t.Errorf("Open: %v, want ErrKey", err)
		}
		// A row copied from one scope to another does not open either.
		row := must(v.store.load(ctx, a))(t)
		must(v.store.create(ctx, scopeID("b"), row.wrapped, time.Now()))(t)
		if _, err := v.Seal(ctx, scopeID("b"), nil, nil); !errors.Is(err, ErrKey) {
			t.Errorf("a copied row: %v, want ErrKey", err)
		}
	})
}

func TestStoreAway(t *testing.T) {
	each(t, func(t *testing.T, v *Vault, _ func(Options) *Vault) {
		must(v.Put(t.Context(), "default", scopeID("a"), []byte("x")))(t)
		if err := v.store.Close(); err != nil {
			t.Fatal(err)
		}
		_, put := v.Put(t.Context(), "default", scopeID("new"), []byte("x"))
		for what, err := range map[string]error{
			"Ping": v.Ping(t.Context()), "Put": put, "Erase": v.Erase(t.Context(), scopeID("a")), "Hold": v.Hold(t.Context(), scopeID("a")),
			"LinkSubject": v.LinkSubject(t.Context(), chunk.NewID("sub", "s"), scopeID("a")),
		} {
			if !errors.Is(err, ErrUnavailable) {
				t.Errorf("%s: %v, want ErrUnavailable", what, err)
			}
		}
	})
}

func TestCancelledCallerDoesNotFailTheOthers(t *testing.T) {
	each(t, func(t *testing.T, v *Vault, _ func(Options) *Vault) {
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if i%2 == 0 {
					cancel()
				}
				_, err := v.Seal(ctx, scopeID("c", fmt.Sprint(i)), nil, nil)
				if i%2 == 0 && !errors.Is(err, context.Canceled) || i%2 == 1 && err != nil {
					t.Errorf("caller %d: %v", i, err)
				}
			})
		}
		wg.Wait()
	})
}

// SPEC: PRV-2
func TestNothingPrintsItself(t *testing.T) {
	ctx, ring, dir := t.Context(), loadRing(t, keysDir(t)), t.TempDir()
	store := must(OpenKeysSQLite(ctx, filepath.Join(dir, "keys.db")))(t)
	v := New(store, must(OpenFiles(filepath.Join(dir, "blobs")))(t), ring, Options{})
	const canary = "CANARY-7f3a-guest"
	a := scopeID("a")
	p := must(v.Put(ctx, "default", a, []byte(canary)))(t)
	k := must(v.scope(ctx, a, false))(t)
	wrapped := must(store.load(ctx, a))(t).wrapped
	var out strings.Builder
	for _, x := range []any{v, *v, struct{ v *Vault }{v}, k, *k, struct{ k *scopeKey }{k}, &cached{key: k}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q"} {
			fmt.Fprintf(&out, verb, x)
		}
	}
	// Errors of every kind, with the store made to quote its row.
	if _, err := store.db.Exec("CREATE TRIGGER leak BEFORE INSERT ON scope_key BEGIN SELECT RAISE(ABORT, 'row: " + canary + "'); END"); err != nil {
		t.Fatal(err)
	}
	_, err := v.Put(ctx, "default", scopeID("b"), []byte(canary))
	if !errors.Is(err, ErrUnavailable) {
		t.Fatalf("the fault did not fire: %v", err)
	}
	fmt.Fprintf(&out, "%v %+v %#v", err, err, err)
	for e := err; e != nil; e = errors.Unwrap(e) {
		fmt.Fprint(&out, e)
	}
	_, err = v.Get(ctx, scopeID("b"), p)
	fmt.Fprint(&out, err)
	_, err = OpenKeysPostgres(ctx, "postgres://u:"+canary+"@127.0.0.1:1/db")
	fmt.Fprint(&out, err)
	_, err = OpenKeysPostgres(ctx, "postgres://u:"+canary+"@[bad/db")
	fmt.Fprint(&out, err)
	for name, needle := range map[string]string{
		"content": canary, "commit key": string(k.commit), "commit key in hex": hex.EncodeToString(k.commit), "stub key": hex.EncodeToString(k.stub),
		"commit key in decimal": strings.Trim(fmt.Sprint(k.commit[:5]), "[]"), "wrapped key": hex.EncodeToString(wrapped[4:20]),
	} {
		if strings.Contains(out.String(), needle) {
			t.Errorf("%s shows in the output", name)
		}
	}
}

func BenchmarkPut(b *testing.B) {
	root := b.TempDir() // one for all: ext4 is slow to hand out inodes just after many were freed
	for _, c := range []struct {
		name     string
		newScope bool
	}{{"one-scope", false}, {"scope-each", true}} {
		for _, workers := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/workers=%d", c.name, workers), func(b *testing.B) {
				dir := must(os.MkdirTemp(root, ""))(b)
				v := New(must(OpenKeysSQLite(b.Context(), filepath.Join(dir, "keys.db")))(b), must(OpenFiles(filepath.Join(dir, "blobs")))(b), loadRing(b, keysDir(b)), Options{})
				defer v.Close()
				raw := bytes.Repeat([]byte("0123456789abcdef"), 128) // 2 KiB
				next := make(chan int)
				var wg sync.WaitGroup
				b.ResetTimer()
				for range workers {
					wg.Go(func() {
						for i := range next {
							scope := scopeID("bench")
							if c.newScope {
								scope = scopeID("bench", fmt.Sprint(i))
							}
							p, err := v.Put(b.Context(), "default", scope, raw)
							if err != nil {
								b.Error(err)
							}
							if i%100 == 0 {
								if got, err := v.Get(b.Context(), scope, p); err != nil || !bytes.Equal(got, raw) {
									b.Error("read back", err)
								}
							}
						}
					})
				}
				for i := range b.N {
					next <- i
				}
				close(next)
				wg.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "put/s")
			})
		}
	}
}

func BenchmarkOpenScope(b *testing.B) {
	ring := loadRing(b, keysDir(b))
	wrapped := must(newScopeKey(ring, scopeID("a")))(b)
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			must(newScopeKey(ring, scopeID("a")))(b)
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			must(openScopeKey(ring, scopeID("a"), wrapped))(b)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	dir := b.TempDir()
	v := New(must(OpenKeysSQLite(b.Context(), filepath.Join(dir, "keys.db")))(b), nil, loadRing(b, keysDir(b)), Options{})
	raw := make([]byte, 2048)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := v.Seal(b.Context(), scopeID("a"), raw, []byte("ad")); err != nil {
			b.Fatal(err)
		}
	}
	_ = v.store.Close()
}
