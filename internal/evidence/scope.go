package evidence

import (
	"bytes"
	"container/list"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/aesgcm"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"

	"github.com/stoplog/stoplog/internal/keys"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// scopeKey is a scope's key, opened. It lies behind a pointer of its own: fmt does
// not ask an unexported field for its Format, and given a verb that does not fit it
// prints what a first pointer leads to.
type scopeKey struct{ *opened }

type opened struct {
	aead   tink.AEAD // AES-256-GCM, Tink keyset
	commit []byte    // HMAC key of commitments
	stub   []byte    // HMAC key of keyed-hash stubs
}

// Format says that this is a key and nothing else, whatever the verb.
func (scopeKey) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[scope key]") }

// secretSize is the length of the secret that stands before the keyset in the
// plaintext of a wrapped key: version byte, secret, keyset.
const (
	secretSize = 32
	keyVersion = 1
)

var aes256GCM = func() *aesgcm.Parameters {
	p, err := aesgcm.NewParameters(aesgcm.ParametersOpts{KeySizeInBytes: 32, IVSizeInBytes: 12, TagSizeInBytes: 16, Variant: aesgcm.VariantTink})
	if err != nil {
		panic(err) // constant arguments
	}
	return p
}()

// newScopeKey makes a key and wraps it.
func newScopeKey(ring *keys.Keyring, scope chunk.ID) ([]byte, error) {
	failed := errors.New("evidence: no key could be made")
	m := keyset.NewManager()
	id, err := m.AddNewKeyFromParameters(aes256GCM)
	if err != nil {
		return nil, failed
	}
	if err := m.SetPrimary(id); err != nil {
		return nil, failed
	}
	handle, err := m.Handle()
	if err != nil {
		return nil, failed
	}
	plain := make([]byte, 1+secretSize, 256)
	plain[0] = keyVersion
	_, _ = rand.Read(plain[1:]) // never fails: it ends the process instead
	buf := bytes.NewBuffer(plain)
	if err := insecurecleartextkeyset.Write(handle, keyset.NewBinaryWriter(buf)); err != nil {
		return nil, failed
	}
	return wrap(ring, scope, buf.Bytes())
}

// openScopeKey unwraps a stored key.
func openScopeKey(ring *keys.Keyring, scope chunk.ID, wrapped []byte) (*scopeKey, error) {
	plain, err := unwrap(ring, scope, wrapped)
	if err != nil {
		return nil, err
	}
	if len(plain) < 1+secretSize || plain[0] != keyVersion {
		return nil, ErrKey
	}
	secret := plain[1 : 1+secretSize]
	handle, err := insecurecleartextkeyset.Read(keyset.NewBinaryReader(bytes.NewReader(plain[1+secretSize:])))
	if err != nil {
		return nil, ErrKey
	}
	k := &scopeKey{&opened{}}
	if k.aead, err = aead.New(handle); err != nil {
		return nil, ErrKey
	}
	if k.commit, err = hkdf.Key(sha256.New, secret, nil, "stoplog/commit/1", 32); err != nil {
		return nil, ErrKey
	}
	if k.stub, err = hkdf.Key(sha256.New, secret, nil, "stoplog/stub/1", 32); err != nil {
		return nil, ErrKey
	}
	return k, nil
}

// wrap encrypts a key under the newest key-encryption key, with the scope's id as
// associated data: a row copied to another scope does not open. The version stands
// in four bytes before it, so that a row keeps its size when it is wrapped anew.
func wrap(ring *keys.Keyring, scope chunk.ID, plain []byte) ([]byte, error) {
	version, sealed, err := ring.Wrap(plain, associated("stoplog/scope-key/1", string(scope)))
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(version)), sealed...), nil
}

func unwrap(ring *keys.Keyring, scope chunk.ID, wrapped []byte) ([]byte, error) {
	if len(wrapped) < 4 {
		return nil, ErrKey
	}
	plain, err := ring.Unwrap(wrappedVersion(wrapped), wrapped[4:], associated("stoplog/scope-key/1", string(scope)))
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrKey, err)
	}
	return plain, nil
}

func wrappedVersion(wrapped []byte) int {
	if len(wrapped) < 4 {
		return 0
	}
	return int(binary.BigEndian.Uint32(wrapped))
}

// cache keeps opened scopes: the least recently used goes first, and each goes
// after the time to live, so that another process's erasure is noticed.
type cache struct {
	mu         sync.Mutex
	size       int
	ttl        time.Duration
	order      *list.List // of *cached, most recently used first
	byID       map[chunk.ID]*list.Element
	generation uint64 // rises with each drop
}

type cached struct {
	id    chunk.ID
	key   *scopeKey
	until time.Time
}

func newCache(size int, ttl time.Duration) *cache {
	return &cache{size: size, ttl: ttl, order: list.New(), byID: map[chunk.ID]*list.Element{}}
}

// get gives a live entry, or nil. The generation goes to put.
func (c *cache) get(id chunk.ID, now time.Time) (*scopeKey, uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byID[id]
	if !ok {
		return nil, c.generation
	}
	entry := e.Value.(*cached)
	if !now.Before(entry.until) {
		c.remove(e)
		return nil, c.generation
	}
	c.order.MoveToFront(e)
	return entry.key, c.generation
}

// put keeps an entry, unless something was dropped since get: its row may have
// been read before that erasure.
func (c *cache) put(id chunk.ID, k *scopeKey, generation uint64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.generation {
		return
	}
	if e, ok := c.byID[id]; ok {
		c.remove(e)
	}
	c.byID[id] = c.order.PushFront(&cached{id: id, key: k, until: now.Add(c.ttl)})
	for c.order.Len() > c.size {
		c.remove(c.order.Back())
	}
}

func (c *cache) drop(id chunk.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	if e, ok := c.byID[id]; ok {
		c.remove(e)
	}
}

func (c *cache) remove(e *list.Element) {
	c.order.Remove(e)
	delete(c.byID, e.Value.(*cached).id)
}
