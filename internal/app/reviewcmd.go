package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
)

var gateTypes = []string{
	review.TypeInjection, review.TypeSuspect, review.TypeHold, review.TypeCeiling, review.TypeToolCall, review.TypePIILeak, review.TypeCitation, review.TypeDeclaration,
	review.TypeHalt, review.TypeReveal,
}

var gateStates = []string{"waiting", "open", "claimed", "decided", "applied", "expired", "all"}

// reviewCommand is the review queue at the command line (SPEC QUA-4). It is a client
// of the HTTP API: what it may do, its token says.
func reviewCommand(e *env) *cobra.Command {
	var f clientFlags
	c := &cobra.Command{
		Use: "review", GroupID: "data", Short: "Look at what waits for a person, and decide",
		Long: `Look at the gates that wait for a person, and decide about them. The commands speak to
a running server with a reviewer's token (DATA/secrets/reviewer.token, --token-file, or
STOPLOG_TOKEN); who decides is who the token names. The same queue is on the page
/review/.

Content is shown inert: what does not show as itself is drawn as its code point.

Reason codes: ` + strings.Join(review.ReasonCodes, ", ") + `.`,
		Example: "  stoplog review list --data ./stoplog-data\n  stoplog review show gate_…\n  stoplog review reject gate_… --reason confirmed-injection",
		RunE:    helpOnly,
	}
	f.add(c)
	c.AddCommand(
		e.reviewList(&f), e.reviewShow(&f), e.reviewClaim(&f), e.reviewReveal(&f), e.reviewBatch(&f),
		e.reviewDecide(&f, review.Approve, "Approve a tool call, a declaration, a ceiling or another's reveal", "needed-for-task"),
		e.reviewDecide(&f, review.Release, "Let a withheld text go on, identifying elements redacted", "false-alarm"),
		e.reviewDecide(&f, review.Reject, "Refuse: the text ends here, the call is denied", "confirmed-injection"),
		e.reviewDecide(&f, review.Resume, "Refuse the text and let its halted run go on without it", "confirmed-injection"),
		e.reviewDecide(&f, review.End, "Refuse and end the run", "confirmed-injection"),
	)
	return c
}

// aGate checks the one argument of most review commands.
func aGate(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || !chunk.ValidID(args[0], "gate") {
		return usagef("%s: want one gate id, gate_ and 26 characters; `stoplog review list` shows them", cmd.CommandPath())
	}
	return nil
}

func aReason(cmd *cobra.Command, reason string) error {
	if !slices.Contains(review.ReasonCodes, reason) {
		return usagef("%s: --reason is required, one of: %s", cmd.CommandPath(), strings.Join(review.ReasonCodes, ", "))
	}
	return nil
}

func (e *env) reviewList(f *clientFlags) *cobra.Command {
	var state, typ, source, run string
	var limit int
	c := &cobra.Command{
		Use: "list", Short: "List the gates that wait, or others", Args: exactArgs(0, "no arguments"),
		Example: "  stoplog review list --data ./stoplog-data\n  stoplog review list --state all --type injection --source booking --format json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := f.open("reviewer")
			if err != nil {
				return err
			}
			a, items, err := listGates(cmd.Context(), cl, state, typ, source, run, limit)
			if err != nil {
				return err
			}
			return e.relay(a, func(w io.Writer) {
				if len(items) == 0 {
					fmt.Fprintln(w, "Nothing waits.")
					return
				}
				table(w, gateRows(items)...)
			})
		},
	}
	c.Flags().StringVar(&state, "state", "waiting", "one of "+strings.Join(gateStates, ", "))
	c.Flags().StringVar(&typ, "type", "", "gates of this type: "+strings.Join(gateTypes, ", "))
	c.Flags().StringVar(&source, "source", "", "gates about content of this source")
	c.Flags().StringVar(&run, "run", "", "gates of this run")
	c.Flags().IntVar(&limit, "limit", 100, "at most so many, up to 500")
	offer(c, "state", gateStates...)
	offer(c, "type", gateTypes...)
	return c
}

func listGates(ctx context.Context, c *client, state, typ, source, run string, limit int) (answer, []review.Item, error) {
	q := url.Values{"limit": {strconv.Itoa(limit)}}
	for k, v := range map[string]string{"state": state, "type": typ, "source": source, "run": run} {
		if v != "" {
			q.Set(k, v)
		}
	}
	a, err := c.ask(ctx, http.MethodGet, "/v1/review/gates?"+q.Encode(), nil)
	if err != nil {
		return a, nil, err
	}
	var list struct {
		Gates []review.Item `json:"gates"`
	}
	return a, list.Gates, json.Unmarshal(a.Data, &list)
}

