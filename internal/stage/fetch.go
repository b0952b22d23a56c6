package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// fetched is one record with its headers still undecoded.
type fetched struct {
	offset  int64
	time    time.Time
	key     []byte
	value   []byte // nil: tombstone
	headers []kafka.Header
	aborted bool // of a transaction: nobody here can tell whether it was committed
}

func (f *fetched) size() int64 {
	n := len(f.key) + len(f.value) + 64
	for _, h := range f.headers {
		n += len(h.Key) + len(h.Value)
	}
	return int64(n)
}

var (
	errOutOfRange = errors.New("stage: offset is not in the log")
	errNotThere   = errors.New("stage: no record at this offset any more")
)

// fetchSlack is how much longer than the broker may wait we wait for its answer
// before a half-open connection counts as dead.
const fetchSlack = 10 * time.Second

// fetch asks for records from offset on, waiting up to wait for one to come. It
// gives the records in order, the offset to ask for next, which lies past records
// that are none of ours (control batches), and the end of the log.
func fetch(ctx context.Context, c *kafka.Client, topic string, partition int, offset int64, maxBytes int, wait time.Duration) (out []fetched, next, end int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait+fetchSlack)
	defer cancel()
	res, err := c.Fetch(ctx, &kafka.FetchRequest{
		Topic: topic, Partition: partition, Offset: offset, MinBytes: 1, MaxBytes: int64(maxBytes), MaxWait: wait,
	})
	if err != nil {
		return nil, offset, 0, err
	}
	if errors.Is(res.Error, kafka.OffsetOutOfRange) {
		return nil, offset, 0, errOutOfRange
	}
	if res.Error != nil {
		return nil, offset, 0, res.Error
	}
	batches := []protocol.RecordReader{res.Records}
	if s, ok := res.Records.(*protocol.RecordStream); ok {
		batches = s.Records
	}
	next = offset
	for _, b := range batches {
		transactional := false
		switch b := b.(type) {
		case *protocol.ControlBatch:
			for {
				r, err := b.ReadRecord()
				if err != nil {
					break
				}
				next = max(next, r.Offset+1)
				closeRecord(r)
			}
			continue
		case *protocol.RecordBatch:
			transactional = b.Attributes.Transactional()
			next = max(next, b.BaseOffset+1) // a batch that compaction emptied must not stop us
		}
		for {
			r, err := b.ReadRecord()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return out, next, res.HighWatermark, fmt.Errorf("stage: reading records: %w", err)
			}
			if r.Offset < offset { // the broker gives whole batches
				closeRecord(r)
				continue
			}
			f := fetched{offset: r.Offset, time: r.Time, headers: r.Headers, aborted: transactional}
			f.key, err = kafka.ReadAll(r.Key)
			if err == nil {
				f.value, err = kafka.ReadAll(r.Value)
			}
			if r.Value != nil && f.value == nil {
				f.value = []byte{} // empty is not a tombstone
			}
			closeRecord(r)
			if err != nil {
				return out, next, res.HighWatermark, fmt.Errorf("stage: reading records: %w", err)
			}
			out = append(out, f)
			next = max(next, r.Offset+1)
		}
	}
	return out, next, res.HighWatermark, nil
}

func closeRecord(r *kafka.Record) {
	if r.Key != nil {
		_ = r.Key.Close()
	}
	if r.Value != nil {
		_ = r.Value.Close()
	}
}

// fetchOne reads the record at exactly this offset. errNotThere means that
// retention has taken it.
func fetchOne(ctx context.Context, c *kafka.Client, topic string, partition int, offset int64, maxBytes int) (fetched, error) {
	rs, _, _, err := fetch(ctx, c, topic, partition, offset, maxBytes, time.Second)
	if errors.Is(err, errOutOfRange) {
		return fetched{}, errNotThere
	}
	if err != nil {
		return fetched{}, err
	}
	if len(rs) == 0 || rs[0].offset != offset {
		return fetched{}, errNotThere
	}
	return rs[0], nil
}

// logRange gives the first offset of a partition and the one after its last.
func logRange(ctx context.Context, c *kafka.Client, topic string, partition int) (first, end int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchSlack)
	defer cancel()
	res, err := c.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{
		topic: {kafka.FirstOffsetOf(partition), kafka.LastOffsetOf(partition)},
	}})
	if err != nil {
		return 0, 0, err
	}
	for _, p := range res.Topics[topic] {
		if p.Partition == partition {
			return p.FirstOffset, p.LastOffset, p.Error
		}
	}
	return 0, 0, kafka.UnknownTopicOrPartition
}

// message decodes a record. A header that comes twice with different values is
// refused: two readers would take two different messages from it.
func (f *fetched) message(topic string, partition int) (Message, error) {
	m := Message{Topic: topic, Partition: partition, Offset: f.offset, Key: string(f.key), Value: f.value, Time: f.time, Attempt: 1}
	if len(f.headers) > 0 {
		m.Headers = make(map[string]string, len(f.headers))
	}
	var err error
	for _, h := range f.headers {
		v := string(h.Value)
		if old, ok := m.Headers[h.Key]; ok && old != v {
			err = PoisonAs("")
		}
		m.Headers[h.Key] = v
	}
	if f.aborted {
		err = PoisonAs("")
	}
	return m, err
}
