package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

func runsCommand(e *env) *cobra.Command {
	var f clientFlags
	c := &cobra.Command{
		Use: "runs", GroupID: "look", Short: "Show a run: its class and how it got it, its chunks, gates and halts, its context",
		Example: "  stoplog runs show run_… --data ./stoplog-data\n  stoplog runs context run_… --wait 5s",
		RunE:    helpOnly,
	}
	f.add(c)
	c.AddCommand(e.runsShow(&f), e.runsContext(&f))
	return c
}

func aRun(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || !chunk.ValidID(args[0], "run") {
		return usagef("%s: want one run id, run_ and 26 characters; the door's receipt names it", cmd.CommandPath())
	}
	return nil
}

// runState is what GET /v1/runs/{run} says.
type runState struct {
	Run        chunk.ID        `json:"run_id"`
	Class      chunk.Class     `json:"data_class"`
	Halted     bool            `json:"halted"`
	Ended      bool            `json:"ended"`
	Incomplete bool            `json:"incomplete"`
	Opened     time.Time       `json:"opened"`
	Documents  int             `json:"documents"`
	Pending    int             `json:"pending"`
	Gated      int             `json:"gated"`
	Failure    chunk.FailureID `json:"failure_id,omitempty"`
	Chunks     []struct {
		Chunk       chunk.ID          `json:"chunk_id"`
		Event       chunk.ID          `json:"event_id"`
		Ordinal     int               `json:"ordinal"`
		Disposition chunk.Disposition `json:"disposition"`
		Verdict     string            `json:"verdict,omitempty"`
		Band        chunk.Band        `json:"confidence_band"`
		Score       float64           `json:"confidence_score"`
		Gate        chunk.ID          `json:"gate_id,omitempty"`
	} `json:"chunks"`
	Gates []review.Item `json:"gates"`
}

// classChange is something that entered a run with a class (SPEC CLS-6).
type classChange struct {
	Time  time.Time   `json:"time"`
	Cause string      `json:"cause"` // document, or the run-class record's cause
	From  string      `json:"source_id,omitempty"`
	About chunk.ID    `json:"about"`
	Class chunk.Class `json:"data_class"` // of what entered
	Run   chunk.Class `json:"run_class"`  // of the run from then on
}

// halt is a change of a run's state.
type halt struct {
	Time    time.Time       `json:"time"`
	Kind    provenance.Kind `json:"kind"`
	Actor   string          `json:"actor"`
	Gate    chunk.ID        `json:"gate_id,omitempty"`
	Chunk   chunk.ID        `json:"chunk_id,omitempty"`
	Failure chunk.FailureID `json:"failure_id,omitempty"`
}

func (e *env) runsShow(f *clientFlags) *cobra.Command {
	return &cobra.Command{
		Use: "show RUN", Short: "Show a run's state, class history, chunks, gates and halts", Args: aRun,
		Long: `Show what the ledger says of a run, by the records that made it so: no content. It
needs an auditor's token (DATA/secrets/auditor.token).`,
		Example: "  stoplog runs show run_… --data ./stoplog-data\n  stoplog runs show run_… --format json",
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := f.open("auditor")
			if err != nil {
				return err
			}
			a, err := cl.ask(cmd.Context(), http.MethodGet, "/v1/runs/"+args[0], nil)
			if err != nil {
				return err
			}
			var run runState
			if err := json.Unmarshal(a.Data, &run); err != nil {
				return errors.New("the server's answer is not a run")
			}
			records, err := runRecords(cmd.Context(), cl, args[0])
			if err != nil {
				return err
			}
			classes, halts, kinds := history(records)
			data := map[string]any{"run": json.RawMessage(a.Data), "class_history": classes, "halts": halts, "records": kinds}
			return e.answer(data, func(w io.Writer) { e.showRun(w, run, classes, halts, kinds) })
		},
	}
}

// runRecords reads all records of a run.
func runRecords(ctx context.Context, c *client, run string) ([]provenance.Record, error) {
	var out []provenance.Record
	for after := int64(0); ; {
		var page struct {
			Records []struct {
				provenance.Record
			} `json:"records"`
			After int64 `json:"after"`
		}
		if err := c.call(ctx, http.MethodGet, "/v1/ledger/records?limit=1000&run="+run+"&after="+strconv.FormatInt(after, 10), nil, &page); err != nil {
			return nil, err
		}
		for _, r := range page.Records {
			out = append(out, r.Record)
		}
		if len(page.Records) < 1000 {
			return out, nil
		}
		after = page.After
	}
}

// history reads from a run's records how it got its class, and what halted it.
func history(records []provenance.Record) (classes []classChange, halts []halt, kinds map[provenance.Kind]int) {
	classes, halts, kinds = []classChange{}, []halt{}, map[provenance.Kind]int{}
	entered := false
	var now chunk.Class
	add := func(c classChange) {
		if !entered {
			entered, now = true, c.Class
		}
		now = now.Max(c.Class)
		c.Run = now
		classes = append(classes, c)
	}
	for _, r := range records {
		kinds[r.Kind]++
		p, err := provenance.DecodePayload(r.Kind, r.Payload)
		if err != nil { // a newer server's kind: it is counted
			continue
		}
		switch p := p.(type) {
		case *provenance.Classified:
			add(classChange{Time: r.Time, Cause: "document", From: p.SourceID, About: p.EventID, Class: p.DataClass})
		case *provenance.RunClass:
			add(classChange{Time: r.Time, Cause: p.Cause, About: p.RunID, Class: p.DataClass})
		case *provenance.RunChanged:
			halts = append(halts, halt{Time: r.Time, Kind: r.Kind, Actor: r.Actor, Gate: p.GateID, Chunk: p.ChunkID, Failure: p.FailureID})
		}
	}
	return classes, halts, kinds
}

