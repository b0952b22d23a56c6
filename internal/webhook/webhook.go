// Package webhook verifies and makes webhook signatures: Standard Webhooks, and the
// styles of GitHub, Stripe and Slack. It is pure: headers, body, secrets and the
// time go in, and who sent what and when comes out.
//
// Signatures are checked over the bytes as received, before anything parses them,
// and compared in constant time. A good signature outside the replay window is an
// error of its own ([ErrStale], [ErrFuture]): the sender is authenticated, the
// delivery is not fresh.
package webhook

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Scheme is a way of signing.
type Scheme string

// The schemes.
const (
	Standard Scheme = "standard-webhooks" // webhook-id, webhook-timestamp, webhook-signature
	GitHub   Scheme = "github"            // X-Hub-Signature-256, X-GitHub-Delivery
	Stripe   Scheme = "stripe"            // Stripe-Signature
	Slack    Scheme = "slack"             // X-Slack-Signature, X-Slack-Request-Timestamp
)

// Schemes lists them all.
var Schemes = []Scheme{Standard, GitHub, Stripe, Slack}

// Tolerance is how far a signed timestamp may lie from now, either way.
const Tolerance = 5 * time.Minute

// Bounds of what is looked at, so that a header cannot buy unbounded work.
const (
	maxID         = 256
	maxSignatures = 16
)

// The reasons for a refusal. None of them carries anything the sender sent.
var (
	ErrScheme    = errors.New("webhook: unknown signature scheme (want standard-webhooks, github, stripe or slack)")
	ErrSecret    = errors.New("webhook: no usable secret")
	ErrMissing   = errors.New("webhook: a signature header is missing")
	ErrMalformed = errors.New("webhook: a signature header is malformed")
	ErrSignature = errors.New("webhook: the signature does not match")
	ErrStale     = errors.New("webhook: the signed timestamp is too old")
	ErrFuture    = errors.New("webhook: the signed timestamp lies in the future")
)

// Secret is what a sender shares with us, or its public key. It cannot print itself.
type Secret struct {
	hmac    []byte
	public  ed25519.PublicKey
	private ed25519.PrivateKey
}

// String hides the secret.
func (Secret) String() string { return "[secret]" }

// GoString hides the secret.
func (Secret) GoString() string { return "[secret]" }

// Format hides the secret, whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[secret]")) }

// LogValue hides the secret.
func (Secret) LogValue() slog.Value { return slog.StringValue("[secret]") }

// MarshalText hides the secret.
func (Secret) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }

// ParseSecret reads a secret as the scheme writes it. Standard Webhooks: whsec_ and
// base64 of 24 to 64 bytes, whpk_ and base64 of an Ed25519 public key, or whsk_ and
// base64 of a private one (a seed, or seed and public key) for the side that signs.
// The others: the text itself, at least 16 bytes.
//
// The error never quotes the secret.
func ParseSecret(scheme Scheme, s string) (Secret, error) {
	switch scheme {
	case Standard:
	case GitHub, Stripe, Slack:
		if len(s) < 16 {
			return Secret{}, fmt.Errorf("%w: a %s secret has at least 16 bytes", ErrSecret, scheme)
		}
		return Secret{hmac: []byte(s)}, nil
	default:
		return Secret{}, ErrScheme
	}
	kind, text, ok := strings.Cut(s, "_")
	if !ok {
		return Secret{}, fmt.Errorf("%w: a standard-webhooks secret begins with whsec_, whpk_ or whsk_", ErrSecret)
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		if b, err = base64.RawStdEncoding.DecodeString(text); err != nil {
			return Secret{}, fmt.Errorf("%w: a standard-webhooks secret is base64 after its prefix", ErrSecret)
		}
	}
	switch {
	case kind == "whsec" && len(b) >= 24 && len(b) <= 64:
		return Secret{hmac: b}, nil
	case kind == "whsec":
		return Secret{}, fmt.Errorf("%w: a whsec_ secret has 24 to 64 bytes", ErrSecret)
	case kind == "whpk" && len(b) == ed25519.PublicKeySize:
		return Secret{public: b}, nil
	case kind == "whsk" && len(b) == ed25519.SeedSize:
		k := ed25519.NewKeyFromSeed(b)
		return Secret{private: k, public: k.Public().(ed25519.PublicKey)}, nil
	case kind == "whsk" && len(b) == ed25519.PrivateKeySize:
		k := ed25519.NewKeyFromSeed(b[:ed25519.SeedSize]) // the public half is derived, so that a wrong one cannot leak the key
		return Secret{private: k, public: k.Public().(ed25519.PublicKey)}, nil
	}
	return Secret{}, fmt.Errorf("%w: want whsec_, whpk_ or whsk_ and a key of its length", ErrSecret)
}

