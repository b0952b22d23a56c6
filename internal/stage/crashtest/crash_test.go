//go:build unix

package crashtest

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/internal/broker"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

var (
	kills   = flag.Int("kills", 1, "kills at each point")
	session = flag.Duration("session", 0, "session timeout of the groups; 0: 1s on the embedded broker, 6s on Kafka")
)

// perRound is how many documents are sent for each kill; roundPoints says how late
// in a round its kill may come, in passes of the point. It never comes before a few
// messages got through: the ones that are in work at four deaths in a row are given
// up, as they should be (TestKiller), and that is another matter.
const (
	perRound = 60
	atLeast  = 4
)

var roundPoints = map[string]int{
	stage.HookAfterFetch:        8,
	stage.HookAfterDecide:       40,
	stage.HookAfterLedger:       12,
	stage.HookAfterProduce:      12,
	stage.HookBeforeCommit:      8,
	stage.HookAfterCommit:       8,
	doorAfterVault:              40,
	doorAfterLedger:             40,
	stage.HookRelayAfterProduce: 8,
}

// rig is one case: topics, a ledger, a vault, and the sender's book.
type rig struct {
	t    *testing.T
	plan plan
	c    *kafka.Client

	mu    sync.Mutex
	sent  int          // documents 0 to sent-1 exist
	acked map[int]bool // acknowledged with 202
}

// TestCrash kills the pipeline at each named point.
//
// SPEC: PRV-9, CLS-6 (what follows from the ledger survives a kill)
func TestCrash(t *testing.T) {
	addr := startBroker(t)
	for _, point := range []string{
		stage.HookAfterFetch, stage.HookAfterDecide, stage.HookAfterLedger, stage.HookAfterProduce, stage.HookBeforeCommit, stage.HookAfterCommit,
		doorAfterVault, doorAfterLedger, stage.HookRelayAfterProduce,
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, addr)
			fired := 0
			for fired < *kills {
				if r.round(point, 0, 0) {
					fired++
				}
			}
			r.last(0)
			y := r.tally()
			t.Logf("%-28s kills %d  %s", point, fired, y)
			if bad := y.bad(); bad != "" {
				t.Error(bad)
			}
			if r.plan.Postgres == "" && y.vault != y.documents {
				t.Errorf("%d documents, %d in the vault", y.documents, y.vault)
			}
		})
	}
}

// TestControls runs three wrong orders. Each must lose or double effects within a
// few kills; if one does not, the suite above is blind.
func TestControls(t *testing.T) {
	addr := startBroker(t)
	for name, c := range map[string]struct {
		order stage.TestOrder
		point string
		kills int // that make it all but sure to show
		late  int // as roundPoints
		fault func(tally) int
	}{
		"produce before ledger":         {stage.TestOrderProduceBeforeLedger, stage.HookAfterProduce, 1, 0, func(y tally) int { return y.mismatch + y.doubled }},
		"commit before work":            {stage.TestOrderCommitBeforeWork, stage.HookAfterDecide, 1, 0, func(y tally) int { return y.lost }},
		"commit each without watermark": {stage.TestOrderCommitEachNoWatermark, stage.HookAfterCommit, 3, 40, func(y tally) int { return y.lost }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for try := range 15 { // on a busy machine the fault shows in few of them
				r := newRig(t, addr)
				for fired := 0; fired < max(c.kills, *kills); {
					if r.round(c.point, c.order, c.late) {
						fired++
					}
				}
				r.last(c.order)
				y := r.tally()
				t.Logf("%-30s killed %-14s %s", name, c.point, y)
				if c.fault(y) > 0 {
					return
				}
				t.Logf("not found out in try %d", try+1)
			}
			t.Error("a wrong order of effects passed the crash test: the test cannot see the fault")
		})
	}
}

