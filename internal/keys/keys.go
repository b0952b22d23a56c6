// Package keys loads the deployment's keys: key-encryption keys (which wrap the
// keys of scopes), integrity keys (which seal attribution), the ledger's signing
// keys, and the key of keyed ids.
//
// A key is a file in one directory, or an environment variable:
//
//	kek-1.key        STOPLOG_KEK_1         base64 of 32 bytes
//	integrity-1.key  STOPLOG_INTEGRITY_1   base64 of 32 bytes
//	id-1.key         STOPLOG_ID_1          base64 of 32 bytes
//	ledger-1.key     STOPLOG_LEDGER_1      Ed25519 signer in the signed-note form (PRIVATE+KEY+…)
//	ledger-1.pub     STOPLOG_LEDGER_PUB_1  its verifier; alone, it still verifies what an old key signed
//
// The number is the version. Keys rotate by adding the next version: the newest
// one encrypts, seals and signs; every version that is still there decrypts and
// verifies. Nothing here is ever overwritten.
//
// The types that hold keys cannot print themselves, and no error names a value.
package keys

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Size is the length of a symmetric key in bytes.
const Size = 32

// maxFile bounds what is read of a key file: a key is one short line.
const maxFile = 4 << 10

// The kinds of key, as they stand in file names.
const (
	KEK       = "kek"
	Integrity = "integrity"
	ID        = "id"
	Ledger    = "ledger"
	ledgerPub = "ledger-pub" // a .pub file; never generated alone
)

var (
	// ErrMissing means that a kind of key has no version at all.
	ErrMissing = errors.New("keys: key missing")
	// ErrUnwrap means that wrapped bytes do not open: another key, another scope, or altered bytes.
	ErrUnwrap = errors.New("keys: wrapped key does not open")
)

// Keyring holds every version of every key. The keys lie behind a pointer of their
// own: fmt does not ask an unexported field for its Format, and given a verb that
// does not fit it prints what a first pointer leads to.
type Keyring struct{ held *held }

type held struct {
	symmetric map[string]map[int][]byte
	keks      map[int]*subtle.AESGCM
	signer    note.Signer // of the newest ledger key; nil when this process has none
	verifiers []note.Verifier
}

// Format says that this is a keyring and nothing else, whatever the verb.
func (Keyring) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[keyring]") }

// LogValue says that this is a keyring and nothing else.
func (Keyring) LogValue() slog.Value { return slog.StringValue("[keyring]") }

// MarshalJSON says that this is a keyring and nothing else.
func (Keyring) MarshalJSON() ([]byte, error) { return []byte(`"[keyring]"`), nil }

// Load reads the keys of a directory (none if dir is empty) and of the
// environment (as os.Environ gives it). A key that is in both must be the same in
// both. A file that other users can read, a file name that is no key's, and a
// malformed key are errors: an operator who misspells a rotated key must hear of it.
//
// The key-encryption, integrity and id keys must be there; the ledger's signer
// may be missing, since only the sealer needs it ([Keyring.Signer]).
func Load(dir string, environ []string) (*Keyring, error) {
	found := set{}
	if dir != "" {
		if err := found.readDir(dir, false); err != nil {
			return nil, err
		}
	}
	if err := found.readEnv(environ); err != nil {
		return nil, err
	}
	return found.keyring()
}

// LoadVerifiers reads only the ledger's public keys (the .pub files) of a
// directory: what an auditor needs to check checkpoints.
func LoadVerifiers(dir string) (note.Verifiers, error) {
	found := set{}
	if err := found.readDir(dir, true); err != nil {
		return nil, err
	}
	list, err := found.verifiers()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: no ledger-N.pub in %s", ErrMissing, dir)
	}
	return note.VerifierList(list...), nil
}

// Integrity gives the integrity keys, all versions.
func (k *Keyring) Integrity() chunk.IntegrityKeys {
	out := chunk.IntegrityKeys{}
	for v, key := range k.held.symmetric[Integrity] {
		out[v] = bytes.Clone(key)
	}
	return out
}

// ID gives the key that new keyed ids are made with (chunk.KeyedID).
func (k *Keyring) ID() []byte { return bytes.Clone(k.held.symmetric[ID][newest(k.held.symmetric[ID])]) }

// IDs gives every id key, newest first. An id that was made before a rotation is
// found only under the key of its day, so what looks a person up tries all.
func (k *Keyring) IDs() [][]byte {
	var out [][]byte
	for _, v := range versions(k.held.symmetric[ID]) {
		out = append([][]byte{bytes.Clone(k.held.symmetric[ID][v])}, out...)
	}
	return out
}

