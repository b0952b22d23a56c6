package door

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sort"
	"strings"
	"time"

	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/stage"
	"github.com/stoplog/stoplog/internal/strictjson"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// RunChanged is told which run changed.
type RunChanged func(ctx context.Context, run chunk.ID) error

// Accept takes one event in, or says why not. A nil error means that the raw bytes
// are durable, that the event is recorded, and that its way to the detector is in the
// outbox; all of it once, however often and from however many doors the same event
// comes.
//
// Errors wrap one of the sentinels of this package, or are a *strictjson.Error;
// [Problem] maps them. A refusal of an authenticated sender is recorded before Accept
// returns; where that cannot be done the error is [ErrLedger], and the sender comes
// again. With [ErrLedger], [ErrEvidence] and [ErrState] the same event can be sent
// again; with the others nothing of it will ever be accepted as it is.
func (d *Door) Accept(ctx context.Context, ev Event) (Receipt, error) {
	began := d.cfg.Clock()
	a := &attempt{Door: d, p: d.policy.Load(), ev: ev, now: began.UTC()}
	receipt, err := a.take(ctx)
	if err == nil && receipt.Run != "" && d.cfg.RunChanged != nil && d.cfg.RunChanged(ctx, receipt.Run) != nil {
		err = ErrState
	}
	if err != nil {
		if why := Failure(err); why != chunk.FailNone {
			if recordErr := a.block(ctx, why); recordErr != nil {
				err = recordErr
			}
		}
		d.metrics.refuse(err)
		return Receipt{}, err
	}
	d.metrics.took(d.cfg.Clock().Sub(began))
	switch {
	case receipt.Renamed:
		d.metrics.duplicate.WithLabelValues(ev.Source, "renamed").Inc()
	case receipt.Duplicate && receipt.Changed:
		d.metrics.duplicate.WithLabelValues(ev.Source, "changed").Inc()
	case receipt.Duplicate:
		d.metrics.duplicate.WithLabelValues(ev.Source, "same").Inc()
	default:
		d.metrics.accepted.WithLabelValues(ev.Source).Inc()
		d.metrics.bytes.WithLabelValues(ev.Source).Add(float64(len(ev.Body)))
	}
	return receipt, nil
}

// Refuse records the refusal of an authenticated sender that came to nothing before
// [Door.Accept]: a stale timestamp, a body too large to read, a source that the token
// does not cover. It gives the error to answer with: err, or [ErrLedger] where the
// refusal could not be recorded.
func (d *Door) Refuse(ctx context.Context, ev Event, err error) error {
	if why := Failure(err); why != chunk.FailNone {
		a := &attempt{Door: d, p: d.policy.Load(), ev: ev, now: d.cfg.Clock().UTC()}
		a.name(ev.SenderID)
		if recordErr := a.block(ctx, why); recordErr != nil {
			err = recordErr
		}
	}
	d.metrics.refuse(err)
	return err
}

// attempt is one call of Accept.
type attempt struct {
	*Door
	p   *policy
	ev  Event
	now time.Time

	src      classify.Source
	format   string
	text     []byte // what is classified, scanned and cleared
	id       chunk.ID
	alias    chunk.ID // of the signed body, where no signature covers the id
	run      chunk.ID // empty for a collection's document
	scope    chunk.ID
	named    bool   // the run may hold other documents
	runValue string // of the source's run_by path, where that names the run
	evidence string
	class    chunk.Class
}

