//go:build !linux

package main

import "github.com/frameslice/frameslice/deadline"

// swapWait is not there: elsewhere the standard library has no wait that is not a timer of Go's.
func swapWait(deadline.Instant) { panic("swapWait") }

const hasSwapWait = false
