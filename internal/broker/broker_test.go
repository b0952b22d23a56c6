package broker

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	kafkaplain "github.com/segmentio/kafka-go/sasl/plain"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"
)

// childDir makes the test binary a broker on this directory, to be killed.
const childDir = "STOPLOG_TEST_BROKER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		b, err := Start(context.Background(), Options{Dir: dir})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		fmt.Println(b.Addr())
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when the parent does
		b.Close()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func start(t *testing.T, o Options) *Broker {
	t.Helper()
	b, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func client(t *testing.T, addr string) *kafka.Client {
	t.Helper()
	tr := &kafka.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &kafka.Client{Addr: kafka.TCP(addr), Transport: tr, Timeout: 5 * time.Second}
}

func createTopic(t *testing.T, addr, topic string) {
	t.Helper()
	if err := tryCreateTopic(t, addr, topic); err != nil {
		t.Fatal(err)
	}
}

func tryCreateTopic(t *testing.T, addr, topic string) error {
	t.Helper()
	res, err := client(t, addr).CreateTopics(t.Context(), &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{Topic: topic, NumPartitions: 1, ReplicationFactor: 1}}})
	if err != nil {
		return err
	}
	return res.Errors[topic]
}

func produce(t *testing.T, addr, topic string, from, to int) {
	t.Helper()
	var rs []kafka.Record
	for i := from; i < to; i++ {
		rs = append(rs, kafka.Record{Value: kafka.NewBytes(fmt.Appendf(nil, "%d", i))})
	}
	res, err := client(t, addr).Produce(t.Context(), &kafka.ProduceRequest{Topic: topic, RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(rs...)})
	if err != nil || res.Error != nil {
		t.Fatal(err, res)
	}
}

// consume reads a partition to its end.
func consume(t *testing.T, addr, topic string) []string {
	t.Helper()
	c := client(t, addr)
	var got []string
	for {
		res, err := c.Fetch(t.Context(), &kafka.FetchRequest{Topic: topic, Offset: int64(len(got)), MinBytes: 1, MaxBytes: 1 << 20, MaxWait: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if res.Error != nil {
			t.Fatal(res.Error)
		}
		n := len(got)
		for {
			r, err := res.Records.ReadRecord()
			if err != nil {
				break
			}
			b, _ := kafka.ReadAll(r.Value)
			if r.Offset >= int64(n) {
				got = append(got, string(b))
			}
		}
		if len(got) == n {
			return got
		}
	}
}

func wantNumbers(t *testing.T, got []string, n int) {
	t.Helper()
	if len(got) != n {
		t.Fatalf("read %d records, want %d", len(got), n)
	}
	for i, s := range got {
		if s != fmt.Sprint(i) {
			t.Fatalf("record %d is %q", i, s)
		}
	}
}

// frame makes a request frame with a length prefix of its own choice.
func frame(size uint32, key, version int16, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, size)
	b = binary.BigEndian.AppendUint16(b, uint16(key))
	b = binary.BigEndian.AppendUint16(b, uint16(version))
	return append(b, body...)
}

// TestHostileFrames sends what would end kfake without the guard. Each connection
// must be closed at once, and a client beside it must not notice.
func TestHostileFrames(t *testing.T) {
	b := start(t, Options{Dir: t.TempDir()})
	createTopic(t, b.Addr(), "t")
	body := make([]byte, 32)
	hostile := map[string][]byte{
		"unknown key":        frame(36, 999, 0, body),
		"negative key":       frame(36, -1, 0, body),
		"negative version":   frame(36, 3, -1, body),
		"version too high":   frame(36, 3, 99, body),
		"tagged fields":      frame(16, 3, 9, []byte{0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0}),
		"a long hello":       frame(maxHello+1, 18, 3, make([]byte, maxHello-3)),
		"4 GiB":              frame(0xffffffff, 3, 1, body),
		"just over 16 MiB":   frame(maxFrame+1, 3, 1, body),
		"length 0":           frame(0, 3, 1, body),
		"length below head":  frame(9, 3, 1, body),
		"another protocol":   []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"a TLS client hello": append([]byte{0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03}, body...),
	}
	for name, f := range hostile {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", b.Addr())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(10 * time.Second))
			if _, err := c.Write(f); err != nil {
				t.Fatal(err)
			}
			if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Fatal("the broker answered")
			} else if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatal("the connection stayed open")
			}
		})
	}
	produce(t, b.Addr(), "t", 0, 10)
	wantNumbers(t, consume(t, b.Addr(), "t"), 10)
}

