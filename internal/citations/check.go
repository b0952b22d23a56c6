package citations

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/cite"
)

// Reason says why a citation is in its state. The list is closed: answers, gates and
// metrics carry it.
type Reason string

// The reasons.
const (
	InRegister  Reason = "register"       // resolved: the list has it
	AtEndpoint  Reason = "endpoint"       // resolved: the endpoint has it, now or within the cache's time
	NotFound    Reason = "not-found"      // made up: no source of record has it
	NoSource    Reason = "no-source"      // undecided: none is declared for this kind, or this host
	Withheld    Reason = "withheld"       // undecided: it holds what the source may not be told
	Away        Reason = "source-away"    // undecided
	Unclear     Reason = "source-unclear" // undecided: it answered with something that says neither
	TimedOut    Reason = "timeout"
	TooMany     Reason = "too-many" // undecided: more citations, or lookups a minute, than are looked up
	placeholder Reason = "placeholder"
)

// Place is where a text stands: each kind has a policy for two of them.
type Place uint8

// The places.
const (
	Asked     Place = iota // somebody asks; every kind is looked for
	Output                 // of a model
	Retrieved              // of a collection
)

// Request is what is to be checked.
type Request struct {
	Tenant string
	Place  Place
	Texts  []string
	// Class is that of the run the text comes from. What a run above an endpoint's ceiling
	// says may go to a host that the operator named, if nothing in it exceeds the ceiling,
	// and to no host that the text chose. The zero value exceeds every ceiling.
	Class chunk.Class
	// Judge gives the class of what a value holds, also behind encodings. ok is false where
	// that cannot be told.
	Judge func(value string) (class chunk.Class, ok bool)
	// Local looks in registers only: what waits for a person anyway is told to nobody first.
	Local bool
}

// Result is one citation of a text, and what came of it.
type Result struct {
	Kind   string          `json:"kind"`
	Span   chunk.Span      `json:"span"`
	Value  string          `json:"value,omitempty"` // in its normal form
	State  cite.State      `json:"state"`
	Reason Reason          `json:"reason"`
	Failed chunk.FailureID `json:"failure_id,omitempty"`

	policy cite.Policy
}

// Report is what came of a text's citations.
type Report struct {
	Citations []Result `json:"citations"` // in the order of the text
	// Omitted citations were found beyond what one text may have; they are undecided.
	Omitted      int `json:"omitted"`
	Placeholders int `json:"placeholders"` // URLs that name no page; nobody can look them up

	left []Result // what was omitted: kind and policy
}

func (r *Report) omit(kind string, p cite.Policy) {
	r.Omitted++
	r.left = append(r.left, Result{Kind: kind, Reason: TooMany, policy: p})
}

// Worst gives the failure that a text's citations come to: one that is made up, then one
// that is undecided, of those whose policy is held; with no policy, of all.
func (r Report) Worst(held ...cite.Policy) chunk.FailureID {
	worst := chunk.FailNone
	for _, c := range slices.Concat(r.Citations, r.left) {
		switch {
		case len(held) > 0 && !slices.Contains(held, c.policy):
		case c.State == cite.Hallucinated:
			return chunk.FailCitation
		case c.State == cite.Undecided:
			worst = chunk.FailUndecided
		}
	}
	return worst
}

// Count is how many citations of a kind are in a state.
type Count struct {
	Kind  string     `json:"kind"`
	State cite.State `json:"state"`
	N     int        `json:"count"`
}

// Counts sums the report up, in the order in which kinds first occur.
func (r Report) Counts() []Count {
	var out []Count
	at := map[Count]int{}
	for _, c := range slices.Concat(r.Citations, r.left) {
		k := Count{Kind: c.Kind, State: c.State}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k], out = i, append(out, k)
		}
		out[i].N++
	}
	return out
}

// Options are the limits of a checker, and what it works with.
type Options struct {
	PerText   int           // citations of one text that are looked up; zero: 100
	Timeout   time.Duration // of all lookups of one request; zero: 10s
	Cache     time.Duration // how long an endpoint's yes is kept; zero: 1h
	PerMinute int           // lookups over the network of one tenant; zero: 300

	// Open reads the file that a register is. One whose version is have still is not read.
	Open func(name, have string) (File, error)
	// Secret resolves a reference. nil: there are none.
	Secret func(ref string) (string, error)
	// HTTP asks endpoints. It has to be a guarded client (internal/outbound): URLs come out
	// of text.
	HTTP *http.Client
	// Allow counts one lookup against a key's limit a minute.
	Allow   func(ctx context.Context, key string, perMinute int) (bool, error)
	Now     func() time.Time
	Metrics prometheus.Registerer // nil: none
}

