package view

// mask classifies 64 bytes, sixteen at a time, with what every processor of the kind has
// (SSE2): a third of the time that [maskWords] takes.
//
//go:noescape
func mask(b *[64]byte, m *masks)
