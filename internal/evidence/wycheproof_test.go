package evidence

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/aesgcm"
	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/tink"
)

type vectors[T any] struct {
	NumberOfTests int `json:"numberOfTests"`
	TestGroups    []struct {
		IVSize  int `json:"ivSize"`
		KeySize int `json:"keySize"`
		TagSize int `json:"tagSize"`
		Tests   []T `json:"tests"`
	} `json:"testGroups"`
}

// wycheproof reads one file of the suite, or says what is not run.
func wycheproof[T any](t *testing.T, name string) (vectors[T], bool) {
	t.Helper()
	var v vectors[T]
	root := os.Getenv("STOPLOG_TESTDATA")
	if root == "" {
		t.Logf("not run: Wycheproof %s (STOPLOG_TESTDATA is not set)", name)
		return v, false
	}
	b, err := os.ReadFile(filepath.Join(root, "suites", "wycheproof", "testvectors_v1", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v, true
}

type hexBytes []byte

func (h *hexBytes) UnmarshalText(b []byte) (err error) {
	*h, err = hex.DecodeString(string(b))
	return err
}

// scopeAEAD makes the primitive of a scope's key, as a keyset, from raw bytes.
func scopeAEAD(t *testing.T, raw []byte) tink.AEAD {
	t.Helper()
	p, err := aesgcm.NewParameters(aesgcm.ParametersOpts{KeySizeInBytes: len(raw), IVSizeInBytes: 12, TagSizeInBytes: 16, Variant: aesgcm.VariantNoPrefix})
	if err != nil {
		t.Fatal(err)
	}
	key, err := aesgcm.NewKey(secretdata.NewBytesFromData(raw, insecuresecretdataaccess.Token{}), 0, p)
	if err != nil {
		t.Fatal(err)
	}
	m := keyset.NewManager()
	id, err := m.AddKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetPrimary(id); err != nil {
		t.Fatal(err)
	}
	handle, err := m.Handle()
	if err != nil {
		t.Fatal(err)
	}
	a, err := aead.New(handle)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestWycheproofAESGCM(t *testing.T) {
	v, ok := wycheproof[struct {
		TcID                       int
		Key, IV, AAD, Msg, CT, Tag hexBytes
		Result                     string
	}](t, "aes_gcm_test.json")
	if !ok {
		return
	}
	ran, other := 0, 0
	for _, g := range v.TestGroups {
		for _, c := range g.Tests {
			if g.IVSize != 96 || g.TagSize != 128 || g.KeySize == 192 {
				other++ // sizes that neither primitive takes
				continue
			}
			kek, err := subtle.NewAESGCM(c.Key)
			if err != nil {
				t.Fatal(err)
			}
			for name, a := range map[string]tink.AEAD{"kek": kek, "scope": scopeAEAD(t, c.Key)} {
				got, err := a.Decrypt(bytes.Join([][]byte{c.IV, c.CT, c.Tag}, nil), c.AAD)
				if valid := c.Result == "valid"; (err == nil) != valid || valid && !bytes.Equal(got, c.Msg) {
					t.Errorf("%s, case %d (%s): %v", name, c.TcID, c.Result, err)
				}
			}
			ran++
		}
	}
	t.Logf("AES-GCM: %d cases run, %d of other sizes", ran, other)
	if ran < 100 || ran+other != v.NumberOfTests {
		t.Errorf("%d cases run of %d", ran, v.NumberOfTests)
	}
}

func TestWycheproofHKDF(t *testing.T) {
	v, ok := wycheproof[struct {
		TcID                 int
		IKM, Salt, Info, OKM hexBytes
		Size                 int
		Result               string
	}](t, "hkdf_sha256_test.json")
	if !ok {
		return
	}
	ran := 0
	for _, g := range v.TestGroups {
		for _, c := range g.Tests {
			got, err := hkdf.Key(sha256.New, c.IKM, c.Salt, string(c.Info), c.Size)
			if valid := c.Result == "valid"; (err == nil) != valid || valid && !bytes.Equal(got, c.OKM) {
				t.Errorf("case %d (%s): %v", c.TcID, c.Result, err)
			}
			ran++
		}
	}
	if t.Logf("HKDF: %d cases run", ran); ran == 0 || ran != v.NumberOfTests {
		t.Errorf("%d cases run of %d", ran, v.NumberOfTests)
	}
}

func TestWycheproofHMAC(t *testing.T) {
	v, ok := wycheproof[struct {
		TcID          int
		Key, Msg, Tag hexBytes
		Result        string
	}](t, "hmac_sha256_test.json")
	if !ok {
		return
	}
	ran := 0
	for _, g := range v.TestGroups {
		for _, c := range g.Tests {
			h := hmac.New(sha256.New, c.Key)
			h.Write(c.Msg)
			if hmac.Equal(h.Sum(nil)[:g.TagSize/8], c.Tag) != (c.Result == "valid") {
				t.Errorf("case %d (%s)", c.TcID, c.Result)
			}
			ran++
		}
	}
	if t.Logf("HMAC: %d cases run", ran); ran == 0 || ran != v.NumberOfTests {
		t.Errorf("%d cases run of %d", ran, v.NumberOfTests)
	}
}
