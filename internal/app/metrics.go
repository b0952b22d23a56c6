package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// metrics are the decisions' figures. Labels are bounded: source ids come from the
// registry, rule ids from the rule files, verdicts and failures from closed lists.
type metrics struct {
	registry   *prometheus.Registry
	chunks     *prometheus.CounterVec
	detections *prometheus.CounterVec
	scan       prometheus.Histogram
	scanBytes  prometheus.Counter
	ruleset    *prometheus.GaugeVec
	reloads    *prometheus.CounterVec
	sealedSize prometheus.Gauge
	sealLag    prometheus.Gauge
	gates      *prometheus.GaugeVec
	oldestGate prometheus.Gauge
	alarms     *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		chunks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stoplog_chunks_total", Help: "Chunks decided, by source and verdict.",
		}, []string{"source", "verdict"}),
		detections: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stoplog_detections_total", Help: "Findings of the injection scan, by rule and family.",
		}, []string{"rule", "family"}),
		scan: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "stoplog_scan_duration_seconds", Help: "Time of one chunk's injection scan.",
			Buckets: prometheus.ExponentialBuckets(5e-6, 3, 12),
		}),
		scanBytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "stoplog_scan_bytes_total", Help: "Raw bytes scanned.",
		}),
		ruleset: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "stoplog_ruleset_info", Help: "1 for the rule set in force.",
		}, []string{"hash"}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stoplog_ruleset_reload_total", Help: "Reloads of the rule set, by result.",
		}, []string{"result"}),
		sealedSize: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "stoplog_ledger_size_records", Help: "Records under the newest signed checkpoint.",
		}),
		sealLag: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "stoplog_ledger_checkpoint_timestamp_seconds", Help: "When the newest checkpoint was signed, Unix time.",
		}),
		gates: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "stoplog_review_gates", Help: "Gates that wait for a person, by type.",
		}, []string{"type"}),
		oldestGate: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "stoplog_review_oldest_gate_timestamp_seconds", Help: "When the oldest waiting gate was opened, Unix time; 0 when none waits.",
		}),
	}
	m.alarms = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "stoplog_broker_alarms_total", Help: "What the embedded stores noticed that an operator must know: truncated logs, failed writes, checkpoints cut off.",
	}, []string{"kind"})
	m.registry.MustRegister(
		m.alarms,
		m.chunks, m.detections, m.scan, m.scanBytes, m.ruleset, m.reloads, m.sealedSize, m.sealLag, m.gates, m.oldestGate,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

func (m *metrics) scanned(source string, s chunk.Scan, size int, took time.Duration) {
	m.chunks.WithLabelValues(source, s.Verdict.String()).Inc()
	m.scan.Observe(took.Seconds())
	m.scanBytes.Add(float64(size))
	for _, f := range s.Findings {
		m.detections.WithLabelValues(f.Rule, f.Family).Inc()
	}
}

// runGauges looks every ten seconds at what waits: gates, and the size of the sealed
// ledger. A store that is away leaves the gauges as they are; /readyz says so.
func (s *system) runGauges(ctx context.Context) error {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		byType, oldest, err := s.waiting(ctx)
		if err == nil {
			s.metrics.gates.Reset()
			for t, n := range byType {
				s.metrics.gates.WithLabelValues(t).Set(float64(n))
			}
			s.metrics.oldestGate.Set(oldest)
		}
		if c, err := s.store.LastCheckpoint(ctx); err == nil {
			s.metrics.sealedSize.Set(float64(c.Size))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// waiting counts the gates that wait for a person, by type.
func (s *system) waiting(ctx context.Context) (byType map[string]int, oldest float64, err error) {
	byType = map[string]int{}
	for _, state := range []string{ledger.GateOpen, ledger.GateClaimed} {
		f := ledger.GateFilter{State: state, Limit: 500}
		for {
			gates, err := s.store.Gates(ctx, f)
			if err != nil {
				return nil, 0, err
			}
			for _, g := range gates {
				byType[g.Type]++
				if at := float64(g.Opened.Unix()); oldest == 0 || at < oldest {
					oldest = at
				}
			}
			if len(gates) < f.Limit {
				break
			}
			f.After = gates[len(gates)-1].ID
		}
	}
	return byType, oldest, nil
}