// take is the life of an event at the door, in order.
func (a *attempt) take(ctx context.Context) (Receipt, error) {
	if err := a.admit(); err != nil {
		return Receipt{}, err
	}
	formErr := a.read()
	if err := a.identify(ctx, formErr == nil); err != nil {
		return Receipt{}, err
	}
	switch stored, err := a.cfg.Store.EventByID(ctx, a.id); {
	case err == nil:
		return a.repeat(ctx, stored)
	case !errors.Is(err, ledger.ErrNotFound):
		return Receipt{}, fromLedger(err)
	}
	if a.ev.IDUnsigned {
		switch stored, err := a.sameBody(ctx); {
		case err == nil:
			return a.repeat(ctx, stored)
		case !errors.Is(err, ledger.ErrNotFound):
			return Receipt{}, fromLedger(err)
		}
	}
	if formErr != nil {
		return Receipt{}, formErr
	}
	if err := a.chooseRun(ctx); err != nil {
		return Receipt{}, err
	}
	if a.named {
		release, err := a.turns.take(ctx, a.run)
		if err != nil {
			return Receipt{}, err
		}
		defer release()
		if err := a.checkRun(ctx); err != nil {
			return Receipt{}, err
		}
	}
	var err error
	if a.evidence, err = a.cfg.Vault.Put(ctx, a.ev.Tenant, a.scope, a.ev.Body); err != nil {
		return Receipt{}, fromVault(err)
	}
	a.cfg.TestHook(HookAfterVault)
	b, err := a.batch(ctx)
	if err != nil {
		return Receipt{}, err
	}
	a.cfg.TestHook(HookBeforeLedger)
	out, err := a.cfg.Store.Append(ctx, b)
	if err != nil {
		return Receipt{}, fromLedger(err)
	}
	a.cfg.TestHook(HookAfterLedger)
	if out[0].Duplicate { // another door was first
		return a.repeat(ctx, out[0].Event)
	}
	a.metrics.chunks.WithLabelValues(a.src.ID, a.class.String()).Add(float64(b.Event.Chunks))
	return receiptOf(*b.Event), nil
}

func receiptOf(e ledger.Event) Receipt {
	r := Receipt{Event: e.ID, Run: e.Run, Chunks: e.Chunks}
	if e.Collection {
		r.Document = e.Scope
	}
	return r
}

// admit checks what can be said before the body is looked at.
func (a *attempt) admit() error {
	a.name(a.ev.SenderID) // a name for the record, until identify finds the right one
	if a.ev.Tenant == "" || a.ev.Actor == "" {
		return errors.New("door: an event without tenant or actor: the caller did not authenticate it")
	}
	src, ok := a.p.classifier.Source(a.ev.Source)
	if !ok {
		return ErrSourceUnregistered
	}
	a.src = *src
	// SPEC CLS-7: the origin comes from the registry, and operator input from an
	// operator; a connector cannot speak for one by being registered carelessly.
	if a.src.Origin != chunk.TaskData && !a.ev.Operator {
		return ErrOperatorRequired
	}
	if len(a.ev.Body) > a.bodyLimit(src) {
		return ErrTooLarge
	}
	return nil
}

// read finds the format and reads the body strictly. Its error waits until it is
// known whether the event is new: a sender may render a known event differently.
func (a *attempt) read() (err error) {
	if a.format, err = formatOf(&a.src, a.ev.MediaType); err != nil {
		return err
	}
	if err := parse(a.format, a.ev.Body); err != nil {
		return err
	}
	a.text, err = text(a.format, a.ev.Body)
	return err
}

// name gives the event the id that follows from a sender's event id.
func (a *attempt) name(sender string) {
	if sender == "" {
		sender = a.bodyID(a.cfg.IDKeys[0])
	}
	a.id = chunk.EventID(a.ev.Tenant, a.ev.Source, sender)
}

// bodyID stands in for a missing event id. It is keyed, for a short body can be
// guessed and the id is not secret.
func (a *attempt) bodyID(key []byte) string {
	return string(chunk.KeyedID(key, "bdy", a.ev.Tenant, a.ev.Source, string(a.ev.Body)))
}

// identify finds the event's id: the sender's from outside the payload, the one
// inside it, or a keyed hash of the body. A body that came before under an older id
// key keeps the id it had.
func (a *attempt) identify(ctx context.Context, readable bool) error {
	if a.ev.SenderID != "" {
		return nil
	}
	if readable && a.format == "json" {
		if id, ok := senderID(&a.src, a.ev.Body); ok {
			a.name(id)
			return nil
		}
	}
	for _, key := range a.cfg.IDKeys[1:] {
		id := chunk.EventID(a.ev.Tenant, a.ev.Source, a.bodyID(key))
		switch _, err := a.cfg.Store.EventByID(ctx, id); {
		case err == nil:
			a.id = id
			return nil
		case !errors.Is(err, ledger.ErrNotFound):
			return fromLedger(err)
		}
	}
	return nil
}

