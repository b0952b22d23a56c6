package fetch

import (
	"errors"
	"net/url"
	"strings"
)

// Endpoint is a service that an operator registers for searches and queries: the agent
// gives the words, the operator where they go.
type Endpoint struct {
	// Template is an https URL with {query}, and {limit} if it likes, in the part behind
	// its question mark, where they are escaped.
	Template      string
	Authorization string // value of the Authorization header; goes to this endpoint alone
}

// Check reports what is wrong with an endpoint.
func (e Endpoint) Check() error {
	fixed, query, ok := strings.Cut(e.Template, "?")
	u, err := url.Parse(fixed)
	switch {
	case err != nil || u.Scheme != "https" || u.User != nil || !hostname(u.Hostname()) || strings.ContainsAny(fixed, "{}#"):
		return errors.New("url: want https, a host and a path without placeholders")
	case !ok || !strings.Contains(query, "{query}"):
		return errors.New("url: want {query} behind the question mark")
	case strings.ContainsAny(strings.NewReplacer("{query}", "", "{limit}", "").Replace(query), "{}#"):
		return errors.New("url: placeholders are {query} and {limit}")
	}
	return nil
}

// Expand gives the URL that asks for something.
func (e Endpoint) Expand(query, limit string) string {
	fixed, q, _ := strings.Cut(e.Template, "?")
	return fixed + "?" + strings.NewReplacer("{query}", url.QueryEscape(query), "{limit}", url.QueryEscape(limit)).Replace(q)
}

// Name is the endpoint without what is asked of it, for attribution: what stands behind
// the question mark may be a key.
func (e Endpoint) Name() string {
	fixed, _, _ := strings.Cut(e.Template, "?")
	return fixed
}

// Host is the endpoint's host.
func (e Endpoint) Host() string {
	u, err := url.Parse(e.Name())
	if err != nil {
		return ""
	}
	return u.Hostname()
}
