package frame

import (
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// gaps counts the gaps between frames.
//
// A gap is a time between End and the next Begin that is too long for a wait for the display. A very long frame counts
// as a gap, too: see is. Nothing tells the causes apart: a host's flush that uploads a level's pictures makes a
// gap, and so does a window that is dragged. A gap puts the timers off, so that not all of them expire in the frame
// after it. But the picture stood still, so the frame is late. Only a jump is left out: a gap that is too long for any
// frame.
//
// Rejected: to leave every gap out, because a game that freezes for a second would miss nothing. To ask whether the
// process used the processor, because its workers do while a window is dragged, and a driver that waits for the GPU
// does not. To ask whether the machine slept, because Go's clock on Linux stands still meanwhile. To ask the window,
// because no interface of a wrapped game does.
type gaps struct {
	after    time.Duration // Options.JumpAfter
	row      int           // gaps in a row
	jumps    uint64
	jumpTime time.Duration
}

// limit returns the time above which a wait is a gap: Options.JumpAfter if that is set. Negative means no gaps.
func (g *gaps) limit(interval time.Duration) time.Duration {
	if g.after != 0 {
		return g.after
	}
	return max(gapLeast, gapIntervals*interval)
}

// is reports whether the time outside of a frame is a gap, or the time within the frame is a jump.
func (g *gaps) is(outside, inside, interval time.Duration) bool {
	limit := g.limit(interval)
	return limit >= 0 && (outside > limit || inside/jumpGaps > limit) // and not jumpGaps*limit, which may overflow
}

// isJump reports whether a gap is a jump: longer than a given JumpAfter, between two Runs (border), longer than any
// frame, or one more of a host that nobody sees.
func (g *gaps) isJump(outside, inside, interval time.Duration, border bool) bool {
	limit := g.limit(interval)
	return g.after > 0 || border || outside/jumpGaps > limit || inside/jumpGaps > limit ||
		g.row >= rateGaps && outside > rateSeen
}

// take takes the time that has passed from one frame to the next. skips reports that it says nothing about the host.
// shift is the time by which timers are put off.
func (g *gaps) take(outside, inside, interval time.Duration, border bool) (skips, jump bool, shift time.Duration) {
	if !g.is(outside, inside, interval) {
		g.row = 0
		return false, false, 0
	}
	jump = g.isJump(outside, inside, interval, border)
	steady := g.after == 0 && g.row >= rateGaps && outside <= rateSlowest && inside <= rateSlowest
	g.row++
	if jump {
		g.jumps++
		g.jumpTime += outside + inside
	}
	if steady {
		return jump, jump, 0
	}
	shift = outside + inside - interval
	if outside > g.limit(interval) { // what the slice has queued waited for the gap alone
		shift = min(shift, outside)
	}
	return true, jump, shift
}

// bridge takes the time from the frame before to this one, and reports whether the frame before teaches nothing else.
func (l *Loop) bridge(interval, outside time.Duration) bool {
	skips, jump, shift := l.gaps.take(outside, interval-outside, l.tempo.interval(), l.last.border)
	if jump {
		l.now.Flags |= record.Jump
	}
	if skips {
		l.tempo.restart(l.now.Start)
	}
	if shift != 0 {
		l.tasks.shift(shift)
	}
	return skips
}
