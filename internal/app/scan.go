package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"unicode/utf8"

	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/detect"
)

// decisions are the pure deciders of a process.
type decisions struct {
	detector   *detect.Detector
	classifier *classify.Classifier
}

// builtinDecisions compiles the built-in rules, model and recognisers.
func builtinDecisions(sources []classify.Source) (decisions, error) {
	rules, err := corpus.Default()
	if err != nil {
		return decisions{}, fmt.Errorf("built-in rules: %w", err)
	}
	d, err := detect.Compile(rules, detect.Options{})
	if err != nil {
		return decisions{}, fmt.Errorf("built-in rules: %w", err)
	}
	c, err := classify.Compile(sources, classify.Options{})
	if err != nil {
		return decisions{}, fmt.Errorf("sources: %w", err)
	}
	return decisions{d, c}, nil
}

// scanLine is one line of `stoplog scan --format jsonl`. The names are fixed: others
// measure by them.
type scanLine struct {
	ID       json.RawMessage `json:"id"`
	Verdict  chunk.Verdict   `json:"verdict"`
	Score    float64         `json:"score"`
	Findings []chunk.Finding `json:"findings"`
	Entities []chunk.Entity  `json:"entities"`
	Class    chunk.Class     `json:"class"`
}

func (d decisions) scan(text []byte) (chunk.Scan, []chunk.Entity) {
	entities := d.classifier.Recognise(text)
	gaps := make([]chunk.Span, len(entities))
	for i, e := range entities {
		gaps[i] = e.Span
	}
	return d.detector.Scan(detect.Input{Text: text, Gaps: gaps}), entities
}

func (d decisions) line(id json.RawMessage, text []byte) scanLine {
	s, entities := d.scan(text)
	if s.Findings == nil {
		s.Findings = []chunk.Finding{}
	}
	if entities == nil {
		entities = []chunk.Entity{}
	}
	for i := range s.Findings {
		if s.Findings[i].Views == nil {
			s.Findings[i].Views = []string{}
		}
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	return scanLine{id, s.Verdict, round(s.Score), s.Findings, entities, classify.ClassOf(entities)}
}

// maxScanLine bounds one input line, in bytes.
const maxScanLine = 32 << 20

// scanJSONL reads {"id","text"} lines, decides each and writes one line for each, in
// input order, on all processors. A bad line gives {"line","error"} in its place;
// bad counts them.
func scanJSONL(ctx context.Context, d decisions, in io.Reader, out io.Writer) (lines, bad int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type batch struct {
		first int
		lines [][]byte
		out   bytes.Buffer
		bad   int
		done  chan struct{}
	}
	workers := runtime.GOMAXPROCS(0)
	work := make(chan *batch, workers)
	order := make(chan *batch, 4*workers)
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for b := range work {
				enc := json.NewEncoder(&b.out)
				enc.SetEscapeHTML(false)
				for i, l := range b.lines {
					if err := d.one(enc, l); err != nil {
						b.bad++
						_ = enc.Encode(map[string]any{"line": b.first + i, "error": err.Error()})
					}
				}
				close(b.done)
			}
		}()
	}
	var readErr error
	go func() {
		defer close(order)
		defer close(work)
		r := bufio.NewReaderSize(in, 1<<20)
		n := 1
		for ctx.Err() == nil {
			b := &batch{first: n, done: make(chan struct{})}
			size := 0
			var e error
			for len(b.lines) < 64 && size < 256<<10 && e == nil {
				var l []byte
				l, e = readLine(r)
				if len(l) > 0 || e == nil {
					b.lines = append(b.lines, l)
					size += len(l)
					n++
				}
			}
			if len(b.lines) > 0 {
				select {
				case order <- b:
				case <-ctx.Done():
					return
				}
				work <- b
			}
			if e != nil {
				if !errors.Is(e, io.EOF) {
					readErr = e
				}
				return
			}
		}
	}()
	w := bufio.NewWriterSize(out, 1<<20)
	for b := range order {
		<-b.done
		lines += len(b.lines)
		bad += b.bad
		if _, err := w.Write(b.out.Bytes()); err != nil {
			cancel()
			for range order { // let the reader end
			}
			return lines, bad, err
		}
		if len(order) == 0 { // nothing else is under way: someone may be waiting for this answer
			if err := w.Flush(); err != nil {
				cancel()
				for range order {
				}
				return lines, bad, err
			}
		}
	}
	wg.Wait()
	if err := w.Flush(); err != nil {
		return lines, bad, err
	}
	return lines, bad, errors.Join(readErr, context.Cause(ctx))
}

// readLine reads one line without its end. A line over the bound comes back cut, so
// that it is refused as a line and the ones after it are still read.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line) <= maxScanLine {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
	}
}

func (d decisions) one(enc *json.Encoder, line []byte) error {
	if len(line) > maxScanLine {
		return fmt.Errorf("longer than %d bytes", maxScanLine)
	}
	if !utf8.Valid(line) {
		return errors.New("not valid UTF-8")
	}
	var in struct {
		ID   json.RawMessage `json:"id"`
		Text *string         `json:"text"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		var syn *json.SyntaxError
		if errors.As(err, &syn) {
			return fmt.Errorf("not JSON at byte %d", syn.Offset)
		}
		return errors.New(`want an object {"id": …, "text": "…"}`)
	}
	if in.Text == nil {
		return errors.New(`the member "text" is missing`)
	}
	return enc.Encode(d.line(in.ID, []byte(*in.Text)))
}

// round keeps four decimals: what a score is good for, and the same bytes on every machine.
func round(f float64) float64 { return math.Round(f*1e4) / 1e4 }
