package provenance

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Code names a kind of problem. Codes are stable: alarms and scripts use them.
type Code string

// What verification of the tree can find.
const (
	RecordMissing       Code = "record-missing"       // a leaf whose record is gone
	RecordChanged       Code = "record-changed"       // a record's bytes do not hash to its leaf
	RecordMalformed     Code = "record-malformed"     // bytes that are not a record in canonical form
	RecordColumns       Code = "record-columns"       // the columns beside a record say something else than the record
	RecordNotInTree     Code = "record-not-in-tree"   // a record among sealed ones that was never sealed
	LeafGap             Code = "leaf-gap"             // a sequence number is missing or comes twice
	TileMissing         Code = "tile-missing"         //
	TileChanged         Code = "tile-changed"         //
	TileExtra           Code = "tile-extra"           // a tile the tree does not have
	CheckpointMalformed Code = "checkpoint-malformed" //
	CheckpointSignature Code = "checkpoint-signature" // not signed by a known key
	CheckpointRoot      Code = "checkpoint-root"      // signed for another tree than the leaves give
	CheckpointBeyond    Code = "checkpoint-beyond"    // signed for more records than there are
	LeafUnsigned        Code = "leaf-unsigned"        // leaves that no checkpoint covers
	CheckpointMissing   Code = "checkpoint-missing"   // a copy kept outside has no counterpart in the store
	OutsideSignature    Code = "outside-signature"    // a copy kept outside is not signed by a known key
	OutsideRoot         Code = "outside-root"         // a copy kept outside contradicts the tree: history was rewritten, or forked
	OutsideBeyond       Code = "outside-beyond"       // a copy kept outside saw more records: the end was cut off
	CopyMissing         Code = "copy-missing"         // the file that gets each checkpoint before the database does is gone
	CopyCut             Code = "copy-cut"             // that file lacks checkpoints that the database has
	ExportMismatch      Code = "export-mismatch"      // files of an export contradict each other
)

// Problem is one thing that does not hold.
type Problem struct {
	Code   Code     `json:"code"`
	Seq    int64    `json:"seq"`          // place in the tree, or -1
	ID     chunk.ID `json:"id,omitempty"` // the record, chunk, gate, run or event concerned
	Detail string   `json:"detail,omitempty"`
}

// String gives the problem as one line.
func (p Problem) String() string {
	s := string(p.Code)
	if p.Seq >= 0 {
		s += " seq=" + strconv.FormatInt(p.Seq, 10)
	}
	if p.ID != "" {
		s += " id=" + string(p.ID)
	}
	if p.Detail != "" {
		s += ": " + p.Detail
	}
	return s
}

// Columns is what a store keeps beside a record's canonical bytes, so that it can
// find it. It follows from the record; verification checks that it does.
type Columns struct {
	ID, Once, Tenant, Run, Subject, Kind string
	At                                   int64 // microseconds since 1970, UTC
	Leaf                                 Hash
}

// ColumnsOf gives the columns of an entry.
func ColumnsOf(e Entry) Columns {
	r := e.Record
	return Columns{
		ID: string(r.ID), Once: Once(e), Tenant: r.Tenant, Run: string(r.Run), Subject: string(r.Subject), Kind: string(r.Kind),
		At: r.Time.UnixMicro(), Leaf: LeafHash(e.Canon),
	}
}

// StoredLeaf is one leaf of a stored tree with its record.
type StoredLeaf struct {
	Seq     int64
	ID      chunk.ID // of the record, as the leaf names it
	Hash    Hash
	Canon   []byte   // nil when the record is gone; valid until the next leaf
	Columns *Columns // nil where there are none to check
}

// Stored is a stored ledger as verification reads it.
type Stored struct {
	Leaves      iter.Seq2[StoredLeaf, error]                    // by sequence number
	Checkpoints iter.Seq2[[]byte, error]                        // by size
	Tile        func(Tile) (data []byte, root *Hash, err error) // data nil: not there; root nil: none is kept
	Edge        bool                                            // tiles that are not full are stored too
	Next        iter.Seq2[Hash, error]                          // leaves that wait for the sealer, where a copy may have them before the store; nil: none does
}

// Verified says what a verification looked at.
type Verified struct {
	Size        int64 `json:"size"`        // leaves
	Root        Hash  `json:"root"`        // of the tree they give
	Checkpoints int64 `json:"checkpoints"` // stored ones checked
	Outside     int64 `json:"outside"`     // copies kept outside that were checked
	Tiles       int64 `json:"tiles"`
	Signed      int64 `json:"signed"` // size of the newest stored checkpoint that holds
	Problems    int64 `json:"problems"`
}

