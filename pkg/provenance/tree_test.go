package provenance

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func leafOf(i int64) []byte {
	b := binary.BigEndian.AppendUint64([]byte("entry "), uint64(i))
	return b[:len(b)-int(i%3)] // of several lengths
}

// memory keeps all nodes of a tree by level.
type memory struct {
	leaves [][]byte
	levels [][]Hash
}

func (m *memory) add(data []byte) {
	m.leaves = append(m.leaves, data)
	h := LeafHash(data)
	for l := 0; ; l++ {
		if l == len(m.levels) {
			m.levels = append(m.levels, nil)
		}
		m.levels[l] = append(m.levels[l], h)
		n := len(m.levels[l])
		if n%2 == 1 {
			return
		}
		h = tlog.NodeHash(m.levels[l][n-2], m.levels[l][n-1])
	}
}

func (m *memory) node(level int, n int64) (Hash, error) {
	if level >= len(m.levels) || n >= int64(len(m.levels[level])) {
		return Hash{}, errors.New("no such node")
	}
	return m.levels[level][n], nil
}

// Roots, inclusion and consistency agree with an independent implementation for
// every size up to 300. SPEC: PRV-1
func TestSecondOpinion(t *testing.T) {
	const sizes = 300
	var b Builder
	var m memory
	ranges := compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}
	cr := ranges.NewEmptyRange(0)
	roots := []Hash{b.Root()}
	if want := rfc6962.DefaultHasher.EmptyRoot(); !bytes.Equal(roots[0][:], want) {
		t.Fatalf("empty root %x, want %x", roots[0], want)
	}
	for n := int64(0); n < sizes; n++ {
		data := leafOf(n)
		h := LeafHash(data)
		if want := rfc6962.DefaultHasher.HashLeaf(data); !bytes.Equal(h[:], want) {
			t.Fatalf("leaf %d", n)
		}
		b.Append(h, nil)
		m.add(data)
		if err := cr.Append(h[:], nil); err != nil {
			t.Fatal(err)
		}
		want, err := cr.GetRootHash(nil)
		if err != nil {
			t.Fatal(err)
		}
		root := b.Root()
		if !bytes.Equal(root[:], want) {
			t.Fatalf("root of %d: %x, want %x", n+1, root, want)
		}
		roots = append(roots, root)
	}
	checked := 0
	for size := int64(1); size <= sizes; size++ {
		c := Checkpoint{Size: size, Root: roots[size]}
		for i := int64(0); i < size; i++ {
			p, err := Prove(c, i, m.node)
			if err != nil {
				t.Fatal(err)
			}
			h := LeafHash(leafOf(i))
			if err := proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(i), uint64(size), h[:], raw(p.Hashes), roots[size][:]); err != nil {
				t.Fatalf("inclusion of %d in %d: %v", i, size, err)
			}
			checked++
		}
		for older := int64(1); older <= size; older++ {
			p, err := ProveConsistency(older, size, m.node)
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckConsistency(Checkpoint{Size: older, Root: roots[older]}, c, p); err != nil {
				t.Fatalf("consistency of %d and %d: %v", older, size, err)
			}
			if err := proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(older), uint64(size), raw(p), roots[older][:], roots[size][:]); err != nil {
				t.Fatalf("consistency of %d and %d: %v", older, size, err)
			}
			if older < size {
				if err := CheckConsistency(Checkpoint{Size: older, Root: roots[older-1]}, c, p); !errors.Is(err, ErrProof) {
					t.Fatalf("a wrong older root of %d passes against %d", older, size)
				}
			}
			checked++
		}
	}
	t.Logf("%d proofs", checked)
	if checked != sizes*(sizes+1) {
		t.Fatal("not all of them ran")
	}
}

func raw(hs []Hash) [][]byte {
	out := make([][]byte, len(hs))
	for i, h := range hs {
		out[i] = bytes.Clone(h[:])
	}
	return out
}

