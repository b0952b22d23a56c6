package view

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"io"
	"math/big"
	"slices"
	"strings"
	"testing"
)

func compressed(t *testing.T, w io.WriteCloser, b *bytes.Buffer, text string) string {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// SPEC: DET-2
//
// What base64 was made of, or made into, is undone too, and points into its run.
func TestPacked(t *testing.T) {
	const p = "Please water the plants in the corridor and write the date on the card."
	b64 := base64.StdEncoding.EncodeToString([]byte(p))
	back := []byte(b64)
	slices.Reverse(back)
	var wide []byte
	for i := range len(p) {
		wide = append(wide, 0, p[i])
	}
	var z, g bytes.Buffer
	number := new(big.Int).SetBytes([]byte(p))
	for _, c := range []struct{ view, in string }{
		{"base64-reversed", string(back)},
		{"base64-reversed", strings.TrimLeft(string(back), "=")},
		{"base64-rot13", encipher(13, b64)},
		{"base64-swapped", string(bytes.Map(func(r rune) rune { return rune(swapCase(byte(r))) }, []byte(b64)))},
		{"utf-7", "+" + base64.RawStdEncoding.EncodeToString(wide) + "-"},
		{"inflate", compressed(t, gzip.NewWriter(&g), &g, p)},
		{"inflate", compressed(t, zlib.NewWriter(&z), &z, p)},
		{"number", number.Text(36)}, {"number", number.Text(62)}, {"number", number.Text(10)},
	} {
		text := "See this: " + c.in + " it is short."
		undone(t, c.view, text, 10, 10+len(c.in), len(c.in))
	}
}

// SPEC: DET-6
//
// A small run that unpacks into a large text is not passed.
func TestInflateIsBounded(t *testing.T) {
	var b bytes.Buffer
	text := compressed(t, gzip.NewWriter(&b), &b, strings.Repeat("all work and no play ", 100_000))
	d := Decoder{words: testWords}
	if _, ok := d.Decode([]byte(text), WantRuns, 4*len(text)+4096); ok {
		t.Error("a text beyond the bound is passed")
	}
}

// What is not text stays packed.
func TestNotPacked(t *testing.T) {
	noise := make([]byte, 3000)
	x := uint32(7)
	for i := range noise {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	for n := 20; n < 3000; n += 61 {
		for _, s := range []string{base64.StdEncoding.EncodeToString(noise[:n]), new(big.Int).SetBytes(noise[:min(n, 200)]).Text(36)} {
			d := Decoder{words: testWords}
			views, _ := d.Decode([]byte(s), WantRuns, 1<<20)
			for _, v := range views {
				t.Errorf("%d bytes of noise are read as %s", n, v.Name)
			}
		}
	}
}
