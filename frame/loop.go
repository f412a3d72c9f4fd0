package frame

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/where"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A Loop gives every frame a slice in which tasks run, and ties a scheduler, a pool and a recorder to it.
//
// A host that has its own loop calls Begin, does the frame's own work, calls Slice and End, once per frame,
// on the frame goroutine; for Ebitengine, Wrap does that. A program without a host calls Run. What the loop
// costs an idle frame is about a microsecond and no allocation.
type Loop struct {
	gate  gate
	o     Options
	sched *scheduler.Scheduler
	host  *scheduler.Scheduler // sched itself, but for PlaceShadow
	pool  *workers.Pool
	seat  *workers.Seat // where the slice runs jobs; it belongs to whoever drains, as the scheduler does
	rec   *record.Recorder
	idle  *idleGC // nil without Options.IdleGC
	done  chan struct{}
	page  page // of a browser; it does nothing elsewhere

	dog *watchdog    // nil with a negative Options.Watchdog
	at  where.Record // of the goroutine that runs frames, in Run or in a method of a wrapped game

	place    atomic.Uint64 // carrier.Place of the first slice or the last Run; 0 before
	drained  chan struct{} // closed when the closer has unwound the tasks
	unwound  chan struct{} // closed when what was owed has been unwound, too
	closeErr error         // set before done is closed
	halt     atomic.Bool   // Stop or Close was called: the slice is to end
	endWait  func()        // ends the pacer's wait, for good
	owed     atomic.Bool   // the loop is closed but for what only the host's goroutine may close

	period  period
	hosted  reserve           // what the host does after the slice
	own     reserve           // where the loop itself waits, it knows when
	follows deadline.Estimate // from the end of the slice to End
	debt    time.Duration     // overrun not yet paid back
	pacer   pacer
	grid    grid

	wanted    atomic.Int64 // what SetInterval has asked for, 0 for nothing, negative for Options' zero
	ownTarget bool         // Options.Recorder had a Target

	pacing  bool          // Options.Pace, and nothing else keeps the host to its interval
	running bool          // Run drives the loop
	thread  Thread        // what Run has got of Options.Thread
	shadow  *shadow       // PlaceShadow only
	choice  choice        // of PlaceAuto
	alone   bool          // no worker of the ordinary kind: urgent jobs run in the slice or nowhere
	hungry  int           // frames in which jobs waited for one and none ran; the baton's holder only
	crew    workers.Stats // as of at most crewEvery frames ago

	canceled uint64 // tasks, as of the last record
	resumed  uint64 // the same of coroutines
	phased   uint8  // phases whose callbacks have run in this frame, by 1<<scheduler.Phase

	now      record.Record    // the frame in progress
	marks    record.Flags     // of the next frame
	counting bool             // its updates are counted; otherwise it has had one
	begun    deadline.Instant // when it began
	refresh  deadline.Instant // when the browser's refresh was that it is for; begun, where there is no page
	base     deadline.Instant // what its budget counts from: refresh, or the tick that Run was late for
	edge     deadline.Instant // where the reserve begins; 0 if there was no budget but the floor
	slice    slice            // what the slice did; the baton's holder only
	last     previous

	jumps    uint64
	jumpTime time.Duration
	row      int // gaps in a row

	pressure pressure
}

// previous is what a frame must know of the one before.
type previous struct {
	valid   bool
	begun   deadline.Instant
	refresh deadline.Instant
	ended   deadline.Instant // End, before it waited
	waited  time.Duration    // by Options.Pace, in End
	overdue bool             // the loop's own next tick had passed at End
	border  bool             // it was Run's, or the next one is: what lies between is nobody's frame
	pending bool             // its record waits for the slice in the shadow to end
	rests   deadline.Instant // since when the host sleeps, by Rest; 0 if it does not
	slept   bool             // that was after a frame that had been valid
}

