package ledger

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/pkg/provenance"
)

// ExportRecords writes the sealed records as JSON lines, {"seq":…,"record":…}, in
// the order of the tree. The record is its canonical bytes, unchanged.
func (s *Store) ExportRecords(ctx context.Context, w io.Writer) (int64, error) {
	var n int64
	err := s.snapshot(ctx, "export", func(q *sql.Tx) error {
		b := bufio.NewWriterSize(w, 1<<20)
		for l, err := range leaves(ctx, q) {
			if err != nil {
				return err
			}
			if err := writeLine(b, l.Seq, l.Canon); err != nil {
				return &fileError{err}
			}
			n++
		}
		if err := b.Flush(); err != nil {
			return &fileError{err}
		}
		return nil
	})
	return n, err
}

func writeLine(w *bufio.Writer, seq int64, canon []byte) error {
	line := strconv.AppendInt(append(w.AvailableBuffer(), `{"seq":`...), seq, 10)
	line = append(line, `,"record":`...)
	if _, err := w.Write(line); err != nil {
		return err
	}
	if _, err := w.Write(canon); err != nil {
		return err
	}
	_, err := w.WriteString("}\n")
	return err
}

// fileError carries a fault of a file through wrap, which keeps the words of
// database errors to itself.
type fileError struct{ err error }

func (e *fileError) Error() string { return "ledger: export: " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

const (
	fileCheckpoint  = "checkpoint"    // C2SP tlog-tiles
	fileCheckpoints = "checkpoints"   // all of them, as CheckpointFile writes them
	fileRecords     = "records.jsonl" // the records, for people and tools
)

// Export writes the ledger into a directory that is empty or not there: checkpoint,
// tiles and entry bundles as C2SP tlog-tiles lays them out, so that any static file
// server serves them as a log, and beside them all checkpoints and the records as
// JSON lines. [VerifyExport] and other tools check it offline. Records that are not
// sealed are left out. [ErrNotFound]: nothing is sealed yet.
func (s *Store) Export(ctx context.Context, dir string) (provenance.Checkpoint, error) {
	if old, err := os.ReadDir(dir); err == nil && len(old) > 0 {
		return provenance.Checkpoint{}, fmt.Errorf("ledger: export: %s is not empty", dir)
	}
	var c provenance.Checkpoint
	err := s.snapshot(ctx, "export", func(q *sql.Tx) error {
		var text []byte
		err := q.QueryRowContext(ctx, "SELECT note FROM checkpoint ORDER BY size DESC LIMIT 1").Scan(&text)
		if text, err = one("export", text, err); err != nil {
			return err
		}
		if c, err = provenance.UnverifiedCheckpoint(text); err != nil {
			return err
		}
		e := &exporter{dir: dir, size: c.Size}
		if err := e.run(leaves(ctx, q), checkpoints(ctx, q, -1)); err != nil {
			return err
		}
		return e.file(fileCheckpoint, text)
	})
	return c, err
}

type exporter struct {
	dir    string
	size   int64
	b      provenance.Builder
	bundle []byte
	width  int
	failed error
}

func (e *exporter) file(path string, data []byte) error {
	full := filepath.Join(e.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return &fileError{err}
	}
	if err := os.WriteFile(full, data, 0o644); err != nil {
		return &fileError{err}
	}
	return nil
}

func (e *exporter) run(all iter.Seq2[provenance.StoredLeaf, error], notes iter.Seq2[[]byte, error]) error {
	if err := os.MkdirAll(e.dir, 0o755); err != nil {
		return &fileError{err}
	}
	f, err := os.Create(filepath.Join(e.dir, fileRecords))
	if err != nil {
		return &fileError{err}
	}
	defer f.Close()
	lines := bufio.NewWriterSize(f, 1<<20)
	for l, err := range all {
		if err != nil {
			return err
		}
		if l.Seq >= e.size {
			break
		}
		if err := e.leaf(l, lines); err != nil {
			return err
		}
	}
	tiles, data := e.b.Edge()
	for i, t := range tiles {
		if err := e.file(t.Path(), data[i]); err != nil {
			return err
		}
	}
	if e.width > 0 {
		if err := e.file(provenance.BundlePath(e.b.Size()/provenance.TileWidth, e.width), e.bundle); err != nil {
			return err
		}
	}
	var joined bytes.Buffer
	for text, err := range notes {
		if err != nil {
			return err
		}
		joined.Write(provenance.FileCheckpoint(text))
	}
	if err := e.file(fileCheckpoints, joined.Bytes()); err != nil {
		return err
	}
	if err := errors.Join(lines.Flush(), f.Close()); err != nil {
		return &fileError{err}
	}
	return nil
}

func (e *exporter) leaf(l provenance.StoredLeaf, lines *bufio.Writer) error {
	if l.Canon == nil {
		return ErrTree // a record is gone: verify says which
	}
	var err error
	if e.bundle, err = provenance.AppendEntry(e.bundle, l.Canon); err != nil {
		return err
	}
	e.width++
	if err := writeLine(lines, l.Seq, l.Canon); err != nil {
		return &fileError{err}
	}
	e.b.Append(l.Hash, func(t provenance.Tile, data []byte, _ provenance.Hash) {
		if e.failed == nil {
			e.failed = e.file(t.Path(), data)
		}
		if t.L == 0 && e.failed == nil {
			e.failed = e.file(provenance.BundlePath(t.N, provenance.TileWidth), e.bundle)
			e.bundle, e.width = e.bundle[:0], 0
		}
	})
	return e.failed
}

// VerifyExport checks a directory that [Store.Export] wrote, or any directory in
// the layout of C2SP tlog-tiles whose entries are records, without a database: the
// whole tree from the entries, every tile, the checkpoints, and the copies kept
// outside.
func VerifyExport(dir string, outside [][]byte, keys []note.Verifier, report func(provenance.Problem)) (provenance.Verified, error) {
	x := exported{os.DirFS(dir)}
	head, err := fs.ReadFile(x.files, fileCheckpoint)
	if err != nil {
		return provenance.Verified{}, fmt.Errorf("ledger: not an export: %w", err)
	}
	mismatches := int64(0)
	mismatch := func(p provenance.Problem) { mismatches++; report(p) }
	notes := [][]byte{head}
	if all, err := fs.ReadFile(x.files, fileCheckpoints); err == nil {
		var rest []byte
		if notes, rest = provenance.SplitCheckpoints(all); len(rest) > 0 {
			mismatch(provenance.Problem{Code: provenance.ExportMismatch, Seq: -1, Detail: fileCheckpoints + " is cut off"})
		}
		if n := len(notes); n == 0 || !bytes.Equal(notes[n-1], head) {
			notes = append(notes, head)
		}
	}
	c, err := provenance.UnverifiedCheckpoint(head)
	if err != nil {
		return provenance.Verified{}, err
	}
	out, err := provenance.Verify(provenance.Stored{
		Leaves: x.leaves(c.Size, mismatch),
		Checkpoints: func(yield func([]byte, error) bool) {
			for _, n := range notes {
				if !yield(n, nil) {
					return
				}
			}
		},
		Tile: func(t provenance.Tile) ([]byte, *provenance.Hash, error) {
			b, err := fs.ReadFile(x.files, t.Path())
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil, nil
			}
			return b, nil, err
		},
		Edge: true,
	}, outside, keys, report)
	out.Problems += mismatches
	return out, err
}