// NewSecret makes a fresh secret and gives it as text, as [ParseSecret] reads it.
func NewSecret(scheme Scheme) string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails; it ends the process instead
	if scheme == Standard {
		return "whsec_" + base64.StdEncoding.EncodeToString(b[:])
	}
	return hex.EncodeToString(b[:])
}

// Delivery is what a verified signature tells. ID is empty where the scheme has
// none in its headers.
type Delivery struct {
	ID       string    // the sender's event id
	IDSigned bool      // the signature covers the id; GitHub's does not
	Time     time.Time // when it was signed; zero where the scheme has no timestamp
}

// Verify checks a webhook's signature and its age. With [ErrStale] and [ErrFuture]
// the signature is good and the Delivery is filled in; with any other error nothing
// is known about the sender.
//
// Any of the secrets may match, which is how a secret is rotated.
func Verify(scheme Scheme, h http.Header, body []byte, secrets []Secret, now time.Time) (Delivery, error) {
	var d Delivery
	var good bool
	var err error
	switch scheme {
	case Standard:
		d, good, err = verifyStandard(h, body, secrets)
	case GitHub:
		d, good, err = verifyGitHub(h, body, secrets)
	case Stripe:
		d, good, err = verifyStripe(h, body, secrets)
	case Slack:
		d, good, err = verifySlack(h, body, secrets)
	default:
		return Delivery{}, ErrScheme
	}
	switch {
	case err != nil:
		return Delivery{}, err
	case !good:
		return Delivery{}, ErrSignature
	case d.Time.IsZero():
		return d, nil
	case now.Sub(d.Time) > Tolerance:
		return d, ErrStale
	case d.Time.Sub(now) > Tolerance:
		return d, ErrFuture
	}
	return d, nil
}

// Signed reports whether a request carries a signature header of any scheme, be it
// good or bad. The door tells a missing signature from a wrong one by this alone,
// so that the answer does not tell which sources exist.
func Signed(h http.Header) bool {
	for _, name := range []string{"Webhook-Signature", "X-Hub-Signature-256", "Stripe-Signature", "X-Slack-Signature"} {
		if len(h.Values(name)) > 0 {
			return true
		}
	}
	return false
}

// one gives a header that must be there exactly once: with two of them, we and a
// proxy before us could each believe another one.
func one(h http.Header, name string) (string, error) {
	switch v := h.Values(name); {
	case len(v) == 0 || len(v) == 1 && v[0] == "":
		return "", ErrMissing
	case len(v) > 1:
		return "", ErrMalformed
	default:
		return v[0], nil
	}
}

// unix reads a timestamp in seconds. Only digits: what other readers might take for
// the same number in another writing is not the text that was signed.
func unix(s string) (time.Time, error) {
	if len(s) == 0 || len(s) > 12 {
		return time.Time{}, ErrMalformed
	}
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return time.Time{}, ErrMalformed
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n == 0 {
		return time.Time{}, ErrMalformed
	}
	return time.Unix(n, 0).UTC(), nil
}

func mac(key []byte, parts ...[]byte) []byte {
	m := hmac.New(sha256.New, key)
	for _, p := range parts {
		m.Write(p)
	}
	return m.Sum(nil)
}

// anyMAC compares every signature with every secret and does not stop at the first
// match, so that its time tells nothing about which one it was.
func anyMAC(secrets []Secret, signatures [][]byte, parts ...[]byte) bool {
	good := false
	for _, s := range secrets {
		if len(s.hmac) == 0 {
			continue
		}
		want := mac(s.hmac, parts...)
		for _, sig := range signatures {
			if hmac.Equal(want, sig) {
				good = true
			}
		}
	}
	return good
}

func verifyStandard(h http.Header, body []byte, secrets []Secret) (Delivery, bool, error) {
	id, err := one(h, "Webhook-Id")
	if err != nil {
		return Delivery{}, false, err
	}
	ts, err := one(h, "Webhook-Timestamp")
	if err != nil {
		return Delivery{}, false, err
	}
	sigs, err := one(h, "Webhook-Signature")
	if err != nil {
		return Delivery{}, false, err
	}
	// The signed text is id.timestamp.body. A full stop in the id would let one
	// signature stand for two readings of it: part of the id, or the timestamp.
	if len(id) > maxID || strings.ContainsRune(id, '.') {
		return Delivery{}, false, ErrMalformed
	}
	at, err := unix(ts)
	if err != nil {
		return Delivery{}, false, err
	}
	var macs, eds [][]byte
	for i, s := range strings.Fields(sigs) {
		if i == maxSignatures {
			return Delivery{}, false, ErrMalformed
		}
		version, text, ok := strings.Cut(s, ",")
		if !ok {
			continue // a version we do not know may look otherwise
		}
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			continue
		}
		switch version {
		case "v1":
			macs = append(macs, b)
		case "v1a":
			eds = append(eds, b)
		}
	}
	prefix := []byte(id + "." + ts + ".")
	good := anyMAC(secrets, macs, prefix, body)
	if len(eds) > 0 {
		text := append(prefix, body...)
		for _, s := range secrets {
			for _, sig := range eds {
				if len(s.public) == ed25519.PublicKeySize && ed25519.Verify(s.public, text, sig) {
					good = true
				}
			}
		}
	}
	return Delivery{ID: id, IDSigned: true, Time: at}, good, nil
}

