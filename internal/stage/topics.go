package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"
	"go.yaml.in/yaml/v3"
)

// Topic is the declaration of one topic.
type Topic struct {
	Name            string        `yaml:"name"`
	Partitions      int           `yaml:"partitions"`
	Retention       time.Duration `yaml:"retention"`
	MaxMessageBytes int           `yaml:"max_message_bytes"`
	Cleanup         string        `yaml:"cleanup"` // delete or compact
}

// Topics is a declaration of topics.
type Topics []Topic

// LoadTopics reads a declaration strictly: unknown and missing members, doubled
// names and values out of range are errors with their line.
func LoadTopics(b []byte) (Topics, error) {
	var file struct {
		Version int         `yaml:"version"`
		Topics  []yaml.Node `yaml:"topics"`
	}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("topics: %w", err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("topics: more than one document")
	}
	if file.Version != 1 {
		return nil, fmt.Errorf("topics: version %d is not known, want 1", file.Version)
	}
	if len(file.Topics) == 0 {
		return nil, errors.New("topics: none declared")
	}
	seen := map[string]bool{}
	var ts Topics
	for _, n := range file.Topics {
		// Node.Decode knows no strictness of its own: through bytes again.
		raw, err := yaml.Marshal(&n)
		if err != nil {
			return nil, fmt.Errorf("topics: line %d: %w", n.Line, err)
		}
		var t Topic
		d := yaml.NewDecoder(bytes.NewReader(raw))
		d.KnownFields(true)
		if err := d.Decode(&t); err != nil {
			return nil, fmt.Errorf("topics: entry at line %d: %w", n.Line, err)
		}
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("topics: entry at line %d: %w", n.Line, err)
		}
		if seen[t.Name] {
			return nil, fmt.Errorf("topics: entry at line %d: %s is declared twice", n.Line, t.Name)
		}
		seen[t.Name] = true
		ts = append(ts, t)
	}
	return ts, nil
}

func (t Topic) check() error {
	switch {
	case !topicName(t.Name):
		return errors.New("name: want 1 to 249 letters, digits, dots, dashes or underscores")
	case t.Partitions < 1 || t.Partitions > 10_000:
		return fmt.Errorf("%s: partitions: want 1 to 10000", t.Name)
	case t.Retention < time.Minute:
		return fmt.Errorf("%s: retention: want a duration of at least 1m, such as 168h", t.Name)
	case t.MaxMessageBytes < MaxMessageBytes || t.MaxMessageBytes > 16<<20:
		return fmt.Errorf("%s: max_message_bytes: want %d, the largest message a writer sends, to %d", t.Name, MaxMessageBytes, 16<<20)
	case t.Cleanup != "delete" && t.Cleanup != "compact":
		return fmt.Errorf("%s: cleanup: want delete or compact", t.Name)
	}
	return nil
}

