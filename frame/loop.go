package frame

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/regions"
	"github.com/frameslice/frameslice/internal/where"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A Loop gives every frame a slice in which tasks run. It has a scheduler, a pool and a recorder.
type Loop struct {
	tasks
	gate     gate
	o        Options
	pool     *workers.Pool
	jobs     jobs // in slices
	rec      *record.Recorder
	idle     *idleGC // nil without Options.GCBetweenFrames
	watch    *watchdog
	page     page // of a browser; it does nothing elsewhere
	pressure pressure
	contends contention

	// The end: see close.go and ending.go.
	ends     ending
	halt     atomic.Bool  // Stop or Close was called: the slice is to end
	endWait  func()       // ends the pacer's wait, for good
	inFrames where.Record // of the goroutine that runs frames, in Run or in a method of a wrapped game
	home     home         // the place of the frames' goroutine

	tempo tempo // when frames come

	// Where the slice lies.
	shadow *shadow // PlaceShadow only
	choice choice  // of PlaceAuto

	tellsDraw bool // the host has called RunPhase(BeforeDraw): it says which frames it draws

	// The loop has learned these.
	budget   budget
	canceled uint64 // tasks, as of the last record
	resumed  uint64 // coroutines, as of the last record
	hostLate uint64 // late frames of the host, as of the latest one
	gaps     gaps

	// The frame in progress.
	now      record.Record
	marks    record.Flags     // of the next frame
	input    deadline.Instant // of the next frame
	phased   uint8            // phases whose callbacks have run, by 1<<scheduler.Phase
	counting bool             // its updates are counted; otherwise it has had one
	blank    bool             // it was not drawn
	begun    deadline.Instant // when it began
	held     time.Duration    // how long Begin waited for the last slice in the shadow, before the frame began
	refresh  deadline.Instant // the browser's refresh that it is for, or else when Begin was called
	base     deadline.Instant // what its budget counts from: refresh, or the tick that Run was late for
	slice    slice            // what the slice did; the baton's holder only
	sections sections         // of its own work
	system   systemShare      // of it and of the slice
	last     previous

	// For Go's execution trace. Without PlaceShadow the meters are one.
	region     regions.Region // of the frame
	meter      *regions.Meter // of the frame goroutine
	sliceMeter *regions.Meter // of l.sched, the baton's holder only
}

// previous is what a frame must know of the frame before.
type previous struct {
	valid   bool
	begun   deadline.Instant
	refresh deadline.Instant
	ended   deadline.Instant // End, before it waited
	waited  time.Duration    // by Options.Pace, in End
	held    time.Duration    // how long Begin waited for the slice in the shadow of the frame before
	loading bool             // it was marked Loading
	overdue bool             // the loop's own next tick had passed at End
	border  bool             // it or the next one is Run's: the time between is no frame's
	pending bool             // its record waits for the slice in the shadow to end
	rests   deadline.Instant // since when the host sleeps, by Rest; 0 if it does not
	slept   bool             // the Rest came after a valid frame
}

// New returns a Loop, which Close must end. It panics if an option is out of range. Any goroutine.
func New(o Options) *Loop {
	o, given := o.withDefaults(), o
	dice := o.dice()
	l := &Loop{o: o, pool: o.Pool, rec: record.New(o.Recorder), budget: newBudget(), gaps: gaps{after: o.JumpAfter}}
	l.tempo.init(&given)
	l.tasks.add(scheduler.New(o.Scheduler), o.Profile)
	bridge.Of(l.sched).Roll(dice)
	l.meter = regions.NewMeter()
	l.sliceMeter = l.meter
	bridge.Of(l.sched).Meter(l.meter)
	l.ends = newEnding(&l.home, l.closeDrain)
	if l.pool == nil {
		l.pool = o.newPool(dice)
	}
	l.jobs.pool, l.jobs.runner = l.pool, bridge.Of(l.pool).Runner(o.Scheduler.Wake)
	l.rec.Watch(l.pool)
	if o.GCBetweenFrames {
		l.idle = newIdleGC(l.pool, &gogc, gogc.join())
	}
	l.watch = newWatchdog(o.OnStuck, func(age time.Duration, who carrier.Place) string { return stuckIn(l, age, who) })
	l.inFrames.Kind, l.inFrames.Owner = where.Frame, l
	l.page.watch()
	asked := make(chan struct{})
	l.endWait = sync.OnceFunc(func() { close(asked) })
	l.tempo.pacer.init(asked)
	l.system.off = l.tempo.pacer.virtual
	l.sched.StopOn(&l.halt)
	switch o.Placement {
	case PlaceShadow:
		l.shade()
	case PlaceFirst:
		l.sched.RunPhase(scheduler.BeforeDraw) // says that the loop runs these phases: else the first slice does, too
		l.sched.RunPhase(scheduler.AfterDraw)
	case PlaceAuto:
		l.choice.shade = func() {
			if hasRoom(l.pool) {
				l.shade()
			}
		}
		l.choice.open.Store(true)
	}
	return l
}

