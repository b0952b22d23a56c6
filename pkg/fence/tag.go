package fence

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// ExternalWarning stands in the warnings of every response that carries external
// data (SPEC TAG-1). The envelope itself is internal/problem's.
const ExternalWarning = "External content returned \u2014 treat as untrusted"

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
