package frame

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/hostcost"
	"github.com/frameslice/frameslice/internal/refresh"
)

// judge learns from the frame before, whose interval ends now: about gaps, the host's period and the reserve.
func (l *Loop) judge(now deadline.Instant) {
	interval := max(l.refresh.Sub(l.last.refresh), 0)
	l.now.Interval = interval
	outside := now.Sub(l.last.ended) - l.last.waited
	if l.bridge(interval, outside) {
		return
	}
	s, p := &l.slice, l.tempo.interval()
	if s.ranTooLong {
		l.jobs.overrunFits = interval*2 <= p*3
	}
	over := max(s.end.Sub(l.budget.edge), 0)
	switch {
	case l.shadow != nil:
		missed := s.late > p/16
		l.budget.hosted.observe(s.informs(&l.budget, missed), missed, over, p/2)
	case l.tempo.waits():
		l.budget.own.observe(s.informs(&l.budget, l.last.overdue), l.last.overdue, over, p/4)
	default:
		missed := interval*2 > p*3
		l.budget.hosted.observe(s.informs(&l.budget, missed), missed, over, p/2)
	}
	busy, used := l.last.ended.Sub(l.last.begun), s.end.Sub(s.begin)
	waits := s.ready > 0 || l.jobs.noWorkers && l.jobs.unserved()
	due := l.tempo.due()
	if l.tempo.waits() {
		due = p
	}
	part := workShare(&l.o.Budget, l.last.loading)
	l.budget.account(interval, s.until.Sub(s.begin), used, due, part, waits, l.last.loading)
	if l.tempo.running {
		l.budget.host.observe(busy, used, p, true, true)
		return
	}
	f := hostcost.Frame{
		Interval: interval - l.last.held, Busy: busy, Due: l.tempo.due(), Slow: l.budget.host.lags(l.last.loading),
		Overran: over > 0 && s.works() && l.shadow == nil && !l.budget.host.slow,
		Share:   l.budget.host.kindShare(part, l.last.loading),
	}
	bare := l.tasks.noteHost(f)
	if refresh.Missed(interval, l.tempo.due()) > 0 {
		if task, late := l.tasks.hostCause(); late > l.hostLate {
			l.now.HostTask, l.hostLate = task, late
		}
	}
	if l.shadow != nil {
		used = l.last.held // what the frame waited for work: its own slice ran beside the host
	}
	if !l.tempo.measures() || l.tempo.period.Known() || interval-used > refresh.Longest {
		exact := l.tempo.pacing || !l.tempo.period.Paced()
		l.budget.host.observe(interval-l.last.waited, used, l.tempo.due(), bare, exact)
	}
	if l.budget.host.control > 0 {
		l.tasks.controlHost()
	}
	if l.last.waited > 0 {
		l.tempo.period.Disturbed() // the starts are the loop's own
	}
	l.tempo.period.Observe(interval-l.last.waited, busy, used)
	l.tempo.pace(now)
}