// Scheduler returns the scheduler of the tasks in the slice. Only the loop calls its BeginFrame, RunUntil and Close.
// With PlaceShadow, only tasks make the frame goroutine's calls from Slice to the next Begin.
func (l *Loop) Scheduler() *scheduler.Scheduler { return l.sched }

// Host returns the scheduler whose tasks run on the host's own goroutine, inside Slice: a second one with PlaceShadow,
// else Scheduler(). With PlaceAuto call it after Wrap; before, it decides for PlaceAfterDraw.
func (l *Loop) Host() *scheduler.Scheduler {
	l.choice.decide(false)
	return l.host
}

// Pool returns the loop's own pool, or Options.Pool. Only the loop calls its BeginFrame and EndFrame.
func (l *Loop) Pool() *workers.Pool { return l.pool }

// Recorder returns the recorder, which gets one Record per frame.
func (l *Loop) Recorder() *record.Recorder { return l.rec }

// Frame returns the number of this frame, or of the last frame, from 1. Frame goroutine, and in tasks.
func (l *Loop) Frame() uint64 { return l.now.Number }

// Begin starts a frame. Frame goroutine. After Stop it closes the loop; after Close it does nothing. It panics if the
// last frame was not ended, or another call is in progress.
func (l *Loop) Begin() {
	if !l.gate.enterCall("Begin", 1<<gateBetween, false) {
		l.ends.over()
		return
	}
	if l.gate.isClosing() {
		defer l.leaveOrClose(gateBetween)
		l.takeBack()
		return
	}
	defer l.leaveOrClose(gateOpen)
	l.startFrame(deadline.Now())
}

// Slice runs tasks in what is left of the frame, and then jobs that fit. Frame goroutine, once between Begin and End.
// With PlaceShadow it returns at once, and the tasks run until the next Begin. It panics without Begin, twice in a
// frame, or if another call is in progress.
func (l *Loop) Slice() {
	if !l.gate.enterCall("Slice", 1<<gateOpen, false) {
		l.ends.over()
		return
	}
	if l.gate.isClosing() {
		l.leaveOrClose(gateOpen)
		return
	}
	left := gateOpen
	defer func() { l.leaveOrClose(left) }() // deferred: a task's panic goes to the host, which may recover and continue
	left = l.prepareSlice()
	l.runSlice()
}

// End ends the frame and records it. Frame goroutine. Without a Slice the tasks wait.
func (l *Loop) End() {
	if !l.gate.enterCall("End", 1<<gateOpen|1<<gateSliced, false) {
		if l.ends.over() {
			l.endClosed()
		}
		return
	}
	defer l.leaveOrClose(gateBetween)
	if l.gate.state() == gateOpen && !l.gate.isClosing() {
		l.endPhases()
	}
	l.endFrame()
}

// Step tells for the records that an update advanced the simulation by d, or by Step(0) that the frame had no update.
// The default is one update per frame. A wrapped game has its Updates counted, and may call Step in them for the time.
// Frame goroutine, between Begin and Slice, and in callbacks of the phases; it panics elsewhere.
func (l *Loop) Step(d time.Duration) {
	if state := l.gate.state(); state != gateOpen {
		if !l.gate.isClosing() {
			panic("frame: Step" + misuse("Step", state))
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

// Mark adds flags (Unfocused, Loading) to the record of this frame, or of the next one. Frame goroutine.
func (l *Loop) Mark(f record.Flags) {
	f &= record.Unfocused | record.Loading
	if l.gate.state() == gateBetween {
		l.marks |= f
	} else {
		l.now.Flags |= f
	}
}

// Input says when input that the frame reacts to was seen, such as the time of a key's event. Of several times the
// earliest counts. In and after Slice, between frames, and in a frame without an update the input is the next frame's.
// Without a call a frame with an update has seen its input in Begin, which is right for a host that polls, such as
// Ebitengine. With PlaceFirst the update comes after Slice: input is this frame's from Begin to End, also in a task.
// Without a call the frame has seen its input at the end of Slice then. Frame goroutine.
//
// The report has the time from the input to the frame handed over (Record.HandedOver), by which the placement of the
// slice can be judged. A frame is handed over in End, before Options.Pace waits, and in Run when the function returns.
// A frame without an update, or not drawn, has no such time.
func (l *Loop) Input(at deadline.Instant) {
	to := &l.input
	if s := l.gate.state(); s == gateOpen || s == gateSliced && l.o.slicesFirst() { // a task's, before the update
		to = &l.now.Input
	}
	if at = min(at, deadline.Now()); *to == 0 || at < *to {
		*to = at
	}
}

// Presented says when the display showed a frame: see record.Recorder.Presented. Number it by Frame. Then the report
// has the true hitch ratio, the animation error and the latency of what was displayed. Any goroutine, also late.
func (l *Loop) Presented(frame uint64, at deadline.Instant) { l.rec.Presented(frame, at) }

// Pressure returns a level from 0 (all is well) to 4, for a game that lowers its quality. It rises within 0.1 s of
// overload, and falls after two seconds of calm or Rest. Any goroutine; about 1 ns.
func (l *Loop) Pressure() int { return int(l.pressure.level.Load()) }
