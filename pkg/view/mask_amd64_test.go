package view

import (
	"math/rand/v2"
	"testing"
)

// Processors that take 32 bytes at once see what the others see.
func TestMaskWidths(t *testing.T) {
	if !wide32 {
		t.Skip("this processor takes sixteen bytes at once")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var b [64]byte
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		var narrow, wide masks
		mask16(&b, &narrow)
		mask32(&b, &wide)
		if narrow != wide {
			t.Fatalf("%q:\n%x\n%x", b, narrow, wide)
		}
	}
}
