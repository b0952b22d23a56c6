package chunk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash"
	"strings"
)

// ID is an opaque identifier: a prefix that names its kind and 26 characters of
// lower-case base32 (128 bits). Ids are made from what identifies a thing (tenant,
// source, the sender's event id, ordinals), never from content, an offset or a
// clock, so that a redelivery gives the same id and no id tells what it points to.
type ID string

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// writeParts hashes each part behind its length, so that ("ab","c") and
// ("a","bc") differ.
func writeParts(h hash.Hash, domain string, parts []string) {
	var n [8]byte
	for _, p := range append([]string{domain}, parts...) {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
}

// NewID makes an id of the given prefix from a domain-separated, length-prefixed
// SHA-256 over its parts.
func NewID(prefix string, parts ...string) ID {
	h := sha256.New()
	writeParts(h, "stoplog/"+prefix+"/1", parts)
	return ID(prefix + "_" + idEncoding.EncodeToString(h.Sum(nil)[:16]))
}

// KeyedID is [NewID] under a secret key, for parts that can be guessed (a booking
// number, a guest's id, a short body).
func KeyedID(key []byte, prefix string, parts ...string) ID {
	h := hmac.New(sha256.New, key)
	writeParts(h, "stoplog/"+prefix+"/1", parts)
	return ID(prefix + "_" + idEncoding.EncodeToString(h.Sum(nil)[:16]))
}

// Prefix gives the kind of the id: the part before the underscore.
func (id ID) Prefix() string {
	p, _, _ := strings.Cut(string(id), "_")
	return p
}

// ValidID reports whether s has the form of an id with the given prefix. What
// does not is refused before it reaches a store, a key or a log line.
func ValidID(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix+"_")
	if !ok || len(rest) != 26 {
		return false
	}
	for i := 0; i < len(rest); i++ {
		if c := rest[i]; (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}

// ChunkerVersion is part of every chunk id: a chunker that cuts elsewhere gets a
// new version, so that its chunks are not taken for the old ones.
const ChunkerVersion = "1"

// EventID identifies one accepted event (one document).
func EventID(tenant, source, senderID string) ID { return NewID("evt", tenant, source, senderID) }

// EventRun is the run that an event opens when its source says per-event.
func EventRun(event ID) ID { return NewID("run", "per-event", string(event)) }

// ChunkID identifies one chunk of an event.
func ChunkID(event ID, ordinal int) ID {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(ordinal))
	return NewID("chk", string(event), ChunkerVersion, string(n[:]))
}

// GateID is the gate over one thing: a chunk's scan, a tool call, an output.
func GateID(about ID) ID { return NewID("gate", string(about)) }

// What a sealed value is bound to, as associated data: moved to another place, or
// passed off as another thing, it does not open.

// DocumentAD binds a sealed document to the topic it lies on and the event it is.
func DocumentAD(topic string, event ID) []byte {
	return []byte("document|" + topic + "|" + string(event))
}

// HeldAD binds a held chunk.
func HeldAD(c ID) []byte { return []byte("held|" + string(c)) }

// ContextAD binds a chunk's redacted text as a context may get it.
func ContextAD(c ID) []byte { return []byte("context|" + string(c)) }

// StubAD binds a stub's value to its run and name.
func StubAD(run ID, name string) []byte { return []byte("stub|" + string(run) + "|" + name) }