// New returns a Loop, which Close must end. It panics if an option has a value that it cannot have. Any goroutine.
func New(o Options) *Loop {
	given, ownTarget := o.Interval > 0, o.Recorder.Target > 0
	o = o.withDefaults()
	l := &Loop{
		o: o, ownTarget: ownTarget, pool: o.Pool, rec: record.New(o.Recorder),
		done: make(chan struct{}), drained: make(chan struct{}), unwound: make(chan struct{}),
		period: newPeriod(o.Interval), hosted: newReserve(hostControl()), own: newReserve(ownControl),
	}
	if given {
		l.period.trust()
		l.period.limit = o.Pace
	}
	l.sched = scheduler.New(o.Scheduler)
	l.host = l.sched
	if l.pool == nil {
		l.pool = workers.New(o.Workers)
	}
	l.seat = l.pool.Seat()
	l.seat.Wake = o.Scheduler.Wake
	l.rec.Watch(l.pool)
	l.pressure.o = o.Pressure.withDefaults()
	if o.IdleGC {
		l.idle = newIdleGC(l.pool, l.rec.SkipGC, &gogc, gogc.join())
	}
	l.dog = newWatchdog(l)
	l.at.Kind, l.at.Owner = where.Frame, l
	l.page.watch()
	asked := make(chan struct{})
	l.endWait = sync.OnceFunc(func() { close(asked) })
	l.pacer.init(o.Wait, asked)
	l.sched.StopOn(&l.halt)
	switch o.Placement {
	case PlaceShadow:
		l.shade()
	case PlaceAuto:
		l.choice.open.Store(true)
	}
	return l
}

// Scheduler returns the scheduler of the tasks that the slice drains: Loop has Post, After and Go of its own, the
// rest is there (timers, groups, idle callbacks, RequestDraw, Next). Its BeginFrame, RunUntil and Close are the
// loop's to call: a RunUntil of somebody else runs tasks whatever the frame has left, and after its Close the frames
// go on without tasks, all of which end with scheduler.ErrClosed; Loop.Close ends both. With PlaceShadow what only the
// frame goroutine may call belongs to the slice, from Slice to the next Begin.
func (l *Loop) Scheduler() *scheduler.Scheduler { return l.sched }

// Host returns the scheduler whose tasks run on the host's own goroutine, inside Slice. With PlaceShadow it
// is a second one, for tasks that the shadow slice may not run (reading a texture back); otherwise it is
// Scheduler(). Under PlaceAuto it is to be asked after Wrap: asked before, it settles for PlaceAfterDraw.
func (l *Loop) Host() *scheduler.Scheduler {
	l.decide(false)
	return l.host
}

// Pool returns the pool: the loop's own or Options.Pool. Its BeginFrame, EndFrame and, if it is the loop's own, Close
// are the loop's to call: when somebody else has closed it the frames go on, and jobs end with workers.ErrClosed.
func (l *Loop) Pool() *workers.Pool { return l.pool }

// Recorder returns the recorder, which gets one Record per frame: see Report for what becomes of them.
func (l *Loop) Recorder() *record.Recorder { return l.rec }

// Frame returns the number of the frame in progress, or of the last one: the first has number 1. Frame goroutine, and
// in tasks.
func (l *Loop) Frame() uint64 { return l.now.Number }

// Post queues f to run on the frame goroutine in a slice: Scheduler().Post. Any goroutine; never blocks.
func (l *Loop) Post(p deadline.Priority, f func()) scheduler.Handle { return l.sched.Post(p, f) }

// After queues f to run on the frame goroutine in a slice, d from now at the earliest: Scheduler().After. Any
// goroutine; never blocks.
func (l *Loop) After(p deadline.Priority, d time.Duration, f func()) scheduler.Handle {
	return l.sched.After(p, d, f)
}

// Go queues a coroutine, a function that may stop in its middle and go on in a later slice: Scheduler().Go.
// Any goroutine; never blocks.
func (l *Loop) Go(p deadline.Priority, f func(co *scheduler.Co)) *scheduler.Task {
	return l.sched.Go(p, f)
}

