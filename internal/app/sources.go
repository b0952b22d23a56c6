package app

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/extract"
	"github.com/stoplog/stoplog/pkg/fence"
)

func sourcesCommand(e *env) *cobra.Command {
	var f storeFlags
	c := &cobra.Command{
		Use: "sources", GroupID: "data", Short: "Check the source registry, and explain what it does to a payload",
		Example: "  stoplog sources check ./stoplog-data/stoplog.yaml\n  stoplog sources explain booking inquiry.json --data ./stoplog-data",
		RunE:    helpOnly,
	}
	f.add(c)
	c.AddCommand(e.sourcesCheck(&f), e.sourcesExplain(&f))
	return c
}

type sourceView struct {
	ID         string `json:"id"`
	Title      string `json:"title,omitempty"`
	Class      string `json:"data_class_ceiling"`
	Origin     string `json:"origin"`
	Trust      string `json:"trust_level"`
	Kind       string `json:"kind"` // direct or collection
	Format     string `json:"format,omitempty"`
	RunBy      string `json:"run_by,omitempty"`
	Subject    string `json:"subject,omitempty"`
	Credential string `json:"credential"` // a signature scheme, or token
	Fields     int    `json:"fields"`
	FreeText   int    `json:"free_text_fields"`
}

func (e *env) sourcesCheck(f *storeFlags) *cobra.Command {
	return &cobra.Command{
		Use: "check [FILE]", Short: "Check the sources of a configuration and list what each declares",
		Long: `Check a configuration file (default: the data directory's) as ` + "`stoplog config check`" + `
does, and list its sources. Exit status 1 when something does not hold.`,
		Example: "  stoplog sources check ./stoplog-data/stoplog.yaml\n  stoplog sources check --data ./stoplog-data --format json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%s: want at most one file", cmd.CommandPath())
			}
			path := f.config
			if len(args) == 1 {
				path = args[0]
			}
			if path == "" {
				path = filepath.Join(f.data, config.FileName)
			}
			problems := []string{}
			for _, p := range checkConfig(path) {
				problems = append(problems, p.Error())
			}
			cfg, err := config.Load(path)
			if err != nil {
				cfg = &config.Config{}
			}
			sources := []sourceView{}
			rows := [][]string{{"SOURCE", "CLASS", "ORIGIN", "TRUST", "KIND", "FORMAT", "RUN BY", "CREDENTIAL", "FIELDS"}}
			for _, s := range cfg.Sources {
				v := sourceView{
					ID: s.ID, Title: s.Title, Class: ceiling(s).String(), Origin: s.Origin.String(), Trust: s.Trust.String(), Kind: "direct", Format: s.Format,
					RunBy: s.RunBy, Subject: s.Subject, Credential: "token", Fields: len(s.Fields),
				}
				if s.Collection {
					v.Kind = "collection"
				}
				if s.Signature != nil {
					v.Credential = s.Signature.Scheme
				}
				for _, x := range s.Fields {
					if x.Text {
						v.FreeText++
					}
				}
				sources = append(sources, v)
				rows = append(rows, []string{v.ID, v.Class, v.Origin, v.Trust, v.Kind, v.Format, v.RunBy, v.Credential, strconv.Itoa(v.Fields)})
			}
			err = e.envelopeOrText(len(problems) == 0, map[string]any{"file": path, "sources": sources, "problems": problems}, func(w io.Writer) {
				if len(rows) > 1 {
					table(w, rows...)
				}
				for _, p := range problems {
					fmt.Fprintf(w, "%s: %s\n", path, review.Inert(p))
				}
				if len(problems) == 0 {
					fmt.Fprintf(w, "%d sources; %s holds.\n", len(sources), path)
				}
			})
			if err == nil && len(problems) > 0 {
				return errProblems
			}
			return err
		},
	}
}

// ceiling is a source's class as the registry means it (SPEC CLS-3).
func ceiling(s classify.Source) chunk.Class {
	if s.Ceiling == chunk.Unclassified {
		return chunk.Restricted
	}
	return s.Ceiling
}

