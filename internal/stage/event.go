package stage

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"
	"unicode/utf8"
)

// Event is the context of a CloudEvents 1.0 event; its data travels beside it.
type Event struct {
	ID          string // required
	Source      string // required, a URI reference
	Type        string // required
	Subject     string
	Time        time.Time // zero: not given
	ContentType string    // datacontenttype
	DataSchema  string
	// Extensions holds every other attribute by its name: lower-case letters and
	// digits, at most 20 of them.
	Extensions map[string]string
}

// The extensions that Stoplog sets on its own topics. They hold ids and labels only.
const (
	ExtClass       = "dataclassification" // CloudEvents data classification extension
	ExtTraceparent = "traceparent"        // the trace the event began in; each hop's own is the plain header
	ExtCorrelation = "correlationid"

	ExtTenant  = "stoplogtenant"
	ExtRun     = "stoplogrun"
	ExtScope   = "stoplogscope"
	ExtSource  = "stoplogsource"
	ExtVerdict = "stoplogverdict"
	ExtPolicy  = "stoplogpolicy"

	ExtReason    = "stoplogreason" // dead letters, from here on
	ExtStage     = "stoplogstage"
	ExtTopic     = "stoplogtopic"
	ExtPartition = "stoplogpartition"
	ExtOffset    = "stoplogoffset"
	ExtAttempts  = "stoplogattempts"
)

// HeaderTraceparent is the plain header with the trace context of the last hop.
const HeaderTraceparent = "traceparent"

const (
	headerContentType = "content-type"
	headerPrefix      = "ce_"
	specVersion       = "1.0"
	maxAttribute      = 4096 // bytes of one attribute; the text asks for no bound, a header must have one
)

// ErrEvent means that a message is no CloudEvent this codec accepts. It names the
// attribute, never its value.
var ErrEvent = errors.New("stage: not a CloudEvents 1.0 event")

func eventError(what string) error { return fmt.Errorf("%w: %s", ErrEvent, what) }

// Headers gives the event's context in binary content mode: ce_ headers and
// content-type.
func (e Event) Headers() (map[string]string, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	h := make(map[string]string, 8+len(e.Extensions))
	h["ce_specversion"], h["ce_id"], h["ce_source"], h["ce_type"] = specVersion, e.ID, e.Source, e.Type
	if e.Subject != "" {
		h["ce_subject"] = e.Subject
	}
	if !e.Time.IsZero() {
		h["ce_time"] = e.Time.UTC().Format(time.RFC3339Nano)
	}
	if e.DataSchema != "" {
		h["ce_dataschema"] = e.DataSchema
	}
	if e.ContentType != "" {
		h[headerContentType] = e.ContentType
	}
	for name, v := range e.Extensions {
		h[headerPrefix+name] = v
	}
	return h, nil
}

// ParseEvent reads a message in binary or structured content mode and gives the
// event's context and data. In binary mode the data is the message's value, nil for
// a tombstone. What is not an event is [ErrEvent].
func ParseEvent(m Message) (Event, []byte, error) {
	if structured(m.Headers[headerContentType]) {
		return parseStructured(m.Value)
	}
	var e Event
	if m.Headers["ce_specversion"] != specVersion {
		return Event{}, nil, eventError("specversion")
	}
	for k, v := range m.Headers {
		name, ok := strings.CutPrefix(k, headerPrefix)
		if !ok || name == "specversion" {
			continue
		}
		if err := e.set(name, v); err != nil {
			return Event{}, nil, err
		}
	}
	e.ContentType = m.Headers[headerContentType]
	if err := e.check(); err != nil {
		return Event{}, nil, err
	}
	return e, m.Value, nil
}

// structured reports whether a content type announces structured mode. Batches have
// no Kafka binding and are refused in parseStructured by their form.
func structured(contentType string) bool {
	return len(contentType) >= len("application/cloudevents") &&
		strings.EqualFold(contentType[:len("application/cloudevents")], "application/cloudevents")
}

