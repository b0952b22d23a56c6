package stage

import (
	"context"
	"errors"

	"github.com/segmentio/kafka-go"

	"github.com/stoplog/stoplog/internal/ledger"
)

// Ping reports whether a broker answers.
func (k Kafka) Ping(ctx context.Context) error {
	t := k.transport()
	defer t.CloseIdleConnections()
	res, err := (&kafka.Client{Addr: k.addr(), Transport: t}).ApiVersions(ctx, &kafka.ApiVersionsRequest{})
	if err != nil {
		return err
	}
	return res.Error
}

// Write produces messages and returns when all replicas have them.
func Write(ctx context.Context, w *kafka.Writer, out ...ledger.Outgoing) error {
	msgs := make([]kafka.Message, len(out))
	for i, o := range out {
		msgs[i] = outgoingMessage(o)
	}
	err := w.WriteMessages(ctx, msgs...)
	var failed kafka.WriteErrors
	if errors.As(err, &failed) && failed.Count() == 0 {
		return nil
	}
	return err
}

// Missing gives the declared topics that the cluster does not have.
func (ts Topics) Missing(ctx context.Context, k Kafka) ([]string, error) {
	t := k.transport()
	defer t.CloseIdleConnections()
	names := make([]string, len(ts))
	for i, x := range ts {
		names[i] = x.Name
	}
	have, _, err := metadata(ctx, &kafka.Client{Addr: k.addr(), Transport: t}, names)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, n := range names {
		if len(have[n]) == 0 {
			missing = append(missing, n)
		}
	}
	return missing, nil
}
