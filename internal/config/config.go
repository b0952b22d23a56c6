// Package config reads the one configuration file of a deployment: sources, sinks, tools,
// principals, thresholds, retention and stores. It is strict YAML: an unknown key,
// a duplicate key or a value of the wrong form is an error that names its line.
//
// Secrets never stand in the file. A value that is secret is a reference,
// env:NAME or file:PATH, and is resolved when it is used.
package config

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/cite"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/guard"
)

// Schema is the JSON Schema (2020-12) of the file, for editors and for
// `stoplog config schema`.
//
//go:embed schema.json
var Schema []byte

// Config is a deployment's configuration.
type Config struct {
	Version   int               `yaml:"version"`             // of this format: 1
	Tenant    string            `yaml:"tenant,omitempty"`    // the tenant of credentials that name none; empty: default
	Listen    string            `yaml:"listen,omitempty"`    // HOST:PORT of the HTTP API
	Stores    Stores            `yaml:"stores,omitempty"`    // where things lie; empty: everything embedded in the data directory
	Detection Detection         `yaml:"detection,omitempty"` //
	Review    Review            `yaml:"review,omitempty"`    //
	Retention Retention         `yaml:"retention,omitempty"` //
	Limits    Limits            `yaml:"limits,omitempty"`    //
	Entry     *Entry            `yaml:"kafka_entry,omitempty"`
	Tokens    []Token           `yaml:"tokens,omitempty"`
	Sources   []classify.Source `yaml:"sources"`
	Sinks     []guard.Sink      `yaml:"sinks,omitempty"` // those with a ceiling of their own
	Tools     []guard.Tool      `yaml:"tools,omitempty"`
	Citations Citations         `yaml:"citations,omitempty"`
	Execution *Execution        `yaml:"execution,omitempty"` // carries declared operations out; nil: nothing does

	path string // where it was read from; references to files are relative to it
	hash string // of the bytes it was read from
}

// Stores says where the ledger, the evidence, the keys, the queue and the cache
// lie. Every empty part is embedded in the data directory.
type Stores struct {
	Keys     string   `yaml:"keys,omitempty"`     // directory of key files; empty: DATA/keys; "env": from the environment
	Postgres string   `yaml:"postgres,omitempty"` // reference to a connection string; empty: SQLite in the data directory
	Evidence string   `yaml:"evidence,omitempty"` // directory, or a bucket URL (builds with the cloud tag)
	Redis    string   `yaml:"redis,omitempty"`    // reference to a redis:// URL; empty: embedded
	Kafka    []string `yaml:"kafka,omitempty"`    // bootstrap addresses; empty: embedded
	Replicas int      `yaml:"kafka_replication,omitempty"`
}

// Detection holds the deployment's injection thresholds; a source may set its own.
type Detection struct {
	Suspect    float64 `yaml:"suspect_threshold,omitempty"`
	Quarantine float64 `yaml:"injection_risk,omitempty"`
	Rules      string  `yaml:"rules,omitempty"` // directory of further rule files, reloaded when it changes
}

// Review holds the review queue's times and duties.
type Review struct {
	Lease    time.Duration `yaml:"lease,omitempty"`     // how long a claim lasts; zero: 15m
	Expires  time.Duration `yaml:"expires,omitempty"`   // an undecided gate is rejected after this; zero: 72h
	FourEyes *bool         `yaml:"four_eyes,omitempty"` // raw pii is revealed only after two reviewers agreed; unset: true
}

// Retention holds how long evidence is kept (SPEC PRV-8).
type Retention struct {
	Evidence time.Duration `yaml:"evidence,omitempty"` // zero: kept until erased
	Minimum  time.Duration `yaml:"minimum,omitempty"`  // evidence younger than this is not erased by retention
}

// Limits bound what enters.
type Limits struct {
	BodyBytes  int `yaml:"body_bytes,omitempty"`  // zero: 512 KiB
	ChunkBytes int `yaml:"chunk_bytes,omitempty"` // zero: 8 KiB
	Workers    int `yaml:"workers,omitempty"`     // per stage; zero: the number of processors
}

