// Package evidence is the vault: raw bytes, encrypted under the key of their scope
// (a run, or a document of a collection) before anything else happens to them. What
// comes back is an opaque pointer (SPEC RED-4, PRV-2).
//
// A scope's key is a Tink keyset and a secret from which the keys of commitments
// and of stubs are derived; both are wrapped together by the deployment's
// key-encryption key and lie in a table of their own. Destroying that row makes
// everything of the scope unreadable, here, on Kafka and in the ledger's sealed
// columns, while the ledger still verifies (SPEC PRV-8).
//
// No error of this package carries content or key material.
package evidence

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stoplog/stoplog/internal/keys"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// MaxSize is the largest evidence in bytes; the door's own limits are lower.
const MaxSize = 32 << 20

var (
	// ErrNotFound means that there is no such scope or no such evidence.
	ErrNotFound = errors.New("evidence: not found")
	// ErrErased means that the scope's key has been destroyed. It is final.
	ErrErased = errors.New("evidence: the scope's key has been destroyed")
	// ErrHeld means that a legal hold forbids the erasure.
	ErrHeld = errors.New("evidence: the scope is under legal hold")
	// ErrResidue means that the key is destroyed for every reader, but that its old
	// bytes may still lie in the key file's write-ahead log, because another process
	// kept it busy. Erase again until it returns nil.
	ErrResidue = errors.New("evidence: erased, but the key's bytes may remain in the write-ahead log; erase again")
	// ErrIntegrity means that stored or sealed bytes are not what this scope sealed.
	ErrIntegrity = errors.New("evidence: bytes do not match their seal")
	// ErrUnavailable means that a store did not answer. Nothing was half done; retry.
	ErrUnavailable = errors.New("evidence: store unavailable")
	// ErrKey means that a scope's key does not open under this process's
	// key-encryption keys: one is missing, or they are another deployment's. It is an
	// ErrUnavailable, for what is sealed under that key is not to blame.
	ErrKey = fmt.Errorf("%w: a scope's key does not open under the key-encryption keys that were loaded", ErrUnavailable)
	// ErrExists means that a blob's name is taken.
	ErrExists = errors.New("evidence: blob exists")
	// ErrTooLarge means more than [MaxSize] bytes.
	ErrTooLarge = errors.New("evidence: too large")
)

// Blobs is where encrypted evidence lies: [Files] or [Bucket]. evidencetest.Blobs
// is the suite that both pass. Names are 32 hex digits.
type Blobs interface {
	Put(ctx context.Context, name string, data []byte) error         // durable on return; ErrExists, never an overwrite
	Get(ctx context.Context, name string, limit int) ([]byte, error) // ErrNotFound; ErrIntegrity above limit bytes
	Remove(ctx context.Context, name string) error                   // nil also when it is not there
	Ping(ctx context.Context) error                                  // nil when a Put can be expected to work
	Close() error
}

// Options tunes a vault. The zero value is right for most.
type Options struct {
	CacheScopes int              // opened scopes kept in memory; 4096
	CacheTTL    time.Duration    // how long at most another process's erasure goes unnoticed here; 30 s
	Now         func() time.Time // time.Now
}

// Vault stores and opens evidence, and seals what travels under a scope's key.
type Vault struct {
	store *KeyStore
	blobs Blobs
	ring  *keys.Keyring
	cache *cache
	now   func() time.Time
}

