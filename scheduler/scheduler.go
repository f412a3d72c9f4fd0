package scheduler

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// Scheduler runs tasks on the frame goroutine. Make one with [New]. It must not be copied. Each method says who may
// call it.
type Scheduler struct {
	// Any goroutine.
	inbox    inbox // pushed, not drained
	arena    arena
	canceled atomic.Uint64
	dropped  atomic.Uint64
	closed   atomic.Bool
	closing  atomic.Bool  // Close was called within a slice
	token    atomic.Int32 // 1 while a call that only one goroutine may make is in progress
	life     context.Context
	die      context.CancelCauseFunc

	// Constant.
	wake     func()
	onPanic  func(*PanicError)
	read     func() deadline.Instant // nil for deadline.Now: a direct call
	share    float64
	patience uint8
	rethrow  bool
	watch    *watch // nil if nobody wants to know

	// The frame goroutine's, and during a run the task's goroutine's, which runs in its stead.
	q          taskqueue.Queue[*item]
	unread     *item   // taken from the inbox, not handled; the oldest first
	late       list    // overdue work that is set aside in the queue, the most overdue first
	frames     list    // coroutines that wait for BeginFrame
	forced     []*item // work that was passed over too often
	passed     []*item // work passed over in this slice, in order
	leaps      uint16  // frames until work may be forced ahead of what is more urgent
	waiting    int     // coroutines in Wait or Await
	framed     bool    // the host calls BeginFrame
	frameBegun bool    // BeginFrame was called since the last slice
	slice              // the current or last slice
	coroutines         // see co_coroutine.go
	kinds      kinds
	total      totals
	reports    []*PanicError // not yet reported
	namedPC    uintptr       // see worstName
	named      string
	firstPanic *PanicError // of this slice
	phases                 // see phase.go
	microtasks             // see phase_microtask.go
	idleTime               // see phase_idle.go
	drawing                // see phase_draw.go
	stopping               // see phase_host.go
	posted     []member    // of posted functions, by their index; as long as needed
	busy       []*Group    // members of theirs are to be looked at
	readAgain  bool        // members were cancelled, or groups ended: there are messages about that
	telling    bool        // in the middle of reading the inbox what waits for the end of a group is called
	ids        uint64      // of tasks, in events
	framing    int         // coroutines in frames
	timing                 // see core_clock.go
	nested                 // see phase_nest.go
	joining                // see group_member.go
}

// New returns a Scheduler. It starts no goroutine. It panics if a field of o is out of range.
func New(o Options) *Scheduler {
	o.check()
	s := &Scheduler{
		wake:       o.Wake,
		onPanic:    o.OnPanic,
		read:       o.Clock,
		share:      overdueShare,
		patience:   patience,
		rethrow:    o.Rethrow,
		microtasks: microtasks{microLimit: microtaskLimit},
		watch:      newWatch(o),
	}
	s.life, s.die = context.WithCancelCause(context.Background())
	s.q.Policy = o.Policy
	s.q.Timeouts = o.Timeouts
	return s
}

// Post queues f with priority p. Any goroutine. It never blocks and takes some 10 ns. It allocates only if more
// functions wait than ever before. After Close the Handle is Canceled. It panics if f is nil or p invalid.
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
	life := lifeOf(it.word.Load()) + 1
	it.word.Store(uint64(life)<<lifeShift | phaseReady | flagInbox | flagNew | word(p.Lane())<<laneShift)
	s.push(it)
	return Handle{s, it, life}
}

// Go queues a coroutine: f may suspend itself by the methods of its Co. Any goroutine. It allocates the Task. It panics
// if f is nil or p invalid.
func (s *Scheduler) Go(p deadline.Priority, f func(co *Co)) *Task {
	mustBeBody(f)
	t := &Task{Priority: p, Co: f}
	s.Submit(t)
	return t
}

// mustBeBody panics if f is nil, before Submit tells of a Task that who calls Go has not made.
func mustBeBody(f func(co *Co)) {
	if f == nil {
		panic("scheduler: Go of a nil function")
	}
}