// Execution says what is carried out for agents, and within what (SPEC DEC-4). Each
// limit can be lowered and none raised; zero is the greatest.
type Execution struct {
	Source    string              `yaml:"source"`                        // collection that results enter as
	Domains   []string            `yaml:"allow_domains,omitempty"`       // host, *.host, host:port; none: every public host, on port 443
	Networks  []string            `yaml:"deny_networks,omitempty"`       // CIDR blocks, beside those that are never public
	Trusted   []string            `yaml:"trusted_hosts,omitempty"`       // fetches from these ask no person
	Search    *Endpoint           `yaml:"search,omitempty"`              // of comm.search
	Services  map[string]Endpoint `yaml:"services,omitempty"`            // of comm.query, by name
	Workspace string              `yaml:"workspace,omitempty"`           // directory of file.read and file.write; empty: there are no such operations
	PerMinute int                 `yaml:"requests_per_minute,omitempty"` // of a session; at most 10
	Redirects *int                `yaml:"max_redirects,omitempty"`       // at most 5
	Bytes     int                 `yaml:"max_bytes,omitempty"`           // of a result; at most 640 KiB, and what the door takes
	Network   time.Duration       `yaml:"network_timeout,omitempty"`     // at most 30s
	File      time.Duration       `yaml:"file_timeout,omitempty"`        // at most 10s
	Total     time.Duration       `yaml:"total_timeout,omitempty"`       // at most 300s
}

// Endpoint is a service that searches or queries go to.
type Endpoint struct {
	URL           string `yaml:"url"`                     // https, with {query} behind the question mark
	Authorization string `yaml:"authorization,omitempty"` // reference to the header's value
}

// Entry lets CloudEvents in from the topic stoplog.content.accepted. Whoever may
// write to that topic acts as this tenant for these sources.
type Entry struct {
	Tenant  string   `yaml:"tenant,omitempty"`
	Sources []string `yaml:"sources"`
}

// Citations says which citations are looked for in outputs and retrieved content, and
// where they are looked up (SPEC QUA-8). Without kinds none are.
type Citations struct {
	PerText   int           `yaml:"per_text,omitempty"`   // citations of one text that are looked up; zero: 100
	Timeout   time.Duration `yaml:"timeout,omitempty"`    // of all lookups of one request; zero: 10s
	Cache     time.Duration `yaml:"cache,omitempty"`      // how long an endpoint's yes is kept; zero: 1h
	PerMinute int           `yaml:"per_minute,omitempty"` // lookups over the network of one tenant; zero: 300
	Kinds     []cite.Kind   `yaml:"kinds,omitempty"`
}

// Token is a bearer credential of the HTTP API. Only its hash is kept.
type Token struct {
	Name    string   `yaml:"name"`
	Tenant  string   `yaml:"tenant,omitempty"`
	Roles   []string `yaml:"roles"`
	Sources []string `yaml:"sources,omitempty"` // granted sources; "*" is all
	SHA256  string   `yaml:"sha256"`            // of the token, hex
}

// Roles is the closed list of roles a token may have.
var Roles = []string{"admin", "connector", "assembler", "agent", "reviewer", "pii-authorized-reviewer", "auditor"}

// Defaults for what a file leaves out.
const (
	DefaultListen    = "127.0.0.1:8420"
	DefaultTenant    = "default"
	DefaultBodyBytes = 512 << 10
)

// Load reads and checks a configuration file.
func Load(path string) (*Config, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	c, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c.path = path
	return c, nil
}

// Parse reads a configuration from bytes. Errors name the line where YAML can tell it.
func Parse(b []byte) (*Config, error) {
	var c Config
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the file is empty; `stoplog init` writes a commented one")
		}
		return nil, tidy(err)
	}
	var more any
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("one document only: remove what follows the second ---")
	}
	sum := sha256.Sum256(b)
	c.hash = hex.EncodeToString(sum[:])
	return &c, c.check()
}

