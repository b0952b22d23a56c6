package broker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// ErrLocked means that another process runs a broker on the data directory.
var ErrLocked = errors.New("broker: data directory is in use by another process")

// Alarm is something the broker noticed that an operator must know. Detail is the
// broker's own text: topics, partitions, offsets, sizes and file errors, no content.
type Alarm struct {
	Kind   string // truncated: records are gone; storage: a write failed
	Detail string
}

// The kinds of [Alarm].
const (
	AlarmTruncated = "truncated"
	AlarmStorage   = "storage"
)

// User is the name that goes with [Options.Password].
const User = "stoplog"

// Options configure the broker. Dir is required.
type Options struct {
	Dir  string // data directory; made if missing, readable by its owner only
	Port int    // on 127.0.0.1; 0 takes a free one

	// OnAlarm is called for each alarm, also during Start, and must not block. Alarms
	// are logged as errors too.
	OnAlarm func(Alarm)
	Log     *slog.Logger

	RetainEvery time.Duration // how often records past their retention go: 10 min
	MinSession  time.Duration // shortest session a group may ask for: 1 s
	// Password, when set, is asked of every connection (SASL PLAIN, user "stoplog"), so
	// that other users of this machine can neither read, write nor commit.
	Password string

	// NoSync leaves records to the page cache: they survive the death of the process,
	// not of the machine. For benchmarks.
	NoSync bool
}

// Broker is a running broker.
type Broker struct {
	addr    string
	cluster *kfake.Cluster
	unlock  func()
	stop    chan struct{}
	done    sync.WaitGroup
	once    sync.Once
}

// Start opens the data directory and listens. What was acknowledged before, records
// and committed offsets, is there again, after a kill too. The broker closes when
// ctx ends or Close is called.
func Start(ctx context.Context, o Options) (*Broker, error) {
	if o.Dir == "" {
		return nil, errors.New("broker: no data directory given")
	}
	if o.RetainEvery <= 0 {
		o.RetainEvery = 10 * time.Minute
	}
	if o.MinSession <= 0 {
		o.MinSession = time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	unlock, err := lock(filepath.Join(o.Dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, o.Dir)
	}
	opts := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.Ports(o.Port),
		kfake.ClusterID("stoplog"),
		kfake.DataDir(filepath.Join(o.Dir, "log")),
		kfake.GroupMinSessionTimeout(o.MinSession),
		kfake.ListenFn(listenGuarded),
		kfake.MaxVersions(served),
		kfake.WithLogger(&watcher{o}),
		kfake.BrokerConfigs(map[string]string{"default.replication.factor": "1"}),
	}
	if o.Password != "" {
		opts = append(opts, kfake.EnableSASL(), kfake.Superuser("PLAIN", User, o.Password))
	}
	if !o.NoSync {
		opts = append(opts, kfake.SyncWrites())
	}
	cluster, err := kfake.NewCluster(opts...)
	if err != nil {
		unlock()
		return nil, fmt.Errorf("broker: %w", err)
	}
	b := &Broker{addr: cluster.ListenAddrs()[0], cluster: cluster, unlock: unlock, stop: make(chan struct{})}
	b.done.Go(func() { b.retain(o.RetainEvery) })
	context.AfterFunc(ctx, b.Close)
	return b, nil
}

// Addr is the host and port to dial.
func (b *Broker) Addr() string { return b.addr }

// Close saves what is not saved yet and frees the directory. It may be called more
// than once.
func (b *Broker) Close() {
	b.once.Do(func() {
		close(b.stop)
		b.done.Wait()
		b.cluster.Close()
		b.unlock()
	})
}

// retain removes what is past its retention. kfake has a timer of its own, which it
// does not start again after a restart.
func (b *Broker) retain(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		b.cluster.ApplyRetention()
		select {
		case <-b.stop:
			return
		case <-tick.C:
		}
	}
}

// listenGuarded listens on loopback, whatever it is asked for: the broker knows
// nobody it could let in from elsewhere.
func listenGuarded(network, address string) (net.Listener, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, err
	}
	l, err := net.Listen(network, net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, err
	}
	return &guard{Listener: l}, nil
}

// watcher reads the broker's log for what an operator must know.
type watcher struct{ o Options }

// Logf implements kfake.Logger.
func (w *watcher) Logf(level kfake.LogLevel, format string, args ...any) {
	if level != kfake.LogLevelError && level != kfake.LogLevelWarn {
		return
	}
	kind := ""
	switch {
	case strings.Contains(format, "corrupt"), strings.Contains(format, "truncat"), strings.Contains(format, "malformed"):
		kind = AlarmTruncated
	case strings.Contains(format, "persist"), strings.Contains(format, "rebuildSegments"), strings.Contains(format, "compact"),
		strings.Contains(format, "load session state"), strings.Contains(format, "save session state"), strings.Contains(format, "stat active segment"):
		kind = AlarmStorage
	}
	text := fmt.Sprintf(format, args...)
	if kind == "" {
		w.o.Log.Warn("broker", slog.String("detail", text))
		return
	}
	w.o.Log.Error("broker alarm", slog.String("kind", kind), slog.String("detail", text))
	if w.o.OnAlarm != nil {
		w.o.OnAlarm(Alarm{Kind: kind, Detail: text})
	}
}
