package frame

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/where"
)

// Nest calls f, which drives frames of its own in the middle of one: a modal loop (a message box, a file dialog)
// that returns to its caller when it is done, while the picture goes on. In f the loop is as between two frames:
// Begin, Slice and End may be called, or Run.
//
//	loop.Nest(func() {
//		_ = loop.Run(ctx, func() error { return box.Frame() }) // until it returns frame.ErrStop
//	})
//
// Call it within a task or a callback that runs on the host's own goroutine (Host), or, on the frame goroutine,
// between Begin and Slice, as in the function of Run; it panics elsewhere, also in a task of a slice in the
// shadow, beside which the host's own frame goes on. What of the scheduler goes on in f, and what does not, is in
// [scheduler.Scheduler.Nest], which this is, too.
//
// For the instruments the frame ends where f begins, and what is left of it when f has ended is another one; the time
// between them and f's own frames is in no interval. If that has its Slice to come, it also has the callbacks of a
// frame, but for phases that have run in it, and resumes who waits for one (NextFrame). Frames in f carry the flag
// Nested.
//
// Close and Stop end the loop after the outermost Nest; meanwhile Run returns, and so should f, which learns of it by
// Closing: Begin, Slice and End run nothing more. A frame that f leaves open is ended.
//
// A game of Ebitengine cannot drive the engine's frames from within one. There, and wherever a dialog can run on
// another goroutine, await its end in a coroutine instead.
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
	now := deadline.Now() // the rest has a slice yet, and the frames in f had the callbacks and coroutines of this one
	l.sched.BeginFrame(now)
	if l.host != l.sched {
		l.host.BeginFrame(now)
	}
}

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
			_ = l.close(false) // Close tells
		}
	}()
	f()
}

// outerFrame is what the rest of a frame needs of its beginning.
type outerFrame struct {
	slice   slice
	phased  uint8
	running bool
	at      deadline.Instant
}

// setAside ends the record of the frame in progress.
func (l *Loop) setAside() outerFrame {
	now := deadline.Now()
	o := outerFrame{slice: l.slice, phased: l.phased, running: l.running, at: now}
	r := &l.now
	if !l.counting {
		r.Updates = 1
	}
	if r.Updates > 0 && r.UpdateEnd == 0 {
		r.UpdateBegin, r.UpdateEnd = l.begun, now
		if o.slice.begin != 0 {
			r.UpdateEnd = r.SliceBegin
		}
	}
	l.rec.Add(*r)
	l.pool.EndFrame()
	l.last.valid, l.running, l.slice = false, false, slice{}
	l.dog.end()
	l.dog.moves() // a task has a coroutine's goroutine
	return o
}

// takeUp goes on with the rest of the frame as another one. Its slice, if f was in it, is as if the time in f had
// not passed: that was not its doing.
func (l *Loop) takeUp(o outerFrame) {
	l.takeBack()
	if phase := l.gate.unfinished(); phase != phaseBetween {
		l.pacing = false // it begins again when the frames are judged: do not wait here
		l.end(phase == phaseSliced)
		l.takeBack()
	}
	now := deadline.Now()
	l.dog.moves()
	l.dog.begin(now)
	l.rested(now)
	l.now = record.Record{Number: l.now.Number + 1, Start: now, Target: l.target()}
	l.begun, l.refresh, l.base, l.last.valid = now, now, now, false
	l.slice, l.phased, l.running, l.counting = o.slice, o.phased, o.running, true
	l.pacing = l.pacing && !o.running
	if (l.running || l.pacing) && !now.Before(l.pacer.due()) {
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
	l.slice, l.counting = slice{}, false
}

// nested returns the flag of a frame within a Nest.
func (l *Loop) nested() record.Flags {
	if l.gate.isNested() {
		return record.Nested
	}
	return 0
}

// isBusy reports whether a call is running.
func (g *gate) isBusy() bool { return g.word.Load()&gateBusy != 0 }

// isNested reports whether the loop is in a Nest.
func (g *gate) isNested() bool { return g.word.Load()&gateNested != 0 }

// nestIn puts the word aside, as it is between two frames. It returns false if the loop is closed, and panics on
// misuse.
func (g *gate) nestIn() (was uint32, ok bool) {
	for {
		w := g.word.Load()
		switch {
		case w&gateClosed != 0:
			return 0, false
		case w&gateAway != 0:
			panic("frame: Nest in the slice in the swap's shadow: such work belongs to Loop.Host")
		case w&gateBusy == 0 && w&phaseMask != phaseOpen:
			panic("frame: Nest outside of a frame, or after Slice")
		}
		if g.word.CompareAndSwap(w, w&^(gateBusy|gateRunning|phaseMask)|gateNested) {
			return w, true
		}
	}
}

// nestOut takes up what nestIn has put aside, and reports whether the caller must now close the loop (G2). G1
// holds, as f has ended and the frame with it.
func (g *gate) nestOut(was uint32) (closeNow bool) {
	const mine = gateBusy | gateRunning | gateNested | phaseMask
	return g.change(mine&^was, mine&was)
}
