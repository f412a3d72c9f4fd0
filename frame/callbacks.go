package frame

import "github.com/frameslice/frameslice/scheduler"

// Once registers f to run in the next phase p that begins, once, on the host's own goroutine, as part of the
// frame's own work: Host().Once, which is to be asked after Wrap. Any goroutine.
//
// BeforeUpdate callbacks run in Begin. BeforeDraw callbacks run in Draw of a wrapped game, before the game's
// own, or where the host calls RunPhase. AfterDraw callbacks run in Slice, before the tasks, or in End where
// the frame has no Slice. A frame in which a wrapped game does not draw has none of the last two.
func (l *Loop) Once(p scheduler.Phase, f func()) scheduler.Handle {
	mustBeCallback("Once", p, f)
	return l.Host().Once(p, f)
}

// Each registers f to run in every phase p, until its Handle is cancelled: Host().Each. Any goroutine. See
// Once.
func (l *Loop) Each(p scheduler.Phase, f func()) scheduler.Handle {
	mustBeCallback("Each", p, f)
	return l.Host().Each(p, f)
}

// mustBeCallback panics where the scheduler would: before Host has decided where the slice lies.
func mustBeCallback(who string, p scheduler.Phase, f func()) {
	if f == nil {
		panic("frame: " + who + " with a nil function")
	}
	mustBePhase(who, p)
}

// RunPhase runs the callbacks of phase p, for a host that knows better when that is than the loop does:
// between Begin and Slice, or, during Run, in its function. Such a host calls RunPhase(scheduler.BeforeDraw)
// between its update and its drawing, in every frame that it draws (if it never does, those callbacks run at
// the beginning of Slice); one without it counts as not drawn, see Scheduler.RequestDraw. It may call
// RunPhase(scheduler.AfterDraw) as soon as it has drawn. A phase that has run in this frame does not run
// again. Frame goroutine; it panics without Begin, after Slice, or while another of the loop's calls is
// running, or if p is invalid. After Close it does nothing.
func (l *Loop) RunPhase(p scheduler.Phase) {
	mustBePhase("RunPhase", p)
	if !l.gate.enter("RunPhase", 1<<phaseOpen, true) {
		l.over()
		return
	}
	if l.gate.isClosing() {
		l.leave(phaseOpen)
		return
	}
	defer l.leave(phaseOpen)
	l.phase(p)
}

// phase runs the callbacks of p, if they have not run in this frame. The caller has the gate's token.
func (l *Loop) phase(p scheduler.Phase) {
	if l.phased&(1<<p) != 0 {
		return
	}
	l.phased |= 1 << p
	if l.place.Load() == 0 {
		if _, ok := l.host.Next(); ok { // otherwise nothing will run: leave it to the first slice to settle in
			l.settleIn(false)
		}
	}
	l.host.RunPhase(p)
	if l.host != l.sched {
		l.sched.NotePhase(p) // its requests to draw are answered by this frame's drawing as well
	}
}

// beforeDraw runs what comes between the update and the drawing of a wrapped game.
func (l *Loop) beforeDraw() {
	if l.gate.phase() == phaseOpen {
		l.RunPhase(scheduler.BeforeDraw)
	}
}

// undrawn notes that the frame has not been drawn.
func (l *Loop) undrawn() { l.phased |= 1 << scheduler.AfterDraw }
