package ledger

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	s, err := OpenSQLite(ctx, filepath.Join(t.TempDir(), "d", "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ev := chunk.EventID("default", "mail", "1")
	run := chunk.EventRun(ev)
	p, _ := provenance.EncodePayload(provenance.Accepted{EventID: ev, SourceID: "mail", ChunkCount: 2})
	cl, _ := provenance.EncodePayload(provenance.Classified{EventID: ev, SourceID: "mail", DataClass: chunk.PII})
	now := time.Now()
	b := Batch{
		Event: &Event{ID: ev, Run: run, Scope: run, Tenant: "default", Source: "mail", Chunks: 2, Received: now},
		Records: []provenance.Record{
			{ID: provenance.RecordID(provenance.KindAccepted, ev), Time: now, Kind: provenance.KindAccepted, Tenant: "default", Run: run, Subject: ev, Actor: "stage:door", Payload: p},
			{ID: provenance.RecordID(provenance.KindClassified, ev), Time: now, Kind: provenance.KindClassified, Tenant: "default", Run: run, Subject: ev, Actor: "stage:door", Payload: cl},
		},
		Outbox: []Outgoing{{Topic: "t", Key: "k", Headers: map[string]string{"a": "b"}, Value: []byte("x")}},
	}
	for i := range 2 {
		a, err := s.Append(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		if a[0].Duplicate != (i == 1) {
			t.Fatalf("%+v", a[0])
		}
	}
	r, err := s.Run(ctx, run)
	t.Logf("%+v %v", r, err)
	o, err := s.Outbox(ctx, 10)
	t.Logf("%+v %v", o, err)
	rc, err := s.Records(ctx, RecordFilter{Run: run})
	t.Logf("%s %v", rc[0].Canon, err)
}