// TestKiller: a message that kills the process, each time anew, is found and given
// up unparsed after a few deaths. It takes no other message with it, and the rest
// goes through.
func TestKiller(t *testing.T) {
	r := newRig(t, startBroker(t))
	const killer = 100
	r.plan.Killer = strconv.Itoa(killer)
	r.sent = 4 * perRound
	deaths := 0
	for {
		dead, state, stop, quit := r.child(r.plan)
		if r.settle(dead, quit, false) {
			stop()
			<-dead
			break
		}
		if deaths++; deaths > 30 {
			t.Fatal("thirty deaths and no end")
		}
		if ws, ok := state().Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGKILL {
			t.Fatalf("the child ended by itself: %v", state())
		}
	}
	y := r.tally()
	copies := 0 // a death between produce and mark relays it twice
	for _, m := range r.read("in") {
		if m["ce_id"] == string(eventOf(killer)) {
			copies++
		}
	}
	t.Logf("deaths %d  copies %d  %s", deaths, copies, y)
	if deaths < 3 || deaths > 5*copies {
		t.Errorf("%d deaths, want for each copy one with its block, one with its part, three alone", deaths)
	}
	letters := r.read("dead")
	for _, l := range letters {
		if l["ce_correlationid"] != string(eventOf(killer)) {
			t.Errorf("dead letter %v, want the one that kills", l)
		}
	}
	if len(letters) != copies || y.lost != 1 || y.dead != 1+copies || y.doubled+y.mismatch != 0 {
		t.Errorf("want the one that kills given up, in the ledger and on the topic, and no other: %s", y)
	}
}

