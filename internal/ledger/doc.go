// Package ledger keeps the append-only record of what Stoplog decided, and the
// projections that the guard, the review queue and the context API read.
//
// There is one [Store] over database/sql, with SQLite for one machine and
// Postgres for many. What differs between the two lies in the dialect; both pass
// the suite in ledgertest.
//
// Records are facts and never change (SPEC PRV-1): the database refuses it to the
// service's own role, and the Merkle tree over their canonical bytes shows it to
// whoever holds a checkpoint. Projections (runs, chunks, gates) follow from the
// records by one pure function, are written in the same transaction, and can be
// rebuilt and compared ([Store.Audit]).
package ledger