func topicName(s string) bool {
	if s == "" || len(s) > 249 || s == "." || s == ".." {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

func (t Topic) settings() map[string]string {
	return map[string]string{
		"retention.ms":      strconv.FormatInt(t.Retention.Milliseconds(), 10),
		"max.message.bytes": strconv.Itoa(t.MaxMessageBytes),
		"cleanup.policy":    t.Cleanup,
	}
}

// TopicsReport says what [Topics.Apply] did and found.
type TopicsReport struct {
	Created   []string
	Grown     []string // partitions were added
	Same      []string
	Different []TopicDifference // left as they are
}

// TopicDifference is a setting of a topic that differs from its declaration. It is
// reported, not changed: somebody may have had a reason, and less retention or
// fewer partitions cannot be taken back.
type TopicDifference struct {
	Topic, Setting, Have, Want string
}

func (d TopicDifference) String() string {
	return fmt.Sprintf("%s: %s is %s, declared %s", d.Topic, d.Setting, d.Have, d.Want)
}

// Apply makes the cluster hold the declared topics: it creates what is missing,
// adds partitions, and reports every other difference. It may be called as often as
// one likes. A replication of zero means three, or as many brokers as there are.
//
// When it returns, every partition has a leader, and a writer made from now on
// knows the topics.
func (ts Topics) Apply(ctx context.Context, k Kafka, replication int) (TopicsReport, error) {
	var report TopicsReport
	tr := k.transport()
	defer tr.CloseIdleConnections()
	c := &kafka.Client{Addr: k.addr(), Transport: tr, Timeout: 30 * time.Second}

	have, brokers, err := metadata(ctx, c, nil)
	if err != nil {
		return report, fmt.Errorf("topics: %w", err)
	}
	if replication == 0 {
		replication = min(3, brokers)
	}
	var create []kafka.TopicConfig
	var grow []kafka.TopicPartitionsConfig
	var describe []kafka.DescribeConfigRequestResource
	byName := map[string]Topic{}
	for _, t := range ts {
		byName[t.Name] = t
		parts, ok := have[t.Name]
		if !ok {
			tc := kafka.TopicConfig{Topic: t.Name, NumPartitions: t.Partitions, ReplicationFactor: replication}
			settings := t.settings()
			if replication >= 3 {
				settings["min.insync.replicas"] = "2" // or an acknowledgement by all could mean by one
			}
			for _, name := range sortedKeys(settings) {
				tc.ConfigEntries = append(tc.ConfigEntries, kafka.ConfigEntry{ConfigName: name, ConfigValue: settings[name]})
			}
			create = append(create, tc)
			continue
		}
		describe = append(describe, kafka.DescribeConfigRequestResource{ResourceType: kafka.ResourceTypeTopic, ResourceName: t.Name})
		switch {
		case len(parts) < t.Partitions:
			grow = append(grow, kafka.TopicPartitionsConfig{Name: t.Name, Count: int32(t.Partitions)})
		case len(parts) > t.Partitions:
			report.Different = append(report.Different, TopicDifference{t.Name, "partitions", strconv.Itoa(len(parts)), strconv.Itoa(t.Partitions)})
		}
	}
	if len(create) > 0 {
		res, err := c.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: create})
		if err != nil {
			return report, fmt.Errorf("topics: create: %w", err)
		}
		for _, t := range create {
			switch err := res.Errors[t.Topic]; {
			case err == nil:
				report.Created = append(report.Created, t.Topic)
			case errors.Is(err, kafka.TopicAlreadyExists): // another process was quicker
				report.Same = append(report.Same, t.Topic)
			default:
				return report, fmt.Errorf("topics: create %s: %w", t.Topic, err)
			}
		}
	}
	if len(grow) > 0 {
		res, err := c.CreatePartitions(ctx, &kafka.CreatePartitionsRequest{Topics: grow})
		if err != nil {
			return report, fmt.Errorf("topics: add partitions: %w", err)
		}
		for _, t := range grow {
			if err := res.Errors[t.Name]; err != nil {
				return report, fmt.Errorf("topics: add partitions to %s: %w", t.Name, err)
			}
			report.Grown = append(report.Grown, t.Name)
		}
	}
	if len(describe) > 0 {
		res, err := c.DescribeConfigs(ctx, &kafka.DescribeConfigsRequest{Resources: describe})
		if err != nil {
			return report, fmt.Errorf("topics: read settings: %w", err)
		}
		for _, r := range res.Resources {
			if r.Error != nil {
				return report, fmt.Errorf("topics: read settings of %s: %w", r.ResourceName, r.Error)
			}
			want := byName[r.ResourceName].settings()
			for _, e := range r.ConfigEntries {
				if w, ok := want[e.ConfigName]; ok && w != e.ConfigValue {
					report.Different = append(report.Different, TopicDifference{r.ResourceName, e.ConfigName, e.ConfigValue, w})
				}
			}
			name := r.ResourceName
			changed := slices.Contains(report.Grown, name) ||
				slices.ContainsFunc(report.Different, func(d TopicDifference) bool { return d.Topic == name })
			if !changed {
				report.Same = append(report.Same, name)
			}
		}
	}
	slices.SortFunc(report.Different, func(a, b TopicDifference) int {
		return slices.Compare([]string{a.Topic, a.Setting}, []string{b.Topic, b.Setting})
	})
	return report, ts.await(ctx, k)
}

// await waits until the cluster shows every declared partition with a leader.
func (ts Topics) await(ctx context.Context, k Kafka) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	names := make([]string, len(ts))
	for i, t := range ts {
		names[i] = t.Name
	}
	for {
		tr := k.transport() // an older one answers from memory for a while
		have, _, err := metadata(ctx, &kafka.Client{Addr: k.addr(), Transport: tr, Timeout: 10 * time.Second}, names)
		tr.CloseIdleConnections()
		missing := ""
		for _, t := range ts {
			ready := 0
			for _, p := range have[t.Name] {
				if p.Leader.Port != 0 {
					ready++
				}
			}
			if ready < t.Partitions {
				missing = t.Name
				break
			}
		}
		if err == nil && missing == "" {
			return nil
		}
		if !sleep(ctx, 50*time.Millisecond) {
			return fmt.Errorf("topics: %s has partitions without a leader", missing)
		}
	}
}

func metadata(ctx context.Context, c *kafka.Client, names []string) (map[string][]kafka.Partition, int, error) {
	res, err := c.Metadata(ctx, &kafka.MetadataRequest{Topics: names})
	if err != nil {
		return nil, 0, err
	}
	have := make(map[string][]kafka.Partition, len(res.Topics))
	for _, t := range res.Topics {
		if t.Error == nil {
			have[t.Name] = t.Partitions
		}
	}
	return have, len(res.Brokers), nil
}
