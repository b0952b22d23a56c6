package provenance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Proof shows that one record is in the tree of a checkpoint.
type Proof struct {
	Index      int64
	Hashes     []Hash // from the leaf's sibling up to the root's child
	Checkpoint []byte // the signed note
}

// MarshalJSON gives the proof with base64 hashes and the checkpoint's text.
func (p Proof) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Index      int64  `json:"index"`
		Hashes     []Hash `json:"hashes"`
		Checkpoint string `json:"checkpoint"`
	}{p.Index, append([]Hash{}, p.Hashes...), string(p.Checkpoint)})
}

// ErrProof means that a proof does not hold.
var ErrProof = errors.New("provenance: the proof does not hold")

const (
	proofHeader = "c2sp.org/tlog-proof@v1"
	maxProof    = 128 << 10
)

// Text is the proof in the form of C2SP tlog-proof.
func (p Proof) Text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nindex %d\n", proofHeader, p.Index)
	for _, h := range p.Hashes {
		b.WriteString(h.String() + "\n")
	}
	b.WriteString("\n")
	b.Write(p.Checkpoint)
	return b.Bytes()
}

// ParseProof reads a C2SP tlog-proof. An extra line is passed over: nothing
// vouches for it.
func ParseProof(text []byte) (Proof, error) {
	bad := func(part string) (Proof, error) { return Proof{}, fmt.Errorf("%w: %s", ErrMalformed, part) }
	if len(text) > maxProof {
		return bad("proof is too long")
	}
	head, checkpoint, ok := bytes.Cut(text, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if !ok || lines[0] != proofHeader {
		return bad("proof header")
	}
	lines = lines[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], "extra ") {
		if _, err := base64.StdEncoding.DecodeString(lines[0][len("extra "):]); err != nil {
			return bad("proof extra line")
		}
		lines = lines[1:]
	}
	if len(lines) == 0 {
		return bad("proof index")
	}
	digits, ok := strings.CutPrefix(lines[0], "index ")
	index, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || index < 0 || strconv.FormatInt(index, 10) != digits {
		return bad("proof index")
	}
	p := Proof{Index: index, Checkpoint: checkpoint}
	if len(lines)-1 > 64 {
		return bad("proof hashes")
	}
	for _, l := range lines[1:] {
		h, err := tlog.ParseHash(l)
		if err != nil || h.String() != l {
			return bad("proof hash")
		}
		p.Hashes = append(p.Hashes, h)
	}
	return p, nil
}

// Check shows that a record with these canonical bytes is in the tree of the
// proof's checkpoint, and that one of the keys signed it.
func (p Proof) Check(canon []byte, keys ...note.Verifier) (Checkpoint, error) {
	c, err := OpenCheckpoint(p.Checkpoint, keys...)
	if err != nil {
		return Checkpoint{}, err
	}
	if p.Index < 0 || p.Index >= c.Size {
		return Checkpoint{}, fmt.Errorf("%w: index", ErrProof)
	}
	if err := tlog.CheckRecord(p.Hashes, c.Size, c.Root, p.Index, LeafHash(canon)); err != nil {
		return Checkpoint{}, ErrProof
	}
	return c, nil
}

// Nodes reads nodes of a tree: the hash that stands for the 2^level leaves from
// n·2^level on.
type Nodes func(level int, n int64) (Hash, error)

func (f Nodes) reader() tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]Hash, error) {
		out := make([]Hash, len(indexes))
		for i, x := range indexes {
			level, n := tlog.SplitStoredHashIndex(x)
			h, err := f(level, n)
			if err != nil {
				return nil, err
			}
			out[i] = h
		}
		return out, nil
	})
}

// Prove makes the proof that record index is in the tree of a checkpoint.
func Prove(c Checkpoint, index int64, nodes Nodes) (Proof, error) {
	if index < 0 || index >= c.Size {
		return Proof{}, fmt.Errorf("%w: no such record in the checkpoint", ErrProof)
	}
	hs, err := tlog.ProveRecord(c.Size, index, nodes.reader())
	if err != nil {
		return Proof{}, err
	}
	return Proof{Index: index, Hashes: hs, Checkpoint: c.Note}, nil
}

// ProveConsistency makes the proof that the tree of one size begins the tree of a
// greater one.
func ProveConsistency(older, newer int64, nodes Nodes) ([]Hash, error) {
	if older < 1 || older > newer {
		return nil, fmt.Errorf("%w: sizes", ErrProof)
	}
	return tlog.ProveTree(newer, older, nodes.reader())
}

// CheckConsistency checks a proof that the older checkpoint's tree begins the
// newer one's. The empty tree begins every tree.
func CheckConsistency(older, newer Checkpoint, proof []Hash) error {
	switch {
	case older.Size > newer.Size:
		return fmt.Errorf("%w: the older checkpoint is the larger one", ErrProof)
	case older.Size == 0:
		var empty Builder
		if len(proof) != 0 || older.Root != empty.Root() {
			return ErrProof
		}
		return nil
	}
	if err := tlog.CheckTree(proof, newer.Size, newer.Root, older.Size, older.Root); err != nil {
		return ErrProof
	}
	return nil
}

// NodeOf hashes a power of two of neighbouring nodes to the one above them.
func NodeOf(hashes []Hash) (Hash, error) {
	if n := len(hashes); n == 0 || n&(n-1) != 0 {
		return Hash{}, fmt.Errorf("%w: not a power of two of hashes", ErrMalformed)
	}
	return perfect(hashes), nil
}