// Tiles, across the borders of tiles and of levels: each one is what x/mod reads
// out of the tree, and the builder continues from its own edge.
func TestTiles(t *testing.T) {
	const size = TileWidth*TileWidth + 2*TileWidth + 3
	var b Builder
	var m memory
	full := map[string][]byte{}
	for i := range int64(size) {
		data := binary.BigEndian.AppendUint64(nil, uint64(i))
		m.add(data)
		b.Append(LeafHash(data), func(tile Tile, d []byte, root Hash) {
			if _, twice := full[tile.Path()]; twice || tile.W != TileWidth || len(d) != TileWidth*32 {
				t.Fatalf("tile %s", tile.Path())
			}
			full[tile.Path()] = bytes.Clone(d)
			hs, err := TileHashes(d)
			if err != nil {
				t.Fatal(err)
			}
			if node, err := NodeOf(hs); err != nil || node != root {
				t.Fatalf("root of %s", tile.Path())
			}
		})
		for _, border := range []int64{1, 255, 256, 257, 511, 512, 65535, 65536, 65537, size} {
			if i+1 != border {
				continue
			}
			want, err := tlog.TreeHash(border, Nodes(m.node).reader())
			if err != nil || b.Root() != want {
				t.Fatalf("root at %d: %v", border, err)
			}
			var edge [][]Hash
			tiles, data := b.Edge()
			next := 0
			for l := 0; border>>(TileHeight*l) > 0; l++ {
				edge = append(edge, nil)
				if next < len(tiles) && tiles[next].L == l {
					if edge[l], err = TileHashes(data[next]); err != nil {
						t.Fatal(err)
					}
					next++
				}
			}
			again, err := NewBuilder(border, edge)
			if err != nil || again.Root() != want {
				t.Fatalf("continued at %d: %v", border, err)
			}
			b = *again
		}
	}
	for _, tt := range tlog.NewTiles(TileHeight, 0, size) {
		ours := Tile{L: tt.L, N: tt.N, W: tt.W}
		want, err := tlog.ReadTileData(tt, Nodes(m.node).reader())
		if err != nil {
			t.Fatal(err)
		}
		if tt.W == TileWidth {
			if !bytes.Equal(full[ours.Path()], want) {
				t.Errorf("tile %s", ours.Path())
			}
			delete(full, ours.Path())
		}
	}
	if len(full) != 0 {
		t.Errorf("%d tiles too many", len(full))
	}
	tiles, data := b.Edge()
	for i, e := range tiles {
		want, err := tlog.ReadTileData(tlog.Tile{H: TileHeight, L: e.L, N: e.N, W: e.W}, Nodes(m.node).reader())
		if err != nil || !bytes.Equal(data[i], want) {
			t.Errorf("edge %s: %v", e.Path(), err)
		}
	}
	if _, err := NewBuilder(257, [][]Hash{{}, {}}); !errors.Is(err, ErrMalformed) {
		t.Errorf("an edge that does not fit: %v", err)
	}
}

