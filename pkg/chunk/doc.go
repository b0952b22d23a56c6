// Package chunk is the vocabulary that both sides of Stoplog speak: the pure
// decisions (pkg/classify, pkg/detect, pkg/guard) and the stream that carries
// content to them (internal/stage and the stores).
//
// Three properties hold for every type here:
//
//   - The zero value is the safe value. A [Class] nobody set ranks above pii, a
//     [Verdict] nobody reached is undecided and therefore held, an [Origin]
//     nobody set is task-data.
//   - What holds content cannot print itself: [Content] shows its length only,
//     in fmt, slog and JSON alike, so a log line, an error or a record cannot
//     leak it by accident.
//   - A [Finding] says where and why, never what.
//
// The package imports the standard library only and does no input or output.
package chunk