func (e *env) sourcesExplain(f *storeFlags) *cobra.Command {
	var media string
	c := &cobra.Command{
		Use: "explain SOURCE [PAYLOAD-FILE]", Short: "Show for a payload which path got which class, why, and what a context would get",
		Long: `Classify a payload (a file, or standard input) as a source of the configuration and
show for each value its path, its class, what decided, what was found in it, and what a
context would get. Nothing is stored and no server is needed. Values of keyed-hash stubs
are made with a key of the moment: a deployment's are others.`,
		Example: "  stoplog sources explain booking inquiry.json --data ./stoplog-data\n  stoplog sources explain web page.txt --media-type text/plain --format json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usagef("%s: want a source and a payload file", cmd.CommandPath())
			}
			cfg, err := loadConfig(f.config, f.data)
			if err != nil {
				return err
			}
			c, err := classify.Compile(cfg.Sources, classify.Options{})
			if err != nil {
				return fmt.Errorf("sources: %w", err)
			}
			if _, ok := c.Source(args[0]); !ok {
				return usagef("%s is not a source of %s; `stoplog sources check` lists them", review.Inert(args[0]), cfg.Path())
			}
			var payload []byte
			if len(args) == 1 || args[1] == "-" {
				payload, err = io.ReadAll(io.LimitReader(e.in, maxScanLine))
			} else {
				payload, err = os.ReadFile(args[1])
			}
			if err != nil {
				return err
			}
			media := mediaOf(media, args)
			format := extract.Sniff(payload)
			if src, _ := c.Source(args[0]); src.Format == extract.Mail || media == "message/rfc822" {
				format = extract.Mail
			}
			if payload, err = extract.Text(format, payload); err != nil {
				return fmt.Errorf("the door would refuse this payload: %w", err)
			}
			key := make([]byte, 32)
			_, _ = rand.Read(key) // never fails; it ends the process instead
			values, res, err := c.Explain(classify.Input{Source: args[0], MediaType: media, Text: payload, StubKey: key})
			if err != nil {
				return fmt.Errorf("the door would refuse this payload: %w", err)
			}
			return e.explained(args[0], payload, values, res)
		},
	}
	c.Flags().StringVar(&media, "media-type", "", "media type of the payload (default: by the file's name; a source's format wins)")
	c.ValidArgsFunction = completeSources(&f.data, &f.config)
	return c
}

// mediaOf guesses a payload's media type where none is given.
func mediaOf(given string, args []string) string {
	if given != "" || len(args) < 2 {
		return given
	}
	return map[string]string{
		".json": "application/json", ".csv": "text/csv", ".html": "text/html", ".htm": "text/html", ".md": "text/markdown", ".eml": "message/rfc822",
		".txt": "text/plain", ".pdf": "application/pdf", ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	}[strings.ToLower(filepath.Ext(args[1]))]
}

type explainedValue struct {
	Path     string   `json:"path"`
	Declared string   `json:"declared,omitempty"`
	Class    string   `json:"data_class"`
	Why      string   `json:"why"`
	Action   string   `json:"action"`
	Found    []string `json:"found,omitempty"`
	Shown    string   `json:"context_gets"`
}

func (e *env) explained(source string, payload []byte, values []classify.Explained, res classify.Result) error {
	shown := string(chunk.Chunk{Text: payload, Redactions: res.Redactions}.Redacted())
	list := []explainedValue{}
	rows := [][]string{{"PATH", "CLASS", "WHY", "ACTION", "FOUND", "A CONTEXT GETS"}}
	for _, v := range values {
		x := explainedValue{v.Path, v.Declared, v.Class.String(), v.Why, v.Action, v.Found, string(v.Shown)}
		list = append(list, x)
		path := x.Path
		if path == "" {
			path = "(the text)"
		}
		cut := review.Inert(x.Shown)
		if r := []rune(cut); len(r) > 60 {
			cut = string(r[:59]) + "…"
		}
		rows = append(rows, []string{path, x.Class, x.Why, x.Action, strings.Join(x.Found, ", "), cut})
	}
	fenced := fence.Untrusted(source, fence.Sanitise(shown).Text)
	data := map[string]any{"source_id": source, "data_class": res.Class, "values": list, "context": fenced, "redactions": len(res.Redactions), "above_ceiling": res.Exceeded}
	return e.external(data, func(w io.Writer) {
		fmt.Fprintf(w, "A document of %s has class %s.\n\n", source, e.paint(bold, res.Class.String()))
		table(w, rows...)
		if len(res.Exceeded) > 0 {
			fmt.Fprintf(w, "\nAbove the source's ceiling: %s. That raises the class, and a gate asks a person.\n", strings.Join(res.Exceeded, ", "))
		}
		fmt.Fprintf(w, "\nA context would get, %d places replaced:\n", len(res.Redactions))
		block(w, fenced)
	}, "values", "context")
}
