package main

import (
	"cmp"
	"log"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stoplog/stoplog/pkg/detect"
)

// Words that stand among the same words mean something alike (Harris, "Distributional
// structure", 1954). What stands around each word is counted in all the text that training
// reads, labels unseen; the counts become a few figures of each word (vectors.go), and words
// with like figures a cluster.
const (
	clusterWords    = 50000 // words that are put into clusters, in all languages
	clusterContexts = 4000  // words and signs that are looked for around them
	clusterCount    = 1024
	clusterLeast    = 5  // texts that hold a word
	clusterRounds   = 15 // of k-means
	// Text written for this project, and composed, says in a tenth of the words what the rest is
	// there for.
	clusterOwn     = 3     // times that its neighbours count
	clusterOwnText = 4     // times more that a text with a word counts when words are chosen
	clusterOwnSize = 10    // and when clusters are placed
	clusterTexts   = 40000 // composed attacks that are read, and as many honest texts
)

// What stands around a word: its neighbours on each side, and words up to clusterReach away on
// both. The nearer one counts more.
const (
	placeBefore = iota
	placeBehind
	placeAround
	places

	clusterReach = 5
)

// aroundCounts is what a word so far away counts.
var aroundCounts = [clusterReach + 1]int32{1: 4, 2: 4, 3: 3, 4: 2, 5: 1}

// token is what was met of one word, sign or value.
type token struct {
	hash       uint64
	word       bool
	texts, own uint32 // that it stands in
	last       uint32 // of them
}

// reader counts the words of texts.
type reader struct {
	f       detect.Features
	tokens  []token
	numbers map[uint64]uint32 // of tokens by their hashes
	stream  []uint32          // the tokens of all texts, each behind an endOfText
	texts   uint32
	own     int // where the texts of this project begin
}

const endOfText = math.MaxUint32

func newReader() *reader {
	return &reader{numbers: map[uint64]uint32{}, stream: []uint32{endOfText}, own: math.MaxInt}
}

func (r *reader) read(text string) {
	r.texts++
	r.f.Words([]byte(text), func(h uint64, word bool) {
		n, ok := r.numbers[h]
		if !ok {
			n = uint32(len(r.tokens))
			r.numbers[h] = n
			r.tokens = append(r.tokens, token{hash: h, word: word})
		}
		if t := &r.tokens[n]; t.last != r.texts {
			t.last = r.texts
			t.texts++
			if len(r.stream) > r.own {
				t.own++
			}
		}
		r.stream = append(r.stream, n)
	})
	r.stream = append(r.stream, endOfText)
}

// clustersOf learns the clusters of words from all the text there is, labels unseen.
func clustersOf(c *composer, packages []string, written []doc, seed uint64) *detect.Clusters {
	r := newReader()
	for _, text := range packages {
		r.read(text)
	}
	r.own = len(r.stream)
	for _, d := range written {
		if !d.attack || c.wants(d.lang, d.family, d.part, allParts) {
			r.read(d.text)
		}
	}
	for i := range clusterTexts {
		r.read(c.attack(uint64(i), i%parts).text)
		r.read(c.benign(uint64(i), i%parts).text)
	}
	of := r.clusters(clusterCount, seed)
	log.Printf("clusters: %d words, of %d in %d texts", len(of), len(r.stream), r.texts)
	return detect.NewClusters(of)
}

// clusters sorts the words into so many clusters, numbered from 1.
func (r *reader) clusters(count int, seed uint64) map[uint64]uint16 {
	words, contexts := r.chosen()
	if len(words) == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, 501))
	at := vectorsOf(r.around(words, contexts), places*len(contexts), rng)
	size := make([]float64, len(words))
	for i, n := range words {
		t := &r.tokens[n]
		size[i] = math.Sqrt(float64(t.texts + clusterOwnSize*t.own))
	}
	number := nearest(at, size, count, rng)
	of := make(map[uint64]uint16, len(words))
	for i, n := range words {
		of[r.tokens[n].hash] = uint16(1 + number[i])
	}
	return of
}