func startBroker(t *testing.T) string {
	t.Helper()
	if addr := os.Getenv("STOPLOG_TEST_KAFKA"); addr != "" {
		if *session == 0 {
			*session = 6 * time.Second
		}
		return addr
	}
	t.Log("not run against Kafka: STOPLOG_TEST_KAFKA is not set")
	if *session == 0 {
		*session = time.Second
	}
	b, err := broker.Start(context.Background(), broker.Options{Dir: t.TempDir(), OnAlarm: func(a broker.Alarm) { t.Errorf("broker alarm: %+v", a) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b.Addr()
}

func newRig(t *testing.T, addr string) *rig {
	t.Helper()
	dir := t.TempDir()
	r := &rig{t: t, acked: map[int]bool{}, plan: plan{
		Kafka: addr, Prefix: fmt.Sprintf("crash%x.", rand.Uint64()), SQLite: filepath.Join(dir, "ledger.db"), Vault: filepath.Join(dir, "vault"), Session: *session,
	}}
	if err := os.Mkdir(r.plan.Vault, 0o700); err != nil {
		t.Fatal(err)
	}
	if owner := os.Getenv("STOPLOG_TEST_POSTGRES"); owner != "" {
		r.plan.Postgres = makeDatabase(t, owner)
	}
	var ts stage.Topics
	for name, n := range map[string]int{"in": 3, "out": 3, "dead": 1, "retry": 1} {
		ts = append(ts, stage.Topic{Name: r.plan.topic(name), Partitions: n, Retention: time.Hour, MaxMessageBytes: 1 << 20, Cleanup: "delete"})
	}
	if _, err := ts.Apply(t.Context(), stage.Kafka{Brokers: []string{addr}}, 1); err != nil {
		t.Fatal(err)
	}
	tr := &kafka.Transport{MetadataTTL: time.Second}
	t.Cleanup(tr.CloseIdleConnections)
	r.c = &kafka.Client{Addr: kafka.TCP(addr), Transport: tr, Timeout: 10 * time.Second}
	return r
}

// makeDatabase gives a case a database of its own, and the writer's URL of it.
func makeDatabase(t *testing.T, owner string) string {
	t.Helper()
	u, err := url.Parse(owner)
	if err != nil {
		t.Fatal("STOPLOG_TEST_POSTGRES is not a URL")
	}
	admin, err := sql.Open("pgx", owner)
	if err != nil {
		t.Fatal(err)
	}
	name := "crash_" + strconv.FormatUint(rand.Uint64(), 36)
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = admin.Exec("DROP DATABASE " + name + " WITH (FORCE)")
		_ = admin.Close()
	})
	u.Path = "/" + name
	if err := ledger.MigratePostgres(t.Context(), u.String()); err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("role", "stoplog_writer")
	u.RawQuery = q.Encode()
	return u.String()
}

// child starts the pipeline and sends it what is not acknowledged. dead is closed
// when it has ended; stop ends its input, which stops it cleanly.
func (r *rig) child(p plan) (dead chan struct{}, state func() *os.ProcessState, stop, quit func()) {
	r.t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	dead = make(chan struct{})
	done := make(chan struct{})
	r.t.Cleanup(func() { _ = cmd.Process.Kill(); <-dead })
	go func() {
		s := bufio.NewScanner(out)
		for s.Scan() {
			if n, ok := strings.CutPrefix(s.Text(), "202 "); ok {
				i, err := strconv.Atoi(n)
				if err != nil {
					continue
				}
				r.mu.Lock()
				r.acked[i] = true
				r.mu.Unlock()
			}
		}
		_ = cmd.Wait()
		close(dead)
	}()
	go func() { // the sender: everything without a 202, slowly, again and again
		defer in.Close()
		for {
			r.mu.Lock()
			var todo []int
			for i := range r.sent {
				if !r.acked[i] {
					todo = append(todo, i)
				}
			}
			r.mu.Unlock()
			for _, i := range todo {
				if _, err := fmt.Fprintln(in, i); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
			select {
			case <-done:
				return
			case <-dead:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	return dead, func() *os.ProcessState { return cmd.ProcessState }, sync.OnceFunc(func() { close(done) }), func() { _ = cmd.Process.Signal(syscall.SIGQUIT) }
}

// round sends a round's documents to a child that kills itself at the point, and
// reports whether it did. A child that has nothing left to do before its kill is
// stopped, and the round is not counted.
func (r *rig) round(point string, order stage.TestOrder, late int) bool {
	r.t.Helper()
	r.mu.Lock()
	r.sent += perRound
	r.mu.Unlock()
	p := r.plan
	p.Point, p.Order = point, order
	p.After = atLeast + rand.Int64N(int64(max(late, roundPoints[point])))
	dead, state, stop, quit := r.child(p)
	if !r.settle(dead, quit, order != 0) {
		if ws, ok := state().Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGKILL {
			r.t.Fatalf("the child ended by itself: %v", state())
		}
		return true
	}
	stop()
	<-dead
	return false
}

// last lets a child live until everything is through, and stops it cleanly.
func (r *rig) last(order stage.TestOrder) {
	r.t.Helper()
	p := r.plan
	p.Order = order
	dead, state, stop, quit := r.child(p)
	if !r.settle(dead, quit, order != 0) {
		r.t.Fatalf("the last child ended by itself: %v", state())
	}
	stop()
	select {
	case <-dead:
	case <-time.After(30 * time.Second):
		r.t.Fatal("the child does not stop")
	}
	if !state().Success() {
		r.t.Fatalf("the child stopped with %v", state())
	}
}

// settle waits until every document is acknowledged, has left the outbox, and both
// groups have committed the ends of their topics. It reports false when the child
// died first. With control, a session and four seconds in which nothing moves count as settled.
func (r *rig) settle(dead chan struct{}, quit func(), control bool) bool {
	r.t.Helper()
	deadline := time.After(2 * time.Minute)
	last, since := "", time.Now()
	for {
		select {
		case <-dead:
			return false
		case <-deadline:
			groups := r.group("detector", "in", "retry") + r.group("context", "out", "retry")
			quit() // shows what it waits for
			<-dead
			r.t.Fatalf("not through in two minutes: %s\n%s", last, groups)
		case <-time.After(50 * time.Millisecond):
		}
		r.mu.Lock()
		acked := len(r.acked)
		sent := r.sent
		r.mu.Unlock()
		in, inDone := r.progress("in", "detector")
		out, outDone := r.progress("out", "context")
		now := fmt.Sprintf("%d of %d acknowledged, in %d of %d, out %d of %d", acked, sent, inDone, in, outDone, out)
		if now != last {
			last, since = now, time.Now()
		}
		// The end must stand still for a moment: the outbox is not seen from here.
		if acked == sent && in >= int64(sent) && inDone == in && outDone == out && time.Since(since) > 600*time.Millisecond {
			return true
		}
		if control && acked == sent && in >= int64(sent) && time.Since(since) > *session+4*time.Second {
			return true
		}
	}
}

// progress sums the ends of a topic's partitions and what a group has committed.
func (r *rig) progress(topic, group string) (end, committed int64) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	name := r.plan.topic(topic)
	res, err := r.c.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{
		name: {kafka.LastOffsetOf(0), kafka.LastOffsetOf(1), kafka.LastOffsetOf(2)},
	}})
	if err != nil {
		return 0, -1 // seen again in a moment
	}
	for _, p := range res.Topics[name] {
		end += p.LastOffset
	}
	off, err := r.c.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: r.plan.group(group), Topics: map[string][]int{name: {0, 1, 2}}})
	if err != nil || off.Error != nil {
		return end, -1
	}
	for _, p := range off.Topics[name] {
		committed += max(0, p.CommittedOffset)
	}
	return end, committed
}

