//go:build !amd64

package view

// mask classifies 64 bytes.
func mask(b *[64]byte, m *masks) { maskWords(b, m) }