// sameBody finds the event that came with the same signed bytes under another id, and
// sets the alias under which this one will be found. There is no window of time: a scheme
// that signs no id signs no timestamp either, and what was caught once can be sent for
// good.
func (a *attempt) sameBody(ctx context.Context) (ledger.Event, error) {
	for i, key := range a.cfg.IDKeys {
		alias := chunk.EventID(a.ev.Tenant, a.ev.Source, a.bodyID(key))
		if i == 0 {
			a.alias = alias
		}
		if stored, err := a.cfg.Store.EventByAlias(ctx, alias); !errors.Is(err, ledger.ErrNotFound) {
			return stored, err
		}
	}
	return ledger.Event{}, ledger.ErrNotFound
}

// renamed answers signed bytes that came before under another id. The first time it is
// recorded; how often it happens after that is the sender's choice, and only counted.
func (a *attempt) renamed(ctx context.Context, stored ledger.Event) (Receipt, error) {
	rec, err := a.record(provenance.KindIntegrityAlarm, stored.ID, []string{"event-id"}, chunk.FailNone, provenance.IntegrityAlarm{
		Stage: "ingest", Position: string(stored.ID), Check: "event-id",
	})
	if err != nil {
		return Receipt{}, err
	}
	if _, err := a.cfg.Store.Append(ctx, ledger.Batch{Records: []provenance.Record{rec}}); err != nil {
		return Receipt{}, fromLedger(err)
	}
	r := receiptOf(stored)
	r.Duplicate, r.Renamed = true, true
	return r, nil
}

// repeat answers an event that is stored already: with its first receipt, and
// nothing else happens. Another body under the same id is recorded and, where the
// source is strict, refused.
func (a *attempt) repeat(ctx context.Context, stored ledger.Event) (Receipt, error) {
	a.run = stored.Run
	if stored.ID != a.id {
		return a.renamed(ctx, stored)
	}
	r := receiptOf(stored)
	r.Duplicate = true
	commitment, err := a.cfg.Vault.Commit(ctx, stored.Scope, a.ev.Body)
	switch {
	case errors.Is(err, evidence.ErrErased):
		return r, nil // there is nothing left to compare with
	case err != nil:
		return Receipt{}, fromVault(err)
	case hmac.Equal([]byte(commitment), []byte(stored.Commitment)):
		return r, nil
	}
	rec, err := a.record(provenance.KindEventBodyChanged, a.id, []string{commitment}, chunk.FailNone, provenance.EventBodyChanged{
		EventID: a.id, SourceID: a.ev.Source, Commitment: commitment,
	})
	if err != nil {
		return Receipt{}, err
	}
	if a.src.Strict {
		rec.Failure = chunk.FailBodyChanged
	}
	if _, err := a.cfg.Store.Append(ctx, ledger.Batch{Records: []provenance.Record{rec}}); err != nil {
		return Receipt{}, fromLedger(err)
	}
	if a.src.Strict {
		return Receipt{}, ErrBodyChanged
	}
	r.Changed = true
	return r, nil
}

// chooseRun says which run the event belongs to, and what key seals it.
func (a *attempt) chooseRun(ctx context.Context) error {
	switch {
	case a.src.Collection:
		if a.ev.RunHint != "" {
			return ErrRunUnknown // documents of a collection enter a run by retrieval
		}
		a.scope = chunk.NewID("doc", string(a.id))
		return nil
	case a.ev.RunHint != "":
		a.named = true
		if strings.HasPrefix(a.ev.RunHint, "run_") {
			if !chunk.ValidID(a.ev.RunHint, "run") {
				return ErrRunUnknown
			}
			// checkRun finds out whether it is one of this tenant's.
			a.run = chunk.ID(a.ev.RunHint)
			break
		}
		if err := a.keyedRun(ctx, "named", a.ev.RunHint); err != nil {
			return err
		}
	case a.src.RunBy != "":
		a.named = true
		value, ok := strictjson.Lookup(a.ev.Body, a.src.RunBy)
		if a.format != "json" || !ok || value == "" {
			return ErrRunPath
		}
		// The source is part of the run's name: nobody who can write to one source
		// joins the runs of another by guessing a booking number.
		if err := a.keyedRun(ctx, "by", a.ev.Source, value); err != nil {
			return err
		}
		a.runValue = value
	default:
		a.run = chunk.EventRun(a.id)
	}
	a.scope = a.run
	return nil
}

