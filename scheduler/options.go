package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Options configure a Scheduler. The zero value is ready to use.
type Options struct {
	// Timeouts are how long work of each priority may wait before it is overdue: zero fields have the defaults. Set
	// Idle if Idle work must get a turn.
	Timeouts deadline.Timeouts

	// Policy is the order of ready work: deadline.ByExpiration by default.
	Policy deadline.Policy

	// OnPanic is called for each panic or Goexit of a task (Value ErrGoexit), on the frame goroutine. The default
	// prints to standard error. It may call Close. Its own panics are printed.
	OnPanic func(*PanicError)

	// Rethrow makes RunUntil and RunPhase panic at their end with their first *PanicError. Off by default.
	Rethrow bool

	// Wake is called when the empty inbox gets work, by any goroutine and at any time. Set it for a host that sleeps by
	// Next. It must not block, panic or call the scheduler.
	Wake func()

	// Clock is read instead of deadline.Now, by any goroutine. Set it for virtual time, as in package replay. RunUntil
	// then needs deadline.At, not deadline.In.
	Clock func() deadline.Instant

	// OnEvent is called with each Event, on the frame goroutine: for logs and for package replay. An event takes 20 to
	// 40 ns; a task has three. OnEvent must not panic or call the scheduler.
	OnEvent func(Event)

	// Times keeps what ReadTimes and ReadCosts return: 260 KB, and some 40 ns a run. Off by default.
	Times bool
}

// slice is what is known about one call of RunUntil.
type slice struct {
	slicing      bool
	n            uint32 // its number
	start, now   deadline.Instant
	apart        time.Duration    // what the running task has used before its Nest, and now does not tell
	asked        deadline.Instant // when the running task was last told to go on; 0 if it has not asked
	stretch      time.Duration    // its longest time until then in which it did not ask
	until        deadline.Instant // Never if there is no deadline
	length       time.Duration
	fresh        bool // the first slice of its frame
	special      bool // see isSpecial
	current      *item
	currentLate  bool // current was overdue when it started
	ran          int
	expired      int
	tooBig       int
	left         time.Duration // of its time, when it had ended
	passedBefore int           // tasks passed over before a Nest
	big          bool          // the task that was just chosen is expected not to fit into any slice like this
	touched      word          // no more than the use of what fetch loads
	flat         int           // tasks run since the clock last moved
	lateRan      int           // overdue tasks run
	lateUsed     time.Duration // by them
	heard        int           // messages read
	lateQuota    time.Duration
	contQuota    time.Duration // what one task's continuations may use ahead of their peers
	forcedRan    bool
	worstCost    time.Duration // the longest run
	worstLabel   string
	worstPC      uintptr
	microBefore  uint64           // microtasks run before the slice
	idling       bool             // the frame's idle period has begun, in this slice or before
	idleEnd      deadline.Instant // where it ends in this slice at the latest; 0 if it has not begun here
	turns
}

// check panics if a field has a value that means nothing.
func (o *Options) check() {
	if o.Policy > deadline.ByPriority {
		panic("scheduler: New with an invalid Policy: " + o.Policy.String())
	}
}
