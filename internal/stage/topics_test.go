package stage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/deploy"
)

// TestDeclaration reads the declaration that is shipped and checks that every topic
// the stages name is in it.
func TestDeclaration(t *testing.T) {
	ts, err := LoadTopics(deploy.Topics)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]Topic{}
	for _, topic := range ts {
		byName[topic.Name] = topic
	}
	want := []string{"stoplog.content.accepted", "stoplog.content.classified", "stoplog.content.cleared", "stoplog.content.quarantined",
		"stoplog.tool.requested", "stoplog.tool.decided", DeadLetterTopic, "stoplog.ledger.checkpoints"}
	for _, tier := range DefaultTiers {
		want = append(want, tier.Topic)
		if got := byName[tier.Topic].Retention; got < 10*tier.Delay {
			t.Errorf("%s keeps records for %v: too short for a delay of %v", tier.Topic, got, tier.Delay)
		}
	}
	for _, name := range want {
		topic, ok := byName[name]
		if !ok {
			t.Errorf("%s is not declared", name)
		}
		if strings.HasPrefix(name, "stoplog.content.") && topic.Partitions != 6 {
			t.Errorf("%s has %d partitions, want 6", name, topic.Partitions)
		}
		delete(byName, name)
	}
	if len(byName) > 0 {
		t.Errorf("declared and not known here: %v", byName)
	}
}

func TestLoadTopicsStrict(t *testing.T) {
	const good = "version: 1\ntopics:\n  - {name: a.b, partitions: 2, retention: 1h, max_message_bytes: 1048576, cleanup: delete}\n"
	if _, err := LoadTopics([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ from, to, want string }{
		"unknown key":      {"cleanup: delete", "cleanup: delete, replicas: 3", "replicas"},
		"unknown top key":  {"version: 1", "version: 1\nregion: x", "region"},
		"version":          {"version: 1", "version: 2", "version"},
		"no name":          {"name: a.b", "name: ''", "name"},
		"bad name":         {"name: a.b", "name: 'a b'", "name"},
		"no partitions":    {"partitions: 2, ", "", "partitions"},
		"no retention":     {"retention: 1h, ", "", "retention"},
		"retention number": {"retention: 1h", "retention: 7", "line 3"},
		"small messages":   {"1048576", "1000", "max_message_bytes"},
		"cleanup":          {"cleanup: delete", "cleanup: sometimes", "cleanup"},
		"twice":            {"topics:\n", "topics:\n  - {name: a.b, partitions: 2, retention: 1h, max_message_bytes: 1048576, cleanup: delete}\n", "twice"},
		"second document":  {"cleanup: delete}\n", "cleanup: delete}\n---\nversion: 1\n", "more than one"},
		"none":             {good[len("version: 1\n"):], "topics: []\n", "none"},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if text == good {
			t.Fatalf("%s: the case changes nothing", name)
		}
		_, err := LoadTopics([]byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that names %q", name, err, c.want)
		}
	}
}

// TestApply: what is missing is created, partitions grow, everything else is
// reported and left alone; applying again changes nothing.
func TestApply(t *testing.T) {
	r := newRig(t, 1)
	a, b := r.name+"a", r.name+"b"
	ts := Topics{
		{Name: a, Partitions: 2, Retention: time.Hour, MaxMessageBytes: 1 << 20, Cleanup: "delete"},
		{Name: b, Partitions: 1, Retention: 2 * time.Hour, MaxMessageBytes: 2 << 20, Cleanup: "compact"},
	}
	apply := func(want TopicsReport) {
		t.Helper()
		got, err := ts.Apply(t.Context(), r.kafka, 0)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got.Same)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("report (-want +got):\n%s", d)
		}
	}
	apply(TopicsReport{Created: []string{a, b}})
	apply(TopicsReport{Same: []string{a, b}})

	ts[0].Partitions = 4
	apply(TopicsReport{Grown: []string{a}, Same: []string{b}})
	apply(TopicsReport{Same: []string{a, b}})

	ts[0].Partitions, ts[0].Retention, ts[1].Cleanup, ts[1].MaxMessageBytes = 3, 3*time.Hour, "delete", 3<<20
	apply(TopicsReport{Different: []TopicDifference{
		{a, "partitions", "4", "3"},
		{a, "retention.ms", "3600000", "10800000"},
		{b, "cleanup.policy", "compact", "delete"},
		{b, "max.message.bytes", "2097152", "3145728"},
	}})

	tr := r.kafka.transport()
	defer tr.CloseIdleConnections()
	have, _, err := metadata(t.Context(), &kafka.Client{Addr: r.kafka.addr(), Transport: tr}, []string{a, b})
	if err != nil || len(have[a]) != 4 || len(have[b]) != 1 {
		t.Fatalf("%d and %d partitions: %v", len(have[a]), len(have[b]), err)
	}
}