// group tells what the broker knows of a group: its state, who owns what, and how far
// it has come in each partition of its topics.
func (r *rig) group(name string, topics ...string) string {
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	var b strings.Builder
	id := r.plan.group(name)
	res, err := r.c.DescribeGroups(ctx, &kafka.DescribeGroupsRequest{GroupIDs: []string{id}})
	if err != nil {
		return fmt.Sprintf("group %s: %v\n", name, err)
	}
	for _, g := range res.Groups {
		fmt.Fprintf(&b, "group %s: %s, %d members, error %v\n", name, g.GroupState, len(g.Members), g.Error)
		for _, m := range g.Members {
			fmt.Fprintf(&b, "  member %s at %s owns %v\n", m.MemberID, m.ClientHost, m.MemberAssignments.Topics)
		}
	}
	for _, topic := range topics {
		name := r.plan.topic(topic)
		parts := []int{0, 1, 2}
		if topic == "retry" {
			parts = parts[:1]
		}
		var ask []kafka.OffsetRequest
		for _, p := range parts {
			ask = append(ask, kafka.LastOffsetOf(p))
		}
		ends, err := r.c.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{name: ask}})
		if err != nil {
			return fmt.Sprintf("%s  topic %s: %v\n", &b, topic, err)
		}
		done, err := r.c.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: id, Topics: map[string][]int{name: parts}})
		if err != nil {
			return fmt.Sprintf("%s  topic %s: %v\n", &b, topic, err)
		}
		for _, e := range ends.Topics[name] {
			for _, d := range done.Topics[name] {
				if d.Partition == e.Partition {
					fmt.Fprintf(&b, "  %s/%d: committed %d of %d\n", topic, d.Partition, d.CommittedOffset, e.LastOffset)
				}
			}
		}
	}
	return b.String()
}

// tally is the comparison of what was acknowledged, what lies on the topics and what
// the ledger says.
type tally struct {
	documents int // acknowledged
	records   int // scan records in the ledger
	rawIn     int // messages on the input topic
	rawOut    int // messages on the output topic
	dups      int // of those, repetitions
	vault     int

	lost     int // acknowledged, and no scan record, or nothing published, or clean without a final disposition
	doubled  int // two accepted records, two scan records, two ends, or published with two verdicts
	mismatch int // published, and the ledger says otherwise
	dead     int
}

func (y tally) String() string {
	return fmt.Sprintf("documents %d  ledger %d  in %d  out %d (repeated %d)  lost %d  doubled %d  out≠ledger %d  dead %d",
		y.documents, y.records, y.rawIn, y.rawOut, y.dups, y.lost, y.doubled, y.mismatch, y.dead)
}

