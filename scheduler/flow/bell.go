package flow

import (
	"sync/atomic"

	"github.com/frameslice/frameslice/scheduler"
)

// bell tells the frame goroutine that something is wanted. What is wanted is bits; however often it is rung
// before the frame goroutine answers, one task is on its way.
//
// S25. While word is not 0, the task is submitted or about to be. Ring is one compare-and-swap; who turns
// word from 0 to something submits the task, and nobody else does. The task answers first of all, with a
// swap to 0, and looks at what was wanted afterwards: what is wanted from then on rings again, and its Submit
// finds the task running, and takes effect when the run has ended. A task is never submitted while it is
// queued, because word is not 0 from before its Submit until its answer.
//
// Nothing is lost if who has turned word from 0 loses its thread before its Submit has ended, but what is rung for
// meanwhile, by whomever, is heard only when that goroutine goes on: it has rung, and the task is not on its way. (So
// is a key of a Latest that is put in and not submitted yet.) That is some 50 ns in which a thread must be lost. Were
// the task submitted by everybody who rings, there would still be the time between the word and the push of S1, which
// is a part of that; and a message for each ring would be as many as there are calls.
type bell struct {
	word atomic.Uint32
	task scheduler.Task
}

// ring replaces what is wanted by next of it, which is not 0.
func (b *bell) ring(s *scheduler.Scheduler, next func(uint32) uint32) {
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

// answer returns what is wanted. The task only, and once in a run.
func (b *bell) answer() uint32 { return b.word.Swap(0) }