// Wrap encrypts a scope's key under the newest key-encryption key. ad is bound to
// the result; so is the version.
func (k *Keyring) Wrap(key, ad []byte) (version int, wrapped []byte, err error) {
	version = newest(k.held.symmetric[KEK])
	wrapped, err = k.held.keks[version].Encrypt(key, kekAD(version, ad))
	if err != nil {
		return 0, nil, errors.New("keys: wrap failed")
	}
	return version, wrapped, nil
}

// Unwrap opens what [Keyring.Wrap] made under the given version.
func (k *Keyring) Unwrap(version int, wrapped, ad []byte) ([]byte, error) {
	kek, ok := k.held.keks[version]
	if !ok {
		return nil, fmt.Errorf("%w: kek-%d is not here", ErrMissing, version)
	}
	key, err := kek.Decrypt(wrapped, kekAD(version, ad))
	if err != nil {
		return nil, ErrUnwrap
	}
	return key, nil
}

// KEKVersion gives the version that [Keyring.Wrap] uses.
func (k *Keyring) KEKVersion() int { return newest(k.held.symmetric[KEK]) }

func kekAD(version int, ad []byte) []byte {
	return append([]byte("stoplog/kek/"+strconv.Itoa(version)+"\x00"), ad...)
}

// Signer gives the ledger's newest signing key, or [ErrMissing] in a process that
// was not given one.
func (k *Keyring) Signer() (note.Signer, error) {
	if k.held.signer == nil {
		return nil, fmt.Errorf("%w: no ledger-N.key and no STOPLOG_LEDGER_N", ErrMissing)
	}
	return k.held.signer, nil
}

// Verifiers gives the public side of every version of the ledger's key.
func (k *Keyring) Verifiers() note.Verifiers { return note.VerifierList(k.held.verifiers...) }

// set is what was read, before it is checked as a whole: kind → version → text.
type set map[string]map[int]string

func (s set) add(kind string, version int, text, from string) error {
	if s[kind] == nil {
		s[kind] = map[int]string{}
	}
	if old, ok := s[kind][version]; ok && old != text {
		return fmt.Errorf("keys: %s differs from the key file of the same version; remove one of them", from)
	}
	s[kind][version] = text
	return nil
}

// fileKind reads a key file's name: kek-1.key.
func fileKind(name string) (kind string, version int, ok bool) {
	stem, isKey := strings.CutSuffix(name, ".key")
	if !isKey {
		if stem, ok = strings.CutSuffix(name, ".pub"); !ok {
			return "", 0, false
		}
	}
	kind, digits, _ := strings.Cut(stem, "-")
	version, ok = parseVersion(digits)
	switch {
	case !ok:
		return "", 0, false
	case isKey && slices.Contains([]string{KEK, Integrity, ID, Ledger}, kind):
		return kind, version, true
	case !isKey && kind == Ledger:
		return ledgerPub, version, true
	}
	return "", 0, false
}

func parseVersion(s string) (int, bool) {
	v, err := strconv.Atoi(s)
	return v, err == nil && v >= 1 && v <= 1<<20 && strconv.Itoa(v) == s
}

func (s set) readDir(dir string, publicOnly bool) error {
	if err := private(dir, 0o022, "700"); err != nil { // who can write here can plant the next version
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") { // temporary files, and the bookkeeping of mounted secrets
			continue
		}
		kind, version, ok := fileKind(name)
		if !ok {
			return fmt.Errorf("keys: %s is no key's name (want kek-N.key, integrity-N.key, id-N.key, ledger-N.key or ledger-N.pub)", filepath.Join(dir, name))
		}
		if publicOnly && kind != ledgerPub {
			continue
		}
		path := filepath.Join(dir, name)
		if kind != ledgerPub {
			if err := private(path, 0o077, "600"); err != nil {
				return err
			}
		}
		text, err := readLine(path)
		if err != nil {
			return err
		}
		if err := s.add(kind, version, text, path); err != nil {
			return err
		}
	}
	return nil
}

// private refuses a path whose mode has any of the given bits.
func private(path string, bits fs.FileMode, want string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&bits != 0 {
		return fmt.Errorf("keys: %s is open to other users (mode %04o); run: chmod %s %s", path, info.Mode().Perm(), want, path)
	}
	return nil
}

// readLine reads a file of one line.
func readLine(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("keys: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", fmt.Errorf("keys: %w", err)
	}
	line := strings.TrimSuffix(string(b), "\n")
	if len(b) > maxFile || line == "" || strings.ContainsAny(line, " \t\r\n") {
		return "", fmt.Errorf("keys: %s does not hold one key on one line", path)
	}
	return line, nil
}