// parseStructured reads the JSON format strictly: one object, no member twice,
// attributes as strings (or the numbers and booleans the type system knows).
func parseStructured(b []byte) (Event, []byte, error) {
	if !utf8.Valid(b) {
		return Event{}, nil, eventError("not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return Event{}, nil, eventError("not a JSON object")
	}
	var (
		e        Event
		version  string
		data     []byte
		haveData bool
		seen     = map[string]bool{}
	)
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return Event{}, nil, eventError("not JSON")
		}
		if seen[name] { // two readers would take two different events from it
			return Event{}, nil, eventError("member twice")
		}
		seen[name] = true
		if name == "data" || name == "data_base64" {
			if haveData {
				return Event{}, nil, eventError("data twice")
			}
			haveData = true
			var raw json.RawMessage
			if err := d.Decode(&raw); err != nil {
				return Event{}, nil, eventError("not JSON")
			}
			if name == "data" {
				data = raw
				continue
			}
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				return Event{}, nil, eventError("data_base64")
			}
			if data, err = base64.StdEncoding.Strict().DecodeString(s); err != nil {
				return Event{}, nil, eventError("data_base64")
			}
			continue
		}
		v, err := d.Token()
		if err != nil {
			return Event{}, nil, eventError("not JSON")
		}
		var s string
		switch v := v.(type) {
		case nil:
			continue // null is absent
		case string:
			s = v
		case bool:
			s = fmt.Sprint(v)
		case json.Number:
			s = v.String()
		default:
			return Event{}, nil, eventError("attribute is not a scalar")
		}
		switch name {
		case "specversion":
			version = s
		case "datacontenttype":
			e.ContentType = s
		default:
			if err := e.set(name, s); err != nil {
				return Event{}, nil, err
			}
		}
	}
	if _, err := d.Token(); err != nil {
		return Event{}, nil, eventError("not JSON")
	}
	if _, err := d.Token(); err != io.EOF {
		return Event{}, nil, eventError("more than one value")
	}
	if version != specVersion {
		return Event{}, nil, eventError("specversion")
	}
	// A JSON string is the data itself when the data is declared to be no JSON.
	if seen["data"] && !jsonType(e.ContentType) {
		var s string
		if err := json.Unmarshal(data, &s); err == nil {
			data = []byte(s)
		}
	}
	if err := e.check(); err != nil {
		return Event{}, nil, err
	}
	return e, data, nil
}

// jsonType reports whether data of this content type is JSON; none given means JSON.
func jsonType(contentType string) bool {
	if contentType == "" {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || t == "text/json" || strings.HasSuffix(t, "+json"))
}

// set stores one attribute by its name.
func (e *Event) set(name, v string) error {
	if len(v) > maxAttribute || !utf8.ValidString(v) {
		return eventError("attribute too long or not UTF-8")
	}
	switch name {
	case "id":
		e.ID = v
	case "source":
		e.Source = v
	case "type":
		e.Type = v
	case "subject":
		e.Subject = v
	case "dataschema":
		e.DataSchema = v
	case "time":
		t, err := time.Parse(time.RFC3339Nano, v)
		if err != nil {
			return eventError("time")
		}
		e.Time = t
	default:
		if !extensionName(name) {
			return eventError("extension name")
		}
		if e.Extensions == nil {
			e.Extensions = make(map[string]string)
		}
		e.Extensions[name] = v
	}
	return nil
}

func (e Event) check() error {
	switch {
	case e.ID == "":
		return eventError("id is missing")
	case e.Source == "":
		return eventError("source is missing")
	case e.Type == "":
		return eventError("type is missing")
	}
	for _, v := range []string{e.ID, e.Source, e.Type, e.Subject, e.DataSchema, e.ContentType} {
		if err := checkValue(v); err != nil {
			return err
		}
	}
	for name, v := range e.Extensions {
		if !extensionName(name) {
			return eventError("extension name")
		}
		if err := checkValue(v); err != nil {
			return err
		}
	}
	return nil
}

// checkValue refuses what the CloudEvents type system excludes from strings: control
// characters, and in addition anything too long for a header.
func checkValue(v string) error {
	if len(v) > maxAttribute || !utf8.ValidString(v) {
		return eventError("attribute too long or not UTF-8")
	}
	for _, r := range v {
		if r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0xfffe || r == 0xffff {
			return eventError("control character in an attribute")
		}
	}
	return nil
}

// extensionName holds to the naming rule and to the length the CloudEvents text
// advises.
func extensionName(s string) bool {
	switch s {
	case "", "specversion", "id", "source", "type", "subject", "time", "dataschema", "datacontenttype", "data":
		return false // an extension must not stand in for an attribute
	}
	if len(s) > 20 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
