package provenance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// MaxCanonical is the greatest size of a record's canonical bytes. Entry bundles
// of C2SP tlog-tiles hold a length in 16 bits, so no record may be longer.
const MaxCanonical = 1<<16 - 1

// maxLabel bounds tenant, actor and policy: they are labels, not prose.
const maxLabel = 256

// ErrMalformed means that bytes are not a record this version understands, or
// that a record cannot be written. It names the part, never a value: a value
// that does not belong into a record may be content.
var ErrMalformed = errors.New("provenance: malformed record")

// Entry is a record with the bytes that are hashed for it and its payload,
// decoded: a pointer to the type named beside its kind, for example *Accepted.
type Entry struct {
	Record  Record
	Canon   []byte
	Payload any
}

// payloads gives an empty payload of each kind. A kind that is not here does not
// exist: the list of kinds is closed.
var payloads = map[Kind]func() any{
	KindAccepted:         func() any { return new(Accepted) },
	KindBlocked:          func() any { return new(Blocked) },
	KindClassified:       func() any { return new(Classified) },
	KindScanned:          func() any { return new(Scanned) },
	KindInjectionHit:     func() any { return new(InjectionHit) },
	KindCleared:          func() any { return new(ChunkEnded) },
	KindReleased:         func() any { return new(ChunkEnded) },
	KindRejected:         func() any { return new(ChunkEnded) },
	KindContextAssembly:  func() any { return new(ContextAssembly) },
	KindToolArgument:     func() any { return new(ToolArgument) },
	KindEgressBlock:      func() any { return new(EgressBlock) },
	KindOutputDelivery:   func() any { return new(OutputDelivery) },
	KindGateOpened:       func() any { return new(GateOpened) },
	KindGateClaimed:      func() any { return new(GateClaimed) },
	KindGateDecided:      func() any { return new(GateDecided) },
	KindGateApplied:      func() any { return new(GateApplied) },
	KindRunHalted:        func() any { return new(RunChanged) },
	KindRunResumed:       func() any { return new(RunChanged) },
	KindRunEnded:         func() any { return new(RunChanged) },
	KindRunIncomplete:    func() any { return new(RunChanged) },
	KindRunClass:         func() any { return new(RunClass) },
	KindCeilingExceeded:  func() any { return new(CeilingExceeded) },
	KindStubResolved:     func() any { return new(StubResolved) },
	KindEvidenceViewed:   func() any { return new(EvidenceViewed) },
	KindDeclaration:      func() any { return new(Declaration) },
	KindExecutionStarted: func() any { return new(Execution) },
	KindExecutionEnded:   func() any { return new(Execution) },
	KindMemory:           func() any { return new(Memory) },
	KindCitation:         func() any { return new(Citation) },
	KindDeadLetter:       func() any { return new(DeadLetter) },
	KindConfigChanged:    func() any { return new(ConfigChanged) },
	KindEventBodyChanged: func() any { return new(EventBodyChanged) },
	KindIntegrityAlarm:   func() any { return new(IntegrityAlarm) },
	KindErasure:          func() any { return new(Erasure) },
	KindLegalHold:        func() any { return new(Erasure) },
	KindRetention:        func() any { return new(Erasure) },
}

// Known reports whether k is in the closed list.
func (k Kind) Known() bool { _, ok := payloads[k]; return ok }

// encode writes v the one way records are written: struct order, sorted map
// keys, no HTML escapes, no line end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("%w: cannot be encoded", ErrMalformed)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// strict reads JSON whose members are all known, and nothing after it.
func strict(b []byte, v any, part string) error {
	if !utf8.Valid(b) {
		return fmt.Errorf("%w: %s is not UTF-8", ErrMalformed, part)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %s", ErrMalformed, part)
	}
	if _, err := d.Token(); err == nil || d.InputOffset() != int64(len(b)) {
		return fmt.Errorf("%w: something follows the %s", ErrMalformed, part)
	}
	return nil
}

