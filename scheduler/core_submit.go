package scheduler

import (
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Post queues f with priority p. Any goroutine. It never blocks and takes about 10 ns. Only memory limits how many
// functions wait: for a limit see package flow. Post allocates only if more wait than ever before. After Close the
// Handle is Canceled. It panics if f is nil or p invalid.
//
// One goroutine's functions of one priority run in order, but one that does not fit may be overtaken. All before Post
// happens before f runs.
func (s *Scheduler) Post(p deadline.Priority, f func()) Handle {
	if f == nil {
		panic("scheduler: Post of a nil function")
	}
	mustBeValid(p)
	if s.closed.Load() {
		return s.drop()
	}
	it := s.arena.get(p.Lane())
	it.fn = f
	return s.launch(it, word(p.Lane())<<laneShift)
}

// launch begins the next generation of an item of the arena, which nobody else has, and pushes the item.
func (s *Scheduler) launch(it *item, flags word) Handle {
	generation := generationOf(it.word.Load()) + 1
	it.word.Store(uint64(generation)<<generationShift | stateReady | flagInbox | flagNew | flags)
	s.push(it)
	return Handle{s, it, generation}
}

// Go queues a coroutine: f may suspend itself by the methods of its Co. Any goroutine. It allocates the Task. It panics
// if f is nil or p invalid.
func (s *Scheduler) Go(p deadline.Priority, f func(co *Co)) *Task {
	mustBeBody(f)
	t := &Task{Priority: p, Co: f}
	s.Submit(t)
	return t
}

// mustBeBody panics if f is nil. Without it Submit would panic, with a text about a Task that the caller of Go has not
// made.
func mustBeBody(f func(co *Co)) {
	if f == nil {
		panic("scheduler: Go of a nil function")
	}
}

// Submit queues a task that the caller owns. Any goroutine; it never blocks or allocates. Submit of a running task
// takes effect when the run ends. After Close the task is Canceled. Submit panics if t is queued or suspended, its
// priority is invalid, or not exactly one of its functions is set.
//
// A Task of another scheduler may be submitted here after the slice in which it ended. After a Cancel it must wait for
// one more slice. An earlier Submit may panic.
func (s *Scheduler) Submit(t *Task) {
	if t == nil {
		panic("scheduler: Submit of nil")
	}
	mustBeValid(t.Priority)
	t.mustBeWhole()
	g := t.Group
	if g != nil && g.s != s {
		panic(errForeign)
	}
	if t.s.Load() != s {
		t.adopt(s)
	}
	it := &t.item
	if it.task == nil {
		it.task = t
		it.node.Value = it
	}
	joins := false
	for {
		w := it.word.Load()
		if s.closed.Load() {
			if s.refuse(t, w) {
				return
			}
			continue
		}
		switch w & stateMask {
		case stateIdle:
			t.send(s)
			if t.Co != nil && s.notesPlaces.Load() {
				t.sent.notePlace(t.Label)
			}
			next := w&(generationMask|flagInbox) + generationOne | stateReady | flagNew | flagInbox | t.shape() |
				word(t.Priority.Lane())<<laneShift
			if w&flagInbox != 0 {
				next |= flagEnvelope
			}
			if !it.word.CompareAndSwap(w, next) {
				continue
			}
			if w&flagInbox != 0 {
				s.pushInEnvelope(t, generationOf(next))
			} else {
				s.push(it)
			}
			if g != nil && g.isCanceled() {
				it.cancel(&s.intake, generationOf(next), endCanceled)
			}
			return
		case stateRun:
			if w&flagAgain == 0 {
				next := w | flagAgain
				if joins = joins || g != nil && t.sent.group.Load() != g; joins {
					next |= flagJoins
				}
				t.send(s)
				if !it.word.CompareAndSwap(w, next) {
					continue
				}
				if joins {
					s.sendGroupRequest(it, requestExpect, generationOf(w), nil)
				}
				return
			}
		}
		panic(errQueued)
	}
}

// refuse is Submit after Close. It reports false if the task moved meanwhile.
func (in *intake) refuse(t *Task, w word) bool {
	if w&stateMask != stateIdle {
		return true // Close has ended it, or will: a running task is not submitted again
	}
	next := w&(generationMask|flagInbox) + generationOne | endClosed<<endShift
	if !t.item.word.CompareAndSwap(w, next) {
		return false
	}
	in.canceled.Add(1)
	in.dropped.Add(1)
	t.closeDone(generationOf(next))
	return true
}

func functions(t *Task) (n int) {
	if t.Func != nil {
		n++
	}
	if t.Step != nil {
		n++
	}
	if t.Co != nil {
		n++
	}
	if t.Idle != nil {
		n++
	}
	return n
}

// mustBeWhole panics if the exported fields contradict each other.
func (t *Task) mustBeWhole() {
	if functions(t) != 1 {
		panic(errShape)
	}
	if t.Period > 0 && t.Func == nil {
		panic("scheduler: Submit of a Task with a Period and without a Func")
	}
	if t.Idle != nil && t.Delay > 0 {
		panic("scheduler: Submit of an idle Task with a Delay")
	}
}

// adopt gives s a task that was never submitted, or that its old scheduler has let go of. It panics otherwise. A task
// that is still linked in an inbox may be in a queue, too.
func (t *Task) adopt(s *Scheduler) {
	if s.ctx == nil {
		panic(errZero)
	}
	t.mustBeLetGo()
	t.item.number = generationOf(t.item.word.Load())
	t.s.Store(s)
}

func (t *Task) mustBeLetGo() {
	if t.s.Load() != nil && t.item.word.Load()&(stateMask|flagInbox) != stateIdle {
		panic("scheduler: Submit of a Task that another scheduler has not done with")
	}
}

// errZero is the panic of a Scheduler that New did not make.
const errZero = "scheduler: a Scheduler that is not from New"

// The panics of Submit.
const (
	errForeign = "scheduler: Submit into a group of another scheduler"
	errQueued  = "scheduler: Submit of a Task that is queued"
)

// After is [Scheduler.Post] after the delay d, counted from this call. The timeout begins when the delay ends.
func (s *Scheduler) After(p deadline.Priority, d time.Duration, f func()) Handle {
	return s.post("After with", p, d, f, nil, 0)
}

// post is After, for a group whose entry is fore. verb begins the text of the panic about a nil function.
func (s *Scheduler) post(verb string, p deadline.Priority, d time.Duration, f func(), fore *item, flags word) Handle {
	if f == nil {
		panic("scheduler: " + verb + " a nil function")
	}
	mustBeValid(p)
	if s.closed.Load() {
		return s.drop()
	}
	it := s.arena.get(p.Lane())
	it.fn, it.fore = f, fore
	if d > 0 {
		it.node.Stamp(s.dueAfter(d))
		flags |= flagDelay
	}
	return s.launch(it, flags|word(p.Lane())<<laneShift)
}

// notePlace notes who calls Submit, or a verb of this package or of package frame that calls Submit. Only for a
// scheduler whose coroutines somebody looks at: it allocates if the task comes from a new place.
func (t *sent) notePlace(label string) {
	n := named{label: label}
	runtime.Callers(3, n.from[:]) // leaves out Callers, notePlace and Submit
	if old := t.label.Load(); old == nil || *old != n {
		fresh := n // n itself stays on the stack
		t.label.Store(&fresh)
	}
}

// WhenIdle queues f to run once, when a slice has time left and nothing else is ready. After timeout, counted from when
// the frame goroutine reads of f, f is overdue Normal work. Zero or less is no timeout: f may never run. Any goroutine.
// It allocates the Task. It panics if f is nil.
//
// The idle time lasts until end: the slice ends or the next delayed task is due, at most 50 ms from the start of f. Ask
// ShouldYield too, as urgent work may come earlier. If f is timedOut, end is the start of f.
//
// Idle callbacks queued by idle callbacks wait for the next frame.
func (s *Scheduler) WhenIdle(timeout time.Duration, f func(end deadline.Deadline, timedOut bool)) *Task {
	if f == nil {
		panic("scheduler: WhenIdle with a nil function")
	}
	t := &Task{Idle: f, Timeout: timeout}
	s.Submit(t)
	return t
}

// Every queues f to run every period, first after one period, until the Task is cancelled or f fails: see Task.Period.
// Any goroutine. It allocates the Task. It panics if f is nil, p invalid or period not positive.
func (s *Scheduler) Every(p deadline.Priority, period time.Duration, f func()) *Task {
	t := newPeriodic(nil, p, period, f)
	s.Submit(t)
	return t
}

// newPeriodic returns the Task of an Every, into g or into no group.
func newPeriodic(g *Group, p deadline.Priority, period time.Duration, f func()) *Task {
	if period <= 0 {
		panic("scheduler: Every with a period that is not positive: " + period.String())
	}
	if f == nil {
		panic("scheduler: Every with a nil function")
	}
	return &Task{Priority: p, Func: f, Period: period, Delay: period, Group: g}
}
