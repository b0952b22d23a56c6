package evidence_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/evidence/evidencetest"
)

func TestFiles(t *testing.T) {
	var dir, of string
	evidencetest.Blobs(t, func(t *testing.T) evidence.Blobs {
		if of != t.Name() {
			dir, of = filepath.Join(t.TempDir(), "blobs"), t.Name()
		}
		f, err := evidence.OpenFiles(dir)
		if err != nil {
			t.Fatal(err)
		}
		return f
	})
}

func TestFilesArePrivateAndLeaveNothingBehind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blobs")
	f, err := evidence.OpenFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	name := evidencetest.Name()
	for range 2 { // the second one fails
		if err := f.Put(context.Background(), name, []byte("x")); err != nil && !errors.Is(err, evidence.ErrExists) {
			t.Fatal(err)
		}
	}
	found := 0
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if !d.IsDir() {
			found++
		}
		return nil
	})
	if err != nil || found != 1 {
		t.Errorf("%d files, %v; want the blob alone", found, err)
	}
}

func TestFilesSweepACrashsLeftovers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blobs")
	if _, err := evidence.OpenFiles(dir); err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(dir, "tmp", "put-1"), filepath.Join(dir, "tmp", "put-2")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Now(), time.Now().Add(-48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := evidence.OpenFiles(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Error("an old leftover stayed")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("another process's file in the making was removed")
	}
}

func TestFilesUnavailable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blobs")
	f, err := evidence.OpenFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := f.Put(context.Background(), evidencetest.Name(), nil); !errors.Is(err, evidence.ErrUnavailable) {
		t.Errorf("Put: %v", err)
	}
	if err := f.Ping(context.Background()); !errors.Is(err, evidence.ErrUnavailable) {
		t.Errorf("Ping: %v", err)
	}
}
