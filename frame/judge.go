package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/hostcost"
	"github.com/frameslice/frameslice/internal/refresh"
)

// judge learns from the frame before, whose interval ends now: about gaps, the host's period and the reserve.
func (l *Loop) judge(now deadline.Instant) {
	interval := max(l.refresh.Sub(l.last.refresh), 0)
	l.now.Interval = interval
	outside := now.Sub(l.last.ended) - l.last.waited
	if !l.gapped(outside, interval-outside) {
		l.gaps = 0
	} else if l.bridge(interval, outside) {
		return
	}
	s, p := &l.slice, l.interval()
	if s.forced {
		l.overrunFits = interval*2 <= p*3
	}
	over := max(s.end.Sub(l.budget.edge), 0)
	switch {
	case l.shadow != nil:
		missed := s.late > p/16
		l.budget.hosted.observe(l.budget.informs(s, missed), missed, over, p/2)
	case l.running || l.pacing:
		l.budget.own.observe(l.budget.informs(s, l.last.overdue), l.last.overdue, over, p/4)
	default:
		missed := interval*2 > p*3
		l.budget.hosted.observe(l.budget.informs(s, missed), missed, over, p/2)
	}
	busy, used := l.last.ended.Sub(l.last.begun), s.end.Sub(s.begin)
	waits := s.ready > 0 || l.noWorkers && l.unserved()
	due := l.due()
	if l.running || l.pacing {
		due = p
	}
	part := workShare(&l.o.Budget, l.last.loading)
	l.budget.account(interval, s.until.Sub(s.begin), used, due, part, waits, l.last.loading)
	if l.running {
		l.budget.host.observe(busy, used, p, true, true)
		return
	}
	f := hostcost.Frame{
		Interval: interval - l.last.held, Busy: busy, Due: l.due(), Slow: l.budget.host.lags(l.last.loading),
		Overran: over > 0 && s.works() && l.shadow == nil && !l.budget.host.slow,
		Share:   l.budget.host.kindShare(part, l.last.loading),
	}
	bare := bridge.Of(l.sched).NoteHost(f)
	if l.host != l.sched {
		bare = bridge.Of(l.host).NoteHost(f) && bare
	}
	if refresh.Missed(interval, l.due()) > 0 {
		if task, late := l.hostCause(); late > l.hostLate {
			l.now.HostTask, l.hostLate = task, late
		}
	}
	if l.shadow != nil {
		used = l.last.held // what the frame waited for work: its own slice ran beside the host
	}
	if !l.measures() || l.period.Known() || interval-used > refresh.Longest {
		l.budget.host.observe(interval-l.last.waited, used, l.due(), bare, l.pacing || !l.period.Paced())
	}
	if l.budget.host.control > 0 {
		bridge.Of(l.sched).ControlHost()
		if l.host != l.sched {
			bridge.Of(l.host).ControlHost()
		}
	}
	if l.last.waited > 0 {
		l.period.Disturbed() // the starts are the loop's own
	}
	l.period.Observe(interval-l.last.waited, busy, used)
	l.pace(now)
}

// pace turns the loop's own pacing of a hosted frame on while nothing else paces it, and off again.
func (l *Loop) pace(now deadline.Instant) {
	want := l.o.Pace && !l.period.Paced()
	if want && !l.pacing {
		l.pacer.start(now, l.o.Interval)
	}
	l.pacing = want
}

// expected returns when the next frame counts as late, and for how long the pool is to stand back then: 0 if nothing
// paces the frames. After half an interval the display does not show the frame in time anyway.
func (l *Loop) expected(now deadline.Instant) (late deadline.Instant, trail time.Duration) {
	interval := l.interval()
	switch {
	case l.running || l.pacing:
		late = max(l.pacer.due(), now)
	case l.period.Paced() && l.period.Known():
		late = l.grid.Next(now, interval)
	default:
		return 0, 0
	}
	return late.Add(interval / lateGrace), interval / 2
}

// A gap is a time between End and the next Begin that is too long for a wait for the display. A very long frame counts
// as a gap, too: see gapped. Nothing tells the causes apart: a host's flush that uploads a level's pictures makes a
// gap, and so does a window that is dragged. A gap puts the timers off, so that not all of them expire in the frame
// after it. But the picture stood still, so the frame is late. Only a jump is left out: a gap that is too long for any
// frame.
//
// Rejected: to leave every gap out, because a game that freezes for a second would miss nothing. To ask whether the
// process used the processor, because its workers do while a window is dragged, and a driver that waits for the GPU
// does not. To ask whether the machine slept, because Go's clock on Linux stands still meanwhile. To ask the window,
// because no interface of a wrapped game does.

// gapped reports whether the time outside of the frame is a gap, or the time within the frame is a jump.
func (l *Loop) gapped(outside, inside time.Duration) bool {
	limit := l.gap()
	return limit >= 0 && (outside > limit || inside/jumpGaps > limit) // and not jumpGaps*limit, which may overflow
}

// isJump reports whether a gap is a jump: longer than a given JumpAfter, between two Runs, longer than any frame, or
// one more of a host that nobody sees.
func (l *Loop) isJump(outside, inside time.Duration) bool {
	limit := l.gap()
	return l.o.JumpAfter > 0 || l.last.border || outside/jumpGaps > limit || inside/jumpGaps > limit ||
		l.gaps >= rateGaps && outside > rateSeen
}

// bridge handles a gap, and reports whether the frame teaches nothing else.
func (l *Loop) bridge(interval, outside time.Duration) bool {
	jump := l.isJump(outside, interval-outside)
	steady := l.o.JumpAfter == 0 && l.gaps >= rateGaps && outside <= rateSlowest && interval-outside <= rateSlowest
	l.gaps++
	if steady && !jump {
		return false
	}
	if jump {
		l.now.Flags |= record.Jump
		l.jumps++
		l.jumpTime += interval
	}
	if l.pacing {
		l.pacer.start(l.now.Start, l.pacer.interval) // no tick of the gap was skipped
	}
	if !steady {
		d := interval - l.interval()
		if outside > l.gap() { // what the slice has queued waited for the gap alone
			d = min(d, outside)
		}
		l.sched.Shift(d)
		if l.host != l.sched {
			l.host.Shift(d)
		}
	}
	return true
}
