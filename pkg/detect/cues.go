package detect

import "math/bits"

// cueWeights are what a model says of classes of words and of pairs of them, by their
// numbers: a window may hold some seventy pairs, and the model's own table lies far away.
type cueWeights struct {
	classes int
	gate    []int16  // of a class behind another one; the last row: behind none
	mark    []int8   // of a class
	pair    []int8   // of a class behind another one
	bit     []uint32 // which of the cueClasses a class is
}

// newCueWeights reads them from a model; nil: it says nothing.
func newCueWeights(hashes []uint64, m *Model) *cueWeights {
	n := len(hashes)
	c := &cueWeights{classes: n, gate: make([]int16, (n+1)*n), mark: make([]int8, n), pair: make([]int8, n*n), bit: make([]uint32, n)}
	for k, h := range hashes {
		c.bit[k] = cueBit[h]
	}
	if m == nil {
		return c
	}
	for k, h := range hashes {
		c.mark[k] = m.weights[cueSlot(h)]
		one := int16(m.gate.table[gateSlot((h|1)*gateOne)])
		for i, before := range hashes {
			c.pair[i*n+k] = m.weights[pairSlot(before, h)]
			c.gate[i*n+k] = one + int16(m.gate.table[gateSlot(pairHash(before|1, h|1))])
		}
		c.gate[n*n+k] = one + int16(m.gate.table[gateSlot(pairHash(0, h|1))])
	}
	return c
}

// cueSlot is the mark of a class, pairSlot that of a class behind another one.
func cueSlot(class uint64) uint32 { return gramSlot(mixHash(saltCue, class)) }

func pairSlot(before, class uint64) uint32 {
	return gramSlot(mixHash(mixHash(saltPair, before>>32), class))
}

// weighCues adds the cues to the weights of the sentences that they stand in, as [cueWalk]
// goes through them.
func (s *scratch) weighCues() {
	c := s.d.said
	none := uint16(c.classes)
	k := 0
	for i := range s.pieces {
		p := &s.pieces[i]
		p.occ = int32(k)
		last := [4]uint16{none, none, none, none}
		for n := 0; k < len(s.occ) && s.occ[k].start < p.end; k++ {
			m := &s.d.meanings[s.occ[k].means]
			for _, class := range s.d.kept[m.class:m.end] {
				if last[0] == class || last[1] == class || last[2] == class || last[3] == class {
					continue
				}
				p.sum += int32(c.gate[int(last[(n-1)&3])*c.classes+int(class)])
				p.n++
				last[n&3] = class
				n++
			}
		}
	}
}

// cueMet is what was met of a class in a window.
type cueMet struct {
	window uint32 // the window that the rest is about
	behind uint16 // which of the first classes it was met behind
}

// cues gives what the model's marks for cues of the described window come to, and which of
// the cueClasses it holds: what [Features.marks] finds in the first of them (see maxInWindow).
func (s *scratch) cues(of piece) (sum int32, classes uint32) {
	c := s.d.said
	if s.windows++; s.windows == 0 {
		clear(s.met)
		s.windows = 1
	}
	var first [cuesInOrder]uint16 // the classes of those seen in their order
	different, taken, seen := 0, 0, 0
	for _, o := range s.occ[of.occ:] {
		if o.start >= of.end || seen >= maxInWindow {
			break
		}
		m := &s.d.meanings[o.means]
		for _, t := range s.d.meant[m.from:m.to] {
			seen++
			class := s.d.classOf[t]
			met := &s.met[class]
			fresh := met.window != s.windows
			if fresh {
				*met = cueMet{window: s.windows}
				sum += int32(c.mark[class])
				classes |= c.bit[class]
			}
			if taken >= cuesInOrder {
				continue
			}
			taken++
			for m := (uint16(1)<<different - 1) &^ met.behind; m != 0; m &= m - 1 {
				sum += int32(c.pair[int(first[bits.TrailingZeros16(m)])*c.classes+int(class)])
			}
			met.behind = 1<<different - 1
			if fresh {
				first[different] = class
				different++
			}
		}
	}
	return sum, classes
}
