// Package flow has helpers that are built on a Scheduler's public methods. In front of Post, whose queue has no limit:
//
//   - Bound limits how much waits.
//   - Latest keeps the newest value of each key.
//   - Debounce runs a function when a burst of calls has ended, and Throttle at most once in a time.
//   - RateLimit spreads work over time.
//   - Topic passes each value to all its subscribers.
//
// For coroutines, there is a Semaphore, AsCompleted, which waits for whatever ends first, and AwaitContext.
//
// Any goroutine may call a method that takes no Co, except those of Semaphore, and only Bound.PostWait blocks. The
// functions run on the frame goroutine:
//
//	s := scheduler.New(scheduler.Options{})
//	save := flow.NewDebounce(s, deadline.Normal, time.Second, world.Save)
//	save.Call() // the world is saved when nobody has called for a second
//
// Work that waits when the scheduler closes does not run.
package flow

// The types use only the public methods of Scheduler. The invariants stand beside their code: AC1 to AC3 in
// completed.go, S24 and S42 in latest.go, S25 in signal.go, S36 and S38 in debounce.go, S43 in topic.go. The explorer
// runs the code of each (*_explore_test.go), and finds its mutants (protocol_test.go).

import (
	"errors"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// ErrFull says that there is no room for more work.
var ErrFull = errors.New("flow: full")

// mostWaiting is how many functions of a lane wait for a Bound by default, how many keys for a Latest, and how many
// values for a Subscription. A producer that is so far ahead is not slowed by a burst, but too fast.
const mostWaiting = 1024

func mustBeValid(p deadline.Priority) {
	if !p.Valid() {
		panic("flow: invalid " + p.String())
	}
}

func mustNotBeNil(s *scheduler.Scheduler, verb string) {
	if s == nil {
		panic("flow: " + verb + " with a nil Scheduler")
	}
}
