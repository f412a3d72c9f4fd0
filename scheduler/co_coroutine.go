package scheduler

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
)

// coroutines is the part of a Scheduler that owns coroutines.
type coroutines struct {
	do      func(c *coroutine) // coroutine.guarded: a coroutine's job in a turn
	fresh   func() *coroutine  // makes one that belongs to the Scheduler; nil without New
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
	jobCo                // begin or continue with the coroutine task it
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
func (o *coroutines) getCoroutine() *coroutine {
	if n := len(o.idle) - 1; n >= 0 {
		c := o.idle[n]
		o.idle[n] = nil
		o.idle = o.idle[:n]
		return c
	}
	if o.alive == 0 {
		o.locked = carrier.Here().Locked()
	}
	c := o.fresh()
	c.Start(c)
	o.alive++
	return c
}

// coroutineOf returns the coroutine that runs a coroutine task.
func (o *coroutines) coroutineOf(it *item) *coroutine {
	c := it.task.c
	if c == nil {
		c = o.getCoroutine()
		c.it, it.task.c = it, c
		c.place = len(o.live)
		o.live = append(o.live, c)
		it.word.Or(flagLive)
	}
	return c
}

// carry returns the carrier, for a turn that begins with it.
func (o *coroutines) carry(it *item) *coroutine {
	if o.carrier == nil {
		o.carrier = o.getCoroutine()
	}
	o.carrier.first = it
	return o.carrier
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

// handOver leaves to the frame goroutine an item that was picked on a coroutine and does not run there. A nil item says
// that the slice is over.
func (c *coroutines) handOver(it *item) { c.handed, c.isHanded = it, true }

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

// misplaced returns what to panic with if the coroutines that exist cannot be resumed here; otherwise "". If none of
// them has a task, misplaced abandons them instead. Because the first slices and Close call misplaced, it also detects
// a Scheduler that New did not make.
func (o *coroutines) misplaced() string {
	if o.fresh == nil {
		return errZero
	}
	if o.alive == 0 {
		return ""
	}
	locked := carrier.Here().Locked()
	if locked == o.locked {
		return ""
	}
	if len(o.live) > 0 {
		return errMoved
	}
	old := o.idle
	if o.carrier != nil {
		old = append(old, o.carrier)
	}
	for _, c := range old {
		if o.locked {
			o.lost++ // only that thread could end it
			continue
		}
		go c.Stop()
	}
	o.idle, o.carrier, o.alive = nil, nil, 0
	return ""
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
