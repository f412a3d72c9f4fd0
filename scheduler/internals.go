package scheduler

import (
	"reflect"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/dice"
	"github.com/frameslice/frameslice/internal/hostcost"
	"github.com/frameslice/frameslice/internal/regions"
	"github.com/frameslice/frameslice/internal/timeline"
)

// door leads the packages of this module to internals: bridge.Of(s).
type door = bridge.Door[*internals]

// internals are a Scheduler's verbs for package frame, scheduler/flow and the demo.
type internals Scheduler

// Meter has m log what the thread of the slices has used up, while a trace is taken. Call it before the first slice.
func (i *internals) Meter(m *regions.Meter) { i.meter = m }

// ResetTimes empties what ReadTimes returns. Frame goroutine.
func (i *internals) ResetTimes() {
	s := (*Scheduler)(i)
	if s.watch != nil && s.watch.times != nil {
		*s.watch.times = Times{}
		s.kinds.Reset()
	}
}

// KeepTimes keeps what ReadTimes returns, for Options.Profile of package frame: 260 KB, and about 40 ns a run. Call it
// before the first task.
func (i *internals) KeepTimes() {
	s := (*Scheduler)(i)
	if s.watch == nil {
		s.watch = &watch{order: &s.order, closed: &s.closed}
	}
	s.watch.times = new(Times)
}

// KeepRuns adds each run to log, and is otherwise as KeepTimes.
func (i *internals) KeepRuns(log *timeline.Log) {
	i.KeepTimes()
	i.watch.log = log
}

// Wraps says that the function of t wraps f: without a Label the task has f's kind and name. Call it before Submit, or
// within the run. It panics if f is not a function.
func (i *internals) Wraps(t *Task, f any) {
	code := reflect.ValueOf(f).Pointer()
	if code == t.as {
		return
	}
	t.as = code
	if t.State() != Running {
		return
	}
	t.kind = nil
	t.sent.code.Store(code)
	if s := t.s.Load(); s.watch != nil && s.watch.times != nil {
		s.watch.kind = s.kinds.of(&t.item)
	}
}

// NumberApart gives all events other IDs than those of a scheduler without it, for a loop that has two. Call it before
// the first task.
func (i *internals) NumberApart() { i.idSpace = 1 << 62 }

// Roll has d decide what is left open, for Options.Seed of package frame. Call it before the first task.
func (i *internals) Roll(d *dice.Dice) { i.dice = d }

// Dice returns what was passed to Roll, or nil.
func (i *internals) Dice() *dice.Dice { return i.dice }

// NotePhase ends requests to draw as RunPhase(p) would, and leaves the callbacks to RunUntil: for a host whose slices
// run on another goroutine than its phases. Frame goroutine, between slices.
func (i *internals) NotePhase(p Phase) {
	s := (*Scheduler)(i)
	mustBePhase(p)
	s.acquireToken("NotePhase")
	defer s.releaseToken()
	if s.closed.Load() {
		return
	}
	if s.isUnread() {
		s.now = s.clock()
		s.drain(s.now)
		s.arena.flush()
	}
	s.absorb(p)
}

// NoteHost reports the host's frame. It is for hosts that draw and swap after the slice. Frame goroutine, before
// BeginFrame.
//
// The scheduler learns which kinds of tasks leave work to the host, such as uploads. It runs a new kind once a frame at
// first, except a kind of half a millisecond or more, of which few tasks fit into a frame. Immediate tasks, tasks of
// less than 20 µs and tasks with a Cost are exempt. Stats.HostCause names the kind with the most late frames.
//
// NoteHost reports whether the frame shows the host without the tasks that may have left work to it.
func (i *internals) NoteHost(f hostcost.Frame) (bare bool) {
	s := (*Scheduler)(i)
	s.acquireToken("NoteHost")
	defer s.releaseToken()
	s.kinds.host.Frame(f)
	return s.kinds.host.Bare()
}

// Presses reports whether work waits that no frame leaves out: Immediate tasks, microtasks, or messages that nobody has
// read. Frame goroutine, between slices.
func (i *internals) Presses() bool {
	s := (*Scheduler)(i)
	return s.q.LenOf(deadline.Immediate) > 0 || s.micros.head != nil || s.isUnread()
}

// ControlHost holds the kinds back that may leave work to the host until the next NoteHost, so that a frame shows the
// host without them. Immediate tasks run. Frame goroutine, between NoteHost and RunUntil.
func (i *internals) ControlHost() {
	s := (*Scheduler)(i)
	s.acquireToken("ControlHost")
	defer s.releaseToken()
	s.kinds.host.Control()
}
