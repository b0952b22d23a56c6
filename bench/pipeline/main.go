// Command pipeline measures the whole pipeline end to end: signed webhooks go in over
// HTTP, and the clock of a document stops when it lies on stoplog.content.cleared.
//
// Each figure stands beside an identity pipeline in the same run: the same door, the
// same durable writes to vault, ledger and Kafka, and no decisions. Rounds alternate,
// so that a neighbour's load falls on both.
//
//	go run ./bench/pipeline                             embedded broker, SQLite
//	go run ./bench/pipeline -kafka HOST:PORT -postgres-env STOPLOG_TEST_POSTGRES
//
// It checks its answers: every document must come out, and the ledger must verify.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/internal/app"
	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/keys"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/webhook"
)

type options struct {
	docs, rounds, clients, text int
	latency                     time.Duration
	kafka, postgres, redis      string
	keys                        string // shared by rounds on one Postgres
}

func main() {
	var o options
	flag.IntVar(&o.docs, "docs", 4000, "documents in each throughput round")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds of each kind")
	flag.IntVar(&o.clients, "clients", 64, "senders at the same time")
	flag.IntVar(&o.text, "text", 1600, "bytes of free text in a document")
	flag.DurationVar(&o.latency, "latency", 15*time.Second, "length of the half-load latency run of each kind")
	flag.StringVar(&o.kafka, "kafka", "", "bootstrap address of a real Kafka; empty: embedded")
	flag.StringVar(&o.postgres, "postgres-env", "", "environment variable with a Postgres connection string; empty: SQLite")
	flag.StringVar(&o.redis, "redis-env", "", "environment variable with a redis:// URL; empty: embedded")
	profile := flag.String("cpuprofile", "", "write a CPU profile of the whole run")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		defer pprof.StopCPUProfile()
	}
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// kind is one of the two pipelines that are compared.
type kind struct {
	name     string
	identity bool
	rates    []float64 // documents a second, by round
	p50, p99 time.Duration
	sent     int
	rss      []int64 // MiB, sampled through the latency run
}

func run(ctx context.Context, o options) error {
	if o.postgres != "" { // an owner's connection string: the schema is made if it is missing
		dsn := os.Getenv(o.postgres)
		if err := errors.Join(ledger.MigratePostgres(ctx, dsn), evidence.MigrateKeysPostgres(ctx, dsn)); err != nil {
			return err
		}
		// The rounds share the database, so they share its keys.
		dir, err := os.MkdirTemp("", "stoplog-bench-keys-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if o.keys = filepath.Join(dir, "keys"); keys.Generate(o.keys) != nil {
			return errors.New("keys cannot be made")
		}
	}
	kinds := []*kind{{name: "stoplog"}, {name: "identity", identity: true}}
	chunks := 1
	for round := range o.rounds {
		for i := range kinds {
			k := kinds[(i+round)%2]
			p, err := open(ctx, o, k.identity)
			if err != nil {
				return err
			}
			rate, err := throughput(ctx, p, o)
			if err == nil {
				k.rates = append(k.rates, rate)
				fmt.Printf("round %d  %-9s %7.0f documents/s\n", round+1, k.name, rate)
				if round == o.rounds-1 {
					err = latency(ctx, p, o, k, median(k.rates)/2)
				}
			}
			if e := p.close(ctx); err == nil {
				err = e
			}
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
	}
	fmt.Printf("\n%s, %d processors, %s; %s; documents of %d bytes, %d chunk each, %d senders\n", cpu(), runtime.NumCPU(), runtime.Version(), where(o), len(body(0, o.text)), chunks, o.clients)
	fmt.Printf("%-10s %14s %22s %10s %10s %14s\n", "", "documents/s", "rounds", "p50", "p99", "RSS MiB")
	for _, k := range kinds {
		fmt.Printf("%-10s %14.0f %22s %10s %10s %14s\n", k.name, median(k.rates), list(k.rates), k.p50.Round(10*time.Microsecond), k.p99.Round(10*time.Microsecond), ends(k.rss))
	}
	fmt.Printf("\nratio stoplog/identity: %.2f throughput; latency at half load, %d and %d documents\n", median(kinds[0].rates)/median(kinds[1].rates), kinds[0].sent, kinds[1].sent)
	return nil
}

// bench is one started pipeline with its senders' key and a reader of its output.
type bench struct {
	p      *app.Pipeline
	dir    string
	secret webhook.Secret
	client *http.Client
	seen   *output
	epoch  string
	next   atomic.Int64
}

func open(ctx context.Context, o options, identity bool) (*bench, error) {
	dir, err := os.MkdirTemp("", "stoplog-bench-")
	if err != nil {
		return nil, err
	}
	path, err := config.WriteStarter(dir, "")
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(path)
	if err != nil {
		return nil, err
	}
	if o.kafka != "" {
		cfg.Stores.Kafka = []string{o.kafka}
	}
	if o.postgres != "" {
		cfg.Stores.Postgres, cfg.Stores.Keys = "env:"+o.postgres, o.keys
	}
	if o.redis != "" {
		cfg.Stores.Redis = "env:" + o.redis
	}
	if o.kafka != "" {
		if err := app.ApplyTopics(ctx, cfg.Stores.Kafka); err != nil {
			return nil, err
		}
	}
	p, err := app.Start(ctx, app.Options{Data: dir, Config: cfg, Listen: "127.0.0.1:0", Identity: identity, Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		return nil, err
	}
	secret, err := os.ReadFile(config.SecretFile(dir, "booking"))
	if err != nil {
		return nil, err
	}
	key, err := webhook.ParseSecret(webhook.Standard, strings.TrimSpace(string(secret)))
	if err != nil {
		return nil, err
	}
	var epoch [6]byte
	_, _ = rand.Read(epoch[:])
	b := &bench{
		p: p, dir: dir, secret: key, epoch: hex.EncodeToString(epoch[:]),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: o.clients, MaxConnsPerHost: o.clients}, Timeout: 60 * time.Second},
	}
	b.seen, err = watch(ctx, &kafka.Dialer{Timeout: 5 * time.Second, SASLMechanism: p.Kafka().SASL}, p.Brokers(), "stoplog.content.cleared")
	return b, err
}

