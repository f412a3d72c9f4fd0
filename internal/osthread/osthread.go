// Package osthread changes the calling goroutine's OS thread: how urgent it is to the OS, which processor it
// may use, what it is called.
//
// # Rules
//
// Every function acts on the thread that runs the caller, so the caller must run on a goroutine that Go
// started, and must never unlock it from its thread: an unlocked thread goes back to the Go runtime with what
// was done to it, and some other goroutine of the program then runs at the lowest priority, or on one
// processor only. A goroutine that ends while locked takes its thread with it, which is how a thread is given
// back clean.
//
// The process's first thread cannot end so: the runtime leaves it standing for ever, changed, and tools show
// its priority and its name as the process's. Any goroutine may happen to run there, unless the main
// goroutine is locked to it, so Go makes sure that its goroutine does not.
//
// Nor can every thread end that a graphics engine has left. A thread that ends returns to where the runtime started
// it, over the lowest words of its system stack; the calls of purego before 0.11, with which Ebitengine 2.8 reaches
// OpenGL, write into just those on amd64 (so this module asks for a later one), and drivers leave functions to be
// called at a thread's end in libraries that have been unloaded since. Both end the process by a segmentation fault.
// Ebitengine keeps such a thread to itself while the game runs and gives it back when RunGame returns: so whoever
// calls Go after that may get it. (Rejected: to take only threads that are new. The runtime makes one only while all
// the others are held, and then makes more than one.)
//
// # The template thread
//
// The Go runtime starts new threads by cloning one that exists, and a clone inherits the affinity mask and
// the scheduling policy. It avoids cloning from a locked thread: it asks a "template thread" to do it, which
// the first LockOSThread in the process starts, by cloning the thread that called. So a process that changes
// a thread before its template thread exists hands the change down to every thread after. Go sees to it that
// the template thread is there.
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

// ErrUnsupported is what calls return which this platform has no answer to.
var ErrUnsupported = errors.ErrUnsupported

// Class says how a thread's priority was lowered.
type Class uint8

const (
	// Ordinary is the priority a thread was born with.
	Ordinary Class = iota
	// Nice is Linux's nice 19: a fifteenth to a sixtieth of an ordinary thread's share of a contended
	// processor.
	Nice
	// Batch is the lowest priority that still shares: Linux's SCHED_IDLE, Windows' THREAD_PRIORITY_IDLE. Such
	// a thread gives way at once to an ordinary one that wakes up.
	Batch
)

// String returns the constant's name in lower case.
func (c Class) String() string {
	switch c {
	case Ordinary:
		return "ordinary"
	case Nice:
		return "nice"
	case Batch:
		return "batch"
	}
	return "invalid"
}

// Go runs f on a new goroutine that is locked to a thread of its own, for f to change as it likes: both end
// when f returns. Any goroutine may call it whose thread is unchanged, or locked.
func Go(f func()) {
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
