package door

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/strictjson"
	"github.com/stoplog/stoplog/pkg/classify"
)

// Load is one backfill: files or lines that enter by the same door as everything
// else. It can be stopped and begun again at any time: a document's event id is its
// path in the folder, or the id of its line, so what is in already is a duplicate.
type Load struct {
	Paths  []string  // files and folders; for lines, files
	Lines  io.Reader // lines to take instead of Paths; it counts as a file named stdin
	Source string    // registered source
	Tenant string
	Actor  string // who loads: load:NAME
	Run    string // run the documents belong to; empty: the source's rule

	Workers  int                 // documents taken at the same time; 2 per processor, at most 32
	Progress func(Progress)      // called after each document, one call at a time; nil: not
	Refused  func(Refusal) error // called for each document that did not come in, one call at a time; an error ends the load; nil: they are counted
}

// Progress is how far a load is.
type Progress struct {
	Documents  int64 // done, of all kinds below
	Accepted   int64 // new
	Duplicates int64 // in before
	Changed    int64 // duplicates whose content is another one now; the first one stands
	Refused    int64
	Bytes      int64 // read, of TotalBytes
	TotalFiles int64
	TotalBytes int64
}

// Refusal names a document that did not come in: where it lies, and why.
type Refusal struct {
	Path string
	Line int // of a file of lines; 0: the whole file
	Err  error
}

func (r Refusal) Error() string {
	if r.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", r.Path, r.Line, Problem(r.Err).Code)
	}
	return r.Path + ": " + Problem(r.Err).Code
}

// extensions are the media types of file names. A file of another name is taken for
// text when it is.
var extensions = map[string]string{
	".txt": "text/plain", ".text": "text/plain", ".log": "text/plain", ".md": "text/markdown", ".markdown": "text/markdown",
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml", ".json": "application/json", ".csv": "text/csv",
	".eml": "message/rfc822", ".pdf": mediaTypes["pdf"], ".docx": mediaTypes["docx"],
}

// MediaTypeOf gives the media type of a file by its name; text/plain where the name says
// nothing and it is text, and empty where it is none.
func MediaTypeOf(name string, body []byte) string {
	if t := extensions[strings.ToLower(path.Ext(name))]; t != "" {
		return t
	}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return ""
	}
	return "text/plain"
}

// LoadFiles takes in every file of the given folders, and the given files. Hidden
// files and folders, and what is not a regular file, are passed over: a link must not
// lead out of the folder that the operator named.
//
// The error says why the load ended early (a store away, the context, Refused); the
// Progress says how far it came.
func (d *Door) LoadFiles(ctx context.Context, l Load) (Progress, error) {
	files, err := listFiles(l.Paths)
	if err != nil {
		return Progress{}, err
	}
	run := newLoader(d, l)
	for _, f := range files {
		run.p.TotalFiles++
		run.p.TotalBytes += f.size
	}
	return run.all(ctx, func(yield func(loaded) bool) error {
		for _, f := range files {
			if !yield(loaded{path: f.shown, size: f.size, make: func() (Event, error) { return d.fileEvent(l, f) }}) {
				return nil
			}
		}
		return nil
	})
}

// LoadJSONL takes in every line of the given files. A line is an envelope, an object
// with "id" and either "text" (a string) or "data" (any JSON), and with "media_type"
// and "run" if it likes; or any other object, which is then taken whole, with the
// source's event_id_path or the file's name and the line's number for its id. Empty
// lines are passed over.
func (d *Door) LoadJSONL(ctx context.Context, l Load) (Progress, error) {
	run := newLoader(d, l)
	if l.Lines != nil {
		return run.all(ctx, func(yield func(loaded) bool) error {
			_, err := d.lines(l, "stdin", l.Lines, yield)
			return err
		})
	}
	for _, p := range l.Paths {
		info, err := os.Stat(p)
		if err != nil {
			return Progress{}, err
		}
		run.p.TotalFiles++
		run.p.TotalBytes += info.Size()
	}
	return run.all(ctx, func(yield func(loaded) bool) error {
		for _, p := range l.Paths {
			if more, err := d.file(l, p, yield); err != nil || !more {
				return err
			}
		}
		return nil
	})
}

// loaded is one document on its way: make reads and shapes it, in a worker.
type loaded struct {
	path string
	line int
	size int64
	make func() (Event, error)
}

// loader runs a load's workers and counts.
type loader struct {
	d    *Door
	l    Load
	send func(context.Context, Event) (Receipt, error) // to a door elsewhere; nil: into d

	mu  sync.Mutex
	p   Progress
	err error // why the load ends early
}

