package scheduler

import (
	"context"

	"github.com/frameslice/frameslice/internal/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/where"
)

// Scheduler runs tasks on the frame goroutine. Make one with [New]. It must not be copied. Each method says who may
// call it.
type Scheduler struct {
	door

	// Any goroutine.
	intake                  // see inbox.go
	closing     atomic.Bool // Close was called within a slice
	notesPlaces atomic.Bool // see Coroutines
	token
	ctx       context.Context
	cancelCtx context.CancelCauseFunc

	// The frame goroutine's, and during a run the task's goroutine's, which runs in its stead.
	waits            // see co_wake.go: who waits, the groups, what is ready, the current slice, the clock
	framed     bool  // the host calls BeginFrame
	frameBegun bool  // BeginFrame was called since the last slice
	failures         // see core_end.go
	total      Stats // what is counted; the rest is read by Stats
	phases           // see phase.go
	microtasks       // see micro.go
}

// New returns a Scheduler. It starts no goroutine. It panics if a field of o is out of range.
func New(o Options) *Scheduler {
	s := new(Scheduler)
	s.door = bridge.New((*internals)(s))
	s.ctx, s.cancelCtx = context.WithCancelCause(context.Background())
	s.wake = o.Wake
	s.onPanic, s.rethrow = o.OnPanic, o.Rethrow
	s.timing = timing{read: o.Clock, exact: o.Clock != nil}
	s.q.ByPriority, s.q.Timeouts = o.ByPriority, o.Timeouts
	s.patience, s.share = patience, overdueShare
	s.microLimit = microtaskLimit
	s.alarmAt = deadline.Never
	if o.OnEvent != nil {
		s.watch = &watch{order: &s.order, closed: &s.closed, onEvent: o.OnEvent}
	}

	// The calls upwards.
	s.inbox.endAfterClose = func() { s.sweepInbox(nil) }
	s.fell = s.takeBack
	s.do = (*coroutine).guarded
	s.fresh = func() *coroutine {
		c := &coroutine{s: s}
		c.At.Kind, c.At.Owner = where.Task, s
		return c
	}
	s.takeOut = takeOuts{
		inOverdue: s.takeOverdue, inPassed: s.takePassed,
		inFrame: s.frames.remove, inWait: s.takeWait, inAwait: s.takeAwait,
		inLater: s.unlater, inParked: s.unpark,
		inMicro: s.micros.remove, inDraw: s.draws.remove,
		inIdle: s.idles.remove, inIdleTimed: s.takeIdleTimed,
	}
	for p := range s.callbacks {
		once := inOnce + place(2*p)
		s.takeOut[once], s.takeOut[once+1] = s.callbacks[p].remove, s.callbacks[p].remove
	}
	return s
}

// Options configure a Scheduler. The zero value is ready to use.
type Options struct {
	// Timeouts are how long work of each priority may wait before it is overdue: zero fields have the defaults. Set
	// Idle if Idle work must get a turn.
	Timeouts deadline.Timeouts

	// ByPriority runs the highest priority first, also before overdue work. Within a priority continuations come first,
	// as they yielded, then the rest as submitted. Delayed work counts as submitted when its delay ends. The web's
	// Prioritized Task Scheduling API does so. By default the earliest expiration goes first, as in React: no work that
	// expires starves. Set it where urgent work must not wait for old work.
	ByPriority bool

	// OnPanic is called for each panic or Goexit of a task (Value ErrGoexit), on the frame goroutine. The default
	// prints to standard error. It may call Close. Its own panics are printed.
	OnPanic func(*PanicError)

	// Rethrow makes RunUntil and RunPhase panic at their end with their first *PanicError. Off by default.
	Rethrow bool

	// Wake is called when the empty inbox gets work, by any goroutine and at any time. Set it for a host that sleeps by
	// Next. It must not block, panic or call the scheduler.
	Wake func()

	// Clock is read instead of deadline.Now, by any goroutine. Set it for virtual time of your own: a bubble of
	// testing/synctest needs none. RunUntil then needs deadline.At, not deadline.In.
	Clock func() deadline.Instant

	// OnEvent is called with each Event, on the frame goroutine: for logs. An event takes 20 to 40 ns; a task has
	// three. OnEvent must not panic or call the scheduler.
	OnEvent func(Event)
}
