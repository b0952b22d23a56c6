// Package runstate caches the facts of a run that every decision needs (its class,
// whether it is halted, ended or incomplete) in Redis, shared by all workers. The
// ledger is the truth; this cache may be lost, emptied or restarted at any moment,
// and none of that may read as "no taint" (SPEC CLS-6).
//
//   - Every script checks an epoch, a random value in Redis. A Redis that comes back
//     empty has none, so everything reads as stale and is loaded from the ledger
//     again. What was loaded under one epoch cannot be written under another.
//   - Every run has a version that each [Cache.Invalidate] replaces. A load that
//     began before an invalidation finds another version and is not written.
//   - Within an epoch no script lowers a run's class.
//   - An entry lives for a short time ([Options.TTL]), by Redis's clock. That bounds
//     what a lost invalidation (a fail-over, a snapshot that came back) can do.
//   - Redis away is [ErrUnavailable], which every caller answers with a denial.
package runstate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// ErrUnavailable means that Redis did not answer, or answered nonsense. Deny.
var ErrUnavailable = errors.New("runstate: state unavailable")

// State is what is known of a run. The zero value is a run of unclassified
// content, which exceeds every ceiling.
type State struct {
	Class      chunk.Class
	Halted     bool
	Ended      bool
	Incomplete bool
	Pending    int // chunks not yet decided
}

// Loader reads a run's state from the ledger.
type Loader func(ctx context.Context, run chunk.ID) (State, error)

// Options tunes a cache. URL must be set.
type Options struct {
	URL     string        // redis://user:password@host:port/db, rediss:// for TLS
	TTL     time.Duration // how long an entry serves without a look at the ledger; 3 s
	Timeout time.Duration // of one exchange with Redis; 1 s
}

// Cache is a client of the shared cache. It is safe for concurrent use.
type Cache struct {
	client *redis.Client
	load   Loader
	ttl    time.Duration

	// unsure is set when an invalidation may not have reached Redis. The next call
	// that gets through begins a new epoch, which makes every entry stale.
	unsure atomic.Bool
}

// All keys carry one hash tag, so that the scripts work on a cluster too (there all
// of it lies on one node).
const (
	epochKey  = "{stoplog}:epoch"
	runPrefix = "{stoplog}:run:"
	ratePfx   = "{stoplog}:rate:"
)

const (
	// keep is how long a run's version and class floor outlive its last use. A load
	// that takes longer is not written, for then the version is gone.
	keep = time.Hour
	// attempts bounds the races that one Get runs before it gives its own load.
	attempts = 4
)

var (
	//go:embed get.lua
	getLua string
	//go:embed put.lua
	putLua string
	//go:embed invalidate.lua
	invalidateLua string
	//go:embed allow.lua
	allowLua string

	getScript, putScript          = redis.NewScript(getLua), redis.NewScript(putLua)
	invalidateScript, allowScript = redis.NewScript(invalidateLua), redis.NewScript(allowLua)
)

// quiet drops what the client would print on standard error, beside our own log:
// every fault comes back as an error.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

func init() { redis.SetLogger(quiet{}) }

// New makes a client. It does not connect; [Cache.Ping] does.
func New(opts Options, load Loader) (*Cache, error) {
	config, err := redis.ParseURL(opts.URL)
	if err != nil { // the error would show the URL, with its password
		return nil, errors.New("runstate: the Redis URL cannot be read (want redis://host:port/0)")
	}
	if opts.TTL <= 0 {
		opts.TTL = 3 * time.Second
	}
	if opts.Timeout <= 0 {
		opts.Timeout = time.Second
	}
	config.DialTimeout, config.ReadTimeout, config.WriteTimeout = opts.Timeout, opts.Timeout, opts.Timeout
	config.PoolTimeout = 2 * opts.Timeout
	config.MaxRetries, config.DialerRetries = 1, 1 // a denial soon is better than an answer late
	config.ContextTimeoutEnabled = true
	config.DisableIdentity = true
	config.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &Cache{client: redis.NewClient(config), load: load, ttl: opts.TTL}, nil
}

// Close closes the client.
func (c *Cache) Close() error { return c.client.Close() }

// Ping reports whether Redis answers.
func (c *Cache) Ping(ctx context.Context) error {
	if err := c.client.Ping(ctx).Err(); err != nil {
		return unavailable(ctx, err)
	}
	return nil
}

