package provenance

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/pkg/chunk"
)

var sites = flag.Int("sites", 15, "random places that each kind of tampering is tried at")

// table is a stored ledger as a database would hold it, for a test to tamper with.
type table struct {
	leaves      []StoredLeaf
	tiles       map[Tile][]byte
	roots       map[Tile]Hash
	checkpoints [][]byte
}

func (b *table) stored() Stored {
	return Stored{
		Leaves: func(yield func(StoredLeaf, error) bool) {
			for _, l := range b.leaves {
				if !yield(l, nil) {
					return
				}
			}
		},
		Checkpoints: all(b.checkpoints),
		Tile: func(t Tile) ([]byte, *Hash, error) {
			data, ok := b.tiles[t]
			if !ok {
				return nil, nil, nil
			}
			root := b.roots[t]
			return data, &root, nil
		},
	}
}

func all(notes [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, n := range notes {
			if !yield(n, nil) {
				return
			}
		}
	}
}

func (b *table) clone() *table {
	c := &table{leaves: slices.Clone(b.leaves), tiles: map[Tile][]byte{}, roots: map[Tile]Hash{}, checkpoints: slices.Clone(b.checkpoints)}
	for t, d := range b.tiles {
		c.tiles[t], c.roots[t] = d, b.roots[t]
	}
	return c
}

