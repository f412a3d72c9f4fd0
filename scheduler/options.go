package scheduler

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Options configure a Scheduler. The zero Options are ready to use.
type Options struct {
	// Timeouts say how long work of each priority may wait before it is overdue. A zero field means that
	// priority's default.
	Timeouts deadline.Timeouts

	// Policy is the order of ready work. The default (zero) value is deadline.ByExpiration.
	Policy deadline.Policy

	// OverdueShare is the part of a slice, between 0 and 1, that overdue work may use while fresh work
	// waits (work that is ready and not overdue, except what never will be: Idle work by default).
	// Immediate work does not count as overdue: it is urgent by request. Zero means a half; negative means
	// one overdue task in each slice. It has no meaning under deadline.ByPriority, where the first task of
	// a slice is the one most overdue, and all others go by priority. More than 1 counts as 1.
	OverdueShare float64

	// Patience is in how many frames a task may be passed over: its turn has come, but it does not fit into what is
	// left of the slice. After that many it runs first in the next frame, whatever it costs. But of Patience + 1
	// frames only one begins with such a task while more urgent work is ready; until that one the task waits (S34 in
	// the package comment). Zero means 3, negative means 1; more than 255 counts as 255.
	Patience int

	// OnPanic, if not nil, is called on the frame goroutine for each panic or Goexit of a task, after the
	// task has failed and before the next one starts; the Value of a Goexit is ErrGoexit. If it is nil, the
	// panic is printed to standard error with its stack. A panic in OnPanic is printed and goes no further. It may call
	// Close, as a task may, or that of a frame.Loop: no task begins any more, and it is called again for what panics
	// when Close unwinds it.
	OnPanic func(*PanicError)

	// Rethrow makes RunUntil, having finished its slice in order, panic with the first *PanicError of the
	// slice.
	Rethrow bool

	// Wake, if not nil, is called whenever the inbox turns from empty to non-empty. It is called after the fact, on the
	// goroutine whose Post, Submit, Cancel or the like did it. Wake is for hosts that sleep when Next says that there
	// is nothing to do. It must not block or panic, and must not call the scheduler; also not where work is posted
	// before the host's loop has begun.
	Wake func()

	// Clock, if not nil, is read instead of deadline.Now: by the frame goroutine, by those who submit work with a
	// delay, and by Scheduler.Now. It is for virtual time, as in package replay. RunUntil's
	// deadlines are then of that clock: deadline.At, not deadline.In. What waits for a context does not know of it.
	// If it goes back, what was submitted since the frame goroutine looked last has a delay that is longer by as much.
	Clock func() deadline.Instant

	// OnEvent, if not nil, is called with each Event, on the frame goroutine or on the goroutine of the task that runs
	// in its stead, between two runs or in a method of Co. It must be short, must not panic and must not call the
	// scheduler. Its time counts as the next task's. It is for package replay; to look at what happened use Events.
	OnEvent func(Event)

	// Times keeps histograms of what runs wait, are late and take, by priority, for Scheduler.ReadTimes, and what each
	// kind of task costs, for Scheduler.ReadCosts: 260 KB, and some 40 ns for each run. The default (zero) value is
	// none.
	Times bool

	// Events is how many of the last events are kept for Scheduler.Events, 100 bytes each. Zero or less means
	// none; at most 1<<24. An event takes some 20 to 40 ns, three of them a task; with neither OnEvent nor Events, a
	// branch.
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
