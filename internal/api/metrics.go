package api

import (
	"errors"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
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

func newMetrics(r prometheus.Registerer) (*metrics, error) {
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
	for _, c := range []prometheus.Collector{m.requests, m.seconds, m.egress, m.decisions, m.closed, m.contexts} {
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