// Checker looks citations up. It is safe for concurrent use.
type Checker struct {
	set     *cite.Set
	o       Options
	kinds   []source
	slots   chan struct{} // lookups over the network under way
	checked *prometheus.CounterVec
	reloads *prometheus.CounterVec

	mu    sync.Mutex
	known map[[sha256.Size]byte]time.Time // an endpoint's yes, until when it is believed
}

// source is where a kind's citations are looked up.
type source struct {
	mu            sync.RWMutex
	list          map[string]struct{} // nil: no register
	version       string              // of the file it was read from
	authorization string
}

const (
	maxKnown = 1 << 16
	maxSlots = 16 // lookups at a time, over all requests
	perCheck = 4  // … of one request
	// maxLookups bounds one request: a retrieval may bring a thousand chunks.
	maxLookups = 1000
	// maxListed bounds what one answer lists: a text may name a page ten thousand times.
	maxListed = 1000
)

// New makes a checker and reads its registers. The error names what is wrong with which.
func New(set *cite.Set, o Options) (*Checker, error) {
	if o.PerText <= 0 {
		o.PerText = 100
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Cache <= 0 {
		o.Cache = time.Hour
	}
	if o.PerMinute <= 0 {
		o.PerMinute = 300
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Allow == nil {
		o.Allow = func(context.Context, string, int) (bool, error) { return true, nil }
	}
	if o.HTTP != nil { // redirects are followed here: each hop is held to the kind's hosts
		h := *o.HTTP
		h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		o.HTTP = &h
	}
	c := &Checker{
		set: set, o: o, kinds: make([]source, set.Len()), slots: make(chan struct{}, maxSlots), known: map[[sha256.Size]byte]time.Time{},
		checked: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stoplog_citations_total", Help: "Citations checked, by kind, state and reason."}, []string{"kind", "state", "reason"}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stoplog_citation_register_reload_total", Help: "Registers that changed, by kind and result."}, []string{"kind", "result"}),
	}
	if o.Metrics != nil {
		for _, m := range []prometheus.Collector{c.checked, c.reloads} {
			if err := o.Metrics.Register(m); err != nil {
				return nil, errors.New("citations: a metric is registered twice")
			}
		}
	}
	var errs []error
	for i := range c.kinds {
		if set.Kind(i).Endpoint != nil && o.HTTP == nil {
			return nil, errors.New("citations: an endpoint is declared and no client given")
		}
		if _, err := c.load(i); err != nil {
			errs = append(errs, err)
		}
		if e := set.Kind(i).Endpoint; e != nil && e.Authorization != "" && o.Secret != nil {
			v, err := o.Secret(e.Authorization)
			if err != nil {
				errs = append(errs, kindError(set.Kind(i).Name, "endpoint.authorization", err))
			}
			c.kinds[i].authorization = v
		}
	}
	return c, errors.Join(errs...)
}

// Kinds are the names of the kinds that are looked for somewhere.
func (c *Checker) Kinds() []string {
	out := []string{}
	for i := range c.kinds {
		out = append(out, c.set.Kind(i).Name)
	}
	return out
}

func (c *Checker) policy(i int, p Place) cite.Policy {
	k := c.set.Kind(i)
	switch p {
	case Output:
		return k.Outputs
	case Retrieved:
		return k.Retrieved
	}
	return cite.Report
}

// lookup is one thing to look up, however often it is cited.
type lookup struct {
	kind   int
	values []string
	answer answer
}

type answer struct {
	state  cite.State
	reason Reason
	value  string // the one of the values that was found, or the first
}

