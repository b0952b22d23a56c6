// Package fetch reaches outside for a declared operation: a page over https, a file of a
// workspace (SPEC DEC-4). It is told what to get by an agent that may have been steered
// and gets it from a server that may be hostile, so it trusts neither.
//
//   - Names only, https only, one port unless the operator names another. The way out is
//     package outbound's: every address of a name must be a public one, the connection
//     goes to an address that was looked at, and its dialer looks once more. So a name that
//     changes its address in between gains nothing.
//   - A redirect is a new request: all of that again, a bounded number of times.
//   - Nothing of this process goes along: no proxy or credential of its environment, no
//     cookie, no referrer; what an endpoint is registered with goes to that endpoint alone.
//   - Bounds on time, on the bytes of a body before and after it is unpacked, and on
//     those of its headers.
//   - Files are opened through [os.Root]: no path and no link leads out of the workspace.
//
// It decides nothing about what it got and keeps nothing. Its errors say which rule was
// broken and never quote a URL, a path or an answer.
package fetch

import "errors"

// Why nothing came of a request. Errors of this package wrap one of these, or are the
// caller's own (see [Request]).
var (
	ErrDestination = errors.New("fetch: destination refused") // scheme, host, port, list, address; of a redirect too
	ErrUpstream    = errors.New("fetch: no usable answer")    // name, connection, certificate, status, encoding, too many redirects
	ErrTooLarge    = errors.New("fetch: too large")
	ErrTimeout     = errors.New("fetch: took too long")
	ErrPath        = errors.New("fetch: path refused") // leads out of the workspace, or to no regular file
	ErrMissing     = errors.New("fetch: no such file")
)
