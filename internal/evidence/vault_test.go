package evidence

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/stoplog/stoplog/internal/keys"
	"github.com/stoplog/stoplog/pkg/chunk"
)

func ring(t testing.TB) *keys.Keyring {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "keys")
	if err := keys.Generate(dir); err != nil {
		t.Fatal(err)
	}
	k, err := keys.Load(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func open(t testing.TB, dir string, k *keys.Keyring, opts Options) *Vault {
	t.Helper()
	store, err := OpenKeysSQLite(context.Background(), filepath.Join(dir, "keys.db"))
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := OpenFiles(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	v := New(store, blobs, k, opts)
	t.Cleanup(func() { _ = v.Close() })
	return v
}

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	v := open(t, t.TempDir(), ring(t), Options{})
	scope := chunk.NewID("run", "a")
	p, err := v.Put(ctx, "default", scope, []byte("hello"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.Get(ctx, scope, p)
	if err != nil || !bytes.Equal(got, []byte("hello")) {
		t.Fatal(got, err)
	}
	if err := v.Erase(ctx, scope); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Get(ctx, scope, p); err != ErrErased {
		t.Fatal(err)
	}
}
