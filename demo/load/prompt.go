package load

import (
	"runtime"

	"github.com/frameslice/frameslice/internal/osthread"
)

// promptThread makes the loop's thread what frame.Loop.Run makes it with Options.LockThread: the loop's own,
// and one that the system runs promptly when it wakes up. The zero value has taken nothing.
type promptThread struct{ undo func() }

// take is called in every frame, on the loop's goroutine, and acts in the first.
func (p *promptThread) take() {
	if p.undo != nil || runtime.GOARCH == "wasm" { // which has one thread
		return
	}
	runtime.LockOSThread()
	p.undo = runtime.UnlockOSThread
	if undo, err := osthread.ShortSlice(); err == nil {
		p.undo = func() {
			undo()
			runtime.UnlockOSThread()
		}
	}
}

// giveBack is called on the goroutine that called take.
func (p *promptThread) giveBack() {
	if p.undo != nil {
		p.undo()
		p.undo = nil
	}
}
