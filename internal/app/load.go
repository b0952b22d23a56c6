package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/door"
	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/classify"
)

type loadFlags struct {
	client  clientFlags
	config  string
	run     string
	workers int
}

func loadCommand(e *env) *cobra.Command {
	var f loadFlags
	c := &cobra.Command{
		Use: "load", GroupID: "data", Short: "Take in files or lines: a backfill, by the same door as everything else",
		Long: `Take in documents that lie in files. They are classified, recorded and kept like
webhooks. Each has an event id that follows from its path or from its line, so a load
can be stopped and begun again: what is in already is a duplicate and nothing happens
twice.

While a server runs on the data directory, or with --url, the documents go to it over
HTTP with the connector's token. Otherwise the command opens the stores itself; the
documents then wait in the outbox until ` + "`stoplog serve`" + ` runs.

Exit status 1 when a document was refused, or when the load ended early.`,
		Example: "  stoplog load files handbook ./docs --data ./stoplog-data\n  stoplog load jsonl helpdesk tickets.jsonl --data ./stoplog-data",
		RunE:    helpOnly,
	}
	f.client.add(c)
	p := c.PersistentFlags()
	p.StringVar(&f.config, "config", "", "configuration file (default DATA/"+config.FileName+")")
	p.StringVar(&f.run, "run", "", "run that the documents belong to: a run id, or a name of your own (default: the source's rule)")
	p.IntVar(&f.workers, "workers", 0, "documents taken at the same time (default: 2 per processor)")
	files := &cobra.Command{
		Use: "files SOURCE PATH...", Short: "Take in files and folders, one document each",
		Long: `Take in every file of the given folders, and the given files. Hidden files, links and
what is not a regular file are passed over. The media type follows from the file's
name; a file of another name is taken for text when it is text.

The event id of a document is its path inside the folder, with the folder's name in
front; of a file that is given itself, its name.`,
		Example: "  stoplog load files handbook ./docs --data ./stoplog-data\n  stoplog load files web page.html notes.txt --run research-7",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("%s: want a source and one or more files or folders", cmd.CommandPath())
			}
			return e.load(cmd.Context(), &f, args[0], func(ctx context.Context, to loader, l door.Load) (door.Progress, error) {
				l.Paths = args[1:]
				return to.LoadFiles(ctx, l)
			})
		},
	}
	lines := &cobra.Command{
		Use: "jsonl SOURCE [FILE...]", Short: "Take in JSON lines, one document each, from files or standard input",
		Long: `Take in every line. A line is an envelope, an object with "id" and either "text" (a
string) or "data" (any JSON), and with "media_type" and "run" if it likes; or any other
object, which is taken whole. The id of such a line is the value at the source's
event_id_path, or the file's name and the number of the line.`,
		Example: "  stoplog load jsonl helpdesk tickets.jsonl --data ./stoplog-data\n  cat mails.jsonl | stoplog load jsonl web --format json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 {
				return usagef("%s: want a source", cmd.CommandPath())
			}
			return e.load(cmd.Context(), &f, args[0], func(ctx context.Context, to loader, l door.Load) (door.Progress, error) {
				if l.Paths = args[1:]; len(l.Paths) == 0 || len(l.Paths) == 1 && l.Paths[0] == "-" {
					l.Paths, l.Lines = nil, e.in
				}
				return to.LoadJSONL(ctx, l)
			})
		},
	}
	files.ValidArgsFunction = completeSources(&f.client.data, &f.config)
	lines.ValidArgsFunction = completeSources(&f.client.data, &f.config)
	c.AddCommand(files, lines)
	return c
}

// loader is a door, here or elsewhere.
type loader interface {
	LoadFiles(context.Context, door.Load) (door.Progress, error)
	LoadJSONL(context.Context, door.Load) (door.Progress, error)
}

// loadResult is what a load says in the end.
type loadResult struct {
	Source     string         `json:"source"`
	Through    string         `json:"through"` // the address of the server, or stores
	Documents  int64          `json:"documents"`
	Accepted   int64          `json:"accepted"`
	Duplicates int64          `json:"duplicates"`
	Changed    int64          `json:"body_changed"`
	Refused    int64          `json:"refused"`
	Bytes      int64          `json:"bytes"`
	ByCode     map[string]int `json:"refused_by_code"`
	Refusals   []loadRefusal  `json:"refusals"` // at most maxShown
	Complete   bool           `json:"complete"`
}

