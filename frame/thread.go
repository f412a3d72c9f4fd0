package frame

import (
	"runtime"

	"github.com/frameslice/frameslice/internal/carrier"
)

// Thread says on which OS thread the frame goroutine runs.
type Thread uint8

const (
	// ThreadShared leaves the goroutine to Go's scheduler, on any thread.
	ThreadShared Thread = iota

	// ThreadLocked is a thread of its own.
	ThreadLocked
)

// String returns "shared" or "locked".
func (t Thread) String() string {
	switch t {
	case ThreadShared:
		return "shared"
	case ThreadLocked:
		return "locked"
	}
	return "invalid thread"
}

// hasThreads is false where there is one thread. A lock means nothing there. But the runtime counts locks, and ends the
// program when a coroutine is resumed under another count.
const hasThreads = runtime.GOARCH != "wasm"

// TakeThread locks the calling goroutine to its thread, if most says so. It returns what was got, and a function that
// gives the thread back: call that once, on this goroutine, after the frames. Call TakeThread before the first frame,
// in a host with its own loop. In a browser it does nothing.
func TakeThread(most Thread) (got Thread, giveBack func()) {
	if most > ThreadLocked {
		panic("frame: TakeThread of an " + most.String())
	}
	if most == ThreadShared || !hasThreads {
		return ThreadShared, func() {}
	}
	return ThreadLocked, lockThread()
}

// lockThread locks the calling goroutine to its thread, if it is not locked, and returns what undoes that. The runtime
// counts locks, and a coroutine that was made under one count must be resumed under the same.
func lockThread() (unlock func()) {
	if carrier.Here().Locked() {
		return func() {}
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