// keyedRun names a run by a value that can be guessed, under the newest id key; a
// run that began under an older key keeps its name, or what contaminated it would be
// forgotten with a key rotation.
func (a *attempt) keyedRun(ctx context.Context, parts ...string) error {
	parts = append([]string{a.ev.Tenant}, parts...)
	a.run = chunk.KeyedID(a.cfg.IDKeys[0], "run", parts...)
	for _, key := range a.cfg.IDKeys[1:] {
		id := chunk.KeyedID(key, "run", parts...)
		switch _, err := a.cfg.Store.Run(ctx, id); {
		case err == nil:
			a.run = id
			return nil
		case !errors.Is(err, ledger.ErrNotFound):
			return fromLedger(err)
		}
	}
	return nil
}

// checkRun refuses a run that has ended, one that a caller named by an id that is
// nobody's, and one of another tenant; the last two with the same words.
func (a *attempt) checkRun(ctx context.Context) error {
	run, err := a.cfg.Store.Run(ctx, a.run)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		if string(a.run) == a.ev.RunHint {
			a.run = ""
			return ErrRunUnknown
		}
		return nil // the first document of a run that a name stands for
	case err != nil:
		return fromLedger(err)
	case run.Tenant != a.ev.Tenant:
		a.run = ""
		return ErrRunUnknown
	case run.Ended:
		return ErrRunEnded
	}
	return nil
}

// batch decides everything about the document and gives what the ledger is to hold.
func (a *attempt) batch(ctx context.Context) (ledger.Batch, error) {
	var none ledger.Batch
	commitment, err := a.cfg.Vault.Commit(ctx, a.scope, a.ev.Body)
	if err != nil {
		return none, fromVault(err)
	}
	result, stubs, err := a.classify(ctx)
	if err != nil {
		return none, err
	}
	if err := a.linkSubject(ctx, result.Subject); err != nil {
		return none, err
	}
	doc, err := a.document(ctx, result)
	if err != nil {
		return none, err
	}
	sealed, err := a.seal(ctx, doc)
	if err != nil {
		return none, err
	}
	b := ledger.Batch{Event: &ledger.Event{
		ID: a.id, Run: a.run, Scope: a.scope, Tenant: a.ev.Tenant, Source: a.src.ID, Evidence: a.evidence, Commitment: commitment,
		Chunks: len(doc.Chunks), Collection: a.src.Collection, Received: a.now, Alias: a.alias,
	}}
	if b.Records, err = a.records(ctx, doc, result, commitment); err != nil {
		return none, err
	}
	b.Stubs = stubs
	out, err := stage.DocumentEvent(stage.TopicClassified, stage.TypeClassified, string(a.id), doc.Attribution, doc.Class, stage.SealedType, sealed)
	if err != nil {
		return none, err
	}
	b.Outbox = []ledger.Outgoing{out}
	a.class = doc.Class
	return b, nil
}

// classify decides what the document holds. In a run with other documents a stub's
// name must stand for one value, and another door may be choosing names for the same
// run at this moment. So the names are stored first, where the first one wins; a
// document that lost a name is classified again and gets the next one. What such a
// document leaves when it is then not accepted is a name without use.
func (a *attempt) classify(ctx context.Context) (classify.Result, []ledger.Stub, error) {
	ctx, cancel := context.WithTimeout(ctx, maxNaming)
	defer cancel()
	for ctx.Err() == nil {
		in, err := a.classifierInput(ctx)
		if err != nil {
			return classify.Result{}, nil, err
		}
		result, err := classifySafely(a.p.classifier, a.cfg.TestClassify, in.Input)
		if err != nil {
			return result, nil, fromClassifier(err)
		}
		if a.runValue != "" && result.RunBy != a.runValue {
			// Two readers of one path disagree: whose run it is cannot be told.
			return classify.Result{}, nil, ErrClassification
		}
		stubs, err := a.stubs(ctx, in, result)
		if err != nil || !a.named || len(stubs) == 0 {
			return result, stubs, err
		}
		if _, err := a.cfg.Store.Append(ctx, ledger.Batch{Stubs: stubs}); err != nil {
			return result, nil, fromLedger(err)
		}
		stored, err := a.cfg.Store.Stubs(ctx, a.run)
		if err != nil {
			return result, nil, fromLedger(err)
		}
		if ours(stubs, stored) {
			return result, nil, nil
		}
		// Those who lost the same name would all choose the same next one.
		time.Sleep(rand.N(5 * time.Millisecond))
	}
	return classify.Result{}, nil, ErrBusy
}

