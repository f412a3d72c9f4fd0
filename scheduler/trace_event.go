package scheduler

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/internal/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/timeline"
	"github.com/frameslice/frameslice/internal/words"
)

// Event is a change of State of a task, callback or microtask.
type Event struct {
	State    State             // all but Unsubmitted
	Priority deadline.Priority // Normal for callbacks and microtasks
	At       deadline.Instant  // by the scheduler's clock
	ID       uint64            // one number from Queued to the end, also if a loop has two schedulers
	Label    string            // the task's Label, or the name of its function
	Waited   time.Duration     // Running: since it was ready
	Late     time.Duration     // Running: since its expiration; 0 or less is in time
	Ran      time.Duration     // how long the run took that has just ended; or 0

	work work
	ran  bool // a run has ended with it
}

// String returns one line for logs.
func (e Event) String() string {
	class := e.Priority.String()
	if e.work >= workIdle {
		class = e.work.String()
	}
	text := fmt.Sprintf("%s %s (%s)", e.State, e.Label, class)
	if e.State == Running && e.work <= workIdle {
		text += " waited " + e.Waited.String()
		if e.Late > 0 {
			text += " late " + e.Late.String()
		}
	}
	if e.ran {
		text += " ran " + e.Ran.String()
	}
	return text
}

// watch is for OnEvent, KeepTimes and KeepRuns. A Scheduler without them has none, and pays one branch an event. It
// only reads the order, through a pointer, because what an event says of an item is in the queue: its start, its
// expiration and its priority.
type watch struct {
	order   *order
	closed  *atomic.Bool // the Scheduler's
	ids     uint64       // of tasks
	onEvent func(Event)
	times   *Times
	log     *timeline.Log

	// Of the run that has begun and not ended. The fields after ran are for times.
	running   *item
	awaits    uint64        // the address of what the Await awaits that is about to suspend, for log
	since     time.Duration // how long it has waited, for log
	ran       time.Duration // how long it has run, as far as known
	spare     time.Duration // ran less the longest stretch in which the task did not ask whether to yield
	lane      int           // in which it counts
	predicted time.Duration // how long it was expected to take; 0 if nothing is known
	declared  bool          // by Task.Cost
	kind      *kind
}

func (r *runs) keepsRuns() bool { return r.watch != nil && r.watch.log != nil }

// note tells watch that the item has another state.
func (r *runs) note(state State, it *item) {
	if r.watch != nil {
		r.watch.note(state, it)
	}
}

func (w *watch) note(state State, it *item) {
	t := it.task
	kind := workFunc
	if t != nil {
		kind = w.mark(state, t)
	} else {
		kind = postedWork(it.word.Load())
	}
	if w.times != nil {
		w.measure(state, it, kind)
	}
	if w.onEvent != nil {
		w.tell(state, it, kind)
	}
	if w.log != nil {
		w.keepRun(state, it, kind)
	}
	switch {
	case state == Running:
		w.running, w.ran = it, 0
	case w.running == it:
		w.running = nil
	}
	if t != nil && state >= Done {
		t.id = 0
		it.number++
	}
}

// tellEnds notes the ends of generations that other goroutines cancelled, up to a generation. The generations of a Task
// are numbered, and its item's field number is how many have been told. So none is missed, also if the Task was
// submitted again before the frame goroutine read of it.
func (w *watch) tellEnds(t *Task, generation uint32) {
	for w != nil && int32(generation-t.item.number) > 0 {
		w.note(Canceled, &t.item)
	}
}

// noteGone notes the end of an item that was cancelled while it waited for its turn. Close may come before the message
// about the cancellation is read, and another goroutine may sweep that message.
func (r *runs) noteGone(it *item) {
	if t := it.task; t == nil {
		r.note(Canceled, it)
		it.where = isSpent
	} else if t.id != 0 {
		r.note(Canceled, it)
	}
}

// mark updates the fields of a task that are for events, and returns its kind of work.
func (w *watch) mark(state State, t *Task) work {
	if t.id == 0 { // its generation has begun, or this is its only event
		w.ids++
		t.id, t.ready, t.noted = w.ids|w.order.idSpace, 0, t.sentWork()
		if t.noted == workIdle {
			t.ready = w.order.lastRead
		}
	}
	if (state == Queued || state == Suspended) && w.running == &t.item {
		t.ready = w.order.now
	}
	return t.noted
}

// tell describes an event to OnEvent.
func (w *watch) tell(state State, it *item, kind work) {
	e := Event{State: state, work: kind, At: w.order.lastRead - w.order.skew, ran: state != Running && w.running == it}
	if it.task != nil {
		e.describeTask(it.task)
	} else {
		w.describePosted(&e, it, kind)
	}
	switch {
	case e.ran:
		e.Ran = w.ran
	case state == Running && kind <= workIdle:
		e.Waited, e.Late, _ = w.waited(it)
	case state == Canceled && kind <= workIdle && it.where == nowhere:
		e.Priority = lanePriority(it.word.Load()) // the submission was never read, so the node lacks the priority
	}
	w.onEvent(e)
}

