// Package door is where content comes in, and the only place that decides what it
// is called: tenant and source come from the credential, ids from the sender's
// event id, attribution is set here once and sealed (SPEC CLS-7, CLS-8).
//
// Four ways in lead to one function, [Door.Accept]: signed webhooks and CloudEvents
// over HTTP, CloudEvents from the topic stoplog.content.accepted, and files. Accept
// keeps this order, so that a crash at any point loses nothing that was
// acknowledged and does nothing twice:
//
//	vault (raw bytes, durable) → ledger (event, records, stubs and outbox row in one
//	transaction) → receipt
//
// What was not acknowledged may leave an unreferenced sealed blob in the vault and
// nothing else.
//
// No error, log line, metric or record of this package carries content: errors are
// sentinels, offsets and counts.
package door
