package scheduler

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Trace is what a Scheduler calls when something happens to a task, a callback or a microtask. Any of the
// functions may be nil. Which event may follow which is in the package comment (S30). They are
// called on the frame goroutine, or on that of the task which runs in its stead, between two runs or in a
// Co's methods: they must be short, must not panic and must not call the scheduler. What they take counts as
// the next task's cost.
type Trace struct {
	Queued   func(Event) // the scheduler has it, and it waits for its turn, its start or its part of the frame
	Started  func(Event) // a run begins: Event.Waited and Event.Late are set
	Yielded  func(Event) // a run ended and it goes on by itself: a step, Yield, Sleep, a tick, Each. Event.Ran is set
	Parked   func(Event) // the same, in NextFrame, AfterDraw, Wait or an Await
	Done     func(Event) // it returned; Event.Ran is set, as in those that follow
	Failed   func(Event) // it panicked or called Goexit
	Canceled func(Event) // it was cancelled, by Cancel or Close; Event.Ran is 0 if it did not run
}

// EventKind says what happened. The names are those of the functions in Trace.
type EventKind uint8

// The kinds of events.
const (
	EventQueued EventKind = iota
	EventStarted
	EventYielded
	EventParked
	EventDone
	EventFailed
	EventCanceled
)

var eventNames = [...]string{"queued", "started", "yielded", "parked", "done", "failed", "canceled"}

// String returns the name in lower case.
func (k EventKind) String() string {
	if int(k) < len(eventNames) {
		return eventNames[k]
	}
	return fmt.Sprintf("EventKind(%d)", uint8(k))
}

// Event is something that happened to a task, a callback or a microtask.
type Event struct {
	Kind     EventKind
	Work     Work              // what it happened to
	Priority deadline.Priority // Normal for callbacks of phases and microtasks, which have none
	Phase    Phase             // of WorkOnce and WorkEach
	At       deadline.Instant  // by the scheduler's clock, when it was last read
	ID       uint64            // the same for all events of one life, and for no other that is near
	Label    string            // the task's Label; see Name
	Waited   time.Duration     // since it was ready: submitted, due, or woken. 0 for callbacks of phases and microtasks
	Late     time.Duration     // since its expiration; 0 or less if it is in time or never expires
	Ran      time.Duration     // the last run

	Submitted Stack // where, if Options.Stacks says to keep that

	pc uintptr
}

// Name returns the label, or the name of the task's function if it has none.
func (e Event) Name() string { return nameOf(e.pc, e.Label) }

// String returns the kind of event, the name, the priority (or what takes its place) and what is known of the
// times, for logs.
func (e Event) String() string {
	class := e.Priority.String()
	switch e.Work {
	case WorkIdle, WorkMicrotask:
		class = e.Work.String()
	case WorkOnce, WorkEach:
		class = e.Phase.String()
	}
	text := fmt.Sprintf("%s %s (%s)", e.Kind, e.Name(), class)
	switch e.Kind {
	case EventQueued:
	case EventStarted:
		if e.Work < WorkOnce {
			text += " waited " + e.Waited.String()
		}
		if e.Late > 0 {
			text += " late " + e.Late.String()
		}
	default:
		text += " ran " + e.Ran.String()
	}
	return text
}

// watch is what a Scheduler has if somebody wants to know; nil otherwise, which costs one branch an event.
type watch struct {
	trace   Trace
	tells   bool // there is a trace, or a ring
	ring    []Event
	n       uint64        // events so far; the next one's place is n modulo len(ring)
	running *item         // whose run has begun and not ended
	ran     time.Duration // that run, as far as it is known
	spare   time.Duration // of it, beyond the longest stretch in which the task did not ask whether to yield
	lane    int           // in which it counts in times
	times   *Times
	// predicted is how long that run was expected to take, if times wants to know; 0 if nothing is known.
	predicted time.Duration
	declared  bool  // by Task.Cost
	kind      *kind // of that run, if times wants to know
}

func newWatch(o Options) *watch {
	w := &watch{tells: o.Trace != nil || o.Events > 0, ring: make([]Event, max(o.Events, 0))}
	if o.Trace != nil {
		w.trace = *o.Trace
	}
	if o.Times {
		w.times = new(Times)
	}
	if !w.tells && w.times == nil {
		return nil
	}
	return w
}

// note tells of an event.
func (s *Scheduler) note(k EventKind, it *item) {
	if s.watch != nil {
		s.noteSlow(k, it)
	}
}

