//go:build ignore

// Gen_pairs counts which letter or digit follows which in what people write, and stores
// the logarithms in pairs.bin: 64 by 64 signed bytes, in eighths of a bit. A token that
// was drawn at random is improbable under them. It reads the source of the Go that runs
// it and the prose under corpus/, so that go generate makes it from nothing else.
package main

import (
	"fmt"
	"io/fs"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// symbol numbers a-z, A-Z, 0-9 from 1; 0 is the edge of a run.
func symbol(c byte) int {
	switch {
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 1
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 27
	case c >= '0' && c <= '9':
		return int(c-'0') + 53
	}
	return 0
}

func main() {
	log.SetFlags(0)
	var n [64][64]float64
	count := func(root string, exts ...string) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if d.Name() == "testdata" || d.Name() == "vendor" {
					return fs.SkipDir
				}
				return nil
			}
			ok := false
			for _, e := range exts {
				ok = ok || filepath.Ext(path) == e
			}
			if !ok {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i := 0; i < len(data); i++ {
				if symbol(data[i]) == 0 {
					continue
				}
				from, digits := i, 0
				for i < len(data) && symbol(data[i]) != 0 {
					if symbol(data[i]) >= 53 {
						digits++
					}
					i++
				}
				run := data[from:i]
				// What is itself random (tables, digests, encoded data) is not written.
				if len(run) > 40 || digits > 4 && digits*4 > len(run) {
					continue
				}
				prev := 0
				for _, c := range run {
					n[prev][symbol(c)]++
					prev = symbol(c)
				}
			}
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	count(filepath.Join(runtime.GOROOT(), "src"), ".go", ".md")
	count(filepath.Join("..", "benign"), ".txt")
	count(filepath.Join("..", "tagger"), ".txt")
	out := make([]byte, 64*64)
	for a := range n {
		total := 0.0
		for _, k := range n[a] {
			total += k
		}
		for b := 1; b <= 62; b++ {
			p := (n[a][b] + 0.5) / (total + 31)
			out[a<<6|b] = byte(int8(math.Max(-96, math.Round(8*math.Log2(p)))))
		}
	}
	if err := os.WriteFile("pairs.bin", out, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("pairs.bin: from %s\n", strings.TrimPrefix(runtime.Version(), "go"))
}
