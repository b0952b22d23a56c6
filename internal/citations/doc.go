// Package citations looks citations up in their sources of record (SPEC QUA-8): lists in
// files, and, where a deployment declares it, endpoints that are asked over https.
//
// It fails closed. A source that is away, slow, not declared, or that may not be told what
// the citation says, leaves the citation undecided, and undecided is never resolved.
package citations
