package app

import (
	"context"
	"fmt"
	"time"

	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// contexts is the egress stage's reader of cleared documents. It gives each
// cleared chunk its final disposition and keeps its redacted text, sealed, where a
// context is assembled from: one transaction, so that what the ledger calls cleared
// is what a context can get.
type contexts struct {
	vault     *evidence.Vault
	integrity chunk.IntegrityKeys
	policy    string
	now       func() time.Time
}

// handle is the stage.Func of the context reader.
func (s *contexts) handle(ctx context.Context, m stage.Message) (stage.Step, error) {
	doc, err := openDocument(ctx, s.vault, s.integrity, m)
	if err != nil {
		return stage.Step{}, err
	}
	if len(doc.Verdicts) != len(doc.Chunks) {
		return stage.Step{}, stage.PoisonAs(chunk.FailUndecided)
	}
	a := doc.Attribution
	var b ledger.Batch
	for i, c := range doc.Chunks {
		scan := doc.Verdicts[i]
		kind, disposition := provenance.KindCleared, chunk.Cleared
		if scan.Verdict != chunk.Clean { // a reviewer let it through: its gate is in the ledger
			kind, disposition = provenance.KindReleased, chunk.Released
		}
		b.Records = append(b.Records, provenance.Record{
			ID: provenance.EndID(c.ID), Schema: provenance.SchemaVersion, Time: s.now().UTC(), Kind: kind, Tenant: a.Tenant, Run: a.Run,
			Subject: c.ID, Actor: "stage:egress", Policy: s.policy, Evidence: doc.Evidence,
			Payload: mustJSON(provenance.ChunkEnded{ChunkID: c.ID, EventID: a.Event, Disposition: disposition, RedactionApplied: scan.Redacted}),
		})
		sealed, err := s.vault.Seal(ctx, a.Scope, c.Text, chunk.ContextAD(c.ID))
		if err != nil {
			return stage.Step{}, fmt.Errorf("keys: %w", stage.Transient)
		}
		b.Context = append(b.Context, ledger.ContextItem{
			Chunk: c.ID, Event: a.Event, Run: a.Run, Scope: a.Scope, Ordinal: c.Ordinal, Source: a.Source, Class: doc.Class, Band: scan.Band,
			Redacted: scan.Redacted, Sealed: sealed,
		})
	}
	return stage.Step{Batch: b}, nil
}