func (s *Scheduler) noteSlow(k EventKind, it *item) {
	w, t := s.watch, it.task
	work := WorkFunc
	if t != nil {
		work = s.mark(k, t)
	} else {
		work = postedWork(it.word.Load())
	}
	if w.times != nil {
		w.measure(s, k, it, work)
	}
	if w.tells {
		s.tell(k, it, work)
	}
	switch {
	case k == EventStarted:
		w.running, w.ran = it, 0
	case w.running == it:
		w.running = nil
	}
	if t != nil && k >= EventDone {
		t.id = 0
	}
}

// mark keeps what is known of a task for events, and returns its kind of work.
func (s *Scheduler) mark(k EventKind, t *Task) Work {
	if t.id == 0 { // its life has begun, or this is all that is heard of it
		s.ids++
		t.id, t.ready, t.noted, t.item.life = s.ids, 0, t.sentWork(), t.sentSite.Load()
		if t.noted == WorkIdle {
			t.ready = s.lastRead
		}
	}
	if k == EventYielded || k == EventParked {
		t.ready = s.now
	}
	return t.noted
}

// tell describes an event to whoever listens.
func (s *Scheduler) tell(k EventKind, it *item, work Work) {
	w := s.watch
	e := Event{Kind: k, Work: work, At: s.lastRead - s.skew, Submitted: s.stackOf(it)}
	if it.task != nil {
		e.describeTask(s, it.task)
	} else {
		e.describePosted(s, it)
	}
	switch {
	case k == EventStarted && work < WorkOnce:
		e.Waited, e.Late, _ = s.waited(it)
	case k != EventStarted && w.running == it:
		e.Ran = w.ran
	case k == EventCanceled && work < WorkOnce && it.where == nowhere:
		e.Priority = lanePriority(it.word.Load()) // it was never read, and its node knows nothing of it
	}
	if len(w.ring) > 0 {
		w.ring[w.n%uint64(len(w.ring))] = e
		w.n++
	}
	f := [...]func(Event){
		w.trace.Queued, w.trace.Started, w.trace.Yielded, w.trace.Parked, w.trace.Done, w.trace.Failed,
		w.trace.Canceled,
	}[k]
	if f != nil {
		f(e)
	}
}

// describeTask says which task it is about. While the task waits, its fields may be another goroutine's.
func (e *Event) describeTask(s *Scheduler, t *Task) {
	e.ID = t.id
	if l := t.sent.label.Load(); l != nil {
		e.Label = *l
	}
	e.pc = t.sent.code.Load()
	e.Priority = t.item.node.Priority()
}

// describePosted says which callback, microtask or posted function it is about.
func (e *Event) describePosted(s *Scheduler, it *item) {
	word := it.word.Load()
	if word&phaseMask != phaseIdle || !s.closed.Load() { // otherwise it is another goroutine's to let go (S39)
		e.pc = codeOf(it.fn)
	}
	e.ID = 1<<63 | uint64(it.index)<<32 | uint64(lifeOf(word))
	switch e.Work {
	case WorkFunc:
		e.Priority = it.node.Priority()
	case WorkOnce, WorkEach:
		e.Phase = Phase(word&laneMask>>laneShift - phaseLane)
	}
}

// waited returns how long a task has waited for the run that begins, how much too long that is, and whether it
// can be too long.
func (s *Scheduler) waited(it *item) (waited, late time.Duration, expires bool) {
	since, t := s.q.Start(&it.node), it.task
	if t != nil && t.noted == WorkIdle {
		if t.timedOut {
			late = s.now.Sub(since) // its start is its timeout
		}
		return s.now.Sub(t.ready), late, t.timedOut
	}
	if t != nil {
		since = max(since, t.ready) // a continuation keeps its place, and with it its start
	}
	waited = max(s.now.Sub(since), 0)
	if end := s.q.Expiration(&it.node); end != deadline.Never {
		return waited, s.now.Sub(end), true
	}
	return waited, 0, false
}

// timeCallback takes the time of a callback that has run, which nobody needs but events.
func (s *Scheduler) timeCallback() {
	t := s.clock()
	s.watch.ran += t.Sub(s.now) + s.apart
	s.now, s.apart = t, 0
}

// noteEnd tells of the end of an item that ran.
func (s *Scheduler) noteEnd(how word, it *item) {
	if s.watch == nil {
		return
	}
	switch how {
	case endDone:
		s.noteSlow(EventDone, it)
	case endFailed:
		s.noteSlow(EventFailed, it)
	default:
		s.noteSlow(EventCanceled, it)
	}
}

// Events appends the last events, at most Options.Events of them, to buf, the oldest first, and returns it.
// Frame goroutine, or a task.
func (s *Scheduler) Events(buf []Event) []Event {
	w := s.watch
	if w == nil || len(w.ring) == 0 {
		return buf
	}
	size := uint64(len(w.ring))
	for i := w.n - min(w.n, size); i < w.n; i++ {
		buf = append(buf, w.ring[i%size])
	}
	return buf
}
