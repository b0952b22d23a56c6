// Package review holds what waits for a person, and what a person decided.
//
// A gate is opened by a record (by the detector, the door or the [Gatekeeper]),
// claimed for the length of a lease, and decided once. A decision is one ledger
// append: its record, what follows for the chunk and the run, and an outbox row
// for what has to be carried out elsewhere. Whoever decides second gets the first
// decision (SPEC QUA-4, QUA-6).
//
// The [Gatekeeper] is the guard with its memory: it asks pkg/guard, writes the
// records before anyone gets an answer, and opens the gates that the guard asks
// for. HTTP and the stream both use it (SPEC EGR-7).
//
// Nothing here lets a fault pass as a permission: a store that is away is
// [ErrUnavailable], and callers answer it with a denial. No error carries content.
package review
