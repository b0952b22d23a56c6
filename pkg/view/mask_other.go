//go:build !amd64

package view

// mask classifies 64 bytes.
func mask(b *[64]byte, m *masks) { maskWords(b, m) }

// maskAll says that no more than one block is classified at once.
func maskAll([]byte, int, *maskLists) bool { return false }
