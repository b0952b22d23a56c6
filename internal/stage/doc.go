// Package stage is the only place where the pipeline touches Kafka. It turns a
// pure decision into a durable effect, and holds the promise of the stream:
//
//   - Nothing is lost. An offset is committed only when its message's records are
//     in the ledger and its output is acknowledged, and only up to the first
//     message that is not finished yet (the contiguous watermark).
//   - No effect happens twice. The broker delivers at least once; record ids
//     follow from the event, the ledger keeps the first record of an id, and what
//     a stage publishes is what the ledger stored, not what a replay decided.
//   - A fault is never a pass. An error, a panic or a message that kills the
//     process ends in the retry topics or the dead letter, where its run becomes
//     incomplete. Nothing that could not be decided reads as clean.
//
// The order in every stage is ledger, then produce, then commit.
//
// [Run] drives one stage, [Relay] carries the ledger's outbox to Kafka, [Event] is
// the CloudEvents form of what lies on the topics, and [Topics] declares them.
package stage
