package app

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

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
	failClosed *prometheus.CounterVec
	ruleset    *prometheus.GaugeVec
	reloads    *prometheus.CounterVec
	sealedSize prometheus.Gauge
	sealLag    prometheus.Gauge
	gates      *prometheus.GaugeVec
	oldestGate prometheus.Gauge
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
		failClosed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stoplog_fail_closed_total", Help: "What was held or denied because it could not be decided, by cause.",
		}, []string{"cause"}),
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
	m.registry.MustRegister(
		m.chunks, m.detections, m.scan, m.scanBytes, m.failClosed, m.ruleset, m.reloads, m.sealedSize, m.sealLag, m.gates, m.oldestGate,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

func (m *metrics) scanned(source string, s chunk.Scan, size int, took time.Duration) {
	m.chunks.WithLabelValues(source, s.Verdict.String()).Inc()
	m.scan.Observe(took.Seconds())
	m.scanBytes.Add(float64(size))
	if s.Verdict == chunk.Hold {
		m.failClosed.WithLabelValues("undecided").Inc()
	}
	for _, f := range s.Findings {
		m.detections.WithLabelValues(f.Rule, f.Family).Inc()
	}
}
