package ledger_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/ledger/ledgertest"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

func backends(b *testing.B, f func(b *testing.B, back ledgertest.Backend)) {
	b.Run("sqlite", func(b *testing.B) { f(b, ledgertest.SQLite(b)) })
	b.Run("postgres", func(b *testing.B) { f(b, ledgertest.Postgres(b)) })
}

// life is what the ledger writes for one document of one chunk: accepted and
// classified with its outbox row, scanned, cleared with its context item.
func life(b *testing.B, source string, n int) [3]ledger.Batch {
	d := ledgertest.Document(source, n, 1, chunk.Restricted)
	return [3]ledger.Batch{d.Accept(b), {Records: []provenance.Record{d.Clean(b, 0)}}, d.Clear(b, 0)}
}

// BenchmarkAppend writes documents through all stages: 4 records each, with every
// projection and the outbox. The number is how many batches one call brings.
func BenchmarkAppend(b *testing.B) {
	backends(b, func(b *testing.B, back ledgertest.Backend) {
		for _, size := range []int{1, 100, 500} {
			b.Run(fmt.Sprint(size), func(b *testing.B) {
				n, records := 0, 0
				var batches []ledger.Batch
				source := fmt.Sprintf("bench-%d-%p", size, b)
				for b.Loop() {
					b.StopTimer()
					batches = batches[:0]
					// One stage after the other, as they come.
					for range size {
						l := life(b, source, n/3)
						batches = append(batches, l[n%3])
						n++
					}
					b.StartTimer()
					out, err := back.Store.Append(context.Background(), batches...)
					if err != nil {
						b.Fatal(err)
					}
					for _, a := range out {
						records += len(a.Records)
						if !a.Inserted[0] {
							b.Fatal("not written")
						}
					}
				}
				b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
			})
		}
	})
}

// BenchmarkAppendParallel is 64 callers that append one batch each and wait for it.
func BenchmarkAppendParallel(b *testing.B) {
	backends(b, func(b *testing.B, back ledgertest.Backend) {
		var caller, records atomic.Int64
		b.SetParallelism(32)
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			source := fmt.Sprintf("parallel-%d-%p", caller.Add(1), b)
			for n := 0; pb.Next(); n++ {
				out, err := back.Store.Append(context.Background(), life(b, source, n/3)[n%3])
				if err != nil || !out[0].Inserted[0] {
					b.Error(err)
					return
				}
				records.Add(int64(len(out[0].Records)))
			}
		})
		b.ReportMetric(float64(records.Load())/b.Elapsed().Seconds(), "records/s")
	})
}

// BenchmarkSeal seals and verifies what was appended.
func BenchmarkSeal(b *testing.B) {
	backends(b, func(b *testing.B, back ledgertest.Backend) {
		signer, _ := ledgertest.Key(b, "ledger.example")
		sealed := int64(0)
		n := 0
		for b.Loop() {
			b.StopTimer()
			var batches []ledger.Batch
			for range 500 {
				l := life(b, "seal", n)
				batches = append(batches, l[0], l[1], l[2])
				n++
			}
			if _, err := back.Store.Append(context.Background(), batches...); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			cp, ok, err := back.Store.Seal(context.Background(), signer)
			if err != nil || !ok {
				b.Fatal(ok, err)
			}
			sealed = cp.Size
		}
		b.ReportMetric(float64(sealed)/b.Elapsed().Seconds(), "records/s")
	})
}

// BenchmarkVerify verifies and audits 20 000 records, and proves one.
func BenchmarkVerify(b *testing.B) {
	backends(b, func(b *testing.B, back ledgertest.Backend) {
		ctx := context.Background()
		signer, key := ledgertest.Key(b, "ledger.example")
		var batches []ledger.Batch
		for n := range 5000 {
			l := life(b, "verify", n)
			batches = append(batches, l[0], l[1], l[2])
		}
		out, err := back.Store.Append(ctx, batches...)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := back.Store.Seal(ctx, signer); err != nil {
			b.Fatal(err)
		}
		rate := func(b *testing.B) { b.ReportMetric(float64(20_000*b.N)/b.Elapsed().Seconds(), "records/s") }
		b.Run("tree", func(b *testing.B) {
			for b.Loop() {
				v, err := back.Store.Verify(ctx, nil, verifiers(key), func(p provenance.Problem) { b.Error(p) })
				if err != nil || v.Size != 20_000 {
					b.Fatal(v, err)
				}
			}
			rate(b)
		})
		b.Run("audit", func(b *testing.B) {
			for b.Loop() {
				r, err := back.Store.Audit(ctx, 1e15, func(p provenance.Problem) { b.Error(p) })
				if err != nil || r.Records != 20_000 {
					b.Fatal(r, err)
				}
			}
			rate(b)
		})
		b.Run("prove", func(b *testing.B) {
			id := out[3333].Records[0].ID
			for b.Loop() {
				if _, _, err := back.Store.Prove(ctx, id); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}