func newLoader(d *Door, l Load) *loader {
	if l.Workers <= 0 {
		l.Workers = min(2*runtime.GOMAXPROCS(0), 32)
	}
	return &loader{d: d, l: l, send: d.elsewhere}
}

// Remote loads through a door elsewhere. It reads files and lines as [Door] does, so
// that a document has the same event id whichever way it goes in.
type Remote struct {
	Classifier *classify.Classifier // the source registry
	Limits     Limits
	// Send hands one event over. Its error is an [Answered] where the other side
	// answered; one that says it can be repeated ends the load, as a store that is
	// away does.
	Send func(context.Context, Event) (Receipt, error)
}

// LoadFiles is [Door.LoadFiles] to a door elsewhere.
func (r Remote) LoadFiles(ctx context.Context, l Load) (Progress, error) {
	return r.reader().LoadFiles(ctx, l)
}

// LoadJSONL is [Door.LoadJSONL] to a door elsewhere.
func (r Remote) LoadJSONL(ctx context.Context, l Load) (Progress, error) {
	return r.reader().LoadJSONL(ctx, l)
}

// reader is a door that reads and takes nothing.
func (r Remote) reader() *Door {
	d := &Door{cfg: Config{Limits: r.Limits}, elsewhere: r.Send}
	orDefault(&d.cfg.Limits.DocumentBytes, DefaultDocumentBytes)
	d.SetPolicy(r.Classifier, "")
	return d
}

// Answered is what a door elsewhere answered.
type Answered struct{ problem.Problem }

func (a Answered) Error() string { return "door: " + a.Code }

// all feeds the documents that produce yields to the workers and waits for them.
func (r *loader) all(ctx context.Context, produce func(yield func(loaded) bool) error) (Progress, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work := make(chan loaded)
	var wg sync.WaitGroup
	for range r.l.Workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for f := range work {
				r.one(ctx, f, cancel)
			}
		}()
	}
	err := produce(func(f loaded) bool {
		select {
		case work <- f:
			return true
		case <-ctx.Done():
			return false
		}
	})
	close(work)
	wg.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		err = r.err
	} else if err == nil {
		err = ctx.Err()
	}
	return r.p, err
}