func (y tally) bad() string {
	switch {
	case y.documents == 0 || y.records == 0:
		return "nothing ran"
	case y.lost+y.doubled+y.mismatch+y.dead != 0:
		return "the promise does not hold: " + y.String()
	}
	return ""
}

func (r *rig) tally() tally {
	r.t.Helper()
	store, err := r.plan.open(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	defer store.Close()
	records := map[provenance.Kind]map[chunk.ID]int{}
	for _, kind := range []provenance.Kind{provenance.KindAccepted, provenance.KindScanned, provenance.KindInjectionHit, provenance.KindCleared, provenance.KindDeadLetter} {
		records[kind] = map[chunk.ID]int{}
		for after := int64(0); ; {
			page, err := store.Records(r.t.Context(), ledger.RecordFilter{Tenant: "default", Kind: kind, After: after, Limit: 500})
			if err != nil {
				r.t.Fatal(err)
			}
			for _, s := range page {
				records[kind][s.Record.Subject]++
				after = s.N
			}
			if len(page) < 500 {
				break
			}
		}
	}
	left, err := store.Outbox(r.t.Context(), 10)
	if err != nil || len(left) > 0 {
		r.t.Fatalf("%d rows are left in the outbox: %v", len(left), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	y := tally{documents: len(r.acked), dead: len(records[provenance.KindDeadLetter]) + len(r.read("dead"))}
	y.records = len(records[provenance.KindScanned]) + len(records[provenance.KindInjectionHit])
	y.rawIn = len(r.read("in"))
	published := map[string]map[string]bool{}
	for _, m := range r.read("out") {
		y.rawOut++
		if published[m["ce_id"]] == nil {
			published[m["ce_id"]] = map[string]bool{}
		} else {
			y.dups++
		}
		published[m["ce_id"]][m["verdict"]] = true
	}
	for i := range r.acked {
		event := eventOf(i)
		id := chunk.ChunkID(event, 0)
		clean, hit := records[provenance.KindScanned][id], records[provenance.KindInjectionHit][id]
		ends := records[provenance.KindCleared][id]
		verdicts := published[string(event)]
		switch {
		case records[provenance.KindAccepted][event] == 0, clean+hit == 0, len(verdicts) == 0, clean > 0 && ends == 0:
			y.lost++
		}
		switch {
		case records[provenance.KindAccepted][event] > 1, clean+hit > 1, ends > 1, len(verdicts) > 1, hit > 0 && ends > 0:
			y.doubled++
		}
		if clean > 0 && verdicts[string(provenance.KindInjectionHit)] || hit > 0 && verdicts[string(provenance.KindScanned)] {
			y.mismatch++
		}
		if _, err := os.Stat(filepath.Join(r.plan.Vault, string(event))); err == nil {
			y.vault++
		}
	}
	return y
}

// read gives the headers of every message of a topic.
func (r *rig) read(topic string) (out []map[string]string) {
	r.t.Helper()
	name := r.plan.topic(topic)
	meta, err := r.c.Metadata(r.t.Context(), &kafka.MetadataRequest{Topics: []string{name}})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, p := range meta.Topics[0].Partitions {
		res, err := r.c.ListOffsets(r.t.Context(), &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{name: {kafka.LastOffsetOf(p.ID)}}})
		if err != nil {
			r.t.Fatal(err)
		}
		end := res.Topics[name][0].LastOffset
		for at := int64(0); at < end; {
			f, err := r.c.Fetch(r.t.Context(), &kafka.FetchRequest{Topic: name, Partition: p.ID, Offset: at, MinBytes: 1, MaxBytes: 8 << 20, MaxWait: time.Second})
			if err != nil || f.Error != nil {
				r.t.Fatal(err, f)
			}
			for {
				rec, err := f.Records.ReadRecord()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					r.t.Fatal(err)
				}
				if rec.Offset < at {
					continue
				}
				h := map[string]string{}
				for _, kv := range rec.Headers {
					h[kv.Key] = string(kv.Value)
				}
				out = append(out, h)
				at = rec.Offset + 1
			}
		}
	}
	return out
}
