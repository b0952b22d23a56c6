package stage

import (
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// The topics of the pipeline (deploy/topics.yaml declares them).
const (
	TopicAccepted      = "stoplog.content.accepted" // CloudEvents from Kafka enter here
	TopicClassified    = "stoplog.content.classified"
	TopicCleared       = "stoplog.content.cleared"
	TopicQuarantined   = "stoplog.content.quarantined"
	TopicToolRequested = "stoplog.tool.requested"
	TopicToolDecided   = "stoplog.tool.decided"
	TopicCheckpoints   = "stoplog.ledger.checkpoints"
)

// The types of the events on those topics.
const (
	TypeClassified  = "stoplog.document.classified"
	TypeCleared     = "stoplog.document.cleared"
	TypeQuarantined = "stoplog.chunk.quarantined"
	TypeToolDecided = "stoplog.tool.decided"
)

// SealedType is the content type of a sealed document.
const SealedType = "application/vnd.stoplog.sealed"

// DocumentEvent gives the message that carries a document, or a notice about it, in
// CloudEvents binary mode. Headers and key hold ids and labels only: what the data
// says is sealed, or is a notice without content.
func DocumentEvent(topic, typ, subject string, a chunk.Attribution, class chunk.Class, contentType string, data []byte) (ledger.Outgoing, error) {
	e := Event{
		ID: subject, Source: "stoplog://" + a.Tenant + "/" + a.Source, Type: typ, Subject: subject, ContentType: contentType, Time: a.Retrieved.UTC().Truncate(time.Millisecond),
		Extensions: map[string]string{ExtTenant: a.Tenant, ExtScope: string(a.Scope), ExtSource: a.Source, ExtClass: class.String(), ExtPolicy: a.PolicyHash},
	}
	if a.Run != "" {
		e.Extensions[ExtRun] = string(a.Run)
	}
	if a.Traceparent != "" {
		e.Extensions[ExtTraceparent] = a.Traceparent
	}
	h, err := e.Headers()
	if err != nil {
		return ledger.Outgoing{}, err
	}
	if a.Traceparent != "" {
		h[HeaderTraceparent] = a.Traceparent
	}
	key := string(a.Run)
	if key == "" { // a collection's document: any order will do
		key = string(a.Scope)
	}
	return ledger.Outgoing{Topic: topic, Key: key, Headers: h, Value: data}, nil
}