// The examples of C2SP tlog-tiles.
func TestTilePaths(t *testing.T) {
	for path, tile := range map[string]Tile{
		"tile/0/x001/x234/067":      {0, 1234067, 256},
		"tile/0/x001/x234/067.p/8":  {0, 1234067, 8},
		"tile/63/000.p/255":         {63, 0, 255},
		"tile/1/999":                {1, 999, 256},
		"tile/1/x001/000":           {1, 1000, 256},
		"tile/entries/x001/000":     {-1, 1000, 256},
		"tile/entries/000.p/1":      {-1, 0, 1},
		"tile/entries/x012/345.p/7": {-1, 12345, 7},
	} {
		got, err := ParseTilePath(path)
		if err != nil || got != tile {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
		made := tile.Path()
		if tile.L < 0 {
			made = BundlePath(tile.N, tile.W)
		}
		if made != path {
			t.Errorf("%+v: %s, want %s", tile, made, path)
		}
	}
	for _, bad := range []string{
		"", "tile", "tile/0", "tile/0/", "tile/64/000", "tile/00/000", "tile/-1/000", "tile/0/00", "tile/0/0000", "tile/0/x000/000", "tile/0/001/000",
		"tile/0/x001", "tile/0/000.p/0", "tile/0/000.p/256", "tile/0/000.p/01", "tile/0/000.p/", "tile/data/000", "/tile/0/000", "tile/0/+01", "tile/0/000/", "tile/8/0/000",
	} {
		if got, err := ParseTilePath(bad); err == nil {
			t.Errorf("%q is taken for %+v", bad, got)
		}
	}
	// The size that the specification works out: 273 full tiles of level 0, one of
	// 112, one full of level 1, one of 17, one of 1.
	if d := cmp.Diff([]Tile{{0, 273, 112}, {1, 1, 17}, {2, 0, 1}}, partialTiles(70_000)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Tile{{1, 0, 1}}, partialTiles(256)); d != "" {
		t.Error(d)
	}
}

func testKey(t testing.TB, name string) (note.Signer, note.Verifier) {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	skey, vkey, err := note.GenerateKey(bytes.NewReader(seed[:]), name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := note.NewSigner(skey)
	if err != nil {
		t.Fatal(err)
	}
	v, err := note.NewVerifier(vkey)
	if err != nil {
		t.Fatal(err)
	}
	return s, v
}

func TestCheckpoint(t *testing.T) {
	signer, key := testKey(t, "ledger.example/one")
	other, otherKey := testKey(t, "ledger.example/two")
	var b Builder
	b.Append(LeafHash([]byte("x")), nil)
	c, err := SignCheckpoint(b.Size(), b.Root(), signer)
	if err != nil {
		t.Fatal(err)
	}
	if want := "ledger.example/one\n1\n" + b.Root().String() + "\n\n\u2014 ledger.example/one "; !strings.HasPrefix(string(c.Note), want) {
		t.Errorf("checkpoint %q", c.Note)
	}
	got, err := OpenCheckpoint(c.Note, otherKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(c, got); d != "" {
		t.Error(d)
	}
	loose, err := UnverifiedCheckpoint(c.Note)
	if d := cmp.Diff(c, loose); err != nil || d != "" {
		t.Error(err, d)
	}
	sign := func(s note.Signer, body string) []byte {
		text, err := note.Sign(&note.Note{Text: body}, s)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	root := b.Root().String()
	// A witness' signature beside the ledger's own does no harm.
	n, err := note.Open(c.Note, note.VerifierList(key))
	if err != nil {
		t.Fatal(err)
	}
	both, err := note.Sign(n, other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCheckpoint(both, key); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string][]byte{
		"empty":               nil,
		"other key":           sign(other, "ledger.example/two\n1\n"+root+"\n"),
		"other origin":        sign(signer, "ledger.example/two\n1\n"+root+"\n"),
		"no origin":           sign(signer, "\n1\n"+root+"\n"),
		"size with a zero":    sign(signer, "ledger.example/one\n01\n"+root+"\n"),
		"negative size":       sign(signer, "ledger.example/one\n-1\n"+root+"\n"),
		"short root":          sign(signer, "ledger.example/one\n1\nAAAA\n"),
		"extension line":      sign(signer, "ledger.example/one\n1\n"+root+"\nmore\n"),
		"a changed size":      bytes.Replace(c.Note, []byte("\n1\n"), []byte("\n2\n"), 1),
		"signature cut off":   c.Note[:len(c.Note)-8],
		"a signature removed": c.Note[:bytes.Index(c.Note, []byte("\u2014"))],
		"too long":            append(bytes.Clone(c.Note), bytes.Repeat([]byte("\u2014 w AAAAAAAA\n"), 8000)...),
	} {
		if _, err := OpenCheckpoint(bad, key); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProof(t *testing.T) {
	signer, key := testKey(t, "ledger.example")
	var b Builder
	var m memory
	for i := range int64(1000) {
		m.add(leafOf(i))
		b.Append(LeafHash(leafOf(i)), nil)
	}
	c, err := SignCheckpoint(b.Size(), b.Root(), signer)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int64{0, 1, 255, 256, 511, 998, 999} {
		p, err := Prove(c, i, m.node)
		if err != nil {
			t.Fatal(err)
		}
		text := p.Text()
		again, err := ParseProof(text)
		if d := cmp.Diff(p, again); err != nil || d != "" {
			t.Fatalf("%v %s", err, d)
		}
		if got, err := again.Check(leafOf(i), key); err != nil || got.Size != 1000 {
			t.Fatalf("%d: %v", i, err)
		}
		if _, err := again.Check(leafOf(i+1), key); !errors.Is(err, ErrProof) {
			t.Errorf("%d: another record passes: %v", i, err)
		}
		again.Index = (i + 1) % 1000
		if _, err := again.Check(leafOf(i), key); !errors.Is(err, ErrProof) {
			t.Errorf("%d: another place passes: %v", i, err)
		}
		extra := bytes.Replace(text, []byte("\nindex"), []byte("\nextra aGVsbG8=\nindex"), 1)
		if x, err := ParseProof(extra); err != nil || x.Index != i {
			t.Errorf("extra line: %v", err)
		}
		for _, bad := range []string{
			"", "c2sp.org/tlog-proof@v1\n\n", strings.Replace(string(text), "@v1", "@v2", 1), strings.Replace(string(text), "index ", "index 0", 1),
			strings.Replace(string(text), "index ", "index -", 1), strings.Replace(string(text), "\n\n", "\nAAAA\n\n", 1),
		} {
			if _, err := ParseProof([]byte(bad)); !errors.Is(err, ErrMalformed) {
				t.Errorf("%.60q: %v", bad, err)
			}
		}
	}
	if _, err := Prove(c, 1000, m.node); !errors.Is(err, ErrProof) {
		t.Error(err)
	}
}

func TestFiles(t *testing.T) {
	signer, _ := testKey(t, "ledger.example")
	var file []byte
	var want [][]byte
	for i := range int64(5) {
		c, err := SignCheckpoint(i, LeafHash(leafOf(i)), signer)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, c.Note)
		file = append(file, FileCheckpoint(c.Note)...)
	}
	got, rest := SplitCheckpoints(file)
	if d := cmp.Diff(want, got); d != "" || len(rest) != 0 {
		t.Errorf("%s, rest %q", d, rest)
	}
	// A write that a crash cut off, at every byte, loses nothing before it.
	whole := len(file) - len(FileCheckpoint(want[4]))
	for cut := whole; cut < len(file); cut++ {
		got, rest := SplitCheckpoints(file[:cut])
		if len(got) != 4 || len(rest) != cut-whole {
			t.Fatalf("cut at %d: %d checkpoints, rest %d", cut, len(got), len(rest))
		}
	}
	var bundle []byte
	var err error
	for i := range int64(4) {
		if bundle, err = AppendEntry(bundle, leafOf(i)); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := SplitEntries(bundle)
	if err != nil || len(entries) != 4 || !bytes.Equal(entries[3], leafOf(3)) {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	if _, err := SplitEntries(bundle[:len(bundle)-1]); !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
	if _, err := AppendEntry(nil, make([]byte, MaxCanonical+1)); !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
}

func FuzzCheckpoint(f *testing.F) {
	signer, key := testKey(f, "ledger.example")
	c, err := SignCheckpoint(7, LeafHash([]byte("x")), signer)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(c.Note)
	f.Add([]byte("ledger.example\n0\n\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := OpenCheckpoint(b, key); err == nil && (got.Size != c.Size || got.Root != c.Root) {
			t.Fatalf("another checkpoint opens: %+v", got)
		}
		if got, err := UnverifiedCheckpoint(b); err == nil && !strings.HasPrefix(string(b), got.body()+"\n") {
			t.Fatalf("read as something else: %+v", got)
		}
	})
}

func FuzzProof(f *testing.F) {
	f.Add([]byte("c2sp.org/tlog-proof@v1\nindex 0\n\nledger.example\n1\n"))
	f.Add([]byte("c2sp.org/tlog-proof@v1\nextra aGk=\nindex 3\n" + LeafHash(nil).String() + "\n\nx\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseProof(b)
		if err != nil || bytes.Contains(b, []byte("\nextra ")) {
			return
		}
		if !bytes.Equal(p.Text(), b) {
			t.Fatalf("accepted, and not the form it writes: %q", b)
		}
	})
}

func FuzzFiles(f *testing.F) {
	f.Add([]byte("a\n\nb\n\nc\n\nd\n\n"), "tile/0/000.p/3")
	f.Add([]byte{0, 1, 'x', 0, 0}, "tile/entries/x001/000")
	f.Fuzz(func(t *testing.T, b []byte, path string) {
		notes, rest := SplitCheckpoints(b)
		var joined []byte
		for _, n := range notes {
			joined = append(joined, FileCheckpoint(n)...)
		}
		if !bytes.Equal(append(joined, rest...), b) {
			t.Fatalf("%d notes and the rest are not the file", len(notes))
		}
		if entries, err := SplitEntries(b); err == nil {
			var bundle []byte
			for _, e := range entries {
				var err error
				if bundle, err = AppendEntry(bundle, e); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(bundle, b) {
				t.Fatal("entries are not the bundle")
			}
		}
		if tile, err := ParseTilePath(path); err == nil {
			made := tile.Path()
			if tile.L < 0 {
				made = BundlePath(tile.N, tile.W)
			}
			if made != path {
				t.Fatalf("%q reads as %q", path, made)
			}
		}
	})
}
