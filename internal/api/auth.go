package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// The roles of a token.
const (
	RoleAdmin     = "admin" // everything but what needs the pii designation
	RoleConnector = "connector"
	RoleAssembler = "assembler"
	RoleAgent     = "agent"
	RoleReviewer  = "reviewer"
	RolePII       = "pii-authorized-reviewer"
	RoleAuditor   = "auditor"
)

var roles = []string{RoleAdmin, RoleConnector, RoleAssembler, RoleAgent, RoleReviewer, RolePII, RoleAuditor}

// Token is a bearer credential. Only its hash is known.
type Token struct {
	Name    string
	Tenant  string
	Roles   []string
	Sources []string // granted; "*" is all
	SHA256  string   // of the token, hex
}

// Principal is who an authenticated request speaks for.
type Principal struct {
	Name    string
	Tenant  string
	Roles   []string
	Sources []string
}

// Actor names the principal in records.
func (p Principal) Actor() string { return "token:" + p.Name }

// Has reports whether the principal has a role. An admin has every one but the pii
// designation, which is given by name or not at all (SPEC QUA-5).
func (p Principal) Has(role string) bool {
	return slices.Contains(p.Roles, role) || role != RolePII && slices.Contains(p.Roles, RoleAdmin)
}

// HasAny reports whether the principal has one of the roles.
func (p Principal) HasAny(roles ...string) bool { return slices.ContainsFunc(roles, p.Has) }

// Granted reports whether the principal may deal with a source.
func (p Principal) Granted(source string) bool {
	return slices.Contains(p.Sources, source) || slices.Contains(p.Sources, "*")
}

// Tokens is the list of credentials.
type Tokens struct{ list []token }

type token struct {
	hash [sha256.Size]byte
	who  Principal
}

// NewTokens checks the credentials.
func NewTokens(in []Token) (*Tokens, error) {
	var t Tokens
	seen := map[string]bool{}
	for _, c := range in {
		h, err := hex.DecodeString(c.SHA256)
		switch {
		case err != nil || len(h) != sha256.Size:
			return nil, errors.New("api: token " + c.Name + ": sha256: want 64 hex digits")
		case c.Name == "" || c.Tenant == "" || seen[c.Name]:
			return nil, errors.New("api: token " + c.Name + ": name and tenant are required, and a name is used once")
		case len(c.Roles) == 0 || slices.ContainsFunc(c.Roles, func(r string) bool { return !slices.Contains(roles, r) }):
			return nil, errors.New("api: token " + c.Name + ": roles: none, or an unknown one")
		}
		seen[c.Name] = true
		t.list = append(t.list, token{[sha256.Size]byte(h), Principal{c.Name, c.Tenant, c.Roles, c.Sources}})
	}
	return &t, nil
}

// lookup finds a token by its text. Every hash is compared, each in constant time,
// so that an answer's time says nothing about which token came close.
func (t *Tokens) lookup(text string) (Principal, bool) {
	h := sha256.Sum256([]byte(text))
	found := -1
	for i := range t.list {
		if subtle.ConstantTimeCompare(h[:], t.list[i].hash[:]) == 1 {
			found = i
		}
	}
	if found < 0 || text == "" {
		return Principal{}, false
	}
	return t.list[found].who, true
}

// byName finds a token for a signed session, which holds its name.
func (t *Tokens) byName(name string) (token, bool) {
	i := slices.IndexFunc(t.list, func(k token) bool { return k.who.Name == name })
	if i < 0 {
		return token{}, false
	}
	return t.list[i], true
}

// Authenticate says who a request speaks for, by its Authorization header.
func (t *Tokens) Authenticate(r *http.Request) (Principal, error) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 { // two would let a proxy and us read different ones
		return Principal{}, errUnauthenticated
	}
	scheme, text, ok := strings.Cut(values[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return Principal{}, errUnauthenticated
	}
	p, ok := t.lookup(strings.TrimSpace(text))
	if !ok {
		return Principal{}, errUnauthenticated
	}
	return p, nil
}
