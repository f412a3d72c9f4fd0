package flow

import (
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/scheduler"
)

// signal tells the frame goroutine of wishes, which are bits of a word. However often it is raised before the frame
// goroutine answers, one task is on its way.
//
// S25. While word is not 0, the task is submitted or about to be. raise is one compare-and-swap. Only the goroutine
// that turns word from 0 to something submits the task. The task first answers, with a swap to 0, and then looks at the
// wishes. A wish from then on raises the signal again: its Submit finds the task running and takes effect when the run
// has ended. So the task is never submitted while it is queued.
//
// A goroutine may lose its thread between its compare-and-swap and its Submit, about 50 ns. Nothing is lost then, but
// the frame goroutine hears of all that is raised meanwhile only when that goroutine continues. (The same holds for a
// key of a Latest that is put in and not submitted yet.)
type signal struct {
	word atomic.Uint32
	task scheduler.Task
}

// raise replaces the wishes w by next(w), which is not 0.
func (b *signal) raise(s *scheduler.Scheduler, next func(uint32) uint32) {
	for {
		w := b.word.Load()
		if n := next(w); n != w && !b.word.CompareAndSwap(w, n) {
			continue
		}
		if w == 0 {
			s.Submit(&b.task)
		}
		return
	}
}

// answer returns the wishes. Only the task calls it, once in a run.
func (b *signal) answer() uint32 { return b.word.Swap(0) }