// tidy drops Go's type names from the YAML library's messages.
func tidy(err error) error {
	s := err.Error()
	s = goType.ReplaceAllString(s, "")
	s = strings.ReplaceAll(s, "yaml: unmarshal errors:\n  ", "")
	return errors.New(strings.ReplaceAll(s, "not found", "is not a known key"))
}

var goType = regexp.MustCompile(` (in|into) (type )?[a-zA-Z*.\[\]]+$|(?m) in type [a-zA-Z*.\[\]]+`)

func (c *Config) check() error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if c.Version != 1 {
		bad("version: want 1")
	}
	if c.Tenant == "" {
		c.Tenant = DefaultTenant
	}
	if c.Listen == "" {
		c.Listen = DefaultListen
	}
	if c.Limits.BodyBytes == 0 {
		c.Limits.BodyBytes = DefaultBodyBytes
	}
	if c.Limits.BodyBytes < 1024 || c.Limits.BodyBytes > 640<<10 {
		bad("limits.body_bytes: want 1024 to %d (a document must fit one Kafka value)", 640<<10)
	}
	if c.Limits.ChunkBytes != 0 && (c.Limits.ChunkBytes < 256 || c.Limits.ChunkBytes > 64<<10) {
		bad("limits.chunk_bytes: want 256 to 65536")
	}
	if c.Review.Lease == 0 {
		c.Review.Lease = 15 * time.Minute
	}
	if c.Review.Expires == 0 {
		c.Review.Expires = 72 * time.Hour
	}
	for _, t := range []struct {
		name string
		v    float64
	}{{"detection.suspect_threshold", c.Detection.Suspect}, {"detection.injection_risk", c.Detection.Quarantine}} {
		if t.v < 0 || t.v > 1 {
			bad("%s: want a number in (0,1]", t.name)
		}
	}
	if n := c.Citations.PerText; n < 0 || n > 1000 {
		bad("citations.per_text: want 1 to 1000")
	}
	if n := c.Citations.PerMinute; n < 0 || n > 100000 {
		bad("citations.per_minute: want 1 to 100000")
	}
	if t := c.Citations.Timeout; t < 0 || t > time.Minute {
		bad("citations.timeout: want at most 1m")
	}
	if t := c.Citations.Cache; t < 0 || t > 7*24*time.Hour {
		bad("citations.cache: want at most 168h; what was there then may be gone")
	}
	if _, err := cite.Compile(c.Citations.Kinds); err != nil {
		errs = append(errs, err)
	}
	if c.Stores.Replicas == 0 {
		c.Stores.Replicas = 1
	}
	sources := map[string]bool{"*": true}
	for _, s := range c.Sources {
		sources[s.ID] = true
	}
	if len(c.Sources) == 0 {
		bad("sources: none; `stoplog init` writes examples")
	}
	names := map[string]bool{}
	for i := range c.Tokens {
		t := &c.Tokens[i]
		if t.Tenant == "" {
			t.Tenant = c.Tenant
		}
		if t.Name == "" || names[t.Name] {
			bad("tokens[%d].name: missing or used twice", i)
		}
		names[t.Name] = true
		if h, err := hex.DecodeString(t.SHA256); err != nil || len(h) != sha256.Size {
			bad("tokens[%d].sha256: want the SHA-256 of the token, 64 hex digits", i)
		}
		if len(t.Roles) == 0 {
			bad("tokens[%d].roles: none (want of %s)", i, strings.Join(Roles, ", "))
		}
		for _, r := range t.Roles {
			if !contains(Roles, r) {
				bad("tokens[%d].roles: unknown role %q (want of %s)", i, r, strings.Join(Roles, ", "))
			}
		}
		for _, s := range t.Sources {
			if !sources[s] {
				bad("tokens[%d].sources: %q is not a registered source", i, s)
			}
		}
	}
	if c.Entry != nil {
		if c.Entry.Tenant == "" {
			c.Entry.Tenant = c.Tenant
		}
		for _, s := range c.Entry.Sources {
			if !sources[s] {
				bad("kafka_entry.sources: %q is not a registered source", s)
			}
		}
	}
	if x := c.Execution; x != nil {
		if !sources[x.Source] || x.Source == "*" {
			bad("execution.source: %q is not a registered source", x.Source)
		}
		for _, s := range c.Sources {
			if s.ID == x.Source && (!s.Collection || s.Format != "" || s.Trust != chunk.UntrustedExternal || s.Origin != chunk.TaskData) {
				bad("execution.source: %q: want a collection that names no format, and neither trust nor origin", x.Source)
			}
		}
		endpoints := maps.Clone(x.Services)
		if endpoints == nil {
			endpoints = map[string]Endpoint{}
		}
		if x.Search != nil {
			endpoints["search"] = *x.Search
		}
		for _, name := range slices.Sorted(maps.Keys(endpoints)) {
			if ref := endpoints[name].Authorization; ref != "" && !strings.HasPrefix(ref, "env:") && !strings.HasPrefix(ref, "file:") {
				bad("execution: %s: authorization: want env:NAME or file:PATH; a credential does not belong in this file", name)
			}
		}
		for _, l := range []struct {
			name    string
			v, most time.Duration
		}{{"network_timeout", x.Network, 30 * time.Second}, {"file_timeout", x.File, 10 * time.Second}, {"total_timeout", x.Total, 300 * time.Second}} {
			if l.v < 0 || l.v > l.most {
				bad("execution.%s: want at most %v; it can be lowered and not raised", l.name, l.most)
			}
		}
		for _, l := range []struct {
			name    string
			v, most int
		}{{"requests_per_minute", x.PerMinute, 10}, {"max_bytes", x.Bytes, 640 << 10}} {
			if l.v < 0 || l.v > l.most {
				bad("execution.%s: want at most %d; it can be lowered and not raised", l.name, l.most)
			}
		}
		if r := x.Redirects; r != nil && (*r < 0 || *r > 5) {
			bad("execution.max_redirects: want 0 to 5")
		}
	}
	for _, r := range []struct{ name, v string }{{"stores.postgres", c.Stores.Postgres}, {"stores.redis", c.Stores.Redis}} {
		if r.v != "" && !strings.HasPrefix(r.v, "env:") && !strings.HasPrefix(r.v, "file:") {
			bad("%s: want env:NAME or file:PATH; a connection string holds a password and does not belong in this file", r.name)
		}
	}
	return errors.Join(errs...)
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// Hash identifies the configuration in records: the SHA-256 of the file, hex.
func (c *Config) Hash() string { return c.hash }

// Path is where the configuration was read from; empty for one that was not read
// from a file.
func (c *Config) Path() string { return c.path }

// File gives the path of a file that the configuration names, which is relative to it.
func (c *Config) File(name string) string {
	if filepath.IsAbs(name) || c.path == "" {
		return name
	}
	return filepath.Join(filepath.Dir(c.path), name)
}

// Secret resolves a reference: env:NAME or file:PATH (relative to the
// configuration file). The value is trimmed of one trailing newline. The error
// names the reference and never the value.
func (c *Config) Secret(ref string) (string, error) {
	switch scheme, rest, _ := strings.Cut(ref, ":"); scheme {
	case "env":
		v, ok := os.LookupEnv(rest)
		if !ok || v == "" {
			return "", fmt.Errorf("the environment variable %s is not set", rest)
		}
		return v, nil
	case "file":
		b, err := os.ReadFile(c.File(rest))
		if err != nil {
			return "", fmt.Errorf("secret file: %w", err)
		}
		s := strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")
		if s == "" {
			return "", fmt.Errorf("secret file %s is empty", rest)
		}
		return s, nil
	}
	return "", errors.New("a secret is given as env:NAME or file:PATH")
}
