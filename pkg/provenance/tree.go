package provenance

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Hash is a node of the tree: RFC 6962 with SHA-256.
type Hash = tlog.Hash

// LeafHash is the hash of a record's canonical bytes as a leaf of the tree.
func LeafHash(canon []byte) Hash { return tlog.RecordHash(canon) }

// TileHeight and TileWidth are fixed by C2SP tlog-tiles.
const (
	TileHeight = 8
	TileWidth  = 1 << TileHeight
)

// Tile is W consecutive hashes at level 8·L of the tree, the first of them at
// N·256. A tile of width 256 is full and never changes again.
type Tile struct {
	L int
	N int64
	W int
}

// Path is the tile's path after C2SP tlog-tiles. It differs from tlog.Tile.Path,
// which also names the height.
func (t Tile) Path() string { return "tile/" + strconv.Itoa(t.L) + "/" + tilePath(t.N, t.W) }

// BundlePath is the path of the entry bundle that belongs to the tile of level 0
// with the given number and width.
func BundlePath(n int64, w int) string { return "tile/entries/" + tilePath(n, w) }

func tilePath(n int64, w int) string {
	s := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		s = fmt.Sprintf("x%03d/%s", n%1000, s)
	}
	if w != TileWidth {
		s += ".p/" + strconv.Itoa(w)
	}
	return s
}

// ParseTilePath reads the path of a tile; level -1 is an entry bundle. It accepts
// exactly what [Tile.Path] and [BundlePath] write.
func ParseTilePath(path string) (Tile, error) {
	bad := fmt.Errorf("%w: tile path", ErrMalformed)
	rest, ok := strings.CutPrefix(path, "tile/")
	if !ok {
		return Tile{}, bad
	}
	level, rest, ok := strings.Cut(rest, "/")
	if !ok {
		return Tile{}, bad
	}
	t := Tile{L: -1, W: TileWidth}
	if level != "entries" {
		l, err := strconv.Atoi(level)
		if err != nil || l < 0 || l > 63 {
			return Tile{}, bad
		}
		t.L = l
	}
	if i := strings.Index(rest, ".p/"); i >= 0 {
		w, err := strconv.Atoi(rest[i+3:])
		if err != nil || w < 1 || w >= TileWidth {
			return Tile{}, bad
		}
		t.W, rest = w, rest[:i]
	}
	for _, e := range strings.Split(rest, "/") {
		n, err := strconv.ParseUint(strings.TrimPrefix(e, "x"), 10, 16)
		if err != nil || n > 999 || t.N > (1<<62)/1000 {
			return Tile{}, bad
		}
		t.N = t.N*1000 + int64(n)
	}
	again := t.Path()
	if t.L < 0 {
		again = BundlePath(t.N, t.W)
	}
	if again != path {
		return Tile{}, bad
	}
	return t, nil
}

// TilesOf lists the tiles of a tree of the given size that are not full: the
// right edge, lowest level first.
func partialTiles(size int64) []Tile {
	var ts []Tile
	for l := 0; size > 0; l++ {
		if w := size % TileWidth; w > 0 {
			ts = append(ts, Tile{L: l, N: size / TileWidth, W: int(w)})
		}
		size /= TileWidth
	}
	return ts
}

// Builder grows a tree leaf by leaf and keeps only its right edge: at most 255
// hashes a level. The zero value is the empty tree.
type Builder struct {
	size   int64
	levels [][]Hash
}

// Size is the number of leaves.
func (b *Builder) Size() int64 { return b.size }

// Append adds a leaf. For each tile that it fills, full is called with the tile,
// its data and the hash that stands for it one level up; the data is valid until
// full returns. A nil full is not called.
func (b *Builder) Append(leaf Hash, full func(t Tile, data []byte, root Hash)) {
	n := b.size
	b.size++
	for l := 0; ; l++ {
		if l == len(b.levels) {
			b.levels = append(b.levels, make([]Hash, 0, TileWidth))
		}
		b.levels[l] = append(b.levels[l], leaf)
		if len(b.levels[l]) < TileWidth {
			return
		}
		n /= TileWidth
		root := perfect(b.levels[l])
		if full != nil {
			full(Tile{L: l, N: n, W: TileWidth}, tileData(b.levels[l]), root)
		}
		b.levels[l] = b.levels[l][:0]
		leaf = root
	}
}

// Edge gives the tiles of the right edge that are not full, with their data.
func (b *Builder) Edge() (tiles []Tile, data [][]byte) {
	tiles = partialTiles(b.size)
	for _, t := range tiles {
		data = append(data, tileData(b.levels[t.L]))
	}
	return tiles, data
}

// NewBuilder continues a tree from its right edge: level by level, the hashes
// that are not yet in a full tile.
func NewBuilder(size int64, edge [][]Hash) (*Builder, error) {
	b := &Builder{size: size}
	rest := size
	for l := 0; rest > 0; l++ {
		level := make([]Hash, 0, TileWidth)
		if l < len(edge) {
			level = append(level, edge[l]...)
		}
		if int64(len(level)) != rest%TileWidth {
			return nil, fmt.Errorf("%w: edge of level %d", ErrMalformed, l)
		}
		b.levels = append(b.levels, level)
		rest /= TileWidth
	}
	return b, nil
}

// Root is the root of the tree (RFC 6962, section 2.1). The root of the empty
// tree is the hash of nothing.
func (b *Builder) Root() Hash {
	if b.size == 0 {
		h, _ := tlog.TreeHash(0, nil)
		return h
	}
	var acc Hash
	have := false
	for _, level := range b.levels {
		// The hashes of a level are perfect subtrees of sizes that are the bits of
		// their count: the smallest stands rightmost.
		end := len(level)
		for bit := 1; bit <= end; bit <<= 1 {
			if end&bit == 0 {
				continue
			}
			sub := perfect(level[end-bit : end])
			end -= bit
			if have {
				acc = tlog.NodeHash(sub, acc)
			} else {
				acc, have = sub, true
			}
		}
	}
	return acc
}

// perfect hashes a power of two of nodes to the node above them.
func perfect(nodes []Hash) Hash {
	if len(nodes) == 1 {
		return nodes[0]
	}
	h := make([]Hash, len(nodes)/2)
	for i := range h {
		h[i] = tlog.NodeHash(nodes[2*i], nodes[2*i+1])
	}
	for n := len(h); n > 1; n /= 2 {
		for i := range n / 2 {
			h[i] = tlog.NodeHash(h[2*i], h[2*i+1])
		}
	}
	return h[0]
}

func tileData(hashes []Hash) []byte {
	b := make([]byte, 0, len(hashes)*len(Hash{}))
	for _, h := range hashes {
		b = append(b, h[:]...)
	}
	return b
}

// TileHashes cuts a tile's data into its hashes.
func TileHashes(data []byte) ([]Hash, error) {
	const n = len(Hash{})
	if len(data)%n != 0 || len(data) > TileWidth*n {
		return nil, fmt.Errorf("%w: tile data", ErrMalformed)
	}
	hs := make([]Hash, len(data)/n)
	for i := range hs {
		copy(hs[i][:], data[i*n:])
	}
	return hs, nil
}