// maxNaming bounds the search for names that no other door takes.
const maxNaming = 10 * time.Second

// ours reports whether every stub is stored with the value it was meant for.
func ours(stubs, stored []ledger.Stub) bool {
	commitment := make(map[string]string, len(stored))
	for _, s := range stored {
		commitment[s.Name] = s.Commitment
	}
	for _, s := range stubs {
		if commitment[s.Name] != s.Commitment {
			return false
		}
	}
	return true
}

// classifySafely turns a panic of the classifier into a refusal: a payload that
// makes it fail must not take the process with it, and must not pass.
func classifySafely(c *classify.Classifier, instead func(classify.Input) classify.Result, in classify.Input) (r classify.Result, err error) {
	defer func() {
		if recover() != nil { // what it says may quote the payload
			r, err = classify.Result{}, ErrClassification
		}
	}()
	if instead != nil {
		return instead(in), nil
	}
	return c.Classify(in)
}

// document makes the attributed document: attribution is set here, once, and sealed
// (SPEC CLS-8).
func (a *attempt) document(ctx context.Context, result classify.Result) (chunk.Document, error) {
	uri := a.ev.SourceURI
	if uri == "" {
		uri = "stoplog://" + a.ev.Tenant + "/" + a.src.ID
	}
	trace, ok := stage.ParseTrace(a.ev.Traceparent)
	if !ok {
		trace = stage.NewTrace()
	}
	doc := chunk.Document{
		Attribution: chunk.Attribution{
			Tenant: a.ev.Tenant, Source: a.src.ID, SourceURI: uri, Origin: a.src.Origin, Trust: a.src.Trust, Retrieved: a.now, Session: a.ev.Session,
			Run: a.run, Event: a.id, Scope: a.scope, Collection: a.src.Collection, PolicyHash: a.p.hash, Traceparent: trace.Child().Traceparent(),
		},
		MediaType: mediaTypes[a.format], Evidence: a.evidence, Class: result.Class,
		Chunks: chunk.Cut(a.id, a.text, result.Redactions, result.Class, a.cfg.ChunkBytes),
	}
	if a.named {
		last, err := a.cfg.Store.LastEvent(ctx, a.run)
		if err != nil && !errors.Is(err, ledger.ErrNotFound) {
			return chunk.Document{}, fromLedger(err)
		}
		doc.Previous = last.Evidence
	}
	var err error
	doc.Seal, err = a.cfg.Integrity.Seal(doc.Attribution)
	return doc, err
}

// seal encodes and seals the document for its topic. One document is one Kafka
// value, so its encoded size is bounded.
func (a *attempt) seal(ctx context.Context, doc chunk.Document) ([]byte, error) {
	plain, err := chunk.Encode(doc)
	if err != nil {
		return nil, err
	}
	if len(plain) > a.cfg.Limits.DocumentBytes || len(doc.Chunks) > provenance.MaxChunks {
		return nil, ErrTooLarge
	}
	sealed, err := a.cfg.Vault.Seal(ctx, a.scope, plain, chunk.DocumentAD(stage.TopicClassified, a.id))
	return sealed, fromVault(err)
}

// records gives what the ledger says about an accepted document. A document above
// its source's ceiling is raised and opens a gate for each kind of thing that a
// checksum or structure proved (SPEC CLS-5).
func (a *attempt) records(ctx context.Context, doc chunk.Document, result classify.Result, commitment string) ([]provenance.Record, error) {
	counts := map[string]int{}
	for _, r := range result.Redactions {
		counts[r.Type]++
	}
	if result.Surrogates > 0 {
		counts["SURROGATE"] = result.Surrogates // of them, shown as a value that is nobody's
	}
	accepted, err := a.record(provenance.KindAccepted, a.id, nil, chunk.FailNone, provenance.Accepted{
		EventID: a.id, SourceID: a.src.ID, MediaType: doc.MediaType, SizeBytes: len(a.ev.Body), ChunkCount: len(doc.Chunks),
		Commitment: commitment, Collection: a.src.Collection,
	})
	if err != nil {
		return nil, err
	}
	classified, err := a.record(provenance.KindClassified, a.id, nil, chunk.FailNone, provenance.Classified{
		EventID: a.id, SourceID: a.src.ID, DataClass: doc.Class, Origin: a.src.Origin, Trust: a.src.Trust, Redactions: counts,
	})
	if err != nil {
		return nil, err
	}
	classified.Actor = actorIngest
	out := []provenance.Record{accepted, classified}
	if len(result.Exceeded) == 0 {
		return out, nil
	}
	exceeded, err := a.record(provenance.KindCeilingExceeded, a.id, nil, chunk.FailCeilingExceeded, provenance.CeilingExceeded{
		EventID: a.id, SourceID: a.src.ID, Declared: a.src.Ceiling, Found: doc.Class, Types: result.Exceeded,
	})
	if err != nil {
		return nil, err
	}
	exceeded.Actor = actorIngest
	out = append(out, exceeded)
	for _, typ := range result.Exceeded {
		gate, err := a.ceilingGate(ctx, doc, result, typ)
		if err != nil {
			return nil, err
		}
		if gate != nil {
			out = append(out, *gate)
		}
	}
	return out, nil
}

