package frame

import (
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// A gap is a time between End and Begin that no frame takes which only waits for its display. Nobody can tell there
// what it was: a host's flush that uploads a level's pictures, or compiles a shader, lies there as well as a window
// that is dragged. It puts the timers off in any case, so that not all of them expire in the frame after it. But the
// picture stood still, whoever did it, so the frame is a late one. What is left out is a jump: so long that it is
// nobody's frame.
//
// Rejected: to leave every gap out, because then a game that freezes for a second is told that it missed nothing; to
// ask whether the process used the processor meanwhile, because its workers do while a window is dragged, and a driver
// that waits for the GPU does not; to ask whether the machine slept (CLOCK_BOOTTIME), because where that can be asked,
// on Linux, Go's clock stands still meanwhile, and there is no gap; to ask the window, which no interface of a wrapped
// game does, and which is visible again when the gap is over.
const (
	// gapIntervals and gapLeast are what a gap is longer than by default, jumpGaps is how many of the longer one a jump
	// is longer than, outside of the frame or within it: nobody's frame takes five seconds, a debugger's does.
	gapIntervals = 8
	gapLeast     = 250 * time.Millisecond
	jumpGaps     = 20
)

// A host that shows less than four frames a second, or is throttled to one, has a gap in each of them: that is its
// rate. The first gapRow gaps in a row put the timers off, as nobody can know yet. From then on those up to rateSlowest
// do not, or time would stand still for timers; and those beyond rateSeen are of a host that nobody sees, and jumps.
const (
	gapRow      = 3
	rateSeen    = 750 * time.Millisecond
	rateSlowest = 2 * time.Second
)

// gap returns what a gap is longer than; negative for no end. Who has set Options.JumpAfter has set this.
func (l *Loop) gap() time.Duration {
	if limit := l.o.JumpAfter; limit != 0 {
		return limit
	}
	return max(gapLeast, gapIntervals*l.interval())
}

// gapped reports whether the time outside of the frame is a gap, or that within it so long that it is a jump.
func (l *Loop) gapped(outside, inside time.Duration) bool {
	limit := l.gap()
	return limit >= 0 && (outside > limit || inside/jumpGaps > limit) // and not jumpGaps*limit, which may overflow
}

// isJump reports whether a gap is a jump: what was given as one, between two Runs, beyond what a frame takes, or one
// more of a host that nobody sees.
func (l *Loop) isJump(outside, inside time.Duration) bool {
	limit := l.gap()
	return l.o.JumpAfter > 0 || l.last.border || outside/jumpGaps > limit || inside/jumpGaps > limit ||
		l.row >= gapRow && outside > rateSeen
}

// bridge takes a gap, and reports whether it is all there is to say about the frame.
func (l *Loop) bridge(interval, outside time.Duration) bool {
	jump := l.isJump(outside, interval-outside)
	steady := l.o.JumpAfter == 0 && l.row >= gapRow && outside <= rateSlowest && interval-outside <= rateSlowest
	l.row++
	if steady && !jump {
		return false
	}
	if jump {
		l.now.Flags |= record.Jump
		l.jumps++
		l.jumpTime += interval
	}
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
