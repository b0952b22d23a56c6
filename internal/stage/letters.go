package stage

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// The plain headers of a retry record. It holds where its message lies, not the
// message: what came in unsealed is copied nowhere, and a retry costs no space.
const (
	headerRetryGroup     = "stoplog-retry-group"
	headerRetryTier      = "stoplog-retry-tier"
	headerRetryDue       = "stoplog-retry-not-before" // Unix milliseconds
	headerRetryTopic     = "stoplog-retry-topic"
	headerRetryPartition = "stoplog-retry-partition"
	headerRetryOffset    = "stoplog-retry-offset"
)

type retryHeaders struct {
	group     string
	tier      int
	due       time.Time
	topic     string
	partition int
	offset    int64
	labels    map[string]string
}

func retryMessage(c Config, t *task, now time.Time) kafka.Message {
	tier := c.Tiers[t.tier]
	h := labels(t.m)
	h[headerRetryGroup] = c.Group
	h[headerRetryTier] = strconv.Itoa(t.tier + 1)
	h[headerRetryDue] = strconv.FormatInt(now.Add(tier.Delay).UnixMilli()+1, 10) // never early by rounding
	h[headerRetryTopic] = t.m.Topic
	h[headerRetryPartition] = strconv.Itoa(t.m.Partition)
	h[headerRetryOffset] = strconv.FormatInt(t.m.Offset, 10)
	h[HeaderTraceparent] = t.trace.Traceparent()
	return kafka.Message{Topic: tier.Topic, Key: []byte(t.m.Position()), Headers: kafkaHeaders(h)}
}

func parseRetry(hs []kafka.Header) (r retryHeaders, ok bool) {
	h := make(map[string]string, len(hs))
	for _, kv := range hs {
		h[kv.Key] = string(kv.Value)
	}
	tier, err1 := strconv.Atoi(h[headerRetryTier])
	due, err2 := strconv.ParseInt(h[headerRetryDue], 10, 64)
	partition, err3 := strconv.Atoi(h[headerRetryPartition])
	offset, err4 := strconv.ParseInt(h[headerRetryOffset], 10, 64)
	if errors.Join(err1, err2, err3, err4) != nil || tier < 1 || partition < 0 || offset < 0 {
		return retryHeaders{}, false
	}
	return retryHeaders{
		group: h[headerRetryGroup], tier: tier, due: time.UnixMilli(due),
		topic: h[headerRetryTopic], partition: partition, offset: offset,
		labels: labels(Message{Headers: h}),
	}, true
}

// deadLetterMessage is the note that a message was given up: a CloudEvent without
// data. The message itself stays where it lies, until retention takes it; what was
// wrong with it is the reason code and nothing more, since an error's text can
// quote what it choked on.
func deadLetterMessage(stage, group, topic string, t *task) kafka.Message {
	e := Event{
		ID:     string(chunk.NewID("dlq", group, t.m.Position())),
		Source: "/stoplog/stage/" + stage,
		Type:   "stoplog.deadletter.v1",
		Extensions: map[string]string{
			ExtReason:    string(t.dead),
			ExtStage:     stage,
			ExtTopic:     t.m.Topic,
			ExtPartition: strconv.Itoa(t.m.Partition),
			ExtOffset:    strconv.FormatInt(t.m.Offset, 10),
			ExtAttempts:  strconv.Itoa(t.m.Attempt),
		},
	}
	if id := t.m.Headers["ce_id"]; isID(id) {
		e.Extensions[ExtCorrelation] = id
	}
	h, err := e.Headers()
	if err != nil { // only a stage or topic name with a control character in it
		h = map[string]string{"ce_" + ExtReason: string(t.dead)}
	}
	for k, v := range labels(t.m) {
		if _, ok := h[k]; !ok {
			h[k] = v
		}
	}
	h[HeaderTraceparent] = t.trace.Traceparent()
	m := kafka.Message{Topic: topic, Headers: kafkaHeaders(h)}
	if isID(t.m.Key) {
		m.Key = []byte(t.m.Key)
	}
	return m
}

// labels gives the headers of a message that are ids of ours and nothing else. All
// other headers of what came from outside may hold anything.
func labels(m Message) map[string]string {
	h := make(map[string]string)
	for _, name := range []string{ExtRun, ExtScope} {
		if v := m.Headers[headerPrefix+name]; isID(v) {
			h[headerPrefix+name] = v
		}
	}
	if v := m.Headers[headerPrefix+"subject"]; isID(v) {
		h[headerPrefix+"subject"] = v
	}
	if v := m.Headers["ce_id"]; isID(v) {
		h["ce_id"] = v
	}
	if v := m.Headers[headerPrefix+ExtTenant]; isLabel(v) {
		h[headerPrefix+ExtTenant] = v
	}
	return h
}

// isID reports whether s has the form of an id of ours, whatever its kind.
func isID(s string) bool {
	prefix, _, _ := strings.Cut(s, "_")
	return len(prefix) >= 2 && len(prefix) <= 5 && isLabel(prefix) && chunk.ValidID(s, prefix)
}

// isLabel holds to what the configuration allows in a tenant's name.
func isLabel(s string) bool {
	if s == "" || len(s) > 63 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

func kafkaHeaders(h map[string]string) []kafka.Header {
	out := make([]kafka.Header, 0, len(h)+1)
	for _, k := range sortedKeys(h) {
		out = append(out, kafka.Header{Key: k, Value: []byte(h[k])})
	}
	return out
}

func sortedKeys(m map[string]string) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

// continueTrace gives an outgoing message the trace of the message that caused it:
// this hop's traceparent, and the one the event began with.
func continueTrace(m *kafka.Message, t *task) {
	have := map[string]bool{}
	for _, h := range m.Headers {
		have[h.Key] = true
	}
	if !have[HeaderTraceparent] {
		m.Headers = append(m.Headers, kafka.Header{Key: HeaderTraceparent, Value: []byte(t.trace.Traceparent())})
	}
	const began = headerPrefix + ExtTraceparent
	if tr, ok := ParseTrace(t.m.Headers[began]); ok && have["ce_id"] && !have[began] {
		m.Headers = append(m.Headers, kafka.Header{Key: began, Value: []byte(tr.Traceparent())})
	}
}
