package stage

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// benchLedgers are the ledgers the figures are for: memory shows what the stream
// costs by itself.
var benchLedgers = []string{"memory", "sqlite"}

func benchLedger(b *testing.B, r *rig, kind string) Ledger {
	b.Helper()
	if kind == "memory" {
		return r.mem.ledger()
	}
	s, err := ledger.OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "ledger.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return LedgerOf(s)
}

// benchMessage is one message of 2 KB that cannot be compressed.
func benchMessage(r *rig, i int) kafka.Message {
	v := make([]byte, 2048)
	_, _ = rand.Read(v)
	return outgoingMessage(ledger.Outgoing{
		Topic: r.name + "in", Key: string(chunk.NewID("run", strconv.Itoa(i%500))),
		Headers: map[string]string{"ce_id": string(testEvent(i)), "sent": strconv.FormatInt(time.Now().UnixNano(), 10)}, Value: v,
	})
}

// BenchmarkThroughput drives a backlog through one stage that decides nothing:
// fetch, ledger, produce, commit. It checks that all of it came out.
func BenchmarkThroughput(b *testing.B) {
	for _, kind := range benchLedgers {
		b.Run(kind, func(b *testing.B) {
			r := newRig(b, 6)
			w := NewWriter(r.kafka)
			for i := 0; i < b.N; {
				var ms []kafka.Message
				for ; i < b.N && len(ms) < 300; i++ {
					ms = append(ms, benchMessage(r, i))
				}
				if err := w.WriteMessages(b.Context(), ms...); err != nil {
					b.Fatal(err)
				}
			}
			_ = w.Close()
			cfg := r.config()
			cfg.Ledger = benchLedger(b, r, kind)
			b.ResetTimer()
			stop := r.run(cfg, func(_ context.Context, m Message) (Step, error) {
				return decision(m, chunk.Clean, r.name+"out"), nil
			})
			waitFor(b, "all committed", func() bool { return r.committedSum() == int64(b.N) })
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msgs/s")
			stop()
			if got := len(r.all("out")); got != b.N {
				b.Fatalf("%d of %d messages came out", got, b.N)
			}
		})
	}
}

// BenchmarkLatency sends messages one by one at a steady rate and takes the time from
// before the write to a reader of the output topic. b.N is ignored: a percentile
// needs its number.
func BenchmarkLatency(b *testing.B) {
	const rate, n = 250, 1000
	for _, kind := range benchLedgers {
		b.Run(fmt.Sprintf("%s/%d per second", kind, rate), func(b *testing.B) {
			r := newRig(b, 6)
			cfg := r.config()
			cfg.Ledger = benchLedger(b, r, kind)
			stop := r.run(cfg, func(_ context.Context, m Message) (Step, error) {
				s := decision(m, chunk.Clean, r.name+"out")
				emit := s.Emit
				s.Emit = func(a ledger.Appended) ([]ledger.Outgoing, error) {
					o, err := emit(a)
					o[0].Headers["sent"] = m.Headers["sent"]
					return o, err
				}
				return s, nil
			})
			took := make(chan time.Duration, n)
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			tr := r.kafka.transport()
			defer tr.CloseIdleConnections()
			c := &kafka.Client{Addr: r.kafka.addr(), Transport: tr}
			for p := range 6 {
				go func() {
					for at := int64(0); ctx.Err() == nil; {
						rs, next, _, err := fetch(ctx, c, r.name+"out", p, at, 1<<20, time.Second)
						if err != nil {
							continue
						}
						at = next
						for _, f := range rs {
							for _, h := range f.headers {
								if h.Key == "sent" {
									ns, _ := strconv.ParseInt(string(h.Value), 10, 64)
									took <- time.Since(time.Unix(0, ns))
								}
							}
						}
					}
				}()
			}
			// The group has joined when the first message is through.
			w := NewWriter(r.kafka)
			defer w.Close()
			send := func(i int) {
				if err := w.WriteMessages(b.Context(), benchMessage(r, i)); err != nil {
					b.Error(err)
				}
			}
			send(n)
			<-took
			b.ResetTimer()
			tick := time.NewTicker(time.Second / rate)
			defer tick.Stop()
			for i := range n {
				<-tick.C
				go send(i)
			}
			var all []time.Duration
			for range n {
				all = append(all, <-took)
			}
			b.StopTimer()
			stop()
			slices.Sort(all)
			ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
			b.ReportMetric(ms(all[n/2]), "p50-ms")
			b.ReportMetric(ms(all[n*99/100]), "p99-ms")
			b.ReportMetric(ms(all[n-1]), "max-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