// Begin starts a frame. Frame goroutine, the first thing in a frame. After Stop it closes the loop; after
// Close it does nothing. It panics if the frame before was not ended, or if another of the loop's calls is
// running.
func (l *Loop) Begin() {
	if !l.gate.enter("Begin", 1<<phaseBetween, false) {
		l.over()
		return
	}
	if l.gate.isClosing() {
		next := phaseBetween
		if l.gate.isNested() { // the loop cannot close yet, and f may call Slice and End
			next = phaseOpen
			l.takeBack()
			l.beginEmpty()
		}
		defer l.leave(next)
		l.takeBack()
		return
	}
	defer l.leave(phaseOpen)
	l.begin(deadline.Now())
}

// Slice runs tasks, and then jobs that fit, in what is left of the frame. Frame goroutine, once between
// Begin and End, when the frame's own work is done. It returns when its deadline is reached or nothing that
// fits is left; with PlaceShadow it returns at once, and the slice goes on until the next Begin. It panics
// without Begin, twice in a frame, or while another of the loop's calls is running, as when a task calls
// it.
func (l *Loop) Slice() {
	if !l.gate.enter("Slice", 1<<phaseOpen, false) {
		l.over()
		return
	}
	if l.gate.isClosing() {
		l.leave(phaseOpen)
		return
	}
	left := phaseOpen
	defer func() { l.leave(left) }() // deferred: a task's panic goes through to the host, which may recover and go on
	l.phase(scheduler.AfterDraw)
	left = phaseSliced
	l.gate.advance(left) // tasks are no own work
	l.runSlice()
}

// End ends the frame and records it. Frame goroutine. A frame without a Slice is legal; its tasks wait.
func (l *Loop) End() {
	if !l.gate.enter("End", 1<<phaseOpen|1<<phaseSliced, false) {
		if l.over() {
			l.endClosed()
		}
		return
	}
	defer l.leave(phaseBetween)
	if l.gate.phase() == phaseOpen && !l.gate.isClosing() {
		l.phase(scheduler.AfterDraw)
	}
	l.end(l.gate.phase() == phaseSliced)
}

// leave gives the token back, and closes the loop if that was asked for meanwhile.
func (l *Loop) leave(phase uint32) {
	if l.gate.leave(phase) {
		l.close(false)
	}
}

// Step tells the loop that the host advanced its simulation by d, once for each update. From it follow the
// histogram of updates per frame and the animation error. Frame goroutine, in the frame's own work: between Begin
// and Slice, and in callbacks of the phases; it panics elsewhere, and does nothing after Close. A host that never calls
// it is taken to update once per frame. Step(0) counts no update: it says that this frame had none. Not for a wrapped
// game, whose updates are counted, each as one of Options.Tick.
func (l *Loop) Step(d time.Duration) {
	if phase := l.gate.phase(); phase != phaseOpen {
		if !l.gate.isClosing() {
			panic("frame: Step" + misuse("Step", phase))
		}
		return
	}
	l.counting = true
	l.now.Flags |= record.Stepped
	if d > 0 {
		l.now.Updates++
		l.now.Step += d
	}
}

// Mark adds flags (Unfocused, Loading) to the record of the frame in progress, or between two frames to that of the
// next. Frame goroutine.
func (l *Loop) Mark(f record.Flags) {
	f &= record.Unfocused | record.Loading
	if l.gate.phase() == phaseBetween {
		l.marks |= f
	} else {
		l.now.Flags |= f
	}
}

// counts says that the frame's updates are counted by updated.
func (l *Loop) counts() {
	if l.gate.phase() == phaseOpen {
		l.counting = true
		if l.o.Tick > 0 {
			l.now.Flags |= record.Stepped
		}
	}
}

// updated counts one update.
func (l *Loop) updated(begin, end deadline.Instant) {
	if l.gate.phase() == phaseOpen {
		if l.now.Updates == 0 {
			l.now.UpdateBegin = begin
		}
		l.now.UpdateEnd = end
		l.now.Updates++
		l.now.Step += l.o.Tick
	}
}

// drawn notes the end of the host's drawing.
func (l *Loop) drawn(at deadline.Instant) {
	if l.gate.phase() == phaseOpen {
		l.now.DrawEnd = at
	}
}
