// Package osthread changes the calling goroutine's OS thread: its urgency for the OS, the processors that it may use,
// its name.
//
// # Rules
//
// Every function acts on the thread that runs the caller. So the caller must run on a goroutine that Go started, and
// must never unlock it from its thread. An unlocked thread goes back to the Go runtime as changed. Some other goroutine
// of the program then runs at the lowest priority, or on one processor only. A goroutine that ends while locked takes
// its thread with it: that is the clean way back.
//
// The process's first thread cannot end like that. The runtime leaves it standing, changed, and tools show its priority
// and its name as the process's. Any goroutine may happen to run there, unless the main goroutine is locked to it. Go
// makes sure that its goroutine does not.
//
// Nor can every thread end on which a graphics engine has run. A thread that ends returns to where the runtime started
// it, over the lowest words of its system stack. Two things make the process end there by a segmentation fault:
//
//   - Ebitengine 2.8 reaches OpenGL by purego, whose calls before 0.11 write into just those words on amd64. So this
//     module asks for a later purego.
//   - Drivers leave functions to be called at a thread's end in libraries that have been unloaded since.
//
// Ebitengine keeps such a thread to itself while the game runs, and gives it back when RunGame returns. So a call of Go
// after that may get this thread. (Rejected: to take only threads that are new. The runtime makes one only while all
// the others are held, and then makes more than one.)
//
// # The template thread
//
// The Go runtime starts new threads by cloning one that exists, and a clone inherits the affinity mask and the
// scheduling policy. The runtime avoids cloning from a locked thread: it asks a "template thread" to do it. The first
// LockOSThread in the process starts the template thread, by cloning the thread that called. So a process that changes
// a thread before its template thread exists hands the change down to every later thread. Go sees to it that the
// template thread is there.
//
// # What platforms give
//
//	            Lower                                  Pin                  Name
//	linux       SCHED_IDLE, or nice 19 if refused      sched_setaffinity    /proc/thread-self/comm
//	windows     THREAD_PRIORITY_IDLE, or LOWEST        SetThreadAffinity..  unsupported
//	others      unsupported                            unsupported          unsupported
//
// Unsupported calls return ErrUnsupported (errors.Is(err, errors.ErrUnsupported)) and change nothing. On
// Windows affinity masks reach the 64 processors of one group only. Apple's processors have no affinity, and no way
// to lower a thread without cgo. The tests have been run on Linux and, of the Windows build, under Wine.
package osthread

import (
	"errors"
	"runtime"
	"time"
)

// ErrUnsupported is the error of calls that this platform cannot do.
var ErrUnsupported = errors.ErrUnsupported

// Class says how a thread's priority was lowered.
type Class uint8

const (
	// Ordinary is the priority a thread was born with.
	Ordinary Class = iota
	// Nice is Linux's nice 19: a fifteenth to a sixtieth of an ordinary thread's share of a contended
	// processor.
	Nice
	// Lowest is the lowest priority that still shares: Linux's SCHED_IDLE, Windows' THREAD_PRIORITY_IDLE. Such
	// a thread gives way at once to an ordinary one that wakes up.
	Lowest
)

// String returns the constant's name in lower case.
func (c Class) String() string {
	switch c {
	case Ordinary:
		return "ordinary"
	case Nice:
		return "nice"
	case Lowest:
		return "lowest"
	}
	return "invalid"
}

// Go runs f on a new goroutine that is locked to a thread of its own, for f to change as it likes: both end when f
// returns. Any goroutine may call Go if its thread is unchanged, or locked.
//
// WebAssembly has one thread for all goroutines. There, in Go 1.26, LockOSThread adds to a count of that thread, and
// the end of a goroutine takes nothing off. A coroutine that was created while the count was not zero ends the process
// if it is resumed under another count (runtime/coro.go). So there Go locks nothing.
func Go(f func()) {
	if runtime.GOARCH == "wasm" {
		go f()
		return
	}
	// The first LockOSThread of the process starts the template thread, as a clone of this thread.
	runtime.LockOSThread()
	runtime.UnlockOSThread()
	go func() {
		runtime.LockOSThread()
		if !first() {
			f()
			return
		}
		// Keep the first thread busy until the next goroutine has another one.
		locked := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(locked)
			f()
		}()
		<-locked
		runtime.UnlockOSThread()
	}()
}

// Nap stops the calling thread for d, and on some systems for longer: 50 µs on Linux, up to 16 ms on Windows. It does
// so without Go's timers where it can, so that no other thread wakes up for it.
func Nap(d time.Duration) { nap(d) }

// Usage is what a thread has used up.
type Usage struct {
	CPU   time.Duration // time on a processor
	Waits int64         // times it gave the processor up of its own accord, to wait for something
}