// Get gives a run's state, from Redis if it is fresh there and from the ledger
// otherwise. It is never older than the last invalidation that completed before
// the call. The loader's errors are passed on.
func (c *Cache) Get(ctx context.Context, run chunk.ID) (State, error) {
	var loaded State
	for range attempts {
		if err := c.settle(ctx); err != nil {
			return State{}, err
		}
		reply, err := getScript.Run(ctx, c.client, []string{epochKey, runPrefix + string(run)}, c.ttl.Milliseconds(), keep.Milliseconds(), token()).StringSlice()
		switch {
		case err != nil:
			return State{}, unavailable(ctx, err)
		case len(reply) == 6 && reply[0] == "hit":
			return parse(reply[1:])
		case len(reply) == 1 && reply[0] == "stale":
			// Empty: begin an epoch. Of several workers the first wins.
			if err := c.client.SetNX(ctx, epochKey, token(), 0).Err(); err != nil {
				return State{}, unavailable(ctx, err)
			}
			continue
		case len(reply) != 3 || reply[0] != "miss":
			return State{}, ErrUnavailable
		}
		if loaded, err = c.load(ctx, run); err != nil {
			return State{}, err
		}
		reply, err = putScript.Run(ctx, c.client, []string{epochKey, runPrefix + string(run)}, append([]any{reply[1], reply[2], c.ttl.Milliseconds(), keep.Milliseconds()}, format(loaded)...)...).StringSlice()
		switch {
		case err != nil || len(reply) != 2:
			return State{}, unavailable(ctx, err)
		case reply[0] == "put":
			class, err := parseClass(reply[1])
			if err != nil {
				return State{}, err
			}
			loaded.Class = class
			return loaded, nil
		}
		// An invalidation or a new epoch came between: look again.
	}
	// The run changes faster than it can be loaded. What was loaded last was true
	// after the call began; it is given and not kept.
	return loaded, nil
}

// Invalidate must follow every ledger write that changed a run. If it fails, the
// caller must not go on as if it had not (a stage does not commit, and tries
// again); until a later call gets through, this process trusts no entry.
func (c *Cache) Invalidate(ctx context.Context, runs ...chunk.ID) error {
	if err := c.settle(ctx); err != nil {
		return err
	}
	if len(runs) == 0 {
		return nil
	}
	keys := make([]string, 0, 1+len(runs))
	keys = append(keys, epochKey)
	for _, run := range runs {
		keys = append(keys, runPrefix+string(run))
	}
	if err := invalidateScript.Run(ctx, c.client, keys, token(), keep.Milliseconds()).Err(); err != nil {
		c.unsure.Store(true)
		return unavailable(ctx, err)
	}
	return nil
}

// settle begins a new epoch if an invalidation of this process may have been lost.
func (c *Cache) settle(ctx context.Context) error {
	if !c.unsure.Swap(false) {
		return nil
	}
	if err := c.client.Set(ctx, epochKey, token(), 0).Err(); err != nil {
		c.unsure.Store(true)
		return unavailable(ctx, err)
	}
	return nil
}

// Allow counts one use of key and reports whether it is within perMinute uses in
// any 60 seconds, over all workers. A limit that is not positive allows nothing. An
// error is a denial. A Redis that lost its data counts from zero.
func (c *Cache) Allow(ctx context.Context, key string, perMinute int) (bool, error) {
	if perMinute <= 0 {
		return false, nil
	}
	sum := sha256.Sum256([]byte(key)) // whatever the caller counts by does not stand in Redis
	n, err := allowScript.Run(ctx, c.client, []string{ratePfx + hex.EncodeToString(sum[:16])}, perMinute).Int()
	if err != nil {
		return false, unavailable(ctx, err)
	}
	return n == 1, nil
}

func format(s State) []any {
	return []any{s.Class.Rank(), flag(s.Halted), flag(s.Ended), flag(s.Incomplete), s.Pending}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func parse(v []string) (State, error) {
	class, err := parseClass(v[0])
	if err != nil {
		return State{}, err
	}
	s := State{Class: class}
	for i, p := range []*bool{&s.Halted, &s.Ended, &s.Incomplete} {
		switch v[1+i] {
		case "0":
		case "1":
			*p = true
		default:
			return State{}, ErrUnavailable
		}
	}
	if s.Pending, err = strconv.Atoi(v[4]); err != nil {
		return State{}, ErrUnavailable
	}
	return s, nil
}

func parseClass(rank string) (chunk.Class, error) {
	n, err := strconv.Atoi(rank)
	switch {
	case err != nil || n < 1 || n > chunk.Unclassified.Rank():
		return chunk.Unclassified, ErrUnavailable
	case n == chunk.Unclassified.Rank():
		return chunk.Unclassified, nil
	}
	return chunk.Classes[n-1], nil
}

// token gives a value that no other call gives.
func token() string {
	b := make([]byte, 12)
	_, _ = rand.Read(b) // never fails: it ends the process instead
	return hex.EncodeToString(b)
}

// unavailable keeps whether the context ended, and drops the client's text, which
// may hold an address or a key.
func unavailable(ctx context.Context, _ error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return ErrUnavailable
}