// TestHostileBodies sends well-headed requests of every kind with bodies of noise:
// the guard lets them through, so kfake must bear them.
func TestHostileBodies(t *testing.T) {
	b := start(t, Options{Dir: t.TempDir(), NoSync: true})
	createTopic(t, b.Addr(), "t")
	var sent atomic.Int64
	var senders sync.WaitGroup
	served.EachMaxKeyVersion(func(key, highest int16) {
		senders.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(key)))
			for version := range highest + 1 {
				for round := range 3 {
					body := []byte{0, 0, 0, 1, 0xff, 0xff} // correlation id, no client id
					switch round {
					case 0: // a well-formed request with every field at its default
						req := kmsg.RequestForKey(key)
						req.SetVersion(version)
						if req.IsFlexible() {
							body = append(body, 0)
						}
						body = req.AppendTo(body)
					case 1:
						for range 64 {
							body = append(body, byte(rng.UintN(256)))
						}
					case 2: // small numbers read as plausible lengths
						for range 64 {
							body = append(body, byte(rng.UintN(3)))
						}
					}
					c, err := net.Dial("tcp", b.Addr())
					if err != nil {
						t.Errorf("key %d version %d: the broker is gone: %v", key, version, err)
						return
					}
					_ = c.SetDeadline(time.Now().Add(20 * time.Millisecond))
					_, _ = c.Write(frame(uint32(len(body)+4), key, version, body))
					_, _ = c.Read(make([]byte, 4))
					c.Close()
					sent.Add(1)
				}
			}
		})
	})
	senders.Wait()
	if sent.Load() < 300 {
		t.Fatalf("only %d requests were sent", sent.Load())
	}
	createTopic(t, b.Addr(), "u")
	produce(t, b.Addr(), "u", 0, 10)
	wantNumbers(t, consume(t, b.Addr(), "u"), 10)
}

// TestGuardFragments feeds the guard one byte at a time and in pieces that straddle
// heads: what comes out must be what went in.
func TestGuardFragments(t *testing.T) {
	var in []byte
	for i := range 50 {
		body := make([]byte, 6+i)
		in = append(in, frame(uint32(len(body)+4), 18, 0, body)...)
	}
	for _, piece := range []int{1, 2, 3, 7, 8, 9, 13, 4096} {
		client, server := net.Pipe()
		go func() {
			defer client.Close()
			for rest := in; len(rest) > 0; {
				n := min(piece, len(rest))
				if _, err := client.Write(rest[:n]); err != nil {
					return
				}
				rest = rest[n:]
			}
		}()
		g := &guardConn{Conn: server, g: &guard{}}
		var out []byte
		buf := make([]byte, piece)
		for {
			n, err := g.Read(buf)
			out = append(out, buf[:n]...)
			if err != nil {
				break
			}
		}
		if string(out) != string(in) {
			t.Fatalf("pieces of %d: %d bytes came out of %d, or others", piece, len(out), len(in))
		}
	}
}

// TestServedVersionsHaveNoTags: what the guard lets through must not have tagged
// fields, whatever the library's table says.
func TestServedVersionsHaveNoTags(t *testing.T) {
	keys := 0
	served.EachMaxKeyVersion(func(key, version int16) {
		req := kmsg.RequestForKey(key)
		if req == nil {
			t.Errorf("key %d is served and kfake would crash on it", key)
			return
		}
		req.SetVersion(version)
		if req.IsFlexible() {
			t.Errorf("key %d version %d has tagged fields", key, version)
		}
		keys++
	})
	if keys < 20 {
		t.Fatalf("%d keys served", keys)
	}
}

// TestOtherClient: a client that begins with a newer hello still gets along.
func TestOtherClient(t *testing.T) {
	b := start(t, Options{Dir: t.TempDir(), Password: "swordfish"})
	c, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()), kgo.DefaultProduceTopic("t"), kgo.ConsumeTopics("t"), kgo.DisableIdempotentWrite(),
		kgo.SASL(plain.Auth{User: User, Pass: "swordfish"}.AsMechanism()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	req := kmsg.NewCreateTopicsRequest()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = "t", 1, 1
	req.Topics = append(req.Topics, topic)
	if _, err := req.RequestWith(ctx, c); err != nil {
		t.Fatal(err)
	}
	if err := c.ProduceSync(ctx, kgo.StringRecord("hello")).FirstErr(); err != nil {
		t.Fatal(err)
	}
	fs := c.PollFetches(ctx)
	if err := fs.Err(); err != nil || fs.NumRecords() != 1 || string(fs.Records()[0].Value) != "hello" {
		t.Fatalf("%d records: %v", fs.NumRecords(), err)
	}
}

