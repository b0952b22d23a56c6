// Package evidencetest is the suite that every store of evidence blobs passes.
package evidencetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stoplog/stoplog/internal/evidence"
)

// Name makes a fresh blob name.
func Name() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

// Blobs checks a store. open opens the same store each time it is called, so that
// what one handle wrote is read through another.
func Blobs(t *testing.T, open func(t *testing.T) evidence.Blobs) {
	ctx := context.Background()

	t.Run("reads back", func(t *testing.T) {
		w, r := open(t), open(t)
		for _, size := range []int{0, 1, 4095, 4096, 4097, 1<<20 + 1} {
			data := make([]byte, size)
			_, _ = rand.Read(data)
			name := Name()
			if err := w.Put(ctx, name, data); err != nil {
				t.Fatalf("%d bytes: %v", size, err)
			}
			got, err := r.Get(ctx, name, size)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%d bytes: got %d, %v", size, len(got), err)
			}
		}
	})

	t.Run("never overwrites", func(t *testing.T) {
		s, name := open(t), Name()
		if err := s.Put(ctx, name, []byte("first")); err != nil {
			t.Fatal(err)
		}
		if err := s.Put(ctx, name, []byte("second")); !errors.Is(err, evidence.ErrExists) {
			t.Errorf("got %v, want ErrExists", err)
		}
		if got, err := s.Get(ctx, name, 100); err != nil || string(got) != "first" {
			t.Errorf("got %q, %v", got, err)
		}
	})

	t.Run("one of many wins", func(t *testing.T) {
		name := Name()
		var wg sync.WaitGroup
		results := make([]error, 8)
		for i := range results {
			s := open(t)
			wg.Go(func() { results[i] = s.Put(ctx, name, bytes.Repeat([]byte{byte(i)}, 1000)) })
		}
		wg.Wait()
		winner := -1
		for i, err := range results {
			switch {
			case err == nil && winner < 0:
				winner = i
			case err == nil:
				t.Error("two puts of one name succeeded")
			case !errors.Is(err, evidence.ErrExists):
				t.Error(err)
			}
		}
		if winner < 0 {
			t.Fatal("no put succeeded")
		}
		if got, err := open(t).Get(ctx, name, 1000); err != nil || !bytes.Equal(got, bytes.Repeat([]byte{byte(winner)}, 1000)) {
			t.Errorf("the winner's bytes are not there: %d bytes, %v", len(got), err)
		}
	})

	t.Run("many at once", func(t *testing.T) {
		s := open(t)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				for range 8 {
					name := Name()
					if err := s.Put(ctx, name, []byte(name)); err != nil {
						t.Error(err)
						return
					}
					if got, err := s.Get(ctx, name, 100); err != nil || string(got) != name {
						t.Errorf("got %q, %v", got, err)
					}
				}
			})
		}
		wg.Wait()
	})

	t.Run("absent", func(t *testing.T) {
		s := open(t)
		if _, err := s.Get(ctx, Name(), 100); !errors.Is(err, evidence.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
		if err := s.Remove(ctx, Name()); err != nil {
			t.Errorf("removing what is not there: %v", err)
		}
	})

	t.Run("removed", func(t *testing.T) {
		s, name := open(t), Name()
		if err := s.Put(ctx, name, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := s.Remove(ctx, name); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t).Get(ctx, name, 100); !errors.Is(err, evidence.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	})

	t.Run("larger than the limit", func(t *testing.T) {
		s, name := open(t), Name()
		if err := s.Put(ctx, name, make([]byte, 11)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(ctx, name, 10); !errors.Is(err, evidence.ErrIntegrity) {
			t.Errorf("got %v, want ErrIntegrity", err)
		}
		if got, err := s.Get(ctx, name, 11); err != nil || len(got) != 11 {
			t.Errorf("at the limit: %d bytes, %v", len(got), err)
		}
	})

	t.Run("names are names", func(t *testing.T) {
		s := open(t)
		for _, bad := range []string{"", "..", "../../../../etc/passwd", strings.Repeat("a", 31), strings.Repeat("a", 33), strings.Repeat("A", 32), strings.Repeat("g", 32), "/" + strings.Repeat("a", 31), strings.Repeat("a", 30) + "/a", strings.Repeat("a", 31) + "\x00"} {
			if err := s.Put(ctx, bad, nil); err == nil {
				t.Errorf("put under %q", bad)
			}
			if _, err := s.Get(ctx, bad, 10); err == nil {
				t.Errorf("got %q", bad)
			}
			if err := s.Remove(ctx, bad); err == nil {
				t.Errorf("removed %q", bad)
			}
		}
	})

	t.Run("cancelled", func(t *testing.T) {
		s := open(t)
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		name := Name()
		if err := s.Put(ctx, name, []byte("x")); !errors.Is(err, evidence.ErrUnavailable) || !errors.Is(err, context.Canceled) {
			t.Errorf("Put: %v", err)
		}
		if _, err := s.Get(ctx, name, 10); !errors.Is(err, evidence.ErrUnavailable) || !errors.Is(err, context.Canceled) {
			t.Errorf("Get: %v", err)
		}
	})

	t.Run("answers", func(t *testing.T) {
		if err := open(t).Ping(ctx); err != nil {
			t.Error(err)
		}
	})
}