// ErrNoKey means that a verification was asked for without a key to verify with.
var ErrNoKey = errors.New("provenance: no verification key")

// Verify computes the whole tree again from its leaves and checks everything
// against it: each record against its leaf, each tile, each stored checkpoint, and
// the copies of checkpoints that were kept outside. All checkpoints that hold are
// prefixes of one tree, so they are consistent with each other. It reads in order
// and holds one page of the right edge, whatever the size.
//
// Each problem goes to report; the error is for what kept it from reading on.
func Verify(s Stored, outside [][]byte, keys []note.Verifier, report func(Problem)) (Verified, error) {
	if len(keys) == 0 {
		return Verified{}, ErrNoKey
	}
	v := &verification{keys: keys, report: report, s: s}
	v.openOutside(outside)

	next, stop := iter.Pull2(s.Checkpoints)
	defer stop()
	v.next = next
	if err := v.advance(); err != nil {
		return v.out, err
	}
	if err := v.atSize(); err != nil { // checkpoints of the empty tree
		return v.out, err
	}
	for leaf, err := range s.Leaves {
		if err != nil {
			return v.out, err
		}
		if err := v.leaf(leaf); err != nil {
			return v.out, err
		}
		if err := v.atSize(); err != nil {
			return v.out, err
		}
	}
	return v.finish()
}

type verification struct {
	s      Stored
	keys   []note.Verifier
	report func(Problem)
	out    Verified
	b      Builder
	err    error // the first one of reading a tile

	outside []Checkpoint // by size
	next    func() ([]byte, error, bool)
	pending *Checkpoint // the next stored checkpoint

	storedBad, outsideBad tally
}

// tally reports the first problem of a sort and counts those that follow from it.
type tally struct {
	first *Problem
	more  int
}

func (t *tally) add(p Problem) {
	if t.first == nil {
		t.first = &p
		return
	}
	t.more++
}

func (v *verification) flush(t *tally) {
	if t.first == nil {
		return
	}
	p := *t.first
	if t.more > 0 {
		p.Detail += fmt.Sprintf(" (and %d later ones)", t.more)
	}
	v.problem(p)
}

func (v *verification) problem(p Problem) {
	v.out.Problems++
	v.report(p)
}

func (v *verification) openOutside(texts [][]byte) {
	for i, text := range texts {
		c, err := OpenCheckpoint(text, v.keys...)
		if err != nil {
			v.problem(Problem{Code: OutsideSignature, Seq: -1, Detail: "copy " + strconv.Itoa(i+1)})
			continue
		}
		v.out.Outside++
		v.outside = append(v.outside, c)
	}
	slices.SortStableFunc(v.outside, func(a, b Checkpoint) int { return int(min(1, max(-1, a.Size-b.Size))) })
}

// advance reads the next stored checkpoint that can be read.
func (v *verification) advance() error {
	v.pending = nil
	for {
		text, err, ok := v.next()
		if !ok || err != nil {
			return err
		}
		v.out.Checkpoints++
		loose, err := UnverifiedCheckpoint(text)
		if err != nil {
			v.problem(Problem{Code: CheckpointMalformed, Seq: -1})
			continue
		}
		if _, err := OpenCheckpoint(text, v.keys...); err != nil {
			v.problem(Problem{Code: CheckpointSignature, Seq: loose.Size - 1})
			continue
		}
		v.pending = &loose
		return nil
	}
}

// atSize checks the checkpoints that speak of the tree as it is now.
func (v *verification) atSize() error {
	size := v.b.Size()
	var root *Hash
	here := func() Hash {
		if root == nil {
			h := v.b.Root()
			root = &h
		}
		return *root
	}
	have := false
	for v.pending != nil && v.pending.Size <= size {
		have = true
		switch {
		case v.pending.Size < size: // not in order of size
			v.problem(Problem{Code: CheckpointMalformed, Seq: v.pending.Size - 1, Detail: "out of order"})
		case v.pending.Root != here():
			v.storedBad.add(Problem{
				Code: CheckpointRoot, Seq: size - 1,
				Detail: fmt.Sprintf("the %d records up to here do not give the signed root; the checkpoint of %d did", size, v.out.Signed),
			})
		default:
			v.out.Signed = size
		}
		if err := v.advance(); err != nil {
			return err
		}
	}
	for len(v.outside) > 0 && v.outside[0].Size <= size {
		if v.outside[0].Root != here() {
			v.outsideBad.add(Problem{
				Code: OutsideRoot, Seq: size - 1,
				Detail: fmt.Sprintf("a checkpoint of %d records kept outside contradicts the stored ones", size),
			})
		}
		if !have {
			v.problem(Problem{Code: CheckpointMissing, Seq: size - 1, Detail: fmt.Sprintf("a copy kept outside says that one of %d records was signed", size)})
			have = true
		}
		v.outside = v.outside[1:]
	}
	return nil
}