// Submit queues a task that the caller owns. Any goroutine; it never blocks or allocates. Submit of a running task
// takes effect when the run ends. After Close the task is Canceled. Submit panics if t is queued or suspended, its
// priority is invalid, or not exactly one of its functions is set.
//
// Another scheduler's Task may come after the slice in which it ended, or one slice later after a Cancel. Before,
// Submit may panic.
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
		s.adopt(t)
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
		switch w & phaseMask {
		case phaseIdle:
			t.send(s)
			next := w&(lifeMask|flagInbox) + lifeOne | phaseReady | flagNew | flagInbox | t.shape() |
				word(t.Priority.Lane())<<laneShift
			if w&flagInbox != 0 {
				next |= flagRelayed
			}
			if !it.word.CompareAndSwap(w, next) {
				continue
			}
			if w&flagInbox != 0 {
				s.relay(t, lifeOf(next))
			} else {
				s.push(it)
			}
			if g != nil && g.canceled.Load() {
				it.cancel(s, lifeOf(next), endCanceled)
			}
			return
		case phaseRun:
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
					s.message(it, askJoin, lifeOf(w), nil)
				}
				return
			}
		}
		panic(errQueued)
	}
}

// refuse is Submit after Close. It reports false if the task moved meanwhile.
func (s *Scheduler) refuse(t *Task, w word) bool {
	if w&phaseMask != phaseIdle {
		return true // Close ends it, or has: a run does not begin again
	}
	next := w&(lifeMask|flagInbox) + lifeOne | endClosed<<endShift
	if !t.item.word.CompareAndSwap(w, next) {
		return false
	}
	s.canceled.Add(1)
	s.dropped.Add(1)
	t.closeDone(lifeOf(next))
	return true
}

// enter takes the token, which tells a task that calls what the frame goroutine calls, and a second
// goroutine, from the frame goroutine, whichever goroutine that is today.
func (s *Scheduler) enter(what string) {
	if !s.token.CompareAndSwap(0, 1) {
		panic("scheduler: " + what + " within a task, or on two goroutines at once: a modal loop calls Nest first")
	}
}

func (s *Scheduler) leave() { s.token.Store(0) }

// Shift moves the start and the expiration of all that waits by d: for a jump of the clock, after which everything
// would be overdue. Frame goroutine, or a task.
func (s *Scheduler) Shift(d time.Duration) {
	s.clock() // what is stamped with the last reading from here on is not moved, so it is to be of after the jump
	s.unlate()
	s.shiftUnread(d)
	s.q.Shift(d)
}

// BeginFrame says that a frame begins at now, for coroutines in NextFrame. Without such calls each RunUntil is a frame.
// Frame goroutine, between slices.
func (s *Scheduler) BeginFrame(now deadline.Instant) {
	s.enter("BeginFrame")
	s.framed = true
	s.frameBegun = true
	s.drawAsked = s.drawAsked && (s.told[BeforeDraw] || s.told[AfterDraw])
	s.drawBegun = false
	s.newMicroFrame()
	if s.frames.head != nil {
		t := s.clock()
		s.releaseFrames(min(now.Add(time.Duration(s.skew)), t))
	}
	s.leave()
}

func (s *Scheduler) releaseFrames(now deadline.Instant) {
	for it := s.frames.head; it != nil; it = s.frames.head {
		s.wakeUp(it, now)
	}
}

// Next returns when RunUntil, or a frame, will have something to do. A host that draws on demand sleeps until then or
// until Options.Wake. No work is lost in between. Frame goroutine.
//
// That is now if DrawRequested is true, or if work is ready or waits for the next frame or idle time. If all work is
// delayed, it is the earliest start. Next returns false if all work waits for other work, or none is left.
func (s *Scheduler) Next() (at deadline.Instant, ok bool) {
	if s.closed.Load() {
		return 0, false
	}
	now := s.clock()
	if s.isUnread() || s.frames.head != nil ||
		s.drawAsked || s.onces > 0 || s.draws.head != nil || s.micros.head != nil || s.idles.head != nil {
		return now - s.skew, true
	}
	at, ok = s.q.Next(now)
	return at - s.skew, ok
}
