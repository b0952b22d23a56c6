package fetch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// MaxFileTimeout bounds one operation on a file (SPEC DEC-4).
const MaxFileTimeout = 10 * time.Second

// Workspace is the directory that an agent's files lie in. It is safe for concurrent use.
type Workspace struct {
	root    *os.Root
	bytes   int
	timeout time.Duration
}

// OpenWorkspace opens a directory. bytes bounds a file and timeout an operation; zero
// takes the greatest that is allowed.
func OpenWorkspace(dir string, bytes int, timeout time.Duration) (*Workspace, error) {
	w := &Workspace{bytes: bytes, timeout: timeout}
	if err := errors.Join(atMost("bytes", &w.bytes, MaxBytes), atMost("file timeout", &w.timeout, MaxFileTimeout)); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	w.root = root
	return w, nil
}

// Close closes the workspace.
func (w *Workspace) Close() error { return w.root.Close() }

// Read reads a regular file.
func (w *Workspace) Read(ctx context.Context, name string) ([]byte, error) {
	if !local(name) {
		return nil, ErrPath
	}
	return bounded(ctx, w.timeout, func(context.Context) ([]byte, error) {
		// Not to be kept waiting by a pipe that nobody writes to.
		f, err := w.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return nil, fileError(err)
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return nil, ErrPath
		}
		b, err := io.ReadAll(io.LimitReader(f, int64(w.bytes)+1))
		switch {
		case err != nil:
			return nil, ErrPath
		case len(b) > w.bytes:
			return nil, ErrTooLarge
		}
		return b, nil
	})
}

// Write writes a file whole, in the place of one that may be there. Its folder must be
// there. A reader sees the old file or the new one.
func (w *Workspace) Write(ctx context.Context, name string, content []byte) error {
	switch {
	case !local(name):
		return ErrPath
	case len(content) > w.bytes:
		return ErrTooLarge
	}
	_, err := bounded(ctx, w.timeout, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, w.write(ctx, filepath.FromSlash(name), content)
	})
	return err
}

func (w *Workspace) write(ctx context.Context, name string, content []byte) error {
	mode := fs.FileMode(0o644)
	switch info, err := w.root.Lstat(name); {
	case err == nil && !info.Mode().IsRegular(): // a link, too: what it leads to was not named
		return ErrPath
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return fileError(err)
	}
	fresh := filepath.Join(filepath.Dir(name), ".stoplog-"+rand.Text())
	f, err := w.root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fileError(err)
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && ctx.Err() == nil { // what came too late is not put in place any more
		err = w.root.Rename(fresh, name)
	} else if err == nil {
		err = ErrTimeout
	}
	if err != nil {
		_ = w.root.Remove(fresh)
		if errors.Is(err, ErrTimeout) {
			return ErrTimeout
		}
		return fileError(err)
	}
	return nil
}

// local reports whether a path stays inside by its text already; links are the root's
// affair.
func local(name string) bool {
	return name != "." && !strings.ContainsAny(name, "\x00\\") && filepath.IsLocal(filepath.FromSlash(name))
}

func fileError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrMissing
	}
	return ErrPath // escapes, links in a circle, no permission, a folder: none of it is told apart
}

// bounded runs f and waits for it no longer than it may take: a file operation cannot be
// broken off.
func bounded[T any](ctx context.Context, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		r := result{err: ErrPath}
		defer func() { // a panic here would end the process, whoever asked
			_ = recover()
			done <- r
		}()
		v, err := f(ctx)
		r = result{v, err}
	}()
	var none T
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return none, ErrTimeout
		}
		return none, ctx.Err()
	}
}