// EncodePayload gives the canonical bytes of a payload: one of the payload types
// of this package, by value or by pointer.
func EncodePayload(payload any) (json.RawMessage, error) {
	t := reflect.TypeOf(payload)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, k := range Kinds {
		if reflect.TypeOf(payloads[k]()).Elem() == t {
			return encode(payload)
		}
	}
	return nil, fmt.Errorf("%w: not a payload type", ErrMalformed)
}

// DecodePayload reads the payload of a record of the given kind. Unknown members
// are an error.
func DecodePayload(kind Kind, b []byte) (any, error) {
	make, ok := payloads[kind]
	if !ok {
		return nil, fmt.Errorf("%w: unknown kind", ErrMalformed)
	}
	p := make()
	if len(b) == 0 || b[0] != '{' {
		return nil, fmt.Errorf("%w: payload", ErrMalformed)
	}
	if err := strict(b, p, "payload"); err != nil {
		return nil, err
	}
	return p, nil
}

// Encode checks a record and gives it with its canonical bytes. The time becomes
// UTC in whole microseconds (what both databases can hold), a zero schema version becomes [SchemaVersion], and the payload is written
// again in canonical form, so that how a caller encoded it does not matter.
func Encode(r Record) (Entry, error) {
	if r.Schema == 0 {
		r.Schema = SchemaVersion
	}
	p, err := DecodePayload(r.Kind, r.Payload)
	if err != nil {
		return Entry{}, err
	}
	if r.Payload, err = encode(p); err != nil {
		return Entry{}, err
	}
	r.Time = r.Time.UTC().Truncate(time.Microsecond)
	if err := check(r, p); err != nil {
		return Entry{}, err
	}
	canon, err := encode(r)
	if err != nil {
		return Entry{}, err
	}
	if len(canon) > MaxCanonical {
		return Entry{}, fmt.Errorf("%w: longer than %d bytes", ErrMalformed, MaxCanonical)
	}
	return Entry{Record: r, Canon: canon, Payload: p}, nil
}

// Decode reads canonical bytes strictly. Bytes that are not exactly what
// [Encode] writes (another order of members, a repeated member, white space,
// another case of a name) are an error: one record has one form.
func Decode(canon []byte) (Entry, error) {
	if len(canon) > MaxCanonical {
		return Entry{}, fmt.Errorf("%w: longer than %d bytes", ErrMalformed, MaxCanonical)
	}
	var r Record
	if err := strict(canon, &r, "record"); err != nil {
		return Entry{}, err
	}
	if r.Schema != SchemaVersion {
		return Entry{}, fmt.Errorf("%w: schema version %d", ErrMalformed, r.Schema)
	}
	e, err := Encode(r)
	if err != nil {
		return Entry{}, err
	}
	if !bytes.Equal(e.Canon, canon) {
		return Entry{}, fmt.Errorf("%w: not in canonical form", ErrMalformed)
	}
	return e, nil
}

// SameDecision reports whether two records say the same thing, whenever and by
// whichever configuration they say it: a stage that is driven again makes the
// same record at another time.
func SameDecision(a, b Record) bool {
	return a.ID == b.ID && a.Kind == b.Kind && a.Tenant == b.Tenant && a.Run == b.Run && a.Subject == b.Subject &&
		a.Failure == b.Failure && bytes.Equal(a.Payload, b.Payload)
}

// check refuses what may not stand in a record: ids that are not ids, labels
// that are not labels, failures outside the closed list.
func check(r Record, payload any) error {
	bad := func(part string) error { return fmt.Errorf("%w: %s", ErrMalformed, part) }
	switch {
	case r.Schema != SchemaVersion:
		return bad("schema version")
	case !chunk.ValidID(string(r.ID), "rec"):
		return bad("record id")
	case r.Time.IsZero() || r.Time.Year() < 1 || r.Time.Year() > 9999:
		return bad("time")
	case r.Run != "" && !chunk.ValidID(string(r.Run), "run"):
		return bad("run id")
	case !validID(r.Subject):
		return bad("subject id")
	case r.Tenant == "" || !label(r.Tenant):
		return bad("tenant")
	case r.Actor == "" || !label(r.Actor):
		return bad("actor")
	case !label(r.Policy):
		return bad("policy")
	case !r.Failure.Known():
		return bad("failure id")
	case r.Evidence != "" && !validPointer(r.Evidence):
		return bad("evidence pointer")
	}
	if part := checkPayload(r, payload); part != "" {
		return bad(part)
	}
	return nil
}