// one takes one document in. A store that is away ends the load: what is left is
// taken by the next one.
func (r *loader) one(ctx context.Context, f loaded, stop func()) {
	ev, err := f.make()
	var receipt Receipt
	switch {
	case r.send != nil && err == nil:
		receipt, err = r.send(ctx, ev)
	case r.send != nil: // it never left this machine: there is nobody to record it
	case err == nil:
		receipt, err = r.d.Accept(ctx, ev)
	default:
		err = r.d.Refuse(ctx, ev, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.err != nil:
		return
	case err != nil && (Problem(err).Retryable || ctx.Err() != nil):
		r.err = fmt.Errorf("load stopped: %w", err)
		if ctx.Err() != nil {
			r.err = ctx.Err()
		}
		stop()
		return
	case err != nil:
		r.p.Refused++
		if r.l.Refused != nil {
			if e := r.l.Refused(Refusal{Path: f.path, Line: f.line, Err: err}); e != nil {
				r.err = e
				stop()
			}
		}
	case receipt.Changed:
		r.p.Changed++
		r.p.Duplicates++
	case receipt.Duplicate:
		r.p.Duplicates++
	default:
		r.p.Accepted++
	}
	r.p.Documents++
	r.p.Bytes += f.size
	if r.l.Progress != nil {
		r.l.Progress(r.p)
	}
}

// file is one file to load. name is what its event id is made from: it must be the
// same on every machine and from every working directory.
type file struct {
	root, in string // the folder named by the operator, and the path inside it
	name     string
	shown    string
	size     int64
}

func listFiles(paths []string) ([]file, error) {
	var out []file
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		full, err := filepath.Abs(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if !info.Mode().IsRegular() {
				return nil, fmt.Errorf("%s is not a regular file", p)
			}
			base := filepath.Base(full)
			out = append(out, file{root: filepath.Dir(full), in: base, name: base, shown: p, size: info.Size()})
			continue
		}
		err = fs.WalkDir(os.DirFS(full), ".", func(in string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case in != "." && strings.HasPrefix(e.Name(), "."):
				if e.IsDir() {
					return fs.SkipDir
				}
				return nil
			case !e.Type().IsRegular():
				return nil
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			out = append(out, file{root: full, in: in, name: path.Join(filepath.Base(full), in), shown: filepath.Join(p, in), size: info.Size()})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	seen := map[string]string{}
	for _, f := range out {
		if other, ok := seen[f.name]; ok {
			return nil, fmt.Errorf("%s and %s would get the same event id %q; load them one after another into sources of their own, or rename a folder", other, f.shown, f.name)
		}
		seen[f.name] = f.shown
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out, nil
}

// fileEvent reads one file. It is opened inside its folder, so that a link put there
// since the folder was listed leads nowhere else.
func (d *Door) fileEvent(l Load, f file) (Event, error) {
	ev := d.loadEvent(l, f.name)
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return ev, errFile
	}
	defer root.Close()
	in, err := root.Open(filepath.FromSlash(f.in))
	if err != nil {
		return ev, errFile
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return ev, errFile
	}
	body, err := io.ReadAll(io.LimitReader(in, int64(d.cfg.Limits.DocumentBytes)+1))
	if err != nil {
		return ev, errFile
	}
	ev.Body = body
	if ev.MediaType = MediaTypeOf(f.in, body); ev.MediaType == "" {
		return ev, ErrMediaType
	}
	return ev, nil
}

// errFile: a listed file could not be read. It says nothing more: the system's
// message holds the path, and the refusal names it already.
var errFile = fmt.Errorf("%w: the file could not be read", ErrMalformed)

func (d *Door) loadEvent(l Load, sender string) Event {
	return Event{Tenant: l.Tenant, Source: l.Source, Actor: l.Actor, RunHint: l.Run, SenderID: sender}
}

func (d *Door) file(l Load, name string, yield func(loaded) bool) (more bool, err error) {
	in, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer in.Close()
	return d.lines(l, name, in, yield)
}

// lines yields the lines of one file. It reads one line at a time; one that is longer
// than a document may be is passed over and refused.
func (d *Door) lines(l Load, name string, in io.Reader, yield func(loaded) bool) (more bool, err error) {
	r := bufio.NewReaderSize(in, 64<<10)
	base := filepath.Base(name)
	most := d.cfg.Limits.DocumentBytes + 4096
	for n := 1; ; n++ {
		line, size, err := readLine(r, most)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		last := errors.Is(err, io.EOF)
		if len(bytes.TrimSpace(line)) > 0 || size > int64(most) {
			f := loaded{path: name, line: n, size: size, make: func() (Event, error) {
				position := base + ":" + strconv.Itoa(n)
				if size > int64(most) {
					return d.loadEvent(l, position), ErrTooLarge
				}
				return d.lineEvent(l, line, position)
			}}
			if !yield(f) {
				return false, nil
			}
		}
		if last {
			return true, nil
		}
	}
}

// readLine reads to the end of a line and keeps at most so many bytes of it; size is
// how many there were, line end included.
func readLine(r *bufio.Reader, most int) (line []byte, size int64, err error) {
	for {
		part, err := r.ReadSlice('\n')
		size += int64(len(part))
		if len(line)+len(part) <= most+1 {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), size, err
		}
	}
}

// lineEnvelope is a line that names its parts.
type lineEnvelope struct {
	ID        json.RawMessage `json:"id"`
	Text      *string         `json:"text"`
	Data      json.RawMessage `json:"data"`
	MediaType string          `json:"media_type"`
	Run       string          `json:"run"`
}

// lineEvent shapes one line. Only an object that has nothing beside the envelope's
// members is an envelope: otherwise something would be left outside.
func (d *Door) lineEvent(l Load, line []byte, position string) (Event, error) {
	if err := strictjson.Check(line, strictjson.Limits{}); err != nil {
		return d.loadEvent(l, position), err
	}
	var e lineEnvelope
	err := strictjson.Decode(line, &e, strictjson.Limits{})
	id, haveID := strictjson.Lookup(line, "id")
	if err != nil || (e.Text == nil) == (e.Data == nil) || !haveID || id == "" {
		ev := d.loadEvent(l, position)
		if src, ok := d.policy.Load().classifier.Source(l.Source); ok {
			if sender, ok := senderID(src, line); ok {
				ev.SenderID = sender
			}
		}
		ev.MediaType, ev.Body = "application/json", line
		return ev, nil
	}
	ev := d.loadEvent(l, id)
	ev.MediaType = e.MediaType
	if e.Run != "" {
		ev.RunHint = e.Run
	}
	if e.Text != nil {
		ev.Body = []byte(*e.Text)
		if ev.MediaType == "" {
			ev.MediaType = "text/plain"
		}
		return ev, nil
	}
	ev.Body = []byte(e.Data)
	if ev.MediaType == "" {
		ev.MediaType = "application/json"
	}
	return ev, nil
}
