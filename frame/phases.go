package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
)

// begin starts a frame at now.
func (l *Loop) begin(now deadline.Instant) {
	l.dog.begin(now)
	l.decide(false)
	if l.shadow != nil {
		l.settle(l.shadow.take())
	}
	l.wasHidden()
	l.refresh = now
	if !l.running {
		l.refresh = l.page.refresh(now)
	}
	l.now = record.Record{Number: l.now.Number + 1, Start: now, Flags: l.nested() | l.marks}
	l.marks = 0
	l.now.Target = l.target()
	if l.running || l.pacing {
		l.now.Woke, l.now.Waited = l.pacer.woke, l.pacer.waited
	}
	switch {
	case l.last.valid:
		l.judge(now)
	case l.last.slept:
		l.judgeRest(now)
	}
	l.setInterval()
	l.rested(now)
	l.begun, l.base = now, l.refresh
	l.grid.observe(l.refresh, l.interval())
	l.slice, l.counting = slice{}, false
	if l.running {
		l.base = l.pacer.tick
	}
	l.sched.BeginFrame(now)
	if l.host != l.sched {
		l.host.BeginFrame(now)
	}
	if l.now.Number%crewEvery == 1 {
		l.pool.Stats(&l.crew)
		l.alone = l.crew.Workers == 0
	}
	l.pool.BeginFrame()
	l.phased = 0
	l.gate.advance(phaseOpen) // callbacks are own work: they may call Step
	l.phase(scheduler.BeforeUpdate)
	if l.shadow != nil {
		l.shadow.raise()
	}
}

// crewEvery is how many frames pass between two looks at the pool, which cost 100 ns per worker.
const crewEvery = 16

// end records the frame and, with Options.Pace, waits.
func (l *Loop) end(sliced bool) {
	now := deadline.Now()
	r := &l.now
	if !l.counting {
		r.Updates = 1
	}
	if r.Updates > 0 && r.UpdateEnd == 0 { // the host's own work is not told apart from its updates
		r.UpdateBegin, r.UpdateEnd = l.begun, now
		if sliced {
			r.UpdateEnd = r.SliceBegin
		}
	}
	if sliced && l.shadow == nil {
		l.owe()
	}
	l.setInterval() // the frame's interval ends with the next one's beginning
	l.last = previous{valid: true, begun: l.begun, refresh: l.refresh, ended: now}
	if l.running || l.pacing {
		l.last.overdue = !now.Before(l.pacer.due())
	}
	switch {
	case !sliced:
		l.idle.frame(now.Add(l.interval() / 2))
		l.pressure.observe(r, l.due())
		l.rec.Add(*r)
	case l.shadow != nil:
		l.last.pending = true
	default:
		l.follows.Observe(now.Sub(l.slice.end))
		l.record(r)
		l.rec.Add(*r)
	}
	l.pool.EndFrame()
	l.pool.ExpectFrame(l.expected(now))
	l.dog.end()
	if l.pacing {
		l.pacer.next(nil)
		l.last.waited = deadline.Now().Sub(now)
	}
}

// endClosed records the frame in which the loop was closed.
func (l *Loop) endClosed() {
	if phase := l.gate.unfinished(); phase != phaseBetween {
		l.pacing = false
		l.end(phase == phaseSliced)
		l.settle(0)
	}
}

// settle ends the record of a frame whose slice lay in the shadow, once the baton is back.
func (l *Loop) settle(late time.Duration) {
	l.slice.late = late
	if l.last.pending {
		l.last.pending = false
		l.owe()
		l.record(&l.now)
		l.rec.Add(l.now)
	}
}