type loadRefusal struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	Code string `json:"code"`
}

func (e *env) load(ctx context.Context, f *loadFlags, source string, run func(context.Context, loader, door.Load) (door.Progress, error)) error {
	cfg, err := loadConfig(f.config, f.client.data)
	if err != nil {
		return err
	}
	var known []string
	for _, s := range cfg.Sources {
		known = append(known, s.ID)
	}
	if !has(known, source) {
		return usagef("%s is not a source of %s, which has: %s", review.Inert(source), cfg.Path(), strings.Join(known, ", "))
	}
	res := loadResult{Source: source, ByCode: map[string]int{}, Refusals: []loadRefusal{}}
	advice := map[string]string{}
	shown := newProgress(e)
	l := door.Load{
		Source: source, Tenant: cfg.Tenant, Actor: "load:command", Run: f.run, Workers: f.workers, Progress: shown.update,
		Refused: func(r door.Refusal) error {
			p := door.Problem(r.Err)
			res.ByCode[p.Code]++
			advice[p.Code] = p.Detail
			if len(res.Refusals) < maxShown {
				res.Refusals = append(res.Refusals, loadRefusal{r.Path, r.Line, p.Code})
			}
			return nil
		},
	}
	var p door.Progress
	if remote := f.client.url != "" || inUse(f.client.data); remote {
		c, err := f.client.open("connector")
		if err != nil {
			return err
		}
		registry, err := classify.Compile(cfg.Sources, classify.Options{})
		if err != nil {
			return fmt.Errorf("sources: %w", err)
		}
		res.Through = c.base
		p, err = run(ctx, door.Remote{Classifier: registry, Send: c.send}, l)
		return e.loaded(&res, p, advice, shown.end(err))
	}
	return e.stores(ctx, &storeFlags{f.client.data, f.config}, func(s *system) error {
		d, err := s.newDoor()
		if err != nil {
			return err
		}
		res.Through = "stores"
		p, err = run(ctx, d, l)
		return e.loaded(&res, p, advice, shown.end(err))
	})
}

// loaded says what became of a load. early is why it ended before everything was
// taken.
func (e *env) loaded(r *loadResult, p door.Progress, advice map[string]string, early error) error {
	r.Documents, r.Accepted, r.Duplicates, r.Changed, r.Refused, r.Bytes = p.Documents, p.Accepted, p.Duplicates, p.Changed, p.Refused, p.Bytes
	r.Complete = early == nil
	sort.SliceStable(r.Refusals, func(i, j int) bool {
		a, b := r.Refusals[i], r.Refusals[j]
		return a.Path < b.Path || a.Path == b.Path && a.Line < b.Line
	})
	if early != nil && e.format == "json" {
		fmt.Fprintf(e.err, "stoplog: %v\n", early)
		return errors.Join(errProblems, e.envelope(false, r, &problem.Error{Code: "load-stopped", Message: early.Error(), Retryable: true}, nil))
	}
	err := e.envelopeOrText(p.Refused == 0, r, func(w io.Writer) {
		for _, x := range r.Refusals {
			line := ""
			if x.Line > 0 {
				line = fmt.Sprintf(":%d", x.Line)
			}
			fmt.Fprintf(w, "%s%s  %s\n", review.Inert(x.Path), line, x.Code)
		}
		fmt.Fprintf(w, "%d documents, %s: %d accepted, %d in already", r.Documents, bytesText(r.Bytes), r.Accepted, r.Duplicates)
		if r.Changed > 0 {
			fmt.Fprintf(w, " (%d of them with another body now; the first stands)", r.Changed)
		}
		fmt.Fprintf(w, ", %d refused.\n", r.Refused)
		for _, code := range slices.Sorted(maps.Keys(r.ByCode)) {
			fmt.Fprintf(w, "  %d %s: %s\n", r.ByCode[code], code, advice[code])
		}
		switch {
		case early != nil:
			fmt.Fprintln(w, "The load ended early. Run it again: what is in already stays as it is.")
		case r.Through == "stores" && r.Accepted > 0:
			fmt.Fprintln(w, "They wait in the outbox; `stoplog serve`, or `stoplog ingest` where parts run apart, takes them on.")
		}
	})
	switch {
	case err != nil || early != nil:
		return errors.Join(early, err)
	case p.Refused > 0:
		return errProblems
	}
	return nil
}

