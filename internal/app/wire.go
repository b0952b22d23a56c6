package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// openDocument unseals and checks what a stage put on a topic. Three things must
// hold before a byte of it is used: it opens under its scope's key for this very
// topic and event, it decodes, and its attribution matches its integrity tag.
func openDocument(ctx context.Context, v *evidence.Vault, keys chunk.IntegrityKeys, m stage.Message) (chunk.Document, error) {
	ev, data, err := stage.ParseEvent(m)
	if err != nil || ev.ContentType != stage.SealedType {
		return chunk.Document{}, stage.PoisonAs(chunk.FailPoison)
	}
	scope := chunk.ID(ev.Extensions[stage.ExtScope])
	plain, err := v.Open(ctx, scope, data, chunk.DocumentAD(m.Topic, chunk.ID(ev.Subject)))
	switch {
	case errors.Is(err, evidence.ErrErased):
		return chunk.Document{}, stage.PoisonAs(chunk.FailErased)
	case errors.Is(err, evidence.ErrUnavailable):
		return chunk.Document{}, fmt.Errorf("keys: %w", stage.Transient)
	case err != nil: // not sealed by a stage, or moved from another topic
		return chunk.Document{}, stage.PoisonAs(chunk.FailIntegrity)
	}
	doc, err := chunk.Decode(plain)
	if err != nil {
		return chunk.Document{}, stage.PoisonAs(chunk.FailPoison)
	}
	if err := keys.Verify(doc.Attribution, doc.Seal); err != nil || string(doc.Attribution.Event) != ev.Subject || doc.Attribution.Scope != scope {
		return chunk.Document{}, stage.PoisonAs(chunk.FailIntegrity)
	}
	return doc, nil
}

func sealDocument(ctx context.Context, v *evidence.Vault, doc chunk.Document, ad []byte) ([]byte, error) {
	b, err := chunk.Encode(doc)
	if err != nil {
		return nil, stage.PoisonAs(chunk.FailPoison)
	}
	sealed, err := v.Seal(ctx, doc.Attribution.Scope, b, ad)
	switch {
	case errors.Is(err, evidence.ErrErased):
		return nil, stage.PoisonAs(chunk.FailErased)
	case err != nil:
		return nil, fmt.Errorf("keys: %w", stage.Transient)
	}
	return sealed, nil
}

// documentEvent makes the CloudEvent that carries a sealed document on a topic.
func documentEvent(ctx context.Context, v *evidence.Vault, doc chunk.Document, topic, typ string) (ledger.Outgoing, error) {
	a := doc.Attribution
	sealed, err := sealDocument(ctx, v, doc, chunk.DocumentAD(topic, a.Event))
	if err != nil {
		return ledger.Outgoing{}, err
	}
	return stage.DocumentEvent(topic, typ, string(a.Event), a, doc.Class, stage.SealedType, sealed)
}
