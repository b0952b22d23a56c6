package chunk

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// Attribution says where a document came from (SPEC CLS-8). Ingestion sets it
// once; every later stage carries it unchanged and checks its [Seal] first.
type Attribution struct {
	Tenant      string    `json:"tenant"`
	Source      string    `json:"source"`            // id in the source registry
	SourceURI   string    `json:"source_uri"`        // stoplog://tenant/source, or where a fetch got it
	Origin      Origin    `json:"origin"`            //
	Trust       Trust     `json:"trust_level"`       //
	Retrieved   time.Time `json:"retrieved_at"`      // UTC, when the door took it
	Session     string    `json:"session,omitempty"` // the agent session that fetched it, if one did
	Run         ID        `json:"run"`               // empty for a collection's documents until they are retrieved
	Event       ID        `json:"event"`             //
	Scope       ID        `json:"scope"`             // what the encryption key belongs to: the run, or the document
	Collection  bool      `json:"collection"`        // retrieved content (SPEC QUA-2), not direct
	PolicyHash  string    `json:"policy_hash"`       // configuration in force at the door
	Traceparent string    `json:"traceparent,omitempty"`
}

// Seal is the integrity tag over an attribution: HMAC-SHA256 under the
// deployment's integrity key. Version names the key, for rotation.
type Seal struct {
	Version int    `json:"v"`
	Tag     []byte `json:"tag"`
}

// ErrIntegrity means that attribution is missing, was altered or was sealed
// under a key this deployment does not know. The message must not be processed;
// it is dead-lettered with an integrity-alarm record.
var ErrIntegrity = errors.New("chunk: attribution does not match its integrity tag")

func (a Attribution) tag(key []byte) []byte {
	h := hmac.New(sha256.New, key)
	collection := "direct"
	if a.Collection {
		collection = "collection"
	}
	writeParts(h, "stoplog/attribution/1", []string{
		a.Tenant, a.Source, a.SourceURI, a.Origin.String(), a.Trust.String(),
		a.Retrieved.UTC().Format(time.RFC3339Nano), a.Session, string(a.Run), string(a.Event), string(a.Scope), collection,
		a.PolicyHash, a.Traceparent,
	})
	return h.Sum(nil)
}

// IntegrityKeys holds the versions of the integrity key; the highest one seals.
type IntegrityKeys map[int][]byte

// Seal makes the integrity tag with the newest key.
func (k IntegrityKeys) Seal(a Attribution) (Seal, error) {
	newest := 0
	for v := range k {
		if v > newest {
			newest = v
		}
	}
	if len(k[newest]) < 32 {
		return Seal{}, errors.New("chunk: integrity key missing or shorter than 32 bytes")
	}
	return Seal{Version: newest, Tag: a.tag(k[newest])}, nil
}

// Verify checks the tag in constant time. It returns [ErrIntegrity] for anything
// but a match.
func (k IntegrityKeys) Verify(a Attribution, s Seal) error {
	key, ok := k[s.Version]
	if !ok || len(key) < 32 || !hmac.Equal(a.tag(key), s.Tag) {
		return ErrIntegrity
	}
	return nil
}

// Format shows that these are keys and nothing else, whatever the verb.
func (k IntegrityKeys) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[integrity keys]") }

// LogValue shows that these are keys and nothing else.
func (k IntegrityKeys) LogValue() slog.Value { return slog.StringValue("[integrity keys]") }

// MarshalJSON shows that these are keys and nothing else.
func (k IntegrityKeys) MarshalJSON() ([]byte, error) { return []byte(`"[integrity keys]"`), nil }