// checkPayload gives the name of the part that is wrong, or nothing.
func checkPayload(r Record, payload any) string {
	v := reflect.ValueOf(payload).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i).Interface().(type) {
		case chunk.ID:
			if !validID(f) {
				return "payload: " + v.Type().Field(i).Name
			}
		case chunk.FailureID:
			if !f.Known() {
				return "payload: " + v.Type().Field(i).Name
			}
		}
	}
	switch p := payload.(type) {
	case *Accepted:
		if p.EventID == "" || p.ChunkCount < 1 || p.ChunkCount > MaxChunks || p.SizeBytes < 0 {
			return "payload: event"
		}
	case *Scanned:
		if p.ChunkID == "" {
			return "payload: ChunkID"
		}
	case *InjectionHit:
		if p.ChunkID == "" || (p.Disposition != "quarantine" && p.Disposition != "allow") {
			return "payload: ChunkID or Disposition"
		}
	case *ChunkEnded:
		ends := map[Kind][]chunk.Disposition{
			KindCleared:  {chunk.Cleared},
			KindReleased: {chunk.Released},
			KindRejected: {chunk.Rejected, chunk.Expired, chunk.Blocked},
		}
		if p.ChunkID == "" || p.EventID == "" || !slices.Contains(ends[r.Kind], p.Disposition) {
			return "payload: ChunkID, EventID or Disposition"
		}
	case *GateOpened:
		if p.GateID == "" || p.Type == "" {
			return "payload: GateID or Type"
		}
	case *GateClaimed:
		if p.GateID == "" || p.Reviewer == "" || p.Until.IsZero() {
			return "payload: GateID, Reviewer or Until"
		}
	case *GateDecided:
		if p.GateID == "" || p.Decision == "" {
			return "payload: GateID or Decision"
		}
	case *GateApplied:
		if p.GateID == "" {
			return "payload: GateID"
		}
	case *RunChanged:
		if p.RunID == "" || p.RunID != r.Run {
			return "payload: RunID"
		}
	case *RunClass:
		if p.RunID == "" || p.RunID != r.Run {
			return "payload: RunID"
		}
	case *Classified:
		if p.EventID == "" {
			return "payload: EventID"
		}
	}
	return ""
}

// MaxChunks bounds the chunks of one document, so that no record claims a number
// of them that nobody could store.
const MaxChunks = 1 << 16

func validID(id chunk.ID) bool {
	return id == "" || (id.Prefix() != "" && chunk.ValidID(string(id), id.Prefix()))
}

func label(s string) bool {
	if len(s) > maxLabel || !utf8.ValidString(s) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f || r == utf8.RuneError })
}

// validPointer accepts ev:// and 32 hexadecimal digits: a pointer that says
// nothing about what it points to.
func validPointer(s string) bool {
	rest, ok := strings.CutPrefix(s, "ev://")
	if !ok || len(rest) != 32 {
		return false
	}
	for i := range len(rest) {
		if c := rest[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Once names what can happen only once, whatever record says it: the scan of a
// chunk, the end of a chunk, the decision of a gate. It is empty for records that
// any number of others may stand beside. A store refuses a second record with
// the same value, so the first decision stands even when a replay would decide
// otherwise and write another kind.
func Once(e Entry) string {
	switch p := e.Payload.(type) {
	case *Scanned:
		return "scan " + string(p.ChunkID)
	case *InjectionHit:
		if p.Disposition == "allow" {
			return ""
		}
		return "scan " + string(p.ChunkID)
	case *ChunkEnded:
		return "end " + string(p.ChunkID)
	case *GateDecided:
		return "decide " + string(p.GateID)
	}
	return ""
}
