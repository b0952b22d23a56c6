package classify

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"math/bits"
	"strings"
)

// CRYPTO: wallet addresses with their checksums: base58check (Bitcoin, Litecoin,
// Dogecoin, Tron, …), bech32 and bech32m, and Ethereum's mixed-case checksum.

func (s *scan) wallet(start, end int) {
	t := s.text
	if isWord(s.at(start-1)) || isWord(s.at(end)) {
		return
	}
	b := t[start:end]
	switch {
	case len(b) == 42 && b[0] == '0' && (b[1] == 'x' || b[1] == 'X'):
		if score := ether(b[2:]); score > 0 {
			s.add(hit{typ: "CRYPTO", start: start, end: end, score: score, valid: score > 0.9})
		}
	case len(b) <= 35 && strings.IndexByte("13LMDTtA9X7", b[0]) >= 0:
		if base58check(b) {
			s.add(hit{typ: "CRYPTO", start: start, end: end, score: 1, valid: true})
		}
	case hasWord(b, "bc1"), hasWord(b, "tb1"), hasWord(b, "ltc1"), hasWord(b, "addr1"):
		if bech32(b) {
			s.add(hit{typ: "CRYPTO", start: start, end: end, score: 1, valid: true})
		}
	}
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

func base58check(b []byte) bool {
	n := new(big.Int)
	zeros := 0
	for i, c := range b {
		v := strings.IndexByte(base58, c)
		if v < 0 {
			return false
		}
		if v == 0 && i == zeros {
			zeros++
		}
		n.Mul(n, big.NewInt(58)).Add(n, big.NewInt(int64(v)))
	}
	raw := append(make([]byte, zeros), n.Bytes()...)
	if len(raw) != 25 {
		return false
	}
	h := sha256.Sum256(raw[:21])
	h = sha256.Sum256(h[:])
	return bytes.Equal(h[:4], raw[21:])
}

// bech32 checks BIP 173 and BIP 350 checksums.
func bech32(b []byte) bool {
	low := bytes.ToLower(b)
	if !bytes.Equal(low, b) && !bytes.Equal(bytes.ToUpper(b), b) {
		return false
	}
	i := bytes.LastIndexByte(low, '1')
	if i < 1 || len(low)-i < 7 {
		return false
	}
	chk := uint32(1)
	step := func(v byte) {
		top := chk >> 25
		chk = chk&0x1ffffff<<5 ^ uint32(v)
		for k, g := range []uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>k&1 == 1 {
				chk ^= g
			}
		}
	}
	for _, c := range low[:i] {
		step(c >> 5)
	}
	step(0)
	for _, c := range low[:i] {
		step(c & 31)
	}
	for _, c := range low[i+1:] {
		v := strings.IndexByte("qpzry9x8gf2tvdw0s3jn54khce6mua7l", c)
		if v < 0 {
			return false
		}
		step(byte(v))
	}
	return chk == 1 || chk == 0x2bc830a3
}

// ether scores an Ethereum address: mixed case has a checksum, one case has not.
func ether(hex []byte) float64 {
	low := bytes.ToLower(hex)
	mixed := false
	for i, c := range hex {
		if !isHex(c) {
			return 0
		}
		mixed = mixed || c != low[i]
	}
	if bytes.Equal(bytes.ToUpper(hex), hex) || !mixed {
		if same(low) || entropy(low) < 2.5 {
			return 0
		}
		return 0.7
	}
	h := keccak256(low)
	for i, c := range hex {
		nibble := h[i/2] >> (4 * (1 - i%2)) & 15
		if is(c, cAlpha) && is(c, cUpper) != (nibble >= 8) {
			return 0
		}
	}
	return 1
}

// keccak256 is the original Keccak with 256 bits, of inputs shorter than a block; the
// standard library has SHA-3 only, which pads otherwise.
func keccak256(in []byte) [32]byte {
	const rate = 136
	var block [rate]byte
	copy(block[:], in)
	block[len(in)] = 1
	block[rate-1] |= 0x80
	var a [25]uint64
	for i := range rate / 8 {
		for k := range 8 {
			a[i] |= uint64(block[i*8+k]) << (8 * k)
		}
	}
	rc := uint64(1) // round constants from the LFSR of the specification
	lfsr := byte(1)
	for range 24 {
		var c, d [5]uint64
		for x := range 5 {
			c[x] = a[x] ^ a[x+5] ^ a[x+10] ^ a[x+15] ^ a[x+20]
		}
		for x := range 5 {
			d[x] = c[(x+4)%5] ^ bits.RotateLeft64(c[(x+1)%5], 1)
		}
		for i := range a {
			a[i] ^= d[i%5]
		}
		x, y, cur := 1, 0, a[1]
		for t := range 24 {
			x, y = y, (2*x+3*y)%5
			i := x + 5*y
			cur, a[i] = a[i], bits.RotateLeft64(cur, (t+1)*(t+2)/2%64)
		}
		for y := 0; y < 25; y += 5 {
			row := [5]uint64{a[y], a[y+1], a[y+2], a[y+3], a[y+4]}
			for x := range 5 {
				a[y+x] = row[x] ^ ^row[(x+1)%5]&row[(x+2)%5]
			}
		}
		rc = 0
		for j := range 7 {
			if lfsr&1 == 1 {
				rc ^= 1 << (1<<j - 1)
			}
			if lfsr&0x80 != 0 {
				lfsr = lfsr<<1 ^ 0x71
			} else {
				lfsr <<= 1
			}
		}
		a[0] ^= rc
	}
	var out [32]byte
	for i := range out {
		out[i] = byte(a[i/8] >> (8 * (i % 8)))
	}
	return out
}
