package scheduler

import (
	"context"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/internal/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
)

// ErrCanceled is the outcome of a task that was cancelled. It wraps context.Canceled.
var ErrCanceled = fmt.Errorf("scheduler: task canceled (%w)", context.Canceled)

// ErrClosed is the outcome of a task that Close cancelled, or that came after Close. It wraps ErrCanceled.
var ErrClosed = fmt.Errorf("scheduler: closed (%w)", ErrCanceled)

// ErrGoexit is the outcome of a task that called runtime.Goexit, as testing.T.FailNow does.
var ErrGoexit = fault.ErrGoexit

// PanicError is the outcome of a task that panicked: the Value passed to panic, the Stack as text, and the task's
// Label. It unwraps to a Value that is an error.
type PanicError = fault.PanicError

// errShape is the panic of Submit for a Task with no function, or with several.
const errShape = "scheduler: Submit of a Task without exactly one of Func, Step, Co and Idle"

// Task is a piece of work for the frame goroutine. Fill in the exported fields, and pass the Task to
// [Scheduler.Submit]. Submit it again once it has ended, or from its own function.
//
// Only its own function may write the exported fields until the task ends. A Task must not be copied after its first
// Submit.
type Task struct {
	// Label names the task in reports, and is its kind for estimates: the function by default. Set it for tasks that
	// run one function with very different costs. Beyond 1,024 kinds the estimates start afresh. A new Label makes
	// Submit allocate.
	Label string

	// Priority is the urgency: Normal by default.
	Priority deadline.Priority

	// Delay is the least time from Submit to the start: none by default.
	Delay time.Duration

	// Timeout is the time from the start to the expiration: that of the priority by default, and again after
	// SetPriority. For a Task with Idle see the field Idle.
	Timeout time.Duration

	// Cost, if positive, is how long a run (a step) takes, instead of the estimate.
	Cost time.Duration

	// Group, if not nil, has the task as a member from Submit to its end. Delay and Period count in the group's time.
	Group *Group

	// The frame goroutine's: when the delay of a member that waits, or has waited, ends, by the time of its group. It
	// stands here so that Period begins a line of the cache.
	later deadline.Instant

	// Period, if positive, makes Func run again and again, on a grid of time, until the task is cancelled or fails.
	// Missed ticks are skipped and counted: see Missed. Submit within the run, or a zero Period, ends the series.
	Period time.Duration

	// Exactly one of the following is set.

	// Func is a plain function.
	Func func()
	// Step does one piece of work and reports whether there is more.
	Step func() (more bool)
	// Co is a coroutine: it may suspend itself.
	Co func(*Co)
	// Idle is called when nothing else is ready, or after a positive Timeout as overdue work: see [Scheduler.WhenIdle].
	// It has no Delay.
	Idle func(end deadline.Deadline, timedOut bool)

	// The fields from Period to done fill one line of the cache, and item the next two. A plain task runs on these
	// three. The rest is for Submit and special tasks.
	kind              *kind  // of sent.label and sent.code, if the table knows it; frame goroutine
	awaitedGeneration uint32 // the generation that waiters wait for; frame goroutine
	steps             uint32 // runs in the slice; frame goroutine
	done              atomic.Pointer[doneChan]
	item              item
	sent              sent
	s                 atomic.Pointer[Scheduler]
	failure           atomic.Pointer[error]
	waiters           list       // coroutines in Co.Wait; frame goroutine
	c                 *coroutine // while it has a stack; of the timer of a coroutine: that coroutine; frame goroutine
	co                Co
	member            member           // frame goroutine
	id                uint64           // in events; frame goroutine
	ready             deadline.Instant // when it last suspended itself, for events; frame goroutine
	usedTime          time.Duration    // in the slice
	behind            time.Duration    // of a periodic task: how late its tick was queued; of a member: see ticked
	slice             uint32           // the slice that usedTime and steps refer to; frame goroutine
	overdue           bool             // of an idle callback: its timeout runs it, not idle time; frame goroutine
	noted             work             // in events, of the present generation; frame goroutine
	missed            atomic.Uint64    // ticks skipped
	as                uintptr          // the code of the function that was passed to Wraps
}

// sent has what the frame goroutine must know of a task before the task runs, as of the last Submit. The frame
// goroutine reads the exported fields only during a run: while a task waits, another goroutine may cancel the task and
// then write them. If that happens, the values here are those of the wrong generation. They do no harm, because the
// generation that uses them has ended. But the fields of sent must be atomic for that (S6).
type sent struct {
	prio          atomic.Int32
	work          atomic.Uint32
	due           atomic.Int64 // when the delay ends, by the group's time or as dueAfter says; 0: no delay
	timeout, cost atomic.Int64
	code          atomic.Uintptr
	label         atomic.Pointer[named]
	group         atomic.Pointer[Group]
}

// named is a label, and where a coroutine was submitted, if the scheduler notes places. It never changes.
type named struct {
	label string
	from  [3]uintptr // callers of Submit: see notePlace
}

