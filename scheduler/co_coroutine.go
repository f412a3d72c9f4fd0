package scheduler

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/where"
)

// coroutines is the part of a Scheduler that owns coroutines.
type coroutines struct {
	do      func(c *coroutine) // coroutine.guarded: a coroutine's job in a turn
	carrier *coroutine         // runs plain functions and steps; nil until needed
	idle    []*coroutine       // coroutines that have no task
	live    []*coroutine       // coroutines that have a task with a stack
	alive   int                // created and not ended
	lost    uint64             // abandoned, because they could not be resumed any more
	locked  bool               // the coroutines alive were created on a goroutine that is locked to its thread

	handed   *item // see handOver
	isHanded bool
}

// job is what a coroutine does in its next turn.
type job uint8

const (
	jobPlain  job = iota // run plain functions and steps, from first, as long as they are next
	jobCo                // begin or go on with the coroutine task it
	jobReport            // call OnPanic
	jobPhase             // run callbacks, from first, until the phase is over
)

// coroutine is a goroutine that runs in turns with the frame goroutine and never at the same time. The frame goroutine
// creates it when it first resumes it, and nobody else resumes it (S12). A Goexit in a task ends this goroutine, but
// not the frame goroutine.
type coroutine struct {
	carrier.Coroutine
	s *Scheduler

	job    job
	first  *item // of jobPlain and jobPhase
	it     *item // the task of jobCo, from its first turn to its end
	place  int   // in live
	quits  int   // how often quit has unwound the task
	report *PanicError

	since    deadline.Instant // when it last suspended itself: see Coroutines
	waitsFor *Task            // in Co.Wait
	waitErr  error
	awaits   any    // in Await: the Awaitable, for Why
	waker    *waker // of Await; nil until needed
	timer    *Task  // of AwaitTimeout; nil until needed
}

// Do is what c does in a turn.
func (c *coroutine) Do() { c.s.do(c) }

// turn resumes c and returns when c gives the turn back.
func (c *coroutine) turn(j job) {
	c.job = j
	c.Turn()
}

// getCoroutine returns a coroutine without a task.
func (s *Scheduler) getCoroutine() *coroutine {
	if n := len(s.idle) - 1; n >= 0 {
		c := s.idle[n]
		s.idle[n] = nil
		s.idle = s.idle[:n]
		return c
	}
	if s.alive == 0 {
		s.locked = carrier.Here().Locked()
	}
	c := &coroutine{s: s}
	c.At.Kind, c.At.Owner = where.Task, s
	c.Start(c)
	s.alive++
	return c
}

// putCoroutine takes back a coroutine whose turn is over.
func (o *coroutines) putCoroutine(c *coroutine) {
	switch {
	case !c.Alive():
		o.alive--
		if c == o.carrier {
			o.carrier = nil
		}
	case c == o.carrier || c.it != nil:
	case len(o.idle) < idleLimit:
		o.idle = append(o.idle, c)
	default:
		c.Stop()
		o.alive--
	}
}

// S12. The runtime remembers with each coroutine the thread lock of the goroutine that created it. It throws, which
// nothing can recover, if the coroutine is resumed under another lock: on another thread, or with another lock count.
// So the frame goroutine itself creates each coroutine, when it first resumes it, and nobody else resumes it. Go and
// Submit create none. The host must keep its thread lock as it is (see the package comment).
//
// A throw says little, so the scheduler looks at the lock when it may have changed, and panics before the throw, with
// everything intact. A look takes 3 to 20 µs, because it formats the top of a stack trace. So the scheduler looks in
// the first slices, where a program that locks its goroutine too late is caught, in Close, and in every slice under the
// race detector. If no coroutine is suspended, the pool is abandoned instead, and another one is made. Abandoned
// coroutines that were created on a locked thread stay behind (Stats.Abandoned): nothing could end them.
const lockChecks = 8

const errMoved = "scheduler: the frame goroutine has another thread lock than when its suspended " +
	"coroutines were created: call LockOSThread before the first RunUntil, and RunUntil always on that goroutine"

// sameThread reports whether the coroutines that exist may be resumed here. If not, coroutines without a task are
// abandoned. The caller holds the token. Because the first slices and Close call sameThread, it also detects a
// Scheduler that New did not make.
func (s *Scheduler) sameThread() bool {
	if s.life == nil {
		s.leave()
		panic(errZero)
	}
	if s.alive == 0 {
		return true
	}
	locked := carrier.Here().Locked()
	if locked == s.locked {
		return true
	}
	if len(s.live) > 0 {
		return false
	}
	old := s.idle
	if s.carrier != nil {
		old = append(old, s.carrier)
	}
	for _, c := range old {
		if s.locked {
			s.lost++ // only that thread could end it
			continue
		}
		go c.Stop()
	}
	s.idle, s.carrier, s.alive = nil, nil, 0
	return true
}

// dropWaker ends a wait that nothing may resume any more.
func (c *coroutine) dropWaker() {
	c.awaits = nil
	if w := c.waker; w != nil && w.state.Load() != wakerIdle && w.state.Swap(wakerDead) != wakerFired {
		c.waker = nil
	}
}

// stopTimer cancels the timer. It takes the timer out of the time of the group, which is not the coroutine's any more
// when the message about the cancellation is read.
func (c *coroutine) stopTimer() {
	c.timer.Cancel()
	if it := &c.timer.item; it.where == inLater {
		c.s.note(Canceled, it) // no list has it for the message, or for Close
		c.s.unlink(it)
	}
}
