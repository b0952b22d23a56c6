// Package provenance is the vocabulary and the arithmetic of the append-only
// ledger: the kinds of record and their payloads, the canonical bytes that are
// hashed, the RFC 6962 Merkle tree with its C2SP tiles and signed checkpoints, and
// the verification of all of it. It is pure: the stores are in internal/ledger.
package provenance