func (v *verification) leaf(l StoredLeaf) error {
	if l.Seq != v.b.Size() {
		v.problem(Problem{Code: LeafGap, Seq: v.b.Size(), ID: l.ID, Detail: "next is " + strconv.FormatInt(l.Seq, 10)})
	}
	v.record(l)
	v.b.Append(l.Hash, func(t Tile, data []byte, root Hash) { v.tile(t, data, &root) })
	return v.err
}

func (v *verification) record(l StoredLeaf) {
	if l.Canon == nil {
		v.problem(Problem{Code: RecordMissing, Seq: l.Seq, ID: l.ID})
		return
	}
	changed := LeafHash(l.Canon) != l.Hash
	if changed {
		v.problem(Problem{Code: RecordChanged, Seq: l.Seq, ID: l.ID})
	}
	e, err := Decode(l.Canon)
	if err != nil {
		v.problem(Problem{Code: RecordMalformed, Seq: l.Seq, ID: l.ID, Detail: err.Error()})
		return
	}
	want := ColumnsOf(e)
	if (l.Columns != nil && *l.Columns != want) || (l.ID != "" && string(l.ID) != want.ID) {
		v.problem(Problem{Code: RecordColumns, Seq: l.Seq, ID: l.ID})
	}
}

// ahead checks the one copy that a crash, or a seal under way, may leave ahead of the
// store: it speaks of the records that wait for the sealer. Several cannot be: they say
// that what was signed was taken out again.
func (v *verification) ahead() error {
	n := len(v.outside)
	if n == 0 || v.s.Next == nil || v.outside[0].Size != v.outside[n-1].Size || v.outside[0].Size <= v.b.Size() {
		return nil
	}
	for h, err := range v.s.Next {
		if err != nil {
			return err
		}
		v.b.Append(h, func(Tile, []byte, Hash) {})
		if v.b.Size() < v.outside[0].Size {
			continue
		}
		root := v.b.Root()
		for _, c := range v.outside {
			if c.Root != root {
				v.outsideBad.add(Problem{
					Code: OutsideRoot, Seq: c.Size - 1,
					Detail: fmt.Sprintf("a checkpoint of %d records kept outside contradicts the records that wait for the sealer", c.Size),
				})
			}
		}
		v.outside = nil
		return nil
	}
	return nil
}

// tile compares a computed tile with the stored one.
func (v *verification) tile(t Tile, data []byte, root *Hash) {
	if v.s.Tile == nil || v.err != nil {
		return
	}
	v.out.Tiles++
	have, haveRoot, err := v.s.Tile(t)
	seq := min((t.N*TileWidth+int64(t.W))<<(TileHeight*t.L), v.b.Size()) - 1
	switch {
	case err != nil:
		v.err = err
	case have == nil:
		v.problem(Problem{Code: TileMissing, Seq: seq, Detail: t.Path()})
	case !bytes.Equal(have, data) || (haveRoot != nil && root != nil && *haveRoot != *root):
		v.problem(Problem{Code: TileChanged, Seq: seq, Detail: t.Path()})
	}
}

func (v *verification) finish() (Verified, error) {
	v.out.Size, v.out.Root = v.b.Size(), v.b.Root()
	if v.s.Edge {
		tiles, data := v.b.Edge()
		for i, t := range tiles {
			v.tile(t, data[i], nil)
		}
		if v.err != nil {
			return v.out, v.err
		}
	}
	for v.pending != nil {
		v.storedBad.add(Problem{
			Code: CheckpointBeyond, Seq: v.pending.Size - 1,
			Detail: fmt.Sprintf("signed for %d records, and there are %d", v.pending.Size, v.out.Size),
		})
		if err := v.advance(); err != nil {
			return v.out, err
		}
	}
	if err := v.ahead(); err != nil {
		return v.out, err
	}
	if len(v.outside) > 0 {
		last := v.outside[len(v.outside)-1]
		v.problem(Problem{
			Code: OutsideBeyond, Seq: last.Size - 1,
			Detail: fmt.Sprintf("a checkpoint kept outside was signed for %d records, and there are %d", last.Size, v.out.Size),
		})
	}
	v.flush(&v.storedBad)
	v.flush(&v.outsideBad)
	if v.out.Signed < v.out.Size && v.storedBad.first == nil {
		v.problem(Problem{Code: LeafUnsigned, Seq: v.out.Signed, Detail: fmt.Sprintf("%d leaves after the last checkpoint", v.out.Size-v.out.Signed)})
	}
	return v.out, nil
}
