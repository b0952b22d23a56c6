package classify_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// texts reads the texts of a data set, cut as they are there.
func texts(b *testing.B, path string) (out [][]byte, size int64) {
	dir := os.Getenv("STOPLOG_TESTDATA")
	if dir == "" {
		b.Skip("STOPLOG_TESTDATA is not set")
	}
	f, err := os.Open(filepath.Join(dir, path))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 16<<20)
	for s.Scan() {
		var row struct{ Text string }
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			b.Fatal(err)
		}
		out = append(out, []byte(row.Text))
		size += int64(len(row.Text))
	}
	return out, size
}

func BenchmarkRecognise(b *testing.B) {
	for name, path := range map[string]string{"webhooks": "dlp/hard_negatives_webhook_json.jsonl", "code": "injection/docs_benign.jsonl", "prose": "injection/prompting_docs_benign.jsonl"} {
		b.Run(name, func(b *testing.B) {
			in, size := texts(b, path)
			c := compile(b)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				for _, t := range in {
					c.Recognise(t)
				}
			}
		})
	}
}