// Check looks up the citations of texts: one report for each. Citations beyond the limits
// of number and time are undecided.
func (c *Checker) Check(ctx context.Context, r Request) []Report {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	reports := make([]Report, len(r.Texts))
	found := make([]cite.Found, len(r.Texts))
	ids := make([][]int, len(r.Texts)) // of each citation, its lookup; -1: omitted
	byKey := map[string]int{}
	var all []*lookup
	for t, text := range r.Texts {
		if ctx.Err() != nil { // nothing of the rest was looked for: it must not read as free of citations
			for i := range c.kinds {
				if p := c.policy(i, r.Place); p != cite.Off {
					reports[t].omit(c.set.Kind(i).Name, p)
				}
			}
			continue
		}
		found[t] = c.set.Find(text, func(i int) bool { return c.policy(i, r.Place) != cite.Off })
		reports[t].Placeholders = found[t].Templates
		distinct := map[int]bool{}
		for n, f := range found[t].Citations {
			key := c.set.Kind(f.Kind).Name
			for _, v := range f.Values {
				key += "\x00" + v
			}
			id, ok := byKey[key]
			if !ok && len(distinct) < c.o.PerText && len(all) < maxLookups {
				id = len(all)
				byKey[key], all = id, append(all, &lookup{kind: f.Kind, values: f.Values})
				ok = true
			}
			if !ok || !distinct[id] && len(distinct) >= c.o.PerText || n >= maxListed {
				ids[t] = append(ids[t], -1)
				continue
			}
			distinct[id] = true
			ids[t] = append(ids[t], id)
		}
	}
	c.resolve(ctx, r, all)
	for t := range r.Texts {
		for n, id := range ids[t] {
			f := found[t].Citations[n]
			k := c.set.Kind(f.Kind)
			p := c.policy(f.Kind, r.Place)
			if id < 0 {
				reports[t].omit(k.Name, p)
				c.checked.WithLabelValues(k.Name, cite.Undecided.String(), string(TooMany)).Inc()
				continue
			}
			a := all[id].answer
			if a.reason == placeholder {
				reports[t].Placeholders++
				continue
			}
			c.checked.WithLabelValues(k.Name, a.state.String(), string(a.reason)).Inc()
			if a.reason == Withheld { // nor is it repeated to whoever asked
				a.value = ""
			}
			reports[t].Citations = append(reports[t].Citations, Result{Kind: k.Name, Span: f.Span, Value: a.value, State: a.state, Reason: a.reason, Failed: a.state.Failure(), policy: p})
		}
		if reports[t].Citations == nil {
			reports[t].Citations = []Result{}
		}
	}
	return reports
}

// resolve answers lookups: from the registers at once, then over the network, a few at a
// time.
func (c *Checker) resolve(ctx context.Context, r Request, all []*lookup) {
	var wait sync.WaitGroup
	turn := make(chan struct{}, perCheck)
	for _, l := range all {
		a, done := c.local(r, l)
		l.answer = a
		if done {
			continue
		}
		wait.Add(1)
		go func() {
			defer wait.Done()
			l.answer = answer{cite.Undecided, TimedOut, l.values[0]}
			for _, s := range []chan struct{}{turn, c.slots} {
				select {
				case s <- struct{}{}:
					defer func() { <-s }()
				case <-ctx.Done():
					return
				}
			}
			l.answer = c.ask(ctx, r, l)
		}()
	}
	wait.Wait()
}

// local answers a lookup without the network, where that can be done.
func (c *Checker) local(r Request, l *lookup) (a answer, done bool) {
	k := c.set.Kind(l.kind)
	s := &c.kinds[l.kind]
	s.mu.RLock()
	list := s.list
	s.mu.RUnlock()
	if list != nil {
		has := func(v string) bool { _, ok := list[v]; return ok }
		for _, v := range l.values {
			if k.Builtin == cite.URL && cite.Listed(v, has) || k.Builtin != cite.URL && has(v) {
				return answer{cite.Resolved, InRegister, v}, true
			}
		}
	}
	first := l.values[0]
	if k.Builtin == cite.URL {
		if host, _ := cite.Host(first); cite.Reserved(host) && (k.Endpoint == nil || !named(host, k.Endpoint.Hosts)) {
			return answer{cite.Undecided, placeholder, first}, true
		}
	}
	switch {
	case k.Endpoint != nil:
		for _, v := range l.values {
			if c.remembered(r.Tenant, k.Name, v) {
				return answer{cite.Resolved, AtEndpoint, v}, true
			}
		}
		if r.Local {
			return answer{cite.Undecided, Withheld, first}, true
		}
		return answer{}, false
	case list != nil:
		return answer{cite.Hallucinated, NotFound, first}, true
	}
	return answer{cite.Undecided, NoSource, first}, true
}

// named reports whether the operator named a host, and did not only allow every one.
func named(host string, hosts []string) bool {
	for _, h := range hosts {
		if h != "*" && cite.HostIn(host, []string{h}) {
			return true
		}
	}
	return false
}

// cacheKey is under what an endpoint's yes is kept. Tenants share none, so that no one can tell
// by an answer's time what another looked up.
func cacheKey(tenant, kind, value string) [sha256.Size]byte {
	return sha256.Sum256([]byte(tenant + "\x00" + kind + "\x00" + value))
}

func (c *Checker) remembered(tenant, kind, value string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	until, ok := c.known[cacheKey(tenant, kind, value)]
	return ok && c.o.Now().Before(until)
}

func (c *Checker) remember(tenant, kind, value string) {
	now := c.o.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxKnown {
		for k, until := range c.known {
			if !now.Before(until) {
				delete(c.known, k)
			}
		}
		if len(c.known) >= maxKnown {
			clear(c.known)
		}
	}
	c.known[cacheKey(tenant, kind, value)] = now.Add(c.o.Cache)
}
