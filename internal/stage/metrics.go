package stage

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Metrics are the figures of the stream. Every label has a closed list of values:
// the stages, their topics, outcomes and reason codes; never a key, an id or a
// source. One Metrics serves all stages of a process. A nil one counts nothing.
type Metrics struct {
	messages   *prometheus.CounterVec   // stage, topic, outcome
	letters    *prometheus.CounterVec   // stage, reason
	seconds    *prometheus.HistogramVec // stage: from taken to published
	decides    *prometheus.HistogramVec // stage
	appends    *prometheus.HistogramVec // stage
	produces   *prometheus.HistogramVec // stage
	flight     *prometheus.GaugeVec     // stage
	lags       *prometheus.GaugeVec     // stage, topic
	assignedTo *prometheus.GaugeVec     // stage
	commits    *prometheus.CounterVec   // stage, result
	holds      *prometheus.CounterVec   // stage
	gaps       *prometheus.CounterVec   // stage, topic
	relayed    prometheus.Counter
	relayLed   prometheus.Gauge
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	name := func(n, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: "stoplog", Subsystem: "stage", Name: n, Help: help}
	}
	counter := func(n, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts(name(n, help)), labels)
	}
	gauge := func(n, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts(name(n, help)), labels)
	}
	seconds := func(n, help string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "stoplog", Subsystem: "stage", Name: n, Help: help,
			Buckets: prometheus.ExponentialBuckets(0.0001, 2, 18), // 0.1 ms to 13 s
		}, []string{"stage"})
	}
	m := &Metrics{
		messages:   counter("messages_total", "Messages finished, by outcome.", "stage", "topic", "outcome"),
		letters:    counter("dead_letters_total", "Messages given up, by reason code.", "stage", "reason"),
		seconds:    seconds("message_seconds", "Time from taking a message to its output being acknowledged."),
		decides:    seconds("decide_seconds", "Time of one decision."),
		appends:    seconds("append_seconds", "Time of one ledger transaction of a batch."),
		produces:   seconds("produce_seconds", "Time of one acknowledged write of a batch."),
		flight:     gauge("in_flight", "Messages taken and not finished.", "stage"),
		lags:       gauge("lag_messages", "Messages between the watermark and the end of the log.", "stage", "topic"),
		assignedTo: gauge("partitions_assigned", "Partitions this process reads.", "stage"),
		commits:    counter("commits_total", "Offset commits, by result.", "stage", "result"),
		holds:      counter("holds_total", "Waits because a store or the broker was away.", "stage"),
		gaps:       counter("log_gaps_total", "Times the log did not hold what should have been read next. Above zero is an alarm.", "stage", "topic"),
		relayed:    prometheus.NewCounter(prometheus.CounterOpts(name("relayed_total", "Outbox rows published."))),
		relayLed:   prometheus.NewGauge(prometheus.GaugeOpts(name("relay_leader", "1 while this process relays the outbox."))),
	}
	reg.MustRegister(m.messages, m.letters, m.seconds, m.decides, m.appends, m.produces, m.flight, m.lags,
		m.assignedTo, m.commits, m.holds, m.gaps, m.relayed, m.relayLed)
	return m
}

func (m *Metrics) message(stage, topic string, o outcome, reason chunk.FailureID, took time.Duration) {
	if m == nil {
		return
	}
	m.messages.WithLabelValues(stage, topic, o.String()).Inc()
	m.seconds.WithLabelValues(stage).Observe(took.Seconds())
	if o == outcomeDead {
		m.letters.WithLabelValues(stage, string(reason)).Inc()
	}
}

func (m *Metrics) decide(stage string, d time.Duration) {
	if m != nil {
		m.decides.WithLabelValues(stage).Observe(d.Seconds())
	}
}

func (m *Metrics) append(stage string, d time.Duration) {
	if m != nil {
		m.appends.WithLabelValues(stage).Observe(d.Seconds())
	}
}

func (m *Metrics) produce(stage string, d time.Duration) {
	if m != nil {
		m.produces.WithLabelValues(stage).Observe(d.Seconds())
	}
}

func (m *Metrics) inFlight(stage string, n int64) {
	if m != nil {
		m.flight.WithLabelValues(stage).Set(float64(n))
	}
}

func (m *Metrics) lag(stage, topic string, n int64) {
	if m != nil {
		m.lags.WithLabelValues(stage, topic).Set(float64(n))
	}
}

func (m *Metrics) assigned(stage string, n int) {
	if m != nil {
		m.assignedTo.WithLabelValues(stage).Set(float64(n))
	}
}

func (m *Metrics) commit(stage string, ok bool) {
	if m == nil {
		return
	}
	result := "committed"
	if !ok {
		result = "dropped"
	}
	m.commits.WithLabelValues(stage, result).Inc()
}

func (m *Metrics) held(stage string) {
	if m != nil {
		m.holds.WithLabelValues(stage).Inc()
	}
}

func (m *Metrics) gap(stage, topic string) {
	if m != nil {
		m.gaps.WithLabelValues(stage, topic).Inc()
	}
}

func (m *Metrics) relay(n int) {
	if m != nil {
		m.relayed.Add(float64(n))
	}
}

func (m *Metrics) leads(yes bool) {
	if m == nil {
		return
	}
	m.relayLed.Set(0)
	if yes {
		m.relayLed.Set(1)
	}
}
