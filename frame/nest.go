package frame

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/regions"
	"github.com/frameslice/frameslice/internal/where"
)

// Nest calls f, a modal loop that drives frames in the middle of a frame, such as a message box. In f the loop is as
// between two frames: f calls Begin, Slice and End, or Run.
//
//	loop.Nest(func() {
//		_ = loop.Run(ctx, func() error { return box.Frame() }) // until it returns frame.ErrStop
//	})
//
// Call it in a task or a callback of Loop.Host, or on the frame goroutine between Begin and Slice; it panics elsewhere.
//
// The rest of the frame is another frame in the records. Frames in f have the flag Nested. Close and Stop take effect
// after the outermost Nest: f must return when Closing says so.
//
// An Ebitengine game cannot drive the engine's frames: await the dialog's end in a coroutine.
func (l *Loop) Nest(f func()) {
	if f == nil {
		panic("frame: Nest with a nil function")
	}
	if l.gate.isBusy() {
		l.host.Nest(func() { l.nestHere(f) }) // which knows whether this is a task or another goroutine
		return
	}
	l.nestHere(f)
	if l.gate.isClosing() {
		return
	}
	now := deadline.Now() // the rest has a slice to come, but the frames in f have run its callbacks and coroutines
	l.sched.BeginFrame(now)
	if l.host != l.sched {
		l.host.BeginFrame(now)
	}
}

// nestHere calls f, in which the loop is as between two frames:
//
//   - F41. In f the gate is as between two frames (F11 and F13 hold), but nested counts as under way. So by F12 nothing
//     closes beside a task that runs. When f has ended, phase, busy and running are what they were.
//   - F42. Records stay in order (F7): the frame's record ends where f begins, and the rest of the frame has a record
//     of its own. No interval reaches over the border. So a modal loop is neither a hitch nor a jump. It teaches
//     nothing about the period, and is no overrun of the slice in which it began.
//   - F43. The baton is at home when f begins, as only the host's side may call Nest, and when f has ended.
func (l *Loop) nestHere(f func()) {
	defer where.Enter(where.Nest, l).Leave()
	was, ok := l.gate.nestIn()
	if !ok {
		f()
		return
	}
	o := l.setAside()
	defer func() {
		l.takeUp(o)
		if was&gateNested != 0 {
			l.now.Flags |= record.Nested
		}
		if l.gate.nestOut(was) {
			_ = l.close(false) // Close returns the error
		}
	}()
	f()
}

// outerFrame is what the rest of a frame needs of its beginning.
type outerFrame struct {
	slice    slice
	phased   uint8
	running  bool
	blank    bool
	at       deadline.Instant
	region   regions.Region
	sections sections
}

// setAside ends the record of the frame in progress.
func (l *Loop) setAside() outerFrame {
	now := deadline.Now()
	o := outerFrame{
		slice: l.slice, phased: l.phased, running: l.running, blank: l.blank, at: now, region: l.region,
	}
	if o.slice.begin == 0 {
		l.now.System.Own = l.system.part(now, false)
	}
	l.endUpdates(now, o.slice.begin != 0)
	l.now.Sections = l.sections.part(now)
	o.sections = l.sections
	l.rec.Add(l.now)
	l.pool.EndFrame()
	l.last.valid, l.running, l.slice, l.region = false, false, slice{}, regions.Region{}
	l.watch.end()
	l.watch.moves() // a task runs on a coroutine's goroutine
	return o
}

// takeUp goes on with the rest of the frame as another frame. A slice that f was in goes on as if no time had passed.
func (l *Loop) takeUp(o outerFrame) {
	l.takeBack()
	if phase := l.gate.unfinished(); phase != phaseBetween {
		l.pacing = false // until the frames are judged: do not wait here
		l.end(phase == phaseSliced)
		l.takeBack()
	}
	now := deadline.Now()
	l.watch.moves()
	l.watch.begin(now)
	l.rested(now)
	l.now = record.Record{Number: l.now.Number + 1, Start: now, Target: l.target()}
	l.system.part(now, true)
	l.begun, l.refresh, l.base, l.last.valid = now, now, now, false
	l.sections.takeUp(&o.sections, now)
	l.slice, l.phased, l.running, l.counting, l.blank = o.slice, o.phased, o.running, true, o.blank
	if l.region = o.region; regions.On() {
		l.meter.LogFrame(l.now.Number)
	}
	l.pacing = l.pacing && !o.running
	if (l.running || l.pacing) && now >= l.pacer.due() {
		l.pacer.start(now, l.pacer.interval) // no tick that lies in f was skipped
	}
	if l.slice.begin != 0 {
		l.slice.begin, l.slice.until = now, o.slice.until.Add(now.Sub(o.at))
		l.now.SliceBegin = now
	}
	l.pool.BeginFrame()
}

// beginEmpty begins a frame of a loop that is about to close.
func (l *Loop) beginEmpty() {
	now := deadline.Now()
	l.begun, l.refresh, l.last.valid = now, now, false
	l.now = record.Record{Number: l.now.Number + 1, Start: now, Target: l.target(), Flags: record.Nested}
	l.slice, l.counting, l.blank = slice{}, false, false
	l.sections.begin()
}

// nested returns the flag of a frame within a Nest.
func (l *Loop) nested() record.Flags {
	if l.gate.isNested() {
		return record.Nested
	}
	return 0
}
