// Package flow stands in front of a scheduler's Post, whose queue has no bound, and decides what gets there.
//
//   - Bound limits how much waits: beyond the limit it refuses, drops the oldest, runs at once or lets the caller wait.
//   - Latest keeps the newest value of each key.
//   - Debounce and Throttle turn many calls into few runs.
//   - RateLimit spreads work over time.
//
// All of them may be called from any goroutine, and what they run runs on the frame goroutine:
//
//	s := scheduler.New(scheduler.Options{})
//	save := flow.NewDebounce(s, flow.DebounceOptions{Wait: time.Second}, world.Save)
//	save.Call() // again and again: the world is saved when nobody has called for a second
//
// They use the public methods of the Scheduler alone. None has a lock, but for the sync.Pool of what Bound and Latest
// use again, which takes one when a P sees it for the first time.
package flow

// What follows is for those who change the package. The invariants stand with their code: S22 in credits.go, S23 and
// S40 in ring.go, S24 and S42 in latest.go, S25 in bell.go, S36 and S38 in debounce.go. The tests named
// *_protocol_test.go try every interleaving of each, and mutants that must fail.

import (
	"errors"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// ErrFull is returned when there is no room for more work.
var ErrFull = errors.New("flow: full")

// ErrWouldBlock is returned by [Bound.PostWait] on the goroutine that makes room: it would wait for itself.
var ErrWouldBlock = errors.New("flow: PostWait would block the frame goroutine")

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
