package detect_test

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime is the processor time of this thread: neighbours count less.
func threadTime() time.Duration {
	const clockThread = 3
	var ts syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}

// processTime is the processor time of all threads.
func processTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
