package scheduler

import "sync/atomic"

// token is held while a call that only one goroutine may make is in progress.
type token struct{ taken atomic.Bool }

// acquireToken takes the token for a call that only the frame goroutine may make. It panics if a task or a second
// goroutine makes that call. Any goroutine may be the frame goroutine, but one at a time.
func (t *token) acquireToken(what string) {
	if !t.taken.CompareAndSwap(false, true) {
		panic("scheduler: " + what + " within a task, or on two goroutines at once: " +
			"a task cannot drive frames; show the dialog in frames and await its end in a coroutine")
	}
}

func (t *token) releaseToken() { t.taken.Store(false) }
