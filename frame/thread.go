package frame

import (
	"runtime"

	"github.com/frameslice/frameslice/internal/bubble"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/osthread"
)

// Thread says what the frame goroutine has of a thread: the greater, the sooner the system runs it when it wakes up.
type Thread uint8

const (
	// ThreadShared leaves the goroutine to Go's scheduler: it runs on any thread. It is the zero value.
	ThreadShared Thread = iota

	// ThreadLocked is a thread of its own, at the priority that it has.
	ThreadLocked

	// ThreadPrompt is ThreadLocked, and the system is asked to run it soon after it wakes up, for which its turns are
	// shorter: a time slice of 0.1 ms, which Linux grants since 6.12 to everybody.
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

// hasThreads is false where there is one thread: a lock has no meaning there, yet the runtime counts it, and ends the
// program when a coroutine is resumed under another count.
const hasThreads = runtime.GOARCH != "wasm"

// TakeThread locks the calling goroutine to its thread, if it is not, and asks the system for what most says, or the
// most below it. It returns what it got, and what gives all of it back, which the same goroutine calls, once. It is
// for the frame goroutine of a host that has its own loop, before the first frame, as the lock must stay while there
// are frames: see the package comment. For Run there is Options.Thread. In a browser it does nothing, and within a
// testing/synctest bubble no more than lock. Some 10 µs.
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

// lockThread locks the calling goroutine to its thread, and returns what undoes it: both nothing if it is locked. The
// runtime counts locks, and a coroutine that was made under one count is resumed under no other (scheduler's S12).
func lockThread() (unlock func()) {
	if carrier.Here().Locked() {
		return func() {}
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// hurry asks for what most says of the calling thread, which is locked, and returns what it got and what undoes it.
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
