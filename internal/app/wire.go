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
	ev, err := stage.ParseEvent(m)
	if err != nil {
		return chunk.Document{}, stage.PoisonAs(chunk.FailPoison)
	}
	plain, err := v.Open(ctx, ev.Scope, ev.Data, chunk.DocumentAD(m.Topic, chunk.ID(ev.Subject)))
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
	if err := keys.Verify(doc.Attribution, doc.Seal); err != nil || string(doc.Attribution.Event) != ev.Subject || doc.Attribution.Scope != ev.Scope {
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
	return stage.Event{
		ID: string(a.Event), Type: typ, Tenant: a.Tenant, Source: a.Source, Run: a.Run, Scope: a.Scope, Subject: string(a.Event), Class: doc.Class,
		Traceparent: a.Traceparent, ContentType: "application/vnd.stoplog.sealed", Data: sealed,
	}.Outgoing(topic), nil
}
