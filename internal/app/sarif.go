package app

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/stoplog/stoplog/corpus"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// sarifOutput annotates the commands that also know --format sarif.
const sarifOutput = "sarif"

// SARIF 2.1.0, as far as findings in texts and failing cases need it. Locations are
// relative to the working directory, so that a report says nothing of the machine it
// was made on.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	Results    []sarifResult `json:"results"`
	ColumnKind string        `json:"columnKind"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	URI     string      `json:"informationUri"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID         string         `json:"id"`
	Short      sarifText      `json:"shortDescription"`
	Properties map[string]any `json:"properties,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID     string          `json:"ruleId"`
	RuleIndex  int             `json:"ruleIndex"`
	Level      string          `json:"level"` // error, warning or note
	Message    sarifText       `json:"message"`
	Locations  []sarifLocation `json:"locations"`
	Properties map[string]any  `json:"properties,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
	// Bytes as the scan counts them: SARIF's byteOffset is of the file's raw bytes.
	ByteOffset int `json:"byteOffset"`
	ByteLength int `json:"byteLength"`
}

func newSarif(rules []corpus.Rule) *sarifLog {
	d := sarifDriver{Name: "stoplog", Version: version(), URI: "https://github.com/stoplog/stoplog", Rules: []sarifRule{}}
	for _, r := range rules {
		d.Rules = append(d.Rules, sarifRule{ID: r.ID, Short: sarifText{r.Title}, Properties: map[string]any{"family": r.Family, "languages": r.Languages, "weight": r.Weight}})
	}
	return &sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{Tool: sarifTool{d}, Results: []sarifResult{}, ColumnKind: "unicodeCodePoints"}},
	}
}

func (l *sarifLog) add(rule, level, message, path string, region *sarifRegion, properties map[string]any) {
	run := &l.Runs[0]
	index := -1
	for i, r := range run.Tool.Driver.Rules {
		if r.ID == rule {
			index = i
		}
	}
	if index < 0 { // the model, which is no rule of a file
		index = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: rule, Short: sarifText{"What the learned model takes for an injection"}})
	}
	run.Results = append(run.Results, sarifResult{
		RuleID: rule, RuleIndex: index, Level: level, Message: sarifText{message},
		Locations: []sarifLocation{{sarifPhysical{sarifArtifact{relativeURI(path)}, region}}}, Properties: properties,
	})
}

func (e *env) writeSarif(l *sarifLog) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(l); err != nil {
		return err
	}
	_, err := e.out.Write(visibleJSON(b.Bytes()))
	return err
}

// relativeURI writes a path as a URI reference relative to the working directory.
func relativeURI(path string) string {
	if filepath.IsAbs(path) {
		if here, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(here, path); err == nil {
				path = rel
			}
		}
	}
	u := url.URL{Path: filepath.ToSlash(path)} // String escapes, and keeps a colon from reading as a scheme
	return strings.TrimPrefix(u.String(), "/")
}

// regionOf places a span in a text.
func regionOf(text []byte, s chunk.Span) *sarifRegion {
	return &sarifRegion{StartLine: 1 + bytes.Count(text[:s.Start], []byte("\n")), ByteOffset: s.Start, ByteLength: s.Len()}
}