// exported reads an export.
type exported struct{ files fs.FS }

// leaves reads entries and leaf hashes together, and compares the JSON lines with
// the entries where there are any.
func (x exported) leaves(size int64, report func(provenance.Problem)) iter.Seq2[provenance.StoredLeaf, error] {
	return func(yield func(provenance.StoredLeaf, error) bool) {
		var lines *bufio.Reader
		if f, err := x.files.Open(fileRecords); err == nil {
			defer f.Close()
			lines = bufio.NewReader(f)
		}
		missing := func(path string) {
			report(provenance.Problem{Code: provenance.ExportMismatch, Seq: -1, Detail: "cannot use " + path})
		}
		for n := int64(0); n*provenance.TileWidth < size; n++ {
			w := int(min(size-n*provenance.TileWidth, provenance.TileWidth))
			path := provenance.BundlePath(n, w)
			bundle, err := fs.ReadFile(x.files, path)
			entries, splitErr := provenance.SplitEntries(bundle)
			if err != nil || splitErr != nil || len(entries) != w {
				missing(path)
				return
			}
			path = provenance.Tile{L: 0, N: n, W: w}.Path()
			data, err := fs.ReadFile(x.files, path)
			hashes, splitErr := provenance.TileHashes(data)
			if err != nil || splitErr != nil || len(hashes) != w {
				missing(path)
				return
			}
			for i, canon := range entries {
				seq := n*provenance.TileWidth + int64(i)
				if lines != nil && !sameLine(lines, seq, canon) {
					report(provenance.Problem{Code: provenance.ExportMismatch, Seq: seq, Detail: fileRecords})
					lines = nil
				}
				if !yield(provenance.StoredLeaf{Seq: seq, Hash: hashes[i], Canon: canon}, nil) {
					return
				}
			}
		}
		if lines != nil {
			if _, err := lines.ReadByte(); err != io.EOF {
				report(provenance.Problem{Code: provenance.ExportMismatch, Seq: size, Detail: fileRecords + " goes on"})
			}
		}
	}
}

// sameLine reads one line and compares it with what the export writes.
func sameLine(lines *bufio.Reader, seq int64, canon []byte) bool {
	got, err := lines.ReadBytes('\n')
	if err != nil {
		return false
	}
	var want bytes.Buffer
	w := bufio.NewWriter(&want)
	return writeLine(w, seq, canon) == nil && w.Flush() == nil && bytes.Equal(got, want.Bytes())
}