func gateRows(items []review.Item) [][]string {
	rows := [][]string{{"GATE", "TYPE", "STATE", "CLASS", "SCORE", "FROM", "WAITING", "WHY", "BY"}}
	for _, it := range items {
		from := it.Source
		if it.Tool != "" {
			from = it.Tool
		}
		why := strings.Join(it.Rules, ", ")
		if why == "" {
			why = string(it.Failure)
		}
		by := it.Reviewer
		if it.Decision != "" {
			by = strings.TrimSpace(by + " " + it.Decision)
		}
		wait := time.Duration(it.WaitSeconds) * time.Second
		rows = append(rows, []string{string(it.ID), it.Type, it.State, it.Class.String(), fmt.Sprintf("%.2f", it.Score), from, wait.String(), why, by})
	}
	return rows
}

func (e *env) reviewShow(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use: "show GATE", Short: "Show a gate: why it was flagged, the text, what it decodes to, what the model would get", Args: aGate,
		Example: "  stoplog review show gate_… --data ./stoplog-data",
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := f.open("reviewer")
			if err != nil {
				return err
			}
			a, err := cl.ask(cmd.Context(), http.MethodGet, "/v1/review/gates/"+args[0], nil)
			if err != nil {
				return err
			}
			return e.showCard(a)
		},
	}
}

// showCard prints a gate as its reviewer may see it.
func (e *env) showCard(a answer) error {
	var card review.Card
	if err := json.Unmarshal(a.Data, &card); err != nil {
		return errors.New("the server's answer is not a gate")
	}
	return e.relay(a, func(w io.Writer) {
		line := func(name, value string) {
			if value != "" {
				fmt.Fprintf(w, "  %-12s %s\n", name, review.Inert(value))
			}
		}
		fmt.Fprintf(w, "%s  %s  %s\n", card.ID, e.paint(bold, card.Type), card.State)
		line("class", card.Class.String())
		line("failure", string(card.Failure))
		line("score", fmt.Sprintf("%.4f", card.Score))
		line("rules", strings.Join(card.Rules, ", "))
		line("source", card.Source)
		line("tool", card.Tool)
		line("recipient", card.Role)
		line("opened", stamp(card.Opened)+"  expires "+stamp(card.Expires))
		line("held by", card.Reviewer)
		if card.Decision != "" && card.DecidedAt != nil {
			line("decided", fmt.Sprintf("%s by %s (%s), %s, %s", card.Decision, card.Reviewer, card.Origin, card.ReasonCode, stamp(*card.DecidedAt)))
			line("note", card.Note)
			line("effect", card.Effect)
		}
		if at := card.Attribution; at != nil {
			line("from", fmt.Sprintf("%s  %s  %s  %s", at.URI, at.Trust, at.Origin, stamp(at.Retrieved)))
		}
		if r := card.Run; r != nil {
			line("run", fmt.Sprintf("%s  class %s%s  %d documents, %d under way", card.Item.Run, r.Class, runMarks(r.Halted, r.Ended, r.Incomplete), r.Documents, r.Pending))
		}
		if card.Alike > 0 {
			line("alike", fmt.Sprintf("%d more gates of this type and source wait; `stoplog review batch` decides them together", card.Alike))
		}
		for _, x := range card.Findings {
			fmt.Fprintf(w, "\n  %s (%s), bytes %d to %d, adds %.2f%s\n", e.paint(bold, review.Inert(x.Rule)), review.Inert(x.Family), x.Start, x.End, x.Score, chain(x.Views))
			block(w, x.Text)
		}
		for _, x := range card.Stopped {
			fmt.Fprintf(w, "\n  stopped: %s of class %s%s%s\n", review.Inert(x.Type), x.Class, in(x.Argument), chain(x.Views))
		}
		switch {
		case card.Gone != "":
			fmt.Fprintf(w, "\nThere is no content to show: %s.\n", review.Inert(card.Gone))
		case len(card.Text) > 0:
			fmt.Fprint(w, "\nText, with what was found marked:\n")
			var b strings.Builder
			for _, s := range card.Text {
				if s.Kind == "found" {
					b.WriteString("\u27ea" + s.Text + "\u27eb")
				} else {
					b.WriteString(s.Text)
				}
			}
			block(w, b.String())
		}
		for _, v := range card.Decoded {
			fmt.Fprintf(w, "\nDecoded%s:\n", chain(v.Views))
			block(w, v.Text)
		}
		if card.Model != "" {
			fmt.Fprint(w, "\nThe model would get, after a release:\n")
			block(w, card.Model)
		}
		if card.Masked > 0 {
			need := map[string]string{
				"role":            "that takes a pii-authorized-reviewer's token",
				"reason":          "`stoplog review reveal " + string(card.ID) + " --reason CODE` shows them, and that is recorded",
				"second-reviewer": "a second reviewer has to approve " + string(card.RevealGate),
			}[card.Reveal]
			fmt.Fprintf(w, "\n%d places are masked; %s.\n", card.Masked, need)
		}
		if len(card.Decisions) > 0 {
			fmt.Fprintf(w, "\nDecide with: %s.\n", strings.Join(card.Decisions, ", "))
		}
	})
}

