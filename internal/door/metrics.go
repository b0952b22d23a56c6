package door

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what came and how it ended. Labels are registered source ids and
// the codes of problems: both are closed lists, and nothing a sender writes becomes
// a label.
type metrics struct {
	accepted  *prometheus.CounterVec
	duplicate *prometheus.CounterVec
	refused   *prometheus.CounterVec
	chunks    *prometheus.CounterVec
	bytes     *prometheus.CounterVec
	seconds   prometheus.Histogram
}

func newMetrics(r prometheus.Registerer) (*metrics, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stoplog_door_" + name, Help: help}, labels)
	}
	m := &metrics{
		accepted:  counter("accepted_total", "Events accepted.", "source"),
		duplicate: counter("duplicates_total", "Events that had been accepted before, by whether their body was another one.", "source", "body"),
		refused:   counter("refused_total", "Events and requests refused, by problem code.", "code"),
		chunks:    counter("chunks_total", "Chunks of accepted events.", "source", "class"),
		bytes:     counter("bytes_total", "Raw bytes of accepted events.", "source"),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "stoplog_door_accept_seconds", Help: "Time to accept one event, stores included.",
			Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 5}}),
	}
	if r == nil {
		return m, nil
	}
	var errs []error
	for _, c := range []**prometheus.CounterVec{&m.accepted, &m.duplicate, &m.refused, &m.chunks, &m.bytes} {
		errs = append(errs, register(r, c))
	}
	errs = append(errs, register(r, &m.seconds))
	return m, errors.Join(errs...)
}

// register registers a collector, or takes the one that another door of this process
// has registered.
func register[C prometheus.Collector](r prometheus.Registerer, c *C) error {
	err := r.Register(*c)
	var have prometheus.AlreadyRegisteredError
	if errors.As(err, &have) {
		if old, ok := have.ExistingCollector.(C); ok {
			*c = old
			return nil
		}
	}
	return err
}

func (m *metrics) refuse(err error) { m.refused.WithLabelValues(Problem(err).Code).Inc() }

func (m *metrics) took(d time.Duration) { m.seconds.Observe(d.Seconds()) }
