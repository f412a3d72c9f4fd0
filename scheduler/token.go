package scheduler

// enter takes the token for a call that only the frame goroutine may make. It panics if a task or a second goroutine
// makes that call. Any goroutine may be the frame goroutine, but one at a time.
func (s *Scheduler) enter(what string) {
	if !s.token.CompareAndSwap(0, 1) {
		panic("scheduler: " + what + " within a task, or on two goroutines at once: " +
			"a task cannot drive frames; show the dialog in frames and await its end in a coroutine")
	}
}

func (s *Scheduler) leave() { s.token.Store(0) }