// New makes a vault. It takes over the stores: [Vault.Close] closes them.
func New(store *KeyStore, blobs Blobs, ring *keys.Keyring, opts Options) *Vault {
	if opts.CacheScopes <= 0 {
		opts.CacheScopes = 4096
	}
	if opts.CacheTTL <= 0 {
		opts.CacheTTL = 30 * time.Second
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Vault{store: store, blobs: blobs, ring: ring, cache: newCache(opts.CacheScopes, opts.CacheTTL), now: opts.Now}
}

// Format says that this is a vault and nothing else, whatever the verb.
func (Vault) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[vault]") }

// Close closes both stores.
func (v *Vault) Close() error { return errors.Join(v.store.Close(), v.blobs.Close()) }

// Ping reports whether both stores can be expected to work, and whether this
// process's key-encryption keys are the store's ([ErrKey]). Call it before the
// first Put: what is wrapped under the keys of another deployment is lost to this one.
func (v *Vault) Ping(ctx context.Context) error {
	scope, wrapped, err := v.store.newest(ctx)
	if err == nil {
		_, err = unwrap(v.ring, scope, wrapped)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return v.blobs.Ping(ctx)
}

// Put stores raw bytes under the scope's key, which is made if the scope has none,
// and gives the pointer to them: ev:// and 128 random bits, which say nothing about
// the content. Both are durable on return.
func (v *Vault) Put(ctx context.Context, tenant string, scope chunk.ID, raw []byte) (pointer string, err error) {
	if len(raw) > MaxSize {
		return "", ErrTooLarge
	}
	if len(tenant) > 255 {
		return "", errors.New("evidence: tenant name too long")
	}
	k, err := v.scope(ctx, scope, true)
	if err != nil {
		return "", err
	}
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails: it ends the process instead
	name := hex.EncodeToString(random)
	pointer = scheme + name
	sealed, err := k.aead.Encrypt(raw, associated("stoplog/blob/1", tenant, string(scope), pointer))
	if err != nil {
		return "", errors.New("evidence: encryption failed")
	}
	blob := make([]byte, 0, 2+len(tenant)+len(sealed))
	blob = append(blob, blobVersion, byte(len(tenant)))
	blob = append(blob, tenant...)
	blob = append(blob, sealed...)
	if err := v.blobs.Put(ctx, name, blob); err != nil {
		return "", err
	}
	return pointer, nil
}

// Get reads evidence back. Bytes that were altered, or belong to another scope or
// pointer, are ErrIntegrity.
func (v *Vault) Get(ctx context.Context, scope chunk.ID, pointer string) ([]byte, error) {
	name, err := blobName(pointer)
	if err != nil {
		return nil, err
	}
	k, err := v.scope(ctx, scope, false)
	if err != nil {
		return nil, err
	}
	blob, err := v.blobs.Get(ctx, name, MaxSize+1024)
	if err != nil {
		return nil, err
	}
	if len(blob) < 2 || blob[0] != blobVersion || len(blob) < 2+int(blob[1]) {
		return nil, ErrIntegrity
	}
	tenant, sealed := string(blob[2:2+int(blob[1])]), blob[2+int(blob[1]):]
	raw, err := k.aead.Decrypt(sealed, associated("stoplog/blob/1", tenant, string(scope), pointer))
	if err != nil {
		return nil, ErrIntegrity
	}
	return raw, nil
}

// Seal encrypts plaintext under the scope's key, bound to ad. The key is made if
// the scope has none.
func (v *Vault) Seal(ctx context.Context, scope chunk.ID, plaintext, ad []byte) ([]byte, error) {
	k, err := v.scope(ctx, scope, true)
	if err != nil {
		return nil, err
	}
	sealed, err := k.aead.Encrypt(plaintext, associated("stoplog/seal/1", string(scope), string(ad)))
	if err != nil {
		return nil, errors.New("evidence: encryption failed")
	}
	return sealed, nil
}

// Open decrypts what [Vault.Seal] made for the same scope and ad, else ErrIntegrity.
func (v *Vault) Open(ctx context.Context, scope chunk.ID, sealed, ad []byte) ([]byte, error) {
	k, err := v.scope(ctx, scope, false)
	if err != nil {
		return nil, err
	}
	plaintext, err := k.aead.Decrypt(sealed, associated("stoplog/seal/1", string(scope), string(ad)))
	if err != nil {
		return nil, ErrIntegrity
	}
	return plaintext, nil
}

// Commit gives the keyed commitment to content: HMAC-SHA256 under a key of the
// scope, hex. A plain hash of a phone number can be guessed; this one cannot, and
// once the scope is erased it says nothing any more.
func (v *Vault) Commit(ctx context.Context, scope chunk.ID, content []byte) (string, error) {
	k, err := v.scope(ctx, scope, true)
	if err != nil {
		return "", err
	}
	h := hmac.New(sha256.New, k.commit)
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// StubKey gives the 32 bytes under which the scope's keyed-hash stubs are made.
func (v *Vault) StubKey(ctx context.Context, scope chunk.ID) ([]byte, error) {
	k, err := v.scope(ctx, scope, true)
	if err != nil {
		return nil, err
	}
	return append([]byte(nil), k.stub...), nil
}

// Erase destroys the scope's key. A tombstone stays, so that the scope cannot be
// made again. Erasing twice is no error; erasing under legal hold is [ErrHeld].
// Nothing in this process uses the key after Erase returns; other processes drop
// it within their CacheTTL.
func (v *Vault) Erase(ctx context.Context, scope chunk.ID) error {
	if err := checkScope(scope); err != nil {
		return err
	}
	err := v.store.erase(ctx, scope, v.now())
	v.cache.drop(scope) // after the row, so that nothing reads the old row and keeps it
	return err
}

// Remove deletes the unreadable bytes of an erased scope. Evidence of a living
// scope is refused: its records still point to it.
func (v *Vault) Remove(ctx context.Context, scope chunk.ID, pointer string) error {
	name, err := blobName(pointer)
	if err != nil {
		return err
	}
	if err := checkScope(scope); err != nil {
		return err
	}
	r, err := v.store.load(ctx, scope)
	if err != nil {
		return err
	}
	if !r.erased {
		return errors.New("evidence: the scope is not erased")
	}
	return v.blobs.Remove(ctx, name)
}

// Hold sets the legal hold of a scope, Release lifts it. Both may be repeated.
func (v *Vault) Hold(ctx context.Context, scope chunk.ID) error {
	if err := checkScope(scope); err != nil {
		return err
	}
	return v.store.hold(ctx, scope, v.now())
}

// Release lifts the legal hold of a scope.
func (v *Vault) Release(ctx context.Context, scope chunk.ID) error {
	if err := checkScope(scope); err != nil {
		return err
	}
	return v.store.release(ctx, scope)
}

// Scope is what is known of a scope without opening it.
type Scope struct {
	ID      chunk.ID
	Created time.Time
	Erased  bool
	Held    bool
}

// Scope tells a scope's state.
func (v *Vault) Scope(ctx context.Context, scope chunk.ID) (Scope, error) {
	if err := checkScope(scope); err != nil {
		return Scope{}, err
	}
	r, err := v.store.load(ctx, scope)
	if err != nil {
		return Scope{}, err
	}
	return Scope{ID: scope, Created: time.UnixMicro(r.created).UTC(), Erased: r.erased, Held: r.held}, nil
}

// LinkSubject notes that a scope holds content about a subject (the keyed id of a
// guest, say), so that erasure by subject finds it.
func (v *Vault) LinkSubject(ctx context.Context, subject, scope chunk.ID) error {
	if err := errors.Join(checkScope(subject), checkScope(scope)); err != nil {
		return err
	}
	return v.store.link(ctx, subject, scope)
}

// ScopesOfSubject lists the scopes linked to a subject, erased ones too.
func (v *Vault) ScopesOfSubject(ctx context.Context, subject chunk.ID) ([]chunk.ID, error) {
	return v.store.ofSubject(ctx, subject)
}

// ScopesOlderThan lists at most limit scopes made before a time that are neither
// erased nor held, the oldest first: what retention is to erase.
func (v *Vault) ScopesOlderThan(ctx context.Context, before time.Time, limit int) ([]chunk.ID, error) {
	return v.store.olderThan(ctx, before, limit)
}

// Rewrap wraps every living key under the newest key-encryption key and tells how
// many there were. After that the older key-encryption keys can be destroyed; what
// remains of erased keys in database logs and backups is then unreadable for good.
func (v *Vault) Rewrap(ctx context.Context) (int, error) {
	return v.store.replaceAll(ctx, func(scope chunk.ID, wrapped []byte) ([]byte, error) {
		if wrappedVersion(wrapped) == v.ring.KEKVersion() {
			return nil, nil
		}
		plain, err := unwrap(v.ring, scope, wrapped)
		if err != nil {
			return nil, err
		}
		return wrap(v.ring, scope, plain)
	})
}

// scope gives the opened key of a scope, from the cache or the store.
func (v *Vault) scope(ctx context.Context, id chunk.ID, create bool) (*scopeKey, error) {
	if err := checkScope(id); err != nil {
		return nil, err
	}
	k, generation := v.cache.get(id, v.now())
	if k != nil {
		return k, nil
	}
	r, err := v.store.load(ctx, id)
	if errors.Is(err, ErrNotFound) && create {
		var wrapped []byte
		if wrapped, err = newScopeKey(v.ring, id); err != nil {
			return nil, err
		}
		r, err = v.store.create(ctx, id, wrapped, v.now())
	}
	if err != nil {
		return nil, err
	}
	if r.erased {
		return nil, ErrErased
	}
	if k, err = openScopeKey(v.ring, id, r.wrapped); err != nil {
		return nil, err
	}
	v.cache.put(id, k, generation, v.now())
	return k, nil
}

const (
	scheme      = "ev://"
	blobVersion = 1
)

// blobName reads a pointer strictly.
func blobName(pointer string) (string, error) {
	name, ok := strings.CutPrefix(pointer, scheme)
	if !ok {
		return "", errors.New("evidence: malformed pointer")
	}
	return name, checkName(name)
}

func checkName(name string) error {
	if len(name) != 32 || strings.Trim(name, "0123456789abcdef") != "" {
		return errors.New("evidence: malformed pointer")
	}
	return nil
}

// checkScope refuses what is not an id: it would stand in a key table for good.
func checkScope(id chunk.ID) error {
	if !chunk.ValidID(string(id), id.Prefix()) || id.Prefix() == "" || len(id.Prefix()) > 16 {
		return errors.New("evidence: malformed scope id")
	}
	return nil
}

// associated joins parts behind their lengths, so that no two lists of parts give
// the same bytes.
func associated(parts ...string) []byte {
	var out []byte
	for _, p := range parts {
		out = binary.BigEndian.AppendUint64(out, uint64(len(p)))
		out = append(out, p...)
	}
	return out
}