// send copies the exported fields, and reads the clock if there is a delay. It writes only what has changed, because a
// store takes longer than a load.
func (t *Task) send(s *Scheduler) {
	set := func(a *atomic.Int64, v int64) {
		if a.Load() != v {
			a.Store(v)
		}
	}
	due := deadline.Instant(0)
	if t.Delay > 0 {
		if t.Group != nil {
			due = t.Group.Now().Add(min(t.Delay, farthestDelay))
		} else {
			due = s.dueAfter(t.Delay)
		}
		if due == 0 {
			due = 1
		}
	}
	set(&t.sent.due, int64(due))
	set(&t.sent.timeout, int64(t.Timeout))
	set(&t.sent.cost, int64(max(t.Cost, 0)))
	if p := int32(t.Priority); t.sent.prio.Load() != p {
		t.sent.prio.Store(p)
	}
	if w := uint32(t.work()); t.sent.work.Load() != w {
		t.sent.work.Store(w)
	}
	if t.sent.group.Load() != t.Group {
		t.sent.group.Store(t.Group)
	}
	if c := t.code(); t.sent.code.Load() != c {
		t.sent.code.Store(c)
	}
	if l := t.sent.label.Load(); l == nil && t.Label != "" || l != nil && l.label != t.Label {
		t.sent.label.Store(&named{label: t.Label})
	}
}

// closedChan is what Done returns for a generation that has ended. It is never changed.
var closedChan = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Cancel ends a task that has not run, stops a task between two steps, and unwinds a suspended coroutine, in the next
// slice. A Func that is running is not stopped, but its Submit of the task is taken back. Cancel reports whether this
// call did it. Any goroutine; never blocks; about 10 ns.
func (t *Task) Cancel() bool {
	// After true the state will be Canceled, or Failed if what still runs of the task panics or calls Goexit.
	s := t.s.Load()
	return s != nil && t.item.cancel(&s.intake, generationOf(t.item.word.Load()), endCanceled)
}

// SetPriority changes the priority of a task that has not ended, before the next task starts, and reports whether it
// did. The field Priority stays. Any goroutine. It panics if p is invalid.
func (t *Task) SetPriority(p deadline.Priority) bool {
	// A task that has submitted itself again in the present run keeps the Priority of that submission.
	mustBeValid(p)
	s := t.s.Load()
	return s != nil && t.item.setPriority(&s.intake, generationOf(t.item.word.Load()), p)
}

// Err returns nil if the task has not ended or has returned, else [ErrCanceled], [ErrClosed], [ErrGoexit] or a
// *PanicError. Any goroutine. After <-t.Done() it is final.
func (t *Task) Err() error {
	return t.errOf(ended(t.item.word.Load()))
}

// errOf returns the Err of a generation that ends, or has ended, in the way that how says.
func (t *Task) errOf(how word) error {
	switch how {
	case endCanceled:
		return ErrCanceled
	case endClosed:
		return ErrClosed
	case endFailed:
		if err := t.failure.Load(); err != nil {
			return *err
		}
	}
	return nil
}

// Done returns a channel that is closed when the work of the last Submit ends, or nil before the first Submit. The work
// happens before the close. Any goroutine. The first call after each Submit allocates. In a coroutine use Co.Wait.
func (t *Task) Done() <-chan struct{} {
	var d *doneChan
	for {
		old := t.done.Load() // loaded before the word, so the word is of the same generation or of a later one
		w := t.item.word.Load()
		if w&stateMask == stateIdle {
			if ended(w) == endNone {
				return nil // never submitted
			}
			return closedChan
		}
		generation := generationOf(w)
		if old != nil && old.generation == generation {
			return old.c
		}
		if d == nil {
			d = &doneChan{c: make(chan struct{})}
		}
		d.generation = generation
		if !t.done.CompareAndSwap(old, d) {
			continue
		}
		if old != nil {
			close(old.c) // the generation of old has ended, and its end has not closed the channel yet
		}
		if w := t.item.word.Load(); generationOf(w) != generation || w&stateMask == stateIdle {
			t.closeDone(generation)
		}
		return d.c
	}
}

// State says where a task stands.
type State uint8

// The states of a task, from one Submit to the next. Steps and coroutines may be Queued again or Suspended between two
// runs.
const (
	Unsubmitted State = iota // or a posted function that is forgotten
	Queued                   // waits for its turn, or for its delay
	Running
	Suspended // a coroutine that waits for a frame, a task or an Awaitable
	Done      // returned
	Failed    // panicked or called runtime.Goexit
	Canceled  // cancelled, by Cancel or Close
)

var stateNames = [...]string{"unsubmitted", "queued", "running", "suspended", "done", "failed", "canceled"}

// String returns the constant's name in lower case.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// Handle refers to one posted function, and may be copied. Any goroutine may call the methods, also after the function
// has ended. The zero Handle is Unsubmitted.
type Handle struct {
	s          *Scheduler
	it         *item
	generation uint32
}

// Cancel prevents the run, and reports whether it did: false if the function has started or was cancelled before. About
// 10 ns.
func (h Handle) Cancel() bool {
	return h.it != nil && h.it.cancel(&h.s.intake, h.generation, endCanceled)
}

// SetPriority is [Task.SetPriority] for a function, and reports whether it did.
func (h Handle) SetPriority(p deadline.Priority) bool {
	mustBeValid(p)
	return h.it != nil && h.it.setPriority(&h.s.intake, h.generation, p)
}

// State returns where the function stands. Some time after the function's end, State returns Unsubmitted.
func (h Handle) State() State {
	if h.it == nil {
		if h.generation != 0 {
			return Canceled // posted after Close
		}
		return Unsubmitted
	}
	if w := h.it.word.Load(); generationOf(w) == h.generation {
		return stateOf(w)
	}
	return Unsubmitted
}

func mustBeValid(p deadline.Priority) {
	if !p.Valid() {
		panic("scheduler: invalid " + p.String())
	}
}