// chosen gives the words to be sorted and what is looked for around them, by their numbers.
func (r *reader) chosen() (words, contexts []uint32) {
	for n := range r.tokens {
		if t := &r.tokens[n]; t.word && t.texts >= clusterLeast {
			words = append(words, uint32(n))
		}
		contexts = append(contexts, uint32(n))
	}
	often := func(n uint32) uint32 { return r.tokens[n].texts + clusterOwnText*r.tokens[n].own }
	by := func(a, b uint32) int { return cmp.Or(cmp.Compare(often(b), often(a)), cmp.Compare(a, b)) }
	slices.SortFunc(words, by)
	slices.SortFunc(contexts, by)
	return words[:min(len(words), clusterWords)], contexts[:min(len(contexts), clusterContexts)]
}

// around counts what stands around each of the words, place by place.
func (r *reader) around(words, contexts []uint32) [][]entry {
	row, column := numbered(words, len(r.tokens)), numbered(contexts, len(r.tokens))
	// Where each word stands, word after word.
	first := make([]uint32, len(words)+1)
	for _, n := range r.stream {
		if n != endOfText && row[n] >= 0 {
			first[row[n]+1]++
		}
	}
	for i := range words {
		first[i+1] += first[i]
	}
	stands, next := make([]uint32, first[len(words)]), slices.Clone(first)
	for i, n := range r.stream {
		if n != endOfText && row[n] >= 0 {
			stands[next[row[n]]] = uint32(i)
			next[row[n]]++
		}
	}
	rows := make([][]entry, len(words))
	inParallel(len(words), func(from, to int) {
		met := make([]int32, places*len(contexts))
		var columns []int32
		for w := from; w < to; w++ {
			columns = columns[:0]
			meet := func(place int, n uint32, times int32) {
				if column[n] < 0 {
					return
				}
				k := int32(place*len(contexts)) + column[n]
				if met[k] == 0 {
					columns = append(columns, k)
				}
				met[k] += times
			}
			for _, i := range stands[first[w]:first[w+1]] {
				times := int32(1)
				if int(i) >= r.own {
					times = clusterOwn
				}
				for _, side := range [...]int{-1, 1} {
					for far := 1; far <= clusterReach; far++ {
						j := int(i) + side*far
						if j == len(r.stream) || r.stream[j] == endOfText {
							break
						}
						switch n := r.stream[j]; {
						case far == 1:
							meet(placeBefore+(side+1)/2, n, times*aroundCounts[far])
						case r.tokens[n].word:
							meet(placeAround, n, times*aroundCounts[far])
						}
					}
				}
			}
			slices.Sort(columns)
			rows[w] = make([]entry, len(columns))
			for i, k := range columns {
				rows[w][i] = entry{k, float32(met[k])}
				met[k] = 0
			}
		}
	})
	return rows
}

// numbered gives the place of each token in list; -1: it is not there.
func numbered(list []uint32, tokens int) []int32 {
	at := make([]int32, tokens)
	for i := range at {
		at[i] = -1
	}
	for i, n := range list {
		at[n] = int32(i)
	}
	return at
}

// nearest sorts points of length one into so many clusters by the angle between them: k-means,
// from points drawn by their size.
func nearest(points []vector, size []float64, count int, rng *rand.Rand) []int {
	count = min(count, len(points))
	centres := make([]vector, count)
	// Efraimidis and Spirakis: the largest of u^(1/size) are a sample without replacement.
	key, order := make([]float64, len(points)), make([]int, len(points))
	for i := range points {
		key[i], order[i] = math.Log(rng.Float64())/size[i], i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(key[b], key[a]), cmp.Compare(a, b)) })
	for k := range centres {
		centres[k] = points[order[k]]
	}
	number, near := make([]int, len(points)), make([]float32, len(points))
	for range clusterRounds {
		inParallel(len(points), func(from, to int) {
			for i := from; i < to; i++ {
				near[i] = -2
				for k := range centres {
					if x := points[i].times(&centres[k]); x > near[i] {
						near[i], number[i] = x, k
					}
				}
			}
		})
		clear(centres)
		sum := make([]float64, count)
		for i := range points {
			k := number[i]
			sum[k] += size[i]
			centres[k].add(&points[i], float32(size[i]))
		}
		for k := range centres {
			if sum[k] == 0 { // nothing is near: begin anew where a point is farthest from its own
				far := 0
				for i := range near {
					if near[i] < near[far] {
						far = i
					}
				}
				centres[k], near[far] = points[far], 2
			}
			centres[k].unit()
		}
	}
	return number
}
