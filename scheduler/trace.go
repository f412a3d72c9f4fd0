package scheduler

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Trace is what a Scheduler calls when something happens to a task. Any of the functions may be nil. They are
// called on the frame goroutine, or on that of the task which runs in its stead, between two runs or in a
// Co's methods: they must be short, must not panic and must not call the scheduler. What they take counts as
// the next task's cost.
type Trace struct {
	Queued   func(Event) // it was read from the inbox, and waits for its turn or its start
	Started  func(Event) // a run begins: Event.Waited and Event.Late are set
	Yielded  func(Event) // a run ended and the task goes on: after a step, Yield or Sleep. Event.Ran is set
	Parked   func(Event) // the same, in NextFrame, Wait or an Await
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

// Event is something that happened to a task.
type Event struct {
	Kind     EventKind
	Priority deadline.Priority
	At       deadline.Instant // by the scheduler's clock, as of the end of the last run if nothing runs
	ID       uint64           // the same for all events of one life of a task, and for no other that is near
	Label    string           // the task's Label; see Name
	Waited   time.Duration    // since it was ready: submitted, due, or woken
	Late     time.Duration    // since its expiration; 0 or less if it is in time or never expires
	Ran      time.Duration    // the last run

	pc uintptr
}

// Name returns the label, or the name of the task's function if it has none.
func (e Event) Name() string { return nameOf(e.pc, e.Label) }

// String returns the kind, the name and what is known of its times, for logs.
func (e Event) String() string {
	text := fmt.Sprintf("%s %s (%s)", e.Kind, e.Name(), e.Priority)
	switch e.Kind {
	case EventQueued:
	case EventStarted:
		text += " waited " + e.Waited.String()
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
	trace Trace
	ring  []Event
	n     uint64        // events so far; the next one's place is n modulo len(ring)
	ran   time.Duration // the last run
}

func newWatch(o Options) *watch {
	if o.Trace == nil && o.Events <= 0 {
		return nil
	}
	w := &watch{ring: make([]Event, max(o.Events, 0))}
	if o.Trace != nil {
		w.trace = *o.Trace
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
	w := s.watch
	e := Event{Kind: k, Priority: s.q.PriorityOf(&it.node), At: s.now - s.skew}
	if t := it.task; t != nil {
		// While it waits, its fields may be another goroutine's.
		if l := t.sent.label.Load(); l != nil {
			e.Label = *l
		}
		e.pc = t.sent.code.Load()
		if t.id == 0 || k == EventQueued {
			s.ids++
			t.id = s.ids
		}
		e.ID = t.id
		switch k {
		case EventQueued:
			t.ready = 0
		case EventYielded:
			t.ready = s.now
		}
	} else {
		e.pc = codeOf(it.fn)
		e.ID = 1<<63 | uint64(it.index)<<32 | uint64(lifeOf(it.word.Load()))
	}
	switch k {
	case EventQueued:
	case EventStarted:
		since := s.q.Start(&it.node)
		if it.task != nil {
			since = max(since, it.task.ready) // a continuation keeps its place, and with it its start
		}
		e.Waited = s.now.Sub(since)
		if end := s.q.Expiration(&it.node); end != deadline.Never {
			e.Late = s.now.Sub(end)
		}
	default:
		e.Ran, w.ran = w.ran, 0
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