// TestPassword: without it the broker answers nothing.
func TestPassword(t *testing.T) {
	b := start(t, Options{Dir: t.TempDir(), Password: "swordfish"})
	for name, m := range map[string]sasl.Mechanism{"no": nil, "a wrong": kafkaplain.Mechanism{Username: User, Password: "guess"}} {
		tr := &kafka.Transport{SASL: m, DialTimeout: time.Second}
		c := &kafka.Client{Addr: kafka.TCP(b.Addr()), Transport: tr, Timeout: 2 * time.Second}
		if _, err := c.Metadata(t.Context(), &kafka.MetadataRequest{}); err == nil {
			t.Errorf("with %s password the broker answered", name)
		}
		tr.CloseIdleConnections()
	}
	tr := &kafka.Transport{SASL: kafkaplain.Mechanism{Username: User, Password: "swordfish"}}
	defer tr.CloseIdleConnections()
	c := &kafka.Client{Addr: kafka.TCP(b.Addr()), Transport: tr, Timeout: 5 * time.Second}
	if _, err := c.Metadata(t.Context(), &kafka.MetadataRequest{}); err != nil {
		t.Errorf("with the password: %v", err)
	}
}

func TestTooManyConnections(t *testing.T) {
	b := start(t, Options{Dir: t.TempDir()})
	var cs []net.Conn
	defer func() {
		for _, c := range cs {
			c.Close()
		}
	}()
	for range maxConns + 1 {
		c, err := net.Dial("tcp", b.Addr())
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, c)
	}
	last := cs[maxConns]
	_ = last.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := last.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("connection %d was not closed: %v", maxConns+1, err)
	}
	for _, c := range cs {
		c.Close()
	}
	// Places are free again, as soon as the broker has seen that the others are gone.
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := tryCreateTopic(t, b.Addr(), "t")
		if err == nil {
			return
		}
		if time.Since(began) > 10*time.Second {
			t.Fatal(err)
		}
	}
}

func TestLoopbackOnly(t *testing.T) {
	l, err := listenGuarded("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		t.Fatalf("listens on %s", l.Addr())
	}
}

func TestSecondBrokerRefused(t *testing.T) {
	dir := t.TempDir()
	b := start(t, Options{Dir: dir})
	_, err := Start(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("second start: %v, want ErrLocked and the directory's name", err)
	}
	b.Close()
	start(t, Options{Dir: dir})
}

