package frame

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/regions"
	"github.com/frameslice/frameslice/scheduler"
)

// startFrame starts a frame at now.
func (l *Loop) startFrame(now deadline.Instant) {
	l.choice.decide(false) // first: a Wrap beside the first frame changes the meter
	if regions.On() {
		l.region = l.meter.BeginFrame(l.now.Number + 1)
		if l.tempo.waits() {
			l.meter.LogWait(l.tempo.pacer.waited, l.tempo.pacer.woke)
		}
	}
	l.watch.begin(now)
	called := now
	if l.shadow != nil {
		held, late := l.shadow.take()
		l.held, now = held, now.Add(held) // the frame's own work begins when the slice has ended
		l.endShadowRecord(late)
	}
	if since := l.page.wasHidden(); since != 0 { // that was a rest: see Rest
		if l.last.rests == 0 {
			l.last.rests = max(since, l.last.begun) // within a frame, too: nobody saw the rest of the frame
		}
		l.last.slept = l.last.slept || l.last.valid
		l.last.valid = false
	}
	l.refresh = called
	if !l.tempo.running {
		l.refresh = l.page.refresh(called)
	}
	l.now = record.Record{Number: l.now.Number + 1, Start: now, Input: l.input, Flags: l.marks}
	l.now.System = record.System{Before: l.system.part(now, true), Own: record.Taken{Known: true}} // see endOwn
	l.marks, l.input = 0, 0
	l.sections.begin()
	l.now.Target = l.tempo.target()
	if l.tempo.waits() {
		l.now.Woke, l.now.Waited = l.tempo.pacer.woke, l.tempo.pacer.waited
	}
	switch {
	case l.last.valid:
		l.now.Waited += l.last.held // within the interval
		l.judge(called)
	case l.last.slept:
		l.judgeRest(now)
	}
	l.tempo.adopt()
	l.rested(now)
	l.begun, l.base = now, l.refresh
	l.tempo.grid.Observe(l.refresh, l.tempo.interval())
	l.slice, l.counting, l.blank = slice{}, false, false
	if l.tempo.running {
		l.base = l.tempo.pacer.tick
	}
	l.tasks.beginFrame(now)
	if l.now.Number%statsEvery == 1 {
		l.jobs.look()
	}
	l.pool.BeginFrame()
	l.phased = 0
	l.gate.advance(gateOpen) // callbacks are the frame's own work: they may call Step
	l.phase(scheduler.BeforeUpdate)
	if l.shadow != nil {
		l.shadow.raise()
	}
}

// endFrame records the frame and, with Options.Pace, waits.
func (l *Loop) endFrame() {
	now := deadline.Now()
	r := &l.now
	sliced := r.SliceBegin != 0
	if !sliced || l.o.slicesFirst() {
		l.endOwn(now)
	}
	l.endUpdates(now)
	if r.HandedOver == 0 && !l.blank {
		r.HandedOver = now
	}
	l.tempo.adopt() // the frame's interval ends with the next one's beginning
	l.last = previous{
		valid: true, begun: l.begun, refresh: l.refresh, ended: now, held: l.held,
		loading: r.Flags&record.Loading != 0,
	}
	if l.tempo.waits() {
		l.last.overdue = now >= l.tempo.pacer.due()
	}
	switch {
	case !sliced:
		l.idle.frame(now.Add(l.tempo.interval() / 2))
		l.pressure.observe(r, l.tempo.due())
		l.rec.Add(*r)
	case l.shadow != nil:
		l.last.pending = true
	default:
		l.budget.follows.Observe(now.Sub(l.slice.end))
		l.record(r)
		l.rec.Add(*r)
	}
	l.pool.EndFrame()
	bridge.Of(l.pool).ExpectFrame(l.tempo.expected(now))
	l.watch.end()
	l.region.End()
	l.system.end()
	if l.tempo.pacing {
		l.tempo.pacer.waitForTick(nil)
		l.last.waited = deadline.Now().Sub(now)
	}
}

// endUpdates completes the record's updates. If the host does not count them, its own work counts as one update.
func (l *Loop) endUpdates(now deadline.Instant) {
	r := &l.now
	if !l.counting {
		r.Updates = 1
	}
	from, to := l.begun, now
	switch {
	case r.SliceBegin == 0:
	case l.o.slicesFirst():
		from, r.DrawEnd = l.slice.end, now
	default:
		to = r.SliceBegin
	}
	if r.Updates > 0 && r.UpdateEnd == 0 {
		r.UpdateBegin, r.UpdateEnd = from, to
	}
	switch {
	case r.Updates > 0 && r.Input == 0:
		r.Input = from
	case r.Updates == 0 && r.Input != 0: // the next update reacts to it
		if l.input == 0 || r.Input < l.input {
			l.input = r.Input
		}
		r.Input = 0
	}
}

// endClosed records the frame in which the loop was closed.
func (l *Loop) endClosed() {
	if state := l.gate.unfinished(); state != gateBetween {
		l.tempo.pacing = false
		l.endFrame()
		l.endShadowRecord(0)
	}
}

// RunPhase runs the callbacks of phase p (Host().Once, Host().Each), once a frame. Otherwise the loop runs them:
// BeforeUpdate in Begin, BeforeDraw in Draw of a wrapped game, AfterDraw in Slice before the tasks, or in End.
//
// A host that is not wrapped calls RunPhase(scheduler.BeforeDraw) between update and drawing. Without that, the
// callbacks run in Slice and the frame counts as not drawn. With PlaceFirst they run in End, and the frame counts as
// drawn, until the host has made this call once: then a frame without it is not drawn, as with other placements.
// Frame goroutine, between Begin and Slice, or in the function of Run; it panics elsewhere, or if p is invalid.
func (l *Loop) RunPhase(p scheduler.Phase) {
	mustBePhase("RunPhase", p)
	if !l.gate.enterCall("RunPhase", 1<<gateOpen, true) {
		l.ends.over()
		return
	}
	if l.gate.isClosing() {
		l.leaveOrClose(gateOpen)
		return
	}
	defer l.leaveOrClose(gateOpen)
	l.tellsDraw = l.tellsDraw || p == scheduler.BeforeDraw
	l.phase(p)
}

// prepareSlice runs what comes before the slice, and returns the gate's state for after the slice. With PlaceFirst the
// own work comes then, and the drawing with it. Tasks are not the frame's own work.
func (l *Loop) prepareSlice() (after uint32) {
	after = gateOpen
	if !l.o.slicesFirst() {
		l.phase(scheduler.AfterDraw)
		after = gateSliced
	} else if l.now.SliceBegin != 0 {
		panic("frame: Slice" + misuse("Slice", gateSliced))
	}
	l.gate.advance(gateSliced)
	return after
}

// endPhases runs the phases that the frame still lacks at its end.
func (l *Loop) endPhases() {
	if l.o.slicesFirst() && !l.tellsDraw {
		l.phase(scheduler.BeforeDraw) // which otherwise the slice has run: see RunPhase
	}
	l.phase(scheduler.AfterDraw)
}

// phase runs the callbacks of p, if they have not run in this frame. The caller has the gate's token.
func (l *Loop) phase(p scheduler.Phase) {
	if l.phased&(1<<p) != 0 {
		return
	}
	l.phased |= 1 << p
	if !l.home.placeKnown() {
		if _, ok := l.host.Next(); ok { // otherwise nothing will run: leave it to the first slice to settle in
			l.home.settlePlace(false)
		}
	}
	l.tasks.runPhase(p)
}
