package door

import (
	"github.com/stoplog/stoplog/pkg/chunk"
)

// Event is one thing that asks to come in. Everything but Body, SenderID and
// RunHint is said by the side that authenticated the sender, never by a payload.
type Event struct {
	Tenant      string
	Source      string // id in the source registry
	SenderID    string // the sender's event id; empty: a keyed hash of the body stands in
	MediaType   string // of Body, as the sender named it; empty: from the source's format
	Body        chunk.Content
	IDUnsigned  bool   // SenderID stands outside the signature: the signed body names the event too
	RunHint     string // run the caller names (Stoplog-Run, stoplogrun); empty: the source's rule
	SourceURI   string // where a controlled fetch got it; empty: stoplog://tenant/source
	Session     string // the agent session that fetched it, if one did
	Traceparent string // W3C trace context, checked before it is used
	Actor       string // the authenticated sender: hook:SOURCE, token:NAME, topic:NAME, load:NAME
	Operator    bool   // the sender is an authenticated operator (SPEC CLS-7)
}

// Receipt is what an accepted event gets, the first time and every time after.
type Receipt struct {
	Event     chunk.ID `json:"event_id"`
	Run       chunk.ID `json:"run_id,omitempty"`      // empty for a collection's documents
	Document  chunk.ID `json:"document_id,omitempty"` // a collection's document: the scope of its key
	Chunks    int      `json:"chunks"`
	Duplicate bool     `json:"duplicate"`              // the event had been accepted before; nothing happened twice
	Changed   bool     `json:"body_changed,omitempty"` // … with another body, which was recorded and not taken
	Renamed   bool     `json:"id_changed,omitempty"`   // … under another id, which no signature covers; recorded
}

// Principal is who an authenticated request speaks for.
type Principal struct {
	Tenant   string
	Actor    string   // token:NAME
	Sources  []string // granted sources; "*" is all; none is none
	Session  string   // of an agent that is logged in to the guard
	Operator bool     // may give operator input (SPEC CLS-7)
}

// Granted reports whether the principal may send as source.
func (p Principal) Granted(source string) bool {
	for _, s := range p.Sources {
		if s == source || s == "*" {
			return true
		}
	}
	return false
}