func TestCloseWithContext(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Start(ctx, Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	cancel()
	for i := 0; ; i++ { // the directory is free again when it is closed
		b, err := Start(t.Context(), Options{Dir: dir})
		if err == nil {
			b.Close()
			return
		}
		if i == 100 {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// commitOffset commits through a consumer group of its own.
func commitOffset(t *testing.T, addr, group, topic string, offset int64) {
	t.Helper()
	g := joinGroup(t, addr, group, topic)
	defer g.Close()
	gen, err := g.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := gen.CommitOffsets(map[string]map[int]int64{topic: {0: offset}}); err != nil {
		t.Fatal(err)
	}
}

func committed(t *testing.T, addr, group, topic string) int64 {
	t.Helper()
	g := joinGroup(t, addr, group, topic)
	defer g.Close()
	gen, err := g.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return gen.Assignments[topic][0].Offset
}

func joinGroup(t *testing.T, addr, group, topic string) *kafka.ConsumerGroup {
	t.Helper()
	g, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{ID: group, Brokers: []string{addr}, Topics: []string{topic},
		SessionTimeout: 2 * time.Second, RebalanceTimeout: 2 * time.Second, HeartbeatInterval: 200 * time.Millisecond, JoinGroupBackoff: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRestartKeepsRecordsAndOffsets(t *testing.T) {
	dir := t.TempDir()
	b := start(t, Options{Dir: dir})
	createTopic(t, b.Addr(), "t")
	produce(t, b.Addr(), "t", 0, 900)
	commitOffset(t, b.Addr(), "g", "t", 300)
	b.Close()

	b = start(t, Options{Dir: dir})
	wantNumbers(t, consume(t, b.Addr(), "t"), 900)
	if got := committed(t, b.Addr(), "g", "t"); got != 300 {
		t.Fatalf("committed offset %d, want 300", got)
	}
}

// child starts a broker in a process of its own.
func child(t *testing.T, dir string) (addr string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	kill = func() {
		once.Do(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			_ = in.Close()
		})
	}
	t.Cleanup(kill)
	s := bufio.NewScanner(out)
	if !s.Scan() {
		t.Fatal("the child broker did not start")
	}
	return s.Text(), kill
}

// TestKilledBrokerLosesNothing kills the broker's process in the middle of writes:
// what was acknowledged and committed must be there, and the lock must be free.
func TestKilledBrokerLosesNothing(t *testing.T) {
	dir := t.TempDir()
	addr, kill := child(t, dir)
	if _, err := Start(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrLocked) {
		t.Fatalf("a second broker on a running child's directory: %v", err)
	}
	createTopic(t, addr, "t")
	produce(t, addr, "t", 0, 900)
	commitOffset(t, addr, "g", "t", 300)

	acked := 900
	c := client(t, addr)
	killed := make(chan struct{})
	for {
		if acked == 950 {
			go func() { kill(); close(killed) }()
		}
		res, err := c.Produce(t.Context(), &kafka.ProduceRequest{Topic: "t", RequiredAcks: kafka.RequireAll,
			Records: kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes(fmt.Appendf(nil, "%d", acked))})})
		if err != nil || res.Error != nil {
			break
		}
		acked++
	}
	if acked < 950 {
		t.Fatal("writes ended before the broker was killed")
	}
	<-killed

	b := start(t, Options{Dir: dir})
	got := consume(t, b.Addr(), "t")
	if len(got) < acked {
		t.Fatalf("%d records acknowledged, %d left", acked, len(got))
	}
	wantNumbers(t, got[:acked], acked)
	if got := committed(t, b.Addr(), "g", "t"); got != 300 {
		t.Fatalf("committed offset %d, want 300", got)
	}
}

// TestTruncationAlarm flips one byte in the middle of a segment. kfake cuts the log
// there and only logs it: that must reach the operator.
func TestTruncationAlarm(t *testing.T) {
	dir := t.TempDir()
	b := start(t, Options{Dir: dir})
	createTopic(t, b.Addr(), "t")
	for i := range 20 {
		produce(t, b.Addr(), "t", i*50, i*50+50)
	}
	b.Close()
	flipped := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".dat" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil || len(raw) < 1000 {
			return err
		}
		raw[len(raw)/2] ^= 0x40
		flipped++
		// As after a kill: the clean mark of a shutdown would let the segment be trusted.
		return os.WriteFile(path, raw, 0o600)
	})
	if err != nil || flipped != 1 {
		t.Fatalf("flipped a byte in %d segments: %v", flipped, err)
	}
	var mu sync.Mutex
	var alarms []Alarm
	b = start(t, Options{Dir: dir, OnAlarm: func(a Alarm) { mu.Lock(); alarms = append(alarms, a); mu.Unlock() }})
	left := len(consume(t, b.Addr(), "t"))
	mu.Lock()
	defer mu.Unlock()
	if left == 1000 {
		t.Fatal("the broken segment was read whole: the fault did not fire")
	}
	if len(alarms) == 0 || alarms[0].Kind != AlarmTruncated {
		t.Fatalf("%d of 1000 records are left and the alarms are %v", left, alarms)
	}
}

// TestRetentionAfterRestart: kfake's own timer is not armed again after a restart;
// ours must be.
func TestRetentionAfterRestart(t *testing.T) {
	dir := t.TempDir()
	b := start(t, Options{Dir: dir})
	res, err := client(t, b.Addr()).CreateTopics(t.Context(), &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{Topic: "t", NumPartitions: 1, ReplicationFactor: 1,
		ConfigEntries: []kafka.ConfigEntry{{ConfigName: "retention.ms", ConfigValue: "1"}, {ConfigName: "segment.bytes", ConfigValue: "2000"}}}}})
	if err != nil || res.Errors["t"] != nil {
		t.Fatal(err, res.Errors["t"])
	}
	for i := range 20 {
		produce(t, b.Addr(), "t", i*50, i*50+50)
	}
	b.Close()
	b = start(t, Options{Dir: dir, RetainEvery: 20 * time.Millisecond})
	c := client(t, b.Addr())
	for i := 0; ; i++ {
		res, err := c.ListOffsets(t.Context(), &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{"t": {kafka.FirstOffsetOf(0)}}})
		if err != nil {
			t.Fatal(err)
		}
		if res.Topics["t"][0].FirstOffset > 0 {
			return
		}
		if i == 200 {
			t.Fatal("nothing was removed")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
