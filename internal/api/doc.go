// Package api is the HTTP side of everything but the door: contexts, the guard, the
// review queue and its page, the ledger, and the scan that stores nothing.
//
// Three rules hold for every handler. Who asks is settled before anything is looked
// up, and what belongs to another tenant answers exactly as what is not there. What
// must be recorded is recorded before the answer goes out; a store that is away is a
// denial that says so. And no answer quotes what a client sent, except the content
// that the answer is about, which carries its tags.
package api
