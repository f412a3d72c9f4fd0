package frame

import (
	"runtime"

	"github.com/frameslice/frameslice/internal/bubble"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/osthread"
)

// Thread says what the frame goroutine has of a thread. A greater value wakes up sooner.
type Thread uint8

const (
	// ThreadShared leaves the goroutine to Go's scheduler, on any thread.
	ThreadShared Thread = iota

	// ThreadLocked is a thread of its own, at ordinary priority.
	ThreadLocked

	// ThreadPrompt is ThreadLocked with a time slice of 0.1 ms, so that the system runs the thread soon after it wakes
	// up. Linux grants that since 6.12.
	ThreadPrompt
)

// String returns "shared", "locked" or "prompt".
func (t Thread) String() string {
	switch t {
	case ThreadShared:
		return "shared"
	case ThreadLocked:
		return "locked"
	case ThreadPrompt:
		return "prompt"
	}
	return "invalid thread"
}

// hasThreads is false where there is one thread. A lock means nothing there. But the runtime counts locks, and ends the
// program when a coroutine is resumed under another count.
const hasThreads = runtime.GOARCH != "wasm"

// TakeThread locks the calling goroutine to its thread, and asks the system for what most says. It returns what it got,
// and a function that gives all of it back: call that once, on the same goroutine. TakeThread is for a host that has
// its own loop, before the first frame; the lock must stay while there are frames. For Run there is Options.Thread. In
// a browser it does nothing, and in a testing/synctest bubble it only locks. Some 10 µs.
func TakeThread(most Thread) (got Thread, giveBack func()) {
	if most > ThreadPrompt {
		panic("frame: TakeThread of an " + most.String())
	}
	if most == ThreadShared || !hasThreads {
		return ThreadShared, func() {}
	}
	unlock := lockThread()
	got, calm := hurry(most)
	return got, func() {
		calm()
		unlock()
	}
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

// hurry asks the system for what most says, for the locked thread. It returns what it got and what undoes that.
func hurry(most Thread) (got Thread, calm func()) {
	if bubble.Here() {
		return ThreadLocked, func() {} // the system would run a loop that never sleeps before everybody else
	}
	if most >= ThreadPrompt {
		if undo, err := osthread.ShortSlice(); err == nil {
			return ThreadPrompt, undo
		}
	}
	return ThreadLocked, func() {}
}