func (s set) readEnv(environ []string) error {
	prefixes := []struct{ prefix, kind string }{ // the longer prefix first
		{"STOPLOG_LEDGER_PUB_", ledgerPub}, {"STOPLOG_LEDGER_", Ledger},
		{"STOPLOG_KEK_", KEK}, {"STOPLOG_INTEGRITY_", Integrity}, {"STOPLOG_ID_", ID},
	}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		for _, p := range prefixes {
			digits, ok := strings.CutPrefix(name, p.prefix)
			if !ok {
				continue
			}
			version, ok := parseVersion(digits)
			if !ok || value == "" {
				return fmt.Errorf("keys: environment variable %s: want %sN=KEY with N from 1 up", name, p.prefix)
			}
			if err := s.add(p.kind, version, value, "environment variable "+name); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// keyring checks what was read and makes the keyring.
func (s set) keyring() (*Keyring, error) {
	k := &Keyring{&held{symmetric: map[string]map[int][]byte{}, keks: map[int]*subtle.AESGCM{}}}
	for _, kind := range []string{KEK, Integrity, ID} {
		if len(s[kind]) == 0 {
			return nil, fmt.Errorf("%w: no %s-N.key and no STOPLOG_%s_N", ErrMissing, kind, strings.ToUpper(kind))
		}
		k.held.symmetric[kind] = map[int][]byte{}
		seen := map[string]bool{}
		for v, text := range s[kind] {
			key, err := base64.StdEncoding.Strict().DecodeString(text)
			if err != nil || len(key) != Size {
				return nil, fmt.Errorf("keys: %s-%d is not base64 of %d bytes", kind, v, Size)
			}
			if seen[string(key)] {
				return nil, fmt.Errorf("keys: two versions of %s hold the same key, so nothing was rotated", kind)
			}
			seen[string(key)] = true
			k.held.symmetric[kind][v] = key
		}
	}
	for v, key := range k.held.symmetric[KEK] {
		kek, err := subtle.NewAESGCM(key)
		if err != nil {
			return nil, fmt.Errorf("keys: kek-%d cannot be used", v)
		}
		k.held.keks[v] = kek
	}
	var err error
	if k.held.verifiers, err = s.verifiers(); err != nil {
		return nil, err
	}
	if top := newest(s[Ledger]); top > 0 {
		if newest(s[ledgerPub]) > top {
			return nil, fmt.Errorf("keys: ledger-%d.pub has no ledger-%d.key, and an older key must not sign any more", newest(s[ledgerPub]), newest(s[ledgerPub]))
		}
		if k.held.signer, err = note.NewSigner(s[Ledger][top]); err != nil {
			return nil, fmt.Errorf("keys: ledger-%d is not a signing key in the signed-note form", top)
		}
	}
	return k, nil
}

// verifiers gives every ledger version's public key. A private key's public side
// is derived, and must match the .pub beside it.
func (s set) verifiers() ([]note.Verifier, error) {
	pubs := map[int]string{}
	for v, text := range s[ledgerPub] {
		pubs[v] = text
	}
	for v, text := range s[Ledger] {
		pub, err := publicOf(text)
		if err != nil {
			return nil, fmt.Errorf("keys: ledger-%d is not a signing key in the signed-note form", v)
		}
		if have, ok := pubs[v]; ok && have != pub {
			return nil, fmt.Errorf("keys: ledger-%d.pub does not belong to ledger-%d.key", v, v)
		}
		pubs[v] = pub
	}
	var out []note.Verifier
	for _, v := range versions(pubs) {
		verifier, err := note.NewVerifier(pubs[v])
		if err != nil {
			return nil, fmt.Errorf("keys: ledger-%d.pub is not a verifier in the signed-note form", v)
		}
		out = append(out, verifier)
	}
	return out, nil
}

// publicOf derives the verifier of a signed-note signer key:
// PRIVATE+KEY+name+hash+base64(1 ‖ seed).
func publicOf(skey string) (string, error) {
	bad := errors.New("malformed")
	parts := strings.SplitN(skey, "+", 5)
	if len(parts) != 5 {
		return "", bad
	}
	raw, err := base64.StdEncoding.DecodeString(parts[4])
	if err != nil || len(raw) != 1+ed25519.SeedSize {
		return "", bad
	}
	pub := ed25519.NewKeyFromSeed(raw[1:]).Public().(ed25519.PublicKey)
	return note.NewEd25519VerifierKey(parts[2], pub)
}

// versions lists the versions in ascending order.
func versions[T any](m map[int]T) []int {
	var out []int
	for v := range m {
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

// newest gives the highest version, 0 if there is none.
func newest[T any](m map[int]T) int {
	top := 0
	for v := range m {
		top = max(top, v)
	}
	return top
}