func (b *bench) close(ctx context.Context) error {
	b.seen.stop()
	err := b.p.Stop()
	os.RemoveAll(b.dir)
	return err
}

// send posts one document and gives its event id.
func (b *bench) send(ctx context.Context, text int) (event string, began time.Time, err error) {
	n := int(b.next.Add(1))
	payload := body(n, text)
	id := "bench-" + b.epoch + "-" + strconv.Itoa(n)
	began = time.Now()
	h, err := webhook.Sign(webhook.Standard, id, began, payload, b.secret)
	if err != nil {
		return "", began, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.p.URL()+"/v1/hooks/booking", bytes.NewReader(payload))
	if err != nil {
		return "", began, err
	}
	req.Header = h
	req.Header.Set("Content-Type", "application/json")
	res, err := b.client.Do(req)
	if err != nil {
		return "", began, err
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		return "", began, err
	}
	if res.StatusCode != http.StatusAccepted {
		return "", began, fmt.Errorf("the door answered %s: %s", res.Status, out)
	}
	var a struct {
		Data struct {
			Event string `json:"event_id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return "", began, err
	}
	return a.Data.Event, began, nil
}

// throughput sends documents as fast as the door takes them and gives documents a
// second until the last one is cleared.
func throughput(ctx context.Context, b *bench, o options) (float64, error) {
	warm := o.docs / 10
	if err := b.burst(ctx, warm, o); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := b.burst(ctx, o.docs, o); err != nil {
		return 0, err
	}
	return float64(o.docs) / time.Since(start).Seconds(), nil
}

func (b *bench) burst(ctx context.Context, n int, o options) error {
	var wg sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	var mu sync.Mutex
	var events []string
	var failed error
	for range o.clients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for left.Add(-1) >= 0 {
				e, _, err := b.send(ctx, o.text)
				mu.Lock()
				events = append(events, e)
				if err != nil {
					failed = err
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	deadline := time.Now().Add(60 * time.Second)
	for _, e := range events {
		for {
			if _, ok := b.seen.at(e); ok {
				break
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("lost: an accepted document is not on the cleared topic after a minute")
			}
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// latency sends at a steady rate and measures from the start of the request to the
// arrival on the cleared topic.
func latency(ctx context.Context, b *bench, o options, k *kind, rate float64) error {
	type sent struct {
		event string
		began time.Time
	}
	var mu sync.Mutex
	var all []sent
	var failed error
	var wg sync.WaitGroup
	stop := time.Now().Add(o.latency)
	gap := time.Duration(float64(time.Second) / rate)
	sample := time.NewTicker(o.latency / 10)
	defer sample.Stop()
	for next := time.Now(); next.Before(stop); next = next.Add(gap) {
		time.Sleep(time.Until(next))
		select {
		case <-sample.C:
			k.rss = append(k.rss, rss())
		default:
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			e, began, err := b.send(ctx, o.text)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
				return
			}
			all = append(all, sent{e, began})
		}()
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	time.Sleep(2 * time.Second)
	var took []time.Duration
	for _, s := range all {
		at, ok := b.seen.at(s.event)
		if !ok {
			return fmt.Errorf("lost: %d documents sent, one did not come out", len(all))
		}
		took = append(took, at.Sub(s.began))
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	k.sent = len(took)
	k.p50, k.p99 = took[len(took)/2], took[len(took)*99/100]
	return nil
}

// output remembers when each document came out.
type output struct {
	mu     sync.RWMutex
	when   map[string]time.Time
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

func (o *output) at(event string) (time.Time, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	t, ok := o.when[event]
	return t, ok
}

func (o *output) stop() { o.cancel(); o.wg.Wait() }

func watch(ctx context.Context, dialer *kafka.Dialer, brokers []string, topic string) (*output, error) {
	ctx, cancel := context.WithCancel(ctx)
	o := &output{when: map[string]time.Time{}, cancel: cancel}
	conn, err := dialer.DialContext(ctx, "tcp", brokers[0])
	if err != nil {
		cancel()
		return nil, err
	}
	defer conn.Close()
	parts, err := conn.ReadPartitions(topic)
	if err != nil {
		cancel()
		return nil, err
	}
	for _, p := range parts {
		r := kafka.NewReader(kafka.ReaderConfig{Brokers: brokers, Dialer: dialer, Topic: topic, Partition: p.ID, MinBytes: 1, MaxBytes: 8 << 20, MaxWait: 250 * time.Millisecond})
		if err := r.SetOffset(kafka.LastOffset); err != nil {
			cancel()
			return nil, err
		}
		o.wg.Add(1)
		go func() {
			defer o.wg.Done()
			defer r.Close()
			for {
				m, err := r.ReadMessage(ctx)
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					time.Sleep(10 * time.Millisecond)
					continue
				}
				now := time.Now()
				for _, h := range m.Headers {
					if h.Key == "ce_subject" {
						o.mu.Lock()
						if _, ok := o.when[string(h.Value)]; !ok {
							o.when[string(h.Value)] = now
						}
						o.mu.Unlock()
					}
				}
			}
		}()
	}
	return o, nil
}

// body is an ordinary inquiry: invented, and different each time.
func body(n, text int) []byte {
	parts := []string{
		"We are two adults and a child and would like a room with a view of the garden.",
		"Could you tell us whether breakfast is included and until when it is served?",
		"We arrive by train in the late afternoon and would be glad of a parking space for two bicycles.",
		"Our daughter is allergic to nuts; is the kitchen able to take that into account?",
		"Last year we stayed for four nights and liked the quiet of the house very much.",
		"If the larger room is free we would take it, otherwise the small one is fine.",
		"Please let us know what the stay costs in all and how we can pay.",
	}
	var b strings.Builder
	for i := n; b.Len() < text; i++ {
		b.WriteString(parts[i%len(parts)])
		b.WriteByte(' ')
	}
	j, err := json.Marshal(map[string]any{
		"inquiry_id": "INQ-" + strconv.Itoa(n), "property": "seaside-4", "check_in": "2027-05-04", "check_out": "2027-05-08", "guests": 3,
		"guest":   map[string]string{"first_name": "Guest", "last_name": "Number", "email": fmt.Sprintf("guest%d@example.com", n), "phone": "+44 20 7946 0958"},
		"message": b.String(),
	})
	if err != nil {
		panic(err)
	}
	return j
}

func median(v []float64) float64 {
	s := append([]float64(nil), v...)
	sort.Float64s(s)
	if len(s) == 0 {
		return math.NaN()
	}
	return s[len(s)/2]
}

func list(v []float64) string {
	var s []string
	for _, x := range v {
		s = append(s, strconv.Itoa(int(x)))
	}
	return strings.Join(s, " ")
}

func ends(v []int64) string {
	if len(v) < 2 {
		return "-"
	}
	return fmt.Sprintf("%d → %d", v[1], v[len(v)-1])
}

// rss is this process's resident memory in MiB; the pipeline runs inside it.
func rss() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	pages, _ := strconv.ParseInt(f[1], 10, 64)
	return pages * int64(os.Getpagesize()) >> 20
}

func cpu() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for _, l := range strings.Split(string(b), "\n") {
		if name, v, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(v)
		}
	}
	return runtime.GOARCH
}

func where(o options) string {
	w := []string{"embedded broker", "SQLite", "file vault"}
	if o.kafka != "" {
		w[0] = "Apache Kafka"
	}
	if o.postgres != "" {
		w[1] = "Postgres"
	}
	if o.redis != "" {
		w = append(w, "Redis")
	}
	return strings.Join(w, ", ")
}