// actorIngest is who decided, as against who sent.
const actorIngest = "stage:ingest"

// ceilingGate asks a person about a source that sends more than it declares. There
// is one such gate for each source, type and configuration, however many documents:
// a person's attention is the scarcest thing. Nil where it is open or decided already.
func (a *attempt) ceilingGate(ctx context.Context, doc chunk.Document, result classify.Result, typ string) (*provenance.Record, error) {
	id := chunk.GateID(chunk.NewID("ceil", a.ev.Tenant, a.src.ID, typ, a.p.hash))
	switch _, err := a.cfg.Store.Gate(ctx, id); {
	case err == nil:
		return nil, nil
	case !errors.Is(err, ledger.ErrNotFound):
		return nil, fromLedger(err)
	}
	opened := provenance.GateOpened{
		GateID: id, Type: "ceiling", About: doc.Chunks[0].ID, Source: a.src.ID, Class: doc.Class, Rules: []string{typ},
		Failure: chunk.FailCeilingExceeded, Expires: a.now.Add(a.cfg.GateTTL),
	}
	for _, e := range result.Entities {
		if e.Type != typ || e.Score <= opened.Score {
			continue
		}
		opened.Score = e.Score
		i := sort.Search(len(doc.Chunks), func(i int) bool { return doc.Chunks[i].Start > e.Start })
		opened.About = doc.Chunks[max(i-1, 0)].ID
	}
	rec, err := a.record(provenance.KindGateOpened, id, nil, chunk.FailCeilingExceeded, opened)
	rec.Actor = actorIngest
	return &rec, err
}

// input is what the classifier gets, and what the run's stubs are already.
type input struct {
	classify.Input
	typed map[string]bool // names of the rows that hold typed values
}

// typedPrefix marks the rows of a run's stubs that hold a typed value for the
// search in later documents (see [typedRow]) and are no stub: no stub's name can
// begin with it.
const typedPrefix = "~"

// maxTyped bounds the typed values of one run that are searched in its documents.
const maxTyped = 512

// typedRow is the sealed content of such a row.
type typedRow struct {
	Type  string            `json:"type"`
	Field bool              `json:"field,omitempty"`
	Stub  string            `json:"stub"`
	Form  classify.StubForm `json:"form"`
	Value []byte            `json:"value"`
}

func (a *attempt) classifierInput(ctx context.Context) (input, error) {
	in := input{
		Input: classify.Input{Source: a.src.ID, MediaType: mediaTypes[a.format], Text: a.text, Known: map[string]string{}},
		typed: map[string]bool{},
	}
	var err error
	if in.StubKey, err = a.cfg.Vault.StubKey(ctx, a.scope); err != nil {
		return in, fromVault(err)
	}
	if !a.named {
		return in, nil
	}
	rows, err := a.cfg.Store.Stubs(ctx, a.run)
	if err != nil {
		return in, fromLedger(err)
	}
	for _, row := range rows {
		if !strings.HasPrefix(row.Name, typedPrefix) {
			in.Known[row.Name] = row.Commitment
			continue
		}
		in.typed[row.Name] = true
		plain, err := a.cfg.Vault.Open(ctx, a.scope, row.Sealed, chunk.StubAD(a.run, row.Name))
		if err != nil {
			return in, fromVault(err)
		}
		var t typedRow
		if err := json.Unmarshal(plain, &t); err != nil {
			return in, ErrEvidence // what we sealed ourselves does not read
		}
		in.Names = append(in.Names, classify.Name{Type: t.Type, Field: t.Field, Stub: t.Stub, Form: t.Form, Value: t.Value})
	}
	return in, nil
}

