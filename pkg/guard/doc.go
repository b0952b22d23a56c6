// Package guard decides what may leave: tool calls, outputs, memory writes and
// declared operations (SPEC §7, DEC-1 … DEC-3). It is pure: the state of the run,
// the run's stubs and the recognisers are passed in, and the same question gets
// the same answer on every worker.
//
// Refusal is the ground state. The zero [Outcome] is Deny, the zero [RunState] is
// a run nobody knows anything about, a tool that is not registered is refused, and
// a tool without a control level is blocked.
package guard
