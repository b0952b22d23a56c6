package provenance

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// How ledgers lie in files: checkpoints one after the other, and bundles of
// entries.

// FileCheckpoint gives a checkpoint as it is appended to a file of checkpoints:
// its note and an empty line.
func FileCheckpoint(text []byte) []byte { return append(bytes.Clone(text), '\n') }

// SplitCheckpoints reads a file of checkpoints. What is left over at its end, of a
// write that a crash cut off, comes back as rest.
func SplitCheckpoints(b []byte) (notes [][]byte, rest []byte) {
	for len(b) > 0 {
		body := bytes.Index(b, []byte("\n\n"))
		if body < 0 {
			return notes, b
		}
		end := bytes.Index(b[body+2:], []byte("\n\n"))
		if end < 0 {
			return notes, b
		}
		n := body + 2 + end + 1
		notes = append(notes, b[:n:n])
		b = b[n+1:]
	}
	return notes, nil
}

// AppendEntry adds an entry to a bundle after C2SP tlog-tiles: its length in 16
// bits, and its bytes.
func AppendEntry(bundle, canon []byte) ([]byte, error) {
	if len(canon) > MaxCanonical {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrMalformed, MaxCanonical)
	}
	bundle = binary.BigEndian.AppendUint16(bundle, uint16(len(canon)))
	return append(bundle, canon...), nil
}

// SplitEntries reads a bundle.
func SplitEntries(bundle []byte) ([][]byte, error) {
	var out [][]byte
	for len(bundle) > 0 {
		if len(bundle) < 2 {
			return nil, fmt.Errorf("%w: bundle", ErrMalformed)
		}
		n := int(binary.BigEndian.Uint16(bundle))
		if len(bundle) < 2+n || len(out) == TileWidth {
			return nil, fmt.Errorf("%w: bundle", ErrMalformed)
		}
		out = append(out, bundle[2:2+n:2+n])
		bundle = bundle[2+n:]
	}
	return out, nil
}
