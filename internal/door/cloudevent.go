package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/internal/strictjson"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// fromCloudEvent turns a CloudEvent into an event at the door. The tenant, the actor
// and what the sender may do come from the principal; the event names its source and,
// if it likes, its run. No attribute can say anything else about where it came from.
//
// The source is the extension stoplogsource or, without it, the attribute source. A
// CloudEvent is identified by source and id together, so where the two sources differ
// the sender's event id holds both.
func fromCloudEvent(p Principal, e stage.Event, data []byte, traceparent string) Event {
	ev := Event{
		Tenant: p.Tenant, Actor: p.Actor, Session: p.Session, Operator: p.Operator,
		Source: e.Source, SenderID: e.ID, MediaType: e.ContentType, Body: data,
		RunHint: e.Extensions[stage.ExtRun], Traceparent: traceparent,
	}
	if s := e.Extensions[stage.ExtSource]; s != "" && s != e.Source {
		ev.Source = s
		ev.SenderID = strconv.Itoa(len(e.Source)) + ":" + e.Source + e.ID
	}
	if ev.Traceparent == "" {
		ev.Traceparent = e.Extensions[stage.ExtTraceparent]
	}
	if ev.MediaType == "" && len(data) > 0 && (data[0] == '{' || data[0] == '[') {
		ev.MediaType = "application/json" // the JSON format's default, and in binary mode what a sender forgot to say
	}
	return ev
}

// admitAs accepts an event from a principal, or records that it may not come in.
// What the source is called is looked at before whether it is granted: an event that
// names an unregistered source leaves the record of SPEC CLS-4, whoever sent it.
func (d *Door) admitAs(ctx context.Context, p Principal, ev Event) (Receipt, error) {
	if _, registered := d.policy.Load().classifier.Source(ev.Source); registered && !p.Granted(ev.Source) {
		return Receipt{}, d.Refuse(ctx, ev, ErrSourceNotGranted)
	}
	return d.Accept(ctx, ev)
}

// parseEvent reads a CloudEvent from a message, wherever the message came from.
func parseEvent(m stage.Message) (stage.Event, []byte, error) {
	if t := strings.ToLower(m.Headers["content-type"]); strings.HasPrefix(t, "application/cloudevents") {
		if !isStructuredJSON(t) {
			return stage.Event{}, nil, ErrEvent
		}
		if err := strictjson.Check(m.Value, strictjson.Limits{}); err != nil {
			return stage.Event{}, nil, err
		}
	}
	e, data, err := stage.ParseEvent(m)
	if err != nil || data == nil {
		return stage.Event{}, nil, ErrEvent // the codec's error names the attribute; the answer names what an event needs
	}
	return e, data, nil
}

func isStructuredJSON(contentType string) bool {
	t, _, _ := strings.Cut(contentType, ";")
	return strings.TrimSpace(t) == "application/cloudevents+json"
}

func isBatch(contentType string) bool {
	t, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	return strings.TrimSpace(t) == "application/cloudevents-batch+json"
}

// httpMessage puts an HTTP request into the form in which the codec takes messages:
// in binary mode the ce- headers become ce_ headers (CloudEvents HTTP binding §3.1.3).
func httpMessage(h http.Header, body []byte) (stage.Message, error) {
	m := stage.Message{Headers: map[string]string{"content-type": h.Get("Content-Type")}, Value: body}
	if m.Value == nil {
		m.Value = []byte{}
	}
	for name, values := range h {
		attribute, ok := strings.CutPrefix(strings.ToLower(name), "ce-")
		if !ok {
			continue
		}
		if len(values) != 1 {
			return m, ErrEvent
		}
		v, err := headerValue(values[0])
		if err != nil {
			return m, ErrEvent
		}
		m.Headers["ce_"+attribute] = v
	}
	return m, nil
}

// headerValue undoes what the binding does to a value to fit it into a header: an
// optional quoted string, then percent-encoding. A percent sign that begins no escape
// stands for itself, for widely used senders do not encode at all.
func headerValue(v string) (string, error) {
	if len(v) >= 2 && v[0] == '"' && v[len(v)-1] == '"' {
		var b strings.Builder
		for i := 1; i < len(v)-1; i++ {
			if v[i] == '\\' {
				if i++; i == len(v)-1 {
					return "", ErrEvent
				}
			}
			b.WriteByte(v[i])
		}
		v = b.String()
	}
	if !strings.Contains(v, "%") {
		return v, nil
	}
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		if v[i] == '%' && i+2 < len(v) && isHex(v[i+1]) && isHex(v[i+2]) {
			c, _ := strconv.ParseUint(v[i+1:i+3], 16, 8)
			b.WriteByte(byte(c))
			i += 2
			continue
		}
		b.WriteByte(v[i])
	}
	return b.String(), nil
}

// splitBatch gives the events of a batch in the JSON batch format.
func splitBatch(body []byte, most int) ([]json.RawMessage, error) {
	if err := strictjson.Check(body, strictjson.Limits{}); err != nil {
		return nil, err
	}
	var events []json.RawMessage
	if err := json.Unmarshal(body, &events); err != nil {
		return nil, ErrEvent
	}
	if len(events) > most {
		return nil, ErrTooLarge
	}
	return events, nil
}

// Entry gives the stage function of the topic stoplog.content.accepted: CloudEvents,
// in binary or structured mode, enter by the same door as webhooks. Whoever may write
// to that topic acts as principal p.
//
// The function's Step is empty, for Accept has recorded everything itself. What cannot
// come in is poison, with the failure under which it was recorded; while a store is
// away the message waits.
func (d *Door) Entry(p Principal) stage.Func {
	return func(ctx context.Context, m stage.Message) (stage.Step, error) {
		e, data, err := parseEvent(m)
		if err != nil {
			// No id can be believed here, so none is made from the body: the position
			// of the message is unique and says nothing.
			err = d.Refuse(ctx, Event{Tenant: p.Tenant, Actor: p.Actor, SenderID: m.Position()}, err)
		} else {
			_, err = d.admitAs(ctx, p, fromCloudEvent(p, e, data, m.Headers[stage.HeaderTraceparent]))
		}
		return stage.Step{}, stageError(err)
	}
}

// stageError says what the stage is to do with a message that did not come in.
func stageError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrLedger), errors.Is(err, ErrEvidence), errors.Is(err, ErrState), errors.Is(err, ErrBusy):
		return fmt.Errorf("%w: %w", stage.Transient, err)
	}
	if why := Failure(err); why != chunk.FailNone {
		return stage.PoisonAs(why)
	}
	return fmt.Errorf("%w: %w", stage.Retry, err)
}
