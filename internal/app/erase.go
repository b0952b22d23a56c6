package app

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"crypto/rand"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/api"
	"github.com/stoplog/stoplog/internal/door"
	"github.com/stoplog/stoplog/internal/evidence"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// eraseReasons are why something is erased or held. The list is closed: a reason is a
// label in a record.
var eraseReasons = []string{"data-subject-request", "customer-request", "contract-ended", "legal-request", "litigation", "investigation", "mistake", "other"}

func eraseCommand(e *env) *cobra.Command {
	var f storeFlags
	var run, document, subject, reason string
	var expired bool
	c := &cobra.Command{
		Use: "erase", GroupID: "data", Short: "Destroy the key of a run, a document or everything about a person",
		Long: `Destroy the keys of what is named. From then on nothing of it can be read: not the
evidence, not what lies on Kafka, not what the ledger's tables hold sealed, and no backup
taken later. The ledger stays as it is and still verifies. It cannot be undone.

--run and --document take the ids of receipts. --subject takes what the source's subject
path held (an e-mail address, say), - to read it from standard input, or a subject id.
--expired erases what is older than the configuration's retention, and never below its
minimum, as a running server does every hour.

Under legal hold (` + "`stoplog hold`" + `) nothing of the request is erased: exit status 1.
With embedded stores the server must be stopped. With Postgres it may run: its processes
forget the key within a minute. Keys in Postgres's own log and backups age out with them;
` + "`stoplog keys rotate kek`" + ` and ` + "`stoplog keys rewrap`" + ` make them unreadable at once.

Reason codes: ` + strings.Join(eraseReasons, ", ") + `.`,
		Example: "  stoplog erase --run run_… --reason data-subject-request --data ./stoplog-data\n  stoplog erase --subject - --reason data-subject-request < address.txt\n  stoplog erase --expired",
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			named := 0
			for _, v := range []string{run, document, subject} {
				if v != "" {
					named++
				}
			}
			switch {
			case expired && (named > 0 || reason != ""):
				return usagef("%s: --expired stands alone", cmd.CommandPath())
			case expired:
				return e.stores(cmd.Context(), &f, func(s *system) error {
					report, err := s.retain(cmd.Context())
					if err != nil {
						return err
					}
					return e.erased(report, "Nothing is older than its retention.")
				})
			case named != 1:
				return usagef("%s: want one of --run, --document, --subject", cmd.CommandPath())
			case !slices.Contains(eraseReasons, reason):
				return usagef("%s: --reason is required, one of: %s", cmd.CommandPath(), strings.Join(eraseReasons, ", "))
			case run != "" && !chunk.ValidID(run, "run"):
				return usagef("%s: --run: not a run id", cmd.CommandPath())
			case document != "" && !chunk.ValidID(document, "doc") && !chunk.ValidID(document, "evt"):
				return usagef("%s: --document: want a document id or an event id", cmd.CommandPath())
			}
			return e.stores(cmd.Context(), &f, func(s *system) error {
				scopes, err := s.scopes(cmd.Context(), e.in, run, document, subject)
				if err != nil {
					return err
				}
				report, err := s.erase(cmd.Context(), scopes, provenance.KindErasure, "erased", reason)
				if err != nil {
					return err
				}
				return e.erased(report, "There is nothing to erase: no content is linked to that subject.")
			})
		},
	}
	c.Flags().StringVar(&run, "run", "", "everything of this run, with what was fetched for it")
	c.Flags().StringVar(&document, "document", "", "one document of a collection, by its document id or event id")
	c.Flags().StringVar(&subject, "subject", "", "everything about a person")
	c.Flags().StringVar(&reason, "reason", "", "why, one of the reason codes (required)")
	c.Flags().BoolVar(&expired, "expired", false, "everything older than its retention")
	offer(c, "reason", eraseReasons...)
	f.add(c)
	return c
}

// erasedScope is what became of one scope.
type erasedScope struct {
	Scope     chunk.ID `json:"scope_id"`
	Before    bool     `json:"erased_before"`
	Documents int      `json:"documents"`
	Evidence  int      `json:"evidence_removed"` // unreadable bytes taken away
	Chunks    int      `json:"chunks"`
	Open      int      `json:"chunks_open"` // at a gate or under way; they end as rejected, expired or dead letters
}

type eraseReport struct {
	Scopes  []erasedScope `json:"scopes"`
	Records int           `json:"records_kept"`
	Left    []string      `json:"left"`
}

