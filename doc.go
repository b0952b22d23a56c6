// Package stoplog is the root of the module; it holds no code. The commands are
// under cmd, the decisions under pkg, the stream and the stores under internal.
// Its tests hold the table of who may import whom.
package stoplog
