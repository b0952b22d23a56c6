package classify

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"strings"

	"golang.org/x/crypto/sha3"
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
	k := sha3.NewLegacyKeccak256()
	k.Write(low)
	h := k.Sum(nil)
	for i, c := range hex {
		nibble := h[i/2] >> (4 * (1 - i%2)) & 15
		if is(c, cAlpha) && is(c, cUpper) != (nibble >= 8) {
			return 0
		}
	}
	return 1
}
