package ledgertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// start is when everything in a test happens, give or take.
var start = time.Date(2026, 11, 21, 10, 0, 0, 123456000, time.UTC)

// Record makes a record of a kind about a subject.
func Record(t testing.TB, kind provenance.Kind, run, subject chunk.ID, payload any, parts ...string) provenance.Record {
	t.Helper()
	p, err := provenance.EncodePayload(payload)
	if err != nil {
		t.Fatal(err)
	}
	id := provenance.RecordID(kind, subject, parts...)
	switch kind {
	case provenance.KindScanned, provenance.KindInjectionHit:
		id = provenance.ScanID(subject)
	case provenance.KindCleared, provenance.KindReleased, provenance.KindRejected:
		id = provenance.EndID(subject)
	}
	return provenance.Record{ID: id, Time: start, Kind: kind, Tenant: "default", Run: run, Subject: subject, Actor: "stage:test", Payload: p}
}

// Doc is one document on its way through a test.
type Doc struct {
	Event  ledger.Event
	Chunks []chunk.ID
	Class  chunk.Class
}

// Document makes the n-th document of a source.
func Document(source string, n, chunks int, class chunk.Class) Doc {
	ev := chunk.EventID("default", source, fmt.Sprint(n))
	d := Doc{Class: class, Event: ledger.Event{
		ID: ev, Run: chunk.EventRun(ev), Scope: chunk.EventRun(ev), Tenant: "default", Source: source,
		Evidence: fmt.Sprintf("ev://%032x", n), Commitment: fmt.Sprintf("%064x", n), Chunks: chunks, Received: start,
	}}
	for i := range chunks {
		d.Chunks = append(d.Chunks, chunk.ChunkID(ev, i))
	}
	return d
}

// Accept is the door's batch.
func (d Doc) Accept(t testing.TB) ledger.Batch {
	t.Helper()
	e := d.Event
	acc := Record(t, provenance.KindAccepted, e.Run, e.ID, provenance.Accepted{
		EventID: e.ID, SourceID: e.Source, MediaType: "text/plain", SizeBytes: 10, ChunkCount: e.Chunks, Commitment: e.Commitment, Collection: e.Collection,
	})
	acc.Evidence = e.Evidence
	return ledger.Batch{
		Event: &e,
		Records: []provenance.Record{acc, Record(t, provenance.KindClassified, e.Run, e.ID, provenance.Classified{
			EventID: e.ID, SourceID: e.Source, DataClass: d.Class,
		})},
		Outbox: []ledger.Outgoing{{Topic: "stoplog.content.classified", Key: string(e.Run), Headers: map[string]string{"ce_id": string(e.ID)}, Value: []byte("sealed")}},
	}
}

// Clean is the record that a chunk's scan passed.
func (d Doc) Clean(t testing.TB, i int) provenance.Record {
	t.Helper()
	return Record(t, provenance.KindScanned, d.Event.Run, d.Chunks[i], provenance.Scanned{
		RunID: d.Event.Run, ChunkID: d.Chunks[i], ConfidenceBand: chunk.BandHigh, ConfidenceScore: 0.125,
	})
}

// Gate is the id of the gate about a chunk.
func (d Doc) Gate(i int) chunk.ID { return chunk.NewID("gate", string(d.Chunks[i])) }

// Hit is what the detector writes for a hostile chunk of direct content.
func (d Doc) Hit(t testing.TB, i int) ledger.Batch {
	t.Helper()
	run, c, gate := d.Event.Run, d.Chunks[i], d.Gate(i)
	hit := Record(t, provenance.KindInjectionHit, run, c, provenance.InjectionHit{
		RunID: run, ChunkID: c, PatternMatched: "override.ignore", Disposition: "quarantine", ConfidenceScore: 0.99,
	})
	hit.Failure = chunk.FailPromptInjection
	b := ledger.Batch{
		Records: []provenance.Record{hit, Record(t, provenance.KindGateOpened, run, gate, provenance.GateOpened{
			GateID: gate, Type: "injection", RunID: run, About: c, Source: d.Event.Source, Class: d.Class, Rules: []string{"override.ignore"}, Score: 0.99,
			Failure: chunk.FailPromptInjection, Expires: start.Add(72*time.Hour + 7*time.Nanosecond),
		})},
		Held: []ledger.Held{{Chunk: c, Event: d.Event.ID, Run: run, Scope: d.Event.Scope, Sealed: []byte("held")}},
	}
	if !d.Event.Collection {
		b.Records = append(b.Records, Record(t, provenance.KindRunHalted, run, run, provenance.RunChanged{
			RunID: run, FailureID: chunk.FailPromptInjection, ChunkID: c, GateID: gate,
		}, string(c)))
	}
	return b
}

// End is a chunk's final disposition with what the context may get of it.
func (d Doc) End(t testing.TB, i int, kind provenance.Kind, disposition chunk.Disposition) ledger.Batch {
	t.Helper()
	return ledger.Batch{
		Records: []provenance.Record{Record(t, kind, d.Event.Run, d.Chunks[i], provenance.ChunkEnded{
			ChunkID: d.Chunks[i], EventID: d.Event.ID, Disposition: disposition, RedactionApplied: true,
		})},
		Context: []ledger.ContextItem{{
			Chunk: d.Chunks[i], Event: d.Event.ID, Run: d.Event.Run, Scope: d.Event.Scope, Ordinal: i, Source: d.Event.Source, Class: d.Class,
			Band: chunk.BandHigh, Redacted: true, Sealed: []byte(fmt.Sprintf("text %d", i)),
		}},
	}
}

// Clear is the end of a chunk that passed.
func (d Doc) Clear(t testing.TB, i int) ledger.Batch {
	t.Helper()
	return d.End(t, i, provenance.KindCleared, chunk.Cleared)
}

// Decide is the decision of a gate about a chunk, with nothing that follows.
func (d Doc) Decide(t testing.TB, i int, decision, reviewer string) ledger.Batch {
	t.Helper()
	return ledger.Batch{Records: []provenance.Record{Record(t, provenance.KindGateDecided, d.Event.Run, d.Gate(i), provenance.GateDecided{
		GateID: d.Gate(i), Decision: decision, DecisionOrigin: "human-override", Reviewer: reviewer, ReasonCode: "confirmed", Note: "seen",
	})}}
}