// record gives the n-th record of a test ledger; version tells two of the same id
// apart.
func record(t testing.TB, n, version int) Entry {
	t.Helper()
	about := chunk.NewID("chk", fmt.Sprint(n))
	p, err := EncodePayload(Scanned{RunID: chunk.NewID("run", "one"), ChunkID: about, ConfidenceBand: chunk.BandHigh, ConfidenceScore: float64(version) / 8})
	if err != nil {
		t.Fatal(err)
	}
	e, err := Encode(Record{
		ID: RecordID(KindScanned, about), Time: time.Date(2026, 11, 21, 0, 0, 0, n*1000, time.UTC), Kind: KindScanned, Tenant: "default",
		Run: chunk.NewID("run", "one"), Subject: about, Actor: "stage:detector", Payload: p,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func leafEntry(seq int64, e Entry) StoredLeaf {
	c := ColumnsOf(e)
	return StoredLeaf{Seq: seq, ID: e.Record.ID, Hash: c.Leaf, Canon: e.Canon, Columns: &c}
}

// seal computes everything that follows from the leaves: sequence numbers, tiles,
// and a checkpoint at each of the given sizes.
func (b *table) seal(t testing.TB, signer note.Signer, sizes ...int64) {
	t.Helper()
	b.tiles, b.roots, b.checkpoints = map[Tile][]byte{}, map[Tile]Hash{}, nil
	var g Builder
	for i := range b.leaves {
		b.leaves[i].Seq = int64(i)
		g.Append(b.leaves[i].Hash, func(tile Tile, data []byte, root Hash) {
			b.tiles[tile], b.roots[tile] = bytes.Clone(data), root
		})
		if slices.Contains(sizes, g.Size()) {
			c, err := SignCheckpoint(g.Size(), g.Root(), signer)
			if err != nil {
				t.Fatal(err)
			}
			b.checkpoints = append(b.checkpoints, c.Note)
		}
	}
}

const tableSize = 300

var tableSizes = []int64{1, 50, 256, 257, 299, tableSize}

func newTable(t testing.TB, signer note.Signer) *table {
	b := &table{}
	for i := range tableSize {
		b.leaves = append(b.leaves, leafEntry(int64(i), record(t, i, 0)))
	}
	b.seal(t, signer, tableSizes...)
	return b
}

func verify(t testing.TB, b *table, outside [][]byte, keys ...note.Verifier) (Verified, []Problem) {
	t.Helper()
	var ps []Problem
	v, err := Verify(b.stored(), outside, keys, func(p Problem) { ps = append(ps, p) })
	if err != nil {
		t.Fatal(err)
	}
	if int(v.Problems) != len(ps) {
		t.Fatalf("%d problems counted, %d reported", v.Problems, len(ps))
	}
	return v, ps
}

func codes(ps []Problem) []Code {
	var cs []Code
	for _, p := range ps {
		if !slices.Contains(cs, p.Code) {
			cs = append(cs, p.Code)
		}
	}
	slices.Sort(cs)
	return cs
}

func TestVerifyHolds(t *testing.T) {
	signer, key := testKey(t, "ledger.example")
	b := newTable(t, signer)
	v, ps := verify(t, b, b.checkpoints, key)
	if len(ps) != 0 || v.Size != tableSize || v.Signed != tableSize || v.Checkpoints != 6 || v.Outside != 6 || v.Tiles != 1 {
		t.Errorf("%+v %v", v, ps)
	}
	empty := &table{}
	if v, ps := verify(t, empty, nil, key); len(ps) != 0 || v.Size != 0 {
		t.Errorf("%+v %v", v, ps)
	}
	if _, err := Verify(b.stored(), nil, nil, nil); !errors.Is(err, ErrNoKey) {
		t.Error(err)
	}
}

// Whatever somebody does who can write the tables, who knows the format, and even
// who holds the signing key, a checkpoint kept outside shows it. SPEC: PRV-1
func TestTampering(t *testing.T) {
	signer, key := testKey(t, "ledger.example")
	clean := newTable(t, signer)
	outside := [][]byte{clean.checkpoints[len(clean.checkpoints)-1]}
	// resign makes everything that follows from the leaves agree again, as somebody
	// with the signing key can.
	resign := func(b *table) { b.seal(t, signer, append(tableSizes, int64(len(b.leaves)))...) }
	kinds := []struct {
		name   string
		tamper func(b *table, at int)
		hidden bool // nothing inside the database shows it
	}{
		{"edit a record", func(b *table, at int) { b.leaves[at].Canon = record(t, at, 1).Canon }, false},
		{"edit a record, its columns and its leaf", func(b *table, at int) { b.leaves[at] = leafEntry(int64(at), record(t, at, 1)) }, false},
		{"edit a record and all tiles", func(b *table, at int) {
			b.leaves[at] = leafEntry(int64(at), record(t, at, 1))
			old := b.checkpoints
			resign(b)
			b.checkpoints = old
		}, false},
		{"edit the columns", func(b *table, at int) {
			c := *b.leaves[at].Columns
			c.Run = string(chunk.NewID("run", "other"))
			b.leaves[at].Columns = &c
		}, false},
		{"delete a record", func(b *table, at int) { b.leaves[at].Canon, b.leaves[at].Columns = nil, nil }, false},
		{"delete a record and its leaf", func(b *table, at int) { b.leaves = slices.Delete(b.leaves, at, at+1) }, false},
		{"delete a record and close the gap", func(b *table, at int) {
			b.leaves = slices.Delete(b.leaves, at, at+1)
			for i := range b.leaves {
				b.leaves[i].Seq = int64(i)
			}
		}, false},
		{"insert a record", func(b *table, at int) {
			b.leaves = slices.Insert(b.leaves, at, leafEntry(0, record(t, tableSize, 0)))
			for i := range b.leaves {
				b.leaves[i].Seq = int64(i)
			}
		}, false},
		{"reorder two leaves", func(b *table, at int) {
			other := (at + 7) % tableSize
			b.leaves[at], b.leaves[other] = b.leaves[other], b.leaves[at]
			b.leaves[at].Seq, b.leaves[other].Seq = int64(at), int64(other)
		}, false},
		{"swap the bytes of two records", func(b *table, at int) {
			other := (at + 7) % tableSize
			b.leaves[at].Canon, b.leaves[other].Canon = b.leaves[other].Canon, b.leaves[at].Canon
		}, false},
		{"cut off the end", func(b *table, at int) { b.leaves = b.leaves[:at] }, false},
		{"cut off the end, checkpoints too", func(b *table, at int) {
			b.leaves = b.leaves[:at]
			keep := slices.DeleteFunc(slices.Clone(tableSizes), func(s int64) bool { return s > int64(at) })
			b.seal(t, signer, keep...)
		}, false}, // the leaves after the last checkpoint show it, unless it is cut at one
		{"cut off the end and sign there", func(b *table, at int) { b.leaves = b.leaves[:at]; resign(b) }, true},
		{"fork: other records from here on, signed", func(b *table, at int) {
			for i := at; i < tableSize; i++ {
				b.leaves[i] = leafEntry(int64(i), record(t, i, 2))
			}
			resign(b)
		}, true},
		{"rewrite one record and sign all again", func(b *table, at int) {
			b.leaves[at] = leafEntry(int64(at), record(t, at, 3))
			resign(b)
		}, true},
		{"sign with another key", func(b *table, at int) {
			b.leaves[at] = leafEntry(int64(at), record(t, at, 3))
			stranger, _ := testKey(t, "stranger")
			b.seal(t, stranger, tableSizes...)
		}, false},
		{"change a tile", func(b *table, at int) {
			tile := Tile{L: 0, N: 0, W: TileWidth}
			b.tiles[tile] = bytes.Clone(b.tiles[tile])
			b.tiles[tile][at] ^= 1
		}, false},
		{"change the root of a tile", func(b *table, at int) {
			h := b.roots[Tile{L: 0, N: 0, W: TileWidth}]
			h[at%32] ^= 1
			b.roots[Tile{L: 0, N: 0, W: TileWidth}] = h
		}, false},
		{"delete a tile", func(b *table, at int) { delete(b.tiles, Tile{L: 0, N: 0, W: TileWidth}) }, false},
		{"delete the checkpoint", func(b *table, at int) { b.checkpoints = b.checkpoints[:len(b.checkpoints)-1] }, false},
		{"change a checkpoint", func(b *table, at int) {
			i := at % len(b.checkpoints)
			b.checkpoints[i] = bytes.Clone(b.checkpoints[i])
			b.checkpoints[i][at%len(b.checkpoints[i])] ^= 1
		}, false},
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			found, unseen := 0, 0
			seen := map[Code]int{}
			for range *sites {
				b := clean.clone()
				k.tamper(b, rnd.IntN(tableSize))
				_, ps := verify(t, b, outside, key)
				if len(ps) > 0 {
					found++
				}
				for _, c := range codes(ps) {
					seen[c]++
				}
				if _, ps := verify(t, b, nil, key); len(ps) == 0 {
					unseen++
				}
			}
			t.Logf("%d of %d found, %d of them only by the copy outside: %v", found, *sites, unseen, seen)
			if found != *sites {
				t.Errorf("%d of %d found", found, *sites)
			}
			// The control: without a copy outside, somebody with the key goes unseen.
			if k.hidden && unseen != *sites {
				t.Errorf("only %d of %d stay unseen without a copy outside: the control does not control", unseen, *sites)
			}
		})
	}
}

// Problems name the place. SPEC: PRV-1
func TestProblemsNameThePlace(t *testing.T) {
	signer, key := testKey(t, "ledger.example")
	clean := newTable(t, signer)
	id := clean.leaves[42].ID
	b := clean.clone()
	b.leaves[42].Canon = record(t, 42, 1).Canon
	_, ps := verify(t, b, nil, key)
	want := []Problem{{Code: RecordChanged, Seq: 42, ID: id}, {Code: RecordColumns, Seq: 42, ID: id}}
	if d := cmp.Diff(want, ps); d != "" {
		t.Error(d)
	}
	b = clean.clone()
	b.leaves[42] = leafEntry(42, record(t, 42, 1))
	_, ps = verify(t, b, nil, key)
	// The first checkpoint that fails bounds the place: after 1, up to 50.
	if d := cmp.Diff([]Code{CheckpointRoot, TileChanged}, codes(ps)); d != "" {
		t.Error(d)
	}
	for _, p := range ps {
		if p.Code == CheckpointRoot && (p.Seq != 49 || !strings.Contains(p.Detail, "of 1 did") || !strings.Contains(p.Detail, "4 later ones")) {
			t.Error(p)
		}
	}
	if got := (Problem{Code: RecordChanged, Seq: 42, ID: id, Detail: "x"}).String(); got != "record-changed seq=42 id="+string(id)+": x" {
		t.Error(got)
	}
}

func TestVerifyStopsOnReadErrors(t *testing.T) {
	signer, key := testKey(t, "ledger.example")
	b := newTable(t, signer)
	boom := errors.New("disk")
	for name, f := range map[string]func(*Stored){
		"leaves":      func(s *Stored) { s.Leaves = func(yield func(StoredLeaf, error) bool) { yield(StoredLeaf{}, boom) } },
		"checkpoints": func(s *Stored) { s.Checkpoints = func(yield func([]byte, error) bool) { yield(nil, boom) } },
		"tiles":       func(s *Stored) { s.Tile = func(Tile) ([]byte, *Hash, error) { return nil, nil, boom } },
	} {
		s := b.stored()
		f(&s)
		if _, err := Verify(s, nil, []note.Verifier{key}, func(Problem) {}); !errors.Is(err, boom) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
