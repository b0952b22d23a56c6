package main

import (
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestWordsInTheSamePlacesShareACluster(t *testing.T) {
	groups := [][]string{
		strings.Fields("anna boris clara david emma felix greta hugo"),
		strings.Fields("reads writes opens closes drops sends keeps finds"),
		strings.Fields("letter report ticket folder invoice parcel picture diary"),
	}
	read := func() *reader {
		r := newReader()
		for i, who := range groups[0] {
			if i == 4 {
				r.own = len(r.stream)
			}
			for _, does := range groups[1] {
				for _, what := range groups[2] {
					r.read("Today " + who + " " + does + " the " + what + ".")
				}
			}
		}
		return r
	}
	r := read()
	of := r.clusters(6, 1)
	group, number := map[uint64]int{}, map[uint64]string{}
	for k, g := range groups {
		for _, w := range g {
			r.f.Words([]byte(w), func(h uint64, _ bool) { group[h], number[h] = k+1, w })
		}
	}
	together, n := 0, 0
	for a, k := range group {
		if of[a] == 0 {
			t.Fatalf("%q is in no cluster", number[a])
		}
		for b, m := range group {
			switch {
			case k != m && of[a] == of[b]:
				t.Errorf("%q and %q share a cluster", number[a], number[b])
			case k == m:
				n++
				if of[a] == of[b] {
					together++
				}
			}
		}
	}
	if together*3 < n {
		t.Errorf("%d of %d pairs that belong together are together", together, n)
	}
	if again := read().clusters(6, 1); !maps.Equal(again, of) {
		t.Error("the same text and seed give other clusters")
	}
	if none := newReader().clusters(6, 1); len(none) != 0 {
		t.Errorf("of no text: %v", none)
	}
}

func TestTextsAreNeighboursOfNone(t *testing.T) {
	r := newReader()
	for range 9 {
		r.read("one two")
		r.read("three")
	}
	words, contexts := r.chosen()
	for w, row := range r.around(words, contexts) {
		sum := float32(0)
		for _, e := range row {
			sum += e.x
		}
		want := float32(9 * aroundCounts[1])
		if r.tokens[words[w]].texts != 9 || len(words) != 3 {
			t.Fatalf("%d words, one in %d texts", len(words), r.tokens[words[w]].texts)
		}
		if h := r.tokens[words[w]].hash; r.numbers[h] == 2 {
			want = 0
		}
		if sum != want {
			t.Errorf("word %d has neighbours that count %v, want %v", w, sum, want)
		}
	}
}

func TestOrthogonal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := make([]vector, 300)
	for i := range m {
		for k := range m[i] {
			m[i][k] = float32(rng.NormFloat64())
		}
		m[i][7] = m[i][3] - 2*m[i][5] // depends on others
	}
	orthogonal(m)
	for a := range len(vector{}) {
		for b := range a + 1 {
			x, want := 0.0, 0.0
			for i := range m {
				x += float64(m[i][a]) * float64(m[i][b])
			}
			if a == b && a != 7 {
				want = 1
			}
			if math.Abs(x-want) > 1e-4 {
				t.Fatalf("columns %d and %d: %v, want %v", a, b, x, want)
			}
		}
	}
}

func TestSlabKeepsWindowsWhole(t *testing.T) {
	var s slab
	put := func(most int, features ...uint32) (from, to uint32) { return s.begin(most), s.add(features) }
	a, b := put(3, 1, 2, 3)
	c, d := put(1<<slabBits-2, 4, 5)
	e, f := put(0)
	if got := s.at(a, b); len(got) != 3 || got[2] != 3 {
		t.Errorf("first window: %v", got)
	}
	if got := s.at(c, d); len(got) != 2 || got[0] != 4 || c != 1<<slabBits {
		t.Errorf("a window that does not fit behind the first one: %v at %d", got, c)
	}
	if got := s.at(e, f); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