// envelopeOrText is answer for a result that may hold problems.
func (e *env) envelopeOrText(ok bool, data any, text func(io.Writer)) error {
	if e.format == "json" {
		return e.envelope(ok, data, nil, nil)
	}
	return e.answer(data, text)
}

// send hands one event to a running server: as a CloudEvent in binary mode, since
// its id and its run are percent-encoded there and survive whatever a file is called.
// A server that is away for a moment is asked again.
func (c *client) send(ctx context.Context, ev door.Event) (door.Receipt, error) {
	header := []string{
		"Ce-Specversion", "1.0", "Ce-Type", "stoplog.load", "Ce-Id", headerText(ev.SenderID), "Ce-Source", headerText(ev.Source), "Content-Type", ev.MediaType,
	}
	if ev.RunHint != "" {
		header = append(header, "Ce-Stoplogrun", headerText(ev.RunHint))
	}
	body := append([]byte{}, ev.Body...) // content cannot be marshalled, and is not: these are its bytes
	for pause := 200 * time.Millisecond; ; pause *= 2 {
		a, err := c.do(ctx, http.MethodPost, "/v1/events", body, header...)
		switch {
		case err != nil:
			return door.Receipt{}, door.Answered{Problem: problem.Problem{Status: 503, Code: "server-away", Retryable: true, Detail: err.Error()}}
		case a.OK:
			var r door.Receipt
			return r, json.Unmarshal(a.Data, &r)
		case !a.Again || pause > 2*time.Second:
			return door.Receipt{}, door.Answered{Problem: problem.Problem{Status: a.Status, Code: a.Code, Detail: a.Detail, Retryable: a.Again || a.Status == http.StatusUnauthorized}}
		}
		select {
		case <-ctx.Done():
			return door.Receipt{}, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// headerText encodes a value for a header (CloudEvents HTTP binding §3.1.3.2).
func headerText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c > ' ' && c < 0x7f && c != '"' && c != '%' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// progress shows how far a load is, on standard error: a bar at a terminal, and a
// line now and then elsewhere.
type progress struct {
	w     io.Writer
	bar   bool
	every time.Duration
	began time.Time
	last  time.Time
	drawn bool
}

func newProgress(e *env) *progress {
	p := &progress{w: e.err, bar: terminal(e.err), every: 10 * time.Second, began: time.Now(), last: time.Now()}
	if p.bar {
		p.every = 100 * time.Millisecond
	}
	return p
}

func (p *progress) update(now door.Progress) {
	if time.Since(p.last) < p.every {
		return
	}
	p.last = time.Now()
	p.draw(now)
}

func (p *progress) draw(now door.Progress) {
	p.drawn = true
	rate := float64(now.Documents) / max(time.Since(p.began).Seconds(), 1e-3)
	text := fmt.Sprintf("%d documents, %s, %.0f/s", now.Documents, bytesText(now.Bytes), rate)
	if now.Refused > 0 {
		text += fmt.Sprintf(", %d refused", now.Refused)
	}
	if !p.bar {
		if now.TotalBytes > 0 {
			text += fmt.Sprintf(", %d %%", 100*now.Bytes/now.TotalBytes)
		}
		fmt.Fprintln(p.w, "loading: "+text)
		return
	}
	if now.TotalBytes > 0 {
		const width = 30
		done := int(width * min(now.Bytes, now.TotalBytes) / now.TotalBytes)
		text = fmt.Sprintf("[%s%s] %3d %%  %s", strings.Repeat("█", done), strings.Repeat("░", width-done), 100*now.Bytes/now.TotalBytes, text)
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", text)
}

// end takes the bar away and passes the load's error on.
func (p *progress) end(err error) error {
	if p.bar && p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	var answered door.Answered
	if errors.As(err, &answered) {
		return fmt.Errorf("load stopped: %s", answered.Detail)
	}
	if err != nil {
		if p := door.Problem(err); p.Code != "internal" {
			return fmt.Errorf("load stopped: %s", p.Detail)
		}
	}
	return err
}
