package webhook

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

var now = time.Unix(1_760_000_000, 0).UTC()

const seed = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" // 0123456789abcdef twice

func secret(t testing.TB, scheme Scheme, s string) Secret {
	t.Helper()
	v, err := ParseSecret(scheme, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func headers(kv ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(kv); i += 2 {
		h.Add(kv[i], kv[i+1])
	}
	return h
}

// The vectors of the schemes' own documents; where there is none (Stripe, Ed25519),
// openssl made it.
func TestPublishedVectors(t *testing.T) {
	for _, c := range []struct {
		name   string
		scheme Scheme
		secret string
		h      http.Header
		body   string
		at     int64
		id     string
	}{
		{
			"standard", Standard, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
			headers("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp", "1614265330", "webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
			`{"test": 2432232314}`, 1614265330, "msg_p5jXN8AQM9LWM0D4loKWxJek",
		},
		{
			"github", GitHub, "It's a Secret to Everybody",
			headers("X-Hub-Signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17", "X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
			"Hello, World!", 0, "72d3162e-cc78-11e3-81ab-4c9367dc0958",
		},
		{
			"slack", Slack, "8f742231b10e8888abcd99yyyzzz85a5",
			headers("X-Slack-Signature", "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503", "X-Slack-Request-Timestamp", "1531420618"),
			"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
			1531420618, "",
		},
		{
			"stripe", Stripe, "0123456789abcdef0123456789abcdef",
			headers("Stripe-Signature", "t=1760000000,v1=a86917f636e4e1cbf0497b1787f750cd872805210a7b55804227fd18ffce614b"),
			`{"id":"evt_1"}`, 1760000000, "",
		},
		{
			"standard ed25519", Standard, "whpk_I7xUkSwebpLEqGglyGfif/3FVb/71CRPF6Jqv//ull0=",
			headers("webhook-id", "msg_1", "webhook-timestamp", "1760000000", "webhook-signature",
				"v1a,7PNdgylejyluXn6xOr0n40DwlhLN52BKxinTMuRWs2QQD101m8+xG1jnVgLgaYtXyXizah3zXBItqq5CEsG9Bg=="),
			`{}`, 1760000000, "msg_1",
		},
	} {
		at := now
		if c.at != 0 {
			at = time.Unix(c.at, 0)
		}
		d, err := Verify(c.scheme, c.h, []byte(c.body), []Secret{secret(t, c.scheme, c.secret)}, at)
		if err != nil || d.ID != c.id {
			t.Errorf("%s: %+v, %v", c.name, d, err)
		}
	}
}

// SPEC: CLS-7 (who sent it is known before anything is read)
func TestEverySchemeAndFailure(t *testing.T) {
	body := []byte(`{"a":1}`)
	for _, scheme := range Schemes {
		t.Run(string(scheme), func(t *testing.T) {
			first, second, other := secret(t, scheme, NewSecret(scheme)), secret(t, scheme, NewSecret(scheme)), secret(t, scheme, NewSecret(scheme))
			sign := func(at time.Time, s ...Secret) http.Header {
				h, err := Sign(scheme, "id-1", at, body, s...)
				if err != nil {
					t.Fatal(err)
				}
				return h
			}
			check := func(name string, h http.Header, body []byte, secrets []Secret, at time.Time, want error) Delivery {
				t.Helper()
				d, err := Verify(scheme, h, body, secrets, at)
				if !errors.Is(err, want) || (want == nil) != (err == nil) {
					t.Errorf("%s: got %v, want %v", name, err, want)
				}
				return d
			}
			ours := []Secret{first, second}
			d := check("good", sign(now, first), body, ours, now, nil)
			if scheme == Standard && (d.ID != "id-1" || !d.IDSigned) || scheme == GitHub && (d.ID != "id-1" || d.IDSigned) {
				t.Errorf("delivery %+v", d)
			}
			check("rotated", sign(now, second), body, ours, now, nil)
			check("wrong secret", sign(now, other), body, ours, now, ErrSignature)
			check("no secret", sign(now, first), body, nil, now, ErrSignature)
			check("zero secret", sign(now, first), body, []Secret{{}}, now, ErrSignature)
			check("tampered body", sign(now, first), []byte(`{"a":2}`), ours, now, ErrSignature)
			check("empty body", sign(now, first), nil, ours, now, ErrSignature)
			check("no headers", http.Header{}, body, ours, now, ErrMissing)
			if !Signed(sign(now, first)) || Signed(http.Header{}) {
				t.Error("Signed")
			}
			for name := range sign(now, first) {
				h := sign(now, first)
				h.Del(name)
				check("without "+name, h, body, ours, now, ErrMissing)
				h = sign(now, first)
				h.Add(name, h.Get(name))
				check("twice "+name, h, body, ours, now, ErrMalformed)
				h = sign(now, first)
				h.Set(name, "")
				check("empty "+name, h, body, ours, now, ErrMissing)
			}
			if scheme == GitHub {
				return // no timestamp
			}
			edge := Tolerance
			check("oldest", sign(now.Add(-edge), first), body, ours, now, nil)
			check("newest", sign(now.Add(edge), first), body, ours, now, nil)
			if d := check("stale", sign(now.Add(-edge-time.Second), first), body, ours, now, ErrStale); d.Time.IsZero() {
				t.Error("a stale delivery is authenticated and says when it was signed")
			}
			check("future", sign(now.Add(edge+time.Second), first), body, ours, now, ErrFuture)
			if d := check("stale and forged", sign(now.Add(-time.Hour), other), body, ours, now, ErrSignature); d != (Delivery{}) {
				t.Error("a forged delivery says nothing")
			}
		})
	}
	if _, err := Verify("", http.Header{}, nil, nil, now); !errors.Is(err, ErrScheme) {
		t.Errorf("no scheme: %v", err)
	}
}

func TestStandardWebhooksDetails(t *testing.T) {
	body := []byte("1760000001.hi")
	mac := secret(t, Standard, "whsec_"+seed)
	private := secret(t, Standard, "whsk_"+seed)
	key := ed25519.NewKeyFromSeed([]byte("0123456789abcdef0123456789abcdef"))
	public := secret(t, Standard, "whpk_"+base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey)))
	both, err := Sign(Standard, "msg_1", now, body, mac, private)
	if err != nil {
		t.Fatal(err)
	}
	set := func(kv ...string) http.Header {
		h := both.Clone()
		for i := 0; i < len(kv); i += 2 {
			h.Set(kv[i], kv[i+1])
		}
		return h
	}
	sigs := strings.Fields(both.Get("Webhook-Signature"))
	for _, c := range []struct {
		name    string
		h       http.Header
		secrets []Secret
		want    error
	}{
		{"hmac of both", both, []Secret{mac}, nil},
		{"ed25519 of both", both, []Secret{public}, nil},
		{"ed25519 alone", set("Webhook-Signature", sigs[1]), []Secret{public}, nil},
		{"hmac alone against a public key", set("Webhook-Signature", sigs[0]), []Secret{public}, ErrSignature},
		{"a public key is no hmac secret", set("Webhook-Signature", "v1,"+strings.TrimPrefix(sigs[1], "v1a,")), []Secret{public}, ErrSignature},
		{"unknown versions are passed over", set("Webhook-Signature", "v9,AAAA vx "+sigs[0]), []Secret{mac}, nil},
		{"bad base64 is passed over", set("Webhook-Signature", "v1,!!! "+sigs[0]), []Secret{mac}, nil},
		{"empty signature", set("Webhook-Signature", "v1,"), []Secret{mac}, ErrSignature},
		{"too many", set("Webhook-Signature", strings.Repeat("v1,AAAA ", 17)+sigs[0]), []Secret{mac}, ErrMalformed},
		// The signed text of (msg_1, 1760000000, "1760000001.hi") is also that of
		// (msg_1.1760000000, 1760000001, "hi"): a full stop in the id is refused.
		{"shifted reading", set("Webhook-Id", "msg_1."+strconv.FormatInt(now.Unix(), 10), "Webhook-Timestamp", "1760000001"), []Secret{mac}, ErrMalformed},
		{"padded timestamp", set("Webhook-Timestamp", " 1760000000"), []Secret{mac}, ErrMalformed},
		{"signed timestamp text", set("Webhook-Timestamp", "+1760000000"), []Secret{mac}, ErrMalformed},
		{"fractional timestamp", set("Webhook-Timestamp", "1760000000.0"), []Secret{mac}, ErrMalformed},
		{"other timestamp", set("Webhook-Timestamp", "1760000001"), []Secret{mac}, ErrSignature},
		{"zero timestamp", set("Webhook-Timestamp", "0"), []Secret{mac}, ErrMalformed},
		{"huge timestamp", set("Webhook-Timestamp", "17600000001760000000"), []Secret{mac}, ErrMalformed},
		{"long id", set("Webhook-Id", strings.Repeat("x", 257)), []Secret{mac}, ErrMalformed},
	} {
		if _, err := Verify(Standard, c.h, body, c.secrets, now); !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := Verify(Standard, set("Webhook-Id", "msg_1."+strconv.FormatInt(now.Unix(), 10), "Webhook-Timestamp", "1760000001"), []byte("hi"), []Secret{mac}, now); err == nil {
		t.Error("the shifted reading was accepted")
	}
}

func TestStripeDetails(t *testing.T) {
	body := []byte("{}")
	s := secret(t, Stripe, "whsec_0123456789abcdef")
	h, err := Sign(Stripe, "", now, body, s)
	if err != nil {
		t.Fatal(err)
	}
	good := h.Get("Stripe-Signature")
	v1 := good[strings.Index(good, "v1="):]
	for text, want := range map[string]error{
		good:                                  nil,
		"t=1760000000,v1=00," + v1 + ",v0=ff": nil,
		"t=1760000000,v0=" + v1[3:]:           ErrSignature,
		"t=1760000000,t=1760000000," + v1:     ErrMalformed,
		v1:                                    ErrMalformed,
		"t=1760000000":                        ErrSignature,
		"t=1760000000," + strings.Repeat(v1+",", 17): ErrMalformed,
	} {
		if _, err := Verify(Stripe, headers("Stripe-Signature", text), body, []Secret{s}, now); !errors.Is(err, want) || (want == nil) != (err == nil) {
			t.Errorf("%.40s: got %v, want %v", text, err, want)
		}
	}
}

// The reference library accepts what we sign, and we accept what it signs.
func TestAgainstTheReferenceLibrary(t *testing.T) {
	ran := 0
	for i := 0; i < 50; i++ {
		text := NewSecret(Standard)
		ref, err := standardwebhooks.NewWebhook(text)
		if err != nil {
			t.Fatal(err)
		}
		s := secret(t, Standard, text)
		body := []byte(strings.Repeat("é\x00{}", i))
		id, at := fmt.Sprintf("msg_%d", i), time.Now()
		h, err := Sign(Standard, id, at, body, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := ref.Verify(body, h); err != nil {
			t.Errorf("the library refuses ours: %v", err)
		}
		theirs, err := ref.Sign(id, at, body)
		if err != nil {
			t.Fatal(err)
		}
		h.Set("Webhook-Signature", theirs)
		if _, err := Verify(Standard, h, body, []Secret{s}, at); err != nil {
			t.Errorf("we refuse the library's: %v", err)
		}
		h.Set("Webhook-Id", id+"x")
		_, err = Verify(Standard, h, body, []Secret{s}, at)
		if ref.Verify(body, h) == nil || err == nil {
			t.Error("another id was accepted")
		}
		ran++
	}
	if ran != 50 {
		t.Fatalf("%d cases ran", ran)
	}
}

func TestSecretsAreReadStrictlyAndNeverPrint(t *testing.T) {
	for _, c := range []struct {
		scheme Scheme
		text   string
		ok     bool
	}{
		{Standard, "whsec_" + seed, true},
		{Standard, "whsk_" + seed, true},
		{Standard, "whpk_" + seed, true},
		{Standard, strings.TrimRight("whsec_"+seed, "="), true},
		{Standard, seed, false},
		{Standard, "whsec_", false},
		{Standard, "whsec_c2hvcnQ=", false},
		{Standard, "whsec_!!!", false},
		{Standard, "whpk_c2hvcnQ=", false},
		{Standard, "other_" + seed, false},
		{GitHub, "0123456789abcdef", true},
		{GitHub, "short", false},
		{Stripe, "", false},
		{"none", seed, false},
	} {
		s, err := ParseSecret(c.scheme, c.text)
		if (err == nil) != c.ok {
			t.Errorf("%s %q: %v", c.scheme, c.text, err)
		}
		if err != nil && len(c.text) > 8 && strings.Contains(err.Error(), c.text[6:]) {
			t.Errorf("error quotes the secret: %v", err)
		}
		j, _ := json.Marshal(s)
		for _, printed := range []string{fmt.Sprint(s), fmt.Sprintf("%+v %#v %s %q %x", s, s, s, s, s), string(j), slog.AnyValue(s).Resolve().String(), fmt.Sprintf("%v", []Secret{s})} {
			if strings.Contains(printed, "0123456789") || strings.Contains(printed, "48 49 50") || strings.Contains(printed, "30313233") {
				t.Errorf("secret printed: %s", printed)
			}
		}
	}
	for _, scheme := range Schemes {
		a, b := NewSecret(scheme), NewSecret(scheme)
		if a == b {
			t.Error("two fresh secrets are the same")
		}
		secret(t, scheme, a)
	}
	if _, err := Sign(Standard, "a.b", now, nil, secret(t, Standard, "whsec_"+seed)); err == nil {
		t.Error("signed an id with a full stop")
	}
	if _, err := Sign(Standard, "a", now, nil); err == nil {
		t.Error("signed without a secret")
	}
}

// FuzzVerify: no header panics, and nothing that was not signed verifies.
func FuzzVerify(f *testing.F) {
	f.Add("msg_1", "1760000000", "v1,AAAA v1a,AAAA", []byte("x"))
	f.Add("a", "t", "t=1,v1=00", []byte(""))
	f.Add("a", "1", "sha256=00", []byte("{}"))
	secrets := map[Scheme][]Secret{}
	for _, s := range Schemes {
		secrets[s] = []Secret{secret(f, s, NewSecret(s))}
	}
	f.Fuzz(func(t *testing.T, id, ts, sig string, body []byte) {
		h := headers("Webhook-Id", id, "Webhook-Timestamp", ts, "Webhook-Signature", sig, "X-Hub-Signature-256", sig, "X-GitHub-Delivery", id,
			"Stripe-Signature", sig, "X-Slack-Signature", sig, "X-Slack-Request-Timestamp", ts)
		for _, s := range Schemes {
			if _, err := Verify(s, h, body, secrets[s], now); err == nil || errors.Is(err, ErrStale) || errors.Is(err, ErrFuture) {
				t.Fatalf("%s: accepted an unsigned body", s)
			}
		}
	})
}
