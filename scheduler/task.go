package scheduler

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
)

// ErrCanceled is the outcome of a task that was cancelled. errors.Is(ErrCanceled, context.Canceled) holds.
var ErrCanceled = fmt.Errorf("scheduler: task canceled (%w)", context.Canceled)

// ErrClosed is the outcome of a task that Close cancelled, or that was submitted after Close.
// errors.Is(ErrClosed, ErrCanceled) holds, and so errors.Is(ErrClosed, context.Canceled).
var ErrClosed = fmt.Errorf("scheduler: closed (%w)", ErrCanceled)

// ErrGoexit is the outcome of a task that called [runtime.Goexit], which testing.T.FailNow does too.
var ErrGoexit = fault.ErrGoexit

// PanicError is the outcome of a task that panicked. Its Value is what was passed to panic, its Stack that of the
// panic, as text, its Label names the task. errors.Is and errors.As see a Value that is an error. It is the same
// type as that of package workers.
type PanicError = fault.PanicError

// errShape is what misuse of Submit panics with.
const errShape = "scheduler: Submit of a Task without exactly one of Func, Step, Co and Idle"

// Task is a piece of work for the frame goroutine: specification, handle and storage in one. Fill in the
// exported fields, and pass it to [Scheduler.Submit]; embed it in the thing that it works on and it costs
// no allocation. It may be submitted again once it has ended, and by its own function.
//
// The exported fields are read by the frame goroutine from Submit until the task ends: do not write them in
// between (except from the task's own function). A Task must not be copied after its first Submit.
type Task struct {
	// Label (of which Submit keeps a copy, one small allocation whenever it changes) names the task in
	// reports and is its kind for cost estimates. If it is empty, the function is its kind and its name:
	// tasks which run the same function with very different costs should have labels. A label is the name
	// of a kind, not of one task: beyond 1,024 kinds the estimates start afresh.
	Label string

	// Priority is the urgency. The default (zero) value is Normal.
	Priority deadline.Priority

	// Delay is the least time from Submit, whenever the frame goroutine reads of it, to the start. The default
	// (zero) value, or a negative one, is none.
	Delay time.Duration

	// Timeout is the time from the start to the expiration; for Idle, see there. The default (zero) value is
	// that of the priority (Options.Timeouts); SetPriority goes back to that.
	Timeout time.Duration

	// CatchUp is how many ticks of a Period that have passed are run all the same, the latest ones, one after
	// the other and each as if submitted then. The default (zero) value is none, for work that looks at the
	// present; a simulation that counts ticks wants some, and not so many that they take longer than a Period. It goes
	// with a Func alone, and means nothing while there is no Period.
	CatchUp int

	// Cost, if positive, is how long a run (a step) takes, and replaces the estimate.
	Cost time.Duration

	// Group, if not nil, is the group that the task belongs to, from Submit to its end.
	Group *Group

	// Period, if positive, makes a Func run again and again, until the task is cancelled, or fails: each tick
	// is one Period after the one before, whenever that ran, so that lateness does not add up. Ticks that
	// have passed when the task runs are skipped, and counted (see Missed), but for CatchUp of them. Submit
	// within the run, or a Period that Func sets to zero, ends the series in order. The default (zero)
	// value is no series.
	Period time.Duration

	// Exactly one of the following is set.

	// Func is a plain function.
	Func func()
	// Step does one piece of work and reports whether there is more. The scheduler decides whether the next
	// step is still in this slice.
	Step func() (more bool)
	// Co is a coroutine: straight-line code that suspends itself by the methods of Co.
	Co func(*Co)
	// Idle is called once, when a slice has time left and nothing else is ready, or, if Timeout is positive,
	// when that has passed since the frame goroutine read of it: then it is overdue work of the task's Priority.
	// See [Scheduler.WhenIdle]. It has no Delay.
	Idle func(IdleTime)

	// The fields from Period to done fill one line of the cache, of those that a run needs, item is the next two,
	// and sent, with what only Submit and special tasks need, the rest. So a plain task runs on three.
	kind     *kind  // of sent.label and sent.code, if the table knows it; frame goroutine
	waitLife uint32 // the life that waiters wait for; frame goroutine
	done     atomic.Pointer[doneChan]
	item     item
	sent     sent
	s        atomic.Pointer[Scheduler]
	failure  atomic.Pointer[error]
	waiters  list       // coroutines in Co.Wait; frame goroutine
	c        *coroutine // while it has a stack; frame goroutine
	co       Co
	member   member           // frame goroutine
	id       uint64           // in events; frame goroutine
	ready    deadline.Instant // when it last suspended itself, for events; frame goroutine
	slice    uint32           // the slice that used and steps refer to; frame goroutine
	steps    uint32
	usedTime time.Duration
	behind   time.Duration // of a periodic task: how late the tick was already when it was queued
	timedOut bool          // of an idle callback: it is not idle time that runs it; frame goroutine
	noted    work          // in events, of the present life; frame goroutine
	missed   atomic.Uint64 // ticks skipped
	as       uintptr       // the code of what Wraps was called with
}

// sent is what the frame goroutine must know of a task before the task runs, as of the last Submit. The
// exported fields themselves it reads only during a run, because while a task waits, another goroutine may
// cancel it and then write them. What it reads here is that of the wrong life if just that happens, and
// then does not matter, because the life for which it is used has ended; but the fields must be atomic for
// it (S6).
type sent struct {
	prio          atomic.Int32
	work          atomic.Uint32
	due           atomic.Int64 // when the delay that began with Submit ends; 0 if there is none
	timeout, cost atomic.Int64
	code          atomic.Uintptr
	label         atomic.Pointer[string]
	group         atomic.Pointer[Group]
}

