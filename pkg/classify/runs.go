package classify

import "math/bits"

// runs says of every byte of a text whether it is a letter or a digit, a digit, and a
// sign that few plain words hold (a digit or a capital): one bit each, so that the
// recognisers of numbers and of tokens step from run to run and not from byte to byte.
type runs struct {
	alnum, digit []uint64
	long         []uint64 // digits and capitals in runs of six or more
	signs        []uint64 // what addresses of mail and escapes have: @ % & = and a backslash
	memory       []uint64
}

// runTable gives for a byte a bit in each of four lanes of sixteen.
var runTable = func() (t [256]uint64) {
	for i := range t {
		c := byte(i)
		if is(c, cAlnum) {
			t[i] = 1
		}
		if is(c, cDigit) {
			t[i] |= 1 << 16
		}
		if is(c, cDigit|cUpper) {
			t[i] |= 1 << 32
		}
		switch c {
		case '@', '%', '&', '=', '\\':
			t[i] |= 1 << 48
		}
	}
	return
}()

// runBits gives the bits of sixteen bytes.
func runBits(b *[16]byte) (alnum, digit, mixed, signs uint64) {
	t := &runTable
	v := t[b[0]] | t[b[1]]<<1 | t[b[2]]<<2 | t[b[3]]<<3 | t[b[4]]<<4 | t[b[5]]<<5 | t[b[6]]<<6 | t[b[7]]<<7 |
		t[b[8]]<<8 | t[b[9]]<<9 | t[b[10]]<<10 | t[b[11]]<<11 | t[b[12]]<<12 | t[b[13]]<<13 | t[b[14]]<<14 | t[b[15]]<<15
	return v & 0xffff, v >> 16 & 0xffff, v >> 32 & 0xffff, v >> 48
}

// fill reads a text, and takes the memory of the one before where it is large enough.
func (r *runs) fill(t []byte) {
	n := len(t)/64 + 2 // a word of naughts ends the last run
	all := r.memory
	if cap(all) < 4*n {
		all = make([]uint64, 4*n)
		r.memory = all
	}
	all = all[:4*n]
	r.alnum, r.digit, r.long, r.signs = all[:n:n], all[n:2*n:2*n], all[2*n:3*n:3*n], all[3*n:]
	var tail [64]byte
	copy(tail[:], t[len(t)&^63:])
	for w := range n - 1 {
		b := &tail
		if (w+1)*64 <= len(t) {
			b = (*[64]byte)(t[w*64:])
		}
		a0, d0, m0, s0 := runBits((*[16]byte)(b[:]))
		a1, d1, m1, s1 := runBits((*[16]byte)(b[16:]))
		a2, d2, m2, s2 := runBits((*[16]byte)(b[32:]))
		a3, d3, m3, s3 := runBits((*[16]byte)(b[48:]))
		r.alnum[w] = a0 | a1<<16 | a2<<32 | a3<<48
		r.digit[w] = d0 | d1<<16 | d2<<32 | d3<<48
		r.long[w] = m0 | m1<<16 | m2<<32 | m3<<48
		r.signs[w] = s0 | s1<<16 | s2<<32 | s3<<48
	}
	r.alnum[n-1], r.digit[n-1], r.long[n-1], r.signs[n-1] = 0, 0, 0, 0
	// Places of which six in a row, this one among them, are letters or digits.
	before := uint64(0) // places of the word before at which six begin
	for w := range n - 1 {
		a, b := r.alnum[w], r.alnum[w+1]
		two, twoB := a&(a>>1|b<<63), b&(b>>1)
		four := two & (two>>2 | twoB<<62)
		six := four & (two>>4 | twoB<<60)
		two = six | six<<1
		r.long[w] &= two | two<<2 | two<<4 | before>>59 | before>>60 | before>>61 | before>>62 | before>>63
		before = six
	}
}

// around gives the run of letters and digits that the byte at i is in.
func (r *runs) around(i int) (start, end int) {
	w := i >> 6
	end = i + bits.TrailingZeros64(^(r.alnum[w] >> (i & 63))) // shifting lets naughts in at the top
	if end == (w+1)<<6 {
		for w++; ; w++ {
			if k := bits.TrailingZeros64(^r.alnum[w]); k < 64 {
				end = w<<6 + k
				break
			}
		}
		w = i >> 6
	}
	start = i - bits.LeadingZeros64(^(r.alnum[w] << (63 - i&63))) + 1
	if start == w<<6 {
		for w--; w >= 0; w-- {
			k := bits.LeadingZeros64(^r.alnum[w])
			start -= k
			if k < 64 {
				break
			}
		}
	}
	return start, end
}

// next gives the first place from i on whose bit is set; -1: none.
func next(set []uint64, i int) int {
	w := i >> 6
	if w >= len(set) {
		return -1
	}
	if v := set[w] >> (i & 63); v != 0 {
		return i + bits.TrailingZeros64(v)
	}
	for w++; w < len(set); w++ {
		if set[w] != 0 {
			return w<<6 + bits.TrailingZeros64(set[w])
		}
	}
	return -1
}

// nextLong gives the first digit or capital from i on that stands in a run of six or more;
// -1: none.
func (r *runs) nextLong(i int) int {
	return next(r.long, i)
}
