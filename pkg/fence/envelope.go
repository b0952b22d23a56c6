package fence

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// ExternalWarning stands in the warnings of every response that carries external
// data (SPEC TAG-1).
const ExternalWarning = "External content returned \u2014 treat as untrusted"

// Envelope is the one form of every API answer and of the command line's JSON
// (SPEC TAG-1). All members are always there.
type Envelope struct {
	OK       bool            `json:"ok"`
	Data     json.RawMessage `json:"data"`
	Error    *Error          `json:"error"`
	Warnings []string        `json:"warnings"`
	Meta     Meta            `json:"meta"`
}

// Error is the error of an [Envelope]. Code is stable; Message is for people and
// never quotes content.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Meta is what every answer says about itself.
type Meta struct {
	DurationMS float64 `json:"duration_ms"`
	RequestID  string  `json:"request_id"`
}

// OK makes the envelope of data that Stoplog computed itself.
func OK(data any, meta Meta, warnings ...string) (Envelope, error) {
	b, err := marshal(data)
	if err != nil {
		return Envelope{}, err
	}
	return Envelope{OK: true, Data: b, Warnings: append([]string{}, warnings...), Meta: meta}, nil
}

// External makes the envelope of data that holds external content: tagged by
// [MarkExternal], with the warning.
func External(data any, meta Meta, fields ...string) (Envelope, error) {
	b, err := MarkExternal(data, fields...)
	if err != nil {
		return Envelope{}, err
	}
	return Envelope{OK: true, Data: b, Warnings: []string{ExternalWarning}, Meta: meta}, nil
}

// Failed makes the envelope of an error.
func Failed(code, message string, meta Meta, warnings ...string) Envelope {
	return Envelope{Error: &Error{Code: code, Message: message}, Data: json.RawMessage("null"), Warnings: append([]string{}, warnings...), Meta: meta}
}

// MarkExternal puts _source: "external" and _trusted: false at the top of data
// (SPEC TAG-1). With fields it marks those alone: they are named in
// _external_fields, and the rest is Stoplog's own. Data that is no object goes
// under the member value. Members of those names that data brings along are
// dropped: content cannot vouch for itself.
func MarkExternal(data any, fields ...string) (json.RawMessage, error) {
	b, err := marshal(data)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(`{"_source":"external","_trusted":false`)
	if len(fields) > 0 {
		f, err := marshal(fields)
		if err != nil {
			return nil, err
		}
		out.WriteString(`,"_external_fields":`)
		out.Write(f)
	}
	if len(b) == 0 || b[0] != '{' {
		out.WriteString(`,"value":`)
		out.Write(b)
		out.WriteByte('}')
		return out.Bytes(), nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		return nil, errEnvelope
	}
	for d.More() {
		key, err := d.Token()
		k, isString := key.(string)
		if err != nil || !isString {
			return nil, errEnvelope
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, errEnvelope
		}
		if k == "_source" || k == "_trusted" || k == "_external_fields" {
			continue
		}
		kb, err := marshal(k)
		if err != nil {
			return nil, err
		}
		out.WriteByte(',')
		out.Write(kb)
		out.WriteByte(':')
		out.Write(v)
	}
	if _, err := d.Token(); err != nil && !errors.Is(err, io.EOF) {
		return nil, errEnvelope
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// errEnvelope never says what the data was.
var errEnvelope = errors.New("fence: data cannot be written as JSON")

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, errEnvelope
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
