package provenance

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checkpoint says which tree the ledger had at one size. Note is the signed text
// (C2SP tlog-checkpoint) that says so to others.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   Hash
	Note   []byte
}

// ErrCheckpoint means that a text is not a checkpoint, or not one that the key
// signed.
var ErrCheckpoint = errors.New("provenance: not a checkpoint of this ledger")

// body is the signed part: origin, size and root, a line each. The checksum
// database's FormatTree hard-codes its own origin, hence this one.
func (c Checkpoint) body() string {
	return c.Origin + "\n" + strconv.FormatInt(c.Size, 10) + "\n" + c.Root.String() + "\n"
}

// SignCheckpoint makes the checkpoint of a tree. The origin is the signer's name.
func SignCheckpoint(size int64, root Hash, signer note.Signer) (Checkpoint, error) {
	c := Checkpoint{Origin: signer.Name(), Size: size, Root: root}
	text, err := note.Sign(&note.Note{Text: c.body()}, signer)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: cannot be signed", ErrCheckpoint)
	}
	c.Note = text
	return c, nil
}

// maxCheckpoint bounds what [OpenCheckpoint] reads: a checkpoint with a few
// witnesses' signatures is under 2 KiB.
const maxCheckpoint = 64 << 10

// OpenCheckpoint reads a checkpoint and checks that one of the given keys signed
// it and that the origin is that key's name. Signatures of others (witnesses) may
// stand beside it.
func OpenCheckpoint(text []byte, keys ...note.Verifier) (Checkpoint, error) {
	if len(text) > maxCheckpoint {
		return Checkpoint{}, fmt.Errorf("%w: too long", ErrCheckpoint)
	}
	n, err := note.Open(text, note.VerifierList(keys...))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: no signature of a known key", ErrCheckpoint)
	}
	c, err := parseCheckpoint(n.Text)
	if err != nil {
		return Checkpoint{}, err
	}
	for _, s := range n.Sigs {
		if s.Name == c.Origin {
			c.Note = append([]byte(nil), text...)
			return c, nil
		}
	}
	return Checkpoint{}, fmt.Errorf("%w: signed by another origin", ErrCheckpoint)
}

// parseCheckpoint reads the signed part. Extension lines are refused: this ledger
// writes none.
func parseCheckpoint(body string) (Checkpoint, error) {
	lines := strings.Split(body, "\n")
	if len(lines) != 4 || lines[0] == "" || lines[3] != "" {
		return Checkpoint{}, fmt.Errorf("%w: lines", ErrCheckpoint)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return Checkpoint{}, fmt.Errorf("%w: size", ErrCheckpoint)
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil || root.String() != lines[2] {
		return Checkpoint{}, fmt.Errorf("%w: root", ErrCheckpoint)
	}
	return Checkpoint{Origin: lines[0], Size: size, Root: root}, nil
}

// UnverifiedCheckpoint reads a checkpoint without looking at who signed it. It
// serves to compare what a store holds with what it computes; it proves nothing.
func UnverifiedCheckpoint(text []byte) (Checkpoint, error) {
	body, _, ok := strings.Cut(string(text), "\n\n")
	if !ok || len(text) > maxCheckpoint {
		return Checkpoint{}, fmt.Errorf("%w: lines", ErrCheckpoint)
	}
	c, err := parseCheckpoint(body + "\n")
	c.Note = append([]byte(nil), text...)
	return c, err
}