func verifyGitHub(h http.Header, body []byte, secrets []Secret) (Delivery, bool, error) {
	text, err := one(h, "X-Hub-Signature-256")
	if err != nil {
		return Delivery{}, false, err
	}
	id, err := one(h, "X-GitHub-Delivery")
	if err != nil {
		return Delivery{}, false, err
	}
	digits, ok := strings.CutPrefix(text, "sha256=")
	sig, err := hex.DecodeString(digits)
	if !ok || err != nil || len(id) > maxID {
		return Delivery{}, false, ErrMalformed
	}
	return Delivery{ID: id}, anyMAC(secrets, [][]byte{sig}, body), nil
}

func verifyStripe(h http.Header, body []byte, secrets []Secret) (Delivery, bool, error) {
	text, err := one(h, "Stripe-Signature")
	if err != nil {
		return Delivery{}, false, err
	}
	ts := ""
	var sigs [][]byte
	for _, part := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			if ts != "" {
				return Delivery{}, false, ErrMalformed
			}
			ts = value
		case "v1": // v0 is a test scheme and never enough
			if b, err := hex.DecodeString(value); err == nil {
				sigs = append(sigs, b)
			}
			if len(sigs) > maxSignatures {
				return Delivery{}, false, ErrMalformed
			}
		}
	}
	at, err := unix(ts)
	if err != nil {
		return Delivery{}, false, err
	}
	return Delivery{Time: at}, anyMAC(secrets, sigs, []byte(ts+"."), body), nil
}

func verifySlack(h http.Header, body []byte, secrets []Secret) (Delivery, bool, error) {
	text, err := one(h, "X-Slack-Signature")
	if err != nil {
		return Delivery{}, false, err
	}
	ts, err := one(h, "X-Slack-Request-Timestamp")
	if err != nil {
		return Delivery{}, false, err
	}
	at, err := unix(ts)
	if err != nil {
		return Delivery{}, false, err
	}
	digits, ok := strings.CutPrefix(text, "v0=")
	sig, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return Delivery{}, false, ErrMalformed
	}
	return Delivery{Time: at}, anyMAC(secrets, [][]byte{sig}, []byte("v0:"+ts+":"), body), nil
}

// Sign gives the headers of a delivery as a sender of the scheme would make them,
// signed with each of the secrets where the scheme allows several. For the demo, the
// load generator, tests, and our own outgoing notifications.
//
// A Standard Webhooks id must not hold a full stop. Schemes without an id in their
// headers leave it out.
func Sign(scheme Scheme, id string, at time.Time, body []byte, secrets ...Secret) (http.Header, error) {
	if len(secrets) == 0 {
		return nil, ErrSecret
	}
	h := http.Header{}
	ts := strconv.FormatInt(at.Unix(), 10)
	switch scheme {
	case Standard:
		if id == "" || len(id) > maxID || strings.ContainsRune(id, '.') {
			return nil, ErrMalformed
		}
		prefix := []byte(id + "." + ts + ".")
		var sigs []string
		for _, s := range secrets {
			switch {
			case s.private != nil:
				sigs = append(sigs, "v1a,"+base64.StdEncoding.EncodeToString(ed25519.Sign(s.private, append(prefix[:len(prefix):len(prefix)], body...))))
			case s.hmac != nil:
				sigs = append(sigs, "v1,"+base64.StdEncoding.EncodeToString(mac(s.hmac, prefix, body)))
			default:
				return nil, ErrSecret
			}
		}
		h.Set("Webhook-Id", id)
		h.Set("Webhook-Timestamp", ts)
		h.Set("Webhook-Signature", strings.Join(sigs, " "))
	case GitHub:
		h.Set("X-GitHub-Delivery", id)
		h.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac(secrets[0].hmac, body)))
	case Stripe:
		text := "t=" + ts
		for _, s := range secrets {
			text += ",v1=" + hex.EncodeToString(mac(s.hmac, []byte(ts+"."), body))
		}
		h.Set("Stripe-Signature", text)
	case Slack:
		h.Set("X-Slack-Request-Timestamp", ts)
		h.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac(secrets[0].hmac, []byte("v0:"+ts+":"), body)))
	default:
		return nil, ErrScheme
	}
	return h, nil
}