// send copies the exported fields, and reads the clock if there is a delay to count from it. It writes only
// what has changed, because a store takes longer than a load.
func (t *Task) send(s *Scheduler) {
	set := func(a *atomic.Int64, v int64) {
		if a.Load() != v {
			a.Store(v)
		}
	}
	due := deadline.Instant(0)
	if t.Delay > 0 {
		if due = s.time().Add(t.Delay); due == 0 {
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
	if l := t.sent.label.Load(); l == nil && t.Label != "" || l != nil && *l != t.Label {
		label := t.Label
		t.sent.label.Store(&label)
	}
}

// doneChan is the channel of one life.
type doneChan struct {
	life uint32
	c    chan struct{}
}

// closedChan is what Done returns for a life that has ended. It is never changed.
var closedChan = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// shape returns what the word says of the functions, the group and the cost, which send has copied.
func (t *Task) shape() word {
	var w word
	if t.Step != nil || t.Co != nil || t.Period > 0 {
		w = flagSteps
	}
	if t.sent.group.Load() != nil { // its own function may have written Group since
		w |= flagMember
	}
	if t.sent.cost.Load() > 0 || t.sentWork() == workIdle {
		w |= flagOwnCost
	}
	return w
}

// Cancel ends the task if it has not run, stops it between two steps, or unwinds the coroutine at the point
// where it is suspended (deferred calls run, in the next slice, as Immediate work). It reports whether this
// call did it: true means that the task's state will be Canceled, unless what still runs of it, the step or the
// stretch of a coroutine in progress or those deferred calls, panics or calls Goexit: then it is Failed. A Func
// that is running is not stopped. What a running task has submitted again by then, Cancel takes back, and reports
// true (the state of a Func will be what the run makes it); what it submits after that is a new life.
//
// Any goroutine may call it, at any time, any number of times. It never blocks and takes some 10 ns.
// Waiting tasks are out of the queue with the next message that the frame goroutine reads: at the latest
// before the next task starts.
func (t *Task) Cancel() bool {
	s := t.s.Load()
	return s != nil && t.item.cancel(s, lifeOf(t.item.word.Load()), endCanceled)
}

// SetPriority changes the priority of a task that has not ended, and reports whether it had not. The task
// keeps its place by submission: it goes where it would be had it been submitted with that priority. It
// takes effect before the next task starts. The field Priority is left alone, and so is the Timeout of an idle
// task, after which it is overdue work of whatever priority it has then. If the task has submitted itself again, in
// the run that is in progress, that submission keeps the Priority which it was made with. Any goroutine may call it;
// it panics if p is invalid.
func (t *Task) SetPriority(p deadline.Priority) bool {
	mustBeValid(p)
	s := t.s.Load()
	return s != nil && t.item.setPriority(s, lifeOf(t.item.word.Load()), p)
}

// State returns where the task stands. Any goroutine.
func (t *Task) State() State { return stateOf(t.item.word.Load()) }

// Err returns nil if the task has not ended or returned, ErrCanceled, ErrClosed, ErrGoexit or a
// *PanicError. Any goroutine; after <-t.Done() it is the final word.
func (t *Task) Err() error {
	return t.errOf(ended(t.item.word.Load()))
}

// errOf is what Err says of a life that ends, or has ended, so.
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

// Done returns a channel that is closed when the current life of the task ends: the run that the last
// Submit asked for. Before the first Submit it returns nil. What the task did happens before the close. Any
// goroutine; the first call in each life allocates. A coroutine uses [Co.Wait] instead: to receive from the
// channel there would block the frame.
func (t *Task) Done() <-chan struct{} {
	var d *doneChan
	for {
		old := t.done.Load() // before the word, which is then of the same life or a later one
		w := t.item.word.Load()
		if w&phaseMask == phaseIdle {
			if ended(w) == endNone {
				return nil // never submitted
			}
			return closedChan
		}
		life := lifeOf(w)
		if old != nil && old.life == life {
			return old.c
		}
		if d == nil {
			d = &doneChan{c: make(chan struct{})}
		}
		d.life = life
		if !t.done.CompareAndSwap(old, d) {
			continue
		}
		if old != nil {
			close(old.c) // its life has ended, and who ended it has not come to that yet
		}
		if w := t.item.word.Load(); lifeOf(w) != life || w&phaseMask == phaseIdle {
			t.closeDone(life)
		}
		return d.c
	}
}

// closeDone closes the channel of a life that has ended. Any goroutine, any number of times.
//
// S37. Whoever takes a channel out of done closes it, and its life has ended then. Who ends a life looks for its
// channel afterwards; who puts one in looks afterwards whether the life has ended. Whichever came first, the other
// finds it. But the next life may begin before who ended this one has looked. So Done closes what it replaces, and
// loads done before the word, lest it replace the channel of a later life: lives are only counted up, so what is in
// done still when the word has been read is of that life, or of one that has ended.
func (t *Task) closeDone(life uint32) {
	if d := t.done.Load(); d != nil && d.life == life && t.done.CompareAndSwap(d, nil) {
		close(d.c)
	}
}
