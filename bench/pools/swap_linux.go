package main

import (
	"syscall"

	"github.com/frameslice/frameslice/deadline"
)

// swapWait returns at due, or soon after. It blocks in the system, as a driver does in a buffer swap. The Go
// scheduler may take the caller's P meanwhile, and no timer of Go's is involved.
func swapWait(due deadline.Instant) {
	for left := due.Sub(now()); left > 0; left = due.Sub(now()) {
		ts := syscall.NsecToTimespec(int64(left))
		_ = syscall.Nanosleep(&ts, nil) // a signal cuts it short, and the loop continues
	}
}

const hasSwapWait = true