func (e *env) showRun(w io.Writer, run runState, classes []classChange, halts []halt, kinds map[provenance.Kind]int) {
	state := "open"
	if m := runMarks(run.Halted, run.Ended, run.Incomplete); m != "" {
		state = e.paint(red, m[2:])
	}
	fmt.Fprintf(w, "%s  class %s  %s  opened %s\n", run.Run, e.paint(bold, run.Class.String()), state, stamp(run.Opened))
	fmt.Fprintf(w, "%d documents, %d chunks: %d under way, %d at a gate.\n", run.Documents, len(run.Chunks), run.Pending-run.Gated, run.Gated)
	if run.Failure != "" {
		fmt.Fprintf(w, "Nothing is allowed: %s.\n", run.Failure)
	}
	section := func(title string, rows [][]string) {
		if len(rows) > 1 {
			fmt.Fprintf(w, "\n%s\n", title)
			table(w, rows...)
		}
	}
	rows := [][]string{{"TIME", "BY", "SOURCE", "WHAT", "CLASS", "RUN"}}
	for _, c := range classes {
		rows = append(rows, []string{stamp(c.Time), c.Cause, c.From, string(c.About), c.Class.String(), c.Run.String()})
	}
	section("Class history", rows)
	rows = [][]string{{"CHUNK", "N", "DISPOSITION", "VERDICT", "SCORE", "BAND", "GATE"}}
	for _, c := range run.Chunks {
		rows = append(rows, []string{string(c.Chunk), strconv.Itoa(c.Ordinal), c.Disposition.String(), c.Verdict, fmt.Sprintf("%.4f", c.Score), c.Band.String(), string(c.Gate)})
	}
	section("Chunks", rows)
	if len(run.Gates) > 0 {
		section("Gates", gateRows(run.Gates))
	}
	rows = [][]string{{"TIME", "WHAT", "BY", "FAILURE", "GATE"}}
	for _, h := range halts {
		rows = append(rows, []string{stamp(h.Time), string(h.Kind), h.Actor, string(h.Failure), string(h.Gate)})
	}
	section("Halts and resumptions", rows)
	rows = [][]string{{"KIND", "RECORDS"}}
	for _, k := range provenance.Kinds {
		if n := kinds[k]; n > 0 {
			rows = append(rows, []string{string(k), strconv.Itoa(n)})
		}
	}
	section("Records", rows)
}

func (e *env) runsContext(f *clientFlags) *cobra.Command {
	var wait time.Duration
	var fenceForm, label string
	var raw, partial bool
	c := &cobra.Command{
		Use: "context RUN", Short: "Print what a context of the run would hold", Args: aRun,
		Long: `Print what a context of the run holds: cleared and released text, redacted, sanitised
and fenced. It is an access like any other and is recorded. It needs an assembler's
token (DATA/secrets/agent.token).

As text it is inert, for people. A program takes it with --format json, or from
GET /v1/runs/{run}/context.`,
		Example: "  stoplog runs context run_… --data ./stoplog-data\n  stoplog runs context run_… --wait 5s --fence boundary --format json",
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := f.open("agent")
			if err != nil {
				return err
			}
			q := url.Values{}
			if wait > 0 {
				q.Set("wait", wait.String())
			}
			if fenceForm != "" {
				q.Set("fence", fenceForm)
			}
			if label != "" {
				q.Set("label", label)
			}
			if raw {
				q.Set("sanitize", "off")
			}
			if partial {
				q.Set("allow_partial", "true")
			}
			if e.noTags {
				q.Set("injection_protection", "off")
			}
			a, err := cl.ask(cmd.Context(), http.MethodGet, "/v1/runs/"+args[0]+"/context?"+q.Encode(), nil)
			if err != nil {
				return err
			}
			var view struct {
				Class    chunk.Class `json:"data_class"`
				Band     chunk.Band  `json:"confidence_band"`
				Withheld int         `json:"withheld"`
				Erased   int         `json:"erased"`
				Pending  int         `json:"pending"`
				Text     string      `json:"text"`
				Chunks   []struct{}  `json:"chunks"`
			}
			if err := json.Unmarshal(a.Data, &view); err != nil {
				return errors.New("the server's answer is not a context")
			}
			return e.relay(a, func(w io.Writer) {
				fmt.Fprintf(w, "%d chunks, class %s, confidence %s; %d withheld, %d erased, %d under way\n\n", len(view.Chunks), view.Class, view.Band, view.Withheld, view.Erased, view.Pending)
				fmt.Fprintln(w, review.Inert(view.Text))
			})
		},
	}
	c.Flags().DurationVar(&wait, "wait", 0, "how long to wait for what is not decided yet, for example 5s")
	c.Flags().StringVar(&fenceForm, "fence", "", "untrusted (default), boundary or marker")
	c.Flags().StringVar(&label, "label", "", "label of the fences (default: the source)")
	c.Flags().BoolVar(&raw, "raw", false, "leave triggers as they are; fences stay")
	c.Flags().BoolVar(&partial, "allow-partial", false, "take what is decided, where the sources permit it")
	offer(c, "fence", "untrusted", "boundary", "marker")
	return c
}