func (e *env) erased(r eraseReport, none string) error {
	return e.answer(r, func(w io.Writer) {
		if len(r.Scopes) == 0 {
			fmt.Fprintln(w, none)
			return
		}
		rows := [][]string{{"ERASED", "DOCUMENTS", "EVIDENCE REMOVED", "CHUNKS", "OPEN", ""}}
		for _, s := range r.Scopes {
			note := ""
			if s.Before {
				note = "erased before"
			}
			rows = append(rows, []string{string(s.Scope), fmt.Sprint(s.Documents), fmt.Sprint(s.Evidence), fmt.Sprint(s.Chunks), fmt.Sprint(s.Open), note})
		}
		table(w, rows...)
		fmt.Fprintln(w, "\nWhat is left:")
		for _, l := range r.Left {
			fmt.Fprintf(w, "  %s\n", l)
		}
	})
}

// scopes finds what a request for erasure or a hold names.
func (s *system) scopes(ctx context.Context, in io.Reader, run, document, subject string) ([]chunk.ID, error) {
	one := func(id chunk.ID, what string) ([]chunk.ID, error) {
		switch _, err := s.vault.Scope(ctx, id); {
		case errors.Is(err, evidence.ErrNotFound):
			return nil, fmt.Errorf("nothing is kept of %s %s; `stoplog ledger show --subject %s` shows what the ledger has", what, id, id)
		case err != nil:
			return nil, err
		}
		return []chunk.ID{id}, nil
	}
	switch {
	case run != "":
		out, err := one(chunk.ID(run), "the run")
		if err != nil {
			return nil, err
		}
		fetched, _, err := s.executed(ctx, chunk.ID(run))
		return append(out, fetched...), err
	case chunk.ValidID(document, "evt"):
		ev, err := s.store.EventByID(ctx, chunk.ID(document))
		switch {
		case errors.Is(err, ledger.ErrNotFound):
			return nil, fmt.Errorf("there is no event %s", document)
		case err != nil:
			return nil, err
		case !ev.Collection:
			return nil, fmt.Errorf("event %s belongs to run %s, whose documents share a key; erase the run", document, ev.Run)
		}
		return one(ev.Scope, "the document")
	case document != "":
		return one(chunk.ID(document), "the document")
	}
	if subject == "-" {
		b, err := io.ReadAll(io.LimitReader(in, 4<<10))
		if err != nil {
			return nil, err
		}
		if subject = strings.TrimSpace(string(b)); subject == "" {
			return nil, usagef("--subject -: standard input is empty")
		}
	}
	ids := []chunk.ID{chunk.ID(subject)}
	if !chunk.ValidID(subject, "sub") {
		ids = nil
		for _, key := range s.ring.IDs() { // who came in under an older key has the id of its day
			ids = append(ids, door.SubjectID(key, s.cfg.Tenant, subject))
		}
	}
	var out []chunk.ID
	for _, id := range ids {
		found, err := s.vault.ScopesOfSubject(ctx, id)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// executed finds what was carried out for a run (SPEC DEC-5): the documents that it
// brought, which are a collection's with keys of their own, and the evidence of what was
// asked for.
func (s *system) executed(ctx context.Context, run chunk.ID) (scopes []chunk.ID, asked []string, err error) {
	f := ledger.RecordFilter{Run: run, Kind: provenance.KindExecutionStarted, Limit: 1000}
	for {
		rows, err := s.store.Records(ctx, f)
		if err != nil || len(rows) == 0 {
			return scopes, asked, err
		}
		for _, row := range rows {
			f.After = row.N
			asked = append(asked, row.Record.Evidence)
			for _, src := range s.cfg.Sources { // whichever it entered as
				if !src.Collection {
					continue
				}
				ev, err := s.store.EventByID(ctx, chunk.EventID(row.Record.Tenant, src.ID, api.ExecutionSender(row.Record.Subject)))
				switch {
				case err == nil:
					scopes = append(scopes, ev.Scope)
				case !errors.Is(err, ledger.ErrNotFound):
					return nil, nil, err
				}
			}
		}
	}
}

// erase destroys the keys of scopes (SPEC PRV-8). When one of them is under legal hold
// nothing is erased. Each record is written before its key goes: an act that cannot
// be recorded is not done, and one that was cut off is finished by asking again.
func (s *system) erase(ctx context.Context, scopes []chunk.ID, kind provenance.Kind, action, reason string) (eraseReport, error) {
	report := eraseReport{Scopes: []erasedScope{}, Left: []string{}}
	var held []string
	states := map[chunk.ID]evidence.Scope{}
	for _, id := range scopes {
		st, err := s.vault.Scope(ctx, id)
		if err != nil {
			return report, err
		}
		if states[id] = st; st.Held && !st.Erased {
			held = append(held, string(id))
		}
	}
	if len(held) > 0 {
		return report, fmt.Errorf("under legal hold, so nothing was erased: %s; `stoplog hold lift` lifts a hold", strings.Join(held, ", "))
	}
	for _, id := range scopes {
		one, err := s.eraseOne(ctx, id, kind, action, reason, states[id].Erased)
		if err != nil {
			return report, fmt.Errorf("%s: %w", id, err)
		}
		report.Scopes = append(report.Scopes, one)
	}
	if len(report.Scopes) == 0 {
		return report, nil
	}
	report.Left = append(report.Left, "the ledger's records: ids, classes, times, counts and decisions, no content; `stoplog ledger verify` still holds")
	open := 0
	for _, x := range report.Scopes {
		open += x.Open
	}
	if open > 0 {
		report.Left = append(report.Left, fmt.Sprintf("%d chunks without an end: nobody can read them; a gate about one can only be rejected, or expires", open))
	}
	report.Left = append(report.Left, "sealed bytes on Kafka and in the ledger's tables, which no key opens")
	if s.cfg.Stores.Postgres != "" {
		report.Left = append(report.Left, "the wrapped key in Postgres's write-ahead log and backups, until they age out or `stoplog keys rewrap` under a new kek")
	} else {
		report.Left = append(report.Left, "the wrapped key in copies of keys.db that were made before")
	}
	return report, nil
}

func (s *system) eraseOne(ctx context.Context, id chunk.ID, kind provenance.Kind, action, reason string, before bool) (erasedScope, error) {
	out := erasedScope{Scope: id, Before: before}
	events, err := s.store.ScopeEvents(ctx, id)
	if err != nil {
		return out, err
	}
	if err := s.scopeRecord(ctx, id, events, kind, []string{action}, provenance.Erasure{ScopeID: id, Action: action, Reason: reason}); err != nil {
		return out, err
	}
	var asked []string
	if id.Prefix() == "run" {
		if _, asked, err = s.executed(ctx, id); err != nil {
			return out, err
		}
	}
	if err := s.vault.Erase(ctx, id); err != nil {
		return out, err
	}
	remove := func(pointer string) error {
		err := s.vault.Remove(ctx, id, pointer)
		if err == nil {
			out.Evidence++
		} else if errors.Is(err, evidence.ErrNotFound) {
			err = nil
		}
		return err
	}
	for _, pointer := range asked {
		if err := remove(pointer); err != nil {
			return out, err
		}
	}
	for _, ev := range events {
		out.Documents++
		if err := remove(ev.Evidence); err != nil {
			return out, err
		}
		chunks, err := s.store.EventChunks(ctx, ev.ID)
		if err != nil {
			return out, err
		}
		for _, c := range chunks {
			out.Chunks++
			if !c.Disposition.Final() {
				out.Open++
			}
		}
	}
	return out, nil
}

// scopeRecord writes what was done to a scope. The parts make its id: the same act
// again is the same record.
func (s *system) scopeRecord(ctx context.Context, id chunk.ID, events []ledger.Event, kind provenance.Kind, parts []string, payload provenance.Erasure) error {
	actor := "operator:command"
	if kind == provenance.KindRetention { // the declared policy acts, whoever runs it
		actor = "stage:retention"
	}
	r := provenance.Record{
		ID: provenance.RecordID(kind, id, parts...), Schema: provenance.SchemaVersion, Time: s.now().UTC(), Kind: kind, Tenant: s.cfg.Tenant, Subject: id,
		Actor: actor, Policy: s.policy, Payload: mustJSON(payload),
	}
	if len(events) > 0 {
		r.Tenant = events[0].Tenant
	}
	if id.Prefix() == "run" {
		r.Run = id
	}
	_, err := s.store.Append(ctx, ledger.Batch{Records: []provenance.Record{r}})
	return err
}

// retain erases what is older than its retention: the source's own, or the
// deployment's; never what is younger than the minimum, and nothing under legal hold.
func (s *system) retain(ctx context.Context) (eraseReport, error) {
	bySource := map[string]time.Duration{}
	least := s.cfg.Retention.Evidence
	for _, src := range s.cfg.Sources {
		if src.Retention > 0 {
			bySource[src.ID] = src.Retention
			if least == 0 || src.Retention < least {
				least = src.Retention
			}
		}
	}
	if least == 0 {
		return eraseReport{Scopes: []erasedScope{}, Left: []string{}}, nil
	}
	least = max(least, s.cfg.Retention.Minimum)
	now := s.now()
	var due []chunk.ID
	for limit := 1000; ; limit *= 4 {
		old, err := s.vault.ScopesOlderThan(ctx, now.Add(-least), limit)
		if err != nil {
			return eraseReport{}, err
		}
		if len(old) == limit { // those whose own time has not come lie in front
			continue
		}
		for _, id := range old {
			events, err := s.store.ScopeEvents(ctx, id)
			if err != nil {
				return eraseReport{}, err
			}
			keep := time.Duration(0) // nothing that entered it is known: the deployment's
			for _, ev := range events {
				own, ok := bySource[ev.Source]
				if !ok {
					own = s.cfg.Retention.Evidence
				}
				if own == 0 { // kept until somebody asks
					own = 1 << 62
				}
				keep = max(keep, own)
			}
			if keep == 0 {
				if keep = s.cfg.Retention.Evidence; keep == 0 {
					continue
				}
			}
			st, err := s.vault.Scope(ctx, id)
			if err != nil {
				return eraseReport{}, err
			}
			newest := st.Created
			for _, ev := range events {
				if ev.Received.After(newest) {
					newest = ev.Received
				}
			}
			if now.Sub(newest) > max(keep, s.cfg.Retention.Minimum) {
				due = append(due, id)
			}
		}
		break
	}
	return s.erase(ctx, due, provenance.KindRetention, "expired", "retention")
}

// retentionEvery is how often a server looks for what is older than its retention.
const retentionEvery = time.Hour

// runRetention applies the declared retention for as long as the server runs. One of
// several servers does it. A failure is logged and tried again: nothing is lost by
// keeping something an hour longer.
func (s *system) runRetention(ctx context.Context) error {
	tick := time.NewTicker(retentionEvery)
	defer tick.Stop()
	for {
		s.retainOnce(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (s *system) retainOnce(ctx context.Context) {
	release, ok, err := s.store.Lead(ctx, "retention")
	if err == nil && !ok {
		return
	}
	var report eraseReport
	if err == nil {
		defer release()
		report, err = s.retain(ctx)
	}
	switch {
	case err != nil && ctx.Err() == nil:
		s.log.Warn("retention could not be applied; it is tried again", "error", err)
	case len(report.Scopes) > 0:
		s.log.Info("erased what was older than its retention", "scopes", len(report.Scopes))
	}
}

func holdCommand(e *env) *cobra.Command {
	var f storeFlags
	c := &cobra.Command{
		Use: "hold", GroupID: "data", Short: "Set or lift a legal hold: what is held is not erased",
		Long: `Set or lift a legal hold on runs and documents. What is held is neither erased on
request nor by retention. Both are records. With embedded stores the server must be
stopped.

Reason codes: ` + strings.Join(eraseReasons, ", ") + `.`,
		Example: "  stoplog hold set run_… --reason litigation --data ./stoplog-data\n  stoplog hold lift run_… --reason litigation --data ./stoplog-data",
		RunE:    helpOnly,
	}
	f.add(c)
	c.AddCommand(
		e.hold(&f, "set", "Forbid the erasure of runs and documents", "held", "held"),
		e.hold(&f, "lift", "Permit the erasure of runs and documents again", "unheld", "held no more"),
	)
	return c
}

func (e *env) hold(f *storeFlags, use, short, action, said string) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: use + " ID...", Short: short,
		Example: "  stoplog hold " + use + " run_… doc_… --reason litigation --data ./stoplog-data",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s: want run ids or document ids", cmd.CommandPath())
			}
			for _, a := range args {
				if !chunk.ValidID(a, "run") && !chunk.ValidID(a, "doc") {
					return usagef("%s: want run ids or document ids", cmd.CommandPath())
				}
			}
			if !slices.Contains(eraseReasons, reason) {
				return usagef("%s: --reason is required, one of: %s", cmd.CommandPath(), strings.Join(eraseReasons, ", "))
			}
			return e.stores(cmd.Context(), f, func(s *system) error {
				for _, a := range args {
					if err := s.hold(cmd.Context(), chunk.ID(a), action, reason); err != nil {
						return fmt.Errorf("%s: %w", a, err)
					}
				}
				return e.print(map[string]any{"scopes": args, "action": action}, "%s: %s.\n", said, strings.Join(args, ", "))
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, one of the reason codes (required)")
	offer(c, "reason", eraseReasons...)
	return c
}

// hold sets or lifts a hold. Setting works before it is recorded, lifting after: in
// between the hold stands.
func (s *system) hold(ctx context.Context, id chunk.ID, action, reason string) error {
	if _, err := s.vault.Scope(ctx, id); err != nil {
		return err
	}
	if action == "held" {
		if err := s.vault.Hold(ctx, id); err != nil {
			return err
		}
	}
	events, err := s.store.ScopeEvents(ctx, id)
	if err != nil {
		return err
	}
	var once [16]byte // a scope is held and let go any number of times
	_, _ = rand.Read(once[:])
	if err := s.scopeRecord(ctx, id, events, provenance.KindLegalHold, []string{action, hex.EncodeToString(once[:])}, provenance.Erasure{ScopeID: id, Action: action, Reason: reason}); err != nil {
		return err
	}
	if action == "unheld" {
		return s.vault.Release(ctx, id)
	}
	return nil
}
