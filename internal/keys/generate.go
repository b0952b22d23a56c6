package keys

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Generate makes the directory (mode 0700) and version 1 of each kind of key that
// has no version yet. What is there stays as it is. Several processes may call it
// at once: all end with the same keys.
func Generate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	for _, kind := range []string{KEK, Integrity, ID, Ledger} {
		top, err := highest(dir, kind)
		if err != nil {
			return err
		}
		if top == 0 {
			top = 1
			if err := create(dir, kind, top); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		if kind == Ledger { // also when the key was there: a crash may have fallen between the two files
			if err := writePublic(dir, top); err != nil {
				return err
			}
		}
	}
	return nil
}

// Rotate makes the next version of one kind of key and returns its number. Running
// processes use it once they are started again.
func Rotate(dir, kind string) (version int, err error) {
	if kind != KEK && kind != Integrity && kind != ID && kind != Ledger {
		return 0, fmt.Errorf("keys: no such kind of key (want %s, %s, %s or %s)", KEK, Integrity, ID, Ledger)
	}
	top, err := highest(dir, kind)
	if err != nil {
		return 0, err
	}
	version = top + 1
	if err := create(dir, kind, version); err != nil {
		return 0, err
	}
	if kind == Ledger {
		return version, writePublic(dir, version)
	}
	return version, nil
}

// highest gives the newest version of a kind in the directory, 0 if it has none.
func highest(dir, kind string) (int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("keys: %w", err)
	}
	top := 0
	for _, e := range entries {
		if k, v, ok := fileKind(e.Name()); ok && (k == kind || kind == Ledger && k == ledgerPub) {
			top = max(top, v)
		}
	}
	return top, nil
}

func create(dir, kind string, version int) error {
	text := ""
	if kind == Ledger {
		name, err := signerName(dir)
		if err != nil {
			return err
		}
		if text, _, err = note.GenerateKey(rand.Reader, name); err != nil {
			return errors.New("keys: no ledger key could be made")
		}
	} else {
		key := make([]byte, Size)
		_, _ = rand.Read(key) // never fails: it ends the process instead
		text = base64.StdEncoding.EncodeToString(key)
	}
	return writeNew(dir, fmt.Sprintf("%s-%d.key", kind, version), text, 0o600)
}

// signerName keeps the ledger's name over rotations: a log's name is its identity.
// A new deployment gets a random one, for two logs must never share a name.
func signerName(dir string) (string, error) {
	found := set{}
	if err := found.readDir(dir, true); err != nil {
		return "", err
	}
	list, err := found.verifiers()
	if err != nil {
		return "", err
	}
	if len(list) > 0 {
		return list[len(list)-1].Name(), nil
	}
	random := make([]byte, 10)
	_, _ = rand.Read(random)
	return "stoplog/" + strings.ToLower(base32.StdEncoding.EncodeToString(random)), nil
}

// writePublic writes ledger-N.pub beside ledger-N.key, if that is there.
func writePublic(dir string, version int) error {
	name := fmt.Sprintf("%s-%d", Ledger, version)
	skey, err := readLine(filepath.Join(dir, name+".key"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	pub, err := publicOf(skey)
	if err != nil {
		return fmt.Errorf("keys: %s is not a signing key in the signed-note form", name)
	}
	if err := writeNew(dir, name+".pub", pub, 0o644); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// writeNew writes a file that appears whole or not at all, stays after a power
// loss, and never replaces another: temporary file, fsync, link (which fails when
// the name is taken, unlike rename), fsync of the directory.
func writeNew(dir, name, line string, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(line + "\n")
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Link(tmp.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return nil
}
