package api

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stoplog/stoplog/internal/ledger"
)

// metrics has bounded labels only: patterns, closed lists of rules and decisions.
type metrics struct {
	requests  *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	egress    *prometheus.CounterVec
	decisions *prometheus.CounterVec
	closed    *prometheus.CounterVec
	contexts  *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer, store *ledger.Store, now func() time.Time) (*metrics, error) {
	m := &metrics{
		requests:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stoplog_http_requests_total", Help: "Answered requests."}, []string{"route", "status"}),
		seconds:   prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "stoplog_http_request_seconds", Help: "Time to answer.", Buckets: prometheus.ExponentialBuckets(0.0005, 2.5, 12)}, []string{"route"}),
		egress:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stoplog_egress_decisions_total", Help: "Decisions of the guard."}, []string{"what", "decision", "rule"}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stoplog_review_decisions_total", Help: "Decisions of reviewers."}, []string{"type", "decision"}),
		closed:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stoplog_fail_closed_total", Help: "Requests refused because something was away or failed."}, []string{"cause"}),
		contexts:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stoplog_contexts_total", Help: "Contexts asked for."}, []string{"result"}),
	}
	if r == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.requests, m.seconds, m.egress, m.decisions, m.closed, m.contexts, &queueGauge{store: store, now: now}} {
		if err := r.Register(c); err != nil {
			return nil, errors.New("api: a metric is registered twice")
		}
	}
	return m, nil
}

func (m *metrics) request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

func (m *metrics) failClosed(cause string) { m.closed.WithLabelValues(cause).Inc() }

// queueGauge tells how much waits for a person, read from the ledger when somebody
// asks. A ledger that is away gives no figure, which is not the figure zero.
type queueGauge struct {
	store *ledger.Store
	now   func() time.Time
}

var (
	waitingDesc = prometheus.NewDesc("stoplog_quarantine_items", "Gates that wait for a person, at most 1000 of a type.", []string{"type"}, nil)
	oldestDesc  = prometheus.NewDesc("stoplog_quarantine_oldest_seconds", "Age of the oldest gate that waits.", nil, nil)
)

func (g *queueGauge) Describe(c chan<- *prometheus.Desc) { c <- waitingDesc; c <- oldestDesc }

func (g *queueGauge) Collect(c chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	now := g.now()
	var oldest time.Duration
	for _, kind := range gateTypes {
		n := 0
		for _, state := range []string{ledger.GateOpen, ledger.GateClaimed} {
			gates, err := g.store.Gates(ctx, ledger.GateFilter{Type: kind, State: state, Now: now, Limit: 1000})
			if err != nil {
				return
			}
			n += len(gates)
			if len(gates) > 0 {
				oldest = max(oldest, now.Sub(gates[0].Opened)) // they come in the order of opening
			}
		}
		c <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(n), kind)
	}
	c <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, oldest.Seconds())
}
