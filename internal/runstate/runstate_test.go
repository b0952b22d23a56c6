package runstate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// realRedis is a database of a real server that tests may empty.
func realRedis() string {
	if addr := os.Getenv("STOPLOG_TEST_REDIS"); addr != "" {
		return "redis://" + strings.TrimPrefix(addr, "redis://") + "/9"
	}
	return ""
}

// servers runs a test against miniredis, and against a real Redis if there is one.
func servers(t *testing.T, f func(t *testing.T, url string)) {
	t.Run("embedded", func(t *testing.T) {
		url, stop, err := StartEmbedded(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		f(t, url)
	})
	if url := realRedis(); url != "" {
		t.Run("redis", func(t *testing.T) {
			raw(t, url).FlushDB(t.Context())
			f(t, url)
		})
	} else {
		t.Log("not run against a real Redis: STOPLOG_TEST_REDIS is not set")
	}
}

func raw(t *testing.T, url string) *redis.Client {
	t.Helper()
	opts, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(opts)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func cacheOf(t *testing.T, opts Options, load Loader) *Cache {
	t.Helper()
	c, err := New(opts, load)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// truth is a ledger for tests.
type truth struct {
	mu    sync.Mutex
	state State
	loads int
	err   error
}

func (l *truth) load(context.Context, chunk.ID) (State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loads++
	return l.state, l.err
}

func (l *truth) set(s State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = s
}

var run = chunk.NewID("run", "a")

func get(t *testing.T, c *Cache) State {
	t.Helper()
	s, err := c.Get(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGetLoadsOnceUntilInvalidated(t *testing.T) {
	servers(t, func(t *testing.T, url string) {
		for i, s := range []State{
			{Class: chunk.Public}, {Class: chunk.Internal, Pending: 7}, {Class: chunk.Restricted, Halted: true},
			{Class: chunk.PII, Ended: true, Incomplete: true}, {Class: chunk.Unclassified, Halted: true, Pending: 1 << 30},
		} {
			l := &truth{state: s}
			c, other := cacheOf(t, Options{URL: url}, l.load), cacheOf(t, Options{URL: url}, l.load)
			run := chunk.NewID("run", fmt.Sprint(i))
			for range 3 {
				for _, c := range []*Cache{c, other} {
					if got, err := c.Get(t.Context(), run); err != nil || got != s {
						t.Fatalf("got %+v, %v; want %+v", got, err, s)
					}
				}
			}
			if l.loads != 1 {
				t.Errorf("%d loads, want 1 for both workers", l.loads)
			}
			if err := other.Invalidate(t.Context(), chunk.NewID("run", "unknown"), run); err != nil {
				t.Fatal(err)
			}
			if got, err := c.Get(t.Context(), run); err != nil || got != s || l.loads != 2 {
				t.Fatalf("after the invalidation: %+v, %v, %d loads", got, err, l.loads)
			}
		}
	})
}

// SPEC: CLS-6
func TestClassIsMonotone(t *testing.T) {
	servers(t, func(t *testing.T, url string) {
		l := &truth{state: State{Class: chunk.Unclassified}}
		c := cacheOf(t, Options{URL: url}, l.load)
		want := []struct{ load, get chunk.Class }{
			{chunk.Unclassified, chunk.Unclassified}, // nothing is known yet: that is no floor
			{chunk.Public, chunk.Public},
			{chunk.Restricted, chunk.Restricted},
			{chunk.Internal, chunk.Restricted}, // a lagging replica of the ledger, say
			{chunk.PII, chunk.PII},
			{chunk.Public, chunk.PII},
			{chunk.Unclassified, chunk.Unclassified},
			{chunk.Public, chunk.PII},
		}
		for i, w := range want {
			l.set(State{Class: w.load})
			if err := c.Invalidate(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			for _, how := range []string{"loaded", "cached"} {
				if got := get(t, c).Class; got != w.get {
					t.Errorf("step %d, %s: %v, want %v", i, how, got, w.get)
				}
			}
		}
	})
}

func TestLoaderErrorsPassAndAreNotKept(t *testing.T) {
	url, stop, err := StartEmbedded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	notFound := errors.New("no such run")
	l := &truth{err: notFound}
	c := cacheOf(t, Options{URL: url}, l.load)
	if _, err := c.Get(t.Context(), run); !errors.Is(err, notFound) || errors.Is(err, ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
	l.err = nil
	if _, err := c.Get(t.Context(), run); err != nil {
		t.Fatal(err)
	}
}

// race runs writers, readers and a server that is emptied at random points over
// one run whose Pending only grows, and counts the reads that were older than an
// invalidation that had completed before them: each would be a fail-open.
func race(t *testing.T, url string) (stale, reads, loads, flushes int64) {
	t.Helper()
	var version, invalidated, nStale, nReads, nLoads atomic.Int64
	load := func(context.Context, chunk.ID) (State, error) {
		nLoads.Add(1)
		pause()
		s := State{Class: chunk.Internal, Pending: int(version.Load())}
		pause() // old by the time it is written
		return s, nil
	}
	admin := raw(t, url)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		c := cacheOf(t, Options{URL: url}, load)
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				before := invalidated.Load()
				s, err := c.Get(t.Context(), run)
				if err != nil {
					t.Error(err)
					return
				}
				nReads.Add(1)
				if int64(s.Pending) < before {
					nStale.Add(1)
				}
			}
		})
	}
	c := cacheOf(t, Options{URL: url}, load)
	for round := range 200 {
		v := version.Add(1) // the ledger write
		if err := c.Invalidate(t.Context(), run); err != nil {
			t.Error(err)
		}
		invalidated.Store(v)
		for range rand.IntN(40) {
			pause()
		}
		if rand.IntN(6) == 0 || round%20 == 0 {
			if err := admin.FlushDB(t.Context()).Err(); err != nil {
				t.Error(err)
			}
			flushes++
		}
	}
	close(done)
	wg.Wait()
	return nStale.Load(), nReads.Load(), nLoads.Load(), flushes
}

func pause() { time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond) }

// SPEC: CLS-6
func TestEmptiedRedisNeverReadsAsClean(t *testing.T) {
	servers(t, func(t *testing.T, url string) {
		stale, reads, loads, flushes := race(t, url)
		t.Logf("%d reads, %d loads, %d flushes, %d stale", reads, loads, flushes, stale)
		if stale != 0 {
			t.Errorf("%d of %d reads were older than a completed invalidation", stale, reads)
		}
		if flushes < 10 || loads < 100 || reads <= loads {
			t.Error("the test did not reach what it is for")
		}
	})
}

// The checks of put.lua are what holds: without them the same race fails.
func TestRaceFailsWithoutTheChecks(t *testing.T) {
	url, stop, err := StartEmbedded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	kept := putScript
	defer func() { putScript = kept }()
	naive := strings.Replace(putLua, "if redis.call('GET', KEYS[1]) ~= ARGV[1]", "if false and redis.call('GET', KEYS[1]) ~= ARGV[1]", 1)
	naive = strings.Replace(naive, "or h[1] ~= ARGV[1] or h[2] ~= ARGV[2] then", "then", 1)
	naive = strings.Replace(naive, "'until', string", "'epoch', redis.call('GET', KEYS[1]) or '', 'until', string", 1)
	if naive == putLua {
		t.Fatal("the control changed nothing")
	}
	putScript = redis.NewScript(naive)
	for range 5 {
		if stale, _, _, _ := race(t, url); stale > 0 {
			return
		}
	}
	t.Error("the naive cache passed: the race proves nothing")
}

func TestRestoredEntryOfAnotherEpochIsStale(t *testing.T) {
	servers(t, func(t *testing.T, url string) {
		l := &truth{state: State{Class: chunk.Public}}
		c := cacheOf(t, Options{URL: url}, l.load)
		get(t, c)
		admin := raw(t, url)
		old, err := admin.HGetAll(t.Context(), runPrefix+string(run)).Result()
		if err != nil || len(old) == 0 {
			t.Fatal(old, err)
		}
		// The store is emptied, the run is tainted, and the old entry comes back alone.
		admin.FlushDB(t.Context())
		l.set(State{Class: chunk.PII, Halted: true})
		if err := c.Invalidate(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		if err := admin.HSet(t.Context(), runPrefix+string(run), old).Err(); err != nil {
			t.Fatal(err)
		}
		if s := get(t, c); s.Class != chunk.PII || !s.Halted {
			t.Errorf("got %+v from another epoch's entry", s)
		}
	})
}

func TestEntryAges(t *testing.T) {
	m := miniredis.RunT(t)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	m.SetTime(now)
	l := &truth{state: State{Class: chunk.Public}}
	c := cacheOf(t, Options{URL: "redis://" + m.Addr(), TTL: 3 * time.Second}, l.load)
	steps := []struct {
		at    time.Duration
		loads int
	}{
		{0, 1}, {2999 * time.Millisecond, 1}, {3 * time.Second, 2}, {5 * time.Second, 2}, {7 * time.Second, 3},
		{time.Second, 4}, // the clock went back
		{2 * time.Second, 4},
	}
	for _, s := range steps {
		m.SetTime(now.Add(s.at))
		if get(t, c); l.loads != s.loads {
			t.Fatalf("at %v: %d loads, want %d", s.at, l.loads, s.loads)
		}
	}
}

func TestRedisAway(t *testing.T) {
	m := miniredis.RunT(t)
	l := &truth{state: State{Class: chunk.Public}}
	c := cacheOf(t, Options{URL: "redis://" + m.Addr(), Timeout: 200 * time.Millisecond}, l.load)
	if get(t, c).Class != chunk.Public {
		t.Fatal("no state")
	}
	m.Close()
	if s, err := c.Get(t.Context(), run); !errors.Is(err, ErrUnavailable) || s.Class != chunk.Unclassified {
		t.Errorf("Get: %+v, %v", s, err)
	}
	if ok, err := c.Allow(t.Context(), "k", 10); ok || !errors.Is(err, ErrUnavailable) {
		t.Errorf("Allow: %v, %v", ok, err)
	}
	if err := c.Ping(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Ping: %v", err)
	}
	// The run is tainted while Redis is away, and Redis comes back as it was: the
	// entry from before must not be served.
	l.set(State{Class: chunk.PII, Halted: true})
	if err := c.Invalidate(t.Context(), run); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Invalidate: %v", err)
	}
	if err := m.Restart(); err != nil {
		t.Fatal(err)
	}
	if s := get(t, c); s.Class != chunk.PII || !s.Halted {
		t.Errorf("after the outage: %+v", s)
	}
}

func TestCancelledContextIsUnavailable(t *testing.T) {
	m := miniredis.RunT(t)
	c := cacheOf(t, Options{URL: "redis://" + m.Addr()}, (&truth{}).load)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Get(ctx, run); !errors.Is(err, ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestDamagedEntryIsNoState(t *testing.T) {
	for _, field := range []struct{ name, value string }{
		{"class", "0"}, {"class", "6"}, {"class", "x"}, {"halted", "2"}, {"ended", ""}, {"pending", "many"},
	} {
		m := miniredis.RunT(t)
		c := cacheOf(t, Options{URL: "redis://" + m.Addr()}, (&truth{state: State{Class: chunk.Public}}).load)
		get(t, c)
		m.HSet(runPrefix+string(run), field.name, field.value)
		if s, err := c.Get(t.Context(), run); !errors.Is(err, ErrUnavailable) || s.Class != chunk.Unclassified {
			t.Errorf("%s=%q: %+v, %v", field.name, field.value, s, err)
		}
	}
}

func TestAllowHoldsInAnySixtySeconds(t *testing.T) {
	m := miniredis.RunT(t)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	c := cacheOf(t, Options{URL: "redis://" + m.Addr()}, nil)
	const limit = 10
	var allowed []time.Time
	for range 3000 {
		now = now.Add(time.Duration(rand.IntN(3000)) * time.Millisecond)
		m.SetTime(now)
		ok, err := c.Allow(t.Context(), "a", limit)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			allowed = append(allowed, now)
		}
	}
	for i := limit; i < len(allowed); i++ {
		if span := allowed[i].Sub(allowed[i-limit]); span <= time.Minute {
			t.Fatalf("%d uses within %v", limit+1, span)
		}
	}
	// About 75 minutes at one use each 1.5 s: nearly the whole limit is granted.
	if minutes := 3000 * 1.5 / 60; float64(len(allowed)) < 0.9*limit*minutes {
		t.Errorf("%d allowed in %v minutes", len(allowed), minutes)
	}
	m.SetTime(now.Add(65 * time.Second))
	for i := range limit + 1 {
		if ok, err := c.Allow(t.Context(), "a", limit); err != nil || ok != (i < limit) {
			t.Fatalf("use %d after a quiet minute: %v, %v", i, ok, err)
		}
	}
	if ok, err := c.Allow(t.Context(), "b", limit); !ok || err != nil {
		t.Error("another key must have its own count")
	}
	for _, bad := range []int{0, -1} {
		if ok, _ := c.Allow(t.Context(), "c", bad); ok {
			t.Errorf("a limit of %d allowed something", bad)
		}
	}
}

func TestAllowTogether(t *testing.T) {
	servers(t, func(t *testing.T, url string) {
		var allowed atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			c := cacheOf(t, Options{URL: url}, nil)
			wg.Go(func() {
				for range 50 {
					ok, err := c.Allow(t.Context(), "shared", 100)
					if err != nil {
						t.Error(err)
					}
					if ok {
						allowed.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if allowed.Load() != 100 {
			t.Errorf("%d of 400 allowed, want 100", allowed.Load())
		}
		for _, k := range raw(t, url).Keys(t.Context(), "*").Val() {
			if strings.Contains(k, "shared") {
				t.Error("the caller's key stands in Redis")
			}
		}
	})
}

// SPEC: PRV-2
func TestErrorsShowNoPassword(t *testing.T) {
	for _, url := range []string{"http://u:hunter2@h:1/0", "redis://u:hunter2@%zz/0", "redis://u:hunter2@h:1/notanumber"} {
		if _, err := New(Options{URL: url}, nil); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v", err)
		}
	}
}

func TestEmbeddedNeedsItsPasswordAndStops(t *testing.T) {
	url, stop, err := StartEmbedded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	opts, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(opts.Addr, "127.0.0.1:") {
		t.Errorf("listens on %s", opts.Addr)
	}
	opts.Password = ""
	anyone := redis.NewClient(opts)
	defer anyone.Close()
	if err := anyone.Set(t.Context(), "x", "y", 0).Err(); err == nil {
		t.Error("a client without the password got in")
	}
	// Keys expire by themselves.
	known := raw(t, url)
	if err := known.Set(t.Context(), "k", "v", 500*time.Millisecond).Err(); err != nil {
		t.Fatal(err)
	}
	gone := false
	for range 100 {
		if gone = known.Exists(t.Context(), "k").Val() == 0; gone {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if !gone {
		t.Error("a key outlived its time to live")
	}
	stop()
	stop()
	if err := known.Ping(t.Context()).Err(); err == nil {
		t.Error("it answers after stop")
	}
}

func BenchmarkGet(b *testing.B) {
	urls := map[string]string{}
	url, stop, err := StartEmbedded(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer stop()
	urls["embedded"] = url
	if url := realRedis(); url != "" {
		urls["redis"] = url
	}
	want := State{Class: chunk.PII, Pending: 3}
	for name, url := range urls {
		c, err := New(Options{URL: url}, func(context.Context, chunk.ID) (State, error) { return want, nil })
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got, err := c.Get(b.Context(), run); err != nil || got != want {
					b.Fatal(got, err)
				}
			}
		})
		_ = c.Close()
	}
}