func chain(views []string) string {
	if len(views) == 0 {
		return ""
	}
	return ", seen through " + review.Inert(strings.Join(views, " → "))
}

func in(argument string) string {
	if argument == "" {
		return ""
	}
	return " in the argument " + review.Inert(argument)
}

func runMarks(halted, ended, incomplete bool) string {
	s := ""
	for _, m := range []struct {
		on   bool
		name string
	}{{halted, "halted"}, {ended, "ended"}, {incomplete, "incomplete"}} {
		if m.on {
			s += ", " + m.name
		}
	}
	return s
}

func (e *env) reviewClaim(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use: "claim GATE", Short: "Take a gate for the length of a lease, or renew the lease", Args: aGate,
		Example: "  stoplog review claim gate_… --data ./stoplog-data",
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := f.open("reviewer")
			if err != nil {
				return err
			}
			a, err := cl.ask(cmd.Context(), http.MethodPost, "/v1/review/gates/"+args[0]+"/claim", struct{}{})
			if err != nil {
				return withGate(err)
			}
			var it review.Item
			if err := json.Unmarshal(a.Data, &it); err != nil {
				return err
			}
			return e.relay(a, func(w io.Writer) {
				until := ""
				if it.LeaseUntil != nil {
					until = " until " + stamp(*it.LeaseUntil)
				}
				fmt.Fprintf(w, "%s is yours%s. Decide with: %s.\n", it.ID, until, strings.Join(it.Decisions, ", "))
			})
		},
	}
}