// stubs seals the values behind the document's new stubs, and the typed values that
// later documents of the run are searched for. A collection's document keeps its stubs
// under its own scope.
func (a *attempt) stubs(ctx context.Context, in input, result classify.Result) ([]ledger.Stub, error) {
	var out []ledger.Stub
	add := func(s ledger.Stub, plain []byte) error {
		var err error
		s.Run = a.scope
		s.Sealed, err = a.cfg.Vault.Seal(ctx, a.scope, plain, chunk.StubAD(s.Run, s.Name))
		out = append(out, s)
		return fromVault(err)
	}
	for _, v := range result.Stubs {
		if in.Known[v.Name] != "" {
			continue
		}
		if err := add(ledger.Stub{Name: v.Name, Commitment: v.Commitment, Class: v.Class, Sinks: v.Sinks}, v.Value); err != nil {
			return nil, err
		}
	}
	if a.src.Collection {
		return out, nil
	}
	for _, n := range result.Names {
		h := hmac.New(sha256.New, in.StubKey)
		plain, err := json.Marshal(typedRow{Type: n.Type, Field: n.Field, Stub: n.Stub, Form: n.Form, Value: n.Value})
		if err != nil {
			return nil, err
		}
		h.Write([]byte("stoplog/typed/1"))
		h.Write(plain)
		commitment := hex.EncodeToString(h.Sum(nil))
		name := typedPrefix + commitment[:32]
		if in.typed[name] || len(in.typed) >= maxTyped {
			continue
		}
		in.typed[name] = true
		if err := add(ledger.Stub{Name: name, Commitment: commitment, Class: chunk.PII}, plain); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// linkSubject notes that the scope holds content about a person, so that it is found
// when the person asks for erasure.
func (a *attempt) linkSubject(ctx context.Context, subject string) error {
	if subject == "" {
		return nil
	}
	return fromVault(a.cfg.Vault.LinkSubject(ctx, SubjectID(a.cfg.IDKeys[0], a.ev.Tenant, subject), a.scope))
}

// SubjectID gives the keyed id of the person that a source's subject path names:
// the same for every source of a tenant, in any case and with spaces around it. Who
// looks a person up tries every id key.
func SubjectID(key []byte, tenant, value string) chunk.ID {
	return chunk.KeyedID(key, "sub", tenant, strings.ToLower(strings.TrimSpace(value)))
}

// record makes a record about this attempt. Its id follows from the event, so that a
// second attempt makes the same record.
func (a *attempt) record(kind provenance.Kind, subject chunk.ID, parts []string, why chunk.FailureID, payload any) (provenance.Record, error) {
	p, err := provenance.EncodePayload(payload)
	return provenance.Record{
		ID: provenance.RecordID(kind, subject, parts...), Time: a.now, Kind: kind, Tenant: a.ev.Tenant, Run: a.run, Subject: subject,
		Actor: a.ev.Actor, Policy: a.p.hash, Failure: why, Evidence: a.evidence, Payload: p,
	}, err
}

// block records that an authenticated sender was refused (SPEC CLS-4).
func (a *attempt) block(ctx context.Context, why chunk.FailureID) error {
	source := a.ev.Source
	if _, ok := a.p.classifier.Source(source); !ok && source != "" && !a.presentable(source) {
		source = string(chunk.KeyedID(a.cfg.IDKeys[0], "src", a.ev.Tenant, source))
	}
	rec, err := a.record(provenance.KindBlocked, a.id, []string{string(why)}, why, provenance.Blocked{
		EventID: a.id, SourceID: source, ConfidenceBand: chunk.BandUnknown, FailureID: why,
	})
	if err != nil {
		return err
	}
	_, err = a.cfg.Store.Append(ctx, ledger.Batch{Records: []provenance.Record{rec}})
	return fromLedger(err)
}

// presentable reports whether the name of an unregistered source may stand in a
// record. The sender chose it: what does not look like a source's id, or holds
// anything a recogniser knows, is shown as a keyed id instead (SPEC PRV-2).
func (a *attempt) presentable(source string) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return classify.ValidSourceID(source) && len(a.p.classifier.Recognise([]byte(source))) == 0
}
