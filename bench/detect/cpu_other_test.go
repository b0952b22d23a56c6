//go:build !linux

package detect_test

import "time"

var started = time.Now()

// threadTime is wall time where the processor time of a thread is not at hand.
func threadTime() time.Duration { return time.Since(started) }

// processTime is wall time too.
func processTime() time.Duration { return time.Since(started) }
