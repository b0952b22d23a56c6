package view

import "golang.org/x/sys/cpu"

// wide32 says that the processor takes 32 bytes at once (AVX2).
var wide32 = cpu.X86.HasAVX2

// mask classifies 64 bytes: a quarter of the time that [maskWords] takes, a third where 32 bytes
// cannot be taken at once.
func mask(b *[64]byte, m *masks) {
	if wide32 {
		mask32(b, m)
	} else {
		mask16(b, m)
	}
}

// mask16 and mask32 classify 64 bytes, sixteen at a time with what every processor of the kind
// has (SSE2), and 32 at a time.
//
//go:noescape
func mask16(b *[64]byte, m *masks)

//go:noescape
func mask32(b *[64]byte, m *masks)