// reviewDecide makes the command of one decision.
func (e *env) reviewDecide(f *clientFlags, decision, short, example string) *cobra.Command {
	var reason, note string
	var redacted bool
	c := &cobra.Command{
		Use: decision + " GATE", Short: short, Args: aGate,
		Long: short + ".\n\nA gate is decided once: the first decision stands. Nobody decides what they asked for\nthemselves. The decision, who made it and why are a record.\n\nReason codes: " +
			strings.Join(review.ReasonCodes, ", ") + ".",
		Example: "  stoplog review " + decision + " gate_… --reason " + example + " --note 'seen before'",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := aReason(cmd, reason); err != nil {
				return err
			}
			cl, err := f.open("reviewer")
			if err != nil {
				return err
			}
			v := review.Verdict{Decision: decision, ReasonCode: reason, Note: note}
			if redacted {
				v.Decision = review.ReleaseRedacted
			}
			a, err := cl.ask(cmd.Context(), http.MethodPost, "/v1/review/gates/"+args[0]+"/decide", v)
			if err != nil {
				return withGate(err)
			}
			var it review.Item
			if err := json.Unmarshal(a.Data, &it); err != nil {
				return err
			}
			return e.relay(a, func(w io.Writer) { fmt.Fprintln(w, decided(it)) })
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, one of the reason codes (required)")
	c.Flags().StringVar(&note, "note", "", "a few words for the record; what identifies is redacted")
	offer(c, "reason", review.ReasonCodes...)
	if decision == review.Release {
		c.Flags().BoolVar(&redacted, "redacted", false, "take out what was found, too")
	}
	return c
}

func decided(it review.Item) string {
	s := fmt.Sprintf("%s: %s by %s, reason %s", it.ID, it.Decision, it.Reviewer, it.ReasonCode)
	if it.Effect != "" {
		return review.Inert(s + " (" + it.Effect + ").")
	}
	return review.Inert(s + ". A stage carries it out.")
}

// withGate adds to a refusal how the gate stands, where the answer says it.
func withGate(err error) error {
	var refused *apiError
	var it review.Item
	if !errors.As(err, &refused) || json.Unmarshal(refused.Data, &it) != nil || it.ID == "" {
		return err
	}
	switch {
	case it.Decision != "":
		return fmt.Errorf("%w It stands as %s by %s", err, review.Inert(it.Decision), review.Inert(it.Reviewer))
	case refused.Code == "gate-claimed" && it.LeaseUntil != nil:
		return fmt.Errorf("%w %s holds it until %s", err, review.Inert(it.Reviewer), stamp(*it.LeaseUntil))
	case len(it.Decisions) > 0:
		return fmt.Errorf("%w Its decisions: %s", err, review.Inert(strings.Join(it.Decisions, ", ")))
	}
	return err
}

func (e *env) reviewReveal(f *clientFlags) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: "reveal GATE", Short: "See the masked personal data of a gate, for a reason and on record", Args: aGate,
		Long: `See the masked personal data of a gate. It takes the token of a
pii-authorized-reviewer (DATA/secrets/privacy.token by default) and a reason, and it is
recorded before anything is shown. With four eyes it also takes a second such reviewer:
the first call opens a gate, which the second one approves; then call again.

Reason codes: ` + strings.Join(review.ReasonCodes, ", ") + `.`,
		Example: "  stoplog review reveal gate_… --reason investigation --data ./stoplog-data",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := aReason(cmd, reason); err != nil {
				return err
			}
			cl, err := f.open("privacy")
			if err != nil {
				return err
			}
			a, err := cl.ask(cmd.Context(), http.MethodPost, "/v1/review/gates/"+args[0]+"/reveal", review.Reveal{ReasonCode: reason})
			if err != nil {
				return err
			}
			var second struct {
				Reveal string   `json:"reveal"`
				Gate   chunk.ID `json:"gate_id"`
			}
			if a.Status != http.StatusAccepted {
				return e.showCard(a)
			}
			if err := json.Unmarshal(a.Data, &second); err != nil {
				return err
			}
			return e.relay(a, func(w io.Writer) {
				fmt.Fprintf(w, "A second reviewer has to agree: stoplog review approve %s --reason %s\nThen call this again.\n", second.Gate, reason)
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, one of the reason codes (required)")
	offer(c, "reason", review.ReasonCodes...)
	return c
}

func (e *env) reviewBatch(f *clientFlags) *cobra.Command {
	var typ, source, reason, note string
	decisions := []string{review.Approve, review.Release, review.ReleaseRedacted, review.Reject, review.Resume, review.End}
	c := &cobra.Command{
		Use: "batch DECISION [GATE...]", Short: "Decide alike gates at once",
		Long: `Decide up to 200 gates of one type at once: those that are named, or with --type (and
--source) those that wait. Each has a result of its own. Content above internal class is
never let through in a batch: what a person lets through unseen nobody has seen.

Decisions: ` + strings.Join(decisions, ", ") + `.
Reason codes: ` + strings.Join(review.ReasonCodes, ", ") + `.

Exit status 1 when a gate was not decided.`,
		Example:   "  stoplog review batch reject --type suspect --source web --reason confirmed-injection\n  stoplog review batch approve gate_… gate_… --reason needed-for-task",
		ValidArgs: decisions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || !slices.Contains(decisions, args[0]) {
				return usagef("%s: want a decision: %s", cmd.CommandPath(), strings.Join(decisions, ", "))
			}
			if err := aReason(cmd, reason); err != nil {
				return err
			}
			if (len(args) == 1) == (typ == "") {
				return usagef("%s: want gate ids, or --type for those that wait", cmd.CommandPath())
			}
			cl, err := f.open("reviewer")
			if err != nil {
				return err
			}
			gates := args[1:]
			if typ != "" {
				_, items, err := listGates(cmd.Context(), cl, "waiting", typ, source, "", 200)
				if err != nil {
					return err
				}
				for _, it := range items {
					gates = append(gates, string(it.ID))
				}
				if len(gates) == 0 {
					return e.answer(map[string]any{"results": []any{}, "failed": 0}, func(w io.Writer) { fmt.Fprintln(w, "Nothing of that kind waits.") })
				}
			}
			a, err := cl.ask(cmd.Context(), http.MethodPost, "/v1/review/batch", map[string]any{"gates": gates, "decision": args[0], "reason_code": reason, "note": note})
			if err != nil {
				return err
			}
			var out struct {
				Results []struct {
					Gate chunk.ID     `json:"gate_id"`
					Item *review.Item `json:"gate"`
					Code string       `json:"code"`
				} `json:"results"`
				Failed int `json:"failed"`
			}
			if err := json.Unmarshal(a.Data, &out); err != nil {
				return err
			}
			err = e.relay(a, func(w io.Writer) {
				for _, r := range out.Results {
					switch {
					case r.Code != "":
						fmt.Fprintf(w, "%s: %s\n", r.Gate, review.Inert(r.Code))
					case r.Item != nil:
						fmt.Fprintln(w, decided(*r.Item))
					}
				}
				fmt.Fprintf(w, "%d decided, %d not.\n", len(out.Results)-out.Failed, out.Failed)
			})
			if err == nil && out.Failed > 0 {
				return errProblems
			}
			return err
		},
	}
	c.Flags().StringVar(&typ, "type", "", "the waiting gates of this type: "+strings.Join(gateTypes, ", "))
	c.Flags().StringVar(&source, "source", "", "… and of this source")
	c.Flags().StringVar(&reason, "reason", "", "why, one of the reason codes (required)")
	c.Flags().StringVar(&note, "note", "", "a few words for the record; what identifies is redacted")
	offer(c, "type", gateTypes...)
	offer(c, "reason", review.ReasonCodes...)
	return c
}