// keepRun adds a run that ends to the log.
func (w *watch) keepRun(state State, it *item, kind work) {
	switch {
	case state == Running:
		if w.since = 0; kind <= workIdle {
			w.since, _, _ = w.waited(it)
		}
	case w.running == it && w.ran > 0:
		end := w.order.lastRead - w.order.skew
		r := timeline.Run{Begin: end.Add(-w.ran), End: end, Awaits: w.awaits}
		if w.since > 0 {
			r.Ready = r.Begin.Add(-w.since)
		}
		if t := it.task; t != nil {
			r.ID, r.Priority, r.Label = t.id, it.node.Priority(), w.order.kinds.of(it).Short()
		} else if r.ID = w.eventID(it); kind == workFunc {
			r.Priority, r.Label = it.node.Priority(), w.order.kinds.of(it).Short()
		} else {
			r.Label = words.Short(nameOf(codeOf(it.fn), ""))
		}
		w.log.Add(r)
	}
	w.awaits = 0
}

// eventID returns the number of this generation of a function.
func (w *watch) eventID(it *item) uint64 {
	return 1<<63 | w.order.idSpace | uint64(it.index)<<32 | uint64(generationOf(it.word.Load()))
}

// describeTask says which task the event is about. While the task waits, another goroutine may write its exported
// fields.
func (e *Event) describeTask(t *Task) {
	e.ID = t.id
	if l := t.sent.label.Load(); l != nil {
		e.Label = l.label
	}
	e.Label = nameOf(t.sent.code.Load(), e.Label)
	e.Priority = t.item.node.Priority()
}

// describePosted says which callback, microtask or posted function the event is about.
func (w *watch) describePosted(e *Event, it *item, kind work) {
	word := it.word.Load()
	if word&stateMask != stateIdle || !w.closed.Load() { // otherwise another goroutine may clear fn (S39)
		e.Label = nameOf(codeOf(it.fn), "")
	}
	e.ID = w.eventID(it)
	if kind == workFunc {
		e.Priority = it.node.Priority()
	}
}

// waited returns how long a task has waited for the run that begins, how late the run is, and whether it can be late.
func (w *watch) waited(it *item) (waited, late time.Duration, expires bool) {
	o, t := w.order, it.task
	since := o.q.Start(&it.node)
	if t != nil && t.noted == workIdle {
		if t.overdue {
			late = o.now.Sub(since) // the node's start is the end of the timeout
		}
		return o.now.Sub(t.ready), late, t.overdue
	}
	if t != nil {
		since = max(since, t.ready) // a continuation keeps its place, and with it its start
	}
	waited = max(o.now.Sub(since), 0)
	if end := o.q.Expiration(&it.node); end != deadline.Never {
		return waited, o.now.Sub(end), true
	}
	return waited, 0, false
}

// timeCallback measures a callback that has run. Only events need this.
func (r *runs) timeCallback() {
	t := r.clock()
	r.watch.ran += t.Sub(r.now)
	r.now = t
}

// work is a kind of work, as events show it.
type work uint8

const (
	workFunc     work = iota // a function: of Post, or Task.Func
	workStep                 // Task.Step
	workCo                   // a coroutine: of Go, or Task.Co
	workPeriodic             // Task.Func with a Period
	workIdle                 // an idle callback: of WhenIdle, or Task.Idle
	workMicrotask
	workOnce                        // a callback of Once in the first phase; the other phases follow
	workEach = workOnce + numPhases // a callback of Each, in the same way
)

var workNames = [...]string{
	"function", "steps", "coroutine", "periodic", "idle", "microtask",
	"once before update", "once before draw", "once after draw",
	"each before update", "each before draw", "each after draw",
}

func (w work) String() string { return workNames[w] }

// Each phase needs two names.
const _ = uint(len(workNames) - int(workEach) - numPhases)

// postedWork returns the kind of work of an item that is no task.
func postedWork(w word) work {
	phase := work(w&laneMask>>laneShift) - phaseLane
	switch {
	case w&laneMask < phaseLane<<laneShift:
		return workFunc
	case w&flagMicro != 0:
		return workMicrotask
	case w&flagSteps != 0:
		return workEach + phase
	}
	return workOnce + phase
}

// measure records an event of the item's run. The lane in which a run counts is that of its start.
func (w *watch) measure(state State, it *item, kind work) {
	if kind >= workIdle {
		return
	}
	switch {
	case state == Running:
		w.lane = it.node.Priority().Lane()
		waited, late, expires := w.waited(it)
		w.times.Wait[w.lane].Record(waited)
		if expires {
			w.times.Late[w.lane].Record(late)
			if late <= 0 {
				w.times.Early[w.lane].Record(-late)
			}
		}
		w.predicted, w.declared = w.order.predict(it), it.word.Load()&flagOwnCost != 0
		w.kind = w.order.kinds.of(it)
	case w.running == it:
		w.times.Run[w.lane].Record(w.ran)
		w.kind.Count(w.ran, 1)
		if w.predicted > 0 {
			took := w.ran
			if !w.declared {
				took -= w.spare
			}
			w.times.Over[w.lane].Record(took - w.predicted)
			w.times.Under[w.lane].Record(w.predicted - took)
		}
	}
}
