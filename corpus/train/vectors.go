package main

import (
	"math"
	"math/rand/v2"
	"sync"
)

// entry is one figure of a sparse row.
type entry struct {
	column int32
	x      float32
}

// vector is what is left of a row: the directions in which rows differ most.
type vector [80]float32

func (v *vector) times(w *vector) float32 {
	var a, b, c, d float32 // four sums, for none has to wait for another
	for i := 0; i < len(v); i += 4 {
		a += v[i] * w[i]
		b += v[i+1] * w[i+1]
		c += v[i+2] * w[i+2]
		d += v[i+3] * w[i+3]
	}
	return a + b + c + d
}

func (v *vector) add(w *vector, times float32) {
	for i := range v {
		v[i] += times * w[i]
	}
}

// unit makes it as long as one.
func (v *vector) unit() {
	by := float32(1 / math.Sqrt(float64(v.times(v))+1e-30))
	for i := range v {
		v[i] *= by
	}
}

// inParallel has n things done by two at a time. What each does depends on nothing that
// another does, so that the same comes of it on every machine.
func inParallel(n int, do func(from, to int)) {
	const k = 2
	var all sync.WaitGroup
	for i := range k {
		all.Go(func() { do(n*i/k, n*(i+1)/k) })
	}
	all.Wait()
}

// associate turns counts into how much oftener than by chance a word and what stands around
// it meet (positive pointwise mutual information), and less often than that into nothing. Rare
// columns count less (Levy, Goldberg and Dagan, "Improving distributional similarity", 2015).
func associate(rows [][]entry, columns int) {
	column, row := make([]float64, columns), make([]float64, len(rows))
	for i := range rows {
		for _, e := range rows[i] {
			column[e.column] += float64(e.x)
			row[i] += float64(e.x)
		}
	}
	all := 0.0
	for i, x := range column {
		column[i] = math.Pow(x, 0.75)
		all += column[i]
	}
	for i := range rows {
		kept := rows[i][:0]
		for _, e := range rows[i] {
			if x := math.Log(float64(e.x) * all / (row[i] * column[e.column])); x > 0 {
				kept = append(kept, entry{e.column, float32(x)})
			}
		}
		rows[i] = kept
	}
}

// vectorsOf gives each row of counts the figures in which it differs from others most: its
// left singular vectors (none counts more for its singular value: what languages and code differ
// in would drown the rest), found by powers of a random guess (Halko, Martinsson and Tropp, "Finding
// structure with randomness", 2011), each as long as one.
func vectorsOf(rows [][]entry, columns int, rng *rand.Rand) []vector {
	associate(rows, columns)
	right, left := make([]vector, columns), make([]vector, len(rows))
	for i := range right {
		for k := range right[i] {
			right[i][k] = float32(rng.NormFloat64())
		}
	}
	const powers = 3
	for power := 0; ; power++ {
		inParallel(len(rows), func(from, to int) {
			for i := from; i < to; i++ {
				left[i] = vector{}
				for _, e := range rows[i] {
					left[i].add(&right[e.column], e.x)
				}
			}
		})
		orthogonal(left)
		if power == powers {
			break
		}
		clear(right)
		for i := range rows {
			for _, e := range rows[i] {
				right[e.column].add(&left[i], e.x)
			}
		}
		orthogonal(right)
	}
	for i := range left {
		left[i].unit()
	}
	return left
}

// orthogonal makes the columns of m as long as one and square to each other, by Cholesky's
// method on their products. One that depends on those before it is taken away.
func orthogonal(m []vector) {
	const n = len(vector{})
	var l [n][n]float64
	inParallel(n, func(from, to int) {
		for i := range m {
			for a := from; a < to; a++ {
				x := float64(m[i][a])
				for b, y := range m[i][:a+1] {
					l[a][b] += x * float64(y)
				}
			}
		}
	})
	for a := range n {
		whole := l[a][a]
		for b := range a + 1 {
			for k := range b {
				l[a][b] -= l[a][k] * l[b][k]
			}
			switch {
			case a == b && l[a][a] > 1e-8*whole:
				l[a][a] = math.Sqrt(l[a][a])
			case a == b || l[b][b] == 0:
				l[a][b] = 0
			default:
				l[a][b] /= l[b][b]
			}
		}
	}
	inParallel(len(m), func(from, to int) {
		var v [n]float64
		for i := from; i < to; i++ {
			for a := range n {
				v[a] = 0
				if l[a][a] == 0 {
					continue
				}
				x := float64(m[i][a])
				for b, y := range v[:a] {
					x -= l[a][b] * y
				}
				v[a] = x / l[a][a]
			}
			for a, x := range v {
				m[i][a] = float32(x)
			}
		}
	})
}
