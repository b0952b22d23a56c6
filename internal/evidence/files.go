package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// staleTemp is the age at which a temporary file can only be a crash's leftover.
const staleTemp = 24 * time.Hour

// Files keeps blobs as files in 256 folders, by the first two hex digits.
//
// A blob is there whole or not at all, also after a power loss: temporary file,
// write, fsync, link (which fails when the name is taken, unlike rename), fsync of
// the folder. Syncs of concurrent writers are grouped by the file system's
// journal; grouping them here as well was measured and gained nothing.
type Files struct{ dir string }

// OpenFiles opens or makes a file store.
func OpenFiles(dir string) (*Files, error) {
	f := &Files{dir: dir}
	if err := os.MkdirAll(f.temp(), 0o700); err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	for i := range 256 {
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprintf("%02x", i)), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("evidence: %w", err)
		}
	}
	if err := syncDir(dir); err != nil {
		return nil, err
	}
	if err := syncDir(filepath.Dir(dir)); err != nil {
		return nil, err
	}
	f.sweep(time.Now())
	return f, nil
}

func (f *Files) temp() string            { return filepath.Join(f.dir, "tmp") }
func (f *Files) path(name string) string { return filepath.Join(f.dir, name[:2], name) }
func (f *Files) wrap(err error) error    { return fmt.Errorf("%w: file store: %w", ErrUnavailable, err) }
func (f *Files) Close() error            { return nil }

// sweep removes temporary files that a crash left. Another process may be writing
// here, so a young one is left alone.
func (f *Files) sweep(now time.Time) {
	entries, _ := os.ReadDir(f.temp())
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > staleTemp {
			_ = os.Remove(filepath.Join(f.temp(), e.Name()))
		}
	}
}

// Put stores a blob durably under a new name.
func (f *Files) Put(ctx context.Context, name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return f.wrap(err)
	}
	tmp, err := os.CreateTemp(f.temp(), "put-*") // mode 0600
	if err != nil {
		return f.wrap(err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return f.wrap(err)
	}
	if err := os.Link(tmp.Name(), f.path(name)); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return ErrExists
		}
		return f.wrap(err)
	}
	return syncDir(filepath.Join(f.dir, name[:2]))
}

// Get reads a blob of at most limit bytes.
func (f *Files) Get(ctx context.Context, name string, limit int) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, f.wrap(err)
	}
	file, err := os.Open(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, f.wrap(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, f.wrap(err)
	}
	if info.Size() > int64(limit) {
		return nil, ErrIntegrity
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, f.wrap(err)
	}
	return data, nil
}

// Remove deletes a blob; one that is not there is no error.
func (f *Files) Remove(_ context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.wrap(err)
	}
	return syncDir(filepath.Join(f.dir, name[:2]))
}

// Ping writes and removes a temporary file: a full or read-only disk is as bad as
// an absent one.
func (f *Files) Ping(context.Context) error {
	tmp, err := os.CreateTemp(f.temp(), "ping-*")
	if err != nil {
		return f.wrap(err)
	}
	_, err = tmp.Write([]byte{0})
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if rerr := os.Remove(tmp.Name()); err == nil {
		err = rerr
	}
	if err != nil {
		return f.wrap(err)
	}
	return nil
}

// syncDir makes a folder's entries durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("%w: file store: %w", ErrUnavailable, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("%w: file store: %w", ErrUnavailable, err)
	}
	return nil
}
