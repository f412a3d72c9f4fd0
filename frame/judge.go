package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// judge draws the lessons from the frame before, whose interval ends now: a gap, the host's period, the reserve.
func (l *Loop) judge(now deadline.Instant) {
	interval := max(l.refresh.Sub(l.last.refresh), 0)
	l.now.Interval = interval
	outside := now.Sub(l.last.ended) - l.last.waited
	if !l.gapped(outside, interval-outside) {
		l.row = 0
	} else if l.bridge(interval, outside) {
		return
	}
	s, p := &l.slice, l.interval()
	switch {
	case l.shadow != nil:
		missed := s.late > p/16
		l.hosted.observe(l.telling(missed), missed, p/2)
	case l.running || l.pacing:
		l.own.observe(l.telling(l.last.overdue), l.last.overdue, p/4)
	default:
		missed := interval*2 > p*3
		l.hosted.observe(l.telling(missed), missed, p/2)
	}
	if l.running {
		return
	}
	busy, used := l.last.ended.Sub(l.last.begun), s.end.Sub(s.begin)
	l.sched.NoteHost(interval-s.late, busy, l.due())
	if l.host != l.sched {
		l.host.NoteHost(interval-s.late, busy, l.due())
	}
	if l.shadow != nil {
		used = s.late // the rest ran beside the host
	}
	if l.last.waited > 0 {
		l.period.fit.clear() // the starts are the loop's own
	}
	l.period.observe(interval-l.last.waited, busy, used)
	l.pace(now)
}

// telling reports whether the frame before says something about the reserve: its slice worked up to where
// the reserve began. Also beyond, with the floor of a frame that had no budget; then only a clean frame
// says something, for a miss would have come without the slice too. So it would with what was begun although it was
// known not to fit, lest it wait for ever: a larger reserve would only make still more not fit.
func (l *Loop) telling(missed bool) bool {
	s := &l.slice
	return s.ran+s.jobs > 0 && !s.end.Before(l.edge.Add(-nearEdge)) && (!missed || !s.forced && s.begin.Before(l.edge))
}

// nearEdge is how close to its reserve a slice must end to say something about it.
const nearEdge = 250 * time.Microsecond

// interval is the frame interval in force. That of Run are its ticks, whatever its slices go by.
func (l *Loop) interval() time.Duration {
	switch {
	case l.running:
		return l.o.Interval
	case l.o.Budget.Interval > 0:
		return l.o.Budget.Interval
	}
	return l.period.value
}

// due is the interval that frames are judged by: the one in force, unless that is as long as it is because of the
// frames' own work.
func (l *Loop) due() time.Duration {
	if l.measures() {
		return l.period.shown
	}
	return l.interval()
}

// measures reports whether the interval in force is the host's period as measured.
func (l *Loop) measures() bool { return !l.running && l.o.Budget.Interval <= 0 }

// pace turns the loop's own pacing of a hosted frame on while nothing else paces it, and off again.
func (l *Loop) pace(now deadline.Instant) {
	want := l.o.Pace && !l.period.paced
	if want && !l.pacing {
		l.pacer.start(now, l.o.Interval)
	}
	l.pacing = want
}
