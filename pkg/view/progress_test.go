package view

import (
	"strings"
	"testing"
)

// SPEC: DET-6
//
// Texts on which a decoder once made no progress. A decoder that does not come back
// hangs its stage: the test's own time limit is the check.
func TestDecodersMakeProgress(t *testing.T) {
	for _, s := range []string{"00X 11", "00x", "0x0x0x0X", "00X 6d6172", strings.Repeat("00X ", 300), "0b0b 0X", "x0x0X"} {
		seen := 0
		Decode([]byte(s), ^Wants(0), nil, func(View) { seen++ })
		if seen > 1000 {
			t.Errorf("%d views of %d bytes", seen, len(s))
		}
	}
}
