package scheduler

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Options configure a Scheduler. The zero Options are ready to use.
type Options struct {
	// Timeouts are how long work of each priority may wait before it is overdue. A zero field means that priority's
	// default. Set Idle if Idle work must get a turn beside other work that fills all slices.
	Timeouts deadline.Timeouts

	// Policy is the order of ready work. The default (zero) value is deadline.ByExpiration.
	Policy deadline.Policy

	// OverdueShare is the part of a slice, from 0 to 1, that overdue work may use while fresh work waits. Zero means a
	// half; negative means one overdue task in each slice. Raise it if a backlog matters more than new work. Immediate
	// work does not count as overdue. Under deadline.ByPriority the share has no meaning.
	OverdueShare float64

	// Patience is the number of frames in which a task may be passed over because it does not fit. After that it runs
	// first in the next frame, whatever it costs. While more urgent work is ready, one frame in Patience + 1 begins
	// with such a task. Zero means 3, negative means 1; more than 255 counts as 255. Raise it if long tasks may wait.
	Patience int

	// OnPanic, if not nil, is called for each panic or Goexit of a task, before the next task starts. The default is
	// to print the panic and its stack to standard error. The Value of a Goexit is ErrGoexit. OnPanic runs on the frame
	// goroutine, and may call Close. A panic in OnPanic is printed and goes no further.
	OnPanic func(*PanicError)

	// Rethrow makes RunUntil panic at its end with the first *PanicError of the slice.
	Rethrow bool

	// Wake, if not nil, is called whenever the inbox was empty and gets work. It is for hosts that sleep when Next says
	// that there is nothing to do. The goroutine that submits or cancels calls it, possibly before the host's loop has
	// begun. It must not block or panic, and must not call the scheduler.
	Wake func()

	// Clock, if not nil, is read instead of deadline.Now. It is for virtual time, as in package replay. Any goroutine
	// that submits work with a delay reads it. The deadlines of RunUntil must be of that clock: deadline.At, not
	// deadline.In. A wait for a context does not go by it.
	Clock func() deadline.Instant

	// OnEvent, if not nil, is called with each Event. It is for package replay; to look at what happened, use Events.
	// It runs between two runs or in a method of Co, and its time counts as the next task's. It must be short, must not
	// panic and must not call the scheduler.
	OnEvent func(Event)

	// Times keeps histograms for ReadTimes, and what each kind of task costs for ReadCosts. The default (zero) value is
	// none. It takes 260 KB, and some 40 ns for each run.
	Times bool

	// Events is the number of last events that are kept for Scheduler.Events. Zero or less means none; 1<<24 is the
	// most. An event takes 100 bytes and some 20 to 40 ns, and a task has three.
	Events int
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
	switch {
	case o.Policy > deadline.ByPriority:
		panic("scheduler: New with an invalid Policy: " + o.Policy.String())
	case o.OverdueShare != o.OverdueShare:
		panic("scheduler: New with Options.OverdueShare of NaN")
	case o.Events > maxEvents:
		panic(fmt.Sprintf("scheduler: New with Options.Events of %d, more than 1<<24", o.Events))
	}
}
