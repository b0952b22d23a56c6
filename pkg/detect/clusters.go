package detect

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Clusters sorts words by the company they keep: words that stand in the same places of texts
// have the same number, in whatever language. The model learns what sequences of clusters
// mean, and so knows something of a wording that it never met. They are learned from text
// without labels (corpus/train/clusters.go), and looked up only for windows that the gate lets
// through.
//
// A word is known by 32 bits of its hash: one word in a hundred thousand that is in no
// cluster passes for one that is.
type Clusters struct {
	slots []clusterSlot // open addressing: their number is a power of two, at least half are free
	words int
}

type clusterSlot struct {
	word   uint32
	number uint16 // 0: free
}

// maxClustered bounds the words of a table.
const maxClustered = 1 << 17

// NewClusters makes a table of the clusters, numbered from 1, of words by their hashes (see
// [Features.Words]). Words of number 0 are in none.
func NewClusters(of map[uint64]uint16) *Clusters {
	c := newClusters(len(of))
	for h, number := range of {
		if number > 0 {
			c.put(uint32(h>>32), number)
		}
	}
	return c
}

func newClusters(words int) *Clusters {
	n := 1
	for n < 2*words {
		n *= 2
	}
	return &Clusters{slots: make([]clusterSlot, n)}
}

func (c *Clusters) put(word uint32, number uint16) {
	if s := c.find(word); s.number == 0 {
		*s = clusterSlot{word, number}
		c.words++
	} else {
		s.number = min(s.number, number) // of words that share 32 bits, in whatever order they come
	}
}

// find gives the slot of a word, or the one where it would be.
func (c *Clusters) find(word uint32) *clusterSlot {
	mask := uint32(len(c.slots) - 1)
	for i := word & mask; ; i = (i + 1) & mask {
		if s := &c.slots[i]; s.number == 0 || s.word == word {
			return s
		}
	}
}

// number gives the cluster of a word; 0: none.
func (c *Clusters) number(h uint64) uint16 {
	if c == nil {
		return 0
	}
	return c.find(uint32(h >> 32)).number
}

// append writes the table: the number of words, then the words in order with their clusters.
func (c *Clusters) append(b []byte) []byte {
	if c == nil {
		return binary.LittleEndian.AppendUint32(b, 0)
	}
	all := make([]clusterSlot, 0, c.words)
	for _, s := range c.slots {
		if s.number > 0 {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b clusterSlot) int { return cmp.Compare(a.word, b.word) })
	b = binary.LittleEndian.AppendUint32(b, uint32(len(all)))
	for _, s := range all {
		b = binary.LittleEndian.AppendUint32(b, s.word)
		b = binary.LittleEndian.AppendUint16(b, s.number)
	}
	return b
}

// readClusters gives a table and what is behind it. One that is not in order is refused.
func readClusters(b []byte) (c *Clusters, rest []byte, ok bool) {
	const each = 6
	if len(b) < 4 {
		return nil, nil, false
	}
	n := int(binary.LittleEndian.Uint32(b))
	if b = b[4:]; n > maxClustered || len(b) < n*each {
		return nil, nil, false
	}
	c = newClusters(n)
	before := int64(-1)
	for range n {
		word, number := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:])
		if int64(word) <= before || number == 0 {
			return nil, nil, false
		}
		before = int64(word)
		c.put(word, number)
		b = b[each:]
	}
	return c, b, true
}

// kin is what the grams of clusters see of a token: of a word its cluster, of signs and
// values what they are.
func (t *gramToken) kin() uint64 {
	if t.kind >= tokSign {
		return t.hash
	}
	return uint64(t.cluster)
}

// kindred adds the grams of clusters that begin with one of the first n of t and end with
// t[reach] or one behind it: one, two and three neighbours, and two with one or two between.
// Signs count as neighbours, and not by themselves.
func (f *Features) kindred(t []gramToken, n, reach int) {
	k := len(f.Clusters)
	n = min(n, len(t))
	out := slices.Grow(f.Clusters, 5*n)[:k+5*n]
	// As in near, all are written, and what is none is written over.
	for i := range n {
		a, word := t[i].kin(), one(t[i].kind != tokSign)
		out[k] = gramSlot(mixHash(saltCluster, a))
		k += word & one(i >= reach)
		if i+1 >= len(t) {
			break
		}
		two, skip := mixHash(mixHash(saltClusterTwo, a), t[i+1].kin()), mixHash(saltClusterSkip, a)
		out[k] = gramSlot(two)
		k += one(i+1 >= reach)
		if i+2 >= len(t) {
			continue
		}
		b, in := t[i+2].kin(), one(i+2 >= reach)
		out[k] = gramSlot(mixHash(mixHash(saltClusterThree, two), b))
		k += in
		out[k] = gramSlot(mixHash(skip, b))
		k += in & word & one(t[i+2].kind != tokSign)
		if i+3 < len(t) {
			out[k] = gramSlot(mixHash(skip, t[i+3].kin()))
			k += one(i+3 >= reach) & word & one(t[i+3].kind != tokSign)
		}
	}
	f.Clusters = out[:k]
}
