package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Post queues f to run in a slice: Scheduler().Post. Any goroutine; never blocks.
func (l *Loop) Post(p deadline.Priority, f func()) scheduler.Handle { return l.sched.Post(p, f) }

// After queues f to run in a slice, at the earliest d from now: Scheduler().After. Any goroutine; never blocks.
func (l *Loop) After(p deadline.Priority, d time.Duration, f func()) scheduler.Handle {
	return l.sched.After(p, d, f)
}

// Every runs f in slices, once a period, until the task is cancelled: Scheduler().Every. Any goroutine; never blocks.
func (l *Loop) Every(p deadline.Priority, period time.Duration, f func()) *scheduler.Task {
	return l.sched.Every(p, period, f)
}

// Each runs f on the host's goroutine in that phase of every frame, until the handle is cancelled: Host().Each. Any
// goroutine; never blocks. With PlaceAuto call Each in the first Update, or the slice stays out of the shadow: see
// Host.
func (l *Loop) Each(p scheduler.Phase, f func()) scheduler.Handle { return l.Host().Each(p, f) }

// Go queues a coroutine, which may stop in its middle and continue in a later slice: Scheduler().Go. Any goroutine;
// never blocks.
func (l *Loop) Go(p deadline.Priority, f func(co *scheduler.Co)) *scheduler.Task {
	return l.sched.Go(p, f)
}

// NewGroup returns a group of tasks, such as those of a scene: Scheduler().NewGroup. Any goroutine.
//
// With PlaceShadow the group's callbacks of Once and Each run in the slice. Take Host().NewGroup for what draws.
func (l *Loop) NewGroup(label string) *scheduler.Group { return l.sched.NewGroup(label) }

// ParallelFor splits the numbers from 0 to n-1 among the workers and the caller, and returns when body has had all of
// them: Pool().ParallelFor. Any goroutine; it waits.
func (l *Loop) ParallelFor(n, grain int, body func(lo, hi int)) { l.pool.ParallelFor(n, grain, body) }
