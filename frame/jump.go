package frame

import "time"

// jumpIntervals and jumpGap are the default of Options.JumpAfter.
const (
	jumpIntervals = 8
	jumpGap       = 250 * time.Millisecond
	// frozen is how many jumps' worth of time a frame must take between its own Begin and End until that, too,
	// counts as a jump: nobody's frame takes five seconds, a debugger's does. Below, it is a hitch and stays
	// in the statistics.
	frozen = 20
)

// jumped reports whether a gap outside of the frame, or within it, is more than a slow frame. What the
// host's loop does not explain is a jump; what happened between Begin and End is the game's own hitch and
// stays in the statistics, unless it is so long that only a debugger or a suspended process can have done
// it.
func (l *Loop) jumped(outside, inside time.Duration) bool {
	limit := l.o.JumpAfter
	if limit < 0 {
		return false
	}
	if limit == 0 {
		limit = max(jumpGap, jumpIntervals*l.interval())
	}
	return outside > limit || inside/frozen > limit // and not frozen*limit, which may overflow
}

// A host that shows less than four frames a second, or is throttled to one, has a gap in each of them: that is its
// rate. The first jumpRow gaps in a row are jumps, as nobody can know yet. From then on those up to jumpSteady put
// nothing off, or time would stand still for timers; and those up to jumpSlow are frames like others, and late. Longer
// ones are of a host that nobody sees, and stay out of the statistics.
const (
	jumpRow    = 3
	jumpSlow   = 750 * time.Millisecond
	jumpSteady = 2 * time.Second
)

// jump takes a gap, and reports whether it is all there is to say about the frame.
func (l *Loop) jump(interval, outside time.Duration) bool {
	steady := l.o.JumpAfter == 0 && l.row >= jumpRow && outside <= jumpSteady && interval-outside <= jumpSteady
	l.row++
	if steady && outside <= jumpSlow {
		return false
	}
	l.now.Flags |= Jump
	l.jumps++
	l.jumpTime += interval
	l.debt = 0
	if l.pacing {
		l.pacer.start(l.now.Start, l.pacer.interval) // no tick of the gap was skipped, and the next one is not overdue
	}
	if !steady {
		l.sched.Shift(interval - l.interval())
		if l.host != l.sched {
			l.host.Shift(interval - l.interval())
		}
	}
	return true
}
