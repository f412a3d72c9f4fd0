//go:build unix

package record

import "syscall"

// noWait makes the opening of a pipe that nobody reads an error. Without it the opening waits for a reader.
const noWait = syscall.O_NONBLOCK
