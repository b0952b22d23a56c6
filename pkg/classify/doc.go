// Package classify says what class content has and what in it must not reach a
// context (SPEC §1, §2). It is pure: bytes in, spans and stubs out.
//
// Three things decide. The source registry ([Source]) gives every document a class
// that content cannot lower. Declared fields of structured payloads are replaced by
// stubs whole. Recognisers look at the rest: checksums and context words decide
// there, not shape alone.
//
// Offsets in results are byte offsets into the text as it was given. No error of this
// package carries content.
package classify
